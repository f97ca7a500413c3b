package openid

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"go.uber.org/goleak"

	"florin/internal/finance"
	"florin/internal/openid/openidtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const back = "http://localhost:8080/sign-in/provider/return"

// florin is a client of a provider.
func florin(t *testing.T, p *openidtest.Provider) *Provider {
	t.Helper()
	c := New(Client{Issuer: p.URL, ID: openidtest.ClientID, Secret: openidtest.ClientSecret, RedirectURL: back})
	t.Cleanup(c.http.CloseIdleConnections)
	return c
}

// answer goes to the provider and returns what the browser brings back.
func answer(t *testing.T, c *Provider, v Visit) (url.Values, error) {
	t.Helper()
	address, err := c.Address(t.Context(), v)
	if err != nil {
		return nil, err
	}
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer browser.CloseIdleConnections()
	r, err := browser.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	to, err := r.Location()
	if err != nil {
		t.Fatalf("%s: %v", r.Status, err)
	}
	if got := to.Scheme + "://" + to.Host + to.Path; got != back {
		t.Fatalf("the browser comes back to %s", got)
	}
	if q := to.Query(); q.Get("state") != v.State.Reveal() {
		t.Fatalf("the state is %q", q.Get("state"))
	}
	return to.Query(), nil
}

// visit goes to the provider and back.
func visit(t *testing.T, c *Provider, v Visit) (Identity, error) {
	t.Helper()
	q, err := answer(t, c, v)
	if err != nil {
		return Identity{}, err
	}
	return c.Redeem(t.Context(), v, q)
}

func fault(t *testing.T, err error) Fault {
	t.Helper()
	e, is := errors.AsType[*Error](err)
	if !is {
		t.Fatalf("the error is %v", err)
	}
	return e.Fault
}

func TestAnHonestProvider(t *testing.T) {
	p := openidtest.New(t)
	c := florin(t, p)
	p.Be(openidtest.Person{Subject: "7", Email: "ada@home.example", Methods: []string{"pwd", "mfa"}})
	who, err := visit(t, c, c.NewVisit(false))
	if err != nil || who.Issuer != p.URL || who.Subject != "7" || who.Email != "ada@home.example" || !who.SecondFactor() || !who.SignedIn.IsZero() {
		t.Fatalf("%+v, %v", who, err)
	}
	if who, err = visit(t, c, c.NewVisit(true)); err != nil || time.Since(who.SignedIn).Abs() > time.Minute {
		t.Fatalf("anew: %+v, %v", who, err)
	}
	if n := p.Requests("/.well-known/openid-configuration"); n != 1 {
		t.Errorf("the metadata were read %d times", n)
	}
	if n := p.Requests("/keys"); n != 1 {
		t.Errorf("the keys were read %d times", n)
	}
}

// TestNothingIsAskedBeforeAVisit: the start waits for no provider.
func TestNothingIsAskedBeforeAVisit(t *testing.T) {
	c := New(Client{Issuer: "http://127.0.0.1:1", ID: "florin", RedirectURL: back})
	if _, err := c.Address(t.Context(), c.NewVisit(false)); fault(t, err) != Unreachable {
		t.Error(err)
	}
}

