package store

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"florin/internal/completeness"
	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
)

// ago returns the day that was this number of days ago.
func ago(days int) openbanking.Date { return openbanking.DateOf(time.Now().AddDate(0, 0, -days)) }

// readBalance syncs the balances: one closing booked balance of a day.
func (b *bed) readBalance(t testing.TB, account string, day openbanking.Date, minor int64) {
	t.Helper()
	b.readBalances(t, finance.Balance{AccountID: account, Type: openbanking.BalanceStatusCLBD, Amount: money.FromMinor(minor, "EUR"), Reference: day,
		Fetched: time.Now()})
}

func (b *bed) readBalances(t testing.TB, list ...finance.Balance) {
	t.Helper()
	b.exec(t, `UPDATE sync_task SET next_attempt_at = '2000-01-01T00:00:00.000Z' WHERE scope = 'balances'`)
	check(t, b.FinishBalances(t.Context(), b.claim(t, finance.ScopeBalances), list, time.Now().Add(time.Hour)))
}

// Each day the bank's balance is the earlier one plus the bookings since. A row that the bank loses, and one that it sends twice, is found the day after, with
// its day.
func TestCompleteness(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	user, account := b.linked(t)
	stranger := b.user(t, "b@example.org").ID
	var rows []finance.Entry // newest first
	balance := int64(500_00)
	book := func(reference, amount, text string, minor int64, day openbanking.Date) finance.Entry {
		e := entry(t, reference, amount, string(day), text)
		balance -= minor
		rows = append([]finance.Entry{e}, rows...)
		return e
	}
	sync := func(day openbanking.Date) {
		t.Helper()
		b.only(t, account)
		b.run(t, rows)
		b.readBalance(t, account, day, balance)
	}
	is := func(want completeness.Verdict, cause completeness.Cause, row string) {
		t.Helper()
		got := must(b.Completeness(ctx, user, account))(t)
		if !reflect.DeepEqual(got.Verdict, want) || got.Cause != cause || got.Row.Remittance != row || !got.Provable {
			t.Errorf("%+v\nwant %+v, %d, %q", got, want, cause, row)
		}
	}
	if got := must(b.Completeness(ctx, user, account))(t); !reflect.DeepEqual(got, Completeness{}) {
		t.Errorf("nothing was read: %+v", got)
	}
	if _, err := b.Completeness(ctx, stranger, account); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("a stranger: %v", err)
	}

	for i := range 20 { // the history
		book(fmt.Sprintf("H%d", i), "1.00", "history", 100, ago(60-i))
	}
	book("A", "12.30", "lunch", 1230, ago(9))
	sync(ago(9))
	is(completeness.Verdict{}, 0, "")
	sync(ago(9))
	is(completeness.Verdict{Since: ago(9), Until: ago(9)}, 0, "")
	book("B", "7.00", "evening", 700, ago(9)) // booked later on the same day
	book("C", "4.20", "bakery", 420, ago(8))
	sync(ago(8))
	is(completeness.Verdict{Since: ago(9), Until: ago(8)}, 0, "")
	for range 3 {
		sync(ago(8))
	}
	if n := b.number(t, `SELECT COUNT(*) FROM balance_reading`); n != 4 {
		t.Errorf("%d readings of two days are kept", n)
	}

	book("D", "9.90", "books", 990, ago(7))
	lost := book("E", "3.50", "coffee", 350, ago(7))
	sync(ago(7))
	is(completeness.Verdict{Since: ago(9), Until: ago(7)}, 0, "")
	rows = rows[1:] // the bank no longer lists the coffee, but its balance includes it
	sync(ago(6))
	book("F", "6.00", "cinema", 600, ago(5))
	sync(ago(5))
	breaks := []completeness.Break{{After: ago(8), Day: ago(7), Difference: lost.Amount}}
	is(completeness.Verdict{Since: ago(7), Until: ago(5), Breaks: breaks}, completeness.Missing, "coffee")
	rows = append([]finance.Entry{rows[0], lost}, rows[1:]...) // the bank lists it again
	sync(ago(5))
	is(completeness.Verdict{Since: ago(9), Until: ago(5)}, 0, "")

	twice := book("G", "8.00", "market", 800, ago(4))
	rows = append([]finance.Entry{entry(t, "G2", "8.00", string(ago(4)), "market")}, rows...)
	sync(ago(4))
	is(completeness.Verdict{Since: ago(9), Until: ago(5), Open: &completeness.Break{After: ago(5), Day: ago(4), Difference: money.FromMinor(800, "EUR")}}, 0, "")
	sync(ago(3))
	is(completeness.Verdict{Since: ago(4), Until: ago(3), Breaks: []completeness.Break{{After: ago(5), Day: ago(4), Difference: money.FromMinor(800, "EUR")}}},
		completeness.Doubled, "market")
	first, second := b.pairOf(t, user, account, twice.Amount)
	must(b.Merge(ctx, user, first, second))(t) // the person merges them
	is(completeness.Verdict{Since: ago(9), Until: ago(3)}, 0, "")

	// Rows from before the first reading prove nothing, and neither does the balance of a bank that gives only the available balance.
	b.only(t, account)
	b.run(t, append(append([]finance.Entry{}, rows...), entry(t, "OLD", "700.00", string(ago(300)), "old")))
	is(completeness.Verdict{Since: ago(9), Until: ago(3)}, 0, "")
	b.readBalances(t, finance.Balance{AccountID: account, Type: openbanking.BalanceStatusITAV, Amount: money.FromMinor(99, "EUR"), Fetched: time.Now()})
	if got := must(b.Completeness(ctx, user, account))(t); got.Provable || got.Until != ago(3) {
		t.Errorf("without a booked balance: %+v", got)
	}
}

