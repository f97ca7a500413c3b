package finance_test

import (
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/finance/handedtest"
	"florin/internal/openbanking"
	"florin/internal/testkit"
)

// Of 1,000 payments that were prepared, among bookings that look like them, no wrong booking is taken, and of the right ones 98 in 100 are found.
func TestBookingsOfHandedPayments(t *testing.T) {
	testkit.Unwatched(t)
	score := handedtest.Judge(handedtest.Make(0, 1000))
	t.Logf("of %d bookings %d are found, %d wrong ones", score.There, score.Found, score.Wrong)
	if score.Wrong > 0 || score.Found*100 < score.There*98 || score.There < 700 {
		t.Error("that is too few, or wrong")
	}
}

// A payment is asked about after six working days, from the day on which it is to be made, or since the person said that it was sent.
func TestAsks(t *testing.T) {
	friday := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	day := openbanking.Date("2026-12-04") // a Friday
	for _, c := range []struct {
		name   string
		change func(p *finance.Payment)
		asks   time.Time
	}{
		{"handed over on a Friday", func(*finance.Payment) {}, time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)},
		{"said to be sent on Monday", func(p *finance.Payment) {
			p.Progress.Status, p.Progress.Reached[finance.StepAccepted] = "ACSP", friday.AddDate(0, 0, 3)
		}, time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)},
		{"for a day", func(p *finance.Payment) {
			p.Order.Request.CreditTransferTransaction = []openbanking.CreditTransferTransaction{{RequestedExecutionDate: &day}}
		}, time.Date(2026, 12, 14, 0, 0, 0, 0, time.UTC)},
	} {
		p := finance.Payment{Phase: finance.PhaseCreated, Order: finance.PaymentOrder{Type: finance.ByOwnApp}}
		p.Progress.Status, p.Progress.Reached[finance.StepCreated] = "RCVD", friday
		c.change(&p)
		if p.Asks(c.asks.Add(-time.Second)) || !p.Asks(c.asks) {
			t.Errorf("%s: it is not asked at %s", c.name, c.asks)
		}
		if s := p.Story(c.asks); s.Kind != finance.StoryAsked || !s.Doubt || s.NoMoney {
			t.Errorf("%s: %+v", c.name, s)
		}
		p.Progress.Final = true
		if p.Asks(c.asks) {
			t.Errorf("%s: it is asked after its end", c.name)
		}
	}
}
