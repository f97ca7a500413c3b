package linking

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
)

// listedFor is how long a list of banks is reused.
const listedFor = 10 * time.Minute

// failedFor is how long a failure is reused without a new call, so that people who waited for the same list do not wait again.
const failedFor = time.Second

// listWithin is how long a page waits for the list of a provider.
const listWithin = 12 * time.Second

// Bank is a bank that can be linked.
type Bank struct {
	ProviderID   string
	ProviderName string
	Simulated    bool
	openbanking.ASPSPData
	Connections []finance.Connection // the user's connections at this bank, first those that work, then the latest: linking again may renew one
	Connected   bool                 // one of them works
}

// ConsentUntil returns the end of the consent that Start would ask for now.
func (b Bank) ConsentUntil(now time.Time) time.Time { return validUntil(now, b.MaximumConsentValidity) }

// ForTests reports whether a simulated bank is obviously one: the mock banks of the public sandbox, and those of the built-in service that play scenarios.
func (b Bank) ForTests() bool {
	return b.Simulated && (b.Name == "Mock ASPSP" || b.Group != nil && b.Group.Name == "Scenario banks")
}

// Unlisted is a provider whose banks could not be listed.
type Unlisted struct {
	Provider finance.Provider
	Err      error
}

// Banks returns the banks of all providers, by name and country, with the user's connections. It returns providers that do not answer as Unlisted.
func (l *Linking) Banks(ctx context.Context, userID string) ([]Bank, []Unlisted, error) {
	providers, err := l.store.Providers(ctx)
	if err != nil {
		return nil, nil, err
	}
	return l.banksOf(ctx, userID, providers)
}

func (l *Linking) banksOf(ctx context.Context, userID string, providers []finance.Provider) ([]Bank, []Unlisted, error) {
	connections, err := l.store.Connections(ctx, userID)
	if err != nil {
		return nil, nil, err
	}
	type bankKey struct {
		provider string
		openbanking.ASPSP
	}
	now := time.Now()
	active := func(c finance.Connection) bool { return c.State(now) == finance.ConnectionActive }
	slices.SortStableFunc(connections, func(a, b finance.Connection) int {
		if active(a) != active(b) {
			if active(a) {
				return -1
			}
			return 1
		}
		return b.Authorized.Compare(a.Authorized)
	})
	linked := map[bankKey][]finance.Connection{}
	for _, c := range connections {
		k := bankKey{c.ProviderID, c.ASPSP}
		linked[k] = append(linked[k], c)
	}
	lists, failures := make([][]openbanking.ASPSPData, len(providers)), make([]error, len(providers))
	var asking sync.WaitGroup
	for i, p := range providers { // in parallel, for no longer than a person waits
		asking.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, listWithin)
			defer cancel()
			lists[i], failures[i] = l.list(ctx, p)
		})
	}
	asking.Wait()
	var all []Bank
	var unlisted []Unlisted
	for i, p := range providers {
		if failures[i] != nil {
			unlisted = append(unlisted, Unlisted{p, unanswered(failures[i])})
		}
		for _, b := range lists[i] {
			own := linked[bankKey{p.ID, openbanking.ASPSP{Name: b.Name, Country: b.Country}}]
			all = append(all, Bank{ProviderID: p.ID, ProviderName: p.Name, Simulated: p.Simulated(), ASPSPData: b,
				Connections: own, Connected: len(own) > 0 && active(own[0])})
		}
	}
	slices.SortStableFunc(all, func(a, b Bank) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Country, b.Country),
			strings.Compare(a.ProviderName, b.ProviderName))
	})
	return all, unlisted, nil
}

// Bank returns one bank of a provider, or ErrUnknownBank.
func (l *Linking) Bank(ctx context.Context, userID, providerID string, aspsp openbanking.ASPSP) (Bank, error) {
	provider, err := l.store.Provider(ctx, providerID)
	if errors.Is(err, finance.ErrNotFound) || err == nil && !provider.Removed.IsZero() {
		return Bank{}, ErrUnknownBank
	}
	if err != nil {
		return Bank{}, err
	}
	banks, unlisted, err := l.banksOf(ctx, userID, []finance.Provider{provider}) // other providers are not asked
	for _, b := range banks {
		if b.Name == aspsp.Name && b.Country == aspsp.Country {
			return b, nil
		}
	}
	if err == nil && len(unlisted) > 0 {
		err = unlisted[0].Err
	}
	return Bank{}, cmp.Or(err, ErrUnknownBank)
}

