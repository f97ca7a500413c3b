package handlers

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
	// Render turns an event into a fragment of the page, or into a wish to load it again; into nothing ("") when the page does not change. The first event has
	// the topic topicOpened. The stream ends with an error, without a word when it is finance.ErrNotFound.
	Render(ctx context.Context, e live.Event) (name string, html []byte, err error)
}

// OpenView begins a view for a page of the user's. The query is that of the stream's address; an error is the answer to the request.
type OpenView func(v *visit, query url.Values) (View, error)

// Names of events, as app.js knows them.
const (
	eventFragment = "fragment"
	eventReload   = "reload"
)

// topicOpened is the topic of the first event of a stream, so that it begins with the present state: something may have
// happened between the page and its stream.
const topicOpened = "opened"

// livePath is the address of the stream of a page that follows a view; what else the view wants to know is in the query.
func livePath(view string, query url.Values) string {
	path := paths.Events + "?view=" + url.QueryEscape(view)
	if len(query) > 0 {
		path += "&" + query.Encode()
	}
	return path
}

// events streams HTML of the very components that the page was made of. It ends with the sign-in: at once when it is ended here, else before the next
// event, and at the latest when it would have run out. Then the browser connects again, if its sign-in is still good.
func (a *App) events(v *visit) error {
	query := v.r.URL.Query()
	open := a.views()[query.Get("view")]
	if open == nil {
		return finance.ErrNotFound
	}
	view, err := open(v, query)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithDeadline(v.ctx(), a.Auth.Ends(v.signIn))
	defer cancel()
	subscription := a.Hub.Subscribe(v.user.ID, live.Event{Topic: topicOpened})
	defer subscription.Close()
	err = live.ServeSSE(v.w, v.r.WithContext(ctx), subscription, func(ctx context.Context, e live.Event) (string, []byte, error) {
		if _, _, err := a.Store.SignedIn(ctx, v.user.ID, v.signIn.ID); err != nil {
			return "", nil, err // finance.ErrNotFound: it was ended elsewhere
		}
		return view.Render(ctx, e)
	})
	if err != nil && !errors.Is(err, finance.ErrNotFound) {
		a.Log.ErrorContext(v.ctx(), "stream of events", "error", err)
	}
	return nil // the answer has begun
}

// views are all views, by the names that addresses of streams have for them.
func (a *App) views() map[string]OpenView {
	return map[string]OpenView{
		liveAccounts:   a.openAccountsView,
		liveConnection: a.openConnectionView,
		liveProgress:   a.openProgressView,
		livePayment:    a.openPaymentView,
		livePayments:   a.openPaymentsView,
	}
}

// fragment is the event that replaces parts of the page.
func fragment(ctx context.Context, component templ.Component) (string, []byte, error) {
	var b bytes.Buffer
	if err := component.Render(ctx, &b); err != nil {
		return "", nil, err
	}
	return eventFragment, b.Bytes(), nil
}
