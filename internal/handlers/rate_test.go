package handlers_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Exchange rates are typed, read from a file of the European Central Bank, corrected and deleted, without JavaScript. Problems are reported, and nothing is
// saved in part.
func TestRates(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	b.get("/settings").has(`href="/settings/rates"`)
	b.get("/settings/rates").status(http.StatusOK).has("There are no rates yet.", "That of most accounts (EUR)").lacks("Delete the rates")

	today := time.Now().UTC().Format(time.DateOnly)
	form := url.Values{"base": {"eur"}, "quote": {"chf"}, "value": {"0,93"}, "day": {"20.11.2025"}}
	b.post("/settings/rates", form).to("/settings/rates")
	b.get("/settings/rates").has("The rate is saved: 1 EUR = 0.93 CHF on 20 November 2025, by hand.", "1 EUR in CHF", "Old")
	for problem, wrong := range map[string]url.Values{
		"A rate is more than zero.":                               {"value": {"0"}},
		"A rate is less than 1,000,000,000.":                      {"value": {"1000000000"}},
		"A rate has 12 decimals at most.":                         {"value": {"0.0000000000001"}},
		"Enter the rate with digits":                              {"value": {"1e9"}},
		"The currency must be a code of three letters":            {"quote": {"xyz"}},
		"Choose a currency other than the first one.":             {"quote": {"EUR"}},
		"does not exist":                                          {"day": {"2026-02-30"}},
		"This day is in the future. Enter today or a day before.": {"day": {"2999-01-01"}},
	} {
		bad := url.Values{"base": {"EUR"}, "quote": {"CHF"}, "value": {"0.93"}, "day": {today}}
		for name, value := range wrong {
			bad[name] = value
		}
		b.post("/settings/rates", bad).status(http.StatusUnprocessableEntity).has(problem)
	}

	for problem, file := range map[string]string{
		"Line 3 has “0”, which is no rate.":                     "Date,USD,\n2026-11-20,1.0847,\n2026-11-19,0,\n",
		"Line 2 begins with “&lt;b&gt;”":                        "Date,USD,\n<b>,1.0847,\n",
		"This is not a file of the European Central Bank.":      "x",
		"The file has no rates.":                                "",
		"The zip file is damaged.":                              "PK\x03\x04 and so on",
		"Line 1 has a column called “Franken”":                  "Date,Franken\n2026-11-20,1\n",
		"Line 2 does not have as many cells as the first line.": "Date,USD,CHF,\n2026-11-20,1.0847,\n",
		"Line 3 has the day 2026-11-20, which was in an":        "Date,USD,\n2026-11-20,1.0847,\n20 November 2026,1.0847,\n",
		"The file is larger than 20 MiB.":                       "Date,USD,\n" + strings.Repeat(" ", 20<<20),
	} {
		b.attach("/settings/rates/ecb", "eurofxref.csv", file).status(http.StatusUnprocessableEntity).has(problem).lacks("USD in")
	}
	b.attach("/settings/rates/ecb", "", "").status(http.StatusUnprocessableEntity).has("Choose a file.")

	day := time.Now().UTC().AddDate(0, 0, -2).Format(time.DateOnly)
	b.attach("/settings/rates/ecb", "eurofxref-hist.csv", "Date,USD,CHF,\n"+day+",1.0847,0.9305,\n2025-11-20,1.2,0.94,\n").to("/settings/rates")
	page := b.get("/settings/rates").has("The rates of 2 days are saved.", "2 days, from 20 November 2025 to ", "1 EUR in USD", "1.0847", "0.9305", "European Central Bank").lacks(">Old<")
	b.languages = "de"
	b.get("/settings/rates").has("Neueste Kurse", "0,9305", "1 EUR = 0,93 CHF am 20. November 2025, von Hand")
	b.languages = ""

	// Other people see none of this, and cannot delete it.
	s.user("tom@example.org")
	tom := s.signedIn("tom@example.org")
	tom.get("/settings/rates").has("There are no rates yet.")
	own := regexp.MustCompile(`/settings/rates/[0-9A-Z]+/delete`).FindString(page.body)
	tom.post(own, nil).status(http.StatusNotFound)
	tom.post("/settings/rates/ecb/delete", nil).to("/settings/rates")
	b.post(own, nil).to("/settings/rates")
	b.get("/settings/rates").has("The rate is deleted.", "0.9305").lacks(">by hand<")
	b.post("/settings/rates/ecb/delete", nil).to("/settings/rates")
	b.get("/settings/rates").has("The rates of the European Central Bank are deleted.", "There are no rates yet.")

	b.post("/settings/rates/currency", url.Values{"currency": {"CHF"}}).to("/settings/rates")
	b.get("/settings/rates").has("The currency is saved.", `value="CHF" selected`, `value="CHF" autocomplete`)
	b.post("/settings/rates/currency", url.Values{"currency": {"chf"}}).status(http.StatusBadRequest).has("Florin does not know this currency.")
	b.post("/settings/rates/currency", url.Values{"currency": {""}}).to("/settings/rates")
	b.get("/settings/rates").lacks(`value="CHF" selected`)
}

