// Package engine holds what applications do with the aggregation service: start an authorisation, lead the PSU through the bank,
// redeem the code, read account data, end the session, and pay. Who the applications are is the registry's. It knows neither HTTP
// nor pages. What a client did wrong comes back as an *openbanking.Error, what keeps a hosted page from going on as one of the
// errors that are declared here; every other error is a failure of the service.
package engine

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/storage"
	"florin/internal/openbanking"
)

// Defaults of Options.
const (
	DefaultCodeLifetime = 10 * time.Minute // api-notes 5
	DefaultPageLifetime = 30 * time.Minute
	DefaultBankTimeout  = 20 * time.Second // less than the server gives an answer
)

// Options is what an Engine is made of. Store, Connectors, List, AuthURL and Secrets are needed.
type Options struct {
	Store        *storage.Store
	Connectors   func(openbanking.ASPSP) (aggregator.Connector, bool)
	List         func() []aggregator.Connector // in the order of GET /aspsps
	AuthURL      string                        // public address of the hosted pages
	LinkedURL    string                        // where the control panel takes developers back who link own accounts; it calls FinishLinking
	Secrets      Secrets
	CodeLifetime time.Duration    // of an authorisation code; zero: DefaultCodeLifetime
	PageLifetime time.Duration    // of an authorisation that is not completed; zero: DefaultPageLifetime
	BankTimeout  time.Duration    // that a bank has to answer; zero: DefaultBankTimeout
	PaymentLimit string           // the largest amount of a payment, decimal; empty: there is none
	Now          func() time.Time // nil: time.Now
	Log          *slog.Logger     // nil: nothing is logged
}

// Engine is the service without its surfaces. It is safe for concurrent use; all its state is in the Store.
type Engine struct {
	store        *storage.Store
	connectors   func(openbanking.ASPSP) (aggregator.Connector, bool)
	list         func() []aggregator.Connector
	authURL      string
	linkedURL    string
	secrets      Secrets
	codeLifetime time.Duration
	pageLifetime time.Duration
	bankTimeout  time.Duration
	paymentLimit string
	wakePayments func()
	wakeWebhooks func()
	paymentsDue  chan struct{} // holds an element when a payment may be due earlier than AdvancePayments knows
	turns        turns
	clock        func() time.Time
	log          *slog.Logger
}

// New returns an Engine. It panics when an option that is needed is missing.
func New(o Options) *Engine {
	if o.Store == nil || o.Connectors == nil || o.List == nil || o.AuthURL == "" || o.Secrets == (Secrets{}) {
		panic("engine: an option is missing")
	}
	e := &Engine{
		store:        o.Store,
		connectors:   o.Connectors,
		list:         o.List,
		authURL:      strings.TrimSuffix(o.AuthURL, "/"),
		linkedURL:    o.LinkedURL,
		secrets:      o.Secrets,
		codeLifetime: o.CodeLifetime,
		pageLifetime: o.PageLifetime,
		bankTimeout:  o.BankTimeout,
		paymentLimit: o.PaymentLimit,
		wakePayments: func() {},
		wakeWebhooks: func() {},
		paymentsDue:  make(chan struct{}, 1),
		clock:        o.Now,
		log:          o.Log,
	}
	if e.codeLifetime == 0 {
		e.codeLifetime = DefaultCodeLifetime
	}
	if e.pageLifetime == 0 {
		e.pageLifetime = DefaultPageLifetime
	}
	if e.bankTimeout == 0 {
		e.bankTimeout = DefaultBankTimeout
	}
	if e.clock == nil {
		e.clock = time.Now
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	return e
}

// now is the time of the engine as rows hold it: UTC, to the millisecond.
func (e *Engine) now() time.Time { return e.clock().UTC().Truncate(time.Millisecond) }

// connector returns the Connector of a bank that a session refers to, with the time that it has to answer. A bank that is no longer offered gives ASPSP_ERROR.
func (e *Engine) connector(bank openbanking.ASPSP) (aggregator.Connector, error) {
	c, ok := e.connectors(bank)
	if !ok {
		return nil, &openbanking.Error{Code: openbanking.ASPSPError, Detail: text("The bank is no longer offered")}
	}
	return bounded{c, e.bankTimeout}, nil
}

// bankError turns an error of a Connector into one for the client. An error of the API stays as it is, an ended consent gives the code of its session, and
// a late answer ASPSP_TIMEOUT. Anything else is ASPSP_ERROR, with the cause in the log. When the client itself has gone away, the error stays as it is and
// the bank is not blamed.
func (e *Engine) bankError(bank openbanking.ASPSP, doing string, err error) error {
	var known *openbanking.Error
	var code openbanking.ErrorCode
	switch {
	case err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &code):
		return &openbanking.Error{Code: code}
	case errors.Is(err, aggregator.ErrConsentEnded):
		return openbanking.ExpiredSession
	case errors.Is(err, aggregator.ErrConsentRevoked):
		return openbanking.RevokedSession
	}
	e.log.Error("bank failed", "doing", doing, "bank", bank.Name, "country", bank.Country, "cause", err.Error())
	if errors.Is(err, context.DeadlineExceeded) {
		return &openbanking.Error{Code: openbanking.ASPSPTimeout}
	}
	return &openbanking.Error{Code: openbanking.ASPSPError, Detail: text("Unknown error")}
}

// LogoURL returns the address at which the hosted pages serve the logo of a bank. It ends with a slash, so that the
// transformation suffixes of the specification can follow (spec: ASPSP data).
func (e *Engine) LogoURL(bank openbanking.ASPSP) string {
	return e.authURL + "/banks/" + url.PathEscape(bank.Country) + "/" + url.PathEscape(bank.Name) + "/logo/"
}

// GroupLogoURL is LogoURL for a group of banks.
func (e *Engine) GroupLogoURL(group string) string {
	return e.authURL + "/groups/" + url.PathEscape(group) + "/logo/"
}
