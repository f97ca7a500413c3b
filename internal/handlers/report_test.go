package handlers_test

import (
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
)

var (
	figureLink = regexp.MustCompile(`<a href="(/transactions\?q=[^"]*)">\s*<span class="money[^"]*">([^ <]*) <span class="cur">([A-Z]{3})</span></span>`)
	totalLines = regexp.MustCompile(`(?s)Money in</span>\s*<span[^>]*>([^ <]*) <span class="cur">([A-Z]{3})</span></span>.*?Money out</span>\s*<span[^>]*>([^ <]*) .*?Net</span>\s*<span[^>]*>([^ <]*) `)
)

// ledgerSite is a person with two accounts and random rows: with categories, tags, parts and transfers.
func ledgerSite(t *testing.T, draw *rand.Rand) (b *browser, account string) {
	t.Helper()
	var rows []openbanking.Transaction
	payees := []string{"Lidl", "Lidl Plus", "Zwiebelhof", `Bakery "Korn"`, ""}
	for i := range 60 { // the first row is of today, because a period may just have begun
		r := debit(fmt.Sprint("R", i), fmt.Sprintf("%d.%02d", draw.IntN(90)+1, draw.IntN(100)), payees[draw.IntN(len(payees))], "", -draw.IntN(420)*min(i, 1))
		if draw.IntN(4) == 0 {
			r.CreditDebitIndicator, r.Debtor, r.Creditor = openbanking.CreditDebitIndicatorCRDT, r.Creditor, nil
		}
		rows = append(rows, r)
	}
	s, b, own := linkedSite(t, rows)
	ctx := t.Context()
	mira, _, err := s.store.UserByEmail(ctx, "mira@example.org")
	must(t, err)
	user := mira.ID
	wallet, err := s.store.CreateAccount(ctx, finance.Account{UserID: user, Source: finance.SourceManual, Nickname: "Girokonto", Currency: "EUR",
		Type: openbanking.CashAccountTypeCASH},
		finance.Value{Day: openbanking.DateOf(time.Now().AddDate(-1, 0, 0)), Amount: money.FromMinor(10_000, "EUR")})
	must(t, err)
	found, _, err := s.store.Find(ctx, user, search.InAccount(own.account), 1<<62, 100)
	must(t, err)
	given := []string{"", "groceries", "gifts", "rent", "salary", "transfer"}
	for _, r := range found[1:] { // the row of today stays unchanged
		switch draw.IntN(4) {
		case 0:
			_, err := s.store.SetCategory(ctx, user, r.AccountID, r.ID, given[draw.IntN(len(given))])
			must(t, err)
		case 1:
			part := money.FromMinor(int64(draw.IntN(500)*2+1), "EUR")
			rest, err := r.Amount.Sub(part)
			must(t, err)
			must(t, s.store.Split(ctx, user, r.AccountID, r.ID,
				[]finance.SplitPart{{Amount: part, Category: given[draw.IntN(len(given))]}, {Amount: rest, Category: given[draw.IntN(len(given))]}}))
		case 2:
			must(t, s.store.Annotate(ctx, user, r.AccountID, r.ID, finance.Annotation{Tags: []string{[]string{"Italy", "Italy", "Italy 2026", "fun", `the "big" one`, "🎉"}[draw.IntN(6)]}}))
		}
		if draw.IntN(8) == 0 && !r.Amount.IsZero() {
			other, err := finance.WrittenRow{BookingDate: r.Date, Amount: r.Amount.Neg(), Lines: []string{"moved"}}.Entry(r.Date)
			must(t, err)
			id, err := s.store.AddRow(ctx, user, wallet, other)
			must(t, err)
			pair := finance.Transfer{OutID: r.ID, InID: id, State: finance.TransferByHand}
			if r.Amount.Sign() > 0 {
				pair.OutID, pair.InID = id, r.ID
			}
			must(t, s.store.SetTransfer(ctx, user, pair))
		}
	}
	return b, own.account
}

// The streams of a chart from income to spending, in its table, and the days of a calendar.
var (
	streamLink = regexp.MustCompile(`<th scope="row" class="since"><a href="([^"]+)"><bdi>[^<]*</bdi></a></th><td class="num"[^>]*><span class="money">([^ <]+) `)
	dayLink    = regexp.MustCompile(`<a href="([^"]+)"><time>[0-9]+</time> ?<span class="only-read">: ([^ <]+) `)
)

