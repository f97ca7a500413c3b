package accounts

import (
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"florin/internal/finance"
	"florin/internal/handlers/connections"
	"florin/internal/handlers/offers"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/linking"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// pageRows is how many transactions a page shows.
const pageRows = 50

func (a *Area) account(v *shell.Visit) error {
	o, err := a.Store.Overview(v.Ctx(), v.User.ID, v.Request.PathValue("account"))
	if err != nil {
		return err
	}
	return a.accountPage(v, http.StatusOK, o, o.Account.Nickname, "")
}

// nickname names an account. What was typed stays in the form when it is refused.
func (a *Area) nickname(v *shell.Visit) error {
	o, err := a.Store.Overview(v.Ctx(), v.User.ID, v.Request.PathValue("account"))
	if err != nil {
		return err
	}
	typed := v.Field("nickname")
	name := finance.Clean(typed)
	if n := utf8.RuneCountInString(name); n > linking.MaxNickname {
		problem := "A nickname has at most " + strconv.Itoa(linking.MaxNickname) + " characters; this one has " + strconv.Itoa(n) + "."
		return a.accountPage(v, http.StatusUnprocessableEntity, o, typed, problem)
	}
	if err := a.Linking.Rename(v.Ctx(), v.User.ID, o.Account.ID, name); err != nil {
		return err
	}
	if name == "" {
		a.Tell(v, ui.Good, "The account has the bank's name again.")
	} else {
		a.Tell(v, ui.Good, "The nickname is saved.")
	}
	v.SeeOther(paths.Account(o.Account.ID))
	return nil
}

func (a *Area) accountPage(v *shell.Visit, status int, o store.Overview, nickname, nicknameProblem string) error {
	account, connection := o.Account, o.Connection
	window, err := a.window(v, account)
	if err != nil {
		return err
	}
	balances, err := a.Store.AccountBalances(v.Ctx(), v.User.ID, account.ID)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	s := connections.NewSync(c, connection, o.Tasks)
	view := pages.AccountView{
		Frame: a.Frame(v), ID: account.ID, Name: account.Title(), Bank: show.BankOf(connection), ConnectionID: connection.ID,
		Subtitle: show.Detail(account), Nickname: nickname, NicknameProblem: nicknameProblem, Facts: accountFacts(c, account),
		Notice: accountNotice(s), Pager: window.pager, Range: window.span(c), Days: days(c, account, window.rows),
	}
	view.Frame.Simulated = connection.Simulated
	if why := a.Payments.Why(v.Ctx(), account, connection); why == "" {
		view.Pay = paths.PayFrom(account.ID)
	} else if !a.Offers.CanPay(v.Ctx(), connection.ProviderID) {
		view.PayWhy = offers.NotAllowed
	}
	view.Frame.Busy = s.Busy && window.newest
	if window.newest {
		if s.Busy {
			accounts, err := a.Store.Accounts(v.Ctx(), v.User.ID)
			if err != nil {
				return err
			}
			view.Frame.Live = connections.Live(connections.ViewProgress, connection.ID, true)
			view.Progress = s.Progress(connections.ProgressID, show.OfConnection(accounts, connection.ID))
		}
		if err := a.pending(v, &view, account); err != nil {
			return err
		}
	}
	fillBalances(c, &view, account, balances)
	if len(view.Days) == 0 {
		view.Empty = emptyReason(s, account)
	}
	return v.Page(status, pages.Account(view))
}

// window is one page of the booked rows of an account, newest first.
type window struct {
	rows   []finance.TransactionRow
	newest bool // it is the first page
	pager  ui.Pager
}

// window reads the page that the address asks for: the rows before a key. Pages cost the same wherever they are.
func (a *Area) window(v *shell.Visit, account finance.Account) (window, error) {
	before := int64(store.Newest)
	if text := v.Request.URL.Query().Get("before"); text != "" {
		key, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return window{}, &shell.Problem{Status: http.StatusBadRequest, What: "The address names a page of transactions that does not exist.",
				Todo: "Open the account and go on from its newest transactions.", Action: ui.Link{Text: "Open the account", Href: paths.Account(account.ID)}}
		}
		before = key
	}
	rows, more, err := a.Store.Transactions(v.Ctx(), v.User.ID, account.ID, before, pageRows)
	if err != nil {
		return window{}, err
	}
	w := window{rows: rows, newest: before == store.Newest}
	if !w.newest {
		newer, err := a.Store.NewerPage(v.Ctx(), v.User.ID, account.ID, before, pageRows)
		if err != nil {
			return window{}, err
		}
		w.pager.Newer = pagePath(account.ID, newer)
	}
	if more {
		w.pager.Older = pagePath(account.ID, rows[len(rows)-1].SortKey)
	}
	return w, nil
}

func pagePath(accountID string, before int64) string {
	if before == store.Newest {
		return paths.Account(accountID)
	}
	return paths.Account(accountID) + "?before=" + strconv.FormatInt(before, 10)
}

// span says which days the page covers.
func (w window) span(c show.Clock) string {
	if len(w.rows) == 0 {
		return ""
	}
	oldest, newest := c.Day(w.rows[len(w.rows)-1].Date).Text, c.Day(w.rows[0].Date).Text
	if oldest == newest || oldest == "" {
		return newest
	}
	return oldest + " to " + newest
}

