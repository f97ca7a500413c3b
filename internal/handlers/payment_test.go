package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/bank/apitest"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
	"florin/internal/store"
)

var storeDrafts = store.PaymentFilter{Drafts: true}

// run asks about all payments that are due.
func run(t *testing.T, s *site) {
	t.Helper()
	for range 100 {
		next, err := s.payments.Run(t.Context())
		must(t, err)
		if next.IsZero() || next.After(time.Now()) {
			return
		}
	}
	t.Fatal("the checks do not end")
}

// returns is the address with which the service sends the browser back from the n-th payment.
func (s *site) returns(n int, query ...string) string {
	q := url.Values{"state": {s.service.sent()[n-1].State}}
	for i := 0; i < len(query); i += 2 {
		q.Set(query[i], query[i+1])
	}
	return "/callback/embedded?" + q.Encode()
}

// check asks about a payment now, as somebody does who has waited a while.
func (b *browser) check(path string) {
	b.site.t.Helper()
	b.site.exec(`UPDATE payment SET checked = '2020-01-02T00:00:00.000Z', returned = '2020-01-01T00:00:00.000Z' WHERE id = $1`,
		strings.TrimPrefix(path, "/payments/"))
	b.post(path+"/check", nil).to(path)
}

// The return from the bank ends on the page of the payment. The page shows the status from the service, whatever the address claims.
func TestReturnFromTheBankDecidesNothing(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	path := b.pay(transfer(account))
	b.get(path).has("Waiting for your approval", "No money moves before you approve it.", `action="`+path+`/leave"`, "Open Elbe Sparbank",
		"Simulated: no money moves").lacks("http://bank.test")
	s.service.becomes(1, "RJCT", true, "AM04")
	other := s.signedIn("mira@example.org")
	other.get(s.returns(1, "status", "ACCC")).status(http.StatusBadRequest).has("This return from a bank is not valid")
	b.get(s.returns(1, "status", "ACCC", "payment", "done")).to(path)
	b.get(path).has("Rejected by your bank", "RJCT", "There is not enough money on the account.", "AM04", "Add money or pay from another account",
		"Try again").lacks("Arrived</h2>", "data-live")
	b.get(s.returns(1, "error", "access_denied")).to(path) // a second return changes nothing
	b.get(path).has("Rejected by your bank")
	other.get(s.returns(1)).status(http.StatusBadRequest).has("This return was used before")
	b.get("/payments").has("Rejected by your bank")
	b.get("/payments?view=open").has("No open payments.")

	cancelled := b.pay(transfer(account, "amount", "5"))
	b.get(s.returns(2, "error", "access_denied")).to(cancelled)
	b.get(cancelled).has("You cancelled this payment", "Elbe Sparbank reports that no money was sent. Florin is checking this.", "Open Elbe Sparbank",
		"Remove from the list").lacks("Try again", "Pay again")
	b.get(cancelled + "/leave").status(http.StatusOK)
	s.service.becomes(2, "CNCL", true, "")
	b.check(cancelled)
	b.get(cancelled).has("You cancelled this payment", "No money was sent.", "Try again").lacks("Open Elbe Sparbank")
	failed := b.pay(transfer(account, "amount", "6"))
	b.get(s.returns(3, "error", "server_error")).to(failed)
	b.get(failed).has("The approval did not work", "Elbe Sparbank reports that no money was sent.")
	arrived := b.pay(transfer(account, "amount", "7"))
	s.service.becomes(4, "ACCC", true, "")
	b.get(s.returns(4, "error", "access_denied")).to(arrived) // the status from the service counts
	b.get(arrived).has("Arrived", "credited to the payee", "ACCC")
	// The return is noted even after a sign-out, and shown after the sign-in (security F19).
	late := b.pay(transfer(account, "amount", "8"))
	b.post("/sign-out", nil)
	b.get(s.returns(5)).to(late)
	b.get(late).to("/sign-in?next=" + url.QueryEscape(late))
}

