package main

import (
	"testing"

	homes "florin/internal/categories/household"
	foretold "florin/internal/forecast/judge"
)

// measureForecast measures how far forecasts of made-up households are from what is booked, and requests the forecast page in ledgers of several sizes. The
// households are others than those of its test.
func (s *shared) measureForecast(b *testing.B) []quantity {
	var e foretold.Errors
	for _, code := range homes.Countries() {
		for style := range homes.Styles {
			if err := e.Household(code, style, 2, 8, 40); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Logf("%d forecasts: bills and salaries are %.1f %% off, everyday spending %.1f %%", len(e.Forecast), 100*foretold.Median(e.Bills), 100*foretold.Median(e.Everyday))
	readers := s.readers(b)
	return []quantity{
		{name: "forecasts of 10 households: median error after 30 days, of what is spent in a month", unit: "%", withoutYardstick: true, goal: 100 * foretold.Goal, florin: []float64{100 * foretold.Median(e.Forecast)},
			reason: "bills and salaries are told within 0.2 %; when people go shopping, and for how much, nobody can tell: an oracle that knows the household is hardly better (next row)"},
		{name: "the same beside an oracle that knows all of a household but when it goes shopping, and for how much", unit: "%", against: "the oracle", goal: 1.25,
			florin: []float64{100 * foretold.Median(e.Forecast)}, yardstick: []float64{100 * foretold.Median(e.Oracle)}},
		growth(readers, "forecast", "", func(r *reader) float64 { return r.page(r.f.web + "/forecast") }),
		growth(readers, "forecast after a commit", "", func(r *reader) float64 { return r.afterCommits(r.f.web + "/forecast") }),
	}
}
