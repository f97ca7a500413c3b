package handlers_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"florin/internal/finance"
)

var (
	formID      = regexp.MustCompile(`name="id" value="([A-Z2-7]{26})"`)
	expensePage = regexp.MustCompile(`/settling/expenses/([A-Z2-7]{26})`)
	settlement  = regexp.MustCompile(`/settling/settlements/([A-Z2-7]{26})/undo`)
)

// find is the first group of the first match in a page.
func (a *answer) find(what *regexp.Regexp) string {
	a.t.Helper()
	found := what.FindStringSubmatch(a.body)
	if found == nil {
		a.t.Fatalf("%s does not have %s", a.Request.URL, what)
	}
	return found[1]
}

// dinner is the form for an expense of cash, with an id of its own.
func (b *browser) dinner(payer string, amount string, people ...string) url.Values {
	form := url.Values{"id": {b.get("/settling/new").status(http.StatusOK).find(formID)}, "text": {"Dinner <b>"}, "day": {"2026-11-20"}, "amount": {amount}, "currency": {"EUR"},
		"payer": {payer}, "how": {"equal"}, "do": {"save"}}
	for _, p := range people {
		form.Set("in-"+p, "yes")
	}
	return form
}

// TestSharedExpenses: an expense is entered, divided in each way, changed, deleted and restored. Both people see who owes whom, at once on open pages. A third
// person sees nothing of it. Cash that was given counts until one of the two undoes it.
func TestSharedExpenses(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ann := s.user("ann@example.org")
	first := s.signedIn("ann@example.org")
	first.get("/").lacks("Shared expenses")
	first.get("/settling").status(http.StatusOK).has("Nobody else uses this Florin yet", "Invite somebody")
	bo, cy := s.user("bo@example.org"), s.user("cy@example.org")
	vera, err := s.auth.AddUser(t.Context(), "vera@example.org", password, finance.RoleViewer)
	must(t, err)
	other, third, viewer := s.signedIn("bo@example.org"), s.signedIn("cy@example.org"), s.signedIn("vera@example.org")
	first.get("/").has("Shared expenses")
	first.get("/settling").status(http.StatusOK).has("You share no expenses yet", "You have chosen no account yet.")

	watch := other.listen(other.get("/settling").live())
	form := first.dinner(ann.ID, "30,01", ann.ID, bo.ID)
	first.post("/settling/new", form).to("/settling")
	first.post("/settling/new", form).to("/settling") // sent twice
	watch.reloads()
	first.get("/settling").has("Dinner &lt;b&gt;", "owes you", "In all, you get 15.00", "/settling/with/"+bo.ID)
	page := other.get("/settling").status(http.StatusOK).has("you owe", "15.00", "ann@example.org paid")
	path := "/settling/expenses/" + page.find(expensePage)
	third.get("/settling").lacks("Dinner")
	for _, p := range []string{path, path + "/delete"} {
		third.post(p, form).status(http.StatusNotFound)
	}
	third.get(path).status(http.StatusNotFound)
	third.get("/settling/with/" + ann.ID).status(http.StatusOK).has("Neither of you owes the other anything.").lacks("Dinner")
	first.get("/settling/with/" + ann.ID).status(http.StatusNotFound)
	first.get("/settling/with/NOBODY").status(http.StatusNotFound)

	// Faults are shown in the form, which keeps the typed values.
	for _, c := range []struct {
		field, value, says string
	}{
		{"text", " ", "Enter what it was for."}, {"text", strings.Repeat("x", 141), "The text may have 140 characters at most."}, {"amount", "0", "more than zero"}, {"amount", "1,2,3", "Enter the amount"},
		{"amount", "90000000000,00", "too large"}, {"day", "2026-02-30", "does not exist"}, {"payer", "NOBODY", "Choose who paid from the list."}, {"how", "halves", "Choose how it is divided."}, {"currency", "EURO", "three capital letters"},
	} {
		wrong := first.dinner(ann.ID, "10", ann.ID, bo.ID)
		wrong.Set(c.field, c.value)
		first.post("/settling/new", wrong).status(http.StatusUnprocessableEntity).has(c.says)
	}
	first.post("/settling/new", first.dinner(ann.ID, "10", ann.ID)).status(http.StatusUnprocessableEntity).has("Nobody but the payer has a share.")
	first.post("/settling/new", first.dinner(bo.ID, "10", bo.ID, cy.ID)).status(http.StatusUnprocessableEntity).has("You have no part in this expense")
	first.post("/settling/new", url.Values{}).status(http.StatusUnprocessableEntity).has("The form is not complete")
	part := first.dinner(ann.ID, "10")
	part.Set("how", "amounts")
	part.Set("part-"+bo.ID, "4")
	first.post("/settling/new", part).status(http.StatusUnprocessableEntity).has("Still left: 6.00")
	part.Set("part-"+bo.ID, "12")
	first.post("/settling/new", part).status(http.StatusUnprocessableEntity).has("The amounts are 2.00")
	part.Set("how", "shares")
	part.Set("part-"+bo.ID, "-1")
	first.post("/settling/new", part).status(http.StatusUnprocessableEntity).has("Enter a whole number up to")

	// Bo changes it to shares; Ann's outdated form is refused with an explanation.
	change := url.Values{"id": form["id"], "revision": {"1"}, "text": {"Dinner"}, "day": {"2026-11-20"}, "amount": {"30"}, "currency": {"EUR"}, "payer": {ann.ID}, "how": {"equal"},
		"in-" + ann.ID: {"yes"}, "in-" + bo.ID: {"yes"}, "do": {"how:shares"}}
	other.post(path, change).status(http.StatusOK).has("In proportion to the numbers", `name="part-`+ann.ID+`"`, `value="1"`)
	change.Set("do", "save")
	change.Set("how", "shares")
	change.Set("part-"+ann.ID, "1")
	change.Set("part-"+bo.ID, "2")
	other.post(path, change).to("/settling")
	first.get("/settling").has("20.00")
	first.post(path, change).status(http.StatusConflict).has("Somebody changed this expense meanwhile")
	first.get(path).has("Last changed by bo@example.org")
	german := s.signedIn("ann@example.org")
	german.languages = "de"
	german.get(path).status(http.StatusOK).has("Zuletzt geändert von bo@example.org", "Nach Anteilen")

	other.post(path+"/delete", url.Values{"deleted": {"yes"}}).to(path)
	first.get("/settling").has("Nobody owes anybody anything.", "no longer counts")
	first.get(path).has("This expense is deleted", "Restore the expense")
	first.post(path+"/delete", url.Values{"deleted": {"no"}}).to(path)

	// A viewer can have a share, sees it, and changes nothing.
	first.post("/settling/new", first.dinner(ann.ID, "8", ann.ID, vera.ID)).to("/settling")
	seen := viewer.get("/settling").status(http.StatusOK).has("you owe", "4.00").lacks("Add an expense", "Where others pay you")
	viewer.get("/settling/expenses/"+seen.find(expensePage)).status(http.StatusOK).has("Your share").lacks("Save the expense", "Delete this expense")
	viewer.post("/settling/new", url.Values{}).status(http.StatusForbidden)
	viewer.get("/settling/with/" + ann.ID).status(http.StatusOK).lacks("I paid it in cash")

	// A debt is settled in cash.
	with := "/settling/with/" + bo.ID
	cash := url.Values{"id": {first.get(with).has("owes you", "I got it in cash").find(formID)}, "currency": {"EUR"}, "direction": {"get"}, "amount-EUR": {"x"}}
	first.post(with+"/cash", cash).status(http.StatusUnprocessableEntity).has("Enter the amount")
	cash.Set("amount-EUR", "5")
	watch = other.listen(other.get("/settling/with/" + ann.ID).live())
	first.post(with+"/cash", cash).to(with)
	first.post(with+"/cash", cash).to(with)
	watch.reloads()
	given := other.get("/settling/with/"+ann.ID).has("You owe ann@example.org", "15.00", "entered by ann@example.org", "Settled", "Undo")
	undo := "/settling/settlements/" + given.find(settlement) + "/undo"
	third.post(undo, url.Values{"undone": {"yes"}}).status(http.StatusNotFound)
	other.post(undo, url.Values{"undone": {"yes"}, "with": {ann.ID}}).to("/settling/with/" + ann.ID)
	first.get(with).has("20.00", "undone by bo@example.org", "Does not count", "Count it again")
	first.post(undo, url.Values{"undone": {"no"}, "with": {bo.ID}}).to(with)
	first.get(with).has("15.00")

	// It is not possible to pay a person who offers no account, or more than is owed.
	other.post("/settling/with/"+ann.ID+"/pay", url.Values{"currency": {"EUR"}}).status(http.StatusUnprocessableEntity).has("has not chosen an account for payments yet")
	first.post(with+"/pay", url.Values{"currency": {"EUR"}}).status(http.StatusUnprocessableEntity).has("You no longer owe this")
	account := url.Values{"name": {"Ann"}, "iban": {"FI21 1234 5600 0007 84"}, "do": {"save"}}
	first.post("/settling/account", account).status(http.StatusUnprocessableEntity).has("check digits")
	account.Set("iban", "FI21 1234 5600 0007 85")
	first.post("/settling/account", url.Values{"iban": {"FI21 1234 5600 0007 85"}}).status(http.StatusUnprocessableEntity).has("Enter the name of the account holder.")
	first.post("/settling/account", account).status(http.StatusUnprocessableEntity).has("Confirm that it is you", "Your Florin password")
	first.get("/settling").has("You have chosen no account yet.")
	account.Set("password", password)
	first.post("/settling/account", account).to("/settling")
	first.get("/settling").has("FI21 1234 5600 0007 85")
	other.get("/settling/with/" + ann.ID).has("Settle with a payment")
	first.post("/settling/account", url.Values{"do": {"remove"}}).to("/settling")
	first.get("/settling").has("You have chosen no account yet.")

	file := first.get("/settling/export").status(http.StatusOK)
	for _, want := range []string{"ann@example.org,bo@example.org", "Dinner", "in cash", "15.00"} {
		if !strings.Contains(file.body, want) && !strings.Contains(file.body, strings.Replace(want, "ann@example.org,bo", "bo@example.org,ann", 1)) {
			t.Errorf("the file lacks %s:\n%s", want, file.body)
		}
	}
	if strings.Contains(third.get("/settling/export").body, "Dinner") {
		t.Error("a third person can download the expense")
	}
}

