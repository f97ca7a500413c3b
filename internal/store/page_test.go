package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/testkit"
)

// run stores the pages of one whole run, and checks the index.
func (b *bed) run(t testing.TB, pages ...[]finance.Entry) Claim {
	t.Helper()
	c := b.runUnchecked(t, pages...)
	b.checkIndex(t)
	return c
}

func (b *bed) runUnchecked(t testing.TB, pages ...[]finance.Entry) Claim {
	t.Helper()
	ctx := context.Background()
	c := b.claim(t, finance.ScopeTransactions)
	check(t, b.BeginRun(ctx, &c, "longest", "", lease))
	for i, entries := range pages {
		p := Page{Entries: entries}
		if i < len(pages)-1 {
			p.Next = finance.Secret(fmt.Sprintf("key %d", i))
		}
		check(t, b.ApplyPage(ctx, &c, p, lease, time.Now().Add(-time.Second)))
	}
	if c.Task.InRun {
		t.Fatal("the run is not over")
	}
	return c
}

// rows lists all booked rows of the account by paging, as "date amount text", newest first. Missing rows end in "?".
func (b *bed) rows(t testing.TB, user, account string, size int) []string {
	t.Helper()
	var all []string
	before := int64(Newest)
	for {
		page, more, err := b.Find(context.Background(), user, search.InAccount(account), before, size)
		check(t, err)
		for _, r := range page {
			if r.SortKey >= before {
				t.Fatalf("sort key %d does not fall", r.SortKey)
			}
			before = r.SortKey
			row := fmt.Sprintf("%s %s %s", r.Date, r.Amount, r.Remittance)
			if r.Missing {
				row += "?"
			}
			all = append(all, row)
		}
		if !more {
			return all
		}
	}
}

func (b *bed) linked(t testing.TB) (user, account string) {
	t.Helper()
	u := b.user(t, "a@example.org")
	done, _ := b.link(t, u, "s", resource("h", "EUR", "uid"))
	return u.ID, done.Accounts[0].Account.ID
}

