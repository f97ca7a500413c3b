package main

import (
	"testing"

	"florin/internal/testkit"
)

// A consent of ten days is renewed early. Going back changes nothing, another login renews nothing, and the right login brings the accounts back.
func TestJourneyRenew(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f := spawn(t)
	w := browse(t, desktop)
	w.setUp(f)
	w.chooseBank(f, exampleBank, exampleCountry)
	w.press("Give access for a shorter time")
	w.fill("Number of days, or last day", "1000")
	w.click("Continue to " + exampleBank)
	w.see("days at most, until")
	w.fill("Number of days, or last day", "10")
	w.toConsent(exampleBank)
	w.toBank(exampleBank)
	lena := w.samples()[0]
	w.bankSignIn(lena)
	w.approve(lena)
	w.see(exampleBank+" is linked", "The sync is done")
	w.click("Details of this connection")
	connection := w.address()
	offered := func() {
		t.Helper()
		w.visit(connection)
		w.see("Your consent at "+exampleBank+" ends", "Renew", "Up to date")
		w.keepsWidth()
	}

	offered()
	w.click("Renew")
	w.see("Renew this connection", "What you agree to")
	offered()
	w.click("Renew")
	w.toConsent(exampleBank)
	w.click("Cancel")
	w.see("No access was given", "Nothing was renewed. Your old consent still works.")
	w.keepsWidth()
	w.click("Start again")
	w.toConsent(exampleBank)
	w.toBank(exampleBank)
	w.bankSignIn(lena)
	w.click("Cancel and go back to Florin")
	w.see("Nothing was renewed. Your old consent still works.")

	offered()
	w.click("Renew")
	w.toConsent(exampleBank)
	w.toBank(exampleBank)
	w.see("This is a simulated bank")
	w.fill("User", "mia") // she shares no account with Lena, and has no code
	w.fill("Password", "muschel-8")
	w.click("Sign in")
	w.see("Your accounts")
	w.click("Approve")
	w.see(exampleBank+" is linked", "The connection that you wanted to renew is not renewed", "Florin has made a new connection.", "Your old consent still works.", "The sync is done")
	w.keepsWidth()

	w.click("Renew it with its own login")
	w.toConsent(exampleBank)
	w.toBank(exampleBank)
	w.bankSignIn(lena)
	w.approve(lena)
	w.see("Your consent at "+exampleBank+" is renewed", "5 recognised", "The sync is done", "Its history continues without a gap.")
	w.seeNot("is not renewed")
	w.keepsWidth()
	w.visit(connection)
	w.see("Up to date")
	w.seeNot("Your consent at " + exampleBank + " ends")
}
