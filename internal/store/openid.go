package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// ErrIdentityTaken says that an identity at the provider belongs to another user already, or that the user has another one there.
var ErrIdentityTaken = errors.New("this identity, or this user, is linked already")

// mostVisits is how many visits to the provider are open at a time. Beyond it the oldest of strangers go: nobody fills the disk by beginning them.
const mostVisits = 5000

// CreateOpenIDVisit stores a visit to the provider that is good for a time.
func (s *Store) CreateOpenIDVisit(ctx context.Context, v finance.OpenIDVisit, lifetime time.Duration) (err error) {
	defer doing("create visit to the provider", &err)
	state := hashOf(v.State)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO openid_visit (state_hash, browser_hash, nonce, verifier, fresh, errand, user_id, detail, remember, created, expires)
			VALUES ($1, $2, $3, $4, $5, $6, NULLIF($7, ''), $8, $9, $10, $11)`,
			state, hashOf(v.Browser), v.Nonce, s.key.seal(v.Verifier.Reveal(), "openid_visit", "verifier", state), flag(v.Fresh), v.Errand, v.UserID, v.Detail,
			flag(v.Remember), sqlite.At(v.Begun), sqlite.At(tx.Now.Add(lifetime))); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM openid_visit WHERE expires <= $1`, sqlite.At(tx.Now)); err != nil {
			return err
		}
		var open int
		if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM openid_visit WHERE user_id IS NULL`).Scan(&open); err != nil || open <= mostVisits {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM openid_visit WHERE state_hash IN
			(SELECT state_hash FROM openid_visit WHERE user_id IS NULL ORDER BY expires LIMIT $1)`, open-mostVisits)
		return err
	})
}

// TakeOpenIDVisit returns the visit that an answer of the provider names, and ends it: whoever comes again, with another browser or too late gets
// finance.ErrNotFound.
func (s *Store) TakeOpenIDVisit(ctx context.Context, state, browser finance.Secret) (_ finance.OpenIDVisit, err error) {
	defer doing("take visit to the provider", &err)
	v, hash := finance.OpenIDVisit{State: state, Browser: browser}, hashOf(state)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		var sealed string
		var user sql.NullString
		var begun sqlite.Time
		err := tx.QueryRowContext(ctx, `DELETE FROM openid_visit WHERE state_hash = $1 AND browser_hash = $2 AND expires > $3
			RETURNING nonce, verifier, fresh, errand, user_id, detail, remember, created`, hash, hashOf(browser), sqlite.At(tx.Now)).
			Scan(&v.Nonce, &sealed, &v.Fresh, &v.Errand, &user, &v.Detail, &v.Remember, &begun)
		if err != nil {
			return notFound(err)
		}
		v.UserID, v.Begun = user.String, begun.Time
		verifier, err := s.key.open(sealed, "openid_visit", "verifier", hash)
		v.Verifier = finance.Secret(verifier)
		return err
	})
	return v, err
}

// UserOfIdentity returns the user whom a provider calls by a subject.
func (s *Store) UserOfIdentity(ctx context.Context, issuer, subject string) (_ finance.User, err error) {
	defer doing("find user by identity", &err)
	u, err := scanUser(s.db.Read().QueryRowContext(ctx, `SELECT u.id, u.email, u.role, u.language, u.currency, u.created FROM openid_identity i JOIN user u ON u.id = i.user_id
		WHERE i.issuer = $1 AND i.subject = $2`, issuer, subject))
	return u, notFound(err)
}

// OpenIDIdentity returns the user's identity at a provider, finance.ErrNotFound where there is none.
func (s *Store) OpenIDIdentity(ctx context.Context, userID, issuer string) (_ finance.OpenIDIdentity, err error) {
	defer doing("read identity", &err)
	i := finance.OpenIDIdentity{Issuer: issuer}
	var created sqlite.Time
	var used sqlite.NullTime
	err = s.db.Read().QueryRowContext(ctx, `SELECT subject, created, used FROM openid_identity WHERE user_id = $1 AND issuer = $2`, userID, issuer).
		Scan(&i.Subject, &created, &used)
	i.Created, i.Used = created.Time, used.Time
	return i, notFound(err)
}

// LinkIdentity gives the user an identity at a provider. ErrIdentityTaken when it is another user's, or the user has one there.
func (s *Store) LinkIdentity(ctx context.Context, userID, issuer, subject string) (err error) {
	defer doing("link identity", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := linkIdentity(ctx, tx, userID, issuer, subject); err != nil {
			return err
		}
		return s.notify(ctx, tx, userID, finance.Notice{Kind: finance.NoticeProviderAdded, Name: issuer})
	})
}

func linkIdentity(ctx context.Context, tx *sqlite.Tx, userID, issuer, subject string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO openid_identity (issuer, subject, user_id, created) VALUES ($1, $2, $3, $4)`,
		issuer, subject, userID, sqlite.At(tx.Now))
	if sqlite.IsUnique(err) {
		return ErrIdentityTaken
	}
	return err
}

// RemoveIdentity takes the user's identity at a provider away, and ends all sign-ins of the user but one. finance.ErrNotFound when there is none.
func (s *Store) RemoveIdentity(ctx context.Context, userID, issuer, keepSignIn string) (err error) {
	defer doing("remove identity", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := changed(tx.ExecContext(ctx, `DELETE FROM openid_identity WHERE user_id = $1 AND issuer = $2`, userID, issuer)); err != nil {
			return err
		}
		if err := s.notify(ctx, tx, userID, finance.Notice{Kind: finance.NoticeProviderRemoved, Name: issuer}); err != nil {
			return err
		}
		return endOtherSignIns(ctx, tx, userID, keepSignIn)
	})
}

// CreateUserWithIdentity creates a user who signs in at a provider and has no password; email is normalised. ErrEmailTaken when there is one with that
// address, ErrIdentityTaken when the identity is another user's.
func (s *Store) CreateUserWithIdentity(ctx context.Context, email string, role finance.Role, issuer, subject string) (_ finance.User, err error) {
	defer doing("create user with identity", &err)
	u := finance.User{ID: finance.NewID(), Email: email, Role: role}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		u.Created = tx.Now
		if err := insertUser(ctx, tx, u, NoPassword); err != nil {
			return err
		}
		return linkIdentity(ctx, tx, u.ID, issuer, subject)
	})
	return u, err
}

// NoPassword is stored in place of a password hash for a user without a password.
const NoPassword = ""

// CreateSignInOf records a sign-in of a user with an identity at a provider. The error is finance.ErrNotFound when the identity has been removed in the
// meantime.
func (s *Store) CreateSignInOf(ctx context.Context, issuer, subject string, n NewSignIn) (_ finance.SignIn, err error) {
	defer doing("create sign-in of identity", &err)
	v := n.signIn()
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := changed(tx.ExecContext(ctx, `UPDATE openid_identity SET used = $1 WHERE user_id = $2 AND issuer = $3 AND subject = $4`,
			sqlite.At(tx.Now), n.UserID, issuer, subject)); err != nil {
			return err
		}
		return s.putSignIn(ctx, tx, n, &v)
	})
	return v, err
}
