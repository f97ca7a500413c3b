// Package panel is the control panel of the service: developers sign in with a one-time link, register applications and
// look after their keys, addresses, own accounts and request logs. More pages are for the operator, who opens them with a
// one-time link from a terminal. Everything works without scripts, except making a key in the browser; there are other ways to a key.
package panel

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"florin/internal/aggregator/registry"
	"florin/internal/mailing"
	"florin/internal/middleware"
)

// Path is where the panel lives; it ends with a slash.
const Path = "/panel/"

// Options are what New needs; all but Outbox, RootURL and Now.
type Options struct {
	Registry        *registry.Registry
	Outbox          *mailing.Outbox // nil: mails leave by a mail server
	CookieKey       []byte          // KeySize random bytes
	BaseURL         string          // of the API
	AuthURL         string          // of the hosted pages
	RegistrationURL string          // of the panel
	Issuer          string
	Audience        string
	Signer          Signer // of webhooks
	WebhookURL      string // under which the certificates of webhooks are
	RootURL         string // of the root certificate behind that; empty: one that systems trust
	Log             *slog.Logger
	Now             func() time.Time // nil: time.Now
}

// Panel serves the control panel. Use New.
type Panel struct {
	registry        *registry.Registry
	outbox          *mailing.Outbox
	cookie          *cookie // of a developer
	operatorCookie  *cookie
	baseURL         string
	registrationURL string
	issuer          string
	audience        string
	signer          Signer
	webhookDomain   string // the host of x5u
	rootURL         string
	policy          string
	made            *madeKeys
	making          *rate.Limiter // of keys made on the server
	log             *slog.Logger
	now             func() time.Time
}

// New returns the panel. It panics when the key has not KeySize bytes.
func New(o Options) *Panel {
	secure := strings.HasPrefix(o.RegistrationURL, "https:")
	p := &Panel{
		registry:        o.Registry,
		outbox:          o.Outbox,
		cookie:          newCookie(o.CookieKey, "florin-panel", registry.SignInLifetime, secure),
		operatorCookie:  newCookie(o.CookieKey, "florin-operator", registry.OperatorLifetime, secure),
		baseURL:         o.BaseURL,
		registrationURL: o.RegistrationURL,
		issuer:          o.Issuer,
		audience:        o.Audience,
		signer:          o.Signer,
		rootURL:         o.RootURL,
		policy:          policy(o.AuthURL, o.RegistrationURL),
		made:            newMadeKeys(),
		making:          rate.NewLimiter(rate.Every(2*time.Second), 10),
		log:             o.Log,
		now:             o.Now,
	}
	if u, err := url.Parse(o.WebhookURL); err == nil {
		p.webhookDomain = u.Hostname()
	}
	if p.now == nil {
		p.now = time.Now
	}
	return p
}

// policy is the content security policy of every page (security T19). Linking accounts is a form that ends at the hosted pages.
func policy(authURL, registrationURL string) string {
	forms := "'self'"
	if authURL != registrationURL {
		forms += " " + authURL
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action " + forms +
		"; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
}

// Handler serves every address below Path. Forms from other sites are refused (security T21).
func (p *Panel) Handler() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, handler func(http.ResponseWriter, *http.Request) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := handler(w, r); err != nil {
				p.fail(w, r, err)
			}
		})
	}
	mine := func(pattern string, handler func(http.ResponseWriter, *developerRequest) error) {
		handle(pattern, func(w http.ResponseWriter, r *http.Request) error { return p.signedIn(w, r, handler) })
	}
	handle("GET /panel/sign-in", p.signInPage)
	handle("POST /panel/sign-in", p.askForLink)
	handle("GET /panel/sent", p.sentPage)
	handle("POST /panel/confirm", p.confirm)
	mine("POST /panel/sign-out", p.signOut)
	mine("GET /panel/account", p.accountPage)
	mine("POST /panel/account/end", p.endSignIn)

	mine("GET /panel/{$}", p.applications)
	mine("GET /panel/applications/new", p.newPage)
	mine("POST /panel/applications", p.register)
	mine("GET /panel/applications/{id}", p.application)
	mine("POST /panel/applications/{id}/pause", p.pause)
	mine("POST /panel/applications/{id}/resume", p.resume)
	mine("GET /panel/applications/{id}/settings", p.settingsPage)
	mine("POST /panel/applications/{id}/settings", p.saveSettings)
	mine("GET /panel/applications/{id}/delete", p.deletePage)
	mine("POST /panel/applications/{id}/delete", p.deleteApplication)
	mine("GET /panel/applications/{id}/keys", p.keysPage)
	mine("POST /panel/applications/{id}/keys", p.addKey)
	mine("POST /panel/applications/{id}/keys/{key}/end", p.endKey)
	mine("GET /panel/applications/{id}/key", p.keyPage)
	mine("GET /panel/applications/{id}/key.pem", p.keyFile)
	mine("POST /panel/applications/{id}/key/saved", p.keySaved)
	mine("GET /panel/applications/{id}/accounts", p.accountsPage)
	mine("POST /panel/applications/{id}/accounts/link", p.link)
	mine("POST /panel/applications/{id}/accounts/unlink", p.unlink)
	mine("GET /panel/linked", p.linked)
	mine("GET /panel/applications/{id}/requests", p.requests)
	for _, route := range []struct {
		method, rest string
		handler      func(http.ResponseWriter, *applicationRequest) error
	}{
		{"GET", "", p.webhooks}, {"GET", "/verify", p.verifyPage}, {"GET", "/{webhook}", p.webhook}, {"POST", "/{webhook}/again", p.sendAgain},
	} {
		mine(route.method+" /panel/applications/{id}/webhooks"+route.rest, p.placed(route.handler))
		handle(route.method+" /panel/operator/applications/{id}/webhooks"+route.rest, p.operatorAlone(p.operated(route.handler)))
	}

	operators := func(pattern string, handler func(http.ResponseWriter, *http.Request) error) {
		handle(pattern, p.operatorAlone(handler))
	}
	handle("GET /panel/operator/open", p.openPage)
	handle("POST /panel/operator/open", p.open)
	operators("GET /panel/operator", p.operatorPage)
	operators("POST /panel/operator/close", p.close)
	operators("POST /panel/operator/applications/{id}/approve", p.approve)
	operators("POST /panel/operator/applications/{id}/payments/grant", p.grantPayments)
	operators("POST /panel/operator/applications/{id}/payments/withdraw", p.withdrawPayments)
	handle("/", func(http.ResponseWriter, *http.Request) error { return errNoPage })

	protection := http.NewCrossOriginProtection()
	if err := protection.AddTrustedOrigin(p.registrationURL); err != nil {
		panic("panel: " + err.Error()) // New's caller has checked the address
	}
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.fail(w, r, errOtherSite) }))
	guarded := middleware.Route(protection.Handler(mux))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", p.policy)
		guarded.ServeHTTP(w, r)
	})
}

// form reads the fields of a form.
func form(r *http.Request) (url.Values, error) {
	if err := r.ParseForm(); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return nil, errLargeForm
		}
		return nil, errBrokenForm
	}
	return r.PostForm, nil
}
