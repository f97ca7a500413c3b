package paymentfile

import (
	"encoding/xml"
	"errors"
	"strconv"
	"time"

	"florin/internal/finance"
	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// PainVersion is a version of pain.001 that Florin writes.
type PainVersion string

// Values of PainVersion: what the upload pages of banks take. Since November 2025 most ask for the later one.
const (
	Pain00103 PainVersion = "pain.001.001.03"
	Pain00109 PainVersion = "pain.001.001.09"
)

// PainOrder is what a pain.001 is written of: transfers in euros from one account.
type PainOrder struct {
	Version  PainVersion
	ID       string // of the message, at most 35 characters: a bank takes no two files with the same
	Created  time.Time
	Payer    string // the holder of the account
	Account  iban.IBAN
	BIC      string // of its bank; "" when it is not known
	OneTotal bool   // the bank is asked to book one total for each day, not each transfer by itself
	Days     []PainDay
}

// PainDay is a group of transfers for the same day (PmtInf).
type PainDay struct {
	Day     openbanking.Date // on which the bank is asked to carry them out
	Credits []PainCredit
}

// PainCredit is a transfer with the id that travels with it.
type PainCredit struct {
	Invoice

	EndToEndID string
}

// Why no file can be written.
var (
	ErrNoPayer   = errors.New("a file needs the IBAN and the holder of the account that pays")
	ErrNoCredits = errors.New("a file needs a transfer")
	ErrNoVersion = errors.New("this version of pain.001 is not written")
)

// PainCredits are the transfers of an order for a file.
func PainCredits(o finance.PaymentOrder) ([]PainCredit, error) {
	credits := make([]PainCredit, 0, len(o.Request.CreditTransferTransaction))
	for _, t := range o.Request.CreditTransferTransaction {
		if t.InstructedAmount.Currency != "EUR" {
			return nil, ErrNotEuro
		}
		v, err := InvoiceOf(t)
		if err != nil {
			return nil, err
		}
		c := PainCredit{Invoice: v, EndToEndID: "NOTPROVIDED"}
		if t.PaymentID != nil && t.PaymentID.EndToEndID != nil && *t.PaymentID.EndToEndID != "" {
			c.EndToEndID = Latin(*t.PaymentID.EndToEndID, maxReference)
		}
		credits = append(credits, c)
	}
	return credits, nil
}

// The elements that are written, in the order of the schema (ISO 20022, CustomerCreditTransferInitiationV03 and V09; EPC132-08 for SEPA).
type (
	painOut struct {
		XMLName  xml.Name         `xml:"Document"`
		Space    string           `xml:"xmlns,attr"`
		Header   painOutHeader    `xml:"CstmrCdtTrfInitn>GrpHdr"`
		Payments []painOutPayment `xml:"CstmrCdtTrfInitn>PmtInf"`
	}
	painOutHeader struct {
		ID      string `xml:"MsgId"`
		Created string `xml:"CreDtTm"`
		Count   int    `xml:"NbOfTxs"`
		Sum     string `xml:"CtrlSum"`
		Name    string `xml:"InitgPty>Nm"`
	}
	painOutPayment struct {
		ID      string         `xml:"PmtInfId"`
		Method  string         `xml:"PmtMtd"`
		Batch   bool           `xml:"BtchBookg"`
		Count   int            `xml:"NbOfTxs"`
		Sum     string         `xml:"CtrlSum"`
		Service string         `xml:"PmtTpInf>SvcLvl>Cd"`
		Day     painOutDay     `xml:"ReqdExctnDt"`
		Payer   string         `xml:"Dbtr>Nm"`
		IBAN    string         `xml:"DbtrAcct>Id>IBAN"`
		Bank    painOutAgent   `xml:"DbtrAgt>FinInstnId"`
		Charges string         `xml:"ChrgBr"`
		Credits []painOutTrans `xml:"CdtTrfTxInf"`
	}
	painOutDay struct {
		Old string `xml:",chardata"`
		New string `xml:"Dt,omitempty"`
	}
	painOutAgent struct {
		BIC   string        `xml:"BIC,omitempty"`
		BICFI string        `xml:"BICFI,omitempty"`
		Other *painOutOther `xml:"Othr"`
	}
	painOutOther struct {
		ID string `xml:"Id"`
	}
	painOutTrans struct {
		EndToEndID string          `xml:"PmtId>EndToEndId"`
		Amount     painOutAmount   `xml:"Amt>InstdAmt"`
		Bank       *painOutBank    `xml:"CdtrAgt"`
		Name       string          `xml:"Cdtr>Nm"`
		IBAN       string          `xml:"CdtrAcct>Id>IBAN"`
		Text       *painRemittance `xml:"RmtInf"`
	}
	painOutBank struct {
		Institution painOutAgent `xml:"FinInstnId"`
	}
	painOutAmount struct {
		Currency string `xml:"Ccy,attr"`
		Value    string `xml:",chardata"`
	}
	painRemittance struct {
		Text       string          `xml:"Ustrd,omitempty"`
		Structured *painStructured `xml:"Strd"`
	}
	painStructured struct {
		Code      string `xml:"CdtrRefInf>Tp>CdOrPrtry>Cd"`
		Reference string `xml:"CdtrRefInf>Ref"`
	}
)

// agent names a bank by its BIC, in the element of the version.
func (o PainOrder) agent(bic string) painOutAgent {
	if o.Version == Pain00109 {
		return painOutAgent{BICFI: bic}
	}
	return painOutAgent{BIC: bic}
}

// Write writes the file. The same order makes the same bytes, so that a bank that was given it before refuses it. The errors are those of this package.
func (o PainOrder) Write() ([]byte, error) {
	payer := Latin(o.Payer, maxName)
	switch {
	case o.Version != Pain00103 && o.Version != Pain00109:
		return nil, ErrNoVersion
	case len(o.Days) == 0:
		return nil, ErrNoCredits
	case o.Account == (iban.IBAN{}) || payer == "":
		return nil, ErrNoPayer
	case len(o.ID) == 0 || len(o.ID) > maxReference || len(payer) > maxName:
		return nil, ErrTooLong
	}
	out := painOut{Space: "urn:iso:std:iso:20022:tech:xsd:" + string(o.Version)}
	var sums []money.Amount
	for i, day := range o.Days {
		group, sum, err := o.group(day)
		if err != nil {
			return nil, err
		}
		group.ID, group.Payer = o.GroupID(i), payer
		if len(group.ID) > maxReference {
			return nil, ErrTooLong
		}
		out.Payments, sums = append(out.Payments, group), append(sums, sum)
		out.Header.Count += group.Count
	}
	sum, err := money.Sum(sums...)
	if err != nil {
		return nil, err
	}
	out.Header.ID, out.Header.Created, out.Header.Sum, out.Header.Name = o.ID, o.Created.UTC().Format("2006-01-02T15:04:05Z"), sum[0].String(), payer
	text, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), append(text, '\n')...), nil
}

