package settling

import (
	"cmp"
	"maps"
	"slices"

	"florin/internal/money"
)

// Debt says that From owes an amount to To; below zero it is the other way around.
type Debt struct {
	From, To string
	Amount   money.Amount
}

// turned is the debt with an amount above zero.
func (d Debt) turned() Debt {
	if d.Amount.Sign() < 0 {
		return Debt{d.To, d.From, d.Amount.Neg()}
	}
	return d
}

// edge is a pair of people in a currency, the one who comes first in the alphabet as From.
type edge struct{ from, to, currency string }

// Ledger adds debts up, pair by pair and currency by currency. Its zero value is empty. It never mixes currencies, and what one person owes another one has
// to get: all that a currency has comes to nothing.
type Ledger struct {
	owed map[edge]money.Amount
}

// Add adds debts. The error says that a sum is too large for money.Amount.
func (l *Ledger) Add(debts ...Debt) error {
	if l.owed == nil {
		l.owed = map[edge]money.Amount{}
	}
	for _, d := range debts {
		if d.From == d.To || d.Amount.IsZero() {
			continue
		}
		if d.From > d.To {
			d = Debt{d.To, d.From, d.Amount.Neg()}
		}
		key := edge{d.From, d.To, d.Amount.Currency()}
		sum, known := l.owed[key]
		if !known {
			sum = money.FromMinor(0, key.currency)
		}
		sum, err := sum.Add(d.Amount)
		if err != nil {
			return err
		}
		if l.owed[key] = sum; sum.IsZero() {
			delete(l.owed, key)
		}
	}
	return nil
}

// Pairs are what is owed between each two people, each pair and currency once, with amounts above zero, by debtor, creditor and currency.
func (l *Ledger) Pairs() []Debt {
	var all []Debt
	for key, amount := range l.owed {
		all = append(all, Debt{key.from, key.to, amount}.turned())
	}
	sortDebts(all)
	return all
}

func sortDebts(all []Debt) {
	slices.SortFunc(all, func(a, b Debt) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Amount.Currency(), b.Amount.Currency()))
	})
}

// Between is what to owes from and from owes to, together: above zero where from owes. One amount for each currency in which something is owed, by currency.
func (l *Ledger) Between(from, to string) []money.Amount {
	var all []money.Amount
	for key, amount := range l.owed {
		switch {
		case key.from == from && key.to == to:
			all = append(all, amount)
		case key.from == to && key.to == from:
			all = append(all, amount.Neg())
		}
	}
	slices.SortFunc(all, func(a, b money.Amount) int { return cmp.Compare(a.Currency(), b.Currency()) })
	return all
}

// Nets are what each person gets in all, above zero, or owes in all, below zero, in a currency; those with nothing are left out. They come to nothing. The
// error says that a sum is too large for money.Amount.
func (l *Ledger) Nets(currency string) (map[string]money.Amount, error) {
	nets := map[string]money.Amount{}
	add := func(person string, amount money.Amount) (err error) {
		sum, known := nets[person]
		if !known {
			sum = money.FromMinor(0, currency)
		}
		nets[person], err = sum.Add(amount)
		return err
	}
	for key, amount := range l.owed {
		if key.currency != currency {
			continue
		}
		if err := cmp.Or(add(key.from, amount.Neg()), add(key.to, amount)); err != nil {
			return nil, err
		}
	}
	maps.DeleteFunc(nets, func(_ string, amount money.Amount) bool { return amount.IsZero() })
	return nets, nil
}

// Path is a way along debts: each of its people owes the amount to the next one.
type Path struct {
	People []string // two at least
	Amount money.Amount
}

// Chain is a debt in place of others: From pays To, and all debts along its paths are smaller by what these say.
type Chain struct {
	Debt

	Paths []Path
}

// Direct reports whether the chain stands in for nothing but the debt between its two people.
func (c Chain) Direct() bool { return len(c.Paths) == 1 && len(c.Paths[0].People) == 2 }

// Simplified returns the debts after leaving out people in between: nobody both owes and gets something in the same currency. The total that each person
// gets or owes stays the same. A debt arises only between people whom a chain of debts connects. Circular debts disappear.
func (l *Ledger) Simplified() ([]Chain, error) {
	byCurrency := map[string][]Debt{}
	for _, d := range l.Pairs() {
		byCurrency[d.Amount.Currency()] = append(byCurrency[d.Amount.Currency()], d)
	}
	var all []Chain
	for _, currency := range slices.Sorted(maps.Keys(byCurrency)) {
		nets, err := l.Nets(currency)
		if err != nil {
			return nil, err
		}
		all = append(all, simplify(byCurrency[currency], nets)...)
	}
	return all, nil
}

// simplify takes the debts of one currency apart into paths from those who owe in all to those who get in all. nets is used up.
func simplify(debts []Debt, nets map[string]money.Amount) []Chain {
	owes := map[string]map[string]money.Amount{}
	for _, d := range debts {
		if owes[d.From] == nil {
			owes[d.From] = map[string]money.Amount{}
		}
		owes[d.From][d.To] = d.Amount
	}
	var all []Chain
	for _, debtor := range slices.Sorted(maps.Keys(nets)) {
		for nets[debtor].Sign() < 0 {
			people := nearest(owes, nets, debtor)
			creditor := people[len(people)-1]
			amount := less(nets[debtor].Neg(), nets[creditor])
			for i, person := range people[1:] {
				amount = less(amount, owes[people[i]][person])
			}
			for i, person := range people[1:] {
				if owes[people[i]][person] = minus(owes[people[i]][person], amount); owes[people[i]][person].IsZero() {
					delete(owes[people[i]], person)
				}
			}
			nets[debtor], nets[creditor] = minus(nets[debtor], amount.Neg()), minus(nets[creditor], amount)
			all = addPath(all, Path{people, amount})
		}
	}
	slices.SortFunc(all, func(a, b Chain) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return all
}

// nearest is the shortest way along debts from somebody who owes in all to somebody who gets in all. There is one: those whom a debtor reaches pay nobody
// else, so together they get what the debtor owes.
func nearest(owes map[string]map[string]money.Amount, nets map[string]money.Amount, debtor string) []string {
	before := map[string]string{debtor: ""}
	for queue := []string{debtor}; len(queue) > 0; queue = queue[1:] {
		person := queue[0]
		if nets[person].Sign() > 0 {
			people := []string{person}
			for at := before[person]; at != ""; at = before[at] {
				people = append(people, at)
			}
			slices.Reverse(people)
			return people
		}
		for _, next := range slices.Sorted(maps.Keys(owes[person])) {
			if _, seen := before[next]; !seen {
				before[next] = person
				queue = append(queue, next)
			}
		}
	}
	panic("settling: a debtor whose debts lead to nobody who gets something")
}

// addPath adds a path to the chain between its ends.
func addPath(all []Chain, p Path) []Chain {
	from, to := p.People[0], p.People[len(p.People)-1]
	for i, c := range all {
		if c.From == from && c.To == to && c.Amount.Currency() == p.Amount.Currency() {
			all[i].Amount, all[i].Paths = minus(c.Amount, p.Amount.Neg()), append(c.Paths, p)
			return all
		}
	}
	return append(all, Chain{Debt{from, to, p.Amount}, []Path{p}})
}

// less is the smaller of two amounts of one currency.
func less(a, b money.Amount) money.Amount {
	return money.FromMinor(min(a.Minor(), b.Minor()), a.Currency())
}

// minus takes an amount from another one of the same currency; both are parts of a sum that fits.
func minus(a, b money.Amount) money.Amount { return money.FromMinor(a.Minor()-b.Minor(), a.Currency()) }
