package store

import (
	"context"
	"database/sql"
	"errors"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

const accountColumns = `a.id, a.user_id, COALESCE(a.connection_id, a.former_connection, ''), a.source, a.institution, a.closed, a.hash, a.bank_currency, a.currency, a.uid, a.nickname, a.holder, a.details, a.product,
	a.type, a.usage, a.iban, a.number, a.scheme, a.credit_limit, a.transactions, a.history_from, a.created, a.simulated, a.counts`

// scanAccount reads accountColumns, and what follows them into more. Hashes are not read.
func scanAccount(row scanner, more ...any) (finance.Account, error) {
	var a finance.Account
	var created sqlite.Time
	var closed sqlite.NullTime
	err := row.Scan(append([]any{&a.ID, &a.UserID, &a.ConnectionID, &a.Source, &a.Institution, &closed, &a.Hash, &a.BankCurrency, &a.Currency, &a.UID,
		&a.Nickname, &a.Holder, &a.Details, &a.Product,
		&a.Type, &a.Usage, &a.IBAN, &a.Number, &a.Scheme, &a.CreditLimit, &a.Transactions, &a.HistoryFrom, &created, &a.Simulated, &a.Counts}, more...)...)
	a.Created, a.Closed = created.Time, closed.Time
	return a, err
}

func scanAccountRow(row scanner) (finance.Account, error) { return scanAccount(row) }

// Accounts lists the user's accounts by bank and connection, in the order in which they were found. Those that the user keeps come last, by name.
func (r Reader) Accounts(ctx context.Context, userID string) (_ []finance.Account, err error) {
	defer doing("read accounts", &err)
	return collect(ctx, r.from, scanAccountRow, `SELECT `+accountColumns+` FROM account a LEFT JOIN connection c ON c.id = a.connection_id
		WHERE a.user_id = $1 ORDER BY a.source <> '', a.closed IS NOT NULL, c.aspsp_name, c.country, c.created, c.id,
			CASE a.source WHEN '' THEN '' ELSE a.nickname END, a.created, a.type, a.iban, a.currency, a.id`, userID)
}

// Account returns an account of the user.
func (r Reader) Account(ctx context.Context, userID, id string) (_ finance.Account, err error) {
	defer doing("read account", &err)
	a, err := scanAccount(r.from.QueryRowContext(ctx, `SELECT `+accountColumns+` FROM account a WHERE a.id = $1 AND a.user_id = $2`, id, userID))
	return a, notFound(err)
}

// Overview is an account with what stands around it on its page.
type Overview struct {
	Account    finance.Account
	Connection finance.Connection
	Tasks      []finance.SyncTask // of the connection
}

// Overview returns an account of the user with its connection and tasks, all read at one moment; an account without a connection has a zero one. Every page of
// transactions asks for it, so it comes from memory while nothing was written: see sqlite.Remember.
func (s *Store) Overview(ctx context.Context, userID, id string) (_ Overview, err error) {
	defer doing("read overview", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"account", userID, id}, func() (o Overview, err error) {
		err = s.Snapshot(ctx, func(r Reader) (err error) {
			if o, err = r.overview(ctx, userID, id); err != nil || o.Connection.ID == "" {
				return err
			}
			o.Tasks, err = r.Tasks(ctx, userID, o.Connection.ID)
			return err
		})
		return o, err
	})
}

// overview is Overview without its tasks.
func (r Reader) overview(ctx context.Context, userID, id string) (o Overview, err error) {
	var c connectionRow
	o.Account, err = scanAccount(r.from.QueryRowContext(ctx, `SELECT `+accountColumns+`, `+connectionColumns+`
		FROM account a JOIN connection c ON c.id = COALESCE(a.connection_id, a.former_connection) JOIN provider p ON p.id = c.provider_id
		WHERE a.id = $1 AND a.user_id = $2 AND c.user_id = $2`, id, userID), c.fields()...)
	if errors.Is(err, sql.ErrNoRows) {
		o.Account, err = scanAccount(r.from.QueryRowContext(ctx, `SELECT `+accountColumns+` FROM account a
			WHERE a.id = $1 AND a.user_id = $2 AND a.connection_id IS NULL AND a.former_connection IS NULL`, id, userID))
		return o, notFound(err)
	}
	if err == nil {
		o.Connection, err = c.connection()
	}
	return o, err
}

