package main

import (
	"testing"

	series "florin/internal/recurring/judge"
)

// measureRecurring finds the series of made-up ledgers, other ones than its test. It says how well, not how fast.
func measureRecurring(b *testing.B) []quantity {
	var s series.Score
	for seed := range uint64(60) {
		l, err := series.Make(200 + seed)
		if err != nil {
			b.Fatal(err)
		}
		s = s.With(l)
	}
	b.Logf("%d series in 60 ledgers, %d found, %d of them right; %d of %d days told are right", s.There, s.Found, s.Right, s.Near, s.Next)
	var table []quantity
	for _, bar := range series.Bars {
		table = append(table, quantity{name: "recurring transactions: " + bar.Name, unit: "%", withoutYardstick: true, goal: 100 * bar.Goal, atLeast: true, florin: []float64{100 * bar.Of(s)}})
	}
	return table
}
