package sandbox

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
	"florin/internal/testkit"
)

func mammoth(t testing.TB, rows int) *account {
	t.Helper()
	for _, a := range bankNamed(t, builtInBanks(), "NL", "Mammoth").accounts {
		if a.data.Transactions == rows {
			return a
		}
	}
	t.Fatalf("no account with %d rows", rows)
	return nil
}

func TestArchiveHasExactlyItsRows(t *testing.T) {
	testkit.Unwatched(t)
	for _, n := range []int{1000, 10000, 100000} {
		a := mammoth(t, n)
		seen := map[string]bool{}
		rows := whole(t, a, longest, testToday)
		var sum int64
		for i, row := range rows {
			if seen[*row.EntryReference] {
				t.Fatalf("%d: %s is there twice", n, *row.EntryReference)
			}
			seen[*row.EntryReference] = true
			sum += signed(t, row)
			if i > 0 && *row.BookingDate > *rows[i-1].BookingDate {
				t.Fatalf("%d: not newest first", n)
			}
		}
		if len(rows) != n {
			t.Errorf("%d rows, want %d", len(rows), n)
		}
		if newest := *rows[0].BookingDate; newest < (testToday - 2).date() {
			t.Errorf("%d: the newest row is of %s", n, newest)
		}
		// The balance is what was there before the oldest row, and all rows.
		oldest := rows[n-1]
		closing := a.balances(testToday.end())[0]
		if before := parseMinor(t, *oldest.BalanceAfterTransaction) - signed(t, oldest); closing.BalanceAmount != a.amount(before+sum) {
			t.Errorf("%d: balance %s, the rows say %s", n, closing.BalanceAmount.Amount, a.amount(before+sum).Amount)
		}
	}
}

func parseMinor(t testing.TB, amount openbanking.AmountType) int64 {
	t.Helper()
	row := openbanking.Transaction{TransactionAmount: amount, CreditDebitIndicator: openbanking.CreditDebitIndicatorCRDT}
	if amount.Amount[0] == '-' {
		row.TransactionAmount.Amount = amount.Amount[1:]
		row.CreditDebitIndicator = openbanking.CreditDebitIndicatorDBIT
	}
	return signed(t, row)
}

func TestArchiveMakesTheLastOfAMillionRowsWithoutTheOthers(t *testing.T) {
	a := mammoth(t, 1_000_000)
	query := aggregator.TransactionQuery{Strategy: openbanking.TransactionsFetchStrategyLongest, Cursor: cursor{testToday.end(), 999_500}.String()}
	page, err := a.page(query, testToday.end())
	if err != nil || len(page.Transactions) != 500 || page.Next != "" {
		t.Fatalf("%d rows, next %q, %v", len(page.Transactions), page.Next, err)
	}
}

// Rows stay the same as days pass; each new day adds some and as many leave at the other end.
func TestArchiveMovesOn(t *testing.T) {
	a := mammoth(t, 10000)
	since := func(today day) map[string]openbanking.Transaction {
		rows := map[string]openbanking.Transaction{}
		for _, row := range whole(t, a, aggregator.TransactionQuery{DateFrom: (testToday - 5).date()}, today) {
			rows[*row.EntryReference] = row
		}
		return rows
	}
	early, late := since(testToday), since(testToday+2)
	if len(early) == 0 || len(late) <= len(early) {
		t.Fatalf("%d rows, two days later %d", len(early), len(late))
	}
	for reference, row := range early {
		if !reflect.DeepEqual(row, late[reference]) {
			t.Fatalf("%s changed", reference)
		}
	}
}

func TestArchiveDateFiltersAgreeWithLookingAtEveryRow(t *testing.T) {
	a := mammoth(t, 1000)
	all := whole(t, a, longest, testToday)
	rapid.Check(t, func(t *rapid.T) {
		from := testToday - day(rapid.IntRange(0, 1000).Draw(t, "from"))
		to := from + day(rapid.IntRange(0, 1000).Draw(t, "length"))
		query := aggregator.TransactionQuery{DateFrom: from.date(), DateTo: to.date(),
			Status: rapid.SampledFrom([]openbanking.TransactionStatus{"", "BOOK", "PDNG"}).Draw(t, "status")}
		want := slices.DeleteFunc(slices.Clone(all), func(row openbanking.Transaction) bool {
			return *row.BookingDate < from.date() || *row.BookingDate > to.date() || query.Status == openbanking.TransactionStatusPDNG
		})
		if got := whole(t, a, query, testToday); len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("%d rows, want %d", len(got), len(want))
		}
	})
}

// BenchmarkMammothPage is one page of 500 rows in the middle of a million.
func BenchmarkMammothPage(b *testing.B) {
	a := mammoth(b, 1_000_000)
	query := aggregator.TransactionQuery{Strategy: openbanking.TransactionsFetchStrategyLongest, Cursor: cursor{testToday.end(), 500_000}.String()}
	for b.Loop() {
		if page, err := a.page(query, testToday.end()); err != nil || len(page.Transactions) != 500 {
			b.Fatal(err)
		}
	}
}

// BenchmarkFirstPage is a page of an account whose ledgers are cached; BenchmarkLedgers writes the ledgers of a bank.
func BenchmarkFirstPage(b *testing.B) {
	s := builtInBanks()
	a := bankNamed(b, s, "DE", "Seebrücke Bank").accounts[0]
	for b.Loop() {
		if _, err := a.page(aggregator.TransactionQuery{}, testToday.end()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLedgers(b *testing.B) {
	s := builtInBanks()
	bank := bankNamed(b, s, "DE", "Seebrücke Bank")
	for b.Loop() {
		newBankLedgers(bank).write(testToday)
	}
}
