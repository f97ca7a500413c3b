package finance

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"florin/internal/money"
)

func euros(t testing.TB, text string) money.Amount {
	t.Helper()
	a, err := money.Parse(text, "EUR")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Typed parts are read in the direction of the transaction; what is left is known at each step.
func TestReadSplit(t *testing.T) {
	many := make([]string, MaxParts+1)
	for i := range many {
		many[i] = "1"
	}
	for _, c := range []struct {
		total string
		typed []string // amounts; "-" alone is a part without one, "" nothing at all
		parts []string
		rest  string
		fault error
		at    int
	}{
		{"-50.00", []string{"30", "20.00"}, []string{"-30.00", "-20.00"}, "0.00", nil, 0},
		{"50.00", []string{"30,00", "", "20"}, []string{"30.00", "20.00"}, "0.00", nil, 0},
		{"-50.00", []string{"55", "-5"}, []string{"-55.00", "5.00"}, "0.00", nil, 0},
		{"-50.00", []string{"-30", "\u221220"}, []string{"-30.00", "-20.00"}, "0.00", nil, 0},
		{"3200", []string{"4.000,00", "-800"}, []string{"4000.00", "-800.00"}, "0.00", nil, 0},
		{"-50.00", []string{"30 EUR", "?"}, []string{"-30.00", "-20.00"}, "20.00", nil, 0},
		{"-50.00", []string{"?", "30", "10"}, []string{"-10.00", "-30.00", "-10.00"}, "10.00", nil, 0},
		{"-50.00", []string{"30", "15"}, []string{"-30.00", "-15.00"}, "5.00", ErrRest, -1},
		{"-50.00", []string{"30", "25"}, []string{"-30.00", "-25.00"}, "-5.00", ErrRest, -1},
		{"-50.00", []string{"30", "20", "?"}, []string{"-30.00", "-20.00", "0.00"}, "0.00", ErrRest, -1},
		{"-50.00", []string{"50"}, []string{"-50.00"}, "0.00", ErrTooFewParts, -1},
		{"-50.00", []string{"?"}, []string{"-50.00"}, "50.00", ErrTooFewParts, -1},
		{"-50.00", nil, nil, "50.00", ErrRest, -1},
		{"-50.00", []string{"?", "?"}, []string{"0.00"}, "50.00", ErrAmountsMissing, 1},
		{"-50.00", []string{"30", "twenty"}, []string{"-30.00"}, "20.00", money.ErrSyntax, 1},
		{"-50.00", []string{"30", "1.234"}, []string{"-30.00"}, "20.00", ErrAmbiguous, 1},
		{"-50.00", []string{"50", "0"}, []string{"-50.00"}, "0.00", ErrZero, 1},
		{"-50.00", []string{"50", "--5"}, []string{"-50.00"}, "0.00", ErrZero, 1},
		{"-50.00", []string{strings.Repeat("9", 40), "1"}, []string{"-1.00"}, "49.00", money.ErrOverflow, 0},
		{"-21.00", many, slices.Repeat([]string{"-1.00"}, MaxParts+1), "0.00", ErrTooManyParts, -1},
	} {
		var typed []TypedPart
		for i, text := range c.typed {
			p := TypedPart{Amount: text, Category: "groceries", Note: " part  " + strconv.Itoa(i)}
			switch text {
			case "?":
				p.Amount = ""
			case "":
				p = TypedPart{}
			}
			typed = append(typed, p)
		}
		s := ReadSplit(euros(t, c.total), typed)
		var parts []string
		for _, p := range s.Parts {
			parts = append(parts, p.Amount.String())
			if p.Category != "groceries" || strings.Contains(p.Note, "  ") || !strings.HasPrefix(p.Note, "part ") {
				t.Errorf("%v of %s: %+v", c.typed, c.total, p)
			}
		}
		if !slices.Equal(parts, c.parts) || s.Rest.String() != c.rest {
			t.Errorf("%v of %s: the parts %v, the rest %s, want %v and %s", c.typed, c.total, parts, s.Rest, c.parts, c.rest)
		}
		switch {
		case c.fault == nil && len(s.Faults) > 0, c.fault != nil && len(s.Faults) != 1:
			t.Errorf("%v of %s: the faults %v, want %v", c.typed, c.total, s.Faults, c.fault)
		case c.fault != nil && (!errors.Is(s.Faults[0].Err, c.fault) || s.Faults[0].At != c.at):
			t.Errorf("%v of %s: %v at %d, want %v at %d", c.typed, c.total, s.Faults[0].Err, s.Faults[0].At, c.fault, c.at)
		}
		if c.fault == nil && !SplitFits(euros(t, c.total), s.Parts) {
			t.Errorf("%v of %s: the parts do not fit", c.typed, c.total)
		}
	}
	s := ReadSplit(euros(t, "2"), []TypedPart{{Amount: "1", Note: strings.Repeat("x", MaxPartNote+1)}, {Amount: "1"}})
	if len(s.Faults) != 1 || !errors.Is(s.Faults[0].Err, ErrPartNote) {
		t.Errorf("a note that is too long: %v", s.Faults)
	}
}

// Whatever amounts are typed: without a fault the parts add up to the transaction exactly, and none of them is nothing.
func TestSplitsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		minor := rapid.Int64Range(-100_000, 100_000).Filter(func(n int64) bool { return n != 0 }).Draw(t, "total")
		total := money.FromMinor(minor, rapid.SampledFrom([]string{"EUR", "JPY", "KWD"}).Draw(t, "currency"))
		var typed []TypedPart
		left := total.Abs().Minor()
		for range rapid.IntRange(0, 6).Draw(t, "parts") {
			part := rapid.Int64Range(-1000, left+1000).Draw(t, "part")
			left -= part
			typed = append(typed, TypedPart{Amount: money.FromMinor(part, total.Currency()).String()})
		}
		if rapid.Bool().Draw(t, "rest") {
			typed = append(typed, TypedPart{Note: "the rest"})
		}
		s := ReadSplit(total, typed)
		if len(s.Faults) > 0 {
			return
		}
		if !SplitFits(total, s.Parts) || len(s.Parts) < MinParts {
			t.Errorf("%v are the parts %v of %s", typed, s.Parts, total)
		}
		for _, p := range s.Parts {
			if p.Amount.IsZero() {
				t.Errorf("%v has a part of nothing", typed)
			}
		}
	})
}

// Shares add up to the row, by category; what parts lack has none.
func TestShares(t *testing.T) {
	part := func(text, category string) SplitPart { return SplitPart{Amount: euros(t, text), Category: category} }
	for _, c := range []struct {
		parts []SplitPart
		want  []SplitPart
	}{
		{nil, []SplitPart{part("-50", "gifts")}},
		{[]SplitPart{part("-55", "groceries"), part("5", "home")}, []SplitPart{part("-55", "groceries"), part("5", "home")}},
		{[]SplitPart{part("-20", "home"), part("-10", ""), part("-20", "home")}, []SplitPart{part("-40", "home"), part("-10", "")}},
		{[]SplitPart{part("-20", "home"), part("-20", "")}, []SplitPart{part("-20", "home"), part("-30", "")}}, // the amount has changed since
		{[]SplitPart{part("-20", "home"), part("-31", "home")}, []SplitPart{part("-51", "home"), part("1", "")}},
		{[]SplitPart{{Amount: money.FromMinor(math.MaxInt64, "EUR")}, {Amount: money.FromMinor(math.MaxInt64, "EUR")}}, []SplitPart{part("-50", "")}},
	} {
		if got := Shares(euros(t, "-50"), "gifts", c.parts); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.parts, got, c.want)
		}
	}
}
