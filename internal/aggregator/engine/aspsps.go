package engine

import (
	"context"
	"slices"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// ASPSPFilter selects banks; an empty field selects all.
type ASPSPFilter struct {
	Country     string
	PSUType     openbanking.PSUType
	Service     openbanking.Service
	PaymentType openbanking.PaymentType
}

// ASPSPs lists the banks that pass the filter (spec: GET /aspsps). Sample users are shown to SANDBOX applications only.
func (e *Engine) ASPSPs(_ context.Context, app aggregator.Application, filter ASPSPFilter) openbanking.ASPSPsResponse {
	var banks []openbanking.ASPSPData
	for _, c := range e.list() {
		bank := c.ASPSP().ASPSPData
		if !filter.matches(bank) {
			continue
		}
		bank.Logo = e.LogoURL(openbanking.ASPSP{Name: bank.Name, Country: bank.Country})
		if bank.Group != nil {
			bank.Group = &openbanking.ASPSPGroup{Name: bank.Group.Name, Logo: e.GroupLogoURL(bank.Group.Name)}
		}
		if app.Environment != openbanking.EnvironmentSandbox {
			bank.Sandbox = nil
		}
		banks = append(banks, bank)
	}
	return openbanking.ASPSPsResponse{ASPSPs: banks}
}

// matches reports whether the bank passes: every bank offers account information, and payments exactly of the types it
// lists for the PSU type that is asked for.
func (f ASPSPFilter) matches(bank openbanking.ASPSPData) bool {
	if f.Country != "" && f.Country != bank.Country || f.PSUType != "" && !slices.Contains(bank.PSUTypes, f.PSUType) {
		return false
	}
	if f.Service != openbanking.ServicePIS && f.PaymentType == "" {
		return true
	}
	return slices.ContainsFunc(bank.Payments, func(p openbanking.ResponsePaymentType) bool {
		return (f.PaymentType == "" || f.PaymentType == p.PaymentType) && (f.PSUType == "" || f.PSUType == p.PSUType)
	})
}
