package words

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// dates is how a language writes a day and a time of day.
type dates struct {
	months   [12]string
	weekdays [7]string // from Sunday on; only of the languages of the web app
	first    string    // the first day of a month, where it is not 1
	day      string    // with {d}, {m} and {y} for the day, the month and the year
	clock    string    // layout of a time of day
}

// Date writes a day in UTC: 2 January 2006.
func (l *Language) Date(t time.Time) string {
	return l.Day(t.UTC(), true)
}

// DateTime writes a day and a time of day in UTC: 2 January 2006, 15:04 UTC.
func (l *Language) DateTime(t time.Time) string {
	return l.Date(t) + t.UTC().Format(l.dates.clock) + " UTC"
}

// Day writes the day of t, in its own time zone: "2 January 2006", or "2 January" without the year.
func (l *Language) Day(t time.Time, year bool) string {
	d := l.dates
	day := strconv.Itoa(t.Day())
	if t.Day() == 1 && d.first != "" {
		day = d.first
	}
	layout := d.day
	if !year {
		layout = strings.TrimSuffix(layout, " {y}")
	}
	text := strings.Replace(strings.Replace(layout, "{d}", day, 1), "{m}", d.months[t.Month()-1], 1)
	if !year {
		return text
	}
	return strings.Replace(text, "{y}", t.Format("2006"), 1)
}

// Month writes the month of t with its year: "January 2006".
func (l *Language) Month(t time.Time) string {
	return l.dates.months[t.Month()-1] + " " + t.Format("2006")
}

// BriefMonth is the name of the month of t in three letters, without a point; only the languages of the web app have such names.
func (l *Language) BriefMonth(t time.Time) string {
	return string([]rune(l.dates.months[t.Month()-1])[:3])
}

// Weekday is the name of the day of t; only the languages of the web app have one.
func (l *Language) Weekday(t time.Time) string { return l.dates.weekdays[t.Weekday()] }

// Weekdays are the names of the days of a week from Monday on; only the languages of the web app have them.
func (l *Language) Weekdays() []string {
	return append(slices.Clone(l.dates.weekdays[1:]), l.dates.weekdays[0])
}

// WeekdayOf writes the day of t with its name: "Monday 2 January", "Monday, 2 January 2006"; German has the comma in both.
func (l *Language) WeekdayOf(t time.Time, year bool) string {
	comma := ","
	if l.index == english.index && !year {
		comma = ""
	}
	return l.Weekday(t) + comma + " " + l.Day(t, year)
}

// calendars are in the order of codes.
var calendars = []dates{
	{
		months:   [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
		weekdays: [7]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
		day:      "{d} {m} {y}", clock: ", 15:04",
	},
	{
		months:   [12]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"},
		weekdays: [7]string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"},
		day:      "{d}. {m} {y}", clock: ", 15:04",
	},
	{
		months: [12]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
		first:  "1er", day: "{d} {m} {y}", clock: " à 15:04",
	},
	{
		months: [12]string{"tammikuuta", "helmikuuta", "maaliskuuta", "huhtikuuta", "toukokuuta", "kesäkuuta", "heinäkuuta", "elokuuta", "syyskuuta",
			"lokakuuta", "marraskuuta", "joulukuuta"},
		day: "{d}. {m} {y}", clock: " klo 15.04",
	},
}
