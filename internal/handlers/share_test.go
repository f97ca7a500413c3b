package handlers_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"florin/internal/finance"
	"florin/internal/handlers"
	"florin/internal/handlers/shell"
	"florin/internal/live"
)

var liveAddress = regexp.MustCompile(`data-live="([^"]*)"`)

// live is the address of the stream of a page.
func (a *answer) live() string {
	a.t.Helper()
	found := liveAddress.FindStringSubmatch(a.body)
	if found == nil {
		a.t.Fatalf("%s has no stream", a.Request.URL)
	}
	return html.UnescapeString(found[1])
}

// reloads reads events until the page is to be loaded again.
func (l *listener) reloads() {
	l.t.Helper()
	for {
		name, _, ok := l.next()
		if !ok {
			l.t.Fatal("the stream has ended")
		}
		if name == shell.EventReload {
			return
		}
	}
}

// TestShareAnAccount: an owner shares an account with another person, limits the share and ends it. Each change takes effect at once, on open pages, too.
// Nothing else of the owner is shown, and nothing can be changed.
func TestShareAnAccount(t *testing.T) {
	t.Parallel()
	s, mira, own := linkedSite(t, transactions(60))
	ctx := t.Context()
	vera, err := s.auth.AddUser(ctx, "vera@example.org", password, finance.RoleViewer)
	must(t, err)
	s.user("otto@example.org")
	page, row := "/accounts/"+own.account, "/accounts/"+own.account+"/transactions/"+own.transaction
	mira.post(page+"/nickname", url.Values{"nickname": {"My secret name"}}).to(page)
	mira.post(row+"/annotation", url.Values{"note": {"My secret note"}, "tags": {"secrettag"}})
	shares := func(level finance.ShareLevel) {
		t.Helper()
		mira.post(page+"/share", url.Values{vera.ID: {string(level)}}).to(page)
	}
	viewer, stranger := s.signedIn("vera@example.org"), s.signedIn("otto@example.org")
	hides := []string{"/counts", "My secret", "secrettag", "/share\"", "nickname", "/import", "/export", "annotation"}

	first := viewer.listen(viewer.get("/").status(http.StatusOK).has("Nothing is shared with you yet").live())
	mira.get(page).has("Share this account")
	mira.get(page+"/share").status(http.StatusOK).has("Everybody here", "vera@example.org", "otto@example.org", "Balances only").lacks("has linked the same account")
	shares(finance.ShareBalances)
	first.reloads()
	mira.get(page).has("Shared with 1 person")
	dashboard := viewer.get("/").status(http.StatusOK).has("Shared by", "mira@example.org", page, `class="totals"`).lacks("Nothing is shared", "My secret", `href="/link"`, "/import")
	viewer.get(page).status(http.StatusOK).has("Only the balances are shared", "mira@example.org").lacks("Purchase", "Shop").lacks(hides...)
	viewer.get(row).status(http.StatusNotFound)
	stranger.get(page).status(http.StatusNotFound)
	limited := viewer.listen(viewer.get(page).live())

	follows := viewer.listen(dashboard.live())
	member := s.signedIn("otto@example.org")
	waits := member.listen(member.get("/").status(http.StatusOK).has("No bank is linked yet").live()) // the page of a person without accounts is updated, too
	shares(finance.ShareEverything)
	limited.reloads()
	follows.reloads()
	list := viewer.get(page).status(http.StatusOK).has("Shop", "pending transaction", `rel="next"`).lacks(hides...)
	viewer.get(html.UnescapeString(older.FindStringSubmatch(list.body)[1])).status(http.StatusOK).has(`rel="prev"`)
	viewer.get(page + "?before=x").status(http.StatusBadRequest)
	viewer.get(row).status(http.StatusOK).has("Shared by", "Dates").lacks(hides...).lacks("<form method=\"post\" action=\"/accounts", "Pay again")
	german := s.signedIn("vera@example.org")
	german.languages = "de"
	german.get(row).status(http.StatusOK).has("Geteilt von")

	// Routes that would change something are not found, or forbidden for viewers.
	otto := s.signedIn("otto@example.org").proves()
	mira.post(page+"/share", url.Values{"everybody": {"everything"}}).to(page)
	waits.reloads()
	otto.get(row).status(http.StatusOK)
	for _, route := range handlers.Routes() {
		if strings.HasSuffix(route.Pattern, "/news/seen") {
			continue // the mark is each person's own
		}
		if !strings.Contains(route.Pattern, "{account}") || route.Method == http.MethodGet && !strings.HasSuffix(route.Pattern, "/share") {
			continue
		}
		otto.ask(route.Method, own.fill(route.Pattern), route.Access).status(http.StatusNotFound)
		viewer.ask(route.Method, own.fill(route.Pattern), route.Access).status(http.StatusForbidden)
	}
	otto.get("/transactions/export?format=csv&account="+own.account).status(http.StatusOK).has("Shop").lacks("My secret", "secrettag")
	otto.get("/transactions").status(http.StatusOK).has("Shop", own.account).lacks("My secret", "secrettag", "Edit several")
	otto.get("/connections/" + own.connection).status(http.StatusNotFound)

	// A share ends at once, and the stream only asks the open page to load again.
	watched, overview := otto.listen(otto.get(page).live()), otto.listen(otto.get("/").live())
	mira.post(page+"/share", url.Values{"everybody": {""}}).to(page)
	watched.reloads()
	overview.reloads()
	for _, path := range []string{page, row} {
		otto.get(path).status(http.StatusNotFound).lacks("Shop")
		viewer.get(path).status(http.StatusNotFound).lacks("Shop")
	}
	otto.get("/").status(http.StatusOK).lacks("Shared by", own.account)
	late := otto.listen("/events?view=shared&level=everything&account=" + own.account) // the stream of a page that was opened before
	late.reloads()
	if _, err := s.store.SharedAccount(ctx, vera.ID, own.account); err == nil {
		t.Error("the account is still shared")
	}
	mira.post(page+"/share", url.Values{"everybody": {"all"}}).status(http.StatusUnprocessableEntity)
	mira.get(page + "/share").status(http.StatusOK).has("Nothing")
	s.hub.Publish(vera.ID, live.Event{Topic: shell.TopicShares})
}

