package forecast

import (
	"cmp"
	"slices"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// PastAhead is after how many days a forecast is compared with the balance.
const PastAhead = 30

// Past is a past forecast for a day, and the real balance.
type Past struct {
	Made, Day        openbanking.Date
	Forecast, Actual money.Amount
}

// fewestPast is from how many forecasts on their error is calculated.
const fewestPast = 5

// Off returns the median error of past forecasts: half of them were off by at most that much. Forecasts of several accounts made on one day count as one,
// with their sums compared. count is the number of such days. ok is false for fewer than five days, and for amounts that are too large.
func Off(all []Past) (median money.Amount, count int, ok bool) {
	sums := map[openbanking.Date]money.Amount{}
	for _, t := range all {
		off, err := t.Actual.Sub(t.Forecast)
		if before, known := sums[t.Made]; err == nil && known {
			off, err = off.Add(before)
		}
		if err != nil {
			return median, 0, false
		}
		sums[t.Made] = off
	}
	sizes := make([]money.Amount, 0, len(sums))
	for _, off := range sums {
		sizes = append(sizes, off.Abs())
	}
	slices.SortFunc(sizes, func(a, b money.Amount) int { return cmp.Compare(a.Minor(), b.Minor()) })
	if len(sizes) < fewestPast {
		return median, len(sizes), false
	}
	return sizes[(len(sizes)-1)/2], len(sizes), true
}
