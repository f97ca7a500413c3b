package store

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"florin/internal/budgets"
	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// Stored budgets are read back unchanged, belong to one person, and are stored once when a form is sent twice.
func TestBudgets(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	mira, tom := b.user(t, "a@example.org").ID, b.user(t, "b@example.org").ID
	food := budgets.Budget{ID: "food", Target: budgets.Target{Category: "groceries"}, Currency: "EUR", From: "2026-10", Goal: budgets.Goal{Minor: 50000, By: "2027-01"},
		Assigned: map[budgets.Month]int64{"2026-10": 40000, "2026-12": 30000}, Carry: map[budgets.Month]budgets.Carry{"2026-10": {Left: true}, "2026-11": {Overspent: true}}}
	fun := budgets.Budget{ID: "fun", Target: budgets.Target{Group: categories.GroupLeisure}, Currency: "EUR", From: "2026-10",
		Assigned: map[budgets.Month]int64{}, Carry: map[budgets.Month]budgets.Carry{}}
	check(t, b.AddBudgets(ctx, mira, food, fun))
	again := food
	again.ID = "again"
	check(t, b.AddBudgets(ctx, mira, again))
	check(t, b.AddBudgets(ctx, tom, budgets.Budget{ID: "toms", Target: fun.Target, Currency: "EUR", From: "2026-10"}, budgets.Budget{ID: "crowns", Target: fun.Target, Currency: "SEK", From: "2026-10"}))
	is := func(user string, want ...budgets.Budget) {
		t.Helper()
		if p := must(b.Plan(ctx, user))(t); !reflect.DeepEqual(slices.Clone(p.Budgets), want) {
			t.Errorf("%+v\nwant %+v", p.Budgets, want)
		}
	}
	is(mira, food, fun)

	check(t, b.SaveBudgets(ctx, mira, budgets.Budget{ID: "food", Until: "2027-03", Assigned: map[budgets.Month]int64{"2026-11": 1}, Carry: map[budgets.Month]budgets.Carry{"2026-10": {}}}))
	food.Until, food.Goal, food.Assigned["2026-11"], food.Carry["2026-10"] = "2027-03", budgets.Goal{}, 1, budgets.Carry{}
	is(mira, food, fun)

	move := budgets.Move{ID: "1", Month: "2026-10", From: "fun", To: "food", Minor: 700}
	check(t, b.MoveBudget(ctx, mira, move))
	check(t, b.MoveBudget(ctx, mira, move))
	for what, m := range map[string]budgets.Move{"to oneself": {ID: "2", From: "fun", To: "fun", Minor: 1}, "to another currency": {ID: "2", From: "toms", To: "crowns", Minor: 1},
		"to somebody else": {ID: "2", From: "fun", To: "toms", Minor: 1}} {
		for _, user := range []string{mira, tom} {
			if err := b.MoveBudget(ctx, user, m); !errors.Is(err, finance.ErrNotFound) {
				t.Errorf("money %s: %v", what, err)
			}
		}
	}
	if p := must(b.Plan(ctx, mira))(t); !reflect.DeepEqual(p.Moves, []budgets.Move{move}) {
		t.Errorf("moves %v", p.Moves)
	}
	if err := b.SaveBudgets(ctx, tom, budgets.Budget{ID: "food", Until: "2026-01", Assigned: map[budgets.Month]int64{"2026-10": 5}}); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("a budget of somebody else is saved: %v", err)
	}
	is(mira, food, fun)

	check(t, b.SaveBudgets(ctx, mira, budgets.Budget{ID: "fun", Until: "2026-09"}))
	is(mira, food)
	if p := must(b.Plan(ctx, mira))(t); len(p.Moves) != 0 {
		t.Errorf("moves of a deleted budget: %v", p.Moves)
	}

	for _, c := range []budgets.Change{{From: "2026-12", First: 25}, {From: "2027-02", First: 3}, {From: "2027-01", First: budgets.LastWorkingDay}} {
		check(t, b.SetFirstDay(ctx, mira, c))
	}
	if p := must(b.Plan(ctx, mira))(t); !reflect.DeepEqual(p.Calendar, budgets.Calendar{{From: "2026-12", First: 25}, {From: "2027-01", First: budgets.LastWorkingDay}}) {
		t.Errorf("calendar %v", p.Calendar)
	}
	var many []budgets.Budget
	for i := range MaxBudgets {
		many = append(many, budgets.Budget{ID: fmt.Sprint("many", i), Target: budgets.Target{Category: fmt.Sprint("own", i)}, Currency: "EUR", From: "2026-10"})
	}
	if err := b.AddBudgets(ctx, mira, many...); !errors.Is(err, ErrTooManyBudgets) {
		t.Errorf("more than there is room for: %v", err)
	}
	is(mira, food)
}

// The sums of a budget month are those of its days, on whatever day months begin. Transfers and income without a category do not count.
func TestBudgetSums(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user := b.user(t, "a@example.org").ID
	account := b.manual(t, user, finance.SourceManual, finance.Value{Day: "2026-01-01", Amount: money.FromMinor(0, "EUR")})
	for _, r := range []struct {
		day      openbanking.Date
		minor    int64
		category string
	}{
		{"2026-09-30", -1, "groceries"}, {"2026-10-01", -10, "groceries"}, {"2026-10-24", -100, "groceries"}, {"2026-10-25", -1000, "groceries"}, {"2026-10-26", 300, "groceries"},
		{"2026-11-24", -10000, "groceries"}, {"2026-11-25", -100000, "groceries"}, {"2026-10-28", -7, ""}, {"2026-10-28", 900, ""}, {"2026-10-28", 5000, "salary"}, {"2026-10-28", -5, categories.Transfer},
	} {
		e := must(finance.WrittenRow{BookingDate: r.day, Amount: money.FromMinor(r.minor, "EUR"),
			Counterparty: strings.Repeat(cmp.Or(r.category, "unlike"), 2)}.Entry(r.day))(t)
		id := must(b.AddRow(ctx, user, account, e))(t)
		if _, err := b.SetCategory(ctx, user, account, id, r.category); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		calendar budgets.Calendar
		want     map[string]int64
	}{
		{nil, map[string]int64{"2026-09 groceries": 1, "2026-10 groceries": 810, "2026-10 ": 7, "2026-10 salary": -5000, "2026-11 groceries": 110000}},
		{budgets.Calendar{{From: "2026-01", First: 25}}, map[string]int64{"2026-10 groceries": 111, "2026-11 groceries": 10700, "2026-11 ": 7, "2026-11 salary": -5000, "2026-12 groceries": 100000}},
		{budgets.Calendar{{From: "2026-12", First: 25}}, map[string]int64{"2026-09 groceries": 1, "2026-10 groceries": 810, "2026-10 ": 7, "2026-10 salary": -5000, "2026-11 groceries": 10000,
			"2026-12 groceries": 100000}},
	} {
		is := map[string]int64{}
		for _, sum := range must(b.BudgetSums(ctx, user, c.calendar, "2026-08", "2027-01"))(t) {
			is[string(sum.Month)+" "+sum.Category] += sum.Out
		}
		if !reflect.DeepEqual(is, c.want) {
			t.Errorf("%v: %v\nwant %v", c.calendar, is, c.want)
		}
	}
	if sums := must(b.BudgetSums(ctx, b.user(t, "b@example.org").ID, nil, "2026-08", "2027-01"))(t); len(sums) != 0 {
		t.Errorf("somebody else has %v", sums)
	}
}
