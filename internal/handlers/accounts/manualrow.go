package accounts

import (
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// How long the payee and the text of a written transaction are at most, in characters: as banks have them.
const (
	maxPayee = 140
	maxText  = 500
)

// Values of the form field "direction".
const (
	moneyOut = "out"
	moneyIn  = "in"
)

// rowForm is what the form of a transaction holds, as typed, and what is wrong with it.
type rowForm struct {
	direction, amount, day, payee, text string
	problems                            map[string]string // by the name of the field
}

func (a *Area) newRow(v *shell.Visitor) error {
	account, err := a.keptOpen(v)
	if err != nil {
		return err
	}
	return a.rowPage(v, http.StatusOK, account, 0, rowForm{day: string(a.At(v.Ctx(), time.Now()).Today())})
}

// keptOpen is the account that the address names, which takes transactions.
func (a *Area) keptOpen(v *shell.Visitor) (finance.Account, error) {
	account, err := a.kept(v)
	if err == nil && (!account.Open() || account.Source != finance.SourceManual) {
		err = errClosed(v, account)
	}
	return account, err
}

// rowPage shows the form of a transaction, or of a new one without id.
func (a *Area) rowPage(v *shell.Visitor, status int, account finance.Account, id int64, f rowForm) error {
	c := a.At(v.Ctx(), time.Now())
	view := pages.RowFormView{Frame: a.Frame(v), Title: v.Say("Add a transaction"), Action: paths.NewTransaction(account.ID),
		Back: ui.Link{Text: c.AccountName(account), Href: paths.Account(account.ID)},
		Directions: []ui.Option{{Value: moneyOut, Text: v.Say("Money out"), Selected: f.direction != moneyIn},
			{Value: moneyIn, Text: v.Say("Money in"), Selected: f.direction == moneyIn}},
		Amount: amountInput(v.Say("Amount in %s", account.Currency), f.amount, f.problems["amount"]), Day: dayInput(c, f.day, f.problems["day"]),
		Payee: ui.Input{Name: "payee", Label: v.Say("With whom"), Type: "text", Value: f.payee, Problem: f.problems["payee"], Autocomplete: "off", MaxLength: maxPayee,
			Hint: v.Say("A shop or a person.")},
		Text: ui.Input{Name: "text", Label: v.Say("Text"), Type: "text", Value: f.text, Problem: f.problems["text"], Autocomplete: "off", MaxLength: maxText},
	}
	view.Amount.Mode, view.Amount.Autofocus = "decimal", id == 0 && status == http.StatusOK
	if id != 0 {
		written := strconv.FormatInt(id, 10)
		view.Title, view.Action, view.Delete = v.Say("Change the transaction"), paths.TransactionEdit(account.ID, written), paths.TransactionDelete(account.ID, written)
		view.Back = ui.Link{Text: v.Say("Transaction"), Href: paths.Transaction(account.ID, written)}
	}
	return v.Page(status, pages.RowForm(view))
}

// read reads the form into a row of the account.
func (f *rowForm) read(v *shell.Visitor, c show.Clock, account finance.Account) finance.WrittenRow {
	*f = rowForm{direction: v.Field("direction"), amount: v.Field("amount"), day: v.Field("day"), payee: finance.Clean(v.Field("payee")), text: finance.Clean(v.Field("text")),
		problems: map[string]string{}}
	w := finance.WrittenRow{Counterparty: f.payee}
	if f.text != "" {
		w.Lines = []string{f.text}
	}
	var err error
	if w.Amount, err = finance.ParseAmount(f.amount, account.Currency); err != nil {
		f.problems["amount"] = c.Message(show.AmountProblem(err))
	}
	if f.direction != moneyIn {
		w.Amount = w.Amount.Neg()
	}
	var problem string
	if w.BookingDate, problem = readDay(c, f.day); problem != "" {
		f.problems["day"] = problem
	}
	for _, field := range []struct {
		name, text string
		most       int
	}{{"payee", f.payee, maxPayee}, {"text", f.text, maxText}} {
		if n := utf8.RuneCountInString(field.text); n > field.most {
			f.problems[field.name] = c.Say("Use %d characters at most. This text has %d.", field.most, n)
		}
	}
	if f.payee == "" && f.text == "" {
		f.problems["payee"] = c.Say("Enter who it was with, or a text.")
	}
	return w
}

func (a *Area) addRow(v *shell.Visitor) error {
	account, err := a.keptOpen(v)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	var f rowForm
	w := f.read(v, c, account)
	if len(f.problems) > 0 {
		return a.rowPage(v, http.StatusUnprocessableEntity, account, 0, f)
	}
	e, err := w.Entry(c.Today())
	if err != nil {
		return err
	}
	if _, err := a.Store.AddRow(v.Ctx(), v.User.ID, account.ID, e); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("The transaction is saved."))
	v.SeeOther(paths.Account(account.ID))
	return nil
}

// written is the transaction that the address names, in an account that takes changes.
func (a *Area) written(v *shell.Visitor) (account finance.Account, t finance.TransactionRecord, err error) {
	if account, err = a.keptOpen(v); err != nil {
		return account, t, err
	}
	id, err := strconv.ParseInt(v.Request.PathValue("written"), 10, 64)
	if err != nil {
		return account, t, finance.ErrNotFound
	}
	t, err = a.Store.Transaction(v.Ctx(), v.User.ID, account.ID, id)
	return account, t, err
}

func (a *Area) editRow(v *shell.Visitor) error {
	account, t, err := a.written(v)
	if err != nil {
		return err
	}
	f := rowForm{direction: moneyIn, amount: a.At(v.Ctx(), time.Now()).Figure(t.Amount.Abs()), day: string(t.Date), payee: t.Counterparty,
		text: strings.Join(t.Record.RemittanceInformation, " ")}
	if t.Amount.Sign() < 0 {
		f.direction = moneyOut
	}
	return a.rowPage(v, http.StatusOK, account, t.ID, f)
}

// changeRow keeps what the form does not have, as the reference of a row that was imported.
func (a *Area) changeRow(v *shell.Visitor) error {
	account, t, err := a.written(v)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	var f rowForm
	w := f.read(v, c, account)
	if len(f.problems) > 0 {
		return a.rowPage(v, http.StatusUnprocessableEntity, account, t.ID, f)
	}
	w.CounterpartyAccount, w.Kind, w.Reference = t.CounterpartyAccount, t.Kind, show.Text(t.Record.EntryReference)
	e, err := w.Entry(c.Today())
	if err != nil {
		return err
	}
	unsplit, err := a.Store.ChangeRow(v.Ctx(), v.User.ID, account.ID, t.ID, e)
	if err != nil {
		return err
	}
	if unsplit {
		a.Flash(v, ui.Warning, v.Say("The transaction is saved. It is no longer split: its parts did not add up to the new amount."))
	} else {
		a.Flash(v, ui.Good, v.Say("The transaction is saved."))
	}
	v.SeeOther(paths.Transaction(account.ID, strconv.FormatInt(t.ID, 10)))
	return nil
}

func (a *Area) deleteRow(v *shell.Visitor) error {
	account, t, err := a.written(v)
	if err != nil {
		return err
	}
	if err := a.Store.DeleteRow(v.Ctx(), v.User.ID, account.ID, t.ID); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("The transaction is deleted."))
	v.SeeOther(paths.Account(account.ID))
	return nil
}
