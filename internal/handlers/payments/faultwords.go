package payments

import (
	"cmp"
	"fmt"
	"strings"

	"florin/internal/countries"
	"florin/internal/handlers/show"
	"florin/internal/iban"
	"florin/internal/openbanking"
	"florin/internal/paymentform"
	"florin/internal/paymentrules"
	"florin/internal/reference"
	"florin/web/templates/words"
)

// formFaultWords say what is wrong with a field of the form.
func formFaultWords(f paymentform.Fault) string {
	switch p := f.Problem.(type) {
	case paymentform.Nothing:
		return nothingWords(f.Field)
	case paymentform.WrongNumber:
		return words.English.Tell(show.NumberProblem(p.Err))
	case paymentform.WrongAmount:
		return words.English.Tell(show.AmountProblem(p.Err))
	case paymentform.WrongDay:
		return words.English.Tell(show.DayProblem(p.Err))
	case paymentform.RefusedCharacters:
		const most = 4
		var refused []string
		for _, r := range p.Characters[:min(len(p.Characters), most)] {
			refused = append(refused, strings.TrimSuffix(iban.Describe(r), "."))
		}
		return "This bank does not take " + strings.Join(refused, " and ") + " in a text. Write it in another way, or leave it out."
	case paymentform.Broken:
		subject := cmp.Or(subjects[p.Name], "The payment")
		if f.Field == paymentform.First {
			subject = "The first day"
		}
		return faultWords(subject, p.Rule)
	}
	return "This cannot be paid as it is."
}

// nothingWords say what to do where something is missing.
func nothingWords(field paymentform.Field) string {
	switch field {
	case paymentform.Amount:
		return "Enter the amount, such as 12.30."
	case paymentform.Date:
		return "Choose the day."
	case paymentform.First:
		return "Choose the first day."
	case paymentform.Frequency:
		return "Choose how often."
	}
	return "Enter the number of the payee’s account."
}

// subjects are how sentences about fields of the API begin in the form.
var subjects = map[paymentrules.FieldName]string{
	paymentrules.FieldAmount:            "The amount",
	paymentrules.FieldCurrency:          "The currency",
	paymentrules.FieldCreditorScheme:    "This kind of account number",
	paymentrules.FieldCreditorNumber:    "The account number",
	paymentrules.FieldCreditorName:      "The name",
	paymentrules.FieldCreditorStreet:    "The street",
	paymentrules.FieldCreditorPostCode:  "The post code",
	paymentrules.FieldCreditorTown:      "The town",
	paymentrules.FieldCreditorCountry:   "The country",
	paymentrules.FieldCreditorAddress:   "The address",
	paymentrules.FieldCreditorBIC:       "The BIC",
	paymentrules.FieldCreditorMember:    "The number of the bank",
	paymentrules.FieldCreditorMemberID:  "The number of the bank",
	paymentrules.FieldExecutionDate:     "The day",
	paymentrules.FieldEndDate:           "The last day",
	paymentrules.FieldExecutionRule:     "The rule for weekends",
	paymentrules.FieldFrequency:         "The rhythm",
	paymentrules.FieldReference:         "The reference",
	paymentrules.FieldRemittance:        "The text",
	paymentrules.FieldRemittanceLine:    "The text",
	paymentrules.FieldReports:           "The code for the authorities",
	paymentrules.FieldReportCode:        "The code for the authorities",
	paymentrules.FieldReportInformation: "The code for the authorities",
	paymentrules.FieldDebtorEmail:       "Your e-mail address",
	paymentrules.FieldDebtorPhone:       "Your phone number",
	paymentrules.FieldChargeBearer:      "The choice of who bears the charges",
	paymentrules.FieldPriority:          "The priority",
	paymentrules.FieldDebtorAccount:     "The number of the account that you pay from",
	paymentrules.FieldDebtorScheme:      "The number of the account that you pay from",
	paymentrules.FieldDebtorNumber:      "The number of the account that you pay from",
}

