package arch

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"testing"

	"florin/internal/testkit"
)

// TestGlossaryNamesWhatExists: the names of Go in docs/glossary.md are there.
func TestGlossaryNamesWhatExists(t *testing.T) {
	testkit.Unwatched(t)
	text, err := os.ReadFile("../../docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^(?:type |func |var |const |\t)([A-Z]\w*)`)
	names := make(map[string]bool)
	for _, p := range packages(t) {
		for _, file := range p.GoFiles {
			source, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range declared.FindAllStringSubmatch(string(source), -1) {
				names[path.Base(p.path())+"."+m[1]] = true
			}
		}
	}
	found := regexp.MustCompile("`([a-z]+\\.[A-Z]\\w*)`").FindAllStringSubmatch(string(text), -1)
	for _, m := range found {
		if !names[m[1]] {
			t.Errorf("docs/glossary.md names %s, which does not exist", m[1])
		}
	}
	if len(found) < 40 {
		t.Errorf("only %d names were found", len(found))
	}
}
