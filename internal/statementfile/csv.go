package statementfile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"florin/internal/ledgerfile"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/textfile"
)

// Bounds of a CSV file.
const (
	maxColumns = 200
	headerIn   = 40 // the line with the names of the columns is looked for in so many lines
	sampled    = 200
)

// Table describes how a CSV file was read.
type Table struct {
	Header  []string   // the names of the columns; nil when no line holds them
	Columns []Column   // what they hold: Options.Columns, else a proposal
	Sample  [][]string // the first rows as written in the file
	Lacks   []Column   // missing columns that are needed to read any row: BookingDate, Amount
}

// Shape is equal for files with the same columns. A choice of columns made for one file is used for the next of the same shape.
func (t Table) Shape() string {
	sum := sha256.Sum256([]byte(strings.Join(t.Header, "\x00") + "\x00" + strings.Repeat("x", len(t.Columns))))
	return hex.EncodeToString(sum[:16])
}

// headerOf returns the index of the line with the names of the columns: the first with the most known names. It is -1 when the file begins with a row.
func headerOf(lines []textfile.Line) int {
	at, most := -1, 1
	for i, line := range lines[:min(len(lines), headerIn)] {
		if n := known(line.Cells); n > most {
			at, most = i, n
		}
	}
	if at < 0 && !slices.ContainsFunc(lines[0].Cells, isDay) {
		at = 0
	}
	return at
}

// knownColumns returns how many columns of a CSV text have a known name.
func knownColumns(text string) int {
	lines, _, err := textfile.Table(text)
	if err != nil || len(lines) == 0 {
		return 0
	}
	return known(lines[max(0, headerOf(lines))].Cells)
}

// readCSV reads a CSV file.
func readCSV(text string, o Options) (File, error) {
	lines, separator, err := textfile.Table(text)
	if err != nil {
		return File{}, err
	}
	if len(lines) == 0 {
		return File{}, textfile.Refuse(NoRow{})
	}
	at := headerOf(lines)
	rows := lines[at+1:]
	if len(rows) > MaxRows {
		return File{}, textfile.Refuse(TooManyRows{Most: MaxRows})
	}
	t := Table{}
	width := 0
	if at >= 0 {
		t.Header = lines[at].Cells
		for i, name := range t.Header {
			t.Header[i] = strings.TrimSpace(name)
		}
		width = len(t.Header)
	}
	for _, line := range rows[:min(len(rows), sampled)] {
		t.Sample = append(t.Sample, line.Cells)
		if at < 0 {
			width = max(width, len(line.Cells))
		}
	}
	if width > maxColumns {
		return File{}, textfile.Refuse(TooManyColumns{Count: width, Most: maxColumns})
	}
	if slices.Equal(t.Header, ledgerfile.Columns()) {
		return readFlorinCSV(rows)
	}
	t.Columns = slices.Clone(o.Columns)
	if len(t.Columns) != width {
		t.Columns = propose(t.Header, width, t.Sample)
	}
	r := tableReader{columns: t.Columns, Reading: o.Reading, account: Account{Currency: o.Currency}}
	if !r.has(BookingDate, ValueDate, TransactionDate) {
		t.Lacks = append(t.Lacks, BookingDate)
	}
	if !r.has(Amount, AmountOut, AmountIn) {
		t.Lacks = append(t.Lacks, Amount)
	}
	f := File{Format: CSV, Table: &t}
	if t.Lacks == nil {
		r.recognise(lines[:at+1], rows, separator)
		err = r.read(&f, rows)
	}
	f.Reading = r.Reading
	t.Sample = t.Sample[:min(len(t.Sample), 10)]
	return f, err
}

// tableReader reads the rows of a CSV file.
type tableReader struct {
	Reading
	columns []Column
	account Account
}

func (r *tableReader) has(some ...Column) bool {
	return slices.ContainsFunc(some, func(c Column) bool { return slices.Contains(r.columns, c) })
}

// cell returns the cell of a line in a column, or "". For several columns of text use texts.
func (r *tableReader) cell(line textfile.Line, column Column) string {
	if i := slices.Index(r.columns, column); i >= 0 && i < len(line.Cells) {
		return strings.TrimSpace(line.Cells[i])
	}
	return ""
}

func (r *tableReader) texts(line textfile.Line) (texts []string) {
	for i, column := range r.columns {
		if column == Text && i < len(line.Cells) {
			texts = append(texts, strings.TrimSpace(line.Cells[i]))
		}
	}
	return texts
}

// recognise determines the decimal sign and the order of days, and reads details of the account from the lines before the rows.
func (r *tableReader) recognise(before, rows []textfile.Line, separator rune) {
	var days, amounts []string
	for _, line := range rows {
		for _, column := range []Column{BookingDate, ValueDate, TransactionDate} {
			days = append(days, r.cell(line, column))
		}
		for _, column := range []Column{Amount, AmountOut, AmountIn, BalanceAfter} {
			amounts = append(amounts, r.cell(line, column))
		}
	}
	if r.Days == "" {
		var sure bool
		r.Days, sure = dayOrder(days)
		r.Unsure = r.Unsure || !sure
	}
	if r.Decimal == "" {
		var sure bool
		r.Decimal, sure = decimalOf(amounts, map[bool]Decimal{true: Comma, false: Point}[separator == ';'])
		r.Unsure = r.Unsure || !sure
	}
	for _, line := range before {
		for i, cell := range line.Cells {
			if isIBAN(cell) && r.account.IBAN == "" {
				r.account.setNumber(cell)
			}
			if _, currency := cutCurrency(cell); currency != "" && i < len(r.columns) && slices.Contains([]Column{Amount, AmountOut, AmountIn}, r.columns[i]) {
				r.account.Currency = currency
			}
		}
	}
}

