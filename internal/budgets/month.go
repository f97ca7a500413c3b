package budgets

import (
	"slices"
	"time"

	"florin/internal/openbanking"
)

// Month is a month of budgets, such as "2026-11". Months compare as texts.
type Month string

const monthLayout = "2006-01"

// ParseMonth parses a month such as "2026-11". ok is false for another form, and for years outside 1900 to 2999.
func ParseMonth(text string) (Month, bool) {
	t, err := time.Parse(monthLayout, text)
	return Month(text), err == nil && t.Year() >= 1900 && t.Year() < 3000
}

// Time returns the first day of the calendar month with this name, in UTC.
func (m Month) Time() time.Time {
	t, _ := time.Parse(monthLayout, string(m)) // a Month is always valid
	return t
}

// Plus returns the month that many months later.
func (m Month) Plus(months int) Month { return monthOf(m.Time().AddDate(0, months, 0)) }

// Until returns how many months lie between m and a later one: 1 for the next.
func (m Month) Until(later Month) int {
	a, b := m.Time(), later.Time()
	return (b.Year()-a.Year())*12 + int(b.Month()-a.Month())
}

func monthOf(t time.Time) Month { return Month(t.Format(monthLayout)) }

// FirstDay is the day of the month on which a month of budgets begins: 1 to 28, or LastWorkingDay.
type FirstDay int

// LastWorkingDay is the last day of a month from Monday to Friday. Public holidays differ by place, so they count as working days.
const LastWorkingDay FirstDay = 0

// LastFirstDay is the last day that every month has, and so the last one on which months of budgets can begin.
const LastFirstDay FirstDay = 28

// middle is the last day on which a month of budgets is named after the calendar month in which it begins.
const middle = 15

// Valid reports whether months of budgets can begin on the day.
func (f FirstDay) Valid() bool { return f >= LastWorkingDay && f <= LastFirstDay }

// Change sets the first day of all months from From on.
type Change struct {
	From  Month
	First FirstDay
}

// Calendar divides the days into months of budgets, so that each day is in exactly one: the changes of the first day, in any order. Without any, months are
// those of the calendar.
//
// A month that begins up to the 15th has the name of the calendar month in which it begins, any other that of the next one: what is paid on 25 October is for
// November. So a month named November begins from 16 October to 15 November, whatever day was chosen, and ends where December begins.
type Calendar []Change

// First returns the day on which a month begins.
func (c Calendar) First(m Month) FirstDay {
	last := Change{First: 1}
	for _, change := range c {
		if change.From <= m && change.From >= last.From {
			last = change
		}
	}
	return last.First
}

// With returns the calendar in which months from m on begin on another day. The months before m keep their first days.
func (c Calendar) With(m Month, first FirstDay) Calendar {
	later := slices.DeleteFunc(slices.Clone(c), func(change Change) bool { return change.From >= m })
	return append(later, Change{m, first})
}

func (c Calendar) start(m Month) time.Time {
	t, first := m.Time(), c.First(m)
	switch {
	case first == LastWorkingDay:
		t = t.AddDate(0, 0, -1)
		for t.Weekday() == time.Saturday || t.Weekday() == time.Sunday {
			t = t.AddDate(0, 0, -1)
		}
		return t
	case first > middle:
		t = t.AddDate(0, -1, 0)
	}
	return t.AddDate(0, 0, int(first)-1)
}

// Days returns the first and the last day of a month.
func (c Calendar) Days(m Month) (from, until openbanking.Date) {
	return date(c.start(m)), date(c.start(m.Plus(1)).AddDate(0, 0, -1))
}

// Gone returns how many days of a month have begun by today, today included, and how many it has. gone is 0 before the month and equals of after it.
func (c Calendar) Gone(m Month, today openbanking.Date) (gone, of int) {
	start, end := c.start(m), c.start(m.Plus(1))
	of = days(end.Sub(start))
	t, err := today.Time()
	if err != nil {
		return 0, of
	}
	return min(max(days(t.Sub(start))+1, 0), of), of
}

// Month returns the month that contains a day. ok is false when day is not a date.
func (c Calendar) Month(day openbanking.Date) (Month, bool) {
	t, err := day.Time()
	if err != nil {
		return "", false
	}
	m := monthOf(t).Plus(1)
	for t.Before(c.start(m)) {
		m = m.Plus(-1)
	}
	return m, true
}

func days(d time.Duration) int { return int(d / (24 * time.Hour)) }

func date(t time.Time) openbanking.Date { return openbanking.Date(t.Format(time.DateOnly)) }
