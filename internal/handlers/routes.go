package handlers

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"florin/web/static"
	"florin/web/templates/paths"
)

// Access says who may use a route.
type Access int

// Values of Access, from the widest to the narrowest.
const (
	Public   Access = iota // everybody
	Setup                  // everybody, until there is an owner
	SignedIn               // whoever is signed in; what belongs to others is 404 for them
	Stream                 // as SignedIn, for a stream of events: being connected does not count as using Florin
	Owner                  // the owner of the installation
)

// Route is one line of the route table.
type Route struct {
	Method  string // GET answers HEAD too
	Pattern string // of http.ServeMux, without the method
	Access  Access
	handle  func(*App, *visit) error
}

// Routes is the route table: every page, form and stream of the web app. Checks that have to hold for all of them are made from it.
// Beside it there are only the files under static.Prefix, and /healthz and /readyz, which know no user.
//
// Nothing changes on GET, but for the callback: the bank sends people back with a GET, which consumes the one-time state; and the page of a payment notes that its end
// was seen.
func Routes() []Route {
	return []Route{
		{http.MethodGet, "/{$}", SignedIn, (*App).accounts},
		{http.MethodGet, paths.Setup, Setup, (*App).setupPage},
		{http.MethodPost, paths.Setup, Setup, (*App).setup},
		{http.MethodGet, paths.SignIn, Public, (*App).signInPage},
		{http.MethodPost, paths.SignIn, Public, (*App).signIn},
		{http.MethodPost, paths.SignOut, Public, (*App).signOut},
		{http.MethodGet, paths.Reset, Public, (*App).resetPage},
		{http.MethodPost, paths.Reset, Public, (*App).reset},
		{http.MethodGet, paths.Simulated, Public, (*App).simulated},

		{http.MethodGet, paths.Link, SignedIn, (*App).banks},
		{http.MethodGet, paths.LinkBank, SignedIn, (*App).bank},
		{http.MethodPost, paths.Link, SignedIn, (*App).startLink},
		{http.MethodGet, paths.Link + "/{attempt}", SignedIn, (*App).attempt},
		{http.MethodGet, "/callback/{provider}", Public, (*App).callback},

		{http.MethodGet, "/connections/{connection}", SignedIn, (*App).connection},
		{http.MethodPost, "/connections/{connection}/refresh", SignedIn, (*App).refresh},
		{http.MethodGet, "/connections/{connection}/disconnect", SignedIn, (*App).disconnectPage},
		{http.MethodPost, "/connections/{connection}/disconnect", SignedIn, (*App).disconnect},

		{http.MethodGet, "/accounts/{account}", SignedIn, (*App).account},
		{http.MethodPost, "/accounts/{account}/nickname", SignedIn, (*App).nickname},
		{http.MethodGet, "/accounts/{account}/transactions/{transaction}", SignedIn, (*App).transaction},

		{http.MethodGet, paths.Pay, SignedIn, (*App).payPage},
		{http.MethodPost, paths.Pay, SignedIn, (*App).pay},
		{http.MethodPost, paths.PayExplain, SignedIn, (*App).payExplain},
		{http.MethodGet, paths.Payments, SignedIn, (*App).payments},
		{http.MethodGet, paths.Payments + "/{payment}", SignedIn, (*App).payment},
		{http.MethodGet, paths.Payments + "/{payment}/review", SignedIn, (*App).review},
		{http.MethodGet, paths.Payments + "/{payment}/confirm", SignedIn, (*App).review}, // where the address stands when something had to be corrected
		{http.MethodPost, paths.Payments + "/{payment}/confirm", SignedIn, (*App).confirm},
		{http.MethodGet, paths.Payments + "/{payment}/leave", SignedIn, (*App).paymentLeave},
		{http.MethodPost, paths.Payments + "/{payment}/leave", SignedIn, (*App).paymentGo},
		{http.MethodPost, paths.Payments + "/{payment}/discard", SignedIn, (*App).discard},
		{http.MethodPost, paths.Payments + "/{payment}/show", SignedIn, (*App).showPayment},
		{http.MethodPost, paths.Payments + "/{payment}/check", SignedIn, (*App).checkPayment},
		{http.MethodPost, paths.Payments + "/{payment}/payee", SignedIn, (*App).keepPayee},
		{http.MethodPost, paths.Payments + "/{payment}/stopped", SignedIn, (*App).stopPayment},
		{http.MethodPost, paths.PaymentsSeen, SignedIn, (*App).seePayments},
		{http.MethodGet, paths.Payments + "/{payment}/receipt", SignedIn, (*App).receipt},

		{http.MethodGet, paths.Settings, SignedIn, (*App).settings},
		{http.MethodPost, paths.Password, SignedIn, (*App).changePassword},
		{http.MethodPost, paths.Settings + "/sign-ins/{sign_in}/end", SignedIn, (*App).endSignIn},

		{http.MethodGet, paths.PayBulk, SignedIn, (*App).bulkPage},
		{http.MethodPost, paths.PayBulk, SignedIn, (*App).bulk},
		{http.MethodGet, paths.Payees, SignedIn, (*App).payees},
		{http.MethodGet, paths.NewPayee, SignedIn, (*App).newPayee},
		{http.MethodPost, paths.Payees, SignedIn, (*App).savePayee},
		{http.MethodGet, "/payees/{payee}", SignedIn, (*App).payee},
		{http.MethodPost, "/payees/{payee}", SignedIn, (*App).savePayee},
		{http.MethodPost, "/payees/{payee}/favourite", SignedIn, (*App).favourPayee},
		{http.MethodPost, "/payees/{payee}/delete", SignedIn, (*App).deletePayee},

		{http.MethodGet, paths.Services, Owner, (*App).services},
		{http.MethodPost, paths.Services, Owner, (*App).beginService},
		{http.MethodGet, paths.NewService, Owner, (*App).newService},
		{http.MethodGet, paths.Services + "/{service}", Owner, (*App).service},
		{http.MethodPost, paths.Services + "/{service}", Owner, (*App).changeService},
		{http.MethodGet, paths.Services + "/{service}/certificate", Owner, (*App).serviceCertificate},
		{http.MethodPost, paths.Services + "/{service}/examine", Owner, (*App).examineService},
		{http.MethodPost, paths.Services + "/{service}/key", Owner, (*App).newServiceKey},
		{http.MethodPost, paths.Services + "/{service}/discard", Owner, (*App).discardService},
		{http.MethodPost, paths.Services + "/{service}/remove", Owner, (*App).removeService},
		{http.MethodGet, paths.Webhooks, Owner, (*App).webhookInbox},
		{http.MethodGet, paths.Webhooks + "/{webhook}", Owner, (*App).webhookPage},
		{http.MethodPost, paths.Webhooks + "/{webhook}/replay", Owner, (*App).replayWebhook},
		{http.MethodPost, paths.Webhooks + "/{webhook}/trust", Owner, (*App).trustWebhook},

		{http.MethodGet, paths.Events, Stream, (*App).events},
	}
}

