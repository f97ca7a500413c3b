// Package banksites holds the sites of the simulated banks, where people sign in, approve, look after their consents and pay as in the bank's app, and the
// lists that lead there: the front page of the service, its scenarios and /consents. All of it belongs to the sandbox; a service
// with real banks would have none of it. The pages work without scripts.
package banksites

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/sandbox"
	"florin/internal/aggregator/site"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
	"florin/web/templates/words"
)

// Authorizations tell to which application a visit leads back; *engine.Engine is one. Its typed errors are
// engine.ErrUnknownAuthorization, ErrExpiredAuthorization and ErrCompletedAuthorization.
type Authorizations interface {
	AuthorizationOfState(ctx context.Context, state string) (authorizationID string, err error)
	Authorization(ctx context.Context, authorizationID string) (aggregator.Session, aggregator.Application, aggregator.ASPSP, error)
	PaymentAuthorization(ctx context.Context, paymentID string) (aggregator.Payment, aggregator.Application, aggregator.ASPSP, error)
}

// Options are what Add needs; all but Now.
type Options struct {
	Banks          *sandbox.Sandbox
	Authorizations Authorizations
	CookieKey      []byte           // site.KeySize random bytes
	Now            func() time.Time // nil: time.Now
}

// Sites answers the addresses of the banks' sites. Use Add.
type Sites struct {
	site           *site.Site
	banks          *sandbox.Sandbox
	authorizations Authorizations
	visits         *site.Cookie // the visits to banks that a browser opened
	customers      *site.Cookie // who is signed in to a bank's page for customers, and until when
	now            func() time.Time
	logos          drawings
}

// Add puts the sites of the banks, and the lists of them, on the site of the service.
func Add(on *site.Site, options Options) *Sites {
	s := &Sites{
		site:           on,
		banks:          options.Banks,
		authorizations: options.Authorizations,
		visits:         site.NewCookie("florin-bank", options.CookieKey, on.HTTPS()),
		customers:      site.NewCookie("florin-customer", customerKey(options.CookieKey), on.HTTPS()),
		now:            options.Now,
	}
	if s.now == nil {
		s.now = time.Now
	}
	s.handle("GET /{$}", s.home)
	s.handle("GET /scenarios", s.scenarios)
	s.handle("GET /consents", s.consentsHome)
	s.handle("GET /groups/{group}/logo/{transformation...}", s.groupLogo)
	const bank = "/banks/{country}/{bank}/"
	s.handle("GET "+bank+"{$}", s.bankHome)
	s.handle("GET "+bank+"brand.css", s.brandSheet)
	s.handle("GET "+bank+"logo/{transformation...}", s.bankLogo)
	s.handle("GET "+bank+"authorize", s.authorize)
	s.handle("POST "+bank+"sign-in", s.signIn)
	s.handle("POST "+bank+"code", s.checkCode)
	s.handle("POST "+bank+"approve", s.approve)
	s.handle("POST "+bank+"order", s.confirmOrder)
	s.handle("POST "+bank+"decline", s.decline)
	for _, step := range []string{"sign-in", "code", "approve", "order", "decline"} {
		s.handle("GET "+bank+step, s.backToVisit)
	}
	s.handle("GET "+bank+"consents", s.consents)
	s.handle("POST "+bank+"consents/sign-in", s.enter(consentsRoom))
	s.handle("POST "+bank+"consents/end", s.endConsent)
	s.handle("POST "+bank+"consents/sign-out", s.leave(consentsRoom))
	for _, step := range []string{"sign-in", "end", "sign-out"} {
		s.handle("GET "+bank+"consents/"+step, s.backTo(consentsRoom))
	}
	s.handle("GET "+bank+"app", s.app)
	s.handle("POST "+bank+"app/sign-in", s.enter(appRoom))
	on.HandleUpload("POST "+bank+"app/check", maxUpload, s.signedInToApp, s.checkInApp)
	on.HandleUpload("POST "+bank+"app/approve", maxUpload, s.signedInToApp, s.approveInApp)
	s.handle("POST "+bank+"app/sign-out", s.leave(appRoom))
	for _, step := range []string{"sign-in", "check", "approve", "sign-out"} {
		s.handle("GET "+bank+"app/"+step, s.backTo(appRoom))
	}
	return s
}

// handle adds an address to the site. An unknown visit gets the page for a link that leads nowhere.
func (s *Sites) handle(pattern string, handler func(http.ResponseWriter, *http.Request) error) {
	s.site.Handle(pattern, func(w http.ResponseWriter, r *http.Request) error {
		err := handler(w, r)
		if errors.Is(err, sandbox.ErrNoVisit) {
			return site.ErrUnknown
		}
		return err
	})
}

// Brand returns how pages show a bank, and false for one that is not simulated.
func (s *Sites) Brand(l *words.Language, name openbanking.ASPSP) (hosted.Bank, bool) {
	bank, ok := s.bankNamed(name)
	if !ok {
		return hosted.Bank{}, false
	}
	return bankOf(l, bank), true
}

// SampleUsers returns the people who can sign in at a bank as PSUs of a type; none for a bank that is not simulated.
func (s *Sites) SampleUsers(name openbanking.ASPSP, psuType openbanking.PSUType) []hosted.SampleUser {
	bank, ok := s.bankNamed(name)
	if !ok {
		return nil
	}
	return sampleUsers(bank, psuType)
}

// bankOf is how pages show a bank. Addresses have no origin: a page and what it shows are of one site.
func bankOf(l *words.Language, bank *sandbox.Bank) hosted.Bank {
	home := bankPath(bank)
	return hosted.Bank{
		Name:    bank.Name(),
		Country: site.CountryName(l, bank.Country()),
		LogoURL: home + "logo/",
		HomeURL: home,
		CSSURL:  home + "brand.css",
	}
}

// bankPath is the path of a bank's own site, with a slash at the end.
func bankPath(bank *sandbox.Bank) string {
	return "/banks/" + strings.ToLower(bank.Country()) + "/" + bank.Slug() + "/"
}

// bankNamed finds a bank by its name in the API.
func (s *Sites) bankNamed(name openbanking.ASPSP) (*sandbox.Bank, bool) {
	connector, ok := s.banks.Connector(name)
	if !ok {
		return nil, false
	}
	bank, ok := connector.(*sandbox.Bank)
	return bank, ok
}
