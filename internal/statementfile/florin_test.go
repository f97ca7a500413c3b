package statementfile_test

import (
	"bytes"
	"cmp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"florin/internal/finance"
	"florin/internal/ledgerfile"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/statementfile"
)

var made = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// ledger is a ledger with two accounts.
func ledger(rows []ledgerfile.Row) ledgerfile.Ledger {
	all := func(yield func(ledgerfile.Row, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
	return ledgerfile.Ledger{Made: made, Rows: all, RowsOf: func(account int) ledgerfile.Rows {
		return func(yield func(ledgerfile.Row, error) bool) {
			for r, err := range all {
				if r.Account == account && !yield(r, err) {
					return
				}
			}
		}
	}, Accounts: []ledgerfile.Account{
		{Name: "Giro", Bank: "Bank & Söhne", Holder: "Anna", IBAN: german, Currency: "EUR", Type: openbanking.CashAccountTypeCACC},
		{Name: "Card", Bank: "Bank", Number: "**** 4242", Currency: "KWD", Type: openbanking.CashAccountTypeCARD},
	}}
}

// drawn is a row as Florin keeps it.
func drawn(t *rapid.T) ledgerfile.Row {
	account := rapid.IntRange(0, 1).Draw(t, "account")
	text := func(label string) string {
		return finance.Clean(rapid.StringOf(rapid.RuneFrom([]rune("=+-@'\"; ,aä＝0|<&汉"))).Draw(t, label))
	}
	day := func(label string) openbanking.Date {
		return openbanking.DateOf(time.Unix(86400*rapid.Int64Range(0, 20000).Draw(t, label), 0))
	}
	r := ledgerfile.Row{Account: account, ID: "rQ4_-x" + rapid.StringMatching(`[0-9]{1,3}`).Draw(t, "id"), BookingDate: day("booked"), Counterparty: text("name"),
		Text: text("text"),
		Kind: text("kind"), Reference: text("reference"), CounterpartyAccount: rapid.SampledFrom([]string{"", finn, "1234/5"}).Draw(t, "number"),
		Amount: money.FromMinor(rapid.Int64Range(-1<<40, 1<<40).Draw(t, "amount"), []string{"EUR", "KWD"}[account])}
	if rapid.Bool().Draw(t, "valued") {
		r.ValueDate, r.TransactionDate = day("valued"), day("made")
	}
	name := func(label string) ledgerfile.Category { return ledgerfile.Category{Name: text(label)} }
	r.Payee, r.Reviewed = cmp.Or(text("payee"), r.Counterparty), rapid.Bool().Draw(t, "reviewed")
	if r.Category = name("category"); rapid.Bool().Draw(t, "kept") {
		r.Tags, r.Note = []string{"holiday", "Rom 2026"}, text("note")+"\n'"+text("note")
		part := money.FromMinor(rapid.Int64Range(-1<<30, 1<<30).Draw(t, "part"), r.Amount.Currency())
		rest, err := r.Amount.Sub(part)
		if err != nil {
			t.Fatal(err)
		}
		r.Category, r.Parts = ledgerfile.Category{}, []ledgerfile.Part{{Amount: part, Category: name("first"), Note: text("first")}, {Amount: rest}}
	}
	r.Date = finance.DisplayDate(r.TransactionDate, r.BookingDate, r.ValueDate, "2999-01-01")
	return r
}

// again is a row that was read, as Florin keeps it then.
func again(t *rapid.T, row statementfile.Row, currency string, account int) ledgerfile.Row {
	e, err := finance.Reader{Currency: currency, Today: "2999-01-01"}.Read(row.Transaction, nil)
	if err != nil {
		t.Fatal(err)
	}
	reference := ""
	if row.Transaction.EntryReference != nil {
		reference = *row.Transaction.EntryReference
	}
	var parts []ledgerfile.Part
	x := row.Exported
	for _, p := range x.Parts {
		parts = append(parts, ledgerfile.Part{Amount: p.Amount, Category: ledgerfile.Category{Name: p.Category}, Note: p.Note})
	}
	return ledgerfile.Row{Payee: x.Payee, Category: ledgerfile.Category{Name: x.Category}, Tags: x.Tags, Note: x.Note, Parts: parts, Reviewed: x.Reviewed,
		Account: account, ID: x.ID, Date: x.Date, BookingDate: e.BookingDate, ValueDate: e.ValueDate, TransactionDate: e.TransactionDate, Amount: e.Amount,
		Counterparty: x.Counterparty, CounterpartyAccount: x.CounterpartyAccount, Text: x.Text, Kind: x.Kind, Reference: reference}
}

// What Florin exports as CSV and JSON is read as the same rows, and exported again it is the same file.
func TestFlorinsOwnFiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.Custom(drawn), 1, 8).Draw(t, "rows")
		l := ledger(rows)
		for _, c := range []struct {
			format  ledgerfile.Format
			options ledgerfile.Options
		}{
			{ledgerfile.JSON, ledgerfile.Options{}}, {ledgerfile.CSV, ledgerfile.Options{}},
			{ledgerfile.CSV, ledgerfile.Options{Separator: ledgerfile.Semicolon, Decimal: ledgerfile.DecimalComma, Encoding: ledgerfile.UTF8BOM}},
			{ledgerfile.CSV, ledgerfile.Options{Separator: ledgerfile.Tab}},
		} {
			var first, second bytes.Buffer
			if err := ledgerfile.Write(&first, c.format, l, c.options); err != nil {
				t.Fatal(err)
			}
			f, err := statementfile.Read(first.Bytes(), statementfile.Options{})
			if err != nil || len(f.Unread) > 0 || f.Table != nil {
				t.Fatalf("%s: %v %+v\n%s", c.format, err, f, first.String())
			}
			byLine := map[int]ledgerfile.Row{}
			for i, s := range f.Statements {
				account := i
				if c.format == ledgerfile.CSV {
					account = map[string]int{"Giro": 0, "Card": 1}[s.Account.Name]
				}
				if want := l.Accounts[account]; s.Account.IBAN != want.IBAN || s.Account.Number != want.Number || s.Account.Bank != want.Bank ||
					s.Account.Currency != want.Currency {
					t.Fatalf("%+v, want %+v", s.Account, want)
				}
				for _, row := range s.Rows {
					byLine[row.Line] = again(t, row, s.Account.Currency, account)
				}
			}
			back := make([]ledgerfile.Row, 0, len(rows))
			for line := 0; len(back) < len(byLine) && line < 100; line++ {
				if r, ok := byLine[line]; ok {
					back = append(back, r)
				}
			}
			if err := ledgerfile.Write(&second, c.format, ledger(back), c.options); err != nil {
				t.Fatal(err)
			}
			if first.String() != second.String() {
				t.Fatalf("%s:\n%s\nread and written again:\n%s", c.format, first.String(), second.String())
			}
		}
	})
}

