package finance

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// Booking is a booked transaction that may be the booking of a payment.
type Booking struct {
	ID                  int64
	AccountID           string
	ProviderID          string            // of the account's connection
	ASPSP               openbanking.ASPSP // of the account's connection
	Amount              money.Amount      // signed
	Date                openbanking.Date
	Counterparty        string
	CounterpartyAccount string
	Remittance          string
	FirstSeen           time.Time // when the sync brought it
	Record              string    // as received, where the end-to-end id hides
	Chosen              bool      // the person said which payment it is: it stays there
}

// BookingPlace is where a booking belongs: to a transfer of a payment, to one execution of a standing order, or, where the bank books many transfers as one
// total, to all of a payment's transfers in one currency on one day. The total of a file with several payments has a place in each of them.
type BookingPlace struct {
	PaymentID string
	Position  int              // of the transfer; of a total, the first of those in it
	Execution openbanking.Date // of a standing order, by its rhythm; else ""
	Total     bool
	File      string // of a total that holds other payments, too: FiledTotal.ID; else ""
}

// FiledTotal is what the bank was asked to book as one total: the payments that one file holds for one day, two or more.
type FiledTotal struct {
	ID       string // of the group in the file (PmtInfId)
	Payments []string
	Filed    time.Time // when the person first got such a file
}

// BookingMatch is a booking with its place.
type BookingMatch struct {
	BookingID int64
	BookingPlace
}

// SentPayment is a payment with its transfers.
type SentPayment struct {
	Payment
	Transfers []PaymentTransfer
}

// Days around the day of a payment in which its booking is looked for. A bank can book earlier than it was asked to over the longest of its holidays.
const (
	bookedBefore = 5
	bookedAfter  = 10
)

// LastDay returns the last day on which the bank executes the order; "9999-12-31" for a standing order without an end. sent is when it was confirmed.
func (o PaymentOrder) LastDay(sent time.Time) openbanking.Date {
	last := openbanking.DateOf(sent)
	for _, t := range o.Request.CreditTransferTransaction {
		if s, ok := StandingOrderOf(t); ok {
			last = max(last, cmp.Or(s.Last, "9999-12-31"))
		}
		last = max(last, value(t.RequestedExecutionDate))
	}
	return last
}

// BookingsFrom returns the first day on which a booking that these payments still wait for can have been made. For a standing order it goes back at most
// standingBack days: today's sync changes nothing before that.
func BookingsFrom(payments []SentPayment, now time.Time) openbanking.Date {
	from := openbanking.DateOf(now)
	for _, p := range payments {
		for _, w := range p.wanted(now) {
			if w.Execution != "" {
				w.from = max(w.from, openbanking.DateOf(now.AddDate(0, 0, -standingBack)))
			}
			from = min(from, w.from)
		}
	}
	return from
}

// standingBack is how many days back bookings of standing orders are looked for; those that are found keep their places.
const standingBack = 70

