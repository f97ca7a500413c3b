package engine

import (
	"errors"
	"testing"

	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/paymentrules"
	"florin/internal/reference"
)

// What is wrong with a payment is told to developers in these words.
func TestRuleWords(t *testing.T) {
	var noIBAN, noBIC *iban.Problem
	if _, err := iban.Parse("DE8937040044053201300"); !errors.As(err, &noIBAN) {
		t.Fatal(err)
	}
	if _, err := iban.ParseBIC("DEUTDEF"); !errors.As(err, &noBIC) {
		t.Fatal(err)
	}
	notFinnish := reference.Check("FIRF", "1235")
	for _, tt := range []struct {
		rule  paymentrules.Rule
		words string
	}{
		{paymentrules.NoTransaction{}, "is empty; a payment has at least one transaction"},
		{paymentrules.TooManyTransactions{Count: 3, Most: 2}, "has 3 transactions; the ASPSP takes at most 2"},
		{paymentrules.AmountSyntax{Mistake: paymentrules.AmountEmpty}, "is empty; it is written with digits, and a dot before its decimals, such as 12.30"},
		{paymentrules.AmountSyntax{Mistake: paymentrules.AmountZero}, "is zero; it must be more"},
		{paymentrules.AmountSyntax{Mistake: paymentrules.AmountNegative}, "is negative; it must be more than zero"},
		{paymentrules.AmountSyntax{Mistake: paymentrules.AmountExponent}, "has an exponent; it is written with digits, and a dot before its decimals, such as 12.30"},
		{paymentrules.AmountSyntax{Mistake: paymentrules.AmountComma}, "has a comma in it; it is written with digits, and a dot before its decimals, such as 12.30"},
		{paymentrules.AmountSyntax{Mistake: paymentrules.AmountCharacter, Character: 'N'},
			`is not a number: it has "N" in it; it is written with digits, and a dot before its decimals, such as 12.30`},
		{paymentrules.AmountSyntax{Mistake: paymentrules.AmountCharacter, Character: 'I'},
			`is not a number: it has "I" in it; it is written with digits, and a dot before its decimals, such as 12.30`},
		{paymentrules.AmountSyntax{Mistake: paymentrules.AmountSign}, "has a sign; it is written with digits, and a dot before its decimals, such as 12.30"},
		{paymentrules.AmountSyntax{Mistake: paymentrules.AmountSpace}, "has a space in it; it is written with digits, and a dot before its decimals, such as 12.30"},
		{paymentrules.AmountSyntax{Mistake: paymentrules.AmountCharacter, Character: '\uff11'},
			`is not a number: it has the full-width character "１" (U+FF11) in it; it is written with digits, and a dot before its decimals, such as 12.30`},
		{paymentrules.AmountSyntax{Mistake: paymentrules.AmountCharacter, Character: 'x'},
			`is not a number: it has "x" in it; it is written with digits, and a dot before its decimals, such as 12.30`},
		{paymentrules.AmountSyntax{Mistake: paymentrules.AmountCharacter, Character: '_'},
			`is not a number: it has "_" in it; it is written with digits, and a dot before its decimals, such as 12.30`},
		{paymentrules.AmountSyntax{Mistake: paymentrules.AmountDot},
			"has a dot in the wrong place; it is written with digits, and a dot before its decimals, such as 12.30"},
		{paymentrules.AmountSyntax{Mistake: paymentrules.AmountLeadingZero},
			"begins with a zero; it is written with digits, and a dot before its decimals, such as 12.30"},
		{paymentrules.AmountDecimals{Currency: "EUR", Decimals: 3, Most: 2}, "has 3 decimals; EUR has 2 decimals"},
		{paymentrules.AmountDecimals{Currency: "JPY", Decimals: 1, Most: 0}, "has decimals; JPY has none"},
		{paymentrules.AmountDecimals{Currency: "KWD", Decimals: 4, Most: 3}, "has 4 decimals; KWD has 3 decimals"},
		{paymentrules.AmountDigits{Digits: 19, Most: 18}, "has 19 digits; at most 18 digits are possible"},
		{paymentrules.AmountTooLarge{}, "is too large"},
		{paymentrules.CurrencySyntax{}, "must be a code of three capital letters, such as EUR"},
		{paymentrules.UnknownCurrency{}, "is not the code of a currency (ISO 4217)"},
		{paymentrules.NotEuro{Type: "SEPA"}, "must be EUR for a SEPA payment"},
		{paymentrules.NotEuro{Type: "INST_SEPA"}, "must be EUR for a INST_SEPA payment"},
		{paymentrules.NotSupported{Values: []string{"SEK", "NOK"}}, "is not supported by the ASPSP for this payment type; it supports SEK, NOK"},
		{paymentrules.OverLimit{Limit: money.FromMinor(100000, "EUR")}, "is more than the limit of a payment, which is 1000.00 EUR"},
		{paymentrules.OverLimit{Limit: money.FromMinor(1000, "JPY")}, "is more than the limit of a payment, which is 1000 JPY"},
		{paymentrules.TotalTooLarge{}, "amounts to more than a payment can be"},
		{paymentrules.IBANSpelling{}, "must be an IBAN without spaces and other signs between, in capital letters"},
		{paymentrules.OutsideSEPA{Country: "BR", Type: "SEPA"}, "is an IBAN of a country outside SEPA (BR); a SEPA payment cannot go there"},
		{paymentrules.NotSupported{Values: []string{"IBAN"}}, "is not supported by the ASPSP for this payment type; it supports IBAN"},
		{paymentrules.NotSupported{Values: []string{"IBAN", "BBAN", "BGNR", "PGNR", "CPAN"}},
			"is not supported by the ASPSP for this payment type; it supports IBAN, BBAN, BGNR, PGNR, CPAN"},
		{paymentrules.NotSupported{Values: []string{"BGNR", "PGNR"}}, "is not supported by the ASPSP for this payment type; it supports BGNR, PGNR"},
		{paymentrules.NationalNumberLength{Length: 0}, "has 0 characters; a national account number has 1 to 30 characters"},
		{paymentrules.NationalNumberCharacter{Character: '-'}, `has "-" in it; a national account number has capital letters and digits only`},
		{paymentrules.NumberLength{Scheme: "BGNR", Length: 6, Least: 7, Most: 8}, "has 6 digits; a Bankgiro number has 7 to 8"},
		{paymentrules.NumberCheckDigit{Scheme: "BGNR", Digit: "6", Right: "5"},
			"is not a valid Bankgiro number: its last digit should be 5, not 6. Probably a digit is mistyped."},
		{paymentrules.NumberCharacter{Scheme: "BGNR", Character: '-'}, `has "-" in it; a Bankgiro number has digits only`},
		{paymentrules.NumberLength{Scheme: "PGNR", Length: 1, Least: 2, Most: 8}, "has 1 digit; a Plusgiro number has 2 to 8"},
		{paymentrules.NumberCheckDigit{Scheme: "PGNR", Digit: "6", Right: "1"},
			"is not a valid Plusgiro number: its last digit should be 1, not 6. Probably a digit is mistyped."},
		{paymentrules.NumberCheckDigit{Scheme: "CPAN", Digit: "2", Right: "1"},
			"is not a valid card number: its last digit should be 1, not 2. Probably a digit is mistyped."},
		{paymentrules.NumberCharacter{Scheme: "CPAN", Character: '*'}, `has "*" in it; a card number has digits only`},
		{paymentrules.Empty{}, "is empty; leave it out or fill it in"},
		{paymentrules.NotPrintable{Position: 1, Character: '\u3164'}, `cannot be printed on a statement: character 1 is "ㅤ" (U+3164); leave it out`},
		{paymentrules.NotPrintable{Position: 3, Character: '\u034f'},
			"cannot be printed on a statement: character 3 is an invisible or combining character (U+034F); leave it out"},
		{paymentrules.NotPrintable{Position: 5, Character: '\ufe0f'},
			"cannot be printed on a statement: character 5 is an invisible or combining character (U+FE0F); leave it out"},
		{paymentrules.TooLong{Length: 71, Most: 70}, "has 71 characters; at most 70 are possible"},
		{paymentrules.NotPrintable{Position: 5, Character: '\u202e'},
			"cannot be printed on a statement: character 5 is an invisible character (direction mark, U+202E); leave it out"},
		{paymentrules.NotPrintable{Position: 5, Character: '\u000a'},
			"cannot be printed on a statement: character 5 is an invisible or combining character (U+000A); leave it out"},
		{paymentrules.NotPrintable{Position: 6, Character: '\U0001f642'}, `cannot be printed on a statement: character 6 is "🙂" (U+1F642); leave it out`},
		{paymentrules.NotPrintable{Position: 5, Character: '\ufffd'}, "cannot be printed on a statement: character 5 is damaged and cannot be read; leave it out"},
		{paymentrules.NotPrintable{Position: 2, Character: '\u0000'},
			"cannot be printed on a statement: character 2 is an invisible or combining character (U+0000); leave it out"},
		{paymentrules.TooLongTogether{Length: 141, Most: 140}, "has 141 characters in all; at most 140 are possible"},
		{paymentrules.TooManyLines{Count: 11, Most: 10}, "has 11 lines; at most 10 are possible"},
		{paymentrules.NotPrintable{Position: 1, Character: '\u200b'},
			"cannot be printed on a statement: character 1 is an invisible character (zero-width space, U+200B); leave it out"},
		{paymentrules.WrongCountry{}, "must be the code of a country in two capital letters (ISO 3166), such as FI"},
		{paymentrules.EmptyAddress{}, "says nothing; give street_name, post_code and town_name, or address_line"},
		{paymentrules.WrongEmail{}, "is not an e-mail address such as name@example.com"},
		{paymentrules.WrongPhone{}, "is not a phone number with the code of its country, such as +358 40 123 4567"},
		{paymentrules.BICSpelling{}, "must be a BIC without spaces, in capital letters"},
		{paymentrules.Missing{}, "is missing; the ASPSP needs it for this payment type"},
		{paymentrules.NotSupported{Values: []string{"SLEV"}}, "is not supported by the ASPSP for this payment type; it supports SLEV"},
		{paymentrules.NotSupported{}, "is not supported by the ASPSP for this payment type; leave it out"},
		{paymentrules.PastDate{Today: "2026-11-20"}, "is in the past; today is 2026-11-20"},
		{paymentrules.FarDate{Days: 91, Most: 90, Last: "2027-02-18"}, "is 91 days ahead; the ASPSP takes at most 90 days, until 2027-02-18"},
		{paymentrules.WrongDate{}, "is not a date of the form YYYY-MM-DD"},
		{paymentrules.InstantDate{}, "is not possible: an instant payment is executed at once"},
		{paymentrules.InstantRepeated{}, "is not possible: an instant payment is executed at once, and once"},
		{paymentrules.BulkRepeated{}, "is not possible: a bulk is executed once; a standing order is a payment of its own"},
		{paymentrules.EndBeforeFirst{First: "2026-12-01"}, "is before the first execution, on 2026-12-01"},
		{paymentrules.StandingOrderOnly{}, "is of a standing order alone; give its frequency too"},
		{paymentrules.ReferenceNotSupported{}, "is not supported by the ASPSP for this payment type; use remittance_information"},
		{paymentrules.OtherReference{Scheme: "INTL", Taken: []openbanking.ReferenceNumberScheme{"FIRF"}},
			"is an international reference, which the ASPSP does not take for this payment type; it takes FIRF"},
		{paymentrules.NotWithReference{}, "cannot be given together with reference_number at this ASPSP; leave one of them out"},
		{paymentrules.WrongLines{Count: 1, Exactly: 2}, "has 1 line; the ASPSP takes exactly 2"},
		{paymentrules.WrongLines{Count: 3, Exactly: 2}, "has 3 lines; the ASPSP takes exactly 2"},
		{paymentrules.TooShortForBank{Length: 2, Least: 3}, "has 2 characters; the ASPSP needs at least 3"},
		{paymentrules.TooLongForBank{Length: 6, Most: 5}, "has 6 characters; the ASPSP takes at most 5"},
		{paymentrules.WrongPattern{Pattern: "^\\d+$"}, `does not have the form that the ASPSP expects: ^\d+$`},
		{paymentrules.NotPrintable{Position: 1, Character: '\u00ad'},
			"cannot be printed on a statement: character 1 is an invisible character (soft hyphen, U+00AD); leave it out"},
		{paymentrules.TooManyReports{Count: 11, Most: 10}, "has 11 reports; at most 10 are possible"},
		{paymentrules.MissingReportCode{}, "is missing; the ASPSP needs its details.code for this payment type"},
		{paymentrules.WrongIBAN{Problem: noIBAN}, "is not a valid IBAN. A German IBAN has 22 characters; this one has 21."},
		{paymentrules.WrongBIC{Problem: noBIC}, "is not a valid BIC. A BIC has 8 or 11 characters; this one has 7."},
		{paymentrules.WrongReference{Problems: []paymentrules.ReferenceProblem{{Scheme: "FIRF", Err: notFinnish}}},
			"is not a Finnish reference. The last digit of a Finnish reference is its check digit; for this one it should be 2, not 5. Probably a digit is mistyped."},
	} {
		if got := ruleWords(tt.rule); got != tt.words {
			t.Errorf("%#v: %q, want %q", tt.rule, got, tt.words)
		}
	}
}