// A bank may take back a status. The receipt says so, and does not contradict itself.
func TestReceiptOfAPaymentThatCameBack(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	path := b.pay(transfer(account))
	b.get(s.returns(1)).to(path)
	s.service.becomes(1, "ACSC", false, "")
	b.check(path)
	const back = "The bank took this back"
	b.get(path + "/receipt").has("Sent from your account").lacks(back)
	s.service.becomes(1, "RJCT", true, "AC04")
	b.check(path)
	receipt := b.get(path+"/receipt").has("Rejected by your bank", back)
	if n := strings.Count(receipt.body, back); n != 2 { // accepted and sent are taken back; the person's approval is not
		t.Errorf("%d steps are taken back", n)
	}
}

// An attempt to pay saves no payee: otherwise the next payment would not warn about a known name with another account.
func TestOnlyAPaidPayeeIsSaved(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	payees := func() int {
		all, err := s.store.Payees(t.Context(), mira.ID, "")
		must(t, err)
		return len(all)
	}
	draft := b.draft(transfer(account, "number", "NL91ABNA0417164300"))
	b.post(draft+"/payee", nil).to(draft)
	path := b.pay(transfer(account, "amount", "5"))
	b.get(path).lacks("Save the payee")
	b.post(path+"/payee", nil).to(path)
	b.get(path).has("when the bank carries the payment out")
	if n := payees(); n != 0 {
		t.Errorf("%d payees", n)
	}
	s.service.becomes(1, "ACSP", false, "")
	b.check(path)
	b.get(path).has("Save the payee")
	b.post(path+"/payee", nil).to(path)
	if n := payees(); n != 1 {
		t.Errorf("%d payees", n)
	}
}

// A person can come back from the bank after opening it again later, or from another browser. Looking at the page that leads to the bank changes nothing.
func TestLeavingRenewsTheWayBack(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	path := b.pay(transfer(account))
	const link, goOn = `href="http://bank.test`, "Continue in this browser"
	b.get(path + "/leave").status(http.StatusOK).has(link).lacks(goOn)
	s.exec(`UPDATE payment SET state_expires = '2020-01-01T00:00:00.000Z'`)
	other := s.signedIn("mira@example.org")
	for _, window := range []*browser{b, other, other} {
		a := window.get(path+"/leave").status(http.StatusOK).has(goOn, "bank.test").lacks(link)
		if set := a.Header.Values("Set-Cookie"); len(set) > 0 && strings.Contains(strings.Join(set, " "), "flow") {
			t.Errorf("looking sets a cookie: %s", set)
		}
		must(t, notRenewed(s, mira.ID, path))
	}
	other.post(path+"/leave", nil).to(path + "/leave")
	other.get(path + "/leave").has(link).lacks(goOn)
	b.get(path + "/leave").has(goOn).lacks(link)
	b.get(s.returns(1)).status(http.StatusBadRequest)
	other.get(s.returns(1)).to(path)
	other.get(path).has("Your bank is checking it", "You came back from the bank")
}

// The page follows the status from the service step by step, and each step has its time.
func TestPaymentPageFollowsTheService(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	path := b.pay(transfer(account))
	b.get(s.returns(1)).to(path)
	for _, step := range []struct {
		status openbanking.PaymentStatus
		final  bool
		has    []string
	}{
		{"RCVD", false, []string{"Your bank has the order", "Your bank has not checked it yet."}},
		{"ACTC", false, []string{"Details checked"}},
		{"ACCP", false, []string{"Account checked"}},
		{"ACSP", false, []string{"Being carried out", "Check again"}},
		{"PDCR", false, []string{"Cancellation requested", "Being carried out"}},
		{"ACSC", true, []string{"Sent from your account", "This is no proof that it arrived", "Receipt", "Pay again"}},
	} {
		if step.status == "ACSP" {
			b.get(path).lacks("Pay again")
		}
		s.service.becomes(1, step.status, step.final, "")
		b.check(path)
		page := b.get(path).has(step.has...).has("Florin checked with the banking service", string(step.status))
		if step.final { // Florin no longer checks the payment
			page.lacks("Last checked", "not yet").has("reports no more than this", "not reported")
		} else {
			page.has("Last checked", "not yet").lacks("not reported")
		}
	}
	b.get(path).has("Approved by you", "Accepted by your bank", "History", "Confirmed by you", "You came back from the bank",
		"Details checked (when Florin checked)", "Cancellation requested (when Florin checked)").lacks("Check again", "Remove from the list", "News", "FINALISED")
	b.get(path+"/receipt").status(http.StatusOK).has("Receipt of a payment order", "ACME GmbH", "FR14 2004 1010 0505 0001 3M02 606", "Girokonto, DE89",
		"pay-1", "Invoice 4711", "It is no proof that the money arrived.", "The bank is simulated: no money moves.", "Approved by the payer")
	b.post(path+"/payee", nil).to(path)
	b.get(path).has("The payee is saved.").lacks("Save the payee")
	b.post(path+"/payee", nil).to(path)
	b.get(path).has("This account is already saved.")
}

