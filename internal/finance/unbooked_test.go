package finance

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// A transfer that a bank carries out is missing on the account that it leaves, and on the person's own account that it comes to, until each has its booking.
func TestUnbookedTransfers(t *testing.T) {
	t.Parallel()
	now := december(10, 13)
	with := func(status openbanking.PaymentStatus, changed time.Time) SentPayment {
		p := sentTo("p", 10, transferTo("ACME GmbH", german, "12.30"))
		p.Progress.Status, p.Progress.Changed = status, changed
		return p
	}
	twice := sentTo("q", 10, transferTo("Me", german, "12.30"), transferTo("Me", german, "12.30"))
	twice.Progress.Changed = now
	own := []Account{{ID: "a", IBAN: "FI2112345600000785", Currency: "EUR"}, {ID: "b", IBAN: german, Currency: "EUR"}, {ID: "c", IBAN: german, Currency: "USD"}}
	held := []BookingMatch{{1, BookingPlace{PaymentID: "p"}}}
	credit := func(minor int64, hour int) Credit {
		return Credit{"b", money.FromMinor(minor, "EUR"), december(10, hour)}
	}
	for name, c := range map[string]struct {
		p       SentPayment
		held    []BookingMatch
		credits []Credit
		want    []string
	}{
		"carried out now":         {with("ACSP", now), nil, nil, []string{"a -12.30", "b 12.30"}},
		"carried out":             {with("ACSC", now), nil, nil, []string{"a -12.30", "b 12.30"}},
		"it has left":             {with("ACCC", now), held, nil, []string{"b 12.30"}},
		"it has come":             {with("ACSC", now), held, []Credit{credit(1230, 13)}, nil},
		"another amount has come": {with("ACSC", now), held, []Credit{credit(1231, 13)}, []string{"b 12.30"}},
		"the same came before":    {with("ACSC", now), held, []Credit{credit(1230, 11)}, []string{"b 12.30"}},
		"one of two has come":     {twice, nil, []Credit{credit(1230, 13)}, []string{"a -12.30", "a -12.30", "b 12.30"}},
		"accepted":                {with("ACCP", now), nil, nil, nil},
		"rejected":                {with("RJCT", now), nil, nil, nil},
		"long ago":                {with("ACSC", now.AddDate(0, 0, -11)), nil, nil, nil},
	} {
		var got []string
		for _, u := range UnbookedTransfers([]SentPayment{c.p}, c.held, own, c.credits, now) {
			got = append(got, fmt.Sprint(u.AccountID, " ", u.Amount))
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// An account that lacks a payment is read at once, and after 1, 5 and 30 minutes; without the person only where the bank may be asked.
func TestReadsAfterAPayment(t *testing.T) {
	t.Parallel()
	news := december(10, 12)
	u := Unbooked{AccountID: "a", News: news}
	const grace = 5 * time.Second
	task := func(started time.Duration) SyncTask {
		return SyncTask{Scope: ScopeBalances, State: TaskWaiting, AccountID: "a", NextAttempt: news.Add(8 * time.Hour), LastStarted: news.Add(started)}
	}
	used := task(-time.Hour)
	used.Reads = Reads{news.Add(-3 * time.Hour), news.Add(-2 * time.Hour), news.Add(-time.Hour)}
	details := task(-time.Hour)
	details.Scope = ScopeDetails
	for name, c := range map[string]struct {
		task     SyncTask
		now      time.Duration
		attended bool
		due      bool
		next     time.Duration // 0: never
	}{
		"the person is there":          {task(-time.Hour), 0, true, true, time.Minute},
		"the person may be there":      {task(-time.Hour), time.Second, false, false, grace},
		"nobody is there":              {task(-time.Hour), grace, false, true, time.Minute + grace},
		"read since":                   {task(grace), 10 * time.Second, false, false, time.Minute + grace},
		"after a minute":               {task(grace), 66 * time.Second, false, true, 5*time.Minute + grace},
		"after half an hour":           {task(6 * time.Minute), 31 * time.Minute, false, true, 0},
		"restarted late, once for all": {task(-time.Hour), 5 * time.Hour, false, true, 0},
		"all was done":                 {task(31 * time.Minute), 5 * time.Hour, false, false, 0},
		"one read is left":             {used, grace, false, false, time.Minute + grace},
		"that one is not needed":       {used, 0, true, true, time.Minute},
		"details do not change":        {details, grace, false, false, time.Minute + grace},
	} {
		due, next := c.task.Awaits(u, news.Add(c.now), c.attended, grace)
		if due != c.due || next.IsZero() != (c.next == 0) || c.next != 0 && !next.Equal(news.Add(c.next)) {
			t.Errorf("%s: due %t, next %v", name, due, next)
		}
	}
}
