package handlers_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/hotp"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/openid/openidtest"
)

// app is an authenticator app that a person has set up, and the recovery codes that came with it.
type app struct {
	t      *testing.T
	secret string
	codes  []string
}

// shows is the code that the app shows that many periods of 30 seconds from now.
func (a app) shows(periods int) string {
	a.t.Helper()
	code, err := hotp.GenerateCode(a.secret, uint64(time.Now().Unix()/30+int64(periods)))
	must(a.t, err)
	return code
}

var (
	shownSecret = regexp.MustCompile(`((?:[A-Z2-7]{4} ){7}[A-Z2-7]{4})`)
	shownCode   = regexp.MustCompile(`<code class="copy">([A-Z2-7-]{29})</code>`)
)

// addsApp gives the person of the browser an app.
func (b *browser) addsApp(name string) app {
	b.site.t.Helper()
	b.post("/settings/authenticators/new", proof()).to("/settings/authenticators/new")
	return b.confirmsApp(name)
}

// confirmsApp ends the set-up of an app.
func (b *browser) confirmsApp(name string) app {
	b.site.t.Helper()
	page := b.get("/settings/authenticators/new").status(http.StatusOK).has("QR code with the secret for your app", "<path d=")
	page.hasHeaders()
	m := shownSecret.FindString(page.body)
	if m == "" {
		b.site.t.Fatalf("the page shows no secret\n%s", page.words())
	}
	a := app{t: b.site.t, secret: strings.ReplaceAll(m, " ", "")}
	added := b.post("/settings/authenticators", url.Values{"name": {name}, "app_code": {a.shows(-1)}})
	for _, code := range shownCode.FindAllStringSubmatch(added.body, -1) {
		a.codes = append(a.codes, code[1])
	}
	return a
}

