package shell

import (
	"context"
	"errors"
	"net/http"

	"florin/internal/auth"
)

// MaxBody bounds the body of every request, but for the forms that say otherwise: forms are small.
const MaxBody = 64 << 10

// Access says who may use a route.
type Access int

// Values of Access, from the widest to the narrowest.
const (
	Public    Access = iota // everybody
	ByAddress               // a program that knows the address, which is a secret: no sign-in, no cookie, no pages. What is wrong is a line of text
	Setup                   // everybody, until there is an owner
	SignedIn                // whoever is signed in, viewers too; what belongs to others is 404 for them
	Stream                  // as SignedIn, for a stream of events: being connected does not count as using Florin
	Member                  // whoever is signed in and no viewer: what makes or changes something of one's own, or is about it
	Owner                   // an owner of the installation
)

// Route is one line of the route table.
type Route struct {
	Method  string // GET answers HEAD too
	Pattern string // of http.ServeMux, without the method
	Access  Access
	Handle  func(*Visitor) error
	Files   *Files       // the form may hold a file; nil: it holds none
	Purpose auth.Purpose // what the person proves once more who they are for, before the form is taken; zero: for nothing
	SetsUp  bool         // it belongs to the set-up of a second factor: open to a sign-in that may do nothing before that
	Queued  bool         // the page needs the database and nobody else's answer: see queue

	ShowsAmounts bool // in privacy mode too: the person is about to send what the page shows
}

// Files says what a form with a file may hold.
type Files struct {
	Max      int64                              // bytes of the whole form
	TooLarge func(ctx context.Context) *Problem // says what to do instead of sending more
	Streamed bool                               // the handler reads the form itself, with Visitor.Upload
}

// explain gives the error of a form that is too large its page; others stay as they are.
func (f *Files) explain(ctx context.Context, err error) error {
	if large, is := errors.AsType[*http.MaxBytesError](err); is && f != nil {
		p := f.TooLarge(ctx)
		p.Cause = large
		return p
	}
	return err
}

// Get is the route of a page.
func Get(access Access, pattern string, handle func(*Visitor) error) Route {
	return Route{Method: http.MethodGet, Pattern: pattern, Access: access, Handle: handle}
}

// GetQueued is the route of a page that is made of what the database holds: it waits for no service. Few of these are made at a time.
func GetQueued(access Access, pattern string, handle func(*Visitor) error) Route {
	return Route{Method: http.MethodGet, Pattern: pattern, Access: access, Handle: handle, Queued: true}
}

// Post is the route of a form.
func Post(access Access, pattern string, handle func(*Visitor) error) Route {
	return Route{Method: http.MethodPost, Pattern: pattern, Access: access, Handle: handle}
}

// WhileSettingUp opens the routes to a sign-in that may do nothing before its user has set up a second factor.
func WhileSettingUp(routes ...Route) []Route {
	for i := range routes {
		routes[i].SetsUp = true
	}
	return routes
}

// WhereMoneyIsSent makes the routes show amounts in privacy mode too: on them the person says that a payment is to be sent.
func WhereMoneyIsSent(routes ...Route) []Route {
	for i := range routes {
		routes[i].ShowsAmounts = true
	}
	return routes
}

// PostProven is the route of a form that takes a proof of who the person is, for a purpose (Shell.StepUp).
func PostProven(access Access, pattern string, purpose auth.Purpose, handle func(*Visitor) error) Route {
	return Route{Method: http.MethodPost, Pattern: pattern, Access: access, Handle: handle, Purpose: purpose}
}
