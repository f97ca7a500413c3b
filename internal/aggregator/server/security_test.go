package server_test

import (
	"context"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"florin/internal/aggregator/server"
	"florin/internal/contract/walk"
	"florin/internal/openbanking"
)

// send makes a bare request, without cookies, and returns the answer and its body.
func send(t *testing.T, method, address string, header http.Header, body string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = header
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

func browserHeader(more ...string) http.Header {
	header := http.Header{"Accept": {"text/html"}}
	for i := 0; i < len(more); i += 2 {
		header.Set(more[i], more[i+1])
	}
	return header
}

// bankSite is the path of a bank's site, taken from the first page of a visit.
func bankSite(t *testing.T, page *walk.Page) string {
	t.Helper()
	parts := regexp.MustCompile(`^(/banks/[a-z]{2}/[a-z0-9-]+/)`).FindString(page.URL.Path)
	if parts == "" {
		t.Fatalf("%s is no page of a bank", page.URL)
	}
	return parts
}

// security T19, T20: every answer has every header.
func TestSecurityHeadersOnEveryRoute(t *testing.T) {
	s := run(t, "Ledger", "")
	bank, _ := s.bank(false)
	b := walk.New(nil)
	start := s.begin(bank, "s", callback)
	consent := open(t, b, start)
	signIn := submit(t, b, consent, "/accept", nil)
	site := bankSite(t, signIn)

	const pagePolicy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
	widgetPolicy := strings.Replace(pagePolicy, "style-src", "script-src 'self'; connect-src 'self'; style-src", 1)
	visitPolicy := strings.Replace(pagePolicy, "form-action 'self'", "form-action 'self' https://app.example", 1)
	routes := []struct {
		method, path string
		status       int
		contentType  string
		cache        string
		policy       string
		corp         string
	}{
		{"GET", "/", 200, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"GET", "/docs", 200, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"GET", "/docs/api", 200, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"GET", "/openapi.yaml", 200, "application/yaml", "public, max-age=3600", pagePolicy, "cross-origin"},
		{"GET", "/widget", 200, "text/html; charset=utf-8", "no-store", widgetPolicy, "same-origin"},
		{"GET", "/widget/aspsp-list.js", 200, "text/javascript; charset=utf-8", "public, max-age=3600", pagePolicy, "cross-origin"},
		{"GET", "/widget/aspsps", 200, "application/json", "public, max-age=300", pagePolicy, "cross-origin"},
		{"GET", "/nothing", 404, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"GET", "/healthz", 200, "text/plain; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"GET", "/readyz", 200, "text/plain; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"GET", "/application", 401, "application/json", "no-store", pagePolicy, "same-origin"},
		{"GET", strings.TrimPrefix(start, s.url), 200, "text/html; charset=utf-8", "no-store", visitPolicy, "same-origin"},
		{"GET", "/ais/start", 404, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"GET", "/pis/start", 404, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"GET", "/ais/return", 404, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"GET", "/pis/return", 404, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"GET", "/ais/accept", 404, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"POST", "/ais/accept", 403, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"POST", "/pis/accept", 403, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"POST", "/ais/cancel", 403, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"POST", "/pis/cancel", 403, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"GET", site, 200, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"GET", signIn.URL.RequestURI(), 200, "text/html; charset=utf-8", "no-store", visitPolicy, "same-origin"},
		{"GET", site + "authorize", 404, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"GET", site + "sign-in?flow=x", 303, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"POST", site + "sign-in", 403, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"POST", site + "code", 403, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"POST", site + "approve", 403, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"POST", site + "decline", 403, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"GET", "/banks/xx/none/", 404, "text/html; charset=utf-8", "no-store", pagePolicy, "same-origin"},
		{"GET", site + "brand.css", 200, "text/css; charset=utf-8", "public, max-age=3600", pagePolicy, "same-origin"},
		{"GET", site + "logo/", 200, "image/svg+xml", "public, max-age=86400", "default-src 'none'; sandbox", "cross-origin"},
		{"GET", site + "logo/-/resize/500x/", 200, "image/svg+xml", "public, max-age=86400", "default-src 'none'; sandbox", "cross-origin"},
	}
	for _, route := range routes {
		t.Run(route.method+" "+route.path, func(t *testing.T) {
			response, body := send(t, route.method, s.url+route.path, browserHeader(), "")
			if response.StatusCode != route.status {
				t.Errorf("status = %d, want %d", response.StatusCode, route.status)
			}
			for header, want := range map[string]string{
				"Content-Type":                 route.contentType,
				"Cache-Control":                route.cache,
				"Content-Security-Policy":      route.policy,
				"Cross-Origin-Opener-Policy":   "same-origin",
				"Cross-Origin-Resource-Policy": route.corp,
				"X-Content-Type-Options":       "nosniff",
				"Referrer-Policy":              "same-origin",
			} {
				if got := response.Header.Get(header); got != want {
					t.Errorf("%s = %q, want %q", header, got, want)
				}
			}
			if len(response.Header.Get("X-Request-Id")) != 32 {
				t.Errorf("X-Request-Id = %q", response.Header.Get("X-Request-Id"))
			}
			if body == "" {
				t.Error("the body is empty")
			}
			withoutScripts := strings.ReplaceAll(body, `<script src="/`, "") // of the own origin; the policy of the row allows them or not
			if strings.HasPrefix(route.contentType, "text/html") &&
				regexp.MustCompile(`(?i)<script|<style|\sstyle=|\son[a-z]+=|http-equiv`).MatchString(withoutScripts) {
				t.Error("the page has a script or a style of its own")
			}
			if strings.HasPrefix(route.contentType, "text/html") && route.status != 303 && !strings.Contains(body, "Simulated bank: no real money.") {
				t.Error("the page does not say that the bank is simulated")
			}
		})
	}
}

// spec: ASPSPData.logo: the address of the API works, with and without a transformation.
func TestLogoOfTheAPI(t *testing.T) {
	s := run(t, "Ledger", "")
	for _, mock := range []bool{false, true} {
		bank, _ := s.bank(mock)
		for _, transformation := range []string{"", "-/resize/500x/"} {
			response, body := send(t, "GET", bank.Logo+transformation, http.Header{}, "")
			if response.StatusCode != 200 || response.Header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(body, "<svg") {
				t.Errorf("%s%s: status %d, %s", bank.Logo, transformation, response.StatusCode, response.Header.Get("Content-Type"))
			}
		}
	}
}

// security F2: the forms of a visit may end at the origin of the one registered redirect URL.
func TestFormActionOfARedirectURLThatAPolicyCannotName(t *testing.T) {
	s := run(t, "Ledger", "")
	bank, _ := s.bank(false)
	page := open(t, walk.New(nil), s.begin(bank, "s", "http://[::1]:9999/callback"))
	if got := page.Header.Get("Content-Security-Policy"); !strings.Contains(got, "form-action 'self' http:;") {
		t.Errorf("policy = %q", got)
	}
}

// security T21: a form of another site is refused, whatever cookies it brings.
func TestFormsFromOtherSites(t *testing.T) {
	s := run(t, "Ledger", "")
	tests := []struct {
		name   string
		header []string
	}{
		{"cross-site", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}},
		{"same-site", []string{"Sec-Fetch-Site", "same-site", "Origin", "http://127.0.0.1:1"}},
		{"origin null", []string{"Origin", "null"}},
		{"origin alone", []string{"Origin", "https://evil.example"}},
	}
	for _, test := range tests {
		for _, path := range []string{"/ais/accept", "/ais/cancel", "/pis/accept", "/pis/cancel", "/pis/visit/order", "/pis/visit/code", "/banks/se/x/approve",
			"/banks/se/x/order", "/"} {
			response, body := send(t, "POST", s.url+path, browserHeader(test.header...), "")
			if response.StatusCode != 403 || !strings.Contains(body, "This form came from another site") {
				t.Errorf("%s to %s: status %d", test.name, path, response.StatusCode)
			}
		}
	}
	response, body := send(t, "POST", s.url+"/sessions", browserHeader("Sec-Fetch-Site", "cross-site"), "{}")
	if response.StatusCode != 401 || response.Header.Get("Content-Type") != "application/json" {
		t.Errorf("the API answers %d %s", response.StatusCode, body)
	}
}

