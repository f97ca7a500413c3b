package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/testkit"
)

// rule returns a rule for rows whose counterparty has a name.
func rule(name string, does categories.Actions) categories.Rule {
	return categories.Rule{Conditions: categories.Conditions{Payees: []string{name}}, Actions: does}
}

// Rules categorise existing and new rows, except those that a person categorised. When a rule is deleted, Florin decides again.
func TestRulesDecideOldAndNewRows(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	rows := []finance.Entry{paid(t, "R3", "9.00", "2026-03-03", "Lidl", "card"), paid(t, "R2", "9.00", "2026-03-02", "Lidl", "card"), paid(t, "R1", "9.00", "2026-03-01", "Aldi", "card")}
	b.run(t, rows)
	must(b.SetCategory(ctx, user, account, b.row(t, user, account, "Lidl 2026-03-02"), "pets"))(t)
	gifts := must(b.SaveRule(ctx, user, rule("lidl", categories.Actions{Category: "gifts"})))(t)
	b.run(t, append([]finance.Entry{paid(t, "R4", "9.00", "2026-03-04", "LIDL 0815", "card")}, rows...))
	want := map[string]string{"LIDL 0815 2026-03-04": "gifts (rule)", "Lidl 2026-03-03": "gifts (rule)", "Lidl 2026-03-02": "pets (hand)", "Aldi 2026-03-01": "groceries (merchant)"}
	wantCategories(t, b.categorised(t, user, account), want)
	b.checkIndex(t)

	// A new rule is applied first, until it is moved behind the other.
	all := must(b.SaveRule(ctx, user, categories.Rule{Actions: categories.Actions{Category: "travel"}}))(t)
	if got := b.categorised(t, user, account); got["Lidl 2026-03-03"] != "travel (rule)" || got["Aldi 2026-03-01"] != "travel (rule)" || got["Lidl 2026-03-02"] != "pets (hand)" {
		t.Errorf("with a rule for all before: %v", got)
	}
	check(t, b.MoveRule(ctx, user, all, true)) // it is the first one already
	check(t, b.MoveRule(ctx, user, all, false))
	check(t, b.MoveRule(ctx, user, all, false)) // it is the last one already
	if got := must(b.Rules(ctx, user))(t); len(got) != 2 || got[0].ID != gifts || got[1].ID != all {
		t.Errorf("the order is %+v", got)
	}
	if got := b.categorised(t, user, account); got["Lidl 2026-03-03"] != "gifts (rule)" || got["Aldi 2026-03-01"] != "travel (rule)" {
		t.Errorf("with a rule for all behind: %v", got)
	}

	off := must(b.Rule(ctx, user, all))(t)
	off.Off = true
	must(b.SaveRule(ctx, user, off))(t)
	wantCategories(t, b.categorised(t, user, account), want)
	check(t, b.DeleteRule(ctx, user, gifts))
	if got := b.categorised(t, user, account); got["LIDL 0815 2026-03-04"] != "pets (name)" || got["Lidl 2026-03-02"] != "pets (hand)" {
		t.Errorf("without rules: %v", got)
	}
	b.checkIndex(t)

	stranger := b.user(t, "b@example.org").ID
	for name, err := range map[string]error{
		"change": func() error { off.Tags = []string{"x"}; _, err := b.SaveRule(ctx, stranger, off); return err }(),
		"move":   b.MoveRule(ctx, stranger, all, true),
		"delete": b.DeleteRule(ctx, stranger, all),
		"read":   func() error { _, err := b.Rule(ctx, stranger, all); return err }(),
	} {
		if !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%s the rule of another: %v", name, err)
		}
	}
	if got := must(b.Rules(ctx, stranger))(t); len(got) > 0 {
		t.Errorf("a stranger has %+v", got)
	}
	if p := must(b.PreviewRule(ctx, stranger, rule("lidl", categories.Actions{Category: "gifts"})))(t); p.Fits != 0 || len(p.Sample) > 0 {
		t.Errorf("a stranger sees %+v", p)
	}
}

