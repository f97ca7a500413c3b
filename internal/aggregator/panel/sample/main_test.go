package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// refusing is a transport that nothing may reach.
type refusing struct{ t *testing.T }

func (r refusing) RoundTrip(request *http.Request) (*http.Response, error) {
	r.t.Errorf("%s was asked", request.URL)
	return nil, http.ErrHandlerTimeout
}

// security T3: an x5u that is not of the service is refused before anything is fetched.
func TestX5UOfOthersIsNotFetched(t *testing.T) {
	r := &receiver{domain: "service.example", client: &http.Client{Transport: refusing{t}}, certificates: map[string]*x509.Certificate{}}
	for _, x5u := range []string{
		"", "https://", "http://service.example/k.pem", "HTTP://service.example/k.pem", "ftp://service.example/", "//service.example/k.pem", "service.example/k.pem",
		"https://evil.example/k.pem", "https://evilservice.example/k.pem", "https://service.example.evil.example/k.pem", "https://service.example@evil.example/k.pem",
		"https://user@service.example/k.pem", "https://user:pass@service.example/k.pem", "https://evil.example#service.example", "https://evil.example?service.example",
		"https://evil.example/service.example", "https://evil.example\\@service.example/", "https://[::1]/k.pem", "https://127.0.0.1/k.pem", "https://.service.example.evil/", "https://service.example%2eevil.example/",
	} {
		if _, err := r.key(t.Context(), x5u); err == nil {
			t.Errorf("%q was taken", x5u)
		}
	}
}

// security T3, T4: what lies at x5u has to be a certificate that is good today, of an RSA key that is long enough.
func TestCertificatesThatAreNotGood(t *testing.T) {
	long, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	made := func(public, private any, from, until time.Time) string {
		template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: from, NotAfter: until}
		der, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	}
	good := made(&long.PublicKey, long, now.Add(-time.Hour), now.Add(time.Hour))
	var text string
	var status int
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status == http.StatusFound {
			http.Redirect(w, r, "/elsewhere", status)
			return
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	}))
	defer server.Close()
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := server.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for name, test := range map[string]struct {
		status int
		text   string
		good   bool
	}{
		"good":           {200, good, true},
		"expired":        {200, made(&long.PublicKey, long, now.Add(-2*time.Hour), now.Add(-time.Hour)), false},
		"not yet":        {200, made(&long.PublicKey, long, now.Add(time.Hour), now.Add(2*time.Hour)), false},
		"elliptic curve": {200, made(&curve.PublicKey, curve, now.Add(-time.Hour), now.Add(time.Hour)), false},
		"no certificate": {200, "hello", false},
		"empty":          {200, "", false},
		"too much":       {200, strings.Repeat("x", 1<<20) + "\n" + good, false},
		"not found":      {404, good, false},
		"redirect":       {302, good, false},
	} {
		r := &receiver{domain: address.Hostname(), client: client, certificates: map[string]*x509.Certificate{}}
		status, text = test.status, test.text
		if _, err := r.key(t.Context(), server.URL+"/k.pem"); (err == nil) != test.good {
			t.Errorf("%s: %v, want good %v", name, err, test.good)
		}
	}
}

// security T1: a token of another kind, or none, is refused before anything is fetched.
func TestTokensOfAnotherKind(t *testing.T) {
	r := &receiver{domain: "service.example", client: &http.Client{Transport: refusing{t}}, certificates: map[string]*x509.Certificate{}}
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	for _, header := range []string{
		`{"alg":"none","typ":"JWT","x5u":"https://service.example/k.pem"}`, `{"alg":"HS256","typ":"JWT","x5u":"https://service.example/k.pem"}`,
		`{"alg":"RS256","typ":"at+jwt","x5u":"https://service.example/k.pem"}`, `{"alg":"RS256","typ":"JWT","crit":["x"],"x5u":"https://service.example/k.pem"}`,
		`{"alg":"RS256","typ":"JWT"}`, `{"alg":"RS256","typ":"JWT","x5u":7}`, `{`, ``,
	} {
		if err := r.verify(t.Context(), "Bearer "+part(header)+"."+part(`{}`)+".c2ln", nil); err == nil {
			t.Errorf("%s was taken", header)
		}
	}
	for _, authorization := range []string{"", "Bearer ", "Bearer a", "Bearer a.b", "Bearer a.b.c.d", "Basic YTpi", "Bearer !.!.!"} {
		if err := r.verify(context.Background(), authorization, bytes.Repeat([]byte("x"), 10)); err == nil {
			t.Errorf("%q was taken", authorization)
		}
	}
}
