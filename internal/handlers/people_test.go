package handlers_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers"
	"florin/internal/handlers/shell"
	"florin/internal/sqlite"
)

var joinLink = regexp.MustCompile(`http://[^\s"<]+/join\?token=[^\s"<&]+`)

// invites makes an invitation and returns the path of its link. The browser has proven itself.
func (b *browser) invites(name string, role finance.Role) string {
	b.site.t.Helper()
	a := b.post("/settings/people/invitations", url.Values{"name": {name}, "role": {string(role)}}).status(http.StatusOK)
	link := html.UnescapeString(joinLink.FindString(a.body))
	if !strings.HasPrefix(link, b.site.url+"/join?token=") {
		b.site.t.Fatalf("there is no link\n%s", a.words())
	}
	return strings.TrimPrefix(link, b.site.url)
}

func joining(link, email, secret string) url.Values {
	_, token, _ := strings.Cut(link, "token=")
	return url.Values{"token": {token}, "email": {email}, "password": {secret}}
}

// TestInvitations: an owner makes a link, and the person who has it joins once, with an address and a password of their own. Links that do not work say why.
func TestInvitations(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	owner := s.signedIn("mira@example.org")
	owner.get("/settings").status(http.StatusOK).has("/settings/people")
	owner.post("/settings/people/invitations", url.Values{"name": {"Bo"}, "role": {"member"}}).status(http.StatusForbidden).has(asksAgain)
	owner.proves()
	owner.post("/settings/people/invitations", url.Values{"name": {" "}, "role": {"member"}}).status(http.StatusUnprocessableEntity).has("Enter whom the invitation is for.")
	owner.post("/settings/people/invitations", url.Values{"name": {"Bo"}, "role": {"emperor"}}).status(http.StatusUnprocessableEntity).has("Florin does not know this role.")
	link := owner.invites("Bo <3", finance.RoleMember)
	token := strings.TrimPrefix(link, "/join?token=")
	owner.get("/settings/people").status(http.StatusOK).has("Bo &lt;3", "until ", "Withdraw", "mira@example.org", "signed in on 1 device", "The only one, so this role stays").
		lacks(token)
	s.exec(`UPDATE invitation SET name = 'Bo'`)

	bo := s.browser()
	bo.get(link).status(http.StatusOK).has("Join this Florin", "invited as a member").hasHeaders()
	for _, c := range []struct{ email, secret, problem string }{
		{"bo", password, "An e-mail address looks like"},
		{"MIRA@example.org", password, "There is already a user with this e-mail address."},
		{"bo@example.org", "short", "at least 10 characters"},
	} {
		bo.post("/join", joining(link, c.email, c.secret)).status(http.StatusUnprocessableEntity).has(c.problem, `value="`+c.email+`"`, "mira@example.org invited you. You are invited as a member")
	}
	bo.post("/join", joining(link, " Bo@example.org ", password)).to("/")
	bo.get("/settings").status(http.StatusOK).has("bo@example.org", "Member").lacks("/settings/people")
	for _, path := range []string{"/settings/people", "/settings/services", "/settings/webhooks"} {
		bo.get(path).status(http.StatusNotFound)
	}
	if strings.Contains(s.log.String(), token) || strings.Contains(s.log.String(), "bo@example.org") {
		t.Error("the log holds the token or the address")
	}
	owner.get("/settings/people").status(http.StatusOK).has("bo@example.org", "Used").lacks("Withdraw the invitation")

	withdrawn, old := owner.invites("Tom", finance.RoleViewer), owner.invites("Ann", finance.RoleViewer)
	form := regexp.MustCompile(`action="(/settings/people/invitations/[^"]+/withdraw)"[^>]*><button[^>]*for Tom"`)
	found := form.FindStringSubmatch(owner.get("/settings/people").body)
	if found == nil {
		t.Fatal("nothing withdraws the invitation for Tom")
	}
	owner.post(found[1], nil).to("/settings/people")
	owner.post(found[1], nil).status(http.StatusNotFound)
	s.exec(`UPDATE invitation SET expires = $1 WHERE name = 'Ann'`, sqlite.At(time.Now().Add(-time.Second)))
	for link, why := range map[string]string{link: "was used already", withdrawn: "has withdrawn this invitation", old: "is too old", "/join?token=guess": "does not know this invitation",
		"/join": "does not know this invitation"} {
		s.browser().get(link).status(http.StatusNotFound).has(why, "/sign-in").hasHeaders()
		s.browser().post("/join", joining(link, "eve@example.org", password)).status(http.StatusNotFound).has(why)
	}
	german := s.browser()
	german.languages = "de"
	german.get(old).status(http.StatusNotFound).has("Diese Einladung ist zu alt.")
	owner.get("/settings/people").status(http.StatusOK).has("Withdrawn", "Expired")

	// Two at once: one joins, the other is refused. A user who was signed in on the browser before is signed out.
	link = owner.invites("Kim", finance.RoleMember)
	both := []*browser{s.browser(), s.signedIn("bo@example.org")}
	answers := make([]int, len(both))
	var wg sync.WaitGroup
	for n, b := range both {
		wg.Go(func() {
			answers[n] = b.post("/join", joining(link, []string{"kim@example.org", "sam@example.org"}[n], password)).StatusCode
		})
	}
	wg.Wait()
	slices.Sort(answers)
	if !slices.Equal(answers, []int{http.StatusSeeOther, http.StatusNotFound}) {
		t.Errorf("two at once: %v", answers)
	}
}

