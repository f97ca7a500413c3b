package handlers_test

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/sqlite"
)

func credentials(email, secret string) url.Values {
	return url.Values{"email": {email}, "password": {secret}}
}

// TestSessionFixation (security T15): the token changes at sign-in, a token chosen by somebody else is not accepted, and visitors who are not signed in get
// none.
func TestSessionFixation(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	s.user("eve@example.org")
	b := s.browser()
	b.get("/sign-in").status(http.StatusOK)
	if got := b.cookie("florin-session"); got != "" {
		t.Errorf("a visitor got the session %q", got)
	}
	const chosen = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	b.setCookie("florin-session", chosen)
	b.post("/sign-in", credentials("mira@example.org", password)).to("/")
	first := b.cookie("florin-session")
	if first == chosen || first == "" {
		t.Fatalf("the session is %q", first)
	}
	// Eve signs in with Mira's cookie in place: she gets another token, and the old one is no longer valid.
	b.post("/sign-in", credentials("eve@example.org", password)).to("/")
	second := b.cookie("florin-session")
	if second == first || second == "" {
		t.Fatalf("the session is %q again", second)
	}
	for _, old := range []string{chosen, first} {
		thief := s.browser()
		thief.setCookie("florin-session", old)
		thief.get("/").to("/sign-in")
	}
	b.get("/settings").status(http.StatusOK).has("eve@example.org").lacks("mira@example.org")
}

