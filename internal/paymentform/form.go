// Package paymentform is the form for a payment, without pages and requests: of what is known and what was typed it makes the fields that the bank asks
// for, what is wrong with each of them, what to think about, and the order. It speaks in facts; the pages have the words.
package paymentform

import (
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/paymentfile"
)

// Payer is an account of a user, with its bank and what is on it.
type Payer struct {
	Account    finance.Account
	Connection finance.Connection // of KeptPayer without an ID and a provider
	Balances   []finance.Balance
}

// KeptPayer is an account that the user keeps without a connection, at the bank that the user named and as a private person.
func KeptPayer(account finance.Account, balances []finance.Balance) Payer {
	return Payer{Account: account, Balances: balances, Connection: finance.Connection{ASPSP: openbanking.ASPSP{Name: account.Institution},
		PSUType: openbanking.PSUTypePersonal, Simulated: account.Simulated}}
}

// Facts are what is known before a payment is filled in. They are loaded once for each request.
type Facts struct {
	Payer                                     // the account that the payment goes from
	Payers  []Payer                           // all accounts of the user, this one among them
	Payees  []finance.Payee                   // that the user saved
	Kinds   []openbanking.ResponsePaymentType // of the bank, for one payment at a time, the usual one first; one at least
	Methods []openbanking.AuthMethod          // of the bank
	Now     time.Time
}

// usual are the kinds of one payment at a time, the usual one first.
var usual = []openbanking.PaymentType{openbanking.PaymentTypeSEPA, openbanking.PaymentTypeDomestic, openbanking.PaymentTypeInstSEPA,
	openbanking.PaymentTypeInternal,
	openbanking.PaymentTypeDomesticSEGiro, openbanking.PaymentTypeCrossborder}

// SingleKinds are the kinds of payments of a bank for one payment at a time, the usual one first.
func SingleKinds(all []openbanking.ResponsePaymentType, psu openbanking.PSUType) []openbanking.ResponsePaymentType {
	var kinds []openbanking.ResponsePaymentType
	for _, kind := range all {
		if kind.PSUType == psu && slices.Contains(usual, kind.PaymentType) {
			kinds = append(kinds, kind)
		}
	}
	slices.SortStableFunc(kinds, func(a, b openbanking.ResponsePaymentType) int {
		return slices.Index(usual, a.PaymentType) - slices.Index(usual, b.PaymentType)
	})
	return kinds
}

// OwnAppKind describes a payment that the person sends in the app of the bank (finance.ByOwnApp). Its fields are those of SEPA codes and files, which every
// bank accepts. From an account in francs it may also be in francs, with the fields of a Swiss QR-bill.
func OwnAppKind(psu openbanking.PSUType, account finance.Account) openbanking.ResponsePaymentType {
	currencies := []string{"EUR"}
	if account.Currency == paymentfile.Francs {
		currencies = []string{paymentfile.Francs, "EUR"}
	}
	return openbanking.ResponsePaymentType{PaymentType: finance.ByOwnApp, PSUType: psu, Currencies: currencies,
		CreditorAccountSchemas: []openbanking.SchemeName{openbanking.SchemeNameIBAN}, CreditorNameRequired: new(true), ReferenceNumberSupported: new(true),
		RequestedExecutionDateSupported: new(true)}
}

// Own are the accounts that count as the user's own for a payment from this account.
func (f Facts) Own() []finance.Account { return OwnAccounts(f.Payers, f.Connection.ProviderID) }

// OwnAccounts is finance.OwnAccounts for the accounts of a user.
func OwnAccounts(payers []Payer, providerID string) []finance.Account {
	var accounts []finance.Account
	var connections []finance.Connection
	for _, p := range payers {
		accounts, connections = append(accounts, p.Account), append(connections, p.Connection)
	}
	return finance.OwnAccounts(accounts, connections, providerID)
}

// Form is the form at one moment: what is filled in, within what the bank takes.
type Form struct {
	Facts

	Entries Entries
	Kind    openbanking.ResponsePaymentType
}

// New returns the form of the kind of payment that the entries name, or, when they name none, of the first that fits them. offered is false when the bank does
// not offer the named one: a bulk, or one that it has given up. The form is of the usual kind then.
func New(facts Facts, entries Entries) (form Form, offered bool) {
	kind, offered := facts.choose(entries)
	if !offered {
		entries.Set(Type, string(kind.PaymentType))
	}
	form = Form{facts, entries, kind}
	if form.Bill() {
		form.Kind.CreditorPostalAddressRequired, form.Kind.CreditorCountryRequired, form.Kind.RemittanceReferenceSupported = new(true), new(true), new(true)
	}
	return form, offered
}

