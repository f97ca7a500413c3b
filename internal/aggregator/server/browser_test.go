package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"florin/internal/chromium"
	"florin/internal/openbanking"
	"florin/internal/testkit"
)

// security F2: a browser applies form-action to the redirects after a form too. The three forms that end at the
// application get there, on another origin and onwards within it; nothing is blocked. On the way every page fits a narrow
// screen, whatever the application is called (WCAG 2.2, 1.4.10).
func TestBrowserGetsBackToTheApplication(t *testing.T) {
	testkit.Unwatched(t)
	application, arrived := waitingApplication(t)
	s := run(t, strings.Repeat("Haushaltsbuch", 7), "", application+"/callback")
	bank, person := s.bank(false)
	ctx := openWindow(t)

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
			start := s.begin(openbanking.ASPSPData{Name: bank.Name, Country: bank.Country}, "the state", application+"/callback")
			steps := append([]chromedp.Action[chromedp.Void]{chromedp.EmulateViewport(390, 800), chromedp.Navigate(start)}, test.steps...)
			arrives(t, ctx, arrived, test.want, steps...)
		})
	}
}

// waitingApplication is an application to which browsers come back; its second result says with what.
func waitingApplication(t *testing.T) (address string, arrived chan url.Values) {
	t.Helper()
	arrived = make(chan url.Values, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
	t.Cleanup(server.Close)
	return server.URL, arrived
}

// patience is how long a browser on a busy machine may take for what a test waits for.
const patience = time.Minute

func TestMain(m *testing.M) {
	code := m.Run()
	chromium.End()
	os.Exit(code)
}

// openWindow opens a window of the browser, with cookies of its own, that closes with the test.
func openWindow(t *testing.T) context.Context {
	t.Helper()
	testkit.Long(t, testkit.Browser)
	browser, err := chromium.Shared()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(browser, 10*time.Minute)
	t.Cleanup(cancel)
	ctx, end := chromedp.NewContext(ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	return ctx
}

// arrives wants steps in a browser to end at the application with a parameter besides state.
func arrives(t *testing.T, ctx context.Context, arrived chan url.Values, want string, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := chromedp.Do(soon, chromedp.WaitVisible("#done")); err != nil {
		t.Fatalf("the browser did not arrive: %v", err)
	}
	if query := <-arrived; query.Get("state") != "the state" || query.Get(want) == "" {
		t.Errorf("parameters = %v, want state and %s", query, want)
	}
}

// spec: credentials_autosubmit. A browser shows a form that the application has filled in; one press of a button sends it.
// Giving up on the way leads back, too, from each of the service's pages.
func TestBrowserWithFilledInCredentials(t *testing.T) {
	testkit.Unwatched(t)
	application, arrived := waitingApplication(t)
	s := run(t, strings.Repeat("Haushaltsbuch", 7), "", application+"/callback")
	ctx := openWindow(t)
	no := false
	start := func() string {
		return s.authorize(mixedBank, func(r *openbanking.StartAuthorizationRequest) {
			with("codes", &no, map[string]string{"userId": "helmi", "password": "kivi-77"})(r)
			r.RedirectURL = application + "/callback"
		})
	}
	filled := func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		got, err := chromedp.Evaluate[string](`[...document.querySelectorAll(".form input")].map(e => e.type + " " + e.value).join(", ")`)(ctx, target)
		if want := "text helmi, password kivi-77"; err == nil && got != want {
			err = fmt.Errorf("the form holds %q, want %q", got, want)
		}
		return chromedp.Void{}, err
	}
	steps := []chromedp.Action[chromedp.Void]{
		press(`form[action$="/accept"] button`), chromedp.WaitVisible("#credential-1"), filled,
		press(`form[action*="/credentials"] button`),
		chromedp.SendKeys("#code", "777777"), press(`form[action*="/code"] button`),
		press(`button[form="approval"]`),
	}
	open := func() []chromedp.Action[chromedp.Void] {
		return []chromedp.Action[chromedp.Void]{chromedp.EmulateViewport(390, 800), chromedp.Navigate(start())}
	}
	arrives(t, ctx, arrived, "code", append(open(), steps...)...)
	for done, page := range map[int]string{3: "#credential-1", 4: "#code", 6: "#approval"} {
		t.Run(fmt.Sprintf("given up after %d steps", done), func(t *testing.T) {
			arrives(t, ctx, arrived, "error", append(append(open(), steps[:done]...), chromedp.WaitVisible(page), press(`form[action*="/decline"] button`))...)
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
