// Package auth creates users, checks passwords and keeps sign-ins: passwords are hashed with argon2id, failed tries make the next ones wait,
// and a sign-in that was ended stays ended.
package auth

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/alexedwards/argon2id"

	"florin/internal/finance"
	"florin/internal/store"
)

// Errors of this package, each fit to be shown. What the store returns for a set-up is passed on: store.ErrOwnerExists,
// store.ErrSetupToken, store.ErrEmailTaken; finance.ErrEmail for what is no address.
//
// ErrCredentials does not tell whether the address or the password is wrong.
var ErrCredentials = errors.New("the e-mail address or the password is wrong")

// WaitError says that there were too many failed tries, and until when to wait.
type WaitError struct{ Until time.Time }

func (e *WaitError) Error() string {
	return "there were too many failed tries; wait a while and try again"
}

// SetupTokenLifetime is how long the link of the first start works. A new start makes a new one.
const SetupTokenLifetime = 24 * time.Hour

// Lifetimes say how long a sign-in lasts: from its beginning, whatever happens in between, and from when it was used last, 0 for no such end.
type Lifetimes struct {
	SignIn, Idle               time.Duration // of one that ends with the working day
	Remembered, RememberedIdle time.Duration // where the person chose to stay signed in on the device
}

// DefaultLifetimes are those without settings (security T16).
var DefaultLifetimes = Lifetimes{SignIn: 12 * time.Hour, Idle: 2 * time.Hour, Remembered: 30 * 24 * time.Hour, RememberedIdle: 7 * 24 * time.Hour}

// Auth signs people in. It is safe for use by many goroutines.
type Auth struct {
	store     *store.Store
	hasher    *hasher // for people who are known: signed in, in a browser of theirs, or with a link
	strangers *hasher // for everybody else, who cannot make the others wait
	lifetimes Lifetimes
	ended     ended
	told      told
	factors   []factor // the kinds of proof, the password first
	openID    *OpenID  // nil for none
	remote    bool     // people sign in at the provider alone

	address        Address     // where passkeys work
	asked          *challenges // of people who are signed in
	strangersAsked *challenges // of everybody else, who cannot take the place of those
}

// Option changes what New returns.
type Option func(*Auth)

// New returns an Auth on the store.
func New(s *store.Store, options ...Option) *Auth {
	a := &Auth{store: s, hasher: newHasher(parameters), strangers: newHasher(parameters), lifetimes: DefaultLifetimes,
		address: addressOf(nil), asked: newChallenges(), strangersAsked: newChallenges()}
	a.factors = []factor{passwords{a}, authenticators{a}, passkeys{a}}
	for _, option := range options {
		option(a)
	}
	return a
}

// Cheap makes the hashes of new passwords cheap, and therefore worthless. It is for tests that sign in often and are about something else.
func Cheap(a *Auth) {
	cheap := &argon2id.Params{Memory: 8, Iterations: 1, Parallelism: 1, SaltLength: parameters.SaltLength, KeyLength: parameters.KeyLength}
	a.hasher, a.strangers = newHasher(cheap), newHasher(cheap)
}

// Lasting sets how long sign-ins last.
func Lasting(l Lifetimes) Option { return func(a *Auth) { a.lifetimes = l } }

// SetupToken returns the one-time token of the first start, in place of any before: the chosen one, or a new one when chosen is empty.
// The empty token means that there is an owner already.
func (a *Auth) SetupToken(ctx context.Context, chosen finance.Secret) (finance.Secret, error) {
	token := chosen
	if token == "" {
		token = finance.Secret(finance.NewID())
	}
	err := a.store.CreateSetupToken(ctx, token, SetupTokenLifetime)
	if errors.Is(err, store.ErrOwnerExists) {
		return "", nil
	}
	return token, err
}

// Setup creates the owner and uses the token up. Without a good token it does nothing (security T38).
func (a *Auth) Setup(ctx context.Context, token finance.Secret, email string, password finance.Secret) (finance.User, error) {
	valid, err := a.store.SetupTokenValid(ctx, token)
	if err != nil {
		return finance.User{}, err
	}
	if !valid {
		if exists, err := a.store.HasOwner(ctx); err != nil || exists {
			return finance.User{}, errors.Join(err, store.ErrOwnerExists)
		}
		return finance.User{}, store.ErrSetupToken
	}
	email, hash, err := a.prepare(ctx, email, password)
	if err != nil {
		return finance.User{}, err
	}
	return a.store.CreateOwner(ctx, token, email, hash)
}

// AddUser creates a user: the operator's command, which needs no token.
func (a *Auth) AddUser(ctx context.Context, email string, password finance.Secret, role finance.Role) (finance.User, error) {
	if !role.Valid() {
		return finance.User{}, errors.New("a role is owner, member or viewer")
	}
	email, hash, err := a.prepare(ctx, email, password)
	if err != nil {
		return finance.User{}, err
	}
	return a.store.CreateUser(ctx, email, role, hash)
}

