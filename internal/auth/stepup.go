package auth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/store"
)

// ProofLife is how long a proof is good for what it was made for.
const ProofLife = 5 * time.Minute

// Purpose is what a person proves once more who they are for, right before it is done (ASVS 7.5). A proof for one purpose is none for another. The zero Purpose
// is none at all.
type Purpose struct {
	act   string
	bound string // a hash of what exactly is confirmed; "" where the act says it all
	whole bool   // one kind of proof is not enough where the person has a second factor
	fresh bool   // a proof of before does not count
}

// The purposes that are not bound to anything further.
var (
	ForServices = Purpose{act: "services"}                           // connecting, changing or removing what brings banks, and whose webhooks are believed
	ForSignIns  = Purpose{act: "sign-ins"}                           // ending them
	ForOpenID   = Purpose{act: "openid", whole: true}                // linking an account at the provider of OpenID Connect, and removing the link
	ForPasskeys = Purpose{act: "passkeys", whole: true}              // adding and removing them
	ForSecond   = Purpose{act: "second-factor", whole: true}         // adding and removing authenticator apps, new recovery codes
	ForCalendar = Purpose{act: "calendar"}                           // making an address at which a calendar program reads without a sign-in
	ForPeople   = Purpose{act: "people"}                             // inviting them, and what they may do
	ForDeletion = Purpose{act: "deletion"}                           // of what cannot be fetched again
	ForLeaving  = Purpose{act: "leaving", whole: true}               // removing oneself with all one's data
	ForPassword = Purpose{act: "password", whole: true, fresh: true} // a new one
)

// ForPayment is the confirmation of one payment as it was reviewed: any change of it ends the proof (RTS 2018/389 art. 5, security T25). hash is that of the
// review, over amount, payee, account, day and all else that is sent.
func ForPayment(paymentID, hash string) Purpose { return bind("payment", paymentID, hash) }

// ForPayee is saving exactly this account for exactly this name, where another one was known.
func ForPayee(name, scheme, account string) Purpose { return bind("payee", name, scheme, account) }

