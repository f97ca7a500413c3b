package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"florin/internal/finance"
	"florin/internal/search"
	"florin/internal/sqlite"
	"florin/internal/testkit"
)

// keeps lists the edits on the rows of a user, and what Florin learned from them: one line for each fact.
func (b *bed) keeps(t testing.TB, user string) []string {
	t.Helper()
	line := func(row scanner) (line string, err error) { return line, row.Scan(&line) }
	var all []string
	for _, query := range []string{
		`SELECT t.id || ' ' || COALESCE(t.category_id, '') || '/' || t.category_by || '/' || t.category_why || CASE t.reviewed WHEN 1 THEN ' reviewed' ELSE '' END
			FROM booked_transaction t JOIN account a ON a.id = t.account_id WHERE a.user_id = $1 ORDER BY t.id`,
		`SELECT note.transaction_id || ' note ' || note.text FROM transaction_note note JOIN booked_transaction t ON t.id = note.transaction_id
			JOIN account a ON a.id = t.account_id WHERE a.user_id = $1 ORDER BY t.id`,
		`SELECT tag.transaction_id || ' tag ' || tag.tag FROM transaction_tag tag JOIN booked_transaction t ON t.id = tag.transaction_id
			JOIN account a ON a.id = t.account_id WHERE a.user_id = $1 ORDER BY t.id, tag.tag`,
		`SELECT e.transaction_id || ' chosen ' || e.edited FROM category_edit e WHERE e.user_id = $1 ORDER BY e.transaction_id`,
		`SELECT 'lesson ' || l.kind || ' ' || l.outgoing || ' ' || l.lesson_key || ': ' || l.category_id FROM category_lesson l WHERE l.user_id = $1 ORDER BY l.kind, l.outgoing, l.lesson_key`,
	} {
		all = append(all, must(collect(t.Context(), b.db.Read(), line, query, user))(t)...)
	}
	return all
}

// finish runs a bulk edit, or its undo, to the end.
func (b *bed) finish(t testing.TB, user, id string) finance.BulkEdit {
	t.Helper()
	for range 1000 {
		if more, err := b.AdvanceEdit(t.Context(), user, id); err != nil || !more {
			check(t, err)
			return must(b.BulkEdit(t.Context(), user, id))(t)
		}
	}
	t.Fatal("the bulk edit does not end")
	return finance.BulkEdit{}
}

// start starts a bulk edit with its change.
func (b *bed) start(t testing.TB, user, id string) error {
	t.Helper()
	return b.StartEdit(t.Context(), user, id, must(b.BulkEdit(t.Context(), user, id))(t).Change.Digest())
}

// change makes a bulk edit of rows and runs it to the end.
func (b *bed) change(t testing.TB, user string, change finance.BulkChange, ids ...int64) finance.BulkEdit {
	t.Helper()
	id := must(b.BeginEdit(t.Context(), user, "", nil, ids))(t)
	check(t, b.PlanEdit(t.Context(), user, id, change))
	check(t, b.start(t, user, id))
	return b.finish(t, user, id)
}

// undo undoes a bulk edit.
func (b *bed) undo(t testing.TB, user, id string) finance.BulkEdit {
	t.Helper()
	check(t, b.UndoEdit(t.Context(), user, id))
	return b.finish(t, user, id)
}

// shop returns a row whose payee is not in the list of merchants.
func shop(t testing.TB, reference, day, name string) finance.Entry {
	t.Helper()
	e := entry(t, reference, "5.00", day, "card payment "+reference)
	e.Counterparty = name
	return e
}