// Totals of several currencies are also shown in one: each names its rates and their day, and amounts without a rate are listed separately. A person with one
// currency sees none of it.
func TestConvertedSums(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	purse := func(currency, amount string) string {
		return b.created(url.Values{"source": {"manual"}, "name": {"Purse " + currency}, "type": {"CASH"}, "currency": {currency}, "amount": {amount}, "day": {"2025-01-01"}})
	}
	row := func(account, direction, amount, day string) {
		b.post(account+"/add", url.Values{"direction": {direction}, "amount": {amount}, "day": {day}, "payee": {"Shop"}}).to(account)
	}
	february := "/reports?period=days&from=2026-01-01&to=2026-02-28"
	euros := purse("EUR", "100")
	purse("EUR", "1")
	row(euros, "out", "10", "2026-02-03")
	b.get("/").has("91.00").lacks("All in", "exchange rate", "Exchange rates")
	b.get(february).lacks("all currencies", "exchange rate", "Exchange rates")

	francs, crowns := purse("CHF", "200"), purse("NOK", "50")
	row(francs, "out", "9.30", "2026-02-03")
	row(francs, "in", "18.60", "2026-01-15")
	row(crowns, "out", "7", "2026-02-10")
	b.get("/").has("There are no exchange rates yet with which this could be converted into EUR.", `href="/settings/rates"`).lacks("All in")
	b.get(february).has("There are no exchange rates yet with which this could be converted into EUR.", `href="/settings/rates"`).lacks("all currencies")

	b.attach("/settings/rates/ecb", "eurofxref-hist.csv", "Date,USD,CHF,\n2026-02-27,1.0847,0.93,\n2026-01-30,1.2,0.5,\n2026-01-02,1.2,0.4,\n").to("/settings/rates")
	// 91 EUR, and 209.30 CHF at 0.93.
	b.get("/").has("All in EUR", `316<span class="cents">.05`, "1 EUR = 0.93 CHF on 27 February 2026, ECB. This rate is old.", "Not included, because there is no exchange rate: 43.00 NOK")
	// A report converts everything by the rate of its last day: 10 EUR and 9.30 CHF went out, 18.60 CHF came in.
	b.get(february).has("Income and spending in EUR, all currencies", "EUR, all currencies: compared", "−20.00", "20.00", "Not included, because there is no exchange rate: NOK",
		"1 EUR = 0.93 CHF on 27 February 2026, ECB", "Income and spending in CHF", "Income and spending in NOK").lacks("This rate is old")
	b.get(february+"&view=categories").has("Spending by category in EUR, all currencies", "−20.00", "From income to spending, in EUR, all currencies")
	b.get(february+"&view=payees").has("Payee in EUR, all currencies", "−20.00")
	b.get("/reports?account=" + strings.TrimPrefix(euros, "/accounts/") + "&" + strings.TrimPrefix(february, "/reports?")).lacks("all currencies")
	// The net worth is converted by the rate of each day: 218.60 CHF at 0.5 and 209.30 CHF at 0.93.
	b.get(february+"&view=worth").has("Net worth in EUR, all currencies", "538.20", "1 EUR = 0.5 CHF on 30 January 2026, ECB", "316.05", "1 EUR = 0.93 CHF on 27 February 2026, ECB",
		"Not included, because there is no exchange rate: 50.00 NOK; 1 EUR = 0.5 CHF")
	b.get(strings.Replace(february, "/reports", "/reports/export", 1)+"&view=worth").has("28 February 2026,316.05,", `"Not included, because there is no exchange rate: 43.00 NOK; 1 EUR = 0.93 CHF on 27 February 2026, ECB"`)
	b.get(strings.Replace(february, "/reports", "/reports/export", 1)).has("1 EUR = 0.93 CHF on 27 February 2026, ECB")
	b.get(strings.Replace(february, "/reports", "/reports/export", 1)).has(`"Not included, because there is no exchange rate: NOK"`)

	// Another currency: over the euro by two rates, both named.
	b.post("/settings/rates/currency", url.Values{"currency": {"USD"}}).to("/settings/rates")
	b.post("/settings/rates", url.Values{"base": {"NOK"}, "quote": {"USD"}, "value": {"0.1"}, "day": {"2026-02-27"}}).to("/settings/rates")
	b.get("/").has("All in USD", `347<span class="cents">.13`, "1 EUR = 1.0847 USD on 27 February 2026, ECB", "1 EUR = 0.93 CHF on 27 February 2026, ECB", "1 NOK = 0.1 USD on 27 February 2026, by hand").lacks("Not included")
	b.languages = "de"
	b.get("/").has("Alles in USD", `347<span class="cents">,13`, "1 EUR = 0,93 CHF am 27. Februar 2026, EZB. Dieser Kurs ist alt.")
	b.languages = ""
	s.user("tom@example.org")
	s.signedIn("tom@example.org").get("/reports").lacks("all currencies")
}
