package ledgerfile_test

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"pgregory.net/rapid"

	"florin/internal/ledgerfile"
	"florin/internal/openbanking"
)

// unguarded takes away the apostrophe that stands before what a program for tables could take for a formula: the rule of docs/export.md.
func unguarded(cell string) string {
	if rest, ok := strings.CutPrefix(cell, "'"); ok && rest != "" && strings.ContainsAny(rest[:1], "=+-@\t\r\n'") {
		return rest
	}
	for _, wide := range []string{"＝", "＋", "－", "＠"} {
		if strings.HasPrefix(cell, "'"+wide) {
			return cell[1:]
		}
	}
	return cell
}

func table(t *testing.T, text string, comma rune) [][]string {
	t.Helper()
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = comma
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// partsOf are the parts of a row as a cell has them.
func partsOf(r ledgerfile.Row, decimal ledgerfile.Decimal) string {
	switch {
	case r.Parts == nil:
		return ""
	case decimal == ledgerfile.DecimalComma:
		return "[Food]/x: -10,00 a, b: c; \"d\"\n: -0,06"
	}
	return "[Food]/x: -10.00 a, b: c; \"d\"\n: -0.06"
}

func TestCSV(t *testing.T) {
	l := sample(false)
	want := rowsOf(t, l)
	for _, o := range []ledgerfile.Options{
		{},
		{Separator: ledgerfile.Semicolon, Decimal: ledgerfile.DecimalComma, Encoding: ledgerfile.UTF8BOM},
		{Separator: ledgerfile.Tab},
	} {
		text := written(t, ledgerfile.CSV, l, o)
		if o.Encoding == ledgerfile.UTF8BOM {
			var ok bool
			if text, ok = strings.CutPrefix(text, "\uFEFF"); !ok {
				t.Error("no mark at the beginning")
			}
		}
		if lines := strings.Count(text, "\r\n"); lines < len(want)+1 || strings.Contains(text, "\r\n\n") {
			t.Errorf("%v: %d lines end with CR LF", o, lines)
		}
		comma := map[ledgerfile.Separator]rune{"": ',', ledgerfile.Semicolon: ';', ledgerfile.Tab: '\t'}[o.Separator]
		got := table(t, text, comma)
		if len(got) != len(want)+1 {
			t.Fatalf("%v: %d lines, want %d", o, len(got), len(want)+1)
		}
		at := map[string]int{}
		for i, name := range got[0] {
			at[name] = i
		}
		for i, r := range want {
			a := l.Accounts[r.Account]
			amount := r.Amount.String()
			if o.Decimal == ledgerfile.DecimalComma {
				amount = strings.ReplaceAll(amount, ".", ",")
			}
			number := a.IBAN
			if number == "" {
				number = a.Number
			}
			for name, value := range map[string]string{"date": string(r.Date), "booking_date": string(r.BookingDate), "value_date": string(r.ValueDate),
				"transaction_date": string(r.TransactionDate), "account": a.Name, "account_number": number, "bank": a.Bank, "counterparty": r.Counterparty,
				"counterparty_account": r.CounterpartyAccount, "amount": amount, "currency": r.Amount.Currency(), "text": r.Text, "kind": r.Kind,
				"reference": r.Reference, "id": r.ID, "payee": cmp.Or(r.Payee, r.Counterparty), "category": r.Category.Name, "tags": strings.Join(r.Tags, ", "),
				"note": r.Note, "parts": partsOf(r, o.Decimal)} {
				cell := got[i+1][at[name]]
				if name != "amount" {
					if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r") {
						t.Errorf("a program for tables takes %q for a formula", cell)
					}
					cell = unguarded(cell)
				}
				if cell != strings.ReplaceAll(value, "\r\n", "\n") {
					t.Errorf("%v, row %d: %s is %q, want %q", o, i, name, cell, value)
				}
			}
		}
	}
}

// Whatever a text is, no cell begins a formula, and the text comes back.
func TestNoCellIsAFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ReplaceAll(rapid.StringOf(rapid.RuneFrom([]rune("=+-@'\t\n\"; ,aä＝＋－＠0"))).Draw(t, "text"), "\r", "")
		l := sample(true)
		l.Rows = func(yield func(ledgerfile.Row, error) bool) { yield(ledgerfile.Row{Text: text}, nil) }
		var b strings.Builder
		if err := ledgerfile.Write(&b, ledgerfile.CSV, l, ledgerfile.Options{}); err != nil {
			t.Fatal(err)
		}
		all, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		cell := all[1][11]
		if cell != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(cell)[0]) {
			t.Errorf("%q is a formula", cell)
		}
		if unguarded(cell) != text {
			t.Errorf("%q comes back as %q", text, unguarded(cell))
		}
	})
}

