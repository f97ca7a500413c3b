package aggregator

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// Fingerprint is how a code, a state or a token is stored: its SHA-256, hexadecimal.
func Fingerprint(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// MAC returns the HMAC-SHA256 of a text. The text begins with what it is for, so that no two purposes of a key meet.
func MAC(key [32]byte, text string) []byte {
	h := hmac.New(sha256.New, key[:])
	h.Write([]byte(text))
	return h.Sum(nil)
}
