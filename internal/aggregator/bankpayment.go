package aggregator

import (
	"slices"
	"time"

	"florin/internal/openbanking"
)

// BankAccountKey names an account of a simulated bank.
type BankAccountKey struct {
	ASPSP     openbanking.ASPSP
	Reference string // the bank's own account id
}

// BankOrder is a payment that a PSU has approved at a simulated bank: the bank's row, not the service's. What becomes of it is
// decided at the approval, so that its status at a moment follows from the row and the clock alone; the row never changes.
type BankOrder struct {
	ASPSP    openbanking.ASPSP
	Order    PaymentOrder
	Number   int64  // in the order of the approvals at all banks; given by the store
	Username string // who has approved it
	Account  string // reference of the account that it goes from
	Approved time.Time
	Plan     BankPlan
}

// BankPlan is what becomes of an order.
type BankPlan struct {
	Steps     []BankPlanStep `json:"steps"`     // of the payment, by time; none: it stays PDNG
	Transfers []BankTransfer `json:"transfers"` // one for each transaction, in their order
}

// BankPlanStep is a status of an order and when it is reached.
type BankPlanStep struct {
	At     time.Time                            `json:"at"`
	Status openbanking.PaymentStatus            `json:"status"`
	Reason *openbanking.StatusReasonInformation `json:"reason,omitempty"`
}

// BankTransfer is the course of one transaction of an order; for a standing order, that of its first execution. Times of events that never happen are zero.
type BankTransfer struct {
	Total         string           `json:"total,omitempty"` // the id of those that are booked at the debtor as one sum; empty: it is booked by itself
	Steps         []BankPlanStep   `json:"steps"`
	ExecutionDate openbanking.Date `json:"execution_date,omitempty"` // another one than was asked for; else empty
	Debit         int64            `json:"debit"`                    // positive, in minor units of the debtor account
	Credit        int64            `json:"credit,omitempty"`         // the same of the creditor account
	Creditor      *BankAccountKey  `json:"creditor,omitempty"`       // an account of a simulated bank; nil: elsewhere
	Shown         time.Time        `json:"shown,omitzero"`           // when the ledgers show it, pending
	Booked        time.Time        `json:"booked,omitzero"`          // when it is booked at the debtor
	Credited      time.Time        `json:"credited,omitzero"`        // when it is booked at the creditor
	Gone          time.Time        `json:"gone,omitzero"`            // when it is over without a booking
}

// TotalAt returns how the transfer at index is booked at the debtor. parts is how many transfers are booked with it as one sum, itself included. sum is
// their sum for the first of them, and zero for the others. Transfers that the bank rejects, or books at another time, are not part of it. A transfer that
// is booked by itself has one part.
func (p BankPlan) TotalAt(index int) (sum int64, parts int) {
	of := &p.Transfers[index]
	if of.Total == "" || !of.inTotal() {
		return of.Debit, 1
	}
	first := -1
	for i := range p.Transfers {
		if t := &p.Transfers[i]; t.Total == of.Total && t.inTotal() && t.Shown.Equal(of.Shown) && t.Booked.Equal(of.Booked) {
			if first < 0 {
				first = i
			}
			sum, parts = sum+t.Debit, parts+1
		}
	}
	if first != index {
		sum = 0
	}
	return sum, parts
}

// inTotal reports whether a transfer comes to a booking.
func (t BankTransfer) inTotal() bool { return !t.Shown.IsZero() && t.Gone.IsZero() }

// Until returns the steps of the plan up to a moment.
func (p BankPlan) Until(now time.Time) []BankPlanStep {
	n := slices.IndexFunc(p.Steps, func(step BankPlanStep) bool { return now.Before(step.At) })
	if n < 0 {
		n = len(p.Steps)
	}
	return p.Steps[:n:n]
}

// At returns the plan's step at a moment; PDNG before the first.
func (p BankPlan) At(now time.Time) BankPlanStep { return stepAt(p.Steps, now) }

// At returns the step of a transaction at a moment; PDNG before the first.
func (t BankTransfer) At(now time.Time) BankPlanStep { return stepAt(t.Steps, now) }

func stepAt(steps []BankPlanStep, now time.Time) BankPlanStep {
	at := BankPlanStep{Status: openbanking.PaymentStatusPDNG}
	for _, step := range steps {
		if now.Before(step.At) {
			break
		}
		at = step
	}
	return at
}

// Accounts are the accounts that the order moves money on, in no order, each once.
func (o BankOrder) Accounts() []BankAccountKey {
	list := []BankAccountKey{{o.ASPSP, o.Account}}
	seen := map[BankAccountKey]bool{list[0]: true}
	for _, t := range o.Plan.Transfers {
		if t.Creditor != nil && !seen[*t.Creditor] {
			seen[*t.Creditor] = true
			list = append(list, *t.Creditor)
		}
	}
	return list
}

// Moves reports whether the order moves, or might have moved, money on an account.
func (o BankOrder) Moves() bool {
	for _, t := range o.Plan.Transfers {
		if !t.Shown.IsZero() {
			return true
		}
	}
	return false
}

// BankOrders returns the approved orders that move money on an account of a simulated bank, in the order of the approvals: those
// after a number.
type BankOrders func(account BankAccountKey, after int64) ([]BankOrder, error)
