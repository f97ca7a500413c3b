package webhook

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/publicnet"
)

func TestGoodWebhookIsStoredAndItsPaymentIsDue(t *testing.T) {
	r := newRig(t)
	w := r.good()
	if status := r.send(w); status != http.StatusOK {
		t.Fatalf("%d: %+v", status, r.newest().Checks)
	}
	d := r.newest()
	if !d.Verified || d.LocalID != r.payment.ID || d.PaymentID != paymentID || d.Status != "ACSC" || d.Auth != "FINALISED" || d.Expected ||
		d.Body != w.body || !d.Applied.IsZero() || d.Answer != 200 {
		t.Errorf("%+v", d)
	}
	var names []string
	for _, c := range d.Checks {
		if !c.Passed {
			t.Errorf("%s: %s", c.Name, c.Finding)
		}
		names = append(names, c.Name)
	}
	want := "request token header address fetch certificate signature claims times application environment size digest known body fields age payment once"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("checks\n%s, want\n%s", got, want)
	}
	if r.wakes != 1 {
		t.Errorf("%d wakes", r.wakes)
	}
	p, err := r.store.Payment(t.Context(), r.user.ID, r.payment.ID)
	check(t, err)
	if p.Progress.Status != openbanking.PaymentStatusPDNG || p.Check.Next.After(time.Now()) {
		t.Errorf("the webhook alone made it %s, next check %v", p.Progress.Status, p.Check.Next)
	}
}

