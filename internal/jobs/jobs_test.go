package jobs

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start runs one loop in a bubble until the test ends; log receives what it logs.
func start(t *testing.T, log *bytes.Buffer, work Work) (*Runner, *Loop) {
	t.Helper()
	r := NewRunner(slog.New(slog.NewTextHandler(log, nil)))
	l := r.Add("work", work)
	r.Start(t.Context())
	t.Cleanup(func() {
		if err := r.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r, l
}

// calls records when work was called, in seconds since the start.
type calls struct {
	began time.Time
	at    []float64
}

func (c *calls) record() {
	if c.began.IsZero() {
		c.began = time.Now()
	}
	c.at = append(c.at, time.Since(c.began).Seconds())
}

func equal(a []float64, b ...float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestALoopIsCalledWhenItAsksToBe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c calls
		waits := []time.Duration{10 * time.Second, 3 * time.Hour, -time.Hour, 0, time.Second}
		var log bytes.Buffer
		_, _ = start(t, &log, func(context.Context) (time.Time, error) {
			c.record()
			if len(c.at) > len(waits) {
				return time.Time{}, nil // no further call
			}
			return time.Now().Add(waits[len(c.at)-1]), nil
		})
		time.Sleep(100 * time.Hour)
		synctest.Wait()
		if !equal(c.at, 0, 10, 10+3*3600, 10+3*3600, 10+3*3600, 11+3*3600) {
			t.Errorf("called at %v seconds", c.at)
		}
		if log.Len() > 0 {
			t.Errorf("logged %s", log.String())
		}
	})
}

// Work that comes after a while is not done before, also when something wakes it.
func TestAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var at []float64
		var log bytes.Buffer
		_, l := start(t, &log, After(5*time.Second, func(context.Context) (time.Time, error) {
			at = append(at, time.Since(began).Seconds())
			return time.Now().Add(time.Hour), nil
		}))
		time.Sleep(2 * time.Second)
		l.Wake()
		time.Sleep(98 * time.Second)
		l.Wake()
		time.Sleep(time.Hour)
		synctest.Wait()
		if !equal(at, 5, 100, 3700) {
			t.Errorf("called at %v seconds", at)
		}
	})
}

// After the clock was set, or the machine has slept, the work is called within a minute: what it had found to be due next was wrong.
func TestTheClockIsSet(t *testing.T) {
	for _, by := range []time.Duration{-365 * 24 * time.Hour, 365 * 24 * time.Hour, 3 * time.Hour, -10 * time.Minute, 2 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			var c calls
			var set atomic.Int64 // by how much the wall clock is wrong
			r := NewRunner(slog.New(slog.DiscardHandler))
			var l *Loop
			l = r.Add("work", func(context.Context) (time.Time, error) {
				c.record()
				return l.wall().Add(8 * time.Hour), nil
			})
			l.wall = func() time.Time { return time.Now().Round(0).Add(time.Duration(set.Load())) }
			r.Start(t.Context())
			time.Sleep(10 * time.Second)
			set.Store(int64(by))
			time.Sleep(time.Hour)
			synctest.Wait()
			if err := r.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			if by == 2*time.Second { // as clocks are set all the time
				if !equal(c.at, 0) {
					t.Errorf("%v: called at %v seconds", by, c.at)
				}
				return
			}
			if !equal(c.at, 0, 60) {
				t.Errorf("%v: called at %v seconds, want 0 and 60", by, c.at)
			}
		})
	}
}

func TestWake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c calls
		var log bytes.Buffer
		_, l := start(t, &log, func(context.Context) (time.Time, error) {
			c.record()
			time.Sleep(2 * time.Second)
			return time.Now().Add(time.Hour), nil
		})
		time.Sleep(100 * time.Second) // asleep until 3602
		for range 3 {
			l.Wake()
		}
		time.Sleep(time.Second)
		for range 3 {
			l.Wake() // at work since 100 seconds: once more after it
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if !equal(c.at, 0, 100, 102) {
			t.Errorf("called at %v seconds, want 0, 100, 102", c.at)
		}
	})
}

func TestWakeBeforeStartIsServedByTheFirstCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c calls
		r := NewRunner(slog.New(slog.DiscardHandler))
		l := r.Add("work", func(context.Context) (time.Time, error) { c.record(); return time.Time{}, nil })
		l.Wake()
		r.Start(t.Context())
		synctest.Wait()
		if err := r.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		l.Wake() // does nothing
		if !equal(c.at, 0) {
			t.Errorf("called at %v seconds, want once", c.at)
		}
	})
}

