package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/sqlite"
	"florin/internal/testkit"
)

// errUndo ends a transaction that must not change anything.
var errUndo = errors.New("undo")

// checkIndex compares the index with the rows: the words of each row, in their places, and nothing else. The sort keys must fit their days. It compares the
// sums with the rows, too (checkSums).
func (b *bed) checkIndex(t testing.TB) {
	t.Helper()
	if _, is := t.(*testing.B); is {
		return
	}
	b.checkSums(t)
	ctx := context.Background()
	want, got := map[string]bool{}, map[string]bool{}
	err := b.db.Write(ctx, func(tx *sqlite.Tx) error {
		ids, err := collect(ctx, tx, func(row scanner) (any, error) { var id int64; err := row.Scan(&id); return id, err }, `SELECT id FROM booked_transaction`)
		check(t, err)
		for some := range slices.Chunk(ids, lookupRows) {
			for _, d := range must(collect(ctx, tx, scanDocument, documentsQuery, padded(some)...))(t) {
				columns := map[string]string{"amount": string(search.SizeOf(d.row.Amount)), "day": search.DayWord(d.row.Date)}
				for _, m := range d.row.Marks {
					want[fmt.Sprintf("%d marks %s", d.sortKey, strings.ToLower(string(m)))] = true
				}
				for _, f := range search.Fields {
					columns[string(f)] = d.row.Words(f)
				}
				for column, text := range columns {
					for i, word := range strings.Fields(text) {
						want[fmt.Sprintf("%d %s %d %s", d.sortKey, column, i, word)] = true
					}
				}
				if low, _, high := finance.SortRange(d.row.Date); d.sortKey < low || d.sortKey > high {
					t.Errorf("the key %d is none of %s", d.sortKey, d.row.Date)
				}
			}
		}
		_, err = tx.ExecContext(ctx, `CREATE VIRTUAL TABLE temp.search_words USING fts5vocab(main, transaction_search, instance)`)
		check(t, err)
		words, err := collect(ctx, tx, func(row scanner) (string, error) {
			var word, column string
			var key int64
			var place int
			err := row.Scan(&word, &key, &column, &place)
			if column == "marks" {
				return fmt.Sprintf("%d marks %s", key, word), err
			}
			return fmt.Sprintf("%d %s %d %s", key, column, place, word), err
		}, `SELECT term, doc, col, "offset" FROM temp.search_words`)
		check(t, err)
		for _, w := range words {
			got[w] = true
		}
		return errUndo
	})
	if !errors.Is(err, errUndo) {
		t.Fatal(err)
	}
	if !maps.Equal(want, got) {
		for w := range want {
			if !got[w] {
				t.Errorf("not in the index: %s", w)
			}
		}
		for w := range got {
			if !want[w] {
				t.Errorf("in the index alone: %s", w)
			}
		}
	}
}

// all finds all rows of a user by paging forward, and checks that paging back leads to the same pages.
func (b *bed) all(t testing.TB, user string, query search.Query, size int) []finance.FoundRow {
	t.Helper()
	ctx := context.Background()
	var rows []finance.FoundRow
	starts := []int64{Newest}
	for {
		page, more, err := b.Find(ctx, user, query, starts[len(starts)-1], size)
		check(t, err)
		rows = append(rows, page...)
		if !more {
			break
		}
		starts = append(starts, page[len(page)-1].SortKey)
	}
	for i := len(starts) - 1; i > 0; i-- {
		if start := must(b.FindNewer(ctx, user, query, starts[i], size))(t); start != starts[i-1] {
			t.Errorf("the page before the one from %d begins at %d, not at %d", starts[i], start, starts[i-1])
		}
	}
	return rows
}

