// Package pages holds the pages that people see of the aggregation service itself: those that lead through an authorisation or a
// payment, and what it tells developers. The pages work without scripts.
//
// A visit crosses two sites. These pages (/ais/, and /pis/ for payments) belong to the browser that opened the authorisation, the
// bank's pages to the browser that opened the visit; each has a cookie of its own for that, and trusts nothing but what the browser
// brings back in the address.
package pages

import (
	"context"
	"net/http"
	"sync"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/engine"
	"florin/internal/aggregator/site"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
	"florin/web/templates/words"
)

// Authorizations are the use cases behind the hosted pages; *engine.Engine is one. Its typed errors are
// engine.ErrUnknownAuthorization, ErrExpiredAuthorization and ErrCompletedAuthorization.
type Authorizations interface {
	Authorization(ctx context.Context, authorizationID string) (aggregator.Session, aggregator.Application, aggregator.ASPSP, error)
	AuthorizationOfState(ctx context.Context, state string) (authorizationID string, err error)
	Accept(ctx context.Context, authorizationID string) (visitID string, err error)
	Deny(ctx context.Context, authorizationID string) (returnURL string, err error)
	PaymentAuthorization(ctx context.Context, paymentID string) (aggregator.Payment, aggregator.Application, aggregator.ASPSP, error)
	MarkOpened(ctx context.Context, paymentID string) error
	AcceptPayment(ctx context.Context, paymentID string) (visitID string, err error)
	DenyPayment(ctx context.Context, paymentID string) (returnURL string, err error)
	ReturnFromBank(ctx context.Context, state, code, bankError, bankErrorDescription string) (returnURL string, err error)

	Visit(ctx context.Context, visitID string) (engine.Visit, error)
	ChooseMethod(ctx context.Context, visitID, method string) error
	StartAgain(ctx context.Context, visitID string) error
	Answer(ctx context.Context, visitID string, answer aggregator.Answer) error
	Cancel(ctx context.Context, visitID string) (returnURL string, err error)
	Conclude(ctx context.Context, visitID string) (returnURL string, err error)
}

// Linkers know who links own accounts with an authorisation; *registry.Registry is one. An authorisation of another kind gives an
// empty address.
type Linkers interface {
	Linker(ctx context.Context, authorizationID string) (email string, err error)
}

// Brands know how a bank shows itself to people; *banksites.Sites is one.
type Brands interface {
	// Brand returns how pages show a bank, and false for one that is not there.
	Brand(l *words.Language, bank openbanking.ASPSP) (hosted.Bank, bool)
	// SampleUsers are people who can sign in at a simulated bank.
	SampleUsers(bank openbanking.ASPSP, psuType openbanking.PSUType) []hosted.SampleUser
}

// Options are what Add needs; all but Now.
type Options struct {
	Authorizations Authorizations
	Linkers        Linkers
	Choice         Banks
	Brands         Brands
	CookieKey      []byte // site.KeySize random bytes
	Addresses      Addresses
	Now            func() time.Time // nil: time.Now
}

// Addresses are what the service says about itself to developers. URLs have no slash at the end.
type Addresses struct {
	BaseURL         string
	AuthURL         string // of these pages
	RegistrationURL string
	Issuer          string
	Audiences       []string
	CodeLifetime    time.Duration
}

// Pages answers the addresses of the pages. Use Add.
type Pages struct {
	site           *site.Site
	authorizations Authorizations
	linkers        Linkers
	brands         Brands
	service        *site.Cookie // the authorisations that a browser opened
	addresses      Addresses
	choice         Banks
	reference      func() reference // made when it is asked for, as the next one
	script         func() []byte    // of the element for the choice of a bank
	now            func() time.Time
}

// Add puts the pages on the site.
func Add(s *site.Site, options Options) {
	p := &Pages{
		site:           s,
		authorizations: options.Authorizations,
		linkers:        options.Linkers,
		brands:         options.Brands,
		service:        site.NewCookie("florin-service", options.CookieKey, s.HTTPS()),
		addresses:      options.Addresses,
		choice:         options.Choice,
		reference:      sync.OnceValue(func() reference { return newReference(options.Addresses) }),
		script:         sync.OnceValue(func() []byte { return newScript(options.Addresses) }),
		now:            options.Now,
	}
	if p.now == nil {
		p.now = time.Now
	}
	s.Handle("GET /docs", p.docs)
	s.Handle("GET /docs/api", p.apiReference)
	s.Handle("GET /openapi.yaml", p.openAPI)
	s.Handle("GET /widget", p.widgetPage)
	s.Handle("GET /widget/aspsp-list.js", p.widgetScript)
	s.Handle("GET /widget/aspsps", p.widgetBanks)
	s.Handle("GET /ais/start", p.start)
	s.Handle("POST /ais/accept", p.accept)
	s.Handle("POST /ais/cancel", p.cancel)
	s.Handle("GET /pis/start", p.startPayment)
	s.Handle("POST /pis/accept", p.acceptPayment)
	s.Handle("POST /pis/cancel", p.cancelPayment)
	for _, path := range []string{site.ServicePath, site.PaymentPath} {
		s.Handle("GET "+path+"/return", p.comeBack)
		s.Handle("HEAD "+path+"/return", func(http.ResponseWriter, *http.Request) error { return site.ErrNoPage }) // GET changes state, HEAD must not
		s.Handle("GET "+path+"/visit", p.visit)
		s.Handle("GET "+path+"/visit/state", p.visitState)
		for step, handler := range map[string]func(http.ResponseWriter, *http.Request) error{
			"method": p.chooseMethod, "credentials": p.submitCredentials, "code": p.submitCode, "approve": p.submitAccounts,
			"order": p.submitOrder, "again": p.visitAnew, "back": p.endVisit, "decline": p.cancelVisit,
		} {
			s.Handle("POST "+path+"/visit/"+step, handler)
			s.Handle("GET "+path+"/visit/"+step, p.backToHosted)
		}
	}
}

// allowScript lets this page run the scripts of the site, and those ask the site.
func allowScript(w http.ResponseWriter) {
	site.AmendPolicy(w, "default-src 'none'", "default-src 'none'; script-src 'self'; connect-src 'self'")
}
