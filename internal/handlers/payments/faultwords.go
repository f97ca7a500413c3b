package payments

import (
	"florin/internal/countries"
	"florin/internal/finance"
	"florin/internal/handlers/show"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/paymentform"
	"florin/internal/paymentrules"
	"florin/web/templates/words"
)

// otherCurrency asks for an amount again that was in another currency.
func otherCurrency(was, is string) words.Message {
	return words.Msg("It was in %[1]s. This kind of payment is made in %[2]s: enter the amount in %[2]s.", finance.Clean(was), is)
}

// formFaultWords say what is wrong with a field of the form, and what to do.
func formFaultWords(c show.Clock, f paymentform.Fault) words.Message {
	switch p := f.Problem.(type) {
	case paymentform.Nothing:
		return nothingWords(f.Field)
	case paymentform.WrongNumber:
		return show.NumberProblem(p.Err)
	case paymentform.WrongAmount:
		return show.AmountProblem(p.Err)
	case paymentform.WrongDay:
		return show.DayProblem(p.Err)
	case paymentform.OtherCurrency:
		return otherCurrency(p.Was, p.Is)
	case paymentform.TooMuch:
		return words.Msg("A payment code holds at most %s.", p.Most)
	case paymentform.NotSwiss:
		return words.Msg("You can pay francs to accounts in Switzerland and Liechtenstein only. Choose euros, or compare the IBAN with the invoice.")
	case paymentform.OnlyFrancs:
		return words.Msg("This account (QR-IBAN) takes payments by a Swiss QR-bill only. Pay in francs from an account in francs, or scan the bill with the app of your Swiss bank.")
	case paymentform.WrongQRNumber:
		return words.Msg("A QR-IBAN goes with the reference of 27 digits on the bill, and this reference with a QR-IBAN. Compare both with the bill.")
	case paymentform.MistypedReference:
		return words.Msg("This reference has a typing error: its check digits do not fit. Compare it with the invoice.")
	case paymentform.LongInCode:
		return words.Msg("In the letters of a payment code this has %d characters. At most %d are possible: shorten it.", p.Length, p.Most)
	case paymentform.TooLongTogether:
		return words.Msg("Text and reference have more than %d characters together. A payment code holds no more: shorten the text.", p.Most)
	case paymentform.RefusedCharacters:
		const most = 4
		var refused []string
		for _, r := range p.Characters[:min(len(p.Characters), most)] {
			refused = append(refused, c.Message(show.Character(r)))
		}
		return words.Msg("Your bank does not accept these characters in a text: %s. Write it differently, or leave them out.", c.List(refused))
	case paymentform.Broken:
		subject, known := subjects[p.Name]
		switch {
		case f.Field == paymentform.First:
			subject = "The first day"
		case !known:
			subject = "The payment"
		}
		return faultWords(c, subject, p.Rule)
	}
	return words.Msg("Your bank does not accept this payment as it is.")
}

// nothingWords say what to do where something is missing.
func nothingWords(field paymentform.Field) words.Message {
	switch field {
	case paymentform.Amount:
		return words.Msg("Enter the amount, such as 12.30.")
	case paymentform.Date:
		return words.Msg("Choose the day.")
	case paymentform.First:
		return words.Msg("Choose the first day.")
	case paymentform.Frequency:
		return words.Msg("Choose how often.")
	}
	return words.Msg("Enter the number of the payee’s account.")
}

// subjects are how sentences about fields of the API begin in the form.
var subjects = map[paymentrules.FieldName]words.Text{
	paymentrules.FieldAmount:            "The amount",
	paymentrules.FieldCurrency:          "The currency",
	paymentrules.FieldCreditorScheme:    "This kind of account number",
	paymentrules.FieldCreditorNumber:    "The account number",
	paymentrules.FieldCreditorName:      "The name",
	paymentrules.FieldCreditorStreet:    "The street",
	paymentrules.FieldCreditorPostCode:  "The postcode",
	paymentrules.FieldCreditorTown:      "The town",
	paymentrules.FieldCreditorCountry:   "The country",
	paymentrules.FieldCreditorAddress:   "The address",
	paymentrules.FieldCreditorBIC:       "The BIC",
	paymentrules.FieldCreditorMember:    "The bank code",
	paymentrules.FieldCreditorMemberID:  "The bank code",
	paymentrules.FieldExecutionDate:     "The day",
	paymentrules.FieldEndDate:           "The last day",
	paymentrules.FieldExecutionRule:     "The rule for weekends",
	paymentrules.FieldFrequency:         "The frequency",
	paymentrules.FieldReference:         "The reference",
	paymentrules.FieldRemittance:        "The text",
	paymentrules.FieldRemittanceLine:    "The text",
	paymentrules.FieldReports:           "The purpose for the authorities",
	paymentrules.FieldReportCode:        "The purpose for the authorities",
	paymentrules.FieldReportInformation: "The purpose for the authorities",
	paymentrules.FieldDebtorEmail:       "Your e-mail address",
	paymentrules.FieldDebtorPhone:       "Your phone number",
	paymentrules.FieldChargeBearer:      "The choice of who pays the charges",
	paymentrules.FieldPriority:          "The priority",
	paymentrules.FieldDebtorAccount:     "The number of the account you pay from",
	paymentrules.FieldDebtorScheme:      "The number of the account you pay from",
	paymentrules.FieldDebtorNumber:      "The number of the account you pay from",
}

