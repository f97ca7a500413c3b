package store

import (
	"context"
	"errors"
	"time"

	"database/sql"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// SessionStore keeps the rows of scs (scs.CtxStore). It hashes tokens itself, so the file never holds one, and a session that was
// deleted stays deleted: a request that began before and commits after it changes nothing (security F1, verified for scs v2.9.0).
type SessionStore struct{ db *sqlite.DB }

// Sessions returns the store for the session manager.
func (s *Store) Sessions() *SessionStore { return &SessionStore{s.db} }

// tombstoneLife is how long a deleted session is remembered: longer than any request runs.
const tombstoneLife = 24 * time.Hour

// FindCtx returns the data of a session that is neither deleted nor expired. It is called for every request: see sqlite.Remember.
func (s *SessionStore) FindCtx(ctx context.Context, token string) (_ []byte, _ bool, err error) {
	defer doing("find session", &err)
	type row struct {
		data    []byte
		expires time.Time
	}
	hash := hashOf(finance.Secret(token))
	found, err := sqlite.Remember(ctx, s.db, sqlite.Key{"session_data", hash}, func() (row, error) {
		var r row
		var expires sqlite.Time
		err := s.db.Read().QueryRowContext(ctx, `SELECT data, expires FROM session_data WHERE token_hash = $1 AND ended = 0`, hash).Scan(&r.data, &expires)
		r.expires = expires.Time
		return r, err
	})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil || !time.Now().Before(found.expires) {
		return nil, false, err
	}
	return found.data, true, nil
}

// ErrSessionEnded reports a session that was deleted while a request of it was at work: its id is worth nothing any more.
var ErrSessionEnded = errors.New("the session has ended")

// CommitCtx stores the data of a session. When the session was deleted it changes nothing and returns ErrSessionEnded.
func (s *SessionStore) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) (err error) {
	defer doing("commit session", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		stored, err := tx.ExecContext(ctx, `INSERT INTO session_data (token_hash, data, expires) VALUES ($1, $2, $3)
			ON CONFLICT (token_hash) DO UPDATE SET data = excluded.data, expires = excluded.expires WHERE session_data.ended = 0`,
			hashOf(finance.Secret(token)), data, sqlite.At(expiry))
		if err != nil {
			return err
		}
		if n, err := stored.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, ErrSessionEnded)
		}
		return nil
	})
}

// DeleteCtx ends a session and leaves a tombstone, for an unknown token too. A visitor without a session has the empty token: there is
// nothing to end, and nobody makes the disk busy by signing out again and again.
func (s *SessionStore) DeleteCtx(ctx context.Context, token string) (err error) {
	defer doing("delete session", &err)
	if token == "" {
		return nil
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO session_data (token_hash, data, expires, ended) VALUES ($1, x'', $2, 1)
			ON CONFLICT (token_hash) DO UPDATE SET data = x'', expires = excluded.expires, ended = 1`,
			hashOf(finance.Secret(token)), sqlite.At(tx.Now.Add(tombstoneLife)))
		return err
	})
}

// Find is FindCtx without a context, which scs asks for and never calls.
func (s *SessionStore) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit is CommitCtx without a context.
func (s *SessionStore) Commit(token string, data []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expiry)
}

// Delete is DeleteCtx without a context.
func (s *SessionStore) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

// Clean removes what has run out: sessions, tombstones, link attempts, failures and sign-ins that no page shows any more, drafts that were discarded
// long ago, old webhooks. Call it a few times a day.
func (s *Store) Clean(ctx context.Context) (err error) {
	defer doing("clean up", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, c := range []struct {
			query string
			older time.Duration
		}{
			{`DELETE FROM session_data WHERE expires < $1`, 0},
			{`DELETE FROM sign_in_failure WHERE last_failure < $1 AND blocked_until < $1`, failureMemory},
			{`DELETE FROM user_session WHERE last_seen < $1`, 90 * 24 * time.Hour},
			{`DELETE FROM reset_link WHERE expires < $1`, 0},
			{`DELETE FROM invitation WHERE expires < $1`, 30 * 24 * time.Hour},
			{`DELETE FROM openid_visit WHERE expires < $1`, 0},
			{`DELETE FROM mail WHERE until < $1`, keptMail},
			{`DELETE FROM message WHERE until < $1 AND state <> 'waiting'`, keptMail},
			{`DELETE FROM alert WHERE created < $1 AND NOT EXISTS (SELECT 1 FROM message m WHERE m.alert_id = alert.id AND m.state = 'waiting')`, keptAlert},
			{`DELETE FROM notice WHERE closed < $1 AND connection_id IS NULL`, keptMail},
			{`DELETE FROM link_attempt WHERE expires < $1`, 30 * 24 * time.Hour},
			{`DELETE FROM payment WHERE phase = 'discarded' AND created < $1`, 90 * 24 * time.Hour},
			{`DELETE FROM webhook_delivery WHERE received < $1`, keptDelivery},
			{`DELETE FROM import_draft WHERE created < $1`, keptDraft},
		} {
			if _, err := tx.ExecContext(ctx, c.query, sqlite.At(tx.Now.Add(-c.older))); err != nil {
				return err
			}
		}
		return nil
	})
}
