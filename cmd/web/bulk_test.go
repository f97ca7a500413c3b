package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/golang-jwt/jwt/v5"

	"florin/internal/apptoken"
	"florin/internal/contract/walk"
	"florin/internal/finance"
)

const (
	scenarioPayments = "Scenario Payments"
	partlyRejected   = "bulk-partly-rejected" // a user there: every second payment is rejected
)

const bulkFile = `name;iban;amount;text
Zimmerei Holz;DE89 3704 0044 0532 0130 00;100,00;Roof
Chaussures Martin;FR14 2004 1010 0505 0001 3M02 606;20.50;Boots
Pension Seeblick;AT61 1904 3002 3457 3201;9,99;Breakfast
`

// linkBusiness links the business account of a user of Scenario Payments, without a browser.
func linkBusiness(t testing.TB, f *florin, user string) {
	t.Helper()
	p := newPerson(t)
	p.signIn(f, ownerEmail, ownerPassword)
	p.visit(f.web + "/link?" + url.Values{"q": {scenarioPayments}, "country": {"IE"}}.Encode())
	p.visit(p.leaving(f.web + "/link/bank"))
	p.approve(f, url.Values{"psu_type": {"business"}}, walk.Person{Username: user, Password: "scenario"})
}

// Many payments at once: a file with a mistake is mended on the page, there is one approval, each payment has its own status, and those that failed go out again
// as new payments.
func TestJourneyBulk(t *testing.T) {
	for name, l := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := spawn(t, "--sandbox-pace", "1s")
			w := browse(t, l)
			w.setUp(f)
			linkBusiness(t, f, partlyRejected)

			w.visit(f.web + "/payments")
			w.click("Many at once")
			w.see("A file: CSV, or pain.001", "Simulated: no money moves", "at most 100 payments at once")
			if l.noScript {
				w.paste("Or paste it here", strings.Replace(bulkFile, "3M02 606", "3M02 60", 1))
			} else {
				file := filepath.Join(t.TempDir(), "payments.csv")
				if err := os.WriteFile(file, []byte(strings.Replace(bulkFile, "3M02 606", "3M02 60", 1)), 0o600); err != nil {
					t.Fatal(err)
				}
				w.do(chromedp.SetUploadFiles(w.field("A file: CSV, or pain.001 as bookkeeping programs write it"), []string{file}))
			}
			w.click("Check and go on")
			w.see("Not yet ready to be paid", "1 of 3 payments has to be mended", "A French IBAN has 27 characters; this one has 26", "Line 3", "3 payments", "130.49 EUR")
			w.keepsWidth()
			w.paste("Or paste it here", bulkFile)
			w.click("Check and go on")
			w.see("What happens next", "130.49 EUR", "Zimmerei Holz", "Chaussures Martin", "Pension Seeblick", "Simulated: no money moves")
			w.agreeToAll()
			w.fill("Your password for Florin", ownerPassword)
			w.do(chromedp.Click(chromedp.CSS("main button.btn-main"), chromedp.NodeVisible))
			w.see("You are leaving for " + scenarioPayments)
			w.orderAs(partlyRejected)
			w.see("3 payments")
			w.see("Some payments accepted") // PART, while others go on
			w.see("Sent: taken from your account", "Rejected by your bank", "1 of 3 came to nothing", "Try again those that failed")

			w.click("Try again those that failed")
			w.see("that came to nothing, as a new payment", "Chaussures Martin")
			w.seeNot("Zimmerei Holz")
			w.click("Check and go on")
			w.see("What happens next", "20.50 EUR")
		})
	}
}

// paste puts a text into a field of many lines, in place of what is there.
func (w *window) paste(label, text string) {
	w.t.Helper()
	id := w.field(label)
	w.do(chromedp.Focus(id))
	w.evaluate("String(document.activeElement.select())")
	w.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, input.InsertText, input.InsertTextParams{Text: text})
		return err
	}))
}

// agreeToAll ticks every box of the review.
func (w *window) agreeToAll() {
	w.t.Helper()
	n := w.evaluate(`String(document.querySelectorAll("input[name=agree]").length)`)
	for i := range n[0] - '0' {
		w.do(chromedp.Click(chromedp.JSPath(fmt.Sprintf(`document.querySelectorAll("input[name=agree]")[%d]`, i))))
	}
}

// orderAs approves an order at a scenario bank, from the leaving page on.
func (w *window) orderAs(user string) {
	w.t.Helper()
	w.click("Go to " + scenarioPayments)
	w.see("Do you want to make this payment?")
	w.click("Accept and go to " + scenarioPayments)
	w.fill("User", user)
	w.fill("Password", "scenario")
	w.click("Sign in")
	w.see("Check your payment")
	w.approveOrder()
}

// The owner finds each webhook in the inbox, with its checks and what it changed, and replays one; a forged one is there with the reason, and changed nothing.
func TestJourneyWebhookInbox(t *testing.T) {
	t.Parallel()
	f := begin(t, "--sandbox-pace", "100ms") // its log has a warning of what was forged
	p := newPayer(t, f)
	payment := p.confirm(sepa("12.50"))
	if _, err := walk.New(nil).Pay(t.Context(), payment.URL, exampleCustomer); err != nil {
		t.Fatal(err)
	}
	p.settled(payment.ID)
	p.forge(payment)

	w := browse(t, desktop)
	w.signIn(f, ownerEmail, ownerPassword)
	w.visit(f.web + "/settings")
	w.click("Webhooks that came")
	w.see("Where they come to", "/webhooks/embedded", "Status ACSC", "Applied", "Refused: the signature does not fit")
	w.keepsWidth()
	w.follow(chromedp.Click(chromedp.Search(`//a[starts-with(normalize-space(.), "Status ACSC")]`)))
	w.see("Checks, in their order", "Its certificate is at an address of the service", "The token is for this body and no other", "Payment to Verein Lindenhof", "200")
	w.keepsWidth()
	w.click("Replay")
	w.see("The webhook is applied once more")
	w.visit(f.web + "/settings/webhooks?refused=yes")
	w.follow(chromedp.Click(chromedp.Search(`//a[@class="row-title" and starts-with(normalize-space(.), "Refused")]`)))
	w.see("Nothing. A webhook that fails a check is never believed.", "The remaining 10 were not made", "Body as it came")
	w.keepsWidth()
	w.click("Payments")
	w.see("Sent: taken from your account")
}

// forge sends a webhook that says that a payment was rejected, signed by a stranger, with the address of the service's own certificate.
func (p *payer) forge(payment finance.Payment) {
	p.t.Helper()
	deliveries, _, err := p.store.Deliveries(p.t.Context(), false, "", 1)
	if err != nil || len(deliveries) == 0 {
		p.t.Fatalf("no webhook to learn from: %v", err)
	}
	x5u := deliveries[0].Checks[slices.IndexFunc(deliveries[0].Checks, func(c finance.DeliveryCheck) bool { return c.Name == "address" })].Detail
	body := fmt.Sprintf(`{"payment_id": %q, "payment_status": "RJCT", "payment_updates_expected": false, "webhook_id": "e2b1f3ae-0f8a-4f0c-9f3c-0d6f3f1c2a11", "webhook_triggered": %q}`,
		payment.PaymentID, time.Now().UTC().Format(time.RFC3339Nano))
	digest := sha256.Sum256([]byte(body))
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.MapClaims{"sub": must(p.store.Provider(p.t.Context(), finance.EmbeddedProvider)).ApplicationID, "environment": "SANDBOX",
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
