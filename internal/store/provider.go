package store

import (
	"context"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

const providerColumns = `id, name, base_url, registration_url, issuer, audience, application_id, redirect_url, environment, private_key, created, updated`

func (s *Store) scanProvider(row scanner) (finance.Provider, error) {
	var p finance.Provider
	var sealed string
	var created, updated sqlite.Time
	err := row.Scan(&p.ID, &p.Name, &p.BaseURL, &p.RegistrationURL, &p.Issuer, &p.Audience, &p.ApplicationID, &p.RedirectURL,
		&p.Environment, &sealed, &created, &updated)
	if err != nil {
		return p, err
	}
	p.Created, p.Updated = created.Time, updated.Time
	key, err := s.key.open(sealed, "provider", "private_key", p.ID)
	p.PrivateKey = finance.Secret(key)
	return p, err
}

// Providers lists all providers by name. They belong to the installation, not to a user.
func (s *Store) Providers(ctx context.Context) ([]finance.Provider, error) {
	return collect(ctx, s.db.Read(), s.scanProvider, `SELECT `+providerColumns+` FROM provider ORDER BY name, id`)
}

// Provider returns a provider by id, or finance.ErrNotFound.
func (s *Store) Provider(ctx context.Context, id string) (finance.Provider, error) {
	p, err := s.scanProvider(s.db.Read().QueryRowContext(ctx, `SELECT `+providerColumns+` FROM provider WHERE id = $1`, id))
	return p, notFound(err)
}

// SaveProvider stores a provider, or the new registration of one that exists. Created and Updated are set by the store.
func (s *Store) SaveProvider(ctx context.Context, p finance.Provider) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO provider (id, name, base_url, registration_url, issuer, audience, application_id, redirect_url, environment, private_key, created, updated)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
			ON CONFLICT (id) DO UPDATE SET name = excluded.name, base_url = excluded.base_url, registration_url = excluded.registration_url,
				issuer = excluded.issuer, audience = excluded.audience, application_id = excluded.application_id, redirect_url = excluded.redirect_url,
				environment = excluded.environment, private_key = excluded.private_key, updated = excluded.updated`,
			p.ID, p.Name, p.BaseURL, p.RegistrationURL, p.Issuer, p.Audience, p.ApplicationID, p.RedirectURL, p.Environment,
			s.key.seal(p.PrivateKey.Reveal(), "provider", "private_key", p.ID), sqlite.At(tx.Now))
		return err
	})
}
