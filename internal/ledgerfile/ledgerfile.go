// Package ledgerfile writes booked transactions in the formats in which other programs read them. It is pure, and streams: rows come from an iterator,
// and none is kept. docs/export.md says what goes where in each format.
package ledgerfile

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// Account is an account whose rows are written.
type Account struct {
	Name      string // what the person calls it
	Bank      string
	Holder    string
	IBAN      string // "" when it has none
	Number    string // another number where there is no IBAN
	Currency  string
	Type      openbanking.CashAccountType
	Simulated bool     // of a simulated bank: the money is not real
	Closing   *Closing // nil when the bank tells no booked balance
}

// number is the IBAN, else the other number.
func (a Account) number() string { return cmp.Or(a.IBAN, a.Number) }

// Closing is the booked balance of an account.
type Closing struct {
	Amount money.Amount
	At     time.Time
}

// Row is one booked transaction.
type Row struct {
	Account             int              // index into Ledger.Accounts
	ID                  string           // of the row in its account, the same in every export; at most 35 letters, digits, "-" and "_"
	Date                openbanking.Date // the one that lists show; "" when the bank gives none, as the next three
	BookingDate         openbanking.Date
	ValueDate           openbanking.Date
	TransactionDate     openbanking.Date
	FirstSeen           openbanking.Date // when Florin first saw the row; stands in where a format needs a date and the bank gave none
	Amount              money.Amount     // signed: below zero is money out
	Counterparty        string
	CounterpartyAccount string // IBAN or another number
	Text                string // what the payment says
	Kind                string // the bank's word for the kind of transaction
	Reference           string // the bank's reference of the row
	Payee               string // the counterparty as Florin shows it; "" when it is as the bank wrote it
	Category            Category
	Tags                []string
	Note                string // lines of text
	Reviewed            bool   // by the person; a new row is not
	Parts               []Part // what a row was for that was for several things, in place of Category; they add up to Amount
}

// Category is what a row was for; zero when that is not known.
type Category struct {
	Name string
	Kind CategoryKind
}

// CategoryKind says where double-entry bookkeeping has a category.
type CategoryKind int

// The kinds of category.
const (
	Spending CategoryKind = iota
	Income
	Transfer // between the person's own accounts
)

// Part is a part of a row, with its sign.
type Part struct {
	Amount   money.Amount
	Category Category
	Note     string // one line
}

// day is the date that lists show, in formats that cannot do without one.
func (r Row) day() openbanking.Date { return cmp.Or(r.Date, r.FirstSeen, noDay) }

// booked is the day on which the bank booked the row, in the formats of statements.
func (r Row) booked() openbanking.Date { return cmp.Or(r.BookingDate, r.day()) }

// noDay stands in for a date that nobody knows.
const noDay = "1970-01-01"

// Rows yields rows, newest first, or an error as the last. It can be used again and begins anew then.
type Rows = iter.Seq2[Row, error]

// Ledger is what an export holds.
type Ledger struct {
	Accounts []Account
	Rows     Rows                   // of all accounts
	RowsOf   func(account int) Rows // of one of them, by its index
	Partial  bool                   // a search leaves rows out: the balances of the accounts do not fit to those that are left
	Made     time.Time
}

// Format is a file format.
type Format string

// The formats. Their names are part of the address of an export.
const (
	CSV       Format = "csv"
	JSON      Format = "json"
	OFX       Format = "ofx"
	QIF       Format = "qif"
	CAMT053   Format = "camt053"
	Beancount Format = "beancount"
	Hledger   Format = "hledger"
)

// kind is what a format needs to be written and sent.
type kind struct {
	write     func(w *bufio.Writer, l Ledger, o Options) error
	mediaType string
	extension string
}

// formats lists the formats as people choose them.
var formats = []Format{CSV, OFX, QIF, CAMT053, JSON, Beancount, Hledger}

func kindOf(f Format) (kind, bool) {
	switch f {
	case CSV:
		return kind{writeCSV, "text/csv", "csv"}, true
	case JSON:
		return kind{writeJSON, "application/json", "json"}, true
	case OFX:
		return kind{writeOFX, "application/x-ofx", "ofx"}, true
	case QIF:
		return kind{writeQIF, "application/x-qif", "qif"}, true
	case CAMT053:
		return kind{writeCAMT053, "application/xml", "xml"}, true
	case Beancount:
		return kind{writeBeancount, "text/plain", "beancount"}, true
	case Hledger:
		return kind{writeHledger, "text/plain", "journal"}, true
	}
	return kind{}, false
}

// Formats lists the formats in the order in which they are offered.
func Formats() []Format { return slices.Clone(formats) }

// Known reports whether there is such a format.
func (f Format) Known() bool { return slices.Contains(formats, f) }