// A payment that the service refuses was not created, and the page gives the reason. A payment without an answer has an unknown outcome, and is not sent again.
func TestPaymentRefusedAndUnknown(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	s.service.Refuse("POST /payments", openbanking.Error{Code: openbanking.UntrustedPaymentParty})
	path := b.draft(transfer(account))
	b.post(path+"/confirm", b.get(path+"/review").confirmation()).to(path)
	b.get(path).has("Not created", "The banking service refused it.", "UNTRUSTED_PAYMENT_PARTY", "Try again", apitest.RequestID).lacks("Receipt")
	b.get(path + "/leave").to(path)
	b.get(path + "/receipt").status(http.StatusNotFound)

	b.languages = "de"
	b.get(path).has("Der Bankdienst vertraut einem der beiden Konten nicht.", "UNTRUSTED_PAYMENT_PARTY")
	b.languages = ""

	s.service.Refuse("POST /payments", openbanking.Error{Code: openbanking.ASPSPTimeout})
	unknown := b.draft(transfer(account, "amount", "3"))
	b.post(unknown+"/confirm", b.get(unknown+"/review").confirmation()).to(unknown)
	b.get(unknown).has("Not known whether it was created", "Florin never sends a payment twice", "Check again", "Remove from the list").lacks("Try again", "Pay again")
	before := s.service.Count("POST /payments")
	b.post(unknown+"/check", nil).to(unknown)
	b.post(unknown+"/confirm", url.Values{"password": {password}}).to(unknown)
	if n := s.service.Count("POST /payments"); n != before {
		t.Errorf("it was sent again: %d calls, before %d", n, before)
	}
	b.get("/payments?view=open").has("Not known whether it was created")
	b.post(unknown+"/discard", nil).to("/payments")
	b.get("/payments").lacks("Not known whether it was created")
	b.get("/payments?view=all").has("Not known whether it was created")
	b.get(unknown).has("Put it back into the list")
	b.post(unknown+"/show", nil).to(unknown)
	b.get("/payments").has("Not known whether it was created")

	// A retry is a new payment that names the old one.
	s.service.Allow("POST /payments")
	again := transfer(account, "retry", strings.TrimPrefix(path, "/payments/"))
	retry := b.pay(again)
	b.get(retry).has("Made in place of", `href="`+path+`"`)
	b.get(path).has("Tried again", `href="`+retry+`"`)
}

// Drafts are listed apart and can be thrown away.
func TestPaymentDrafts(t *testing.T) {
	t.Parallel()
	_, b, _, account := paySite(t)
	path := b.draft(transfer(account))
	b.get("/payments").has("You have not paid anything here yet.", "Drafts (1)", "Not confirmed yet", "1 draft<")
	b.get("/").has("Not confirmed yet", "1 draft<")
	b.get("/payments?view=drafts").has(`href="`+path+`/review"`, "Draft")
	b.get(path).has("Review the payment", "Nothing has been sent.", "Delete this draft")
	b.post(path+"/discard", nil).to("/payments")
	b.get("/payments").has("The draft is discarded. Nothing was sent.").lacks("Drafts (", "Not confirmed yet")
	b.get("/").lacks("Not confirmed yet")
	b.get(path).has("Draft deleted", "This draft was never sent.")
	b.post(path+"/confirm", url.Values{"password": {password}}).to(path)
}

