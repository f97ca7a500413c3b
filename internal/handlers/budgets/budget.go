package budgets

import (
	"net/http"
	"slices"
	"strings"

	core "florin/internal/budgets"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// problems are what is wrong with the forms of a budget, with what was typed.
type problems struct{ amount, amountIs, move, moveIs, goal, goalIs, due string }

// askedBudget reads the line of the budget in the address in the month that is asked for. finance.ErrNotFound when it is not there.
func (a *Area) askedBudget(v *shell.Visitor) (*month, core.Line, error) {
	m, err := a.asked(v)
	if err != nil {
		return nil, core.Line{}, err
	}
	l, known := m.lineOf(v.Request.PathValue("budget"))
	if !known {
		return nil, core.Line{}, finance.ErrNotFound
	}
	return m, l, nil
}

// lineOf is the line of a budget in the month; false when there is none.
func (m *month) lineOf(id string) (core.Line, bool) {
	i := slices.IndexFunc(m.statement.Lines, func(l core.Line) bool {
		return slices.ContainsFunc(l.Budgets, func(b core.Budget) bool { return b.ID == id })
	})
	if i < 0 {
		return core.Line{}, false
	}
	return m.statement.Lines[i], true
}

// budget shows a budget in a month.
func (a *Area) budget(v *shell.Visitor) error {
	m, l, err := a.askedBudget(v)
	if err != nil {
		return err
	}
	return a.budgetPage(v, m, l, problems{})
}

func (a *Area) budgetPage(v *shell.Visitor, m *month, l core.Line, wrong problems) error {
	view := pages.BudgetView{Frame: a.Frame(v), ID: l.Budgets[0].ID, Title: m.target(l.Target),
		Back:  ui.Link{Text: m.Say("Budgets of %s", m.name(m.is)), Href: paths.BudgetMonth(string(m.is))},
		Month: m.name(m.is), Value: string(m.is), Notices: m.notices(l), Line: m.line(l), CarryLeft: l.Budgets[0].CarryIn(m.is).Left,
		CarryOver: l.Carry.Overspent,
		Facts: []pages.BudgetFact{{Name: m.Say("From the month before"), Amount: figure(l.Carried, l.Currency)}, {Name: m.Say("Set for this month"), Amount: figure(l.Assigned, l.Currency)},
			{Name: m.Say("Moved from other budgets"), Amount: figure(l.Moved, l.Currency)}, {Name: m.Say("Spent"), Amount: figure(l.Spent, l.Currency), Rows: m.rows(l.Covers)},
			{Name: m.Say("Left"), Amount: figure(l.Left, l.Currency)}}}
	if l.Dropped != 0 && m.is < m.current {
		view.Facts = append(view.Facts, pages.BudgetFact{Name: m.Say("Not carried over"), Amount: figure(l.Dropped, l.Currency)})
	}
	view.Amount = m.input("amount", m.Say("Amount in %s", l.Currency), wrong.amountIs, wrong.amount)
	if wrong.amount == "" {
		view.Amount.Value = m.Language.Typed(sum(l.Assigned, l.Currency))
	}
	view.Holds = m.Say("Applies from %s on, until you set another amount.", m.name(m.is))
	if m.is < m.current {
		view.Holds = m.Say("This month is over: only %s changes.", m.name(m.is))
	}
	m.propose(&view, l)
	m.movable(&view, l, wrong)
	m.saving(&view, l, wrong)
	end, ends := words.Text("End this budget"), words.Msg("From %s on, there is no budget for this. Earlier months keep theirs.", m.name(m.is))
	if !slices.ContainsFunc(l.Budgets, func(b core.Budget) bool { return b.From < m.is }) {
		end, ends = "Delete this budget", words.Msg("It began this month, so nothing of it remains.")
	}
	view.End, view.Ends = m.Say(end), m.Message(ends)
	status := http.StatusOK
	if wrong != (problems{}) {
		status = http.StatusUnprocessableEntity
	}
	return v.Page(status, pages.Budget(view))
}

// input is a field for an amount.
func (m *month) input(name, label, value, problem string) ui.Input {
	return ui.Input{Name: name, Label: label, Type: "text", Mode: "decimal", Autocomplete: "off", Value: value, Problem: problem}
}

// notices says which categories of the budget were merged or archived, and when its figures are too large to add up.
func (m *month) notices(l core.Line) []ui.Notice {
	var all []ui.Notice
	for _, b := range l.Budgets {
		if own, known := m.book.ByID(b.Category); known && b.Category != l.Category {
			all = append(all, ui.Notice{Tone: ui.Info, Title: m.Say("%s was merged into %s", m.Category(own), m.target(l.Target)), Text: m.Say("Its budget counts here, in all months.")})
		}
	}
	if m.mark(l) != "" {
		all = append(all, ui.Notice{Tone: ui.Info, Title: m.Say("%s is archived", m.target(l.Target)), Text: m.Say("Its transactions still count. End the budget if you no longer need it.")})
	}
	if l.TooLarge {
		all = append(all, ui.Notice{Tone: ui.Warning, Title: m.Say("The figures are too large to add up."), Text: m.Say("The other budgets are not affected.")})
	}
	if l.Category == "" {
		var names []string
		for _, id := range l.Covers {
			if own, known := m.book.ByID(id); known && !own.Archived {
				names = append(names, m.Category(own))
			}
		}
		if most := 12; len(names) > most {
			names = append(names[:most], m.Say("%d others", len(names)-most))
		}
		if names != nil {
			all = append(all, ui.Notice{Tone: ui.Info, Text: m.Say("This budget is for %s. Categories of the group with a budget of their own do not count here.", m.List(names))})
		}
	}
	return all
}

// propose offers amounts for one click: what was spent before, and what a bill needs.
func (m *month) propose(view *pages.BudgetView, l core.Line) {
	u := m.history.Usual(m.is, l.Covers, l.Currency)
	offer := func(minor int64, text string) {
		if minor > 0 && minor != l.Assigned {
			view.Proposals = append(view.Proposals, pages.BudgetChoice{Value: m.Language.Typed(sum(minor, l.Currency)), Text: text})
		}
	}
	offer(u.Last, m.Say("As spent last month: %s", sum(max(u.Last, 0), l.Currency)))
	if u.Months > 1 {
		offer(u.Average, m.Say("Average of %d months: %s", u.Months, sum(max(u.Average, 0), l.Currency)))
	}
	need := l.Save(m.is)
	offer(need, m.Say("For the bill: %s", sum(need, l.Currency)))
}

// movable offers to take money from budgets that have some left, or to give them some.
func (m *month) movable(view *pages.BudgetView, l core.Line, wrong problems) {
	view.MoveID = finance.NewID()
	amount := max(l.Left, -l.Left)
	view.MoveAmount = m.input("moved", m.Say("Amount to move in %s", l.Currency), wrong.moveIs, wrong.move)
	if wrong.move == "" && amount > 0 {
		view.MoveAmount.Value = m.Language.Typed(sum(amount, l.Currency))
	}
	for _, o := range m.others(l) {
		name, id := m.target(o.Target), o.Budgets[0].ID
		if o.Left > 0 {
			view.Moves = append(view.Moves, pages.BudgetChoice{Value: "from " + id, Text: m.Say("From %s (%s left)", name, sum(o.Left, o.Currency))})
		}
		if l.Left > 0 {
			view.Moves = append(view.Moves, pages.BudgetChoice{Value: "to " + id, Text: m.Say("To %s (%s)", name, m.left(o))})
		}
	}
}

// saving shows the bill that a budget saves up for.
func (m *month) saving(view *pages.BudgetView, l core.Line, wrong problems) {
	view.GoalAmount = m.input("bill", m.Say("Amount of the bill in %s", l.Currency), wrong.goalIs, wrong.goal)
	due := core.Month(wrong.due)
	if wrong.goal == "" && l.Goal.Minor > 0 {
		view.GoalAmount.Value, due = m.Language.Typed(sum(l.Goal.Minor, l.Currency)), l.Goal.By
		if l.Goal.By >= m.is {
			view.GoalNote = m.goalNote(l)
		} else {
			view.GoalNote = m.Say("The bill was due in %s. Set the next one, or empty the amount.", m.name(l.Goal.By))
		}
	}
	for month := m.is; month <= m.is.Plus(24); month = month.Plus(1) {
		view.GoalMonths = append(view.GoalMonths, ui.Option{Value: string(month), Text: m.name(month), Selected: month == due})
	}
}

// changed returns the budgets of a line without amounts and carries, ready to be saved with a change.
func changed(l core.Line) []core.Budget {
	all := slices.Clone(l.Budgets)
	for i := range all {
		all[i].Assigned, all[i].Carry = nil, nil
	}
	return all
}

// saved ends a change of a budget.
func (a *Area) saved(v *shell.Visitor, m *month, l core.Line, all []core.Budget, done string) error {
	if err := a.Store.SaveBudgets(v.Ctx(), v.User.ID, all...); err != nil {
		return err
	}
	a.Flash(v, ui.Good, done)
	v.SeeOther(paths.BudgetIn(l.Budgets[0].ID, string(m.is)))
	return nil
}

// assign sets the amount of a budget. Where several budgets are one line, since their categories were merged, the first one has all of it from now on.
func (a *Area) assign(v *shell.Visitor) error {
	m, l, err := a.askedBudget(v)
	if err != nil {
		return err
	}
	text := v.Field("amount")
	minor, problem := m.amount(text, l.Currency)
	if problem != "" {
		return a.budgetPage(v, m, l, problems{amount: problem, amountIs: text})
	}
	all := changed(l)
	for i, b := range l.Budgets {
		all[i].Assigned = b.Assignments(m.is, m.current, minor)
		minor = 0
	}
	return a.saved(v, m, l, all, v.Say("The amount is saved."))
}

// carry sets what goes on into the next month.
func (a *Area) carry(v *shell.Visitor) error {
	m, l, err := a.askedBudget(v)
	if err != nil {
		return err
	}
	all := changed(l)
	for i, b := range l.Budgets {
		all[i].Carry = b.Carries(m.is, m.current, core.Carry{Left: v.Field("left") != "", Overspent: v.Field("overspent") != ""})
	}
	return a.saved(v, m, l, all, v.Say("Saved."))
}

// goal sets the bill that a budget saves up for; without an amount there is none any more.
func (a *Area) goal(v *shell.Visitor) error {
	m, l, err := a.askedBudget(v)
	if err != nil {
		return err
	}
	text, due := v.Field("bill"), v.Field("due")
	var goal core.Goal
	if text != "" {
		minor, problem := m.amount(text, l.Currency)
		by, known := core.ParseMonth(due)
		switch {
		case problem == "" && minor == 0:
			problem = v.Say("The amount must be more than zero.")
		case problem == "" && (!known || by < m.is || by > m.is.Plus(24)):
			problem = v.Say("Choose a month from the list.")
		}
		if problem != "" {
			return a.budgetPage(v, m, l, problems{goal: problem, goalIs: text, due: due})
		}
		goal = core.Goal{Minor: minor, By: by}
	}
	all := changed(l)
	for i := range all {
		all[i].Goal = core.Goal{}
	}
	all[0].Goal = goal
	return a.saved(v, m, l, all, v.Say("Saved."))
}

// move moves money between two budgets of a month.
func (a *Area) move(v *shell.Visitor) error {
	m, l, err := a.askedBudget(v)
	if err != nil {
		return err
	}
	text := v.Field("moved")
	way, id, _ := strings.Cut(v.Field("other"), " ")
	other, known := m.lineOf(id)
	amount, err := finance.ParseAmount(text, l.Currency)
	move := core.Move{ID: v.Field("move"), Month: m.is, From: l.Budgets[0].ID, Minor: amount.Minor()}
	switch {
	case err != nil:
		_, problem := m.amount(text, l.Currency)
		if problem == "" {
			problem = v.Say("The amount must be more than zero.")
		}
		return a.budgetPage(v, m, l, problems{move: problem, moveIs: text})
	case !known || other.Target == l.Target || other.Currency != l.Currency || way != "from" && way != "to":
		return a.budgetPage(v, m, l, problems{move: v.Say("Choose a budget of the same month."), moveIs: text})
	case move.ID == "" || len(move.ID) > 64:
		move.ID = finance.NewID()
	}
	move.To = other.Budgets[0].ID
	if way == "from" {
		move.From, move.To = move.To, move.From
	}
	if err := a.Store.MoveBudget(v.Ctx(), v.User.ID, move); err != nil {
		return err
	}
	from, to := m.target(l.Target), m.target(other.Target)
	if way == "from" {
		from, to = to, from
	}
	a.Flash(v, ui.Good, v.Say("%s moved from %s to %s.", amount, from, to))
	v.SeeOther(paths.BudgetMonth(string(m.is)))
	return nil
}

// end ends a budget with the month before, or deletes it when it began in this one.
func (a *Area) end(v *shell.Visitor) error {
	m, l, err := a.askedBudget(v)
	if err != nil {
		return err
	}
	all := changed(l)
	for i := range all {
		all[i].Until = m.is.Plus(-1)
	}
	if err := a.Store.SaveBudgets(v.Ctx(), v.User.ID, all...); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("The budget has ended."))
	v.SeeOther(paths.BudgetMonth(string(m.is)))
	return nil
}
