package finance

import (
	"testing"
	"time"
)

func TestReminders(t *testing.T) {
	end := time.Date(2026, 12, 31, 12, 0, 0, 0, time.UTC)
	before := func(days float64) time.Time { return end.Add(-time.Duration(days * 24 * float64(time.Hour))) }
	for _, tt := range []struct {
		name     string
		given    float64 // days before the end
		left     float64
		want     int  // 0: none
		wantNext int  // day of the next reminder; 0: none
		ended    bool // by the bank
	}{
		{"too early", 90, 14.1, 0, 14, false},
		{"14 days", 90, 14, 14, 7, false},
		{"9 days", 90, 9, 14, 7, false},
		{"7 days", 90, 7, 7, 1, false},
		{"a day", 90, 1, 1, 0, false},
		{"an hour", 90, 0.04, 1, 0, false},
		{"over", 90, 0, 0, 0, false},
		{"ended before", 90, 7, 0, 1, true},
		{"given for ten days", 10, 9, 0, 7, false},
		{"given for ten days, 7 left", 10, 6.5, 7, 1, false},
		{"given for an hour", 0.04, 0.03, 0, 0, false},
	} {
		c := Connection{Status: ConnectionActive, ValidUntil: end, Authorized: before(tt.given)}
		if tt.ended {
			c.Status = ConnectionRevoked
		}
		now := before(tt.left)
		if days, ok := c.Reminder(now); ok != (tt.want != 0) || ok && days != tt.want {
			t.Errorf("%s: reminded for %d days, %v", tt.name, days, ok)
		}
		var want time.Time
		if tt.wantNext != 0 {
			want = before(float64(tt.wantNext))
		}
		if next := c.NextReminder(now); !next.Equal(want) {
			t.Errorf("%s: next at %v, want %v", tt.name, next, want)
		}
	}
}
