package budgets

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	core "florin/internal/budgets"
	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/money"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// list shows a month of budgets.
func (a *Area) list(v *shell.Visitor) error {
	m, err := a.asked(v)
	if err != nil {
		return err
	}
	return a.listPage(v, http.StatusOK, m, m.proposals(nil))
}

// listPage shows a month; start is what is proposed where there are no budgets.
func (a *Area) listPage(v *shell.Visitor, status int, m *month, start pages.BudgetStart) error {
	view := pages.BudgetsView{Frame: a.Frame(v), Month: m.name(m.is), Days: m.days(), Whose: m.whose.Choice,
		Earlier:  m.page(paths.BudgetMonth(string(m.is.Plus(-1)))),
		New:      paths.NewBudgetFor(string(m.is), "", ""),
		FirstDay: m.firstDays()}
	if m.is < m.current.Plus(monthsAhead) {
		view.Later = m.page(paths.BudgetMonth(string(m.is.Plus(1))))
	}
	if len(m.plan.Budgets) == 0 {
		view.Start = &start
	}
	for _, currency := range m.statement.Currencies() {
		total, _ := m.statement.Total(currency)
		of := sum(total.Available(), currency)
		t := pages.BudgetTotal{Spent: figure(total.Spent, currency), Rows: m.rows(m.covered(currency)), Of: m.Say("of %s", of), Notes: []string{m.left(total)},
			Bar: m.bar(total)}
		if pace := m.pace(total); pace != "" {
			t.Notes = append(t.Notes, pace)
		}
		view.Totals = append(view.Totals, t)
		if income, known := m.history.Income(m.is, currency); known && total.Assigned > income {
			view.Notices = append(view.Notices, ui.Notice{Tone: ui.Warning, Title: m.Say("Your budgets are more than your income"),
				Text: m.Say("Together they are %s. About %s a month comes in, judging by the last months and what has come in so far.", sum(total.Assigned, currency), sum(income, currency))})
		}
	}
	for _, g := range append(slices.Clone(categories.Groups), "") {
		section := pages.BudgetSection{Name: cmp.Or(m.groupName(g), m.Say("Other budgets"))}
		for _, l := range m.statement.Lines {
			if m.groupOf(l.Target) == g {
				section.Lines = append(section.Lines, m.line(l))
			}
		}
		if len(section.Lines) > 0 {
			view.Groups = append(view.Groups, section)
		}
	}
	for _, r := range m.statement.Rest {
		if r.Out <= 0 {
			continue
		}
		row := pages.BudgetRest{Name: m.Say("No category"), Spent: figure(r.Out, r.Currency), Rows: m.rows([]string{r.Category})}
		if own, known := m.book.ByID(r.Category); known {
			row.Name = m.Category(own)
			if _, mine := m.own.ByID(r.Category); mine {
				row.New = paths.NewBudgetFor(string(m.is), r.Category, r.Currency)
			}
		}
		view.Rest = append(view.Rest, row)
	}
	view.Frame.Live = m.whose.Live()
	return v.Page(status, pages.Budgets(view))
}

func (m *month) groupName(g categories.Group) string {
	if g == "" {
		return ""
	}
	return m.CategoryGroup(g)
}

// typed is a proposal as it was filled in.
type typed struct {
	used    bool
	amount  string
	problem string
}

// proposals returns the budgets that Florin proposes at first. given holds the form as the person filled it in; nil for a new form.
func (m *month) proposals(given map[string]typed) pages.BudgetStart {
	view := pages.BudgetStart{Months: m.Say("Proposed from what you spent on average in the last %d months. Nothing is saved before you agree. You can change each amount later.", core.Span)}
	for i, p := range m.history.Propose(m.is, unit) {
		own, _ := m.book.ByID(p.Category)
		amount := money.FromMinor(p.Minor, p.Currency)
		as, known := given[key(p)]
		if !known {
			as = typed{used: given == nil, amount: m.Language.Typed(amount)}
		}
		view.Proposals = append(view.Proposals, pages.BudgetProposal{Value: key(p), Name: m.Category(own), Used: as.used,
			Amount: ui.Input{Name: "amount-" + strconv.Itoa(i+1), Label: m.Say("Amount in %s", p.Currency), Type: "text", Mode: "decimal", Value: as.amount, Problem: as.problem, Autocomplete: "off"}})
	}
	return view
}

func key(p core.Proposed) string { return p.Category + " " + p.Currency }

