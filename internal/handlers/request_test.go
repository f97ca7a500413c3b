package handlers_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
)

// askFor is a valid form with which somebody is asked to pay, changed by pairs of name and value.
func askFor(person string, changes ...string) url.Values {
	form := url.Values{"form": {finance.NewID()}, "person": {person}, "payee": {"Müller Sanitär"}, "iban": {"fr14 2004 1010 0505 0001 3M02 606"}, "amount": {"49,90"}, "currency": {"EUR"},
		"text": {"Rechnung 7"}, "note": {"for the tap <b>"}}
	for i := 0; i < len(changes); i += 2 {
		form.Set(changes[i], changes[i+1])
	}
	return form
}

// asks sends the form, and returns the path of the request.
func (b *browser) asks(form url.Values) string {
	b.site.t.Helper()
	to := b.post("/requests/new", form).status(http.StatusSeeOther).Header.Get("Location")
	if !strings.HasPrefix(to, "/requests/") {
		b.site.t.Fatalf("the form leads to %q", to)
	}
	return to
}

// TestAskSomebodyToPay: a member types what another member is asked to pay. The other sees the request where it is needed, pays it from an account of their own
// with all checks, and confirms it like any payment. The asker sees the state, and nothing else.
func TestAskSomebodyToPay(t *testing.T) {
	t.Parallel()
	s, payer, mira, account := paySite(t)
	payer.get("/pay?account=" + account).lacks("Ask somebody in the household")
	payer.get("/requests/new").has("There is nobody to ask")
	ann := s.user("ann@example.org")
	s.user("cy@example.org")
	_, err := s.auth.AddUser(t.Context(), "vera@example.org", password, finance.RoleViewer)
	must(t, err)
	asker, third, viewer := s.signedIn("ann@example.org"), s.signedIn("cy@example.org"), s.signedIn("vera@example.org")
	asker.get("/requests/new").status(http.StatusOK).has("mira@example.org", "cy@example.org", "You can ask for 20 payments at a time.").lacks("vera@example.org", "ann@example.org</option>")
	for _, path := range []string{"/requests", "/requests/new"} {
		viewer.get(path).status(http.StatusForbidden)
	}
	viewer.post("/requests/new", askFor(mira.ID)).status(http.StatusForbidden)

	past := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	for _, c := range []struct{ field, value, says string }{
		{"person", "", "Choose whom you ask."}, {"person", ann.ID, "Choose whom you ask."}, {"payee", " ", "Enter the name of the payee."},
		{"payee", strings.Repeat("x", 71), "A name may have 70 characters at most."}, {"iban", "DE89370400440532013001", "check digits"}, {"amount", "0", "more than zero"},
		{"amount", "1.234", "not clear"}, {"currency", "EURO", "three capital letters"}, {"text", strings.Repeat("x", 141), "140 characters at most"},
		{"note", strings.Repeat("x", 141), "The note may have 140 characters at most."}, {"day", "2026-02-30", "does not exist"}, {"day", past, "This day is in the past."},
	} {
		asker.post("/requests/new", askFor(mira.ID, c.field, c.value)).status(http.StatusUnprocessableEntity).has(c.says, "Nobody was asked.")
	}
	asker.post("/requests/new", url.Values{}).status(http.StatusUnprocessableEntity).has("The form is not complete")
	payer.get("/").lacks("asks you to pay")

	first := payer.listen(payer.get("/").live())
	list := payer.listen(payer.get("/payments").live())
	form := askFor(mira.ID)
	path := asker.asks(form)
	if asker.asks(form) != path {
		t.Error("the form, sent twice, is two requests")
	}
	first.until("asks you to pay")
	list.until("Asked by ann@example.org")
	watch := asker.listen(asker.get(path).status(http.StatusOK).has("You asked mira@example.org", "has neither paid nor declined yet", "Müller Sanitär", "Withdraw the request").
		lacks("Decline", `href="/pay?`).live())
	payer.get("/").has("ann@example.org asks you to pay", "49.90", "Müller Sanitär", "for the tap &lt;b&gt;", path)
	payer.get("/payments").has("Asked by ann@example.org", "To be paid", path)
	asker.get("/payments").has("You asked mira@example.org", path)
	payer.get(path).status(http.StatusOK).has("Asked by ann@example.org", "Florin has not checked it", "FR14 2004 1010 0505 0001 3M02 606", "Decline", "/pay?request=").lacks("Withdraw the request")
	for _, p := range []string{path, path + "/decline", path + "/withdraw"} {
		third.post(p, nil)
		if p != path {
			third.post(p, nil).status(http.StatusNotFound)
		}
	}
	third.get(path).status(http.StatusNotFound)
	third.get("/payments").lacks("Asked by", "You asked")
	request := strings.TrimPrefix(path, "/requests/")
	third.get("/pay?request=" + request).status(http.StatusNotFound)
	asker.get("/pay?request=" + request).to(path)
	asker.post(path+"/decline", nil).status(http.StatusNotFound)
	payer.post(path+"/withdraw", nil).status(http.StatusNotFound)

	// In the payer's own form, with the payer's own accounts, and with all warnings.
	payer.get("/pay?request="+request+"&account="+account).status(http.StatusOK).has("ann@example.org asks you to pay this", "for the tap &lt;b&gt;", "Müller Sanitär", "FR14 2004 1010 0505 0001 3M02 606",
		`value="49.90"`, "Rechnung 7", "New payee: your first payment from Florin.")
	paid := transfer(account, "name", "Müller Sanitär", "number", frenchACME, "amount", "49,90", "text0", "Rechnung 7", "request", request)
	third.post("/pay", paid).status(http.StatusNotFound)
	draft := payer.draft(paid)
	watch.reloads()
	asker.get(path).has("mira@example.org has prepared the payment.").lacks(draft, account, "Girokonto", "Available", "Booked")
	payer.get(path).has("prepared the payment and not confirmed it yet", draft+"/review")
	payer.get("/").lacks("asks you to pay")
	payer.get("/pay?request=" + request).to(draft + "/review")
	other := maps.Clone(paid)
	other.Set("form", finance.NewID())
	payer.post("/pay", other).to(path) // one payment for one request
	payer.get(path).has("a payment for it is prepared already")

	// Its review: who asks, the warnings, and a proof for just this amount, payee, account and day.
	payer.get(draft+"/review").status(http.StatusOK).has("Asked by", "ann@example.org", "New payee", "for the tap")
	confirms := func(proof string) *answer {
		c := payer.get(draft + "/review").confirmation()
		c.Set("password", proof)
		return payer.post(draft+"/confirm", c)
	}
	unread := payer.get(draft + "/review").confirmation()
	unread.Del("agree")
	payer.post(draft+"/confirm", unread).status(http.StatusUnprocessableEntity).has("Please read the warnings below")
	payer.ages(5 * time.Minute)
	confirms("").status(http.StatusUnprocessableEntity).has("Enter your Florin password.")
	tomorrow := time.Now().UTC().AddDate(0, 0, 1).Format(time.DateOnly)
	for _, change := range [][]string{{"amount", "49,91"}, {"number", "NL91ABNA0417164300"}, {"name", "Other"}, {"when", "date", "date", tomorrow}} {
		stale := payer.get(draft + "/review").confirmation()
		changed := maps.Clone(paid)
		for i := 0; i < len(change); i += 2 {
			changed.Set(change[i], change[i+1])
		}
		payer.draft(changed)
		payer.post(draft+"/confirm", stale).status(http.StatusUnprocessableEntity).has("The payment was changed after you looked at it")
		confirms("").status(http.StatusUnprocessableEntity).has("Enter your Florin password.")
		payer.draft(paid)
	}
	if n := len(s.service.sent()); n != 0 {
		t.Fatalf("%d payments were sent", n)
	}
	confirms(password).to(draft + "/leave")
	asker.post(path+"/withdraw", nil).to(path)
	asker.get(path).has("Nothing was changed", "has prepared the payment")
	payer.post(path+"/decline", nil).to(path)
	payer.get(path).has("Nothing was changed", "Your payment is on its way.")
	asker.get(draft).status(http.StatusNotFound)
	s.service.becomes(1, "ACSC", true, "")
	payer.check(draft)
	page := asker.get(path).has("mira@example.org has paid it.", "Paid").lacks(draft, account, "Withdraw the request", "Girokonto")
	payer.get(path).has("You have paid it.", draft)
	for _, p := range []*answer{page, asker.get("/requests").has("Paid", "You asked mira@example.org"), asker.get("/payments").lacks("You asked mira@example.org")} {
		p.lacks(mira.ID, "1234.56")
	}
}

