package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"florin/internal/aggregator"
	"florin/internal/sqlite"
)

// LinkLimits bound how many links are asked for since a moment: for an address and by a network.
type LinkLimits struct {
	Since               time.Time
	ForEmail, ByNetwork int
}

// AddSignInLink stores a link that was asked for, so that it counts. good is false for a link that can not be used,
// because too many were asked for the address, or because usable is false. aggregator.ErrConflict: the network asked for too many.
func (s *Store) AddSignInLink(ctx context.Context, link aggregator.SignInLink, usable bool, limits LinkLimits) (good bool, err error) {
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var forEmail, byNetwork int
		err := tx.QueryRowContext(ctx, `SELECT count(CASE WHEN email = $1 THEN 1 END), count(CASE WHEN client = $2 THEN 1 END)
			FROM sign_in_link WHERE created_at > $3`, link.Email, link.Client, sqlite.At(limits.Since)).Scan(&forEmail, &byNetwork)
		if err != nil {
			return fmt.Errorf("count sign-in links: %w", err)
		}
		if byNetwork >= limits.ByNetwork {
			return aggregator.ErrConflict
		}
		if good = usable && forEmail < limits.ForEmail; !good {
			link.Expires = link.Created
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO sign_in_link (token_hash, email, client, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)`,
			link.TokenHash, link.Email, link.Client, sqlite.At(link.Created), sqlite.At(link.Expires))
		if err != nil {
			return fmt.Errorf("store sign-in link: %w", err)
		}
		return nil
	})
	return good, err
}

// SignInLink returns the link if it is good at now.
func (s *Store) SignInLink(ctx context.Context, tokenHash string, now time.Time) (aggregator.SignInLink, error) {
	link := aggregator.SignInLink{TokenHash: tokenHash}
	var created, expires sqlite.Time
	err := s.db.Read().QueryRowContext(ctx, `SELECT email, client, created_at, expires_at FROM sign_in_link
		WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2`, tokenHash, sqlite.At(now)).
		Scan(&link.Email, &link.Client, &created, &expires)
	link.Created, link.Expires = created.Time, expires.Time
	return link, found(err, "read sign-in link")
}

// UseSignInLink consumes a link and returns the developer with its address, who is created (with newID) when there is
// none. email "" accepts the link for whatever address it was sent to. aggregator.ErrNotFound: the link is not good, or for another address.
func (s *Store) UseSignInLink(ctx context.Context, tokenHash, email, newID string, now time.Time) (developer aggregator.Developer, isNew bool, err error) {
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		err := tx.QueryRowContext(ctx, `UPDATE sign_in_link SET used_at = $1
			WHERE token_hash = $2 AND used_at IS NULL AND expires_at > $1 AND (email = $3 OR $3 = '') RETURNING email`,
			sqlite.At(now), tokenHash, email).Scan(&developer.Email)
		if err := found(err, "use sign-in link"); err != nil {
			return err
		}
		var created sqlite.Time
		err = tx.QueryRowContext(ctx, `SELECT id, created_at FROM developer WHERE email = $1`, developer.Email).Scan(&developer.ID, &created)
		switch err := found(err, "read developer"); {
		case errors.Is(err, aggregator.ErrNotFound):
			isNew = true
			developer.ID, developer.Created = newID, now
			if _, err := tx.ExecContext(ctx, `INSERT INTO developer (id, email, created_at) VALUES ($1, $2, $3)`, newID, developer.Email, sqlite.At(now)); err != nil {
				return fmt.Errorf("create developer: %w", err)
			}
			return nil
		case err != nil:
			return err
		}
		developer.Created = created.Time
		return nil
	})
	return developer, isNew, err
}

// Developer returns the developer with the id.
func (s *Store) Developer(ctx context.Context, id string) (aggregator.Developer, error) {
	d := aggregator.Developer{ID: id}
	var created sqlite.Time
	err := s.db.Read().QueryRowContext(ctx, `SELECT email, created_at FROM developer WHERE id = $1`, id).Scan(&d.Email, &created)
	d.Created = created.Time
	return d, found(err, "read developer")
}

const developerSessionColumns = `developer_session.id, developer_id, device, developer_session.created_at, last_seen_at, expires_at`

// CreateDeveloperSession stores a sign-in of a browser.
func (s *Store) CreateDeveloperSession(ctx context.Context, row aggregator.DeveloperSession, tokenHash string) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO developer_session (token_hash, id, developer_id, device, created_at, last_seen_at, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			tokenHash, row.ID, row.DeveloperID, row.Device, sqlite.At(row.Created), sqlite.At(row.LastSeen), sqlite.At(row.Expires))
		if err != nil {
			return fmt.Errorf("store developer session: %w", err)
		}
		return nil
	})
}

// DeveloperSession returns the sign-in with the token, with its developer, if it has not ended by now and was seen since idle.
func (s *Store) DeveloperSession(ctx context.Context, tokenHash string, now, idle time.Time) (aggregator.DeveloperSession, aggregator.Developer, error) {
	var d aggregator.Developer
	var created sqlite.Time
	row, err := readDeveloperSession(s.db.Read().QueryRowContext(ctx, `SELECT `+developerSessionColumns+`, developer.id, email, developer.created_at
		FROM developer_session JOIN developer ON developer.id = developer_id
		WHERE token_hash = $1 AND revoked_at IS NULL AND expires_at > $2 AND last_seen_at > $3`, tokenHash, sqlite.At(now), sqlite.At(idle)),
		&d.ID, &d.Email, &created)
	d.Created = created.Time
	return row, d, err
}

// DeveloperSessions returns the sign-ins of a developer that have not ended, the newest first.
func (s *Store) DeveloperSessions(ctx context.Context, developerID string, now, idle time.Time) ([]aggregator.DeveloperSession, error) {
	rows, err := s.db.Read().QueryContext(ctx, `SELECT `+developerSessionColumns+` FROM developer_session
		WHERE developer_id = $1 AND revoked_at IS NULL AND expires_at > $2 AND last_seen_at > $3 ORDER BY created_at DESC, id`,
		developerID, sqlite.At(now), sqlite.At(idle))
	if err != nil {
		return nil, fmt.Errorf("read developer sessions: %w", err)
	}
	defer rows.Close()
	var list []aggregator.DeveloperSession
	for rows.Next() {
		row, err := readDeveloperSession(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, rows.Err()
}

// TouchDeveloperSession notes that the browser was seen.
func (s *Store) TouchDeveloperSession(ctx context.Context, id string, now time.Time) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE developer_session SET last_seen_at = $1 WHERE id = $2 AND revoked_at IS NULL AND last_seen_at < $1`, sqlite.At(now), id)
		if err != nil {
			return fmt.Errorf("touch developer session: %w", err)
		}
		return nil
	})
}

