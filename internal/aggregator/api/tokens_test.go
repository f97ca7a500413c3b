package api_test

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"florin/internal/aggregator/api"
	"florin/internal/openbanking"
)

// forge signs a token with any method, key, header and claims; the values replace the right ones, nil leaves one out.
func forge(t *testing.T, method jwt.SigningMethod, key any, kid string, header, claims map[string]any) string {
	t.Helper()
	now := time.Now()
	token := jwt.NewWithClaims(method, jwt.MapClaims{"iss": issuer, "aud": audience, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix()})
	token.Header["kid"] = kid
	for name, v := range header {
		token.Header[name] = v
		if v == nil {
			delete(token.Header, name)
		}
	}
	for name, v := range claims {
		token.Claims.(jwt.MapClaims)[name] = v
		if v == nil {
			delete(token.Claims.(jwt.MapClaims), name)
		}
	}
	signed, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// TestForgedTokens is the table of security T1 and T2 over HTTP: each token is refused, and changes nothing.
func TestForgedTokens(t *testing.T) {
	t.Parallel()
	s := start(t)
	session := s.link()
	kid := s.app.ID
	now := time.Now().Unix()
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key().PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	operator, err := s.registry.OperatorToken(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	type m = map[string]any
	good := forge(t, rs256, key(), kid, nil, nil)
	if got := s.call("GET", "/sessions/"+session.text("session_id"), "", "Authorization", "Bearer "+good); got.status != 200 {
		t.Fatalf("a right token of the forge is refused: %s", got.raw)
	}
	parts := strings.Split(good, ".")
	confused := parts[0] + "." + parts[1]
	mac := hmac.New(sha256.New, publicPEM)
	mac.Write([]byte(confused))

	const plain, typed = "Unauthorized access", "JWT token type is not valid"
	tests := []struct{ name, token, message string }{
		{"alg none", forge(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, kid, nil, nil), plain},
		{"HS256 with the public key", forge(t, jwt.SigningMethodHS256, publicPEM, kid, nil, nil), plain},
		{"HMAC under a header that says RS256", confused + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)), plain},
		{"PS256", forge(t, jwt.SigningMethodPS256, key(), kid, nil, nil), plain},
		{"RS384", forge(t, jwt.SigningMethodRS384, key(), kid, nil, nil), plain},
		{"RS512", forge(t, jwt.SigningMethodRS512, key(), kid, nil, nil), plain},
		{"key of somebody else", forge(t, rs256, stranger, kid, nil, nil), plain},
		{"unknown kid", forge(t, rs256, key(), "00000000-0000-4000-8000-000000000000", nil, nil), plain},
		{"kid that is SQL", forge(t, rs256, key(), "' OR 1=1 --", nil, nil), plain},
		{"no kid", forge(t, rs256, key(), kid, m{"kid": nil}, nil), plain},
		{"no typ", forge(t, rs256, key(), kid, m{"typ": nil}, nil), typed},
		{"other typ", forge(t, rs256, key(), kid, m{"typ": "at+jwt"}, nil), typed},
		{"crit", forge(t, rs256, key(), kid, m{"crit": []string{"exp"}}, nil), plain},
		{"b64", forge(t, rs256, key(), kid, m{"b64": false}, nil), plain},
		{"embedded jwk", forge(t, rs256, stranger, kid, m{"jwk": m{"kty": "RSA"}}, nil), plain},
		{"x5u", forge(t, rs256, key(), kid, m{"x5u": "https://evil.example/k"}, nil), plain},
		{"wrong iss", forge(t, rs256, key(), kid, nil, m{"iss": "evil.example"}), plain},
		{"no iss", forge(t, rs256, key(), kid, nil, m{"iss": nil}), plain},
		{"wrong aud", forge(t, rs256, key(), kid, nil, m{"aud": "evil.example"}), plain},
		{"no aud", forge(t, rs256, key(), kid, nil, m{"aud": nil}), plain},
		{"no iat", forge(t, rs256, key(), kid, nil, m{"iat": nil}), plain},
		{"no exp", forge(t, rs256, key(), kid, nil, m{"exp": nil}), plain},
		{"expired", forge(t, rs256, key(), kid, nil, m{"iat": now - 7200, "exp": now - 60}), plain},
		{"lives 86401 seconds", forge(t, rs256, key(), kid, nil, m{"iat": now, "exp": now + 86401}), plain},
		{"from 120 seconds ahead", forge(t, rs256, key(), kid, nil, m{"iat": now + 120, "exp": now + 3600}), plain},
		{"not valid yet", forge(t, rs256, key(), kid, nil, m{"nbf": now + 3600}), plain},
		{"iat is a text", forge(t, rs256, key(), kid, nil, m{"iat": "now"}), plain},
		{"claims in another case", forge(t, rs256, key(), kid, nil, m{"ISS": issuer}), plain},
		{"signature cut", good[:len(good)-4], plain},
		{"no signature", confused + ".", plain},
		{"two parts", confused, plain},
		{"white space", parts[0] + ". " + parts[1] + "." + parts[2], plain},
		{"not a token", "token", plain},
		{"operator token", operator, typed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, call := range [][2]string{{"DELETE", "/sessions/" + session.text("session_id")}, {"GET", "/application"}} {
				got := s.call(call[0], call[1], "", "Authorization", "Bearer "+tt.token)
				wantError(t, got, 401, openbanking.UnauthorizedAccess, "")
				if got.text("message") != tt.message {
					t.Errorf("message %q, want %q", got.text("message"), tt.message)
				}
			}
		})
	}
	if got := s.call("GET", "/sessions/"+session.text("session_id"), ""); got.text("status") != "AUTHORIZED" {
		t.Errorf("a forged token changed the session: %s", got.raw)
	}
	if len(s.bank.Ended()) != 0 {
		t.Error("a forged token ended the consent at the bank")
	}
	for _, token := range []string{good, operator, s.token} {
		if log := s.log.String(); strings.Contains(log, token) || strings.Contains(log, token[len(token)-40:]) {
			t.Error("the log holds a token")
		}
	}
}

