package budgets

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	core "florin/internal/budgets"
	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// How far from the present month pages go.
const (
	monthsBack  = 240
	monthsAhead = 12
)

// month is a month of somebody's budgets.
type month struct {
	show.Clock
	whose       shell.Whose     // whose accounts the figures are of
	own         categories.Book // for which there can be budgets
	book        categories.Book // those of the figures
	plan        store.Plan
	current     core.Month // in which today is
	is          core.Month
	from, until openbanking.Date
	statement   core.Statement
	history     core.History
	names       show.Names // of categories
}

// asked reads the month that a page is asked for, in the address or in its form; without one it is the present one. finance.ErrNotFound when there is no such
// month.
func (a *Area) asked(v *shell.Visitor) (*month, error) {
	return a.in(v, v.Request.FormValue("month"))
}

func (a *Area) in(v *shell.Visitor, text string) (*month, error) {
	m := &month{Clock: a.At(v.Ctx(), time.Now())}
	var err error
	if m.own, err = a.Store.Categories(v.Ctx(), v.User.ID); err != nil {
		return nil, err
	}
	if m.plan, err = a.Store.Plan(v.Ctx(), v.User.ID); err != nil {
		return nil, err
	}
	if len(m.plan.Budgets) == 0 { // the first ones are proposed from what the person spends
		m.whose = shell.Whose{Seen: a.Store.Mine(v.User.ID)}
	} else if m.whose, err = a.Whose(v, v.Request.URL.Query().Get("whose")); err != nil {
		return nil, err
	}
	if m.book, err = m.whose.Categories(v.Ctx()); err != nil {
		return nil, err
	}
	m.names = m.Names(nil, nil, m.book).For(m.whose.Asked)
	m.now()
	if m.is = m.current; text != "" {
		var known bool
		if m.is, known = core.ParseMonth(text); !known || m.is < m.current.Plus(-monthsBack) || m.is > m.current.Plus(monthsAhead) {
			return nil, finance.ErrNotFound
		}
	}
	m.from, m.until = m.plan.Calendar.Days(m.is)
	first := m.is.Plus(-core.Span)
	for _, b := range m.plan.Budgets {
		first = min(first, b.From)
	}
	sums, err := m.whose.BudgetSums(v.Ctx(), m.plan.Calendar, first, m.is)
	if err != nil {
		return nil, err
	}
	facts := core.Facts{Book: m.book, Budgets: m.plan.Budgets, Moves: m.plan.Moves, Sums: sums}
	m.statement = core.Alone(m.book, m.is, sums)
	if all := core.Statements(facts, m.is); len(all) > 0 {
		m.statement = all[len(all)-1]
	}
	m.history = core.NewHistory(m.book, sums)
	return m, nil
}

// now begins with the month in which today is.
func (m *month) now() { m.current, _ = m.plan.Calendar.Month(m.Today()) }

// name is the name of a month: "November 2026".
func (m *month) name(of core.Month) string { return m.Month(of.Time()) }

// figure is an amount as the templates show it.
func figure(minor int64, currency string) ui.Money {
	return pages.Figure(money.FromMinor(minor, currency))
}

// sum is an amount inside a sentence.
func sum(minor int64, currency string) money.Amount { return money.FromMinor(minor, currency) }

// perCent writes a share: "62 %".
func perCent(n int) string { return strconv.Itoa(n) + "\u00a0%" }

// target is the name of what a budget is for.
func (m *month) target(t core.Target) string {
	if t.Category == "" {
		return m.Say("Everything else: %s", m.CategoryGroup(t.Group))
	}
	own, known := m.book.ByID(t.Category)
	if !known {
		return m.Say("A category that no longer exists")
	}
	return m.Category(own)
}

// days says which days the month has, and how many of them have gone.
func (m *month) days() string {
	from, until := m.DayInFull(m.from), m.DayInFull(m.until)
	if m.is != m.current {
		return m.Say("From %s to %s.", from, until)
	}
	gone, of := m.plan.Calendar.Gone(m.is, m.Today())
	return m.Say("From %s to %s: today is day %d of %d.", from, until, gone, of)
}

// gone is how much of the present month has gone, in per cent; -1 of any other one.
func (m *month) gone() int {
	if m.is != m.current {
		return -1
	}
	gone, of := m.plan.Calendar.Gone(m.is, m.Today())
	return core.Percent(int64(gone), int64(of))
}

// bar draws how much of a line is spent.
func (m *month) bar(l core.Line) pages.BudgetBar {
	b := pages.BudgetBar{Gone: m.gone(), Over: l.Left < 0}
	switch percent, known := l.Percent(); {
	case known:
		b.Spent = percent
	case l.Left < 0:
		b.Spent = 100
	}
	return b
}

