package statementfile

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"florin/internal/iban"
	"florin/internal/ledgerfile"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/textfile"
)

// The files that Florin exports (package ledgerfile, docs/export.md) are read as the same rows, with their ids.

// florinRow is a row of such a file, in JSON.
type florinRow struct {
	Account             int              `json:"account"`
	ID                  string           `json:"id"`
	Date                openbanking.Date `json:"date"`
	BookingDate         openbanking.Date `json:"booking_date"`
	ValueDate           openbanking.Date `json:"value_date"`
	TransactionDate     openbanking.Date `json:"transaction_date"`
	Amount              string           `json:"amount"`
	Currency            string           `json:"currency"`
	Counterparty        string           `json:"counterparty"`
	CounterpartyAccount string           `json:"counterparty_account"`
	Text                string           `json:"text"`
	Kind                string           `json:"kind"`
	Reference           string           `json:"reference"`
	Payee               string           `json:"payee"`
	Category            string           `json:"category"`
	Tags                []string         `json:"tags"`
	Note                string           `json:"note"`
	Parts               []florinPart     `json:"parts"`
	Reviewed            bool             `json:"reviewed"`
}

type florinPart struct {
	Amount   string `json:"amount"`
	Category string `json:"category"`
	Note     string `json:"note"`
}

// draft returns the row as a draft, like rows of other formats. line is its line in the file.
func (r florinRow) draft(line int) (draft, Finding) {
	for _, day := range []openbanking.Date{r.Date, r.BookingDate, r.ValueDate, r.TransactionDate} {
		if day == "" {
			continue
		}
		if again, ok := parseDay(string(day), YearMonthDay); !ok || again != day {
			return draft{}, WrongDay{Text: excerpt(string(day))}
		}
	}
	amount, err := money.Parse(r.Amount, r.Currency)
	switch {
	case errors.Is(err, money.ErrCurrency):
		return draft{}, WrongCurrency{Text: excerpt(r.Currency)}
	case err != nil:
		return draft{}, WrongAmount{Text: excerpt(r.Amount)}
	}
	x := &Exported{ID: r.ID, Date: r.Date, Counterparty: r.Counterparty, CounterpartyAccount: r.CounterpartyAccount, Text: r.Text, Kind: r.Kind,
		Payee: r.Payee, Category: r.Category, Tags: r.Tags, Note: r.Note, Reviewed: r.Reviewed}
	for _, p := range r.Parts {
		part, err := money.Parse(p.Amount, r.Currency)
		if err != nil {
			return draft{}, WrongAmount{Text: excerpt(p.Amount)}
		}
		x.Parts = append(x.Parts, Part{Amount: part, Category: p.Category, Note: p.Note})
	}
	return draft{line: line, exported: x, amount: amount, booking: r.BookingDate, value: r.ValueDate, transaction: r.TransactionDate,
		name: r.Counterparty, account: r.CounterpartyAccount, text: []string{r.Text}, kind: r.Kind, entryReference: r.Reference}, nil
}

// readFlorinCSV reads the lines below the names of the columns. Exported amounts have no thousands separators, so any sign in them is the decimal sign.
func readFlorinCSV(lines []textfile.Line) (File, error) {
	f := File{Format: CSV}
	at := map[string]int{}
	for i, name := range ledgerfile.Columns() {
		at[name] = i
	}
	for _, line := range lines {
		if len(line.Cells) != len(at) {
			f.unread(line.Number, ShortLine{Columns: len(line.Cells), Header: len(at)})
			continue
		}
		cell := func(name string) string { return ledgerfile.Unguarded(line.Cells[at[name]]) }
		day := func(name string) openbanking.Date { return openbanking.Date(cell(name)) }
		r := florinRow{ID: cell("id"), Date: day("date"), BookingDate: day("booking_date"), ValueDate: day("value_date"),
			TransactionDate: day("transaction_date"), Amount: strings.Replace(line.Cells[at["amount"]], ",", ".", 1), Currency: cell("currency"), Counterparty: cell("counterparty"),
			CounterpartyAccount: cell("counterparty_account"), Text: cell("text"), Kind: cell("kind"), Reference: cell("reference"),
			Payee: cell("payee"), Category: cell("category"), Note: cell("note"), Reviewed: cell("reviewed") != ""}
		if tags := cell("tags"); tags != "" {
			r.Tags = strings.Split(tags, ", ")
		}
		for text := range strings.Lines(cell("parts")) {
			r.Parts = append(r.Parts, partOf(strings.TrimSuffix(text, "\n")))
		}
		d, reason := r.draft(line.Number)
		if reason != nil {
			f.unread(line.Number, reason)
			continue
		}
		// The file does not name the currency of an account. When two accounts share a number, the currency of the rows distinguishes them.
		account := Account{Name: cell("account"), Bank: cell("bank"), Number: cell("account_number"), Currency: r.Currency}
		if _, err := iban.Parse(account.Number); err == nil {
			account.IBAN, account.Number = account.Number, ""
		}
		s, err := f.named(account)
		if err != nil {
			return File{}, err
		}
		f.add(s, &d)
	}
	return f, nil
}

