// Package statementfile reads the files in which banks and other programs write the transactions of accounts: CSV, CAMT.053, OFX, QIF, MT940, and Florin's
// own exports in CSV and JSON. It is pure. docs/import.md says what is read from each format.
package statementfile

import (
	"slices"
	"strings"

	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/textfile"
)

// Limits of a file.
const (
	MaxBytes    = 20 << 20
	MaxRows     = 100_000
	maxAccounts = 1000
	maxText     = 4000      // characters of all texts of a row together
	maxExported = 64 * 1024 // the same for a row that Florin exported, whose texts come from a bank
	maxXMLDepth = 40
)

// File is the content of a file.
type File struct {
	Format     Format
	Encoding   string // the encoding with which the file was read when it does not name its own; else ""
	Reading    Reading
	Table      *Table // of a CSV file; nil for others
	Statements []Statement
	Unread     []Unread // rows that cannot be read, in the order of the file; they are in no statement
}

// Format is a file format.
type Format string

// The formats that can be read.
const (
	CSV     Format = "csv"
	CAMT053 Format = "camt053"
	OFX     Format = "ofx"
	QIF     Format = "qif"
	MT940   Format = "mt940"
	JSON    Format = "json" // exported by Florin
)

// Statement holds what a file says about one account.
type Statement struct {
	Account Account
	Opening *Balance // nil when the file has none, as for Closing
	Closing *Balance
	Rows    []Row // in the order of the file
}

// Account is the account of a statement as the file describes it; missing details are "".
type Account struct {
	Name     string
	Bank     string
	Holder   string
	IBAN     string
	Number   string // another number, when there is no IBAN
	Currency string
	Type     openbanking.CashAccountType

	Simulated bool // Florin exported it from a simulated bank
}

// Balance is a booked balance at the beginning or the end of a day.
type Balance struct {
	Amount money.Amount
	Date   openbanking.Date // "" when not given
}

// Row is one booked transaction. Its Transaction has the form in which a bank sends it, so that finance.Reader reads it like all others.
type Row struct {
	Line        int          // the line of the file on which it begins, from 1
	Amount      money.Amount // below zero is money out
	Transaction openbanking.Transaction
	Exported    *Exported // nil in files of other programs
}

// Exported holds the details of a row in the Florin that exported it (docs/export.md): as it was shown, and what the person added.
type Exported struct {
	ID                                            string // "" when it was deleted by hand
	Date                                          openbanking.Date
	Counterparty, CounterpartyAccount, Text, Kind string
	Payee                                         string // the clean name of the counterparty
	Category                                      string // the name of its category there; "" for none, and for a row with parts
	Tags                                          []string
	Note                                          string
	Parts                                         []Part
	Reviewed                                      bool
}

// Part is a part of a split row. Its amount is signed.
type Part struct {
	Amount         money.Amount
	Category, Note string
}

// Unread is a row that cannot be read, with the reason.
type Unread struct {
	Line   int
	Reason Finding
}

// Reading says how to read texts with several possible meanings. It can be kept and used for the next file of the same shape.
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
	Currency string // of rows whose file names none: the currency of the account into which they are imported
	Reading  Reading
	Columns  []Column // the content of each column of a CSV file
}

// Finding is a fact about a file, independent of any language. It is a type of this file or of package textfile.
type Finding = textfile.Finding

type fact = textfile.Fact

// Reasons why a file as a whole cannot be read, in addition to those of package textfile. They are the reason of a *textfile.Error.
type (
	NoRow       struct{ fact } // no account has a transaction
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
	NoCurrency   struct{ fact } // neither the file nor Options name a currency
	OtherMessage struct {       // XML or JSON that is not a statement
		fact

		Kind MessageKind
	}
	CutOff struct{ fact } // the file ends in the middle of a record
)

// MessageKind is a kind of XML or JSON without transactions.
type MessageKind int

// The recognised kinds of messages.
const (
	OtherXML MessageKind = iota
	OtherJSON
	Payments     // pain.001
	Notification // camt.054, which repeats entries of statements
)

// Reasons why a row cannot be read.
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
	WrongLine struct{ fact } // not of the form that the format requires
	ShortLine struct {
		fact

		Columns, Header int
	}
	LongText struct {
		fact

		Most int // characters
	}
	NotBooked  struct{ fact } // the bank has not booked it yet, so it may still change
	Investment struct{ fact } // it is about securities, not money
)

// Read reads a file in any of the formats. The error is a *textfile.Error.
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

// decode decodes a file. encoding is the one that was used when the file does not name its own: the one chosen by the person, else the one in which more
// columns have known names.
func decode(file []byte, chosen string) (text, encoding string, err error) {
	text, guessed, err := textfile.Decode(file, MaxBytes)
	if !guessed {
		return text, "", err
	}
	if chosen != "" {
		text, err = textfile.DecodeAs(chosen, file)
		return text, chosen, err
	}
	const other = "windows-1250" // for central Europe
	in, wrong := textfile.DecodeAs(other, file)
	switch {
	case wrong == nil && knownColumns(in) > knownColumns(text): // text is empty when it cannot be decoded
		return in, other, nil
	case err != nil:
		return "", "", err
	}
	return text, textfile.AssumedEncoding, nil
}

// read reads a text whose lines end in LF.
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
	name, account, bic          string   // of the counterparty
	text                        []string // lines of the remittance information
	creditor, mandate, endToEnd string   // mandate and creditor identifier of a direct debit; the end-to-end id of any payment
	kind                        string   // the bank's word for the kind of transaction
	family, subFamily           string   // bank transaction code of ISO 20022
	entryReference              string   // the id of the row at the bank
	paymentReference            string   // creditor reference
	exported                    *Exported
}

// row returns the row of a draft, or the reason why it cannot be read.
func (d *draft) row() (Row, Finding) {
	most := maxText
	if d.exported != nil {
		most = maxExported
	}
	switch {
	case d.booking == "" && d.value == "" && d.transaction == "" && d.exported == nil: // Florin keeps a row without a day when the bank gave none
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

// given returns a pointer to a text, nil for "".
func given[T ~string](text T) *T {
	if text == "" {
		return nil
	}
	return &text
}

// add adds the row of a draft to a statement, or to the unread rows.
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

// setNumber sets the IBAN of an account when the text is one, else its other number. A currency may follow the IBAN.
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

// isCurrency reports whether a text is the code of a known currency.
func isCurrency(text string) bool {
	_, known := money.Exponent(text)
	return known
}

// named returns the statement of an account, and adds it when it is new. The error has the reason TooManyAccounts.
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
