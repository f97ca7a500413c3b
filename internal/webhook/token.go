package webhook

import (
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"florin/internal/finance"
)

// maxToken is the longest token that is looked at, in bytes.
const maxToken = 8 << 10

// forbidden are header fields that bring a key along, point to another, or change how the token is to be read (RFC 7515, 7516, 7797).
var forbidden = []string{"crit", "b64", "jwk", "jku", "x5c", "enc", "zip", "epk", "apu", "apv", "iv", "tag", "p2s", "p2c"}

// token is the token of a webhook, read only as far as it may be.
type token struct {
	parts     [3]string // as sent
	header    []byte
	payload   []byte
	signature []byte
	x5u       string
}

// splitToken takes a token apart. It has exactly one spelling: strict base64url without padding and without line breaks.
func splitToken(text string) (token, error) {
	var t token
	if len(text) > maxToken {
		return t, flaw{Code: finance.FindingTokenLong}
	}
	if strings.ContainsAny(text, " \t\r\n") {
		return t, flaw{Code: finance.FindingTokenSpace}
	}
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return t, flaw{Code: finance.FindingTokenParts}
	}
	for i, target := range []*[]byte{&t.header, &t.payload, &t.signature} {
		decoded, err := base64.RawURLEncoding.Strict().DecodeString(parts[i])
		if err != nil || len(decoded) == 0 {
			return t, flaw{Code: finance.FindingTokenEncoding}
		}
		t.parts[i], *target = parts[i], decoded
	}
	return t, nil
}

// readHeader reads the header, which an attacker may have chosen.
func (t *token) readHeader() error {
	fields, err := readObject(t.header, append([]string{"typ", "alg", "x5u"}, forbidden...)...)
	if err != nil {
		return err
	}
	for _, name := range forbidden {
		if _, ok := fields[name]; ok {
			return flaw{Code: finance.FindingHeaderField, Of: name}
		}
	}
	if typ, err := fields.Text("typ"); err != nil || typ != "JWT" {
		return flaw{Code: finance.FindingNotJWT}
	}
	if alg, err := fields.Text("alg"); err != nil || alg != jwt.SigningMethodRS256.Alg() {
		return flaw{Code: finance.FindingNotRS256}
	}
	t.x5u, err = fields.Text("x5u")
	if err != nil || t.x5u == "" {
		return flaw{Code: finance.FindingMissing, Of: "x5u"}
	}
	return nil
}

// verify checks the signature. What the payload says may be read afterwards.
func (t *token) verify(key *rsa.PublicKey) error {
	if err := jwt.SigningMethodRS256.Verify(t.parts[0]+"."+t.parts[1], t.signature, key); err != nil {
		return flaw{Code: finance.FindingSignature}
	}
	return nil
}

// claims are the claims of a webhook (spec: Payment status webhook). Times are not in the specification and count when they are there.
type claims struct {
	subject, environment, digest string
	expires, notBefore, issued   *time.Time
}

func (t *token) claims() (claims, error) {
	var c claims
	fields, err := readObject(t.payload, "sub", "environment", "msgi", "exp", "nbf", "iat")
	if err != nil {
		return c, err
	}
	for name, target := range map[string]*string{"sub": &c.subject, "environment": &c.environment, "msgi": &c.digest} {
		if *target, err = fields.Text(name); err != nil || *target == "" {
			return c, flaw{Code: finance.FindingMissing, Of: name}
		}
	}
	for name, target := range map[string]**time.Time{"exp": &c.expires, "nbf": &c.notBefore, "iat": &c.issued} {
		raw, ok := fields[name]
		if !ok {
			continue
		}
		const lastSecond = 253402300799 // of the year 9999
		var seconds *float64
		if err := json.Unmarshal(raw, &seconds); err != nil || seconds == nil || *seconds < 0 || *seconds > lastSecond {
			return c, flaw{Code: finance.FindingNotTime, Of: name}
		}
		at := time.UnixMilli(int64(*seconds * 1000))
		*target = &at
	}
	return c, nil
}
