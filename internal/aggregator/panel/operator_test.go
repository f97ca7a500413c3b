package panel_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"florin/internal/aggregator/registry"
	"florin/internal/aggregator/server"
	"florin/internal/contract/walk"
)

// opened returns a browser that has used a link of the operator's terminal.
func (s *service) opened() *walk.Browser {
	s.t.Helper()
	b := walk.New(nil)
	link := must[string](s.t)(s.server.OperatorLink(s.t.Context()))
	form, ok := s.page(b, strings.TrimPrefix(link, s.url), 200).Form("/operator/open")
	if !ok {
		s.t.Fatal("the link leads to no form")
	}
	if page := must[*walk.Page](s.t)(b.Submit(s.t.Context(), form, nil)); page.Status != 200 || page.Title != "Operator" {
		s.t.Fatalf("opened, and at %d %q", page.Status, page.Title)
	}
	return b
}

// operator returns the browser of the operator, the same one each time.
func (s *service) operator() *walk.Browser {
	s.t.Helper()
	if s.operatorBrowser == nil {
		s.operatorBrowser = s.opened()
	}
	return s.operatorBrowser
}

// operatorPaths are the addresses of the operator, with the application x.
var operatorPaths = map[string]string{
	"/panel/operator": "GET", "/panel/operator/close": "POST", "/panel/operator/applications/x/approve": "POST",
	"/panel/operator/applications/x/payments/grant":    "POST",
	"/panel/operator/applications/x/payments/withdraw": "POST", "/panel/operator/applications/x/webhooks": "GET",
	"/panel/operator/applications/x/webhooks/verify": "GET",
	"/panel/operator/applications/x/webhooks/x":      "GET", "/panel/operator/applications/x/webhooks/x/again": "POST",
}

// refusesOperator expects that a browser is not the operator's, whatever the request says of where it comes from.
func (s *service) refusesOperator(who string, b *walk.Browser) {
	s.t.Helper()
	for path, method := range operatorPaths {
		page := must[*walk.Page](s.t)(b.Submit(s.t.Context(), walk.Form{Method: method, Action: must[*url.URL](s.t)(url.Parse(s.url + path))}, nil))
		if page.Status != 403 || page.Title != "This page is the operator's" && !strings.Contains(page.Body, "florin operator") ||
			strings.Contains(page.Body, "ada@dev.example") {
			s.t.Errorf("%s, %s %s: %d %q", who, method, path, page.Status, page.Title)
		}
	}
}

// The operator's pages open with a one-time link of the operator's terminal, and with nothing else: not for where a request comes from.
func TestOperatorPageOpensWithALinkAlone(t *testing.T) {
	s := run(t)
	s.ask(walk.New(nil), "ada@dev.example")
	s.refusesOperator("a browser on this machine", walk.New(nil))
	s.refusesOperator("a developer", s.developer("ada@dev.example"))

	link := must[string](t)(s.server.OperatorLink(t.Context()))
	path := strings.TrimPrefix(link, s.url)
	b, other := walk.New(nil), walk.New(nil)
	s.page(b, path, 200) // only looked at
	form, _ := s.page(b, path, 200).Form("/operator/open")
	if page := must[*walk.Page](t)(b.Submit(t.Context(), form, nil)); page.Title != "Operator" || !strings.Contains(page.Body, "ada@dev.example") {
		t.Fatalf("opened: %d %q", page.Status, page.Title)
	}
	if page := must[*walk.Page](t)(other.Submit(t.Context(), form, nil)); page.Status != 410 {
		t.Errorf("the link works twice: %d %q", page.Status, page.Title)
	}
	s.refusesOperator("another browser, with the used link", other)

	late := must[string](t)(s.server.OperatorLink(t.Context()))
	form, _ = s.page(other, strings.TrimPrefix(late, s.url), 200).Form("/operator/open")
	s.clock.Advance(registry.OperatorLinkLifetime)
	if page := must[*walk.Page](t)(other.Submit(t.Context(), form, nil)); page.Status != 410 {
		t.Errorf("the link works later than it should: %d", page.Status)
	}
	for _, code := range []string{"", "x", strings.Repeat("A", 26)} {
		if page := s.post(other, "/panel/operator/open", url.Values{"code": {code}}, 410); page.Title == "Operator" {
			t.Errorf("code %q opens", code)
		}
	}
	s.refusesOperator("another browser, with a late link", other)

	s.page(b, "/panel/operator", 200)
	second := s.opened()
	if page := s.post(b, "/panel/operator/close", nil, 200); page.Title != "Sign in" {
		t.Errorf("closed, and at %q", page.Title)
	}
	s.refusesOperator("the browser that was closed", b)
	s.page(second, "/panel/operator", 200)
	s.clock.Advance(registry.OperatorLifetime)
	s.refusesOperator("a browser after its time", second)
}

