package dashboard

import (
	"cmp"
	"slices"
	"strings"

	"florin/internal/finance"
	"florin/internal/handlers/connections"
	"florin/internal/handlers/show"
	"florin/internal/money"
	"florin/internal/search"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// bankGroup is the card of a connection.
func bankGroup(c connections.Connected, balances map[string][]finance.Balance, news map[string]finance.News) pages.BankGroup {
	g := pages.BankGroup{
		ConnectionID: c.ID, Bank: show.BankOf(c.Connection), Consent: c.Sync.Consent(), Sync: c.Sync.Badge(), SyncNote: c.Sync.Note(),
		Progress: c.Sync.Progress("bank-progress-"+c.ID, c.Accounts), Shared: c.Sync.Clock.List(c.Sync.Clock.AccountNames(c.Shared)),
	}
	if lacks, _ := c.Sync.Unbooked(""); lacks != "" && c.Sync.Active() {
		g.SyncNote += " " + lacks
	}
	g.Accounts = accountRows(c.Sync.Clock, c.Accounts, balances, news)
	return g
}

// accountRows are the rows of accounts: pockets of one are one row with a row for each.
func accountRows(c show.Clock, accounts []finance.Account, balances map[string][]finance.Balance, news map[string]finance.News) (rows []pages.AccountRow) {
	for _, pockets := range finance.Wallets(accounts, func(a finance.Account) finance.Account { return a }) {
		if len(pockets) == 1 {
			rows = append(rows, accountRow(c, pockets[0], balances[pockets[0].ID], news[pockets[0].ID]))
			continue
		}
		wallet := pages.AccountRow{LastFour: pockets[0].Last4()}
		wallet.Name, wallet.Kind = c.Wallet(pockets)
		for _, account := range pockets {
			row := accountRow(c, account, balances[account.ID], news[account.ID])
			row.Name, row.Kind, row.LastFour = c.Pocket(account, wallet.Name), "", ""
			wallet.Pockets = append(wallet.Pockets, row)
		}
		rows = append(rows, wallet)
	}
	return rows
}

// bankCard returns the card of a connection, folded when there are many accounts. Accounts that the user now keeps are not on it; they have rows of their
// own.
func bankCard(h connections.Holdings, c connections.Connected) pages.BankGroup {
	c.Accounts = slices.DeleteFunc(slices.Clone(c.Accounts), func(a finance.Account) bool { return !a.Linked() })
	g := bankGroup(c, h.Balances, h.News)
	if len(h.Accounts) >= manyAccounts {
		g.Folded = folded(c.Sync.Clock, c.Accounts, h.Balances)
	}
	return g
}

// accountRow shows the balance that counts, named by its type unless it is the booked one. It never shows a zero that the bank did not send.
func accountRow(c show.Clock, account finance.Account, balances []finance.Balance, news finance.News) pages.AccountRow {
	row := pages.AccountRow{ID: account.ID, Name: c.AccountName(account), LastFour: account.Last4(), Currency: account.Currency,
		NoBalance: c.Say(show.NoBalance(account)), News: c.News(news)}
	if kind := c.KindBeside(account); kind != row.Name {
		row.Kind = kind
	}
	chosen := finance.ChooseBalances(account, balances)
	if main := chosen.Main; main != nil {
		figure := pages.Figure(main.Amount)
		row.Balance, row.AsOf, row.Stale = &figure, show.AsOf(c, *main), c.Stale(main.Fetched)
		if main != chosen.Booked {
			name, _ := pages.BalanceWords(main.Type)
			row.BalanceIs = c.Message(name)
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

// worth is what is on accounts: part by part and currency by currency, and all together.
type worth struct {
	parts            []partSum
	together         []money.Amount
	booked, old      int      // accounts that count with a booked balance, and those that are no longer updated
	instead, without []string // names of accounts that count with another balance, and of those that do not count
	// of those that count with another because the person wants it, and of those whose bank no longer gives the one that the person wants
	wanted, lost []string
}

// partSum is what the accounts of a part come to in a currency.
type partSum struct {
	part     finance.Holding
	sum      money.Amount
	accounts int
}

// worthOf adds up the balances of accounts. ended holds the connections that no longer bring data. ok is false when a sum is too large for an amount: then
// no total is shown.
func worthOf(c show.Clock, accounts []finance.Account, balances map[string][]finance.Balance, ended map[string]bool) (w worth, ok bool) {
	var parts [finance.Holdings][]money.Amount
	var all []money.Amount
	number := map[string]int{}
	for _, account := range accounts {
		counted := finance.Counted(account, balances[account.ID])
		if counted == nil {
			w.without = append(w.without, c.AccountName(account))
			continue
		}
		chosen := finance.ChooseBalances(account, balances[account.ID])
		name, _ := pages.BalanceWords(counted.Type)
		said := c.Say("%s (%s)", c.AccountName(account), name)
		switch {
		case counted.Booked():
			w.booked++
		case account.Counts == counted.Type:
			w.wanted = append(w.wanted, said)
		default:
			w.instead = append(w.instead, said)
		}
		if chosen.Lost {
			w.lost = append(w.lost, c.AccountName(account))
		}
		if account.Linked() && ended[account.ConnectionID] {
			w.old++
		}
		parts[account.Holding()] = append(parts[account.Holding()], counted.Amount)
		all = append(all, counted.Amount)
		number[counted.Amount.Currency()]++
	}
	var err error
	order := func(x, y money.Amount) int { return cmp.Compare(number[y.Currency()], number[x.Currency()]) }
	if w.together, err = money.Sum(all...); err != nil {
		return worth{}, false
	}
	slices.SortStableFunc(w.together, order)
	for part, amounts := range parts {
		sums, err := money.Sum(amounts...)
		if err != nil {
			return worth{}, false
		}
		slices.SortStableFunc(sums, order)
		for _, sum := range sums {
			n := 0
			for _, a := range amounts {
				if a.Currency() == sum.Currency() {
					n++
				}
			}
			w.parts = append(w.parts, partSum{finance.Holding(part), sum, n})
		}
	}
	return w, true
}

// partNames are what the parts are called.
var partNames = [finance.Holdings]words.Text{"Spending money", "Savings#accounts", "Cards", "Loans", "Things of value"}

// fill shows the sums, and says what they leave out and what in them is old.
func (w worth) fill(c show.Clock, view *pages.DashboardView) {
	several := map[string]int{} // by currency
	for _, p := range w.parts {
		view.Totals = append(view.Totals, pages.Total{Name: c.Say(partNames[p.part]), Sum: pages.Figure(p.sum), Accounts: c.Say("%d accounts", p.accounts)})
		several[p.sum.Currency()]++
	}
	for _, sum := range w.together {
		if several[sum.Currency()] > 1 {
			view.Totals = append(view.Totals, pages.Total{Name: c.Say("Net worth"), Sum: pages.Figure(sum), Accounts: c.Say("all of these in %s", sum.Currency())})
		}
	}
	var notes []string
	if w.booked > 0 {
		notes = append(notes, c.Say("Booked balances of %d accounts, without what is pending.", w.booked))
	}
	if w.old > 0 {
		notes = append(notes, c.Say("%d of them are no longer updated.", w.old))
	}
	if len(w.instead) > 0 {
		notes = append(notes, c.Say("The bank gives no booked balance, so another one counts: %s.", c.List(w.instead)))
	}
	if len(w.wanted) > 0 {
		notes = append(notes, c.Say("Counted with the balance that you chose: %s.", c.List(w.wanted)))
	}
	if len(w.lost) > 0 {
		notes = append(notes, c.Say("The bank no longer gives the balance that you chose for %s. Another one counts for now.", c.List(w.lost)))
	}
	if len(w.without) > 0 {
		notes = append(notes, c.Say("Not counted, because there is no balance: %s.", c.List(w.without)))
	}
	if len(w.together) > 1 {
		notes = append(notes, c.Say("Each currency is added up on its own."))
	}
	view.TotalsNote = strings.Join(notes, " ")
}

// totals fills in what is on the accounts that are not closed.
func (l *ledger) totals(view *pages.DashboardView) error {
	view.Whose = l.whose.Choice
	ended := map[string]bool{}
	for _, connection := range l.seen.Connections {
		ended[connection.ID] = connection.State(l.clock.Now) != finance.ConnectionActive
	}
	open := slices.DeleteFunc(slices.Clone(l.seen.Accounts), func(a finance.Account) bool { return !a.Closed.IsZero() })
	w, ok := worthOf(l.clock, open, l.seen.Balances, ended)
	if !ok || len(w.together) == 0 && len(w.without) == 0 {
		return nil
	}
	w.fill(l.clock, view)
	return l.converted(view, w.together)
}

// converted fills in what the totals come to in the currency of the person.
func (l *ledger) converted(view *pages.DashboardView, sums []money.Amount) error {
	codes := []string{finance.MainCurrency(l.v.User, l.Accounts)}
	for _, sum := range sums {
		codes = append(codes, sum.Currency())
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

// folded stands for the accounts of a bank where there are many: how many they are, and what is on them, part by part.
func folded(c show.Clock, accounts []finance.Account, balances map[string][]finance.Balance) string {
	said := c.Say("%d accounts", len(accounts))
	w, ok := worthOf(c, accounts, balances, nil)
	if !ok || len(w.parts) == 0 {
		return said
	}
	var texts []string
	for _, p := range w.parts {
		text := c.Money(p.sum)
		if p.part != finance.HoldingSpending {
			text = c.Say("%s: %s", partNames[p.part], p.sum)
		}
		texts = append(texts, text)
	}
	return c.Say("%s: %s", said, c.List(texts))
}
