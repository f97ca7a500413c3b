package handlers

import (
	"errors"

	"florin/internal/auth"
	"florin/internal/middleware"
)

// stepUp asks a person who is signed in for the password once more, in the form field "password": right before money moves, before Florin believes in another
// account for somebody whom it knows (ASVS 7.5.1, 7.5.3). It is the one place that decides it. Each proof renews the id of
// the session (security T15). problem says what to do about the password, "" when it is right; err is a *auth.WaitError after too many tries, or a fault of ours.
func (a *App) stepUp(v *visit) (problem string, err error) {
	if v.secret("password") == "" {
		return "Type your password for Florin.", nil // which is no try
	}
	err = a.Auth.StepUp(v.ctx(), v.user, v.signIn.ID, v.secret("password"))
	if errors.Is(err, auth.ErrPassword) {
		a.logRefused(v, "step-up", v.user.Email, "wrong password")
		return "This is not your password.", nil
	}
	if err != nil {
		if _, wait := errors.AsType[*auth.WaitError](err); wait {
			a.logRefused(v, "step-up", v.user.Email, "too many tries")
		}
		return "", err
	}
	return "", a.renewSession(v, v.signIn)
}

// logRefused writes down that a sign-in or a step-up was refused (ASVS 16.3.1): whose, as a keyed hash that "florin user list" shows too, from where, and why.
func (a *App) logRefused(v *visit, what, email, why string) {
	a.Log.WarnContext(v.ctx(), "proof of identity refused", "for", what, "account", a.Auth.LogName(email), "from", middleware.ClientAddressFrom(v.ctx()), "reason", why, "request_id", middleware.RequestIDFrom(v.ctx()))
}
