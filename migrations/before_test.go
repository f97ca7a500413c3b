package migrations_test

import (
	"io/fs"
	"path/filepath"
	"testing"
	"testing/fstest"

	"florin/internal/sqlite"
	"florin/migrations"
)

// appBefore returns a database of the app as it was before a migration, which is given by its number.
func appBefore(t *testing.T, number string) *sqlite.DB {
	t.Helper()
	before := fstest.MapFS{}
	names, err := fs.Glob(migrations.App, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if text, err := fs.ReadFile(migrations.App, name); err != nil {
			t.Fatal(err)
		} else if name < number {
			before[name] = &fstest.MapFile{Data: text}
		}
	}
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "app.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := sqlite.Migrate(t.Context(), db, before); err != nil {
		t.Fatal(err)
	}
	return db
}
