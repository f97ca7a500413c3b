package store

import (
	"testing"
	"time"

	"florin/internal/finance"
)

// A renewal stores until when an account had been read, and from which day on the first sync after it has read. Later syncs do not change that.
func TestRenewalKeepsWhatWasRead(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	b.run(t, []finance.Entry{dated(t, "R1", "1.00", "2026-03-09", "2026-03-09")})
	tasks := must(b.Tasks(ctx, user, ""))(t)
	var read time.Time
	for _, k := range tasks {
		if k.Scope == finance.ScopeTransactions {
			read = k.LastSuccess
		}
	}
	connection := must(b.Account(ctx, user, account))(t).ConnectionID
	done, _ := b.linkAs(t, finance.User{ID: user}, finance.LinkAttempt{Renews: connection}, "s2", resource("h", "EUR", "u2"))
	result := func() finance.LinkedAccount {
		t.Helper()
		a := must(b.Attempt(ctx, user, done.ID))(t)
		if len(a.Accounts) != 1 || a.Accounts[0].Outcome != finance.OutcomeRecognised {
			t.Fatalf("%+v", a.Accounts)
		}
		return a.Accounts[0]
	}
	if l := result(); !l.ReadUntil.Equal(read) || read.IsZero() || l.Read {
		t.Errorf("%+v, read until %v", l, read)
	}
	b.run(t, []finance.Entry{dated(t, "R1", "1.00", "2026-03-09", "2026-03-09")})
	first := result()
	if !first.Read {
		t.Errorf("%+v", first)
	}
	b.run(t, []finance.Entry{dated(t, "R1", "1.00", "2026-03-09", "2026-03-09")})
	if later := result(); later.ReadFrom != first.ReadFrom || !later.ReadUntil.Equal(first.ReadUntil) {
		t.Errorf("%+v, and was %+v", later, first)
	}
}
