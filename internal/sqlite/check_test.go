package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"florin/internal/sqlite"
)

// damagedFile is a database with a table and an index, whose pages in the middle are overwritten.
func damagedFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "app.db")
	write(t, path)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copy(text[len(text)/2:], strings.Repeat("\x00\xff", 4096))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func write(t *testing.T, path string) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	migrate(t, db, versions(1))
	change(t, db, "CREATE INDEX note_text ON note (text)")
	change(t, db, "INSERT INTO note (text) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT format('%d %s', i, hex(randomblob(40))) FROM n")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// Damage is found, once and for all, and no migration touches it.
func TestCheckFindsDamage(t *testing.T) {
	db := open(t, damagedFile(t))
	told := 0
	check := db.Checks(func(err error) {
		told++
		if !errors.Is(err, sqlite.ErrDamaged) || !strings.Contains(err.Error(), "app.db") || !strings.Contains(err.Error(), "restore it from a backup") {
			t.Errorf("told %v", err)
		}
	})
	if next, err := check(t.Context()); err != nil || next.IsZero() || told != 1 {
		t.Fatalf("the check ends with %v, told %d times", err, told)
	}
	if err := db.Ping(t.Context()); !errors.Is(err, sqlite.ErrDamaged) {
		t.Errorf("the database is well: %v", err)
	}
	if err := sqlite.Migrate(t.Context(), db, versions(3)); !errors.Is(err, sqlite.ErrDamaged) {
		t.Errorf("it is migrated: %v", err)
	}
	if got := value[int](t, db, "SELECT max(version_id) FROM goose_db_version"); got != 1 {
		t.Errorf("it is at step %d", got)
	}
}

// An index that has another text than its table is found, too.
func TestCheckComparesIndexes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	write(t, path)
	db := open(t, path)
	check := db.Checks(func(err error) { t.Errorf("told %v", err) })
	if _, err := check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(text), "1234 ") // one of two places: the other one does not know
	if at < 0 {
		t.Fatal("the row is not in the file")
	}
	copied := filepath.Join(t.TempDir(), "app.db")
	text[at] = '7'
	if err := os.WriteFile(copied, text, 0o600); err != nil {
		t.Fatal(err)
	}
	other := open(t, copied)
	told := 0
	check = other.Checks(func(error) { told++ })
	if _, err := check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if told == 0 {
		t.Error("the check finds nothing")
	}
}

// A check whose caller leaves finds nothing, and says so.
func TestCheckIsGivenUp(t *testing.T) {
	db := open(t, damagedFile(t))
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if err := db.Check(ctx); err == nil || errors.Is(err, sqlite.ErrDamaged) {
		t.Errorf("got %v", err)
	}
}

func TestCheckSpace(t *testing.T) {
	dir := t.TempDir()
	if err := sqlite.CheckSpace(dir, 1); err != nil {
		t.Error(err)
	}
	if err := sqlite.CheckSpace(dir, 1<<60); !errors.Is(err, sqlite.ErrLittleSpace) || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v", err)
	}
}

func TestIsFull(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "app.db"))
	migrate(t, db, versions(1))
	err := db.Write(t.Context(), func(tx *sqlite.Tx) error {
		if _, err := tx.ExecContext(t.Context(), "PRAGMA max_page_count = 1"); err != nil {
			return err
		}
		for range 100 {
			if _, err := tx.ExecContext(t.Context(), "INSERT INTO note (text) VALUES ($1)", fmt.Sprint(strings.Repeat("x", 10_000), rand.Int())); err != nil {
				return err
			}
		}
		return nil
	})
	if !sqlite.IsFull(err) || sqlite.IsFull(errors.New("full")) || sqlite.IsFull(nil) {
		t.Errorf("%v is not taken for a full disk", err)
	}
}

// A connection that has searched a full-text index before others changed it takes its own old picture of the index for damage: the check does not use one.
func TestCheckOfAnIndexThatChanged(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "app.db"))
	change(t, db, "CREATE VIRTUAL TABLE found USING fts5 (text, content='', contentless_delete=1)")
	for i := range 40 {
		change(t, db, fmt.Sprintf("INSERT INTO found (rowid, text) VALUES (%d, 'word%d')", i+1, i))
	}
	db.Read().Pool().SetMaxOpenConns(1)
	var rows int
	if err := db.Read().QueryRowContext(t.Context(), "SELECT count(*) FROM found WHERE found MATCH 'word7'").Scan(&rows); err != nil || rows != 1 {
		t.Fatal(rows, err)
	}
	change(t, db, "INSERT INTO found (found) VALUES ('optimize')")
	if err := db.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
