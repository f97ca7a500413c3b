package migrations_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"florin/internal/sqlite"
	"florin/migrations"
)

var schemas = map[string]fs.FS{"app": migrations.App, "aggregator": migrations.Aggregator}

// forbidden are words that do not exist, or mean something else, outside SQLite (architecture 5, rule 9).
var forbidden = regexp.MustCompile(`(?i)\bAUTOINCREMENT\b|\browid\b|\bdatetime\s*\(|\bstrftime\s*\(|->|\bjson_\w+\s*\(|\bPRAGMA\b|\bATTACH\b`)

func TestFilesMoveForwardInNumberedSteps(t *testing.T) {
	name := regexp.MustCompile(`^(\d{5})_[a-z0-9_]+\.sql$`)
	down := regexp.MustCompile(`(?i)\+goose\s+down|\+goose\s+no\s+transaction`)
	for schema, files := range schemas {
		entries, err := fs.ReadDir(files, ".")
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) == 0 {
			t.Errorf("%s: no migrations", schema)
		}
		entries = slices.DeleteFunc(entries, fs.DirEntry.IsDir)
		for i, e := range entries {
			m := name.FindStringSubmatch(e.Name())
			if want := fmt.Sprintf("%05d", i+1); m == nil || m[1] != want {
				t.Errorf("%s: file %d is named %s, want %s_what.sql", schema, i+1, e.Name(), want)
			}
			text, err := fs.ReadFile(files, e.Name())
			if err != nil {
				t.Fatal(err)
			}
			if found := down.Find(text); found != nil {
				t.Errorf("%s/%s holds %q: a step is one transaction and has no way back", schema, e.Name(), found)
			}
			statements := regexp.MustCompile(`--[^\n]*`).ReplaceAll(text, nil)
			statements = regexp.MustCompile(`(?s)CREATE VIRTUAL TABLE .*?;|\bFROM transaction_search [^;]*;|WITHOUT ROWID`).ReplaceAll(statements, nil) // ADR 0043
			if found := forbidden.Find(statements); found != nil {
				t.Errorf("%s/%s uses %q, which is particular to SQLite", schema, e.Name(), found)
			}
		}
	}
}

func TestSchemas(t *testing.T) {
	for schema, files := range schemas {
		t.Run(schema, func(t *testing.T) {
			db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), schema+".db"))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if err := sqlite.Migrate(t.Context(), db, files); err != nil {
				t.Fatal(err)
			}
			names := func(query string) []string {
				rows, err := db.Read().QueryContext(t.Context(), query)
				if err != nil {
					t.Fatal(err)
				}
				defer rows.Close()
				var names []string
				for rows.Next() {
					var name string
					if err := rows.Scan(&name); err != nil {
						t.Fatal(err)
					}
					names = append(names, name)
				}
				if err := rows.Err(); err != nil {
					t.Fatal(err)
				}
				return names
			}
			const own = `FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose_%'`
			if tables := names("SELECT name " + own); len(tables) == 0 {
				t.Error("no tables")
			}
			for _, table := range names("SELECT name " + own + " AND strict = 0") {
				t.Errorf("table %s is not STRICT", table)
			}
			for _, fault := range names(`SELECT "table" FROM pragma_foreign_key_check`) {
				t.Errorf("table %s breaks a foreign key", fault)
			}
		})
	}
}
