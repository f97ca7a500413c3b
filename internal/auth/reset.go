package auth

import (
	"context"
	"net/netip"
	"time"

	"florin/internal/finance"
	"florin/internal/store"
)

// ResetLinkLifetime is how long a link for a new password works.
const ResetLinkLifetime = 24 * time.Hour

// ErrResetLink says that a link for a new password does not exist or no longer works.
var ErrResetLink = store.ErrResetLink

// ResetLink returns the token of a new one-time link with which the user can set a new password. It replaces earlier links. Nothing else changes until it is
// used.
func (a *Auth) ResetLink(ctx context.Context, user finance.User) (finance.Secret, error) {
	token := finance.Secret(finance.NewID())
	return token, a.store.CreateResetLink(ctx, user.ID, token, ResetLinkLifetime)
}

// AskForReset makes the background work send a link for a new password to the user with the address. The answer and its time are the same for an unknown
// address. Errors: finance.ErrEmail, *WaitError.
func (a *Auth) AskForReset(ctx context.Context, email string, from netip.Addr) error {
	normal, err := finance.NormalEmail(email)
	if err != nil {
		return err
	}
	if err := a.try(ctx, resetCounters(normal, from)); err != nil {
		return err
	}
	return a.store.AskForReset(ctx, normal)
}

// Reset uses up the link and sets the new password of its user. It ends all sign-ins of the user, and the wait after wrong passwords. Errors: ErrResetLink,
// *PasswordError.
func (a *Auth) Reset(ctx context.Context, token, password finance.Secret) (finance.User, error) {
	user, err := a.store.UserOfResetLink(ctx, token)
	if err != nil {
		return finance.User{}, err
	}
	hash, err := a.newPassword(ctx, user, password)
	if err != nil {
		return finance.User{}, err
	}
	if err := a.store.UseResetLink(ctx, token, user.ID, hash); err != nil {
		return finance.User{}, err
	}
	return user, a.store.ForgetSignInTries(ctx, accountSubject(user.Email))
}

// SetPassword sets a new password of the user for the command of the operator. It ends all sign-ins of the user, and the wait after wrong passwords. Errors:
// *PasswordError.
func (a *Auth) SetPassword(ctx context.Context, user finance.User, password finance.Secret) error {
	hash, err := a.newPassword(ctx, user, password)
	if err != nil {
		return err
	}
	if err := a.store.ResetPassword(ctx, user.ID, hash); err != nil {
		return err
	}
	return a.store.ForgetSignInTries(ctx, accountSubject(user.Email))
}

func (a *Auth) newPassword(ctx context.Context, user finance.User, password finance.Secret) (hash string, err error) {
	if err := CheckPassword(password, user.Email); err != nil {
		return "", err
	}
	return a.hasher.hash(ctx, password)
}
