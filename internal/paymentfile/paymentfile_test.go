package paymentfile

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/textfile"
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
		if err != nil || v.Name != "ACME GmbH" || v.IBAN.String() != german || v.Amount.String() != "12.30" || v.Text != "Invoice 7" ||
			v.Information != "Thank you" || v.Instant || !LooksLikeInvoice(text) && name != "old apple" {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
	short, err := ParseInvoice(invoice("BCD", "001", "1", "SCT", "BHBLDEHHXXX", "A", german))
	if err != nil || short.BIC != "BHBLDEHHXXX" || !short.Amount.IsZero() {
		t.Errorf("%+v, %v", short, err)
	}
	if v, err := ParseInvoice(invoice("BCD", "002", "1", "INST", "", "A", german, "", "CHAR", "RF18539007547034")); err != nil || !v.Instant ||
		v.Purpose != "CHAR" || v.Reference != "RF18539007547034" {
		t.Errorf("%+v, %v", v, err)
	}
	bad := map[string]struct{ text, finding string }{
		"no code":            {"hello", "NoCode"},
		"empty":              {"", "NoCode"},
		"too long":           {change(10, strings.Repeat("x", 400)), "LongCode{Most:331}"},
		"no UTF-8":           {change(10, "\xff"), "DamagedCode"},
		"too many lines":     {invoice(append(full, "x")...), "TooManyLines{Count:13, Most:12}"},
		"version":            {change(1, "003"), "WrongVersion"},
		"alphabet":           {change(2, "9"), "WrongAlphabet"},
		"direct debit":       {change(3, "SDD"), "OtherPurpose"},
		"BIC missing":        {change(1, "001"), "NoCodeBIC"},
		"BIC":                {change(4, "XX"), "WrongCodeBIC"},
		"no name":            {change(5, " "), "NoCodeName"},
		"long name":          {change(5, strings.Repeat("x", 71)), "LongElement{Line:6, Length:71, Most:70}"},
		"IBAN":               {change(6, german[:21]), "WrongCodeIBAN"},
		"check digits":       {change(6, "DE88370400440532013000"), "WrongCodeIBAN"},
		"amount":             {change(7, "EUR12,30"), "AmountComma"},
		"currency":           {change(7, "USD12.30"), "OtherCurrency"},
		"exponent":           {change(7, "EUR1e3"), "AmountForm"},
		"zero":               {change(7, "EUR0.00"), "AmountZero"},
		"purpose":            {change(8, "char"), "WrongPurpose"},
		"text and reference": {change(9, "RF18539007547034"), "ReferenceAndText"},
		"long text":          {change(10, strings.Repeat("x", 141)), "LongElement{Line:11, Length:141, Most:140}"},
		"long information":   {change(11, strings.Repeat("x", 71)), "LongElement{Line:12, Length:71, Most:70}"},
	}
	for name, c := range bad {
		if _, err := ParseInvoice(c.text); err == nil || !says(err, c.finding) {
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

// told writes a finding as it stands in Go, without what all of them have.
func told(found Finding) string {
	text := strings.NewReplacer("fact:textfile.Fact{}, ", "", "fact:textfile.Fact{}", "", "Fact:textfile.Fact{}, ", "", "Fact:textfile.Fact{}", "",
		"paymentfile.", "", "textfile.", "").Replace(fmt.Sprintf("%#v", found))
	text, _, _ = strings.Cut(text, "{Problem:") // which has tests of its own
	return strings.TrimSuffix(text, "{}")
}

// says reports whether an error tells of a finding that is written so, or begins so.
func says(err error, finding string) bool {
	var e *textfile.Error
	return errors.As(err, &e) && strings.HasPrefix(told(e.Reason), finding)
}

// readFile reads a file as it is uploaded.
func readFile(file string) (File, error) {
	text, _, err := textfile.Decode([]byte(file), MaxBytes)
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
			text += " !" + told(f)
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
	want := "2 ACME GmbH " + german + " 12.30\n4 B; Sons " + finn + " 5.00\n5  " + german[:21] +
		" 0.00 !NoName !WrongIBAN !WrongBIC !WrongAmount !WrongDay\n6 C " + german + " 0.00 !WrongAmount\n7 D " + german + " 5.00 !ShortLine{Columns:3, Header:7}"
	if got := rows(b); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	first := b.Rows[0].Transfer
	if *first.RequestedExecutionDate != "2026-12-24" || first.RemittanceInformation[0] != "Invoice 7" ||
		*first.Beneficiary.CreditorAgent.BICFI != "BHBLDEHHXXX" || first.InstructedAmount.Amount != "12.30" {
		t.Errorf("%+v", first)
	}
	if totals, err := b.Totals(); err != nil || len(totals) != 1 || totals[0].String() != "22.30" || b.Good() || len(b.Transfers()) != 5 {
		t.Errorf("%v %v", totals, err)
	}
	for name, c := range map[string]struct{ text, finding string }{
		"empty":          {"", "NoPayment{Header:false}"},
		"header alone":   {"name,iban,amount\n", "NoPayment{Header:true}"},
		"no header":      {"ACME,DE89,5\n", `NoColumn{Column:"name"}`},
		"no amounts":     {"name,iban\nA,B\n", `NoColumn{Column:"amount"}`},
		"column twice":   {"name,payee,iban,amount\nA,B,C,1\n", `SameColumn{Column:"name", First:"name", Second:"payee"}`},
		"quotes":         {"name,iban,amount\n\"A,B,1\n", "WrongQuotes{Line:2}"},
		"no alphabet":    {"name,iban,amount\n\x81,B,1\n", `WrongEncoding{Name:"windows-1252", Line:2}`},
		"too large":      {"name,iban,amount\n" + strings.Repeat(" ", MaxBytes), "TooLarge{Most:1048576}"},
		"too many":       {"name,iban,amount\n" + strings.Repeat("A,B,1\n", MaxRows+1), "TooManyPayments{Most:2000}"},
		"the wrong file": {"PK\x03\x04", "OtherFile{Kind:0}"},
	} {
		if _, err := readFile(c.text); err == nil || !says(err, c.finding) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func pain(head, body string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>` + head + `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn>` + body +
		`</CstmrCdtTrfInitn></Document>`
}

func transferXML(name, number, amount string) string {
	return `<CdtTrfTxInf><PmtId><EndToEndId>E2E-1</EndToEndId></PmtId><Amt><InstdAmt Ccy="EUR">` + amount +
		`</InstdAmt></Amt><CdtrAgt><FinInstnId><BICFI>BHBLDEHHXXX</BICFI></FinInstnId></CdtrAgt><Cdtr><Nm>` + name +
		`</Nm></Cdtr><CdtrAcct><Id><IBAN>` + number + `</IBAN></Id></CdtrAcct><RmtInf><Ustrd>Invoice &lt;7&gt;</Ustrd></RmtInf></CdtTrfTxInf>`
}

func TestPain001(t *testing.T) {
	header := `<GrpHdr><MsgId>M</MsgId><NbOfTxs>2</NbOfTxs><CtrlSum>17.3</CtrlSum></GrpHdr>`
	payment := `<PmtInf><ReqdExctnDt><Dt>2026-12-24</Dt></ReqdExctnDt><DbtrAcct><Id><IBAN>` + finn + `</IBAN></Id></DbtrAcct>` +
		transferXML("ACME GmbH", german, "12.30") + transferXML("B", german, "5") + `</PmtInf>`
	b, err := readFile(pain("", header+payment))
	if err != nil || !b.Good() {
		t.Fatalf("%v %+v", err, b)
	}
	if got := rows(b); got != "1 ACME GmbH "+german+" 12.30\n2 B "+german+" 5.00" {
		t.Error(got)
	}
	first := b.Rows[0].Transfer
	if b.Debtor != (finance.PayeeAccount{Scheme: openbanking.SchemeNameIBAN, Number: finn}) || *first.RequestedExecutionDate != "2026-12-24" ||
		*first.PaymentID.EndToEndID != "E2E-1" || first.RemittanceInformation[0] != "Invoice <7>" || *first.Beneficiary.CreditorAgent.BICFI != "BHBLDEHHXXX" {
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
	if err != nil || rows(faulty) != "1  DE00 0.00 !NoName !WrongIBAN !WrongAmount\n2 B "+german+" 0.00 !WrongAmount\n3 B "+german+" 0.00 !WrongAmount" {
		t.Errorf("%v\n%s", err, rows(faulty))
	}
	for name, c := range map[string]struct{ text, finding string }{
		"DocumentType":    {pain(`<!DOCTYPE x [<!ENTITY a "b">]>`, payment), "DocumentType"},
		"external entity": {pain(`<!DOCTYPE x SYSTEM "file:///etc/passwd">`, strings.Replace(payment, "ACME", "&x;", 1)), "DocumentType"},
		"unknown entity":  {pain("", strings.Replace(payment, "ACME", "&x;", 1)), "Malformed{Line:1}"},
		"cut off":         {pain("", payment)[:600], "Malformed{Line:1}"},
		"too deep":        {pain("", strings.Repeat("<a>", 100)), "TooDeep"},
		"another file":    {`<html></html>`, "OtherMessage{Kind:0}"},
		"camt":            {strings.Replace(pain("", payment), "pain.001.001.09", "camt.053.001.08", 1), "OtherMessage{Kind:3}"},
		"no payment":      {pain("", header), "NoPayment{Header:false}"},
		"too many":        {pain("", "<PmtInf>"+strings.Repeat("<CdtTrfTxInf></CdtTrfTxInf>", MaxRows+1)+"</PmtInf>"), "TooManyPayments{Most:2000}"},
	} {
		if _, err := readFile(c.text); err == nil || !says(err, c.finding) {
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
		text, _, err := textfile.Decode(file, MaxBytes)
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
