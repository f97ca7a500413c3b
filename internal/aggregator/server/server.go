// Package server assembles the aggregation service: its database, its secrets, the simulated banks, the API, the pages
// and the background work, behind one handler.
package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/api"
	"florin/internal/aggregator/banksites"
	"florin/internal/aggregator/engine"
	"florin/internal/aggregator/notify"
	"florin/internal/aggregator/pages"
	"florin/internal/aggregator/panel"
	"florin/internal/aggregator/registry"
	"florin/internal/aggregator/sandbox"
	"florin/internal/aggregator/site"
	"florin/internal/aggregator/storage"
	"florin/internal/apptoken"
	"florin/internal/jobs"
	"florin/internal/mailing"
	"florin/internal/middleware"
	"florin/internal/openbanking"
	"florin/internal/secretfile"
	"florin/internal/sqlite"
)

// Options are the settings of the service (architecture, addresses). DataDir, the three addresses, Issuers and Audiences
// are needed.
type Options struct {
	DataDir         string
	BaseURL         string           // public address of the API: scheme and host, without a path
	AuthURL         string           // of the pages for people, simulated banks included
	RegistrationURL string           // of POST /api/applications
	Issuers         []string         // of which application tokens have to name one; the first is the one that pages show
	Audiences       []string         // the same
	TLSURL          string           // of the certificates of webhooks: https; empty: DefaultTLSURL
	TLSCertificate  string           // file for TLSConfig; empty, like TLSKey: one of the service's own authority
	TLSKey          string           // file
	WebhookAllow    []string         // origins that webhooks of all applications may go to, without TLS and at private addresses too
	PaymentLimit    string           // largest amount of a payment, a decimal; empty: none
	SandboxPace     time.Duration    // one step of a payment at a simulated bank; zero: two seconds
	Catalogue       []byte           // more simulated banks, in the format of docs/sandbox.md; nil for none
	CodeLifetime    time.Duration    // of an authorisation code; zero: engine.DefaultCodeLifetime
	PageLifetime    time.Duration    // of an authorisation that nobody completes; zero: engine.DefaultPageLifetime
	BankTimeout     time.Duration    // that a bank has to answer; zero: engine.DefaultBankTimeout
	RateLimit       int              // requests a minute of each application; zero: no limit
	Mail            *mailing.Server  // sends the sign-in links of the control panel; nil: they lie in its outbox
	ContinueURLs    []string         // redirect addresses of programs that use the control panel's API
	SignUpDomains   []string         // of the e-mail addresses that may sign in there; none: all
	DiskReserve     uint64           // free bytes below which the service is not ready
	Damaged         func(error)      // is told when the database is found damaged; nil: the log alone
	TrustedProxies  []netip.Prefix   // whose X-Forwarded-For is believed
	Now             func() time.Time // nil: time.Now
	Log             *slog.Logger     // nil: nothing is logged
}

// DefaultTLSURL is where the certificates of webhooks are when nothing else is said.
const DefaultTLSURL = "https://localhost"

// Server is the assembled service.
type Server struct {
	folder       string
	reserve      uint64
	store        *storage.Store
	banks        *sandbox.Sandbox
	engine       *engine.Engine
	registry     *registry.Registry
	notifier     *notify.Notifier
	runner       *jobs.Runner
	handler      http.Handler
	certificates http.Handler
	tls          *tls.Config
	log          *slog.Logger
}

const (
	purgeEvery = 6 * time.Hour
	clampEvery = time.Hour // besides when the clock was set
)

