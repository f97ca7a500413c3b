// Package pages is the part of the aggregation service that people see: the hosted pages of an authorisation, the
// simulated banks' own sites, and a front page. The pages work without scripts.
//
// A visit crosses two sites. The service's pages (/ais/, and /pis/ for payments) belong to the browser that opened the authorisation, the
// bank's pages (/banks/) to the browser that opened the visit; each site has a cookie of its own for that, and trusts
// nothing but what the browser brings back in the address.
package pages

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/a-h/templ"

	"florin/internal/aggregator"
	"florin/internal/aggregator/engine"
	"florin/internal/aggregator/sandbox"
	"florin/internal/countries"
	"florin/internal/middleware"
	"florin/internal/openbanking"
	"florin/web/static"
	"florin/web/templates/hosted"
	"florin/web/templates/words"
)

// KeySize is the number of bytes of each cookie key of Options.
const KeySize = keySize

// ContentSecurityPolicy is the policy of every page. The pages have no script, and forms stay on the site, unless a page
// says otherwise (see allowRedirect and allowScript).
const ContentSecurityPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; " + formAction +
	"; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"

const formAction = "form-action 'self'"

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

// Options are what New needs; all but Now.
type Options struct {
	Authorizations Authorizations
	Linkers        Linkers
	Choice         Banks
	Banks          *sandbox.Sandbox
	ServiceKey     []byte // KeySize random bytes, for the cookie of the service's pages
	BankKey        []byte // another KeySize, for the cookie of the banks' sites
	Addresses      Addresses
	Elsewhere      http.Handler // answers addresses without a page to clients that are no browsers
	Log            *slog.Logger
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

// Pages serves the pages. Use New.
type Pages struct {
	authorizations Authorizations
	linkers        Linkers
	banks          *sandbox.Sandbox
	service        *book // the authorisations that a browser opened
	visits         *book // the visits to banks that a browser opened
	customers      *book // who is signed in to a bank's page of consents, and until when
	addresses      Addresses
	choice         Banks
	reference      reference
	script         []byte // of the element for the choice of a bank
	elsewhere      http.Handler
	log            *slog.Logger
	now            func() time.Time
}

// New returns the pages. It panics when a key has not KeySize bytes.
func New(options Options) *Pages {
	if len(options.ServiceKey) != KeySize || len(options.BankKey) != KeySize {
		panic("pages: a cookie key has the wrong size")
	}
	https := strings.HasPrefix(options.Addresses.AuthURL, "https:")
	p := &Pages{
		authorizations: options.Authorizations,
		linkers:        options.Linkers,
		banks:          options.Banks,
		service:        newBook("florin-service", options.ServiceKey, https),
		visits:         newBook("florin-bank", options.BankKey, https),
		customers:      newBook("florin-customer", customerKey(options.BankKey), https),
		addresses:      options.Addresses,
		choice:         options.Choice,
		reference:      newReference(options.Addresses),
		script:         newScript(options.Addresses),
		elsewhere:      options.Elsewhere,
		log:            options.Log,
		now:            options.Now,
	}
	if p.now == nil {
		p.now = time.Now
	}
	return p
}

// translated are the addresses whose pages speak the languages of words; the others speak English.
var translated = regexp.MustCompile(`^\w+ /(ais/|pis/|banks/|consents$)`)

// Handler serves every address of the site; one that it does not know gets a page that says so. Forms from other sites
// are refused (security T21).
func (p *Pages) Handler() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, handler func(http.ResponseWriter, *http.Request) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if translated.MatchString(pattern) {
				r = r.WithContext(words.Listen(r.Context(), r.Header.Get("Accept-Language")))
			}
			if err := handler(w, r); err != nil {
				p.fail(w, r, err)
			}
		})
	}
	handle("GET /{$}", p.home)
	handle("GET /docs", p.docs)
	handle("GET /docs/api", p.apiReference)
	handle("GET /openapi.yaml", p.openAPI)
	handle("GET /widget", p.widgetPage)
	handle("GET /widget/aspsp-list.js", p.widgetScript)
	handle("GET /widget/aspsps", p.widgetBanks)
	handle("GET /scenarios", p.scenarios)
	handle("GET /consents", p.consentsHome)
	handle("GET /ais/start", p.start)
	handle("POST /ais/accept", p.accept)
	handle("POST /ais/cancel", p.cancel)
	handle("GET /pis/start", p.startPayment)
	handle("POST /pis/accept", p.acceptPayment)
	handle("POST /pis/cancel", p.cancelPayment)
	for _, site := range []string{servicePath, paymentPath} {
		handle("GET "+site+"/return", p.comeBack)
		handle("HEAD "+site+"/return", func(http.ResponseWriter, *http.Request) error { return errNoPage }) // GET changes state, HEAD must not
		handle("GET "+site+"/visit", p.visit)
		handle("GET "+site+"/visit/state", p.visitState)
		for step, handler := range map[string]func(http.ResponseWriter, *http.Request) error{
			"method": p.chooseMethod, "credentials": p.submitCredentials, "code": p.submitCode, "approve": p.submitAccounts,
			"order": p.submitOrder, "again": p.visitAnew, "back": p.endVisit, "decline": p.cancelVisit,
		} {
			handle("POST "+site+"/visit/"+step, handler)
			handle("GET "+site+"/visit/"+step, p.backToHosted)
		}
	}
	handle("GET /banks/{country}/{bank}/{$}", p.bankHome)
	handle("GET /banks/{country}/{bank}/brand.css", p.brandSheet)
	handle("GET /banks/{country}/{bank}/logo/{transformation...}", p.bankLogo)
	handle("GET /groups/{group}/logo/{transformation...}", p.groupLogo)
	handle("GET /banks/{country}/{bank}/authorize", p.authorize)
	handle("POST /banks/{country}/{bank}/sign-in", p.signIn)
	handle("POST /banks/{country}/{bank}/code", p.checkCode)
	handle("POST /banks/{country}/{bank}/approve", p.approve)
	handle("POST /banks/{country}/{bank}/order", p.confirmOrder)
	handle("POST /banks/{country}/{bank}/decline", p.decline)
	for _, step := range []string{"sign-in", "code", "approve", "order", "decline"} {
		handle("GET /banks/{country}/{bank}/"+step, p.backToVisit)
	}
	handle("GET /banks/{country}/{bank}/consents", p.consents)
	handle("POST /banks/{country}/{bank}/consents/sign-in", p.enterConsents)
	handle("POST /banks/{country}/{bank}/consents/end", p.endConsent)
	handle("POST /banks/{country}/{bank}/consents/sign-out", p.leaveConsents)
	for _, step := range []string{"sign-in", "end", "sign-out"} {
		handle("GET /banks/{country}/{bank}/consents/"+step, p.backToConsents)
	}
	handle("/", p.noPage)
	mux.Handle(static.Prefix, static.Handler())

	protection := http.NewCrossOriginProtection()
	if err := protection.AddTrustedOrigin(p.addresses.AuthURL); err != nil {
		panic("pages: " + err.Error()) // New's caller has checked the address
	}
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.fail(w, r, errOtherSite) }))
	return middleware.Route(protection.Handler(mux))
}

