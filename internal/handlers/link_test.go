package handlers_test

import (
	"context"
	"html"
	"image/png"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"florin/internal/bank/apitest"
	"florin/internal/finance"
	"florin/internal/handlers"
	"florin/internal/logos"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
	"florin/internal/testkit"
)

// TestBankList is searched by name, BIC, group and country, without regard to case and accents, and sorted.
func TestBankList(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	for _, c := range []struct {
		query string
		found string // names in order
		words string
	}{
		{"", "Banca dell’Arno|Elbe Sparbank|Österbottens Sparbank", "3 banks"},
		{"q=SPARBANK", "Elbe Sparbank|Österbottens Sparbank", "2 banks"},
		{"q=osterbottens", "Österbottens Sparbank", "1 bank"},
		{"q=elbedehh", "Elbe Sparbank", "1 bank"},
		{"q=arno+group", "Banca dell’Arno", "1 bank"},
		{"q=italy", "Banca dell’Arno", "1 bank"},
		{"q=sparbank&country=FI", "Österbottens Sparbank", "1 bank"},
		{"country=DE", "Elbe Sparbank", "1 bank"},
		{"country=XX", "Banca dell’Arno|Elbe Sparbank|Österbottens Sparbank", "3 banks"},
		{"psu_type=business", "Banca dell’Arno", "1 bank"},
		{"psu_type=nonsense", "Banca dell’Arno|Elbe Sparbank|Österbottens Sparbank", "3 banks"},
		{"q=no+such+bank", "", "No bank found"},
	} {
		t.Run(c.query, func(t *testing.T) {
			a := b.get("/link?" + c.query)
			a.t = t
			a.status(http.StatusOK).has(c.words, `action="/link"`)
			var names []string
			for _, part := range strings.Split(a.body, `class="row-title" href="/link/bank?`)[1:] {
				_, rest, _ := strings.Cut(part, "<bdi>")
				name, _, _ := strings.Cut(rest, "</bdi>")
				names = append(names, html.UnescapeString(name))
			}
			if got := strings.Join(names, "|"); got != c.found {
				t.Errorf("found %q, want %q", got, c.found)
			}
		})
	}
	b.get("/link?q=<script>&country=DE").status(http.StatusOK).has(`value="&lt;script&gt;"`, `<option value="DE" selected>`)
	b.get("/link").has("New, may fail", "Simulated").lacks("Already linked")
	b.link()
	b.get("/link").status(http.StatusOK).has("Already linked")
}

// TestBankListWithoutTheService: the page says that the list is missing, and what to do.
func TestBankListWithoutTheService(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	s.service.Refuse("GET /aspsps", openbanking.Error{Code: openbanking.UnauthorizedIP})
	b.get("/link").status(http.StatusServiceUnavailable).has("The list of banks could not be fetched", "UNAUTHORIZED_IP")
	b.get("/link/bank?"+elbe.Encode()).status(http.StatusServiceUnavailable).has("The banks cannot be reached", "What to do")
	b.post("/link", elbe).status(http.StatusServiceUnavailable).has("The banks cannot be reached")
}

// TestLinkBank goes the whole way: confirm, leave, return, result.
func TestLinkBank(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	until := time.Now().UTC().Add(180*24*time.Hour - 5*time.Minute)
	b.get("/link/bank?"+elbe.Encode()).status(http.StatusOK).has("Elbe Sparbank", "Germany", "180 days, the longest that this bank allows",
		until.Format("2 January 2006"), "Simulated: no real money", `name="provider" value="embedded"`, `name="bank" value="Elbe Sparbank"`,
		`name="country" value="DE"`,
		`type="hidden" name="psu_type" value="personal"`)

	attempt := b.start(elbe)
	start, _ := s.service.last()
	if start.ASPSP != (openbanking.ASPSP{Name: "Elbe Sparbank", Country: "DE"}) || *start.PSUType != openbanking.PSUTypePersonal ||
		start.RedirectURL != s.url+"/callback/embedded" || start.State == "" {
		t.Errorf("POST /auth had %+v", start)
	}
	b.get(attempt).status(http.StatusOK).has("You are leaving for", `rel="noreferrer"`, `href="http://bank.test/ais/start?sessionid=1"`, "bank.test")

	b.get(s.back()).to(attempt)
	b.get(attempt).status(http.StatusOK).has("Elbe Sparbank</bdi> is linked", "2 new accounts", "Girokonto", "ending in 3000, EUR", "ending in 2051, SEK",
		"First sync: 0 of 2 accounts", `data-live="/events?view=progress&amp;busy=true&amp;connection=`, `http-equiv="refresh"`)
	b.get("/").status(http.StatusOK).has("First sync", "No balance yet").lacks("0.00")
	s.syncAll()
	b.get(attempt).status(http.StatusOK).has("is linked", "The sync is done", "Florin holds 7 transactions, back to ", "1,234.56").lacks("First sync", "http-equiv") // the first balances, without one more click
	b.get("/").status(http.StatusOK).has("1,234.56", "2,234.56", "Up to date", calendarDays(180*24*time.Hour-5*time.Minute)+" days left", "1 account",
		"Each currency is added up on its own").lacks("First sync")
}

