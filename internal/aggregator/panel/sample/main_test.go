package main

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"io"
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
		"https://user@service.example/k.pem", "https://user:pass@service.example/k.pem", "https://evil.example#service.example",
		"https://evil.example?service.example",
		"https://evil.example/service.example", "https://evil.example\\@service.example/", "https://[::1]/k.pem", "https://127.0.0.1/k.pem",
		"https://.service.example.evil/", "https://service.example%2eevil.example/",
		"https://[::1%25.service.example]/k.pem", "https://[fe80::1%25.service.example]:443/k.pem", "https://SERVICE.example/k.pem",
	} {
		if _, _, err := r.certificate(t.Context(), x5u); err == nil {
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
		if _, _, err := r.certificate(t.Context(), server.URL+"/k.pem"); (err == nil) != test.good {
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
		`{"alg":"RS256","typ":"JWT"}`, `{"alg":"none","alg":"RS256","typ":"JWT","x5u":"https://service.example/k.pem"}`,
		`{"alg":"RS256","ALG":"none","typ":"JWT","x5u":"https://service.example/k.pem"}`,
		`{"Alg":"RS256","typ":"JWT","x5u":"https://service.example/k.pem"}`, `{"alg":"RS256","typ":"JWT","crit":null,"x5u":"https://service.example/k.pem"}`,
		`{"alg":"RS256","typ":"JWT","x5u":"https://service.example/k.pem"}{}`,
		`{"alg":"RS256","typ":"JWT","x5u":7}`, `{`, ``,
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

// webhook is a token over claims, and the certificate of its key.
func webhook(t *testing.T, x5u, claims string) (authorization, certificate string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	input := part(`{"alg":"RS256","typ":"JWT","x5u":"`+x5u+`"}`) + "." + part(claims)
	digest := sha256.Sum256([]byte(input))
	signature, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	return "Bearer " + input + "." + part(string(signature)), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// service serves one text at every path and counts how often.
type service struct {
	text string
	n    int
}

func (s *service) RoundTrip(*http.Request) (*http.Response, error) {
	s.n++
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(s.text))}, nil
}

const goodClaims = `{"sub":"app","environment":"SANDBOX","msgi":"sha256-RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o="}` // of {}

// security F6, F5: a token has one spelling and one reading, or is refused.
func TestClaimsHaveOneReading(t *testing.T) {
	const x5u = "https://service.example/k.pem"
	for name, test := range map[string]struct {
		claims string
		change func(authorization string) string
		good   bool
	}{
		"good":                  {claims: goodClaims, good: true},
		"sub twice":             {claims: strings.Replace(goodClaims, "{", `{"sub":"other",`, 1)},
		"sub in two cases":      {claims: strings.Replace(goodClaims, "{", `{"SUB":"other",`, 1)},
		"sub in another case":   {claims: strings.Replace(goodClaims, "sub", "Sub", 1)},
		"another application":   {claims: strings.Replace(goodClaims, "app", "other", 1)},
		"the other environment": {claims: strings.Replace(goodClaims, "SANDBOX", "PRODUCTION", 1)},
		"another body":          {claims: strings.Replace(goodClaims, "RBNv", "AAAA", 1)},
		"a second spelling": {claims: goodClaims, change: func(a string) string { // the last character of a signature has four bits to spare
			const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
			return a[:len(a)-1] + string(alphabet[strings.IndexByte(alphabet, a[len(a)-1])|1])
		}},
		"padding": {claims: goodClaims, change: func(a string) string { return a + "==" }},
	} {
		authorization, certificate := webhook(t, x5u, test.claims)
		if test.change != nil {
			authorization = test.change(authorization)
		}
		r := &receiver{application: "app", environment: "SANDBOX", domain: "service.example", client: &http.Client{Transport: &service{text: certificate}},
			certificates: map[string]*x509.Certificate{}}
		if err := r.verify(t.Context(), authorization, []byte("{}")); (err == nil) != test.good {
			t.Errorf("%s: %v, want good %v", name, err, test.good)
		}
	}
}

// Strangers choose addresses of the service as they like: neither memory nor the service pays for it, and the certificate that is known stays in use.
func TestStrangersChooseAddresses(t *testing.T) {
	authorization, certificate := webhook(t, "https://service.example/k.pem", goodClaims)
	s := &service{text: certificate}
	r := &receiver{application: "app", environment: "SANDBOX", domain: "service.example", client: &http.Client{Transport: s},
		certificates: map[string]*x509.Certificate{}}
	if err := r.verify(t.Context(), authorization, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	for range 3 * maxFetches {
		header := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","typ":"JWT","x5u":"https://service.example/k.pem?` + rand.Text() + `"}`))
		forged := "Bearer " + header + "." + header + "." + header
		if err := r.verify(t.Context(), forged, []byte("{}")); err == nil {
			t.Fatal("a forged webhook was taken")
		}
	}
	if len(r.certificates) != 1 || s.n > maxFetches {
		t.Errorf("%d certificates are kept, %d were fetched", len(r.certificates), s.n)
	}
	if err := r.verify(t.Context(), authorization, []byte("{}")); err != nil {
		t.Error(err)
	}
}
