package statementfile

import (
	"slices"
	"strings"

	"florin/internal/openbanking"
	"florin/internal/textfile"
)

// qifTypes are the kinds of account whose lists hold money, by the word behind "!Type:".
var qifTypes = map[string]openbanking.CashAccountType{
	"bank": openbanking.CashAccountTypeCACC, "cash": openbanking.CashAccountTypeCASH, "ccard": openbanking.CashAccountTypeCARD,
	"oth a": openbanking.CashAccountTypeOTHR, "oth l": openbanking.CashAccountTypeLOAN,
}

// qifRecord is a record of a QIF file: the texts behind the letters with which its lines begin, in their order.
type qifRecord struct {
	line   int
	fields []qifField
}

type qifField struct {
	code byte
	text string
}

// first is the text of a letter, "" when the record has none.
func (r qifRecord) first(code byte) string {
	for _, f := range r.fields {
		if f.code == code {
			return f.text
		}
	}
	return ""
}

// qifReader reads a QIF file (Intuit: "Quicken Interchange Format specification").
type qifReader struct {
	Reading
	file     File
	currency string
	account  Account   // the one that the list belongs to
	accounts []Account // those that were named
	kind     string    // the word behind "!Type:", or "account"
	naming   bool      // records are accounts
	records  []struct {
		qifRecord

		account Account
		kind    string
	}
}

// readQIF reads a QIF file: lists of transactions, each of the account that was named before. The order of days and the decimal sign follow from all
// records together.
func readQIF(text string, o Options) (File, error) {
	r := qifReader{Reading: o.Reading, currency: o.Currency, file: File{Format: QIF}}
	record := qifRecord{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\n \t")
		switch {
		case line == "":
		case line[0] == '!':
			r.end(record)
			record = qifRecord{}
			r.begin(strings.ToLower(line[1:]))
		case line[0] == '^':
			r.end(record)
			record = qifRecord{}
		default:
			if record.fields == nil {
				record.line = number
			}
			if len(record.fields) == maxText {
				return File{}, textfile.Refuse(CutOff{})
			}
			record.fields = append(record.fields, qifField{line[0], strings.TrimSpace(line[1:])})
		}
	}
	if record.fields != nil {
		return File{}, textfile.Refuse(CutOff{})
	}
	return r.read()
}

// begin begins a list.
func (r *qifReader) begin(head string) {
	kind, isType := strings.CutPrefix(head, "type:")
	switch {
	case isType:
		r.naming, r.kind = false, strings.TrimSpace(kind)
		r.account.Type = qifTypes[r.kind]
	case strings.HasPrefix(head, "account"):
		r.naming = true
	case !strings.HasPrefix(head, "option") && !strings.HasPrefix(head, "clear"):
		r.naming, r.kind = false, head
	}
}

// end ends a record: an account, or a row of a list with money.
func (r *qifReader) end(record qifRecord) {
	switch {
	case record.fields == nil:
	case r.naming:
		r.account = Account{Name: record.first('N'), Currency: r.currency}
		words := strings.Fields(record.first('D')) // Florin writes bank, number and currency there
		for i, word := range words {
			if i == len(words)-1 && isCurrency(word) {
				r.account.Currency = word
			} else if isIBAN(word) {
				r.account.setNumber(word)
			}
		}
		if i := slices.IndexFunc(r.accounts, func(a Account) bool { return a.Name == r.account.Name }); i >= 0 && len(words) == 0 {
			r.account = r.accounts[i] // it is named again before its list
		}
		if len(r.accounts) < maxAccounts {
			r.accounts = append(r.accounts, r.account)
		}
	default:
		if r.account.Currency == "" {
			r.account.Currency = r.currency
		}
		r.records = append(r.records, struct {
			qifRecord

			account Account
			kind    string
		}{record, r.account, r.kind})
	}
}

// read reads the records.
func (r *qifReader) read() (File, error) {
	var days, amounts []string
	for _, record := range r.records {
		if _, money := qifTypes[record.kind]; money {
			days, amounts = append(days, record.first('D')), append(amounts, record.first('T'))
		}
	}
	if r.Days == "" {
		var sure bool
		if r.Days, sure = dayOrder(days); !sure { // as Quicken writes them
			r.Days, r.Unsure = MonthDayYear, true
		}
	}
	if r.Decimal == "" {
		var sure bool
		r.Decimal, sure = decimalOf(amounts, Point)
		r.Unsure = r.Unsure || !sure
	}
	for _, record := range r.records {
		_, money := qifTypes[record.kind]
		switch {
		case record.kind == "invst":
			r.file.unread(record.line, Investment{})
		case !money: // lists of categories, classes, prices
		case record.account.Currency == "":
			return File{}, textfile.Refuse(NoCurrency{})
		default:
			d, reason := r.draft(record.qifRecord, record.account.Currency)
			if reason != nil {
				r.file.unread(record.line, reason)
				continue
			}
			s, err := r.file.named(record.account)
			if err != nil {
				return File{}, err
			}
			r.file.add(s, &d)
		}
	}
	r.file.Reading = r.Reading
	return r.file, nil
}

// draft reads a transaction. Its split is text: a category and a memo with their amount on a line for each part.
func (r *qifReader) draft(record qifRecord, currency string) (draft, Finding) {
	d := draft{line: record.line, name: record.first('P'), paymentReference: record.first('N')}
	for _, f := range record.fields {
		switch f.code {
		case 'D':
			var ok bool
			if d.booking, ok = parseDay(f.text, r.Days); !ok {
				return d, WrongDay{Text: excerpt(f.text)}
			}
		case 'M':
			d.text = append(d.text, f.text)
		case 'S':
			d.text = append(d.text, f.text)
		case 'E', '$':
			if len(d.text) > 0 {
				d.text[len(d.text)-1] = strings.TrimSpace(d.text[len(d.text)-1] + " " + f.text)
			}
		}
	}
	amount := record.first('T')
	if amount == "" {
		amount = record.first('U')
	}
	var reason Finding
	d.amount, reason = parseAmount(amount, r.Decimal, currency)
	return d, reason
}