// first sends the password, and lands on the page for the second step.
func (b *browser) first(email string, more ...string) *answer {
	b.site.t.Helper()
	form := url.Values{"email": {email}, "password": {password}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return b.post("/sign-in", form)
}

func (b *browser) second(code string) *answer {
	b.site.t.Helper()
	return b.post("/sign-in/second", url.Values{"one_time_code": {code}})
}

// codeSet finds how the form for new recovery codes names the present codes.
var codeSet = regexp.MustCompile(`name="codes" value="([^"]*)"`)

func TestSecondStepOfASignIn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	s.user("eve@example.org")
	b := s.signedIn("mira@example.org")
	b.get("/settings").has("Authenticator app and recovery codes", "Add an app").lacks("recovery codes left")
	b.post("/settings/recovery-codes", proof()).status(http.StatusConflict).has("you have neither")
	b.get("/settings/authenticators/new").status(http.StatusConflict).has("scan the new QR code").lacks("send it again")
	phone := b.addsApp("My <phone>")
	if len(phone.codes) != finance.RecoveryCodes {
		t.Fatalf("%d recovery codes are shown", len(phone.codes))
	}
	b.get("/settings").has("My &lt;phone&gt;", "You have 10 recovery codes left", "You have a new authenticator app").lacks(phone.secret, phone.codes[0])
	hers := s.signedIn("eve@example.org").addsApp("Phone")

	other := s.browser()
	other.first("mira@example.org", "next", "/payments", "remember", "yes").to("/sign-in/second?next=%2Fpayments")
	other.get("/settings").to("/sign-in?next=%2Fsettings") // nobody is signed in
	other.get("/sign-in/second?next=%2Fpayments").status(http.StatusOK).has("Confirm the sign-in", `value="/payments"`, "six digits", "recovery codes").
		lacks("mira@example.org")
	other.get("/sign-in/second?next=https%3A%2F%2Fevil.example").lacks("evil")
	before := other.cookie("florin-session")
	other.second("").status(http.StatusUnprocessableEntity).has("Enter the six digits that your app shows")
	other.second(hers.shows(0)).status(http.StatusUnprocessableEntity).has("This code is not right.")
	other.second(phone.shows(-1)).status(http.StatusUnprocessableEntity).has("This code was used before.") // it was used at the set-up
	other.second(phone.shows(4)).status(http.StatusUnprocessableEntity).has("2 minutes ahead of its time")
	a := other.post("/sign-in/second", url.Values{"one_time_code": {phone.shows(1)}, "next": {"/payments"}}).to("/payments")
	if got := cookieOf(t, a, "florin-session"); got.Value == before || got.MaxAge < 29*86400 {
		t.Errorf("the session is %s", got.Raw)
	}
	other.get("/settings").status(http.StatusOK).has("mira@example.org", "Stays signed in")
	other.second(phone.shows(1)).to("/") // a second click

	// A code is used again, a second step comes without a first one, and the use of a recovery code is reported.
	thief := s.browser()
	thief.second(phone.shows(0)).status(http.StatusUnprocessableEntity).has("Sign in again.")
	thief.get("/sign-in/second").to("/sign-in")
	thief.first("mira@example.org").to("/sign-in/second")
	thief.second(phone.shows(1)).status(http.StatusUnprocessableEntity).has("This code was used before.")
	thief.second(strings.ToLower(phone.codes[3])).to("/")
	b.get("/settings").has("One of your recovery codes was used. 9 are left", "You have 9 recovery codes left")
	log := s.log.String()
	for _, secret := range append(phone.codes, phone.secret, "app_code=") {
		if strings.Contains(log, secret) || strings.Contains(log, strings.ReplaceAll(secret, "-", "")) {
			t.Error("the log holds a secret")
		}
	}
	if !strings.Contains(log, `for="second step of a sign-in"`) {
		t.Error("the log does not mention the wrong codes")
	}

	// New codes end the old ones; a new password keeps the second factor.
	form := url.Values{"step_up": {"yes"}, "password": {password}, "one_time_code": {phone.codes[5]}}
	b.ages(auth.ProofLife)
	b.post("/settings/recovery-codes", proof()).status(http.StatusUnprocessableEntity)
	form.Set("codes", codeSet.FindStringSubmatch(b.get("/settings").body)[1])
	made := b.post("/settings/recovery-codes", form).status(http.StatusOK).has("Your recovery codes", "Save as a text file")
	if made.Header.Get("Cache-Control") != "no-store" || len(shownCode.FindAllString(made.body, -1)) != 10 {
		t.Error("the codes are kept by the browser, or not there")
	}
	// The page is loaded again: the codes that were shown stay good.
	b.post("/settings/recovery-codes", url.Values{"codes": form["codes"]}).status(http.StatusConflict).has("No new codes were made").lacks("Save as a text file")
	b.get("/settings").has("You have 10 recovery codes left")
	saved := url.Values{"code": nil}
	for _, code := range shownCode.FindAllStringSubmatch(made.body, -1) {
		saved.Add("code", code[1])
	}
	file := b.post("/settings/recovery-codes/file", saved).status(http.StatusOK).has("1. "+saved.Get("code")+"\r\n", "mira@example.org")
	if file.Header.Get("Content-Type") != "text/plain; charset=utf-8" || !strings.HasPrefix(file.Header.Get("Content-Disposition"), "attachment") ||
		file.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the file comes with %v", file.Header)
	}
	saved["code"][9] = "<script>alert(1)</script>"
	b.post("/settings/recovery-codes/file", saved).status(http.StatusBadRequest).lacks("alert(1)")
	must(t, s.auth.SetPassword(t.Context(), s.userOf("mira@example.org"), password))
	anew := s.browser()
	anew.first("mira@example.org").to("/sign-in/second")
	anew.second(phone.codes[6]).status(http.StatusUnprocessableEntity).has("This code is not right.")
	anew.second(html.UnescapeString(shownCode.FindStringSubmatch(made.body)[1])).to("/")
}

// userOf is the user with an address.
func (s *site) userOf(email string) finance.User {
	s.t.Helper()
	u, _, err := s.store.UserByEmail(s.t.Context(), email)
	must(s.t, err)
	return u
}

