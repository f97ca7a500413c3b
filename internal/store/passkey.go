package store

import (
	"context"
	"errors"
	"strings"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

var (
	// ErrTooManyPasskeys says that the user has finance.MaxPasskeys already.
	ErrTooManyPasskeys = errors.New("there are too many passkeys already")
	// ErrPasskeyExists says that this passkey is registered already.
	ErrPasskeyExists = errors.New("this passkey is registered already")
	// ErrPasskeyCopied says that the counter of a passkey shows that there is a copy of it.
	ErrPasskeyCopied = errors.New("there is a copy of this passkey")
)

const passkeyColumns = `id, user_id, site, credential_id, public_key, transports, counter, backup_eligible, backed_up, name, created, last_used, copied` //nolint:gosec // the names of columns

func scanPasskey(row scanner) (finance.Passkey, error) {
	var p finance.Passkey
	var transports string
	var created sqlite.Time
	var used, copied sqlite.NullTime
	err := row.Scan(&p.ID, &p.UserID, &p.Site, &p.Credential, &p.PublicKey, &transports, &p.Counter, &p.BackupEligible, &p.BackedUp, &p.Name, &created, &used,
		&copied)
	p.Transports, p.Created, p.LastUsed, p.Copied = strings.Fields(transports), created.Time, used.Time, copied.Time
	return p, err
}

// AddPasskey stores a new passkey of its user, tells the user, and returns it with its id. Errors: ErrPasskeyExists, ErrTooManyPasskeys.
func (s *Store) AddPasskey(ctx context.Context, p finance.Passkey) (_ finance.Passkey, err error) {
	defer doing("add passkey", &err)
	p.ID = finance.NewID()
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var has int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM passkey WHERE user_id = $1`, p.UserID).Scan(&has); err != nil {
			return err
		}
		if has >= finance.MaxPasskeys {
			return ErrTooManyPasskeys
		}
		p.Created = tx.Now
		_, err := tx.ExecContext(ctx, `INSERT INTO passkey (id, user_id, site, credential_id, public_key, transports, counter, backup_eligible, backed_up, name, created)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`, p.ID, p.UserID, p.Site, p.Credential, p.PublicKey, strings.Join(p.Transports, " "), p.Counter,
			flag(p.BackupEligible), flag(p.BackedUp), p.Name, sqlite.At(tx.Now))
		if sqlite.IsUnique(err) {
			return ErrPasskeyExists
		}
		if err != nil {
			return err
		}
		return s.notify(ctx, tx, p.UserID, finance.Notice{Kind: finance.NoticePasskeyAdded, Name: p.Name})
	})
	return p, err
}

// Passkeys lists the user's passkeys, the oldest first.
func (s *Store) Passkeys(ctx context.Context, userID string) (_ []finance.Passkey, err error) {
	defer doing("read passkeys", &err)
	return collect(ctx, s.db.Read(), scanPasskey, `SELECT `+passkeyColumns+` FROM passkey WHERE user_id = $1 ORDER BY created, id`, userID)
}

// UsePasskey records that the user has proved to hold a passkey, with the counter and the backup state that it said. ErrPasskeyCopied when the counter shows
// that there is a copy, now or before: then the passkey is marked, and is good for nothing any more; the sign-ins that it made end, since nobody knows which
// half made them, and the user is told. finance.ErrNotFound when the user has no such passkey.
func (s *Store) UsePasskey(ctx context.Context, used finance.Passkey) (err error) {
	defer doing("use passkey", &err)
	return s.usePasskey(ctx, used, func(*sqlite.Tx) error { return nil })
}

// CreatePasskeySignIn is UsePasskey, and records a sign-in of the user, both or neither.
func (s *Store) CreatePasskeySignIn(ctx context.Context, used finance.Passkey, n NewSignIn) (_ finance.SignIn, err error) {
	defer doing("sign in with passkey", &err)
	v := n.signIn()
	v.PasskeyID = used.ID
	err = s.usePasskey(ctx, used, func(tx *sqlite.Tx) error { return s.putSignIn(ctx, tx, n, &v) })
	return v, err
}

func (s *Store) usePasskey(ctx context.Context, used finance.Passkey, then func(tx *sqlite.Tx) error) error {
	copied := false
	err := s.db.Write(ctx, func(tx *sqlite.Tx) error {
		known, err := scanPasskey(tx.QueryRowContext(ctx, `SELECT `+passkeyColumns+` FROM passkey WHERE id = $1 AND user_id = $2`, used.ID, used.UserID))
		if err != nil {
			return notFound(err)
		}
		copied = !known.Copied.IsZero() || used.Counter <= known.Counter && (used.Counter > 0 || known.Counter > 0) // WebAuthn level 3, 7.2, step 22
		if copied && !known.Copied.IsZero() {
			return nil
		}
		if copied {
			return s.endCopied(ctx, tx, known)
		}
		if _, err = tx.ExecContext(ctx, `UPDATE passkey SET counter = $1, backed_up = $2, last_used = $3 WHERE id = $4 AND user_id = $5`,
			used.Counter, flag(used.BackedUp), sqlite.At(tx.Now), used.ID, used.UserID); err != nil {
			return err
		}
		return then(tx)
	})
	if err == nil && copied {
		return ErrPasskeyCopied
	}
	return err
}

// endCopied marks a passkey of which there are two.
func (s *Store) endCopied(ctx context.Context, tx *sqlite.Tx, p finance.Passkey) error {
	if _, err := tx.ExecContext(ctx, `UPDATE passkey SET copied = $1 WHERE id = $2 AND user_id = $3`, sqlite.At(tx.Now), p.ID, p.UserID); err != nil {
		return err
	}
	if err := endPasskeySignIns(ctx, tx, p.UserID, p.ID, ""); err != nil {
		return err
	}
	return s.notify(ctx, tx, p.UserID, finance.Notice{Kind: finance.NoticePasskeyCopied, Name: p.Name})
}

// RenamePasskey gives a passkey of the user another name. finance.ErrNotFound when there is none.
func (s *Store) RenamePasskey(ctx context.Context, userID, id, name string) (err error) {
	defer doing("rename passkey", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE passkey SET name = $1 WHERE id = $2 AND user_id = $3`, name, id, userID))
	})
}

// RemovePasskey removes a passkey of the user, ends the sign-ins that it made but keepSignIn, tells the user, and returns what it was. site is where passkeys
// work now, "" for nowhere. finance.ErrNotFound when there is none, ErrLastFactor when it has to stay.
func (s *Store) RemovePasskey(ctx context.Context, userID, id, keepSignIn, site string) (removed finance.Passkey, err error) {
	defer doing("remove passkey", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		removed, err = scanPasskey(tx.QueryRowContext(ctx, `DELETE FROM passkey WHERE id = $1 AND user_id = $2 RETURNING `+passkeyColumns, id, userID))
		if err != nil {
			return notFound(err)
		}
		if removed.Site == site && removed.Copied.IsZero() { // else it was none that counts
			if err := keepFactor(ctx, tx, userID, site); err != nil {
				return err
			}
		}
		if err := endPasskeySignIns(ctx, tx, userID, id, keepSignIn); err != nil {
			return err
		}
		return s.notify(ctx, tx, userID, finance.Notice{Kind: finance.NoticePasskeyRemoved, Name: removed.Name})
	})
	return removed, err
}
