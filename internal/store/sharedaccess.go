package store

import (
	"context"
	"errors"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// SharedAccess lists which connections of the user can read an account that another one keeps up to date.
func (r Reader) SharedAccess(ctx context.Context, userID string) (_ []finance.SharedAccess, err error) {
	defer doing("read shared accounts", &err)
	return sharedAccess(ctx, r.from, userID)
}

func sharedAccess(ctx context.Context, q querier, userID string) ([]finance.SharedAccess, error) {
	return collect(ctx, q, func(row scanner) (s finance.SharedAccess, err error) {
		return s, row.Scan(&s.AccountID, &s.ConnectionID)
	},
		`SELECT shared.account_id, shared.connection_id FROM shared_access shared JOIN connection c ON c.id = shared.connection_id
		WHERE c.user_id = $1 ORDER BY c.created, c.id, shared.account_id`, userID)
}

// live reports whether the connection that keeps an account still brings data.
func live(ctx context.Context, tx *sqlite.Tx, a finance.Account) (bool, error) {
	var one int
	err := tx.QueryRowContext(ctx, `SELECT 1 FROM connection WHERE id = $1 AND user_id = $2 AND status = 'active' AND valid_until > $3`,
		a.ConnectionID, a.UserID, sqlite.At(tx.Now)).Scan(&one)
	if errors.Is(notFound(err), finance.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// shareAccount notes that the connection of a link can read an account which another one keeps up to date; without a uid it cannot.
func shareAccount(ctx context.Context, tx *sqlite.Tx, attempt finance.LinkAttempt, a finance.Account, uid string) (finance.LinkedAccount, error) {
	if uid == "" {
		return finance.LinkedAccount{Account: a, Outcome: finance.OutcomeNotAccessible}, nil
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO shared_access (account_id, connection_id, uid)
		SELECT a.id, $2, $3 FROM account a WHERE a.id = $1 AND a.user_id = $4`, a.ID, attempt.ConnectionID, uid, attempt.UserID)
	return finance.LinkedAccount{Account: a, Outcome: finance.OutcomeShared}, err
}

// forgetSharedAccess takes back which accounts of others a connection can read: its session is over.
func forgetSharedAccess(ctx context.Context, tx *sqlite.Tx, userID, connectionID string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM shared_access WHERE connection_id IN (SELECT id FROM connection WHERE id = $1 AND user_id = $2)`,
		connectionID, userID)
	return err
}

// handOver gives an account to another live connection that can read it, the one authorised last, and makes its tasks due there. It returns that
// connection, "" when there is none.
func handOver(ctx context.Context, tx *sqlite.Tx, a finance.Account) (connectionID string, err error) {
	err = tx.QueryRowContext(ctx, `SELECT shared.connection_id, shared.uid FROM shared_access shared JOIN connection c ON c.id = shared.connection_id
		WHERE shared.account_id = $1 AND c.user_id = $2 AND c.status = 'active' AND c.valid_until > $3 ORDER BY c.authorized DESC, c.id LIMIT 1`,
		a.ID, a.UserID, sqlite.At(tx.Now)).Scan(&a.ConnectionID, &a.UID)
	if errors.Is(notFound(err), finance.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if err := forgetShare(ctx, tx, a); err != nil {
		return "", err
	}
	if err := changed(tx.ExecContext(ctx, `UPDATE account SET connection_id = $1, uid = $2 WHERE id = $3 AND user_id = $4`, a.ConnectionID, a.UID, a.ID,
		a.UserID)); err != nil {
		return "", err
	}
	return a.ConnectionID, scheduleTasks(ctx, tx, a)
}

// forgetShare removes the note that the connection which keeps an account up to date shares it.
func forgetShare(ctx context.Context, tx *sqlite.Tx, a finance.Account) error {
	_, err := tx.ExecContext(ctx,
		`DELETE FROM shared_access WHERE account_id = $1 AND connection_id IN (SELECT id FROM connection WHERE id = $2 AND user_id = $3)`,
		a.ID, a.ConnectionID, a.UserID)
	return err
}
