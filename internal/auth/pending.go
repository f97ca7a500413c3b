package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/openid"
	"florin/internal/store"
)

// PendingLife is how long a person may take between the first and the second step of a sign-in.
const PendingLife = 10 * time.Minute

// ErrPending says that the first step of a sign-in is no longer valid: it has expired, or the password was changed since.
var ErrPending = errors.New("the first step of this sign-in is not good any more")

// Pending is a sign-in whose first step was right and whose second step is missing. It signs nobody in. It is stored only in the session of the browser.
type Pending struct {
	UserID   string
	Remember bool // the person chose to stay signed in on the device
	by       Method
	proof    string // a hash of what the first step was checked with; when that changes, the pending sign-in is invalid
	begun    time.Time
}

// String encodes the pending sign-in for a session.
func (p Pending) String() string {
	return strings.Join([]string{p.UserID, strconv.FormatBool(p.Remember), string(p.by), p.proof, strconv.FormatInt(p.begun.Unix(), 10)}, " ")
}

// ParsePending parses the result of String. ok is false for any other text, and for a pending sign-in that has expired.
func ParsePending(text string) (p Pending, ok bool) {
	parts := strings.Split(text, " ")
	if len(parts) != 5 {
		return Pending{}, false
	}
	begun, err := strconv.ParseInt(parts[4], 10, 64)
	p = Pending{UserID: parts[0], Remember: parts[1] == "true", by: Method(parts[2]), proof: parts[3], begun: time.Unix(begun, 0)}
	age := time.Now().Round(0).Sub(p.begun)
	return p, err == nil && age > -time.Second && age < PendingLife // begun has whole seconds
}

// SecondStepError says that the first step was right and a second one is required.
type SecondStepError struct{ Pending Pending }

func (*SecondStepError) Error() string { return "a second step is needed to sign in" }

// secondStep returns a *SecondStepError when the user must take a second step after this first one.
func (a *Auth) secondStep(ctx context.Context, userID string, by Method, against string, remember bool) error {
	f, err := a.SecondFactors(ctx, userID)
	if err != nil || !f.Asked() {
		return err
	}
	return &SecondStepError{Pending{UserID: userID, Remember: remember, by: by, proof: pendingProof(userID, by, against), begun: time.Now()}}
}

func pendingProof(userID string, by Method, against string) string {
	sum := sha256.Sum256([]byte(userID + "\x00" + string(by) + "\x00" + against))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// against returns what a pending sign-in at the provider is bound to: the identity there.
func against(issuer, subject string) string { return issuer + "\x00" + subject }

// PendingUser returns the user of a pending sign-in.
func (a *Auth) PendingUser(ctx context.Context, p Pending) (finance.User, error) {
	user, err := a.store.User(ctx, p.UserID)
	if errors.Is(err, finance.ErrNotFound) {
		err = ErrPending
	}
	return user, err
}

// Complete takes the second step of a sign-in with a code of an app or a recovery code. It records the sign-in and uses up the code, both or neither. It also
// returns the user with an error. Errors: ErrPending, *CodeError, *WaitError.
func (a *Auth) Complete(ctx context.Context, p Pending, code finance.Secret, browser Browser) (finance.User, finance.SignIn, error) {
	user, err := a.PendingUser(ctx, p)
	if err != nil {
		return finance.User{}, finance.SignIn{}, err
	}
	if strings.TrimSpace(code.Reveal()) == "" { // an empty field is not counted as a try
		return user, finance.SignIn{}, &CodeError{Fault: CodeFormat}
	}
	n := browser.signIn(user.ID, finance.SignInPassword, "", p.Remember)
	if p.by == ByOpenID {
		n.Method = finance.SignInOpenID
	}
	var signIn finance.SignIn
	err = a.tried(ctx, secondCounters(user.ID, browser), func() error {
		if n.Second, err = a.secondUse(ctx, user.ID, code); err != nil {
			return err
		}
		signIn, err = a.begin(ctx, p, n)
		return usedFault(err)
	})
	if err != nil {
		return user, finance.SignIn{}, err
	}
	return user, signIn, nil
}

// begin records a sign-in with both steps, when the first one is still valid.
func (a *Auth) begin(ctx context.Context, p Pending, n store.NewSignIn) (finance.SignIn, error) {
	is := func(against string) bool {
		return subtle.ConstantTimeCompare([]byte(pendingProof(p.UserID, p.by, against)), []byte(p.proof)) == 1
	}
	if p.by == ByOpenID {
		identity, err := a.Identity(ctx, p.UserID)
		if errors.Is(err, finance.ErrNotFound) || err == nil && !is(against(identity.Issuer, identity.Subject)) {
			return finance.SignIn{}, ErrPending
		}
		if err != nil {
			return finance.SignIn{}, err
		}
		return a.store.CreateSignInOf(ctx, identity.Issuer, identity.Subject, n)
	}
	hash, err := a.store.PasswordHash(ctx, p.UserID)
	if err != nil {
		return finance.SignIn{}, err
	}
	if a.remote || !is(hash) {
		return finance.SignIn{}, ErrPending
	}
	n.PasswordHash = hash
	return a.store.CreateSignIn(ctx, n)
}

// counts reports whether a second factor at the provider is accepted in place of Florin's own.
func (a *Auth) counts(who openid.Identity) bool { return a.openID.SecondFactor && who.SecondFactor() }
