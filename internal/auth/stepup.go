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

// ProofLife is how long a proof is valid for its purpose.
const ProofLife = 5 * time.Minute

// Purpose is the action for which a person must prove their identity right before it (ASVS 7.5). A proof for one purpose is not valid for another. The zero
// Purpose stands for no action.
type Purpose struct {
	act   string
	bound string // a hash of what exactly is confirmed; "" when the act says enough
	whole bool   // a person with a second factor must prove more than one factor
	fresh bool   // an earlier proof is not accepted
}

// The purposes that need no further details.
var (
	ForServices = Purpose{act: "services"}                           // connecting, changing or removing a banking service or the senders of its webhooks
	ForSignIns  = Purpose{act: "sign-ins"}                           // ending them
	ForOpenID   = Purpose{act: "openid", whole: true}                // linking an identity at the OpenID Connect provider, and removing the link
	ForPasskeys = Purpose{act: "passkeys", whole: true}              // adding and removing passkeys
	ForSecond   = Purpose{act: "second-factor", whole: true}         // adding and removing authenticator apps, making recovery codes
	ForCalendar = Purpose{act: "calendar"}                           // creating an address at which a calendar program reads without a sign-in
	ForPeople   = Purpose{act: "people"}                             // inviting people, and changing their roles
	ForDeletion = Purpose{act: "deletion"}                           // deleting data that cannot be fetched again
	ForLeaving  = Purpose{act: "leaving", whole: true}               // removing one's own account with all its data
	ForPassword = Purpose{act: "password", whole: true, fresh: true} // setting a new password
)

// ForPayment is the purpose of confirming one payment as it was reviewed: any change to the payment invalidates the proof (RTS 2018/389 art. 5, security
// T25). hash covers amount, payee, account, day and everything else that is sent.
func ForPayment(paymentID, hash string) Purpose { return bind("payment", paymentID, hash) }

// ForPayee is the purpose of saving exactly this account for this payee, who had another one.
func ForPayee(name, scheme, account string) Purpose { return bind("payee", name, scheme, account) }

func bind(act string, parts ...string) Purpose {
	h := sha256.New()
	for _, part := range parts {
		h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	return Purpose{act: act, bound: base64.RawURLEncoding.EncodeToString(h.Sum(nil))}
}

// String returns the purpose for the session and the log. It does not reveal what is confirmed.
func (p Purpose) String() string { return strings.TrimSuffix(p.act+":"+p.bound, ":") }

// Proof records that a person has proved their identity, for which purpose, and when.
type Proof struct {
	Purpose string // the result of Purpose.String
	At      time.Time
}

// Good reports whether the proof is valid for the purpose now. A proof in the future, left by a wrong clock, is not.
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
	ByPasskey  Method = "passkey"       // the browser's answer; a passkey is two factors at once, so it is enough alone
	ByOpenID   Method = "openid"        // at the OpenID Connect provider, before the form is sent: there is no field for it
)

// Methods are the kinds of proof that a form field can hold.
var Methods = []Method{ByPassword, ByCode, ByPasskey}

// factor is one kind of proof.
type factor interface {
	method() Method
	// has reports whether the user can give this kind of proof.
	has(ctx context.Context, userID string) (bool, error)
	// check checks what the person gave for a purpose, and uses it up when it works only once. A wrong proof is a *ProofError. It counts no tries.
	check(ctx context.Context, user finance.User, signInID string, given finance.Secret, purpose Purpose) error
}

// ProofError says that a proof of identity is wrong or missing.
type ProofError struct {
	Method  Method
	Missing bool
	Why     error // a *CodeError or a *PasskeyError; nil without more details
}

func (e *ProofError) Error() string {
	if e.Missing {
		return "no " + string(e.Method)
	}
	return "wrong " + string(e.Method)
}

// Demand says with what a person must prove their identity.
type Demand struct {
	Methods []Method // the kinds that the person has, the password first
	All     bool     // all of them are required, or a passkey alone; else one is enough
	OpenID  bool     // the person has no proof to type, and can also prove it at the OpenID Connect provider
}

// Demand returns the proofs that a purpose requires of the user.
func (a *Auth) Demand(ctx context.Context, userID string, purpose Purpose) (Demand, error) {
	d := Demand{All: purpose.whole}
	for _, f := range a.factors {
		if purpose.fresh && f.method() == ByPasskey { // a new password requires the present one (ASVS 6.2.3)
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
		if f.Asked() { // the password alone does not sign in, so it cannot change a factor alone
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

// Evidence holds what a person gave, by kind of proof.
type Evidence map[Method]finance.Secret

// StepUp decides whether a signed-in person has proved their identity just now; nothing else does. Tries are counted for this sign-in only, so that outsiders
// cannot use them up, and for each kind of proof, so that knowing one gives no further guesses at another. Errors: *ProofError, *WaitError.
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
	if !some || demand.All && missing >= 0 { // an incomplete proof is not counted as a try
		return Proof{}, &ProofError{Method: demand.Methods[missing], Missing: true}
	}
	var wrong error // the first error
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

// passwords is the factor of passwords.
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