// Two people with two accounts each, random rows and random queries: each person finds exactly their own rows that match the query, newest first.
func TestFindGivesTheRowsThatMatch(t *testing.T) {
	testkit.Unwatched(t)
	b := newBed(t)
	ctx := t.Context()
	words := []string{"rent", "rental", "Café", "MÜLLER", "12.50", "ab-c", `"x"`, "NEAR", "marks:a", "straße", "日本"}
	type owned struct {
		user string
		rows map[int64]search.Row
	}
	var owners []owned
	var accounts []search.Mark
	keys := map[int64]bool{}
	for u := range 2 {
		user := b.user(t, fmt.Sprintf("%d@example.org", u))
		done, _ := b.link(t, user, "s", resource("h1", "EUR", "uid1"), resource("h2", "EUR", "uid2"))
		for _, linked := range done.Accounts {
			accounts = append(accounts, search.AccountMark(linked.Account.ID))
			var entries []finance.Entry
			for i := range 60 {
				e := entry(t, fmt.Sprintf("ref-%d-%d-%d", u, len(owners), i), fmt.Sprintf("%d.%02d", i*i%117, i%3*25), fmt.Sprintf("2026-%02d-%02d", i%12+1, i%7+1),
					words[i%len(words)]+" "+words[i*7%len(words)])
				e.Counterparty = words[i*3%len(words)]
				if i%5 == 0 {
					e.Amount = e.Amount.Neg()
				}
				if i == 59 {
					e.Date, e.BookingDate = "", ""
				}
				entries = append(entries, e)
			}
			c := b.claim(t, finance.ScopeTransactions)
			check(t, b.BeginRun(ctx, &c, "longest", "", lease))
			check(t, b.ApplyPage(ctx, &c, Page{Entries: entries[:40], Next: "more"}, lease, time.Now()))
			check(t, b.ApplyPage(ctx, &c, Page{Entries: entries[40:]}, lease, time.Now().Add(time.Hour))) // the other account comes next
			b.checkIndex(t)
		}
		o := owned{user.ID, map[int64]search.Row{}}
		for _, f := range b.all(t, user.ID, search.And{}, 7) {
			r := must(b.Transaction(ctx, user.ID, f.AccountID, f.ID))(t)
			o.rows[f.SortKey] = searchRow(f.AccountID, r.Transaction, "", finance.References(r.Record), kept{reviewed: true})
			if keys[f.SortKey] {
				t.Errorf("the key %d is there twice", f.SortKey)
			}
			keys[f.SortKey] = true
		}
		if len(o.rows) != 120 {
			t.Fatalf("%d rows", len(o.rows))
		}
		owners = append(owners, o)
	}
	rapid.Check(t, func(r *rapid.T) {
		query := drawQuery(r, words, accounts, 3)
		for _, o := range owners {
			var want, got []int64
			for key, row := range o.rows {
				if query.Matches(row) {
					want = append(want, key)
				}
			}
			slices.Sort(want)
			slices.Reverse(want)
			for _, f := range b.all(t, o.user, query, rapid.IntRange(30, 200).Draw(r, "page")) {
				got = append(got, f.SortKey)
			}
			if !slices.Equal(got, want) {
				r.Fatalf("%#v finds %d rows %v, want %d %v", query, len(got), got, len(want), want)
			}
		}
	})
	for _, row := range owners[0].rows {
		for _, query := range []search.Query{search.And{}, search.Marked(row.Marks[:1]), search.And{search.Period{From: "2026-01-01"}, search.Marked(row.Marks[:1])}} {
			if rows := b.all(t, "somebody else", query, 10); len(rows) > 0 {
				t.Errorf("somebody else finds %v", rows)
			}
		}
		break
	}
}

