package handlers_test

import (
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// renewing is the form that renews a connection.
func renewing(connection string) url.Values {
	form := maps.Clone(elbe)
	form.Set("again", connection)
	return form
}

// linked signs somebody in who has linked Elbe Sparbank, and returns the connection.
func (s *site) linked(email string) (finance.User, *browser, finance.Connection) {
	s.t.Helper()
	user := s.user(email)
	b := s.signedIn(email)
	b.link()
	return user, b, s.only(user)
}

// only is the one connection of a user.
func (s *site) only(user finance.User) finance.Connection {
	s.t.Helper()
	all, err := s.store.Connections(s.t.Context(), user.ID)
	must(s.t, err)
	if len(all) != 1 {
		s.t.Fatalf("%d connections", len(all))
	}
	return all[0]
}

// A consent is renewed in place, from 14 days before its end. A person who cancels keeps the old one.
func TestRenewInPlace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira, b, before := s.linked("mira@example.org")
	page := "/connections/" + before.ID
	b.get(page).status(http.StatusOK).lacks(">Renew<")
	s.exec(`UPDATE connection SET valid_until = $1`, sqlite.At(time.Now().Add(10*24*time.Hour)))
	before = s.only(mira)
	offer := "/link/bank?again=" + before.ID + "&amp;bank=Elbe+Sparbank&amp;country=DE&amp;provider=embedded&amp;psu_type=personal"
	b.get(page).status(http.StatusOK).has("Your consent at Elbe Sparbank ends on", `href="`+offer+`"`, ">Renew<")
	b.get("/").status(http.StatusOK).has(`href="` + offer + `"`)

	as := func(step string) {
		t.Helper()
		now := s.only(mira)
		if now.ValidUntil != before.ValidUntil || now.Authorized != before.Authorized || now.Status != finance.ConnectionActive {
			t.Errorf("%s: the connection is %+v, and was %+v", step, now, before)
		}
		if n := s.service.Count("DELETE /sessions/{id}"); n != 0 {
			t.Errorf("%s: %d sessions were ended", step, n)
		}
		s.exec(`UPDATE sync_task SET next_attempt_at = $1, reads = ''`, sqlite.At(time.Now()))
		s.syncAll()
		b.get(page).status(http.StatusOK).has("Up to date", ">Renew<")
	}
	b.get(strings.ReplaceAll(offer, "&amp;", "&")).status(http.StatusOK).has("Renew this connection", `value="`+before.ID+`" checked`)
	as("the page of the bank")
	attempt := b.start(renewing(before.ID))
	b.get(attempt).status(http.StatusOK).has("You are leaving for", `href="`+page+`">Stay in Florin`)
	as("the leaving page")
	start, _ := s.service.last()
	b.get("/callback/embedded?error=access_denied&state=" + start.State).to(attempt)
	b.get(attempt).status(http.StatusOK).has("No access was given", "Nothing was renewed. Your old consent still works. It ends on")
	as("cancelled at the bank")
	for _, call := range []string{"POST /sessions", "GET /sessions/{id}"} {
		attempt = b.start(renewing(before.ID))
		s.service.Refuse(call, openbanking.Error{Code: openbanking.ASPSPError})
		b.get(s.back()).to(attempt)
		b.get(attempt).status(http.StatusOK).has("Nothing was renewed. Your old consent still works.")
		s.service.Allow(call)
		if call == "GET /sessions/{id}" { // the new session, which nobody needs, was ended
			s.service.Forget()
		}
		as("failed with " + call)
	}

	attempt = b.start(renewing(before.ID))
	_, n := s.service.last()
	s.service.rows["uid-1"] = append(transactions(9)[7:9], s.service.rows["uid-1"]...)
	b.get(s.back()).to(attempt)
	s.service.Lock()
	if !s.service.ended["session-1"] || s.service.ended["session-"+strconv.Itoa(n)] {
		t.Errorf("ended sessions are %v, want the first one, not %d", s.service.ended, n)
	}
	s.service.Unlock()
	b.get(attempt).status(http.StatusOK).has("Your consent at <bdi>Elbe Sparbank</bdi> is renewed", "2 recognised", "Its history continues where it stopped.")
	s.syncAll()
	b.get(attempt).status(http.StatusOK).has("The sync is done", "Florin holds 9 transactions", "Its history continues without a gap. Florin had read it until").
		lacks("is not renewed", "missing")
	after := s.only(mira)
	if after.ID != before.ID || !after.ValidUntil.After(before.ValidUntil.AddDate(0, 0, 100)) || !after.Created.Equal(before.Created) {
		t.Errorf("the connection is %+v, and was %+v", after, before)
	}
	b.get(page).status(http.StatusOK).has("Up to date", "180 days, from").lacks(">Renew<")
}