// TestThirtyCodesInAMoment: guesses are refused with a sentence that says until when.
func TestThirtyCodesInAMoment(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	s.signedIn("mira@example.org").addsApp("Phone")
	b := s.browser()
	b.first("mira@example.org").to("/sign-in/second")
	refused := 0
	for range 30 {
		if a := b.second("000000"); a.StatusCode == http.StatusTooManyRequests {
			a.has("Too many attempts", "Try again in").lacks("florin user link")
			refused++
		}
	}
	if refused != 25 {
		t.Errorf("%d of 30 were refused", refused)
	}
}

// TestSetUpBelongsToTheSignIn: two sign-ins of one person set up apps at the same time, and neither sees or ends what the other began.
func TestSetUpBelongsToTheSignIn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	one, two := s.signedIn("mira@example.org"), s.signedIn("mira@example.org")
	begun := func(b *browser) app {
		t.Helper()
		b.post("/settings/authenticators/new", proof()).to("/settings/authenticators/new")
		return app{t: t, secret: strings.ReplaceAll(shownSecret.FindString(b.get("/settings/authenticators/new").body), " ", "")}
	}
	first := begun(one)
	second := begun(two)
	if first.secret == second.secret || first.secret == "" {
		t.Fatal("two sign-ins share a secret")
	}
	add := func(b *browser, name, code string) *answer {
		return b.post("/settings/authenticators", url.Values{"name": {name}, "app_code": {code}})
	}
	add(one, "Phone", second.shows(0)).status(http.StatusUnprocessableEntity).has("This code is not right.", first.secret[:4]).lacks(second.secret[:8])
	add(one, "Phone", first.shows(-4)).status(http.StatusUnprocessableEntity).has("This code is 2 minutes old.")
	add(one, "Phone", first.shows(4)).status(http.StatusUnprocessableEntity).has("2 minutes ahead of its time")
	add(one, "", first.shows(0)).status(http.StatusUnprocessableEntity).has("Give the app a name of up to 60 characters.")
	add(one, "Phone", first.shows(0)).status(http.StatusOK).has("Your recovery codes")
	add(one, "Phone", first.shows(0)).status(http.StatusConflict).has("This set-up has expired", "scan the new QR code")
	// The other set-up was begun with a proof from before there was an app. The proof is valid for five minutes.
	add(two, "Tablet", second.shows(0)).to("/settings")
	two.get("/settings").has("The app Tablet is added.", "Phone", "Tablet")

	apps, err := s.store.Authenticators(t.Context(), s.userOf("mira@example.org").ID)
	must(t, err)
	one.ages(auth.ProofLife)
	renames := "/settings/authenticators/" + apps[0].ID
	one.get(renames).status(http.StatusOK).has("Save the name", "Remove this app", "Last used")
	one.post(renames, url.Values{"name": {" "}}).status(http.StatusUnprocessableEntity).has("Give the app a name")
	one.post(renames, url.Values{"name": {"Tablet <i>"}}).to(renames)
	one.get(renames).has("Tablet &lt;i&gt;", "The name is saved.")
	one.get("/settings").has("Tablet &lt;i&gt;", renames)
	one.post(renames, url.Values{"name": {"Phone"}}).to(renames)
	one.post("/settings/authenticators/"+apps[0].ID+"/remove", nil).status(http.StatusForbidden).has(asksAgain, "Code from your app, or a recovery code")
	one.post("/settings/authenticators/"+apps[0].ID+"/remove", proof()).status(http.StatusUnprocessableEntity)
	form := proof()
	form.Set("one_time_code", second.shows(1))
	one.post("/settings/authenticators/"+apps[0].ID+"/remove", form).to("/settings")
	one.get("/settings").has("The app Phone is removed.", "Tablet")
}