// The other formats that Florin writes are read as the same accounts, days and amounts.
func TestFlorinsStatements(t *testing.T) {
	l := ledger([]ledgerfile.Row{
		{Account: 0, ID: "a-0", Date: "2026-03-01", BookingDate: "2026-03-02", Amount: money.FromMinor(-1230, "EUR"), Counterparty: "Café <1>",
			CounterpartyAccount: finn, Text: "Two & two"},
		{Account: 1, ID: "b-0", Date: "2026-03-01", BookingDate: "2026-03-01", Amount: money.FromMinor(5001, "KWD"), Counterparty: "Anna",
			Text: "Thanks", Reference: "R-1"}})
	for format, want := range map[ledgerfile.Format]string{
		ledgerfile.CAMT053: `
			= Giro|Bank & Söhne|Anna|` + german + `|EUR
			7|2026-03-02|||-12.30 EUR|Café <1>|` + finn + `|Two & two||a-0
			= Card|Bank||**** 4242|KWD
			12|2026-03-01|||5.001 KWD|Anna||Thanks||R-1`,
		ledgerfile.OFX: `
			= |||` + german + `|EUR|CACC|| -12.30 2026-11-22
			8|2026-03-02|||-12.30 EUR|Café <1>||Two & two||a-0
			= |||**** 4242|KWD|CARD||5.001 2026-11-22
			14|2026-03-01|||5.001 KWD|Anna||Thanks||b-0`,
		ledgerfile.QIF: `
			= Giro|||` + german + `|EUR|CACC
			7|2026-03-01|||-12.30 EUR|Café <1>||Two & two
			= Card||||KWD|CARD
			18|2026-03-01|||5.001 KWD|Anna||Thanks|||R-1`,
	} {
		var b bytes.Buffer
		if err := ledgerfile.Write(&b, format, l, ledgerfile.Options{}); err != nil {
			t.Fatal(err)
		}
		check(t, string(format), b.String(),
			statementfile.Options{Reading: statementfile.Reading{Days: statementfile.MonthDayYear}}, strings.ReplaceAll(want, "| -", "|-"))
	}
}

