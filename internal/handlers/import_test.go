package handlers_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
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

var transactionAddress = regexp.MustCompile(`/accounts/[^/"]+/transactions/\d+`)

var undoAddress = regexp.MustCompile(`/import/[^/"]+/undo`)

// A CSV file creates an account. A CAMT file that overlaps adds only what is new, and is undone as a whole. All works without JavaScript.
func TestImportFiles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("ada@example.org")
	b := s.signedIn("ada@example.org")
	b.get("/").has(`href="/accounts/new"`, `href="/import"`)
	b.get("/import/preview").to("/import")
	b.post("/import/save", nil).to("/import")
	b.upload("", "", "").status(http.StatusUnprocessableEntity).has("Choose a file.")
	b.upload("x.csv", "", "").status(http.StatusUnprocessableEntity).has("The file is empty.")
	b.upload("x.xml", `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`, "").status(http.StatusUnprocessableEntity).has("problem")
	b.upload("x.csv", "a\x00b", "").status(http.StatusUnprocessableEntity)
	b.get("/import").lacks("You have chosen a file")

	b.upload(`C:\Files\march.csv`, marchCSV, "new").to("/import/preview")
	b.get("/import").has("You have chosen a file and not imported it yet.")
	b.get("/import/preview").has("march.csv", "CSV", "2 new", "2 cannot be read", "Line 4", "“31.02.2026” is not a date.", "The amount is in USD, the account in EUR.", "Vermieter", "Booking date",
		`</time>&#32;<span aria-hidden="true">·</span>&#32;Line 2`)
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
	b.get(undo).has("april.xml", "1 transaction is removed.").lacks("You have changed")
	salary := transactionAddress.FindString(b.get("/transactions?q=gehalt").body)
	b.attach(salary+"/attachments", "payslip.pdf", aPDF).to(salary)
	b.get(undo).has("You have changed 1 of them. What you did to it goes too: category, note, tags, parts, attached files and transfer.")
	s.user("tom@example.org")
	tom := s.signedIn("tom@example.org")
	tom.get(undo).status(http.StatusNotFound)
	tom.post(undo, nil).status(http.StatusNotFound)
	tom.upload("april.xml", aprilCAMT, strings.TrimPrefix(giro, "/accounts/")).to("/import/preview")
	tom.get("/import/preview").has("Into a new account").lacks("already there: 1")
	b.post(undo, nil).to("/import")
	b.get("/import").has("The import is undone: 1 transaction is removed.", "Undone")
	b.get(giro).has(hero("−712.40")).lacks("Gehalt")
	b.get(salary).status(http.StatusNotFound)
	b.post(undo, nil).status(http.StatusNotFound)
	b.languages = "de"
	b.get("/import").has("Importierte Dateien")
}

// statement is a part of a CAMT file for one account.
func statement(id, iban, currency string, entries ...string) string {
	text := `<Stmt><Id>` + id + `</Id><Acct><Id><IBAN>` + iban + `</IBAN></Id><Ccy>` + currency + `</Ccy></Acct>`
	for _, e := range entries {
		amount, name, _ := strings.Cut(e, " ")
		text += "\n" + `<Ntry><Amt Ccy="` + currency + `">` + amount + `</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-03-0` + id + `</Dt></BookgDt>` +
			`<NtryDtls><TxDtls><RltdPties><Cdtr><Pty><Nm>` + name + `</Nm></Pty></Cdtr></RltdPties></TxDtls></NtryDtls></Ntry>`
	}
	return text + `</Stmt>`
}

func camtOf(statements ...string) string {
	return `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>1</MsgId><CreDtTm>2026-04-02T08:00:00</CreDtTm></GrpHdr>` +
		strings.Join(statements, "") + `</BkToCstmrStmt></Document>`
}

