package storage

import (
	"context"
	"fmt"
	"time"

	"florin/internal/sqlite"
)

// How long ended rows are kept, so that a person who comes back late still learns why.
const (
	keepVisits         = 24 * time.Hour      // visits to a simulated bank without a consent
	keepAuthorizations = 30 * 24 * time.Hour // authorisations without a session
	keepPayments       = 30 * 24 * time.Hour // final payments, and events that were delivered or given up
)

// Purge deletes what was over a while before now: visits to a simulated bank that ended without a consent, authorisations
// that ended without a session, final payments, and events that are on their way no longer. Sessions and consents stay,
// ended ones too; an event stays as long as it has to, whatever becomes of its payment.
func (s *Store) Purge(ctx context.Context, now time.Time) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, purge := range []struct {
			what, statement string
			keep            time.Duration
		}{
			{"visits to banks", `DELETE FROM bank_flow WHERE expires < $1 AND step NOT IN ('finished', 'ended')`, keepVisits},
			{"linkings", `DELETE FROM linking WHERE authorization_id IN
				(SELECT authorization_id FROM session WHERE created < $1 AND status IN ('CANCELLED', 'INVALID'))`, keepAuthorizations},
			{"authorisations", `DELETE FROM session WHERE created < $1 AND status IN ('CANCELLED', 'INVALID')`, keepAuthorizations},
			{"payments", `DELETE FROM payment WHERE final = 1 AND changed < $1`, keepPayments},
			{"attempts", `DELETE FROM webhook_attempt WHERE webhook_id IN
				(SELECT webhook_id FROM webhook WHERE coalesce(delivered, given_up) < $1)`, keepPayments},
			{"events", `DELETE FROM webhook WHERE coalesce(delivered, given_up) < $1`, keepPayments},
		} {
			if _, err := tx.ExecContext(ctx, purge.statement, sqlite.At(now.Add(-purge.keep))); err != nil {
				return fmt.Errorf("purge %s: %w", purge.what, err)
			}
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM visit
			WHERE authorization_id NOT IN (SELECT authorization_id FROM session UNION ALL SELECT payment_id FROM payment)`)
		if err != nil {
			return fmt.Errorf("purge visits: %w", err)
		}
		return nil
	})
}
