package main

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
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
	w.visit(w.evaluate(`document.querySelector(".rows a.row-title").href`))
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
			if !l.noScript {
				w.evaluate(`(scrollTo(0, 0), "")`)
				w.pictures("review")
			}
			w.confirm("Confirm 12.30 EUR to "+payeeName, exampleBank)
			w.click("Not now")
			w.see("Waiting for your approval", "Nothing has been sent.")
			w.click("Open " + exampleBank)
			w.toOrder(exampleBank)
			w.approveOrder()
			w.see("Payment to", payeeName, "Approved by you")
			w.see("Sent: taken from your account", "this is not proof of arrival")
			w.seeNot("Check again")
			if !l.noScript {
				w.pictures("payment")
			}
			w.click("Receipt")
			w.see("Receipt of a payment order", "It is no proof of arrival", "Simulated: no money moves", "End-to-end id", "Payment id")
			w.visit(f.web + "/payments")
			w.see(payeeName, "Sent: taken from your account")
		})
	}
}

// kind chooses how to pay.
func (w *window) kind(title, note string) {
	w.t.Helper()
	w.click(title + " " + note)
	w.see("Review the payment")
	if got := w.evaluate(`document.querySelector(".kind[aria-pressed=true] b").textContent`); got != title {
		w.fatalf("the kind of payment is %q, want %q", got, title)
	}
}

// day fills in a day, as a calendar does.
func (w *window) day(label string, day time.Time) {
	w.t.Helper()
	id := string(w.field(label))
	w.evaluate(`(() => { const i = document.getElementById(` + strconv.Quote(id) + `); i.value = ` + strconv.Quote(day.Format(time.DateOnly)) + `; i.dispatchEvent(new Event("input", {bubbles: true})); return i.value })()`)
}

// An instant payment arrives while one looks on; a standing order is told with its dates; one for a day waits for it.
func TestJourneyKindsOfPayments(t *testing.T) {
	t.Parallel()
	f := spawn(t)
	w := browse(t, desktop)
	w.setUp(f)
	w.link(f, exampleBank, exampleCountry)

	w.payFrom(f)
	w.payee(payeeName, payeeIBAN, "7.50")
	w.see("An account in Germany. Length and check digits are right.", "New payee: first payment.") // explained while it is typed
	w.kind("Instant", "In euro, there within seconds.")
	w.review(newPayeeBox)
	w.see("At once when you have approved")
	w.confirm("Confirm 7.50 EUR to "+payeeName, exampleBank)
	w.toOrder(exampleBank)
	w.approveOrder()
	w.see("Arrived", "Credited to the payee", "ACCC")
	w.click("Save the payee")
	w.see("The payee is saved.")

	// Again and again, to the payee that was saved.
	w.payFrom(f)
	w.choose("Somebody you know", payeeName) // fills in by itself
	w.see("Paid once as " + payeeName)
	w.fill("Amount", "250")
	w.press("Again and again")
	first := time.Now().UTC().AddDate(0, 0, 20)
	w.choose("How often", "Every month")
	w.day("First day", first)
	w.see("Every month on the", "Only weekends are counted here.", "until you stop it at your bank")
	w.review()
	w.see("The next:", "Changing or stopping it happens at your bank.")
	w.confirm("Confirm 250.00 EUR to "+payeeName, exampleBank)
	w.toOrder(exampleBank)
	w.see("Standing order")
	w.approveOrder()
	w.see("Customer checks passed") // and waits for its day
	w.visit(f.web + "/")
	w.see("Open payments", "standing order", "250.00")

	// On a day.
	w.payFrom(f)
	w.choose("Somebody you know", payeeName)
	w.see("Paid once as " + payeeName)
	w.fill("Amount", "19.99")
	w.press("On a day")
	w.day("Day", first)
	w.review()
	w.see("On "+first.Format("Monday, 2 January 2006"), "The bank may move it to its next working day.")
	w.confirm("Confirm 19.99 EUR to "+payeeName, exampleBank)
	w.toOrder(exampleBank)
	w.approveOrder()
	w.see("Approved by you", "19.99")
}

