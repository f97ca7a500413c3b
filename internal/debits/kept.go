package debits

import (
	"time"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// Topic is that of the events that tell open pages that something was found. They have no ID.
const Topic = "debits"

// Kept is a finding that is stored.
type Kept struct {
	Kind   Kind
	Found  time.Time
	Closed time.Time        // when a person said that it is right; zero while it is open
	Was    money.Amount     // see Finding
	Other  openbanking.Date // Twice: the day of the debit before; "" when its row is gone
}

// Held is a direct debit that is stored, with what was told of it.
type Held struct {
	finance.FoundRow

	Owner    string // the address of whose account it is; "" for the person's own
	Day      openbanking.Date
	Creditor string // as the bank writes it; "" when it does not, as Mandate
	Mandate  string
	Scheme   Scheme
	Back     openbanking.Date // on which it came back; "" when it did not
	Findings []Kept
}

// Until says until which day the bank has to refund it.
func (h Held) Until() Until { return UntilOf(h.Day, h.Scheme) }

// Open reports whether something was told of it that nobody has closed: it has not come back, and the eight weeks are not over, in any scheme.
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

// Mandate is by what a creditor takes money from an account.
type Mandate struct {
	Last  Held // its last debit
	Count int  // debits in the last time
}