// A rule sets tags, notes and reviews once: what a person removes stays removed, also when the rule is applied again and when the bank changes the row.
func TestRulesDoOnce(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	lunch := func(text string) finance.Entry { return paid(t, "R2", "5.00", "2026-03-02", "Corner", text) }
	b.run(t, []finance.Entry{lunch("lunch"), paid(t, "R1", "6.00", "2026-03-01", "Corner", "noted")})
	first, noted := b.row(t, user, account, "Corner 2026-03-02"), b.row(t, user, account, "Corner 2026-03-01")
	check(t, b.Review(ctx, user, account, first, false))
	check(t, b.Annotate(ctx, user, account, noted, finance.Annotation{Note: "mine", Tags: []string{"Food"}}))
	r := rule("corner", categories.Actions{Tags: []string{"food", "out"}, Note: "at the corner", Reviewed: true})
	r.ID = must(b.SaveRule(ctx, user, r))(t)
	has := func(id int64, note string, tags ...string) {
		t.Helper()
		if got := must(b.Annotation(ctx, user, id))(t); got.Note != note || !slices.Equal(got.Tags, tags) {
			t.Errorf("the row has %+v, want %q and %v", got, note, tags)
		}
		b.checkIndex(t)
	}
	has(first, "at the corner", "Food", "out")
	has(noted, "mine", "Food", "out")
	if row := must(b.Transaction(ctx, user, account, first))(t); !row.Reviewed {
		t.Error("the row is not reviewed")
	}
	b.run(t, []finance.Entry{paid(t, "R3", "7.00", "2026-03-03", "Corner", "new"), lunch("lunch"), paid(t, "R1", "6.00", "2026-03-01", "Corner", "noted")})
	has(b.row(t, user, account, "Corner 2026-03-03"), "at the corner", "Food", "out")

	check(t, b.Annotate(ctx, user, account, first, finance.Annotation{Tags: []string{"out"}}))
	check(t, b.Review(ctx, user, account, first, false))
	must(b.SaveRule(ctx, user, r))(t)
	b.run(t, []finance.Entry{lunch("lunch with Lena")}) // the bank changes the row
	has(first, "", "out")
	other := paid(t, "X2", "5.00", "2026-03-02", "Corner", "lunch with Lena") // under another reference: stored as a new row, then found to be the same
	b.run(t, []finance.Entry{other})
	has(first, "", "out")
	if row := must(b.Transaction(ctx, user, account, first))(t); row.Reviewed {
		t.Error("the row is reviewed again")
	}
	r.Tags = append(r.Tags, "later")
	must(b.SaveRule(ctx, user, r))(t)
	has(first, "", "later", "out")
	check(t, b.DeleteRule(ctx, user, r.ID))
	has(first, "", "later", "out")
	if found := b.all(t, user, search.Phrase{In: search.Tags, Words: []string{"later"}}, 10); len(found) == 0 {
		t.Error("the tag of a rule is not found")
	}
}

// After a change of the rules, the newest rows are decided at once, the others in the background.
func TestManyRowsFollowInTheBackground(t *testing.T) {
	testkit.Unwatched(t)
	b := newBed(t)
	ctx := t.Context()
	user, _ := b.linked(t)
	const rows = (soon + 1) * backlogRows
	var entries []finance.Entry
	for i := range rows {
		entries = append(entries, paid(t, fmt.Sprintf("R%05d", i), "9.00", "2026-03-01", "Corner", "card"))
	}
	b.run(t, entries)
	woken := 0
	b.WhenUndecided(func() { woken++ })
	must(b.SaveRule(ctx, user, rule("corner", categories.Actions{Category: "gifts"})))(t)
	decided := func() int { return len(b.all(t, user, search.Marked{search.CategoryMark("gifts")}, 1000)) }
	page, _, err := b.Find(ctx, user, search.And{}, Newest, soon*backlogRows)
	check(t, err)
	if slices.ContainsFunc(page, func(r finance.FoundRow) bool { return r.Category != "gifts" }) || woken != 1 {
		t.Errorf("the newest rows have not followed, woken %d times", woken)
	}
	if got := decided(); got != soon*backlogRows {
		t.Errorf("%d rows were decided at once", got)
	}
	for next := must(b.Categorise(ctx))(t); !next.IsZero(); next = must(b.Categorise(ctx))(t) {
	}
	if got := decided(); got != rows {
		t.Errorf("%d of %d rows followed", got, rows)
	}
	b.checkIndex(t)
	p := must(b.PreviewRule(ctx, user, rule("corner", categories.Actions{Category: "pets"})))(t)
	if p.Fits != rows || p.Changed != rows || p.Capped || len(p.Sample) != sampled {
		t.Errorf("%+v", p)
	}
}

