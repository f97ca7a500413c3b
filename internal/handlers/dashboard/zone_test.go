package dashboard

import (
	"testing"
	"time"

	"florin/internal/testkit"
)

// The first page shows the month and the days until today in the person's time zone.
func TestMonthOfTimeZones(t *testing.T) {
	for _, m := range testkit.Moments(t) {
		for _, asked := range []string{"", m.Day[:len("2006-01")], "2999-01"} {
			first, until := shown(asked, m.Now)
			if got := first.AddDate(0, 0, until-1).Format(time.DateOnly); first.Day() != 1 || got != m.Day {
				t.Errorf("%v, asked for %q: from %v until %s, want %s", m.Now, asked, first, got, m.Day)
			}
		}
		if first, until := shown("2026-01", m.Now); first.Format(time.DateOnly) != "2026-01-01" || until != 0 {
			t.Errorf("%v: January is from %v until %d", m.Now, first, until)
		}
	}
}
