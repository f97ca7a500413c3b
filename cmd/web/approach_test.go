package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"florin/internal/testkit"
)

// Banks of the catalogue that offer more than a redirect.
const (
	decoupledBank = "Mutuelle Océane"
	mixedBank     = "Kivijalka Säästöpankki"
)

// A person at a computer approves on a phone, which is another browser. Both pages show the same digits, and the page on the computer continues without a
// click, with and without a script.
func TestJourneyApproveOnThePhone(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	for name, l := range scripts {
		t.Run(name, func(t *testing.T) {
			f := begin(t)
			computer := browse(t, l)
			computer.setUp(f)
			computer.chooseBank(f, decoupledBank, "France")
			computer.toConsent(decoupledBank)
			computer.seeNot("Accept and go to")
			computer.click("Accept and continue")
			computer.see("Who are you at "+decoupledBank, "Your password is not needed here.")
			who := computer.samples()[0]
			computer.fill("Numéro d’adhérent", who.user)
			computer.click("Continue")
			computer.see("Approve on your phone", "Time left:", "Waiting for your approval")
			computer.keepsWidth()
			digits := computer.evaluate(`document.querySelector(".big-code").textContent`)
			address := computer.evaluate(`document.querySelector(".wait a").href`)

			mobile := browse(t, look{width: 390, height: 844, noScript: l.noScript})
			mobile.visit(address)
			mobile.see("Sign in", "Go on only if your other screen shows this number, too: "+digits)
			mobile.keepsWidth()
			if got := mobile.evaluate(`document.querySelector("#username").value`); got != who.user {
				t.Errorf("the phone expects %q, want %q", got, who.user)
			}
			mobile.fill("Password", who.password)
			mobile.click("Sign in")
			mobile.see("Your accounts", digits, "Either way you go on in")
			mobile.keepsWidth()
			computer.see("Approve on your phone") // not before the approval
			mobile.click("Approve")
			mobile.see("You have approved", "on your other screen")

			computer.see(decoupledBank + " is linked")
			computer.synced(f)
		})
	}
}

// A request on the phone is over when the person starts again at the computer, and when the person declines on the phone.
func TestJourneyDeclineOnThePhone(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f := begin(t)
	computer := browse(t, desktop)
	computer.setUp(f)
	computer.chooseBank(f, decoupledBank, "France")
	computer.toConsent(decoupledBank)
	computer.click("Accept and continue")
	who := computer.samples()[0]
	wait := func() (mobile *window) {
		computer.fill("Numéro d’adhérent", who.user)
		computer.click("Continue")
		computer.see("Approve on your phone")
		mobile = browse(t, phone)
		mobile.visit(computer.evaluate(`document.querySelector(".wait a").href`))
		return mobile
	}
	first := wait()
	computer.click("I closed it on the phone: start again")
	computer.see("Who are you at " + decoupledBank)
	first.fill("Password", who.password)
	first.click("Sign in")
	first.see("This request is over")

	second := wait()
	second.click("Decline")
	second.see("This request is over")
	computer.see("No access was given", "Cancelled by user")
}

// A person with a keyboard chooses the embedded method and answers the bank's questions on the service's pages.
func TestJourneyEmbedded(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	for name, l := range scripts {
		t.Run(name, func(t *testing.T) {
			f := begin(t)
			w := browse(t, l)
			w.setUp(f)
			w.chooseBank(f, mixedBank, "Finland")
			w.toConsent(mixedBank)
			w.click("Accept and continue")
			w.see("How do you want to sign in?", "Käyttäjätunnus ja tunnusluvut", "You approve on your phone.")
			w.tabTo("Kivi-sovellus puhelimessa You approve on your phone.")
			w.keys(kb.ArrowDown)
			w.tabTo("Continue")
			w.enter()
			w.see("Sign in at "+mixedBank, "keep nothing of it")
			who := w.samples()[0]

			w.fill("Käyttäjätunnus", "NOT RIGHT")
			w.fill("Salasana", who.password)
			w.click("Continue")
			w.see("Please check the marked fields.", "This does not have the form that the bank expects.")
			w.keepsWidth()
			w.fill("Käyttäjätunnus", who.user)
			w.fill("Salasana", "wrong-one")
			w.click("Continue")
			w.see("The bank does not accept this.", "You have 4 attempts left.")
			w.isAt("Salasana") // the user is filled in already, and the focus is on the field that needs a correction
			w.keys(strings.Split(who.password, "")...)
			w.enter()
			w.see("Enter your one-time code")
			w.isAt("One-time code")
			w.keys(strings.Split(who.code, "")...)
			w.enter()
			w.see("Which accounts may", "Your accounts")
			w.keepsWidth()
			w.tabTo("Approve")
			w.enter()
			w.see(mixedBank + " is linked")
			w.synced(f)
		})
	}
}
