package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"strings"
)

// LogName returns the name of an account in the log: a keyed hash of the typed address, which cannot be reversed without the key of this Florin. "florin user
// list" shows it for each person.
func (a *Auth) LogName(email string) string {
	mac := hmac.New(sha256.New, a.store.CookieSecret())
	mac.Write([]byte("florin log name\x00" + strings.ToLower(strings.TrimSpace(email))))
	return strings.ToLower(base32.StdEncoding.EncodeToString(mac.Sum(nil)[:10]))
}
