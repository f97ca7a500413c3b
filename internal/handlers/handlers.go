// Package handlers puts the web app together: its areas, which are the packages below this one, in one route table behind one chain of middleware. What
// all areas stand in is package shell; how banks, accounts and times are written on pages is package show.
package handlers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"florin/internal/attachments"
	"florin/internal/auth"
	"florin/internal/handlers/legal"
	banks "florin/internal/handlers/linking"
	"florin/internal/handlers/offers"
	"florin/internal/handlers/shell"
	"florin/internal/linking"
	"florin/internal/live"
	"florin/internal/middleware"
	"florin/internal/outbox"
	"florin/internal/payments"
	"florin/internal/providers"
	"florin/internal/store"
	"florin/internal/syncer"
	"florin/web/templates/words"
)

// policy is the policy of every page, and in addition: browsers may install Florin (ADR 0066), and only app.js, under the name "florin", may turn text
// into HTML, or an address into that of a worker (security T19, T85).
const policy = middleware.ContentSecurityPolicy + "; manifest-src 'self'; worker-src 'self'; require-trusted-types-for 'script'; trusted-types florin"

// Options are what the web app needs. All are required unless it says otherwise.
type Options struct {
	Store       *store.Store
	Auth        *auth.Auth
	Linking     *linking.Linking
	Payments    *payments.Payments
	Providers   *providers.Providers
	Syncer      *syncer.Syncer
	Hub         *live.Hub
	Attachments *attachments.Folder
	Outbox      *outbox.Outbox
	Messages    *outbox.Messages
	Chosen      func()       // called when people have chosen what they are told; nil for nothing
	WakeEdits   func()       // asks for store.AdvanceEdits to be called
	Webhooks    http.Handler // POST /webhooks/{provider}; it bounds what it reads by itself

	Operator       legal.Operator // who runs this Florin, for its public pages
	PublicURL      *url.URL       // scheme and host. With https, cookies are Secure and have a __Host- name (ADR 0004)
	CookieKeys     [][]byte       // secrets of 32 bytes or more for the flow cookie: the first is used, the others are still accepted
	TrustedProxies []netip.Prefix
	Simulated      *url.URL       // where this server's own simulated banks are; nil when it runs none
	Logo           banks.Logo     // of banks
	Version        string         // of Florin, shown in the settings
	Location       *time.Location // in which times are shown; nil is the machine's own
	Log            *slog.Logger
	Ready          func(ctx context.Context) error // for /readyz
	Trouble        func() []words.Message          // messages for the owner about the state of this server; nil: none
}

// App is the web app as an http.Handler. Its streams end when the hub is closed: register Hub.Close with http.Server.RegisterOnShutdown.
type App struct {
	Options
	shell   *shell.Shell
	routes  []shell.Route
	router  *http.ServeMux
	handler http.Handler
}

// New builds the web app. The error names the option that is missing or wrong.
func New(o Options) (*App, error) {
	if o.Store == nil || o.Auth == nil || o.Linking == nil || o.Payments == nil || o.Providers == nil || o.Syncer == nil || o.Hub == nil ||
		o.Attachments == nil || o.Outbox == nil || o.Messages == nil || o.Webhooks == nil || o.WakeEdits == nil || o.Log == nil || o.Ready == nil {
		return nil, errors.New("handlers: Store, Auth, Linking, Payments, Providers, Syncer, Hub, Attachments, Outbox, Messages, Webhooks, WakeEdits, Log and Ready are required")
	}
	if o.PublicURL == nil || o.PublicURL.Host == "" || o.PublicURL.Scheme != "http" && o.PublicURL.Scheme != "https" {
		return nil, errors.New("handlers: PublicURL has a scheme, http or https, and a host")
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	o.Ready = middleware.Remember(o.Ready, time.Second)
	https := o.PublicURL.Scheme == "https"
	offered := offers.New(o.Payments, o.Log)
	s, err := shell.New(shell.Options{Store: o.Store, Auth: o.Auth, Hub: o.Hub, Log: o.Log, HTTPS: https, CookieKeys: o.CookieKeys,
		Location: o.Location, Trouble: o.Trouble})
	if err != nil {
		return nil, err
	}
	a := &App{Options: o, shell: s}
	a.routes = routesOf(s, newAreas(s, o, offered, a.isPage))

	forgery := http.NewCrossOriginProtection()
	if err := forgery.AddTrustedOrigin(o.PublicURL.Scheme + "://" + o.PublicURL.Host); err != nil {
		return nil, fmt.Errorf("handlers: PublicURL: %w", err)
	}
	forgery.SetDenyHandler(s.Plain(func(*shell.Visitor) *shell.Problem { return &shell.Problem{Status: http.StatusForbidden} }))
	a.router = a.mux()
	pages := middleware.Chain(a.router,
		a.limitBody,
		middleware.Compress,
		middleware.Recover(o.Log, s.Plain(func(*shell.Visitor) *shell.Problem { return &shell.Problem{Status: http.StatusInternalServerError} })),
		middleware.Hosts([]string{o.PublicURL.Host}, s.Plain(shell.ForeignHost)),
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

// limitBody bounds the body of every request: larger where a form says so.
func (a *App) limitBody(next http.Handler) http.Handler {
	small, large := middleware.MaxBody(shell.MaxBody)(next), make(map[string]http.Handler)
	for _, route := range a.routes {
		if route.Files != nil {
			large[route.Method+" "+route.Pattern] = middleware.MaxBody(route.Files.Max)(next)
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			if pattern, _ := a.find(r.Method, r.URL.Path); large[pattern] != nil {
				large[pattern].ServeHTTP(w, r)
				return
			}
		}
		small.ServeHTTP(w, r)
	})
}

// webhooks lets webhooks go past what protects pages: they come from a service and not from a browser, and their answers are no pages. Everything else goes
// on to next.
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
