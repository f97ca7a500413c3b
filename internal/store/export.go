package store

import (
	"context"
	"strconv"

	"florin/internal/finance"
	"florin/internal/search"
	"florin/internal/sqlite"
)

// Exported is Find with all that an export writes of a row.
func (s *Store) Exported(ctx context.Context, userID string, query search.Query, before int64, limit int) (page []finance.ExportedRow, more bool, err error) {
	defer doing("read transactions for an export", &err)
	m, err := s.matchOf(ctx, userID, query)
	if err != nil || m.nothing() {
		return nil, false, err
	}
	page, err = collect(ctx, s.db.Read(), scanExported, m.in.newest(exportedColumns), m.what, m.low, min(m.high, before), userID, limit)
	if len(page) > limit {
		return page[:limit], true, err
	}
	return page, false, err
}

const exportedColumns = rowColumns + `, t.account_id, t.booking_date, t.value_date, t.transaction_date, t.counterparty_account, t.first_seen, t.identity, t.ordinal,
	COALESCE((SELECT json_extract(r.original, '$.entry_reference') FROM transaction_record r WHERE r.transaction_id = t.id), '')`

func scanExported(row scanner) (r finance.ExportedRow, err error) {
	var first sqlite.Time
	var identity string
	var ordinal int64
	err = scanRow(row, &r.TransactionRow, &r.AccountID, &r.BookingDate, &r.ValueDate, &r.TransactionDate, &r.CounterpartyAccount, &first, &identity, &ordinal,
		&r.Reference)
	r.FirstSeen, r.StableID = first.Time, identity+"-"+strconv.FormatInt(ordinal, 10)
	return r, err
}
