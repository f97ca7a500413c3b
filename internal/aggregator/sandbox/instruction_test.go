package sandbox

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// painText is a pain.001 of the version with these groups.
func painText(version, id, count, sum string, groups ...string) string {
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:%s"><CstmrCdtTrfInitn><GrpHdr><MsgId>%s</MsgId><NbOfTxs>%s</NbOfTxs>`+
		`<CtrlSum>%s</CtrlSum></GrpHdr>%s</CstmrCdtTrfInitn></Document>`, version, id, count, sum, strings.Join(groups, ""))
}

// painGroup is a group of transfers of an account, on a day as the version writes it.
func painGroup(day, debtor string, transfers ...string) string {
	return "<PmtInf><ReqdExctnDt>" + day + "</ReqdExctnDt><DbtrAcct><Id><IBAN>" + debtor + "</IBAN></Id></DbtrAcct>" + strings.Join(transfers, "") + "</PmtInf>"
}

func painTransfer(id, currency, amount, name, account, rest string) string {
	return fmt.Sprintf(`<CdtTrfTxInf><PmtId><EndToEndId>%s</EndToEndId></PmtId><Amt><InstdAmt Ccy=%q>%s</InstdAmt></Amt><Cdtr><Nm>%s</Nm></Cdtr><CdtrAcct><Id><IBAN>%s</IBAN></Id></CdtrAcct>`+
		`%s</CdtTrfTxInf>`, id, currency, amount, name, account, rest)
}

// told is a transfer in a line: amount, payee, account, BIC, reference, texts, end-to-end id, day, fault.
func told(t AppTransfer) string {
	var bic, id, day string
	if a := t.Beneficiary.CreditorAgent; a != nil {
		bic = text(a.BICFI)
	}
	if t.PaymentID != nil {
		id = text(t.PaymentID.EndToEndID)
	}
	if t.RequestedExecutionDate != nil {
		day = string(*t.RequestedExecutionDate)
	}
	return strings.Join([]string{t.InstructedAmount.Amount + " " + t.InstructedAmount.Currency, text(t.Beneficiary.Creditor.Name),
		t.Beneficiary.CreditorAccount.Identification, bic, text(t.ReferenceNumber), strings.Join(t.RemittanceInformation, "/"), id, day, string(t.Fault)}, "|")
}

// ISO 20022, BtchBookg: a total where the file asks for one, by the id of the group, or of the file where the group has none; else single bookings.
func TestTotalsOfFiles(t *testing.T) {
	transfer := painTransfer("E", "EUR", "1", "A", elsewhere, "")
	group := func(head string) string {
		return strings.Replace(painGroup("", elsewhere, transfer), "<PmtInf>", "<PmtInf>"+head, 1)
	}
	in, err := readInstruction(painText("pain.001.001.09", "M", "6", "6", group("<PmtInfId>M-1</PmtInfId><BtchBookg>true</BtchBookg>"),
		group("<PmtInfId>M-2</PmtInfId><BtchBookg> 1 </BtchBookg>"), group("<BtchBookg>true</BtchBookg>"), group("<PmtInfId>M-4</PmtInfId><BtchBookg>false</BtchBookg>"),
		group("<PmtInfId>M-5</PmtInfId><BtchBookg>0</BtchBookg>"), group("<PmtInfId>M-6</PmtInfId>")))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"M-1", "M-2", "M", "", "", ""} {
		if got := in.transfers[i].Total; got != want {
			t.Errorf("transfer %d is booked in %q, want %q", i+1, got, want)
		}
	}
}