// The result of a renewal lists new, recognised and missing accounts, and gaps that the bank leaves.
func TestRenewalTellsTheDifference(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira, b, before := s.linked("mira@example.org")
	s.service.accounts = []openbanking.AccountResource{s.service.accounts[0], accountOf("3", "DE75512108001245126199", "EUR", "Tagesgeld")}
	attempt := b.start(renewing(before.ID))
	b.get(s.back()).to(attempt)
	s.syncAll()
	b.get(attempt).status(http.StatusOK).has("is renewed", "1 new account, 1 recognised, 1 not shared", "Tagesgeld", "You did not share it this time.")
	if s.only(mira).ID != before.ID {
		t.Error("it is another connection")
	}
	s.exec(`UPDATE link_account SET read_until = '2026-05-01T08:00:00.000Z', read_from = '2026-06-02' WHERE outcome = 'recognised'`)
	b.get(attempt).status(http.StatusOK).has("The bank gives its transactions only from 2 June 2026 on. Those between 1 May 2026 and then are missing. You can import them")
	s.exec(`UPDATE connection SET valid_until = $1`, sqlite.At(time.Now().Add(24*time.Hour)))
	b.get(attempt).status(http.StatusOK).has("Florin asked for access until", "The bank gave less.")
}

// When a person signs in at the bank with another login, nothing is renewed, and the page says what was made instead.
func TestRenewalWithAnotherLogin(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira, b, before := s.linked("mira@example.org")
	s.exec(`UPDATE connection SET valid_until = $1`, sqlite.At(time.Now().Add(10*24*time.Hour)))
	hers := s.service.accounts
	s.service.accounts = []openbanking.AccountResource{accountOf("3", "DE75512108001245126199", "EUR", "Tagesgeld")}
	attempt := b.start(renewing(before.ID))
	b.get(s.back()).to(attempt)
	s.syncAll()
	b.get(attempt).status(http.StatusOK).has("<bdi>Elbe Sparbank</bdi> is linked", "The connection that you wanted to renew is not renewed",
		"You signed in with another login there, or chose other accounts. Florin has made a new connection.", "Your old consent still works. It ends on",
		"again="+before.ID).lacks("is renewed<")
	now, err := s.store.Connection(t.Context(), mira.ID, before.ID)
	must(t, err)
	if now.Authorized != before.Authorized || now.Status != finance.ConnectionActive || s.service.Count("DELETE /sessions/{id}") != 0 {
		t.Errorf("the connection is %+v, and was %+v", now, before)
	}
	other := s.connectionOf(mira, attempt)
	if other == before.ID {
		t.Fatal("it was renewed")
	}

	s.service.accounts = hers // now the other connection is to be renewed, but the login is her own
	attempt = b.start(renewing(other))
	b.get(s.back()).to(attempt)
	b.get(attempt).status(http.StatusOK).has("is renewed", "The accounts to which the bank gave access belong to another connection of yours. Florin has renewed that one instead.")
	if got := s.connectionOf(mira, attempt); got != before.ID {
		t.Errorf("%s was renewed, want %s", got, before.ID)
	}
}

