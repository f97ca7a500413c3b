package site

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"florin/web/templates/hosted"
)

// A browser that went away while its page was made is no failure of the service: nothing is logged, and nothing is answered.
func TestBrowsersThatWentAwayAreNoFailure(t *testing.T) {
	var log bytes.Buffer
	s := New(Options{AuthURL: "https://auth.example", Elsewhere: http.NotFoundHandler(), Log: slog.New(slog.NewTextHandler(&log, nil)),
		DiskFull: func(error) bool { return false }})
	s.Handle("GET /page", func(w http.ResponseWriter, r *http.Request) error {
		s.Render(w, r, http.StatusOK, hosted.Message(hosted.MessagePage{Title: "Hello"}))
		return nil
	})
	s.Handle("GET /lookup", func(_ http.ResponseWriter, r *http.Request) error { return r.Context().Err() })
	handler := s.Handler()
	for _, path := range []string{"/page", "/lookup"} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil))
		if log.Len() > 0 || w.Body.Len() > 0 {
			t.Errorf("%s: answered %q, logged %q", path, w.Body, log.String())
		}
	}
}
