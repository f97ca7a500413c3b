package handlers_test

import (
	"html"
	"net/http"
	"net/url"
	"testing"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/openid"
	"florin/internal/openid/openidtest"
	"florin/internal/testkit"
)

// throughLogin goes to the real provider from the page that leads there, signs in on its login page, and comes back.
func (b *browser) throughLogin(a *answer, who openidtest.Account) *answer {
	b.site.t.Helper()
	m := ahead.FindStringSubmatch(a.status(http.StatusOK).has("You are leaving for").body)
	if m == nil {
		b.site.t.Fatalf("the page has no link to the provider:\n%s", a.words())
	}
	back, page := openidtest.SignIn(b.site.t, html.UnescapeString(m[1]), who)
	if back == "" {
		b.site.t.Fatalf("the provider does not send the browser back:\n%s", page)
	}
	return b.get(back)
}

// TestSignInAtARealProvider uses a provider that is not ours. A user links an account there, signs in with it, and is recognised by the subject. An invited
// person joins with another account, and proves there who they are.
func TestSignInAtARealProvider(t *testing.T) {
	t.Parallel()
	testkit.Long(t, testkit.Tools)
	s := unopened(t)
	s.signingIn = func(public string) []auth.Option {
		redirect := public + "/sign-in/openid/back"
		return []auth.Option{auth.WithOpenID(auth.OpenID{Provider: openid.New(openid.Client{Issuer: openidtest.Real(t, redirect), ID: openidtest.RealClientID,
			Secret: openidtest.RealClientSecret, Name: "Home Login", RedirectURL: redirect})})}
	}
	s.open()
	mira := s.user("mira@example.org")
	signsIn := func(who openidtest.Account) (*browser, *answer) {
		b := s.browser()
		return b, b.throughLogin(b.post("/sign-in/openid", nil), who)
	}
	_, a := signsIn(openidtest.Ada)
	a.status(http.StatusForbidden).has("Florin does not know you yet")
	b := s.signedIn("mira@example.org")
	b.throughLogin(b.post("/settings/openid", proof()), openidtest.Ada).to("/settings")
	b, a = signsIn(openidtest.Ada)
	a.to("/")
	b.get("/settings").status(http.StatusOK).has("mira@example.org", "Linked since", "With Home Login")
	_, a = signsIn(openidtest.Bo)
	a.status(http.StatusForbidden)

	_, token, err := s.auth.Invite(t.Context(), mira, "Bo", finance.RoleMember)
	must(t, err)
	bo := s.browser()
	bo.throughLogin(bo.post("/join/openid", url.Values{"token": {token.Reveal()}}), openidtest.Bo).to("/")
	bo.get("/settings").status(http.StatusOK).has(openidtest.Bo.Email, "Member")
	const end = "/settings/sign-ins/none/end"
	bo.post(end, nil).status(http.StatusForbidden).has("Confirm with Home Login")
	prove := url.Values{"purpose": {"sign-ins"}}
	bo.throughLogin(bo.post("/sign-in/openid/prove", prove), openidtest.Ada).status(http.StatusForbidden).has("You signed in to another account at Home Login")
	bo.throughLogin(bo.post("/sign-in/openid/prove", prove), openidtest.Bo).status(http.StatusOK).has("Florin knows that it is you")
	bo.post(end, nil).status(http.StatusNotFound) // the proof is accepted, and there is no such sign-in
}
