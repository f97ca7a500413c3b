package apptoken

import (
	"context"
	"crypto/rsa"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"
)

func TestSignedTokensVerify(t *testing.T) {
	key := ownKey()
	synctest.Test(t, func(t *testing.T) {
		signer := NewSigner(key, app, issuer, audience)
		token, err := signer.Token(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if kid, err := newTestVerifier().Verify(t.Context(), token); kid != app || err != nil {
			t.Errorf("Verify = %q, %v; want %q", kid, err, app)
		}
		other := NewVerifier([]string{issuer}, []string{audience}, func(context.Context, string) ([]*rsa.PublicKey, error) {
			return []*rsa.PublicKey{&otherKey().PublicKey}, nil
		})
		if _, err := other.Verify(t.Context(), token); err == nil {
			t.Error("the token verifies with another key")
		}
	})
}

func TestSignerReusesATokenWhileItLastsFiveMinutesMore(t *testing.T) {
	signer := NewSigner(ownKey(), app, issuer, audience)
	start := time.Unix(1_800_000_000, 0)
	first := mustToken(t, signer, start)
	for _, test := range []struct {
		after time.Duration
		same  bool
	}{
		{0, true},
		{55*time.Minute - time.Second, true},
		{55 * time.Minute, false},
		{59 * time.Minute, false},
	} {
		signer := &Signer{key: signer.key, kid: app, issuer: issuer, audience: audience, token: signer.token, issued: signer.issued}
		if got := mustToken(t, signer, start.Add(test.after)) == first; got != test.same {
			t.Errorf("after %v the same token: %v, want %v", test.after, got, test.same)
		}
	}
	if mustToken(t, signer, start.Add(-2*time.Hour)) == first {
		t.Error("a token from the future is used after the clock was set back")
	}
}

// A laptop that slept: the wall clock has gone on, the monotonic one has not.
func TestSignerAfterASleep(t *testing.T) {
	signer := NewSigner(ownKey(), app, issuer, audience)
	before := time.Now()
	after := slept(t, before, 3*time.Hour)
	first := mustToken(t, signer, before)
	second := mustToken(t, signer, after)
	if first == second {
		t.Fatal("the token of before the sleep is used, though it has expired")
	}
	if mustToken(t, signer, after.Add(time.Minute)) != second {
		t.Error("the new token is not used again")
	}
}

// slept returns a time by which the wall clock is ahead of before and the monotonic one is the same.
func slept(t *testing.T, before time.Time, by time.Duration) time.Time {
	t.Helper()
	was := before
	// As in package time: the top bit of the first word says that there is a monotonic reading, 33 bits of seconds and 30 of nanoseconds follow.
	*(*uint64)(unsafe.Pointer(&before)) += uint64(by/time.Second) << 30 // there is no other way to make such a time
	if before.Sub(was) != 0 || before.Round(0).Sub(was.Round(0)) != by {
		t.Fatalf("this test does not know how times are stored any more: %v, %v", was, before)
	}
	return before
}

func TestSignerIsSafeForConcurrentUse(t *testing.T) {
	signer := NewSigner(ownKey(), app, issuer, audience)
	now := time.Now()
	var group sync.WaitGroup
	tokens := make([]string, 8)
	for i := range tokens {
		group.Go(func() { tokens[i], _ = signer.Token(now) })
	}
	group.Wait()
	for i, token := range tokens {
		if token == "" || token != tokens[0] {
			t.Errorf("token %d differs", i)
		}
	}
}

func mustToken(t *testing.T, signer *Signer, now time.Time) string {
	t.Helper()
	token, err := signer.Token(now)
	if err != nil {
		t.Fatal(err)
	}
	return token
}
