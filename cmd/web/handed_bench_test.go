package main

import (
	"testing"

	"florin/internal/finance/handedtest"
)

// measureHanded measures how well Florin finds the bookings of payments that people sent in the apps of their banks, in other made-up ledgers than its test
// uses.
func measureHanded(b *testing.B) []quantity {
	found := quantity{name: "1,000 payments sent in the bank’s app: bookings found among look-alikes", unit: "%", withoutYardstick: true, goal: 98, atLeast: true}
	wrong := quantity{name: "1,000 payments sent in the bank’s app: wrong bookings taken", unit: "bookings", withoutYardstick: true}
	for seed := range uint64(3) {
		score := handedtest.Judge(handedtest.Make(100+seed, 1000))
		found.florin = append(found.florin, 100*float64(score.Found)/float64(score.There))
		wrong.florin = append(wrong.florin, float64(score.Wrong))
	}
	b.Logf("found %v %%, wrong %v", found.florin, wrong.florin)
	return []quantity{found, wrong}
}
