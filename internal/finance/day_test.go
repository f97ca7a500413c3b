package finance

import (
	"strings"
	"testing"
)

func TestParseDay(t *testing.T) {
	for text, want := range map[string]string{
		"2026-12-31": "2026-12-31", " 2026-12-31 ": "2026-12-31", "2026-1-5": "2026-01-05", "31.12.2026": "2026-12-31", "1. 2. 2026": "2026-02-01", "2028-02-29": "2028-02-29", "2026-12-31 00:00:00": "2026-12-31",
		"2027-02-29": "!2027 is no leap year: February has 28 days", "29.02.2027": "!2027 is no leap year", "2026-02-30": "!there is no day 2026-02-30 in the calendar", "2026-13-01": "!there is no day",
		"31/12/2026": "!not of the form", "12/31/2026": "!not of the form", "": "!not of the form", "tomorrow": "!not of the form", "0000-00-00": "!there is no day", "２０２６-12-31": "!not of the form", "31.12.26": "!not of the form",
	} {
		day, err := ParseDay(text)
		if words, bad := strings.CutPrefix(want, "!"); bad {
			if err == nil || !strings.Contains(err.Error(), words) {
				t.Errorf("%q: %s, %v", text, day, err)
			}
		} else if err != nil || string(day) != want {
			t.Errorf("%q: %s, %v", text, day, err)
		}
	}
}

func FuzzParseDay(f *testing.F) {
	f.Add("31.12.2026")
	f.Add("2026-12-31")
	f.Fuzz(func(t *testing.T, text string) {
		day, err := ParseDay(text)
		if err != nil {
			return
		}
		if _, err := day.Time(); err != nil {
			t.Fatalf("%q is %s, which is no day", text, day)
		}
	})
}
