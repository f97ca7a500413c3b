package handlers_test

import (
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"

	"florin/internal/openbanking"
)

// TestMergeTwoTransactions: a person finds the duplicate of a transaction, sees both and the result, merges them, and separates them again; all without
// JavaScript.
func TestMergeTwoTransactions(t *testing.T) {
	t.Parallel()
	s, b, _ := linkedSite(t, []openbanking.Transaction{debit("b1", "4.20", "Bakery", "", -2), debit("b2", "4.20", "Bakery", "", -3), debit("c1", "9.99", "Cinema", "", -4), debit("g1", "4.20", "Garage", "", -40)})
	search := func(text string) (pages []string) {
		for _, part := range strings.Split(b.get("/transactions?q="+url.QueryEscape(text)).body, `<a class="row-title" href="`)[1:] {
			address, _, _ := strings.Cut(part, `"`)
			pages = append(pages, address)
		}
		return pages
	}
	found := search("bakery")
	if len(found) != 2 {
		t.Fatalf("the rows are %v", found)
	}
	newer, older := found[0], found[1]
	first, second := path.Base(newer), path.Base(older)
	garage, cinema := search("garage")[0], search("cinema")[0]
	b.post(newer+"/annotation", url.Values{"note": {"rolls"}, "tags": {"food"}}).to(newer)
	b.post(older+"/annotation", url.Values{"note": {"and bread"}, "tags": {"Food, tax"}}).to(older)
	b.post(older+"/category", url.Values{"category": {"gifts"}}).to(older)

	b.get(newer).has("This is the same as another transaction", `href="`+newer+`/merge"`).lacks("This may be the same")
	b.get(newer+"/merge").status(http.StatusOK).has("These may be the same", `href="`+newer+`/merge?other=`+second+`"`, "Search in this account").lacks("Garage", "Cinema")
	b.get(newer+"/merge?q=garage").has("Found", newer+"/merge?other="+path.Base(garage))
	b.get(newer + "/merge?q=nothing+of+the+kind").has("No booked transaction matches.")
	b.get(newer + "/merge?q=" + url.QueryEscape("((")).status(http.StatusUnprocessableEntity).has(`id="q-problem"`)
	pair := b.get(newer+"/merge?other="+second).status(http.StatusOK).has("This one stays", "This one goes into it", "What the one transaction will be", "The note of the second one comes below its own.",
		"It gets the tags tax.", "It gets the category Gifts and donations, which you chose for the second one.", "and bread", `name="other" value="`+second+`"`, "Merge them into one transaction")
	if strings.Index(pair.body, "rolls") > strings.Index(pair.body, "and bread") {
		t.Error("the one that stays is not the first")
	}
	german := s.signedIn("mira@example.org")
	german.languages = "de"
	german.get(newer+"/merge?other="+second).has("Dieser bleibt", "Zu einem Umsatz zusammenfassen", "Er bekommt die Schlagwörter tax.")
	german.get(newer+"/merge").has("Derselbe wie ein anderer Umsatz", "Diese sind vielleicht dieselben")

	b.get(newer+"/merge?other="+path.Base(cinema)).status(http.StatusOK).has("These two cannot be one transaction", "They have different amounts, −4.20 EUR and −9.99 EUR.").lacks("Merge them into one")
	b.post(newer+"/merge", url.Values{"other": {path.Base(cinema)}}).status(http.StatusUnprocessableEntity).has("They have different amounts")
	b.post(newer+"/merge", nil).status(http.StatusUnprocessableEntity).has("These may be the same")
	for _, other := range []string{first, "0", "x", "99999"} {
		b.get(newer + "/merge?other=" + other).status(http.StatusNotFound)
		b.post(newer+"/merge", url.Values{"other": {other}}).status(http.StatusNotFound)
	}
	s.user("tom@example.org")
	tom := s.signedIn("tom@example.org")
	tom.get(newer + "/merge").status(http.StatusNotFound)
	for _, form := range []string{"/merge", "/separate"} {
		tom.post(newer+form, url.Values{"other": {second}}).status(http.StatusNotFound)
	}

	b.post(newer+"/merge", url.Values{"other": {second}}).to(newer)
	b.get(newer).has("These two are one transaction now.", "One transaction from several", "rolls\nand bread", "food, tax", "Gifts and donations", `name="other" value="`+second+`"`, "Separate")
	if rows := search("bakery"); len(rows) != 1 || rows[0] != newer {
		t.Errorf("the list has %v", rows)
	}
	b.get("/transactions?q=bakery").has("1 transaction", "−4.20").lacks("−8.40")
	b.get("/transactions/export?format=csv&q=bakery").status(http.StatusOK).has("−4.20"[len("−"):])
	b.get(older).to(newer) // the address of the merged transaction still works
	for _, form := range []string{"/annotation", "/review", "/category", "/split", "/merge", "/separate"} {
		b.post(older+form, url.Values{"other": {first}}).status(http.StatusNotFound)
	}
	s.syncAll()
	if rows := search("bakery"); len(rows) != 1 {
		t.Errorf("after a sync the list has %v", rows)
	}

	b.post(newer+"/separate", url.Values{"other": {second}}).to(newer)
	b.get(newer).has("These are two transactions again.", "rolls", `value="food"`).lacks("and bread", "One transaction from several")
	b.get(older).status(http.StatusOK).has("and bread", `value="food, tax"`, "Gifts and donations")
	b.post(newer+"/separate", url.Values{"other": {second}}).to(newer) // a second time changes nothing
	b.get(newer).lacks("These are two transactions again.")
}
