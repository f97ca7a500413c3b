package main

import (
	"testing"

	"florin/internal/contract/walk"
	"florin/internal/testkit"
)

// A person approves a payment at a bank that then does not answer. The page after the return says so. It never says that the payment was not made, and offers
// no way to pay a second time.
func TestJourneyBankSaysNothingAfterTheApproval(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	const silent = "payment-unavailable"
	f := spawn(t, "--sandbox-pace", "300ms", "--log-level", "error") // Florin logs a warning when the bank does not answer
	p := newPerson(t)
	p.setUp(f)
	p.link(f, scenarioPayments, "IE", walk.Person{Username: silent, Password: "scenario"})
	f.synced()
	for scripting, l := range scripts {
		t.Run(scripting, func(t *testing.T) {
			w := browse(t, l)
			w.as(p)
			w.visit(f.web + "/pay")
			w.visit(w.evaluate(payLink(scenarioPayments) + ".href"))
			w.payee("Gasthof Linde "+scripting, outside(map[bool]int{false: 60, true: 61}[l.noScript]), "31,70")
			w.review(newPayeeBox)
			w.confirm("Confirm 31.70 EUR to Gasthof Linde "+scripting, scenarioPayments)
			w.click("Go to " + scenarioPayments)
			w.click("Accept and go to " + scenarioPayments)
			w.fill("User", silent)
			w.fill("Password", "scenario")
			w.click("Sign in")
			w.see("Check your payment")
			w.approveOrder()
			w.see("Payment to", "Your bank has not confirmed it yet", "Do not pay it again", "The last check did not work (ASPSP_ERROR)", "Check again")
			w.seeNot("Try again", "not made", "Nothing was approved", "Nothing has been sent", "Open "+scenarioPayments)
			w.keepsWidth()
			w.visit(f.web + "/payments")
			w.see("Gasthof Linde "+scripting, "Your bank has not confirmed it yet")
		})
	}
}
