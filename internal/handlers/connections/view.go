package connections

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"florin/internal/handlers/shell"
	"florin/internal/live"
	"florin/internal/payments"
	"florin/internal/syncer"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// What a page about a connection follows.
const (
	liveConnection = "connection" // the sync part of the page of a connection
	ViewProgress   = "progress"   // the progress of a connection's sync, until it is over
)

// ProgressID is the id of the progress on all pages but the accounts page.
const ProgressID = "sync-progress"

// Live is the address of the stream of a page that shows a connection. busy says that it shows a sync in progress, lacks how many payments it says are not in
// its balances yet.
func Live(view, connectionID string, busy bool, lacks int) string {
	q := url.Values{"connection": {connectionID}}
	if busy {
		q.Set("busy", "true")
	}
	if lacks > 0 {
		q.Set("lacks", strconv.Itoa(lacks))
	}
	return shell.LivePath(view, q)
}

// connectionView follows the sync of one connection on its page.
type connectionView struct {
	app                *Area
	userID, connection string
	busy               bool // the page shows a sync in progress
	attended           bool // the bank will know that the person is there
}

func (a *Area) openConnectionView(v *shell.Visitor, query url.Values) (shell.View, error) {
	s, err := a.newConnectionView(v, query)
	return &s, err
}

func (a *Area) newConnectionView(v *shell.Visitor, query url.Values) (connectionView, error) {
	c, err := a.Store.Connection(v.Ctx(), v.User.ID, query.Get("connection"))
	return connectionView{app: a, userID: v.User.ID, connection: c.ID, busy: query.Get("busy") == "true", attended: Attended(v, c)}, err
}

// Render shows how the sync stands. When it is over, more than its part of the page has changed.
func (s *connectionView) Render(ctx context.Context, e live.Event) (string, []byte, error) {
	c, concerned, err := s.find(ctx, e)
	if err != nil || !concerned {
		return "", nil, err
	}
	if s.busy && !c.Sync.Busy {
		return shell.EventReload, nil, nil
	}
	s.busy = c.Sync.Busy
	return shell.Fragment(ctx, pages.ConnectionSync(syncView(c)))
}

// find returns the connection as it is now; false when the event is about something else.
func (s *connectionView) find(ctx context.Context, e live.Event) (Connected, bool, error) {
	if e.Topic != shell.TopicOpened && e.Topic != payments.Topic && (e.Topic != syncer.Topic || e.ID != s.connection) {
		return Connected{}, false, nil
	}
	h, err := s.app.Holdings(ctx, s.userID)
	if err != nil {
		return Connected{}, false, err
	}
	c, err := h.Find(s.app.At(ctx, time.Now()), s.connection)
	var staleAfter time.Duration // nothing is about to be read where the page shows no sync
	if s.busy {
		staleAfter = s.app.Syncer.StaleAfter
	}
	c.Sync = c.Sync.Await(s.attended, staleAfter)
	return c, true, err
}

// progressView follows the progress of a connection's sync on another page, until it is over, and payments that its accounts lack.
type progressView struct {
	connectionView
	lacks int // payments, on the page
}

func (a *Area) openProgressView(v *shell.Visitor, query url.Values) (shell.View, error) {
	s, err := a.newConnectionView(v, query)
	lacks, _ := strconv.Atoi(query.Get("lacks")) // without a number it says nothing of payments
	return &progressView{s, lacks}, err
}

// Render shows the progress; when it is over, the page is to be loaded again if it showed one.
func (s *progressView) Render(ctx context.Context, e live.Event) (string, []byte, error) {
	c, concerned, err := s.find(ctx, e)
	if err != nil || !concerned {
		return "", nil, err
	}
	if s.busy && !c.Sync.Busy {
		return shell.EventReload, nil, nil
	}
	if s.lacks > 0 && len(c.Sync.unbooked) < s.lacks {
		return shell.EventReload, nil, nil
	}
	if s.lacks > 0 && !s.busy { // the page has no place for it
		s.busy = c.Sync.Busy
		return "", nil, nil
	}
	progress := c.Sync.Progress(ProgressID, c.Accounts)
	if progress == nil {
		return "", nil, nil
	}
	return shell.Fragment(ctx, ui.SyncProgress(*progress))
}
