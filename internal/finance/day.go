package finance

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"florin/internal/openbanking"
)

var (
	isoDay    = regexp.MustCompile(`^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[T ]00:00(?::00(?:\.0+)?)?Z?)?$`)
	dottedDay = regexp.MustCompile(`^([0-9]{1,2})\. ?([0-9]{1,2})\. ?([0-9]{4})$`)
)

// DayError is the error of ParseDay.
type DayError struct {
	Day  string // the day of a right form that is in no calendar, as in 2026-02-30; "" where the form is wrong
	Leap string // the year of 29 February that has none
}

func (e *DayError) Error() string {
	if e.Day == "" {
		return "the date is not of the form 2026-12-31 or 31.12.2026"
	}
	return "there is no day " + e.Day
}

// ParseDay reads a date in one of the two forms that are never ambiguous: "2026-12-31" and "31.12.2026". The error is a *DayError.
func ParseDay(text string) (openbanking.Date, error) {
	text = Typed(text)
	var parts [3]string
	if m := isoDay.FindStringSubmatch(text); m != nil {
		parts = [3]string{m[1], m[2], m[3]}
	} else if m := dottedDay.FindStringSubmatch(text); m != nil {
		parts = [3]string{m[3], m[2], m[1]}
	} else {
		return "", &DayError{}
	}
	var n [3]int
	for i, part := range parts {
		n[i], _ = strconv.Atoi(part) // digits, by the expressions
	}
	day := time.Date(n[0], time.Month(n[1]), n[2], 0, 0, 0, 0, time.UTC)
	if n[0] < 1000 || day.Year() != n[0] || int(day.Month()) != n[1] || day.Day() != n[2] {
		wrong := &DayError{Day: fmt.Sprintf("%s-%02d-%02d", parts[0], n[1], n[2])}
		if n[1] == 2 && n[2] == 29 {
			wrong.Leap = parts[0]
		}
		return "", wrong
	}
	return openbanking.DateOf(day), nil
}
