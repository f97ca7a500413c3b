package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"florin/internal/sqlite"
)

// Stamp stays while nothing is committed, differs at once after a commit of this process, and soon after one of another.
func TestStamp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	other, err := sqlite.Open(t.Context(), path) // as another process would
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	write := func(db *sqlite.DB, statement string) {
		t.Helper()
		if err := db.Write(t.Context(), func(tx *sqlite.Tx) error {
			_, err := tx.ExecContext(t.Context(), statement)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	write(db, "CREATE TABLE a (b INTEGER NOT NULL) STRICT")
	settle := func() uint64 { // the own commit is seen a second time, by the look for others
		t.Helper()
		last := db.Stamp(t.Context())
		for same := 0; same < 5; {
			time.Sleep(6 * time.Millisecond)
			if now := db.Stamp(t.Context()); now != last {
				last, same = now, 0
				continue
			}
			same++
		}
		return last
	}
	before := settle()
	var n int
	if err := db.Read().QueryRowContext(t.Context(), "SELECT count(*) FROM a").Scan(&n); err != nil {
		t.Fatal(err)
	}
	if got := settle(); got != before {
		t.Errorf("a read changed the stamp from %d to %d", before, got)
	}
	write(db, "INSERT INTO a (b) VALUES (1)")
	if db.Stamp(t.Context()) == before {
		t.Error("a commit of this process does not show at once")
	}
	before = settle()
	write(other, "INSERT INTO a (b) VALUES (2)")
	for end := time.Now().Add(10 * time.Second); db.Stamp(t.Context()) == before; {
		if time.Now().After(end) {
			t.Fatal("a commit of another process never shows")
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(6 * time.Millisecond)
	before = db.Stamp(t.Context())
	time.Sleep(6 * time.Millisecond)
	if db.Stamp(t.Context()) == before {
		t.Error("a database that is closed says that nothing changes")
	}
}