// Each account of a file goes to the account with its number, to a new one, or is left out. Several statements of one account are put together. The file is one
// import with one undo, which also removes the accounts that were created for it and hold nothing else.
func TestImportSeveralAccounts(t *testing.T) {
	t.Parallel()
	const giro, savings, dollars = "DE02120300000000202051", "DE75512108001245126199", "DE89370400440532013000"
	s := newSite(t)
	s.user("ada@example.org")
	b := s.signedIn("ada@example.org")
	own := b.created(url.Values{"source": {"manual"}, "name": {"Giro"}, "type": {"CACC"}, "currency": {"EUR"}, "amount": {"100"}, "day": {"2026-01-01"}, "number": {giro}})
	b.created(url.Values{"source": {"value"}, "name": {"House"}, "currency": {"EUR"}, "amount": {"1"}, "day": {"2026-01-01"}})
	file := camtOf(statement("1", giro, "EUR", "1.00 Baker", "2.00 Kiosk"), statement("2", savings, "EUR", "3.00 Fee"), statement("3", dollars, "USD", "4.00 Abroad"),
		statement("4", giro, "EUR", "5.00 Market"))
	b.upload("all.xml", file, "").to("/import/preview")
	b.get("/import/preview").has("Into 3 accounts", "5 new", "The accounts of the file, and where they go", `name="account0"`, "DE75 5121 0800 1245 1261 99 EUR", "3 new · 0 already there · 0 unsure",
		`name="account2"`, "Do not import").lacks(`name="account3"`, "House,")
	b.post("/import/preview", url.Values{"account0": {strings.TrimPrefix(own, "/accounts/")}, "account1": {"new"}, "account2": {"none"}}).to("/import/preview")
	b.get("/import/preview").has("Into 2 accounts", "4 new").lacks("Abroad")
	b.post("/import/save", nil).to("/transactions")
	b.get("/transactions").has("4 transactions are imported.", "Baker", "Market", "Fee").lacks("Abroad")
	b.get(own).has(hero("92.00"))
	past := b.get("/import").has("all.xml", "4 transactions, ", "Giro and all 6199")
	undo := undoAddress.FindString(past.body)

	// An account can be chosen together with the file. Then the other accounts of the file are left out.
	b.upload("all.xml", file, strings.TrimPrefix(own, "/accounts/")).to("/import/preview")
	b.get("/import/preview").has("Into Giro", "0 new", "3 already there").lacks("Abroad")
	b.post("/import/discard", nil)

	// An account in which a person has entered something is not removed.
	b.get(undo).has("4 transactions are removed.", "The accounts that were created for the file are removed, too: all 6199.")
	for _, address := range accountAddress.FindAllString(b.get("/").body, -1) {
		if address != own && strings.Contains(b.get(address).body, "Fee") {
			b.post(address+"/add", url.Values{"direction": {"in"}, "amount": {"7"}, "day": {"2026-03-05"}, "payee": {"Interest"}}).to(address)
		}
	}
	b.get(undo).has("4 transactions are removed.").lacks("are removed, too")
	b.post(undo, nil).to("/import")
	b.get("/import").has("The import is undone: 4 transactions are removed.", "Undone")
	b.get("/transactions").has("Interest").lacks("Baker", "Fee", "Market")
	b.get(own).has(hero("100.00"))
}

var accountAddress = regexp.MustCompile(`/accounts/[0-9A-Za-z]{8,}`)

// What cannot be imported is refused or listed with its line, and no row is imported in part.
func TestImportOfWhatIsBad(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.user("ada@example.org")
	b := s.signedIn("ada@example.org")
	large := strings.NewReader("--florin\r\nContent-Disposition: form-data; name=\"file\"; filename=\"large.csv\"\r\n\r\nDate,Amount\n")
	r := b.request(http.MethodPost, "/import", io.MultiReader(large, io.LimitReader(zeros{}, 100<<20), strings.NewReader("\r\n--florin--\r\n")))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=florin")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if answer, err := b.client.Do(r); err == nil { // else the connection was closed while it was still sent
		answer.Body.Close()
		if answer.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("100 MB answer %d", answer.StatusCode)
		}
	}
	b.get("/import").lacks("You have chosen a file")

	var many []string
	for i := range 101 {
		many = append(many, statement("1", "", "EUR", "1.00 Shop "+strconv.Itoa(i)))
	}
	b.upload("many.xml", camtOf(many...), "").to("/import/preview")
	b.get("/import/preview").status(http.StatusUnprocessableEntity).has("The file has more than 100 accounts.")
	b.post("/import/save", nil).status(http.StatusUnprocessableEntity)

	// Latin-1 in the middle of UTF-8, formulas, a day too far ahead, an amount too large, and a path as the name of the file.
	b.upload("../../etc/odd.csv", "Date,Payee,Text,Amount\n2026-03-01,Caf\xe9,M\xc3\xbcsli,-1.00\n2026-03-02,=cmd|'/c calc'!A1,<script>alert(1)</script>,-2.00\n9999-12-31,Far,,-3.00\n2026-03-03,Much,,"+
		strings.Repeat("9", 40)+"\n", "").to("/import/preview")
	b.get("/import/preview").has("odd.csv", "2 new", "2 cannot be read", "Line 4", "Line 5", "=cmd|&#39;/c calc&#39;!A1", "Café").lacks("<script>alert", "etc/odd")
	b.post("/import/discard", nil).to("/import")

	// A Florin file that was changed by hand.
	head := `{"format":"florin-1","accounts":[` + "\n" + `{"account":1,"name":"Giro","bank":"","currency":"EUR","type":"CACC"}],"transactions":[` + "\n"
	row := func(more string) string {
		return `{"account":1,"id":"x","date":"2026-03-01","amount":"-3.00","currency":"EUR","counterparty":"Shop"` + more + `}`
	}
	b.upload("export.json", head+strings.Join([]string{row(""), row(`,"note":"` + strings.Repeat("n", 2001) + `"`), row(`,"tags":["` + strings.Repeat("t", 41) + `"]`),
		row(`,"parts":[{"amount":"-1.00"},{"amount":"-1.00"}]`), row(`,"parts":[{"amount":"-3.00"}]`), row(`,"category":"` + strings.Repeat("c", 61) + `","tags":["\u202e"]`)}, ",\n")+"]}\n", "").
		to("/import/preview")
	b.get("/import/preview").has("2 new", "4 cannot be read", "Line 4", "Line 7", "Its note, tags or parts cannot be kept.").lacks("Add the categories")
	b.get(b.post("/import/save", nil).status(http.StatusSeeOther).Header.Get("Location")).has("2 transactions are imported.")
}
