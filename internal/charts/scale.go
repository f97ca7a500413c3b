package charts

import "math"

// Scale says where values stand between the lowest and the highest one of a chart.
type Scale struct {
	Ticks     []int64 // round values from the lowest to the highest, in the unit of the values
	low, high float64
}

// wantedSteps is how many steps a scale has at most, but for one at an end: each has room for its label.
const wantedSteps = 5

// NewScale returns a scale on which all values from low to high have a place. Its ends are ticks, and round: 1, 2 or 5, or 25, with zeros. With zero, zero
// has a place too; else the scale begins near the lowest value.
func NewScale(low, high int64, zero bool) Scale {
	if high < low {
		low, high = high, low
	}
	if zero {
		low, high = min(low, 0), max(high, 0)
	}
	span := float64(high) - float64(low)
	if span == 0 {
		if low == 0 {
			return Scale{Ticks: []int64{0}, high: 1}
		}
		span = math.Abs(float64(low)) / 10
	}
	step := roundStep(span / wantedSteps)
	first, last := floorDivided(low, step), -floorDivided(-high, step)
	if first == last {
		first, last = first-1, last+1
	}
	s := Scale{low: float64(first) * float64(step), high: float64(last) * float64(step)}
	for i := first; i <= last; i++ {
		if tick := i * step; tick/step == i && float64(tick) == float64(i)*float64(step) { // else it is beyond the range of an int64
			s.Ticks = append(s.Ticks, tick)
		}
	}
	return s
}

// roundStep is the smallest round number that is at least so much, and at least 1. No step between values of an int64 is larger than 5e18.
func roundStep(least float64) int64 {
	for _, step := range []int64{1, 2, 5} {
		if float64(step) >= least {
			return step
		}
	}
	for power := int64(1); ; power *= 10 {
		for _, step := range []int64{10 * power, 20 * power, 25 * power, 50 * power} {
			if float64(step) >= least {
				return step
			}
		}
	}
}

// floorDivided is the largest whole number that is at most a/b, for b above zero.
func floorDivided(a, b int64) int64 {
	if q := a / b; q*b <= a {
		return q
	}
	return a/b - 1
}

// share is where a value stands, 0 at the lowest and 1 at the highest.
func (s Scale) share(value int64) float64 { return (float64(value) - s.low) / (s.high - s.low) }

// Y is the place of a value from the top.
func (s Scale) Y(value int64) int { return Size - place(s.share(value)) }

// HasZero reports whether zero has a place.
func (s Scale) HasZero() bool { return s.low <= 0 && s.high >= 0 }