// MatchBookings finds the bookings of payments and returns which booking belongs where: each booking has at most one place, or one in each payment of a file
// whose total it is; each place has at most one booking; and the transfers of a payment in one currency on one day have either one total or a booking each.
// filed are the totals of files that hold these payments, bookings are the debits that no other payment has, held is what was found before.
//
// A booking is recognised, in this order, by one of our ids in its record; by the payee's account; by the payee's name where the bank gives no
// account; and as a total that names nobody. Of several candidates the nearest in time wins. What was found before stays until something better comes
// or the booking disappears. So the result is the same however often the function is called, and does not depend on the order of payments and
// bookings.
func MatchBookings(payments []SentPayment, filed []FiledTotal, bookings []Booking, held []BookingMatch, now time.Time) []BookingMatch {
	known := map[BookingMatch]bool{}
	for _, m := range held {
		known[m] = true
	}
	byAmount := map[money.Amount][]*bookingRecord{}
	for _, b := range bookings {
		r := &bookingRecord{Booking: b}
		for _, a := range r.amounts() {
			byAmount[a] = append(byAmount[a], r)
		}
	}
	var pairs []bookingPair
	for _, w := range allWanted(payments, filed, now) {
		for _, amount := range w.amounts {
			for _, b := range byAmount[amount] {
				e, before := w.fits(b), true
				for _, place := range w.places() {
					before = before && known[BookingMatch{b.ID, place}]
				}
				switch {
				case b.Chosen && before:
					e = byPerson
				case e == noEvidence, b.Chosen:
					continue
				}
				pairs = append(pairs, bookingPair{w, b, e, before, daysBetween(w.day, b.Date)})
			}
		}
	}
	if open := doubtful(pairs); len(open) > 0 {
		pairs = slices.DeleteFunc(pairs, func(p bookingPair) bool { return open[p.wanted] && p.evidence > byReference && !p.held })
	}
	slices.SortFunc(pairs, func(x, y bookingPair) int {
		return cmp.Or(cmp.Compare(x.evidence, y.evidence), cmp.Compare(number(y.held), number(x.held)), cmp.Compare(x.days, y.days),
			x.payment.Sent.Compare(y.payment.Sent), cmp.Compare(x.PaymentID, y.PaymentID), cmp.Compare(x.Position, y.Position),
			cmp.Compare(x.Execution, y.Execution), cmp.Compare(x.File, y.File),
			cmp.Compare(x.booking.Date, y.booking.Date), cmp.Compare(x.booking.ID, y.booking.ID))
	})
	taken, filled, how := map[int64]bool{}, map[BookingPlace]bool{}, map[batch]manner{}
	var matches []BookingMatch
	for _, p := range pairs {
		if taken[p.booking.ID] || slices.ContainsFunc(p.all(), func(w *wanted) bool {
			m, decided := how[w.batch]
			return filled[w.BookingPlace] || decided && m != w.manner()
		}) {
			continue
		}
		taken[p.booking.ID] = true
		for _, w := range p.all() {
			filled[w.BookingPlace], how[w.batch] = true, w.manner()
			matches = append(matches, BookingMatch{p.booking.ID, w.BookingPlace})
		}
	}
	return matches
}

// manner is how a bank books the transfers of a batch: each by itself, as a total of the payment, or in the total of a file.
type manner struct {
	total bool
	file  string
}

func (w *wanted) manner() manner { return manner{w.Total, w.File} }

// bookingPair is a place with a booking that fits there.
type bookingPair struct {
	*wanted
	booking  *bookingRecord
	evidence evidence
	held     bool // it was found there before
	days     int  // between the booking and the day on which it was expected
}

// OtherBookings reports whether news of a payment can change which bookings belong to it: whether money moves at all has changed, only some of its
// transfers were executed, or the bank sent it on another day than before.
func OtherBookings(before, after Payment, now time.Time) bool {
	sent := func(p Payment) openbanking.Date {
		at := p.Progress.Reached[StepSent]
		if at.IsZero() {
			at = p.Sent
		}
		return openbanking.DateOf(at)
	}
	return before.Story(now).NoMoney != after.Story(now).NoMoney || after.Progress.Status == openbanking.PaymentStatusPART || sent(before) != sent(after)
}

// OfferedBooking is a booking that may belong to a payment.
type OfferedBooking struct {
	Booking
	File     string   // as the total of a file: FiledTotal.ID; else ""
	Payments []string // those in it, of which this is one
}

// OfferBookings lists the bookings that may belong to the payment with an id: same amount, or that of a file with it, same account, about the same day. It
// helps a person to find out whether the bank executed the payment. payments are it and those of its files, bookings are the debits that no payment has.
func OfferBookings(id string, payments []SentPayment, filed []FiledTotal, bookings []Booking, held []BookingMatch, now time.Time) []OfferedBooking {
	places := slices.DeleteFunc(allWanted(payments, filed, now), func(w *wanted) bool {
		return !slices.ContainsFunc(w.all(), func(part *wanted) bool { return part.PaymentID == id }) ||
			slices.ContainsFunc(w.all(), func(part *wanted) bool { return part.filled(held) })
	})
	var all []OfferedBooking
	for _, b := range bookings {
		r := &bookingRecord{Booking: b}
		i := slices.IndexFunc(places, func(w *wanted) bool {
			return slices.ContainsFunc(r.amounts(), func(a money.Amount) bool { return slices.Contains(w.amounts, a) }) && w.possible(r)
		})
		if i < 0 {
			continue
		}
		offer := OfferedBooking{Booking: b, File: places[i].File}
		if offer.File != "" {
			for _, part := range places[i].all() {
				offer.Payments = append(offer.Payments, part.PaymentID)
			}
		}
		all = append(all, offer)
	}
	slices.SortFunc(all, func(x, y OfferedBooking) int { return cmp.Or(cmp.Compare(x.Date, y.Date), cmp.Compare(x.ID, y.ID)) })
	return all
}