// mux builds the router. Addresses outside the table, and methods that an address does not know, are pages too.
func (a *App) mux() *http.ServeMux {
	mux := http.NewServeMux()
	for _, route := range Routes() {
		mux.Handle(route.Method+" "+route.Pattern, a.serve(route))
	}
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("GET /healthz", a.healthz)
	mux.HandleFunc("GET /readyz", a.readyz)
	mux.Handle("/", a.serve(Route{Pattern: "/", Access: Public, handle: func(a *App, v *visit) error {
		allowed := a.methods(v.r)
		if len(allowed) == 0 {
			return &problem{status: http.StatusNotFound}
		}
		v.w.Header().Set("Allow", strings.Join(allowed, ", "))
		return &problem{status: http.StatusMethodNotAllowed}
	}}))
	return mux
}

// methods lists the methods that the address of r knows.
func (a *App) methods(r *http.Request) []string {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		if _, known := a.find(method, r.URL.Path); known {
			allowed = append(allowed, method)
		}
	}
	return allowed
}

// find returns the pattern that answers a method at a path; false when only the page for unknown addresses does.
func (a *App) find(method, path string) (pattern string, known bool) {
	request := &http.Request{Method: method, URL: &url.URL{Path: path}}
	_, pattern = a.router.Handler(request)
	return pattern, pattern != "/" && pattern != ""
}

// isPage reports whether the path is a page for people who are signed in.
func (a *App) isPage(path string) bool {
	pattern, _ := a.find(http.MethodGet, path)
	return slices.ContainsFunc(Routes(), func(r Route) bool {
		return r.Method+" "+r.Pattern == pattern && (r.Access == SignedIn || r.Access == Owner)
	})
}
