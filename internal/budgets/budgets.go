// Package budgets compares what a person plans to spend in a month with what was spent. It is pure: budgets, moves and sums of rows go in, months come out.
// Money is in minor units of a currency; amounts in different currencies are never added. docs/budgets.md describes it for people.
package budgets

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"florin/internal/categories"
)

// Target is what a budget is for: a category, or all categories of a group that have no budget of their own.
type Target struct {
	Category string           // "" for a group
	Group    categories.Group // "" for a category
}

// Carry says which parts of a budget are carried into the next month.
type Carry struct {
	Left      bool // money that is left
	Overspent bool // money overspent
}

// Goal is an amount to save up, and the month in which it is needed. The zero value is no goal.
type Goal struct {
	Minor int64
	By    Month // in which it is due
}

// Budget is a budget that a person has set. An amount and a Carry apply from their month until the next one that is set.
type Budget struct {
	ID string
	Target
	Currency    string
	From, Until Month // the first and the last month of the budget; Until is "" when it has no end
	Goal        Goal
	Assigned    map[Month]int64
	Carry       map[Month]Carry // by month: what is carried from it into the next
}

// Active reports whether the budget exists in a month.
func (b Budget) Active(m Month) bool { return b.From <= m && (b.Until == "" || m <= b.Until) }

// from returns the value of the last month that is not after m.
func from[T any](values map[Month]T, m Month) (value T) {
	last := Month("")
	for at, v := range values {
		if at <= m && at >= last {
			last, value = at, v
		}
	}
	return value
}

// AssignedIn returns the amount of the budget in a month.
func (b Budget) AssignedIn(m Month) int64 { return from(b.Assigned, m) }

// CarryIn returns what is carried from a month into the next.
func (b Budget) CarryIn(m Month) Carry { return from(b.Carry, m) }

// Assignments returns the amounts to store so that the budget is minor in m. The amount applies from m until the next month with an amount of its own.
// When m is before current, the month of today, it applies in m alone.
func (b Budget) Assignments(m, current Month, minor int64) map[Month]int64 {
	set := map[Month]int64{m: minor}
	if _, own := b.Assigned[m.Plus(1)]; m < current && !own && b.Active(m.Plus(1)) {
		set[m.Plus(1)] = b.AssignedIn(m.Plus(1))
	}
	return set
}

// Carries returns the Carry settings to store so that carry applies in m, by the same rule as Assignments.
func (b Budget) Carries(m, current Month, carry Carry) map[Month]Carry {
	set := map[Month]Carry{m: carry}
	if _, own := b.Carry[m.Plus(1)]; m < current && !own && b.Active(m.Plus(1)) {
		set[m.Plus(1)] = b.CarryIn(m.Plus(1))
	}
	return set
}

// Move is money that a person took from one budget to another in a month.
type Move struct {
	ID       string
	Month    Month
	From, To string // ids of budgets
	Minor    int64  // above zero
}

// Sum is the total of the rows of a category in a month.
type Sum struct {
	Month    Month
	Category string // "" for none
	Currency string
	Out      int64 // money out less money back, in minor units; below zero when more came in
}

// Facts are the stored values from which the months are calculated.
type Facts struct {
	Book    categories.Book
	Budgets []Budget
	Moves   []Move
	Sums    []Sum // of all months from the first budget on
}

// Line is one budget in one month. Budgets whose categories were merged share a line.
type Line struct {
	Target
	Currency string
	Budgets  []Budget // the one whose settings apply comes first
	Covers   []string // the categories that count, in the order of the book

	Carried  int64 // from the month before; below zero: overspent there
	Assigned int64
	Moved    int64 // from other budgets, less what was moved to others
	Spent    int64
	Left     int64 // after all of that; below zero: overspent
	Dropped  int64 // the part of Left that is not carried into the next month
	Carry    Carry
	Goal     Goal
	TooLarge bool // a figure exceeds an int64; all figures are then 0
}

// Available returns what could be spent in the month.
func (l Line) Available() int64 { return l.Left + l.Spent }

// Percent returns the spent share of what is available in per cent, rounded down. ok is false when nothing is available, or when more money came back than
// was spent.
func (l Line) Percent() (int, bool) {
	if l.Available() <= 0 || l.Spent < 0 {
		return 0, false
	}
	return Percent(l.Spent, l.Available()), true
}

// Percent returns part of whole in per cent, rounded down, at most 999. Both are at least 0 and whole is more.
func Percent(part, whole int64) int {
	if part/10 >= whole { // and no overflow below
		return 999
	}
	return int(float64(part) * 100 / float64(whole)) // a figure for the eye, not a sum
}

