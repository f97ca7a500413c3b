package paymentrules_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/paymentrules"
)

const today openbanking.Date = "2026-11-20"

type (
	kind    = openbanking.ResponsePaymentType
	request = openbanking.PaymentRequestResource
)

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
			Creditor:        &openbanking.PartyIdentification{Name: new("Zoë Müller & Söhne, Σοφία (№ 7)")},
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
	return one(func(t *openbanking.CreditTransferTransaction) { t.RequestedExecutionDate = new(openbanking.Date(text)) })
}

func standing(first, end string) func(*request) {
	return one(func(t *openbanking.CreditTransferTransaction) {
		t.Frequency = new(openbanking.FrequencyCodeMNTH)
		if first != "" {
			t.RequestedExecutionDate = new(openbanking.Date(first))
		}
		if end != "" {
			t.EndDate = new(openbanking.Date(end))
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
	return func(k *kind) { k.ReferenceNumberSupported, k.ReferenceNumberSchemas = new(true), schemes }
}

func dated(k *kind) {
	k.RequestedExecutionDateSupported, k.RequestedExecutionDateMaxPeriod = new(true), new(90)
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
		rule    paymentrules.Rule
	}{
		{nothing, func(r *request) { r.CreditTransferTransaction = nil }, "", "payment_request.credit_transfer_transaction", wrong, paymentrules.NoTransaction{}},
		{func(k *kind) { k.MaxTransactions = new(2) }, bulk(3), "", "payment_request.credit_transfer_transaction", over,
			paymentrules.TooManyTransactions{Count: 3, Most: 2}},

		// Amounts.
		{nothing, amount("EUR", ""), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountEmpty}},
		{nothing, amount("EUR", "0"), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountZero}},
		{nothing, amount("EUR", "0.00"), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountZero}},
		{nothing, amount("EUR", "-1"), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountNegative}},
		{nothing, amount("EUR", "\u22121"), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountNegative}},
		{nothing, amount("EUR", "1e3"), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountExponent}},
		{nothing, amount("EUR", "1E+3"), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountExponent}},
		{nothing, amount("EUR", "1,00"), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountComma}},
		{nothing, amount("EUR", "1,000.00"), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountComma}},
		{nothing, amount("EUR", "NaN"), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountCharacter, Character: 'N'}},
		{nothing, amount("EUR", "Infinity"), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountCharacter, Character: 'I'}},
		{nothing, amount("EUR", "+1"), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountSign}},
		{nothing, amount("EUR", " 1"), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountSpace}},
		{nothing, amount("EUR", "1\u00a0000"), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountSpace}},
		{nothing, amount("EUR", "\uff11"), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountCharacter, Character: '\uff11'}},
		{nothing, amount("EUR", "0x10"), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountCharacter, Character: 'x'}},
		{nothing, amount("EUR", "1_000"), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountCharacter, Character: '_'}},
		{nothing, amount("EUR", "1."), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountDot}},
		{nothing, amount("EUR", ".5"), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountDot}},
		{nothing, amount("EUR", "1.0.0"), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountDot}},
		{nothing, amount("EUR", "01.00"), "", sum, wrong, paymentrules.AmountSyntax{Mistake: paymentrules.AmountLeadingZero}},
		{nothing, amount("EUR", "1.234"), "", sum, wrong, paymentrules.AmountDecimals{Currency: "EUR", Decimals: 3, Most: 2}},
		{nothing, amount("EUR", "1.000"), "", sum, wrong, paymentrules.AmountDecimals{Currency: "EUR", Decimals: 3, Most: 2}},
		{any34, amount("JPY", "1.0"), "", sum, wrong, paymentrules.AmountDecimals{Currency: "JPY", Decimals: 1, Most: 0}},
		{any34, amount("KWD", "1.0001"), "", sum, wrong, paymentrules.AmountDecimals{Currency: "KWD", Decimals: 4, Most: 3}},
		{nothing, amount("EUR", "1234567890123456789"), "", sum, wrong, paymentrules.AmountDigits{Digits: 19, Most: 18}},
		{nothing, amount("EUR", "123456789012345678"), "", sum, wrong, paymentrules.AmountTooLarge{}},
		{nothing, amount("eur", "1.00"), "", code, wrong, paymentrules.CurrencySyntax{}},
		{nothing, amount("", "1.00"), "", code, wrong, paymentrules.CurrencySyntax{}},
		{nothing, amount("EUX", "1.00"), "", code, wrong, paymentrules.UnknownCurrency{}},
		{any34, amount("XXX", "1.00"), "", code, wrong, paymentrules.UnknownCurrency{}},
		{nothing, amount("SEK", "1.00"), "", code, wrong, paymentrules.NotEuro{Type: "SEPA"}},
		{of(openbanking.PaymentTypeInstSEPA), amount("SEK", "1.00"), "", code, wrong, paymentrules.NotEuro{Type: "INST_SEPA"}},
		{func(k *kind) { any34(k); k.Currencies = []string{"SEK", "NOK"} }, amount("EUR", "1.00"), "", code, wrong,
			paymentrules.NotSupported{Values: []string{"SEK", "NOK"}}},
		{nothing, amount("EUR", "1000.01"), "1000", sum, over, paymentrules.OverLimit{Limit: money.FromMinor(100000, "EUR")}},
		{any34, amount("JPY", "1001"), "1000.50", sum, over, paymentrules.OverLimit{Limit: money.FromMinor(1000, "JPY")}},
		{nothing, amount("EUR", "0.01"), "unreadable", sum, over, paymentrules.OverLimit{Limit: money.FromMinor(0, "EUR")}},
		{nothing, bulk(3), "30", "payment_request.credit_transfer_transaction", over, paymentrules.OverLimit{Limit: money.FromMinor(3000, "EUR")}},
		{nothing, func(r *request) {
			bulk(100)(r)
			for i := range r.CreditTransferTransaction {
				r.CreditTransferTransaction[i].InstructedAmount.Amount = "9999999999999999.99"
			}
		}, "", "payment_request.credit_transfer_transaction", over, paymentrules.TotalTooLarge{}},

		// Accounts.
		{nothing, creditor("IBAN", "DE8937040044053201300"), "", to, wrong, paymentrules.WrongIBAN{Problem: &iban.Problem{Kind: iban.WrongLength}}},
		{nothing, creditor("IBAN", "DE88370400440532013000"), "", to, wrong, paymentrules.WrongIBAN{Problem: &iban.Problem{Kind: iban.WrongCheckDigits}}},
		{nothing, creditor("IBAN", "D\u041589370400440532013000"), "", to, wrong, paymentrules.WrongIBAN{Problem: &iban.Problem{Kind: iban.IllegalCharacter}}},
		{nothing, creditor("IBAN", "DE89\u200b370400440532013000"), "", to, wrong, paymentrules.WrongIBAN{Problem: &iban.Problem{Kind: iban.IllegalCharacter}}},
		{nothing, creditor("IBAN", "DE89 3704 0044 0532 0130 00"), "", to, wrong, paymentrules.IBANSpelling{}},
		{nothing, creditor("IBAN", "de89370400440532013000"), "", to, wrong, paymentrules.IBANSpelling{}},
		{nothing, creditor("IBAN", "XX89370400440532013000"), "", to, wrong, paymentrules.WrongIBAN{Problem: &iban.Problem{Kind: iban.UnknownCountry}}},
		{nothing, creditor("IBAN", ""), "", to, wrong, paymentrules.WrongIBAN{Problem: &iban.Problem{Kind: iban.Empty}}},
		{nothing, creditor("IBAN", "BR1800360305000010009795493C1"), "", to, wrong, paymentrules.OutsideSEPA{Country: "BR", Type: "SEPA"}},
		{nothing, creditor("BBAN", "370400440532013000"), "", tx + ".beneficiary.creditor_account.scheme_name", wrong,
			paymentrules.NotSupported{Values: []string{"IBAN"}}},
		{any34, creditor("MIBN", "DE89**********3000"), "", tx + ".beneficiary.creditor_account.scheme_name", wrong,
			paymentrules.NotSupported{Values: []string{"IBAN", "BBAN", "BGNR", "PGNR", "CPAN"}}},
		{of(openbanking.PaymentTypeDomesticSEGiro), nil, "", tx + ".beneficiary.creditor_account.scheme_name", wrong,
			paymentrules.NotSupported{Values: []string{"BGNR", "PGNR"}}},
		{any34, creditor("BBAN", ""), "", to, wrong, paymentrules.NationalNumberLength{Length: 0}},
		{any34, creditor("BBAN", strings.Repeat("1", 31)), "", to, wrong, paymentrules.NationalNumberLength{Length: 31}},
		{any34, creditor("BBAN", "1234-567"), "", to, wrong, paymentrules.NationalNumberCharacter{Character: '-'}},
		{any34, creditor("BGNR", "123456"), "", to, wrong, paymentrules.NumberLength{Scheme: "BGNR", Length: 6, Least: 7, Most: 8}},
		{any34, creditor("BGNR", "5050-1056"), "", to, wrong, paymentrules.NumberCheckDigit{Scheme: "BGNR", Digit: "6", Right: "5"}},
		{any34, creditor("BGNR", "505-01055"), "", to, wrong, paymentrules.NumberCharacter{Scheme: "BGNR", Character: '-'}},
		{any34, creditor("PGNR", "1"), "", to, wrong, paymentrules.NumberLength{Scheme: "PGNR", Length: 1, Least: 2, Most: 8}},
		{any34, creditor("PGNR", "28-6"), "", to, wrong, paymentrules.NumberCheckDigit{Scheme: "PGNR", Digit: "6", Right: "1"}},
		{any34, creditor("CPAN", "4111111111111112"), "", to, wrong, paymentrules.NumberCheckDigit{Scheme: "CPAN", Digit: "2", Right: "1"}},
		{any34, creditor("CPAN", "**** 1111"), "", to, wrong, paymentrules.NumberCharacter{Scheme: "CPAN", Character: '*'}},
		{nothing, func(r *request) {
			r.DebtorAccount = &openbanking.GenericIdentification{SchemeName: "IBAN", Identification: "FI2112345600000786"}
		}, "", "payment_request.debtor_account.identification", wrong, paymentrules.WrongIBAN{Problem: &iban.Problem{Kind: iban.WrongCheckDigits}}},
		{nothing, one(func(t *openbanking.CreditTransferTransaction) { t.Beneficiary.CreditorAccount.Issuer = new("") }), "",
			tx + ".beneficiary.creditor_account.issuer", wrong, paymentrules.Empty{}},

		// Names and texts.
		{nothing, party(func(p *openbanking.PartyIdentification) { p.Name = new("  ") }), "", name, wrong, paymentrules.Empty{}},
		{nothing, party(func(p *openbanking.PartyIdentification) { p.Name = new("\u3164") }), "", name, wrong,
			paymentrules.NotPrintable{Position: 1, Character: '\u3164'}},
		{nothing, party(func(p *openbanking.PartyIdentification) { p.Name = new("AC\u034fME") }), "", name, wrong,
			paymentrules.NotPrintable{Position: 3, Character: '\u034f'}},
		{nothing, party(func(p *openbanking.PartyIdentification) { p.Name = new("ACME\ufe0f") }), "", name, wrong,
			paymentrules.NotPrintable{Position: 5, Character: '\ufe0f'}},
		{nothing, party(func(p *openbanking.PartyIdentification) { p.Name = new(strings.Repeat("å", 71)) }), "", name, wrong,
			paymentrules.TooLong{Length: 71, Most: 70}},
		{any34, party(func(p *openbanking.PartyIdentification) { p.Name = new(strings.Repeat("å", 141)) }), "", name, wrong,
			paymentrules.TooLong{Length: 141, Most: 140}},
		{nothing, party(func(p *openbanking.PartyIdentification) { p.Name = new("Anna\u202eMaria") }), "", name, wrong,
			paymentrules.NotPrintable{Position: 5, Character: '\u202e'}},
		{nothing, party(func(p *openbanking.PartyIdentification) { p.Name = new("Anna\nMaria") }), "", name, wrong,
			paymentrules.NotPrintable{Position: 5, Character: '\u000a'}},
		{nothing, party(func(p *openbanking.PartyIdentification) { p.Name = new("Anna 🙂") }), "", name, wrong,
			paymentrules.NotPrintable{Position: 6, Character: '\U0001f642'}},
		{nothing, party(func(p *openbanking.PartyIdentification) { p.Name = new("Anna\xff") }), "", name, wrong,
			paymentrules.NotPrintable{Position: 5, Character: '\ufffd'}},
		{nothing, lines("a\x00b"), "", text + "[0]", wrong, paymentrules.NotPrintable{Position: 2, Character: '\u0000'}},
		{nothing, lines(strings.Repeat("x", 141)), "", text + "[0]", wrong, paymentrules.TooLong{Length: 141, Most: 140}},
		{nothing, lines(strings.Repeat("x", 71), strings.Repeat("x", 70)), "", text, wrong, paymentrules.TooLongTogether{Length: 141, Most: 140}},
		{any34, lines("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"), "", text, wrong, paymentrules.TooManyLines{Count: 11, Most: 10}},
		{nothing, func(r *request) { r.PaymentInformationID = new(strings.Repeat("x", 36)) }, "", "payment_request.payment_information_id", wrong,
			paymentrules.TooLong{Length: 36, Most: 35}},
		{nothing, one(func(t *openbanking.CreditTransferTransaction) {
			t.PaymentID = &openbanking.PaymentIdentification{EndToEndID: new(strings.Repeat("x", 36))}
		}), "", tx + ".payment_id.end_to_end_id", wrong, paymentrules.TooLong{Length: 36, Most: 35}},
		{nothing, one(func(t *openbanking.CreditTransferTransaction) {
			t.PaymentID = &openbanking.PaymentIdentification{InstructionID: new("")}
		}), "", tx + ".payment_id.instruction_id", wrong, paymentrules.Empty{}},
		{nothing, func(r *request) {
			r.PaymentTypeInformation = &openbanking.PaymentTypeInformation{LocalInstrument: new("\t")}
		}, "", "payment_request.payment_type_information.local_instrument", wrong, paymentrules.Empty{}},
		{nothing, one(func(t *openbanking.CreditTransferTransaction) {
			t.UltimateDebtor = &openbanking.PartyIdentification{Name: new("\u200b")}
		}), "", tx + ".ultimate_debtor.name", wrong, paymentrules.NotPrintable{Position: 1, Character: '\u200b'}},
		{nothing, one(func(t *openbanking.CreditTransferTransaction) {
			t.UltimateCreditor = &openbanking.PartyIdentification{PrivateID: &openbanking.GenericIdentification{SchemeName: "NIDN"}}
		}), "", tx + ".ultimate_creditor.private_id.identification", wrong, paymentrules.Empty{}},
		{nothing, func(r *request) {
			r.Debtor = &openbanking.PartyIdentification{OrganisationID: &openbanking.GenericIdentification{SchemeName: "COID", Identification: strings.Repeat("1", 36)}}
		}, "", "payment_request.debtor.organisation_id.identification", wrong, paymentrules.TooLong{Length: 36, Most: 35}},
		{nothing, func(r *request) { r.DebtorCurrency = new("euro") }, "", "payment_request.debtor_currency", wrong, paymentrules.CurrencySyntax{}},
		{nothing, one(func(t *openbanking.CreditTransferTransaction) { t.Beneficiary.CreditorCurrency = new("ZZZ") }), "",
			tx + ".beneficiary.creditor_currency", wrong, paymentrules.UnknownCurrency{}},

		// Addresses and contacts.
		{nothing, party(func(p *openbanking.PartyIdentification) {
			p.PostalAddress = &openbanking.PostalAddress{Country: new("fi")}
		}), "", tx + ".beneficiary.creditor.postal_address.country", wrong, paymentrules.WrongCountry{}},
		{nothing, party(func(p *openbanking.PartyIdentification) {
			p.PostalAddress = &openbanking.PostalAddress{Country: new("ZZ")}
		}), "", tx + ".beneficiary.creditor.postal_address.country", wrong, paymentrules.WrongCountry{}},
		{nothing, party(func(p *openbanking.PartyIdentification) {
			p.PostalAddress = &openbanking.PostalAddress{TownName: new("")}
		}), "", tx + ".beneficiary.creditor.postal_address.town_name", wrong, paymentrules.Empty{}},
		{nothing, party(func(p *openbanking.PartyIdentification) {
			p.PostalAddress = &openbanking.PostalAddress{AddressLine: make([]string, 8)}
		}), "", tx + ".beneficiary.creditor.postal_address.address_line", wrong, paymentrules.TooManyLines{Count: 8, Most: 7}},
		{nothing, party(func(p *openbanking.PartyIdentification) {
			p.PostalAddress = &openbanking.PostalAddress{AddressLine: []string{"Main street 1", "\x07"}}
		}), "", tx + ".beneficiary.creditor.postal_address.address_line[1]", wrong, paymentrules.NotPrintable{Position: 1, Character: '\u0007'}},
		{func(k *kind) { k.CreditorPostalAddressRequired = new(true) }, party(func(p *openbanking.PartyIdentification) {
			p.PostalAddress = &openbanking.PostalAddress{Country: new("FI")}
		}), "", tx + ".beneficiary.creditor.postal_address", wrong, paymentrules.EmptyAddress{}},
		{nothing, func(r *request) {
			r.Debtor = &openbanking.PartyIdentification{ContactDetails: &openbanking.ContactDetails{EmailAddress: new("Anna <anna@example.com>")}}
		}, "", "payment_request.debtor.contact_details.email_address", wrong, paymentrules.WrongEmail{}},
		{nothing, func(r *request) {
			r.Debtor = &openbanking.PartyIdentification{ContactDetails: &openbanking.ContactDetails{EmailAddress: new("anna@localhost")}}
		}, "", "payment_request.debtor.contact_details.email_address", wrong, paymentrules.WrongEmail{}},
		{nothing, func(r *request) {
			r.Debtor = &openbanking.PartyIdentification{ContactDetails: &openbanking.ContactDetails{PhoneNumber: new("040 1234567")}}
		}, "", "payment_request.debtor.contact_details.phone_number", wrong, paymentrules.WrongPhone{}},
		{nothing, func(r *request) {
			r.Debtor = &openbanking.PartyIdentification{ContactDetails: &openbanking.ContactDetails{PhoneNumber: new("+358 40")}}
		}, "", "payment_request.debtor.contact_details.phone_number", wrong, paymentrules.WrongPhone{}},

		// Banks.
		{nothing, agent(openbanking.FinancialInstitutionIdentification{BICFI: new("DEUTDEF")}), "", bic, wrong,
			paymentrules.WrongBIC{Problem: &iban.Problem{Kind: iban.WrongLength}}},
		{nothing, agent(openbanking.FinancialInstitutionIdentification{BICFI: new("deutdeff")}), "", bic, wrong, paymentrules.BICSpelling{}},
		{nothing, func(r *request) {
			r.DebtorAgent = &openbanking.FinancialInstitutionIdentification{BICFI: new("DEUTZZFF")}
		}, "", "payment_request.debtor_agent.bic_fi", wrong, paymentrules.WrongBIC{Problem: &iban.Problem{Kind: iban.UnknownCountry}}},
		{nothing, agent(openbanking.FinancialInstitutionIdentification{Name: new("")}), "", tx + ".beneficiary.creditor_agent.name", wrong, paymentrules.Empty{}},
		{func(k *kind) { k.CreditorAgentClearingSystemMemberIDRequired = new(true) },
			agent(openbanking.FinancialInstitutionIdentification{
				ClearingSystemMemberID: &openbanking.ClearingSystemMemberIdentification{ClearingSystemID: new("USABA")}}), "", member + ".member_id", wrong, paymentrules.Missing{}},
		{nothing, agent(openbanking.FinancialInstitutionIdentification{
			ClearingSystemMemberID: &openbanking.ClearingSystemMemberIdentification{ClearingSystemID: new("")}}), "", member + ".clearing_system_id", wrong, paymentrules.Empty{}},

		// Codes.
		{nothing, func(r *request) { r.ChargeBearer = new(openbanking.ChargeBearerCodeSHAR) }, "", "payment_request.charge_bearer", wrong,
			paymentrules.NotSupported{Values: []string{"SLEV"}}},
		{func(k *kind) { k.PriorityCodes = []openbanking.PriorityCode{} }, func(r *request) {
			r.PaymentTypeInformation = &openbanking.PaymentTypeInformation{InstructionPriority: new(openbanking.PriorityCodeHIGH)}
		}, "", "payment_request.payment_type_information.instruction_priority", wrong, paymentrules.NotSupported{}},

		// Dates and standing orders.
		{nothing, date("2026-11-21"), "", on, wrong, paymentrules.NotSupported{}},
		{dated, date("2026-11-19"), "", on, wrong, paymentrules.PastDate{Today: "2026-11-20"}},
		{dated, date("0001-01-01"), "", on, wrong, paymentrules.PastDate{Today: "2026-11-20"}},
		{dated, date("2027-02-19"), "", on, wrong, paymentrules.FarDate{Days: 91, Most: 90, Last: "2027-02-18"}},
		{dated, date("9999-12-31"), "", on, wrong, paymentrules.FarDate{Days: 106751, Most: 90, Last: "2027-02-18"}},
		{dated, date("2026-02-30"), "", on, wrong, paymentrules.WrongDate{}},
		{func(k *kind) { dated(k); k.PaymentType = openbanking.PaymentTypeInstSEPA }, date("2026-11-20"), "", on, wrong, paymentrules.InstantDate{}},
		{of(openbanking.PaymentTypeInstSEPA), standing("", ""), "", tx + ".frequency", wrong, paymentrules.InstantRepeated{}},
		{of(openbanking.PaymentTypeBulkSEPA), standing("", ""), "", tx + ".frequency", wrong, paymentrules.BulkRepeated{}},
		{dated, standing("2026-12-01", "2026-11-30"), "", tx + ".end_date", wrong, paymentrules.EndBeforeFirst{First: "2026-12-01"}},
		{dated, standing("", "2026-11-19"), "", tx + ".end_date", wrong, paymentrules.EndBeforeFirst{First: "2026-11-20"}},
		{dated, standing("", "soon"), "", tx + ".end_date", wrong, paymentrules.WrongDate{}},
		{nothing, one(func(t *openbanking.CreditTransferTransaction) { t.EndDate = new(openbanking.Date("2027-01-01")) }), "", tx + ".end_date", wrong,
			paymentrules.StandingOrderOnly{}},
		{nothing, one(func(t *openbanking.CreditTransferTransaction) { t.ExecutionRule = new(openbanking.ExecutionRuleFWNG) }), "", tx + ".execution_rule",
			wrong, paymentrules.StandingOrderOnly{}},
		{func(k *kind) { dated(k); k.PaymentType = openbanking.PaymentTypeBulkSEPA }, all(bulk(2), dates("2026-11-23", "2026-11-19")), "",
			"payment_request.credit_transfer_transaction[1].requested_execution_date", wrong, paymentrules.PastDate{Today: "2026-11-20"}},
		{func(k *kind) {
			dated(k)
			k.PaymentType, k.RequestedExecutionDateMaxPeriod = openbanking.PaymentTypeBulkSEPA, new(5)
		}, all(bulk(2), dates("", "2026-12-23")), "", "payment_request.credit_transfer_transaction[1].requested_execution_date", wrong,
			paymentrules.FarDate{Days: 33, Most: 5, Last: "2026-11-25"}},
		{of(openbanking.PaymentTypeBulkSEPA), all(bulk(2), dates("", "2026-11-23")), "",
			"payment_request.credit_transfer_transaction[1].requested_execution_date", wrong, paymentrules.NotSupported{}},

		// References and texts.
		{nothing, number("RF18539007547034"), "", ref, wrong, paymentrules.ReferenceNotSupported{}},
		{references(), number(""), "", ref, wrong, paymentrules.Empty{}},
		{references(), number(strings.Repeat("1", 36)), "", ref, wrong, paymentrules.TooLong{Length: 36, Most: 35}},
		{references("FIRF"), number("RF18539007547034"), "", ref, wrong,
			paymentrules.OtherReference{Scheme: "INTL", Taken: []openbanking.ReferenceNumberScheme{"FIRF"}}},
		{references("FIRF", "INTL"), number("rf19 5390 0754 7034"), "", ref, wrong,
			paymentrules.WrongReference{Problems: []paymentrules.ReferenceProblem{{Scheme: "INTL"}}}},
		{references("BERF"), number("+++090/9337/55494+++"), "", ref, wrong,
			paymentrules.WrongReference{Problems: []paymentrules.ReferenceProblem{{Scheme: "BERF"}}}},
		{references("INTL"), number("12\x003"), "", ref, wrong, paymentrules.NotPrintable{Position: 3, Character: '\u0000'}},
		{references("INTL"), number(strings.Repeat("1", 36)), "", ref, wrong, paymentrules.TooLong{Length: 36, Most: 35}},
		{func(k *kind) { k.RemittanceInformationRequired = new(true) }, lines(" "), "", text, wrong, paymentrules.Missing{}},
		{func(k *kind) { k.RemittanceInformationRequired = new(true) }, lines(), "", text, wrong, paymentrules.Missing{}},
		{references("FIRF"), all(number("1232"), lines("Rent")), "", text, wrong, paymentrules.NotWithReference{}},
		{func(k *kind) {
			references("FIRF")(k)
			k.RemittanceReferenceSupported, k.RemittanceInformationRequired = new(true), new(true)
		}, number("1232"), "", text, wrong, paymentrules.Missing{}},
		{lined("", 0, 0, 2), lines("one"), "", text, wrong, paymentrules.WrongLines{Count: 1, Exactly: 2}},
		{lined("", 0, 0, 2), lines("one", "two", "three"), "", text, wrong, paymentrules.WrongLines{Count: 3, Exactly: 2}},
		{lined("", 3, 5, 1), lines("åå"), "", text + "[0]", wrong, paymentrules.TooShortForBank{Length: 2, Least: 3}},
		{lined("", 3, 5, 1), lines("åååååå"), "", text + "[0]", wrong, paymentrules.TooLongForBank{Length: 6, Most: 5}},
		{lined(`^\d+$`, 0, 0, 1), lines("12a"), "", text + "[0]", wrong, paymentrules.WrongPattern{Pattern: "^\\d+$"}},
		{lined(`\d`, 0, 0, 2), lines("a1", "\u00ad"), "", text + "[1]", wrong, paymentrules.NotPrintable{Position: 1, Character: '\u00ad'}},

		// Reports to the authorities.
		{func(k *kind) { k.RegulatoryReportingCodeRequired = new(true) },
			report(openbanking.RegulatoryReporting{Details: openbanking.RegulatoryReportingDetails{Information: "Goods"}}), "",
			tx + ".regulatory_reporting[0].details.code", wrong, paymentrules.Missing{}},
		{nothing, report(openbanking.RegulatoryReporting{Details: openbanking.RegulatoryReportingDetails{}}), "",
			tx + ".regulatory_reporting[0].details.information", wrong, paymentrules.Empty{}},
		{nothing, report(openbanking.RegulatoryReporting{Details: openbanking.RegulatoryReportingDetails{Information: "Goods", Code: new("12345678901")}}), "",
			tx + ".regulatory_reporting[0].details.code", wrong, paymentrules.TooLong{Length: 11, Most: 10}},
		{nothing, report(openbanking.RegulatoryReporting{Details: openbanking.RegulatoryReportingDetails{Information: "Goods",
			Amount: &openbanking.AmountType{Currency: "EUR", Amount: "1,5"}}}), "", tx + ".regulatory_reporting[0].details.amount.amount", wrong,
			paymentrules.AmountSyntax{Mistake: paymentrules.AmountComma}},
		{nothing, report(openbanking.RegulatoryReporting{Authority: &openbanking.RegulatoryAuthority{Country: "Sweden", Name: "Skatteverket"},
			Details: openbanking.RegulatoryReportingDetails{Information: "Goods"}}), "", tx + ".regulatory_reporting[0].authority.country", wrong,
			paymentrules.WrongCountry{}},
		{nothing, report(openbanking.RegulatoryReporting{Authority: &openbanking.RegulatoryAuthority{Country: "SE"},
			Details: openbanking.RegulatoryReportingDetails{Information: "Goods"}}), "", tx + ".regulatory_reporting[0].authority.name", wrong, paymentrules.Empty{}},
		{nothing, one(func(t *openbanking.CreditTransferTransaction) {
			t.RegulatoryReporting = make([]openbanking.RegulatoryReporting, 11)
		}), "", tx + ".regulatory_reporting", wrong, paymentrules.TooManyReports{Count: 11, Most: 10}},
	}
	for _, tt := range tests {
		k, r := sepa(), right()
		tt.kind(&k)
		if tt.request != nil {
			tt.request(&r)
		}
		faults := paymentrules.Check(k, r, today, tt.limit)
		if len(faults) != 1 {
			t.Errorf("%s, %#v: %d faults %+v", tt.field, tt.rule, len(faults), faults)
			continue
		}
		if f := faults[0]; f.Field.String() != tt.field || f.Rule.Code() != tt.code || !reflect.DeepEqual(coarse(f.Rule), tt.rule) {
			t.Errorf("%s: %s %#v\nwant %s: %s %#v", f.Rule.Code(), f.Field, f.Rule, tt.code, tt.field, tt.rule)
		}
	}
}

