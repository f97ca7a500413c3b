package store

import (
	"context"
	"errors"
	"strconv"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

var (
	// ErrTooManyAuthenticators says that the user has finance.MaxAuthenticators already.
	ErrTooManyAuthenticators = errors.New("there are too many authenticator apps already")
	// ErrTooManySetups says that too many sign-ins of the user are setting up an app at the same time.
	ErrTooManySetups = errors.New("too many authenticator apps are being set up")
	// ErrLastFactor says that a second factor stays, since everybody needs one and the user has no other.
	ErrLastFactor = errors.New("this is the only second factor of the user, and everybody needs one")
	// ErrCodeUsed says that a one-time code was used before.
	ErrCodeUsed = errors.New("this code was used before")
)

// mostSetups is how many sign-ins of a user may set up an app at the same time.
const mostSetups = 20

// BeginAuthenticator stores the secret of an app that a sign-in of the user sets up, in place of the one that this sign-in began before. Those of other
// sign-ins stay as they are. Errors: ErrTooManySetups.
func (s *Store) BeginAuthenticator(ctx context.Context, userID, signInID string, secret finance.Secret, lifetime time.Duration) (err error) {
	defer doing("begin authenticator", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM authenticator_setup WHERE user_id = $1 AND (expires <= $2 OR session_id = $3)`, userID, sqlite.At(tx.Now),
			signInID); err != nil {
			return err
		}
		var open int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM authenticator_setup WHERE user_id = $1`, userID).Scan(&open); err != nil {
			return err
		}
		if open >= mostSetups {
			return ErrTooManySetups
		}
		return changed(tx.ExecContext(ctx, `INSERT INTO authenticator_setup (session_id, user_id, secret, expires)
			SELECT id, user_id, $1, $2 FROM user_session WHERE id = $3 AND user_id = $4 AND revoked IS NULL`,
			s.key.seal(secret.Reveal(), "authenticator_setup", "secret", signInID), sqlite.At(tx.Now.Add(lifetime)), signInID, userID))
	})
}

// AuthenticatorSetup returns the secret of the app that this sign-in of the user sets up. finance.ErrNotFound when there is none, or none any more.
func (s *Store) AuthenticatorSetup(ctx context.Context, userID, signInID string) (_ finance.Secret, err error) {
	defer doing("read authenticator that is set up", &err)
	return s.authenticatorSetup(ctx, s.db.Read(), userID, signInID, time.Now())
}

func (s *Store) authenticatorSetup(ctx context.Context, q querier, userID, signInID string, now time.Time) (finance.Secret, error) {
	var sealed string
	err := q.QueryRowContext(ctx, `SELECT secret FROM authenticator_setup WHERE session_id = $1 AND user_id = $2 AND expires > $3`, signInID, userID,
		sqlite.At(now)).Scan(&sealed)
	if err != nil {
		return "", notFound(err)
	}
	secret, err := s.key.open(sealed, "authenticator_setup", "secret", signInID)
	return finance.Secret(secret), err
}

// AddAuthenticator ends what this sign-in began with BeginAuthenticator: it stores the app with the secret that was confirmed, and tells the user. Who has no
// recovery codes gets these: made says that they count. finance.ErrNotFound when the sign-in sets up no app with this secret any more. Errors:
// ErrTooManyAuthenticators.
func (s *Store) AddAuthenticator(ctx context.Context, signInID string, app finance.Authenticator, codes []finance.Secret) (
	_ finance.Authenticator, made bool, err error,
) {
	defer doing("add authenticator", &err)
	app.ID = finance.NewID()
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		secret, err := s.authenticatorSetup(ctx, tx, app.UserID, signInID, tx.Now)
		if err != nil {
			return err
		}
		if secret != app.Secret { // another tab began anew
			return finance.ErrNotFound
		}
		var has, unused int
		if err := tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM authenticator WHERE user_id = $1),
			(SELECT count(*) FROM recovery_code WHERE user_id = $1 AND used IS NULL)`, app.UserID).Scan(&has, &unused); err != nil {
			return err
		}
		if has >= finance.MaxAuthenticators {
			return ErrTooManyAuthenticators
		}
		app.Created = tx.Now
		if _, err := tx.ExecContext(ctx, `INSERT INTO authenticator (id, user_id, secret, name, step, created) VALUES ($1, $2, $3, $4, $5, $6)`,
			app.ID, app.UserID, s.key.seal(app.Secret.Reveal(), "authenticator", "secret", app.ID), app.Name, app.Step, sqlite.At(tx.Now)); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM authenticator_setup WHERE session_id = $1 AND user_id = $2`, signInID, app.UserID); err != nil {
			return err
		}
		if made = unused == 0; made {
			if err := putRecoveryCodes(ctx, tx, app.UserID, codes); err != nil {
				return err
			}
		}
		return s.notify(ctx, tx, app.UserID, finance.Notice{Kind: finance.NoticeAppAdded, Name: app.Name})
	})
	return app, made, err
}

