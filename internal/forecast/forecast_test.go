package forecast

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/recurring"
)

const today = openbanking.Date("2026-10-03")

func euro(minor int64) money.Amount { return money.FromMinor(minor, "EUR") }

func item(account string, day openbanking.Date, minor int64) Item {
	return Item{Account: account, Day: day, Due: day, Amount: euro(minor), Series: "s"}
}

func TestALineHasWhatComesAndTheEveryday(t *testing.T) {
	a := Account{ID: "a", Balance: euro(100_000), Past: []int64{-36_500, -36_500}}
	o := New(today, []Account{a}, []Item{item("a", "2026-10-30", 50_000), item("a", "2026-10-05", -60_000), item("a", today, -1000),
		item("a", "2026-10-02", -9), item("a", "2027-01-02", -9)}) // the last two are not within the days
	l, ok := o.Line("a")
	if !ok || len(l.Points) != Days+1 || len(o.Items) != 3 || l.Currency() != "EUR" {
		t.Fatalf("line %+v", l)
	}
	for _, want := range []Point{{today, euro(99_000)}, {"2026-10-04", euro(97_800)}, {"2026-10-05", euro(36_600)}, {"2026-10-30", euro(56_600)}, {"2027-01-01", euro(-19_000)}} {
		if !slices.Contains(l.Points, want) {
			t.Errorf("no point %v among %v", want, l.Points)
		}
	}
	if (l.Low != Point{"2027-01-01", euro(-19_000)}) || l.Below.Day != "2026-12-17" || l.Everyday.Months != 2 || l.Everyday.Month != euro(-36_500) {
		t.Errorf("lowest %v, below zero %v, everyday %v", l.Low, l.Below, l.Everyday)
	}
	if total := o.Totals[0]; !slices.Equal(total.Points, l.Points) {
		t.Errorf("the total of one account is %v", total.Points)
	}
	p, ok := o.Payday()
	if !ok || p.Day != "2026-10-30" || p.Known != euro(-61_000) || p.Everyday != euro(-31_200) || (p.Left != Point{"2026-10-29", euro(7800)}) {
		t.Errorf("payday %+v", p)
	}
}

// Days are counted by the calendar: the end of daylight saving time on 25 October 2026 and the days around a change of the year are days like others.
func TestEachDayIsThereOnce(t *testing.T) {
	for _, from := range []openbanking.Date{"2026-10-03", "2026-10-24", "2026-10-25", "2026-12-30", "2028-02-27"} {
		l, _ := New(from, []Account{{ID: "a", Balance: euro(0)}}, nil).Line("a")
		for n, p := range l.Points {
			if p.Day != after(from, n) || n > 0 && p.Day <= l.Points[n-1].Day {
				t.Errorf("day %d after %s is %s", n, from, p.Day)
			}
		}
	}
}

func TestTheEverydayLeavesOutExtremes(t *testing.T) {
	for _, c := range []struct {
		past  []int64
		set   int64
		month int64
	}{
		{nil, 0, 0},
		{nil, -400, -400},
		{[]int64{-100}, 0, -100},
		{[]int64{-100, -100, -100, -1_500_000}, 0, -375_075},
		{[]int64{-100, -100, 0, -100, -1_500_000}, 0, -100},
		{[]int64{-100, -100, 0, -100, -1_500_000}, -50, -150},
		{[]int64{math.MinInt64, math.MinInt64}, 0, -tooMuch},
	} {
		if got := (Account{Balance: euro(0), Past: c.past, Planned: c.set}).everyday(); got.Month != euro(c.month) || got.Budget != euro(c.set) ||
			got.Months != len(c.past) {
			t.Errorf("%v with %d: %+v, want %d", c.past, c.set, got, c.month)
		}
	}
}

// Transfers change accounts and not their sum; currencies stand for themselves; what is on an account without a line is in no sum.
func TestTotals(t *testing.T) {
	kept := item("a", "2026-10-10", -5000)
	kept.Transfer = true
	got := kept
	got.Account, got.Amount = "b", euro(5000)
	crowns := Item{Account: "c", Day: "2026-10-11", Amount: money.FromMinor(-7, "SEK")}
	o := New(today, []Account{{ID: "a", Balance: euro(10_000)}, {ID: "c", Balance: money.FromMinor(100, "SEK")}, {ID: "b", Balance: euro(1)}},
		[]Item{kept, got, crowns, item("a", "2026-10-12", -1), item("elsewhere", "2026-10-12", -300), {Account: "a", Day: "2026-10-12", Amount: money.FromMinor(-9, "USD")}})
	last := func(l Line) money.Amount { return l.Points[Days].Balance }
	if len(o.Totals) != 2 || last(o.Totals[0]) != euro(10_000) || last(o.Totals[1]) != money.FromMinor(93, "SEK") || len(o.Items) != 6 {
		t.Fatalf("totals %+v", o.Totals)
	}
	for id, want := range map[string]money.Amount{"a": euro(4999), "b": euro(5001), "c": money.FromMinor(93, "SEK")} {
		if l, _ := o.Line(id); last(l) != want {
			t.Errorf("account %s: %v, want %v", id, last(l), want)
		}
	}
	if _, ok := o.Payday(); ok {
		t.Error("money between own accounts is a payday")
	}
}

func TestPaydayIsTheNextLargeIncome(t *testing.T) {
	o := New(today, []Account{{ID: "a", Balance: euro(0)}}, []Item{item("a", today, 90_000), item("a", "2026-10-05", 2000), item("a", "2026-10-20", 150_000), item("a", "2026-10-25", 250_000)})
	if p, ok := o.Payday(); !ok || p.Day != "2026-10-20" || p.Left.Day != "2026-10-19" || p.Left.Balance != euro(92_000) || p.Known != euro(92_000) {
		t.Errorf("payday %+v", p)
	}
	if _, ok := New(today, []Account{{ID: "a", Balance: euro(0)}}, nil).Payday(); ok {
		t.Error("a payday without income")
	}
}

