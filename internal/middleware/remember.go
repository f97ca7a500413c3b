package middleware

import (
	"context"
	"sync"
	"time"
)

// Remember returns a check whose result is good for a while, so that frequent callers do not make it work often. Calls that come while it works wait for its
// result.
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
		if ctx.Err() == nil { // what came of a caller who went away is nothing for others
			result, until = err, time.Now().Add(good)
		}
		return err
	}
}