// Whatever is typed, the index gives the same rows as search.Query.Matches, or the text is rejected. Nobody finds another person's row, although in this test
// every name stands for the accounts of both.
func FuzzFind(f *testing.F) {
	deep, deeper := "rent", "rent"
	for range 10 {
		deep, deeper = "(rent OR -"+deep+")", "-(coffee OR 12.50 amount:<3 -"+deeper+")"
	}
	for _, text := range []string{"rent", "12.5", "amount:1..2000000", "ren -cof", "is:out OR account:x", "NEAR(rent, 2)", `"rent`, `a"b`, `{payee} : "x"*`, "marks:x", "rowid",
		"rent*", "^rent", "+", "\x00", "\xff", "日本 ا\u202e", "ﬀ İ ß", "payee:\"a b\" iban:DE89", "last:3m -on:2026", "is:pending", "((", deep, deeper,
		strings.Repeat("a OR ", 59) + "a", strings.Repeat("-a ", 60), strings.Repeat("is:in OR is:out ", 20), strings.Repeat("x", 10_000)} {
		f.Add(text)
	}
	b := newBed(f)
	var marks []search.Mark
	rows := map[string]map[int64]search.Row{} // by user and key
	for _, email := range []string{"a@example.org", "b@example.org"} {
		user := b.user(f, email)
		done, _ := b.link(f, user, finance.Secret(email), resource("h "+email, "EUR", "uid "+email))
		account := done.Accounts[0].Account.ID
		c := b.claim(f, finance.ScopeTransactions)
		check(f, b.BeginRun(context.Background(), &c, "longest", "", lease))
		entries := []finance.Entry{entry(f, email, "12.50", "2026-03-02", "Rent NEAR marks "+email), entry(f, "R", "2.00", "2026-03-01", "coffee ab")}
		check(f, b.ApplyPage(context.Background(), &c, Page{Entries: entries}, lease, time.Now().Add(time.Hour)))
		marks, rows[user.ID] = append(marks, search.AccountMark(account)), map[int64]search.Row{}
		for _, r := range b.all(f, user.ID, search.And{}, 10) {
			record := must(b.Transaction(context.Background(), user.ID, account, r.ID))(f)
			rows[user.ID][r.SortKey] = searchRow(account, record.Transaction, "", finance.References(record.Record), kept{reviewed: true})
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, fault := search.Parse(text, search.Context{Today: "2026-11-22", Named: func(search.Operator, []string, bool) []search.Mark { return marks }})
		if fault != nil {
			return
		}
		for user, own := range rows {
			found := b.all(t, user, parsed.Query, 1)
			for _, r := range found {
				if row, ok := own[r.SortKey]; !ok || !parsed.Query.Matches(row) {
					t.Errorf("%q finds %+v", text, r)
				}
			}
			want := 0
			for _, row := range own {
				if parsed.Query.Matches(row) {
					want++
				}
			}
			if len(found) != want {
				t.Errorf("%q finds %d rows, want %d", text, len(found), want)
			}
			_, _, _, err := b.Totals(t.Context(), user, parsed.Query)
			check(t, err)
		}
	})
}

func drawQuery(r *rapid.T, words []string, accounts []search.Mark, depth int) search.Query {
	kinds := 8
	if depth == 0 {
		kinds = 5
	}
	parts := func() (list []search.Query) {
		for range rapid.IntRange(0, 3).Draw(r, "parts") {
			list = append(list, drawQuery(r, words, accounts, depth-1))
		}
		return list
	}
	switch rapid.IntRange(0, kinds-1).Draw(r, "kind") {
	case 0:
		text := rapid.SampledFrom(words).Draw(r, "word")
		found := search.Words(text)
		last := found[len(found)-1]
		found[len(found)-1] = string([]rune(last)[:rapid.IntRange(1, len([]rune(last))).Draw(r, "letters")])
		return search.Phrase{In: rapid.SampledFrom([]search.Field{"", search.Payee, search.Text, search.Numbers}).Draw(r, "field"), Words: found,
			Whole: rapid.Bool().Draw(r, "whole")}
	case 1:
		return search.AmountRange{Low: drawSize(r), High: drawSize(r), AboveLow: rapid.Bool().Draw(r, "above"), BelowHi: rapid.Bool().Draw(r, "below")}
	case 2:
		marks := append([]search.Mark{search.MarkIn, search.MarkOut, search.MarkToReview, search.MarkNote}, accounts...)
		return search.Marked{rapid.SampledFrom(marks).Draw(r, "mark")}
	case 3, 4:
		day := func() (d string) {
			if rapid.Bool().Draw(r, "bounded") {
				d = fmt.Sprintf("20%02d-%02d-%02d", rapid.IntRange(24, 28).Draw(r, "year"), rapid.IntRange(1, 12).Draw(r, "month"), rapid.IntRange(1, 28).Draw(r, "day"))
			}
			return d
		}
		p := search.Period{}
		p.From, p.To = openbanking.Date(day()), openbanking.Date(day())
		return p
	case 5:
		return search.Not{Query: drawQuery(r, words, accounts, depth-1)}
	case 6:
		return search.And(parts())
	}
	return search.Or(parts())
}

