package main

import (
	"testing"

	"florin/internal/finance/transfertest"
)

// measureTransfers measures how well, not how fast, transfers between own accounts are found in generated households.
func measureTransfers(b *testing.B) []quantity {
	var s transfertest.Score
	for seed := range uint64(200) {
		h := transfertest.Make(seed)
		s.Add(h, h.Match())
	}
	b.Logf("%d transfers in 200 households, %d found, %d of them right", s.There, s.Found, s.Right)
	return []quantity{
		{name: "own transfers: those found that are right", unit: "%", withoutYardstick: true, goal: 99.5, atLeast: true, florin: []float64{100 * s.Precision()}},
		{name: "own transfers: those there are that are found", unit: "%", withoutYardstick: true, goal: 97, atLeast: true, florin: []float64{100 * s.Recall()}},
	}
}
