package paymentrules

import (
	"regexp"
	"strings"
	"unicode"

	"florin/internal/iban"
	"florin/internal/openbanking"
)

// Normalize writes the numbers of a payment as machines do, where it is clear what is meant: account numbers and BICs without
// spaces and in capitals, phone numbers with + and digits. What Check accepts, and what makes no sense, stays as it is.
func Normalize(r *openbanking.PaymentRequestResource) {
	normalizeParty(r.Debtor)
	normalizeAgent(r.DebtorAgent)
	if r.DebtorAccount != nil {
		r.DebtorAccount.Identification = AccountNumber(*r.DebtorAccount)
	}
	for i := range r.CreditTransferTransaction {
		t := &r.CreditTransferTransaction[i]
		normalizeAgent(t.Beneficiary.CreditorAgent)
		normalizeParty(t.Beneficiary.Creditor)
		normalizeParty(t.UltimateDebtor)
		normalizeParty(t.UltimateCreditor)
		t.Beneficiary.CreditorAccount.Identification = AccountNumber(t.Beneficiary.CreditorAccount)
	}
}

// AccountNumber returns the number of an account as machines write it, or as it is where that is not clear.
func AccountNumber(account openbanking.GenericIdentification) string {
	number := account.Identification
	switch account.SchemeName {
	case openbanking.SchemeNameIBAN:
		if parsed, err := iban.Parse(number); err == nil {
			return parsed.String()
		}
	case openbanking.SchemeNameBBAN:
		if compact, ok := iban.Compact(number); ok {
			return compact
		}
	case openbanking.SchemeNameBGNR, openbanking.SchemeNamePGNR, openbanking.SchemeNameCPAN: // a hyphen belongs to some
		return withoutSpaces(number)
	}
	return number
}

func normalizeAgent(agent *openbanking.FinancialInstitutionIdentification) {
	if agent == nil || agent.BICFI == nil {
		return
	}
	if bic, err := iban.ParseBIC(*agent.BICFI); err == nil {
		agent.BICFI = new(bic.String())
	}
}

func normalizeParty(party *openbanking.PartyIdentification) {
	if party != nil && party.ContactDetails != nil && party.ContactDetails.PhoneNumber != nil {
		party.ContactDetails.PhoneNumber = new(Phone(*party.ContactDetails.PhoneNumber))
	}
}

// trunk is the zero that is dialled within a country alone, as it is printed: +49 (0)30 1234567.
var trunk = regexp.MustCompile(`^(\+[1-9][0-9]{0,2})\(0\)`)

// Phone returns an international phone number with + and digits (ITU-T E.164), however its digits are grouped, and with +
// in place of 00. One that is fit for a payment already, or is no international number, is returned as it is.
func Phone(number string) string {
	if isPhone(number) && !strings.Contains(number, "(0)") {
		return number
	}
	compact := withoutSpaces(number)
	if rest, ok := strings.CutPrefix(compact, "00"); ok {
		compact = "+" + rest
	}
	compact = trunk.ReplaceAllString(compact, "$1")
	compact = strings.NewReplacer("(", "", ")", "", "-", "", ".", "", "/", "").Replace(compact)
	if !isPhone(compact) {
		return number
	}
	return compact
}

// withoutSpaces returns a text without white space of any kind.
func withoutSpaces(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}