// bulkPlaces are how sentences about fields of the API begin for a file, and what to do about what is wrong with the file as a whole.
var bulkPlaces = map[paymentrules.FieldName]struct{ subject, todo string }{
	paymentrules.FieldTransactions:         {"The file", " Split it into smaller ones."},
	paymentrules.FieldDebtorAccount:        {"The account that pays", " Choose another account."},
	paymentrules.FieldDebtorScheme:         {"The account that pays", " Choose another account."},
	paymentrules.FieldDebtorNumber:         {"The account that pays", " Choose another account."},
	paymentrules.FieldChargeBearer:         {"Who bears the charges (ChrgBr)", " Change it in the file, or take it out."},
	paymentrules.FieldPriority:             {"The priority (InstrPrty)", " Change it in the file, or take it out."},
	paymentrules.FieldCurrency:             {"The currency", ""},
	paymentrules.FieldAmount:               {"The amount", ""},
	paymentrules.FieldCreditorScheme:       {"The account", ""},
	paymentrules.FieldCreditorNumber:       {"The account", ""},
	paymentrules.FieldCreditorBIC:          {"The BIC", ""},
	paymentrules.FieldCreditorCountry:      {"The country of the payee", ""},
	paymentrules.FieldCreditorAddress:      {"The address of the payee", ""},
	paymentrules.FieldCreditorAddressLines: {"The address of the payee", ""},
	paymentrules.FieldCreditorAddressLine:  {"The address of the payee", ""},
	paymentrules.FieldCreditorStreet:       {"The address of the payee", ""},
	paymentrules.FieldCreditorPostCode:     {"The address of the payee", ""},
	paymentrules.FieldCreditorTown:         {"The address of the payee", ""},
	paymentrules.FieldCreditorName:         {"The name of the payee", ""},
	paymentrules.FieldExecutionDate:        {"The date", ""},
	paymentrules.FieldReference:            {"The reference", ""},
	paymentrules.FieldRemittance:           {"The text", ""},
	paymentrules.FieldRemittanceLine:       {"The text", ""},
	paymentrules.FieldEndToEndID:           {"The end-to-end id", ""},
}

// faultWords makes a sentence of a broken rule, or two.
func faultWords(subject string, rule paymentrules.Rule) string {
	text := subject + " " + ruleWords(rule)
	return text + show.Dot(text)
}