// TestEachVisitHasItsOwnSecrets: nothing in the address helps somebody else, and none of it comes twice.
func TestEachVisitHasItsOwnSecrets(t *testing.T) {
	p := openidtest.New(t)
	c := florin(t, p)
	a, b := c.NewVisit(false), c.NewVisit(false)
	if a.State == b.State || a.Nonce == b.Nonce || a.Verifier == b.Verifier || len(a.State) < 26 || len(a.Nonce) < 26 || len(a.Verifier) < 43 {
		t.Fatalf("%+v\n%+v", a, b)
	}
	address, err := c.Address(t.Context(), a)
	if err != nil || strings.Contains(address, a.Verifier.Reveal()) || strings.Contains(address, url.QueryEscape(openidtest.ClientSecret)) {
		t.Fatal(address, err)
	}
	q, err := answer(t, c, a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Redeem(t.Context(), b, q); fault(t, err) != Used { // the verifier of another visit
		t.Error(err)
	}
	p.Lie(openidtest.Lies{NoPKCE: true})
	if q, err = answer(t, c, a); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Redeem(t.Context(), b, q); fault(t, err) != Untrusted { // the nonce of another visit
		t.Error(err)
	}
}

func TestACodeIsGoodOnce(t *testing.T) {
	p := openidtest.New(t)
	c := florin(t, p)
	v := c.NewVisit(false)
	q, err := answer(t, c, v)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Redeem(t.Context(), v, q); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Redeem(t.Context(), v, q); fault(t, err) != Used {
		t.Error(err)
	}
}

// TestLies: whatever a provider gets wrong, nobody is signed in, and the error says what it was without a word of the provider's.
func TestLies(t *testing.T) {
	set := func(name string, value any) openidtest.Lies {
		return openidtest.Lies{Claims: func(c jwt.MapClaims) { c[name] = value }}
	}
	drop := func(name string) openidtest.Lies {
		return openidtest.Lies{Claims: func(c jwt.MapClaims) { delete(c, name) }}
	}
	ago := func(d time.Duration) int64 { return time.Now().Add(-d).Unix() }
	sign := func(f func(c jwt.MapClaims, honest func(jwt.MapClaims) string) string) openidtest.Lies {
		return openidtest.Lies{Sign: f}
	}
	said := func(name, value string) openidtest.Lies {
		return openidtest.Lies{Answer: func(q url.Values) { q.Set(name, value) }}
	}
	with := func(name string, value any) openidtest.Lies {
		return openidtest.Lies{Metadata: func(m map[string]any) { m[name] = value }}
	}
	endpoint := func(status int, body string) openidtest.Lies {
		return openidtest.Lies{Token: func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
			return true
		}}
	}
	for name, lie := range map[string]struct {
		lies  openidtest.Lies
		fresh bool
		want  Fault // "" for none
	}{
		"another issuer":         {lies: set("iss", "https://other.example"), want: Untrusted},
		"an issuer with a slash": {lies: openidtest.Lies{Claims: func(c jwt.MapClaims) { c["iss"] = c["iss"].(string) + "/" }}, want: Untrusted},
		"no issuer":              {lies: drop("iss"), want: Untrusted},
		"another audience":       {lies: set("aud", "somebody else"), want: Untrusted},
		"no audience":            {lies: drop("aud"), want: Untrusted},
		"two audiences":          {lies: set("aud", []string{openidtest.ClientID, "somebody else"}), want: Untrusted},
		"two audiences, ours": {lies: openidtest.Lies{Claims: func(c jwt.MapClaims) {
			c["aud"], c["azp"] = []string{"other", openidtest.ClientID}, openidtest.ClientID
		}}},
		"given to another":           {lies: set("azp", "somebody else"), want: Untrusted},
		"another nonce":              {lies: set("nonce", "another"), want: Untrusted},
		"no nonce":                   {lies: drop("nonce"), want: Untrusted},
		"no subject":                 {lies: drop("sub"), want: Untrusted},
		"a subject that is a number": {lies: set("sub", 7), want: Untrusted},
		"a very long subject":        {lies: set("sub", strings.Repeat("s", 256)), want: Untrusted},
		"another access token":       {lies: set("at_hash", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), want: Untrusted},
		"expired":                    {lies: set("exp", ago(3*time.Minute)), want: Clock},
		"expired a minute ago":       {lies: set("exp", ago(time.Minute))},
		"no end":                     {lies: drop("exp"), want: Untrusted},
		"an end that is a text":      {lies: set("exp", "tomorrow"), want: Untrusted},
		"no beginning":               {lies: drop("iat"), want: Untrusted},
		"of the future":              {lies: set("iat", ago(-3*time.Minute)), want: Clock},
		"a minute ahead":             {lies: set("iat", ago(-time.Minute))},
		"good later":                 {lies: set("nbf", ago(-3*time.Minute)), want: Clock},
		"not signed in anew":         {lies: set("auth_time", ago(time.Hour)), fresh: true, want: Stale},
		"signed in tomorrow":         {lies: set("auth_time", ago(-24*time.Hour)), fresh: true, want: Stale},
		"does not say when":          {lies: drop("auth_time"), fresh: true, want: Stale},
		"an old sign-in":             {lies: set("auth_time", ago(time.Hour))},
		"methods that are a text":    {lies: set("amr", "mfa")},
		"an address that is a list":  {lies: set("email", []string{"a@b.example"})},

		"not signed": {lies: sign(func(c jwt.MapClaims, _ func(jwt.MapClaims) string) string {
			text, _ := jwt.NewWithClaims(jwt.SigningMethodNone, c).SignedString(jwt.UnsafeAllowNoneSignatureType)
			return text
		}), want: Untrusted},
		"signed with the secret of the client": {lies: sign(func(c jwt.MapClaims, _ func(jwt.MapClaims) string) string {
			text, _ := jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString([]byte(openidtest.ClientSecret))
			return text
		}), want: Untrusted},
		"claims changed after signing": {lies: sign(func(c jwt.MapClaims, honest func(jwt.MapClaims) string) string {
			parts := strings.Split(honest(c), ".")
			text, _ := base64.RawURLEncoding.DecodeString(parts[1])
			parts[1] = base64.RawURLEncoding.EncodeToString(bytes.Replace(text, []byte("subject-of-ada"), []byte("subject-of-bob"), 1))
			return strings.Join(parts, ".")
		}), want: Untrusted},
		"a subject in two spellings": {lies: openidtest.Lies{Claims: func(c jwt.MapClaims) { c["SUB"] = "subject-of-bob" }}, want: Untrusted},
		"no ID token":                {lies: sign(func(jwt.MapClaims, func(jwt.MapClaims) string) string { return "" }), want: Untrusted},
		"no token at all":            {lies: sign(func(jwt.MapClaims, func(jwt.MapClaims) string) string { return "a.b.c" }), want: Untrusted},

		"the answer of another issuer": {lies: said("iss", "https://other.example"), want: Untrusted},
		"an answer without its issuer": {lies: with("authorization_response_iss_parameter_supported", true), want: Untrusted},
		"declined":                     {lies: said("error", "access_denied"), want: Declined},
		"an error":                     {lies: said("error", "server_error"), want: Refused},
		"no code":                      {lies: openidtest.Lies{Answer: func(q url.Values) { q.Del("code") }}, want: Untrusted},
		"two codes":                    {lies: openidtest.Lies{Answer: func(q url.Values) { q.Add("code", "other") }}, want: Untrusted},
		"another code":                 {lies: said("code", "other"), want: Used},

		"another name":            {lies: with("issuer", "https://other.example"), want: Misnamed},
		"a login without TLS":     {lies: with("authorization_endpoint", "http://other.example/authorize"), want: Untrusted},
		"tokens without TLS":      {lies: with("token_endpoint", "http://other.example/token"), want: Untrusted},
		"keys without TLS":        {lies: with("jwks_uri", "http://other.example/keys"), want: Untrusted},
		"a file":                  {lies: with("authorization_endpoint", "file:///etc/passwd"), want: Untrusted},
		"a login with a user":     {lies: with("authorization_endpoint", "https://home.example@evil.example/"), want: Untrusted},
		"no login":                {lies: with("authorization_endpoint", ""), want: Untrusted},
		"metadata of wrong types": {lies: with("token_endpoint_auth_methods_supported", 7), want: Untrusted},

		"an unknown client":      {lies: endpoint(400, `{"error":"invalid_client"}`), want: Unregistered},
		"a wrong secret":         {lies: endpoint(401, `{}`), want: Unregistered},
		"an error of the token":  {lies: endpoint(400, `{"error":"temporarily_unavailable"}`), want: Refused},
		"a broken token":         {lies: endpoint(200, `{"access_token":`), want: Unreachable},
		"an error without words": {lies: endpoint(500, `<html>`), want: Unreachable},
		"a huge token":           {lies: endpoint(200, `{"access_token":"`+strings.Repeat("x", mostBytes)+`"}`), want: Unreachable},
		"a redirect":             {lies: endpoint(302, ``), want: Unreachable},
		"user info of another": {lies: openidtest.Lies{Claims: func(c jwt.MapClaims) { delete(c, "email") },
			UserInfo: func(m map[string]any) { m["sub"] = "subject-of-bob" }}, want: Untrusted},
	} {
		t.Run(name, func(t *testing.T) {
			p := openidtest.New(t)
			p.Lie(lie.lies)
			c := florin(t, p)
			who, err := visit(t, c, c.NewVisit(lie.fresh))
			if lie.want == "" {
				if err != nil || who.Subject != "subject-of-ada" || who.SecondFactor() {
					t.Errorf("%+v, %v", who, err)
				}
				return
			}
			if got := fault(t, err); got != lie.want || who.Subject != "" {
				t.Errorf("%q, want %q: %v", got, lie.want, err)
			}
			for _, foreign := range []string{"subject-of", "a text of the provider", "ada@", openidtest.ClientSecret} {
				if strings.Contains(err.Error(), foreign) {
					t.Errorf("the error tells %q: %v", foreign, err)
				}
			}
		})
	}
}

