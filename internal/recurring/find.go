package recurring

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"
	"time"
)

// point is a row with the values that the search needs.
type point struct {
	row                             Row
	day                             int
	size                            int64 // of the amount
	month                           int   // months since the year 0
	monthDay, length, before, after int   // its day of the month, and how many days that month, the one before and the one after have
}

// pointsOf returns rows as points in the order of their days, without rows that have no day or no amount.
func pointsOf(rows []Row) []point {
	points := make([]point, 0, len(rows))
	for _, r := range rows {
		day, ok := dayOf(r.Day)
		if !ok || r.Amount.IsZero() {
			continue
		}
		t := timeOf(day)
		first := day - t.Day() + 1
		next := dayInMonth(t.Year(), t.Month()+1, 1)
		points = append(points, point{row: r, day: day, size: r.Amount.Abs().Minor(), month: 12*t.Year() + int(t.Month()) - 1, monthDay: t.Day(),
			length: next - first,
			before: first - dayInMonth(t.Year(), t.Month()-1, 1), after: dayInMonth(t.Year(), t.Month()+2, 1) - next})
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.row.ID, b.row.ID)) })
	return points
}

// mostSeries is the largest number of series that are looked for per payee.
const mostSeries = 12

// Find returns the series among the rows of one person. A series has one payee, one direction and one currency. When ctx ends, Find stops before the next
// series and returns the error of ctx.
func Find(ctx context.Context, rows []Row) ([]Series, error) {
	type side struct {
		payee, currency string
		out             bool
	}
	groups := map[side][]Row{}
	for _, r := range rows {
		if r.Payee != "" {
			s := side{r.Payee, r.Amount.Currency(), r.Amount.Sign() < 0}
			groups[s] = append(groups[s], r)
		}
	}
	var found []Series
	for _, group := range groups {
		points := pointsOf(group)
		points = points[max(0, len(points)-mostPoints):]
		for range mostSeries {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			c := likeliest(points)
			if c.rows == nil {
				break
			}
			var in []point
			left := points[:0:0]
			for i, p := range points {
				if slices.Contains(c.rows, i) {
					in = append(in, p)
				} else {
					left = append(left, p)
				}
			}
			found, points = append(found, describe(in, c.rhythm)), left
		}
	}
	slices.SortFunc(found, func(a, b Series) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Rows[0].ID, b.Rows[0].ID))
	})
	return found, nil
}

// chain holds the indexes of rows that may be a series.
type chain struct {
	rhythm
	rows   []int
	at     []int // number of rhythms between each row and the first
	missed int
	score  float64
}

// The score of a chain is the power of ten by which it is likelier that its rows are a series than that rows like those of the payee lie so by chance.
const (
	sure      = 1.5  // rows with at least this score are a series
	purchases = 1.5  // added for purchases, which people make at any time
	hop       = 0.95 // a search among several rows gains this by chance with each row
	missing   = 0.5  // a missing row counts this much against a series
)

// likeliest returns the chain with the best score; one without rows when there is no series.
func likeliest(points []point) (best chain) {
	if len(points) < 2 {
		return best
	}
	for _, r := range rhythms {
		if rate(points, r) > densest {
			continue
		}
		seen := make([]bool, len(points))
		for i := range points {
			if seen[i] {
				continue
			}
			c := follow(points, i, r)
			for _, j := range c.rows {
				seen[j] = true
			}
			if len(c.rows) < 2 {
				continue
			}
			if c.score = c.judge(points); c.score > 0 && (best.rows == nil || c.score > best.score) {
				best = c
			}
		}
	}
	return best
}

// rate returns the number of rows of the payee per day.
func rate(points []point, r rhythm) float64 {
	return float64(len(points)) / float64(max(points[len(points)-1].day-points[0].day, r.length()))
}

// densest is the rate above which each step of a chain counts against it, even between rows of one day and one amount. It follows from hop and the lowest
// likeness.
var densest = -math.Log1p(-math.Pow(10, -hop)) / likeness(0)

// mostPoints is the number of newest rows of a payee that are searched.
const mostPoints = 500

// follow returns the chain that begins at a row and continues in a rhythm. Up to two rows in succession may be missing.
func follow(points []point, start int, r rhythm) chain {
	c := chain{rhythm: r, rows: []int{start}, at: []int{0}}
	for {
		next, skip := -1, 1
		for ; skip <= mostMissing+1; skip++ {
			if next = c.next(points, skip); next >= 0 {
				break
			}
		}
		if next < 0 {
			return c
		}
		c.missed += skip - 1
		c.rows, c.at = append(c.rows, next), append(c.at, c.at[len(c.at)-1]+skip)
	}
}

// mostMissing is the largest number of missing rows between two of a series.
const mostMissing = 2

