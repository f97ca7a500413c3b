package pages

import (
	"strconv"

	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// SettlingView shows who owes whom.
type SettlingView struct {
	layout.Frame
	New        string // where an expense is added; empty for who only looks
	Export     string // a file with all rows; empty without any
	Alone      bool   // there are no other users
	None       bool   // nothing was ever shared
	Owner      bool   // the visitor can invite others
	Currencies []SettlingCurrency
	Chains     []SettlingChain // fewer payments that replace the debts; none when they would not be fewer
	UnderWay   []SettlingRow   // payments whose end is not known
	Expenses   []SettlingRow   // the latest
	Pages      ui.Pager
	Account    ui.Fact // where the visitor wants to be paid
	AccountAt  string  // the form for it; empty for who only looks
}

// SettlingCurrency shows what the visitor owes and is owed in a currency.
type SettlingCurrency struct {
	Code   string
	Text   string // "You get 30.00 EUR in all."
	People []SettlingPerson
}

// SettlingPerson is a person who owes the visitor something, or to whom the visitor owes something.
type SettlingPerson struct {
	Name   string
	Text   string // "owes you", "you owe"
	Amount ui.Money
	Href   string // the rows behind the amount, and what settles it
	Bar    SettlingBar
}

// SettlingBar shows an amount as a bar, to the right of the middle when the person owes the visitor, else to the left. Its line says the same in words.
type SettlingBar struct {
	Length int // in per cent of the largest
	Gives  bool
}

func (b SettlingBar) x() string {
	if b.Gives {
		return strconv.Itoa(100 - b.Length)
	}
	return "100"
}

func (b SettlingBar) width() string { return strconv.Itoa(b.Length) }

// SettlingChain is one payment that replaces several.
type SettlingChain struct {
	Text   string // "You pay cy@example.org 10.00 EUR"
	Note   string // the debts that it replaces
	Amount ui.Money
	Action string // the form that prepares the payment; empty where the visitor gets it
	Value  string // of the field "currency"
}

// SettlingRow is an expense or a settlement in a list.
type SettlingRow struct {
	Title  string
	Href   string // empty for none
	Notes  []string
	Amount ui.Money
	Side   string // below the amount
	Mark   *ui.Badge
	Struck bool // it does not count
	Undo   *SettlingUndo
	Pay    *ui.Link // the payment, for who pays
}

// SettlingUndo is the form that marks a settlement as not counting, or as counting again. Field: undone.
type SettlingUndo struct {
	Action, Value, Text string
	With                string // the person whose page shows it: field "with"
}

// SettlingWithView shows what two people owe each other.
type SettlingWithView struct {
	layout.Frame
	Name    string
	Gone    string // a sentence, of somebody who uses this Florin no more
	New     string // where an expense is added; empty for who only looks
	Debts   []SettlingDebt
	Notice  *ui.Notice // what is wrong with a form, or missing
	Rows    []SettlingRow
	Total   string // of how many rows the page shows a part; empty for all
	Pages   ui.Pager
	Writes  bool // the visitor changes something
	Person  string
	Receive ui.Link // where the visitor says where to be paid; empty when it is said
}

// SettlingDebt is what one of two people owes the other in a currency. The form for cash has the fields id, currency, direction and amount.
type SettlingDebt struct {
	Currency string
	Text     string // "You owe bo@example.org"
	Amount   ui.Money
	Gives    bool // the visitor owes it
	Pay      bool // a payment can be prepared
	NoPay    string
	CashID   string
	Cash     ui.Input
	CashText string // of the button
	CashNote string
}

// ExpenseView is the form for an expense, or an expense to look at. Form fields: id, revision, account, transaction, text, day, amount, currency, payer, how,
// and for each person in-ID, weight-ID and amount-ID; do: save, or one of the ways to divide.
type ExpenseView struct {
	layout.Frame
	Title   string
	Back    ui.Link
	Action  string
	Hidden  []Hidden
	Notice  *ui.Notice
	Facts   []ui.Fact // what cannot be changed, for one with a booking; all of it for who only looks
	Booking string    // the transaction; empty for none
	Form    bool
	Text    ui.Input
	Day     *ui.Input
	Amount  *ui.Input
	Choose  []ui.Option // of the currency; none where it is settled
	Payers  []ui.Option // none where it is settled
	Ways    []PayType
	How     string
	Hint    string // how the chosen way works
	People  []ExpensePerson
	Save    string
	Delete  string // the form that deletes it; empty for none
	Restore string // the form that takes that back; empty for none
	Changed string // a sentence: who changed it last
	ByRule  string // a sentence: a rule shared it; empty where a person did
	Rule    string // address of that rule; empty for anybody but the payer, and when it is gone
}

// ExpensePerson is a person in the form for an expense.
type ExpensePerson struct {
	Name  string
	Check string    // the name of the field with the value "yes"; empty where a number says it
	In    bool      // the box is ticked
	Field *ui.Input // shares or amount
	Part  string    // what the share comes to; empty while it is not known
}

// ReceivingView is the form for the account on which the visitor wants to be paid. Form fields: own, name, iban.
type ReceivingView struct {
	layout.Frame
	Own    []ui.Option
	Name   ui.Input
	IBAN   ui.Input
	Proof  Proof
	Is     bool // one is set
	Notice *ui.Notice
}