// read reads the rows. The closing balance is the balance of the newest row.
func (r *tableReader) read(f *File, rows []textfile.Line) error {
	if common := r.commonCurrency(rows); common != "" {
		r.account.Currency = common
	}
	if r.account.Currency == "" && !r.has(Currency) {
		return textfile.Refuse(NoCurrency{})
	}
	downwards := r.downwards(rows)
	for _, line := range rows {
		d, reason := r.draft(line)
		if reason != nil {
			f.unread(line.Number, reason)
			continue
		}
		account := r.account
		if number := r.cell(line, AccountNumber); number != "" {
			account.IBAN, account.Number = "", ""
			account.setNumber(number)
		}
		s, err := f.named(account)
		if err != nil {
			return err
		}
		f.add(s, &d)
		balance, reason := parseAmount(r.cell(line, BalanceAfter), r.Decimal, d.amount.Currency())
		day := cmp.Or(d.booking, d.transaction, d.value)
		if reason == nil && (s.Closing == nil || day > s.Closing.Date || day == s.Closing.Date && !downwards) {
			s.Closing = &Balance{Amount: balance, Date: day}
		}
	}
	return nil
}

// downwards reports whether the newest rows come first.
func (r *tableReader) downwards(rows []textfile.Line) bool {
	var first, last openbanking.Date
	for _, line := range rows {
		if d, reason := r.draft(line); reason == nil {
			last = cmp.Or(d.booking, d.transaction, d.value)
			first = cmp.Or(first, last)
		}
	}
	return first > last
}

// commonCurrency returns the currency that more than half of the rows name, or "".
func (r *tableReader) commonCurrency(rows []textfile.Line) (common string) {
	count := map[string]int{}
	for _, line := range rows {
		currency := r.cell(line, Currency)
		if currency == "" {
			_, currency, _, _ = bareAmount(cmp.Or(r.cell(line, Amount), r.cell(line, AmountOut), r.cell(line, AmountIn)))
		}
		if isCurrency(currency) {
			if count[currency]++; 2*count[currency] > len(rows) {
				common = currency
			}
		}
	}
	return common
}

// draft reads a line.
func (r *tableReader) draft(line textfile.Line) (draft, Finding) {
	if r.short(line, BookingDate, ValueDate, TransactionDate) || r.short(line, Amount, AmountOut, AmountIn) {
		return draft{}, ShortLine{Columns: len(line.Cells), Header: len(r.columns)}
	}
	d := draft{line: line.Number, text: r.texts(line), kind: r.cell(line, Kind), paymentReference: r.cell(line, PaymentReference),
		entryReference: r.cell(line, Reference),
		endToEnd:       r.cell(line, EndToEnd), mandate: r.cell(line, Mandate), creditor: r.cell(line, Creditor), account: r.cell(line, CounterpartyAccount)}
	for _, day := range []struct {
		column Column
		to     *openbanking.Date
	}{{BookingDate, &d.booking}, {ValueDate, &d.value}, {TransactionDate, &d.transaction}} {
		text := r.cell(line, day.column)
		if text == "" {
			continue
		}
		var ok bool
		if *day.to, ok = parseDay(text, r.Days); !ok {
			return d, WrongDay{Text: excerpt(text)}
		}
	}
	var reason Finding
	if d.amount, reason = r.amount(line); reason != nil {
		return d, reason
	}
	d.name = r.cell(line, Counterparty)
	if other := map[bool]Column{true: Payee, false: Payer}[d.amount.Sign() < 0]; d.name == "" {
		d.name = r.cell(line, other)
	}
	return d, nil
}

// short reports whether a line ends before all of the given columns.
func (r *tableReader) short(line textfile.Line, some ...Column) bool {
	return !slices.ContainsFunc(some, func(c Column) bool {
		i := slices.Index(r.columns, c)
		return i >= 0 && i < len(line.Cells)
	})
}

// amount returns the signed amount of a line.
func (r *tableReader) amount(line textfile.Line) (money.Amount, Finding) {
	currency := r.account.Currency
	if said := r.cell(line, Currency); said != "" {
		if currency = strings.ToUpper(said); !isCurrency(currency) && currency != "XXX" {
			return money.Amount{}, WrongCurrency{Text: excerpt(said)}
		}
	}
	var amounts []money.Amount
	for _, column := range []Column{Amount, AmountOut, AmountIn} {
		text := r.cell(line, column)
		if text == "" {
			continue
		}
		amount, reason := parseAmount(text, r.Decimal, currency)
		if reason != nil {
			return money.Amount{}, reason
		}
		switch side := r.cell(line, Side); {
		case column == AmountOut:
			amount = amount.Abs().Neg()
		case column == Amount && side != "" && sideOf(side) == 0:
			return money.Amount{}, WrongSide{Text: excerpt(side)}
		case column == Amount && side != "" && sideOf(side) < 0:
			amount = amount.Abs().Neg()
		case column == Amount && side != "":
			amount = amount.Abs()
		case column == Amount && r.Turned:
			amount = amount.Neg()
		}
		if !amount.IsZero() || len(amounts) == 0 {
			amounts = append(slices.DeleteFunc(amounts, money.Amount.IsZero), amount)
		}
	}
	switch {
	case len(amounts) == 0:
		return money.Amount{}, NoAmount{}
	case len(amounts) > 1:
		return money.Amount{}, WrongAmount{Text: excerpt(amounts[0].String() + " " + amounts[1].String())}
	}
	return amounts[0], nil
}
