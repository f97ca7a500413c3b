// Package paymentfile reads the files and codes in which other programs write payments: CSV, pain.001, and the QR code of an invoice. For the apps and websites
// of banks it writes the code, a link, and pain.001.
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
	"florin/internal/textfile"
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
	Problems []Finding            // about the file as a whole
	Notes    []Finding            // other statements of the file, and what Florin does with them
	Debtor   finance.PayeeAccount // the account that the file names as the payer's; zero without
	Charges  openbanking.ChargeBearerCode
	Priority openbanking.PriorityCode
}

// Row is one transfer of a file.
type Row struct {
	Line     int // of the file for CSV; the number of the transfer for pain.001, both from 1
	Transfer openbanking.CreditTransferTransaction
	Amount   money.Amount // zero when it cannot be read
	Faults   []Finding
}

// Good reports whether nothing is wrong with the file or a row.
func (f *File) Good() bool {
	return len(f.Problems) == 0 && !slices.ContainsFunc(f.Rows, func(r Row) bool { return len(r.Faults) > 0 })
}

// Totals are the sums of the rows whose amount can be read, one for each currency.
func (f *File) Totals() ([]money.Amount, error) {
	var amounts []money.Amount
	for _, r := range f.Rows {
		if !r.Amount.IsZero() {
			amounts = append(amounts, r.Amount)
		}
	}
	return money.Sum(amounts...)
}

// Transfers are the transfers of the rows.
func (f *File) Transfers() []openbanking.CreditTransferTransaction {
	all := make([]openbanking.CreditTransferTransaction, 0, len(f.Rows))
	for _, r := range f.Rows {
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

// Key identifies the rows as the person saw them. When the file then has one more such row the key differs, so the person is asked again.
func (e EqualRows) Key() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %q %q %s %s", len(e.Rows), e.To.Scheme, e.To.Number, e.Amount, e.Amount.Currency()))
	return hex.EncodeToString(sum[:])
}

// payee is the name of whom a transfer pays, "" without one.
func payee(t openbanking.CreditTransferTransaction) string {
	if c := t.Beneficiary.Creditor; c != nil {
		return deref(c.Name)
	}
	return ""
}

// deref is what p points to, or "".
func deref[T ~string](p *T) T {
	if p == nil {
		return ""
	}
	return *p
}

// Equal finds the rows that pay the same amount to the same account, in the order of the file. Rows with a fault are left out.
func (f *File) Equal() []EqualRows {
	type key struct {
		to     finance.PayeeAccount
		amount money.Amount
	}
	at := map[key]int{}
	var all []EqualRows
	text := func(i int) string {
		t := f.Rows[i].Transfer
		return finance.NameKey(payee(t)) + "\n" + finance.ReferenceKey(t)
	}
	for i, r := range f.Rows {
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

// Bounds of texts, in characters (SEPA).
const (
	maxName      = 70
	maxReference = 35
)

// Parse reads the text of a file with payments: pain.001 when it is XML, else CSV. currency is that of rows without one.
func Parse(text, currency string) (File, error) {
	if len(text) > MaxBytes {
		return File{}, refuse(textfile.TooLarge{Most: MaxBytes})
	}
	text = strings.TrimPrefix(text, "\ufeff")
	if !utf8.ValidString(text) {
		return File{}, textfile.NotUTF8In([]byte(text))
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
	fault := func(f Finding) { b.Faults = append(b.Faults, f) }
	name := finance.Typed(r.name)
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		fault(NoName{})
	case n > maxName:
		fault(LongName{Length: n, Most: maxName})
	case strings.ContainsRune(name, utf8.RuneError):
		fault(DamagedName{})
	}
	b.Transfer.Beneficiary.Creditor = &openbanking.PartyIdentification{Name: &name, PostalAddress: r.address}
	b.Transfer.Beneficiary.CreditorAccount = openbanking.GenericIdentification{Identification: finance.Clean(r.account), SchemeName: openbanking.SchemeNameIBAN}
	if r.scheme != "" && r.scheme != openbanking.SchemeNameIBAN {
		b.Transfer.Beneficiary.CreditorAccount = openbanking.GenericIdentification{
			Identification: finance.PayeeAccountOf(openbanking.GenericIdentification{Identification: r.account, SchemeName: r.scheme}).Number,
			SchemeName:     r.scheme}
	} else if number, err := iban.Parse(r.account); err != nil {
		fault(WrongIBAN{Problem: err})
	} else {
		b.Transfer.Beneficiary.CreditorAccount.Identification = number.String()
	}
	if r.bic != "" {
		if bic, err := iban.ParseBIC(r.bic); err != nil {
			fault(WrongBIC{Problem: err})
		} else {
			code := bic.String()
			b.Transfer.Beneficiary.CreditorAgent = &openbanking.FinancialInstitutionIdentification{BICFI: &code}
		}
	}
	r.sum(&b, fault)
	if r.date != "" {
		if date, err := finance.ParseDay(r.date); err != nil {
			fault(WrongDay{Problem: err})
		} else {
			b.Transfer.RequestedExecutionDate = &date
		}
	}
	if id := finance.Typed(r.endToEnd); id != "" && !strings.EqualFold(id, "NOTPROVIDED") {
		if n := utf8.RuneCountInString(id); n > maxReference {
			fault(LongEndToEndID{Length: n, Most: maxReference})
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
		fault(DamagedText{})
	}
	return b
}

// sum reads the amount, by the rules of people or of machines.
func (r raw) sum(b *Row, fault func(Finding)) {
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
		fault(NoCurrency{})
	case strings.TrimSpace(r.amount) == "":
		fault(NoAmount{})
	case err != nil:
		fault(WrongAmount{Problem: err})
	default:
		b.Amount = amount
		b.Transfer.InstructedAmount = openbanking.AmountType{Currency: currency, Amount: amount.String()}
	}
}
