// Package sandbox contains the simulated banks: their catalogue, accounts and ledgers, and the logic of their own sites, where a PSU signs in and approves.
// Each bank implements aggregator.Connector.
//
// Everyday rows of an account are not stored: they follow from the catalogue and the date, equally on every run and machine, and grow as days pass. Visits of
// PSUs and the payments that they have approved are stored in a FlowStore.
package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// MockName is the name of the bank that exists in every country and needs no credentials (api-notes 9).
const MockName = "Mock ASPSP"

// A FlowStore stores the visits to the banks' sites, and the payments approved there.
type FlowStore interface {
	// AddBankFlow stores a new flow.
	AddBankFlow(ctx context.Context, flow aggregator.BankFlow) error
	// BankFlow returns the flow with that id; aggregator.ErrNotFound when there is none.
	BankFlow(ctx context.Context, id string) (aggregator.BankFlow, error)
	// BankFlowByCode returns the flow whose code has that hash; aggregator.ErrNotFound when there is none.
	BankFlowByCode(ctx context.Context, codeHash string) (aggregator.BankFlow, error)
	// UpdateBankFlow reads a flow, calls change and stores the result, in one transaction without other writers in between. When change returns an error,
	// nothing is stored and the error is returned unchanged. The error is aggregator.ErrNotFound when there is no such flow.
	UpdateBankFlow(ctx context.Context, id string, change func(flow *aggregator.BankFlow) error) error
	// OrderFailures returns the number of wrong attempts in all flows of an order at a bank.
	OrderFailures(ctx context.Context, aspsp openbanking.ASPSP, orderID string) (int, error)
	// BankConsents returns the consents that a user of a bank has given, including ended ones, the newest first.
	BankConsents(ctx context.Context, aspsp openbanking.ASPSP, username string) ([]aggregator.BankFlow, error)
	// PurgeBankFlows deletes the flows that expired before a time, orders that had ended by then without a row in a ledger, and expired data of TakeFetch.
	PurgeBankFlows(ctx context.Context, before time.Time) error
	// ApproveBankOrder is UpdateBankFlow for a change that can approve an order. orders works like BankOrders within the transaction. The order that change
	// returns is stored, unless it is nil or the bank has it already.
	ApproveBankOrder(ctx context.Context, id string, change func(flow *aggregator.BankFlow, orders aggregator.BankOrders) (*aggregator.BankOrder, error)) error
	// AddBankOrder stores the order that approve returns, unless the bank has it already. orders works like BankOrders within the transaction.
	AddBankOrder(ctx context.Context, approve func(orders aggregator.BankOrders) (*aggregator.BankOrder, error)) error
	// BankOrder returns an order of a bank by its id. The error is aggregator.ErrNotFound when nobody has approved it.
	BankOrder(ctx context.Context, aspsp openbanking.ASPSP, orderID string) (aggregator.BankOrder, error)
	// BankOrders returns the approved orders with a number above after that move money on an account, in the order of approval.
	BankOrders(ctx context.Context, account aggregator.BankAccountKey, after int64) ([]aggregator.BankOrder, error)
	// TakeFetch takes one unit from a bucket with the given capacity, which regains one unit per period every. It reports whether there was one.
	TakeFetch(ctx context.Context, bucket aggregator.FetchBucket, now time.Time, capacity int, every time.Duration) (bool, error)
}

// Options are the settings of New.
type Options struct {
	Catalogue []byte           // more banks, in the format of docs/sandbox.md; nil for none
	BaseURL   string           // the address of the banks' sites, without a slash at the end: {auth_url}
	Flows     FlowStore        //
	Now       func() time.Time // nil for time.Now
	Pace      time.Duration    // time from one status of an order to the next; instant orders take a fraction of it. Zero: two seconds

	// ConsentEnded, unless it is nil, is called for each consent that was ended early: by the user when revoked is true, else by the bank.
	ConsentEnded func(ctx context.Context, bank openbanking.ASPSP, reference string, revoked bool)
}

