package settling

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/money"
	core "florin/internal/settling"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// formID matches an id in a form, as made by finance.NewID.
var formID = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// typedCash is the submitted form for cash.
type typedCash struct{ id, currency, amount, problem string }

// asked returns the book and the person in the address: another user, or somebody who shares something with the visitor.
func (a *Area) asked(v *shell.Visitor) (reader, core.Person, error) {
	r, err := a.reader(v)
	if err != nil {
		return r, core.Person{}, err
	}
	id := v.Request.PathValue("sharer")
	i := slices.IndexFunc(r.book.People, func(p core.Person) bool { return p.ID == id && id != v.User.ID })
	if i < 0 {
		return r, core.Person{}, finance.ErrNotFound
	}
	return r, r.book.People[i], nil
}

// with shows what the visitor and another person owe each other.
func (a *Area) with(v *shell.Visitor) error {
	r, other, err := a.asked(v)
	if err != nil {
		return err
	}
	return a.withPage(v, http.StatusOK, r, other, typedCash{}, nil)
}

func (a *Area) withPage(v *shell.Visitor, status int, r reader, other core.Person, typed typedCash, notice *ui.Notice) error {
	view := pages.SettlingWithView{Frame: a.Frame(v), Name: other.Email, Person: other.ID, Notice: notice, Writes: r.member}
	view.Frame.Live = livePath(r.book)
	if other.Gone {
		view.Name, view.Gone = r.name(other.ID), v.Say("%s no longer uses this Florin. What you shared stays until you settle it.", other.Email)
	} else if r.member {
		view.New = paths.NewExpenseWith(other.ID)
	}
	to, err := a.Store.ReceivingAccount(v.Ctx(), other.ID)
	offered := err == nil && to.IBAN != ""
	if err != nil && !errors.Is(err, finance.ErrNotFound) {
		return err
	}
	mine, err := a.Store.ReceivingAccount(v.Ctx(), v.User.ID)
	if err != nil && !errors.Is(err, finance.ErrNotFound) {
		return err
	}
	for _, owed := range r.book.Ledger.Between(v.User.ID, other.ID) {
		d := pages.SettlingDebt{Currency: owed.Currency(), Amount: pages.Figure(owed.Abs()), Gives: owed.Sign() > 0, CashID: finance.NewID()}
		d.Cash = ui.Input{Name: "amount-" + owed.Currency(), Label: v.Say("Amount in %s", owed.Currency()), Type: "text", Mode: "decimal", Autocomplete: "off",
			Required: true}
		if !r.Language.Hides() {
			d.Cash.Value = r.Language.Typed(owed.Abs())
		}
		if typed.currency == owed.Currency() {
			d.CashID, d.Cash.Value, d.Cash.Problem = typed.id, typed.amount, typed.problem
		}
		switch {
		case d.Gives:
			d.Text, d.CashText, d.CashNote = v.Say("You owe %s", view.Name), v.Say("I paid it in cash"), v.Say("Did you give it in cash, or in another way? Both of you see it, and both can undo it.")
			d.Pay = offered && !other.Gone
			if !offered && !other.Gone {
				d.NoPay = v.Say("%s has not chosen an account for payments yet. Ask for one, or settle in cash.", other.Email)
			}
		default:
			d.Text, d.CashText, d.CashNote = v.Say("%s owes you", view.Name), v.Say("I got it in cash"), v.Say("Did you get it in cash, or in another way? Both of you see it, and both can undo it.")
			if r.member && mine.IBAN == "" {
				view.Receive = ui.Link{Text: v.Say("Choose the account to which others pay you"), Href: paths.SettlingAccount}
			}
		}
		view.Debts = append(view.Debts, d)
	}
	rows := r.between(other.ID)
	from, to2, pager := page(v, paths.SettlingWith(other.ID), len(rows))
	view.Rows, view.Pages = rows[from:to2], pager
	if len(rows) > pageRows {
		view.Total = v.Say("Rows %s to %s of %s.", strconv.Itoa(from+1), strconv.Itoa(to2), strconv.Itoa(len(rows)))
	}
	return v.Page(status, pages.SettlingWith(view))
}

// between returns the rows of what two people owe each other, and of settlements that do not count.
func (r reader) between(other string) []pages.SettlingRow {
	type dated struct {
		day string
		row pages.SettlingRow
	}
	var all []dated
	for _, line := range r.book.Between(other) {
		var row pages.SettlingRow
		if line.Expense != nil {
			row = r.expense(*line.Expense)
			row.Amount, row.Side = pages.Flow(line.Amount), r.Say("of %s", line.Expense.Amount.Abs())
		} else {
			row = r.settlement(*line.Settlement, other)
			row.Amount = pages.Flow(line.Amount)
		}
		all = append(all, dated{line.Day, row})
	}
	for _, s := range r.book.Settlements {
		if (s.From == other || s.To == other) && (s.From == r.book.Me || s.To == r.book.Me) && !s.Counts() && (s.State != core.Prepared || s.PaymentID != "") {
			all = append(all, dated{s.Created.UTC().Format("2006-01-02T15:04"), r.settlement(s, other)})
		}
	}
	slices.SortStableFunc(all, func(x, y dated) int {
		switch {
		case x.day > y.day:
			return -1
		case x.day < y.day:
			return 1
		}
		return 0
	})
	rows := make([]pages.SettlingRow, 0, len(all))
	for _, d := range all {
		rows = append(rows, d.row)
	}
	return rows
}

