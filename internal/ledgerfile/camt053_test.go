package ledgerfile_test

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"florin/internal/ledgerfile"
)

// The rules of the message definition camt.053.001.08 (ISO 20022, schema urn:iso:std:iso:20022:tech:xsd:camt.053.001.08) for the elements that Florin
// writes: what is inside each type, in which order and how often, and what a text may be. No registry that Florin uses carries the schema itself, so its
// rules stand here; elements that it allows and Florin never writes are left out, so they would be found as mistakes.
var camtTypes = map[string][]camtRule{
	"Document":                   {{"BkToCstmrStmt", 1, 1, "BankToCustomerStatementV08"}},
	"BankToCustomerStatementV08": {{"GrpHdr", 1, 1, "GroupHeader81"}, {"Stmt", 1, many, "AccountStatement9"}},
	"GroupHeader81":              {{"MsgId", 1, 1, "Max35Text"}, {"CreDtTm", 1, 1, "ISODateTime"}},
	"AccountStatement9": {{"Id", 1, 1, "Max35Text"}, {"CreDtTm", 0, 1, "ISODateTime"}, {"FrToDt", 0, 1, "DateTimePeriod1"}, {"Acct", 1, 1, "CashAccount39"},
		{"Bal", 1, many, "CashBalance8"}, {"TxsSummry", 0, 1, "TotalTransactions6"}, {"Ntry", 0, many, "ReportEntry10"}},
	"DateTimePeriod1": {{"FrDtTm", 1, 1, "ISODateTime"}, {"ToDtTm", 1, 1, "ISODateTime"}},
	"CashAccount39": {{"Id", 1, 1, "AccountIdentification4Choice"}, {"Ccy", 0, 1, "ActiveOrHistoricCurrencyCode"}, {"Nm", 0, 1, "Max70Text"},
		{"Ownr", 0, 1, "PartyIdentification135"}, {"Svcr", 0, 1, "BranchAndFinancialInstitutionIdentification6"}},
	"CashAccount38":                                {{"Id", 1, 1, "AccountIdentification4Choice"}},
	"AccountIdentification4Choice":                 {{"IBAN", 0, 1, "IBAN2007Identifier"}, {"Othr", 0, 1, "GenericAccountIdentification1"}},
	"GenericAccountIdentification1":                {{"Id", 1, 1, "Max34Text"}},
	"PartyIdentification135":                       {{"Nm", 0, 1, "Max140Text"}},
	"BranchAndFinancialInstitutionIdentification6": {{"FinInstnId", 1, 1, "FinancialInstitutionIdentification18"}},
	"FinancialInstitutionIdentification18":         {{"Nm", 0, 1, "Max140Text"}},
	"CashBalance8": {{"Tp", 1, 1, "BalanceType13"}, {"Amt", 1, 1, "ActiveOrHistoricCurrencyAndAmount"}, {"CdtDbtInd", 1, 1, "CreditDebitCode"},
		{"Dt", 1, 1, "DateAndDateTime2Choice"}},
	"BalanceType13":               {{"CdOrPrtry", 1, 1, "BalanceType10Choice"}},
	"BalanceType10Choice":         {{"Cd", 0, 1, "Max4Text"}, {"Prtry", 0, 1, "Max35Text"}},
	"DateAndDateTime2Choice":      {{"Dt", 1, 1, "ISODate"}},
	"TotalTransactions6":          {{"TtlNtries", 0, 1, "NumberAndSumOfTransactions4"}},
	"NumberAndSumOfTransactions4": {{"NbOfNtries", 0, 1, "Max15NumericText"}},
	"ReportEntry10": {{"NtryRef", 0, 1, "Max35Text"}, {"Amt", 1, 1, "ActiveOrHistoricCurrencyAndAmount"}, {"CdtDbtInd", 1, 1, "CreditDebitCode"},
		{"Sts", 1, 1, "EntryStatus1Choice"}, {"BookgDt", 0, 1, "DateAndDateTime2Choice"}, {"ValDt", 0, 1, "DateAndDateTime2Choice"}, {"AcctSvcrRef", 0, 1, "Max35Text"},
		{"BkTxCd", 1, 1, "BankTransactionCodeStructure4"}, {"NtryDtls", 0, many, "EntryDetails9"}},
	"EntryStatus1Choice":                       {{"Cd", 1, 1, "Max4Text"}},
	"BankTransactionCodeStructure4":            {{"Prtry", 0, 1, "ProprietaryBankTransactionCodeStructure1"}},
	"ProprietaryBankTransactionCodeStructure1": {{"Cd", 1, 1, "Max35Text"}},
	"EntryDetails9":                            {{"TxDtls", 0, many, "EntryTransaction10"}},
	"EntryTransaction10":                       {{"RltdPties", 0, 1, "TransactionParties6"}, {"RmtInf", 0, 1, "RemittanceInformation16"}},
	"TransactionParties6": {{"Dbtr", 0, 1, "Party40Choice"}, {"DbtrAcct", 0, 1, "CashAccount38"}, {"Cdtr", 0, 1, "Party40Choice"},
		{"CdtrAcct", 0, 1, "CashAccount38"}},
	"Party40Choice":           {{"Pty", 1, 1, "PartyIdentification135"}},
	"RemittanceInformation16": {{"Ustrd", 0, many, "Max140Text"}},
}