// security F7: every attribute of the cookies is set.
func TestCookies(t *testing.T) {
	s := run(t, "Ledger", "")
	bank, _ := s.bank(false)
	b := walk.New(nil)
	start := s.begin(bank, "s", callback)
	consent := open(t, b, start)
	signIn := submit(t, b, consent, "/accept", nil)
	tests := []struct {
		name, address, path string
	}{
		{"florin-service", start, "/ais"},
		{"florin-bank", signIn.URL.String(), bankSite(t, signIn)},
	}
	for _, test := range tests {
		response, _ := send(t, "GET", test.address, browserHeader(), "")
		cookies := response.Cookies()
		if len(cookies) != 1 {
			t.Fatalf("%s: %d cookies", test.address, len(cookies))
		}
		c := cookies[0]
		if c.Name != test.name || c.Path != test.path || c.Domain != "" || !c.HttpOnly || c.Secure || c.SameSite != http.SameSiteLaxMode || c.MaxAge != 7200 {
			t.Errorf("cookie %+v, want %s for %s, Lax, HttpOnly, 7200 s", c, test.name, test.path)
		}
		id := regexp.MustCompile(`=([0-9a-f-]{30,})$`).FindStringSubmatch(test.address)[1]
		if strings.Contains(c.Value, id) {
			t.Error("the cookie shows what it holds")
		}
	}
}

