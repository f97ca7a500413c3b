package statementfile

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"

	"florin/internal/openbanking"
	"florin/internal/textfile"
)

// camtNames matches the namespaces of statements (camt.053) and of reports within the day (camt.052), whose booked entries are the same. The elements that
// are read have the same names in all versions from 02 on, except those of parties and agents, which are read in both forms.
var camtNames = regexp.MustCompile(`(?:^|[:./])camt\.05[23]\.001\.(?:0[2-9]|[1-9][0-9])(?:[._]|$)`)

// camtOthers lists other messages by a part of their namespace.
var camtOthers = []struct {
	name string
	kind MessageKind
}{{"camt.054", Notification}, {"pain.001", Payments}}

type camtText struct {
	Text     string `xml:",chardata"`
	Currency string `xml:"Ccy,attr"`
}

// camtAccount is an account (CashAccount).
type camtAccount struct {
	IBAN     string `xml:"Id>IBAN"`
	Other    string `xml:"Id>Othr>Id"`
	Currency string `xml:"Ccy"`
	Name     string `xml:"Nm"`
	Owner    string `xml:"Ownr>Nm"`
	Bank     string `xml:"Svcr>FinInstnId>Nm"`
	Code     string `xml:"Tp>Cd"`
}

func (a camtAccount) number() string {
	if a.IBAN != "" {
		return a.IBAN
	}
	return a.Other
}

type camtBalance struct {
	Code   string   `xml:"Tp>CdOrPrtry>Cd"`
	Amount camtText `xml:"Amt"`
	Side   string   `xml:"CdtDbtInd"`
	Date   camtDay  `xml:"Dt"`
}

// camtDay is a day, or a time of which only the day is used.
type camtDay struct {
	Day  string `xml:"Dt"`
	Time string `xml:"DtTm"`
}

func (d camtDay) date() (openbanking.Date, Finding) {
	text := strings.TrimSpace(d.Day)
	if text == "" {
		text = strings.TrimSpace(d.Time)
	}
	if text == "" {
		return "", nil
	}
	day, known := parseDay(text[:min(len(text), len("2026-12-31"))], YearMonthDay)
	if !known {
		return "", WrongDay{Text: excerpt(text)}
	}
	return day, nil
}

// camtParty is a party. Since version 08 its name and identification are inside Pty.
type camtParty struct {
	Name  string   `xml:"Nm"`
	Party string   `xml:"Pty>Nm"`
	Agent string   `xml:"Agt>FinInstnId>Nm"`
	IDs   []string `xml:"Id>PrvtId>Othr>Id"`
	Later []string `xml:"Pty>Id>PrvtId>Othr>Id"`
}

func (p camtParty) name() string { return p.Name + p.Party + p.Agent }

type camtAgent struct {
	BIC   string `xml:"FinInstnId>BIC"`
	BICFI string `xml:"FinInstnId>BICFI"`
}

type camtCode struct {
	Family    string `xml:"Domn>Fmly>Cd"`
	SubFamily string `xml:"Domn>Fmly>SubFmlyCd"`
	Own       string `xml:"Prtry>Cd"`
}

// camtEntry is an entry (ReportEntry).
type camtEntry struct {
	Reference string   `xml:"NtryRef"`
	Amount    camtText `xml:"Amt"`
	Side      string   `xml:"CdtDbtInd"`
	Reversal  string   `xml:"RvslInd"`
	Status    struct {
		Text string `xml:",chardata"`
		Code string `xml:"Cd"`
	} `xml:"Sts"`
	Booking  camtDay           `xml:"BookgDt"`
	Value    camtDay           `xml:"ValDt"`
	Servicer string            `xml:"AcctSvcrRef"`
	Code     camtCode          `xml:"BkTxCd"`
	Details  []camtTransaction `xml:"NtryDtls>TxDtls"`
	Info     string            `xml:"AddtlNtryInf"`
}

