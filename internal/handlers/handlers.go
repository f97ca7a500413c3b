// Package handlers is the HTTP side of the web app: the route table, forms, sign-in sessions, the pages' view models, error pages and the
// stream of live changes.
package handlers

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/gorilla/sessions"

	"florin/internal/auth"
	"florin/internal/linking"
	"florin/internal/live"
	"florin/internal/middleware"
	"florin/internal/payments"
	"florin/internal/providers"
	"florin/internal/store"
	"florin/internal/syncer"
	"florin/web/templates/paths"
)

// maxBody bounds the body of every request, but for the one form that takes a file: forms are small.
const maxBody = 64 << 10

// policy is the policy of every page, and in addition: only app.js, under the name "florin", may turn text into HTML (security T19).
const policy = middleware.ContentSecurityPolicy + "; require-trusted-types-for 'script'; trusted-types florin"

// Options are what the web app needs. All are required unless it says otherwise.
type Options struct {
	Store     *store.Store
	Auth      *auth.Auth
	Linking   *linking.Linking
	Payments  *payments.Payments
	Providers *providers.Providers
	Syncer    *syncer.Syncer
	Hub       *live.Hub
	Webhooks  http.Handler // POST /webhooks/{provider}; it bounds what it reads by itself

	PublicURL      *url.URL // scheme and host. With https, cookies are Secure and have a __Host- name (ADR 0004)
	CookieKeys     [][]byte // secrets of 32 bytes or more for the flow cookie: the first is used, the others are still accepted
	TrustedProxies []netip.Prefix
	SimulatedHost  string         // host of this server's own simulated banks; "" when it runs none
	Version        string         // of Florin, shown in the settings
	Location       *time.Location // in which times are shown; nil is the machine's own
	Log            *slog.Logger
	Ready          func(ctx context.Context) error // for /readyz
	Trouble        func() []string                 // sentences for the owner about the state of this server; nil: none
}

// App is the web app as an http.Handler. Its streams end when the hub is closed: register Hub.Close with http.Server.RegisterOnShutdown.
type App struct {
	Options
	sessions    *scs.SessionManager
	flows       *sessions.CookieStore
	flowName    string
	browsers    *sessions.CookieStore
	browserName string
	router      *http.ServeMux
	handler     http.Handler
	owned       atomic.Bool // there is an owner; never taken back
	offers      *offers
}

// New builds the web app. The error names the option that is missing or wrong.
func New(o Options) (*App, error) {
	if o.Store == nil || o.Auth == nil || o.Linking == nil || o.Payments == nil || o.Providers == nil || o.Syncer == nil || o.Hub == nil || o.Webhooks == nil || o.Log == nil || o.Ready == nil {
		return nil, errors.New("handlers: Store, Auth, Linking, Payments, Providers, Syncer, Hub, Webhooks, Log and Ready are required")
	}
	if o.PublicURL == nil || o.PublicURL.Host == "" || o.PublicURL.Scheme != "http" && o.PublicURL.Scheme != "https" {
		return nil, errors.New("handlers: PublicURL has a scheme, http or https, and a host")
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	keys, err := cookieKeys(o.CookieKeys)
	if err != nil {
		return nil, err
	}
	o.Ready = middleware.Remember(o.Ready, time.Second)
	a := &App{Options: o, offers: newOffers(o.Payments, o.Log)}
	https := o.PublicURL.Scheme == "https"
	a.sessions = a.newSessions(https)
	a.flows, a.flowName = newFlows(https, keys), cookieName(flowCookie, https)
	a.browsers, a.browserName = newBrowsers(https, keys), cookieName(browserCookie, https)

	forgery := http.NewCrossOriginProtection()
	if err := forgery.AddTrustedOrigin(o.PublicURL.Scheme + "://" + o.PublicURL.Host); err != nil {
		return nil, fmt.Errorf("handlers: PublicURL: %w", err)
	}
	forgery.SetDenyHandler(a.plain(&problem{status: http.StatusForbidden}))
	a.router = a.mux()
	pages := middleware.Chain(a.router,
		limitBody,
		middleware.Compress,
		middleware.Recover(o.Log, a.plain(&problem{status: http.StatusInternalServerError})),
		middleware.Hosts([]string{o.PublicURL.Host}, a.plain(&foreignHost)),
		forgery.Handler,
		middleware.Route,
	)
	a.handler = middleware.Chain(a.webhooks(pages),
		middleware.RequestID,
		middleware.ClientAddress(o.TrustedProxies),
		middleware.AccessLog(o.Log),
		middleware.SecurityHeaders(middleware.Policy{HTTPS: https, ContentSecurityPolicy: policy}),
	)
	return a, nil
}

// limitBody bounds the body of every request.
func limitBody(next http.Handler) http.Handler {
	small, large := middleware.MaxBody(maxBody)(next), middleware.MaxBody(maxUpload)(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == paths.PayBulk {
			large.ServeHTTP(w, r)
			return
		}
		small.ServeHTTP(w, r)
	})
}

// webhooks lets webhooks go past what protects pages: they come from a service and not from a browser, and their answers are no pages. Everything else goes on to next.
func (a *App) webhooks(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/webhooks/{provider}", a.Webhooks)
	receiver := middleware.Chain(mux,
		middleware.Recover(a.Log, status(http.StatusInternalServerError)),
		middleware.Hosts([]string{a.PublicURL.Host}, status(http.StatusMisdirectedRequest)),
		middleware.Route,
	)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern != "" {
			receiver.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// status answers with a status and its name alone.
func status(code int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, http.StatusText(code), code) })
}

// ServeHTTP answers a request.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

// cookieKeys derives a key for signing and one for encrypting from each secret.
func cookieKeys(secrets [][]byte) ([][]byte, error) {
	if len(secrets) == 0 {
		return nil, errors.New("handlers: CookieKeys has at least one secret")
	}
	var pairs [][]byte
	for _, secret := range secrets {
		if len(secret) < 32 {
			return nil, errors.New("handlers: each of CookieKeys has 32 bytes or more")
		}
		for _, purpose := range []string{"florin app cookies signing", "florin app cookies encryption"} {
			key, err := hkdf.Key(sha256.New, secret, nil, purpose, 32)
			if err != nil {
				return nil, err
			}
			pairs = append(pairs, key)
		}
	}
	return pairs, nil
}

// cookieName is the name of a cookie (ADR 0004).
func cookieName(name string, https bool) string {
	if https {
		return "__Host-" + name
	}
	return name
}
