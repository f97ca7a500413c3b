package dashboard

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
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

// ledger holds the data that the cards of one visitor are made of.
type ledger struct {
	connections.Holdings
	others   []finance.SharedAccount // that are shared with the visitor
	whose    shell.Whose             // whose accounts the figures are of
	seen     store.Holdings          // these accounts; Holdings are the own ones
	area     *Area
	v        *shell.Visitor
	clock    show.Clock
	book     categories.Book
	names    show.Names
	ahead    forecast.Glance
	debits   []ui.Notice // what is odd about direct debits
	requests []ui.Notice // what others ask the visitor to pay
}

// dashboard is the first page.
func (a *Area) dashboard(v *shell.Visitor) error {
	h, err := a.holdings(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	shared, err := a.Store.Shared(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	view := pages.DashboardView{Frame: a.Frame(v), Empty: len(h.Accounts)+len(h.Connections)+len(shared) == 0}
	view.CanPay = view.Frame.Payments && !view.Frame.Viewer()
	if view.Empty {
		services, err := a.Store.Providers(v.Ctx())
		if err != nil {
			return err
		}
		if len(services) == 0 {
			view.NoService = &pages.NoService{Owner: v.User.Role == finance.RoleOwner}
		}
		if view.Todos, err = a.asked(v, a.At(v.Ctx(), time.Now())); err != nil {
			return err
		}
		view.Frame.Live = liveAddress(v, "", false, 0, shared) // until somebody shares an account
		return v.Page(http.StatusOK, pages.Dashboard(view))
	}
	l, err := a.newLedger(v, h, shared)
	if err != nil {
		return err
	}
	accounts := l.needs(&view)
	if err := l.totals(&view); err != nil {
		return err
	}
	if accounts.OnlyShared {
		view.Cards, view.Frame.Live = []pages.DashboardCard{{Accounts: &accounts}}, liveAddress(v, l.whose.Asked, false, 0, shared)
		return v.Page(http.StatusOK, pages.Dashboard(view))
	}
	if err := l.waiting(&view); err != nil {
		return err
	}
	if view.Cards, err = l.cards(accounts); err != nil {
		return err
	}
	view.Frame.Live = liveAddress(v, l.whose.Asked, view.Frame.Busy, len(l.Unbooked), shared)
	return v.Page(http.StatusOK, pages.Dashboard(view))
}

// holdings is what somebody has linked, with what is new on the accounts.
func (a *Area) holdings(ctx context.Context, userID string) (connections.Holdings, error) {
	h, err := a.Connections.Holdings(ctx, userID)
	if err != nil {
		return h, err
	}
	h.News, err = a.Store.AllNews(ctx, userID)
	return h, err
}

// newLedger reads what the cards are made of.
func (a *Area) newLedger(v *shell.Visitor, h connections.Holdings, shared []finance.SharedAccount) (l ledger, err error) {
	l = ledger{Holdings: h, others: shared, area: a, v: v, clock: a.At(v.Ctx(), time.Now())}
	if l.whose, err = a.Whose(v, v.Request.URL.Query().Get("whose")); err != nil {
		return l, err
	}
	if l.seen, err = l.whose.Worth(v.Ctx()); err != nil {
		return l, err
	}
	if l.book, err = l.whose.Categories(v.Ctx()); err != nil {
		return l, err
	}
	rows, err := l.whose.Holdings(v.Ctx()) // those with transactions, to which figures lead
	if err != nil {
		return l, err
	}
	found, err := l.whose.DebitFindings(v.Ctx())
	if err != nil {
		return l, err
	}
	l.debits = l.clock.DebitNotices(found, paths.Accounts)
	if l.requests, err = a.asked(v, l.clock); err != nil {
		return l, err
	}
	l.names = l.clock.Names(rows.Accounts, rows.Connections, l.book).For(l.whose.Asked)
	l.ahead, err = a.Forecast.Glance(v.Ctx(), l.whose, l.clock)
	return l, err
}

// asked is what others ask the visitor to pay: nothing, of somebody who does not pay.
func (a *Area) asked(v *shell.Visitor, c show.Clock) ([]ui.Notice, error) {
	if v.User.Role == finance.RoleViewer {
		return nil, nil
	}
	return a.Payments.Asked(v.Ctx(), c, v.User.ID)
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

// needs fills in what needs the person, and returns the card of the accounts.
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
		view.Frame.Simulated = view.Frame.Simulated || connection.Simulated
		view.Frame.Busy = view.Frame.Busy || own.Sync.Busy
	}
	view.Todos, view.Refresh = l.todos(banks), connections.RefreshAll(banks)
	var kept []finance.Account
	for _, account := range l.Accounts {
		view.Frame.Simulated = view.Frame.Simulated || account.Simulated
		if !account.Linked() {
			kept = append(kept, account)
		}
	}
	card.Kept = accountRows(l.clock, kept, l.Balances, l.News)
	for rest := l.others; len(rest) > 0; {
		owner := rest[0].Owner
		var accounts []finance.Account
		balances := map[string][]finance.Balance{}
		for len(rest) > 0 && rest[0].Owner.ID == owner.ID {
			shared := rest[0]
			view.Frame.Simulated = view.Frame.Simulated || shared.Connection.Simulated || shared.Account.Simulated
			accounts, balances[shared.ID], rest = append(accounts, shared.Account), shared.Balances, rest[1:]
		}
		card.Shared = append(card.Shared, pages.SharedGroup{Owner: owner.Email, Accounts: accountRows(l.clock, accounts, balances, l.News)})
	}
	card.OnlyShared = len(l.Accounts)+len(l.Connections) == 0
	return card
}

// todos are what needs the person, of all connections as they stand.
func (l *ledger) todos(banks []connections.Sync) (todos []ui.Notice) {
	for _, bank := range banks {
		if todo := bank.Todo(); todo != nil {
			todos = append(todos, *todo)
		}
	}
	return slices.Concat(todos, l.requests, l.debits, l.ahead.Warnings)
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

// drawn returns a card as HTML, from memory as long as nothing has changed. The card of the month is made anew when the visitor has turned to another
// month.
func (l *ledger) drawn(which finance.DashboardCard) (pages.DashboardCard, error) {
	ctx := l.v.Ctx()
	if which == finance.CardMonth && l.asked() != "" {
		return l.card(which)
	}
	what := "dashboard " + string(which) + " " + l.clock.Code() + " " + strconv.FormatBool(l.clock.Hides()) + " " + l.whose.Asked
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
	switch which {
	case finance.CardMonth:
		card.Month, err = l.month(l.asked())
	case finance.CardComing:
		var coming pages.ComingCard
		coming, err = l.coming()
		card.Coming = &coming
	case finance.CardHistory:
		card.Balance, err = l.history()
	case finance.CardFlow:
		card.Flow, err = l.flow()
	case finance.CardRecent:
		card.Recent, err = l.area.Transactions.Recent(l.v, l.clock, l.whose, recentRows)
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
func (l *ledger) coming() (card pages.ComingCard, err error) {
	c, a := l.clock, l.area
	card.Asked, card.Left, card.None = l.whose.Asked, l.ahead.Left, c.Say("Florin expects no payments in the next two weeks.")
	list, err := a.Payments.Coming(l.v.Ctx(), l.v.User.ID)
	until := c.DayFromNow(payments.ComingDays)
	for _, i := range l.ahead.Items {
		if (i.Series != "" || i.Owner != "") && i.Day <= until { // the own payments are in the list already
			list = append(list, payments.Coming{Day: i.Day, ComingRow: c.ComingLine(i)})
		}
	}
	slices.SortStableFunc(list, func(x, y payments.Coming) int { return cmp.Compare(x.Day, y.Day) })
	for _, one := range list[:min(len(list), mostComing)] {
		card.Rows = append(card.Rows, one.ComingRow)
	}
	return card, err
}
