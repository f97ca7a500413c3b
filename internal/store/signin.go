package store

import (
	"context"
	"database/sql"
	"net/netip"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// touchEvery is how exactly the last use of a sign-in is known; each write costs a disk flush.
const touchEvery = time.Minute

const signInColumns = `id, user_id, device, method, passkey_id, network, remembered, created, last_seen, revoked`

func scanSignIn(row scanner) (finance.SignIn, error) {
	var v finance.SignIn
	var created, seen sqlite.Time
	var revoked sqlite.NullTime
	var network string
	err := row.Scan(&v.ID, &v.UserID, &v.Device, &v.Method, &v.PasskeyID, &network, &v.Remembered, &created, &seen, &revoked)
	v.Created, v.LastSeen, v.Revoked, v.Network = created.Time, seen.Time, revoked.Time, networkFrom(network)
	return v, err
}

// networkText is how a network is stored: "192.0.2.0/24", "" for none.
func networkText(p netip.Prefix) string {
	if !p.IsValid() {
		return ""
	}
	return p.String()
}

func networkFrom(text string) netip.Prefix {
	p, _ := netip.ParsePrefix(text) // zero for ""
	return p
}

// keepSignIns settles the sign-ins from before people could choose how long they last: each lasted 30 days, and ended after 12 hours without use. Those in use
// keep their 30 days, those that had ended stay ended.
func (s *Store) keepSignIns(ctx context.Context) error {
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE user_session SET remembered = (last_seen > $1) WHERE remembered IS NULL`, sqlite.At(tx.Now.Add(-12*time.Hour)))
		return err
	})
}

// NewSignIn is a sign-in that is to be recorded.
type NewSignIn struct {
	UserID       string
	PasswordHash string // that the password was checked against; "" where something else proved who it is
	Device       string // in words
	Method       finance.SignInMethod
	Network      netip.Prefix      // from which the person signs in; zero where it is not known
	Language     string            // of the browser: two letters
	Remembered   bool              // the person chose to stay signed in on the device
	Second       finance.SecondUse // the code that came with it, and is used up; zero for none
	TwoFactors   bool              // the provider says that the person proved two things there, and its word counts
	NewDevice    bool              // the user has not signed in with this browser before, and is told, unless it is the first sign-in of all
}

func (n NewSignIn) signIn() finance.SignIn {
	return finance.SignIn{ID: finance.NewID(), UserID: n.UserID, Device: n.Device, Method: n.Method, Network: n.Network, Remembered: n.Remembered}
}

// CreateSignIn records a sign-in. finance.ErrNotFound when the hash is not the present one, so that a check that began before a change of the password
// ends before it too.
func (s *Store) CreateSignIn(ctx context.Context, n NewSignIn) (_ finance.SignIn, err error) {
	defer doing("create sign-in", &err)
	v := n.signIn()
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var one int
		err := tx.QueryRowContext(ctx, `SELECT 1 FROM user WHERE id = $1 AND password_hash = $2`, n.UserID, n.PasswordHash).Scan(&one)
		if err != nil {
			return notFound(err)
		}
		return s.putSignIn(ctx, tx, n, &v)
	})
	return v, err
}

// putSignIn records a sign-in that was found to be good, and tells the user of a new device.
func (s *Store) putSignIn(ctx context.Context, tx *sqlite.Tx, n NewSignIn, v *finance.SignIn) error {
	if n.Second != (finance.SecondUse{}) {
		if err := s.useSecond(ctx, tx, n.UserID, n.Second); err != nil {
			return err
		}
	}
	v.Created, v.LastSeen = tx.Now, tx.Now
	_, err := tx.ExecContext(ctx, `INSERT INTO user_session (id, user_id, device, created, last_seen, remembered, method, passkey_id, network, provider_factor)
		VALUES ($1, $2, $3, $4, $4, $5, $6, $7, $8, $9)`,
		v.ID, v.UserID, v.Device, sqlite.At(tx.Now), flag(v.Remembered), v.Method, v.PasskeyID, networkText(v.Network), flag(n.TwoFactors))
	if err != nil {
		return err
	}
	var heard sql.NullString
	if err := tx.QueryRowContext(ctx, `SELECT heard FROM user WHERE id = $1`, n.UserID).Scan(&heard); err != nil {
		return err
	}
	if heard.String != n.Language || !heard.Valid {
		if _, err := tx.ExecContext(ctx, `UPDATE user SET heard = $1 WHERE id = $2`, n.Language, n.UserID); err != nil {
			return err
		}
	}
	if !n.NewDevice || !heard.Valid {
		return nil
	}
	return s.notify(ctx, tx, n.UserID, finance.Notice{Kind: finance.NoticeNewDevice, Name: n.Device})
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
		var network string
		err := s.db.Read().QueryRowContext(ctx, `
			SELECT u.id, u.email, u.role, u.language, u.currency, u.created, s.device, s.method, s.passkey_id, s.network, s.remembered, s.created, s.last_seen
			FROM user_session s JOIN user u ON u.id = s.user_id
			WHERE s.id = $1 AND s.user_id = $2 AND s.revoked IS NULL`, signInID, userID).
			Scan(&r.user.ID, &r.user.Email, &r.user.Role, &r.user.Language, &r.user.Currency, &since, &r.signIn.Device, &r.signIn.Method,
				&r.signIn.PasskeyID, &network, &r.signIn.Remembered, &created, &seen)
		r.user.Created, r.signIn.Created, r.signIn.LastSeen, r.signIn.Network = since.Time, created.Time, seen.Time, networkFrom(network)
		return r, notFound(err)
	})
	return found.user, found.signIn, err
}

// TouchSignIn records that the sign-in is in use, and from which network; zero for one that is not known, which leaves the last one. It writes at most once a
// minute, and when the network is another one: most calls do nothing.
func (s *Store) TouchSignIn(ctx context.Context, v finance.SignIn, network netip.Prefix) (err error) {
	defer doing("record use of sign-in", &err)
	if !network.IsValid() {
		network = v.Network
	}
	if time.Since(v.LastSeen) < touchEvery && network == v.Network {
		return nil
	}
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE user_session SET last_seen = $1, network = $4
			WHERE id = $2 AND user_id = $3 AND revoked IS NULL AND last_seen < $1`, sqlite.At(tx.Now), v.ID, v.UserID, networkText(network))
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

// EndOtherSignIns ends all sign-ins of the user but one.
func (s *Store) EndOtherSignIns(ctx context.Context, userID, keep string) (err error) {
	defer doing("end other sign-ins", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error { return endOtherSignIns(ctx, tx, userID, keep) })
}

// endPasskeySignIns ends the sign-ins of the user that a passkey made, but one.
func endPasskeySignIns(ctx context.Context, tx *sqlite.Tx, userID, passkeyID, keep string) error {
	_, err := tx.ExecContext(ctx, `UPDATE user_session SET revoked = $1 WHERE user_id = $2 AND passkey_id = $3 AND id <> $4 AND revoked IS NULL`,
		sqlite.At(tx.Now), userID, passkeyID, keep)
	return err
}
