package storage

import (
	"context"
	"fmt"
	"time"

	"florin/internal/aggregator"
	"florin/internal/sqlite"
)

// ApplicationKeys returns the keys of an application, the oldest first, those that have ended included.
func (s *Store) ApplicationKeys(ctx context.Context, applicationID string) ([]aggregator.ApplicationKey, error) {
	rows, err := s.db.Read().QueryContext(ctx, `SELECT id, public_key, created_at, ended_at FROM application_key
		WHERE application_id = $1 ORDER BY created_at, id`, applicationID)
	if err != nil {
		return nil, fmt.Errorf("read keys of an application: %w", err)
	}
	defer rows.Close()
	var keys []aggregator.ApplicationKey
	for rows.Next() {
		var k aggregator.ApplicationKey
		var created sqlite.Time
		var ended sqlite.NullTime
		if err := rows.Scan(&k.ID, &k.PEM, &created, &ended); err != nil {
			return nil, fmt.Errorf("read key of an application: %w", err)
		}
		k.Created, k.Ended = created.Time, ended.Time
		keys = append(keys, k)
	}
	return keys, rows.Err()
}

// AddKey gives an application of the developer one more key. aggregator.ErrNotFound: there is no such application;
// aggregator.ErrConflict: it has aggregator.MaxKeys good ones already, or the id is taken.
func (s *Store) AddKey(ctx context.Context, ownerID, applicationID string, key aggregator.ApplicationKey) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		good, err := countKeys(ctx, tx, ownerID, applicationID)
		if err != nil {
			return err
		}
		if good >= aggregator.MaxKeys {
			return aggregator.ErrConflict
		}
		return insertKey(ctx, tx, applicationID, key)
	})
}

// EndKey ends one key of an application of the developer. aggregator.ErrNotFound: there is no such key, or it has ended;
// aggregator.ErrConflict: it is the last good one.
func (s *Store) EndKey(ctx context.Context, ownerID, applicationID, keyID string, now time.Time) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		good, err := countKeys(ctx, tx, ownerID, applicationID)
		if err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, `UPDATE application_key SET ended_at = $1 WHERE id = $2 AND application_id = $3 AND ended_at IS NULL`,
			sqlite.At(now), keyID, applicationID)
		if err := changed(result, err, "end key"); err != nil {
			return err
		}
		if good < 2 {
			return aggregator.ErrConflict
		}
		return nil
	})
}

// countKeys counts the good keys of an application of the developer; it has one always.
func countKeys(ctx context.Context, tx *sqlite.Tx, ownerID, applicationID string) (int, error) {
	var good int
	err := tx.QueryRowContext(ctx, `SELECT count(*) FROM application_key JOIN application ON application.id = application_id
		WHERE application_id = $1 AND owner_id = $2 AND status <> $3 AND ended_at IS NULL`, applicationID, ownerID, aggregator.ApplicationDeleted).Scan(&good)
	if err != nil {
		return 0, fmt.Errorf("count keys of an application: %w", err)
	}
	if good == 0 {
		return 0, aggregator.ErrNotFound
	}
	return good, nil
}

func insertKey(ctx context.Context, tx *sqlite.Tx, applicationID string, key aggregator.ApplicationKey) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO application_key (id, application_id, public_key, created_at) VALUES ($1, $2, $3, $4)`,
		key.ID, applicationID, key.PEM, sqlite.At(key.Created))
	if sqlite.IsUnique(err) {
		return aggregator.ErrConflict
	}
	if err != nil {
		return fmt.Errorf("store key: %w", err)
	}
	return nil
}