// New opens the database, makes what is missing, and assembles the service. Nothing runs before Start. An error says in
// words what is wrong with the settings, the folder or the database.
func New(ctx context.Context, o Options) (_ *Server, err error) {
	for _, address := range []*string{&o.BaseURL, &o.AuthURL, &o.RegistrationURL} {
		if *address, err = origin(*address); err != nil {
			return nil, err
		}
	}
	if len(o.Issuers) == 0 || len(o.Audiences) == 0 {
		return nil, errors.New("the service needs an issuer and an audience for application tokens")
	}
	if o.TLSURL == "" {
		o.TLSURL = DefaultTLSURL
	}
	if o.TLSURL, err = origin(o.TLSURL); err != nil {
		return nil, err
	}
	if o.CodeLifetime == 0 {
		o.CodeLifetime = engine.DefaultCodeLifetime
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if err := os.MkdirAll(o.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("create the data folder: %w", err)
	}
	keys, err := loadKeys(filepath.Join(o.DataDir, "secrets"))
	if err != nil {
		return nil, err
	}
	store, err := storage.Open(ctx, filepath.Join(o.DataDir, "aggregator.db"))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, store.Close())
		}
	}()
	if o.Now == nil { // by the wall clock alone, as rows and certificates are: the monotonic one stands still while the machine sleeps
		o.Now = func() time.Time { return time.Now().Round(0) }
	}
	s := &Server{folder: o.DataDir, reserve: o.DiskReserve, store: store, runner: jobs.NewRunner(o.Log), log: o.Log}
	s.banks, err = sandbox.New(sandbox.Options{Catalogue: o.Catalogue, BaseURL: o.AuthURL, Flows: store, Pace: o.SandboxPace, Now: o.Now,
		ConsentEnded: s.consentEnded})
	if err != nil {
		return nil, err
	}
	notifier, err := notify.New(notify.Options{Store: store, Secret: keys.webhooks, URL: o.TLSURL, Allow: o.WebhookAllow, Now: o.Now, Log: o.Log})
	if err != nil {
		return nil, err
	}
	s.notifier = notifier
	if s.tls, err = notifier.TLSConfig(o.TLSCertificate, o.TLSKey); err != nil {
		return nil, err
	}
	outbox, send := s.mail(o)
	var verifier *apptoken.Verifier
	s.engine = engine.New(engine.Options{
		Store:        store,
		Connectors:   s.banks.Connector,
		List:         s.banks.Connectors,
		AuthURL:      o.AuthURL,
		LinkedURL:    o.RegistrationURL + registry.LinkedPath,
		Secrets:      keys.engine,
		CodeLifetime: o.CodeLifetime,
		PageLifetime: o.PageLifetime,
		BankTimeout:  o.BankTimeout,
		PaymentLimit: o.PaymentLimit,
		Now:          o.Now,
		Log:          o.Log,
	})
	s.registry = registry.New(registry.Options{
		Store:           store,
		Authorizations:  s.engine,
		List:            s.banks.Connectors,
		RegistrationURL: o.RegistrationURL,
		Secrets:         keys.registry,
		Mail:            send,
		SignUpDomains:   o.SignUpDomains,
		ContinueURLs:    o.ContinueURLs,
		KeysChanged:     func(id string) { verifier.Forget(id) },
		Now:             o.Now,
		Log:             o.Log,
	})
	verifier = apptoken.NewVerifier(o.Issuers, o.Audiences, s.registry.PublicKeys)
	s.runner.Add("expire sessions", s.engine.ExpireDue)
	s.runner.Add("purge", s.purge)
	s.registry.OnRequests(s.runner.Add("write requests", s.registry.WriteRequests).Wake)
	s.runner.Add("prune", s.registry.Prune)
	s.runner.Add("check database", jobs.After(sqlite.CheckAfter, store.Checks(func(err error) {
		o.Log.Error("database damaged", "error", err)
		if o.Damaged != nil {
			o.Damaged(err)
		}
	})))
	advance := s.runner.Add("advance payments", s.engine.AdvancePayments)
	s.engine.OnPayments(advance.Wake)
	deliver := s.runner.Add("deliver webhooks", notifier.Work)
	wakeWebhooks := func() {
		notifier.Wake()
		deliver.Wake()
	}
	s.engine.OnWebhooks(wakeWebhooks)
	s.registry.OnWebhooks(wakeWebhooks)
	s.runner.Add("clock", func(ctx context.Context) (time.Time, error) { // called early when the clock was set
		clamped, err := s.store.ClampDue(ctx, o.Now())
		if clamped > 0 {
			s.log.Warn("the clock was ahead: what was due by it is due now", "rows", clamped)
			advance.Wake()
			deliver.Wake()
		}
		return time.Now().Add(clampEvery), err
	})
	rest := api.Handler(api.Options{
		Engine:    s.engine,
		Registry:  s.registry,
		Verifier:  verifier,
		Log:       o.Log,
		RateLimit: o.RateLimit,
	})
	people := site.New(site.Options{AuthURL: o.AuthURL, Elsewhere: rest, Log: o.Log, DiskFull: storage.IsDiskFull})
	banks := banksites.Add(people, banksites.Options{Banks: s.banks, Authorizations: s.engine, CookieKey: keys.bank, Now: o.Now})
	pages.Add(people, pages.Options{
		Authorizations: s.engine,
		Linkers:        s.registry,
		Choice:         s.engine,
		Brands:         banks,
		CookieKey:      keys.service,
		Addresses: pages.Addresses{
			BaseURL:         o.BaseURL,
			AuthURL:         o.AuthURL,
			RegistrationURL: o.RegistrationURL,
			Issuer:          o.Issuers[0],
			Audiences:       o.Audiences,
			CodeLifetime:    o.CodeLifetime,
		},
		Now: o.Now,
	})
	developers := panel.New(panel.Options{
		Registry:        s.registry,
		Outbox:          outbox,
		Signer:          notifier,
		WebhookURL:      o.TLSURL,
		RootURL:         rootURL(o),
		CookieKey:       keys.panel,
		BaseURL:         o.BaseURL,
		AuthURL:         o.AuthURL,
		RegistrationURL: o.RegistrationURL,
		Issuer:          o.Issuers[0],
		Audience:        o.Audiences[0],
		Log:             o.Log,
		Now:             o.Now,
	})
	s.certificates = middleware.Chain(notifier.Handler(),
		middleware.RequestID,
		middleware.AccessLog(o.Log),
		middleware.SecurityHeaders(middleware.Policy{}), // never Strict-Transport-Security, which is for all ports of a host
		middleware.MaxBody(site.MaxForm),
		middleware.Recover(o.Log, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "Something went wrong.", http.StatusInternalServerError)
		})),
	)
	s.handler = middleware.Chain(s.dispatch(rest, middleware.MaxBody(site.MaxForm)(developers.Handler()), people.Handler(), notifier.Handler()),
		middleware.RequestID,
		middleware.ClientAddress(o.TrustedProxies),
		middleware.AccessLog(o.Log),
		middleware.SecurityHeaders(middleware.Policy{
			HTTPS:                 strings.HasPrefix(o.AuthURL, "https:"),
			ContentSecurityPolicy: site.ContentSecurityPolicy,
		}),
		middleware.Compress,
		middleware.Recover(o.Log, people.Failure()),
		middleware.Hosts(hosts(o), s.dispatch(http.HandlerFunc(api.RefuseHost), people.ForeignHost(), people.ForeignHost(), people.ForeignHost())),
	)
	return s, nil
}

