package auth

import (
	"context"
	"net/netip"
	"time"

	"florin/internal/finance"
	"florin/internal/store"
)

// ResetLinkLifetime is how long the link works with which a person who is locked out sets a new password.
const ResetLinkLifetime = 24 * time.Hour

// ErrResetLink says that a link for a new password does not work (any more).
var ErrResetLink = store.ErrResetLink

// ResetLink returns the token of a new one-time link with which the user sets a new password, in place of all before. Nothing changes for the user
// until it is used.
func (a *Auth) ResetLink(ctx context.Context, user finance.User) (finance.Secret, error) {
	token := finance.Secret(finance.NewID())
	return token, a.store.CreateResetLink(ctx, user.ID, token, ResetLinkLifetime)
}

// AskForReset leaves it to the background to send a link for a new password to whoever has the address. The answer and its time are the same for an address
// that nobody has. Errors: finance.ErrEmail, *WaitError.
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

// Reset uses the link up and sets the new password of its user. All sign-ins of the user end, and so does the wait after wrong passwords.
// Errors: ErrResetLink, *PasswordError.
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

// SetPassword sets a new password of the user: the operator's command. All sign-ins of the user end, and so does the wait after wrong passwords. Errors:
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
