package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// SearchView is what a search finds in all accounts.
type SearchView struct {
	layout.Frame
	Text         string       // what was typed
	Fault        *SearchFault // nil: it was understood
	Saved        []Filter     // searches that are kept, by their names
	Save         string       // address of the form that keeps this search; empty: there is nothing to keep
	Filters      []Filter
	Accounts     []Filter
	Totals       []SearchTotal
	Capped       string // what the totals leave out; may be empty
	Pending      []TransactionRow
	PendingCount string
	PendingTotal *ui.Money
	Days         []Day // newest first
	Range        string
	Empty        string // why there are none
	Pager        ui.Pager
}

// SearchFault is the place in a text that was not understood.
type SearchFault struct {
	Before, Text, After string
	Problem             string // what is wrong and what is meant, with the place
	Meant               *ui.Link
}

// SearchTotal is what the rows in one currency come to.
type SearchTotal struct {
	Count        string // "12 transactions"
	In, Out, Net ui.Money
}

// SearchHelpView explains the search field.
type SearchHelpView struct {
	layout.Frame
	Groups []SearchHelpGroup
}

// SearchHelpGroup is examples that have something in common.
type SearchHelpGroup struct {
	Title    string
	Examples []SearchExample
}

// SearchExample is a text with what it finds.
type SearchExample struct{ Text, Finds string }
