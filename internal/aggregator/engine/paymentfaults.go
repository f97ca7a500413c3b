package engine

import (
	"fmt"
	"strconv"
	"strings"

	"florin/internal/iban"
	"florin/internal/openbanking"
	"florin/internal/paymentrules"
	"florin/internal/reference"
)

// brokenRules is the error of a payment that breaks rules: of the first one, with all of them in the detail.
func brokenRules(faults []paymentrules.Fault) error {
	if len(faults) == 0 {
		return nil
	}
	type fault struct {
		Field   string                `json:"field"`
		Error   openbanking.ErrorCode `json:"error"`
		Message string                `json:"message"`
	}
	all := make([]fault, len(faults))
	for i, f := range faults {
		field := f.Field.String()
		all[i] = fault{Field: field, Error: f.Rule.Code(), Message: field + " " + ruleWords(f.Rule)}
	}
	return &openbanking.Error{
		Code:    all[0].Error,
		Message: all[0].Error.Message() + ": " + all[0].Message,
		Detail: mustJSON(map[string]any{
			"message":    all[0].Message,
			"error_name": "ParameterValidationException",
			"error_data": map[string]any{"faults": all},
		}),
	}
}

// ruleWords completes, for developers, the sentence that the name of a field begins: "is missing". Another sentence may follow.
func ruleWords(rule paymentrules.Rule) string {
	switch r := rule.(type) {
	case paymentrules.Missing:
		return "is missing; the ASPSP needs it for this payment type"
	case paymentrules.MissingReportCode:
		return "is missing; the ASPSP needs its details.code for this payment type"
	case paymentrules.Empty:
		return "is empty; leave it out or fill it in"
	case paymentrules.EmptyAddress:
		return "says nothing; give street_name, post_code and town_name, or address_line"
	case paymentrules.NoTransaction:
		return "is empty; a payment has at least one transaction"
	case paymentrules.NotSupported:
		if len(r.Values) == 0 {
			return "is not supported by the ASPSP for this payment type; leave it out"
		}
		return "is not supported by the ASPSP for this payment type; it supports " + strings.Join(r.Values, ", ")
	case paymentrules.TooManyTransactions:
		return fmt.Sprintf("has %d transactions; the ASPSP takes at most %d", r.Count, r.Most)
	case paymentrules.TooManyReports:
		return fmt.Sprintf("has %d reports; at most %d are possible", r.Count, r.Most)
	case paymentrules.TooManyLines:
		return fmt.Sprintf("has %d lines; at most %d are possible", r.Count, r.Most)
	case paymentrules.WrongLines:
		return fmt.Sprintf("has %s; the ASPSP takes exactly %d", count(r.Count, "line"), r.Exactly)
	case paymentrules.TooLong:
		return fmt.Sprintf("has %d characters; at most %d are possible", r.Length, r.Most)
	case paymentrules.TooLongTogether:
		return fmt.Sprintf("has %d characters in all; at most %d are possible", r.Length, r.Most)
	case paymentrules.TooLongForBank:
		return fmt.Sprintf("has %s; the ASPSP takes at most %d", count(r.Length, "character"), r.Most)
	case paymentrules.TooShortForBank:
		return fmt.Sprintf("has %s; the ASPSP needs at least %d", count(r.Length, "character"), r.Least)
	case paymentrules.NotPrintable:
		return fmt.Sprintf("cannot be printed on a statement: character %d is %s; leave it out", r.Position, iban.Describe(r.Character))
	case paymentrules.WrongPattern:
		return "does not have the form that the ASPSP expects: " + r.Pattern
	case paymentrules.NotWithReference:
		return "cannot be given together with reference_number at this ASPSP; leave one of them out"
	case paymentrules.ReferenceNotSupported:
		return "is not supported by the ASPSP for this payment type; use remittance_information"
	case paymentrules.OtherReference:
		return "is " + reference.Name(r.Scheme) + ", which the ASPSP does not take for this payment type; it takes " + join(r.Taken)
	case paymentrules.WrongReference:
		return "is not " + reference.Name(r.Problems[0].Scheme) + ". " + r.Problems[0].Err.Error()
	case paymentrules.WrongIBAN:
		return "is not a valid IBAN. " + r.Problem.Error()
	case paymentrules.IBANSpelling:
		return "must be an IBAN without spaces and other signs between, in capital letters"
	case paymentrules.OutsideSEPA:
		return fmt.Sprintf("is an IBAN of a country outside SEPA (%s); a %s payment cannot go there", r.Country, r.Type)
	case paymentrules.NationalNumberLength:
		return fmt.Sprintf("has %s; a national account number has 1 to 30 characters", count(r.Length, "character"))
	case paymentrules.NationalNumberCharacter:
		return fmt.Sprintf("has %s in it; a national account number has capital letters and digits only", iban.Describe(r.Character))
	case paymentrules.NumberCharacter:
		return fmt.Sprintf("has %s in it; a %s has digits only", iban.Describe(r.Character), numberWords(r.Scheme))
	case paymentrules.NumberLength:
		return fmt.Sprintf("has %s; a %s has %d to %d", count(r.Length, "digit"), numberWords(r.Scheme), r.Least, r.Most)
	case paymentrules.NumberCheckDigit:
		return fmt.Sprintf("is not a valid %s: its last digit should be %s, not %s. Probably a digit is mistyped.", numberWords(r.Scheme), r.Right, r.Digit)
	case paymentrules.WrongBIC:
		return "is not a valid BIC. " + r.Problem.Error()
	case paymentrules.BICSpelling:
		return "must be a BIC without spaces, in capital letters"
	case paymentrules.WrongEmail:
		return "is not an e-mail address such as name@example.com"
	case paymentrules.WrongPhone:
		return "is not a phone number with the code of its country, such as +358 40 123 4567"
	case paymentrules.WrongCountry:
		return "must be the code of a country in two capital letters (ISO 3166), such as FI"
	case paymentrules.AmountSyntax:
		return amountWords(r)
	case paymentrules.AmountDecimals:
		if r.Most == 0 {
			return "has decimals; " + r.Currency + " has none"
		}
		return "has " + count(r.Decimals, "decimal") + "; " + r.Currency + " has " + count(r.Most, "decimal")
	case paymentrules.AmountDigits:
		return fmt.Sprintf("has %d digits; at most %d digits are possible", r.Digits, r.Most)
	case paymentrules.AmountTooLarge:
		return "is too large"
	case paymentrules.CurrencySyntax:
		return "must be a code of three capital letters, such as EUR"
	case paymentrules.UnknownCurrency:
		return "is not the code of a currency (ISO 4217)"
	case paymentrules.NotEuro:
		return fmt.Sprintf("must be EUR for a %s payment", r.Type)
	case paymentrules.TotalTooLarge:
		return "amounts to more than a payment can be"
	case paymentrules.OverLimit:
		return fmt.Sprintf("is more than the limit of a payment, which is %s %s", r.Limit, r.Limit.Currency())
	case paymentrules.WrongDate:
		return "is not a date of the form YYYY-MM-DD"
	case paymentrules.PastDate:
		return "is in the past; today is " + string(r.Today)
	case paymentrules.FarDate:
		return fmt.Sprintf("is %s ahead; the ASPSP takes at most %s, until %s", count(r.Days, "day"), count(r.Most, "day"), r.Last)
	case paymentrules.InstantDate:
		return "is not possible: an instant payment is executed at once"
	case paymentrules.EndBeforeFirst:
		return "is before the first execution, on " + string(r.First)
	case paymentrules.StandingOrderOnly:
		return "is of a standing order alone; give its frequency too"
	case paymentrules.InstantRepeated:
		return "is not possible: an instant payment is executed at once, and once"
	case paymentrules.BulkRepeated:
		return "is not possible: a bulk is executed once; a standing order is a payment of its own"
	}
	return "breaks a rule"
}