// TestEverybodyNeedsASecondFactor: from the next sign-in on, a person without a second factor gets only the page that sets one up; after an invitation, too.
// The last second factor cannot be removed.
func TestEverybodyNeedsASecondFactor(t *testing.T) {
	t.Parallel()
	s := newNamedSite(t)
	s.user("mira@example.org")
	bo := s.user("bo@example.org")
	owner, old := s.signedIn("mira@example.org"), s.signedIn("bo@example.org")
	owner.get("/settings/people").has("Require it of everybody", "You have none yourself", "password alone")
	old.post("/settings/people/second-factor", url.Values{"required": {"yes"}}).status(http.StatusNotFound)
	owner.post("/settings/people/second-factor", url.Values{"required": {"yes"}}).status(http.StatusForbidden).has(asksAgain)
	form := proof()
	form.Set("required", "yes")
	owner.post("/settings/people/second-factor", form).to("/settings/people")
	owner.get("/settings/people").status(http.StatusOK).has("Everybody needs a second factor from the next sign-in on.", "Leave it to each person")
	old.get("/settings").status(http.StatusOK) // signed in before

	b := s.signedIn("bo@example.org")
	for _, path := range []string{"/", "/settings", "/transactions", "/settings/recovery-codes"} {
		if path == "/settings/recovery-codes" {
			b.post(path, proof()).to("/second-factor")
			continue
		}
		b.get(path).to("/second-factor")
	}
	b.get("/events").status(http.StatusUnauthorized)
	b.get("/second-factor").status(http.StatusOK).has("Set up a second factor", "Set up a passkey", "Set up an app")
	b.post("/settings/authenticators/new", nil).to("/settings/authenticators/new") // the password was just checked
	phone := b.addsApp("Phone")
	b.get("/").status(http.StatusOK)
	b.get("/second-factor").to("/settings")
	apps, err := s.store.Authenticators(t.Context(), bo.ID)
	must(t, err)
	remove := func(code string) *answer {
		form := proof()
		form.Set("one_time_code", code)
		return b.post("/settings/authenticators/"+apps[0].ID+"/remove", form)
	}
	remove(phone.codes[0]).status(http.StatusConflict).has("only second factor", "Add another passkey or app first.")

	// An invited person sets up a passkey as the second factor. After that the sign-in with a password asks for it.
	link := owner.invites("Cleo", finance.RoleMember)
	cleo, device := s.browser(), s.device()
	cleo.post("/join", joining(link, "cleo@example.org", password)).to("/")
	cleo.get("/").to("/second-factor")
	cleo.post("/settings/passkeys/new", nil).to("/settings/passkeys/new")
	made := device.Create(t, cleo.options("/settings/passkeys/options"))
	cleo.post("/settings/passkeys", url.Values{"name": {"Phone"}, "new_passkey": {made}}).to("/settings")
	cleo.get("/settings").status(http.StatusOK).has("You have no recovery codes")
	cleo.post("/settings/passkeys/"+s.passkeysOf(s.userOf("cleo@example.org"))[0].ID+"/remove", nil).status(http.StatusConflict)
	again := s.browser()
	again.first("cleo@example.org").to("/sign-in/second")
	again.get("/sign-in/second").has("Use your passkey.", "Sign in with a passkey", "reset-second-factor").lacks(`name="one_time_code"`)
	again.usesPasskey(device).to("/")

	form.Set("required", "no")
	owner.post("/settings/people/second-factor", form).to("/settings/people")
	remove(phone.codes[1]).to("/settings")
	s.signedIn("bo@example.org").get("/").status(http.StatusOK)
}

