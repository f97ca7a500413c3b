package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// KeptAccount is shown on the page of an account without a bank, which the person keeps.
type KeptAccount struct {
	AddRow string      // path of the form for a transaction; empty when it accepts none
	Valued bool        // it has values by date in place of transactions
	Values []KeptValue // of such an account, the latest first
	Value  ValueForm
	Edit   string // path of the form with its name
	Delete string // path of the question whether to delete it
	Close  string // path of the form that closes or opens it. Form field: closed, "yes" or "no"
	Closed bool
}

// KeptValue is the value of an account on a day.
type KeptValue struct {
	Day    ui.Time
	Amount ui.Money
	Remove string // value of the form field "remove" that takes it away
}

// ValueForm asks what was on an account, or what it was worth. Form fields: amount, day.
type ValueForm struct {
	Stored                bool // it holds an amount that was saved before
	Action, Title, Button string
	Amount, Day           ui.Input
	Hidden                bool // the account is closed
}

// AccountFormView is the form of an account that the person keeps. Form fields: source, name, type, currency, institution, number, amount, day. Fields that
// cannot be changed later are only in the form of a new account.
type AccountFormView struct {
	layout.Frame
	Title       string
	Lead        string
	Action      string
	Back        ui.Link
	New         bool
	Sources     []ui.Option // kinds of keeping it
	Name        ui.Input
	Types       []ui.Option
	Currency    ui.Input
	Institution ui.Input
	Number      ui.Input
	Amount      ui.Input
	Day         ui.Input
	Button      string
}

// RowFormView is the form of a transaction that the person writes. Form fields: direction ("out" or "in"), amount, day, payee, text.
type RowFormView struct {
	layout.Frame
	Title      string
	Action     string
	Back       ui.Link
	Directions []ui.Option
	Amount     ui.Input
	Day        ui.Input
	Payee      ui.Input
	Text       ui.Input
	Delete     string // path of the form that deletes it; empty for a new one
}
