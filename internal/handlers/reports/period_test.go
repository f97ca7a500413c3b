package reports

import (
	"testing"
	"time"

	"florin/internal/search"
)

// A period that is not over ends today. The periods before it have the same days of their months, through the ends of February and of daylight saving time.
func TestPeriods(t *testing.T) {
	for _, c := range []struct {
		today                        string
		kind                         kind
		from, to, before, until, ago string
	}{
		{"2026-03-31", thisMonth, "2026-03-01", "2026-03-31", "2026-02-01", "2026-02-28", "2025-03-01"},
		{"2026-03-30", thisMonth, "2026-03-01", "2026-03-30", "2026-02-01", "2026-02-28", "2025-03-01"},
		{"2026-10-25", thisMonth, "2026-10-01", "2026-10-25", "2026-09-01", "2026-09-25", "2025-10-01"}, // the clocks go back
		{"2026-01-01", lastMonth, "2025-12-01", "2025-12-31", "2025-11-01", "2025-11-30", "2024-12-01"},
		{"2024-03-15", lastMonth, "2024-02-01", "2024-02-29", "2024-01-01", "2024-01-31", "2023-02-01"},
		{"2026-11-22", quarter, "2026-10-01", "2026-11-22", "2026-07-01", "2026-08-22", "2025-10-01"},
		{"2026-11-22", thisYear, "2026-01-01", "2026-11-22", "2025-01-01", "2025-11-22", "2025-01-01"},
		{"2026-11-22", lastMonths, "2025-12-01", "2026-11-22", "2024-12-01", "2025-11-22", "2024-12-01"},
	} {
		today, err := time.Parse(time.DateOnly, c.today)
		if err != nil {
			t.Fatal(err)
		}
		s, ok := spanOf(c.kind, today)
		before, ago := s.before(), s.yearBefore()
		if !ok || string(s.From) != c.from || string(s.To) != c.to || string(before.From) != c.before || string(before.To) != c.until ||
			string(ago.From) != c.ago {
			t.Errorf("%s on %s: %v, before %v, a year before %v", c.kind, c.today, s.Period, before, ago)
		}
		// When the period before equals that of a year before, the report compares with it once.
		if compared := len((&report{choice: choice{span: s}}).periods()) - 1; (compared == 1) != (before == ago) {
			t.Errorf("%s on %s is compared with %d periods", c.kind, c.today, compared)
		}
	}
	days := span{Period: search.Period{From: "2026-03-01", To: "2026-03-10"}}
	if got := days.before(); got != (search.Period{From: "2026-02-19", To: "2026-02-28"}) {
		t.Errorf("ten days before: %v", got)
	}
	for p, want := range map[search.Period]int{{From: "2026-02-01", To: "2026-02-28"}: 1, {From: "2025-12-01", To: "2026-02-28"}: 3, {From: "2026-02-01", To: "2026-02-27"}: 0,
		{From: "2026-02-02", To: "2026-02-28"}: 0} {
		if got := wholeMonths(p); got != want {
			t.Errorf("%v are %d months, want %d", p, got, want)
		}
	}
	if _, ok := spanOf("week", time.Now()); ok {
		t.Error("there is no such kind")
	}
	months := monthsOf(search.Period{From: "2025-12-15", To: "2026-02-10"})
	if len(months) != 3 || months[0] != (search.Period{From: "2025-12-15", To: "2025-12-31"}) || months[2] != (search.Period{From: "2026-02-01", To: "2026-02-10"}) {
		t.Errorf("%v", months)
	}
}
