package pages

import "testing"

func TestClockText(t *testing.T) {
	for seconds, want := range map[int]string{0: "0:00", 9: "0:09", 60: "1:00", 299: "4:59", 300: "5:00"} {
		if got := clockText(seconds); got != want {
			t.Errorf("clockText(%d) = %s, want %s", seconds, got, want)
		}
	}
}
