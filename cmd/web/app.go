package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"florin/internal/aggregator/server"
	"florin/internal/apptoken"
	"florin/internal/attachments"
	"florin/internal/auth"
	"florin/internal/bank"
	"florin/internal/buildinfo"
	"florin/internal/config"
	"florin/internal/courier"
	"florin/internal/debits"
	"florin/internal/finance"
	"florin/internal/handlers"
	"florin/internal/handlers/legal"
	"florin/internal/handlers/letters"
	"florin/internal/handlers/notifications"
	"florin/internal/handlers/transactions"
	"florin/internal/jobs"
	"florin/internal/linking"
	"florin/internal/live"
	"florin/internal/logos"
	"florin/internal/openbanking"
	"florin/internal/openid"
	"florin/internal/outbox"
	"florin/internal/payments"
	"florin/internal/providers"
	"florin/internal/publicnet"
	"florin/internal/settling"
	"florin/internal/sqlite"
	"florin/internal/store"
	"florin/internal/syncer"
	"florin/internal/webhook"
	"florin/web/templates/paths"
)

// app is the assembled web app.
type app struct {
	store     *store.Store
	auth      *auth.Auth
	hub       *live.Hub
	runner    *jobs.Runner
	clients   *clients
	payments  *payments.Payments
	providers *providers.Providers
	webhooks  *webhooks
	trouble   *trouble
	handler   http.Handler

	attachments *attachments.Folder
	logos       *logos.Logos
}

// clampEvery is how often tasks that are due too late are looked for, in addition to each time that the clock is set.
const clampEvery = time.Hour

// recurringEvery is how often new and changed rows are searched for series: once for all pages of a sync, not after each page.
const recurringEvery = 30 * time.Second

// debitsEvery is how often new and changed rows are searched for direct debits, in addition to the end of each sync, because imported files bring some too.
const debitsEvery = 30 * time.Second

// forecastEvery is how often Florin checks whether today's forecasts have been stored.
const forecastEvery = time.Hour

// remindEvery is how often Florin looks for consents that end, in addition to the time of the next reminder, because banks are linked in between.
const remindEvery = time.Hour

// watchEvery is how often Florin looks for events about which people want to be notified, in addition to when they change their choice, because new rows are
// searched only after they are indexed.
const watchEvery = time.Minute

// logosFolder is the folder with the logos of banks in the data directory. It may be emptied at any time.
const logosFolder = "logos"

// cleanEvery is how often expired rows are deleted from the app's database.
const cleanEvery = 6 * time.Hour

