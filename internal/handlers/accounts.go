package handlers

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"florin/internal/countries"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// accounts is the first page: every account, grouped by connection.
func (a *App) accounts(v *visit) error {
	now := time.Now()
	h, err := a.holdings(v.ctx(), v.user.ID)
	if err != nil {
		return err
	}
	balances, err := a.Store.Balances(v.ctx(), v.user.ID)
	if err != nil {
		return err
	}
	view := pages.AccountsView{Frame: a.frame(v)}
	c := a.at(now)
	ended := map[string]bool{}
	for _, connection := range h.connections {
		own := h.connected(c, connection)
		view.Banks = append(view.Banks, bankGroup(own, balances))
		if todo := own.sync.todo(); todo != nil {
			view.Todos = append(view.Todos, *todo)
		}
		view.Frame.Simulated = view.Frame.Simulated || connection.Simulated
		view.Frame.Busy = view.Frame.Busy || own.sync.busy
		ended[connection.ID] = !own.sync.active()
	}
	view.Totals, view.TotalsNote = totals(h.accounts, balances, ended)
	if view.Open, err = a.openPayments(v.ctx(), v.user.ID); err != nil {
		return err
	}
	view.CanPay = view.Frame.Payments
	if len(view.Banks) == 0 {
		services, err := a.Store.Providers(v.ctx())
		if err != nil {
			return err
		}
		if len(services) == 0 {
			view.NoService = &pages.NoService{Owner: v.user.Role == finance.RoleOwner}
		}
	}
	if len(view.Banks) > 0 {
		view.Frame.Live = accountsLive(view.Frame.Busy)
	}
	return v.page(http.StatusOK, pages.Accounts(view))
}

func ofConnection(accounts []finance.Account, connectionID string) []finance.Account {
	var own []finance.Account
	for _, account := range accounts {
		if account.ConnectionID == connectionID {
			own = append(own, account)
		}
	}
	return own
}

// reachedBy lists the accounts that a connection reaches and another one keeps.
func reachedBy(connectionID string, accounts []finance.Account, reaches []finance.Reach) []finance.Account {
	var reached []finance.Account
	for _, account := range accounts {
		if slices.Contains(reaches, finance.Reach{AccountID: account.ID, ConnectionID: connectionID}) {
			reached = append(reached, account)
		}
	}
	return reached
}

// bankGroup is one connection on the accounts page.
func bankGroup(c connected, balances map[string][]finance.Balance) pages.BankGroup {
	g := pages.BankGroup{
		ConnectionID: c.ID, Bank: bankOf(c.Connection), Consent: c.sync.consent(), Sync: c.sync.badge(), SyncNote: c.sync.note(),
		Progress: c.sync.progress("bank-progress-"+c.ID, c.accounts), Reached: titles(c.reached),
	}
	for _, account := range c.accounts {
		g.Accounts = append(g.Accounts, accountRow(c.sync.clock, account, balances[account.ID]))
	}
	return g
}

func bankOf(c finance.Connection) pages.Bank {
	return pages.Bank{Name: bankName(c.ASPSP.Name), Country: countries.Name(c.ASPSP.Country), Simulated: c.Simulated}
}

// bankName is the name of a bank as it is shown. The name itself is the bank's identity and is sent back as it came.
func bankName(name string) string { return cmp.Or(finance.Clean(name), "Bank without a name") }

// accountRow shows the booked balance; where the bank gave none, the nearest other one under its own name (pain 10). It never shows a zero
// that the bank did not send.
func accountRow(c clock, account finance.Account, balances []finance.Balance) pages.AccountRow {
	row := pages.AccountRow{ID: account.ID, Name: account.Title(), LastFour: account.Last4(), Currency: account.Currency, NoBalance: noBalance(account)}
	if kind := kindBeside(account); kind != row.Name {
		row.Kind = kind
	}
	chosen := finance.ChooseBalances(account, balances)
	if main := chosen.Main; main != nil {
		figure := pages.Figure(main.Amount)
		row.Booked, row.AsOf, row.Stale = &figure, asOf(c, *main), c.stale(main.Fetched)
		if chosen.Booked == nil {
			row.BookedIs, _ = pages.BalanceWords(main.Type)
		}
	}
	if available := chosen.Available; available != nil && chosen.Available != chosen.Main {
		figure := pages.Figure(available.Amount)
		row.Available = &figure
	}
	return row
}

// kindOf is what the bank calls the kind of the account, else ours.
func kindOf(account finance.Account) string {
	return cmp.Or(account.Product, finance.AccountKind(account.Type))
}

// noBalance says why an account shows no figure.
func noBalance(account finance.Account) string {
	if account.UID == "" {
		return "Not accessible"
	}
	return "No balance yet"
}

// kindBeside is the kind of the account as it stands beside its name: not the name again.
func kindBeside(account finance.Account) string {
	if kind := kindOf(account); kind != account.Title() {
		return kind
	}
	return finance.AccountKind(account.Type)
}

// asOf is the day that the bank gives for a balance, else when it was fetched.
func asOf(c clock, b finance.Balance) ui.Time {
	if _, err := b.Reference.Time(); err == nil {
		if day := c.day(b.Reference); day.ISO != c.now.Format(time.DateOnly) {
			return day
		}
	}
	return c.moment(b.Fetched)
}

// totals sums the booked balances, each currency for itself, and says what the sums leave out and what in them is old. ended are the connections that
// bring no more data.
func totals(accounts []finance.Account, balances map[string][]finance.Balance, ended map[string]bool) ([]pages.Total, string) {
	var booked []money.Amount
	old := 0
	number := map[string]int{}
	for _, account := range accounts {
		if b := finance.ChooseBalances(account, balances[account.ID]).Booked; b != nil {
			booked = append(booked, b.Amount)
			number[b.Amount.Currency()]++
			if ended[account.ConnectionID] {
				old++
			}
		}
	}
	sums, err := money.Sum(booked...)
	if err != nil || len(sums) == 0 { // beyond all measure: better no total than a wrong one
		return nil, ""
	}
	slices.SortStableFunc(sums, func(x, y money.Amount) int { return cmp.Compare(number[y.Currency()], number[x.Currency()]) })
	var list []pages.Total
	for _, sum := range sums {
		list = append(list, pages.Total{Sum: pages.Figure(sum), Accounts: plural(number[sum.Currency()], "account")})
	}
	note := "Booked balances of " + plural(len(booked), "account") + "."
	if without := len(accounts) - len(booked); without > 0 {
		note = "Booked balances of " + count(int64(len(booked))) + " of " + plural(len(accounts), "account") + "; the others have none."
	}
	note += " Pending is not included"
	if len(sums) > 1 {
		note += ", and currencies are never mixed"
	}
	note += "."
	if old > 0 {
		note += " " + plural(old, "account") + " in them: not updated any more."
	}
	return list, note
}
