package apptoken

import (
	"context"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// maxToken is the longest token that is looked at, in bytes. Real ones have
// about 700.
const maxToken = 8 << 10

// forbidden lists the header fields that bring a key along, point to one, or
// change how the token is to be read (RFC 7515, 7516, 7797). The key comes from
// the registration alone. Unknown fields are ignored, as RFC 7515 demands.
var forbidden = []string{
	"crit", "b64", "jwk", "jku", "x5u", "x5c", "x5t", "x5t#S256",
	"enc", "zip", "cty", "epk", "apu", "apv", "iv", "tag", "p2s", "p2c",
}

// KeyFunc finds the public keys of the application with the id kid: one, or
// several while a new key takes the place of an old one. It returns
// ErrUnknownKey when there is none. It is called before the signature is
// checked, with whatever kid an attacker chose.
type KeyFunc func(ctx context.Context, kid string) ([]*rsa.PublicKey, error)

// Verifier checks application tokens (spec: Authentication). It is safe for
// concurrent use.
type Verifier struct {
	issuers   []string
	audiences []string
	keys      KeyFunc
	parser    *jwt.Parser
	verified  *verified
}

// NewVerifier returns a Verifier that accepts tokens for any of the audiences
// whose iss is one of the issuers, or the id of the application that signed them.
func NewVerifier(issuers, audiences []string, keys KeyFunc) *Verifier {
	return &Verifier{
		issuers:   slices.Clone(issuers),
		audiences: slices.Clone(audiences),
		keys:      keys,
		parser: jwt.NewParser(
			jwt.WithValidMethods([]string{jwt.SigningMethodRS256.Alg()}),
			jwt.WithStrictDecoding(),
			jwt.WithPaddingAllowed(),
			jwt.WithExpirationRequired(),
		),
		verified: newVerified(),
	}
}

// Verify checks a token and returns the id of the application that signed it
// with any one of its keys. A refused token gives an error that matches
// ErrInvalid and one of the other reasons; every other error comes from the key
// function. Tokens that passed are remembered, by their hash, until they expire
// or Forget is called.
func (v *Verifier) Verify(ctx context.Context, token string) (kid string, err error) {
	if len(token) > maxToken {
		return "", ErrMalformed
	}
	var space [1 << 10]byte // as long as most tokens are
	hash := sha256.Sum256(append(space[:0], token...))
	if kid, ok := v.verified.find(hash, time.Now()); ok {
		return kid, nil
	}
	generation := v.verified.generation()

	if kid, err = v.readHeader(token); err != nil {
		return "", err
	}
	keys, err := v.keys(ctx, kid)
	if err != nil {
		return "", fmt.Errorf("apptoken: find the key: %w", err)
	}
	var strong jwt.VerificationKeySet
	for _, key := range keys {
		if key != nil && checkSize(key) == nil {
			strong.Keys = append(strong.Keys, key)
		}
	}
	if len(strong.Keys) == 0 {
		return "", ErrWeakKey
	}
	var claims claims
	_, err = v.parser.ParseWithClaims(token, &claims, func(*jwt.Token) (any, error) { return strong, nil })
	if err != nil {
		return "", reason(err)
	}
	if err := v.check(&claims, kid, time.Now()); err != nil {
		return "", err
	}
	v.verified.add(hash, kid, claims.expires(), generation)
	return kid, nil
}

// Forget drops what is remembered about the application, and also what a
// verification now under way would remember. Call it after the change of the
// application (its key, its activity, its end) is committed.
func (v *Verifier) Forget(kid string) { v.verified.forget(kid) }

// check applies the rules that golang-jwt leaves open or leaves out when a
// setting is empty. Some clients name their own application as the issuer; the
// signature has proven the key of that application, so this claims no more.
func (v *Verifier) check(c *claims, kid string, now time.Time) error {
	switch at := seconds(now); {
	case c.Issuer == "" || c.Issuer != kid && !slices.Contains(v.issuers, c.Issuer):
		return ErrIssuer
	case !slices.ContainsFunc(c.Audience, func(a string) bool { return a != "" && slices.Contains(v.audiences, a) }):
		return ErrAudience
	case c.IssuedAt == nil || c.Expires == nil:
		return ErrTimes
	case *c.IssuedAt > at+MaxAhead.Seconds():
		return ErrFromFuture
	case c.NotBefore != nil && *c.NotBefore > at+MaxAhead.Seconds():
		return ErrNotYetValid
	case *c.Expires-*c.IssuedAt > MaxLifetime.Seconds():
		return ErrLifetime
	}
	return nil
}

// readHeader checks the form of the token and its header before any key is
// looked for, and returns the kid.
func (v *Verifier) readHeader(token string) (kid string, err error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || !wellSpelt(parts) {
		return "", ErrMalformed
	}
	header, err := v.parser.DecodeSegment(parts[0])
	if err != nil {
		return "", ErrMalformed
	}
	fields, err := object(header, append([]string{"typ", "alg", "kid"}, forbidden...)...)
	if err != nil {
		return "", err
	}
	for _, name := range forbidden {
		if _, ok := fields[name]; ok {
			return "", ErrHeader
		}
	}
	typ, err := text(fields, "typ")
	if err != nil || typ != "JWT" {
		return "", ErrType
	}
	alg, err := text(fields, "alg")
	if err != nil || alg != jwt.SigningMethodRS256.Alg() {
		return "", ErrAlgorithm
	}
	if kid, err = text(fields, "kid"); err != nil {
		return "", err
	}
	if kid == "" {
		return "", ErrUnknownKey
	}
	return kid, nil
}

// wellSpelt reports whether each segment is spelt in one of two ways: without
// padding (RFC 7515) or with all of it, as some clients send. Go's decoder skips
// line breaks, and golang-jwt completes padding that is too short; the rest of
// the strict decoding is theirs. The signature is checked over the text as sent.
func wellSpelt(segments []string) bool {
	return !slices.ContainsFunc(segments, func(segment string) bool {
		return strings.ContainsAny(segment, "\r\n") || strings.HasSuffix(segment, "=") && len(segment)%4 != 0
	})
}

// reason translates an error of golang-jwt.
func reason(err error) error {
	switch {
	case errors.Is(err, jwt.ErrTokenMalformed):
		return ErrMalformed
	case errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return ErrSignature
	case errors.Is(err, jwt.ErrTokenRequiredClaimMissing):
		return ErrTimes
	case errors.Is(err, jwt.ErrTokenExpired):
		return ErrExpired
	}
	return ErrMalformed
}

// claims are the claims that are looked at; others are ignored (api-notes 2).
// Times are seconds since 1970, as JSON numbers.
type claims struct {
	Issuer    string
	Audience  jwt.ClaimStrings
	IssuedAt  *float64
	Expires   *float64
	NotBefore *float64
}

// maxSeconds is the last second of the year 9999.
const maxSeconds = 253402300799

// UnmarshalJSON reads the claims strictly, see object.
func (c *claims) UnmarshalJSON(payload []byte) error {
	fields, err := object(payload, "iss", "aud", "iat", "exp", "nbf")
	if err != nil {
		return err
	}
	if c.Issuer, err = text(fields, "iss"); err != nil {
		return err
	}
	if raw, ok := fields["aud"]; ok {
		if err := json.Unmarshal(raw, &c.Audience); err != nil {
			return ErrMalformed
		}
	}
	for name, target := range map[string]**float64{"iat": &c.IssuedAt, "exp": &c.Expires, "nbf": &c.NotBefore} {
		raw, ok := fields[name]
		if !ok {
			continue
		}
		if err := json.Unmarshal(raw, target); err != nil || *target == nil || **target < 0 || **target > maxSeconds {
			return ErrMalformed
		}
	}
	return nil
}

func (c *claims) expires() time.Time { return time.UnixMilli(int64(*c.Expires * 1000)) }

// GetExpirationTime lets golang-jwt check exp.
func (c *claims) GetExpirationTime() (*jwt.NumericDate, error) {
	if c.Expires == nil {
		return nil, nil
	}
	return &jwt.NumericDate{Time: c.expires()}, nil
}

// The rest of jwt.Claims. These claims are checked by Verifier.check, which
// knows the allowance for differing clocks.

// GetIssuedAt returns nil, see Verifier.check.
func (c *claims) GetIssuedAt() (*jwt.NumericDate, error) { return nil, nil }

// GetNotBefore returns nil, see Verifier.check.
func (c *claims) GetNotBefore() (*jwt.NumericDate, error) { return nil, nil }

// GetIssuer returns the iss claim.
func (c *claims) GetIssuer() (string, error) { return c.Issuer, nil }

// GetSubject returns nothing: an application token has no subject.
func (c *claims) GetSubject() (string, error) { return "", nil }

// GetAudience returns the aud claim.
func (c *claims) GetAudience() (jwt.ClaimStrings, error) { return c.Audience, nil }

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