// newApp opens the app's database and assembles the web app. The caller closes the store.
func newApp(ctx context.Context, s config.Settings, log *slog.Logger) (_ *app, err error) {
	log = log.With("half", "app")
	db, err := openStore(ctx, s)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, db.Close())
		}
	}()
	a := &app{store: db, auth: auth.New(db, signingIn(s)...), hub: live.NewHub(),
		runner: jobs.NewRunner(log), clients: newClients(s), webhooks: newWebhooks(s, db), trouble: newTrouble(s)}
	sync := syncer.New(db, func(_ context.Context, p finance.Provider) (syncer.API, error) { return a.clients.of(p) }, a.hub, log)
	sync.StaleAfter = s.RefreshAfter
	sync.Register(a.runner)
	a.payments = payments.New(payments.Options{
		Store:      db,
		Connect:    func(_ context.Context, p finance.Provider) (payments.API, error) { return a.clients.of(p) },
		Hub:        a.hub,
		WebhookURL: a.webhooks.url,
		News:       sync.Paid,
		Log:        log,
	})
	a.payments.Register(a.runner)
	transfers := a.runner.Add("transfers", db.FindTransfers)
	db.WhenRowsChanged(func() {
		a.payments.Booked()
		transfers.Wake()
	})
	a.runner.Add("recurring", func(ctx context.Context) (next time.Time, err error) {
		if next, err = db.FindRecurring(ctx); next.IsZero() {
			next = time.Now().Add(recurringEvery)
		}
		return next, err
	})
	watch := a.runner.Add("direct debits", func(ctx context.Context) (time.Time, error) {
		next, users, err := db.WatchDebits(ctx)
		for _, userID := range users {
			a.hub.Publish(userID, live.Event{Topic: debits.Topic})
		}
		if next.IsZero() {
			next = time.Now().Add(debitsEvery)
		}
		return next, err
	})
	a.runner.Add("forecasts", func(ctx context.Context) (time.Time, error) {
		now := time.Now()
		return now.Add(forecastEvery), db.KeepForecasts(ctx, now)
	})
	index := a.runner.Add("search index", db.TendIndex)
	sync.Synced = func() {
		a.payments.Booked()
		transfers.Wake()
		watch.Wake()
		index.Wake()
	}
	a.runner.Add("clock", func(ctx context.Context) (time.Time, error) { // called early when the clock was set
		clamped, err := db.ClampDue(ctx)
		if clamped > 0 {
			log.Warn("the clock was ahead: what was due by it is due now", "rows", clamped)
			sync.Wake()
			a.payments.Wake()
		}
		return time.Now().Add(clampEvery), err
	})
	ended := a.runner.Add("ended sign-ins", func(ctx context.Context) (time.Time, error) { return time.Time{}, a.auth.WriteEnded(ctx) })
	a.auth.WhenEnded(ended.Wake)
	a.runner.Add("check database", jobs.After(sqlite.CheckAfter, db.Checks(func(err error) {
		log.Error("database damaged", "error", err)
		a.trouble.damaged(appHalf.database)
	})))
	db.WhenShared(func(people []string) {
		for _, id := range people {
			a.hub.Publish(id, live.Event{Topic: settling.Topic})
		}
	})
	db.WhenUndecided(a.runner.Add("categorise", db.Categorise).Wake)
	edits := a.runner.Add("bulk edits", func(ctx context.Context) (time.Time, error) {
		userID, next, err := db.AdvanceEdits(ctx)
		if userID != "" {
			a.hub.Publish(userID, live.Event{Topic: transactions.TopicBulkEdit})
		}
		return next, err
	})
	a.runner.Add("clean", func(ctx context.Context) (time.Time, error) { return time.Now().Add(cleanEvery), db.Clean(ctx) })
	if a.logos, err = logos.Open(filepath.Join(s.DataDir, logosFolder)); err != nil {
		return nil, err
	}
	a.attachments, err = openAttachments(s, db)
	if err != nil {
		return nil, err
	}
	a.runner.Add("attachments", func(ctx context.Context) (time.Time, error) {
		return time.Now().Add(cleanEvery), a.attachments.Clean(ctx)
	})
	out := newOutbox(s, a.auth, db, log)
	if out.Sends() {
		db.WhenMailed(a.runner.Add("mails", out.Work).Wake)
	}
	messages := outbox.NewMessages(outbox.MessageOptions{Store: db, Mail: out.Deliver, Courier: courier.New(s.PrivateChannels, nil), Location: time.Local,
		Log: log, Write: letters.Writer{PublicURL: s.PublicURL, Location: time.Local}.Message(db.OffToken)})
	var senders []*jobs.Loop
	for _, c := range finance.Channels {
		if messages.Sends(c) {
			senders = append(senders, a.runner.Add("messages: "+string(c), messages.Work(c)))
		}
	}
	db.WhenMessaged(func() {
		for _, sender := range senders {
			sender.Wake()
		}
	})
	told := a.runner.Add("what is told", func(ctx context.Context) (time.Time, error) {
		return time.Now().Add(watchEvery), db.Watch(ctx, time.Now(), notifications.Understood(db, time.Local))
	})
	a.runner.Add("reminders", func(ctx context.Context) (time.Time, error) {
		next, err := db.Remind(ctx)
		if latest := time.Now().Add(remindEvery); next.IsZero() || next.After(latest) {
			next = latest
		}
		return next, err
	})
	a.providers = providers.New(providers.Options{
		Store:      db,
		Connect:    func(_ context.Context, p finance.Provider) (providers.API, error) { return a.clients.fresh(p) },
		PublicURL:  s.PublicURL.String(),
		WebhookURL: a.webhooks.url,
		Embedded:   s.Service,
		Log:        log,
	})
	if err := a.providers.Readdress(ctx); err != nil {
		return nil, err
	}
	var simulated *url.URL
	if s.Service {
		simulated = s.ServiceAuthURL
	}
	banks := linking.New(db, func(_ context.Context, p finance.Provider) (linking.API, error) { return a.clients.of(p) }, sync.Wake, log)
	sync.PSUHeaders = banks.RequiredPSUHeaders
	banks.Register(a.runner)
	a.handler, err = handlers.New(handlers.Options{
		Store:          db,
		Auth:           a.auth,
		Linking:        banks,
		Syncer:         sync,
		Payments:       a.payments,
		Providers:      a.providers,
		WakeEdits:      edits.Wake,
		Webhooks:       webhook.New(a.payments.Inbox(), a.webhooks.sender, a.payments.Wake, log),
		Hub:            a.hub,
		Attachments:    a.attachments,
		Outbox:         out,
		Messages:       messages,
		Chosen:         told.Wake,
		Operator:       legal.Operator{Name: s.OperatorName, Contact: s.OperatorContact},
		PublicURL:      s.PublicURL,
		CookieKeys:     [][]byte{db.CookieSecret()},
		TrustedProxies: s.TrustedProxies,
		Simulated:      simulated,
		Logo: func(ctx context.Context, p finance.Provider, b openbanking.ASPSP) ([]byte, error) {
			return a.logos.Get(ctx, strings.Join([]string{p.ID, b.Country, b.Name}, "\n"),
				func(ctx context.Context) (string, error) { return banks.LogoAddress(ctx, p, b) },
				func(ctx context.Context, address string) ([]byte, error) { return a.clients.picture(ctx, p, address) })
		},
		Version: buildinfo.Version(),
		Log:     log,
		Ready: func(ctx context.Context) error {
			return errors.Join(db.Ping(ctx), sqlite.CheckSpace(s.DataDir, s.DiskReserve), a.runner.Healthy())
		},
		Trouble: a.trouble.messages,
	})
	return a, err
}

