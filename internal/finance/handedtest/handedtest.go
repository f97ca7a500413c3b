// Package handedtest makes up payments that people send in the app of their bank, with the bookings of them among others that look like them, and judges how
// well they are found. It is for tests and measurements.
package handedtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// Ledger is a year of somebody who pays by code and by file.
type Ledger struct {
	Payments []finance.SentPayment
	Filed    []finance.FiledTotal
	Bookings []finance.Booking
	Right    map[int64]string // by booking, the payment or the total of a file that it is; the others are of none
	Now      time.Time
}

// maker makes a ledger.
type maker struct {
	*rand.Rand

	ledger *Ledger
	id     int64
}

// Make makes a ledger with so many payments, one in ten of which was never sent. The same seed makes the same ledger.
func Make(seed uint64, payments int) Ledger {
	l := Ledger{Right: map[int64]string{}, Now: time.Date(2026, 12, 31, 12, 0, 0, 0, time.UTC)}
	m := maker{Rand: rand.New(rand.NewPCG(seed, 58)), ledger: &l} //nolint:gosec // made-up ledgers are no secret
	for len(l.Payments) < payments {
		if m.IntN(20) == 0 {
			m.file(min(2+m.IntN(4), payments-len(l.Payments)))
		} else {
			m.payment(len(l.Payments))
		}
	}
	return l
}

// file makes payments that go to the bank in one file, which the bank books as one total, and what looks like that.
func (m *maker) file(payments int) {
	total := finance.FiledTotal{}
	filed := time.Date(2026, 1, 2, 20, 0, 0, 0, time.UTC).AddDate(0, 0, m.IntN(330))
	var sum int64
	for range payments {
		number, err := iban.Compute("DE", fmt.Sprintf("%018d", 370400440000000000+int64(m.IntN(200))))
		if err != nil {
			panic(err) // made up wrongly
		}
		amount := int64(100 + m.IntN(40000))
		i := len(m.ledger.Payments)
		p := order(fmt.Sprintf("p%04d", i), payees[m.IntN(len(payees))], number.String(), money.FromMinor(amount, "EUR"), fmt.Sprintf("Rechnung Nr. %d", 10000+i),
			filed.Add(-time.Duration(1+m.IntN(60))*time.Hour))
		sum += amount
		total.Payments, m.ledger.Payments = append(total.Payments, p.ID), append(m.ledger.Payments, p)
	}
	total.ID, total.Filed = finance.FileReference(total.Payments), filed
	m.ledger.Filed = append(m.ledger.Filed, total)
	is := booking{amount: money.FromMinor(sum, "EUR"), text: []string{"", "SAMMLER", "SEPA-Sammelüberweisung"}[m.IntN(3)], day: filed.AddDate(0, 0, 1+m.IntN(4))}
	if m.IntN(10) > 0 {
		own := is
		if m.IntN(3) == 0 { // the bank keeps the id of the group, and names its customer
			own.reference, own.name = total.ID, "Somebody"
		}
		m.ledger.Right[m.book(own)] = total.ID
	}
	for range 1 + m.IntN(3) {
		b := is
		switch m.IntN(4) {
		case 0: // to one payee
			b.name = "Somebody"
		case 1: // a cent off
			b.amount = money.FromMinor(sum-1, "EUR")
		case 2: // before
			b.day = filed.AddDate(0, 0, -4-m.IntN(20))
		case 3: // long after
			b.day = filed.AddDate(0, 0, 15+m.IntN(20))
		}
		m.book(b)
	}
}

var payees = []string{"Müller & Söhne GmbH", "Stadtwerke Köln", "Zahnarzt Dr. Łukasz", "ACME Ltd", "Bäckerei Çelik", "Hausverwaltung Nord", "Kita Regenbogen", "Verein der Freunde"}