// Bill reports whether the payment goes by a Swiss QR-bill: the person sends it in the app of the bank, in francs.
func (f Form) Bill() bool {
	return f.Kind.PaymentType == finance.ByOwnApp && f.Currency() == paymentfile.Francs
}

func (f Facts) choose(e Entries) (kind openbanking.ResponsePaymentType, offered bool) {
	kinds := f.Kinds
	if name := e.Get(Type); name != "" {
		for _, kind := range kinds {
			if string(kind.PaymentType) == name {
				return kind, true
			}
		}
		return kinds[0], false
	}
	scheme, currency := openbanking.SchemeName(e.Get(Scheme)), e.Get(Currency)
	for _, kind := range kinds {
		fits := scheme == "" || slices.Contains(schemes(kind), scheme)
		paid := currency == "" || slices.Contains(currencies(kind, f.Account), currency)
		if fits && paid {
			return kind, true
		}
	}
	return kinds[0], true
}

func schemes(kind openbanking.ResponsePaymentType) []openbanking.SchemeName {
	switch {
	case len(kind.CreditorAccountSchemas) > 0:
		return kind.CreditorAccountSchemas
	case euro(kind):
		return []openbanking.SchemeName{openbanking.SchemeNameIBAN}
	case kind.PaymentType == openbanking.PaymentTypeDomesticSEGiro:
		return []openbanking.SchemeName{openbanking.SchemeNameBGNR, openbanking.SchemeNamePGNR}
	}
	return []openbanking.SchemeName{openbanking.SchemeNameIBAN, openbanking.SchemeNameBBAN}
}

// euro reports whether a kind of payment goes by the rules of SEPA.
func euro(kind openbanking.ResponsePaymentType) bool {
	return kind.PaymentType == openbanking.PaymentTypeSEPA || kind.PaymentType == openbanking.PaymentTypeInstSEPA
}

// Schemes are the kinds of account numbers that can be paid.
func (f Form) Schemes() []openbanking.SchemeName { return schemes(f.Kind) }

// Scheme is the one that is chosen.
func (f Form) Scheme() openbanking.SchemeName {
	all := f.Schemes()
	if chosen := openbanking.SchemeName(f.Entries.Get(Scheme)); slices.Contains(all, chosen) {
		return chosen
	}
	return all[0]
}

// currencies are those that a kind of payment from an account may be in, that of the account first.
func currencies(kind openbanking.ResponsePaymentType, account finance.Account) []string {
	all := slices.Clone(kind.Currencies)
	switch {
	case len(all) > 0:
	case euro(kind):
		all = []string{"EUR"}
	default:
		all = []string{account.Currency}
	}
	if i := slices.Index(all, account.Currency); i > 0 {
		all[0], all[i] = all[i], all[0]
	}
	return all
}

// Currencies are those that the payment may be in, that of the account first.
func (f Form) Currencies() []string { return currencies(f.Kind, f.Account) }

// Currency is the one that is chosen.
func (f Form) Currency() string {
	all := f.Currencies()
	if chosen := f.Entries.Get(Currency); slices.Contains(all, chosen) {
		return chosen
	}
	return all[0]
}

// Lines is how many lines of text the bank takes.
func (f Form) Lines() int { return max(1, len(f.Kind.RemittanceInformationLines)) }

// TakesReference reports whether the bank takes a reference number beside the text, or in its place.
func (f Form) TakesReference() bool { return value(f.Kind.ReferenceNumberSupported) }

// Dated reports whether the bank takes a day, and with it standing orders.
func (f Form) Dated() bool {
	return f.Kind.PaymentType != openbanking.PaymentTypeInstSEPA && value(f.Kind.RequestedExecutionDateSupported)
}

// Repeats reports whether the bank takes standing orders.
func (f Form) Repeats() bool { return f.Dated() && f.Kind.PaymentType != finance.ByOwnApp }

// When is Now, OnDate or Repeat.
func (f Form) When() string {
	if chosen := f.Entries.Get(When); f.Dated() && chosen == OnDate || f.Repeats() && chosen == Repeat {
		return chosen
	}
	return Now
}

// FirstDay and LastDay are the days that the bank takes for the (first) execution; LastDay is "" without a bound.
func (f Form) FirstDay() openbanking.Date { return finance.PaymentDay(f.Now) }

// LastDay is described at FirstDay.
func (f Form) LastDay() openbanking.Date {
	if most := f.Kind.RequestedExecutionDateMaxPeriod; most != nil {
		return finance.PaymentDay(f.Now.AddDate(0, 0, *most))
	}
	return ""
}

