package store

import (
	"context"
	"encoding/json"
	"fmt"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// fillIdentities computes the identity of rows from an older version again, from the bank's record (repair/00001_identity.sql).
func (s *Store) fillIdentities(ctx context.Context) error {
	type old struct {
		id                int64
		account, original string
	}
	for last := int64(0); ; {
		some, err := collect(ctx, s.db.Read(), func(row scanner) (o old, err error) { return o, row.Scan(&o.id, &o.account, &o.original) },
			`SELECT b.id, b.account_id, r.original FROM booked_transaction b JOIN transaction_record r ON r.transaction_id = b.id
			WHERE b.content = '' AND b.id > $1 ORDER BY b.id LIMIT 1000`, last)
		if err != nil || len(some) == 0 {
			return err
		}
		last = some[len(some)-1].id
		err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
			for _, o := range some {
				var wire openbanking.Transaction
				if err := json.Unmarshal([]byte(o.original), &wire); err != nil {
					return fmt.Errorf("record of row %d: %w", o.id, err)
				}
				id := finance.Identify(wire)
				if _, err := tx.ExecContext(ctx, `UPDATE booked_transaction SET identity = $1, reference = $2, content = $3,
						ordinal = (SELECT COUNT(*) FROM booked_transaction t WHERE t.account_id = $4 AND t.identity = $1)
					WHERE id = $5`, id.Key, id.Reference, id.Content, o.account, o.id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}