// left says what is left of a line.
func (m *month) left(l core.Line) string {
	if l.TooLarge {
		return m.Say("The figures are too large to add up.")
	}
	if l.Left < 0 {
		return m.Say("%s overspent", sum(-l.Left, l.Currency))
	}
	return m.Say("%s left", sum(l.Left, l.Currency))
}

// pace says how much of a line is spent, and in the present month how much of the month has gone; "" when there is no share to tell.
func (m *month) pace(l core.Line) string {
	percent, known := l.Percent()
	switch {
	case !known:
		return ""
	case m.is == m.current:
		return m.Say("%s spent, %s of the month gone", perCent(percent), perCent(m.gone()))
	}
	return m.Say("%s spent", perCent(percent))
}

// line shows a budget in the list.
func (m *month) line(l core.Line) pages.BudgetLine {
	id := l.Budgets[0].ID
	view := pages.BudgetLine{Name: m.target(l.Target), Href: m.page(paths.BudgetIn(id, string(m.is))), Mark: m.mark(l), Spent: figure(l.Spent, l.Currency),
		Rows: m.rows(l.Covers),
		Of:   m.Say("of %s", sum(l.Available(), l.Currency)), Left: m.left(l), Over: l.Left < 0, Bar: m.bar(l)}
	if pace := m.pace(l); pace != "" {
		view.Notes = append(view.Notes, pace)
	}
	switch {
	case l.Carried > 0:
		view.Notes = append(view.Notes, m.Say("%s from the month before", sum(l.Carried, l.Currency)))
	case l.Carried < 0:
		view.Notes = append(view.Notes, m.Say("%s overspent in the month before", sum(-l.Carried, l.Currency)))
	}
	if l.Goal.Minor > 0 && l.Goal.By >= m.is {
		view.Notes = append(view.Notes, m.goalNote(l))
	}
	if len(m.others(l)) > 0 {
		view.Move = view.Href + "#move"
	}
	return view
}

// mark says that the category of a line is no longer offered.
func (m *month) mark(l core.Line) string {
	if own, known := m.book.ByID(l.Category); known && own.Archived {
		return m.Say("Archived")
	}
	return ""
}

// goalNote says how far a bill is saved up for.
func (m *month) goalNote(l core.Line) string {
	goal, due, need := sum(l.Goal.Minor, l.Currency), m.name(l.Goal.By), l.Save(m.is)
	switch {
	case l.Saved() >= l.Goal.Minor:
		return m.Say("%s for %s is saved up", goal, due)
	case l.Assigned < need:
		return m.Say("%s of %s for %s: it needs %s a month", sum(max(l.Saved(), 0), l.Currency), goal, due, sum(need, l.Currency))
	}
	return m.Say("%s of %s for %s: on course", sum(max(l.Saved(), 0), l.Currency), goal, due)
}

// others are the lines between which and l money can be moved.
func (m *month) others(l core.Line) []core.Line {
	return slices.DeleteFunc(slices.Clone(m.statement.Lines), func(o core.Line) bool {
		return o.Currency != l.Currency || o.Target == l.Target || o.TooLarge || l.TooLarge
	})
}

// groupOf is the group under which a line is shown.
func (m *month) groupOf(t core.Target) categories.Group {
	if t.Category == "" {
		return t.Group
	}
	own, _ := m.book.ByID(t.Category)
	return own.Group
}

// covered are the categories of all budgets in a currency.
func (m *month) covered(currency string) (ids []string) {
	for _, l := range m.statement.Lines {
		if l.Currency == currency {
			ids = append(ids, l.Covers...)
		}
	}
	return ids
}

// rows leads to the transactions of categories in the month, whose totals are what was spent. A search does not name any number of categories: where there are
// too many, it leads to the report of the month, where each category has its transactions. "" without categories.
func (m *month) rows(ids []string) string {
	in := search.Period{From: m.from, To: m.until}
	facts := search.Facts{Categories: ids, Period: in}
	if slices.Equal(ids, []string{""}) {
		facts.Categories, facts.Uncategorised, facts.Flow = nil, true, search.MarkOut
	}
	if len(ids) == 0 {
		return ""
	}
	return cmp.Or(m.names.Link(facts), m.page(paths.CategoriesIn(string(in.From), string(in.To))))
}

// page is an address that stays with the choice of whose accounts the figures are of.
func (m *month) page(path string) string { return paths.ByWhose(path, m.whose.Asked) }
