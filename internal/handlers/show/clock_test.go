package show

import (
	"testing"
	"time"

	"florin/internal/openbanking"
	"florin/internal/recurring"
	"florin/internal/testkit"
	"florin/web/templates/words"
)

// TestClock: the nearer a time, the shorter it is written; days are those of the installation's time zone.
func TestClock(t *testing.T) {
	helsinki := time.FixedZone("EET", 2*60*60)
	c := Clock{words.English, time.Date(2026, 10, 3, 0, 30, 0, 0, helsinki)} // still the 2nd in UTC
	utc := func(y int, m time.Month, d, hour, minute int) time.Time {
		return time.Date(y, m, d, hour, minute, 0, 0, time.UTC)
	}
	for _, row := range []struct {
		at                time.Time
		brief, when, full string
		stale             string
	}{
		{utc(2026, 10, 2, 22, 2), "00:02", "at 00:02", "3 October 2026 at 00:02", ""},
		{utc(2026, 10, 2, 21, 59), "yesterday 23:59", "yesterday at 23:59", "2 October 2026 at 23:59", ""},
		{utc(2026, 10, 3, 22, 0), "4 October", "tomorrow at 00:00", "4 October 2026 at 00:00", ""},
		{utc(2026, 9, 12, 12, 0), "12 September", "on 12 September", "12 September 2026 at 14:00", "20 days old"},
		{utc(2025, 12, 31, 23, 0), "1 January", "on 1 January", "1 January 2026 at 01:00", "274 days old"},
		{utc(2025, 12, 31, 21, 0), "31 December 2025", "on 31 December 2025", "31 December 2025 at 23:00", "275 days old"},
		{utc(2026, 10, 1, 22, 0), "yesterday 00:00", "yesterday at 00:00", "2 October 2026 at 00:00", "1 day old"},
	} {
		if got := c.Brief(row.at); got != row.brief {
			t.Errorf("brief(%s) = %q, want %q", row.at, got, row.brief)
		}
		if got := c.When(row.at); got != row.when {
			t.Errorf("when(%s) = %q, want %q", row.at, got, row.when)
		}
		if got := c.Full(row.at); got != row.full {
			t.Errorf("full(%s) = %q, want %q", row.at, got, row.full)
		}
		if got := c.Stale(row.at); got != row.stale {
			t.Errorf("stale(%s) = %q, want %q", row.at, got, row.stale)
		}
	}
}

// TestClockDates: a date of a bank is a date, whatever the time zone.
func TestClockDates(t *testing.T) {
	for _, zone := range []*time.Location{time.FixedZone("west", -11*60*60), time.UTC, time.FixedZone("east", 13*60*60)} {
		c := Clock{words.English, time.Date(2026, 10, 3, 12, 0, 0, 0, zone)}
		for _, row := range []struct {
			date         openbanking.Date
			day, heading string
		}{
			{"2026-10-03", "3 October", "Today, Saturday 3 October"},
			{"2026-10-02", "2 October", "Yesterday, Friday 2 October"},
			{"2026-10-04", "4 October", "Sunday 4 October"},
			{"2024-02-29", "29 February 2024", "Thursday, 29 February 2024"},
			{"", "", "Without a date"},
			{"soon", "soon", "Without a date"},
		} {
			if got := c.Day(row.date).Text; got != row.day {
				t.Errorf("%s: day(%q) = %q, want %q", zone, row.date, got, row.day)
			}
			if got := c.Heading(row.date).Text; got != row.heading {
				t.Errorf("%s: heading(%q) = %q, want %q", zone, row.date, got, row.heading)
			}
		}
	}
}

func TestDurationsInWords(t *testing.T) {
	for _, row := range []struct {
		d    time.Duration
		want string
	}{
		{time.Second, "1 second"}, {30 * time.Second, "30 seconds"}, {61 * time.Second, "2 minutes"}, {time.Hour, "60 minutes"}, {61 * time.Minute, "2 hours"},
		{24 * time.Hour, "24 hours"},
	} {
		if got := words.English.Message(Duration(row.d)); got != row.want {
			t.Errorf("duration(%s) = %q, want %q", row.d, got, row.want)
		}
	}
}

// TestReadableRecords: what cannot be seen is written as an escape that means the same.
func TestReadableRecords(t *testing.T) {
	for _, row := range []struct{ record, want string }{
		{`{"a":"b c"}`, "{\n  \"a\": \"b c\"\n}"},
		{"{\"a\":\"x\u202ey\u200b\"}", "{\n  \"a\": \"x\\u202ey\\u200b\"\n}"},
		{"[\"\U000e0041\"]", "[\n  \"\\udb40\\udc41\"\n]"},
		{`["é – €"]`, "[\n  \"é – €\"\n]"},
		{`not json`, "not json"},
	} {
		if got := Readable([]byte(row.record)); got != row.want {
			t.Errorf("readable(%q) = %q, want %q", row.record, got, row.want)
		}
	}
}

// Days are those of the time zone, whatever their length.
func TestDaysOfTimeZones(t *testing.T) {
	for _, m := range testkit.Moments(t) {
		c := Clock{words.English, m.Now}
		if got := c.Today(); string(got) != m.Day {
			t.Errorf("%v: today is %s, want %s", m.Now, got, m.Day)
		}
		today, err := time.Parse(time.DateOnly, m.Day)
		if err != nil {
			t.Fatal(err)
		}
		for _, days := range []int{-182, -7, -1, 0, 1, 2, 30} {
			if got, want := c.DayFromNow(days), openbanking.DateOf(today.AddDate(0, 0, days)); got != want {
				t.Errorf("%v: %d days from today is %s, want %s", m.Now, days, got, want)
			}
		}
		weekly := func(last time.Time) string {
			return c.SeriesNote(recurring.Kept{Facts: recurring.Facts{Every: openbanking.FrequencyCodeWEEK, First: openbanking.DateOf(last.AddDate(0, 0, -70)),
				Last: openbanking.DateOf(last), Anchor: openbanking.DateOf(last), Count: 11}})
		}
		if got, want := weekly(today.AddDate(0, 0, -7)), "Every week, next on "+c.Day(openbanking.Date(m.Day)).Text; got != want {
			t.Errorf("%v: what comes today is %q, want %q", m.Now, got, want)
		}
		if got, want := weekly(today.AddDate(0, 0, -8)), "Every week, expected on "+c.Day(openbanking.DateOf(today.AddDate(0, 0, -1))).Text; got != want {
			t.Errorf("%v: what should have come yesterday is %q, want %q", m.Now, got, want)
		}
	}
}