// A bulk edit has a preview, changes exactly the chosen rows, teaches Florin their category, and can be undone completely.
func TestBulkEdit(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	b.run(t, []finance.Entry{shop(t, "R5", "2026-03-05", "Zwiebelhof"), shop(t, "R4", "2026-03-04", "Zwiebelhof"), shop(t, "R3", "2026-03-03", "Quittenladen"),
		shop(t, "R2", "2026-03-02", "Quittenladen"), shop(t, "R1", "2026-03-01", "Anyone")})
	ids := map[string]int64{}
	for _, r := range b.all(t, user, search.And{}, 10) {
		ids[r.Remittance[len("card payment "):]] = r.ID
	}
	check(t, b.Annotate(ctx, user, account, ids["R4"], finance.Annotation{Note: "mine", Tags: []string{"Fair", "old"}}))
	_ = must(b.SetCategory(ctx, user, account, ids["R2"], "gifts"))(t)
	before := b.keeps(t, user)
	no := false
	change := finance.BulkChange{Category: "groceries", Tags: []string{"FAIR", "new"}, Untag: []string{"OLD"}, Reviewed: &no, Note: "bought"}

	id := must(b.BeginEdit(ctx, user, "payee:zwiebelhof OR payee:quittenladen", search.Or{search.Phrase{In: search.Payee, Words: []string{"zwiebelhof"}},
		search.Phrase{In: search.Payee, Words: []string{"quittenladen"}}}, nil))(t)
	check(t, b.PlanEdit(ctx, user, id, change))
	edit := must(b.BulkEdit(ctx, user, id))(t)
	if edit.Rows != 4 || edit.State != finance.BulkDraft || !slices.Equal(edit.Change.Tags, []string{"Fair", "new"}) || edit.Search == "" {
		t.Errorf("%+v", edit)
	}
	p := must(b.PreviewEdit(ctx, edit, 2))(t)
	if p.Changes != 4 || p.NoRoom != 0 || len(p.Sample) != 2 || p.Sample[0].ID != ids["R5"] || p.Sample[1].ID != ids["R4"] || p.Sample[0].AccountID != account {
		t.Errorf("%+v", p)
	}
	if got := b.keeps(t, user); !slices.Equal(got, before) {
		t.Error("a preview changes something")
	}
	b.run(t, []finance.Entry{shop(t, "R6", "2026-03-06", "Zwiebelhof")}) // it arrives between preview and confirmation
	before = b.keeps(t, user)
	check(t, b.start(t, user, id))
	edit = b.finish(t, user, id)
	if edit.State != finance.BulkDone || edit.Changed != 4 || edit.Ended.IsZero() {
		t.Errorf("%+v", edit)
	}
	b.checkIndex(t)
	rows := map[string]finance.FoundRow{}
	for _, r := range b.all(t, user, search.And{}, 10) {
		rows[r.Remittance[len("card payment "):]] = r
	}
	for name, want := range map[string]string{"R6": "groceries name", "R5": "groceries hand", "R2": "groceries hand", "R1": " "} {
		if r := rows[name]; r.Category+" "+r.CategoryBy != want {
			t.Errorf("%s has the category %q by %q, want %s", name, r.Category, r.CategoryBy, want)
		}
	}
	if a := must(b.Annotation(ctx, user, ids["R4"]))(t); a.Note != "mine\nbought" || !slices.Equal(a.Tags, []string{"Fair", "new"}) {
		t.Errorf("%+v", a)
	}
	if rows["R6"].Reviewed == rows["R5"].Reviewed && rows["R1"].Reviewed == false || rows["R5"].Reviewed {
		t.Errorf("reviewed: %+v", rows)
	}
	if again := b.change(t, user, change, ids["R5"], ids["R2"]); again.Changed != 0 || again.Rows != 2 {
		t.Errorf("done twice: %+v", again)
	}
	edit = b.undo(t, user, id)
	if edit.State != finance.BulkUndone || edit.Restored != 4 || edit.Edited != 0 {
		t.Errorf("%+v", edit)
	}
	equal(t, b.keeps(t, user), before...)
	b.checkIndex(t)
}

