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

// Errors of this package whose texts may be shown. Setup also returns store.ErrOwnerExists, store.ErrSetupToken, store.ErrEmailTaken, and finance.ErrEmail
// for a malformed address.
//
// ErrCredentials does not say whether the address or the password is wrong.
var ErrCredentials = errors.New("the e-mail address or the password is wrong")

// WaitError says that there were too many failed tries, and until when to wait.
type WaitError struct{ Until time.Time }

func (e *WaitError) Error() string {
	return "there were too many failed tries; wait a while and try again"
}

// SetupTokenLifetime is how long the link of the first start works. Each start makes a new one.
const SetupTokenLifetime = 24 * time.Hour

// Lifetimes say how long a sign-in lasts: since it began, used or not, and since its last use; 0 means no limit since the last use.
type Lifetimes struct {
	SignIn, Idle               time.Duration // a sign-in for a working day
	Remembered, RememberedIdle time.Duration // a sign-in on a device where the person chose to stay signed in
}

// DefaultLifetimes are used without settings (security T16).
var DefaultLifetimes = Lifetimes{SignIn: 12 * time.Hour, Idle: 2 * time.Hour, Remembered: 30 * 24 * time.Hour, RememberedIdle: 7 * 24 * time.Hour}

// Auth signs people in. It is safe for use by many goroutines.
type Auth struct {
	store     *store.Store
	hasher    *hasher // for known people: signed in, in a browser that they have used, or with a link
	strangers *hasher // for everybody else, so that strangers cannot make known people wait
	lifetimes Lifetimes
	ended     ended
	told      told
	factors   []factor // the kinds of proof, the password first
	openID    *OpenID  // nil for none
	remote    bool     // people can sign in only at the provider

	address        Address     // where passkeys work
	asked          *challenges // challenges for signed-in people
	strangersAsked *challenges // challenges for everybody else, which cannot displace those
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

// Cheap makes hashes of new passwords fast to compute, and therefore insecure. It is for tests that sign in often.
func Cheap(a *Auth) {
	cheap := &argon2id.Params{Memory: 8, Iterations: 1, Parallelism: 1, SaltLength: parameters.SaltLength, KeyLength: parameters.KeyLength}
	a.hasher, a.strangers = newHasher(cheap), newHasher(cheap)
}

// Lasting sets how long sign-ins last.
func Lasting(l Lifetimes) Option { return func(a *Auth) { a.lifetimes = l } }

// SetupToken stores the one-time token of the first start, replacing earlier ones, and returns it: the chosen one, or a new one when chosen is empty. It
// returns "" when there is an owner already.
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

// Setup creates the owner and uses up the token. Without a valid token it does nothing (security T38).
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

// AddUser creates a user for the command of the operator, which needs no token.
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

// Browser describes the browser of a sign-in.
type Browser struct {
	Device   string         // a description for the list of sign-ins: see Device
	Language string         // the language of its pages: two letters
	Address  netip.Addr     // of the client; zero when many people share it, such as the address of an unknown proxy
	ID       finance.Secret // random, in a long-lived cookie of the browser; "" in a browser without that cookie
	Known    []string       // ids of users who have signed in with this browser before
}

// signIn returns a new sign-in of the user in the browser. passwordHash is the hash with which the password was checked, "" for another kind of proof.
func (b Browser) signIn(userID string, by finance.SignInMethod, passwordHash string, remember bool) store.NewSignIn {
	return store.NewSignIn{UserID: userID, PasswordHash: passwordHash, Device: b.Device, Method: by, Network: finance.NetworkOf(b.Address),
		Language: b.Language, Remembered: remember, NewDevice: !slices.Contains(b.Known, userID)}
}

// SignIn checks address and password, and records a sign-in in the browser; remember says that the person chose to stay signed in there. Errors:
// ErrCredentials, *WaitError, *SecondStepError when a second step is required. An unknown address takes the same time as a wrong password.
func (a *Auth) SignIn(ctx context.Context, email string, password finance.Secret, browser Browser, remember bool) (finance.User, finance.SignIn, error) {
	normal, err := finance.NormalEmail(email)
	if err != nil {
		normal = strings.ToLower(strings.TrimSpace(email)) // it counts and takes time like a valid one
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
	if errors.Is(err, finance.ErrNotFound) { // the password was changed during the check
		return finance.User{}, finance.SignIn{}, ErrCredentials
	}
	return user, signIn, err
}

// Begin records a sign-in of a user who was just created.
func (a *Auth) Begin(ctx context.Context, user finance.User, browser Browser) (finance.SignIn, error) {
	hash, err := a.store.PasswordHash(ctx, user.ID)
	if err != nil {
		return finance.SignIn{}, err
	}
	signIn := browser.signIn(user.ID, finance.SignInPassword, hash, false)
	signIn.NewDevice = false
	return a.store.CreateSignIn(ctx, signIn)
}

// SignIns returns the valid sign-ins of the user, the most recently used first.
func (a *Auth) SignIns(ctx context.Context, userID string) ([]finance.SignIn, error) {
	all, err := a.store.SignIns(ctx, userID, time.Now().Add(-max(a.lifetimes.SignIn, a.lifetimes.Remembered)))
	return slices.DeleteFunc(all, func(s finance.SignIn) bool { return !time.Now().Before(a.EndsUnused(s)) || a.ended.has(s.ID) }), err
}

// ChangePassword sets a new password for a user who has just proved their identity for it (ForPassword), and ends all other sign-ins. Errors: *PasswordError;
// finance.ErrNotFound when this sign-in has ended meanwhile, for example because the password was changed elsewhere.
func (a *Auth) ChangePassword(ctx context.Context, user finance.User, signInID string, next finance.Secret) error {
	hash, err := a.newPassword(ctx, user, next)
	if err != nil {
		return err
	}
	return a.store.SetPassword(ctx, user.ID, hash, signInID)
}
