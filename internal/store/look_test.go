package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// news returns what is new on an account: "2 new, 1 changed, 0 gone".
func (b *bed) news(t testing.TB, user, account string) string {
	t.Helper()
	n := must(b.News(t.Context(), user, account, time.Time{}))(t)
	all := must(b.AllNews(t.Context(), user))(t)
	if got := all[account]; got.Count() != n.Count() {
		t.Errorf("AllNews has %d rows of this account, News has %d", got.Count(), n.Count())
	}
	return fmt.Sprintf("%d new, %d changed, %d gone", len(n.New), len(n.Changed), len(n.Gone))
}

const noNews = "0 new, 0 changed, 0 gone"

// Rows of a first sync are not news, however many there are. Later new, changed and missing rows are reported until the person has looked. Edits by the person
// are not news.
func TestNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		b.beginHistory(t)
		ctx := t.Context()
		user, account := b.linked(t)
		later := func() { time.Sleep(2 * time.Hour) }
		tell := func(what, want string) {
			t.Helper()
			if got := b.news(t, user, account); got != want {
				t.Errorf("%s: %s, want %s", what, got, want)
			}
		}
		tell("before the first sync", noNews)
		old, text := entry(t, "R0", "1.00", "2026-02-20", "old"), func(s string) finance.Entry { return entry(t, "R2", "5.00", "2026-03-03", s) }
		gone, last := entry(t, "R3", "3.00", "2026-03-04", "gone"), entry(t, "R9", "9.00", "2026-03-09", "last")
		var first []finance.Entry
		for _, page := range many(t, 1500) {
			for _, e := range page {
				if e.Date < "2026-02-20" {
					first = append(first, e)
				}
			}
		}
		b.runUnchecked(t, append([]finance.Entry{last, gone, text("one"), old}, first...))
		tell("after the first sync", noNews)
		later()
		fresh := entry(t, "R10", "7.00", "2026-03-10", "fresh")
		b.runUnchecked(t, append([]finance.Entry{fresh, last, text("two"), old}, first...))
		tell("after the second", "1 new, 1 changed, 1 gone")
		n := must(b.News(ctx, user, account, time.Time{}))(t)
		if n.New[0].Remittance != "fresh" || n.Changed[0].Was.Remittance != "one" || n.Changed[0].Is.Remittance != "two" || n.Gone[0].Was.Remittance != "gone" {
			t.Errorf("the news are %+v", n)
		}
		later()
		b.runUnchecked(t, append([]finance.Entry{fresh, last, gone, text("one"), old}, first...)) // everything is as before, except the new row
		tell("what was taken back", "1 new, 0 changed, 0 gone")
		later()
		b.runUnchecked(t, append([]finance.Entry{fresh, last, text("three"), old}, first...))
		tell("changed twice", "1 new, 1 changed, 1 gone")

		n = must(b.News(ctx, user, account, time.Time{}))(t)
		since := must(b.Look(ctx, user, account, n.Until))(t)
		if since != n.Since {
			t.Errorf("looked since %s, want the start of the news, %s", since, n.Since)
		}
		tell("after a look", noNews)
		if again := must(b.News(ctx, user, account, since))(t); again.Count() != 3 {
			t.Errorf("the list that was opened has %d rows", again.Count())
		}
		must(b.Look(ctx, user, account, since))(t)
		tell("after an earlier look", noNews)
		later()
		b.runUnchecked(t, append([]finance.Entry{fresh, last, gone, text("three"), old}, first...))
		tell("listed again", "0 new, 1 changed, 0 gone")
		must(b.Look(ctx, user, account, time.Now().Add(1000*time.Hour)))(t) // as with a clock that is ahead
		later()
		same := entry(t, "R11", "9.00", "2026-03-09", "last again")
		b.runUnchecked(t, append([]finance.Entry{fresh, same, last, gone, text("three"), old}, first...))
		tell("after a look from ahead", "1 new, 0 changed, 0 gone")
		must(b.Merge(ctx, user, b.id(t, user, "last"), b.id(t, user, "last again")))(t)
		tell("merged", noNews)
	})
}

