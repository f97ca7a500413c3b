package storage

import (
	"context"
	"database/sql"
	"fmt"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

const applicationColumns = `id, owner_id, name, description, environment, status, redirect_urls, webhook_origins, allowed_ips, services,
	restricted, gdpr_email, privacy_url, terms_url, created_at`

// CreateApplication stores a new application with its first key. aggregator.ErrConflict: the id is taken, or the owner
// has limit applications already; zero is no limit.
func (s *Store) CreateApplication(ctx context.Context, a aggregator.Application, key aggregator.ApplicationKey, limit int) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if limit > 0 {
			var count int
			err := tx.QueryRowContext(ctx, `SELECT count(*) FROM application WHERE owner_id = $1 AND status <> $2`, a.OwnerID,
				aggregator.ApplicationDeleted).Scan(&count)
			if err != nil {
				return fmt.Errorf("count applications: %w", err)
			}
			if count >= limit {
				return aggregator.ErrConflict
			}
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO application (`+applicationColumns+`)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
			a.ID, nullText(a.OwnerID), a.Name, a.Description, a.Environment, a.Status, doc(&a.RedirectURLs), doc(&a.WebhookOrigins), doc(&a.AllowedIPs),
			doc(&a.Services), a.Restricted, a.GDPREmail, a.PrivacyURL, a.TermsURL, sqlite.At(a.CreatedAt))
		if sqlite.IsUnique(err) {
			return aggregator.ErrConflict
		}
		if err != nil {
			return fmt.Errorf("create application: %w", err)
		}
		return insertKey(ctx, tx, a.ID, key)
	})
}

// Application returns the application with the id, also a deleted one.
func (s *Store) Application(ctx context.Context, id string) (aggregator.Application, error) {
	return sqlite.Remember(ctx, s.db, sqlite.Key{"application", id}, func() (aggregator.Application, error) {
		return readApplication(s.db.Read().QueryRowContext(ctx, `SELECT `+applicationColumns+` FROM application WHERE id = $1`, id))
	})
}

// OwnApplication returns the application with the id if it belongs to the developer and is not deleted.
func (s *Store) OwnApplication(ctx context.Context, ownerID, id string) (aggregator.Application, error) {
	return readApplication(s.db.Read().QueryRowContext(ctx, `SELECT `+applicationColumns+` FROM application
		WHERE id = $1 AND owner_id = $2 AND status <> $3`, id, ownerID, aggregator.ApplicationDeleted))
}

// OwnApplications returns the applications of a developer that are not deleted, the newest first.
func (s *Store) OwnApplications(ctx context.Context, ownerID string) ([]aggregator.Application, error) {
	return s.applications(ctx, `SELECT `+applicationColumns+` FROM application WHERE owner_id = $1 AND status <> $2 ORDER BY created_at DESC, id`,
		ownerID, aggregator.ApplicationDeleted)
}

// UnapprovedApplications returns the PRODUCTION applications that are pending or limited to own accounts, the oldest
// first, at most limit.
func (s *Store) UnapprovedApplications(ctx context.Context, limit int) ([]aggregator.Application, error) {
	return s.applications(ctx, `SELECT `+applicationColumns+` FROM application
		WHERE environment = $1 AND (status = $2 OR restricted = 1 AND status <> $3) ORDER BY created_at, id LIMIT $4`,
		openbanking.EnvironmentProduction, aggregator.ApplicationPending, aggregator.ApplicationDeleted, limit)
}

// ApproveApplication activates an application that is pending and lifts its limit to own accounts.
// aggregator.ErrNotFound: it is not one of UnapprovedApplications.
func (s *Store) ApproveApplication(ctx context.Context, id string) error {
	from, to := aggregator.ApplicationTransition(aggregator.ApplicationApproved)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE application SET status = CASE status WHEN $1 THEN $2 ELSE status END, restricted = 0
			WHERE id = $3 AND environment = $4 AND (status = $1 OR restricted = 1 AND status <> $5)`,
			from, to, id, openbanking.EnvironmentProduction, aggregator.ApplicationDeleted)
		return changed(result, err, "approve application")
	})
}

// ProductionApplications returns the PRODUCTION applications that are not deleted, the newest first, at most limit.
func (s *Store) ProductionApplications(ctx context.Context, limit int) ([]aggregator.Application, error) {
	return s.applications(ctx, `SELECT `+applicationColumns+` FROM application WHERE environment = $1 AND status <> $2 ORDER BY created_at DESC, id LIMIT $3`,
		openbanking.EnvironmentProduction, aggregator.ApplicationDeleted, limit)
}

// OperatorApplications returns the applications of the operator that are not deleted, the newest first, at most limit.
func (s *Store) OperatorApplications(ctx context.Context, limit int) ([]aggregator.Application, error) {
	return s.applications(ctx, `SELECT `+applicationColumns+` FROM application WHERE owner_id IS NULL AND status <> $1 ORDER BY created_at DESC, id LIMIT $2`,
		aggregator.ApplicationDeleted, limit)
}

// SetServices gives a PRODUCTION application other services. aggregator.ErrNotFound: it is not one, or deleted.
func (s *Store) SetServices(ctx context.Context, id string, services []openbanking.Service) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE application SET services = $1 WHERE id = $2 AND environment = $3 AND status <> $4`,
			doc(&services), id, openbanking.EnvironmentProduction, aggregator.ApplicationDeleted)
		return changed(result, err, "set services")
	})
}

