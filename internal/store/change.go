package store

import (
	"context"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/sqlite"
)

// maxChanges is how many changes of a row are kept: some banks change a text at each fetch.
const maxChanges = 20

// keepBefore keeps what the bank has said of a row until now, before it is changed.
func keepBefore(ctx context.Context, tx *sqlite.Tx, id int64) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO transaction_change
			(transaction_id, number, changed, minor, currency, display_date, booking_date, value_date, counterparty, counterparty_account, remittance)
		SELECT t.id, (SELECT COALESCE(MAX(before.number), 0) + 1 FROM transaction_change before WHERE before.transaction_id = t.id), $1,
			t.minor, t.currency, t.display_date, t.booking_date, t.value_date, t.counterparty, t.counterparty_account, t.remittance
		FROM booked_transaction t WHERE t.id = $2`, sqlite.At(tx.Now), id)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM transaction_change WHERE transaction_id = $1
		AND number <= (SELECT MAX(last.number) FROM transaction_change last WHERE last.transaction_id = $1) - $2`, id, maxChanges)
	return err
}

// Changes lists what the bank said of a booked row of the user before it changed it, the newest change first; at most the last 20.
func (s *Store) Changes(ctx context.Context, userID string, id int64) (_ []finance.BankChange, err error) {
	defer doing("read changes", &err)
	return collect(ctx, s.db.Read(), func(row scanner) (finance.BankChange, error) {
		var c finance.BankChange
		var at sqlite.Time
		var minor int64
		var currency string
		err := row.Scan(&at, &minor, &currency, &c.Date, &c.BookingDate, &c.ValueDate, &c.Counterparty, &c.CounterpartyAccount, &c.Remittance)
		if err == nil {
			c.Changed, c.Amount = at.Time, money.FromMinor(minor, currency)
		}
		return c, err
	}, `SELECT before.changed, before.minor, before.currency, before.display_date, before.booking_date, before.value_date, before.counterparty, before.counterparty_account,
			before.remittance
		FROM transaction_change before JOIN booked_transaction t ON t.id = before.transaction_id JOIN account a ON a.id = t.account_id
		WHERE t.id = $1 AND a.user_id = $2 ORDER BY before.number DESC`, id, userID)
}
