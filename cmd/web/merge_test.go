package main

import (
	"fmt"
	"net/url"
)

// merges merges two transactions of one amount, looks for the result in the list, and separates them again.
func (w *window) merges(f *florin) {
	w.t.Helper()
	db := f.database()
	defer db.Close()
	var account, amount string
	var first, second int
	err := db.QueryRow(`SELECT one.account_id, one.amount, one.id, two.id FROM booked_transaction one JOIN booked_transaction two ON two.account_id = one.account_id AND two.minor = one.minor
		AND two.id > one.id AND NOT EXISTS (SELECT 1 FROM payment_booking booking WHERE booking.booked_id IN (one.id, two.id))
		AND NOT EXISTS (SELECT 1 FROM own_transfer held WHERE held.out_id IN (one.id, two.id) OR held.in_id IN (one.id, two.id)) ORDER BY two.sort_key DESC, one.sort_key DESC LIMIT 1`).
		Scan(&account, &amount, &first, &second)
	if err != nil {
		w.t.Fatal(err)
	}
	page := func(id int) string { return fmt.Sprintf("/accounts/%s/transactions/%d", account, id) }
	lines := func(want string) {
		w.t.Helper()
		w.visit(f.web + "/transactions?q=" + url.QueryEscape("amount:"+amount))
		if got := w.evaluate(fmt.Sprintf(`[%q, %q].map((href) => document.querySelectorAll('a[href="' + href + '"]').length).join(" ")`, page(first), page(second))); got != want {
			w.t.Errorf("the list has %s lines for the two, want %s", got, want)
		}
	}
	lines("1 1")
	w.visit(f.web + page(first))
	w.click("This is the same as another transaction")
	w.put(matching("#q"), "amount:"+amount)
	w.click("Search")
	w.checkPage()
	w.clickOn(matching(fmt.Sprintf(`a[href$="?other=%d"]`, second)))
	w.see("This one stays", "What the one transaction will be")
	w.checkPage()
	w.click("Merge them into one transaction")
	w.see("These two are one transaction now.", "One transaction from several")
	w.checkPage()
	lines("1 0")
	w.visit(f.web + page(first))
	w.clickOn(matching(fmt.Sprintf(`form:has(input[name=other][value="%d"]) button`, second)))
	w.see("These are two transactions again.")
	lines("1 1")
}
