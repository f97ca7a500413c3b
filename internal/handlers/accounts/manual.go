package accounts

import (
	"cmp"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"florin/internal/finance"
	"florin/internal/handlers/connections"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/handlers/transactions"
	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// keptPage shows an account that the person keeps. typed is what was said of its value, and what is wrong with it.
func (a *Area) keptPage(v *shell.Visitor, o store.Overview, typed valueTyped) error {
	account := o.Account
	c := a.At(v.Ctx(), time.Now())
	view := pages.AccountView{Frame: a.Frame(v), ID: account.ID, Name: c.AccountName(account), Bank: pages.Bank{Name: account.Institution},
		Subtitle: c.Detail(account),
		Facts:    accountFacts(c, account), Kept: &pages.KeptAccount{Valued: account.Source == finance.SourceValue, Edit: paths.AccountEdit(account.ID),
			Delete: paths.AccountDelete(account.ID), Close: paths.AccountClose(account.ID), Closed: !account.Closed.IsZero()}}
	view.Frame.Simulated = account.Simulated
	if former := o.Connection; former.ID != "" {
		view.Notice = &ui.Notice{Title: c.Say("Florin no longer reads this account at the bank"), Text: connections.NewSync(c, former, nil).Ended() + " " + c.Say("You keep this account yourself now. Reconnect the bank, and it continues here."),
			Action: ui.Link{Text: c.Say("Reconnect"), Href: show.AgainPath(former)}}
	}
	if view.Kept.Closed {
		view.Notice = &ui.Notice{Title: c.Say("Closed %s", c.When(account.Closed)), Text: c.Say("This account does not count in your totals. Its history stays.")}
	}
	var err error
	if view.Share, err = a.shareLink(v, account); err != nil {
		return err
	}
	if view.News, err = a.newsStrip(v, c, account.ID); err != nil {
		return err
	}
	values, err := a.Store.Values(v.Ctx(), v.User.ID, account.ID)
	if err != nil {
		return err
	}
	view.Kept.Value = valueForm(c, account, values, typed)
	if view.Kept.Valued {
		for _, value := range values {
			view.Kept.Values = append(view.Kept.Values, pages.KeptValue{Day: c.Day(value.Day), Amount: pages.Figure(value.Amount), Remove: string(value.Day)})
		}
	} else {
		if view.List, err = a.Transactions.List(v, c, &account); err != nil {
			return err
		}
		if view.List.Empty == "" {
			view.List.Empty = c.Say("There are no transactions yet.")
		}
		if account.Open() {
			view.Kept.AddRow = paths.NewTransaction(account.ID)
		}
	}
	balances, err := a.Store.AccountBalances(v.Ctx(), v.User.ID, account.ID)
	if err != nil {
		return err
	}
	fillBalances(c, &view, account, balances)
	view.Balances, view.Stale, view.HeroName = nil, "", c.Say("Opening balance and all transactions since")
	if view.Kept.Valued {
		view.HeroName = c.Say("Your last value")
	} else {
		view.AsOf = ui.Time{}
	}
	status := transactions.ListStatus(view.List)
	if typed.amountProblem != "" || typed.dayProblem != "" {
		status = http.StatusUnprocessableEntity
	}
	return v.Page(status, pages.Account(view))
}

// valueTyped is what a person says was on an account, and what is wrong with it.
type valueTyped struct {
	amount, day               string
	amountProblem, dayProblem string
}

// valueForm asks for the value of a day, or for the opening balance, which is there already.
func valueForm(c show.Clock, account finance.Account, values []finance.Value, typed valueTyped) pages.ValueForm {
	f := pages.ValueForm{Action: paths.AccountValue(account.ID), Hidden: !account.Open(), Title: c.Say("Add a value"), Button: c.Say("Save the value")}
	hint := c.Say("A value of the same day is replaced.")
	if account.Source == finance.SourceManual {
		f.Title, f.Button = c.Say("Opening balance"), c.Say("Save the opening balance")
		hint = c.Say("Transactions from this day on count. What was on the account before the first of them is the opening balance.")
		if typed == (valueTyped{}) && len(values) > 0 {
			f.Stored = true
			typed = valueTyped{amount: c.Figure(values[0].Amount), day: string(values[0].Day)}
		}
	}
	f.Amount = amountInput(c.Say("Amount in %s", account.Currency), typed.amount, typed.amountProblem)
	f.Day = dayInput(c, cmp.Or(typed.day, string(c.Today())), typed.dayProblem)
	f.Day.Hint = hint
	return f
}

func amountInput(label, value, problem string) ui.Input {
	return ui.Input{Name: "amount", Label: label, Type: "text", Value: value, Problem: problem, Required: true, Autocomplete: "off", Mode: "text", MaxLength: 40}
}

func dayInput(c show.Clock, value, problem string) ui.Input {
	return ui.Input{Name: "day", Label: c.Say("Day"), Type: "date", Value: value, Problem: problem, Required: true, Autocomplete: "off", Max: string(c.Today())}
}

// readDay reads a day that a person types: none after today.
func readDay(c show.Clock, typed string) (day openbanking.Date, problem string) {
	day, err := finance.ParseDay(typed)
	switch {
	case err != nil:
		return "", c.Message(show.DayProblem(err))
	case day > c.Today():
		return "", c.Say("This day is in the future. Enter today or a day before.")
	case day < earliestDay:
		return "", c.Say("This day is too long ago.")
	}
	return day, ""
}

// earliestDay is the first that a bank could have sent.
const earliestDay openbanking.Date = "1900-01-01"

// value records or removes what was on an account.
func (a *Area) value(v *shell.Visitor) error {
	o, err := a.Store.Overview(v.Ctx(), v.User.ID, v.Request.PathValue("manual"))
	if err == nil && o.Account.Linked() {
		err = finance.ErrNotFound
	}
	if err != nil {
		return err
	}
	account := o.Account
	c := a.At(v.Ctx(), time.Now())
	if remove := v.Field("remove"); remove != "" && account.Source == finance.SourceValue {
		if err := a.Store.RemoveValue(v.Ctx(), v.User.ID, account.ID, openbanking.Date(remove)); err != nil {
			return err
		}
		a.Flash(v, ui.Good, v.Say("The value is removed."))
		v.SeeOther(paths.Account(account.ID))
		return nil
	}
	typed := valueTyped{amount: v.Field("amount"), day: v.Field("day")}
	value := finance.Value{}
	if value.Amount, err = finance.ParseBalance(typed.amount, account.Currency); err != nil {
		typed.amountProblem = c.Message(show.AmountProblem(err))
	}
	value.Day, typed.dayProblem = readDay(c, typed.day)
	if typed.amountProblem != "" || typed.dayProblem != "" {
		return a.keptPage(v, o, typed)
	}
	if err := a.Store.SetValue(v.Ctx(), v.User.ID, account.ID, value); err != nil {
		return err
	}
	if account.Source == finance.SourceManual {
		a.Flash(v, ui.Good, v.Say("The opening balance is saved."))
	} else {
		a.Flash(v, ui.Good, v.Say("The value is saved."))
	}
	v.SeeOther(paths.Account(account.ID))
	return nil
}

// kept is the account of the visitor that the address names, which no bank brings.
func (a *Area) kept(v *shell.Visitor) (finance.Account, error) {
	account, err := a.Store.Account(v.Ctx(), v.User.ID, v.Request.PathValue("manual"))
	if err == nil && account.Linked() {
		err = finance.ErrNotFound
	}
	return account, err
}

// accountForm is what the form of an account holds, and what is wrong with it.
type accountForm struct {
	account     finance.Account
	first       finance.Value
	number      string // as typed, as the next two
	amount, day string
	problems    map[string]string // by the name of the field
}

// sources are the ways to keep an account.
var sources = []struct {
	source finance.Source
	text   words.Text
}{{finance.SourceManual, "With transactions that I enter or import"}, {finance.SourceValue, "Only with its value: a house, securities, cash"}}

// types are the kinds of accounts that can be chosen.
var types = []struct {
	kind openbanking.CashAccountType
	text words.Text
}{
	{openbanking.CashAccountTypeCACC, "Current account"}, {openbanking.CashAccountTypeCASH, "Cash#money"}, {openbanking.CashAccountTypeSVGS, "Savings account"},
	{openbanking.CashAccountTypeCARD, "Card account"}, {openbanking.CashAccountTypeLOAN, "Loan"}, {openbanking.CashAccountTypeOTHR, "Something else"},
}

func (a *Area) newAccount(v *shell.Visitor) error {
	c := a.At(v.Ctx(), time.Now())
	currency, err := a.usualCurrency(v)
	if err != nil {
		return err
	}
	return a.accountFormPage(v, http.StatusOK, accountForm{account: finance.Account{Source: finance.SourceManual, Currency: currency,
		Type: openbanking.CashAccountTypeCACC}, day: string(c.Today())})
}

// usualCurrency is the currency of most accounts of the visitor.
func (a *Area) usualCurrency(v *shell.Visitor) (string, error) {
	accounts, err := a.Store.Accounts(v.Ctx(), v.User.ID)
	count, usual := map[string]int{}, "EUR"
	for _, account := range accounts {
		if count[account.Currency]++; count[account.Currency] > count[usual] {
			usual = account.Currency
		}
	}
	return usual, err
}

func (a *Area) accountFormPage(v *shell.Visitor, status int, f accountForm) error {
	c := a.At(v.Ctx(), time.Now())
	account := f.account
	view := pages.AccountFormView{Frame: a.Frame(v), New: account.ID == "", Title: v.Say("Add an account without a bank"), Action: paths.NewAccount,
		Lead: v.Say("For what Florin gets from no bank: cash, an account whose statements you import, a house, securities."),
		Back: ui.Link{Text: v.Say("Accounts"), Href: paths.Accounts}, Button: v.Say("Add the account"),
		Name: ui.Input{Name: "name", Label: v.Say("Name"), Type: "text", Value: account.Nickname, Problem: f.problems["name"], Required: true, Autocomplete: "off",
			MaxLength: finance.MaxAccountName, Autofocus: account.ID == "" && status == http.StatusOK},
		Currency: ui.Input{Name: "currency", Label: v.Say("Currency"), Type: "text", Value: account.Currency, Problem: f.problems["currency"], Required: true,
			Autocomplete: "off", MaxLength: 3, Hint: v.Say("A code of three letters, such as EUR. It cannot be changed later.")},
		Institution: ui.Input{Name: "institution", Label: v.Say("Bank or place"), Type: "text", Value: account.Institution, Problem: f.problems["institution"],
			Autocomplete: "off", MaxLength: finance.MaxAccountName, Hint: v.Say("The name of a bank, for example. You can leave it empty.")},
		Number: ui.Input{Name: "number", Label: v.Say("IBAN or account number"), Type: "text", Value: f.number, Problem: f.problems["number"], Autocomplete: "off",
			MaxLength: 60, Hint: v.Say("You can leave it empty. Florin uses it to recognise transfers between your own accounts.")},
		Amount: amountInput(v.Say("Balance or value"), cmp.Or(f.amount, "0"), f.problems["amount"]), Day: dayInput(c, f.day, f.problems["day"]),
	}
	view.Day.Label, view.Day.Hint = v.Say("On this day"), v.Say("With transactions: what was on it before the first transaction of this day.")
	if account.ID != "" {
		view.Title, view.Lead, view.Action, view.Button = account.Nickname, "", paths.AccountEdit(account.ID), v.Say("Save")
		view.Back = ui.Link{Text: v.Say("Account"), Href: paths.Account(account.ID)}
	}
	for _, s := range sources {
		view.Sources = append(view.Sources, ui.Option{Value: string(s.source), Text: v.Say(s.text), Selected: s.source == account.Source})
	}
	for _, t := range types {
		view.Types = append(view.Types, ui.Option{Value: string(t.kind), Text: v.Say(t.text), Selected: t.kind == account.Type})
	}
	return v.Page(status, pages.AccountForm(view))
}

// ibanLike is how an IBAN begins.
var ibanLike = regexp.MustCompile(`^[A-Za-z]{2}[0-9]{2}`)

// read reads the parts of the form that an account and its changes have in common, and notes what is wrong.
func (f *accountForm) read(v *shell.Visitor) {
	f.problems = map[string]string{}
	f.account.Nickname, f.account.Institution = finance.Clean(v.Field("name")), finance.Clean(v.Field("institution"))
	for field, text := range map[string]string{"name": f.account.Nickname, "institution": f.account.Institution} {
		if n := utf8.RuneCountInString(text); n > finance.MaxAccountName {
			f.problems[field] = v.Say("Use %d characters at most. This name has %d.", finance.MaxAccountName, n)
		}
	}
	if f.account.Nickname == "" {
		f.problems["name"] = v.Say("Enter a name.")
	}
	f.account.Type = ""
	for _, t := range types {
		if string(t.kind) == v.Field("type") {
			f.account.Type = t.kind
		}
	}
	if f.account.Type == "" {
		f.account.Type = openbanking.CashAccountTypeOTHR
	}
	f.number = finance.Clean(v.Field("number"))
	f.account.IBAN, f.account.Number, f.account.Scheme = "", "", ""
	switch number, err := iban.Parse(f.number); {
	case f.number == "":
	case err == nil:
		f.account.IBAN = number.String()
	case ibanLike.MatchString(f.number):
		f.problems["number"] = words.In(v.Ctx()).Message(show.NumberProblem(err))
	case utf8.RuneCountInString(f.number) > 40:
		f.problems["number"] = v.Say("An account number has %d characters at most.", 40)
	default:
		f.account.Number, f.account.Scheme = f.number, openbanking.SchemeNameBBAN
	}
}

func (a *Area) createAccount(v *shell.Visitor) error {
	c := a.At(v.Ctx(), time.Now())
	f := accountForm{account: finance.Account{UserID: v.User.ID, Source: finance.SourceManual}, amount: v.Field("amount"), day: v.Field("day")}
	f.read(v)
	if v.Field("source") == string(finance.SourceValue) {
		f.account.Source = finance.SourceValue
	}
	f.account.Currency = strings.ToUpper(v.Field("currency"))
	currency := f.account.Currency
	if _, known := money.Exponent(currency); !known {
		f.problems["currency"] = v.Say("The currency must be a code of three letters, such as EUR.")
		currency = "EUR" // so that letters in the amount are said at once
	}
	var err error
	if f.first.Amount, err = finance.ParseBalance(f.amount, currency); err != nil {
		f.problems["amount"] = c.Message(show.AmountProblem(err))
	}
	var problem string
	if f.first.Day, problem = readDay(c, f.day); problem != "" {
		f.problems["day"] = problem
	}
	if len(f.problems) > 0 {
		return a.accountFormPage(v, http.StatusUnprocessableEntity, f)
	}
	id, err := a.Store.CreateAccount(v.Ctx(), f.account, f.first)
	if err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("%s is saved.", f.account.Nickname))
	v.SeeOther(paths.Account(id))
	return nil
}

