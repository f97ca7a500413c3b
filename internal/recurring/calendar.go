package recurring

import (
	"time"

	"florin/internal/openbanking"
)

// Days are counted from 1 January 1970, a Thursday.

const secondsADay = 24 * 60 * 60

// maxDay is the last day that a date of four digits can name.
const maxDay = 2_932_896

func dayOf(d openbanking.Date) (day int, ok bool) {
	t, err := d.Time()
	if err != nil {
		return 0, false
	}
	return int(t.Unix() / secondsADay), t.Unix() >= 0
}

func timeOf(day int) time.Time { return time.Unix(int64(day)*secondsADay, 0).UTC() }

func dateOf(day int) openbanking.Date { return openbanking.DateOf(timeOf(day)) }

func weekday(day int) time.Weekday { return time.Weekday((day + 4) % 7) }

func weekend(day int) bool { return weekday(day) == time.Saturday || weekday(day) == time.Sunday }

// workday moves a day on a weekend to the next (1) or previous (-1) working day; 0 leaves it.
func workday(day, direction int) int {
	for direction != 0 && weekend(day) {
		day += direction
	}
	return day
}

// dayInMonth returns the day number of a day in a month. month may exceed the year. In a shorter month it is the last day.
func dayInMonth(year int, month time.Month, day int) int {
	first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	return int(first.Unix()/secondsADay) + min(day, first.AddDate(0, 1, -1).Day()) - 1
}

// step returns the day n rhythms after day. monthDay is the day of the month to keep when the rhythm is one of months.
func (r rhythm) step(day, monthDay, n int) int {
	if r.days > 0 {
		return day + n*r.days
	}
	t := timeOf(day)
	return dayInMonth(t.Year(), t.Month()+time.Month(n*r.months), monthDay)
}

// due calls yield with the due days after the last row, until yield returns false.
func (f Facts) due(yield func(day int) bool) {
	r, ok := rhythmOf(f.Every)
	anchor, valid := dayOf(f.Anchor)
	if !ok || !valid {
		return
	}
	for n := 1; ; n++ {
		day := r.step(anchor, f.MonthDay, n)
		if day > maxDay || !yield(workday(day, f.Shift)) {
			return
		}
	}
}

// anchor says on which days of a rhythm rows are due.
type anchor struct {
	rhythm
	phase int // the day of the month, 31 for its last one; in a rhythm of weeks the day number modulo the length
	shift int // see Facts
}

// anchorOf returns the anchor that fits the rows best.
func anchorOf(r rhythm, points []point) anchor {
	low, high := 1, 31
	if r.days > 0 {
		low, high = 0, r.days-1
	}
	best, least := anchor{rhythm: r, phase: low}, -1
	for phase := low; phase <= high; phase++ {
		a, sum := anchor{rhythm: r, phase: phase}, 0
		for _, p := range points {
			away := a.away(p)
			sum += 8*away + 2*min(abs(p.day-a.nominal(p)), 3) // of two equally good days, the one on which the rows themselves were booked
		}
		if least < 0 || sum < least {
			best, least = a, sum
		}
	}
	later, earlier, stays := 0, 0, false
	for _, p := range points {
		due := best.nominal(p)
		stays = stays || weekend(p.day)
		if weekend(due) && p.day == workday(due, 1) {
			later++
		} else if weekend(due) && p.day == workday(due, -1) {
			earlier++
		}
	}
	switch {
	case stays || r.days > 0:
	case earlier > later:
		best.shift = -1
	default:
		best.shift = 1
	}
	return best
}

// nominal returns the due day nearest to a row, before it is moved off a weekend.
func (a anchor) nominal(p point) int {
	if a.days > 0 {
		rest := (p.day - a.phase) % a.days
		if rest > a.days/2 {
			rest -= a.days
		}
		return p.day - rest
	}
	same := p.day - p.monthDay + min(a.phase, p.length)
	before := p.day - p.monthDay - p.before + min(a.phase, p.before)
	after := p.day - p.monthDay + p.length + min(a.phase, p.after)
	best := same
	for _, other := range []int{before, after} {
		if abs(p.day-other) < abs(p.day-best) {
			best = other
		}
	}
	return best
}

// away returns how many days a row is away from its due day; 0 when a weekend moved it.
func (a anchor) away(p point) int {
	due := a.nominal(p)
	if weekend(due) && (p.day == workday(due, 1) || p.day == workday(due, -1)) {
		return 0
	}
	return abs(p.day - due)
}

func abs(n int) int { return max(n, -n) }
