package main

import (
	"regexp"
	"testing"

	"github.com/chromedp/chromedp"
)

// The steps that journeys of payments have in common.

const (
	payeeName = "ACME GmbH"
	payeeIBAN = "DE89 3704 0044 0532 0130 00"
)

// payFrom opens the form for a payment from the first account that can pay.
func (w *window) payFrom(f *florin) {
	w.t.Helper()
	w.visit(f.web + "/pay")
	w.see("From which account?", "Simulated: no money moves")
	w.follow(chromedp.Click(chromedp.CSS(".rows a.row-title")))
	w.see("Review the payment", "Simulated: no money moves")
}

// payee fills in whom and how much to pay.
func (w *window) payee(name, account, amount string) {
	w.t.Helper()
	w.fill("Name", name)
	w.fill("IBAN", account)
	w.fill("Amount", amount)
}

// review goes to the page that shows everything once more, and agrees to what is asked there.
func (w *window) review(agree ...string) {
	w.t.Helper()
	w.click("Review the payment")
	w.see("What happens next", "Your password for Florin", "Simulated: no money moves")
	for _, box := range agree {
		w.press(box)
	}
}

const newPayeeBox = "I have compared the account"

// confirm confirms with the password and comes to the page that leads to the bank.
func (w *window) confirm(button, bank string) {
	w.t.Helper()
	w.fill("Your password for Florin", ownerPassword)
	w.click(button)
	w.see("You are leaving for "+bank, "Until you approve there, nothing has been sent.", "Simulated: no money moves")
}

// toOrder goes from the leaving page to the bank's look at the order.
func (w *window) toOrder(bank string) {
	w.t.Helper()
	w.click("Go to " + bank)
	w.see("Do you want to make this payment?")
	w.click("Accept and go to " + bank)
	c := w.samples()[0]
	w.fill("User", c.user)
	w.fill("Password", c.password)
	w.click("Sign in")
	w.see("Check your payment")
}

var sixDigits = regexp.MustCompile(`\b[0-9]{6}\b`)

// approveOrder types in the code that the bank sends.
func (w *window) approveOrder() {
	w.t.Helper()
	w.click("Continue to the code")
	w.see("On a real bank this comes to your phone")
	code := sixDigits.FindString(w.evaluate(`document.querySelector("[aria-labelledby=message]").innerText`))
	w.fill("One-time code", code)
	w.click("Approve the payment")
}

// From the form to the last stop, and the page changes by itself.
func TestJourneyPay(t *testing.T) {
	for name, l := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := spawn(t)
			w := browse(t, l)
			w.setUp(f)
			w.link(f, exampleBank, exampleCountry)
			w.payFrom(f)
			w.payee(payeeName, payeeIBAN, "12,30")
			w.fill("Text for the payee (may be left out)", "Invoice 4711")
			w.review(newPayeeBox)
			w.see("New payee: first payment to "+payeeName, "12.30 EUR", "DE89 3704 0044 0532 0130 00", "Invoice 4711", "Your bank will check the name")
			w.keepsWidth()
			w.confirm("Confirm 12.30 EUR to "+payeeName, exampleBank)
			w.click("Not now")
			w.see("Waiting for your approval", "Nothing has been sent.")
			w.click("Open " + exampleBank)
			w.toOrder(exampleBank)
			w.approveOrder()
			w.see("Payment to", payeeName, "Approved by you")
			w.see("Sent: taken from your account", "this is not proof of arrival")
			w.seeNot("Check again")
			w.click("Receipt")
			w.see("Receipt of a payment order", "It is no proof of arrival", "Simulated: no money moves", "End-to-end id", "Payment id")
			w.visit(f.web + "/payments")
			w.see(payeeName, "Sent: taken from your account")
		})
	}
}
