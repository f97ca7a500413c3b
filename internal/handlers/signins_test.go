package handlers_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/handlers"
	"florin/internal/handlers/shell"
	"florin/internal/openid/openidtest"
	"florin/internal/sqlite"
)

// TestListOfSignIns: the settings say of each sign-in on which device it is, how it was proved, from which network it was last used, and since when. The person
// ends one, or all others at once, after a proof.
func TestListOfSignIns(t *testing.T) {
	t.Parallel()
	s, p := openIDSite(t)
	s.user("mira@example.org")
	s.user("otto@example.org")
	otto := s.signedIn("otto@example.org")
	here := s.linkedThere("mira@example.org")
	p.Be(openidtest.Person{Subject: "1"})
	there, far := s.browser(), s.signedIn("mira@example.org")
	s.linkedAs("mira@example.org", p.URL, "1")
	there.signInThere().to("/")
	here.get("/settings").status(http.StatusOK).has("Where you are signed in", "Firefox on Linux", "With the password", "With Home Login", "The machine on which Florin runs",
		"Sign out all other devices")
	s.exec(`UPDATE user_session SET network = '203.0.113.0/24', method = '', device = 'A browser' WHERE method = 'openid'`)
	here.get("/settings").has("Another network (203.0.113.…)", "Unknown browser").lacks("With Home Login<")

	here.post("/settings/sign-ins/end", nil).status(http.StatusForbidden).has(asksAgain)
	there.get("/settings").status(http.StatusOK)
	here.post("/settings/sign-ins/end", proof()).to("/settings")
	here.get("/settings").status(http.StatusOK).has("You are signed out on all other devices.").lacks("Sign out all other devices", "Unknown browser")
	there.get("/settings").to("/sign-in?next=%2Fsettings")
	far.get("/settings").to("/sign-in?next=%2Fsettings")
	otto.get("/settings").status(http.StatusOK)
}

// linkedAs gives somebody an account at a provider, in place of the one before.
func (s *site) linkedAs(email, issuer, subject string) {
	s.t.Helper()
	user, _, err := s.store.UserByEmail(s.t.Context(), email)
	must(s.t, err)
	s.exec(`DELETE FROM openid_identity WHERE user_id = $1`, user.ID)
	must(s.t, s.store.LinkIdentity(s.t.Context(), user.ID, issuer, subject))
}

// TestSignInsOfAViewer: a viewer sees and ends their own sign-ins, too.
func TestSignInsOfAViewer(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	_, err := s.auth.AddUser(t.Context(), "vera@example.org", password, finance.RoleViewer)
	must(t, err)
	here, there := s.signedIn("vera@example.org"), s.signedIn("vera@example.org")
	here.get("/settings").has("Sign out all other devices")
	here.post("/settings/sign-ins/end", proof()).to("/settings")
	there.get("/settings").to("/sign-in?next=%2Fsettings")
}

// TestANewPasswordTellsWhatStaysOpen: when a person sets a password by a link, the page before, the page after and the mail name the other ways to sign in,
// with a way to end them. Without other ways nothing is shown.
func TestANewPasswordTellsWhatStaysOpen(t *testing.T) {
	t.Parallel()
	s := newNamedSite(t)
	server := s.mailServer()
	mira := s.user("mira@example.org")
	s.user("otto@example.org")
	b := s.signedIn("mira@example.org")
	b.addsPasskey(s.device(), "Phone")
	b.addsPasskey(s.device(), "Laptop")
	reset := func(user finance.User, shown, hidden []string) {
		t.Helper()
		token, err := s.auth.ResetLink(t.Context(), user)
		must(t, err)
		fresh := s.browser()
		fresh.get("/reset?token=" + token.Reveal()).status(http.StatusOK).has(shown...).lacks(hidden...)
		fresh.post("/reset", url.Values{"token": {token.Reveal()}, "password": {"short"}}).status(http.StatusUnprocessableEntity).has(shown...).lacks(hidden...)
		fresh.post("/reset", url.Values{"token": {token.Reveal()}, "password": {"another long phrase"}}).to("/sign-in?reset=done")
		fresh.post("/sign-in", credentials(user.Email, "another long phrase")).to("/")
		fresh.get("/categories").has(shown...).lacks(hidden...)
	}
	const two, remove = "You can still sign in with 2 passkeys.", "Remove what you do not know."
	reset(mira, []string{two}, nil)
	const address = "Your calendar address still works: it needs no password."
	otto := s.otto()
	s.signedIn(otto.Email).makeCalendar(nil)
	reset(otto, []string{address}, []string{"still sign"})
	again := s.browser()
	again.post("/sign-in", credentials(otto.Email, "another long phrase")).to("/")
	again.get("/categories").has("Replace the calendar address", `href="/settings/calendar"`)
	must(t, s.auth.SetPassword(t.Context(), mira, "a third long phrase")) // the operator sets it
	last := s.browser()
	last.post("/sign-in", credentials("mira@example.org", "a third long phrase")).to("/")
	last.get("/categories").has("Whoever runs this server has set a new password for you", two, remove, `href="/settings#passkeys"`)
	last.get("/settings").has(`id="passkeys"`)
	told, calendars := 0, []string(nil)
	for _, m := range s.sendMails(server, 0) {
		if strings.Contains(m.Text, two) && strings.Contains(m.Text, remove) && m.To == "mira@example.org" {
			told++
		} else if strings.Contains(m.Text, "still sign") {
			t.Errorf("mail %+v", m)
		}
		if strings.Contains(m.Text, address) {
			calendars = append(calendars, m.To)
		}
	}
	if told != 2 || len(calendars) != 1 || calendars[0] != otto.Email {
		t.Errorf("%d mails name the passkeys, and mails about the calendar went to %q", told, calendars)
	}
}

