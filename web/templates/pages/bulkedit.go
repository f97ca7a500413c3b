package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// SelectView is the list of transactions to choose from for a bulk edit. Its form posts q, id for each that was chosen, or which=all.
type SelectView struct {
	layout.Frame
	Back      string // the list that it was begun from
	Household bool   // there may be rows of others, which only their owners change
	List      List
}

// BulkEditView is a bulk edit. Before it is confirmed it has a Form, and a Preview as soon as it changes something; afterwards it has a Progress, then a
// Result.
type BulkEditView struct {
	layout.Frame
	Title    string   // "Edit 312 transactions"
	Back     string   // address of the list that it was begun from
	Others   string   // how many transactions are not changed because they are in accounts of others; empty for none
	Changes  []string // what it does, sentence by sentence
	Preview  *BulkPreview
	Form     *BulkEditForm
	Sample   []Day        // some of the transactions
	Progress *ui.Progress // its ID must be "bulk-edit-progress"
	Result   *ui.Notice
	Undo     string // path of the form that undoes it; empty: there is nothing to undo
}

// BulkPreview is what a bulk edit would do.
type BulkPreview struct {
	Title  string   // "312 transactions will change"
	Notes  []string // on the others
	Start  string   // path of the form that carries it out
	Seen   string   // identifies the change that is shown
	Button string   // "Change 312 transactions"; empty: nothing would change
}

// BulkEditForm says what a bulk edit changes. Form fields: category, tags, untag, reviewed ("yes", "no" or ""), note.
type BulkEditForm struct {
	Action            string
	Problem           string
	Categories        []CategoryGroup
	Tags, Untag       ui.Input
	Reviewed          []ui.Option
	Note, NoteProblem string
}

// BulkEditsView lists the last bulk edits.
type BulkEditsView struct {
	layout.Frame
	Rows []BulkEditRow
}

// BulkEditRow is one bulk edit in the list.
type BulkEditRow struct {
	Href    string
	Title   string   // when it was
	Changes []string // what it does, sentence by sentence
	State   string   // "312 transactions are changed"
	Undo    string   // path of the form that undoes it; empty: it cannot be undone
}