// camtTransaction is a payment of an entry (EntryTransaction). An entry of a batch has several.
type camtTransaction struct {
	Servicer      string      `xml:"Refs>AcctSvcrRef"`
	EndToEnd      string      `xml:"Refs>EndToEndId"`
	Mandate       string      `xml:"Refs>MndtId"`
	Amount        camtText    `xml:"Amt"`
	OldAmount     camtText    `xml:"AmtDtls>TxAmt>Amt"`
	Code          camtCode    `xml:"BkTxCd"`
	Debtor        camtParty   `xml:"RltdPties>Dbtr"`
	DebtorAccount camtAccount `xml:"RltdPties>DbtrAcct"`
	DebtorAgent   camtAgent   `xml:"RltdAgts>DbtrAgt"`
	Creditor      camtParty   `xml:"RltdPties>Cdtr"`
	CreditAccount camtAccount `xml:"RltdPties>CdtrAcct"`
	CreditorAgent camtAgent   `xml:"RltdAgts>CdtrAgt"`
	Text          []string    `xml:"RmtInf>Ustrd"`
	References    []string    `xml:"RmtInf>Strd>CdtrRefInf>Ref"`
	More          []string    `xml:"RmtInf>Strd>AddtlRmtInf"`
	Purpose       string      `xml:"Purp>Cd"`
	Info          string      `xml:"AddtlTxInf"`
	Happened      camtDay     `xml:"RltdDts>TxDtTm"`
}

// readCAMT reads a bank statement of ISO 20022.
func readCAMT(text string, _ Options) (File, error) {
	if err := textfile.ScanXML(strings.TrimSpace(text), maxXMLDepth, nil); err != nil {
		return File{}, err
	}
	r := camtReader{file: File{Format: CAMT053}, decoder: textfile.XML(text)}
	for {
		token, err := r.decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = r.token(token)
		}
		var known *textfile.Error
		if errors.As(err, &known) {
			return File{}, err
		}
		if err != nil {
			line, _ := r.decoder.InputPos()
			return File{}, textfile.Refuse(textfile.Malformed{Line: line})
		}
	}
	if !r.known {
		return File{}, textfile.Refuse(OtherMessage{Kind: OtherXML})
	}
	return r.file, nil
}

type camtReader struct {
	file      File
	decoder   *xml.Decoder
	known     bool // the message is of a known kind
	statement *Statement
}

func (r *camtReader) token(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		return r.element(t)
	case xml.EndElement:
		if t.Name.Local == "Stmt" || t.Name.Local == "Rpt" {
			r.statement = nil
		}
	}
	return nil
}

// element reads an element. It decodes the elements of a statement as a whole, and descends into those around them.
func (r *camtReader) element(start xml.StartElement) error {
	switch name := start.Name.Local; {
	case name == "BkToCstmrStmt" || name == "BkToCstmrAcctRpt":
		if space := start.Name.Space; space != "" && !camtNames.MatchString(space) {
			return textfile.Refuse(OtherMessage{Kind: OtherXML})
		}
		r.known = true
	case !r.known && name != "Document":
		for _, other := range camtOthers {
			if strings.Contains(start.Name.Space, other.name) {
				return textfile.Refuse(OtherMessage{Kind: other.kind})
			}
		}
	case r.known && r.statement == nil && (name == "Stmt" || name == "Rpt"):
		r.file.Statements = append(r.file.Statements, Statement{})
		r.statement = &r.file.Statements[len(r.file.Statements)-1]
	case r.statement == nil:
	case name == "Acct":
		var a camtAccount
		if err := r.decoder.DecodeElement(&a, &start); err != nil {
			return err
		}
		account := Account{Name: strings.TrimSpace(a.Name), Bank: strings.TrimSpace(a.Bank), Holder: strings.TrimSpace(a.Owner),
			Currency: strings.TrimSpace(a.Currency)}
		if account.setNumber(a.number()); openbanking.Known(openbanking.CashAccountType(a.Code)) {
			account.Type = openbanking.CashAccountType(a.Code)
		}
		if account.Number == "NOTPROVIDED" {
			account.Number = ""
		}
		r.statement.Account = account
	case name == "Bal":
		var b camtBalance
		if err := r.decoder.DecodeElement(&b, &start); err != nil {
			return err
		}
		r.balance(b)
	case name == "Ntry":
		line, _ := r.decoder.InputPos()
		var e camtEntry
		if err := r.decoder.DecodeElement(&e, &start); err != nil {
			return err
		}
		r.entry(line, e)
	default:
		return r.decoder.Skip()
	}
	return nil
}

// balance stores the opening and the closing balance. A previously closed balance closes its day and opens the next.
func (r *camtReader) balance(b camtBalance) {
	amount, reason := parseAmount(b.Amount.Text, Point, strings.TrimSpace(b.Amount.Currency))
	day, wrong := b.Date.date()
	if reason != nil || wrong != nil {
		return
	}
	if strings.TrimSpace(b.Side) == "DBIT" {
		amount = amount.Neg()
	}
	switch b.Code {
	case "OPBD", "PRCD":
		if r.statement.Opening == nil || b.Code == "OPBD" {
			r.statement.Opening = &Balance{Amount: amount, Date: day}
		}
	case "CLBD":
		r.statement.Closing = &Balance{Amount: amount, Date: day}
	}
	if r.statement.Account.Currency == "" {
		r.statement.Account.Currency = amount.Currency()
	}
}

