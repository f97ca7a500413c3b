package finance

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// Phase says how far a payment has come on its way to the service. What the bank does with it afterwards is its status.
type Phase string

// Values of Phase. A draft is sent once at most: it becomes sending before the call, and whatever happens then, it is never sent again. From draft it goes to
// sending or discarded, from sending to created, failed or unknown, and from unknown to created, when a webhook or a late answer tells the payment_id. The
// store's guarded updates are these moves.
const (
	PhaseDraft     Phase = "draft"     // being written; nothing was sent
	PhaseSending   Phase = "sending"   // POST /payments is under way
	PhaseUnknown   Phase = "unknown"   // no whole answer came: the payment may exist at the service or not
	PhaseCreated   Phase = "created"   // the service knows the payment under its payment_id
	PhaseFailed    Phase = "failed"    // the service refused it, or was not reached at all: nothing was created
	PhaseDiscarded Phase = "discarded" // a draft that the person threw away
)

// PaymentOrder is what is asked of the bank: everything that will be sent, but for state, addresses and language.
type PaymentOrder struct {
	ProviderID string
	ASPSP      openbanking.ASPSP
	PSUType    openbanking.PSUType
	Type       openbanking.PaymentType
	AuthMethod string // a name from the bank's auth_methods; "" when the person chooses at the bank
	AccountID  string // the account of the user that pays; "" when it is chosen at the bank
	Request    openbanking.PaymentRequestResource
	Successful []openbanking.PaymentStatus // the bank's final_successful_statuses; not sent
}

// Totals are the sums of the transfers, one for each currency, in the order in which they occur. The error says which transfer has an amount
// that is none or is not above zero.
func (o PaymentOrder) Totals() ([]money.Amount, error) {
	if len(o.Request.CreditTransferTransaction) == 0 {
		return nil, errors.New("the payment has no transfer")
	}
	amounts := make([]money.Amount, 0, len(o.Request.CreditTransferTransaction))
	for i, t := range o.Request.CreditTransferTransaction {
		a, err := money.Parse(t.InstructedAmount.Amount, t.InstructedAmount.Currency)
		if err != nil {
			return nil, fmt.Errorf("transfer %d: %w", i+1, err)
		}
		if a.Sign() <= 0 {
			return nil, fmt.Errorf("transfer %d: the amount must be above zero", i+1)
		}
		amounts = append(amounts, a)
	}
	return money.Sum(amounts...)
}

// Transfers returns the transfers of the order, in its order.
func (o PaymentOrder) Transfers() []PaymentTransfer {
	all := make([]PaymentTransfer, 0, len(o.Request.CreditTransferTransaction))
	for _, t := range o.Request.CreditTransferTransaction {
		amount, _ := money.Parse(t.InstructedAmount.Amount, t.InstructedAmount.Currency) // Totals tells what is wrong
		r := PaymentTransfer{
			Amount:  amount,
			Account: PayeeAccountOf(t.Beneficiary.CreditorAccount),
		}
		if c := t.Beneficiary.Creditor; c != nil {
			r.Payee = Clean(value(c.Name))
		}
		if t.PaymentID != nil {
			r.EndToEndID = value(t.PaymentID.EndToEndID)
		}
		all = append(all, r)
	}
	return all
}

// ReviewHash is a digest of everything that the person sees on the review page and that will be sent: the confirmation brings it back, so that what
// is sent is what was agreed to (security T25).
func (o PaymentOrder) ReviewHash() string {
	request, err := json.Marshal(o.Request)
	if err != nil {
		return "" // cannot happen; an empty hash is never confirmed
	}
	return digest("review 1", o.ProviderID, o.ASPSP.Name, o.ASPSP.Country, string(o.PSUType), string(o.Type), o.AuthMethod, o.AccountID, string(request))
}

// Referenced returns the order with a reference of its own: the payment_information_id, from which the end-to-end ids of the transfers without one
// are made. With these ids Florin finds the payment again, at the service and among the bookings.
func (o PaymentOrder) Referenced(reference string) PaymentOrder {
	o.Request.PaymentInformationID = &reference
	transfers := slices.Clone(o.Request.CreditTransferTransaction)
	for i, t := range transfers {
		id := openbanking.PaymentIdentification{}
		if t.PaymentID != nil {
			id = *t.PaymentID
		}
		if value(id.EndToEndID) == "" {
			own := reference
			if len(transfers) > 1 {
				own = fmt.Sprintf("%s%05d", reference, i+1)
			}
			id.EndToEndID = &own
			transfers[i].PaymentID = &id
		}
	}
	o.Request.CreditTransferTransaction = transfers
	return o
}

