package pages

import (
	"florin/web/templates/layout"
	"florin/web/templates/ui"
)

// DirectDebitsView lists creditors with mandates, and debits with findings.
type DirectDebitsView struct {
	layout.Frame
	Whose    *Whose
	Open     []RecurringRow // what is to be checked; Range says until when the bank refunds it
	Mandates []RecurringRow // the last debit of each
	Done     []RecurringRow // what was checked, came back, or is too old
}

// DirectDebitView is the page of a direct debit.
type DirectDebitView struct {
	layout.Frame
	ID          int64
	Title       string
	Amount      ui.Money
	Owner       string // whose account it is; empty for the person's own
	Transaction string // path of its page
	Findings    []ui.Notice
	Open        bool   // something is not closed
	Closed      bool   // something is
	Back        string // "It came back on 3 October."; empty when it did not
	Until       string // until when the bank refunds it; empty when that is over
	Facts       []ui.Fact
	Letters     []DebitLetter // none for the account of another
}

// DebitLetter is a text to send.
type DebitLetter struct {
	ID, Title string
	Hint      string // to whom, and by when
	Text      string
}

// DebitCard says what is known of the direct debit behind a transaction.
type DebitCard struct {
	Href  string // of its page; empty: there is none
	Marks []ui.Badge
	Until string
	Back  string
}
