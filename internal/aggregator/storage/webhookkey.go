package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"florin/internal/aggregator"
	"florin/internal/sqlite"
)

const webhookKeyColumns = `kid, purpose, sealed, certificate, created, expires`

// WebhookKey returns the key in use for a purpose.
func (s *Store) WebhookKey(ctx context.Context, purpose aggregator.WebhookKeyPurpose) (aggregator.WebhookKey, error) {
	return readWebhookKey(s.db.Read().QueryRowContext(ctx, `SELECT `+webhookKeyColumns+` FROM webhook_key WHERE purpose = $1 AND sealed <> ''`, purpose))
}

// WebhookCertificate returns the key with the id, also one that was replaced, as long as its certificate is good at now.
func (s *Store) WebhookCertificate(ctx context.Context, kid string, now time.Time) (aggregator.WebhookKey, error) {
	return readWebhookKey(s.db.Read().QueryRowContext(ctx, `SELECT `+webhookKeyColumns+` FROM webhook_key WHERE kid = $1 AND expires > $2`, kid, sqlite.At(now)))
}

// ReplaceWebhookKey puts a new key in place of the one with the id old, empty for none, whose private half it removes;
// keys whose certificates have run out go. aggregator.ErrConflict: the key in use is another one by now.
func (s *Store) ReplaceWebhookKey(ctx context.Context, old string, key aggregator.WebhookKey) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if old != "" {
			result, err := tx.ExecContext(ctx, `UPDATE webhook_key SET sealed = '' WHERE kid = $1 AND purpose = $2 AND sealed <> ''`, old, key.Purpose)
			if err := changed(result, err, "retire key of webhooks"); errors.Is(err, aggregator.ErrNotFound) {
				return aggregator.ErrConflict
			} else if err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM webhook_key WHERE sealed = '' AND expires <= $1`, sqlite.At(key.Created)); err != nil {
			return fmt.Errorf("remove keys of webhooks: %w", err)
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO webhook_key (`+webhookKeyColumns+`) VALUES ($1, $2, $3, $4, $5, $6)`,
			key.ID, key.Purpose, key.Sealed, key.Certificate, sqlite.At(key.Created), sqlite.At(key.Expires))
		if sqlite.IsUnique(err) {
			return aggregator.ErrConflict
		}
		if err != nil {
			return fmt.Errorf("store key of webhooks: %w", err)
		}
		return nil
	})
}

func readWebhookKey(row scanner) (aggregator.WebhookKey, error) {
	var k aggregator.WebhookKey
	var created, expires sqlite.Time
	err := row.Scan(&k.ID, &k.Purpose, &k.Sealed, &k.Certificate, &created, &expires)
	if err := found(err, "read key of webhooks"); err != nil {
		return aggregator.WebhookKey{}, err
	}
	k.Created, k.Expires = created.Time, expires.Time
	return k, nil
}
