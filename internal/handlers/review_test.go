package handlers_test

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
)

// A standing or scheduled payment is called that wherever it is confirmed: at the top, on the button, and at the bank.
func TestReviewSaysHowOftenAndWhen(t *testing.T) {
	t.Parallel()
	_, b, _, account := paySite(t)
	day := time.Now().UTC().AddDate(0, 0, 30)
	long := day.Format("2 January 2006")
	standing := b.draft(transfer(account, "amount", "850", "name", "Landlord", "when", "repeat", "first", day.Format(time.DateOnly), "frequency", "MNTH"))
	review := b.get(standing+"/review").has("Review the standing order</h1>", `<p class="lead">every month, from `+long+`</p>`,
		"Confirm 850.00 EUR to Landlord, every month</button>", "In euros, there by the working day after.").lacks("by the next working day")
	b.post(standing+"/confirm", review.confirmation()).to(standing + "/leave")
	b.get(standing+"/leave").has("every month, from "+long, "Landlord")
	dated := b.draft(transfer(account, "when", "date", "date", day.Format(time.DateOnly)))
	b.get(dated+"/review").has("Review the payment</h1>", `<p class="lead">on `+day.Format("Monday, 2 January 2006")+`</p>`,
		"Confirm 12.30 EUR to ACME GmbH, on "+day.Format("Monday, 2 January 2006")+"</button>", "In euros, there by the working day after.")
	b.get(b.draft(transfer(account))+"/review").has("Confirm 12.30 EUR to ACME GmbH</button>",
		"In euros, there by the next working day.").lacks(`<p class="lead">`)
}

// A wrong password is reported at the top, in the title and at its field, which has the focus. The address that the browser then shows leads to the review.
func TestReviewSaysAWrongPassword(t *testing.T) {
	t.Parallel()
	_, b, _, account := paySite(t)
	path := b.draft(transfer(account))
	form := b.get(path + "/review").confirmation()
	form.Set("password", "wrong")
	a := b.post(path+"/confirm", form).status(http.StatusUnprocessableEntity).has("Not confirmed", "This is not your password. Nothing was sent.",
		`href="#password"`, "<title>Please check: Review the payment")
	if field := a.element("password"); !strings.Contains(field, " autofocus") || !strings.Contains(field, `aria-invalid="true"`) {
		t.Errorf("%s", field)
	}
	if field := b.get(path + "/review").lacks("Please check").element("password"); strings.Contains(field, "autofocus") {
		t.Errorf("%s", field)
	}
	b.get(path + "/confirm").to(path + "/review")
	b.get("/payments/none/confirm").status(http.StatusNotFound)
}

// Warnings are above the details, so that nobody has to scroll for them.
func TestReviewWarnsAboveTheDetails(t *testing.T) {
	t.Parallel()
	_, b, _, account := paySite(t)
	a := b.get(b.draft(transfer(account))+"/review").has("New payee: your first payment to ACME GmbH", `class="review"`)
	if strings.Index(a.body, "New payee: your first payment to ACME GmbH") > strings.Index(a.body, `class="review"`) {
		t.Error("the warning is below the details")
	}
}

// The review also warns of the first payment to a saved payee, and asks for agreement.
func TestFirstPaymentToASavedPayee(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	b.post("/payees", url.Values{"name": {"ACME GmbH"}, "iban": {numberOther}}).to("/payees")
	path := b.draft(transfer(account))
	form := b.get(path+"/review").has("Your first payment to ACME GmbH", "Compare it with the invoice",
		"I have compared the account").lacks("New payee").confirmation()
	agree := form["agree"]
	form.Del("agree")
	b.post(path+"/confirm", form).status(http.StatusUnprocessableEntity).has("Please read the warnings below")
	form["agree"] = agree
	b.post(path+"/confirm", form).to(path + "/leave")
	s.service.becomes(1, "ACSC", true, "")
	b.check(path)
	b.get(b.draft(transfer(account, "amount", "3", "text0", "Another")) + "/review").has("Paid once, as ACME GmbH, ").lacks(`name="agree"`)
}

// The review of many payments shows the text for each payee, and the total on the button.
func TestReviewOfABulkShowsTheTexts(t *testing.T) {
	t.Parallel()
	_, b, _, account := bulkSite(t)
	path, _ := strings.CutSuffix(b.bulk(account, finance.NewID(),
		"name,iban,amount,text\nACME GmbH,"+numberACME+",12.50,Invoice 7\nChaussures Martin,"+numberOther+",80,Boots\n",
		"").status(http.StatusSeeOther).Header.Get("Location"), "/review")
	b.get(path+"/review").has("Invoice 7", "Boots", "Confirm 2 payments, 92.50 EUR</button>")
}

