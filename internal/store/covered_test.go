package store

import (
	"testing"

	"florin/internal/finance"
	"florin/internal/openbanking"
)

// dated is a card payment: made on one day, booked on a later one.
func dated(t testing.TB, reference, amount, made, booked string) finance.Entry {
	t.Helper()
	m, b := openbanking.Date(made), openbanking.Date(booked)
	return read(t, openbanking.Transaction{EntryReference: &reference, TransactionAmount: openbanking.AmountType{Currency: "EUR", Amount: amount},
		CreditDebitIndicator: "DBIT", Status: "BOOK", TransactionDate: &m, BookingDate: &b, RemittanceInformation: []string{"card"}})
}

// A bank that cuts a listing by the booking date leaves out rows that are shown under later days than the oldest row it brings: they are not
// gone. What lies within the listing by each of its dates, and did not come, is.
func TestRowsBeforeTheListingAreNotGone(t *testing.T) {
	b := newBed(t)
	user, account := b.linked(t)
	monday, slow, old := dated(t, "R5", "5.00", "2026-03-09", "2026-03-09"), dated(t, "R4", "4.00", "2026-03-04", "2026-03-10"),
		dated(t, "R3", "3.00", "2026-03-05", "2026-03-09")
	gone, last := dated(t, "R6", "6.00", "2026-03-11", "2026-03-12"), dated(t, "R7", "7.00", "2026-03-12", "2026-03-12")
	b.run(t, []finance.Entry{last, gone, slow, monday, old})
	b.run(t, []finance.Entry{last, slow}) // as from date_from=2026-03-10, by the booking date
	equal(t, b.rows(t, user, account, 10), "2026-03-12 -7.00 card", "2026-03-11 -6.00 card?", "2026-03-09 -5.00 card", "2026-03-05 -3.00 card",
		"2026-03-04 -4.00 card")
	b.run(t, []finance.Entry{last, gone, monday}) // by the transaction date, from 2026-03-09
	equal(t, b.rows(t, user, account, 10), "2026-03-12 -7.00 card", "2026-03-11 -6.00 card", "2026-03-09 -5.00 card", "2026-03-05 -3.00 card",
		"2026-03-04 -4.00 card")
}

// api-notes 10: references made up at each fetch make no second row, not even of the oldest day of a listing.
func TestNewReferencesOnTheOldestDay(t *testing.T) {
	b := newBed(t)
	user, account := b.linked(t)
	b.run(t, []finance.Entry{dated(t, "A1", "3.00", "2026-03-12", "2026-03-12"), dated(t, "A2", "2.00", "2026-03-08", "2026-03-10"),
		dated(t, "A3", "1.00", "2026-03-01", "2026-03-01")})
	b.run(t, []finance.Entry{dated(t, "B1", "3.00", "2026-03-12", "2026-03-12"), dated(t, "B2", "2.00", "2026-03-08", "2026-03-10")})
	equal(t, b.rows(t, user, account, 10), "2026-03-12 -3.00 card", "2026-03-08 -2.00 card", "2026-03-01 -1.00 card")
	if a := must(b.Account(t.Context(), user, account))(t); a.Transactions != 3 {
		t.Errorf("%d rows are counted", a.Transactions)
	}
}
