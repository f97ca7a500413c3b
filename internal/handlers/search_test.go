package handlers_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"florin/internal/finance"
	"florin/internal/search"
	"florin/internal/store"
)

// The list of all accounts finds what is typed, adds it up, filters by choice and leads through all rows.
func TestSearchFindsAcrossAccounts(t *testing.T) {
	t.Parallel()
	_, b, _ := linkedSite(t, transactions(120))
	find := func(text string) *answer { return b.get("/transactions?q=" + url.QueryEscape(text)) }

	all := b.get("/transactions").status(http.StatusOK).has("Purchase 0<", "Girokonto", "Pending Café", "Older", "Money out")
	if n := strings.Count(all.body, `class="tx"`); n != 51 {
		t.Errorf("the first page shows %d rows", n)
	}
	seen := len(shops.FindAllString(all.body, -1))
	for m := older.FindStringSubmatch(all.body); m != nil; m = older.FindStringSubmatch(all.body) {
		all = b.get(strings.ReplaceAll(m[1], "&amp;", "&")).status(http.StatusOK).has("Newer").lacks("Pending Café")
		seen += len(shops.FindAllString(all.body, -1))
	}
	if seen != 120 {
		t.Errorf("the pages show %d rows", seen)
	}
	find("purchase 77").status(http.StatusOK).has("Purchase 77<", "1 transaction<", "−87.50").lacks("Purchase 7<", "Pending Café")
	find("87.5").has("Purchase 77<").lacks("Purchase 7<")
	find("amount:20..21").has("Purchase 10<").lacks("Purchase 9<", "Purchase 11<")
	find("is:pending").has("Pending Café", "No booked transaction matches")
	find("pending 3.20").has("Pending Café")
	find("is:in").has("No booked transaction matches").lacks("Shop")
	find("shop").has("120 transactions", "Older")
	find(`account:girokonto shop`).has("Purchase 0<")
	chosen := regexp.MustCompile(`/accounts/[^"]*/transactions/\d+`).FindString(find("purchase 77").body)
	find("category:groceries").has("No booked transaction matches")
	b.post(chosen+"/category", url.Values{"category": {"groceries"}})
	find("category:groceries").has("110 transactions", "Groceries · ").lacks("Purchase 9<") // Shop 10 to Shop 119 are one payee, whose rows follow
	find("is:in").has(`aria-current="true">Money in</a>`)
	find("is:out shop").has(`href="/transactions?q=shop" aria-current="true">Money out</a>`)
	b.get("/transactions?before=x").status(http.StatusBadRequest).has("There is no such page of transactions")
	b.get("/transactions/help").status(http.StatusOK).has("How to search", "amount:20..40", `payee:=&#34;Lidl&#34;`, "not Lidl Plus", `tag:=&#34;Italy&#34;`)
	b.languages = "de"
	b.get("/transactions/help").has("nicht Lidl Plus", `tag:=&#34;Italien&#34;`, "nicht Italien 2026")
	b.languages = ""
}

// While rows are missing from the index, pages that search say so, what needs all rows is not offered, and the page of an account shows all.
func TestListsWithoutTheWholeIndex(t *testing.T) {
	t.Parallel()
	s, b, own := linkedSite(t, transactions(3))
	notice := "Florin is still preparing the search"
	b.get("/transactions?q=shop").status(http.StatusOK).lacks(notice)
	mira, _, err := s.store.UserByEmail(t.Context(), "mira@example.org")
	must(t, err)
	row, _, err := s.store.Find(t.Context(), mira.ID, search.InAccount(own.account), store.Newest, 1)
	must(t, err)
	must(t, s.store.Annotate(t.Context(), mira.ID, own.account, row[0].ID, finance.Annotation{Tags: []string{"Italy"}}))
	s.exec(`INSERT INTO transaction_unindexed (transaction_id) SELECT id FROM booked_transaction`)
	b.get("/transactions").status(http.StatusOK).has(notice, "The page of each account shows all of its transactions.")
	b.get("/accounts/" + own.account + "?q=shop").status(http.StatusOK).has(notice)
	b.get("/transactions?q=" + url.QueryEscape(`payee:="Shop 1"`)).status(http.StatusOK).has(notice) // behind a figure of a report, which has all
	const tags = "some transactions are missing from the figures for tags"
	for _, query := range []string{"?view=tags", "?view=months&tag=Italy"} {
		b.get("/reports" + query).status(http.StatusOK).has(tags).lacks("/reports/export")
		b.get("/reports/export" + query).status(http.StatusSeeOther)
	}
	b.get("/reports?view=payees").has("/reports/export").lacks(tags)
	b.get("/accounts/" + own.account).status(http.StatusOK).has("Purchase 2<").lacks(notice)
	b.get("/transactions/export?format=csv").status(http.StatusServiceUnavailable).has(notice, "Try again in a few minutes.")
	b.post("/transactions/edits", url.Values{"which": {"all"}, "q": {"shop"}}).status(http.StatusSeeOther)
	b.get("/transactions/select").has("some of your transactions would be left out")
}

