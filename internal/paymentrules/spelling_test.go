package paymentrules_test

import (
	"reflect"
	"testing"

	"florin/internal/openbanking"
	"florin/internal/paymentrules"
)

func TestPhoneNumbersAreNormalized(t *testing.T) {
	for sent, want := range map[string]string{
		"+358 40 123 4567":           "+358 40 123 4567", // fit as it is
		"+358401234567":              "+358401234567",
		"00358 40 123 4567":          "+358401234567",
		"00358401234567":             "+358401234567",
		" +358 40 1234567 ":          "+358401234567",
		"+ 358 40 1234567":           "+358401234567",
		"+358\u00a040\u00a0123 4567": "+358401234567",
		"+49 (0)30 1234567":          "+49301234567",
		"0049 (0) 30 / 1234567":      "+49301234567",
		"+49.30.1234567":             "+49301234567",
		"+49/30/1234567":             "+49301234567",
		"00-49-30-1234567":           "+49301234567",
		"040 1234567":                "040 1234567", // of which country?
		"000401234567":               "000401234567",
		"+49 30":                     "+49 30",
		"0049 30 12345678901234":     "0049 30 12345678901234",
		"+49 30 1234567 x 12":        "+49 30 1234567 x 12",
		"none":                       "none",
		"00":                         "00",
		"":                           "",
	} {
		if got := paymentrules.Phone(sent); got != want {
			t.Errorf("%q becomes %q, want %q", sent, got, want)
		}
		if once := paymentrules.Phone(sent); paymentrules.Phone(once) != once {
			t.Errorf("%q changes twice", sent)
		}
	}
}

func TestAccountNumbersAreNormalized(t *testing.T) {
	for _, test := range []struct {
		scheme     openbanking.SchemeName
		sent, want string
	}{
		{"IBAN", "DE89370400440532013000", "DE89370400440532013000"},
		{"IBAN", "de89 3704 0044 0532 0130 00", "DE89370400440532013000"},
		{"IBAN", " DE89-3704-0044-0532-0130-00\n", "DE89370400440532013000"},
		{"IBAN", "DE88 3704 0044 0532 0130 00", "DE88 3704 0044 0532 0130 00"}, // wrong check digits
		{"IBAN", "D\u041589 3704 0044 0532 0130 00", "D\u041589 3704 0044 0532 0130 00"},
		{"IBAN", "", ""},
		{"BBAN", "370400440532013000", "370400440532013000"},
		{"BBAN", "nwbk 601613-31926819", "NWBK60161331926819"},
		{"BBAN", "3704 0044_0532", "3704 0044_0532"},
		{"BGNR", "5050 - 1055", "5050-1055"},
		{"PGNR", "12 34 56-7", "123456-7"},
		{"CPAN", "4111 1111 1111 1111", "4111111111111111"},
		{"CUST", "a b", "a b"},
	} {
		if got := paymentrules.AccountNumber(openbanking.GenericIdentification{SchemeName: test.scheme, Identification: test.sent}); got != test.want {
			t.Errorf("%s %q becomes %q, want %q", test.scheme, test.sent, got, test.want)
		}
	}
}

// Every number of a payment is normalized, and nothing else is changed.
func TestNormalize(t *testing.T) {
	payment := func(account, bic, phone string) openbanking.PaymentRequestResource {
		party := func() *openbanking.PartyIdentification {
			return &openbanking.PartyIdentification{Name: new("ab c"),
				ContactDetails: &openbanking.ContactDetails{EmailAddress: new("A b@c"), PhoneNumber: &phone},
				PrivateID:      &openbanking.GenericIdentification{SchemeName: "IBAN", Identification: "de89 3704"}}
		}
		agent := func() *openbanking.FinancialInstitutionIdentification {
			return &openbanking.FinancialInstitutionIdentification{BICFI: &bic, Name: new("ab c")}
		}
		one := transfer()
		one.Beneficiary = openbanking.Beneficiary{CreditorAgent: agent(), Creditor: party(),
			CreditorAccount: openbanking.GenericIdentification{SchemeName: "IBAN", Identification: account}}
		one.UltimateDebtor, one.UltimateCreditor, one.RemittanceInformation = party(), party(), []string{"de89 3704"}
		return openbanking.PaymentRequestResource{
			PaymentInformation: openbanking.PaymentInformation{
				Debtor: party(), DebtorAgent: agent(), DebtorAccount: &openbanking.GenericIdentification{SchemeName: "IBAN", Identification: account},
			},
			CreditTransferTransaction: []openbanking.CreditTransferTransaction{one, one},
		}
	}
	got := payment("de89 3704 0044 0532 0130 00", "cobadeff xxx", "0049 30 1234567")
	paymentrules.Normalize(&got)
	if want := payment("DE89370400440532013000", "COBADEFFXXX", "+49301234567"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	empty := right()
	paymentrules.Normalize(&empty)
	if !reflect.DeepEqual(empty, right()) {
		t.Errorf("a payment without them became %+v", empty)
	}
}
