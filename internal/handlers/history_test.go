package handlers_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
)

var untilSeen = regexp.MustCompile(`name="until" value="([^"]*)"`)

// agoDays moves everything that Florin knows that many days into the past.
func (s *site) agoDays(days string) {
	s.t.Helper()
	older := func(column string) string {
		return column + ` = strftime('%Y-%m-%dT%H:%M:%fZ', ` + column + `, '-` + days + ` days')`
	}
	for _, query := range []string{`UPDATE booked_transaction SET ` + older("first_seen"), `UPDATE account SET ` + older("created"), `UPDATE history_start SET ` + older("began"),
		`UPDATE sync_task SET ` + older("first_success_at") + ` WHERE first_success_at IS NOT NULL`, `UPDATE balance SET ` + older("fetched"),
		`UPDATE pending_transaction SET ` + older("since")} {
		s.exec(query)
	}
}

// A past day is shown as it was known then, read-only, to the owner and to people who see all transactions. The first page and the account say what came,
// changed and went since then, until each person has marked it as seen.
func TestWhatWasKnownAndWhatIsNew(t *testing.T) {
	t.Parallel()
	rows := transactions(60)
	s, mira, own := linkedSite(t, rows)
	ctx := t.Context()
	vera, err := s.auth.AddUser(ctx, "vera@example.org", password, finance.RoleViewer)
	must(t, err)
	s.user("otto@example.org")
	viewer, stranger := s.signedIn("vera@example.org"), s.signedIn("otto@example.org")
	page := "/accounts/" + own.account
	share := func(level finance.ShareLevel) {
		mira.post(page+"/share", url.Values{vera.ID: {string(level)}}).to(page)
	}
	share(finance.ShareEverything)
	s.agoDays("3")
	mira.get("/").status(http.StatusOK).lacks("/news")
	mira.get(page).status(http.StatusOK).has(`action="`+page+`/known"`, "As it was known on").lacks("Mark as seen")
	mira.get(page + "/news").status(http.StatusOK).has("Nothing is new. The 60 transactions that were there before are not listed.")
	viewer.get(page).status(http.StatusOK).has("Show me from now on")
	begin := untilSeen.FindStringSubmatch(viewer.get(page+"/news").status(http.StatusOK).has("Florin can show you", "Show me from now on").body)
	viewer.get("/").lacks("/news") // opening the page has started nothing
	viewer.post(page+"/news/seen", url.Values{"until": {begin[1]}}).to(page)
	viewer.get(page).status(http.StatusOK).has("From now on Florin shows you").lacks("Show me from now on")
	s.exec(`UPDATE account_look SET looked = strftime('%Y-%m-%dT%H:%M:%fZ', looked, '-2 days')`)

	// One transaction is new, one has changed, one is gone, and the pending one is gone.
	date := openbanking.DateOf(time.Now().UTC())
	fresh := rows[0]
	fresh.EntryReference, fresh.BookingDate, fresh.RemittanceInformation = new("fresh"), &date, []string{"Fresh purchase"}
	changed := rows[2]
	changed.RemittanceInformation = []string{"Other words"}
	now := append([]openbanking.Transaction{fresh, rows[0], rows[1], changed}, rows[4:60]...)
	s.service.Lock()
	s.service.rows["uid-1"] = now
	s.service.Unlock()
	s.resync()
	mira.get("/").status(http.StatusOK).has(page+`/news"`, "1 new, 1 changed, 1 gone since")
	mira.get(page).status(http.StatusOK).has("1 new, 1 changed, 1 gone since", "Mark as seen", "Other words", "Fresh purchase").lacks("Pending Café")

	yesterday := time.Now().AddDate(0, 0, -1).Format(time.DateOnly)
	for _, reader := range []*browser{mira, viewer} {
		then := reader.get(page+"/known?on="+yesterday).status(http.StatusOK).has("You are looking at the end of", "Purchase 2", "Purchase 3", "Pending Café", "Changed since", "Gone since",
			"Back to today").lacks("Other words", "Fresh purchase", `method="post" action="/accounts`)
		next := older.FindStringSubmatch(then.body)
		if next == nil {
			t.Fatal("60 transactions are on one page")
		}
		reader.get(html.UnescapeString(next[1])).status(http.StatusOK).has("Purchase 59", `rel="prev"`).lacks("Purchase 3<", "Pending Café")
		reader.get(page+"/known?on="+time.Now().Format(time.DateOnly)).status(http.StatusOK).has("Other words", "Fresh purchase")
	}
	for on, want := range map[string]string{
		"2999-01-01": "This day is in the future.", "2026-02-30": "The date 2026-02-30 does not exist.", "soon": "Enter the date like 2026-12-31 or 31.12.2026.",
		"2001-01-01": "Florin has known this account since",
	} {
		mira.get(page + "/known?on=" + on).status(http.StatusUnprocessableEntity).has(want).lacks("Purchase")
	}
	mira.get(page + "/known").status(http.StatusOK).has("As it was known on").lacks("Purchase")
	mira.get(page + "/known?on=" + yesterday + "&behind=x").status(http.StatusNotFound)
	for _, path := range []string{"/known?on=" + yesterday, "/news"} {
		stranger.get(page + path).status(http.StatusNotFound)
	}

	// Mira marks the list as seen. Vera has a mark of her own, and opens the list.
	until := untilSeen.FindStringSubmatch(mira.get(page).body)
	mira.post(page+"/news/seen", url.Values{"until": {"now"}}).status(http.StatusUnprocessableEntity)
	mira.post(page+"/news/seen", url.Values{"until": {until[1]}}).to(page)
	mira.get("/").lacks("1 changed")
	viewer.get("/").has("1 new, 1 changed, 1 gone since")
	// The list stays when Vera opens it, when it is fetched in advance and when it is loaded again. So does the line on the first page, until she marks the
	// list.
	told := []string{"New since you last looked", "Fresh purchase", "Purchase 2 → Other words", "No longer listed by the bank"}
	list := viewer.get(page + "/news").status(http.StatusOK).has(append(told, "Mark as seen")...)
	viewer.get("/").has("1 new, 1 changed, 1 gone since")
	if again := viewer.get(page + "/news"); again.words() != list.words() {
		t.Errorf("loaded again the list says\n%s\nand before\n%s", again.words(), list.words())
	}
	marked := viewer.post(page+"/news/seen", url.Values{"until": {untilSeen.FindStringSubmatch(list.body)[1]}, "list": {"yes"}})
	marked.status(http.StatusSeeOther)
	viewer.get(marked.Header.Get("Location")).status(http.StatusOK).has(append(told, "You have marked this as seen.")...).lacks(">Mark as seen")
	viewer.get("/").lacks("1 changed")
	viewer.get(page+"/news").status(http.StatusOK).has("Nothing is new.").lacks("Fresh purchase", ">Mark as seen")
	viewer.get(page + "/news?since=yesterday").status(http.StatusBadRequest)
	share(finance.ShareBalances)
	for _, path := range []string{"/known?on=" + yesterday, "/news"} {
		viewer.get(page + path).status(http.StatusNotFound)
	}
	viewer.post(page+"/news/seen", url.Values{"until": {until[1]}}).status(http.StatusNotFound)
	german := s.signedIn("mira@example.org")
	german.languages = "de"
	german.get(page+"/known?on="+yesterday).has("Sie sehen den Stand am Ende des", "Seitdem geändert")
}
