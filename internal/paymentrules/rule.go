package paymentrules

import (
	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// Rule is a broken rule with the facts that explain it: one of the types of this file.
type Rule interface {
	// Code is the error with which the API refuses the payment.
	Code() openbanking.ErrorCode
}

type wrongParameter struct{}

func (wrongParameter) Code() openbanking.ErrorCode { return openbanking.WrongRequestParameters }

type limitExceeded struct{}

func (limitExceeded) Code() openbanking.ErrorCode { return openbanking.PaymentLimitExceeded }

// Rules about what has to be there.
type (
	Missing           struct{ wrongParameter } // the bank needs the field
	MissingReportCode struct{ wrongParameter } // the bank needs a report with a code
	Empty             struct{ wrongParameter } // given, and without a character that can be seen
	EmptyAddress      struct{ wrongParameter } // none of the parts by which a letter finds its way
	NoTransaction     struct{ wrongParameter }
)

// NotSupported: the bank does not take the value, or the field where Values is empty.
type NotSupported struct {
	wrongParameter

	Values []string // that it takes
}

// Rules about how many there are.
type (
	TooManyTransactions struct {
		limitExceeded

		Count, Most int
	}
	TooManyReports struct {
		wrongParameter

		Count, Most int
	}
	TooManyLines struct {
		wrongParameter

		Count, Most int
	}
	WrongLines struct { // the bank takes exactly so many lines
		wrongParameter

		Count, Exactly int
	}
)

// Rules about texts. Lengths are in characters.
type (
	TooLong struct { // by the messages between banks
		wrongParameter

		Length, Most int
	}
	TooLongTogether struct { // all lines of a text
		wrongParameter

		Length, Most int
	}
	TooLongForBank struct {
		wrongParameter

		Length, Most int
	}
	TooShortForBank struct {
		wrongParameter

		Length, Least int
	}
	NotPrintable struct {
		wrongParameter

		Position  int // counted from 1
		Character rune
	}
	WrongPattern struct { // the bank's
		wrongParameter

		Pattern string
	}
	NotWithReference struct{ wrongParameter } // the bank takes a text or a reference number
)

// Rules about reference numbers.
type (
	ReferenceNotSupported struct{ wrongParameter }
	OtherReference        struct { // by its form it is of a scheme that the bank does not take
		wrongParameter

		Scheme openbanking.ReferenceNumberScheme
		Taken  []openbanking.ReferenceNumberScheme
	}
	WrongReference struct { // of each of the schemes that it could be of
		wrongParameter

		Problems []ReferenceProblem
	}
)

// ReferenceProblem says why a number is no reference of a scheme.
type ReferenceProblem struct {
	Scheme openbanking.ReferenceNumberScheme
	Err    error // a reference.Problem
}

// Rules about accounts and banks.
type (
	WrongIBAN struct {
		wrongParameter

		Problem *iban.Problem
	}
	IBANSpelling struct{ wrongParameter } // right, and not written as machines write it
	OutsideSEPA  struct {
		wrongParameter

		Country string // ISO 3166
		Type    openbanking.PaymentType
	}
	NationalNumberLength struct {
		wrongParameter

		Length int
	}
	NationalNumberCharacter struct {
		wrongParameter

		Character rune
	}
	NumberCharacter struct { // in a number of digits
		wrongParameter

		Scheme    openbanking.SchemeName
		Character rune
	}
	NumberLength struct {
		wrongParameter

		Scheme              openbanking.SchemeName
		Length, Least, Most int
	}
	NumberCheckDigit struct { // its last digit
		wrongParameter

		Scheme openbanking.SchemeName
		Digit  string
		Right  string
	}
	WrongBIC struct {
		wrongParameter

		Problem *iban.Problem
	}
	BICSpelling struct{ wrongParameter } // right, and not written as machines write it
)

// Rules about people.
type (
	WrongEmail   struct{ wrongParameter }
	WrongPhone   struct{ wrongParameter } // not an international number
	WrongCountry struct{ wrongParameter } // not a code of ISO 3166
)

// Rules about amounts.
type (
	AmountSyntax struct {
		wrongParameter

		Mistake   AmountMistake
		Character rune // of AmountCharacter
	}
	AmountDecimals struct { // more than the currency has
		wrongParameter

		Currency       string
		Decimals, Most int
	}
	AmountDigits struct {
		wrongParameter

		Digits, Most int
	}
	AmountTooLarge  struct{ wrongParameter }
	CurrencySyntax  struct{ wrongParameter } // not three capital letters
	UnknownCurrency struct{ wrongParameter } // none of ISO 4217
	NotEuro         struct {
		wrongParameter

		Type openbanking.PaymentType
	}
	TotalTooLarge struct{ limitExceeded }
	OverLimit     struct { // of the service, in the currency of the limit
		limitExceeded

		Limit money.Amount
	}
)

// AmountMistake is why a text is no amount above zero in any currency.
type AmountMistake string

// Values of AmountMistake.
const (
	AmountEmpty       AmountMistake = "empty"
	AmountSpace       AmountMistake = "space"
	AmountNegative    AmountMistake = "negative"
	AmountSign        AmountMistake = "sign" // a plus
	AmountComma       AmountMistake = "comma"
	AmountExponent    AmountMistake = "exponent"
	AmountCharacter   AmountMistake = "character"
	AmountDot         AmountMistake = "dot" // in the wrong place
	AmountLeadingZero AmountMistake = "leading zero"
	AmountZero        AmountMistake = "zero"
)

// Rules about days and standing orders.
type (
	WrongDate struct{ wrongParameter } // not a day of the form YYYY-MM-DD
	PastDate  struct {
		wrongParameter

		Today openbanking.Date
	}
	FarDate struct {
		wrongParameter

		Days, Most int
		Last       openbanking.Date // that the bank takes
	}
	InstantDate    struct{ wrongParameter } // an instant payment is executed at once
	EndBeforeFirst struct {
		wrongParameter

		First openbanking.Date // execution
	}
	StandingOrderOnly struct{ wrongParameter } // a field of standing orders, without a frequency
	InstantRepeated   struct{ wrongParameter } // an instant payment is executed once
	BulkRepeated      struct{ wrongParameter }
)
