package finance

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
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
	Debtor   PayeeAccount // the account that the file names as the payer's; zero without
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
	Field   string // "name", "iban", "bic", "amount", "currency", "date", "reference"
	Problem string // in words
}

// Good reports whether nothing is wrong with the file or a row.
func (b Bulk) Good() bool {
	return len(b.Problems) == 0 && !slices.ContainsFunc(b.Rows, func(r BulkRow) bool { return len(r.Faults) > 0 })
}

// Totals are the sums of the rows whose amount can be read, one for each currency.
func (b Bulk) Totals() ([]money.Amount, error) {
	var amounts []money.Amount
	for _, r := range b.Rows {
		if !r.Amount.IsZero() {
			amounts = append(amounts, r.Amount)
		}
	}
	return money.Sum(amounts...)
}

// Transfers are the transfers of the rows.
func (b Bulk) Transfers() []openbanking.CreditTransferTransaction {
	all := make([]openbanking.CreditTransferTransaction, 0, len(b.Rows))
	for _, r := range b.Rows {
		all = append(all, r.Transfer)
	}
	return all
}

// Errors of a file that cannot be read at all. Other errors name the place.
var (
	ErrBulkSize  = fmt.Errorf("the file is larger than %d KiB", MaxBulkBytes>>10)
	ErrBulkEmpty = errors.New("the file holds no payment")
	ErrBulkRows  = fmt.Errorf("the file holds more than %d payments", MaxBulkRows)
	ErrBulkText  = errors.New("the file is not written in UTF-8")
)

// ParseBulk reads a file with payments: pain.001 when it is XML, else CSV.
func ParseBulk(file []byte, currency string) (Bulk, error) {
	if len(file) > MaxBulkBytes {
		return Bulk{}, ErrBulkSize
	}
	file = bytes.TrimPrefix(file, []byte("\ufeff"))
	if !utf8.Valid(file) {
		return Bulk{}, ErrBulkText
	}
	if bytes.HasPrefix(bytes.TrimSpace(file), []byte("<")) {
		return parsePain001(file)
	}
	return parseBulkCSV(file, currency)
}

// raw is a row as texts.
type raw struct {
	line                                                 int
	name, account, bic, amount, currency, date, endToEnd string
	text                                                 []string
	reference                                            string
	other                                                bool // the account is no IBAN
	plain                                                bool // the amount is of a machine
}

// row checks a row and makes a transfer of it.
func (r raw) row() BulkRow {
	b := BulkRow{Line: r.line}
	fault := func(field, problem string) { b.Faults = append(b.Faults, RowFault{field, problem}) }
	name := Clean(r.name)
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		fault("name", "The name of the payee is missing.")
	case n > 70:
		fault("name", fmt.Sprintf("The name has %d characters; 70 are allowed.", n))
	}
	b.Transfer.Beneficiary.Creditor = &openbanking.PartyIdentification{Name: &name}
	b.Transfer.Beneficiary.CreditorAccount = openbanking.GenericIdentification{Identification: Clean(r.account), SchemeName: openbanking.SchemeNameIBAN}
	if r.other {
		b.Transfer.Beneficiary.CreditorAccount.SchemeName = openbanking.SchemeNameBBAN
	} else if number, err := iban.Parse(r.account); err != nil {
		fault("iban", err.Error())
	} else {
		b.Transfer.Beneficiary.CreditorAccount.Identification = number.String()
	}
	if r.bic != "" {
		if bic, err := iban.ParseBIC(r.bic); err != nil {
			fault("bic", err.Error())
		} else {
			code := bic.String()
			b.Transfer.Beneficiary.CreditorAgent = &openbanking.FinancialInstitutionIdentification{BICFI: &code}
		}
	}
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
	switch {
	case errors.Is(err, money.ErrCurrency):
		fault("currency", sentence(err))
	case err != nil:
		fault("amount", sentence(err))
	default:
		b.Amount = amount
		b.Transfer.InstructedAmount = openbanking.AmountType{Currency: currency, Amount: amount.String()}
	}
	if r.date != "" {
		date := openbanking.Date(r.date)
		if _, err := date.Time(); err != nil {
			fault("date", "The date is not of the form 2026-12-31.")
		} else {
			b.Transfer.RequestedExecutionDate = &date
		}
	}
	if r.endToEnd != "" && !strings.EqualFold(r.endToEnd, "NOTPROVIDED") {
		if id := Clean(r.endToEnd); len(id) > 35 {
			fault("reference", "The end-to-end id has more than 35 characters.")
		} else {
			b.Transfer.PaymentID = &openbanking.PaymentIdentification{EndToEndID: &id}
		}
	}
	if reference := Clean(r.reference); reference != "" {
		b.Transfer.ReferenceNumber = &reference
	}
	for _, line := range r.text {
		if line = Clean(line); line != "" {
			b.Transfer.RemittanceInformation = append(b.Transfer.RemittanceInformation, line)
		}
	}
	return b
}

