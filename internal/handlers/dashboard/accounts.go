package dashboard

import (
	"cmp"
	"slices"

	"florin/internal/finance"
	"florin/internal/handlers/connections"
	"florin/internal/handlers/show"
	"florin/internal/money"
	"florin/internal/search"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// bankGroup is the card of a connection.
func bankGroup(c connections.Connected, balances map[string][]finance.Balance) pages.BankGroup {
	g := pages.BankGroup{
		ConnectionID: c.ID, Bank: show.BankOf(c.Connection), Consent: c.Sync.Consent(), Sync: c.Sync.Badge(), SyncNote: c.Sync.Note(),
		Progress: c.Sync.Progress("bank-progress-"+c.ID, c.Accounts), Shared: c.Sync.Clock.List(c.Sync.Clock.AccountNames(c.Shared)),
	}
	if lacks, _ := c.Sync.Unbooked(""); lacks != "" && c.Sync.Active() {
		g.SyncNote += " " + lacks
	}
	for _, account := range c.Accounts {
		g.Accounts = append(g.Accounts, accountRow(c.Sync.Clock, account, balances[account.ID]))
	}
	return g
}

// bankCard is the card of a connection, folded where there are many accounts.
func bankCard(h connections.Holdings, c connections.Connected) pages.BankGroup {
	g := bankGroup(c, h.Balances)
	if len(h.Accounts) >= manyAccounts {
		g.Folded = folded(c.Sync.Clock, c.Accounts, h.Balances)
	}
	return g
}

// accountRow shows the booked balance; where the bank gave none, the nearest other one under its own name. It never shows a zero
// that the bank did not send.
func accountRow(c show.Clock, account finance.Account, balances []finance.Balance) pages.AccountRow {
	row := pages.AccountRow{ID: account.ID, Name: c.AccountName(account), LastFour: account.Last4(), Currency: account.Currency,
		NoBalance: c.Say(show.NoBalance(account))}
	if kind := c.KindBeside(account); kind != row.Name {
		row.Kind = kind
	}
	chosen := finance.ChooseBalances(account, balances)
	if main := chosen.Main; main != nil {
		figure := pages.Figure(main.Amount)
		row.Booked, row.AsOf, row.Stale = &figure, show.AsOf(c, *main), c.Stale(main.Fetched)
		if chosen.Booked == nil {
			name, _ := pages.BalanceWords(main.Type)
			row.BookedIs = c.Tell(name)
		}
	}
	if !account.Linked() {
		row.Stale, row.Closed = "", !account.Closed.IsZero()
		if account.Source == finance.SourceManual {
			row.AsOf = ui.Time{} // nobody else has another figure
		}
		if account.Institution != "" {
			row.Kind = account.Institution
		}
	}
	if available := chosen.Available; available != nil && chosen.Available != chosen.Main {
		figure := pages.Figure(available.Amount)
		row.Available = &figure
	}
	return row
}

// totals sums the booked balances, each currency for itself, and says what the sums leave out and what in them is old. ended are the connections that
// bring no more data.
func totals(c show.Clock, accounts []finance.Account, balances map[string][]finance.Balance, ended map[string]bool) ([]pages.Total, string) {
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
		list = append(list, pages.Total{Sum: pages.Figure(sum), Accounts: c.Say("%d accounts", number[sum.Currency()])})
	}
	note := c.Say("Booked balances of %d accounts, without what is pending.", len(booked))
	if len(booked) < len(accounts) {
		note = c.Say("Booked balances of %d of %d accounts, without what is pending. The others have no booked balance.", len(booked), len(accounts))
	}
	if len(sums) > 1 {
		note += " " + c.Say("Each currency is added up on its own.")
	}
	if old > 0 {
		note += " " + c.Say("%d of them are no longer updated.", old)
	}
	return list, note
}

// totals fills in what is on the accounts that are not closed.
func (l *ledger) totals(view *pages.DashboardView) error {
	ended := map[string]bool{}
	for _, connection := range l.Connections {
		ended[connection.ID] = connection.State(l.clock.Now) != finance.ConnectionActive
	}
	open := slices.DeleteFunc(slices.Clone(l.Accounts), func(a finance.Account) bool { return !a.Closed.IsZero() })
	view.Totals, view.TotalsNote = totals(l.clock, open, l.Balances, ended)
	return l.converted(view)
}

// converted fills in what the totals come to in the currency of the person.
func (l *ledger) converted(view *pages.DashboardView) error {
	var sums []money.Amount
	codes := []string{finance.MainCurrency(l.v.User, l.Accounts)}
	for _, total := range view.Totals {
		sums, codes = append(sums, total.Sum.Amount), append(codes, total.Sum.Currency())
	}
	if !slices.ContainsFunc(codes, func(code string) bool { return code != codes[0] }) {
		return nil
	}
	today := l.clock.Today()
	book, err := l.area.Store.Rates(l.v.Ctx(), l.v.User.ID, codes, search.Period{From: today, To: today})
	if err == nil {
		view.Converted = l.clock.Converted(book, codes[0], today, sums...)
	}
	return err
}

// folded stands for the accounts of a bank where there are many: how many they are, and what is booked on them.
func folded(c show.Clock, accounts []finance.Account, balances map[string][]finance.Balance) string {
	said := c.Say("%d accounts", len(accounts))
	var booked []money.Amount
	for _, account := range accounts {
		if b := finance.ChooseBalances(account, balances[account.ID]).Booked; b != nil {
			booked = append(booked, b.Amount)
		}
	}
	sums, err := money.Sum(booked...)
	if err != nil || len(sums) == 0 {
		return said
	}
	var texts []string
	for _, sum := range sums {
		texts = append(texts, c.Money(sum))
	}
	return c.Say("%s: %s", said, c.List(texts))
}
