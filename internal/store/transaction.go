package store

import (
	"context"
	"encoding/json"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

const (
	rowColumns   = ownColumns + `, COALESCE(` + splitColumn + `, '')`
	wholeColumns = ownColumns + `, ''` // the same for rows of which none is split
	ownColumns   = `t.id, t.sort_key, t.minor, t.currency, t.display_date, t.counterparty, t.payee, t.remittance, t.kind, ` + unlisted + `, t.reviewed,
	COALESCE(t.category_id, ''), t.category_by, COALESCE(t.suggestion_id, '')`
)

// transactionRow is rowColumns as they are read.
type transactionRow struct {
	finance.TransactionRow
	minor          int64
	currency, date string
	split          string
}

func (r *transactionRow) fields() []any {
	return []any{&r.ID, &r.SortKey, &r.minor, &r.currency, &r.date, &r.Counterparty, &r.Payee, &r.Remittance, &r.Kind, &r.Missing, &r.Reviewed, &r.Category,
		&r.CategoryBy,
		&r.Suggestion, &r.split}
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

// Transaction returns a booked row of the user with what the bank sent.
func (s *Store) Transaction(ctx context.Context, userID, accountID string, id int64) (_ finance.TransactionRecord, err error) {
	defer doing("read transaction", &err)
	var r finance.TransactionRecord
	var original string
	var first sqlite.Time
	err = scanRow(s.db.Read().QueryRowContext(ctx, `SELECT `+rowColumns+`, t.account_id, t.amount, t.booking_date, t.value_date, t.transaction_date,
			t.counterparty_account, t.category_why, r.original, t.first_seen
		FROM booked_transaction t JOIN account a ON a.id = t.account_id JOIN transaction_record r ON r.transaction_id = t.id
		WHERE t.id = $1 AND a.id = $2 AND a.user_id = $3 AND `+inList, id, accountID, userID), &r.TransactionRow,
		&r.AccountID, &r.Text, &r.BookingDate, &r.ValueDate, &r.TransactionDate, &r.CounterpartyAccount, &r.CategoryWhy,
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
			err := row.Scan(&p.AccountID, &p.Status, &minor, &currency, &p.Text, &p.Date, &p.Counterparty, &p.Payee, &p.CounterpartyAccount, &p.Remittance,
				&p.Kind)
			if err == nil {
				p.Amount = money.FromMinor(minor, currency)
			}
			return p, err
		}, `SELECT p.account_id, p.status, p.minor, p.currency, p.amount, p.display_date, p.counterparty, p.payee, p.counterparty_account, p.remittance, p.kind
			FROM account a JOIN pending_transaction p ON p.account_id = a.id AND p.run = a.pending_run
			WHERE a.id = $1 AND a.user_id = $2 ORDER BY p.display_date = '' DESC, p.display_date DESC, p.identity, p.ordinal`, accountID, userID)
	})
}
