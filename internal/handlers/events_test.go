package handlers_test

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"florin/internal/handlers/shell"
	"florin/internal/live"
	"florin/internal/testkit"
)

// listener is an open stream of events.
type listener struct {
	t        *testing.T
	response *http.Response
	lines    *bufio.Scanner
	cancel   context.CancelFunc
}

// listen opens a stream, as EventSource does.
func (b *browser) listen(path string) *listener {
	b.site.t.Helper()
	ctx, cancel := context.WithTimeout(b.site.t.Context(), time.Minute)
	r := b.request(http.MethodGet, path, nil).WithContext(ctx)
	r.Header.Set("Accept", "text/event-stream")
	response, err := b.client.Do(r)
	must(b.site.t, err)
	b.site.t.Cleanup(func() {
		cancel()
		_ = response.Body.Close() // the stream may have ended already
	})
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" {
		b.site.t.Fatalf("the stream is answered with %d, %s", response.StatusCode, response.Header.Get("Content-Type"))
	}
	return &listener{b.site.t, response, bufio.NewScanner(response.Body), cancel}
}

// next is the next event; ok is false when the stream has ended. A timeout of the test does not count as an end.
func (l *listener) next() (name, data string, ok bool) {
	l.t.Helper()
	for l.lines.Scan() {
		line := l.lines.Text()
		switch {
		case strings.HasPrefix(line, "event: "):
			name = strings.TrimPrefix(line, "event: ")
		case strings.HasPrefix(line, "data: "):
			data += strings.TrimPrefix(line, "data: ") + "\n"
		case line == "" && name != "":
			return name, data, true
		}
	}
	if err := l.lines.Err(); errors.Is(err, context.DeadlineExceeded) || os.IsTimeout(err) {
		l.t.Fatal("the stream does not end: ", err)
	}
	return "", "", false
}

// TestStreamDeliversWhatThePageShows: while a sync runs, the stream sends fragments of the page's own components. When the sync is over, it asks the page to
// load again.
func TestStreamDeliversWhatThePageShows(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	b.get(s.back()).to(attempt)
	accounts, err := s.store.Accounts(t.Context(), mira.ID)
	must(t, err)
	id := accounts[0].ConnectionID
	for _, c := range []struct{ page, fragment, stream string }{
		{attempt, `id="sync-progress"`, "/events?view=progress&busy=true&connection=" + id},
		{"/accounts/" + accounts[0].ID, `id="sync-progress"`, "/events?view=progress&busy=true&connection=" + id},
		{"/connections/" + id, `id="connection-sync"`, "/events?view=connection&busy=true&connection=" + id},
		{"/", `id="bank-` + id + `"`, "/events?view=dashboard&busy=true"},
	} {
		b.get(c.page).status(http.StatusOK).has(c.fragment, `data-live="`+strings.ReplaceAll(c.stream, "&", "&amp;")+`"`)
		l := b.listen(c.stream)
		name, data, ok := l.next()
		if !ok || name != "fragment" || !strings.Contains(data, c.fragment) || strings.Contains(data, "<html") || !strings.Contains(data, "0 of 2 accounts") {
			t.Errorf("%s begins with %q\n%s", c.stream, name, data)
		}
		s.hub.Publish(mira.ID, live.Event{Topic: "connection", ID: id})
		if name, data, ok = l.next(); !ok || name != "fragment" || !strings.Contains(data, c.fragment) {
			t.Errorf("%s continues with %q\n%s", c.stream, name, data)
		}
		l.cancel()
	}
	open := b.listen("/events?busy=true&view=dashboard")
	if name, _, ok := open.next(); !ok || name != "fragment" {
		t.Fatalf("the stream begins with %q", name)
	}
	s.syncAll()
	for { // until the sync is over
		name, _, ok := open.next()
		if !ok {
			t.Fatal("the stream ended before the sync did")
		}
		if name == "reload" {
			break
		}
	}
	// A page that still shows a sync which ended before the stream was opened is asked at once to load again.
	late := b.listen("/events?busy=true&view=connection&connection=" + id)
	if name, _, ok := late.next(); !ok || name != "reload" {
		t.Errorf("a late stream begins with %q", name)
	}
	// A page that shows no sync is not asked to load again. It gets a fragment with the result of what happened meanwhile.
	idle := b.listen("/events?view=dashboard")
	s.hub.Publish(mira.ID, live.Event{Topic: "something else", ID: id})
	s.hub.Publish(mira.ID, live.Event{Topic: "connection", ID: id})
	if name, data, ok := idle.next(); !ok || name != "fragment" || !strings.Contains(data, "Up to date") || !strings.Contains(data, "1,234.56") {
		t.Errorf("an idle page gets %q\n%s", name, data)
	}
}

