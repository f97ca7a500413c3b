package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	devruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"florin/internal/testkit"
)

// Florin can be installed. While it cannot be reached, the browser shows a kept page in the person's language and without data about them; when it can be
// reached again, everything works as before. The browser keeps nothing else.
func TestJourneyInstall(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	for name, l := range map[string]look{"English": desktop, "German": german} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lang, amount := "en", "4,711.00"
			if l.german {
				lang, amount = "de", "4.711,00"
			}
			settings := []string{"--listen", freeAddress(t), "--service-listen", freeAddress(t), "--service-tls-listen", "127.0.0.1:0"}
			folder := t.TempDir()
			f := launch(t, folder, settings...)
			w := browse(t, l)
			defer w.close() // before Florin ends, and the stream of the page with it
			w.setUp(f)
			w.visit(f.web + "/accounts/new")
			w.fill("Name", "Wallet")
			w.choose("Kind of account", "Cash")
			w.fill("Balance or value", amount)
			w.submit()
			w.see(amount)
			w.installable(lang)
			w.keepsOnly(lang)

			// The next page comes through the service worker, unchanged.
			w.visit(f.web + "/transactions")
			if got, want := w.evaluate(`String(navigator.serviceWorker.controller?.scriptURL)`), f.web+"/service-worker.js?lang="+lang; got != want {
				t.Fatalf("the worker of the page is %s, want %s", got, want)
			}
			w.checkPage()
			if err := f.end(); err != nil {
				t.Fatal(err)
			}
			w.visit(f.web + "/?month=2026-01#month")
			w.see("Florin cannot be reached", "What to do", "Check that this device is online.")
			w.checkPage()
			source := w.evaluate(`document.documentElement.outerHTML`)
			for _, personal := range []string{"711", ownerEmail, "Wallet"} {
				if strings.Contains(source, personal) {
					t.Errorf("the kept page has %s:\n%s", personal, source)
				}
			}
			if w.evaluate(`String(document.styleSheets.length === 1 && document.styleSheets[0].cssRules.length > 100)`) != "true" {
				t.Error("the kept page has no style")
			}
			w.keepsOnly(lang)
			_ = w.found() // the stream of the page before ended with Florin

			// A return from a bank brings a one-time code, so the kept page must not replace it: the browser's own error says that it did not arrive.
			err := w.try(chromedp.Navigate(f.web + "/callback/embedded?state=x&code=y"))
			if err == nil || !strings.Contains(err.Error(), "net::ERR_CONNECTION_REFUSED") {
				t.Errorf("a return from a bank, without Florin: %v", err)
			}
			w.visit(f.web + "/settings")
			w.see("Florin cannot be reached")
			_ = w.found()

			f = launch(t, folder, settings...)
			w.click("Try again")
			w.see("Where you are signed in", ownerEmail)
			if got := w.address(); got != f.web+"/settings" {
				t.Errorf("“Try again” leads to %s", got)
			}
			w.visit(f.web + "/")
			w.see(amount)

			if l.german {
				return
			}
			// In another language another page is kept, and the earlier one is removed.
			w.visit(f.web + "/settings")
			w.choose("Language of the pages", "Deutsch")
			w.click("Save the language")
			w.keepsOnly("de")
		})
	}
}

// installable fails unless the browser accepts the manifest of the page, and its service worker.
func (w *window) installable(lang string) {
	w.t.Helper()
	w.awaits(`navigator.serviceWorker.ready.then((ready) => ready.scope)`)
	w.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		manifest, err := cdp.Call(ctx, t, page.GetAppManifest, page.GetAppManifestParams{})
		if err != nil {
			return err
		}
		for _, problem := range manifest.Errors {
			w.t.Errorf("the manifest: %s", problem.Message)
		}
		var m struct {
			Name    string `json:"name"`
			Lang    string `json:"lang"`
			Display string `json:"display"`
		}
		if err := json.Unmarshal([]byte(manifest.Data), &m); err != nil {
			return err
		}
		if m.Name != "Florin" || m.Lang != lang || m.Display != "standalone" {
			w.t.Errorf("the manifest at %s is %s", manifest.URL, manifest.Data)
		}
		installability, err := cdp.Call(ctx, t, page.GetInstallabilityErrors, cdp.Empty{})
		if err != nil {
			return err
		}
		for _, problem := range installability.InstallabilityErrors {
			w.t.Errorf("not installable: %s %v", problem.ErrorID, problem.ErrorArguments)
		}
		return nil
	}))
}

// keepsOnly waits until the browser keeps the page of one language, with its style and icon, and nothing else.
func (w *window) keepsOnly(lang string) {
	w.t.Helper()
	w.patiently("keep one page, in "+lang, func() error {
		kept, err := w.tryAwaits(`(async () => {
			const lines = [];
			for (const name of await caches.keys()) for (const request of await (await caches.open(name)).keys()) lines.push(name.replace(/[0-9a-f]{12}$/, "#") + " " + request.url.replace(location.origin, ""));
			return lines.join("\n").replace(/\.[0-9a-f]{12}\./g, ".#.");
		})()`)
		want := "florin-# /offline?lang=" + lang + "\nflorin-# /static/app.#.css?kept\nflorin-# /static/favicon.#.svg?kept"
		if err == nil && kept != want {
			err = fmt.Errorf("it keeps\n%s\nwant\n%s", kept, want)
		}
		return err
	})
}

// awaits is evaluate for a promise.
func (w *window) awaits(expression string) (text string) {
	w.t.Helper()
	w.patiently("tell "+expression, func() (err error) {
		text, err = w.tryAwaits(expression)
		return err
	})
	return text
}

func (w *window) tryAwaits(expression string) (string, error) {
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[string](expression, func(p *devruntime.EvaluateParams) { p.AwaitPromise = new(true) }))
}