// Undoing a bulk edit leaves edits and lessons that came after it.
func TestUndoLeavesWhatWasEditedSince(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	b.run(t, []finance.Entry{shop(t, "R3", "2026-03-03", "Zwiebelhof"), shop(t, "R2", "2026-03-02", "Quittenladen"), shop(t, "R1", "2026-03-01", "Quittenladen")})
	all := b.all(t, user, search.And{}, 10)
	onion, quince, other := all[0].ID, all[1].ID, all[2].ID
	edit := b.change(t, user, finance.BulkChange{Category: "groceries", Tags: []string{"a"}}, onion, quince, other)
	_ = must(b.SetCategory(ctx, user, account, quince, "gifts"))(t)                                     // the hand changes a category that the bulk edit set
	check(t, b.Annotate(ctx, user, account, other, finance.Annotation{Note: "x", Tags: []string{"a"}})) // a note, which the bulk edit did not touch
	edit = b.undo(t, user, edit.ID)
	if edit.Restored != 2 || edit.Edited != 1 {
		t.Errorf("%+v", edit)
	}
	var got []string
	names := map[string]string{fmt.Sprint(onion): "onion", fmt.Sprint(quince): "quince", fmt.Sprint(other): "other", "lesson": "lesson"}
	for _, line := range b.keeps(t, user) {
		if id, rest, _ := strings.Cut(line, " "); !strings.HasPrefix(rest, "chosen ") {
			got = append(got, names[id]+" "+rest)
		}
	}
	slices.Sort(got)
	equal(t, got, "lesson name 1 quittenladen: gifts", "onion // reviewed", "other // reviewed", "other note x", "quince gifts/hand/ reviewed", "quince tag a")
}

// Rows whose note or tags would become too long stay unchanged, and are counted.
func TestBulkEditWithoutRoom(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	b.run(t, []finance.Entry{shop(t, "R2", "2026-03-02", "A"), shop(t, "R1", "2026-03-01", "B")})
	all := b.all(t, user, search.And{}, 10)
	check(t, b.Annotate(ctx, user, account, all[0].ID, finance.Annotation{Note: strings.Repeat("x", finance.MaxNote)}))
	edit := b.change(t, user, finance.BulkChange{Note: "more", Category: "gifts"}, all[0].ID, all[1].ID)
	if edit.Changed != 1 || edit.NoRoom != 1 {
		t.Errorf("%+v", edit)
	}
	if row := b.all(t, user, search.And{}, 10)[0]; row.Category == "gifts" {
		t.Error("half of a change is made")
	}
}