// Again returns the order for a new payment like this one: without its references and dates.
func (o PaymentOrder) Again() PaymentOrder {
	o.Request.PaymentInformationID = nil
	transfers := slices.Clone(o.Request.CreditTransferTransaction)
	for i := range transfers {
		transfers[i].PaymentID, transfers[i].RequestedExecutionDate = nil, nil
	}
	o.Request.CreditTransferTransaction = transfers
	return o
}

// Instant reports whether the payment is an instant one.
func (o PaymentOrder) Instant() bool { return o.Type == openbanking.PaymentTypeInstSEPA }

// Standing reports whether the order is a standing order.
func (o PaymentOrder) Standing() bool {
	return slices.ContainsFunc(o.Request.CreditTransferTransaction, func(t openbanking.CreditTransferTransaction) bool { return t.Frequency != nil })
}

// ExecutionDates are the requested execution dates of the transfers, each once and in their order; "" for those that have none.
func (o PaymentOrder) ExecutionDates() []openbanking.Date {
	var dates []openbanking.Date
	for _, t := range o.Request.CreditTransferTransaction {
		dates = append(dates, value(t.RequestedExecutionDate))
	}
	slices.Sort(dates)
	return slices.Compact(dates)
}

// ExecutionDate is the last requested execution date of the transfers, "" when none has one. For a standing order it is the first execution.
func (o PaymentOrder) ExecutionDate() openbanking.Date {
	var last openbanking.Date
	for _, t := range o.Request.CreditTransferTransaction {
		last = max(last, value(t.RequestedExecutionDate))
	}
	return last
}

// PaymentDay returns the first day for which a payment can be ordered: today in UTC, as the service counts, so that the form refuses no day that the
// service accepts.
func PaymentDay(now time.Time) openbanking.Date { return openbanking.DateOf(now.UTC()) }

// Payment is one payment of a user, from the draft to its final status.
type Payment struct {
	ID       string
	UserID   string
	FormKey  string // the one-time key of its form
	Revision int    // of the draft
	RetryOf  string // the payment that this one repeats; ""
	Phase    Phase
	Order    PaymentOrder
	Total    money.Amount // the sum when all transfers have one currency, else zero; see Order.Totals
	Title    string       // the payee of the only transfer, else its account; "" where there are several

	RequestID string // what somebody of the household asked for with it; "" for nobody
	Withdrawn bool   // and withdrew since

	ProviderName string
	Simulated    bool // no money moves

	Created time.Time // of the row
	Sent    time.Time // when POST /payments began; zero for a draft

	Failure   Failure // why it failed or is unknown
	PaymentID string  // of the service; "" before the payment is created

	Approval Approval
	Progress Progress
	Check    PaymentCheck

	// What the person said about it in Florin. None of it changes anything at the bank.
	Hidden  bool      // the person does not want to see it in lists; it lives on at the bank
	Seen    time.Time // when the person saw how it ended, or did not want to hear of it; zero before
	Stopped time.Time // when the person said that the standing order was stopped at the bank; zero without
	Filed   time.Time // when it was last put into a file together with others (ByOwnApp); zero without
}

// Approval is how the person's approval at the bank stands.
type Approval struct {
	URL      string                        // where the person gives it; "" when there is none or it was lost. A secret: a page of the user alone shows it
	Status   openbanking.PaymentAuthStatus // "" when nobody has begun
	Source   NewsSource                    // where Status came from: a webhook, or the return
	At       time.Time                     // when it was so, zero without
	Returned time.Time                     // when the person came back from the bank; zero before
}

// PaymentCheck is Florin asking the service about a payment.
type PaymentCheck struct {
	Answered time.Time // when the service last answered; zero before
	Next     time.Time // zero: none
	Failures int       // in a row
	Error    Failure   // of the last one, when it failed
}

// Lapsed reports whether the outcome of the payment stayed unknown until nobody could approve it any more. When the service names it after all, it goes on.
func (p Payment) Lapsed() bool { return p.Phase == PhaseFailed && p.Failure.Code == FailureLapsed }

// PaymentTransfer is one transfer of a payment.
type PaymentTransfer struct {
	Position      int
	Amount        money.Amount
	Payee         string // name
	Account       PayeeAccount
	EndToEndID    string
	TransactionID string                    // at the service; "" when it gives none
	Status        openbanking.PaymentStatus // of this transfer; "" when the bank tells none
}

