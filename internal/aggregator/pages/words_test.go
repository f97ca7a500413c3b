package pages

import (
	"testing"
	"time"
)

func TestUntilText(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)
	tests := []struct {
		name       string
		end        time.Time
		text, note string
	}{
		{"180 days less five minutes", now.Add(180*24*time.Hour - 5*time.Minute), "19 May 2027", "in 180 days"},
		{"two days", now.Add(48 * time.Hour), "22 November 2026", "in 2 days"},
		{"a day and a half", now.Add(36 * time.Hour), "21 November 2026, 22:30 UTC", "in 36 hours"},
		{"another zone", now.Add(5 * time.Hour).In(time.FixedZone("", 3600)), "20 November 2026, 15:30 UTC", "in 5 hours"},
		{"an hour", now.Add(time.Hour), "20 November 2026, 11:30 UTC", "in 60 minutes"},
		{"seconds", now.Add(20 * time.Second), "20 November 2026, 10:30 UTC", "in 1 minute"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, note := untilText(test.end, now)
			if text != test.text || note != test.note {
				t.Errorf("untilText = %q, %q, want %q, %q", text, note, test.text, test.note)
			}
		})
	}
}

func TestLifetime(t *testing.T) {
	for d, want := range map[time.Duration]string{10 * time.Minute: "10 minutes", time.Minute: "1 minute", time.Second: "1 second", 90 * time.Second: "90 seconds"} {
		if got := lifetime(d); got != want {
			t.Errorf("lifetime(%v) = %q, want %q", d, got, want)
		}
	}
}
