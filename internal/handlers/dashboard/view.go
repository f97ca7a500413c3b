package dashboard

import (
	"bytes"
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"florin/internal/handlers/connections"
	"florin/internal/handlers/shell"
	"florin/internal/live"
	"florin/internal/payments"
	"florin/internal/syncer"
	"florin/web/templates/pages"
)

// liveDashboard is the view of the dashboard: the card of each of the user's connections, and the payments under way and to come.
const liveDashboard = "dashboard"

// liveAddress is the address of the stream of the dashboard. busy says that it shows a sync in progress.
// lacks is how many payments are not in the balances that it shows.
func liveAddress(busy bool, lacks int) string {
	q := url.Values{}
	if lacks > 0 {
		q.Set("lacks", strconv.Itoa(lacks))
	}
	if busy {
		q.Set("busy", "true")
	}
	return shell.LivePath(liveDashboard, q)
}

// view follows the dashboard.
type view struct {
	app    *Area
	userID string
	busy   bool   // the page shows a sync in progress
	strip  []byte // the strip, as the page has it
	lacks  int    // payments, in the balances on the page

	attended map[string]bool // by connection: the bank will know that the person is there
}

func (a *Area) openView(v *shell.Visitor, query url.Values) (shell.View, error) {
	s := &view{app: a, userID: v.User.ID, busy: query.Get("busy") == "true", attended: map[string]bool{}}
	s.lacks, _ = strconv.Atoi(query.Get("lacks")) // without a number there are none
	h, err := a.Connections.Holdings(v.Ctx(), v.User.ID)
	for _, c := range h.Connections {
		s.attended[c.ID] = connections.Attended(v, c)
	}
	return s, err
}

// Render shows the bank of an event, or the strip of payments. When a sync that the page shows is over, or a payment comes into a balance, more than
// one part of it has changed.
func (s *view) Render(ctx context.Context, e live.Event) (string, []byte, error) {
	unbooked, err := s.app.Store.Unbooked(ctx, s.userID)
	if err != nil {
		return "", nil, err
	}
	switch {
	case len(unbooked) != s.lacks:
		return shell.EventReload, nil, nil
	case e.Topic == payments.Topic, e.Topic == shell.TopicOpened && !s.busy:
		return s.renderStrip(ctx, e.Topic == shell.TopicOpened)
	case e.Topic == shell.TopicOpened:
		return s.renderBusy(ctx)
	case e.Topic == syncer.Topic:
		return s.renderBank(ctx, e.ID)
	}
	return "", nil, nil
}

// renderStrip shows the payments under way and to come, if the page has others. A page that has just been opened has none when there are none.
func (s *view) renderStrip(ctx context.Context, opened bool) (string, []byte, error) {
	open, err := s.app.Payments.OpenPayments(ctx, s.userID)
	if err != nil {
		return "", nil, err
	}
	h, err := s.app.Connections.Holdings(ctx, s.userID)
	if err != nil {
		return "", nil, err
	}
	c := s.app.At(ctx, time.Now())
	ahead, err := s.app.Forecast.Glance(ctx, s.userID, c, h.Accounts)
	if err != nil {
		return "", nil, err
	}
	coming, err := s.app.coming(ctx, s.userID, c, ahead)
	if err != nil {
		return "", nil, err
	}
	if opened && len(open.Rows) == 0 && len(open.Ended) == 0 && len(coming.Rows) == 0 && open.Drafts == "" {
		return "", nil, nil
	}
	name, html, err := shell.Fragment(ctx, templ.Join(pages.OpenPaymentsStrip(open), pages.ComingPayments(coming)))
	if err != nil || bytes.Equal(html, s.strip) {
		return "", nil, err
	}
	s.strip = html
	return name, html, nil
}

// renderBusy shows the first bank that syncs: the page that has just been opened showed one.
func (s *view) renderBusy(ctx context.Context) (string, []byte, error) {
	h, err := s.app.Connections.Holdings(ctx, s.userID)
	if err != nil {
		return "", nil, err
	}
	c := s.app.At(ctx, time.Now())
	for _, connection := range h.Connections {
		if s.await(connections.NewSync(c, connection, h.Tasks)).Busy {
			return s.renderBank(ctx, connection.ID)
		}
	}
	return shell.EventReload, nil, nil
}

// await counts what is stale as about to be read, while the page says that it is.
func (s *view) await(c connections.Sync) connections.Sync {
	if s.busy {
		return c.Await(s.attended[c.Connection.ID], s.app.Connections.Syncer.StaleAfter)
	}
	return c
}

func (s *view) renderBank(ctx context.Context, id string) (string, []byte, error) {
	h, err := s.app.Connections.Holdings(ctx, s.userID)
	if err != nil {
		return "", nil, err
	}
	c, err := h.Find(s.app.At(ctx, time.Now()), id)
	if err != nil {
		return "", nil, err
	}
	if c.Sync = s.await(c.Sync); !c.Sync.Busy && s.busy {
		return shell.EventReload, nil, nil
	}
	s.busy = c.Sync.Busy
	group := bankGroup(c, h.Balances)
	if len(h.Accounts) >= manyAccounts {
		group.Folded = folded(c.Sync.Clock, c.Accounts, h.Balances)
	}
	return shell.Fragment(ctx, pages.BankCard(group))
}
