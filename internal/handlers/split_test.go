package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestSplitATransaction: parts are typed step by step, the page shows the rest, and a refused form keeps its values; without JavaScript too.
func TestSplitATransaction(t *testing.T) {
	t.Parallel()
	s, b, own := linkedSite(t, transactions(2)) // the newest is 10.50 EUR out
	page := "/accounts/" + own.account + "/transactions/" + own.transaction
	b.get(page).has("Split this transaction into parts", page+"/split")
	b.get(page+"/split").status(http.StatusOK).has("Split a transaction", `name="amount-2"`, "Still left: 10.50 EUR.", `data-ask="`+page+`/split/explain"`).
		lacks(`name="amount-3"`, "Undo the split")
	typed := url.Values{"amount-1": {"7,50"}, "category-1": {"groceries"}, "note-1": {"<bread> & milk"}, "amount-2": {""}, "category-2": {""}, "note-2": {""}}
	more := func(values ...string) url.Values {
		form := url.Values{}
		for name, value := range typed {
			form[name] = value
		}
		for i := 0; i < len(values); i += 2 {
			form.Set(values[i], values[i+1])
		}
		return form
	}
	b.post(page+"/split", more("do", "more")).status(http.StatusOK).has(`name="amount-3"`, `value="7,50"`, "&lt;bread&gt; &amp; milk", `value="groceries" selected`)
	for want, form := range map[string]url.Values{
		"Still left: 3.00 EUR.":                                  typed,
		"Part 2 gets the rest: 3.00 EUR.":                        more("category-2", "home"),
		"The parts are 1.00 EUR too much.":                       more("amount-2", "4"),
		"Nothing is left: the parts add up to the whole amount.": more("amount-2", "3"),
		"Nothing is left for part 3.":                            more("amount-2", "3", "amount-3", "", "note-3", "x"),
		"It is not clear yet what is left":                       more("amount-2", "three"),
	} {
		b.post(page+"/split/explain", form).status(http.StatusOK).has(`id="split-rest"`, want).lacks("<html")
	}
	for want, form := range map[string]url.Values{
		"The parts must add up to the whole amount.":          typed,
		"A split has at least 2 parts.":                       more("amount-1", "10.50"),
		"Enter the amount with digits and decimals":           more("amount-2", "three"),
		"It is not clear whether the separator":               more("amount-2", "1.234"),
		"Only one part gets the rest.":                        more("note-2", "x", "amount-3", "", "note-3", "y"),
		"The note of a part may have 120 characters at most.": more("amount-2", "3", "note-2", strings.Repeat("ä", 121)),
	} {
		b.post(page+"/split", form).status(http.StatusUnprocessableEntity).has(want, `value="`+form.Get("amount-1")+`"`, "&lt;bread&gt; &amp; milk")
	}
	b.post(page+"/split", more("amount-2", "3", "category-2", "nonsense")).status(http.StatusNotFound)
	b.get(page).lacks("Change the parts")

	b.post(page+"/split", more("category-2", "home", "do", "save")).to(page)
	b.get(page).has("This transaction is split into 2 parts.", "Groceries", "&lt;bread&gt; &amp; milk", "−7.50", "Home and garden", "−3.00", "Change the parts").
		lacks("Choose a category", "The parts do not add up")
	for _, q := range []string{"is:split", "category:groceries", "category:home", "note:bread"} {
		b.get("/transactions?q="+url.QueryEscape(q)).has("Shop 0", "Split: Groceries, Home and garden").lacks("Shop 1")
	}
	b.get(page+"/split").has(`value="7.50"`, `value="3.00"`, "Undo the split", "Nothing is left: the parts add up")
	german := s.signedIn("mira@example.org")
	german.languages = "de"
	german.get(page+"/split").has(`value="7,50"`, "Umsatz aufteilen", "Betrag in EUR")

	s.exec(`UPDATE booked_transaction SET minor = -1200, amount = '12.00' WHERE id = $1`, own.transaction)
	b.get(page).has("The parts do not add up to this transaction", "They add up to 10.50 EUR, but the amount is now 12.00 EUR.")
	b.get(page + "/split").has("Still left: 1.50 EUR.")

	s.user("tom@example.org")
	tom := s.signedIn("tom@example.org")
	tom.get(page + "/split").status(http.StatusNotFound)
	for _, form := range []string{"/split", "/split/explain"} {
		tom.post(page+form, typed).status(http.StatusNotFound)
	}
	b.post(page+"/split", url.Values{"do": {"whole"}}).to(page)
	b.get(page).has("The split is undone.", "Split this transaction into parts").lacks("Change the parts")
}
