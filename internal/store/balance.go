package store

import (
	"context"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/sqlite"
)

const balanceColumns = `b.account_id, b.type, b.name, b.minor, b.currency, b.amount, b.reference_date, b.last_change, b.fetched`

func scanBalance(row scanner) (finance.Balance, error) {
	var b finance.Balance
	var minor int64
	var currency string
	var change sqlite.NullTime
	var fetched sqlite.Time
	err := row.Scan(&b.AccountID, &b.Type, &b.Name, &minor, &currency, &b.Text, &b.Reference, &change, &fetched)
	if err != nil {
		return b, err
	}
	b.Amount, b.LastChange, b.Fetched = money.FromMinor(minor, currency), change.Time, fetched.Time
	return b, nil
}

// Balances returns the last balances of all accounts of the user, by account id, in the order of the bank.
func (r Reader) Balances(ctx context.Context, userID string) (_ map[string][]finance.Balance, err error) {
	defer doing("read balances", &err)
	all, err := collect(ctx, r.from, scanBalance, `SELECT `+balanceColumns+` FROM balance b JOIN account a ON a.id = b.account_id
		WHERE a.user_id = $1 ORDER BY b.account_id, b.position`, userID)
	by := map[string][]finance.Balance{}
	for _, b := range all {
		by[b.AccountID] = append(by[b.AccountID], b)
	}
	return by, err
}

// AccountBalances returns the last balances of one account of the user, in the order of the bank.
func (s *Store) AccountBalances(ctx context.Context, userID, accountID string) (_ []finance.Balance, err error) {
	defer doing("read account balances", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"balance", userID, accountID}, func() ([]finance.Balance, error) {
		return s.balancesOf(ctx, userID, accountID)
	})
}

func (r Reader) balancesOf(ctx context.Context, userID, accountID string) ([]finance.Balance, error) {
	return collect(ctx, r.from, scanBalance, `SELECT `+balanceColumns+` FROM balance b JOIN account a ON a.id = b.account_id
		WHERE a.id = $1 AND a.user_id = $2 ORDER BY b.position`, accountID, userID)
}

// replaceBalances puts new balances in place of the last ones.
func replaceBalances(ctx context.Context, tx *sqlite.Tx, accountID string, balances []finance.Balance) error {
	if err := keepBalances(ctx, tx, accountID); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM balance WHERE account_id = $1`, accountID); err != nil {
		return err
	}
	for i, b := range balances {
		_, err := tx.ExecContext(ctx, `INSERT INTO balance (account_id, position, type, name, minor, currency, amount, reference_date, last_change, fetched)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
			accountID, i, b.Type, b.Name, b.Amount.Minor(), b.Amount.Currency(), b.Text, b.Reference, sqlite.AtOrNull(b.LastChange), sqlite.At(b.Fetched))
		if err != nil {
			return err
		}
	}
	return nil
}
