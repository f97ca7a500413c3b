package accounts

import (
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"florin/internal/finance"
	"florin/internal/handlers/connections"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/handlers/transactions"
	"florin/internal/linking"
	"florin/internal/money"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// refreshLacking is after how many seconds the page of an account reloads itself without JavaScript while the booking of a payment is missing.
const refreshLacking = 10

func (a *Area) account(v *shell.Visitor) error {
	o, err := a.Store.Overview(v.Ctx(), v.User.ID, v.Request.PathValue("account"))
	if errors.Is(err, finance.ErrNotFound) {
		return a.sharedPage(v)
	}
	if err != nil {
		return err
	}
	if !o.Account.Linked() {
		return a.keptPage(v, o, valueTyped{})
	}
	return a.accountPage(v, o, o.Account.Nickname, "")
}

// nickname names an account. What was typed stays in the form when it is refused.
func (a *Area) nickname(v *shell.Visitor) error {
	o, err := a.Store.Overview(v.Ctx(), v.User.ID, v.Request.PathValue("account"))
	if err == nil && !o.Account.Linked() {
		err = finance.ErrNotFound // its form is editAccount
	}
	if err != nil {
		return err
	}
	typed := v.Field("nickname")
	name := finance.Clean(typed)
	if n := utf8.RuneCountInString(name); n > linking.MaxNickname {
		problem := v.Say("A nickname may have %d characters at most. This one has %d.", linking.MaxNickname, n)
		return a.accountPage(v, o, typed, problem)
	}
	if err := a.Linking.Rename(v.Ctx(), v.User.ID, o.Account.ID, name); err != nil {
		return err
	}
	if name == "" {
		a.Flash(v, ui.Good, v.Say("The account has the bank’s name again."))
	} else {
		a.Flash(v, ui.Good, v.Say("The nickname is saved."))
	}
	v.SeeOther(paths.Account(o.Account.ID))
	return nil
}

func (a *Area) accountPage(v *shell.Visitor, o store.Overview, nickname, nicknameProblem string) error {
	account, connection := o.Account, o.Connection
	c := a.At(v.Ctx(), time.Now())
	list, err := a.Transactions.List(v, c, &account)
	if err != nil {
		return err
	}
	balances, err := a.Store.AccountBalances(v.Ctx(), v.User.ID, account.ID)
	if err != nil {
		return err
	}
	unbooked, err := a.Store.Unbooked(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	s := a.Connections.Arrive(v, connections.NewSync(c, connection, o.Tasks).Lack(unbooked))
	newest := list.Pager.Newer == ""
	view := pages.AccountView{
		Frame: a.Frame(v), ID: account.ID, Name: c.AccountName(account), Bank: show.BankOf(connection), ConnectionID: connection.ID,
		Subtitle: c.Detail(account), Nickname: nickname, NicknameProblem: nicknameProblem, Facts: accountFacts(c, account),
		Notice: accountNotice(s), List: list, Refresh: s.Refresh(account.ID),
	}
	view.Frame.Simulated = connection.Simulated
	if a.Payments.Obstacle(v.Ctx(), account, connection) == "" {
		view.Pay = paths.PayFrom(account.ID)
	}
	view.Frame.Busy = s.Busy && newest
	if view.Frame.Busy {
		accounts, err := a.Store.Accounts(v.Ctx(), v.User.ID)
		if err != nil {
			return err
		}
		view.Frame.Live = connections.Live(connections.ViewProgress, connection.ID, true, 0)
		view.Progress = s.Progress(connections.ProgressID, show.OfConnection(accounts, connection.ID))
	}
	if lacks, payments := s.Unbooked(account.ID); lacks != "" && s.Active() {
		view.Unbooked = &ui.Notice{Tone: ui.Info, Title: lacks, Text: c.Say("Florin asks the bank again by itself."),
			Action: ui.Link{Text: c.Say("Open the payment"), Href: paths.Payment(payments[0])}}
		if newest {
			view.Frame.Live, view.Frame.Refresh = connections.Live(connections.ViewProgress, connection.ID, s.Busy, len(payments)), refreshLacking
		}
	}
	fillBalances(c, &view, account, balances)
	if view.Share, err = a.shareLink(v, account); err != nil {
		return err
	}
	if view.News, err = a.newsStrip(v, c, account.ID); err != nil {
		return err
	}
	complete, err := a.Store.Completeness(v.Ctx(), v.User.ID, account.ID)
	if err != nil {
		return err
	}
	fillCompleteness(c, &view, account, complete)
	if list.Empty == "" {
		view.List.Empty = c.Say(emptyReason(s, account))
	}
	status := transactions.ListStatus(list)
	if nicknameProblem != "" {
		status = http.StatusUnprocessableEntity
	}
	return v.Page(status, pages.Account(view))
}

func accountNotice(s connections.Sync) *ui.Notice {
	switch {
	case !s.Active():
		return s.ConsentNotice()
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