// A cookie that was altered, or that belongs to the other site, opens nothing.
func TestForgedCookies(t *testing.T) {
	s := run(t, "Ledger", "")
	bank, _ := s.bank(false)
	start := s.begin(bank, "s", callback)
	response, _ := send(t, "GET", start, browserHeader(), "")
	value := response.Cookies()[0].Value
	id := start[strings.LastIndex(start, "=")+1:]
	for name, cookie := range map[string]string{
		"altered":     "florin-service=" + value[:20] + "A" + value[21:],
		"plain":       "florin-service=" + id,
		"another one": "florin-bank=" + value,
	} {
		response, _ := send(t, "POST", s.url+"/ais/accept", browserHeader("Cookie", cookie, "Content-Type", "application/x-www-form-urlencoded"), "sessionid="+id)
		if response.StatusCode != 403 {
			t.Errorf("%s cookie: status %d, want 403", name, response.StatusCode)
		}
	}
	response, _ = send(t, "POST", s.url+"/ais/accept", browserHeader("Cookie", "florin-service="+value, "Content-Type", "application/x-www-form-urlencoded"),
		"sessionid="+id)
	if response.StatusCode != 303 {
		t.Errorf("the true cookie: status %d, want 303", response.StatusCode)
	}
}

// security T13: nothing in a request says where the browser goes.
func TestNoOpenRedirect(t *testing.T) {
	s := run(t, "Ledger", "")
	bank, _ := s.bank(false)
	b := walk.New(nil)
	start := s.begin(bank, "s", callback)
	consent := open(t, b, start)
	signIn := submit(t, b, consent, "/accept", nil)
	site := bankSite(t, signIn)
	for _, target := range []string{"https://evil.example", "//evil.example", `/\evil.example`, "/%09/evil.example", "https:evil.example",
		"javascript:alert(1)", "http://evil.example@app.example"} {
		q := url.QueryEscape(target)
		for _, address := range []string{
			start + "&redirect_url=" + q + "&next=" + q,
			s.url + "/ais/start?sessionid=" + q,
			s.url + "/pis/start?payment_id=" + q,
			s.url + "/pis/visit?visit=" + q,
			s.url + "/ais/return?state=" + q + "&redirect_url=" + q,
			s.url + "/ais/return?state=s&code=" + q,
			signIn.URL.String() + "&return_url=" + q,
			s.url + site + "sign-in?flow=" + q,
			s.url + "/?q=" + q + "&country=" + q,
			s.url + "//evil.example/..",
			s.url + "/" + q,
		} {
			page := open(t, b, address)
			if page.Left != nil {
				t.Errorf("%s leads to %s", address, page.Left)
			}
		}
		for _, form := range []string{"/accept", "/cancel"} {
			cancelled := open(t, b, s.begin(bank, "s", callback))
			page := submit(t, b, cancelled, form, url.Values{"redirect_url": {target}, "next": {target}})
			if page.Left != nil && page.Left.Host != "app.example" {
				t.Errorf("%s leads to %s", form, page.Left)
			}
		}
	}
}

