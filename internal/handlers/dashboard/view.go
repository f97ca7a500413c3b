package dashboard

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"florin/internal/debits"
	"florin/internal/finance"
	"florin/internal/handlers/connections"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/live"
	"florin/internal/payments"
	"florin/internal/syncer"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// liveDashboard is the view of the dashboard: what needs the user, the card of each of the user's connections, and the payments under way and to come.
const liveDashboard = "dashboard"

// liveAddress is the address of the stream of the dashboard that the visitor looks at. busy says that it shows a sync in progress, lacks how many payments are
// not in the balances that it shows, and shared what others share. Which month it shows is in the address of the page; whose
// accounts its figures are of may be the last choice.
func liveAddress(v *shell.Visitor, whose string, busy bool, lacks int, shared []finance.SharedAccount) string {
	q := url.Values{}
	if month := v.Request.URL.Query().Get("month"); month != "" {
		q.Set("month", month)
	}
	if whose != "" {
		q.Set("whose", whose)
	}
	if len(shared) > 0 {
		q.Set("shared", shell.Fingerprint(shared))
	}
	if busy {
		q.Set("busy", "true")
	}
	if lacks > 0 {
		q.Set("lacks", strconv.Itoa(lacks))
	}
	return shell.LivePath(liveDashboard, q)
}

// view follows the dashboard.
type view struct {
	app    *Area
	v      *shell.Visitor
	userID string
	busy   bool               // the page shows a sync in progress, and is loaded again after it
	strip  []byte             // the strip, as the page has it
	lacks  []finance.Unbooked // what the balances on the page are without
	late   bool               // the page was made before lacks

	shared string // fingerprint of what others share, as the page has it

	basis      string          // of what the todos were made that the page has last; "" when that is not known
	correcting map[string]bool // by connection: a sync is at work that brings a payment into the balance
	attended   map[string]bool // by connection: the bank will know that the person is there
}

func (a *Area) openView(v *shell.Visitor, query url.Values) (shell.View, error) {
	s := &view{app: a, v: v, userID: v.User.ID, shared: query.Get("shared"), busy: query.Get("busy") == "true", correcting: map[string]bool{}, attended: map[string]bool{}}
	h, err := a.Connections.Holdings(v.Ctx(), v.User.ID)
	for _, c := range h.Connections {
		s.attended[c.ID] = connections.Attended(v, c)
	}
	lacks, _ := strconv.Atoi(query.Get("lacks")) // without a number there are none
	s.lacks, s.late = h.Unbooked, lacks != len(h.Unbooked)
	return s, err
}

// Render sends the card of the bank that an event is about, or the payments. When a sync that the page shows has ended, the page is loaded again. A sync
// that Florin started by itself to find the booking of a payment only replaces parts of the page, because the person may be reading.
func (s *view) Render(ctx context.Context, e live.Event) (string, []byte, error) {
	if e.Topic == shell.TopicOpened || e.Topic == shell.TopicShares {
		if shared, err := s.app.Store.Shared(ctx, s.userID); err != nil || shell.Fingerprint(shared) != s.shared {
			return shell.EventReload, nil, err
		}
	}
	switch {
	case e.Topic == payments.Topic, e.Topic == shell.TopicOpened && !s.busy:
		return s.renderPayments(ctx, e.Topic == shell.TopicOpened)
	case e.Topic == shell.TopicOpened:
		return s.renderBusy(ctx)
	case e.Topic == syncer.Topic:
		return s.renderBank(ctx, e.ID)
	case e.Topic == debits.Topic:
		return s.renderTodos(ctx)
	}
	return "", nil, nil
}

// renderTodos shows what needs the person.
func (s *view) renderTodos(ctx context.Context) (string, []byte, error) {
	h, err := s.app.Connections.Holdings(ctx, s.userID)
	if err != nil {
		return "", nil, err
	}
	l, err := s.ledger(ctx, h)
	if err != nil {
		return "", nil, err
	}
	return shell.Fragment(ctx, pages.Todos(s.todos(l)))
}

// renderPayments sends the payments and what needs the person, if they differ from those on the page. When the list of missing bookings has changed it also
// sends the banks, and all figures when a payment was booked. opened says that the stream has just begun.
func (s *view) renderPayments(ctx context.Context, opened bool) (string, []byte, error) {
	open, err := s.app.Payments.OpenPayments(ctx, s.userID)
	if err != nil {
		return "", nil, err
	}
	h, err := s.app.holdings(ctx, s.userID)
	if err != nil {
		return "", nil, err
	}
	l, err := s.ledger(ctx, h)
	if err != nil {
		return "", nil, err
	}
	coming, err := l.coming()
	if err != nil {
		return "", nil, err
	}
	booked := s.late || missing(s.lacks, h.Unbooked)
	others := booked || missing(h.Unbooked, s.lacks)
	if opened && !others && len(open.Rows) == 0 && len(open.Ended) == 0 && len(coming.Rows) == 0 && open.Drafts == "" {
		return "", nil, nil
	}
	name, strip, err := shell.Fragment(ctx, templ.Join(pages.Todos(s.todos(l)), pages.OpenPaymentsStrip(open), pages.ComingPayments(coming)))
	if err != nil || !others && bytes.Equal(strip, s.strip) {
		return "", nil, err
	}
	html := strip
	if others {
		var parts []templ.Component
		for _, connection := range h.Connections {
			bank := h.Connected(l.clock, connection)
			bank.Sync = s.await(bank.Sync)
			parts = append(parts, pages.BankCard(bankCard(h, bank)))
		}
		if booked {
			figures, err := s.figures(l)
			if err != nil {
				return "", nil, err
			}
			parts = append(parts, figures...)
		}
		_, more, err := shell.Fragment(ctx, templ.Join(parts...))
		if err != nil {
			return "", nil, err
		}
		html = slices.Concat(strip, more)
	}
	s.strip, s.lacks, s.late = strip, h.Unbooked, false
	return name, html, nil
}