func (s *Store) applications(ctx context.Context, query string, args ...any) ([]aggregator.Application, error) {
	rows, err := s.db.Read().QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read applications: %w", err)
	}
	defer rows.Close()
	var list []aggregator.Application
	for rows.Next() {
		a, err := readApplication(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, rows.Err()
}

// UpdateApplication stores what the owner of an application may change: texts, addresses and the mode of own accounts.
// aggregator.ErrNotFound: there is none, it belongs to somebody else, or it is deleted.
func (s *Store) UpdateApplication(ctx context.Context, a aggregator.Application) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE application SET name = $1, description = $2, redirect_urls = $3, webhook_origins = $4,
				allowed_ips = $5, gdpr_email = $6, privacy_url = $7, terms_url = $8, restricted = $9
			WHERE id = $10 AND owner_id = $11 AND status <> $12`,
			a.Name, a.Description, doc(&a.RedirectURLs), doc(&a.WebhookOrigins), doc(&a.AllowedIPs), a.GDPREmail, a.PrivacyURL, a.TermsURL,
			a.Restricted, a.ID, a.OwnerID, aggregator.ApplicationDeleted)
		return changed(result, err, "update application")
	})
}

// SetWebhookOrigins gives an application that is the operator's own other origins of webhooks. aggregator.ErrNotFound: there is none.
func (s *Store) SetWebhookOrigins(ctx context.Context, id string, origins []string) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE application SET webhook_origins = $1 WHERE id = $2 AND owner_id IS NULL AND status <> $3`,
			doc(&origins), id, aggregator.ApplicationDeleted)
		return changed(result, err, "set webhook origins")
	})
}

// MoveApplication applies an event to an application of the developer. aggregator.ErrNotFound: it is not in the state in
// which the event may happen, or belongs to somebody else.
func (s *Store) MoveApplication(ctx context.Context, ownerID, id string, event aggregator.ApplicationEvent) error {
	from, to := aggregator.ApplicationTransition(event)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE application SET status = $1 WHERE id = $2 AND status = $3 AND owner_id = $4`,
			to, id, from, ownerID)
		return changed(result, err, "move application")
	})
}

// DeleteApplication ends an application of the developer for good: its keys, linked accounts and log go, and so does
// everything in its row but the name, which the records of its sessions need. aggregator.ErrNotFound as for UpdateApplication.
func (s *Store) DeleteApplication(ctx context.Context, ownerID, id string) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE application SET status = $1, description = '', redirect_urls = '[]', webhook_origins = '[]',
				allowed_ips = '[]', gdpr_email = '', privacy_url = '', terms_url = ''
			WHERE id = $2 AND owner_id = $3 AND status <> $1`, aggregator.ApplicationDeleted, id, ownerID)
		if err := changed(result, err, "delete application"); err != nil {
			return err
		}
		for _, statement := range []string{
			`DELETE FROM application_key WHERE application_id = $1`,
			`DELETE FROM own_account WHERE application_id = $1`,
			`DELETE FROM request_log WHERE application_id = $1`,
		} {
			if _, err := tx.ExecContext(ctx, statement, id); err != nil {
				return fmt.Errorf("delete what belongs to an application: %w", err)
			}
		}
		return nil
	})
}

// OrphanedSessions returns sessions that are open although their application is deleted, at most limit.
func (s *Store) OrphanedSessions(ctx context.Context, limit int) ([]aggregator.Session, error) {
	return s.sessions(ctx, `SELECT `+sessionColumns+` FROM session
		WHERE due IS NOT NULL AND application_id IN (SELECT id FROM application WHERE application.status = $1) LIMIT $2`, aggregator.ApplicationDeleted, limit)
}

func (s *Store) sessions(ctx context.Context, query string, args ...any) ([]aggregator.Session, error) {
	rows, err := s.db.Read().QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read sessions: %w", err)
	}
	defer rows.Close()
	var list []aggregator.Session
	for rows.Next() {
		row, err := readSession(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, rows.Err()
}

func readApplication(row scanner) (aggregator.Application, error) {
	var a aggregator.Application
	var owner sql.NullString
	var created sqlite.Time
	err := row.Scan(&a.ID, &owner, &a.Name, &a.Description, &a.Environment, &a.Status, doc(&a.RedirectURLs), doc(&a.WebhookOrigins), doc(&a.AllowedIPs),
		doc(&a.Services), &a.Restricted, &a.GDPREmail, &a.PrivacyURL, &a.TermsURL, &created)
	a.OwnerID, a.CreatedAt = owner.String, created.Time
	return a, found(err, "read application")
}
