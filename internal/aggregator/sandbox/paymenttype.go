package sandbox

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// checkPayments reports mistakes in the payment types of a bank and in their paths.
func (b *bankData) checkPayments(p *problems) {
	for i, t := range b.Payments {
		at := p.at(fmt.Sprintf("payments[%d]", i))
		checkPayment(at, t)
		if slices.ContainsFunc(b.Payments[:i], func(o openbanking.ResponsePaymentType) bool {
			return o.PaymentType == t.PaymentType && o.PSUType == t.PSUType
		}) {
			at.add("payment_type", "%s is there twice for %s", t.PaymentType, t.PSUType)
		}
		if openbanking.Known(t.PSUType) && !b.serves(t.PSUType) {
			at.add("psu_type", "the bank has no %s users", t.PSUType)
		}
		for j, name := range t.AllowedAuthMethods {
			if !slices.ContainsFunc(b.AuthMethods, func(m methodData) bool { return m.Name == name && m.PSUType == t.PSUType }) {
				at.add(fmt.Sprintf("allowed_auth_methods[%d]", j), "%q is no method of the bank for %s users", name, t.PSUType)
			}
		}
		name := b.Habits.PaymentPaths[string(t.PaymentType)]
		way, ok := pathNamed(cmp.Or(name, defaultPath(t)))
		if !ok {
			continue // reported below
		}
		all := way.all()
		for j, status := range all {
			switch final := aggregator.FinalStatus(status, t.FinalSuccessfulStatuses); {
			case !final && j == len(all)-1:
				at.add("final_successful_statuses", "must have %s, with which the path %q ends", status, way.name)
			case final && j < len(all)-1:
				at.add("final_successful_statuses", "must not have %s, after which the path %q goes on", status, way.name)
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(b.Habits.PaymentPaths)) {
		if !slices.ContainsFunc(b.Payments, func(t openbanking.ResponsePaymentType) bool { return string(t.PaymentType) == kind }) {
			p.add("habits.payment_paths", "%q is no payment type of the bank", kind)
		}
		if name := b.Habits.PaymentPaths[kind]; !slices.ContainsFunc(paths, func(w path) bool { return w.name == name }) {
			p.add("habits.payment_paths."+kind, "%q is none of %s", name, strings.Join(pathNames(), ", "))
		}
	}
	for i, id := range b.ClosedAccounts {
		if !idPattern.MatchString(id) || slices.ContainsFunc(b.Accounts, func(a accountData) bool { return a.ID == id }) {
			p.add(fmt.Sprintf("closed_accounts[%d]", i), "must be 1 to 40 small letters, digits and dashes, and no account that there is")
		}
	}
}

func pathNames() []string {
	names := make([]string, len(paths))
	for i, w := range paths {
		names[i] = w.name
	}
	return names
}

func checkPayment(p *problems, t openbanking.ResponsePaymentType) {
	if !openbanking.Known(t.PaymentType) {
		p.add("payment_type", "%q is no payment type", t.PaymentType)
	}
	if !openbanking.Known(t.PSUType) {
		p.add("psu_type", "%q is neither personal nor business", t.PSUType)
	}
	if n := t.MaxTransactions; n != nil && (*n < 1 || *n > 10_000) {
		p.add("max_transactions", "must be 1 to 10000")
	}
	if n := t.RequestedExecutionDateMaxPeriod; n != nil && (*n < 1 || *n > 3660) {
		p.add("requested_execution_date_max_period", "must be 1 to 3660 days")
	}
	checkEach(p, "debtor_account_schemas", t.DebtorAccountSchemas)
	checkEach(p, "creditor_account_schemas", t.CreditorAccountSchemas)
	checkEach(p, "priority_codes", t.PriorityCodes)
	checkEach(p, "charge_bearer_values", t.ChargeBearerValues)
	checkEach(p, "reference_number_schemas", t.ReferenceNumberSchemas)
	checkEach(p, "final_successful_statuses", t.FinalSuccessfulStatuses)
	for i, c := range t.Currencies {
		if !currencyKnown(c) {
			p.add(fmt.Sprintf("currencies[%d]", i), "%q is no currency of ISO 4217", c)
		}
	}
	for i, line := range t.RemittanceInformationLines {
		at := p.at(fmt.Sprintf("remittance_information_lines[%d]", i))
		if line.Pattern != nil {
			if _, err := regexp.Compile(*line.Pattern); err != nil {
				at.add("pattern", "is no regular expression")
			}
		}
		if line.MinLength != nil && *line.MinLength < 0 ||
			line.MaxLength != nil && (*line.MaxLength < 1 || line.MinLength != nil && *line.MinLength > *line.MaxLength) {
			at.add("max_length", "must be at least 1 and at least min_length")
		}
	}
	for i, c := range t.RegulatoryReportingCodes {
		if c.Value == "" || c.Description == "" {
			p.add(fmt.Sprintf("regulatory_reporting_codes[%d]", i), "needs value and description")
		}
	}
	if t.RegulatoryReportingCodeRequired != nil && *t.RegulatoryReportingCodeRequired && len(t.RegulatoryReportingCodes) == 0 {
		p.add("regulatory_reporting_code_required", "needs regulatory_reporting_codes to choose from")
	}
	if t.ReferenceNumberSupported == nil || !*t.ReferenceNumberSupported {
		if len(t.ReferenceNumberSchemas) > 0 {
			p.add("reference_number_schemas", "needs reference_number_supported")
		}
	}
}

// mockPayments returns the usual payment types of a country: transfers in its currency, at once and later; instant ones in euro; giro payments in Sweden;
// payments abroad in a currency of its own; and bulk payments for business users.
func mockPayments(c *country) []openbanking.ResponsePaymentType {
	var list []openbanking.ResponsePaymentType
	for _, psu := range []openbanking.PSUType{openbanking.PSUTypePersonal, openbanking.PSUTypeBusiness} {
		add := func(kind openbanking.PaymentType, schemes ...openbanking.SchemeName) *openbanking.ResponsePaymentType {
			list = append(list, openbanking.ResponsePaymentType{
				PaymentType: kind, PSUType: psu, MaxTransactions: ptr(1), Currencies: []string{c.Currency}, DebtorAccountRequired: ptr(false),
				CreditorAccountSchemas:          schemes,
				RequestedExecutionDateSupported: ptr(true), RequestedExecutionDateMaxPeriod: ptr(365),
			})
			return &list[len(list)-1]
		}
		many := func(t *openbanking.ResponsePaymentType) { t.MaxTransactions = ptr(1000) }
		business := psu == openbanking.PSUTypeBusiness
		if c.Currency == "EUR" {
			sepa := add(openbanking.PaymentTypeSEPA, openbanking.SchemeNameIBAN)
			sepa.CreditorNameRequired = ptr(true)
			sepa.ReferenceNumberSupported, sepa.ReferenceNumberSchemas = ptr(true), []openbanking.ReferenceNumberScheme{openbanking.ReferenceNumberSchemeINTL}
			sepa.RemittanceReferenceSupported = ptr(true)
			switch c.Code {
			case "FI":
				sepa.ReferenceNumberSchemas = append(sepa.ReferenceNumberSchemas, openbanking.ReferenceNumberSchemeFIRF)
			case "BE":
				sepa.ReferenceNumberSchemas = append(sepa.ReferenceNumberSchemas, openbanking.ReferenceNumberSchemeBERF)
			}
			instant := add(openbanking.PaymentTypeInstSEPA, openbanking.SchemeNameIBAN)
			instant.CreditorNameRequired, instant.RequestedExecutionDateSupported, instant.RequestedExecutionDateMaxPeriod = ptr(true), ptr(false), nil
			if business {
				many(add(openbanking.PaymentTypeBulkSEPA, openbanking.SchemeNameIBAN))
			}
		} else {
			domestic := add(openbanking.PaymentTypeDomestic, openbanking.SchemeNameBBAN, openbanking.SchemeNameIBAN)
			if c.Code == "NO" {
				domestic.ReferenceNumberSupported, domestic.ReferenceNumberSchemas = ptr(true),
					[]openbanking.ReferenceNumberScheme{openbanking.ReferenceNumberSchemeNORF}
			}
			if c.Code == "PL" {
				domestic.PriorityCodes = []openbanking.PriorityCode{openbanking.PriorityCodeNORM, openbanking.PriorityCodeHIGH, openbanking.PriorityCodeEXPR}
			}
			if business {
				many(add(openbanking.PaymentTypeBulkDomestic, openbanking.SchemeNameBBAN, openbanking.SchemeNameIBAN))
			}
			if c.Code == "SE" {
				giro := func(t *openbanking.ResponsePaymentType) {
					t.ReferenceNumberSupported, t.ReferenceNumberSchemas = ptr(true), []openbanking.ReferenceNumberScheme{openbanking.ReferenceNumberSchemeSEBG}
				}
				giro(add(openbanking.PaymentTypeDomesticSEGiro, openbanking.SchemeNameBGNR, openbanking.SchemeNamePGNR))
				if business {
					bulk := add(openbanking.PaymentTypeBulkDomesticSEGiro, openbanking.SchemeNameBGNR, openbanking.SchemeNamePGNR)
					giro(bulk)
					many(bulk)
				}
			}
			abroad := add(openbanking.PaymentTypeCrossborder, openbanking.SchemeNameIBAN, openbanking.SchemeNameBBAN)
			abroad.Currencies = []string{"EUR", "USD", "GBP"}
			abroad.ChargeBearerValues = []openbanking.ChargeBearerCode{openbanking.ChargeBearerCodeSHAR, openbanking.ChargeBearerCodeDEBT,
				openbanking.ChargeBearerCodeCRED}
			abroad.CreditorNameRequired, abroad.CreditorCountryRequired, abroad.CreditorAgentBICFIRequired = ptr(true), ptr(true), ptr(true)
		}
		add(openbanking.PaymentTypeInternal, openbanking.SchemeNameIBAN, openbanking.SchemeNameBBAN, openbanking.SchemeNameBANK)
	}
	return list
}
