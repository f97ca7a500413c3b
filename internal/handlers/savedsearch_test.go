package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"florin/internal/finance"
)

// A search is saved from the list, stands above it and on the first page with its count, is renamed and deleted. Nobody else sees it.
func TestSavedSearches(t *testing.T) {
	t.Parallel()
	s, b, own := linkedSite(t, transactions(12))
	b.post("/transactions/searches/"+own.search+"/delete", nil).to("/transactions/searches")
	b.get("/").lacks("Saved searches")
	b.get("/transactions").lacks("Save this search", "Saved searches")
	b.get("/transactions?q=amount:oops").lacks("Save this search")
	text := "purchase -3"
	b.get("/transactions?q="+url.QueryEscape(text)).has("Save this search", `href="/transactions/searches?q=purchase+-3#new"`)
	b.get("/transactions/searches?q=purchase+-3").status(http.StatusOK).has(`value="purchase -3"`, "Save a search")

	save := func(id, name, text string) *answer {
		return b.post("/transactions/searches"+id, url.Values{"name": {name}, "text": {text}})
	}
	save("", " Purchases  ", text).to("/transactions?q=purchase+-3")
	b.get("/transactions?q=purchase+-3").has("The search Purchases is saved.", `aria-current="true">Purchases</a>`).lacks("Save this search")
	b.get("/transactions").has(`<a href="/transactions?q=purchase+-3">Purchases</a>`)
	b.get("/").has("Saved searches", "Purchases", "11 transactions")
	id := "/" + regexp.MustCompile(`/transactions/searches/([^"]+)"><bdi>Purchases<`).FindStringSubmatch(b.get("/transactions/searches").body)[1]

	for _, c := range []struct{ id, name, text, problem string }{
		{"", " ", "shop", "Enter a name."},
		{"", strings.Repeat("x", 61), "shop", "Use at most 60 characters."},
		{"", "purchases", "shop", "You already have a search called purchases."},
		{"", "Other", " ", "Type what to look for."},
		{id, "Other", "amount:oops", "At character 1: “oops” is not an amount."},
		{"", "Other", strings.Repeat("shop ", 2000), "A search has 2,000 characters at most."},
	} {
		save(c.id, c.name, c.text).status(http.StatusUnprocessableEntity).has(c.problem)
	}
	save(id, "Bought", "purchase").to("/transactions?q=purchase")
	save("", "Bought at home", `account:girokonto is:pending`).to("/transactions?q=account%3Agirokonto+is%3Apending")
	b.get("/").has("Bought", "12 transactions", "1 transaction<").lacks("Purchases")
	b.post("/accounts/"+own.account+"/nickname", url.Values{"nickname": {"Everyday"}}) // the bank’s name still finds it
	b.get("/").has("1 transaction<")
	s.exec(`UPDATE account SET product = 'Other'`)
	b.get("/").has("This search no longer works. Open it to see why.")
	b.get("/transactions?q=account%3Agirokonto+is%3Apending").status(http.StatusUnprocessableEntity).has("None of your accounts is called “girokonto”.")
	b.get("/transactions/searches"+id).status(http.StatusOK).has("Delete this search", `value="Bought"`)

	s.user("tom@example.org")
	tom := s.signedIn("tom@example.org")
	tom.get("/transactions/searches" + id).status(http.StatusNotFound)
	tom.post("/transactions/searches"+id, url.Values{"name": {"Mine"}, "text": {"x"}}).status(http.StatusNotFound)
	tom.post("/transactions/searches"+id+"/delete", nil).status(http.StatusNotFound)
	b.post("/transactions/searches"+id+"/delete", nil).to("/transactions/searches")
	b.get("/transactions/searches").has("The search Bought is deleted.").lacks("<bdi>Bought</bdi>")
	b.get("/transactions/searches" + id).status(http.StatusNotFound)

	for i := range finance.MaxSavedSearches - 1 {
		save("", fmt.Sprint("search ", i), "shop").status(http.StatusSeeOther)
	}
	save("", "one more", "shop").status(http.StatusUnprocessableEntity).has("You have saved 50 searches, which is the most there can be. Delete one first.")
	b.languages = "de"
	b.get("/transactions/searches?q=shop").has("Gespeicherte Suchen", "Suche speichern")
}
