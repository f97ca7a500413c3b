// Package forecast calculates the balances of accounts in the next days, from known items and recent everyday spending. It is pure: balances, items and past
// months go in, lines come out. docs/forecast.md describes the rules.
package forecast

import (
	"cmp"
	"math"
	"slices"

	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/recurring"
)

// Days is how many days a forecast goes ahead.
const Days = 90

// Months is the largest number of past months from which everyday spending is calculated.
const Months = 12

// Item is an expected booking, and the series or payment from which it is known.
type Item struct {
	Day      openbanking.Date // not before today
	Due      openbanking.Date // the due date by the rhythm; before Day when the booking is late
	Amount   money.Amount     // below zero is money out
	Low      money.Amount     // the lowest recent amount of a series with varying amounts, by size; without a currency when it is constant
	High     money.Amount     // the highest
	Account  string           // id; "" when it is not known
	Owner    string           // the address of the account's owner; "" for the person's own account
	Transfer bool             // it moves money between two of the accounts: their total stays the same
	Category string           // of the transactions of the series; "" for none
	Name     string
	Series   string // the id of the series; "" for a payment
	Every    openbanking.FrequencyCode
	Payment  string // the id of the payment that Florin sent; "" for a series
	Standing bool   // the payment is a standing order
	Handed   bool   // the person sends that payment in the app of the bank
	Undated  bool   // the payment has no date: Day is today, on whatever day it is asked
}

// Account is an account today.
type Account struct {
	ID      string
	Balance money.Amount
	// Past is everyday spending in earlier months in minor units, oldest first: all rows except series, transfers, and categories that Planned covers.
	Past    []int64
	Planned int64 // the sum of the budgets for a month, in minor units; below zero is money out
}

// Point is the balance at the end of a day.
type Point struct {
	Day     openbanking.Date
	Balance money.Amount
}

// Everyday is everyday spending: money in and out except known items.
type Everyday struct {
	Month  money.Amount // per month; below zero is money out
	Budget money.Amount // the part of it that comes from budgets
	Months int          // number of past months from which the rest is calculated; 0 when no complete month is known
}

// Line is the forecast for one account, or for all accounts in a currency.
type Line struct {
	Account  string  // "" for all in the currency
	Points   []Point // today first, with the items due today
	Low      Point   // the lowest balance, on its first day
	Below    Point   // the first day below zero; without a day when there is none or the balance is below zero today
	Items    []Item  // by day
	Everyday Everyday
}

// Currency returns the currency of the line.
func (l Line) Currency() string { return l.Low.Balance.Currency() }

// Outlook is a forecast.
type Outlook struct {
	Totals   []Line // one per currency; the one with the most items comes first, then the one with the most accounts
	Accounts []Line // in the order given, without accounts whose figures exceed the largest amount
	Items    []Item // all known items by day, also for accounts without a line
}

// New calculates the forecast. Items from today until Days after it count.
func New(today openbanking.Date, accounts []Account, items []Item) Outlook {
	days := make([]openbanking.Date, Days+1)
	for n := range days {
		days[n] = after(today, n)
	}
	last := days[Days]
	var o Outlook
	for _, i := range items {
		if last != "" && i.Day >= today && i.Day <= last {
			o.Items = append(o.Items, i)
		}
	}
	slices.SortStableFunc(o.Items, func(a, b Item) int { return cmp.Compare(a.Day, b.Day) })
	type total struct {
		line     Line
		balance  money.Amount
		accounts int
		broken   bool
	}
	var totals []*total
	of := map[string]string{} // the currency of the accounts that have a line
	for _, a := range accounts {
		currency := a.Balance.Currency()
		own := slices.DeleteFunc(slices.Clone(o.Items), func(i Item) bool { return i.Account != a.ID || i.Amount.Currency() != currency })
		l, ok := lineOf(days, a.Balance, a.everyday(), own)
		if !ok {
			continue
		}
		l.Account, of[a.ID] = a.ID, currency
		o.Accounts = append(o.Accounts, l)
		n := slices.IndexFunc(totals, func(t *total) bool { return t.balance.Currency() == currency })
		if n < 0 {
			none := money.FromMinor(0, currency)
			totals, n = append(totals, &total{balance: none, line: Line{Everyday: Everyday{Month: none, Budget: none}}}), len(totals)
		}
		t := totals[n]
		t.accounts++
		t.line.Everyday.Months = max(t.line.Everyday.Months, l.Everyday.Months)
		for sum, part := range map[*money.Amount]money.Amount{&t.balance: a.Balance, &t.line.Everyday.Month: l.Everyday.Month,
			&t.line.Everyday.Budget: l.Everyday.Budget} {
			added, err := sum.Add(part)
			if err != nil {
				t.broken = true
				continue
			}
			*sum = added
		}
	}
	for _, t := range totals {
		currency := t.balance.Currency()
		t.line.Items = slices.DeleteFunc(slices.Clone(o.Items),
			func(i Item) bool { return i.Transfer || of[i.Account] != currency || i.Amount.Currency() != currency })
	}
	slices.SortStableFunc(totals, func(a, b *total) int {
		return cmp.Or(cmp.Compare(len(b.line.Items), len(a.line.Items)), cmp.Compare(b.accounts, a.accounts))
	})
	for _, t := range totals {
		if l, ok := lineOf(days, t.balance, t.line.Everyday, t.line.Items); ok && !t.broken {
			o.Totals = append(o.Totals, l)
		}
	}
	return o
}