// TestCookies (ADR 0004, security T16): names and attributes over http and https, and a database that does not hold their values.
func TestCookies(t *testing.T) {
	t.Parallel()
	plain, _ := openIDSite(t)
	tls, _ := openIDSiteWith(t, https)
	for _, c := range []struct {
		name   string
		site   *site
		prefix string
		secure bool
	}{
		{"http", plain, "", false},
		{"https", tls, "__Host-", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.site.user("mira@example.org")
			b := c.site.browser()
			form := credentials("mira@example.org", password)
			form.Set("remember", "yes")
			signedIn := b.post("/sign-in", form)
			session, known := cookieOf(t, signedIn, c.prefix+"florin-session"), cookieOf(t, signedIn, c.prefix+"florin-browser")
			r := b.request(http.MethodPost, "/link", strings.NewReader(elbe.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if c.secure { // the jar does not send Secure cookies over http
				r.Header.Set("Cookie", session.Name+"="+session.Value)
			}
			flow := cookieOf(t, b.do(r), c.prefix+"florin-flow")
			visit := cookieOf(t, c.site.browser().post("/sign-in/openid", nil), c.prefix+"florin-visit")
			if visit.MaxAge != 10*60 || len(visit.Value) < 20 {
				t.Errorf("the cookie of a visit to the provider lasts %d s: %s", visit.MaxAge, visit.Value)
			}
			for _, cookie := range []*http.Cookie{session, flow, known, visit} {
				if !cookie.HttpOnly || cookie.Secure != c.secure || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Domain != "" {
					t.Errorf("%s: %s", cookie.Name, cookie.Raw)
				}
			}
			if flow.MaxAge != 40*60 {
				t.Errorf("the flow cookie lasts %d s", flow.MaxAge)
			}
			if session.MaxAge < 29*86400 || session.MaxAge > 30*86400+1 {
				t.Errorf("the session cookie lasts %d s", session.MaxAge)
			}
			if plain := cookieOf(t, c.site.browser().post("/sign-in", credentials("mira@example.org", password)), session.Name); plain.MaxAge != 0 ||
				!plain.Expires.IsZero() {
				t.Errorf("without the choice to stay signed in, the cookie outlives the browser's window: %s", plain.Raw)
			}
			if known.MaxAge != 365*86400 {
				t.Errorf("the browser is known for %d s", known.MaxAge)
			}
			if strings.Contains(flow.Value, "browser") {
				t.Error("the flow cookie is not encrypted")
			}
			for _, file := range []string{c.site.path, c.site.path + "-wal"} {
				data, err := os.ReadFile(file)
				must(t, err)
				if strings.Contains(string(data), session.Value) {
					t.Errorf("%s holds the session's token", file)
				}
			}
		})
	}
}

func cookieOf(t *testing.T, a *answer, name string) *http.Cookie {
	t.Helper()
	for _, c := range a.Cookies() {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no cookie %s in %v", name, a.Header.Values("Set-Cookie"))
	return nil
}

// TestSignOutIsFinal: sign-out ends the sign-in and the session, and removes what the browser keeps.
func TestSignOutIsFinal(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	old := b.cookie("florin-session")
	a := b.post("/sign-out", nil).to("/sign-in")
	if got := a.Header.Get("Clear-Site-Data"); got != `"cache", "storage"` {
		t.Errorf("Clear-Site-Data is %q", got)
	}
	if got := b.cookie("florin-session"); got != "" {
		t.Errorf("the browser keeps %q", got)
	}
	b.setCookie("florin-session", old)
	b.get("/").to("/sign-in")
	b.post("/sign-out", nil).to("/sign-in") // a second sign-out works, too
}

// TestSlowRequestDoesNotReviveASignIn (security F1): a request that began before the sign-out and ends after it writes its session back. The old
// cookie stays signed out.
func TestSlowRequestDoesNotReviveASignIn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	b.get(s.back())
	s.syncAll()
	own := s.thingsOf(mira, attempt)
	old := b.cookie("florin-session")

	send, done := b.inside(mira, "/accounts/"+own.account+"/nickname", "nickname=Sp")
	b.post("/sign-out", nil).to("/sign-in")
	_, err := io.WriteString(send, "ending")
	must(t, err)
	must(t, send.Close())
	response := <-done
	if response == nil {
		t.FailNow()
	}
	if response.StatusCode != http.StatusSeeOther || response.Header.Get("Location") != "/accounts/"+own.account {
		t.Fatalf("the slow request was answered with %d to %q: the race did not happen", response.StatusCode, response.Header.Get("Location"))
	}
	b.setCookie("florin-session", old)
	b.get("/settings").to("/sign-in?next=%2Fsettings")
	b.get("/accounts/" + own.account).status(http.StatusSeeOther)
}

// inside sends the beginning of a form, and returns when the handler is reading it. The answer arrives after the rest was written and the writer closed; it is
// nil when the request failed.
func (b *browser) inside(user finance.User, path, beginning string) (*io.PipeWriter, <-chan *http.Response) {
	s, t := b.site, b.site.t
	t.Helper()
	signIns, err := s.auth.SignIns(t.Context(), user.ID)
	must(t, err)
	s.exec(`UPDATE user_session SET last_seen = $1`, sqlite.At(time.Now().Add(-time.Hour)))
	body, send := io.Pipe()
	slow := b.request(http.MethodPost, path, body)
	slow.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	done := make(chan *http.Response, 1)
	go func() {
		response, err := b.client.Do(slow)
		if err != nil {
			t.Error(err)
		} else if err := response.Body.Close(); err != nil {
			t.Error(err)
		}
		done <- response
	}()
	_, err = io.WriteString(send, beginning)
	must(t, err)
	for inside := false; !inside; { // until its sign-in was checked: the check writes down the use, since the last one was an hour ago
		_, v, err := s.store.SignedIn(t.Context(), user.ID, signIns[0].ID)
		must(t, err)
		inside = time.Since(v.LastSeen) < time.Minute
	}
	return send, done
}

// TestSignInsRunOut: after 12 hours, or 30 days where the person chose to stay signed in, used or not; after two hours, or a week, when they are not used.
func TestSignInsRunOut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	ago := func(d time.Duration) sqlite.Time { return sqlite.At(time.Now().Add(-d)) }
	for _, c := range []struct {
		name     string
		remember string
		created  time.Duration
		used     time.Duration
		good     bool
	}{
		{"fresh", "", 0, 0, true},
		{"nearly 12 hours old", "", 12*time.Hour - time.Minute, time.Minute, true},
		{"12 hours old", "", 12*time.Hour + time.Second, time.Minute, false},
		{"remembered, nearly 30 days old", "yes", 30*24*time.Hour - time.Minute, time.Minute, true},
		{"remembered, 30 days old", "yes", 30*24*time.Hour + time.Second, time.Minute, false},
		{"not used for nearly two hours", "", 3 * time.Hour, 2*time.Hour - time.Minute, true},
		{"not used for two hours", "", 3 * time.Hour, 2*time.Hour + time.Second, false},
		{"remembered, not used for nearly a week", "yes", 8 * 24 * time.Hour, 7*24*time.Hour - time.Minute, true},
		{"remembered, not used for a week", "yes", 8 * 24 * time.Hour, 7*24*time.Hour + time.Second, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.t = t
			b := s.browser()
			form := credentials("mira@example.org", password)
			form.Set("remember", c.remember)
			b.post("/sign-in", form).to("/")
			s.exec(`UPDATE user_session SET created = $1, last_seen = $2 WHERE revoked IS NULL`, ago(c.created), ago(c.used))
			a := b.get("/settings")
			if c.good {
				a.status(http.StatusOK)
			} else {
				a.to("/sign-in?next=%2Fsettings")
				if b.cookie("florin-session") != "" {
					t.Error("the browser keeps its cookie")
				}
			}
			b.post("/sign-out", nil)
		})
	}
	s.t = t
}