// Save returns how much to assign in m so that equal amounts in m and all months until the goal reach it, rounded up to whole minor units. It is 0 without a
// goal, when the goal is reached, and when its month is over.
func (l Line) Save(m Month) int64 {
	months := int64(m.Until(l.Goal.By)) + 1
	missing := l.Goal.Minor - l.Carried - l.Moved
	if l.Goal.By < m || missing <= 0 {
		return 0
	}
	return (missing + months - 1) / months
}

// Saved returns how much is set aside for the goal before the spending of the month.
func (l Line) Saved() int64 { return l.Carried + l.Moved + l.Assigned }

// Rest is what was spent in a month on a category without a budget.
type Rest struct {
	Category string // "" for none
	Currency string
	Out      int64
}

// Statement lists the budgets of a month, and what was spent without one.
type Statement struct {
	Month Month
	Lines []Line // by group and category, in the order of the book; a group comes before its categories
	Rest  []Rest // in the same order
}

// key identifies a line.
type key struct {
	Target
	currency string
}

// Statements returns the months from that of the first budget to last, in order. It returns none when no budget begins by then.
func Statements(f Facts, last Month) []Statement {
	first := Month("")
	for _, b := range f.Budgets {
		if first == "" || b.From < first {
			first = b.From
		}
	}
	if first == "" {
		return nil
	}
	x := newIndex(f)
	var all []Statement
	for m := first; m <= last; m = m.Plus(1) {
		before := Statement{}
		if len(all) > 0 {
			before = all[len(all)-1]
		}
		s := x.month(m, before)
		if len(all) > 0 {
			drop(&all[len(all)-1], s)
		}
		all = append(all, s)
	}
	return all
}

// Alone returns a month without budgets: everything spent in it, by category.
func Alone(book categories.Book, m Month, sums []Sum) Statement {
	return newIndex(Facts{Book: book, Sums: sums}).month(m, Statement{})
}

// index prepares facts for quick look-ups.
type index struct {
	Facts
	shown map[string]categories.Own // the category under which rows and budgets of an id are shown
	rank  map[Target]int            // the position of a target in the order of the book
	sums  map[Month][]Sum
	moves map[Month][]Move
}

func newIndex(f Facts) *index {
	x := &index{Facts: f, shown: map[string]categories.Own{}, rank: map[Target]int{}, sums: map[Month][]Sum{}, moves: map[Month][]Move{}}
	byID := make(map[string]categories.Own, len(f.Book))
	for i, own := range f.Book {
		byID[own.ID] = own
		group := Target{Group: own.Group}
		if _, seen := x.rank[group]; !seen {
			x.rank[group] = 2 * i
		}
		x.rank[Target{Category: own.ID}] = 2*i + 1
	}
	for _, own := range f.Book {
		to := own
		for range f.Book { // a cycle of merged categories must not loop for ever
			if to.Into == "" {
				x.shown[own.ID] = to
				break
			}
			to = byID[to.Into]
		}
	}
	for _, s := range f.Sums {
		x.sums[s.Month] = append(x.sums[s.Month], s)
	}
	for _, m := range f.Moves {
		x.moves[m.Month] = append(x.moves[m.Month], m)
	}
	return x
}

// target returns the present target of a budget: a merged category is replaced by the one that it was merged into.
func (x *index) target(t Target) Target {
	if own, known := x.shown[t.Category]; known {
		t.Category = own.ID
	}
	return t
}

