package store

import (
	"errors"
	"testing"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/search"
)

// imported makes the rows of a file, with their line numbers.
func imported(entries ...finance.Entry) []finance.ImportRow {
	rows := make([]finance.ImportRow, len(entries))
	for i, e := range entries {
		rows[i] = finance.ImportRow{Entry: e, Line: i + 2, Place: i}
	}
	return rows
}

// The same file brings nothing twice. Two files that overlap bring each row once. An import is undone as a whole, except rows that were there before.
func TestImport(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user := b.user(t, "a@example.org").ID
	account := b.manual(t, user, finance.SourceManual, euro(t, "2026-01-01", "100.00"))
	rent, lunch, coffee := written(t, "2026-03-01", "-70.00", "Landlord", "rent"), written(t, "2026-03-02", "-5.00", "Canteen", "lunch"), written(t, "2026-03-03", "-3.00", "Café Sole", "")
	file := finance.Import{File: "march.csv", Format: "csv"}
	into := func(rows []finance.ImportRow) []finance.ImportTarget {
		return []finance.ImportTarget{{Account: finance.Account{ID: account}, Rows: rows}}
	}
	load := func(rows []finance.ImportRow, chosen map[int]bool) finance.Import {
		t.Helper()
		check(t, b.SaveImportDraft(ctx, user, finance.ImportDraft{File: "march.csv", Content: []byte("x"), Settings: "{}"}))
		i := must(b.SaveImport(ctx, user, file, into(rows), nil, chosen))(t)
		b.checkIndex(t)
		if _, err := b.ImportDraft(ctx, user); !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("the file is still to be imported: %v", err)
		}
		return i
	}
	first := load(imported(rent, lunch, lunch), nil)
	if first.Total().Brought != 3 || b.balance(t, user, account) != "20.00" {
		t.Errorf("%d rows leave %s", first.Total().Brought, b.balance(t, user, account))
	}
	if again := load(imported(rent, lunch, lunch), nil); again.Total().Brought != 0 {
		t.Errorf("the same file again brings %d rows", again.Total().Brought)
	}
	overlap := imported(lunch, lunch, coffee, written(t, "2026-03-03", "-70.00", "Landlord", "")) // the last one may be the rent, two days later
	found := must(b.PreviewImport(ctx, user, account, overlap))(t)
	for i, want := range []finance.Certainty{finance.IsThere, finance.IsThere, finance.IsNew, finance.Unsure} {
		if found[i].Certainty != want {
			t.Errorf("row %d is %d, want %d", i, found[i].Certainty, want)
		}
	}
	overlap[2].Exported = &finance.Exported{Annotation: finance.Annotation{Note: "with Lena", Tags: []string{"fun"}}}
	second := load(overlap, map[int]bool{overlap[3].Place: true})
	if second.Total().Brought != 2 || b.balance(t, user, account) != "-53.00" {
		t.Errorf("%d rows leave %s", second.Total().Brought, b.balance(t, user, account))
	}
	if rows := b.all(t, user, search.Phrase{Words: []string{"lena"}}, 10); len(rows) != 1 {
		t.Errorf("the note of the file finds %d rows", len(rows))
	}
	list := must(b.Imports(ctx, user))(t)
	if len(list) != 2 || list[0].ID != second.ID || list[0].Total().Left != 2 || list[0].Total().Edited != 1 {
		t.Fatalf("%+v", list)
	}
	stranger := b.user(t, "b@example.org").ID
	if _, err := b.UndoImport(ctx, stranger, second.ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("a stranger undoes it: %v", err)
	}
	if _, err := b.SaveImport(ctx, stranger, file, into(imported(coffee)), nil, nil); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("a stranger imports: %v", err)
	}
	if gone := must(b.UndoImport(ctx, user, second.ID))(t); gone != 2 || b.balance(t, user, account) != "20.00" {
		t.Errorf("%d rows were deleted, the balance is %s", gone, b.balance(t, user, account))
	}
	b.checkIndex(t)
	if _, err := b.UndoImport(ctx, user, second.ID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("undone twice: %v", err)
	}
	if a := must(b.Account(ctx, user, account))(t); a.Transactions != 3 {
		t.Errorf("%d rows are counted", a.Transactions)
	}
}

