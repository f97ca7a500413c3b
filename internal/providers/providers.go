// Package providers connects services that speak the API, the public one or any other: a person registers an application there and brings its id and its key,
// or has the key made here. What was typed is kept as a setup; it becomes a provider when the service has shown that it knows the key. A provider is
// examined, given another key, and removed here too.
package providers

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"

	"florin/internal/apptoken"
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/store"
)

const (
	certificateLife = 10 * 365 * 24 * time.Hour
	maxSetups       = 20 // at a time
	maxText         = 200
	MaxName         = 60
)

// Preset is a service that is known by name, with its fixed values.
type Preset struct {
	ID       string // of the first provider of it
	Name     string
	BaseURL  string
	Issuer   string
	Audience string
	Panel    string // where its applications are registered
}

// EnableBanking is the public service (spec: Authentication; api-notes 2).
var EnableBanking = Preset{
	ID: "enablebanking", Name: "Enable Banking", BaseURL: "https://api.enablebanking.com", Issuer: "enablebanking.com", Audience: "api.enablebanking.com",
	Panel: "https://enablebanking.com/cp/applications",
}

// API is what an examination needs of a service; bank.Client has it. Errors of the service are *openbanking.Error.
type API interface {
	// ApplicationAt returns the application, and the time that the answer carries, also that of a refusal; zero for none.
	ApplicationAt(ctx context.Context) (application openbanking.Application, served time.Time, err error)
	ASPSPs(ctx context.Context) ([]openbanking.ASPSPData, error)
}

// Options are what Providers work with. All are required.
type Options struct {
	Store *store.Store
	// Connect returns the API of a registration that may not be stored yet.
	Connect func(ctx context.Context, p finance.Provider) (API, error)
	// PublicURL is the address of this program, without a slash at its end.
	PublicURL string
	// WebhookURL is where the service of a provider can reach this program; "" nowhere.
	WebhookURL func(p finance.Provider) string
	// Embedded says that the program's own service runs: it cannot be removed.
	Embedded bool
	Log      *slog.Logger
}

// Providers is safe for use by many goroutines.
type Providers struct{ Options }

// New returns Providers.
func New(o Options) *Providers { return &Providers{o} }

// Entry is a provider, a setup, or a provider with the setup of another registration.
type Entry struct {
	ID       string
	Provider *finance.Provider      // nil until it is connected
	Setup    *finance.ProviderSetup // nil when nothing is being set up
	Use      finance.ProviderUse
}

// Name is what the entry is called.
func (e Entry) Name() string {
	if e.Provider != nil {
		return e.Provider.Name
	}
	return e.Setup.Name
}

// List returns the providers by name, and then what is being set up.
func (p *Providers) List(ctx context.Context) ([]Entry, error) {
	connected, err := p.Store.Providers(ctx)
	if err != nil {
		return nil, err
	}
	setups, err := p.Store.ProviderSetups(ctx)
	if err != nil {
		return nil, err
	}
	var all []Entry
	at := map[string]int{}
	for _, provider := range connected {
		use, err := p.Store.ProviderUse(ctx, provider.ID)
		if err != nil {
			return nil, err
		}
		at[provider.ID] = len(all)
		all = append(all, Entry{ID: provider.ID, Provider: &provider, Use: use})
	}
	for _, setup := range setups {
		if i, ok := at[setup.ID]; ok {
			all[i].Setup = &setup
			continue
		}
		all = append(all, Entry{ID: setup.ID, Setup: &setup})
	}
	return all, nil
}

// Find returns one entry of List, or finance.ErrNotFound.
func (p *Providers) Find(ctx context.Context, id string) (Entry, error) {
	e := Entry{ID: id}
	provider, err := p.Store.Provider(ctx, id)
	switch {
	case err == nil && provider.Removed.IsZero():
		e.Provider = &provider
	case err != nil && !errors.Is(err, finance.ErrNotFound):
		return e, err
	}
	setup, err := p.Store.ProviderSetup(ctx, id)
	switch {
	case err == nil:
		e.Setup = &setup
	case !errors.Is(err, finance.ErrNotFound) || e.Provider == nil:
		return e, err
	}
	e.Use, err = p.Store.ProviderUse(ctx, id)
	return e, err
}

// RedirectURL is what has to be registered with the application of a provider: people come back there from their bank.
func (p *Providers) RedirectURL(id string) string { return p.PublicURL + "/callback/" + id }

// Form is what a person types about a service.
type Form struct {
	Preset        bool   // it is EnableBanking: the addresses below are its own
	Name          string // shown
	BaseURL       string
	Issuer        string // "" takes the host of BaseURL
	Audience      string // "" takes the host of BaseURL
	ApplicationID string // may be missing at first
	Make          bool   // the key is made here
	Key           finance.Secret
	KeyFile       string // name of the file that the key came from: the control panel names it by the application id
}

