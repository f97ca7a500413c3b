package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// NameCard says how the other side of a transaction is shown.
type NameCard struct {
	Href  string // page of the name; "" when there is no name to change
	Shown string
	Bank  string   // as the bank wrote it; "" when that is the same, or it names nobody
	Rule  *ui.Link // the rule that gave the name; nil without
}

// NameView is the page of the name of the other side of a transaction. Form field: name.
type NameView struct {
	layout.Frame
	Back   ui.Link // the transaction
	Action string
	Title  string
	Bank   string // as the bank wrote it; "" when it names nobody
	Count  string // "12 transactions have this name."
	Name   ui.Input
	Given  []NameRow // the names that stand behind this one and can be taken back
}

// NamesView lists the names that the user gave.
type NamesView struct {
	layout.Frame
	Rows []NameRow
}

// NameRow is a name that the user gave.
type NameRow struct{ Key, Was, Name string }
