package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"strings"
)

// LogName is how the log names an account by the address that was typed: always the same for one address, and told to nobody who does not have the key of
// this Florin. "florin user list" shows it beside each person.
func (a *Auth) LogName(email string) string {
	mac := hmac.New(sha256.New, a.store.CookieSecret())
	mac.Write([]byte("florin log name\x00" + strings.ToLower(strings.TrimSpace(email))))
	return strings.ToLower(base32.StdEncoding.EncodeToString(mac.Sum(nil)[:10]))
}
