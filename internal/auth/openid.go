package auth

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"time"

	"florin/internal/finance"
	"florin/internal/openid"
	"florin/internal/store"
)

// VisitLifetime is how long a visit to the OpenID Connect provider may take.
const VisitLifetime = 10 * time.Minute

// Errors of visits to the provider, in addition to *openid.Error.
var (
	// ErrVisit says that an answer belongs to no open visit of this browser: the visit was completed, has expired, or was begun elsewhere.
	ErrVisit = errors.New("the answer of the provider belongs to no visit of this browser")
	// ErrUnknownIdentity says that no user is linked with the identity, and that new people get no account.
	ErrUnknownIdentity = errors.New("nobody is linked with this identity")
	// ErrNoEmail says that no account can be created, because the provider gave no e-mail address.
	ErrNoEmail = errors.New("the provider tells no e-mail address")
	// ErrOtherIdentity says that another person than the user has signed in at the provider.
	ErrOtherIdentity = errors.New("the identity is not the one that the user is linked with")
	// ErrLastWay says that the user has no other way to sign in than the identity.
	ErrLastWay = errors.New("the identity is the only way to sign in")
)

// OpenID is the provider where people sign in, and what Florin accepts from it.
type OpenID struct {
	Provider     *openid.Provider
	NewPeople    bool // everybody whom the provider knows gets an account, as a member
	SecondFactor bool // a second factor that the provider reports is accepted
}

// WithOpenID lets people sign in at a provider.
func WithOpenID(o OpenID) Option { return func(a *Auth) { a.openID = &o } }

// WithoutLocal makes the OpenID Connect provider the only way to sign in.
func WithoutLocal(a *Auth) { a.remote = true }

// Local reports whether people can sign in at Florin itself, with a password or a passkey.
func (a *Auth) Local() bool { return !a.remote }

// Provider returns the provider where people can sign in, nil without one.
func (a *Auth) Provider() *openid.Provider {
	if a.openID == nil {
		return nil
	}
	return a.openID.Provider
}

// Visit begins a visit to the provider and returns the address to which the browser goes. browser is the secret of the browser that must bring the answer. Of
// v it uses the errand, the user, the detail and Remember. The error is an *openid.Error, or finance.ErrNotFound without a provider.
func (a *Auth) Visit(ctx context.Context, browser finance.Secret, v finance.OpenIDVisit) (address string, err error) {
	if a.openID == nil {
		return "", finance.ErrNotFound
	}
	to := a.openID.Provider.NewVisit(v.Errand == finance.ErrandStepUp)
	if address, err = a.openID.Provider.Address(ctx, to); err != nil {
		return "", err
	}
	v.Browser, v.State, v.Nonce, v.Verifier, v.Fresh, v.Begun = browser, to.State, to.Nonce, to.Verifier, to.Fresh, to.Begun
	return address, a.store.CreateOpenIDVisit(ctx, v, VisitLifetime)
}

// Return ends a visit with the answer that the browser brought. It returns the purpose of the visit, and the identity at the provider. The visit ends in any
// case. Errors: ErrVisit, *openid.Error with the visit.
func (a *Auth) Return(ctx context.Context, browser finance.Secret, answer url.Values) (finance.OpenIDVisit, openid.Identity, error) {
	if a.openID == nil {
		return finance.OpenIDVisit{}, openid.Identity{}, finance.ErrNotFound
	}
	v, err := a.store.TakeOpenIDVisit(ctx, finance.Secret(answer.Get("state")), browser)
	if errors.Is(err, finance.ErrNotFound) {
		return v, openid.Identity{}, ErrVisit
	}
	if err != nil {
		return v, openid.Identity{}, err
	}
	who, err := a.openID.Provider.Redeem(ctx, openid.Visit{State: v.State, Nonce: v.Nonce, Verifier: v.Verifier, Fresh: v.Fresh, Begun: v.Begun}, answer)
	return v, who, err
}

// Recognise returns the user linked with the identity. Without such a user it creates an account if that is allowed, but never for an e-mail address in use,
// because a provider can claim any address. made reports whether it did. Errors: ErrUnknownIdentity, ErrNoEmail, store.ErrEmailTaken.
func (a *Auth) Recognise(ctx context.Context, who openid.Identity) (user finance.User, made bool, err error) {
	user, err = a.store.UserOfIdentity(ctx, who.Issuer, who.Subject)
	if !errors.Is(err, finance.ErrNotFound) {
		return user, false, err
	}
	if !a.openID.NewPeople {
		return finance.User{}, false, ErrUnknownIdentity
	}
	email, err := finance.NormalEmail(who.Email)
	if err != nil {
		return finance.User{}, false, ErrNoEmail
	}
	user, err = a.store.CreateUserWithIdentity(ctx, email, finance.RoleMember, who.Issuer, who.Subject)
	return user, err == nil, err
}