// sentence makes an error a sentence.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// columns are the names by which a column of a CSV file is known, in small letters.
var columns = map[string][]string{
	"name":      {"name", "payee", "creditor", "recipient", "beneficiary", "empfänger", "beguenstigter", "begünstigter"},
	"account":   {"iban", "account", "creditor iban", "payee iban", "konto", "creditor_iban"},
	"bic":       {"bic", "swift"},
	"amount":    {"amount", "betrag", "sum", "value"},
	"currency":  {"currency", "währung", "waehrung", "ccy"},
	"text":      {"text", "remittance", "message", "description", "verwendungszweck", "purpose", "reference text"},
	"reference": {"reference", "reference number", "reference_number", "ref"},
	"date":      {"date", "execution date", "execution_date", "datum"},
	"endToEnd":  {"end_to_end_id", "end-to-end id", "endtoendid", "e2e"},
}

// parseBulkCSV reads a CSV file with a first line that names the columns; comma, semicolon and tab separate. currency is that of rows without one.
func parseBulkCSV(file []byte, currency string) (Bulk, error) {
	first, _, _ := bytes.Cut(bytes.TrimLeft(file, "\r\n"), []byte("\n"))
	comma := ','
	for _, c := range []rune{';', '\t'} {
		if bytes.Count(first, []byte(string(c))) > bytes.Count(first, []byte(string(comma))) {
			comma = c
		}
	}
	reader := csv.NewReader(bytes.NewReader(file))
	reader.Comma, reader.FieldsPerRecord, reader.TrimLeadingSpace = comma, -1, true
	header, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return Bulk{}, ErrBulkEmpty
	}
	if err != nil {
		return Bulk{}, csvProblem(err)
	}
	at := map[string]int{}
	for i, name := range header {
		for column, names := range columns {
			if slices.Contains(names, strings.ToLower(Clean(name))) {
				if _, twice := at[column]; twice {
					return Bulk{}, fmt.Errorf("two columns are called %s", names[0])
				}
				at[column] = i
			}
		}
	}
	for column, word := range map[string]string{"name": "name", "account": "iban", "amount": "amount"} {
		if _, ok := at[column]; !ok {
			return Bulk{}, fmt.Errorf("the first line must name the columns; %s is missing. Columns are name, iban, amount, and where wanted currency, text, reference, date, bic", word)
		}
	}
	var b Bulk
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Bulk{}, csvProblem(err)
		}
		cell := func(column string) string {
			if i, ok := at[column]; ok && i < len(record) {
				return strings.TrimSpace(record[i])
			}
			return ""
		}
		if strings.TrimSpace(strings.Join(record, "")) == "" {
			continue
		}
		if len(b.Rows) == MaxBulkRows {
			return Bulk{}, ErrBulkRows
		}
		line, _ := reader.FieldPos(0)
		r := raw{line: line, name: cell("name"), account: cell("account"), bic: cell("bic"), amount: cell("amount"), currency: cell("currency"), date: cell("date"),
			endToEnd: cell("endToEnd"), reference: cell("reference"), text: []string{cell("text")}}
		if r.currency == "" {
			r.currency = currency
		}
		row := r.row()
		if len(record) != len(header) {
			row.Faults = append(row.Faults, RowFault{"", fmt.Sprintf("The line has %d columns; the first line has %d.", len(record), len(header))})
		}
		b.Rows = append(b.Rows, row)
	}
	if len(b.Rows) == 0 {
		return Bulk{}, ErrBulkEmpty
	}
	return b, nil
}

func csvProblem(err error) error {
	var e *csv.ParseError
	if errors.As(err, &e) {
		return fmt.Errorf("line %d cannot be read: its quotation marks do not fit", e.Line)
	}
	return errors.New("the file cannot be read")
}