// payment makes a payment, its booking where there is one, and what looks like it.
func (m *maker) payment(i int) {
	number, err := iban.Compute("DE", fmt.Sprintf("%018d", 370400440000000000+int64(m.IntN(200))))
	if err != nil {
		panic(err) // made up wrongly
	}
	name := payees[m.IntN(len(payees))]
	amount := money.FromMinor(int64(100+m.IntN(400)*25), "EUR")
	text := fmt.Sprintf("Rechnung Nr. %d für März", 10000+i)
	switch m.IntN(20) {
	case 0, 1:
		text = ""
	case 2, 3:
		text = "Miete"
	}
	sent := time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC).AddDate(0, 0, m.IntN(330))
	p := order(fmt.Sprintf("p%04d", i), name, number.String(), amount, text, sent)
	m.ledger.Payments = append(m.ledger.Payments, p)
	is := booking{name: name, number: number.String(), amount: amount, text: text, day: sent.AddDate(0, 0, m.IntN(5))}
	if m.IntN(10) > 0 {
		own := is
		switch m.IntN(5) {
		case 0: // as a file, whose end-to-end id the bank keeps
			own.reference, own.text = p.Transfers[0].EndToEndID, "SAMMLER "+strings.ToUpper(text)
		case 1: // in lines, with what stands before them
			own.text = "SVWZ+" + strings.ToUpper(strings.ReplaceAll(text, "ü", "ue"))
		case 2: // the bank names no account
			own.number = ""
		case 3: // nor the text
			own.text = ""
		}
		if text == "" {
			own.text = ""
		}
		m.ledger.Right[m.book(own)] = p.ID
		if m.IntN(250) == 0 { // twice in the app: nobody can tell which is the one that was prepared
			m.book(own)
		}
	}
	m.alike(is, sent)
}

// alike books what looks like a payment and is none. Each has a text of its own or another amount, account or day: what has none of these nobody could tell
// apart.
func (m *maker) alike(is booking, sent time.Time) {
	other, err := iban.Compute("DE", fmt.Sprintf("%018d", 500105170000000000+int64(m.IntN(1000))))
	if err != nil {
		panic(err) // made up wrongly
	}
	for range 1 + m.IntN(3) {
		b := is
		b.day = sent.AddDate(0, 0, m.IntN(9))
		switch m.IntN(6) {
		case 0: // to somebody else
			b.number, b.name = other.String(), "Somebody"
		case 1: // a cent off
			b.amount = money.FromMinor(b.amount.Minor()+1, "EUR")
		case 2: // another invoice
			b.text = fmt.Sprintf("Rechnung Nr. %d für April", 90000+m.IntN(9000))
		case 3: // before
			b.day = sent.AddDate(0, 0, -1-m.IntN(20))
		case 4: // long after
			b.day = sent.AddDate(0, 0, 25+m.IntN(20))
		case 5: // a standing order to the same payee
			b.text = "Dauerauftrag Abschlag"
		}
		if b.text == "" {
			b.text = "Abbuchung"
		}
		m.book(b)
	}
}

// booking is a booking as it is made up.
type booking struct {
	name, number, text, reference string
	amount                        money.Amount
	day                           time.Time
}

func (m *maker) book(b booking) int64 {
	m.id++
	record := openbanking.Transaction{RemittanceInformation: []string{b.text}}
	if b.reference != "" {
		record.RemittanceInformation = append(record.RemittanceInformation, "EREF+"+b.reference[:14], b.reference[14:])
	}
	wire, err := json.Marshal(record)
	if err != nil {
		panic(err) // it has texts alone
	}
	seen := time.Date(b.day.Year(), b.day.Month(), b.day.Day(), 22, 0, 0, 0, time.UTC)
	m.ledger.Bookings = append(m.ledger.Bookings, finance.Booking{ID: m.id, AccountID: "a", Amount: b.amount.Neg(),
		Date: openbanking.DateOf(b.day), Counterparty: b.name, CounterpartyAccount: b.number,
		Remittance: strings.Join(record.RemittanceInformation, " "), FirstSeen: seen, Record: string(wire)})
	return m.id
}

