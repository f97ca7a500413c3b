package statementfile

import (
	"html"
	"slices"
	"strings"

	"florin/internal/openbanking"
	"florin/internal/textfile"
)

// ofxReader reads both forms of OFX: SGML (1.x), in which elements with a text have no end tag, and XML (2.x). It relies only on the names of the elements
// (OFX 2.2, chapter 11; OFX 1.6, chapter 2).
type ofxReader struct {
	file      File
	currency  string // for rows whose statement names no currency
	open      []string
	statement *Statement
	row       *ofxRow
	balance   struct{ amount, day string }
}

// ofxRow is a transaction while it is read.
type ofxRow struct {
	draft

	number, kind string
	amount       string
	currency     string // the currency of the amount when it differs from that of the statement
	memo         string
}

// readOFX reads an OFX file. It refuses a document type and knows only the predefined entities, so no text can expand.
func readOFX(text string, o Options) (File, error) {
	r := ofxReader{file: File{Format: OFX}, currency: o.Currency}
	start := strings.Index(text, "<OFX>")
	line := 1 + strings.Count(text[:max(0, start)], "\n")
	if strings.Contains(text[:max(0, start)], "<!DOCTYPE") {
		return File{}, textfile.Refuse(textfile.DocumentType{})
	}
	if start < 0 {
		return File{}, textfile.Refuse(OtherMessage{Kind: OtherXML})
	}
	rest := text[start:]
	for {
		at := strings.IndexByte(rest, '<')
		if at < 0 {
			break
		}
		line += strings.Count(rest[:at], "\n")
		rest = rest[at:]
		switch {
		case strings.HasPrefix(rest, "<![CDATA["): // ofxValue reads it when it directly follows a tag; elsewhere it is wrong
			return File{}, textfile.Refuse(textfile.Malformed{Line: line})
		case strings.HasPrefix(rest, "<!--"):
			end := strings.Index(rest, "-->")
			if end < 0 {
				return File{}, textfile.Refuse(textfile.Malformed{Line: line})
			}
			line, rest = line+strings.Count(rest[:end], "\n"), rest[end:]
			continue
		case strings.HasPrefix(rest, "<!"):
			return File{}, textfile.Refuse(textfile.DocumentType{})
		}
		end := strings.IndexByte(rest, '>')
		if end < 0 {
			return File{}, textfile.Refuse(textfile.Malformed{Line: line})
		}
		name := strings.ToUpper(strings.TrimSpace(rest[1:end]))
		line, rest = line+strings.Count(rest[:end], "\n"), rest[end+1:]
		if name, ok := strings.CutPrefix(name, "/"); ok {
			if err := r.close(name); err != nil {
				return File{}, err
			}
			continue
		}
		name = strings.TrimSuffix(name, "/")
		value, length := ofxValue(rest)
		if value == "" {
			if len(r.open) == maxXMLDepth {
				return File{}, textfile.Refuse(textfile.TooDeep{})
			}
			r.begin(name, line)
			continue
		}
		line, rest = line+strings.Count(rest[:length], "\n"), rest[length:]
		if err := r.value(name, value); err != nil {
			return File{}, err
		}
	}
	if slices.Contains(r.open, "OFX") {
		return File{}, textfile.Refuse(CutOff{})
	}
	return r.file, nil
}

// ofxValue returns the text at the beginning of rest up to the next element, and its length in rest.
func ofxValue(rest string) (value string, length int) {
	if inner, ok := strings.CutPrefix(strings.TrimLeft(rest, " \t\n"), "<![CDATA["); ok {
		if text, _, closed := strings.Cut(inner, "]]>"); closed {
			return strings.TrimSpace(text), len(rest) - len(inner) + len(text) + len("]]>")
		}
	}
	length = strings.IndexByte(rest, '<')
	if length < 0 {
		length = len(rest)
	}
	return strings.TrimSpace(html.UnescapeString(rest[:length])), length
}

func (r *ofxReader) in(name string) bool { return slices.Contains(r.open, name) }

// begin opens an element that contains others or is empty.
func (r *ofxReader) begin(name string, line int) {
	r.open = append(r.open, name)
	switch name {
	case "STMTRS", "CCSTMTRS":
		kind := openbanking.CashAccountTypeCACC
		if name == "CCSTMTRS" {
			kind = openbanking.CashAccountTypeCARD
		}
		r.file.Statements = append(r.file.Statements, Statement{Account: Account{Currency: r.currency, Type: kind}})
		r.statement = &r.file.Statements[len(r.file.Statements)-1]
	case "STMTTRN":
		r.row = &ofxRow{draft: draft{line: line}}
	case "LEDGERBAL":
		r.balance.amount, r.balance.day = "", ""
	case "INVTRAN":
		r.file.unread(line, Investment{})
	}
}

