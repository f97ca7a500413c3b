package handlers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
)

// sendPayment makes a payment of the user that the service knows under this payment_id.
func (s *site) sendPayment(user finance.User, paymentID string) finance.Payment {
	s.t.Helper()
	return s.sendPaymentBy("embedded", user, paymentID)
}

func (s *site) sendPaymentBy(provider string, user finance.User, paymentID string) finance.Payment {
	s.t.Helper()
	return s.sendPaymentTo(provider, user, paymentID, "https://bank.example")
}

// Only the owner sees the inbox: what came, each check, what it changed, and replay. It does not show the owner the payment of somebody else.
func TestWebhookInbox(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mira := s.user("mira@example.org") // the owner
	bo := s.user("bo@example.org")
	b, member := s.signedIn("mira@example.org"), s.signedIn("bo@example.org")
	own, foreign := s.sendPayment(mira, "p-own"), s.sendPayment(bo, "p-foreign")
	for i, paymentID := range []string{"p-own", "p-foreign"} {
		_, err := s.store.KeepDelivery(t.Context(),
			finance.Delivery{ProviderID: "embedded", WebhookID: "w-" + paymentID, PaymentID: paymentID, Status: "ACSC", Auth: "FINALISED",
				Body: `{"payment_id":"` + paymentID + `"}`,
				Size: 22, BodyHash: "h" + paymentID, Answer: 200, Triggered: time.Now().Add(-time.Duration(i) * time.Second),
				Checks: []finance.DeliveryCheck{{Name: "request", Passed: true, Said: "a POST of JSON"}, {Name: "once", Passed: true}}})
		must(t, err)
	}
	must(t, s.store.KeepRefused(t.Context(), finance.Delivery{ProviderID: "embedded", Body: "<script>alert(1)</script>\u202e", Size: 70_000, BodyHash: "h",
		Answer: 401,
		Checks: []finance.DeliveryCheck{{Name: "request", Passed: true}, {Name: "signature", Finding: finance.DeliveryFinding{Code: finance.FindingSignature}}}}))

	b.get("/settings").has("/settings/webhooks")
	member.get("/settings").lacks("/settings/webhooks")
	b.get("/settings/webhooks").status(http.StatusOK).has("Status ACSC, approval FINALISED", "Waiting", "Refused: the signature does not fit",
		"Simulated banks", "Verein Lindenhof", "payment of somebody else").lacks("p-own", "p-foreign")
	b.get("/settings/webhooks?refused=yes").status(http.StatusOK).has("the signature does not fit").lacks("p-own")
	b.languages = "de"
	b.get("/settings/webhooks?refused=yes").status(http.StatusOK).has("Abgelehnt: Die Signatur passt nicht").lacks("does not fit")
	b.languages = ""

	all, _, err := s.store.Deliveries(t.Context(), false, "", 10)
	must(t, err)
	for _, d := range all {
		page := "/settings/webhooks/" + d.ID
		for _, r := range []struct{ method, path string }{{"GET", "/settings/webhooks"}, {"GET", page}, {"POST", page + "/replay"}, {"POST", page + "/trust"}} {
			member.ask(r.method, r.path, 0).status(http.StatusNotFound).lacks("p-own", "p-foreign")
		}
		a := b.get(page).status(http.StatusOK).has("It is a POST with plain JSON", "Checks")
		switch {
		case !d.Verified:
			a.has("Nothing. Florin ignores a webhook that fails a check.", "The signature was made with it", "17 more checks were skipped", "&lt;script&gt;",
				`\u202e`, "of 70,000 bytes").lacks("<script>alert", ">Replay<")
			b.post(page+"/replay", nil).status(http.StatusNotFound)
		case d.LocalID == own.ID:
			a.has("/payments/"+own.ID, "Payment to Verein Lindenhof", ">Replay<")
			b.post(page+"/replay", nil).to(page)
			b.get(page).has("asking the banking service about the payment again")
		case d.LocalID == foreign.ID:
			a.has("somebody else in this household").lacks(foreign.ID, "Verein Lindenhof")
		default:
			t.Errorf("an unknown delivery %+v", d)
		}
	}
	b.get("/settings/webhooks/none").status(http.StatusNotFound)
	b.get("/settings/webhooks?before=none").status(http.StatusOK).has("No webhooks yet")
}

// A long inbox has pages.
func TestWebhookInboxHasPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("mira@example.org")
	b := s.signedIn("mira@example.org")
	for i := range 60 {
		must(t, s.store.KeepRefused(t.Context(), finance.Delivery{ProviderID: "embedded", Body: "x", Size: 1, BodyHash: "h", Answer: 400,
			Checks: []finance.DeliveryCheck{{Name: "body", Said: "number " + string(rune('a'+i%26))}}}))
	}
	first := b.get("/settings/webhooks").status(http.StatusOK)
	if n := strings.Count(first.body, "row-title"); n != 50 {
		t.Errorf("%d rows on the first page, want 50", n)
	}
	i := strings.Index(first.body, "/settings/webhooks?before=")
	if i < 0 {
		t.Fatal("no link to older webhooks")
	}
	older := first.body[i:]
	second := b.get(older[:strings.IndexByte(older, '"')]).status(http.StatusOK).has("Newer")
	if n := strings.Count(second.body, "row-title"); n != 10 {
		t.Errorf("%d rows on the second page, want 10", n)
	}
}

// A replay adds to the changes of a webhook and removes none. Times have seconds, because webhooks of one payment come within a minute.
func TestReplaysAreListedBelowTheFirstResult(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := t.Context()
	payment := s.sendPayment(s.user("mira@example.org"), "p-own")
	b := s.signedIn("mira@example.org")
	_, err := s.store.KeepDelivery(ctx, finance.Delivery{ProviderID: "embedded", WebhookID: "w", PaymentID: "p-own", Status: "ACSC", Body: "{}", Size: 2,
		BodyHash: "h", Answer: 200, Triggered: time.Now(),
		Checks: []finance.DeliveryCheck{{Name: "request", Passed: true}}})
	must(t, err)
	claim, ok, err := s.store.ClaimPaymentOf(ctx, payment.UserID, payment.ID, time.Minute)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	_, _, err = s.store.ApplyNews(ctx, claim, finance.PaymentNews{Source: finance.NewsWebhook, Status: "ACSC", Final: true},
		func(finance.Payment) time.Time { return time.Now() })
	must(t, err)
	all, _, err := s.store.Deliveries(ctx, false, "", 1)
	must(t, err)
	page := "/settings/webhooks/" + all[0].ID
	const first = "The status changed from PDNG to ACSC. This status is final."
	b.get(page).has("<p>"+first+"</p>").lacks("Nothing: the payment was already final with ACSC.", "Replayed ")
	b.post(page+"/replay", nil).to(page)
	a := b.get(page).has("<p>"+first+"</p>", "Replayed ", "Nothing: the payment was already final with ACSC.")
	came := all[0].Received.In(time.UTC).Format("15:04:05")
	a.has("at " + came)
	b.get("/settings/webhooks").has(came + "</time>")
}
