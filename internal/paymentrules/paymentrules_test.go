package paymentrules_test

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"florin/internal/openbanking"
	"florin/internal/paymentrules"
)

const today openbanking.Date = "2026-11-20"

type (
	kind    = openbanking.ResponsePaymentType
	request = openbanking.PaymentRequestResource
)

func ptr[T any](v T) *T { return &v }

// sepa is a bank's SEPA payment, of which it says little.
func sepa() kind {
	return kind{PaymentType: openbanking.PaymentTypeSEPA, PSUType: openbanking.PSUTypePersonal}
}

// domestic is a payment of which the bank says nothing, in any currency.
func domestic() kind {
	return kind{PaymentType: openbanking.PaymentTypeDomestic, PSUType: openbanking.PSUTypePersonal}
}

// right is a payment that every bank here accepts, unless it needs more.
func right() request {
	return request{CreditTransferTransaction: []openbanking.CreditTransferTransaction{transfer()}}
}

func transfer() openbanking.CreditTransferTransaction {
	return openbanking.CreditTransferTransaction{
		InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: "12.30"},
		Beneficiary: openbanking.Beneficiary{
			Creditor:        &openbanking.PartyIdentification{Name: ptr("Zoë Müller & Söhne, Σοφία (№ 7)")},
			CreditorAccount: openbanking.GenericIdentification{SchemeName: openbanking.SchemeNameIBAN, Identification: "DE89370400440532013000"},
		},
	}
}

// one changes the first transaction of a payment.
func one(change func(*openbanking.CreditTransferTransaction)) func(*request) {
	return func(r *request) { change(&r.CreditTransferTransaction[0]) }
}

func amount(currency, text string) func(*request) {
	return one(func(t *openbanking.CreditTransferTransaction) {
		t.InstructedAmount = openbanking.AmountType{Currency: currency, Amount: text}
	})
}

func creditor(scheme openbanking.SchemeName, number string) func(*request) {
	return one(func(t *openbanking.CreditTransferTransaction) {
		t.Beneficiary.CreditorAccount = openbanking.GenericIdentification{SchemeName: scheme, Identification: number}
	})
}

func party(change func(*openbanking.PartyIdentification)) func(*request) {
	return one(func(t *openbanking.CreditTransferTransaction) { change(t.Beneficiary.Creditor) })
}

func lines(texts ...string) func(*request) {
	return one(func(t *openbanking.CreditTransferTransaction) { t.RemittanceInformation = texts })
}

// dates gives the transactions a date each, or none for "".
func dates(days ...openbanking.Date) func(*request) {
	return func(r *request) {
		for i, day := range days {
			if r.CreditTransferTransaction[i].RequestedExecutionDate = nil; day != "" {
				r.CreditTransferTransaction[i].RequestedExecutionDate = &day
			}
		}
	}
}

func number(text string) func(*request) {
	return one(func(t *openbanking.CreditTransferTransaction) { t.ReferenceNumber = &text })
}

func date(text string) func(*request) {
	return one(func(t *openbanking.CreditTransferTransaction) { t.RequestedExecutionDate = ptr(openbanking.Date(text)) })
}

func standing(first, end string) func(*request) {
	return one(func(t *openbanking.CreditTransferTransaction) {
		t.Frequency = ptr(openbanking.FrequencyCodeMNTH)
		if first != "" {
			t.RequestedExecutionDate = ptr(openbanking.Date(first))
		}
		if end != "" {
			t.EndDate = ptr(openbanking.Date(end))
		}
	})
}

func agent(a openbanking.FinancialInstitutionIdentification) func(*request) {
	return one(func(t *openbanking.CreditTransferTransaction) { t.Beneficiary.CreditorAgent = &a })
}

func report(r openbanking.RegulatoryReporting) func(*request) {
	return one(func(t *openbanking.CreditTransferTransaction) {
		t.RegulatoryReporting = append(t.RegulatoryReporting, r)
	})
}

func all(changes ...func(*request)) func(*request) {
	return func(r *request) {
		for _, change := range changes {
			change(r)
		}
	}
}

// bulk has so many transfers in place of one.
func bulk(n int) func(*request) {
	return func(r *request) {
		r.CreditTransferTransaction = nil
		for range n {
			r.CreditTransferTransaction = append(r.CreditTransferTransaction, transfer())
		}
	}
}

func of(t openbanking.PaymentType) func(*kind) { return func(k *kind) { k.PaymentType = t } }

func references(schemes ...openbanking.ReferenceNumberScheme) func(*kind) {
	return func(k *kind) { k.ReferenceNumberSupported, k.ReferenceNumberSchemas = ptr(true), schemes }
}

func dated(k *kind) {
	k.RequestedExecutionDateSupported, k.RequestedExecutionDateMaxPeriod = ptr(true), ptr(90)
}

func any34(k *kind) { k.PaymentType = openbanking.PaymentTypeDomestic }

const (
	tx     = "payment_request.credit_transfer_transaction[0]"
	sum    = tx + ".instructed_amount.amount"
	code   = tx + ".instructed_amount.currency"
	to     = tx + ".beneficiary.creditor_account.identification"
	name   = tx + ".beneficiary.creditor.name"
	text   = tx + ".remittance_information"
	ref    = tx + ".reference_number"
	on     = tx + ".requested_execution_date"
	bic    = tx + ".beneficiary.creditor_agent.bic_fi"
	member = tx + ".beneficiary.creditor_agent.clearing_system_member_id"
	wrong  = openbanking.WrongRequestParameters
	over   = openbanking.PaymentLimitExceeded
)

