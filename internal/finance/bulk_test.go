package finance

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"florin/internal/money"
)

// Security T27: a decimal comma is understood, and what could be meant in two ways is not guessed.
func TestParseAmount(t *testing.T) {
	cases := []struct {
		text, currency, want string
		err                  error
	}{
		{"12.30", "EUR", "12.30", nil}, {"12,30", "EUR", "12.30", nil}, {" 12 ", "EUR", "12.00", nil}, {"12,3", "EUR", "12.30", nil}, {"0,01", "EUR", "0.01", nil},
		{"1.234,56", "EUR", "1234.56", nil}, {"1,234.56", "EUR", "1234.56", nil}, {"1 234,56", "EUR", "1234.56", nil}, {"1'234.50", "CHF", "1234.50", nil}, {"1’234.50", "CHF", "1234.50", nil},
		{"1.234.567", "EUR", "1234567.00", nil}, {"1'234", "CHF", "1234.00", nil}, {"€12", "EUR", "12.00", nil}, {"12 €", "EUR", "12.00", nil}, {"1234", "JPY", "1234", nil},
		{"1.234", "KWD", "1.234", nil}, {"0.100", "EUR", "0.10", nil}, {"1234.500", "EUR", "1234.50", nil},
		{"1.234", "EUR", "", ErrAmbiguous}, {"1,234", "EUR", "", ErrAmbiguous}, {"12.345", "EUR", "", ErrAmbiguous}, {"1.234", "JPY", "", ErrAmbiguous},
		{"12.345,678", "EUR", "", money.ErrPrecision}, {"1.23,45", "EUR", "", money.ErrSyntax}, {"1.2345.678", "EUR", "", money.ErrSyntax}, {"1.234,567.00", "EUR", "", money.ErrSyntax}, {"1,234.567,00", "EUR", "", money.ErrSyntax},
		{"12.3456", "EUR", "", money.ErrPrecision}, {"0", "EUR", "", ErrZero}, {"0,00", "EUR", "", ErrZero}, {"-5", "EUR", "", ErrZero}, {"", "EUR", "", money.ErrSyntax}, {"1e3", "EUR", "", money.ErrSyntax},
		{"NaN", "EUR", "", money.ErrSyntax}, {"Infinity", "EUR", "", money.ErrSyntax}, {"+5", "EUR", "", money.ErrSyntax}, {"0x10", "EUR", "", money.ErrSyntax}, {"١٢", "EUR", "", money.ErrSyntax}, {"１２", "EUR", "", money.ErrSyntax},
		{"5", "EURO", "", money.ErrCurrency}, {"99999999999999999999", "EUR", "", money.ErrOverflow},
	}
	for _, c := range cases {
		a, err := ParseAmount(c.text, c.currency)
		if !errors.Is(err, c.err) || err == nil && a.String() != c.want {
			t.Errorf("%q %s: %s, %v", c.text, c.currency, a, err)
		}
	}
}

func FuzzParseAmount(f *testing.F) {
	f.Add("1.234,56")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAmount(text, "EUR")
		if err != nil {
			return
		}
		if again, err := ParseAmount(a.String(), "EUR"); a.Sign() <= 0 || err != nil || again != a {
			t.Fatalf("%q: %s, %v", text, a, err)
		}
	})
}

func invoice(lines ...string) string { return strings.Join(lines, "\n") }

