package shell

import (
	"context"
	"errors"
	"net/http"
)

// MaxBody bounds the body of every request, but for the forms that say otherwise: forms are small.
const MaxBody = 64 << 10

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
	Handle  func(*Visitor) error
	Files   *Files // the form may hold a file; nil: it holds none
	Proven  bool   // the form changes a setting of security: the person proves once more who they are
	Queued  bool   // the page needs the database and nobody else's answer: see queue
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

// PostProven is the route of a form that changes a setting of security: it takes a proof of the last minutes (StepUp).
func PostProven(access Access, pattern string, handle func(*Visitor) error) Route {
	return Route{Method: http.MethodPost, Pattern: pattern, Access: access, Handle: handle, Proven: true}
}
