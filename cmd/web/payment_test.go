package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The steps that several payment journeys use.

// payee fills in whom and how much to pay.
func (w *window) payee(name, account, amount string) {
	w.t.Helper()
	w.fill("Name", name)
	w.fill("IBAN", account)
	w.fill("Amount", amount)
}

// review opens the page that shows the payment once more, and agrees to what is asked there.
func (w *window) review(agree ...string) {
	w.t.Helper()
	w.click("Review the payment")
	w.see("What happens next", "Your Florin password", "Simulated: no money moves")
	for _, box := range agree {
		w.press(box)
	}
}

const newPayeeBox = "I have compared the account"

// confirm confirms with the password and continues to the page that leads to the bank.
func (w *window) confirm(button, bank string) {
	w.t.Helper()
	w.fill("Your Florin password", ownerPassword)
	w.click(button)
	w.see("Continue to "+bank, "Nothing is paid until you approve there.", "Simulated: no money moves")
}

// toOrder goes from the page that leaves Florin to the order on the bank's page.
func (w *window) toOrder(bank string) {
	w.t.Helper()
	w.click("Go to " + bank)
	w.see("Do you want to make this payment?")
	w.click("Accept and go to " + bank)
	w.showIdentity()
}

// showIdentity signs in at a bank, and continues to the page with the order.
func (w *window) showIdentity() {
	w.t.Helper()
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
	w.fill("One-time code", w.sentCode())
	w.click("Approve the payment")
}

// sentCode reads the code from the message of the bank.
func (w *window) sentCode() string {
	w.t.Helper()
	w.see("At a real bank this comes to your phone")
	return sixDigits.FindString(w.evaluate(`document.querySelector("[aria-labelledby=message]").innerText`))
}

// kind chooses how to pay.
func (w *window) kind(title, note string) {
	w.t.Helper()
	w.click(title)
	w.see(note)
	if got := w.evaluate(`document.querySelector(".kind[aria-pressed=true]").textContent`); got != w.said(title) {
		w.fatalf("the kind of payment is %q, want %q", got, w.said(title))
	}
}

// day fills in a day, as a calendar does.
func (w *window) day(label string, day time.Time) {
	w.t.Helper()
	w.evaluate(w.labelled(label).use(`e.value = ` + strconv.Quote(day.Format(time.DateOnly)) + `; e.dispatchEvent(new Event("input", {bubbles: true})); return e.value;`))
}

// payLink is the link that begins a payment from an account at a bank.
func payLink(bank string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(".row")].find((r) => r.innerText.includes(%q) && r.querySelector("a.row-title")).querySelector("a.row-title")`, bank)
}

// approveAt goes to a bank and approves the order there.
func (w *window) approveAt(bank string) {
	w.t.Helper()
	w.toOrder(bank)
	w.approveOrder()
}

// isOpen looks for an open payment on the page of the accounts.
func (w *window) isOpen(texts ...string) {
	w.t.Helper()
	w.click("Overview")
	w.see(append(texts, "Open payments")...)
}

// enter presses the key that sends a form or follows a link.
func (w *window) enter() {
	w.t.Helper()
	w.follow(chromedp.KeyEvent(kb.Enter))
}

// write types a text, key by key, into the field with this label.
func (w *window) write(label, text string) {
	w.t.Helper()
	w.tabTo(label)
	w.keys(strings.Split(text, "")...)
}

// agreeToAll ticks every box of the review.
func (w *window) agreeToAll() {
	w.t.Helper()
	n, err := strconv.Atoi(w.evaluate(`String(document.querySelectorAll("input[name=agree]").length)`))
	if err != nil {
		w.t.Fatal(err)
	}
	for i := range n {
		w.pressOn(matching("input[name=agree]") + parts(fmt.Sprintf(".slice(%d)", i)))
	}
}
