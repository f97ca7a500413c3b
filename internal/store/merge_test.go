package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/search"
)

// told returns everything that the user has on each row of an account, by the row's text, as one text.
func (b *bed) told(t testing.TB, user, account string) map[string]string {
	t.Helper()
	ctx := context.Background()
	b.checkIndex(t)
	list := map[string]string{}
	for _, r := range b.all(t, user, search.InAccount(account), 10) {
		own := must(b.Annotation(ctx, user, r.ID))(t)
		var files []string
		for _, f := range must(b.Attachments(ctx, user, r.ID))(t) {
			files = append(files, f.Name)
		}
		slices.Sort(files)
		transfer, other, err := b.TransferOf(ctx, user, r.ID)
		if err != nil && !errors.Is(err, finance.ErrNotFound) {
			t.Fatal(err)
		}
		paid, _, err := b.PaymentsOfBooking(ctx, user, r.ID)
		check(t, err)
		var payment finance.Payment
		if len(paid) > 0 {
			payment = paid[0]
		}
		list[r.Remittance] = fmt.Sprintf("%d note %q tags %q reviewed %t category %s by %s parts %v files %v transfer %s %d payment %s missing %t", r.ID, own.Note, own.Tags, r.Reviewed,
			r.Category, r.CategoryBy, must(b.Parts(ctx, user, r.ID))(t), files, transfer.State, other.ID, payment.ID, r.Missing)
	}
	if a := must(b.Account(ctx, user, account))(t); int(a.Transactions) != len(list) {
		t.Errorf("%d rows are counted, %d are in the list", a.Transactions, len(list))
	}
	return list
}

// id returns the id of the row with a text.
func (b *bed) id(t testing.TB, user, text string) int64 {
	t.Helper()
	for _, r := range b.all(t, user, search.And{}, 50) {
		if r.Remittance == text {
			return r.ID
		}
	}
	t.Fatalf("no row has the text %q", text)
	return 0
}

func same(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	for text := range want {
		if got[text] != want[text] {
			t.Errorf("%s: %s is\n  %s\nwant\n  %s", what, text, got[text], want[text])
		}
	}
	for text := range got {
		if want[text] == "" {
			t.Errorf("%s: there is also %s", what, text)
		}
	}
}