// TestShareATransaction: a transaction becomes an expense once. Payer, day and amount come from the bank, and nobody else sees the transaction.
func TestShareATransaction(t *testing.T) {
	t.Parallel()
	s, mira, own := linkedSite(t, transactions(3))
	row := "/accounts/" + own.account + "/transactions/" + own.transaction
	mira.get(row).lacks("Share this expense")
	otto := s.user("otto@example.org")
	other := s.signedIn("otto@example.org")
	owner, _, err := s.store.UserByEmail(t.Context(), "mira@example.org")
	must(t, err)
	mira.get(row).has("Share this expense with others")
	at := "/settling/new?" + url.Values{"account": {own.account}, "transaction": {own.transaction}}.Encode()
	other.get(at).status(http.StatusNotFound)
	page := mira.get(at).status(http.StatusOK).has("Add a shared expense", "otto@example.org").lacks(`name="amount"`, `name="payer"`)
	form := url.Values{"id": {page.find(formID)}, "account": {own.account}, "transaction": {own.transaction}, "text": {"Shop"}, "how": {"equal"}, "do": {"save"},
		"in-" + owner.ID: {"yes"}, "in-" + otto.ID: {"yes"}, "amount": {"1"}}
	other.post("/settling/new", form).status(http.StatusNotFound)
	mira.post("/settling/new", form).to("/settling")
	mira.get(row).has("This is a shared expense", "Your share:")
	mira.get(at).to("/settling/expenses/" + form.Get("id"))
	other.get("/settling/expenses/"+form.Get("id")).status(http.StatusOK).has("mira@example.org", "Shop").lacks(own.account)
	change := url.Values{"id": form["id"], "revision": {"1"}, "text": {"Shop"}, "how": {"equal"}, "do": {"save"}, "in-" + owner.ID: {"yes"}, "in-" + otto.ID: {"yes"}, "payer": {otto.ID}, "amount": {"1"}}
	other.post("/settling/expenses/"+form.Get("id"), change).to("/settling")
	e, err := s.store.Expense(t.Context(), owner.ID, form.Get("id"))
	must(t, err)
	id, err := strconv.ParseInt(own.transaction, 10, 64)
	must(t, err)
	record, err := s.store.Transaction(t.Context(), owner.ID, own.account, id)
	must(t, err)
	if e.Payer != owner.ID || e.Amount != record.Amount.Neg() || e.Revision != 2 {
		t.Errorf("%+v", e)
	}
}