// camtChoices are the types of which exactly one element is there.
var camtChoices = []string{"AccountIdentification4Choice", "BalanceType10Choice"}

// camtTexts are the simple types.
var camtTexts = map[string]*regexp.Regexp{
	"ISODateTime":                       regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ?$`),
	"ISODate":                           regexp.MustCompile(`^\d{4}-\d\d-\d\d$`),
	"ActiveOrHistoricCurrencyCode":      regexp.MustCompile(`^[A-Z]{3}$`),
	"IBAN2007Identifier":                regexp.MustCompile(`^[A-Z]{2}[0-9]{2}[a-zA-Z0-9]{1,30}$`),
	"CreditDebitCode":                   regexp.MustCompile(`^(CRDT|DBIT)$`),
	"Max15NumericText":                  regexp.MustCompile(`^[0-9]{1,15}$`),
	"ActiveOrHistoricCurrencyAndAmount": regexp.MustCompile(`^\d{1,13}(\.\d{1,5})?$|^\d{14,18}$|^\d{14,16}\.\d{1,2}$`), // 18 digits, 5 of them decimals
}

const many = 1 << 30

type camtRule struct {
	name     string
	min, max int
	kind     string
}

type camtNode struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []camtNode `xml:",any"`
	Text     string     `xml:",chardata"`
}

// camtFaults lists what is wrong with an element of a type.
func camtFaults(n camtNode, kind, path string) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, path+": "+fmt.Sprintf(format, args...)) }
	rules, holds := camtTypes[kind]
	if !holds {
		if len(n.Children) > 0 {
			fault("holds elements")
		}
		var longest int
		if _, err := fmt.Sscanf(kind, "Max%dText", &longest); err == nil {
			if length := utf8.RuneCountInString(n.Text); length < 1 || length > longest {
				fault("%d characters", length)
			}
			return faults
		}
		form := camtTexts[kind]
		if form == nil {
			fault("the type %s is not in the table", kind)
		} else if !form.MatchString(n.Text) {
			fault("%q is no %s", n.Text, kind)
		}
		if currency := kind == "ActiveOrHistoricCurrencyAndAmount"; currency != (len(n.Attrs) == 1) ||
			currency && (n.Attrs[0].Name.Local != "Ccy" || !camtTexts["ActiveOrHistoricCurrencyCode"].MatchString(n.Attrs[0].Value)) {
			fault("attributes %v", n.Attrs)
		}
		return faults
	}
	if strings.TrimSpace(n.Text) != "" {
		fault("text %q between elements", n.Text)
	}
	if slices.Contains(camtChoices, kind) && len(n.Children) != 1 {
		fault("%d elements of a choice", len(n.Children))
	}
	rest := n.Children
	for _, rule := range rules {
		found := 0
		for len(rest) > 0 && rest[0].XMLName.Local == rule.name {
			faults = append(faults, camtFaults(rest[0], rule.kind, fmt.Sprintf("%s/%s[%d]", path, rule.name, found))...)
			rest, found = rest[1:], found+1
		}
		if found < rule.min || found > rule.max {
			fault("%d times %s", found, rule.name)
		}
	}
	for _, more := range rest {
		fault("%s is not at its place", more.XMLName.Local)
	}
	return faults
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

func TestCAMT053KeepsTheRulesOfItsSchema(t *testing.T) {
	nothing := sample(true)
	nothing.Rows, nothing.RowsOf = func(func(ledgerfile.Row, error) bool) {}, func(int) ledgerfile.Rows { return func(func(ledgerfile.Row, error) bool) {} }
	for name, l := range map[string]ledgerfile.Ledger{"whole": sample(false), "partial": sample(true), "nothing found": nothing} {
		for _, fault := range camtFaults(camtDocument(t, written(t, ledgerfile.CAMT053, l, ledgerfile.Options{})), "Document", name) {
			t.Error(fault)
		}
	}
}

// The judge itself finds what is wrong.
func TestTheRulesOfCAMT053FindMistakes(t *testing.T) {
	good := written(t, ledgerfile.CAMT053, sample(false), ledgerfile.Options{})
	for _, broken := range [][2]string{
		{"<Sts><Cd>BOOK</Cd></Sts>", ""}, {"</BkTxCd>", "</BkTxCd><Sts><Cd>BOOK</Cd></Sts>"}, {`<Amt Ccy="EUR">`, "<Amt>"}, {"<CdtDbtInd>DBIT", "<CdtDbtInd>DBT"},
		{"<MsgId>FLORIN", "<MsgId>FLORIN-------------------------------------"}, {"<IBAN>DE89", "<IBAN>DE8 9"}, {"<Ustrd>", "<Ustrd></Ustrd><Ustrd>"},
	} {
		text := strings.Replace(good, broken[0], broken[1], 1)
		if text == good || len(camtFaults(camtDocument(t, text), "Document", "")) == 0 {
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
