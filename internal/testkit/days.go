package testkit

import (
	"testing"
	"time"
	_ "time/tzdata" // the same on every machine
)

// Moment is a time in a time zone, and the day on which it is.
type Moment struct {
	Now time.Time
	Day string // "2026-11-01"
}

// Moments are around midnight and around the ends of daylight saving time, east and west of UTC, where the day is another one in UTC or the day has 23 or 25
// hours.
func Moments(t testing.TB) (all []Moment) {
	t.Helper()
	for _, m := range []struct{ zone, utc, day string }{
		{"Pacific/Kiritimati", "2026-10-31T09:59:59Z", "2026-10-31"}, {"Pacific/Kiritimati", "2026-10-31T10:00:00Z", "2026-11-01"}, // 14 hours ahead
		{"America/St_Johns", "2026-11-01T02:29:59Z", "2026-10-31"}, {"America/St_Johns", "2026-11-01T02:30:00Z", "2026-11-01"},
		{"America/St_Johns", "2026-11-01T04:31:00Z", "2026-11-01"}, {"America/St_Johns", "2026-11-02T03:29:59Z", "2026-11-01"}, // a day of 25 hours
		{"America/St_Johns", "2026-11-02T03:30:00Z", "2026-11-02"},
		{"Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25"}, {"Europe/Berlin", "2026-10-25T22:59:59Z", "2026-10-25"}, {"Europe/Berlin", "2026-10-25T23:00:00Z", "2026-10-26"},
		{"Europe/Berlin", "2026-12-31T22:59:59Z", "2026-12-31"}, {"Europe/Berlin", "2026-12-31T23:00:00Z", "2027-01-01"},
		{"America/Santiago", "2026-09-05T03:30:00Z", "2026-09-04"}, {"America/Santiago", "2026-09-05T04:30:00Z", "2026-09-05"}, // the next day begins at one o'clock
		{"UTC", "2028-02-29T23:59:59Z", "2028-02-29"},
	} {
		zone, err := time.LoadLocation(m.zone)
		if err != nil {
			t.Fatal(err)
		}
		now, err := time.Parse(time.RFC3339, m.utc)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Moment{now.In(zone), m.day})
	}
	return all
}

// OneDay makes sure that a test begins and ends on the same day, in UTC and in the time zone of the machine, so that a test that reads the clock twice reads
// one date. When midnight could come during the test, it waits until midnight has passed.
func OneDay(t testing.TB, lasts time.Duration) {
	t.Helper()
	for _, zone := range []*time.Location{time.UTC, time.Local} {
		if left := untilMidnight(time.Now().In(zone)); left < lasts {
			time.Sleep(left)
		}
	}
}

// untilMidnight returns the time from now until the next day begins where now is. When the clock is put forward at midnight, that day begins at one.
func untilMidnight(now time.Time) time.Duration {
	y, m, d := now.Date()
	end := time.Date(y, m, d+1, 0, 0, 0, 0, now.Location())
	if end.Day() == d {
		end = end.Add(time.Hour)
	}
	return end.Sub(now)
}
