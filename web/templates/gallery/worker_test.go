package main

import (
	"context"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	devruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"florin/internal/testkit"
	"florin/web/templates/paths"
)

func promise(p *devruntime.EvaluateParams) { p.AwaitPromise = new(true) }

// A page registers the worker of its language, and no script of it can register another one (security T85): the policy of trusted types, which is the only
// one, makes an address of a script for that path alone.
func TestWorkerHasOneAddress(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	server := httptest.NewServer(handler())
	t.Cleanup(server.Close)
	ctx := openWindow(t)
	do(t, ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: `const make = trustedTypes.createPolicy.bind(trustedTypes); trustedTypes.createPolicy = (name, rules) => (window.made = make(name, rules));`})
		return err
	}))
	for lang, page := range map[string]string{"en": "/sign-in", "de": "/sign-in?lang=de"} {
		do(t, ctx, chromedp.Navigate(server.URL+page))
		own := paths.Speaking(paths.Worker, lang)
		const registered = `new Promise((done) => {
			const look = async () => {
				const all = (await navigator.serviceWorker.getRegistrations()).map((r) => (r.installing ?? r.waiting ?? r.active)?.scriptURL);
				if (all.join().endsWith("/service-worker.js?lang=" + document.documentElement.lang)) done(all.join().replaceAll(location.origin, "")); else setTimeout(look, 20);
			};
			look();
		})`
		if got := evaluate[string](t, ctx, registered, promise); got != own {
			t.Errorf("registered is %s, want %s", got, own)
		}
		for _, test := range []struct{ do, want string }{
			{`made.createScriptURL("` + own + `").toString()`, own},
			{`made.createScriptURL("/service-worker.js?lang=xx")`, "TypeError"},
			{`made.createScriptURL("/attachments/worker.js")`, "TypeError"},
			{`made.createScriptURL("https://evil.example/service-worker.js")`, "TypeError"},
			{`make("florin", {createScriptURL: (url) => url})`, "TypeError"},
			{`make("other", {createScriptURL: (url) => url})`, "TypeError"},
			{`await navigator.serviceWorker.register("` + own + `")`, "TypeError"}, // a text is not trusted
		} {
			if got := evaluate[string](t, ctx, `(async () => { try { return String(`+test.do+`) } catch (problem) { return problem.name } })()`, promise); got != test.want {
				t.Errorf("%s: %s, want %s", test.do, got, test.want)
			}
		}
	}
}

// Over plain http, on another machine than one's own, browsers have no workers: nothing happens, and nothing is complained about.
func TestWithoutASecureContext(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	// For the browser this is no address of its own machine.
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(handler())
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	ctx := openWindow(t)
	messages := listen(ctx)
	do(t, ctx, chromedp.Navigate("http://0.0.0.0:"+port+"/sign-in"))
	await(t, ctx, `document.readyState === "complete"`)
	if got := evaluate[string](t, ctx, `isSecureContext + " " + ("serviceWorker" in navigator) + " " + document.title`); got != "false false Sign in · Florin" {
		t.Fatalf("the page is %s", got)
	}
	for _, problem := range messages.take(t, ctx) {
		if !strings.Contains(problem, "Cross-Origin-Opener-Policy") { // which plain http does not know either
			t.Error(problem)
		}
	}
}
