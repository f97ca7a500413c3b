// Package charts draws charts as SVG on the server. Each chart takes amounts in one currency with the names of their steps and the addresses of the rows
// behind them. It describes what it shows in words, and has a table with the same figures and links for people who do not see it or who use the keyboard.
// internal/charts calculates positions; the colours are in web/static/assets/app.css.
//
// A chart is as wide as its place and keeps its height: lines and bars stretch, words do not. The caller provides the title of the card around it.
package charts

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	geometry "florin/internal/charts"
	"florin/internal/money"
	"florin/web/templates/words"
)

// Line is a chart of amounts over time, such as a balance: its line with the surface below it, the range of each step, and the part that is a forecast. With
// more than 183 steps, the days of half a year, it is larger than 15 KB; steps should then be weeks, with their ranges.
type Line struct {
	Title  string // what it shows: "Balance of all accounts in EUR"
	Value  string // the name of a value: "Balance"
	Points []Point
	Ahead  int // how many points at the end lie in the future
}

// Point is one step of a line: a day, a week, a month.
type Point struct {
	Name      string       // in full: "3 October 2026"
	Mark      string       // on the axis, where a step begins that has a name: "Oct"; else empty
	Value     money.Amount // with no currency: nothing is known, and the line has a gap
	Low, High money.Amount // the lowest and the highest in the step; with no currency: there is only the value
	Label     string       // written next to the point: "Lowest: 12.50"; usually empty
	Href      string       // of the rows behind it; may be empty
}

// CashFlow is a chart of what came in, what went out and the difference, step by step.
type CashFlow struct {
	Title string
	Steps []Step
}

// Step is a step of a cash flow: a month.
type Step struct {
	Name, Mark      string       // "October 2026", "Oct"
	In, Out         money.Amount // zero or more both
	InHref, OutHref string       // of the rows; may be empty
	Href            string       // of all of them; may be empty
}

// Bars is a chart of amounts by name, such as spending by category, which may be compared with those of another period. It is a table itself.
type Bars struct {
	Title string
	Name  string // the heading of the names: "Category"
	Now   string // the period: "October 2026"
	Then  string // the period to compare with; empty without one
	Rows  []Bar
}

// Bar is a row of a chart of bars.
type Bar struct {
	Name      string
	Href      string       // of the rows behind Now; may be empty
	Now, Then money.Amount // Then with no currency: nothing
	ThenHref  string
}

// Sankey is a chart of where money came from and where it went.
type Sankey struct {
	Title   string
	Middle  string // the name of the middle, through which all streams flow: "October 2026"
	In, Out []Stream
}

// Stream is one stream of a Sankey chart. A stream that is not above zero is only in the table.
type Stream struct {
	Name   string
	Amount money.Amount
	Href   string // may be empty
}

// Calendar is a month with an amount for each day, such as the spending. It is a table itself.
type Calendar struct {
	Title string
	Weeks [][7]Day // from Monday on
}

// Day is a day of a calendar. One without a number belongs to another month.
type Day struct {
	Number int
	Name   string       // "3 October 2026"
	Amount money.Amount // without a currency there is none
	Level  int          // from 0, nothing, to 4, how much it is among the others
	Today  bool
	Ahead  bool   // it is to come
	Href   string // may be empty
}

// Positions in a chart with axes, in pixels.
const (
	plotTop    = 12
	plotHeight = 188
	axisMarks  = plotTop + plotHeight + 20 // baseline of the names below
	chartTall  = plotTop + plotHeight + 28
)

// pixel returns the vertical position of a place in a plot, in pixels from the top.
func pixel(y int) string { return strconv.Itoa(plotTop + (y*plotHeight+geometry.Size/2)/geometry.Size) }

// percent returns the horizontal position of a place.
func percent(x int) string {
	return strconv.FormatFloat(float64(x)*100/geometry.Size, 'f', -1, 64) + "%"
}

// axis holds the values of a scale in words, with the space that they need.
type axis struct {
	labels []string
	y      []string
	zero   []bool
	width  string // in pixels
	unit   string
}