// However much is new, and however large the account is, only a limited number of rows is read: those stored last, listed by date.
func TestNewsAreThoseStoredLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		b.beginHistory(t)
		user, account := b.linked(t)
		all := many(t, 2*finance.MaxNews)
		oldest := all[1][finance.MaxNews-1]
		b.runUnchecked(t, []finance.Entry{oldest})
		time.Sleep(2 * time.Hour)
		all[1] = all[1][:finance.MaxNews-1]
		b.runUnchecked(t, append(all[0], append(all[1], oldest)...))
		time.Sleep(2 * time.Hour)
		late := []finance.Entry{entry(t, "L1", "1.00", "2026-12-31", "late, and the newest"), entry(t, "L2", "2.00", string(oldest.Date), "late, and among the oldest")}
		b.runUnchecked(t, append(late, append(all[0], append(all[1], oldest)...)...))

		news := must(b.News(t.Context(), user, account, time.Time{}))(t).New
		if len(news) != finance.MaxNews {
			t.Fatalf("the news have %d rows", len(news))
		}
		for _, e := range late {
			if !slices.ContainsFunc(news, func(row finance.TransactionRow) bool { return row.Remittance == e.Remittance }) {
				t.Errorf("%q is not in the news", e.Remittance)
			}
		}
		if !slices.IsSortedFunc(news, func(a, b finance.TransactionRow) int { return cmp.Compare(b.SortKey, a.SortKey) }) {
			t.Error("the news are not in the order of the account")
		}
		if last := news[len(news)-1].Remittance; last != late[1].Remittance {
			t.Errorf("the last one is %q: of rows stored together, the newest must be in the news", last)
		}

		must(b.Look(t.Context(), user, account, time.Time{}))(t)
		time.Sleep(2 * time.Hour)
		before := append(all[0], append(all[1], oldest)...)
		again := func(i int) finance.Entry {
			return entry(t, fmt.Sprintf("ref-%08d", i), before[i].Amount.Abs().String(), string(before[i].Date), "changed")
		}
		var after []finance.Entry
		for i := range before[1:] { // all but the oldest row are changed, and that one two hours later
			after = append(after, again(i))
		}
		b.runUnchecked(t, append(late, append(after, oldest)...))
		time.Sleep(2 * time.Hour)
		b.runUnchecked(t, append(late, append(after, again(len(after)))...))
		changed := must(b.News(t.Context(), user, account, time.Time{}))(t).Changed
		if len(changed) != finance.MaxNews || changed[len(changed)-1].Was.Remittance != oldest.Remittance {
			t.Errorf("the news have %d changed rows, possibly without the one that changed last", len(changed))
		}
		if !slices.IsSortedFunc(changed, func(a, b finance.RowChange) int { return cmp.Compare(b.Was.SortKey, a.Was.SortKey) }) {
			t.Error("the changed rows are not in the order of the account")
		}
	})
	b := newBed(t)
	for query, first := range map[string]string{newQuery: "arrival USING PRIMARY KEY (account_id=? AND arrived>?)",
		changedQuery: "v USING INDEX transaction_version_account (account_id=? AND until>?)"} {
		plan := b.plan(t, query, "a", "u", sqlite.At(time.Now()), 0, 1)
		if !strings.Contains(plan, first) || !strings.Contains(plan, "SEARCH t USING INTEGER PRIMARY KEY") || strings.Contains(plan, "TEMP B-TREE") {
			t.Error(plan)
		}
	}
}