// Failed reports whether the transfer came to nothing, as far as the bank tells of it alone.
func (t PaymentTransfer) Failed() bool { return CameToNothing(t.Status) }

// NewsSource says where news of a payment came from.
type NewsSource string

// Values of NewsSource.
const (
	NewsAnswer  NewsSource = "answer"  // the answer of POST /payments
	NewsWebhook NewsSource = "webhook" // a webhook said that there is something to read
	NewsCheck   NewsSource = "check"   // Florin asked by itself, or because the person wanted it
	NewsReturn  NewsSource = "return"  // the person came back from the bank
)

// PaymentEvent is one line of a payment's history: what Florin learned, and from which source.
type PaymentEvent struct {
	Sequence   int
	At         time.Time
	Kind       EventKind
	Source     NewsSource // "" for what the person did
	Status     openbanking.PaymentStatus
	Final      bool
	Auth       openbanking.PaymentAuthStatus
	ReasonCode string
	Detail     string // a FailureCode, or the execution of a standing order
	DeliveryID string // the webhook behind it, ""
}

// EventKind says what a line of the history is about.
type EventKind string

// Values of EventKind.
const (
	EventDrafted   EventKind = "drafted"
	EventConfirmed EventKind = "confirmed" // by the person; sent next
	EventCreated   EventKind = "created"
	EventFailed    EventKind = "failed"
	EventUnknown   EventKind = "unknown"
	EventFound     EventKind = "found" // an unknown outcome was settled: the service has the payment
	EventReturned  EventKind = "returned"
	EventStatus    EventKind = "status"
	EventIgnored   EventKind = "ignored" // news that a final status does not take
	EventDiscarded EventKind = "discarded"
	EventHidden    EventKind = "hidden"
	EventBooked    EventKind = "booked"   // a booking was found; the detail is the execution of a standing order
	EventUnbooked  EventKind = "unbooked" // a booking is gone, or turned out to be another's
	EventStopped   EventKind = "stopped"  // the person said that the standing order was stopped
)

// PaymentNews is what Florin learned about a payment that the service knows: the answer of GET /payments/{payment_id}, and the authorisation status
// from a webhook or from the return, which that answer does not hold.
type PaymentNews struct {
	Source     NewsSource
	At         time.Time
	Status     openbanking.PaymentStatus // "" when nothing was learnt about it
	Final      bool
	Reason     StatusReason
	Auth       openbanking.PaymentAuthStatus // "" when nothing was learnt about it
	AuthSource NewsSource
	AuthAt     time.Time // when it was so: webhook_triggered
	Transfers  []TransferNews
	Details    openbanking.PaymentRequestResourceDetails
}

// TransferNews is what Florin learned about one transfer. Its place in the answer need not be the one in the request: see FitTransfers.
type TransferNews struct {
	EndToEndID    string                    // "" when the service tells none
	TransactionID string                    // "" when the service tells none
	Status        openbanking.PaymentStatus // "" when the bank tells none
}

// ReadPayment returns the news in an answer of GET /payments/{payment_id}.
func ReadPayment(wire openbanking.Payment, source NewsSource, at time.Time) PaymentNews {
	n := PaymentNews{Source: source, At: at, Status: ShortStatus(wire.Status), Final: wire.FinalStatus, Details: wire.PaymentDetails}
	if r := wire.StatusReasonInformation; r != nil {
		n.Reason = StatusReason{Code: code(r.StatusReasonCode), Text: Excerpt(r.StatusReasonDescription)}
	}
	n.Transfers = transferNews(wire.PaymentDetails)
	if len(n.Transfers) > 1 {
		n.Details.CreditTransferTransaction = nil // long, and each has its status
	}
	return n
}

// maxID is how long an id of the service can be to be kept; it is none of ours to cut.
const maxID = 200

// maxCode is how long a code of somebody else can be to be kept: that of the ISO identifiers.
const maxCode = 35

func code(text string) string {
	r := []rune(Clean(text))
	return string(r[:min(len(r), maxCode)])
}

// ShortStatus cuts a status to the length in which it is stored, since an unknown one may be of any length.
func ShortStatus(status openbanking.PaymentStatus) openbanking.PaymentStatus {
	return openbanking.PaymentStatus(code(string(status)))
}

func transferNews(details openbanking.PaymentRequestResourceDetails) []TransferNews {
	all := make([]TransferNews, 0, len(details.CreditTransferTransaction))
	for _, t := range details.CreditTransferTransaction {
		n := TransferNews{TransactionID: value(t.TransactionID), Status: ShortStatus(value(t.TransactionStatus))}
		if len(n.TransactionID) > maxID {
			n.TransactionID = ""
		}
		if t.PaymentID != nil {
			n.EndToEndID = value(t.PaymentID.EndToEndID)
		}
		all = append(all, n)
	}
	return all
}

