package handlers_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"florin/internal/openbanking"
)

// linkedSite is a site whose user has linked Elbe Sparbank, with the user's browser and the ids of what belongs to the user.
func linkedSite(t *testing.T, rows []openbanking.Transaction) (*site, *browser, things) {
	t.Helper()
	s := newSite(t)
	s.service.rows["uid-1"] = rows
	mira := s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	b.get(s.back()).to(attempt)
	s.syncAll()
	return s, b, s.thingsOf(mira, attempt)
}

var (
	hidden = regexp.MustCompile(`<input type="hidden"[^>]*>`)
	shops  = regexp.MustCompile(`<bdi>Purchase (\d+)</bdi>`)
	older  = regexp.MustCompile(`rel="next" href="([^"]*)"`)
	newer  = regexp.MustCompile(`rel="prev" href="([^"]*)"`)
)

// TestPagesWalkEveryRowOnce: the links to older pages show each row once. On each page the link to newer rows leads to the page before it.
func TestPagesWalkEveryRowOnce(t *testing.T) {
	t.Parallel()
	const rows = 233
	_, b, own := linkedSite(t, transactions(rows))
	link := func(a *answer, which *regexp.Regexp) string {
		m := which.FindStringSubmatch(a.body)
		if m == nil {
			return ""
		}
		return html.UnescapeString(m[1])
	}
	shown := func(a *answer) (numbers []int) {
		for _, m := range shops.FindAllStringSubmatch(a.body, -1) {
			n, err := strconv.Atoi(m[1])
			must(t, err)
			numbers = append(numbers, n)
		}
		return numbers
	}
	var seen []int
	var visited []string
	pages := 0
	path := "/accounts/" + own.account
	for path != "" {
		a := b.get(path).status(http.StatusOK)
		if pages++; pages > 10 {
			t.Fatal("the pages do not end")
		}
		if first := pages == 1; strings.Contains(a.body, "Pending Café") != first {
			t.Errorf("page %d: the pending block is shown: %t", pages, !first)
		}
		numbers := shown(a)
		if len(numbers) > 50 {
			t.Errorf("page %d has %d rows", pages, len(numbers))
		}
		seen, visited = append(seen, numbers...), append(visited, path)
		path = link(a, older)
	}
	if pages != 5 {
		t.Errorf("%d pages", pages)
	}
	slices.Sort(seen)
	if len(seen) != rows || len(slices.Compact(seen)) != rows {
		t.Errorf("%d rows were shown", len(seen))
	}
	for i := len(visited) - 1; i > 0; i-- {
		back := link(b.get(visited[i]), newer)
		if back != visited[i-1] {
			t.Errorf("page %d leads back to %q, want %q", i+1, back, visited[i-1])
		}
	}
	if back := link(b.get(visited[0]), newer); back != "" {
		t.Errorf("the newest page leads to %q", back)
	}
	b.get("/accounts/"+own.account+"?before=x").status(http.StatusBadRequest).has("There is no such page of transactions", "Open the newest transactions",
		`href="/accounts/`+own.account+`"`)
	b.get("/accounts/" + own.account + "?before=-5").status(http.StatusOK).lacks("Shop")
}

// withYear is the date that many days from today, as pages show it: with its year when that is not the current one.
func withYear(days int, layout string) string {
	now := time.Now().UTC()
	day := now.AddDate(0, 0, days)
	if day.Year() != now.Year() {
		layout = strings.Replace(layout, "Monday ", "Monday, ", 1) + " 2006"
	}
	return day.Format(layout)
}