// Access is given for a shorter time on request. A time that is not possible is explained, and stays in its field.
func TestShorterConsent(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	b.get("/link/bank?"+elbe.Encode()).status(http.StatusOK).has("Give access for a shorter time", `name="until"`).lacks("open>")
	form := maps.Clone(elbe)
	for typed, text := range map[string]string{
		"0":          "Access has to last one day or more. Enter a number of days or a day after today.",
		"181":        "The bank allows 180 days at most, until " + time.Now().UTC().Add(180*24*time.Hour-5*time.Minute).Format("2 January 2006"),
		"2020-01-01": "Access has to last one day or more.",
		"2027-02-29": "2027 is not a leap year",
		"31.11.2026": "The date 2026-11-31 does not exist.",
		"a month":    "Enter a number of days like 30, or a day like 2026-12-31 or 31.12.2026.",
	} {
		form.Set("until", typed)
		b.post("/link", form).status(http.StatusUnprocessableEntity).has(text, `value="`+typed+`"`, `aria-invalid="true"`, "<details class=\"seldom\" open")
	}
	b.languages = "de"
	form.Set("until", "0")
	b.post("/link", form).status(http.StatusUnprocessableEntity).has("Der Zugriff muss mindestens einen Tag gelten.")
	b.languages = ""
	if n := s.service.Count("POST /auth"); n != 0 {
		t.Fatalf("the bank was asked %d times", n)
	}
	day := time.Now().UTC().AddDate(0, 0, 60)
	for typed, want := range map[string]time.Time{
		"":                        time.Now().UTC().Add(180*24*time.Hour - 5*time.Minute),
		"30":                      time.Now().UTC().AddDate(0, 0, 30),
		day.Format(time.DateOnly): time.Date(day.Year(), day.Month(), day.Day(), 23, 59, 59, 0, time.UTC),
	} {
		form.Set("until", typed)
		b.start(form)
		start, _ := s.service.last()
		if d := start.Access.ValidUntil.Sub(want); d < -time.Second || d > time.Minute {
			t.Errorf("%q: asked until %s, want %s", typed, start.Access.ValidUntil, want)
		}
	}
}

// A failed link starts again with the shorter time that was typed, as long as that time is still valid.
func TestStartAgainKeepsTheShorterTime(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	fail := func(typed string) string {
		t.Helper()
		form := maps.Clone(elbe)
		form.Set("until", typed)
		attempt := b.start(form)
		start, _ := s.service.last()
		b.get(start.RedirectURL + "?" + url.Values{"error": {"access_denied"}, "state": {start.State}}.Encode()).to(attempt)
		return attempt
	}
	again := "/link/bank?bank=Elbe+Sparbank&country=DE&provider=embedded&psu_type=personal"
	typed := again + "&until=30"
	b.get(fail(" 30 ")).has("Start again", `href="`+strings.ReplaceAll(typed, "&", "&amp;")+`"`)
	b.get(typed).status(http.StatusOK).has(`value="30"`, `<details class="seldom" open`)
	b.get(fail("")).has("Start again", `href="`+strings.ReplaceAll(again, "&", "&amp;")+`"`).lacks("until=")
	b.get(again+"&until=2020-01-01").status(http.StatusOK).has(`name="until"`).lacks("2020-01-01", "aria-invalid", `<details class="seldom" open`)
}

// When access ended before the person stopped the syncing, the page shows both times: for an end that the service reported, for one that Florin noticed, and
// for one that was not noticed.
func TestEndAndStopAreTwoTimes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ended string
		says  string
	}{
		"told":        {`UPDATE connection SET status = 'closed', end_known = 1, ended = '2026-03-04T08:00:00.000Z'`, "Access ended on 4 March"},
		"noticed":     {`UPDATE connection SET status = 'revoked', end_known = 0, ended = '2026-03-04T08:00:00.000Z'`, "Florin noticed on 4 March"},
		"not noticed": {`UPDATE connection SET valid_until = '2026-03-04T08:00:00.000Z'`, "Access ended on 4 March"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			mira, b, before := s.linked("mira@example.org")
			page := "/connections/" + before.ID
			s.exec(c.ended)
			b.get("/")
			b.post(page+"/disconnect", nil).to("/")
			b.get(page).status(http.StatusOK).has(c.says, "You stopped the syncing at ", "Syncing stopped").lacks("You disconnected the bank")
			attempt := b.start(renewing(before.ID))
			b.get(s.back()).to(attempt)
			if now := s.only(mira); !now.Stopped.IsZero() || !now.Ended.IsZero() {
				t.Errorf("linked again: %+v", now)
			}
			b.post(page+"/disconnect", nil).to("/")
			b.get(page).has("You disconnected the bank at ", "Access ended").lacks("Syncing stopped")
		})
	}
}

