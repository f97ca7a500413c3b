package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"florin/internal/openbanking"
)

// security F2: a browser applies form-action to the redirects after a form too. The three forms that end at the
// application get there, on another origin and onwards within it; nothing is blocked. On the way every page fits a narrow
// screen, whatever the application is called (WCAG 2.2, 1.4.10).
func TestBrowserGetsBackToTheApplication(t *testing.T) {
	arrived := make(chan url.Values, 1)
	application := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/callback":
			arrived <- r.URL.Query()
			http.Redirect(w, r, "/done", http.StatusSeeOther)
		case "/done":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<!DOCTYPE html><title>Done</title><h1 id="done">Done</h1>`))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(application.Close)
	s := run(t, strings.Repeat("Haushaltsbuch", 7), "", application.URL+"/callback")
	bank, person := s.bank(false)

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	ctx, closeAllocator := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU)...)
	t.Cleanup(closeAllocator)
	ctx, closeTab := chromedp.NewContext(ctx)
	t.Cleanup(closeTab)

	signIn := []chromedp.Action[chromedp.Void]{
		press(`form[action$="/accept"] button`),
		chromedp.SendKeys("#username", person.Username), chromedp.SendKeys("#password", person.Password),
		press(`form[action*="/sign-in"] button`),
		chromedp.SendKeys("#code", person.Code), press(`form[action*="/code"] button`),
		chromedp.WaitVisible("#approval"),
	}
	tests := []struct {
		name  string
		steps []chromedp.Action[chromedp.Void]
		want  string // the parameter that comes back besides state
	}{
		{"cancel", []chromedp.Action[chromedp.Void]{press(`form[action$="/cancel"] button`)}, "error"},
		{"decline", append(signIn[:len(signIn):len(signIn)], press(`form[action*="/decline"] button`)), "error"},
		{"approve", append(signIn[:len(signIn):len(signIn)], press(`button[form="approval"]`)), "code"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			start := s.begin(openbanking.ASPSPData{Name: bank.Name, Country: bank.Country}, "the state", application.URL+"/callback")
			if err := chromedp.Do(ctx, append([]chromedp.Action[chromedp.Void]{chromedp.EmulateViewport(390, 800), chromedp.Navigate(start)}, test.steps...)...); err != nil {
				t.Fatal(err)
			}
			soon, cancel := context.WithTimeout(ctx, 20*time.Second)
			defer cancel()
			if err := chromedp.Do(soon, chromedp.WaitVisible("#done")); err != nil {
				t.Fatalf("the browser did not arrive: %v", err)
			}
			if query := <-arrived; query.Get("state") != "the state" || query.Get(test.want) == "" {
				t.Errorf("parameters = %v, want state and %s", query, test.want)
			}
		})
	}
}

// press clicks on what a selector finds, once it is there, on a page that must not scroll sideways.
func press(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Steps(chromedp.WaitVisible(selector), fits, chromedp.Click(selector))
}

func fits(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
	width, err := chromedp.Evaluate[int](`document.documentElement.scrollWidth`)(ctx, t)
	if err == nil && width > 390 {
		err = fmt.Errorf("the page is %d px wide, want 390", width)
	}
	return chromedp.Void{}, err
}
