package storage

import (
	"context"
	"fmt"

	"florin/internal/aggregator"
	"florin/internal/sqlite"
)

// CreateApplication stores a new application.
func (s *Store) CreateApplication(ctx context.Context, a aggregator.Application) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO application
			(id, name, description, environment, redirect_urls, webhook_origins, services, gdpr_email, privacy_url, terms_url, active, public_key, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
			a.ID, a.Name, a.Description, a.Environment, doc(&a.RedirectURLs), doc(&a.WebhookOrigins), doc(&a.Services),
			a.GDPREmail, a.PrivacyURL, a.TermsURL, a.Active, a.PublicKeyPEM, sqlite.At(a.CreatedAt))
		if err != nil {
			return fmt.Errorf("create application: %w", err)
		}
		return nil
	})
}

// Application returns the application with the id.
func (s *Store) Application(ctx context.Context, id string) (aggregator.Application, error) {
	var a aggregator.Application
	var created sqlite.Time
	err := s.db.Read().QueryRowContext(ctx, `SELECT id, name, description, environment, redirect_urls, webhook_origins, services,
			gdpr_email, privacy_url, terms_url, active, public_key, created_at
		FROM application WHERE id = $1`, id).
		Scan(&a.ID, &a.Name, &a.Description, &a.Environment, doc(&a.RedirectURLs), doc(&a.WebhookOrigins), doc(&a.Services),
			&a.GDPREmail, &a.PrivacyURL, &a.TermsURL, &a.Active, &a.PublicKeyPEM, &created)
	a.CreatedAt = created.Time
	return a, found(err, "read application")
}
