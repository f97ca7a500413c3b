package engine

import (
	"context"
	"sync"
)

// turns makes everything that works on one authorisation wait for the others, including the time that the bank takes to answer. So the answers of the bank
// are stored in their order, and nothing is opened at a bank while something else is being closed there.
type turns struct {
	mu sync.Mutex
	of map[string]*turn // by authorization id
}

type turn struct {
	taken   chan struct{} // holds one element while somebody has the turn
	waiting int           // who has it or waits for it
}

// take waits for the turn, or for the end of ctx, and returns how to pass it on.
func (t *turns) take(ctx context.Context, id string) (pass func(), err error) {
	t.mu.Lock()
	own := t.of[id]
	if own == nil {
		if t.of == nil {
			t.of = map[string]*turn{}
		}
		own = &turn{taken: make(chan struct{}, 1)}
		t.of[id] = own
	}
	own.waiting++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if own.waiting--; own.waiting == 0 {
			delete(t.of, id)
		}
	}
	select {
	case own.taken <- struct{}{}:
		return func() { <-own.taken; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