// Merging makes one row of two, with the edits of both, in all lists and sums, and only for its owner. Separating restores both. Edits made meanwhile stay with
// the remaining row.
func TestMerge(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	stranger := b.user(t, "b@example.org").ID
	market, again, flat := entry(t, "R3", "50.00", "2026-03-02", "market"), entry(t, "R4", "50.00", "2026-03-03", "market again"), entry(t, "R1", "700.00", "2026-03-01", "flat")
	b.run(t, []finance.Entry{entry(t, "R0", "1.00", "2026-02-01", "old")})
	b.run(t, []finance.Entry{again, market, flat})
	kept, other, third := b.id(t, user, "market"), b.id(t, user, "market again"), b.id(t, user, "flat")
	check(t, b.Annotate(ctx, user, account, kept, finance.Annotation{Note: "for Lena", Tags: []string{"party"}}))
	check(t, b.Annotate(ctx, user, account, other, finance.Annotation{Note: "with receipt", Tags: []string{"Party", "tax"}}))
	check(t, b.Review(ctx, user, account, other, true))
	must(b.SetCategory(ctx, user, account, other, "groceries"))(t)
	check(t, b.Split(ctx, user, account, other, []finance.SplitPart{{Amount: market.Amount, Category: "groceries"}, {Amount: market.Amount.Neg(), Note: "nothing"},
		{Amount: market.Amount, Category: "gifts"}}))
	check(t, b.Attach(ctx, user, account, kept, receipt("one.pdf", 1)))
	check(t, b.Attach(ctx, user, account, other, receipt("two.pdf", 1)))
	before := b.told(t, user, account)
	counts := b.countsOf(t)

	for name, call := range map[string]func() error{
		"a stranger":               func() error { _, err := b.Merge(ctx, stranger, kept, other); return err },
		"what is not":              func() error { _, err := b.Merge(ctx, user, kept, 999); return err },
		"a stranger separates":     func() error { return b.Separate(ctx, stranger, account, kept, other) },
		"what is not, separated":   func() error { return b.Separate(ctx, user, account, kept, other) },
		"a stranger looks":         func() error { _, err := b.MergeSide(ctx, stranger, kept); return err },
		"a stranger looks further": func() error { _, err := b.Doubles(ctx, stranger, kept); return err },
	} {
		if err := call(); !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := b.Merge(ctx, user, kept, third); !errors.Is(err, finance.ErrMergeAmounts) {
		t.Errorf("rows of different amounts: %v", err)
	}
	if id := must(b.Merge(ctx, user, kept, other))(t); id != kept {
		t.Fatalf("%d stays", id)
	}
	merged := b.told(t, user, account)
	if got := merged["market"]; merged["market again"] != "" || !strings.Contains(got, `note "for Lena\nwith receipt" tags ["party" "tax"] reviewed true category groceries by hand`) ||
		!strings.Contains(got, "files [one.pdf two.pdf]") || strings.Count(got, "gifts") != 1 {
		t.Errorf("the one row is %v", merged)
	}
	if got := b.countsOf(t); strings.Contains(got, "groceries 2") || !strings.Contains(got, "market groceries 1") {
		t.Errorf("one choice counts as\n%s", got)
	}
	totals, _, _, err := b.Totals(ctx, user, search.And{})
	check(t, err)
	if totals[0].Rows != 3 || totals[0].Out.String() != "-751.00" {
		t.Errorf("the totals are %+v", totals)
	}
	for _, q := range []search.Query{search.And{}, search.Phrase{Words: []string{"market"}}, search.Marked{search.CategoryMark("groceries")},
		search.Marked{search.MarkAttachment}} {
		if rows := b.all(t, user, q, 10); slices.ContainsFunc(rows, func(r finance.FoundRow) bool { return r.ID == other }) {
			t.Errorf("%#v finds the row that was merged", q)
		}
	}
	if into := must(b.MergedInto(ctx, user, account, other))(t); into != kept {
		t.Errorf("it was merged into %d", into)
	}
	if _, err := b.MergedInto(ctx, stranger, account, other); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("a stranger sees what was merged: %v", err)
	}
	if rows := must(b.MergedRows(ctx, user, kept))(t); len(rows) != 1 || rows[0].ID != other || rows[0].Remittance != "market again" || rows[0].Merged.IsZero() {
		t.Errorf("%+v", rows)
	}
	for name, err := range map[string]error{
		"annotate": b.Annotate(ctx, user, account, other, finance.Annotation{}), "review": b.Review(ctx, user, account, other, false),
		"show":  func() error { _, err := b.Transaction(ctx, user, account, other); return err }(),
		"merge": func() error { _, err := b.Merge(ctx, user, kept, other); return err }(),
	} {
		if !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%s a row that was merged: %v", name, err)
		}
	}
	b.run(t, []finance.Entry{again, market, flat}) // the sync brings no double
	same(t, "after a sync", b.told(t, user, account), merged)

	check(t, b.Separate(ctx, user, account, kept, other))
	same(t, "separated", b.told(t, user, account), before)
	if got := b.countsOf(t); got != counts {
		t.Errorf("separated, the choices count as\n%s\nbefore it was\n%s", got, counts)
	}

	must(b.Merge(ctx, user, kept, other))(t)
	check(t, b.Annotate(ctx, user, account, kept, finance.Annotation{Note: "for Lena\nwith receipt\nand more", Tags: []string{"party", "since"}}))
	must(b.SetCategory(ctx, user, account, kept, "gifts"))(t)
	files := must(b.Attachments(ctx, user, kept))(t)
	for _, f := range files {
		if f.Name == "two.pdf" {
			check(t, b.Detach(ctx, user, account, kept, f.ID))
		}
	}
	if unused := must(b.UnusedAttachments(ctx))(t); len(unused) != 1 {
		t.Errorf("a file that was deleted is still with the row that was merged: %v are unused", unused)
	}
	check(t, b.Separate(ctx, user, account, kept, other))
	now := b.told(t, user, account)
	if got := now["market"]; !strings.Contains(got, `note "for Lena\nand more" tags ["party" "since"] reviewed false category gifts by hand parts [] files [one.pdf]`) {
		t.Errorf("what was done since is %s", got)
	}
	if got, want := now["market again"], strings.Replace(before["market again"], "two.pdf", "", 1); got != want {
		t.Errorf("the other row is\n  %s\nwant\n  %s", got, want)
	}
}