// A person cannot edit rows or bulk edits of another. A bulk edit moves only from one state to the next.
func TestBulkEditsBelongToOnePerson(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, _ := b.linked(t)
	stranger := b.user(t, "b@example.org").ID
	b.run(t, []finance.Entry{shop(t, "R2", "2026-03-02", "A"), shop(t, "R1", "2026-03-01", "B")})
	row := b.all(t, user, search.And{}, 10)[0].ID
	for name, begin := range map[string]func() (string, error){
		"rows of somebody else": func() (string, error) { return b.BeginEdit(ctx, stranger, "", nil, []int64{row}) },
		"all rows of nobody":    func() (string, error) { return b.BeginEdit(ctx, stranger, "", search.And{}, nil) },
		"no rows":               func() (string, error) { return b.BeginEdit(ctx, user, "", nil, []int64{}) },
		"what is not":           func() (string, error) { return b.BeginEdit(ctx, user, "", nil, []int64{-1, 999}) },
		"what is not found":     func() (string, error) { return b.BeginEdit(ctx, user, "", search.Marked{search.MarkNote}, nil) },
	} {
		if id, err := begin(); !errors.Is(err, ErrNothingChosen) {
			t.Errorf("%s: %q, %v", name, id, err)
		}
	}
	if _, err := b.BeginEdit(ctx, user, "", nil, make([]int64, finance.MaxBulkRows+1)); !errors.Is(err, ErrNothingChosen) { // one id, too many times
		t.Errorf("%v", err)
	}
	many := make([]int64, finance.MaxBulkRows+1)
	for i := range many {
		many[i] = int64(i)
	}
	if _, err := b.BeginEdit(ctx, user, "", nil, many); !errors.Is(err, ErrTooManyChosen) {
		t.Errorf("%v", err)
	}
	id := must(b.BeginEdit(ctx, user, "", nil, []int64{row, row, 999}))(t)
	if edit := must(b.BulkEdit(ctx, user, id))(t); edit.Rows != 1 {
		t.Errorf("%+v", edit)
	}
	for name, c := range map[string]struct {
		err, want error
	}{
		"read":              {func() error { _, err := b.BulkEdit(ctx, stranger, id); return err }(), finance.ErrNotFound},
		"plan":              {b.PlanEdit(ctx, stranger, id, finance.BulkChange{Note: "x"}), finance.ErrNotFound},
		"start":             {b.StartEdit(ctx, stranger, id, ""), finance.ErrNotFound},
		"undo":              {b.UndoEdit(ctx, stranger, id), finance.ErrNotFound},
		"an empty change":   {b.start(t, user, id), ErrBulkState},
		"undo a draft":      {b.UndoEdit(ctx, user, id), ErrBulkState},
		"an unknown choice": {b.PlanEdit(ctx, user, id, finance.BulkChange{Category: "nonsense"}), finance.ErrNotFound},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", name, c.err, c.want)
		}
	}
	check(t, b.PlanEdit(ctx, user, id, finance.BulkChange{Note: "x"}))
	if edits := must(b.BulkEdits(ctx, user))(t); len(edits) != 0 {
		t.Errorf("drafts are listed: %+v", edits)
	}
	for _, seen := range []string{"", finance.BulkChange{Note: "y"}.Digest(), finance.BulkChange{Note: "x", Tags: []string{"x"}}.Digest()} {
		if err := b.StartEdit(ctx, user, id, seen); !errors.Is(err, ErrBulkReplanned) || must(b.BulkEdit(ctx, user, id))(t).State != finance.BulkDraft {
			t.Errorf("started after another change was seen (%q): %v", seen, err)
		}
	}
	check(t, b.start(t, user, id))
	if err := b.start(t, user, id); !errors.Is(err, ErrBulkState) {
		t.Errorf("started twice: %v", err)
	}
	if err := b.PlanEdit(ctx, user, id, finance.BulkChange{Note: "y"}); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("changed while it runs: %v", err)
	}
	b.finish(t, user, id)
	b.undo(t, user, id)
	if err := b.UndoEdit(ctx, user, id); !errors.Is(err, ErrBulkState) {
		t.Errorf("undone twice: %v", err)
	}
	if edits := must(b.BulkEdits(ctx, user))(t); len(edits) != 1 || edits[0].State != finance.BulkUndone {
		t.Errorf("%+v", edits)
	}
	if edits := must(b.BulkEdits(ctx, stranger))(t); len(edits) != 0 {
		t.Errorf("somebody else sees %+v", edits)
	}
}

// A large bulk edit runs in pieces. After a restart Florin continues with the rest. The same holds for its undo.
func TestBulkEditGoesOnAfterACrash(t *testing.T) {
	testkit.Unwatched(t)
	b := newBed(t)
	ctx := t.Context()
	user, _ := b.linked(t)
	var entries []finance.Entry
	for i := range chosenRows + editRows {
		entries = append(entries, shop(t, fmt.Sprint("R", i), "2026-03-01", fmt.Sprintf("Payee %c%c", 'a'+i%20, 'a'+i/20%3)))
	}
	b.run(t, entries)
	before := b.keeps(t, user)
	marked := func() int { return len(b.all(t, user, search.Phrase{In: search.Tags, Words: []string{"x"}}, 5000)) }
	id := must(b.BeginEdit(ctx, user, "", search.And{}, nil))(t)
	check(t, b.PlanEdit(ctx, user, id, finance.BulkChange{Tags: []string{"x"}, Category: "gifts"}))
	check(t, b.start(t, user, id))
	advance := func(pieces int) (last string) {
		for range pieces {
			if last, _, _ = b.AdvanceEdits(ctx); last == "" {
				break
			}
		}
		return last
	}
	advance(3)
	if n := marked(); n != 3*editRows {
		t.Errorf("three pieces changed %d rows", n)
	}
	b.reopen(t)
	if advance(1000) != "" || marked() != len(entries) {
		t.Errorf("%d of %d rows are changed", marked(), len(entries))
	}
	b.checkIndex(t)
	check(t, b.UndoEdit(ctx, user, id))
	advance(2)
	b.reopen(t)
	if advance(1000) != "" || marked() != 0 {
		t.Errorf("%d rows are not as before", marked())
	}
	b.checkIndex(t)
	equal(t, b.keeps(t, user), before...)
	if edit := must(b.BulkEdit(ctx, user, id))(t); edit.State != finance.BulkUndone || edit.Restored != len(entries) {
		t.Errorf("%+v", edit)
	}
}

