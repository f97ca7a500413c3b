package middleware

import (
	"context"
	"sync"
	"time"
)

// Remember returns a check whose result is reused for a while, so that frequent calls do not run it often. Calls during a check wait for its result.
func Remember(check func(context.Context) error, good time.Duration) func(context.Context) error {
	var mu sync.Mutex
	var until time.Time
	var result error
	return func(ctx context.Context) error {
		mu.Lock()
		defer mu.Unlock()
		if time.Now().Before(until) {
			return result
		}
		err := check(ctx)
		if ctx.Err() == nil { // a result caused by a caller who left is not reused
			result, until = err, time.Now().Add(good)
		}
		return err
	}
}