// month calculates a month from the one before it.
func (x *index) month(m Month, before Statement) Statement {
	lines := map[key]*Line{}
	of := map[string]*Line{} // by the ids of their budgets
	currencies := map[string]bool{}
	for _, b := range x.Budgets {
		if !b.Active(m) {
			continue
		}
		k := key{x.target(b.Target), b.Currency}
		if lines[k] == nil {
			lines[k] = &Line{Target: k.Target, Currency: k.currency}
		}
		lines[k].Budgets = append(lines[k].Budgets, b)
		of[b.ID], currencies[b.Currency] = lines[k], true
	}
	carried := map[key]int64{}
	for _, old := range before.Lines {
		carried[key{old.Target, old.Currency}] = old.goesOn()
	}
	sum := map[*Line]*total{}
	for k, l := range lines {
		slices.SortFunc(l.Budgets, func(a, b Budget) int { return leads(a, b, l.Target) })
		l.Carried, l.Carry = carried[k], l.Budgets[0].CarryIn(m)
		sum[l] = new(total)
		for _, b := range l.Budgets {
			l.Assigned = sum[l].add(l.Assigned, b.AssignedIn(m))
			if l.Goal == (Goal{}) {
				l.Goal = b.Goal
			}
		}
		if m < l.Goal.By {
			l.Carry.Left = true // the goal is being saved up
		}
	}
	for _, move := range x.moves[m] {
		from, to := of[move.From], of[move.To]
		if from == nil || to == nil || from.Currency != to.Currency {
			continue // one of the budgets does not exist in this month
		}
		from.Moved = sum[from].add(from.Moved, -move.Minor)
		to.Moved = sum[to].add(to.Moved, move.Minor)
	}
	covers := map[key]*Line{} // by category
	for _, own := range x.Book {
		if own.Into != "" || len(lines) == 0 {
			continue
		}
		for currency := range currencies {
			k := key{Target{Category: own.ID}, currency}
			l := lines[k]
			if l == nil && own.ID != categories.Transfer {
				l = lines[key{Target{Group: own.Group}, currency}]
			}
			if l != nil {
				covers[k], l.Covers = l, append(l.Covers, own.ID)
			}
		}
	}
	s := Statement{Month: m}
	rest, unplanned := map[key]int64{}, new(total)
	for _, spent := range x.sums[m] {
		category := x.shown[spent.Category]
		k := key{Target{Category: category.ID}, spent.Currency}
		if l := covers[k]; l != nil {
			l.Spent = sum[l].add(l.Spent, spent.Out)
		} else if Spending(category) {
			rest[k] = unplanned.add(rest[k], spent.Out)
		}
	}
	for l, t := range sum {
		l.Left = t.add(t.add(t.add(l.Carried, l.Assigned), l.Moved), -l.Spent)
		if t.over {
			l.Carried, l.Assigned, l.Moved, l.Spent, l.Left, l.TooLarge = 0, 0, 0, 0, 0, true
		}
		l.Dropped = l.Left - l.goesOn()
		s.Lines = append(s.Lines, *l)
	}
	slices.SortFunc(s.Lines, func(a, b Line) int { return cmp.Or(x.order(a.Target, b.Target), cmp.Compare(a.Currency, b.Currency)) })
	for k, out := range rest {
		if out != 0 {
			s.Rest = append(s.Rest, Rest{k.Category, k.currency, out})
		}
	}
	slices.SortFunc(s.Rest, func(a, b Rest) int {
		return cmp.Or(x.order(Target{Category: a.Category}, Target{Category: b.Category}), cmp.Compare(a.Currency, b.Currency))
	})
	return s
}

// order compares targets by their positions in the book; unknown ones come last.
func (x *index) order(a, b Target) int {
	at := func(t Target) int {
		if rank, known := x.rank[t]; known {
			return rank
		}
		return math.MaxInt
	}
	return cmp.Or(cmp.Compare(at(a), at(b)), cmp.Compare(a.Category, b.Category), cmp.Compare(a.Group, b.Group))
}

// drop records, for lines that do not exist in the next month, the amount that is lost with them.
func drop(s *Statement, next Statement) {
	for i, l := range s.Lines {
		if !slices.ContainsFunc(next.Lines, func(n Line) bool { return n.Target == l.Target && n.Currency == l.Currency }) {
			s.Lines[i].Dropped = l.Left
		}
	}
}

// goesOn returns the part of Left that is carried into the next month.
func (l Line) goesOn() int64 {
	if l.Left > 0 && l.Carry.Left || l.Left < 0 && l.Carry.Overspent {
		return l.Left
	}
	return 0
}

// leads orders the budgets of one line: first the one whose own target is that of the line, then the oldest.
func leads(a, b Budget, line Target) int {
	own := func(x Budget) int {
		if x.Target == line {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(own(a), own(b)), cmp.Compare(a.From, b.From), cmp.Compare(a.ID, b.ID))
}

// Spending reports whether money out in a category counts as spending. Income and transfers between own accounts do not.
func Spending(own categories.Own) bool {
	return own.Group != categories.GroupIncome && own.ID != categories.Transfer
}

// total adds amounts and records an overflow.
type total struct{ over bool }

func (t *total) add(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b || b < 0 && a < -math.MaxInt64-b {
		t.over = true
		return 0
	}
	return a + b
}

// Total returns the sum of the lines of a month in one currency, for the head of the page. there is false when it has no lines.
func (s Statement) Total(currency string) (sum Line, there bool) {
	t := new(total)
	sum.Currency = currency
	for _, l := range s.Lines {
		if l.Currency == currency {
			there = true
			sum.Carried, sum.Assigned, sum.Spent = t.add(sum.Carried, l.Carried), t.add(sum.Assigned, l.Assigned), t.add(sum.Spent, l.Spent)
			sum.Left, sum.Dropped = t.add(sum.Left, l.Left), t.add(sum.Dropped, l.Dropped)
		}
	}
	sum.TooLarge = t.over
	return sum, there
}

// Currencies returns the currencies of the lines, the one with the most lines first.
func (s Statement) Currencies() []string {
	count := map[string]int{}
	for _, l := range s.Lines {
		count[l.Currency]++
	}
	return byCount(count)
}

func byCount(count map[string]int) []string {
	return slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
}
