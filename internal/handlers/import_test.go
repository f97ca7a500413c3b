package handlers_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// upload posts the form of an import with a file.
func (b *browser) upload(name, content, account string) *answer {
	b.site.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	must(b.site.t, form.WriteField("account", account))
	if name != "" {
		part, err := form.CreateFormFile("file", name)
		must(b.site.t, err)
		_, err = part.Write([]byte(content))
		must(b.site.t, err)
	}
	must(b.site.t, form.Close())
	r := b.request(http.MethodPost, "/import", &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(r)
}

const marchCSV = "Buchungstag;Empfänger;Verwendungszweck;Betrag;Währung\r\n" +
	"01.03.2026;Vermieter;Miete März;-700,00;EUR\r\n02.03.2026;REWE;Einkauf;-12,40;EUR\r\n31.02.2026;REWE;Einkauf;-1,00;EUR\r\n13.03.2026;Shop;abroad;-5,00;USD\r\n"

const aprilCAMT = `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>1</MsgId><CreDtTm>2026-04-02T08:00:00</CreDtTm></GrpHdr>
<Stmt><Id>1</Id><Acct><Id><IBAN>DE02120300000000202051</IBAN></Id><Ccy>EUR</Ccy></Acct>
<Ntry><Amt Ccy="EUR">12.40</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-03-02</Dt></BookgDt><NtryDtls><TxDtls><RltdPties><Cdtr><Pty><Nm>REWE</Nm></Pty></Cdtr></RltdPties><RmtInf><Ustrd>Einkauf</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>
<Ntry><Amt Ccy="EUR">2100.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-04-01</Dt></BookgDt><NtryDtls><TxDtls><RltdPties><Dbtr><Pty><Nm>Employer</Nm></Pty></Dbtr></RltdPties><RmtInf><Ustrd>Gehalt</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>
</Stmt></BkToCstmrStmt></Document>`

var undoAddress = regexp.MustCompile(`/import/[^/"]+/undo`)

// A CSV file makes an account, a CAMT file that overlaps brings only what is new, and is undone as a whole. All of it without JavaScript.
func TestImportFiles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("ada@example.org")
	b := s.signedIn("ada@example.org")
	b.get("/").has(`href="/accounts/new"`)
	b.get("/import/preview").to("/import")
	b.post("/import/save", nil).to("/import")
	b.upload("", "", "").status(http.StatusUnprocessableEntity).has("Choose a file.")
	b.upload("x.csv", "", "").status(http.StatusUnprocessableEntity).has("The file is empty.")
	b.upload("x.xml", `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`, "").status(http.StatusUnprocessableEntity).has("problem")
	b.upload("x.csv", "a\x00b", "").status(http.StatusUnprocessableEntity)
	b.get("/import").lacks("You have chosen a file")

	b.upload(`C:\Files\march.csv`, marchCSV, "new").to("/import/preview")
	b.get("/import").has("You have chosen a file and not imported it yet.")
	b.get("/import/preview").has("march.csv", "CSV", "2 new", "2 cannot be read", "Line 4", "“31.02.2026” is not a date.", "The amount is in USD, the account in EUR.", "Vermieter", "Booking date")
	b.post("/import/preview", url.Values{"account": {"new"}, "name": {"Giro"}, "currency": {"EUR"}, "column0": {"booking_date"}, "column1": {"counterparty"}, "column2": {"text"},
		"column3": {"amount"}, "column4": {"currency"}, "days": {"dmy"}, "decimal": {"comma"}}).to("/import/preview")
	b.get("/import/preview").has("Into a new account: Giro", "2 new")
	saved := b.post("/import/save", nil).status(http.StatusSeeOther)
	giro := saved.Header.Get("Location")
	b.get(giro).has("2 transactions are imported.", "Giro", hero("−712.40"), "Miete März")
	b.post(giro+"/edit", url.Values{"name": {"Giro"}, "type": {"CACC"}, "number": {"DE02 1203 0000 0000 2020 51"}}).to(giro)

	b.upload("march.csv", marchCSV, strings.TrimPrefix(giro, "/accounts/")).to("/import/preview")
	b.get("/import/preview").has("Into Giro", "0 new", "2 already there").lacks(`formaction="/import/save"`)
	b.post("/import/discard", nil).to("/import")
	b.get("/import/preview").to("/import")

	b.upload("april.xml", aprilCAMT, "").to("/import/preview")
	b.get("/import/preview").has("CAMT.053", "Into Giro", "1 new", "1 already there", "Employer")
	b.post("/import/save", nil).to(giro)
	b.get(giro).has("1 transaction is imported.", hero("1,387.60"))
	b.get("/transactions?q=gehalt").has("Employer")
	past := b.get("/import").has("Imported files", "march.csv", "april.xml")
	undo := undoAddress.FindString(past.body)
	b.get(undo).has("april.xml", "1 transaction goes.").lacks("You have changed")
	s.user("tom@example.org")
	tom := s.signedIn("tom@example.org")
	tom.get(undo).status(http.StatusNotFound)
	tom.post(undo, nil).status(http.StatusNotFound)
	tom.upload("april.xml", aprilCAMT, strings.TrimPrefix(giro, "/accounts/")).to("/import/preview")
	tom.get("/import/preview").has("Into a new account").lacks("already there: 1")
	b.post(undo, nil).to("/import")
	b.get("/import").has("The import is undone: 1 transaction is removed.", "Undone")
	b.get(giro).has(hero("−712.40")).lacks("Gehalt")
	b.post(undo, nil).status(http.StatusNotFound)
	b.languages = "de"
	b.get("/import").has("Importierte Dateien")
}