func axisOf(ctx context.Context, s geometry.Scale, currency string) axis {
	a := axis{labels: words.In(ctx).Axis(s.Ticks, currency), unit: currency}
	longest := len(currency)
	for i, tick := range s.Ticks {
		longest = max(longest, len([]rune(a.labels[i])))
		a.y, a.zero = append(a.y, pixel(s.Y(tick))), append(a.zero, tick == 0)
	}
	a.width = strconv.Itoa(8*longest + 10)
	return a
}

// mark is a name below a plot.
type mark struct {
	at     int // place from the left
	text   string
	anchor string
	wide   bool // there is room for it on a wide page alone
}

// How many names fit below a plot, and how many pixels it has at the least: on a wide page, and on a narrow one of 390 pixels.
const (
	wideMarks, widePlot     = 14, 400
	narrowMarks, narrowPlot = 7, 230
)

// The width of a letter in a name, and the space between two names, in pixels.
const (
	letterWidth = 7
	marksApart  = 6
)

// span is from where to where a name goes below a plot of so many pixels.
func (m mark) span(plot int) (from, to int) {
	width := letterWidth * utf8.RuneCountInString(m.text)
	from = m.at * plot / geometry.Size
	switch m.anchor {
	case "middle":
		from -= width / 2
	case "end":
		from -= width
	}
	return from, from + width
}

// touches reports whether a name has no room behind another one, below a plot of so many pixels.
func (m mark) touches(before mark, plot int) bool {
	_, end := before.span(plot)
	from, _ := m.span(plot)
	return from < end+marksApart
}

// thinned leaves out names until the others fit, and then notes which have no room on a narrow page. One that would touch the name before it, such as that of
// a month that begins some days after today, is left out, too.
func thinned(marks []mark) (list []mark) {
	each := (len(marks) + wideMarks - 1) / wideMarks
	for i := 0; i < len(marks); i += max(each, 1) {
		if len(list) == 0 || !marks[i].touches(list[len(list)-1], widePlot) {
			list = append(list, marks[i])
		}
	}
	narrow, last := (len(list)+narrowMarks-1)/narrowMarks, 0
	for i := 1; i < len(list); i++ {
		if list[i].wide = i%narrow != 0 || list[i].touches(list[last], narrowPlot); !list[i].wide {
			last = i
		}
	}
	return list
}

// known reports whether an amount is one.
func known(a money.Amount) bool { return a.Currency() != "" }

// currency returns the currency of the first known amount.
func (c Line) currency() string {
	for _, p := range c.Points {
		if known(p.Value) {
			return p.Value.Currency()
		}
	}
	return ""
}

// alone reports whether a point has no neighbour, so that no line connects it.
func (c Line) alone(i int) bool {
	return (i == 0 || !known(c.Points[i-1].Value)) && (i+1 == len(c.Points) || !known(c.Points[i+1].Value))
}

func (c Line) now() int { return len(c.Points) - c.Ahead - 1 }

func (c Line) geometry() geometry.Line {
	points := make([]geometry.Point, len(c.Points))
	for i, p := range c.Points {
		if !known(p.Value) {
			points[i].Gap = true
			continue
		}
		points[i] = geometry.Point{Value: p.Value.Minor(), Low: p.Value.Minor(), High: p.Value.Minor()}
		if p.ranged() {
			points[i].Low, points[i].High = p.Low.Minor(), p.High.Minor()
		}
	}
	return geometry.NewLine(points, c.now())
}

// ranged reports whether the step has a range.
func (p Point) ranged() bool { return known(p.Low) && known(p.High) }

// hasRange reports whether any step has a range.
func (c Line) hasRange() bool { return slices.ContainsFunc(c.Points, Point.ranged) }

// marks returns the names below the line, each at the beginning of its step.
func (c Line) marks(x []int) (marks []mark) {
	for i, p := range c.Points {
		if p.Mark == "" {
			continue
		}
		m := mark{at: x[i], text: p.Mark, anchor: "start"}
		if x[i] > geometry.Size*19/20 {
			m.anchor = "end"
		}
		if len(c.Points) == 1 {
			m.anchor = "middle"
		}
		marks = append(marks, m)
	}
	return thinned(marks)
}

