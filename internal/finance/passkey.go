package finance

import "time"

// Passkey is a key with which a user signs in without a password (WebAuthn). Its secret half never leaves the person's device or password manager.
type Passkey struct {
	ID             string
	UserID         string
	Site           string // host name for which it was made: it works nowhere else
	Credential     []byte // by which the device knows it
	PublicKey      []byte // as a COSE key
	Transports     []string
	Counter        uint32 // signatures so far, as the device counts them; 0 where it does not count
	BackupEligible bool   // it may leave the device, as with a password manager that keeps it on several
	BackedUp       bool   // it did
	Name           string // given by the person
	Created        time.Time
	LastUsed       time.Time // zero before the first use
	Copied         time.Time // when its counter showed that there is a copy: it is refused since; zero for a good one
}

// MaxPasskeys is how many passkeys a user may have, MaxPasskeyName how many characters a name of one may have.
const (
	MaxPasskeys    = 20
	MaxPasskeyName = 60
)