// JoinAs creates the user of an invitation, who signs in at the provider and has no password here, and uses the invitation up. A refusal leaves the
// invitation valid. Errors: ErrInvitation, ErrNoEmail, store.ErrEmailTaken, store.ErrIdentityTaken.
func (a *Auth) JoinAs(ctx context.Context, invitationID string, who openid.Identity) (finance.User, error) {
	email, err := finance.NormalEmail(who.Email)
	if err != nil {
		return finance.User{}, ErrNoEmail
	}
	return a.store.UseInvitationWithIdentity(ctx, invitationID, email, who.Issuer, who.Subject)
}

// SignInAs records a sign-in of the user linked with the identity. The error is a *SecondStepError when the user must take a second step here, because the
// provider reports none or its report is not accepted.
func (a *Auth) SignInAs(ctx context.Context, user finance.User, who openid.Identity, browser Browser, remember bool) (finance.SignIn, error) {
	if !a.counts(who) {
		if err := a.secondStep(ctx, user.ID, ByOpenID, against(who.Issuer, who.Subject), remember); err != nil {
			return finance.SignIn{}, err
		}
	}
	n := browser.signIn(user.ID, finance.SignInOpenID, "", remember)
	n.TwoFactors = a.counts(who)
	return a.store.CreateSignInOf(ctx, who.Issuer, who.Subject, n)
}

// Identity returns the identity of the user at the provider; finance.ErrNotFound without one.
func (a *Auth) Identity(ctx context.Context, userID string) (finance.OpenIDIdentity, error) {
	if a.openID == nil {
		return finance.OpenIDIdentity{}, finance.ErrNotFound
	}
	return a.store.OpenIDIdentity(ctx, userID, a.openID.Provider.Issuer())
}

// Link links an identity with a user who has proved who they are. The error is store.ErrIdentityTaken when it is linked already.
func (a *Auth) Link(ctx context.Context, userID string, who openid.Identity) error {
	return a.store.LinkIdentity(ctx, userID, who.Issuer, who.Subject)
}

// Unlink removes the link with the user's identity at the provider, and ends all other sign-ins. Errors: ErrLastWay, finance.ErrNotFound.
func (a *Auth) Unlink(ctx context.Context, userID, signInID string) error {
	if a.openID == nil {
		return finance.ErrNotFound
	}
	if has, err := a.HasLocalPassword(ctx, userID); err != nil || !has {
		return cmp.Or(err, ErrLastWay)
	}
	return a.store.RemoveIdentity(ctx, userID, a.openID.Provider.Issuer(), signInID)
}

// HasLocalPassword reports whether the user can sign in with a password.
func (a *Auth) HasLocalPassword(ctx context.Context, userID string) (bool, error) {
	if a.remote {
		return false, nil
	}
	return a.hasPassword(ctx, userID)
}

// hasPassword reports whether the user has a password. Users who joined through the provider have none.
func (a *Auth) hasPassword(ctx context.Context, userID string) (bool, error) {
	hash, err := a.store.PasswordHash(ctx, userID)
	return hash != store.NoPassword, err
}

// Confirm returns the proof of a user who has signed in at the provider again for a purpose. Errors: ErrOtherIdentity when somebody else signed in; ErrVisit
// when the user must give the proof here.
func (a *Auth) Confirm(ctx context.Context, v finance.OpenIDVisit, who openid.Identity) (Proof, error) {
	identity, err := a.Identity(ctx, v.UserID)
	if errors.Is(err, finance.ErrNotFound) || err == nil && identity.Subject != who.Subject {
		return Proof{}, ErrOtherIdentity
	}
	if err != nil {
		return Proof{}, err
	}
	demand, err := a.Demand(ctx, v.UserID, Purpose{act: v.Detail})
	if err == nil && !demand.OpenID { // no page sends such a person to the provider
		err = ErrVisit
	}
	return Proof{Purpose: v.Detail, At: time.Now().Round(0)}, err
}
