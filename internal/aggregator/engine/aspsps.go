package engine

import (
	"context"
	"reflect"
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
	NoBeta      bool // none that is in beta
	Sandbox     bool // only those with sample users
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
		bank.Payments = explicit(bank.Payments)
		banks = append(banks, bank)
	}
	return openbanking.ASPSPsResponse{ASPSPs: banks}
}

// explicit returns payment types that say false where the bank says nothing: that is what an absent boolean of theirs means,
// and clients read them without a look for null.
func explicit(types []openbanking.ResponsePaymentType) []openbanking.ResponsePaymentType {
	types = slices.Clone(types)
	for i := range types {
		fields := reflect.ValueOf(&types[i]).Elem()
		for j := range fields.NumField() {
			if field := fields.Field(j); field.Type() == reflect.TypeFor[*bool]() && field.IsNil() {
				field.Set(reflect.ValueOf(new(bool)))
			}
		}
	}
	return types
}

// matches reports whether the bank passes: every bank offers account information, and payments exactly of the types it
// lists for the PSU type that is asked for.
func (f ASPSPFilter) matches(bank openbanking.ASPSPData) bool {
	if f.NoBeta && bank.Beta || f.Sandbox && bank.Sandbox == nil {
		return false
	}
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