// TestDeclineAndWithdraw: the person asked declines with a note; the person who asks withdraws the request, and a prepared payment is not sent without
// checking that.
func TestDeclineAndWithdraw(t *testing.T) {
	t.Parallel()
	s, payer, mira, account := paySite(t)
	s.user("ann@example.org")
	asker := s.signedIn("ann@example.org")
	path := asker.asks(askFor(mira.ID))
	payer.post(path+"/decline", url.Values{"answer": {strings.Repeat("x", 141)}}).status(http.StatusUnprocessableEntity).has("140 characters at most")
	draft := payer.draft(transfer(account, "number", frenchACME, "request", strings.TrimPrefix(path, "/requests/")))
	payer.post(path+"/decline", url.Values{"answer": {"paid in cash <i>"}}).to(path)
	asker.get(path).has("mira@example.org has declined it: “paid in cash &lt;i&gt;”", "Declined").lacks("Withdraw the request")
	payer.get(draft).has("Draft deleted")
	payer.get("/pay?request=" + strings.TrimPrefix(path, "/requests/")).to(path)
	asker.post(path+"/withdraw", nil).to(path)
	asker.get(path).has("Nothing was changed")

	path = asker.asks(askFor(mira.ID))
	draft = payer.draft(transfer(account, "name", "Müller Sanitär", "number", frenchACME, "amount", "49,90", "request", strings.TrimPrefix(path, "/requests/")))
	before := payer.get(draft + "/review").lacks("This payment request is no longer open").confirmation()
	asker.post(path+"/withdraw", nil).to(path)
	payer.get("/").lacks("asks you to pay")
	payer.get(path).has("has withdrawn it. There is nothing to pay.")
	payer.post(draft+"/confirm", before).status(http.StatusUnprocessableEntity).has("Please read the warnings below", "This payment request is no longer open")
	if n := len(s.service.sent()); n != 0 {
		t.Fatalf("%d payments were sent", n)
	}
	payer.post(draft+"/confirm", payer.get(draft+"/review").confirmation()).to(draft + "/leave") // the payer can still decide to pay
	asker.get(path).has("You have withdrawn it.")
}