// TestJointAccountCountsOnce: Florin tells two people that they linked the same account, and the total of the household counts it once.
func TestJointAccountCountsOnce(t *testing.T) {
	t.Parallel()
	s, mira, own := linkedSite(t, transactions(3))
	s.user("otto@example.org")
	otto := s.signedIn("otto@example.org")
	sum := func(b *browser, path string) string {
		t.Helper()
		_, rest, found := strings.Cut(b.get(path).status(http.StatusOK).body, `class="totals"`)
		text, _, ended := strings.Cut(rest, "</ul>")
		if !found || !ended {
			t.Fatal("there is no total")
		}
		return strings.Join(strings.Fields(tags.ReplaceAllString(text, " ")), " ")
	}
	owner, _, err := s.store.UserByEmail(t.Context(), "mira@example.org")
	must(t, err)
	page := "/accounts/" + own.account
	mira.get(page + "/share").lacks("has linked the same account")
	mira.post(page+"/share", url.Values{"everybody": {"balances"}}).to(page)
	alone := sum(otto, "/")
	if mine := sum(mira, "/"); alone == "" || alone == mine {
		t.Errorf("one account of several comes to %q, all to %q", alone, mine)
	}
	otto.get("/").lacks(`value="household"`)

	otto.link()
	mira.get(page+"/share").has("otto@example.org has linked the same account", "counts once")
	otto.get("/").has(`value="household"`, "Shared by", "Mine", "Household")
	if mine, all := sum(otto, "/"), sum(otto, "/?whose=household"); mine != all {
		t.Errorf("mine is %q and the household %q: the joint account counts twice", mine, all)
	}
	accounts, err := s.store.Accounts(t.Context(), owner.ID)
	must(t, err)
	for _, a := range accounts { // all of them are joint, so the household's total does not change
		mira.post(fmt.Sprintf("/accounts/%s/share", a.ID), url.Values{"everybody": {"everything"}})
	}
	if mine, all := sum(otto, "/"), sum(otto, "/?whose=household"); mine != all {
		t.Errorf("mine is %q and the household %q", mine, all)
	}
	mira.post("/accounts/new", url.Values{"name": {"Wallet"}, "currency": {"EUR"}, "amount": {"1000"}, "day": {"2026-01-01"}})
	accounts, err = s.store.Accounts(t.Context(), owner.ID)
	must(t, err)
	wallet := accounts[len(accounts)-1].ID
	mira.post("/accounts/"+wallet+"/share", url.Values{"everybody": {"everything"}}).to("/accounts/" + wallet)
	otto.get("/accounts/"+wallet).status(http.StatusOK).has("Wallet", "1,000")
	if mine, all := sum(otto, "/"), sum(otto, "/?whose=household"); mine == all {
		t.Errorf("the household is %q, without the wallet", all)
	}
}