// pain001 is the part of pain.001 (ISO 20022, customer credit transfer initiation) that is read.
type pain001 struct {
	XMLName    xml.Name `xml:"Document"`
	Initiation struct {
		Header struct {
			Count string `xml:"NbOfTxs"`
			Sum   string `xml:"CtrlSum"`
		} `xml:"GrpHdr"`
		Payments []struct {
			Date struct {
				Text string `xml:",chardata"`
				Date string `xml:"Dt"`
			} `xml:"ReqdExctnDt"`
			DebtorIBAN string `xml:"DbtrAcct>Id>IBAN"`
			Transfers  []struct {
				EndToEnd string `xml:"PmtId>EndToEndId"`
				Amount   struct {
					Text     string `xml:",chardata"`
					Currency string `xml:"Ccy,attr"`
				} `xml:"Amt>InstdAmt"`
				BIC       string   `xml:"CdtrAgt>FinInstnId>BIC"`
				BICFI     string   `xml:"CdtrAgt>FinInstnId>BICFI"`
				Name      string   `xml:"Cdtr>Nm"`
				IBAN      string   `xml:"CdtrAcct>Id>IBAN"`
				Other     string   `xml:"CdtrAcct>Id>Othr>Id"`
				Text      []string `xml:"RmtInf>Ustrd"`
				Reference string   `xml:"RmtInf>Strd>CdtrRefInf>Ref"`
			} `xml:"CdtTrfTxInf"`
		} `xml:"PmtInf"`
	} `xml:"CstmrCdtTrfInitn"`
}

const pain001Namespace = "urn:iso:std:iso:20022:tech:xsd:pain.001.001."

// parsePain001 reads a pain.001 file of any version. Document types are refused, so there are no entities but those of XML itself (ASVS 1.5.1).
func parsePain001(file []byte) (Bulk, error) {
	if err := scanXML(file); err != nil {
		return Bulk{}, err
	}
	var document pain001
	decoder := xml.NewDecoder(bytes.NewReader(file))
	if err := decoder.Decode(&document); err != nil || !strings.HasPrefix(document.XMLName.Space, pain001Namespace) {
		return Bulk{}, errors.New("the file is XML but no pain.001: save it as “pain.001” or “SEPA credit transfer” in the program it comes from")
	}
	var b Bulk
	for _, payment := range document.Initiation.Payments {
		if number := strings.TrimSpace(payment.DebtorIBAN); number != "" {
			account := PayeeAccountOf(openbanking.GenericIdentification{Identification: number, SchemeName: openbanking.SchemeNameIBAN})
			if b.Debtor.Number != "" && b.Debtor != account {
				b.Problems = append(b.Problems, "The file pays from more than one account. Make one file for each.")
			}
			b.Debtor = account
		}
		date := strings.TrimSpace(payment.Date.Date)
		if date == "" {
			date = strings.TrimSpace(payment.Date.Text)
		}
		for _, t := range payment.Transfers {
			if len(b.Rows) == MaxBulkRows {
				return Bulk{}, ErrBulkRows
			}
			r := raw{line: len(b.Rows) + 1, name: t.Name, account: t.IBAN, bic: strings.TrimSpace(t.BIC + t.BICFI), amount: strings.TrimSpace(t.Amount.Text), currency: t.Amount.Currency, date: date,
				endToEnd: strings.TrimSpace(t.EndToEnd), reference: t.Reference, text: t.Text, plain: true}
			if strings.TrimSpace(t.IBAN) == "" && strings.TrimSpace(t.Other) != "" {
				r.account, r.other = t.Other, true
			}
			b.Rows = append(b.Rows, r.row())
		}
	}
	if len(b.Rows) == 0 {
		return Bulk{}, ErrBulkEmpty
	}
	header := document.Initiation.Header
	if n, err := strconv.Atoi(strings.TrimSpace(header.Count)); strings.TrimSpace(header.Count) != "" && (err != nil || n != len(b.Rows)) {
		b.Problems = append(b.Problems, fmt.Sprintf("The file says that it holds %s payments; it holds %d. It may be damaged.", Excerpt(header.Count), len(b.Rows)))
	}
	if sum := strings.TrimSpace(header.Sum); sum != "" {
		totals, err := b.Totals()
		if err == nil && len(totals) == 1 {
			if stated, err := money.Parse(sum, totals[0].Currency()); err != nil || stated != totals[0] {
				b.Problems = append(b.Problems, fmt.Sprintf("The file says that its payments make %s; they make %s. It may be damaged.", Excerpt(sum), totals[0]))
			}
		}
	}
	return b, nil
}

// scanXML looks at the whole file before any of it is believed: it is well-formed, not deep, and has no document type.
func scanXML(file []byte) error {
	decoder := xml.NewDecoder(bytes.NewReader(file))
	depth := 0
	for {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			line, _ := decoder.InputPos()
			return fmt.Errorf("the file is no well-formed XML: look at line %d", line)
		}
		switch token.(type) {
		case xml.Directive:
			return errors.New("the file has a document type, which is not allowed")
		case xml.StartElement:
			if depth++; depth > maxXMLDepth {
				return errors.New("the file is nested too deeply")
			}
		case xml.EndElement:
			depth--
		}
	}
	return nil
}
