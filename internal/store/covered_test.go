package store

import (
	"testing"

	"florin/internal/finance"
	"florin/internal/openbanking"
)

// dated returns a card payment that was made on one day and booked on a later one.
func dated(t testing.TB, reference, amount, made, booked string) finance.Entry {
	t.Helper()
	m, b := openbanking.Date(made), openbanking.Date(booked)
	return read(t, openbanking.Transaction{EntryReference: &reference, TransactionAmount: openbanking.AmountType{Currency: "EUR", Amount: amount},
		CreditDebitIndicator: "DBIT", Status: "BOOK", TransactionDate: &m, BookingDate: &b, RemittanceInformation: []string{"card"}})
}

// A bank that cuts a listing by the booking date leaves out rows that are shown under later days than the oldest row it brings: they are not marked as missing.
// A row all of whose dates are within the listing is marked when it did not come.
func TestRowsBeforeTheListingAreNotGone(t *testing.T) {
	b := newBed(t)
	user, account := b.linked(t)
	monday, slow, old := dated(t, "R5", "5.00", "2026-03-09", "2026-03-09"), dated(t, "R4", "4.00", "2026-03-04", "2026-03-10"),
		dated(t, "R3", "3.00", "2026-03-05", "2026-03-09")
	gone, last := dated(t, "R6", "6.00", "2026-03-11", "2026-03-12"), dated(t, "R7", "7.00", "2026-03-12", "2026-03-12")
	b.run(t, []finance.Entry{last, gone, slow, monday, old})
	b.run(t, []finance.Entry{last, slow}) // like a listing from date_from=2026-03-10, by the booking date
	equal(t, b.rows(t, user, account, 10), "2026-03-12 -7.00 card", "2026-03-11 -6.00 card?", "2026-03-09 -5.00 card", "2026-03-05 -3.00 card",
		"2026-03-04 -4.00 card")
	b.run(t, []finance.Entry{last, gone, monday}) // like a listing from 2026-03-09, by the transaction date
	equal(t, b.rows(t, user, account, 10), "2026-03-12 -7.00 card", "2026-03-11 -6.00 card", "2026-03-09 -5.00 card", "2026-03-05 -3.00 card",
		"2026-03-04 -4.00 card")
}

// api-notes 10: references that a bank makes up at each fetch do not double a row, not even on the oldest day of a listing.
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
