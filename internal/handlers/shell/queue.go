package shell

import (
	"context"
	"runtime"
)

// queue lets as many pages be made at a time as there are cores; the others wait, first come, first served. A page that needs the database alone is made
// without a pause, so more of them at a time would finish none sooner: they take turns for a connection and a core, and one of a hundred loses its turn again
// and again.
type queue chan struct{}

func newQueue() queue { return make(queue, runtime.GOMAXPROCS(0)) }

// join waits for a place; leave gives it back, and does nothing the second time.
func (q queue) join(ctx context.Context) (leave func(), err error) {
	select {
	case q <- struct{}{}: // the runtime serves senders in the order in which they came
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	left := false
	return func() {
		if !left {
			left = true
			<-q
		}
	}, nil
}