// Authenticators lists the user's apps, the oldest first.
func (s *Store) Authenticators(ctx context.Context, userID string) (_ []finance.Authenticator, err error) {
	defer doing("read authenticators", &err)
	return collect(ctx, s.db.Read(), func(row scanner) (finance.Authenticator, error) {
		a := finance.Authenticator{UserID: userID}
		var sealed string
		var created sqlite.Time
		var used sqlite.NullTime
		if err := row.Scan(&a.ID, &sealed, &a.Name, &a.Step, &created, &used); err != nil {
			return a, err
		}
		secret, err := s.key.open(sealed, "authenticator", "secret", a.ID)
		a.Secret, a.Created, a.LastUsed = finance.Secret(secret), created.Time, used.Time
		return a, err
	}, `SELECT id, secret, name, step, created, last_used FROM authenticator WHERE user_id = $1 ORDER BY created, id`, userID)
}

// RenameAuthenticator gives an app of the user another name. finance.ErrNotFound when there is none.
func (s *Store) RenameAuthenticator(ctx context.Context, userID, id, name string) (err error) {
	defer doing("rename authenticator", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE authenticator SET name = $1 WHERE id = $2 AND user_id = $3`, name, id, userID))
	})
}

// RemoveAuthenticator removes an app of the user, tells the user, and returns its name. site is where passkeys work, "" for nowhere. finance.ErrNotFound when
// there is none, ErrLastFactor when it has to stay.
func (s *Store) RemoveAuthenticator(ctx context.Context, userID, id, site string) (name string, err error) {
	defer doing("remove authenticator", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		err := tx.QueryRowContext(ctx, `DELETE FROM authenticator WHERE id = $1 AND user_id = $2 RETURNING name`, id, userID).Scan(&name)
		if err != nil {
			return notFound(err)
		}
		if err := keepFactor(ctx, tx, userID, site); err != nil {
			return err
		}
		return s.notify(ctx, tx, userID, finance.Notice{Kind: finance.NoticeAppRemoved, Name: name})
	})
	return name, err
}

// keepFactor returns ErrLastFactor when the user has no second factor left although everybody needs one. The caller's transaction is then rolled back.
func keepFactor(ctx context.Context, tx *sqlite.Tx, userID, site string) error {
	left, err := secondFactors(ctx, tx, userID, site)
	if err == nil && left.Required && !left.Any() {
		return ErrLastFactor
	}
	return err
}

// SecondFactors returns what the user has beside the password. site is where passkeys work, "" for nowhere.
func (s *Store) SecondFactors(ctx context.Context, userID, site string) (_ finance.SecondFactors, err error) {
	defer doing("read second factors", &err)
	return secondFactors(ctx, s.db.Read(), userID, site)
}

func secondFactors(ctx context.Context, q querier, userID, site string) (finance.SecondFactors, error) {
	var f finance.SecondFactors
	err := q.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM authenticator WHERE user_id = $1),
		(SELECT count(*) FROM passkey WHERE user_id = $1 AND site = $2 AND copied IS NULL),
		(SELECT count(*) FROM recovery_code WHERE user_id = $1 AND used IS NULL),
		(SELECT COALESCE(MIN(code_hash), '') FROM recovery_code WHERE user_id = $1),
		EXISTS (SELECT 1 FROM second_factor_rule)`, userID, site).Scan(&f.Apps, &f.Passkeys, &f.Codes, &f.CodeSet, &f.Required)
	if f.CodeSet != "" { // no page shows what the table holds
		f.CodeSet = hashOf(finance.Secret("set " + f.CodeSet))[:16]
	}
	return f, err
}

// NeedsSecondFactor reports whether this sign-in of the user may do nothing before a second factor is set up: everybody needed one when it began, and the user
// has none. It is asked on every request: see sqlite.Remember.
func (s *Store) NeedsSecondFactor(ctx context.Context, userID, signInID, site string) (_ bool, err error) {
	defer doing("ask whether a second factor is missing", &err)
	return sqlite.Remember(ctx, s.db, sqlite.Key{"second_factor_rule", userID, signInID}, func() (bool, error) {
		var needs bool
		err := s.db.Read().QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM second_factor_rule r
				JOIN user_session s ON s.id = $1 AND s.user_id = $2 AND s.created >= r.since AND s.provider_factor = 0)
			AND NOT EXISTS (SELECT 1 FROM authenticator WHERE user_id = $2)
			AND NOT EXISTS (SELECT 1 FROM passkey WHERE user_id = $2 AND site = $3 AND copied IS NULL)`, signInID, userID, site).Scan(&needs)
		return needs, err
	})
}

// SecondFactorRequired reports whether everybody needs a second factor.
func (s *Store) SecondFactorRequired(ctx context.Context) (required bool, err error) {
	defer doing("read whether a second factor is required", &err)
	err = s.db.Read().QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM second_factor_rule)`).Scan(&required)
	return required, err
}

