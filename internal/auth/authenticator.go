package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"errors"
	"maps"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/pquerna/otp/hotp"

	"florin/internal/finance"
	"florin/internal/store"
)

// An app and this server calculate the same code from a shared secret and the time, in periods (RFC 6238).
const (
	codePeriod = 30 * time.Second
	codeDigits = 6
	skew       = 1  // periods by which the clocks may differ (RFC 6238, section 5.2)
	wideSkew   = 20 // periods in which a wrong code still shows that a clock is wrong
)

// AuthenticatorLife is how long the secret of an app may stay unconfirmed.
const AuthenticatorLife = 10 * time.Minute

// secretBytes is the length of a secret (RFC 4226, section 4, R6).
const secretBytes = 20

var secretForm = base32.StdEncoding.WithPadding(base32.NoPadding)

// CodeError says why a code of an app or a recovery code is refused.
type CodeError struct {
	Fault CodeFault
	Off   time.Duration // by how much the app is ahead of this server; negative when it is behind; zero for other faults
}

func (e *CodeError) Error() string { return "the code is refused: " + string(e.Fault) }

// CodeFault is why a code is refused.
type CodeFault string

// Values of CodeFault.
const (
	CodeWrong  CodeFault = "it is none of the person's"
	CodeUsed   CodeFault = "it was used before, or a later one was, or it was tried ahead of its time"
	CodeClock  CodeFault = "the clocks differ"
	CodeFormat CodeFault = "it is neither six digits nor a recovery code"
	CodeSetup  CodeFault = "the sign-in sets up no app with this secret any more"
	CodeName   CodeFault = "the name of the app"
	CodeMany   CodeFault = "the person has too many apps"
	CodeBusy   CodeFault = "too many apps are being set up"
)

// NewAuthenticator holds the secret of an app during set-up.
type NewAuthenticator struct {
	Secret finance.Secret // in base32
	URI    finance.Secret // for a QR code: the "Key URI Format" of apps
}

// BeginAuthenticator creates a secret for an app that the user sets up in this sign-in. It is valid for AuthenticatorLife, in this sign-in only. Errors:
// *CodeError.
func (a *Auth) BeginAuthenticator(ctx context.Context, userID, signInID string) error {
	secret := make([]byte, secretBytes)
	_, _ = rand.Read(secret) // never fails
	return codeFault(a.store.BeginAuthenticator(ctx, userID, signInID, finance.Secret(secretForm.EncodeToString(secret)), AuthenticatorLife))
}

// AuthenticatorSetup returns the secret of the set-up that this sign-in has begun. Errors: *CodeError with CodeSetup.
func (a *Auth) AuthenticatorSetup(ctx context.Context, user finance.User, signInID string) (NewAuthenticator, error) {
	secret, err := a.store.AuthenticatorSetup(ctx, user.ID, signInID)
	if err != nil {
		return NewAuthenticator{}, codeFault(err)
	}
	label := "Florin"
	if a.address.Site != "" {
		label += " " + a.address.Site
	}
	uri := url.URL{Scheme: "otpauth", Host: "totp", Path: "/" + label + ":" + user.Email,
		RawQuery: "secret=" + secret.Reveal() + "&issuer=" + url.PathEscape(label)} // PathEscape, because apps show the plus sign of a query as it is
	return NewAuthenticator{Secret: secret, URI: finance.Secret(uri.String())}, nil
}

// AddAuthenticator adds the app set up in this sign-in to the user when the code is right. codes are new recovery codes for a user who has none. Errors:
// *WaitError; *CodeError, which here reports differing clocks in both directions.
func (a *Auth) AddAuthenticator(ctx context.Context, user finance.User, signInID, name string, code finance.Secret) (
	_ finance.Authenticator, codes []finance.Secret, err error,
) {
	if name, err = authenticatorName(name); err != nil {
		return finance.Authenticator{}, nil, err
	}
	secret, err := a.store.AuthenticatorSetup(ctx, user.ID, signInID)
	if err != nil {
		return finance.Authenticator{}, nil, codeFault(err)
	}
	digits, ok := digitsOf(code)
	if !ok {
		return finance.Authenticator{}, nil, &CodeError{Fault: CodeFormat}
	}
	var step int64
	err = a.tried(ctx, stepUpCounters(signInID, "set-up"), func() error {
		now := stepAt(time.Now())
		found, is := findStep(secret, digits, now, -wideSkew, wideSkew)
		switch {
		case !is:
			return &CodeError{Fault: CodeWrong}
		case found < now-skew || found > now+skew:
			return &CodeError{Fault: CodeClock, Off: time.Duration(found-now) * codePeriod}
		}
		step = found
		return nil
	})
	if err != nil {
		return finance.Authenticator{}, nil, err
	}
	codes = newRecoveryCodes()
	app, made, err := a.store.AddAuthenticator(ctx, signInID, finance.Authenticator{UserID: user.ID, Secret: secret, Name: name, Step: step}, codes)
	if err != nil || !made {
		codes = nil
	}
	return app, codes, codeFault(err)
}