// TestFaults: every rule has a payment that breaks it, and it alone.
func TestFaults(t *testing.T) {
	nothing := func(*kind) {}
	tests := []struct {
		kind    func(*kind) // of a SEPA payment
		request func(*request)
		limit   string
		field   string
		code    openbanking.ErrorCode
		problem string
	}{
		{nothing, func(r *request) { r.CreditTransferTransaction = nil }, "", "payment_request.credit_transfer_transaction", wrong, "at least one transaction"},
		{func(k *kind) { k.MaxTransactions = ptr(2) }, bulk(3), "", "payment_request.credit_transfer_transaction", over, "has 3 transactions; the ASPSP takes at most 2"},

		// Amounts.
		{nothing, amount("EUR", ""), "", sum, wrong, "is empty"},
		{nothing, amount("EUR", "0"), "", sum, wrong, "is zero"},
		{nothing, amount("EUR", "0.00"), "", sum, wrong, "is zero"},
		{nothing, amount("EUR", "-1"), "", sum, wrong, "is negative"},
		{nothing, amount("EUR", "\u22121"), "", sum, wrong, "is negative"},
		{nothing, amount("EUR", "1e3"), "", sum, wrong, "has an exponent"},
		{nothing, amount("EUR", "1E+3"), "", sum, wrong, "has an exponent"},
		{nothing, amount("EUR", "1,00"), "", sum, wrong, "has a comma"},
		{nothing, amount("EUR", "1,000.00"), "", sum, wrong, "has a comma"},
		{nothing, amount("EUR", "NaN"), "", sum, wrong, `is not a number: it has "N" in it`},
		{nothing, amount("EUR", "Infinity"), "", sum, wrong, `is not a number: it has "I" in it`},
		{nothing, amount("EUR", "+1"), "", sum, wrong, "has a sign"},
		{nothing, amount("EUR", " 1"), "", sum, wrong, "has a space"},
		{nothing, amount("EUR", "1\u00a0000"), "", sum, wrong, "has a space"},
		{nothing, amount("EUR", "\uff11"), "", sum, wrong, "full-width character"},
		{nothing, amount("EUR", "0x10"), "", sum, wrong, `it has "x" in it`},
		{nothing, amount("EUR", "1_000"), "", sum, wrong, `it has "_" in it`},
		{nothing, amount("EUR", "1."), "", sum, wrong, "a dot in the wrong place"},
		{nothing, amount("EUR", ".5"), "", sum, wrong, "a dot in the wrong place"},
		{nothing, amount("EUR", "1.0.0"), "", sum, wrong, "a dot in the wrong place"},
		{nothing, amount("EUR", "01.00"), "", sum, wrong, "begins with a zero"},
		{nothing, amount("EUR", "1.234"), "", sum, wrong, "has 3 decimals; EUR has 2 decimals"},
		{nothing, amount("EUR", "1.000"), "", sum, wrong, "has 3 decimals; EUR has 2 decimals"},
		{any34, amount("JPY", "1.0"), "", sum, wrong, "has decimals; JPY has none"},
		{any34, amount("KWD", "1.0001"), "", sum, wrong, "has 4 decimals; KWD has 3 decimals"},
		{nothing, amount("EUR", "1234567890123456789"), "", sum, wrong, "has 19 digits; at most 18 digits are possible"},
		{nothing, amount("EUR", "123456789012345678"), "", sum, wrong, "is too large"},
		{nothing, amount("eur", "1.00"), "", code, wrong, "three capital letters"},
		{nothing, amount("", "1.00"), "", code, wrong, "three capital letters"},
		{nothing, amount("EUX", "1.00"), "", code, wrong, "is not the code of a currency"},
		{any34, amount("XXX", "1.00"), "", code, wrong, "is not the code of a currency"},
		{nothing, amount("SEK", "1.00"), "", code, wrong, "must be EUR for a SEPA payment"},
		{of(openbanking.PaymentTypeInstSEPA), amount("SEK", "1.00"), "", code, wrong, "must be EUR for a INST_SEPA payment"},
		{func(k *kind) { any34(k); k.Currencies = []string{"SEK", "NOK"} }, amount("EUR", "1.00"), "", code, wrong, "it supports SEK, NOK"},
		{nothing, amount("EUR", "1000.01"), "1000", sum, over, "is more than the limit of a payment, which is 1000.00 EUR"},
		{any34, amount("JPY", "1001"), "1000.50", sum, over, "which is 1000 JPY"},
		{nothing, amount("EUR", "0.01"), "unreadable", sum, over, "which is 0.00 EUR"},
		{nothing, bulk(3), "30", "payment_request.credit_transfer_transaction", over, "which is 30.00 EUR"},
		{nothing, func(r *request) {
			bulk(100)(r)
			for i := range r.CreditTransferTransaction {
				r.CreditTransferTransaction[i].InstructedAmount.Amount = "9999999999999999.99"
			}
		}, "", "payment_request.credit_transfer_transaction", over, "more than a payment can be"},

		// Accounts.
		{nothing, creditor("IBAN", "DE8937040044053201300"), "", to, wrong, "is not a valid IBAN. A German IBAN has 22 characters; this one has 21."},
		{nothing, creditor("IBAN", "DE88370400440532013000"), "", to, wrong, "The check digits do not fit"},
		{nothing, creditor("IBAN", "D\u041589370400440532013000"), "", to, wrong, "the Cyrillic letter"},
		{nothing, creditor("IBAN", "DE89\u200b370400440532013000"), "", to, wrong, "zero-width space"},
		{nothing, creditor("IBAN", "DE89 3704 0044 0532 0130 00"), "", to, wrong, "without spaces"},
		{nothing, creditor("IBAN", "de89370400440532013000"), "", to, wrong, "in capital letters"},
		{nothing, creditor("IBAN", "XX89370400440532013000"), "", to, wrong, "No country with the code XX"},
		{nothing, creditor("IBAN", ""), "", to, wrong, "Enter the IBAN"},
		{nothing, creditor("IBAN", "BR1800360305000010009795493C1"), "", to, wrong, "outside SEPA (BR)"},
		{nothing, creditor("BBAN", "370400440532013000"), "", tx + ".beneficiary.creditor_account.scheme_name", wrong, "it supports IBAN"},
		{any34, creditor("MIBN", "DE89**********3000"), "", tx + ".beneficiary.creditor_account.scheme_name", wrong, "it supports IBAN, BBAN, BGNR, PGNR, CPAN"},
		{of(openbanking.PaymentTypeDomesticSEGiro), nil, "", tx + ".beneficiary.creditor_account.scheme_name", wrong, "it supports BGNR, PGNR"},
		{any34, creditor("BBAN", ""), "", to, wrong, "has 0 characters; a national account number has 1 to 30"},
		{any34, creditor("BBAN", strings.Repeat("1", 31)), "", to, wrong, "has 31 characters"},
		{any34, creditor("BBAN", "1234-567"), "", to, wrong, `has "-" in it`},
		{any34, creditor("BGNR", "123456"), "", to, wrong, "has 6 digits; a Bankgiro number has 7 to 8"},
		{any34, creditor("BGNR", "5050-1056"), "", to, wrong, "its last digit should be 5, not 6"},
		{any34, creditor("BGNR", "505-01055"), "", to, wrong, `has "-" in it; a Bankgiro number has digits only`},
		{any34, creditor("PGNR", "1"), "", to, wrong, "has 1 digit; a Plusgiro number has 2 to 8"},
		{any34, creditor("PGNR", "28-6"), "", to, wrong, "not a valid Plusgiro number: its last digit should be 1, not 6"},
		{any34, creditor("CPAN", "4111111111111112"), "", to, wrong, "its last digit should be 1, not 2"},
		{any34, creditor("CPAN", "**** 1111"), "", to, wrong, `has "*" in it`},
		{nothing, func(r *request) {
			r.DebtorAccount = &openbanking.GenericIdentification{SchemeName: "IBAN", Identification: "FI2112345600000786"}
		}, "", "payment_request.debtor_account.identification", wrong, "check digits"},
		{nothing, one(func(t *openbanking.CreditTransferTransaction) { t.Beneficiary.CreditorAccount.Issuer = ptr("") }), "", tx + ".beneficiary.creditor_account.issuer", wrong, "is empty"},

		// Names and texts.
		{nothing, party(func(p *openbanking.PartyIdentification) { p.Name = ptr("  ") }), "", name, wrong, "is empty"},
		{nothing, party(func(p *openbanking.PartyIdentification) { p.Name = ptr("\u3164") }), "", name, wrong, "character 1 is"},
		{nothing, party(func(p *openbanking.PartyIdentification) { p.Name = ptr("AC\u034fME") }), "", name, wrong, "character 3 is"},
		{nothing, party(func(p *openbanking.PartyIdentification) { p.Name = ptr("ACME\ufe0f") }), "", name, wrong, "character 5 is"},
		{nothing, party(func(p *openbanking.PartyIdentification) { p.Name = ptr(strings.Repeat("å", 71)) }), "", name, wrong, "has 71 characters; at most 70 are possible"},
		{any34, party(func(p *openbanking.PartyIdentification) { p.Name = ptr(strings.Repeat("å", 141)) }), "", name, wrong, "has 141 characters; at most 140 are possible"},
		{nothing, party(func(p *openbanking.PartyIdentification) { p.Name = ptr("Anna\u202eMaria") }), "", name, wrong, "character 5 is an invisible character (direction mark, U+202E)"},
		{nothing, party(func(p *openbanking.PartyIdentification) { p.Name = ptr("Anna\nMaria") }), "", name, wrong, "character 5 is an invisible or combining character (U+000A)"},
		{nothing, party(func(p *openbanking.PartyIdentification) { p.Name = ptr("Anna 🙂") }), "", name, wrong, "character 6 is \"🙂\""},
		{nothing, party(func(p *openbanking.PartyIdentification) { p.Name = ptr("Anna\xff") }), "", name, wrong, "damaged"},
		{nothing, lines("a\x00b"), "", text + "[0]", wrong, "character 2"},
		{nothing, lines(strings.Repeat("x", 141)), "", text + "[0]", wrong, "has 141 characters"},
		{nothing, lines(strings.Repeat("x", 71), strings.Repeat("x", 70)), "", text, wrong, "has 141 characters in all"},
		{any34, lines("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"), "", text, wrong, "has 11 lines; at most 10"},
		{nothing, func(r *request) { r.PaymentInformationID = ptr(strings.Repeat("x", 36)) }, "", "payment_request.payment_information_id", wrong, "has 36 characters; at most 35"},
		{nothing, one(func(t *openbanking.CreditTransferTransaction) {
			t.PaymentID = &openbanking.PaymentIdentification{EndToEndID: ptr(strings.Repeat("x", 36))}
		}), "", tx + ".payment_id.end_to_end_id", wrong, "at most 35"},
		{nothing, one(func(t *openbanking.CreditTransferTransaction) {
			t.PaymentID = &openbanking.PaymentIdentification{InstructionID: ptr("")}
		}), "", tx + ".payment_id.instruction_id", wrong, "is empty"},
		{nothing, func(r *request) {
			r.PaymentTypeInformation = &openbanking.PaymentTypeInformation{LocalInstrument: ptr("\t")}
		}, "", "payment_request.payment_type_information.local_instrument", wrong, "is empty"},
		{nothing, one(func(t *openbanking.CreditTransferTransaction) {
			t.UltimateDebtor = &openbanking.PartyIdentification{Name: ptr("\u200b")}
		}), "", tx + ".ultimate_debtor.name", wrong, "zero-width space"},
		{nothing, one(func(t *openbanking.CreditTransferTransaction) {
			t.UltimateCreditor = &openbanking.PartyIdentification{PrivateID: &openbanking.GenericIdentification{SchemeName: "NIDN"}}
		}), "", tx + ".ultimate_creditor.private_id.identification", wrong, "is empty"},
		{nothing, func(r *request) {
			r.Debtor = &openbanking.PartyIdentification{OrganisationID: &openbanking.GenericIdentification{SchemeName: "COID", Identification: strings.Repeat("1", 36)}}
		}, "", "payment_request.debtor.organisation_id.identification", wrong, "at most 35"},
		{nothing, func(r *request) { r.DebtorCurrency = ptr("euro") }, "", "payment_request.debtor_currency", wrong, "three capital letters"},
		{nothing, one(func(t *openbanking.CreditTransferTransaction) { t.Beneficiary.CreditorCurrency = ptr("ZZZ") }), "", tx + ".beneficiary.creditor_currency", wrong, "not the code of a currency"},

		// Addresses and contacts.
		{nothing, party(func(p *openbanking.PartyIdentification) {
			p.PostalAddress = &openbanking.PostalAddress{Country: ptr("fi")}
		}), "", tx + ".beneficiary.creditor.postal_address.country", wrong, "two capital letters"},
		{nothing, party(func(p *openbanking.PartyIdentification) {
			p.PostalAddress = &openbanking.PostalAddress{Country: ptr("ZZ")}
		}), "", tx + ".beneficiary.creditor.postal_address.country", wrong, "ISO 3166"},
		{nothing, party(func(p *openbanking.PartyIdentification) {
			p.PostalAddress = &openbanking.PostalAddress{TownName: ptr("")}
		}), "", tx + ".beneficiary.creditor.postal_address.town_name", wrong, "is empty"},
		{nothing, party(func(p *openbanking.PartyIdentification) {
			p.PostalAddress = &openbanking.PostalAddress{AddressLine: make([]string, 8)}
		}), "", tx + ".beneficiary.creditor.postal_address.address_line", wrong, "has 8 lines; at most 7"},
		{nothing, party(func(p *openbanking.PartyIdentification) {
			p.PostalAddress = &openbanking.PostalAddress{AddressLine: []string{"Main street 1", "\x07"}}
		}), "", tx + ".beneficiary.creditor.postal_address.address_line[1]", wrong, "U+0007"},
		{func(k *kind) { k.CreditorPostalAddressRequired = ptr(true) }, party(func(p *openbanking.PartyIdentification) {
			p.PostalAddress = &openbanking.PostalAddress{Country: ptr("FI")}
		}), "", tx + ".beneficiary.creditor.postal_address", wrong, "give street_name, post_code and town_name, or address_line"},
		{nothing, func(r *request) {
			r.Debtor = &openbanking.PartyIdentification{ContactDetails: &openbanking.ContactDetails{EmailAddress: ptr("Anna <anna@example.com>")}}
		}, "", "payment_request.debtor.contact_details.email_address", wrong, "name@example.com"},
		{nothing, func(r *request) {
			r.Debtor = &openbanking.PartyIdentification{ContactDetails: &openbanking.ContactDetails{EmailAddress: ptr("anna@localhost")}}
		}, "", "payment_request.debtor.contact_details.email_address", wrong, "name@example.com"},
		{nothing, func(r *request) {
			r.Debtor = &openbanking.PartyIdentification{ContactDetails: &openbanking.ContactDetails{PhoneNumber: ptr("040 1234567")}}
		}, "", "payment_request.debtor.contact_details.phone_number", wrong, "+358 40 123 4567"},
		{nothing, func(r *request) {
			r.Debtor = &openbanking.PartyIdentification{ContactDetails: &openbanking.ContactDetails{PhoneNumber: ptr("+358 40")}}
		}, "", "payment_request.debtor.contact_details.phone_number", wrong, "+358 40 123 4567"},

		// Banks.
		{nothing, agent(openbanking.FinancialInstitutionIdentification{BICFI: ptr("DEUTDEF")}), "", bic, wrong, "A BIC has 8 or 11 characters; this one has 7."},
		{nothing, agent(openbanking.FinancialInstitutionIdentification{BICFI: ptr("deutdeff")}), "", bic, wrong, "in capital letters"},
		{nothing, func(r *request) {
			r.DebtorAgent = &openbanking.FinancialInstitutionIdentification{BICFI: ptr("DEUTZZFF")}
		}, "", "payment_request.debtor_agent.bic_fi", wrong, "there is none with the code ZZ"},
		{nothing, agent(openbanking.FinancialInstitutionIdentification{Name: ptr("")}), "", tx + ".beneficiary.creditor_agent.name", wrong, "is empty"},
		{func(k *kind) { k.CreditorAgentClearingSystemMemberIDRequired = ptr(true) }, agent(openbanking.FinancialInstitutionIdentification{ClearingSystemMemberID: &openbanking.ClearingSystemMemberIdentification{ClearingSystemID: ptr("USABA")}}), "", member + ".member_id", wrong, "is missing"},
		{nothing, agent(openbanking.FinancialInstitutionIdentification{ClearingSystemMemberID: &openbanking.ClearingSystemMemberIdentification{ClearingSystemID: ptr("")}}), "", member + ".clearing_system_id", wrong, "is empty"},

		// Codes.
		{nothing, func(r *request) { r.ChargeBearer = ptr(openbanking.ChargeBearerCodeSHAR) }, "", "payment_request.charge_bearer", wrong, "it supports SLEV"},
		{func(k *kind) { k.PriorityCodes = []openbanking.PriorityCode{} }, func(r *request) {
			r.PaymentTypeInformation = &openbanking.PaymentTypeInformation{InstructionPriority: ptr(openbanking.PriorityCodeHIGH)}
		}, "", "payment_request.payment_type_information.instruction_priority", wrong, "leave it out"},

		// Dates and standing orders.
		{nothing, date("2026-11-21"), "", on, wrong, "is not supported by the ASPSP"},
		{dated, date("2026-11-19"), "", on, wrong, "is in the past; today is 2026-11-20"},
		{dated, date("0001-01-01"), "", on, wrong, "is in the past"},
		{dated, date("2027-02-19"), "", on, wrong, "is 91 days ahead; the ASPSP takes at most 90 days, until 2027-02-18"},
		{dated, date("9999-12-31"), "", on, wrong, "at most 90 days"},
		{dated, date("2026-02-30"), "", on, wrong, "YYYY-MM-DD"},
		{func(k *kind) { dated(k); k.PaymentType = openbanking.PaymentTypeInstSEPA }, date("2026-11-20"), "", on, wrong, "executed at once"},
		{of(openbanking.PaymentTypeInstSEPA), standing("", ""), "", tx + ".frequency", wrong, "executed at once, and once"},
		{of(openbanking.PaymentTypeBulkSEPA), standing("", ""), "", tx + ".frequency", wrong, "a bulk is executed once"},
		{dated, standing("2026-12-01", "2026-11-30"), "", tx + ".end_date", wrong, "is before the first execution, on 2026-12-01"},
		{dated, standing("", "2026-11-19"), "", tx + ".end_date", wrong, "is before the first execution, on 2026-11-20"},
		{dated, standing("", "soon"), "", tx + ".end_date", wrong, "YYYY-MM-DD"},
		{nothing, one(func(t *openbanking.CreditTransferTransaction) { t.EndDate = ptr(openbanking.Date("2027-01-01")) }), "", tx + ".end_date", wrong, "give its frequency too"},
		{nothing, one(func(t *openbanking.CreditTransferTransaction) { t.ExecutionRule = ptr(openbanking.ExecutionRuleFWNG) }), "", tx + ".execution_rule", wrong, "give its frequency too"},
		{func(k *kind) { dated(k); k.PaymentType = openbanking.PaymentTypeBulkSEPA }, all(bulk(2), dates("2026-11-23", "2026-11-19")), "", "payment_request.credit_transfer_transaction[1].requested_execution_date", wrong, "is in the past"},
		{func(k *kind) {
			dated(k)
			k.PaymentType, k.RequestedExecutionDateMaxPeriod = openbanking.PaymentTypeBulkSEPA, ptr(5)
		}, all(bulk(2), dates("", "2026-12-23")), "", "payment_request.credit_transfer_transaction[1].requested_execution_date", wrong, "the ASPSP takes at most 5 days"},
		{of(openbanking.PaymentTypeBulkSEPA), all(bulk(2), dates("", "2026-11-23")), "", "payment_request.credit_transfer_transaction[1].requested_execution_date", wrong, "is not supported"},

		// References and texts.
		{nothing, number("RF18539007547034"), "", ref, wrong, "use remittance_information"},
		{references(), number(""), "", ref, wrong, "is empty"},
		{references(), number(strings.Repeat("1", 36)), "", ref, wrong, "at most 35"},
		{references("FIRF"), number("RF18539007547034"), "", ref, wrong, "is an international reference, which the ASPSP does not take for this payment type; it takes FIRF"},
		{references("FIRF", "INTL"), number("rf19 5390 0754 7034"), "", ref, wrong, "is not an international reference. The check digits of this international reference, after RF, should be 18; here they are 19."},
		{references("BERF"), number("+++090/9337/55494+++"), "", ref, wrong, "is not a Belgian reference. The last two digits"},
		{references("INTL"), number("12\x003"), "", ref, wrong, "cannot be printed on a statement"},
		{references("INTL"), number(strings.Repeat("1", 36)), "", ref, wrong, "at most 35"},
		{func(k *kind) { k.RemittanceInformationRequired = ptr(true) }, lines(" "), "", text, wrong, "is missing"},
		{func(k *kind) { k.RemittanceInformationRequired = ptr(true) }, lines(), "", text, wrong, "is missing"},
		{references("FIRF"), all(number("1232"), lines("Rent")), "", text, wrong, "cannot be given together with reference_number"},
		{func(k *kind) {
			references("FIRF")(k)
			k.RemittanceReferenceSupported, k.RemittanceInformationRequired = ptr(true), ptr(true)
		}, number("1232"), "", text, wrong, "is missing"},
		{lined("", 0, 0, 2), lines("one"), "", text, wrong, "has 1 line; the ASPSP takes exactly 2"},
		{lined("", 0, 0, 2), lines("one", "two", "three"), "", text, wrong, "has 3 lines; the ASPSP takes exactly 2"},
		{lined("", 3, 5, 1), lines("åå"), "", text + "[0]", wrong, "has 2 characters; the ASPSP needs at least 3"},
		{lined("", 3, 5, 1), lines("åååååå"), "", text + "[0]", wrong, "has 6 characters; the ASPSP takes at most 5"},
		{lined(`^\d+$`, 0, 0, 1), lines("12a"), "", text + "[0]", wrong, `does not have the form that the ASPSP expects: ^\d+$`},
		{lined(`\d`, 0, 0, 2), lines("a1", "\u00ad"), "", text + "[1]", wrong, "soft hyphen"},

		// Reports to the authorities.
		{func(k *kind) { k.RegulatoryReportingCodeRequired = ptr(true) }, report(openbanking.RegulatoryReporting{Details: openbanking.RegulatoryReportingDetails{Information: "Goods"}}), "", tx + ".regulatory_reporting[0].details.code", wrong, "is missing"},
		{nothing, report(openbanking.RegulatoryReporting{Details: openbanking.RegulatoryReportingDetails{}}), "", tx + ".regulatory_reporting[0].details.information", wrong, "is empty"},
		{nothing, report(openbanking.RegulatoryReporting{Details: openbanking.RegulatoryReportingDetails{Information: "Goods", Code: ptr("12345678901")}}), "", tx + ".regulatory_reporting[0].details.code", wrong, "at most 10"},
		{nothing, report(openbanking.RegulatoryReporting{Details: openbanking.RegulatoryReportingDetails{Information: "Goods", Amount: &openbanking.AmountType{Currency: "EUR", Amount: "1,5"}}}), "", tx + ".regulatory_reporting[0].details.amount.amount", wrong, "has a comma"},
		{nothing, report(openbanking.RegulatoryReporting{Authority: &openbanking.RegulatoryAuthority{Country: "Sweden", Name: "Skatteverket"}, Details: openbanking.RegulatoryReportingDetails{Information: "Goods"}}), "", tx + ".regulatory_reporting[0].authority.country", wrong, "ISO 3166"},
		{nothing, report(openbanking.RegulatoryReporting{Authority: &openbanking.RegulatoryAuthority{Country: "SE"}, Details: openbanking.RegulatoryReportingDetails{Information: "Goods"}}), "", tx + ".regulatory_reporting[0].authority.name", wrong, "is empty"},
		{nothing, one(func(t *openbanking.CreditTransferTransaction) {
			t.RegulatoryReporting = make([]openbanking.RegulatoryReporting, 11)
		}), "", tx + ".regulatory_reporting", wrong, "has 11 reports; at most 10"},
	}
	for _, tt := range tests {
		k, r := sepa(), right()
		tt.kind(&k)
		if tt.request != nil {
			tt.request(&r)
		}
		faults := paymentrules.Check(k, r, today, tt.limit)
		if len(faults) != 1 {
			t.Errorf("%s, %s: %d faults %+v", tt.field, tt.problem, len(faults), faults)
			continue
		}
		if f := faults[0]; f.Field != tt.field || f.Code != tt.code || !strings.Contains(f.Problem, tt.problem) {
			t.Errorf("got %+v\nwant %s: %s %s", f, tt.code, tt.field, tt.problem)
		}
	}
}

