package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
	"florin/internal/testkit"
)

// spent returns a payment to an account, booked today.
func spent(t testing.TB, reference, amount, number string) finance.Entry {
	t.Helper()
	today := openbanking.DateOf(time.Now())
	wire := openbanking.Transaction{EntryReference: &reference, TransactionAmount: openbanking.AmountType{Currency: "EUR", Amount: amount},
		CreditDebitIndicator: "DBIT", Status: "BOOK", BookingDate: &today}
	if number != "" {
		wire.CreditorAccount = &openbanking.AccountIdentification{IBAN: &number}
	}
	return read(t, wire)
}

// match finds the bookings of a user's payments, as payments.Match does, and returns the payments that changed.
func (b *bed) match(t testing.TB, user string) []string {
	t.Helper()
	m := must(b.Matching(t.Context(), user))(t)
	return must(b.SetBookings(t.Context(), user, m.Held, finance.MatchBookings(m.Payments, m.Filed, m.Bookings, m.Held, time.Now())))(t)
}

// A payment is matched with its booking when a sync brings it. The match is shown on the pages of both, to nobody else.
func TestBookingOfAPayment(t *testing.T) {
	b := newBed(t)
	user, account := b.linked(t)
	stranger := b.user(t, "b@example.org")
	owner := finance.User{ID: user}
	p := b.sent(t, owner, "p1", order(transfer("Shop", ibanDE, "5.00")))
	second := b.sent(t, owner, "p2", order(transfer("Shop", ibanDE, "5.00")))
	foreign := b.sent(t, stranger, "p3", order(transfer("Shop", ibanDE, "5.00")))
	b.run(t, []finance.Entry{spent(t, "R1", "5.00", ibanDE), spent(t, "R2", "6.00", ibanDE)})
	if users := must(b.UsersToMatch(t.Context()))(t); len(users) != 2 {
		t.Errorf("%v", users)
	}
	if m := must(b.Matching(t.Context(), stranger.ID))(t); len(m.Bookings) != 0 || len(m.Payments) != 1 {
		t.Errorf("a stranger sees %+v", m)
	}
	m := must(b.Matching(t.Context(), user))(t)
	if len(m.Payments) != 2 || len(m.Bookings) != 2 || len(m.Held) != 0 || m.Bookings[0].AccountID != account || m.Bookings[0].ASPSP != bank ||
		m.Bookings[0].ProviderID != "embedded" ||
		m.Bookings[0].FirstSeen.IsZero() || m.Payments[0].Transfers[0].Account.Number != ibanDE {
		t.Fatalf("%+v", m)
	}
	booked := m.Bookings[0].ID
	if m.Bookings[0].Amount.String() != "-5.00" {
		booked = m.Bookings[1].ID
	}
	place := func(id string) []finance.BookingMatch {
		return []finance.BookingMatch{{BookingID: booked, BookingPlace: finance.BookingPlace{PaymentID: id}}}
	}
	for name, c := range map[string]struct {
		user  string
		found []finance.BookingMatch
	}{
		"a stranger takes a payment":         {stranger.ID, place(p.ID)},
		"a stranger takes a booking":         {stranger.ID, place(foreign.ID)},
		"a payment that is not there":        {user, place("none")},
		"a transfer that is not there":       {user, []finance.BookingMatch{{BookingID: booked, BookingPlace: finance.BookingPlace{PaymentID: p.ID, Position: 7}}}},
		"a booking that is not there":        {user, []finance.BookingMatch{{BookingID: 999, BookingPlace: finance.BookingPlace{PaymentID: p.ID}}}},
		"the payment of somebody else's own": {user, place(foreign.ID)},
	} {
		if changed := must(b.SetBookings(t.Context(), c.user, nil, c.found))(t); len(changed) != 0 {
			t.Errorf("%s: %v", name, changed)
		}
	}
	if changed := b.match(t, user); !slices.Equal(changed, []string{p.ID}) {
		t.Errorf("%v", changed)
	}
	if changed := b.match(t, user); len(changed) != 0 {
		t.Errorf("a second time: %v", changed)
	}
	if changed := must(b.SetBookings(t.Context(), user, nil, place(second.ID)))(t); len(changed) != 0 {
		t.Error("one booking for two payments")
	}
	if changed := must(b.SetBookings(t.Context(), stranger.ID, place(p.ID), nil))(t); len(changed) != 0 {
		t.Error("a stranger took it away")
	}
	got, where, err := b.PaymentsOfBooking(t.Context(), user, booked)
	if check(t, err); len(got) != 1 || got[0].ID != p.ID || where != (finance.BookingPlace{PaymentID: p.ID}) {
		t.Errorf("%+v, %+v", got, where)
	}
	if got, _, err := b.PaymentsOfBooking(t.Context(), stranger.ID, booked); err != nil || len(got) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	list := must(b.PaymentBookings(t.Context(), user, p.ID))(t)
	if len(list) != 1 || list[0].BookingID != booked || list[0].AccountID != account || list[0].Transaction.Amount.String() != "-5.00" {
		t.Errorf("%+v", list)
	}
	if list := must(b.PaymentBookings(t.Context(), stranger.ID, p.ID))(t); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	if left := must(b.MatchingOf(t.Context(), user, second.ID))(t); len(left.Bookings) != 1 || left.Bookings[0].ID == booked {
		t.Errorf("a booking of another payment is offered: %+v", left.Bookings)
	}
}

