package charts

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestScalesAreRound(t *testing.T) {
	for _, c := range []struct {
		name      string
		low, high int64
		zero      bool
		want      []int64
	}{
		{"a month of a household", 0, 312_450, true, []int64{0, 100_000, 200_000, 300_000, 400_000}},
		{"both sides of zero", -48_000, 131_000, true, []int64{-50_000, 0, 50_000, 100_000, 150_000}},
		{"negative only", -90_000, -10_000, true, []int64{-100_000, -80_000, -60_000, -40_000, -20_000, 0}},
		{"all zero", 0, 0, true, []int64{0}},
		{"one value, with zero", 4200, 4200, true, []int64{0, 1000, 2000, 3000, 4000, 5000}},
		{"one value, without zero", 100_000, 100_000, false, []int64{98_000, 100_000, 102_000}},
		{"one cent", 0, 1, true, []int64{0, 1}},
		{"the wrong way round", 400, 0, true, []int64{0, 100, 200, 300, 400}},
		{"far from zero", 1_000_000, 1_040_000, false, []int64{1_000_000, 1_010_000, 1_020_000, 1_030_000, 1_040_000}},
		{"10^15", 0, 1_000_000_000_000_000, true, []int64{0, 200_000_000_000_000, 400_000_000_000_000, 600_000_000_000_000, 800_000_000_000_000,
			1_000_000_000_000_000}},
		// Ticks beyond the range of an int64 are left out; the values have their places all the same.
		{"all that there is", -math.MaxInt64, math.MaxInt64, true, []int64{-5_000_000_000_000_000_000, 0, 5_000_000_000_000_000_000}},
	} {
		s := NewScale(c.low, c.high, c.zero)
		if !slices.Equal(s.Ticks, c.want) {
			t.Errorf("%s: ticks %v, want %v", c.name, s.Ticks, c.want)
		}
		for _, v := range []int64{c.low, c.high} {
			if y := s.Y(v); y < 0 || y > Size {
				t.Errorf("%s: %d stands at %d", c.name, v, y)
			}
		}
	}
}

// Whatever the values are, they have a place, larger ones stand higher, there are few ticks, and zero is one of them when it was asked for.
func TestScalesHoldAnyValues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		low := random.Int64N(math.MaxInt64) >> random.IntN(63)
		high := random.Int64N(math.MaxInt64) >> random.IntN(63)
		if random.IntN(2) == 0 {
			low = -low
		}
		if random.IntN(3) == 0 {
			high = -high
		}
		low, high = min(low, high), max(low, high)
		zero := random.IntN(2) == 0
		s := NewScale(low, high, zero)
		if a, b := s.Y(low), s.Y(high); a < b || a > Size || b < 0 {
			t.Fatalf("scale of %d to %d: they stand at %d and %d", low, high, a, b)
		}
		if len(s.Ticks) > 8 || len(s.Ticks) < 2 && (low != 0 || high != 0) {
			t.Fatalf("scale of %d to %d has the ticks %v", low, high, s.Ticks)
		}
		if zero && (!slices.Contains(s.Ticks, 0) || !s.HasZero()) {
			t.Fatalf("scale of %d to %d: no zero among %v", low, high, s.Ticks)
		}
		if !slices.IsSorted(s.Ticks) {
			t.Fatalf("scale of %d to %d: %v", low, high, s.Ticks)
		}
	}
}

func point(v int64) Point { return Point{Value: v, Low: v, High: v} }

func TestLine(t *testing.T) {
	for _, c := range []struct {
		name                      string
		points                    []Point
		ahead                     int
		known, coming, area, band string
	}{
		{name: "nothing"},
		{name: "gaps alone", points: []Point{{Gap: true}, {Gap: true}}},
		{name: "one point", points: []Point{point(100)}, known: "M500 0h0", area: "M500 1000L500 0L500 1000Z"},
		{name: "all zero", points: []Point{point(0), point(0)}, known: "M0 1000L1000 1000", area: "M0 1000L0 1000L1000 1000L1000 1000Z"},
		{name: "negative only", points: []Point{point(-100), point(-50)}, known: "M0 1000L1000 500", area: "M0 0L0 1000L1000 500L1000 0Z"},
		{name: "a gap", points: []Point{point(0), {Gap: true}, point(100)}, known: "M0 1000h0M1000 0h0", area: "M0 1000L0 1000L0 1000ZM1000 1000L1000 0L1000 1000Z"},
		{name: "what lies ahead begins now", points: []Point{point(0), point(50), point(100)}, ahead: 1, known: "M0 1000L500 500", coming: "M500 500L1000 0",
			area: "M0 1000L0 1000L500 500L1000 0L1000 1000Z"},
		{name: "all lies ahead", points: []Point{point(0), point(100)}, ahead: 2, coming: "M0 1000L1000 0", area: "M0 1000L0 1000L1000 0L1000 1000Z"},
		{name: "a range", points: []Point{{Value: 50, Low: 0, High: 100}, {Value: 50, Low: 25, High: 50}}, known: "M0 500L1000 500",
			area: "M0 1000L0 500L1000 500L1000 1000Z", band: "M0 0L1000 500L1000 750L0 1000Z"},
		{name: "far from zero there is no surface", points: []Point{point(1000), point(1100)}, known: "M0 1000L1000 0"},
	} {
		l := NewLine(c.points, len(c.points)-c.ahead-1)
		if l.Known != c.known || l.Ahead != c.coming || l.Area != c.area || l.Range != c.band {
			t.Errorf("%s: %q, %q, %q, %q", c.name, l.Known, l.Ahead, l.Area, l.Range)
		}
	}
}

