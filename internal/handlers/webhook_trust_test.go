package handlers_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"florin/internal/apptoken"
	"florin/internal/finance"
	"florin/internal/handlers"
	"florin/internal/openbanking"
	"florin/internal/webhook"
)

// remote is a service elsewhere that sends webhooks. No authority vouches for its certificates.
type remote struct {
	server *httptest.Server
	keys   map[string]*rsa.PrivateKey // by the path of their certificate
}

const (
	remoteID      = "remote"
	remoteApp     = "0a5f6f2e-7c1d-4b57-8a55-6a4b3f0c1d22"
	remotePayment = "7c1bc2c5-58b6-4d0e-9a07-0f3f6f1ef001"
)

func newRemote(t *testing.T, certificates ...string) *remote {
	t.Helper()
	r := &remote{keys: map[string]*rsa.PrivateKey{}}
	mux := http.NewServeMux()
	for _, path := range certificates {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		must(t, err)
		text, err := apptoken.SelfSigned(key, "webhooks", time.Now(), 365*24*time.Hour)
		must(t, err)
		r.keys[path] = key
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(text) })
	}
	r.server = httptest.NewTLSServer(mux)
	t.Cleanup(r.server.Close)
	return r
}

// receives makes a site receive its webhooks.
func (r *remote) receives(o *handlers.Options) {
	roots := x509.NewCertPool()
	roots.AddCert(r.server.Certificate())
	host := r.server.Listener.Addr().String()
	sender := webhook.Sender{ApplicationID: remoteApp, Environment: openbanking.EnvironmentSandbox, Keys: webhook.KeyHost{Exact: host},
		Client: webhook.NewPinnedClient(host, roots)}
	o.Webhooks = webhook.New(o.Payments.Inbox(), func(_ context.Context, id string) (webhook.Sender, error) {
		if id != remoteID {
			return webhook.Sender{}, webhook.ErrNoSender
		}
		return sender, nil
	}, func() {}, slog.New(slog.DiscardHandler))
}

// tell sends a webhook, signed with the key of a certificate, and returns the status of the answer.
func (r *remote) tell(s *site, certificate string, key *rsa.PrivateKey) int {
	s.t.Helper()
	body := fmt.Sprintf(`{"payment_id": %q, "payment_status": "ACSC", "payment_updates_expected": false, "webhook_id": %q, "webhook_triggered": %q}`,
		remotePayment, finance.NewID(), time.Now().UTC().Format(time.RFC3339Nano))
	digest := sha256.Sum256([]byte(body))
	token := jwt.NewWithClaims(jwt.SigningMethodRS256,
		jwt.MapClaims{"sub": remoteApp, "environment": "SANDBOX", "msgi": "sha256-" + base64.StdEncoding.EncodeToString(digest[:])})
	token.Header["x5u"] = r.server.URL + certificate
	signed, err := token.SignedString(key)
	must(s.t, err)
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+"/webhooks/"+remoteID, strings.NewReader(body))
	must(s.t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+signed)
	response, err := http.DefaultClient.Do(request)
	must(s.t, err)
	_ = response.Body.Close()
	return response.StatusCode
}

