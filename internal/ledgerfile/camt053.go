package ledgerfile

import (
	"bufio"
	"cmp"
	"regexp"
	"time"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// Lengths of the message definition camt.053.001.08, in characters.
const (
	camtText      = 140 // Max140Text: names of parties, a line of remittance information
	camtName      = 70  // Max70Text: name of an account
	camtReference = 35  // Max35Text
	camtNumber    = 34  // Max34Text: an account number that is no IBAN
)

// camtIBAN is IBAN2007Identifier.
var camtIBAN = regexp.MustCompile(`^[A-Z]{2}[0-9]{2}[a-zA-Z0-9]{1,30}$`)

// camtTime is ISODateTime without a zone: the statement is one of days.
const camtTime = "2006-01-02T15:04:05"

// writeCAMT053 writes a BankToCustomerStatement camt.053.001.08 with a statement for each account and currency. When the whole account is written, it has
// an opening and a closing balance (OPBD, CLBD). Of a search it has the sum of its entries alone, as a balance with a name of its own.
func writeCAMT053(w *bufio.Writer, l Ledger, _ Options) error {
	all, err := statements(l)
	if err != nil {
		return err
	}
	if len(all) == 0 && len(l.Accounts) > 0 { // the message has one statement at least
		a := l.Accounts[0]
		all = []*statement{{Account: a, currency: a.Currency, partial: true, sum: money.FromMinor(0, a.Currency)}}
	}
	made := l.Made.UTC()
	printf(w, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+`<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>`+"\n"+
		"<GrpHdr><MsgId>FLORIN-%s</MsgId><CreDtTm>%s</CreDtTm></GrpHdr>\n", made.Format("20060102150405"), made.Format(camtTime+"Z"))
	for i, s := range all {
		if err := s.camt(w, l, i+1, made); err != nil {
			return err
		}
	}
	_, err = w.WriteString("</BkToCstmrStmt></Document>\n")
	return err
}

func (s *statement) camt(w *bufio.Writer, l Ledger, position int, made time.Time) error {
	printf(w, "<Stmt><Id>FLORIN-%s-%d</Id><CreDtTm>%s</CreDtTm>", made.Format("20060102150405"), position, made.Format(camtTime+"Z"))
	if s.from != "" {
		printf(w, "<FrToDt><FrDtTm>%sT00:00:00</FrDtTm><ToDtTm>%sT23:59:59</ToDtTm></FrToDt>", s.from, s.to)
	}
	_, _ = w.WriteString("<Acct>")
	camtAccount(w, cmp.Or(s.number(), "NOTPROVIDED"))
	printf(w, "<Ccy>%s</Ccy>", escaped(s.currency))
	camtElement(w, "Nm", short(s.Name, camtName))
	if holder := short(s.Holder, camtText); holder != "" {
		printf(w, "<Ownr><Nm>%s</Nm></Ownr>", escaped(holder))
	}
	if bank := short(s.Bank, camtText); bank != "" {
		printf(w, "<Svcr><FinInstnId><Nm>%s</Nm></FinInstnId></Svcr>", escaped(bank))
	}
	_, _ = w.WriteString("</Acct>\n")
	day := openbanking.DateOf(made)
	if opening, closing, ok := s.balances(); ok {
		camtBalance(w, "<Cd>OPBD</Cd>", opening, cmp.Or(s.from, day))
		camtBalance(w, "<Cd>CLBD</Cd>", closing, cmp.Or(s.to, day))
	} else {
		camtBalance(w, "<Prtry>SUM OF ENTRIES</Prtry>", s.sum, cmp.Or(s.to, day))
	}
	printf(w, "<TxsSummry><TtlNtries><NbOfNtries>%d</NbOfNtries></TtlNtries></TxsSummry>\n", s.count)
	if err := s.each(l, func(r Row) { camtEntry(w, r) }); err != nil {
		return err
	}
	_, err := w.WriteString("</Stmt>\n")
	return err
}

func camtBalance(w *bufio.Writer, kind string, amount money.Amount, day openbanking.Date) {
	printf(w, "<Bal><Tp><CdOrPrtry>%s</CdOrPrtry></Tp>", kind)
	camtAmount(w, amount)
	printf(w, "<Dt><Dt>%s</Dt></Dt></Bal>\n", day)
}

// camtAmount writes an amount without its sign, and the side that the sign says.
func camtAmount(w *bufio.Writer, amount money.Amount) {
	side := "CRDT"
	if amount.Sign() < 0 {
		side = "DBIT"
	}
	printf(w, `<Amt Ccy="%s">%s</Amt><CdtDbtInd>%s</CdtDbtInd>`, escaped(amount.Currency()), amount.Abs(), side)
}

// camtEntry writes an entry with its details, in the order of ReportEntry10 and EntryTransaction10.
func camtEntry(w *bufio.Writer, r Row) {
	_, _ = w.WriteString("<Ntry>")
	camtElement(w, "NtryRef", short(r.ID, camtReference))
	camtAmount(w, r.Amount)
	_, _ = w.WriteString("<Sts><Cd>BOOK</Cd></Sts>")
	printf(w, "<BookgDt><Dt>%s</Dt></BookgDt>", r.booked())
	if r.ValueDate != "" {
		printf(w, "<ValDt><Dt>%s</Dt></ValDt>", r.ValueDate)
	}
	if len([]rune(r.Reference)) <= camtReference { // a reference that is cut off is another one
		camtElement(w, "AcctSvcrRef", line(r.Reference))
	}
	printf(w, "<BkTxCd><Prtry><Cd>%s</Cd></Prtry></BkTxCd>", escaped(cmp.Or(short(r.Kind, camtReference), "NOTPROVIDED")))
	party, account := "Dbtr", "DbtrAcct"
	if r.Amount.Sign() < 0 {
		party, account = "Cdtr", "CdtrAcct"
	}
	name, number, text := short(r.Counterparty, camtText), line(r.CounterpartyAccount), line(r.Text)
	if name != "" || number != "" || text != "" {
		_, _ = w.WriteString("<NtryDtls><TxDtls>")
		if name != "" || number != "" {
			_, _ = w.WriteString("<RltdPties>")
			if name != "" {
				printf(w, "<%s><Pty><Nm>%s</Nm></Pty></%[1]s>", party, escaped(name))
			}
			if number != "" {
				printf(w, "<%s>", account)
				camtAccount(w, number)
				printf(w, "</%s>", account)
			}
			_, _ = w.WriteString("</RltdPties>")
		}
		if text != "" {
			_, _ = w.WriteString("<RmtInf>")
			for text != "" {
				piece, rest := cut(text, camtText)
				camtElement(w, "Ustrd", piece)
				text = rest
			}
			_, _ = w.WriteString("</RmtInf>")
		}
		_, _ = w.WriteString("</TxDtls></NtryDtls>")
	}
	_, _ = w.WriteString("</Ntry>\n")
}

// camtAccount writes the number of an account: as an IBAN when it has the form of one.
func camtAccount(w *bufio.Writer, number string) {
	if camtIBAN.MatchString(number) {
		printf(w, "<Id><IBAN>%s</IBAN></Id>", number)
		return
	}
	printf(w, "<Id><Othr><Id>%s</Id></Othr></Id>", escaped(short(number, camtNumber)))
}

// camtElement writes an element with a text, none for an empty one.
func camtElement(w *bufio.Writer, name, text string) {
	if text != "" {
		printf(w, "<%s>%s</%[1]s>", name, escaped(text))
	}
}
