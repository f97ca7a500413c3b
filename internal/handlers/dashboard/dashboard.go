package dashboard

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/handlers/connections"
	"florin/internal/handlers/forecast"
	"florin/internal/handlers/payments"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/search"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// manyAccounts is from how many accounts on the cards of banks are folded.
const manyAccounts = 9

// recentRows is how many of the newest transactions are shown.
const recentRows = 8

// ledger is what the cards of one visitor are made of.
type ledger struct {
	connections.Holdings
	area  *Area
	v     *shell.Visitor
	clock show.Clock
	book  categories.Book
	names show.Names
	ahead forecast.Glance
}

// dashboard is the first page.
func (a *Area) dashboard(v *shell.Visitor) error {
	h, err := a.Connections.Holdings(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	view := pages.DashboardView{Frame: a.Frame(v), Empty: len(h.Accounts)+len(h.Connections) == 0}
	view.CanPay = view.Frame.Payments
	if view.Empty {
		services, err := a.Store.Providers(v.Ctx())
		if err != nil {
			return err
		}
		if len(services) == 0 {
			view.NoService = &pages.NoService{Owner: v.User.Role == finance.RoleOwner}
		}
		return v.Page(http.StatusOK, pages.Dashboard(view))
	}
	l, err := a.newLedger(v, h)
	if err != nil {
		return err
	}
	accounts := l.needs(&view)
	view.Todos = append(view.Todos, l.ahead.Warnings...)
	if err := l.totals(&view); err != nil {
		return err
	}
	if err := l.waiting(&view); err != nil {
		return err
	}
	if view.Cards, err = l.cards(accounts); err != nil {
		return err
	}
	if len(l.Connections) > 0 {
		view.Frame.Live = liveAddress(view.Frame.Busy, len(l.Unbooked), l.asked())
	}
	return v.Page(http.StatusOK, pages.Dashboard(view))
}

// newLedger reads what the cards are made of.
func (a *Area) newLedger(v *shell.Visitor, h connections.Holdings) (l ledger, err error) {
	l = ledger{Holdings: h, area: a, v: v, clock: a.At(v.Ctx(), time.Now())}
	if l.book, err = a.Store.Categories(v.Ctx(), v.User.ID); err != nil {
		return l, err
	}
	l.names = l.clock.Names(l.Accounts, l.Connections, l.book)
	l.ahead, err = a.Forecast.Glance(v.Ctx(), v.User.ID, l.clock, l.Accounts)
	return l, err
}

// asked is the month that the person looks at, "2026-10"; "" for this one.
func (l *ledger) asked() string { return l.v.Request.URL.Query().Get("month") }

// cards are those that the person has on the page, in their order. accounts is the card of the accounts.
func (l *ledger) cards(accounts pages.AccountsCard) (cards []pages.DashboardCard, err error) {
	placed, err := l.area.Store.Dashboard(l.v.Ctx(), l.v.User.ID)
	if err != nil {
		return nil, err
	}
	for _, p := range placed {
		if p.Hidden {
			continue
		}
		card := pages.DashboardCard{Accounts: &accounts}
		if p.Card != finance.CardAccounts {
			if card, err = l.drawn(p.Card); err != nil {
				return nil, err
			}
		}
		cards = append(cards, card)
	}
	return cards, nil
}

// needs fills in what the banks need of the person, and returns the card of the accounts.
func (l *ledger) needs(view *pages.DashboardView) pages.AccountsCard {
	var card pages.AccountsCard
	var banks []connections.Sync
	for _, connection := range l.Connections {
		own := l.Connected(l.clock, connection)
		own.Sync = l.area.Connections.Arrive(l.v, own.Sync)
		banks = append(banks, own.Sync)
		if connection.Status != finance.ConnectionDisconnected { // its accounts are kept by the person
			card.Banks = append(card.Banks, bankCard(l.Holdings, own))
		}
		if todo := own.Sync.Todo(); todo != nil {
			view.Todos = append(view.Todos, *todo)
		}
		view.Frame.Simulated = view.Frame.Simulated || connection.Simulated
		view.Frame.Busy = view.Frame.Busy || own.Sync.Busy
	}
	view.Refresh = connections.RefreshAll(banks)
	for _, account := range l.Accounts {
		view.Frame.Simulated = view.Frame.Simulated || account.Simulated
		if !account.Linked() {
			card.Kept = append(card.Kept, accountRow(l.clock, account, l.Balances[account.ID]))
		}
	}
	return card
}

// waiting fills in what waits for the person: payments, and transactions that nobody has looked at.
func (l *ledger) waiting(view *pages.DashboardView) (err error) {
	if view.Open, err = l.area.Payments.OpenPayments(l.v.Ctx(), l.v.User.ID); err != nil {
		return err
	}
	count, more, err := l.area.Store.CountFound(l.v.Ctx(), l.v.User.ID, search.Marked{search.MarkToReview})
	if err != nil || count == 0 {
		return err
	}
	view.Review = ui.Link{Text: l.clock.Say("%d transactions to review", count), Href: paths.Search("is:to-review")}
	if more {
		view.Review.Text = l.clock.Say("More than %d transactions to review", count)
	}
	return nil
}

// drawn is a card as it stands on the page: from memory while nothing changed, but for the month that somebody has turned to.
func (l *ledger) drawn(which finance.DashboardCard) (pages.DashboardCard, error) {
	ctx := l.v.Ctx()
	if which == finance.CardMonth && l.asked() != "" {
		return l.card(which)
	}
	what := "dashboard " + string(which) + " " + l.clock.Code()
	return store.Remembered(ctx, l.area.Store, l.v.User.ID, what, l.clock.Now, l.Stamp, func() (pages.DashboardCard, error) {
		card, err := l.card(which)
		if err != nil {
			return card, err
		}
		return card.Draw(ctx)
	})
}

// card is one of the cards, but that of the accounts; there may be nothing on it.
func (l *ledger) card(which finance.DashboardCard) (card pages.DashboardCard, err error) {
	ctx := l.v.Ctx()
	switch which {
	case finance.CardMonth:
		card.Month, err = l.month(l.asked())
	case finance.CardComing:
		var coming pages.ComingCard
		coming, err = l.area.coming(ctx, l.v.User.ID, l.clock, l.ahead)
		card.Coming = &coming
	case finance.CardHistory:
		card.Balance, err = l.history()
	case finance.CardFlow:
		card.Flow, err = l.flow()
	case finance.CardRecent:
		card.Recent, err = l.area.Transactions.Recent(l.v, l.clock, recentRows)
	case finance.CardSearches:
		if card.Searches, err = l.area.Transactions.Saved(l.v); err == nil {
			card.Reports, err = l.reports()
		}
	}
	return card, err
}

// reports are the saved reports.
func (l *ledger) reports() (links []ui.Link, err error) {
	saved, err := l.area.Store.SavedSearches(l.v.Ctx(), l.v.User.ID, finance.SavedReport)
	for _, s := range saved {
		links = append(links, ui.Link{Text: s.Name, Href: paths.Report(s.Text)})
	}
	return links, err
}

// mostComing is how many lines the card of what comes has.
const mostComing = 8

// coming is the card of what comes in the next days: payments that Florin sent, and what comes again and again.
func (a *Area) coming(ctx context.Context, userID string, c show.Clock, ahead forecast.Glance) (card pages.ComingCard, err error) {
	card.Left, card.None = ahead.Left, c.Say("Nothing that Florin knows of is paid in the next two weeks.")
	list, err := a.Payments.Coming(ctx, userID)
	until := c.DayFromNow(payments.ComingDays)
	for _, i := range ahead.Items {
		if i.Series != "" && i.Day <= until {
			list = append(list, payments.Coming{Day: i.Day, ComingRow: c.ComingLine(i)})
		}
	}
	slices.SortStableFunc(list, func(x, y payments.Coming) int { return cmp.Compare(x.Day, y.Day) })
	for _, one := range list[:min(len(list), mostComing)] {
		card.Rows = append(card.Rows, one.ComingRow)
	}
	return card, err
}
