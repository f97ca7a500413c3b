package finance

import (
	"testing"
	"time"
	_ "time/tzdata" // the same on every machine

	"florin/internal/openbanking"
)

func TestQuietEnd(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		from, until int
		at, want    string // "" for not quiet
	}{
		{22 * 60, 7 * 60, "2026-11-23 21:59", ""},
		{22 * 60, 7 * 60, "2026-11-23 22:00", "2026-11-24 07:00"},
		{22 * 60, 7 * 60, "2026-11-24 06:59", "2026-11-24 07:00"},
		{22 * 60, 7 * 60, "2026-11-24 07:00", ""},
		{12 * 60, 13*60 + 30, "2026-11-24 12:15", "2026-11-24 13:30"},
		{12 * 60, 13*60 + 30, "2026-11-24 13:30", ""},
		{0, 0, "2026-11-24 00:00", ""},
		{22 * 60, 7 * 60, "2026-12-31 23:00", "2027-01-01 07:00"},
		{22 * 60, 2*60 + 30, "2026-03-28 23:00", "2026-03-29 03:30"}, // 2:30 does not exist that night
		{22 * 60, 7 * 60, "2026-10-24 23:00", "2026-10-25 07:00"},    // a night of 25 hours
	} {
		at, err := time.ParseInLocation("2006-01-02 15:04", tt.at, berlin)
		if err != nil {
			t.Fatal(err)
		}
		end, quiet := AlertSettings{QuietFrom: tt.from, QuietUntil: tt.until}.QuietEnd(at)
		got := ""
		if quiet {
			got = end.Format("2006-01-02 15:04")
		}
		if got != tt.want || quiet && !end.After(at) {
			t.Errorf("%s between %d and %d: %q, want %q", tt.at, tt.from, tt.until, got, tt.want)
		}
	}
	// In the hour that comes twice, the end is never in the past.
	for at := time.Date(2026, 10, 24, 23, 0, 0, 0, time.UTC); at.Before(time.Date(2026, 10, 25, 3, 0, 0, 0, time.UTC)); at = at.Add(time.Minute) {
		if end, quiet := (AlertSettings{QuietFrom: 60, QuietUntil: 2*60 + 15}).QuietEnd(at.In(berlin)); quiet && !end.After(at) {
			t.Errorf("%v: ends at %v", at.In(berlin), end)
		}
	}
}

func TestDigestPeriod(t *testing.T) {
	for _, tt := range []struct {
		digest      Digest
		today       string
		from, until openbanking.Date
	}{
		{DigestWeekly, "2026-11-23", "2026-11-16", "2026-11-22"}, // a Monday
		{DigestWeekly, "2026-11-29", "2026-11-16", "2026-11-22"},
		{DigestWeekly, "2026-01-01", "2025-12-22", "2025-12-28"},
		{DigestMonthly, "2026-11-01", "2026-10-01", "2026-10-31"},
		{DigestMonthly, "2026-03-31", "2026-02-01", "2026-02-28"},
	} {
		today, err := time.Parse(time.DateOnly, tt.today)
		if err != nil {
			t.Fatal(err)
		}
		if from, until, _ := tt.digest.Period(today); from != tt.from || until != tt.until {
			t.Errorf("%s on %s: %s to %s", tt.digest, tt.today, from, until)
		}
	}
}

// A time zone that the system no longer knows is that of the server.
func TestLocationOfAPerson(t *testing.T) {
	for zone, want := range map[string]string{"": "UTC", "Asia/Tokyo": "Asia/Tokyo", "Moon/Crater": "UTC"} {
		if got := (AlertSettings{Zone: zone}).Location(time.UTC).String(); got != want {
			t.Errorf("%q: %s", zone, got)
		}
	}
}
