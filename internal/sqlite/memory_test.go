package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"florin/internal/sqlite"
)

// A row that is remembered is the row: what this process writes counts at once, what another one writes soon.
func TestRememberedRowsFollowChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	open := func() *sqlite.DB {
		db, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	db, other := open(), open()
	write := func(by *sqlite.DB, statement string) {
		t.Helper()
		if err := by.Write(t.Context(), func(tx *sqlite.Tx) error {
			_, err := tx.ExecContext(t.Context(), statement)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	write(db, "CREATE TABLE a (b INTEGER NOT NULL) STRICT")
	write(db, "INSERT INTO a (b) VALUES (0)")
	reads := 0
	value := func() int {
		t.Helper()
		n, err := sqlite.Remember(t.Context(), db, sqlite.Key{"a"}, func() (n int, err error) {
			reads++
			return n, db.Read().QueryRowContext(t.Context(), "SELECT b FROM a").Scan(&n)
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for want := range 20 {
		if got := value(); got != want || value() != want {
			t.Fatalf("the value is %d, want %d", got, want)
		}
		write(db, "UPDATE a SET b = b + 1")
	}
	before := value()
	write(other, "UPDATE a SET b = b + 1")
	for end := time.Now().Add(10 * time.Second); value() == before; {
		if time.Now().After(end) {
			t.Fatal("a change of another process never shows")
		}
	}
	reads = 0
	for range 1000 {
		value()
	}
	if reads > 10 { // the look for other processes may see the commits once more
		t.Errorf("%d of 1000 values were read and not remembered", reads)
	}

	failure := errors.New("no row")
	for _, want := range []error{failure, nil} {
		_, err := sqlite.Remember(t.Context(), db, sqlite.Key{"a", "none"}, func() (int, error) { return 0, want })
		if !errors.Is(err, want) {
			t.Errorf("the error is %v, want %v: a failure was remembered", err, want)
		}
	}
}

// Of large rows few are kept, whatever is asked for, and they are those of each table and person.
func TestFewLargeRowsAreRemembered(t *testing.T) {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	reads := 0
	ask := func(user, what string) {
		t.Helper()
		got, err := sqlite.RememberFew(t.Context(), db, sqlite.Key{"sums", user, what}, 2, func() (string, error) { reads++; return user + what, nil })
		if err != nil || got != user+what {
			t.Errorf("%q, %v", got, err)
		}
	}
	for round, want := range []int{6, 8, 10} { // the third period of each is read each time
		for _, user := range []string{"ada", "tom"} {
			for _, what := range []string{"2024", "2025", "2026"} {
				ask(user, what)
			}
		}
		if reads != want {
			t.Errorf("round %d: %d reads, want %d", round, reads, want)
		}
	}
}

// A row that was read before a commit and arrives after it is not remembered beyond it.
func TestRowsReadBeforeACommitAreNotRemembered(t *testing.T) {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ask := func(read func() (string, error)) string {
		got, err := sqlite.Remember(context.Background(), db, sqlite.Key{"a"}, read)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	ask(func() (string, error) {
		return "old", db.Write(context.Background(), func(*sqlite.Tx) error { return nil })
	})
	if got := ask(func() (string, error) { return "new", nil }); got != "new" {
		t.Errorf("got the %s row", got)
	}
}