// GroupID is the payment information id (PmtInfId) of the day at an index.
func (o PainOrder) GroupID(day int) string {
	if len(o.Days) < 2 {
		return o.ID
	}
	return o.ID + "-" + strconv.Itoa(day+1)
}

// group is one day of the file, but for its id and the payer, with its sum.
func (o PainOrder) group(day PainDay) (group painOutPayment, sum money.Amount, err error) {
	if len(day.Credits) == 0 {
		return group, sum, ErrNoCredits
	}
	group = painOutPayment{Method: "TRF", Batch: o.OneTotal, Count: len(day.Credits), Service: "SEPA", Day: painOutDay{Old: string(day.Day)}, IBAN: o.Account.String(),
		Bank: painOutAgent{Other: &painOutOther{"NOTPROVIDED"}}, Charges: "SLEV"}
	if o.Version == Pain00109 {
		group.Day = painOutDay{New: string(day.Day)}
	}
	if o.BIC != "" {
		group.Bank = o.agent(o.BIC)
	}
	amounts := make([]money.Amount, 0, len(day.Credits))
	for _, c := range day.Credits {
		if err := c.sepa(); err != nil {
			return group, sum, err
		}
		t := painOutTrans{EndToEndID: c.EndToEndID, Amount: painOutAmount{"EUR", c.Amount.String()}, Name: c.Name, IBAN: c.IBAN.String()}
		if c.BIC != "" {
			t.Bank = &painOutBank{o.agent(c.BIC)}
		}
		switch {
		case c.Reference != "":
			t.Text = &painRemittance{Structured: &painStructured{"SCOR", c.Reference}}
		case c.Text != "":
			t.Text = &painRemittance{Text: c.Text}
		}
		amounts, group.Credits = append(amounts, c.Amount), append(group.Credits, t)
	}
	total, err := money.Sum(amounts...)
	if err != nil {
		return group, sum, err
	}
	group.Sum = total[0].String()
	return group, total[0], nil
}

// Name is what the file is called: florin-2026-11-23-7.xml for seven transfers, of which the first ones are for this day.
func (o PainOrder) Name() string {
	n, first := 0, openbanking.Date("")
	for i, day := range o.Days {
		n += len(day.Credits)
		if i == 0 || day.Day < first {
			first = day.Day
		}
	}
	return "florin-" + string(first) + "-" + strconv.Itoa(n) + ".xml"
}
