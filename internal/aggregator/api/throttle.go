package api

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"florin/internal/openbanking"
)

// throttle is the limit of the service itself: so many requests a minute of each application. As many can come at once;
// then they come back evenly. It is kept in memory, one limiter for each application that has called.
type throttle struct {
	perMinute int // zero: no limit

	mu       sync.Mutex
	limiters map[string]*rate.Limiter // by application id
}

func newThrottle(perMinute int) *throttle {
	return &throttle{perMinute: perMinute, limiters: map[string]*rate.Limiter{}}
}

// take counts a call of an application. Above the limit it returns the error 429, which has no code: the one there is, is of
// the banks.
func (t *throttle) take(r *request) error {
	if t.perMinute == 0 {
		return nil
	}
	t.mu.Lock()
	limiter := t.limiters[r.App.ID]
	if limiter == nil {
		limiter = rate.NewLimiter(rate.Limit(float64(t.perMinute)/60), t.perMinute)
		t.limiters[r.App.ID] = limiter
	}
	t.mu.Unlock()
	reservation := limiter.Reserve()
	delay := reservation.Delay()
	if delay == 0 {
		return nil
	}
	reservation.Cancel()
	return tooMany(r, delay, "The application may make "+strconv.Itoa(t.perMinute)+" requests a minute")
}

// tooMany is the error 429 with a reason. It says when the client may try again.
func tooMany(r *request, wait time.Duration, reason string) error {
	r.reply.Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
	return &openbanking.Error{Status: http.StatusTooManyRequests, Message: "Too many requests", Detail: []byte(strconv.Quote(reason))}
}
