package shell

import (
	"bytes"
	"context"
	"errors"
	"net/url"

	"github.com/a-h/templ"

	"florin/internal/finance"
	"florin/internal/live"
	"florin/web/templates/paths"
)

// View is what one open page shows and follows. Each kind of page that follows something has a small type of its own, which remembers what the page
// has.
type View interface {
	// Render answers an event with a fragment of the page (EventFragment), with EventReload to have the page loaded again, or with "" when the page does not
	// change. The first event has the topic TopicOpened. An error ends the stream; it is logged unless it is finance.ErrNotFound.
	Render(ctx context.Context, e live.Event) (name string, html []byte, err error)
}

// OpenView begins a view for a page of the user's. The query is that of the stream's address; an error is the answer to the request.
type OpenView func(v *Visitor, query url.Values) (View, error)

// Names of events, as app.js knows them.
const (
	EventFragment = "fragment"
	EventReload   = "reload"
)

// TopicOpened is the topic of the first event of a stream, so that it begins with the present state: something may have
// happened between the page and its stream.
const TopicOpened = "opened"

// TopicShares is the topic of an event that says: what others share with the user has changed. Its ID is the account.
const TopicShares = "shares"

// LivePath is the address of the stream of a page that follows a view; what else the view wants to know is in the query.
func LivePath(view string, query url.Values) string {
	path := paths.Events + "?view=" + url.QueryEscape(view)
	if len(query) > 0 {
		path += "&" + query.Encode()
	}
	return path
}

// Events streams fragments of HTML to an open page, made by the components of the page itself. The stream ends with the sign-in: at once when the sign-in
// is ended on this server, otherwise at the next event, and at the latest when the sign-in would expire unused, because a stream does not count as use. The
// browser then connects again if the sign-in is still valid.
func (s *Shell) Events(v *Visitor, views map[string]OpenView) error {
	query := v.Request.URL.Query()
	open := views[query.Get("view")]
	if open == nil {
		return finance.ErrNotFound
	}
	view, err := open(v, query)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithDeadline(v.Ctx(), s.auth.EndsUnused(v.SignIn))
	defer cancel()
	subscription := s.hub.Subscribe(v.User.ID, live.Event{Topic: TopicOpened})
	defer subscription.Close()
	err = live.ServeSSE(v.Writer, v.Request.WithContext(ctx), subscription, func(ctx context.Context, e live.Event) (string, []byte, error) {
		if _, _, err := s.store.SignedIn(ctx, v.User.ID, v.SignIn.ID); err != nil {
			return "", nil, err // finance.ErrNotFound: it was ended elsewhere
		}
		return view.Render(ctx, e)
	})
	if err != nil && !errors.Is(err, finance.ErrNotFound) {
		s.log.ErrorContext(v.Ctx(), "stream of events", "error", err)
	}
	return nil // the answer has begun
}

// Fragment is the event that replaces parts of the page.
func Fragment(ctx context.Context, component templ.Component) (string, []byte, error) {
	var b bytes.Buffer
	if err := component.Render(ctx, &b); err != nil {
		return "", nil, err
	}
	return EventFragment, b.Bytes(), nil
}
