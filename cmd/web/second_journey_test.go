package main

import (
	"strings"
	"testing"
	"time"

	"florin/internal/testkit"
)

// Somebody sets up an authenticator app, signs in with its code, loses the phone and comes in with a recovery code, and confirms a payment with a passkey.
func TestJourneySecondFactor(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f := spawn(t)
	p := newPerson(t)
	p.setUp(f)
	p.link(f, exampleBank, exampleCountryCode, exampleCustomer)
	f.synced()
	w := browse(t, desktop)
	w.signIn(f, ownerEmail, ownerPassword)
	secret, codes := w.setsUpApp(f)

	w.signOut()
	w.firstStep(f)
	w.checkPage()
	w.fill("Code", codeOf(t, secret, time.Now().Add(30*time.Second))) // the one of now was used at the set-up
	w.click("Sign in")
	w.see("Overview")

	w.signOut() // without the phone
	w.firstStep(f)
	w.fill("Code", strings.ToLower(codes[0]))
	w.click("Sign in")
	w.see("Overview", "One of your recovery codes was used. 9 are left")

	w.plugIn()
	w.visit(f.web + "/settings")
	w.see("You have 9 recovery codes left")
	w.checkPage()
	w.click("Add a passkey")
	w.see("Confirm that it is you", "Code from your app, or a recovery code")
	w.checkPage()
	w.fill("Your Florin password", ownerPassword)
	w.fill("Code from your app, or a recovery code", codes[1])
	w.click("Continue")
	w.click("Create the passkey")
	w.see("is added. From now on it signs you in.")

	w.visit(f.web + "/pay")
	w.visit(w.evaluate(payLink(exampleBank) + ".href"))
	w.payee("Paul Meier", outside(31), "12,30")
	w.review(newPayeeBox)
	w.see("Or a code from your app", "Confirm with a passkey")
	w.checkPage()
	w.click("Confirm with a passkey")
	w.see("Continue to " + exampleBank)
}

// firstStep types address and password of the owner, who is asked for more.
func (w *window) firstStep(f *florin) {
	w.t.Helper()
	w.visit(f.web + "/sign-in")
	w.fill("E-mail address", ownerEmail)
	w.fill("Password", ownerPassword)
	w.click("Sign in")
	w.see("Confirm the sign-in", "six digits")
}

// setsUpApp sets up an app as the page says, and returns the page with its secret, and the recovery codes.
func (w *window) setsUpApp(f *florin) (page string, codes []string) {
	w.t.Helper()
	w.visit(f.web + "/settings")
	w.click("Add an app")
	w.proves()
	w.see("Scan this code with an authenticator app")
	w.checkPage()
	page = w.text()
	w.fill("Code that the app shows", codeOf(w.t, page, time.Now()))
	w.click("Add the app")
	w.see("Your recovery codes", "The app Phone is added")
	w.checkPage()
	codes = strings.Fields(w.evaluate(`[...document.querySelectorAll(".codes code")].map((c) => c.textContent).join(" ")`))
	if len(codes) != 10 {
		w.fatalf("%d recovery codes", len(codes))
	}
	w.click("I have saved the codes")
	w.see("You have 10 recovery codes left")
	return page, codes
}
