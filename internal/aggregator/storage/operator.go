package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"florin/internal/aggregator"
	"florin/internal/sqlite"
)

// CreateOperatorLink stores a link that opens the operator's pages once.
func (s *Store) CreateOperatorLink(ctx context.Context, tokenHash string, created, expires time.Time) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error { return insertOperatorAccess(ctx, tx, "link", tokenHash, created, expires) })
}

// UseOperatorLink consumes a link and stores the browser that used it. aggregator.ErrNotFound: the link is not good at now.
func (s *Store) UseOperatorLink(ctx context.Context, tokenHash, browserHash string, now, expires time.Time) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE operator_access SET ended_at = $1
			WHERE token_hash = $2 AND kind = 'link' AND ended_at IS NULL AND expires_at > $1`, sqlite.At(now), tokenHash)
		if err := changed(result, err, "use operator link"); err != nil {
			return err
		}
		return insertOperatorAccess(ctx, tx, "browser", browserHash, now, expires)
	})
}

// IsOperator reports whether the browser with the token used a link and has not ended by now.
func (s *Store) IsOperator(ctx context.Context, browserHash string, now time.Time) (bool, error) {
	var one int
	err := found(s.db.Read().QueryRowContext(ctx, `SELECT 1 FROM operator_access
		WHERE token_hash = $1 AND kind = 'browser' AND ended_at IS NULL AND expires_at > $2`, browserHash, sqlite.At(now)).Scan(&one), "read operator access")
	if errors.Is(err, aggregator.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// EndOperator ends the access of a browser; ending one that has none is no error.
func (s *Store) EndOperator(ctx context.Context, browserHash string, now time.Time) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE operator_access SET ended_at = $1 WHERE token_hash = $2 AND kind = 'browser' AND ended_at IS NULL`,
			sqlite.At(now), browserHash)
		if err != nil {
			return fmt.Errorf("end operator access: %w", err)
		}
		return nil
	})
}

func insertOperatorAccess(ctx context.Context, tx *sqlite.Tx, kind, tokenHash string, created, expires time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO operator_access (token_hash, kind, created_at, expires_at) VALUES ($1, $2, $3, $4)`,
		tokenHash, kind, sqlite.At(created), sqlite.At(expires))
	if err != nil {
		return fmt.Errorf("store operator access: %w", err)
	}
	return nil
}
