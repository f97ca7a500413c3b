package main

import (
	"os"
	"path/filepath"
	"testing"

	"florin/internal/testkit"
)

// A person keeps an account without a bank: creates it, writes a transaction, changes and deletes it, and keeps another account that has only a value. Then the
// person imports a table whose columns Florin does not know, and a bank statement that overlaps with it, and undoes both.
func TestJourneyImport(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Browser)
	f := spawn(t)
	first := browse(t, desktop)
	first.setUp(f)
	for name, look := range scripts {
		t.Run(name, func(t *testing.T) {
			w := browse(t, look)
			w.signIn(f, ownerEmail, ownerPassword)
			w.keepsWallet(f, name)
			w.keepsHouse(f, name)
			w.importsFiles(f, name)
		})
	}
}

// submit clicks on the main button of the page.
func (w *window) submit() {
	w.t.Helper()
	w.clickOn(matching("main .btn-main[type=submit]"))
}

func (w *window) keepsWallet(f *florin, name string) {
	w.t.Helper()
	w.visit(f.web + "/accounts/new")
	w.fill("Name", "Wallet "+name)
	w.choose("Kind of account", "Cash")
	w.fill("Balance or value", "ten")
	w.submit()
	w.see("Enter the amount with digits and decimals")
	w.checkPage()
	w.fill("Balance or value", "100.00")
	w.submit()
	w.see("Wallet "+name+" is saved.", "100.00", "There are no transactions yet.")
	w.checkPage()
	w.click("Add a transaction")
	w.fill("Amount in EUR", "12.40")
	w.fill("With whom", "Market")
	w.fill("Text", "apples")
	w.checkPage()
	w.submit()
	w.see("87.60", "Market")
	w.clickOn(matching(`main a[href*="/accounts/"][href*="/transactions/"]`))
	w.click("Change or delete this transaction")
	w.fill("Amount in EUR", "13.40")
	w.submit()
	w.see("13.40")
	w.click("Change or delete this transaction")
	w.press("Delete this transaction")
	w.checkPage()
	w.click("Delete the transaction")
	w.see("100.00", "There are no transactions yet.")
	w.seeNot("Market")
}

func (w *window) keepsHouse(f *florin, name string) {
	w.t.Helper()
	w.visit(f.web + "/accounts/new")
	w.choose("How you keep it", "Only with its value")
	w.fill("Name", "House "+name)
	w.fill("Balance or value", "250000")
	w.submit()
	w.see("Your last value", "250,000.00")
	w.fill("Amount in EUR", "260000")
	w.click("Save the value") // replaces the value of the same day
	w.see("The value is saved.", "260,000.00")
	w.seeNot("250,000.00")
	w.checkPage()
}

func (w *window) importsFiles(f *florin, name string) {
	w.t.Helper()
	folder := w.t.TempDir()
	upload := func(file, content string) {
		w.t.Helper()
		path := filepath.Join(folder, file)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			w.t.Fatal(err)
		}
		w.attach("File", path)
		w.click("Look at the file")
	}
	w.visit(f.web + "/")
	w.click("Import a file with transactions")
	upload("page.pdf", "%PDF-1.7\x00")
	w.see("Look at the file") // the form is shown again, with the mistake
	w.checkPage()
	upload("march.csv", "wann "+name+";wer;was;wieviel\n13.03.2026;Vermieter;Miete;-700,00\n14.03.2026;Bäcker;Brot;-3,20\n15.03.2026;Kiosk;Zeitung;-2,50\n")
	w.see("Not used", "13.03.2026 | 14.03.2026")
	w.checkPage()
	w.fill("Name of the new account", "Giro "+name)
	for column, holds := range map[string]string{"wann " + name: "Booking date", "wer": "Counterparty", "was": "Text", "wieviel": "Amount"} {
		w.choose(column, holds)
	}
	w.click("Show the file like this")
	w.see("Into a new account: Giro "+name, "3 new", "Vermieter", "−700.00")
	w.checkPage()
	w.submit()
	w.see("3 transactions are imported.", "−705.70", "Giro "+name)

	w.click("Import a file with transactions") // from the page of this account
	upload("april.xml", camtFile)
	w.see("Into Giro "+name, "1 new", "1 already there", "1 unsure", "Employer", "Perhaps there already")
	w.checkPage()
	w.press("Kiosk")
	w.submit()
	w.see("2 transactions are imported.", "1,391.80", "Employer")
	w.visit(f.web + "/import")
	w.see("april.xml", "march.csv", "Giro "+name)
	w.checkPage()
	w.clickOn(matching(`main a[href$="/undo"]`)) // the latest import
	w.see("april.xml", "2 transactions are removed.")
	w.checkPage()
	w.clickOn(matching("main .btn-danger"))
	w.see("The import is undone: 2 transactions are removed.")
	w.clickOn(matching(`main a[href$="/undo"]`)) // the import of the table is undone, together with the account that it created
	w.see("march.csv", "3 transactions are removed.", "The accounts that were created for the file are removed, too: Giro "+name+".")
	w.clickOn(matching("main .btn-danger"))
	w.see("The import is undone: 3 transactions are removed.")
	w.visit(f.web + "/")
	w.see("Wallet "+name, "House "+name)
	w.seeNot("Giro " + name)
}

// camtFile is a bank statement with three entries: one is in the table above, one resembles an entry of the table, and one is new.
const camtFile = `<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><GrpHdr><MsgId>1</MsgId><CreDtTm>2026-04-02T08:00:00</CreDtTm></GrpHdr>
<Stmt><Id>1</Id><Acct><Id><IBAN>DE02120300000000202051</IBAN></Id><Ccy>EUR</Ccy></Acct>
<Ntry><Amt Ccy="EUR">3.20</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-03-14</Dt></BookgDt><NtryDtls><TxDtls><RltdPties><Cdtr><Pty><Nm>Bäcker</Nm></Pty></Cdtr></RltdPties></TxDtls></NtryDtls></Ntry>
<Ntry><Amt Ccy="EUR">2.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-03-17</Dt></BookgDt><NtryDtls><TxDtls><RltdPties><Cdtr><Pty><Nm>Kiosk</Nm></Pty></Cdtr></RltdPties></TxDtls></NtryDtls></Ntry>
<Ntry><Amt Ccy="EUR">2100.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-04-01</Dt></BookgDt><NtryDtls><TxDtls><RltdPties><Dbtr><Pty><Nm>Employer</Nm></Pty></Dbtr></RltdPties></TxDtls></NtryDtls></Ntry>
</Stmt></BkToCstmrStmt></Document>`