func equal(t testing.TB, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("rows\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestRowsAreRecognisedInLaterRuns(t *testing.T) {
	b := newBed(t)
	user, account := b.linked(t)
	coffee := func() finance.Entry { return entry(t, "", "2.00", "2026-03-02", "coffee") }
	rent := func(text string) finance.Entry { return entry(t, "R1", "700.00", "2026-03-01", text) }
	list := func(e ...finance.Entry) []finance.Entry { return e }

	b.run(t, list(entry(t, "R2", "5.00", "2026-03-03", "lunch"), coffee(), coffee()), list(rent("rent"), entry(t, "R0", "1.00", "2026-02-01", "old")))
	equal(t, b.rows(t, user, account, 2), "2026-03-03 -5.00 lunch", "2026-03-02 -2.00 coffee", "2026-03-02 -2.00 coffee", "2026-03-01 -700.00 rent",
		"2026-02-01 -1.00 old")

	// The same rows again, across pages and repeated: the two equal rows without a reference stay two; the row with a reference stays one and gets the new
	// text.
	b.run(t, list(entry(t, "R2", "5.00", "2026-03-03", "lunch"), coffee()), list(coffee(), rent("rent March")),
		list(rent("rent March"), entry(t, "R0", "1.00", "2026-02-01", "old")))
	equal(t, b.rows(t, user, account, 2), "2026-03-03 -5.00 lunch", "2026-03-02 -2.00 coffee", "2026-03-02 -2.00 coffee", "2026-03-01 -700.00 rent March",
		"2026-02-01 -1.00 old")

	// A third equal row is a new row. A row that vanished is kept and marked as missing. Rows before the oldest row of the answer are not judged.
	b.run(t, list(coffee(), coffee(), coffee(), rent("rent March")))
	equal(t, b.rows(t, user, account, 3), "2026-03-03 -5.00 lunch?", "2026-03-02 -2.00 coffee", "2026-03-02 -2.00 coffee", "2026-03-02 -2.00 coffee",
		"2026-03-01 -700.00 rent March", "2026-02-01 -1.00 old")

	// The missing row comes back under another reference: it is the same row, not a second one.
	b.run(t, list(entry(t, "R9", "5.00", "2026-03-03", "lunch"), coffee(), coffee(), coffee(), rent("rent March")))
	equal(t, b.rows(t, user, account, 1), "2026-03-03 -5.00 lunch", "2026-03-02 -2.00 coffee", "2026-03-02 -2.00 coffee", "2026-03-02 -2.00 coffee",
		"2026-03-01 -700.00 rent March", "2026-02-01 -1.00 old")

	// The bank books it on another day: it is still the same row.
	b.run(t, list(entry(t, "R9", "5.00", "2026-03-04", "lunch"), coffee(), coffee(), coffee(), rent("rent March")))
	equal(t, b.rows(t, user, account, 1), "2026-03-04 -5.00 lunch", "2026-03-02 -2.00 coffee", "2026-03-02 -2.00 coffee", "2026-03-02 -2.00 coffee",
		"2026-03-01 -700.00 rent March", "2026-02-01 -1.00 old")

	// An empty answer proves nothing.
	b.run(t, nil)
	equal(t, b.rows(t, user, account, 10), "2026-03-04 -5.00 lunch", "2026-03-02 -2.00 coffee", "2026-03-02 -2.00 coffee", "2026-03-02 -2.00 coffee",
		"2026-03-01 -700.00 rent March", "2026-02-01 -1.00 old")
	if a := must(b.Account(t.Context(), user, account))(t); a.Transactions != 6 || a.HistoryFrom != "2026-02-01" {
		t.Errorf("%+v", a)
	}
}

func TestNewerPageLeadsBack(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	b.run(t, many(t, 25)...)
	starts := []int64{Newest}
	for {
		page, more, err := b.Find(ctx, user, search.InAccount(account), starts[len(starts)-1], 10)
		check(t, err)
		if !more {
			break
		}
		starts = append(starts, page[len(page)-1].SortKey)
	}
	if len(starts) != 3 {
		t.Fatalf("%d pages", len(starts))
	}
	for i := len(starts) - 1; i > 0; i-- {
		if got := must(b.FindNewer(ctx, user, search.InAccount(account), starts[i], 10))(t); got != starts[i-1] {
			t.Errorf("before page %d: %d, want %d", i, got, starts[i-1])
		}
	}
	if got := must(b.FindNewer(ctx, "somebody else", search.InAccount(account), starts[2], 10))(t); got != Newest {
		t.Errorf("a foreign account: %d", got)
	}
}

// A standing order whose bookings all have the same reference gives one row each month.
func TestOneReferenceForAllRowsOfAnOrder(t *testing.T) {
	b := newBed(t)
	user, account := b.linked(t)
	rows := []finance.Entry{entry(t, "ORDER", "9.00", "2026-03-01", "x"), entry(t, "ORDER", "9.00", "2026-02-01", "x"),
		entry(t, "ORDER", "9.00", "2026-01-01", "x")}
	b.run(t, rows[1:])
	b.run(t, rows)
	equal(t, b.rows(t, user, account, 10), "2026-03-01 -9.00 x", "2026-02-01 -9.00 x", "2026-01-01 -9.00 x")
}

func TestFeeRowsStayApart(t *testing.T) {
	b := newBed(t)
	user, account := b.linked(t)
	b.run(t, []finance.Entry{entry(t, "R1", "0.50", "2026-03-01", "fee"), entry(t, "R1", "50.00", "2026-03-01", "transfer")})
	equal(t, b.rows(t, user, account, 10), "2026-03-01 -0.50 fee", "2026-03-01 -50.00 transfer")
}

func TestUndatedRowsStayUndated(t *testing.T) {
	b := newBed(t)
	user, account := b.linked(t)
	b.run(t, []finance.Entry{entry(t, "A1", "1.00", "", "undated"), entry(t, "A2", "2.00", "2026-03-01", "dated")})
	equal(t, b.rows(t, user, account, 10), "2026-03-01 -2.00 dated", " -1.00 undated")
}

// The bank's order within a day is kept, across pages of the first sync and with rows of later syncs.
func TestOrderWithinADay(t *testing.T) {
	b := newBed(t)
	user, account := b.linked(t)
	day := func(ref string) finance.Entry { return entry(t, "x"+ref, "1.00", "2026-03-01", ref) }
	b.run(t, []finance.Entry{day("4"), day("3")}, []finance.Entry{day("2"), day("1"), entry(t, "x0", "1.00", "2026-02-28", "last")})
	b.run(t, []finance.Entry{entry(t, "x7", "1.00", "2026-03-02", "7"), day("6"), day("5"), day("4"), day("3"), day("2")})
	equal(t, b.rows(t, user, account, 3), "2026-03-02 -1.00 7", "2026-03-01 -1.00 6", "2026-03-01 -1.00 5", "2026-03-01 -1.00 4", "2026-03-01 -1.00 3",
		"2026-03-01 -1.00 2", "2026-03-01 -1.00 1", "2026-02-28 -1.00 last")
}

// Architecture 5, rule 3: pending rows live apart and are rebuilt at each sync.
func TestPendingRowsAreRebuilt(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	pending := func(ref, amount, date, text string) finance.Entry {
		e := entry(t, ref, amount, date, text)
		e.State, e.Status = finance.RowPending, "PDNG"
		return e
	}
	day := func(ago int) string { return string(openbanking.DateOf(time.Now().AddDate(0, 0, -ago))) }
	texts := func() (all []string) {
		for _, p := range must(b.Pending(ctx, user, account))(t) {
			all = append(all, string(p.Date)+" "+p.Remittance)
		}
		return all
	}
	b.run(t, []finance.Entry{pending("0", "3.00", "", "undated"), pending("0", "3.00", "", "undated"), pending("P1", "4.00", day(2), "hotel")},
		[]finance.Entry{pending("P1", "4.00", day(2), "hotel"), entry(t, "B1", "1.00", day(30), "x")})
	equal(t, texts(), " undated", " undated", day(2)+" hotel")

	// While the next run is not complete, the pending rows of the last complete run are shown.
	c := b.claim(t, finance.ScopeTransactions)
	check(t, b.BeginRun(ctx, &c, "default", openbanking.Date(day(30)), lease))
	check(t, b.ApplyPage(ctx, &c, Page{Entries: []finance.Entry{pending("P2", "9.00", day(1), "taxi")}, Next: "k"}, lease, time.Now()))
	equal(t, texts(), " undated", " undated", day(2)+" hotel")
	// The hotel is booked, and also sent as pending once more.
	check(t, b.ApplyPage(ctx, &c, Page{Entries: []finance.Entry{entry(t, "P1", "4.00", day(2), "hotel"), pending("P1", "4.00", day(2), "hotel")}}, lease,
		time.Now()))
	equal(t, texts(), day(1)+" taxi")
	equal(t, b.rows(t, user, account, 10), day(2)+" -4.00 hotel", day(30)+" -1.00 x")
}

// api-notes 10: stop on a repeated key.
func TestRepeatedKeyEndsTheRun(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	c := b.claim(t, finance.ScopeTransactions)
	check(t, b.BeginRun(ctx, &c, "longest", "", lease))
	for i, next := range []finance.Secret{"k1", "k2", "k1"} {
		if !c.Task.InRun {
			t.Fatalf("over before page %d", i)
		}
		check(t, b.ApplyPage(ctx, &c, Page{Entries: []finance.Entry{entry(t, fmt.Sprintf("r%d", i), "1.00", "2026-03-01", "x")}, Next: next}, lease, time.Now()))
	}
	if c.Task.InRun || len(b.rows(t, user, account, 10)) != 3 {
		t.Errorf("%+v", c.Task)
	}
	if k := must(b.Tasks(ctx, user, ""))(t)[0]; k.State != finance.TaskWaiting || k.InRun || k.LastSuccess.IsZero() {
		t.Errorf("%+v", k)
	}
}

func TestUnknownCurrencyIsLearnt(t *testing.T) {
	b := newBed(t)
	u := b.user(t, "a@example.org")
	done, _ := b.link(t, u, "s", resource("h", "XXX", "uid"))
	b.run(t, []finance.Entry{entry(t, "r", "1.00", "2026-03-01", "x")})
	a := must(b.Account(t.Context(), u.ID, done.Accounts[0].Account.ID))(t)
	if a.Currency != "EUR" || a.BankCurrency != "XXX" {
		t.Errorf("%+v", a)
	}
}

// However the bank's pages are cut, repeated and reordered, the stored rows are the same: none is doubled and none is missing.
func TestAnyPagesEndWithTheSameRows(t *testing.T) {
	testkit.Unwatched(t)
	b := newBed(t)
	ctx := context.Background()
	rapid.Check(t, func(r *rapid.T) {
		u := b.user(t, finance.NewID())
		done, _ := b.link(t, u, "s", resource("h", "EUR", "uid"))
		user, account := u.ID, done.Accounts[0].Account.ID
		defer func() { check(t, b.EndConnection(ctx, user, done.ConnectionID, finance.ConnectionDisconnected)) }()

		// truth has rows with references, and groups of equal rows without.
		var truth []finance.Entry
		for i := range rapid.IntRange(0, 12).Draw(r, "with reference") {
			truth = append(truth, entry(t, fmt.Sprintf("ref-%d", i), fmt.Sprintf("%d.00", i%3+1), fmt.Sprintf("2026-03-%02d", i%5+1), "a"))
		}
		for i := range rapid.IntRange(0, 4).Draw(r, "groups") {
			for range rapid.IntRange(1, 4).Draw(r, "equal rows") {
				truth = append(truth, entry(t, "0", "9.00", fmt.Sprintf("2026-03-%02d", i+1), "b"))
			}
		}
		for run := range rapid.IntRange(1, 3).Draw(r, "runs") {
			rows := rapid.Permutation(truth).Draw(r, "order")
			var pages [][]finance.Entry
			for len(rows) > 0 {
				n := rapid.IntRange(0, len(rows)).Draw(r, "page size")
				page := slices.Clone(rows[:n])
				for _, e := range truth { // rows with a reference may be repeated anywhere
					if e.Identity.Reference != "" && rapid.IntRange(0, 9).Draw(r, "repeat") == 0 {
						page = append(page, e)
					}
				}
				pages, rows = append(pages, page), rows[n:]
			}
			pages = append(pages, nil)

			c := b.claim(t, finance.ScopeTransactions)
			check(t, b.BeginRun(ctx, &c, "longest", "", lease))
			for i := 0; i < len(pages); i++ {
				switch rapid.IntRange(0, 9).Draw(r, "accident") {
				case 0: // the process dies before the page is stored, and another one takes over
					check(t, b.ReleaseTask(ctx, c))
					b.reopen(t)
					c = b.claim(t, finance.ScopeTransactions)
				case 1: // the session's key is refused: from the start
					check(t, b.BeginRun(ctx, &c, "longest", "", lease))
					i = 0
				}
				p := Page{Entries: pages[i]}
				if i < len(pages)-1 {
					p.Next = finance.Secret(fmt.Sprintf("run %d page %d", run, i))
				}
				if want := fmt.Sprintf("run %d page %d", run, i-1); i > 0 && c.ContinuationKey.Reveal() != want {
					r.Fatalf("continues with %q, want %q", c.ContinuationKey.Reveal(), want)
				}
				check(t, b.ApplyPage(ctx, &c, p, lease, time.Now().Add(-time.Second)))
			}
			var want []string
			for _, e := range truth {
				want = append(want, fmt.Sprintf("%s %s %s", e.Date, e.Amount, e.Remittance))
			}
			b.checkIndex(t)
			got := b.rows(t, user, account, 7)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				r.Fatalf("run %d: rows %v, want %v", run, got, want)
			}
			if a := must(b.Account(ctx, user, account))(t); a.Transactions != int64(len(truth)) {
				r.Fatalf("the account counts %d rows, want %d", a.Transactions, len(truth))
			}
		}
	})
}