// What was below zero before is no news.
func TestBelowZeroIsToldWhenItIsNew(t *testing.T) {
	for minor, want := range map[int64]openbanking.Date{100: "2026-10-05", 0: "2026-10-05", -1: "", 200: ""} {
		l, _ := New(today, []Account{{ID: "a", Balance: euro(minor)}}, []Item{item("a", "2026-10-05", -150)}).Line("a")
		if l.Below.Day != want {
			t.Errorf("with %d: below zero on %q, want %q", minor, l.Below.Day, want)
		}
	}
}

func TestFiguresThatNoAmountHoldsHaveNoLine(t *testing.T) {
	for name, a := range map[string]Account{
		"balance":  {ID: "a", Balance: euro(math.MaxInt64)},
		"everyday": {ID: "a", Balance: euro(0), Past: []int64{math.MaxInt64}, Planned: math.MaxInt64},
	} {
		o := New(today, []Account{a, {ID: "b", Balance: euro(5)}}, []Item{item("a", today, 1)})
		if _, ok := o.Line("b"); !ok || len(o.Items) != 1 {
			t.Errorf("%s: the rest does not go on", name)
		}
	}
	o := New(today, []Account{{ID: "a", Balance: euro(math.MaxInt64 - 1)}, {ID: "b", Balance: euro(math.MaxInt64 - 1)}}, nil)
	if len(o.Accounts) != 2 || len(o.Totals) != 0 {
		t.Errorf("a sum that no amount holds: %d lines, %d totals", len(o.Accounts), len(o.Totals))
	}
	if o := New("soon", []Account{{ID: "a", Balance: euro(5)}}, nil); len(o.Accounts) != 0 {
		t.Error("a line from a day that is none")
	}
}

// In random histories, the end of a line is its begin with all items and everyday spending, and the total is the sum of its accounts but for transfers, within
// a minor unit for each account.
func TestNothingAppearsAndNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var accounts []Account
		var items []Item
		ends := int64(0)
		for n := range rapid.IntRange(1, 4).Draw(t, "accounts") {
			a := Account{ID: fmt.Sprint(n), Balance: euro(rapid.Int64Range(-1_000_000, 1_000_000).Draw(t, "balance")),
				Past: rapid.SliceOfN(rapid.Int64Range(-500_000, 500_000), 0, Months).Draw(t, "past")}
			end := a.Balance.Minor() + a.everyday().Month.Minor()*12*Days/365
			for range rapid.IntRange(0, 5).Draw(t, "items") {
				i := item(a.ID, after(today, rapid.IntRange(0, Days).Draw(t, "day")), rapid.Int64Range(-100_000, 100_000).Draw(t, "amount"))
				items = append(items, i)
				end += i.Amount.Minor()
			}
			accounts, ends = append(accounts, a), ends+end
		}
		o := New(today, accounts, items)
		sum := int64(0)
		for _, l := range o.Accounts {
			sum += l.Points[Days].Balance.Minor()
			if slices.ContainsFunc(l.Points, func(p Point) bool { return p.Balance.Minor() < l.Low.Balance.Minor() }) {
				t.Fatalf("%v is not the lowest of %v", l.Low, l.Points)
			}
		}
		total := o.Totals[0].Points[Days].Balance.Minor()
		if off := sum - ends; off > 4 || off < -4 {
			t.Fatalf("the lines end at %d, want %d", sum, ends)
		}
		if off := sum - total; off > 4 || off < -4 {
			t.Fatalf("the total ends at %d, its accounts at %d", total, sum)
		}
	})
}

func TestWhatIsLateIsExpectedToday(t *testing.T) {
	var rows []recurring.Row
	for n, day := range []openbanking.Date{"2026-06-30", "2026-07-30", "2026-08-31"} {
		rows = append(rows, recurring.Row{ID: int64(n + 1), Day: day, Amount: euro(-1299), Payee: "film"})
	}
	s, _ := recurring.Of(rows)
	items := OfSeries(today, Item{Series: "s"}, s.Facts, after(today, Days))
	if len(items) != 4 || items[0].Day != today || items[0].Due != "2026-09-30" || items[1].Day != items[1].Due || items[0].Amount != euro(-1299) {
		t.Errorf("items %+v", items)
	}
	if later := OfSeries("2027-10-03", Item{}, s.Facts, "2027-12-31"); later != nil {
		t.Errorf("a series that has ended brings %+v", later)
	}
}

func TestHowFarForecastsWereOff(t *testing.T) {
	var all []Past
	for n, off := range []int64{500, -100, 300, -200} {
		made := after(today, n)
		all = append(all, Past{made, after(made, PastAhead), euro(1000), euro(1000 + off)})
	}
	if _, count, ok := Off(all); ok || count != 4 {
		t.Errorf("four forecasts say how good they are: %d", count)
	}
	made := after(today, 9)
	all = append(all, Past{made, "", euro(0), euro(900)}, Past{made, "", euro(100), euro(-850)}) // of two accounts: off by 50
	if got, count, ok := Off(all); !ok || got != euro(200) || count != 5 {
		t.Errorf("off by %v in %d forecasts, want 2.00 in 5", got, count)
	}
	if _, _, ok := Off(append(all, Past{made, "", euro(math.MinInt64 + 1), euro(math.MaxInt64)})); ok {
		t.Error("a difference that no amount holds")
	}
}