// RemoveAuthenticator removes an app of the user and returns its name. Errors: store.ErrLastFactor, finance.ErrNotFound.
func (a *Auth) RemoveAuthenticator(ctx context.Context, userID, id string) (name string, err error) {
	return a.store.RemoveAuthenticator(ctx, userID, id, a.passkeySite())
}

// RemovePasskey removes a passkey of the user, ends the sign-ins made with it except keepSignIn, and returns the passkey. Errors: store.ErrLastFactor,
// finance.ErrNotFound.
func (a *Auth) RemovePasskey(ctx context.Context, userID, id, keepSignIn string) (finance.Passkey, error) {
	return a.store.RemovePasskey(ctx, userID, id, keepSignIn, a.passkeySite())
}

// SecondFactors returns the factors that the user has in addition to the password.
func (a *Auth) SecondFactors(ctx context.Context, userID string) (finance.SecondFactors, error) {
	return a.store.SecondFactors(ctx, userID, a.passkeySite())
}

// NeedsSecondFactor reports whether the user of a sign-in must set up a second factor before anything else.
func (a *Auth) NeedsSecondFactor(ctx context.Context, signIn finance.SignIn) (bool, error) {
	return a.store.NeedsSecondFactor(ctx, signIn.UserID, signIn.ID, a.passkeySite())
}

// passkeySite returns the site for which passkeys work and count; "" when they do not.
func (a *Auth) passkeySite() string {
	if a.remote || a.address.Fault != AddressGood {
		return ""
	}
	return a.address.Site
}

// MakeRecoveryCodes replaces the recovery codes of the user. before names the codes that the user has seen (finance.SecondFactors.CodeSet). Only hashes are
// stored. The error is store.ErrCodesMade when there are other codes than those.
func (a *Auth) MakeRecoveryCodes(ctx context.Context, userID, before string) ([]finance.Secret, error) {
	codes := newRecoveryCodes()
	return codes, a.store.MakeRecoveryCodes(ctx, userID, before, codes)
}

// RenameAuthenticator renames an app of the user. The error is a *CodeError when the name is not valid.
func (a *Auth) RenameAuthenticator(ctx context.Context, userID, id, typed string) error {
	name, err := authenticatorName(typed)
	if err != nil {
		return err
	}
	return a.store.RenameAuthenticator(ctx, userID, id, name)
}

func authenticatorName(typed string) (string, error) {
	name := finance.Clean(typed)
	if name == "" || utf8.RuneCountInString(name) > finance.MaxAuthenticatorName {
		return "", &CodeError{Fault: CodeName}
	}
	return name, nil
}

// recoveryLength is the number of characters in a recovery code: 120 bits, so that a plain hash protects it (ASVS 6.5.2).
const recoveryLength = 24

func newRecoveryCodes() []finance.Secret {
	codes := make([]finance.Secret, finance.RecoveryCodes)
	for i := range codes {
		codes[i] = finance.Secret(rand.Text()[:recoveryLength])
	}
	return codes
}

// digitsOf returns the digits of a typed code, which may contain spaces. It reports whether it has the form of a code.
func digitsOf(code finance.Secret) (string, bool) {
	text := strings.Join(strings.Fields(code.Reveal()), "")
	return text, len(text) == codeDigits && strings.Trim(text, "0123456789") == ""
}

// recoveryCodeOf normalises a typed recovery code: groups, lower case, and digits that look like its letters. It reports whether it has the length of a
// recovery code.
func recoveryCodeOf(code finance.Secret) (finance.Secret, bool) {
	text := strings.NewReplacer("-", "", " ", "", "0", "O", "1", "I", "8", "B").Replace(strings.ToUpper(strings.Join(strings.Fields(code.Reveal()), "")))
	return finance.Secret(text), len(text) == recoveryLength
}

func stepAt(t time.Time) int64 { return t.Unix() / int64(codePeriod/time.Second) }

