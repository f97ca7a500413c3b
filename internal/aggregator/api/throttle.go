package api

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"florin/internal/openbanking"
)

// throttle limits the requests of each application to a number per minute. As many can come at once; after that they are allowed at an even rate. The
// limiters are in memory, one for each application that has called.
type throttle struct {
	perMinute int // zero: no limit

	mu       sync.Mutex
	limiters map[string]*rate.Limiter // by application id
}

func newThrottle(perMinute int) *throttle {
	return &throttle{perMinute: perMinute, limiters: map[string]*rate.Limiter{}}
}

// take counts a call of an application. Above the limit it returns status 429 without an error code, because the only such code is about limits of banks.
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