// The list of an account is the same list with a filter: what is typed, the conditions and the pages stay in the account.
func TestSearchInAnAccount(t *testing.T) {
	t.Parallel()
	_, b, own := linkedSite(t, transactions(120))
	page := "/accounts/" + own.account
	find := func(text string) *answer { return b.get(page + "?q=" + url.QueryEscape(text)) }

	b.get(page).status(http.StatusOK).has("Pending Café", `href="`+page+`?q="`, `href="/transactions/export?account=`+own.account+`"`).
		lacks("Search in this account", "Girokonto, Elbe Sparbank")
	find("").status(http.StatusOK).has("Search in this account", "Pending Café", `href="`+page+`?q=is%3Aout"`).
		lacks("Totals of what was found", "Filter by account", "Girokonto, Elbe Sparbank")
	find("purchase 77").status(http.StatusOK).has("Purchase 77<", "1 transaction<", "−87.50", `href="`+page+`?q=purchase+77+is%3Aout"`,
		`href="/transactions/export?account=`+own.account+`&amp;q=purchase+77"`).lacks("Purchase 7<", "Pending Café")
	find("pending 3.20").status(http.StatusOK).has("Pending Café", "No booked transaction matches")
	find("is:out").has(`href="` + page + `?q=" aria-current="true">Money out</a>`)
	find("shop amout:5").status(http.StatusUnprocessableEntity).has("At character 6: Florin does not know “amout:”.", `href="`+page+`?q=shop+amount%3A5"`)
	seen, pages := 0, 0
	for a := find("is:out shop"); ; pages++ {
		seen += len(shops.FindAllString(a.body, -1))
		m := older.FindStringSubmatch(a.body)
		if m == nil {
			break
		}
		a = b.get(html.UnescapeString(m[1])).status(http.StatusOK).has("Newer", "120 transactions").lacks("Pending Café")
	}
	if seen != 120 || pages != 2 {
		t.Errorf("%d pages lead to %d rows", pages, seen)
	}
	for _, other := range regexp.MustCompile(`/accounts/[0-9A-Z]{26}"`).FindAllString(b.get("/").body, -1) {
		if other = strings.TrimSuffix(other, `"`); other != page {
			b.get(other + "?q=shop").status(http.StatusOK).has("No booked transaction matches").lacks("Shop 7")
		}
	}
	b.languages = "de"
	find("").has("In diesem Konto suchen")
}

// What is not understood is reported with its place, and never causes an error of the server.
func TestSearchTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	s, b, _ := linkedSite(t, transactions(3))
	for text, want := range map[string]string{
		"shop amout:5":                  "At character 6: Florin does not know “amout:”.",
		"amount:much":                   "At character 1: “much” is not an amount.",
		"((shop":                        "At character 2: This bracket is not closed.",
		`shop "1`:                       "At character 6: The second quotation mark is missing.",
		"bank:nowhere":                  "None of your banks is called “nowhere”.",
		strings.Repeat("shop ", 2_000):  "A search has 2,000 characters at most. Yours has 9,999.",
		"category:nowhere":              "None of your categories is called “nowhere”.",
		"is:transfers":                  "Search for “is:transfer”",
		"on:2026-02-30":                 "is not a date",
		"OR":                            "Write OR between two things to look for.",
		"last:month":                    "is not a period",
		"payee:":                        "Write a value after “payee:”.",
		strings.Repeat("-", 3) + ")":    "This bracket was not opened.",
		"<script>alert(1)</script> a:b": "Florin does not know “a:”",
	} {
		b.get("/transactions?q=" + url.QueryEscape(text)).status(http.StatusUnprocessableEntity).has(want).lacks("<script>alert")
	}
	s.user("tom@example.org")
	tom := s.signedIn("tom@example.org")
	for _, text := range []string{"NEAR(shop, 2)", `marks AND NOT * ^ + {payee}`, "shop*", "日本 ا", "\x00", "\xff", "'; DROP TABLE user; --", `""`,
		"\u202eshop\u202c", "s\u0300\u0301\u0302hop", "\U0001F468\u200d\U0001F469\u200d\U0001F467", "\ufeff\u2028\ufffe", "\xed\xa0\x80", strings.Repeat("\u0301", 2_000), strings.Repeat("s", 2_000),
		strings.Repeat("9", 40), "on:2099 OR after:2099-12", "-shop", "is:out OR is:in"} {
		b.get("/transactions?q=" + url.QueryEscape(text)).status(http.StatusOK)
		tom.get("/transactions?q="+url.QueryEscape(text)).status(http.StatusOK).lacks("Purchase", "Shop 0") // rows of another person
	}
	for _, text := range []string{"amount:" + strings.Repeat("9", 40), "last:" + strings.Repeat("9", 40) + "y", "on:99999-01", strings.Repeat("(", 11) + "shop" + strings.Repeat(")", 11),
		strings.Repeat("shop ", 61), "amount:1e9", "after:2026-13", "on:9999"} {
		b.get("/transactions?q=" + url.QueryEscape(text)).status(http.StatusUnprocessableEntity).has(`id="q-problem"`)
	}
	b.languages = "de"
	b.get("/transactions?q=amount:viel").status(http.StatusUnprocessableEntity).has("Bei Zeichen 1: „viel“ ist kein Betrag.", "In allen Konten suchen")
}
