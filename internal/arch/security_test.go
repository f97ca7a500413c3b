package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"florin/internal/testkit"
)

// TestSecurityNamesTestsThatExist: docs/security.md names no test that is not there, and none of its threats goes without one.
func TestSecurityNamesTestsThatExist(t *testing.T) {
	testkit.Unwatched(t)
	text, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	tests := make(map[string]bool)
	for _, p := range packages(t) {
		for _, name := range append(p.TestGoFiles, p.XTestGoFiles...) {
			source, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range declared.FindAllStringSubmatch(string(source), -1) {
				tests[filepath.Base(p.Dir)+"."+m[1]] = true
			}
		}
	}
	named := regexp.MustCompile("`([a-z]+\\.Test\\w+)`")
	threats := 0
	for line := range strings.Lines(string(text)) {
		found := named.FindAllStringSubmatch(line, -1)
		for _, m := range found {
			if !tests[m[1]] {
				t.Errorf("docs/security.md names %s, which does not exist", m[1])
			}
		}
		if regexp.MustCompile(`^\| T\d+ \|`).MatchString(line) {
			threats++
			if len(found) == 0 {
				t.Errorf("a threat without a test: %s", line)
			}
		}
	}
	if threats < 30 {
		t.Errorf("only %d threats were read", threats)
	}
}
