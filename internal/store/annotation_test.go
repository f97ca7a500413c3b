package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/search"
)

// What a person keeps with a row is found by the search, is replaced as a whole, and belongs to nobody else.
func TestAnnotate(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	stranger := b.user(t, "b@example.org")
	b.run(t, []finance.Entry{entry(t, "R2", "5.00", "2026-03-02", "lunch"), entry(t, "R1", "700.00", "2026-03-01", "rent")})
	rows := b.all(t, user, search.And{}, 10)
	lunch, rent := rows[0].ID, rows[1].ID
	found := func(q search.Query) (ids []int64) {
		b.checkIndex(t)
		for _, r := range b.all(t, user, q, 10) {
			ids = append(ids, r.ID)
		}
		return ids
	}
	check(t, b.Annotate(ctx, user, account, lunch, finance.Annotation{Note: "with Lena\nin Firenze", Tags: []string{"Italy 2026", "food"}}))
	check(t, b.Annotate(ctx, user, account, rent, finance.Annotation{Tags: []string{"ITALY 2026"}}))
	if got := must(b.Annotation(ctx, user, rent))(t); got.Note != "" || !slices.Equal(got.Tags, []string{"Italy 2026"}) {
		t.Errorf("a tag in other capitals is another one: %+v", got)
	}
	if got := must(b.Annotation(ctx, user, lunch))(t); got.Note != "with Lena\nin Firenze" || !slices.Equal(got.Tags, []string{"Italy 2026", "food"}) {
		t.Errorf("%+v", got)
	}
	if got := must(b.Tags(ctx, user))(t); !slices.Equal(got, []string{"Italy 2026", "food"}) {
		t.Errorf("the tags of the user are %q", got)
	}
	for _, c := range []struct {
		name string
		q    search.Query
		want []int64
	}{
		{"tag:italy", search.Phrase{In: search.Tags, Words: []string{"italy"}}, []int64{lunch, rent}},
		{"tag:food", search.Phrase{In: search.Tags, Words: []string{"food"}}, []int64{lunch}},
		{"note:firenze", search.Phrase{In: search.Note, Words: []string{"firenze"}}, []int64{lunch}},
		{"has:note", search.Marked{search.MarkNote}, []int64{lunch}},
		{"lena", search.Phrase{Words: []string{"lena"}}, []int64{lunch}},
	} {
		if got := found(c.q); !slices.Equal(got, c.want) {
			t.Errorf("%s finds %v, want %v", c.name, got, c.want)
		}
	}
	for name, call := range map[string]func() error{
		"annotate":              func() error { return b.Annotate(ctx, stranger.ID, account, lunch, finance.Annotation{}) },
		"annotate elsewhere":    func() error { return b.Annotate(ctx, user, "another", lunch, finance.Annotation{}) },
		"review":                func() error { return b.Review(ctx, stranger.ID, account, lunch, false) },
		"annotate what is not":  func() error { return b.Annotate(ctx, user, account, 999, finance.Annotation{}) },
		"review what is not":    func() error { return b.Review(ctx, user, account, 999, true) },
		"review from elsewhere": func() error { return b.Review(ctx, user, "another", lunch, true) },
	} {
		if err := call(); !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, tags := must(b.Annotation(ctx, stranger.ID, lunch))(t), must(b.Tags(ctx, stranger.ID))(t); got.Note != "" || len(got.Tags)+len(tags) > 0 {
		t.Errorf("a stranger sees %+v and %q", got, tags)
	}
	check(t, b.Annotate(ctx, user, account, lunch, finance.Annotation{}))
	was := search.Or{search.Marked{search.MarkNote}, search.Phrase{Words: []string{"lena"}}, search.Phrase{In: search.Tags, Words: []string{"food"}}}
	if got := found(was); got != nil {
		t.Errorf("what was taken away is found in %v", got)
	}
}

// Rows of the first sync of an account are not to be reviewed; later ones are, until the person has looked at them. The bank's changes do not put them back.
func TestNewRowsAreToBeReviewed(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	list := func() (texts []string) {
		b.checkIndex(t)
		for _, r := range b.all(t, user, search.Marked{search.MarkToReview}, 10) {
			texts = append(texts, r.Remittance)
			if r.Reviewed {
				t.Errorf("%q is reviewed and to be reviewed", r.Remittance)
			}
		}
		return texts
	}
	rent, old := entry(t, "R1", "700.00", "2026-03-01", "rent"), entry(t, "R0", "1.00", "2026-02-01", "old")
	b.run(t, []finance.Entry{rent}, []finance.Entry{old})
	equal(t, list())
	b.run(t, []finance.Entry{entry(t, "R3", "3.00", "2026-03-03", "cinema"), entry(t, "R2", "5.00", "2026-03-02", "lunch"), rent, old})
	equal(t, list(), "cinema", "lunch")
	page, _, err := b.Find(ctx, user, search.InAccount(account), Newest, 2)
	check(t, err)
	check(t, b.Review(ctx, user, account, page[1].ID, true))
	b.run(t, []finance.Entry{entry(t, "R3", "3.00", "2026-03-03", "cinema"), entry(t, "R2", "5.00", "2026-03-02", "lunch with Lena"), rent, old})
	equal(t, list(), "cinema")
	b.run(t, []finance.Entry{entry(t, "S3", "3.00", "2026-03-03", "cinema"), entry(t, "R2", "5.00", "2026-03-04", "lunch with Lena"), rent, old})
	equal(t, list(), "cinema")
	check(t, b.Review(ctx, user, account, page[1].ID, false))
	equal(t, list(), "lunch with Lena", "cinema")
}

// A row that turns out to be one that was there is deleted. The next new row does not get its id, which a page that is still open may name.
func TestIDsAreGivenOnce(t *testing.T) {
	b := newBed(t)
	user, account := b.linked(t)
	rent := func(reference string) finance.Entry { return entry(t, reference, "700.00", "2026-03-01", "rent") }
	newest := func() int64 {
		page, _, err := b.Find(t.Context(), user, search.InAccount(account), Newest, 10)
		check(t, err)
		return slices.MaxFunc(page, func(a, b finance.FoundRow) int { return cmp.Compare(a.ID, b.ID) }).ID
	}
	b.run(t, []finance.Entry{rent("R1")})
	first := newest()
	b.run(t, []finance.Entry{rent("another")}) // the bank gives references anew: stored as a new row, then found to be the same
	if newest() != first {
		t.Fatal("the same row counts as two")
	}
	b.run(t, []finance.Entry{rent("another"), entry(t, "R2", "5.00", "2026-03-02", "lunch")})
	if got := newest(); got != first+2 {
		t.Errorf("the new row has the id %d, want %d: %d was that of a row which is no more", got, first+2, first+1)
	}
}

// Whatever the syncs bring, enrich, rename, move, take back and bring again, while pages of a run are still to come and banks are linked again:
// no edit is lost, and none is on another row. A row is known by its amount here, which never changes.
func TestNoEditIsLost(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	rapid.Check(t, func(rt *rapid.T) {
		// Those of the users before.
		b.exec(t, `UPDATE sync_task SET state = 'waiting', lease = '', lease_until = NULL, next_attempt_at = '2999-01-01T00:00:00.000Z'`)
		n := finance.NewID()
		u := b.user(t, n+"@example.org")
		resources := resource("h"+n, "EUR", "uid"+n)
		done, _ := b.link(t, u, finance.Secret("session "+n), resources)
		account := done.Accounts[0].Account.ID
		type edits struct { // of one row; what is no more has given its own to the one that is the same
			amount string
			finance.Annotation
		}
		type parted struct { // of one row; what is no more has given its own to the one that is the same, unless that had parts
			amount string
			parts  []finance.SplitPart
		}
		kept, reviewed, split := map[int64]edits{}, map[string]bool{}, map[int64]parted{}
		files := map[string][]string{} // by the amount of their row
		list := func() []finance.FoundRow {
			page, _, err := b.Find(ctx, u.ID, search.InAccount(account), Newest, 50)
			check(t, err)
			return page
		}
		edit := func() {
			page := list()
			if len(page) == 0 || rapid.IntRange(0, 2).Draw(rt, "whether") == 0 {
				return
			}
			if rapid.IntRange(0, 3).Draw(rt, "bulk") == 0 {
				yes, some := true, rapid.SliceOfNDistinct(rapid.SampledFrom(page), 1, len(page), func(r finance.FoundRow) int64 { return r.ID }).Draw(rt, "rows")
				var ids []int64
				for _, row := range some {
					e := kept[row.ID]
					e.amount, e.Tags = row.Amount.String(), append(slices.Clone(e.Tags), "d")
					kept[row.ID], reviewed[e.amount] = e, true
					ids = append(ids, row.ID)
				}
				b.change(t, u.ID, finance.BulkChange{Tags: []string{"d"}, Reviewed: &yes}, ids...)
				return
			}
			row := rapid.SampledFrom(page).Draw(rt, "row")
			amount := row.Amount.String()
			switch rapid.IntRange(0, 4).Draw(rt, "kind") {
			case 2:
				file := receipt("receipt.pdf", 1)
				check(t, b.Attach(ctx, u.ID, account, row.ID, file))
				files[amount] = append(files[amount], file.ID)
				return
			case 0:
				reviewed[amount] = true
				check(t, b.Review(ctx, u.ID, account, row.ID, true))
				return
			case 1:
				part := money.FromMinor(-rapid.Int64Range(1, 99).Draw(rt, "part"), "EUR")
				rest, err := row.Amount.Sub(part)
				check(t, err)
				parts := []finance.SplitPart{{Amount: part, Category: "groceries"}, {Amount: rest, Note: "the rest"}}
				check(t, b.Split(ctx, u.ID, account, row.ID, parts))
				split[row.ID] = parted{amount, parts}
				return
			}
			a := finance.Annotation{Note: rapid.SampledFrom([]string{"", "one", "two words"}).Draw(rt, "note"),
				Tags: rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3, rapid.ID).Draw(rt, "tags")}
			check(t, b.Annotate(ctx, u.ID, account, row.ID, a))
			for id, e := range kept {
				if e.amount == amount && !slices.ContainsFunc(page, func(r finance.FoundRow) bool { return r.ID == id }) {
					delete(kept, id)
				}
			}
			kept[row.ID] = edits{amount, a}
		}
		type told struct { // how the bank tells a row now
			day                int
			reference, details string
		}
		var rows [7]told
		for i := range rows {
			rows[i] = told{day: 2*i + 1, details: fmt.Sprintf("row %d", i)}
			if i%3 > 0 {
				rows[i].reference = fmt.Sprintf("R%d", i)
			}
		}
		for sync := range rapid.IntRange(2, 5).Draw(rt, "syncs") {
			if sync > 0 && rapid.IntRange(0, 4).Draw(rt, "again") == 0 { // linked once more, in place of what was
				b.link(t, u, finance.Secret(fmt.Sprint("session ", n, sync)), resources)
			}
			var entries []finance.Entry
			for i := len(rows) - 1; i >= 0; i-- {
				r := &rows[i]
				if i > 0 && rapid.IntRange(0, 5).Draw(rt, "gone") == 0 {
					continue
				}
				if r.reference != "" && i > 1 { // either what it says or its reference: a row that is the same in nothing is another one
					switch rapid.IntRange(0, 5).Draw(rt, "change") {
					case 0:
						r.day = 2*i + 3 - r.day%2 // 2i+1 or 2i+2
					case 1:
						r.details += " and more"
					case 2:
						r.reference += "x"
					}
				}
				entries = append(entries, entry(t, r.reference, fmt.Sprintf("%d.00", i+1), fmt.Sprintf("2026-03-%02d", r.day), r.details))
			}
			c := b.claim(t, finance.ScopeTransactions)
			check(t, b.BeginRun(ctx, &c, "longest", "", lease))
			middle := rapid.IntRange(0, len(entries)).Draw(rt, "page")
			check(t, b.ApplyPage(ctx, &c, Page{Entries: entries[:middle], Next: "more"}, lease, time.Now()))
			edit() // what is new may turn out to be a row that was there
			check(t, b.ApplyPage(ctx, &c, Page{Entries: entries[middle:]}, lease, time.Now().Add(-time.Second)))
			for _, row := range list() {
				for id, s := range split {
					if _, held := split[row.ID]; s.amount == row.Amount.String() && id != row.ID {
						delete(split, id)
						if !held {
							split[row.ID] = s
						}
					}
				}
			}
			edit()
		}
		want := map[string]finance.Annotation{}
		for _, e := range kept {
			a := want[e.amount]
			if e.Note != "" {
				a.Note = strings.TrimPrefix(a.Note+"\n"+e.Note, "\n")
			}
			a.Tags = append(a.Tags, e.Tags...)
			want[e.amount] = a
		}
		for _, row := range list() {
			amount, got := row.Amount.String(), must(b.Annotation(ctx, u.ID, row.ID))(t)
			if reviewed[amount] && !row.Reviewed {
				rt.Errorf("%s is to be reviewed again", amount)
			}
			lines := func(note string) []string { return slices.Sorted(strings.Lines(note + "\n")) }
			tags := slices.Compact(slices.Sorted(slices.Values(want[amount].Tags)))
			if !slices.Equal(lines(got.Note), lines(want[amount].Note)) || !slices.Equal(got.Tags, tags) {
				rt.Errorf("the row of %s has %+v, want %+v", amount, got, want[amount])
			}
			delete(want, amount)
			if parts := must(b.Parts(ctx, u.ID, row.ID))(t); !slices.Equal(parts, split[row.ID].parts) {
				rt.Errorf("the row of %s has the parts %+v, want %+v", amount, parts, split[row.ID].parts)
			}
			delete(split, row.ID)
			var held []string
			for _, file := range must(b.Attachments(ctx, u.ID, row.ID))(t) {
				held = append(held, file.ID)
			}
			if slices.Sort(held); !slices.Equal(held, slices.Sorted(slices.Values(files[amount]))) {
				rt.Errorf("the row of %s has the files %q, want %q", amount, held, files[amount])
			}
			delete(files, amount)
		}
		if unused := must(b.UnusedAttachments(ctx))(t); len(files)+len(unused) > 0 {
			rt.Errorf("the files %q are lost, %q unused", files, unused)
		}
		if len(split) > 0 {
			rt.Errorf("the parts %+v are lost", split)
		}
		for amount, a := range want {
			if a.Note != "" || len(a.Tags) > 0 {
				rt.Errorf("%+v of %s is lost", a, amount)
			}
		}
	})
	b.checkIndex(t)
}
