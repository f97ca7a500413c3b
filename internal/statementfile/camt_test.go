package statementfile_test

import (
	"fmt"
	"strings"
	"testing"

	"florin/internal/statementfile"
)

// camt is a statement with entries.
func camt(version, entries string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.` + version + `"><BkToCstmrStmt><GrpHdr><MsgId>M</MsgId></GrpHdr>
<Stmt><Id>1</Id><Acct><Id><IBAN>` + german + `</IBAN></Id><Ccy>EUR</Ccy><Nm>Giro</Nm><Ownr><Nm>Anna</Nm></Ownr><Svcr><FinInstnId><Nm>Bank</Nm></FinInstnId></Svcr></Acct>
<Bal><Tp><CdOrPrtry><Cd>PRCD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">5</Amt><CdtDbtInd>DBIT</CdtDbtInd><Dt><Dt>2026-03-01</Dt></Dt></Bal>
<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">7.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><DtTm>2026-03-31T23:59:59+02:00</DtTm></Dt></Bal>
` + entries + `</Stmt></BkToCstmrStmt></Document>`
}

// entry is an entry of a statement.
func entry(amount, side, status, details string) string {
	return `<Ntry><NtryRef>1</NtryRef><Amt Ccy="EUR">` + amount + `</Amt><CdtDbtInd>` + side + `</CdtDbtInd>` + status +
		`<BookgDt><Dt>2026-03-02</Dt></BookgDt><ValDt><DtTm>2026-03-03T00:00:00</DtTm></ValDt><AcctSvcrRef>REF-1</AcctSvcrRef>` + details + `</Ntry>` + "\n"
}

// Versions differ in the status and in the names of parties; agents are BIC or BICFI.
func TestCAMTVersions(t *testing.T) {
	const head = "= Giro|Bank|Anna|" + german + "|EUR||-5.00 2026-03-01|7.00 2026-03-31\n"
	for version := 2; version <= 13; version++ {
		party, status, bic := "<Nm>ACME</Nm>", "<Sts>BOOK</Sts>", "<BIC>COBADEFFXXX</BIC>"
		if version >= 4 {
			bic = "<BICFI>COBADEFFXXX</BICFI>"
		}
		if version >= 8 {
			party, status = "<Pty>"+party+"</Pty>", "<Sts><Cd>BOOK</Cd></Sts>"
		}
		file := camt(fmt.Sprintf("%02d", version), entry("12.30", "DBIT", status, `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn><Prtry><Cd>NTRF+166+9301</Cd></Prtry></BkTxCd>
			<NtryDtls><TxDtls><Refs><EndToEndId>E2E-1</EndToEndId></Refs><RltdPties><Dbtr>`+strings.ReplaceAll(party, "ACME", "Anna")+`</Dbtr><Cdtr>`+party+`</Cdtr><CdtrAcct><Id><IBAN>`+
			finn+`</IBAN></Id></CdtrAcct></RltdPties><RltdAgts><CdtrAgt><FinInstnId>`+bic+`</FinInstnId></CdtrAgt></RltdAgts>
			<RmtInf><Ustrd>Invoice &lt;7&gt;</Ustrd><Strd><CdtrRefInf><Ref>RF18539007547034</Ref></CdtrRefInf></Strd></RmtInf></TxDtls></NtryDtls><AddtlNtryInf>SEPA-ÜBERWEISUNG</AddtlNtryInf>`))
		f := check(t, fmt.Sprintf("version %d", version), file, statementfile.Options{}, head+
			"6|2026-03-02|2026-03-03||-12.30 EUR|ACME|"+finn+"|Invoice <7>/EREF+E2E-1|SEPA-ÜBERWEISUNG ICDT ESCT|REF-1|RF18539007547034")
		if agent := f.Statements[0].Rows[0].Transaction.CreditorAgent; agent == nil || *agent.BICFI != "COBADEFFXXX" {
			t.Errorf("version %d: %+v", version, agent)
		}
	}
}

func TestCAMT(t *testing.T) {
	const booked = "<Sts>BOOK</Sts>"
	const head = "= Giro|Bank|Anna|" + german + "|EUR||-5.00 2026-03-01|7.00 2026-03-31\n"
	one := func(name, text string) string {
		return `<TxDtls><Amt Ccy="EUR">1.50</Amt><RltdPties><Cdtr><Nm>` + name + `</Nm></Cdtr></RltdPties><RmtInf><Ustrd>` + text + `</Ustrd></RmtInf></TxDtls>`
	}
	check(t, "a batch is one row", camt("02", entry("3.00", "DBIT", booked, `<NtryDtls><Btch><NbOfTxs>2</NbOfTxs></Btch>`+one("Anna", "March")+one("Ben", "April")+`</NtryDtls>`)),
		statementfile.Options{}, head+`6|2026-03-02|2026-03-03||-3.00 EUR|||Anna March 1.50 EUR/Ben April 1.50 EUR||REF-1`)
	check(t, "money that comes back", camt("02", entry("3.00", "CRDT", "<RvslInd>true</RvslInd>"+booked, `<NtryDtls>`+one("Shop", "Return")+`</NtryDtls>`)),
		statementfile.Options{}, head+`6|2026-03-02|2026-03-03||3.00 EUR|Shop||Return||REF-1`)
	check(t, "charges are in the amount", camt("08", entry("10.50", "DBIT", "<Sts><Cd>BOOK</Cd></Sts>", `<Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">0.50</TtlChrgsAndTaxAmt></Chrgs>
		<AmtDtls><InstdAmt><Amt Ccy="USD">11.00</Amt></InstdAmt></AmtDtls><AddtlNtryInf>Transfer abroad</AddtlNtryInf>`)),
		statementfile.Options{}, head+`6|2026-03-02|2026-03-03||-10.50 EUR|||Transfer abroad||REF-1`)
	check(t, "a direct debit", camt("08", entry("1", "DBIT", "<Sts><Cd>BOOK</Cd></Sts>", `<NtryDtls><TxDtls><Refs><MndtId>M-1</MndtId></Refs><RltdPties><Cdtr><Pty><Nm>Gym</Nm><Id><PrvtId><Othr>
		<Id>DE98ZZZ09999999999</Id></Othr></PrvtId></Id></Pty></Cdtr></RltdPties><RmtInf><Ustrd>Fee</Ustrd></RmtInf><Purp><Cd>SUBS</Cd></Purp></TxDtls></NtryDtls>`)),
		statementfile.Options{}, head+`6|2026-03-02|2026-03-03||-1.00 EUR|Gym||Fee/PURP+SUBS/MREF+M-1/CRED+DE98ZZZ09999999999||REF-1`)
	check(t, "what cannot be read", camt("02", entry("1", "DBIT", "<Sts>PDNG</Sts>", "")+entry("1", "", booked, "")+entry(strings.Repeat("9", 40), "DBIT", booked, "")+entry("x", "DBIT", booked, "")+
		strings.Replace(entry("1", "DBIT", booked, ""), "2026-03-02", "9999-12-31", 1)+strings.Replace(entry("1", "DBIT", booked, ""), `"EUR"`, `"eur"`, 1)), statementfile.Options{}, head+`! 6 NotBooked
		! 7 WrongSide{Text:""}
		! 8 WrongAmount{Text:"`+strings.Repeat("9", 40)+`"}
		! 9 WrongAmount{Text:"x"}
		! 10 WrongDay{Text:"9999-12-31"}
		! 11 WrongCurrency{Text:"eur"}`)
	second := strings.TrimSuffix(strings.SplitN(camt("02", entry("2", "CRDT", booked, "")), "<Stmt>", 2)[1], "</BkToCstmrStmt></Document>")
	file := strings.Replace(camt("02", entry("1", "CRDT", booked, "")), "</BkToCstmrStmt>", "<Stmt>"+strings.Replace(second, german, finn, 1)+"</BkToCstmrStmt>", 1)
	check(t, "several statements", file, statementfile.Options{}, head+`6|2026-03-02|2026-03-03||1.00 EUR|||||REF-1
		`+strings.Replace(head, german, finn, 1)+`10|2026-03-02|2026-03-03||2.00 EUR|||||REF-1`)
	for name, c := range map[string]struct{ file, want string }{
		"a billion laughs": {strings.Replace(file, "<Document", `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><Document`, 1), "DocumentType"},
		"an entity":        {strings.Replace(file, "Giro", "&x;", 1), "Malformed{Line:3}"},
		"deep":             {camt("02", strings.Repeat("<a>", 100000)), "TooDeep"},
		"cut off":          {file[:len(file)-40], "Malformed{Line:10}"},
		"pain.001":         {`<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn/></Document>`, "OtherMessage{Kind:2}"},
		"camt.054":         {`<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.08"><BkToCstmrDbtCdtNtfctn/></Document>`, "OtherMessage{Kind:3}"},
		"camt.053 of 2005": {strings.Replace(file, "053.001.02", "053.001.01", 1), "OtherMessage{Kind:0}"},
		"HTML":             {"<html></html>", "OtherMessage{Kind:0}"},
		"no entry":         {camt("02", ""), "NoRow"},
	} {
		if f, err := statementfile.Read([]byte(c.file), statementfile.Options{}); refused(err) != c.want {
			t.Errorf("%s: %s %+v, want %s", name, refused(err), f, c.want)
		}
	}
}
