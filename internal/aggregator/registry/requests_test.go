package registry_test

import (
	"context"
	"fmt"
	"net/netip"
	"regexp"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/registry"
	"florin/internal/openbanking"
)

// signIn makes the account of a developer and returns its id.
func signIn(t *testing.T, r *registry.Registry, email string, mails *[]registry.Mail) string {
	t.Helper()
	if err := r.AskForLink(t.Context(), email, netip.MustParseAddr("192.0.2.1"), ""); err != nil || len(*mails) != 1 {
		t.Fatalf("%v, mails %v", err, *mails)
	}
	code := regexp.MustCompile(`https://service\.example/panel/sign-in\?oobCode=([A-Z2-7]+)\n`).FindStringSubmatch((*mails)[0].Text)
	if code == nil {
		t.Fatalf("no link of ours in %q", (*mails)[0].Text)
	}
	tokens, err := r.ExchangeLink(t.Context(), code[1], email)
	if err != nil {
		t.Fatal(err)
	}
	return tokens.Developer.ID
}

// The request log is bounded: in memory, where calls wait to be written, and in the database by age.
func TestRequestLogIsBounded(t *testing.T) {
	now := time.Now()
	var mails []registry.Mail
	r := start(t, func(m registry.Mail) { mails = append(mails, m) }, func() time.Time { return now })
	woken := 0
	r.OnRequests(func() { woken++ })
	developer := signIn(t, r, "ada@dev.example", &mails)
	app, err := r.RegisterOwn(t.Context(), developer, "", openbanking.RegisterApplicationRequest{
		Certificate: certificate(), Environment: openbanking.EnvironmentSandbox, Name: "Ledger", RedirectURLs: []string{callback},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const many = 10_000
	for i := range many {
		r.Record(aggregator.Request{ID: fmt.Sprint(i), ApplicationID: app.ID, Endpoint: "GET /aspsps", Status: 200})
	}
	if woken != 2 { // by the first, and when the buffer is half full
		t.Errorf("woken %d times", woken)
	}
	count := func() int {
		t.Helper()
		rows, err := r.Requests(t.Context(), developer, aggregator.RequestFilter{Limit: 2 * many})
		if err != nil {
			t.Fatal(err)
		}
		return len(rows)
	}
	if n := count(); n != 8192 {
		t.Errorf("%d of %d calls are kept, want 8192", n, many)
	}
	for _, step := range []struct {
		after time.Duration
		left  int
	}{{29 * 24 * time.Hour, 8192}, {25 * time.Hour, 0}} {
		now = now.Add(step.after)
		for before, steps := count(), 0; ; steps++ { // small ones, so that nobody waits for the connection that writes
			next, err := r.Prune(t.Context())
			left := count()
			if err != nil || before-left > 500 || steps > many/500 {
				t.Fatalf("step %d: from %d to %d calls, %v", steps, before, left, err)
			}
			if before = left; time.Until(next) > time.Minute { // until then there is nothing to do
				break
			}
		}
		if n := count(); n != step.left {
			t.Errorf("%v later: %d calls, want %d", step.after, n, step.left)
		}
	}
}

// A service that stops while calls are written loses none of them.
func TestRequestLogAtTheStop(t *testing.T) {
	var mails []registry.Mail
	r := start(t, func(m registry.Mail) { mails = append(mails, m) }, time.Now)
	r.OnRequests(func() {})
	developer := signIn(t, r, "ada@dev.example", &mails)
	app, err := r.RegisterOwn(t.Context(), developer, "", openbanking.RegisterApplicationRequest{
		Certificate: certificate(), Environment: openbanking.EnvironmentSandbox, Name: "Ledger", RedirectURLs: []string{callback},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const many = 5_000 // enough that they are written at once
	for i := range many {
		r.Record(aggregator.Request{ID: fmt.Sprint(i), ApplicationID: app.ID, Endpoint: "GET /aspsps", Status: 200})
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := r.WriteRequests(stopped); err != nil {
		t.Fatal(err)
	}
	rows, err := r.Requests(t.Context(), developer, aggregator.RequestFilter{Limit: 2 * many})
	if err != nil || len(rows) != many {
		t.Errorf("%d of %d calls are kept, %v", len(rows), many, err)
	}
}