// StandingOrder is the standing order as far as it is filled in; ok: its dates can be told.
func (f Form) StandingOrder() (o finance.StandingOrder, ok bool) {
	o.First, _ = finance.ParseDay(f.Entries[First]) // what is wrong with them is said when the form is sent
	o.Last, _ = finance.ParseDay(f.Entries[Last])
	o.Frequency, o.Rule = openbanking.FrequencyCode(f.Entries.Get(Frequency)), openbanking.ExecutionRule(f.Entries.Get(Rule))
	_, err := o.First.Time()
	return o, err == nil && openbanking.Known(o.Frequency)
}

// AtBank reports whether the person chooses the paying account at the bank, because the bank does not accept the kind of number that the account has.
func (f Form) AtBank() bool {
	number := finance.AccountNumber(f.Account)
	if f.Kind.PaymentType == finance.ByOwnApp {
		return false // the app belongs to the account
	}
	return number.Number == "" || len(f.Kind.DebtorAccountSchemas) > 0 && !slices.Contains(f.Kind.DebtorAccountSchemas, number.Scheme)
}

// ApprovalMethods are the ways to approve from which the person can choose.
func (f Form) ApprovalMethods() []openbanking.AuthMethod {
	var methods []openbanking.AuthMethod
	for _, m := range f.Methods {
		allowed := len(f.Kind.AllowedAuthMethods) == 0 || slices.Contains(f.Kind.AllowedAuthMethods, value(m.Name))
		if m.PSUType == f.Connection.PSUType && !m.HiddenMethod && value(m.Name) != "" && allowed {
			methods = append(methods, m)
		}
	}
	return methods
}

// Fields are the fields that this kind of payment asks for, in the order of the page. Where the bank takes one value alone there is nothing to ask.
func (f Form) Fields() []Field {
	k := f.Kind
	fields := []Field{Name}
	add := func(wanted bool, more ...Field) {
		if wanted {
			fields = append(fields, more...)
		}
	}
	add(len(f.Schemes()) > 1, Scheme)
	add(true, Number)
	add(value(k.CreditorAgentBICFIRequired), BIC)
	add(value(k.CreditorAgentClearingSystemMemberIDRequired), Member)
	add(value(k.CreditorPostalAddressRequired), Street, PostCode, Town)
	add(value(k.CreditorPostalAddressRequired) || value(k.CreditorCountryRequired), Country)
	add(true, Amount)
	add(len(f.Currencies()) > 1, Currency)
	for i := range f.Lines() {
		add(true, Text(i))
	}
	add(f.TakesReference(), Reference)
	add(f.Dated(), When, Date)
	add(f.Repeats(), Frequency, First, Last, Rule)
	add(len(k.ChargeBearerValues) > 1, Charges)
	add(len(k.PriorityCodes) > 1, Priority)
	add(len(k.RegulatoryReportingCodes) > 0 && f.onlyReport() == "", Report)
	add(value(k.DebtorContactEmailRequired), Email)
	add(value(k.DebtorContactPhoneRequired), Phone)
	add(len(f.ApprovalMethods()) > 1, Method)
	return fields
}

// onlyReport returns the reporting code when the bank requires one and accepts only that one, else "".
func (f Form) onlyReport() string {
	if codes := f.Kind.RegulatoryReportingCodes; len(codes) == 1 && value(f.Kind.RegulatoryReportingCodeRequired) {
		return codes[0].Value
	}
	return ""
}

// Carried returns the filled-in fields that this kind of payment does not use. They are kept in case the person chooses another kind, so that nothing typed
// is lost.
func (f Form) Carried() []Field {
	asked := append(f.Fields(), Type, Scheme)
	return slices.DeleteFunc(Fields(), func(field Field) bool {
		entry := f.Entries.Get(field)
		return entry == "" || field == When && entry == Now || slices.Contains(asked, field)
	})
}

// TextOrReference clears the text when both text and reference are filled in and the bank accepts only one of them. The reference is kept because the payee
// needs it. It returns the cleared text.
func (f Form) TextOrReference() (text string) {
	if value(f.Kind.RemittanceReferenceSupported) || !f.TakesReference() || f.Entries.Get(Reference) == "" {
		return ""
	}
	text = finance.Typed(f.Entries[Text(0)])
	f.Entries.Set(Text(0), "")
	return text
}

// ReferenceAsText moves the reference into the text when the bank accepts no reference, so that the payee still receives it. It reports whether it did.
func (f Form) ReferenceAsText() (moved bool) {
	number := finance.Typed(f.Entries[Reference])
	if number == "" || f.TakesReference() || f.Entries.Get(Text(0)) != "" {
		return false
	}
	f.Entries.Set(Text(0), number)
	f.Entries.Set(Reference, "")
	return true
}
