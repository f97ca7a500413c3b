// Package statementfile reads the files in which banks and other programs write the transactions of accounts: CSV, CAMT.053, OFX, QIF, MT940, and what
// Florin exports as CSV and JSON. It is pure. docs/import.md says what is read of each format.
package statementfile

import (
	"slices"
	"strings"

	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/textfile"
)

// Bounds of a file.
const (
	MaxBytes    = 20 << 20
	MaxRows     = 100_000
	maxAccounts = 1000
	maxText     = 4000      // characters of all texts of a row
	maxExported = 64 * 1024 // of a row that Florin exported, whose texts a bank sent
	maxXMLDepth = 40
)

// File is what a file holds.
type File struct {
	Format     Format
	Encoding   string // in which the file was read because it does not tell its own; else ""
	Reading    Reading
	Table      *Table // of a CSV file; nil for others
	Statements []Statement
	Unread     []Unread // rows that cannot be read, in the order of the file; they are in no statement
}

// Format is a file format.
type Format string

// The formats that are read.
const (
	CSV     Format = "csv"
	CAMT053 Format = "camt053"
	OFX     Format = "ofx"
	QIF     Format = "qif"
	MT940   Format = "mt940"
	JSON    Format = "json" // of Florin
)

// Statement is what a file says of an account.
type Statement struct {
	Account Account
	Opening *Balance // nil when the file tells none, as Closing
	Closing *Balance
	Rows    []Row // in the order of the file
}

// Account is the account of a statement as the file names it; what is not given is "".
type Account struct {
	Name     string
	Bank     string
	Holder   string
	IBAN     string
	Number   string // another number where there is no IBAN
	Currency string
	Type     openbanking.CashAccountType

	Simulated bool // Florin exported it from a simulated bank
}

// Balance is a booked balance at the beginning or the end of a day.
type Balance struct {
	Amount money.Amount
	Date   openbanking.Date // "" when not given
}

// Row is one booked transaction. Its Transaction is as a bank would send it, so that it goes the way of all others: finance.Reader reads it.
type Row struct {
	Line        int          // of the file on which it begins, from 1
	Amount      money.Amount // signed: below zero is money out
	Transaction openbanking.Transaction
	Exported    *Exported // nil in files of others
}

// Exported is what a row was in the Florin that exported it (docs/export.md): as it was shown, and what the person kept with it.
type Exported struct {
	ID                                            string // "" when a hand took it away
	Date                                          openbanking.Date
	Counterparty, CounterpartyAccount, Text, Kind string
	Payee                                         string // the counterparty by its clean name
	Category                                      string // its name there; "" for none, and for a row with parts
	Tags                                          []string
	Note                                          string
	Parts                                         []Part
	Reviewed                                      bool
}

// Part is a part of a row, with its sign.
type Part struct {
	Amount         money.Amount
	Category, Note string
}

// Unread is a row that cannot be read, with the reason.
type Unread struct {
	Line   int
	Reason Finding
}

// Reading is how texts are read that can be meant in several ways. It can be kept and used for the next file of the same shape.
type Reading struct {
	Encoding string   `json:"encoding,omitempty"` // of a file that does not tell its own; one of Encodings
	Days     DayOrder `json:"days,omitempty"`
	Decimal  Decimal  `json:"decimal,omitempty"`
	Turned   bool     `json:"turned,omitempty"` // money out is written without a minus, as on the statements of some cards
	Unsure   bool     `json:"-"`                // the order of days, or the decimal sign, follows from nothing in the file: a person should look at it
}

// Encodings lists the encodings that a file which does not tell its own can be read in, the most likely first.
func Encodings() []string {
	return []string{textfile.AssumedEncoding, "windows-1250", "iso-8859-15", "iso-8859-2"}
}

// Options say how a file is read. What is not given follows from the file.
type Options struct {
	Currency string // of rows whose file names none: that of the account into which they go
	Reading  Reading
	Columns  []Column // of a CSV file: what each column holds
}

// Finding is a fact about a file, in no language yet. It is one of the types of this file or of package textfile.
type Finding = textfile.Finding

type fact = textfile.Fact

// Why a file cannot be read as a whole, beside the findings of package textfile: the reason of a *textfile.Error.
type (
	NoRow       struct{ fact } // no account has any transaction
	TooManyRows struct {
		fact

		Most int
	}
	TooManyAccounts struct {
		fact

		Most int
	}
	TooManyColumns struct {
		fact

		Count, Most int
	}
	NoCurrency   struct{ fact } // the file tells none, and Options neither
	OtherMessage struct {       // XML or JSON that is no statement
		fact

		Kind MessageKind
	}
	CutOff struct{ fact } // the file ends in the middle
)

