package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"strings"
)

// LogName is how the log names an account by the address that was typed: the same name for the same address, meaningless without the key of this
// Florin. "florin user list" shows it beside each person.
func (a *Auth) LogName(email string) string {
	mac := hmac.New(sha256.New, a.store.CookieSecret())
	mac.Write([]byte("florin log name\x00" + strings.ToLower(strings.TrimSpace(email))))
	return strings.ToLower(base32.StdEncoding.EncodeToString(mac.Sum(nil)[:10]))
}
