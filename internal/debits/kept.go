package debits

import (
	"time"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// Topic is the topic of the events that report a new finding to open pages. They have no ID.
const Topic = "debits"

// Kept is a stored finding.
type Kept struct {
	Kind   Kind
	Found  time.Time
	Closed time.Time        // when a person said that the debit is right; zero while the finding is open
	Was    money.Amount     // see Finding
	Other  openbanking.Date // Twice: the day of the earlier debit; "" when its row was deleted
}

// Held is a stored direct debit with its findings.
type Held struct {
	finance.FoundRow

	Owner    string // the address of the account's owner; "" for the person's own account
	Day      openbanking.Date
	Creditor string // as the bank writes it, as is Mandate; "" when it does not
	Mandate  string
	Scheme   Scheme
	Back     openbanking.Date // the day of its return; "" without one
	Findings []Kept
}

// Until returns the last days on which the bank has to refund it.
func (h Held) Until() Until { return UntilOf(h.Day, h.Scheme) }

// Open reports whether the debit has an open finding, was not returned, and is not older than eight weeks (in any scheme).
func (h Held) Open(today openbanking.Date) bool {
	if h.Back != "" || UntilOf(h.Day, Core).Authorised < today {
		return false
	}
	for _, f := range h.Findings {
		if f.Closed.IsZero() {
			return true
		}
	}
	return false
}

// Mandate is a mandate under which a creditor collects money.
type Mandate struct {
	Last  Held // its last debit
	Count int  // debits in the period for which mandates are listed
}
