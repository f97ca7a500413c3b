package openid

import (
	"context"
	"errors"
	"net"
)

// Fault is why the provider could not say who somebody is.
type Fault string

// Values of Fault.
const (
	Unreachable  Fault = "unreachable"  // it does not answer, too slowly, or with something else
	Misnamed     Fault = "misnamed"     // it calls itself by another name than the setting of the issuer
	Unregistered Fault = "unregistered" // it does not know this client, or another secret
	Declined     Fault = "declined"     // the person, or a rule there, said no
	Refused      Fault = "refused"      // it answers with another error
	Used         Fault = "used"         // the code was used before, or is too old
	Clock        Fault = "clock"        // the token is of another time: the clocks differ
	Stale        Fault = "stale"        // the person was to sign in anew, and did not, or the provider does not say when
	Untrusted    Fault = "untrusted"    // the answer is not one of this provider, for this Florin and this visit
)

// Error says why the provider could not say who somebody is. It holds no token, no code and nothing about a person.
type Error struct {
	Fault  Fault
	Reason string // for the log
}

func (e *Error) Error() string { return "OpenID Connect: " + string(e.Fault) + ": " + e.Reason }

// ErrAddress says that the provider names an address to which Florin leads nobody.
var ErrAddress = &Error{Untrusted, "its metadata name an address to which nobody is led"}

// unreachable is the error of a call that brought no answer. The library's own text would repeat the answer, whatever it holds.
func unreachable(what string, err error) error {
	var timeout net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return &Error{Unreachable, what + " did not come in time"}
	case errors.Is(err, errTooLarge):
		return &Error{Unreachable, what + " came with too many bytes"}
	}
	if dial, is := errors.AsType[*net.OpError](err); is {
		return &Error{Unreachable, what + " could not be asked: " + dial.Error()}
	}
	return &Error{Unreachable, what + " could not be read"}
}
