package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// ImportView asks for a file with transactions. Form fields: file, account.
type ImportView struct {
	layout.Frame
	Problem  string // with the file
	Limits   string // which files, and how large
	Accounts []ui.Option
	Draft    string // path of the file that was chosen before and not imported; empty for none
	Past     []ImportRow
}

// ImportRow is a file that was imported.
type ImportRow struct {
	File, Note, Account string
	State               string // "Undone"; usually empty
	Undo                string // path of the question; empty when it was undone
}

// ImportPreviewView shows what a chosen file would bring. One form posts account or account0 and so on, name, currency, column0 and so on, days, decimal,
// encoding and turned. The other posts row, the positions of doubtful rows to import, and categories.
type ImportPreviewView struct {
	layout.Frame
	File, Format, Into string
	Accounts           []ui.Option  // none when the file has several
	Parts              []ImportPart // of a file with several accounts
	Name, Currency     ui.Input     // of a new account; zero for others
	Categories         []string     // of the file, which the person does not have
	Columns            []ImportColumn
	Days, Decimals     []ui.Option
	Encodings          []ui.Option // none when the file names its own
	Turned             bool
	Unclear            bool     // a person should look at the dates and amounts
	Lacks              []string // columns without which nothing can be read
	New, There, Unsure int
	Summary            []string
	Fresh, Doubtful    []ImportedRow // the first of them
	Unread             []ui.Fact     // line and reason
	Ready              bool          // there is something to import
}

// ImportPart is an account of a file, with the accounts into which its rows can go.
type ImportPart struct {
	Field, Name, Note string
	Options           []ui.Option
}

// ImportColumn is a column of a table.
type ImportColumn struct {
	Field, Name string
	Sample      []string
	Options     []ui.Option
}

// ImportedRow is a row of a file.
type ImportedRow struct {
	Line, Name, Text string
	Account          string // into which it goes; empty when the file has one
	Day              ui.Time
	Amount           ui.Money
	Value            string // of the form field "row"
}

// ImportUndoView asks before an import is undone.
type ImportUndoView struct {
	layout.Frame
	File, Action        string
	Goes, Edited, Stays string // sentences; Edited and Stays may be empty, and Accounts
	Accounts            string
	Undone              bool
}