// RevokeDeveloperSession ends one sign-in of the developer. aggregator.ErrNotFound: there is none with this id, or it was ended before.
func (s *Store) RevokeDeveloperSession(ctx context.Context, developerID, id string, now time.Time) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE developer_session SET revoked_at = $1 WHERE id = $2 AND developer_id = $3 AND revoked_at IS NULL`,
			sqlite.At(now), id, developerID)
		return changed(result, err, "revoke developer session")
	})
}

// CreateRefreshToken stores the first token of a family, which bears the name of its hash.
func (s *Store) CreateRefreshToken(ctx context.Context, developerID, tokenHash string, created, expires time.Time) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return insertRefreshToken(ctx, tx, tokenHash, tokenHash, developerID, created, expires)
	})
}

// RotateRefreshToken consumes a token and stores the next one of its family, and returns its developer.
// aggregator.ErrNotFound: the token is not good; when it had been used before, its family is ended.
func (s *Store) RotateRefreshToken(ctx context.Context, tokenHash, nextHash string, now, expires time.Time) (developer aggregator.Developer, err error) {
	var refused error
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var family string
		var created sqlite.Time
		err := tx.QueryRowContext(ctx, `UPDATE refresh_token SET used_at = $1
			WHERE token_hash = $2 AND used_at IS NULL AND revoked_at IS NULL AND expires_at > $1 RETURNING family, developer_id`,
			sqlite.At(now), tokenHash).Scan(&family, &developer.ID)
		if err := found(err, "use refresh token"); errors.Is(err, aggregator.ErrNotFound) {
			refused = err // what follows is committed all the same
			_, err := tx.ExecContext(ctx, `UPDATE refresh_token SET revoked_at = $1 WHERE revoked_at IS NULL AND family IN
				(SELECT family FROM refresh_token WHERE token_hash = $2 AND used_at IS NOT NULL)`, sqlite.At(now), tokenHash)
			if err != nil {
				return fmt.Errorf("end family of refresh tokens: %w", err)
			}
			return nil
		} else if err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, `SELECT email, created_at FROM developer WHERE id = $1`, developer.ID).Scan(&developer.Email, &created); err != nil {
			return fmt.Errorf("read developer: %w", err)
		}
		developer.Created = created.Time
		return insertRefreshToken(ctx, tx, nextHash, family, developer.ID, now, expires)
	})
	return developer, errors.Join(err, refused)
}

func insertRefreshToken(ctx context.Context, tx *sqlite.Tx, tokenHash, family, developerID string, created, expires time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO refresh_token (token_hash, family, developer_id, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)`,
		tokenHash, family, developerID, sqlite.At(created), sqlite.At(expires))
	if err != nil {
		return fmt.Errorf("store refresh token: %w", err)
	}
	return nil
}

// PruneDevelopers removes links, sign-ins and refresh tokens, of the operator too, that ended before the time.
func (s *Store) PruneDevelopers(ctx context.Context, before time.Time) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, statement := range []string{
			`DELETE FROM sign_in_link WHERE created_at < $1`,
			`DELETE FROM developer_session WHERE expires_at < $1 OR revoked_at < $1`,
			`DELETE FROM refresh_token WHERE expires_at < $1`,
			`DELETE FROM operator_access WHERE expires_at < $1 OR ended_at < $1`,
		} {
			if _, err := tx.ExecContext(ctx, statement, sqlite.At(before)); err != nil {
				return fmt.Errorf("prune the control panel: %w", err)
			}
		}
		return nil
	})
}

func readDeveloperSession(row scanner, more ...any) (aggregator.DeveloperSession, error) {
	var s aggregator.DeveloperSession
	var created, lastSeen, expires sqlite.Time
	err := row.Scan(append([]any{&s.ID, &s.DeveloperID, &s.Device, &created, &lastSeen, &expires}, more...)...)
	s.Created, s.LastSeen, s.Expires = created.Time, lastSeen.Time, expires.Time
	return s, found(err, "read developer session")
}
