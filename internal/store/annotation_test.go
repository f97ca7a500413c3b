package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/search"
	"florin/internal/testkit"
)

// Notes and tags of a row are found by the search, are replaced as a whole, and cannot be changed by another person.
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

// Rows of the first sync of an account are not marked for review. Later rows are, until the person has reviewed them. Changes by the bank do not mark them
// again.
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

// A new row that turns out to be an old one is deleted. The next new row does not get its id, because an open page may still contain it.
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
	b.run(t, []finance.Entry{rent("another")}) // the bank gives new references: the row is stored as a new one, and then found to be the old one
	if newest() != first {
		t.Fatal("the same row counts as two")
	}
	b.run(t, []finance.Entry{rent("another"), entry(t, "R2", "5.00", "2026-03-02", "lunch")})
	if got := newest(); got != first+2 {
		t.Errorf("the new row has the id %d, want %d: %d was that of a row which is no more", got, first+2, first+1)
	}
}

// fickleBank lists seven rows of 1.00 to 7.00 differently each time.
type fickleBank [7]struct {
	day                int
	reference, details string
}

func newFickleBank() *fickleBank {
	bank := &fickleBank{}
	for i := range bank {
		bank[i].day, bank[i].details = 2*i+1, fmt.Sprintf("row %d", i)
		if i%3 > 0 {
			bank[i].reference = fmt.Sprintf("R%d", i)
		}
	}
	return bank
}

