package main

import (
	"strings"
	"testing"

	"florin/internal/money"
	"florin/internal/testkit"
)

// A person finds a booking by its amount, by a word and by conditions, typed and chosen. A mistake in a search is shown with its place. Links lead to older
// rows and back. The list of an account does the same.
func TestJourneySearch(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f := spawn(t)
	first := browse(t, desktop)
	first.setUp(f)
	first.link(f, exampleBank, exampleCountry)
	db := f.database()
	defer db.Close()
	var account, payee, currency string
	var minor int64
	err := db.QueryRow(`SELECT t.account_id, t.counterparty, t.minor, t.currency FROM booked_transaction t WHERE t.minor < 0 AND t.counterparty <> ''
		AND (SELECT COUNT(*) FROM booked_transaction other WHERE abs(other.minor) = abs(t.minor)) = 1
		AND (SELECT COUNT(*) FROM booked_transaction own WHERE own.account_id = t.account_id) > 60 ORDER BY t.sort_key LIMIT 1`).Scan(&account, &payee, &minor, &currency)
	if err != nil {
		t.Fatal(err)
	}
	amount := strings.TrimPrefix(money.FromMinor(minor, currency).String(), "-")
	for name, look := range scripts {
		t.Run(name, func(t *testing.T) {
			w := browse(t, look)
			w.signIn(f, ownerEmail, ownerPassword)
			find := func(text string) {
				t.Helper()
				w.fill("Search in all accounts", text)
				w.click("Search")
			}
			w.click("Transactions")
			w.click("Older")
			w.seeNot("pending transaction")
			w.click("Newer")
			if strings.Contains(w.address(), "before=") {
				t.Errorf("the newest page is %s", w.address())
			}
			find(amount)
			w.see("1 transaction", payee, "−"+amount)
			find(strings.ToUpper(payee))
			w.see(payee, "Net")
			find("amount:" + amount + " is:out")
			w.see("1 transaction", payee)
			w.click("Money out") // removes the condition
			w.see("1 transaction", payee)
			w.click("Money in")
			w.see("No booked transaction matches.")
			w.click("Money in")
			w.click("This month") // combines two chips with the typed words
			w.click("Money out")
			if !strings.Contains(w.address(), "is%3Aout") || !strings.Contains(w.address(), "on%3A") || !strings.Contains(w.address(), "amount%3A") {
				t.Errorf("the address is %s", w.address())
			}
			find("shop amout:" + amount)
			w.see("At character 6: Florin does not know “amout:”.")
			w.click("Search for “amount:”")
			w.see("Search in all accounts")
			w.checkPage()

			w.visit(f.web + "/accounts/" + account)
			w.click("Older")
			w.click("Newer")
			w.click("Search")
			w.fill("Search in this account", amount)
			w.click("Search")
			w.see("1 transaction", payee, "Balances")
			w.click("Money in")
			w.see("No booked transaction matches.", "Balances")
			w.checkPage()
		})
	}
}
