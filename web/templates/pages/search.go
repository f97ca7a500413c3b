package pages

import "florin/web/templates/layout"

// SearchView is the list of all accounts.
type SearchView struct {
	layout.Frame
	Whose     *Whose // nil where there is no choice
	Household bool   // the list has rows of others, too
	List      List
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
