package pages

import (
	"strconv"

	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// BudgetsView is a month of budgets.
type BudgetsView struct {
	layout.Frame
	Whose    *Whose      // nil where there is no choice
	Month    string      // "November 2026"
	Days     string      // a sentence: its days, and how many of them have gone
	Earlier  string      // where the month before is
	Later    string      // and the month after it; empty for none
	New      string      // where a budget is added
	Notices  []ui.Notice // more than what comes in
	Totals   []BudgetTotal
	Groups   []BudgetSection
	Rest     []BudgetRest // what was spent without a budget
	Start    *BudgetStart // the first time; nil once there are budgets
	FirstDay BudgetFirstDay
}

// BudgetTotal is the total of all budgets in a currency.
type BudgetTotal struct {
	Spent ui.Money
	Rows  string   // where the transactions behind Spent are
	Of    string   // "of 2,000.00 EUR"
	Notes []string // "766.00 EUR left", "62 % spent, 55 % of the month gone"
	Bar   BudgetBar
}

// BudgetSection is a group of categories with its budgets.
type BudgetSection struct {
	Name  string
	Lines []BudgetLine
}

// BudgetLine is one budget in one month.
type BudgetLine struct {
	Name  string
	Href  string // its page
	Mark  string // "Archived"; usually empty
	Spent ui.Money
	Rows  string // where the transactions behind Spent are; empty for none
	Of    string // "of 400.00 EUR"
	Left  string // "151.90 EUR left"
	Over  bool   // more was spent than there was
	Bar   BudgetBar
	Notes []string // whole sentences: pace, what came from the month before, what it saves up for
	Move  string   // the form that moves money; empty when there is no other budget
}

// BudgetBar shows the spent share of a budget, and the elapsed share of its month, in per cent. Its line says the same in words.
type BudgetBar struct {
	Spent int
	Gone  int // -1: the month is not the present one
	Over  bool
}

func (b BudgetBar) width() string { return strconv.Itoa(min(b.Spent, 100)) }

func (b BudgetBar) mark() string { return strconv.Itoa(b.Gone) }

// BudgetRest is what was spent on something without a budget.
type BudgetRest struct {
	Name  string
	Spent ui.Money
	Rows  string
	New   string // the form for a new budget for it; empty when there can be none
}

// BudgetStart proposes the first budgets. Form fields: use, for each that is wanted; amount-N for the Nth.
type BudgetStart struct {
	Months    string // a sentence: what the proposal is made of
	Proposals []BudgetProposal
	Problem   string
}

// BudgetProposal is a proposed budget.
type BudgetProposal struct {
	Value  string // of the field use
	Name   string
	Used   bool
	Amount ui.Input
}

// BudgetFirstDay is the form for the day on which months begin. Form field: first.
type BudgetFirstDay struct {
	Days []ui.Option
	From string // a sentence: from when on another day holds
}

// BudgetView is the page of a budget in a month. All forms have the field month.
type BudgetView struct {
	layout.Frame
	ID      string
	Title   string
	Back    ui.Link
	Month   string // as text
	Value   string // of the field month
	Notices []ui.Notice
	Line    BudgetLine
	Facts   []BudgetFact

	Amount    ui.Input
	Holds     string         // a sentence: from when on the amount holds
	Proposals []BudgetChoice // one click each

	CarryLeft, CarryOver bool

	GoalAmount ui.Input
	GoalMonths []ui.Option // the first is none
	GoalNote   string      // how far it is; empty without one

	MoveID     string // identifies the move, so that a form sent twice moves money once
	MoveAmount ui.Input
	Moves      []BudgetChoice // to and from the other budgets

	End  string // text of the button
	Ends string // a sentence: what becomes of it
}

// BudgetFact is a figure of the month.
type BudgetFact struct {
	Name   string
	Amount ui.Money
	Rows   string // where its transactions are; usually empty
}

// BudgetChoice is a button.
type BudgetChoice struct {
	Value string
	Text  string
}

// NewBudgetView is the form for a budget. Form fields: for, month, currency, amount, left, overspent.
type NewBudgetView struct {
	layout.Frame
	Back       ui.Link
	Month      string
	Groups     []CategoryGroup
	Currencies []ui.Option // none: there is one
	Currency   string      // that one
	Amount     ui.Input
	Problem    string // what is wrong apart from the amount
}
