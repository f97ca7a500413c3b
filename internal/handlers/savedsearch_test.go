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

// A search is saved from the list, shown above it and on the first page with its count, renamed and deleted. Nobody else sees it.
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

// A report is saved under a name, shown above all reports and on the first page, renamed and deleted. Unknown values in its address are left out. Nobody else
// sees it.
func TestSavedReports(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, name := range []string{"mira@example.org", "tom@example.org"} {
		s.user(name)
	}
	b, tom := s.signedIn("mira@example.org"), s.signedIn("tom@example.org")
	b.keep("Wallet")
	b.get("/").lacks("Saved reports")
	b.get("/reports?view=worth&period=year&x=y").has("Save this report", `name="report" value="period=year&amp;view=worth"`).lacks("Saved reports")

	b.post("/reports/saved", url.Values{"name": {" Worth  "}, "report": {"view=worth&period=year&x=%3Cb%3E&account=nobodys"}}).to("/reports?period=year&view=worth")
	b.get("/reports?period=year&view=worth").has("The report Worth is saved.", "Saved reports", `aria-current="true">Worth</a>`, "Rename or delete this report").lacks("Save this report")
	b.get("/reports").has(`<a href="/reports?period=year&amp;view=worth">Worth</a>`, "Save this report")
	b.get("/").has("Saved reports", `href="/reports?period=year&amp;view=worth"`)
	page := regexp.MustCompile(`/reports/saved/[0-9A-Z]+`).FindString(b.get("/reports?period=year&view=worth").body)

	for _, c := range []struct{ path, name, problem string }{
		{"/reports/saved", "", "Enter a name."}, {"/reports/saved", strings.Repeat("x", 61), "Use at most 60 characters."},
		{"/reports/saved", "worth", "You already have a report called worth."}, {page, " ", "Enter a name."},
	} {
		b.post(c.path, url.Values{"name": {c.name}, "report": {"view=payees"}}).status(http.StatusUnprocessableEntity).has(c.problem)
	}
	b.post("/reports/saved", url.Values{"name": {"Broken"}, "report": {"%zz"}}).to("/reports?period=12-months&view=months")
	b.post("/reports/saved", url.Values{"name": {"Wrong"}, "report": {"period=days&from=x"}}).to("/reports?from=x&period=days&to=&view=months")
	b.get("/reports").lacks("Wrong")

	tom.get(page).status(http.StatusNotFound)
	tom.post(page, url.Values{"name": {"Mine"}}).status(http.StatusNotFound)
	tom.post(page+"/delete", nil).status(http.StatusNotFound)
	tom.get("/reports").lacks("Worth")
	b.get(strings.Replace(page, "/reports/saved", "/transactions/searches", 1)).status(http.StatusNotFound)

	b.get(page).has(`value="Worth"`, "Delete this report")
	b.post(page, url.Values{"name": {"What I have"}, "report": {"view=tags"}}).to("/reports?period=year&view=worth")
	b.get("/").has("What I have").lacks(">Worth<")
	b.post(page+"/delete", nil).to("/reports")
	b.get("/reports").has("The report What I have is deleted.").lacks(">What I have<")
	b.languages = "de"
	b.get("/reports?view=tags").has("Diese Auswertung speichern", "Gespeicherte Auswertungen")
}
