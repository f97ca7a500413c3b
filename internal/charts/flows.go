package charts

import "fmt"

// Flow is one stream of a Sankey chart, between its own end and the middle.
type Flow struct {
	Y, Height int    // of its own end, from the top, in pixels
	Label     int    // where the middle of its label stands
	Path      string // of the stream, in a box that is Size wide and as high as the chart
}

// Flows are the streams of a Sankey chart: from the left into the middle, and from there to the right.
type Flows struct {
	Height          int // of the chart, in pixels; the label of each stream has its room
	MiddleY, Middle int // where the middle begins, and how high it is
	In, Out         []Flow
}

const (
	fullFlow  = 240 // pixels of all that flows
	labelRoom = 40  // pixels of a stream at least, with its label of two lines
	flowGap   = 6   // pixels between two streams at least
	leftEnd   = 460 // place where the streams from the left end
	rightEnd  = 540 // and where those to the right begin
)

// NewFlows places streams. Values are above zero. Where the two sides differ, the middle is as high as the larger one.
func NewFlows(in, out []int64) Flows {
	sum := func(values []int64) (total float64) {
		for _, v := range values {
			total += float64(v)
		}
		return total
	}
	total := max(sum(in), sum(out), 1)
	left, leftHeight := ends(in, total)
	right, rightHeight := ends(out, total)
	f := Flows{Height: max(leftHeight, rightHeight, fullFlow), In: left, Out: right}
	for _, side := range []struct {
		flows  []Flow
		height int
	}{{left, leftHeight}, {right, rightHeight}} {
		for i := range side.flows {
			side.flows[i].Y += (f.Height - side.height) / 2
			side.flows[i].Label += (f.Height - side.height) / 2
		}
	}
	f.Middle = fullFlow
	f.MiddleY = (f.Height - f.Middle) / 2
	join(left, in, total, f.MiddleY, 0, leftEnd)
	join(right, out, total, f.MiddleY, Size, rightEnd)
	return f
}

// ends places the own ends of the streams of one side, below each other.
func ends(values []int64, total float64) (flows []Flow, height int) {
	for _, v := range values {
		thick := max(1, int(float64(v)/total*fullFlow+0.5))
		room := max(labelRoom, thick+flowGap)
		flows = append(flows, Flow{Y: height + (room-thick)/2, Height: thick, Label: height + room/2})
		height += room
	}
	return flows, height
}

// join draws the streams of one side from their own ends at a place from the left to the middle, where they lie upon each other.
func join(flows []Flow, values []int64, total float64, middle, from, to int) {
	at := float64(middle)
	half := (from + to) / 2
	for i, v := range values {
		high := float64(v) / total * fullFlow
		f := &flows[i]
		f.Path = fmt.Sprintf("M%d %dC%d %d %d %.1f %d %.1fV%.1fC%d %.1f %d %d %d %dZ", from, f.Y, half, f.Y, half, at, to, at,
			at+high, half, at+high, half, f.Y+f.Height, from, f.Y+f.Height)
		at += high
	}
}