// close closes an element, and those inside it that have no end tag.
func (r *ofxReader) close(name string) error {
	at := -1
	for i, open := range r.open {
		if open == name {
			at = i
		}
	}
	if at < 0 {
		return nil // the end tag of an element with a text
	}
	r.open = r.open[:at]
	switch name {
	case "STMTTRN":
		return r.transaction()
	case "LEDGERBAL":
		if r.statement == nil {
			return nil
		}
		day, known := parseDay(ofxDay(r.balance.day), YearMonthDay)
		if amount, reason := parseAmount(r.balance.amount, ofxDecimal(r.balance.amount), r.statement.Account.Currency); reason == nil && known {
			r.statement.Closing = &Balance{Amount: amount, Date: day}
		}
	case "STMTRS", "CCSTMTRS":
		r.statement = nil
	}
	return nil
}

// transaction adds the transaction that has ended.
func (r *ofxReader) transaction() error {
	row := r.row
	r.row = nil
	if row == nil || r.statement == nil {
		return nil
	}
	currency := r.statement.Account.Currency
	if row.currency != "" {
		currency = row.currency
	}
	if currency == "" {
		return textfile.Refuse(NoCurrency{})
	}
	var reason Finding
	row.draft.amount, reason = parseAmount(row.amount, ofxDecimal(row.amount), currency)
	switch {
	case reason != nil:
	case row.kind == "HOLD":
		reason = NotBooked{}
	case row.booking == "" && row.number != "":
		reason = WrongDay{Text: excerpt(row.number)}
	}
	if reason != nil {
		r.file.unread(row.line, reason)
		return nil
	}
	if row.memo != "" && row.memo != row.name {
		row.text = append(row.text, row.memo)
	}
	if row.kind != "CREDIT" && row.kind != "DEBIT" && row.kind != "OTHER" { // for these the amount says enough
		row.draft.kind = row.kind
	}
	r.file.add(r.statement, &row.draft)
	return nil
}

// ofxDay returns the day of a time: 20261122, 20261122120000, 20261122120000.000[-5:EST].
func ofxDay(text string) string { return text[:min(len(text), 8)] }

// ofxDecimal returns the decimal sign of an amount, "." or ",". Thousands separators are not allowed (OFX 2.2, 3.2.9.1), but some banks write them.
func ofxDecimal(text string) Decimal {
	if strings.LastIndexByte(text, ',') > strings.LastIndexByte(text, '.') {
		return Comma
	}
	return Point
}

// value reads an element with a text.
func (r *ofxReader) value(name, value string) error {
	switch {
	case r.row != nil:
		r.rowValue(name, value)
	case r.statement == nil:
	case name == "CURDEF":
		if !isCurrency(value) {
			return textfile.Refuse(NoCurrency{})
		}
		r.statement.Account.Currency = value
	case r.in("BANKACCTFROM") || r.in("CCACCTFROM"):
		switch name {
		case "ACCTID":
			r.statement.Account.setNumber(value)
		case "ACCTTYPE":
			switch value {
			case "SAVINGS", "MONEYMRKT", "CD":
				r.statement.Account.Type = openbanking.CashAccountTypeSVGS
			case "CREDITLINE":
				r.statement.Account.Type = openbanking.CashAccountTypeLOAN
			}
		}
	case r.in("LEDGERBAL") && name == "BALAMT":
		r.balance.amount = value
	case r.in("LEDGERBAL") && name == "DTASOF":
		r.balance.day = value
	}
	return nil
}

// rowValue reads an element of a transaction.
func (r *ofxReader) rowValue(name, value string) {
	day := func() openbanking.Date {
		d, known := parseDay(ofxDay(value), YearMonthDay)
		if !known {
			r.row.number = value
		}
		return d
	}
	switch row := r.row; name {
	case "TRNTYPE":
		row.kind = value
	case "DTPOSTED":
		row.booking = day()
	case "DTUSER":
		row.transaction = day()
	case "DTAVAIL":
		row.value = day()
	case "TRNAMT":
		row.amount = value
	case "FITID":
		row.entryReference = value
	case "NAME", "PAYEE":
		row.name = value
	case "MEMO":
		row.memo = value
	case "CHECKNUM":
		row.paymentReference = value
	case "ACCTID": // the account in BANKACCTTO or CCACCTTO
		row.account = value
	case "CURSYM":
		if r.in("CURRENCY") && isCurrency(value) {
			row.currency = value
		}
	}
}
