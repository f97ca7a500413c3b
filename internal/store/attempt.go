package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// ErrAttempt says that a callback fits no open attempt: its state is unknown, used or too old, or it came to another browser.
var ErrAttempt = errors.New("this link was used already, is too old, or was begun in another browser")

const attemptColumns = `id, user_id, provider_id, aspsp_name, country, psu_type, status, url, valid_until, created, expires,
	COALESCE(renews, ''), another, COALESCE(connection_id, ''), renewed, failure_code, failure_text, failure_request_id, psu_id_hash, typed_until`

func scanAttempt(row scanner) (finance.LinkAttempt, error) {
	var a finance.LinkAttempt
	var until, created, expires sqlite.Time
	err := row.Scan(&a.ID, &a.UserID, &a.ProviderID, &a.ASPSP.Name, &a.ASPSP.Country, &a.PSUType, &a.Status, &a.URL, &until, &created, &expires,
		&a.Renews, &a.Another, &a.ConnectionID, &a.Renewed, &a.Failure.Code, &a.Failure.Said, &a.Failure.RequestID, &a.PSUIDHash, &a.TypedUntil)
	a.ValidUntil, a.Created, a.Expires = until.Time, created.Time, expires.Time
	return a, err
}

// CreateAttempt stores a new attempt (status starting) under the hashes of its state and of the browser's own secret.
func (s *Store) CreateAttempt(ctx context.Context, a finance.LinkAttempt, state, browser finance.Secret, lifetime time.Duration) (_ finance.LinkAttempt,
	err error) {
	defer doing("create attempt", &err)
	a.ID, a.Status = finance.NewID(), finance.AttemptStarting
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		a.Created, a.Expires = tx.Now, tx.Now.Add(lifetime)
		_, err := tx.ExecContext(ctx, `INSERT INTO link_attempt
			(id, user_id, provider_id, aspsp_name, country, psu_type, status, state_hash, browser_hash, valid_until, created, expires, renews, another, typed_until)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, NULLIF($13, ''), $14, $15)`,
			a.ID, a.UserID, a.ProviderID, a.ASPSP.Name, a.ASPSP.Country, a.PSUType, a.Status, hashOf(state), hashOf(browser),
			sqlite.At(a.ValidUntil), sqlite.At(a.Created), sqlite.At(a.Expires), a.Renews, flag(a.Another), a.TypedUntil)
		return err
	})
	return a, err
}

// OpenAttempt records the answer of POST /auth: starting becomes open.
func (s *Store) OpenAttempt(ctx context.Context, userID, id, url, psuIDHash string) (err error) {
	defer doing("open attempt", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE link_attempt SET status = 'open', url = $1, psu_id_hash = $2
			WHERE id = $3 AND user_id = $4 AND status = 'starting'`, url, psuIDHash, id, userID))
	})
}

// UseAttempt consumes the open attempt of a state. It succeeds once; every other call returns ErrAttempt, as does a state of another provider or
// another browser, and one that is too old (security T10). The attempt belongs to the user who started it.
func (s *Store) UseAttempt(ctx context.Context, providerID string, state, browser finance.Secret) (_ finance.LinkAttempt, err error) {
	defer doing("use attempt", &err)
	var a finance.LinkAttempt
	err = s.db.Write(ctx, func(tx *sqlite.Tx) (err error) {
		a, err = scanAttempt(tx.QueryRowContext(ctx, `UPDATE link_attempt SET status = 'used'
			WHERE state_hash = $1 AND browser_hash = $2 AND provider_id = $3 AND status = 'open' AND expires > $4
			RETURNING `+attemptColumns, hashOf(state), hashOf(browser), providerID, sqlite.At(tx.Now)))
		return err
	})
	if errors.Is(notFound(err), finance.ErrNotFound) {
		return finance.LinkAttempt{}, ErrAttempt
	}
	return a, err
}

// FailAttempt records why an attempt failed.
func (s *Store) FailAttempt(ctx context.Context, userID, id string, f finance.Failure) (err error) {
	defer doing("record failed attempt", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE link_attempt SET status = 'failed', failure_code = $1, failure_text = $2, failure_request_id = $3
			WHERE id = $4 AND user_id = $5 AND status IN ('starting', 'open', 'used')`, f.Code, f.Said, f.RequestID, id, userID))
	})
}

// Attempt returns an attempt of the user with its result.
func (s *Store) Attempt(ctx context.Context, userID, id string) (_ finance.LinkAttempt, err error) {
	defer doing("read attempt", &err)
	a, err := scanAttempt(s.db.Read().QueryRowContext(ctx, `SELECT `+attemptColumns+` FROM link_attempt WHERE id = $1 AND user_id = $2`, id, userID))
	if err != nil {
		return a, notFound(err)
	}
	a.Accounts, err = collect(ctx, s.db.Read(), func(row scanner) (finance.LinkedAccount, error) {
		var l finance.LinkedAccount
		var until sqlite.NullTime
		var from sql.Null[openbanking.Date]
		var err error
		l.Account, err = scanAccount(row, &l.Outcome, &until, &from)
		l.ReadUntil, l.ReadFrom, l.Read = until.Time, from.V, from.Valid
		return l, err
	}, `SELECT `+accountColumns+`, l.outcome, l.read_until, l.read_from FROM link_account l JOIN account a ON a.id = l.account_id
		WHERE l.attempt_id = $1 AND a.user_id = $2 ORDER BY l.position`, id, userID)
	return a, err
}
