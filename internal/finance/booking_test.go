package finance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// Ids as Florin makes them.
const (
	reference = "FLABCDEFGHIJKLMNOPQRSTUVWXYZ"
	another   = "FLZYXWVUTSRQPONMLKJIHGFEDCBA"
)

// sentTo is a payment of the account "a" that was sent at noon on a day of December 2026 and accepted by the bank.
func sentTo(id string, day int, transfers ...openbanking.CreditTransferTransaction) SentPayment {
	o := PaymentOrder{AccountID: "a", ProviderID: "embedded", ASPSP: openbanking.ASPSP{Name: "Nordbank", Country: "FI"}}
	o.Request.CreditTransferTransaction = transfers
	ref := reference
	o = o.Referenced(ref)
	p := SentPayment{Payment: Payment{ID: id, Phase: PhaseCreated, Progress: Progress{Status: openbanking.PaymentStatusACSP},
		Approval: Approval{Status: openbanking.PaymentAuthStatusFinalised, Source: NewsWebhook}, Order: o, Sent: december(day, 12)}}
	p.Transfers = o.Transfers()
	for i := range p.Transfers {
		p.Transfers[i].Position = i
	}
	return p
}

func december(day, hour int) time.Time { return time.Date(2026, 12, day, hour, 0, 0, 0, time.UTC) }

func transferTo(payee, number, amount string) openbanking.CreditTransferTransaction {
	return openbanking.CreditTransferTransaction{InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: amount},
		Beneficiary: openbanking.Beneficiary{Creditor: &openbanking.PartyIdentification{Name: &payee},
			CreditorAccount: openbanking.GenericIdentification{Identification: number, SchemeName: "IBAN"}}}
}

// bookedOn is a booking that the sync brought at the end of its day.
func bookedOn(id int64, day int, minor int64, party, account, record string) Booking {
	return Booking{ID: id, AccountID: "a", ProviderID: "embedded", ASPSP: openbanking.ASPSP{Name: "Nordbank", Country: "FI"},
		Amount: money.FromMinor(minor, "EUR"), Date: openbanking.DateOf(december(day, 0)),
		Counterparty: party, CounterpartyAccount: account, FirstSeen: december(day, 22), Record: record}
}

