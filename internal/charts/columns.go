package charts

// Column is one step of a cash flow: what came in stands above zero, what went out below it.
type Column struct {
	X, Width   int // of the room of the step, from the left
	BarX, BarW int // of its bars
	In, Out    int // heights of the bars
	Net        int // where the difference of both stands, from the top
}

// Columns are the steps of a cash flow.
type Columns struct {
	Scale   Scale
	Zero    int // where nothing is, from the top
	Columns []Column
}

// seen is the height of a bar that is more than nothing at least.
const seen = 6

// NewColumns places what came in and went out in each step; both count from zero upwards.
func NewColumns(in, out []int64) Columns {
	var most, least int64
	for i := range in {
		most, least = max(most, in[i]), min(least, -out[i])
	}
	c := Columns{Scale: NewScale(least, most, true)}
	c.Zero = c.Scale.Y(0)
	height := func(value int64) int {
		if value <= 0 {
			return 0
		}
		return max(seen, c.Scale.Y(0)-c.Scale.Y(value))
	}
	for i := range in {
		from, to := place(float64(i)/float64(len(in))), place(float64(i+1)/float64(len(in)))
		column := Column{X: from, Width: to - from, Net: c.Scale.Y(in[i] - out[i]), In: height(in[i]), Out: height(out[i])}
		column.BarW = min(max(column.Width*5/8, 1), 80)
		column.BarX = from + (column.Width-column.BarW)/2
		c.Columns = append(c.Columns, column)
	}
	return c
}