// signingIn returns the options for the ways in which people sign in.
func signingIn(s config.Settings) []auth.Option {
	ways := []auth.Option{auth.Lasting(auth.Lifetimes{SignIn: s.SignInLifetime, Idle: s.IdleLifetime,
		Remembered: s.RememberedLifetime, RememberedIdle: s.RememberedIdleLifetime}), auth.At(s.PublicURL)}
	if o := s.OpenID; o.Issuer != "" {
		ways = append(ways, auth.WithOpenID(auth.OpenID{NewPeople: o.NewPeople, SecondFactor: o.SecondFactor, Provider: openid.New(openid.Client{
			Issuer: o.Issuer, ID: o.ClientID, Secret: finance.Secret(o.ClientSecret.Reveal()), Name: o.Name,
			RedirectURL: s.PublicURL.String() + paths.OpenIDBack})}))
	}
	if !s.LocalSignIn {
		ways = append(ways, auth.WithoutLocal)
	}
	return ways
}

// newOutbox returns the mails of the web app; without a mail server it sends none.
func newOutbox(s config.Settings, people *auth.Auth, db *store.Store, log *slog.Logger) *outbox.Outbox {
	o := outbox.Options{Store: db, ResetLink: people.ResetLink, Write: letters.Writer{PublicURL: s.PublicURL, Location: time.Local}.Write, Log: log}
	if server := mailServer(s.Mail); server != nil {
		o.Deliver = server.Deliver
	}
	return outbox.New(o)
}

// register makes the embedded service a provider of the app. It uses the registration endpoint like any application; cmd/web operates the service and has the
// bearer token for it.
func (a *app) register(ctx context.Context, s config.Settings, service *server.Server) error {
	registration := direct(s.ServiceRegistrationURL)
	client := bank.NewHTTPClient(bank.DialTo(reachable(s.ServiceListen)))
	p, err := providers.EnsureEmbedded(ctx, a.store, providers.Embedded{
		Name:            "Simulated banks",
		BaseURL:         s.ServiceURL.String(),
		RegistrationURL: s.ServiceRegistrationURL.String(),
		Issuer:          s.ServiceIssuer[0],
		Audience:        s.ServiceAudience[0],
		RedirectURL:     s.PublicURL.String() + "/callback/" + finance.EmbeddedProvider,
		Bearer:          func(context.Context) (string, error) { return service.OperatorToken() },
		Register: func(ctx context.Context, bearer string, r openbanking.RegisterApplicationRequest) (openbanking.RegisterApplicationResponse, error) {
			return bank.RegisterApplication(ctx, client, registration, bearer, r)
		},
		Application: func(ctx context.Context, p finance.Provider) (openbanking.Application, error) {
			c, err := a.clients.of(p)
			if err != nil {
				return openbanking.Application{}, err
			}
			return c.Application(ctx)
		},
	})
	if err != nil {
		return err
	}
	a.webhooks.from(service)
	return service.GrantWebhooks(ctx, p.ApplicationID, []string{a.webhooks.origin()})
}

