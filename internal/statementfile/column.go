package statementfile

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"

	"florin/internal/iban"
)

// Column is the content of a column in a CSV file.
type Column string

// Values of Column.
const (
	Nothing             Column = ""
	BookingDate         Column = "booking_date"
	ValueDate           Column = "value_date"
	TransactionDate     Column = "transaction_date"
	Amount              Column = "amount" // signed, or with Side
	AmountOut           Column = "amount_out"
	AmountIn            Column = "amount_in"
	Side                Column = "side" // says whether the row is money in or money out
	Currency            Column = "currency"
	Counterparty        Column = "counterparty" // the counterparty in either direction
	Payee               Column = "payee"        // the counterparty of money out
	Payer               Column = "payer"        // the counterparty of money in
	CounterpartyAccount Column = "counterparty_account"
	Text                Column = "text" // several columns may be texts
	Kind                Column = "kind"
	PaymentReference    Column = "payment_reference" // of an invoice
	Reference           Column = "reference"         // the id of the row at the bank
	EndToEnd            Column = "end_to_end"
	Mandate             Column = "mandate"
	Creditor            Column = "creditor_id"
	AccountNumber       Column = "account"
	BalanceAfter        Column = "balance"
)

// Columns lists the possible contents of a column in the order in which they are offered.
func Columns() []Column {
	return []Column{Nothing, BookingDate, ValueDate, TransactionDate, Amount, AmountOut, AmountIn, Side, Currency, Counterparty, Payee, Payer,
		CounterpartyAccount, Text, Kind, PaymentReference, Reference, EndToEnd, Mandate, Creditor, AccountNumber, BalanceAfter}
}

// columnNames is a data file, which a translator can extend.
//
//go:embed columns.txt
var columnNames string

// key returns the name of a column in small letters, without other signs.
func key(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// byName maps the key of a column's name to its possible meanings.
var byName = func() map[string][]Column {
	all := map[string][]Column{}
	var column Column
	for line := range strings.Lines(columnNames) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if head, rest, begins := strings.Cut(line, ":"); begins {
			column, line = Column(head), rest
		}
		for name := range strings.FieldsSeq(line) {
			all[name] = append(all[name], column)
		}
	}
	return all
}()

// columnsNamed returns the possible meanings of a column's name. The name may end in a currency: "Amount (EUR)", "Betrag in EUR".
func columnsNamed(name string) []Column {
	if found := byName[key(name)]; found != nil {
		return found
	}
	rest, currency := cutCurrency(name)
	if currency == "" {
		return nil
	}
	if found := byName[key(rest)]; found != nil {
		return found
	}
	return byName[strings.TrimSuffix(key(rest), "in")]
}

// cutCurrency removes the code or sign of a currency from the name of a column and returns both.
func cutCurrency(name string) (rest, currency string) {
	words := strings.FieldsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("()[]/:.", r) })
	for _, word := range words {
		code, known := currencySigns[word]
		if isCurrency(word) {
			code, known = word, true
		}
		if known && code != "" {
			return strings.Replace(name, word, "", 1), code
		}
	}
	return name, ""
}

// sides are the words for money out and money in.
var sides = map[bool]string{
	false: `d debit dbit dr s soll belastung lastschrift ausgang ausgabe af uit out debet dare debe cargo obciążenie wn débit sortie uscita`,
	true:  `c credit crdt cr h haben gutschrift eingang einnahme bij in kredit avere haber abono uznanie ma crédit entrée entrata`,
}

// sideOf returns the direction that a cell names: -1 for money out, 1 for money in, 0 for neither.
func sideOf(text string) int {
	switch strings.TrimSpace(text) {
	case "-", "\u2212":
		return -1
	case "+":
		return 1
	}
	word := key(text)
	for in, words := range sides {
		if slices.Contains(strings.Fields(words), word) {
			if in {
				return 1
			}
			return -1
		}
	}
	return 0
}

// fits reports whether a column can hold c: at least the given part of its cells must match, since some cells may be wrong, and lists may have totals between
// their rows.
func (c Column) fits(cells []string, part float64) bool {
	mostly := func(cells []string, is func(string) bool) bool { return share(cells, is) >= part }
	switch c {
	case BookingDate, ValueDate, TransactionDate:
		return mostly(cells, isDay) && len(cells) > 0
	case Amount, AmountOut, AmountIn, BalanceAfter:
		return mostly(cells, isAmount)
	case Side:
		return mostly(cells, func(cell string) bool { return sideOf(cell) != 0 }) && len(cells) > 0
	case Currency:
		return mostly(cells, func(cell string) bool { return isCurrency(strings.TrimSpace(cell)) }) && len(cells) > 0
	case CounterpartyAccount:
		return part < most || mostly(cells, isIBAN)
	case AccountNumber:
		return len(cells) > 1 && mostly(cells, func(cell string) bool { return cell == cells[0] })
	}
	return true
}

// The parts of cells that must match: in a column with a known name, and in one whose name says nothing.
const (
	many = 0.5
	most = 0.8
)

// share returns the part of the cells that match, 1 when there are none.
func share(cells []string, is func(string) bool) float64 {
	if len(cells) == 0 {
		return 1
	}
	count := 0
	for _, cell := range cells {
		if is(cell) {
			count++
		}
	}
	return float64(count) / float64(len(cells))
}

func isAmount(text string) bool {
	digits, _, _, ok := bareAmount(text)
	return ok && strings.Trim(digits, "0123456789.,") == "" && !isDay(text)
}

func isIBAN(text string) bool {
	_, err := iban.Parse(text)
	return err == nil
}

// propose proposes what the columns of a table hold, from their names and their cells.
func propose(header []string, width int, rows [][]string) []Column {
	columns := make([]Column, width)
	cells := make([][]string, width)
	for i := range cells {
		for _, row := range rows {
			if i < len(row) && strings.TrimSpace(row[i]) != "" {
				cells[i] = append(cells[i], strings.TrimSpace(row[i]))
			}
		}
	}
	free := func(c Column) bool { return c == Text || !slices.Contains(columns, c) }
	for i := range columns {
		if i >= len(header) {
			break
		}
		for _, column := range columnsNamed(header[i]) {
			if column.fits(cells[i], many) && free(column) {
				columns[i] = column
				break
			}
		}
	}
	has := func(some ...Column) bool {
		return slices.ContainsFunc(some, func(c Column) bool { return slices.Contains(columns, c) })
	}
	guess := func(column Column) {
		for i := range columns {
			if columns[i] == Nothing && len(cells[i]) > 0 && free(column) && column.fits(cells[i], most) {
				columns[i] = column
				return
			}
		}
	}
	if !has(BookingDate, ValueDate, TransactionDate) {
		guess(BookingDate)
		guess(ValueDate)
	}
	if !has(Amount, AmountOut, AmountIn) {
		guess(Amount)
		guess(BalanceAfter)
	}
	if !has(CounterpartyAccount, AccountNumber) {
		guess(CounterpartyAccount)
	}
	if !has(Currency) {
		guess(Currency)
	}
	if !has(Text) {
		at, longest := -1, 0
		for i := range columns {
			length := len(strings.Join(cells[i], ""))
			if columns[i] == Nothing && length > longest && share(cells[i], isAmount) < most && share(cells[i], isDay) < most {
				at, longest = i, length
			}
		}
		if at >= 0 {
			columns[at] = Text
		}
	}
	return columns
}

// known returns how many cells of a line are names of columns.
func known(cells []string) int {
	count := 0
	for _, cell := range cells {
		if columnsNamed(cell) != nil {
			count++
		}
	}
	return count
}
