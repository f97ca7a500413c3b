package handlers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"florin/internal/finance"
	"florin/internal/handlers"
	"florin/internal/handlers/shell"
	"florin/internal/openbanking"
	"florin/web/static"
)

// securityHeaders are those of security T19 and T20, with what they have to hold.
var securityHeaders = map[string]string{
	"Content-Security-Policy":      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'; manifest-src 'self'; worker-src 'self'; require-trusted-types-for 'script'; trusted-types florin",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "same-origin",
}

func (a *answer) hasHeaders() {
	a.t.Helper()
	for name, want := range securityHeaders {
		if got := a.Header.Get(name); got != want {
			a.t.Errorf("%s %s (%d): %s is %q, want %q", a.Request.Method, a.Request.URL, a.StatusCode, name, got, want)
		}
	}
	if !strings.HasPrefix(a.Request.URL.Path, static.Prefix) && !strings.Contains(strings.Join(a.Header.Values("Cache-Control"), ","), "no-store") {
		a.t.Errorf("%s %s (%d): Cache-Control is %q, want no-store", a.Request.Method, a.Request.URL, a.StatusCode, a.Header.Values("Cache-Control"))
	}
	if a.Header.Get("X-Request-Id") == "" {
		a.t.Errorf("%s %s (%d): no request ID", a.Request.Method, a.Request.URL, a.StatusCode)
	}
}

// ask sends an empty request of a route: a form for POST, a request for a stream where the route is one.
func (b *browser) ask(method, path string, access shell.Access) *answer {
	b.site.t.Helper()
	if method == http.MethodPost {
		return b.post(path, url.Values{})
	}
	r := b.request(method, path, nil)
	if access == shell.Stream {
		r.Header.Set("Accept", "text/event-stream")
	}
	return b.do(r)
}

// TestRoutesRefuseTheAnonymous: without a sign-in every route that needs one leads to it, and nothing is shown.
func TestRoutesRefuseTheAnonymous(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	b.get(s.back()).to(attempt)
	s.syncAll()
	own := s.thingsOf(mira, attempt).keeping(s, mira)

	anonymous := s.browser()
	for _, route := range handlers.Routes() {
		path := own.fill(route.Pattern)
		a := anonymous.ask(route.Method, path, route.Access)
		a.hasHeaders()
		switch {
		case route.Access == shell.ByAddress:
			a.status(http.StatusNotFound)
		case route.Access == shell.Public, route.Access == shell.Setup:
			a.lacks("Shop", "Girokonto", own.account)
		case route.Access == shell.Stream:
			a.status(http.StatusUnauthorized)
		case route.Method == http.MethodGet && path != "/":
			a.to("/sign-in?next=" + url.QueryEscape(path))
		default:
			a.to("/sign-in")
		}
	}
	// Nothing of hers has changed.
	b.get("/accounts/" + own.account).status(http.StatusOK).has("Shop 0")
	b.get("/connections/" + own.connection).status(http.StatusOK).has("Up to date")
}

// TestRoutesHideWhatBelongsToOthers crawls the route table with another user's ids (security T14): 404 everywhere, and nothing changes.
func TestRoutesHideWhatBelongsToOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	s.user("eve@example.org")
	b := s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	b.get(s.back()).to(attempt)
	s.syncAll()
	own := s.thingsOf(mira, attempt).keeping(s, mira)

	eve := s.signedIn("eve@example.org").proves()
	tried := 0
	for _, route := range handlers.Routes() {
		paths := []string{own.fill(route.Pattern)}
		if route.Access == shell.Stream {
			paths = []string{"/events?view=connection&connection=" + own.connection, "/events?view=progress&connection=" + own.connection}
		}
		if !strings.Contains(route.Pattern, "{") && route.Access != shell.Stream || strings.Contains(route.Pattern, "{provider}") || route.Pattern == "/{$}" {
			continue
		}
		for _, path := range paths {
			tried++
			eve.ask(route.Method, path, route.Access).status(http.StatusNotFound).has("Page not found").lacks("Shop", "Girokonto", "Elbe")
		}
	}
	if tried < 11 {
		t.Fatalf("only %d routes were tried", tried)
	}
	for _, path := range []string{"/", "/settings", "/link"} {
		eve.get(path).status(http.StatusOK).lacks("Girokonto", "Already linked", own.account, own.signIn)
	}
	// Her account and a foreign transaction do not mix either.
	b.get("/accounts/" + own.account + "/transactions/" + own.transaction).status(http.StatusOK)
	connection, err := s.store.Connection(t.Context(), mira.ID, own.connection)
	must(t, err)
	if connection.Status != finance.ConnectionActive {
		t.Errorf("the connection is %s", connection.Status)
	}
	account, err := s.store.Account(t.Context(), mira.ID, own.account)
	must(t, err)
	if account.Nickname != "" {
		t.Errorf("the account was named %q", account.Nickname)
	}
	b.get("/settings").status(http.StatusOK) // the sign-in is still good
}