// askFrom stores a whole run of one page whose query began at a date.
func (b *bed) askFrom(t testing.TB, from openbanking.Date, entries ...finance.Entry) Claim {
	t.Helper()
	ctx := context.Background()
	c := b.claim(t, finance.ScopeTransactions)
	check(t, b.BeginRun(ctx, &c, "default", from, lease))
	check(t, b.ApplyPage(ctx, &c, Page{Entries: entries}, lease, time.Now().Add(-time.Second)))
	b.checkIndex(t)
	return c
}

// A run judges only the period that it asked for: a row from before proves nothing about other rows of that time. A row wrongly marked as missing is corrected
// by the next run that brings it. LastMissed gives the date from which the next run must ask to include it.
func TestOldRowsSayNothingAboutTheirTime(t *testing.T) {
	for _, stray := range []string{"1970-01-01", "2015-06-01", "2026-02-27"} {
		b := newBed(t)
		user, account := b.linked(t)
		history := []finance.Entry{entry(t, "R3", "3.00", "2026-03-09", "c"), entry(t, "R2", "2.00", "2026-03-04", "b"),
			entry(t, "R1", "1.00", "2026-02-28", "a"), entry(t, "R0", "0.50", "2019-05-01", "z")}
		b.run(t, history)
		before := b.rows(t, user, account, 10)
		old := entry(t, "old", "9.00", stray, "old")
		b.askFrom(t, "2026-03-02", history[0], history[1], old)
		for _, row := range b.rows(t, user, account, 10) {
			if strings.HasSuffix(row, "?") {
				t.Errorf("with a row of %s: %s", stray, row)
			}
		}
		b.askFrom(t, "2026-03-02", old) // the run brought nothing of its period, which proves nothing
		b.askFrom(t, "2026-03-02", history[0], entry(t, "R9", "7.00", "2026-03-02", "first"))
		rows := b.rows(t, user, account, 10)
		if !slices.Contains(rows, "2026-03-04 -2.00 b?") || slices.Contains(rows, "2026-02-28 -1.00 a?") || slices.Contains(rows, "2019-05-01 -0.50 z?") {
			t.Errorf("with a row of %s: %v", stray, rows)
		}
		c := b.claim(t, finance.ScopeTransactions)
		if from := must(b.LastMissed(t.Context(), c))(t); from != "2026-03-04" {
			t.Errorf("the next run must ask from %q", from)
		}
		check(t, b.ReleaseTask(t.Context(), c))
		b.askFrom(t, "2026-03-02", history[0], history[1])
		if rows := b.rows(t, user, account, 10); !slices.Contains(rows, "2026-03-04 -2.00 b") || len(rows) != len(before)+2 {
			t.Errorf("with a row of %s: %v", stray, rows)
		}
		c = b.claim(t, finance.ScopeTransactions)
		if from := must(b.LastMissed(t.Context(), c))(t); from != "" {
			t.Errorf("the next run must ask from %q", from)
		}
		check(t, b.Close())
	}
}

