package storage

import (
	"context"
	"fmt"
	"time"

	"florin/internal/sqlite"
)

// TakeOver ends the leases of a process before this one. Call it when the service starts, before its background work: one Florin serves a data directory
// (ADR 0011), so nobody else holds anything.
func (s *Store) TakeOver(ctx context.Context) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, query := range []string{
			`UPDATE payment SET lease_until = NULL WHERE lease_until IS NOT NULL`,
			`UPDATE webhook SET lease_until = NULL WHERE lease_until IS NOT NULL`,
		} {
			if _, err := tx.ExecContext(ctx, query); err != nil {
				return fmt.Errorf("take over leases: %w", err)
			}
		}
		return nil
	})
}

// farthest is how far ahead a schedule puts what is due next: a little more than an hour. What lies farther was written while the clock was wrong.
const farthest = 3 * time.Hour

// ClampDue makes due at now what is due later than any schedule puts it, and returns how much that was: the clock was ahead, and nothing would happen
// until it is there again.
func (s *Store) ClampDue(ctx context.Context, now time.Time) (clamped int64, err error) {
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		clamped = 0
		for _, query := range []string{
			`UPDATE payment SET due = $1 WHERE due > $2`,
			`UPDATE payment SET lease_until = $1 WHERE lease_until > $2`,
			`UPDATE webhook SET due = $1 WHERE due > $2`,
			`UPDATE webhook SET resend = $1 WHERE resend > $2`,
			`UPDATE webhook SET lease_until = $1 WHERE lease_until > $2`,
		} {
			r, err := tx.ExecContext(ctx, query, sqlite.At(now), sqlite.At(now.Add(farthest)))
			if err != nil {
				return fmt.Errorf("clamp what is due: %w", err)
			}
			n, err := r.RowsAffected()
			if err != nil {
				return fmt.Errorf("clamp what is due: %w", err)
			}
			clamped += n
		}
		return nil
	})
	return clamped, err
}
