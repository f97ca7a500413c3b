package paymentfile

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"florin/internal/finance"
	"florin/internal/openbanking"
)

// Accounts with right check digits.
const (
	german = "DE89370400440532013000"
	finn   = "FI2112345600000785"
)

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
		"no UTF-8":           {change(10, "\xff"), "damaged characters"},
		"too many lines":     {invoice(append(full, "x")...), "13 lines"},
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
		"currency":           {change(7, "USD12.30"), "not in euro"},
		"exponent":           {change(7, "EUR1e3"), "EUR12.30"},
		"zero":               {change(7, "EUR0.00"), "above zero"},
		"purpose":            {change(8, "char"), "capital letters"},
		"text and reference": {change(9, "RF18539007547034"), "one of them"},
		"long text":          {change(10, strings.Repeat("x", 141)), "141 characters; 140 are allowed"},
		"long information":   {change(11, strings.Repeat("x", 71)), "71 characters; 70 are allowed"},
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

// readFile reads a file as it is uploaded.
func readFile(file string) (File, error) {
	text, _, err := Decode([]byte(file))
	if err != nil {
		return File{}, err
	}
	return Parse(text, "EUR")
}

func rows(b File) string {
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

func TestCSV(t *testing.T) {
	b, err := readFile("\ufeffName;IBAN;Amount;Currency;Text;Date;BIC\r\nACME GmbH;DE89 3704 0044 0532 0130 00;12,30;EUR;Invoice 7;2026-12-24;BHBLDEHHXXX\r\n\r\n\"B; Sons\";" + finn + ";5;;;;\r\n;" + german[:21] + ";0;EUR;;24/12/2026;X\r\nC;" + german + ";1.234;EUR;;;\r\nD;" + german + ";5\r\n")
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
		"no alphabet":    {"name,iban,amount\n\x81,B,1\n", "line 2 has a character"},
		"too large":      {"name,iban,amount\n" + strings.Repeat(" ", MaxBytes), "larger than"},
		"too many":       {"name,iban,amount\n" + strings.Repeat("A,B,1\n", MaxRows+1), "more than 2000"},
		"the wrong file": {"PK\x03\x04", "CSV UTF-8"},
	} {
		if _, err := readFile(c.text); err == nil || !strings.Contains(err.Error(), c.words) {
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

func TestPain001(t *testing.T) {
	header := `<GrpHdr><MsgId>M</MsgId><NbOfTxs>2</NbOfTxs><CtrlSum>17.3</CtrlSum></GrpHdr>`
	payment := `<PmtInf><ReqdExctnDt><Dt>2026-12-24</Dt></ReqdExctnDt><DbtrAcct><Id><IBAN>` + finn + `</IBAN></Id></DbtrAcct>` + transferXML("ACME GmbH", german, "12.30") + transferXML("B", german, "5") + `</PmtInf>`
	b, err := readFile(pain("", header+payment))
	if err != nil || !b.Good() {
		t.Fatalf("%v %+v", err, b)
	}
	if got := rows(b); got != "1 ACME GmbH "+german+" 12.30\n2 B "+german+" 5.00" {
		t.Error(got)
	}
	first := b.Rows[0].Transfer
	if b.Debtor != (finance.PayeeAccount{Scheme: openbanking.SchemeNameIBAN, Number: finn}) || *first.RequestedExecutionDate != "2026-12-24" || *first.PaymentID.EndToEndID != "E2E-1" || first.RemittanceInformation[0] != "Invoice <7>" || *first.Beneficiary.CreditorAgent.BICFI != "BHBLDEHHXXX" {
		t.Errorf("%+v", first)
	}
	old, err := readFile(strings.Replace(pain("", strings.Replace(payment, "<Dt>2026-12-24</Dt>", "2026-12-24", 1)), "001.09", "001.03", 1))
	if err != nil || !old.Good() || *old.Rows[1].Transfer.RequestedExecutionDate != "2026-12-24" {
		t.Errorf("%v %+v", err, old)
	}
	damaged, err := readFile(pain("", strings.Replace(strings.Replace(header, ">2<", ">3<", 1), "17.3", "17.31", 1)+payment))
	if err != nil || len(damaged.Problems) != 2 || damaged.Good() {
		t.Errorf("%v %+v", err, damaged.Problems)
	}
	faulty, err := readFile(pain("", `<PmtInf>`+transferXML("", "DE00", "1,5")+transferXML("B", german, "-1")+transferXML("B", german, "1.234")+`</PmtInf>`))
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
		"camt":            {strings.Replace(pain("", payment), "pain.001.001.09", "camt.053.001.08", 1), "statement of an account"},
		"no payment":      {pain("", header), "no payment"},
		"too many":        {pain("", "<PmtInf>"+strings.Repeat("<CdtTrfTxInf></CdtTrfTxInf>", MaxRows+1)+"</PmtInf>"), "more than 2000"},
	} {
		if _, err := readFile(c.text); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever is uploaded is read or refused, what is read has amounts above zero, and what is written as CSV for a change is read as the same again.
func FuzzParse(f *testing.F) {
	f.Add([]byte("name,iban,amount\nA," + german + ",5\n"))
	f.Add([]byte("Empf\xe4nger;IBAN;Betrag;Verwendungszweck;text2;scheme\nM\xfcller;5805-6201;5,50;\"a;b\";c;BGNR\n"))
	f.Add([]byte("\xff\xfen\x00a\x00m\x00e\x00"))
	f.Add([]byte(pain("", "<PmtInf>"+transferXML("A", german, "5")+"</PmtInf>")))
	f.Add([]byte(strings.Replace(pain("", "<PmtInf><ChrgBr>SLEV</ChrgBr>"+transferXML("\xfc", german, "5")+"</PmtInf>"), "UTF-8", "ISO-8859-1", 1)))
	f.Fuzz(func(t *testing.T, file []byte) {
		text, _, err := Decode(file)
		if err != nil {
			return
		}
		if !utf8.ValidString(text) {
			t.Fatalf("%q is no text", text)
		}
		b, err := Parse(text, "EUR")
		if err != nil {
			return
		}
		for _, r := range b.Rows {
			if len(r.Faults) == 0 && (r.Amount.Sign() <= 0 || r.Transfer.InstructedAmount.Amount == "") {
				t.Fatalf("%+v", r)
			}
			if len(r.Transfer.RemittanceInformation) > 4 {
				return // which has no columns for all of them
			}
			if p := r.Transfer.Beneficiary.Creditor.PostalAddress; p != nil && len(p.AddressLine) > 2 {
				return
			}
		}
		if !b.Good() {
			return
		}
		again, err := Parse(CSV(b.Transfers()), "XXX")
		if err != nil || !reflect.DeepEqual(again.Transfers(), b.Transfers()) {
			t.Fatalf("%q became %+v, %v", text, again, err)
		}
	})
}
