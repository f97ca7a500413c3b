package sqlite

import (
	"database/sql/driver"
	"fmt"
	"time"
)

// timeLayout is how a moment is stored: RFC 3339 in UTC with exactly three decimals, so that text order is time order.
const timeLayout = "2006-01-02T15:04:05.000Z"

// Time is a moment as a TEXT column holds it, to the millisecond. A plain time.Time is never bound to a statement.
type Time struct{ time.Time }

// At is t as it will be stored: UTC, cut to the millisecond.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

// Value writes the time. A zero time is an error, since a moment that is not known is NULL (see NullTime).
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

// Scan reads the time. Text of any other shape is an error, and so is NULL.
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
	u, err := time.Parse(timeLayout, text)
	if err != nil || u.Format(timeLayout) != text {
		return fmt.Errorf("sqlite: %q is not a time like 2006-01-02T15:04:05.000Z", text)
	}
	t.Time = u
	return nil
}

// NullTime is a moment that may be missing: the zero time in Go, NULL in the database.
type NullTime struct{ time.Time }

// AtOrNull is t as it will be stored: NULL when t is zero.
func AtOrNull(t time.Time) NullTime { return NullTime(At(t)) }

// Value writes the time, or NULL.
func (t NullTime) Value() (driver.Value, error) {
	if t.IsZero() {
		return nil, nil
	}
	return Time(t).Value()
}

// Scan reads the time, or NULL as the zero time.
func (t *NullTime) Scan(value any) error {
	if value == nil {
		*t = NullTime{}
		return nil
	}
	return (*Time)(t).Scan(value)
}
