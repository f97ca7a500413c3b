package shell

import (
	"context"
	"errors"
	"net/http"

	"florin/internal/auth"
)

// MaxBody limits the body of requests in bytes, except for forms that set their own limit (Files).
const MaxBody = 64 << 10

// Access says who may use a route.
type Access int

// Values of Access, the widest first.
const (
	Public    Access = iota // everybody
	ByAddress               // a program that knows the secret address: without sign-in, cookies and pages. Errors are a line of text
	Setup                   // everybody until there is an owner
	SignedIn                // all signed-in users, also viewers; what belongs to others is 404 for them
	Stream                  // like SignedIn, for an event stream: being connected does not count as use
	Member                  // signed-in users except viewers: routes that create, change or concern something of one's own
	Owner                   // an owner of the installation
)

// Route is one line of the route table.
type Route struct {
	Method  string // GET also answers HEAD
	Pattern string // of http.ServeMux, without the method
	Access  Access
	Handle  func(*Visitor) error
	Files   *Files       // set when the form may contain a file
	Purpose auth.Purpose // the form is accepted only with a proof of identity for this purpose; zero: without one
	SetsUp  bool         // part of setting up a second factor: open to a sign-in that must do that first
	Queued  bool         // the page only needs the database and no service: see queue

	ShowsAmounts bool // shows amounts even in privacy mode, because the person is about to send them
}

// Files describes a form with a file.
type Files struct {
	Max      int64                              // bytes of the whole form
	TooLarge func(ctx context.Context) *Problem // what to say about a larger form
	Streamed bool                               // the handler reads the form itself, with Visitor.Upload
}

// explain returns the page for a form that is too large, and other errors unchanged.
func (f *Files) explain(ctx context.Context, err error) error {
	if large, is := errors.AsType[*http.MaxBytesError](err); is && f != nil {
		p := f.TooLarge(ctx)
		p.Cause = large
		return p
	}
	return err
}

// Get returns the route of a page.
func Get(access Access, pattern string, handle func(*Visitor) error) Route {
	return Route{Method: http.MethodGet, Pattern: pattern, Access: access, Handle: handle}
}

// GetQueued returns the route of a page that only reads the database and calls no service. Few of these are made at the same time (queue).
func GetQueued(access Access, pattern string, handle func(*Visitor) error) Route {
	return Route{Method: http.MethodGet, Pattern: pattern, Access: access, Handle: handle, Queued: true}
}

// Post returns the route of a form.
func Post(access Access, pattern string, handle func(*Visitor) error) Route {
	return Route{Method: http.MethodPost, Pattern: pattern, Access: access, Handle: handle}
}

// WhileSettingUp opens routes to a sign-in whose user must set up a second factor first.
func WhileSettingUp(routes ...Route) []Route {
	for i := range routes {
		routes[i].SetsUp = true
	}
	return routes
}

// WhereMoneyIsSent makes routes show amounts even in privacy mode: on them the person sends a payment.
func WhereMoneyIsSent(routes ...Route) []Route {
	for i := range routes {
		routes[i].ShowsAmounts = true
	}
	return routes
}

// PostProven returns the route of a form that needs a proof of identity for a purpose (Shell.StepUp).
func PostProven(access Access, pattern string, purpose auth.Purpose, handle func(*Visitor) error) Route {
	return Route{Method: http.MethodPost, Pattern: pattern, Access: access, Handle: handle, Purpose: purpose}
}