// summary describes the line in words.
func (c Line) summary(ctx context.Context) string {
	var first, last, low, high *Point
	for i := range c.Points {
		p := &c.Points[i]
		if !known(p.Value) {
			continue
		}
		if first == nil {
			first, low, high = p, p, p
		}
		last = p
		if p.low().Minor() < low.low().Minor() {
			low = p
		}
		if p.high().Minor() > high.high().Minor() {
			high = p
		}
	}
	l := words.In(ctx)
	if first == last {
		return l.Say("%s (%s).", first.Value, first.Name)
	}
	return l.Say("From %s (%s) to %s (%s). Lowest: %s (%s). Highest: %s (%s).", first.Value, first.Name, last.Value, last.Name, low.low(), low.Name,
		high.high(), high.Name)
}

func (p Point) low() money.Amount {
	if p.ranged() {
		return p.Low
	}
	return p.Value
}

func (p Point) high() money.Amount {
	if p.ranged() {
		return p.High
	}
	return p.Value
}

// tip returns the text that is shown when a point is pointed at.
func tip(ctx context.Context, name string, amount money.Amount) string {
	if !known(amount) {
		return name
	}
	return name + ": " + words.In(ctx).Money(amount)
}

// labelAnchor returns on which side of a point its label is.
func labelAnchor(x int) string {
	switch {
	case x < geometry.Size/4:
		return "start"
	case x > geometry.Size*3/4:
		return "end"
	}
	return "middle"
}

// labelY returns the baseline of a point's label: above the point, or below it when there is no space above.
func labelY(y int) string {
	at := plotTop + y*plotHeight/geometry.Size
	if at < plotTop+24 {
		return strconv.Itoa(at + 20)
	}
	return strconv.Itoa(at - 9)
}

func (c CashFlow) geometry() geometry.Columns {
	in, out := make([]int64, len(c.Steps)), make([]int64, len(c.Steps))
	for i, s := range c.Steps {
		in[i], out[i] = s.In.Minor(), s.Out.Minor()
	}
	return geometry.NewColumns(in, out)
}

func (c CashFlow) currency() string {
	if len(c.Steps) == 0 {
		return ""
	}
	return c.Steps[0].In.Currency()
}

func (c CashFlow) marks(columns []geometry.Column) (marks []mark) {
	for i, s := range c.Steps {
		marks = append(marks, mark{at: columns[i].X + columns[i].Width/2, text: s.Mark, anchor: "middle"})
	}
	return thinned(marks)
}

// net returns what came in less what went out.
func (s Step) net() money.Amount { return money.FromMinor(s.In.Minor()-s.Out.Minor(), s.In.Currency()) }

// summary describes in words what came in and went out in total.
func (c CashFlow) summary(ctx context.Context) string {
	l := words.In(ctx)
	var in, out []money.Amount
	for _, s := range c.Steps {
		in, out = append(in, s.In), append(out, s.Out)
	}
	ins, err := money.Sum(in...)
	outs, err2 := money.Sum(out...)
	if err != nil || err2 != nil || len(ins) != 1 || len(outs) != 1 {
		return ""
	}
	net, err := ins[0].Sub(outs[0])
	if err != nil {
		return ""
	}
	return l.Say("%d months: %s came in and %s went out. The difference is %s.", len(c.Steps), ins[0], outs[0], net)
}

// summary describes in words which amount is the largest, and what it is compared with.
func (c Bars) summary(ctx context.Context) string {
	largest := -1
	for i, r := range c.Rows {
		if known(r.Now) && r.Now.Sign() > 0 && (largest < 0 || r.Now.Minor() > c.Rows[largest].Now.Minor()) {
			largest = i
		}
	}
	if largest < 0 {
		return ""
	}
	r := c.Rows[largest]
	if c.Then == "" || !known(r.Then) {
		return words.Say(ctx, "The largest amount: %s, %s.", r.Name, r.Now)
	}
	return words.Say(ctx, "The largest amount: %s, %s. For comparison: %s (%s).", r.Name, r.Now, r.Then, c.Then)
}

