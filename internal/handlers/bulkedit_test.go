package handlers_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"florin/internal/finance"
)

// seen returns the value that the page of a bulk edit sends with its button, so that exactly the shown change is made.
func (b *browser) seen(page string) string {
	b.site.t.Helper()
	m := regexp.MustCompile(`name="seen" value="(\w+)"`).FindStringSubmatch(b.get(page).body)
	if m == nil {
		b.site.t.Fatalf("%s has no button that starts it", page)
	}
	return m[1]
}

// startEdit carries out a bulk edit as its page shows it.
func (b *browser) startEdit(page string) *answer {
	b.site.t.Helper()
	return b.post(page+"/start", url.Values{"seen": {b.seen(page)}})
}

var boxes = regexp.MustCompile(`name="id" value="(\d+)"`)

// A person without JavaScript chooses rows, or everything a search finds, sees what would change, changes it and undoes it.
func TestBulkEdit(t *testing.T) {
	t.Parallel()
	s, b, own := linkedSite(t, transactions(120))
	mira, _, err := s.store.UserByEmail(t.Context(), "mira@example.org")
	must(t, err)
	found := func(text string) *answer { return b.get("/transactions?q=" + url.QueryEscape(text)) }
	begin := func(form url.Values) string {
		page := b.post("/transactions/edits", form).status(http.StatusSeeOther).Header.Get("Location")
		return page
	}
	b.get("/transactions").has(`href="/transactions/select"`, "Edit several")
	found("shop").has(`href="/transactions/select?q=shop"`)

	// Two rows of a page are edited.
	list := b.get("/transactions/select?q=shop").status(http.StatusOK).has("Shop 0<", "Found with the search", "Edit everything found", "Choose all on this page", "Older")
	ids := boxes.FindAllStringSubmatch(list.body, -1)
	if len(ids) != 50 {
		t.Fatalf("%d rows can be chosen", len(ids))
	}
	b.get(html.UnescapeString(older.FindStringSubmatch(list.body)[1])).status(http.StatusOK).has("Purchase 50<", "Newer", `name="q" value="shop"`)
	chosen := url.Values{"q": {"shop"}, "which": {"chosen"}, "id": {ids[0][1], ids[3][1], ids[0][1], "x", "999999"}}
	page := begin(chosen)
	b.get(page).status(http.StatusOK).has("Edit 2 transactions", "Shop 0<", "Shop 3<", "Leave as it is").lacks("Shop 1<", "transactions will change")
	b.post(page, url.Values{}).status(http.StatusUnprocessableEntity).has("Choose what to change.")
	b.post(page+"/start", nil).to(page)
	b.get(page).has("Show what will change").lacks("are changed")
	b.post(page, url.Values{"tags": {"a, b"}, "untag": {"B"}, "note": {strings.Repeat("x", 2001)}}).status(http.StatusUnprocessableEntity).
		has("The tag B is to be added and removed. Choose one of the two.", "A note may have 2,000 characters at most.", `value="a, b"`)
	b.post(page, url.Values{"tags": {strings.Repeat("y", 41)}, "untag": {strings.Repeat("z", 41)}}).status(http.StatusUnprocessableEntity).has("A tag may have 40 characters at most.")
	b.post(page, url.Values{"category": {"nonsense"}}).status(http.StatusNotFound)
	b.post(page, url.Values{"category": {"gifts"}, "tags": {"Holiday"}, "reviewed": {"no"}, "note": {"<b>checked</b>"}}).to(page)
	b.get(page).has("2 transactions will change", "Set the category Gifts and donations", "Add the tags Holiday", "Mark to be reviewed", "Add the note “&lt;b&gt;checked&lt;/b&gt;”",
		"Change 2 transactions", "You can undo this for 30 days.", `<option value="gifts" selected>`)
	found("tag:holiday").has("No booked transaction matches")
	seen := b.seen(page)
	for _, other := range []string{"", "nonsense", seen} { // a change that was chosen in another window is shown before it is carried out
		b.post(page, url.Values{"tags": {"elsewhere"}}).to(page)
		b.post(page+"/start", url.Values{"seen": {other}}).to(page)
		b.get(page).has("Nothing was changed yet: you chose another change in the meantime.", "Add the tags elsewhere", "Change 2 transactions")
	}
	found("tag:elsewhere").has("No booked transaction matches")
	b.post(page, url.Values{"category": {"gifts"}, "tags": {"Holiday"}, "reviewed": {"no"}, "note": {"<b>checked</b>"}}).to(page)
	b.startEdit(page).to(page)
	b.get(page).has("2 transactions are changed", "Undo", `href="/transactions?q=shop"`).lacks("Show what will change")
	found("tag:holiday note:checked is:to-review").has("Shop 0<", "Shop 3<", "Gifts and donations ·").lacks("Shop 1<")
	b.post(page+"/start", nil).to(page) // a second click
	b.post(page, url.Values{"note": {"other"}}).status(http.StatusUnprocessableEntity).has("2 transactions are changed")

	// Everything that the search finds is edited.
	all := begin(url.Values{"q": {"shop -3"}, "which": {"all"}})
	b.get(all).has("Edit 109 transactions") // all but 3 and 30 to 39
	b.post(all, url.Values{"tags": {"holiday, trip"}}).to(all)
	b.get(all).has("109 transactions will change", "Add the tags Holiday and trip")
	b.startEdit(all).to(all)
	found("tag:trip").has("109 transactions")

	// Edits are undone one after the other. A transaction that was edited since then stays as it is.
	first := "/accounts/" + own.account + "/transactions/" + ids[3][1]
	b.post(first+"/annotation", url.Values{"tags": {"mine"}}).to(first)
	b.get("/transactions/edits").status(http.StatusOK).has("109 transactions are changed", "2 transactions are changed", `action="`+all+`/undo"`, `action="`+page+`/undo"`)
	b.post(all+"/undo", nil).to(all)
	b.get(all).has("Undone: 109 transactions are as they were before").lacks(`action="` + all + `/undo"`)
	found("tag:trip").has("No booked transaction matches")
	b.post(page+"/undo", nil).to(page)
	b.get(page).has("Undone: 1 transaction is as it was before", "1 was edited since. It stays as it is now.")
	found("note:checked").has("No booked transaction matches")
	found("tag:mine").has("Shop 3<", "Gifts and donations ·")
	b.post(page+"/undo", nil).to(page) // a second click

	// Nothing chosen, too many chosen, a search with a mistake.
	b.post("/transactions/edits", url.Values{"q": {"shop"}, "which": {"chosen"}}).to("/transactions/select?q=shop")
	b.get("/transactions/select?q=shop").has("Choose at least one transaction.")
	b.post("/transactions/edits", url.Values{"q": {"is:in"}, "which": {"all"}}).to("/transactions/select?q=is%3Ain")
	b.get("/transactions/select?q=is:in").has("There is no booked transaction to edit.")
	b.post("/transactions/edits", url.Values{"q": {"amount:x"}, "which": {"all"}}).to("/transactions?q=amount%3Ax")
	b.get("/transactions/select?q=amount:x").to("/transactions?q=amount%3Ax")
	b.get("/transactions/select?before=x").status(http.StatusBadRequest)

	// While an edit is running, its page says how far it is.
	busy := begin(url.Values{"q": {"shop"}, "which": {"all"}})
	b.post(busy, url.Values{"note": {"busy"}}).to(busy)
	id := strings.TrimPrefix(busy, "/transactions/edits/")
	must(t, s.store.StartEdit(t.Context(), mira.ID, id, finance.BulkChange{Note: "busy"}.Digest()))
	b.get(busy).has("Changing: 0 of 120 transactions", "You can leave this page.", `<noscript><meta http-equiv="refresh" content="3"`, `data-live="/events?view=bulk-edit`)
	b.get("/transactions/edits").has("Changing: 0 of 120 transactions")
	b.post(busy+"/undo", nil).to(busy) // an edit that is still running is not undone
	b.get(busy).has("120 transactions are changed")

	s.user("tom@example.org")
	tom := s.signedIn("tom@example.org")
	for _, path := range []string{page, page + "/start", page + "/undo"} {
		tom.post(path, url.Values{"note": {"x"}}).status(http.StatusNotFound)
	}
	tom.get(page).status(http.StatusNotFound)
	tom.post("/transactions/edits", chosen).to("/transactions/select?q=shop")
	tom.get("/transactions/edits").has("There are none yet.")
	b.languages = "de"
	b.get(page).has("Rückgängig gemacht: 1 Umsatz ist wieder wie vorher")
	b.get("/transactions/select").has("Mehrere Umsätze bearbeiten", "Alle auf dieser Seite auswählen")
	if edits, err := s.store.BulkEdits(t.Context(), mira.ID); err != nil || len(edits) != 3 || edits[2].State != finance.BulkUndone {
		t.Errorf("%+v, %v", edits, err)
	}
}
