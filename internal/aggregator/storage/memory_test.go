package storage

import (
	"path/filepath"
	"testing"
	"time"

	"florin/internal/aggregator"
)

// A row that is remembered is the row: what this process writes counts at once, what another one writes soon.
func TestRememberedRowsFollowChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "aggregator.db")
	open := func() *Store {
		s, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	s, other := open(), open()
	if err := s.AddBankFlow(t.Context(), newBankFlow("flow")); err != nil {
		t.Fatal(err)
	}
	failures := func() int {
		t.Helper()
		found, err := s.BankFlow(t.Context(), "flow")
		if err != nil {
			t.Fatal(err)
		}
		return found.Failures
	}
	another := func(by *Store) {
		t.Helper()
		if err := by.UpdateBankFlow(t.Context(), "flow", func(flow *aggregator.BankFlow) error { flow.Failures++; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	for want := range 20 {
		if got := failures(); got != want || failures() != want {
			t.Fatalf("%d failures, want %d", got, want)
		}
		another(s)
	}
	before := failures()
	another(other)
	for end := time.Now().Add(10 * time.Second); failures() == before; {
		if time.Now().After(end) {
			t.Fatal("a change of another process never shows")
		}
	}
	if _, err := s.BankFlow(t.Context(), "none"); err == nil {
		t.Error("a row that does not exist is found")
	}
}
