package providers

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/store"
)

// Embedded says where the program's own aggregation service is, and how to register with it.
type Embedded struct {
	Name            string // shown; "Simulated banks"
	BaseURL         string
	RegistrationURL string
	Issuer          string
	Audience        string
	RedirectURL     string // {public_url}/callback/embedded
	// Bearer makes the token of the registration endpoint.
	Bearer func(ctx context.Context) (string, error)
	// Register calls the registration endpoint, like anybody's application would; bank.RegisterApplication does it.
	Register func(ctx context.Context, bearer string, request openbanking.RegisterApplicationRequest) (openbanking.RegisterApplicationResponse, error)
	// Application asks the service for the application of a provider (GET /application). It may be nil: then a stored registration counts as known.
	Application func(ctx context.Context, p finance.Provider) (openbanking.Application, error)
}

// EnsureEmbedded makes sure that the embedded service knows this app: the first time, when an address has changed since, and when the service has
// forgotten the application, it makes a key, registers and stores the provider. Otherwise it does nothing.
func EnsureEmbedded(ctx context.Context, s *store.Store, e Embedded) (finance.Provider, error) {
	p, err := s.Provider(ctx, finance.EmbeddedProvider)
	if err != nil && !errors.Is(err, finance.ErrNotFound) {
		return finance.Provider{}, err
	}
	want := finance.Provider{
		ID: finance.EmbeddedProvider, Name: e.Name, Issuer: e.Issuer, Audience: e.Audience, RedirectURL: e.RedirectURL,
		BaseURL: strings.TrimSuffix(e.BaseURL, "/"), RegistrationURL: strings.TrimSuffix(e.RegistrationURL, "/"),
		Environment: openbanking.EnvironmentSandbox,
	}
	if err == nil && p.Removed.IsZero() && p.BaseURL == want.BaseURL && p.RegistrationURL == want.RegistrationURL && p.Issuer == want.Issuer &&
		p.Audience == want.Audience &&
		p.RedirectURL == want.RedirectURL && e.known(ctx, p) {
		return p, nil
	}
	key, certificate, err := newKey()
	if err != nil {
		return finance.Provider{}, err
	}
	bearer, err := e.Bearer(ctx)
	if err != nil {
		return finance.Provider{}, err
	}
	answer, err := e.Register(ctx, bearer, openbanking.RegisterApplicationRequest{
		Certificate: certificate, Environment: want.Environment, Name: "Florin", RedirectURLs: []string{want.RedirectURL},
	})
	if err != nil {
		return finance.Provider{}, fmt.Errorf("register with the embedded service: %w", err)
	}
	if answer.AppID == "" {
		return finance.Provider{}, errors.New("register with the embedded service: the answer has no app_id")
	}
	want.ApplicationID, want.PrivateKey = answer.AppID, key
	if err := s.SaveProvider(ctx, want); err != nil {
		return finance.Provider{}, err
	}
	return s.Provider(ctx, want.ID)
}

// known reports whether the service still has the application. When the service does not answer, the answer is yes: that is no reason to register
// again.
func (e Embedded) known(ctx context.Context, p finance.Provider) bool {
	if e.Application == nil {
		return true
	}
	_, err := e.Application(ctx, p)
	return !errors.Is(err, openbanking.UnauthorizedAccess)
}