// TestChoicesAreAsked: personal is proposed, or what was used last at the bank, and the choice is always shown. When a bank is already linked, the page asks
// whether to renew a connection or to add another person's login. What was chosen stays.
func TestChoicesAreAsked(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	arno := url.Values{"provider": {"embedded"}, "bank": {"Banca dell’Arno"}, "country": {"IT"}}
	b.get("/link/bank?"+arno.Encode()).status(http.StatusOK).has(`type="radio"`, `value="personal" checked`, "Business").lacks(`value="business" checked`,
		`name="again"`)
	b.post("/link", arno).status(http.StatusUnprocessableEntity).has("Choose which accounts", "Choose one of the two, then continue.")
	arno.Set("psu_type", "business")
	attempt := b.start(arno)
	if start, _ := s.service.last(); *start.PSUType != openbanking.PSUTypeBusiness {
		t.Errorf("psu_type is %s", *start.PSUType)
	}
	b.get(s.back()).to(attempt)
	calls := s.service.Count("POST /auth")
	first := s.connectionOf(mira, attempt)
	page := "/link/bank?" + url.Values{"provider": arno["provider"], "bank": arno["bank"], "country": arno["country"]}.Encode()
	b.get(page).status(http.StatusOK).has(`name="again" value="`+first+`" checked`, `name="again" value="another"`, "Renew this connection",
		"Add another login", "Girokonto",
		" days left", `value="business" checked`).lacks(`value="personal" checked`)
	b.get(page + "&again=another").has(`name="again" value="another" checked`).lacks(`value="` + first + `" checked`)
	for _, wrong := range []string{"", "yes", "somebody-elses"} {
		arno.Set("again", wrong)
		b.post("/link", arno).status(http.StatusUnprocessableEntity).has("You have linked this bank before", "Choose below, then continue.",
			`name="again" value="`+first+`" checked`, `value="business" checked`)
	}
	if s.service.Count("POST /auth") != calls {
		t.Error("POST /auth was sent all the same")
	}
	arno.Set("again", first)
	again := b.start(arno)
	b.get(s.back()).to(again)
	b.get(again).status(http.StatusOK).has("Your consent at <bdi>Banca dell’Arno</bdi> is renewed", "2 recognised", "Its history continues where it stopped.")
	if got := s.connectionOf(mira, again); got != first {
		t.Errorf("the renewal made the connection %s, want %s", got, first)
	}

	arno.Set("again", "another")
	other := b.start(arno)
	b.get(s.back()).to(other)
	b.get(other).status(http.StatusOK).has("2 recognised", "Your other connection to this bank keeps it up to date")
	second := s.connectionOf(mira, other)
	if second == first {
		t.Error("another person's login took the place of the first connection")
	}
	s.syncAll()
	b.get("/").status(http.StatusOK).has("Also gives access to", "Nothing to fetch", "1 account")
	b.get("/connections/"+second).status(http.StatusOK).has("Also gives access to", "Girokonto", "Your other connection keeps its accounts up to date.")
	b.get("/connections/" + first +
		"/disconnect").status(http.StatusOK).has("Your other connection to this bank keeps these up to date").lacks("You keep these accounts yourself")
	b.post("/connections/"+first+"/disconnect", nil).to("/")
	s.syncAll()
	b.get("/connections/"+second).status(http.StatusOK).has("Up to date", "Girokonto").lacks("Also gives access to")
	b.get("/connections/" + first).status(http.StatusNotFound) // nothing of it is left
}