// BookingExpected reports whether a booking of the payment can arrive now: the payment was not refused, today lies between the first and the last day on
// which the bank may book it, and none was found yet.
func BookingExpected(p SentPayment, held []BookingMatch, now time.Time) bool {
	today := openbanking.DateOf(now)
	return slices.ContainsFunc(p.wanted(now), func(w *wanted) bool {
		return !w.void && !w.Total && w.from <= today && today <= w.until && !w.filled(held)
	})
}

// evidence says why a booking is that of a payment; smaller is better.
type evidence int

const (
	noEvidence evidence = iota
	byPerson            // who sent it says so
	byReference
	byAccount
	byName
	bySum
)

// wanted is a place for a booking, and what the booking looks like.
type wanted struct {
	BookingPlace
	payment          *SentPayment
	batch            batch
	amounts          []money.Amount // one of these
	day, from, until openbanking.Date
	ids              []string // ours, by any of which its record may name it
	account          PayeeAccount
	text             string    // that travels with it
	number, note     string    // the same in two, of a reference with a text: banks report one or both
	names            []string  // the payee's name and the text, as they may be written in a booking that names nobody
	void             bool      // no money moves, as far as the bank reports
	since            time.Time // a booking that was there before is not it
	parts            []*wanted // of the total of a file: its place in each payment
}

// all returns the places that one booking fills at once. The total of a file fills a place in each payment of the file; any other booking fills only w.
func (w *wanted) all() []*wanted {
	if len(w.parts) > 0 {
		return w.parts
	}
	return []*wanted{w}
}

// places returns the BookingPlace of each entry of all.
func (w *wanted) places() (places []BookingPlace) {
	for _, part := range w.all() {
		places = append(places, part.BookingPlace)
	}
	return places
}

// wanted lists the places for bookings of a payment.
func (p *SentPayment) wanted(now time.Time) []*wanted {
	if p.Phase != PhaseCreated && p.Phase != PhaseUnknown || p.Sent.IsZero() {
		return nil
	}
	void := p.Story(now).NoMoney
	var all []*wanted
	for _, t := range p.Transfers {
		w := &wanted{BookingPlace: BookingPlace{PaymentID: p.ID, Position: t.Position}, payment: p, batch: p.batch(t), amounts: []money.Amount{t.Amount},
			ids: []string{t.EndToEndID}, account: t.Account,
			names: []string{t.Payee}, void: void || t.Failed()}
		asked := p.asked(t)
		if w.text = ReferenceText(asked); len([]rune(w.text)) >= 6 {
			w.names = append(w.names, w.text)
		}
		if number := value(asked.ReferenceNumber); number != "" && Clean(number) != w.text {
			w.number, w.note = number, strings.Join(asked.RemittanceInformation, " ")
		}
		order, standing := StandingOrderOf(asked)
		if !standing {
			w.around(value(asked.RequestedExecutionDate))
			all = append(all, w)
			continue
		}
		sent := openbanking.DateOf(p.Sent)
		order.First = cmp.Or(order.First, sent)
		for _, e := range order.Between(shift(sent, -bookedBefore), openbanking.DateOf(now.AddDate(0, 0, bookedBefore))) {
			one := *w
			one.Execution = e.Asked
			one.around(e.Date)
			all = append(all, &one)
		}
	}
	if len(p.Transfers) > 1 && !p.Order.Standing() {
		all = append(all, p.totals(void)...)
	}
	return all
}

