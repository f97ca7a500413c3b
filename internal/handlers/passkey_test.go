package handlers_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/handlers"
	"florin/internal/webauthn/webauthntest"
)

// newNamedSite is a site at http://localhost, where browsers give passkeys.
func newNamedSite(t *testing.T) *site {
	t.Helper()
	var public *url.URL
	var people *auth.Auth
	s := newSite(t, func(o *handlers.Options) {
		public = &url.URL{Scheme: "http", Host: "localhost:" + o.PublicURL.Port()}
		people = auth.New(o.Store, auth.Cheap, auth.At(public))
		o.PublicURL, o.Auth = public, people
	})
	s.url, s.auth = public.String(), people
	return s
}

func (s *site) device() *webauthntest.Device { return &webauthntest.Device{Origin: s.url} }

// options asks for what the script of a page needs.
func (b *browser) options(path string) []byte {
	b.site.t.Helper()
	a := b.post(path, nil).status(http.StatusOK)
	a.hasHeaders()
	if got := a.Header.Get("Content-Type"); got != "application/json" || !json.Valid([]byte(a.body)) {
		b.site.t.Fatalf("%s answers %s: %s", path, got, a.body)
	}
	return []byte(a.body)
}

// addsPasskey gives the person of the browser a passkey on the device.
func (b *browser) addsPasskey(d *webauthntest.Device, name string) {
	b.site.t.Helper()
	b.proves()
	b.post("/settings/passkeys/new", nil).to("/settings/passkeys/new")
	b.get("/settings/passkeys/new").status(http.StatusOK).has("Add a passkey", `value="Firefox on Linux"`, "Passkeys need JavaScript.")
	made := d.Create(b.site.t, b.options("/settings/passkeys/options"))
	b.post("/settings/passkeys", url.Values{"name": {name}, "new_passkey": {made}}).to("/settings")
}

