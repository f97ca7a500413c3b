package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/config"
	"florin/internal/contract/walk"
	"florin/internal/finance"
	"florin/internal/live"
	"florin/internal/openbanking"
	"florin/internal/payments"
	"florin/internal/store"
	"florin/internal/webhook"
)

// payer makes payments through the database of a running Florin and its service, as the pages do. It never asks the service for the status of a payment.
type payer struct {
	t     testing.TB
	f     *florin
	store *store.Store
	pay   *payments.Payments
	user  finance.User
}

// newPayer sets up the owner as a payer, with accounts at the banks of the orders of the tests.
func newPayer(t testing.TB, f *florin) *payer {
	t.Helper()
	owner := newPerson(t)
	owner.setUp(f)
	owner.linkPaying(f)
	return payerOf(t, f, ownerEmail)
}

// linkPaying links the banks of the orders of sepa and mockOrder.
func (p *person) linkPaying(f *florin) {
	p.t.Helper()
	p.link(f, exampleBank, exampleCountryCode, exampleCustomer)
	mock := mockOrder(0).ASPSP
	p.link(f, mock.Name, mock.Country, walk.Person{})
}

// payerOf returns a payer for a person who can sign in.
func payerOf(t testing.TB, f *florin, email string) *payer {
	t.Helper()
	ctx := context.Background()
	key, err := store.LoadKey(filepath.Join(f.folder, "secrets"))
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(ctx, filepath.Join(f.folder, "app.db"), key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	web, service := must(url.Parse(f.web)), must(url.Parse(f.service))
	settings := config.Settings{Service: true, Listen: "127.0.0.1:" + web.Port(), PublicURL: web, ServiceListen: service.Host, ServiceURL: service}
	clients := newClients(settings)
	user, _, err := db.UserByEmail(ctx, email)
	if err != nil {
		t.Fatal(err)
	}
	return &payer{t: t, f: f, store: db, user: user, pay: payments.New(payments.Options{
		Store: db, Hub: live.NewHub(), WebhookURL: newWebhooks(settings, db).url, Log: slog.New(slog.DiscardHandler),
		Connect: func(_ context.Context, p finance.Provider) (payments.API, error) { return clients.of(p) },
	})}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// confirm saves an order and confirms it, and returns the payment, which waits at the bank.
func (p *payer) confirm(o finance.PaymentOrder) finance.Payment {
	p.t.Helper()
	ctx := context.Background()
	draft, err := p.pay.Save(ctx, p.user.ID, finance.NewID(), o, "")
	if err != nil {
		p.t.Fatal(err)
	}
	review, err := p.pay.Review(ctx, p.user.ID, draft.ID)
	if err != nil {
		p.t.Fatal(err)
	}
	word := payments.Confirmation{ID: draft.ID, ReviewHash: review.Hash, Browser: "browser"}
	for _, w := range review.Warnings {
		word.Agreed = append(word.Agreed, w.Key())
	}
	payment, err := p.pay.Confirm(ctx, p.user.ID, word)
	for more := (*payments.Unagreed)(nil); errors.As(err, &more); { // another payment was made meanwhile
		for _, w := range more.Warnings {
			word.Agreed = append(word.Agreed, w.Key())
		}
		payment, err = p.pay.Confirm(ctx, p.user.ID, word)
	}
	if err != nil || payment.Phase != finance.PhaseCreated {
		p.t.Fatalf("the payment is %s: %v (%+v)", payment.Phase, err, payment.Failure)
	}
	return payment
}

// leaves creates every kind of payment data: a draft, a payment that waits for the approval, a payee, and two webhooks, one of which was refused.
func (p *payer) leaves() {
	p.t.Helper()
	ctx := context.Background()
	order := sepa("7.00")
	if _, err := p.pay.Save(ctx, p.user.ID, finance.NewID(), order, ""); err != nil {
		p.t.Fatal(err)
	}
	waiting := p.confirm(order)
	if _, err := p.store.KeepDelivery(ctx, finance.Delivery{ProviderID: finance.EmbeddedProvider, PaymentID: waiting.PaymentID, WebhookID: finance.NewID(),
		Status: waiting.Progress.Status, Expected: true,
		Triggered: time.Now(), Body: "{}", Size: 2, BodyHash: "h", Answer: http.StatusOK,
		Checks: []finance.DeliveryCheck{{Name: "request", Passed: true}}}); err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.store.SavePayee(ctx, finance.Payee{UserID: p.user.ID, Name: "Verein Lindenhof",
		Beneficiary: order.Request.CreditTransferTransaction[0].Beneficiary}); err != nil {
		p.t.Fatal(err)
	}
	if err := p.store.KeepRefused(ctx, finance.Delivery{ProviderID: finance.EmbeddedProvider, BodyHash: "h", Answer: http.StatusUnauthorized,
		Checks: []finance.DeliveryCheck{{Name: "token", Finding: finance.DeliveryFinding{Code: finance.FindingNoBearer}}}}); err != nil {
		p.t.Fatal(err)
	}
}

// settled waits until the running Florin has the final status of a payment and has applied all its webhooks.
func (p *payer) settled(id string) (finance.Payment, []finance.PaymentEvent, []finance.Delivery) {
	p.t.Helper()
	ctx := context.Background()
	end := time.Now().Add(time.Minute)
	for {
		payment := must(p.store.Payment(ctx, p.user.ID, id))
		deliveries, _, err := p.store.Deliveries(ctx, false, "", 100)
		if err != nil {
			p.t.Fatal(err)
		}
		waiting := slices.ContainsFunc(deliveries, func(d finance.Delivery) bool { return d.Verified && d.Applied.IsZero() })
		last := slices.ContainsFunc(deliveries, func(d finance.Delivery) bool { return d.Verified && d.LocalID == id && !d.Expected })
		if payment.Progress.Final && last && !waiting {
			return payment, must(p.store.PaymentEvents(ctx, p.user.ID, id)), deliveries
		}
		if time.Now().After(end) {
			p.t.Fatalf("payment %s (final %t), deliveries %+v\n%s", payment.Progress.Status, payment.Progress.Final, deliveries, p.f.err.tail())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// sepa is a SEPA transfer at exampleBank.
func sepa(amount string) finance.PaymentOrder {
	name := "Verein Lindenhof"
	return finance.PaymentOrder{
		ProviderID: finance.EmbeddedProvider, ASPSP: openbanking.ASPSP{Name: exampleBank, Country: exampleCountryCode}, PSUType: openbanking.PSUTypePersonal,
		Type:       openbanking.PaymentTypeSEPA,
		Successful: []openbanking.PaymentStatus{openbanking.PaymentStatusACSC},
		Request: openbanking.PaymentRequestResource{CreditTransferTransaction: []openbanking.CreditTransferTransaction{{
			InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: amount},
			Beneficiary: openbanking.Beneficiary{Creditor: &openbanking.PartyIdentification{Name: &name},
				CreditorAccount: openbanking.GenericIdentification{Identification: "DE89370400440532013000", SchemeName: openbanking.SchemeNameIBAN}},
			RemittanceInformation: []string{"Membership"},
		}}},
	}
}

// A payment is drafted, confirmed and approved on the hosted pages, and the webhooks of the service report the rest to Florin. The person does not return from
// the bank, and only webhooks report how the approval ended, because GET /payments/{payment_id} does not (spec: Events).
func TestWebhooksOfTheServiceAreApplied(t *testing.T) {
	t.Parallel()
	f := begin(t, "--sandbox-pace", "20ms")
	p := newPayer(t, f)
	payment := p.confirm(sepa("12.50"))
	if _, err := walk.New(nil).Pay(context.Background(), payment.Approval.URL, exampleCustomer); err != nil {
		t.Fatal(err)
	}
	payment, events, deliveries := p.settled(payment.ID)
	if payment.Progress.Status != openbanking.PaymentStatusACSC || payment.Approval.Status != openbanking.PaymentAuthStatusFinalised ||
		payment.Approval.Source != finance.NewsWebhook || !payment.Approval.Returned.IsZero() {
		t.Errorf("status %s, auth %s by %s, returned %s", payment.Progress.Status, payment.Approval.Status, payment.Approval.Source, payment.Approval.Returned)
	}
	if !slices.ContainsFunc(events, func(e finance.PaymentEvent) bool { return e.Source == finance.NewsWebhook && e.DeliveryID != "" }) {
		t.Errorf("no line of the history is caused by a webhook: %+v", events)
	}
	for _, d := range deliveries {
		if !d.Verified || d.Answer != http.StatusOK || d.LocalID != payment.ID || d.Result.Kind == "" || d.Failed() != (finance.DeliveryCheck{}) {
			t.Errorf("delivery %+v", d)
		}
	}
}

// The embedded service sends to the app's own listener when it is on loopback. Another service gets an address that it can reach, or none.
func TestWebhookURL(t *testing.T) {
	for _, test := range []struct {
		listen, public, provider, base string
		service                        bool
		want                           string
	}{
		{"127.0.0.1:8080", "http://localhost:8080", "embedded", "", true, "http://127.0.0.1:8080/webhooks/embedded"},
		{"[::1]:8080", "http://localhost:8080", "embedded", "", true, "http://[::1]:8080/webhooks/embedded"},
		{"127.0.0.1:8080", "https://money.example", "embedded", "", true, "http://127.0.0.1:8080/webhooks/embedded"},
		{":8080", "https://money.example", "embedded", "", true, "http://localhost:8080/webhooks/embedded"},
		{"0.0.0.0:8080", "https://money.example", "embedded", "", true, "http://localhost:8080/webhooks/embedded"},
		{"192.168.1.5:8080", "https://money.example", "embedded", "", true, "https://money.example/webhooks/embedded"},
		{"127.0.0.1:8080", "https://money.example", "embedded", "", false, ""},
		{"127.0.0.1:8080", "https://money.example", "enablebanking", "https://api.enablebanking.com", true, "https://money.example/webhooks/enablebanking"},
		{"127.0.0.1:8080", "http://localhost:8080", "enablebanking", "https://api.enablebanking.com", true, ""},
		{"127.0.0.1:8080", "https://money.example", "enablebanking", "http://api.enablebanking.com", true, ""},
		{"127.0.0.1:8080", "https://money.example", "other", "https://api.notenablebanking.com", true, ""},
		{"127.0.0.1:8080", "https://money.example", "other", "http://localhost:9000", true, ""},
	} {
		w := newWebhooks(config.Settings{Listen: test.listen, PublicURL: must(url.Parse(test.public)), Service: test.service}, nil)
		if got := w.url(finance.Provider{ID: test.provider, BaseURL: test.base}); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}

// A forged webhook is refused over HTTP, and listed in the inbox. An address without a sender is not found. The checks that guard pages do not apply to
// webhooks, except the check for foreign hosts.
func TestForgedWebhookOverHTTP(t *testing.T) {
	t.Parallel()
	f := begin(t)
	p := newPayer(t, f)
	for _, test := range []struct {
		name, path, method string
		change             func(r *http.Request)
		status             int
	}{
		{"without a token", "/webhooks/embedded", "POST", func(*http.Request) {}, http.StatusUnauthorized},
		{"from a page of another site", "/webhooks/embedded", "POST", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
			http.StatusUnauthorized},
		{"of an unknown provider", "/webhooks/other", "POST", func(*http.Request) {}, http.StatusNotFound},
		{"under a foreign name", "/webhooks/embedded", "POST", func(r *http.Request) { r.Host = "evil.example" }, http.StatusMisdirectedRequest},
		{"read", "/webhooks/embedded", "GET", func(*http.Request) {}, http.StatusMethodNotAllowed},
		{"too large", "/webhooks/embedded", "POST", func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader(strings.Repeat("x", 70_000)))
			r.ContentLength = -1
		}, http.StatusUnauthorized}, // Florin does not read that much from a stranger
		{"a path below", "/webhooks/embedded/more", "POST", func(*http.Request) {}, http.StatusNotFound},
	} {
		r := must(http.NewRequestWithContext(context.Background(), test.method, f.web+test.path, strings.NewReader(`{"payment_id": "x"}`)))
		r.Header.Set("Content-Type", "application/json")
		test.change(r)
		response := must(http.DefaultClient.Do(r))
		_ = response.Body.Close()
		if response.StatusCode != test.status {
			t.Errorf("%s: status %d, want %d", test.name, response.StatusCode, test.status)
		}
	}
	kept, _, err := p.store.Deliveries(context.Background(), true, "", 100)
	counted := map[string]int{}
	for _, d := range kept {
		counted[d.Failed().Name] = 1 + d.Repeats
	}
	if want := map[string]int{webhook.CheckToken: 3, webhook.CheckRequest: 1}; err != nil || len(kept) != 2 || !maps.Equal(counted, want) {
		t.Errorf("refused webhooks in the inbox: %v, want %v (%v)", counted, want, err)
	}
}
