package api

import (
	"errors"
	"net/http"
	"regexp"
	"strconv"

	"florin/internal/aggregator"
	"florin/internal/aggregator/engine"
	"florin/internal/aggregator/registry"
	"florin/internal/openbanking"
)

// application is GET /application.
func (a *api) application(r *request) (any, error) { return a.registry.DescribeApplication(r.App), nil }

var country = regexp.MustCompile(`^[A-Z]{2}$`)

// aspsps is GET /aspsps.
func (a *api) aspsps(r *request) (any, error) {
	parameters, err := query(r)
	if err != nil {
		return nil, err
	}
	var filter engine.ASPSPFilter
	if filter.Country, err = parameters.take("country"); err != nil {
		return nil, err
	}
	if filter.Country != "" && !country.MatchString(filter.Country) {
		return nil, aggregator.InvalidParameter("country", "must be two capital letters")
	}
	if filter.PSUType, err = takeEnum[openbanking.PSUType](parameters, "psu_type"); err != nil {
		return nil, err
	}
	if filter.Service, err = takeEnum[openbanking.Service](parameters, "service"); err != nil {
		return nil, err
	}
	if filter.PaymentType, err = takeEnum[openbanking.PaymentType](parameters, "payment_type"); err != nil {
		return nil, err
	}
	return a.engine.ASPSPs(r.Context(), r.App, filter), nil
}

// register is POST /api/applications.
func (a *api) register(r *request) (any, error) {
	var body openbanking.RegisterApplicationRequest
	if err := a.decode(r, &body); err != nil {
		return nil, err
	}
	if r.DeveloperID == "" {
		app, err := a.registry.Register(r.Context(), body, nil)
		return openbanking.RegisterApplicationResponse{AppID: app.ID}, err
	}
	app, err := a.registry.RegisterOwn(r.Context(), r.DeveloperID, "", body, nil)
	if errors.Is(err, registry.ErrTooMany) {
		err = &openbanking.Error{Status: http.StatusUnprocessableEntity,
			Message: "You have " + strconv.Itoa(registry.MaxApplications) + " applications; delete one first"}
	}
	return openbanking.RegisterApplicationResponse{AppID: app.ID}, err
}
