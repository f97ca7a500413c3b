package storage

import (
	"context"
	"fmt"
	"time"

	"florin/internal/sqlite"
)

// How long what came to nothing is kept, so that whoever comes back late still reads why.
const (
	keepVisits         = 24 * time.Hour      // visits to a simulated bank without a consent
	keepAuthorizations = 30 * 24 * time.Hour // authorisations without a session
)

// Purge deletes what came to nothing a while before now: visits to a simulated bank that ended without a consent, and
// authorisations that ended without a session. Sessions and consents stay, ended ones too.
func (s *Store) Purge(ctx context.Context, now time.Time) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM bank_flow WHERE expires < $1 AND step NOT IN ('finished', 'ended')`, sqlite.At(now.Add(-keepVisits)))
		if err != nil {
			return fmt.Errorf("purge visits: %w", err)
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM session WHERE created < $1 AND status IN ('CANCELLED', 'INVALID')`, sqlite.At(now.Add(-keepAuthorizations)))
		if err != nil {
			return fmt.Errorf("purge authorisations: %w", err)
		}
		return nil
	})
}
