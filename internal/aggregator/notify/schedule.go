package notify

import (
	"math/rand/v2"
	"time"

	"florin/internal/aggregator"
)

const (
	// retryFor is how long an event is retried after it happened (spec: Events).
	retryFor = 24 * time.Hour
	// longestPause lies between the begins of two tries. With the time that a claim takes it stays below the 600 seconds
	// that the specification allows.
	longestPause = 590 * time.Second
	firstPause   = 10 * time.Second
)

// nextTry returns when to try an event again whose try from start to end was not acknowledged; zero: not any more. Pauses
// double and are drawn from their upper half, so that events that failed together part. The last try is at the end of the 24
// hours, and an event that could not be tried before has one all the same.
func nextTry(w aggregator.Webhook, start, end time.Time) time.Time {
	last := w.Created.Add(retryFor)
	if !w.Open() || !start.Before(last) {
		return time.Time{}
	}
	pause := longestPause
	if w.Attempts < 10 {
		pause = min(pause, firstPause<<w.Attempts)
	}
	next := end.Add(pause/2 + rand.N(pause/2+1)) //nolint:gosec // jitter is no secret
	for _, latest := range []time.Time{start.Add(longestPause), last} {
		if next.After(latest) {
			next = latest
		}
	}
	return next
}