// TestAccountPage: balances have words and their code, pending transactions are apart, rows are under their day, and the bank's record is one click away.
func TestAccountPage(t *testing.T) {
	t.Parallel()
	rows := transactions(3)
	rows[0].CreditDebitIndicator = openbanking.CreditDebitIndicatorCRDT
	rows[0].Debtor, rows[0].Creditor = &openbanking.PartyIdentification{Name: new("Studio Bellini")}, nil
	rows[0].BalanceAfterTransaction = &openbanking.AmountType{Currency: "EUR", Amount: "-1234.5"}
	rows[0].ReferenceNumber, rows[0].ReferenceNumberSchema = new("RF18539007547034"), new(openbanking.ReferenceNumberSchemeINTL)
	rows[0].ExchangeRate = &openbanking.ExchangeRate{UnitCurrency: new("EUR"), ExchangeRate: new("1.131"),
		InstructedAmount: &openbanking.AmountType{Currency: "USD", Amount: "11.88"}}
	rows[0].ValueDate, rows[0].TransactionDate = new(openbanking.Date("2026-02-03")), new(openbanking.Date("2026-02-01"))
	s, b, own := linkedSite(t, rows)
	a := b.get("/accounts/" + own.account).status(http.StatusOK)
	a.has("1,234", ".56", "Booked at close of day", "CLBD", "Available now", "ITAV", "2,234.56", "Everything booked by the end of the bank’s working day.",
		"Pending Café", "−3.20", "Not booked yet and not part of the balance", "Yesterday, "+withYear(-1, "Monday 2 January"),
		"DE89 3704 0044 0532 0130 00", "Current account, ending in 3000", "History goes back to", "Simulated banks: no real money.", "Shop 1", "−11.50")

	page := "/accounts/" + own.account + "/transactions/"
	ids := regexp.MustCompile(regexp.QuoteMeta(page) + `(\d+)"><bdi>Studio Bellini`).FindStringSubmatch(a.body)
	if ids == nil {
		t.Fatal("the row has no link to its transaction")
	}
	b.get(page+ids[1]).status(http.StatusOK).has("Received from", "Studio Bellini", "+10", ".50", "Booked", "BOOK", "Paid on", "1 February", "Booked on",
		"Value date", "3 February",
		"−1,234.50 EUR", "11.88 USD", "1 EUR = 1.131 USD", "International reference", "RF18539007547034", "Purchase 0",
		"What the bank sent", "&#34;entry_reference&#34;: &#34;ref-0&#34;", "Florin first fetched this on")
	for _, wrong := range []string{"x", "0", "-1", "99999999999999999999", ids[1] + "x"} {
		b.get(page + wrong).status(http.StatusNotFound)
	}

	b.post("/accounts/"+own.account+"/nickname", url.Values{"nickname": {"  Every\u202eday  "}}).to("/accounts/" + own.account)
	b.get("/settings").lacks("The nickname is saved.") // another window that loads a page in between does not use up the notice
	b.get("/accounts/"+own.account).status(http.StatusOK).has("The nickname is saved.", `value="Everyday"`, "<h1><bdi>Everyday</bdi></h1>")
	b.get("/").has("<bdi>Everyday</bdi>", "Girokonto")
	long := strings.Repeat("ä", 61)
	b.post("/accounts/"+own.account+"/nickname", url.Values{"nickname": {long}}).status(http.StatusUnprocessableEntity).
		has("A nickname may have 60 characters at most. This one has 61.", `value="`+long+`"`, `aria-invalid="true"`, "<h1><bdi>Everyday</bdi></h1>")
	b.post("/accounts/"+own.account+"/nickname", url.Values{"nickname": {""}}).to("/accounts/" + own.account)
	b.get("/accounts/"+own.account).has("The account has the bank’s name again.", "<h1><bdi>Girokonto</bdi></h1>")
	s.hub.Close()
}

// TestTextsOfBanksAreOnlyText (security T18): markup in everything that a bank or the service sends is shown as text and has no effect. Characters that turn
// the direction of writing are removed, or escaped in the record.
func TestTextsOfBanksAreOnlyText(t *testing.T) {
	t.Parallel()
	payloads := []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'><svg/onload=alert(1)>`, `</textarea><iframe src=javascript:alert(1)>`,
		`javascript:alert(1)`, "a\u202eb\u200bc", `{{9*999}}`, `&lt;b&gt;`}
	for _, p := range payloads {
		s := newSite(t)
		rows := transactions(1)
		rows[0].Creditor = &openbanking.PartyIdentification{Name: &p, PostalAddress: &openbanking.PostalAddress{AddressLine: []string{p}, Country: &p}}
		rows[0].RemittanceInformation = []string{p}
		rows[0].ReferenceNumber, rows[0].MerchantCategoryCode, rows[0].Note = &p, &p, &p
		rows[0].BankTransactionCode = &openbanking.BankTransactionCode{Description: &p, Code: &p}
		rows[0].CreditorAgent = &openbanking.FinancialInstitutionIdentification{Name: &p, BICFI: &p}
		s.service.rows["uid-1"] = rows
		s.service.banks = []openbanking.ASPSPData{{Name: p, Country: "DE", PSUTypes: personal, MaximumConsentValidity: 86400, BIC: &p, Logo: p,
			Group: &openbanking.ASPSPGroup{Name: p}}}
		for i := range s.service.accounts {
			s.service.accounts[i].Product, s.service.accounts[i].Name, s.service.accounts[i].Details = &p, &p, &p
		}
		mira := s.user("mira@example.org")
		b := s.signedIn("mira@example.org")
		choice := url.Values{"provider": {"embedded"}, "bank": {p}, "country": {"DE"}, "psu_type": {"personal"}}
		safe := func(path string) {
			a := b.get(path).status(http.StatusOK)
			a.body = hidden.ReplaceAllString(a.body, "") // these fields hold the bank's name unchanged, because it identifies the bank
			a.lacks("<script>alert", "<img src=x", "<svg/onload", "<iframe", `href="javascript`, "\u202e", "\u200b", "8991")
			if strings.Contains(p, "<") && !strings.Contains(a.body, html.EscapeString(p)[:8]) &&
				!strings.Contains(a.body, strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(p)[:4]) {
				t.Errorf("%s does not show %q", path, p)
			}
		}
		safe("/link")
		safe("/link/bank?" + choice.Encode())
		attempt := b.start(choice)
		safe(attempt)
		start, _ := s.service.last()
		b.get("/callback/embedded?" + url.Values{"state": {start.State}, "error": {p}, "error_description": {p}}.Encode()).to(attempt)
		safe(attempt)
		attempt = b.start(choice)
		b.get(s.back()).to(attempt)
		safe(attempt)
		s.syncAll()
		own := s.thingsOf(mira, attempt)
		for _, path := range []string{"/", "/connections/" + own.connection, "/connections/" + own.connection + "/disconnect", "/accounts/" + own.account,
			"/accounts/" + own.account + "/transactions/" + own.transaction, "/link"} {
			safe(path)
		}
		s.hub.Close()
	}
}

