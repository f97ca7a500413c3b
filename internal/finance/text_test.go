package finance

import (
	"strings"
	"testing"
)

func TestExcerptIsCleanAndShort(t *testing.T) {
	if got := Excerpt(" one\r\n two\u202e "); got != "one two" {
		t.Errorf("got %q", got)
	}
	if got := Excerpt(strings.Repeat("ä", 501)); got != strings.Repeat("ä", 500) {
		t.Errorf("got %d bytes", len(got))
	}
}

// What people type is sent as they meant it: with plain spaces and whole letters, and nothing taken out.
func TestTyped(t *testing.T) {
	for text, want := range map[string]string{
		" ACME\u00a0GmbH\t& \u202fCo\r\n": "ACME GmbH & Co", "e\u0301": "é", "a\u200bb": "a\u200bb", "\u202eabc": "\u202eabc", "💶": "💶", "": "", "Å": "Å",
	} {
		if got := Typed(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