// security T18: what an application says about itself is text.
func TestMarkupInTextsOfOthers(t *testing.T) {
	const payload = `"><script>alert(1)</script><img src=x onerror=alert(2)>'{{7*7}}`
	s := run(t, payload, payload)
	bank, person := s.bank(false)
	b := walk.New(nil)
	start := s.begin(bank, payload, callback)
	consent := open(t, b, start)
	signIn := submit(t, b, consent, "/accept", nil)
	wrong := submit(t, b, signIn, "/sign-in", url.Values{"username": {payload}, "password": {"x"}})
	code := submit(t, b, wrong, "/sign-in", url.Values{"username": {person.Username}, "password": {person.Password}})
	approval := submit(t, b, code, "/code", url.Values{"code": {person.Code}})
	home := open(t, b, s.url+"/?q="+url.QueryEscape(payload)+"&country="+url.QueryEscape(payload))
	for name, page := range map[string]*walk.Page{"consent": consent, "sign-in": signIn, "wrong": wrong, "code": code, "approval": approval, "home": home} {
		if strings.Contains(page.Body, "<script") || strings.Contains(page.Body, "<img src=x") {
			t.Errorf("%s: the text became markup", name)
		}
		if !strings.Contains(html.UnescapeString(page.Body), payload) && name != "code" {
			t.Errorf("%s: the text is not shown as it is", name)
		}
	}
	back := submit(t, b, approval, "/approve", nil)
	if back.Left == nil || back.Left.Query().Get("state") != payload {
		t.Errorf("state comes back as %v", back.Left)
	}
}

// Bad input: API clients get an ErrorResponse, browsers a page, wherever nothing is.
func TestUnknownAddresses(t *testing.T) {
	s := run(t, "Ledger", "")
	tests := []struct {
		name, method, path, accept, contentType string
		status                                  int
	}{
		{"browser", "GET", "/nope", "text/html,*/*", "text/html; charset=utf-8", 404},
		{"browser, below an API path", "GET", "/accounts/x", "text/html", "application/json", 404},
		{"client", "GET", "/nope", "", "application/json", 404},
		{"client, any", "POST", "/nope", "*/*", "application/json", 404},
		{"client, doubled slash", "POST", "/auth//x", "application/json", "application/json", 404},
		{"client whose base URL ends in a slash", "POST", "//auth", "application/json", "application/json", 401},
		{"client, dots", "POST", "/x/../auth", "application/json", "application/json", 404},
		{"client, wrong method", "PUT", "/auth", "application/json", "application/json", 405},
		{"registration", "POST", "/api/applications", "application/json", "application/json", 401},
		{"registration, elsewhere", "GET", "/api/nope", "", "application/json", 404},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			header := http.Header{}
			if test.accept != "" {
				header.Set("Accept", test.accept)
			}
			response, body := send(t, test.method, s.url+test.path, header, "")
			if response.StatusCode != test.status || response.Header.Get("Content-Type") != test.contentType {
				t.Errorf("%d %s, want %d %s", response.StatusCode, response.Header.Get("Content-Type"), test.status, test.contentType)
			}
			if test.contentType == "application/json" && !json.Valid([]byte(body)) {
				t.Errorf("the body is no JSON: %s", body)
			}
		})
	}
}

