package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// RecurringView lists recurring transactions, and those expected next.
type RecurringView struct {
	layout.Frame
	Whose     *Whose   // nil where there is no choice of whose accounts it is about
	Asked     string   // value of the query "whose" for its links; may be empty
	Sums      []string // "Subscriptions and bills come to 812.40 EUR a month, 9,748.80 EUR a year."
	Missing   string   // why a sum lacks something; may be empty
	Coming    []ComingDay
	Groups    []RecurringGroup
	Dismissed []RecurringRow
}

// ComingDay lists what is expected on a day.
type ComingDay struct {
	Date ui.Time
	Rows []RecurringRow
}

// RecurringGroup is a list of series of a kind.
type RecurringGroup struct {
	ID, Title string
	Rows      []RecurringRow
}

// RecurringRow is a series, or a payment to come.
type RecurringRow struct {
	Href   string // empty for a payment of somebody else
	Name   string
	Note   string // "Every month, next on 3 October"
	Amount ui.Money
	Range  string // "60.00 to 90.00 EUR"; empty where the amount is always the same
	Marks  []ui.Badge
}

// RecurringSeriesView is the page of a series.
type RecurringSeriesView struct {
	layout.Frame
	ID        string
	Title     string
	Owner     string // address of somebody else whose series it is; it has no forms then
	Asked     string // value of the query "whose" for the way back; may be empty
	Amount    ui.Money
	Marks     []ui.Badge
	Facts     []ui.Fact
	Days      []Day // its transactions, newest first
	Confirmed bool
	Dismissed bool
	Merged    string      // "2 other series are part of it."; empty without
	Name      ui.Input    // form field: name
	Others    []ui.Option // series of which it can become a part; form field: into
}

// RecurringCard says to which series a transaction belongs.
type RecurringCard struct {
	Series ui.Link // its Href is empty: to none
	Note   string  // "Every month, next on 3 October"
}
