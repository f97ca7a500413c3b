package words

import (
	"math"
	"slices"
	"testing"
	"time"

	"florin/internal/money"
)

func TestAxis(t *testing.T) {
	german := languages[1]
	for _, c := range []struct {
		language *Language
		values   []int64
		currency string
		want     []string
	}{
		{english, []int64{-100_000, 0, 150_000}, "EUR", []string{"−1,000", "0", "1,500"}},
		{german, []int64{-100_000, 0, 150_000}, "EUR", []string{"−1.000", "0", "1.500"}},
		{english, []int64{0, 50, 100}, "EUR", []string{"0.00", "0.50", "1.00"}},
		{german, []int64{0, 5}, "EUR", []string{"0,00", "0,05"}},
		{english, []int64{0, 500, 1000}, "JPY", []string{"0", "500", "1,000"}},
		{english, []int64{0, 99_900_000}, "EUR", []string{"0", "999,000"}},
		{english, []int64{0, 50_000_000, 100_000_000, 150_000_000}, "EUR", []string{"0", "0.5 m", "1 m", "1.5 m"}},
		{german, []int64{0, 250_000_000_000}, "EUR", []string{"0", "2,5 Mrd."}},
		{german, []int64{0, 1_000_000_000_000_000}, "EUR", []string{"0", "10 Bio."}},
		{english, []int64{-math.MaxInt64, 0}, "JPY", []string{"−9,223,372.036854775807 tn", "0"}},
		{english, []int64{0}, "EUR", []string{"0"}},
	} {
		if got := c.language.Axis(c.values, c.currency); !slices.Equal(got, c.want) {
			t.Errorf("%s axis of %d %s: %q, want %q", c.language.code, c.values, c.currency, got, c.want)
		}
	}
}

func TestBrief(t *testing.T) {
	german := languages[1]
	for _, c := range []struct {
		language *Language
		amount   money.Amount
		want     string
	}{
		{english, money.FromMinor(123_449, "EUR"), "1,234"}, {english, money.FromMinor(123_450, "EUR"), "1,235"}, {english, money.FromMinor(-123_450,
			"EUR"), "−1,235"},
		{english, money.FromMinor(49, "EUR"), "0"}, {english, money.FromMinor(1_234, "JPY"), "1,234"}, {german, money.FromMinor(123_456_789, "EUR"), "1 Mio."},
		{english, money.FromMinor(1_000_000_000_000_000, "EUR"), "10 tn"}, {english, money.FromMinor(math.MaxInt64, "EUR"), "92,234 tn"},
	} {
		if got := c.language.Brief(c.amount); got != c.want {
			t.Errorf("%v in brief: %q, want %q", c.amount, got, c.want)
		}
	}
}

func TestMonths(t *testing.T) {
	march := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	if got := english.Month(march) + english.BriefMonth(march); got != "March 2026Mar" {
		t.Error(got)
	}
	if got := languages[1].Month(march) + languages[1].BriefMonth(march); got != "März 2026Mär" {
		t.Error(got)
	}
	if got := english.Weekdays(); !slices.Equal(got, []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}) {
		t.Error(got)
	}
}