// Totals are cached for each search and person until something is written.
func TestTotalsAreThoseOfNow(t *testing.T) {
	testkit.Unwatched(t)
	b := newBed(t)
	user, account := b.linked(t)
	other := b.user(t, "b@example.org")
	total := func(user string, query search.Query) string {
		t.Helper()
		totals, capped, transfers, err := b.Totals(t.Context(), user, query)
		check(t, err)
		if transfers {
			t.Errorf("%v: transfers were left out", query)
		}
		if len(totals) == 0 {
			return "none"
		}
		return fmt.Sprint(totals[0].Rows, " ", totals[0].In, " ", totals[0].Out, " ", capped)
	}
	b.run(t, []finance.Entry{entry(t, "R1", "5.00", "2026-03-01", "lunch")})
	march, april := search.Period{From: "2026-03-01", To: "2026-03-31"}, search.Period{From: "2026-04-01", To: "2026-04-30"}
	for range 2 {
		for query, want := range map[search.Query]string{march: "1 0.00 -5.00 false", april: "none"} {
			if got := total(user, query); got != want {
				t.Errorf("%v: %s, want %s", query, got, want)
			}
			if got := total(other.ID, search.And{search.InAccount(account), query}); got != "none" {
				t.Errorf("somebody else: %s", got)
			}
		}
	}
	b.run(t, []finance.Entry{entry(t, "R2", "7.00", "2026-04-02", "cinema"), entry(t, "R1", "5.00", "2026-03-01", "lunch")})
	if got := total(user, april); got != "1 0.00 -7.00 false" {
		t.Errorf("after a write: %s", got)
	}
	b.run(t, many(t, MaxTotalled+500)...)
	// The first two rows are among the newest, but the bank no longer lists them.
	if got := total(user, search.And{}); !strings.HasPrefix(got, fmt.Sprint(MaxTotalled-2, " ")) ||
		!strings.HasSuffix(got, "true") {
		t.Errorf("all: %s", got)
	}
}

// The query of the index names the account only when other people have accounts, too. For all rows it is left out when nobody else has any.
func TestWhatTheIndexIsAskedFor(t *testing.T) {
	b := newBed(t)
	user, account := b.linked(t)
	b.run(t, []finance.Entry{entry(t, "R1", "5.00", "2026-03-01", "lunch")})
	asked := func(query search.Query) string {
		t.Helper()
		if rows := b.all(t, user, query, 5); len(rows) != 1 {
			t.Errorf("%v finds %d rows", query, len(rows))
		}
		return must(b.matchOf(t.Context(), user, query))(t).what
	}
	lunch, mark := search.Phrase{Words: []string{"lunch"}}, string(search.AccountMark(account))
	if what := asked(lunch); strings.Contains(what, mark) {
		t.Errorf("alone: %s", what)
	}
	if what := asked(search.And{}); strings.Contains(what, mark) {
		t.Errorf("alone, all rows: %s", what)
	}
	if what := asked(search.And{search.InAccount(account), lunch}); strings.Contains(what, mark) {
		t.Errorf("alone, in all accounts: %s", what)
	}
	b.link(t, b.user(t, "b@example.org"), "b", resource("h2", "EUR", "uid2"))
	if what := asked(lunch); !strings.Contains(what, mark) {
		t.Errorf("beside somebody: %s", what)
	}
	if what := asked(search.And{}); !strings.Contains(what, mark) {
		t.Errorf("beside somebody, all rows: %s", what)
	}
}

// Rare properties of rows are found through their own tables, without scanning all rows: a page needs them after each commit.
func TestWhatFewRowsHaveIsQuicklyFound(t *testing.T) {
	b := newBed(t)
	for table, query := range map[string]string{"held": transfersQuery, "part": partsQuery, "waiting": unindexedQuery} {
		if plan := b.plan(t, query, "u"); !strings.HasPrefix(plan, "SCAN "+table) || strings.Count(plan, "SCAN") != 1 {
			t.Errorf("%s:\n%s", query, plan)
		}
	}
}

