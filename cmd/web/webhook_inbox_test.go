package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"florin/internal/apptoken"
	"florin/internal/contract/walk"
	"florin/internal/finance"
	"florin/internal/testkit"
)

// The owner sees each webhook in the inbox, with its checks and its effects, and replays one. A forged one is listed with the reason, and changed nothing.
func TestJourneyWebhookInbox(t *testing.T) {
	t.Parallel()
	testkit.Long(t, testkit.Browser)
	f := begin(t, "--sandbox-pace", "100ms") // its log has a warning about the forged webhook
	p := newPayer(t, f)
	payment := p.confirm(sepa("12.50"))
	if _, err := walk.New(nil).Pay(t.Context(), payment.Approval.URL, exampleCustomer); err != nil {
		t.Fatal(err)
	}
	p.settled(payment.ID)
	p.forge(payment)

	for name, l := range scripts {
		t.Run(name, func(t *testing.T) {
			w := browse(t, l)
			w.signIn(f, ownerEmail, ownerPassword)
			w.visit(f.web + "/settings")
			w.click("Received webhooks")
			w.see("Addresses for webhooks", "/webhooks/embedded", "Status ACSC", "Verein Lindenhof", "Processed", "Refused: the signature does not fit")
			w.keepsWidth()
			w.clickOn(onPath(`//a[starts-with(normalize-space(.), "Status ACSC")]`))
			w.see("Checks", "The certificate or key is at an address of the banking service", "The token is for this body", "Payment to Verein Lindenhof", "200")
			w.keepsWidth()
			w.click("Replay")
			w.see("Florin is asking the banking service about the payment again.", "Replayed ", "Nothing: the payment was already final with ACSC.")
			w.keepsWidth()
			w.visit(f.web + "/settings/webhooks?refused=yes")
			w.clickOn(onPath(`//a[@class="row-title" and starts-with(normalize-space(.), "Refused")]`))
			w.see("Nothing. Florin ignores a webhook that fails a check.", "12 more checks were skipped", "Body as received")
			w.keepsWidth()
			w.click("Payments")
			w.see("Sent from your account")
		})
	}
}

// forge sends a webhook that reports a payment as rejected. It is signed with a stranger's key, and names the address of the service's own certificate.
func (p *payer) forge(payment finance.Payment) {
	p.t.Helper()
	deliveries, _, err := p.store.Deliveries(p.t.Context(), false, "", 1)
	if err != nil || len(deliveries) == 0 {
		p.t.Fatalf("no webhook to learn from: %v", err)
	}
	x5u := deliveries[0].Checks[slices.IndexFunc(deliveries[0].Checks, func(c finance.DeliveryCheck) bool { return c.Name == "address" })].Finding.Of
	body := fmt.Sprintf(`{"payment_id": %q, "payment_status": "RJCT", "payment_updates_expected": false, "webhook_id": "e2b1f3ae-0f8a-4f0c-9f3c-0d6f3f1c2a11", "webhook_triggered": %q}`,
		payment.PaymentID, time.Now().UTC().Format(time.RFC3339Nano))
	digest := sha256.Sum256([]byte(body))
	token := jwt.NewWithClaims(jwt.SigningMethodRS256,
		jwt.MapClaims{"sub": must(p.store.Provider(p.t.Context(), finance.EmbeddedProvider)).ApplicationID, "environment": "SANDBOX",
			"msgi": "sha256-" + base64.StdEncoding.EncodeToString(digest[:])})
	token.Header["x5u"] = x5u
	request := must(http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.f.web+"/webhooks/embedded", strings.NewReader(body)))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+must(token.SignedString(must(apptoken.NewKey()))))
	response := must(http.DefaultClient.Do(request))
	_ = response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized {
		p.t.Errorf("a forged webhook was answered with %d", response.StatusCode)
	}
}