func (a *Auth) prepare(ctx context.Context, email string, password finance.Secret) (normal, hash string, err error) {
	normal, err = finance.NormalEmail(email)
	if err != nil {
		return "", "", err
	}
	if err := CheckPassword(password, normal); err != nil {
		return "", "", err
	}
	hash, err = a.hasher.hash(ctx, password)
	return normal, hash, err
}

// Browser is where a sign-in comes from.
type Browser struct {
	Device   string         // in words, for the list of sign-ins: see Device
	Language string         // that its pages speak: two letters
	Address  netip.Addr     // of the client; zero where it tells nobody apart, as that of an unknown proxy
	ID       finance.Secret // random, in a cookie of the browser for a long time; "" in one that is new here
	Known    []string       // ids of users who have signed in with this browser before
}

// signIn is a sign-in of the user in the browser. passwordHash is what the password was checked against, "" where something else proved who it is.
func (b Browser) signIn(userID string, by finance.SignInMethod, passwordHash string, remember bool) store.NewSignIn {
	return store.NewSignIn{UserID: userID, PasswordHash: passwordHash, Device: b.Device, Method: by, Network: finance.NetworkOf(b.Address),
		Language: b.Language, Remembered: remember, NewDevice: !slices.Contains(b.Known, userID)}
}

// SignIn checks address and password, and records a sign-in in the browser; remember says that the person chose to stay signed in there. Errors:
// ErrCredentials, *WaitError, *SecondStepError where the password alone is not enough. An unknown address costs the same time as a wrong password.
func (a *Auth) SignIn(ctx context.Context, email string, password finance.Secret, browser Browser, remember bool) (finance.User, finance.SignIn, error) {
	normal, err := finance.NormalEmail(email)
	if err != nil {
		normal = strings.ToLower(strings.TrimSpace(email)) // counts and takes time like any other
	}
	user, hash, err := a.store.UserByEmail(ctx, normal)
	unknown := errors.Is(err, finance.ErrNotFound)
	if err != nil && !unknown {
		return finance.User{}, finance.SignIn{}, err
	}
	counters, hasher := strangerCounters(normal, browser.Address), a.strangers
	if !unknown && browser.ID != "" && slices.Contains(browser.Known, user.ID) {
		counters, hasher = deviceCounters(user.ID, browser.ID, hash), a.hasher
	}
	if err := a.try(ctx, counters); err != nil {
		return finance.User{}, finance.SignIn{}, err
	}
	ok, err := hasher.check(ctx, password, hash, unknown || hash == store.NoPassword)
	if err != nil {
		return finance.User{}, finance.SignIn{}, err
	}
	if !ok {
		return finance.User{}, finance.SignIn{}, ErrCredentials
	}
	if err := a.forgive(ctx, counters); err != nil {
		return finance.User{}, finance.SignIn{}, err
	}
	if err := a.secondStep(ctx, user.ID, ByPassword, hash, remember); err != nil {
		return user, finance.SignIn{}, err
	}
	signIn, err := a.store.CreateSignIn(ctx, browser.signIn(user.ID, finance.SignInPassword, hash, remember))
	if errors.Is(err, finance.ErrNotFound) { // the password was changed while it was checked
		return finance.User{}, finance.SignIn{}, ErrCredentials
	}
	return user, signIn, err
}

// Begin records a sign-in of a user who has just been created.
func (a *Auth) Begin(ctx context.Context, user finance.User, browser Browser) (finance.SignIn, error) {
	hash, err := a.store.PasswordHash(ctx, user.ID)
	if err != nil {
		return finance.SignIn{}, err
	}
	signIn := browser.signIn(user.ID, finance.SignInPassword, hash, false)
	signIn.NewDevice = false
	return a.store.CreateSignIn(ctx, signIn)
}

// SignIns lists the user's sign-ins that are good, the most recently used first.
func (a *Auth) SignIns(ctx context.Context, userID string) ([]finance.SignIn, error) {
	all, err := a.store.SignIns(ctx, userID, time.Now().Add(-max(a.lifetimes.SignIn, a.lifetimes.Remembered)))
	return slices.DeleteFunc(all, func(s finance.SignIn) bool { return !time.Now().Before(a.EndsUnused(s)) || a.ended.has(s.ID) }), err
}

// ChangePassword sets a new password of a user who has just proved for it who they are (ForPassword), and ends all sign-ins but this one. It is
// finance.ErrNotFound when this one ended meanwhile, as it does when the password was changed elsewhere. Errors: *PasswordError.
func (a *Auth) ChangePassword(ctx context.Context, user finance.User, signInID string, next finance.Secret) error {
	hash, err := a.newPassword(ctx, user, next)
	if err != nil {
		return err
	}
	return a.store.SetPassword(ctx, user.ID, hash, signInID)
}
