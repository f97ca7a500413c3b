// Package apptoken holds the RS256 application tokens of the API (spec:
// Authentication): their keys and certificates, the Signer with which an
// application makes them and the Verifier with which the service checks them.
package apptoken

import "time"

const (
	// MaxLifetime is the longest time from iat to exp (spec: Authentication).
	MaxLifetime = 86400 * time.Second
	// MaxAhead is how far iat and nbf may lie in the future (api-notes 2), so
	// that clocks may differ a little.
	MaxAhead = 60 * time.Second
)

// Reason is why a token was refused. Reasons are compared with errors.Is; each
// of them also answers to ErrInvalid.
type Reason string

// Error returns the reason as a sentence fit for a log. It holds no part of the token.
func (r Reason) Error() string { return string(r) }

// Is makes every Reason match ErrInvalid.
func (r Reason) Is(target error) bool { return target == ErrInvalid }

// The reasons of a refusal. ErrInvalid matches all of them: an error of Verify
// that does not match it is a failure of the service, not of the token.
const (
	ErrInvalid     = Reason("token is not valid")
	ErrMalformed   = Reason("token is malformed")
	ErrType        = Reason("JWT token type is not valid") // message observed (api-notes 1)
	ErrAlgorithm   = Reason("token algorithm is not RS256")
	ErrHeader      = Reason("token header holds a field that is not allowed")
	ErrUnknownKey  = Reason("token names an unknown application")
	ErrWeakKey     = Reason("the key of the application is too weak")
	ErrSignature   = Reason("token signature does not match")
	ErrIssuer      = Reason("token issuer is wrong")
	ErrAudience    = Reason("token audience is wrong")
	ErrTimes       = Reason("token has no iat or no exp")
	ErrExpired     = Reason("token is expired")
	ErrLifetime    = Reason("token lives longer than 86400 seconds")
	ErrFromFuture  = Reason("token was issued in the future")
	ErrNotYetValid = Reason("token is not valid yet")
)