// When the bank removes a booking, or changes its payee, the match is removed. When the booking returns, it is matched again.
func TestBookingsThatChange(t *testing.T) {
	b := newBed(t)
	user, _ := b.linked(t)
	p := b.sent(t, finance.User{ID: user}, "p1", order(transfer("Shop", ibanDE, "5.00")))
	old := dated(t, "OLD", "1.00", "2026-01-01", "2026-01-01")
	first, other := spent(t, "R1", "5.00", ibanDE), spent(t, "R9", "9.00", "")
	history := func() (kinds []finance.EventKind) {
		for _, e := range must(b.PaymentEvents(t.Context(), user, p.ID))(t) {
			if e.Kind == finance.EventBooked || e.Kind == finance.EventUnbooked {
				kinds = append(kinds, e.Kind)
			}
		}
		return kinds
	}
	bookings := func() []PaymentBooking { return must(b.PaymentBookings(t.Context(), user, p.ID))(t) }
	b.run(t, []finance.Entry{other, first, old})
	b.match(t, user)
	held := bookings()
	if len(held) != 1 {
		t.Fatalf("%+v", held)
	}
	b.run(t, []finance.Entry{other, old}) // the bank removed it
	if changed := b.match(t, user); !slices.Equal(changed, []string{p.ID}) || len(bookings()) != 0 {
		t.Errorf("%v, %+v", changed, bookings())
	}
	b.run(t, []finance.Entry{other, first, old}) // the bank lists it again
	if b.match(t, user); len(bookings()) != 1 || bookings()[0].BookingID != held[0].BookingID {
		t.Errorf("%+v", bookings())
	}
	b.run(t, []finance.Entry{other, spent(t, "R2", "5.00", ibanDE), old}) // under another reference it is the same row
	if changed := b.match(t, user); len(changed) != 0 || len(bookings()) != 1 || bookings()[0].BookingID != held[0].BookingID {
		t.Errorf("%v, %+v", changed, bookings())
	}
	b.run(t, []finance.Entry{other, spent(t, "R2", "5.00", ibanGB), old}) // the payee is another one
	if changed := b.match(t, user); !slices.Equal(changed, []string{p.ID}) || len(bookings()) != 0 {
		t.Errorf("%v, %+v", changed, bookings())
	}
	if got := history(); !slices.Equal(got, []finance.EventKind{"booked", "unbooked", "booked", "unbooked"}) {
		t.Errorf("%v", got)
	}
}