// days groups rows by their date.
func days(c show.Clock, account finance.Account, rows []finance.TransactionRow) []pages.Day {
	var list []pages.Day
	var date openbanking.Date
	shown := make([]pages.TransactionRow, len(rows))
	first := 0 // row of the day
	base := paths.Transaction(account.ID, "")
	for i, t := range rows {
		if i == 0 || t.Date != date {
			date, first = t.Date, i
			list = append(list, pages.Day{Date: c.Heading(date)})
		}
		shown[i] = transactionRow(base, t)
		list[len(list)-1].Rows = shown[first : i+1]
	}
	return list
}

// transactionRow shows a row; base is the address of the account's transactions.
func transactionRow(base string, t finance.TransactionRow) pages.TransactionRow {
	row := pages.TransactionRow{Href: base + strconv.FormatInt(t.ID, 10), Name: t.Title(), Text: t.Remittance, Amount: pages.Flow(t.Amount)}
	if row.Text == row.Name {
		row.Text = ""
	}
	if t.Missing {
		row.Side = "No longer in the bank’s list"
	}
	return row
}

// pending fills the block of rows that are not booked. They have no page of their own: the next sync rebuilds them.
func (a *Area) pending(v *shell.Visit, view *pages.AccountView, account finance.Account) error {
	rows, err := a.Store.Pending(v.Ctx(), v.User.ID, account.ID)
	if err != nil {
		return err
	}
	var amounts []money.Amount
	for _, t := range rows {
		row := pages.TransactionRow{Name: t.Title(), Text: t.Remittance, Amount: pages.Flow(t.Amount)}
		if row.Text == row.Name {
			row.Text = ""
		}
		if t.Status != openbanking.TransactionStatusPDNG {
			row.Side = pages.StatusWords(t.Status)
		}
		view.Pending = append(view.Pending, row)
		amounts = append(amounts, t.Amount)
	}
	view.PendingCount = show.Plural(len(rows), "pending transaction")
	if sums, err := money.Sum(amounts...); err == nil && len(sums) == 1 {
		total := pages.Flow(sums[0])
		view.PendingTotal = &total
	}
	return nil
}

// fillBalances shows all balances in words with their code, and the one that counts on top.
func fillBalances(c show.Clock, view *pages.AccountView, account finance.Account, balances []finance.Balance) {
	view.NoBalance = show.NoBalance(account)
	if main := finance.ChooseBalances(account, balances).Main; main != nil {
		figure := pages.Figure(main.Amount)
		view.Hero = &figure
		view.HeroName, _ = pages.BalanceWords(main.Type)
		view.AsOf, view.Stale = show.AsOf(c, *main), c.Stale(main.Fetched)
	}
	for _, b := range balances {
		name, meaning := pages.BalanceWords(b.Type)
		view.Balances = append(view.Balances, pages.Balance{Name: name, Code: string(b.Type), Meaning: meaning, Amount: pages.Figure(b.Amount), AsOf: show.AsOf(c, b)})
	}
}

func accountNotice(s connections.Sync) *ui.Notice {
	switch {
	case s.State == finance.ConnectionDisconnected:
		return &ui.Notice{Tone: ui.Warning, Title: "Disconnected " + s.Clock.When(s.Connection.Ended), Text: "This account is not updated any more. Its history stays.",
			Action: ui.Link{Text: "Link the bank again", Href: show.AgainPath(s.Connection)}}
	case !s.Active():
		return s.Todo()
	case s.Busy || len(s.Failed()) == 0:
		return nil
	}
	return &ui.Notice{Tone: ui.Warning, Title: s.Badge().Text, Text: "What you see is from the last time it worked.",
		Action: ui.Link{Text: "See the connection", Href: show.ConnectionPath(s.Connection)}}
}

func emptyReason(s connections.Sync, account finance.Account) string {
	switch {
	case s.Busy && s.First:
		return "The first sync is still running. Transactions appear here as soon as it is done."
	case account.UID == "" && s.Active():
		return "The bank names this account and gives no data of it."
	case len(s.Failed()) > 0:
		return "Nothing could be fetched yet."
	}
	return "The bank has listed no transactions."
}

func accountFacts(c show.Clock, account finance.Account) []ui.Fact {
	var facts []ui.Fact
	add := func(name, value, code string) {
		if value != "" {
			facts = append(facts, ui.Fact{Name: name, Value: value, Code: code})
		}
	}
	add("IBAN", show.Groups(account.IBAN), "")
	add("Account number", account.Number, string(account.Scheme))
	add("Holder", account.Holder, "")
	add("Product", account.Product, "")
	add("Description", account.Details, "")
	add("Kind", finance.AccountKind(account.Type), string(account.Type))
	add("Currency", account.Currency, "")
	add("Limit", limit(account), "")
	if _, err := account.HistoryFrom.Time(); err == nil {
		add("History reaches back to", c.Day(account.HistoryFrom).Text, "")
	}
	if account.Transactions > 0 {
		add("Transactions", show.Count(account.Transactions), "")
	}
	return facts
}

// limit writes the credit limit like the other figures; what is no amount stays as the bank wrote it.
func limit(account finance.Account) string {
	number, currency, _ := strings.Cut(account.CreditLimit, " ")
	amount, err := money.Parse(number, currency)
	if err != nil {
		return account.CreditLimit
	}
	return amount.Format() + " " + currency
}
