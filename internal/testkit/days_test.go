package testkit

import (
	"testing"
	"testing/synctest"
	"time"
)

// A moment before midnight, a test waits for the next day, which begins at midnight, also where the clock is put forward then; else it begins at once.
func TestOneDay(t *testing.T) {
	for _, m := range Moments(t) {
		left := untilMidnight(m.Now)
		if before, after := m.Now.Add(left-time.Nanosecond).Format(time.DateOnly), m.Now.Add(left).Format(time.DateOnly); before != m.Day || after == m.Day {
			t.Errorf("%v after %v it is %s, just before %s; want %s until then", left, m.Now, after, before, m.Day)
		}
	}
	defer func(zone *time.Location) { time.Local = zone }(time.Local)
	time.Local = time.FixedZone("five hours ahead", 5*60*60)
	synctest.Test(t, func(t *testing.T) { // begins at midnight of UTC
		waits := func(lasts, want time.Duration) {
			t.Helper()
			begin := time.Now()
			if OneDay(t, lasts); time.Since(begin) != want {
				t.Errorf("at %v it waits %v, want %v", begin.UTC(), time.Since(begin), want)
			}
		}
		waits(time.Minute, 0)
		time.Sleep(19*time.Hour - 30*time.Second)
		waits(10*time.Second, 0)
		waits(time.Minute, 30*time.Second)
		time.Sleep(5*time.Hour - 20*time.Second)
		waits(10*time.Second, 0)
		waits(time.Minute, 20*time.Second)
	})
}