// An old payment is not matched any more, unless the bank removes its booking. For dated payments and standing orders the last day counts.
func TestWhichPaymentsAreMatched(t *testing.T) {
	b := newBed(t)
	user, _ := b.linked(t)
	owner := finance.User{ID: user}
	day := func(days int) *openbanking.Date { d := openbanking.DateOf(time.Now().AddDate(0, 0, days)); return &d }
	with := func(change func(t *openbanking.CreditTransferTransaction)) finance.PaymentOrder {
		tr := transfer("Shop", ibanDE, "5.00")
		change(&tr)
		return order(tr)
	}
	standing := func(end *openbanking.Date) finance.PaymentOrder {
		return with(func(t *openbanking.CreditTransferTransaction) {
			f := openbanking.FrequencyCodeMNTH
			t.Frequency, t.RequestedExecutionDate, t.EndDate = &f, day(-380), end
		})
	}
	ids := map[string]string{}
	for name, o := range map[string]finance.PaymentOrder{
		"at once": order(transfer("Shop", ibanDE, "5.00")), "dated": with(func(t *openbanking.CreditTransferTransaction) { t.RequestedExecutionDate = day(3) }),
		"standing": standing(nil), "ended lately": standing(day(-3)), "ended": standing(day(-100)),
	} {
		ids[b.sent(t, owner, name, o).ID] = name
	}
	list := func() (names []string) {
		for _, p := range must(b.Matching(t.Context(), user))(t).Payments {
			names = append(names, ids[p.ID])
		}
		slices.Sort(names)
		return names
	}
	equal(t, list(), "at once", "dated", "ended", "ended lately", "standing") // all of them were sent a moment ago
	b.exec(t, `UPDATE payment SET sent = '2025-01-01T00:00:00.000Z'`)
	b.exec(t, `UPDATE payment SET last_day = '2025-01-01' WHERE payment_id = 'at once'`) // as if it had been sent on that day
	b.exec(t, `UPDATE payment SET last_day = '2025-06-01' WHERE payment_id = 'ended'`)
	equal(t, list(), "dated", "ended lately", "standing")
	b.run(t, []finance.Entry{spent(t, "R1", "5.00", ibanDE)})
	b.exec(t, `INSERT INTO payment_booking (booked_id, payment_id, position) SELECT (SELECT MAX(t.id) FROM booked_transaction t), payment.id, 0 FROM payment WHERE payment.payment_id = 'at once'`)
	if m := must(b.Matching(t.Context(), user))(t); len(m.Bookings) != 0 {
		t.Errorf("the booking of a payment long ago is offered: %+v", m.Bookings)
	}
	b.exec(t, `UPDATE booked_transaction SET missing_since = '2026-01-01T00:00:00.000Z'`)
	equal(t, list(), "at once", "dated", "ended lately", "standing")
}

// exec changes the database without using the store's methods.
func (b *bed) exec(t testing.TB, query string, args ...any) {
	t.Helper()
	check(t, b.db.Write(t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(t.Context(), query, args...)
		return err
	}))
}

// Whatever syncs add, remove and rename: after each one, all matches are with bookings that the bank lists, no booking has two payments, and a second run
// changes nothing.
func TestMatchingAfterAnySync(t *testing.T) {
	testkit.Unwatched(t)
	b := newBed(t)
	rapid.Check(t, func(rt *rapid.T) {
		b.exec(t, `UPDATE sync_task SET next_attempt_at = '2999-01-01T00:00:00.000Z'`) // stop the tasks of the users of earlier runs
		n := finance.NewID()
		u := b.user(t, n+"@example.org")
		b.link(t, u, finance.Secret("session "+n), resource("h"+n, "EUR", "uid"+n))
		sums := []string{"5.00", "6.00", "7.00"}
		for i := range rapid.IntRange(1, 4).Draw(rt, "payments") {
			transfers := []openbanking.CreditTransferTransaction{}
			for range rapid.SampledFrom([]int{1, 1, 2}).Draw(rt, "transfers") {
				transfers = append(transfers, transfer("Shop", ibanDE, rapid.SampledFrom(sums).Draw(rt, "sum")))
			}
			b.sent(t, u, fmt.Sprint(n, i), order(transfers...))
		}
		for range rapid.IntRange(1, 4).Draw(rt, "syncs") {
			entries := []finance.Entry{dated(t, "OLD", "1.00", "2026-01-01", "2026-01-01")}
			for i := range rapid.IntRange(0, 5).Draw(rt, "rows") {
				entries = append([]finance.Entry{spent(t, fmt.Sprintf("R%d-%s", i, rapid.SampledFrom([]string{"A", "B"}).Draw(rt, "name")),
					rapid.SampledFrom(append(sums, "11.00", "12.00")).Draw(rt, "amount"), rapid.SampledFrom([]string{ibanDE, ibanDE, ibanGB, ""}).Draw(rt, "to"))}, entries...)
			}
			b.run(t, entries)
			b.match(t, u.ID)
			if again := b.match(t, u.ID); len(again) != 0 {
				rt.Fatalf("never at rest: %v", again)
			}
			seen := map[int64]bool{}
			for _, p := range must(b.Matching(t.Context(), u.ID))(t).Payments {
				for _, row := range must(b.PaymentBookings(t.Context(), u.ID, p.ID))(t) {
					if seen[row.BookingID] || row.Transaction.Missing || row.Transaction.Amount.Sign() >= 0 {
						rt.Fatalf("%+v", row)
					}
					seen[row.BookingID] = true
				}
			}
			var dangling int
			check(t, b.db.Read().QueryRowContext(t.Context(), `SELECT COUNT(*) FROM payment_booking g WHERE NOT EXISTS (SELECT 1 FROM booked_transaction t WHERE t.id = g.booked_id)
				OR NOT EXISTS (SELECT 1 FROM payment_transfer r WHERE r.payment_id = g.payment_id AND r.position = g.position)`).Scan(&dangling))
			if dangling > 0 {
				rt.Fatalf("%d matches lead nowhere", dangling)
			}
		}
	})
}