// An end that was made elsewhere causes no alarm: the page says when access ended, keeps the figures and the history, and leads to reconnecting.
func TestEndElsewhereIsCalm(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira, b, before := s.linked("mira@example.org")
	page := "/connections/" + before.ID
	s.exec(`UPDATE connection SET authorized = $1`, sqlite.At(time.Now().AddDate(0, 0, -40)))
	s.exec(`UPDATE sync_task SET last_success_at = $1`, sqlite.At(time.Now().AddDate(0, 0, -2)))
	closed := time.Now().UTC().AddDate(0, 0, -20)
	s.service.Lock()
	s.service.closed = &openbanking.DateTime{Time: closed}
	s.service.ended["session-1"] = true
	s.service.Unlock()
	_, err := s.syncer.LookAtIdle(t.Context())
	must(t, err)
	b.get(page).status(http.StatusOK).has("Elbe Sparbank is no longer updated", "The banking service ended access on "+closed.Format("2 January"), "Your history stays.",
		"Access ended", ">Reconnect</a>", "Ended by the banking service").lacks("Who has to act", "notice-bad", "Refresh")
	b.get("/").status(http.StatusOK).has("1,234.56", "The banking service ended access on ", ">Reconnect</a>")
	attempt := b.start(renewing(before.ID))
	b.get(s.back()).to(attempt)
	s.syncAll()
	b.get(attempt).status(http.StatusOK).has("is renewed", "2 recognised", "Florin holds 7 transactions")
	if now := s.only(mira); now.ID != before.ID || now.Status != finance.ConnectionActive {
		t.Errorf("%+v", now)
	}
	if n := s.service.Count("DELETE /sessions/{id}"); n != 0 {
		t.Errorf("a session that was over was ended %d times", n)
	}
}

// The result of a link says how its sync ends, also when it fails, while the page is open and when it is loaded again.
func TestResultSaysHowTheSyncEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		calls []string
		has   []string
	}{
		"all":  {nil, []string{"The sync is done", "Florin holds 7 transactions, back to "}},
		"some": {[]string{"GET /accounts/{uid}/balances"}, []string{"Elbe Sparbank has a problem", "Some of it could not be fetched yet.", "ASPSP_ERROR"}},
		"none": {[]string{"GET /accounts/{uid}/balances", "GET /accounts/{uid}/details", "GET /accounts/{uid}/transactions"},
			[]string{"Elbe Sparbank has a problem", "Nothing could be fetched yet.", "ASPSP_ERROR"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			mira := s.user("mira@example.org")
			b := s.signedIn("mira@example.org")
			for _, call := range c.calls {
				s.service.Refuse(call, openbanking.Error{Code: openbanking.ASPSPError})
			}
			attempt := b.start(elbe)
			b.get(s.back()).to(attempt)
			connection := s.connectionOf(mira, attempt)
			b.get(attempt).status(http.StatusOK).has("First sync", "data-live").lacks(c.has[0])
			open := b.listen("/events?view=progress&busy=true&connection=" + connection)
			s.syncAll()
			for name, ok := "", true; name != "reload"; name, _, ok = open.next() {
				if !ok {
					t.Fatal("the stream ended, and the page was not loaded again")
				}
			}
			b.get(attempt).status(http.StatusOK).has(c.has...).lacks("First sync", "data-live")
		})
	}
}
