package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"florin/internal/testkit"
)

// A window notices each kind of problem that a journey must not meet.
func TestBrowserNoticesProblems(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	tests := []struct {
		name, page, want string
	}{
		{"console", `<script src="/script.js?console.warn('odd')"></script>`, "console.warning: odd"},
		{"exception", `<script src="/script.js?undefinedName()"></script>`, "exception: Uncaught ReferenceError: undefinedName"},
		{"dialog", `<script src="/script.js?alert('here')"></script>`, "dialog: here"},
		{"inline script", `<script>document.title = "bad"</script>`, "Content Security Policy"},
		{"inline style", `<p style="color:red">bad</p>`, "Content Security Policy"},
		{"missing part", `<img src="/missing.png" alt="">`, "/missing.png answered 404"},
		{"foreign part", `<img src="http://127.0.0.1:1/x.png" alt="">`, "Content Security Policy"},
		{"broken stream", `<script src="/script.js?fetch('/break').catch(()=>0)"></script>`, "did not load"},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /script.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		script, err := url.QueryUnescape(r.URL.RawQuery)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprint(w, script)
	})
	mux.HandleFunc("GET /break", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("GET /page", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!DOCTYPE html><html lang="en"><title>Page</title><link rel="icon" href="/script.js"><h1>Page</h1>%s</html>`, r.FormValue("html"))
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	w := browse(t, desktop)
	for _, test := range tests {
		w.visit(server.URL + "/page?html=" + url.QueryEscape(test.page))
		w.see("Page")
		end := 0
		var got string
		for end < 100 && !strings.Contains(got, test.want) {
			end++
			w.evaluate("''")
			got += strings.Join(w.found(), "\n")
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: noticed %q, want %q", test.name, got, test.want)
		}
	}
	w.visit(server.URL + "/page?html=<p>fine")
	w.see("fine")
	if got := w.found(); len(got) > 0 {
		t.Errorf("a good page: noticed %q, want nothing", got)
	}
}

// The rules for every page are checked on a complete page, not on one that is still loading.
func TestPagesAreCheckedWhenTheyAreThere(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	asked := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Type", "text/html; charset=utf-8")
		header.Set("Content-Security-Policy", "default-src 'none'; img-src data:")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "same-origin")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cache-Control", "no-store")
		fmt.Fprint(w, `<!DOCTYPE html><html lang="en"><title>Page</title><link rel="icon" href="data:,"><h1>Page</h1>`)
		if r.URL.Path == "/again" {
			fmt.Fprint(w, `<p>Anew</p>`+strings.Repeat("<p>A line</p>", 1000)+`<a href="/">`)
			_ = http.NewResponseController(w).Flush()
			<-asked
		} else {
			fmt.Fprint(w, `<a href="/again">`)
		}
		fmt.Fprint(w, `A link</a>`)
	}))
	defer server.Close()
	w := browse(t, desktop)
	w.visit(server.URL)
	w.evaluate(`String(document.querySelector("a").click())`)
	w.see("Anew")
	if found := w.evaluate(pageRules); found != "loading" {
		t.Fatalf("half a page gives %q, want that it is loading", found)
	}
	time.AfterFunc(50*time.Millisecond, func() { close(asked) })
	w.checkPage()
	w.see("A link")
}

func TestBrowserWithoutJavaScript(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.Method == "POST" {
			http.Redirect(w, r, "/?said="+r.FormValue("q"), http.StatusSeeOther)
			return
		}
		fmt.Fprintf(w, `<!DOCTYPE html><html lang="en"><title>Page</title><link rel="icon" href="data:,"><h1>Page</h1><form method="post" action="/"><label for="q">Your word</label><input id="q" name="q"><button>Send <bdi>it</bdi></button></form><p>Said %s</p><noscript>NOSCRIPT</noscript><script>document.body.append("written by a script")</script></html>`, r.FormValue("said"))
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	for name, l := range scripts {
		t.Run(name, func(t *testing.T) {
			w := browse(t, l)
			w.visit(server.URL)
			w.fill("Your word", "abc")
			w.click("Send it")
			w.see("Said abc")
			if l.noScript {
				w.see("NOSCRIPT")
				w.seeNot("written by a script")
			} else {
				w.see("written by a script")
			}
			w.visit(server.URL)
			w.tabTo("Your word")
			w.keys("x", "y")
			w.enter()
			w.see("Said xy")
		})
	}
}

// A journey waits for the page: a key waits for the focus that the page sets when it loads; a click waits until the control is enabled and nothing covers it;
// and a text is typed again when the page has discarded it.
func TestBrowserWaitsForThePage(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	const script = `
		const part = (id) => document.getElementById(id), says = (id, text) => { part(id).textContent = text; };
		part("asks").addEventListener("focus", () => { part("asks").value = ""; setTimeout(() => part("code").focus(), 200); });
		part("over").addEventListener("click", () => says("clicked", "the cover"));
		part("send").addEventListener("click", () => {
			says("clicked", "the button");
			setTimeout(() => part("over").remove(), 200);
			setTimeout(() => { part("second").disabled = false; }, 400);
		});
		part("under").addEventListener("click", () => says("clicked", "what was covered"));
		part("second").addEventListener("click", () => says("clicked", "what was off"));
		let forgets = 2;
		part("name").addEventListener("input", () => { if (forgets-- > 0) part("name").value = ""; });`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/script.js" {
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, script)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!DOCTYPE html><html lang="en"><title>Page</title><link rel="icon" href="data:,"><h1>Page</h1>
			<label for="asks">Asks</label><input id="asks"><label for="code">Code</label><input id="code"><label for="name">Name</label><input id="name">
			<label for="kind">Kind</label><select id="kind"><option>One</option><option disabled>Onto</option><option>Other</option><option>Others</option></select>
			<p>You clicked on <b id="clicked">nothing</b>.</p><button id="send">Send</button> <button id="second" disabled>Second</button>
			<div style="position: relative"><button id="under">Under</button><div id="over" style="position: absolute; inset: 0; background: #fff"></div></div>
			<script src="/script.js"></script></html>`)
	}))
	defer server.Close()
	w := browse(t, desktop)
	w.visit(server.URL)
	w.tabTo("Asks")
	w.isAt("Code")
	w.keys("4", "2")
	w.fill("Name", "Mira")
	for _, option := range []string{"Others", "Other", "One"} {
		w.choose("Kind", option)
		if got := w.evaluate(`document.getElementById("kind").value`); got != option {
			t.Errorf("the kind is %q, want %q", got, option)
		}
	}
	if got := w.evaluate(`document.getElementById("code").value + " " + document.getElementById("name").value`); got != "42 Mira" {
		t.Errorf("the fields hold %q", got)
	}
	for _, step := range [][2]string{{"Send", "the button"}, {"Under", "what was covered"}, {"Second", "what was off"}} {
		w.press(step[0])
		w.see("You clicked on " + step[1] + ".")
	}
}
