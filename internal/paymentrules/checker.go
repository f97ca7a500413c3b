package paymentrules

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

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

func (c *checker) full() bool { return len(c.faults) >= MaxFaults }

func (c *checker) fault(field Field, rule Rule) {
	if !c.full() {
		c.faults = append(c.faults, Fault{field, rule})
	}
}

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

// stated reports whether the bank says yes. A missing value means that it neither requires nor supports it.
func stated(b *bool) bool { return b != nil && *b }

// payment checks everything, in the order of the fields.
func (c *checker) payment(p openbanking.PaymentRequestResource) {
	c.information(p.PaymentInformation)

	list := Field{Name: FieldTransactions}
	switch count := len(p.CreditTransferTransaction); {
	case count == 0:
		c.fault(list, NoTransaction{})
		return
	case c.kind.MaxTransactions != nil && count > *c.kind.MaxTransactions:
		c.fault(list, TooManyTransactions{Count: count, Most: *c.kind.MaxTransactions})
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
		path := list.element(i)
		sum := path.child("instructed_amount")
		if amount, ok := c.amount(sum, t.InstructedAmount); ok {
			c.currency(sum.child("currency"), amount.Currency())
			amounts = append(amounts, amount)
		}
		c.transaction(path, t)
	}
	c.total(list, amounts)
}

// information checks what all transactions have in common.
func (c *checker) information(p openbanking.PaymentInformation) {
	top := Field{Name: request}
	c.text(top.child("payment_information_id"), p.PaymentInformationID, maxReference)
	if t := p.PaymentTypeInformation; t != nil {
		path := top.child("payment_type_information")
		if t.InstructionPriority != nil && c.kind.PriorityCodes != nil {
			choice(c, path.child("instruction_priority"), *t.InstructionPriority, c.kind.PriorityCodes)
		}
		c.text(path.child("local_instrument"), t.LocalInstrument, maxReference)
	}
	c.debtor(top.child("debtor"), p.Debtor)
	if p.DebtorAccount != nil {
		c.account(top.child("debtor_account"), *p.DebtorAccount, c.kind.DebtorAccountSchemas)
	} else if stated(c.kind.DebtorAccountRequired) {
		c.fault(top.child("debtor_account"), Missing{})
	}
	c.agent(top.child("debtor_agent"), p.DebtorAgent, false, false)
	if p.DebtorCurrency != nil {
		c.code(top.child("debtor_currency"), *p.DebtorCurrency)
	} else if stated(c.kind.DebtorCurrencyRequired) {
		c.fault(top.child("debtor_currency"), Missing{})
	}
	if p.ChargeBearer != nil {
		values := c.kind.ChargeBearerValues
		if values == nil && c.sepa() {
			values = []openbanking.ChargeBearerCode{openbanking.ChargeBearerCodeSLEV} // the one that the rules of SEPA know
		}
		if values != nil {
			choice(c, top.child("charge_bearer"), *p.ChargeBearer, values)
		}
	}
}

// transaction checks a transaction but for its amount.
func (c *checker) transaction(path Field, t openbanking.CreditTransferTransaction) {
	c.beneficiary(path.child("beneficiary"), t.Beneficiary)
	if id := t.PaymentID; id != nil {
		c.text(path.child("payment_id").child("instruction_id"), id.InstructionID, maxReference)
		c.text(path.child("payment_id").child("end_to_end_id"), id.EndToEndID, maxReference)
	}
	c.dates(path, t)
	c.reference(path.child("reference_number"), t.ReferenceNumber)
	c.party(path.child("ultimate_debtor"), t.UltimateDebtor)
	c.party(path.child("ultimate_creditor"), t.UltimateCreditor)
	c.reports(path.child("regulatory_reporting"), t.RegulatoryReporting)
	c.remittance(path, t)
}

// choice checks a value that is one of those that the bank supports.
func choice[S ~string](c *checker, path Field, value S, supported []S) {
	if slices.Contains(supported, value) {
		return
	}
	var values []string
	for _, v := range supported {
		values = append(values, string(v))
	}
	c.fault(path, NotSupported{Values: values})
}

// MaxText is how many characters a text for the payee has at most (Max140Text of ISO 20022, and the rulebooks of SEPA).
const MaxText = 140

// Lengths in characters, as the messages between banks have them (ISO 20022).
const (
	maxReference = 35 // Max35Text
	maxName      = 140
	maxSEPAName  = 70
)

// blank reports whether a text is not given, or says nothing.
func blank(s *string) bool { return s == nil || strings.TrimSpace(*s) == "" }

// text checks an optional text: when it is given, it must not be empty or too long.
func (c *checker) text(path Field, s *string, longest int) {
	switch {
	case s == nil:
	case blank(s):
		c.fault(path, Empty{})
	default:
		c.characters(path, *s, longest)
	}
}

// characters checks the length and the characters of a text.
func (c *checker) characters(path Field, s string, longest int) {
	if n := utf8.RuneCountInString(s); n > longest {
		c.fault(path, TooLong{Length: n, Most: longest})
		return
	}
	place := 0
	for _, r := range s {
		if place++; !printed(r) {
			c.fault(path, NotPrintable{Position: place, Character: r})
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
