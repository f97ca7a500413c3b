package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// NameCard shows the name of the counterparty.
type NameCard struct {
	Href  string // page of the name; "" when there is no name to change
	Shown string
	Bank  string   // as the bank wrote it; "" when that is the same, or when it names nobody
	Rule  *ui.Link // the rule that gave the name; nil without
}

// NameView is the page for the name of a counterparty. Form field: name.
type NameView struct {
	layout.Frame
	Back   ui.Link // the transaction
	Action string
	Title  string
	Bank   string // as the bank wrote it; "" when it names nobody
	Count  string // "12 transactions have this name."
	Name   ui.Input
	Given  []NameRow // the names that this one replaces, which can be restored
}

// NamesView lists the names that the user gave.
type NamesView struct {
	layout.Frame
	Rows []NameRow
}

// NameRow is a name that the user gave.
type NameRow struct{ Key, Was, Name string }