func TestCSVForOldPrograms(t *testing.T) {
	text := written(t, ledgerfile.CSV, sample(false), ledgerfile.Options{Encoding: ledgerfile.Windows1252})
	decoded, err := charmap.Windows1252.NewDecoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Spärbank & Söhne", "?????"} {
		if !strings.Contains(decoded, want) {
			t.Errorf("%q is not in it", want)
		}
	}
	if got := ledgerfile.CSV.ContentType(ledgerfile.Options{Encoding: ledgerfile.Windows1252}); got != "text/csv; charset=windows-1252" {
		t.Errorf("it is sent as %q", got)
	}
}

func TestJSON(t *testing.T) {
	l := sample(false)
	var got struct {
		Format   string `json:"format"`
		Accounts []struct {
			Account   int                         `json:"account"`
			Name      string                      `json:"name"`
			Bank      string                      `json:"bank"`
			Holder    string                      `json:"holder"`
			IBAN      string                      `json:"iban"`
			Number    string                      `json:"number"`
			Currency  string                      `json:"currency"`
			Type      openbanking.CashAccountType `json:"type"`
			Simulated bool                        `json:"simulated"`
		} `json:"accounts"`
		Transactions []struct {
			Account             int              `json:"account"`
			ID                  string           `json:"id"`
			Amount              string           `json:"amount"`
			Currency            string           `json:"currency"`
			Counterparty        string           `json:"counterparty"`
			Text                string           `json:"text"`
			Kind                string           `json:"kind"`
			Reference           string           `json:"reference"`
			Date                openbanking.Date `json:"date"`
			BookingDate         openbanking.Date `json:"booking_date"`
			ValueDate           openbanking.Date `json:"value_date"`
			TransactionDate     openbanking.Date `json:"transaction_date"`
			CounterpartyAccount string           `json:"counterparty_account"`
			Payee               string           `json:"payee"`
			Category            string           `json:"category"`
			Tags                []string         `json:"tags"`
			Note                string           `json:"note"`
			Parts               []struct {
				Amount   string `json:"amount"`
				Category string `json:"category"`
				Note     string `json:"note"`
			} `json:"parts"`
		} `json:"transactions"`
	}
	if err := json.Unmarshal([]byte(written(t, ledgerfile.JSON, l, ledgerfile.Options{})), &got); err != nil {
		t.Fatal(err)
	}
	if got.Format != "florin-1" || len(got.Accounts) != len(l.Accounts) {
		t.Fatalf("format %q, %d accounts", got.Format, len(got.Accounts))
	}
	for i, a := range l.Accounts {
		g := got.Accounts[i]
		if g.Account != i+1 || g.Name != a.Name || g.Bank != a.Bank || g.Holder != a.Holder || g.IBAN != a.IBAN || g.Number != a.Number ||
			g.Currency != a.Currency ||
			g.Type != a.Type || g.Simulated != a.Simulated {
			t.Errorf("account %d is %+v, want %+v", i, g, a)
		}
	}
	want := rowsOf(t, l)
	if len(got.Transactions) != len(want) {
		t.Fatalf("%d transactions, want %d", len(got.Transactions), len(want))
	}
	for i, r := range want {
		g := got.Transactions[i]
		if g.Account != r.Account+1 || g.ID != r.ID || g.Date != r.Date || g.BookingDate != r.BookingDate || g.ValueDate != r.ValueDate ||
			g.TransactionDate != r.TransactionDate || g.Amount != r.Amount.String() || g.Currency != r.Amount.Currency() || g.Counterparty != r.Counterparty ||
			g.CounterpartyAccount != r.CounterpartyAccount || g.Text != r.Text || g.Kind != r.Kind || g.Reference != r.Reference {
			t.Errorf("transaction %d is %+v, want %+v", i, g, r)
		}
		if g.Payee != cmp.Or(r.Payee, r.Counterparty) || g.Category != r.Category.Name || !slices.Equal(g.Tags, r.Tags) || g.Note != r.Note ||
			len(g.Parts) != len(r.Parts) {
			t.Errorf("transaction %d is kept as %+v, want %+v", i, g, r)
		}
		for n, p := range r.Parts {
			if got := g.Parts[n]; got.Amount != p.Amount.String() || got.Category != p.Category.Name || got.Note != p.Note {
				t.Errorf("part %d of transaction %d is %+v, want %+v", n, i, got, p)
			}
		}
	}
}