// Before an import is undone, the person sees each of its rows that they have edited. After that, files, parts and transfers are deleted with their rows. The
// other side of a transfer stays, and is no longer a transfer.
func TestUndoOfRowsThatWereEdited(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user := b.user(t, "a@example.org").ID
	savings := b.manual(t, user, finance.SourceManual, euro(t, "2026-01-01", "0.00"))
	for _, made := range []bool{false, true} { // whether the import created the account
		target := finance.ImportTarget{Account: finance.Account{UserID: user, Source: finance.SourceManual, Nickname: "Giro", Currency: "EUR",
			Type: openbanking.CashAccountTypeCACC},
			Opening: euro(t, "2026-01-01", "0.00")}
		if !made {
			target = finance.ImportTarget{Account: finance.Account{ID: b.manual(t, user, finance.SourceManual, euro(t, "2026-01-01", "0.00"))}}
		}
		for name, edit := range map[string]func(account string, came, stays int64) error{
			"nothing": func(string, int64, int64) error { return nil },
			"a note": func(account string, id, _ int64) error {
				return b.Annotate(ctx, user, account, id, finance.Annotation{Note: "n"})
			},
			"a tag": func(account string, id, _ int64) error {
				return b.Annotate(ctx, user, account, id, finance.Annotation{Tags: []string{"t"}})
			},
			"a file": func(account string, id, _ int64) error {
				return b.Attach(ctx, user, account, id, receipt("receipt.pdf", 1))
			},
			"a category": func(account string, id, _ int64) error {
				_, err := b.SetCategory(ctx, user, account, id, "gifts")
				return err
			},
			"parts": func(account string, id, _ int64) error {
				return b.Split(ctx, user, account, id, []finance.SplitPart{{Amount: euro(t, "", "-60.00").Amount, Category: "gifts"}, {Amount: euro(t, "", "-40.00").Amount}})
			},
			"a transfer": func(_ string, id, stays int64) error {
				return b.SetTransfer(ctx, user, finance.Transfer{OutID: id, InID: stays, State: finance.TransferByHand})
			},
			"no transfer": func(_ string, id, stays int64) error {
				return b.SetTransfer(ctx, user, finance.Transfer{OutID: id, InID: stays, State: finance.TransferRefused})
			},
		} {
			must(b.AddRow(ctx, user, savings, written(t, "2026-03-02", "100.00", "", "came")))(t)
			stays := b.id(t, user, "came")
			must(b.SetCategory(ctx, user, savings, stays, "gifts"))(t)
			target.Rows = imported(written(t, "2026-03-01", "-100.00", "Me", "went"), written(t, "2026-03-01", "-7.00", "Shop", "lunch"))
			i := must(b.SaveImport(ctx, user, finance.Import{File: "f", Format: "csv"}, []finance.ImportTarget{target}, nil, nil))(t)
			check(t, edit(i.Parts[0].AccountID, b.id(t, user, "went"), stays))
			want := 1
			if name == "nothing" {
				want = 0
			}
			if got := must(b.Import(ctx, user, i.ID))(t).Total(); got.Left != 2 || got.Edited != want {
				t.Errorf("%s: %+v", name, got)
			}
			must(b.UndoImport(ctx, user, i.ID))(t)
			b.pair(t)
			if rows := b.all(t, user, search.And{}, 10); len(rows) != 1 || rows[0].Category != "gifts" {
				t.Errorf("%s: left are %+v", name, rows)
			}
			if rows := b.all(t, user, search.Marked{search.MarkTransfer}, 10); len(rows) != 0 {
				t.Errorf("%s: the other side is still a transfer", name)
			}
			unused := must(b.UnusedAttachments(ctx))(t)
			if (len(unused) == 1) != (name == "a file") {
				t.Errorf("%s: the files to be deleted are %q", name, unused)
			}
			check(t, b.ForgetAttachments(ctx, unused))
			check(t, b.DeleteRow(ctx, user, savings, stays))
		}
	}
}

