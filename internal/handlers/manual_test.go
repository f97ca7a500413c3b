package handlers_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

// rowAddress is the address of the page of a transaction.
var rowAddress = regexp.MustCompile(`/accounts/[^/"]+/transactions/[0-9]+`)

// hero is an amount as it appears at the head of a page.
func hero(amount string) string { return strings.Replace(amount, ".", `<span class="cents">.`, 1) }

// created posts the form of a new account and returns the address of its page.
func (b *browser) created(form url.Values) string {
	b.site.t.Helper()
	a := b.post("/accounts/new", form)
	a.status(http.StatusSeeOther)
	return a.Header.Get("Location")
}

// An account without a bank is made, filled by hand, found, exported, changed, closed and deleted, without JavaScript.
func TestKeepAnAccount(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("ada@example.org")
	b := s.signedIn("ada@example.org")
	b.get("/").has(`href="/accounts/new"`)
	b.get("/accounts/new").has("Add an account without a bank", `value="EUR"`)
	today := time.Now().UTC().Format(time.DateOnly)
	b.post("/accounts/new", url.Values{"source": {"manual"}, "currency": {"euros"}, "amount": {"ten"}, "day": {"2999-01-01"}, "number": {"DE02120300000000202052"},
		"institution": {strings.Repeat("x", 61)}}).status(http.StatusUnprocessableEntity).
		has("Enter a name.", "a code of three letters", "This day is in the future.", "The check digits of the IBAN are wrong.", "Use 60 characters at most.")
	b.post("/accounts/new", url.Values{"name": {"Wallet"}, "currency": {"EUR"}, "amount": {"ten"}, "day": {today}}).status(http.StatusUnprocessableEntity).
		has("Enter the amount with digits and decimals", `value="Wallet"`)
	wallet := b.created(url.Values{"source": {"manual"}, "name": {"Wallet"}, "type": {"CASH"}, "currency": {"eur"}, "amount": {"100,00"}, "day": {"2026-01-01"},
		"institution": {"Kitchen"}})
	b.get(wallet).has("Wallet is saved.", hero("100.00"), "Kitchen", "There are no transactions yet.", "Add a transaction").lacks("How the sync went", "Nickname")

	b.get(wallet+"/add").has("Money out", "Amount in EUR")
	b.post(wallet+"/add", url.Values{"direction": {"out"}, "amount": {"0"}, "day": {"2026-02-30"}}).status(http.StatusUnprocessableEntity).
		has("The amount must be more than zero.", "does not exist", "Enter who it was with, or a text.")
	b.post(wallet+"/add", url.Values{"direction": {"out"}, "amount": {"12.40"}, "day": {"2026-02-03"}, "payee": {"REWE"}, "text": {"apples"}}).to(wallet)
	b.post(wallet+"/add", url.Values{"direction": {"in"}, "amount": {"20"}, "day": {"2026-02-04"}, "text": {"found <money>"}}).to(wallet)
	b.get(wallet).has(hero("107.60"), "REWE", "found &lt;money&gt;")
	list := b.get("/transactions?q=apples").has("REWE", "Groceries", "Wallet, Kitchen")
	row := rowAddress.FindString(list.body)
	b.get(row).has("apples", "Change or delete this transaction", "Groceries").lacks("What the bank sent", "Pay again")
	b.post(row+"/annotation", url.Values{"note": {"for the cake"}}).to(row)
	b.get(row+"/edit").has(`value="12.40"`, `value="2026-02-03"`, `value="REWE"`, `value="apples"`)
	b.post(row+"/edit", url.Values{"direction": {"out"}, "amount": {"13.40"}, "day": {"2026-02-05"}, "payee": {"REWE"}, "text": {"apples and flour"}}).to(row)
	b.get(row).has("apples and flour", hero("−13.40"), "for the cake")
	b.get("/transactions?q=account:wallet+flour").has("13.40")
	b.get("/transactions/export?format=csv").has("2026-02-05,2026-02-05,,,Wallet,,Kitchen,REWE,,-13.40,EUR,apples and flour")
	b.post(row+"/delete", nil).to(wallet)
	b.get(wallet).has(hero("120.00")).lacks("apples")

	b.post(wallet+"/value", url.Values{"amount": {"-5"}, "day": {"2026-01-01"}}).to(wallet)
	b.get(wallet).has(hero("15.00"))
	b.post(wallet+"/value", url.Values{"amount": {""}, "day": {""}}).status(http.StatusUnprocessableEntity)
	b.post(wallet+"/edit", url.Values{"name": {"Purse"}, "type": {"CASH"}}).to(wallet)
	b.get(wallet).has("Purse")
	b.get("/").has("Kept by you", "Purse", "15.00")
	b.post(wallet+"/close", url.Values{"closed": {"yes"}}).to(wallet)
	b.get(wallet).has("This account does not count in your totals.").lacks("Add a transaction")
	b.get("/").has("Closed").lacks("Booked balances of")
	b.post(wallet+"/add", url.Values{"direction": {"in"}, "amount": {"20"}, "day": {"2026-02-04"}, "text": {"late"}}).status(http.StatusUnprocessableEntity)
	b.post(wallet+"/close", url.Values{"closed": {"no"}}).to(wallet)
	b.get(wallet+"/delete").has("1 transaction", "This cannot be undone.", "/transactions/export?account=", "To confirm, type “Purse”").lacks("The consent")

	s.user("tom@example.org")
	tom := s.signedIn("tom@example.org").proves()
	tom.get(wallet).status(http.StatusNotFound)
	for _, form := range []string{"/edit", "/delete", "/close", "/value", "/add"} {
		tom.post(wallet+form, url.Values{"closed": {"yes"}}).status(http.StatusNotFound)
	}
	b.post(wallet+"/nickname", url.Values{"nickname": {""}}).status(http.StatusNotFound)
	b.proves().post(wallet+"/delete", url.Values{"name": {"Wallet"}}).status(http.StatusUnprocessableEntity).has("The name does not match. Nothing is deleted yet. Type “Purse”.", `value="Wallet"`)
	b.post(wallet+"/delete", url.Values{"name": {" purse "}}).to("/")
	b.get(wallet).status(http.StatusNotFound)
	b.languages = "de"
	b.get("/accounts/new").has("Konto ohne Bank hinzufügen")
}

