package handlers_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"florin/internal/auth"
	"florin/internal/handlers"
	"florin/internal/openid"
	"florin/internal/openid/openidtest"
)

// openIDSite is a site where people can sign in at a provider, too.
func openIDSite(t *testing.T, change ...func(*auth.OpenID) auth.Option) (*site, *openidtest.Provider) {
	t.Helper()
	return openIDSiteWith(t, func(*handlers.Options) {}, change...)
}

func openIDSiteWith(t *testing.T, options func(*handlers.Options), change ...func(*auth.OpenID) auth.Option) (*site, *openidtest.Provider) {
	t.Helper()
	p := openidtest.New(t)
	s := unopened(t)
	s.signingIn = func(public string) []auth.Option {
		o := auth.OpenID{Provider: openid.New(openid.Client{Issuer: p.URL, ID: openidtest.ClientID, Secret: openidtest.ClientSecret, Name: "Home Login",
			RedirectURL: public + "/sign-in/openid/back"})}
		var more []auth.Option
		for _, c := range change {
			if option := c(&o); option != nil {
				more = append(more, option)
			}
		}
		return append(more, auth.WithOpenID(o))
	}
	s.open(options)
	return s, p
}

func newPeople(o *auth.OpenID) auth.Option { o.NewPeople = true; return nil }

func withoutLocal(*auth.OpenID) auth.Option { return auth.WithoutLocal }

var ahead = regexp.MustCompile(`rel="noreferrer" href="([^"]+)"`)

// away goes to the provider from the page that leads there, and returns where the provider sends the browser.
func (b *browser) away(a *answer) (back string) {
	b.site.t.Helper()
	m := ahead.FindStringSubmatch(a.status(http.StatusOK).has("You are leaving for").body)
	if m == nil {
		b.site.t.Fatalf("the page has no link to the provider:\n%s", a.words())
	}
	address := html.UnescapeString(m[1])
	if got := a.Header.Get("Refresh"); got != "0; url="+address {
		b.site.t.Errorf("the Refresh header is %q", got)
	}
	there := b.get(address).status(http.StatusSeeOther)
	return there.Header.Get("Location")
}

// signInThere signs in at the provider, and returns what Florin says.
func (b *browser) signInThere() *answer {
	b.site.t.Helper()
	return b.get(b.away(b.post("/sign-in/openid", nil)))
}

// proof is what a security form needs to prove who somebody is.
func proof() url.Values { return url.Values{"step_up": {"yes"}, "password": {password}} }

// linkedThere is a browser of a user who has linked an account at the provider.
func (s *site) linkedThere(email string) *browser {
	s.t.Helper()
	b := s.signedIn(email)
	b.get(b.away(b.post("/settings/openid", proof()))).to("/settings")
	return b
}

