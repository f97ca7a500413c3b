package settling

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"florin/internal/money"

	"pgregory.net/rapid"
)

func eur(minor int64) money.Amount { return money.FromMinor(minor, "EUR") }

func among(people ...string) []Share {
	var shares []Share
	for _, p := range people {
		shares = append(shares, Share{Person: p})
	}
	return shares
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// parts are the amounts of the shares by person.
func parts(e Expense) map[string]int64 {
	all := map[string]int64{}
	for _, s := range e.Shares {
		all[s.Person] = s.Amount.Minor()
	}
	return all
}

func TestDivide(t *testing.T) {
	weighted := func(person string, weight int64) Share { return Share{Person: person, Weight: weight} }
	exact := func(person string, minor int64) Share { return Share{Person: person, Amount: eur(minor)} }
	for _, c := range []struct {
		name   string
		total  int64
		method Method
		shares []Share
		want   map[string]int64
		err    error
	}{
		{"equally", 1000, Equally, among("ann", "bo"), map[string]int64{"ann": 500, "bo": 500}, nil},
		{"the payer has the cent that is left over", 1000, Equally, among("ann", "bo", "cy"), map[string]int64{"ann": 333, "bo": 334, "cy": 333}, nil},
		{"two cents are left over", 1001, Equally, among("ann", "bo", "cy"), map[string]int64{"ann": 334, "bo": 334, "cy": 333}, nil},
		{"the payer has no share", 1000, Equally, among("ann"), map[string]int64{"ann": 1000}, nil},
		{"a refund", -1000, Equally, among("ann", "bo", "cy"), map[string]int64{"ann": -333, "bo": -334, "cy": -333}, nil},
		{"a cent among three", 1, Equally, among("ann", "bo", "cy"), map[string]int64{"ann": 0, "bo": 1, "cy": 0}, nil},
		{"by shares", 1000, ByShares, []Share{weighted("ann", 2), weighted("bo", 1)}, map[string]int64{"ann": 667, "bo": 333}, nil},
		{"by shares, one with none", 900, ByShares, []Share{weighted("ann", 2), weighted("bo", 0), weighted("cy", 1)}, map[string]int64{"ann": 600, "bo": 0, "cy": 300}, nil},
		{"by amounts", 1000, ByAmounts, []Share{exact("ann", 999), exact("bo", 1)}, map[string]int64{"ann": 999, "bo": 1}, nil},
		{"amounts too small", 1000, ByAmounts, []Share{exact("ann", 998), exact("bo", 1)}, nil, ErrRest},
		{"amounts too large", 1000, ByAmounts, []Share{exact("ann", 1000), exact("bo", 1)}, nil, ErrRest},
		{"an amount turned around", 1000, ByAmounts, []Share{exact("ann", 1100), exact("bo", -100)}, nil, ErrSign},
		{"nobody else", 1000, Equally, among("bo"), nil, ErrAlone},
		{"nobody", 1000, Equally, nil, nil, ErrAlone},
		{"twice", 1000, Equally, among("ann", "bo", "ann"), nil, ErrTwice},
		{"no shares", 1000, ByShares, among("ann", "bo"), nil, ErrWeight},
		{"less than no share", 1000, ByShares, []Share{weighted("ann", -1), weighted("bo", 2)}, nil, ErrWeight},
		{"too many shares", 1000, ByShares, []Share{weighted("ann", MaxWeight+1)}, nil, ErrWeight},
		{"nothing", 0, Equally, among("ann", "bo"), nil, ErrNothing},
		{"too much", MaxMinor + 1, Equally, among("ann", "bo"), nil, ErrTooMuch},
		{"the most", MaxMinor, ByShares, []Share{weighted("ann", MaxWeight), weighted("bo", MaxWeight)}, map[string]int64{"ann": MaxMinor / 2, "bo": MaxMinor / 2}, nil},
		{"no method", 1000, "halves", among("ann", "bo"), nil, ErrMethod},
	} {
		e, err := Divide(Expense{Text: "Dinner", Payer: "bo", Amount: eur(c.total), Method: c.method, Shares: c.shares})
		if !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %v", c.name, err, c.err)
			continue
		}
		if err == nil && !equal(parts(e), c.want) {
			t.Errorf("%s: %v, want %v", c.name, parts(e), c.want)
		}
	}
	many := Expense{Text: "Dinner", Payer: "bo", Amount: eur(1000), Method: Equally}
	for i := range MaxPeople + 1 {
		many.Shares = append(many.Shares, Share{Person: strings.Repeat("x", i+1)})
	}
	if _, err := Divide(many); !errors.Is(err, ErrPeople) {
		t.Error(err)
	}
	for text, want := range map[string]error{"": ErrNoText, strings.Repeat("é", MaxText): nil, strings.Repeat("é", MaxText+1): ErrLongText} {
		if _, err := Divide(Expense{Text: text, Payer: "bo", Amount: eur(1), Method: Equally, Shares: among("ann")}); !errors.Is(err, want) {
			t.Errorf("%d characters: %v", len(text), err)
		}
	}
}