// lined is a bank that takes n lines; zero and "" are no limits.
func lined(pattern string, least, most, n int) func(*kind) {
	var line openbanking.RemittanceInformationLineInfo
	if pattern != "" {
		line.Pattern = &pattern
	}
	if least != 0 {
		line.MinLength = &least
	}
	if most != 0 {
		line.MaxLength = &most
	}
	return func(k *kind) {
		for range n {
			k.RemittanceInformationLines = append(k.RemittanceInformationLines, line)
		}
	}
}

// TestRightPayments: what is legal has no fault, at the edges of the rules too.
func TestRightPayments(t *testing.T) {
	nothing := func(*kind) {}
	tests := []struct {
		about   string
		kind    func(*kind)
		request func(*request)
		limit   string
	}{
		{"the least", nothing, nil, ""},
		{"the limit itself", nothing, amount("EUR", "1000"), "1000.00"},
		{"a limit beyond every amount", nothing, nil, "99999999999999999999"},
		{"a limit in each currency", any34, func(r *request) {
			bulk(2)(r)
			amount("EUR", "900")(r)
			r.CreditTransferTransaction[1].InstructedAmount = openbanking.AmountType{Currency: "SEK", Amount: "900"}
		}, "1000"},
		{"a cent", nothing, amount("EUR", "0.01"), ""},
		{"no decimals", nothing, amount("EUR", "5"), ""},
		{"one decimal", nothing, amount("EUR", "5.5"), ""},
		{"18 digits", nothing, amount("EUR", "1234567890123456.78"), ""},
		{"yen", any34, amount("JPY", "5000"), ""},
		{"twice the same", func(k *kind) { k.MaxTransactions = ptr(2) }, bulk(2), ""},
		{"Bankgiro", of(openbanking.PaymentTypeDomesticSEGiro), all(amount("SEK", "1"), creditor("BGNR", "5050-1055")), ""},
		{"Bankgiro of digits", of(openbanking.PaymentTypeBulkDomesticSEGiro), all(amount("SEK", "1"), creditor("BGNR", "9912346")), ""},
		{"Plusgiro", of(openbanking.PaymentTypeDomesticSEGiro), all(amount("SEK", "1"), creditor("PGNR", "286543-4")), ""},
		{"card", any34, creditor("CPAN", "4111111111111111"), ""},
		{"national number", any34, creditor("BBAN", "86011117947"), ""},
		{"a scheme that the bank alone knows", func(k *kind) { any34(k); k.CreditorAccountSchemas = []openbanking.SchemeName{"OTHI"} }, creditor("OTHI", "wallet:7"), ""},
		{"today", dated, date("2026-11-20"), ""},
		{"the last day", dated, date("2027-02-18"), ""},
		{"no last day", func(k *kind) { k.RequestedExecutionDateSupported = ptr(true) }, date("2999-01-01"), ""},
		{"one date for a bulk", func(k *kind) { dated(k); k.PaymentType = openbanking.PaymentTypeBulkSEPA }, func(r *request) {
			bulk(2)(r)
			for i := range r.CreditTransferTransaction {
				r.CreditTransferTransaction[i].RequestedExecutionDate = ptr(openbanking.Date("2026-11-23"))
			}
		}, ""},
		{"standing order", dated, all(standing("2026-12-01", "2026-12-01"), one(func(t *openbanking.CreditTransferTransaction) { t.ExecutionRule = ptr(openbanking.ExecutionRulePREC) })), ""},
		{"standing order from today, endless", nothing, standing("", ""), ""},
		{"a bulk with a date at each instruction", func(k *kind) { dated(k); k.PaymentType = openbanking.PaymentTypeBulkSEPA }, all(bulk(3), dates("2026-11-23", "", "2026-11-24")), ""},
		{"a reference of the sender's own", references("INTL", "FIRF"), number("123"), ""},
		{"a reference of the sender's own in words", references("INTL"), number("Order 2026/17"), ""},
		{"RF that names no scheme", references("FIRF"), number("RFID 7"), ""},
		{"a Finnish reference with another check digit", references("FIRF"), number("1235"), ""},
		{"one of two kinds of references", references("FIRF", "INTL"), number("RF18 5390 0754 7034"), ""},
		{"a reference in place of the text", func(k *kind) { references("FIRF")(k); k.RemittanceInformationRequired = ptr(true) }, number("1232"), ""},
		{"both together", func(k *kind) { references("FIRF")(k); k.RemittanceReferenceSupported = ptr(true) }, all(number("1232"), lines("Rent")), ""},
		{"lines at their bounds", lined("", 2, 4, 2), lines("åå", "åååå"), ""},
		{"no lines where none are needed", lined("", 2, 4, 2), lines(), ""},
		{"an unreadable pattern is the bank's business", lined(`(?<=a)b`, 0, 0, 1), lines("c"), ""},
		{"a pattern matches somewhere", lined(`\d{2}`, 0, 0, 1), lines("No. 42"), ""},
		{"a BIC", nothing, agent(openbanking.FinancialInstitutionIdentification{BICFI: ptr("DEUTDEFF500"), Name: ptr("Deutsche Bank")}), ""},
		{"contacts", nothing, func(r *request) {
			r.Debtor = &openbanking.PartyIdentification{ContactDetails: &openbanking.ContactDetails{EmailAddress: ptr("anna.o'neil+pay@mail.example.com"), PhoneNumber: ptr("+358 (40) 123-4567")}}
		}, ""},
		{"a report", func(k *kind) {
			k.RegulatoryReportingCodeRequired = ptr(true)
			k.RegulatoryReportingCodes = []openbanking.RegulatoryReportingCode{{Value: "101"}}
		}, report(openbanking.RegulatoryReporting{Authority: &openbanking.RegulatoryAuthority{Country: "SE", Name: "Skatteverket"}, Details: openbanking.RegulatoryReportingDetails{Code: ptr("101"), Information: "Goods", Amount: &openbanking.AmountType{Currency: "USD", Amount: "5"}}}), ""},
	}
	for _, tt := range tests {
		k, r := sepa(), right()
		tt.kind(&k)
		if tt.request != nil {
			tt.request(&r)
		}
		if faults := paymentrules.Check(k, r, today, tt.limit); len(faults) != 0 {
			t.Errorf("%s: %+v", tt.about, faults)
		}
	}
}