// A preview counts the rows that the rule would change, without those that a person or an earlier rule decided.
func TestPreviewRule(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	b.run(t, []finance.Entry{paid(t, "R4", "4.00", "2026-03-04", "Corner", "four"), paid(t, "R3", "3.00", "2026-03-03", "Corner", "three"), paid(t, "R2", "2.00", "2026-03-02", "Corner", "two"),
		paid(t, "R1", "1.00", "2026-03-01", "Aldi", "one")})
	must(b.SetCategory(ctx, user, account, b.row(t, user, account, "Corner 2026-03-04"), "pets"))(t)
	three := categories.Rule{Conditions: categories.Conditions{Texts: []string{"three"}}, Actions: categories.Actions{Category: "travel"}}
	r := rule("corner", categories.Actions{Category: "gifts", Name: "Shop"})
	r.ID = must(b.SaveRule(ctx, user, r))(t)
	must(b.SaveRule(ctx, user, three))(t)
	r.Category = "sport"
	p := must(b.PreviewRule(ctx, user, r))(t)
	if p.Fits != 3 || p.Changed != 1 || p.ByHand != 1 || p.Earlier != 1 || p.Capped {
		t.Errorf("%+v", p)
	}
	var got []string
	for _, s := range p.Sample {
		got = append(got, fmt.Sprintf("%s %s>%s %s", s.Remittance, s.FoundRow.Category, s.Category, s.Name))
	}
	equal(t, got, "four pets>pets Shop", "three travel>travel Shop", "two gifts>sport Shop")
	must(b.SaveRule(ctx, user, r))(t)
	if got := b.categorised(t, user, account); got["Corner 2026-03-02"] != "sport (rule)" || got["Corner 2026-03-03"] != "travel (rule)" || got["Corner 2026-03-04"] != "pets (hand)" {
		t.Errorf("%v", got)
	}
}

// The index finds every row that a rule fits, whatever names the person and other rules give it.
func TestPropertyAPreviewFindsWhatFits(t *testing.T) {
	b := newBed(t)
	ctx := context.Background()
	user, account := b.linked(t)
	var entries []finance.Entry
	for i, payee := range []string{"Corner Shop", "SumUp *Corner Shop 0815", "CORNER 0815 SHOP", "", "McDonald's Berlin DE", "Erika Beispiel"} {
		for j, text := range []string{"rent March", "Corner Shop card 12"} {
			n := 2*i + j
			entries = append(entries, paid(t, fmt.Sprintf("R%d", n), fmt.Sprintf("%d.50", n*3), fmt.Sprintf("2026-03-%02d", 1+n%5), payee, text))
		}
	}
	b.run(t, entries)
	must(b.SaveRule(ctx, user, rule("corner", categories.Actions{Name: "Zebra"})))(t)
	erika := b.row(t, user, account, "Erika Beispiel 2026-03-01")
	if _, _, err := b.Rename(ctx, user, account, erika, "Landlady"); err != nil {
		t.Fatal(err)
	}
	b.checkIndex(t)
	ran := 0
	rapid.Check(t, func(rt *rapid.T) {
		some := func(name string, values ...string) []string {
			return rapid.SliceOfNDistinct(rapid.SampledFrom(values), 0, 2, rapid.ID).Draw(rt, name)
		}
		one := func(name string, values ...string) string { return rapid.SampledFrom(values).Draw(rt, name) }
		r := categories.Rule{Conditions: categories.Conditions{Payees: some("payees", "corner shop", "corner", "McDonald’s", "landlady", "erika", "sumup", "zebra"),
			Texts: some("texts", "rent", "shop card", "12"), Low: one("low", "", "3", "10.5"), High: one("high", "", "20", "30"),
			Flow: categories.Flow(one("flow", "", "", "out", "in")), From: openbanking.Date(one("from", "", "", "2026-03-02")), To: openbanking.Date(one("to", "", "", "2026-03-04"))},
			Actions: categories.Actions{Category: "gifts"}}
		if rapid.Bool().Draw(rt, "payees alone") { // with more conditions few rows would fit
			r.Conditions = categories.Conditions{Payees: r.Payees}
		}
		memory := must(memoryOf(ctx, b.db.Read(), user))(t)
		want := 0
		for _, l := range must(collect(ctx, b.db.Read(), aLabelled, `SELECT `+labelledColumns+` FROM booked_transaction t JOIN account a ON a.id = t.account_id
			JOIN transaction_record record ON record.transaction_id = t.id WHERE a.user_id = $1`, user))(t) {
			if memory.Fit(categories.RulesOf([]categories.Rule{r}), l.Facts, categories.PayeeOf(l.Facts)) {
				want++
			}
		}
		ran += want
		if p := must(b.PreviewRule(ctx, user, r))(t); p.Fits != want {
			rt.Fatalf("the preview of %+v finds %d rows, %d fit", r.Conditions, p.Fits, want)
		}
	})
	if ran == 0 {
		t.Error("no rule fitted any row")
	}
}

