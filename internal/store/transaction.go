package store

import (
	"context"
	"encoding/json"
	"math"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

const rowColumns = `t.id, t.sort_key, t.minor, t.currency, t.display_date, t.counterparty, t.remittance, t.kind, t.missing_since IS NOT NULL, t.reviewed,
	COALESCE(t.category_id, ''), t.category_by, COALESCE(` + splitColumn + `, '')`

// transactionRow is rowColumns as they are read.
type transactionRow struct {
	finance.TransactionRow
	minor          int64
	currency, date string
	split          string
}

func (r *transactionRow) fields() []any {
	return []any{&r.ID, &r.SortKey, &r.minor, &r.currency, &r.date, &r.Counterparty, &r.Remittance, &r.Kind, &r.Missing, &r.Reviewed, &r.Category, &r.CategoryBy,
		&r.split}
}

func (r *transactionRow) row() finance.TransactionRow {
	r.Amount, r.Date, r.Split = money.FromMinor(r.minor, r.currency), openbanking.Date(r.date), splitOf(r.split)
	return r.TransactionRow
}

// scanRow reads rowColumns, and what follows them into more.
func scanRow(row scanner, t *finance.TransactionRow, more ...any) error {
	var r transactionRow
	err := row.Scan(append(r.fields(), more...)...)
	*t = r.row()
	return err
}

// Newest is the sort key from which the first page starts.
const Newest = math.MaxInt64

// Transactions returns one page of the booked rows of an account of the user, newest first: at most limit rows whose sort key is below before (Newest
// for the first page), and whether there are more. The next page starts before the last row's sort key. Every page takes the same time, however far
// down the list it is. Another user's account has no rows.
func (s *Store) Transactions(ctx context.Context, userID, accountID string, before int64, limit int) (page []finance.TransactionRow, more bool, err error) {
	defer doing("read transactions", &err)
	rows, err := s.db.Read().QueryContext(ctx, `SELECT `+rowColumns+` FROM booked_transaction t
		WHERE t.account_id = $1 AND t.sort_key < $2 AND EXISTS (SELECT 1 FROM account a WHERE a.id = $1 AND a.user_id = $3)
		ORDER BY t.sort_key DESC LIMIT $4 + 1`, accountID, before, userID, limit) // a bare LIMIT $4 is planned anew each time
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	page = make([]finance.TransactionRow, 0, min(limit, 100)+1)
	var r transactionRow
	fields := r.fields()
	for rows.Next() {
		if err := rows.Scan(fields...); err != nil {
			return nil, false, err
		}
		page = append(page, r.row())
	}
	if err := rows.Err(); err != nil {
		return nil, false, err
	}
	if len(page) > limit {
		return page[:limit], true, nil
	}
	return page, false, nil
}

// NewerPage returns where the page starts that comes before the one starting at before: with it as before, Transactions returns the limit rows
// just above. It is Newest when there are no more than limit such rows.
func (s *Store) NewerPage(ctx context.Context, userID, accountID string, before int64, limit int) (_ int64, err error) {
	defer doing("find newer page", &err)
	keys, err := collect(ctx, s.db.Read(), func(row scanner) (key int64, err error) { return key, row.Scan(&key) },
		`SELECT t.sort_key FROM booked_transaction t
		WHERE t.account_id = $1 AND t.sort_key >= $2 AND EXISTS (SELECT 1 FROM account a WHERE a.id = $1 AND a.user_id = $3)
		ORDER BY t.sort_key LIMIT $4 + 1`, accountID, before, userID, limit)
	if err != nil || len(keys) <= limit {
		return Newest, err
	}
	return keys[limit], nil
}

// Transaction returns a booked row of the user with what the bank sent.
func (s *Store) Transaction(ctx context.Context, userID, accountID string, id int64) (_ finance.TransactionRecord, err error) {
	defer doing("read transaction", &err)
	var r finance.TransactionRecord
	var original string
	var first sqlite.Time
	err = scanRow(s.db.Read().QueryRowContext(ctx, `SELECT `+rowColumns+`, t.account_id, t.amount, t.booking_date, t.value_date, t.transaction_date,
			t.counterparty_account, t.payee, t.category_why, r.original, t.first_seen
		FROM booked_transaction t JOIN account a ON a.id = t.account_id JOIN transaction_record r ON r.transaction_id = t.id
		WHERE t.id = $1 AND a.id = $2 AND a.user_id = $3`, id, accountID, userID), &r.TransactionRow,
		&r.AccountID, &r.Text, &r.BookingDate, &r.ValueDate, &r.TransactionDate, &r.CounterpartyAccount, &r.Payee, &r.CategoryWhy,
		&original, &first)
	if err != nil {
		return r, notFound(err)
	}
	r.Original, r.FirstSeen = json.RawMessage(original), first.Time
	return r, json.Unmarshal(r.Original, &r.Record)
}

// Pending lists the rows of an account of the user that are not booked, as of the last complete sync, newest first; those without a
// date come first.
func (s *Store) Pending(ctx context.Context, userID, accountID string) (_ []finance.PendingTransaction, err error) {
	defer doing("read pending transactions", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"pending_transaction", userID, accountID}, func() ([]finance.PendingTransaction, error) {
		return collect(ctx, s.db.Read(), func(row scanner) (finance.PendingTransaction, error) {
			var p finance.PendingTransaction
			var minor int64
			var currency string
			err := row.Scan(&p.AccountID, &p.Status, &minor, &currency, &p.Text, &p.Date, &p.Counterparty, &p.CounterpartyAccount, &p.Remittance, &p.Kind)
			if err == nil {
				p.Amount = money.FromMinor(minor, currency)
			}
			return p, err
		}, `SELECT p.account_id, p.status, p.minor, p.currency, p.amount, p.display_date, p.counterparty, p.counterparty_account, p.remittance, p.kind
			FROM account a JOIN pending_transaction p ON p.account_id = a.id AND p.run = a.pending_run
			WHERE a.id = $1 AND a.user_id = $2 ORDER BY p.display_date = '' DESC, p.display_date DESC, p.identity, p.ordinal`, accountID, userID)
	})
}
