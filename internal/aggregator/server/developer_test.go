package server_test

import (
	"crypto/rand"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"florin/internal/contract/walk"
)

// developer is somebody who is signed in to the control panel.
type developer struct {
	*service
	browser *walk.Browser
}

var signInLink = regexp.MustCompile(`https?://[^\s"<]+[?&]oobCode=[A-Z2-7]+`)

// developer signs somebody new in, by the link in the mail of the outbox.
func (s *service) developer() developer {
	s.t.Helper()
	d := developer{s, walk.New(nil)}
	email := strings.ToLower(rand.Text()) + "@dev.example"
	d.send("/panel/sign-in", url.Values{"email": {email}})
	operator := walk.New(nil)
	link := open(s.t, operator, must[string](s.t)(s.server.OperatorLink(s.t.Context())))
	_, letter, _ := strings.Cut(submit(s.t, operator, link, "/operator/open", nil).Body, email)
	confirm := open(s.t, d.browser, signInLink.FindString(html.UnescapeString(letter)))
	if home := submit(s.t, d.browser, confirm, "/confirm", nil); home.Title != "Applications" {
		s.t.Fatalf("signed in, and at %d %q", home.Status, home.Title)
	}
	return d
}

// send sends a form of the control panel.
func (d developer) send(path string, fields url.Values) *walk.Page {
	d.t.Helper()
	action := must[*url.URL](d.t)(url.Parse(d.url + path))
	page := must[*walk.Page](d.t)(d.browser.Submit(d.t.Context(), walk.Form{Method: http.MethodPost, Action: action, Fields: fields}, nil))
	if page.Status != http.StatusOK {
		d.t.Fatalf("POST %s: status %d, page %q", path, page.Status, page.Title)
	}
	return page
}

// production is what a form says more of an application in the production environment.
var production = url.Values{
	"environment": {"PRODUCTION"}, "description": {"A book of accounts"}, "gdpr_email": {"dpo@app.example"},
	"privacy_url": {"https://app.example/privacy"}, "terms_url": {"https://app.example/terms"},
}

// register registers an application with the key of the tests and returns its id; more alters the form.
func (d developer) register(more url.Values) (id string) {
	d.t.Helper()
	form, ok := open(d.t, d.browser, d.url+"/panel/applications/new").Form("/panel/applications")
	if !ok {
		d.t.Fatal("there is no form for a new application")
	}
	fields := url.Values{"ticket": form.Fields["ticket"], "environment": {"SANDBOX"}, "name": {"Ledger"}, "redirect_urls": {callback}, "way": {"upload"},
		"certificate": {key().pem}}
	for name, values := range more {
		fields[name] = values
	}
	d.send("/panel/applications", fields)
	id, _, _ = strings.Cut(fields.Get("ticket"), ".")
	return id
}

// set saves the settings of an application, which has no others than those in fields.
func (d developer) set(id string, fields url.Values) {
	d.t.Helper()
	sent := url.Values{"name": {"Ledger"}, "redirect_urls": {callback}}
	for name, values := range fields {
		sent[name] = values
	}
	if page := d.send("/panel/applications/"+id+"/settings", sent); !strings.Contains(page.Body, "The settings are saved and in force.") {
		d.t.Fatalf("the settings are not saved: %q", page.Title)
	}
}

// link links the accounts at the bank that asks for nothing to an application.
func (d developer) link(id string) {
	d.t.Helper()
	page := d.send("/panel/applications/"+id+"/accounts/link", url.Values{"bank": {"FI|Mock ASPSP"}, "psu_type": {"personal"}})
	page = submit(d.t, d.browser, submit(d.t, d.browser, page, "/accept", nil), "/approve", nil)
	if !strings.Contains(page.Body, "The accounts are linked.") {
		d.t.Fatalf("no account is linked: %d %q", page.Status, page.Title)
	}
}

// as makes the calls of the test those of another application with the key of the tests, until they are given back.
func (s *service) as(id string) (back func()) {
	s.t.Helper()
	before := s.token
	s.token = must[string](s.t)(key().signer(id).Token(time.Now()))
	return func() { s.token = before }
}
