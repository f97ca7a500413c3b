package accounts

import (
	"bytes"
	"context"
	"net/url"
	"time"

	"florin/internal/handlers/connections"
	"florin/internal/handlers/shell"
	"florin/internal/live"
	"florin/internal/payments"
	"florin/internal/syncer"
	"florin/web/templates/pages"
)

// liveAccounts is the view of the accounts page: the card of each of the user's connections, and the strip of payments under way.
const liveAccounts = "accounts"

// accountsLive is the address of the stream of the accounts page. busy says that it shows a sync in progress.
func accountsLive(busy bool) string {
	q := url.Values{}
	if busy {
		q.Set("busy", "true")
	}
	return shell.LivePath(liveAccounts, q)
}

// accountsView follows the accounts page.
type accountsView struct {
	app    *Area
	userID string
	busy   bool   // the page shows a sync in progress
	strip  []byte // the strip, as the page has it
}

func (a *Area) openAccountsView(v *shell.Visitor, query url.Values) (shell.View, error) {
	return &accountsView{app: a, userID: v.User.ID, busy: query.Get("busy") == "true"}, nil
}

// Render shows the bank of an event, or the strip of payments. When a sync that the page shows is over, more than one part of it has changed.
func (s *accountsView) Render(ctx context.Context, e live.Event) (string, []byte, error) {
	switch {
	case e.Topic == payments.Topic, e.Topic == shell.TopicOpened && !s.busy:
		return s.renderStrip(ctx, e.Topic == shell.TopicOpened)
	case e.Topic == shell.TopicOpened:
		return s.renderBusy(ctx)
	case e.Topic == syncer.Topic:
		return s.renderBank(ctx, e.ID)
	}
	return "", nil, nil
}

// renderStrip shows the payments under way, if the page has others. A page that has just been opened has none when there are none.
func (s *accountsView) renderStrip(ctx context.Context, opened bool) (string, []byte, error) {
	open, err := s.app.Payments.OpenPayments(ctx, s.userID)
	if err != nil {
		return "", nil, err
	}
	if opened && len(open.Rows) == 0 && len(open.Ended) == 0 && len(open.Coming) == 0 && open.Drafts == "" {
		return "", nil, nil
	}
	name, html, err := shell.Fragment(ctx, pages.OpenPaymentsStrip(open))
	if err != nil || bytes.Equal(html, s.strip) {
		return "", nil, err
	}
	s.strip = html
	return name, html, nil
}

// renderBusy shows the first bank that syncs: the page that has just been opened showed one.
func (s *accountsView) renderBusy(ctx context.Context) (string, []byte, error) {
	h, err := s.app.Connections.Holdings(ctx, s.userID)
	if err != nil {
		return "", nil, err
	}
	c := s.app.At(ctx, time.Now())
	for _, connection := range h.Connections {
		if connections.NewSync(c, connection, h.Tasks).Busy {
			return s.renderBank(ctx, connection.ID)
		}
	}
	return shell.EventReload, nil, nil
}

func (s *accountsView) renderBank(ctx context.Context, id string) (string, []byte, error) {
	h, err := s.app.Connections.Holdings(ctx, s.userID)
	if err != nil {
		return "", nil, err
	}
	c, err := h.Find(s.app.At(ctx, time.Now()), id)
	if err != nil {
		return "", nil, err
	}
	if !c.Sync.Busy && s.busy {
		return shell.EventReload, nil, nil
	}
	s.busy = c.Sync.Busy
	return shell.Fragment(ctx, pages.BankCard(bankGroup(c, h.Balances)))
}
