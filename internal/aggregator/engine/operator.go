package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// OperatorTokenLifetime is how long an operator token is good (api-notes 3).
const OperatorTokenLifetime = time.Hour

// ErrOperatorToken is the error of VerifyOperatorToken for a token that is not good.
var ErrOperatorToken = errors.New("the operator token is not valid")

// The rules of operator tokens exclude application tokens and are excluded by theirs (RFC 8725, 3.11): another
// algorithm, another key, another typ, another audience.
const (
	operatorType = "operator+jwt"
	operatorPath = "/api/applications"
)

// OperatorToken makes a bearer token for POST /api/applications, good for 3600 s from now.
func (e *Engine) OperatorToken(now time.Time) (string, error) {
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.RegisteredClaims{
		Issuer:    e.issuer,
		Audience:  jwt.ClaimStrings{e.issuer + operatorPath},
		IssuedAt:  jwt.NewNumericDate(now),
		ExpiresAt: jwt.NewNumericDate(now.Add(OperatorTokenLifetime)),
	})
	token.Header["typ"] = operatorType
	signed, err := token.SignedString(e.secrets.Operator[:])
	if err != nil {
		return "", fmt.Errorf("sign operator token: %w", err)
	}
	return signed, nil
}

// VerifyOperatorToken returns nil for a token of OperatorToken that has not expired, else an error that matches
// ErrOperatorToken.
func (e *Engine) VerifyOperatorToken(_ context.Context, token string) error {
	claims := new(jwt.RegisteredClaims)
	parsed, err := jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithStrictDecoding(),
		jwt.WithExpirationRequired(),
		jwt.WithIssuedAt(),
		jwt.WithIssuer(e.issuer),
		jwt.WithAudience(e.issuer+operatorPath),
		jwt.WithTimeFunc(e.clock),
	).ParseWithClaims(token, claims, func(*jwt.Token) (any, error) { return e.secrets.Operator[:], nil })
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrOperatorToken, err)
	case parsed.Header["typ"] != operatorType || parsed.Header["crit"] != nil:
		return fmt.Errorf("%w: it is of another kind", ErrOperatorToken)
	case claims.IssuedAt == nil || claims.ExpiresAt.Sub(claims.IssuedAt.Time) > OperatorTokenLifetime:
		return fmt.Errorf("%w: it lives too long", ErrOperatorToken)
	}
	return nil
}
