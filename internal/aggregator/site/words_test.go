package site

import (
	"context"
	"testing"
	"time"

	"florin/web/templates/words"
)

var english = words.In(context.Background())

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
			text, note := UntilText(english, test.end, now)
			if text != test.text || note != test.note {
				t.Errorf("UntilText = %q, %q, want %q, %q", text, note, test.text, test.note)
			}
		})
	}
}

func TestCountryName(t *testing.T) {
	for code, want := range map[string]string{"SE": "Sweden", "XX": "XX"} {
		if got := CountryName(english, code); got != want {
			t.Errorf("CountryName(%s) = %q, want %q", code, got, want)
		}
	}
}
