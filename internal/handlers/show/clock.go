// Package show words what several areas of the web app show: times, counts, banks and accounts.
package show

import (
	"time"

	"florin/internal/openbanking"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// Clock writes texts for one reader: in the reader's language, and with times relative to a moment in a time zone. Near times are written short.
type Clock struct {
	*words.Language

	Now time.Time
}

// DaysAgo returns how many calendar days t is before today; negative for later days.
func (c Clock) DaysAgo(t time.Time) int {
	day := func(t time.Time) time.Time {
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	return int(day(c.Now).Sub(day(c.here(t))) / (24 * time.Hour))
}

// here converts a time to the time zone of the reader.
func (c Clock) here(t time.Time) time.Time { return t.In(c.Now.Location()) }

func (c Clock) hour(t time.Time) string { return c.here(t).Format("15:04") }

// Date returns the day of t: "3 October", with the year when it is not the present one.
func (c Clock) Date(t time.Time) string {
	t = c.here(t)
	return c.Language.Day(t, t.Year() != c.Now.Year())
}

// LongDate returns the day of t with its year: "3 October 2026".
func (c Clock) LongDate(t time.Time) string { return c.Language.Day(c.here(t), true) }

// Brief returns a short form of a time: "14:02", "yesterday 20:11", "12 September".
func (c Clock) Brief(t time.Time) string {
	switch c.DaysAgo(t) {
	case 0:
		return c.hour(t)
	case 1:
		return c.Say("yesterday %s", c.hour(t))
	}
	return c.Date(t)
}

// When returns a time for use inside a sentence: "at 14:02", "yesterday at 20:11", "tomorrow at 02:00", "on 12 September".
func (c Clock) When(t time.Time) string {
	switch c.DaysAgo(t) {
	case 0:
		return c.Say("at %s", c.hour(t))
	case 1:
		return c.Say("yesterday at %s", c.hour(t))
	case -1:
		return c.Say("tomorrow at %s", c.hour(t))
	}
	return c.Say("on %s", c.Date(t))
}

// Full returns a time in full: "3 October 2026 at 14:02".
func (c Clock) Full(t time.Time) string { return c.Say("%s at %s", c.LongDate(t), c.hour(t)) }

// Zone returns the time zone of a time, to be appended to it: " CET".
func (c Clock) Zone(t time.Time) string { return c.here(t).Format(" MST") }

// Precise returns a time in full, with seconds: "3 October 2026 at 14:02:11".
func (c Clock) Precise(t time.Time) string {
	return c.Say("%s at %s", c.LongDate(t), c.here(t).Format(time.TimeOnly))
}

// Moment returns a time in the form of Brief, with a form for programs.
func (c Clock) Moment(t time.Time) ui.Time {
	return ui.Time{ISO: t.UTC().Format(time.RFC3339), Text: c.Brief(t)}
}

// Exact returns a time with seconds: "14:02:11", "yesterday 20:11:03", "12 September 20:11:03".
func (c Clock) Exact(t time.Time) ui.Time {
	text := c.here(t).Format(time.TimeOnly)
	switch c.DaysAgo(t) {
	case 0:
	case 1:
		text = c.Say("yesterday %s", text)
	default:
		text = c.Date(t) + " " + text
	}
	return ui.Time{ISO: t.UTC().Format(time.RFC3339), Text: text}
}

// Ago returns how long ago a time was, up to a day: "now", "12 seconds ago", "3 minutes ago"; else the time itself. app.js keeps it up to date.
func (c Clock) Ago(t time.Time) string {
	d := c.Now.Sub(t)
	switch {
	case d < time.Second:
		return c.Say("now")
	case d < time.Minute:
		return c.Say("%d seconds ago", int(d/time.Second))
	case d < time.Hour:
		return c.Say("%d minutes ago", int(d/time.Minute))
	case d < 24*time.Hour:
		return c.Say("%d hours ago", int(d/time.Hour))
	}
	return c.When(t)
}

// Until returns the day on which something ends: "1 April 2027".
func (c Clock) Until(t time.Time) ui.Time {
	return ui.Time{ISO: t.UTC().Format(time.RFC3339), Text: c.LongDate(t)}
}

// Day returns a date: "3 October". A text that is not a date is returned unchanged.
func (c Clock) Day(d openbanking.Date) ui.Time {
	t, err := d.Time()
	if err != nil {
		return ui.Time{Text: string(d)}
	}
	return ui.Time{ISO: string(d), Text: c.Date(civil(t, c.Now.Location()))}
}

// FullDay returns a date with its year: "3 October 2026". A text that is not a date is returned unchanged.
func (c Clock) FullDay(d openbanking.Date) string {
	t, err := d.Time()
	if err != nil {
		return string(d)
	}
	return c.Language.Day(t, true)
}

// OnDay returns a date for use inside a sentence: "on 3 October".
func (c Clock) OnDay(d openbanking.Date) string { return c.Say("on %s", c.Day(d).Text) }

// Weekday returns the name of the weekday of a date; "" for a text that is not a date.
func (c Clock) Weekday(d openbanking.Date) string {
	t, err := d.Time()
	if err != nil {
		return ""
	}
	return c.Language.Weekday(t)
}

// DayInFull returns a date with its weekday and year: "Saturday 3 October 2026". A text that is not a date is returned unchanged.
func (c Clock) DayInFull(d openbanking.Date) string {
	t, err := d.Time()
	if err != nil {
		return string(d)
	}
	return c.WeekdayOf(t, true)
}

// Today returns the present date in the reader's time zone.
func (c Clock) Today() openbanking.Date { return openbanking.Date(c.Now.Format(time.DateOnly)) }

// DayFromNow returns the date a number of days after today; a negative number gives an earlier one. Adding days to the present time would be wrong: where
// summer time makes a day begin at one o'clock, half past midnight becomes the day before.
func (c Clock) DayFromNow(days int) openbanking.Date {
	y, m, d := c.Now.Date()
	return openbanking.DateOf(time.Date(y, m, d+days, 0, 0, 0, 0, time.UTC))
}

// Heading returns a date as the heading of its rows: "Today, Saturday 3 October".
func (c Clock) Heading(d openbanking.Date) ui.Time {
	t, err := d.Time()
	if err != nil {
		return ui.Time{Text: c.Say("Without a date")}
	}
	t = civil(t, c.Now.Location())
	text := c.WeekdayOf(t, t.Year() != c.Now.Year())
	switch c.DaysAgo(t) {
	case 0:
		text = c.Say("Today, %s", text)
	case 1:
		text = c.Say("Yesterday, %s", text)
	}
	return ui.Time{ISO: string(d), Text: text}
}

// Stale returns how old a figure is when it is at least a day old; else "".
func (c Clock) Stale(t time.Time) string {
	days := int(c.Now.Sub(t) / (24 * time.Hour))
	if t.IsZero() || days < 1 {
		return ""
	}
	return c.Say("%d days old", days)
}

// civil returns the date of a UTC midnight as midnight in another zone, because a date itself has no zone.
func civil(t time.Time, zone *time.Location) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone)
}

// Duration returns a length of time in its largest unit, rounded up: "30 seconds", "2 minutes", "1 hour".
func Duration(d time.Duration) words.Message {
	up := func(unit time.Duration) int { return int((d + unit - 1) / unit) }
	switch {
	case d <= time.Minute:
		return words.Msg("%d seconds", up(time.Second))
	case d <= time.Hour:
		return words.Msg("%d minutes", up(time.Minute))
	case d > 24*time.Hour && d%(24*time.Hour) == 0:
		return words.Msg("%d days", up(24*time.Hour))
	}
	return words.Msg("%d hours", up(time.Hour))
}
