package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"florin/internal/aggregator/server"
	"florin/internal/buildinfo"
	"florin/internal/config"
	"florin/internal/mailing"
	"florin/internal/sqlite"
)

// serve runs both halves until ctx ends. The service comes first, because the app registers with it over HTTP, like
// anybody's application.
func serve(ctx context.Context, s config.Settings, out io.Writer, log *slog.Logger) (err error) {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)

	webListener, err := listen(ctx, s.Listen, "the web app", "--listen")
	if err != nil {
		return err
	}
	defer webListener.Close()
	var serviceListener, tlsListener net.Listener
	serviceAddress, tlsAddress := s.ServiceListen, s.ServiceTLSListen
	if s.Service {
		if serviceListener, err = listen(ctx, s.ServiceListen, "the aggregation service", "--service-listen"); err != nil {
			return err
		}
		defer serviceListener.Close()
		serviceAddress = serviceListener.Addr().String()
		if tlsListener, err = listen(ctx, s.ServiceTLSListen, "the aggregation service with its certificates", "--service-tls-listen"); err != nil {
			return err
		}
		defer tlsListener.Close()
		tlsAddress = tlsListener.Addr().String()
	}
	s = s.Listening(webListener.Addr().String(), serviceAddress, tlsAddress)

	logStart(s, log)

	if err := private(s.DataDir); err != nil {
		return err
	}
	release, err := occupy(ctx, s.DataDir)
	if err != nil {
		return err
	}
	defer release()
	u := &update{settings: s, listener: webListener, log: log, fail: fail}
	if err := errors.Join(prepare(ctx, s, nil, u.tell), u.done()); err != nil {
		return err
	}

	app, err := newApp(ctx, s, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, app.store.Close()) }()
	if err := errors.Join(app.store.TakeOver(ctx), app.attachments.Recover(ctx)); err != nil {
		return err
	}

	if s.Service {
		service, err := newService(ctx, s, log, app.trouble)
		if err != nil {
			return err
		}
		stopService := start(service.Handler(), limited(s, serviceListener, serviceShare), nil, log, fail)
		stopCertificates := start(service.Certificates(), limited(s, tlsListener, tlsShare), service.TLSConfig(), log, fail)
		defer func() {
			err = errors.Join(err, stopInTurn(func() error { return atOnce(stopCertificates, stopService) }, service.Stop))
		}()
		if err := service.TakeOver(ctx); err != nil {
			return err
		}
		service.Start(ctx)
		if err := app.register(ctx, s, service); err != nil {
			return err
		}
	}

	stopApp := start(app.handler, limited(s, webListener, webShare), nil, log, fail, app.hub.Close)
	defer func() { err = errors.Join(err, stopInTurn(stopApp, app.runner.Stop)) }()
	app.runner.Start(ctx)
	if err := app.welcome(ctx, s, out); err != nil {
		return err
	}

	<-ctx.Done()
	log.Info("stopping")
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// logStart logs what runs where, and each setting that weakens security.
func logStart(s config.Settings, log *slog.Logger) {
	folder, err := filepath.Abs(s.DataDir)
	if err != nil {
		folder = s.DataDir
	}
	attributes := []any{"version", buildinfo.Version(), "go", runtime.Version(), "data_dir", folder, "listen", s.Listen, "public_url", s.PublicURL.String()}
	if s.Service {
		attributes = append(attributes, "service_listen", s.ServiceListen, "service_url", s.ServiceURL.String(), "service_tls_listen", s.ServiceTLSListen,
			"service_tls_url", s.ServiceTLSURL.String())
	}
	log.Info("starting", append(attributes, "time_zone", time.Local.String())...)
	for _, u := range s.Unsafe {
		log.Warn("unsafe setting", "setting", u.Setting, "why", u.Why)
	}
}

// mailServer returns the mail server of the settings, nil without one.
func mailServer(m config.Mail) *mailing.Server {
	if m.Host == "" {
		return nil
	}
	return &mailing.Server{Host: m.Host, Port: m.Port, User: m.User, Password: m.Password.Reveal(), From: m.From, TLS: mailing.TLS(m.TLS)}
}

// occupy reserves the data directory for this Florin. A second one would register its own addresses with the service in place of those of the first, whose
// connections would then no longer work.
func occupy(ctx context.Context, folder string) (release func(), err error) {
	release, err = sqlite.Occupy(ctx, filepath.Join(folder, serving))
	if errors.Is(err, sqlite.ErrOccupied) {
		return nil, fmt.Errorf("another Florin runs with the data directory %s: stop it, or choose another directory with --data-dir", folder)
	}
	return release, err
}

// newService assembles the aggregation service from the settings.
func newService(ctx context.Context, s config.Settings, log *slog.Logger, t *trouble) (*server.Server, error) {
	var catalogue []byte
	if s.SandboxCatalogue != "" {
		var err error
		if catalogue, err = os.ReadFile(s.SandboxCatalogue); err != nil {
			return nil, fmt.Errorf("read the catalogue of simulated banks: %w", err)
		}
	}
	return server.New(ctx, server.Options{
		DataDir:         s.DataDir,
		BaseURL:         s.ServiceURL.String(),
		AuthURL:         s.ServiceAuthURL.String(),
		RegistrationURL: s.ServiceRegistrationURL.String(),
		Issuers:         s.ServiceIssuer,
		Audiences:       s.ServiceAudience,
		TLSURL:          s.ServiceTLSURL.String(),
		TLSCertificate:  s.ServiceTLSCertificate,
		TLSKey:          s.ServiceTLSKey,
		WebhookAllow:    s.ServiceWebhookAllow,
		PaymentLimit:    s.ServicePaymentLimit,
		Catalogue:       catalogue,
		SandboxPace:     s.SandboxPace,
		CodeLifetime:    s.ServiceCodeLifetime,
		Mail:            mailServer(s.Mail),
		SignUpDomains:   s.PanelDomains,
		ContinueURLs:    s.PanelRedirectURLs,
		RateLimit:       s.ServiceRateLimit,
		DiskReserve:     s.DiskReserve,
		Damaged:         func(error) { t.damaged(serviceHalf.database) },
		TrustedProxies:  s.TrustedProxies,
		Log:             log.With("half", "service"),
	})
}