// The list finds payments by payee and account, page by page.
func TestPaymentsList(t *testing.T) {
	t.Parallel()
	_, b, _, account := paySite(t)
	b.pay(transfer(account))
	b.pay(transfer(account, "name", "De Winkel", "number", "NL91ABNA0417164300", "amount", "8"))
	b.get("/payments").has("ACME GmbH", "De Winkel", "from Girokonto", "8.00", "Waiting for your approval")
	b.get("/payments?q=winkel").has("De Winkel").lacks("ACME GmbH")
	b.get("/payments?account="+account).has("De Winkel", "ACME GmbH")
	b.get("/payments?account=other").has("No payment found.")
	b.get("/payments?before=none&view=nonsense").status(http.StatusOK)
	b.get("/").has("Open payments", "De Winkel", "Waiting for your approval", "badge-warn", "/leave\"", "Approve</button>").lacks(">Simulated<")
	b.get("/payments").has("/leave\"", "Approve</button>").lacks(">Simulated<") // the page says so
}

// until reads events until one has the text in its name or data.
func (l *listener) until(text string) {
	l.t.Helper()
	var last string
	for {
		name, data, ok := l.next()
		if !ok {
			l.t.Fatalf("the stream ended without %q; last: %s", text, last)
		}
		if last = name + "\n" + data; strings.Contains(last, text) {
			return
		}
	}
}

// shows reads on to a fragment with all of the texts. No event before it may ask to load the page again.
func (l *listener) shows(texts ...string) {
	l.t.Helper()
	for {
		name, data, ok := l.next()
		if !ok || name == "reload" {
			l.t.Fatalf("%q came before a fragment with %q", name, texts)
		}
		if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(data, text) }) {
			return
		}
	}
}

// The stream of a page sends the news of its payment, and of no other.
func TestPaymentStream(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	s.user("eve@example.org")
	path := b.pay(transfer(account))
	id := strings.TrimPrefix(path, "/payments/")
	b.pay(transfer(account, "name", "De Winkel", "number", "NL91ABNA0417164300", "amount", "8"))
	b.get(path).has("/events?view=payment&amp;payment="+id, `http-equiv="refresh" content="3"`)
	s.signedIn("eve@example.org").get("/events?view=payment&payment=" + id).status(http.StatusNotFound)

	b.get(path).lacks("Receipt", "Pay again", "Save the payee") // nothing is approved yet
	b.get(path + "/receipt").status(http.StatusNotFound).has("that you have approved")
	stream := b.listen("/events?view=payment&payment=" + id)
	stream.until("Waiting for your approval")
	b.get(s.returns(1)).to(path)
	stream.until("Your bank is checking it")
	s.service.becomes(1, "ACSP", false, "")
	b.check(path)
	stream.until("Being carried out (when Florin checked)") // the history is updated, too
	list, home := b.listen("/events?view=payments"), b.listen("/events?view=dashboard&lacks=1")
	list.until("Being carried out")
	s.service.becomes(1, "ACSC", true, "")
	b.check(path)
	stream.until("reload\n")
	for { // the list gets only the row that changed
		_, data, ok := list.next()
		if !ok {
			t.Fatal("the stream ended")
		}
		if strings.Contains(data, "Sent from your account") {
			if strings.Contains(data, "De Winkel") || strings.Contains(data, `id="payments"`) || !strings.Contains(data, `<li id="row-`+id+`"`) {
				t.Errorf("the stream says %s", data)
			}
			break
		}
	}
	home.until(`id="open-payments"`)
}

// notRenewed fails when looking at the page has renewed the way back of a payment.
func notRenewed(s *site, userID, path string) error {
	db, err := sqlite.Open(s.t.Context(), s.path)
	if err != nil {
		return err
	}
	defer db.Close()
	var until string
	err = db.Read().QueryRowContext(s.t.Context(), `SELECT state_expires FROM payment WHERE user_id = $1 AND id = $2`, userID,
		strings.TrimPrefix(path, "/payments/")).Scan(&until)
	if err == nil && !strings.HasPrefix(until, "2020-01-01") {
		err = fmt.Errorf("looking renews the way back until %s", until)
	}
	return err
}