// Problems says what is wrong with the fields of a form, by their names: name, base_url, issuer, audience, application_id, key.
type Problems map[string]Problem

// Problem is a fault with the facts that explain it.
type Problem struct {
	Fault Fault
	Name  string // of KnownApplication: of the service
}

func (p Problems) Error() string { return "the form has fields that are wrong" }

// ErrTooMany says that so many services are being set up that one has to be thrown away first.
var ErrTooMany = errors.New("too many services are being set up")

// Begin starts to set up a service that is not connected, or, with an id, another registration for a provider that is: its addresses stay. Wrong fields are
// Problems.
func (p *Providers) Begin(ctx context.Context, id string, form Form) (finance.ProviderSetup, error) {
	setups, err := p.Store.ProviderSetups(ctx)
	if err != nil {
		return finance.ProviderSetup{}, err
	}
	if len(setups) >= maxSetups {
		return finance.ProviderSetup{}, ErrTooMany
	}
	setup := finance.ProviderSetup{ID: id}
	if id != "" {
		provider, err := p.Store.Provider(ctx, id)
		if err != nil {
			return setup, err
		}
		if !provider.Removed.IsZero() || provider.ID == finance.EmbeddedProvider {
			return setup, finance.ErrNotFound
		}
		setup = finance.ProviderSetup{ID: id, Name: provider.Name, BaseURL: provider.BaseURL, Issuer: provider.Issuer, Audience: provider.Audience,
			ApplicationID: provider.ApplicationID}
	}
	if setup, err = p.fill(ctx, setup, form, id == ""); err != nil {
		return setup, err
	}
	if id == "" {
		if setup.ID, err = p.freeID(ctx, setup, form.Preset); err != nil {
			return setup, err
		}
	}
	setup, err = p.Store.CreateProviderSetup(ctx, setup)
	if err == nil {
		p.Log.InfoContext(ctx, "service is being set up", "provider", setup.ID)
	}
	return setup, err
}

// Change takes what was typed since into a setup. Its key changes only when another one is given or made.
func (p *Providers) Change(ctx context.Context, id string, form Form) (finance.ProviderSetup, error) {
	setup, err := p.Store.ProviderSetup(ctx, id)
	if err != nil {
		return setup, err
	}
	_, err = p.Store.Provider(ctx, id)
	if err != nil && !errors.Is(err, finance.ErrNotFound) {
		return setup, err
	}
	fresh := errors.Is(err, finance.ErrNotFound) // the addresses of a provider that has a history stay
	if setup, err = p.fill(ctx, setup, form, fresh); err != nil {
		return setup, err
	}
	return p.Store.ChangeProviderSetup(ctx, setup)
}

// fill checks a form and puts it into a setup.
func (p *Providers) fill(ctx context.Context, setup finance.ProviderSetup, form Form, addresses bool) (finance.ProviderSetup, error) {
	problems := Problems{}
	if addresses {
		fillAddresses(&setup, form, problems)
	}
	var key []byte
	guess := ""
	if form.Key.Reveal() != "" {
		parsed, err := apptoken.ParseKey([]byte(strings.TrimSpace(form.Key.Reveal())))
		if err == nil {
			key, err = apptoken.MarshalKey(parsed)
		}
		if err != nil {
			problems["key"] = Problem{Fault: WrongKey}
		}
		guess = idOfFile(form.KeyFile)
	} else if !form.Make && setup.PrivateKey == "" {
		problems["key"] = Problem{Fault: NoKey}
	}
	typed := strings.TrimSuffix(strings.TrimSpace(form.ApplicationID), ".pem")
	if typed == "" {
		typed = guess
	}
	switch {
	case typed == "":
		if key != nil || setup.Certificate == "" && setup.PrivateKey != "" && !form.Make {
			problems["application_id"] = Problem{Fault: NoApplicationID}
		}
	case !idForm(typed):
		problems["application_id"] = Problem{Fault: WrongApplication}
	default:
		setup.ApplicationID = strings.ToLower(typed)
		if !isUUID(setup.ApplicationID) {
			setup.ApplicationID = typed
		}
	}
	connected, err := p.Store.Providers(ctx)
	if err != nil {
		return setup, err
	}
	for _, other := range connected {
		if other.ID != setup.ID && other.BaseURL == setup.BaseURL && setup.ApplicationID != "" && other.ApplicationID == setup.ApplicationID {
			problems["application_id"] = Problem{Fault: KnownApplication, Name: other.Name}
		}
	}
	if len(problems) > 0 {
		return setup, problems
	}
	switch {
	case key != nil:
		setup.PrivateKey, setup.Certificate, setup.Examination = finance.Secret(key), "", finance.Examination{}
	case form.Make:
		made, err := makeKey(setup)
		if err != nil {
			return setup, err
		}
		setup = made
	}
	return setup, nil
}

