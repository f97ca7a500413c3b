package main

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"florin/internal/testkit"
)

// A site on another port of this machine is the most dangerous one: for the browser it is the same site, so it sends Florin's cookies along. Nevertheless that
// site cannot send a form, read a page, open a stream or put Florin into a frame (security T20, T21).
func TestJourneyHostileNeighbour(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f := begin(t)
	w := browse(t, desktop)
	w.setUp(f)

	mux := http.NewServeMux()
	serve := func(path, kind, body string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind+"; charset=utf-8")
			fmt.Fprint(w, body)
		})
	}
	const pageOf = `<!DOCTYPE html><html lang="en"><title>Neighbour</title><link rel="icon" href="data:,">%s</html>`
	forms := map[string]string{
		"/sign-out": "", "/settings/password": "password=" + ownerPassword + "&new_password=battery horse correct", "/link": "provider=embedded",
		"/sign-in": "email=evil@home.example&password=x",
	}
	for action, fields := range forms {
		var inputs strings.Builder
		for field := range strings.SplitSeq(fields, "&") {
			name, value, _ := strings.Cut(field, "=")
			fmt.Fprintf(&inputs, `<input name="%s" value="%s">`, html.EscapeString(name), html.EscapeString(value))
		}
		serve("/form"+action, "text/html", fmt.Sprintf(pageOf,
			fmt.Sprintf(`<form method="post" action="%s">%s<button>Win a prize</button></form>`, f.web+action, inputs.String())))
	}
	serve("/reader", "text/html", fmt.Sprintf(pageOf, `<h1>Reader</h1><ul id="log"></ul><script src="/reader.js"></script>`))
	serve("/reader.js", "text/javascript", strings.ReplaceAll(`
		const say = (what, how) => document.getElementById("log").append(Object.assign(document.createElement("li"), {textContent: what + ": " + how}));
		const attempt = (what, url, options) => fetch(url, {credentials: "include", ...options}).then(() => say(what, "answered"), () => say(what, "refused"));
		attempt("read", "FLORIN/settings");
		attempt("opaque", "FLORIN/settings", {mode: "no-cors"});
		attempt("put", "FLORIN/settings/password", {method: "PUT"});
		attempt("json", "FLORIN/settings/password", {method: "POST", headers: {"Content-Type": "application/json"}, body: "{}"});
		attempt("events", "FLORIN/events?view=dashboard", {headers: {Accept: "text/event-stream"}});
		const stream = new EventSource("FLORIN/events?view=dashboard", {withCredentials: true});
		stream.onopen = () => say("stream", "answered");
		stream.onerror = () => { stream.close(); say("stream", "refused"); };
		for (const [what, name] of [["image", "img"], ["script", "script"]]) {
			const part = document.createElement(name);
			part.onload = () => say(what, "answered");
			part.onerror = () => say(what, "refused");
			part.src = "FLORIN/settings";
			document.body.append(part);
		}
		const frame = document.createElement("iframe");
		frame.onload = () => { let inside = ""; try { inside = frame.contentDocument.body.innerText } catch {} say("frame", inside === "" ? "refused" : "answered"); };
		frame.src = "FLORIN/settings";
		document.body.append(frame);`, "FLORIN", f.web))
	neighbour := httptest.NewServer(mux)
	defer neighbour.Close()
	site := strings.Replace(neighbour.URL, "127.0.0.1", "localhost", 1)
	if !strings.HasPrefix(f.web, "http://localhost:") {
		t.Fatalf("Florin is at %s, which is another site", f.web)
	}

	for action := range forms {
		w.visit(site + "/form" + action)
		w.click("Win a prize")
		w.see("This request was refused")
		if w.status() != http.StatusForbidden {
			t.Errorf("%s: status %d, want 403", action, w.status())
		}
	}
	w.visit(site + "/reader")
	for _, what := range []string{"read", "opaque", "put", "json", "events", "stream", "image", "script", "frame"} {
		w.see(what + ": ")
	}
	if text := w.text(); strings.Contains(text, "answered") {
		t.Errorf("a neighbour reads what is not its own:\n%s", indent(text))
	}
	framed := strings.Join(w.found(), "\n") // the browser reports what it blocked
	if !strings.Contains(framed, "frame-ancestors 'none'") {
		t.Errorf("the browser does not say that it refused to frame the page: %s", framed)
	}

	w.visit(f.web + "/settings")
	w.see(ownerEmail)
	w.signOut()
	w.do(chromedp.NavigateBack()) // the page from the browser's cache
	w.see("Forgotten your password?")
	w.seeNot(ownerEmail)
	w.visit(f.web)
	w.signIn(f, ownerEmail, ownerPassword) // the neighbour did not change the password
}
