package sandbox

import (
	"time"

	"florin/internal/openbanking"
)

// day is a date as days since 1970-01-01, UTC.
type day int32

func dayOf(t time.Time) day { return day(t.UTC().Unix() / 86400) }

func dayAt(year int, month time.Month, dom int) day {
	return dayOf(time.Date(year, month, dom, 0, 0, 0, 0, time.UTC))
}

// parseDay parses a date; ok is false when text is not a date.
func parseDay(text openbanking.Date) (d day, ok bool) {
	t, err := text.Time()
	if err != nil || t.Year() < 1970 {
		return 0, err == nil
	}
	return dayOf(t), true
}

func (d day) time() time.Time { return time.Unix(int64(d)*86400, 0).UTC() }

func (d day) date() openbanking.Date { return openbanking.DateOf(d.time()) }

func (d day) ymd() (int, time.Month, int) { return d.time().Date() }

// monthEnd returns the last day of the month of d.
func (d day) monthEnd() day {
	y, m, _ := d.ymd()
	return dayAt(y, m+1, 1) - 1
}

// moment is a time as milliseconds since 1970-01-01, UTC.
type moment int64

const (
	momentsOfMinute = 60_000
	momentsOfDay    = 24 * 60 * momentsOfMinute
)

func momentOf(t time.Time) moment { return moment(t.UnixMilli()) }

func (m moment) time() time.Time { return time.UnixMilli(int64(m)).UTC() }

// at returns the beginning of a minute of d, counted from midnight.
func (d day) at(minute int) moment { return moment(d)*momentsOfDay + moment(minute)*momentsOfMinute }

// end returns the last moment of d.
func (d day) end() moment { return (d + 1).at(0) - 1 }

func (m moment) day() day { return day(m / momentsOfDay) }

// business reports whether banks book on d: it is neither on a weekend nor a holiday of the TARGET calendar.
func (d day) business() bool {
	if weekday := (int(d) + 4) % 7; weekday == 0 || weekday == 6 { // 1970-01-01 was a Thursday
		return false
	}
	y, m, dom := d.ymd()
	switch {
	case m == time.January && dom == 1, m == time.May && dom == 1, m == time.December && (dom == 25 || dom == 26):
		return false
	case m == time.March || m == time.April:
		e := easter(y)
		return d != e-2 && d != e+1 // Good Friday, Easter Monday
	}
	return true
}

// booking returns d, or the next business day when d is none.
func (d day) booking() day {
	for !d.business() {
		d++
	}
	return d
}

// before returns d, or the last business day before it when d is none.
func (d day) before() day {
	for !d.business() {
		d--
	}
	return d
}

// later returns the n-th business day after d.
func (d day) later(n int) day {
	for range n {
		d = (d + 1).booking()
	}
	return d.booking()
}

// easter returns Easter Sunday (the Gregorian computus of Meeus, Jones and Butcher).
func easter(y int) day {
	a, b, c := y%19, y/100, y%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return dayAt(y, time.Month(n/31), n%31+1)
}
