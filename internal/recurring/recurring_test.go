package recurring

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// rows are of one payee, with days and amounts in turn.
func rows(payee string, first int64, entries ...any) []Row {
	var all []Row
	for i := 0; i < len(entries); i += 2 {
		all = append(all, Row{ID: first + int64(i/2), Day: openbanking.Date(entries[i].(string)), Amount: money.FromMinor(int64(entries[i+1].(int)), "EUR"),
			Payee: payee, Known: true})
	}
	return all
}

// find is Find, with all the time that it needs.
func find(t *testing.T, all []Row) []Series {
	t.Helper()
	found, err := Find(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestFindEndsWhenItIsTold(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	found, err := Find(ctx, rows("a", 1, "2026-01-05", -100, "2026-02-05", -100, "2026-03-05", -100))
	if !errors.Is(err, context.Canceled) || found != nil {
		t.Errorf("got %v, %v", found, err)
	}
}

// one is the only series among rows.
func one(t *testing.T, all []Row) Series {
	t.Helper()
	found := find(t, all)
	if len(found) != 1 {
		t.Fatalf("%d series: %+v", len(found), found)
	}
	return found[0]
}

func TestSeriesOfEachRhythmAreFound(t *testing.T) {
	for _, r := range rhythms {
		var all []Row
		for n := range 6 {
			day := time.Date(2024, time.January+time.Month(n*r.months), 10+n*r.days, 0, 0, 0, 0, time.UTC)
			all = append(all, Row{ID: int64(n + 1), Day: openbanking.DateOf(day), Amount: money.FromMinor(4200, "EUR"), Payee: "a"})
		}
		s := one(t, all)
		if s.Every != r.code || s.Count != 6 || s.Usual != money.FromMinor(4200, "EUR") || !s.Steady {
			t.Errorf("%s: %+v", r.code, s.Facts)
		}
		last, _ := dayOf(s.Last)
		next, _ := dayOf(s.On(s.Last).Next)
		if gap := next - last; abs(gap-r.length()) > 4 {
			t.Errorf("%s: next in %d days", r.code, gap)
		}
	}
}

func TestARowAloneIsNoSeries(t *testing.T) {
	for _, all := range [][]Row{nil, rows("a", 1, "2026-01-05", -999), rows("", 1, "2026-01-05", -999, "2026-02-05", -999, "2026-03-05", -999),
		rows("a", 1, "", -999, "2026-02-05", 0, "no day", -999), rows("a", 1, "2026-01-05", -999, "2026-01-05", -999)} {
		if found := find(t, all); len(found) > 0 {
			t.Errorf("%+v in %+v", found, all)
		}
	}
	if _, ok := Of(rows("a", 1, "2026-01-05", -999)); ok {
		t.Error("one row is described as a series")
	}
}

func TestTwoRowsAlikeAreAnEarlySeries(t *testing.T) {
	s := one(t, rows("a", 1, "2026-01-05", -999, "2026-02-05", -999))
	if got := s.On("2026-02-06"); got != (Status{State: Early, Next: "2026-03-05"}) {
		t.Errorf("%+v", got)
	}
	third := one(t, rows("a", 1, "2026-01-05", -999, "2026-02-05", -999, "2026-03-05", -999))
	if got := third.On("2026-03-06"); got != (Status{State: Mature, Next: "2026-04-06"}) { // the 5th is a Sunday
		t.Errorf("%+v", got)
	}
}

func TestEndsOfMonths(t *testing.T) {
	s := one(t, rows("a", 1, "2025-10-31", 250000, "2025-11-30", 250000, "2025-12-31", 250000, "2026-01-31", 250000, "2026-02-28", 250000))
	if s.MonthDay != 31 {
		t.Errorf("due on day %d", s.MonthDay)
	}
	if got := s.Between("2026-03-01", "2026-06-30"); !slices.Equal(got, []openbanking.Date{"2026-03-31", "2026-04-30", "2026-05-31", "2026-06-30"}) {
		t.Errorf("%v", got)
	}
	across := one(t, rows("a", 1, "2026-01-02", -70000, "2026-01-30", -70000, "2026-03-02", -70000, "2026-04-01", -70000, "2026-04-30", -70000)) // due on the first, some a day early
	if next := across.On("2026-05-02").Next; next < "2026-05-29" || next > "2026-06-02" {
		t.Errorf("next on %s, due on day %d", next, across.MonthDay)
	}
}

func TestWeekendsMoveDays(t *testing.T) {
	later := one(t, rows("a", 1, "2025-10-15", -900, "2025-11-17", -900, "2025-12-15", -900, "2026-01-15", -900, "2026-02-16", -900)) // the 15th, else the Monday after
	if got := later.Between("2026-03-01", "2026-03-31"); !slices.Equal(got, []openbanking.Date{"2026-03-16"}) {
		t.Errorf("%v", got)
	}
	earlier := one(t, rows("a", 1, "2025-10-15", 900, "2025-11-14", 900, "2025-12-15", 900, "2026-01-15", 900, "2026-02-13", 900)) // else the Friday before
	if got := earlier.Between("2026-03-01", "2026-03-31"); !slices.Equal(got, []openbanking.Date{"2026-03-13"}) {
		t.Errorf("%v", got)
	}
}

func TestAChangeOfThePriceIsToldAtItsFirstBooking(t *testing.T) {
	before := rows("a", 1, "2026-01-05", -999, "2026-02-05", -999, "2026-03-05", -999, "2026-04-07", -999)
	if s := one(t, before); s.Since != "" || s.Rose() {
		t.Errorf("changed on %s", s.Since)
	}
	s := one(t, append(before, rows("a", 5, "2026-05-05", -1299)...))
	if s.Since != "2026-05-05" || s.Was != money.FromMinor(-999, "EUR") || s.Usual != money.FromMinor(-1299, "EUR") || !s.Rose() {
		t.Errorf("%+v", s.Facts)
	}
	s = one(t, append(before, rows("a", 5, "2026-05-05", -1299, "2026-06-05", -1299)...))
	if s.Since != "2026-05-05" || s.Usual != money.FromMinor(-1299, "EUR") {
		t.Errorf("a month later: %+v", s.Facts)
	}
	varied := one(t, rows("b", 1, "2026-01-05", -8000, "2026-02-05", -9100, "2026-03-05", -7700, "2026-04-07", -8800, "2026-05-05", -9900))
	if varied.Since != "" || varied.Steady || varied.Low != money.FromMinor(-7700, "EUR") || varied.High != money.FromMinor(-9900, "EUR") {
		t.Errorf("%+v", varied.Facts)
	}
}

func TestAMissedRowIsToldAfterItsGrace(t *testing.T) {
	s := one(t, rows("a", 1, "2026-01-06", -999, "2026-02-06", -999, "2026-03-06", -999, "2026-04-06", -999))
	for day, want := range map[openbanking.Date]Status{
		"2026-05-06": {State: Mature, Next: "2026-05-06"},
		"2026-05-13": {State: Mature, Next: "2026-05-06"},
		"2026-05-14": {State: Mature, Next: "2026-06-08", Missed: "2026-05-06"},
		"2026-06-15": {State: Mature, Next: "2026-06-08", Missed: "2026-05-06"},
		"2026-06-16": {State: Ended},
		"2036-01-01": {State: Ended},
		"1900-01-01": {State: Mature},
		"":           {State: Mature},
	} {
		if got := s.On(day); got != want {
			t.Errorf("on %s: %+v, want %+v", day, got, want)
		}
	}
}

func TestSeveralSeriesWithOnePayeeAreApart(t *testing.T) {
	var all []Row
	for n := range 8 {
		day := func(d int) openbanking.Date {
			return openbanking.DateOf(time.Date(2025, time.Month(n+1), d, 0, 0, 0, 0, time.UTC))
		}
		all = append(all, Row{ID: int64(4*n + 1), Day: day(3), Amount: money.FromMinor(-1999, "EUR"), Payee: "phone", Known: true},
			Row{ID: int64(4*n + 2), Day: day(3), Amount: money.FromMinor(-4499, "EUR"), Payee: "phone", Known: true},
			Row{ID: int64(4*n + 3), Day: day(9), Amount: money.FromMinor(1999, "EUR"), Payee: "phone", Known: true},
			Row{ID: int64(4*n + 4), Day: day(9), Amount: money.FromMinor(-1999, "USD"), Payee: "phone", Known: true})
	}
	found := find(t, all)
	if len(found) != 4 {
		t.Fatalf("%d series", len(found))
	}
	for _, s := range found {
		if s.Count != 8 || !s.Steady || s.Every != openbanking.FrequencyCodeMNTH {
			t.Errorf("%+v", s.Facts)
		}
	}
}

func TestHugeAmountsHaveNoSumOfTheYearRatherThanAWrongOne(t *testing.T) {
	s := one(t, rows("a", 1, "2026-01-05", int(1e15), "2026-01-12", int(1e15), "2026-01-19", int(1e15), "2026-01-26", int(1e15)))
	if sum, ok := s.PerYear(); !ok || sum != money.FromMinor(52e15, "EUR") {
		t.Errorf("%v %t", sum, ok)
	}
	s.Usual = money.FromMinor(math.MinInt64+1, "EUR")
	if _, ok := s.PerYear(); ok {
		t.Error("a sum that does not fit")
	}
	if find(t, rows("a", 1, "2026-01-05", math.MaxInt64, "2026-02-05", -math.MaxInt64, "2026-03-05", 1, "9999-12-31", 1)) != nil {
		t.Error("series of nothing alike")
	}
	far := one(t, rows("a", 1, "9999-10-05", -999, "9999-11-05", -999, "9999-12-06", -999))
	if got := far.On("9999-12-31"); got.Next != "" {
		t.Errorf("%+v", got)
	}
}

// What rows lie in which order, and how they are numbered, changes nothing.
func TestTheOrderOfRowsDoesNotMatter(t *testing.T) {
	all := append(rows("a", 1, "2026-01-05", -999, "2026-02-05", -999, "2026-03-05", -999), rows("b", 9, "2026-01-01", 5000, "2026-01-08", 5000, "2026-01-15", 5000, "2026-01-22", 5000)...)
	want := find(t, all)
	slices.Reverse(all)
	got := find(t, all)
	if len(got) != 2 || len(want) != 2 || got[0].Facts != want[0].Facts || got[1].Facts != want[1].Facts {
		t.Errorf("%+v, and %+v", got, want)
	}
}
