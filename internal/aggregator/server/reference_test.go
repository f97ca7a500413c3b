package server_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"florin/internal/openapi"
)

// The description of the API is served for programs at any site, with the addresses of this service.
func TestOpenAPIIsServed(t *testing.T) {
	s := run(t, "Ledger", "")
	response, body := send(t, "GET", s.url+"/openapi.yaml", http.Header{}, "")
	want := string(openapi.New(openapi.Addresses{BaseURL: s.url, RegistrationURL: s.url, Issuer: issuer, Audience: audience}).YAML())
	if response.StatusCode != 200 || body != want {
		t.Errorf("status %d, %d bytes, want %d", response.StatusCode, len(body), len(want))
	}
	for name, want := range map[string]string{"Content-Type": "application/yaml", "Access-Control-Allow-Origin": "*",
		"Cross-Origin-Resource-Policy": "cross-origin", "Cache-Control": "public, max-age=3600"} {
		if got := response.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// The service's own pages speak of payments as of accounts: the home page says that both are there, and the introduction lists every
// operation and says how the browser comes back from each of the two.
func TestThePagesOfTheServiceSpeakOfPayments(t *testing.T) {
	s := run(t, "Ledger", "")
	if _, home := send(t, "GET", s.url+"/", browserHeader(), ""); !strings.Contains(home, "to read your accounts or to make a payment") {
		t.Error("the home page does not say that applications make payments")
	}
	_, docs := send(t, "GET", s.url+"/docs", browserHeader(), "")
	for _, o := range openapi.New(openapi.Addresses{BaseURL: s.url, RegistrationURL: s.url, Issuer: issuer, Audience: audience}).Operations {
		if o.Developer { // at the registration address
			if !strings.Contains(docs, s.url+o.Path) {
				t.Errorf("%s is missing", o.Path)
			}
			continue
		}
		if want := ">" + o.Method + "</span> <code>" + o.Path + "</code>"; !strings.Contains(docs, want) {
			t.Errorf("%s %s is missing", o.Method, o.Path)
		}
	}
	for _, want := range []string{"To make a payment, call <code>POST /payments</code>", "The person approved the payment."} {
		if !strings.Contains(docs, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// The page for people has every operation, field, value and error code, and each of its links leads somewhere.
func TestAPIReferencePage(t *testing.T) {
	s := run(t, "Ledger", "")
	response, body := send(t, "GET", s.url+"/docs/api", browserHeader(), "")
	if response.StatusCode != 200 {
		t.Fatalf("status %d", response.StatusCode)
	}
	code := func(text string) {
		if !strings.Contains(body, "<code>"+html.EscapeString(text)+"</code>") {
			t.Errorf("%s is missing", text)
		}
	}
	document := openapi.New(openapi.Addresses{BaseURL: s.url, RegistrationURL: s.url, Issuer: issuer, Audience: audience})
	for _, o := range document.Operations {
		code(o.Path)
		for _, p := range o.Parameters {
			code(p.Name)
		}
	}
	for _, schema := range document.Schemas {
		for _, p := range schema.Properties {
			code(p.Name)
		}
		for _, v := range schema.Values {
			code(v.Name)
		}
	}
	ids := map[string]bool{}
	for _, found := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(body, -1) {
		if ids[found[1]] {
			t.Errorf("the id %s is there twice", found[1])
		}
		ids[found[1]] = true
	}
	links := regexp.MustCompile(` href="#([^"]+)"`).FindAllStringSubmatch(body, -1)
	if len(links) < 200 {
		t.Errorf("%d links only", len(links))
	}
	for _, link := range links {
		if !ids[link[1]] {
			t.Errorf("#%s leads nowhere", link[1])
		}
	}
}
