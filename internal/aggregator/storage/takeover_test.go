package storage

import (
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// What a process was at work on when it was killed is due at once for the next one, and what a wrong clock put too far ahead is due too.
func TestLeasesOfADeadProcessAndOfAWrongClockEnd(t *testing.T) {
	s, ctx := open(t), t.Context()
	application(t, s)
	northlight := openbanking.ASPSP{Name: "Northlight", Country: "FI"}
	ordered(t, s, "1")
	event(t, s, "p", 1, "https://a.example", epoch)
	late := epoch.Add(30 * time.Minute)
	payments := func() int {
		t.Helper()
		rows, err := s.ClaimPayments(ctx, northlight, late, late.Add(time.Hour), 10)
		if err != nil {
			t.Fatal(err)
		}
		return len(rows)
	}
	expect(t, "payments at first", payments(), 1)
	expect(t, "webhooks at first", claim(t, s, late, 4, 10), []string{"p/1"})
	expect(t, "payments during the lease", payments(), 0)
	if err := s.TakeOver(ctx); err != nil {
		t.Fatal(err)
	}
	expect(t, "payments taken over", payments(), 1)
	expect(t, "webhooks taken over", claim(t, s, late, 4, 10), []string{"p/1"})

	far := late.AddDate(1, 0, 0)
	if err := s.TakeOver(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := s.UpdatePayment(ctx, "1", late, func(p *aggregator.Payment) error { p.Due = far; return nil }); err != nil {
		t.Fatal(err)
	}
	finish(t, s, late, "p/1", false, far)
	expect(t, "payments of a clock ahead", payments(), 0)
	expect(t, "webhooks of a clock ahead", claim(t, s, late, 4, 10), []string(nil))
	if n, err := s.ClampDue(ctx, late); n != 2 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	expect(t, "payments after the correction", payments(), 1)
	expect(t, "webhooks after the correction", claim(t, s, late, 4, 10), []string{"p/1"})
	if n, err := s.ClampDue(ctx, late); n != 0 || err != nil {
		t.Errorf("%d rows once more, %v", n, err)
	}
}