// Security T1 to T7: each forged or damaged webhook is refused for its own reason, and changes nothing.
func TestForgedWebhooksAreRefused(t *testing.T) {
	r := newRig(t)
	r.unlimited()
	x5u := func(text string) func(*webhook) { return func(w *webhook) { w.header["x5u"] = text } }
	host := r.sender.Keys.Exact
	body := func(change map[string]any) func(*webhook) { return func(w *webhook) { w.body = r.body(change) } }
	raw := func(change func(text string) string) func(*webhook) {
		return func(w *webhook) { w.body = change(w.body) }
	}
	claim := func(name string, value any) func(*webhook) {
		return func(w *webhook) {
			if value == nil {
				w.rawPayload = `{"sub":"` + applicationID + `","environment":"SANDBOX","msgi":"` + digestOf(w.body) + `"}`
				w.rawPayload = strings.Replace(w.rawPayload, `"`+name+`":`, `"x":`, 1)
				return
			}
			w.payload[name] = value
		}
	}
	auth := func(change func(r *http.Request)) func(*webhook) { return func(w *webhook) { w.request = change } }
	part := func(i int, change func(text string) string) func(*webhook) {
		return func(w *webhook) {
			w.token = func(token string) string {
				parts := strings.Split(token, ".")
				parts[i] = change(parts[i])
				return strings.Join(parts, ".")
			}
		}
	}
	resign := func(alg string, sign func(input string) []byte) func(*webhook) {
		return func(w *webhook) {
			w.header["alg"] = alg
			w.token = func(token string) string {
				input := token[:strings.LastIndex(token, ".")]
				return input + "." + b64(sign(input))
			}
		}
	}
	public, err := x509.MarshalPKIXPublicKey(&goodKey.PublicKey)
	check(t, err)

	cases := []struct {
		name   string
		change func(w *webhook)
		check  string
		status int
	}{
		{"GET", func(w *webhook) { w.method = http.MethodGet }, CheckRequest, 405},
		{"PUT", func(w *webhook) { w.method = http.MethodPut }, CheckRequest, 405},
		{"no content type", auth(func(r *http.Request) { r.Header.Del("Content-Type") }), CheckRequest, 415},
		{"a form", auth(func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }), CheckRequest, 415},
		{"gzip", func(w *webhook) {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, _ = z.Write([]byte(w.body))
			_ = z.Close()
			w.sentBody = b.String()
			w.request = func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }
		}, CheckRequest, 415},
		{"too large", raw(func(text string) string { return text + strings.Repeat(" ", maxBody) }), CheckSize, 413},
		{"empty", raw(func(string) string { return "" }), CheckSize, 400},

		{"no authorization", auth(func(r *http.Request) { r.Header.Del("Authorization") }), CheckToken, 401},
		{"two authorizations", auth(func(r *http.Request) { r.Header.Add("Authorization", "Bearer x") }), CheckToken, 401},
		{"basic", auth(func(r *http.Request) { r.Header.Set("Authorization", "Basic eDp5") }), CheckToken, 401},
		{"no token", auth(func(r *http.Request) { r.Header.Set("Authorization", "Bearer") }), CheckToken, 401},
		{"two parts", func(w *webhook) { w.token = func(s string) string { return s[:strings.LastIndex(s, ".")] } }, CheckToken, 401},
		{"four parts", func(w *webhook) { w.token = func(s string) string { return s + ".x" } }, CheckToken, 401},
		{"no signature", part(2, func(string) string { return "" }), CheckToken, 401},
		{"padding", part(1, func(s string) string { return s + "=" }), CheckToken, 401},
		{"plain base64", part(0, func(s string) string { return s[:4] + "+/" + s[6:] }), CheckToken, 401},
		{"last character of the signature altered", part(2, func(s string) string { return s[:len(s)-1] + nextInAlphabet(s[len(s)-1]) }), CheckToken, 401},
		{"a token without end", func(w *webhook) { w.payload["x"] = strings.Repeat("x", maxToken) }, CheckToken, 401},

		{"alg none", resign("none", func(string) []byte { return []byte("x") }), CheckHeader, 401},
		{"HS256 with the public key", resign("HS256", func(input string) []byte {
			m := hmac.New(sha256.New, public)
			m.Write([]byte(input))
			return m.Sum(nil)
		}), CheckHeader, 401},
		{"PS256", resign("PS256", func(input string) []byte {
			hash := sha256.Sum256([]byte(input))
			s, _ := rsa.SignPSS(rand.Reader, goodKey, crypto.SHA256, hash[:], nil)
			return s
		}), CheckHeader, 401},
		{"RS512", resign("RS512", func(input string) []byte {
			hash := sha512.Sum512([]byte(input))
			s, _ := rsa.SignPKCS1v15(nil, goodKey, crypto.SHA512, hash[:])
			return s
		}), CheckHeader, 401},
		{"alg in small letters", func(w *webhook) { w.header["alg"] = "rs256" }, CheckHeader, 401},
		{"no typ", func(w *webhook) { delete(w.header, "typ") }, CheckHeader, 401},
		{"typ at+jwt", func(w *webhook) { w.header["typ"] = "at+jwt" }, CheckHeader, 401},
		{"crit", func(w *webhook) { w.header["crit"] = []string{"exp"} }, CheckHeader, 401},
		{"b64", func(w *webhook) { w.header["b64"] = false }, CheckHeader, 401},
		{"jwk", func(w *webhook) { w.header["jwk"] = map[string]any{"kty": "RSA"} }, CheckHeader, 401},
		{"x5c", func(w *webhook) { w.header["x5c"] = []string{"x"} }, CheckHeader, 401},
		{"crit in another case", func(w *webhook) { w.header["Crit"] = []string{"exp"} }, CheckHeader, 401},
		{"jku in another case", func(w *webhook) { w.header["JKU"] = "https://evil.example/k" }, CheckHeader, 401},
		{"no x5u", func(w *webhook) { delete(w.header, "x5u") }, CheckHeader, 401},
		{"x5u twice", func(w *webhook) {
			w.rawHeader = `{"alg":"RS256","typ":"JWT","x5u":"` + r.service.URL + `/good.pem","x5u":"https://evil.example/k"}`
		}, CheckHeader, 401},
		{"x5u twice in another case", func(w *webhook) {
			w.rawHeader = `{"alg":"RS256","typ":"JWT","x5u":"` + r.service.URL + `/good.pem","X5U":"https://evil.example/k"}`
		}, CheckHeader, 401},
		{"a header that is no object", func(w *webhook) { w.rawHeader = `["RS256"]` }, CheckHeader, 401},

		{"x5u at another host", x5u("https://evil.example/good.pem"), CheckAddress, 401},
		{"x5u at another port", x5u("https://" + strings.Split(host, ":")[0] + ":1/good.pem"), CheckAddress, 401},
		{"x5u over http", x5u("http://" + host + "/good.pem"), CheckAddress, 401},
		{"x5u with a user", x5u("https://a@" + host + "/good.pem"), CheckAddress, 401},
		{"x5u of a file", x5u("file:///etc/passwd"), CheckAddress, 401},
		{"x5u with a fragment", x5u("https://" + host + "/good.pem#a"), CheckAddress, 401},

		{"no such certificate", x5u(r.service.URL + "/none.pem"), CheckFetch, 503},
		{"a redirect", x5u(r.service.URL + "/redirect.pem"), CheckFetch, 503},
		{"no certificate", x5u(r.service.URL + "/text.pem"), CheckFetch, 503},
		{"a private key", x5u(r.service.URL + "/private.pem"), CheckFetch, 503},
		{"a certificate without end", x5u(r.service.URL + "/large.pem"), CheckFetch, 503},
		{"an expired certificate", x5u(r.service.URL + "/expired.pem"), CheckCertificate, 401},
		{"a certificate of tomorrow", x5u(r.service.URL + "/early.pem"), CheckCertificate, 401},
		{"a key of 1024 bits", func(w *webhook) { w.key = smallKey; w.header["x5u"] = r.service.URL + "/small.pem" }, CheckCertificate, 401},
		{"an elliptic key", x5u(r.service.URL + "/elliptic.pem"), CheckCertificate, 401},
		{"a key for encryption", x5u(r.service.URL + "/encipher.pem"), CheckCertificate, 401},
		{"a self-signed certificate", x5u(r.service.URL + "/self.pem"), CheckCertificate, 401},
		{"another authority of the same name", x5u(r.service.URL + "/strange.pem"), CheckCertificate, 401},

		{"signed by another", func(w *webhook) { w.key = otherKey }, CheckSignature, 401},
		{"header altered", part(0, func(string) string {
			h, _ := json.Marshal(map[string]any{"alg": "RS256", "typ": "JWT", "x5u": r.service.URL + "/good.pem", "kid": "x"})
			return b64(h)
		}), CheckSignature, 401},
		{"payload altered", part(1, func(string) string {
			return b64([]byte(`{"sub":"` + applicationID + `","environment":"SANDBOX","msgi":"x"}`))
		}), CheckSignature, 401},

		{"no sub", claim("sub", nil), CheckClaims, 401},
		{"no environment", claim("environment", nil), CheckClaims, 401},
		{"no msgi", claim("msgi", nil), CheckClaims, 401},
		{"sub is a number", claim("sub", 7), CheckClaims, 401},
		{"sub twice", func(w *webhook) {
			w.rawPayload = `{"sub":"x","environment":"SANDBOX","msgi":"` + digestOf(w.body) + `","sub":"` + applicationID + `"}`
		}, CheckClaims, 401},
		{"sub in another case beside it", func(w *webhook) {
			w.rawPayload = `{"sub":"x","environment":"SANDBOX","msgi":"` + digestOf(w.body) + `","SUB":"` + applicationID + `"}`
		}, CheckClaims, 401},
		{"exp is a text", claim("exp", "tomorrow"), CheckClaims, 401},
		{"expired", claim("exp", time.Now().Add(-2*time.Minute).Unix()), CheckTimes, 401},
		{"not valid yet", claim("nbf", time.Now().Add(time.Hour).Unix()), CheckTimes, 401},
		{"from the future", claim("iat", time.Now().Add(time.Hour).Unix()), CheckTimes, 401},
		{"for another application", claim("sub", "1f8b6d3c-6f0e-4f2b-9d63-2a52ad9c0a12"), CheckApplication, 403},
		{"for another environment", claim("environment", "PRODUCTION"), CheckEnvironment, 403},
		{"environment in small letters", claim("environment", "sandbox"), CheckEnvironment, 403},
		{"digest without prefix", func(w *webhook) { w.payload["msgi"] = strings.TrimPrefix(digestOf(w.body), "sha256-") }, CheckDigest, 401},
		{"digest in base64url", func(w *webhook) {
			sum := sha256.Sum256([]byte(w.body))
			w.payload["msgi"] = "sha256-" + base64.RawURLEncoding.EncodeToString(sum[:])
		}, CheckDigest, 401},
		{"a byte flipped", func(w *webhook) { w.sentBody = strings.Replace(w.body, "ACSC", "ACCC", 1) }, CheckDigest, 401},
		{"a space added", func(w *webhook) { w.sentBody = w.body + " " }, CheckDigest, 401},
		{"body of another webhook", func(w *webhook) { w.sentBody = r.body(nil) }, CheckDigest, 401},
		{"cut off", func(w *webhook) { w.sentBody = w.body[:len(w.body)-10] }, CheckDigest, 401},

		{"byte order mark", raw(func(text string) string { return "\ufeff" + text }), CheckBody, 400},
		{"status twice", raw(func(text string) string { return strings.Replace(text, "{", `{"payment_status":"RJCT",`, 1) }), CheckBody, 400},
		{"status in another case beside it", raw(func(text string) string { return strings.Replace(text, "{", `{"Payment_Status":"RJCT",`, 1) }), CheckBody, 400},
		{"status in another case alone", raw(func(text string) string { return strings.Replace(text, "payment_status", "Payment_status", 1) }), CheckBody, 400},
		{"two objects", raw(func(text string) string { return text + text }), CheckBody, 400},
		{"an array", raw(func(text string) string { return "[" + text + "]" }), CheckBody, 400},
		{"no UTF-8", raw(func(text string) string { return strings.Replace(text, "ACSC", "\xff", 1) }), CheckBody, 400},
		{"no payment_id", body(map[string]any{"payment_id": nil}), CheckFields, 400},
		{"payment_id is no UUID", body(map[string]any{"payment_id": "../../sessions"}), CheckFields, 400},
		{"no status", body(map[string]any{"payment_status": nil}), CheckFields, 400},
		{"unknown status", body(map[string]any{"payment_status": "PAID"}), CheckFields, 400},
		{"updates expected as a text", body(map[string]any{"payment_updates_expected": "false"}), CheckFields, 400},
		{"no webhook_id", body(map[string]any{"webhook_id": nil}), CheckFields, 400},
		{"webhook_id with a line break", body(map[string]any{"webhook_id": "a\nb"}), CheckFields, 400},
		{"webhook_id without end", body(map[string]any{"webhook_id": strings.Repeat("a", 201)}), CheckFields, 400},
		{"no time", body(map[string]any{"webhook_triggered": "yesterday"}), CheckFields, 400},
		{"unknown authorisation", body(map[string]any{"payment_auth_status": "MAYBE"}), CheckFields, 400},
		{"too old", body(map[string]any{"webhook_triggered": time.Now().Add(-26 * time.Hour).Format(time.RFC3339)}), CheckAge, 400},
		{"event from the future", body(map[string]any{"webhook_triggered": time.Now().Add(time.Hour).Format(time.RFC3339)}), CheckAge, 400},
		{"a payment that is not ours", body(map[string]any{"payment_id": "7c1bc2c5-58b6-4d0e-9a07-0f3f6f1ef0ff"}), CheckPayment, 404},
	}
	if len(cases) < 40 {
		t.Fatalf("only %d cases", len(cases))
	}
	before, err := r.store.Payment(t.Context(), r.user.ID, r.payment.ID)
	check(t, err)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := r.good()
			c.change(w)
			wakes := r.wakes
			if status := r.send(w); status != c.status {
				t.Errorf("answer %d, want %d: %+v", status, c.status, r.newest().Checks)
			}
			d := r.newest()
			if d.Verified || d.Failed().Name != c.check || d.Failed().Finding.Code == "" || d.Failed().Said != "" || d.Answer != c.status {
				t.Errorf("refused by %+v, want %s", d.Failed(), c.check)
			}
			for i, s := range d.Checks {
				if s.Passed != (i < len(d.Checks)-1) {
					t.Errorf("checks went on after a failure: %+v", d.Checks)
				}
			}
			if r.wakes != wakes {
				t.Error("somebody was wakened")
			}
		})
	}
	after, err := r.store.Payment(t.Context(), r.user.ID, r.payment.ID)
	check(t, err)
	if after.Progress.Status != before.Progress.Status || after.Approval.Status != before.Approval.Status || !after.Check.Next.Equal(before.Check.Next) {
		t.Errorf("the payment changed: %+v", after)
	}
	events, err := r.store.PaymentEvents(t.Context(), r.user.ID, r.payment.ID)
	check(t, err)
	if len(events) != 3 { // drafted, confirmed, created
		t.Errorf("%d lines of history", len(events))
	}
}