// What a browser carried is of no use once it was closed, and the two cookies of the panel do not stand for each other.
func TestOperatorCookie(t *testing.T) {
	s := run(t)
	address := must[*url.URL](t)(url.Parse(s.url + "/panel/"))
	operator, developer := s.opened(), s.developer("ada@dev.example")
	kept := operator.Cookies(address)
	if len(kept) != 1 || kept[0].Name != "florin-operator" {
		t.Fatalf("cookies %v", kept)
	}
	with := func(cookie *http.Cookie, path string) answer {
		request := must[*http.Request](t)(http.NewRequestWithContext(t.Context(), "GET", s.url+path, nil))
		request.AddCookie(cookie)
		return s.do(request)
	}
	if got := with(kept[0], "/panel/operator"); got.status != 200 {
		t.Fatalf("the cookie by itself: %d", got.status)
	}
	theirs := developer.Cookies(address)[0].Value
	if got := with(&http.Cookie{Name: "florin-operator", Value: theirs}, "/panel/operator"); got.status != 403 {
		t.Errorf("a developer's secret opens the operator's page: %d", got.status)
	}
	if got := with(&http.Cookie{Name: "florin-panel", Value: kept[0].Value}, "/panel/account"); got.status != 303 {
		t.Errorf("the operator's secret signs a developer in: %d", got.status)
	}
	s.post(operator, "/panel/operator/close", nil, 200)
	if got := with(kept[0], "/panel/operator"); got.status != 403 {
		t.Errorf("the cookie is good after it was closed: %d", got.status)
	}
}

// A service behind a proxy, and one with another public address, has an operator too.
func TestOperatorElsewhere(t *testing.T) {
	s := run(t)
	b := s.opened()
	request := must[*http.Request](t)(http.NewRequestWithContext(t.Context(), "GET", s.url+"/panel/operator", nil))
	request.Header.Set("X-Forwarded-For", "192.0.2.1")
	for _, cookie := range b.Cookies(request.URL) {
		request.AddCookie(cookie)
	}
	if got := s.do(request); got.status != 200 {
		t.Errorf("through a proxy: %d", got.status)
	}
	far := run(t, func(o *server.Options) { o.RegistrationURL = "https://service.example" })
	if link := must[string](t)(far.server.OperatorLink(t.Context())); !strings.HasPrefix(link, "https://service.example/panel/operator/open?code=") {
		t.Errorf("link %s", link)
	}
	code := must[string](t)(far.server.OperatorLink(t.Context()))
	code = code[strings.LastIndex(code, "=")+1:]
	request = must[*http.Request](t)(http.NewRequestWithContext(t.Context(), "POST", far.url+"/panel/operator/open", strings.NewReader("code="+code)))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	set := far.do(request).header.Get("Set-Cookie")
	for _, part := range []string{"florin-operator=", "; Secure", "; HttpOnly", "; SameSite="} {
		if !strings.Contains(set, part) {
			t.Errorf("the cookie over https is without %q", part)
		}
	}
}

// security T32: neither the log nor the database holds the code of a link.
func TestSecretsOfTheOperator(t *testing.T) {
	s := run(t)
	link := must[string](t)(s.server.OperatorLink(t.Context()))
	code := link[strings.LastIndex(link, "=")+1:]
	b := walk.New(nil)
	form, _ := s.page(b, strings.TrimPrefix(link, s.url), 200).Form("/operator/open")
	must[*walk.Page](t)(b.Submit(t.Context(), form, nil))
	s.clock.Advance(time.Second)
	s.stop()
	var database []byte
	for _, name := range []string{"aggregator.db", "aggregator.db-wal"} {
		if text, err := os.ReadFile(filepath.Join(s.folder, name)); err == nil {
			database = append(database, text...)
		}
	}
	if len(database) == 0 || strings.Contains(string(database), code) || strings.Contains(s.log.String(), code) {
		t.Errorf("a database of %d bytes or the log holds the code", len(database))
	}
}