// FitTransfers returns, for each transfer of a payment, the index of the news about it, or -1 where there is none. The two are matched by the
// end-to-end id, or without one by the id at the service, and never by position: matching by position could give a transfer its neighbour's status,
// and a retry would then pay it twice or never. An id that occurs twice matches nothing. A single transfer and a single piece of news always match.
func FitTransfers(transfers []PaymentTransfer, news []TransferNews) []int {
	if len(transfers) == 1 && len(news) == 1 {
		return []int{0}
	}
	const twice = -2
	index := func(n int, id func(i int) string) map[string]int {
		at := make(map[string]int, n)
		for i := range n {
			if _, known := at[id(i)]; known {
				at[id(i)] = twice
			} else {
				at[id(i)] = i
			}
		}
		return at
	}
	own := index(len(transfers), func(i int) string { return transfers[i].EndToEndID })
	ends := index(len(news), func(i int) string { return news[i].EndToEndID })
	ids := index(len(news), func(i int) string { return news[i].TransactionID })
	find := func(at map[string]int, id string) int {
		if i, known := at[id]; known && id != "" && i != twice {
			return i
		}
		return -1
	}
	fit := make([]int, len(transfers))
	for i, t := range transfers {
		fit[i] = -1
		if find(own, t.EndToEndID) == i {
			fit[i] = find(ends, t.EndToEndID)
		}
		if at := find(ids, t.TransactionID); fit[i] < 0 && at >= 0 && (news[at].EndToEndID == "" || news[at].EndToEndID == t.EndToEndID) {
			fit[i] = at
		}
	}
	return fit
}

// Change is something that the bank executes differently from what it was asked (status ACWC).
type Change struct {
	Position int    // of the transfer
	Field    string // "date", "reference" or "text"
	Asked    string // "" when nothing was asked for
	Now      string
}

// Changes compares the order with what the service says about the payment now. A field that the service leaves out has not changed.
func (p Payment) Changes() []Change {
	var all []Change
	note := func(i int, field, asked, now string) {
		if now != "" && now != asked {
			all = append(all, Change{i, field, asked, now})
		}
	}
	fit := FitTransfers(p.Order.Transfers(), transferNews(p.Progress.ReadBack))
	for i, asked := range p.Order.Request.CreditTransferTransaction {
		if fit[i] < 0 {
			continue
		}
		now := p.Progress.ReadBack.CreditTransferTransaction[fit[i]]
		note(i, "date", string(value(asked.RequestedExecutionDate)), string(value(now.RequestedExecutionDate)))
		note(i, "reference", Clean(value(asked.ReferenceNumber)), Clean(value(now.ReferenceNumber)))
		note(i, "text", Clean(strings.Join(asked.RemittanceInformation, " ")), Clean(strings.Join(now.RemittanceInformation, " ")))
	}
	return all
}

// Days are the days on which the transfers are carried out, as the bank has them: those asked for, or those to which it moved them. "" for as soon as possible.
func (p Payment) Days() []openbanking.Date {
	days := make([]openbanking.Date, len(p.Order.Request.CreditTransferTransaction))
	for i, t := range p.Order.Request.CreditTransferTransaction {
		days[i] = value(t.RequestedExecutionDate)
	}
	for _, c := range p.Changes() {
		if c.Field == "date" && c.Asked != "" { // a day for what is done as soon as possible is no change
			days[c.Position] = openbanking.Date(c.Now)
		}
	}
	return days
}

// Day is the last of Days, "" when there is none. For a standing order it is the first execution.
func (p Payment) Day() openbanking.Date {
	var last openbanking.Date
	for _, d := range p.Days() {
		last = max(last, d)
	}
	return last
}

// FailedOnly returns the order for a new payment of the transfers that were rejected or cancelled; without any it has none.
func (o PaymentOrder) FailedOnly(transfers []PaymentTransfer) PaymentOrder {
	again := o.Again()
	all := again.Request.CreditTransferTransaction
	again.Request.CreditTransferTransaction = nil
	for _, t := range transfers {
		if t.Failed() && t.Position < len(all) {
			again.Request.CreditTransferTransaction = append(again.Request.CreditTransferTransaction, all[t.Position])
		}
	}
	return again
}

