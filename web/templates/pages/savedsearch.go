package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// SavedCount is a saved search on the first page.
type SavedCount struct {
	Name  string
	Href  string // of what it finds
	Count string // "12 transactions"
}

// SavedSearchesView lists the searches that the user keeps.
type SavedSearchesView struct {
	layout.Frame
	Rows []SavedSearchRow
	New  SavedSearchForm
}

// SavedSearchRow is one saved search in the list.
type SavedSearchRow struct {
	ID, Name, Text string
	Open           string // address of what it finds
	Household      bool   // it is over the household
}

// SavedSearchView is the page of a saved search.
type SavedSearchView struct {
	layout.Frame
	Title  string
	Form   SavedSearchForm
	Open   string // address of what it finds
	Delete string // path of the form that deletes it
}

// SavedSearchForm is the form of a saved search, or of a new one. Form fields: name; text; whose, "mine" or "household".
type SavedSearchForm struct {
	Action     string
	Name, Text ui.Input
	Over       string      // the value of whose
	Choose     []ui.Option // of it; none where nobody shares anything
}
