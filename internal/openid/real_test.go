package openid

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/openid/openidtest"
	"florin/internal/testkit"
)

// TestARealProvider: a provider that is none of ours says who somebody is, through its own login page; and it is what refuses a wrong secret, a code that comes
// twice and the verifier of another visit.
func TestARealProvider(t *testing.T) {
	testkit.Long(t, testkit.Tools)
	issuer := openidtest.Real(t, back)
	client := func(change func(c *Client)) *Provider {
		c := Client{Issuer: issuer, ID: openidtest.RealClientID, Secret: openidtest.RealClientSecret, RedirectURL: back}
		change(&c)
		p := New(c)
		t.Cleanup(p.http.CloseIdleConnections)
		return p
	}
	c := client(func(*Client) {})
	goes := func(p *Provider, v Visit, who openidtest.Account) url.Values {
		t.Helper()
		address, err := p.Address(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		came, page := openidtest.SignIn(t, address, who)
		to, err := url.Parse(came)
		if err != nil || !strings.HasPrefix(came, back+"?") {
			t.Fatalf("the browser comes back to %q, %v\n%s", came, err, page)
		}
		if q := to.Query(); q.Get("state") != v.State.Reveal() {
			t.Fatalf("the state is %q", q.Get("state"))
		}
		return to.Query()
	}

	for _, who := range []openidtest.Account{openidtest.Ada, openidtest.Bo} {
		for _, fresh := range []bool{false, true} {
			v := c.NewVisit(fresh)
			said, err := c.Redeem(t.Context(), v, goes(c, v, who))
			if err != nil || said.Issuer != issuer || said.Subject != who.Subject || said.Email != who.Email || time.Since(said.SignedIn).Abs() > time.Minute {
				t.Errorf("%s, anew %v: %+v, %v", who.Name, fresh, said, err)
			}
		}
	}
	if names := c.known.Endpoint(); names.AuthURL != issuer+"/auth" { // not where Florin would have looked by itself
		t.Errorf("discovery found %+v", names)
	}

	refused := func(name string, want Fault, p *Provider, v Visit, answer url.Values) {
		t.Helper()
		if said, err := p.Redeem(t.Context(), v, answer); err == nil || fault(t, err) != want {
			t.Errorf("%s: %+v, %v, want %s", name, said, err, want)
		}
	}
	v := c.NewVisit(false)
	answer := goes(c, v, openidtest.Ada)
	if _, err := c.Redeem(t.Context(), v, answer); err != nil {
		t.Fatal(err)
	}
	refused("a code for the second time", Used, c, v, answer)

	v = c.NewVisit(false)
	answer = goes(c, v, openidtest.Ada)
	other := v
	other.Verifier = c.NewVisit(false).Verifier
	refused("the verifier of another visit", Used, c, other, answer)

	v = c.NewVisit(false)
	answer = goes(c, v, openidtest.Ada)
	other = v
	other.Nonce = c.NewVisit(false).Nonce
	refused("the nonce of another visit", Untrusted, c, other, answer)

	v = c.NewVisit(true)
	answer = goes(c, v, openidtest.Ada)
	v.Begun = v.Begun.Add(time.Hour) // so that the sign-in there is one of before
	refused("a sign-in of before", Stale, c, v, answer)

	for name, change := range map[string]func(c *Client){
		"a wrong secret": func(c *Client) { c.Secret = finance.Secret("guess") },
		"no secret":      func(c *Client) { c.Secret = "" },
	} {
		p := client(change)
		v := p.NewVisit(false)
		refused(name, Unregistered, p, v, goes(p, v, openidtest.Ada))
	}

	for name, change := range map[string]func(c *Client){
		"a client that nobody knows":       func(c *Client) { c.ID = "another" },
		"a redirect URL that nobody knows": func(c *Client) { c.RedirectURL = "http://localhost:8081/sign-in/provider/return" },
	} {
		p := client(change)
		address, err := p.Address(t.Context(), p.NewVisit(false))
		if err != nil {
			t.Fatal(err)
		}
		if came, page := openidtest.SignIn(t, address, openidtest.Ada); came != "" {
			t.Errorf("%s comes back to %s\n%s", name, came, page)
		}
	}
	v = c.NewVisit(false)
	address, err := c.Address(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	if came, page := openidtest.SignIn(t, address, openidtest.Account{Name: "ada", Password: "guess"}); came != "" || !strings.Contains(page, "username or password wrong") {
		t.Errorf("a wrong password comes back to %q\n%s", came, page)
	}

	misnamed := client(func(c *Client) { c.Issuer = strings.Replace(issuer, "127.0.0.1", "localhost", 1) })
	if _, err := misnamed.Address(t.Context(), misnamed.NewVisit(false)); fault(t, err) != Misnamed {
		t.Errorf("another name for the same provider: %v", err)
	}
}
