package contract

import (
	"regexp"
	"slices"
	"strings"

	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/reference"
)

// FillIn makes a payment of a type as a client would that knows the bank's description alone: with everything that the bank
// asks for and nothing else, from the account, which may be nil where the bank wants none. A bulk has two transactions.
func FillIn(kind openbanking.ResponsePaymentType, from *openbanking.GenericIdentification) openbanking.PaymentRequestResource {
	payment := openbanking.PaymentRequestResource{PaymentInformation: openbanking.PaymentInformation{DebtorAccount: from}}
	if len(kind.ChargeBearerValues) > 0 {
		payment.ChargeBearer = &kind.ChargeBearerValues[0]
	}
	if len(kind.PriorityCodes) > 0 {
		payment.PaymentTypeInformation = &openbanking.PaymentTypeInformation{InstructionPriority: &kind.PriorityCodes[0]}
	}
	currency := "EUR"
	if len(kind.Currencies) > 0 {
		currency = kind.Currencies[0]
	}
	if asks(kind.DebtorCurrencyRequired) {
		payment.DebtorCurrency = &currency
	}
	email, phone := "jane@app.example", "+358 40 123 4567"
	if contact := (openbanking.ContactDetails{}); asks(kind.DebtorContactEmailRequired) || asks(kind.DebtorContactPhoneRequired) {
		if asks(kind.DebtorContactEmailRequired) {
			contact.EmailAddress = &email
		}
		if asks(kind.DebtorContactPhoneRequired) {
			contact.PhoneNumber = &phone
		}
		payment.Debtor = &openbanking.PartyIdentification{ContactDetails: &contact}
	}
	amounts := []string{"12.50"}
	if strings.HasPrefix(string(kind.PaymentType), "BULK_") {
		amounts = []string{"12.50", "7.25"}
	}
	for _, amount := range amounts {
		if exponent, _ := money.Exponent(currency); exponent == 0 {
			amount, _, _ = strings.Cut(amount, ".")
		}
		payment.CreditTransferTransaction = append(payment.CreditTransferTransaction, openbanking.CreditTransferTransaction{
			InstructedAmount:      openbanking.AmountType{Currency: currency, Amount: amount},
			Beneficiary:           beneficiary(kind),
			RegulatoryReporting:   report(kind),
			RemittanceInformation: remittance(kind),
		})
	}
	return payment
}

// asks reports whether a bank states that it needs or supports something.
func asks(statement *bool) bool { return statement != nil && *statement }

// beneficiary is a payee with all that the bank wants to know.
func beneficiary(kind openbanking.ResponsePaymentType) openbanking.Beneficiary {
	name, street, code, town, country, bic, member := "Verein Lindenhof", "Lindenallee 7", "18055", "Rostock", "DE", "COBADEFFXXX", "37040044"
	to := openbanking.Beneficiary{CreditorAccount: creditorAccount(kind)}
	creditor := openbanking.PartyIdentification{}
	if asks(kind.CreditorNameRequired) {
		creditor.Name = &name
	}
	if asks(kind.CreditorCountryRequired) || asks(kind.CreditorPostalAddressRequired) {
		creditor.PostalAddress = &openbanking.PostalAddress{Country: &country}
	}
	if asks(kind.CreditorPostalAddressRequired) {
		creditor.PostalAddress.StreetName, creditor.PostalAddress.PostCode, creditor.PostalAddress.TownName = &street, &code, &town
	}
	if creditor != (openbanking.PartyIdentification{}) {
		to.Creditor = &creditor
	}
	agent := openbanking.FinancialInstitutionIdentification{}
	if asks(kind.CreditorAgentBICFIRequired) {
		agent.BICFI = &bic
	}
	if asks(kind.CreditorAgentClearingSystemMemberIDRequired) {
		agent.ClearingSystemMemberID = &openbanking.ClearingSystemMemberIdentification{MemberID: &member}
	}
	if agent != (openbanking.FinancialInstitutionIdentification{}) {
		to.CreditorAgent = &agent
	}
	return to
}

// creditorAccount is an account in the first scheme that the bank takes.
func creditorAccount(kind openbanking.ResponsePaymentType) openbanking.GenericIdentification {
	scheme := openbanking.SchemeNameIBAN
	switch {
	case len(kind.CreditorAccountSchemas) > 0:
		scheme = kind.CreditorAccountSchemas[0]
	case strings.HasSuffix(string(kind.PaymentType), "_SE_GIRO"):
		scheme = openbanking.SchemeNameBGNR
	}
	number := "370400440532013000"
	switch scheme {
	case openbanking.SchemeNameIBAN:
		number = "DE89" + number
	case openbanking.SchemeNameBGNR, openbanking.SchemeNamePGNR:
		number = "505010" + reference.Luhn("505010")
	case openbanking.SchemeNameCPAN:
		number = "411111111111111" + reference.Luhn("411111111111111")
	}
	return openbanking.GenericIdentification{SchemeName: scheme, Identification: number}
}

func report(kind openbanking.ResponsePaymentType) []openbanking.RegulatoryReporting {
	if !asks(kind.RegulatoryReportingCodeRequired) {
		return nil
	}
	details := openbanking.RegulatoryReportingDetails{Information: "Goods"}
	if len(kind.RegulatoryReportingCodes) > 0 {
		details.Code = &kind.RegulatoryReportingCodes[0].Value
	}
	return []openbanking.RegulatoryReporting{{Details: details}}
}

// remittance is a text for each line that the bank describes, or one line where it wants some and describes none.
func remittance(kind openbanking.ResponsePaymentType) []string {
	lines := kind.RemittanceInformationLines
	if len(lines) == 0 && asks(kind.RemittanceInformationRequired) {
		return []string{"Invoice 4711"}
	}
	var texts []string
	for _, line := range lines {
		texts = append(texts, fitting(line))
	}
	return texts
}

// fitting is a text that a line takes; of several patterns that of digits, letters or both.
func fitting(line openbanking.RemittanceInformationLineInfo) string {
	candidates := []string{"Invoice 4711", "4711", "INVOICE", "invoice"}
	if line.MinLength != nil && *line.MinLength > 0 {
		for i, text := range candidates {
			candidates[i] = text + strings.Repeat(text[len(text)-1:], max(0, *line.MinLength-len(text)))
		}
	}
	if line.MaxLength != nil {
		for i, text := range candidates {
			candidates[i] = text[:min(len(text), *line.MaxLength)]
		}
	}
	if line.Pattern == nil {
		return candidates[0]
	}
	pattern, err := regexp.Compile(*line.Pattern)
	if err != nil { // a Perl pattern that Go cannot read
		return candidates[0]
	}
	return candidates[max(0, slices.IndexFunc(candidates, pattern.MatchString))]
}
