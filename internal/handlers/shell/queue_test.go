package shell

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/a-h/templ"
)

// Pages are made in the order in which they were asked for, as many at a time as there are places. A visitor who leaves the queue takes no place with them.
func TestQueueIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := make(queue, 2)
		var held []func()
		for range 2 {
			leave, err := q.join(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, leave)
		}
		gone, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := q.join(gone)
			left <- err
		}()
		served := make(chan int, 8)
		for i := range cap(served) {
			synctest.Wait() // until the one before waits
			go func() {
				leave, err := q.join(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				served <- i
				leave()
				leave() // once is enough
			}()
		}
		synctest.Wait()
		if len(served) > 0 {
			t.Errorf("%d pages are made beside those for which there is room", len(served))
		}
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("a visitor who went away: %v", err)
		}
		held[0]()
		for want := range cap(served) {
			if got := <-served; got != want {
				t.Errorf("page %d comes before page %d", got, want)
			}
		}
		held[1]()
		if synctest.Wait(); len(q) > 0 {
			t.Errorf("%d places are kept", len(q))
		}
	})
}

// slow is a client for which writing takes as long as a test wants.
type slow struct {
	*httptest.ResponseRecorder
	write func()
}

func (s slow) Write(b []byte) (int, error) {
	s.write()
	return s.ResponseRecorder.Write(b)
}

// A client that takes its page slowly keeps no place in the queue.
func TestSlowClientsKeepNoPlace(t *testing.T) {
	q := make(queue, 1)
	leave, err := q.join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wrote := false
	v := &Visitor{Request: httptest.NewRequest(http.MethodGet, "/", nil), leave: leave, Writer: slow{httptest.NewRecorder(), func() {
		wrote = true
		if len(q) > 0 {
			t.Error("the page is written while its place is held")
		}
	}}}
	page := templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, "page")
		return err
	})
	if err := v.Page(http.StatusOK, page); err != nil || !wrote {
		t.Errorf("written: %v, %v", wrote, err)
	}
}
