package arch

import (
	"fmt"
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

// asvs are the requirements of the chapters V6, V7 and V8 of OWASP ASVS 5.0.0: each section with the levels of its requirements, in order.
var asvs = map[string][]int{
	"6.1": {1, 2, 2}, "6.2": {1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2}, "6.3": {1, 1, 2, 2, 3, 3, 3, 3}, "6.4": {1, 1, 2, 2, 3, 3}, "6.5": {2, 2, 2, 2, 2, 3, 3, 3},
	"6.6": {2, 2, 2, 3}, "6.7": {3, 3}, "6.8": {2, 2, 2, 2},
	"7.1": {2, 2, 2}, "7.2": {1, 1, 1, 1}, "7.3": {2, 2}, "7.4": {1, 1, 2, 2, 2}, "7.5": {2, 2, 3}, "7.6": {2, 2},
	"8.1": {1, 2, 3, 3}, "8.2": {1, 1, 2, 3}, "8.3": {1, 3, 3}, "8.4": {2, 3},
}

// TestASVSListIsComplete: docs/security.md has a row for each requirement that is the bar, with its level, and each row names a test or says why there is none.
func TestASVSListIsComplete(t *testing.T) {
	text, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| ([678]\.\d\.\d+) \| ([123]) \| ([^|]+) \| ([^|]+) \|$`)
	named, reason := regexp.MustCompile("`[a-z]+\\.Test\\w+`"), regexp.MustCompile(`\*\*(Not met|Does not apply):\*\* .{15,}`)
	listed := map[string]int{}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		listed[m[1]+" of level "+m[2]]++
		if !named.MatchString(m[4]) && !reason.MatchString(m[4]) {
			t.Errorf("%s names no test and gives no reason: %s", m[1], m[4])
		}
	}
	want := []string{"6.3.3 of level 3"} // which asks more there
	for section, levels := range asvs {
		for i, level := range levels {
			no := fmt.Sprintf("%s.%d of level %d", section, i+1, level)
			if level < 3 || no == "7.5.3 of level 3" {
				want = append(want, no)
			} else if listed[no] == 1 { // taken on
				want = append(want, no)
			}
		}
	}
	for _, no := range want {
		if listed[no] != 1 {
			t.Errorf("%s has %d rows", no, listed[no])
		}
		delete(listed, no)
	}
	for no := range listed {
		t.Errorf("the standard has no %s", no)
	}
	if len(want) < 55 {
		t.Errorf("only %d requirements", len(want))
	}
}