func TestTooManyRules(t *testing.T) {
	b := newBed(t)
	user := b.user(t, "a@example.org").ID
	for range MaxRules {
		must(b.SaveRule(t.Context(), user, rule("x", categories.Actions{Reviewed: true})))(t)
	}
	if _, err := b.SaveRule(t.Context(), user, rule("x", categories.Actions{Reviewed: true})); !errors.Is(err, ErrTooManyRules) {
		t.Errorf("one more: %v", err)
	}
}

// A payee's new name holds for all rows with the old one. It merges with payees that have that name already, the search finds both names, and the name can be
// removed again.
func TestRenameAndMergeAndUndo(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	rows := []finance.Entry{paid(t, "R4", "4.00", "2026-03-04", "Bakery Miller", "card"), paid(t, "R3", "3.00", "2026-03-03", "SumUp *Corner", "card"),
		paid(t, "R2", "2.00", "2026-03-02", "CORNER 0815", "card")}
	b.run(t, rows)
	titles := func() map[string]string {
		page, _, err := b.Find(ctx, user, search.And{}, Newest, 100)
		check(t, err)
		all := map[string]string{}
		for _, r := range page {
			all[r.Counterparty] = r.Title()
		}
		return all
	}
	clean := map[string]string{"Bakery Miller": "Bakery Miller", "SumUp *Corner": "Corner", "CORNER 0815": "Corner"}
	wantCategories(t, titles(), clean)
	corner, bakery := b.row(t, user, account, "CORNER 0815 2026-03-02"), b.row(t, user, account, "Bakery Miller 2026-03-04")
	if n := must(b.NamedAs(ctx, user, account, corner))(t); n != (finance.NamedAs{Name: "Corner", Key: "corner", Shown: "Corner", Rows: 2}) {
		t.Errorf("%+v", n)
	}

	shown, joined, err := b.Rename(ctx, user, account, corner, "Kiosk")
	if err != nil || shown != "Kiosk" || joined != 0 {
		t.Fatalf("%q, %d, %v", shown, joined, err)
	}
	b.run(t, append([]finance.Entry{paid(t, "R5", "5.00", "2026-03-05", "Corner", "card")}, rows...))
	wantCategories(t, titles(), map[string]string{"Bakery Miller": "Bakery Miller", "SumUp *Corner": "Kiosk", "CORNER 0815": "Kiosk", "Corner": "Kiosk"})
	for _, word := range []string{"kiosk", "corner"} {
		if got := b.all(t, user, search.Phrase{In: search.Payee, Words: []string{word}}, 10); len(got) != 3 {
			t.Errorf("%s finds %d rows", word, len(got))
		}
	}
	b.checkIndex(t)

	// After the merge the two share one name and one memory.
	must(b.SetCategory(ctx, user, account, bakery, "gifts"))(t)
	if shown, joined, err = b.Rename(ctx, user, account, corner, "bakery MILLER"); err != nil || shown != "Bakery Miller" || joined != 1 {
		t.Fatalf("%q, %d, %v", shown, joined, err)
	}
	if got := b.categorised(t, user, account); got["Corner 2026-03-05"] != "gifts (name)" {
		t.Errorf("merged: %v", got)
	}
	if n := must(b.NamedAs(ctx, user, account, corner))(t); n.Rows != 4 || !n.Given {
		t.Errorf("%+v", n)
	}
	want := []finance.GivenName{{Key: "corner", Was: "Corner", Name: "Bakery Miller"}}
	if got := must(b.GivenNames(ctx, user))(t); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}

	stranger := b.user(t, "b@example.org").ID
	if err := b.UndoName(ctx, stranger, "corner"); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("a stranger takes back a name: %v", err)
	}
	if _, _, err := b.Rename(ctx, stranger, account, corner, "X"); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("a stranger renames: %v", err)
	}
	check(t, b.UndoName(ctx, user, "corner"))
	clean["Corner"] = "Corner"
	wantCategories(t, titles(), clean)
	if got := b.categorised(t, user, account); got["Corner 2026-03-05"] != " ()" || got["Bakery Miller 2026-03-04"] != "gifts (hand)" {
		t.Errorf("taken back: %v", got)
	}
	b.checkIndex(t)
}
