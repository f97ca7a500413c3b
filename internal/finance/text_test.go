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
