package finance

import (
	"errors"
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

// ParseDay reads a day as people write it where it can be meant in one way alone: "2026-12-31" and "31.12.2026". The error says what to do.
func ParseDay(text string) (openbanking.Date, error) {
	text = Typed(text)
	var parts [3]string
	if m := isoDay.FindStringSubmatch(text); m != nil {
		parts = [3]string{m[1], m[2], m[3]}
	} else if m := dottedDay.FindStringSubmatch(text); m != nil {
		parts = [3]string{m[3], m[2], m[1]}
	} else {
		return "", errors.New("the date is not of the form 2026-12-31 or 31.12.2026")
	}
	var n [3]int
	for i, part := range parts {
		n[i], _ = strconv.Atoi(part) // digits, by the expressions
	}
	day := time.Date(n[0], time.Month(n[1]), n[2], 0, 0, 0, 0, time.UTC)
	if n[0] < 1000 || day.Year() != n[0] || int(day.Month()) != n[1] || day.Day() != n[2] {
		problem := fmt.Sprintf("there is no day %s-%02d-%02d in the calendar", parts[0], n[1], n[2])
		if n[1] == 2 && n[2] == 29 {
			problem = fmt.Sprintf("%d is no leap year: February has 28 days", n[0])
		}
		return "", errors.New(problem)
	}
	return openbanking.DateOf(day), nil
}
