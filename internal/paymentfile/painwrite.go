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

// PainOrder is what a pain.001 is written of: transfers in euros from one account on one day.
type PainOrder struct {
	Version  PainVersion
	ID       string // of the message and of its one group, at most 35 characters: a bank takes no two files with the same
	Created  time.Time
	Payer    string // the holder of the account
	Account  iban.IBAN
	BIC      string           // of its bank; "" when it is not known
	Day      openbanking.Date // on which the bank is asked to carry it out
	OneTotal bool             // the bank is asked to book one total, not each transfer by itself
	Credits  []PainCredit
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
		XMLName xml.Name       `xml:"Document"`
		Space   string         `xml:"xmlns,attr"`
		Header  painOutHeader  `xml:"CstmrCdtTrfInitn>GrpHdr"`
		Payment painOutPayment `xml:"CstmrCdtTrfInitn>PmtInf"`
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
	case len(o.Credits) == 0:
		return nil, ErrNoCredits
	case o.Account == (iban.IBAN{}) || payer == "":
		return nil, ErrNoPayer
	case len(o.ID) == 0 || len(o.ID) > maxReference || len(payer) > maxName:
		return nil, ErrTooLong
	}
	var amounts []money.Amount
	var credits []painOutTrans
	for _, c := range o.Credits {
		if err := c.writable(); err != nil {
			return nil, err
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
		amounts, credits = append(amounts, c.Amount), append(credits, t)
	}
	sum, err := money.Sum(amounts...)
	if err != nil {
		return nil, err
	}
	out := painOut{
		Space:  "urn:iso:std:iso:20022:tech:xsd:" + string(o.Version),
		Header: painOutHeader{o.ID, o.Created.UTC().Format("2006-01-02T15:04:05Z"), len(credits), sum[0].String(), payer},
		Payment: painOutPayment{ID: o.ID, Method: "TRF", Batch: o.OneTotal, Count: len(credits), Sum: sum[0].String(), Service: "SEPA",
			Day: painOutDay{Old: string(o.Day)}, Payer: payer, IBAN: o.Account.String(), Bank: painOutAgent{Other: &painOutOther{"NOTPROVIDED"}}, Charges: "SLEV",
			Credits: credits},
	}
	if o.Version == Pain00109 {
		out.Payment.Day = painOutDay{New: string(o.Day)}
	}
	if o.BIC != "" {
		out.Payment.Bank = o.agent(o.BIC)
	}
	text, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), append(text, '\n')...), nil
}

// Name is what the file is called: florin-2026-11-23-7.xml for seven transfers.
func (o PainOrder) Name() string {
	return "florin-" + string(o.Day) + "-" + strconv.Itoa(len(o.Credits)) + ".xml"
}
