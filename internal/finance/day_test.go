package finance

import (
	"errors"
	"strings"
	"testing"
)

func TestParseDay(t *testing.T) {
	for text, want := range map[string]string{
		"2026-12-31": "2026-12-31", " 2026-12-31 ": "2026-12-31", "2026-1-5": "2026-01-05", "31.12.2026": "2026-12-31", "1. 2. 2026": "2026-02-01",
		"2028-02-29": "2028-02-29", "2026-12-31 00:00:00": "2026-12-31",
		"2027-02-29": "!2027-02-29 2027", "29.02.2027": "!2027-02-29 2027", "2026-02-30": "!2026-02-30", "2026-13-01": "!2026-13-01",
		"31/12/2026": "!", "12/31/2026": "!", "": "!", "tomorrow": "!", "0000-00-00": "!0000-00-00", "２０２６-12-31": "!", "31.12.26": "!",
	} {
		day, err := ParseDay(text)
		if facts, bad := strings.CutPrefix(want, "!"); bad {
			var wrong *DayError
			if !errors.As(err, &wrong) || strings.TrimSpace(wrong.Day+" "+wrong.Leap) != facts {
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
