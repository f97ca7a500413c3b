package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// MergeCard says which transactions are one with a transaction, or may be. Form field of a row that can be separated: other, its id.
type MergeCard struct {
	Href   string   // path of the page that looks for others
	Likely *ui.Link // path of the page beside another one that is likely the same, with its words; nil for none
	Action string   // path of the form that separates
	Rows   []MergedRow
}

// MergedRow is a transaction that is one with the shown one.
type MergedRow struct {
	ID    string // empty: others are to be separated first
	Name  string
	Text  string // empty for none
	When  string // when the person made them one
	Facts []ui.Fact
}

// MergeView is the page on which a person says that two transactions are one: it looks for the other one, or shows both. Form field: other, its id. Its search
// asks with q.
type MergeView struct {
	layout.Frame
	Back    ui.Link // the transaction
	Title   string
	Amount  ui.Money
	Action  string // path of the page and its form
	Doubles []Day  // what may be the same, the likeliest first; their rows lead to this page with the other one
	Text    string // that is searched for
	Fault   string // what is wrong with it; usually empty
	Found   []Day
	Empty   string // says why nothing is found; usually empty
	Pair    *MergePair
}

// MergePair is two transactions beside each other, and what they would be as one.
type MergePair struct {
	Problem string // why they cannot be one; empty when they can
	Sides   [2]MergeSide
	Will    []string // what the one has of the other, in sentences
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