// Sandbox is the set of simulated banks. It is safe for concurrent use.
type Sandbox struct {
	banks        []*Bank // by country, then by name
	byASPSP      map[openbanking.ASPSP]*Bank
	bySlug       map[openbanking.ASPSP]*Bank // its keys have the slug as Name
	base         string
	flows        FlowStore
	now          func() time.Time
	ledgers      *ledgerCache
	dealings     dealings
	pace         time.Duration
	consentEnded func(ctx context.Context, bank openbanking.ASPSP, reference string, revoked bool)
}

// New returns the banks of the built-in catalogue and of options.Catalogue, which adds banks and replaces those with the same name and country. It adds the
// Mock ASPSP to every country that has a bank. The error lists every mistake in the catalogue with its place, one per line.
func New(options Options) (*Sandbox, error) {
	if options.Flows == nil {
		return nil, errors.New("sandbox: no store for the visits to the banks")
	}
	base, err := url.Parse(options.BaseURL)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, fmt.Errorf("sandbox: the address of the banks' sites must be an http or https URL; %q is none", options.BaseURL)
	}
	data, err := builtIn()
	if err != nil {
		return nil, err
	}
	if options.Catalogue != nil {
		more, err := decodeCatalogue(options.Catalogue)
		if err != nil {
			return nil, fmt.Errorf("sandbox catalogue: %w", err)
		}
		data = merge(data, more)
	}
	s := &Sandbox{
		byASPSP:      map[openbanking.ASPSP]*Bank{},
		bySlug:       map[openbanking.ASPSP]*Bank{},
		base:         strings.TrimRight(options.BaseURL, "/"),
		flows:        options.Flows,
		now:          options.Now,
		ledgers:      newLedgerCache(maxLedgers),
		dealings:     dealings{of: map[*account]dealing{}},
		pace:         max(cmp.Or(options.Pace, defaultPace), time.Millisecond),
		consentEnded: options.ConsentEnded,
	}
	if s.consentEnded == nil {
		s.consentEnded = func(context.Context, openbanking.ASPSP, string, bool) {}
	}
	if s.now == nil {
		s.now = time.Now
	}
	for _, d := range withMocks(data) {
		b := newBank(s, d)
		key := openbanking.ASPSP{Name: b.Slug(), Country: b.Country()}
		if other, taken := s.bySlug[key]; taken {
			return nil, fmt.Errorf("sandbox catalogue: the banks %q and %q in %s would have the same address; change one of the names", other.Name(), b.Name(),
				b.Country())
		}
		s.bySlug[key] = b
		s.byASPSP[b.ASPSP().Reference()] = b
		s.banks = append(s.banks, b)
	}
	slices.SortFunc(s.banks, func(a, b *Bank) int {
		return cmp.Or(cmp.Compare(a.Country(), b.Country()), cmp.Compare(strings.ToLower(a.Name()), strings.ToLower(b.Name())))
	})
	return s, nil
}

// Banks returns every bank, by country, then by name.
func (s *Sandbox) Banks() []*Bank { return slices.Clone(s.banks) }

// Bank finds a bank by the country and the slug of its address. The case of the country does not matter.
func (s *Sandbox) Bank(country, slug string) (*Bank, bool) {
	b, ok := s.bySlug[openbanking.ASPSP{Name: slug, Country: strings.ToUpper(country)}]
	return b, ok
}

// Connectors returns every bank as a Connector, by country, then by name.
func (s *Sandbox) Connectors() []aggregator.Connector {
	connectors := make([]aggregator.Connector, len(s.banks))
	for i, b := range s.banks {
		connectors[i] = b
	}
	return connectors
}

// Connector finds a bank by its exact name and country.
func (s *Sandbox) Connector(aspsp openbanking.ASPSP) (aggregator.Connector, bool) {
	b, ok := s.byASPSP[aspsp]
	return b, ok
}
