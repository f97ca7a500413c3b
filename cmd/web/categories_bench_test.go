package main

import (
	"testing"

	chain "florin/internal/categories/judge"
)

// measureCategories judges what transactions are for on made-up statements (package internal/categories/judge): three years of ten households in five countries.
func measureCategories(b *testing.B) []quantity {
	var table []quantity
	for _, bar := range chain.Bars {
		table = append(table, quantity{name: "categories on made-up statements of 10 households: " + bar.Name, unit: "%", withoutYardstick: true, goal: 100 * bar.Goal, atLeast: bar.AtLeast})
	}
	took := quantity{name: "deciding what a transaction was for", unit: "µs a row", withoutYardstick: true, goal: 50}
	for range rounds {
		s, err := chain.Ledgers()
		if err != nil {
			b.Fatal(err)
		}
		for i, bar := range chain.Bars {
			table[i].florin = []float64{100 * bar.Of(s)} // the statements are the same each time
		}
		took.florin = append(took.florin, float64(s.Took.Nanoseconds())/1000/float64(s.All.Rows))
	}
	return append(table, took)
}
