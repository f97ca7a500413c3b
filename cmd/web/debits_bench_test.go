package main

import (
	"testing"

	debits "florin/internal/debits/judge"
)

// measureDebits lets the guard of direct debits watch made-up accounts, other ones than its test uses. It measures which share of the planted cases is reported
// on its day, and the number of false alarms.
func measureDebits(b *testing.B) []quantity {
	b.Helper()
	var year, quarter, quiet debits.Score
	for seed := range uint64(60) {
		account := debits.Make(2000+seed, true)
		year, quarter = year.With(account, 365), quarter.With(account, 90)
		quiet = quiet.With(debits.Make(3000+seed, false), 365)
	}
	b.Logf("a year of history: %d of %d reported on their day, %v; %d false alarms, and %d where nothing was put in, in %.0f years each", year.Found, year.Planted, year.ByKind,
		year.False, quiet.False, year.Years)
	b.Logf("90 days of history: %d of %d reported, %d false alarms", quarter.Found, quarter.Planted, quarter.False)
	for _, m := range year.Mistakes {
		b.Log(m)
	}
	return []quantity{
		{name: "direct debits: what is odd and reported on its day", unit: "%", withoutYardstick: true, goal: 100 * debits.BarFound, atLeast: true, florin: []float64{100 * year.Share()}},
		{name: "direct debits: false alarms a year and household", unit: "", withoutYardstick: true, goal: debits.BarFalse, florin: []float64{year.FalseAlarms()}},
		{name: "direct debits: false alarms a year and household where nothing is odd", unit: "", withoutYardstick: true, goal: debits.BarFalse, florin: []float64{quiet.FalseAlarms()}},
		{name: "direct debits: false alarms a year and household where the bank gave 90 days of history", unit: "", withoutYardstick: true, goal: debits.BarFalse,
			florin: []float64{quarter.FalseAlarms()}},
	}
}
