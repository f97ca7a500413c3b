package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"

	"florin/internal/aggregator/server"
	"florin/internal/config"
	"florin/internal/finance"
	"florin/internal/publicnet"
	"florin/internal/store"
	"florin/internal/webhook"
)

// webhookPath is where the web app receives the webhooks of a provider.
const webhookPath = "/webhooks/"

// publicService is the domain of the service whose specification Florin follows. It hosts its certificates under this domain; no certificate of an embedded
// service is ever issued for it.
const publicService = "enablebanking.com"

// webhooks knows who sends the webhooks of each provider and to which address.
type webhooks struct {
	settings config.Settings
	store    *store.Store
	public   *http.Client // fetches certificates from the internet

	mu        sync.Mutex
	authority func(context.Context) (*x509.Certificate, error) // of the embedded service; nil until it runs
	root      *x509.Certificate                                // the certificate with which embedded was made
	embedded  webhook.Sender
}

func newWebhooks(s config.Settings, db *store.Store) *webhooks {
	return &webhooks{settings: s, store: db, public: webhook.NewClient()}
}

// from makes Florin accept webhooks of the embedded service.
func (w *webhooks) from(service *server.Server) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.authority = service.WebhookAuthority
}

// origin returns the address at which the embedded service reaches the web app: the app's own listener when it is on loopback, so that neither a name server
// nor a proxy is needed, and the public address otherwise.
func (w *webhooks) origin() string {
	address := reachable(w.settings.Listen)
	host, _, err := net.SplitHostPort(address)
	if err == nil && publicnet.Loopback(host) {
		return "http://" + address
	}
	return w.settings.PublicURL.String()
}

// url returns the webhook_url for a provider's payments. It is empty when its service cannot reach this program, and when its webhooks would not be accepted.
func (w *webhooks) url(p finance.Provider) string {
	switch {
	case p.ID == finance.EmbeddedProvider && w.settings.Service:
		return w.origin() + webhookPath + p.ID
	case p.ID != finance.EmbeddedProvider && isPublicService(p) && w.settings.PublicURL.Scheme == "https":
		return w.settings.PublicURL.String() + webhookPath + p.ID
	}
	return ""
}

// isPublicService reports whether a provider is the public service. For the webhooks of other services, Florin does not know how to verify the keys.
func isPublicService(p finance.Provider) bool {
	base, err := url.Parse(p.BaseURL)
	return err == nil && base.Scheme == "https" && strings.HasSuffix("."+base.Hostname(), "."+publicService)
}

// sender returns the service that sends the webhooks of a provider.
func (w *webhooks) sender(ctx context.Context, providerID string) (webhook.Sender, error) {
	p, err := w.store.Provider(ctx, providerID)
	if errors.Is(err, finance.ErrNotFound) || err == nil && !p.Removed.IsZero() {
		return webhook.Sender{}, webhook.ErrNoSender
	}
	if err != nil {
		return webhook.Sender{}, err
	}
	sender := webhook.Sender{Keys: webhook.KeyHost{Domain: publicService}, Client: w.public}
	if p.ID == finance.EmbeddedProvider {
		if sender, err = w.own(ctx); err != nil {
			return webhook.Sender{}, err
		}
	} else if !isPublicService(p) {
		return webhook.Sender{}, webhook.ErrNoSender
	}
	sender.ApplicationID, sender.Environment = p.ApplicationID, p.Environment
	return sender, nil
}

// own returns the sender for the embedded service: its certificates are fetched only from its own listener and must be issued by its own authority.
func (w *webhooks) own(ctx context.Context) (webhook.Sender, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.authority == nil {
		return webhook.Sender{}, webhook.ErrNoSender
	}
	root, err := w.authority(ctx)
	if err != nil {
		return webhook.Sender{}, fmt.Errorf("authority of webhooks: %w", err)
	}
	if root.Equal(w.root) {
		return w.embedded, nil
	}
	signers := x509.NewCertPool()
	signers.AddCert(root)
	listeners := signers
	if file := w.settings.ServiceTLSCertificate; file != "" {
		if listeners, err = x509.SystemCertPool(); err != nil {
			listeners = x509.NewCertPool()
		}
		chain, err := os.ReadFile(file)
		if err != nil {
			return webhook.Sender{}, fmt.Errorf("certificate of the TLS listener: %w", err)
		}
		listeners.AppendCertsFromPEM(chain)
	}
	w.root = root
	w.embedded = webhook.Sender{
		Keys:   webhook.KeyHost{Exact: w.settings.ServiceTLSURL.Host},
		Client: webhook.NewPinnedClient(reachable(w.settings.ServiceTLSListen), listeners),
		Roots:  signers,
	}
	return w.embedded, nil
}
