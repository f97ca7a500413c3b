package shell

import (
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
)

// cookieKeys derives a key for signing and one for encrypting from each secret.
func cookieKeys(secrets [][]byte) ([][]byte, error) {
	if len(secrets) == 0 {
		return nil, errors.New("handlers: CookieKeys has at least one secret")
	}
	var pairs [][]byte
	for _, secret := range secrets {
		if len(secret) < 32 {
			return nil, errors.New("handlers: each of CookieKeys has 32 bytes or more")
		}
		for _, purpose := range []string{"florin app cookies signing", "florin app cookies encryption"} {
			key, err := hkdf.Key(sha256.New, secret, nil, purpose, 32)
			if err != nil {
				return nil, err
			}
			pairs = append(pairs, key)
		}
	}
	return pairs, nil
}

// cookieName returns the name of a cookie, with the prefix __Host- under https (ADR 0004).
func cookieName(name string, https bool) string {
	if https {
		return "__Host-" + name
	}
	return name
}
