package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"

	"florin/web/static"
)

// livePages are pages like those of Florin, with its script and a stream of events that the test writes.
type livePages struct {
	*httptest.Server
	events chan string   // each begins with its name: "reload", "fragment <p id=..."
	slow   chan struct{} // closed to let the slow page answer
	asked  chan struct{} // the slow page was asked for
	heard  chan struct{} // the browser has closed a stream
	loads  atomic.Int64  // how often the live page was loaded
}

func newLivePages(t *testing.T) *livePages {
	t.Helper()
	p := &livePages{events: make(chan string), slow: make(chan struct{}), asked: make(chan struct{}, 1), heard: make(chan struct{}, 10)}
	mux := http.NewServeMux()
	mux.Handle("GET "+static.Prefix, static.Handler())
	page := func(w http.ResponseWriter, body string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!DOCTYPE html><html lang="en"><title>Page</title><link rel="icon" href="data:,"><script defer src="%s"></script>%s</html>`,
			static.URL("app.js"), body)
	}
	mux.HandleFunc("GET /live", func(w http.ResponseWriter, _ *http.Request) {
		page(w, `<main data-live="/events"><h1>Load `+strconv.FormatInt(p.loads.Add(1),
			10)+`</h1><p id="part">old part</p><a href="/slow">Another page</a><a href="/nothing">A file</a></main>`)
	})
	mux.HandleFunc("GET /slow", func(w http.ResponseWriter, r *http.Request) {
		p.asked <- struct{}{}
		select {
		case <-p.slow:
			page(w, "<h1>The other page</h1>")
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("GET /nothing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			if err := http.NewResponseController(w).Flush(); err != nil {
				return
			}
			select {
			case event := <-p.events:
				fmt.Fprint(w, event)
			case <-r.Context().Done():
				p.heard <- struct{}{}
				return
			}
		}
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		p.CloseClientConnections()
		p.Close()
	})
	return p
}

const (
	eventReload = "event: reload\ndata: now\n\n"
	eventPart   = "event: fragment\ndata: <p id=\"part\">new part</p>\n\n"
)

// When a sync ends while the reader is already on the way to another page, the reload of the live page does not stop that navigation.
func TestLivePageThatIsBeingLeft(t *testing.T) {
	t.Parallel()
	p := newLivePages(t)
	w := browse(t, desktop)
	w.visit(p.URL + "/live")
	p.events <- eventPart
	w.see("Load 1", "new part")
	w.press("Another page")
	<-p.asked
	p.events <- eventReload
	<-p.heard
	close(p.slow)
	w.see("The other page")
	if n := p.loads.Load(); n != 1 {
		t.Errorf("the live page was loaded %d times, want once", n)
	}
}

// A download looks like leaving the page, but changes nothing: parts are still replaced, and the page reloads itself a little later.
func TestLivePageAfterADownload(t *testing.T) {
	t.Parallel()
	p := newLivePages(t)
	w := browse(t, desktop)
	w.visit(p.URL + "/live")
	w.see("Load 1", "old part")
	w.press("A file")
	p.events <- eventPart
	w.see("Load 1", "new part")
	p.events <- eventReload
	w.see("Load 2", "old part")
}
