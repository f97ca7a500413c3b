package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// TransactionView is everything that is known about one transaction.
type TransactionView struct {
	layout.Frame
	SharedBy       string // whose the account is; empty for the person's own
	SharedCategory string // there is nothing to choose from; empty for the person's own, and where there is none
	AccountID      string
	AccountName    string
	Bank           Bank
	Title          string     // the counterparty, or the user's own account on the other side, else the first line of the text
	Direction      words.Text // "Paid to", "Received from", "To your account"; empty when there is no counterparty
	OwnAccount     string     // path of the own account on the other side; empty when it is none
	Amount         ui.Money
	Status         ui.Badge // from StatusWords
	StatusCode     string   // "BOOK"
	Notice         *ui.Notice
	Category       CategoryCard
	Split          SplitCard
	Expense        *ui.Link // to the shared expense that it is, or to the form that makes it one; nil where nobody is there to share it with
	ExpenseNote    string
	Transfer       TransferCard
	Recurring      RecurringCard
	Debit          DebitCard
	History        HistoryCard
	Merge          MergeCard
	Name           NameCard
	Rules          RuleCard
	Attachments    AttachmentsCard
	Payment        *ui.Link   // the payment of the user that it is the booking of; nil without
	PaymentIs      words.Text // what of that payment it is, with a place for its title: "This is your payment to %s."
	PaymentDay     string     // of a standing order: the day, for which PaymentIs has a place before the title; usually empty
	PaymentNote    string     // "You confirmed it on 3 October."
	InTotal        []ui.Link  // the payments of a file that it is the total of, in place of Payment; else empty
	Receipt        string     // path of its receipt; empty without
	Own            AnnotationView
	Remittance     []string  // the lines as the bank sent them
	Dates          []ui.Fact // Transaction, Booking, Value
	Counterparty   []ui.Fact // Name, Account, Bank, Address
	Amounts        []ui.Fact // Balance afterwards, Original amount, Exchange rate
	References     []ui.Fact // Reference number, Entry reference, Bank code, Merchant category
	Edit           string    // path of the form that changes it; empty when the bank says what it is
	Pay            *ui.Link  // pay again, or back; nil when nothing can be paid
	Original       string    // the record as the bank sent it, indented
	Fetched        string    // "Fetched on 3 October 2026 at 14:02"
}
