package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// BulkStartView asks from which account to pay many payments at once.
type BulkStartView struct {
	layout.Frame
	Simulated bool // every account that can pay is at a simulated bank
	Accounts  []PayAccount
	Others    []PayAccount // from which no bulk can be paid, with the reason
}

// BulkView is the form for many payments at once. It posts to paths.PayBulk. Form fields: those of Hidden, text, file, agree.
type BulkView struct {
	layout.Frame
	Simulated bool
	Account   PayAccount
	Hidden    []Hidden
	Again     string // the payment whose failed parts are paid again; empty for a new one
	Text      string
	Limits    string // of the file: its size, and how many payments
	Notice    *ui.Notice
	Notes     []string // how further instructions of the file are handled

	FileProblem string // why the chosen file was not taken
	FileWrong   string // why the text cannot be read at all

	Wrong  []BulkLine // with something to mend
	Doubts []BulkDoubt
	Good   []BulkLine
	Count  string // "12 payments"
	Totals []ui.Money
}

// BulkDoubt is something about the file that has to be agreed to. Form field: agree.
type BulkDoubt struct {
	Key    string
	Title  string // "12.50 EUR to ACME, 2 times"
	Text   string
	Lines  []BulkLine
	More   string // how many lines are not shown; empty for none
	Box    string // what the person agrees to
	Ticked bool
}

// BulkLine is one payment of the file.
type BulkLine struct {
	Line     string
	Payee    string
	Account  string
	Amount   *ui.Money // nil when it cannot be read
	Text     string
	Problems []string
}

// bulkSample is a file of two payments, as the person's spreadsheet would write it.
const bulkSample words.Text = `name;iban;amount;text
Verein Lindenhof;DE89 3704 0044 0532 0130 00;12.50;Membership 2026
Chaussures Martin;FR14 2004 1010 0505 0001 3M02 606;80.00;Invoice 4711`