// nextInAlphabet changes only bits that a lax decoder ignores.
func nextInAlphabet(c byte) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(alphabet[strings.IndexByte(alphabet, c)|1])
}

func TestUnknownProviderIsNotFound(t *testing.T) {
	r := newRig(t)
	w := r.good()
	w.path = "/webhooks/none"
	if status := r.send(w); status != http.StatusNotFound {
		t.Errorf("%d", status)
	}
	if d := r.newest(); d.ID != "" {
		t.Errorf("stored: %+v", d)
	}
}

// Security T7: the same event is stored once however often it comes, and every one of its posts is acknowledged.
func TestOneEventManyPosts(t *testing.T) {
	r := newRig(t)
	const posts = 2000
	w := r.good()
	token := w.sign(t)
	statuses := make([]int, posts)
	var group sync.WaitGroup
	limit := make(chan struct{}, 100)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	for i := range posts {
		group.Add(1)
		limit <- struct{}{}
		go func() {
			defer group.Done()
			defer func() { <-limit }()
			request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, r.server.URL+w.path, strings.NewReader(w.body))
			if err != nil {
				return
			}
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Authorization", "Bearer "+token)
			response, err := client.Do(request)
			if err != nil {
				return
			}
			_ = response.Body.Close()
			statuses[i] = response.StatusCode
		}()
	}
	group.Wait()
	for i, status := range statuses {
		if status != http.StatusOK {
			t.Fatalf("post %d: %d", i, status)
		}
	}
	all, _, err := r.store.Deliveries(t.Context(), false, "", 10)
	check(t, err)
	if len(all) != 1 || r.wakes != 1 {
		t.Errorf("%d stored, %d wakes", len(all), r.wakes)
	}
	if r.fetched != 1 {
		t.Errorf("the certificate was fetched %d times", r.fetched)
	}
}