func (l *Linking) list(ctx context.Context, p finance.Provider) ([]openbanking.ASPSPData, error) {
	return l.banks.get(ctx, p, func(ctx context.Context) ([]openbanking.ASPSPData, error) {
		api, err := l.connect(ctx, p)
		if err != nil {
			return nil, err
		}
		banks, err := api.ASPSPs(ctx)
		for i, b := range banks {
			if b.Group != nil && len(b.Group.Name) > maxBankName {
				banks[i].Group = nil
			}
			if b.BIC != nil && len(*b.BIC) > maxBankName {
				banks[i].BIC = nil
			}
		}
		return slices.DeleteFunc(banks, unfit), err
	})
}

// maxBankName is the longest accepted name of a bank in bytes. Real names have less than a hundred.
const maxBankName = 300

// unfit reports whether a listed bank cannot be chosen, because its name or country, by which it is requested, is missing or malformed.
func unfit(b openbanking.ASPSPData) bool {
	return b.Name == "" || len(b.Name) > maxBankName || len(b.Country) != 2
}

// find returns a bank of a provider by its name and country.
func (l *Linking) find(ctx context.Context, p finance.Provider, aspsp openbanking.ASPSP) (openbanking.ASPSPData, error) {
	list, err := l.list(ctx, p)
	if err != nil {
		return openbanking.ASPSPData{}, unanswered(err)
	}
	for _, b := range list {
		if b.Name == aspsp.Name && b.Country == aspsp.Country {
			return b, nil
		}
	}
	return openbanking.ASPSPData{}, ErrUnknownBank
}

// RequiredPSUHeaders returns the headers that tell a bank that the person is present (spec: ASPSP data). The error is ErrUnknownBank when the bank is no
// longer listed.
func (l *Linking) RequiredPSUHeaders(ctx context.Context, p finance.Provider, aspsp openbanking.ASPSP) ([]string, error) {
	b, err := l.find(ctx, p, aspsp)
	return b.RequiredPSUHeaders, err
}

// LogoAddress returns the address of the bank's logo from the service. The error is ErrUnknownBank when the bank is no longer listed.
func (l *Linking) LogoAddress(ctx context.Context, p finance.Provider, aspsp openbanking.ASPSP) (string, error) {
	b, err := l.find(ctx, p, aspsp)
	return b.Logo, err
}

// cache keeps the last list of banks of each provider, only for speed.
type cache struct {
	mu    sync.Mutex
	lists map[string]*cached
}

type cached struct {
	mu          sync.Mutex
	application string
	until       time.Time
	banks       []openbanking.ASPSPData
	failure     error // set instead of banks
}

func newCache() *cache { return &cache{lists: map[string]*cached{}} }

// get returns the list, and fetches it again when it is old. Of several callers one fetches and the others wait for it.
func (c *cache) get(ctx context.Context, p finance.Provider, fetch func(ctx context.Context) ([]openbanking.ASPSPData, error)) ([]openbanking.ASPSPData,
	error) {
	c.mu.Lock()
	e := c.lists[p.ID]
	if e == nil {
		e = &cached{}
		c.lists[p.ID] = e
	}
	c.mu.Unlock()

	e.mu.Lock()
	defer e.mu.Unlock()
	if e.application == p.ApplicationID && time.Now().Before(e.until) {
		return e.banks, e.failure
	}
	banks, err := fetch(ctx)
	switch {
	case errors.Is(err, context.Canceled): // only this caller has left
		return nil, err
	case err != nil:
		e.application, e.banks, e.failure, e.until = p.ApplicationID, nil, err, time.Now().Add(failedFor)
		return nil, err
	}
	e.application, e.banks, e.failure, e.until = p.ApplicationID, banks, nil, time.Now().Add(listedFor)
	return banks, nil
}
