package sqlite_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"florin/internal/sqlite"
)

func TestConstraintErrors(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "app.db"))
	change(t, db, "CREATE TABLE parent (id TEXT PRIMARY KEY, code TEXT UNIQUE, size INTEGER NOT NULL CHECK (size > 0)) STRICT")
	change(t, db, "CREATE TABLE child (parent_id TEXT NOT NULL REFERENCES parent (id)) STRICT")
	change(t, db, "INSERT INTO parent (id, code, size) VALUES ('p', 'c', 1)")
	change(t, db, "INSERT INTO child (parent_id) VALUES ('p')")

	cases := []struct {
		name, query string
		unique      bool
	}{
		{"primary key", "INSERT INTO parent (id, code, size) VALUES ('p', 'd', 1)", true},
		{"unique", "INSERT INTO parent (id, code, size) VALUES ('q', 'c', 1)", true},
		{"no parent", "INSERT INTO child (parent_id) VALUES ('nobody')", false},
		{"still referred to", "DELETE FROM parent WHERE id = 'p'", false},
		{"check", "INSERT INTO parent (id, code, size) VALUES ('r', 'e', 0)", false},
		{"not null", "INSERT INTO parent (id, code, size) VALUES ('r', 'e', NULL)", false},
		{"strict type", "INSERT INTO parent (id, code, size) VALUES ('r', 'e', 'large')", false},
		{"syntax", "INSERT UNIQUE FOREIGN KEY", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := db.Write(t.Context(), func(tx *sqlite.Tx) error {
				_, err := tx.ExecContext(t.Context(), c.query)
				return err
			})
			if err == nil {
				t.Fatal("no error")
			}
			for _, err := range []error{err, fmt.Errorf("wrapped: %w", err)} {
				if got := sqlite.IsUnique(err); got != c.unique {
					t.Errorf("IsUnique(%v) = %t", err, got)
				}
				if sqlite.IsBusy(err) {
					t.Errorf("IsBusy(%v)", err)
				}
			}
		})
	}
	for _, err := range []error{nil, errors.New("UNIQUE constraint failed: FOREIGN KEY database is locked")} {
		if sqlite.IsUnique(err) || sqlite.IsBusy(err) {
			t.Errorf("%v was taken for an error of SQLite", err)
		}
	}
}
