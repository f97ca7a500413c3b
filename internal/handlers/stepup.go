package handlers

import (
	"errors"

	"florin/internal/auth"
	"florin/internal/middleware"
)

// stepUp asks a person who is signed in for the password once more, in the form field "password": right before money moves, and before Florin believes in another
// account for somebody whom it knows. It is the one place that decides it. problem says what to do about the password, "" when it is right; err is a *auth.WaitError after too many
// tries, or a fault of ours.
func (a *App) stepUp(v *visit) (problem string, err error) {
	if v.secret("password") == "" {
		return "Type your password for Florin.", nil // which is no try
	}
	err = a.Auth.Confirm(v.ctx(), v.user, v.secret("password"), middleware.ClientAddressFrom(v.ctx()))
	if errors.Is(err, auth.ErrPassword) {
		return "This is not your password.", nil
	}
	return "", err
}