// unit is how many minor units a unit of a currency has.
func unit(currency string) int64 {
	exponent, _ := money.Exponent(currency)
	minor := int64(1)
	for range exponent {
		minor *= 10
	}
	return minor
}

// start saves those of the proposed budgets that the person wants.
func (a *Area) start(v *shell.Visitor) error {
	m, err := a.asked(v)
	if err != nil {
		return err
	}
	var all []core.Budget
	given, wrong := map[string]typed{}, false
	for i, p := range m.history.Propose(m.is, unit) {
		as := typed{used: slices.Contains(v.Request.PostForm["use"], key(p)), amount: v.Field("amount-" + strconv.Itoa(i+1))}
		if as.used {
			minor, problem := m.amount(as.amount, p.Currency)
			as.problem, wrong = problem, wrong || problem != ""
			all = append(all, core.Budget{ID: finance.NewID(), Target: core.Target{Category: p.Category}, Currency: p.Currency, From: m.is,
				Assigned: map[core.Month]int64{m.is: minor}})
		}
		given[key(p)] = as
	}
	if wrong || len(all) == 0 {
		view := m.proposals(given)
		if view.Problem = m.Say("Choose at least one budget."); wrong {
			view.Problem = m.Say("Correct the amounts that are marked.")
		}
		return a.listPage(v, http.StatusUnprocessableEntity, m, view)
	}
	if err := a.Store.AddBudgets(v.Ctx(), v.User.ID, all...); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("%d budgets are saved.", len(all)))
	v.SeeOther(paths.Budgets)
	return nil
}

// amount reads what a budget is to have; nothing is an amount, too. problem says what is wrong with it.
func (m *month) amount(text, currency string) (minor int64, problem string) {
	amount, err := finance.ParseAmount(text, currency)
	if e, known := errors.AsType[*finance.AmountError](err); known && errors.Is(err, finance.ErrZero) && !e.Minus {
		return 0, ""
	}
	if err != nil {
		return 0, m.Message(show.AmountProblem(err))
	}
	return amount.Minor(), ""
}

// firstDays is the choice of the day on which months begin.
func (m *month) firstDays() pages.BudgetFirstDay {
	next := m.current.Plus(1)
	view := pages.BudgetFirstDay{From: m.Say("Choose the day on which you are paid. Another day applies from %s on; earlier months stay as they are.", m.name(next))}
	if len(m.plan.Budgets) == 0 {
		view.From = m.Say("Choose the day on which you are paid. A month that begins after the 15th has the name of the next one.")
	}
	chosen := m.plan.Calendar.First(next)
	for day := core.FirstDay(1); day <= core.LastFirstDay; day++ {
		view.Days = append(view.Days, ui.Option{Value: strconv.Itoa(int(day)), Text: m.Say("Day %d of the month", int(day)), Selected: day == chosen})
	}
	view.Days = append(view.Days, ui.Option{Value: strconv.Itoa(int(core.LastWorkingDay)), Text: m.Say("Last day of the month from Monday to Friday"), Selected: chosen == core.LastWorkingDay})
	return view
}

// firstDay sets on which day months begin: from the next month on, or from the beginning while there are no budgets.
func (a *Area) firstDay(v *shell.Visitor) error {
	m, err := a.asked(v)
	if err != nil {
		return err
	}
	day, err := strconv.Atoi(v.Field("first"))
	if err != nil || !core.FirstDay(day).Valid() {
		return &shell.Problem{Status: http.StatusBadRequest, What: v.Say("A month cannot begin on this day."), Todo: v.Say("Choose a day from the list.")}
	}
	change := core.Change{From: m.current.Plus(1), First: core.FirstDay(day)}
	if len(m.plan.Budgets) == 0 {
		change.From = "1900-01"
	}
	if err := a.Store.SetFirstDay(v.Ctx(), v.User.ID, change); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("The first day is saved."))
	v.SeeOther(paths.Budgets)
	return nil
}

// newBudget shows the form for a budget.
func (a *Area) newBudget(v *shell.Visitor) error {
	m, err := a.asked(v)
	if err != nil {
		return err
	}
	for_, currency := v.Request.FormValue("for"), v.Request.FormValue("currency")
	view := m.form(for_, currency)
	if usual := m.history.Usual(m.is, []string{for_}, view.Currency); usual.Months > 0 && usual.Average > 0 && !m.Language.Hides() {
		view.Amount.Value = m.Language.Typed(sum(usual.Average, view.Currency))
		view.Amount.Hint = m.usual(usual, view.Currency)
	}
	view.Frame = a.Frame(v)
	return v.Page(http.StatusOK, pages.NewBudget(view))
}