// The end of a payment is reported until it was seen, only to its user.
func TestSeen(t *testing.T) {
	b := newBed(t)
	user, stranger := b.user(t, "a@example.org"), b.user(t, "b@example.org")
	p := b.sent(t, user, "p1", order(transfer("A", ibanDE, "5")))
	unseen := func(u finance.User) int {
		list, more, err := b.UnseenPayments(t.Context(), u.ID, 5)
		check(t, err)
		if more {
			t.Error("there are more")
		}
		return len(list)
	}
	if news := must(b.SeePayment(t.Context(), user.ID, p.ID))(t); news || unseen(user) != 0 {
		t.Error("it has not ended")
	}
	claim, ok, err := b.ClaimPaymentOf(t.Context(), user.ID, p.ID, lease)
	if check(t, err); !ok {
		t.Fatal("not claimed")
	}
	_, _, err = b.ApplyNews(t.Context(), claim, finance.PaymentNews{Source: finance.NewsCheck, Status: "ACCC", Final: true},
		func(finance.Payment) time.Time { return time.Now() })
	check(t, err)
	if unseen(user) != 1 || unseen(stranger) != 0 {
		t.Error("its end is not reported to its user alone")
	}
	if news := must(b.SeePayment(t.Context(), stranger.ID, p.ID))(t); news || unseen(user) != 1 {
		t.Error("a stranger has seen it")
	}
	if news := must(b.SeePayment(t.Context(), user.ID, p.ID))(t); !news || unseen(user) != 0 {
		t.Error("it was seen")
	}
	if news := must(b.SeePayment(t.Context(), user.ID, p.ID))(t); news || must(b.Payment(t.Context(), user.ID, p.ID))(t).Seen.IsZero() {
		t.Error("it was seen before")
	}
	for i := range 3 {
		b.sent(t, user, fmt.Sprint("more", i), order(transfer("A", ibanDE, "5")))
	}
	b.exec(t, `UPDATE payment SET final = 1, ended = news, next_check_at = NULL WHERE payment_id LIKE 'more%'`)
	if list, more, err := b.UnseenPayments(t.Context(), user.ID, 2); err != nil || len(list) != 2 || !more {
		t.Errorf("%d %v %v", len(list), more, err)
	}
}

// Payments that are still to be carried out are listed, except those that were put away or stopped.
func TestComingPayments(t *testing.T) {
	b := newBed(t)
	user, stranger := b.user(t, "a@example.org"), b.user(t, "b@example.org")
	f, first := openbanking.FrequencyCodeMNTH, openbanking.DateOf(time.Now())
	tr := transfer("A", ibanDE, "5")
	tr.Frequency, tr.RequestedExecutionDate = &f, &first
	p := b.sent(t, user, "p1", order(tr))
	coming := func(u finance.User, from openbanking.Date) int {
		return len(must(b.ComingPayments(t.Context(), u.ID, from))(t))
	}
	if coming(user, "2100-01-01") != 1 || coming(stranger, first) != 0 {
		t.Error("a standing order without an end")
	}
	if err := b.StopPayment(t.Context(), stranger.ID, p.ID, true); !errors.Is(err, finance.ErrNotFound) || coming(user, first) != 1 {
		t.Errorf("a stranger stopped it: %v", err)
	}
	check(t, b.StopPayment(t.Context(), user.ID, p.ID, true))
	stopped := must(b.Payment(t.Context(), user.ID, p.ID))(t).Stopped
	check(t, b.StopPayment(t.Context(), user.ID, p.ID, true))
	if again := must(b.Payment(t.Context(), user.ID, p.ID))(t).Stopped; coming(user, first) != 0 || stopped.IsZero() || !again.Equal(stopped) {
		t.Errorf("%v, %v", stopped, again)
	}
	check(t, b.StopPayment(t.Context(), user.ID, p.ID, false))
	if coming(user, first) != 1 {
		t.Error("it is resumed, but not listed")
	}
	check(t, b.HidePayment(t.Context(), user.ID, p.ID, true))
	if coming(user, first) != 0 {
		t.Error("it was put away")
	}
	single := b.sent(t, user, "p2", order(transfer("A", ibanDE, "5")))
	if coming(user, openbanking.DateOf(time.Now().AddDate(0, 0, 2))) != 0 || single.ID == "" {
		t.Error("it was done at once")
	}
}
