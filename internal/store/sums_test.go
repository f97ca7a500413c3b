package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"florin/internal/categories"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/sqlite"
	"florin/internal/testkit"
	"florin/migrations"
)

// checkSums compares the sums with those that the migration makes from all rows.
func (b *bed) checkSums(t testing.TB) {
	t.Helper()
	ctx := context.Background()
	step := string(must(fs.ReadFile(migrations.App, "00044_exact_payees.sql"))(t))
	_, fill, _ := strings.Cut(step, "-- The rows that are there")
	fill, _, found := strings.Cut(fill, "-- A row is found by")
	if !found {
		t.Fatal("the migration has other comments")
	}
	err := b.db.Write(ctx, func(tx *sqlite.Tx) error {
		kept := map[string][]string{}
		line := func(row scanner) (line string, err error) { return line, row.Scan(&line) }
		for table, key := range map[string]string{"day_sum": "day || ' ' || payee_key", "month_sum": "month", "payee_sum": "month || ' ' || payee_key"} {
			query := `SELECT account_id || ' ' || ` + key + ` || ' ' || category_id || ' ' || currency || ': ' || in_rows || ' in ' || in_millions || '+' || in_rest || ', ' ||
				out_rows || ' out ' || out_millions || '+' || out_rest FROM ` + table + ` ORDER BY 1`
			kept[query] = must(collect(ctx, tx, line, query))(t)
		}
		for _, statement := range []string{`DELETE FROM day_sum`, `DELETE FROM payee_sum`, "--" + fill} {
			_, err := tx.ExecContext(ctx, statement)
			check(t, err)
		}
		for query, lines := range kept {
			if want := must(collect(ctx, tx, line, query))(t); !slices.Equal(lines, want) {
				t.Errorf("the sums are\n  %s\nand those of the rows\n  %s", strings.Join(lines, "\n  "), strings.Join(want, "\n  "))
			}
		}
		return errUndo
	})
	if !errors.Is(err, errUndo) {
		t.Fatal(err)
	}
}

