package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// ExportView is the form for a file with transactions. Query values of its form: q, account, format, separator, decimal, encoding.
type ExportView struct {
	layout.Frame
	Whose      *Whose   // nil where there is no choice
	Asked      string   // value of the form field "whose"; empty: there is none
	Query      ui.Input // as in the list of transactions
	Accounts   []ui.Option
	Formats    []ExportFormat
	Separators []ui.Option
	Decimals   []ui.Option
	Encodings  []ui.Option
	Problem    *ui.Notice
	Nothing    bool // there is no account yet
}

// ExportFormat is one format that can be chosen.
type ExportFormat struct {
	Value   string // "csv"
	Name    string // "CSV"
	Note    string // who reads it
	Checked bool
}
