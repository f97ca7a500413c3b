package bank

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"florin/internal/openbanking"
	"florin/internal/publicnet"
)

const (
	maxTries   = 3
	firstPause = 250 * time.Millisecond
)

// retry repeats a call that only reads. Longer outages are the business of the caller's own schedule.
func retry(ctx context.Context, call func() error) error {
	for try := 1; ; try++ {
		err := call()
		again, _ := retryable(err)
		if !again || try == maxTries {
			return err
		}
		pause := firstPause << (2 * (try - 1))
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause/2 + rand.N(pause)): //nolint:gosec // jitter is no secret
		}
	}
}

// retryable decides whether a reading call is repeated, and says why. An answer with an error code is final: it comes from the service or the bank, whose
// limits a repetition would use up.
func retryable(err error) (bool, string) {
	var e *openbanking.Error
	var useless *Unusable
	switch {
	case err == nil:
		return false, "it succeeded"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return false, "there is no time left"
	case errors.As(err, &useless):
		return false, "the answer would be the same again"
	case errors.Is(err, publicnet.ErrNotPublic):
		return false, "the address stays the same"
	case !errors.As(err, &e):
		return true, "no answer came"
	case e.Code != "":
		return false, "the service has answered"
	case e.Status == http.StatusBadGateway || e.Status == http.StatusServiceUnavailable || e.Status == http.StatusGatewayTimeout:
		return true, "a proxy answered for the service"
	}
	return false, "the service has answered"
}

// longestPause is the longest time for which a service can ask to be left alone: a limit of a day is the longest there is.
const longestPause = 24 * time.Hour

// retryAfter is what the answer says about when to ask again, by the wall clock and at most longestPause from now; zero when nothing. The clock of the
// service may be wrong.
func retryAfter(r *http.Response) time.Time {
	text := r.Header.Get("Retry-After")
	if text == "" {
		return time.Time{}
	}
	now := time.Now().Round(0)
	latest := now.Add(longestPause)
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && seconds >= 0 {
		return now.Add(time.Duration(min(seconds, int64(longestPause/time.Second))) * time.Second)
	}
	t, _ := http.ParseTime(text)
	if t.After(latest) {
		return latest
	}
	return t
}
