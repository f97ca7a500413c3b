package handlers

import (
	"context"
	"net/url"
	"time"

	"florin/internal/live"
	"florin/internal/syncer"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// What a page about a connection follows.
const (
	liveConnection = "connection" // the sync part of the page of a connection
	liveProgress   = "progress"   // the progress of a connection's sync, until it is over
)

// liveProgressID is the id of the progress on all pages but the accounts page.
const liveProgressID = "sync-progress"

// connectionLive is the address of the stream of a page that shows a connection. busy says that it shows a sync in progress.
func connectionLive(view, connectionID string, busy bool) string {
	q := url.Values{"connection": {connectionID}}
	if busy {
		q.Set("busy", "true")
	}
	return livePath(view, q)
}

// connectionView follows the sync of one connection on its page.
type connectionView struct {
	app                *App
	userID, connection string
	busy               bool // the page shows a sync in progress
}

func (a *App) openConnectionView(v *visit, query url.Values) (View, error) {
	s, err := a.newConnectionView(v, query)
	return &s, err
}

func (a *App) newConnectionView(v *visit, query url.Values) (connectionView, error) {
	_, err := a.Store.Connection(v.ctx(), v.user.ID, query.Get("connection"))
	return connectionView{app: a, userID: v.user.ID, connection: query.Get("connection"), busy: query.Get("busy") == "true"}, err
}

// Render shows how the sync stands. When it is over, more than its part of the page has changed.
func (s *connectionView) Render(ctx context.Context, e live.Event) (string, []byte, error) {
	c, concerned, err := s.find(ctx, e)
	if err != nil || !concerned {
		return "", nil, err
	}
	if s.busy && !c.sync.busy {
		return eventReload, nil, nil
	}
	s.busy = c.sync.busy
	return fragment(ctx, pages.ConnectionSync(syncView(c)))
}

// find returns the connection as it is now; false when the event is about something else.
func (s *connectionView) find(ctx context.Context, e live.Event) (connected, bool, error) {
	if e.Topic != topicOpened && (e.Topic != syncer.Topic || e.ID != s.connection) {
		return connected{}, false, nil
	}
	h, err := s.app.holdings(ctx, s.userID)
	if err != nil {
		return connected{}, false, err
	}
	c, err := h.find(s.app.at(time.Now()), s.connection)
	return c, true, err
}

// progressView follows the progress of a connection's sync on another page, until it is over.
type progressView struct{ connectionView }

func (a *App) openProgressView(v *visit, query url.Values) (View, error) {
	s, err := a.newConnectionView(v, query)
	return &progressView{s}, err
}

// Render shows the progress; when it is over, the page is to be loaded again if it showed one.
func (s *progressView) Render(ctx context.Context, e live.Event) (string, []byte, error) {
	c, concerned, err := s.find(ctx, e)
	if err != nil || !concerned {
		return "", nil, err
	}
	if s.busy && !c.sync.busy {
		return eventReload, nil, nil
	}
	progress := c.sync.progress(liveProgressID, c.accounts)
	if progress == nil {
		return "", nil, nil
	}
	return fragment(ctx, ui.SyncProgress(*progress))
}
