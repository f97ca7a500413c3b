package main

import (
	"strings"
	"testing"
	"time"

	"florin/internal/mailing/mailtest"
	"florin/internal/testkit"
)

// Somebody sets up an authenticator app, signs in with its code, loses the phone and signs in with a recovery code, and confirms a payment with a passkey. Then
// the password is forgotten, and a mail helps. When the second factor is lost, too, the operator of the server helps.
func TestJourneySecondFactor(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	mails := mailtest.Start(t, &mailtest.Server{})
	f, _ := linked(t, writingTo(mails)...)
	w := browse(t, desktop)
	w.signIn(f, ownerEmail, ownerPassword)
	secret, codes := w.setsUpApp(f)

	w.signOut()
	w.firstStep(f, ownerPassword)
	w.checkPage()
	w.fill("Code", codeOf(t, secret, time.Now().Add(30*time.Second))) // the present code was used at the set-up
	w.click("Sign in")
	w.see("Overview")

	w.signOut() // now without the phone
	w.firstStep(f, ownerPassword)
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

	elsewhere := browse(t, phone) // a browser without a passkey
	elsewhere.recovers(f, elsewhere.mailedLink(f, mails), codes[2])
	browse(t, scripts["without JavaScript"]).losesAll(f)
}

// mailedLink requests a link for a new password, and receives it by mail.
func (w *window) mailedLink(f *florin, mails *mailtest.Server) string {
	w.t.Helper()
	before := len(mails.Mails())
	w.visit(f.web + "/sign-in")
	w.click("Forgotten your password?")
	w.see("Send the link", "florin user link")
	w.checkPage()
	w.fill("E-mail address", ownerEmail)
	w.click("Send the link")
	w.see("Check your inbox")
	return w.linkIn(mails, before, f.web+"/reset?")
}

// operates runs a command of "florin user" about the owner, as the operator of the server does while Florin runs, and returns its output.
func (f *florin) operates(name string) string {
	f.t.Helper()
	c := command(f.t, "user", name, "--email", ownerEmail, "--data-dir", f.folder, "--public-url", f.web)
	said, err := c.Output()
	if err != nil {
		f.t.Fatalf("florin user %s: %v", name, err)
	}
	return strings.TrimSpace(string(said))
}

// setsPassword sets a new password at the address of a link, and continues to the second step of the sign-in.
func (w *window) setsPassword(f *florin, address, password string) {
	w.t.Helper()
	w.visit(address)
	w.see("Set a new password", ownerEmail)
	w.checkPage()
	w.fill("New password", password)
	w.click("Set the password")
	w.see("Your new password is set", "You are signed out everywhere.")
	w.visit(f.web + "/settings")
	w.see("Forgotten your password?") // a new password alone signs nobody in
	w.firstStep(f, password)
}

// recovers sets a new password at the address of a link, which works once. The link does not replace the second factor, here a recovery code, and the next
// page reports the change.
func (w *window) recovers(f *florin, address, code string) {
	w.t.Helper()
	w.setsPassword(f, address, "a phrase from a mail")
	w.fill("Code", code)
	w.click("Sign in")
	w.see("Overview", passwordReset)
	w.checkPage()
	w.clickOn(matching("button[aria-label^='Close: " + passwordReset + "']"))
	w.seeNot(passwordReset)
	w.visit(address)
	w.see("This link does not work")
}

// passwordReset is the notice about a new password.
const passwordReset = "A new password was set with a one-time link"

// losesAll has lost the password, the phone and the recovery codes. The operator of the server creates a link, and removes the second factor. Then the password
// alone signs in, and the next page reports both changes.
func (w *window) losesAll(f *florin) {
	w.t.Helper()
	const password = "a phrase after the loss of all"
	w.setsPassword(f, f.operates("link"), password)
	w.press("Have you lost your second factor?")
	w.see("florin user reset-second-factor")
	f.operates("reset-second-factor")
	w.visit(f.web + "/sign-in")
	w.fill("E-mail address", ownerEmail)
	w.fill("Password", password)
	w.click("Sign in")
	w.see("Overview", passwordReset, "has removed your passkeys, authenticator apps and recovery codes")
	w.checkPage()
	w.visit(f.web + "/settings")
	w.seeNot("recovery codes left", "last used")
}

// firstStep types address and password of the owner, and comes to the second step.
func (w *window) firstStep(f *florin, password string) {
	w.t.Helper()
	w.visit(f.web + "/sign-in")
	w.fill("E-mail address", ownerEmail)
	w.fill("Password", password)
	w.click("Sign in")
	w.see("Confirm the sign-in", "six digits")
}

// setsUpApp sets up an app as the page describes, and returns the page with its secret, and the recovery codes.
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
