package main

import (
	"testing"

	"florin/internal/testkit"
	"florin/web/templates/paths"
)

// Two people share an expense and what one owes the other. One offers an account; the other pays to it through the bank, and both see it settled by itself,
// in pages that are open. Then both see who owes whom anew, and one gives the rest in cash, which the other undoes.
func TestJourneySettle(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f := spawn(t)
	p := newPerson(t)
	p.setUp(f)
	p.link(f, exampleBank, exampleCountryCode, exampleCustomer)
	f.synced()
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
	ben.see("What each person has to bear.")
	ben.fill("Amount of "+ownerEmail, "12,34")
	ben.click("Save the expense")
	ben.see("The amounts have to come to the whole amount.")
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
	w.see("From which account?", "Ben Ode") // there are several
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

	// What is shared next is given in cash, and undone by the other one.
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