// TestJoinAtAProvider: an invited person joins with the account at the provider, once, with the role of the invitation; with passwords and without.
func TestJoinAtAProvider(t *testing.T) {
	t.Parallel()
	for name, alone := range map[string]bool{"beside passwords": false, "alone": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s *site
			var p *openidtest.Provider
			if alone {
				s, p = openIDSite(t, withoutLocal)
			} else {
				s, p = openIDSite(t)
			}
			mira := s.user("mira@example.org")
			s.linkedAs("mira@example.org", p.URL, "mira")
			p.Be(openidtest.Person{Subject: "mira"})
			owner := s.browser()
			owner.signInThere().to("/")
			invites := func(who string, role finance.Role) url.Values {
				_, token, err := s.auth.Invite(t.Context(), mira, who, role)
				must(t, err)
				return url.Values{"token": {token.Reveal()}}
			}
			link := invites("Bo", finance.RoleViewer)
			page := s.browser().get("/join?"+link.Encode()).status(http.StatusOK).has("Join with Home Login", `formaction="/join/openid"`, "invited as a viewer")
			people := owner.get("/settings/people").status(http.StatusOK)
			if alone {
				page.lacks(`type="password"`)
				people.has("joins with an account at Home Login").lacks("chooses an e-mail address and a password")
				s.browser().post("/join", joining("/join?"+link.Encode(), "bo@example.org", password)).status(http.StatusForbidden).has("Florin takes no passwords here",
					"choose “Join with Home Login”", "Back to the invitation")
			} else {
				page.has(`type="password"`)
				people.has("chooses an e-mail address and a password")
			}
			joins := func(form url.Values, who openidtest.Person) *answer {
				p.Be(who)
				b := s.browser()
				return b.get(b.away(b.post("/join/openid", form)))
			}
			// A refused attempt does not use up the invitation.
			joins(link, openidtest.Person{Subject: "bo"}).status(http.StatusForbidden).has("did not share your e-mail address")
			joins(link, openidtest.Person{Subject: "bo", Email: "mira@example.org"}).status(http.StatusForbidden).has("Somebody has your e-mail address here already")
			joins(link, openidtest.Person{Subject: "mira", Email: "bo@example.org"}).status(http.StatusConflict).has("This account at Home Login cannot be linked")
			s.browser().post("/join/openid", url.Values{"token": {"guess"}}).status(http.StatusNotFound).has("does not know this invitation")

			p.Be(openidtest.Person{Subject: "bo", Email: "Bo@example.org"})
			b := s.browser()
			back := b.away(b.post("/join/openid", link))
			s.browser().get(back).status(http.StatusForbidden).has("This return from Home Login is no longer valid") // another browser
			late := s.browser()
			lateBack := late.away(late.post("/join/openid", link)) // two at once
			b.get(back).to("/")
			b.get("/settings").status(http.StatusOK).has("bo@example.org", "Viewer", "Linked since")
			late.get(lateBack).status(http.StatusNotFound).has("This invitation does not work", "while you were at Home Login")
			b.get(back).status(http.StatusForbidden)
			s.browser().signInThere().to("/") // and again, without the invitation
			s.browser().get("/join?" + link.Encode()).status(http.StatusNotFound).has("was used already")

			old := invites("Ann", finance.RoleMember)
			s.exec(`UPDATE invitation SET expires = $1 WHERE name = 'Ann'`, sqlite.At(time.Now().Add(-time.Second)))
			s.browser().post("/join/openid", old).status(http.StatusNotFound).has("is too old")
			if text := s.log.String(); strings.Contains(text, link.Get("token")) || strings.Contains(strings.ToLower(text), "bo@example.org") {
				t.Error("the log holds the token or the address")
			}
			if details := regexp.MustCompile(`joined by an invitation.*by="OpenID Connect"`).FindAllString(s.log.String(), -1); len(details) != 1 {
				t.Errorf("the log tells of %d who joined", len(details))
			}
		})
	}
}

