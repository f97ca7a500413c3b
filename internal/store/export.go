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
	err = s.db.Snapshot(ctx, func(at sqlite.Snapshot) error {
		m, err := matchOf(ctx, at, userID, query)
		if err != nil || m.nothing() {
			return err
		}
		page, err = collect(ctx, at, scanExported, exportQuery, m.text, m.low, min(m.high, before), userID, limit)
		return err
	})
	if len(page) > limit {
		return page[:limit], true, err
	}
	return page, false, err
}

const exportQuery = `SELECT ` + rowColumns + `, t.account_id, t.booking_date, t.value_date, t.transaction_date, t.counterparty_account, t.first_seen, t.identity, t.ordinal,
		COALESCE(json_extract(r.original, '$.entry_reference'), '')
	FROM transaction_search found CROSS JOIN booked_transaction t ON t.sort_key = found.rowid JOIN transaction_record r ON r.transaction_id = t.id
	WHERE transaction_search MATCH $1 AND found.rowid >= $2 AND found.rowid < $3 AND EXISTS (SELECT 1 FROM account a WHERE a.id = t.account_id AND a.user_id = $4)
	ORDER BY found.rowid DESC LIMIT $5 + 1`

func scanExported(row scanner) (r finance.ExportedRow, err error) {
	var first sqlite.Time
	var identity string
	var ordinal int64
	err = scanRow(row, &r.TransactionRow, &r.AccountID, &r.BookingDate, &r.ValueDate, &r.TransactionDate, &r.CounterpartyAccount, &first, &identity, &ordinal,
		&r.Reference)
	r.FirstSeen, r.StableID = first.Time, identity+"-"+strconv.FormatInt(ordinal, 10)
	return r, err
}
