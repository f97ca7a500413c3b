package site

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Security T35: a form is small, but for an upload of somebody who may; few of these are read at a time, and the others are told.
func TestUploadsAreBounded(t *testing.T) {
	s := New(Options{AuthURL: "http://bank.example", Log: slog.New(slog.DiscardHandler), DiskFull: func(error) bool { return false }})
	s.wait = 50 * time.Millisecond
	hold, holding := make(chan struct{}), make(chan struct{}, uploadsAtOnce)
	s.HandleUpload("POST /file", 4*MaxForm, func(r *http.Request) bool { return r.Header.Get("X-Customer") != "" }, func(w http.ResponseWriter, r *http.Request) error {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return unreadForm(err)
		}
		if r.Header.Get("X-Customer") == "slow" {
			holding <- struct{}{}
			<-hold
		}
		return nil
	})
	s.Handle("POST /form", func(_ http.ResponseWriter, r *http.Request) error {
		_, err := io.Copy(io.Discard, r.Body)
		return unreadFormOrNil(err)
	})
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	send := func(path, customer string, bytes int, known bool) int {
		var body io.Reader = strings.NewReader(strings.Repeat("x", bytes))
		if !known {
			body = io.MultiReader(body) // its length is not said
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, body)
		if err != nil {
			t.Error(err)
			return 0
		}
		request.Header.Set("X-Customer", customer)
		answer, err := server.Client().Do(request)
		if err != nil {
			t.Error(err)
			return 0
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	for _, c := range []struct {
		path, customer string
		bytes          int
		known          bool
		want           int
	}{
		{"/form", "ada", MaxForm, true, 200}, {"/form", "ada", MaxForm + 1, true, 413},
		{"/file", "ada", 4 * MaxForm, true, 200}, {"/file", "ada", 4*MaxForm + 1, true, 413},
		{"/file", "ada", 4 * MaxForm, false, 200}, {"/file", "ada", 4*MaxForm + 1, false, 413},
		{"/file", "", MaxForm, true, 200}, {"/file", "", MaxForm + 1, true, 413}, {"/file", "", MaxForm + 1, false, 413},
	} {
		if got := send(c.path, c.customer, c.bytes, c.known); got != c.want {
			t.Errorf("%s of %q with %d bytes: %d, want %d", c.path, c.customer, c.bytes, got, c.want)
		}
	}
	ended := make(chan int, uploadsAtOnce)
	for range uploadsAtOnce {
		go func() { ended <- send("/file", "slow", MaxForm+1, true) }()
	}
	for range uploadsAtOnce {
		<-holding
	}
	if got := send("/file", "ada", MaxForm+1, true); got != http.StatusServiceUnavailable {
		t.Errorf("one more is answered %d", got)
	}
	if got := send("/file", "ada", MaxForm, true); got != 200 {
		t.Errorf("a small one meanwhile is answered %d", got)
	}
	close(hold)
	for range uploadsAtOnce {
		if got := <-ended; got != 200 {
			t.Errorf("one that was waited for is answered %d", got)
		}
	}
	if got := send("/file", "ada", MaxForm+1, true); got != 200 {
		t.Errorf("after them: %d", got)
	}
}

func unreadFormOrNil(err error) error {
	if err == nil {
		return nil
	}
	return unreadForm(err)
}