// EPC069-12.
func TestParseInvoice(t *testing.T) {
	full := []string{"BCD", "002", "1", "SCT", "", "ACME GmbH", german, "EUR12.3", "", "", "Invoice 7", "Thank you"}
	change := func(i int, text string) string {
		lines := append([]string{}, full...)
		lines[i] = text
		return invoice(lines...)
	}
	good := map[string]string{
		"whole":              invoice(full...),
		"windows":            strings.Join(full, "\r\n") + "\r\n",
		"old apple":          strings.Join(full, "\r"),
		"blanks at the ends": strings.Join(full, " \n"),
		"groups":             change(6, "DE89 3704 0044 0532 0130 00"),
	}
	for name, text := range good {
		v, err := ParseInvoice(text)
		if err != nil || v.Name != "ACME GmbH" || v.IBAN.String() != german || v.Amount.String() != "12.30" || v.Text != "Invoice 7" || v.Information != "Thank you" || v.Instant || !LooksLikeInvoice(text) && name != "old apple" {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
	short, err := ParseInvoice(invoice("BCD", "001", "1", "SCT", "BHBLDEHHXXX", "A", german))
	if err != nil || short.BIC != "BHBLDEHHXXX" || !short.Amount.IsZero() {
		t.Errorf("%+v, %v", short, err)
	}
	if v, err := ParseInvoice(invoice("BCD", "002", "1", "INST", "", "A", german, "", "CHAR", "RF18539007547034")); err != nil || !v.Instant || v.Purpose != "CHAR" || v.Reference != "RF18539007547034" {
		t.Errorf("%+v, %v", v, err)
	}
	bad := map[string]struct{ text, words string }{
		"no code":            {"hello", "does not begin with BCD"},
		"empty":              {"", "does not begin with BCD"},
		"too long":           {change(10, strings.Repeat("x", 400)), "longer than a payment code"},
		"no UTF-8":           {change(10, "\xff"), "UTF-8"},
		"too many lines":     {invoice(append(full, "x")...), "more lines"},
		"version":            {change(1, "003"), "version"},
		"alphabet":           {change(2, "9"), "alphabet"},
		"direct debit":       {change(3, "SDD"), "not for a credit transfer"},
		"BIC missing":        {change(1, "001"), "lacks the BIC"},
		"BIC":                {change(4, "XX"), "8 or 11 characters"},
		"no name":            {change(5, " "), "name"},
		"long name":          {change(5, strings.Repeat("x", 71)), "name"},
		"IBAN":               {change(6, german[:21]), "22 characters; this one has 21"},
		"check digits":       {change(6, "DE88370400440532013000"), "check digits"},
		"amount":             {change(7, "EUR12,30"), "EUR12.30"},
		"currency":           {change(7, "USD12.30"), "EUR12.30"},
		"exponent":           {change(7, "EUR1e3"), "EUR12.30"},
		"zero":               {change(7, "EUR0.00"), "above zero"},
		"purpose":            {change(8, "char"), "capital letters"},
		"text and reference": {change(9, "RF18539007547034"), "one of them"},
		"long text":          {change(10, strings.Repeat("x", 141)), "140 characters"},
		"long information":   {change(11, strings.Repeat("x", 71)), "70 characters"},
	}
	for name, c := range bad {
		if _, err := ParseInvoice(c.text); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParseInvoice(f *testing.F) {
	f.Add(invoice("BCD", "002", "1", "SCT", "", "ACME GmbH", german, "EUR12.3", "", "", "Invoice 7", "Thank you"))
	f.Fuzz(func(t *testing.T, text string) {
		if v, err := ParseInvoice(text); err == nil && (v.Name == "" || v.IBAN.String() == "" || v.Amount.Sign() < 0) {
			t.Fatalf("%q: %+v", text, v)
		}
	})
}

func rows(b Bulk) string {
	var all []string
	for _, r := range b.Rows {
		text := fmt.Sprintf("%d %s %s %s", r.Line, *r.Transfer.Beneficiary.Creditor.Name, r.Transfer.Beneficiary.CreditorAccount.Identification, r.Amount)
		for _, f := range r.Faults {
			text += " !" + f.Field
		}
		all = append(all, text)
	}
	return strings.Join(all, "\n")
}

func TestBulkCSV(t *testing.T) {
	b, err := ParseBulk([]byte("\ufeffName;IBAN;Amount;Currency;Text;Date;BIC\r\nACME GmbH;DE89 3704 0044 0532 0130 00;12,30;EUR;Invoice 7;2026-12-24;BHBLDEHHXXX\r\n\r\n\"B; Sons\";"+finn+";5;;;;\r\n;"+german[:21]+";0;EUR;;24.12.2026;X\r\nC;"+german+";1.234;EUR;;;\r\nD;"+german+";5\r\n"), "EUR")
	if err != nil {
		t.Fatal(err)
	}
	want := "2 ACME GmbH " + german + " 12.30\n4 B; Sons " + finn + " 5.00\n5  " + german[:21] + " 0.00 !name !iban !bic !amount !date\n6 C " + german + " 0.00 !amount\n7 D " + german + " 5.00 !"
	if got := rows(b); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	first := b.Rows[0].Transfer
	if *first.RequestedExecutionDate != "2026-12-24" || first.RemittanceInformation[0] != "Invoice 7" || *first.Beneficiary.CreditorAgent.BICFI != "BHBLDEHHXXX" || first.InstructedAmount.Amount != "12.30" {
		t.Errorf("%+v", first)
	}
	if totals, err := b.Totals(); err != nil || len(totals) != 1 || totals[0].String() != "22.30" || b.Good() || len(b.Transfers()) != 5 {
		t.Errorf("%v %v", totals, err)
	}
	for name, c := range map[string]struct{ text, words string }{
		"empty":          {"", "no payment"},
		"header alone":   {"name,iban,amount\n", "no payment"},
		"no header":      {"ACME,DE89,5\n", "must name the columns"},
		"no amounts":     {"name,iban\nA,B\n", "amount is missing"},
		"column twice":   {"name,payee,iban,amount\nA,B,C,1\n", "two columns"},
		"quotes":         {"name,iban,amount\n\"A,B,1\n", "quotation marks"},
		"no UTF-8":       {"name,iban,amount\n\xff,B,1\n", "UTF-8"},
		"too large":      {"name,iban,amount\n" + strings.Repeat(" ", MaxBulkBytes), "larger than"},
		"too many":       {"name,iban,amount\n" + strings.Repeat("A,B,1\n", MaxBulkRows+1), "more than 2000"},
		"the wrong file": {"PK\x03\x04", "must name the columns"},
	} {
		if _, err := ParseBulk([]byte(c.text), "EUR"); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func pain(head, body string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>` + head + `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn>` + body + `</CstmrCdtTrfInitn></Document>`
}

func transferXML(name, number, amount string) string {
	return `<CdtTrfTxInf><PmtId><EndToEndId>E2E-1</EndToEndId></PmtId><Amt><InstdAmt Ccy="EUR">` + amount + `</InstdAmt></Amt><CdtrAgt><FinInstnId><BICFI>BHBLDEHHXXX</BICFI></FinInstnId></CdtrAgt><Cdtr><Nm>` + name +
		`</Nm></Cdtr><CdtrAcct><Id><IBAN>` + number + `</IBAN></Id></CdtrAcct><RmtInf><Ustrd>Invoice &lt;7&gt;</Ustrd></RmtInf></CdtTrfTxInf>`
}

func TestBulkPain001(t *testing.T) {
	header := `<GrpHdr><MsgId>M</MsgId><NbOfTxs>2</NbOfTxs><CtrlSum>17.3</CtrlSum></GrpHdr>`
	payment := `<PmtInf><ReqdExctnDt><Dt>2026-12-24</Dt></ReqdExctnDt><DbtrAcct><Id><IBAN>` + finn + `</IBAN></Id></DbtrAcct>` + transferXML("ACME GmbH", german, "12.30") + transferXML("B", german, "5") + `</PmtInf>`
	b, err := ParseBulk([]byte(pain("", header+payment)), "EUR")
	if err != nil || !b.Good() {
		t.Fatalf("%v %+v", err, b)
	}
	if got := rows(b); got != "1 ACME GmbH "+german+" 12.30\n2 B "+german+" 5.00" {
		t.Error(got)
	}
	first := b.Rows[0].Transfer
	if b.Debtor != ibanAccount(finn) || *first.RequestedExecutionDate != "2026-12-24" || *first.PaymentID.EndToEndID != "E2E-1" || first.RemittanceInformation[0] != "Invoice <7>" || *first.Beneficiary.CreditorAgent.BICFI != "BHBLDEHHXXX" {
		t.Errorf("%+v", first)
	}
	old, err := ParseBulk([]byte(strings.Replace(pain("", strings.Replace(payment, "<Dt>2026-12-24</Dt>", "2026-12-24", 1)), "001.09", "001.03", 1)), "EUR")
	if err != nil || !old.Good() || *old.Rows[1].Transfer.RequestedExecutionDate != "2026-12-24" {
		t.Errorf("%v %+v", err, old)
	}
	damaged, err := ParseBulk([]byte(pain("", strings.Replace(strings.Replace(header, ">2<", ">3<", 1), "17.3", "17.31", 1)+payment)), "EUR")
	if err != nil || len(damaged.Problems) != 2 || damaged.Good() {
		t.Errorf("%v %+v", err, damaged.Problems)
	}
	faulty, err := ParseBulk([]byte(pain("", `<PmtInf>`+transferXML("", "DE00", "1,5")+transferXML("B", german, "-1")+transferXML("B", german, "1.234")+`</PmtInf>`)), "EUR")
	if err != nil || rows(faulty) != "1  DE00 0.00 !name !iban !amount\n2 B "+german+" 0.00 !amount\n3 B "+german+" 0.00 !amount" {
		t.Errorf("%v\n%s", err, rows(faulty))
	}
	for name, c := range map[string]struct{ text, words string }{
		"document type":   {pain(`<!DOCTYPE x [<!ENTITY a "b">]>`, payment), "document type"},
		"external entity": {pain(`<!DOCTYPE x SYSTEM "file:///etc/passwd">`, strings.Replace(payment, "ACME", "&x;", 1)), "document type"},
		"unknown entity":  {pain("", strings.Replace(payment, "ACME", "&x;", 1)), "well-formed"},
		"cut off":         {pain("", payment)[:600], "well-formed"},
		"too deep":        {pain("", strings.Repeat("<a>", 100)), "too deeply"},
		"another file":    {`<html></html>`, "no pain.001"},
		"camt":            {strings.Replace(pain("", payment), "pain.001.001.09", "camt.053.001.08", 1), "no pain.001"},
		"no payment":      {pain("", header), "no payment"},
		"too many":        {pain("", "<PmtInf>"+strings.Repeat("<CdtTrfTxInf></CdtTrfTxInf>", MaxBulkRows+1)+"</PmtInf>"), "more than 2000"},
	} {
		if _, err := ParseBulk([]byte(c.text), "EUR"); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever is uploaded is read or refused, and what is read has amounts above zero.
func FuzzParseBulk(f *testing.F) {
	f.Add([]byte("name,iban,amount\nA," + german + ",5\n"))
	f.Add([]byte(pain("", "<PmtInf>"+transferXML("A", german, "5")+"</PmtInf>")))
	f.Fuzz(func(t *testing.T, file []byte) {
		b, err := ParseBulk(file, "EUR")
		if err != nil {
			return
		}
		for _, r := range b.Rows {
			if len(r.Faults) == 0 && (r.Amount.Sign() <= 0 || r.Transfer.InstructedAmount.Amount == "") {
				t.Fatalf("%+v", r)
			}
		}
	})
}
