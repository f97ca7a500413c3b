package store

import (
	"context"
	"errors"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

const setupColumns = `id, name, base_url, issuer, audience, application_id, private_key, certificate, examination, created, updated`

func (s *Store) scanSetup(row scanner) (finance.ProviderSetup, error) {
	var p finance.ProviderSetup
	var sealed, examination string
	var created, updated sqlite.Time
	err := row.Scan(&p.ID, &p.Name, &p.BaseURL, &p.Issuer, &p.Audience, &p.ApplicationID, &sealed, &p.Certificate, &examination, &created, &updated)
	if err != nil {
		return p, err
	}
	p.Created, p.Updated = created.Time, updated.Time
	if p.Examination, err = parseExamination(examination); err != nil {
		return p, err
	}
	key, err := s.key.open(sealed, "provider_setup", "private_key", p.ID)
	p.PrivateKey = finance.Secret(key)
	return p, err
}

// ProviderSetups lists all setups, the oldest first. They belong to the installation, not to a user.
func (s *Store) ProviderSetups(ctx context.Context) (_ []finance.ProviderSetup, err error) {
	defer doing("read provider setups", &err)
	return collect(ctx, s.db.Read(), s.scanSetup, `SELECT `+setupColumns+` FROM provider_setup ORDER BY created, id`)
}

// ProviderSetup returns the setup of the provider with this id, or finance.ErrNotFound.
func (s *Store) ProviderSetup(ctx context.Context, id string) (_ finance.ProviderSetup, err error) {
	defer doing("read provider setup", &err)
	p, err := s.scanSetup(s.db.Read().QueryRowContext(ctx, `SELECT `+setupColumns+` FROM provider_setup WHERE id = $1`, id))
	return p, notFound(err)
}

// ErrSetupExists says that there is a setup under this id already.
var ErrSetupExists = errors.New("this provider is being set up already")

// CreateProviderSetup stores a new setup and returns it with its times; ErrSetupExists when its id is taken by one.
func (s *Store) CreateProviderSetup(ctx context.Context, p finance.ProviderSetup) (_ finance.ProviderSetup, err error) {
	defer doing("create provider setup", &err)
	examination, err := examinationText(p.Examination)
	if err != nil {
		return p, err
	}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		p.Created, p.Updated = tx.Now, tx.Now
		_, err := tx.ExecContext(ctx, `
			INSERT INTO provider_setup (id, name, base_url, issuer, audience, application_id, private_key, certificate, examination, created, updated)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)`,
			p.ID, p.Name, p.BaseURL, p.Issuer, p.Audience, p.ApplicationID, s.key.seal(p.PrivateKey.Reveal(), "provider_setup", "private_key", p.ID),
			p.Certificate, examination, sqlite.At(tx.Now))
		if sqlite.IsUnique(err) {
			return ErrSetupExists
		}
		return err
	})
	return p, err
}

// ChangeProviderSetup stores what was typed since, with the examination of it; finance.ErrNotFound when the setup is over, or was changed since it
// was read. Updated is set.
func (s *Store) ChangeProviderSetup(ctx context.Context, p finance.ProviderSetup) (_ finance.ProviderSetup, err error) {
	defer doing("change provider setup", &err)
	examination, err := examinationText(p.Examination)
	if err != nil {
		return p, err
	}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		read := p.Updated
		p.Updated = tx.Now
		return changed(tx.ExecContext(ctx, `
			UPDATE provider_setup SET name = $1, base_url = $2, issuer = $3, audience = $4, application_id = $5, private_key = $6, certificate = $7, examination = $8, updated = $9
			WHERE id = $10 AND updated = $11`,
			p.Name, p.BaseURL, p.Issuer, p.Audience, p.ApplicationID, s.key.seal(p.PrivateKey.Reveal(), "provider_setup", "private_key", p.ID), p.Certificate,
			examination,
			sqlite.At(tx.Now), p.ID, sqlite.At(read)))
	})
	return p, err
}

// DeleteProviderSetup throws a setup away with its key; finance.ErrNotFound when there is none.
func (s *Store) DeleteProviderSetup(ctx context.Context, id string) (err error) {
	defer doing("delete provider setup", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `DELETE FROM provider_setup WHERE id = $1`, id))
	})
}