// EPC069-12, RFC 8905, ISO 20022: what the app of a bank reads, and what it does not take.
func TestReadInstruction(t *testing.T) {
	const code = "BCD\n002\n1\nSCT\n\nACME GmbH\n" + elsewhere + "\nEUR12.30\n\n\nInvoice 7"
	rent := painTransfer("E-1", "EUR", "12.3", "ACME", elsewhere, "<RmtInf><Ustrd>May</Ustrd></RmtInf>")
	wrong := painTransfer("NOTPROVIDED", "EUR", "1", "ACME", "DE02120300000000202052", "")
	tests := []struct {
		name, text string
		want       []string
		err        error
	}{
		{name: "nothing", text: " \n", err: ErrNoInstruction},
		{name: "no payment", text: "Hello", err: ErrUnknownInstruction},
		{name: "latin1", text: "BCD\xfc", err: ErrUnknownInstruction},
		{name: "too long", text: strings.Repeat("a", MaxInstruction+1), err: ErrLongInstruction},

		{name: "code", text: code, want: []string{"12.30 EUR|ACME GmbH|" + elsewhere + "|||Invoice 7|||"}},
		{name: "code of a file", text: "\ufeff" + strings.ReplaceAll(code, "\n", "\r\n") + "\r\n", want: []string{"12.30 EUR|ACME GmbH|" + elsewhere + "|||Invoice 7|||"}},
		{name: "first version with a BIC and a reference", text: "BCD\n001\n1\nINST\nBYLADEM1001\nACME\n" + elsewhere + "\nEUR1\n\nRF18539007547034",
			want: []string{"1.00 EUR|ACME|" + elsewhere + "|BYLADEM1001|RF18539007547034||||"}},
		{name: "code without an amount", text: strings.Replace(code, "EUR12.30", "", 1), want: []string{" |ACME GmbH|" + elsewhere + "|||Invoice 7|||amount"}},
		{name: "code of zero", text: strings.Replace(code, "12.30", "0.00", 1), want: []string{"0.00 EUR|ACME GmbH|" + elsewhere + "|||Invoice 7|||amount"}},
		{name: "code with a comma", text: strings.Replace(code, "12.30", "12,30", 1), want: []string{"12,30 EUR|ACME GmbH|" + elsewhere + "|||Invoice 7|||amount"}},
		{name: "code in francs", text: strings.Replace(code, "EUR", "CHF", 1), want: []string{"12.30 CHF|ACME GmbH|" + elsewhere + "|||Invoice 7|||currency"}},
		{name: "code with a wrong IBAN", text: strings.Replace(code, "051", "052", 1), want: []string{"12.30 EUR|ACME GmbH|DE02120300000000202052|||Invoice 7|||account"}},
		{name: "code without a name", text: strings.Replace(code, "ACME GmbH", "", 1), want: []string{"12.30 EUR||" + elsewhere + "|||Invoice 7|||payee"}},
		{name: "third version", text: strings.Replace(code, "002", "003", 1), err: ErrBrokenCode},
		{name: "first version without a BIC", text: strings.Replace(code, "002", "001", 1), err: ErrBrokenCode},
		{name: "ninth alphabet", text: strings.Replace(code, "\n1\n", "\n9\n", 1), err: ErrBrokenCode},
		{name: "direct debit", text: strings.Replace(code, "SCT", "SDD", 1), err: ErrBrokenCode},
		{name: "reference and text", text: strings.Replace(code, "\n\n\n", "\n\nRF18539007547034\n", 1), err: ErrBrokenCode},
		{name: "thirteen lines", text: code + "\n\nx", err: ErrBrokenCode},
		{name: "332 bytes", text: code + "\n" + strings.Repeat("x", 332), err: ErrBrokenCode},
		{name: "one line", text: strings.ReplaceAll(code, "\n", " "), err: ErrBrokenCode},

		{name: "link", text: "payto://iban/" + elsewhere + "?amount=EUR:12.30&receiver-name=A%20%2B%20B&message=1+1",
			want: []string{"12.30 EUR|A + B|" + elsewhere + "|||1+1|||"}},
		{name: "link with BIC and reference", text: "PAYTO://IBAN/BYLADEM1001/" + elsewhere + "?amount=EUR:1&receiver-name=A&instruction=RF18539007547034",
			want: []string{"1.00 EUR|A|" + elsewhere + "|BYLADEM1001|RF18539007547034||||"}},
		{name: "link with an id", text: "payto://iban/" + elsewhere + "?amount=EUR:1&receiver-name=A&instruction=order-7",
			want: []string{"1.00 EUR|A|" + elsewhere + "||||order-7||"}},
		{name: "link without an account", text: "payto://iban/?amount=EUR:1&receiver-name=A", want: []string{"1 EUR|A|||||||account"}},
		{name: "link of another kind", text: "payto://bitcoin/x", err: ErrBrokenLink},
		{name: "link without a currency", text: "payto://iban/" + elsewhere + "?amount=12&receiver-name=A", err: ErrBrokenLink},
		{name: "link with two amounts", text: "payto://iban/" + elsewhere + "?amount=EUR:1&receiver-name=A&amount=EUR:1000", err: ErrBrokenLink},
		{name: "link with the same amount twice", text: "payto://iban/" + elsewhere + "?amount=EUR:1&receiver-name=A&amount=EUR:1", err: ErrBrokenLink},
		{name: "link with two payees", text: "payto://iban/" + elsewhere + "?amount=EUR:1&receiver-name=A&receiver-name=B", err: ErrBrokenLink},
		{name: "link with two payers", text: "payto://iban/" + elsewhere + "?amount=EUR:1&receiver-name=A&sender-name=B&sender-name=C", err: ErrBrokenLink},
		{name: "link with two texts", text: "payto://iban/" + elsewhere + "?amount=EUR:1&receiver-name=A&message=B&message=", err: ErrBrokenLink},
		{name: "link with two ids", text: "payto://iban/" + elsewhere + "?amount=EUR:1&receiver-name=A&instruction=B&instruction=C", err: ErrBrokenLink},
		{name: "link with options that nobody knows", text: "payto://iban/" + elsewhere + "?amount=EUR:1&receiver-name=A&x=1&x=2",
			want: []string{"1.00 EUR|A|" + elsewhere + "||||||"}},
		{name: "link with more in its path", text: "payto://iban/a/b/" + elsewhere, err: ErrBrokenLink},

		{name: "third version of the file", text: painText("pain.001.001.03", "M", "2", "13.30", painGroup("2026-12-01", elsewhere, rent, wrong)),
			want: []string{"12.30 EUR|ACME|" + elsewhere + "|||May|E-1|2026-12-01|", "1 EUR|ACME|DE02120300000000202052|||||2026-12-01|account"}},
		{name: "ninth version in two groups",
			text: painText("pain.001.001.09", "M", "2", "24.6", painGroup("<Dt>2026-12-01</Dt>", elsewhere, rent), painGroup("<Dt>2026-12-02</Dt>", elsewhere, rent)),
			want: []string{"12.30 EUR|ACME|" + elsewhere + "|||May|E-1|2026-12-01|", "12.30 EUR|ACME|" + elsewhere + "|||May|E-1|2026-12-02|"}},
		{name: "wrong number", text: painText("pain.001.001.09", "M", "3", "12.30", painGroup("", elsewhere, rent)), err: ErrWrongTotals},
		{name: "wrong sum", text: painText("pain.001.001.09", "M", "1", "12.31", painGroup("", elsewhere, rent)), err: ErrWrongTotals},
		{name: "two payers", text: painText("pain.001.001.09", "M", "2", "24.60", painGroup("", elsewhere, rent), painGroup("", "DE1", rent)), err: ErrSeveralDebtors},
		{name: "no payer", text: painText("pain.001.001.09", "M", "1", "12.30", painGroup("", "", rent)), err: ErrBrokenFile},
		{name: "no message id", text: painText("pain.001.001.09", "", "1", "12.30", painGroup("", elsewhere, rent)), err: ErrBrokenFile},
		{name: "direct debits", text: painText("pain.008.001.02", "M", "1", "12.30", painGroup("", elsewhere, rent)), err: ErrBrokenFile},
		{name: "half a file", text: "<Document", err: ErrBrokenFile},
		{name: "another alphabet", text: `<?xml version="1.0" encoding="latin1"?><Document/>`, err: ErrBrokenFile},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in, err := readInstruction(test.text)
			if !errors.Is(err, test.err) || err != nil && test.err == nil {
				t.Fatalf("the error is %v, want %v", err, test.err)
			}
			for i, want := range test.want {
				if i >= len(in.transfers) || told(in.transfers[i]) != want || in.transfers[i].Number != i+1 {
					t.Errorf("transfer %d of %d is not %s: %+v", i+1, len(in.transfers), want, in.transfers)
				}
			}
			if test.want != nil && len(in.transfers) != len(test.want) {
				t.Errorf("%d transfers", len(in.transfers))
			}
		})
	}
}
