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

// View follows the data that one open page shows. Each kind of live page has its own small type, which remembers what the page shows.
type View interface {
	// Render answers an event with a fragment of the page (EventFragment), with EventReload to reload the page, or with "" when nothing changes. The first
	// event has the topic TopicOpened. An error ends the stream; it is logged unless it is finance.ErrNotFound.
	Render(ctx context.Context, e live.Event) (name string, html []byte, err error)
}

// OpenView opens the view for a page of the visitor. query is that of the stream's address. An error is the answer to the request.
type OpenView func(v *Visitor, query url.Values) (View, error)

// Names of events, as app.js knows them.
const (
	EventFragment = "fragment"
	EventReload   = "reload"
)

// TopicOpened is the topic of the first event of a stream. With it a view compares the page with the present data, which may have changed between the page
// and its stream.
const TopicOpened = "opened"

// TopicShares is the topic of events which say that the accounts shared with the user have changed. Their ID is the account.
const TopicShares = "shares"

// LivePath returns the address of the stream for a page with this view. query holds the parameters of the view.
func LivePath(view string, query url.Values) string {
	path := paths.Events + "?view=" + url.QueryEscape(view)
	if len(query) > 0 {
		path += "&" + query.Encode()
	}
	return path
}

// Events streams HTML fragments to an open page. They are rendered by the components of the page itself. The stream ends with the sign-in: at once when the
// sign-in is ended on this server, else at the next event, and at the latest when the sign-in would expire unused, because a stream does not count as use.
// The browser then reconnects if the sign-in is still valid.
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
			return "", nil, err // finance.ErrNotFound: the sign-in was ended elsewhere
		}
		return view.Render(ctx, e)
	})
	if err != nil && !errors.Is(err, finance.ErrNotFound) {
		s.log.ErrorContext(v.Ctx(), "stream of events", "error", err)
	}
	return nil // the answer has begun
}

// Fragment returns the event that replaces parts of the page.
func Fragment(ctx context.Context, component templ.Component) (string, []byte, error) {
	var b bytes.Buffer
	if err := component.Render(ctx, &b); err != nil {
		return "", nil, err
	}
	return EventFragment, b.Bytes(), nil
}