func fillAddresses(setup *finance.ProviderSetup, form Form, problems Problems) {
	if form.Preset {
		setup.Name, setup.BaseURL, setup.Issuer, setup.Audience = EnableBanking.Name, EnableBanking.BaseURL, EnableBanking.Issuer, EnableBanking.Audience
		return
	}
	base, fault := checkBaseURL(form.BaseURL)
	host := ""
	if fault != "" {
		problems["base_url"] = Problem{Fault: fault}
	} else if u, err := url.Parse(base); err == nil {
		host = u.Hostname()
	}
	name := finance.Clean(form.Name)
	switch {
	case len([]rune(name)) > MaxName:
		problems["name"] = Problem{Fault: LongName}
	case name == "":
		name = host
	}
	issuer, audience := strings.TrimSpace(form.Issuer), strings.TrimSpace(form.Audience)
	if issuer == "" {
		issuer = host
	}
	if audience == "" {
		audience = host
	}
	for field, text := range map[string]string{"issuer": issuer, "audience": audience} {
		if len(text) > maxText || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
			problems[field] = Problem{Fault: WrongIdentity}
		}
	}
	setup.Name, setup.BaseURL, setup.Issuer, setup.Audience = name, base, issuer, audience
}

func makeKey(setup finance.ProviderSetup) (finance.ProviderSetup, error) {
	key, certificate, err := newKey()
	if err != nil {
		return setup, err
	}
	setup.PrivateKey, setup.Certificate, setup.Examination = key, certificate, finance.Examination{}
	return setup, nil
}

// newKey makes a private key and the certificate with which it is registered, both as PEM.
func newKey() (private finance.Secret, certificate string, err error) {
	key, err := apptoken.NewKey()
	if err != nil {
		return "", "", err
	}
	text, err := apptoken.MarshalKey(key)
	if err != nil {
		return "", "", err
	}
	signed, err := apptoken.SelfSigned(key, "Florin", time.Now(), certificateLife)
	return finance.Secret(text), string(signed), err
}

// freeID returns an unused id, or the id of a removed provider of the same service, whose history then continues.
func (p *Providers) freeID(ctx context.Context, setup finance.ProviderSetup, preset bool) (string, error) {
	first := EnableBanking.ID
	if !preset {
		first = slug(setup.BaseURL)
	}
	for n := 1; ; n++ {
		id := first
		if n > 1 {
			id += "-" + strconv.Itoa(n)
		}
		provider, err := p.Store.Provider(ctx, id)
		if err != nil && !errors.Is(err, finance.ErrNotFound) {
			return "", err
		}
		if err == nil && (provider.Removed.IsZero() || provider.BaseURL != setup.BaseURL) {
			continue
		}
		_, err = p.Store.ProviderSetup(ctx, id)
		if errors.Is(err, finance.ErrNotFound) {
			return id, nil
		}
		if err != nil {
			return "", err
		}
	}
}

// slug makes an id of the host of an address: a part of the redirect URL that people can read.
func slug(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return "service"
	}
	id := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, u.Host), "-")
	if len(id) > 60 {
		id = strings.Trim(id[:60], "-")
	}
	if id == "" || id == "new" || id == finance.EmbeddedProvider || strings.HasPrefix(id, EnableBanking.ID) {
		return "service"
	}
	return id
}

// Remove removes a provider that nothing needs any more. It is store.ErrProviderInUse while something does, and finance.ErrNotFound for the program's
// own service while it runs.
func (p *Providers) Remove(ctx context.Context, id string) error {
	if id == finance.EmbeddedProvider && p.Embedded {
		return finance.ErrNotFound
	}
	err := p.Store.RemoveProvider(ctx, id)
	if err == nil {
		p.Log.InfoContext(ctx, "service removed", "provider", id)
	}
	return err
}

// Discard throws a setup away with its key.
func (p *Providers) Discard(ctx context.Context, id string) error {
	return p.Store.DeleteProviderSetup(ctx, id)
}

// Readdress gives the providers the redirect URLs that follow from the public address of this program; the program's own service has its own way.
func (p *Providers) Readdress(ctx context.Context) error {
	all, err := p.Store.Providers(ctx)
	if err != nil {
		return err
	}
	for _, provider := range all {
		to := p.RedirectURL(provider.ID)
		if provider.ID == finance.EmbeddedProvider || provider.RedirectURL == to {
			continue
		}
		if err := p.Store.MoveProvider(ctx, provider.ID, to); err != nil {
			return err
		}
		p.Log.WarnContext(ctx, "the redirect URL of a service changed with the public address: register it in its control panel", "provider", provider.ID,
			"redirect_url", to)
	}
	return nil
}
