package auth

import (
	"context"
	"errors"
	"sync"
	"testing"
)

// TestQueueForHashesIsBounded: when many passwords wait to be hashed, the next one is refused at once; when they are done, it is taken (security T23, T35).
func TestQueueForHashesIsBounded(t *testing.T) {
	h := newHasher(parameters)
	var releases []func()
	for range atOnce {
		release, err := h.slot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		releases = append(releases, release)
	}
	ctx, leave := context.WithCancel(t.Context())
	var left sync.WaitGroup
	for range atMostWait {
		left.Go(func() {
			if _, err := h.slot(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("one that waits ends with %v", err)
			}
		})
	}
	for h.waiting.Load() < atOnce+atMostWait { // until all of them wait
	}
	var wait *WaitError
	if _, err := h.hash(t.Context(), "correct horse battery"); !errors.As(err, &wait) {
		t.Errorf("one too many: %v", err)
	}
	leave()
	left.Wait()
	for _, release := range releases {
		release()
	}
	if _, err := h.hash(t.Context(), "correct horse battery"); err != nil || h.waiting.Load() != 0 {
		t.Errorf("afterwards: %v, %d wait", err, h.waiting.Load())
	}
}