// RequireSecondFactor sets whether everybody needs a second factor from the next sign-in on.
func (s *Store) RequireSecondFactor(ctx context.Context, required bool) (err error) {
	defer doing("require a second factor", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if !required {
			_, err := tx.ExecContext(ctx, `DELETE FROM second_factor_rule`)
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO second_factor_rule (one, since) VALUES (1, $1) ON CONFLICT DO NOTHING`, sqlite.At(tx.Now))
		return err
	})
}

// ErrCodesMade says that recovery codes were made since the user looked.
var ErrCodesMade = errors.New("recovery codes were made meanwhile")

// MakeRecoveryCodes stores new recovery codes of the user in place of all before, and tells the user. before names those that the user wants to replace
// (finance.SecondFactors.CodeSet): ErrCodesMade when there are others, so that a form that is sent twice makes no codes that nobody keeps.
func (s *Store) MakeRecoveryCodes(ctx context.Context, userID, before string, codes []finance.Secret) (err error) {
	defer doing("make recovery codes", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		has, err := secondFactors(ctx, tx, userID, "")
		if err != nil {
			return err
		}
		if has.CodeSet != before {
			return ErrCodesMade
		}
		if err := putRecoveryCodes(ctx, tx, userID, codes); err != nil {
			return err
		}
		return s.notify(ctx, tx, userID, finance.Notice{Kind: finance.NoticeRecoveryCodes})
	})
}

func putRecoveryCodes(ctx context.Context, tx *sqlite.Tx, userID string, codes []finance.Secret) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM recovery_code WHERE user_id = $1`, userID); err != nil {
		return err
	}
	for _, code := range codes {
		if _, err := tx.ExecContext(ctx, `INSERT INTO recovery_code (user_id, code_hash) VALUES ($1, $2)`, userID, hashOf(code)); err != nil {
			return err
		}
	}
	return nil
}

// UseSecond uses a code of the user up. ErrCodeUsed when it was used before, or a later one of the same app; finance.ErrNotFound when it is none of the
// user's.
func (s *Store) UseSecond(ctx context.Context, userID string, use finance.SecondUse) (err error) {
	defer doing("use second factor", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error { return s.useSecond(ctx, tx, userID, use) })
}

func (s *Store) useSecond(ctx context.Context, tx *sqlite.Tx, userID string, use finance.SecondUse) error {
	var query, which string
	if use.AuthenticatorID != "" {
		err := changed(tx.ExecContext(ctx, `UPDATE authenticator SET step = $1, last_used = $2 WHERE id = $3 AND user_id = $4 AND step < $1`,
			use.Step, sqlite.At(tx.Now), use.AuthenticatorID, userID))
		if !errors.Is(err, finance.ErrNotFound) {
			return err
		}
		query, which = `SELECT 1 FROM authenticator WHERE user_id = $1 AND id = $2`, use.AuthenticatorID
	} else {
		which = hashOf(use.RecoveryCode)
		err := changed(tx.ExecContext(ctx, `UPDATE recovery_code SET used = $1 WHERE user_id = $2 AND code_hash = $3 AND used IS NULL`,
			sqlite.At(tx.Now), userID, which))
		if err == nil {
			var left int
			if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM recovery_code WHERE user_id = $1 AND used IS NULL`, userID).Scan(&left); err != nil {
				return err
			}
			return s.notify(ctx, tx, userID, finance.Notice{Kind: finance.NoticeRecoveryUsed, Name: strconv.Itoa(left)})
		}
		if !errors.Is(err, finance.ErrNotFound) {
			return err
		}
		query = `SELECT 1 FROM recovery_code WHERE user_id = $1 AND code_hash = $2`
	}
	var one int
	if err := tx.QueryRowContext(ctx, query, userID, which).Scan(&one); err != nil {
		return notFound(err)
	}
	return ErrCodeUsed
}

// ResetSecondFactor removes all apps, recovery codes and passkeys of the user, ends all sign-ins, and tells the user. It returns what there was.
func (s *Store) ResetSecondFactor(ctx context.Context, userID string) (had finance.SecondFactors, err error) {
	defer doing("reset second factor", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM second_factor_rule)`).Scan(&had.Required); err != nil {
			return err
		}
		for _, of := range []struct {
			query string
			n     *int
		}{
			{`DELETE FROM authenticator WHERE user_id = $1`, &had.Apps}, {`DELETE FROM passkey WHERE user_id = $1`, &had.Passkeys},
			{`DELETE FROM recovery_code WHERE user_id = $1 AND used IS NULL`, &had.Codes}, {`DELETE FROM recovery_code WHERE user_id = $1`, new(int)}, {`DELETE FROM authenticator_setup WHERE user_id = $1`, new(int)},
		} {
			result, err := tx.ExecContext(ctx, of.query, userID)
			if err != nil {
				return err
			}
			n, err := result.RowsAffected()
			if err != nil {
				return err
			}
			*of.n = int(n)
		}
		if err := endOtherSignIns(ctx, tx, userID, ""); err != nil {
			return err
		}
		return s.notify(ctx, tx, userID, finance.Notice{Kind: finance.NoticeSecondReset})
	})
	return had, err
}
