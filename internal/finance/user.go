package finance

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// Role is what a user may do. None gives a look at the money of another.
type Role string

// Values of Role. Owners look after the installation, and there is always one at least. Owners and members link their own banks. Viewers see what others
// share with them, and change nothing but how they sign in.
const (
	RoleOwner  Role = "owner"
	RoleMember Role = "member"
	RoleViewer Role = "viewer"
)

// Roles are all roles, from the one that may do most.
var Roles = []Role{RoleOwner, RoleMember, RoleViewer}

// Valid reports whether r is one of the roles.
func (r Role) Valid() bool { return slices.Contains(Roles, r) }

// LastOwner reports whether the user with the id is the only owner. The last owner cannot change role.
func LastOwner(all []User, userID string) bool {
	owners := slices.DeleteFunc(slices.Clone(all), func(u User) bool { return u.Role != RoleOwner })
	return len(owners) == 1 && owners[0].ID == userID
}

// MayLeave reports whether the user with the id can be removed. The last owner can be removed only when there are no other users, since nobody else could
// manage them.
func MayLeave(all []User, userID string) bool { return len(all) == 1 || !LastOwner(all, userID) }

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
	Device     string       // in words, from the browser's own description
	Method     SignInMethod // "" for those of long ago, of which nobody knows
	PasskeyID  string       // with which the person signed in; "" for none. The passkey may have been removed since
	Network    netip.Prefix // from which it was last used (NetworkOf); zero where it is not known
	Remembered bool         // the person chose to stay signed in on this device
	Created    time.Time
	LastSeen   time.Time // to the minute
	Revoked    time.Time // zero while it is good
}

// SignInMethod is how a person proved at a sign-in who they are.
type SignInMethod string

// Values of SignInMethod.
const (
	SignInPassword SignInMethod = "password"
	SignInPasskey  SignInMethod = "passkey"
	SignInOpenID   SignInMethod = "openid" // at the provider of OpenID Connect
)

// NetworkOf is the network of an address, as much of it as is kept: the first 24 bits of an IPv4 address, the first 48 of an IPv6 one, which a provider gives
// to one customer (RFC 6177). It is zero for the zero address.
func NetworkOf(address netip.Addr) netip.Prefix {
	address = address.Unmap().WithZone("")
	if address.IsLoopback() { // in both kinds of addresses
		address = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	bits := 48
	if address.Is4() {
		bits = 24
	}
	network, err := address.Prefix(bits)
	if err != nil { // the zero address
		return netip.Prefix{}
	}
	return network
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
