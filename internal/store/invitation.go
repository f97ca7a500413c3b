package store

import (
	"context"
	"errors"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// ErrInvitation says that an invitation lets nobody join: it is unknown, used, withdrawn or too old.
var ErrInvitation = errors.New("this invitation is not valid, was used already or is too old")

const invitationColumns = `id, user_id, name, role, created, expires, used, withdrawn`

func scanInvitation(row scanner) (finance.Invitation, error) {
	var i finance.Invitation
	var created, expires sqlite.Time
	var used, withdrawn sqlite.NullTime
	err := row.Scan(&i.ID, &i.UserID, &i.Name, &i.Role, &created, &expires, &used, &withdrawn)
	i.Created, i.Expires, i.Used, i.Withdrawn = created.Time, expires.Time, used.Time, withdrawn.Time
	return i, err
}

// CreateInvitation stores an invitation of the user i.UserID that is good for a time, and returns it with its id and times. Only the hash of its token is
// kept. finance.ErrNotFound when the user is no owner (any more).
func (s *Store) CreateInvitation(ctx context.Context, i finance.Invitation, token finance.Secret, lifetime time.Duration) (_ finance.Invitation, err error) {
	defer doing("create invitation", &err)
	i.ID = finance.NewID()
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		i.Created, i.Expires = tx.Now, tx.Now.Add(lifetime)
		return changed(tx.ExecContext(ctx, `INSERT INTO invitation (id, token_hash, user_id, name, role, created, expires)
			SELECT $1, $2, id, $4, $5, $6, $7 FROM user WHERE id = $3 AND role = 'owner'`,
			i.ID, hashOf(token), i.UserID, i.Name, i.Role, sqlite.At(i.Created), sqlite.At(i.Expires)))
	})
	return i, err
}

// Invitations lists the invitations of the installation, the newest first.
func (s *Store) Invitations(ctx context.Context) (_ []finance.Invitation, err error) {
	defer doing("read invitations", &err)
	return collect(ctx, s.db.Read(), scanInvitation, `SELECT `+invitationColumns+` FROM invitation ORDER BY created DESC, id`)
}

// InvitationByToken returns the invitation with a token, whatever has become of it. finance.ErrNotFound when there is none.
func (s *Store) InvitationByToken(ctx context.Context, token finance.Secret) (_ finance.Invitation, err error) {
	defer doing("read invitation", &err)
	i, err := scanInvitation(s.db.Read().QueryRowContext(ctx, `SELECT `+invitationColumns+` FROM invitation WHERE token_hash = $1`, hashOf(token)))
	return i, notFound(err)
}

// WithdrawInvitation takes an open invitation back. finance.ErrNotFound when there is none with the id, or it is not open any more.
func (s *Store) WithdrawInvitation(ctx context.Context, id string) (err error) {
	defer doing("withdraw invitation", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE invitation SET withdrawn = $1 WHERE id = $2 AND used IS NULL AND withdrawn IS NULL`, sqlite.At(tx.Now), id))
	})
}

// UseInvitation uses an invitation up and creates the user with its role, both or neither; email is normalised. Errors: ErrInvitation, ErrEmailTaken.
func (s *Store) UseInvitation(ctx context.Context, token finance.Secret, email, passwordHash string) (_ finance.User, err error) {
	defer doing("use invitation", &err)
	u := finance.User{ID: finance.NewID(), Email: email}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		return useInvitation(ctx, tx, `token_hash`, hashOf(token), &u, passwordHash)
	})
	return u, err
}

// UseInvitationWithIdentity is UseInvitation for the invitation with an id, and for somebody who signs in at a provider and has no password. ErrIdentityTaken
// when the identity is a user's already.
func (s *Store) UseInvitationWithIdentity(ctx context.Context, id, email, issuer, subject string) (_ finance.User, err error) {
	defer doing("use invitation with identity", &err)
	u := finance.User{ID: finance.NewID(), Email: email}
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := useInvitation(ctx, tx, `id`, id, &u, NoPassword); err != nil {
			return err
		}
		return linkIdentity(ctx, tx, u.ID, issuer, subject)
	})
	return u, err
}

// useInvitation creates the user by the invitation whose column has a value.
func useInvitation(ctx context.Context, tx *sqlite.Tx, column, value string, u *finance.User, passwordHash string) error {
	u.Created = tx.Now
	err := tx.QueryRowContext(ctx, `UPDATE invitation SET used = $1 WHERE `+column+` = $2 AND used IS NULL AND withdrawn IS NULL AND expires > $1
		RETURNING role`, sqlite.At(tx.Now), value).Scan(&u.Role)
	if errors.Is(notFound(err), finance.ErrNotFound) {
		return ErrInvitation
	}
	if err != nil {
		return err
	}
	return insertUser(ctx, tx, *u, passwordHash)
}