// TestAskInsteadOfPaying: the payment form leads to the form that asks somebody else, with the values typed so far. The draft is deleted when the request is
// made.
func TestAskInsteadOfPaying(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	ann := s.user("ann@example.org")
	form := transfer(account)
	draft := b.draft(form)
	page := b.get("/pay?draft=" + strings.TrimPrefix(draft, "/payments/")).has("Ask somebody in the household to pay this")
	page.has(`name="show" value="ask"`)
	form.Set("show", "ask")
	form.Set("draft", strings.TrimPrefix(draft, "/payments/"))
	b.post("/pay", form).status(http.StatusOK).has("Ask somebody else to pay", `value="ACME GmbH"`, "ann@example.org", `value="12,30"`, `value="Invoice 4711"`)
	path := b.asks(askFor(ann.ID, "draft", strings.TrimPrefix(draft, "/payments/")))
	b.get(draft).has("Draft deleted")
	b.get(path).has("You asked ann@example.org")

	// Amounts that are hidden stay hidden, in the page, in the form, and on the first page.
	asked := s.signedIn("ann@example.org")
	asked.get("/").has("asks you to pay", "49.90")
	asked.post("/amounts", url.Values{"hide": {"yes"}})
	for _, p := range []string{"/", path, "/requests", "/payments", "/pay?request=" + strings.TrimPrefix(path, "/requests/")} {
		asked.get(p).status(http.StatusOK).lacks("49.90", "49,90")
	}
	for range 4 {
		b.asks(askFor(ann.ID))
	}
	asked.get("/").has("You are asked to make 5 payments").lacks("asks you to pay")
}
