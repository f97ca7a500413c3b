package server_test

import (
	"sync"
	"testing"
	"time"

	"florin/internal/contract/walk"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// The code, a cancellation, a fresh start, a second agreement, the end of the page and questions of the application come at
// once: the bank has the order of exactly the payments that the service says are approved, and each but once.
func TestAPaymentIsEitherMadeOrNot(t *testing.T) {
	s := run(t, "Ledger", "")
	db, err := sqlite.Open(t.Context(), s.folder+"/aggregator.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	made := map[int]int{}
	for name, test := range map[string]struct {
		bank   openbanking.ASPSP
		person walk.Person
		change func(*openbanking.CreatePaymentRequest)
	}{
		"at the bank":            {redirectBank, lena, nil},
		"on the service's pages": {lindwurm, felix, by("direct")},
	} {
		t.Run(name, func(t *testing.T) {
			for round := range 12 {
				b := walk.New(nil)
				id, start := s.order(test.bank, test.change)
				review := open(t, b, start)
				first := submit(t, b, review, "/accept", nil)
				page := must[*walk.Page](t)(b.SignIn(t.Context(), first, test.person))
				code := must[*walk.Page](t)(b.Order(t.Context(), page, test.person))
				form, _ := code.Form("/code")
				form.Fields.Set("code", code.Code())
				cancel, _ := review.Form("/cancel")
				accept, _ := review.Form("/accept")
				decline, _ := code.Form("/decline")
				forms := []walk.Form{form, form}
				for i, other := range []walk.Form{cancel, decline, accept} {
					if round>>i&1 == 1 {
						forms = append(forms, other)
					}
				}
				var all sync.WaitGroup
				for _, f := range forms {
					all.Go(func() { _, _ = b.Location(t.Context(), f) })
				}
				all.Go(func() { s.payment(id) })
				if round >= 8 {
					all.Go(func() { s.clock.Advance(time.Hour) })
				}
				all.Wait()
				if p := s.payment(id); !p.FinalStatus {
					s.clock.Advance(time.Hour)
				}
				p, had := s.settled(id)
				var auth string
				var orders int
				row := db.Read().QueryRowContext(t.Context(),
					`SELECT auth_status, (SELECT count(*) FROM bank_payment WHERE order_id = payment_id) FROM payment WHERE payment_id = $1`, id)
				if err := row.Scan(&auth, &orders); err != nil {
					t.Fatal(err)
				}
				if orders > 1 || (orders == 1) != (auth == string(openbanking.PaymentAuthStatusFinalised)) || orders == 0 &&
					p.Status != openbanking.PaymentStatusCNCL {
					t.Errorf("round %d: the bank has %d orders; the service says %q and %v", round, orders, auth, had)
				}
				made[orders]++
			}
		})
	}
	if made[0] == 0 || made[1] == 0 {
		t.Errorf("the races have one outcome alone: %v", made)
	}
}
