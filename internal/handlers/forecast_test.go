package handlers_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"florin/internal/openbanking"
)

// forecastRows are those of five months: a salary, a rent, and shopping.
func forecastRows(salary, rent, shopping string) []openbanking.Transaction {
	employer := "Vogel Maschinenbau"
	var rows []openbanking.Transaction
	for n := range 5 {
		paid := debit("pay"+string(rune('a'+n)), salary, "", "", -24-30*n)
		paid.CreditDebitIndicator, paid.Debtor = openbanking.CreditDebitIndicatorCRDT, &openbanking.PartyIdentification{Name: &employer}
		rows = append(rows, paid, debit("rent"+string(rune('a'+n)), rent, "Erika Sauer", "", -18-30*n), debit("shop"+string(rune('a'+n)), shopping, "Shop "+strings.Repeat("x", n+1), "", -9-30*n))
	}
	return rows
}

// The forecast shows coming payments and everyday spending, each with the data behind it. The first page says what is left until payday. All works without
// JavaScript.
func TestForecast(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.service.rows["uid-1"] = forecastRows("2500.00", "850.00", "77.77")
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	b.get("/forecast").status(http.StatusOK).has("There is nothing to forecast yet", `aria-current="page"`)
	attempt := b.start(elbe)
	b.get(s.back()).to(attempt)
	s.syncAll()
	s.findRecurring()
	page := b.get("/forecast").status(http.StatusOK).has("Left until payday on", "All accounts in EUR", "Balance in the next 90 days, in EUR", "The dashed part is in the future.", "What is coming", "Erika Sauer", "Vogel Maschinenbau",
		"Everyday spending, in EUR", "Apart from regular payments, about", "How good the forecast was", "In EUR: not known yet.")
	if n := strings.Count(page.body, ">Erika Sauer<"); n != 3 {
		t.Errorf("the rent comes %d times in 90 days, want 3", n)
	}
	account := regexp.MustCompile(`/forecast\?account=[^"#]+`).FindString(page.body[strings.Index(page.body, "Left until payday"):])
	one := b.get(account).status(http.StatusOK).has("Money out", "77.77", "the average of the last", "Florin spreads it evenly over the days.")
	month := regexp.MustCompile(`href="(/transactions\?q=[^"]+)"`).FindStringSubmatch(one.body)
	if month == nil {
		t.Fatal("no link to the transactions of a month")
	}
	b.get(strings.ReplaceAll(month[1], "&amp;", "&")).status(http.StatusOK).has("Erika Sauer")
	b.get("/").status(http.StatusOK).has("Left until payday on", `href="`+account+`#everyday"`, "850.00 EUR to Erika Sauer", "2,500.00 EUR from Vogel Maschinenbau", `href="/forecast"`)
	b.get("/forecast?account=none").status(http.StatusNotFound)
	b.get("/forecast/export?account=none").status(http.StatusNotFound)

	// Its tables as a file: of all accounts, and of one.
	for _, address := range []string{"/forecast", account} {
		link := regexp.MustCompile(`href="(/forecast/export[^"]*)" download`).FindStringSubmatch(b.get(address).body)
		if link == nil {
			t.Fatalf("%s has no file", address)
		}
		file := b.get(html.UnescapeString(link[1])).status(http.StatusOK).has("Balance in the next 90 days, in EUR", "Erika Sauer,-850.00,EUR", "Apart from regular payments, about").body
		balances, _, _ := strings.Cut(file, "\r\n\r\n") // of EUR: on some days there is a series in SEK, too
		if n := len(regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\d,-?[0-9.]+\r$`).FindAllString(balances, -1)); n != 91 {
			t.Errorf("%s: the file has the balances of %d days, want today and 90", address, n)
		}
	}
	german := s.signedIn("mira@example.org")
	german.languages = "de"
	german.get("/forecast/export").has("Tag;Kontostand\r\n", ";-850,00;EUR;")
	german.get("/forecast").has("Übrig bis zum nächsten Geldeingang", "Alltagsausgaben, in EUR", "Niedrigster Stand")

	other := s.user("bo@example.org")
	stranger := s.signedIn(other.Email)
	stranger.get(account).status(http.StatusNotFound)
	stranger.get(strings.Replace(account, "/forecast", "/forecast/export", 1)).status(http.StatusNotFound)
	stranger.get("/forecast").lacks("Erika Sauer")
}

// The pages warn early when an account will go below zero.
func TestForecastTellsEarlyWhatGoesBelowZero(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.service.rows["uid-1"] = forecastRows("900.00", "2850.00", "500.00")
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	attempt := b.start(elbe)
	b.get(s.back()).to(attempt)
	s.syncAll()
	s.findRecurring()
	for _, path := range []string{"/", "/forecast"} {
		b.get(path).status(http.StatusOK).has("goes below zero on", "If everything happens as expected, the balance will be", "See the forecast")
	}
}

// A standing order that Florin sent is in the forecast, too, on each of its days.
func TestForecastCountsPaymentsThatFlorinSent(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	s.sendOrder(t, mira, account, everyWeek("ACME GmbH", frenchACME, "12.30", 3))
	page := b.get("/forecast").status(http.StatusOK).has("ACME GmbH", "Your standing order", "Florin does not know your everyday spending yet")
	if weeks := strings.Count(page.body, "Your standing order"); weeks != 13 {
		t.Errorf("the standing order comes %d times in 90 days, want 13", weeks)
	}
}