// cash records a payment in cash.
func (a *Area) cash(v *shell.Visitor) error {
	r, other, err := a.asked(v)
	if err != nil {
		return err
	}
	typed := typedCash{id: v.Field("id"), currency: v.Field("currency")}
	typed.amount = v.Field("amount-" + typed.currency)
	if !formID.MatchString(typed.id) {
		return incomplete(v)
	}
	if _, known := money.Exponent(typed.currency); !known {
		return incomplete(v)
	}
	amount, err := finance.ParseAmount(typed.amount, typed.currency)
	if err == nil && amount.Minor() > core.MaxMinor {
		err = &finance.AmountError{Err: money.ErrOverflow, Currency: typed.currency}
	}
	if err != nil {
		typed.problem = r.Message(show.AmountProblem(err))
		notice := &ui.Notice{Tone: ui.Bad, Title: v.Say("This cannot be saved"), Text: typed.problem}
		return a.withPage(v, http.StatusUnprocessableEntity, r, other, typed, notice)
	}
	s := core.Settlement{ID: typed.id, From: v.User.ID, To: other.ID, Amount: amount}
	if v.Field("direction") == "get" {
		s.From, s.To = s.To, s.From
	}
	if err := a.Store.AddSettlement(v.Ctx(), v.User.ID, s); err != nil {
		return err
	}
	a.reload(v, s.People())
	a.Flash(v, ui.Good, v.Say("%s is settled in cash. Both of you see it, and both can undo it.", amount))
	v.SeeOther(paths.SettlingWith(other.ID))
	return nil
}

func incomplete(v *shell.Visitor) error {
	return &shell.Problem{Status: http.StatusUnprocessableEntity, What: v.Say("The form is not complete, so nothing was saved."), Todo: v.Say("Open the form again."),
		Action: ui.Link{Text: v.Say("Shared expenses"), Href: paths.Settling}}
}

// pay prepares the payment that settles the visitor's debt to a person. It redirects to its review, or to its form when something is missing.
func (a *Area) pay(v *shell.Visitor) error {
	r, other, err := a.asked(v)
	if err != nil {
		return err
	}
	refuse := func(text words.Text, args ...any) error {
		return a.withPage(v, http.StatusUnprocessableEntity, r, other, typedCash{}, &ui.Notice{Tone: ui.Warning, Title: v.Say("No payment was prepared"), Text: v.Say(text, args...)})
	}
	s := core.Settlement{To: other.ID}
	currency := v.Field("currency")
	if v.Field("simplified") == "yes" {
		chains, err := r.book.Chains()
		if err != nil {
			return err
		}
		i := slices.IndexFunc(chains, func(c core.Chain) bool {
			return c.From == v.User.ID && c.To == other.ID && c.Amount.Currency() == currency
		})
		if i >= 0 {
			if s.Amount = chains[i].Amount; !chains[i].Direct() {
				s.Paths = chains[i].Paths
			}
		}
	} else {
		for _, owed := range r.book.Ledger.Between(v.User.ID, other.ID) {
			if owed.Currency() == currency {
				s.Amount = owed
			}
		}
	}
	if s.Amount.Sign() <= 0 {
		return refuse("You no longer owe this: it was settled or changed meanwhile.")
	}
	if other.Gone {
		return refuse("%s no longer uses this Florin. Settle it in another way, and enter it as cash.", other.Email)
	}
	to, err := a.Store.ReceivingAccount(v.Ctx(), other.ID)
	if errors.Is(err, finance.ErrNotFound) {
		return refuse("%s has not chosen an account for payments yet. Ask for one, or settle in cash.", other.Email)
	}
	if err != nil {
		return err
	}
	if s, err = a.Store.PrepareSettlement(v.Ctx(), v.User.ID, s, to); err != nil {
		return err
	}
	if s.PaymentID != "" {
		v.SeeOther(paths.PaymentReview(s.PaymentID))
		return nil
	}
	path, err := a.Payments.Settle(v, s, to)
	if err != nil {
		return err
	}
	a.reload(v, nil)
	v.SeeOther(path)
	return nil
}

// undo marks a settlement as not counting, or as counting again.
func (a *Area) undo(v *shell.Visitor) error {
	undone := v.Field("undone") == "yes"
	people, err := a.Store.UndoSettlement(v.Ctx(), v.User.ID, v.Request.PathValue("settlement"), undone)
	if err != nil {
		return err
	}
	a.reload(v, people)
	text := v.Say("The settlement counts again.")
	if undone {
		text = v.Say("The settlement is undone: what was owed is owed again. No money has moved.")
	}
	a.Flash(v, ui.Good, text)
	to := paths.Settling
	if with := v.Field("with"); slices.Contains(people, with) {
		to = paths.SettlingWith(with)
	}
	v.SeeOther(to)
	return nil
}