// TestStartFails: when a link cannot start, the bank's page is shown again, with the reason, who must act, the code and the request ID.
func TestStartFails(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	for _, c := range []struct {
		code openbanking.ErrorCode
		text string
	}{
		{openbanking.RedirectURINotAllowed, "Florin’s redirect URL is not registered"},
		{openbanking.WrongASPSPProvided, "Elbe Sparbank is no longer offered"},
		{openbanking.ASPSPError, "Elbe Sparbank has a problem"},
		{"SOMETHING_NEW", "Something went wrong"},
	} {
		s.service.Refuse("POST /auth", openbanking.Error{Code: c.code, Status: 422, Message: "<b>the service says</b>"})
		b.post("/link", elbe).status(http.StatusServiceUnavailable).has(c.text, "Who has to act", string(c.code), apitest.RequestID,
			"&lt;b&gt;the service says").lacks("<b>the")
	}
}

// When a bank does not answer the start of a link, the person reads so on the bank's page before the browser's connection times out, and can try again.
func TestStartIsNotAnswered(t *testing.T) {
	t.Parallel()
	testkit.Long(t, testkit.Waits)
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	hold := make(chan struct{})
	s.service.Hold("POST /auth", hold)
	b.post("/link", elbe).status(http.StatusServiceUnavailable).has("Elbe Sparbank does not answer", "Try again in a few minutes, or choose another bank",
		`action="/link"`)
	close(hold)
	b.start(elbe) // it answers again
}

// When the bank does not answer after the return, the page says so, and the link is completed in the background.
func TestCallbackIsNotAnswered(t *testing.T) {
	t.Parallel()
	testkit.Long(t, testkit.Waits)
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	hold := make(chan struct{})
	s.service.Hold("POST /sessions", hold)
	b.get(s.back()).to(attempt)
	b.get(attempt).status(http.StatusConflict).has("Elbe Sparbank has not answered yet", "Load the page again", attempt)
	close(hold)
	for b.get(attempt).StatusCode != http.StatusOK {
		time.Sleep(10 * time.Millisecond)
	}
	b.get(attempt).status(http.StatusOK).has("Elbe Sparbank")
}

// TestCallbackRefusals (security T10): a state that is missing, wrong, used, too old, of another browser, of another user or of another provider is refused,
// and the service is not called.
func TestCallbackRefusals(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	s.user("eve@example.org")
	b, eve := s.signedIn("mira@example.org"), s.signedIn("eve@example.org")
	stranger := s.browser()
	started := func() string {
		b.start(elbe)
		return s.back()
	}
	used := started()
	b.get(used).status(http.StatusSeeOther)
	mixed := s.browser() // Mira began here, and then Eve signed in
	mixed.post("/sign-in", credentials("mira@example.org", password))
	mixed.start(withAgain())
	other := s.back()
	mixed.post("/sign-out", nil)
	mixed.post("/sign-in", credentials("eve@example.org", password))

	again := func() string {
		b.start(withAgain())
		return s.back()
	}
	old := again()
	start, _ := s.service.last()
	s.exec(`UPDATE link_attempt SET expires = $1 WHERE status = 'open'`, sqlite.At(time.Now().Add(-time.Second)))
	open := again()
	eveOpen := func() string { eve.start(elbe); return s.back() }()
	calls := s.service.Count("POST /sessions")
	for _, c := range []struct {
		name string
		b    *browser
		path string
	}{
		{"no state", b, "/callback/embedded?code=code-1"},
		{"nothing at all", b, "/callback/embedded"},
		{"wrong state", b, "/callback/embedded?code=code-1&state=wrong"},
		{"second use", b, used},
		{"expired", b, old},
		{"other browser", stranger, open},
		{"other user", eve, open},
		{"other user in the browser that began it", mixed, other},
		{"somebody else's state", b, eveOpen},
		{"other provider", b, strings.Replace(open, "/callback/embedded", "/callback/remote", 1)},
		{"state twice", b, open + "&state=" + start.State},
		{"code twice", b, open + "&code=code-1"},
	} {
		a := c.b.get(c.path)
		if a.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: status %d to %s", c.name, a.StatusCode, a.Header.Get("Location"))
			continue
		}
		a.has("This return from a bank is not valid", "What to do").hasHeaders()
	}
	if got := s.service.Count("POST /sessions"); got != calls {
		t.Errorf("POST /sessions was sent %d times", got-calls)
	}
	b.get(open).status(http.StatusSeeOther) // the refused requests have not used it up
	if got := s.service.Count("POST /sessions"); got != calls+1 {
		t.Errorf("POST /sessions was sent %d times, want once", got-calls)
	}
}