// keys are the secrets of the service. They belong in the backup: without the one of the account hashes every account gets
// new hashes (api-notes 5).
type keys struct {
	engine   engine.Secrets
	registry registry.Secrets
	service  []byte // cookies of the service's pages
	bank     []byte // cookies of the banks' sites
	panel    []byte // cookies of the control panel

	webhooks [32]byte // private keys of webhooks: with a new one they are made anew
}

func loadKeys(folder string) (keys, error) {
	var k keys
	for name, key := range map[string]*[32]byte{
		"service-hash":         &k.engine.Hash,
		"service-continuation": &k.engine.Continuation,
		"service-state":        &k.engine.State,
		"service-operator":     &k.registry.Operator,
		"service-developer":    &k.registry.Developer,
		"service-credentials":  &k.engine.Credentials,
		"service-webhooks":     &k.webhooks,
	} {
		secret, err := secretfile.Load(folder, name, len(key))
		if err != nil {
			return k, err
		}
		copy(key[:], secret)
	}
	for name, key := range map[string]*[]byte{"service-cookies": &k.service, "service-bank-cookies": &k.bank, "service-panel-cookies": &k.panel} {
		secret, err := secretfile.Load(folder, name, site.KeySize)
		if err != nil {
			return k, err
		}
		*key = secret
	}
	return k, nil
}

// origin checks a public address and takes the slash from its end. Paths of the service begin at the root.
func origin(address string) (string, error) {
	trimmed := strings.TrimSuffix(address, "/")
	u, err := url.Parse(trimmed)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || trimmed != u.Scheme+"://"+u.Host {
		return "", fmt.Errorf("%q is not an address of the form https://host or http://host:port", address)
	}
	return trimmed, nil
}

// hosts are the hosts of the public addresses.
func hosts(o Options) []string {
	var list []string
	for _, address := range []string{o.BaseURL, o.AuthURL, o.RegistrationURL, o.TLSURL} {
		_, host, _ := strings.Cut(address, "://") // see origin
		list = append(list, host)
	}
	return list
}

// rootURL is where people find the certificate of the authority, empty where the listener has a certificate from elsewhere.
func rootURL(o Options) string {
	if o.TLSCertificate != "" {
		return ""
	}
	return o.BaseURL + notify.RootPath
}

// consentEnded is how a simulated bank tells the service that a consent is over. Should it fail, the next call for data finds out.
func (s *Server) consentEnded(ctx context.Context, bank openbanking.ASPSP, reference string, revoked bool) {
	if err := s.engine.ConsentEnded(context.WithoutCancel(ctx), bank, reference, revoked); err != nil {
		s.log.ErrorContext(ctx, "session not ended with its consent", "bank", bank.Name, "country", bank.Country, "error", err)
	}
}

// Handler serves the API, the pages and the probes. It may be mounted at once; the answers are right before Start too.
func (s *Server) Handler() http.Handler { return s.handler }

// Certificates serves the certificates of webhooks, to be mounted behind TLSConfig. Handler serves them too, for a reverse
// proxy and for people who install the one of the authority.
func (s *Server) Certificates() http.Handler { return s.certificates }

// TLSConfig is the TLS side of Certificates.
func (s *Server) TLSConfig() *tls.Config { return s.tls }

