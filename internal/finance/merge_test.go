package finance

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"florin/internal/money"
	"florin/internal/openbanking"
)

func TestCheckMerge(t *testing.T) {
	euro := func(minor int64) money.Amount { return money.FromMinor(minor, "EUR") }
	base := func(id int64) MergeSide { return MergeSide{ID: id, AccountID: "a", Amount: euro(-500)} }
	side := func(id int64, change func(m *MergeSide)) MergeSide {
		m := base(id)
		change(&m)
		return m
	}
	many := func(n int, prefix string) (list []string) {
		for i := range n {
			list = append(list, prefix+strings.Repeat("x", i))
		}
		return list
	}
	for _, c := range []struct {
		name        string
		kept, other MergeSide
		want        error
	}{
		{"two that are alike", base(1), base(2), nil},
		{"itself", base(1), base(1), ErrMergeSelf},
		{"another account", base(1), side(2, func(m *MergeSide) { m.AccountID = "b" }), ErrMergeAccounts},
		{"another amount", base(1), side(2, func(m *MergeSide) { m.Amount = euro(-501) }), ErrMergeAmounts},
		{"another amount that the bank took back", base(1), side(2, func(m *MergeSide) { m.Amount, m.Unlisted = euro(-501), true }), nil},
		{"the other direction, taken back", base(1), side(2, func(m *MergeSide) { m.Amount, m.Unlisted = euro(500), true }), ErrMergeAmounts},
		{"another currency, taken back", base(1), side(2, func(m *MergeSide) { m.Amount, m.Unlisted = money.FromMinor(-500, "USD"), true }), ErrMergeAmounts},
		{"another amount, both taken back", side(1, func(m *MergeSide) { m.Unlisted = true }), side(2, func(m *MergeSide) { m.Amount, m.Unlisted = euro(-501), true }), ErrMergeAmounts},
		{"one payment", side(1, func(m *MergeSide) { m.Payment = true }), base(2), nil},
		{"two payments", side(1, func(m *MergeSide) { m.Payment = true }), side(2, func(m *MergeSide) { m.Payment = true }), ErrMergePayments},
		{"a third one", side(1, func(m *MergeSide) { m.Merged = 1 }), base(2), nil},
		{"two and two", side(1, func(m *MergeSide) { m.Merged = 1 }), side(2, func(m *MergeSide) { m.Merged = 1 }), ErrMergeMerged},
		{"too many tags", side(1, func(m *MergeSide) { m.Tags = many(MaxTags-1, "a") }), side(2, func(m *MergeSide) { m.Tags = many(2, "b") }), ErrTooManyTags},
		{"the same tags", side(1, func(m *MergeSide) { m.Tags = many(MaxTags, "a") }), side(2, func(m *MergeSide) { m.Tags = many(MaxTags, "A") }), nil},
		{"too long a note", side(1, func(m *MergeSide) { m.Note = strings.Repeat("a", MaxNote) }), side(2, func(m *MergeSide) { m.Note = "b" }), ErrNoteTooLong},
		{"too many files", side(1, func(m *MergeSide) { m.Files = many(MaxAttachments, "a") }), side(2, func(m *MergeSide) { m.Files = many(1, "b") }), ErrTooManyAttachments},
	} {
		if err := CheckMerge(c.kept, c.other); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	unlisted, merged := side(1, func(m *MergeSide) { m.Unlisted = true }), side(3, func(m *MergeSide) { m.Merged = 1 })
	for _, pair := range [][2]MergeSide{{base(2), unlisted}, {unlisted, base(2)}, {merged, base(2)}, {base(2), merged}} {
		if kept, other := MergeOrder(pair[0], pair[1]); kept.ID == 1 || other.ID == 3 {
			t.Errorf("of %d and %d, %d stays", pair[0].ID, pair[1].ID, kept.ID)
		}
	}
	if kept, _ := MergeOrder(base(7), base(2)); kept.ID != 7 {
		t.Errorf("of two that are alike, not the first stays")
	}
}

// The row that stays gets what it lacks, and nothing that it has.
func TestGiftOf(t *testing.T) {
	kept := MergeSide{ID: 1, Files: []string{"f"}, RowEdits: RowEdits{Category: "home", Annotation: Annotation{Note: "one\ntwo", Tags: []string{"a"}}}}
	other := MergeSide{ID: 2, Files: []string{"f", "g"}, RowEdits: RowEdits{Category: "food", ByHand: true, Split: true, Reviewed: true,
		Annotation: Annotation{Note: "three", Tags: []string{"A", "b"}}}}
	want := MergeGift{Note: "three", Tags: []string{"b"}, Reviewed: true, Category: "food", Parts: true, Files: []string{"g"}}
	if got := GiftOf(kept, other); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	kept.ByHand, kept.Split, kept.Reviewed, other.Note = true, true, true, "two"
	if got, want := GiftOf(kept, other), (MergeGift{Tags: []string{"b"}, Files: []string{"g"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := GiftOf(kept, MergeSide{}); !reflect.DeepEqual(got, MergeGift{}) {
		t.Errorf("nothing gives %+v", got)
	}
}

// Lines that were put below a note are taken out of it again, whatever stands around them by then.
func TestTakeLines(t *testing.T) {
	for _, c := range []struct{ note, lines, want string }{
		{JoinNotes("one", "two"), "two", "one"}, {JoinNotes("", "two"), "two", ""}, {JoinNotes("one", "two\nthree"), "two\nthree", "one"},
		{"one\ntwo\nsince", "two", "one\nsince"}, {"one\ntwo, changed", "two", "one\ntwo, changed"}, {"two\ntwo", "two", "two"}, {"one", "", "one"}, {"", "two", ""},
		{"sub\none", "b\none", "sub\none"},
	} {
		if got := TakeLines(c.note, c.lines); got != c.want {
			t.Errorf("%q without %q is %q, want %q", c.note, c.lines, got, c.want)
		}
	}
}

// What is the likeliest comes first; what cannot be is left out.
func TestDoubles(t *testing.T) {
	seen := func(minor int64, day openbanking.Date, name, text string) SeenRow {
		return SeenRow{Amount: money.FromMinor(minor, "EUR"), Dates: []openbanking.Date{day}, Name: name, Text: text}
	}
	row := seen(-500, "2026-03-10", "Bakery", "bread and rolls")
	got := Doubles(row, []SeenRow{
		seen(-500, "2026-03-10", "Cinema", "two seats"), seen(-500, "2026-03-16", "Bakery", ""), seen(-501, "2026-03-10", "Cinema", ""), seen(-501, "2026-03-09", "Bakery", ""),
		seen(-500, "2026-03-11", "", ""), seen(-500, "2026-03-12", "BAKERY", ""), seen(-500, "2026-03-09", "", "bread and rolls"),
	})
	want := []Double{{6, true}, {5, true}, {3, false}, {1, false}, {4, false}, {0, false}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