// ruleWords completes, for whoever pays, the sentence that the name of a field begins: "is missing". Another sentence may follow.
func ruleWords(rule paymentrules.Rule) string {
	switch r := rule.(type) {
	case paymentrules.Missing, paymentrules.MissingReportCode:
		return "is missing; the bank needs it for this kind of payment"
	case paymentrules.Empty:
		return "is empty; leave it out or fill it in"
	case paymentrules.EmptyAddress:
		return "says nothing; give street, post code and town"
	case paymentrules.NoTransaction:
		return "holds no payment"
	case paymentrules.NotSupported:
		if len(r.Values) == 0 {
			return "is not supported by the bank for this kind of payment; leave it out"
		}
		return "is not supported by the bank for this kind of payment; it supports " + strings.Join(r.Values, ", ")
	case paymentrules.TooManyTransactions:
		return fmt.Sprintf("has %s; the bank takes at most %d", show.Plural(r.Count, "payment"), r.Most)
	case paymentrules.TooManyReports:
		return fmt.Sprintf("occurs %d times; at most %d are possible", r.Count, r.Most)
	case paymentrules.TooManyLines:
		return fmt.Sprintf("has %s; at most %d are possible", show.Plural(r.Count, "line"), r.Most)
	case paymentrules.WrongLines:
		return fmt.Sprintf("has %s; the bank takes exactly %d", show.Plural(r.Count, "line"), r.Exactly)
	case paymentrules.TooLong:
		return fmt.Sprintf("has %s; at most %d are possible", show.Plural(r.Length, "character"), r.Most)
	case paymentrules.TooLongTogether:
		return fmt.Sprintf("has %s in all; at most %d are possible", show.Plural(r.Length, "character"), r.Most)
	case paymentrules.TooLongForBank:
		return fmt.Sprintf("has %s; the bank takes at most %d", show.Plural(r.Length, "character"), r.Most)
	case paymentrules.TooShortForBank:
		return fmt.Sprintf("has %s; the bank needs at least %d", show.Plural(r.Length, "character"), r.Least)
	case paymentrules.NotPrintable:
		return fmt.Sprintf("cannot be printed on a statement: character %d is %s; leave it out", r.Position, iban.Describe(r.Character))
	case paymentrules.WrongPattern:
		return "does not have the form that the bank expects: " + r.Pattern
	case paymentrules.NotWithReference:
		return "cannot be given together with a reference at this bank; leave one of them out"
	case paymentrules.ReferenceNotSupported:
		return "is not supported by the bank for this kind of payment; use the text instead"
	case paymentrules.OtherReference:
		var taken []string
		for _, scheme := range r.Taken {
			taken = append(taken, reference.Name(scheme))
		}
		return "is " + reference.Name(r.Scheme) + ", which the bank does not take for this kind of payment; it takes " + strings.Join(taken, " or ")
	case paymentrules.WrongReference:
		return referenceWords(r.Problems)
	case paymentrules.WrongIBAN:
		return "is not a valid IBAN. " + r.Problem.Error()
	case paymentrules.IBANSpelling:
		return "must be an IBAN without spaces and other signs between, in capital letters"
	case paymentrules.OutsideSEPA:
		return "is of a country outside SEPA (" + countries.Name(r.Country) + "); this kind of payment cannot go there"
	case paymentrules.NationalNumberLength:
		return fmt.Sprintf("has %s; a national account number has 1 to 30 characters", show.Plural(r.Length, "character"))
	case paymentrules.NationalNumberCharacter:
		return fmt.Sprintf("has %s in it; a national account number has letters and digits only", iban.Describe(r.Character))
	case paymentrules.NumberCharacter:
		return fmt.Sprintf("has %s in it; a %s has digits only", iban.Describe(r.Character), numberWords(r.Scheme))
	case paymentrules.NumberLength:
		return fmt.Sprintf("has %s; a %s has %d to %d", show.Plural(r.Length, "digit"), numberWords(r.Scheme), r.Least, r.Most)
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
		return "is not known; choose one from the list"
	case paymentrules.AmountSyntax:
		return "is not an amount above zero, such as 12.30"
	case paymentrules.AmountDecimals:
		if r.Most == 0 {
			return "has decimals; " + r.Currency + " has none"
		}
		return "has " + show.Plural(r.Decimals, "decimal") + "; " + r.Currency + " has " + show.Plural(r.Most, "decimal")
	case paymentrules.AmountDigits:
		return fmt.Sprintf("has %s; at most %d are possible", show.Plural(r.Digits, "digit"), r.Most)
	case paymentrules.AmountTooLarge, paymentrules.TotalTooLarge:
		return "is too large"
	case paymentrules.CurrencySyntax, paymentrules.UnknownCurrency:
		return "is not the code of a currency, such as EUR"
	case paymentrules.NotEuro:
		return "must be EUR for this kind of payment"
	case paymentrules.OverLimit:
		return "is more than the limit of a payment, which is " + r.Limit.Format() + " " + r.Limit.Currency()
	case paymentrules.WrongDate:
		return "is not a day of the form 2026-12-31 or 31.12.2026"
	case paymentrules.PastDate:
		return "is in the past; today is " + dayWords(r.Today)
	case paymentrules.FarDate:
		return fmt.Sprintf("is %s ahead; the bank takes at most %s, until %s", show.Plural(r.Days, "day"), show.Plural(r.Most, "day"), dayWords(r.Last))
	case paymentrules.InstantDate:
		return "is not possible: an instant payment is carried out at once"
	case paymentrules.EndBeforeFirst:
		return "is before the first one, " + dayWords(r.First)
	case paymentrules.StandingOrderOnly:
		return "is of a standing order alone; choose how often too"
	case paymentrules.InstantRepeated:
		return "is not possible: an instant payment is carried out at once, and once"
	case paymentrules.BulkRepeated:
		return "is not possible: many at once are carried out once; a standing order is a payment of its own"
	}
	return "cannot be paid as it is"
}

// referenceWords say why a number is no reference of the schemes that the bank takes.
func referenceWords(problems []paymentrules.ReferenceProblem) string {
	if len(problems) == 1 {
		return "is not " + reference.Name(problems[0].Scheme) + ". " + problems[0].Err.Error()
	}
	words := "is none of the references that the bank takes."
	for _, p := range problems {
		words += " " + p.Err.Error()
	}
	return words
}

// numberWords is what a number of digits is called within a sentence.
func numberWords(scheme openbanking.SchemeName) string {
	if scheme == openbanking.SchemeNameCPAN {
		return "card number"
	}
	return schemeWords(scheme)
}
