package search

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Each example of docs/search.md is understood, and each operator, state and belonging is there.
func TestDocumentationIsUnderstood(t *testing.T) {
	text, err := os.ReadFile("../../docs/search.md")
	if err != nil {
		t.Fatal(err)
	}
	in := Context{Today: "2026-11-22", Named: func(Operator, []string, bool) []Mark { return []Mark{"x"} }}
	shown := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		cell, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " |")
		if !ok || !strings.HasPrefix(line, "| `") {
			continue
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
			example := m[1]
			shown[example] = true
			if strings.HasSuffix(example, ":") {
				example += "x"
			}
			if _, fault := Parse(example, in); fault != nil {
				t.Errorf("%q: %+v", m[1], fault)
			}
			operator, _, _ := strings.Cut(example, ":")
			shown[operator] = true
		}
	}
	for _, o := range Operators {
		if !shown[string(o)] {
			t.Errorf("%s: is not explained", o)
		}
	}
	for operator, values := range map[Operator]map[string]Query{OfIs: states, OfHas: belongings} {
		for value := range values {
			if !shown[string(operator)+":"+value] && value != "uncategorized" {
				t.Errorf("%s:%s is not explained", operator, value)
			}
		}
	}
}
