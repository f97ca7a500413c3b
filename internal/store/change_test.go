package store

import (
	"fmt"
	"testing"

	"florin/internal/finance"
	"florin/internal/search"
)

// When the bank changes the date, text or amount of a row, under its old or a new reference, the earlier state is kept: at most the last 20 changes, which
// nobody else sees.
func TestChangesOfTheBankAreKept(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	stranger := b.user(t, "b@example.org").ID
	first, last := entry(t, "R0", "1.00", "2026-03-01", "first"), entry(t, "R9", "1.00", "2026-03-30", "last")
	sync := func(rows ...finance.Entry) (id int64) {
		b.run(t, append(append([]finance.Entry{last}, rows...), first))
		page, _, err := b.Find(ctx, user, search.InAccount(account), Newest, 10)
		check(t, err)
		if len(page) != 3 {
			t.Fatalf("%d rows, want 3", len(page))
		}
		return page[1].ID
	}
	id := sync(entry(t, "R5", "5.00", "2026-03-10", "lunch"))
	list := func() (all []string) {
		for _, c := range must(b.Changes(ctx, user, id))(t) {
			all = append(all, fmt.Sprintf("%s %s %s", c.Date, c.Amount, c.Remittance))
			if c.Changed.IsZero() {
				t.Error("without a time")
			}
		}
		return all
	}
	same := func(got int64) {
		t.Helper()
		if got != id {
			t.Fatalf("the row %d is another one now: %d", id, got)
		}
	}
	same(sync(entry(t, "R5", "5.00", "2026-03-10", "lunch")))
	equal(t, list())
	same(sync(entry(t, "R5", "5.00", "2026-03-10", "lunch with Lena")))
	same(sync(entry(t, "R5", "5.00", "2026-03-12", "lunch with Lena"))) // another booking date, so another identity, but the same reference
	same(sync(entry(t, "other", "5.00", "2026-03-12", "lunch with Lena")))
	same(sync(entry(t, "other", "5.40", "2026-03-12", "lunch with Lena")))
	equal(t, list(), "2026-03-12 -5.00 lunch with Lena", "2026-03-10 -5.00 lunch with Lena", "2026-03-10 -5.00 lunch")
	if got := must(b.Transaction(ctx, user, account, id))(t); got.Amount.String() != "-5.40" || got.Text != "5.40" {
		t.Errorf("the amount is %s", got.Amount)
	}
	if got := must(b.Changes(ctx, stranger, id))(t); len(got) > 0 {
		t.Errorf("a stranger sees %+v", got)
	}
	for i := range 25 {
		same(sync(entry(t, "other", "5.40", "2026-03-12", fmt.Sprintf("text %d", i))))
	}
	if got := list(); len(got) != maxChanges || got[0] != "2026-03-12 -5.40 text 23" {
		t.Errorf("%d changes are kept, the last is %q", len(got), got[0])
	}
}

// A changed amount is recognised only when the row is certain: not when two rows have the reference, and not when the text differs, too.
func TestAnotherAmountIsAnotherRow(t *testing.T) {
	b := newBed(t)
	user, account := b.linked(t)
	first, last := entry(t, "R0", "1.00", "2026-03-01", "first"), entry(t, "R9", "1.00", "2026-03-30", "last")
	b.run(t, []finance.Entry{last, entry(t, "R5", "5.00", "2026-03-10", "lunch"), entry(t, "R5", "0.10", "2026-03-10", "lunch"), entry(t, "R6", "7.00", "2026-03-09", "rent"), first})
	b.run(t, []finance.Entry{last, entry(t, "R5", "5.50", "2026-03-10", "lunch"), entry(t, "R6", "8.00", "2026-03-09", "heating"), first})
	equal(t, b.rows(t, user, account, 10), "2026-03-30 -1.00 last", "2026-03-10 -5.50 lunch", "2026-03-10 -5.00 lunch?", "2026-03-10 -0.10 lunch?",
		"2026-03-09 -8.00 heating", "2026-03-09 -7.00 rent?", "2026-03-01 -1.00 first")
}
