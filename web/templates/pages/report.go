package pages

import (
	"github.com/a-h/templ"

	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// ReportView is a report. Query values of its form: period; from, to; account, category, payee, tag, each several times; view.
type ReportView struct {
	layout.Frame
	Whose      *Whose // nil where there is no choice
	Asked      string // value of the form field "whose"; empty: there is none
	Periods    []ui.Option
	From, To   ui.Input
	Accounts   []ui.Option
	Categories []CategoryGroup
	Payees     []ui.Option
	Tags       []ui.Option

	// Fields for the names of others; nil when all there are can be chosen.
	OtherCategory, OtherPayee, OtherTag *ui.Input

	View     string   // value of the form field
	Views    []Filter // other ways to look at the same
	Period   string   // "1 January to 22 November 2026"
	About    []string // the conditions for print, where the form is hidden: "Accounts: Everyday, Savings"
	Open     bool     // days, accounts, categories, payees or tags are chosen, or one of them is wrong
	Sections []ReportSection
	Notes    []string         // what is left out
	Saved    []Filter         // reports that are kept, by their names
	Save     *SavedReportForm // keeps this one; nil when it is kept already
	Change   string           // where it has another name or is deleted, when it is kept
	Rates    bool             // something was converted, or could be with exchange rates
	Export   string           // address of the file
	Empty    string           // why there is nothing to show
}

// SavedReportForm keeps a report under a name. Form fields: name; report, which is the query of its address.
type SavedReportForm struct {
	Action  string
	Address string
	Name    ui.Input
}

// SavedReportView is the page of a saved report, or of one that could not be saved.
type SavedReportView struct {
	layout.Frame
	Title  string
	Form   SavedReportForm
	Open   string // the report
	Delete string // empty for one that is not saved
}

// ReportSection is a chart, a table, or both, of one currency.
type ReportSection struct {
	ID, Title string
	Chart     templ.Component // nil for none
	Table     ReportTable     // none when it has no head
	Notes     []string        // what converted totals leave out, and the rates; none without a conversion
}

// ReportTable is a table of figures. The first column names its lines.
type ReportTable struct {
	Head []string
	Rows [][]ReportCell
}

// sentences reports whether a column contains sentences instead of figures.
func (t ReportTable) sentences(column int) bool {
	return len(t.Rows) > 0 && column < len(t.Rows[0]) && t.Rows[0][column].Long
}

// ReportCell is a text or a figure.
type ReportCell struct {
	Text   string
	Amount *ui.Money // before the text, if any
	Long   bool      // the text is as long as a sentence
	Href   string    // of the transactions behind it; may be empty
}
