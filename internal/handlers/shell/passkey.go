package shell

import (
	"net/http"
	"time"

	"florin/internal/auth"
	"florin/internal/finance"
)

// passkeyCookie ties the challenge for a passkey to the browser in which somebody signs in. Browsers send it only from pages of Florin itself.
const passkeyCookie = "florin-passkey"

// PasskeyBrowser returns the secret of the browser in which somebody signs in with a passkey; "" without a recent challenge.
func (s *Shell) PasskeyBrowser(v *Visitor) finance.Secret {
	cookie, err := v.Request.Cookie(s.passkeyName)
	if err != nil {
		return ""
	}
	return finance.Secret(cookie.Value)
}

// StartPasskey returns the secret of the browser, and keeps it there for as long as a challenge is valid. Several tabs share it.
func (s *Shell) StartPasskey(v *Visitor) finance.Secret {
	browser := s.PasskeyBrowser(v)
	if browser == "" {
		browser = finance.Secret(finance.NewID())
	}
	http.SetCookie(v.Writer, &http.Cookie{ //nolint:gosec // Secure as all cookies are: where Florin has https (ADR 0004)
		Name: s.passkeyName, Value: browser.Reveal(), Path: "/", MaxAge: int(auth.ChallengeLife / time.Second), Secure: s.https, HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	})
	return browser
}

// AtOwnAddress reports whether the visitor uses the address for which passkeys of this Florin work. It is false when people can sign in only at a provider.
func (s *Shell) AtOwnAddress(v *Visitor) bool {
	address := s.auth.PasskeyAddress()
	return s.auth.Local() && address.Fault == auth.AddressGood && v.Request.Host == address.Host
}