// ledger is what the cards are made of now.
func (s *view) ledger(ctx context.Context, h connections.Holdings) (ledger, error) {
	shared, err := s.app.Store.Shared(ctx, s.userID)
	if err != nil {
		return ledger{}, err
	}
	return s.app.newLedger(s.v, h, shared)
}

// missing reports whether one of some transfers is not among others.
func missing(some, others []finance.Unbooked) bool {
	return slices.ContainsFunc(some, func(x finance.Unbooked) bool {
		return !slices.ContainsFunc(others, func(y finance.Unbooked) bool { return x.PaymentID == y.PaymentID && x.AccountID == y.AccountID })
	})
}

// renderBusy sends the card of the first bank that syncs. The page showed a sync when it was opened; when none runs any more, it is loaded again.
func (s *view) renderBusy(ctx context.Context) (string, []byte, error) {
	h, err := s.app.holdings(ctx, s.userID)
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

// await counts stale tasks as busy while the page shows a sync.
func (s *view) await(c connections.Sync) connections.Sync {
	if s.busy {
		return c.Await(s.attended[c.Connection.ID], s.app.Connections.Syncer.StaleAfter)
	}
	return c
}

func (s *view) renderBank(ctx context.Context, id string) (string, []byte, error) {
	h, err := s.app.holdings(ctx, s.userID)
	if err != nil {
		return "", nil, err
	}
	c, err := h.Find(s.app.At(ctx, time.Now()), id)
	if err != nil {
		return "", nil, err
	}
	c.Sync = s.await(c.Sync)
	lacks, _ := c.Sync.Unbooked("")
	lacked, _ := c.Sync.Lack(s.lacks).Unbooked("")
	corrected := s.correcting[id] && !c.Sync.Busy
	s.correcting[id] = c.Sync.Busy && (s.correcting[id] || lacks+lacked != "")
	if s.busy && !c.Sync.Busy {
		return shell.EventReload, nil, nil
	}
	s.busy = c.Sync.Busy && (s.busy || !s.correcting[id])
	parts := []templ.Component{pages.BankCard(bankCard(h, c))}
	if c.Sync.Busy {
		return shell.Fragment(ctx, templ.Join(parts...))
	}
	basis := basisOf(h, s.app.At(ctx, time.Now()))
	if basis == s.basis && !corrected {
		return shell.Fragment(ctx, templ.Join(parts...))
	}
	l, err := s.ledger(ctx, h)
	if err != nil {
		return "", nil, err
	}
	s.basis = basis
	parts = append(parts, pages.Todos(s.todos(l)))
	if corrected {
		figures, err := s.figures(l)
		if err != nil {
			return "", nil, err
		}
		parts = append(parts, figures...)
	}
	return shell.Fragment(ctx, templ.Join(parts...))
}

// todos are what needs the person.
func (s *view) todos(l ledger) []ui.Notice {
	var banks []connections.Sync
	for _, connection := range l.Connections {
		banks = append(banks, s.await(connections.NewSync(l.clock, connection, l.Tasks)))
	}
	return l.todos(banks)
}

// basisOf returns a text that changes whenever the to-dos of a day may change: with consents, the results of syncs, balances and new rows. As long as it is
// the same, the forecast is not calculated again.
func basisOf(h connections.Holdings, c show.Clock) string {
	var b strings.Builder
	b.WriteString(string(c.Today()))
	for _, connection := range h.Connections {
		fmt.Fprintf(&b, "|%s %s %d %d", connection.ID, connection.State(c.Now), connection.ValidUntil.Unix(), connection.EndDue.Unix())
	}
	for _, task := range h.Tasks {
		fmt.Fprintf(&b, "|%s %s %s %d", task.AccountID, task.Scope, task.LastError.Code, task.RowsNew)
	}
	for _, account := range h.Accounts {
		fmt.Fprintf(&b, "|%s %s %d", account.ID, account.Counts, account.Transactions)
		for _, balance := range h.Balances[account.ID] {
			fmt.Fprintf(&b, " %s %s", balance.Type, balance.Amount)
		}
	}
	return b.String()
}

// figures are the totals and all cards beside those of banks.
func (s *view) figures(l ledger) (parts []templ.Component, err error) {
	var view pages.DashboardView
	if err := l.totals(&view); err != nil {
		return nil, err
	}
	parts = append(parts, pages.AccountTotals(view.Totals, view.Converted, view.TotalsNote))
	cards, err := l.cards(pages.AccountsCard{})
	for _, card := range cards {
		if card.Accounts == nil {
			parts = append(parts, pages.DashboardPart(card))
		}
	}
	return parts, err
}
