package finance

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// Bounds of a file with payments.
const (
	MaxBulkBytes = 1 << 20
	MaxBulkRows  = 2000
	maxXMLDepth  = 30
)

// Bulk is what a file asks for: one transfer a row, each with what is wrong about it.
type Bulk struct {
	Rows     []BulkRow
	Problems []string     // about the file as a whole
	Notes    []string     // other statements of the file, and what Florin does with them
	Debtor   PayeeAccount // the account that the file names as the payer's; zero without
	Charges  openbanking.ChargeBearerCode
	Priority openbanking.PriorityCode
}

// BulkRow is one transfer of a file.
type BulkRow struct {
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
func (b *Bulk) Good() bool {
	return len(b.Problems) == 0 && !slices.ContainsFunc(b.Rows, func(r BulkRow) bool { return len(r.Faults) > 0 })
}

// Totals are the sums of the rows whose amount can be read, one for each currency.
func (b *Bulk) Totals() ([]money.Amount, error) {
	var amounts []money.Amount
	for _, r := range b.Rows {
		if !r.Amount.IsZero() {
			amounts = append(amounts, r.Amount)
		}
	}
	return money.Sum(amounts...)
}

// Transfers are the transfers of the rows.
func (b *Bulk) Transfers() []openbanking.CreditTransferTransaction {
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
	To     PayeeAccount
	Amount money.Amount
	Whole  bool // name, texts and reference are equal, too
}

// Key names what the person saw: agreeing to two equal rows is not agreeing to three.
func (e EqualRows) Key() string {
	return digest("equal rows", strconv.Itoa(len(e.Rows)), string(e.To.Scheme), e.To.Number, e.Amount.String(), e.Amount.Currency())
}

// Equal finds the rows that pay the same amount to the same account, in the order of the file. Rows with a fault are left out.
func (b *Bulk) Equal() []EqualRows {
	type key struct {
		to     PayeeAccount
		amount money.Amount
	}
	at := map[key]int{}
	var all []EqualRows
	text := func(i int) string {
		t := b.Rows[i].Transfer
		name := ""
		if t.Beneficiary.Creditor != nil {
			name = value(t.Beneficiary.Creditor.Name)
		}
		return NameKey(name) + "\n" + squeeze(ReferenceText(t))
	}
	for i, r := range b.Rows {
		if len(r.Faults) > 0 {
			continue
		}
		k := key{PayeeAccountOf(r.Transfer.Beneficiary.CreditorAccount), r.Amount}
		n, seen := at[k]
		if !seen {
			at[k] = len(all)
			all = append(all, EqualRows{Rows: []int{i}, To: k.to, Amount: k.amount, Whole: true})
			if c := r.Transfer.Beneficiary.Creditor; c != nil {
				all[len(all)-1].Payee = Clean(value(c.Name))
			}
			continue
		}
		all[n].Whole = all[n].Whole && text(i) == text(all[n].Rows[0])
		all[n].Rows = append(all[n].Rows, i)
	}
	return slices.DeleteFunc(all, func(e EqualRows) bool { return len(e.Rows) < 2 })
}

// Errors of a file that cannot be read at all. Other errors name the place.
var (
	ErrBulkSize  = fmt.Errorf("the file is larger than %d KiB. Split it into smaller ones", MaxBulkBytes>>10)
	ErrBulkEmpty = errors.New("the file holds no payment")
	ErrBulkRows  = fmt.Errorf("the file holds more than %d payments. Split it into smaller ones", MaxBulkRows)
	ErrBulkText  = errors.New("the file is not written in UTF-8")
)

// ParseBulk reads the text of a file with payments: pain.001 when it is XML, else CSV. currency is that of rows without one.
func ParseBulk(text, currency string) (Bulk, error) {
	if len(text) > MaxBulkBytes {
		return Bulk{}, ErrBulkSize
	}
	text = strings.TrimPrefix(text, "\ufeff")
	if !utf8.ValidString(text) {
		return Bulk{}, notUTF8([]byte(text))
	}
	if strings.HasPrefix(strings.TrimSpace(text), "<") {
		return parsePain001(strings.TrimSpace(text))
	}
	return parseBulkCSV(text, currency)
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
func (r raw) row() BulkRow {
	b := BulkRow{Line: r.line}
	fault := func(field, problem string) { b.Faults = append(b.Faults, RowFault{field, problem}) }
	name := Typed(r.name)
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		fault("name", "The name of the payee is missing: write it as it is on the invoice.")
	case n > 70:
		fault("name", fmt.Sprintf("The name has %d characters; 70 are allowed. Shorten it.", n))
	case strings.ContainsRune(name, utf8.RuneError):
		fault("name", "The name has a damaged character (�). Type the name anew.")
	}
	b.Transfer.Beneficiary.Creditor = &openbanking.PartyIdentification{Name: &name, PostalAddress: r.address}
	b.Transfer.Beneficiary.CreditorAccount = openbanking.GenericIdentification{Identification: Clean(r.account), SchemeName: openbanking.SchemeNameIBAN}
	if r.scheme != "" && r.scheme != openbanking.SchemeNameIBAN {
		b.Transfer.Beneficiary.CreditorAccount = openbanking.GenericIdentification{Identification: compactNumber(r.account), SchemeName: r.scheme}
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
		if date, err := ParseDay(r.date); err != nil {
			fault("date", sentence(err))
		} else {
			b.Transfer.RequestedExecutionDate = &date
		}
	}
	if id := Typed(r.endToEnd); id != "" && !strings.EqualFold(id, "NOTPROVIDED") {
		if n := utf8.RuneCountInString(id); n > 35 {
			fault("reference", fmt.Sprintf("The end-to-end id has %d characters; 35 are allowed. Shorten it or leave it out.", n))
		} else {
			b.Transfer.PaymentID = &openbanking.PaymentIdentification{EndToEndID: &id}
		}
	}
	if reference := Typed(r.reference); reference != "" {
		b.Transfer.ReferenceNumber = &reference
	}
	for _, line := range r.text {
		if line = Typed(line); line != "" {
			b.Transfer.RemittanceInformation = append(b.Transfer.RemittanceInformation, line)
		}
	}
	if strings.ContainsRune(strings.Join(b.Transfer.RemittanceInformation, ""), utf8.RuneError) {
		fault("text", "The text has a damaged character (�). Type the text anew.")
	}
	return b
}

// sum reads the amount, by the rules of people or of machines.
func (r raw) sum(b *BulkRow, fault func(field, problem string)) {
	currency := strings.ToUpper(strings.TrimSpace(r.currency))
	parse := ParseAmount
	if r.plain {
		parse = func(text, currency string) (money.Amount, error) {
			a, err := money.Parse(text, currency)
			if err == nil && a.Sign() <= 0 {
				err = ErrZero
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

var (
	isoDay    = regexp.MustCompile(`^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[T ]00:00(?::00(?:\.0+)?)?Z?)?$`)
	dottedDay = regexp.MustCompile(`^([0-9]{1,2})\. ?([0-9]{1,2})\. ?([0-9]{4})$`)
)

// ParseDay reads a day as people write it where it can be meant in one way alone: "2026-12-31" and "31.12.2026". The error says what to do.
func ParseDay(text string) (openbanking.Date, error) {
	text = Typed(text)
	var parts [3]string
	if m := isoDay.FindStringSubmatch(text); m != nil {
		parts = [3]string{m[1], m[2], m[3]}
	} else if m := dottedDay.FindStringSubmatch(text); m != nil {
		parts = [3]string{m[3], m[2], m[1]}
	} else {
		return "", errors.New("the date is not of the form 2026-12-31 or 31.12.2026")
	}
	var n [3]int
	for i, part := range parts {
		n[i], _ = strconv.Atoi(part) // digits, by the expressions
	}
	day := time.Date(n[0], time.Month(n[1]), n[2], 0, 0, 0, 0, time.UTC)
	if n[0] < 1000 || day.Year() != n[0] || int(day.Month()) != n[1] || day.Day() != n[2] {
		problem := fmt.Sprintf("there is no day %s-%02d-%02d in the calendar", parts[0], n[1], n[2])
		if n[1] == 2 && n[2] == 29 {
			problem = fmt.Sprintf("%d is no leap year: February has 28 days", n[0])
		}
		return "", errors.New(problem)
	}
	return openbanking.DateOf(day), nil
}

// sentence makes an error a sentence.
func sentence(err error) string {
	text := err.Error()
	first, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(string(first)) + strings.TrimSuffix(text[size:], ".") + "."
}
