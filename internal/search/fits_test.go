package search

import (
	"strings"
	"testing"
)

// Short texts fit without being read: none of them has more terms than a text may have.
func TestShortTextsFit(t *testing.T) {
	named := Context{Named: func(Operator, []string, bool) []Mark { return []Mark{""} }}
	for _, piece := range []string{"a ", `""`, `a""`, `"a"`, `a"b"`, "(a)", "-a", `-""`, "a:", ":", "a:b ", `a:""`, "()", `"`, "a-", "a,", "is:in ", "1..2 ", "|", "&", "a OR ", "<", "=1", ">2"} {
		for n := range 2*maxTerms/len(piece) + 1 {
			text := strings.Repeat(piece, n)
			if _, fault := Parse(text, named); Fits(text) != (fault == nil || fault.Kind != FaultLong && fault.Kind != FaultMany) {
				t.Errorf("%d times %q: %v", n, piece, fault)
			}
		}
	}
	for _, text := range []string{strings.Repeat("a ", maxTerms+1), strings.Repeat("ä ", maxTerms+1), strings.Repeat("a", MaxLength+1)} {
		if Fits(text) {
			t.Errorf("%q fits", text)
		}
	}
}