// tell lists the rows, newest first. Some are left out, some have more details, and some another day or another reference.
func (bank *fickleBank) tell(t *testing.T, rt *rapid.T) (entries []finance.Entry) {
	for i := len(bank) - 1; i >= 0; i-- {
		r := &bank[i]
		if i > 0 && rapid.IntRange(0, 5).Draw(rt, "gone") == 0 {
			continue
		}
		if r.reference != "" && i > 1 { // only rows with a reference change: without anything in common, a row would count as another one
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
	return entries
}

// deeds are the edits of a person on the rows of an account, by the rows' amounts, which never change.
type deeds map[string]map[string]bool

func (d deeds) add(amount string, all ...string) {
	if d[amount] == nil {
		d[amount] = map[string]bool{}
	}
	for _, deed := range all {
		d[amount][deed] = true
	}
}

// deedsOn lists the edits of a person on a row.
func (b *bed) deedsOn(t testing.TB, user string, row finance.FoundRow) (all []string) {
	t.Helper()
	ctx := context.Background()
	a := must(b.Annotation(ctx, user, row.ID))(t)
	for line := range strings.Lines(a.Note) {
		all = append(all, "note "+strings.TrimSpace(line))
	}
	for _, tag := range a.Tags {
		all = append(all, "tag "+tag)
	}
	for _, file := range must(b.Attachments(ctx, user, row.ID))(t) {
		all = append(all, "file "+file.ID)
	}
	if len(must(b.Parts(ctx, user, row.ID))(t)) > 0 {
		all = append(all, "parts")
	}
	if row.CategoryBy == string(categories.ByHand) {
		all = append(all, "category "+row.Category)
	}
	if row.Reviewed {
		all = append(all, "reviewed")
	}
	return slices.DeleteFunc(all, func(deed string) bool { return strings.HasSuffix(deed, " ruled") })
}

// Whatever happens, no edit is lost, and none ends up on another row: syncs add, change, rename, move, remove and restore rows, also while pages of a run are
// missing; banks are linked again; a person merges and separates rows; rules run; and files bring rows before and after the bank does. Edits on rows that are
// deleted when an import is undone are deleted with them, unless another row takes their place.
func TestNoEditIsLost(t *testing.T) {
	testkit.Unwatched(t)
	b := newBed(t)
	ctx := t.Context()
	rapid.Check(t, func(rt *rapid.T) {
		// Stop the tasks of the users of earlier runs.
		b.exec(t, `UPDATE sync_task SET state = 'waiting', lease = '', lease_until = NULL, next_attempt_at = '2999-01-01T00:00:00.000Z'`)
		n := finance.NewID()
		u := b.user(t, n+"@example.org")
		resources := resource("h"+n, "EUR", "uid"+n)
		done, _ := b.link(t, u, finance.Secret("session "+n), resources)
		account := done.Accounts[0].Account.ID
		bank, want, count := newFickleBank(), deeds{}, int64(0)
		var rules []string
		var imports []finance.Import
		list := func() []finance.FoundRow {
			page, _, err := b.Find(ctx, u.ID, search.InAccount(account), Newest, 50)
			check(t, err)
			return page
		}
		edit := func() {
			rows := list()
			if len(rows) == 0 {
				return
			}
			row := rapid.SampledFrom(rows).Draw(rt, "row")
			amount := row.Amount.String()
			count++
			mark := fmt.Sprint("e", count)
			switch rapid.IntRange(0, 5).Draw(rt, "kind") {
			case 0:
				a := must(b.Annotation(ctx, u.ID, row.ID))(t)
				a.Note, a.Tags = finance.JoinNotes(a.Note, mark), append(a.Tags, mark)
				check(t, b.Annotate(ctx, u.ID, account, row.ID, a))
				want.add(amount, "note "+mark, "tag "+mark)
			case 1:
				file := receipt("receipt.pdf", 1)
				check(t, b.Attach(ctx, u.ID, account, row.ID, file))
				want.add(amount, "file "+file.ID)
			case 2:
				rest, err := row.Amount.Sub(money.FromMinor(-count, "EUR"))
				check(t, err)
				check(t, b.Split(ctx, u.ID, account, row.ID, []finance.SplitPart{{Amount: money.FromMinor(-count, "EUR")}, {Amount: rest}}))
				want.add(amount, "parts")
			case 3:
				must(b.SetCategory(ctx, u.ID, account, row.ID, "gifts"))(t)
				want.add(amount, "category gifts")
			case 4:
				check(t, b.Review(ctx, u.ID, account, row.ID, true))
				want.add(amount, "reviewed")
			case 5:
				other := rapid.SampledFrom(rows).Draw(rt, "other")
				b.change(t, u.ID, finance.BulkChange{Tags: []string{mark}}, slices.Compact([]int64{row.ID, other.ID})...)
				want.add(amount, "tag "+mark)
				want.add(other.Amount.String(), "tag "+mark)
			}
		}
		merge := func() {
			rows := list()
			for i, one := range rows {
				for _, two := range rows[i+1:] {
					if one.Amount == two.Amount && rapid.Bool().Draw(rt, "merge") {
						_, err := b.Merge(ctx, u.ID, two.ID, one.ID)
						if err != nil && !errors.Is(err, finance.ErrMergeMerged) {
							rt.Fatal(err)
						}
						return
					}
				}
			}
		}
		separate := func() {
			for _, row := range list() {
				if merged := must(b.MergedRows(ctx, u.ID, row.ID))(t); len(merged) > 0 && rapid.Bool().Draw(rt, "separate") {
					check(t, b.Separate(ctx, u.ID, account, row.ID, merged[0].ID))
					return
				}
			}
		}
		rule := func() {
			if len(rules) > 0 && rapid.Bool().Draw(rt, "no rule") {
				check(t, b.DeleteRule(ctx, u.ID, rules[0]))
				rules = rules[1:]
				return
			}
			rules = append(rules, must(b.SaveRule(ctx, u.ID, categories.Rule{Conditions: categories.Conditions{Texts: []string{"row"}},
				Actions: categories.Actions{Category: "pets", Tags: []string{"ruled"}, Note: "ruled"}}))(t))
		}
		load := func() {
			var rows []finance.Entry
			for i := range 8 { // a row that the bank never has
				if rapid.Bool().Draw(rt, "in the file") {
					day := 2*i + 1 + rapid.SampledFrom([]int{0, 10}).Draw(rt, "later")
					rows = append(rows, written(t, fmt.Sprintf("2026-03-%02d", day), fmt.Sprintf("-%d.00", i+1), "", fmt.Sprintf("row %d", i)))
				}
			}
			target := []finance.ImportTarget{{Account: finance.Account{ID: account}, Rows: imported(rows...)}}
			if i := must(b.SaveImport(ctx, u.ID, finance.Import{File: "f", Format: "csv"}, target, nil, nil))(t); len(i.Parts) > 0 {
				imports = append(imports, i)
			}
		}
		undo := func() {
			if len(imports) == 0 {
				return
			}
			i := rapid.IntRange(0, len(imports)-1).Draw(rt, "import")
			goes := map[int64]bool{}
			for _, id := range must(collect(ctx, b.db.Read(), scanID, `SELECT ti.transaction_id FROM transaction_import ti JOIN statement_import i ON i.id = ti.import_id
				JOIN booked_transaction t ON t.id = ti.transaction_id WHERE i.file_id = $1 AND t.seen_run = 0`, imports[i].ID))(t) {
				goes[id.(int64)] = true
			}
			want = deeds{}
			for _, row := range list() {
				left := !goes[row.ID]
				for _, twin := range must(b.MergedRows(ctx, u.ID, row.ID))(t) {
					left = left || !goes[twin.ID]
				}
				if left {
					want.add(row.Amount.String(), b.deedsOn(t, u.ID, row)...)
				}
			}
			must(b.UndoImport(ctx, u.ID, imports[i].ID))(t)
			imports = slices.Delete(imports, i, i+1)
		}
		compare := func(after string) {
			have := deeds{}
			for _, row := range list() {
				have.add(row.Amount.String(), b.deedsOn(t, u.ID, row)...)
			}
			for amount, all := range want {
				for deed := range all {
					if !have[amount][deed] {
						rt.Fatalf("after %s the %q of %s is lost", after, deed, amount)
					}
				}
			}
			for amount, all := range have {
				for deed := range all {
					if !want[amount][deed] && deed != "reviewed" { // the first sync marks its rows as reviewed
						rt.Fatalf("after %s %s has the %q of another row", after, amount, deed)
					}
				}
			}
		}
		sync := func() {
			if rapid.IntRange(0, 4).Draw(rt, "again") == 0 { // link again, as a renewal
				b.link(t, u, finance.Secret(fmt.Sprint("session ", finance.NewID())), resources)
			}
			b.only(t, account)
			entries := bank.tell(t, rt)
			c := b.claim(t, finance.ScopeTransactions)
			check(t, b.BeginRun(ctx, &c, "longest", "", lease))
			middle := rapid.IntRange(0, len(entries)).Draw(rt, "page")
			check(t, b.ApplyPage(ctx, &c, Page{Entries: entries[:middle], Next: "more"}, lease, time.Now()))
			rapid.SampledFrom([]func(){edit, merge, separate, load}).Draw(rt, "meanwhile")()
			check(t, b.ApplyPage(ctx, &c, Page{Entries: entries[middle:]}, lease, time.Now().Add(-time.Second)))
		}
		steps := []struct {
			name string
			does func()
		}{{"a sync", sync}, {"an edit", edit}, {"an edit", edit}, {"a merge", merge}, {"a merge", merge}, {"a separation", separate}, {"a rule", rule}, {"an import", load},
			{"an undone import", undo}}
		sync()
		for range rapid.IntRange(4, 12).Draw(rt, "steps") {
			step := steps[rapid.IntRange(0, len(steps)-1).Draw(rt, "step")]
			step.does()
			compare(step.name)
		}
	})
	b.checkIndex(t)
}
