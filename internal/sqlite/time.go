package sqlite

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"time"
)

// timeLayout is the stored form of a time: RFC 3339 in UTC with exactly three decimals, so that text order is time order.
const timeLayout = "2006-01-02T15:04:05.000Z"

// Time is a time as stored in a TEXT column, in milliseconds. Never bind a plain time.Time to a statement.
type Time struct{ time.Time }

// At returns t as it will be stored: UTC, cut to the millisecond.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

// Value returns the stored form. A zero time is an error, because an unknown time is stored as NULL (see NullTime).
func (t Time) Value() (driver.Value, error) {
	if t.IsZero() {
		return nil, fmt.Errorf("sqlite: a zero time cannot be stored; use NullTime for a moment that may be missing")
	}
	u := t.UTC()
	if y := u.Year(); y < 0 || y > 9999 {
		return nil, fmt.Errorf("sqlite: the year %d cannot be stored", y)
	}
	return u.Format(timeLayout), nil
}

// Scan parses a stored time. NULL and any other form of text are errors.
func (t *Time) Scan(value any) error {
	var text string
	switch v := value.(type) {
	case string:
		text = v
	case []byte:
		text = string(v)
	default:
		return fmt.Errorf("sqlite: a time is stored as TEXT; the column gave %T", value)
	}
	u, ok := parseTime(text)
	if !ok {
		return fmt.Errorf("sqlite: %q is not a time like 2006-01-02T15:04:05.000Z", text)
	}
	t.Time = u
	return nil
}

// NullTime is a time that may be missing: the zero time in Go, NULL in the database.
type NullTime struct{ time.Time }

// AtOrNull returns t as it will be stored: NULL when t is zero.
func AtOrNull(t time.Time) NullTime { return NullTime(At(t)) }

// Value returns the stored form, or nil for the zero time.
func (t NullTime) Value() (driver.Value, error) {
	if t.IsZero() {
		return nil, nil
	}
	return Time(t).Value()
}

// Scan parses a stored time; NULL is the zero time.
func (t *NullTime) Scan(value any) error {
	if value == nil {
		*t = NullTime{}
		return nil
	}
	return (*Time)(t).Scan(value)
}

// Into returns a scanner that stores a time in t; NULL is the zero time.
func Into(t *time.Time) sql.Scanner { return into{t} }

type into struct{ moment *time.Time }

// Scan parses a stored time; NULL is the zero time.
func (i into) Scan(value any) error {
	var t NullTime
	err := t.Scan(value)
	*i.moment = t.Time
	return err
}

// parseTime parses a text in the form of timeLayout only. Pages parse dozens of times, and time.Parse, which supports all layouts, takes many times as long.
func parseTime(text string) (time.Time, bool) {
	if len(text) != len(timeLayout) {
		return time.Time{}, false
	}
	for i, c := range []byte(timeLayout) {
		if digit := '0' <= c && c <= '9'; digit && (text[i] < '0' || text[i] > '9') || !digit && text[i] != c {
			return time.Time{}, false
		}
	}
	number := func(from, to int) (n int) {
		for _, c := range []byte(text[from:to]) {
			n = 10*n + int(c-'0')
		}
		return n
	}
	year, month, day, hour, minute, second := number(0, 4), time.Month(number(5, 7)), number(8, 10), number(11, 13), number(14, 16), number(17, 19)
	t := time.Date(year, month, day, hour, minute, second, number(20, 23)*int(time.Millisecond), time.UTC)
	return t, t.Month() == month && t.Day() == day && hour < 24 && minute < 60 && second < 60
}