// TestEveryAnswerHasTheSecurityHeaders: every answer has them, whatever the route, the method and the status.
func TestEveryAnswerHasTheSecurityHeaders(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	b.get(s.back())
	s.syncAll()
	own := s.thingsOf(mira, attempt).keeping(s, mira)
	for _, route := range handlers.Routes() {
		if route.Access == shell.Stream || route.Pattern == "/sign-out" || strings.Contains(route.Pattern, "{sign_in}") {
			continue // tested elsewhere; the last two would sign out the browser of this test
		}
		if route.Method == http.MethodGet && strings.HasSuffix(route.Pattern, "/{attachment}") {
			continue // a person's file has a stricter policy of its own, which TestAttachAFile checks
		}
		a := b.ask(route.Method, own.fill(route.Pattern), route.Access)
		a.hasHeaders()
		if a.StatusCode >= 500 {
			t.Errorf("%s %s: %d\n%s", route.Method, route.Pattern, a.StatusCode, a.words())
		}
	}
	for _, path := range []string{"/nothing", "/healthz", "/readyz", static.URL("app.css"), static.Prefix + "none.css", "/accounts/x", "/callback/nobody"} {
		b.get(path).hasHeaders()
	}
	for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodOptions, "BREW"} {
		b.do(b.request(method, "/", nil)).hasHeaders()
	}
	b.post("/sign-out", nil).hasHeaders()
}

// TestHTTPSTellsBrowsersToStay (security T20).
func TestHTTPSTellsBrowsersToStay(t *testing.T) {
	t.Parallel()
	s := newSite(t, https)
	s.browser().get("/healthz").status(http.StatusOK)
	if got := s.browser().get("/healthz").Header.Get("Strict-Transport-Security"); got != "max-age=63072000; includeSubDomains" {
		t.Errorf("Strict-Transport-Security is %q", got)
	}
	plain := newSite(t)
	if got := plain.browser().get("/healthz").Header.Get("Strict-Transport-Security"); got != "" {
		t.Errorf("without https: Strict-Transport-Security is %q", got)
	}
}

func https(o *handlers.Options) {
	u := *o.PublicURL
	u.Scheme = "https"
	o.PublicURL = &u
}

// TestBadInputIsAPage: what happened, what to do, and the request ID.
func TestBadInputIsAPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	huge := func(path string) *http.Request {
		r := b.request(http.MethodPost, path, bytes.NewReader(append([]byte("email="), bytes.Repeat([]byte("a"), 10<<20)...)))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return r
	}
	body := func(path, kind, body string) *http.Request {
		r := b.request(http.MethodPost, path, strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		return r
	}
	for _, c := range []struct {
		name    string
		request *http.Request
		status  int
		title   string
		allow   string
	}{
		{"unknown path", b.request(http.MethodGet, "/nothing/here", nil), 404, "Page not found", ""},
		{"unknown path, POST", body("/nothing", "application/x-www-form-urlencoded", ""), 404, "Page not found", ""},
		{"wrong method", b.request(http.MethodPut, "/settings", nil), 405, "This request is not possible here", "GET, HEAD"},
		{"POST to a page", body("/settings", "application/x-www-form-urlencoded", ""), 405, "This request is not possible here", "GET, HEAD"},
		{"GET of a form's address", b.request(http.MethodGet, "/sign-out", nil), 405, "This request is not possible here", "POST"},
		{"HEAD of the callback", b.request(http.MethodHead, "/callback/embedded?state=x", nil), 405, "", "GET"},
		{"10 MB body", huge("/sign-in"), 413, "This is too large", ""},
		{"10 MB body, signed in", huge("/link"), 413, "This is too large", ""},
		{"JSON instead of a form", body("/sign-in", "application/json", `{"email":"x"}`), 415, "Florin could not read this", ""},
		{"a file upload", body("/settings/password", "multipart/form-data; boundary=x", "--x--"), 415, "Florin could not read this", ""},
		{"a broken form", body("/sign-in", "application/x-www-form-urlencoded", "email=%zz"), 400, "Florin could not read this", ""},
		{"no page of transactions", b.request(http.MethodGet, "/accounts/x?before=y", nil), 404, "Page not found", ""},
		{"unknown stream", b.request(http.MethodGet, "/events?view=all", nil), 404, "Page not found", ""},
		{"no such bank", b.request(http.MethodGet, "/link/bank?provider=embedded&bank=Nowhere&country=DE", nil), 404, "This bank is not in the list", ""},
		{"no such provider", body("/link", "application/x-www-form-urlencoded", "provider=x&bank=Elbe+Sparbank&country=DE"), 404, "This bank is not in the list", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := b.do(c.request)
			a.t = t
			a.status(c.status).hasHeaders()
			if c.request.Method != http.MethodHead {
				a.has(c.title, "What to do", a.Header.Get("X-Request-Id"), "<!doctype html>")
			}
			if got := a.Header.Get("Allow"); got != c.allow {
				t.Errorf("Allow is %q, want %q", got, c.allow)
			}
			if got := a.Header.Get("Content-Type"); got != "text/html; charset=utf-8" {
				t.Errorf("Content-Type is %q", got)
			}
		})
	}
}

