package charts

import (
	"slices"
	"time"
)

// Weeks returns the days of a month in weeks from Monday on; 0 stands for a day of another month.
func Weeks(year int, month time.Month) (weeks [][7]int) {
	first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	column := (int(first.Weekday()) + 6) % 7
	for day := 1; day <= last; day++ {
		if len(weeks) == 0 || column == 7 {
			weeks, column = append(weeks, [7]int{}), column%7
		}
		weeks[len(weeks)-1][column] = day
		column++
	}
	return weeks
}

// Levels returns for each value a level from 0 to 4: 0 for nothing or less, else the quarter of all values above zero that it is in, so that one huge value
// does not make all others look like nothing. Equal values have one level.
func Levels(values []int64) []int {
	var sorted []int64
	for _, v := range values {
		if v > 0 {
			sorted = append(sorted, v)
		}
	}
	slices.Sort(sorted)
	levels := make([]int, len(values))
	for i, v := range values {
		if v > 0 {
			rank, _ := slices.BinarySearch(sorted, v)
			levels[i] = 1 + rank*4/len(sorted)
		}
	}
	return levels
}