// tell writes matches as "booking=payment.position", with the execution or "total".
func tell(matches []BookingMatch) string {
	var all []string
	for _, m := range matches {
		s := fmt.Sprintf("%d=%s.%d", m.BookingID, m.PaymentID, m.Position)
		if m.Execution != "" {
			s += " " + string(m.Execution)
		}
		if m.Total {
			s += " total"
		}
		all = append(all, s)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func TestMatchBookings(t *testing.T) {
	now := december(28, 12)
	acme := func(id string, day int) SentPayment { return sentTo(id, day, transferTo("ACME GmbH", german, "12.30")) }
	with := func(p SentPayment, change func(p *SentPayment)) SentPayment { change(&p); return p }
	own := func(p *SentPayment) { p.Transfers[0].EndToEndID = "INVOICE-12" }
	on := func(t openbanking.CreditTransferTransaction, date openbanking.Date) openbanking.CreditTransferTransaction {
		t.RequestedExecutionDate = &date
		return t
	}
	every := func(t openbanking.CreditTransferTransaction, f openbanking.FrequencyCode, first openbanking.Date) openbanking.CreditTransferTransaction {
		t.Frequency = &f
		return on(t, first)
	}
	bulk := sentTo("b", 10, transferTo("ACME GmbH", german, "12.30"), transferTo("Bob", briton, "7.70"), transferTo("Cleo", finn, "30.00"))
	rejected := with(sentTo("b", 10, transferTo("ACME GmbH", german, "12.30"), transferTo("Bob", briton, "7.70"), transferTo("Cleo", finn, "30.00")),
		func(p *SentPayment) {
			p.Progress.Status, p.Transfers[2].Status = openbanking.PaymentStatusPART, openbanking.PaymentStatusRJCT
		})
	rent := sentTo("s", 1, every(transferTo("Landlord", german, "12.30"), openbanking.FrequencyCodeWEEK, "2026-12-02"))
	eref := func(id string) string {
		return `{"remittance_information":["EREF+ ` + id[:12] + `","` + id[12:] + ` SVWZ+ thanks"]}`
	}
	dollars := bookedOn(1, 11, -1130, "X", "",
		`{"transaction_amount":{"currency":"EUR","amount":"11.30"},"exchange_rate":{"instructed_amount":{"currency":"USD","amount":"12.30"}},"note":"`+reference+`"}`)
	cases := []struct {
		name     string
		payments []SentPayment
		bookings []Booking
		held     []BookingMatch
		want     string
	}{
		{"none", []SentPayment{acme("p", 10)}, nil, nil, ""},
		{"by its end-to-end id, broken over lines, before one that looks better", []SentPayment{acme("p", 10)},
			[]Booking{bookedOn(1, 10, -1230, "ACME GmbH", german, "{}"), bookedOn(2, 11, -1230, "X", briton, eref(reference))}, nil, "2=p.0"},
		{"by its account", []SentPayment{acme("p", 10)},
			[]Booking{bookedOn(1, 10, -1230, "Somebody", briton, "{}"), bookedOn(2, 10, -1230, "ACME", "DE89 3704 0044 0532 0130 00", "{}")}, nil, "2=p.0"},
		{"the nearer of two", []SentPayment{acme("p", 10)}, []Booking{bookedOn(1, 13, -1230, "", german, "{}"), bookedOn(2, 11, -1230, "", german, "{}")}, nil,
			"2=p.0"},
		{"by its name, where there is no account", []SentPayment{acme("p", 10)}, []Booking{bookedOn(1, 10, -1230, "acme gmbh", "", "{}")}, nil, "1=p.0"},
		{"not by its name against the account", []SentPayment{acme("p", 10)}, []Booking{bookedOn(1, 10, -1230, "ACME GmbH", briton, "{}")}, nil, ""},
		{"by its name in the text of a booking that names nobody", []SentPayment{acme("p", 10)},
			[]Booking{func() Booking {
				b := bookedOn(1, 10, -1230, "", "", "{}")
				b.Remittance = "Transfer to ACME GmbH, thanks"
				return b
			}()}, nil, "1=p.0"},
		{"not a booking that says nothing", []SentPayment{acme("p", 10)}, []Booking{bookedOn(1, 10, -1230, "", "", "{}")}, nil, ""},
		{"not by another amount", []SentPayment{acme("p", 10)}, []Booking{bookedOn(1, 10, -1231, "ACME GmbH", german, eref(reference))}, nil, ""},
		{"not by money that came in", []SentPayment{acme("p", 10)}, []Booking{bookedOn(1, 10, 1230, "ACME GmbH", german, eref(reference))}, nil, ""},
		{"not one that was there before it was sent", []SentPayment{acme("p", 10)}, []Booking{func() Booking {
			b := bookedOn(1, 10, -1230, "", german, "{}")
			b.FirstSeen = december(10, 11)
			return b
		}()}, nil, ""},
		{"not of another account", []SentPayment{acme("p", 10)},
			[]Booking{func() Booking { b := bookedOn(1, 10, -1230, "", german, "{}"); b.AccountID = "z"; return b }()}, nil, ""},
		{"of any account of the bank, where it was chosen there", []SentPayment{with(acme("p", 10), func(p *SentPayment) { p.Order.AccountID = "" })},
			[]Booking{func() Booking { b := bookedOn(1, 10, -1230, "", german, "{}"); b.AccountID = "z"; return b }()}, nil, "1=p.0"},
		{"not of another bank", []SentPayment{with(acme("p", 10), func(p *SentPayment) { p.Order.AccountID, p.Order.ASPSP.Name = "", "Südbank" })},
			[]Booking{bookedOn(1, 10, -1230, "", german, "{}")}, nil, ""},
		{"not long afterwards", []SentPayment{acme("p", 10)}, []Booking{bookedOn(1, 21, -1230, "", german, "{}")}, nil, ""},
		{"not before", []SentPayment{acme("p", 10)}, []Booking{bookedOn(1, 8, -1230, "", german, "{}")}, nil, ""},
		{"afterwards, where the bank took its time", []SentPayment{with(acme("p", 10), func(p *SentPayment) {
			p.Progress.Status, p.Progress.Reached[StepSent] = openbanking.PaymentStatusACSC, december(14, 9)
		})},
			[]Booking{bookedOn(1, 24, -1230, "", german, "{}")}, nil, "1=p.0"},
		{"on the day that was asked for", []SentPayment{sentTo("p", 1, on(transferTo("ACME GmbH", german, "12.30"), "2026-12-22"))},
			[]Booking{bookedOn(1, 2, -1230, "", german, "{}"), bookedOn(2, 21, -1230, "", german, "{}")}, nil, "2=p.0"},
		{"by the id that the person chose, as a word", []SentPayment{with(acme("p", 10), own)},
			[]Booking{bookedOn(1, 10, -1230, "X", "", `{"remittance_information":["INVOICE-123"]}`),
				bookedOn(2, 12, -1230, "X", "", `{"remittance_information":["ref: Invoice-12."]}`)}, nil, "2=p.0"},
		{"not by the id that the person chose against the account", []SentPayment{with(acme("p", 10), own)},
			[]Booking{bookedOn(1, 10, -1230, "X", briton, `{"note":"INVOICE-12"}`)}, nil, ""},
		{"not by an id that is too short to mean anything", []SentPayment{with(acme("p", 10), func(p *SentPayment) { p.Transfers[0].EndToEndID = "1" })},
			[]Booking{bookedOn(1, 10, -1230, "", briton, `{"note":"1"}`)}, nil, ""},
		{"in another currency, by what was asked for",
			[]SentPayment{with(acme("p", 10), func(p *SentPayment) { p.Transfers[0].Amount = money.FromMinor(1230, "USD") })}, []Booking{dollars}, nil, "1=p.0"},
		{"an unknown outcome", []SentPayment{with(acme("p", 10), func(p *SentPayment) { p.Phase, p.Progress.Status = PhaseUnknown, "" })},
			[]Booking{bookedOn(1, 10, -1230, "", german, "{}")}, nil, "1=p.0"},
		{"not a rejected one that looks the same", []SentPayment{with(acme("p", 10),
			func(p *SentPayment) { p.Progress.Status, p.Progress.Final = openbanking.PaymentStatusRJCT, true })},
			[]Booking{bookedOn(1, 10, -1230, "", german, "{}")}, nil, ""},
		{"a rejected one that was booked all the same",
			[]SentPayment{with(acme("p", 10), func(p *SentPayment) { p.Progress.Status, p.Progress.Final = openbanking.PaymentStatusRJCT, true })},
			[]Booking{bookedOn(1, 10, -1230, "", german, eref(reference))}, nil, "1=p.0"},
		{"a draft has none", []SentPayment{with(acme("p", 10), func(p *SentPayment) { p.Phase = PhaseDraft })},
			[]Booking{bookedOn(1, 10, -1230, "", german, "{}")}, nil, ""},

		{"two payments that look the same, each its own",
			[]SentPayment{acme("p", 10), with(acme("q", 11), func(p *SentPayment) { p.Transfers[0].EndToEndID = another })},
			[]Booking{bookedOn(1, 10, -1230, "", german, "{}"), bookedOn(2, 11, -1230, "", german, "{}")}, nil, "1=p.0, 2=q.0"},
		{"what was found stays, though the other is nearer", []SentPayment{acme("p", 10), acme("q", 12)}, []Booking{bookedOn(1, 12, -1230, "", german, "{}")},
			[]BookingMatch{{1, BookingPlace{PaymentID: "p"}}}, "1=p.0"},
		{"what was found gives way to an id", []SentPayment{acme("p", 10), with(acme("q", 12), func(p *SentPayment) { p.Transfers[0].EndToEndID = another })},
			[]Booking{bookedOn(1, 12, -1230, "", german, eref(another))}, []BookingMatch{{1, BookingPlace{PaymentID: "p"}}}, "1=q.0"},
		{"what was found is gone", []SentPayment{acme("p", 10)}, []Booking{bookedOn(2, 12, -1230, "", german, "{}")},
			[]BookingMatch{{1, BookingPlace{PaymentID: "p"}}}, "2=p.0"},
		{"what was found does not fit any more", []SentPayment{acme("p", 10)}, []Booking{bookedOn(1, 10, -1230, "Bob", briton, "{}")},
			[]BookingMatch{{1, BookingPlace{PaymentID: "p"}}}, ""},

		{"a bulk, each its own", []SentPayment{bulk},
			[]Booking{bookedOn(1, 10, -1230, "", german, "{}"), bookedOn(2, 10, -770, "Bob", "", "{}"), bookedOn(3, 11, -3000, "X", "", eref(reference+"00003"))},
			nil, "1=b.0, 2=b.1, 3=b.2"},
		{"a bulk, some of it", []SentPayment{bulk}, []Booking{bookedOn(1, 10, -1230, "", german, "{}")}, nil, "1=b.0"},
		{"a bulk as one total that names it", []SentPayment{bulk}, []Booking{bookedOn(1, 10, -5000, "Collective order", "", eref(reference))}, nil, "1=b.0 total"},
		{"a bulk as one total that names one of it", []SentPayment{bulk}, []Booking{bookedOn(1, 10, -5000, "Collective order", "", eref(reference+"00002"))},
			nil, "1=b.0 total"},
		{"a bulk as one total that names nobody", []SentPayment{bulk}, []Booking{bookedOn(1, 10, -5000, "", "", "{}")}, nil, "1=b.0 total"},
		{"not what was paid in a shop", []SentPayment{bulk},
			[]Booking{bookedOn(1, 10, -5000, "", "", `{"merchant_category_code":"5411"}`),
				bookedOn(2, 10, -5000, "", "", `{"bank_transaction_code":{"code":"CCRD"}}`), bookedOn(3, 10, -5000, "REWE", "", `{}`)}, nil, ""},
		{"a bulk is one total or single ones, not both", []SentPayment{bulk},
			[]Booking{bookedOn(1, 10, -5000, "", "", "{}"), bookedOn(2, 10, -1230, "", german, "{}")}, nil, "2=b.0"},
		{"a total that names it counts more than a single one that looks like it", []SentPayment{bulk},
			[]Booking{bookedOn(1, 10, -5000, "", "", eref(reference)), bookedOn(2, 10, -1230, "", german, "{}")}, nil, "1=b.0 total"},
		{"a bulk of which one was rejected, as the total of the others", []SentPayment{rejected}, []Booking{bookedOn(1, 10, -2000, "", "", "{}")}, nil,
			"1=b.0 total"},
		{"a bulk of which one was rejected, as the total of all", []SentPayment{rejected}, []Booking{bookedOn(1, 10, -5000, "", "", "{}")}, nil, "1=b.0 total"},
		{"a bulk of which one was rejected, each its own", []SentPayment{rejected},
			[]Booking{bookedOn(1, 10, -1230, "", german, "{}"), bookedOn(2, 10, -3000, "", finn, "{}")}, nil, "1=b.0"},
		{"a bulk for two days, a total for each", []SentPayment{sentTo("b", 10, transferTo("A", german, "1.00"),
			on(transferTo("B", briton, "2.00"), "2026-12-20"), transferTo("C", finn, "3.00"), on(transferTo("D", german, "4.00"), "2026-12-20"))},
			[]Booking{bookedOn(1, 10, -400, "", "", "{}"), bookedOn(2, 21, -600, "", "", "{}")}, nil, "1=b.0 total, 2=b.1 total"},

		{"a standing order, each execution its own", []SentPayment{rent},
			[]Booking{bookedOn(1, 2, -1230, "", german, eref(reference)), bookedOn(2, 9, -1230, "", german, "{}"), bookedOn(3, 17, -1230, "Landlord", "", "{}")},
			nil, "1=s.0 2026-12-02, 2=s.0 2026-12-09, 3=s.0 2026-12-16"},
		{"a standing order that was once not carried out", []SentPayment{rent},
			[]Booking{bookedOn(1, 2, -1230, "", german, "{}"), bookedOn(3, 16, -1230, "", german, "{}")}, nil, "1=s.0 2026-12-02, 3=s.0 2026-12-16"},
		{"a standing order beside a payment that looks the same", []SentPayment{rent, acme("p", 5)},
			[]Booking{bookedOn(1, 2, -1230, "", german, "{}"), bookedOn(2, 5, -1230, "", german, "{}"), bookedOn(3, 9, -1230, "", german, "{}")}, nil,
			"1=s.0 2026-12-02, 2=p.0, 3=s.0 2026-12-09"},
		{"a standing order over a weekend", []SentPayment{sentTo("s", 1, func() openbanking.CreditTransferTransaction {
			t, rule := every(transferTo("Landlord", german, "12.30"), openbanking.FrequencyCodeWEEK, "2026-12-05"), openbanking.ExecutionRuleFWNG
			t.ExecutionRule = &rule
			return t
		}())}, []Booking{bookedOn(1, 7, -1230, "", german, "{}"), bookedOn(2, 14, -1230, "", german, "{}")}, nil, "1=s.0 2026-12-05, 2=s.0 2026-12-12"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := MatchBookings(c.payments, nil, c.bookings, c.held, now)
			if tell(got) != c.want {
				t.Errorf("%s, want %s", tell(got), c.want)
			}
			if again := MatchBookings(c.payments, nil, c.bookings, got, now); tell(again) != tell(got) {
				t.Errorf("a second time: %s, before %s", tell(again), tell(got))
			}
		})
	}
}

// A booking is never that of two payments, and a place never has two bookings; amounts agree; a bulk is one total or single; and asking once more, in
// another order, after whatever came of it before, changes nothing.
func TestMatchBookingsIsOneToOneAndStable(t *testing.T) {
	numbers := []string{german, briton, finn}
	names := []string{"ACME GmbH", "Bob", "Cleo"}
	now := december(28, 12)
	rapid.Check(t, func(rt *rapid.T) {
		var payments []SentPayment
		for i := range rapid.IntRange(1, 5).Draw(rt, "payments") {
			var transfers []openbanking.CreditTransferTransaction
			for range rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(rt, "transfers") {
				who := rapid.IntRange(0, 2).Draw(rt, "payee")
				tr := transferTo(names[who], numbers[who], fmt.Sprintf("%d.00", rapid.IntRange(1, 3).Draw(rt, "amount")))
				if rapid.Bool().Draw(rt, "dated") {
					day := openbanking.DateOf(december(rapid.IntRange(1, 28).Draw(rt, "date"), 0))
					tr.RequestedExecutionDate = &day
				}
				transfers = append(transfers, tr)
			}
			if len(transfers) == 1 && rapid.Bool().Draw(rt, "standing") {
				f := rapid.SampledFrom([]openbanking.FrequencyCode{openbanking.FrequencyCodeDAIL, openbanking.FrequencyCodeWEEK}).Draw(rt, "frequency")
				transfers[0].Frequency = &f
			}
			p := sentTo(fmt.Sprint("p", i), rapid.IntRange(1, 20).Draw(rt, "sent"), transfers...)
			for j := range p.Transfers {
				p.Transfers[j].EndToEndID = fmt.Sprintf("FLABCDEFGHIJKLMNOPQRSTUVWX%02d%05d", i+22, j)
				if rapid.IntRange(0, 4).Draw(rt, "void") == 0 {
					p.Transfers[j].Status = openbanking.PaymentStatusRJCT
				}
			}
			payments = append(payments, p)
		}
		var bookings []Booking
		for i := range rapid.IntRange(0, 14).Draw(rt, "bookings") {
			who := rapid.IntRange(0, 3).Draw(rt, "of")
			name, number := "", ""
			if who < 3 {
				name, number = names[who], rapid.SampledFrom([]string{numbers[who], ""}).Draw(rt, "number")
			}
			b := bookedOn(int64(i+1), rapid.IntRange(1, 28).Draw(rt, "day"), -100*rapid.Int64Range(1, 6).Draw(rt, "minor"), name, number, "{}")
			if p := payments[rapid.IntRange(0, len(payments)-1).Draw(rt, "whose")]; rapid.Bool().Draw(rt, "named") {
				b.Record = `{"note":"` + p.Transfers[rapid.IntRange(0, len(p.Transfers)-1).Draw(rt, "which")].EndToEndID + `"}`
			}
			bookings = append(bookings, b)
		}
		got := MatchBookings(payments, nil, bookings, nil, now)

		taken, places, kind := map[int64]bool{}, map[BookingPlace]bool{}, map[batch]bool{}
		for _, m := range got {
			if taken[m.BookingID] || places[m.BookingPlace] {
				rt.Fatalf("twice: %+v in %s", m, tell(got))
			}
			taken[m.BookingID], places[m.BookingPlace] = true, true
			p := payments[slices.IndexFunc(payments, func(p SentPayment) bool { return p.ID == m.PaymentID })]
			b := bookings[slices.IndexFunc(bookings, func(b Booking) bool { return b.ID == m.BookingID })]
			var all, some int64
			for _, tr := range p.Transfers {
				if p.Covers(m.BookingPlace, tr) {
					all += tr.Amount.Minor()
					if !tr.Failed() {
						some += tr.Amount.Minor()
					}
				}
			}
			if sum := -b.Amount.Minor(); sum != all && (!m.Total || sum != some) || b.FirstSeen.Before(p.Sent) {
				rt.Fatalf("%+v is no booking of %d", m, all)
			}
			of := p.batch(p.Transfers[m.Position])
			if before, known := kind[of]; known && before != m.Total {
				rt.Fatalf("one total and single ones: %s", tell(got))
			}
			kind[of] = m.Total
		}

		shuffled := MatchBookings(rapid.Permutation(payments).Draw(rt, "other payments"), nil, rapid.Permutation(bookings).Draw(rt, "other bookings"), nil, now)
		if tell(shuffled) != tell(got) {
			rt.Fatalf("in another order %s, before %s", tell(shuffled), tell(got))
		}
		if again := MatchBookings(payments, nil, bookings, got, now); tell(again) != tell(got) {
			rt.Fatalf("a second time %s, before %s", tell(again), tell(got))
		}
		// What comes later adds to it or puts something better in its place; then it is stable once more.
		half := bookings[:len(bookings)/2]
		first := MatchBookings(payments, nil, half, nil, now)
		second := MatchBookings(payments, nil, bookings, first, now)
		if third := MatchBookings(payments, nil, bookings, second, now); tell(third) != tell(second) {
			rt.Fatalf("never at rest: %s, then %s", tell(second), tell(third))
		}
		for _, m := range first {
			if !slices.ContainsFunc(second, func(n BookingMatch) bool {
				return n.BookingID == m.BookingID || n.BookingPlace == m.BookingPlace || n.PaymentID == m.PaymentID
			}) {
				rt.Fatalf("%+v was lost: %s", m, tell(second))
			}
		}
		// What is gone is nobody's.
		if len(got) > 0 {
			gone := got[rapid.IntRange(0, len(got)-1).Draw(rt, "gone")].BookingID
			left := slices.DeleteFunc(slices.Clone(bookings), func(b Booking) bool { return b.ID == gone })
			if after := MatchBookings(payments, nil, left, got, now); slices.ContainsFunc(after, func(m BookingMatch) bool { return m.BookingID == gone }) {
				rt.Fatalf("%d is gone: %s", gone, tell(after))
			}
		}
	})
}

// Most news of a payment change nothing about its bookings: nobody has to look for them again.
func TestOtherBookings(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	payment := func(status openbanking.PaymentStatus, final bool, sent time.Time) Payment {
		p := Payment{Phase: PhaseCreated, Sent: now.Add(-time.Hour)}
		p.Progress.Status, p.Progress.Final = status, final
		p.Progress.Reached[StepSent] = sent
		return p
	}
	before := payment("PDNG", false, time.Time{})
	for _, test := range []struct {
		name  string
		after Payment
		want  bool
	}{
		{"a step ahead", payment("ACCP", false, time.Time{}), false},
		{"sent on its day", payment("ACSP", false, now), false},
		{"executed", payment("ACSC", true, now), false},
		{"sent on another day", payment("ACSP", false, now.AddDate(0, 0, 3)), true},
		{"rejected", payment("RJCT", true, time.Time{}), true},
		{"rejected in part", payment("PART", false, now), true},
	} {
		if got := OtherBookings(before, test.after, now); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}

// While an outcome is not known all bookings of its amount around its day are offered, but those that are taken.
func TestOfferBookings(t *testing.T) {
	p := sentTo("p", 10, transferTo("ACME GmbH", german, "12.30"), transferTo("Bob", briton, "7.70"))
	bookings := []Booking{bookedOn(3, 12, -770, "X", "", "{}"), bookedOn(1, 10, -1230, "Y", briton, "{}"), bookedOn(2, 11, -2000, "Z", "", "{}"),
		bookedOn(4, 25, -770, "", "", "{}"), bookedOn(5, 11, -771, "", "", "{}"), bookedOn(6, 11, 770, "", "", "{}")}
	ids := func(held ...BookingMatch) (all []int64) {
		for _, b := range OfferBookings("p", []SentPayment{p}, nil, bookings, held, december(20, 0)) {
			all = append(all, b.ID)
		}
		return all
	}
	if got := ids(); !slices.Equal(got, []int64{1, 2, 3}) {
		t.Error(got)
	}
	if got := ids(BookingMatch{9, BookingPlace{PaymentID: "p", Position: 1}}); !slices.Equal(got, []int64{1, 2}) {
		t.Errorf("one of them was found: %v", got)
	}
	if got := ids(BookingMatch{9, BookingPlace{PaymentID: "p", Total: true}}); len(got) != 0 {
		t.Errorf("all of it was found: %v", got)
	}
}

func TestBookingExpected(t *testing.T) {
	p := sentTo("p", 10, transferTo("ACME GmbH", german, "12.30"))
	dated := sentTo("p", 1, func() openbanking.CreditTransferTransaction {
		t, day := transferTo("ACME GmbH", german, "12.30"), openbanking.Date("2026-12-20")
		t.RequestedExecutionDate = &day
		return t
	}())
	rejected := p
	rejected.Progress.Status = openbanking.PaymentStatusRJCT
	found := []BookingMatch{{1, BookingPlace{PaymentID: "p"}}}
	for _, c := range []struct {
		name string
		p    SentPayment
		held []BookingMatch
		day  int
		want bool
	}{
		{"at once", p, nil, 10, true}, {"found", p, found, 10, false}, {"too late", p, nil, 21, false}, {"rejected", rejected, nil, 10, false},
		{"before its day", dated, nil, 10, false}, {"on its day", dated, nil, 20, true},
	} {
		if got := BookingExpected(c.p, c.held, december(c.day, 12)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestLastDay(t *testing.T) {
	single, monthly := transferTo("A", german, "1"), transferTo("A", german, "1")
	day, end, f := openbanking.Date("2027-01-04"), openbanking.Date("2027-06-01"), openbanking.FrequencyCodeMNTH
	monthly.RequestedExecutionDate, monthly.Frequency = &day, &f
	dated, ends := single, monthly
	dated.RequestedExecutionDate, ends.EndDate = &day, &end
	for want, o := range map[openbanking.Date]SentPayment{"2026-12-10": sentTo("p", 10, single), "2027-01-04": sentTo("p", 10, single, dated),
		"9999-12-31": sentTo("p", 10, monthly), "2027-06-01": sentTo("p", 10, ends)} {
		if got := o.Order.LastDay(o.Sent); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Executions are listed with what became of them, the latest first, up to the next one.
func TestExecutions(t *testing.T) {
	monthly := func(change ...func(p *SentPayment)) SentPayment {
		tr, first, f := transferTo("Landlord", german, "500"), openbanking.Date("2026-09-01"), openbanking.FrequencyCodeMNTH
		tr.RequestedExecutionDate, tr.Frequency = &first, &f
		p := sentTo("s", 1, tr)
		p.Sent = time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC)
		for _, c := range change {
			c(&p)
		}
		return p
	}
	held := []BookingMatch{{7, BookingPlace{PaymentID: "s", Execution: "2026-09-01"}}, {8, BookingPlace{PaymentID: "s", Execution: "2026-11-01"}},
		{9, BookingPlace{PaymentID: "other", Execution: "2026-10-01"}}}
	now := december(2, 8)
	words := map[ExecutionState]string{ExecutionComing: "coming", ExecutionBooked: "booked", ExecutionAwaited: "awaited", ExecutionMissing: "missing"}
	for _, c := range []struct {
		name   string
		p      SentPayment
		held   []BookingMatch
		synced time.Time
		want   string
	}{
		{"all states", monthly(), held, now, "2027-01-01 coming, 2026-12-01 awaited, 2026-11-01 booked, 2026-10-01 missing, 2026-09-01 booked"},
		{"the account was not fetched since", monthly(), held, time.Date(2026, 10, 2, 0, 0, 0, 0, time.UTC),
			"2027-01-01 coming, 2026-12-01 awaited, 2026-11-01 booked, 2026-10-01 awaited, 2026-09-01 booked"},
		{"not known which account pays", monthly(), held, time.Time{}, "2027-01-01 coming, 2026-11-01 booked, 2026-09-01 booked"},
		{"stopped", monthly(func(p *SentPayment) { p.Stopped = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC) }), held, now,
			"2026-11-01 booked, 2026-10-01 missing, 2026-09-01 booked"},
		{"rejected", monthly(func(p *SentPayment) { p.Progress.Status, p.Progress.Final = openbanking.PaymentStatusRJCT, true }), nil, now, ""},
		{"no standing order", sentTo("s", 1, transferTo("A", german, "1")), nil, now, ""},
	} {
		var got []string
		for _, e := range c.p.Executions(c.held, c.synced, now) {
			got = append(got, string(e.Date)+" "+words[e.State])
			if (e.State == ExecutionBooked) != (e.BookingID != 0) {
				t.Errorf("%s: %+v", c.name, e)
			}
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}

// A payment that the bank executes within a day is announced beforehand.
func TestComing(t *testing.T) {
	zone := time.FixedZone("", 9*60*60)
	single := func(date openbanking.Date, change ...func(p *SentPayment)) SentPayment {
		tr := transferTo("ACME GmbH", german, "12.30")
		tr.RequestedExecutionDate = &date
		p := sentTo("p", 1, tr)
		p.Progress.Status = openbanking.PaymentStatusACCP
		for _, c := range change {
			c(&p)
		}
		return p
	}
	standing := func(rule openbanking.ExecutionRule, change ...func(p *SentPayment)) SentPayment {
		f := openbanking.FrequencyCodeWEEK
		return single("2026-12-05", append([]func(p *SentPayment){func(p *SentPayment) { // a Saturday
			all := p.Order.Request.CreditTransferTransaction
			all[0].Frequency = &f
			if rule != "" {
				all[0].ExecutionRule = &rule
			}
		}}, change...)...)
	}
	final := func(p *SentPayment) { p.Progress.Status, p.Progress.Final = openbanking.PaymentStatusACSC, true }
	for _, c := range []struct {
		name string
		p    SentPayment
		held []BookingMatch
		now  time.Time
		want string // "" for nothing
	}{
		{"the day before", single("2026-12-10"), nil, december(9, 8), "2026-12-10 12.30 1"},
		{"the day before, by the person's clock", single("2026-12-10"), nil, december(8, 16).In(zone), "2026-12-10 12.30 1"},
		{"two days before", single("2026-12-10"), nil, december(8, 23), ""},
		{"on the day", single("2026-12-10"), nil, december(10, 8), "2026-12-10 12.30 1"},
		{"on the day, booked", single("2026-12-10"), []BookingMatch{{1, BookingPlace{PaymentID: "p"}}}, december(10, 8), ""},
		{"on the day, done", single("2026-12-10", final), nil, december(10, 8), ""},
		{"the day after", single("2026-12-10"), nil, december(11, 8), ""},
		{"as soon as possible", sentTo("p", 9, transferTo("ACME GmbH", german, "12.30")), nil, december(9, 8), ""},
		{"rejected", single("2026-12-10", func(p *SentPayment) { p.Progress.Status = openbanking.PaymentStatusRJCT }), nil, december(9, 8), ""},
		{"put away", single("2026-12-10", func(p *SentPayment) { p.Hidden = true }), nil, december(9, 8), ""},
		{"not approved yet", single("2026-12-10", func(p *SentPayment) {
			p.Progress.Status, p.Approval.Status, p.Progress.Reached[StepCreated] = openbanking.PaymentStatusRCVD, "", december(9, 7)
		}), nil, december(9, 8), "2026-12-10 12.30 1 waiting"},
		{"not approved for a week", single("2026-12-10", func(p *SentPayment) {
			p.Progress.Status, p.Approval.Status, p.Progress.Reached[StepCreated] = openbanking.PaymentStatusRCVD, "", december(1, 7)
		}), nil, december(9, 8), ""},
		{"a standing order", standing("", final), nil, december(11, 8), "2026-12-12 12.30 1 standing weekend"},
		{"a standing order, moved on", standing(openbanking.ExecutionRuleFWNG, final), nil, december(13, 8), "2026-12-14 of 2026-12-12 12.30 1 standing"},
		{"a standing order, moved on, before the weekend", standing(openbanking.ExecutionRuleFWNG, final), nil, december(11, 8), ""},
		{"a standing order, moved before", standing(openbanking.ExecutionRulePREC, final), nil, december(10, 8), "2026-12-11 of 2026-12-12 12.30 1 standing"},
		{"a standing order, booked today", standing(openbanking.ExecutionRulePREC, final),
			[]BookingMatch{{1, BookingPlace{PaymentID: "p", Execution: "2026-12-12"}}}, december(11, 8), ""},
		{"a standing order that was stopped", standing("", final, func(p *SentPayment) { p.Stopped = december(6, 0) }), nil, december(11, 8), ""},
		{"many", func() SentPayment {
			p := sentTo("p", 1, single("2026-12-10").Order.Request.CreditTransferTransaction[0], transferTo("Bob", briton, "1.00"),
				single("2026-12-10").Order.Request.CreditTransferTransaction[0], single("2026-12-09").Order.Request.CreditTransferTransaction[0])
			p.Transfers[2].Status = openbanking.PaymentStatusRJCT
			return p
		}(), nil, december(9, 8), "2026-12-09 12.30 1"},
	} {
		got := ""
		if x, ok := c.p.Coming(c.held, c.now, 1); ok {
			got = string(x.Date)
			if x.Asked != x.Date {
				got += " of " + string(x.Asked)
			}
			got += fmt.Sprintf(" %s %d", x.Amount, x.Transfers)
			for word, is := range map[string]bool{" standing": x.Standing, " waiting": x.Waiting} {
				if is {
					got += word
				}
			}
			if x.Weekend() {
				got += " weekend"
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A mistake in reading a record is none in matching: what is no JSON is read as text.
func TestRecordsThatCannotBeRead(t *testing.T) {
	b := bookingRecord{Booking: Booking{Record: "EREF " + reference, Amount: money.FromMinor(-1, "EUR")}}
	if !b.mentions(reference, PayeeAccount{}) || b.atMerchant() || len(b.amounts()) != 1 {
		t.Error("a record that cannot be read")
	}
	for text, want := range map[string]bool{"x AB-1 y": true, "AB-1": true, "AB-12": false, "XAB-1": false, "AB-12 AB-1": true, "ÄAB-1": false, "(AB-1)": true} {
		if got := hasWord(text, "AB-1"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if cmp.Compare(daysBetween("2026-12-01", "none"), bookedAfter) <= 0 {
		t.Error("a booking without a date is near")
	}
}

// What the bank was asked to book as one total closes all payments of that file, or none of them.
func TestTotalsOfFiles(t *testing.T) {
	handed := func(id, amount string, day int) SentPayment {
		p := sentTo(id, day, transferTo("ACME GmbH", german, amount))
		p.Order.Type, p.Order.ProviderID, p.Order.ASPSP, p.Approval = ByOwnApp, "", openbanking.ASPSP{}, Approval{}
		p.Progress.Status = openbanking.PaymentStatusRCVD
		p.Order = p.Order.Referenced(UniqueReference())
		p.Transfers = p.Order.Transfers()
		return p
	}
	three := []SentPayment{handed("a", "1.00", 1), handed("b", "2.00", 2), handed("c", "3.00", 2)}
	file := func(id string, payments ...string) FiledTotal {
		return FiledTotal{ID: id, Payments: payments, Filed: december(3, 9)}
	}
	const group = "FLABCDEFGHIJKLMNOPQRSTUVWXYZ"
	all := []FiledTotal{file(group, "a", "b", "c")}
	refused := slices.Clone(three)
	refused[2].Progress.Status, refused[2].Progress.Final = openbanking.PaymentStatusCNCL, true
	bulk := sentTo("d", 2, transferTo("Bob", briton, "1.00"), transferTo("Cleo", finn, "2.00"))
	bulk.Order.Type, bulk.Progress.Status = ByOwnApp, openbanking.PaymentStatusRCVD
	const whole = "1=a.0 in FLABC, 1=b.0 in FLABC, 1=c.0 in FLABC"
	nobody := func(id int64, day int, minor int64) Booking { return bookedOn(id, day, minor, "", "", "{}") }
	for name, c := range map[string]struct {
		payments []SentPayment
		filed    []FiledTotal
		bookings []Booking
		want     string
	}{
		"all of them":          {three, all, []Booking{nobody(1, 4, -600)}, whole},
		"no such file":         {three, nil, []Booking{nobody(1, 4, -600)}, ""},
		"a cent off":           {three, all, []Booking{nobody(1, 4, -601)}, ""},
		"paid to somebody":     {three, all, []Booking{bookedOn(1, 4, -600, "Shop", "", "{}")}, ""},
		"with the file's id":   {three, all, []Booking{bookedOn(1, 4, -600, "Ada", briton, `{"note":"PMT `+group+`"}`)}, whole},
		"days after the file":  {three, all, []Booking{nobody(1, 13, -600)}, whole},
		"too late":             {three, all, []Booking{nobody(1, 14, -600)}, ""},
		"before the file":      {three, all, []Booking{func() Booking { b := nobody(1, 3, -600); b.FirstSeen = december(3, 8); return b }()}, ""},
		"of another account":   {three, all, []Booking{func() Booking { b := nobody(1, 4, -600); b.AccountID = "b"; return b }()}, ""},
		"in a shop":            {three, all, []Booking{bookedOn(1, 4, -600, "", "", `{"merchant_category_code":"5411"}`)}, ""},
		"twice":                {three, all, []Booking{nobody(1, 4, -600), nobody(2, 5, -600)}, ""},
		"twice, one by its id": {three, all, []Booking{bookedOn(1, 4, -600, "", "", `{"note":"`+group+`"}`), nobody(2, 5, -600)}, whole},
		"two files that fit": {append(slices.Clone(three), handed("d", "6.00", 2), handed("e", "0.00", 2)),
			append(slices.Clone(all), file("OTHER-1", "d", "e")), []Booking{nobody(1, 4, -600)}, ""},
		"one is unknown":       {three[:2], all, []Booking{nobody(1, 4, -600), nobody(2, 4, -300)}, ""},
		"the bank refused one": {refused, all, []Booking{nobody(1, 4, -300)}, "1=a.0 in FLABC, 1=b.0 in FLABC"},
		"each by itself after all": {three, all, []Booking{bookedOn(1, 4, -100, "ACME GmbH", "", "{}"), bookedOn(2, 4, -200, "ACME GmbH", "", "{}"),
			bookedOn(3, 4, -300, "ACME GmbH", "", "{}")}, "1=a.0, 2=b.0, 3=c.0"},
		"in two files":  {three, append(slices.Clone(all), file("OTHER-1", "a", "b")), []Booking{nobody(1, 4, -300)}, "1=a.0 in OTHER, 1=b.0 in OTHER"},
		"one is a bulk": {append(slices.Clone(three), bulk), []FiledTotal{file(group, "a", "d")}, []Booking{nobody(1, 4, -400)}, "1=a.0 in FLABC, 1=d.0 in FLABC"},
	} {
		t.Run(name, func(t *testing.T) {
			tell := func(matches []BookingMatch) string {
				var all []string
				for _, m := range matches {
					s := fmt.Sprintf("%d=%s.%d", m.BookingID, m.PaymentID, m.Position)
					if m.File != "" && m.Total {
						s += " in " + m.File[:5]
					}
					all = append(all, s)
				}
				slices.Sort(all)
				return strings.Join(all, ", ")
			}
			now := december(20, 0)
			got := MatchBookings(c.payments, c.filed, c.bookings, nil, now)
			if tell(got) != c.want {
				t.Errorf("%s, want %s", tell(got), c.want)
			}
			more := append(slices.Clone(c.bookings), nobody(9, 6, -600))
			if again := MatchBookings(c.payments, c.filed, more, got, now); c.want == whole && tell(again) != c.want {
				t.Errorf("when another one comes that looks the same: %s, before %s", tell(again), c.want)
			}
			if booked, _ := OwnAppChanges(c.payments, got); c.want == whole && !slices.Equal(booked, []string{"a", "b", "c"}) {
				t.Errorf("closed: %s", booked)
			}
		})
	}

	// The person chooses, and what was chosen stays.
	bookings := []Booking{nobody(1, 4, -600), nobody(2, 5, -600), nobody(3, 5, -200)}
	offers := OfferBookings("b", three, all, bookings, nil, december(20, 0))
	if len(offers) != 3 || offers[0].File != group || !slices.Equal(offers[0].Payments, []string{"a", "b", "c"}) || offers[2].ID != 3 || offers[2].File != "" {
		t.Errorf("%+v", offers)
	}
	bookings[1].Chosen = true
	var chosen []BookingMatch
	for _, id := range []string{"a", "b", "c"} {
		chosen = append(chosen, BookingMatch{2, BookingPlace{PaymentID: id, Total: true, File: group}})
	}
	if got := MatchBookings(three, all, bookings, chosen, december(20, 0)); tell(got) != tell(chosen) {
		t.Errorf("%s was chosen, found is %s", tell(chosen), tell(got))
	}
	if offers := OfferBookings("b", three, all, bookings[:1], chosen, december(20, 0)); len(offers) != 0 {
		t.Errorf("%+v is offered of payments that are booked", offers)
	}
}

// Of a payment in francs with a reference and a text, banks book one or both. Another text is another payment, so is the same text with the reference of
// another bill, and so are euros.
func TestBookingsOfSwissBills(t *testing.T) {
	const swiss = "CH9300762011623852957"
	bill := transferTo("Biel AG", swiss, "49.75")
	bill.InstructedAmount.Currency, bill.ReferenceNumber, bill.RemittanceInformation = "CHF", new("210000000003139471430009017"), []string{"Order of March"}
	p := sentTo("a", 1, bill)
	p.Order.Type, p.Order.ProviderID, p.Order.ASPSP, p.Approval = ByOwnApp, "", openbanking.ASPSP{}, Approval{}
	p.Progress.Status = openbanking.PaymentStatusRCVD
	for _, c := range []struct {
		currency, text, want string
	}{
		{"CHF", "", "1=a.0"},
		{"CHF", "21 00000 00003 13947 14300 09017", "1=a.0"},
		{"CHF", "Order of March", "1=a.0"},
		{"CHF", "Ref. 210000000003139471430009017 ORDER OF MARCH", "1=a.0"},
		{"CHF", "Order of April", ""},
		{"CHF", "210000000003139471430009025", ""},
		{"CHF", "Order of March 21 00000 00003 13947 14300 09025", ""},
		{"CHF", "Order of March, the second half", ""},
		{"EUR", "Order of March", ""},
	} {
		b := bookedOn(1, 2, -4975, "Biel AG", swiss, "{}")
		b.Amount, b.Remittance = money.FromMinor(-4975, c.currency), c.text
		if got := tell(MatchBookings([]SentPayment{p}, nil, []Booking{b}, nil, december(3, 0))); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.currency, c.text, got, c.want)
		}
	}
}
