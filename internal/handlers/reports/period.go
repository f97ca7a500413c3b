package reports

import (
	"strings"
	"time"

	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/web/templates/words"
)

// kind is how the period of a report is chosen, as its address has it.
type kind string

// Values of kind.
const (
	thisMonth  kind = "month"
	lastMonth  kind = "last-month"
	quarter    kind = "quarter"
	thisYear   kind = "year"
	lastMonths kind = "12-months"
	chosen     kind = "days" // from one day to another
)

// kinds are those that can be chosen, with their names.
var kinds = []struct {
	kind kind
	name words.Text
}{{lastMonths, "Last 12 months"}, {thisMonth, "This month"}, {lastMonth, "Last month"}, {quarter, "This quarter"}, {thisYear, "This year"}, {chosen, "Custom period"}}

// span is a period with its length in months. A period that is not over ends today; the period before then ends on the same day of its month.
type span struct {
	search.Period
	months int // its length; 0 when it is counted in days
}

// spanOf is the span of a kind; chosen is not one of them. It reports whether there is such a kind.
func spanOf(k kind, today time.Time) (span, bool) {
	first := time.Date(today.Year(), today.Month(), 1, 0, 0, 0, 0, time.UTC)
	from, to, months := first, today, 1
	switch k {
	case thisMonth:
	case lastMonth:
		from, to = first.AddDate(0, -1, 0), first.AddDate(0, 0, -1)
	case quarter:
		from, months = first.AddDate(0, -(int(today.Month())-1)%3, 0), 3
	case thisYear:
		from, months = first.AddDate(0, 1-int(today.Month()), 0), 12
	case lastMonths:
		from, months = first.AddDate(0, -11, 0), 12
	default:
		return span{}, false
	}
	return span{search.Period{From: openbanking.DateOf(from), To: openbanking.DateOf(to)}, months}, true
}

// before is the period before: as many months or days, right before.
func (s span) before() search.Period {
	if s.months > 0 {
		return shift(s.Period, -s.months)
	}
	from, errFrom := s.From.Time()
	to, errTo := s.To.Time()
	if errFrom != nil || errTo != nil {
		return search.Period{}
	}
	days := int(to.Sub(from)/(24*time.Hour)) + 1
	return search.Period{From: openbanking.DateOf(from.AddDate(0, 0, -days)), To: openbanking.DateOf(from.AddDate(0, 0, -1))}
}

// yearBefore is the same period a year before.
func (s span) yearBefore() search.Period { return shift(s.Period, -12) }

// shift moves both ends of a period by months. The last day of a month becomes the last day of the other month.
func shift(p search.Period, months int) search.Period {
	return search.Period{From: shiftDay(p.From, months), To: shiftDay(p.To, months)}
}

func shiftDay(d openbanking.Date, months int) openbanking.Date {
	t, err := d.Time()
	if err != nil {
		return d
	}
	day := t.Day()
	month := time.Date(t.Year(), t.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	last := month.AddDate(0, 1, -1).Day()
	if wasLast := t.AddDate(0, 0, 1).Day() == 1; wasLast || day > last {
		day = last
	}
	return openbanking.DateOf(month.AddDate(0, 0, day-1))
}

// wholeMonths is how many months a period is; 0 when it does not begin with one or does not end with one.
func wholeMonths(p search.Period) int {
	if !strings.HasSuffix(string(p.From), "-01") {
		return 0
	}
	if last, err := p.To.Time(); err == nil && last.AddDate(0, 0, 1).Day() == 1 {
		return len(monthsOf(p))
	}
	return 0
}

// monthsOf are the months of a period, the first and the last one as far as they are in it.
func monthsOf(p search.Period) (months []search.Period) {
	for from := p.From; from <= p.To; {
		t, err := from.Time()
		if err != nil {
			return months
		}
		next := time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC)
		months = append(months, search.Period{From: from, To: min(openbanking.DateOf(next.AddDate(0, 0, -1)), p.To)})
		from = openbanking.DateOf(next)
	}
	return months
}