// Whatever is done to rows, the sums follow, and each equals the totals of the list of its rows.
func TestSumsFollowTheRows(t *testing.T) {
	testkit.Unwatched(t)
	b := newBed(t)
	ctx := t.Context()
	rapid.Check(t, func(rt *rapid.T) {
		n := finance.NewID()
		user, accounts := b.household(t, n+"@example.org")
		own := slices.Sorted(maps.Values(accounts))
		wallet := b.manual(t, user, finance.SourceManual, euro(t, "2026-02-01", "100.00"))
		all := append(slices.Clone(own), wallet)
		draw := func(label string, most int) int { return rapid.IntRange(0, most).Draw(rt, label) }
		day := func() string { return fmt.Sprintf("2026-%02d-%02d", draw("month", 2)+2, draw("day", 5)+1) }
		row := func() (finance.FoundRow, bool) {
			rows := b.all(t, user, search.And{}, 200)
			if len(rows) == 0 {
				return finance.FoundRow{}, false
			}
			return rows[draw("row", len(rows)-1)], true
		}
		entries := func() (list []finance.Entry) {
			for i := range draw("rows", 8) {
				e := moved(t, fmt.Sprint("R", i), []string{"-50.00", "50.00", "-7.25", "0.00", "-90000000000.00"}[draw("amount", 4)], day(),
					append([]string{"", "DE11520513735120710131"}, householdNumbers...)[draw("number", 4)], []string{"rent", "savings", "card 1"}[draw("text", 2)])
				e.Counterparty = []string{"", "Lidl", "Zwiebelhof"}[draw("payee", 2)]
				if draw("without a day", 9) == 0 {
					e.Date, e.BookingDate = "", ""
				}
				list = append(list, e)
			}
			return list
		}
		category := rapid.SampledFrom([]string{"", "gifts", "groceries", categories.Transfer})
		var edits, imports []string
		for range rapid.IntRange(3, 14).Draw(rt, "steps") {
			switch step := rapid.SampledFrom([]string{"sync", "sync", "category", "split", "bulk", "undo bulk", "rule", "find", "pair", "refuse", "import", "undo import", "write", "rewrite",
				"delete", "note", "delete account", "merge", "merge", "separate"}).Draw(rt, "step"); step {
			case "sync":
				b.only(t, own[draw("account", len(own)-1)])
				c := b.claim(t, finance.ScopeTransactions)
				check(t, b.BeginRun(ctx, &c, "longest", "", lease))
				check(t, b.ApplyPage(ctx, &c, Page{Entries: entries()}, lease, time.Now().Add(time.Hour)))
			case "category":
				if r, ok := row(); ok {
					must(b.SetCategory(ctx, user, r.AccountID, r.ID, category.Draw(rt, "category")))(t)
				}
			case "split":
				r, ok := row()
				if !ok || r.Amount.IsZero() {
					continue
				}
				var parts []finance.SplitPart
				if draw("whole again", 3) > 0 {
					one := money.FromMinor(int64(draw("part", 2000)-1000)*2+1, r.Amount.Currency())
					parts = []finance.SplitPart{{Amount: one, Category: category.Draw(rt, "first")},
						{Amount: must(r.Amount.Sub(one))(t), Category: category.Draw(rt, "second")}}
				}
				check(t, b.Split(ctx, user, r.AccountID, r.ID, parts))
			case "bulk":
				if r, ok := row(); ok {
					edits = append(edits, b.change(t, user, finance.BulkChange{Category: "gifts", Note: "x"}, r.ID).ID)
				}
			case "undo bulk":
				if len(edits) > 0 {
					b.undo(t, user, edits[len(edits)-1])
					edits = edits[:len(edits)-1]
				}
			case "rule":
				must(b.SaveRule(ctx, user, rule("lidl", categories.Actions{Category: category.Draw(rt, "by rule"), Tags: []string{"x"}})))(t)
				for !must(b.Categorise(ctx))(t).IsZero() {
				}
			case "find":
				b.findTransfers(t)
			case "pair", "refuse":
				out, ok := row()
				if in, _ := row(); ok && out.Amount.Sign() < 0 && in.Amount.Sign() > 0 && in.AccountID != out.AccountID {
					state := map[string]finance.TransferState{"pair": finance.TransferByHand, "refuse": finance.TransferRefused}[step]
					check(t, b.SetTransfer(ctx, user, finance.Transfer{OutID: out.ID, InID: in.ID, State: state}))
				}
			case "import":
				account := all[draw("into", len(all)-1)]
				rows := imported(written(t, day(), "-50.00", "Lidl", "rent"), written(t, day(), "50.00", "", "savings"))
				rows[0].Exported = &finance.Exported{Category: category.Draw(rt, "of the file")}
				rows[1].Exported = &finance.Exported{Annotation: finance.Annotation{Note: "n"}, Parts: []finance.SplitPart{
					{Amount: money.FromMinor(2000, "EUR"), Category: category.Draw(rt, "of a part")}, {Amount: money.FromMinor(3000, "EUR")}}}
				targets := []finance.ImportTarget{{Account: finance.Account{ID: account}, Rows: rows}}
				if draw("made", 1) == 1 {
					other := imported(written(t, day(), "50.00", "", "rent"))
					other[0].Exported, other[0].Place = &finance.Exported{Category: categories.Transfer}, 2
					targets = append(targets, finance.ImportTarget{Account: finance.Account{UserID: user, Source: finance.SourceManual, Nickname: "Made", Currency: "EUR"},
						Opening: euro(t, "2026-01-01", "1.00"), Rows: other})
				}
				i, err := b.SaveImport(ctx, user, finance.Import{File: "f", Format: "csv"}, targets, nil, nil)
				check(t, err)
				if i.Total().Brought > 0 {
					imports = append(imports, i.ID)
				}
			case "undo import":
				if len(imports) > 0 {
					if _, err := b.UndoImport(ctx, user, imports[0]); err != nil && !errors.Is(err, finance.ErrNotFound) {
						rt.Fatal(err)
					}
					imports = imports[1:]
				}
			case "write":
				if slices.Contains(all, wallet) {
					must(b.AddRow(ctx, user, wallet, written(t, day(), "-3.50", "Café", "espresso")))(t)
				}
			case "rewrite", "delete":
				r, ok := row()
				if !ok || r.AccountID != wallet {
					continue
				}
				if step == "delete" {
					check(t, b.DeleteRow(ctx, user, wallet, r.ID))
				} else {
					must(b.ChangeRow(ctx, user, wallet, r.ID, written(t, day(), "-4.50", "Café", "two")))(t)
				}
			case "merge":
				r, ok := row()
				for _, other := range b.all(t, user, search.And{}, 200) {
					if ok && other.AccountID == r.AccountID && other.ID != r.ID && other.Amount == r.Amount {
						if _, err := b.Merge(ctx, user, r.ID, other.ID); err != nil && !errors.Is(err, finance.ErrMergeMerged) {
							rt.Fatal(err)
						}
						break
					}
				}
			case "separate":
				r, ok := row()
				if merged := must(b.MergedRows(ctx, user, r.ID))(t); ok && len(merged) > 0 {
					check(t, b.Separate(ctx, user, r.AccountID, r.ID, merged[0].ID))
				}
			case "note":
				if r, ok := row(); ok {
					check(t, b.Annotate(ctx, user, r.AccountID, r.ID, finance.Annotation{Note: "n"}))
				}
			case "delete account":
				if slices.Contains(all, wallet) {
					must(b.DeleteAccount(ctx, user, wallet))(t)
					all, imports = slices.Clone(own), nil
				}
			}
			b.checkSums(t)
			if t.Failed() {
				rt.FailNow()
			}
		}
		b.checkIndex(t)
		b.checkTotals(t, user)
		if rt.Failed() || t.Failed() {
			rt.FailNow()
		}
		b.exec(t, `DELETE FROM user WHERE id = $1`, user) // so that the next run has the database to itself
	})
}

