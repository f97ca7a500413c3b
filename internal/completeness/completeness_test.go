package completeness

import (
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
)

func eur(minor int64) money.Amount { return money.FromMinor(minor, "EUR") }

// at is a reading at noon of a day of March 2026.
func at(day int, balance, rows int64) Reading {
	return Reading{Day: openbanking.Date(fmt.Sprintf("2026-03-%02d", day)), Taken: time.Date(2026, 3, day, 12, 0, 0, 0, time.UTC), Balance: eur(balance), Rows: eur(rows),
		OnDay: eur(0), Late: eur(0), Since: eur(0), Pending: eur(0)}
}

func (r Reading) with(change func(*Reading)) Reading {
	change(&r)
	return r
}

// What proves that the balance of a bank is right, and what tells where it is not.
func TestJudge(t *testing.T) {
	day := func(n int) openbanking.Date { return openbanking.Date(fmt.Sprintf("2026-03-%02d", n)) }
	for name, c := range map[string]struct {
		readings []Reading
		want     Verdict
	}{
		"nothing was read":          {nil, Verdict{}},
		"one reading proves none":   {[]Reading{at(1, 100, 0)}, Verdict{}},
		"two readings":              {[]Reading{at(1, 100, 20), at(2, 130, 50)}, Verdict{Since: day(1), Until: day(2)}},
		"two of one day":            {[]Reading{at(1, 100, 20), at(1, 100, 20)}, Verdict{Since: day(1), Until: day(1)}},
		"no balance for some weeks": {[]Reading{at(1, 100, 20), at(28, 90, 10)}, Verdict{Since: day(1), Until: day(28)}},
		"one that does not fit is not judged yet": {[]Reading{at(1, 100, 20), at(2, 130, 50), at(3, 140, 50)},
			Verdict{Since: day(1), Until: day(2), Open: &Break{After: day(2), Day: day(3), Difference: eur(10)}}},
		"one of another moment among others": {[]Reading{at(1, 100, 20), at(2, 130, 50), at(3, 140, 50), at(4, 145, 65)}, Verdict{Since: day(1), Until: day(4)}},
		"a first one of another moment":      {[]Reading{at(1, 107, 20), at(2, 130, 50), at(3, 140, 60)}, Verdict{Since: day(2), Until: day(3)}},
		"a row is missing": {[]Reading{at(1, 100, 20), at(2, 130, 50), at(3, 140, 50), at(4, 145, 55)},
			Verdict{Since: day(3), Until: day(4), Breaks: []Break{{After: day(2), Day: day(3), Difference: eur(10)}}}},
		"a row is there twice": {[]Reading{at(1, 100, 20), at(2, 130, 50), at(3, 140, 70), at(4, 145, 75)},
			Verdict{Since: day(3), Until: day(4), Breaks: []Break{{After: day(2), Day: day(3), Difference: eur(-10)}}}},
		"a row more is there twice each day": {[]Reading{at(1, 100, 20), at(2, 130, 50), at(3, 140, 70), at(4, 145, 85)},
			Verdict{Breaks: []Break{{After: day(2), Day: day(3), Difference: eur(-10)}}}},
		"the balance of the morning": {[]Reading{at(1, 100, 20), at(2, 130, 50), at(3, 130, 59).with(func(r *Reading) { r.OnDay = eur(9) })},
			Verdict{Since: day(1), Until: day(2)}},
		"rows of before came late": {[]Reading{at(1, 100, 20), at(2, 139, 50).with(func(r *Reading) { r.Late = eur(9) }), at(3, 139, 50).with(func(r *Reading) { r.Late = eur(9) })},
			Verdict{Since: day(1), Until: day(3)}},
		"history of before": {[]Reading{at(1, 100, 20), at(2, 130, 50).with(func(r *Reading) { r.Late = eur(700) })}, Verdict{Since: day(1), Until: day(2)}},
		"pending rows in the balance": {[]Reading{at(1, 100, 20), at(2, 100, 20), at(3, 115, 30).with(func(r *Reading) { r.Pending = eur(5) }),
			at(4, 125, 40).with(func(r *Reading) { r.Pending = eur(5) })},
			Verdict{Since: day(3), Until: day(4), Breaks: []Break{{After: day(2), Day: day(3), Difference: eur(5), Pending: true}}}},
		"hours of a day": {[]Reading{at(1, 100, 20), at(2, 130, 50), at(3, 140, 50), at(3, 140, 50).with(func(r *Reading) { r.Taken = r.Taken.Add(time.Hour) })},
			Verdict{Since: day(1), Until: day(2), Open: &Break{After: day(2), Day: day(3), Difference: eur(10)}}},
		"two breaks": {[]Reading{at(1, 100, 0), at(2, 100, 0), at(3, 101, 0), at(4, 101, 0), at(5, 99, 0), at(6, 99, 0)},
			Verdict{Since: day(5), Until: day(6), Breaks: []Break{{After: day(2), Day: day(3), Difference: eur(1)},
				{After: day(4), Day: day(5), Difference: eur(-2)}}}},
		"rows that a bank lists late, at the beginning": {[]Reading{at(1, 110, 20).with(func(r *Reading) { r.Since = eur(10) }), at(1, 110, 20).with(func(r *Reading) { r.Since = eur(10) }),
			at(2, 140, 60), at(3, 150, 70)}, Verdict{Since: day(1), Until: day(3)}},
		"rows that are booked later on the first day": {[]Reading{at(1, 100, 20).with(func(r *Reading) { r.Since = eur(10) }), at(1, 100, 20).with(func(r *Reading) { r.Since = eur(10) }),
			at(2, 130, 50), at(3, 140, 60)}, Verdict{Since: day(1), Until: day(3)}},
		"a row is missing after such a day": {[]Reading{at(1, 100, 20).with(func(r *Reading) { r.Since = eur(10) }), at(1, 100, 20).with(func(r *Reading) { r.Since = eur(10) }),
			at(2, 135, 50), at(3, 145, 60)}, Verdict{Since: day(2), Until: day(3), Breaks: []Break{{After: day(1), Day: day(2), Difference: eur(5)}}}},
		"more than an amount can be": {[]Reading{at(1, math.MaxInt64, -math.MaxInt64), at(2, math.MaxInt64, -math.MaxInt64)}, Verdict{}},
	} {
		if got := Judge(c.readings); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// Whatever a bank books: rows that are all there raise no alarm, one that is lost or doubled is found two days later, with its day and its amount.
func TestEachLossIsFoundAndNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		days := rapid.IntRange(4, 28).Draw(t, "days")
		wrong, amount := rapid.IntRange(3, days).Draw(t, "day of the mistake"), rapid.Int64Range(-500, 500).Filter(func(n int64) bool { return n != 0 }).Draw(t, "amount")
		var right, broken []Reading
		balance, rows := rapid.Int64Range(-1e6, 1e6).Draw(t, "before"), int64(0)
		for day := 1; day <= days; day++ {
			booked := rapid.Int64Range(-1e5, 1e5).Draw(t, "booked")
			balance, rows = balance+booked, rows+booked
			right = append(right, at(day, balance, rows))
			if broken = append(broken, at(day, balance, rows)); day >= wrong {
				broken[day-1].Rows = eur(rows + amount)
			}
		}
		if v := Judge(right); len(v.Breaks) > 0 || v.Open != nil || v.Since != right[0].Day || v.Until != right[days-1].Day {
			t.Fatalf("a false alarm: %+v", v)
		}
		v := Judge(broken)
		want := Break{After: right[wrong-2].Day, Day: right[wrong-1].Day, Difference: eur(-amount)}
		switch {
		case wrong == days && (v.Open == nil || *v.Open != want || v.Until != want.After):
			t.Fatalf("the day itself: %+v", v)
		case wrong < days && (len(v.Breaks) != 1 || v.Breaks[0] != want || v.Until != right[days-1].Day):
			t.Fatalf("%+v, want %+v", v, want)
		}
	})
}

