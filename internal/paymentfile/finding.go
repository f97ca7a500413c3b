package paymentfile

import (
	"fmt"

	"florin/internal/money"
)

// Finding is a fact about a file or code, in no language yet: something that is wrong, or that becomes other than the file asks. It is one of the types
// of this file.
type Finding interface{ finding() }

type fact struct{}

func (fact) finding() {}

// Error is the error of a file or code that cannot be read.
type Error struct{ Finding Finding }

func (e *Error) Error() string { return fmt.Sprintf("no payments can be read: %T", e.Finding) }

// refuse returns the error with a finding.
func refuse(f Finding) error { return &Error{f} }

// Why a file cannot be read. Lines count from 1.
type (
	TooLarge struct {
		fact

		Most int // bytes
	}
	NoPayment struct {
		fact

		Header bool // the line that names the columns is there, and nothing else
	}
	TooManyPayments struct {
		fact

		Most int
	}
	OtherFile struct { // a file of another kind
		fact

		Kind FileKind
	}
	NotUTF8 struct {
		fact

		Line int
	}
	UnknownEncoding struct { // the file declares one that is not read
		fact

		Name string
	}
	WrongEncoding struct { // the file declares one in which it is not written
		fact

		Name string
		Line int
	}
)

// FileKind is a kind of file that holds no payments that can be read.
type FileKind int

// The kinds of file that are recognised.
const (
	Workbook FileKind = iota // of a spreadsheet, or an archive: both are packed alike
	OldWorkbook
	PDF
	Compressed
	Picture
	NoText
	UTF32
	OtherXML
	DirectDebit // pain.008
	BankAnswer  // pain.002
	Statement   // camt
	OldPain001  // before version 3
)

// Why a CSV file cannot be read.
type (
	WrongQuotes struct {
		fact

		Line int
	}
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

// Why XML cannot be read.
type (
	Malformed struct {
		fact

		Line int
	}
	DocumentType struct{ fact }
	TooDeep      struct{ fact }
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

// CodeKind is a kind of payment code, or of what is taken for one, that is not read.
type CodeKind int

// The kinds of code that are recognised.
const (
	SwissQRBill CodeKind = iota
	SlovenianUPNQR
	HungarianQvik
	CroatianHUB3
	CzechSPAYD // and Slovak
	RussianCode
	SerbianIPS
	ShopCode // EMV QR
	BezahlCode
	PaytoLink
	BitcoinAddress
	WebPage
)
