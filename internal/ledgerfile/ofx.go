package ledgerfile

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"strings"
	"time"

	"florin/internal/openbanking"
)

// Lengths of OFX 2.2, in characters.
const (
	ofxBankID    = 9
	ofxAccountID = 22
	ofxName      = 32
	ofxMemo      = 255
	ofxRefNumber = 32
)

// writeOFX writes OFX 2.2: a bank statement (STMTRS) or a card statement (CCSTMTRS) for each account and currency.
func writeOFX(w *bufio.Writer, l Ledger, _ Options) error {
	all, err := statements(l)
	if err != nil {
		return err
	}
	const status = "<STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>"
	_, _ = w.WriteString(`<?xml version="1.0" encoding="UTF-8" standalone="no"?>` + "\n" +
		`<?OFX OFXHEADER="200" VERSION="220" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>` + "\n<OFX>\n")
	printf(w, "<SIGNONMSGSRSV1><SONRS>%s<DTSERVER>%s</DTSERVER><LANGUAGE>ENG</LANGUAGE></SONRS></SIGNONMSGSRSV1>\n", status, ofxTime(l.Made))
	for _, set := range []struct {
		card                             bool
		messages, transaction, statement string
	}{
		{false, "BANKMSGSRSV1", "STMTTRNRS", "STMTRS"},
		{true, "CREDITCARDMSGSRSV1", "CCSTMTTRNRS", "CCSTMTRS"},
	} {
		open := false
		for i, s := range all {
			if (s.Type == openbanking.CashAccountTypeCARD) != set.card {
				continue
			}
			if !open {
				printf(w, "<%s>\n", set.messages)
				open = true
			}
			printf(w, "<%s><TRNUID>%d</TRNUID>%s<%s><CURDEF>%s</CURDEF>", set.transaction, i+1, status, set.statement, escaped(s.currency))
			if err := s.ofx(w, l); err != nil {
				return err
			}
			printf(w, "</%s></%s>\n", set.statement, set.transaction)
		}
		if open {
			printf(w, "</%s>\n", set.messages)
		}
	}
	_, err = w.WriteString("</OFX>\n")
	return err
}

// ofx writes the account, the rows and the balance of a statement.
func (s *statement) ofx(w *bufio.Writer, l Ledger) error {
	number := []rune(cmp.Or(s.number(), line(s.Name)))
	account := string(number[max(0, len(number)-ofxAccountID):])
	if s.Type == openbanking.CashAccountTypeCARD {
		printf(w, "<CCACCTFROM><ACCTID>%s</ACCTID></CCACCTFROM>", escaped(account))
	} else {
		bank := short(s.Bank, ofxBankID)
		if len(s.IBAN) > 4 {
			bank = short(s.IBAN[4:], ofxBankID)
		}
		kind := "CHECKING"
		switch s.Type {
		case openbanking.CashAccountTypeSVGS:
			kind = "SAVINGS"
		case openbanking.CashAccountTypeLOAN:
			kind = "CREDITLINE"
		}
		printf(w, "<BANKACCTFROM><BANKID>%s</BANKID><ACCTID>%s</ACCTID><ACCTTYPE>%s</ACCTTYPE></BANKACCTFROM>", escaped(cmp.Or(bank, "0")), escaped(account), kind)
	}
	made := openbanking.DateOf(l.Made)
	printf(w, "\n<BANKTRANLIST><DTSTART>%s</DTSTART><DTEND>%s</DTEND>\n", ofxDate(cmp.Or(s.from, made)), ofxDate(cmp.Or(s.to, made)))
	err := s.each(l, func(r Row) {
		kind := "CREDIT"
		if r.Amount.Sign() < 0 {
			kind = "DEBIT"
		}
		printf(w, "<STMTTRN><TRNTYPE>%s</TRNTYPE><DTPOSTED>%s</DTPOSTED>", kind, ofxDate(r.booked()))
		if r.TransactionDate != "" {
			printf(w, "<DTUSER>%s</DTUSER>", ofxDate(r.TransactionDate))
		}
		if r.ValueDate != "" {
			printf(w, "<DTAVAIL>%s</DTAVAIL>", ofxDate(r.ValueDate))
		}
		printf(w, "<TRNAMT>%s</TRNAMT><FITID>%s</FITID>", r.Amount, escaped(r.ID))
		field := func(name, text string, length int) {
			if text = short(text, length); text != "" {
				printf(w, "<%s>%s</%[1]s>", name, escaped(text))
			}
		}
		field("REFNUM", r.Reference, ofxRefNumber)
		field("NAME", r.title(), ofxName)
		memo := r.Text
		if _, more := cut(r.title(), ofxName); more != "" && line(r.payee()) != "" {
			memo = r.payee() + " " + memo // EXTDNAME would hold the whole name, but common readers do not know it
		}
		field("MEMO", memo, ofxMemo)
		_, _ = w.WriteString("</STMTTRN>\n")
	})
	if err != nil {
		return err
	}
	balance, at := s.sum, l.Made
	if s.Closing != nil && s.Closing.Amount.Currency() == s.currency {
		balance, at = s.Closing.Amount, s.Closing.At
	}
	printf(w, "</BANKTRANLIST><LEDGERBAL><BALAMT>%s</BALAMT><DTASOF>%s</DTASOF></LEDGERBAL>", balance, ofxTime(at))
	return nil
}

// ofxDate is a date at noon, so that it is the same day in every time zone of a reader.
func ofxDate(d openbanking.Date) string { return strings.ReplaceAll(string(d), "-", "") + "120000" }

func ofxTime(t time.Time) string { return t.UTC().Format("20060102150405") }

// escaped is a text in XML. What XML has no character for becomes U+FFFD.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}
