package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"florin/internal/sqlite"
)

func TestTheSameQueryWithinItsOwnRows(t *testing.T) {
	db := openCounters(t)
	change(t, db, "INSERT INTO counter (name, value) VALUES ('a', 1), ('b', 2), ('c', 3)")
	const query = "SELECT name FROM counter WHERE value >= $1 ORDER BY value"
	var seen []string
	err := db.Write(t.Context(), func(tx *sqlite.Tx) error { // one connection, so both share its statements
		for range 3 {
			outer, err := tx.QueryContext(t.Context(), query, 1)
			if err != nil {
				return err
			}
			defer outer.Close()
			for outer.Next() {
				var name, last string
				if err := outer.Scan(&name); err != nil {
					return err
				}
				if err := tx.QueryRowContext(t.Context(), query, 3).Scan(&last); err != nil {
					return err
				}
				seen = append(seen, name+last)
			}
			if err := errors.Join(outer.Err(), outer.Close()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(seen), "[ac bc cc ac bc cc ac bc cc]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAStatementKeptOverASchemaChange(t *testing.T) {
	db := openCounters(t)
	const insert, query = "INSERT INTO counter (name, value) VALUES ($1, $2)", "SELECT sum(value) FROM counter"
	change(t, db, insert, "a", 1)
	if got := value[int](t, db, query); got != 1 {
		t.Fatalf("got %d, want 1", got)
	}
	change(t, db, "ALTER TABLE counter ADD COLUMN note TEXT")
	change(t, db, "CREATE TRIGGER twice AFTER INSERT ON counter BEGIN UPDATE counter SET value = value * 2 WHERE name = NEW.name; END")
	change(t, db, insert, "b", 2)
	if got := value[int](t, db, query); got != 5 {
		t.Errorf("got %d, want 5", got)
	}
	change(t, db, "DROP TABLE counter") // no kept statement stands in the way
	if err := db.Read().QueryRowContext(t.Context(), query).Err(); err == nil {
		t.Error("a kept statement reads a table that is gone")
	}
}

func TestAStatementThatFailedWorksAgain(t *testing.T) {
	db := openCounters(t)
	const insert = "INSERT INTO counter (name, value) VALUES ($1, $2)"
	for _, name := range []string{"a", "b", "c"} {
		change(t, db, insert, name, 1)
		err := db.Write(t.Context(), func(tx *sqlite.Tx) error {
			_, err := tx.ExecContext(t.Context(), insert, name, 1)
			return err
		})
		if !sqlite.IsUnique(err) {
			t.Fatalf("got %v, want a unique error", err)
		}
	}
}

func TestParametersDoNotLeakIntoTheNextUse(t *testing.T) {
	db := openCounters(t)
	const insert = "INSERT INTO counter (name, value) VALUES ($1, $2)"
	change(t, db, insert, "a", 1)
	err := db.Write(t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(t.Context(), insert, "b")
		return err
	})
	if err == nil {
		t.Error("a missing parameter was filled with that of the use before")
	}
}

func TestMoreStatementsThanAreKept(t *testing.T) {
	db := openCounters(t)
	for range 2 {
		err := db.Write(t.Context(), func(tx *sqlite.Tx) error {
			for i := range 600 {
				var got int
				if err := tx.QueryRowContext(t.Context(), fmt.Sprintf("SELECT %d + $1", i), 1).Scan(&got); err != nil {
					return err
				}
				if got != i+1 {
					return fmt.Errorf("got %d, want %d", got, i+1)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A context that has ended begins no query, alone or in a snapshot. One that has begun goes on: nobody watches its context.
func TestAnEndedContextBeginsNoQuery(t *testing.T) {
	db := openCounters(t)
	ended, end := context.WithCancel(t.Context())
	end()
	read := func(ctx context.Context, from interface {
		QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	}) error {
		var got int
		if err := from.QueryRowContext(ctx, "SELECT count(*) FROM counter").Scan(&got); err != nil {
			return err
		}
		rows, err := from.QueryContext(ctx, "SELECT 1 UNION SELECT 2")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			end() // of the context that is tried last
		}
		return rows.Err()
	}
	for name, try := range map[string]func(ctx context.Context) error{
		"alone": func(ctx context.Context) error { return read(ctx, db.Read()) },
		"in a snapshot": func(ctx context.Context) error {
			return db.Snapshot(t.Context(), func(s sqlite.Snapshot) error { return read(ctx, s) })
		},
		"a snapshot": func(ctx context.Context) error {
			return db.Snapshot(ctx, func(s sqlite.Snapshot) error { return read(t.Context(), s) })
		},
	} {
		if err := try(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, after the end: %v", name, err)
		}
		var going context.Context
		going, end = context.WithCancel(t.Context())
		if err := try(going); err != nil {
			t.Errorf("%s, when the context ends meanwhile: %v", name, err)
		}
		if name != "a snapshot" && going.Err() == nil {
			t.Errorf("%s: the context did not end meanwhile", name)
		}
		end()
	}
}

// Run with -bench to see what a kept statement saves: "fresh" asks with a new text each time.
func BenchmarkQuery(b *testing.B) {
	db, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "app.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	err = db.Write(b.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(b.Context(), "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT, c INTEGER) STRICT")
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	const query = "SELECT id, a, b, c FROM t WHERE id > $1 AND a = $2 ORDER BY id LIMIT 1"
	run := func(text func(i int) string) func(b *testing.B) {
		return func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				err := db.Read().QueryRowContext(b.Context(), text(i), 1, "x").Scan(new(int), new(string), new(string), new(int))
				if !errors.Is(err, sql.ErrNoRows) {
					b.Fatal(err)
				}
			}
		}
	}
	b.Run("kept", run(func(int) string { return query }))
	b.Run("fresh", run(func(i int) string { return fmt.Sprintf("%s -- %d", query, i) }))
}
