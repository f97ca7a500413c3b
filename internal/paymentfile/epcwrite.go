package paymentfile

import (
	"errors"
	"net/url"
	"strings"
	"unicode/utf8"

	"florin/internal/finance"
	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/paymentrules"
	"florin/internal/reference"
)

// Why a transfer cannot be handed to a bank's app. The form for it takes no such transfer.
var (
	ErrNotEuro   = errors.New("a code and a file of SEPA hold euros only")
	ErrNotIBAN   = errors.New("a code and a file of SEPA need an IBAN")
	ErrNoName    = errors.New("a code and a file need the name of the payee")
	ErrAmount    = errors.New("a code holds an amount from 0.01 to 999999999.99")
	ErrBoth      = errors.New("a code and a file hold a text or a reference, not both")
	ErrTooLong   = errors.New("an element of the code is longer than its standard allows")
	ErrReference = errors.New("the reference of a code is one of ISO 11649, with right check digits")
	ErrQRIBAN    = errors.New("a QR-IBAN is paid in francs by a Swiss QR-bill")
)

const mostCents = 99_999_999_999

// MostOfACode is the largest amount of a code in a currency.
func MostOfACode(currency string) money.Amount { return money.FromMinor(mostCents, currency) }

// InvoiceOf is one transfer of an order as a code asks for it: in euros a code of the EPC, in the characters that all banks of SEPA pass on, and in francs a
// Swiss QR-bill, in its own. A reference of ISO 11649 (RF…) goes as such, in a bill a Swiss QR reference, too; any other one is text, before the text.
func InvoiceOf(t openbanking.CreditTransferTransaction) (Invoice, error) {
	var v Invoice
	account := finance.PayeeAccountOf(t.Beneficiary.CreditorAccount)
	number, err := iban.Parse(account.Number)
	if err != nil || account.Scheme != openbanking.SchemeNameIBAN {
		return v, ErrNotIBAN
	}
	v.IBAN, v.Currency = number, t.InstructedAmount.Currency
	if v.Currency != "EUR" && v.Currency != Francs {
		return v, ErrNotEuro
	}
	if v.Amount, err = money.Parse(t.InstructedAmount.Amount, v.Currency); err != nil {
		return v, ErrAmount
	}
	if v.Bill() {
		return v.ofBill(t)
	}
	if c := t.Beneficiary.Creditor; c != nil && c.Name != nil {
		v.Name = Latin(*c.Name, maxName)
	}
	if agent := t.Beneficiary.CreditorAgent; agent != nil && agent.BICFI != nil {
		if bic, err := iban.ParseBIC(*agent.BICFI); err == nil {
			v.BIC = bic.String()
		}
	}
	texts := t.RemittanceInformation
	if number := t.ReferenceNumber; number != nil && *number != "" {
		if compact := strings.ToUpper(strings.Join(strings.Fields(*number), "")); reference.Check(openbanking.ReferenceNumberSchemeINTL, compact) == nil &&
			strings.TrimSpace(strings.Join(texts, "")) == "" {
			v.Reference = compact
		} else {
			texts = append([]string{*number}, texts...)
		}
	}
	v.Text = Latin(strings.Join(texts, " "), paymentrules.MaxText)
	return v, v.sepa()
}

// sepa says what keeps a transfer from being a code of the EPC, or a transfer in a file of SEPA.
func (v Invoice) sepa() error {
	switch {
	case v.IBAN == (iban.IBAN{}):
		return ErrNotIBAN
	case v.Amount.Currency() != "EUR":
		return ErrNotEuro
	case v.IBAN.QR():
		return ErrQRIBAN
	case v.Amount.Minor() < 1 || v.Amount.Minor() > mostCents:
		return ErrAmount
	case strings.Trim(v.Name, latinSigns) == "":
		return ErrNoName
	case v.Reference != "" && v.Text != "":
		return ErrBoth
	case v.Reference != "" && reference.Check(openbanking.ReferenceNumberSchemeINTL, v.Reference) != nil:
		return ErrReference
	case utf8.RuneCountInString(v.Name) > maxName, utf8.RuneCountInString(v.Reference) > maxReference, utf8.RuneCountInString(v.Text) > paymentrules.MaxText,
		utf8.RuneCountInString(v.Information) > maxInformation, len(v.Purpose) > 4:
		return ErrTooLong
	case strings.ContainsAny(v.Name+v.Text+v.Information+v.Purpose, "\r\n"):
		return ErrTooLong
	}
	return nil
}

// Code is the content of the QR code for the transfer, to be drawn with error correction level M: in francs a Swiss QR-bill, in euros one of the EPC
// (EPC069-12, version 002, in UTF-8), which has at most 331 bytes. ParseInvoice reads both. The error is one of those of this package.
func (v Invoice) Code() (string, error) {
	if v.Bill() {
		return v.swissCode()
	}
	if err := v.sepa(); err != nil {
		return "", err
	}
	kind := "SCT"
	if v.Instant {
		kind = "INST"
	}
	text := strings.Join([]string{"BCD", "002", "1", kind, v.BIC, v.Name, v.IBAN.String(), "EUR" + v.Amount.String(), v.Purpose, v.Reference, v.Text,
		v.Information}, "\n")
	text = strings.TrimRight(text, "\n") // elements at the end that are empty may be left out
	if len(text) > maxInvoice {
		return "", ErrTooLong
	}
	return text, nil
}

// Payto is the link for the transfer in euros (RFC 8905, chapter 7.3): payto://iban/DE89…?amount=EUR:12.30&receiver-name=…&message=….
func (v Invoice) Payto() (string, error) {
	if err := v.sepa(); err != nil {
		return "", err
	}
	link := "payto://iban/" + v.IBAN.String()
	if v.BIC != "" {
		link = "payto://iban/" + v.BIC + "/" + v.IBAN.String()
	}
	link += "?amount=EUR:" + v.Amount.String() + "&receiver-name=" + escaped(v.Name)
	if v.Text != "" {
		link += "&message=" + escaped(v.Text)
	}
	if v.Reference != "" {
		link += "&instruction=" + escaped(v.Reference)
	}
	return link, nil
}

// escaped is a text in a query, a space as %20: RFC 8905 knows no plus sign for it.
func escaped(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }
