package syncer

import (
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
	"florin/internal/store"
)

// pays makes a payment of 12.30 EUR from the account, which the bank has carried out so long ago.
func (r *rig) pays(t *testing.T, ago time.Duration) {
	t.Helper()
	ctx := t.Context()
	o := finance.PaymentOrder{ProviderID: "embedded", ASPSP: openbanking.ASPSP{Name: "B", Country: "FI"}, PSUType: "personal", AccountID: r.link.Accounts[0].Account.ID,
		Type: openbanking.PaymentTypeSEPA, Request: openbanking.PaymentRequestResource{CreditTransferTransaction: []openbanking.CreditTransferTransaction{{
			InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: "12.30"},
			Beneficiary: openbanking.Beneficiary{Creditor: &openbanking.PartyIdentification{Name: new("ACME")},
				CreditorAccount: openbanking.GenericIdentification{Identification: "DE89370400440532013000", SchemeName: "IBAN"}}}}}}
	p, err := r.store.SaveDraft(ctx, r.user.ID, finance.NewID(), o, "")
	check(t, err)
	_, err = r.store.StartSending(ctx, r.user.ID, p.ID,
		store.Sending{State: finance.Secret(finance.NewID()), Browser: "b", Lifetime: time.Minute, Answer: time.Minute},
		func(finance.Payment, []finance.PastTransfer, []finance.Payee) error { return nil })
	check(t, err)
	_, err = r.store.PaymentCreated(ctx, r.user.ID, p.ID, store.CreatedPayment{PaymentID: "p1", Status: "PDNG", URL: "https://bank.example/"})
	check(t, err)
	r.exec(t, `UPDATE payment SET status = 'ACSC'`)
	r.news(t, ago)
}

// news makes the news of the payment so old.
func (r *rig) news(t *testing.T, ago time.Duration) {
	t.Helper()
	r.exec(t, `UPDATE payment SET news = $1`, sqlite.At(time.Now().Add(-ago)))
}

// A payment that was carried out makes its account read: after a moment, and again until its booking is there, whatever restarts meanwhile. Other data is not
// read.
func TestAPaymentMakesItsAccountRead(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.grace = 30 * time.Second // all times here are half a minute away from the next step at least, on a machine that stands still for a while, too
	r.drain(t)
	r.ago(t, time.Hour)
	if next, err := r.FollowPayments(t.Context()); !next.IsZero() || err != nil {
		t.Errorf("without a payment: %v, %v", next, err)
	}
	r.pays(t, 0)
	follow := func(when string, balances, details int) {
		t.Helper()
		next, err := r.FollowPayments(t.Context())
		check(t, err)
		r.drain(t)
		if r.service.called("balances") != balances || r.service.called("transactions") != balances || r.service.called("details") != details {
			t.Errorf("%s: %d calls for balances, %d for transactions, %d for details", when, r.service.called("balances"), r.service.called("transactions"),
				r.service.called("details"))
		}
		if next.IsZero() || next.Before(time.Now()) {
			t.Errorf("%s: next %v", when, next)
		}
	}
	follow("the person may be there", 1, 1)
	r.news(t, 31*time.Second)
	follow("nobody was there", 2, 1)
	follow("and was read", 2, 1)
	check(t, r.store.Close())
	r.open(t)
	r.grace = 30 * time.Second
	r.ago(t, time.Minute)
	r.news(t, 100*time.Second)
	follow("after a minute, by another process", 3, 1)
	r.ago(t, 4*time.Minute)
	r.news(t, 6*time.Minute)
	follow("three of four reads were used", 3, 1)

	r.service.rows = append([]openbanking.Transaction{row(1)}, r.service.rows...)
	r.service.rows[0].EntryReference, r.service.rows[0].TransactionAmount.Amount = new("paid"), "12.30"
	r.service.rows[0].CreditorAccount = &openbanking.AccountIdentification{IBAN: new("DE89370400440532013000")}
	r.service.rows[0].BookingDate = new(openbanking.DateOf(time.Now()))
	r.due(t)
	r.drain(t)
	m, err := r.store.Matching(t.Context(), r.user.ID)
	check(t, err)
	_, err = r.store.SetBookings(t.Context(), r.user.ID, m.Held, finance.MatchBookings(m.Payments, m.Filed, m.Bookings, m.Held, time.Now()))
	check(t, err)
	r.ago(t, time.Hour)
	if next, err := r.FollowPayments(t.Context()); !next.IsZero() || err != nil {
		t.Errorf("it is booked: %v, %v", next, err)
	}
	if unbooked, err := r.store.Unbooked(t.Context(), r.user.ID); len(unbooked) != 0 || err != nil {
		t.Errorf("it is booked: %+v, %v", unbooked, err)
	}
}

// While the person follows the payment its account is read at once, as a part of that request.
func TestThePersonWhoFollowsAPaymentIsThere(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	seen := r.requires("Psu-Ip-Address")
	r.drain(t)
	r.ago(t, time.Hour)
	r.pays(t, 0)
	seen()
	r.Await(r.user.ID, browser)
	_, err := r.Admit(t.Context())
	check(t, err)
	r.drain(t)
	calls := seen()
	if len(calls) != 2 {
		t.Errorf("%d calls", len(calls))
	}
	for _, psu := range calls {
		if psu.Get("Psu-Ip-Address") == "" {
			t.Errorf("sent %v", psu)
		}
	}
	r.Await(r.user.ID, browser)
	_, err = r.Admit(t.Context())
	check(t, err)
	r.drain(t)
	if calls := seen(); len(calls) != 0 {
		t.Errorf("read again at once: %v", calls)
	}
}
