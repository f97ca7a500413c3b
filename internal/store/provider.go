package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

const providerColumns = `id, name, base_url, registration_url, issuer, audience, application_id, redirect_url, environment, private_key, examination, created, updated, removed`

func (s *Store) scanProvider(row scanner) (finance.Provider, error) {
	var p finance.Provider
	var sealed, examination string
	var created, updated sqlite.Time
	var removed sqlite.NullTime
	err := row.Scan(&p.ID, &p.Name, &p.BaseURL, &p.RegistrationURL, &p.Issuer, &p.Audience, &p.ApplicationID, &p.RedirectURL,
		&p.Environment, &sealed, &examination, &created, &updated, &removed)
	if err != nil {
		return p, err
	}
	p.Created, p.Updated, p.Removed = created.Time, updated.Time, removed.Time
	if p.Examination, err = parseExamination(examination); err != nil {
		return p, err
	}
	key, err := s.key.open(sealed, "provider", "private_key", p.ID)
	p.PrivateKey = finance.Secret(key)
	return p, err
}

func parseExamination(text string) (finance.Examination, error) {
	var e finance.Examination
	if text == "" {
		return e, nil
	}
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return e, fmt.Errorf("examination of a provider: %w", err)
	}
	return e, nil
}

func examinationText(e finance.Examination) (string, error) {
	if !e.Done() {
		return "", nil
	}
	text, err := json.Marshal(e)
	return string(text), err
}

// Providers lists all providers by name, without those that were removed. They belong to the installation, not to a user.
func (s *Store) Providers(ctx context.Context) (_ []finance.Provider, err error) {
	defer doing("read providers", &err)
	return collect(ctx, s.db.Read(), s.scanProvider, `SELECT `+providerColumns+` FROM provider WHERE removed IS NULL ORDER BY name, id`)
}

// Provider returns a provider by id, also one that was removed, or finance.ErrNotFound.
func (s *Store) Provider(ctx context.Context, id string) (_ finance.Provider, err error) {
	defer doing("read provider", &err)
	p, err := s.scanProvider(s.db.Read().QueryRowContext(ctx, `SELECT `+providerColumns+` FROM provider WHERE id = $1`, id))
	return p, notFound(err)
}

// SaveProvider stores a provider, or the new registration of one that exists or was removed. A setup under its id is over with that. Created and
// Updated are set by the store.
func (s *Store) SaveProvider(ctx context.Context, p finance.Provider) (err error) {
	defer doing("save provider", &err)
	examination, err := examinationText(p.Examination)
	if err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM provider_setup WHERE id = $1`, p.ID); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO provider (id, name, base_url, registration_url, issuer, audience, application_id, redirect_url, environment, private_key, examination, created, updated)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)
			ON CONFLICT (id) DO UPDATE SET name = excluded.name, base_url = excluded.base_url, registration_url = excluded.registration_url,
				issuer = excluded.issuer, audience = excluded.audience, application_id = excluded.application_id, redirect_url = excluded.redirect_url,
				environment = excluded.environment, private_key = excluded.private_key, examination = excluded.examination, updated = excluded.updated, removed = NULL`,
			p.ID, p.Name, p.BaseURL, p.RegistrationURL, p.Issuer, p.Audience, p.ApplicationID, p.RedirectURL, p.Environment,
			s.key.seal(p.PrivateKey.Reveal(), "provider", "private_key", p.ID), examination, sqlite.At(tx.Now))
		return err
	})
}

// SaveExamination stores the result of an examination of a provider. A provider that was registered again or removed since keeps what it has.
func (s *Store) SaveExamination(ctx context.Context, p finance.Provider, e finance.Examination) (err error) {
	defer doing("save examination", &err)
	text, err := examinationText(e)
	if err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE provider SET examination = $1 WHERE id = $2 AND updated = $3 AND removed IS NULL`, text, p.ID, sqlite.At(p.Updated))
		return err
	})
}

// MoveProvider gives a provider another redirect URL, as the public address of this program changed.
func (s *Store) MoveProvider(ctx context.Context, id, redirectURL string) (err error) {
	defer doing("move provider", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE provider SET redirect_url = $1 WHERE id = $2`, redirectURL, id)
		return err
	})
}

// ErrProviderInUse says that a provider cannot be removed: connections bring data through it, or payments are under way.
var ErrProviderInUse = errors.New("the provider is in use")

const providerUse = `SELECT
	       (SELECT count(*) FROM connection WHERE provider_id = $1 AND status = 'active'),
	       (SELECT count(*) FROM payment WHERE provider_id = $1 AND type <> 'OWN_APP' AND (phase IN ('sending', 'unknown') OR phase = 'created' AND final = 0)),
	       (SELECT count(*) FROM connection WHERE provider_id = $1) + (SELECT count(*) FROM payment WHERE provider_id = $1)`

func scanUse(row scanner) (finance.ProviderUse, error) {
	var u finance.ProviderUse
	err := row.Scan(&u.Connections, &u.Payments, &u.History)
	return u, err
}

// ProviderUse counts what depends on a provider, over all users: the owner may know how many there are, not whose.
func (s *Store) ProviderUse(ctx context.Context, id string) (_ finance.ProviderUse, err error) {
	defer doing("read provider use", &err)
	return scanUse(s.db.Read().QueryRowContext(ctx, providerUse, id))
}

// RemoveProvider removes a provider with its key, and its setup. It is ErrProviderInUse while something needs it, and finance.ErrNotFound when there
// is none. Without the key nobody can ask it any more to end the sessions that were ended here: they run out. The row stays when the history of connections or
// payments names it.
func (s *Store) RemoveProvider(ctx context.Context, id string) (err error) {
	defer doing("remove provider", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := forgetSessionEnds(ctx, tx, id); err != nil {
			return err
		}
		use, err := scanUse(tx.QueryRowContext(ctx, providerUse, id))
		if err != nil {
			return err
		}
		if use.Open() {
			return ErrProviderInUse
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM provider_setup WHERE id = $1`, id); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM link_attempt WHERE provider_id = $1 AND (status IN ('starting', 'open', 'used') OR $2 = 0)`, id, use.History)
		if err != nil {
			return err
		}
		if use.History == 0 {
			return changed(tx.ExecContext(ctx, `DELETE FROM provider WHERE id = $1 AND removed IS NULL`, id))
		}
		return changed(tx.ExecContext(ctx, `UPDATE provider SET private_key = '', examination = '', removed = $2, updated = $2 WHERE id = $1 AND removed IS NULL`, id,
			sqlite.At(tx.Now)))
	})
}