// The rooms of all points lie side by side and fill the chart.
func TestSlotsFillTheLine(t *testing.T) {
	for _, n := range []int{1, 2, 3, 91, 366} {
		l := NewLine(make([]Point, n), n-1)
		at := 0
		for i := range n {
			x, width := l.Slot(i)
			if x != at || width <= 0 || l.X[i] < x || l.X[i] > x+width {
				t.Fatalf("%d points: point %d at %d has %d to %d, want from %d", n, i, l.X[i], x, x+width, at)
			}
			at += width
		}
		if at != Size {
			t.Errorf("%d points end at %d", n, at)
		}
	}
}

func TestColumns(t *testing.T) {
	c := NewColumns([]int64{3000, 0, 0, 1}, []int64{1000, 0, 2000, 0})
	if want := []int64{-2000, -1000, 0, 1000, 2000, 3000}; !slices.Equal(c.Scale.Ticks, want) || c.Zero != 600 {
		t.Fatalf("ticks %v, zero at %d", c.Scale.Ticks, c.Zero)
	}
	for i, want := range []struct{ in, out, net int }{{600, 200, 200}, {0, 0, 600}, {0, 400, 1000}, {seen, 0, 600}} {
		if got := c.Columns[i]; got.In != want.in || got.Out != want.out || got.Net != want.net {
			t.Errorf("step %d: %+v, want %+v", i, got, want)
		}
	}
	at := 0
	for _, column := range c.Columns {
		if column.X != at || column.BarX < column.X || column.BarX+column.BarW > column.X+column.Width {
			t.Errorf("column %+v, want from %d", column, at)
		}
		at += column.Width
	}
	for _, none := range []Columns{NewColumns(nil, nil), NewColumns([]int64{0}, []int64{0}), NewColumns([]int64{math.MaxInt64}, []int64{math.MaxInt64})} {
		if none.Zero < 0 || none.Zero > Size {
			t.Errorf("zero stands at %d", none.Zero)
		}
	}
}

func TestLargest(t *testing.T) {
	size := func(v int64) int64 { return v }
	var many []int64
	for i := range int64(10_000) {
		many = append(many, i)
	}
	largest, rest := Largest(many, 8, size)
	if !slices.Equal(largest, []int64{9999, 9998, 9997, 9996, 9995, 9994, 9993, 9992}) || len(rest) != 9992 {
		t.Errorf("largest %v, and %d others", largest, len(rest))
	}
	if largest, rest := Largest([]int64{1, 3, 2}, 2, size); !slices.Equal(largest, []int64{3, 2, 1}) || rest != nil {
		t.Errorf("one other: %v, %v; it stands for itself", largest, rest)
	}
	if many[0] != 0 {
		t.Error("the items were moved")
	}
}

func TestShares(t *testing.T) {
	if got := Shares(1000, 500, 1, 0, -700); !slices.Equal(got, []int{1000, 500, 4, 0, 0}) {
		t.Errorf("shares %v", got)
	}
	if got := Shares(0, -1); !slices.Equal(got, []int{0, 0}) {
		t.Errorf("shares of nothing: %v", got)
	}
}

func TestFlows(t *testing.T) {
	f := NewFlows([]int64{300_000}, []int64{150_000, 75_000, 100})
	if f.Middle != fullFlow || f.In[0].Height != fullFlow || f.Out[0].Height != fullFlow/2 || f.Out[2].Height != 1 {
		t.Fatalf("flows %+v", f)
	}
	for _, side := range [][]Flow{f.In, f.Out} {
		for i, flow := range side {
			if flow.Y < 0 || flow.Y+flow.Height > f.Height || flow.Label < labelRoom/2 || flow.Label > f.Height-labelRoom/2 {
				t.Errorf("a stream sticks out: %+v of %d", flow, f.Height)
			}
			if i > 0 && flow.Label-side[i-1].Label < labelRoom {
				t.Errorf("two labels have %d pixels", flow.Label-side[i-1].Label)
			}
			if !strings.HasPrefix(flow.Path, "M") || strings.Contains(flow.Path, "NaN") || strings.Contains(flow.Path, "Inf") {
				t.Errorf("path %q", flow.Path)
			}
		}
	}
	many := make([]int64, 10_000)
	for i := range many {
		many[i] = math.MaxInt64 / 4
	}
	if f := NewFlows(many, nil); f.Height != len(many)*labelRoom || len(f.Out) != 0 {
		t.Errorf("height %d of 10,000 streams", f.Height)
	}
}

func TestWeeks(t *testing.T) {
	weeks := Weeks(2026, time.November) // it begins on a Sunday
	if len(weeks) != 6 || weeks[0] != [7]int{0, 0, 0, 0, 0, 0, 1} || weeks[5] != [7]int{30} {
		t.Errorf("November 2026: %v", weeks)
	}
	if weeks := Weeks(2027, time.February); len(weeks) != 4 || weeks[0][0] != 1 || weeks[3][6] != 28 {
		t.Errorf("February 2027: %v", weeks)
	}
	if weeks := Weeks(2028, time.February); weeks[len(weeks)-1][1] != 29 {
		t.Errorf("February 2028: %v", weeks)
	}
}

func TestLevels(t *testing.T) {
	if got := Levels([]int64{0, 10, 20, 30, math.MaxInt64, -5}); !slices.Equal(got, []int{0, 1, 2, 3, 4, 0}) {
		t.Errorf("levels %v", got)
	}
	if got := Levels([]int64{7, 7, 7}); !slices.Equal(got, []int{1, 1, 1}) {
		t.Errorf("equal values: %v", got)
	}
	if got := Levels(nil); len(got) != 0 {
		t.Errorf("levels of nothing: %v", got)
	}
}
