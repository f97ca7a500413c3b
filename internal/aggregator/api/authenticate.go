package api

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"

	"florin/internal/aggregator"
	"florin/internal/aggregator/registry"
	"florin/internal/apptoken"
	"florin/internal/middleware"
	"florin/internal/openbanking"
)

// authenticate applies the rules of a route's access (spec: Authentication; api-notes 2) and fills in who calls. The
// application is known also when it is refused for what it is, so that its owner sees the call.
func (a *api) authenticate(r *request, access Access) error {
	if access == Public {
		return nil
	}
	token, err := bearer(r.Request)
	if err != nil {
		return err
	}
	if access.Panel() {
		return a.authenticatePanel(r, access, token)
	}
	kid, err := a.verifier.Verify(r.Context(), token)
	if err != nil {
		return tokenError(r.Request, err)
	}
	r.App, err = a.registry.Application(r.Context(), kid)
	switch {
	case errors.Is(err, aggregator.ErrNotFound):
		return tokenError(r.Request, apptoken.ErrUnknownKey)
	case err != nil:
		return err
	}
	middleware.Annotate(r.Context(), slog.String("application", r.App.ID))
	switch {
	case !r.App.MayCallFrom(middleware.ClientAddressFrom(r.Context())):
		return openbanking.UnauthorizedIP
	case !r.App.Active() && access != Registered:
		return &openbanking.Error{Status: http.StatusForbidden, Message: "Application is not active"}
	}
	return nil
}

// authenticatePanel takes the id token of a developer and, where the route allows it, an operator token.
func (a *api) authenticatePanel(r *request, access Access, token string) error {
	developer, err := a.registry.VerifyIDToken(r.Context(), token)
	if errors.Is(err, registry.ErrBearer) && access == Registrar {
		err = a.registry.VerifyOperatorToken(r.Context(), token)
	}
	if errors.Is(err, registry.ErrBearer) {
		middleware.Annotate(r.Context(), slog.String("reason", registry.ErrBearer.Error()))
		return openbanking.UnauthorizedAccess
	}
	r.DeveloperID = developer
	return err
}

// bearer returns the token of the Authorization header.
func bearer(r *http.Request) (string, error) {
	values := r.Header.Values("Authorization")
	if len(values) == 0 || len(values) == 1 && values[0] == "" {
		return "", openbanking.AuthorizationNotProvided
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	token = strings.TrimLeft(token, " ") // RFC 9110, 11.4
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