// ContentType is the media type of a file in the format, with its encoding.
func (f Format) ContentType(o Options) string {
	k, _ := kindOf(f)
	charset := "utf-8"
	if f == CSV && o.Encoding == Windows1252 {
		charset = "windows-1252"
	}
	return k.mediaType + "; charset=" + charset
}

// FileName is what a file of the format is called, by the day on which it was made.
func (f Format) FileName(made time.Time) string {
	k, _ := kindOf(f)
	return "florin-" + made.Format(time.DateOnly) + "." + k.extension
}

// ErrUnknownFormat is the error for a format that there is not.
var ErrUnknownFormat = errors.New("ledgerfile: there is no such format")

// Write writes the ledger in a format. The options count for CSV alone. After an error what was written is no whole file. The error is that of the rows,
// of w, ErrChanged, or ErrUnknownFormat.
func Write(w io.Writer, f Format, l Ledger, o Options) error {
	k, ok := kindOf(f)
	if !ok {
		return ErrUnknownFormat
	}
	b := bufio.NewWriterSize(w, 32<<10)
	if err := k.write(b, l, o); err != nil {
		return err
	}
	return b.Flush()
}

// ErrChanged is the error of a statement whose rows changed while it was written: its balances, which stand before the rows, would be wrong.
var ErrChanged = errors.New("ledgerfile: the rows changed while they were written")

// statement is the rows of an account in one currency, summed up. Formats that follow a bank's statements have one for each.
type statement struct {
	Account
	index    int
	currency string
	partial  bool
	count    int
	sum      money.Amount     // of all rows, signed
	from, to openbanking.Date // of the rows; "" without any
}

// statements sums up the rows of all accounts. An account without rows has one, too, unless a search left them out.
func statements(l Ledger) ([]*statement, error) {
	var all []*statement
	for i, a := range l.Accounts {
		by := map[string]*statement{}
		if !l.Partial {
			by[a.Currency] = &statement{Account: a, index: i, currency: a.Currency, sum: money.FromMinor(0, a.Currency)}
		}
		for r, err := range l.RowsOf(i) {
			if err != nil {
				return nil, err
			}
			s := by[r.Amount.Currency()]
			if s == nil {
				s = &statement{Account: a, index: i, currency: r.Amount.Currency(), partial: l.Partial, sum: money.FromMinor(0, r.Amount.Currency())}
				by[s.currency] = s
			}
			if err := s.add(r, r.booked()); err != nil {
				return nil, err
			}
		}
		for _, currency := range slices.Sorted(maps.Keys(by)) {
			all = append(all, by[currency])
		}
	}
	return all, nil
}

// add adds a row, which lies on a day.
func (s *statement) add(r Row, day openbanking.Date) (err error) {
	s.sum, err = s.sum.Add(r.Amount)
	s.count++
	s.from, s.to = min(cmp.Or(s.from, day), day), max(s.to, day)
	return err
}

// balances are those before and after the rows. ok is false when they are not known: when rows are left out, or the bank tells no balance in the currency.
func (s *statement) balances() (opening, closing money.Amount, ok bool) {
	if s.partial || s.Closing == nil || s.Closing.Amount.Currency() != s.currency {
		return opening, closing, false
	}
	opening, err := s.Closing.Amount.Sub(s.sum)
	return opening, s.Closing.Amount, err == nil
}

// each calls write for the rows of a statement. It returns ErrChanged when they are not those that were summed up.
func (s *statement) each(l Ledger, write func(Row)) error {
	again := statement{sum: money.FromMinor(0, s.currency)}
	for r, err := range l.RowsOf(s.index) {
		if err != nil {
			return err
		}
		if r.Amount.Currency() != s.currency {
			continue
		}
		if err := again.add(r, r.booked()); err != nil {
			return err
		}
		write(r)
	}
	if again.count != s.count || again.sum != s.sum {
		return ErrChanged
	}
	return nil
}

// payee is the counterparty as Florin shows it.
func (r Row) payee() string { return cmp.Or(r.Payee, r.Counterparty) }

// title is what a row is called where a format needs a name, on one line: the payee, else the text, else the bank's word for its kind.
func (r Row) title() string {
	return cmp.Or(line(r.payee()), line(r.Text), line(r.Kind), "Transaction")
}

// line is a text without line breaks and other characters that are not seen.
func line(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == unicode.ReplacementChar:
			return -1
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		}
		return r
	}, text))
}

// cut is the first n characters of a text, and what is left of it.
func cut(text string, n int) (head, rest string) {
	for i := range text {
		if n == 0 {
			return text[:i], text[i:]
		}
		n--
	}
	return text, ""
}

// short is the first n characters of a line.
func short(text string, n int) string {
	head, _ := cut(line(text), n)
	return strings.TrimSpace(head)
}

// printf writes to a buffer, whose error is found when it is flushed.
func printf(w *bufio.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }
