package store

import (
	"errors"
	"fmt"
	"testing"

	"florin/internal/finance"
	"florin/internal/search"
)

// Saved searches have unique names, regardless of case, belong to one person, and are limited in number.
func TestSavedSearches(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	mira, tom := b.user(t, "a@example.org").ID, b.user(t, "b@example.org").ID
	list := func(user string) (texts []string) {
		for _, s := range must(b.SavedSearches(ctx, user, finance.SavedTransactions))(t) {
			texts = append(texts, s.Name+": "+s.Text)
		}
		return texts
	}
	save := func(user, id, name, text string) error {
		return b.SaveSearch(ctx, user, finance.SavedSearch{ID: id, Kind: finance.SavedTransactions, Name: name, Text: text})
	}
	check(t, save(mira, "", "rent", "rent last:3m"))
	check(t, save(mira, "", "Cafés", "payee:cafe"))
	check(t, save(tom, "", "Rent", "landlord"))
	if err := save(mira, "", "RENT", "other"); !errors.Is(err, ErrSearchExists) {
		t.Errorf("the name in other capitals: %v", err)
	}
	equal(t, list(mira), "Cafés: payee:cafe", "rent: rent last:3m")
	cafes, rent := must(b.SavedSearches(ctx, mira, finance.SavedTransactions))(t)[0], must(b.SavedSearches(ctx, mira, finance.SavedTransactions))(t)[1]
	check(t, save(mira, rent.ID, "Rent", "rent last:1y"))
	if err := save(mira, rent.ID, "cafés", "x"); !errors.Is(err, ErrSearchExists) {
		t.Errorf("the name of another search: %v", err)
	}
	if got := must(b.SavedSearch(ctx, mira, finance.SavedTransactions, rent.ID))(t); got.Name != "Rent" || got.Text != "rent last:1y" {
		t.Errorf("%+v", got)
	}
	for name, err := range map[string]error{
		"read":   func() error { _, err := b.SavedSearch(ctx, tom, finance.SavedTransactions, rent.ID); return err }(),
		"change": save(tom, rent.ID, "Mine", "x"),
		"delete": b.DeleteSearch(ctx, tom, finance.SavedTransactions, rent.ID),
	} {
		if !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%s by somebody else: %v", name, err)
		}
	}
	check(t, b.DeleteSearch(ctx, mira, finance.SavedTransactions, cafes.ID))
	equal(t, list(mira), "Rent: rent last:1y")
	equal(t, list(tom), "Rent: landlord")
	for i := 1; i < finance.MaxSavedSearches; i++ {
		check(t, save(mira, "", fmt.Sprint("search ", i), "x"))
	}
	if err := save(mira, "", "one more", "x"); !errors.Is(err, ErrTooManySearches) {
		t.Errorf("one more than there is room for: %v", err)
	}
	if err := save(mira, "", "rent", "x"); !errors.Is(err, ErrSearchExists) {
		t.Errorf("an existing name at the limit: %v", err)
	}
	check(t, save(mira, rent.ID, "Rent", "changed"))

	// Reports are stored in the same way, apart from the searches.
	report := finance.SavedSearch{Kind: finance.SavedReport, Name: "Rent", Text: "view=months"}
	check(t, b.SaveSearch(ctx, mira, report))
	if err := b.SaveSearch(ctx, mira, report); !errors.Is(err, ErrSearchExists) {
		t.Errorf("a report of the same name: %v", err)
	}
	kept := must(b.SavedSearches(ctx, mira, finance.SavedReport))(t)
	if len(kept) != 1 || kept[0].Name != "Rent" || kept[0].Text != "view=months" || kept[0].Kind != finance.SavedReport {
		t.Fatalf("%+v", kept)
	}
	if got := must(b.SavedSearch(ctx, mira, finance.SavedTransactions, rent.ID))(t); got.Text != "changed" {
		t.Errorf("%+v", got)
	}
	_, err := b.SavedSearch(ctx, mira, finance.SavedTransactions, kept[0].ID)
	for what, err := range map[string]error{"read": err, "change": save(mira, kept[0].ID, "x", "x"), "delete": b.DeleteSearch(ctx, mira, finance.SavedTransactions, kept[0].ID)} {
		if !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%s a report as a search: %v", what, err)
		}
	}
	check(t, b.DeleteSearch(ctx, mira, finance.SavedReport, kept[0].ID))
}

// A count includes only rows of the user, stops at MaxCounted, and follows each write.
func TestCountFound(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	stranger := b.user(t, "b@example.org").ID
	var entries []finance.Entry
	for i := range MaxCounted + 1 {
		entries = append(entries, entry(t, fmt.Sprint("R", i), fmt.Sprintf("%d.00", i+1), "2026-03-02", fmt.Sprint("row ", i%2)))
	}
	b.run(t, entries)
	for _, c := range []struct {
		user  string
		query search.Query
		count int
		more  bool
	}{
		{user, search.And{}, MaxCounted, true},
		{user, search.Phrase{Words: []string{"0"}, In: search.Text}, MaxCounted/2 + 1, false},
		{user, search.Period{From: "2026-03-03"}, 0, false},
		{user, search.Marked{search.MarkNote}, 0, false},
		{stranger, search.And{}, 0, false},
		{stranger, search.Marked{search.AccountMark(account)}, 0, false},
	} {
		if count, more, err := b.CountFound(ctx, c.user, c.query); count != c.count || more != c.more || err != nil {
			t.Errorf("%+v: %d, %t, %v; want %d, %t", c.query, count, more, err, c.count, c.more)
		}
	}
	row := b.all(t, user, search.And{}, 2000)[0]
	check(t, b.Annotate(ctx, user, account, row.ID, finance.Annotation{Note: "x"}))
	if count, _, err := b.CountFound(ctx, user, search.Marked{search.MarkNote}); count != 1 || err != nil {
		t.Errorf("after a note: %d, %v", count, err)
	}
}