// TestFormsOfOtherSitesAreRefused (security T21): the table of Sec-Fetch-Site and Origin, on every route that changes something.
func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org").proves()
	attempt := b.start(elbe)
	b.get(s.back())
	s.syncAll()
	own := s.thingsOf(mira, attempt).keeping(s, mira)
	for _, c := range []struct {
		name, site, origin string
		refused            bool
	}{
		{"same origin", "same-origin", s.url, false},
		{"typed address", "none", "", false},
		{"no browser", "", "", false},
		{"old browser, own origin", "", s.url, false},
		{"other site", "cross-site", "https://evil.example", true},
		{"sibling host", "same-site", "https://other.example.org", true},
		{"old browser, other origin", "", "https://evil.example", true},
		{"Origin null", "", "null", true},
		{"Origin null, cross-site", "cross-site", "null", true},
	} {
		for _, route := range handlers.Routes() {
			ends := route.Pattern == "/sign-out" || strings.Contains(route.Pattern, "{sign_in}")
			if route.Method != http.MethodPost || !c.refused && ends {
				continue
			}
			r := b.request(http.MethodPost, own.fill(route.Pattern), strings.NewReader(""))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			for name, value := range map[string]string{"Sec-Fetch-Site": c.site, "Origin": c.origin} {
				if value != "" {
					r.Header.Set(name, value)
				}
			}
			a := b.do(r)
			if got := a.StatusCode == http.StatusForbidden && !strings.Contains(a.body, asksAgain); got != c.refused {
				t.Errorf("%s, %s: status %d, refused should be %t", c.name, route.Pattern, a.StatusCode, c.refused)
			}
			if c.refused {
				a.has("This request was refused", a.Header.Get("X-Request-Id")).hasHeaders()
			}
		}
	}
	b.get("/settings").status(http.StatusOK)
}

// TestFaultsAreAPage: the page has a general text with the request ID. Only the log has the cause.
func TestFaultsAreAPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	s.exec(`ALTER TABLE balance RENAME TO lost`)
	a := b.get("/").status(http.StatusInternalServerError)
	a.has("Something went wrong", "The details are in the log", a.Header.Get("X-Request-Id"), "Account menu:").lacks("balance", "SQL", "goroutine").hasHeaders()
	if log := s.log.String(); !strings.Contains(log, "no such table: balance") || !strings.Contains(log, a.Header.Get("X-Request-Id")) {
		t.Error("the log does not say what happened")
	}
	b.get("/settings").status(http.StatusOK)
}

// TestHealth: alive is not ready.
func TestHealth(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *handlers.Options) { o.Ready = func(context.Context) error { return errNotReady } })
	b := s.browser()
	b.get("/healthz").status(http.StatusOK).has("ok")
	b.get("/readyz").status(http.StatusServiceUnavailable).has("not ready").lacks(errNotReady.Error())
	newSite(t).browser().get("/readyz").status(http.StatusOK).has("ready")
	if !strings.Contains(s.log.String(), errNotReady.Error()) {
		t.Error("the log does not say why")
	}
}