func TestProvable(t *testing.T) {
	fetched := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	of := func(kind openbanking.BalanceStatus, day openbanking.Date) finance.Balance {
		return finance.Balance{Type: kind, Amount: eur(500), Reference: day, Fetched: fetched}
	}
	for name, c := range map[string]struct {
		balance finance.Balance
		want    openbanking.Date // "" when it proves nothing
	}{
		"closing booked":                 {of(openbanking.BalanceStatusCLBD, "2026-03-09"), "2026-03-09"},
		"interim booked, without a date": {of(openbanking.BalanceStatusITBD, ""), "2026-03-10"},
		"opening booked":                 {of(openbanking.BalanceStatusOPBD, "2026-03-10"), "2026-03-09"},
		"previously closed booked":       {of(openbanking.BalanceStatusPRCD, "2026-03-08"), "2026-03-08"},
		"of a day to come":               {of(openbanking.BalanceStatusCLBD, "2999-12-31"), "2026-03-10"},
		"closing available":              {of(openbanking.BalanceStatusCLAV, "2026-03-09"), ""},
		"interim available":              {of(openbanking.BalanceStatusITAV, "2026-03-09"), ""},
		"opening available":              {of(openbanking.BalanceStatusOPAV, "2026-03-09"), ""},
		"forward available":              {of(openbanking.BalanceStatusFWAV, "2026-03-09"), ""},
		"expected":                       {of(openbanking.BalanceStatusXPCD, "2026-03-09"), ""},
		"by value date":                  {of(openbanking.BalanceStatusVALU, "2026-03-09"), ""},
		"for information":                {of(openbanking.BalanceStatusINFO, "2026-03-09"), ""},
		"other":                          {of(openbanking.BalanceStatusOTHR, "2026-03-09"), ""},
	} {
		got := Provable(finance.Account{Currency: "EUR"}, []finance.Balance{c.balance})
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || got[0].Day != c.want) {
			t.Errorf("%s: %+v, want %q", name, got, c.want)
		}
		if got := Provable(finance.Account{Currency: "CHF"}, []finance.Balance{c.balance}); len(got) > 0 {
			t.Errorf("%s in another currency: %+v", name, got)
		}
	}
	both := Provable(finance.Account{Currency: "EUR"}, []finance.Balance{of(openbanking.BalanceStatusCLBD, "2026-03-10"), of(openbanking.BalanceStatusOPBD, "2026-03-10"),
		of(openbanking.BalanceStatusITBD, "2026-03-10")})
	if len(both) != 2 || both[0].Day != "2026-03-09" || both[1].Type != openbanking.BalanceStatusCLBD {
		t.Errorf("several: %+v", both)
	}
}