func amountWords(r paymentrules.AmountSyntax) string {
	const how = "it is written with digits, and a dot before its decimals, such as 12.30"
	switch r.Mistake {
	case paymentrules.AmountEmpty:
		return "is empty; " + how
	case paymentrules.AmountSpace:
		return "has a space in it; " + how
	case paymentrules.AmountNegative:
		return "is negative; it must be more than zero"
	case paymentrules.AmountSign:
		return "has a sign; " + how
	case paymentrules.AmountComma:
		return "has a comma in it; " + how
	case paymentrules.AmountExponent:
		return "has an exponent; " + how
	case paymentrules.AmountCharacter:
		return "is not a number: it has " + iban.Describe(r.Character) + " in it; " + how
	case paymentrules.AmountDot:
		return "has a dot in the wrong place; " + how
	case paymentrules.AmountLeadingZero:
		return "begins with a zero; " + how
	}
	return "is zero; it must be more"
}

// numberWords is what a number of digits is called.
func numberWords(scheme openbanking.SchemeName) string {
	switch scheme {
	case openbanking.SchemeNameBGNR:
		return "Bankgiro number"
	case openbanking.SchemeNamePGNR:
		return "Plusgiro number"
	}
	return "card number"
}

// count returns a number with its noun: "1 day", "2 days".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
