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

// VisitLifetime is how long somebody may take at the provider of OpenID Connect.
const VisitLifetime = 10 * time.Minute

// Errors of the ways to the provider and back, beside *openid.Error.
var (
	// ErrVisit says that an answer belongs to no visit of this browser: it was used, is too old, or is somebody else's.
	ErrVisit = errors.New("the answer of the provider belongs to no visit of this browser")
	// ErrUnknownIdentity says that nobody here is linked with the identity, and that no account is made for it.
	ErrUnknownIdentity = errors.New("nobody is linked with this identity")
	// ErrNoEmail says that no account can be made, since the provider tells no e-mail address.
	ErrNoEmail = errors.New("the provider tells no e-mail address")
	// ErrOtherIdentity says that the provider tells of somebody else than the user.
	ErrOtherIdentity = errors.New("the identity is not the one that the user is linked with")
	// ErrLastWay says that the identity is the only way in that the user has.
	ErrLastWay = errors.New("the identity is the only way to sign in")
)

// OpenID is the provider where people sign in, and what its word counts for.
type OpenID struct {
	Provider     *openid.Provider
	NewPeople    bool // whoever the provider knows gets an account, as a member
	SecondFactor bool // a second factor that the provider tells of counts
}

// WithOpenID lets people sign in at a provider.
func WithOpenID(o OpenID) Option { return func(a *Auth) { a.openID = &o } }

// WithoutLocal leaves the provider of OpenID Connect as the only way in.
func WithoutLocal(a *Auth) { a.remote = true }

// Local reports whether people sign in here, with what they know or have.
func (a *Auth) Local() bool { return !a.remote }

// Provider is where people can sign in too, nil for nowhere.
func (a *Auth) Provider() *openid.Provider {
	if a.openID == nil {
		return nil
	}
	return a.openID.Provider
}

// Visit begins an errand at the provider and returns where the browser goes. browser is a secret of the browser that may bring the answer. Of v the errand, the
// user, the detail and Remember count. The error is an *openid.Error, or finance.ErrNotFound without a provider.
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

// Return ends a visit with the answer that the browser brought: whom the provider says it is, and what the visit was for. The visit is over whatever comes of
// it. Errors: ErrVisit, *openid.Error with the visit.
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

// Recognise returns the user whom the provider's subject is linked with. Where it is linked with nobody, it makes an account if that is allowed: never for an
// address that somebody has here, since a provider can say any address. Errors: ErrUnknownIdentity, ErrNoEmail, store.ErrEmailTaken.
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

// JoinAs uses the invitation with an id up and creates the user, who signs in at the provider and has no password here. What is refused uses nothing up.
// Errors: ErrInvitation, ErrNoEmail, store.ErrEmailTaken, store.ErrIdentityTaken.
func (a *Auth) JoinAs(ctx context.Context, invitationID string, who openid.Identity) (finance.User, error) {
	email, err := finance.NormalEmail(who.Email)
	if err != nil {
		return finance.User{}, ErrNoEmail
	}
	return a.store.UseInvitationWithIdentity(ctx, invitationID, email, who.Issuer, who.Subject)
}

// SignInAs records a sign-in of the user whom the provider's subject is linked with. It is a *SecondStepError where the user has to take a second step here:
// the provider tells of none, or its word does not count.
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

// Identity returns the user's identity at the provider, finance.ErrNotFound where there is none.
func (a *Auth) Identity(ctx context.Context, userID string) (finance.OpenIDIdentity, error) {
	if a.openID == nil {
		return finance.OpenIDIdentity{}, finance.ErrNotFound
	}
	return a.store.OpenIDIdentity(ctx, userID, a.openID.Provider.Issuer())
}

// Link gives a user who proved who they are the identity that the provider tells of. store.ErrIdentityTaken when somebody has it.
func (a *Auth) Link(ctx context.Context, userID string, who openid.Identity) error {
	return a.store.LinkIdentity(ctx, userID, who.Issuer, who.Subject)
}

// Unlink takes the user's identity at the provider away, and ends all sign-ins but this one. Errors: ErrLastWay, finance.ErrNotFound.
func (a *Auth) Unlink(ctx context.Context, userID, signInID string) error {
	if a.openID == nil {
		return finance.ErrNotFound
	}
	if has, err := a.HasLocalPassword(ctx, userID); err != nil || !has {
		return cmp.Or(err, ErrLastWay)
	}
	return a.store.RemoveIdentity(ctx, userID, a.openID.Provider.Issuer(), signInID)
}

// HasLocalPassword reports whether the user has a password that lets them in.
func (a *Auth) HasLocalPassword(ctx context.Context, userID string) (bool, error) {
	if a.remote {
		return false, nil
	}
	return a.hasPassword(ctx, userID)
}

// hasPassword reports whether the user has a password; whoever came in by the provider has none.
func (a *Auth) hasPassword(ctx context.Context, userID string) (bool, error) {
	hash, err := a.store.PasswordHash(ctx, userID)
	return hash != store.NoPassword, err
}

// Confirm returns the proof of a user who visited the provider for it and signed in there anew. Errors: ErrOtherIdentity when somebody else did,
// ErrVisit when the user has to prove it here.
func (a *Auth) Confirm(ctx context.Context, v finance.OpenIDVisit, who openid.Identity) (Proof, error) {
	identity, err := a.Identity(ctx, v.UserID)
	if errors.Is(err, finance.ErrNotFound) || err == nil && identity.Subject != who.Subject {
		return Proof{}, ErrOtherIdentity
	}
	if err != nil {
		return Proof{}, err
	}
	demand, err := a.Demand(ctx, v.UserID, Purpose{act: v.Detail})
	if err == nil && !demand.OpenID { // no page leads such a person there
		err = ErrVisit
	}
	return Proof{Purpose: v.Detail, At: time.Now().Round(0)}, err
}