// An open first page shows at once what the person has to do: an account will go below zero, and a bank has to be linked again.
func TestTodosComeLive(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.service.rows["uid-1"] = forecastRows("100.00", "850.00", "77.77")
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	b.link()
	accounts, err := s.store.Accounts(t.Context(), mira.ID)
	must(t, err)
	id := accounts[0].ConnectionID
	b.get("/").has(`id="todos"`).lacks("is no longer updated")
	idle := b.listen("/events?view=dashboard")
	s.exec(`UPDATE connection SET valid_until = '2020-01-01T00:00:00.000Z'`)
	s.hub.Publish(mira.ID, live.Event{Topic: "connection", ID: id})
	if name, data, ok := idle.next(); !ok || name != "fragment" || !strings.Contains(data, `<div id="todos" class="stack">`) || !strings.Contains(data, "is no longer updated") || !strings.Contains(data, "goes below zero on") {
		t.Errorf("an idle page gets %q\n%s", name, data)
	}
	// This list is worked out again when the data behind it has changed, and not after each sync.
	for change, told := range map[string]bool{"": false, `UPDATE connection SET valid_until = '2020-02-01T00:00:00.000Z'`: true} {
		if change != "" {
			s.exec(change)
		}
		s.hub.Publish(mira.ID, live.Event{Topic: "connection", ID: id})
		if name, data, ok := idle.next(); !ok || name != "fragment" || !strings.Contains(data, "Elbe Sparbank") || strings.Contains(data, `id="todos"`) != told {
			t.Errorf("after %q an idle page gets %q\n%s", change, name, data)
		}
	}
}

// TestStreamEndsWithTheSignIn, however it ends, and does not start without one.
func TestStreamEndsWithTheSignIn(t *testing.T) {
	t.Parallel()
	testkit.Long(t, testkit.Waits)
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	b.link()
	ended := func(name string, l *listener) {
		t.Helper()
		for {
			event, data, ok := l.next()
			if !ok {
				return
			}
			if strings.Contains(data, "Girokonto") {
				t.Errorf("%s: the stream still shows %q", name, event)
			}
		}
	}
	ctx := t.Context()

	there := s.signedIn("mira@example.org")
	l := there.listen("/events?view=dashboard")
	there.post("/sign-out", nil)
	ended("sign-out", l)
	there.ask(http.MethodGet, "/events?view=dashboard", shell.Stream).status(http.StatusUnauthorized)

	there = s.signedIn("mira@example.org")
	l = there.listen("/events?view=dashboard")
	signIns, err := s.auth.SignIns(ctx, mira.ID)
	must(t, err)
	b.proves()
	for _, v := range signIns {
		if body := b.get("/settings").body; strings.Contains(body, v.ID) {
			b.post("/settings/sign-ins/"+v.ID+"/end", nil).to("/settings")
		}
	}
	ended("ended from another device", l)

	there = s.signedIn("mira@example.org")
	l = there.listen("/events?view=dashboard")
	b.post("/settings/password", url.Values{"password": {password}, "new_password": {"another long phrase"}}).to("/settings")
	ended("password changed", l)

	l = b.listen("/events?view=dashboard")
	s.exec(`UPDATE user_session SET revoked = last_seen`) // by another process, without the hub; this process notices it a moment later
	for b.get("/settings").StatusCode == http.StatusOK {
		time.Sleep(time.Millisecond)
	}
	accounts, err := s.store.Accounts(ctx, mira.ID)
	must(t, err)
	s.hub.Publish(mira.ID, live.Event{Topic: "connection", ID: accounts[0].ConnectionID})
	ended("ended by another process", l)
	b.ask(http.MethodGet, "/events?view=dashboard", shell.Stream).status(http.StatusUnauthorized)
}

// TestStreamIsNotForOthers: the stream of one user has no events of another.
func TestStreamIsNotForOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	eve := s.user("eve@example.org")
	b, other := s.signedIn("mira@example.org"), s.signedIn("eve@example.org")
	b.link()
	other.link()
	hers, err := s.store.Accounts(t.Context(), mira.ID)
	must(t, err)
	own, err := s.store.Accounts(t.Context(), eve.ID)
	must(t, err)
	l := other.listen("/events?view=dashboard")
	s.hub.Publish(mira.ID, live.Event{Topic: "connection", ID: hers[0].ConnectionID})
	s.hub.Publish(eve.ID, live.Event{Topic: "connection", ID: own[0].ConnectionID})
	if name, data, ok := l.next(); !ok || name != "fragment" || !strings.Contains(data, own[0].ConnectionID) || strings.Contains(data, hers[0].ConnectionID) {
		t.Errorf("the stream delivers %q\n%s", name, data)
	}
}

// TestStreamsDoNotKeepASignInAlive: a page that is left open is signed out like any other, and its stream ends with the sign-in.
func TestStreamsDoNotKeepASignInAlive(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	s.exec(`UPDATE user_session SET last_seen = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-110 minutes')`)
	b.listen("/events?view=dashboard").cancel()
	signIns, err := s.auth.SignIns(t.Context(), mira.ID)
	must(t, err)
	if since := time.Since(signIns[0].LastSeen); since < 109*time.Minute {
		t.Errorf("last seen %s ago", since)
	}
	b.get("/").status(http.StatusOK)
	signIns, err = s.auth.SignIns(t.Context(), mira.ID)
	must(t, err)
	if since := time.Since(signIns[0].LastSeen); since > time.Hour {
		t.Errorf("a page does not count as use: last seen %s ago", since)
	}

	s.exec(`UPDATE user_session SET last_seen = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-2 hours', '+1 seconds')`)
	stream := b.listen("/events?view=dashboard")
	for open := true; open; {
		_, _, open = stream.next()
	}
	b.get("/").to("/sign-in")
}
