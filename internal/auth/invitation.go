package auth

import (
	"context"
	"errors"
	"time"

	"florin/internal/finance"
	"florin/internal/store"
)

// InvitationLifetime is how long an invitation works.
const InvitationLifetime = 7 * 24 * time.Hour

// ErrInvitation says that an invitation does not exist or can no longer be used.
var ErrInvitation = store.ErrInvitation

// Invite creates an invitation by an owner for a person in a role. It returns the token of its link, which is not stored.
func (a *Auth) Invite(ctx context.Context, owner finance.User, name string, role finance.Role) (finance.Invitation, finance.Secret, error) {
	token := finance.Secret(finance.NewID())
	i, err := a.store.CreateInvitation(ctx, finance.Invitation{UserID: owner.ID, Name: name, Role: role}, token, InvitationLifetime)
	return i, token, err
}

// OpenInvitation returns the invitation with the token. The error is ErrInvitation when nobody can join with it now.
func (a *Auth) OpenInvitation(ctx context.Context, token finance.Secret) (finance.Invitation, error) {
	i, err := a.store.InvitationByToken(ctx, token)
	if errors.Is(err, finance.ErrNotFound) || err == nil && i.State(time.Now()) != finance.InvitationOpen {
		return finance.Invitation{}, ErrInvitation
	}
	return i, err
}

// Join creates the user of an invitation with the chosen address and password, and uses the invitation up. A refused address or password leaves the
// invitation valid. Errors: ErrInvitation, finance.ErrEmail, store.ErrEmailTaken, *PasswordError.
func (a *Auth) Join(ctx context.Context, token finance.Secret, email string, password finance.Secret) (finance.User, error) {
	if _, err := a.OpenInvitation(ctx, token); err != nil {
		return finance.User{}, err
	}
	email, hash, err := a.prepare(ctx, email, password)
	if err != nil {
		return finance.User{}, err
	}
	return a.store.UseInvitation(ctx, token, email, hash)
}