// countsOf returns the counts of naive Bayes from all choices.
func (b *bed) countsOf(t testing.TB) string {
	t.Helper()
	b.checkCounts(t)
	rows, err := collect(t.Context(), b.db.Read(), func(row scanner) (text string, err error) { return text, row.Scan(&text) },
		`SELECT feature || ' ' || category_id || ' ' || row_count FROM category_count ORDER BY 1`)
	check(t, err)
	return strings.Join(rows, "\n")
}

// When several rows were merged into one, the last one must be separated first.
func TestMergeThree(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	b.run(t, []finance.Entry{entry(t, "R3", "5.00", "2026-03-02", "three"), entry(t, "R2", "5.00", "2026-03-02", "two"), entry(t, "R1", "5.00", "2026-03-01", "one")})
	one, two, three := b.id(t, user, "one"), b.id(t, user, "two"), b.id(t, user, "three")
	for id, tags := range map[int64][]string{one: {"a"}, two: {"b", "x"}, three: {"c", "x"}} {
		check(t, b.Annotate(ctx, user, account, id, finance.Annotation{Note: "same", Tags: tags}))
	}
	before := b.told(t, user, account)
	must(b.Merge(ctx, user, one, two))(t)
	first := b.told(t, user, account)
	if id := must(b.Merge(ctx, user, three, one))(t); id != one {
		t.Errorf("%d stays, though another row was merged into %d", id, one)
	}
	if err := b.Separate(ctx, user, account, one, two); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("the first is separated before the last: %v", err)
	}
	check(t, b.Separate(ctx, user, account, one, three))
	same(t, "one separated", b.told(t, user, account), first)
	check(t, b.Separate(ctx, user, account, one, two))
	same(t, "both separated", b.told(t, user, account), before)
}

// Whatever the bank does to one of two merged rows: they stay merged, no double comes back, and the result is missing only when both are missing.
func TestSyncsKeepMerges(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	old, first, last := entry(t, "R0", "1.00", "2026-02-20", "old"), entry(t, "R2", "5.00", "2026-03-03", "one"), entry(t, "R9", "9.00", "2026-03-09", "last")
	second := func(reference, date, text string) finance.Entry { return entry(t, reference, "5.00", date, text) }
	b.run(t, []finance.Entry{last, second("R3", "2026-03-04", "two"), first, old})
	one, two := b.id(t, user, "one"), b.id(t, user, "two")
	check(t, b.Annotate(ctx, user, account, two, finance.Annotation{Note: "second"}))
	must(b.Merge(ctx, user, one, two))(t)
	merged := b.told(t, user, account)
	for _, c := range []struct {
		name    string
		entries []finance.Entry
	}{
		{"both", []finance.Entry{last, second("R3", "2026-03-04", "two"), first, old}}, {"one is gone", []finance.Entry{last, second("R3", "2026-03-04", "two"), old}},
		{"the other is gone", []finance.Entry{last, first, old}}, {"another day", []finance.Entry{last, second("R3", "2026-03-05", "two"), first, old}},
		{"another reference", []finance.Entry{last, second("R4", "2026-03-05", "two"), first, old}},
		{"another text", []finance.Entry{last, second("R4", "2026-03-05", "two and more"), first, old}},
	} {
		b.run(t, c.entries)
		same(t, c.name, b.told(t, user, account), merged)
	}
	b.run(t, []finance.Entry{last, old})
	if got := b.told(t, user, account)["one"]; !strings.HasSuffix(got, "missing true") {
		t.Errorf("neither is listed, and the one is %s", got)
	}
	b.run(t, []finance.Entry{last, second("R4", "2026-03-06", "two and more"), old})
	same(t, "one is back", b.told(t, user, account), merged)
	check(t, b.Separate(ctx, user, account, one, two))
	got := b.told(t, user, account)
	if !strings.Contains(got["two and more"], `note "second"`) || !strings.HasSuffix(got["two and more"], "missing false") || !strings.HasSuffix(got["one"], "missing true") {
		t.Errorf("separated, they are %v", got)
	}
	equal(t, b.rows(t, user, account, 10), "2026-03-09 -9.00 last", "2026-03-06 -5.00 two and more", "2026-03-03 -5.00 one?", "2026-02-20 -1.00 old")
}

