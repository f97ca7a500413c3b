package store

import (
	"context"
	"errors"
	"time"

	"florin/internal/finance"
	"florin/internal/sqlite"
)

// ErrResetLink says that a link for a new password is wrong, used, too old, or was replaced by a newer one.
var ErrResetLink = errors.New("this link is not valid, was used already or is too old")

// CreateResetLink stores the token of a link with which the user sets a new password, in place of all earlier ones.
func (s *Store) CreateResetLink(ctx context.Context, userID string, token finance.Secret, lifetime time.Duration) (err error) {
	defer doing("create reset link", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := dropResetLinks(ctx, tx, userID); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO reset_link (token_hash, user_id, created, expires) VALUES ($1, $2, $3, $4)`,
			hashOf(token), userID, sqlite.At(tx.Now), sqlite.At(tx.Now.Add(lifetime)))
		return err
	})
}

// UserOfResetLink returns the user for whom the link with the token is good now, else ErrResetLink.
func (s *Store) UserOfResetLink(ctx context.Context, token finance.Secret) (_ finance.User, err error) {
	defer doing("read user of reset link", &err)
	u, err := scanUser(s.db.Read().QueryRowContext(ctx, `SELECT u.id, u.email, u.role, u.language, u.currency, u.created FROM reset_link r JOIN user u ON u.id = r.user_id
		WHERE r.token_hash = $1 AND r.used IS NULL AND r.expires > $2`, hashOf(token), sqlite.At(time.Now())))
	if errors.Is(notFound(err), finance.ErrNotFound) {
		return finance.User{}, ErrResetLink
	}
	return u, err
}

// UseResetLink uses the link up and stores the new password of its user, whose sign-ins all end; all of it or nothing. ErrResetLink when it is not good.
func (s *Store) UseResetLink(ctx context.Context, token finance.Secret, userID, passwordHash string) (err error) {
	defer doing("use reset link", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		err := changed(tx.ExecContext(ctx, `UPDATE reset_link SET used = $1 WHERE token_hash = $2 AND user_id = $3 AND used IS NULL AND expires > $1`,
			sqlite.At(tx.Now), hashOf(token), userID))
		if errors.Is(err, finance.ErrNotFound) {
			return ErrResetLink
		}
		if err != nil {
			return err
		}
		return s.resetPassword(ctx, tx, userID, passwordHash, finance.NoticePasswordReset)
	})
}

// ResetPassword stores a new password of the user, whatever the present one is. All sign-ins of the user end, and links for a new password with them.
func (s *Store) ResetPassword(ctx context.Context, userID, passwordHash string) (err error) {
	defer doing("reset password", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := dropResetLinks(ctx, tx, userID); err != nil {
			return err
		}
		return s.resetPassword(ctx, tx, userID, passwordHash, finance.NoticePasswordSet)
	})
}

// resetPassword stores a new password of the user, ends all sign-ins and tells the user.
func (s *Store) resetPassword(ctx context.Context, tx *sqlite.Tx, userID, passwordHash string, told finance.NoticeKind) error {
	if err := changed(tx.ExecContext(ctx, `UPDATE user SET password_hash = $1 WHERE id = $2`, passwordHash, userID)); err != nil {
		return err
	}
	if err := endOtherSignIns(ctx, tx, userID, ""); err != nil {
		return err
	}
	return s.notify(ctx, tx, userID, finance.Notice{Kind: told})
}

func dropResetLinks(ctx context.Context, tx *sqlite.Tx, userID string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM reset_link WHERE user_id = $1`, userID)
	return err
}
