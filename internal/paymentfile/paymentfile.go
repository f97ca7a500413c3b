// Package paymentfile reads the files and codes in which other programs write payments: CSV, pain.001, and the QR code of an invoice.
package paymentfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"florin/internal/finance"
	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// Bounds of a file with payments.
const (
	MaxBytes    = 1 << 20
	MaxRows     = 2000
	maxXMLDepth = 30
)

// File is what a file with payments asks for: one transfer a row, each with what is wrong about it.
type File struct {
	Rows     []Row
	Problems []string             // about the file as a whole
	Notes    []string             // other statements of the file, and what Florin does with them
	Debtor   finance.PayeeAccount // the account that the file names as the payer's; zero without
	Charges  openbanking.ChargeBearerCode
	Priority openbanking.PriorityCode
}

// Row is one transfer of a file.
type Row struct {
	Line     int // of the file for CSV; the number of the transfer for pain.001, both from 1
	Transfer openbanking.CreditTransferTransaction
	Amount   money.Amount // zero when it cannot be read
	Faults   []RowFault
}

// RowFault is something wrong with a row.
type RowFault struct {
	Field   string // "name", "iban", "bic", "amount", "currency", "date", "reference", "text", "address"; "" for the row as a whole
	Problem string // in words: what is wrong and what to do
}

// Good reports whether nothing is wrong with the file or a row.
func (b *File) Good() bool {
	return len(b.Problems) == 0 && !slices.ContainsFunc(b.Rows, func(r Row) bool { return len(r.Faults) > 0 })
}

// Totals are the sums of the rows whose amount can be read, one for each currency.
func (b *File) Totals() ([]money.Amount, error) {
	var amounts []money.Amount
	for _, r := range b.Rows {
		if !r.Amount.IsZero() {
			amounts = append(amounts, r.Amount)
		}
	}
	return money.Sum(amounts...)
}

// Transfers are the transfers of the rows.
func (b *File) Transfers() []openbanking.CreditTransferTransaction {
	all := make([]openbanking.CreditTransferTransaction, 0, len(b.Rows))
	for _, r := range b.Rows {
		all = append(all, r.Transfer)
	}
	return all
}

// EqualRows are rows that pay the same amount to the same account: meant, or in the file twice by mistake.
type EqualRows struct {
	Rows   []int // positions, at least two
	Payee  string
	To     finance.PayeeAccount
	Amount money.Amount
	Whole  bool // name, texts and reference are equal, too
}

// Key names what the person saw: agreeing to two equal rows is not agreeing to three.
func (e EqualRows) Key() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %q %q %s %s", len(e.Rows), e.To.Scheme, e.To.Number, e.Amount, e.Amount.Currency()))
	return hex.EncodeToString(sum[:])
}

// payee is the name of whom a transfer pays, "" without one.
func payee(t openbanking.CreditTransferTransaction) string {
	if c := t.Beneficiary.Creditor; c != nil {
		return text(c.Name)
	}
	return ""
}

// text is what p points to, or "".
func text[T ~string](p *T) T {
	if p == nil {
		return ""
	}
	return *p
}

// Equal finds the rows that pay the same amount to the same account, in the order of the file. Rows with a fault are left out.
func (b *File) Equal() []EqualRows {
	type key struct {
		to     finance.PayeeAccount
		amount money.Amount
	}
	at := map[key]int{}
	var all []EqualRows
	text := func(i int) string {
		t := b.Rows[i].Transfer
		return finance.NameKey(payee(t)) + "\n" + finance.ReferenceKey(t)
	}
	for i, r := range b.Rows {
		if len(r.Faults) > 0 {
			continue
		}
		k := key{finance.PayeeAccountOf(r.Transfer.Beneficiary.CreditorAccount), r.Amount}
		n, seen := at[k]
		if !seen {
			at[k] = len(all)
			all = append(all, EqualRows{Rows: []int{i}, Payee: finance.Clean(payee(r.Transfer)), To: k.to, Amount: k.amount, Whole: true})
			continue
		}
		all[n].Whole = all[n].Whole && text(i) == text(all[n].Rows[0])
		all[n].Rows = append(all[n].Rows, i)
	}
	return slices.DeleteFunc(all, func(e EqualRows) bool { return len(e.Rows) < 2 })
}

// Errors of a file that cannot be read at all. Other errors name the place.
var (
	ErrSize  = fmt.Errorf("the file is larger than %d KiB. Split it into smaller ones", MaxBytes>>10)
	ErrEmpty = errors.New("the file holds no payment")
	ErrRows  = fmt.Errorf("the file holds more than %d payments. Split it into smaller ones", MaxRows)
	ErrText  = errors.New("the file is not written in UTF-8")
)

