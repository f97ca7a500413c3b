package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// The operator's page opens only with the link that "florin operator" prints while Florin runs.
func TestOperatorCommand(t *testing.T) {
	t.Parallel()
	f := begin(t)
	stranger := newPerson(t)
	stranger.at(stranger.browser.Open(t.Context(), f.service+"/panel/operator"))
	stranger.sees(http.StatusForbidden, "This page is the operator", "florin operator")

	developer := newPerson(t)
	developer.visit(f.service + "/panel/")
	developer.send("/panel/sign-in", url.Values{"email": {"ada@dev.example"}})
	developer.sees(http.StatusOK, "florin operator")

	link := strings.TrimSpace(runCommand(t, f, "operator"))
	if !strings.HasPrefix(link, f.service+"/panel/operator/open?code=") {
		t.Fatalf("florin operator printed %q", link)
	}
	operator := newPerson(t)
	operator.visit(link)
	operator.send("/operator/open", nil)
	operator.sees(http.StatusOK, "Outbox", "ada@dev.example")
	if strings.Contains(f.out.String()+f.err.String(), link[strings.LastIndex(link, "=")+1:]) {
		t.Error("the running Florin says the code")
	}
}