// usual says what was spent before.
func (m *month) usual(u core.Usual, currency string) string {
	return m.Say("Last month: %s. On average of %d months: %s.", sum(max(u.Last, 0), currency), u.Months, sum(u.Average, currency))
}

// groupPrefix begins the value of the field "for" of a group.
const groupPrefix = "group:"

// form is the form for a budget.
func (m *month) form(target, currency string) pages.NewBudgetView {
	view := pages.NewBudgetView{Back: ui.Link{Text: m.Say("Budgets"), Href: paths.BudgetMonth(string(m.is))}, Month: string(m.is), Groups: m.targets(target)}
	currencies := m.currencies()
	if !slices.Contains(currencies, currency) {
		currency = currencies[0]
	}
	view.Currency = currency
	if len(currencies) > 1 {
		for _, c := range currencies {
			view.Currencies = append(view.Currencies, ui.Option{Value: c, Text: c, Selected: c == currency})
		}
	}
	view.Amount = ui.Input{Name: "amount", Label: m.Say("Amount for a month"), Type: "text", Mode: "decimal", Required: true, Autocomplete: "off"}
	return view
}

// targets are the categories and groups that a budget can be for.
func (m *month) targets(chosen string) []pages.CategoryGroup {
	all := m.CategoryChoice(slices.DeleteFunc(slices.Clone(m.own), func(own categories.Own) bool { return !core.Spending(own) }), chosen)
	for _, g := range categories.Groups {
		if g == categories.GroupIncome {
			continue
		}
		value, at := groupPrefix+string(g), slices.IndexFunc(all, func(choice pages.CategoryGroup) bool { return choice.Name == m.CategoryGroup(g) })
		option := ui.Option{Value: value, Text: m.target(core.Target{Group: g}), Selected: value == chosen}
		if at >= 0 {
			all[at].Options = append(all[at].Options, option)
		}
	}
	return all
}

// currencies are those in which money is spent, the most frequent first; EUR when there are none.
func (m *month) currencies() []string {
	if all := m.history.Currencies(); len(all) > 0 {
		return all
	}
	return []string{"EUR"}
}

// addBudget saves a budget.
func (a *Area) addBudget(v *shell.Visitor) error {
	m, err := a.asked(v)
	if err != nil {
		return err
	}
	view := m.form(v.Field("for"), v.Field("currency"))
	view.Amount.Value = v.Field("amount")
	target, known := m.typedTarget(v.Field("for"))
	minor, problem := m.amount(view.Amount.Value, view.Currency)
	view.Amount.Problem = problem
	switch {
	case !known:
		view.Problem = v.Say("Choose a category.")
	case slices.ContainsFunc(m.statement.Lines, func(l core.Line) bool { return l.Target == target && l.Currency == view.Currency }):
		view.Problem = v.Say("There is a budget for this already. Change its amount instead.")
	case problem == "":
		b := core.Budget{ID: finance.NewID(), Target: target, Currency: view.Currency, From: m.is, Assigned: map[core.Month]int64{m.is: minor},
			Carry: map[core.Month]core.Carry{m.is: {Left: v.Field("left") != "", Overspent: v.Field("overspent") != ""}}}
		err := a.Store.AddBudgets(v.Ctx(), v.User.ID, b)
		if err == nil {
			a.Flash(v, ui.Good, v.Say("The budget is saved."))
			v.SeeOther(paths.BudgetMonth(string(m.is)))
			return nil
		}
		if !errors.Is(err, store.ErrTooManyBudgets) {
			return err
		}
		view.Problem = v.Say("You have %d budgets, and there is no room for more.", store.MaxBudgets)
	}
	view.Frame = a.Frame(v)
	return v.Page(http.StatusUnprocessableEntity, pages.NewBudget(view))
}

// typedTarget is what a budget is for, as the form has it.
func (m *month) typedTarget(value string) (core.Target, bool) {
	for _, g := range m.targets("") {
		for _, option := range g.Options {
			if option.Value != value || value == "" {
				continue
			}
			if group, is := strings.CutPrefix(value, groupPrefix); is {
				return core.Target{Group: categories.Group(group)}, true
			}
			return core.Target{Category: value}, true
		}
	}
	return core.Target{}, false
}
