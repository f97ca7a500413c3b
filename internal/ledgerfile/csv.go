package ledgerfile

import (
	"bufio"
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"florin/internal/money"
)

// Options are how a CSV file is written: programs for tables read the one or the other by the country of the person. The zero value is what other programs
// read.
type Options struct {
	Separator Separator
	Decimal   Decimal
	Encoding  Encoding
}

// Separator stands between two cells.
type Separator string

// Separators.
const (
	Comma     Separator = "comma"
	Semicolon Separator = "semicolon"
	Tab       Separator = "tab"
)

// Separators lists the separators as they are offered.
func Separators() []Separator { return []Separator{Comma, Semicolon, Tab} }

func (s Separator) rune() rune {
	switch s {
	case Semicolon:
		return ';'
	case Tab:
		return '\t'
	}
	return ','
}

// Decimal is the sign before the decimals of an amount.
type Decimal string

// Decimals.
const (
	Point        Decimal = "point"
	DecimalComma Decimal = "comma"
)

// Decimals lists the signs as they are offered.
func Decimals() []Decimal { return []Decimal{Point, DecimalComma} }

// Encoding is how letters are written.
type Encoding string

// Encodings.
const (
	UTF8        Encoding = "utf-8"
	UTF8BOM     Encoding = "utf-8-bom"    // with a mark at the beginning, by which Excel knows it
	Windows1252 Encoding = "windows-1252" // for old programs; what it does not have is written "?"
)

// Encodings lists the encodings as they are offered.
func Encodings() []Encoding { return []Encoding{UTF8, UTF8BOM, Windows1252} }

// columns are the column set "florin-1" (docs/export.md).
var columns = []string{"date", "booking_date", "value_date", "transaction_date", "account", "account_number", "bank", "counterparty", "counterparty_account",
	"amount", "currency", "text", "kind", "reference", "id", "payee", "category", "tags", "note", "parts", "reviewed"}

// Columns are the names of the columns of a CSV file, in their order.
func Columns() []string { return slices.Clone(columns) }

// writeCSV writes a table after RFC 4180: a first line with the names of the columns, lines that end with CR LF, quotes where they are needed.
func writeCSV(w *bufio.Writer, l Ledger, o Options) error {
	if o.Encoding == UTF8BOM {
		_, _ = w.WriteRune('\uFEFF')
	}
	out := csv.NewWriter(w)
	out.Comma, out.UseCRLF = o.Separator.rune(), true
	if err := out.Write(columns); err != nil {
		return err
	}
	cell := func(text string) string { return o.Encoding.write(harmless(text)) }
	number := o.Decimal.number
	for r, err := range l.Rows {
		if err != nil {
			return err
		}
		var parts []string
		for _, p := range r.Parts {
			parts = append(parts, strings.TrimSpace(p.Category.Name+": "+number(p.Amount)+" "+p.Note))
		}
		a, reviewed := l.Accounts[r.Account], ""
		if r.Reviewed {
			reviewed = "yes"
		}
		err := out.Write([]string{string(r.Date), string(r.BookingDate), string(r.ValueDate), string(r.TransactionDate),
			cell(a.Name), cell(a.number()), cell(a.Bank), cell(r.Counterparty), cell(r.CounterpartyAccount),
			number(r.Amount), cell(r.Amount.Currency()), cell(r.Text), cell(r.Kind), cell(r.Reference), cell(r.ID),
			cell(r.payee()), cell(r.Category.Name), cell(strings.Join(r.Tags, ", ")), cell(r.Note), cell(strings.Join(parts, "\n")), reviewed})
		if err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// Cell is a cell of a table: a text or an amount.
type Cell struct {
	Text   string
	Amount *money.Amount // in place of a text, without its currency
}

// WriteTable writes a table as a CSV file, by the same rules as one with transactions.
func WriteTable(w io.Writer, rows [][]Cell, o Options) error {
	if o.Encoding == UTF8BOM {
		if _, err := io.WriteString(w, "\uFEFF"); err != nil {
			return err
		}
	}
	out := csv.NewWriter(w)
	out.Comma, out.UseCRLF = o.Separator.rune(), true
	for _, row := range rows {
		line := make([]string, len(row))
		for i, cell := range row {
			if line[i] = o.Encoding.write(harmless(cell.Text)); cell.Amount != nil {
				line[i] = o.Decimal.number(*cell.Amount)
			}
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// number writes an amount without its currency.
func (d Decimal) number(a money.Amount) string {
	if d == DecimalComma {
		return strings.Replace(a.String(), ".", ",", 1)
	}
	return a.String()
}

// dangerous are the characters with which a program for tables takes a cell for a formula, in both widths, and the apostrophe that harmless puts before them.
const dangerous = "=+-@\t\r\n'＝＋－＠"

// harmless is a text that no program for tables takes for a formula (OWASP: CSV Injection). An apostrophe stands before one that could be: whoever reads the
// file takes away the apostrophe that comes before one of the dangerous characters.
func harmless(text string) string {
	if first, _ := utf8.DecodeRuneInString(text); text != "" && strings.ContainsRune(dangerous, first) {
		return "'" + text
	}
	return text
}

// Unguarded is a text as it was before harmless: the text of a cell that Florin wrote.
func Unguarded(cell string) string {
	if rest, ok := strings.CutPrefix(cell, "'"); ok {
		if first, _ := utf8.DecodeRuneInString(rest); rest != "" && strings.ContainsRune(dangerous, first) {
			return rest
		}
	}
	return cell
}

// write is a text in the encoding, byte by byte.
func (e Encoding) write(text string) string {
	if e != Windows1252 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		c, ok := charmap.Windows1252.EncodeRune(r)
		if !ok {
			c = '?'
		}
		b.WriteByte(c)
	}
	return b.String()
}