// coarse leaves out what the packages of the numbers themselves test: why exactly a number is wrong.
func coarse(rule paymentrules.Rule) paymentrules.Rule {
	switch r := rule.(type) {
	case paymentrules.WrongIBAN:
		return paymentrules.WrongIBAN{Problem: &iban.Problem{Kind: r.Problem.Kind}}
	case paymentrules.WrongBIC:
		return paymentrules.WrongBIC{Problem: &iban.Problem{Kind: r.Problem.Kind}}
	case paymentrules.WrongReference:
		var problems []paymentrules.ReferenceProblem
		for _, p := range r.Problems {
			problems = append(problems, paymentrules.ReferenceProblem{Scheme: p.Scheme})
		}
		return paymentrules.WrongReference{Problems: problems}
	}
	return rule
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
		{"twice the same", func(k *kind) { k.MaxTransactions = new(2) }, bulk(2), ""},
		{"Bankgiro", of(openbanking.PaymentTypeDomesticSEGiro), all(amount("SEK", "1"), creditor("BGNR", "5050-1055")), ""},
		{"Bankgiro of digits", of(openbanking.PaymentTypeBulkDomesticSEGiro), all(amount("SEK", "1"), creditor("BGNR", "9912346")), ""},
		{"Plusgiro", of(openbanking.PaymentTypeDomesticSEGiro), all(amount("SEK", "1"), creditor("PGNR", "286543-4")), ""},
		{"card", any34, creditor("CPAN", "4111111111111111"), ""},
		{"national number", any34, creditor("BBAN", "86011117947"), ""},
		{"a scheme that the bank alone knows", func(k *kind) { any34(k); k.CreditorAccountSchemas = []openbanking.SchemeName{"OTHI"} },
			creditor("OTHI", "wallet:7"), ""},
		{"today", dated, date("2026-11-20"), ""},
		{"the last day", dated, date("2027-02-18"), ""},
		{"no last day", func(k *kind) { k.RequestedExecutionDateSupported = new(true) }, date("2999-01-01"), ""},
		{"one date for a bulk", func(k *kind) { dated(k); k.PaymentType = openbanking.PaymentTypeBulkSEPA }, func(r *request) {
			bulk(2)(r)
			for i := range r.CreditTransferTransaction {
				r.CreditTransferTransaction[i].RequestedExecutionDate = new(openbanking.Date("2026-11-23"))
			}
		}, ""},
		{"standing order", dated, all(standing("2026-12-01", "2026-12-01"),
			one(func(t *openbanking.CreditTransferTransaction) { t.ExecutionRule = new(openbanking.ExecutionRulePREC) })), ""},
		{"standing order from today, endless", nothing, standing("", ""), ""},
		{"a bulk with a date at each instruction", func(k *kind) { dated(k); k.PaymentType = openbanking.PaymentTypeBulkSEPA },
			all(bulk(3), dates("2026-11-23", "", "2026-11-24")), ""},
		{"a reference of the sender's own", references("INTL", "FIRF"), number("123"), ""},
		{"a reference of the sender's own in words", references("INTL"), number("Order 2026/17"), ""},
		{"RF that names no scheme", references("FIRF"), number("RFID 7"), ""},
		{"a Finnish reference with another check digit", references("FIRF"), number("1235"), ""},
		{"one of two kinds of references", references("FIRF", "INTL"), number("RF18 5390 0754 7034"), ""},
		{"a reference in place of the text", func(k *kind) { references("FIRF")(k); k.RemittanceInformationRequired = new(true) }, number("1232"), ""},
		{"both together", func(k *kind) { references("FIRF")(k); k.RemittanceReferenceSupported = new(true) }, all(number("1232"), lines("Rent")), ""},
		{"lines at their bounds", lined("", 2, 4, 2), lines("åå", "åååå"), ""},
		{"no lines where none are needed", lined("", 2, 4, 2), lines(), ""},
		{"an unreadable pattern is the bank's business", lined(`(?<=a)b`, 0, 0, 1), lines("c"), ""},
		{"a pattern matches somewhere", lined(`\d{2}`, 0, 0, 1), lines("No. 42"), ""},
		{"a BIC", nothing, agent(openbanking.FinancialInstitutionIdentification{BICFI: new("DEUTDEFF500"), Name: new("Deutsche Bank")}), ""},
		{"contacts", nothing, func(r *request) {
			r.Debtor = &openbanking.PartyIdentification{ContactDetails: &openbanking.ContactDetails{EmailAddress: new("anna.o'neil+pay@mail.example.com"),
				PhoneNumber: new("+358 (40) 123-4567")}}
		}, ""},
		{"a report", func(k *kind) {
			k.RegulatoryReportingCodeRequired = new(true)
			k.RegulatoryReportingCodes = []openbanking.RegulatoryReportingCode{{Value: "101"}}
		}, report(openbanking.RegulatoryReporting{Authority: &openbanking.RegulatoryAuthority{Country: "SE", Name: "Skatteverket"},
			Details: openbanking.RegulatoryReportingDetails{Code: new("101"), Information: "Goods",
				Amount: &openbanking.AmountType{Currency: "USD", Amount: "5"}}}), ""},
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
		"MaxTransactions":       {set: func(k *kind) { k.MaxTransactions = new(1) }, request: bulk(2), field: "payment_request.credit_transfer_transaction"},
		"Currencies":            {set: func(k *kind) { k.Currencies = []string{"SEK"} }, field: code},
		"DebtorAccountRequired": {set: func(k *kind) { k.DebtorAccountRequired = new(true) }, field: "payment_request.debtor_account"},
		"DebtorAccountSchemas": {set: func(k *kind) { k.DebtorAccountSchemas = []openbanking.SchemeName{"IBAN"} }, request: func(r *request) {
			r.DebtorAccount = &openbanking.GenericIdentification{SchemeName: "BBAN", Identification: "1"}
		}, field: "payment_request.debtor_account.scheme_name"},
		"CreditorAccountSchemas": {set: func(k *kind) { k.CreditorAccountSchemas = []openbanking.SchemeName{"BBAN"} },
			field: tx + ".beneficiary.creditor_account.scheme_name"},
		"PriorityCodes": {set: func(k *kind) { k.PriorityCodes = []openbanking.PriorityCode{"NORM"} }, request: func(r *request) {
			r.PaymentTypeInformation = &openbanking.PaymentTypeInformation{InstructionPriority: new(openbanking.PriorityCodeHIGH)}
		}, field: "payment_request.payment_type_information.instruction_priority"},
		"ChargeBearerValues": {set: func(k *kind) { k.ChargeBearerValues = []openbanking.ChargeBearerCode{"SLEV"} },
			request: func(r *request) { r.ChargeBearer = new(openbanking.ChargeBearerCodeSHAR) }, field: "payment_request.charge_bearer"},
		"CreditorCountryRequired": {set: func(k *kind) { k.CreditorCountryRequired = new(true) },
			field: tx + ".beneficiary.creditor.postal_address.country"},
		"CreditorNameRequired": {set: func(k *kind) { k.CreditorNameRequired = new(true) },
			request: one(func(t *openbanking.CreditTransferTransaction) { t.Beneficiary.Creditor = nil }), field: name},
		"CreditorPostalAddressRequired": {set: func(k *kind) { k.CreditorPostalAddressRequired = new(true) },
			field: tx + ".beneficiary.creditor.postal_address"},
		"RemittanceInformationRequired": {set: func(k *kind) { k.RemittanceInformationRequired = new(true) }, field: text},
		"RemittanceInformationLines":    {set: lined("", 5, 0, 1), request: lines("Rent"), field: text + "[0]"},
		"DebtorCurrencyRequired":        {set: func(k *kind) { k.DebtorCurrencyRequired = new(true) }, field: "payment_request.debtor_currency"},
		"DebtorContactEmailRequired": {set: func(k *kind) { k.DebtorContactEmailRequired = new(true) },
			field: "payment_request.debtor.contact_details.email_address"},
		"DebtorContactPhoneRequired": {set: func(k *kind) { k.DebtorContactPhoneRequired = new(true) },
			field: "payment_request.debtor.contact_details.phone_number"},
		"CreditorAgentBICFIRequired":                  {set: func(k *kind) { k.CreditorAgentBICFIRequired = new(true) }, field: bic},
		"CreditorAgentClearingSystemMemberIDRequired": {set: func(k *kind) { k.CreditorAgentClearingSystemMemberIDRequired = new(true) }, field: member},
		"RegulatoryReportingCodes": {set: func(k *kind) { k.RegulatoryReportingCodes = []openbanking.RegulatoryReportingCode{{Value: "101"}} },
			request: report(openbanking.RegulatoryReporting{Details: openbanking.RegulatoryReportingDetails{Code: new("102"), Information: "Goods"}}),
			field:   tx + ".regulatory_reporting[0].details.code"},
		"RegulatoryReportingCodeRequired": {set: func(k *kind) { k.RegulatoryReportingCodeRequired = new(true) }, field: tx + ".regulatory_reporting"},
		"ReferenceNumberSupported": {set: func(k *kind) { k.ReferenceNumberSupported = new(true) }, request: number("1"), field: ref,
			allows: true},
		"ReferenceNumberSchemas": {set: func(k *kind) { k.ReferenceNumberSchemas = []openbanking.ReferenceNumberScheme{"NORF"} },
			beside: references(), request: number("RF18539007547034"), field: ref},
		"RequestedExecutionDateSupported": {set: func(k *kind) { k.RequestedExecutionDateSupported = new(true) }, request: date("2026-11-21"),
			field: on, allows: true},
		"RequestedExecutionDateMaxPeriod": {set: func(k *kind) { k.RequestedExecutionDateMaxPeriod = new(1) },
			beside: func(k *kind) { k.RequestedExecutionDateSupported = new(true) }, request: date("2026-11-22"), field: on},
		"RemittanceReferenceSupported": {set: func(k *kind) { k.RemittanceReferenceSupported = new(true) }, beside: references(),
			request: all(number("1"), lines("Rent")), field: text, allows: true},
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
		if len(without) != 0 || len(with) != 1 || with[0].Field.String() != rule.field {
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
	if len(faults) != 50 || faults[0].Field.String() != sum ||
		faults[49].Field.String() != "payment_request.credit_transfer_transaction[49].instructed_amount.amount" {
		t.Errorf("%d faults, the last %+v", len(faults), faults[len(faults)-1])
	}
}

// A fault repeats neither a number nor a name.
func TestFaultsRepeatNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[A-Z0-9ÅÖ\x00*-]{5,40}`).Draw(t, "secret")
		scheme := rapid.SampledFrom([]openbanking.SchemeName{"IBAN", "BBAN", "BGNR", "PGNR", "CPAN"}).Draw(t, "scheme")
		k, r := domestic(), right()
		references(openbanking.ReferenceNumberScheme("").Values()...)(&k)
		all(creditor(scheme, secret), number(secret), party(func(p *openbanking.PartyIdentification) { p.Name = &secret }),
			agent(openbanking.FinancialInstitutionIdentification{BICFI: &secret}), amount("EUR", secret))(&r)
		for _, f := range paymentrules.Check(k, r, today, "") {
			if told := fmt.Sprintf("%v %+v", f.Field, f.Rule); strings.Contains(told, secret) {
				t.Fatalf("%q repeats %q", told, secret)
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
	for _, text := range []string{"", "IBAN", "EUR", "12.30", "1e3", "2026-12-01", "9999-12-31", "0000-00-00", "DE89370400440532013000", "RF18539007547034",
		"12-", "(", "a{99}{99}", "\xff", "\u202e"} {
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
				if code := fault.Rule.Code(); !strings.HasPrefix(fault.Field.String(), "payment_request.") || code != wrong && code != over {
					t.Fatalf("%+v", fault)
				}
			}
		}
	})
}

// What a person copies into a form has to be one of the references that the bank lists, so that a mistyped digit is found.
func TestCheckReference(t *testing.T) {
	type schemes = []openbanking.ReferenceNumberScheme
	for _, tt := range []struct {
		taken  schemes
		number string
		wrong  schemes
	}{
		{nil, "anything", nil},
		{schemes{"FIRF"}, "1232", nil},
		{schemes{"FIRF", "INTL"}, "RF18 5390 0754 7034", nil},
		{schemes{"FIRF"}, "1235", schemes{"FIRF"}},
		{schemes{"FIRF", "INTL"}, "1235", schemes{"FIRF", "INTL"}},
	} {
		var wrong schemes
		if rule, broken := paymentrules.CheckReference(tt.taken, tt.number).(paymentrules.WrongReference); broken {
			for _, p := range rule.Problems {
				if wrong = append(wrong, p.Scheme); p.Err == nil {
					t.Errorf("%v, %s: no reason for %s", tt.taken, tt.number, p.Scheme)
				}
			}
		}
		if !slices.Equal(wrong, tt.wrong) {
			t.Errorf("%v, %s: %v, want %v", tt.taken, tt.number, wrong, tt.wrong)
		}
	}
}
