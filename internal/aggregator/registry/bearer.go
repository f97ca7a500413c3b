package registry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// BearerLifetime is how long the bearer tokens of the registration API are good (api-notes 3).
const BearerLifetime = time.Hour

// ErrBearer is the error of a bearer token of the registration API that is not good.
var ErrBearer = errors.New("the bearer token of the registration API is not valid")

// The bearers of the registration API: the operator, and developers with the id token of their sign-in. The rules of
// each exclude the other and application tokens, and are excluded by theirs (RFC 8725, 3.11): another algorithm, another
// key, another typ, another audience.
type bearerKind struct {
	typ  string
	path string // of the audience
}

var (
	operatorBearer  = bearerKind{typ: "operator+jwt", path: "/api/applications"}
	developerBearer = bearerKind{typ: "id+jwt", path: "/api"}
)

// OperatorToken makes a bearer token for POST /api/applications, good for 3600 s from now.
func (r *Registry) OperatorToken(now time.Time) (string, error) {
	return r.bearer(operatorBearer, r.secrets.Operator, "", now)
}

// VerifyOperatorToken returns nil for a token of OperatorToken that has not expired, else an error that matches
// ErrBearer.
func (r *Registry) VerifyOperatorToken(_ context.Context, token string) error {
	_, err := r.verifyBearer(operatorBearer, r.secrets.Operator, token)
	return err
}

// VerifyIDToken returns the id of the developer whose id token it is. A token that is not good gives an error that
// matches ErrBearer.
func (r *Registry) VerifyIDToken(_ context.Context, token string) (developerID string, err error) {
	developerID, err = r.verifyBearer(developerBearer, r.secrets.Developer, token)
	if err == nil && developerID == "" {
		err = fmt.Errorf("%w: it names nobody", ErrBearer)
	}
	return developerID, err
}

func (r *Registry) bearer(kind bearerKind, key [32]byte, subject string, now time.Time) (string, error) {
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.RegisteredClaims{
		Subject:   subject,
		Issuer:    r.issuer,
		Audience:  jwt.ClaimStrings{r.issuer + kind.path},
		IssuedAt:  jwt.NewNumericDate(now),
		ExpiresAt: jwt.NewNumericDate(now.Add(BearerLifetime)),
	})
	token.Header["typ"] = kind.typ
	signed, err := token.SignedString(key[:])
	if err != nil {
		return "", fmt.Errorf("sign bearer token: %w", err)
	}
	return signed, nil
}

func (r *Registry) verifyBearer(kind bearerKind, key [32]byte, token string) (subject string, err error) {
	claims := new(jwt.RegisteredClaims)
	parsed, err := jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithStrictDecoding(),
		jwt.WithExpirationRequired(),
		jwt.WithIssuedAt(),
		jwt.WithIssuer(r.issuer),
		jwt.WithAudience(r.issuer+kind.path),
		jwt.WithTimeFunc(r.clock),
	).ParseWithClaims(token, claims, func(*jwt.Token) (any, error) { return key[:], nil })
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %w", ErrBearer, err)
	case parsed.Header["typ"] != kind.typ || parsed.Header["crit"] != nil:
		return "", fmt.Errorf("%w: it is of another kind", ErrBearer)
	case claims.IssuedAt == nil || claims.ExpiresAt.Sub(claims.IssuedAt.Time) > BearerLifetime:
		return "", fmt.Errorf("%w: it lives too long", ErrBearer)
	}
	return claims.Subject, nil
}
