package shell

import (
	"fmt"
	"net/http"
	"time"

	"github.com/gorilla/sessions"

	"florin/internal/finance"
	"florin/internal/payments"
)

// flowLife is how long a visit to a bank may take: as long as the return from a payment is accepted. Links expire earlier.
const flowLife = payments.ReturnWithin

// The contents of the flow cookie.
const (
	flowBrowser = "browser" // a secret of this browser; only its hash is stored, with each link attempt
	flowUser    = "user"    // the user who began the attempts
)

// newFlows returns the store of the flow cookie, which ties a pending link to the browser that began it (security T10). It is signed and encrypted. It is
// separate from the sign-in, so that the return from the bank succeeds even when the sign-in has expired meanwhile (security F19).
func newFlows(https bool, keys [][]byte) *sessions.CookieStore {
	s := sessions.NewCookieStore(keys...)
	s.Options = &sessions.Options{ // all of them, because the defaults of the library do not fit (security F7)
		Path:     "/",
		Domain:   "",
		Secure:   https,
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode, // sent with the return from the bank (security F3)
	}
	s.MaxAge(int(flowLife / time.Second)) // for the cookie and for its signature
	return s
}

// Flow returns the secret of this browser from the flow cookie. It is "" when the cookie is missing, altered, expired, or belongs to another user.
func (s *Shell) Flow(v *Visitor) finance.Secret {
	cookie, _ := s.flows.Get(v.Request, s.flowName) // an error means an invalid cookie, which counts as none
	secret, _ := cookie.Values[flowBrowser].(string)
	userID, _ := cookie.Values[flowUser].(string)
	if cookie.IsNew || v.SignedIn() && v.User.ID != userID {
		return ""
	}
	return finance.Secret(secret)
}

// StartFlow returns the secret of this browser and renews the cookie. Attempts in several tabs share the secret.
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
