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

// ErrInvitation says that an invitation lets nobody join (any more).
var ErrInvitation = store.ErrInvitation

// Invite makes an invitation by an owner for a person in a role, and the token of its link, which is kept nowhere.
func (a *Auth) Invite(ctx context.Context, owner finance.User, name string, role finance.Role) (finance.Invitation, finance.Secret, error) {
	token := finance.Secret(finance.NewID())
	i, err := a.store.CreateInvitation(ctx, finance.Invitation{UserID: owner.ID, Name: name, Role: role}, token, InvitationLifetime)
	return i, token, err
}

// OpenInvitation returns the invitation with the token when it lets somebody join now, else ErrInvitation.
func (a *Auth) OpenInvitation(ctx context.Context, token finance.Secret) (finance.Invitation, error) {
	i, err := a.store.InvitationByToken(ctx, token)
	if errors.Is(err, finance.ErrNotFound) || err == nil && i.State(time.Now()) != finance.InvitationOpen {
		return finance.Invitation{}, ErrInvitation
	}
	return i, err
}

// Join uses an invitation up and creates the user, who chooses the address and the password. An address or a password that is refused uses nothing up.
// Errors: ErrInvitation, finance.ErrEmail, store.ErrEmailTaken, *PasswordError.
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