// TestAccountIsProvenComplete: the badge says up to which day an account is complete, and the details say since when. A row that is listed twice is named one
// day later. Once the two rows are merged, the account is complete again.
func TestAccountIsProvenComplete(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	day := func(ago int) openbanking.Date { return openbanking.DateOf(time.Now().AddDate(0, 0, -ago)) }
	row := func(reference, amount, shop string, ago int) openbanking.Transaction {
		return openbanking.Transaction{EntryReference: &reference, TransactionAmount: openbanking.AmountType{Currency: "EUR", Amount: amount},
			BookingDate:          new(day(ago)),
			CreditDebitIndicator: openbanking.CreditDebitIndicatorDBIT, Status: openbanking.TransactionStatusBOOK,
			Creditor: &openbanking.PartyIdentification{Name: &shop}}
	}
	bank := func(ago int, balance string, rows ...openbanking.Transaction) {
		s.service.rows["uid-1"] = append(rows, s.service.rows["uid-1"]...)
		s.service.booked["uid-1"] = openbanking.BalanceResource{BalanceType: openbanking.BalanceStatusCLBD, ReferenceDate: new(day(ago)),
			BalanceAmount: openbanking.AmountType{Currency: "EUR", Amount: balance}}
	}
	s.service.rows["uid-1"] = nil
	bank(3, "100.00", row("first", "50.00", "Garage", 5))
	mira := s.user("mira@example.org")
	b, german := s.signedIn("mira@example.org"), s.signedIn("mira@example.org")
	german.languages = "de"
	attempt := b.start(elbe)
	b.get(s.back()).to(attempt)
	s.syncAll()
	own := s.thingsOf(mira, attempt)
	page := "/accounts/" + own.account
	again := func() {
		b.post("/connections/"+own.connection+"/refresh", nil)
		s.syncAll()
	}
	b.get(page).has("Checked against the balance", "Not yet", "from the second update on").lacks("Complete and exact")
	again()
	b.get(page).has("Complete and exact up to", "Complete from", "all bookings since then add up to the bank’s balance").lacks("The bookings do not add up")
	german.get(page).has("Vollständig und genau bis", "Mit dem Kontostand verglichen")
	bank(2, "88.00", row("cinema", "12.00", "Cinema", 2), row("once more", "12.00", "Cinema", 2))
	again()
	b.get(page).has("Complete and exact up to", "differs from the bookings by 12.00 EUR").lacks("The bookings do not add up")
	bank(1, "88.00")
	again()
	broken := b.get(page).has("The bookings do not add up to the balance of", "Cinema (−12.00 EUR) is listed twice, but only once in the balance.", "Everything is right up to", "Open the transaction").
		lacks("Complete and exact")
	german.get(page).has("Die Buchungen ergeben nicht den Kontostand vom", "ist zweimal da", "Umsatz öffnen")
	rows := regexp.MustCompile(`(`+regexp.QuoteMeta(page)+`/transactions/(\d+))"><bdi>Cinema`).FindAllStringSubmatch(broken.body, -1)
	if len(rows) != 2 {
		t.Fatalf("%d rows", len(rows))
	}
	b.post(rows[0][1]+"/merge", url.Values{"other": {rows[1][2]}})
	b.get(page).has("Complete and exact up to").lacks("The bookings do not add up", "differs from")
}
