package main

import (
	"archive/zip"
	"io/fs"
	"strings"
	"testing"

	"florin/internal/testkit"
	"florin/web/templates/paths"
)

// Two people share an expense and settle the debt. One offers an account; the other pays to it through the bank, and the open pages of both show it as settled
// without a click. After another expense, one gives the amount in cash, and the other undoes that. One asks the other for two payments; the other pays one and
// declines one. Then the one who asked takes all data along and leaves, and the shared expenses stay with the other.
func TestJourneySettle(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f, _ := linked(t, "--sandbox-pace", "10ms")
	addMember(t, f)

	// Ben pays for both, and says where he wants to be paid.
	ben := browse(t, phone)
	ben.signIn(f, memberEmail, memberPassword)
	ben.visit(f.web + paths.Settling)
	ben.see("You share no expenses yet", "You have chosen no account yet.")
	ben.checkPage()
	ben.clickOn(matching("header ~ main a.btn-main"))
	ben.see("Add a shared expense")
	ben.checkPage()
	ben.fill("What it was for", "Dinner")
	ben.fill("Amount", "30,01")
	ben.click("By amounts")
	ben.see("What each person has to pay.")
	ben.fill("Amount of "+ownerEmail, "12,34")
	ben.click("Save the expense")
	ben.see("The amounts must add up to the whole amount.")
	ben.fill("Your amount", "17,67")
	ben.click("Save the expense")
	ben.see("The expense is saved.", "owes you", "12.34")
	ben.checkPage()
	ben.click("Choose an account")
	ben.see("Where others pay you")
	ben.checkPage()
	ben.fill("Name of the account holder", "Ben Ode")
	ben.fill("IBAN", outside(59))
	ben.click("Save")
	ben.see("Confirm that it is you", "Nothing is saved yet.")
	ben.fill("Your Florin password", memberPassword)
	ben.click("Save")
	ben.see("Saved. This is where others pay you.", "Ben Ode")

	// The owner settles it with a payment.
	w := browse(t, desktop)
	w.signIn(f, ownerEmail, ownerPassword)
	w.visit(f.web + paths.Settling)
	w.see("Who owes whom", "you owe", "12.34", "Dinner")
	w.checkPage()
	w.click(memberEmail)
	w.see("You owe "+memberEmail, "How it adds up")
	w.checkPage()
	w.click("Settle with a payment")
	w.see("From which account?", "Ben Ode") // the person has several accounts
	w.visit(w.evaluate(payLink(exampleBank) + ".href"))
	w.see("Review the payment", "New payee")
	w.click("Review the payment")
	w.see("Review the ", "Ben Ode", "12.34", "What happens next")
	w.agreeToAll()
	w.confirm("Confirm 12.34 EUR to Ben Ode", exampleBank)
	ben.see("On the way", "On its way")
	w.approveAt(exampleBank)
	w.see("Sent from your account")
	ben.see("Nobody owes anybody anything.")
	ben.seeNot("On its way")
	ben.checkPage()
	w.visit(f.web + paths.Settling)
	w.see("Nobody owes anybody anything.")
	w.click("Dinner")
	w.see("Last changed by " + memberEmail)
	w.checkPage()

	// The next shared expense is repaid in cash, which the other person undoes.
	w.fill("What it was for", "Dinner and drinks")
	w.fill("Amount", "32,01")
	w.fill("Amount of "+memberEmail, "17,67")
	w.fill("Your amount", "14,34")
	w.click("Save the expense")
	w.see("you owe", "2.00")
	ben.see("owes you", "2.00")
	w.click(memberEmail)
	w.click("I paid it in cash")
	w.see("2.00 EUR is settled in cash.", "Settled")
	w.checkPage()
	ben.see("Nobody owes anybody anything.")
	ben.visit(f.web + paths.Settling)
	ben.visit(ben.evaluate(`location.origin + "/settling/with/" + ` + `"` + f.userID(ownerEmail) + `"`))
	ben.see("in cash", "Settled")
	ben.clickOn(matching("form[action$='/undo'] button"))
	ben.see("The settlement is undone", "2.00", "Does not count")
	ben.checkPage()
	w.see("undone by "+memberEmail, "You owe "+memberEmail)

	ben.asksToPay(f, w)
	ben.leaves(f, w)
}

