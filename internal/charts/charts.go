// Package charts calculates where the parts of a chart stand: scales with round values, lines, columns, flows, the days of a month. It takes numbers and
// returns places; it knows no words, colours or pages. web/templates/charts draws them.
//
// Places are whole numbers from 0 to Size, from the left and from the top. A chart that stretches with its page draws them in a box of Size by Size.
package charts

import (
	"cmp"
	"math"
	"slices"
)

// Size is how many places a chart has in each direction.
const Size = 1000

// place is a share of the whole as a place.
func place(share float64) int { return int(math.Round(share * Size)) }

// Largest returns the items with the largest sizes, the largest first, at most so many; rest are all others. When there is one item more than that, it is
// among the largest: a line "others" for one item would say less than the item itself.
func Largest[T any](items []T, most int, size func(T) int64) (largest, rest []T) {
	sorted := slices.Clone(items)
	slices.SortStableFunc(sorted, func(a, b T) int { return cmp.Compare(size(b), size(a)) })
	if len(sorted) <= most+1 {
		return sorted, nil
	}
	return sorted[:most:most], sorted[most:]
}

// Shares returns for each value how much of the largest value it is, from 0 to Size. What is more than nothing is at least 4, so that it can be seen; what is
// nothing or less is 0.
func Shares(values ...int64) []int {
	var largest int64
	for _, v := range values {
		largest = max(largest, v)
	}
	shares := make([]int, len(values))
	for i, v := range values {
		if v > 0 {
			shares[i] = max(4, place(float64(v)/float64(largest)))
		}
	}
	return shares
}
