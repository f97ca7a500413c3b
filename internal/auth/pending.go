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

// PendingLife is how long somebody may take between the first and the second step of a sign-in.
const PendingLife = 10 * time.Minute

// ErrPending says that a sign-in has no first step that is still good: it is too old, or the password was changed since.
var ErrPending = errors.New("the first step of this sign-in is not good any more")

// Pending is a sign-in whose first step was right and whose second is missing. It signs nobody in. It is for the session of one browser on this side alone.
type Pending struct {
	UserID   string
	Remember bool // the person chose to stay signed in on the device
	by       Method
	proof    string // a hash of what the first step was checked against, so that it ends with that
	begun    time.Time
}

// String writes it for a session.
func (p Pending) String() string {
	return strings.Join([]string{p.UserID, strconv.FormatBool(p.Remember), string(p.by), p.proof, strconv.FormatInt(p.begun.Unix(), 10)}, " ")
}

// ParsePending reads what String wrote. ok is false for anything else, and for a pending sign-in that is too old.
func ParsePending(text string) (p Pending, ok bool) {
	parts := strings.Split(text, " ")
	if len(parts) != 5 {
		return Pending{}, false
	}
	begun, err := strconv.ParseInt(parts[4], 10, 64)
	p = Pending{UserID: parts[0], Remember: parts[1] == "true", by: Method(parts[2]), proof: parts[3], begun: time.Unix(begun, 0)}
	age := time.Now().Round(0).Sub(p.begun)
	return p, err == nil && age > -time.Second && age < PendingLife // begun is cut to the second
}

// SecondStepError says that the first step was right, and that the user has to take the second one.
type SecondStepError struct{ Pending Pending }

func (*SecondStepError) Error() string { return "a second step is needed to sign in" }

// secondStep is a *SecondStepError where the user has to take a second step after this first one.
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

// PendingUser returns whose sign-in it is.
func (a *Auth) PendingUser(ctx context.Context, p Pending) (finance.User, error) {
	user, err := a.store.User(ctx, p.UserID)
	if errors.Is(err, finance.ErrNotFound) {
		err = ErrPending
	}
	return user, err
}

// Complete takes the second step of a sign-in with a code of an app or a recovery code, and records the sign-in. The code is used up with it, both or neither.
// The user comes with an error, too. Errors: ErrPending, *CodeError, *WaitError.
func (a *Auth) Complete(ctx context.Context, p Pending, code finance.Secret, browser Browser) (finance.User, finance.SignIn, error) {
	user, err := a.PendingUser(ctx, p)
	if err != nil {
		return finance.User{}, finance.SignIn{}, err
	}
	if strings.TrimSpace(code.Reveal()) == "" { // which is no try
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

// begin records a sign-in of both steps, when its first one is still good.
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

// counts reports whether what the provider says of a second factor spares the user Florin's own.
func (a *Auth) counts(who openid.Identity) bool { return a.openID.SecondFactor && who.SecondFactor() }