// An account that has only values counts in the totals with its latest value.
func TestKeepAValue(t *testing.T) {
	t.Parallel()
	_, b, own := linkedSite(t, transactions(2))
	house := b.created(url.Values{"source": {"value"}, "name": {"House"}, "type": {"OTHR"}, "currency": {"EUR"}, "amount": {"300000"}, "day": {"2026-01-01"}})
	b.get(house).has(hero("300,000.00"), "Your last value", "Add a value").lacks("Add a transaction", "Opening balance")
	b.post(house+"/value", url.Values{"amount": {"310.000"}, "day": {"2026-03-01"}}).status(http.StatusUnprocessableEntity).has("It is not clear")
	b.post(house+"/value", url.Values{"amount": {"310000"}, "day": {"2026-03-01"}}).to(house)
	b.get(house).has("310,000.00", "1 March")
	b.get("/").has("House", "310,000.00")
	b.post(house+"/value", url.Values{"remove": {"2026-03-01"}}).to(house)
	b.post(house+"/value", url.Values{"remove": {"2026-03-01"}}).status(http.StatusNotFound)
	b.get(house).lacks("310,000.00")
	b.get(house + "/add").status(http.StatusUnprocessableEntity)
	for _, form := range []string{"/edit", "/close", "/value", "/add"} { // an account of a bank is not kept by hand
		b.post("/accounts/"+own.account+form, url.Values{"closed": {"yes"}}).status(http.StatusNotFound)
	}
	b.get("/pay").lacks("House")
}
