package charts

import (
	"slices"
	"strconv"
	"strings"
)

// Point is one step of a line: a day, a week, a month.
type Point struct {
	Value     int64
	Low, High int64 // the lowest and the highest value in the step
	Gap       bool  // nothing is known of it: the line has a gap
}

// Line is where the parts of a line stand, as the data of SVG paths; a path is empty when there is nothing to draw.
type Line struct {
	Scale Scale
	X     []int  // of each point
	Known string // the line up to the point that is now
	Ahead string // and from there on
	Area  string // between the line and zero; empty when zero is not on the scale
	Range string // between the lowest and the highest values of the steps; empty when no step has a range
}

// NewLine places points from left to right. Those after the point now lie ahead; -1 means that all do, len(points)-1 that none does. The scale has zero
// unless all values are far from it and near to each other.
func NewLine(points []Point, now int) Line {
	var known []Point
	for _, p := range points {
		if !p.Gap {
			known = append(known, p)
		}
	}
	l := Line{X: make([]int, len(points))}
	for i := range points {
		l.X[i] = Size / 2
		if len(points) > 1 {
			l.X[i] = place(float64(i) / float64(len(points)-1))
		}
	}
	if len(known) == 0 {
		l.Scale = NewScale(0, 0, true)
		return l
	}
	low, high := known[0].Low, known[0].High
	for _, p := range known {
		low, high = min(low, p.Low, p.Value), max(high, p.High, p.Value)
	}
	far := low != high && (low > 0 && float64(low) > 0.8*float64(high) || high < 0 && float64(high) < 0.8*float64(low))
	l.Scale = NewScale(low, high, !far)
	l.draw(points, now)
	return l
}

func (l *Line) draw(points []Point, now int) {
	var line, ahead, area, band strings.Builder
	for from := 0; from < len(points); {
		if points[from].Gap {
			from++
			continue
		}
		to := from
		for to < len(points) && !points[to].Gap {
			to++
		}
		var values, lows, highs []corner
		ranged := false
		for i := from; i < to; i++ {
			p := points[i]
			values = append(values, corner{l.X[i], l.Scale.Y(p.Value)})
			lows = append(lows, corner{l.X[i], l.Scale.Y(p.Low)})
			highs = append(highs, corner{l.X[i], l.Scale.Y(p.High)})
			ranged = ranged || p.Low != p.High
		}
		turn := min(max(now+1-from, 0), len(values)) // how many of them are known
		if turn > 0 {
			open(&line, values[:turn])
		}
		if turn < len(values) {
			open(&ahead, values[max(turn-1, 0):])
		}
		if l.Scale.HasZero() {
			zero := l.Scale.Y(0)
			closed(&area, append([]corner{{values[0].x, zero}}, append(values, corner{values[len(values)-1].x, zero})...))
		}
		if ranged {
			slices.Reverse(lows)
			closed(&band, append(highs, lows...))
		}
		from = to
	}
	l.Known, l.Ahead, l.Area, l.Range = line.String(), ahead.String(), area.String(), band.String()
}

// corner is a place.
type corner struct{ x, y int }

// open writes a line through corners; one alone is a dot, where the ends of lines are round.
func open(b *strings.Builder, corners []corner) {
	for i, c := range corners {
		if i == 0 {
			b.WriteByte('M')
		} else {
			b.WriteByte('L')
		}
		b.WriteString(strconv.Itoa(c.x))
		b.WriteByte(' ')
		b.WriteString(strconv.Itoa(c.y))
	}
	if len(corners) == 1 {
		b.WriteString("h0")
	}
}

// closed writes a surface with corners.
func closed(b *strings.Builder, corners []corner) {
	open(b, corners)
	b.WriteByte('Z')
}

// Slot is the room around a point of a line of so many points, in which it is pointed at: where it begins, and how wide it is.
func (l *Line) Slot(i int) (x, width int) {
	from, to := 0, Size
	if i > 0 {
		from = (l.X[i-1] + l.X[i]) / 2
	}
	if i+1 < len(l.X) {
		to = (l.X[i] + l.X[i+1]) / 2
	}
	return from, to - from
}
