package finance

import (
	"slices"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// Balance is one balance of an account as the bank gave it last.
type Balance struct {
	AccountID  string
	Type       openbanking.BalanceStatus
	Name       string           // the bank's label, may be empty
	Amount     money.Amount     // signed: below zero is owed
	Text       string           // the amount as the bank wrote it
	Reference  openbanking.Date // "" when not given
	LastChange time.Time        // zero when not given
	Fetched    time.Time
}

// AsOf is when the balance was true as far as known: the bank's time, else its date, else when it was fetched.
func (b Balance) AsOf() time.Time {
	if !b.LastChange.IsZero() {
		return b.LastChange
	}
	if t, err := b.Reference.Time(); err == nil {
		return t
	}
	return b.Fetched
}

// Order of preference for each line of an account. Booked lines never hold an available or expected figure.
var (
	bookedOrder = []openbanking.BalanceStatus{openbanking.BalanceStatusCLBD, openbanking.BalanceStatusITBD,
		openbanking.BalanceStatusOPBD, openbanking.BalanceStatusPRCD, openbanking.BalanceStatusVALU}
	availableOrder = []openbanking.BalanceStatus{openbanking.BalanceStatusCLAV, openbanking.BalanceStatusITAV,
		openbanking.BalanceStatusOPAV, openbanking.BalanceStatusFWAV}
	expectedOrder = []openbanking.BalanceStatus{openbanking.BalanceStatusXPCD}
	otherOrder    = []openbanking.BalanceStatus{openbanking.BalanceStatusOTHR, openbanking.BalanceStatusINFO}
)

// ChosenBalances are the figures an account shows. A nil one was not sent by the bank; it is never a zero.
type ChosenBalances struct {
	Main      *Balance // the figure shown large: the one that the person wants, else booked, else expected, else available, else any other
	Booked    *Balance
	Available *Balance
	Expected  *Balance
	Lost      bool // Main stands in for the type that the person wants, which the bank gives no more
}

// ChooseBalances picks the figures of an account in its currency. Clients agree on no order of balance types (api-notes 10),
// so each figure is shown with its type. Balances of other currencies are chosen only when none is in that of
// the account. A loan has nothing to spend: whatever its bank calls available is not shown as that.
func ChooseBalances(account Account, balances []Balance) ChosenBalances {
	own := inCurrency(account, balances)
	c := ChosenBalances{Booked: first(own, bookedOrder), Available: first(own, availableOrder), Expected: first(own, expectedOrder)}
	for _, b := range []*Balance{c.Booked, c.Expected, c.Available, first(own, otherOrder)} {
		if b != nil {
			c.Main = b
			break
		}
	}
	if c.Main == nil && len(own) > 0 {
		c.Main = &own[0]
	}
	if account.Counts != "" && account.Linked() && c.Main != nil {
		wanted := first(own, []openbanking.BalanceStatus{account.Counts})
		if c.Lost = wanted == nil || !account.MayCount(account.Counts); !c.Lost {
			c.Main = wanted
		}
	}
	if account.Type == openbanking.CashAccountTypeLOAN {
		c.Available = nil
	}
	return c
}

// inCurrency are the balances in the currency of the account; all where none is in it.
func inCurrency(account Account, balances []Balance) []Balance {
	var own []Balance
	for _, b := range balances {
		if b.Amount.Currency() == account.Currency {
			own = append(own, b)
		}
	}
	if len(own) == 0 {
		return balances
	}
	return own
}

// Counted returns the balance of an account that sums use: the type that the person has chosen, else the booked balance, else the closest one that the bank
// sends. It is nil when there is none. The available amount of a card or loan is never counted, since it is credit and not the person's money.
func Counted(account Account, balances []Balance) *Balance {
	main := ChooseBalances(account, balances).Main
	if main != nil && main.Amount.Sign() > 0 && !account.MayCount(main.Type) {
		return nil
	}
	return main
}

// Countable are the balances of which the person can choose one to count, the first of each type. None for an account that the person keeps: it has one
// balance.
func Countable(account Account, balances []Balance) (list []Balance) {
	for _, b := range inCurrency(account, balances) {
		if account.Linked() && account.MayCount(b.Type) && !slices.ContainsFunc(list, func(other Balance) bool { return other.Type == b.Type }) {
			list = append(list, b)
		}
	}
	return list
}

// MayCount reports whether the person may choose this type of balance for sums. Available balances of cards and loans are excluded: they are credit.
func (a Account) MayCount(t openbanking.BalanceStatus) bool {
	credit := a.Type == openbanking.CashAccountTypeCARD || a.Type == openbanking.CashAccountTypeLOAN
	return !credit || !slices.Contains(availableOrder, t)
}

// Booked reports whether the balance is one of bookings alone, without what is expected or could be spent.
func (b Balance) Booked() bool { return slices.Contains(bookedOrder, b.Type) }

// Holding is a kind of what somebody has and owes. Sums never mix two of them but in the net worth: a loan is no cash.
type Holding int

// Values of Holding, in the order in which they are shown.
const (
	HoldingSpending Holding = iota // current accounts, cash, and what the bank does not name
	HoldingSavings
	HoldingCards
	HoldingLoans
	HoldingValues     // what the person keeps only the value of: a house, securities
	Holdings      int = iota
)

// Holding is the kind to which an account counts.
func (a Account) Holding() Holding {
	if a.Source == SourceValue {
		return HoldingValues
	}
	switch a.Type {
	case openbanking.CashAccountTypeSVGS:
		return HoldingSavings
	case openbanking.CashAccountTypeCARD:
		return HoldingCards
	case openbanking.CashAccountTypeLOAN:
		return HoldingLoans
	}
	return HoldingSpending
}

// first returns the first balance of the first type in order that occurs.
func first(balances []Balance, order []openbanking.BalanceStatus) *Balance {
	for _, t := range order {
		for i := range balances {
			if balances[i].Type == t {
				return &balances[i]
			}
		}
	}
	return nil
}

// ReadBalance reads a balance from the wire. A missing currency or XXX is that of the account. The error is of money.Parse.
func ReadBalance(accountID, currency string, wire openbanking.BalanceResource, fetched time.Time) (Balance, error) {
	amount, err := money.Parse(wire.BalanceAmount.Amount, realCurrency(wire.BalanceAmount.Currency, currency))
	if err != nil {
		return Balance{}, err
	}
	b := Balance{AccountID: accountID, Type: wire.BalanceType, Name: Clean(wire.Name), Amount: amount,
		Text: wire.BalanceAmount.Amount, Reference: realDate(wire.ReferenceDate), Fetched: fetched}
	if wire.LastChangeDateTime != nil {
		b.LastChange = wire.LastChangeDateTime.Time
	}
	return b, nil
}
