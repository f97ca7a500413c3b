package middleware

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestRemember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls, failure := 0, error(nil)
		check := Remember(func(context.Context) error { calls++; return failure }, time.Second)
		ask := func(ctx context.Context, want error, called int) {
			t.Helper()
			if got := check(ctx); !errors.Is(got, want) || calls != called {
				t.Errorf("%v after %d calls, want %v after %d", got, calls, want, called)
			}
		}
		ask(t.Context(), nil, 1)
		failure = errors.New("broken")
		ask(t.Context(), nil, 1)
		time.Sleep(time.Second)
		gone, leave := context.WithCancel(t.Context())
		leave()
		ask(gone, failure, 2)
		ask(t.Context(), failure, 3)
		failure = nil
		time.Sleep(999 * time.Millisecond)
		if check(t.Context()) == nil {
			t.Error("it was forgotten too early")
		}
		time.Sleep(time.Millisecond)
		ask(t.Context(), nil, 4)
	})
}