// batch is what a bank may book as one: transfers in one currency on one day.
type batch struct {
	payment  string
	currency string
	day      openbanking.Date // "" for at once
}

func (p *SentPayment) batch(t PaymentTransfer) batch {
	return batch{p.ID, t.Amount.Currency(), value(p.asked(t).RequestedExecutionDate)}
}

// asked is a transfer as it was asked for.
func (p *SentPayment) asked(t PaymentTransfer) openbanking.CreditTransferTransaction {
	if all := p.Order.Request.CreditTransferTransaction; t.Position < len(all) {
		return all[t.Position]
	}
	return openbanking.CreditTransferTransaction{}
}

// Covers reports whether a booking at the place contains the transfer, alone or with other transfers in one total.
func (p *SentPayment) Covers(place BookingPlace, t PaymentTransfer) bool {
	if place.PaymentID != p.ID || !place.Total {
		return place.PaymentID == p.ID && place.Position == t.Position
	}
	i := slices.IndexFunc(p.Transfers, func(first PaymentTransfer) bool { return first.Position == place.Position })
	return i >= 0 && p.batch(p.Transfers[i]) == p.batch(t)
}

// totals returns a place for each total as which the bank may book transfers of the payment: the sum of all transfers of a batch, and the sum of those that
// did not fail.
func (p *SentPayment) totals(void bool) []*wanted {
	var list []*wanted
	batches := map[batch][]PaymentTransfer{}
	for _, t := range p.Transfers {
		batches[p.batch(t)] = append(batches[p.batch(t)], t)
	}
	for key, transfers := range batches {
		w := &wanted{BookingPlace: BookingPlace{PaymentID: p.ID, Position: transfers[0].Position, Total: true}, payment: p, batch: key,
			ids: []string{value(p.Order.Request.PaymentInformationID), p.PaymentID}, void: void}
		var all, taken []money.Amount
		for _, t := range transfers {
			all, w.ids = append(all, t.Amount), append(w.ids, t.EndToEndID)
			if !t.Failed() {
				taken = append(taken, t.Amount)
			}
		}
		for _, some := range [][]money.Amount{all, taken} {
			if len(some) < 2 {
				continue // one alone is booked as itself
			}
			if sum, err := money.Sum(some...); err == nil && !slices.Contains(w.amounts, sum[0]) {
				w.amounts = append(w.amounts, sum[0])
			}
		}
		w.around(key.day)
		list = append(list, w)
	}
	return list
}

// allWanted lists the places for bookings of payments, and of the totals of files that hold them.
func allWanted(payments []SentPayment, filed []FiledTotal, now time.Time) (all []*wanted) {
	byID := map[string]*SentPayment{}
	for i := range payments {
		byID[payments[i].ID] = &payments[i]
		all = append(all, payments[i].wanted(now)...)
	}
	for _, f := range filed {
		if w := f.wanted(byID, now); w != nil {
			all = append(all, w)
		}
	}
	return all
}

// wanted returns the place for the total of the file. A payment that the person has marked as not sent is left out, since the bank refused it and booked
// only the others. The result is nil when a payment of the file is not known or fewer than two are left.
func (f FiledTotal) wanted(payments map[string]*SentPayment, now time.Time) *wanted {
	filed := openbanking.DateOf(f.Filed)
	w := &wanted{ids: []string{f.ID}, since: f.Filed, from: shift(filed, -1)}
	var amounts []money.Amount
	for _, id := range f.Payments {
		p := payments[id]
		if p == nil || p.Phase != PhaseCreated || p.Sent.IsZero() || len(p.Transfers) == 0 {
			return nil
		}
		if p.Story(now).NoMoney {
			continue
		}
		first := p.Transfers[0]
		part := &wanted{BookingPlace: BookingPlace{PaymentID: id, Position: first.Position, Total: true, File: f.ID}, payment: p, batch: p.batch(first)}
		part.around(part.batch.day)
		if len(w.parts) == 0 || p.Sent.After(w.payment.Sent) {
			w.BookingPlace, w.payment, w.batch = part.BookingPlace, p, part.batch
		}
		w.parts, w.day, w.from, w.until = append(w.parts, part), max(w.day, part.day), max(w.from, part.from),
			max(w.until, part.until, shift(max(filed, openbanking.DateOf(p.Filed)), bookedAfter))
		for _, t := range p.Transfers {
			if !t.Failed() {
				amounts, w.ids = append(amounts, t.Amount), append(w.ids, t.EndToEndID)
			}
		}
	}
	sum, err := money.Sum(amounts...)
	if len(w.parts) < 2 || err != nil || len(sum) != 1 {
		return nil
	}
	w.amounts = sum
	return w
}