// asksToPay asks the owner for two payments. The owner reviews and confirms one, with a proof, and declines the other. The open pages of both show that without
// a click.
func (w *window) asksToPay(f *florin, owner *window) {
	w.t.Helper()
	owner.visit(f.web + "/")
	asks := func(amount, note string) {
		w.t.Helper()
		w.visit(f.web + "/requests")
		w.click("Ask somebody else to pay")
		w.see("Whom do you ask?")
		w.checkPage()
		w.fill("Name of the payee", "Paul Meier")
		w.fill("IBAN", outside(31))
		w.fill("Amount", amount)
		w.fill("Note for the person you ask (optional)", note)
		w.click("Ask")
		w.see("is asked to pay this", ownerEmail+" has neither paid nor declined yet.")
		owner.see(memberEmail+" asks you to pay", "Paul Meier", note)
	}
	asks("19,90", "for the tap")
	w.checkPage()
	owner.click("See the request")
	owner.see("Asked by "+memberEmail, "Florin has not checked it.", outside(31))
	owner.click("Pay")
	owner.visit(owner.evaluate(payLink(exampleBank) + ".href"))
	owner.see(memberEmail+" asks you to pay this", "for the tap")
	owner.click("Review the payment")
	w.see(ownerEmail + " has prepared the payment.")
	owner.see("Review the ", memberEmail, "New payee", "19.90")
	owner.agreeToAll()
	owner.confirm("Confirm 19.90 EUR to Paul Meier", exampleBank)
	owner.approveAt(exampleBank)
	owner.see("Sent from your account")
	w.see(ownerEmail + " has paid it.")
	w.seeNot("Withdraw the request", exampleBank)

	owner.visit(f.web + "/")
	asks("12", "for a second tap")
	owner.click("See the request")
	owner.fill("Why not (optional)", "There is one tap")
	owner.click("Decline")
	owner.see(memberEmail+" sees that you have declined it.", "Declined")
	w.see(ownerEmail + " has declined it: “There is one tap”")
	w.checkPage()
}

// leaves exports all data and leaves Florin. The expenses shared with the owner stay with the owner.
func (w *window) leaves(f *florin, owner *window) {
	w.t.Helper()
	owner.visit(f.web + paths.Settling)
	owner.see("you owe", "2.00")
	w.visit(f.web + "/settings")
	w.click("Leave Florin…")
	w.see("Take your data with you", "What stays with the others", ownerEmail+" owes you 2.00")
	w.checkPage()
	folder := w.downloads()
	w.press("Download your data")
	files := unzipped(w.t, w.downloaded(folder, "zip"))
	for name, want := range map[string]string{"README.txt": memberEmail, "shared-expenses.csv": "Dinner and drinks", "data/you.json": memberEmail} {
		if !strings.Contains(files[name], want) {
			w.fatalf("%s does not hold %q:\n%s", name, want, files[name])
		}
	}

	const typed = "To confirm, type “" + memberEmail + "”"
	w.fill(typed, ownerEmail)
	w.click("Leave Florin and delete everything")
	w.see("Confirm that it is you")
	w.fill("Your Florin password", memberPassword)
	w.click("Continue")
	w.see("This is not the e-mail address. Nothing is deleted yet.")
	w.fill(typed, memberEmail)
	w.click("Leave Florin and delete everything")
	w.see("You have left Florin", "you are signed out everywhere")
	w.checkPage()
	f.provoked = append(f.provoked, "proof of identity refused")
	w.visit(f.web + "/sign-in")
	w.fill("E-mail address", memberEmail)
	w.fill("Password", memberPassword)
	w.click("Sign in")
	w.see("You are not signed in")

	owner.visit(f.web + paths.Settling)
	owner.see(memberEmail, "you owe", "2.00")
	owner.click("Dinner and drinks")
	owner.see("Last changed by", memberEmail)
	owner.checkPage()
}

// unzipped returns the files of a ZIP file by their names.
func unzipped(t testing.TB, path string) map[string]string {
	t.Helper()
	zipped, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer zipped.Close()
	files := map[string]string{}
	for _, f := range zipped.File {
		content, err := fs.ReadFile(zipped, f.Name)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(content)
	}
	return files
}

// userID is the id of a person.
func (f *florin) userID(email string) (id string) {
	f.t.Helper()
	db := f.database()
	defer db.Close()
	if err := db.QueryRow(`SELECT id FROM user WHERE email = $1`, email).Scan(&id); err != nil {
		f.t.Fatal(err)
	}
	return id
}
