package finance

import (
	"errors"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// MaxOpenRequests is how many payments a person may ask others for at a time.
const MaxOpenRequests = 20

// MaxRequestNote is how many characters the note of a request has at most, and the word with which it is declined.
const MaxRequestNote = 140

var (
	// ErrManyRequests says that a person asks for MaxOpenRequests payments already.
	ErrManyRequests = errors.New("too many payments are asked for already; wait until some are paid, or withdraw some")
	// ErrRequestOver says that a request is not open any more: it was declined, withdrawn or paid, or its payment is under way.
	ErrRequestOver = errors.New("this request is not open any more")
)

// RequestState is how a payment stands that one person asks another to make.
type RequestState string

// Values of RequestState.
const (
	RequestAsked     RequestState = "asked"
	RequestPrepared  RequestState = "prepared" // there is a draft, or the payment is on its way
	RequestPaid      RequestState = "paid"     // the bank booked it, or says that it carried it out
	RequestDeclined  RequestState = "declined"
	RequestWithdrawn RequestState = "withdrawn"
)

// Open reports whether something is still to happen.
func (s RequestState) Open() bool { return s == RequestAsked || s == RequestPrepared }

// PaymentRequest is a payment that one person of the household asks another to make. Nothing of it is trusted: for the payer it is what somebody typed.
type PaymentRequest struct {
	ID      string
	FormKey string // of the asker's form
	Asker   Person
	Payer   Person

	Payee  string
	IBAN   string
	Amount money.Amount
	Text   string           // for the payee
	Day    openbanking.Date // "" for as soon as possible
	Note   string           // for the payer alone

	State   RequestState
	Answer  string // the word with which it was declined
	Other   bool   // it was paid, and with another amount
	Created time.Time
	Changed time.Time // when it was last declined or withdrawn

	// What the payer alone is told of the payment.
	PaymentID string
	Sent      bool // it is no draft any more
}

// Person is somebody of the household, as others know them.
type Person struct{ ID, Email string }
