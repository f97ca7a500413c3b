package storage

import (
	"context"
	"fmt"
	"time"

	"florin/internal/aggregator"
	"florin/internal/sqlite"
)

// TakeFetch takes one unit of a bucket that holds capacity of them, of which one comes back at a time, and reports whether
// there was one. A bucket is a row: it outlives a restart, and parallel calls take different units.
func (s *Store) TakeFetch(ctx context.Context, b aggregator.FetchBucket, now time.Time, capacity int, every time.Duration) (bool, error) {
	taken := false
	err := s.db.Write(ctx, func(tx *sqlite.Tx) error {
		taken = false
		var stored sqlite.NullTime
		err := tx.QueryRowContext(ctx, `SELECT MAX(full_at) FROM bank_fetch
			WHERE aspsp_country = $1 AND aspsp_name = $2 AND reference = $3 AND kind = $4`,
			b.ASPSP.Country, b.ASPSP.Name, b.Reference, b.Kind).Scan(&stored)
		if err != nil {
			return fmt.Errorf("read what a bank's limit has left: %w", err)
		}
		full := now
		if stored.Time.After(now) {
			full = stored.Time
		}
		if full = full.Add(every); full.After(now.Add(time.Duration(capacity) * every)) {
			return nil
		}
		taken = true
		_, err = tx.ExecContext(ctx, `INSERT INTO bank_fetch (aspsp_country, aspsp_name, reference, kind, full_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (aspsp_country, aspsp_name, reference, kind) DO UPDATE SET full_at = excluded.full_at`,
			b.ASPSP.Country, b.ASPSP.Name, b.Reference, b.Kind, sqlite.At(full))
		if err != nil {
			return fmt.Errorf("use up a bank's limit: %w", err)
		}
		return nil
	})
	return taken && err == nil, err
}