// Each person of a household has their own mark of what they have seen. People who see only balances, or nothing any more, get no news.
func TestNewsOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		b.beginHistory(t)
		ctx := t.Context()
		owner, reader, stranger := b.user(t, "a@example.org").ID, b.user(t, "b@example.org").ID, b.user(t, "c@example.org").ID
		wallet := b.manual(t, owner, finance.SourceManual, euro(t, "2026-03-01", "100.00"))
		share := func(level finance.ShareLevel) {
			t.Helper()
			must(b.Share(ctx, owner, wallet, []finance.Share{{ReaderID: reader, Level: level}}))(t)
		}
		row := func(text string) int64 {
			t.Helper()
			time.Sleep(2 * time.Hour)
			return must(b.AddRow(ctx, owner, wallet, written(t, "2026-03-02", "-3.50", "Café Sole", text)))(t)
		}
		share(finance.ShareEverything)
		espresso := row("espresso")
		if got := b.news(t, reader, wallet); got != noNews {
			t.Errorf("before the first look: %s", got)
		}
		must(b.Look(ctx, reader, wallet, time.Time{}))(t)
		row("latte")
		must(b.ChangeRow(ctx, owner, wallet, espresso, written(t, "2026-03-02", "-4.50", "Café Sole", "espresso")))(t)
		if got := b.news(t, reader, wallet); got != "1 new, 1 changed, 0 gone" {
			t.Errorf("the reader's news: %s", got)
		}
		check(t, b.DeleteRow(ctx, owner, wallet, espresso))
		if got := b.news(t, reader, wallet); got != "1 new, 0 changed, 1 gone" {
			t.Errorf("after a deletion the reader's news: %s", got)
		}
		if got := b.news(t, owner, wallet); got != noNews {
			t.Errorf("the news of the owner, who did it: %s", got)
		}
		must(b.Look(ctx, owner, wallet, time.Time{}))(t)
		if got := b.news(t, reader, wallet); got != "1 new, 0 changed, 1 gone" {
			t.Errorf("after a look of the owner the reader's news: %s", got)
		}
		for _, level := range []finance.ShareLevel{finance.ShareBalances, finance.ShareNothing} {
			share(level)
			_, err := b.News(ctx, reader, wallet, time.Time{})
			_, looked := b.Look(ctx, reader, wallet, time.Time{})
			if all := must(b.AllNews(ctx, reader))(t); !errors.Is(err, finance.ErrNotFound) || !errors.Is(looked, finance.ErrNotFound) || len(all) != 0 {
				t.Errorf("with %s: %v, %v, %v", level, err, looked, all)
			}
		}
		if _, err := b.News(ctx, stranger, wallet, time.Time{}); !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("a stranger: %v", err)
		}
		if _, err := b.Known(ctx, reader, wallet, time.Now(), knownMonth, NewestKnown, 10); !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("the past of somebody else's account: %v", err)
		}
	})
}

// A bank that changes the text of a row at each fetch causes one version a day. A bank that changes the references at each fetch causes none.
func TestFormerStatesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t)
		b.beginHistory(t)
		b.linked(t)
		versions := func() (n, bytes int) {
			err := b.db.Read().QueryRowContext(t.Context(), `SELECT COUNT(*), (SELECT SUM(pgsize) FROM dbstat WHERE name LIKE 'transaction_version%') FROM transaction_version`).
				Scan(&n, &bytes)
			check(t, err)
			return n, bytes
		}
		const days, rows = 5, 40
		run := func(reference, text string) {
			var entries []finance.Entry
			for i := range rows {
				entries = append(entries, entry(t, fmt.Sprintf("%s%d", reference, i), fmt.Sprintf("%d.00", i+1), fmt.Sprintf("2026-03-%02d", 28-i/2), text))
			}
			b.runUnchecked(t, entries)
			time.Sleep(2 * time.Hour)
		}
		run("R", "as it was on the day of the first fetch of this transaction from the bank")
		for i := range days * 12 {
			run("R", fmt.Sprintf("as it was when it was fetched %d times, in the words of the bank", i))
		}
		n, bytes := versions()
		if n > (days+1)*rows || n < days*rows {
			t.Errorf("%d rows whose text changed 12 times a day have %d versions after %d days", rows, n, days)
		}
		t.Logf("%d bytes for a version", bytes/n)
		for i := range days {
			run(fmt.Sprintf("X%d-", i), "in the words of the bank")
		}
		if again, _ := versions(); again > n+2*rows {
			t.Errorf("new references alone made %d versions", again-n)
		}
	})
}

// Statements that change or delete a booked row must keep its former state: each such statement is listed here, because the code around it calls keepRows.
func TestWhatChangesRowsKeepsThem(t *testing.T) {
	known := []string{
		"SET seen_run = ?, missing_since = NULL", "SET missing_since = ?", "SET sort_key = $1, content = $2", "SET sort_key = $1, ordinal", "SET (identity, ordinal, reference",
		"SET sort_key = -sort_key", "SET identity = $1, ordinal = $2, reference = $3, minor", "DELETE FROM booked_transaction WHERE id = $1 AND account_id = $2",
		// These statements change no column that a version contains.
		"SET identity = $1, reference = $2, content", "SET reviewed", "SET category_id", "SET category_by", "SET (category_id", "SET (reviewed",
	}
	for _, text := range statements(t) {
		if !strings.Contains(text, "UPDATE booked_transaction") && !strings.Contains(text, "DELETE FROM booked_transaction") {
			continue
		}
		found := false
		for _, part := range known {
			found = found || strings.Contains(text, part)
		}
		if !found {
			t.Errorf("this statement changes rows, and is not listed as one that keeps their former state: %s", text)
		}
	}
}