// checkTotals compares each sum of a user with the totals of the list of its rows, and all sums together with those of all rows.
func (b *bed) checkTotals(t testing.TB, user string) {
	t.Helper()
	ctx := context.Background()
	same := func(name string, query search.Query, in, out map[string]int64) {
		totals, _, _, err := b.Totals(ctx, user, query)
		check(t, err)
		got := map[string][2]int64{}
		for _, total := range totals {
			got[total.In.Currency()] = [2]int64{total.In.Minor(), total.Out.Minor()}
		}
		for currency := range in {
			if want := [2]int64{in[currency], out[currency]}; got[currency] != want {
				t.Errorf("%s: the sum is %v, and the total of the list %v", name, want, got[currency])
			}
		}
	}
	whole := search.Period{From: "2026-02-03", To: "2026-04-04"}
	for name, read := range map[string]func(context.Context, string, search.Period) ([]Sum, error){"day": b.DaySums, "month": b.MonthSums, "payee and day": b.PayeeDaySums,
		"payee and month": b.PayeeMonthSums} {
		sums := must(read(ctx, user, whole))(t)
		in, out := map[string]int64{}, map[string]int64{}
		for _, s := range sums {
			in[s.In.Currency()] += s.In.Minor()
			out[s.In.Currency()] += s.Out.Minor()
			period := search.Period{From: s.Day, To: s.Day}
			if strings.HasSuffix(name, "month") {
				period = search.Period{From: max(s.Day, whole.From), To: min(lastOfMonth(s.Day), whole.To)}
			}
			var of search.Query = search.Marked{search.CategoryMark(s.Category)}
			if s.Category == "" {
				of = search.Not{Query: search.Marked{search.MarkCategorised}}
			}
			query := search.And{search.InAccount(s.AccountID), of, period}
			switch {
			case s.Payee != "":
				query = append(query, search.Marked{search.PayeeMark(s.Payee)})
				if found := must(b.PayeeNames(ctx, user, s.Payee))(t)[s.Payee].Exact; categories.NameKey(found) != s.Payee {
					t.Errorf("the payee %q is found by %q", s.Payee, found)
				}
			case name == "payee and day":
				continue // these rows have no payee, so no search finds exactly them
			}
			same(fmt.Sprintf("%s %+v", name, s), query, map[string]int64{s.In.Currency(): s.In.Minor()},
				map[string]int64{s.In.Currency(): s.Out.Minor()})
		}
		if name != "payee and month" { // these sums leave out rows without a payee
			same("all by "+name, whole, in, out)
		}
		if stranger := must(read(ctx, "somebody else", whole))(t); len(stranger) > 0 {
			t.Errorf("somebody else sees %+v", stranger)
		}
	}
}

