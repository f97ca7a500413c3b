package main

import (
	"testing"

	"florin/internal/testkit"
)

// A bank that gives data only while its customer is present fails unattended reads. Each page that reports the fault leads to the button that reads now, and
// the button helps, with and without a script.
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