// TestStepUpRenewsTheSession (security T15): confirming a payment gives the session a new id, and the old one is no longer valid. A wrong password changes
// nothing.
func TestStepUpRenewsTheSession(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	for _, remember := range []string{"", "yes"} {
		b.post("/sign-out", nil)
		form := credentials("mira@example.org", password)
		form.Set("remember", remember)
		b.post("/sign-in", form).to("/")
		path := b.draft(transfer(account))
		confirm := func(secret string) *answer {
			form := b.get(path + "/review").confirmation()
			form.Set("password", secret)
			return b.post(path+"/confirm", form)
		}
		before := b.cookie("florin-session")
		confirm("wrong secret phrase").status(http.StatusUnprocessableEntity).has("This is not your password. Nothing was sent.")
		if b.cookie("florin-session") != before {
			t.Error("a wrong password renewed the session")
		}
		answered := confirm(password).status(http.StatusSeeOther)
		renewed := cookieOf(t, answered, "florin-session")
		if renewed.Value == before {
			t.Fatal("the session kept its id")
		}
		if kept := renewed.MaxAge > 29*86400; kept != (remember == "yes") {
			t.Errorf("remember %q: the renewed cookie lasts %d s", remember, renewed.MaxAge)
		}
		b.get("/settings").status(http.StatusOK)
		thief := s.browser()
		thief.setCookie("florin-session", before)
		thief.get("/settings").to("/sign-in?next=%2Fsettings")
	}
}

// TestSignOutOnAFullDisk: the cookie is removed, and the sign-in is refused from memory until its end is stored.
func TestSignOutOnAFullDisk(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	here, there := s.signedIn("mira@example.org"), s.signedIn("mira@example.org")
	full := func(yes bool) {
		for _, table := range []string{"user_session", "session_data"} {
			for _, change := range []string{"INSERT", "UPDATE", "DELETE"} {
				name := "full_" + table + "_" + change
				if yes {
					s.exec(`CREATE TRIGGER ` + name + ` BEFORE ` + change + ` ON ` + table + ` BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`)
				} else {
					s.exec(`DROP TRIGGER ` + name)
				}
			}
		}
	}
	full(true)
	stolen := here.cookie("florin-session")
	here.post("/sign-out", nil).to("/sign-in")
	if got := here.cookie("florin-session"); got != "" {
		t.Errorf("the browser keeps %q", got)
	}
	thief := s.browser()
	thief.setCookie("florin-session", stolen)
	thief.get("/settings").to("/sign-in?next=%2Fsettings")
	there.get("/settings").status(http.StatusOK)
	if err := s.auth.WriteEnded(t.Context()); err == nil {
		t.Error("it was written on a full disk")
	}
	full(false)
	must(t, s.auth.WriteEnded(t.Context()))
	if list, err := auth.New(s.store).SignIns(t.Context(), mira.ID); err != nil || len(list) != 1 { // a new process knows only the database
		t.Errorf("%+v %v", list, err)
	}
}