func TestKnownEventWithAnotherBodyIsRefused(t *testing.T) {
	r := newRig(t)
	w := r.good()
	w.body = r.body(map[string]any{"webhook_id": "event-1"})
	if status := r.send(w); status != 200 {
		t.Fatal(status)
	}
	again := r.good()
	again.body = r.body(map[string]any{"webhook_id": "event-1", "payment_status": "RJCT"})
	if status := r.send(again); status != 400 || r.newest().Failed().Name != CheckOnce {
		t.Errorf("%d: %+v", status, r.newest())
	}
}

// A webhook of a payment whose answer was lost is kept: it may be the one.
func TestUnknownPaymentIsKeptWhileAnOutcomeIsUnknown(t *testing.T) {
	r := newRig(t)
	lost := r.draft("embedded")
	ctx := t.Context()
	_, err := r.store.StartSending(ctx, r.user.ID, lost.ID, storeSending(), func(finance.Payment, []finance.PastTransfer, []finance.Payee) error { return nil })
	check(t, err)
	_, err = r.store.PaymentUnknown(ctx, r.user.ID, lost.ID, finance.Failure{Code: finance.FailureUnreachable})
	check(t, err)
	w := r.good()
	w.body = r.body(map[string]any{"payment_id": "7c1bc2c5-58b6-4d0e-9a07-0f3f6f1ef0aa"})
	if status := r.send(w); status != 200 {
		t.Fatalf("%d: %+v", status, r.newest())
	}
	if d := r.newest(); !d.Verified || d.LocalID != "" {
		t.Errorf("%+v", d)
	}
}

