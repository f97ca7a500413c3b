package handlers_test

import (
	"bytes"
	"html"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/auth"
	"florin/internal/handlers"
	"florin/internal/handlers/shell"
)

// proves makes a proof for each purpose that is not bound to one object, with forms that change nothing.
func (b *browser) proves() *browser {
	b.site.t.Helper()
	for _, path := range []string{"/settings/sign-ins/none/end", "/accounts/none/delete", "/settings/services/none/remove", "/settings/people/none/role",
		"/settings/passkeys/none/remove", "/settings/authenticators/none/remove"} {
		b.post(path, url.Values{"step_up": {"yes"}, "password": {password}}).status(http.StatusNotFound)
	}
	return b
}

var sentAgain = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)

const asksAgain = "Confirm that it is you"

// again is the form of the page that asks for the password.
func (a *answer) again() url.Values {
	a.t.Helper()
	a.has(asksAgain, `action="`+a.Request.URL.Path+`"`)
	form := url.Values{}
	for _, m := range sentAgain.FindAllStringSubmatch(a.body, -1) {
		form.Add(html.UnescapeString(m[1]), html.UnescapeString(m[2]))
	}
	return form
}

// TestSettingsAskForThePassword: a form that changes security asks for the password once more, keeps what was typed, and does not ask again for five minutes.
func TestSettingsAskForThePassword(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	typed := url.Values{"base_url": {"https://api.bank.example"}, "name": {`"Foreign" & <own>`}, "issuer": {""}, "audience": {"bank.example"}}
	begun := func() int {
		t.Helper()
		setups, err := s.store.ProviderSetups(t.Context())
		must(t, err)
		return len(setups)
	}

	form := b.post("/settings/services", typed).status(http.StatusForbidden).has("Nothing has changed yet.").lacks("Enter your Florin password.<").again()
	for name, values := range typed {
		if !slices.Equal(form[name], values) {
			t.Errorf("the page holds %q as %q", name, form[name])
		}
	}
	form.Set("password", "")
	form = b.post("/settings/services", form).status(http.StatusUnprocessableEntity).has("Enter your Florin password.").again()
	form.Set("password", "wrong secret phrase")
	form = b.post("/settings/services", form).status(http.StatusUnprocessableEntity).has("This is not your password.").lacks("wrong secret phrase").again()
	if !strings.Contains(s.log.String(), `msg="proof of identity refused" for=step-up`) {
		t.Error("the log does not mention the wrong password")
	}
	if form.Get("name") != typed.Get("name") || form.Get("audience") != "bank.example" || begun() != 0 {
		t.Fatalf("after a wrong password: %v, %d begun", form, begun())
	}
	before := b.cookie("florin-session")
	form.Set("password", password)
	service := b.post("/settings/services", form).status(http.StatusSeeOther).Header.Get("Location")
	if begun() != 1 || b.cookie("florin-session") == before {
		t.Fatalf("%d begun, the id renewed: %t", begun(), b.cookie("florin-session") != before)
	}
	b.get(service).status(http.StatusOK).has("https://api.bank.example", "&lt;own&gt;")

	b.post("/settings/services", url.Values{"base_url": {"nowhere"}}).status(http.StatusUnprocessableEntity).lacks(asksAgain)
	for _, c := range []struct {
		ago  time.Duration
		good bool
	}{{5*time.Minute - 10*time.Second, true}, {5 * time.Minute, false}, {-time.Hour, false}} {
		b.ages(c.ago)
		a := b.post("/settings/services", url.Values{"base_url": {"nowhere"}})
		if asked := strings.Contains(a.body, asksAgain); asked == c.good {
			t.Errorf("a proof of %s ago: asked %t", c.ago, asked)
		}
	}

	// A private key that was chosen as a file comes along too.
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	must(t, parts.WriteField("application_id", "not an id"))
	file, err := parts.CreateFormFile("key_file", "key.pem")
	must(t, err)
	const chosen = "-----BEGIN CERTIFICATE-----\nAA+/\n-----END CERTIFICATE-----\n"
	_, err = file.Write([]byte(chosen))
	must(t, err)
	must(t, parts.Close())
	upload := b.request(http.MethodPost, service, &body)
	upload.Header.Set("Content-Type", parts.FormDataContentType())
	form = b.do(upload).status(http.StatusForbidden).again()
	if form.Get("key") != chosen || form.Get("key_file") != "key.pem" || form.Get("application_id") != "not an id" {
		t.Errorf("the page holds %q", form)
	}
	form.Set("password", password)
	b.post(service, form).status(http.StatusUnprocessableEntity).has("It must be a private RSA key of at least 2048 bits in PEM form", "not an id")

	b.ages(time.Hour)
	form = b.post("/settings/services", typed).again()
	form.Set("password", "wrong secret phrase")
	for range 5 {
		b.post("/settings/services", form)
	}
	form.Set("password", password)
	b.post("/settings/services", form).status(http.StatusTooManyRequests)
}