// partOf parses a part of a row: category, amount and note, as in "Groceries: -12.00 fruit". The name of a category may contain a colon.
func partOf(text string) florinPart {
	for at := 0; ; {
		i := strings.Index(text[at:], ": ")
		if i < 0 {
			return florinPart{Amount: text}
		}
		category, rest := text[:at+i], text[at+i+len(": "):]
		amount, note, _ := strings.Cut(rest, " ")
		amount = strings.Replace(amount, ",", ".", 1)
		if _, err := money.Parse(amount, "XXX"); err == nil {
			return florinPart{Amount: amount, Category: category, Note: note}
		}
		at += i + len(": ")
	}
}

// readJSON reads a JSON export.
func readJSON(text string) (File, error) {
	f := File{Format: JSON}
	d := json.NewDecoder(strings.NewReader(text))
	line, counted := 1, int64(0)
	here := func() int { // returns the line in which the next value begins
		at := d.InputOffset()
		for at < int64(len(text)) && strings.IndexByte(" \t\n,", text[at]) >= 0 {
			at++
		}
		line += strings.Count(text[counted:at], "\n")
		counted = at
		return line
	}
	malformed := func(err error) error {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return textfile.Refuse(CutOff{})
		}
		return textfile.Refuse(OtherMessage{Kind: OtherJSON})
	}
	wants := func(want ...json.Token) error {
		for _, w := range want {
			if got, err := d.Token(); err != nil || got != w {
				return malformed(err)
			}
		}
		return nil
	}
	if err := wants(json.Delim('{'), "format", "florin-1", "accounts", json.Delim('[')); err != nil {
		return File{}, err
	}
	for d.More() {
		var a struct {
			Name      string                      `json:"name"`
			Bank      string                      `json:"bank"`
			Holder    string                      `json:"holder"`
			IBAN      string                      `json:"iban"`
			Number    string                      `json:"number"`
			Currency  string                      `json:"currency"`
			Type      openbanking.CashAccountType `json:"type"`
			Simulated bool                        `json:"simulated"`
		}
		if err := d.Decode(&a); err != nil {
			return File{}, malformed(err)
		}
		if len(f.Statements) == maxAccounts {
			return File{}, textfile.Refuse(TooManyAccounts{Most: maxAccounts})
		}
		f.Statements = append(f.Statements, Statement{Account: Account(a)})
	}
	if err := wants(json.Delim(']'), "transactions", json.Delim('[')); err != nil {
		return File{}, err
	}
	for d.More() {
		var r florinRow
		at := here()
		if err := d.Decode(&r); err != nil {
			return File{}, malformed(err)
		}
		draft, reason := r.draft(at)
		switch {
		case r.Account < 1 || r.Account > len(f.Statements):
			f.unread(at, WrongLine{})
		case reason != nil:
			f.unread(at, reason)
		default:
			f.add(&f.Statements[r.Account-1], &draft)
		}
	}
	if err := wants(json.Delim(']'), json.Delim('}')); err != nil {
		return File{}, err
	}
	return f, nil
}