// Where no authority vouches, the certificate of the first good webhook is taken, and another one only when its time comes, or when the owner says so.
func TestCertificatesArePinned(t *testing.T) {
	r := newRig(t)
	r.sender.Roots = nil
	send := func(path string, key *rsa.PrivateKey) int {
		w := r.good()
		w.key, w.header["x5u"] = key, r.service.URL+path
		return r.send(w)
	}
	r.certificate("/first.pem", encodePEM(certify(t, goodKey, nil, nil, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(60 * 24 * time.Hour) })))
	r.certificate("/second.pem", encodePEM(certify(t, otherKey, nil, nil, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(10 * 24 * time.Hour) })))
	r.certificate("/third.pem", encodePEM(certify(t, goodKey, nil, nil, nil)))
	if status := send("/first.pem", goodKey); status != 200 {
		t.Fatalf("%d: %+v", status, r.newest().Failed())
	}
	if status := send("/second.pem", otherKey); status != 401 || r.newest().Failed().Name != CheckKnown {
		t.Fatalf("%d: %+v", status, r.newest().Failed())
	}
	check(t, r.store.TrustKey(t.Context(), r.newest().ID))
	for _, step := range []struct {
		path   string
		key    *rsa.PrivateKey
		status int
	}{{"/first.pem", goodKey, 200}, {"/second.pem", otherKey, 200}, {"/third.pem", goodKey, 401}} { // the second ends soon, the first does not
		if status := send(step.path, step.key); status != step.status {
			t.Fatalf("%s: %d: %+v", step.path, status, r.newest().Failed())
		}
	}
}