// ages gives all proofs of the session this age.
func (b *browser) ages(by time.Duration) {
	t := b.site.t
	t.Helper()
	sessions, token := b.site.store.Sessions(), b.cookie("florin-session")
	data, found, err := sessions.FindCtx(t.Context(), token)
	must(t, err)
	values, err := url.ParseQuery(string(data))
	must(t, err)
	if !found || !values.Has("proofs") {
		t.Fatalf("the session holds no proof: %q", values)
	}
	made := regexp.MustCompile(`@[^ ]+`)
	values.Set("proofs", made.ReplaceAllString(values.Get("proofs"), "@"+time.Now().UTC().Add(-by).Format(time.RFC3339)))
	must(t, sessions.CommitCtx(t.Context(), token, []byte(values.Encode()), time.Now().Add(time.Hour)))
}

// TestWhichFormsAsk: each form that only the owner may send asks for a proof, except those that are listed here; of the forms of everybody only those that are
// listed here do. A proof for one purpose does not count for another, and a proof for a payment counts for none of them.
func TestWhichFormsAsk(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	b.pay(transfer(account))
	free := []string{"/settings/services/{service}/examine", "/settings/services/{service}/discard", "/settings/webhooks/{webhook}/replay",
		"/settings/people/invitations/{invitation}/withdraw", "/settings/mail"}
	everybody := map[string]auth.Purpose{"/settings/sign-ins/{sign_in}/end": auth.ForSignIns, "/settings/sign-ins/end": auth.ForSignIns, "/accounts/{account}/delete": auth.ForDeletion,
		"/connections/{connection}/delete": auth.ForDeletion, "/settings/openid": auth.ForOpenID, "/settings/openid/remove": auth.ForOpenID,
		"/settings/passkeys": auth.ForPasskeys, "/settings/passkeys/new": auth.ForPasskeys, "/settings/passkeys/{passkey}/remove": auth.ForPasskeys,
		"/settings/authenticators": auth.ForSecond, "/settings/authenticators/new": auth.ForSecond, "/settings/authenticators/{authenticator}/remove": auth.ForSecond,
		"/settings/recovery-codes": auth.ForSecond, "/settings/calendar": auth.ForCalendar, "/settings/leave": auth.ForLeaving}
	asking := map[auth.Purpose][]string{}
	asks := func(pattern string) bool {
		return strings.Contains(b.post(things{account: "none", connection: "none", webhook: "none", signIn: "none", passkey: "none", authenticator: "none",
			sharer: "none"}.fill(pattern), nil).body, asksAgain)
	}
	for _, route := range handlers.Routes() {
		if route.Method != http.MethodPost {
			continue
		}
		want := everybody[route.Pattern]
		if route.Access == shell.Owner && !slices.Contains(free, route.Pattern) {
			want = auth.ForServices
			if strings.HasPrefix(route.Pattern, "/settings/people") {
				want = auth.ForPeople
			}
		}
		if route.Purpose != want {
			t.Errorf("%s asks for %q, want %q", route.Pattern, route.Purpose, want)
		}
		if want == (auth.Purpose{}) {
			continue
		}
		asking[want] = append(asking[want], route.Pattern)
		if !asks(route.Pattern) {
			t.Errorf("%s does not ask", route.Pattern)
		}
	}
	if len(asking[auth.ForServices]) != 5 || len(asking[auth.ForPeople]) != 4 || len(asking[auth.ForSignIns]) != 2 || len(asking[auth.ForDeletion]) != 2 ||
		len(asking[auth.ForOpenID]) != 2 || len(asking[auth.ForCalendar]) != 1 || len(asking[auth.ForLeaving]) != 1 ||
		len(asking[auth.ForPasskeys]) != 3 || len(asking[auth.ForSecond]) != 4 {
		t.Errorf("these ask: %v", asking)
	}
	b.post("/accounts/none/delete", url.Values{"step_up": {"yes"}, "password": {password}}).status(http.StatusNotFound)
	for purpose, patterns := range asking {
		for _, pattern := range patterns {
			if got := asks(pattern); got != (purpose != auth.ForDeletion) {
				t.Errorf("after a proof for deleting data %s asks: %t", pattern, got)
			}
		}
	}
	if entries, err := s.store.Providers(t.Context()); err != nil || len(entries) != 1 {
		t.Errorf("%d providers, %v", len(entries), err)
	}
}

