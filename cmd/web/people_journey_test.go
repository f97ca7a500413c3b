package main

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"florin/internal/testkit"
)

// An owner adds a passkey on a device, signs in with it, and removes it. Then the owner invites a person and shares an account with them: the account appears
// on the open pages of the other person without a click, and disappears when it is no longer shared.
func TestJourneyPasskeyAndHousehold(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f, _ := linked(t)
	w := browse(t, desktop)
	w.signIn(f, ownerEmail, ownerPassword)
	w.usesPasskey(f)
	w.sharesAccount(f)
}

// usesPasskey makes a passkey, signs out, signs in with it, and removes it.
func (w *window) usesPasskey(f *florin) {
	w.t.Helper()
	d := w.plugIn()
	w.visit(f.web + "/settings")
	w.click("Add a passkey")
	w.proves()
	w.see("Your browser asks where to keep it")
	w.checkPage()
	w.fill("Name", "Kitchen tablet")
	w.click("Create the passkey")
	w.see("The passkey Kitchen tablet is added. From now on it signs you in.")
	w.checkPage()

	w.click("Add a passkey") // the device reports that it already has one
	w.see("Your browser asks where to keep it")
	w.press("Create the passkey")
	w.see("This device already has a passkey for you here.")

	const choosy = `{ // somebody who picks none of the passkeys that the browser offers by itself
		const get = navigator.credentials.get.bind(navigator.credentials);
		navigator.credentials.get = (asked) => asked.mediation !== "conditional" ? get(asked)
			: new Promise((_, ends) => asked.signal.addEventListener("abort", () => ends(asked.signal.reason)));
	}`
	choosing := w.beforeEachPage(choosy)
	w.signOut()
	w.checkPage()
	w.verifies(d, false) // the device does not recognise the person
	w.press("Sign in with a passkey")
	w.see("The browser did not use a passkey. You can try again.")
	w.checkPage()
	w.verifies(d, true)
	w.click("Sign in with a passkey")
	w.see("Overview")

	w.nowhere(choosing)
	w.settled()
	w.pressOn(matching(".top-side > details.menu summary"))
	w.click("Sign out")
	w.see("Overview") // signed in by the passkey that the browser offered and this device chose
	w.visit(f.web + "/settings")
	w.see("last used")
	w.click("Kitchen tablet")
	w.press("Remove this passkey")
	w.click("Remove the passkey")
	w.proves()
	w.see("The passkey Kitchen tablet is removed. Other devices that signed in with it are signed out. Delete it on your device too.")
	w.seeNot("last used")
}

// plugIn gives the window a virtual device that creates passkeys and verifies its user without any touch.
func (w *window) plugIn() (device webauthn.AuthenticatorID) {
	w.t.Helper()
	w.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if _, err := cdp.Call(ctx, t, webauthn.Enable, webauthn.EnableParams{}); err != nil {
			return err
		}
		added, err := cdp.Call(ctx, t, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		}})
		device = added.AuthenticatorID
		return err
	}))
	return device
}

// verifies sets whether the device recognises its user.
func (w *window) verifies(device webauthn.AuthenticatorID, does bool) {
	w.t.Helper()
	w.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, webauthn.SetUserVerified, webauthn.SetUserVerifiedParams{AuthenticatorID: device, IsUserVerified: does})
		return err
	}))
}

// beforeEachPage runs a script before those of each page that the window shows from now on, until nowhere is called.
func (w *window) beforeEachPage(script string) (id page.ScriptIdentifier) {
	w.t.Helper()
	w.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		added, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		id = added.Identifier
		return err
	}))
	return id
}

// nowhere ends beforeEachPage.
func (w *window) nowhere(id page.ScriptIdentifier) {
	w.t.Helper()
	w.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: id})
		return err
	}))
}

// sharesAccount invites Bo, and shares the first account with Bo: first a little, then more, then not at all.
func (w *window) sharesAccount(f *florin) {
	w.t.Helper()
	const bo = "bo@example.org"
	w.visit(f.web + "/settings")
	w.click("People and invitations")
	w.checkPage()
	w.fill("For whom", "Bo")
	w.choose("Role", "Member")
	w.click("Make a link")
	w.proves()
	w.see("The invitation for Bo", "Send this link to Bo alone.")
	w.checkPage()

	o := browse(w.t, phone)
	o.visit(w.evaluate(`document.querySelector(".copyable code").textContent`))
	o.see("Join this Florin", "You are invited as a member.")
	o.checkPage()
	o.fill("E-mail address", bo)
	o.fill("Password", "two lamps on one shelf")
	o.click("Join")
	o.see("No bank is linked yet")

	w.visit(f.web + "/")
	w.settled()
	const first = `document.querySelector(".account-row a.row-title").textContent.trim()`
	w.click(w.evaluate(first))
	w.see("Transactions", "Balances")
	row := w.evaluate(`document.querySelector(".card:not(.pending) .tx a.row-title").textContent.trim()`)
	w.click("Share this account")
	w.see("Others can only look")
	w.checkPage()
	w.choose(bo, "Balances only")
	w.click("Save")
	w.see("Your choice is saved, and applies at once.", "Shared with 1 person")

	o.see("Shared by " + ownerEmail)
	o.checkPage()
	account := o.evaluate(first) // the nickname belongs to the owner alone
	o.click(account)
	o.see("Shared by "+ownerEmail, "Only the balances are shared, not the transactions.")
	o.seeNot(row)
	o.checkPage()

	shares := func(level string) {
		w.t.Helper()
		w.click("Shared with 1 person")
		w.see("Others can only look")
		w.choose(bo, level)
		w.click("Save")
		w.see("Your choice is saved, and applies at once.")
	}
	shares("Balances and all transactions")
	o.see("Transactions", row)
	o.seeNot("Only the balances are shared")
	o.checkPage()
	overview := o.tab()
	overview.visit(f.web + "/")
	overview.see("Shared by "+ownerEmail, account)

	// A person with an account of their own chooses between their own and the household's transactions and reports. Links carry the choice from page to page.
	own := newPerson(w.t)
	own.signIn(f, bo, "two lamps on one shelf")
	own.keepWallet(f)
	list := o.tab()
	list.visit(f.web + "/transactions")
	list.see("Mine", "Household", "Market")
	list.seeNot(row)
	list.click("Household")
	list.see(row, ownerEmail)
	list.checkPage()
	report := o.tab()
	report.visit(f.web + "/reports?view=payees")
	report.see("Household", "Payee in EUR", "What one person of the household pays another counts as money out and money in.")
	report.checkPage()

	shares("Nothing")
	w.see("Share this account")
	overview.see("Kept by you", "Wallet")
	overview.seeNot(account)
	list.see("Market")
	list.seeNot(row, "Household")
	report.see("Transfers between your own accounts are left out")
	report.seeNot("Household")
	o.see("Page not found")
	o.seeNot(account, row)
	o.checkPage()
}
