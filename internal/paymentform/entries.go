package paymentform

import (
	"strconv"
	"strings"

	"florin/internal/finance"
	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/paymentfile"
)

// Field is a field of the form, by the name that it has on the page.
type Field string

// The fields.
const (
	Type      Field = "type"
	Name      Field = "name"
	Scheme    Field = "scheme"
	Number    Field = "number"
	BIC       Field = "bic"
	Member    Field = "member" // of a clearing system
	Street    Field = "street"
	PostCode  Field = "post_code"
	Town      Field = "town"
	Country   Field = "payee_country"
	Amount    Field = "amount"
	Currency  Field = "currency"
	Reference Field = "reference"
	When      Field = "when"
	Date      Field = "date"
	First     Field = "first"
	Last      Field = "last"
	Frequency Field = "frequency"
	Rule      Field = "rule"
	Charges   Field = "charges"
	Priority  Field = "priority"
	Report    Field = "report"
	Email     Field = "payer_email"
	Phone     Field = "payer_phone"
	Method    Field = "method"
)

// Values of When.
const (
	Now    = "now"
	OnDate = "date"
	Repeat = "repeat"
)

// maxLines is how many lines of text a form keeps.
const maxLines = 10

// Text is a line of the text, counted from 0.
func Text(line int) Field { return Field("text" + strconv.Itoa(line)) }

// Fields are all fields of all kinds of payments.
func Fields() []Field {
	all := []Field{Type, Name, Scheme, Number, BIC, Member, Street, PostCode, Town, Country, Amount, Currency, Reference, When, Date, First, Last, Frequency,
		Rule, Charges, Priority, Report, Email, Phone, Method}
	for i := range maxLines {
		all = append(all, Text(i))
	}
	return all
}

// Entries are what is filled in, as it was typed.
type Entries map[Field]string

// Get returns an entry without spaces around it.
func (e Entries) Get(f Field) string { return strings.TrimSpace(e[f]) }

// Set fills a field in; "" empties it.
func (e Entries) Set(f Field, value string) {
	if value == "" {
		delete(e, f)
		return
	}
	e[f] = value
}

// text returns an entry as it is sent; nil: there is none.
func (e Entries) text(f Field) *string {
	if s := finance.Typed(e[f]); s != "" {
		return &s
	}
	return nil
}

// SetAccount fills in an account to pay.
func (e Entries) SetAccount(account finance.PayeeAccount) {
	e.Set(Scheme, string(account.Scheme))
	e.Set(Number, account.Format())
}

// SetPayee fills in a saved payee.
func (e Entries) SetPayee(p finance.Payee) {
	e.setBeneficiary(p.Beneficiary)
	e.Set(Name, p.Name)
	e.SetAccount(p.Account)
}

func (e Entries) setBeneficiary(b openbanking.Beneficiary) {
	e.SetAccount(finance.PayeeAccount{Scheme: b.CreditorAccount.SchemeName, Number: b.CreditorAccount.Identification})
	if agent := b.CreditorAgent; agent != nil {
		e.Set(BIC, value(agent.BICFI))
		if m := agent.ClearingSystemMemberID; m != nil {
			e.Set(Member, value(m.MemberID))
		}
	}
	e.SetAddress(paymentfile.Address{}) // not that of whoever was filled in before
	if c := b.Creditor; c != nil {
		e.Set(Name, value(c.Name))
		if a := c.PostalAddress; a != nil {
			e.SetAddress(paymentfile.Address{Street: strings.TrimSpace(value(a.StreetName) + " " + value(a.BuildingNumber)), PostCode: value(a.PostCode),
				Town: value(a.TownName), Country: value(a.Country)})
		}
	}
}

// SetAddress fills in where the payee lives.
func (e Entries) SetAddress(a paymentfile.Address) {
	e.Set(Street, a.Street)
	e.Set(PostCode, a.PostCode)
	e.Set(Town, a.Town)
	e.Set(Country, a.Country)
}

