// Package settling is who owes whom in a household: expenses that several people share, what settles them, and what follows from both. A person is named by an
// id that lasts longer than the person stays. Nothing here does any I/O.
package settling

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// Topic is the topic of an event that says: what the user shares of expenses with others has changed.
const Topic = "settling"

// Method is how an expense is divided.
type Method string

// Values of Method.
const (
	Equally   Method = "equal"   // the same for everybody
	ByShares  Method = "shares"  // in proportion to whole numbers
	ByAmounts Method = "amounts" // as the amounts say
)

// Methods are all of them.
var Methods = []Method{Equally, ByShares, ByAmounts}

// What an expense may have at most.
const (
	MaxPeople = 50
	MaxText   = 140               // characters
	MaxWeight = 1000              // shares of one person
	MaxMinor  = 1_000_000_000_000 // of the smallest unit of a currency: so many of them can be added up
)

// What is wrong with an expense.
var (
	ErrNoText   = errors.New("the expense has no text")
	ErrLongText = errors.New("the text is longer than MaxText")
	ErrNothing  = errors.New("the amount is zero")
	ErrTooMuch  = errors.New("the amount is more than MaxMinor")
	ErrAlone    = errors.New("nobody but the payer takes part")
	ErrTwice    = errors.New("somebody takes part twice")
	ErrPeople   = errors.New("more than MaxPeople take part")
	ErrWeight   = errors.New("a share is below zero or above MaxWeight, or all are zero")
	ErrRest     = errors.New("the amounts do not come to the whole amount")
	ErrSign     = errors.New("an amount has another direction than the whole")
	ErrMethod   = errors.New("the way to divide is not known")
)

// Share is the part of one person in an expense.
type Share struct {
	Person string
	Weight int64        // of ByShares; 0 for the other methods
	Amount money.Amount // in the direction of the expense; zero where a small expense leaves nothing
}

// Expense is something that one person paid and several share. An amount below zero is money that came back to the payer.
type Expense struct {
	ID       string
	Revision int // counts its changes, from 1
	Payer    string
	Date     openbanking.Date
	Text     string
	Amount   money.Amount
	Method   Method
	Shares   []Share

	AccountID     string // of the payer, with the booking; "" where there is none, and for everybody but the payer
	TransactionID int64  // the booking; 0 likewise
	Booked        bool   // it has a booking: payer, day and amount are those of the bank
	Rule          string // the rule of the payer that shared it; "" where a person did
	ChangedBy     string // the person who changed it last
	Changed       time.Time
	Deleted       bool // by a person; it can be taken back
}

// Takes reports whether a person paid the expense or has a share of it.
func (e Expense) Takes(person string) bool {
	return e.Payer == person || slices.ContainsFunc(e.Shares, func(s Share) bool { return s.Person == person })
}

// Part is the share of a person; zero in the currency of the expense when they have none.
func (e Expense) Part(person string) money.Amount {
	for _, s := range e.Shares {
		if s.Person == person {
			return s.Amount
		}
	}
	return money.FromMinor(0, e.Amount.Currency())
}

// Divide returns the expense with the amounts of its shares, by its method: equally, by the weights, or by the amounts that the shares have. The shares
// always come to the whole amount, to the smallest unit: what is left over after dividing goes, one unit each, to those who lost most by rounding, of these
// to the payer first, then by their ids.
func Divide(e Expense) (Expense, error) {
	e.Shares = slices.Clone(e.Shares)
	slices.SortFunc(e.Shares, func(a, b Share) int { return cmp.Compare(a.Person, b.Person) })
	if err := e.check(); err != nil {
		return e, err
	}
	var weights int64
	for i := range e.Shares {
		s := &e.Shares[i]
		switch e.Method {
		case Equally:
			s.Weight = 1
		case ByAmounts:
			s.Weight = 0
		}
		if s.Weight < 0 || s.Weight > MaxWeight {
			return e, ErrWeight
		}
		weights += s.Weight
	}
	if e.Method == ByAmounts {
		return e, e.fits()
	}
	if weights == 0 {
		return e, ErrWeight
	}
	proportion(e, weights)
	if e.Method == Equally {
		for i := range e.Shares {
			e.Shares[i].Weight = 0
		}
	}
	return e, nil
}

// check holds what all methods have in common against the rules.
func (e Expense) check() error {
	others := 0
	for i, s := range e.Shares {
		if i > 0 && e.Shares[i-1].Person == s.Person {
			return ErrTwice
		}
		if s.Person != e.Payer {
			others++
		}
	}
	switch {
	case e.Text == "":
		return ErrNoText
	case len([]rune(e.Text)) > MaxText:
		return ErrLongText
	case e.Amount.IsZero():
		return ErrNothing
	case e.Amount.Abs().Minor() > MaxMinor || e.Amount.Abs().Minor() < 0:
		return ErrTooMuch
	case !slices.Contains(Methods, e.Method):
		return ErrMethod
	case others == 0:
		return ErrAlone
	case len(e.Shares) > MaxPeople:
		return ErrPeople
	}
	return nil
}

// fits holds the amounts of the shares against the whole.
func (e Expense) fits() error {
	rest := e.Amount
	for _, s := range e.Shares {
		if s.Amount.Sign() != 0 && s.Amount.Sign() != e.Amount.Sign() {
			return ErrSign
		}
		var err error
		if rest, err = rest.Sub(s.Amount); err != nil {
			return ErrRest
		}
	}
	if !rest.IsZero() {
		return ErrRest
	}
	return nil
}

// proportion gives each share of an expense what its weight comes to.
func proportion(e Expense, weights int64) {
	total := e.Amount.Abs().Minor()
	left := total
	lost := make([]int64, len(e.Shares)) // by rounding, in parts of weights
	parts := make([]int64, len(e.Shares))
	order := make([]int, len(e.Shares))
	for i, s := range e.Shares {
		parts[i], lost[i], order[i] = total*s.Weight/weights, total*s.Weight%weights, i
		left -= parts[i]
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(lost[b], lost[a]), cmp.Compare(first(e.Shares[b].Person == e.Payer), first(e.Shares[a].Person == e.Payer)))
	})
	for _, i := range order[:left] { // fewer than there are shares that lost something
		parts[i]++
	}
	for i := range e.Shares {
		e.Shares[i].Amount = money.FromMinor(parts[i], e.Amount.Currency())
		if e.Amount.Sign() < 0 {
			e.Shares[i].Amount = e.Shares[i].Amount.Neg()
		}
	}
}

func first(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Debts are what the expense leaves behind: each person with a share owes it to the payer.
func (e Expense) Debts() []Debt {
	var all []Debt
	if e.Deleted {
		return nil
	}
	for _, s := range e.Shares {
		if s.Person != e.Payer && !s.Amount.IsZero() {
			all = append(all, Debt{From: s.Person, To: e.Payer, Amount: s.Amount})
		}
	}
	return all
}