// Each figure of a report is a link to a list with the same total.
func TestEachFigureOfAReportLeadsToItsRows(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	b, account := ledgerSite(t, draw)
	forms := map[*regexp.Regexp]int{}
	followed := map[string]string{} // the total of each list, by its address
	plain := func(text string) string {
		return strings.TrimPrefix(strings.TrimPrefix(strings.ReplaceAll(text, "\u2212", "-"), "+"), "-")
	}
	for _, address := range []string{"/reports", "/reports?period=quarter", "/reports?view=categories", "/reports?view=days", "/reports?view=days&tag=Italy", "/reports?view=payees", "/reports?view=tags",
		"/reports?payee=lidl", "/reports?view=days&payee=Lidl&payee=Lidl+Plus", "/reports?view=categories&payee=Zwiebelhof", "/reports?view=payees&category=groceries&category=rent",
		"/reports?tag=Italy&tag=fun", "/reports?tag=Italy&tag=Italy+2026&view=payees", "/reports?tag=fun&payee=Lidl&view=categories", "/reports?tag=fun&tag=Italy&view=tags",
		"/reports?account=" + account, "/reports?category=groceries&category=rent", "/reports?tag=Italy", "/reports?tag=Italy&view=categories",
		"/reports?view=categories&period=days&from=" + time.Now().UTC().AddDate(0, -3, -7).Format(time.DateOnly)} {
		page := b.get(address).status(http.StatusOK)
		var links [][]string
		for _, form := range []*regexp.Regexp{figureLink, streamLink, dayLink} {
			found := form.FindAllStringSubmatch(page.body, -1)
			links, forms[form] = append(links, found...), forms[form]+len(found)
		}
		if len(links) == 0 && !strings.Contains(address, "tag=") && !strings.Contains(address, "view=days&payee=") { // of a tag, and of a payee in three months, there may be none
			t.Errorf("%s has no figures", address)
		}
		for _, m := range links {
			href := html.UnescapeString(m[1])
			query, err := url.QueryUnescape(href)
			must(t, err)
			if followed[href] == "" {
				totals, want := totalLines.FindStringSubmatch(b.get(href).status(http.StatusOK).body), "0.00"
				if totals != nil {
					which := map[bool]int{strings.Contains(query, "is:in"): 1, strings.Contains(query, "is:out"): 3}[true]
					if which == 0 {
						which = 4
					}
					want = totals[which]
				}
				followed[href] = want
			}
			want := followed[href]
			if plain(m[2]) != plain(want) {
				t.Errorf("%s: the figure is %s, and the list of %s comes to %s", address, m[2], query, want)
			}
		}
	}
	if len(followed) < 100 || forms[streamLink] == 0 || forms[dayLink] == 0 {
		t.Errorf("only %d links, %d streams and %d days", len(followed), forms[streamLink], forms[dayLink])
	}
}

// A report says what is wrong with its days, shows nothing of other people, and can be downloaded as a file in which no cell is a formula.
func TestReports(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("ada@example.org")
	b := s.signedIn("ada@example.org")
	b.get("/reports").has("Link a bank first", "Last 12 months").lacks("Export this report")
	wallet := b.created(url.Values{"source": {"manual"}, "name": {"=Wallet"}, "type": {"CASH"}, "currency": {"EUR"}, "amount": {"100"}, "day": {"2026-01-01"}})
	for _, row := range []url.Values{{"direction": {"out"}, "amount": {"12.40"}, "day": {"2026-02-03"}, "payee": {"=SUM(A1)"}}, {"direction": {"out"}, "amount": {"10"}, "day": {"2026-01-15"}, "payee": {"REWE"}},
		{"direction": {"in"}, "amount": {"1000000000000000"}, "day": {"2026-02-04"}, "text": {"much"}}} {
		b.post(wallet+"/add", row).to(wallet)
	}
	february := "/reports?period=days&from=2026-02-01&to=28.2.2026"
	b.get(february).has("1 February 2026 to 28 February 2026", "−12.40", "1,<wbr>000,<wbr>000,<wbr>000,<wbr>000,<wbr>000.00", "−2.40", "(−24 %)")
	b.get(february+"&view=worth").has("Net worth in EUR", "1,<wbr>000,<wbr>000,<wbr>000,<wbr>000,<wbr>077.60")
	b.get(february + "&view=payees").has("=SUM(A1)")
	b.get("/reports?period=days&from=2026-02-30&to=2026-01-01").status(http.StatusUnprocessableEntity).has("does not exist")
	b.get("/reports?period=days&from=2026-02-01&to=2026-01-01").status(http.StatusUnprocessableEntity).has("The last day is before the first one.")
	b.get("/reports?period=days&from=1990-02-01&to=2026-01-01").status(http.StatusUnprocessableEntity).has("10 years at most")
	b.get("/reports?period=days&from=1990-02-01&to=1990-03-01").has("There is nothing to show for this period.")
	b.get("/reports?payee=rewe&period=days&from=2026-01-01&to=2026-02-28").has(`value="REWE" checked`, "−10.00").lacks("−12.40")
	b.get("/reports?payee=lidl&category=Gruceries&tag=Italy&period=days&from=2026-01-01&to=2026-02-28").status(http.StatusOK).has("No transaction has this payee: lidl", "No category has this name: Gruceries",
		"No transaction has this tag: Italy", "−12.40")
	b.get("/reports?category=groceries&category=gifts+and+DONATIONS").has(`value="gifts" checked`)
	b.get("/reports?period=x&view=y&account=z&category=z&tag=%22").status(http.StatusOK)
	file := b.get(strings.Replace(february, "/reports", "/reports/export", 1) + "&view=payees").status(http.StatusOK).has("'=SUM(A1),0.00,-12.40,-12.40,0.00,0.00\r\n")
	if got := file.Header.Get("Content-Disposition"); got != `attachment; filename="florin-payees-2026-02-01-2026-02-28.csv"` {
		t.Errorf("the file is called %s", got)
	}
	b.get("/reports/export?period=days&from=x").status(http.StatusSeeOther)
	b.languages = "de"
	b.get(strings.Replace(february, "/reports", "/reports/export", 1)).has("Monat;Eingänge;Ausgänge;Saldo\r\n", ";-12,40;", "Veränderung seitdem;1000000000000000,00;-2,40;")
	b.get(february+"&view=categories").has("Auswertungen", "Ausgaben nach Kategorien in EUR")
	b.languages = ""
	s.user("bob@example.org")
	s.signedIn("bob@example.org").get(february).lacks("12.40", "Wallet")
}

