// Package openid lets a provider of OpenID Connect say who somebody is: the authorisation code flow with PKCE (OpenID Connect Core 1.0, RFC 7636,
// RFC 9207, RFC 9700). It keeps nothing: who asks keeps the Visit, gives it to one answer alone, and binds it to the browser.
package openid

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"florin/internal/finance"
	"florin/internal/publicnet"
)

// Client is this Florin as the provider knows it, and where the provider is.
type Client struct {
	Issuer      string // exactly as the provider names itself
	ID          string
	Secret      finance.Secret // "" where the provider gave none
	RedirectURL string
	Name        string // of the provider, for people
}

// Provider is a provider of OpenID Connect. It is safe for use by many goroutines. Nothing is asked of it before the first visit.
type Provider struct {
	client Client
	http   *http.Client
	now    func() time.Time
	slots  chan struct{} // calls at the same time

	mu      sync.Mutex
	known   *metadata
	looking *search // for the metadata; nil when nobody looks
	failed  time.Time
}

// metadata is what the provider says of itself (OpenID Connect Discovery 1.0).
type metadata struct {
	*oidc.Provider
	oauth  oauth2.Config
	names  bool // it names itself in each answer (RFC 9207)
	loaded time.Time
}

// search is a look for the metadata that is under way.
type search struct {
	done  chan struct{}
	found *metadata
	err   error
}

const (
	callWithin    = 10 * time.Second // for one call, however slowly the provider answers
	reloadAfter   = time.Hour        // the metadata
	pauseAfter    = 5 * time.Second  // a failure to read them
	atOnce        = 8                // calls of visitors; a provider that hangs holds no more of them
	mostBytes     = 256 << 10        // of an answer
	clockSkew     = 2 * time.Minute  // between the clocks of the provider and of this machine
	longestText   = 255              // of a subject (OpenID Connect Core 1.0, section 2)
	longestAnswer = 4096             // of a code or an error
)

// algorithms are those that an ID token may be signed with: all of them use a key of the provider's that this Florin cannot sign with.
var algorithms = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA}

// New returns the provider of the client.
func New(c Client) *Provider {
	transport := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DisableCompression:    true, // so that the bound of bytes holds
		TLSHandshakeTimeout:   callWithin / 2,
		ResponseHeaderTimeout: callWithin,
		MaxIdleConnsPerHost:   2,
		IdleConnTimeout:       30 * time.Second,
		ForceAttemptHTTP2:     true,
	}
	return &Provider{client: c, now: time.Now, slots: make(chan struct{}, atOnce), http: &http.Client{
		Transport:     bounded{transport},
		Timeout:       callWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Issuer is the provider's own name for itself. A subject means something together with it alone.
func (p *Provider) Issuer() string { return p.client.Issuer }

// Name is what people call the provider.
func (p *Provider) Name() string { return p.client.Name }

// RedirectURL is where the provider sends people back to; it has to be registered there.
func (p *Provider) RedirectURL() string { return p.client.RedirectURL }

// Visit is one way to the provider and back. Its answer counts once, for this visit alone.
type Visit struct {
	State    finance.Secret // comes back with the answer
	Nonce    string         // comes back in the ID token
	Verifier finance.Secret // proves to the provider that the answer is ours (RFC 7636)
	Fresh    bool           // the person signs in anew there, signed in or not
	Begun    time.Time
}

// NewVisit returns a visit with new secrets.
func (p *Provider) NewVisit(fresh bool) Visit {
	return Visit{State: finance.Secret(rand.Text()), Nonce: rand.Text(), Verifier: finance.Secret(oauth2.GenerateVerifier()), Fresh: fresh, Begun: p.now()}
}

// Address returns where the browser goes for the visit. The error is an *Error.
func (p *Provider) Address(ctx context.Context, v Visit) (string, error) {
	known, err := p.metadata(ctx)
	if err != nil {
		return "", err
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(v.Nonce), oauth2.S256ChallengeOption(v.Verifier.Reveal())}
	if v.Fresh {
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	return known.oauth.AuthCodeURL(v.State.Reveal(), options...), nil
}

// Identity is who the provider says somebody is. Issuer and subject are the name that lasts; all else may change, or be said of somebody else.
type Identity struct {
	Issuer, Subject string
	Email           string    // "" where the provider tells none
	SignedIn        time.Time // when the person last signed in there; zero where the provider does not say
	Methods         []string  // how: amr (RFC 8176)
}

// SecondFactor reports whether the provider says that the person proved two things there (RFC 8176: mfa).
func (i Identity) SecondFactor() bool { return slices.Contains(i.Methods, "mfa") }

// Redeem reads the provider's answer to a visit, which the browser brought, and asks for the ID token. The error is an *Error.
func (p *Provider) Redeem(ctx context.Context, v Visit, answer url.Values) (Identity, error) {
	known, err := p.metadata(ctx)
	if err != nil {
		return Identity{}, err
	}
	code, err := p.code(known, answer)
	if err != nil {
		return Identity{}, err
	}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	default:
		return Identity{}, &Error{Unreachable, "too many visits are at the token endpoint"}
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.http), 2*callWithin)
	defer cancel()
	token, err := known.oauth.Exchange(ctx, code, oauth2.VerifierOption(v.Verifier.Reveal()))
	if err != nil {
		return Identity{}, exchangeError(err)
	}
	said, err := p.verify(ctx, known, v, token)
	if err != nil {
		return Identity{}, err
	}
	return p.withEmail(ctx, known, token, said)
}

// code is the authorisation code of an answer of this provider.
func (p *Provider) code(known *metadata, answer url.Values) (string, error) {
	for _, values := range answer {
		if len(values) > 1 || len(values[0]) > longestAnswer {
			return "", &Error{Untrusted, "a value of the answer comes twice or is too long"} // RFC 6749, section 3.1
		}
	}
	issuer := answer.Get("iss")
	switch {
	case issuer != "" && issuer != p.client.Issuer:
		return "", &Error{Untrusted, "the answer names another issuer"}
	case issuer == "" && known.names:
		return "", &Error{Untrusted, "the answer names no issuer, and the provider says that it always does"}
	case answer.Get("error") == "access_denied":
		return "", &Error{Declined, "access_denied"}
	case answer.Has("error"):
		return "", &Error{Refused, "the answer is an error: " + word(answer.Get("error"))}
	case answer.Get("code") == "":
		return "", &Error{Untrusted, "the answer has no code"}
	}
	return answer.Get("code"), nil
}

// exchangeError says why the provider gave no token.
func exchangeError(err error) error {
	refused, is := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case is && (refused.ErrorCode == "invalid_client" || refused.ErrorCode == "unauthorized_client"):
		return &Error{Unregistered, "the token endpoint refuses this client: " + word(refused.ErrorCode)}
	case is && refused.ErrorCode == "invalid_grant":
		return &Error{Used, "the token endpoint refuses the code"}
	case is && refused.ErrorCode != "":
		return &Error{Refused, "the token endpoint answers: " + word(refused.ErrorCode)}
	case is && refused.Response != nil && refused.Response.StatusCode == http.StatusUnauthorized:
		return &Error{Unregistered, "the token endpoint answers 401"}
	case is:
		return &Error{Unreachable, "the token endpoint answers with no token and no error of OAuth"}
	}
	return unreachable("the token endpoint", err)
}