// Whoever has no key of the service can let no certificate be pinned, although any may be named that lies there; nor is one pinned by a webhook that is
// refused later.
func TestOnlyGoodWebhooksPinACertificate(t *testing.T) {
	r := newRig(t)
	r.sender.Roots = nil
	genuine := func() *webhook {
		w := r.good()
		w.header["x5u"] = r.service.URL + "/genuine.pem"
		return w
	}
	r.certificate("/genuine.pem", encodePEM(certify(t, goodKey, nil, nil, nil)))
	r.certificate("/other.pem", encodePEM(certify(t, otherKey, nil, nil, nil)))
	for name, c := range map[string]struct {
		change func(w *webhook)
		check  string
	}{
		"signed by nobody":        {func(w *webhook) { w.key = goodKey }, CheckSignature},
		"for another application": {func(w *webhook) { w.payload["sub"] = "1f8b6d3c-6f0e-4f2b-9d63-2a52ad9c0a12" }, CheckApplication},
		"with another body":       {func(w *webhook) { w.sentBody = w.body + " " }, CheckDigest},
		"of a payment that is no one": {func(w *webhook) {
			w.body = r.body(map[string]any{"payment_id": "7c1bc2c5-58b6-4d0e-9a07-0f3f6f1ef0ff"})
		}, CheckPayment},
		"too old": {func(w *webhook) {
			w.body = r.body(map[string]any{"webhook_triggered": time.Now().Add(-26 * time.Hour).Format(time.RFC3339)})
		}, CheckAge},
	} {
		w := r.good()
		w.key, w.header["x5u"] = otherKey, r.service.URL+"/other.pem"
		c.change(w)
		if status := r.send(w); status == 200 || r.newest().Failed().Name != c.check {
			t.Fatalf("%s: %d: %+v", name, status, r.newest().Failed())
		}
	}
	if status := r.send(genuine()); status != 200 {
		t.Errorf("%d: %+v", status, r.newest().Failed())
	}
}

// The owner trusts the key of one delivery, which nothing that comes in between changes. What was not proved to be signed with a key cannot be trusted.
func TestTrustIsForTheKeyOfOneDelivery(t *testing.T) {
	r := newRig(t)
	r.sender.Roots = nil
	send := func(path string, key *rsa.PrivateKey) (int, finance.Delivery) {
		w := r.good()
		w.key, w.header["x5u"] = key, r.service.URL+path
		return r.send(w), r.newest()
	}
	for path, key := range map[string]*rsa.PrivateKey{"/old.pem": goodKey, "/new.pem": goodKey, "/strange.pem": otherKey} {
		r.certificate(path, encodePEM(certify(t, key, nil, nil, nil)))
	}
	if status, d := send("/old.pem", goodKey); status != 200 {
		t.Fatalf("%d: %+v", status, d.Failed())
	}
	_, announced := send("/new.pem", goodKey)
	_, strange := send("/strange.pem", otherKey)
	_, forged := send("/strange.pem", goodKey)
	if announced.Failed().Name != CheckKnown || strange.Failed().Name != CheckKnown || forged.Failed().Name != CheckSignature {
		t.Fatal(announced.Failed(), strange.Failed(), forged.Failed())
	}
	if err := r.store.TrustKey(t.Context(), forged.ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("a key was trusted of which nothing is proved: %v", err)
	}
	check(t, r.store.TrustKey(t.Context(), announced.ID))
	for path, want := range map[string]int{"/strange.pem": 401, "/old.pem": 401, "/new.pem": 200} {
		key := goodKey
		if path == "/strange.pem" {
			key = otherKey
		}
		if status, d := send(path, key); status != want {
			t.Errorf("%s: %d: %+v", path, status, d.Failed())
		}
	}
}

// The specification calls x5u the address of a public key. A bare one is taken where no authority is asked, by its fingerprint; it has no end, so that only the
// owner can let another one follow.
func TestBarePublicKeyIsPinned(t *testing.T) {
	bare := func(key *rsa.PrivateKey) []byte {
		der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
		check(t, err)
		return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	}
	r := newRig(t)
	r.certificate("/key.pem", bare(goodKey))
	r.certificate("/other.pem", bare(otherKey))
	r.certificate("/small.pem", bare(smallKey))
	r.certificate("/two.pem", append(bare(goodKey), bare(otherKey)...))
	send := func(path string, key *rsa.PrivateKey) (int, finance.DeliveryCheck) {
		w := r.good()
		w.key, w.header["x5u"] = key, r.service.URL+path
		return r.send(w), r.newest().Failed()
	}
	if status, no := send("/key.pem", goodKey); status != 401 || no.Name != CheckCertificate || no.Finding.Code != finance.FindingKeyBare {
		t.Errorf("where an authority is asked: %d, %+v", status, no)
	}
	r.sender.Roots = nil
	for _, step := range []struct {
		path   string
		key    *rsa.PrivateKey
		status int
		check  string
	}{
		{"/small.pem", smallKey, 401, CheckCertificate}, {"/two.pem", goodKey, 503, CheckFetch}, {"/key.pem", otherKey, 401, CheckSignature},
		{"/key.pem", goodKey, 200, ""}, {"/key.pem", goodKey, 200, ""}, {"/other.pem", otherKey, 401, CheckKnown},
	} {
		if status, no := send(step.path, step.key); status != step.status || status != 200 && no.Name != step.check {
			t.Errorf("%s: %d, %+v", step.path, status, no)
		}
	}
	refused := r.newest()
	check(t, r.store.TrustKey(t.Context(), refused.ID))
	if status, no := send("/other.pem", otherKey); status != 200 || refused.KeyFingerprint == "" || !refused.KeyEnds.IsZero() {
		t.Errorf("%d, %+v, %+v", status, no, refused)
	}
}