// around sets the day on which the booking is expected, and the first and last day on which it may appear. asked is the requested day, "" for as soon as
// possible.
func (w *wanted) around(asked openbanking.Date) {
	sent := openbanking.DateOf(w.payment.Sent)
	w.since, w.day = w.payment.Sent, max(sent, asked)
	w.from, w.until = max(shift(sent, -1), shift(w.day, -bookedBefore)), shift(w.day, bookedAfter)
	if at := w.payment.Progress.Reached[StepSent]; w.Execution == "" && !at.IsZero() { // the bank may have taken its time
		w.until = max(w.until, shift(openbanking.DateOf(at), bookedAfter))
	}
	if at := w.payment.Progress.Reached[StepAccepted]; w.payment.Order.OwnApp() && !at.IsZero() { // when the person says that it was sent
		w.until = max(w.until, shift(openbanking.DateOf(at), bookedAfter))
	}
}

// possible reports whether a booking of the right amount can belong here: it left the paying account, its date lies in the expected range, and Florin did
// not know it before the payment was sent.
func (w *wanted) possible(b *bookingRecord) bool {
	o := w.payment.Order
	if o.AccountID != "" && o.AccountID != b.AccountID || o.AccountID == "" && (o.ProviderID != b.ProviderID || o.ASPSP != b.ASPSP) {
		return false
	}
	return w.from <= b.Date && b.Date <= w.until && !b.FirstSeen.Before(w.since)
}

// fits returns why a booking of the right amount belongs here, noEvidence when it does not.
func (w *wanted) fits(b *bookingRecord) evidence {
	if !w.possible(b) {
		return noEvidence
	}
	nameless := b.CounterpartyAccount == "" && b.Counterparty == ""
	switch {
	case slices.ContainsFunc(w.ids, func(id string) bool { return b.mentions(id, w.account) }):
		return byReference
	case w.void: // a retry may look the same
		return noEvidence
	case w.otherText(b): // nothing proves that the person sent it
		return noEvidence
	case w.Total && nameless && !b.atMerchant():
		return bySum
	case w.Total:
		return noEvidence
	case b.CounterpartyAccount != "" && compactNumber(b.CounterpartyAccount) == w.account.Number:
		return byAccount
	case b.CounterpartyAccount == "" && sameName(b.Counterparty, w.names[0]):
		return byName
	case nameless && slices.ContainsFunc(w.names, func(name string) bool { return name != "" && strings.Contains(squeeze(b.Remittance), squeeze(name)) }):
		return byName
	}
	return noEvidence
}

// otherText reports whether the booking carries a text that differs from those of the payment. It applies only to single transfers that the person sends in
// the bank's app; a booking without a text never differs.
func (w *wanted) otherText(b *bookingRecord) bool {
	if !w.payment.Order.OwnApp() || w.Total || strings.TrimSpace(b.Remittance) == "" || carriesText(w.text, b.Remittance) {
		return false
	}
	return w.number == "" || !carriesText(w.number, b.Remittance) && !carriesAlone(w.note, b.Remittance)
}

// filled reports whether the place has a booking, or whether the booking of a total contains its transfer.
func (w *wanted) filled(held []BookingMatch) bool {
	return slices.ContainsFunc(held, func(m BookingMatch) bool {
		return m.BookingPlace == w.BookingPlace || (m.Total && !w.Total || w.File != "") &&
			slices.ContainsFunc(w.payment.Transfers, func(t PaymentTransfer) bool { return t.Position == w.Position && w.payment.Covers(m.BookingPlace, t) })
	})
}