// MessageKind is a kind of XML or JSON that holds no transactions.
type MessageKind int

// The kinds of message that are recognised.
const (
	OtherXML MessageKind = iota
	OtherJSON
	Payments     // pain.001
	Notification // camt.054, which repeats what a statement has
)

// Why a row cannot be read.
type (
	NoDay    struct{ fact }
	WrongDay struct {
		fact

		Text string
	}
	NoAmount    struct{ fact }
	WrongAmount struct {
		fact

		Text string
	}
	WrongCurrency struct {
		fact

		Text string
	}
	WrongSide struct { // neither money in nor money out
		fact

		Text string
	}
	WrongLine struct{ fact } // not of the form that the format asks for
	ShortLine struct {
		fact

		Columns, Header int
	}
	LongText struct {
		fact

		Most int // characters
	}
	NotBooked  struct{ fact } // the bank has not booked it yet, so it can still change
	Investment struct{ fact } // of shares, not of money
)

// Read reads a file of any of the formats. The error is a *textfile.Error.
func Read(file []byte, o Options) (File, error) {
	text, encoding, err := decode(file, o.Reading.Encoding)
	if err != nil {
		return File{}, err
	}
	f, err := read(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), o)
	if err != nil {
		return File{}, err
	}
	f.Encoding, f.Reading.Encoding = encoding, encoding
	count := 0
	for _, s := range f.Statements {
		count += len(s.Rows)
	}
	switch {
	case len(f.Statements) > maxAccounts:
		return File{}, textfile.Refuse(TooManyAccounts{Most: maxAccounts})
	case count > MaxRows:
		return File{}, textfile.Refuse(TooManyRows{Most: MaxRows})
	case count == 0 && len(f.Unread) == 0 && f.Table == nil:
		return File{}, textfile.Refuse(NoRow{})
	}
	return f, nil
}

// decode decodes a file. encoding is the one in which it was read when it does not tell its own: the one that a person chose, else that in which more
// columns have names that are known.
func decode(file []byte, chosen string) (text, encoding string, err error) {
	text, guessed, err := textfile.Decode(file, MaxBytes)
	if !guessed {
		return text, "", err
	}
	if chosen != "" {
		text, err = textfile.DecodeAs(chosen, file)
		return text, chosen, err
	}
	const other = "windows-1250" // of central Europe
	in, wrong := textfile.DecodeAs(other, file)
	switch {
	case wrong == nil && knownColumns(in) > knownColumns(text): // text is empty when it cannot be read
		return in, other, nil
	case err != nil:
		return "", "", err
	}
	return text, textfile.AssumedEncoding, nil
}

// read reads a text with lines that end with LF.
func read(text string, o Options) (File, error) {
	switch start := strings.TrimSpace(text[:min(len(text), 4000)]); {
	case strings.HasPrefix(start, "OFXHEADER"), strings.Contains(start, "<OFX>"):
		return readOFX(text, o)
	case strings.HasPrefix(start, "<"):
		return readCAMT(text, o)
	case strings.HasPrefix(start, "!"):
		return readQIF(text, o)
	case mt940Start.MatchString(start):
		return readMT940(text)
	case strings.HasPrefix(start, "{"):
		return readJSON(text)
	}
	return readCSV(text, o)
}

// draft is a row while it is read.
type draft struct {
	line                        int
	booking, value, transaction openbanking.Date
	amount                      money.Amount
	name, account, bic          string   // of the other side
	text                        []string // lines of the remittance information
	creditor, mandate, endToEnd string   // of a direct debit, and of the payment
	kind                        string   // the bank's word for the kind of transaction
	family, subFamily           string   // bank transaction code of ISO 20022
	entryReference              string   // names the row at the bank
	paymentReference            string   // creditor reference
	exported                    *Exported
}