// TestJoinWithoutAProvider: without a provider the address is not found, and the invitation stays open.
func TestJoinWithoutAProvider(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(*handlers.Options) {})
	mira := s.user("mira@example.org")
	_, token, err := s.auth.Invite(t.Context(), mira, "Bo", finance.RoleMember)
	must(t, err)
	form := url.Values{"token": {token.Reveal()}}
	s.browser().get("/join?" + form.Encode()).status(http.StatusOK).lacks("/join/openid")
	s.browser().post("/join/openid", form).status(http.StatusNotFound)
	if open, err := s.auth.OpenInvitation(t.Context(), token); err != nil || open.Name != "Bo" {
		t.Error(open, err)
	}
	if _, err := s.auth.OpenInvitation(t.Context(), "guess"); err != auth.ErrInvitation { //nolint:errorlint // the very one
		t.Error(err)
	}
}

// TestSignInsEndWithTheUser: removing a user signs them out everywhere at once.
func TestSignInsEndWithTheUser(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	otto := s.user("otto@example.org")
	one, two := s.signedIn("otto@example.org"), s.signedIn("otto@example.org")
	must(t, s.store.RemoveUser(t.Context(), otto.ID))
	for _, b := range []*browser{one, two} {
		b.get("/settings").to("/sign-in?next=%2Fsettings")
		b.post("/settings/language", url.Values{"language": {"de"}}).to("/sign-in")
	}
}

// TestEveryPageSignsOut: every page of a signed-in user has a button to sign out.
func TestEveryPageSignsOut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	pages := 0
	for _, route := range handlers.Routes() {
		if route.Method != http.MethodGet || route.Access == shell.Stream || strings.Contains(route.Pattern, "{") && route.Pattern != "/{$}" ||
			route.Pattern == "/offline" { // which is the same for everybody
			continue
		}
		a := b.get(strings.TrimSuffix(route.Pattern, "{$}"))
		if a.StatusCode != http.StatusOK || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
			continue
		}
		pages++
		a.has(`action="/sign-out"`)
	}
	if pages < 20 {
		t.Errorf("only %d pages were looked at", pages)
	}
}

var passwordField = regexp.MustCompile(`<input[^>]*name="(?:new_)?password"[^>]*>`)

// TestPasswordFields: what is typed stays hidden, and password managers and the clipboard may fill it in, whatever its length (ASVS 6.2.6, 6.2.7).
func TestPasswordFields(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	reset, err := s.auth.ResetLink(t.Context(), mira)
	must(t, err)
	_, invitation, err := s.auth.Invite(t.Context(), mira, "Bo", finance.RoleMember)
	must(t, err)
	for name, a := range map[string]*answer{"sign-in": s.browser().get("/sign-in"), "settings": b.get("/settings"),
		"step-up": b.post("/settings/sign-ins/end", nil), "reset": s.browser().get("/reset?token=" + reset.Reveal()),
		"join": s.browser().get("/join?token=" + invitation.Reveal())} {
		fields := passwordField.FindAllString(a.body, -1)
		if len(fields) == 0 {
			t.Errorf("%s has no password field", name)
		}
		for _, field := range fields {
			if !strings.Contains(field, ` type="password"`) || !regexp.MustCompile(` autocomplete="(current|new)-password"`).MatchString(field) ||
				regexp.MustCompile(` (on[a-z]+|readonly|maxlength|pattern)\b`).MatchString(field) {
				t.Errorf("%s: %s", name, field)
			}
		}
	}
}