// A long prefix of few words is searched as those words; a prefix of many words is left to the index. Both find the same rows as search.Query.Matches.
func TestLongBeginnings(t *testing.T) {
	b := newBed(t)
	user, account := b.linked(t)
	var entries []finance.Entry
	for i := range 100 {
		name := "gardener"
		if i%2 == 1 {
			name = fmt.Sprintf("customer%02d", i)
		}
		entries = append(entries, entry(t, fmt.Sprintf("R%d", i), "5.00", "2026-03-01", fmt.Sprintf("old %s house%c", name, 'a'+rune(i%3))))
	}
	b.run(t, entries)
	for _, c := range []struct {
		words []string
		rows  int
		asked string // what the query of the index must contain
	}{
		{[]string{"garden"}, 50, `"gardener"`}, {[]string{"garden", "hous"}, 0, `"garden hous"*`}, {[]string{"gardener", "house"}, 50, `"gardener housea"`},
		{[]string{"custo"}, 50, `"custo"*`}, {[]string{"customer1"}, 5, `"customer11"`}, {[]string{"gard"}, 50, `"gard"*`}, {[]string{"gardeners"}, 0, none},
		{[]string{"old", "customer99"}, 1, `"old customer99"`},
	} {
		query := search.Phrase{Words: c.words}
		rows := b.all(t, user, query, 7)
		if len(rows) != c.rows {
			t.Errorf("%v finds %d rows", c.words, len(rows))
		}
		m := must(b.matchOf(t.Context(), user, query))(t)
		if !strings.Contains(m.what, c.asked) {
			t.Errorf("%v is asked as %s", c.words, m.what)
		}
		for _, r := range rows {
			record := must(b.Transaction(t.Context(), user, account, r.ID))(t)
			if !query.Matches(searchRow(account, record.Transaction, "", nil, kept{})) {
				t.Errorf("%v finds %q", c.words, r.Remittance)
			}
		}
	}
}

func drawSize(r *rapid.T) search.Size {
	if rapid.Bool().Draw(r, "bounded") {
		return search.SizeOf(money.FromMinor(rapid.Int64Range(0, 12_000).Draw(r, "minor"), "EUR"))
	}
	return ""
}

// A removed user leaves nothing in the index.
func TestTheIndexFollows(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	b.user(t, "owner@example.org")
	user, _ := b.linked(t)
	b.run(t, []finance.Entry{entry(t, "R1", "5.00", "2026-03-01", "lunch")})
	check(t, b.RemoveUser(ctx, user))
	b.checkIndex(t)
}

// Rows stored before the index existed are found once the background work is done. Until then Florin reports that some are missing. Afterwards the index
// consists of few pieces.
func TestRowsOfBeforeAreFound(t *testing.T) {
	testkit.Unwatched(t)
	b := newBed(t)
	user, _ := b.linked(t)
	b.run(t, many(t, 2_500)...)
	b.exec(t, `INSERT INTO transaction_unindexed (transaction_id) SELECT id FROM booked_transaction`)
	b.exec(t, `DELETE FROM transaction_search WHERE rowid IN (SELECT sort_key FROM booked_transaction)`)
	somebody := search.Phrase{Words: []string{"somebody"}}
	if rows := b.all(t, user, somebody, 500); len(rows) > 0 {
		t.Fatalf("%d rows", len(rows))
	}
	if !must(b.Unindexed(t.Context(), user))(t) || must(b.Unindexed(t.Context(), "somebody else"))(t) {
		t.Error("the missing rows are not reported, or are reported to another person")
	}
	b.reopen(t)
	for !must(b.TendIndex(t.Context()))(t).IsZero() {
	}
	b.checkIndex(t)
	var pieces int
	check(t, b.db.Read().QueryRowContext(t.Context(), `SELECT COUNT(DISTINCT segid) FROM transaction_search_idx`).Scan(&pieces))
	if pieces > 2 { // of five steps
		t.Errorf("%d pieces are left", pieces)
	}
	if must(b.Unindexed(t.Context(), user))(t) {
		t.Error("rows are reported as missing")
	}
	if rows := b.all(t, user, somebody, 500); len(rows) != 2_500 {
		t.Errorf("%d rows", len(rows))
	}
}
