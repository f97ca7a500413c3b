package pages

import (
	"slices"

	"florin/web/templates/ui"
)

// List is a page of the booked transactions of one or all accounts, narrowed down by a search, with the pending ones above them.
type List struct {
	Path         string       // path of its page, to which the search is sent
	Searching    bool         // the field is shown
	Label        string       // of the field: "Search in all accounts"
	Whose        string       // value of the form field "whose"; empty: there is none
	Export       string       // path of the form for a file with what is found
	Text         string       // the search as typed
	Fault        *SearchFault // nil: it was understood
	Saved        []Filter     // searches that are kept, by their names
	Save         string       // address of the form that keeps this search; empty: there is nothing to keep
	Filters      []Filter
	Accounts     []Filter
	Unready      *ui.Notice // why the list lacks rows; nil when it does not
	Totals       []SearchTotal
	Capped       string           // that the totals are of the newest alone; may be empty, as the next
	LeftOut      string           // what the totals do not include
	Pending      []TransactionRow // on the newest page alone
	PendingCount string           // "2 pending transactions"
	PendingTotal *ui.Money        // nil when there is nothing pending or currencies differ
	Days         []Day            // newest first
	Range        string           // "3 October to 12 September 2026"; empty when Days is
	Back         string           // address of this list, to return to after accepting a suggestion; empty without one
	Empty        string           // why there are none: "The first sync is still running."
	Pager        ui.Pager
}

// SearchFault marks the part of a search that could not be parsed.
type SearchFault struct {
	Before, Text, After string
	Problem             string // what is wrong and what is meant, with the place
	Meant               *ui.Link
}

// SearchTotal is the total of the rows in one currency.
type SearchTotal struct {
	Count        string // "12 transactions"
	In, Out, Net ui.Money
}

// Day groups the transactions of one date.
type Day struct {
	Date ui.Time
	Rows []TransactionRow
}

// TransactionRow is one transaction in a list. It is kept flat and plain, because a page has fifty of them.
type TransactionRow struct {
	ID      string // empty for pending rows
	Href    string // empty: it has no page of its own
	Name    string // the counterparty, else the first line of the text
	Text    string // remittance text in one line; may be empty
	Amount  ui.Money
	Note    string // below the amount: "−20.00 USD", a status that is not booked; may be empty
	Account string // "Groceries · Everyday, Arno Bank", without the account in a list of one; may be empty
	New     bool   // the person has not looked at it yet

	Suggestion *Suggestion // nil: none
}

// Suggestion is a category that a transaction may have. Form fields: category, its ID; back, the address of the list.
type Suggestion struct {
	Action string // where the choice goes
	ID     string
	Name   string
}

// suggests reports whether a row of the list suggests a category: its button belongs to a form of the whole list.
func (v List) suggests() bool {
	return v.Back != "" && slices.ContainsFunc(v.Days, func(d Day) bool {
		return slices.ContainsFunc(d.Rows, func(t TransactionRow) bool { return t.Suggestion != nil })
	})
}