func bind(act string, parts ...string) Purpose {
	h := sha256.New()
	for _, part := range parts {
		h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	return Purpose{act: act, bound: base64.RawURLEncoding.EncodeToString(h.Sum(nil))}
}

// String names the purpose in a session and in the log. It tells nothing of what is confirmed.
func (p Purpose) String() string { return strings.TrimSuffix(p.act+":"+p.bound, ":") }

// Proof says that a person proved who they are, what for, and when.
type Proof struct {
	Purpose string // of Purpose.String
	At      time.Time
}

// Good reports whether the proof lets the person do something now. One in the future, which a clock that was wrong leaves behind, does not.
func (p Proof) Good(purpose Purpose, now time.Time) bool {
	age := now.Round(0).Sub(p.At)
	return purpose.act != "" && !purpose.fresh && p.Purpose == purpose.String() && age >= 0 && age < ProofLife
}

// AfterSignIn returns the proofs that a sign-in with a password gives to a user who has to set up a second factor first. The password was checked a moment
// ago.
func (a *Auth) AfterSignIn(ctx context.Context, signIn finance.SignIn) ([]Proof, error) {
	needs, err := a.NeedsSecondFactor(ctx, signIn)
	if err != nil || !needs {
		return nil, err
	}
	now := time.Now().Round(0)
	return []Proof{{Purpose: ForSecond.String(), At: now}, {Purpose: ForPasskeys.String(), At: now}}, nil
}

// Method is a kind of proof. Its value is the name of the form field in which a person gives it.
type Method string

// Values of Method.
const (
	ByPassword Method = "password"
	ByCode     Method = "one_time_code" // of an authenticator app, or a recovery code
	ByPasskey  Method = "passkey"       // what the browser says of one: two factors at once, so that it is enough alone
	ByOpenID   Method = "openid"        // at the provider of OpenID Connect, before the form is sent: no field holds it
)

// Methods are all kinds of proof that a field holds.
var Methods = []Method{ByPassword, ByCode, ByPasskey}

// factor is one kind of proof.
type factor interface {
	method() Method
	// has reports whether the user can prove themselves this way.
	has(ctx context.Context, userID string) (bool, error)
	// check looks at what the person gave for a purpose, and uses it up where it works once. What is wrong is a *ProofError. It counts no tries.
	check(ctx context.Context, user finance.User, signInID string, given finance.Secret, purpose Purpose) error
}

// ProofError says that what a person gave as a proof is wrong, or that it is missing.
type ProofError struct {
	Method  Method
	Missing bool
	Why     error // a *CodeError or a *PasskeyError; nil where there is no more to say
}

func (e *ProofError) Error() string {
	if e.Missing {
		return "no " + string(e.Method)
	}
	return "wrong " + string(e.Method)
}

// Demand is what a person has to prove who they are with.
type Demand struct {
	Methods []Method // that the person has, the password first
	All     bool     // each of them, or the passkey alone; else any one will do
	OpenID  bool     // the person has none that is typed, and proves it at the provider of OpenID Connect, too
}

// Demand returns what a purpose takes of the user.
func (a *Auth) Demand(ctx context.Context, userID string, purpose Purpose) (Demand, error) {
	d := Demand{All: purpose.whole}
	for _, f := range a.factors {
		if purpose.fresh && f.method() == ByPasskey { // a new password takes the present one (ASVS 6.2.3)
			continue
		}
		has, err := f.has(ctx, userID)
		if err != nil {
			return Demand{}, err
		}
		if has {
			d.Methods = append(d.Methods, f.method())
		}
	}
	if purpose.fresh {
		return d, nil
	}
	if purpose.whole && slices.Equal(d.Methods, []Method{ByPassword, ByPasskey}) {
		f, err := a.SecondFactors(ctx, userID)
		if f.Asked() { // the password alone does not sign in, and so does not change what does
			d.Methods = []Method{ByPasskey}
		}
		return d, err
	}
	if slices.ContainsFunc(d.Methods, func(m Method) bool { return m != ByPasskey }) {
		return d, nil
	}
	_, err := a.Identity(ctx, userID)
	d.OpenID = err == nil
	if errors.Is(err, finance.ErrNotFound) {
		err = nil
	}
	return d, err
}

// Evidence is what a person gave, by the kind of proof.
type Evidence map[Method]finance.Secret

// StepUp is the one place that decides whether a person who is signed in has just proved once more who they are. Its tries count for this sign-in alone,
// so that nobody outside can use them up, and for each kind of proof, so that whoever has one does not get more guesses at another with it.
// Errors: *ProofError, *WaitError.
func (a *Auth) StepUp(ctx context.Context, user finance.User, signInID string, purpose Purpose, given Evidence) (Proof, error) {
	demand, err := a.Demand(ctx, user.ID, purpose)
	if err != nil {
		return Proof{}, err
	}
	byPasskey := given[ByPasskey] != "" && slices.Contains(demand.Methods, ByPasskey)
	if demand.OpenID && !byPasskey || purpose.fresh && len(demand.Methods) == 0 {
		return Proof{}, &ProofError{Method: ByOpenID, Missing: true}
	}
	if purpose.act == "" || len(demand.Methods) == 0 {
		return Proof{}, errors.New("a proof of identity without a purpose, or of a user who has no way to give one")
	}
	if byPasskey {
		demand.Methods = []Method{ByPasskey}
	} else if len(demand.Methods) > 1 {
		demand.Methods = slices.DeleteFunc(demand.Methods, func(m Method) bool { return m == ByPasskey })
	}
	missing := slices.IndexFunc(demand.Methods, func(m Method) bool { return given[m] == "" })
	some := slices.ContainsFunc(demand.Methods, func(m Method) bool { return given[m] != "" })
	if !some || demand.All && missing >= 0 { // which is no try
		return Proof{}, &ProofError{Method: demand.Methods[missing], Missing: true}
	}
	var wrong error // the first
	for _, f := range a.factors {
		if !slices.Contains(demand.Methods, f.method()) || given[f.method()] == "" {
			continue
		}
		err := a.tried(ctx, stepUpCounters(signInID, f.method()), func() error { return f.check(ctx, user, signInID, given[f.method()], purpose) })
		if _, is := errors.AsType[*ProofError](err); err != nil && (!is || demand.All) {
			return Proof{}, err
		}
		if err == nil && !demand.All {
			wrong = nil
			break
		}
		wrong = cmp.Or(wrong, err)
	}
	if wrong != nil {
		return Proof{}, wrong
	}
	return Proof{Purpose: purpose.String(), At: time.Now().Round(0)}, nil
}

// passwords are the factor that is a person's password.
type passwords struct{ *Auth }

func (passwords) method() Method { return ByPassword }

// has reports whether the user can prove a password. It is false when the provider is the only way in and the user has an identity there.
func (a passwords) has(ctx context.Context, userID string) (bool, error) {
	if a.remote {
		if _, err := a.Identity(ctx, userID); !errors.Is(err, finance.ErrNotFound) {
			return false, err
		}
	}
	return a.hasPassword(ctx, userID)
}

func (a passwords) check(ctx context.Context, user finance.User, _ string, given finance.Secret, _ Purpose) error {
	hash, err := a.store.PasswordHash(ctx, user.ID)
	if err != nil {
		return err
	}
	ok, err := a.hasher.check(ctx, given, hash, hash == store.NoPassword)
	if err == nil && !ok {
		return &ProofError{Method: ByPassword}
	}
	return err
}
