package testkit

import (
	"sync"
	"time"
)

// Clock is a clock that a test can put forward. The zero Clock shows the real time.
type Clock struct {
	mu    sync.Mutex
	ahead time.Duration
	still time.Time // when it was stopped; zero while it runs
}

// Now returns what the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.still.IsZero() {
		return time.Now().Add(c.ahead)
	}
	return c.still.Add(c.ahead)
}

// Stop lets time go by with Advance alone, so that a slow machine misses nothing.
func (c *Clock) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.still = time.Now()
}

// Advance puts the clock forward.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}