// connectionOf is the connection that an attempt made or renewed.
func (s *site) connectionOf(user finance.User, attempt string) string {
	s.t.Helper()
	done, err := s.store.Attempt(s.t.Context(), user.ID, strings.TrimPrefix(attempt, "/link/"))
	must(s.t, err)
	return done.ConnectionID
}

// withAgain is the form for a bank that is linked already.
func withAgain() url.Values {
	form := maps.Clone(elbe)
	form.Set("again", "another")
	return form
}

// TestReturnAfterTheSignInRanOut (security F19): the link is completed, the result is shown after signing in.
func TestReturnAfterTheSignInRanOut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	s.exec(`UPDATE user_session SET created = $1`, sqlite.At(time.Now().Add(-13*time.Hour)))
	b.get(s.back()).to(attempt)
	if got := s.service.Count("POST /sessions"); got != 1 {
		t.Errorf("POST /sessions was sent %d times", got)
	}
	a := b.get(attempt).to("/sign-in?next=" + url.QueryEscape(attempt))
	b.get(a.Header.Get("Location")).status(http.StatusOK).has(`name="next" value="` + attempt + `"`).lacks("Elbe")
	sign := credentials("mira@example.org", password)
	sign.Set("next", attempt)
	b.post("/sign-in", sign).to(attempt)
	b.get(attempt).status(http.StatusOK).has("is linked", "Girokonto")
}

// TestResultPages: a cancelled link is not shown as an error. Every error says what happened, who must act, and its code.
func TestResultPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	for _, c := range []struct {
		name, query string // after the state
		refuse      openbanking.Error
		has         []string
		lacks       string
	}{
		{"cancelled", "error=access_denied&error_description=cancelled", openbanking.Error{}, []string{"No access was given", "cancelled</bdi>", "Start again"},
			"Who has to act"},
		{"server error", "error=server_error&error_description=" + url.QueryEscape(`<img src=x onerror=alert(1)>`), openbanking.Error{},
			[]string{"Elbe Sparbank could not finish", "Who has to act", "&lt;img src=x onerror=alert(1)&gt;", "server_error"}, "<img src=x"},
		{"an error that nobody knows", "error=" + url.QueryEscape(`"><script>`), openbanking.Error{},
			[]string{"The banking service answered with a code that Florin does not know", "&#34;&gt;&lt;script&gt;"}, "><script>"},
		{"neither code nor error", "", openbanking.Error{}, []string{"Elbe Sparbank gave no answer"}, "is linked"},
		{"code too old", "code=code-1", openbanking.Error{Code: openbanking.ExpiredAuthorizationCode},
			[]string{"The bank’s answer came too late", "EXPIRED_AUTHORIZATION_CODE", apitest.RequestID}, "is linked"},
		{"code used", "code=code-1", openbanking.Error{Code: openbanking.AlreadyAuthorized}, []string{"This link is already finished", "ALREADY_AUTHORIZED"},
			"is linked"},
		{"no accounts", "code=code-1", openbanking.Error{Code: openbanking.NoAccountsAdded}, []string{"No account may be read yet", "control panel"}, "is linked"},
		{"somebody else's authorisation", "code=code-1", openbanking.Error{}, []string{"The approval belongs to somebody else", "mismatch"}, "is linked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.t = t
			b.start(elbe) // so that the code of the first start is never the right one
			attempt := b.start(elbe)
			start, _ := s.service.last()
			if c.refuse.Code != "" {
				s.service.Refuse("POST /sessions", c.refuse)
			} else {
				s.service.Allow("POST /sessions")
			}
			b.get("/callback/embedded?state=" + start.State + "&" + c.query).to(attempt)
			a := b.get(attempt).status(http.StatusOK).has(c.has...).lacks(c.lacks)
			a.has("/link/bank?bank=Elbe+Sparbank&amp;country=DE&amp;provider=embedded&amp;psu_type=personal")
		})
	}
	s.t = t
	b.get("/").status(http.StatusOK).has("No bank is linked yet")
}

// TestNobodyCameBack: an attempt that is too old says so. When the service sent something other than a web address, the page has no link to it.
func TestNobodyCameBack(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	s.exec(`UPDATE link_attempt SET url = 'javascript:alert(1)'`)
	b.get(attempt).status(http.StatusOK).has("Something went wrong in Florin").lacks("javascript:")
	s.exec(`UPDATE link_attempt SET status = 'used'`)
	b.get(attempt).status(http.StatusConflict).has("has not answered yet", attempt)
	s.exec(`UPDATE link_attempt SET expires = $1`, sqlite.At(time.Now().Add(-time.Second)))
	b.get(attempt).status(http.StatusOK).has("You did not come back in time", "Start again")
}

