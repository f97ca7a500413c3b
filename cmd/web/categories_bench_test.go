package main

import (
	"os"
	"testing"

	statements "florin/internal/categories/household"
	chain "florin/internal/categories/judge"
)

// measureCategories measures how well Florin categorises made-up statements (package internal/categories/judge): three years of ten households in five
// countries.
func measureCategories(b *testing.B) []quantity {
	var table []quantity
	for _, bar := range chain.Bars {
		table = append(table, quantity{name: "categories on made-up statements of 10 households: " + bar.Name, unit: "%", withoutYardstick: true, goal: 100 * bar.Goal, atLeast: bar.AtLeast})
	}
	took := quantity{name: "reading a transaction and deciding what it was for", unit: "µs CPU a row", withoutYardstick: true, goal: 50}
	ledgers := statements.All()
	for range rounds {
		before := cpuTime(b, os.Getpid())
		s, err := chain.Ledgers(ledgers)
		if err != nil {
			b.Fatal(err)
		}
		for i, bar := range chain.Bars {
			table[i].florin = []float64{100 * bar.Of(s)} // the statements are the same each time
		}
		took.florin = append(took.florin, float64((cpuTime(b, os.Getpid())-before).Microseconds())/float64(s.All.Rows))
	}
	return append(table, took)
}
