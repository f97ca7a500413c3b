package api

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"florin/internal/aggregator"
	"florin/internal/aggregator/engine"
	"florin/internal/apptoken"
	"florin/internal/middleware"
	"florin/internal/openbanking"
)

// authenticate applies the rules of a route's access (spec: Authentication; api-notes 2).
func (a *api) authenticate(r *http.Request, access Access) (aggregator.Application, error) {
	var none aggregator.Application
	token, err := bearer(r)
	if err != nil {
		return none, err
	}
	if access == Operator {
		err := a.engine.VerifyOperatorToken(r.Context(), token)
		if errors.Is(err, engine.ErrOperatorToken) {
			middleware.Annotate(r.Context(), slog.String("reason", engine.ErrOperatorToken.Error()))
			err = openbanking.UnauthorizedAccess
		}
		return none, err
	}
	kid, err := a.verifier.Verify(r.Context(), token)
	if err != nil {
		return none, tokenError(r, err)
	}
	app, err := a.engine.Application(r.Context(), kid)
	switch {
	case errors.Is(err, aggregator.ErrNotFound):
		return none, tokenError(r, apptoken.ErrUnknownKey)
	case err != nil:
		return none, err
	}
	middleware.Annotate(r.Context(), slog.String("application", app.ID))
	if !app.Active && access != Registered {
		return none, &openbanking.Error{Status: http.StatusForbidden, Message: "Application is not active"}
	}
	return app, nil
}

// bearer returns the token of the Authorization header.
func bearer(r *http.Request) (string, error) {
	values := r.Header.Values("Authorization")
	if len(values) == 0 || len(values) == 1 && values[0] == "" {
		return "", openbanking.AuthorizationNotProvided
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	if len(values) > 1 || !ok || !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", openbanking.UnauthorizedAccess
	}
	return token, nil
}

// tokenError makes the answer of a refused token; the reason goes to the log alone, except for the one that was observed.
func tokenError(r *http.Request, err error) error {
	var reason apptoken.Reason
	if !errors.As(err, &reason) {
		return err
	}
	middleware.Annotate(r.Context(), slog.String("reason", reason.Error()))
	if reason == apptoken.ErrType {
		return &openbanking.Error{Code: openbanking.UnauthorizedAccess, Message: reason.Error()}
	}
	return openbanking.UnauthorizedAccess
}
