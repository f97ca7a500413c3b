package finance

import (
	"slices"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// AlertKind says what a person asked to be told of outside of the pages (ADR 0061).
type AlertKind string

// Values of AlertKind.
const (
	AlertConsentEnds  AlertKind = "consent-ends"  // Facts: Connection, Until
	AlertSyncFails    AlertKind = "sync-fails"    // Facts: Connection, Since
	AlertPaymentEnded AlertKind = "payment-ended" // Facts: Payment, Name (the payee or title), Amount, Code ("" for executed, else how it ended)
	AlertBookingAbove AlertKind = "booking-above" // Facts: Account, Transaction, Name, Amount, Limit; of several rows Count alone
	AlertBookingFound AlertKind = "booking-found" // Facts: Search (its id), SearchName, and as AlertBookingAbove
	AlertBalanceBelow AlertKind = "balance-below" // Facts: Account, Amount, Limit
	AlertBudgetPassed AlertKind = "budget-passed" // Facts: Name (of the category), Amount (spent), Limit (assigned), Day (the first of the month)
	AlertDebit        AlertKind = "debit"         // the direct-debit guard. Facts: Code (what it found), Account, Transaction, Name, Amount, Day, Until
	AlertDigest       AlertKind = "digest"        // Facts: Day and Until (the period), Code (a Digest), Count (bookings), In, Out, Coming

	// Kinds that nobody switches.
	AlertMore AlertKind = "more" // so many messages were above the cap. Facts: Day; how many is counted when it is sent
	AlertTest AlertKind = "test" // says nothing but that it has come
)

// AlertKinds are the kinds that people switch on and off, in the order of the page.
var AlertKinds = []AlertKind{AlertDebit, AlertBalanceBelow, AlertBookingAbove, AlertBookingFound, AlertBudgetPassed, AlertPaymentEnded, AlertConsentEnds,
	AlertSyncFails, AlertDigest}

// Channel is a way on which a message leaves Florin.
type Channel string

// Values of Channel.
const (
	ChannelMail    Channel = "mail"    // to the address with which the person signs in
	ChannelNtfy    Channel = "ntfy"    // a topic of an ntfy server
	ChannelWebhook Channel = "webhook" // an address that gets signed JSON
)

// Channels are all channels, in the order of the page.
var Channels = []Channel{ChannelMail, ChannelNtfy, ChannelWebhook}

// Recognises reports whether receivers on the channel can detect a message that they have received before. Only on such a channel does Florin repeat a
// message whose first delivery may have succeeded.
func (c Channel) Recognises() bool { return c == ChannelWebhook }

// OnByDefault reports whether the channel sends this kind to people who have made no choice. Only the mails about ending consents are on by default,
// because they existed before people could choose.
func (k AlertKind) OnByDefault(c Channel) bool { return k == AlertConsentEnds && c == ChannelMail }

// Held reports whether messages of this kind wait for the end of the quiet hours and count towards the daily cap. All kinds do except tests.
func (k AlertKind) Held() bool { return k != AlertTest }

// AlertFacts are what an alert is about: codes, ids and figures, no words. Which of them a kind has stands with its constant. They are stored as JSON.
type AlertFacts struct {
	Connection  string           `json:"connection,omitempty"`
	Account     string           `json:"account,omitempty"`
	Payment     string           `json:"payment,omitempty"`
	Transaction int64            `json:"transaction,omitempty"`
	Search      string           `json:"search,omitempty"`
	SearchName  string           `json:"search_name,omitempty"`
	Name        string           `json:"name,omitempty"`
	Code        string           `json:"code,omitempty"`
	Count       int              `json:"count,omitempty"` // of several rows that are told as one
	Day         openbanking.Date `json:"day,omitempty"`
	Until       openbanking.Date `json:"until,omitempty"`
	Since       time.Time        `json:"since,omitzero"`
	Ends        time.Time        `json:"ends,omitzero"` // of a consent
	Amount      AlertAmount      `json:"amount,omitzero"`
	Limit       AlertAmount      `json:"limit,omitzero"`
	In          []AlertAmount    `json:"in,omitempty"` // of a digest, by currency
	Out         []AlertAmount    `json:"out,omitempty"`
	Coming      []AlertComing    `json:"coming,omitempty"` // of a digest: what is known to come in the next week
}

// AlertComing is money that comes or goes on a day.
type AlertComing struct {
	Day    openbanking.Date `json:"day"`
	Name   string           `json:"name"`
	Amount AlertAmount      `json:"amount"`
}

// AlertAmount is an amount as it is stored with an alert: whole numbers of the currency's smallest unit. Its zero value is none.
type AlertAmount struct {
	Minor    int64  `json:"minor"`
	Currency string `json:"currency"`
}

// AlertAmountOf is an amount for AlertFacts.
func AlertAmountOf(a money.Amount) AlertAmount { return AlertAmount{a.Minor(), a.Currency()} }

// Money is the amount; ok is false for none.
func (a AlertAmount) Money() (amount money.Amount, ok bool) {
	return money.FromMinor(a.Minor, a.Currency), a.Currency != ""
}

// Alert is something that has happened and is to be told once. Key names what happened among all of its kind and person: the same key is never told again.
type Alert struct {
	ID      string // given by the store
	Kind    AlertKind
	Key     string
	Facts   AlertFacts
	Until   time.Time // what is told later comes late; zero for two days after it was stored
	Created time.Time // given by the store
}

// Message is an alert on its way to a person on one channel. Its words are made when it is sent.
type Message struct {
	ID       string // stays the same at each attempt
	User     User
	Language string // two letters, as Mail.Language
	Channel  Channel
	Target   Target // zero for ChannelMail
	Alert    Alert
	Details  bool       // whether it may tell amounts and names
	Bank     Connection // of the alert; zero for none
	Account  Account    // of the alert; zero for none
	Count    int        // of AlertMore: how many messages were kept back
	State    MailState
	Reason   string // why it waits again or has failed: a code; "" for none
	Attempts int    // with the present one, and with those of others that it waited for
	Until    time.Time
	Late     bool // it waited longer than that: Florin was off, or the clock jumped
	Created  time.Time
	Tried    time.Time // zero before the first attempt
}

// Target is where a channel of a person leads.
type Target struct {
	Address string // of the ntfy server without the topic, or of the webhook
	Topic   string // of ntfy
	Secret  Secret // the token of ntfy, "" for none; the secret with which webhooks are signed, as Standard Webhooks writes it: "whsec_" and base64
}

// MostAttempts is how often a channel is asked to take a message, with the pauses of its loop for two days. Attempts are counted, not days: a clock that jumps,
// and the time in which Florin is off, take none away.
const MostAttempts = 53

// GivenUp reports whether Florin stops trying to send the message: it has failed MostAttempts times. A message about the end of a consent is tried further
// until the consent has ended.
func (m Message) GivenUp(now time.Time) bool {
	return m.Attempts >= MostAttempts && (m.Alert.Kind != AlertConsentEnds || !now.Before(m.Until))
}

// MessageHeld is the state of a message that was kept back because of the daily cap, beside those of mails.
const MessageHeld MailState = "held"

// DefaultCap is how many messages a day a person gets at most on a channel, until the person chooses. MaxCap is the most to choose.
const (
	DefaultCap = 10
	MaxCap     = 100
)

// Digest says how often a person gets a summary.
type Digest string

// Values of Digest.
const (
	DigestWeekly  Digest = "weekly"  // on Mondays
	DigestMonthly Digest = "monthly" // on the first of a month
)

// AlertSettings are what a person wants to be told, and how.
type AlertSettings struct {
	Details    bool        // amounts and names in messages
	Zone       string      // IANA name of the time zone; "" for that of the server
	QuietFrom  int         // minutes after midnight
	QuietUntil int         // equal to QuietFrom: no quiet hours
	Cap        int         // messages a day on each channel
	Digest     Digest      // "" is DigestWeekly
	Above      AlertAmount // bookings from this amount on, in or out; zero for none
}

// DefaultAlertSettings are those of a person who has chosen nothing.
func DefaultAlertSettings() AlertSettings {
	return AlertSettings{Cap: DefaultCap, Digest: DigestWeekly}
}

// Location returns the person's time zone, server when the person has chosen none or the zone is unknown.
func (s AlertSettings) Location(server *time.Location) *time.Location {
	if s.Zone != "" {
		if own, err := time.LoadLocation(s.Zone); err == nil {
			return own
		}
	}
	return server
}

// QuietEnd returns the end of the quiet hours that contain the time; ok is false when no quiet hours contain it. The time is in the person's zone. When the
// clocks change during the night, the quiet hours still end at the chosen time of day.
func (s AlertSettings) QuietEnd(at time.Time) (end time.Time, ok bool) {
	if s.QuietFrom == s.QuietUntil {
		return time.Time{}, false
	}
	minute, over := at.Hour()*60+at.Minute(), s.QuietFrom > s.QuietUntil // over: past midnight
	switch {
	case !over && (minute < s.QuietFrom || minute >= s.QuietUntil), over && minute < s.QuietFrom && minute >= s.QuietUntil:
		return time.Time{}, false
	}
	day := at.Day()
	if over && minute >= s.QuietFrom {
		day++
	}
	end = time.Date(at.Year(), at.Month(), day, s.QuietUntil/60, s.QuietUntil%60, 0, 0, at.Location())
	if !end.After(at) { // the clock was set back within the quiet hours, or the minute does not exist on this day
		end = at.Add(time.Minute)
	}
	return end, true
}

// DayEnd is the next midnight of the time's zone.
func DayEnd(at time.Time) time.Time {
	return time.Date(at.Year(), at.Month(), at.Day()+1, 0, 0, 0, 0, at.Location())
}

// DayStart is the midnight with which the day of a time began in its zone.
func DayStart(at time.Time) time.Time {
	return time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, at.Location())
}

// Period returns the first and last day of the last complete week or month before today, and a key under which its digest is sent once.
func (d Digest) Period(today time.Time) (from, until openbanking.Date, key string) {
	day := time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, time.UTC)
	var start, end time.Time
	if d == DigestMonthly {
		end = day.AddDate(0, 0, 1-day.Day())
		start = end.AddDate(0, -1, 0)
	} else {
		end = day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
		start = end.AddDate(0, 0, -7)
	}
	from, until = openbanking.DateOf(start), openbanking.DateOf(end.AddDate(0, 0, -1))
	return from, until, string(until)
}

// Known reports whether there is such a kind to switch.
func (k AlertKind) Known() bool { return slices.Contains(AlertKinds, k) }

// Known reports whether there is such a channel.
func (c Channel) Known() bool { return slices.Contains(Channels, c) }
