package ledgerfile_test

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"florin/internal/ledgerfile"
	"florin/internal/testkit"
)

type camtNode struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []camtNode `xml:",any"`
	Text     string     `xml:",chardata"`
}

func camtDocument(t *testing.T, text string) camtNode {
	t.Helper()
	var document camtNode
	if err := xml.Unmarshal([]byte(text), &document); err != nil { //nolint:musttag // XMLName has the name of any element
		t.Fatal(err)
	}
	if document.XMLName.Space != "urn:iso:std:iso:20022:tech:xsd:camt.053.001.08" || document.XMLName.Local != "Document" {
		t.Errorf("the document is a %v", document.XMLName)
	}
	document.Attrs = nil
	return document
}

func (n camtNode) find(path ...string) (found []camtNode) {
	if len(path) == 0 {
		return []camtNode{n}
	}
	for _, c := range n.Children {
		if c.XMLName.Local == path[0] {
			found = append(found, c.find(path[1:]...)...)
		}
	}
	return found
}

func (n camtNode) text(path ...string) string {
	var all []string
	for _, f := range n.find(path...) {
		all = append(all, f.Text)
	}
	return strings.Join(all, "")
}

// Each statement is valid by the schema of ISO 20022, and the judge finds what is wrong.
func TestCAMT053KeepsItsSchema(t *testing.T) {
	testkit.Long(t, testkit.Judge)
	schema := testkit.ISOSchema(t, "banktocustomer_cash_management_8/camt.053.001.08.xsd")
	nothing := sample(true)
	nothing.Rows, nothing.RowsOf = func(func(ledgerfile.Row, error) bool) {}, func(int) ledgerfile.Rows { return func(func(ledgerfile.Row, error) bool) {} }
	for name, l := range map[string]ledgerfile.Ledger{"whole": sample(false), "partial": sample(true), "nothing found": nothing} {
		if faults := testkit.SchemaFaults(t, schema, written(t, ledgerfile.CAMT053, l, ledgerfile.Options{})); faults != "" {
			t.Errorf("%s: %s", name, faults)
		}
	}
	good := written(t, ledgerfile.CAMT053, sample(false), ledgerfile.Options{})
	for _, broken := range [][2]string{
		{"<Sts><Cd>BOOK</Cd></Sts>", ""}, {"</BkTxCd>", "</BkTxCd><Sts><Cd>BOOK</Cd></Sts>"}, {`<Amt Ccy="EUR">`, "<Amt>"}, {"<CdtDbtInd>DBIT", "<CdtDbtInd>DBT"},
		{"<MsgId>FLORIN", "<MsgId>FLORIN-------------------------------------"}, {"<IBAN>DE89", "<IBAN>DE8 9"}, {"<Ustrd>", "<Ustrd></Ustrd><Ustrd>"},
	} {
		text := strings.Replace(good, broken[0], broken[1], 1)
		if text == good || testkit.SchemaFaults(t, schema, text) == "" {
			t.Errorf("%q in place of %q is not found", broken[1], broken[0])
		}
	}
}

func TestCAMT053SaysWhatTheRowsSay(t *testing.T) {
	l := sample(false)
	document := camtDocument(t, written(t, ledgerfile.CAMT053, l, ledgerfile.Options{}))
	entries := map[string]camtNode{}
	for _, statement := range document.find("BkToCstmrStmt", "Stmt") {
		for _, e := range statement.find("Ntry") {
			entries[e.text("NtryRef")] = e
		}
		if count := statement.text("TxsSummry", "TtlNtries", "NbOfNtries"); count != fmt.Sprint(len(statement.find("Ntry"))) {
			t.Errorf("%s says %s entries", statement.text("Id"), count)
		}
	}
	rows := rowsOf(t, l)
	if len(entries) != len(rows) {
		t.Fatalf("%d entries, want %d", len(entries), len(rows))
	}
	for _, r := range rows {
		e := entries[r.ID]
		side, party := "CRDT", "Dbtr"
		if r.Amount.Sign() < 0 {
			side, party = "DBIT", "Cdtr"
		}
		if e.text("Amt") != r.Amount.Abs().String() || e.text("CdtDbtInd") != side || e.find("Amt")[0].Attrs[0].Value != r.Amount.Currency() {
			t.Errorf("%s: amount %s %s, want %s", r.ID, e.text("CdtDbtInd"), e.text("Amt"), r.Amount)
		}
		if r.BookingDate != "" && e.text("BookgDt", "Dt") != string(r.BookingDate) || e.text("ValDt", "Dt") != string(r.ValueDate) {
			t.Errorf("%s: booked %s, value %s", r.ID, e.text("BookgDt", "Dt"), e.text("ValDt", "Dt"))
		}
		plain := func(text string) string { return strings.Join(strings.Fields(strings.Map(visible, text)), " ") }
		if got := plain(e.text("NtryDtls", "TxDtls", "RmtInf", "Ustrd")); got != plain(r.Text) {
			t.Errorf("%s: text %q, want %q", r.ID, got, plain(r.Text))
		}
		name := plain(e.text("NtryDtls", "TxDtls", "RltdPties", party, "Pty", "Nm"))
		if !strings.HasPrefix(plain(r.Counterparty), name) || name == "" && plain(r.Counterparty) != "" {
			t.Errorf("%s: %s is %q, want %q", r.ID, party, name, r.Counterparty)
		}
	}
}

// visible makes a space of what is no character to see.
func visible(r rune) rune {
	if r < ' ' || r == utf8.RuneError {
		return ' '
	}
	return r
}

// Opening balance, entries and closing balance of a whole account add up; of a search there is the sum alone, and it does not pretend to be a balance.
func TestCAMT053Balances(t *testing.T) {
	whole := camtDocument(t, written(t, ledgerfile.CAMT053, sample(false), ledgerfile.Options{})).find("BkToCstmrStmt", "Stmt")[0]
	codes := []string{}
	for _, b := range whole.find("Bal") {
		codes = append(codes, b.text("Tp", "CdOrPrtry", "Cd")+" "+b.text("CdtDbtInd")+" "+b.text("Amt")+" "+b.text("Dt", "Dt"))
	}
	// 1234.56 less the five rows of the account: -70.00, 90071992547409.93, 49.88, 89.84 and 129.80.
	if want := []string{"OPBD DBIT 90071992546374.89 2026-05-18", "CLBD CRDT 1234.56 2026-11-18"}; !slices.Equal(codes, want) {
		t.Errorf("balances %q, want %q", codes, want)
	}
	part := camtDocument(t, written(t, ledgerfile.CAMT053, sample(true), ledgerfile.Options{}))
	for _, b := range part.find("BkToCstmrStmt", "Stmt", "Bal") {
		if b.text("Tp", "CdOrPrtry", "Prtry") != "SUM OF ENTRIES" {
			t.Errorf("a search has a balance of type %q", b.text("Tp", "CdOrPrtry", "Cd"))
		}
	}
}
