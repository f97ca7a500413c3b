// Package openidtest is a provider of OpenID Connect for tests that tells whatever lies it is asked to.
package openidtest

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// The client that the provider knows.
const (
	ClientID     = "florin"
	ClientSecret = "a secret of the client"
)

// Person is somebody who has an account at the provider.
type Person struct {
	Subject, Email string
	Methods        []string
}

// Provider is a provider on loopback. Whoever comes to its authorisation endpoint is Person, and comes back at once.
type Provider struct {
	*httptest.Server

	mu       sync.Mutex
	person   Person
	lies     Lies
	visits   map[string]visit // by code
	keys     []key            // the newest signs
	requests map[string]int   // by path
}

type visit struct {
	nonce, challenge, redirect string
	person                     Person
	fresh                      bool
}

type key struct {
	id      string
	private ed25519.PrivateKey
}

// Lies are what a provider gets wrong; the zero value is an honest one.
type Lies struct {
	Metadata func(m map[string]any)                                          // changed before they are sent
	Claims   func(c jwt.MapClaims)                                           // changed before they are signed
	Sign     func(t jwt.MapClaims, honest func(jwt.MapClaims) string) string // the ID token in place of the honest one
	Answer   func(q url.Values)                                              // what the browser brings back, changed
	Token    func(w http.ResponseWriter, r *http.Request) bool               // answers in place of the token endpoint when it returns true
	Serve    func(w http.ResponseWriter, r *http.Request) bool               // answers in place of every endpoint when it returns true
	UserInfo func(m map[string]any)                                          // changed before they are sent
	NoPKCE   bool                                                            // takes every verifier
	CodesBad bool                                                            // takes each code again and again
}

// New starts an honest provider, which ends with the test.
func New(t testing.TB) *Provider {
	p := &Provider{visits: make(map[string]visit), requests: make(map[string]int), person: Person{Subject: "subject-of-ada", Email: "ada@home.example"}}
	p.ChangeKey()
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

// Be sets who comes to the provider from now on.
func (p *Provider) Be(who Person) { p.set(func() { p.person = who }) }

// Lie sets what the provider gets wrong from now on.
func (p *Provider) Lie(l Lies) { p.set(func() { p.lies = l }) }

// ChangeKey takes a new key, and publishes no other.
func (p *Provider) ChangeKey() {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	p.set(func() { p.keys = []key{{id: rand.Text(), private: private}} })
}

// Requests is how often a path was asked for.
func (p *Provider) Requests(path string) (n int) {
	p.set(func() { n = p.requests[path] })
	return n
}

func (p *Provider) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// ServeHTTP answers as the provider.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.requests[r.URL.Path]++
	serve := p.lies.Serve
	p.mu.Unlock()
	if serve != nil && serve(w, r) {
		return
	}
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		m := map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
			"userinfo_endpoint": p.URL + "/userinfo", "id_token_signing_alg_values_supported": []string{"EdDSA"},
		}
		p.set(func() {
			if p.lies.Metadata != nil {
				p.lies.Metadata(m)
			}
		})
		write(w, http.StatusOK, m)
	case "/keys":
		var list []map[string]string
		p.set(func() {
			for _, k := range p.keys {
				list = append(list, map[string]string{"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": k.id,
					"x": base64.RawURLEncoding.EncodeToString(k.private.Public().(ed25519.PublicKey))})
			}
		})
		write(w, http.StatusOK, map[string]any{"keys": list})
	case "/authorize":
		p.authorize(w, r)
	case "/token":
		p.token(w, r)
	case "/userinfo":
		m := map[string]any{}
		p.set(func() {
			m["sub"], m["email"] = p.person.Subject, p.person.Email
			if p.lies.UserInfo != nil {
				p.lies.UserInfo(m)
			}
		})
		write(w, http.StatusOK, m)
	default:
		http.NotFound(w, r)
	}
}

func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || q.Get("client_id") != ClientID || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("nonce") == "" {
		http.Error(w, "not what OpenID Connect asks for", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	answer := url.Values{"state": {q.Get("state")}, "code": {code}}
	p.set(func() {
		p.visits[code] = visit{q.Get("nonce"), q.Get("code_challenge"), q.Get("redirect_uri"), p.person, q.Get("prompt") == "login" && q.Get("max_age") == "0"}
		if p.lies.Answer != nil {
			p.lies.Answer(answer)
		}
	})
	back.RawQuery = answer.Encode()
	http.Redirect(w, r, back.String(), http.StatusSeeOther) //nolint:gosec // it sends everybody back to where they came from
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lies.Token != nil && p.lies.Token(w, r) {
		return
	}
	if id, secret, ok := r.BasicAuth(); !ok || id != ClientID || secret != url.QueryEscape(ClientSecret) {
		write(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	}
	v, known := p.visits[r.PostFormValue("code")]
	if !p.lies.CodesBad {
		delete(p.visits, r.PostFormValue("code"))
	}
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	proven := base64.RawURLEncoding.EncodeToString(sum[:]) == v.challenge || p.lies.NoPKCE
	if !known || !proven || r.PostFormValue("redirect_uri") != v.redirect {
		write(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant", "error_description": "a text of the provider"})
		return
	}
	now := time.Now()
	claims := jwt.MapClaims{"iss": p.URL, "sub": v.person.Subject, "aud": ClientID, "nonce": v.nonce, "iat": now.Unix(), "exp": now.Add(time.Minute).Unix()}
	if v.person.Email != "" {
		claims["email"] = v.person.Email
	}
	if v.person.Methods != nil {
		claims["amr"] = v.person.Methods
	}
	if v.fresh {
		claims["auth_time"] = now.Unix()
	}
	if p.lies.Claims != nil {
		p.lies.Claims(claims)
	}
	sign := p.sign
	if p.lies.Sign != nil {
		sign = func(c jwt.MapClaims) string { return p.lies.Sign(c, p.sign) }
	}
	write(w, http.StatusOK, map[string]any{"access_token": rand.Text(), "token_type": "Bearer", "expires_in": 60, "id_token": sign(claims)})
}

func (p *Provider) sign(claims jwt.MapClaims) string {
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims)
	token.Header["kid"] = p.keys[0].id
	text, err := token.SignedString(p.keys[0].private)
	if err != nil {
		panic(err)
	}
	return text
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