// Whatever else a run brings, it marks no row from before its period, and a run that brings its whole period leaves none of it marked.
func TestARunJudgesItsPeriodAlone(t *testing.T) {
	testkit.Unwatched(t)
	b := newBed(t)
	ctx := context.Background()
	day := func(n int) string { return string(openbanking.DateOf(time.Date(2026, 3, 1+n, 0, 0, 0, 0, time.UTC))) }
	rapid.Check(t, func(r *rapid.T) {
		u := b.user(t, finance.NewID())
		done, _ := b.link(t, u, "s", resource("h", "EUR", "uid"))
		user, account := u.ID, done.Accounts[0].Account.ID
		defer func() { check(t, b.EndConnection(ctx, user, done.ConnectionID, finance.ConnectionDisconnected)) }()
		var truth []finance.Entry
		for i := range rapid.IntRange(1, 20).Draw(r, "rows") {
			booked := rapid.IntRange(0, 28).Draw(r, "booked")
			made := max(0, booked-rapid.IntRange(0, 4).Draw(r, "made before"))
			truth = append(truth, dated(t, fmt.Sprintf("ref-%d", i), fmt.Sprintf("%d.00", i+1), day(made), day(booked)))
		}
		b.run(t, truth)
		later := func(e finance.Entry) openbanking.Date { return max(e.Date, e.BookingDate) }
		for range rapid.IntRange(1, 3).Draw(r, "runs") {
			from := openbanking.Date(day(rapid.IntRange(0, 28).Draw(r, "from")))
			var answer []finance.Entry
			for _, e := range truth {
				if later(e) >= from && rapid.IntRange(0, 4).Draw(r, "lacks") > 0 || later(e) < from && rapid.IntRange(0, 9).Draw(r, "besides") == 0 {
					answer = append(answer, e)
				}
			}
			for range rapid.IntRange(0, 2).Draw(r, "strays") {
				date := rapid.SampledFrom([]string{"1970-01-01", "2015-06-01", "2025-12-31", "2026-02-28"}).Draw(r, "stray")
				answer = append(answer, entry(t, "", "99.00", date, "stray"))
			}
			marked := b.marked(t, user, account)
			b.askFrom(t, from, answer...)
			for _, e := range truth {
				if name := e.Amount.String(); later(e) < from && b.marked(t, user, account)[name] && !marked[name] {
					r.Fatalf("asked from %s: the row of %s is marked", from, e.Date)
				}
			}
		}
		b.askFrom(t, "2026-03-01", truth...)
		if marked := b.marked(t, user, account); len(marked) > 0 {
			r.Fatalf("marked after a good run: %v", marked)
		}
	})
}