// When rules give several payees one name, a report shows each with this name, its own name in brackets and its own figure. Asking for the name gives all of
// them.
func TestReportsOfPayeesWithTheNameOfARule(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.user("ada@example.org")
	b := s.signedIn("ada@example.org")
	wallet := b.created(url.Values{"source": {"manual"}, "name": {"Wallet"}, "type": {"CASH"}, "currency": {"EUR"}, "amount": {"100"}, "day": {"2026-01-01"}})
	for payee, amount := range map[string]string{"Lidl Dienstl 0815": "12.40", "Aldi Sued": "3.10", "Rewe": "1.00"} {
		b.post(wallet+"/add", url.Values{"direction": {"out"}, "amount": {amount}, "day": {"2026-02-03"}, "payee": {payee}}).to(wallet)
	}
	for word, name := range map[string]string{"lidl": "Shop", "aldi": "Shop", "rewe": "Rewe City"} {
		_, err := s.store.SaveRule(t.Context(), ada.ID,
			categories.Rule{Conditions: categories.Conditions{Payees: []string{word}}, Actions: categories.Actions{Name: name}})
		must(t, err)
	}
	const february = "/reports?period=days&from=2026-02-01&to=28.2.2026&view=payees"
	page := b.get(february).has(">Rewe City<", ">Shop (aldi sued)<", ">Shop (lidl dienstl", "−12.40", "−3.10").lacks(">rewe<", ">lidl dienstl")
	links := regexp.MustCompile(`href="(/transactions\?[^"]*)"[^>]*>\s*(?:<[^>]*>)?Shop \(([a-z]+)`).FindAllStringSubmatch(page.body, -1)
	if len(links) != 2 {
		t.Fatalf("%q", links)
	}
	for _, link := range links {
		other := map[string]string{"aldi": "12.40", "lidl": "3.10"}[link[2]]
		b.get(html.UnescapeString(link[1])).has(">Shop<").lacks(other)
	}
	b.get(february+"&payee=shop").has("−12.40", "−3.10", "Payees: Shop (aldi sued) and Shop (lidl dienstl").lacks("−1.00", "No transaction has this payee")
	b.get(february+"&payee=rewe+city").has("−1.00", "Payees: Rewe City").lacks("−12.40")
}

// A report has a limited size, however many categories, payees and tags there are: it has the largest, and the sum of the others. A file has them all, and the
// form takes another one by its name.
func TestReportOfMany(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	rows := map[string][]int64{}
	for i := range 120 {
		own := categories.Own{Category: categories.Category{ID: fmt.Sprintf("own%c%c", 'a'+i/26, 'a'+i%26), Group: categories.GroupLiving}, Name: fmt.Sprintf("Own %d", i)}
		must(t, s.store.SaveCategory(t.Context(), mira.ID, own))
		rows[own.ID] = []int64{int64(-100 * (i + 1))}
	}
	s.spends(mira, rows)
	row := regexp.MustCompile(`<th scope="row"[^>]*>`)
	page := b.get("/reports?period=month&view=categories").status(http.StatusOK).has("20 other categories", "−210.00", "Another category")
	if lines := len(row.FindAllString(page.body, -1)); lines > 2*101 {
		t.Errorf("a report of categories has %d lines", lines)
	}
	if offered := strings.Count(page.body, `name="category" value=`); offered > 100 {
		t.Errorf("the form offers %d categories", offered)
	}
	page = b.get("/reports?period=month&view=payees").status(http.StatusOK).has("Shop for ownep")
	if lines := len(row.FindAllString(page.body, -1)); lines > 50 {
		t.Errorf("a report of payees has %d lines", lines)
	}
	if offered := strings.Count(page.body, `name="payee" value=`); offered > 31 { // including the field for another one
		t.Errorf("the form offers %d payees", offered)
	}
	for _, view := range []string{"categories", "payees"} {
		file := b.get("/reports/export?period=month&view=" + view).status(http.StatusOK).body
		if !strings.Contains(file, ",-1.00") || strings.Count(file, "\n") < 120 {
			t.Errorf("the file of %s is not complete: %s", view, file)
		}
	}
	b.get("/reports?period=month&category=own+119").has(`value="ownep" checked`, "−120.00").lacks("−119.00")
	b.get("/reports?period=month&payee=shop+for+owneo").has(`value="Shop for owneo" checked`, "−119.00").lacks("−120.00")
}
