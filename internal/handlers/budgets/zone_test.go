package budgets

import (
	"testing"
	"time"

	core "florin/internal/budgets"
	"florin/internal/handlers/show"
	"florin/internal/store"
	"florin/internal/testkit"
	"florin/web/templates/words"
)

// The present month of budgets, and how much of it has passed, follow the person's time zone.
func TestMonthOfTimeZones(t *testing.T) {
	for _, at := range testkit.Moments(t) {
		today, err := time.Parse(time.DateOnly, at.Day)
		if err != nil {
			t.Fatal(err)
		}
		m := month{Clock: show.Clock{Language: words.English, Now: at.Now}, plan: store.Plan{Calendar: core.Calendar{}}}
		m.now()
		m.is = m.current
		of := time.Date(today.Year(), today.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
		if want := core.Percent(int64(today.Day()), int64(of)); string(m.current) != at.Day[:len("2006-01")] || m.gone() != want {
			t.Errorf("%v: %d %% of %s has gone, want %d %% of %s", at.Now, m.gone(), m.current, want, at.Day[:len("2006-01")])
		}
	}
}
