package shell

import (
	"context"
	"runtime"
)

// queue limits how many pages are made at the same time to the number of cores; others wait in order of arrival. A page that only reads the database keeps a
// core busy, so making more at a time would finish none of them sooner. They would take turns for connections and cores, and one in a hundred would lose its
// turn again and again.
type queue chan struct{}

func newQueue() queue { return make(queue, runtime.GOMAXPROCS(0)) }

// join waits for a place. leave returns it; further calls do nothing.
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