// marked returns the amounts of the rows that are marked as missing.
func (b *bed) marked(t testing.TB, user, account string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, row := range b.rows(t, user, account, 50) {
		if _, after, _ := strings.Cut(row, " "); strings.HasSuffix(row, "?") && !strings.Contains(row, "stray") {
			amount, _, _ := strings.Cut(after, " ")
			all[amount] = true
		}
	}
	return all
}

// Performance, Pages: a page is a range of one index, wherever it is.
func TestPageQueryUsesTheIndexAlone(t *testing.T) {
	b := newBed(t)
	for _, query := range []string{ofAccount.newest(rowColumns), ofAccount.oldest(ofAccount.key)} {
		plan := b.plan(t, query, "a", 0, 1, "u", 50)
		if !strings.Contains(plan, "INDEX booked_transaction_page (account_id=? AND sort_key>? AND sort_key<?)") || strings.Contains(plan, "TEMP B-TREE") ||
			strings.Contains(plan, "SCAN") {
			t.Errorf("%s:\n%s", query, plan)
		}
	}
}

func BenchmarkTransactionsPage(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			bed := newBed(b)
			user, account := bed.linked(b)
			bed.run(b, many(b, n)...)
			pages := []int64{Newest}
			for before := int64(Newest); len(pages) < 200; {
				page, more, err := bed.Find(b.Context(), user, search.InAccount(account), before, 50)
				check(b, err)
				if !more {
					break
				}
				before = page[len(page)-1].SortKey
				pages = append(pages, before)
			}
			b.ResetTimer()
			for i := range b.N {
				page, _, err := bed.Find(b.Context(), user, search.InAccount(account), pages[i%len(pages)], 50)
				if err != nil || len(page) == 0 {
					b.Fatal(len(page), err)
				}
			}
		})
	}
}

func BenchmarkImport(b *testing.B) {
	pages := many(b, 20_000)
	for name, again := range map[string]bool{"first": false, "again": true} {
		b.Run(name, func(b *testing.B) {
			var spent time.Duration
			for range b.N {
				bed := newBed(b)
				bed.linked(b)
				if again {
					bed.run(b, pages...)
				}
				start := time.Now()
				bed.run(b, pages...)
				spent += time.Since(start)
			}
			b.ReportMetric(20_000*float64(b.N)/spent.Seconds(), "rows/s")
		})
	}
}

// many makes n rows in pages of 500, newest first.
func many(t testing.TB, n int) [][]finance.Entry {
	start := time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC)
	var pages [][]finance.Entry
	for i := range n {
		if i%500 == 0 {
			pages = append(pages, make([]finance.Entry, 0, 500))
		}
		date := openbanking.DateOf(start.AddDate(0, 0, -i/20))
		e := entry(t, fmt.Sprintf("ref-%08d", i), fmt.Sprintf("%d.%02d", i%90+1, i%100), string(date), fmt.Sprintf("Payment %d to somebody", i))
		pages[len(pages)-1] = append(pages[len(pages)-1], e)
	}
	return pages
}