// TestEveryPropertyOfAPaymentTypeHasARule: for each field of ResponsePaymentType there is a payment that has a fault with
// the field and none without it, or the reverse.
func TestEveryPropertyOfAPaymentTypeHasARule(t *testing.T) {
	elsewhere := map[string]string{
		"PSUType":                 "it says to whom the rules apply",
		"AllowedAuthMethods":      "how the PSU signs in is no part of a payment",
		"FinalSuccessfulStatuses": "what the bank answers is no part of a payment",
	}
	rules := map[string]struct {
		set     func(*kind) // sets the field, and nothing else
		beside  func(*kind) // other fields that the rule needs; may be nil
		request func(*request)
		field   string
		allows  bool // the fault is there without the field
	}{
		"PaymentType":           {set: of(openbanking.PaymentTypeSEPA), request: amount("SEK", "1"), field: code},
		"MaxTransactions":       {set: func(k *kind) { k.MaxTransactions = ptr(1) }, request: bulk(2), field: "payment_request.credit_transfer_transaction"},
		"Currencies":            {set: func(k *kind) { k.Currencies = []string{"SEK"} }, field: code},
		"DebtorAccountRequired": {set: func(k *kind) { k.DebtorAccountRequired = ptr(true) }, field: "payment_request.debtor_account"},
		"DebtorAccountSchemas": {set: func(k *kind) { k.DebtorAccountSchemas = []openbanking.SchemeName{"IBAN"} }, request: func(r *request) {
			r.DebtorAccount = &openbanking.GenericIdentification{SchemeName: "BBAN", Identification: "1"}
		}, field: "payment_request.debtor_account.scheme_name"},
		"CreditorAccountSchemas": {set: func(k *kind) { k.CreditorAccountSchemas = []openbanking.SchemeName{"BBAN"} }, field: tx + ".beneficiary.creditor_account.scheme_name"},
		"PriorityCodes": {set: func(k *kind) { k.PriorityCodes = []openbanking.PriorityCode{"NORM"} }, request: func(r *request) {
			r.PaymentTypeInformation = &openbanking.PaymentTypeInformation{InstructionPriority: ptr(openbanking.PriorityCodeHIGH)}
		}, field: "payment_request.payment_type_information.instruction_priority"},
		"ChargeBearerValues":                          {set: func(k *kind) { k.ChargeBearerValues = []openbanking.ChargeBearerCode{"SLEV"} }, request: func(r *request) { r.ChargeBearer = ptr(openbanking.ChargeBearerCodeSHAR) }, field: "payment_request.charge_bearer"},
		"CreditorCountryRequired":                     {set: func(k *kind) { k.CreditorCountryRequired = ptr(true) }, field: tx + ".beneficiary.creditor.postal_address.country"},
		"CreditorNameRequired":                        {set: func(k *kind) { k.CreditorNameRequired = ptr(true) }, request: one(func(t *openbanking.CreditTransferTransaction) { t.Beneficiary.Creditor = nil }), field: name},
		"CreditorPostalAddressRequired":               {set: func(k *kind) { k.CreditorPostalAddressRequired = ptr(true) }, field: tx + ".beneficiary.creditor.postal_address"},
		"RemittanceInformationRequired":               {set: func(k *kind) { k.RemittanceInformationRequired = ptr(true) }, field: text},
		"RemittanceInformationLines":                  {set: lined("", 5, 0, 1), request: lines("Rent"), field: text + "[0]"},
		"DebtorCurrencyRequired":                      {set: func(k *kind) { k.DebtorCurrencyRequired = ptr(true) }, field: "payment_request.debtor_currency"},
		"DebtorContactEmailRequired":                  {set: func(k *kind) { k.DebtorContactEmailRequired = ptr(true) }, field: "payment_request.debtor.contact_details.email_address"},
		"DebtorContactPhoneRequired":                  {set: func(k *kind) { k.DebtorContactPhoneRequired = ptr(true) }, field: "payment_request.debtor.contact_details.phone_number"},
		"CreditorAgentBICFIRequired":                  {set: func(k *kind) { k.CreditorAgentBICFIRequired = ptr(true) }, field: bic},
		"CreditorAgentClearingSystemMemberIDRequired": {set: func(k *kind) { k.CreditorAgentClearingSystemMemberIDRequired = ptr(true) }, field: member},
		"RegulatoryReportingCodes":                    {set: func(k *kind) { k.RegulatoryReportingCodes = []openbanking.RegulatoryReportingCode{{Value: "101"}} }, request: report(openbanking.RegulatoryReporting{Details: openbanking.RegulatoryReportingDetails{Code: ptr("102"), Information: "Goods"}}), field: tx + ".regulatory_reporting[0].details.code"},
		"RegulatoryReportingCodeRequired":             {set: func(k *kind) { k.RegulatoryReportingCodeRequired = ptr(true) }, field: tx + ".regulatory_reporting"},
		"ReferenceNumberSupported":                    {set: func(k *kind) { k.ReferenceNumberSupported = ptr(true) }, request: number("1"), field: ref, allows: true},
		"ReferenceNumberSchemas":                      {set: func(k *kind) { k.ReferenceNumberSchemas = []openbanking.ReferenceNumberScheme{"NORF"} }, beside: references(), request: number("RF18539007547034"), field: ref},
		"RequestedExecutionDateSupported":             {set: func(k *kind) { k.RequestedExecutionDateSupported = ptr(true) }, request: date("2026-11-21"), field: on, allows: true},
		"RequestedExecutionDateMaxPeriod":             {set: func(k *kind) { k.RequestedExecutionDateMaxPeriod = ptr(1) }, beside: func(k *kind) { k.RequestedExecutionDateSupported = ptr(true) }, request: date("2026-11-22"), field: on},
		"RemittanceReferenceSupported":                {set: func(k *kind) { k.RemittanceReferenceSupported = ptr(true) }, beside: references(), request: all(number("1"), lines("Rent")), field: text, allows: true},
	}
	for field := range reflect.TypeFor[kind]().Fields() {
		rule, ok := rules[field.Name]
		if _, other := elsewhere[field.Name]; ok == other {
			t.Errorf("%s has no rule, or more than one place", field.Name)
		}
		if !ok {
			continue
		}
		k, r := domestic(), right()
		if rule.beside != nil {
			rule.beside(&k)
		}
		if rule.request != nil {
			rule.request(&r)
		}
		without := paymentrules.Check(k, r, today, "")
		rule.set(&k)
		with := paymentrules.Check(k, r, today, "")
		if rule.allows {
			with, without = without, with
		}
		if len(without) != 0 || len(with) != 1 || with[0].Field != rule.field {
			t.Errorf("%s: %+v, the other way %+v", field.Name, with, without)
		}
		if reflect.ValueOf(k).FieldByName(field.Name).IsZero() {
			t.Errorf("%s is not set", field.Name)
		}
	}
}

