package paymentrules

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
)

// checker collects the faults of one payment.
type checker struct {
	kind     openbanking.ResponsePaymentType
	today    time.Time
	limit    string
	patterns []*regexp.Regexp // of the remittance lines; nil where there is none
	faults   []Fault
}

const top = "payment_request"

func (c *checker) full() bool { return len(c.faults) >= MaxFaults }

// fault adds WRONG_REQUEST_PARAMETERS.
func (c *checker) fault(field, problem string, args ...any) {
	c.add(openbanking.WrongRequestParameters, field, problem, args...)
}

func (c *checker) add(code openbanking.ErrorCode, field, problem string, args ...any) {
	if !c.full() {
		c.faults = append(c.faults, Fault{field, code, fmt.Sprintf(problem, args...)})
	}
}

func element(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// sepa reports whether the payment is a transfer by the rules of SEPA: in euros, between IBANs of its countries.
func (c *checker) sepa() bool {
	switch c.kind.PaymentType {
	case openbanking.PaymentTypeSEPA, openbanking.PaymentTypeInstSEPA, openbanking.PaymentTypeBulkSEPA:
		return true
	default:
		return false
	}
}

func (c *checker) bulk() bool {
	switch c.kind.PaymentType {
	case openbanking.PaymentTypeBulkSEPA, openbanking.PaymentTypeBulkDomestic, openbanking.PaymentTypeBulkDomesticSEGiro:
		return true
	default:
		return false
	}
}

// stated reports whether the bank states something; what it does not mention it neither needs nor supports.
func stated(b *bool) bool { return b != nil && *b }

// payment checks everything, in the order of the fields.
func (c *checker) payment(p openbanking.PaymentRequestResource) {
	c.information(p.PaymentInformation)

	list := top + ".credit_transfer_transaction"
	switch count := len(p.CreditTransferTransaction); {
	case count == 0:
		c.fault(list, "is empty; a payment has at least one transaction")
		return
	case c.kind.MaxTransactions != nil && count > *c.kind.MaxTransactions:
		c.add(openbanking.PaymentLimitExceeded, list, "has %d transactions; the ASPSP takes at most %d", count, *c.kind.MaxTransactions)
		return
	}
	for _, line := range c.kind.RemittanceInformationLines {
		c.patterns = append(c.patterns, compile(line.Pattern))
	}
	var amounts []money.Amount
	for i, t := range p.CreditTransferTransaction {
		if c.full() {
			return
		}
		path := element(list, i)
		if amount, ok := c.amount(path+".instructed_amount", t.InstructedAmount); ok {
			c.currency(path+".instructed_amount.currency", amount.Currency())
			amounts = append(amounts, amount)
		}
		c.transaction(path, t)
	}
	c.total(list, amounts)
}

// information checks what all transactions have in common.
func (c *checker) information(p openbanking.PaymentInformation) {
	c.text(top+".payment_information_id", p.PaymentInformationID, maxReference)
	if t := p.PaymentTypeInformation; t != nil {
		path := top + ".payment_type_information"
		if t.InstructionPriority != nil && c.kind.PriorityCodes != nil {
			choice(c, path+".instruction_priority", *t.InstructionPriority, c.kind.PriorityCodes)
		}
		c.text(path+".local_instrument", t.LocalInstrument, maxReference)
	}
	c.debtor(p.Debtor)
	if p.DebtorAccount != nil {
		c.account(top+".debtor_account", *p.DebtorAccount, c.kind.DebtorAccountSchemas)
	} else if stated(c.kind.DebtorAccountRequired) {
		c.fault(top+".debtor_account", "is missing; the ASPSP needs it for this payment type")
	}
	c.agent(top+".debtor_agent", p.DebtorAgent, false, false)
	if p.DebtorCurrency != nil {
		c.code(top+".debtor_currency", *p.DebtorCurrency)
	} else if stated(c.kind.DebtorCurrencyRequired) {
		c.fault(top+".debtor_currency", "is missing; the ASPSP needs it for this payment type")
	}
	if p.ChargeBearer != nil {
		values := c.kind.ChargeBearerValues
		if values == nil && c.sepa() {
			values = []openbanking.ChargeBearerCode{openbanking.ChargeBearerCodeSLEV} // the one that the rules of SEPA know
		}
		if values != nil {
			choice(c, top+".charge_bearer", *p.ChargeBearer, values)
		}
	}
}

// transaction checks a transaction but for its amount.
func (c *checker) transaction(path string, t openbanking.CreditTransferTransaction) {
	c.beneficiary(path+".beneficiary", t.Beneficiary)
	if id := t.PaymentID; id != nil {
		c.text(path+".payment_id.instruction_id", id.InstructionID, maxReference)
		c.text(path+".payment_id.end_to_end_id", id.EndToEndID, maxReference)
	}
	c.dates(path, t)
	c.reference(path+".reference_number", t.ReferenceNumber)
	c.party(path+".ultimate_debtor", t.UltimateDebtor)
	c.party(path+".ultimate_creditor", t.UltimateCreditor)
	c.reports(path+".regulatory_reporting", t.RegulatoryReporting)
	c.remittance(path, t)
}

// choice checks a value that is one of those that the bank supports.
func choice[S ~string](c *checker, path string, value S, supported []S) {
	switch {
	case slices.Contains(supported, value):
	case len(supported) == 0:
		c.fault(path, "is not supported by the ASPSP for this payment type; leave it out")
	default:
		c.fault(path, "is not supported by the ASPSP for this payment type; it supports %s", join(supported))
	}
}

func join[S ~string](values []S) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return strings.Join(texts, ", ")
}

// Lengths in characters, as the messages between banks have them (ISO 20022).
const (
	maxReference = 35 // Max35Text
	maxName      = 140
	maxSEPAName  = 70
	maxText      = 140
)

// blank reports whether a text is not given, or says nothing.
func blank(s *string) bool { return s == nil || strings.TrimSpace(*s) == "" }

// text checks a text that is optional: one that is given says something.
func (c *checker) text(path string, s *string, longest int) {
	switch {
	case s == nil:
	case blank(s):
		c.fault(path, "is empty; leave it out or fill it in")
	default:
		c.characters(path, *s, longest)
	}
}

// characters checks the length and the characters of a text.
func (c *checker) characters(path, s string, longest int) {
	if n := utf8.RuneCountInString(s); n > longest {
		c.fault(path, "has %d characters; at most %d are possible", n, longest)
		return
	}
	place := 0
	for _, r := range s {
		if place++; !printed(r) {
			c.fault(path, "cannot be printed on a statement: character %d is %s; leave it out", place, iban.Describe(r))
			return
		}
	}
}

// printed reports whether a character can be in the text of a payment: letters, digits and signs of every script, and the
// space, but neither control characters and others that nobody sees nor pictures.
func printed(r rune) bool {
	const pictures = '\u2190' // arrows, dingbats and emoji begin here; ©, № and ™ stand before
	return r != utf8.RuneError && unicode.IsPrint(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		(r < pictures || !unicode.Is(unicode.So, r))
}

func first(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// count returns a number with its noun: "1 day", "2 days".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
