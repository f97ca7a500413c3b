package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// AskView is the form with which a person asks somebody of the household for a payment. It posts to paths.NewRequest. Form fields: person, payee, iban, amount,
// currency, text, day, note.
type AskView struct {
	layout.Frame
	Nobody        bool // there is nobody to ask
	Owner         bool // the person can invite somebody
	Notice        *ui.Notice
	Stored        bool // it contains an amount that was not just typed
	Hidden        []Hidden
	People        []ui.Option // where there are several the first one is empty
	PersonProblem string
	Payee, IBAN   ui.Input
	Amount        ui.Input
	Currencies    []ui.Option
	Text          ui.Input
	Day           ui.Input
	Note          ui.Input
	Most          string // how many there can be
}

// RequestView is the page of what one person asks another to pay, for one of the two.
type RequestView struct {
	layout.Frame
	Title    string // "Asked by ann@example.org"
	Status   ui.Badge
	Text     string
	Amount   ui.Money
	Facts    []ui.Fact
	Pay      ui.Link  // to the form, the draft or the payment; empty for none
	Decline  string   // address of the form; empty for none
	Answer   ui.Input // of that form
	Withdraw string   // address of the form; empty for none
}

// RequestsView lists all requests of a person.
type RequestsView struct {
	layout.Frame
	CanAsk bool // there is somebody to ask
	Open   []RequestRow
	Over   []RequestRow
}

// RequestsCard lists open requests above the list of payments.
type RequestsCard struct{ Rows []RequestRow }

// RequestRow is a request in a list.
type RequestRow struct {
	Href   string
	Payee  string
	Detail string // "Asked by ann@example.org"
	Day    string // "for 1 December 2026"; empty for none
	Amount ui.Money
	Status ui.Badge
}
