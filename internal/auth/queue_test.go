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

// TestStrangersDoNotFillTheQueue: however many passwords of strangers wait to be hashed, the owner confirms a payment, signs in on a known device and
// uses a link for a new password (security T22, T35).
func TestStrangersDoNotFillTheQueue(t *testing.T) {
	r := newRig(t, Cheap)
	owner := r.owner(t)
	known := Browser{Address: home, ID: "the owner's browser", Known: []string{owner.ID}}
	_, signIn, err := r.SignIn(t.Context(), owner.Email, password, known, false)
	check(t, err)
	link, err := r.ResetLink(t.Context(), owner)
	check(t, err)
	r.strangers.waiting.Store(atOnce + atMostWait)

	var wait *WaitError
	if _, _, err := r.SignIn(t.Context(), owner.Email, password, Browser{Address: home}, false); !errors.As(err, &wait) {
		t.Errorf("one stranger more: %v", err)
	}
	if err := stepUp(t, r.Auth, owner, signIn.ID, password); err != nil {
		t.Errorf("the signed-in owner: %v", err)
	}
	if _, _, err := r.SignIn(t.Context(), owner.Email, password, known, false); err != nil {
		t.Errorf("the owner on a known device: %v", err)
	}
	if _, err := r.Reset(t.Context(), link, "another pony battery"); err != nil {
		t.Errorf("the owner with a link: %v", err)
	}
}
