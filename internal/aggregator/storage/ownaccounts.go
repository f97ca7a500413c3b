package storage

import (
	"context"
	"fmt"

	"florin/internal/aggregator"
	"florin/internal/sqlite"
)

// CreateLinking notes that an authorisation links own accounts of the developer. stateHash is the SHA-256 of its state.
func (s *Store) CreateLinking(ctx context.Context, l aggregator.Linking, stateHash string) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO linking (authorization_id, developer_id, state_hash) VALUES ($1, $2, $3)`,
			l.AuthorizationID, l.DeveloperID, stateHash)
		if err != nil {
			return fmt.Errorf("store linking: %w", err)
		}
		return nil
	})
}

// Linking returns the linking of the developer with this state.
func (s *Store) Linking(ctx context.Context, developerID, stateHash string) (aggregator.Linking, error) {
	var l aggregator.Linking
	err := s.db.Read().QueryRowContext(ctx, `SELECT linking.authorization_id, application_id, developer_id
		FROM linking JOIN session ON session.authorization_id = linking.authorization_id
		WHERE state_hash = $1 AND developer_id = $2`, stateHash, developerID).
		Scan(&l.AuthorizationID, &l.ApplicationID, &l.DeveloperID)
	return l, found(err, "read linking")
}

// LinkingOf returns the linking that an authorisation is; aggregator.ErrNotFound: it links nothing.
func (s *Store) LinkingOf(ctx context.Context, authorizationID string) (aggregator.Linking, error) {
	var l aggregator.Linking
	err := s.db.Read().QueryRowContext(ctx, `SELECT linking.authorization_id, application_id, developer_id
		FROM linking JOIN session ON session.authorization_id = linking.authorization_id
		WHERE linking.authorization_id = $1`, authorizationID).
		Scan(&l.AuthorizationID, &l.ApplicationID, &l.DeveloperID)
	return l, found(err, "read linking")
}

// LinkAccounts adds own accounts to an application; those that are linked already stay as they are. A PENDING
// application becomes ACTIVE and is restricted to them.
func (s *Store) LinkAccounts(ctx context.Context, applicationID string, accounts []aggregator.OwnAccount) error {
	from, to := aggregator.ApplicationTransition(aggregator.ApplicationLinked)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, a := range accounts {
			_, err := tx.ExecContext(ctx, `INSERT INTO own_account (application_id, hash, aspsp_name, aspsp_country, label, linked_at)
				VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (application_id, hash) DO NOTHING`,
				applicationID, a.Hash, a.ASPSP.Name, a.ASPSP.Country, a.Label, sqlite.At(a.Linked))
			if err != nil {
				return fmt.Errorf("link account: %w", err)
			}
		}
		if _, err := tx.ExecContext(ctx, `UPDATE application SET status = $1, restricted = 1 WHERE id = $2 AND status = $3`, to, applicationID, from); err != nil {
			return fmt.Errorf("activate application: %w", err)
		}
		return nil
	})
}

// UnlinkAccount takes an own account from an application. aggregator.ErrNotFound: it is not linked.
func (s *Store) UnlinkAccount(ctx context.Context, applicationID, hash string) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		result, err := tx.ExecContext(ctx, `DELETE FROM own_account WHERE application_id = $1 AND hash = $2`, applicationID, hash)
		return changed(result, err, "unlink account")
	})
}

// OwnAccounts returns the accounts that are linked to an application, by bank and label.
func (s *Store) OwnAccounts(ctx context.Context, applicationID string) ([]aggregator.OwnAccount, error) {
	rows, err := s.db.Read().QueryContext(ctx, `SELECT hash, aspsp_name, aspsp_country, label, linked_at FROM own_account
		WHERE application_id = $1 ORDER BY aspsp_name, aspsp_country, label, hash`, applicationID)
	if err != nil {
		return nil, fmt.Errorf("read own accounts: %w", err)
	}
	defer rows.Close()
	var list []aggregator.OwnAccount
	for rows.Next() {
		var a aggregator.OwnAccount
		var linked sqlite.Time
		if err := rows.Scan(&a.Hash, &a.ASPSP.Name, &a.ASPSP.Country, &a.Label, &linked); err != nil {
			return nil, fmt.Errorf("read own account: %w", err)
		}
		a.Linked = linked.Time
		list = append(list, a)
	}
	return list, rows.Err()
}
