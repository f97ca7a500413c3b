package apptoken

import (
	"crypto/rsa"
	"fmt"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const (
	signedFor  = time.Hour
	renewAhead = 5 * time.Minute
)

// Signer makes the tokens of one application. It is safe for concurrent use.
type Signer struct {
	key                   *rsa.PrivateKey
	kid, issuer, audience string

	mu     sync.Mutex
	token  string
	issued time.Time
}

// NewSigner returns a Signer for the application with the id kid. Issuer and
// audience are the fixed strings of the service that is called.
func NewSigner(key *rsa.PrivateKey, kid, issuer, audience string) *Signer {
	return &Signer{key: key, kid: kid, issuer: issuer, audience: audience}
}

// Token returns a token that is valid at now and for at least five minutes
// more. Signing is dear, so a token of one hour is made once and reused.
func (s *Signer) Token(now time.Time) (string, error) {
	now = now.Round(0) // by the wall clock, as the claims are: the monotonic one stands still while the machine sleeps
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token != "" && !now.Before(s.issued) && now.Before(s.issued.Add(signedFor-renewAhead)) {
		return s.token, nil
	}
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.MapClaims{
		"iss": s.issuer,
		"aud": s.audience,
		"iat": now.Unix(),
		"exp": now.Add(signedFor).Unix(),
	})
	token.Header["kid"] = s.kid
	signed, err := token.SignedString(s.key)
	if err != nil {
		return "", fmt.Errorf("apptoken: sign: %w", err)
	}
	s.token, s.issued = signed, now
	return signed, nil
}
