package site

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A full disk is no fault of the service: the page says what it is and who can mend it.
func TestFullDiskIsSaid(t *testing.T) {
	full := errors.New("database or disk is full")
	s := New(Options{AuthURL: "http://localhost", Log: slog.New(slog.DiscardHandler), DiskFull: func(err error) bool { return errors.Is(err, full) }})
	for _, test := range []struct {
		err    error
		status int
		says   string
	}{
		{fmt.Errorf("accept the payment: %w", full), http.StatusInsufficientStorage, "The disk of this server is full"},
		{errors.New("something else"), http.StatusInternalServerError, "Something went wrong here"},
	} {
		answer := httptest.NewRecorder()
		s.Fail(answer, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/pis/accept", nil), test.err)
		if answer.Code != test.status || !strings.Contains(answer.Body.String(), test.says) {
			t.Errorf("%v: %d, want %d and %q:\n%s", test.err, answer.Code, test.status, test.says, answer.Body)
		}
	}
}