// noPage answers an address at which there is nothing: a browser gets a page.
func (p *Pages) noPage(w http.ResponseWriter, r *http.Request) error {
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		return errNoPage
	}
	p.elsewhere.ServeHTTP(w, r)
	return nil
}

// Failure renders the page for a fault of the service, for the last resort against panics.
func (p *Pages) Failure() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.render(w, r, http.StatusInternalServerError, faultPage(r))
	})
}

// ForeignHost answers requests whose Host header names none of the service's public addresses.
func (p *Pages) ForeignHost() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.fail(w, r, errForeignHost) })
}

// render writes a page, all of it or none.
func (p *Pages) render(w http.ResponseWriter, r *http.Request, status int, page templ.Component) {
	var buffer bytes.Buffer
	if err := page.Render(r.Context(), &buffer); err != nil {
		p.log.ErrorContext(r.Context(), "page not rendered", "error", err, "request_id", middleware.RequestIDFrom(r.Context()))
		http.Error(w, "The page could not be made. Please try again.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = buffer.WriteTo(w) // the browser went away: nothing left to tell it
}

// plainOrigin is an origin that a content security policy can name.
var plainOrigin = regexp.MustCompile(`^https?://[a-zA-Z0-9.-]+(:[0-9]{1,5})?$`)

// allowRedirect lets the forms of this page end at the application: a browser applies form-action to every redirect that
// follows a form, so the origin of the one registered redirect URL is added (security F2). An origin that a policy
// cannot name, such as an IPv6 address, is allowed by its scheme.
func allowRedirect(w http.ResponseWriter, redirectURL string) {
	u, err := url.Parse(redirectURL)
	if err != nil || !regexp.MustCompile(`^[a-z][a-z0-9+.-]*$`).MatchString(u.Scheme) {
		return
	}
	source := u.Scheme + "://" + u.Host
	if !plainOrigin.MatchString(source) {
		source = u.Scheme + ":"
	}
	amendPolicy(w, formAction, formAction+" "+source)
}

// allowScript lets this page run the scripts of the site, and those ask the site.
func allowScript(w http.ResponseWriter) {
	amendPolicy(w, "default-src 'none'", "default-src 'none'; script-src 'self'; connect-src 'self'")
}

func amendPolicy(w http.ResponseWriter, from, to string) {
	policy := w.Header().Get("Content-Security-Policy")
	if policy == "" {
		policy = ContentSecurityPolicy
	}
	w.Header().Set("Content-Security-Policy", strings.Replace(policy, from, to, 1))
}

// redirect sends the browser on: 303, so that a form becomes a plain request (RFC 9700). The target always comes from the
// service itself, never from the request.
func redirect(w http.ResponseWriter, r *http.Request, target string) error {
	http.Redirect(w, r, target, http.StatusSeeOther) //nolint:gosec // see above
	return nil
}

// form reads the fields of a form.
func form(r *http.Request) (url.Values, error) {
	if err := r.ParseForm(); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return nil, errLargeForm
		}
		return nil, errBrokenForm
	}
	return r.PostForm, nil
}

// bankOf is how pages show a bank. Addresses have no origin: a page and what it shows are of one site.
func bankOf(l *words.Language, bank *sandbox.Bank) hosted.Bank {
	home := bankPath(bank)
	return hosted.Bank{
		Name:    bank.Name(),
		Country: countryName(l, bank.Country()),
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
func (p *Pages) bankNamed(name openbanking.ASPSP) (*sandbox.Bank, bool) {
	connector, ok := p.banks.Connector(name)
	if !ok {
		return nil, false
	}
	bank, ok := connector.(*sandbox.Bank)
	return bank, ok
}

// countryName returns the name of a country, or the code itself.
func countryName(l *words.Language, code string) string {
	if name := countries.Name(code); name != code {
		return l.Say(words.Text(name))
	}
	return code
}