// TestAuthorizationHeader: api-notes 1, AUTHORIZATION_NOT_PROVIDED and UNAUTHORIZED_ACCESS, on every endpoint.
func TestAuthorizationHeader(t *testing.T) {
	t.Parallel()
	s := start(t)
	tests := []struct {
		header string
		code   openbanking.ErrorCode
	}{
		{"", openbanking.AuthorizationNotProvided},
		{"Bearer", openbanking.UnauthorizedAccess},
		{"Bearer ", openbanking.UnauthorizedAccess},
		{"Basic dXNlcjpwYXNz", openbanking.UnauthorizedAccess},
		{s.token, openbanking.UnauthorizedAccess},
	}
	for _, route := range api.Routes() {
		path := strings.NewReplacer("{session_id}", "x", "{account_id}", "x", "{transaction_id}", "x", "{payment_id}", "x", "{id}", "x", "{$}",
			"").Replace(route.Path)
		for _, tt := range tests {
			got := s.call(route.Method, path, "{}", "Authorization", tt.header)
			if route.Access == api.Public {
				if got.status == 401 || got.status == 404 {
					t.Errorf("%s %s with %q: %d %s", route.Method, path, tt.header, got.status, got.raw)
				}
				continue
			}
			if route.Access.Panel() {
				if got.status != 401 || got.text("error.message") != "Unauthorized" {
					t.Errorf("%s %s with %q: %d %s", route.Method, path, tt.header, got.status, got.raw)
				}
				continue
			}
			wantError(t, got, 401, tt.code, "")
		}
	}
	for _, header := range []string{"bearer " + s.token, "BEARER " + s.token, "Bearer   " + s.token, "Bearer " + s.token + " "} {
		if got := s.call("GET", "/application", "", "Authorization", header); got.status != 200 {
			t.Errorf("%.10q… is refused: %s", header, got.raw)
		}
	}
}

// TestInactiveApplication: api-notes 2, 403 without an error key on every endpoint but GET /application.
func TestInactiveApplication(t *testing.T) {
	t.Parallel()
	s := start(t)
	app, token := s.register(openbanking.EnvironmentProduction)
	for _, route := range api.Routes() {
		if route.Access.Panel() {
			continue
		}
		got := s.call(route.Method, route.Path, "", "Authorization", "Bearer "+token)
		if route.Path != "/application" {
			wantError(t, got, 403, "", "")
			if got.text("message") != "Application is not active" {
				t.Errorf("message %q", got.text("message"))
			}
			continue
		}
		if got.status != 200 || got.body["active"] != false || got.text("kid") != app.ID || got.text("environment") != "PRODUCTION" {
			t.Errorf("GET /application: %d %s", got.status, got.raw)
		}
	}
}

// TestOperatorTokenRules: the bearer of POST /api/applications is good for 3600 s and of its own kind (api-notes 3).
func TestOperatorTokenRules(t *testing.T) {
	t.Parallel()
	s := start(t)
	sign := func(at time.Time) string {
		token, err := s.registry.OperatorToken(at)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	good := sign(time.Now())
	at := strings.LastIndexByte(good, '.') + 1 // the first letter of the signature
	altered := good[:at] + map[bool]string{true: "B", false: "A"}[good[at] == 'A'] + good[at+1:]
	tests := []struct {
		name, token string
		status      int
	}{
		{"fresh", good, 200},
		{"59 minutes old", sign(time.Now().Add(-59 * time.Minute)), 200},
		{"an hour old", sign(time.Now().Add(-time.Hour - time.Second)), 401},
		{"from the future", sign(time.Now().Add(time.Minute)), 401},
		{"application token", s.token, 401},
		{"altered", altered, 401},
		{"another type", forge(t, jwt.SigningMethodHS256, []byte("guess"), "", nil, nil), 401},
	}
	body, err := json.Marshal(map[string]any{"certificate": certificate(), "environment": "SANDBOX", "name": "N", "redirect_urls": []string{callback}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		got := s.call("POST", "/api/applications", string(body), "Authorization", "Bearer "+tt.token)
		if got.status != tt.status || (tt.status == 401) != (got.text("error.message") != "") {
			t.Errorf("%s: %d %s", tt.name, got.status, got.raw)
		}
	}
}

var rs256 = jwt.SigningMethodRS256
