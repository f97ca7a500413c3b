package shell

import (
	"errors"

	"florin/internal/auth"
	"florin/internal/middleware"
)

// StepUp asks a person who is signed in for the password once more, in the form field "password": right before money moves, before Florin believes in another
// account for somebody whom it knows (ASVS 7.5.1, 7.5.3). It is the one place that decides it. Each proof renews the id of
// the session (security T15). problem says what to do about the password, "" when it is right; err is a *auth.WaitError after too many tries, or a fault of ours.
func (s *Shell) StepUp(v *Visit) (problem string, err error) {
	if v.Secret("password") == "" {
		return "Type your password for Florin.", nil // which is no try
	}
	err = s.auth.StepUp(v.Ctx(), v.User, v.SignIn.ID, v.Secret("password"))
	if errors.Is(err, auth.ErrPassword) {
		s.LogRefused(v, "step-up", v.User.Email, "wrong password")
		return "This is not your password.", nil
	}
	if err != nil {
		if _, wait := errors.AsType[*auth.WaitError](err); wait {
			s.LogRefused(v, "step-up", v.User.Email, "too many tries")
		}
		return "", err
	}
	return "", s.RenewSession(v, v.SignIn)
}

// LogRefused writes down that a sign-in or a step-up was refused (ASVS 16.3.1): whose, as a keyed hash that "florin user list" shows too, from where, and why.
func (s *Shell) LogRefused(v *Visit, what, email, why string) {
	s.log.WarnContext(v.Ctx(), "proof of identity refused", "for", what, "account", s.auth.LogName(email), "from", middleware.ClientAddressFrom(v.Ctx()), "reason", why, "request_id", middleware.RequestIDFrom(v.Ctx()))
}