// The home page finds a bank by a part of its name, its BIC and its country, and names sample users.
func TestHomePage(t *testing.T) {
	s := run(t, "Ledger", "")
	bank, person := s.bank(false)
	b := walk.New(nil)
	all := open(t, b, s.url+"/")
	if all.Status != 200 || !strings.Contains(all.Body, html.EscapeString(bank.Name)) || !strings.Contains(all.Body, "<code>"+person.Username+"</code>") {
		t.Errorf("status %d; the bank or its user is missing", all.Status)
	}
	some := open(t, b, s.url+"/?q="+url.QueryEscape(strings.ToUpper(bank.Name[1:]))+"&country="+bank.Country)
	const item = `<li class="bank">`
	if shown, whole := strings.Count(some.Body, item),
		strings.Count(all.Body, item); !strings.Contains(some.Body, html.EscapeString(bank.Name)) || shown == 0 || shown >= whole {
		t.Errorf("the search shows %d banks, the whole list %d", shown, whole)
	}
	none := open(t, b, s.url+"/?q=no-such-bank-anywhere")
	if none.Status != 200 || !strings.Contains(none.Body, "No bank matches this search.") {
		t.Errorf("an empty search: status %d", none.Status)
	}
}

// security T32: secrets of a visit stay out of the log.
func TestLogHoldsNoSecret(t *testing.T) {
	s := run(t, "Ledger", "")
	bank, person := s.bank(false)
	start := s.begin(bank, "canary-state", callback)
	back := must[*url.URL](t)(walk.New(nil).Approve(t.Context(), start, person))
	s.redeem(back.Query().Get("code"))
	log := s.log.String()
	if !strings.Contains(log, "GET /ais/return") {
		t.Fatal("the log does not hold the requests")
	}
	for name, secret := range map[string]string{
		"authorization id": start[strings.LastIndex(start, "=")+1:],
		"code":             back.Query().Get("code"),
		"state":            "canary-state",
		"token":            s.token,
		"flow":             "flow=",
	} {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds the %s", name)
		}
	}
}

func TestLargeForm(t *testing.T) {
	s := run(t, "Ledger", "")
	response, body := send(t, "POST", s.url+"/ais/accept", browserHeader("Content-Type", "application/x-www-form-urlencoded"),
		"sessionid="+strings.Repeat("a", 10<<20))
	if response.StatusCode != 413 || !strings.Contains(body, "The form is too large") {
		t.Errorf("status %d", response.StatusCode)
	}
}

// A fault is a page with the request ID and without a cause; the probe says no.
func TestFault(t *testing.T) {
	s := run(t, "Ledger", "")
	if err := s.server.Stop(t.Context()); err != nil { // the database is closed
		t.Fatal(err)
	}
	response, body := send(t, "GET", s.url+"/ais/start?sessionid=x", browserHeader(), "")
	id := response.Header.Get("X-Request-Id")
	if response.StatusCode != 500 || !strings.Contains(body, "Something went wrong here") || !strings.Contains(body, id) || strings.Contains(body, "sql") {
		t.Errorf("status %d, %s", response.StatusCode, body)
	}
	if log := s.log.String(); !strings.Contains(log, "page failed") || !strings.Contains(log, id) {
		t.Error("the fault is not in the log")
	}
	if response, body := send(t, "GET", s.url+"/readyz", http.Header{}, ""); response.StatusCode != 503 || body != "not ready\n" {
		t.Errorf("/readyz: %d %q", response.StatusCode, body)
	}
	if response, body := send(t, "GET", s.url+"/healthz", http.Header{}, ""); response.StatusCode != 200 || body != "ok\n" {
		t.Errorf("/healthz: %d %q", response.StatusCode, body)
	}
}

