package main

import (
	"testing"

	"florin/internal/testkit"
)

// The pain of a read that fails while nobody is there, and of a text that leads in a circle: a bank that gives data only while its customer is there is read
// when the customer asks for it, with and without a script. Each page that tells of the fault leads to the button, and the button helps.
func TestJourneyAttendedRefresh(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	for name, l := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const bank = "Scenario Limits"
			f := spawn(t)
			w := browse(t, l)
			w.setUp(f)
			w.chooseBank(f, bank, "Ireland")
			w.toConsent(bank)
			w.toBank(bank)
			w.see("This is a simulated bank")
			w.fill("User", "action-required")
			w.fill("Password", "scenario")
			w.click("Sign in")
			w.see("Your accounts")
			w.click("Approve")
			w.see(bank + " is linked")
			w.settled()

			w.visit(f.web + "/")
			w.settled()
			w.see("The bank is waiting for you", bank+" needs something from you", "Choose Refresh.")
			w.click("Open the connection")
			w.see("The bank is waiting for you", "Refresh")
			w.click("Refresh")
			w.settled()
			w.see("Up to date")
			w.seeNot("needs something from you", "The bank is waiting for you")

			w.visit(f.web + "/")
			w.settled()
			w.see("Up to date")
			w.seeNot("needs something from you", "No balance yet")
			w.click("Refresh") // all accounts
			w.settled()
			w.see("Up to date")
			w.click(w.evaluate(`document.querySelector(".account-row a.row-title").textContent.trim()`))
			w.see("Transactions", "Balances")
			w.click("Refresh")
			w.settled()
			w.see("Transactions", "Balances")
			w.seeNot("needs something from you", "The bank is waiting for you")
		})
	}
}