// usesPasskey signs in with the passkey of a device.
func (b *browser) usesPasskey(d *webauthntest.Device, more ...string) *answer {
	b.site.t.Helper()
	form := url.Values{"passkey": {d.Get(b.site.t, b.options("/sign-in/passkey/options"))}, "email": {""}, "password": {""}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return b.post("/sign-in/passkey", form)
}

// passkeysOf are those of a user.
func (s *site) passkeysOf(user finance.User) []finance.Passkey {
	s.t.Helper()
	all, err := s.store.Passkeys(s.t.Context(), user.ID)
	must(s.t, err)
	return all
}

func TestPasskeys(t *testing.T) {
	t.Parallel()
	s := newNamedSite(t)
	mira, eve := s.user("mira@example.org"), s.user("eve@example.org")
	b, phone := s.signedIn("mira@example.org"), s.device()
	b.get("/settings").status(http.StatusOK).has("A passkey signs you in with your fingerprint", "Add a passkey")
	b.post("/settings/passkeys/new", nil).status(http.StatusForbidden).has(asksAgain)
	b.post("/settings/passkeys", url.Values{"name": {"x"}}).status(http.StatusForbidden).has(asksAgain)
	b.addsPasskey(phone, "My <phone>")
	b.get("/settings").has("My &lt;phone&gt;", "Never used", "From now on it signs you in.")
	german := s.signedIn("mira@example.org")
	german.languages = "de"
	german.get("/settings").has("Nie benutzt", "Passkey hinzufügen")

	// The sign-in needs no typing.
	other := s.browser()
	other.get("/sign-in").has(`autocomplete="username webauthn"`, "Sign in with a passkey", `formaction="/sign-in/passkey"`, "Passkeys need JavaScript.")
	a := other.usesPasskey(phone, "next", "/settings", "remember", "yes").to("/settings")
	if got := cookieOf(t, a, "florin-session"); got.MaxAge < 29*86400 {
		t.Errorf("the sign-in that was to stay lasts %d s", got.MaxAge)
	}
	other.get("/settings").status(http.StatusOK).has("mira@example.org", "last used").lacks("Never used")
	if got := other.usesPasskey(phone, "next", "https://evil.example/").Header.Get("Location"); got != "/" {
		t.Errorf("a sign-in leads to %q", got)
	}

	// A refusal is explained in a sentence, and logged without the passkey.
	thief := s.browser()
	question := thief.options("/sign-in/passkey/options")
	b.post("/sign-in/passkey", url.Values{"passkey": {phone.Get(t, question)}}).status(http.StatusUnprocessableEntity).
		has("You are not signed in", "It took longer than five minutes, or the page is an old one.")
	forged := phone.Copy()
	forged.Origin = "https://evil.example"
	thief.usesPasskey(forged, "email", "typed@example.org").status(http.StatusUnprocessableEntity).has("This passkey belongs to another address.", "typed@example.org")
	unknown := s.device()
	unknown.Create(t, b.options("/settings/passkeys/options"))
	thief.usesPasskey(unknown).status(http.StatusUnprocessableEntity).has("This passkey is not known here.")
	thief.post("/sign-in/passkey", nil).status(http.StatusUnprocessableEntity).has("The passkey was not accepted.")
	log := s.log.String()
	if !strings.Contains(log, `msg="proof of identity refused" for="sign-in with a passkey"`) || strings.Contains(log, "rawId") || strings.Contains(log, "clientData") {
		t.Error("the log tells too little or too much")
	}

	// A passkey is renamed and removed.
	own := s.passkeysOf(mira)
	page := "/settings/passkeys/" + own[0].ID
	b.get(page).status(http.StatusOK).has("My &lt;phone&gt;", "On one device", "localhost")
	b.post(page, url.Values{"name": {strings.Repeat("x", 61)}}).status(http.StatusUnprocessableEntity).has("Give the passkey a name of up to 60 characters.")
	b.post(page, url.Values{"name": {" Telephone "}}).to(page)
	b.get(page).has("Telephone", "The name is saved.")
	foreign := s.signedIn("eve@example.org").proves()
	foreign.get(page).status(http.StatusNotFound)
	foreign.post(page, url.Values{"name": {"Eve’s"}}).status(http.StatusNotFound)
	foreign.post(page+"/remove", nil).status(http.StatusNotFound)
	if len(s.passkeysOf(eve)) != 0 || s.passkeysOf(mira)[0].Name != "Telephone" {
		t.Error("a stranger changed a passkey")
	}
	b.ages(auth.ChallengeLife)
	b.post(page+"/remove", nil).status(http.StatusForbidden).has(asksAgain)
	b.proves().post(page+"/remove", nil).to("/settings")
	b.get("/settings").has("The passkey Telephone is removed.").lacks(page)
	thief.usesPasskey(phone).status(http.StatusUnprocessableEntity).has("This passkey is not known here.")
	other.get("/settings").to("/sign-in?next=%2Fsettings") // who signed in with it is signed out
	german.get("/settings").status(http.StatusOK)          // who signed in with the password is not
}

// TestCopiedPasskeyIsTold: a copied passkey is refused with the reason, and the list shows it.
func TestCopiedPasskeyIsTold(t *testing.T) {
	t.Parallel()
	s := newNamedSite(t)
	mira := s.user("mira@example.org")
	b, phone := s.signedIn("mira@example.org"), s.device()
	b.addsPasskey(phone, "Phone")
	copied := phone.Copy()
	s.browser().usesPasskey(phone).to("/")
	s.browser().usesPasskey(copied).status(http.StatusUnprocessableEntity).has("There is a copy of this passkey, so it is not accepted any more.")
	s.browser().usesPasskey(phone).status(http.StatusUnprocessableEntity).has("There is a copy of this passkey")
	if !strings.Contains(s.log.String(), "account="+s.auth.LogName("mira@example.org")+" ") {
		t.Error("the log does not tell whose passkey was copied")
	}
	b.get("/settings").has("Copied: refused", "There is a copy of your passkey Phone", "has signed out the devices that signed in with it")
	b.get("/settings/passkeys/"+s.passkeysOf(mira)[0].ID).has("There is a copy of this passkey", "Remove it, and add a new one.")
}

// TestWherePasskeysCannotBe: where browsers allow no passkeys, the settings say so and what to do, and the sign-in page offers none.
func TestWherePasskeysCannotBe(t *testing.T) {
	t.Parallel()
	at := func(public string, say string) {
		t.Helper()
		s := newSite(t, func(o *handlers.Options) {
			u, err := url.Parse(public)
			must(t, err)
			o.Auth = auth.New(o.Store, auth.Cheap, auth.At(u))
		})
		s.user("mira@example.org")
		b := s.signedIn("mira@example.org")
		b.get("/settings").status(http.StatusOK).has(say).lacks("Add a passkey<")
		b.get("/settings/passkeys/new").status(http.StatusNotFound)
		b.post("/settings/passkeys/options", nil).status(http.StatusNotFound)
		s.browser().post("/sign-in/passkey/options", nil).status(http.StatusNotFound)
		s.browser().get("/sign-in").has(`autocomplete="username"`).lacks("passkey")
	}
	at("http://127.0.0.1:8080", "browsers do not allow them at an address made of numbers, such as 127.0.0.1:8080. Give this Florin a name, with https, in the setting --public-url.")
	at("http://nas.local", "browsers allow them only at addresses with https. Change the setting --public-url.")
	at("https://florin.example", `To add one, open <a href="https://florin.example/settings">https://florin.example</a>.`)
}

// TestPasskeyCookie: the secret of the browser is sent only to Florin's own pages, for five minutes.
func TestPasskeyCookie(t *testing.T) {
	t.Parallel()
	s := newNamedSite(t)
	s.user("mira@example.org")
	b := s.browser()
	a := b.post("/sign-in/passkey/options", nil)
	c := cookieOf(t, a, "florin-passkey")
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" || c.MaxAge != 300 || len(c.Value) < 20 {
		t.Errorf("the cookie is %s", c.Raw)
	}
	if again := cookieOf(t, b.post("/sign-in/passkey/options", nil), "florin-passkey"); again.Value != c.Value {
		t.Error("a second tab replaced the cookie of the first")
	}
	if strings.Contains(a.body, c.Value) {
		t.Error("the page holds the secret")
	}
}