// metadata returns what the provider says of itself. It is read when it is first needed, and again each hour; many who wait share one look. Whoever stops
// waiting stops nobody else.
func (p *Provider) metadata(ctx context.Context) (*metadata, error) {
	p.mu.Lock()
	now := p.now()
	if p.known != nil && now.Sub(p.known.loaded).Abs() < reloadAfter {
		defer p.mu.Unlock()
		return p.known, nil
	}
	if p.looking == nil && now.Sub(p.failed).Abs() < pauseAfter {
		defer p.mu.Unlock()
		return nil, &Error{Unreachable, "its metadata could not be read a moment ago"}
	}
	if p.looking == nil {
		p.looking = &search{done: make(chan struct{})}
		go p.look(context.WithoutCancel(ctx), p.looking)
	}
	look := p.looking
	p.mu.Unlock()
	select {
	case <-look.done:
		return look.found, look.err
	case <-ctx.Done():
		return nil, &Error{Unreachable, "nobody waits for its metadata any more"}
	}
}

func (p *Provider) look(ctx context.Context, s *search) {
	s.found, s.err = p.discover(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.looking = nil
	if s.err == nil {
		p.known = s.found
	} else {
		p.failed = p.now()
	}
	close(s.done)
}

// discover reads the metadata. The client's own time limit bounds it.
func (p *Provider) discover(ctx context.Context) (*metadata, error) {
	ctx = oidc.ClientContext(ctx, p.http)
	found, err := oidc.NewProvider(ctx, p.client.Issuer)
	if other, is := errors.AsType[*oidc.IssuerMismatchError](err); is {
		return nil, &Error{Misnamed, "its metadata name the issuer " + word(other.Discovered)}
	}
	if err != nil {
		return nil, unreachable("its metadata", err)
	}
	var said struct {
		Keys    string   `json:"jwks_uri"`
		Names   bool     `json:"authorization_response_iss_parameter_supported"`
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := found.Claims(&said); err != nil {
		return nil, &Error{Untrusted, "its metadata have a field of the wrong type"}
	}
	endpoint := found.Endpoint()
	for _, address := range []string{endpoint.AuthURL, endpoint.TokenURL, said.Keys} {
		if !secure(address) {
			return nil, &Error{Untrusted, "its metadata name an address that does not begin with https"}
		}
	}
	if user := found.UserInfoEndpoint(); user != "" && !secure(user) {
		return nil, &Error{Untrusted, "its metadata name an address that does not begin with https"}
	}
	// The two ways to send the secret are never tried one after the other: a code is good for one try.
	endpoint.AuthStyle = oauth2.AuthStyleInHeader // what a provider takes that does not say (OpenID Connect Discovery 1.0, section 3)
	if p.client.Secret == "" || len(said.Methods) > 0 && !slices.Contains(said.Methods, "client_secret_basic") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return &metadata{Provider: found, names: said.Names, loaded: p.now(), oauth: oauth2.Config{
		ClientID: p.client.ID, ClientSecret: p.client.Secret.Reveal(), Endpoint: endpoint, RedirectURL: p.client.RedirectURL,
		Scopes: []string{oidc.ScopeOpenID, oidc.ScopeEmail},
	}}, nil
}

// secure reports whether an address of the provider may be used: over TLS, or on this machine.
func secure(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Hostname() != "" && u.User == nil && (u.Scheme == "https" || u.Scheme == "http" && publicnet.Loopback(u.Hostname()))
}

// word is a code of the provider's for the log: nothing but letters, digits and the signs of addresses, and short.
func word(text string) string {
	plain := strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f && r != '"' {
			return r
		}
		return '?'
	}, text)
	return plain[:min(len(plain), 80)]
}