// TestTheLogHoldsNothingPersonal (security T32): routes as patterns, no query strings, no addresses, no tokens.
func TestTheLogHoldsNothingPersonal(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.service.banks[2].Payments = []openbanking.ResponsePaymentType{sepa}
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	back := s.back()
	b.get(back).to(attempt)
	s.syncAll()
	own := s.thingsOf(mira, attempt).keeping(s, mira)
	b.get("/accounts/" + own.account + "?before=123456789")
	b.get("/accounts/" + own.account + "/transactions/" + own.transaction)
	b.get("/setup?token=canary-token")
	b.post("/sign-in", url.Values{"email": {"canary@example.org"}, "password": {"canary-password"}})
	b.post("/sign-in", url.Values{"email": {"%zz"}, "password": {"canary-password"}})
	accounts, err := s.store.Accounts(t.Context(), mira.ID)
	must(t, err)
	payer := accounts[slices.IndexFunc(accounts, func(a finance.Account) bool { return a.Currency == "EUR" })].ID
	payment := transfer(payer, "name", "Payee canary", "text0", "Remittance canary")
	path := b.draft(payment)
	wrong := b.get(path + "/review").confirmation()
	wrong.Set("password", "canary-password")
	b.post(path+"/confirm", wrong).status(http.StatusUnprocessableEntity)
	path = b.pay(payment)
	b.get(s.returns(1, "error", "access_denied", "error_description", "canary")).to(path)
	s.service.becomes(1, "RJCT", true, "AC04")
	b.check(path)
	b.get(path + "/receipt")
	b.post("/pay", transfer(payer, "number", "FR1420041010050500013M02600", "name", "canary"))
	s.service.Refuse("POST /payments", openbanking.Error{Code: openbanking.ASPSPError, Detail: json.RawMessage(`"canary"`)})
	path = b.draft(transfer(payer, "name", "Other canary", "amount", "9"))
	b.post(path+"/confirm", b.get(path+"/review").confirmation()).to(path)
	b.post("/payees", url.Values{"name": {"canary"}, "iban": {numberOther}})
	sent := s.service.sent()[0]
	log := s.log.String()
	start, _ := s.service.last()
	for _, secret := range []string{"canary", "mira@example.org", start.State, "code-1", "123456789", own.account + "/", "Shop 1", "DE89", "FR14", "3M02",
		sent.State, *sent.PaymentRequest.PaymentInformationID, "payment_id=", password,
		b.cookie("florin-session"), b.cookie("florin-flow")} {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
	for _, wanted := range []string{`route="GET /accounts/{account}"`, `route="GET /callback/{provider}"`, `msg="proof of identity refused" for=sign-in`,
		"payment created", "outcome of a payment unknown"} {
		if !strings.Contains(log, wanted) {
			t.Errorf("the log lacks %q", wanted)
		}
	}
}

// TestTheRouteTableIsComplete: every method and pattern is listed once, and the only methods are GET and POST.
func TestTheRouteTableIsComplete(t *testing.T) {
	t.Parallel()
	var seen []string
	for _, route := range handlers.Routes() {
		key := route.Method + " " + route.Pattern
		if slices.Contains(seen, key) {
			t.Errorf("%s twice", key)
		}
		seen = append(seen, key)
		if route.Method != http.MethodGet && route.Method != http.MethodPost {
			t.Errorf("%s: browsers send GET and POST only", key)
		}
	}
	if len(seen) < 20 {
		t.Errorf("%d routes", len(seen))
	}
}

var errNotReady = errors.New("a loop is failing")

// TestForeignHostsAreRefused: a hostile site that points its name at this server (DNS rebinding) gets no page and no form under it, whatever
// its browser says about the origin. Under the public name and under those of this machine everything works, also behind a proxy.
func TestForeignHostsAreRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(o *handlers.Options) {
		public := *o.PublicURL
		public.Host = "florin.example:8443"
		o.PublicURL = &public
	})
	s.user("mira@example.org")
	b := s.browser()
	for _, c := range []struct {
		host    string
		foreign bool
	}{{"florin.example:8443", false}, {"florin.example", false}, {"localhost:9000", false}, {"127.0.0.1", false}, {"evil.example", true},
		{"evil.example:8080", true}} {
		for _, r := range []*http.Request{
			b.request(http.MethodGet, "/sign-in", nil),
			b.request(http.MethodGet, "/static/none.css", nil),
			b.request(http.MethodPost, "/sign-in", strings.NewReader("email=mira%40example.org&password=guess")),
		} {
			r.Host = c.host
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Sec-Fetch-Site", "same-origin")
			r.Header.Set("Origin", "http://"+c.host)
			a := b.do(r)
			if foreign := a.StatusCode == http.StatusMisdirectedRequest; foreign != c.foreign {
				t.Errorf("%s %s of %s: status %d", r.Method, r.URL.Path, c.host, a.StatusCode)
			}
			if c.foreign {
				a.has("Florin does not use this address", "--public-url", a.Header.Get("X-Request-Id")).lacks("florin.example").hasHeaders()
			}
		}
		probe := b.request(http.MethodGet, "/readyz", nil)
		probe.Host = c.host
		b.do(probe).status(http.StatusOK)
	}
}