// The service puts another key at the same address: it is fetched anew once the one that is known has some age.
func TestRotatedKeyIsFetchedAnew(t *testing.T) {
	r := newRig(t)
	r.sender.Roots = nil
	ending := func(c *x509.Certificate) { c.NotAfter = time.Now().Add(10 * 24 * time.Hour) }
	r.certificate("/k.pem", encodePEM(certify(t, goodKey, nil, nil, ending)))
	w := r.good()
	w.header["x5u"] = r.service.URL + "/k.pem"
	if status := r.send(w); status != 200 {
		t.Fatal(status)
	}
	r.certificate("/k.pem", encodePEM(certify(t, otherKey, nil, nil, ending)))
	again := r.good()
	again.key, again.header["x5u"] = otherKey, r.service.URL+"/k.pem"
	if status := r.send(again); status != 401 { // at once: nobody makes us fetch for each bad signature
		t.Fatal(status)
	}
	r.age(freshAfter)
	again.payload = map[string]any{"sub": applicationID, "environment": "SANDBOX"}
	if status := r.send(again); status != 200 {
		t.Fatalf("%d: %+v", status, r.newest().Failed())
	}
}

// Security F4: the forms of x5u, for a public service and for the one of this program.
func TestAddressesOfCertificates(t *testing.T) {
	domain, exact := KeyHost{Domain: "service.example"}, KeyHost{Exact: "localhost:8443"}
	cases := []struct {
		x5u           string
		domain, exact bool
	}{
		{"https://service.example/k", true, false},
		{"https://service.example:443/k", true, false},
		{"https://keys.service.example/k", true, false},
		{"https://a.b.service.example/k?v=1", true, false},
		{"https://localhost:8443/k", false, true},
		{"https://localhost:8443/", false, true},
		{"https://localhost:8443", false, false},
		{"https://localhost/k", false, false},
		{"https://localhost:08443/k", false, false},
		{"https://LOCALHOST:8443/k", false, false},
		{"https://service.example", false, false},
		{"https://service.example:8443/k", false, false},
		{"https://service.example:/k", false, false},
		{"https://service.example:0443/k", false, false},
		{"https://evilservice.example/k", false, false},
		{"https://service.example.evil.example/k", false, false},
		{"https://evil.example/service.example", false, false},
		{"https://evil.example?.service.example/k", false, false},
		{"https://evil.example#.service.example/k", false, false},
		{"https://evil.example\\.service.example/k", false, false},
		{"https://evil.example%2f.service.example/k", false, false},
		{"https://[::1%25.service.example]/k", false, false},
		{"https://[::1]/k", false, false},
		{"https://127.0.0.1/k", false, false},
		{"https://user@service.example/k", false, false},
		{"https://user:pass@localhost:8443/k", false, false},
		{"https://service.example@evil.example/k", false, false},
		{"https://service.example./k", false, false},
		{"https://.service.example/k", false, false},
		{"https://a..service.example/k", false, false},
		{"https://-.service.example/k", false, false},
		{"https://Service.example/k", false, false},
		{"HTTPS://service.example/k", false, false},
		{"http://service.example/k", false, false},
		{"https:service.example/k", false, false},
		{"//service.example/k", false, false},
		{"https://service.example/k#x", false, false},
		{"https://ſervice.example/k", false, false},
		{" https://service.example/k", false, false},
		{"https://service.example/k\n", false, false},
		{"https://service.example/" + strings.Repeat("a", 3000), false, false},
		{"", false, false},
	}
	for _, c := range cases {
		if got := domain.check(c.x5u) == nil; got != c.domain {
			t.Errorf("%q at the domain: %v", c.x5u, got)
		}
		if got := exact.check(c.x5u) == nil; got != c.exact {
			t.Errorf("%q at the host: %v", c.x5u, got)
		}
		if (KeyHost{}).check(c.x5u) == nil {
			t.Errorf("%q is taken from nowhere", c.x5u)
		}
	}
}

