package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// RatesView is the exchange rates of the person.
type RatesView struct {
	layout.Frame
	Currencies  []ui.Option // into which sums are converted. Form field: currency
	Rows        []RateRow   // the newest ones
	Read        string      // "6,900 days, from 4 January 1999 to 20 November 2026": what was read in of the European Central Bank; empty for nothing
	FileHint    string
	FileProblem string    // why the file was refused; usually empty
	Own         []OwnRate // that the person typed
	Base, Quote ui.Input
	Value, Day  ui.Input
}

// Converted is the total of several currencies in one.
type Converted struct {
	Title string    // "All in EUR"
	Sum   *ui.Money // nil: there are no rates
	Notes []string  // what the total leaves out, and each rate with its day
}

// RateRow is a rate in the list of the newest ones.
type RateRow struct {
	Pair   string // "1 EUR in CHF"
	Value  string // "0.9305"
	Day    ui.Time
	Source string
	Old    bool
}

// OwnRate is a rate that the person typed.
type OwnRate struct{ ID, Text string }