// When no authority vouches for the certificates of a service, only the known certificate is accepted. Only the owner can accept the certificate of a delivery.
// From then on deliveries with it are accepted and all others refused, even one that came in between.
func TestOwnerAcceptsTheCertificateOfADelivery(t *testing.T) {
	t.Parallel()
	const old, announced, strange = "/old.pem", "/announced.pem", "/strange.pem"
	r := newRemote(t, old, announced, strange)
	s := newSite(t, r.receives)
	owner := s.user("mira@example.org")
	s.user("bo@example.org")
	must(t, s.store.SaveProvider(t.Context(), finance.Provider{ID: remoteID, Name: "Elsewhere", BaseURL: "https://api.elsewhere.example",
		ApplicationID: remoteApp, Environment: openbanking.EnvironmentSandbox, PrivateKey: "k"}))
	s.sendPaymentBy(remoteID, owner, remotePayment)
	s.sendPayment(owner, "p-embedded")
	_, err := s.store.KeepDelivery(t.Context(), finance.Delivery{ProviderID: "embedded", WebhookID: "w", PaymentID: "p-embedded", Status: "ACSC",
		BodyHash: "h", Answer: http.StatusOK, Triggered: time.Now(),
		// a delivery of another service, which stays unchanged
		KeyFingerprint: "first", KeyEnds: time.Now().AddDate(1, 0, 0), Pin: true, Checks: []finance.DeliveryCheck{{Name: "request", Passed: true}}})
	must(t, err)
	tell := func(certificate string, want int) {
		t.Helper()
		if status := r.tell(s, certificate, r.keys[certificate]); status != want {
			t.Fatalf("a webhook with %s is answered with %d, want %d", certificate, status, want)
		}
	}
	newest := func() finance.Delivery {
		t.Helper()
		all, _, err := s.store.Deliveries(t.Context(), false, "", 1)
		must(t, err)
		return all[0]
	}
	b, member, stranger := s.signedIn("mira@example.org").proves(), s.signedIn("bo@example.org"), s.browser()

	tell(old, http.StatusOK)
	accepted := "/settings/webhooks/" + newest().ID
	tell(announced, http.StatusUnauthorized)
	d := newest()
	refused := "/settings/webhooks/" + d.ID
	if status := r.tell(s, old, r.keys[announced]); status != http.StatusUnauthorized {
		t.Fatalf("a bad signature is answered with %d", status)
	}
	forged := "/settings/webhooks/" + newest().ID

	// The button is offered only where it helps, and only to the owner.
	const offer = "Accept this key"
	b.get(refused).status(http.StatusOK).has(offer, "another key than the known one, which is still valid", "only if the banking service has announced it",
		d.KeyFingerprint)
	b.get(accepted).status(http.StatusOK).lacks(offer)
	b.get(forged).status(http.StatusOK).has("Refused").lacks(offer)
	member.get(refused).status(http.StatusNotFound)
	member.post(refused+"/trust", nil).status(http.StatusNotFound)
	stranger.post(refused+"/trust", nil).status(http.StatusSeeOther)
	b.get(refused + "/trust").status(http.StatusMethodNotAllowed)
	b.post("/settings/webhooks/none/trust", nil).status(http.StatusNotFound)
	b.post(forged+"/trust", nil).status(http.StatusNotFound)
	b.post(accepted+"/trust", nil).status(http.StatusNotFound)
	foreign := b.request(http.MethodPost, refused+"/trust", strings.NewReader(url.Values{}.Encode()))
	foreign.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	foreign.Header.Set("Sec-Fetch-Site", "cross-site")
	b.do(foreign).status(http.StatusForbidden)
	tell(announced, http.StatusUnauthorized) // nothing has changed so far
	tell(strange, http.StatusUnauthorized)

	b.post(refused+"/trust", nil).to(refused)
	b.get(refused).has("Florin now accepts this key and no other.")
	if !strings.Contains(s.log.String(), "another key of webhooks is trusted") {
		t.Error("the log does not mention the new key")
	}
	tell(strange, http.StatusUnauthorized)
	tell(announced, http.StatusOK)
	if d := newest(); !d.Verified || d.PaymentID != remotePayment || d.Failed() != (finance.DeliveryCheck{}) {
		t.Errorf("the delivery is %+v", d)
	}
	b.get("/settings/webhooks/"+newest().ID).has("Status ACSC", "valid until").lacks(offer)
	tell(old, http.StatusUnauthorized)
	tell(announced, http.StatusOK)
	for _, key := range []string{"first", "second"} {
		if good, err := s.store.KeyFits(t.Context(), "embedded", key); err != nil || good != (key == "first") {
			t.Errorf("the %s certificate of the other service: %t, %v", key, good, err)
		}
	}
}