// row makes the row of a draft, or tells why there is none.
func (d *draft) row() (Row, Finding) {
	most := maxText
	if d.exported != nil {
		most = maxExported
	}
	switch {
	case d.booking == "" && d.value == "" && d.transaction == "" && d.exported == nil: // Florin keeps a row without one when the bank gave none
		return Row{}, NoDay{}
	case len(d.name)+len(d.account)+len(d.kind)+len(strings.Join(d.text, ""))+len(d.entryReference)+len(d.paymentReference)+len(d.endToEnd) > most:
		return Row{}, LongText{Most: most}
	}
	t := openbanking.Transaction{Status: openbanking.TransactionStatusBOOK, CreditDebitIndicator: openbanking.CreditDebitIndicatorCRDT,
		TransactionAmount: openbanking.AmountType{Currency: d.amount.Currency(), Amount: d.amount.Abs().String()},
		BookingDate:       given(d.booking), ValueDate: given(d.value), TransactionDate: given(d.transaction),
		EntryReference: given(strings.TrimSpace(d.entryReference)), ReferenceNumber: given(strings.TrimSpace(d.paymentReference))}
	for _, line := range d.text {
		if strings.TrimSpace(line) != "" {
			t.RemittanceInformation = append(t.RemittanceInformation, line)
		}
	}
	for _, sign := range [][2]string{{"EREF+", d.endToEnd}, {"MREF+", d.mandate}, {"CRED+", d.creditor}} { // as banks write them that have no fields for them
		if text := strings.TrimSpace(sign[1]); text != "" && text != "NOTPROVIDED" {
			t.RemittanceInformation = append(t.RemittanceInformation, sign[0]+text)
		}
	}
	if kind, family := strings.TrimSpace(d.kind), strings.TrimSpace(d.family); kind != "" || family != "" {
		t.BankTransactionCode = &openbanking.BankTransactionCode{Description: given(kind), Code: given(family), SubCode: given(strings.TrimSpace(d.subFamily))}
	}
	var party *openbanking.PartyIdentification
	var account *openbanking.AccountIdentification
	var agent *openbanking.FinancialInstitutionIdentification
	if name := strings.TrimSpace(d.name); name != "" {
		party = &openbanking.PartyIdentification{Name: &name}
	}
	if number := strings.TrimSpace(d.account); number != "" {
		account = &openbanking.AccountIdentification{}
		if i, err := iban.Parse(number); err == nil {
			account.IBAN = given(i.String())
		} else {
			account.Other = &openbanking.GenericIdentification{Identification: number, SchemeName: openbanking.SchemeNameBBAN}
		}
	}
	if bic, err := iban.ParseBIC(d.bic); err == nil {
		agent = &openbanking.FinancialInstitutionIdentification{BICFI: given(bic.String())}
	}
	if d.amount.Sign() < 0 {
		t.CreditDebitIndicator, t.Creditor, t.CreditorAccount, t.CreditorAgent = openbanking.CreditDebitIndicatorDBIT, party, account, agent
	} else {
		t.Debtor, t.DebtorAccount, t.DebtorAgent = party, account, agent
	}
	return Row{Line: d.line, Amount: d.amount, Transaction: t, Exported: d.exported}, nil
}

// given points to a text, nil for "".
func given[T ~string](text T) *T {
	if text == "" {
		return nil
	}
	return &text
}

// add adds the row of a draft to a statement, or to those that cannot be read.
func (f *File) add(s *Statement, d *draft) {
	row, reason := d.row()
	if reason != nil {
		f.unread(d.line, reason)
		return
	}
	s.Rows = append(s.Rows, row)
}

func (f *File) unread(line int, reason Finding) {
	f.Unread = append(f.Unread, Unread{Line: line, Reason: reason})
}

// setNumber sets the IBAN of an account when the text is one, else its other number. An IBAN can have the currency behind it.
func (a *Account) setNumber(text string) {
	text = strings.TrimSpace(text)
	for _, number := range []string{text, strings.TrimRight(text[:max(0, len(text)-3)], " ")} {
		if i, err := iban.Parse(number); err == nil {
			if rest := strings.TrimSpace(text[len(number):]); a.Currency == "" && isCurrency(rest) {
				a.Currency = rest
			}
			a.IBAN, a.Number = i.String(), ""
			return
		}
	}
	a.Number = text
}

// isCurrency reports whether a text is the code of a currency in use.
func isCurrency(text string) bool {
	_, known := money.Exponent(text)
	return known
}

// named returns the statement of an account, which it adds when it is new. The error is TooManyAccounts.
func (f *File) named(a Account) (*Statement, error) {
	i := slices.IndexFunc(f.Statements, func(s Statement) bool { return s.Account == a })
	if i < 0 && len(f.Statements) == maxAccounts {
		return nil, textfile.Refuse(TooManyAccounts{Most: maxAccounts})
	}
	if i < 0 {
		i, f.Statements = len(f.Statements), append(f.Statements, Statement{Account: a})
	}
	return &f.Statements[i], nil
}