func TestExplain(t *testing.T) {
	row := func(id int64, day openbanking.Date, minor int64, listed bool, says string) Row {
		return Row{id, day, eur(minor), listed, says}
	}
	bakery := row(1, "2026-03-03", -420, true, "Bakery")
	for name, c := range map[string]struct {
		difference int64
		pending    bool
		rows       []Row
		want       Cause
		row        int64
	}{
		"the bank lists it no longer":        {-420, false, []Row{bakery, row(2, "2026-03-03", -420, false, "Gym")}, Missing, 2},
		"twice":                              {420, false, []Row{bakery, row(2, "2026-03-03", -420, true, "Bakery")}, Doubled, 2},
		"one that is not in the balance":     {420, false, []Row{bakery, row(2, "2026-03-03", -420, true, "Gym")}, Uncarried, 2},
		"two on different days":              {420, false, []Row{row(2, "2026-03-04", -420, true, "Bakery"), bakery}, Doubled, 2},
		"none of that amount":                {77, false, []Row{bakery}, Unknown, 0},
		"pending":                            {420, true, []Row{bakery}, Pending, 0},
		"nothing is there":                   {420, false, nil, Unknown, 0},
		"twice, of which one was given up":   {-420, false, []Row{bakery, row(2, "2026-03-03", -420, false, "Bakery")}, Missing, 2},
		"a row that is not listed is no two": {420, false, []Row{bakery, row(2, "2026-03-03", -420, false, "Bakery")}, Uncarried, 1},
	} {
		cause, r := Break{Difference: eur(c.difference), Pending: c.pending}.Explain(c.rows)
		if cause != c.want || r.ID != c.row {
			t.Errorf("%s: %d, row %d", name, cause, r.ID)
		}
	}
}
