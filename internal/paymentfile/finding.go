package paymentfile

import (
	"florin/internal/money"
	"florin/internal/textfile"
)

// Finding is a fact about a file or code, in no language yet: something that is wrong, or that becomes other than the file asks. It is one of the types
// of this file or of package textfile.
type Finding = textfile.Finding

type fact = textfile.Fact

// refuse returns the error of a file or code that cannot be read.
func refuse(f Finding) error { return textfile.Refuse(f) }

// Why a file cannot be read. Lines count from 1.
type (
	NoPayment struct {
		fact

		Header bool // the line that names the columns is there, and nothing else
	}
	TooManyPayments struct {
		fact

		Most int
	}
	OtherMessage struct { // XML with another message
		fact

		Kind MessageKind
	}
)

// MessageKind is a kind of XML that holds no payments that can be read.
type MessageKind int

// The kinds of message that are recognised.
const (
	OtherXML    MessageKind = iota
	DirectDebit             // pain.008
	BankAnswer              // pain.002
	Statement               // camt
	OldPain001              // before version 3
)

// Why a CSV file cannot be read.
type (
	TooManyColumns struct {
		fact

		Count, Most int
	}
	NoHeader struct{ fact } // the first line is a payment
	NoColumn struct {
		fact

		Column string
	}
	SameColumn struct { // two names of one column
		fact

		Column, First, Second string
	}
)

// What is wrong with a pain.001 as a whole.
type (
	NoTransfer struct {
		fact

		Method string
	}
	SeveralDebtors struct{ fact }
	Instant        struct{ fact }
	WrongCount     struct {
		fact

		Group  Group
		Stated string
		Count  int
	}
	WrongSum struct {
		fact

		Group  Group
		Stated string
		Sum    money.Amount
	}
	SeveralCharges struct{ fact }
	UnknownCharges struct {
		fact

		Code string
	}
	SeveralPriority struct{ fact }
	UnknownPriority struct {
		fact

		Code string
	}
)

// Group names a group of payments in a pain.001.
type Group struct {
	Number int // from 1; 0 for the file as a whole
	ID     string
}

// What becomes other than a file asks.
type (
	UnknownColumn struct {
		fact

		Name string
	}
	SeveralGroups struct {
		fact

		Count int
	}
	BatchBooking struct{ fact }
	LeftOut      struct { // elements of a pain.001, by their names
		fact

		Elements []string
		More     bool // there are others
	}
)

// What is wrong with one payment of a file. Lengths are in characters.
type (
	NoName   struct{ fact }
	LongName struct {
		fact

		Length, Most int
	}
	DamagedName struct{ fact }
	WrongIBAN   struct {
		fact

		Problem error // of iban.Parse
	}
	WrongBIC struct {
		fact

		Problem error // of iban.ParseBIC
	}
	NoCurrency  struct{ fact } // what stands there is none
	NoAmount    struct{ fact }
	WrongAmount struct {
		fact

		Problem error // of finance.ParseAmount
	}
	WrongDay struct {
		fact

		Problem error // of finance.ParseDay
	}
	LongEndToEndID struct {
		fact

		Length, Most int
	}
	SeveralReferences struct {
		fact

		Count int
	}
	DamagedText struct{ fact }
	LongLine    struct {
		fact

		Columns, Header int
		Separator       rune
	}
	ShortLine struct {
		fact

		Columns, Header int
	}
)

// Why the text of a payment code cannot be read. Its lines count from 1.
type (
	OtherCode struct { // a code of another standard
		fact

		Kind CodeKind
	}
	NoCode       struct{ fact }
	DamagedCode  struct{ fact }
	LinesMissing struct{ fact } // all of it stands in one line
	TooManyLines struct {
		fact

		Count, Most int
	}
	LongCode struct {
		fact

		Most int
	}
	WrongVersion  struct{ fact } // line 2
	WrongAlphabet struct{ fact } // line 3
	OtherPurpose  struct{ fact } // line 4: no credit transfer
	NoCodeBIC     struct{ fact } // line 5, in version 1
	WrongCodeBIC  struct {       // line 5
		fact

		Problem error // of iban.ParseBIC
	}
	NoCodeName    struct{ fact } // line 6
	WrongCodeIBAN struct {       // line 7
		fact

		Problem error // of iban.Parse
	}
	OtherCurrency    struct{ fact } // line 8, and so the next three
	AmountComma      struct{ fact }
	AmountForm       struct{ fact }
	AmountZero       struct{ fact }
	WrongPurpose     struct{ fact } // line 9
	ReferenceAndText struct{ fact } // lines 10 and 11
	WrongReference   struct{ fact } // line 10: it has characters of a text
	LongElement      struct {
		fact

		Line         int
		Length, Most int
	}
)

// Why the text of a Swiss QR-bill cannot be read.
type (
	SwissIncomplete struct{ fact } // lines are missing, or the end is
	SwissVersion    struct{ fact }
	SwissAccount    struct{ fact } // of another country
	SwissNoName     struct{ fact }
	SwissLong       struct {
		fact

		Name         bool // the name is too long; else the text
		Length, Most int
	}
	SwissCurrency       struct{ fact } // neither francs nor euros
	SwissSum            struct{ fact }
	SwissWrongReference struct{ fact }
)

// Why the text of a Czech (SPD) or Slovak (PAY by square) payment code cannot be read.
type (
	CzechVersion  struct{ fact }
	CzechForm     struct{ fact } // it is not made of fields "KEY:value" with stars between them
	SlovakVersion struct{ fact }
	SlovakDamaged struct{ fact } // it cannot be unpacked, or its check sum is wrong
	CodeSeveral   struct{ fact } // it asks for several payments
	CodeRepeats   struct{ fact } // it asks for a standing order or a direct debit
	CodeField     struct {       // missing, twice, or not of its form
		fact

		Key string
	}
)

// CodeKind is a kind of payment code, or of what is taken for one, that is not read.
type CodeKind int

// The kinds of code that are recognised.
const (
	SlovenianUPNQR CodeKind = iota
	HungarianQvik
	CroatianHUB3
	RussianCode
	SerbianIPS
	ShopCode // EMV QR
	BezahlCode
	PaytoLink
	BitcoinAddress
	WebPage
)
