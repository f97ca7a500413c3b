package statementfile_test

import (
	"strings"
	"testing"

	"florin/internal/statementfile"
)

// sgml is OFX 1.x: elements with a text have no end.
const sgml = `OFXHEADER:100
DATA:OFXSGML
VERSION:102
ENCODING:USASCII
CHARSET:1252

<OFX><SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS><DTSERVER>20260401<LANGUAGE>ENG</SONRS></SIGNONMSGSRSV1>
<BANKMSGSRSV1><STMTTRNRS><TRNUID>1<STMTRS><CURDEF>EUR
<BANKACCTFROM><BANKID>37040044<ACCTID>` + german + `<ACCTTYPE>SAVINGS</BANKACCTFROM>
<BANKTRANLIST><DTSTART>20260301<DTEND>20260401
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260302120000[-5:EST]<DTUSER>20260301<TRNAMT>-12.30<FITID>F1
<NAME>Caf` + "\xe9" + ` &amp; Bar &lt;1&gt;
<MEMO>Two coffees
</STMTTRN>
<STMTTRN><TRNTYPE>ATM<DTPOSTED>20260303<TRNAMT>-50<FITID>F2<CHECKNUM>77<NAME><MEMO>Cash</STMTTRN>
<STMTTRN><TRNTYPE>XFER<DTPOSTED>20260304<TRNAMT>1.234,50<FITID>F3<NAME>Anna<BANKACCTTO><BANKID>1<ACCTID>` + finn + `<ACCTTYPE>CHECKING</BANKACCTTO></STMTTRN>
</BANKTRANLIST><LEDGERBAL><BALAMT>1172.20<DTASOF>20260401</LEDGERBAL><AVAILBAL><BALAMT>99<DTASOF>20260401</AVAILBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
`

func TestOFX(t *testing.T) {
	check(t, "SGML", sgml, statementfile.Options{}, `
		= |||`+german+`|EUR|SVGS||1172.20 2026-04-01
		11|2026-03-02||2026-03-01|-12.30 EUR|Café & Bar <1>||Two coffees||F1
		15|2026-03-03|||-50.00 EUR|||Cash|ATM|F2|77
		16|2026-03-04|||1234.50 EUR|Anna|`+finn+`||XFER|F3`)
	card := `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<?OFX OFXHEADER="200" VERSION="220" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>
<!-- of a card -->
<OFX><CREDITCARDMSGSRSV1><CCSTMTTRNRS><CCSTMTRS><CURDEF>USD</CURDEF><CCACCTFROM><ACCTID>**** 4242</ACCTID></CCACCTFROM><BANKTRANLIST>
<STMTTRN><TRNTYPE>DEBIT</TRNTYPE><DTPOSTED>20260302</DTPOSTED><TRNAMT>-9.99</TRNAMT><FITID>A</FITID><NAME/><MEMO><![CDATA[Books & <more>]]></MEMO></STMTTRN>
<STMTTRN><TRNTYPE>HOLD</TRNTYPE><DTPOSTED>20260302</DTPOSTED><TRNAMT>-1</TRNAMT><FITID>B</FITID></STMTTRN>
<STMTTRN><TRNTYPE>DEBIT</TRNTYPE><DTPOSTED>00000000</DTPOSTED><TRNAMT>-1</TRNAMT><FITID>C</FITID></STMTTRN>
<STMTTRN><TRNTYPE>DEBIT</TRNTYPE><DTPOSTED>20260302</DTPOSTED><TRNAMT>` + strings.Repeat("9", 40) + `</TRNAMT><FITID>D</FITID></STMTTRN>
<STMTTRN><TRNTYPE>DEBIT</TRNTYPE><TRNAMT>1</TRNAMT><FITID>E</FITID></STMTTRN>
<STMTTRN><TRNTYPE>CREDIT</TRNTYPE><DTPOSTED>20260302</DTPOSTED><TRNAMT>2</TRNAMT><FITID>F</FITID><CURRENCY><CURSYM>CAD</CURSYM></CURRENCY></STMTTRN>
</BANKTRANLIST></CCSTMTRS></CCSTMTTRNRS></CREDITCARDMSGSRSV1></OFX>`
	check(t, "XML", card, statementfile.Options{}, `
		= |||**** 4242|USD|CARD
		5|2026-03-02|||-9.99 USD|||Books & <more>||A
		10|2026-03-02|||2.00 CAD|||||F
		! 6 NotBooked
		! 7 WrongDay{Text:"00000000"}
		! 8 WrongAmount{Text:"`+strings.Repeat("9", 40)+`"}
		! 9 NoDay`)
	for name, c := range map[string]struct{ file, want string }{
		"cut off":         {sgml[:strings.Index(sgml, "<STMTTRN><TRNTYPE>XFER")], "CutOff"},
		"a document type": {"<?xml version=\"1.0\"?><!DOCTYPE OFX [<!ENTITY a \"b\">]>" + card[strings.Index(card, "<OFX>"):], "DocumentType"},
		"an entity":       {strings.Replace(card, "<BANKTRANLIST>", "<!ENTITY a \"b\">", 1), "DocumentType"},
		"deep":            {"<OFX>" + strings.Repeat("<A>", 1000), "TooDeep"},
		"no end of a tag": {"<OFX><BANKMSGSRSV1", "Malformed{Line:1}"},
		"no currency":     {strings.Replace(sgml, "<CURDEF>EUR", "", 1), "NoCurrency"},
		"no row":          {"<OFX></OFX>", "NoRow"},
	} {
		if f, err := statementfile.Read([]byte(c.file), statementfile.Options{}); refused(err) != c.want {
			t.Errorf("%s: %s %+v, want %s", name, refused(err), f, c.want)
		}
	}
}
