package handlers

import (
	"strconv"
	"time"

	"florin/internal/openbanking"
	"florin/web/templates/ui"
)

// clock writes times for people, as seen from one moment and one time zone: the nearer, the shorter.
type clock struct{ now time.Time }

// at is the clock of a moment, in the time zone of the installation.
func (a *App) at(now time.Time) clock { return clock{now.In(a.Location)} }

// daysAgo is how many calendar days t lies before today; negative for days to come.
func (c clock) daysAgo(t time.Time) int {
	day := func(t time.Time) time.Time {
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	return int(day(c.now).Sub(day(t.In(c.now.Location()))) / (24 * time.Hour))
}

func (c clock) hour(t time.Time) string { return t.In(c.now.Location()).Format("15:04") }

// date is the day of t: "3 October", with the year when it is not this one.
func (c clock) date(t time.Time) string {
	t = t.In(c.now.Location())
	if t.Year() == c.now.Year() {
		return t.Format("2 January")
	}
	return t.Format("2 January 2006")
}

// brief is a moment in few words: "14:02", "yesterday 20:11", "12 September".
func (c clock) brief(t time.Time) string {
	switch c.daysAgo(t) {
	case 0:
		return c.hour(t)
	case 1:
		return "yesterday " + c.hour(t)
	}
	return c.date(t)
}

// when is a moment inside a sentence: "at 14:02", "yesterday at 20:11", "tomorrow at 02:00", "on 12 September".
func (c clock) when(t time.Time) string {
	switch c.daysAgo(t) {
	case 0:
		return "at " + c.hour(t)
	case 1:
		return "yesterday at " + c.hour(t)
	case -1:
		return "tomorrow at " + c.hour(t)
	}
	return "on " + c.date(t)
}

// full is a moment in full: "3 October 2026 at 14:02".
func (c clock) full(t time.Time) string {
	return t.In(c.now.Location()).Format("2 January 2006 at 15:04")
}

// zone is the time zone of a moment, behind it: " CET".
func (c clock) zone(t time.Time) string { return t.In(c.now.Location()).Format(" MST") }

// precise is a moment in full, to the second: "3 October 2026 at 14:02:11".
func (c clock) precise(t time.Time) string {
	return t.In(c.now.Location()).Format("2 January 2006 at 15:04:05")
}

// moment is brief for people and machines.
func (c clock) moment(t time.Time) ui.Time {
	return ui.Time{ISO: t.UTC().Format(time.RFC3339), Text: c.brief(t)}
}

// exact is a moment to the second: "14:02:11", "yesterday 20:11:03", "12 September 20:11:03".
func (c clock) exact(t time.Time) ui.Time {
	text := t.In(c.now.Location()).Format("15:04:05")
	switch c.daysAgo(t) {
	case 0:
	case 1:
		text = "yesterday " + text
	default:
		text = c.date(t) + " " + text
	}
	return ui.Time{ISO: t.UTC().Format(time.RFC3339), Text: text}
}

// ago is how long ago a moment was, while that is less than a day: "just now", "12 s ago", "3 minutes ago"; else when it was. app.js goes on counting.
func (c clock) ago(t time.Time) string {
	d := c.now.Sub(t)
	switch {
	case d < time.Second:
		return "just now"
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + " s ago"
	case d < time.Hour:
		return plural(int(d/time.Minute), "minute") + " ago"
	case d < 24*time.Hour:
		return plural(int(d/time.Hour), "hour") + " ago"
	}
	return c.when(t)
}

// until is the day on which something ends: "1 April 2027".
func (c clock) until(t time.Time) ui.Time {
	return ui.Time{ISO: t.UTC().Format(time.RFC3339), Text: t.In(c.now.Location()).Format("2 January 2006")}
}

// day is a date of a bank: "3 October". What is no date is shown as it came.
func (c clock) day(d openbanking.Date) ui.Time {
	t, err := d.Time()
	if err != nil {
		return ui.Time{Text: string(d)}
	}
	return ui.Time{ISO: string(d), Text: c.date(civil(t, c.now.Location()))}
}

// onDay is a date of a bank inside a sentence: "on 3 October".
func (c clock) onDay(d openbanking.Date) string { return "on " + c.day(d).Text }

// weekday is the name of the day of a date of a bank.
func (c clock) weekday(d openbanking.Date) string {
	t, err := d.Time()
	if err != nil {
		return ""
	}
	return t.Weekday().String()
}

// today is the date here and now.
func (c clock) today() openbanking.Date { return openbanking.Date(c.now.Format(time.DateOnly)) }

// heading is a date above the rows of its day: "Today, Saturday 3 October".
func (c clock) heading(d openbanking.Date) ui.Time {
	t, err := d.Time()
	if err != nil {
		return ui.Time{Text: "Without a date"}
	}
	t = civil(t, c.now.Location())
	text := t.Format("Monday ") + c.date(t)
	switch c.daysAgo(t) {
	case 0:
		text = "Today, " + text
	case 1:
		text = "Yesterday, " + text
	}
	return ui.Time{ISO: string(d), Text: text}
}

// stale says how old a figure is, once it is a day old; else "".
func (c clock) stale(t time.Time) string {
	days := int(c.now.Sub(t) / (24 * time.Hour))
	if t.IsZero() || days < 1 {
		return ""
	}
	return plural(days, "day") + " old"
}

// civil is the date of a UTC midnight in another zone: a date has none.
func civil(t time.Time, zone *time.Location) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone)
}

// duration is a length of time in its largest unit, rounded up: "30 seconds", "2 minutes", "1 hour".
func duration(d time.Duration) string {
	up := func(unit time.Duration) int { return int((d + unit - 1) / unit) }
	switch {
	case d <= time.Minute:
		return plural(up(time.Second), "second")
	case d <= time.Hour:
		return plural(up(time.Minute), "minute")
	case d > 24*time.Hour && d%(24*time.Hour) == 0:
		return plural(up(24*time.Hour), "day")
	}
	return plural(up(time.Hour), "hour")
}

// plural is a number of things: "1 account", "1,240 transactions".
func plural[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return count(int64(n)) + " " + thing + "s"
}

// count is a number with commas between thousands.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
