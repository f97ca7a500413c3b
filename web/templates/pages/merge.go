package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// MergeCard lists the transactions merged with this one, or likely the same. Form field of a row that can be separated: other, its id.
type MergeCard struct {
	Href   string   // path of the page that looks for others
	Likely *ui.Link // link to the page with another transaction that is likely the same; nil for none
	Action string   // path of the form that separates
	Rows   []MergedRow
}

// MergedRow is a transaction merged with the shown one.
type MergedRow struct {
	ID    string // empty: others must be separated first
	Name  string
	Text  string // empty for none
	When  string // when the person made them one
	Facts []ui.Fact
}

// MergeView is the page on which a person merges two transactions: it searches for the other one, or shows both. Form field: other, its id. Its search uses
// q.
type MergeView struct {
	layout.Frame
	Back    ui.Link // the transaction
	Title   string
	Amount  ui.Money
	Action  string // path of the page and its form
	Doubles []Day  // transactions that may be the same, the likeliest first; their rows lead to this page with that transaction
	Text    string // that is searched for
	Fault   string // what is wrong with it; usually empty
	Found   []Day
	Empty   string // why nothing is found; usually empty
	Pair    *MergePair
}

// MergePair shows two transactions side by side, and the result of merging them.
type MergePair struct {
	Problem string // why they cannot be one; empty when they can
	Sides   [2]MergeSide
	Will    []string // what the result takes from the other one, in sentences
	Other   string   // id of the other one
	Again   string   // path of the page that looks for another one
}

// MergeSide is one of the two.
type MergeSide struct {
	Heading string // "This one stays"
	Link    ui.Link
	Amount  ui.Money
	Facts   []ui.Fact
}
