package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"florin/internal/testkit"
)

// few starts Florin as a process that may have 256 files and connections open at once.
func few(t *testing.T, arguments ...string) *florin {
	t.Helper()
	folder := closed(t.TempDir())
	f := &florin{t: t, folder: folder, out: &record{}, err: &record{}, ended: make(chan struct{})}
	f.process = exec.Command("sh", slices.Concat([]string{"-c", `ulimit -n 256 && exec "$0" "$@"`, program(t), "--data-dir", folder}, anywhere, arguments)...)
	f.process.Env, f.process.Dir = []string{"HOME=" + t.TempDir(), "PATH=/usr/bin:/bin"}, t.TempDir()
	f.start()
	return f
}

// strangers opens connections and sends one of the texts on each. They stay open until the test ends.
func strangers(t *testing.T, address string, n int, texts ...string) {
	t.Helper()
	address = strings.TrimPrefix(address, "http://")
	for i := range n {
		c, err := new(net.Dialer).DialContext(context.Background(), "tcp", address)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		t.Cleanup(func() { c.Close() })
		_, _ = io.WriteString(c, texts[i%len(texts)]) // an error is possible: Florin may have closed the connection already
	}
}

// unfinished are the texts of visitors who send nothing, an incomplete request, or one request and then nothing more.
var unfinished = []string{
	"", "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow:", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
	"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n\r\nemail=",
	"POST /webhooks/embedded HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{",
}

// With 256 descriptors and 500 visitors on each listener who leave their connections open, a person who is signed in still gets pages (security T35).
func TestServedAmongIdleVisitors(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Process)
	f := few(t)
	p := newPerson(t)
	p.setUp(f)
	strangers(t, f.web, 500, unfinished...)
	strangers(t, f.service, 500, unfinished...)
	var slowest time.Duration
	for range 10 {
		began := time.Now()
		fresh := newPerson(t) // a connection of its own each time
		fresh.browser.SetCookies(p.page.URL, p.browser.Cookies(p.page.URL))
		fresh.visit(f.web + "/settings")
		fresh.sees(http.StatusOK, ownerEmail)
		slowest = max(slowest, time.Since(began))
	}
	p.link(f, exampleBank, exampleCountryCode, exampleCustomer)
	t.Logf("with 500 idle visitors on each of two listeners and 256 descriptors, a page took %v at most", slowest)
}

// killedAfter is when a container that was asked to stop is killed.
const killedAfter = 10 * time.Second

// Whatever clients are doing, Florin stops before a container would be killed.
func TestStopsWhateverClientsDo(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Process)
	f := launch(t, t.TempDir(), anywhere...)
	p := newPerson(t)
	p.setUp(f)
	var cookies []string
	for _, c := range p.browser.Cookies(p.page.URL) {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	stream := "GET /events?view=dashboard HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nCookie: " + strings.Join(cookies, "; ") + "\r\n\r\n"
	strangers(t, f.web, 60, append(slices.Clone(unfinished), stream)...)
	strangers(t, f.service, 60, append(slices.Clone(unfinished), "POST /auth HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n{")...)
	if err := f.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	began, kill := time.Now(), time.AfterFunc(killedAfter, func() { _ = f.process.Process.Kill() })
	defer kill.Stop()
	<-f.ended
	if f.failure != nil {
		t.Errorf("Florin ended with %v\n%s", f.failure, f.err.tail())
	}
	t.Logf("it took %v", time.Since(began))
}

// TestStopBudget: the steps of stopping, one after the other, take less than 8 s together.
func TestStopBudget(t *testing.T) {
	if all := 2 * stopHalf; all >= 8*time.Second || stopRequests > stopHalf-time.Second {
		t.Errorf("stopping may take %v, and leaves %v for background work", all, stopHalf-stopRequests)
	}
}
