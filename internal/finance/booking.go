package finance

import (
	"strings"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// Booking is a booked transaction that may be the booking of a payment.
type Booking struct {
	ID                  int64
	AccountID           string
	Amount              money.Amount // signed
	Date                openbanking.Date
	Counterparty        string
	CounterpartyAccount string
	Remittance          string
	Record              string // as received, where the end-to-end id hides
}

// Days around the date of a payment in which its booking is looked for.
const (
	bookedBefore = 1
	bookedAfter  = 10
)

// BookedBetween are the first and the last day on which a payment can have been booked: around the day on which it was sent, or which was asked for.
func (p Payment) BookedBetween() (from, until openbanking.Date) {
	day := p.Sent
	from = openbanking.DateOf(day.AddDate(0, 0, -bookedBefore))
	if wanted, err := p.Order.ExecutionDate().Time(); err == nil && wanted.After(day) {
		day = wanted
	}
	if p.Stops.Sent.After(day) {
		day = p.Stops.Sent
	}
	return from, openbanking.DateOf(day.Add(bookedAfter * 24 * time.Hour))
}

// MatchBooking finds the booking of a transfer: the one whose record has its end-to-end id, else the first that agrees in amount and account, or in amount and name where the bank
// gives no account. bookings are of the payer's accounts, in order of date.
func MatchBooking(t PaymentTransfer, bookings []Booking) (id int64, ok bool) {
	fits := []func(b Booking) bool{
		func(b Booking) bool {
			return len(t.EndToEndID) >= 8 && strings.Contains(squeeze(b.Record), squeeze(t.EndToEndID))
		},
		func(b Booking) bool {
			return b.CounterpartyAccount != "" && compactNumber(b.CounterpartyAccount) == t.Account.Number
		},
		func(b Booking) bool { return b.CounterpartyAccount == "" && sameName(b.Counterparty, t.Payee) },
	}
	for _, fit := range fits {
		for _, b := range bookings {
			if b.Amount == t.Amount.Neg() && fit(b) {
				return b.ID, true
			}
		}
	}
	return 0, false
}
