package statementfile

import (
	"slices"
	"strings"

	"florin/internal/openbanking"
	"florin/internal/textfile"
)

// qifTypes maps the word after "!Type:" to the type of account, for lists of money.
var qifTypes = map[string]openbanking.CashAccountType{
	"bank": openbanking.CashAccountTypeCACC, "cash": openbanking.CashAccountTypeCASH, "ccard": openbanking.CashAccountTypeCARD,
	"oth a": openbanking.CashAccountTypeOTHR, "oth l": openbanking.CashAccountTypeLOAN,
}

// qifRecord is a record of a QIF file: its lines, each a letter and a text.
type qifRecord struct {
	line   int
	fields []qifField
}

type qifField struct {
	code byte
	text string
}

// first returns the text of the first line with a letter; "" when there is none.
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
	account  Account   // the account of the present list
	accounts []Account // all accounts named so far
	kind     string    // the word after "!Type:", or "account"
	naming   bool      // the records are accounts
	records  []struct {
		qifRecord

		account Account
		kind    string
	}
}

// readQIF reads a QIF file: lists of transactions, each for the account that was named before it. The order of days and the decimal sign are determined from
// all records together.
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

// begin starts a list.
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

// end processes a finished record: an account, or a row of a list of money.
func (r *qifReader) end(record qifRecord) {
	switch {
	case record.fields == nil:
	case r.naming:
		r.account = Account{Name: record.first('N'), Currency: r.currency}
		words := strings.Fields(record.first('D')) // Florin's exports have bank, number and currency there
		for i, word := range words {
			if i == len(words)-1 && isCurrency(word) {
				r.account.Currency = word
			} else if isIBAN(word) {
				r.account.setNumber(word)
			}
		}
		if i := slices.IndexFunc(r.accounts, func(a Account) bool { return a.Name == r.account.Name }); i >= 0 && len(words) == 0 {
			r.account = r.accounts[i] // it is named once more before its list
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

// read reads the rows.
func (r *qifReader) read() (File, error) {
	var days, amounts []string
	for _, record := range r.records {
		if _, money := qifTypes[record.kind]; money {
			days, amounts = append(days, record.first('D')), append(amounts, record.first('T'))
		}
	}
	if r.Days == "" {
		var sure bool
		if r.Days, sure = dayOrder(days); !sure { // the order of Quicken
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
		case !money: // a list of categories, classes or prices
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

// draft reads a transaction. Each part of a split becomes a line of text with its category, memo and amount.
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