// pairOf returns the ids of two rows of an account with the same amount.
func (b *bed) pairOf(t testing.TB, user, account string, amount money.Amount) (first, second int64) {
	t.Helper()
	for _, r := range b.all(t, user, search.InAccount(account), 50) {
		if r.Amount == amount {
			first, second = second, r.ID
		}
	}
	return first, second
}

// Banks that date only some of their rows, rows from a file, and balances of a past day.
func TestCompletenessOfOtherBanks(t *testing.T) {
	undated := func(t *testing.T, reference, amount, day string) finance.Entry {
		d := openbanking.Date(day)
		return read(t, openbanking.Transaction{TransactionAmount: openbanking.AmountType{Currency: "EUR", Amount: amount}, CreditDebitIndicator: "DBIT", Status: "BOOK",
			EntryReference: &reference, TransactionDate: &d})
	}
	t.Run("rows with a transaction date alone", func(t *testing.T) {
		b := newBed(t)
		user, account := b.linked(t)
		rows := []finance.Entry{undated(t, "A", "1.00", string(ago(9)))}
		b.run(t, rows)
		b.readBalance(t, account, ago(9), 100_00)
		rows = append([]finance.Entry{undated(t, "B", "5.00", string(ago(11)))}, rows...) // paid two days before, booked now
		b.only(t, account)
		b.run(t, rows)
		b.readBalance(t, account, ago(8), 95_00)
		if got := must(b.Completeness(t.Context(), user, account))(t); got.Until != ago(8) || len(got.Breaks) > 0 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a row that is listed after the day on which it is in the balance, as the readings begin with that", func(t *testing.T) {
		b := newBed(t)
		user, account := b.linked(t)
		rows := []finance.Entry{entry(t, "A", "1.00", string(ago(10)), "x")}
		for _, day := range []int{9, 9, 8, 7} {
			if day == 8 {
				rows = append([]finance.Entry{entry(t, "B", "5.00", string(ago(9)), "late")}, rows...)
			}
			b.only(t, account)
			b.run(t, rows)
			b.readBalance(t, account, ago(day), 95_00)
		}
		if got := must(b.Completeness(t.Context(), user, account))(t); got.Since != ago(9) || got.Until != ago(7) || len(got.Breaks) > 0 || got.Open != nil {
			t.Errorf("%+v", got)
		}
	})
	t.Run("opening balances", func(t *testing.T) {
		b := newBed(t)
		user, account := b.linked(t)
		of := func(kind openbanking.BalanceStatus, day openbanking.Date, minor int64) finance.Balance {
			return finance.Balance{AccountID: account, Type: kind, Amount: money.FromMinor(minor, "EUR"), Reference: day, Fetched: time.Now()}
		}
		b.run(t, []finance.Entry{entry(t, "B", "5.00", string(ago(3)), "today"), entry(t, "A", "1.00", string(ago(4)), "before")})
		b.readBalances(t, of(openbanking.BalanceStatusCLBD, ago(3), 95_00), of(openbanking.BalanceStatusOPBD, ago(3), 100_00))
		if got := must(b.Completeness(t.Context(), user, account))(t); got.Since != ago(4) || got.Until != ago(3) {
			t.Errorf("one answer with two balances: %+v", got)
		}
	})
	t.Run("a date of the year 9999, and one of long ago", func(t *testing.T) {
		b := newBed(t)
		user, account := b.linked(t)
		b.run(t, []finance.Entry{entry(t, "A", "1.00", string(ago(3)), "x")})
		b.readBalance(t, account, "2019-01-01", 7)
		b.readBalance(t, account, "9999-12-31", 7)
		got := must(b.Completeness(t.Context(), user, account))(t)
		if got.Until != "" || b.number(t, `SELECT COUNT(*) FROM balance_reading WHERE day BETWEEN '2026-01-01' AND '2999-12-31'`) != 1 || b.number(t, `SELECT COUNT(*) FROM balance_reading`) != 1 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("balances that contradict the rows", func(t *testing.T) {
		b := newBed(t)
		user, account := b.linked(t)
		for i := range 5 {
			b.only(t, account)
			b.run(t, []finance.Entry{entry(t, "A", "1.00", string(ago(20)), "x")})
			b.readBalance(t, account, ago(5-i), int64(i*i*777))
		}
		got := must(b.Completeness(t.Context(), user, account))(t)
		equal(t, b.rows(t, user, account, 10), fmt.Sprintf("%s -1.00 x", ago(20)))
		if got.Until != "" || got.Since != "" {
			t.Errorf("%+v", got)
		}
	})
}

// number returns the only value of a query.
func (b *bed) number(t testing.TB, query string) (n int) {
	t.Helper()
	check(t, b.db.Read().QueryRowContext(t.Context(), query).Scan(&n))
	return n
}
