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
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// pageRows is how many transactions a page shows.
const pageRows = 50

func (a *Area) account(v *shell.Visitor) error {
	o, err := a.Store.Overview(v.Ctx(), v.User.ID, v.Request.PathValue("account"))
	if err != nil {
		return err
	}
	return a.accountPage(v, http.StatusOK, o, o.Account.Nickname, "")
}

// nickname names an account. What was typed stays in the form when it is refused.
func (a *Area) nickname(v *shell.Visitor) error {
	o, err := a.Store.Overview(v.Ctx(), v.User.ID, v.Request.PathValue("account"))
	if err != nil {
		return err
	}
	typed := v.Field("nickname")
	name := finance.Clean(typed)
	if n := utf8.RuneCountInString(name); n > linking.MaxNickname {
		problem := v.Say("A nickname may have %d characters at most. This one has %d.", linking.MaxNickname, n)
		return a.accountPage(v, http.StatusUnprocessableEntity, o, typed, problem)
	}
	if err := a.Linking.Rename(v.Ctx(), v.User.ID, o.Account.ID, name); err != nil {
		return err
	}
	if name == "" {
		a.Tell(v, ui.Good, v.Say("The account has the bank’s name again."))
	} else {
		a.Tell(v, ui.Good, v.Say("The nickname is saved."))
	}
	v.SeeOther(paths.Account(o.Account.ID))
	return nil
}

func (a *Area) accountPage(v *shell.Visitor, status int, o store.Overview, nickname, nicknameProblem string) error {
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
	place := show.ListedIn{Base: paths.Transaction(account.ID, "")}
	view := pages.AccountView{
		Frame: a.Frame(v), ID: account.ID, Name: c.AccountName(account), Bank: show.BankOf(connection), ConnectionID: connection.ID,
		Subtitle: c.Detail(account), Nickname: nickname, NicknameProblem: nicknameProblem, Facts: accountFacts(c, account),
		Notice: accountNotice(s), Pager: window.pager, Range: c.Span(window.rows), Days: c.Days(window.rows, func(int) show.ListedIn { return place }),
	}
	view.Frame.Simulated = connection.Simulated
	if a.Payments.Obstacle(v.Ctx(), account, connection) == "" {
		view.Pay = paths.PayFrom(account.ID)
	} else if !a.Offers.CanPay(v.Ctx(), connection.ProviderID) {
		view.PayObstacle = v.Say(offers.NotAllowed)
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
		if err := a.pending(v, c, &view, account); err != nil {
			return err
		}
	}
	fillBalances(c, &view, account, balances)
	if len(view.Days) == 0 {
		view.Empty = c.Say(emptyReason(s, account))
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
func (a *Area) window(v *shell.Visitor, account finance.Account) (window, error) {
	before := int64(store.Newest)
	if text := v.Request.URL.Query().Get("before"); text != "" {
		key, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return window{}, &shell.Problem{Status: http.StatusBadRequest, What: v.Say("There is no such page of transactions."),
				Todo: v.Say("Open the account and start from its newest transactions."), Action: ui.Link{Text: v.Say("Open the account"), Href: paths.Account(account.ID)}}
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

// pending fills the block of rows that are not booked.
func (a *Area) pending(v *shell.Visitor, c show.Clock, view *pages.AccountView, account finance.Account) error {
	rows, err := a.Store.Pending(v.Ctx(), v.User.ID, account.ID)
	if err != nil {
		return err
	}
	view.Pending, view.PendingCount, view.PendingTotal = c.Pending(rows, func(string) string { return "" })
	return nil
}

// fillBalances shows all balances in words with their code, and the one that counts on top.
func fillBalances(c show.Clock, view *pages.AccountView, account finance.Account, balances []finance.Balance) {
	view.NoBalance = c.Say(show.NoBalance(account))
	if main := finance.ChooseBalances(account, balances).Main; main != nil {
		figure := pages.Figure(main.Amount)
		view.Hero = &figure
		name, _ := pages.BalanceWords(main.Type)
		view.HeroName, view.AsOf, view.Stale = c.Tell(name), show.AsOf(c, *main), c.Stale(main.Fetched)
	}
	for _, b := range balances {
		name, meaning := pages.BalanceWords(b.Type)
		view.Balances = append(view.Balances, pages.Balance{Name: c.Tell(name), Code: string(b.Type), Meaning: c.Tell(meaning), Amount: pages.Figure(b.Amount),
			AsOf: show.AsOf(c, b)})
	}
}

func accountNotice(s connections.Sync) *ui.Notice {
	switch {
	case s.State == finance.ConnectionDisconnected:
		return &ui.Notice{Tone: ui.Warning, Title: s.Clock.Say("Disconnected %s", s.Clock.When(s.Connection.Ended)),
			Text:   s.Clock.Say("This account is no longer updated. Its history stays."),
			Action: ui.Link{Text: s.Clock.Say("Link the bank again"), Href: show.AgainPath(s.Connection)}}
	case !s.Active():
		return s.Todo()
	case s.Busy || len(s.Failed()) == 0:
		return nil
	}
	return &ui.Notice{Tone: ui.Warning, Title: s.Badge().Text, Text: s.Clock.Say("Florin shows the data of the last successful sync."),
		Action: ui.Link{Text: s.Clock.Say("Open the connection"), Href: show.ConnectionPath(s.Connection)}}
}

func emptyReason(s connections.Sync, account finance.Account) words.Text {
	switch {
	case s.Busy && s.First:
		return "The first sync is still running. Transactions appear here when it is done."
	case account.UID == "" && s.Active():
		return "The bank lists this account but gives no data for it."
	case len(s.Failed()) > 0:
		return "Nothing could be fetched yet."
	}
	return "The bank lists no transactions."
}

func accountFacts(c show.Clock, account finance.Account) []ui.Fact {
	var facts []ui.Fact
	add := func(name words.Text, value, code string) {
		if value != "" {
			facts = append(facts, ui.Fact{Name: c.Say(name), Value: value, Code: code})
		}
	}
	add("IBAN", show.Groups(account.IBAN), "")
	add("Account number", account.Number, string(account.Scheme))
	add("Account holder", account.Holder, "")
	add("Product", account.Product, "")
	add("Description", account.Details, "")
	add("Kind of account", c.Say(show.AccountKind(account.Type)), string(account.Type))
	add("Currency", account.Currency, "")
	add("Limit", limit(c, account), "")
	if _, err := account.HistoryFrom.Time(); err == nil {
		add("History goes back to", c.Day(account.HistoryFrom).Text, "")
	}
	if account.Transactions > 0 {
		add("Transactions", c.Number(account.Transactions), "")
	}
	return facts
}

// limit writes the credit limit like the other figures; what is no amount stays as the bank wrote it.
func limit(c show.Clock, account finance.Account) string {
	number, currency, _ := strings.Cut(account.CreditLimit, " ")
	amount, err := money.Parse(number, currency)
	if err != nil {
		return account.CreditLimit
	}
	return c.Money(amount)
}