// TestRoles: owners change the roles of people; access is checked again with each request. There is always an owner.
func TestRoles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira, otto := s.user("mira@example.org"), s.user("otto@example.org")
	owner, member := s.signedIn("mira@example.org"), s.signedIn("otto@example.org").proves()
	gives := func(b *browser, u finance.User, role finance.Role) *answer {
		t.Helper()
		return b.post("/settings/people/"+u.ID+"/role", url.Values{"role": {string(role)}})
	}
	gives(owner, otto, finance.RoleOwner).status(http.StatusForbidden).has(asksAgain)
	owner.proves()
	gives(owner, mira, finance.RoleMember).status(http.StatusConflict).has("mira@example.org is the only owner", "Make somebody else an owner first.")
	gives(member, mira, finance.RoleMember).status(http.StatusNotFound)
	gives(owner, finance.User{ID: "nobody"}, finance.RoleMember).status(http.StatusNotFound)

	gives(owner, otto, finance.RoleOwner).to("/settings/people")
	owner.get("/settings/people").status(http.StatusOK).has("The new role of otto@example.org is: Owner.").lacks("The only one")
	open := member.proves().invites("friend", finance.RoleOwner)
	gives(owner, otto, finance.RoleMember).to("/settings/people")
	member.get("/settings/people").status(http.StatusNotFound)
	s.browser().get(open).status(http.StatusNotFound).has("has withdrawn this invitation")

	member.link()
	gives(owner, otto, finance.RoleViewer).status(http.StatusConflict).has("otto@example.org has accounts here")
	gives(owner, otto, finance.RoleOwner).to("/settings/people")
	gives(owner, mira, finance.RoleViewer).to("/settings")
	owner.get("/settings").status(http.StatusOK).has("Viewer", "The new role of mira@example.org is: Viewer.")
}

// changedByViewers are all forms that a viewer may send: about signing in, the viewer's own passkeys, apps and sign-ins, the language, the choice of accounts,
// the settings of the device, notices, and leaving.
var changedByViewers = []string{"/sign-in", "/sign-out", "/reset", "/join", "/settings/password", "/settings/language", "/settings/sign-ins/{sign_in}/end", "/settings/sign-ins/end",
	"/settings/passkeys", "/settings/passkeys/new", "/settings/passkeys/options", "/settings/passkeys/{passkey}", "/settings/passkeys/{passkey}/remove",
	"/settings/openid", "/settings/openid/remove", "/sign-in/openid/prove", "/notices/{notice}/close", "/whose",
	"/amounts", "/settings/device",
	"/settings/passkeys/prove", "/settings/authenticators", "/settings/authenticators/new", "/settings/authenticators/{authenticator}",
	"/settings/authenticators/{authenticator}/remove",
	"/settings/recovery-codes", "/settings/recovery-codes/file", "/settings/leave", "/accounts/{account}/news/seen"}

// withoutStep are the pages in the middle of several steps, with the status for a person who has not begun.
var withoutStep = map[string]int{"/second-factor": http.StatusSeeOther, "/settings/authenticators/new": http.StatusConflict}

// TestViewersChangeNothing crawls the route table: a viewer sees pages, can send only forms about their own sign-in and settings, and is told why.
func TestViewersChangeNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	_, err := s.auth.AddUser(t.Context(), "vera@example.org", password, finance.RoleViewer)
	must(t, err)
	vera := s.signedIn("vera@example.org")
	refused := 0
	for _, route := range handlers.Routes() {
		if route.Access == shell.Public || route.Access == shell.Setup || route.Access == shell.Stream || route.Access == shell.ByAddress {
			continue
		}
		path := wildcards.ReplaceAllString(strings.TrimSuffix(route.Pattern, "{$}"), "none")
		if route.Access == shell.SignedIn {
			if route.Method == http.MethodPost && !slices.Contains(changedByViewers, route.Pattern) {
				t.Errorf("viewers may send the form %s: it needs the access Member, or a line in this test", route.Pattern)
			}
			if a := vera.get(path); route.Method == http.MethodGet && a.StatusCode != http.StatusOK && a.StatusCode != http.StatusNotFound &&
				a.StatusCode != withoutStep[path] {
				t.Errorf("%s answers a viewer with %d", route.Pattern, a.StatusCode)
			}
			continue
		}
		a := vera.ask(route.Method, path, route.Access)
		if route.Access == shell.Owner {
			a.status(http.StatusNotFound)
			continue
		}
		refused++
		a.status(http.StatusForbidden).has("You cannot change anything here", "make you a member").hasHeaders()
	}
	if refused < 50 {
		t.Errorf("only %d routes were refused", refused)
	}
	vera.get("/").status(http.StatusOK).has("Nothing is shared with you yet").lacks("/link", "/budgets", "/reports", "/import")
	vera.get("/settings").status(http.StatusOK).has("Viewer").lacks("/settings/rates", "/settings/people")
}

var wildcards = regexp.MustCompile(`\{[a-z_]+\}`)