func TestStopIsClean(t *testing.T) {
	folder := t.TempDir()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	before := goleak.IgnoreCurrent()
	options := server.Options{DataDir: folder, BaseURL: "http://localhost:1", AuthURL: "http://localhost:1/", RegistrationURL: "http://localhost:1",
		Issuers: []string{issuer}, Audiences: []string{audience}}
	for range 2 { // a second start finds what the first one made
		s, err := server.New(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Ready(t.Context()); err == nil {
			t.Error("ready before Start")
		}
		s.Start(t.Context())
		if err := s.Ready(t.Context()); err != nil {
			t.Errorf("not ready after Start: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if err := s.Stop(ctx); err != nil {
			t.Errorf("Stop: %v", err)
		}
		if err := s.Ready(t.Context()); err == nil {
			t.Error("ready after Stop")
		}
	}
	goleak.VerifyNone(t, before)
}

func TestBadOptions(t *testing.T) {
	good := server.Options{BaseURL: "http://localhost:1", AuthURL: "http://localhost:1", RegistrationURL: "http://localhost:1", Issuers: []string{issuer},
		Audiences: []string{audience}}
	tests := []struct {
		name   string
		change func(*server.Options)
		want   string
	}{
		{"path", func(o *server.Options) { o.BaseURL = "http://localhost:1/api" }, "http://host:port"},
		{"no scheme", func(o *server.Options) { o.AuthURL = "localhost:1" }, "http://host:port"},
		{"user", func(o *server.Options) { o.AuthURL = "http://u@localhost" }, "http://host:port"},
		{"other scheme", func(o *server.Options) { o.RegistrationURL = "ftp://localhost" }, "http://host:port"},
		{"no issuer", func(o *server.Options) { o.Issuers = nil }, "issuer"},
		{"no audience", func(o *server.Options) { o.Audiences = nil }, "audience"},
		{"broken catalogue", func(o *server.Options) { o.Catalogue = []byte("{") }, "catalogue"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			options := good
			options.DataDir = t.TempDir()
			test.change(&options)
			if _, err := server.New(t.Context(), options); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v, want one that names %q", err, test.want)
			}
		})
	}
}

// Registration over HTTP, as anybody's application does it (api-notes 3).
func TestRegistrationEndpoint(t *testing.T) {
	s := run(t, "Ledger", "")
	token := must[string](t)(s.server.OperatorToken())
	body, err := json.Marshal(openbanking.RegisterApplicationRequest{Certificate: key().pem, Environment: openbanking.EnvironmentSandbox, Name: "Other",
		RedirectURLs: []string{callback}})
	if err != nil {
		t.Fatal(err)
	}
	response, text := send(t, "POST", s.url+"/api/applications", http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}},
		string(body))
	var answer openbanking.RegisterApplicationResponse
	if err := json.Unmarshal([]byte(text), &answer); response.StatusCode != 200 || err != nil || len(answer.AppID) != 36 {
		t.Errorf("status %d, %s", response.StatusCode, text)
	}
}

// DNS rebinding: under a foreign name API clients get INVALID_HOST and people a page, and nothing is done. Probes are answered.
func TestForeignHosts(t *testing.T) {
	s := run(t, "Ledger", "")
	for _, test := range []struct {
		name, method, path, host string
		status                   int
		contentType, want        string
	}{
		{"API", "GET", "/application", "evil.example:8081", 400, "application/json", `"error":"INVALID_HOST"`},
		{"registration", "POST", "/api/applications", "evil.example", 400, "application/json", `{"error":{"message":"Invalid host"}}`},
		{"front page", "GET", "/", "evil.example", 421, "text/html; charset=utf-8", "The service does not use this address"},
		{"hosted page", "GET", "/ais/start?sessionid=x", "evil.example", 421, "text/html; charset=utf-8", "--service-url"},
		{"form", "POST", "/ais/accept", "evil.example", 421, "text/html; charset=utf-8", "The service does not use this address"},
		{"asset", "GET", "/static/none.css", "evil.example", 421, "text/html; charset=utf-8", "The service does not use this address"},
		{"probe", "GET", "/readyz", "service:8081", 200, "text/plain; charset=utf-8", "ok"},
		{"this machine", "GET", "/docs", "localhost:9000", 200, "text/html; charset=utf-8", "<!doctype html>"},
	} {
		t.Run(test.name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), test.method, s.url+test.path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			request.Host = test.host
			request.Header.Set("Accept", "text/html")
			request.Header.Set("Authorization", "Bearer "+s.token)
			request.Header.Set("Sec-Fetch-Site", "same-origin")
			response, err := http.DefaultTransport.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != test.status || response.Header.Get("Content-Type") != test.contentType || !strings.Contains(string(body), test.want) {
				t.Errorf("%d %s %s", response.StatusCode, response.Header.Get("Content-Type"), body)
			}
		})
	}
}