// A payment that the bank rejects says why; one that is cancelled is over; one that was left goes on where it was.
func TestJourneyPaymentsThatStop(t *testing.T) {
	for name, l := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := spawn(t)
			w := browse(t, l)
			w.setUp(f)
			w.link(f, exampleBank, exampleCountry)

			w.payFrom(f)
			w.payee("Nobody Ltd", "IE14 SCNM 9903 1012 3456 78", "5")
			w.review(newPayeeBox)
			w.confirm("Confirm 5.00 EUR to Nobody Ltd", exampleBank)
			w.toOrder(exampleBank)
			w.approveOrder()
			w.see("Rejected by your bank", "The account number of the payee is wrong.", "AC01", "Compare it with the invoice")
			w.click("Try again")
			w.see("Like the payment to Nobody Ltd")

			// Cancelled on the page of the service.
			w.fill("IBAN", payeeIBAN)
			w.review(newPayeeBox) // nobody was paid before
			w.confirm("Confirm 5.00 EUR to Nobody Ltd", exampleBank)
			w.click("Go to " + exampleBank)
			w.click("Cancel")
			w.see("You cancelled this payment", "No money was sent.", "Made in place of")

			// The tab is closed at the bank. Whoever comes back finds the payment, and the way to its approval.
			w.payFrom(f)
			w.payee(payeeName, payeeIBAN, "8")
			w.review(newPayeeBox)
			w.confirm("Confirm 8.00 EUR to "+payeeName, exampleBank)
			w.click("Go to " + exampleBank)
			w.click("Accept and go to " + exampleBank)
			w.see("Sign in")
			later := w.tab()
			later.visit(f.web + "/")
			later.see("Open payments", payeeName)
			later.click(payeeName)
			later.see("Check again")
			later.click("Open " + exampleBank)
			later.see("Until you approve there, nothing has been sent.")
			later.click("Go to " + exampleBank)
			later.see(payeeName)
			if later.has("Accept and go to " + exampleBank) {
				later.click("Accept and go to " + exampleBank)
			}
			c := later.samples()[0]
			later.fill("User", c.user)
			later.fill("Password", c.password)
			later.click("Sign in")
			later.see("Check your payment")
			later.approveOrder()
			later.see("Sent: taken from your account")
		})
	}
}

// The order is approved on a phone, while the computer waits; and the computer's page goes on by itself.
func TestJourneyPayOnThePhone(t *testing.T) {
	for name, l := range scripts {
		t.Run(name, func(t *testing.T) {
			f := spawn(t)
			w := browse(t, l)
			w.setUp(f)
			w.chooseBank(f, decoupledBank, "France")
			w.toConsent(decoupledBank)
			w.click("Accept and continue")
			who := w.samples()[0]
			onThePhone := func() *window {
				w.fill("Numéro d’adhérent", who.user)
				w.click("Continue")
				w.see("Approve on your phone")
				mobile := browse(t, look{width: 390, height: 844, noScript: l.noScript})
				mobile.visit(w.evaluate(`document.querySelector(".wait a").href`))
				mobile.fill("Password", who.password)
				mobile.click("Sign in")
				return mobile
			}
			mobile := onThePhone()
			mobile.click("Approve")
			w.see(decoupledBank + " is linked")
			w.synced(f)

			w.payFrom(f)
			w.payee(payeeName, payeeIBAN, "21,40")
			w.review(newPayeeBox)
			w.confirm("Confirm 21.40 EUR to "+payeeName, decoupledBank)
			w.click("Go to " + decoupledBank)
			w.see("Do you want to make this payment?")
			w.click("Accept and continue")
			mobile = onThePhone()
			mobile.see("Check your payment", "21.40")
			mobile.click("Approve the payment")
			mobile.see("on your other screen")
			w.see("Payment to", "Arrived", "Credited to the payee") // it is an instant one: the bank has no other
		})
	}
}

