package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestErrorsAboutTheFileAreExplained(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "app.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	write := func(query string, args ...any) error {
		_, err := db.writer.ExecContext(t.Context(), query, args...)
		return err
	}
	for _, query := range []string{"CREATE TABLE t (x TEXT) STRICT", "PRAGMA max_page_count = 4"} {
		if err := write(query); err != nil {
			t.Fatal(err)
		}
	}
	_, readOnly := db.reader.ExecContext(t.Context(), "INSERT INTO t (x) VALUES ('a')")
	cases := []struct {
		name  string
		err   error
		words string
	}{
		{"read-only", readOnly, "mounted read-only"},
		{"full", write("INSERT INTO t (x) VALUES ($1)", strings.Repeat("x", 1<<20)), "the disk is full"},
		{"anything else", write("SELECT nothing"), ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.err == nil {
				t.Fatal("no error")
			}
			got := explain(fmt.Errorf("wrapped: %w", c.err)).Error()
			if !strings.Contains(got, c.words) || !strings.HasSuffix(got, "wrapped: "+c.err.Error()) {
				t.Errorf("got %q, want %q before the cause", got, c.words)
			}
			if c.words == "" && got != "wrapped: "+c.err.Error() {
				t.Errorf("%q was explained", got)
			}
		})
	}
}

func TestOlderThan(t *testing.T) {
	cases := []struct {
		version, than string
		older         bool
	}{
		{"3.51.3", "3.51.3", false},
		{"3.51.2", "3.51.3", true},
		{"3.9.9", "3.51.3", true},
		{"3.53.4", "3.51.3", false},
		{"3.52.0", "3.51.3", false},
		{"4.0.0", "3.51.3", false},
		{"3.51", "3.51.3", true},
		{"", "3.51.3", true},
	}
	for _, c := range cases {
		if got := olderThan(c.version, c.than); got != c.older {
			t.Errorf("olderThan(%q, %q) = %t", c.version, c.than, got)
		}
	}
}
