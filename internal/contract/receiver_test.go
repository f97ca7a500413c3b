package contract_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"florin/internal/apptoken"
	"florin/internal/contract"
	"florin/internal/openbanking"
)

// spec: Payment status webhook. The receiver of the suite takes a good webhook, and notices each part of one that is not.
func TestReceiverNoticesForgeries(t *testing.T) {
	key, err := apptoken.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	other, err := apptoken.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := apptoken.SelfSigned(key, "webhooks", time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/key.pem" {
			_, _ = w.Write(certificate)
		}
	}))
	defer secure.Close()
	r := &contract.Receiver{Application: openbanking.Application{Kid: "app", Environment: openbanking.EnvironmentSandbox}, Domain: "127.0.0.1",
		Client: secure.Client()}
	web := httptest.NewServer(r)
	defer web.Close()

	const event = `{"payment_id":"p","payment_status":"ACSC","payment_updates_expected":false,"webhook_id":"w","webhook_triggered":"2026-11-20T12:00:00Z","payment_auth_status":null}`
	type forged struct {
		header, claims map[string]string
		key            *rsa.PrivateKey
		body           string
		set            http.Header
	}
	for name, forge := range map[string]func(*forged){
		"":                        func(*forged) {},
		"signed by somebody else": func(f *forged) { f.key = other },
		"another algorithm":       func(f *forged) { f.header["alg"] = "none" },
		"another kind":            func(f *forged) { f.header["typ"] = "at+jwt" },
		"x5u without TLS":         func(f *forged) { f.header["x5u"] = strings.Replace(f.header["x5u"], "https:", "http:", 1) },
		"x5u of somebody else":    func(f *forged) { f.header["x5u"] = "https://evil.example/key.pem" },
		"x5u that looks alike":    func(f *forged) { f.header["x5u"] = "https://127.0.0.1.evil.example/key.pem" },
		"x5u with somebody":       func(f *forged) { f.header["x5u"] = strings.Replace(f.header["x5u"], "https://", "https://me@", 1) },
		"x5u without anything":    func(f *forged) { f.header["x5u"] += "x" },
		"another application":     func(f *forged) { f.claims["sub"] = "another" },
		"another environment":     func(f *forged) { f.claims["environment"] = "PRODUCTION" },
		"another body":            func(f *forged) { f.body = strings.Replace(event, "ACSC", "RJCT", 1) },
		"digest without prefix":   func(f *forged) { f.claims["msgi"] = strings.TrimPrefix(f.claims["msgi"], "sha256-") },
		"no X-Request-Id":         func(f *forged) { f.set["X-Request-Id"] = nil },
		"a form":                  func(f *forged) { f.set.Set("Content-Type", "application/x-www-form-urlencoded") },
		"no token":                func(f *forged) { f.set["Authorization"] = []string{""} },
	} {
		sum := sha256.Sum256([]byte(event))
		f := forged{
			header: map[string]string{"alg": "RS256", "typ": "JWT", "x5u": secure.URL + "/key.pem"},
			claims: map[string]string{"sub": "app", "environment": "SANDBOX", "msgi": "sha256-" + base64.StdEncoding.EncodeToString(sum[:])},
			key:    key, body: event, set: http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"1"}},
		}
		forge(&f)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL, strings.NewReader(f.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+sign(t, f.key, f.header, f.claims))
		for field, values := range f.set {
			request.Header[field] = values
		}
		answer, err := web.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		arrived := r.Arrived()
		if d := arrived[len(arrived)-1]; (d.Problem == nil) != (name == "") || d.Event.WebhookID != "w" {
			t.Errorf("%q: %v", name, d.Problem)
		}
	}
}

// sign makes a token.
func sign(t *testing.T, key *rsa.PrivateKey, header, claims map[string]string) string {
	t.Helper()
	part := func(value map[string]string) string {
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(data)
	}
	text := part(header) + "." + part(claims)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}