// welcome writes for the operator the address of Florin, and how to create the owner when there is none.
func (a *app) welcome(ctx context.Context, s config.Settings, out io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "Florin %s is at %s\n", buildinfo.Version(), s.PublicURL)
	if s.Service {
		fmt.Fprintf(&text, "Simulated banks, no real money: the service is at %s\n", s.ServiceURL)
	}
	token, err := a.auth.SetupToken(ctx, finance.Secret(s.SetupToken.Reveal()))
	if err != nil {
		return err
	}
	if token != "" {
		fmt.Fprintf(&text, "\nOpen this link to create your account:\n  %s%s?token=%s\n", s.PublicURL, paths.Setup, token.Reveal())
	}
	_, err = io.WriteString(out, text.String())
	return err
}

// clients keeps one API client for each registration, so that a client signs a token once and uses it several times.
type clients struct {
	embedded *url.URL // public address of the embedded service; nil when it does not run
	hosted   *url.URL // public address of its hosted pages, logos among them
	listener string   // where the embedded service listens

	mu   sync.Mutex
	made map[string]client // by provider
}

// client returns the API client of a registration.
type client struct {
	*bank.Client
	of finance.Provider
}

// sameRegistration reports whether a client made for one provider can be used for the other.
func sameRegistration(a, b finance.Provider) bool {
	return a.BaseURL == b.BaseURL && a.Issuer == b.Issuer && a.Audience == b.Audience && a.ApplicationID == b.ApplicationID && a.PrivateKey == b.PrivateKey
}

func newClients(s config.Settings) *clients {
	c := &clients{listener: reachable(s.ServiceListen), made: make(map[string]client)}
	if s.Service {
		c.embedded, c.hosted = s.ServiceURL, s.ServiceAuthURL
	}
	return c
}

// of returns the client of a provider's registration.
func (c *clients) of(p finance.Provider) (*bank.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.made[p.ID]; known.Client != nil && sameRegistration(known.of, p) {
		return known.Client, nil
	}
	made, err := c.fresh(p)
	if err != nil {
		return nil, err
	}
	c.made[p.ID] = client{made, p}
	return made, nil
}

// fresh returns a new client of a registration that may not be stored yet. The address of a service other than the embedded one was typed by a person.
func (c *clients) fresh(p finance.Provider) (*bank.Client, error) {
	key, err := apptoken.ParseKey([]byte(p.PrivateKey.Reveal()))
	if err != nil {
		return nil, fmt.Errorf("the key of provider %s: %w", p.ID, err)
	}
	base, options := p.BaseURL, []bank.Option{bank.Foreign(p.BaseURL)}
	if c.own(p) {
		base, options = direct(c.embedded), []bank.Option{bank.DialTo(c.listener)}
	}
	return bank.New(base, apptoken.NewSigner(key, p.ApplicationID, p.Issuer, p.Audience), options...)
}

// own reports whether a provider is the embedded service.
func (c *clients) own(p finance.Provider) bool {
	return c.embedded != nil && p.BaseURL == c.embedded.String()
}

// picture fetches the logo of a bank from the address given by its provider: from the embedded service through its own listener, from another service at its
// own address, and from all other places only at https addresses of the internet (security T9, T18).
func (c *clients) picture(ctx context.Context, p finance.Provider, address string) ([]byte, error) {
	at, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the logo of a bank has no address")
	}
	option := bank.Foreign(address)
	switch base, err := url.Parse(p.BaseURL); {
	case c.own(p):
		if at.Host != c.hosted.Host {
			return nil, errors.New("a logo of the own service is elsewhere")
		}
		at.Scheme, option = "http", bank.DialTo(c.listener)
	case err == nil && at.Scheme == base.Scheme && at.Host == base.Host && at.User == nil:
	case at.Scheme != "https" || at.User != nil || publicnet.Loopback(at.Hostname()):
		return nil, errors.New("a logo of a bank is at no https address of the internet")
	}
	client := bank.NewHTTPClient(option)
	defer client.CloseIdleConnections()
	return bank.Picture(ctx, client, at.String())
}

// direct returns the URL for a public address of the embedded service when it is reached through its own listener. The listener speaks plain HTTP, even behind
// a proxy, so neither a name server nor the proxy is needed.
func direct(public *url.URL) string { return "http://" + public.Host }

// reachable returns the address at which a listener is reached from its own machine, also when it listens on all interfaces.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("localhost", port)
	}
	return listen
}