// lineOf calculates the line of a balance for days, of which the first is today. ok is false when a balance exceeds the largest amount, or when a day is "".
func lineOf(days []openbanking.Date, balance money.Amount, everyday Everyday, items []Item) (l Line, ok bool) {
	l = Line{Items: items, Everyday: everyday}
	usual, next := everyday.Month.Minor(), 0
	if usual > 16*tooMuch || usual < -16*tooMuch { // three times this exceeds an int64
		return l, false
	}
	for n, day := range days {
		if day == "" {
			return l, false
		}
		change := untilDay(usual, n) - untilDay(usual, max(n-1, 0))
		changes := []money.Amount{money.FromMinor(change, balance.Currency())}
		for ; next < len(items) && items[next].Day <= day; next++ {
			changes = append(changes, items[next].Amount)
		}
		for _, by := range changes {
			var err error
			if balance, err = balance.Add(by); err != nil {
				return l, false
			}
		}
		p := Point{day, balance}
		l.Points = append(l.Points, p)
		if n == 0 || balance.Minor() < l.Low.Balance.Minor() {
			l.Low = p
		}
		if balance.Minor() < 0 && l.Below.Day == "" && l.Points[0].Balance.Minor() >= 0 {
			l.Below = p
		}
	}
	return l, true
}

// tooMuch bounds the sum of a month. A larger one cannot be everyday spending.
const tooMuch = math.MaxInt64 / 64

// untilDay returns everyday spending in a number of days, when it is minor in a twelfth of 365 days.
func untilDay(minor int64, days int) int64 {
	return minor/365*12*int64(days) + minor%365*12*int64(days)/365
}

// TrimmedFrom is from how many months on the highest and the lowest are left out. The purchase of a car is not everyday spending.
const TrimmedFrom = 5

// everyday returns everyday spending from an account per month: the mean of the months before, plus the budgets.
func (a Account) everyday() Everyday {
	currency := a.Balance.Currency()
	e := Everyday{Months: len(a.Past), Budget: money.FromMinor(min(max(a.Planned, -tooMuch), tooMuch), currency)}
	some := slices.Sorted(slices.Values(a.Past))
	if len(some) >= TrimmedFrom {
		some = some[1 : len(some)-1]
	}
	sum := int64(0)
	for _, minor := range some {
		sum += min(max(minor, -tooMuch), tooMuch)
	}
	e.Month = money.FromMinor(sum/int64(max(len(some), 1))+e.Budget.Minor(), currency)
	return e
}

// Payday is the day on which the next regular income comes.
type Payday struct {
	Item
	Known    money.Amount // sum of the known items of its account from today until the day before; below zero is money out
	Everyday money.Amount // everyday spending until then
	Left     Point        // the balance of the account at the end of the day before
}

// Payday returns the next regular income, and what is left on its account until then. Among the series with money in that are at least half as large as the
// largest, it is the first after today. ok is false when no account with a line has one.
func (o Outlook) Payday() (p Payday, ok bool) {
	var lines []Line
	var most int64
	regular := func(i Item, l Line) bool {
		return i.Series != "" && !i.Transfer && i.Amount.Sign() > 0 && i.Day > l.Points[0].Day
	}
	for _, l := range o.Accounts {
		if len(o.Totals) > 0 && l.Currency() == o.Totals[0].Currency() { // amounts in different currencies cannot be compared
			lines = append(lines, l)
		}
	}
	for _, l := range lines {
		for _, i := range l.Items {
			if regular(i, l) {
				most = max(most, i.Amount.Minor())
			}
		}
	}
	for _, l := range lines {
		at := slices.IndexFunc(l.Items, func(i Item) bool { return regular(i, l) && i.Amount.Minor() >= most/2 })
		if at < 0 || ok && l.Items[at].Day >= p.Day {
			continue
		}
		days := 0
		for ; days < Days && l.Points[days+1].Day < l.Items[at].Day; days++ {
		}
		p, ok = Payday{Item: l.Items[at], Left: l.Points[days]}, true
		p.Known, p.Everyday = money.FromMinor(0, l.Currency()), money.FromMinor(untilDay(l.Everyday.Month.Minor(), days), l.Currency())
		for _, i := range l.Items[:at] {
			if i.Day > p.Left.Day {
				break
			}
			p.Known = money.FromMinor(p.Known.Minor()+i.Amount.Minor(), l.Currency()) // at most the sums of the line, which an amount can hold
		}
	}
	return p, ok
}

// Line returns the line of an account.
func (o Outlook) Line(account string) (l Line, ok bool) {
	i := slices.IndexFunc(o.Accounts, func(l Line) bool { return l.Account == account })
	if i < 0 {
		return l, false
	}
	return o.Accounts[i], true
}

// after returns the day a number of days after another; "" when day is not a date.
func after(day openbanking.Date, days int) openbanking.Date {
	t, err := day.Time()
	if err != nil {
		return ""
	}
	return openbanking.DateOf(t.AddDate(0, 0, days))
}

// OfSeries returns the items of a series from today until a day. Each is a copy of item with day, amount and rhythm. An overdue row is expected today.
func OfSeries(today openbanking.Date, item Item, f recurring.Facts, until openbanking.Date) (items []Item) {
	next := f.On(today).Next
	if next == "" {
		return nil
	}
	for _, day := range f.Between(next, until) {
		item.Due, item.Day, item.Amount, item.Every = day, max(day, today), f.Usual, f.Every
		if !f.Steady && f.Low != f.High {
			item.Low, item.High = f.Low, f.High
		}
		items = append(items, item)
	}
	return items
}