func equal(a, b map[string]int64) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			return false
		}
	}
	return true
}

func ledger(t *testing.T, debts ...Debt) *Ledger {
	t.Helper()
	var l Ledger
	if err := l.Add(debts...); err != nil {
		t.Fatal(err)
	}
	return &l
}

func TestSimplified(t *testing.T) {
	owes := func(from, to string, minor int64) Debt { return Debt{from, to, eur(minor)} }
	for _, c := range []struct {
		name  string
		debts []Debt
		want  []Debt
	}{
		{"nothing", nil, nil},
		{"one debt", []Debt{owes("ann", "bo", 10)}, []Debt{owes("ann", "bo", 10)}},
		{"who stands in between is left out", []Debt{owes("ann", "bo", 10), owes("bo", "cy", 10)}, []Debt{owes("ann", "cy", 10)}},
		{"and pays what is left", []Debt{owes("ann", "bo", 10), owes("bo", "cy", 15)}, []Debt{owes("ann", "cy", 10), owes("bo", "cy", 5)}},
		{"a circle falls away", []Debt{owes("ann", "bo", 10), owes("bo", "cy", 10), owes("cy", "ann", 10)}, nil},
		{"nobody pays somebody whom no debt leads to", []Debt{owes("ann", "bo", 10), owes("cy", "di", 10)}, []Debt{owes("ann", "bo", 10), owes("cy", "di", 10)}},
		{"two ways", []Debt{owes("ann", "bo", 10), owes("ann", "cy", 5), owes("bo", "di", 10), owes("cy", "di", 5)}, []Debt{owes("ann", "di", 15)}},
		{"each currency by itself", []Debt{owes("ann", "bo", 10), {"bo", "ann", money.FromMinor(10, "CHF")}},
			[]Debt{{"bo", "ann", money.FromMinor(10, "CHF")}, owes("ann", "bo", 10)}},
	} {
		chains, err := ledger(t, c.debts...).Simplified()
		if err != nil {
			t.Fatal(err)
		}
		var got []Debt
		for _, chain := range chains {
			got = append(got, chain.Debt)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	chains := must[[]Chain](t)(ledger(t, owes("ann", "bo", 10), owes("bo", "cy", 10)).Simplified())
	if chains[0].Direct() || !slices.Equal(chains[0].Paths[0].People, []string{"ann", "bo", "cy"}) {
		t.Errorf("%+v", chains)
	}
	if chains := must[[]Chain](t)(ledger(t, owes("ann", "bo", 10)).Simplified()); !chains[0].Direct() {
		t.Errorf("%+v", chains)
	}
}

// TestSettlementAlongPaths: what is paid makes the debts on the way smaller, path by path, and what is paid too much is owed back.
func TestSettlementAlongPaths(t *testing.T) {
	s := Settlement{From: "ann", To: "cy", State: Settled, Amount: eur(15), Paths: []Path{{[]string{"ann", "bo", "cy"}, eur(10)}, {[]string{"ann", "cy"}, eur(5)}}}
	for paid, want := range map[int64][]Debt{
		4:  {{"ann", "bo", eur(6)}, {"ann", "cy", eur(5)}, {"bo", "cy", eur(6)}},
		12: {{"ann", "cy", eur(3)}},
		15: nil,
		20: {{"cy", "ann", eur(5)}},
	} {
		l := ledger(t, Debt{"ann", "bo", eur(10)}, Debt{"bo", "cy", eur(10)}, Debt{"ann", "cy", eur(5)})
		s.Paid = eur(paid)
		if err := l.Add(s.Debts()...); err != nil {
			t.Fatal(err)
		}
		if got := l.Pairs(); !slices.Equal(got, want) {
			t.Errorf("%d paid: %v, want %v", paid, got, want)
		}
	}
	for _, state := range []State{Prepared, UnderWay, Void, Other} {
		if s.State = state; s.Debts() != nil {
			t.Errorf("%s counts", state)
		}
	}
	if s.State, s.Undone = Settled, true; s.Debts() != nil {
		t.Error("counts though it was undone")
	}
}

// TestNothingIsLost: whatever people enter, change, delete, settle, undo and take back, in whatever currencies, and whoever leaves: what one owes another one
// gets, so that each currency comes to nothing; each expense is divided to the last unit; simplified debts are the same for each person as those of the
// pairs; and the rows between two people come to what the ledger has.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		everybody := []string{"ann", "bo", "cy", "di", "eve"}
		currencies := []string{"EUR", "CHF", "JPY", "KWD"}
		person := rapid.SampledFrom(everybody)
		var expenses []Expense
		var settlements []Settlement
		ledger := func() *Ledger {
			var l Ledger
			for _, e := range expenses {
				if err := l.Add(e.Debts()...); err != nil {
					t.Fatal(err)
				}
			}
			for _, s := range settlements {
				if err := l.Add(s.Debts()...); err != nil {
					t.Fatal(err)
				}
			}
			return &l
		}
		enter := func() (Expense, bool) {
			e := Expense{Text: "x", Date: "2026-11-20", Payer: person.Draw(t, "payer"), Method: rapid.SampledFrom(Methods).Draw(t, "method"),
				Amount: money.FromMinor(rapid.Int64Range(-20_000, 100_000).Draw(t, "amount"), rapid.SampledFrom(currencies).Draw(t, "currency"))}
			taking := rapid.SliceOfNDistinct(person, 1, len(everybody), rapid.ID[string]).Draw(t, "taking part")
			rest := e.Amount
			for i, p := range taking {
				s := Share{Person: p, Weight: rapid.Int64Range(0, 7).Draw(t, "weight"), Amount: money.FromMinor(0, e.Amount.Currency())}
				if e.Method == ByAmounts {
					if s.Amount = rest; i+1 < len(taking) {
						s.Amount = money.FromMinor(rest.Minor()/3, rest.Currency())
					}
					rest = minus(rest, s.Amount)
				}
				e.Shares = append(e.Shares, s)
			}
			divided, err := Divide(e)
			if err != nil {
				return e, false // nobody but the payer, nothing, no weights
			}
			sum := money.FromMinor(0, e.Amount.Currency())
			fair := map[int64][]int64{}
			for _, s := range divided.Shares {
				sum = minus(sum, s.Amount.Neg())
				fair[s.Weight] = append(fair[s.Weight], s.Amount.Minor())
			}
			if sum != e.Amount {
				t.Fatalf("%v is divided into %v", e.Amount, divided.Shares)
			}
			for weight, amounts := range fair {
				if e.Method != ByAmounts && slices.Max(amounts)-slices.Min(amounts) > 1 {
					t.Fatalf("shares of weight %d differ by more than one unit: %v", weight, amounts)
				}
			}
			return divided, true
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0, 1:
				if e, ok := enter(); ok {
					expenses = append(expenses, e)
				}
			case 2: // change one
				if e, ok := enter(); ok && len(expenses) > 0 {
					expenses[rapid.IntRange(0, len(expenses)-1).Draw(t, "which")] = e
				}
			case 3: // delete one, or take that back
				if len(expenses) > 0 {
					i := rapid.IntRange(0, len(expenses)-1).Draw(t, "which")
					expenses[i].Deleted = !expenses[i].Deleted
				}
			case 4: // settle
				chains, err := ledger().Simplified()
				if err != nil {
					t.Fatal(err)
				}
				if len(chains) > 0 {
					c := rapid.SampledFrom(chains).Draw(t, "chain")
					s := Settlement{From: c.From, To: c.To, Amount: c.Amount, Paths: c.Paths,
						State: rapid.SampledFrom([]State{Prepared, UnderWay, Settled, Settled, Settled, Void, Other}).Draw(t, "state"),
						Paid:  money.FromMinor(rapid.Int64Range(1, c.Amount.Minor()+10).Draw(t, "paid"), c.Amount.Currency())}
					if rapid.Bool().Draw(t, "exactly") {
						s.Paid = s.Amount
					}
					settlements = append(settlements, s)
				}
			case 5: // undo one, or take that back
				if len(settlements) > 0 {
					i := rapid.IntRange(0, len(settlements)-1).Draw(t, "which")
					settlements[i].Undone = !settlements[i].Undone
				}
			}
		}
		l := ledger()
		chains, err := l.Simplified()
		if err != nil {
			t.Fatal(err)
		}
		for _, currency := range currencies {
			nets, err := l.Nets(currency)
			if err != nil {
				t.Fatal(err)
			}
			var sum int64
			simple, pairs := map[string]int64{}, map[string]int64{}
			for _, c := range chains {
				if c.Amount.Currency() != currency {
					continue
				}
				simple[c.From] -= c.Amount.Minor()
				simple[c.To] += c.Amount.Minor()
				if nets[c.From].Sign() >= 0 || nets[c.To].Sign() <= 0 {
					t.Fatalf("%v pays %v though not both owe and get", c.From, c.To)
				}
			}
			for _, d := range l.Pairs() {
				if d.Amount.Sign() <= 0 {
					t.Fatalf("a debt of %v", d.Amount)
				}
				if d.Amount.Currency() == currency {
					pairs[d.From] -= d.Amount.Minor()
					pairs[d.To] += d.Amount.Minor()
				}
			}
			for _, p := range everybody {
				sum += nets[p].Minor()
				if simple[p] != nets[p].Minor() || pairs[p] != nets[p].Minor() {
					t.Fatalf("%s in %s: %d by simplified debts, %d by pairs, %d in all", p, currency, simple[p], pairs[p], nets[p].Minor())
				}
			}
			if sum != 0 {
				t.Fatalf("%s comes to %d", currency, sum)
			}
		}
		// Paying all simplified debts leaves nothing but circles, which nobody has to pay.
		after := ledger()
		for _, c := range chains {
			if err := after.Add(Settlement{From: c.From, To: c.To, Paths: c.Paths, Paid: c.Amount, State: Settled}.Debts()...); err != nil {
				t.Fatal(err)
			}
		}
		if left, err := after.Simplified(); err != nil || len(left) > 0 {
			t.Fatalf("%v is left, %v", left, err)
		}
		for _, me := range everybody {
			b := Book{Me: me, Ledger: *l}
			for _, e := range expenses {
				if e.Takes(me) {
					b.Expenses = append(b.Expenses, e)
				}
			}
			for _, s := range settlements {
				if s.Takes(me) {
					b.Settlements = append(b.Settlements, s)
				}
			}
			for _, other := range everybody {
				sums := map[string]int64{}
				for _, r := range b.Between(other) {
					sums[r.Amount.Currency()] += r.Amount.Minor()
				}
				for _, owed := range l.Between(other, me) {
					sums[owed.Currency()] -= owed.Minor()
				}
				for currency, rest := range sums {
					if rest != 0 {
						t.Fatalf("the rows between %s and %s differ by %d %s from what is owed", me, other, rest, currency)
					}
				}
			}
		}
	})
}
