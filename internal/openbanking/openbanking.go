// Package openbanking is the data model of the open-banking aggregation API: every wire type, enumeration,
// error code and webhook body of the specification, with JSON names as the specification spells them.
// It does no I/O and knows neither half of Florin.
//
// Optional scalars and structures are pointers and optional arrays are slices, nil when absent; they are
// written as null, as the public service does, except for the fields of a request body itself, which are
// left out. Required arrays are a List, which is never null.
package openbanking

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Date is an ISO 8601 date, YYYY-MM-DD, as the wire carries it. What a bank sends is kept even when it
// is no date; Time tells.
type Date string

// DateOf returns the UTC date of t.
func DateOf(t time.Time) Date { return Date(t.UTC().Format(time.DateOnly)) }

// Time returns midnight UTC of the date, or an error when it is none.
func (d Date) Time() (time.Time, error) {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return time.Time{}, fmt.Errorf("not a date of the form YYYY-MM-DD")
	}
	return t, nil
}

// DateTime is an RFC 3339 date-time. It is written in UTC with Z, and read in every form that was seen on the
// wire (api-notes 4): with or without fractions, with Z or an offset, with T or a space; and in those that the
// libraries of some languages write: an offset without a colon (PHP, Python), no seconds where they are zero (Java).
type DateTime struct{ time.Time }

// ParseDateTime reads a date-time; one without a timezone offset is refused, as RFC 3339 demands one.
func ParseDateTime(text string) (DateTime, error) {
	normal := strings.ToUpper(text) // T and Z may be small letters (RFC 3339, 5.6)
	if len(normal) > 10 && normal[10] == ' ' {
		normal = normal[:10] + "T" + strings.TrimPrefix(normal[10:], " ")
	}
	var t time.Time
	var err error
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z07:00"} { // they read fractions too
		if t, err = time.Parse(layout, normal); err == nil {
			break
		}
	}
	if err != nil {
		return DateTime{}, fmt.Errorf("not an RFC 3339 date-time with a timezone offset, such as 2026-01-31T12:00:00Z")
	}
	if year := t.UTC().Year(); year < 1 || year > 9999 {
		return DateTime{}, fmt.Errorf("not a date-time of the years 1 to 9999 in UTC")
	}
	return DateTime{t.UTC()}, nil
}

// MarshalJSON writes the time in UTC, with the fractions it has.
func (d DateTime) MarshalJSON() ([]byte, error) {
	return json.Marshal(d.UTC().Format(time.RFC3339Nano))
}

// UnmarshalJSON reads a text with ParseDateTime. Null leaves the value as it is.
func (d *DateTime) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	t, err := ParseDateTime(text)
	if err != nil {
		return err
	}
	*d = t
	return nil
}

// List is a required array: it is written as [] when it is empty or nil, never as null, and null is read as nil.
// A plain slice can be assigned to it and the reverse.
type List[T any] []T

// MarshalJSON writes an array in every case.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}