// TestKnownBrowserHasItsOwnTries: strangers can use up the tries of the account, but not those of a browser in which the person signed in before.
func TestKnownBrowserHasItsOwnTries(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	s.user("otto@example.org")
	known := s.signedIn("mira@example.org")
	known.post("/sign-out", nil).to("/sign-in")
	stranger := s.signedIn("otto@example.org") // this browser is known, but for another user
	stranger.post("/sign-out", nil)
	for range 20 {
		stranger.post("/sign-in", credentials("mira@example.org", "wrong secret phrase"))
	}
	stranger.post("/sign-in", credentials("mira@example.org", password)).status(http.StatusTooManyRequests)
	forged := s.browser()
	forged.setCookie("florin-browser", known.cookie("florin-browser")+"A")
	forged.post("/sign-in", credentials("mira@example.org", password)).status(http.StatusTooManyRequests).has("Try again in", "florin user link")
	for range 4 {
		known.post("/sign-in", credentials("mira@example.org", "wrong secret phrase")).status(http.StatusUnprocessableEntity)
	}
	known.post("/sign-in", credentials("mira@example.org", password)).to("/")
	for range 5 { // its own tries are bounded too
		known.post("/sign-in", credentials("mira@example.org", "wrong secret phrase"))
	}
	known.post("/sign-in", credentials("mira@example.org", password)).status(http.StatusTooManyRequests)
}