// A new row is merged while its run is not complete, and then turns out to be an old row: the old row is merged instead, with all edits.
func TestMergeDuringARun(t *testing.T) {
	for _, c := range []struct {
		name string
		into string // the row that stays; the other one is merged into it
		with string
	}{{"the new row into another", "other", "new"}, {"another into the new row", "new", "other"}, {"the new row into itself", "old", "new"}, {"itself into the new row", "new", "old"}} {
		t.Run(c.name, func(t *testing.T) {
			b := newBed(t)
			ctx := t.Context()
			user, account := b.linked(t)
			other, last := entry(t, "R1", "5.00", "2026-03-04", "other"), entry(t, "R0", "1.00", "2026-03-01", "last")
			b.run(t, []finance.Entry{other, entry(t, "R2", "5.00", "2026-03-03", "coffee"), last})
			old := b.id(t, user, "coffee")
			run := b.claim(t, finance.ScopeTransactions)
			check(t, b.BeginRun(ctx, &run, "longest", "", lease))
			check(t, b.ApplyPage(ctx, &run, Page{Entries: []finance.Entry{other, entry(t, "X2", "5.00", "2026-03-03", "coffee")}, Next: "more"}, lease, time.Now()))
			ids := map[string]int64{"old": old, "other": b.id(t, user, "other")}
			for _, r := range b.all(t, user, search.Phrase{Words: []string{"coffee"}}, 10) {
				if r.ID != old {
					ids["new"] = r.ID
				}
			}
			var tags []string
			for name, id := range ids {
				check(t, b.Annotate(ctx, user, account, id, finance.Annotation{Note: name, Tags: []string{name}}))
			}
			must(b.Merge(ctx, user, ids[c.into], ids[c.with]))(t)
			check(t, b.ApplyPage(ctx, &run, Page{Entries: []finance.Entry{last}}, lease, time.Now().Add(-time.Second)))
			rows := b.told(t, user, account)
			want := 2 // including the row "last"
			if c.into == "old" || c.with == "old" {
				want = 3
			}
			if len(rows) != want {
				t.Errorf("the rows are %v", rows)
			}
			for _, r := range b.all(t, user, search.InAccount(account), 10) {
				tags = append(tags, must(b.Annotation(ctx, user, r.ID))(t).Tags...)
			}
			if slices.Sort(tags); !slices.Equal(tags, []string{"new", "old", "other"}) {
				t.Errorf("the tags are %q: %v", tags, rows)
			}
		})
	}
}

// A payment or a transfer moves to the row that stays, and back to its own row when they are separated.
func TestMergeLinks(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, accounts := b.household(t, "a@example.org")
	giro, savings := householdNumbers[0], householdNumbers[1]
	b.sync(t, accounts[giro], moved(t, "R1", "-100.00", "2026-03-02", "", "one"), moved(t, "R2", "-100.00", "2026-03-02", savings, "two"), moved(t, "R3", "-100.00", "2026-03-08", "", "three"))
	b.sync(t, accounts[savings], moved(t, "R4", "100.00", "2026-03-03", giro, "in"))
	b.pair(t)
	one, two, three, in := b.id(t, user, "one"), b.id(t, user, "two"), b.id(t, user, "three"), b.id(t, user, "in")
	before := b.told(t, user, accounts[giro])
	if !strings.Contains(before["two"], "transfer found") {
		t.Fatalf("%v", before)
	}
	must(b.Merge(ctx, user, one, two))(t)
	for range 2 {
		got := b.told(t, user, accounts[giro])
		if !strings.Contains(got["one"], fmt.Sprintf("category %s by transfer", categories.Transfer)) || !strings.Contains(got["one"], fmt.Sprintf("transfer found %d", in)) {
			t.Errorf("the one row is %s", got["one"])
		}
		b.pair(t) // a second search changes nothing
	}
	check(t, b.Separate(ctx, user, accounts[giro], one, two))
	same(t, "separated", b.told(t, user, accounts[giro]), before)
	b.pair(t)
	same(t, "looked at again", b.told(t, user, accounts[giro]), before)

	check(t, b.SetTransfer(ctx, user, finance.Transfer{OutID: two, InID: in, State: finance.TransferRefused}))
	check(t, b.SetTransfer(ctx, user, finance.Transfer{OutID: three, InID: in, State: finance.TransferByHand}))
	before = b.told(t, user, accounts[giro])
	must(b.Merge(ctx, user, one, three))(t)
	if got := b.told(t, user, accounts[giro])["one"]; !strings.Contains(got, fmt.Sprintf("transfer hand %d", in)) {
		t.Errorf("the choice of the person is lost: %s", got)
	}
	check(t, b.Separate(ctx, user, accounts[giro], one, three))
	same(t, "what the person said", b.told(t, user, accounts[giro]), before)
}