// TestProofForAPayment: a proof is good for the payment as it was reviewed, for five minutes, and for nothing else.
func TestProofForAPayment(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	form := transfer(account)
	path := b.draft(form)
	confirms := func(proof string, agrees bool) *answer {
		c := b.get(path + "/review").confirmation()
		c.Set("password", proof)
		if !agrees {
			c.Del("agree")
		}
		return b.post(path+"/confirm", c)
	}
	confirms(password, false).status(http.StatusUnprocessableEntity).has("Please read the warnings below").lacks(`name="password"`)
	b.get(path + "/review").lacks(`name="password"`)
	b.ages(5 * time.Minute)
	confirms("", true).status(http.StatusUnprocessableEntity).has("Enter your Florin password.", `name="password"`)
	confirms(password, false).status(http.StatusUnprocessableEntity)
	for field, other := range map[string]string{"amount": "12.31", "number": "NL91ABNA0417164300", "name": "Other"} {
		changed := maps.Clone(form)
		changed.Set(field, other)
		b.draft(changed)
		confirms("", true).status(http.StatusUnprocessableEntity).has("Enter your Florin password.")
	}
	b.draft(form) // back to the reviewed values
	if n := len(s.service.sent()); n != 0 {
		t.Fatalf("%d payments were sent", n)
	}
	confirms("", true).to(path + "/leave")
	if n := len(s.service.sent()); n != 1 {
		t.Errorf("%d payments were sent", n)
	}
}

// TestConfirmTwice: while a payment is being sent, a second click on the button and another tab still work with the same session id. With the answer that id
// ends, and one payment was sent.
func TestConfirmTwice(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	twin := func() *browser {
		other := s.browser()
		for _, name := range []string{"florin-session", "florin-flow"} {
			other.setCookie(name, b.cookie(name))
		}
		return other
	}
	check := func(path string, payments int, old *browser, answers ...*answer) {
		t.Helper()
		renewed := 0
		for _, a := range answers {
			if to := a.status(http.StatusSeeOther).Header.Get("Location"); to != path && to != path+"/leave" {
				t.Errorf("a confirmation leads to %q", to)
			}
			for _, c := range a.Cookies() {
				if c.Name == "florin-session" {
					renewed++
					b.setCookie(c.Name, c.Value)
					b.get(path).status(http.StatusOK)
				}
			}
		}
		if renewed == 0 {
			t.Error("no answer brought a new id")
		}
		if n := s.service.Count("POST /payments"); n != payments {
			t.Errorf("%d payments were sent, want %d", n, payments)
		}
		old.get("/settings").to("/sign-in?next=%2Fsettings")
	}

	// The second confirmation comes while the service is being asked.
	held := make(chan struct{})
	s.service.Hold("POST /payments", held)
	path := b.draft(transfer(account))
	form := b.get(path + "/review").confirmation()
	first, second, old := twin(), twin(), twin()
	done := make(chan *answer)
	go func() { done <- first.post(path+"/confirm", form) }()
	for old.get(path+"/review").StatusCode == http.StatusOK { // until it is being sent
		continue
	}
	repeated := second.post(path+"/confirm", form).to(path)
	second.get(path).status(http.StatusOK)
	old.get("/settings").status(http.StatusOK)
	close(held)
	check(path, 1, old, repeated, <-done)

	// Both confirmations come at once.
	path = b.draft(transfer(account))
	form = b.get(path + "/review").confirmation()
	first, second, old = twin(), twin(), twin()
	for _, one := range []*browser{first, second} {
		go func() { done <- one.post(path+"/confirm", form) }()
	}
	check(path, 2, old, <-done, <-done)
}

// TestLateAnswerKeepsTheCookie: a request with the old session id that writes to the session, and ends after the new id was given out, does not bring the old
// id back to the browser.
func TestLateAnswerKeepsTheCookie(t *testing.T) {
	t.Parallel()
	_, b, mira, account := paySite(t)
	send, done := b.inside(mira, "/accounts/"+account+"/nickname", "nickname=Sp")
	b.pay(transfer(account))
	renewed := b.cookie("florin-session")
	_, err := io.WriteString(send, "ending")
	must(t, err)
	must(t, send.Close())
	response := <-done
	if response == nil || response.Header.Get("Location") != "/accounts/"+account {
		t.Fatalf("the slow request was answered with %+v", response)
	}
	if got := b.cookie("florin-session"); got != renewed {
		t.Errorf("the browser has the id %q, want the new one", got)
	}
	b.get("/settings").status(http.StatusOK)
}