// Parse reads the text of a file with payments: pain.001 when it is XML, else CSV. currency is that of rows without one.
func Parse(text, currency string) (File, error) {
	if len(text) > MaxBytes {
		return File{}, ErrSize
	}
	text = strings.TrimPrefix(text, "\ufeff")
	if !utf8.ValidString(text) {
		return File{}, notUTF8([]byte(text))
	}
	if strings.HasPrefix(strings.TrimSpace(text), "<") {
		return parsePain001(strings.TrimSpace(text))
	}
	return parseCSV(text, currency)
}

// raw is a row as texts.
type raw struct {
	line                                                 int
	name, account, bic, amount, currency, date, endToEnd string
	text                                                 []string
	reference                                            string
	scheme                                               openbanking.SchemeName // "" for an IBAN
	address                                              *openbanking.PostalAddress
	plain                                                bool // the amount is of a machine
}

// row checks a row and makes a transfer of it.
func (r raw) row() Row {
	b := Row{Line: r.line}
	fault := func(field, problem string) { b.Faults = append(b.Faults, RowFault{field, problem}) }
	name := finance.Typed(r.name)
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		fault("name", "The name of the payee is missing: write it as it is on the invoice.")
	case n > 70:
		fault("name", fmt.Sprintf("The name has %d characters; 70 are allowed. Shorten it.", n))
	case strings.ContainsRune(name, utf8.RuneError):
		fault("name", "The name has a damaged character (�). Type the name anew.")
	}
	b.Transfer.Beneficiary.Creditor = &openbanking.PartyIdentification{Name: &name, PostalAddress: r.address}
	b.Transfer.Beneficiary.CreditorAccount = openbanking.GenericIdentification{Identification: finance.Clean(r.account), SchemeName: openbanking.SchemeNameIBAN}
	if r.scheme != "" && r.scheme != openbanking.SchemeNameIBAN {
		b.Transfer.Beneficiary.CreditorAccount = openbanking.GenericIdentification{Identification: finance.PayeeAccountOf(openbanking.GenericIdentification{Identification: r.account, SchemeName: r.scheme}).Number, SchemeName: r.scheme}
	} else if number, err := iban.Parse(r.account); err != nil {
		fault("iban", err.Error())
	} else {
		b.Transfer.Beneficiary.CreditorAccount.Identification = number.String()
	}
	if r.bic != "" {
		if bic, err := iban.ParseBIC(r.bic); err != nil {
			fault("bic", err.Error()+" It may be left out.")
		} else {
			code := bic.String()
			b.Transfer.Beneficiary.CreditorAgent = &openbanking.FinancialInstitutionIdentification{BICFI: &code}
		}
	}
	r.sum(&b, fault)
	if r.date != "" {
		if date, err := finance.ParseDay(r.date); err != nil {
			fault("date", sentence(err))
		} else {
			b.Transfer.RequestedExecutionDate = &date
		}
	}
	if id := finance.Typed(r.endToEnd); id != "" && !strings.EqualFold(id, "NOTPROVIDED") {
		if n := utf8.RuneCountInString(id); n > 35 {
			fault("reference", fmt.Sprintf("The end-to-end id has %d characters; 35 are allowed. Shorten it or leave it out.", n))
		} else {
			b.Transfer.PaymentID = &openbanking.PaymentIdentification{EndToEndID: &id}
		}
	}
	if reference := finance.Typed(r.reference); reference != "" {
		b.Transfer.ReferenceNumber = &reference
	}
	for _, line := range r.text {
		if line = finance.Typed(line); line != "" {
			b.Transfer.RemittanceInformation = append(b.Transfer.RemittanceInformation, line)
		}
	}
	if strings.ContainsRune(strings.Join(b.Transfer.RemittanceInformation, ""), utf8.RuneError) {
		fault("text", "The text has a damaged character (�). Type the text anew.")
	}
	return b
}

// sum reads the amount, by the rules of people or of machines.
func (r raw) sum(b *Row, fault func(field, problem string)) {
	currency := strings.ToUpper(strings.TrimSpace(r.currency))
	parse := finance.ParseAmount
	if r.plain {
		parse = func(text, currency string) (money.Amount, error) {
			a, err := money.Parse(text, currency)
			if err == nil && a.Sign() <= 0 {
				err = finance.ErrZero
			}
			return a, err
		}
	}
	amount, err := parse(r.amount, currency)
	if _, known := money.Exponent(currency); !known {
		err = money.ErrCurrency
	}
	switch {
	case errors.Is(err, money.ErrCurrency):
		fault("currency", sentence(money.ErrCurrency))
	case strings.TrimSpace(r.amount) == "":
		fault("amount", "The amount is missing. "+sentence(money.ErrSyntax))
	case err != nil:
		fault("amount", sentence(err))
	default:
		b.Amount = amount
		b.Transfer.InstructedAmount = openbanking.AmountType{Currency: currency, Amount: amount.String()}
	}
}

// sentence makes an error a sentence.
func sentence(err error) string {
	text := err.Error()
	first, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(string(first)) + strings.TrimSuffix(text[size:], ".") + "."
}
