package settling

import (
	"slices"
	"time"

	"florin/internal/money"
)

// Means is how somebody settles.
type Means string

// Values of Means.
const (
	ByPayment Means = "payment" // through the bank, with a payment of Florin
	InCash    Means = "cash"    // or in any other way that Florin does not see
)

// State is how far a settlement is.
type State string

// Values of State. One in cash is settled from the beginning. One by a payment follows its payment and is never set by hand.
const (
	Prepared State = "prepared" // the payment is not confirmed, or its form was not even sent
	UnderWay State = "underway" // the payment is confirmed, and it is not known yet how it ends
	Settled  State = "settled"  // the bank booked the payment, or says that it carried it out
	Void     State = "void"     // the payment was rejected, cancelled or thrown away: nothing is settled
	Other    State = "other"    // the payment went to another account or in another currency than was asked for: nothing is settled
)

// Settlement is money that From gives To for what From owes.
type Settlement struct {
	ID     string
	Means  Means
	From   string
	To     string
	Amount money.Amount // that was asked for, above zero
	Paid   money.Amount // that was given once it is settled: of a payment, what it came to
	Paths  []Path       // the debts that become smaller, in their order; the rest is that of From to To

	State     State
	PaymentID string // of From, for From alone; "" without
	FormKey   string // of the form of the payment
	Created   time.Time
	By        string    // the person who entered it
	Undone    bool      // by one of its people: it does not count, and can be taken back
	UndoneBy  string    // ""
	Changed   time.Time // when it was entered, undone or taken back
}

// Counts reports whether the settlement makes debts smaller.
func (s Settlement) Counts() bool { return s.State == Settled && !s.Undone }

// Takes reports whether a person gives, gets, or stands in between.
func (s Settlement) Takes(person string) bool {
	return s.From == person || s.To == person || slices.ContainsFunc(s.Paths, func(p Path) bool { return slices.Contains(p.People, person) })
}

// People are all who give, get, or stand in between, each once.
func (s Settlement) People() []string {
	all := []string{s.From, s.To}
	for _, p := range s.Paths {
		all = append(all, p.People...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Debts are what the settlement leaves behind: each debt on its way is smaller by what was paid, path by path. What is paid beyond all paths makes that of
// From to To smaller.
func (s Settlement) Debts() []Debt {
	if !s.Counts() {
		return nil
	}
	var all []Debt
	rest := s.Paid
	paid := func(people []string, amount money.Amount) {
		for i, person := range people[1:] {
			all = append(all, Debt{From: people[i], To: person, Amount: amount.Neg()})
		}
		rest = minus(rest, amount)
	}
	for _, p := range s.Paths {
		if amount := less(rest, p.Amount); amount.Sign() > 0 {
			paid(p.People, amount)
		}
	}
	if rest.Sign() > 0 {
		paid([]string{s.From, s.To}, rest)
	}
	return all
}

// Person is somebody who shares expenses, or who did.
type Person struct {
	ID    string
	Email string
	Gone  bool // uses this Florin no more
}

// Book is all that a person sees of shared expenses.
type Book struct {
	Me          string
	People      []Person     // who use this Florin, and those gone who share something with the person; by address
	Expenses    []Expense    // in which the person takes part, the latest day first
	Settlements []Settlement // in which the person takes part, the latest first
	Ledger      Ledger       // of the whole household
}

// Person returns somebody by id.
func (b Book) Person(id string) Person {
	for _, p := range b.People {
		if p.ID == id {
			return p
		}
	}
	return Person{ID: id, Gone: true}
}

// Chains are the simplified debts that the person pays or gets.
func (b Book) Chains() ([]Chain, error) {
	all, err := b.Ledger.Simplified()
	return slices.DeleteFunc(all, func(c Chain) bool { return c.From != b.Me && c.To != b.Me }), err
}

// Row is a line of the account between two people: an expense or a settlement, and what it changes.
type Row struct {
	Expense    *Expense
	Settlement *Settlement
	Day        string       // date or time, to sort by
	Amount     money.Amount // above zero where the other one owes the person more
}

// Between lists what makes up the debts between the person and somebody else, the latest first. Its amounts come to what the ledger has between the two.
func (b Book) Between(other string) []Row {
	var rows []Row
	part := func(debts []Debt) (sum money.Amount, touched bool) {
		for _, d := range debts {
			amount := d.Amount
			switch {
			case d.From == other && d.To == b.Me:
			case d.From == b.Me && d.To == other:
				amount = amount.Neg()
			default:
				continue
			}
			if !touched {
				sum, touched = money.FromMinor(0, amount.Currency()), true
			}
			sum = minus(sum, amount.Neg())
		}
		return sum, touched
	}
	for i := range b.Expenses {
		if amount, touched := part(b.Expenses[i].Debts()); touched {
			rows = append(rows, Row{Expense: &b.Expenses[i], Day: string(b.Expenses[i].Date), Amount: amount})
		}
	}
	for i := range b.Settlements {
		if amount, touched := part(b.Settlements[i].Debts()); touched {
			rows = append(rows, Row{Settlement: &b.Settlements[i], Day: b.Settlements[i].Created.UTC().Format("2006-01-02T15:04"), Amount: amount})
		}
	}
	slices.SortStableFunc(rows, func(x, y Row) int {
		switch {
		case x.Day > y.Day:
			return -1
		case x.Day < y.Day:
			return 1
		}
		return 0
	})
	return rows
}
