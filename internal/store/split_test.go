package store

import (
	"errors"
	"slices"
	"testing"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/search"
)

// A row is split into parts that add up to its amount. Searches find it by the category and note of each part. When it is made whole again, it has its earlier
// category.
func TestSplit(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	stranger := b.user(t, "b@example.org")
	b.run(t, []finance.Entry{entry(t, "R2", "50.00", "2026-03-02", "market"), entry(t, "R1", "700.00", "2026-03-01", "flat")})
	rows := b.all(t, user, search.And{}, 10)
	market, flat := rows[0].ID, rows[1].ID
	if _, err := b.SetCategory(ctx, user, account, market, "gifts"); err != nil {
		t.Fatal(err)
	}
	out := func(minor int64) money.Amount { return money.FromMinor(-minor, "EUR") }
	parts := []finance.SplitPart{{Amount: out(5500), Category: "groceries", Note: "for the feast"}, {Amount: out(-500), Category: "home"}}
	check(t, b.Split(ctx, user, account, market, parts))
	if got := must(b.Parts(ctx, user, market))(t); !slices.Equal(got, parts) {
		t.Errorf("the parts are %+v", got)
	}
	found := func(q search.Query) (ids []int64) {
		b.checkIndex(t)
		for _, r := range b.all(t, user, q, 10) {
			ids = append(ids, r.ID)
		}
		return ids
	}
	category := func(id string) search.Query { return search.Marked{search.CategoryMark(id)} }
	for _, c := range []struct {
		name string
		q    search.Query
		want []int64
	}{
		{"is:split", search.Marked{search.MarkSplit}, []int64{market}},
		{"category:groceries", category("groceries"), []int64{market}},
		{"category:home", category("home"), []int64{market}},
		{"category:gifts", category("gifts"), nil},
		{"has:category", search.Marked{search.MarkCategorised}, []int64{market}},
		{"note:feast", search.Phrase{In: search.Note, Words: []string{"feast"}}, []int64{market}},
		{"has:note", search.Marked{search.MarkNote}, nil},
	} {
		if got := found(c.q); !slices.Equal(got, c.want) {
			t.Errorf("%s finds %v, want %v", c.name, got, c.want)
		}
	}
	if got := b.all(t, user, search.Marked{search.MarkSplit}, 10)[0].Split; !slices.Equal(got, []string{"groceries", "home"}) {
		t.Errorf("the list has the categories %q", got)
	}
	// When a part has no category, the row counts as uncategorised.
	check(t, b.Split(ctx, user, account, flat, []finance.SplitPart{{Amount: out(69999), Category: "rent"}, {Amount: out(1)}}))
	if got := found(search.Not{Query: search.Marked{search.MarkCategorised}}); !slices.Equal(got, []int64{flat}) {
		t.Errorf("is:uncategorised finds %v", got)
	}

	for name, c := range map[string]struct {
		user, account string
		id            int64
		parts         []finance.SplitPart
		want          error
	}{
		"a stranger's":             {stranger.ID, account, market, parts, finance.ErrNotFound},
		"elsewhere":                {user, "another", market, parts, finance.ErrNotFound},
		"what is not":              {user, account, 999, parts, finance.ErrNotFound},
		"no such category":         {user, account, market, []finance.SplitPart{parts[0], {Amount: out(-500), Category: "nonsense"}}, finance.ErrNotFound},
		"too much":                 {user, account, market, []finance.SplitPart{parts[0], {Amount: out(500)}}, finance.ErrRest},
		"another currency":         {user, account, market, []finance.SplitPart{parts[0], {Amount: money.FromMinor(-500, "USD")}}, finance.ErrRest},
		"taken back by a stranger": {stranger.ID, account, market, nil, finance.ErrNotFound},
	} {
		if err := b.Split(ctx, c.user, c.account, c.id, c.parts); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if got := must(b.Parts(ctx, stranger.ID, market))(t); len(got) > 0 {
		t.Errorf("a stranger sees %+v", got)
	}
	if got := must(b.Parts(ctx, user, market))(t); !slices.Equal(got, parts) {
		t.Errorf("what was refused changed the parts: %+v", got)
	}

	// The split row still gets a category of its own, which is not shown while it is split.
	if others, err := b.SetCategory(ctx, user, account, flat, "gifts"); err != nil || others > 0 {
		t.Fatal(others, err)
	}
	b.checkIndex(t)
	if got := must(b.Parts(ctx, user, market))(t); !slices.Equal(got, parts) {
		t.Errorf("the chain changed the parts: %+v", got)
	}
	check(t, b.Split(ctx, user, account, market, nil))
	if got := found(category("groceries")); got != nil {
		t.Errorf("a part that is no more is found in %v", got)
	}
	if got := found(search.And{category("gifts"), search.Not{Query: search.Marked{search.MarkSplit}}}); !slices.Equal(got, []int64{market}) {
		t.Errorf("the category of before finds %v", got)
	}
}