// SetTransaction fills in whom to pay again, or to pay back: the other side of a transaction. The amount of money that came in is proposed to go back.
// What was converted is paid in the currency that it was asked for in.
func (e Entries) SetTransaction(t finance.TransactionRecord) {
	e.Set(Name, finance.Clean(t.Counterparty))
	if number := t.CounterpartyAccount; number != "" {
		scheme := openbanking.SchemeNameIBAN
		if _, err := iban.Parse(number); err != nil {
			scheme = openbanking.SchemeNameBBAN
		}
		e.SetAccount(finance.PayeeAccount{Scheme: scheme, Number: number})
	}
	amount := t.Amount.Abs()
	if x := t.Record.ExchangeRate; x != nil && x.InstructedAmount != nil {
		if asked, err := money.Parse(x.InstructedAmount.Amount, x.InstructedAmount.Currency); err == nil && !asked.IsZero() {
			amount = asked.Abs()
		}
	}
	e.Set(Amount, amount.String())
	e.Set(Currency, amount.Currency())
	if t.Amount.Sign() < 0 {
		e.Set(Text(0), t.Remittance)
	}
}

// SetInvoice fills in the content of a payment code. It leaves the amount empty where the code names none.
func (e Entries) SetInvoice(v paymentfile.Invoice) {
	e.SetAccount(finance.PayeeAccount{Scheme: openbanking.SchemeNameIBAN, Number: v.IBAN.String()})
	e.Set(Name, v.Name)
	e.Set(BIC, v.BIC)
	e.Set(Reference, v.Reference)
	e.Set(Text(0), v.Text)
	e.Set(Currency, v.Currency)
	e.SetAddress(v.Address)
	if v.IBAN.QR() {
		e.Set(Type, string(finance.ByOwnApp)) // banks abroad cannot pay it
	}
	if v.Amount.Sign() > 0 {
		e.Set(Amount, v.Amount.String())
	}
	if v.Instant && v.Currency == "EUR" { // instant payments of other currencies are no kind of the API
		e.Set(Type, string(openbanking.PaymentTypeInstSEPA))
	}
}

// SetOrder fills in a payment as it was saved. Of several transfers it is the first.
func (e Entries) SetOrder(o finance.PaymentOrder) {
	e.Set(Type, string(o.Type))
	e.Set(Method, o.AuthMethod)
	r := o.Request
	if len(r.CreditTransferTransaction) == 0 {
		return
	}
	t := r.CreditTransferTransaction[0]
	e.setBeneficiary(t.Beneficiary)
	e.Set(Amount, t.InstructedAmount.Amount)
	e.Set(Currency, t.InstructedAmount.Currency)
	e.Set(Reference, value(t.ReferenceNumber))
	for i, line := range t.RemittanceInformation {
		e.Set(Text(i), line)
	}
	if s, ok := finance.StandingOrderOf(t); ok {
		e.Set(When, Repeat)
		e.Set(First, string(s.First))
		e.Set(Last, string(s.Last))
		e.Set(Frequency, string(s.Frequency))
		e.Set(Rule, string(s.Rule))
	} else if t.RequestedExecutionDate != nil {
		e.Set(When, OnDate)
		e.Set(Date, string(*t.RequestedExecutionDate))
	}
	if r.ChargeBearer != nil {
		e.Set(Charges, string(*r.ChargeBearer))
	}
	if i := r.PaymentTypeInformation; i != nil && i.InstructionPriority != nil {
		e.Set(Priority, string(*i.InstructionPriority))
	}
	if len(t.RegulatoryReporting) > 0 {
		e.Set(Report, value(t.RegulatoryReporting[0].Details.Code))
	}
	if d := r.Debtor; d != nil && d.ContactDetails != nil {
		e.Set(Email, value(d.ContactDetails.EmailAddress))
		e.Set(Phone, value(d.ContactDetails.PhoneNumber))
	}
}

// value is what a pointer points to, the zero value for nil.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