func (a *Area) editAccount(v *shell.Visitor) error {
	account, err := a.kept(v)
	if err != nil {
		return err
	}
	return a.accountFormPage(v, http.StatusOK, accountForm{account: account, number: cmp.Or(show.Groups(account.IBAN), account.Number)})
}

func (a *Area) changeAccount(v *shell.Visitor) error {
	account, err := a.kept(v)
	if err != nil {
		return err
	}
	f := accountForm{account: account}
	f.read(v)
	if len(f.problems) > 0 {
		return a.accountFormPage(v, http.StatusUnprocessableEntity, f)
	}
	if err := a.Store.ChangeAccount(v.Ctx(), f.account); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("%s is saved.", f.account.Nickname))
	v.SeeOther(paths.Account(account.ID))
	return nil
}

func (a *Area) closeAccount(v *shell.Visitor) error {
	account, err := a.kept(v)
	if err != nil {
		return err
	}
	closed := v.Field("closed") == "yes"
	if err := a.Store.CloseAccount(v.Ctx(), v.User.ID, account.ID, closed); err != nil {
		return err
	}
	if closed {
		a.Flash(v, ui.Good, v.Say("%s is closed.", account.Nickname))
	} else {
		a.Flash(v, ui.Good, v.Say("%s is open again.", account.Nickname))
	}
	v.SeeOther(paths.Account(account.ID))
	return nil
}

// errClosed is a change of rows of an account that is closed, or that has none.
func errClosed(v *shell.Visitor, account finance.Account) error {
	return &shell.Problem{Status: http.StatusUnprocessableEntity, What: v.Say("This account takes no transactions."),
		Todo: v.Say("An account that is closed can be opened again."), Action: ui.Link{Text: v.Say("Open the account"), Href: paths.Account(account.ID)},
		Cause: errors.New("the account takes no rows")}
}