// When a bank is synced after an import, it does not double the imported rows, even with other texts and days: each stays one row with the person's edits.
// Imported rows that the bank never had are not marked as missing, and undoing the import deletes only those.
func TestTheBankBringsWhatWasImported(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	file := imported(written(t, "2026-03-01", "-700.00", "", "rent march"), written(t, "2026-03-03", "-5.00", "Canteen", ""), written(t, "2026-03-04", "-9.99", "Elsewhere", "lost"))
	i := must(b.SaveImport(ctx, user, finance.Import{File: "f", Format: "csv"}, []finance.ImportTarget{{Account: finance.Account{ID: account}, Rows: file}},
		nil, nil))(t)
	var rent int64
	for _, r := range b.all(t, user, search.And{}, 10) {
		if r.Amount.String() == "-700.00" {
			rent = r.ID
		}
	}
	check(t, b.Annotate(ctx, user, account, rent, finance.Annotation{Note: "ours"}))
	b.run(t, []finance.Entry{entry(t, "R9", "1.00", "2026-03-09", "new"), entry(t, "R2", "5.00", "2026-03-03", "CANTEEN 0815"), entry(t, "R1", "700.00", "2026-03-01", "rent march 2026"),
		entry(t, "R0", "2.00", "2026-02-20", "old")})
	b.checkIndex(t)
	equal(t, b.rows(t, user, account, 10), "2026-03-09 -1.00 new", "2026-03-04 -9.99 lost", "2026-03-03 -5.00 CANTEEN 0815", "2026-03-01 -700.00 rent march 2026",
		"2026-02-20 -2.00 old")
	if note := must(b.Annotation(ctx, user, rent))(t); note.Note != "ours" {
		t.Errorf("the note of the imported row is %q", note.Note)
	}
	if gone := must(b.UndoImport(ctx, user, i.ID))(t); gone != 1 {
		t.Errorf("%d rows were deleted", gone)
	}
	equal(t, b.rows(t, user, account, 10), "2026-03-09 -1.00 new", "2026-03-03 -5.00 CANTEEN 0815", "2026-03-01 -700.00 rent march 2026", "2026-02-20 -2.00 old")
	if a := must(b.Account(ctx, user, account))(t); a.Transactions != 4 {
		t.Errorf("%d rows are counted", a.Transactions)
	}
}

// A category from a file counts as chosen by hand, also when all rows are decided again, and Florin learns from it.
func TestRulesAfterAnImportWithCategories(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	rows := imported(written(t, "2026-03-01", "-9.00", "Lidl", "x"), written(t, "2026-03-02", "-9.00", "Aldi", "x"))
	rows[0].Exported, rows[1].Exported = &finance.Exported{Category: "gifts"}, &finance.Exported{Category: "groceries"}
	load := func(rows []finance.ImportRow) {
		t.Helper()
		must(b.SaveImport(ctx, user, finance.Import{File: "f", Format: "csv"}, []finance.ImportTarget{{Account: finance.Account{ID: account}, Rows: rows}}, nil,
			nil))(t)
		b.checkIndex(t)
	}
	load(rows)
	load(imported(written(t, "2026-03-03", "-4.00", "Lidl", "y")))
	wantCategories(t, b.categorised(t, user, account), map[string]string{"Lidl 2026-03-01": "gifts (hand)", "Aldi 2026-03-02": "groceries (merchant)", "Lidl 2026-03-03": "gifts (name)"})
	must(b.SaveRule(ctx, user, rule("lidl", categories.Actions{Category: "pets"})))(t)
	wantCategories(t, b.categorised(t, user, account), map[string]string{"Lidl 2026-03-01": "gifts (hand)", "Aldi 2026-03-02": "groceries (merchant)", "Lidl 2026-03-03": "pets (rule)"})
}
