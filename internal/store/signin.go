package store

import (
	"context"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// touchEvery is how exactly the last use of a sign-in is known; each write costs a disk flush.
const touchEvery = time.Minute

const signInColumns = `id, user_id, device, remembered, created, last_seen, revoked`

func scanSignIn(row scanner) (finance.SignIn, error) {
	var v finance.SignIn
	var created, seen sqlite.Time
	var revoked sqlite.NullTime
	err := row.Scan(&v.ID, &v.UserID, &v.Device, &v.Remembered, &created, &seen, &revoked)
	v.Created, v.LastSeen, v.Revoked = created.Time, seen.Time, revoked.Time
	return v, err
}

// keepSignIns settles the sign-ins from before people could choose how long they last: each lasted 30 days, and ended after 12 hours without use. Those in use
// keep their 30 days, those that had ended stay ended.
func (s *Store) keepSignIns(ctx context.Context) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE user_session SET remembered = (last_seen > $1) WHERE remembered IS NULL`, sqlite.At(tx.Now.Add(-12*time.Hour)))
		return err
	})
}

// CreateSignIn records a sign-in of the user on a device; remembered says that the person chose to stay signed in there. passwordHash is the one that
// the password was checked against; finance.ErrNotFound when it is not the present one, so that a check that began before a change of the password
// ends before it too.
func (s *Store) CreateSignIn(ctx context.Context, userID, passwordHash, device string, remembered bool) (_ finance.SignIn, err error) {
	defer doing("create sign-in", &err)
	v := finance.SignIn{ID: finance.NewID(), UserID: userID, Device: device, Remembered: remembered}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		v.Created, v.LastSeen = tx.Now, tx.Now
		return changed(tx.ExecContext(ctx, `INSERT INTO user_session (id, user_id, device, created, last_seen, remembered)
			SELECT $1, id, $3, $4, $4, $6 FROM user WHERE id = $2 AND password_hash = $5`, v.ID, v.UserID, v.Device, sqlite.At(tx.Now), passwordHash, flag(remembered)))
	})
	return v, err
}

// SignedIn returns the user and the sign-in of a session. finance.ErrNotFound when the sign-in was ended, or never was: then the
// session is worth nothing. It is checked on every request (security F1): see sqlite.Remember.
func (s *Store) SignedIn(ctx context.Context, userID, signInID string) (_ finance.User, _ finance.SignIn, err error) {
	defer doing("read sign-in", &err)
	type row struct {
		user   finance.User
		signIn finance.SignIn
	}
	found, err := sqlite.Remember(ctx, s.db, sqlite.Key{"user_session", userID, signInID}, func() (row, error) {
		r := row{signIn: finance.SignIn{ID: signInID, UserID: userID}}
		var since, created, seen sqlite.Time
		err := s.db.Read().QueryRowContext(ctx, `
			SELECT u.id, u.email, u.role, u.language, u.currency, u.created, s.device, s.remembered, s.created, s.last_seen
			FROM user_session s JOIN user u ON u.id = s.user_id
			WHERE s.id = $1 AND s.user_id = $2 AND s.revoked IS NULL`, signInID, userID).
			Scan(&r.user.ID, &r.user.Email, &r.user.Role, &r.user.Language, &r.user.Currency, &since, &r.signIn.Device, &r.signIn.Remembered, &created, &seen)
		r.user.Created, r.signIn.Created, r.signIn.LastSeen = since.Time, created.Time, seen.Time
		return r, notFound(err)
	})
	return found.user, found.signIn, err
}

// TouchSignIn records that the sign-in is in use. It writes at most once a minute: most calls do nothing.
func (s *Store) TouchSignIn(ctx context.Context, v finance.SignIn) (err error) {
	defer doing("record use of sign-in", &err)
	now := time.Now()
	if now.Sub(v.LastSeen) < touchEvery {
		return nil
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE user_session SET last_seen = $1
			WHERE id = $2 AND user_id = $3 AND revoked IS NULL AND last_seen < $1`, sqlite.At(tx.Now), v.ID, v.UserID)
		return err
	})
}

// SignIns lists the user's sign-ins that are good and were used after since, the most recent first.
func (s *Store) SignIns(ctx context.Context, userID string, since time.Time) (_ []finance.SignIn, err error) {
	defer doing("read sign-ins", &err)
	return collect(ctx, s.db.Read(), scanSignIn, `SELECT `+signInColumns+` FROM user_session
		WHERE user_id = $1 AND revoked IS NULL AND last_seen > $2 ORDER BY last_seen DESC, id`, userID, sqlite.At(since))
}

// EndSignIn ends one sign-in of the user, for good. finance.ErrNotFound when it is not the user's or was ended before.
func (s *Store) EndSignIn(ctx context.Context, userID, signInID string) (err error) {
	defer doing("end sign-in", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE user_session SET revoked = $1 WHERE id = $2 AND user_id = $3 AND revoked IS NULL`,
			sqlite.At(tx.Now), signInID, userID))
	})
}

// endOtherSignIns ends all sign-ins of the user but one.
func endOtherSignIns(ctx context.Context, tx *sqlite.Tx, userID, keep string) error {
	_, err := tx.ExecContext(ctx, `UPDATE user_session SET revoked = $1 WHERE user_id = $2 AND id <> $3 AND revoked IS NULL`,
		sqlite.At(tx.Now), userID, keep)
	return err
}
