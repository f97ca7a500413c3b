package engine

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
)

// Secrets are the keys of the service, each of 32 random bytes and for one purpose.
type Secrets struct {
	Hash         [32]byte // identification hashes and PSU id hashes: a new one changes every hash, so it belongs in the backup (api-notes 5)
	Continuation [32]byte // continuation keys: a new one ends the listings that are under way
	State        [32]byte // states of visits to banks: a new one ends the visits that are under way
	Operator     [32]byte // operator tokens: a new one ends those that are out
	Developer    [32]byte // id tokens of developers: a new one ends those that are out
}

// NewSecrets makes new keys.
func NewSecrets() Secrets {
	var s Secrets
	for _, key := range []*[32]byte{&s.Hash, &s.Continuation, &s.State, &s.Operator, &s.Developer} {
		rand.Read(key[:]) // never fails, see crypto/rand
	}
	return s
}

func mac(key [32]byte, text string) []byte {
	h := hmac.New(sha256.New, key[:])
	h.Write([]byte(text))
	return h.Sum(nil)
}

// fingerprint is how a code or a state is stored: its SHA-256, hexadecimal.
func fingerprint(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