// TestFaultsAreBounded: a bulk of nothing but faults has an answer of a bounded length, in the order of its fields.
func TestFaultsAreBounded(t *testing.T) {
	r := right()
	bulk(10_000)(&r)
	for i := range r.CreditTransferTransaction {
		r.CreditTransferTransaction[i].InstructedAmount.Amount = "0"
	}
	faults := paymentrules.Check(sepa(), r, today, "")
	if len(faults) != 50 || faults[0].Field != sum || faults[49].Field != "payment_request.credit_transfer_transaction[49].instructed_amount.amount" {
		t.Errorf("%d faults, the last %+v", len(faults), faults[len(faults)-1])
	}
}

// No text of a fault repeats a number or a name.
func TestFaultsRepeatNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[A-Z0-9ÅÖ\x00*-]{5,40}`).Draw(t, "secret")
		scheme := rapid.SampledFrom([]openbanking.SchemeName{"IBAN", "BBAN", "BGNR", "PGNR", "CPAN"}).Draw(t, "scheme")
		k, r := domestic(), right()
		references(openbanking.ReferenceNumberScheme("").Values()...)(&k)
		all(creditor(scheme, secret), number(secret), party(func(p *openbanking.PartyIdentification) { p.Name = &secret }),
			agent(openbanking.FinancialInstitutionIdentification{BICFI: &secret}), amount("EUR", secret))(&r)
		for _, f := range paymentrules.Check(k, r, today, "") {
			if strings.Contains(f.Problem, secret) {
				t.Fatalf("%q repeats %q", f.Problem, secret)
			}
		}
	})
}

// fill sets everything within a value: texts to text, numbers to n, truths to true, arrays to two elements.
func fill(v reflect.Value, text string, n int) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text, n)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), text, n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), text, n)
		}
	case reflect.String:
		v.SetString(text)
	case reflect.Int:
		v.SetInt(int64(n))
	case reflect.Bool:
		v.SetBool(n%2 == 0)
	default:
		panic(v.Type().String())
	}
}

// FuzzCheck: no text in any field, at no bank whatever, makes Check panic or answer without a bound or beside the point.
func FuzzCheck(f *testing.F) {
	for _, text := range []string{"", "IBAN", "EUR", "12.30", "1e3", "2026-12-01", "9999-12-31", "0000-00-00", "DE89370400440532013000", "RF18539007547034", "12-", "(", "a{99}{99}", "\xff", "\u202e"} {
		f.Add(text, text, "SEPA", "INTL", 0)
		f.Add(text, "a", "BULK_DOMESTIC_SE_GIRO", "NORF", 1)
		f.Add("a", text, "INST_SEPA", "SDDM", -1)
	}
	f.Fuzz(func(t *testing.T, rule, text, kindOf, scheme string, n int) {
		var k kind
		var r request
		fill(reflect.ValueOf(&k).Elem(), rule, n)
		fill(reflect.ValueOf(&r).Elem(), text, n)
		k.PaymentType = openbanking.PaymentType(kindOf)
		k.ReferenceNumberSchemas[0] = openbanking.ReferenceNumberScheme(scheme)
		for _, limit := range []string{"", rule, "100"} {
			faults := paymentrules.Check(k, r, today, limit)
			if len(faults) > 50 {
				t.Fatalf("%d faults", len(faults))
			}
			for _, fault := range faults {
				if !strings.HasPrefix(fault.Field, "payment_request.") || fault.Problem == "" || fault.Code != wrong && fault.Code != over {
					t.Fatalf("%+v", fault)
				}
			}
		}
	})
}

// What a person copies into a form has to be one of the references that the bank lists, so that a mistyped digit is found.
func TestReferenceProblem(t *testing.T) {
	for _, tt := range []struct {
		schemes []openbanking.ReferenceNumberScheme
		number  string
		says    string
	}{
		{nil, "anything", ""},
		{[]openbanking.ReferenceNumberScheme{"FIRF"}, "1232", ""},
		{[]openbanking.ReferenceNumberScheme{"FIRF", "INTL"}, "RF18 5390 0754 7034", ""},
		{[]openbanking.ReferenceNumberScheme{"FIRF"}, "1235", "is not a Finnish reference. The last digit of a Finnish reference is its check digit; for this one it should be 2, not 5."},
		{[]openbanking.ReferenceNumberScheme{"FIRF", "INTL"}, "1235", "is none of the references that the ASPSP takes. FIRF: The last digit"},
		{[]openbanking.ReferenceNumberScheme{"FIRF", "INTL"}, "1235", "INTL: An international reference begins with RF."},
	} {
		if got := paymentrules.ReferenceProblem(tt.schemes, tt.number); !strings.Contains(got, tt.says) || (got == "") != (tt.says == "") {
			t.Errorf("%v, %s: %q", tt.schemes, tt.number, got)
		}
	}
}