// Drafts are deleted after a day and when there are too many, other bulk edits after a month. Their rows are deleted with them, some at a time.
func TestBulkEditsAreForgotten(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, _ := b.linked(t)
	b.run(t, []finance.Entry{shop(t, "R1", "2026-03-01", "A")})
	done := b.change(t, user, finance.BulkChange{Note: "x"}, b.all(t, user, search.And{}, 1)[0].ID)
	var drafts []string
	for range draftsKept + 2 {
		drafts = append(drafts, must(b.BeginEdit(ctx, user, "", search.And{}, nil))(t))
		time.Sleep(2 * time.Millisecond) // so that the drafts are ordered by time
	}
	for i, id := range drafts {
		if _, err := b.BulkEdit(ctx, user, id); (err == nil) != (i >= 2) {
			t.Errorf("draft %d: %v", i, err)
		}
	}
	settled := func() {
		for range 100 {
			owner, next, err := b.AdvanceEdits(ctx)
			check(t, err)
			if owner == "" && next.After(time.Now().Add(time.Minute)) {
				return
			}
		}
		t.Fatal("there is always something to do")
	}
	held := func(table string) (n int) {
		check(t, b.db.Read().QueryRowContext(ctx, `SELECT COUNT(*) FROM `+table).Scan(&n))
		return n
	}
	settled()
	if held("bulk_edit") != 1+draftsKept || held("bulk_edit_row") != 1+draftsKept {
		t.Errorf("%d bulk edits with %d rows are left", held("bulk_edit"), held("bulk_edit_row"))
	}
	b.exec(t, `UPDATE bulk_edit SET begun = $1`, sqlite.At(time.Now().Add(-draftLife-time.Minute)))
	settled()
	settled()
	if _, err := b.BulkEdit(ctx, user, done.ID); err != nil || held("bulk_edit") != 1 {
		t.Errorf("after a day there are %d bulk edits, %v", held("bulk_edit"), err)
	}
	b.exec(t, `UPDATE bulk_edit SET begun = $1`, sqlite.At(time.Now().Add(-undoLife-time.Minute)))
	settled()
	settled()
	if n := held("bulk_edit") + held("bulk_edit_row"); n != 0 {
		t.Errorf("after a month %d rows are left", n)
	}
}

