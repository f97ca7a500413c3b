package engine

import (
	"context"
	"errors"
	"net/url"
	"slices"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// ErrUndeclaredOrigin is returned when the application has not declared the site as its own, and also when there is no such application. So the caller
// learns nothing about other people's applications.
var ErrUndeclaredOrigin = errors.New("the application did not declare this origin")

// BanksForSite lists the banks that pass the filter for a page at this origin, as PublicBanks: it is what anybody
// may see. A page of another site names its application, which declared the origin by a redirect URL or as an origin of
// webhooks; else ErrUndeclaredOrigin.
func (e *Engine) BanksForSite(ctx context.Context, applicationID, origin string, filter ASPSPFilter) (openbanking.ASPSPsResponse, error) {
	app, err := e.store.Application(ctx, applicationID)
	if errors.Is(err, aggregator.ErrNotFound) || err == nil && !declares(app, origin) {
		return openbanking.ASPSPsResponse{}, ErrUndeclaredOrigin
	}
	if err != nil {
		return openbanking.ASPSPsResponse{}, err
	}
	return e.PublicBanks(ctx, filter), nil
}

// PublicBanks lists the banks that pass the filter with what anybody may see. With filter.Sandbox set, sample users are included.
func (e *Engine) PublicBanks(ctx context.Context, filter ASPSPFilter) openbanking.ASPSPsResponse {
	as := aggregator.Application{Environment: openbanking.EnvironmentProduction}
	if filter.Sandbox {
		as.Environment = openbanking.EnvironmentSandbox
	}
	return e.ASPSPs(ctx, as, filter)
}

// declares reports whether an origin is one of the application.
func declares(app aggregator.Application, origin string) bool {
	if slices.Contains(app.WebhookOrigins, origin) {
		return true
	}
	return slices.ContainsFunc(app.RedirectURLs, func(address string) bool {
		u, err := url.Parse(address)
		return err == nil && u.Host != "" && u.Scheme+"://"+u.Host == origin
	})
}
