package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// What is paid again and again, or on a day, is told as that wherever it is confirmed: at the top, on the button, and before the bank.
func TestReviewSaysHowOftenAndWhen(t *testing.T) {
	t.Parallel()
	_, b, _, account := paySite(t)
	day := time.Now().UTC().AddDate(0, 0, 30)
	long := day.Format("2 January 2006")
	standing := b.draft(transfer(account, "amount", "850", "name", "Landlord", "when", "repeat", "first", day.Format(time.DateOnly), "frequency", "MNTH"))
	review := b.get(standing+"/review").has("Review the standing order</h1>", `<p class="lead">every month, from `+long+`</p>`, "Confirm 850.00 EUR every month to Landlord</button>", "In euro, there by the working day after.").lacks("by the next working day")
	b.post(standing+"/confirm", review.confirmation()).to(standing + "/leave")
	b.get(standing+"/leave").has("every month, from "+long, "Landlord")
	dated := b.draft(transfer(account, "when", "date", "date", day.Format(time.DateOnly)))
	b.get(dated+"/review").has("Review the payment</h1>", `<p class="lead">on `+day.Format("Monday, 2 January 2006")+`</p>`, "Confirm 12.30 EUR to ACME GmbH on "+long+"</button>", "In euro, there by the working day after.")
	b.get(b.draft(transfer(account))+"/review").has("Confirm 12.30 EUR to ACME GmbH</button>", "In euro, there by the next working day.").lacks(`<p class="lead">`)
}

// A wrong password is said at the top, in the title and at its field, which has the focus; and where the address stands then leads to the review.
func TestReviewSaysAWrongPassword(t *testing.T) {
	t.Parallel()
	_, b, _, account := paySite(t)
	path := b.draft(transfer(account))
	form := b.get(path + "/review").confirmation()
	form.Set("password", "wrong")
	a := b.post(path+"/confirm", form).status(http.StatusUnprocessableEntity).has("Not confirmed", "This is not your password. Nothing was sent.", `href="#password"`, "<title>Please check: Review the payment")
	if field := a.element("password"); !strings.Contains(field, " autofocus") || !strings.Contains(field, `aria-invalid="true"`) {
		t.Errorf("%s", field)
	}
	if field := b.get(path + "/review").lacks("Please check").element("password"); strings.Contains(field, "autofocus") {
		t.Errorf("%s", field)
	}
	b.get(path + "/confirm").to(path + "/review")
	b.get("/payments/none/confirm").status(http.StatusNotFound)
}

// Warnings stand above the details: nobody has to scroll for them.
func TestReviewWarnsAboveTheDetails(t *testing.T) {
	t.Parallel()
	_, b, _, account := paySite(t)
	a := b.get(b.draft(transfer(account))+"/review").has("New payee: first payment to ACME GmbH", `class="review"`)
	if strings.Index(a.body, "New payee: first payment to ACME GmbH") > strings.Index(a.body, `class="review"`) {
		t.Error("the warning stands below the details")
	}
}

// The first payment to a saved payee is told and agreed to as well (experience 3.3).
func TestFirstPaymentToASavedPayee(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	b.post("/payees", url.Values{"name": {"ACME GmbH"}, "iban": {numberOther}}).to("/payees")
	path := b.draft(transfer(account))
	form := b.get(path+"/review").has("First payment to ACME GmbH", "Saved, and not paid before.", "I have compared the account").lacks("New payee").confirmation()
	agree := form["agree"]
	form.Del("agree")
	b.post(path+"/confirm", form).status(http.StatusUnprocessableEntity).has("Something needs your agreement")
	form["agree"] = agree
	b.post(path+"/confirm", form).to(path + "/leave")
	s.service.becomes(1, "ACSC", true, "")
	b.check(path)
	b.get(b.draft(transfer(account, "amount", "3", "text0", "Another")) + "/review").has("Paid once as ACME GmbH").lacks(`name="agree"`)
}
