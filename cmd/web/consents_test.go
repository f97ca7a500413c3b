package main

import (
	"testing"

	"florin/internal/testkit"
)

// A person revokes the consent of Florin at the bank. Florin reports that without alarm, and the bank is reconnected with its history: with and without
// JavaScript, and on a phone.
func TestJourneyRevokeConsent(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	for name, l := range map[string]look{"with JavaScript": desktop, "without JavaScript": scripts["without JavaScript"],
		"on a phone, in the dark": {width: 390, height: 844, dark: true}} {
		t.Run(name, func(t *testing.T) {
			f := begin(t)
			w := browse(t, l)
			w.setUp(f)
			w.link(f, exampleBank, exampleCountry)

			w.visit(f.service + "/consents")
			w.see("Choose your bank")
			w.keepsWidth()
			w.fill("Name, country or BIC", exampleBank)
			w.click("Search")
			w.see("1 bank")
			w.click(exampleBank)
			c := w.samples()[0]
			w.keepsWidth()
			w.fill("User", c.user)
			w.fill("Password", "wrong")
			w.fill("One-time code", c.code)
			w.click("Sign in")
			w.see("The user, the password or the one-time code is wrong.")
			w.fill("Password", c.password)
			w.fill("One-time code", c.code)
			w.click("Sign in")
			w.see("Applications that may read your accounts", "Florin", "Balances and transactions")
			w.keepsWidth()
			w.press("End access Florin")
			w.see("reads nothing more from then on")
			w.keepsWidth()
			w.click("End access of Florin")
			w.see("Florin can read nothing more.", "You ended it on")
			w.keepsWidth()
			w.click("Sign out")
			w.see("Sign in to see")

			w.visit(f.web + "/")
			w.visit(w.evaluate(`document.querySelector(".account-row a.row-title").href`))
			w.click("How the sync went")
			w.click("Refresh")
			w.see("You withdrew your consent", "Your history stays.")
			w.seeNot("Who has to act")
			w.keepsWidth()
			w.click("Reconnect")
			w.toConsent(exampleBank)
			w.toBank(exampleBank)
			w.bankSignIn(c)
			w.approve(c)
			w.see("Your consent at "+exampleBank+" is renewed", "5 recognised")
		})
	}
}

// The list of scenarios can be read at every width, and leads to their banks.
func TestJourneyScenarios(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f := begin(t)
	for _, l := range map[string]look{"wide": desktop, "phone": phone, "dark": {width: 1280, height: 900, dark: true}, "narrow": {width: 320, height: 700}} {
		w := browse(t, l)
		w.visit(f.service + "/scenarios")
		w.see("Real banks are not alike", "references-missing", "one-consent")
		w.keepsWidth()
		w.click("Dates and periods")
		w.click("Scenario Dates")
		w.see("Welcome to Scenario Dates")
		w.keepsWidth()
		w.click("See and end the consents you have given")
		w.see("Sign in to see")
	}
}
