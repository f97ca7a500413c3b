// Package paymentrules holds the rules that a payment keeps: those of every payment, and those that a bank states for a
// payment type in its ResponsePaymentType. Both halves of Florin check with it, the service what it is asked for and the
// web app what its forms send. It says what is wrong in facts; each half has words of its own for them.
package paymentrules

import (
	"florin/internal/openbanking"
)

// Fault is one broken rule. It holds no number or name that the client sent, so it may be logged.
type Fault struct {
	Field Field
	Rule  Rule
}

// MaxFaults bounds how many faults of one payment are reported: a bulk can have one in each of thousands of transactions.
const MaxFaults = 50

// Check returns the rules that a payment breaks, in the order of its fields; none: it is accepted. kind is what the bank
// says of the payment type, today the date at the bank. limit is the largest sum of a payment in each currency, as a
// decimal; empty: there is none. What can be decided without the bank is all checked here, but for allowed_auth_methods, which
// is about how the PSU signs in, and final_successful_statuses, which is about what the bank answers.
func Check(kind openbanking.ResponsePaymentType, request openbanking.PaymentRequestResource, today openbanking.Date, limit string) []Fault {
	date, _ := today.Time() // a day that is none is the first of all, after which every other one is too far
	c := &checker{kind: kind, today: date, limit: limit}
	c.payment(request)
	return c.faults
}
