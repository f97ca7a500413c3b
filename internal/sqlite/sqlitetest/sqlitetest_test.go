package sqlitetest_test

import (
	"database/sql"
	"path/filepath"
	"testing"
	"testing/fstest"

	"florin/internal/sqlite"
	"florin/internal/sqlite/sqlitetest"
)

// Each database has the schema alone, whatever was written to the others, and opens as one that was just migrated.
func TestMake(t *testing.T) {
	schema := fstest.MapFS{"00001_things.sql": {Data: []byte("-- +goose Up\nCREATE TABLE thing (name TEXT) STRICT;")}}
	other := fstest.MapFS{"00001_people.sql": {Data: []byte("-- +goose Up\nCREATE TABLE person (name TEXT) STRICT;")}}
	for range 3 {
		path := filepath.Join(t.TempDir(), "data", "app.db")
		sqlitetest.Make(t, path, &schema)
		db, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if err := sqlite.Migrate(t.Context(), db, &schema); err != nil {
			t.Fatal(err)
		}
		var rows int
		if err := db.Read().QueryRowContext(t.Context(), "SELECT count(*) FROM thing").Scan(&rows); err != nil || rows != 0 {
			t.Errorf("%d rows (%v), want none", rows, err)
		}
		if err := db.Write(t.Context(), func(tx *sqlite.Tx) error {
			_, err := tx.ExecContext(t.Context(), "INSERT INTO thing VALUES ('chair')")
			return err
		}); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	path := filepath.Join(t.TempDir(), "other.db")
	sqlitetest.Make(t, path, &other)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "INSERT INTO person VALUES ('Ada')"); err != nil {
		t.Errorf("another schema: %v", err)
	}
}
