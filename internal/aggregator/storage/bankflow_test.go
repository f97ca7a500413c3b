package storage

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
	"florin/internal/sqlite/sqlitetest"
	"florin/migrations"
)

func bankFlowStore(t *testing.T) *Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "aggregator.db")
	sqlitetest.Make(t, path, migrations.Aggregator)
	store, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

func newBankFlow(id string) aggregator.BankFlow {
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	number := "DE67990100101310098041"
	return aggregator.BankFlow{
		ID:    id,
		ASPSP: openbanking.ASPSP{Name: "Seebrücke Bank", Country: "DE"},
		Request: aggregator.ConsentRequest{
			BankRequest: aggregator.BankRequest{
				State: "s", ReturnURL: "https://service.example/return", ApplicationName: "App", PSUType: openbanking.PSUTypePersonal, Language: "de",
			},
			Accounts: []openbanking.AccountIdentification{{IBAN: &number}}, Balances: true, Transactions: true, ValidUntil: at.Add(time.Hour),
		},
		Step: aggregator.BankFlowSignIn, Created: at, Expires: at.Add(15 * time.Minute),
	}
}

func TestBankFlowIsReadBackAsItWasWritten(t *testing.T) {
	store, ctx := bankFlowStore(t), t.Context()
	flow := newBankFlow("one")
	if err := store.AddBankFlow(ctx, flow); err != nil {
		t.Fatal(err)
	}
	if got, err := store.BankFlow(ctx, "one"); err != nil || !reflect.DeepEqual(got, flow) {
		t.Errorf("%+v, %v", got, err)
	}
	if err := store.AddBankFlow(ctx, flow); err == nil {
		t.Error("the same id twice")
	}
	code := strings.Repeat("a", 64)
	err := store.UpdateBankFlow(ctx, "one", func(f *aggregator.BankFlow) error {
		f.Step, f.Username, f.Failures, f.Accounts, f.CodeHash, f.Expires = aggregator.BankFlowApproved, "lena", 2, []string{"A", "B"}, code,
			f.Expires.Add(time.Minute)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	flow.Step, flow.Username, flow.Failures, flow.Accounts, flow.CodeHash, flow.Expires = aggregator.BankFlowApproved, "lena", 2, []string{"A", "B"}, code,
		flow.Expires.Add(time.Minute)
	if got, err := store.BankFlowByCode(ctx, code); err != nil || !reflect.DeepEqual(got, flow) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestBankFlowThatDoesNotExist(t *testing.T) {
	store, ctx := bankFlowStore(t), t.Context()
	if _, err := store.BankFlow(ctx, "x"); !errors.Is(err, aggregator.ErrNotFound) {
		t.Error(err)
	}
	if _, err := store.BankFlowByCode(ctx, ""); !errors.Is(err, aggregator.ErrNotFound) {
		t.Error(err)
	}
	if err := store.UpdateBankFlow(ctx, "x", func(*aggregator.BankFlow) error { return nil }); !errors.Is(err, aggregator.ErrNotFound) {
		t.Error(err)
	}
}

func TestBankFlowChangeThatFailsWritesNothing(t *testing.T) {
	store, ctx := bankFlowStore(t), t.Context()
	flow := newBankFlow("one")
	if err := store.AddBankFlow(ctx, flow); err != nil {
		t.Fatal(err)
	}
	refused := errors.New("refused")
	for name, change := range map[string]func(*aggregator.BankFlow) error{
		"an error":              func(f *aggregator.BankFlow) error { f.Step = aggregator.BankFlowOTP; return refused },
		"no such step":          func(f *aggregator.BankFlow) error { f.Step = "lost"; return nil },
		"approved without code": func(f *aggregator.BankFlow) error { f.Step = aggregator.BankFlowApproved; return nil },
		"a short code hash": func(f *aggregator.BankFlow) error {
			f.Step, f.CodeHash = aggregator.BankFlowApproved, "abc"
			return nil
		},
	} {
		err := store.UpdateBankFlow(ctx, "one", change)
		if err == nil || name == "an error" && !errors.Is(err, refused) {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := store.BankFlow(ctx, "one"); err != nil || !reflect.DeepEqual(got, flow) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestBankFlowsAreChangedOneAfterTheOther(t *testing.T) {
	store := bankFlowStore(t)
	if err := store.AddBankFlow(t.Context(), newBankFlow("one")); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	for range 25 {
		go func() {
			done <- store.UpdateBankFlow(context.Background(), "one", func(f *aggregator.BankFlow) error { f.Failures++; return nil })
		}()
	}
	for range 25 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got, err := store.BankFlow(t.Context(), "one"); err != nil || got.Failures != 25 {
		t.Errorf("%d counted, %v", got.Failures, err)
	}
}
