package bank

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"florin/internal/openbanking"
	"florin/internal/publicnet"
)

// Security T9: to a service that a person named, no connection is made into a private network, whatever its name leads to, and http goes to this machine alone.
func TestForeignServicesAreOfTheInternetOrOfThisMachine(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"name":"x"}`)) }))
	t.Cleanup(s.Close)
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	refused := []string{"https://10.0.0.1", "https://192.168.1.1:8443", "https://169.254.169.254", "https://[fd00::1]", "https://0.0.0.0:" + port,
		"https://[::]:" + port}
	if name, err := os.Hostname(); err == nil { // a name that leads into a private network, or back to this machine
		if found, err := net.DefaultResolver.LookupNetIP(t.Context(), "ip", name); err == nil && len(found) > 0 && !publicnet.Is(found[0].Unmap()) &&
			name != "localhost" {
			refused = append(refused, "https://"+name+":"+port)
		}
	}
	for _, base := range refused {
		c, err := New(base, fixed("token"), Foreign(base))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Application(t.Context()); !errors.Is(err, publicnet.ErrNotPublic) {
			t.Errorf("%s: %v", base, err)
		}
	}
	for _, base := range []string{"http://127.0.0.1:" + port, "http://localhost:" + port} {
		c, err := New(base, fixed("token"), Foreign(base))
		if err != nil {
			t.Fatal(err)
		}
		if a, err := c.Application(t.Context()); err != nil || a.Name != "x" {
			t.Errorf("%s: %+v %v", base, a, err)
		}
	}
}

// A redirect is an answer: what it points to never gets the token.
func TestForeignServiceCannotSendTheTokenOn(t *testing.T) {
	var stolen atomic.Bool
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stolen.Store(true) }))
	t.Cleanup(thief.Close)
	s := httptest.NewServer(http.RedirectHandler(thief.URL, http.StatusTemporaryRedirect))
	t.Cleanup(s.Close)
	c, err := New(s.URL, fixed("token"), Foreign(s.URL))
	if err != nil {
		t.Fatal(err)
	}
	var answer *openbanking.Error
	if _, err := c.Application(t.Context()); !errors.As(err, &answer) || answer.Status != http.StatusTemporaryRedirect || stolen.Load() {
		t.Errorf("%v, stolen: %v", err, stolen.Load())
	}
}

// The time that an answer carries comes along, with a refusal too, and an answer that is far too large ends early, once.
func TestApplicationAt(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	calls := 0
	status, size := http.StatusOK, 0
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		calls++
		w.Header().Set("Date", at.Format(http.TimeFormat))
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"name":"` + strings.Repeat("x", size) + `","error":"UNAUTHORIZED_ACCESS"}`))
	})
	if a, served, err := c.ApplicationAt(context.Background()); err != nil || !served.Equal(at) || a.Name != "" {
		t.Errorf("%+v %s %v", a, served, err)
	}
	status = http.StatusUnauthorized
	if _, served, err := c.ApplicationAt(context.Background()); !errors.Is(err, openbanking.UnauthorizedAccess) || !served.Equal(at) {
		t.Errorf("refused: %s %v", served, err)
	}
	status, size, calls = http.StatusOK, 2<<20, 0
	var large *Unusable
	if _, _, err := c.ApplicationAt(context.Background()); !errors.As(err, &large) || !large.TooLarge() || calls != 1 {
		t.Errorf("large: %v after %d calls", err, calls)
	}
}