// When a payment is in another currency than its account, the review says that the bank converts it.
func TestReviewSaysThatTheBankConverts(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	const converts = "Your bank converts the amount, at a rate that Florin does not know."
	path := b.draft(transfer(account))
	b.get(path + "/review").lacks(converts)
	s.exec(`UPDATE account SET currency = 'GBP' WHERE id = $1`, account)
	b.get(path + "/review").has("The account is in GBP. " + converts)
	b.get("/pay?account=" + account).has("The account is in GBP. " + converts)
}

// The form reports a day on which no bank works, and an end before the beginning, before anything is sent.
func TestPayTellsDaysThatDoNotWork(t *testing.T) {
	t.Parallel()
	_, b, _, account := paySite(t)
	sunday := time.Now().UTC().AddDate(0, 0, 14)
	sunday = sunday.AddDate(0, 0, (7-int(sunday.Weekday()))%7)
	moved := "That is a Sunday. Your bank will probably make the payment on " + sunday.AddDate(0, 0, 1).Format("Monday, 2 January 2006") + "."
	form := transfer(account, "when", "date", "date", sunday.Format(time.DateOnly))
	b.get(b.draft(form) + "/review").has(moved)
	form.Set("show", "check")
	b.post("/pay", form).status(http.StatusOK).has(moved)
	b.get(b.draft(transfer(account, "when", "date", "date", sunday.AddDate(0, 0, -1).Format(time.DateOnly)))+"/review").has("That is a Saturday",
		sunday.AddDate(0, 0, 1).Format("Monday, 2 January 2006"))
	b.get(b.draft(transfer(account, "when", "date", "date", sunday.AddDate(0, 0, 1).Format(time.DateOnly))) +
		"/review").has("Your bank may move it to its next working day.").lacks("Your bank will probably")
	ends := transfer(account, "when", "repeat", "first", "2027-03-01", "last", "2027-02-01", "frequency", "MNTH", "part", "pay-dates")
	b.post("/pay/explain", ends).status(http.StatusOK).has("The last day is before the first one.").lacks("Only weekends")
}

// When the kind of payment is changed or a payee is filled in, the page opens where the person was, not at the top.
func TestPayFormStaysWhereItWas(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	b.post("/payees", url.Values{"name": {"ACME GmbH"}, "iban": {numberOther}}).to("/payees")
	saved, err := s.store.Payees(t.Context(), mira.ID, "")
	must(t, err)
	a := b.post("/pay", transfer(account, "show", "INST_SEPA")).status(http.StatusOK)
	if chosen := regexp.MustCompile(`<button class="kind"[^>]*value="INST_SEPA"[^>]*>`).FindString(a.body); !strings.Contains(chosen, " autofocus") ||
		strings.Count(a.body, " autofocus") != 1 {
		t.Errorf("%s", chosen)
	}
	a = b.post("/pay", transfer(account, "show", "fill", "saved", "payee:"+saved[0].ID)).status(http.StatusOK)
	if field := a.element("amount"); !strings.Contains(field, " autofocus") {
		t.Errorf("%s", field)
	}
	if a := b.get("/pay?account=" + account).status(http.StatusOK); strings.Contains(a.body, " autofocus") {
		t.Error("a new form has the focus somewhere")
	}
}

// A draft whose bank was disconnected meanwhile says so before it asks for the password, and is not sent. The person can pay from another account, or once the
// bank is linked again.
func TestReviewOfAnAccountThatCannotPayAnyMore(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	connections, err := s.store.Connections(t.Context(), mira.ID)
	must(t, err)
	for _, path := range []string{b.draft(transfer(account)),
		b.draft(transfer(account, "when", "date", "date", time.Now().UTC().AddDate(0, 0, 30).Format(time.DateOnly)))} {
		form := b.get(path + "/review").has("Your Florin password").confirmation()
		posts := len(s.service.sent())
		b.post("/connections/"+connections[0].ID+"/disconnect", nil).status(http.StatusSeeOther)
		said := []string{"You can no longer pay from this account", "The bank of this account is disconnected. Nothing was sent, and the draft is kept",
			`href="/link/bank?`, "Pay from another account"}
		b.get(path+"/review").status(http.StatusOK).has(said...).lacks("Your Florin password", "What happens next")
		b.post(path+"/confirm", form).status(http.StatusConflict).has(said...)
		b.get("/pay?draft="+strings.TrimPrefix(path, "/payments/")).status(http.StatusOK).has("12.30 EUR to", "ACME GmbH", "From which account?")
		again := maps.Clone(elbe)
		again.Set("again", connections[0].ID)
		attempt := b.start(again)
		b.get(s.back()).to(attempt)
		b.get("/pay?draft="+strings.TrimPrefix(path, "/payments/")).status(http.StatusOK).has(`value="ACME GmbH"`, `value="12.30"`)
		if now := len(s.service.sent()); now != posts {
			t.Errorf("%d payments were sent", now-posts)
		}
		b.post(path+"/confirm", b.get(path+"/review").confirmation()).to(path + "/leave")
	}
}