// entry reads an entry as one row, as the bank booked it. Its side says whether money came or went, also for a reversal; its amount includes charges. A batch
// is one row, because it was booked as one; its payments become lines of the text.
func (r *camtReader) entry(line int, e camtEntry) {
	d := draft{line: line, entryReference: strings.TrimSpace(e.Servicer), kind: strings.TrimSpace(e.Code.Own), family: e.Code.Family,
		subFamily: e.Code.SubFamily}
	reason := d.when(e)
	if reason == nil {
		d.amount, reason = parseAmount(e.Amount.Text, Point, strings.TrimSpace(e.Amount.Currency))
	}
	side := strings.TrimSpace(e.Side)
	switch {
	case reason != nil:
	case strings.TrimSpace(e.Status.Text+e.Status.Code) != "BOOK":
		reason = NotBooked{}
	case side == "DBIT":
		d.amount = d.amount.Abs().Neg()
	case side != "CRDT":
		reason = WrongSide{Text: excerpt(side)}
	}
	if reason != nil {
		r.file.unread(line, reason)
		return
	}
	if d.kind == "NOTPROVIDED" || camtTechnical.MatchString(d.kind) {
		d.kind = ""
	}
	// The counterparty of returned money is the party to which it was paid.
	fromDebtor := (side == "CRDT") != (strings.TrimSpace(e.Reversal) == "true")
	if len(e.Details) == 1 {
		d.single(e.Details[0], fromDebtor)
	} else {
		for _, t := range e.Details {
			d.text = append(d.text, t.line(fromDebtor))
		}
	}
	switch info := strings.TrimSpace(e.Info); {
	case len(d.text) == 0:
		d.text = append(d.text, info)
	case d.kind == "" && len([]rune(info)) <= 70:
		d.kind = info
	}
	if d.entryReference == "" {
		d.entryReference = strings.TrimSpace(e.Reference)
	}
	r.file.add(r.statement, &d)
}

// camtTechnical matches the code that German banks form from the type of a SWIFT line, the transaction code and the number of the batch.
var camtTechnical = regexp.MustCompile(`^N[A-Z0-9]{3}\+[0-9]{3}`)

// when reads the days of an entry.
func (d *draft) when(e camtEntry) (reason Finding) {
	if d.booking, reason = e.Booking.date(); reason != nil {
		return reason
	}
	if d.value, reason = e.Value.date(); reason != nil {
		return reason
	}
	if len(e.Details) == 1 {
		d.transaction, reason = e.Details[0].Happened.date()
	}
	return reason
}

// single reads the payment of an entry that has exactly one.
func (d *draft) single(t camtTransaction, fromDebtor bool) {
	party, account, agent := t.Creditor, t.CreditAccount, t.CreditorAgent
	if fromDebtor {
		party, account, agent = t.Debtor, t.DebtorAccount, t.DebtorAgent
	}
	d.name, d.account, d.bic = party.name(), account.number(), strings.TrimSpace(agent.BIC+agent.BICFI)
	d.endToEnd, d.mandate = t.EndToEnd, t.Mandate
	if d.mandate != "" {
		d.creditor = strings.Join(append(t.Creditor.IDs, t.Creditor.Later...), " ")
	}
	if d.entryReference == "" {
		d.entryReference = strings.TrimSpace(t.Servicer)
	}
	if d.family == "" {
		d.family, d.subFamily = t.Code.Family, t.Code.SubFamily
	}
	if len(t.References) > 0 {
		d.paymentReference = t.References[0]
	}
	d.text = append(d.text, t.Text...)
	d.text = append(d.text, t.More...)
	if info := strings.TrimSpace(t.Info); len(t.Text) == 0 && len(t.More) == 0 && info != "" {
		d.text = append(d.text, info)
	}
	if purpose := strings.TrimSpace(t.Purpose); purpose != "" {
		d.text = append(d.text, "PURP+"+purpose)
	}
}

// line returns a payment of a batch as a line of text: name, text and amount.
func (t camtTransaction) line(fromDebtor bool) string {
	party := t.Creditor
	if fromDebtor {
		party = t.Debtor
	}
	amount := t.Amount
	if amount.Text == "" {
		amount = t.OldAmount
	}
	parts := append([]string{party.name()}, t.Text...)
	return strings.Join(strings.Fields(strings.Join(append(parts, amount.Text, amount.Currency), " ")), " ")
}