func TestMergePayments(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	b.sent(t, finance.User{ID: user}, "p1", order(transfer("Shop", ibanDE, "5.00")))
	b.run(t, []finance.Entry{spent(t, "R1", "5.00", ibanDE), entry(t, "R2", "5.00", "2026-03-03", "by hand")})
	b.match(t, user)
	paid, other := b.id(t, user, ""), b.id(t, user, "by hand")
	before := b.told(t, user, account)
	payments, _, err := b.PaymentsOfBooking(ctx, user, paid)
	check(t, err)
	payment := payments[0]
	must(b.Merge(ctx, user, other, paid))(t)
	if got := b.told(t, user, account)["by hand"]; !strings.Contains(got, "payment "+payment.ID+" ") {
		t.Errorf("the payment is lost: %s", got)
	}
	b.match(t, user)
	check(t, b.Separate(ctx, user, account, other, paid))
	b.match(t, user)
	same(t, "separated", b.told(t, user, account), before)
}

// Merged rows from files: undoing the import removes the rows of the file, and keeps the person's edits on the remaining row. Importing the file again brings
// none of the merged rows.
func TestMergesAndImports(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user := b.user(t, "a@example.org").ID
	account := b.manual(t, user, finance.SourceManual, euro(t, "2026-01-01", "100.00"))
	load := func(entries ...finance.Entry) finance.Import {
		return must(b.SaveImport(ctx, user, finance.Import{File: "x.csv", Format: "csv"},
			[]finance.ImportTarget{{Account: finance.Account{ID: account}, Rows: imported(entries...)}}, nil, nil))(t)
	}
	rent, other := written(t, "2026-03-01", "-70.00", "Landlord", "rent"), written(t, "2026-03-20", "-70.00", "Mrs Miller", "flat")
	load(rent)
	second := load(other)
	one, two := b.id(t, user, "rent"), b.id(t, user, "flat")
	check(t, b.Annotate(ctx, user, account, one, finance.Annotation{Note: "first", Tags: []string{"a"}}))
	check(t, b.Annotate(ctx, user, account, two, finance.Annotation{Note: "second"}))
	check(t, b.Attach(ctx, user, account, two, receipt("two.pdf", 1)))
	must(b.Merge(ctx, user, two, one))(t)
	if got := b.balance(t, user, account); got != "30.00" {
		t.Errorf("the balance is %s", got)
	}
	if again := load(rent, other); again.Total().Brought != 0 {
		t.Errorf("%d rows are imported again", again.Total().Brought)
	}
	if got := must(b.UndoImport(ctx, user, second.ID))(t); got != 1 || b.balance(t, user, account) != "30.00" {
		t.Errorf("%d rows went and leave %s", got, b.balance(t, user, account))
	}
	rows := b.told(t, user, account)
	if got := rows["rent"]; len(rows) != 1 || !strings.Contains(got, `note "second\nfirst" tags ["a"]`) || !strings.Contains(got, "two.pdf") {
		t.Errorf("the rows are %v", rows)
	}

	third := load(other)
	two = b.id(t, user, "flat")
	check(t, b.Annotate(ctx, user, account, two, finance.Annotation{Note: "third"}))
	must(b.Merge(ctx, user, one, two))(t)
	must(b.UndoImport(ctx, user, third.ID))(t)
	rows = b.told(t, user, account)
	if got := rows["rent"]; len(rows) != 1 || !strings.Contains(got, `note "second\nfirst\nthird"`) || b.balance(t, user, account) != "30.00" {
		t.Errorf("the rows are %v", rows)
	}

	must(b.AddRow(ctx, user, account, other))(t)
	must(b.Merge(ctx, user, one, b.id(t, user, "flat")))(t)
	check(t, b.DeleteRow(ctx, user, account, one))
	if rows := b.told(t, user, account); len(rows) != 0 || b.balance(t, user, account) != "100.00" {
		t.Errorf("a row that was deleted leaves %v", rows)
	}
	load(rent, other)
	must(b.Merge(ctx, user, b.id(t, user, "rent"), b.id(t, user, "flat")))(t)
	must(b.DeleteAccount(ctx, user, account))(t)
	if b.checkIndex(t); must(b.Belongings(ctx, user))(t).Transactions != 0 {
		t.Error("rows are left")
	}
}