// TestTheAddressComesFromTheUserInfo where the ID token holds none.
func TestTheAddressComesFromTheUserInfo(t *testing.T) {
	p := openidtest.New(t)
	p.Lie(openidtest.Lies{Claims: func(c jwt.MapClaims) { delete(c, "email") }})
	c := florin(t, p)
	if who, err := visit(t, c, c.NewVisit(false)); err != nil || who.Email != "ada@home.example" {
		t.Errorf("%+v, %v", who, err)
	}
}

// TestAKeyThatChanges is found by the next sign-in, and a token with a key that nobody knows makes one look, not many.
func TestAKeyThatChanges(t *testing.T) {
	p := openidtest.New(t)
	c := florin(t, p)
	for want := 1; want <= 3; want++ {
		if _, err := visit(t, c, c.NewVisit(false)); err != nil {
			t.Fatal(err)
		}
		if n := p.Requests("/keys"); n != want {
			t.Errorf("after %d changes the keys were read %d times", want-1, n)
		}
		p.ChangeKey()
	}
	before := p.Requests("/keys")
	p.Lie(openidtest.Lies{Sign: func(claims jwt.MapClaims, honest func(jwt.MapClaims) string) string {
		parts := strings.Split(honest(claims), ".")
		parts[0] = base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"EdDSA","kid":"nobody knows it"}`))
		return strings.Join(parts, ".")
	}})
	if _, err := visit(t, c, c.NewVisit(false)); fault(t, err) != Untrusted {
		t.Error(err)
	}
	if n := p.Requests("/keys") - before; n != 1 {
		t.Errorf("an unknown key made %d looks", n)
	}
}

// TestAProviderThatHangs holds few calls, each of them for a bounded time, and is left alone for a moment after it failed.
func TestAProviderThatHangs(t *testing.T) {
	p := openidtest.New(t)
	arrived := make(chan struct{}, 1)
	p.Lie(openidtest.Lies{Serve: func(_ http.ResponseWriter, r *http.Request) bool {
		arrived <- struct{}{}
		<-r.Context().Done()
		return true
	}})
	c := florin(t, p)
	if c.http.Timeout != callWithin {
		t.Fatal("a call has no end")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 { // of people who wait no longer
		if _, err := c.Address(gone, c.NewVisit(false)); fault(t, err) != Unreachable {
			t.Fatal(err)
		}
	}
	c.mu.Lock()
	look := c.looking
	c.mu.Unlock()
	if look == nil {
		t.Fatal("nobody looks")
	}
	<-arrived
	p.CloseClientConnections() // the first look fails
	<-look.done
	p.Lie(openidtest.Lies{Serve: func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	}})
	if n := p.Requests("/.well-known/openid-configuration"); n != 1 {
		t.Errorf("20 people made %d calls", n)
	}
	if _, err := c.Address(t.Context(), c.NewVisit(false)); fault(t, err) != Unreachable || p.Requests("/.well-known/openid-configuration") > 1 {
		t.Errorf("it is asked again at once: %v", err)
	}
	c.now = func() time.Time { return time.Now().Add(pauseAfter) }
	if _, err := c.Address(t.Context(), c.NewVisit(false)); fault(t, err) != Unreachable || p.Requests("/.well-known/openid-configuration") != 2 {
		t.Errorf("it is not asked again after a while: %v", err)
	}
}

// TestCallsAtTheSameTimeAreBounded: a token endpoint that hangs holds eight visits; the next one is told at once.
func TestCallsAtTheSameTimeAreBounded(t *testing.T) {
	p := openidtest.New(t)
	c := florin(t, p)
	v := c.NewVisit(false)
	q, err := answer(t, c, v)
	if err != nil {
		t.Fatal(err)
	}
	for range atOnce {
		c.slots <- struct{}{}
	}
	if _, err := c.Redeem(t.Context(), v, q); fault(t, err) != Unreachable || p.Requests("/token") != 0 {
		t.Error(err)
	}
	<-c.slots
	if _, err := c.Redeem(t.Context(), v, q); err != nil {
		t.Error(err)
	}
}

// TestMetadataAreReadAgain: an address that moved is found within the hour.
func TestMetadataAreReadAgain(t *testing.T) {
	p := openidtest.New(t)
	c := florin(t, p)
	for _, later := range []time.Duration{0, reloadAfter - time.Second, reloadAfter + time.Second} {
		c.now = func() time.Time { return time.Now().Add(later) }
		if _, err := c.Address(t.Context(), c.NewVisit(false)); err != nil {
			t.Fatal(err)
		}
	}
	if n := p.Requests("/.well-known/openid-configuration"); n != 2 {
		t.Errorf("they were read %d times", n)
	}
}

func TestSecretsStayOut(t *testing.T) {
	v := Visit{State: "state", Verifier: finance.Secret("verifier")}
	if text := v.State.String() + v.Verifier.String(); strings.Contains(text, "state") || strings.Contains(text, "verifier") {
		t.Error(text)
	}
}