// TestConnectionPage: the page shows results for each account and scope, refreshes the connection, and disconnects it with the history kept.
func TestConnectionPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	s.service.Refuse("GET /accounts/{uid}/balances", openbanking.Error{Code: openbanking.ASPSPError, Message: "down for the night"})
	b.get(s.back()).to(attempt)
	s.syncAll()
	own := s.thingsOf(mira, attempt)
	page := "/connections/" + own.connection
	b.get(page).status(http.StatusOK).has("Problem at the bank", "ASPSP_ERROR", "Elbe Sparbank has a problem", apitest.RequestID, "AUTHORIZED", "Personal",
		"Details", "Balances", "Transactions", "7 new", "Refresh", "Stop syncing, keep the history…", "Delete the data…", "data-live")
	b.get("/accounts/"+own.account).status(http.StatusOK).has("Problem at the bank", "Florin shows the data of the last successful sync.", "No balance yet",
		"Shop 0")

	s.service.Allow("GET /accounts/{uid}/balances")
	b.post(page+"/refresh", nil).to(page)
	b.get(page).status(http.StatusOK).has("A sync is running already.", "disabled")
	s.syncAll()
	b.get(page).status(http.StatusOK).has("Up to date").lacks("ASPSP_ERROR", "A sync is running")

	b.get(page+"/disconnect").status(http.StatusOK).has("2 accounts and 7 transactions stay in Florin", "Girokonto")
	b.post(page+"/disconnect", nil).to("/")
	if got := s.service.Count("DELETE /sessions/{id}"); got != 1 {
		t.Errorf("DELETE /sessions was sent %d times", got)
	}
	b.get("/").status(http.StatusOK).has("Elbe Sparbank is no longer synced, and the consent has ended. You keep its accounts yourself", "1,234.56", "Kept by you").lacks("Up to date", "no longer updated")
	b.get(page).status(http.StatusOK).has("Disconnected", "You disconnected the bank at ", "Reconnect</a>").lacks("Refresh", "Stop syncing")
	b.get(page + "/disconnect").to(page)
	b.post(page+"/refresh", nil).to(page)
	b.get(page).has("The connection has ended. Link the bank again.")
	b.get("/accounts/"+own.account).status(http.StatusOK).has("Shop 0", "Florin no longer reads this account at the bank",
		"You disconnected the bank at ", "You keep this account yourself now.", "Opening balance", "/add")
}

// TestInaccessibleAccount: an account that the bank names without giving access is marked so, and no page waits for its data.
func TestInaccessibleAccount(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	blocked := accountOf("3", "DE75512108001245126199", "EUR", "Sperrkonto")
	blocked.UID = nil
	s.service.accounts = append(s.service.accounts, blocked)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	b.get(s.back()).to(attempt)
	b.get(attempt).status(http.StatusOK).has("2 new accounts, 1 without access", "Sperrkonto")
	s.syncAll()
	b.get("/").status(http.StatusOK).has("Sperrkonto", "No access", "Up to date").lacks("No balance yet")
}

// TestConsentIsAlwaysVisible: days left, a notice when few are left, and "reconnect" as a normal state.
func TestConsentIsAlwaysVisible(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	b.link()
	y, m, d := time.Now().UTC().Date()
	endOfDay := func(days int) time.Duration { return time.Until(time.Date(y, m, d+days, 23, 59, 59, 0, time.UTC)) }
	for _, c := range []struct {
		left time.Duration
		has  []string
	}{
		{endOfDay(100), []string{"100 days left"}},
		{endOfDay(14), []string{"14 days left", "Your consent at Elbe Sparbank ends", "Renew"}},
		{endOfDay(1), []string{"1 day left", "Renew"}},
		{time.Hour, []string{"Ends ", "Renew"}},
		{-time.Hour, []string{"Consent ended", "Elbe Sparbank is no longer updated", "Your consent ended ", "Reconnect", "1,234.56"}},
	} {
		s.exec(`UPDATE connection SET valid_until = $1`, sqlite.At(time.Now().Add(c.left)))
		b.get("/").status(http.StatusOK).has(c.has...)
	}
}

// calendarDays is how many days by the calendar a moment lies ahead, in UTC, where the site is.
func calendarDays(ahead time.Duration) string {
	date := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	now := time.Now().UTC()
	return strconv.Itoa(int(date(now.Add(ahead)).Sub(date(now)) / (24 * time.Hour)))
}