// order is a payment that was handed over at a time.
func order(id, name, number string, amount money.Amount, text string, sent time.Time) finance.SentPayment {
	t := openbanking.CreditTransferTransaction{InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: amount.String()},
		Beneficiary: openbanking.Beneficiary{Creditor: &openbanking.PartyIdentification{Name: &name},
			CreditorAccount: openbanking.GenericIdentification{Identification: number, SchemeName: openbanking.SchemeNameIBAN}}}
	if text != "" {
		t.RemittanceInformation = []string{text}
	}
	o := finance.PaymentOrder{Type: finance.ByOwnApp, AccountID: "a"}
	o.Request.CreditTransferTransaction = []openbanking.CreditTransferTransaction{t}
	o = o.Referenced(finance.UniqueReference())
	p := finance.SentPayment{Payment: finance.Payment{ID: id, Phase: finance.PhaseCreated, Order: o, Sent: sent}, Transfers: o.Transfers()}
	p.Progress.Status, p.Progress.Reached[finance.StepCreated] = openbanking.PaymentStatusRCVD, sent
	return p
}

// Score says how well bookings were found.
type Score struct{ There, Found, Wrong int }

// lookedFor is how many days after a payment its booking is looked for, as the store does.
const lookedFor = 60

// Judge matches the bookings of a ledger day by day, as syncs bring them, and says how well that went.
func Judge(l Ledger) Score {
	byDay := map[openbanking.Date][]finance.Booking{}
	first, last := l.Bookings[0].Date, l.Bookings[0].Date
	for _, b := range l.Bookings {
		day := openbanking.DateOf(b.FirstSeen)
		byDay[day], first, last = append(byDay[day], b), min(first, day), max(last, day)
	}
	found := map[int64][]finance.BookingMatch{} // by booking
	var known []finance.Booking
	for day, _ := first.Time(); openbanking.DateOf(day) <= last; day = day.AddDate(0, 0, 1) {
		evening, since := day.AddDate(0, 0, 1), day.AddDate(0, 0, -lookedFor)
		known = append(known, byDay[openbanking.DateOf(day)]...)
		known = slices.DeleteFunc(known, func(b finance.Booking) bool { return b.FirstSeen.Before(since) })
		var open []finance.SentPayment
		var held []finance.BookingMatch
		looked := map[string]bool{}
		for _, p := range l.Payments {
			if p.Sent.Before(evening) && p.Sent.After(since) {
				open, looked[p.ID] = append(open, p), true
			}
		}
		var free []finance.Booking // and those of payments that are looked at
		for _, b := range known {
			matches := found[b.ID]
			if slices.ContainsFunc(matches, func(m finance.BookingMatch) bool { return !looked[m.PaymentID] }) {
				continue
			}
			free, held = append(free, b), append(held, matches...)
			delete(found, b.ID)
		}
		for _, m := range finance.MatchBookings(open, l.Filed, free, held, evening) {
			found[m.BookingID] = append(found[m.BookingID], m)
		}
	}
	s := Score{There: len(l.Right)}
	for booking, matches := range found {
		if l.Right[booking] == l.is(matches) {
			s.Found++
		} else {
			s.Wrong++
		}
	}
	return s
}

// is says what a booking was found to be: a payment, or the total of a file with all of its payments; "?" for something else.
func (l Ledger) is(matches []finance.BookingMatch) string {
	file := matches[0].File
	if file == "" && len(matches) == 1 {
		return matches[0].PaymentID
	}
	i := slices.IndexFunc(l.Filed, func(f finance.FiledTotal) bool { return f.ID == file })
	if i < 0 || len(matches) != len(l.Filed[i].Payments) {
		return "?"
	}
	for _, m := range matches {
		if m.File != file || !slices.Contains(l.Filed[i].Payments, m.PaymentID) {
			return "?"
		}
	}
	return file
}