// Security T3, T9: names that lead home, or to networks that lead there, are not followed.
func TestOnlyPublicAddressesAreDialled(t *testing.T) {
	for text, want := range map[string]bool{
		"93.184.215.14": true, "8.8.8.8": true, "2606:2800:21f:cb07:6820:80da:af6b:8b2c": true,
		"127.0.0.1": false, "::1": false, "0.0.0.0": false, "::": false, "10.1.2.3": false, "172.31.0.1": false, "192.168.1.1": false, "169.254.169.254": false,
		"100.64.0.1": false, "192.0.0.8": false, "192.0.2.1": false, "198.18.0.1": false, "198.51.100.1": false, "203.0.113.9": false, "224.0.0.1": false,
		"240.0.0.1":       false,
		"255.255.255.255": false, "::ffff:127.0.0.1": false, "::ffff:8.8.8.8": true, "64:ff9b::7f00:1": false, "2002:7f00:1::": false, "2001::1": false,
		"2001:db8::1": false,
		"fc00::1":     false, "fe80::1": false, "fe80::1%eth0": false, "ff02::1": false, "::7f00:1": false,
	} {
		if got := publicnet.Is(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	if publicnet.Is(netip.Addr{}) {
		t.Error("no address at all")
	}
	r := newRig(t)
	u := r.service.URL + "/good.pem"
	if _, err := fetch(t.Context(), NewClient(), u); err == nil || r.fetched != 0 {
		t.Errorf("the public client fetched from loopback: %v", err)
	}
}

// A certificate that drips is given up in time.
func TestSlowCertificate(t *testing.T) {
	r := newRig(t)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	r.file("/slow.pem", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-release
	})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := fetch(ctx, r.sender.Client, r.service.URL+"/slow.pem"); err == nil {
		t.Error("fetched")
	}
}

// Nothing that an attacker sends is taken, and nothing breaks.
func FuzzToken(f *testing.F) {
	keys(f)
	w := &webhook{key: goodKey, body: "{}", header: map[string]any{"alg": "RS256", "typ": "JWT", "x5u": "https://localhost:8443/k"},
		payload: map[string]any{"sub": "a", "environment": "SANDBOX"}}
	f.Add(w.sign(f))
	f.Add("e30.e30.e30")
	f.Fuzz(func(t *testing.T, text string) {
		tok, err := splitToken(text)
		if err != nil {
			return
		}
		if tok.parts[0]+"."+tok.parts[1]+"."+tok.parts[2] != text {
			t.Fatal("a token has two spellings")
		}
		if tok.readHeader() == nil && tok.verify(&otherKey.PublicKey) == nil {
			t.Fatal("verified with another key")
		}
		_, _ = tok.claims()
	})
}

// A body that is taken means the same to encoding/json.
func FuzzBody(f *testing.F) {
	f.Add(`{"payment_id":"7c1bc2c5-58b6-4d0e-9a07-0f3f6f1ef001","payment_status":"ACSC","payment_updates_expected":false,"webhook_id":"a","webhook_triggered":"2026-11-20T10:00:00Z","payment_auth_status":null}`)
	f.Add(`{"payment_id":"7c1bc2c5-58b6-4d0e-9a07-0f3f6f1ef001","payment_status":"ACSC","PAYMENT_STATUS":"RJCT"}`)
	f.Fuzz(func(t *testing.T, text string) {
		hook, _, err := readBody([]byte(text))
		if err != nil {
			return
		}
		var loose openbanking.PaymentStatusWebhook
		if err := json.Unmarshal([]byte(text), &loose); err != nil {
			t.Fatal(err)
		}
		same := hook.PaymentAuthStatus == nil && loose.PaymentAuthStatus == nil ||
			hook.PaymentAuthStatus != nil && loose.PaymentAuthStatus != nil && *hook.PaymentAuthStatus == *loose.PaymentAuthStatus
		hook.PaymentAuthStatus, loose.PaymentAuthStatus = nil, nil
		if hook != loose || !same {
			t.Fatalf("%q is read in two ways", text)
		}
	})
}
