package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// TransactionView is everything that is known about one transaction.
type TransactionView struct {
	layout.Frame
	AccountID    string
	AccountName  string
	Bank         Bank
	Title        string // the counterparty, or the user's own account on the other side, else the first line of the text
	Direction    string // "Paid to", "Received from", "To your"; empty when there is no counterparty
	OwnAccount   string // path of the own account on the other side; empty when it is none
	Amount       ui.Money
	Status       ui.Badge // from StatusWords
	StatusCode   string   // "BOOK"
	Notice       *ui.Notice
	Payment      *ui.Link  // the payment of the user that it is the booking of; nil without
	PaymentIs    string    // what of that payment it is: "This is what your bank booked for it:"
	PaymentNote  string    // "Confirmed by you on 3 October."
	Receipt      string    // path of its receipt; empty without
	Remittance   []string  // the lines as the bank sent them
	Dates        []ui.Fact // Transaction, Booking, Value
	Counterparty []ui.Fact // Name, Account, Bank, Address
	Amounts      []ui.Fact // Balance afterwards, Original amount, Exchange rate
	References   []ui.Fact // Reference number, Entry reference, Bank code, Merchant category
	Pay          *ui.Link  // pay again, or back; nil when nothing can be paid
	Original     string    // the record as the bank sent it, indented
	Fetched      string    // "Fetched on 3 October 2026 at 14:02"
}