// Whatever bulk edits do to rows in whatever state, and whatever a person edits in between: an undo restores the earlier state where nothing else was edited,
// and leaves the rest. When all are undone, last one first, everything is as before.
func TestUndoBringsBackWhatWas(t *testing.T) {
	testkit.Unwatched(t)
	b := newBed(t)
	ctx := t.Context()
	rapid.Check(t, func(rt *rapid.T) {
		b.exec(t, `UPDATE sync_task SET state = 'waiting', lease = '', lease_until = NULL, next_attempt_at = '2999-01-01T00:00:00.000Z'`)
		n := finance.NewID()
		u := b.user(t, n+"@example.org")
		done, _ := b.link(t, u, finance.Secret("session "+n), resource("h"+n, "EUR", "uid"+n))
		account := done.Accounts[0].Account.ID
		names := []string{"Zwiebelhof", "Quittenladen", "LIDL 0815 BONN DE", ""}
		var entries []finance.Entry
		for i := range 8 {
			entries = append(entries, shop(t, fmt.Sprint("R", i), "2026-03-01", names[i%len(names)]))
		}
		c := b.claim(t, finance.ScopeTransactions)
		check(t, b.BeginRun(ctx, &c, "longest", "", lease))
		check(t, b.ApplyPage(ctx, &c, Page{Entries: entries}, lease, time.Now().Add(time.Hour)))
		var ids []int64
		for _, r := range b.all(t, u.ID, search.And{}, 20) {
			ids = append(ids, r.ID)
		}
		category := rapid.SampledFrom([]string{"", "gifts", "groceries", "rent"})
		tags := func(label string) []string {
			return rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3, rapid.ID).Draw(rt, label)
		}
		hand := func(label string) (id int64) {
			id = rapid.SampledFrom(ids).Draw(rt, label)
			switch rapid.IntRange(0, 2).Draw(rt, label+" does") {
			case 0:
				_ = must(b.SetCategory(ctx, u.ID, account, id, category.Draw(rt, "category")))(t)
			case 1:
				check(t, b.Review(ctx, u.ID, account, id, rapid.Bool().Draw(rt, "reviewed")))
			case 2:
				check(t, b.Annotate(ctx, u.ID, account, id, finance.Annotation{Note: rapid.SampledFrom([]string{"", "one", "two"}).Draw(rt, "note"), Tags: tags("tags")}))
			}
			return id
		}
		for range rapid.IntRange(0, 6).Draw(rt, "edits before") {
			hand("before")
		}
		type held struct {
			id     string
			before []string
		}
		var edits []held
		for range rapid.IntRange(1, 3).Draw(rt, "bulk edits") {
			change := finance.BulkChange{Category: category.Draw(rt, "category of all"), Tags: tags("added"), Untag: tags("removed"),
				Note: rapid.SampledFrom([]string{"", "two", "three"}).Draw(rt, "note of all")}
			change.Untag = slices.DeleteFunc(change.Untag, func(tag string) bool { return slices.Contains(change.Tags, tag) })
			if rapid.Bool().Draw(rt, "review") {
				reviewed := rapid.Bool().Draw(rt, "reviewed by all")
				change.Reviewed = &reviewed
			}
			if change.Empty() {
				change.Note = "three"
			}
			before := b.keeps(t, u.ID)
			chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 1, len(ids), rapid.ID).Draw(rt, "chosen")
			edits = append(edits, held{b.change(t, u.ID, change, chosen...).ID, before})
		}
		touched := ""
		if rapid.Bool().Draw(rt, "a hand after") {
			touched = fmt.Sprint(hand("after"))
		}
		after := b.keeps(t, u.ID)
		for i := len(edits) - 1; i >= 0; i-- {
			b.undo(t, u.ID, edits[i].id)
		}
		got := b.keeps(t, u.ID)
		if touched == "" && !slices.Equal(got, edits[0].before) {
			rt.Errorf("undone:\n  %s\nbefore:\n  %s\nafter:\n  %s", strings.Join(got, "\n  "), strings.Join(edits[0].before, "\n  "), strings.Join(after, "\n  "))
		}
		// own keeps the notes, tags and reviews of rows that no hand has touched since. Lessons may change the categories of all rows.
		own := func(lines []string) []string {
			var some []string
			for _, line := range lines {
				id, rest, _ := strings.Cut(line, " ")
				if id == touched || id == "lesson" || strings.HasPrefix(rest, "chosen") {
					continue
				}
				if strings.Contains(rest, "/") {
					_, rest, _ = strings.Cut(rest, " ")
				}
				some = append(some, id+" "+rest)
			}
			return some
		}
		if !slices.Equal(own(got), own(edits[0].before)) {
			rt.Errorf("undone:\n  %s\nbefore:\n  %s", strings.Join(own(got), "\n  "), strings.Join(own(edits[0].before), "\n  "))
		}
	})
	b.checkIndex(t)
}
