package finance

import "time"

// Authenticator is an app of a user that makes one-time codes (TOTP, RFC 6238).
type Authenticator struct {
	ID       string
	UserID   string
	Secret   Secret // in base32
	Name     string // given by the person
	Step     int64  // of the last code that was accepted, in periods of 30 seconds since 1970
	Created  time.Time
	LastUsed time.Time // zero before the first use after the set-up
}

// MaxAuthenticators is how many apps a user may have, MaxAuthenticatorName how many characters a name of one may have, and RecoveryCodes how many codes are
// made at a time.
const (
	MaxAuthenticators    = 5
	MaxAuthenticatorName = 60
	RecoveryCodes        = 10
)

// SecondFactors is what a user has beside the password, and whether everybody needs something.
type SecondFactors struct {
	Apps     int
	Passkeys int    // that work at the present address
	Codes    int    // recovery codes that were not used
	CodeSet  string // names all recovery codes, used ones too, until there are others; "" for none
	Required bool
}

// Any reports whether the user has a second factor. Recovery codes alone are none.
func (f SecondFactors) Any() bool { return f.Apps+f.Passkeys > 0 }

// Asked reports whether a password alone does not sign the user in: who has an app is asked for it, and who has passkeys alone where everybody needs a second
// factor.
func (f SecondFactors) Asked() bool { return f.Apps > 0 || f.Required && f.Passkeys > 0 }

// SecondUse is a code that was found to be right and is to be used up: of an app, or a recovery code. The zero SecondUse is none.
type SecondUse struct {
	AuthenticatorID string
	Step            int64
	RecoveryCode    Secret
}
