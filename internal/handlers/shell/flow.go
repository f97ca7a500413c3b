package shell

import (
	"fmt"
	"net/http"
	"time"

	"github.com/gorilla/sessions"

	"florin/internal/finance"
	"florin/internal/payments"
)

// flowLife is how long a visit to a bank may take: as long as the way back of a payment is good. That of a link ends before.
const flowLife = payments.ReturnWithin

// What the flow cookie holds.
const (
	flowBrowser = "browser" // a secret of this browser; only its hash is stored, with each link attempt
	flowUser    = "user"    // who began the attempts
)

// newFlows returns the store of the flow cookie, which ties a pending link to the browser that began it (security T10). It is signed and
// encrypted, and apart from the sign-in, so that the return from the bank completes even when the sign-in has run out meanwhile (security F19).
func newFlows(https bool, keys [][]byte) *sessions.CookieStore {
	s := sessions.NewCookieStore(keys...)
	s.Options = &sessions.Options{ // every one, since the library's own do not fit (security F7)
		Path:     "/",
		Domain:   "",
		Secure:   https,
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode, // arrives with the return from the bank (security F3)
	}
	s.MaxAge(int(flowLife / time.Second)) // of the cookie and of what it signs
	return s
}

// Flow returns the secret of this browser from the flow cookie: "" when the cookie is missing, altered, old, or of another user than the
// one signed in.
func (s *Shell) Flow(v *Visitor) finance.Secret {
	cookie, _ := s.flows.Get(v.Request, s.flowName) // an error means a cookie that is not good: treated as none
	secret, _ := cookie.Values[flowBrowser].(string)
	userID, _ := cookie.Values[flowUser].(string)
	if cookie.IsNew || v.SignedIn() && v.User.ID != userID {
		return ""
	}
	return finance.Secret(secret)
}

// StartFlow returns this browser's secret and renews the cookie. Attempts in several tabs share it.
func (s *Shell) StartFlow(v *Visitor) (finance.Secret, error) {
	browser := s.Flow(v)
	if browser == "" {
		browser = finance.Secret(finance.NewID())
	}
	cookie, _ := s.flows.New(v.Request, s.flowName)
	cookie.Values = map[any]any{flowBrowser: browser.Reveal(), flowUser: v.User.ID}
	if err := cookie.Save(v.Request, v.Writer); err != nil {
		return "", fmt.Errorf("flow cookie: %w", err)
	}
	return browser, nil
}