// Payees to which rules give the same name stay apart in sums. Each has an exact name that finds only its rows.
func TestPayeesWithTheNameOfARule(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	b.run(t, []finance.Entry{paid(t, "R2", "9.00", "2026-03-02", "Lidl", "card"), paid(t, "R1", "5.00", "2026-03-01", "Aldi", "card")})
	for _, name := range []string{"lidl", "aldi"} {
		must(b.SaveRule(ctx, user, rule(name, categories.Actions{Name: "Shop"})))(t)
	}
	in, want := search.Period{From: "2026-03-01", To: "2026-03-31"}, []NamedPayee{{"Shop", "aldi"}, {"Shop", "lidl"}}
	for name, got := range map[string][]NamedPayee{
		"sums":     slices.Collect(maps.Values(must(b.PayeeNames(ctx, user, "aldi", "lidl"))(t))),
		"frequent": must(b.FrequentPayees(ctx, user, in, 10))(t),
		"largest": func() []NamedPayee {
			payees, _, err := b.TopPayees(ctx, user, search.InAccount(account), 10)
			check(t, err)
			return payees
		}(),
		"called": must(b.PayeesCalled(ctx, user, "nobody", "shop"))(t),
	} {
		slices.SortFunc(got, func(a, b NamedPayee) int { return strings.Compare(a.Exact, b.Exact) })
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if strange := must(b.PayeesCalled(ctx, "somebody else", "shop"))(t); len(strange) > 0 {
		t.Errorf("another user gets %q", strange)
	}
	if row := b.all(t, user, search.InAccount(account), 10)[0]; row.Title() != "Shop" {
		t.Errorf("the list shows %q", row.Title())
	}
	b.checkSums(t)
}

// The balance of each day is the bank's balance, corrected by the rows since or before. For an account that the user keeps it is the opening balance plus the
// rows since.
func TestDayBalances(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	b.run(t, []finance.Entry{entry(t, "R3", "5.00", "2026-03-04", "lunch"), entry(t, "R2", "2.00", "2026-03-02", "tea"), entry(t, "R1", "100.00", "2026-02-27", "rent")})
	wallet := b.manual(t, user, finance.SourceManual, euro(t, "2026-03-02", "100.00"))
	must(b.AddRow(ctx, user, wallet, written(t, "2026-03-01", "-9.00", "Before", "")))(t)
	must(b.AddRow(ctx, user, wallet, written(t, "2026-03-03", "-3.50", "Café", "")))(t)
	house := b.manual(t, user, finance.SourceValue, euro(t, "2026-03-01", "500.00"))
	check(t, b.SetValue(ctx, user, house, euro(t, "2026-03-03", "600.00")))
	days := func(account string, from, to openbanking.Date) (list []string) {
		t.Helper()
		for _, d := range must(b.DayBalances(ctx, user, account, search.Period{From: from, To: to}))(t) {
			list = append(list, fmt.Sprintf("%s %s", d.Day[5:], d.Balance))
		}
		return list
	}
	equal(t, days(account, "2026-02-01", "2026-03-05")) // there is no balance of the bank yet
	b.exec(t, `INSERT INTO balance (account_id, position, type, name, minor, currency, amount, reference_date, fetched)
		VALUES ($1, 0, 'CLBD', '', 100000, 'EUR', '1000.00', '2026-03-03', '2026-03-05T09:00:00.000Z')`, account)
	check(t, b.SetNickname(ctx, user, account, "x")) // any write clears the cache
	equal(t, days(account, "2026-02-01", "2026-03-05"), "02-27 1002.00", "02-28 1002.00", "03-01 1002.00", "03-02 1000.00", "03-03 1000.00", "03-04 995.00", "03-05 995.00")
	equal(t, days(account, "2026-03-04", "2026-03-04"), "03-04 995.00")
	equal(t, days(account, "2026-03-01", "2026-03-02"), "03-01 1002.00", "03-02 1000.00")
	equal(t, days(wallet, "2026-02-01", "2026-03-04"), "03-02 100.00", "03-03 96.50", "03-04 96.50")
	equal(t, days(house, "2026-02-01", "2026-03-04"), "03-01 500.00", "03-02 500.00", "03-03 600.00", "03-04 600.00")
	if _, err := b.DayBalances(ctx, "somebody else", account, search.Period{From: "2026-03-01", To: "2026-03-02"}); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("somebody else: %v", err)
	}
}