// summary describes in words the days with an amount, the total, and the day with the largest amount.
func (c Calendar) summary(ctx context.Context) string {
	var amounts []money.Amount
	var most *Day
	for w := range c.Weeks {
		for i := range c.Weeks[w] {
			d := &c.Weeks[w][i]
			if !known(d.Amount) || d.Amount.IsZero() {
				continue
			}
			amounts = append(amounts, d.Amount)
			if most == nil || d.Amount.Minor() > most.Amount.Minor() {
				most = d
			}
		}
	}
	if most == nil {
		return words.Say(ctx, "There is nothing on any day.")
	}
	sums, err := money.Sum(amounts...)
	if err != nil || len(sums) != 1 {
		return ""
	}
	return words.Say(ctx, "%d days: %s in total. The most was on %s: %s.", len(amounts), sums[0], most.Name, most.Amount)
}

// shares returns the lengths of the bars, of both periods on one scale.
func (c Bars) shares() (now, then []int) {
	values := make([]int64, 0, 2*len(c.Rows))
	for _, r := range c.Rows {
		values = append(values, r.Now.Minor())
	}
	for _, r := range c.Rows {
		values = append(values, r.Then.Minor())
	}
	shares := geometry.Shares(values...)
	return shares[:len(c.Rows)], shares[len(c.Rows):]
}

// barWidth returns the length of a bar in its box.
func barWidth(share int) string { return percent(share) }

// flowing is a Sankey chart with the positions of its streams.
type flowing struct {
	in, out []Stream
	geometry.Flows
}

func (c Sankey) drawn() flowing {
	above := func(streams []Stream) (list []Stream, values []int64) {
		for _, s := range streams {
			if s.Amount.Sign() > 0 {
				list, values = append(list, s), append(values, s.Amount.Minor())
			}
		}
		return list, values
	}
	in, ins := above(c.In)
	out, outs := above(c.Out)
	return flowing{in, out, geometry.NewFlows(ins, outs)}
}

// summary describes the largest streams in words.
func (c Sankey) summary(ctx context.Context) string {
	var said []string
	for _, side := range []struct {
		streams []Stream
		text    words.Text
	}{{c.In, "Most came from %s: %s."}, {c.Out, "Most went to %s: %s."}} {
		if len(side.streams) > 0 {
			largest := slices.MaxFunc(side.streams, func(a, b Stream) int { return int(min(max(a.Amount.Minor()/2-b.Amount.Minor()/2, -1), 1)) })
			said = append(said, words.Say(ctx, side.text, largest.Name, largest.Amount))
		}
	}
	return strings.Join(said, " ")
}

// labelWidth is the number of letters of a name that are written next to a stream: as many as fit on a page of 390 pixels.
const labelWidth = 21

// cut shortens a name to what has room. Characters of East Asian scripts and pictures are twice as wide as letters.
func cut(name string) string {
	wide := 0
	for i, r := range name {
		wide++
		if r >= 0x1100 {
			wide++
		}
		if wide > labelWidth && len([]rune(name[i:])) > 1 {
			return strings.TrimRight(string([]rune(name[:i])), " ") + "…"
		}
	}
	return name
}

// netPath returns the line at the difference of a step, somewhat wider than its bars.
func netPath(c geometry.Column) string {
	return "M" + strconv.Itoa(c.BarX-c.BarW/4) + " " + strconv.Itoa(c.Net) + "h" + strconv.Itoa(c.BarW+c.BarW/2)
}

// barHeight is the height of the bars of a row, in pixels.
func barHeight(compared bool) string {
	if compared {
		return "20"
	}
	return "12"
}

// short returns the name of a weekday in two letters.
func short(name string) string { return string([]rune(name)[:2]) }

// dayClass returns the CSS classes of a day in a calendar.
func dayClass(d Day) string {
	class := "cal-day cal-" + strconv.Itoa(d.Level)
	if d.Today {
		class += " cal-today"
	}
	if d.Ahead {
		class += " cal-ahead"
	}
	return class
}