// TestRefusedSignInsAreLogged (ASVS 16.3.1): the log has the user as a keyed hash, where the request came from, and why; no address, no password.
func TestRefusedSignInsAreLogged(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.browser()
	for range 6 {
		b.post("/sign-in", credentials("Mira@example.org", "wrong secret phrase"))
	}
	b = s.signedInAgain("otto@example.org")
	b.post("/settings/password", url.Values{"password": {"wrong secret phrase"}, "new_password": {"another long phrase"}})
	text := s.log.String()
	for _, want := range []string{
		`msg="proof of identity refused" for=sign-in account=` + s.auth.LogName("mira@example.org") + ` from=127.0.0.1 reason="wrong address or password"`,
		`msg="proof of identity refused" for=sign-in account=` + s.auth.LogName("mira@example.org") + ` from=127.0.0.1 reason="too many tries"`,
		`msg="proof of identity refused" for=step-up account=` + s.auth.LogName("otto@example.org") + ` from=127.0.0.1 reason="wrong password"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the log lacks %s\n%s", want, text)
		}
	}
	for _, secret := range []string{"mira@", "Mira@", "otto@", "wrong secret"} {
		if strings.Contains(text, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

// signedInAgain adds a user and signs in.
func (s *site) signedInAgain(email string) *browser {
	s.user(email)
	return s.signedIn(email)
}

// Settings say which sign-ins outlast the window of the browser.
func TestSettingsMarkRememberedSignIns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	brief, lasting := s.signedIn("mira@example.org"), s.browser()
	brief.get("/settings").lacks("Stays signed in")
	form := credentials("mira@example.org", password)
	form.Set("remember", "yes")
	lasting.post("/sign-in", form).to("/")
	if n := strings.Count(brief.get("/settings").body, "Stays signed in"); n != 1 {
		t.Errorf("%d of two sign-ins are marked as remembered, want 1", n)
	}
}

// TestEndOneSignIn: a sign-in elsewhere ends at once; the present one ends as with "Sign out".
func TestEndOneSignIn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	here, there := s.signedIn("mira@example.org"), s.signedIn("mira@example.org")
	signIns, err := s.auth.SignIns(t.Context(), mira.ID)
	must(t, err)
	if len(signIns) != 2 {
		t.Fatalf("%d sign-ins", len(signIns))
	}
	here.get("/settings").status(http.StatusOK).has("Firefox on Linux", "This device", "/settings/sign-ins/"+signIns[0].ID+"/end")
	var other, own finance.SignIn
	for _, v := range signIns { // the page has no form for its own sign-in
		if strings.Contains(here.get("/settings").body, v.ID) {
			other = v
		} else {
			own = v
		}
	}
	here.proves().post("/settings/sign-ins/"+other.ID+"/end", nil).to("/settings")
	here.get("/settings").status(http.StatusOK).has("That device is signed out.").lacks(other.ID)
	here.get("/settings").lacks("That device is signed out.") // said once
	there.get("/").to("/sign-in")
	here.post("/settings/sign-ins/"+other.ID+"/end", nil).status(http.StatusNotFound)
	here.post("/settings/sign-ins/"+own.ID+"/end", nil).to("/sign-in")
	here.get("/").to("/sign-in")
}

// TestChangePassword ends all other sign-ins, and asks for the present password.
func TestChangePassword(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	here, there := s.signedIn("mira@example.org"), s.signedIn("mira@example.org")
	before := here.cookie("florin-session")
	change := func(present, next string) *answer {
		return here.post("/settings/password", url.Values{"password": {present}, "new_password": {next}})
	}
	change(password, "brief one").status(http.StatusUnprocessableEntity).has("at least 10 characters", `aria-invalid="true"`).lacks("brief one")
	change("not the password", "another long phrase").status(http.StatusUnprocessableEntity).has("This is not your password").lacks("another long phrase")
	there.get("/settings").status(http.StatusOK)
	change(password, "another long phrase").to("/settings")
	here.get("/settings").status(http.StatusOK).has("The password is changed")
	there.get("/settings").to("/sign-in?next=%2Fsettings")
	if here.cookie("florin-session") == before {
		t.Error("the session kept its token")
	}
	s.browser().post("/sign-in", credentials("mira@example.org", password)).status(http.StatusUnprocessableEntity)
	s.browser().post("/sign-in", credentials("mira@example.org", "another long phrase")).to("/")
}

// TestSignInTellsNothing (security T22): an unknown address and a wrong password get the same answer. What was typed stays, except the password.
func TestSignInTellsNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	masked := func(email string) string {
		a := s.browser().post("/sign-in", url.Values{"email": {email}, "password": {"wrong secret phrase"}, "next": {"/settings"}})
		a.status(http.StatusUnprocessableEntity).has("The e-mail address or the password is wrong.", `value="`+email+`"`,
			`name="next" value="/settings"`).lacks("wrong secret phrase")
		return strings.ReplaceAll(a.body, email, "")
	}
	if known, unknown := masked("mira@example.org"), masked("nobody@example.org"); known != unknown {
		t.Error("the pages differ")
	}
}

// TestSignInIsThrottled (security T22), after a restart, too: the page says when to try again, and before that even the right password is refused.
func TestSignInIsThrottled(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	blocked := func(b *browser, secret string) {
		t.Helper()
		a := b.post("/sign-in", credentials("mira@example.org", secret)).status(http.StatusTooManyRequests)
		a.has("Too many attempts", "Try again in ").hasHeaders()
		if n, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || n < 1 || n > 60 {
			t.Errorf("Retry-After is %q", a.Header.Get("Retry-After"))
		}
	}
	b := s.browser()
	for range 5 {
		b.post("/sign-in", credentials("mira@example.org", "wrong secret phrase")).status(http.StatusUnprocessableEntity)
	}
	blocked(b, "wrong secret phrase")
	blocked(b, password)
	s.open() // another process on the same file
	blocked(s.browser(), password)
	s.user("otto@example.org")
	s.signedIn("otto@example.org") // other users can sign in
}

// TestThrottlingKnowsTheClient (security T37): behind a trusted proxy the client's own address counts. An untrusted header shows that the address belongs to a
// proxy that many people share: then only the account counts.
func TestThrottlingKnowsTheClient(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		site    *site
		blocked bool // whether the client that made the tries has to wait
	}{
		{"trusted proxy", newSite(t, proxied), true},
		{"proxy that is not trusted", newSite(t), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.site.user("mira@example.org")
			try := func(client, email, secret string) int {
				b := c.site.browser()
				r := b.request(http.MethodPost, "/sign-in", strings.NewReader(credentials(email, secret).Encode()))
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				r.Header.Set("X-Forwarded-For", client)
				return b.do(r).StatusCode
			}
			for i := range 20 {
				if got := try("192.0.2.7", "stranger"+strconv.Itoa(i)+"@example.org", "x"); got != http.StatusUnprocessableEntity {
					t.Fatalf("try %d: %d", i, got)
				}
			}
			if got := try("192.0.2.7", "mira@example.org", password) == http.StatusTooManyRequests; got != c.blocked {
				t.Errorf("the same client blocked: %t, want %t", got, c.blocked)
			}
			if got := try("198.51.100.9", "mira@example.org", password); got != http.StatusSeeOther {
				t.Errorf("another client: %d", got)
			}
		})
	}
}

// TestNextLeadsNowhereElse (security T13).
func TestNextLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	for _, c := range []struct{ next, to string }{
		{"/settings", "/settings"},
		{"/link?q=a%20b&country=DE", "/link?q=a%20b&country=DE"},
		{"/accounts/ABC?before=12", "/accounts/ABC?before=12"},
		{"", "/"},
		{"/", "/"},
		{"//evil.example", "/"},
		{"///evil.example", "/"},
		{`/\evil.example`, "/"},
		{`\\evil.example`, "/"},
		{"/%09/evil.example", "/"},
		{"/\t/evil.example", "/"},
		{"/\n/evil.example", "/"},
		{"/%5cevil.example", "/"},
		{"https:evil.example", "/"},
		{"https://evil.example/", "/"},
		{"javascript:alert(1)", "/"},
		{"data:text/html,x", "/"},
		{"evil.example", "/"},
		{"/..//evil.example", "/"},
		{"/nothing", "/"},
		{"/sign-out", "/"},
		{"/callback/embedded?state=x", "/"},
		{"/events?view=dashboard", "/"},
		{"/settings\r\nSet-Cookie: a=b", "/"},
		{"/" + strings.Repeat("a", 2000), "/"},
	} {
		q := url.Values{"next": {c.next}}.Encode()
		b.get("/sign-in?" + q).to(c.to) // signed in already
		form := credentials("mira@example.org", password)
		form.Set("next", c.next)
		if c.next == "//evil.example" || c.next == "/settings" { // the form takes the same way; a hash for each of them would take long
			s.browser().post("/sign-in", form).to(c.to)
		}
	}
}

// TestOwnerSeesWhoMaySignIn, and a member does not.
func TestOwnerSeesWhoMaySignIn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	s.user("otto@example.org")
	s.signedIn("mira@example.org").get("/settings/people").status(http.StatusOK).has("Who can sign in", "otto@example.org", "Owner")
	s.signedIn("otto@example.org").get("/settings").status(http.StatusOK).has("Member").lacks("/settings/people", "mira@example.org")
}

// TestSetup (security T38): becoming the owner needs the one-time link, which works once.
func TestSetup(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	token, err := s.auth.SetupToken(t.Context(), "")
	must(t, err)
	b := s.browser()
	b.get("/").to("/setup")
	b.get("/settings").to("/setup")
	b.get("/sign-in").to("/setup")
	b.get("/setup").status(http.StatusForbidden).has("Open the setup link").lacks("does not work", "Create account</button>")
	b.get("/setup?token=wrong").status(http.StatusForbidden).has("This link does not work")
	form := url.Values{"token": {"wrong"}, "email": {"mira@example.org"}, "password": {password}}
	b.post("/setup", form).status(http.StatusForbidden)

	b.get("/setup?token="+url.QueryEscape(token.Reveal())).status(http.StatusOK).has("Create account", `value="`+token.Reveal()+`"`)
	form.Set("token", token.Reveal())
	for _, c := range []struct{ email, password, problem string }{
		{"not an address", password, "An e-mail address looks like name@example.org."},
		{"mira@example.org", "short", "at least 10 characters"},
		{"mira@example.org", "mira@example.org", "too similar to the e-mail address"},
	} {
		form.Set("email", c.email)
		form.Set("password", c.password)
		b.post("/setup", form).status(http.StatusUnprocessableEntity).has(c.problem, `aria-invalid="true"`,
			`value="`+c.email+`"`).lacks(`value="` + c.password + `"` + " type")
	}
	form.Set("email", "Mira@Example.org")
	form.Set("password", password)
	b.post("/setup", form).to("/")
	b.get("/").status(http.StatusOK).has("No bank is linked yet", "mira@example.org")
	b.get("/setup").to("/")

	// The set-up is closed now.
	late := s.browser()
	late.get("/setup?token=" + url.QueryEscape(token.Reveal())).to("/sign-in")
	form.Set("email", "eve@example.org")
	late.post("/setup", form).to("/sign-in")
	late.get("/").to("/sign-in")
	users, err := s.store.Users(t.Context())
	must(t, err)
	if len(users) != 1 || users[0].Role != finance.RoleOwner {
		t.Errorf("users: %+v", users)
	}
	if valid, err := s.store.SetupTokenValid(t.Context(), token); err != nil || valid {
		t.Errorf("the token is still good (%v)", err)
	}
}
