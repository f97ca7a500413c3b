package finance

import (
	"errors"
	"strings"
	"time"
)

// Role is what a user may do. The owner looks after the installation; neither sees the money of the other.
type Role string

// Values of Role.
const (
	RoleOwner  Role = "owner"
	RoleMember Role = "member"
)

// Valid reports whether r is one of the roles.
func (r Role) Valid() bool { return r == RoleOwner || r == RoleMember }

// User is a person who signs in.
type User struct {
	ID       string
	Email    string // normalised, see NormalEmail
	Role     Role
	Language string // two letters; "" for that of the browser
	Currency string // into which sums are converted, as a code; "" for that of most accounts (MainCurrency)
	Created  time.Time
}

// SignIn is one sign-in of a user on one device. It ends when Revoked is set, whatever cookies still exist.
type SignIn struct {
	ID         string
	UserID     string
	Device     string // in words, from the browser's own description
	Remembered bool   // the person chose to stay signed in on this device
	Created    time.Time
	LastSeen   time.Time // to the minute
	Revoked    time.Time // zero while it is good
}

// ErrEmail says that a text is no e-mail address.
var ErrEmail = errors.New("an e-mail address looks like name@example.org")

// NormalEmail returns the address in the form in which it is stored and compared: without spaces around it and in lower case.
func NormalEmail(text string) (string, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	name, host, ok := strings.Cut(text, "@")
	if !ok || name == "" || host == "" || len(text) > 254 || strings.ContainsAny(text, " \t\r\n<>,;\"") ||
		strings.Contains(host, "@") || strings.HasPrefix(host, ".") || strings.HasSuffix(host, ".") {
		return "", ErrEmail
	}
	for _, r := range text {
		if r < 0x20 || r == 0x7f {
			return "", ErrEmail
		}
	}
	return text, nil
}
