package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// putSessionEnd notes that the session of a connection is to be ended at its service; nothing without a session. The note outlives the connection.
func (s *Store) putSessionEnd(ctx context.Context, tx *sqlite.Tx, userID, connectionID string) error {
	session, err := s.sessionID(ctx, tx, userID, connectionID)
	if err != nil || session == "" {
		return err
	}
	id := finance.NewID()
	_, err = tx.ExecContext(ctx, `INSERT INTO session_end (id, connection_id, provider_id, session_id, until, due) SELECT $1, c.id, c.provider_id, $2, c.valid_until, $3
		FROM connection c WHERE c.id = $4 AND c.user_id = $5`, id, s.key.seal(session.Reveal(), "session_end", "session_id", id), sqlite.At(tx.Now), connectionID, userID)
	return err
}

// ClaimSessionEnd returns a session that is to be ended at its service now, of the connection or, when that is "", of any. Nobody else gets it for the
// time of the lease; afterwards it is due again. Without one, ok is false, and next is when the first is due, zero for never.
func (s *Store) ClaimSessionEnd(ctx context.Context, connectionID string, lease time.Duration) (e finance.SessionEnd, ok bool, next time.Time, err error) {
	defer doing("claim the end of a session", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		e, ok, next = finance.SessionEnd{}, false, time.Time{}
		var sealed string
		var until, due sqlite.Time
		err := tx.QueryRowContext(ctx, `SELECT e.id, e.provider_id, e.session_id, e.until, e.due, e.attempts FROM session_end e
			WHERE $1 = '' OR e.connection_id = $1 ORDER BY e.due LIMIT 1`, connectionID).Scan(&e.ID, &e.ProviderID, &sealed, &until, &due, &e.Attempts)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if due.After(tx.Now) {
			next = due.Time
			return nil
		}
		session, err := s.key.open(sealed, "session_end", "session_id", e.ID)
		if err != nil {
			return err
		}
		e.SessionID, e.Over, ok = finance.Secret(session), !tx.Now.Before(until.Time), true
		e.Attempts++
		_, err = tx.ExecContext(ctx, `UPDATE session_end SET due = $1, attempts = $2 WHERE id = $3`, sqlite.At(tx.Now.Add(lease)), e.Attempts, e.ID)
		return err
	})
	return e, ok, next, err
}

// SessionEnded records that a session has ended at its service.
func (s *Store) SessionEnded(ctx context.Context, id string) (err error) {
	defer doing("record the end of a session", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var connectionID sql.NullString // none when its person has left
		err := tx.QueryRowContext(ctx, `DELETE FROM session_end WHERE id = $1 RETURNING connection_id`, id).Scan(&connectionID)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		return forgetConnection(ctx, tx, connectionID.String)
	})
}

// DelaySessionEnd records when a service that did not end a session is asked again.
func (s *Store) DelaySessionEnd(ctx context.Context, id string, due time.Time) (err error) {
	defer doing("delay the end of a session", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE session_end SET due = $1 WHERE id = $2`, sqlite.At(due), id)
		return err
	})
}

// forgetSessionEnds gives up ending the open sessions at a provider, which then expire by themselves, and deletes the connections that have nothing else
// left.
func forgetSessionEnds(ctx context.Context, tx *sqlite.Tx, providerID string) error {
	connections, err := collect(ctx, tx, func(row scanner) (id string, err error) { return id, row.Scan(&id) },
		`DELETE FROM session_end WHERE provider_id = $1 RETURNING COALESCE(connection_id, '')`, providerID)
	if err != nil {
		return err
	}
	for _, id := range connections {
		if err := forgetConnection(ctx, tx, id); err != nil {
			return err
		}
	}
	return nil
}

// forgetConnection deletes a connection that was ended here, when nothing is left of it: no account that it brought, and no session to end.
func forgetConnection(ctx context.Context, tx *sqlite.Tx, id string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM connection WHERE id = $1 AND status = 'disconnected'
		AND NOT EXISTS (SELECT 1 FROM account a WHERE a.connection_id = $1) AND NOT EXISTS (SELECT 1 FROM account a WHERE a.former_connection = $1)
		AND NOT EXISTS (SELECT 1 FROM session_end e WHERE e.connection_id = $1)`, id)
	return err
}
