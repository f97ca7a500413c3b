// Package jobs runs background loops. A loop is called when it is due or woken, waits longer after each failure, survives a panic, and ends when it is told
// to. The work itself is stored in rows of a database; a loop only looks for it.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	firstBackoff = time.Second     // after the first failure; it doubles with each further one
	maxBackoff   = 5 * time.Minute // and grows no further than this
	longestNap   = time.Minute     // a sleeping loop checks the clock this often, because the clock may be set or the machine suspended
	maxDrift     = 5 * time.Second // during a nap; a larger change means that the clock was set or the machine slept
	tooMany      = 5               // failures in a row that make a loop unhealthy
)

// Runner owns a set of loops: it starts them, reports their health, and stops them.
type Runner struct {
	log *slog.Logger

	mu     sync.Mutex
	loops  []*Loop
	state  state
	cancel context.CancelFunc
	done   chan struct{} // closed when all loops have ended
}

type state int

const (
	idle state = iota
	running
	stopped
)

// NewRunner returns a runner without loops.
func NewRunner(log *slog.Logger) *Runner { return &Runner{log: log} }

// Work does what is due and returns when to call it again: at once when next is past, only when woken when next is zero. It returns soon after ctx ends.
// After an error next is ignored, and the call is repeated with exponential back-off.
type Work = func(ctx context.Context) (next time.Time, err error)

// After returns work that does nothing until some time after its first call.
func After(wait time.Duration, work Work) Work {
	var from time.Time
	return func(ctx context.Context) (time.Time, error) {
		now := time.Now() // with its monotonic reading, so that setting the clock changes nothing
		if from.IsZero() {
			from = now.Add(wait)
		}
		if now.Before(from) {
			return from, nil
		}
		return work(ctx)
	}
}

// Loop is one piece of background work.
type Loop struct {
	name string
	work Work
	wake chan struct{}
	wall func() time.Time // the wall clock, without monotonic reading

	mu       sync.Mutex
	failures int  // in a row
	alive    bool // its goroutine runs
}

// Add registers a loop. It is called for the first time when the runner starts. Loops are added before Start.
func (r *Runner) Add(name string, work func(ctx context.Context) (next time.Time, err error)) *Loop {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state != idle {
		panic("jobs: Add after Start")
	}
	l := &Loop{name: name, work: work, wake: make(chan struct{}, 1), wall: func() time.Time { return time.Now().Round(0) }}
	r.loops = append(r.loops, l)
	return l
}

// Wake asks for a call now, even during back-off. When a call is running, one more follows it. Several requests before a call count as one. Wake never blocks
// and may be called from any goroutine, also before Start and after Stop.
func (l *Loop) Wake() {
	select {
	case l.wake <- struct{}{}:
	default: // a request is already waiting
	}
}

// Start calls every loop for the first time and keeps them running until ctx ends or Stop is called. A runner can be started once.
func (r *Runner) Start(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state != idle {
		panic("jobs: a runner starts once")
	}
	ctx, r.cancel = context.WithCancel(ctx)
	r.state = running
	r.done = make(chan struct{})
	var all sync.WaitGroup
	for _, l := range r.loops {
		l.alive = true
		all.Go(func() { l.run(ctx, r.log.With("job", l.name)) })
	}
	go func() {
		all.Wait()
		close(r.done)
	}()
}

// Stop ends all loops and waits until they have returned. When ctx ends first, the error names those still running. It may be called without Start, and more
// than once.
func (r *Runner) Stop(ctx context.Context) error {
	r.mu.Lock()
	if r.state == idle {
		r.state = stopped
	}
	if r.done == nil {
		r.mu.Unlock()
		return nil
	}
	r.state = stopped
	r.cancel()
	r.mu.Unlock()

	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
	}
	var names []string
	for _, l := range r.loops {
		if alive, _ := l.status(); alive {
			names = append(names, l.name)
		}
	}
	slices.Sort(names)
	return fmt.Errorf("jobs still at work: %s: %w", strings.Join(names, ", "), ctx.Err())
}

// Healthy returns nil while every loop is alive and none has failed several times in a row. The error names the loops but not their errors, which are in the
// log, so it may be shown.
func (r *Runner) Healthy() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch r.state {
	case idle:
		return errors.New("jobs have not been started")
	case stopped:
		return errors.New("jobs have been stopped")
	}
	var errs []error
	for _, l := range r.loops {
		switch alive, failures := l.status(); {
		case !alive:
			errs = append(errs, fmt.Errorf("job %s has ended", l.name))
		case failures >= tooMany:
			errs = append(errs, fmt.Errorf("job %s has failed %d times in a row", l.name, failures))
		}
	}
	return errors.Join(errs...)
}

func (l *Loop) status() (alive bool, failures int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.alive, l.failures
}

// run calls the work until ctx ends.
func (l *Loop) run(ctx context.Context, log *slog.Logger) {
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.alive = false
	}()
	for ctx.Err() == nil {
		select { // this call serves requests made before it
		case <-l.wake:
		default:
		}
		next, err := l.call(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			next = l.failed(log, err)
		} else {
			l.succeeded(log)
		}
		if !l.sleep(ctx, next) {
			return
		}
	}
}

// call runs the work once and turns a panic into an error.
func (l *Loop) call(ctx context.Context) (next time.Time, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return l.work(ctx)
}

// failed counts the failure, logs it and returns when to try again.
func (l *Loop) failed(log *slog.Logger, err error) time.Time {
	l.mu.Lock()
	l.failures++
	n := l.failures
	l.mu.Unlock()
	wait := backoff(n)
	level := slog.LevelWarn
	if n >= tooMany {
		level = slog.LevelError
	}
	log.Log(context.Background(), level, "job failed", "error", err, "failures", n, "retry_in", wait)
	return time.Now().Add(wait)
}

func (l *Loop) succeeded(log *slog.Logger) {
	l.mu.Lock()
	n := l.failures
	l.failures = 0
	l.mu.Unlock()
	if n > 0 {
		log.Info("job works again", "failures", n)
	}
}

// sleep waits until next by the wall clock, or for a request; with a zero next only for a request. It also returns when the clock was set or the machine has
// slept, because next was then calculated from a wrong time, and rows may be due at another. It returns false when ctx has ended.
func (l *Loop) sleep(ctx context.Context, next time.Time) bool {
	if next.IsZero() {
		select {
		case <-ctx.Done():
			return false
		case <-l.wake:
			return true
		}
	}
	for {
		began, wall := time.Now(), l.wall()
		left := next.Round(0).Sub(wall)
		if left <= 0 {
			return ctx.Err() == nil
		}
		nap := time.NewTimer(min(left, longestNap))
		select {
		case <-ctx.Done():
			nap.Stop()
			return false
		case <-l.wake:
			nap.Stop()
			return true
		case <-nap.C:
			if drift := l.wall().Sub(wall) - time.Since(began); drift.Abs() > maxDrift {
				return ctx.Err() == nil
			}
		}
	}
}

// backoff returns how long to wait after n failures in a row: between half and all of a time that doubles with each failure, up to maxBackoff. The random
// part keeps loops that failed together from retrying together.
func backoff(n int) time.Duration {
	full := maxBackoff
	if n < 20 {
		full = min(maxBackoff, firstBackoff<<(n-1))
	}
	return full/2 + rand.N(full/2+1) //nolint:gosec // jitter need not be secret
}