// A row that the bank no longer lists still counts while a row from a file is merged into it. When that import is undone, it is missing, and in no sum.
func TestUndoneImportOfWhatWasMerged(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	first, last, rent := entry(t, "R1", "1.00", "2026-03-01", "first"), entry(t, "R9", "1.00", "2026-03-30", "last"), entry(t, "R5", "70.00", "2026-03-05", "rent")
	b.run(t, []finance.Entry{last, rent, first})
	target := []finance.ImportTarget{{Account: finance.Account{ID: account}, Rows: imported(written(t, "2026-03-20", "-70.00", "", "flat"))}}
	i := must(b.SaveImport(ctx, user, finance.Import{File: "f", Format: "csv"}, target, nil, nil))(t)
	must(b.Merge(ctx, user, b.id(t, user, "rent"), b.id(t, user, "flat")))(t)
	b.run(t, []finance.Entry{last, first})
	if got := b.told(t, user, account)["rent"]; !strings.HasSuffix(got, "missing false") {
		t.Errorf("the row is %s", got)
	}
	must(b.UndoImport(ctx, user, i.ID))(t)
	if got := b.told(t, user, account)["rent"]; !strings.HasSuffix(got, "missing true") {
		t.Errorf("the row is %s", got)
	}
}

// Which doubles a person is offered: similar rows of other sources, and the row with which the bank replaced one that it no longer lists.
func TestDoublesAreOffered(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	b.run(t, []finance.Entry{entry(t, "R9", "9.00", "2026-03-09", "last"), entry(t, "R3", "5.00", "2026-03-04", "bakery"), entry(t, "R2", "5.00", "2026-03-03", "bakery"),
		entry(t, "R1", "8.00", "2026-03-02", "fuel at the corner"), entry(t, "R0", "1.00", "2026-02-01", "old")})
	b.run(t, []finance.Entry{entry(t, "R9", "9.00", "2026-03-09", "last"), entry(t, "R3", "5.00", "2026-03-04", "bakery"), entry(t, "R2", "5.00", "2026-03-03", "bakery"),
		entry(t, "R5", "8.70", "2026-03-04", "fuel at the corner, pump 3"), entry(t, "R0", "1.00", "2026-02-01", "old")})
	file := must(b.SaveImport(ctx, user, finance.Import{File: "x.csv", Format: "csv"},
		[]finance.ImportTarget{{Account: finance.Account{ID: account}, Rows: imported(written(t, "2026-03-06", "-5.00", "", "bakery"))}}, nil, map[int]bool{0: true}))(t)
	if file.Total().Brought != 1 {
		t.Fatalf("%d rows are brought", file.Total().Brought)
	}
	offered := func(text string) (list []string) {
		for _, d := range must(b.Doubles(ctx, user, b.id(t, user, text)))(t) {
			list = append(list, fmt.Sprintf("%s %s %s %t", d.Date, d.Amount, d.Remittance, d.Likely))
		}
		return list
	}
	equal(t, offered("bakery"), "2026-03-04 -5.00 bakery true", "2026-03-03 -5.00 bakery true")
	equal(t, offered("fuel at the corner"), "2026-03-04 -8.70 fuel at the corner, pump 3 false")
	equal(t, offered("last"))
	kept := must(b.Merge(ctx, user, b.id(t, user, "fuel at the corner"), b.id(t, user, "fuel at the corner, pump 3")))(t)
	if kept != b.id(t, user, "fuel at the corner, pump 3") {
		t.Error("the row stays that the bank lists no more")
	}
}

// Later versions of Florin read the stored gift of a merge, so its form must not change.
func TestGiftForm(t *testing.T) {
	text := must(json.Marshal(gift{finance.MergeGift{Note: "n", Tags: []string{"t"}, Reviewed: true, Category: "c", Parts: true, Files: []string{"f"}}, "at",
		&giftPayment{"p", 1, "2026-01-01"}, &giftTransfer{7, finance.TransferByHand}, "e"}))(t)
	const want = `{"note":"n","tags":["t"],"reviewed":true,"category":"c","parts":true,"files":["f"],"chosen_at":"at",` +
		`"payment":{"id":"p","position":1,"execution":"2026-01-01"},"transfer":{"other":7,"state":"hand"},"expense":"e"}`
	if string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
}

