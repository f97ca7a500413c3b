package store

import (
	"errors"
	"fmt"
	"testing"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/rates"
	"florin/internal/search"
	"florin/internal/testkit"
)

// Rates belong to one person. A rate replaces an earlier one of the same day. The rate of a day is the newest one until then, however old it is.
func TestRates(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	mira, tom := b.user(t, "a@example.org").ID, b.user(t, "b@example.org").ID
	worth := func(user, currency string, on openbanking.Date) string {
		book := must(b.Rates(ctx, user, []string{"CHF", "CYP", "RSD", "no code"}, search.Period{From: on, To: on}))(t)
		got, known := book.Convert(money.FromMinor(100_00, "EUR"), currency, on)
		if !known {
			return "none"
		}
		return fmt.Sprint(got.Amount, " ", got.Rates[0].Day, " ", got.Rates[0].Source)
	}
	is := func(user, currency string, on openbanking.Date, want string) {
		t.Helper()
		if got := worth(user, currency, on); got != want {
			t.Errorf("100 EUR in %s on %s are %s, want %s", currency, on, got, want)
		}
	}
	is(mira, "CHF", "2026-11-22", "none")
	if held := must(b.ReferenceRates(ctx, mira))(t); held.Days != 0 {
		t.Errorf("%+v", held)
	}
	check(t, b.SaveReferenceRates(ctx, mira, []rates.Day{{Day: "2026-11-20", Rates: "USD 1.1 CHF 0.93"}, {Day: "2026-11-19", Rates: "CHF 0.94"}, {Day: "2007-12-31", Rates: "CYP 0.585274 CHF 1.65"}}))
	is(mira, "CHF", "2026-11-22", "93.00 2026-11-20 ecb")
	is(mira, "CHF", "2026-11-19", "94.00 2026-11-19 ecb")
	is(mira, "CHF", "2026-11-18", "165.00 2007-12-31 ecb")
	is(mira, "CHF", "2007-12-30", "none")
	is(tom, "CHF", "2026-11-22", "none")
	is(mira, "RSD", "2026-11-22", "none")
	held := must(b.ReferenceRates(ctx, mira))(t)
	if held.Days != 3 || held.First != "2007-12-31" || held.Last != "2026-11-20" || len(held.Newest.All()) != 2 {
		t.Errorf("%+v", held)
	}

	check(t, b.SaveReferenceRates(ctx, mira, []rates.Day{{Day: "2026-11-20", Rates: "CHF 0.95"}}))
	is(mira, "CHF", "2026-11-22", "95.00 2026-11-20 ecb")

	check(t, b.SaveRate(ctx, mira, rates.Rate{Base: "EUR", Quote: "CHF", Day: "2026-11-20", Value: "0.96"}))
	check(t, b.SaveRate(ctx, mira, rates.Rate{Base: "CHF", Quote: "EUR", Day: "2026-11-20", Value: "2"})) // the same pair and day
	check(t, b.SaveRate(ctx, tom, rates.Rate{Base: "EUR", Quote: "RSD", Day: "2026-11-20", Value: "117"}))
	is(mira, "CHF", "2026-11-22", "50.00 2026-11-20 hand")
	is(mira, "CHF", "2026-11-19", "94.00 2026-11-19 ecb")
	own := must(b.OwnRates(ctx, mira))(t)
	if len(own) != 1 || own[0].Base != "CHF" || own[0].Value != "2" {
		t.Errorf("%+v", own)
	}
	if err := b.DeleteRate(ctx, tom, own[0].ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("somebody else’s rate: %v", err)
	}
	check(t, b.DeleteRate(ctx, mira, own[0].ID))
	is(mira, "CHF", "2026-11-22", "95.00 2026-11-20 ecb")

	check(t, b.DeleteReferenceRates(ctx, tom))
	is(mira, "CHF", "2026-11-22", "95.00 2026-11-20 ecb")
	check(t, b.DeleteReferenceRates(ctx, mira))
	is(mira, "CHF", "2026-11-22", "none")
	is(tom, "RSD", "2026-11-22", "11700.00 2026-11-20 hand")

	check(t, b.SetCurrency(ctx, mira, "CHF"))
	if u := must(b.User(ctx, mira))(t); u.Currency != "CHF" || must(b.User(ctx, tom))(t).Currency != "" {
		t.Errorf("%+v", u)
	}
}

// Over a period, each day has the newest rate until then.
func TestRatesOfAPeriod(t *testing.T) {
	testkit.Unwatched(t)
	b := newBed(t)
	ctx := t.Context()
	mira := b.user(t, "a@example.org").ID
	check(t, b.SaveReferenceRates(ctx, mira, []rates.Day{{Day: "2026-01-30", Rates: "CHF 1"}, {Day: "2026-03-02", Rates: "CHF 2"}, {Day: "2026-03-31", Rates: "USD 9"}, {Day: "2026-04-01", Rates: "CHF 3"}}))
	book := must(b.Rates(ctx, mira, []string{"CHF"}, search.Period{From: "2026-02-28", To: "2026-03-31"}))(t)
	for day, want := range map[openbanking.Date]string{"2026-02-28": "1.00", "2026-03-01": "1.00", "2026-03-02": "2.00", "2026-03-31": "2.00"} {
		if got, known := book.Convert(money.FromMinor(100, "EUR"), "CHF", day); !known || got.Amount.String() != want {
			t.Errorf("on %s it is %s, want %s", day, got.Amount, want)
		}
	}
	for i := range MaxOwnRates + 1 {
		err := b.SaveRate(ctx, mira, rates.Rate{Base: "EUR", Quote: "CHF", Day: openbanking.Date(fmt.Sprintf("%d-01-01", 2000+i)), Value: "1"})
		if full := i == MaxOwnRates; full != errors.Is(err, ErrTooManyRates) || !full && err != nil {
			t.Fatal(i, err)
		}
	}
}