// SetNickname names an account of the user; "" takes the name away.
func (s *Store) SetNickname(ctx context.Context, userID, id, nickname string) (err error) {
	defer doing("set nickname", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE account SET nickname = $1 WHERE id = $2 AND user_id = $3`, nickname, id, userID))
	})
}

// SetCounts says which type of balance of an account of the user counts; "" lets the one count that counts by itself.
func (s *Store) SetCounts(ctx context.Context, userID, id string, counts openbanking.BalanceStatus) (err error) {
	defer doing("set balance that counts", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE account SET counts = $1 WHERE id = $2 AND user_id = $3`, counts, id, userID))
	})
}

// accountsAtBank lists the user's accounts at the bank of an attempt, with their hashes; those that the user keeps after a connection ended are among them.
func accountsAtBank(ctx context.Context, tx *sqlite.Tx, attempt finance.LinkAttempt) ([]finance.Account, error) {
	accounts, err := collect(ctx, tx, scanAccountRow, `SELECT `+accountColumns+` FROM account a JOIN connection c ON c.id = COALESCE(a.connection_id, a.former_connection)
		WHERE a.user_id = $1 AND c.provider_id = $2 AND c.aspsp_name = $3 AND c.country = $4 ORDER BY c.created DESC, a.created, a.id`,
		attempt.UserID, attempt.ProviderID, attempt.ASPSP.Name, attempt.ASPSP.Country)
	if err != nil {
		return nil, err
	}
	for i := range accounts {
		accounts[i].Hashes, err = collect(ctx, tx, func(row scanner) (h string, err error) { return h, row.Scan(&h) },
			`SELECT h.hash FROM account_hash h JOIN account a ON a.id = h.account_id WHERE a.id = $1 AND a.user_id = $2 ORDER BY h.position`,
			accounts[i].ID, attempt.UserID)
		if err != nil {
			return nil, err
		}
	}
	return accounts, nil
}

// saveAccount writes an account and its hashes. What is the user's own (nickname, the balance that counts) and counters are left as they are.
func saveAccount(ctx context.Context, tx *sqlite.Tx, a finance.Account, original string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO account
		(id, user_id, connection_id, hash, bank_currency, currency, uid, holder, details, product, type, usage, iban, number, scheme, credit_limit, original, created)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
		ON CONFLICT (id) DO UPDATE SET connection_id = excluded.connection_id, hash = excluded.hash, bank_currency = excluded.bank_currency,
			currency = excluded.currency, uid = excluded.uid, holder = excluded.holder, details = excluded.details, product = excluded.product,
			type = excluded.type, usage = excluded.usage, iban = excluded.iban, number = excluded.number, scheme = excluded.scheme,
			credit_limit = excluded.credit_limit, original = excluded.original, source = '', former_connection = NULL, institution = '', closed = NULL, simulated = 0
		WHERE account.user_id = excluded.user_id`,
		a.ID, a.UserID, a.ConnectionID, a.Hash, a.BankCurrency, a.Currency, a.UID, a.Holder, a.Details, a.Product, a.Type, a.Usage, a.IBAN, a.Number,
		a.Scheme, a.CreditLimit, original, sqlite.At(a.Created))
	if err != nil {
		return err
	}
	for _, table := range []string{"account_hash", "account_value"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE account_id = $1`, a.ID); err != nil {
			return err
		}
	}
	for i, h := range a.Hashes {
		if _, err := tx.ExecContext(ctx, `INSERT INTO account_hash (account_id, position, hash) VALUES ($1, $2, $3)`, a.ID, i, h); err != nil {
			return err
		}
	}
	return nil
}