// The bank's questions are answered on the pages of the service.
func TestJourneyPayEmbedded(t *testing.T) {
	f := spawn(t)
	w := browse(t, desktop)
	w.setUp(f)
	w.chooseBank(f, mixedBank, "Finland")
	w.toConsent(mixedBank)
	w.click("Accept and continue")
	w.see("How do you want to sign in?", "Käyttäjätunnus ja tunnusluvut")
	w.evaluate(`(() => { [...document.querySelectorAll("label")].find((l) => l.innerText.includes("Käyttäjätunnus ja tunnusluvut")).click(); return "" })()`)
	w.click("Continue")
	who := w.samples()[0]
	credentials := func() {
		w.fill("Käyttäjätunnus", who.user)
		w.fill("Salasana", who.password)
		w.click("Continue")
	}
	credentials()
	w.see("Enter your one-time code")
	w.fill("One-time code", who.code)
	w.click("Continue")
	w.see("Your accounts")
	w.click("Approve")
	w.see(mixedBank + " is linked")
	w.synced(f)

	w.payFrom(f)
	w.payee(payeeName, payeeIBAN, "3.20")
	w.choose("How you approve", "Käyttäjätunnus ja tunnusluvut")
	w.review(newPayeeBox)
	w.confirm("Confirm 3.20 EUR to "+payeeName, mixedBank)
	w.click("Go to " + mixedBank)
	w.see("Do you want to make this payment?")
	w.click("Accept and continue")
	w.see("Käyttäjätunnus", "Salasana") // chosen in the form
	credentials()
	w.see("Check your payment")
	w.approveOrder()
	w.see("Sent: taken from your account")
}

// One person in two browsers: what happens through one is seen in the other without a reload.
func TestJourneyPayInTwoBrowsers(t *testing.T) {
	f := spawn(t, "--sandbox-pace", "5s") // so that none of the steps is missed
	w := browse(t, desktop)
	w.setUp(f)
	w.link(f, exampleBank, exampleCountry)
	other, list, home := browse(t, phone), browse(t, desktop), browse(t, desktop)
	for _, o := range []*window{other, list, home} {
		o.signIn(f, ownerEmail, ownerPassword)
	}
	list.visit(f.web + "/payments")
	list.see("Nothing was paid from here yet.")
	home.visit(f.web + "/")
	for _, o := range []*window{list, home} {
		o.evaluate(`(() => { window.stayed = "yes"; return "" })()`)
	}
	w.payFrom(f)
	w.payee(payeeName, payeeIBAN, "4")
	w.review(newPayeeBox)
	w.confirm("Confirm 4.00 EUR to "+payeeName, exampleBank)
	list.see(payeeName, "Waiting for your approval")
	home.see("Open payments", payeeName, "Waiting for your approval")
	other.visit(f.web + "/payments")
	other.click(payeeName)
	other.see("Waiting for your approval")
	other.evaluate(`(() => { window.stayed = "yes"; return "" })()`)
	w.toOrder(exampleBank)
	w.approveOrder()
	for _, step := range []string{"Your bank has the order", "Details checked", "Customer checks passed"} {
		other.see(step)
	}
	other.see("Being carried out", "Last checked")
	if got := other.evaluate("String(window.stayed)"); got != "yes" {
		t.Error("the page of the payment was loaded anew before the end")
	}
	other.see("Sent: taken from your account")
	other.keepsWidth()
	list.see("Sent: taken from your account")
	for name, o := range map[string]*window{"list": list, "accounts": home} {
		if got := o.evaluate("String(window.stayed)"); got != "yes" {
			t.Errorf("the page of the %s was loaded anew", name)
		}
	}
}

// With the keyboard alone, from the form to the bank.
func TestJourneyPayWithTheKeyboard(t *testing.T) {
	t.Parallel()
	f := spawn(t)
	w := browse(t, desktop)
	w.setUp(f)
	w.link(f, exampleBank, exampleCountry)
	w.visit(f.web + "/payments")
	w.tabTo("Pay")
	w.follow(chromedp.KeyEvent(kb.Enter))
	w.see("From which account?")
	account := w.evaluate(`document.querySelector(".rows a.row-title").textContent.trim()`)
	w.tabTo(account)
	w.follow(chromedp.KeyEvent(kb.Enter))
	w.see("Review the payment")
	typed := func(label, text string) {
		w.tabTo(label)
		w.keys(strings.Split(text, "")...)
	}
	typed("Name", payeeName)
	typed("IBAN", strings.ToLower(strings.ReplaceAll(payeeIBAN, " ", "")))
	typed("Amount", "2,50")
	w.follow(chromedp.KeyEvent(kb.Enter)) // sends the form, and does not change the kind of payment
	w.see("What happens next", "Standard", "2.50")
	w.tabTo(newPayeeBox)
	w.keys(" ")
	typed("Your password for Florin", ownerPassword)
	w.follow(chromedp.KeyEvent(kb.Enter))
	w.see("You are leaving for " + exampleBank)
	w.tabTo("Go to " + exampleBank)
	w.follow(chromedp.KeyEvent(kb.Enter))
	w.see("Do you want to make this payment?")
}
