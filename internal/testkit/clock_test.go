package testkit_test

import (
	"testing"
	"testing/synctest"
	"time"

	"florin/internal/testkit"
)

// A clock runs like the real one until it is stopped, and can be put forward in both states.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var clock testkit.Clock
		shows := func(want time.Duration) {
			t.Helper()
			if got := clock.Now().Sub(start); got != want {
				t.Errorf("%v have gone by, want %v", got, want)
			}
		}
		time.Sleep(time.Second)
		shows(time.Second)
		clock.Advance(time.Hour)
		shows(time.Hour + time.Second)
		clock.Stop()
		time.Sleep(time.Minute)
		shows(time.Hour + time.Second)
		clock.Advance(time.Hour)
		shows(2*time.Hour + time.Second)
	})
}