func TestSignInAtAProvider(t *testing.T) {
	t.Parallel()
	s, p := openIDSite(t)
	mira := s.user("mira@example.org")

	b := s.browser()
	b.get("/sign-in?next=%2Fpayments").status(http.StatusOK).has("Sign in with Home Login", `formaction="/sign-in/openid"`, `name="password"`)
	// No user is linked with this subject. The same e-mail address does not sign anybody in (security T71).
	p.Be(openidtest.Person{Subject: "1", Email: "mira@example.org"})
	b.signInThere().status(http.StatusForbidden).has("Florin does not know you yet").lacks("mira@example.org")
	b.get("/settings").to("/sign-in?next=%2Fsettings")

	s.linkedThere("mira@example.org").get("/settings").status(http.StatusOK).has("From now on you can sign in with Home Login.", "Linked since",
		"Remove the link with Home Login", s.url+"/sign-in/openid/back")

	back := b.away(b.post("/sign-in/openid", url.Values{"next": {"/payments"}, "remember": {"yes"}}))
	before := b.cookie("florin-session")
	b.get(back).to("/payments")
	if b.cookie("florin-session") == before {
		t.Error("the session kept its id")
	}
	b.get("/settings").status(http.StatusOK).has("mira@example.org", "Last used", "Stays signed in")
	signIns, err := s.auth.SignIns(t.Context(), mira.ID)
	must(t, err)
	if len(signIns) != 2 {
		t.Errorf("%d sign-ins", len(signIns))
	}

	// The e-mail address at the provider may change: only the subject identifies the person.
	p.Be(openidtest.Person{Subject: "1", Email: "somebody@else.example"})
	s.browser().signInThere().to("/")
	// Another subject with the same e-mail address is refused.
	p.Be(openidtest.Person{Subject: "2", Email: "mira@example.org"})
	s.browser().signInThere().status(http.StatusForbidden)

	for _, secret := range []string{"mira@example.org", "somebody@else.example", "code=", "state="} {
		if strings.Contains(s.log.String(), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
	if !strings.Contains(s.log.String(), `msg="not recognised by the provider of OpenID Connect"`) {
		t.Error("the log does not mention the refusal")
	}
}

// TestReturnFromAProviderIsGoodOnce: a return works for one browser, one time, and one person. A second try is refused (security T70).
func TestReturnFromAProviderIsGoodOnce(t *testing.T) {
	t.Parallel()
	s, p := openIDSite(t)
	s.user("mira@example.org")
	s.user("bo@example.org")
	p.Lie(openidtest.Lies{CodesBad: true}) // the provider would take each code again
	s.linkedThere("mira@example.org")
	const dead = "This return from Home Login is no longer valid"

	b := s.browser()
	back := b.away(b.post("/sign-in/openid", nil))
	other := s.browser()
	other.get(back).status(http.StatusForbidden).has(dead) // without the cookie of a visit
	other.post("/sign-in/openid", nil).status(http.StatusOK)
	other.get(back).status(http.StatusForbidden).has(dead) // with the cookie of its own visit
	tokens := p.Requests("/token")
	b.get(back).to("/")
	b.get(back).status(http.StatusForbidden).has(dead)
	b.get("/sign-in/openid/back").status(http.StatusForbidden).has(dead)
	b.get("/sign-in/openid/back?state=x&code=y").status(http.StatusForbidden).has(dead)
	if n := p.Requests("/token") - tokens; n != 1 {
		t.Errorf("the provider was asked %d times", n)
	}

	late := s.browser()
	back = late.away(late.post("/sign-in/openid", nil))
	s.exec(`UPDATE openid_visit SET expires = '2026-01-01T00:00:00.000Z'`)
	late.get(back).status(http.StatusForbidden).has(dead)

	// Bo begins to link, and then Mira signs in in the same browser: nobody is linked.
	p.Be(openidtest.Person{Subject: "of bo"})
	b = s.signedIn("bo@example.org")
	back = b.away(b.post("/settings/openid", proof()))
	b.post("/sign-in", url.Values{"email": {"mira@example.org"}, "password": {password}}).to("/")
	b.get(back).status(http.StatusForbidden).has(dead)
	s.browser().signInThere().status(http.StatusForbidden).has("Florin does not know you yet")
}

// TestLinkWithAProvider: linking asks for a proof of identity first, and never takes an account that is linked with somebody else.
func TestLinkWithAProvider(t *testing.T) {
	t.Parallel()
	s, p := openIDSite(t)
	s.user("mira@example.org")
	s.user("bo@example.org")
	s.signedIn("mira@example.org").post("/settings/openid", nil).status(http.StatusForbidden).has(asksAgain)
	s.signedIn("mira@example.org").post("/settings/openid/remove", nil).status(http.StatusForbidden).has(asksAgain)

	mira := s.linkedThere("mira@example.org")
	bo := s.signedIn("bo@example.org")
	bo.get(bo.away(bo.post("/settings/openid", proof()))).status(http.StatusConflict).has("This account at Home Login cannot be linked")
	p.Be(openidtest.Person{Subject: "another account of Mira's"})
	mira.get(mira.away(mira.post("/settings/openid", proof()))).status(http.StatusConflict)
	bo.get("/settings").status(http.StatusOK).has("Link with Home Login").lacks("/sign-in/openid/back") // only the owner sees the return address

	p.Be(openidtest.Person{Subject: "subject-of-ada"})
	there := s.browser()
	there.signInThere().to("/")
	mira.post("/settings/openid/remove", nil).to("/settings")
	mira.get("/settings").status(http.StatusOK).has("The link with Home Login is removed.", "Link with Home Login")
	there.get("/settings").to("/sign-in?next=%2Fsettings") // this sign-in ended with the link
	s.browser().signInThere().status(http.StatusForbidden)
	mira.post("/settings/openid/remove", nil).status(http.StatusNotFound)
}

// TestPeopleWhomTheProviderKnows get an account where the setting says so, and never that of somebody with the same address.
func TestPeopleWhomTheProviderKnows(t *testing.T) {
	t.Parallel()
	s, p := openIDSite(t, newPeople)
	p.Be(openidtest.Person{Subject: "new", Email: "New@Example.org"})
	s.browser().post("/sign-in/openid", nil).to("/setup") // the first owner cannot be made this way
	s.user("mira@example.org")

	b := s.browser()
	b.signInThere().to("/")
	b.get("/settings").status(http.StatusOK).has("new@example.org", "Member", "Linked since").lacks("new_password")
	b.post("/sign-in", url.Values{"email": {"new@example.org"}, "password": {""}}).status(http.StatusUnprocessableEntity) // the user has no password
	s.browser().signInThere().to("/")                                                                                     // the second time as the same user
	users, err := s.store.Users(t.Context())
	must(t, err)
	if len(users) != 2 {
		t.Errorf("%d users", len(users))
	}

	p.Be(openidtest.Person{Subject: "claims to be Mira", Email: "mira@example.org"})
	s.browser().signInThere().status(http.StatusForbidden).has("Somebody has your e-mail address here already")
	p.Be(openidtest.Person{Subject: "nameless"})
	s.browser().signInThere().status(http.StatusForbidden).has("Home Login did not share your e-mail address")
	p.Be(openidtest.Person{Subject: "odd", Email: "no address"})
	s.browser().signInThere().status(http.StatusForbidden)
}

// TestProveAtAProvider: a person without a password signs in again at the provider, for one purpose, and continues where the question was asked.
func TestProveAtAProvider(t *testing.T) {
	t.Parallel()
	s, p := openIDSite(t, newPeople)
	s.user("mira@example.org")
	p.Be(openidtest.Person{Subject: "bo", Email: "bo@example.org"})
	b := s.browser()
	b.signInThere().to("/")
	const end, remove = "/settings/sign-ins/none/end", "/settings/openid/remove"
	asked := func(form url.Values) *answer {
		return b.post(end, form).has(asksAgain, "Confirm with Home Login", `formtarget="_blank"`).lacks(`type="password"`)
	}
	again := asked(nil).status(http.StatusForbidden).again()
	asked(again).status(http.StatusUnprocessableEntity).has("First confirm in the other tab that it is you")
	asked(url.Values{"step_up": {"yes"}, "password": {password}, "openid": {"yes"}}).status(http.StatusUnprocessableEntity)

	// Refused are another account at the provider, an old sign-in, and a provider that does not say when the person signed in.
	prove := func() *answer {
		return b.get(b.away(b.post("/sign-in/openid/prove", url.Values{"purpose": {"sign-ins"}})))
	}
	p.Be(openidtest.Person{Subject: "another", Email: "bo@example.org"})
	prove().status(http.StatusForbidden).has("You signed in to another account at Home Login")
	p.Be(openidtest.Person{Subject: "bo", Email: "bo@example.org"})
	for _, lie := range []func(c jwt.MapClaims){func(c jwt.MapClaims) { delete(c, "auth_time") }, func(c jwt.MapClaims) { c["auth_time"] = 1 }} {
		p.Lie(openidtest.Lies{Claims: lie})
		prove().status(http.StatusForbidden).has("Home Login did not ask you to sign in again")
	}
	p.Lie(openidtest.Lies{})
	asked(again).status(http.StatusUnprocessableEntity)

	before := b.cookie("florin-session")
	prove().status(http.StatusOK).has("Florin knows that it is you", "Close this tab")
	if b.cookie("florin-session") == before {
		t.Error("the session kept its id")
	}
	b.post(end, again).status(http.StatusNotFound) // the proof is accepted, and there is no such sign-in
	b.post(remove, nil).status(http.StatusForbidden).has(asksAgain)
	b.get(b.away(b.post("/sign-in/openid/prove", url.Values{"purpose": {"openid"}}))).status(http.StatusOK)
	b.post(remove, nil).status(http.StatusConflict).has("It is your only way to sign in.")
	for _, odd := range []string{"", "sign-ins@2999-01-01T00:00:00Z", "sign-ins services", strings.Repeat("a", 100)} {
		b.post("/sign-in/openid/prove", url.Values{"purpose": {odd}}).status(http.StatusBadRequest)
	}
	s.signedIn("mira@example.org").post(end, nil).status(http.StatusForbidden).has(`type="password"`).lacks("Confirm with Home Login") // a person with a password proves with it
	p.Be(openidtest.Person{Subject: "mira"})
	b = s.linkedThere("mira@example.org")
	prove().status(http.StatusForbidden)
	b.post(end, nil).status(http.StatusForbidden).has(asksAgain)
}

// TestWithoutPasswords: where the provider is the only way to sign in, no page takes a password.
func TestWithoutPasswords(t *testing.T) {
	t.Parallel()
	s, p := openIDSite(t, withoutLocal, newPeople)
	owner := s.user("mira@example.org")
	b := s.browser()
	b.get("/sign-in").status(http.StatusOK).has("Sign in with Home Login").lacks(`type="password"`, "florin user link")
	b.post("/sign-in", url.Values{"email": {owner.Email}, "password": {password}}).status(http.StatusForbidden).has("Florin takes no passwords here", "--local-sign-in=on")
	token, err := s.auth.ResetLink(t.Context(), owner)
	must(t, err)
	b.get("/reset?token=" + token.Reveal()).status(http.StatusForbidden)
	b.post("/reset", url.Values{"token": {token.Reveal()}, "password": {"another phrase to know"}}).status(http.StatusForbidden)
	p.Be(openidtest.Person{Subject: "bo", Email: "bo@example.org"})
	b.signInThere().to("/")
	b.get("/settings").status(http.StatusOK).lacks("new_password")
	b.post("/settings/password", url.Values{"password": {""}, "new_password": {"another phrase to know"}}).status(http.StatusUnprocessableEntity).lacks("new_password")
	must(t, s.store.LinkIdentity(t.Context(), owner.ID, p.URL, "mira"))
	p.Be(openidtest.Person{Subject: "mira"})
	b = s.browser()
	b.signInThere().to("/")
	b.post("/settings/sign-ins/none/end", proof()).has(asksAgain, "Confirm with Home Login").lacks(`type="password"`) // although a password was set before
}

// TestLiesOfAProvider: when the provider answers wrongly, the person reads a sentence, and nobody is signed in. openid.TestLies has all the lies.
func TestLiesOfAProvider(t *testing.T) {
	t.Parallel()
	s, p := openIDSite(t)
	s.user("mira@example.org")
	s.linkedThere("mira@example.org")
	said := func(name, value string) openidtest.Lies {
		return openidtest.Lies{Answer: func(q url.Values) { q.Set(name, value) }}
	}
	for _, lie := range map[string]struct {
		lies   openidtest.Lies
		status int
		says   string
	}{
		"another issuer": {openidtest.Lies{Claims: func(c jwt.MapClaims) { c["iss"] = "https://other.example" }}, 502, "Florin does not trust the answer of Home Login"},
		"expired":        {openidtest.Lies{Claims: func(c jwt.MapClaims) { c["exp"] = 1 }}, 502, "The clocks of Home Login and of this server differ"},
		"cancelled":      {said("error", "access_denied"), 403, "Home Login did not let you through"},
		"an error":       {said("error", "<script>alert(1)</script>"), 502, "Florin does not trust the answer of Home Login"},
		"another code":   {said("code", "guessed"), 403, "This return from Home Login is no longer valid"},
		"another client": {openidtest.Lies{Token: func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":"invalid_client","error_description":"told by the provider"}`))
			return true
		}}, 502, "Home Login does not know this Florin"},
	} {
		p.Lie(lie.lies)
		b := s.browser()
		b.signInThere().status(lie.status).has(lie.says).lacks("<script>alert", "told by the provider")
		b.get("/settings").to("/sign-in?next=%2Fsettings")
	}
	p.Lie(openidtest.Lies{})
	p.Close()
	for _, path := range []string{"/sign-in", "/privacy"} { // these pages do not wait for the provider
		s.browser().get(path).status(http.StatusOK)
	}
	b := s.browser()
	b.languages = "de"
	b.post("/sign-in/openid", nil).status(http.StatusOK).has("Home Login") // its metadata are stored: only the browser notices that it is down
	b.get("/sign-in/openid/back?state=x").status(http.StatusForbidden).has("Diese Rückkehr von Home Login ist nicht mehr gültig")
}

// TestWithoutAProvider: without a provider the routes answer that there is nothing.
func TestWithoutAProvider(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.browser()
	b.get("/sign-in").status(http.StatusOK).lacks("/sign-in/openid")
	b.post("/sign-in/openid", nil).status(http.StatusNotFound)
	b.get("/sign-in/openid/back?state=x&code=y").status(http.StatusNotFound)
	b = s.signedIn("mira@example.org")
	b.post("/settings/openid", proof()).status(http.StatusNotFound)
	b.post("/settings/openid/remove", proof()).status(http.StatusNotFound)
	b.get("/settings").status(http.StatusOK).has("Sign-in with OpenID Connect", s.url+"/sign-in/openid/back")
}