// findStep returns the period nearest to now, from now+from to now+to, in which an app with the secret shows the digits. is reports whether there is one.
func findStep(secret finance.Secret, digits string, now int64, from, to int) (step int64, is bool) {
	for far := range int64(max(-from, to)) + 1 {
		for _, off := range []int64{far, -far} {
			if off < int64(from) || off > int64(to) || now+off < 0 {
				continue
			}
			shown, err := hotp.GenerateCode(secret.Reveal(), uint64(now+off)) // not negative
			if err == nil && subtle.ConstantTimeCompare([]byte(shown), []byte(digits)) == 1 {
				return now + off, true
			}
		}
	}
	return 0, false
}

// told holds codes that Florin has answered with "the server's clock is behind", because they belong to a later time. They are no longer accepted.
// Otherwise a guess that hits one of the codes of the next ten minutes would work as soon as its time comes, and a guesser would have seven times the
// chance.
type told struct {
	mu    sync.Mutex
	codes map[toldCode]bool
}

type toldCode struct {
	app  string
	step int64
}

// add stores a code, and deletes codes that have expired by the period now.
func (t *told) add(app string, step, now int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.codes == nil {
		t.codes = map[toldCode]bool{}
	}
	maps.DeleteFunc(t.codes, func(c toldCode, _ bool) bool { return c.step < now-skew })
	t.codes[toldCode{app, step}] = true
}

func (t *told) has(app string, step int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.codes[toldCode{app, step}]
}

// secondUse finds the app of the user that shows the code, or finds that the text may be a recovery code. It does not use the code up. The error is a
// *CodeError. It reports a wrong clock only when this server's is behind: a code of the future cannot have been seen before, and once reported it no longer
// works (told).
func (a *Auth) secondUse(ctx context.Context, userID string, code finance.Secret) (finance.SecondUse, error) {
	digits, ok := digitsOf(code)
	if !ok {
		if text, may := recoveryCodeOf(code); may {
			return finance.SecondUse{RecoveryCode: text}, nil
		}
		return finance.SecondUse{}, &CodeError{Fault: CodeFormat}
	}
	apps, err := a.store.Authenticators(ctx, userID)
	if err != nil {
		return finance.SecondUse{}, err
	}
	now, refused := stepAt(time.Now()), &CodeError{Fault: CodeWrong}
	for _, app := range apps {
		step, is := findStep(app.Secret, digits, now, -skew, wideSkew)
		switch {
		case !is:
		case step > now+skew:
			a.told.add(app.ID, step, now)
			refused = &CodeError{Fault: CodeClock, Off: time.Duration(step-now) * codePeriod}
		case step <= app.Step, a.told.has(app.ID, step):
			refused = &CodeError{Fault: CodeUsed}
		default:
			return finance.SecondUse{AuthenticatorID: app.ID, Step: step}, nil
		}
	}
	return finance.SecondUse{}, refused
}

// codeFault turns store errors about a code or an app into a *CodeError, and returns other errors unchanged.
func codeFault(err error) error {
	for wrong, fault := range map[error]CodeFault{
		store.ErrCodeUsed: CodeUsed, store.ErrTooManyAuthenticators: CodeMany, store.ErrTooManySetups: CodeBusy, finance.ErrNotFound: CodeSetup,
	} {
		if errors.Is(err, wrong) {
			return &CodeError{Fault: fault}
		}
	}
	return err
}

// authenticators is the factor of authenticator apps. A recovery code can replace the code of an app.
type authenticators struct{ *Auth }

func (authenticators) method() Method { return ByCode }

func (a authenticators) has(ctx context.Context, userID string) (bool, error) {
	f, err := a.SecondFactors(ctx, userID)
	return f.Apps > 0 || f.Asked() && f.Codes > 0, err
}

func (a authenticators) check(ctx context.Context, user finance.User, _ string, given finance.Secret, _ Purpose) error {
	use, err := a.secondUse(ctx, user.ID, given)
	if err == nil {
		err = usedFault(a.store.UseSecond(ctx, user.ID, use))
	}
	if wrong, is := errors.AsType[*CodeError](err); is {
		return &ProofError{Method: ByCode, Why: wrong}
	}
	return err
}

// usedFault is codeFault for using up a code: a code that is not found is wrong.
func usedFault(err error) error {
	if errors.Is(err, finance.ErrNotFound) {
		return &CodeError{Fault: CodeWrong}
	}
	return codeFault(err)
}