// Rows that a person types, changes, imports, merges, separates or deletes are searched for transfers at once.
func TestRowsByHandAreLookedAt(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user := b.user(t, "a@example.org").ID
	wallet, purse := b.manual(t, user, finance.SourceManual, euro(t, "2026-01-01", "100.00")), b.manual(t, user, finance.SourceManual, euro(t, "2026-01-01", "0.00"))
	woken := 0
	b.WhenRowsChanged(func() { woken++; b.findTransfers(t) })
	must(b.AddRow(ctx, user, wallet, written(t, "2026-03-01", "-70.00", "", "into savings")))(t)
	in := must(b.AddRow(ctx, user, purse, written(t, "2026-03-01", "70.00", "", "into savings")))(t)
	if got := b.transfers(t, user); len(got) != 2 {
		t.Errorf("the transfers are %v", got)
	}
	must(b.ChangeRow(ctx, user, purse, in, written(t, "2026-03-01", "71.00", "", "found")))(t)
	if got := b.transfers(t, user); len(got) != 0 {
		t.Errorf("the transfers are still %v", got)
	}
	again := must(b.AddRow(ctx, user, purse, written(t, "2026-03-02", "71.00", "", "found")))(t)
	must(b.Merge(ctx, user, in, again))(t)
	check(t, b.Separate(ctx, user, purse, in, again))
	i := must(b.SaveImport(ctx, user, finance.Import{File: "x.csv", Format: "csv"}, []finance.ImportTarget{{Account: finance.Account{ID: purse},
		Rows: imported(written(t, "2026-03-01", "70.00", "", "into savings"))}}, nil, nil))(t)
	if got := b.transfers(t, user); len(got) != 2 {
		t.Errorf("the transfers are %v", got)
	}
	must(b.UndoImport(ctx, user, i.ID))(t)
	check(t, b.DeleteRow(ctx, user, purse, in))
	if got := b.transfers(t, user); len(got) != 0 || woken != 9 {
		t.Errorf("the transfers are %v, looked for %d times", got, woken)
	}
}

// The booking of a file's total moves from one row to another with all of its payments, and moves back with all of them.
func TestMergeTheTotalOfAFile(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	for id, amount := range map[string]string{"p1": "2.00", "p2": "3.00"} {
		b.sent(t, finance.User{ID: user}, id, order(transfer("Shop", ibanDE, amount)))
	}
	b.exec(t, `INSERT INTO payment_total (id, payment_id, filed) SELECT 'TOTAL-1', payment.id, payment.sent FROM payment`)
	b.run(t, []finance.Entry{entry(t, "R1", "5.00", "2026-03-03", "total"), entry(t, "R2", "5.00", "2026-03-03", "by hand")})
	total, other := b.id(t, user, "total"), b.id(t, user, "by hand")
	var found []finance.BookingMatch
	for _, p := range must(b.Matching(ctx, user))(t).Payments {
		found = append(found, finance.BookingMatch{BookingID: total, BookingPlace: finance.BookingPlace{PaymentID: p.ID, Total: true, File: "TOTAL-1"}})
	}
	if changed := must(b.SetBookings(ctx, user, nil, found))(t); len(changed) != 2 {
		t.Fatalf("%v", changed)
	}
	alone := finance.BookingMatch{BookingID: total, BookingPlace: finance.BookingPlace{PaymentID: found[0].PaymentID}}
	if changed := must(b.SetBookings(ctx, user, nil, []finance.BookingMatch{alone}))(t); len(changed) != 0 {
		t.Error("a total is the booking of one payment, too")
	}
	of := func(row int64) int {
		list, _, err := b.PaymentsOfBooking(ctx, user, row)
		check(t, err)
		return len(list)
	}
	must(b.Merge(ctx, user, other, total))(t)
	if of(other) != 2 {
		t.Errorf("the row that stays is the booking of %d payments", of(other))
	}
	check(t, b.Separate(ctx, user, account, other, total))
	if of(total) != 2 || of(other) != 0 {
		t.Errorf("separated, they are the bookings of %d and %d payments", of(total), of(other))
	}
}