func TestFailuresBackOffAndAreForgottenAfterASuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c calls
		var log bytes.Buffer
		broken := true
		r, l := start(t, &log, func(context.Context) (time.Time, error) {
			c.record()
			if broken {
				return time.Now(), errors.New("bank is closed") // with an error the time does not count
			}
			return time.Time{}, nil
		})
		synctest.Wait()
		if err := r.Healthy(); err != nil {
			t.Errorf("unhealthy after one failure: %v", err)
		}
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		for i := 1; i < len(c.at); i++ {
			full := min(300, float64(int64(1)<<min(i-1, 20)))
			if gap := c.at[i] - c.at[i-1]; gap < full/2-0.001 || gap > full+0.001 {
				t.Errorf("gap %d is %v seconds, want %v to %v", i, gap, full/2, full)
			}
		}
		if n := len(c.at); n < 24*3600/300 || n > 24*3600/150+20 {
			t.Errorf("called %d times in a day", n)
		}
		err := r.Healthy()
		if err == nil || !strings.Contains(err.Error(), "work has failed") || strings.Contains(err.Error(), "bank is closed") {
			t.Errorf("Healthy gives %v, want the name of the loop without its error", err)
		}
		if !strings.Contains(log.String(), "bank is closed") || !strings.Contains(log.String(), "level=ERROR") {
			t.Error("the failures were not logged")
		}

		broken = false
		before := len(c.at)
		l.Wake() // also during back-off
		synctest.Wait()
		if len(c.at) != before+1 {
			t.Errorf("called %d times after a wake-up, want once", len(c.at)-before)
		}
		if err := r.Healthy(); err != nil {
			t.Errorf("unhealthy after a success: %v", err)
		}
		if !strings.Contains(log.String(), "job works again") {
			t.Error("the recovery was not logged")
		}
	})
}

func TestAPanicIsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		n := 0
		r, _ := start(t, &log, func(context.Context) (time.Time, error) {
			if n++; n == 1 {
				var missing *int
				n += *missing // panics
			}
			return time.Time{}, nil
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		if n != 2 {
			t.Errorf("called %d times, want again after the panic", n)
		}
		if err := r.Healthy(); err != nil {
			t.Error(err)
		}
		for _, words := range []string{"nil pointer dereference", "jobs_test.go"} {
			if !strings.Contains(log.String(), words) {
				t.Errorf("the log lacks %q", words)
			}
		}
	})
}

func TestLoopsDoNotWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRunner(slog.New(slog.DiscardHandler))
		var quick int
		r.Add("slow", func(ctx context.Context) (time.Time, error) { <-ctx.Done(); return time.Time{}, ctx.Err() })
		r.Add("quick", func(context.Context) (time.Time, error) { quick++; return time.Now().Add(time.Second), nil })
		r.Start(t.Context())
		time.Sleep(10*time.Second + time.Millisecond)
		if err := r.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if quick != 11 {
			t.Errorf("called %d times, want 11", quick)
		}
	})
}

func TestStopWaitsForTheWorkAtHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		finished := false
		r, _ := start(t, &log, func(ctx context.Context) (time.Time, error) {
			<-ctx.Done()
			time.Sleep(5 * time.Second) // ends what it has begun
			finished = true
			return time.Time{}, ctx.Err()
		})
		synctest.Wait()
		hasty, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.Stop(hasty); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "still at work: work") {
			t.Errorf("got %v, want the loop that is still at work", err)
		}
		if err := r.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		if !finished {
			t.Error("Stop did not wait")
		}
		if err := r.Healthy(); err == nil {
			t.Error("a stopped runner is healthy")
		}
		if log.Len() > 0 {
			t.Errorf("the end was logged as a failure: %s", log.String())
		}
	})
}

func TestTheContextOfStartEndsTheLoops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := NewRunner(slog.New(slog.DiscardHandler))
		r.Add("work", func(context.Context) (time.Time, error) { return time.Now().Add(time.Hour), nil })
		r.Start(ctx)
		synctest.Wait()
		if err := r.Healthy(); err != nil {
			t.Error(err)
		}
		cancel()
		synctest.Wait()
		if err := r.Healthy(); err == nil || !strings.Contains(err.Error(), "work has ended") {
			t.Errorf("got %v, want the loop that has ended", err)
		}
		if err := r.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestHealthyFindsALoopThatEndedByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		r, _ := start(t, &log, func(context.Context) (time.Time, error) { runtime.Goexit(); return time.Time{}, nil })
		synctest.Wait()
		if err := r.Healthy(); err == nil || !strings.Contains(err.Error(), "work has ended") {
			t.Errorf("got %v, want the loop that has ended", err)
		}
	})
}

func TestARunnerThatWasNeverStarted(t *testing.T) {
	r := NewRunner(slog.New(slog.DiscardHandler))
	if err := r.Healthy(); err == nil {
		t.Error("healthy before Start")
	}
	if err := r.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestARunnerStartsOnce(t *testing.T) {
	r := NewRunner(slog.New(slog.DiscardHandler))
	r.Start(t.Context())
	defer func() { _ = r.Stop(t.Context()) }() // no loop runs
	for name, misuse := range map[string]func(){"Start": func() { r.Start(t.Context()) }, "Add": func() { r.Add("late", nil) }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s after Start did not panic", name)
				}
			}()
			misuse()
		}()
	}
}

func TestWakeFromManyGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked, served atomic.Int64
		var log bytes.Buffer
		_, l := start(t, &log, func(context.Context) (time.Time, error) { served.Store(asked.Load()); return time.Time{}, nil })
		for range 50 {
			go func() {
				for range 20 {
					asked.Add(1)
					l.Wake()
				}
			}()
		}
		synctest.Wait()
		if served.Load() != 1000 {
			t.Errorf("the last call saw %d of 1000 requests", served.Load())
		}
	})
}
