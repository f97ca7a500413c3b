package storage

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

func bucket(kind aggregator.FetchKind) aggregator.FetchBucket {
	return aggregator.FetchBucket{ASPSP: openbanking.ASPSP{Name: "Northlight", Country: "FI"}, Reference: "A1", Kind: kind}
}

// api-notes 6: capacity 4 for each account and kind of data, one unit back every 6 hours; and the state outlives a restart.
func TestFetchesComeBackOneAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "aggregator.db")
	open := func() *Store {
		t.Helper()
		s, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	store := open()
	now := time.Date(2027, 1, 15, 10, 0, 0, 0, time.UTC)
	take := func(b aggregator.FetchBucket, after time.Duration, want bool) {
		t.Helper()
		if got, err := store.TakeFetch(t.Context(), b, now.Add(after), 4, 6*time.Hour); err != nil || got != want {
			t.Errorf("%s after %v: %v, %v", b.Kind, after, got, err)
		}
	}
	balances := bucket(aggregator.FetchBalances)
	for range 4 {
		take(balances, 0, true)
	}
	take(balances, 0, false)
	other, country := balances, balances
	other.Reference, country.ASPSP.Country = "A2", "SE"
	for _, b := range []aggregator.FetchBucket{bucket(aggregator.FetchDetails), bucket(aggregator.FetchTransactions), other, country} {
		take(b, 0, true)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	store = open()
	defer store.Close()
	take(balances, 0, false)
	take(balances, 6*time.Hour-time.Millisecond, false)
	take(balances, 6*time.Hour, true)
	take(balances, 6*time.Hour, false)
	take(balances, 18*time.Hour, true)
	take(balances, 18*time.Hour, true)
	take(balances, 18*time.Hour, false)
	for range 4 { // no more than the capacity, however long nobody asks
		take(balances, 1000*time.Hour, true)
	}
	take(balances, 1000*time.Hour, false)
}

func TestFetchesInParallelTakeDifferentUnits(t *testing.T) {
	store := bankFlowStore(t)
	now := time.Date(2027, 1, 15, 10, 0, 0, 0, time.UTC)
	var taken atomic.Int64
	var wait sync.WaitGroup
	for range 30 {
		wait.Go(func() {
			ok, err := store.TakeFetch(context.Background(), bucket(aggregator.FetchBalances), now, 4, time.Hour)
			if err != nil {
				t.Error(err)
			}
			if ok {
				taken.Add(1)
			}
		})
	}
	wait.Wait()
	if taken.Load() != 4 {
		t.Errorf("%d calls got one of 4 units", taken.Load())
	}
}

func TestConsentsOfAUser(t *testing.T) {
	store, ctx := bankFlowStore(t), t.Context()
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	code := 'a'
	add := func(id, user, country string, step aggregator.BankFlowStep, by aggregator.ConsentEnder, created time.Time) {
		t.Helper()
		flow := newBankFlow(id)
		flow.Username, flow.Step, flow.EndedBy, flow.Created, flow.ASPSP.Country = user, step, by, created, country
		if step != aggregator.BankFlowSignIn {
			for range 64 {
				flow.CodeHash += string(code)
			}
			code++
		}
		if err := store.AddBankFlow(ctx, flow); err != nil {
			t.Fatal(err)
		}
	}
	add("old", "lena", "DE", aggregator.BankFlowFinished, "", at)
	add("new", "lena", "DE", aggregator.BankFlowEnded, aggregator.EndedByUser, at.Add(time.Hour))
	add("visit", "lena", "DE", aggregator.BankFlowSignIn, "", at)
	add("tom's", "tom", "DE", aggregator.BankFlowFinished, "", at)
	add("elsewhere", "lena", "AT", aggregator.BankFlowFinished, "", at)
	flows, err := store.BankConsents(ctx, openbanking.ASPSP{Name: "Seebrücke Bank", Country: "DE"}, "lena")
	if err != nil || len(flows) != 2 || flows[0].ID != "new" || flows[0].EndedBy != aggregator.EndedByUser || flows[1].ID != "old" || flows[1].EndedBy != "" {
		t.Errorf("%+v, %v", flows, err)
	}
	flow := newBankFlow("nobody")
	flow.EndedBy = "somebody"
	if err := store.AddBankFlow(ctx, flow); err == nil {
		t.Error("a consent ended by somebody unknown")
	}
}

func TestOldVisitsAreRemoved(t *testing.T) {
	store, ctx := bankFlowStore(t), t.Context()
	before := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for id, expires := range map[string]time.Time{"older": before.Add(-time.Millisecond), "at": before, "newer": before.Add(time.Hour)} {
		flow := newBankFlow(id)
		flow.Expires = expires
		if err := store.AddBankFlow(ctx, flow); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := store.TakeFetch(ctx, bucket(aggregator.FetchBalances), before.Add(-24*time.Hour), 1, time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := store.TakeFetch(ctx, bucket(aggregator.FetchDetails), before, 1, time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := store.PurgeBankFlows(ctx, before); err != nil {
		t.Fatal(err)
	}
	for id, there := range map[string]bool{"older": false, "at": true, "newer": true} {
		if _, err := store.BankFlow(ctx, id); there != (err == nil) || !there && !errors.Is(err, aggregator.ErrNotFound) {
			t.Errorf("%s: %v", id, err)
		}
	}
	var buckets int
	if err := store.db.Read().QueryRowContext(ctx, "SELECT COUNT(*) FROM bank_fetch").Scan(&buckets); err != nil || buckets != 1 {
		t.Errorf("%d buckets are left, %v", buckets, err)
	}
}
