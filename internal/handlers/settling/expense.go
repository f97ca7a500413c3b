package settling

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/money"
	"florin/internal/openbanking"
	core "florin/internal/settling"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// expenseForm is the form for an expense, as first shown or as submitted.
type expenseForm struct {
	core.Expense // the expense, as far as the submitted form could be understood

	text, day, amount, currency string
	in                          map[string]bool   // people whose box is ticked
	typed                       map[string]string // shares or amounts by person
	problems                    map[string]string // by field
	notice                      *ui.Notice
	chose                       bool // the person has just chosen another way to divide
}

func newForm() expenseForm {
	return expenseForm{in: map[string]bool{}, typed: map[string]string{}, problems: map[string]string{}}
}

// newExpense shows the form for a new expense: empty, with a person, or for a transaction.
func (a *Area) newExpense(v *shell.Visitor) error {
	r, err := a.reader(v)
	if err != nil {
		return err
	}
	f := newForm()
	query := v.Request.URL.Query()
	f.ID, f.Payer, f.Method, f.day = finance.NewID(), v.User.ID, core.Equally, string(r.Today())
	accounts, err := a.Store.Accounts(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	f.currency = finance.MainCurrency(v.User, accounts)
	if query.Get("transaction") != "" {
		known, err := a.ofTransaction(v, &f.Expense, query)
		if err != nil {
			return err
		}
		if known != "" {
			v.SeeOther(paths.Expense(known))
			return nil
		}
		f.text = f.Text
	}
	people := r.present(core.Expense{})
	with := query.Get("with")
	for _, p := range people {
		f.in[p.ID] = p.ID == v.User.ID || with == "" && len(people) == 2 || p.ID == with
	}
	return a.formPage(v, http.StatusOK, r, f)
}

// ofTransaction fills in the form from a transaction of the visitor. known is the id of the expense that the transaction already is; "" for none.
func (a *Area) ofTransaction(v *shell.Visitor, e *core.Expense, query url.Values) (known string, err error) {
	id, err := strconv.ParseInt(query.Get("transaction"), 10, 64)
	if err != nil {
		return "", finance.ErrNotFound
	}
	account, err := a.Store.Account(v.Ctx(), v.User.ID, query.Get("account"))
	if err != nil {
		return "", err
	}
	t, err := a.Store.Transaction(v.Ctx(), v.User.ID, account.ID, id)
	if err != nil {
		return "", err
	}
	if t.Amount.IsZero() {
		return "", finance.ErrNotFound
	}
	before, err := a.Store.ExpenseOf(v.Ctx(), v.User.ID, id)
	if err == nil {
		return before.ID, nil
	}
	if !errors.Is(err, finance.ErrNotFound) {
		return "", err
	}
	e.Payer, e.Amount, e.Date, e.AccountID, e.TransactionID, e.Booked = v.User.ID, t.Amount.Neg(), t.Date, account.ID, id, true
	if e.Date == "" {
		e.Date = openbanking.DateOf(t.FirstSeen)
	}
	text := []rune(a.At(v.Ctx(), t.FirstSeen).TransactionName(t.Title()))
	e.Text = string(text[:min(len(text), core.MaxText)])
	return "", nil
}

// present returns the people who can take part in an expense: all present users, and former users who take part already.
func (r reader) present(e core.Expense) []core.Person {
	people := slices.DeleteFunc(slices.Clone(r.book.People), func(p core.Person) bool { return p.Gone && !e.Takes(p.ID) })
	slices.SortStableFunc(people, func(x, y core.Person) int {
		switch {
		case x.ID == r.book.Me:
			return -1
		case y.ID == r.book.Me:
			return 1
		}
		return strings.Compare(x.Email, y.Email)
	})
	return people
}

// called returns how a form names a person.
func (r reader) called(id string) string {
	if id == r.book.Me {
		return r.Say("You")
	}
	return r.name(id)
}

// of returns own when id is the visitor, else others with the name of the person.
func (r reader) of(id string, own, others words.Text) string {
	if id == r.book.Me {
		return r.Say(own)
	}
	return r.Say(others, r.name(id))
}

// expense shows an expense: as a form, or read-only when it is deleted or the visitor may not change anything.
func (a *Area) expense(v *shell.Visitor) error {
	r, e, err := a.askedExpense(v)
	if err != nil {
		return err
	}
	f := newForm()
	f.Expense, f.text, f.day, f.currency = e, e.Text, string(e.Date), e.Amount.Currency()
	f.amount = r.Language.Typed(e.Amount.Abs())
	for _, s := range e.Shares {
		f.in[s.Person] = true
		switch e.Method {
		case core.ByShares:
			f.typed[s.Person] = strconv.FormatInt(s.Weight, 10)
		case core.ByAmounts:
			f.typed[s.Person] = r.Language.Typed(s.Amount.Abs())
		}
	}
	return a.formPage(v, http.StatusOK, r, f)
}

func (a *Area) askedExpense(v *shell.Visitor) (reader, core.Expense, error) {
	r, err := a.reader(v)
	if err != nil {
		return r, core.Expense{}, err
	}
	e, err := a.Store.Expense(v.Ctx(), v.User.ID, v.Request.PathValue("expense"))
	return r, e, err
}

// addExpense saves a new expense.
func (a *Area) addExpense(v *shell.Visitor) error {
	r, err := a.reader(v)
	if err != nil {
		return err
	}
	e := core.Expense{ID: v.Field("id")}
	if !formID.MatchString(e.ID) {
		return incomplete(v)
	}
	if v.Field("transaction") != "" {
		known, err := a.ofTransaction(v, &e, v.Request.PostForm)
		if err != nil {
			return err
		}
		if known != "" {
			v.SeeOther(paths.Expense(known))
			return nil
		}
	}
	return a.save(v, r, e)
}

// changeExpense saves the changes to an expense.
func (a *Area) changeExpense(v *shell.Visitor) error {
	r, e, err := a.askedExpense(v)
	if err != nil {
		return err
	}
	revision, err := strconv.Atoi(v.Field("revision"))
	if err != nil || revision < 1 {
		return incomplete(v)
	}
	e.Revision = revision
	return a.save(v, r, e)
}

// save reads the form and saves the expense. It shows the form again when something is wrong or when the person has chosen another way to divide.
func (a *Area) save(v *shell.Visitor, r reader, e core.Expense) error {
	f := r.read(v, e)
	if way, chosen := strings.CutPrefix(v.Field("do"), "how:"); chosen {
		if f.Method, f.chose = core.Method(way), true; !slices.Contains(core.Methods, f.Method) {
			return incomplete(v)
		}
		f.problems, f.notice = map[string]string{}, nil
		f.divideAnew(r)
		return a.formPage(v, http.StatusOK, r, f)
	}
	if len(f.problems) > 0 || f.notice != nil {
		return a.formPage(v, http.StatusUnprocessableEntity, r, f)
	}
	people, err := a.Store.SaveExpense(v.Ctx(), v.User.ID, f.Expense)
	switch {
	case errors.Is(err, store.ErrExpenseChanged):
		f.notice = &ui.Notice{Tone: ui.Warning, Title: v.Say("Somebody changed this expense meanwhile"), Text: v.Say("Nothing was saved. Open it again to see what changed."),
			Action: ui.Link{Text: v.Say("Open it again"), Href: paths.Expense(e.ID)}}
		return a.formPage(v, http.StatusConflict, r, f)
	case errors.Is(err, store.ErrExpenseTaken):
		return &shell.Problem{Status: http.StatusConflict, What: v.Say("This transaction is a shared expense already."), Todo: v.Say("Look at your shared expenses."),
			Action: ui.Link{Text: v.Say("Shared expenses"), Href: paths.Settling}}
	case err != nil:
		return err
	}
	a.reload(v, people)
	a.Flash(v, ui.Good, v.Say("The expense is saved. Everybody who shares it sees it."))
	v.SeeOther(paths.Settling)
	return nil
}

// read parses the form for an expense. Faults are shown at their fields.
func (r reader) read(v *shell.Visitor, e core.Expense) expenseForm {
	f := newForm()
	f.Expense, f.text, f.day, f.amount, f.currency = e, v.Field("text"), v.Field("day"), v.Field("amount"), v.Field("currency")
	f.Text, f.Method, f.Shares = finance.Clean(f.text), core.Method(v.Field("how")), nil
	if !slices.Contains(core.Methods, f.Method) {
		f.Method = core.Equally
		f.wrong(r, "Choose how it is divided.")
		return f
	}
	people := r.present(e)
	if !e.Booked {
		f.Payer = v.Field("payer")
		if !slices.ContainsFunc(people, func(p core.Person) bool { return p.ID == f.Payer }) {
			f.wrong(r, "Choose who paid from the list.")
			return f
		}
		day, err := finance.ParseDay(f.day)
		if f.Date = day; err != nil {
			f.problems["day"] = r.Message(show.DayProblem(err))
		}
		if f.Amount, err = finance.ParseAmount(f.amount, f.currency); err != nil {
			f.problems["amount"] = r.Message(show.AmountProblem(err))
		} else if e.Amount.Sign() < 0 {
			f.Amount = f.Amount.Neg()
		}
	} else {
		f.currency = e.Amount.Currency()
	}
	for _, p := range people {
		f.in[p.ID] = v.Field("in-"+p.ID) == "yes"
		f.typed[p.ID] = v.Field("part-" + p.ID)
		share := core.Share{Person: p.ID, Amount: money.FromMinor(0, f.currency)}
		switch text := f.typed[p.ID]; f.Method {
		case core.Equally:
			if f.in[p.ID] {
				f.Shares = append(f.Shares, share)
			}
		case core.ByShares:
			if text == "" || text == "0" {
				continue
			}
			weight, err := strconv.ParseInt(text, 10, 64)
			if err != nil || weight < 0 || weight > core.MaxWeight {
				f.problems["part-"+p.ID] = v.Say("Enter a whole number up to %d, or nothing.", core.MaxWeight)
				continue
			}
			share.Weight = weight
			f.Shares = append(f.Shares, share)
		case core.ByAmounts:
			amount, err := finance.ParseAmount(text, f.currency)
			if text == "" || errors.Is(err, finance.ErrZero) {
				continue
			}
			if err != nil {
				f.problems["part-"+p.ID] = r.Message(show.AmountProblem(err))
				continue
			}
			if share.Amount = amount; f.Amount.Sign() < 0 {
				share.Amount = amount.Neg()
			}
			f.Shares = append(f.Shares, share)
		}
	}
	if len(f.problems) > 0 {
		return f
	}
	divided, err := core.Divide(f.Expense)
	if err == nil && !divided.Takes(r.book.Me) {
		f.wrong(r, "You have no part in this expense: you neither paid nor have a share.")
	}
	switch f.Expense = divided; {
	case errors.Is(err, core.ErrNoText):
		f.problems["text"] = v.Say("Enter what it was for.")
	case errors.Is(err, core.ErrLongText):
		f.problems["text"] = v.Say("The text may have %d characters at most.", core.MaxText)
	case errors.Is(err, core.ErrNothing):
		f.problems["amount"] = v.Say("The amount must be more than zero.")
	case errors.Is(err, core.ErrTooMuch):
		f.problems["amount"] = v.Say("The amount is too large.")
	case errors.Is(err, core.ErrAlone), errors.Is(err, core.ErrWeight):
		f.wrong(r, "Nobody but the payer has a share. Choose with whom it is shared.")
	case errors.Is(err, core.ErrRest), errors.Is(err, core.ErrSign):
		f.wrongSum(r)
	case errors.Is(err, core.ErrPeople):
		f.wrong(r, "An expense has %d people at most.", core.MaxPeople)
	case err != nil: // a person takes part twice, which no form can produce
		f.wrong(r, "Choose with whom it is shared.")
	}
	return f
}

func (f *expenseForm) wrong(r reader, text words.Text, args ...any) {
	f.notice = &ui.Notice{Tone: ui.Bad, Title: r.Say("This cannot be saved"), Text: r.Say(text, args...)}
}

// wrongSum says by how much the amounts differ from the whole.
func (f *expenseForm) wrongSum(r reader) {
	rest := f.Amount.Abs()
	for _, s := range f.Shares {
		var err error
		if rest, err = rest.Sub(s.Amount.Abs()); err != nil {
			f.wrong(r, "The amounts must add up to the whole amount.")
			return
		}
	}
	if rest.Sign() < 0 {
		f.wrong(r, "The amounts are %s too much.", rest.Abs())
		return
	}
	f.wrong(r, "The amounts must add up to the whole amount. Still left: %s.", rest)
}

// divideAnew fills in the parts for another way to divide, for the people who took part before.
func (f *expenseForm) divideAnew(r reader) {
	before := f.Shares
	taking := map[string]bool{}
	for _, s := range before {
		taking[s.Person] = true
	}
	for id := range f.in {
		f.in[id] = taking[id]
	}
	f.typed = map[string]string{}
	if len(before) == 0 {
		return
	}
	equal := f.Expense
	equal.Method = core.Equally
	if equal.Text == "" {
		equal.Text = "x"
	}
	divided, err := core.Divide(equal)
	for _, s := range divided.Shares {
		switch {
		case f.Method == core.ByShares:
			f.typed[s.Person] = "1"
		case f.Method == core.ByAmounts && err == nil:
			f.typed[s.Person] = r.Language.Typed(s.Amount.Abs())
		}
	}
}

// ways are the titles and hints of the ways to divide.
var ways = map[core.Method]struct{ title, hint words.Text }{
	core.Equally:   {"Equally", "The same for everybody who is ticked. Cents that are left over are shared out one by one."},
	core.ByShares:  {"By shares", "In proportion to the numbers: somebody with 2 pays twice as much as somebody with 1. Leave it empty for anybody who has no share."},
	core.ByAmounts: {"By amounts", "What each person has to pay. Together it is the whole amount. Leave it empty for anybody who has no share."},
}

// formPage shows an expense with its form as filled in, and its faults.
func (a *Area) formPage(v *shell.Visitor, status int, r reader, f expenseForm) error {
	known := f.Revision > 0
	view := pages.ExpenseView{Frame: a.Frame(v), Title: v.Say("Add a shared expense"), Back: ui.Link{Text: v.Say("Shared expenses"), Href: paths.Settling}, Action: paths.NewExpense,
		Notice: f.notice, Save: v.Say("Save the expense"), How: string(f.Method), Form: r.member && !f.Deleted, Hidden: []pages.Hidden{{Name: "id", Value: f.ID}}}
	if known {
		view.Title, view.Action = f.Text, paths.Expense(f.ID)
		view.Hidden = append(view.Hidden, pages.Hidden{Name: "revision", Value: strconv.Itoa(f.Revision)})
		view.Changed = v.Say("Last changed by %s, %s.", r.names([]string{f.ChangedBy}), r.Brief(f.Changed))
		if view.Title == "" {
			view.Title = v.Say("Shared expense")
		}
	}
	if f.TransactionID != 0 {
		id := strconv.FormatInt(f.TransactionID, 10)
		view.Booking = paths.Transaction(f.AccountID, id)
		if !known {
			view.Back = ui.Link{Text: f.Text, Href: view.Booking}
			view.Hidden = append(view.Hidden, pages.Hidden{Name: "account", Value: f.AccountID}, pages.Hidden{Name: "transaction", Value: id})
		}
	}
	if f.Booked || !view.Form {
		view.Facts = r.facts(f.Expense, !view.Form)
	}
	if f.Deleted {
		view.Notice = &ui.Notice{Tone: ui.Info, Title: v.Say("This expense is deleted"), Text: v.Say("It no longer counts.")}
	}
	if known && r.member {
		if f.Deleted {
			view.Restore = paths.ExpenseDelete(f.ID)
		} else {
			view.Delete = paths.ExpenseDelete(f.ID)
		}
	}
	if err := a.byRule(v, r, f.Expense, &view); err != nil {
		return err
	}
	if view.Form {
		if err := a.fields(v, r, f, &view); err != nil {
			return err
		}
	}
	return v.Page(status, pages.Expense(view))
}

// byRule says that a rule shared the expense, with a link for the owner of the rule.
func (a *Area) byRule(v *shell.Visitor, r reader, e core.Expense, view *pages.ExpenseView) error {
	if e.Rule == "" {
		return nil
	}
	if e.Payer != v.User.ID {
		view.ByRule = v.Say("A rule of %s shared it.", r.name(e.Payer))
		return nil
	}
	_, err := a.Store.Rule(v.Ctx(), v.User.ID, e.Rule)
	if errors.Is(err, finance.ErrNotFound) {
		view.ByRule = v.Say("It was shared by a rule that you have since deleted.")
		return nil
	}
	view.ByRule, view.Rule = v.Say("Your rule shared it."), paths.Rule(e.Rule)
	return err
}

// facts returns the details of an expense: those from the bank, or with all set, all of them.
func (r reader) facts(e core.Expense, all bool) []ui.Fact {
	var facts show.Facts
	amount := r.Say("Amount")
	if e.Amount.Sign() < 0 {
		amount = r.Say("Amount that came back")
	}
	facts.Add(amount, r.Money(e.Amount.Abs()), "")
	facts.Add(r.Say("Date"), r.FullDay(e.Date), "")
	facts.Add(r.Say("Who paid"), r.called(e.Payer), "")
	if all {
		for _, s := range e.Shares {
			facts.Add(r.of(s.Person, "Your share", "Share of %s"), r.Money(s.Amount.Abs()), "")
		}
	}
	return facts
}

// fields fills in the fields of the form.
func (a *Area) fields(v *shell.Visitor, r reader, f expenseForm, view *pages.ExpenseView) error {
	view.Text = ui.Input{Name: "text", Label: v.Say("What it was for"), Type: "text", Value: f.text, Problem: f.problems["text"], Required: true, Autocomplete: "off", MaxLength: core.MaxText}
	people := r.present(f.Expense)
	if !f.Booked {
		view.Amount = &ui.Input{Name: "amount", Label: v.Say("Amount"), Type: "text", Mode: "decimal", Value: f.amount, Problem: f.problems["amount"], Required: true, Autocomplete: "off"}
		view.Day = &ui.Input{Name: "day", Label: v.Say("Date"), Type: "date", Value: f.day, Problem: f.problems["day"], Required: true}
		if _, err := openbanking.Date(f.day).Time(); err != nil && f.day != "" {
			view.Day.Type = "text" // a date field cannot show it
		}
		codes, err := a.currencies(v, f.currency)
		if err != nil {
			return err
		}
		for _, code := range codes {
			view.Choose = append(view.Choose, ui.Option{Value: code, Text: code, Selected: code == f.currency})
		}
		for _, p := range people {
			view.Payers = append(view.Payers, ui.Option{Value: p.ID, Text: r.called(p.ID), Selected: p.ID == f.Payer})
		}
	}
	for _, m := range core.Methods {
		view.Ways = append(view.Ways, pages.PayType{Value: "how:" + string(m), Title: v.Say(ways[m].title), Current: m == f.Method, Focus: f.chose && m == f.Method})
	}
	view.Hint = v.Say(ways[f.Method].hint)
	for _, p := range people {
		row := pages.ExpensePerson{Name: r.called(p.ID), In: f.in[p.ID]}
		if part := f.Part(p.ID); f.Revision > 0 && !part.IsZero() && f.Method != core.ByAmounts {
			row.Part = v.Say("share: %s", part.Abs())
		}
		switch f.Method {
		case core.ByShares:
			row.Field = &ui.Input{Name: "part-" + p.ID, Label: r.of(p.ID, "Your shares", "Shares of %s"), Type: "text", Mode: "numeric"}
		case core.ByAmounts:
			row.Field = &ui.Input{Name: "part-" + p.ID, Label: r.of(p.ID, "Your amount", "Amount of %s"), Type: "text", Mode: "decimal"}
		default:
			row.Check = "in-" + p.ID
		}
		if row.Field != nil {
			row.Field.Value, row.Field.Problem, row.Field.Autocomplete = f.typed[p.ID], f.problems[row.Field.Name], "off"
		}
		view.People = append(view.People, row)
	}
	return nil
}

// currencies returns the currencies to choose from: those of the visitor's accounts and of shared expenses, and the most common ones.
func (a *Area) currencies(v *shell.Visitor, chosen string) ([]string, error) {
	codes := []string{"EUR", "CHF", "GBP", "USD", "CZK", "DKK", "HUF", "NOK", "PLN", "RON", "SEK"}
	accounts, err := a.Store.Accounts(v.Ctx(), v.User.ID)
	if err != nil {
		return nil, err
	}
	for _, account := range accounts {
		codes = append(codes, account.Currency)
	}
	codes = append(codes, v.User.Currency)
	if _, known := money.Exponent(chosen); known {
		codes = append(codes, chosen)
	}
	slices.Sort(codes)
	return slices.DeleteFunc(slices.Compact(codes), func(code string) bool {
		_, known := money.Exponent(code)
		return !known
	}), nil
}

// deleteExpense removes an expense from all sums, or restores it.
func (a *Area) deleteExpense(v *shell.Visitor) error {
	id, deleted := v.Request.PathValue("expense"), v.Field("deleted") == "yes"
	people, err := a.Store.DeleteExpense(v.Ctx(), v.User.ID, id, deleted)
	if err != nil {
		return err
	}
	a.reload(v, people)
	if deleted {
		a.Flash(v, ui.Good, v.Say("The expense is deleted. You can restore it."))
	} else {
		a.Flash(v, ui.Good, v.Say("The expense counts again."))
	}
	v.SeeOther(paths.Expense(id))
	return nil
}