// Apply returns the payment with the news, and whether they changed anything. Every change of a payment that the service knows goes through it,
// whether a webhook, a check or the return from the bank brought the news. A payment that is final keeps its status (security T7); only the result of
// the authorisation can still be added.
func (p Payment) Apply(n PaymentNews) (Payment, bool) {
	if p.Phase != PhaseCreated {
		return p, false
	}
	before := p
	if !p.Progress.Final && n.Status != "" {
		switch n.Status {
		case openbanking.PaymentStatusNULL:
			p.Progress.Cancellation = "" // no cancellation is running; the status before goes on
		case openbanking.PaymentStatusPDCR, openbanking.PaymentStatusACCR, openbanking.PaymentStatusPACR, openbanking.PaymentStatusRJCR:
			p.Progress.Cancellation = n.Status
		default:
			p.Progress.Status, p.Progress.Cancellation = n.Status, ""
		}
		p.Progress.Final, p.Progress.Reason = n.Final, n.Reason
		if p.Progress.Final {
			p.Progress.Ended = n.At
		}
	}
	p = p.learnAuth(n)
	was := before.Progress
	if p.Progress.Status == was.Status && p.Progress.Cancellation == was.Cancellation && p.Progress.Final == was.Final && p.Progress.Reason == was.Reason &&
		p.Approval.Status == before.Approval.Status && p.Approval.Source == before.Approval.Source {
		return before, false
	}
	reach(&p.Progress, p.Step(), n.At)
	p.Progress.Changed, p.Progress.Source = n.At, n.Source
	if p.Step() > StepCreated || p.Approval.Status == openbanking.PaymentAuthStatusPending {
		p.Hidden = false // what was thought to be given up goes on after all
	}
	return p, true
}

// learnAuth takes over an authorisation status. A webhook's word counts more than what the return seemed to say; of two webhooks the later event
// counts, in whatever order they arrive; and an authorisation that has ended does not become pending again.
func (p Payment) learnAuth(n PaymentNews) Payment {
	if n.Auth == "" {
		return p
	}
	ended := func(a openbanking.PaymentAuthStatus) bool {
		return a != "" && a != openbanking.PaymentAuthStatusPending
	}
	switch {
	case p.Approval.Status == "":
	case p.Approval.Source == NewsReturn && n.AuthSource == NewsWebhook && ended(n.Auth):
	case p.Approval.Source == NewsWebhook && n.AuthSource == NewsReturn && ended(p.Approval.Status):
		return p
	case ended(p.Approval.Status) && !ended(n.Auth):
		return p
	case ended(p.Approval.Status) == ended(n.Auth) && !n.AuthAt.After(p.Approval.At):
		return p
	}
	p.Approval.Status, p.Approval.Source, p.Approval.At = n.Auth, n.AuthSource, n.AuthAt
	return p
}

// UniqueReference makes a payment_information_id: 28 letters and digits, of at most 35 that banks take.
func UniqueReference() string { return "FL" + strings.ToUpper(NewID()) }

// Checks come in quick succession at first, and after each change, and then further and further apart.
var checkSteps = []struct{ age, wait time.Duration }{
	{time.Minute, 3 * time.Second},
	{10 * time.Minute, 15 * time.Second},
	{time.Hour, time.Minute},
	{6 * time.Hour, 5 * time.Minute},
	{24 * time.Hour, 15 * time.Minute},
	{7 * 24 * time.Hour, time.Hour},
	{60 * 24 * time.Hour, 6 * time.Hour},
}

// CheckAfter returns how long to wait before asking the service again about a payment that is not final. It follows from the time since the payment
// last moved or the person came back, or from the execution date when that lies in the future.
func (p Payment) CheckAfter(now time.Time) time.Duration {
	last := p.Progress.Reached[StepCreated]
	for _, t := range []time.Time{p.Progress.Changed, p.Approval.Returned} {
		if t.After(last) {
			last = t
		}
	}
	age := now.Sub(last)
	if age < -time.Minute { // the clock was ahead when it moved
		age = 6 * time.Hour
	}
	if day, err := p.Day().Time(); err == nil && p.Step() >= StepAccepted {
		switch {
		case now.Before(day.Add(-12 * time.Hour)): // nothing is due yet
			age = max(age, 2*24*time.Hour)
		case last.Before(day): // from that day on it counts as moved at the beginning of the day
			age = min(age, max(now.Sub(day), 2*time.Hour))
		}
	}
	for _, s := range checkSteps {
		if age < s.age {
			return s.wait
		}
	}
	return 24 * time.Hour
}