func TestFlorinsFilesThatAreDamaged(t *testing.T) {
	const head = `{"format":"florin-1",` + "\n" + `"accounts":[` + "\n" + `{"account":1,"name":"Giro","bank":"","currency":"EUR","type":"CACC"}` + "\n" + `],` + "\n" + `"transactions":[` + "\n"
	check(t, "rows", head+`{"account":1,"id":"a-0","booking_date":"9999-12-31","amount":"1.00","currency":"EUR"},
{"account":7,"id":"a-1","booking_date":"2026-01-01","amount":"1.00","currency":"EUR"},
{"account":1,"id":"a-2","booking_date":"2026-01-01","amount":"1,00","currency":"EUR"},
{"account":1,"id":"a-3","booking_date":"2026-01-01","amount":"1.00","currency":"euro"},
{"account":1,"id":"a-4","amount":"1.00","currency":"EUR","text":"without a day"}
]}
`, statementfile.Options{}, `
		= Giro||||EUR|CACC
		10||||1.00 EUR|||without a day
		! 6 WrongDay{Text:"9999-12-31"}
		! 7 WrongLine
		! 8 WrongAmount{Text:"1,00"}
		! 9 WrongCurrency{Text:"euro"}`)
	columns := strings.Join(ledgerfile.Columns(), ",") + "\n"
	check(t, "lines", columns+"2026-01-01,2026-01-01,,,A,1,B,x,,1.00,EUR\n2026-01-01,2026-01-01,,,A,1,B,x,,1.00,EUR,'=1+1,,,id-1,,,,,,yes\n", statementfile.Options{}, `
		= A|B||1|EUR
		3|2026-01-01|||1.00 EUR|x||=1+1
		! 2 ShortLine{Columns:11, Header:21}`)
	for name, c := range map[string]struct{ file, want string }{
		"cut off":      {head + `{"account":1,`, "CutOff"},
		"another form": {`{"format":"florin-2"}`, "OtherMessage{Kind:1}"},
		"deep":         {head + strings.Repeat(`{"a":`, 100000), "OtherMessage{Kind:1}"},
	} {
		if f, err := statementfile.Read([]byte(c.file), statementfile.Options{}); refused(err) != c.want {
			t.Errorf("%s: %s %+v, want %s", name, refused(err), f, c.want)
		}
	}
}

// Whatever a file holds, it is read or refused; what is read has a day that is in the calendar and an amount that is the one of its transaction.
func FuzzRead(f *testing.F) {
	f.Add([]byte("Datum;Betrag;Text\n2026-03-02;-1,00;M\xfcsli\n"))
	f.Add([]byte("date,out,in,balance\n01/02/2026,,\"1,000.00\",5\n"))
	f.Add([]byte(sgml))
	f.Add([]byte("!Type:Bank\nD1/15'24\nT-1,234.50\nSBooks\n$-1\n^\n"))
	f.Add([]byte(":20:A\n:25:1\n:60F:C260101EUR0,\n:61:2601010102RC1,NTRFX//Y\nZ\n:86:166?00A?20SVWZ+b?32C\n:62F:C260101EUR1,\n"))
	f.Add([]byte(camt("08", entry("1", "DBIT", "<Sts><Cd>BOOK</Cd></Sts>", "<NtryDtls><TxDtls><RmtInf><Ustrd>x</Ustrd></RmtInf></TxDtls></NtryDtls>"))))
	f.Add([]byte(`{"format":"florin-1","accounts":[{"name":"A"}],"transactions":[{"account":1,"amount":"1","currency":"EUR"}]}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		read, err := statementfile.Read(file, statementfile.Options{Currency: "EUR"})
		if err != nil {
			if refused(err) == "" || strings.HasPrefix(refused(err), "%!") {
				t.Fatalf("%#v", err)
			}
			return
		}
		for _, s := range read.Statements {
			for _, r := range s.Rows {
				e, err := finance.Reader{Currency: s.Account.Currency, Today: "2026-11-22"}.Read(r.Transaction, nil)
				if err != nil || e.Amount != r.Amount || e.State != finance.RowBooked || r.Line < 1 || e.Date == "" && r.Exported == nil {
					t.Fatalf("%+v is read as %+v, %v", r, e, err)
				}
			}
		}
		for _, u := range read.Unread {
			if u.Line < 1 || u.Reason == nil {
				t.Fatalf("%+v", u)
			}
		}
	})
}