// TestDisconnectWithoutTheService ends the connection here and says that the end was not confirmed; the service is asked again in the background.
func TestDisconnectWithoutTheService(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	b.get(s.back()).to(attempt)
	s.syncAll()
	page := "/connections/" + s.thingsOf(mira, attempt).connection
	s.service.Refuse("DELETE /sessions/{id}", openbanking.Error{Code: openbanking.UnauthorizedIP})
	b.post(page+"/disconnect", nil).to("/")
	b.get("/").status(http.StatusOK).has("Elbe Sparbank is no longer synced. The banking service has not confirmed yet", "notice notice-warning", "The consent at Elbe Sparbank is being ended")
	b.get(page).status(http.StatusOK).has("The banking service has not confirmed yet that the consent has ended. Florin asks again", "Reconnect</a>")

	s.service.Allow("DELETE /sessions/{id}")
	s.exec(`UPDATE session_end SET due = '2020-01-01T00:00:00.000Z'`)
	next, err := s.linking.EndSessions(t.Context())
	must(t, err)
	if got := s.service.Count("DELETE /sessions/{id}"); got != 2 || !next.IsZero() {
		t.Errorf("DELETE /sessions was sent %d times, next %v", got, next)
	}
	b.get("/").status(http.StatusOK).lacks("being ended")
	b.get(page).status(http.StatusOK).has("Disconnected").lacks("has not confirmed")
}

// The pain of banks that look alike: each bank has its logo, which comes from this server, or keeps its coin where there is none. The same bank through two
// services is listed with the names of the services.
func TestLogosAndServicesOfBanks(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	s := newSite(t, func(o *handlers.Options) {
		o.Logo = func(_ context.Context, p finance.Provider, b openbanking.ASPSP) ([]byte, error) {
			asked <- p.ID + " " + b.Name + " " + b.Country
			if b.Country != "DE" {
				return nil, logos.ErrNone
			}
			return []byte("a picture"), nil
		}
	})
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	const logo = "/link/logo?bank=Elbe+Sparbank&country=DE&provider=embedded"
	b.get("/link").has(`<img src="`+html.EscapeString(logo)+`" alt=""`, `loading="lazy"`).lacks(`src="http`, "through <bdi>")
	b.get("/link/bank?" + elbe.Encode()).has(`<img src="` + html.EscapeString(logo) + `" alt=""`)
	a := b.get(logo).status(http.StatusOK)
	if a.body != "a picture" || a.Header.Get("Content-Type") != "image/png" || !strings.HasPrefix(a.Header.Get("Cache-Control"), "private, max-age=") {
		t.Errorf("%q, %v", a.body, a.Header)
	}
	if got := <-asked; got != "embedded Elbe Sparbank DE" {
		t.Errorf("asked for %q", got)
	}
	none := b.get("/link/logo?bank=Elbe+Sparbank&country=IT&provider=embedded").status(http.StatusOK)
	if picture, err := png.Decode(strings.NewReader(none.body)); err != nil || picture.Bounds().Dx() != 1 {
		t.Errorf("%v, %v", picture, err)
	}
	b.get("/link/logo?bank=Elbe+Sparbank&country=DE&provider=unknown").status(http.StatusNotFound)
	s.browser().get(logo).status(http.StatusSeeOther)

	provider, err := s.store.Provider(t.Context(), "embedded")
	must(t, err)
	provider.ID, provider.Name, provider.Environment = "second", "Second Service", openbanking.EnvironmentProduction
	must(t, s.store.SaveProvider(t.Context(), provider))
	list := b.get("/link").status(http.StatusOK).has("through <bdi>Second Service</bdi>", "through <bdi>Simulated banks</bdi>", "Simulated banks for developers")
	banks, simulated, folded := strings.Cut(list.body, "Simulated banks for developers")
	if !folded || strings.Count(banks, "Elbe Sparbank</bdi>") != 1 || strings.Count(simulated, "Elbe Sparbank</bdi>") != 1 || strings.Contains(banks, "through <bdi>Simulated") {
		t.Error("the simulated bank is listed among the real ones")
	}
	b.get("/link?q=sparbank&country=DE").has("2 banks", "through <bdi>Second Service</bdi>")
	b.languages = "de"
	b.get("/link").has("Simulierte Banken für Entwickler", "Deutschland", "Weitere Banken")
}