// mail returns what takes the mails of the service: a queue before a mail server, or an outbox, which it returns too.
func (s *Server) mail(o Options) (outbox *mailing.Outbox, send func(registry.Mail)) {
	var take func(mailing.Mail)
	if o.Mail == nil {
		outbox = mailing.NewOutbox(o.Log)
		take = outbox.Send
	} else {
		queue := mailing.NewQueue(o.Mail.Deliver, o.Now, o.Log)
		queue.OnMail(s.runner.Add("send mails", queue.Work).Wake)
		take = queue.Send
	}
	return outbox, func(m registry.Mail) {
		take(mailing.Mail{To: m.To, Subject: m.Subject, Text: m.Text, Written: o.Now(), Until: m.Until})
	}
}

// dispatch sends a request to the API, to the control panel, to the certificates or to the site by the first part of its path, so that each
// surface answers its own errors in its own way: JSON or a page.
func (s *Server) dispatch(rest, developers, site, certificates http.Handler) http.Handler {
	probes := http.NewServeMux()
	ready := middleware.Remember(s.Ready, time.Second)
	probes.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { probe(w, nil) })
	probes.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
		defer cancel()
		probe(w, ready(ctx))
	})
	surfaces := map[string]http.Handler{"healthz": middleware.Route(probes), "readyz": middleware.Route(probes)}
	for _, route := range api.Routes() {
		surfaces[first(route.Path)] = rest
	}
	surfaces[first(panel.Path)] = developers
	surfaces[first(notify.Path)] = certificates
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if surface, ok := surfaces[first(r.URL.Path)]; ok {
			surface.ServeHTTP(w, r)
			return
		}
		site.ServeHTTP(w, r)
	})
}

// first returns the first part of a path, after the slashes and dots that a client may have put before it.
func first(p string) string {
	if strings.Contains(p, "/.") || strings.Contains(p, "//") { // no client of ours
		p = path.Clean("/" + p)
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
	return name
}

func probe(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "not ready\n")
		return
	}
	_, _ = io.WriteString(w, "ok\n")
}

// TakeOver ends what an earlier process held. Call it before Start, and only when no other process serves the data directory.
func (s *Server) TakeOver(ctx context.Context) error { return s.store.TakeOver(ctx) }

// Start begins the background work. It goes on until ctx ends or Stop is called.
func (s *Server) Start(ctx context.Context) { s.runner.Start(ctx) }

// Stop ends the background work, waits for it, writes what is left of the request log, and closes the database. No request
// may be under way, and none may follow.
func (s *Server) Stop(ctx context.Context) error {
	return errors.Join(s.runner.Stop(ctx), s.registry.FlushRequests(ctx), s.store.Close())
}

// Ready returns nil while the database is sound and can be written, the disk has room, and the background work goes on. The cause goes to the log too.
func (s *Server) Ready(ctx context.Context) error {
	err := errors.Join(s.store.Ping(ctx), sqlite.CheckSpace(s.folder, s.reserve), s.runner.Healthy())
	if err != nil {
		s.log.WarnContext(ctx, "service is not ready", "error", err)
	}
	return err
}

// OperatorToken makes a bearer token for POST /api/applications, good for an hour (api-notes 3).
func (s *Server) OperatorToken() (string, error) { return s.registry.OperatorToken(time.Now()) }

// OperatorLink returns a link that opens the operator's pages of the control panel, once, within registry.OperatorLinkLifetime.
func (s *Server) OperatorLink(ctx context.Context) (string, error) {
	return s.registry.OperatorLink(ctx)
}

// Register stores a new application (spec: Application registration payload). origins are those to which webhooks may be
// sent. A field that breaks a rule gives an *openbanking.Error that names it.
func (s *Server) Register(ctx context.Context, request openbanking.RegisterApplicationRequest, origins []string) (aggregator.Application, error) {
	return s.registry.Register(ctx, request, origins)
}

// GrantPayments lets an application of PRODUCTION initiate payments (spec: Environments and activation).
func (s *Server) GrantPayments(ctx context.Context, id string) error {
	return s.registry.GrantPayments(ctx, id)
}

// GrantWebhooks lets the payment webhooks of an application that Register, or the operator's token, registered go to these origins, and to no others.
func (s *Server) GrantWebhooks(ctx context.Context, id string, origins []string) error {
	return s.registry.GrantWebhooks(ctx, id, origins)
}

// WebhookAuthority is the certificate to which those of the webhooks chain, and that of the TLS listener unless it has one from elsewhere.
func (s *Server) WebhookAuthority(ctx context.Context) (*x509.Certificate, error) {
	return s.notifier.Authority(ctx)
}

// purge removes what is long over, at the service and at the simulated banks.
func (s *Server) purge(ctx context.Context) (next time.Time, err error) {
	return time.Now().Add(purgeEvery), errors.Join(s.engine.Purge(ctx), s.banks.Purge(ctx))
}
