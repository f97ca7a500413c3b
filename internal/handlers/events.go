package handlers

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/a-h/templ"

	"florin/internal/finance"
	"florin/internal/live"
	"florin/internal/payments"
	"florin/internal/syncer"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// What a page listens for.
const (
	liveAccounts   = "accounts"   // the card of each of the user's connections
	liveConnection = "connection" // the sync part of the page of a connection
	liveProgress   = "progress"   // the progress of a connection's sync, until it is over
	livePayment    = "payment"    // how a payment stands
	livePayments   = "payments"   // a list of payments
)

// liveProgressID is the id of the progress on all pages but the accounts page.
const liveProgressID = "sync-progress"

// Names of events, as app.js knows them.
const (
	eventFragment = "fragment"
	eventReload   = "reload"
)

// topicOpened is the topic of the first event of a stream, so that it begins with the present state: something may have
// happened between the page and its stream.
const topicOpened = "opened"

// livePath is the address of the stream of a page. busy says that the page shows a sync in progress.
func livePath(view, connectionID string, busy bool) string {
	q := url.Values{"view": {view}}
	if connectionID != "" {
		q.Set("connection", connectionID)
	}
	if busy {
		q.Set("busy", "true")
	}
	return paths.Events + "?" + q.Encode()
}

// stream is one open stream.
type stream struct {
	app        *App
	visit      *visit
	view       string
	connection string // "" for all
	busy       bool   // the page shows a sync in progress
	payment    string
	over       bool // the page shows that the payment has ended
	list       listedPayments
	shown      []shownRow // the rows of the list, as the page has them
	strip      []byte     // the strip of the first page, as the page has it
}

// shownRow is a row of a list of payments as it was last sent.
type shownRow struct {
	id   string
	html []byte
}

// events streams HTML of the very components that the page was made of. It ends with the sign-in: at once when it is ended here, else before the next
// event, and at the latest when it would have run out. Then the browser connects again, if its sign-in is still good.
func (a *App) events(v *visit) error {
	query := v.r.URL.Query()
	s := &stream{app: a, visit: v, view: query.Get("view"), connection: query.Get("connection"), busy: query.Get("busy") == "true"}
	switch s.view {
	case liveAccounts:
		s.connection = ""
	case liveConnection, liveProgress:
		if _, err := a.Store.Connection(v.ctx(), v.user.ID, s.connection); err != nil {
			return err
		}
	case livePayment:
		s.payment, s.over = query.Get("payment"), query.Get("over") == "true"
		if _, err := a.Store.Payment(v.ctx(), v.user.ID, s.payment); err != nil {
			return err
		}
	case livePayments:
		query.Set("view", query.Get("list"))
		s.list = listed(query)
	default:
		return finance.ErrNotFound
	}
	ctx, cancel := context.WithDeadline(v.ctx(), a.Auth.Ends(v.signIn))
	defer cancel()
	subscription := a.Hub.Subscribe(v.user.ID, live.Event{Topic: topicOpened})
	defer subscription.Close()
	err := live.ServeSSE(v.w, v.r.WithContext(ctx), subscription, s.render)
	if err != nil && !errors.Is(err, finance.ErrNotFound) {
		a.Log.ErrorContext(v.ctx(), "stream of events", "error", err)
	}
	return nil // the answer has begun
}

// render turns an event into a fragment of the page, or into a wish to load it again: when a sync that the page shows is over, more than one part of
// it has changed.
func (s *stream) render(ctx context.Context, e live.Event) (name string, html []byte, err error) {
	v := s.visit
	_, signIn, err := s.app.Store.SignedIn(ctx, v.user.ID, v.signIn.ID)
	if err != nil {
		return "", nil, err // finance.ErrNotFound: it was ended elsewhere
	}
	v.signIn = signIn
	switch {
	case s.view == livePayment || s.view == livePayments || s.view == liveAccounts && e.Topic == payments.Topic:
		return s.renderPayment(ctx, e)
	case e.Topic == topicOpened:
		return s.renderOpened(ctx)
	case e.Topic == syncer.Topic && (s.connection == "" || s.connection == e.ID):
		return s.renderConnection(ctx, e.ID)
	}
	return "", nil, nil
}

