// Package show writes for people what several areas of the web app show: times, counts, banks and accounts.
package show

import (
	"time"

	"florin/internal/openbanking"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// Clock writes for one reader: in the reader's language, and times as seen from one moment and one time zone, the nearer, the shorter.
type Clock struct {
	*words.Language

	Now time.Time
}

// DaysAgo is how many calendar days t lies before today; negative for days to come.
func (c Clock) DaysAgo(t time.Time) int {
	day := func(t time.Time) time.Time {
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	return int(day(c.Now).Sub(day(c.here(t))) / (24 * time.Hour))
}

// here is a moment in the time zone of the reader.
func (c Clock) here(t time.Time) time.Time { return t.In(c.Now.Location()) }

func (c Clock) hour(t time.Time) string { return c.here(t).Format("15:04") }

// Date is the day of t: "3 October", with the year when it is not this one.
func (c Clock) Date(t time.Time) string {
	t = c.here(t)
	return c.Language.Day(t, t.Year() != c.Now.Year())
}

// LongDate is the day of t with its year: "3 October 2026".
func (c Clock) LongDate(t time.Time) string { return c.Language.Day(c.here(t), true) }

// Brief is a moment in few words: "14:02", "yesterday 20:11", "12 September".
func (c Clock) Brief(t time.Time) string {
	switch c.DaysAgo(t) {
	case 0:
		return c.hour(t)
	case 1:
		return c.Say("yesterday %s", c.hour(t))
	}
	return c.Date(t)
}

// When is a moment inside a sentence: "at 14:02", "yesterday at 20:11", "tomorrow at 02:00", "on 12 September".
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

// Full is a moment in full: "3 October 2026 at 14:02".
func (c Clock) Full(t time.Time) string { return c.Say("%s at %s", c.LongDate(t), c.hour(t)) }

// Zone is the time zone of a moment, behind it: " CET".
func (c Clock) Zone(t time.Time) string { return c.here(t).Format(" MST") }

// Precise is a moment in full, to the second: "3 October 2026 at 14:02:11".
func (c Clock) Precise(t time.Time) string {
	return c.Say("%s at %s", c.LongDate(t), c.here(t).Format(time.TimeOnly))
}

// Moment is brief for people and machines.
func (c Clock) Moment(t time.Time) ui.Time {
	return ui.Time{ISO: t.UTC().Format(time.RFC3339), Text: c.Brief(t)}
}

// Exact is a moment to the second: "14:02:11", "yesterday 20:11:03", "12 September 20:11:03".
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

// Ago is how long ago a moment was, while that is less than a day: "now", "12 seconds ago", "3 minutes ago"; else when it was. app.js goes on counting.
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

// Until is the day on which something ends: "1 April 2027".
func (c Clock) Until(t time.Time) ui.Time {
	return ui.Time{ISO: t.UTC().Format(time.RFC3339), Text: c.LongDate(t)}
}

// Day is a date of a bank: "3 October". What is no date is shown as it came.
func (c Clock) Day(d openbanking.Date) ui.Time {
	t, err := d.Time()
	if err != nil {
		return ui.Time{Text: string(d)}
	}
	return ui.Time{ISO: string(d), Text: c.Date(civil(t, c.Now.Location()))}
}

// FullDay is a date with its year: "3 October 2026". What is no date is shown as it came.
func (c Clock) FullDay(d openbanking.Date) string {
	t, err := d.Time()
	if err != nil {
		return string(d)
	}
	return c.Language.Day(t, true)
}

// OnDay is a date of a bank inside a sentence: "on 3 October".
func (c Clock) OnDay(d openbanking.Date) string { return c.Say("on %s", c.Day(d).Text) }

// Weekday is the name of the day of a date of a bank.
func (c Clock) Weekday(d openbanking.Date) string {
	t, err := d.Time()
	if err != nil {
		return ""
	}
	return c.Language.Weekday(t)
}

// DayInFull is a date of a bank with its weekday and year: "Saturday 3 October 2026". What is no date is shown as it came.
func (c Clock) DayInFull(d openbanking.Date) string {
	t, err := d.Time()
	if err != nil {
		return string(d)
	}
	return c.WeekdayOf(t, true)
}

// Today is the date here and now.
func (c Clock) Today() openbanking.Date { return openbanking.Date(c.Now.Format(time.DateOnly)) }

// DayFromNow is the day so many days after today; below zero before it. A moment so many days from now would do no better: where a day begins at one o'clock,
// half past midnight is on the day before.
func (c Clock) DayFromNow(days int) openbanking.Date {
	y, m, d := c.Now.Date()
	return openbanking.DateOf(time.Date(y, m, d+days, 0, 0, 0, 0, time.UTC))
}

// Heading is a date above the rows of its day: "Today, Saturday 3 October".
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

// Stale says how old a figure is, once it is a day old; else "".
func (c Clock) Stale(t time.Time) string {
	days := int(c.Now.Sub(t) / (24 * time.Hour))
	if t.IsZero() || days < 1 {
		return ""
	}
	return c.Say("%d days old", days)
}

// civil is the date of a UTC midnight in another zone: a date has none.
func civil(t time.Time, zone *time.Location) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone)
}

// Duration is a length of time in its largest unit, rounded up: "30 seconds", "2 minutes", "1 hour".
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