// bulkPlaces are how sentences about fields of the API begin for a file, and what to do about what is wrong with the file as a whole.
var bulkPlaces = map[paymentrules.FieldName]struct{ subject, todo words.Text }{
	paymentrules.FieldTransactions:         {"The file", "Split the file into smaller ones."},
	paymentrules.FieldDebtorAccount:        {"The number of the account you pay from", "Choose another account."},
	paymentrules.FieldDebtorScheme:         {"The number of the account you pay from", "Choose another account."},
	paymentrules.FieldDebtorNumber:         {"The number of the account you pay from", "Choose another account."},
	paymentrules.FieldChargeBearer:         {"The choice of who pays the charges", "Change it in the file (ChrgBr), or take it out."},
	paymentrules.FieldPriority:             {"The priority", "Change it in the file (InstrPrty), or take it out."},
	paymentrules.FieldCurrency:             {"The currency", ""},
	paymentrules.FieldAmount:               {"The amount", ""},
	paymentrules.FieldCreditorScheme:       {"This kind of account number", ""},
	paymentrules.FieldCreditorNumber:       {"The account number", ""},
	paymentrules.FieldCreditorBIC:          {"The BIC", ""},
	paymentrules.FieldCreditorCountry:      {"The country", ""},
	paymentrules.FieldCreditorAddress:      {"The address", ""},
	paymentrules.FieldCreditorAddressLines: {"The address", ""},
	paymentrules.FieldCreditorAddressLine:  {"The address", ""},
	paymentrules.FieldCreditorStreet:       {"The address", ""},
	paymentrules.FieldCreditorPostCode:     {"The address", ""},
	paymentrules.FieldCreditorTown:         {"The address", ""},
	paymentrules.FieldCreditorName:         {"The name", ""},
	paymentrules.FieldExecutionDate:        {"The day", ""},
	paymentrules.FieldReference:            {"The reference", ""},
	paymentrules.FieldRemittance:           {"The text", ""},
	paymentrules.FieldRemittanceLine:       {"The text", ""},
	paymentrules.FieldEndToEndID:           {"The end-to-end ID", ""},
}