// bookingRecord is a booking whose record is read when it is needed.
type bookingRecord struct {
	Booking
	wire    *openbanking.Transaction
	texts   []string // all that the record says, in capitals
	compact []string // the same without white space
}

func (b *bookingRecord) read() *openbanking.Transaction {
	if b.wire == nil {
		b.wire = &openbanking.Transaction{}
		_ = json.Unmarshal([]byte(b.Record), b.wire) // the sync has read it
	}
	return b.wire
}

// amounts are the amounts of a payment that it can be: what was taken from the account, and what was asked for in another currency.
func (b *bookingRecord) amounts() []money.Amount {
	if b.Amount.Sign() >= 0 {
		return nil
	}
	all := []money.Amount{b.Amount.Neg()}
	if !strings.Contains(b.Record, `"instructed_amount"`) {
		return all
	}
	if x := b.read().ExchangeRate; x != nil && x.InstructedAmount != nil {
		if a, err := money.Parse(x.InstructedAmount.Amount, x.InstructedAmount.Currency); err == nil && a.Abs() != all[0] {
			all = append(all, a.Abs())
		}
	}
	return all
}

// atMerchant reports whether the booking is a card payment or cash. Such a booking is never the total of a payment.
func (b *bookingRecord) atMerchant() bool {
	if value(b.read().MerchantCategoryCode) != "" {
		return true
	}
	code := b.read().BankTransactionCode
	return code != nil && strings.HasPrefix(value(code.Code), "CCRD")
}

// ours are the ids that Florin (UniqueReference, PaymentOrder.Referenced) or the service has made: they mean one payment wherever they stand.
var ours = regexp.MustCompile(`^(FL[A-Z2-7]{26}([0-9]{5})?|[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12})$`)

// mentions reports whether the record names the id. One of ours is found wherever it stands, be it broken over lines. One that the person chose
// counts as a word with a digit, and not against the payee's account.
func (b *bookingRecord) mentions(id string, account PayeeAccount) bool {
	wanted := squeeze(id)
	own := ours.MatchString(wanted)
	if !own && (len(wanted) < 6 || placeholder(id) || !strings.ContainsAny(wanted, "0123456789")) {
		return false
	}
	if b.texts == nil {
		var content any
		if json.Unmarshal([]byte(b.Record), &content) != nil {
			content = b.Record
		}
		for _, text := range textsOf(content) {
			b.texts, b.compact = append(b.texts, strings.ToUpper(text)), append(b.compact, squeeze(text))
		}
	}
	if own {
		return slices.ContainsFunc(b.compact, func(text string) bool { return strings.Contains(text, wanted) })
	}
	if b.CounterpartyAccount != "" && compactNumber(b.CounterpartyAccount) != account.Number {
		return false
	}
	word := strings.ToUpper(strings.TrimSpace(id))
	return slices.ContainsFunc(b.texts, func(text string) bool { return hasWord(text, word) })
}

// textsOf lists the texts of a JSON value; the lines of a list are one text as well.
func textsOf(content any) []string {
	switch c := content.(type) {
	case string:
		return []string{c}
	case []any:
		var all []string
		for _, v := range c {
			all = append(all, textsOf(v)...)
		}
		return append(all, strings.Join(all, ""))
	case map[string]any:
		var all []string
		for _, v := range c {
			all = append(all, textsOf(v)...)
		}
		return all
	}
	return nil
}

// hasWord reports whether the text contains the word with neither a letter nor a digit directly before or after it.
func hasWord(text, word string) bool {
	part := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for i := range text {
		if !strings.HasPrefix(text[i:], word) {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(word):])
		if !part(before) && !part(after) {
			return true
		}
	}
	return false
}

func shift(d openbanking.Date, days int) openbanking.Date {
	t, err := d.Time()
	if err != nil {
		return d
	}
	return openbanking.DateOf(t.AddDate(0, 0, days))
}

func daysBetween(x, y openbanking.Date) int {
	a, errA := x.Time()
	b, errB := y.Time()
	if errA != nil || errB != nil {
		return bookedAfter + 1
	}
	return int(a.Sub(b).Abs() / (24 * time.Hour))
}

func number(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
