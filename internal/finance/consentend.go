package finance

import (
	"fmt"
	"strconv"
	"time"

	"florin/internal/openbanking"
)

// ConsentEndError is the error of ParseConsentEnd: all but one of its facts are zero.
type ConsentEndError struct {
	Form error // of ParseDay: it is neither a number of days nor a day
	Soon bool  // it leaves not even a day
	Late bool  // the bank allows no more than MostDays, until Last

	MostDays int
	Last     openbanking.Date
}

func (e *ConsentEndError) Error() string {
	switch {
	case e.Form != nil:
		return e.Form.Error()
	case e.Soon:
		return "the consent would end within a day"
	}
	return fmt.Sprintf("the bank allows %d days at most", e.MostDays)
}

// ParseConsentEnd reads for how long a person gives access: a number of days from now ("30"), or the last day ("2026-12-31"), which counts until its end in
// the time zone of now. An empty text, and the bank's last day, give the longest time that the bank allows. The error is a *ConsentEndError.
func ParseConsentEnd(text string, now, longest time.Time) (time.Time, error) {
	text = Typed(text)
	if text == "" {
		return longest, nil
	}
	longest = longest.In(now.Location())
	most := int((longest.Sub(now) + 24*time.Hour - 1) / (24 * time.Hour)) // the bank's days, of which a margin was taken off
	late := &ConsentEndError{Late: true, MostDays: most, Last: openbanking.Date(longest.Format(time.DateOnly))}
	if days, err := strconv.Atoi(text); err == nil {
		switch {
		case days < 1:
			return time.Time{}, &ConsentEndError{Soon: true}
		case days > most:
			return time.Time{}, late
		}
		return earlierOf(now.AddDate(0, 0, days), longest), nil
	}
	day, err := ParseDay(text)
	if err != nil {
		return time.Time{}, &ConsentEndError{Form: err}
	}
	switch {
	case day <= openbanking.Date(now.Format(time.DateOnly)):
		return time.Time{}, &ConsentEndError{Soon: true}
	case day > late.Last:
		return time.Time{}, late
	}
	t, err := day.Time()
	if err != nil {
		return time.Time{}, &ConsentEndError{Form: err}
	}
	return earlierOf(time.Date(t.Year(), t.Month(), t.Day(), 23, 59, 59, 0, now.Location()), longest), nil
}

func earlierOf(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
