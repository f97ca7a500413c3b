package main

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"florin/internal/config"
)

// From the first step of an update on, its page answers at the address of the web app. After the last step the app answers at the same address.
func TestUpdateTellsHowFarItIs(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var written strings.Builder
	s := config.Settings{ConnectionLimit: 10, ConnectionLimitPerAddress: 10}
	log := slog.New(slog.NewTextHandler(&written, nil))
	u := &update{settings: s, listener: listener, log: log, fail: func(err error) { t.Error(err) }}
	get := func() (status int, body string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String()+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	u.tell(1, 2, "app.db: copy")
	u.tell(2, 2, "app.db: 00030_sums.sql")
	if status, body := get(); status != http.StatusServiceUnavailable || !strings.Contains(body, "Step 2 of 2.") {
		t.Errorf("%d %s", status, body)
	}
	if err := u.done(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`step=1 of=2 what="app.db: copy"`, `step=2 of=2 what="app.db: 00030_sums.sql"`} {
		if !strings.Contains(written.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, written.String())
		}
	}
	app := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the app") })
	stop := start(app, limited(s, listener, webShare), nil, log, func(err error) { t.Error(err) })
	if status, body := get(); status != http.StatusOK || body != "the app" {
		t.Errorf("%d %s", status, body)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if err := (&update{listener: listener}).done(); err != nil { // no step was needed
		t.Error(err)
	}
}
