package finance_test

import (
	"testing"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
)

func seenRow(day, amount, name, account, text string) finance.SeenRow {
	a, err := money.Parse(amount, "EUR")
	if err != nil {
		panic(err)
	}
	return finance.SeenRow{Amount: a, Dates: []openbanking.Date{openbanking.Date(day)}, Name: name, Account: account, Text: text}
}

// What two sources say of one row is recognised, as far as it can be; what only looks alike is not taken for it without a question.
func TestMatchAgain(t *testing.T) {
	rewe := seenRow("2026-03-02", "-12.40", "REWE Markt", "", "apples")
	keyed := rewe
	keyed.Key = "r1"
	for _, c := range []struct {
		name        string
		there, rows []finance.SeenRow
		want        []finance.Certainty
	}{
		{"nothing there", nil, []finance.SeenRow{rewe}, []finance.Certainty{finance.IsNew}},
		{"the same", []finance.SeenRow{rewe}, []finance.SeenRow{rewe}, []finance.Certainty{finance.IsThere}},
		{"the same identity on another day", []finance.SeenRow{keyed}, []finance.SeenRow{func() finance.SeenRow {
			r := seenRow("2026-05-02", "-12.40", "x", "", "")
			r.Key = "r1"
			return r
		}()}, []finance.Certainty{finance.IsThere}},
		{"one is there, two come", []finance.SeenRow{rewe}, []finance.SeenRow{rewe, rewe}, []finance.Certainty{finance.IsThere, finance.IsNew}},
		{"the name is in the text", []finance.SeenRow{rewe}, []finance.SeenRow{seenRow("2026-03-02", "-12.40", "", "", "card REWE MARKT Berlin")}, []finance.Certainty{finance.IsThere}},
		{"some days later", []finance.SeenRow{rewe}, []finance.SeenRow{seenRow("2026-03-05", "-12.40", "Rewe markt", "", "")}, []finance.Certainty{finance.Unsure}},
		{"too many days later", []finance.SeenRow{rewe}, []finance.SeenRow{seenRow("2026-03-07", "-12.40", "Rewe markt", "", "")}, []finance.Certainty{finance.IsNew}},
		{"another amount", []finance.SeenRow{rewe}, []finance.SeenRow{seenRow("2026-03-02", "-12.41", "REWE Markt", "", "")}, []finance.Certainty{finance.IsNew}},
		{"the other direction", []finance.SeenRow{rewe}, []finance.SeenRow{seenRow("2026-03-02", "12.40", "REWE Markt", "", "")}, []finance.Certainty{finance.IsNew}},
		{"somebody else", []finance.SeenRow{rewe}, []finance.SeenRow{seenRow("2026-03-02", "-12.40", "Lidl", "", "pears")}, []finance.Certainty{finance.IsNew}},
		{"nobody is named", []finance.SeenRow{rewe}, []finance.SeenRow{seenRow("2026-03-02", "-12.40", "", "", "")}, []finance.Certainty{finance.Unsure}},
		{"the same account", []finance.SeenRow{seenRow("2026-03-02", "-5", "A", "DE02 1203", "")}, []finance.SeenRow{seenRow("2026-03-02", "-5", "B", "de021203", "")},
			[]finance.Certainty{finance.IsThere}},
		{"another account", []finance.SeenRow{seenRow("2026-03-02", "-5", "Anna", "DE02", "rent")}, []finance.SeenRow{seenRow("2026-03-02", "-5", "Anna", "DE03", "rent")},
			[]finance.Certainty{finance.IsNew}},
		{"the surer pair counts", []finance.SeenRow{rewe}, []finance.SeenRow{seenRow("2026-03-03", "-12.40", "REWE Markt", "", ""), seenRow("2026-03-02", "-12.40", "REWE Markt", "", "")},
			[]finance.Certainty{finance.IsNew, finance.IsThere}},
	} {
		found := finance.MatchAgain(c.there, c.rows)
		for i, want := range c.want {
			if found[i].Certainty != want || (found[i].With >= 0) != (want != finance.IsNew) {
				t.Errorf("%s: row %d is %+v, want %d", c.name, i, found[i], want)
			}
		}
	}
}
