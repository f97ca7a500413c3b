package migrations_test

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var add = flag.Bool("add", false, "add new migrations to landed.txt; what is in it stays as it is")

// landedFile holds the checksums of all migrations, in the form of sha256sum.
const landedFile = "landed.txt"

// TestLandedMigrationsStayAsTheyAre: databases have seen the text of a migration that has landed. Another text under the same number makes two kinds of
// database.
func TestLandedMigrationsStayAsTheyAre(t *testing.T) {
	text, err := os.ReadFile(landedFile)
	if err != nil {
		t.Fatal(err)
	}
	landed := map[string]string{}
	for line := range strings.Lines(string(text)) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			t.Fatalf("%s: %q is not a checksum and a name", landedFile, line)
		}
		landed[name] = sum
	}
	present := map[string]string{}
	for _, folder := range []string{"app", "aggregator"} {
		err := fs.WalkDir(os.DirFS("."), folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || path.Ext(name) != ".sql" {
				return err
			}
			content, err := os.ReadFile(filepath.FromSlash(name))
			sum := sha256.Sum256(content)
			present[name] = hex.EncodeToString(sum[:])
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, sum := range landed {
		switch present[name] {
		case "":
			t.Errorf("%s has landed and is gone: databases have seen it. Put it back", name)
		case sum:
		default:
			t.Errorf("%s has landed and was changed: databases have seen its old text. Put that back, and add a migration with the next number", name)
		}
	}
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(present)) {
		if landed[name] == "" {
			if !*add {
				t.Errorf("%s is new: once its text is final, run go test ./migrations -run Landed -add", name)
			}
			landed[name] = present[name]
		}
		lines.WriteString(landed[name] + "  " + name + "\n")
	}
	if *add && !t.Failed() {
		if err := os.WriteFile(landedFile, []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
