package ledgerfile_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"florin/internal/ledgerfile"
	"florin/internal/money"
	"florin/internal/openbanking"
)

var made = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// sample is a ledger with four accounts in five currencies and texts that mean something in one format or another.
func sample(partial bool) ledgerfile.Ledger {
	accounts := []ledgerfile.Account{
		{Name: "Girokonto \"gemeinsam\"", Bank: "Spärbank & Söhne", Holder: "Åsa Öberg", IBAN: "DE89370400440532013000", Currency: "EUR",
			Type: openbanking.CashAccountTypeCACC, Closing: &ledgerfile.Closing{Amount: money.FromMinor(123456, "EUR"), At: made}},
		{Name: "Girokonto (gemeinsam)", Bank: "Spärbank & Söhne", IBAN: "FR7630006000011234567890189", Currency: "EUR", Type: openbanking.CashAccountTypeSVGS},
		{Name: "Visa", Bank: "Spärbank & Söhne", Number: "**** 4242", Currency: "EUR", Type: openbanking.CashAccountTypeCARD, Simulated: true,
			Closing: &ledgerfile.Closing{Amount: money.FromMinor(-9900, "EUR"), At: made}},
		{Name: "Счёт", Bank: "銀行", Number: "12-3456", Currency: "JPY", Type: openbanking.CashAccountTypeLOAN},
		{Name: "Empty", Bank: "Bank", Number: "0", Currency: "SEK", Type: openbanking.CashAccountTypeOTHR},
	}
	texts := []string{"Invoice 4711", "=HYPERLINK(\"http://x.example\")", "+1", "-1", "@SUM(A1)", "'quoted", "a;b|c,d:e", "</STMTTRN><x>&amp;", "two\nlines\tand \x00\x1b signs",
		`back\slash "quotes"`,
		"; comment", "(code) and more", "*", "!", "#tag ^link", "  ", "", "汉字 العربية 🙂", strings.Repeat("ä ", 200), "＝FULL", "D01/02/2026\n^\nT5"}
	var rows []ledgerfile.Row
	for i, text := range texts {
		r := ledgerfile.Row{ID: fmt.Sprintf("r%02d-0", i), Date: openbanking.Date(fmt.Sprintf("2026-%02d-17", 11-i/3)), FirstSeen: "2026-11-22",
			BookingDate: openbanking.Date(fmt.Sprintf("2026-%02d-18", 11-i/3)), Account: i % 4, Text: text, Counterparty: texts[(i+1)%len(texts)],
			CounterpartyAccount: []string{"GB29NWBK60161331926819", "", "1234 / 5", "NL91ABNA0417164300"}[i%4], Kind: text, Reference: text,
			Amount: money.FromMinor(int64(1000*(i-7)-i), "EUR")}
		switch i % 5 {
		case 3:
			r.Date, r.BookingDate = "", ""
		case 1:
			r.ValueDate, r.TransactionDate = "2026-03-01", "2026-02-28"
		}
		switch i {
		case 0:
			r.Category, r.Tags, r.Note = ledgerfile.Category{Name: "Essen & Trinken: süß"}, []string{"holiday", "Rom 2026"}, "two\nlines, with: signs; \"quoted\" | #x"
		case 2:
			r.Payee = "Clean name"
		case 6:
			r.Parts = []ledgerfile.Part{{Amount: money.FromMinor(-1000, "EUR"), Category: ledgerfile.Category{Name: "[Food]/x"}, Note: "a, b: c; \"d\""},
				{Amount: money.FromMinor(-6, "EUR")}}
		case 9:
			r.Category = ledgerfile.Category{Name: "Gehalt", Kind: ledgerfile.Income}
		case 10:
			r.Category = ledgerfile.Category{Name: "Transfers", Kind: ledgerfile.Transfer}
		case 12:
			r.Category = ledgerfile.Category{Name: "Еда"}
		}
		switch {
		case r.Account == 3:
			r.Amount = money.FromMinor(int64(100*i), "JPY")
		case i == 8:
			r.Amount = money.FromMinor(-1234, "KWD")
		case i == 4:
			r.Amount = money.FromMinor(9007199254740993, "EUR") // no float64 holds it
		case i == 5:
			r.Amount = money.FromMinor(-12345, "XXX")
		}
		rows = append(rows, r)
	}
	of := func(keep func(ledgerfile.Row) bool) ledgerfile.Rows {
		return func(yield func(ledgerfile.Row, error) bool) {
			for _, r := range rows {
				if keep(r) && !yield(r, nil) {
					return
				}
			}
		}
	}
	return ledgerfile.Ledger{Accounts: accounts, Made: made, Partial: partial, Rows: of(func(ledgerfile.Row) bool { return true }),
		RowsOf: func(account int) ledgerfile.Rows {
			return of(func(r ledgerfile.Row) bool { return r.Account == account })
		}}
}

// rowsOf are the rows of a ledger.
func rowsOf(t *testing.T, l ledgerfile.Ledger) []ledgerfile.Row {
	t.Helper()
	var all []ledgerfile.Row
	for r, err := range l.Rows {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// written is a ledger in a format.
func written(t *testing.T, f ledgerfile.Format, l ledgerfile.Ledger, o ledgerfile.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := ledgerfile.Write(&b, f, l, o); err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	return b.String()
}