// faultWords say, for whoever pays, which rule a field breaks, and what to do. subject is what a sentence about the field begins with.
func faultWords(c show.Clock, subject words.Text, rule paymentrules.Rule) words.Message {
	switch r := rule.(type) {
	case paymentrules.Missing, paymentrules.MissingReportCode:
		return words.Msg("%s is missing. Your bank needs it for this kind of payment.", subject)
	case paymentrules.Empty:
		return words.Msg("%s is empty. Fill it in or leave it out.", subject)
	case paymentrules.EmptyAddress:
		return words.Msg("%s is empty. Enter street, postcode and town.", subject)
	case paymentrules.NoTransaction:
		return words.Msg("%s contains no payment.", subject)
	case paymentrules.NotSupported:
		if len(r.Values) == 0 {
			return words.Msg("%s is not possible for this kind of payment. Leave it out.", subject)
		}
		return words.Msg("%s is not possible for this kind of payment. Your bank accepts: %s.", subject, c.List(r.Values))
	case paymentrules.TooManyTransactions:
		return words.Msg("%[2]s contains %[1]d payments. Your bank accepts at most %[3]s at once.", r.Count, subject, c.Number(int64(r.Most)))
	case paymentrules.TooManyReports:
		return words.Msg("%s is given too often. At most %d are possible.", subject, r.Most)
	case paymentrules.TooManyLines:
		return words.Msg("%s has %d lines. At most %d are possible.", subject, r.Count, r.Most)
	case paymentrules.WrongLines:
		return words.Msg("%s has the wrong number of lines. Your bank accepts exactly %d.", subject, r.Exactly)
	case paymentrules.TooLong:
		return words.Msg("%s has %d characters. At most %d are possible.", subject, r.Length, r.Most)
	case paymentrules.TooLongTogether:
		return words.Msg("%s has %d characters in all lines together. At most %d are possible.", subject, r.Length, r.Most)
	case paymentrules.TooLongForBank:
		return words.Msg("%s has %d characters. Your bank accepts at most %d.", subject, r.Length, r.Most)
	case paymentrules.TooShortForBank:
		return words.Msg("%s is too short. Your bank needs at least %d characters.", subject, r.Least)
	case paymentrules.NotPrintable:
		return words.Msg("%s cannot be printed on a statement. Character %d is %s. Leave it out.", subject, r.Position, show.Character(r.Character))
	case paymentrules.WrongPattern:
		return words.Msg("%s does not have the form that your bank expects: %s.", subject, r.Pattern)
	case paymentrules.NotWithReference:
		return words.Msg("%s is not possible together with a reference at this bank. Leave one of them out.", subject)
	case paymentrules.ReferenceNotSupported:
		return words.Msg("%s is not possible for this kind of payment. Put it into the text.", subject)
	case paymentrules.OtherReference:
		return words.Msg("%s is of another kind than your bank accepts. It accepts: %s.", subject, referenceNames(c, r.Taken))
	case paymentrules.WrongReference:
		var schemes []openbanking.ReferenceNumberScheme
		for _, p := range r.Problems {
			schemes = append(schemes, p.Scheme)
		}
		return words.Msg("%s is not correct, perhaps because of a typing error. Compare it with the invoice. Your bank accepts: %s.", subject,
			referenceNames(c, schemes))
	case paymentrules.WrongIBAN:
		return show.NumberProblem(r.Problem)
	case paymentrules.WrongBIC:
		return show.NumberProblem(r.Problem)
	case paymentrules.IBANSpelling, paymentrules.BICSpelling:
		return words.Msg("%s must have capital letters and digits only, without spaces.", subject)
	case paymentrules.OutsideSEPA:
		return words.Msg("The account is in a country outside SEPA: %s. This kind of payment cannot go there.", words.Text(countries.Name(r.Country)))
	case paymentrules.NationalNumberLength:
		return words.Msg("%s must have 1 to 30 characters.", subject)
	case paymentrules.NationalNumberCharacter:
		return words.Msg("%s must have letters and digits only. Remove %s.", subject, show.Character(r.Character))
	case paymentrules.NumberCharacter:
		return words.Msg("%s must have digits only. Remove %s.", subject, show.Character(r.Character))
	case paymentrules.NumberLength:
		return words.Msg("%s must have %d to %d digits.", subject, r.Least, r.Most)
	case paymentrules.NumberCheckDigit:
		return words.Msg("%s is not correct: its last digit should be %s, not %s. Compare it with the invoice.", subject, r.Right, r.Digit)
	case paymentrules.WrongEmail:
		return words.Msg("Enter an e-mail address such as name@example.com.")
	case paymentrules.WrongPhone:
		return words.Msg("Enter the phone number with the country code, such as +358 40 123 4567.")
	case paymentrules.WrongCountry:
		return words.Msg("Choose a country from the list.")
	case paymentrules.AmountSyntax:
		return show.AmountProblem(money.ErrSyntax)
	case paymentrules.AmountDecimals, paymentrules.AmountDigits:
		return words.Msg("%s has too many digits.", subject)
	case paymentrules.AmountTooLarge, paymentrules.TotalTooLarge:
		return words.Msg("%s is too large.", subject)
	case paymentrules.CurrencySyntax, paymentrules.UnknownCurrency:
		return show.AmountProblem(money.ErrCurrency)
	case paymentrules.NotEuro:
		return words.Msg("%s must be EUR for this kind of payment.", subject)
	case paymentrules.OverLimit:
		return words.Msg("%s is over the limit of %s for one payment.", subject, r.Limit)
	case paymentrules.WrongDate:
		return words.Msg("Write the day as 2026-12-31 or 31.12.2026.")
	case paymentrules.PastDate:
		return words.Msg("%s is in the past. Today is %s.", subject, dayWords(c, r.Today))
	case paymentrules.FarDate:
		return words.Msg("%s is too far ahead. Your bank accepts days until %s.", subject, dayWords(c, r.Last))
	case paymentrules.EndBeforeFirst:
		return words.Msg("%s is before the first one, %s.", subject, dayWords(c, r.First))
	case paymentrules.InstantDate, paymentrules.InstantRepeated:
		return words.Msg("%s is not possible: an instant payment is made once, and at once.", subject)
	case paymentrules.StandingOrderOnly:
		return words.Msg("%s is for standing orders only. Choose how often, too.", subject)
	case paymentrules.BulkRepeated:
		return words.Msg("%s is not possible: payments from a file are made once.", subject)
	}
	return words.Msg("Your bank does not accept this payment as it is.")
}

// referenceNames are the kinds of references that a bank takes, as a list.
func referenceNames(c show.Clock, schemes []openbanking.ReferenceNumberScheme) string {
	var names []string
	for _, s := range schemes {
		names = append(names, c.Say(referenceName(s)))
	}
	return c.List(names)
}

func referenceName(s openbanking.ReferenceNumberScheme) words.Text {
	switch s {
	case openbanking.ReferenceNumberSchemeINTL:
		return "international reference (RF)"
	case openbanking.ReferenceNumberSchemeFIRF:
		return "Finnish reference"
	case openbanking.ReferenceNumberSchemeBERF:
		return "Belgian reference"
	case openbanking.ReferenceNumberSchemeNORF:
		return "Norwegian KID number"
	case openbanking.ReferenceNumberSchemeSEBG:
		return "Swedish OCR number"
	case openbanking.ReferenceNumberSchemeSDDM:
		return "mandate reference"
	}
	return "another reference"
}