// TestSecondFactorOfWhoHasNoPassword: a person who signs in only at the provider proves there who they are, sets up a second factor, and reaches no other page
// before.
func TestSecondFactorOfWhoHasNoPassword(t *testing.T) {
	t.Parallel()
	s, p := openIDSite(t, newPeople)
	s.user("mira@example.org")
	must(t, s.store.RequireSecondFactor(t.Context(), true))
	p.Be(openidtest.Person{Subject: "bo", Email: "bo@example.org"})
	b := s.browser()
	b.signInThere().to("/")
	b.get("/").to("/second-factor")
	b.post("/settings/authenticators/new", nil).status(http.StatusForbidden).has(asksAgain, "Confirm with Home Login")
	for _, purpose := range []string{"sign-ins", "second-factor"} {
		b.get(b.away(b.post("/sign-in/openid/prove", url.Values{"purpose": {purpose}}))).status(http.StatusOK).has("Florin knows that it is you")
		b.post("/settings/sign-ins/end", nil).to("/second-factor")
	}
	b.post("/settings/authenticators/new", nil).to("/settings/authenticators/new")
	b.confirmsApp("Phone")
	b.get("/").status(http.StatusOK)
}

// TestPaymentByPasskey: a passkey confirms a payment as it was reviewed, and no other.
func TestPaymentByPasskey(t *testing.T) {
	t.Parallel()
	s := newNamedSite(t)
	embedded, err := s.store.Provider(t.Context(), "embedded")
	must(t, err)
	embedded.RedirectURL = s.url + "/callback/embedded"
	must(t, s.store.SaveProvider(t.Context(), embedded))
	b, _, account := s.payer(sepa)
	device := s.device()
	b.addsPasskey(device, "Phone")
	b.ages(auth.ProofLife)
	form := transfer(account)
	path := b.draft(form)
	asks := regexp.MustCompile(`data-options="(/settings/passkeys/prove\?purpose=payment[^"]+)"`)
	answerTo := func(review *answer) url.Values {
		t.Helper()
		m := asks.FindStringSubmatch(review.has("Confirm with a passkey", "Your Florin password").body)
		if m == nil {
			t.Fatalf("the review asks for no passkey\n%s", review.words())
		}
		c := review.confirmation()
		c.Del("password")
		c.Set("passkey", device.Get(t, b.options(html.UnescapeString(m[1]))))
		return c
	}
	old := answerTo(b.get(path + "/review"))
	form.Set("amount", "12,31")
	b.draft(form)
	fresh := b.get(path + "/review").confirmation()
	fresh.Del("password")
	fresh.Set("passkey", old.Get("passkey"))
	b.post(path+"/confirm", fresh).status(http.StatusUnprocessableEntity).has("Not confirmed", "Nothing was sent.")
	if n := len(s.service.sent()); n != 0 {
		t.Fatalf("%d payments were sent", n)
	}
	b.post(path+"/confirm", answerTo(b.get(path+"/review"))).to(path + "/leave")
	if n := len(s.service.sent()); n != 1 {
		t.Errorf("%d payments were sent", n)
	}
	b.post("/settings/passkeys/prove?purpose=everything+else", nil).status(http.StatusNotFound)
	s.browser().post("/settings/passkeys/prove?purpose=services", nil).to("/sign-in")
}

// TestSecondFactorAfterTheProvider: Florin asks for its own code after the provider, unless the operator accepts the provider's second
// factor and the provider reports one.
func TestSecondFactorAfterTheProvider(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		counts bool
		amr    []string
		want   string
	}{
		{"florin asks", false, []string{"pwd", "mfa"}, "/sign-in/second"},
		{"the provider counts", true, []string{"pwd", "mfa"}, "/"},
		{"the provider tells of one thing", true, []string{"pwd"}, "/sign-in/second"},
		{"the provider tells nothing", true, nil, "/sign-in/second"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, p := openIDSite(t, func(o *auth.OpenID) auth.Option { o.SecondFactor = c.counts; return nil })
			s.user("mira@example.org")
			p.Be(openidtest.Person{Subject: "1", Email: "mira@example.org", Methods: c.amr})
			phone := s.linkedThere("mira@example.org").addsApp("Phone")
			b := s.browser()
			b.signInThere().to(c.want)
			if c.want != "/" {
				b.get("/settings").to("/sign-in?next=%2Fsettings")
				b.second(phone.shows(0)).to("/")
			}
			b.get("/settings").status(http.StatusOK)
		})
	}
}