// next returns the row that fits best skip rhythms after the last one, or -1.
func (c chain) next(points []point, skip int) int {
	due, usual, last := c.dueAfter(points, skip), c.usual(points), c.rows[len(c.rows)-1]
	best, least := -1, math.Inf(1)
	for i := sort.Search(len(points), func(i int) bool { return points[i].day >= due-c.slack }); i < len(points) && points[i].day <= due+c.slack; i++ {
		off := unlike(points[i].size, usual)
		if i <= last || off > widest {
			continue
		}
		if cost := float64(abs(points[i].day-due))/float64(c.slack) + 2*off; cost < least {
			best, least = i, cost
		}
	}
	return best
}

// dueAfter returns the due day skip rhythms after the last row, as most of the last rows predict it.
func (c chain) dueAfter(points []point, skip int) int {
	var days [5]int
	first := max(0, len(c.rows)-len(days))
	for n, i := range c.rows[first:] {
		p, steps := points[i], c.at[len(c.at)-1]-c.at[first+n]+skip
		if c.days > 0 {
			days[n] = p.day + steps*c.days
			continue
		}
		month := p.month + steps*c.months
		days[n] = dayInMonth(month/12, time.Month(month%12+1), p.monthDay)
		if p.monthDay == p.length && p.length < 31 { // the last day of its month
			days[n] = max(days[n], min(dayInMonth(month/12, time.Month(month%12+1), c.latest(points)), days[n]+3))
		}
	}
	some := days[:len(c.rows)-first]
	slices.Sort(some)
	return some[len(some)/2]
}

// latest returns the latest day of the month among the last rows.
func (c chain) latest(points []point) int {
	latest := 0
	for _, i := range c.rows[max(0, len(c.rows)-4):] {
		latest = max(latest, points[i].monthDay)
	}
	return latest
}

// usual returns the median amount of the last rows.
func (c chain) usual(points []point) int64 {
	var sizes [5]int64
	last := c.rows[max(0, len(c.rows)-len(sizes)):]
	for n, i := range last {
		sizes[n] = points[i].size
	}
	some := sizes[:len(last)]
	slices.Sort(some)
	return some[len(some)/2]
}

// widest is the largest difference of two amounts in a series, as a logarithm: one is a little more than twice the other.
const widest = 0.8

// unlike returns how different two amounts are, as the logarithm of their ratio.
func unlike(a, b int64) float64 { return math.Abs(math.Log(float64(a) / float64(b))) }

// likeness returns the share of purchases whose amounts are as similar as off. It is used when the rows of the payee say no better.
func likeness(off float64) float64 {
	switch {
	case off < 0.002:
		return 0.02
	case off < 0.02:
		return 0.08
	case off < 0.06:
		return 0.15
	case off < 0.25:
		return 0.4
	case off < 0.5:
		return 0.7
	}
	return 1
}

// judge returns by how much the score of the chain exceeds the limit from which on its rows count as a series.
func (c chain) judge(points []point) float64 {
	n := len(c.rows)
	in, known := make([]point, 0, n), 0
	for _, i := range c.rows {
		in = append(in, points[i])
		if points[i].row.Known {
			known++
		}
	}
	if c.missed*3 > n {
		return -1
	}
	a := anchorOf(c.rhythm, in)
	rate := rate(points, c.rhythm)
	score := -math.Log10(float64(len(points)))/2 - c.doubt - missing*float64(c.missed)
	alike := c.alike(points)
	var off []int
	for i := 1; i < n; i++ {
		away := a.away(in[i])
		off = append(off, away)
		apart := unlike(in[i].size, in[i-1].size)
		like := max(likeness(apart), alike(in[i].size, apart))
		score += -math.Log10(1-math.Exp(-rate*like*float64(2*away+1))) - hop
	}
	slices.Sort(off)
	if off[len(off)/2]*2 > c.slack {
		return -1
	}
	limit := sure
	if known*2 < n {
		limit += purchases
	}
	return score - limit
}

// alike returns a function that estimates which share of the payee's rows has about a given amount by chance. The share is weighted with the share of rows
// outside the chain: when all rows are in it, their amounts say nothing about chance.
func (c chain) alike(points []point) func(size int64, apart float64) float64 {
	sizes := make([]int64, 0, len(points))
	for _, p := range points {
		sizes = append(sizes, p.size)
	}
	slices.Sort(sizes)
	total := float64(len(points))
	outside := (total - float64(len(c.rows))) / total
	return func(size int64, apart float64) float64 {
		apart = max(apart, 0.001)
		low, high := int64(float64(size)*math.Exp(-apart)), int64(min(float64(size)*math.Exp(apart), math.MaxInt64/2))
		first, _ := slices.BinarySearch(sizes, low)
		last, _ := slices.BinarySearch(sizes, high+1)
		return outside * float64(last-first) / total
	}
}