// renderPayment shows how a payment stands now. When its story ends, more than that part of its page has changed. A sync can bring a booking that may be one whose
// outcome is unknown.
func (s *stream) renderPayment(ctx context.Context, e live.Event) (string, []byte, error) {
	synced := e.Topic == syncer.Topic && s.view == livePayment
	if e.Topic != payments.Topic && e.Topic != topicOpened && !synced {
		return "", nil, nil
	}
	userID := s.visit.user.ID
	switch s.view {
	case liveAccounts:
		open, err := s.app.openPayments(ctx, userID)
		if err != nil {
			return "", nil, err
		}
		if e.Topic == topicOpened && len(open.Rows) == 0 && len(open.Ended) == 0 && len(open.Coming) == 0 && open.Drafts == "" {
			return "", nil, nil
		}
		name, html, err := fragment(ctx, pages.OpenPaymentsStrip(open))
		if err != nil || bytes.Equal(html, s.strip) {
			return "", nil, err
		}
		s.strip = html
		return name, html, nil
	case livePayments:
		list, _, _, err := s.app.paymentList(ctx, userID, s.list)
		if err != nil {
			return "", nil, err
		}
		return s.changedRows(ctx, list)
	}
	if e.Topic == payments.Topic && e.ID != s.payment {
		return "", nil, nil
	}
	payment, err := s.app.Store.Payment(ctx, userID, s.payment)
	if err != nil {
		return "", nil, err
	}
	c := s.app.at(time.Now())
	switch {
	case payment.Final && !s.over:
		return eventReload, nil, nil
	case synced && !payment.Tell(c.now).Doubt:
		return "", nil, nil
	}
	b, err := s.app.booked(ctx, payment)
	if err != nil {
		return "", nil, err
	}
	status, err := s.app.statusView(ctx, c, b)
	if err != nil {
		return "", nil, err
	}
	events, err := s.app.paymentHistory(ctx, c, payment)
	if err != nil {
		return "", nil, err
	}
	return fragment(ctx, templ.Join(pages.PaymentState(status), pages.PaymentHistory(events)))
}

// changedRows sends of a list the rows that are no longer as the page has them, and the whole list when it has other rows.
func (s *stream) changedRows(ctx context.Context, list pages.PaymentList) (string, []byte, error) {
	var changed []byte
	rows := make([]shownRow, 0, len(list.Rows))
	same := len(list.Rows) > 0 && len(list.Rows) == len(s.shown)
	for i, row := range list.Rows {
		_, html, err := fragment(ctx, pages.PaymentListRow(row))
		if err != nil {
			return "", nil, err
		}
		rows = append(rows, shownRow{row.ID, html})
		same = same && s.shown[i].id == row.ID
		if same && !bytes.Equal(s.shown[i].html, html) {
			changed = append(changed, html...)
		}
	}
	s.shown = rows
	switch {
	case !same:
		return fragment(ctx, pages.PaymentRows(list))
	case len(changed) == 0:
		return "", nil, nil
	}
	return eventFragment, changed, nil
}

// renderOpened brings the page up to date once.
func (s *stream) renderOpened(ctx context.Context) (string, []byte, error) {
	if s.connection != "" {
		return s.renderConnection(ctx, s.connection)
	}
	if !s.busy {
		return s.renderPayment(ctx, live.Event{Topic: topicOpened})
	}
	h, err := s.app.holdings(ctx, s.visit.user.ID)
	if err != nil {
		return "", nil, err
	}
	c := s.app.at(time.Now())
	for _, connection := range h.connections {
		if newSyncState(c, connection, h.tasks).busy {
			return s.renderConnection(ctx, connection.ID)
		}
	}
	return eventReload, nil, nil
}

func (s *stream) renderConnection(ctx context.Context, id string) (string, []byte, error) {
	h, err := s.app.holdings(ctx, s.visit.user.ID)
	if err != nil {
		return "", nil, err
	}
	c, err := h.find(s.app.at(time.Now()), id)
	if err != nil {
		return "", nil, err
	}
	if !c.sync.busy && s.busy {
		return eventReload, nil, nil
	}
	s.busy = c.sync.busy && s.view != liveProgress || s.busy
	switch s.view {
	case liveConnection:
		return fragment(ctx, pages.ConnectionSync(syncView(c)))
	case liveAccounts:
		balances, err := s.app.Store.Balances(ctx, s.visit.user.ID)
		if err != nil {
			return "", nil, err
		}
		return fragment(ctx, pages.BankCard(bankGroup(c, balances)))
	}
	progress := c.sync.progress(liveProgressID, c.accounts)
	if progress == nil {
		return "", nil, nil
	}
	return fragment(ctx, ui.SyncProgress(*progress))
}

func fragment(ctx context.Context, component templ.Component) (string, []byte, error) {
	var b bytes.Buffer
	if err := component.Render(ctx, &b); err != nil {
		return "", nil, err
	}
	return eventFragment, b.Bytes(), nil
}
