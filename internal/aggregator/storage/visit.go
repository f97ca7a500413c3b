package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

const visitColumns = "visit.id, visit.authorization_id, method, reference"

// BeginVisit stores a visit of an authorisation that waits for the PSU at now, a session that is PENDING_AUTHORIZATION or a
// payment that is neither approved nor over, in place of the one before, which is returned; zero when there was none. aggregator.ErrNotFound: the
// authorisation is over.
func (s *Store) BeginVisit(ctx context.Context, visit aggregator.Visit, now time.Time) (previous aggregator.Visit, err error) {
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		previous, err = scanVisit(tx.QueryRowContext(ctx, "SELECT "+visitColumns+" FROM visit WHERE authorization_id = $1", visit.AuthorizationID))
		if err != nil && !errors.Is(err, aggregator.ErrNotFound) {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM visit WHERE authorization_id = $1", visit.AuthorizationID); err != nil {
			return fmt.Errorf("end a visit: %w", err)
		}
		result, err := tx.ExecContext(ctx, `INSERT INTO visit (id, authorization_id, method, reference)
			SELECT $1, authorization_id, $2, $3 FROM session WHERE authorization_id = $4 AND status = $5 AND page_expires > $6
			UNION ALL
			SELECT $1, payment_id, $2, $3 FROM payment WHERE payment_id = $4 AND final = 0 AND auth_status IN ('', $7) AND page_expires > $6`,
			visit.ID, visit.Method, visit.Reference, visit.AuthorizationID, openbanking.SessionStatusPendingAuthorization, sqlite.At(now),
			openbanking.PaymentAuthStatusPending)
		return changed(result, err, "begin a visit")
	})
	return previous, err
}

// Visit returns a visit; aggregator.ErrNotFound when there is none, or none any more.
func (s *Store) Visit(ctx context.Context, id string) (aggregator.Visit, error) {
	return scanVisit(s.db.Read().QueryRowContext(ctx, "SELECT "+visitColumns+" FROM visit WHERE id = $1", id))
}

// VisitOf is Visit by the authorisation.
func (s *Store) VisitOf(ctx context.Context, authorizationID string) (aggregator.Visit, error) {
	return scanVisit(s.db.Read().QueryRowContext(ctx, "SELECT "+visitColumns+" FROM visit WHERE authorization_id = $1", authorizationID))
}

// SetVisitMethod stores the method of a visit and the bank's handle of it, in place of the handle from before.
// aggregator.ErrNotFound: the visit has another handle by now, or is over.
func (s *Store) SetVisitMethod(ctx context.Context, visit aggregator.Visit, from string) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		result, err := tx.ExecContext(ctx, "UPDATE visit SET method = $1, reference = $2 WHERE id = $3 AND reference = $4",
			visit.Method, visit.Reference, visit.ID, from)
		return changed(result, err, "choose a method")
	})
}

// SuppliedCredentials returns the credentials that came with an authorisation; aggregator.ErrNotFound when none came, or
// they were taken.
func (s *Store) SuppliedCredentials(ctx context.Context, authorizationID string) (aggregator.SuppliedCredentials, error) {
	var c aggregator.SuppliedCredentials
	err := s.db.Read().QueryRowContext(ctx, "SELECT sealed, autosubmit FROM supplied_credentials WHERE authorization_id = $1",
		authorizationID).Scan(&c.Sealed, &c.Autosubmit)
	return c, found(err, "read credentials")
}

// DropCredentials forgets the credentials that came with an authorisation, once: aggregator.ErrNotFound when there are none.
func (s *Store) DropCredentials(ctx context.Context, authorizationID string) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		result, err := tx.ExecContext(ctx, "DELETE FROM supplied_credentials WHERE authorization_id = $1", authorizationID)
		return changed(result, err, "drop credentials")
	})
}

// dropCredentials forgets the credentials of an authorisation that waits for the PSU no longer.
func dropCredentials(ctx context.Context, tx *sqlite.Tx, authorizationID string) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM supplied_credentials WHERE authorization_id = $1", authorizationID); err != nil {
		return fmt.Errorf("drop credentials: %w", err)
	}
	return nil
}

// insertCredentials keeps the credentials that came with an authorisation, if there are any.
func insertCredentials(ctx context.Context, tx *sqlite.Tx, authorizationID string, credentials aggregator.SuppliedCredentials) error {
	if credentials.Sealed == "" {
		return nil
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO supplied_credentials (authorization_id, sealed, autosubmit) VALUES ($1, $2, $3)",
		authorizationID, credentials.Sealed, credentials.Autosubmit)
	if err != nil {
		return fmt.Errorf("store credentials: %w", err)
	}
	return nil
}

func scanVisit(row scanner) (aggregator.Visit, error) {
	var v aggregator.Visit
	err := row.Scan(&v.ID, &v.AuthorizationID, &v.Method, &v.Reference)
	return v, found(err, "read a visit")
}
