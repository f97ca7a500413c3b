package payments

import (
	"cmp"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/countries"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/iban"
	"florin/internal/linking"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/paymentfile"
	"florin/internal/paymentrules"
	"florin/internal/reference"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// Fields of the form for a payment.
const (
	fieldForm      = "form" // the one-time key
	fieldDraft     = "draft"
	fieldRetry     = "retry"
	fieldAccount   = "account"
	fieldType      = "type"
	fieldSaved     = "saved"
	fieldName      = "name"
	fieldScheme    = "scheme"
	fieldNumber    = "number"
	fieldBIC       = "bic"
	fieldMember    = "member" // of a clearing system
	fieldStreet    = "street"
	fieldPostCode  = "post_code"
	fieldTown      = "town"
	fieldNation    = "payee_country"
	fieldAmount    = "amount"
	fieldCurrency  = "currency"
	fieldText      = "text" // with the number of the line behind it
	fieldReference = "reference"
	fieldWhen      = "when"
	fieldDate      = "date"
	fieldFirst     = "first"
	fieldLast      = "last"
	fieldFrequency = "frequency"
	fieldRule      = "rule"
	fieldCharges   = "charges"
	fieldPriority  = "priority"
	fieldReport    = "report"
	fieldEmail     = "payer_email"
	fieldPhone     = "payer_phone"
	fieldMethod    = "method"
)

// Values of fieldWhen.
const (
	whenNow    = "now"
	whenDate   = "date"
	whenRepeat = "repeat"
)

// formKey is a key as finance.NewID makes it.
var formKey = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// payForm is the form for a payment as it is filled in. Texts stay as they were typed.
type payForm struct {
	values   url.Values
	problems map[string]string // by field; "" for the whole. Nil while nobody has sent the form
	hints    map[string]string // by field: what to know about it before the usual hint
	ask      string            // the field to begin with
	chose    bool              // the kind of payment was just chosen: the page begins there
}

func (f *payForm) get(name string) string { return strings.TrimSpace(f.values.Get(name)) }

// typed is a text as it is sent.
func (f *payForm) typed(name string) string { return finance.Typed(f.values.Get(name)) }

func (f *payForm) set(name, value string) {
	if value == "" {
		f.values.Del(name)
		return
	}
	f.values.Set(name, value)
}

func (f *payForm) problem(field, text string) {
	if f.problems[field] == "" {
		f.problems[field] = text
	}
}

func (f *payForm) account(scheme openbanking.SchemeName, number string) {
	f.set(fieldScheme, string(scheme))
	f.set(fieldNumber, finance.PayeeAccount{Scheme: scheme, Number: number}.Format())
}

func (f *payForm) payee(p finance.Payee) {
	f.beneficiary(p.Beneficiary)
	f.set(fieldName, p.Name)
	f.account(p.Account.Scheme, p.Account.Number)
	f.set(fieldSaved, "payee:"+p.ID)
}

func (f *payForm) beneficiary(b openbanking.Beneficiary) {
	f.account(b.CreditorAccount.SchemeName, b.CreditorAccount.Identification)
	if agent := b.CreditorAgent; agent != nil {
		f.set(fieldBIC, show.Text(agent.BICFI))
		if m := agent.ClearingSystemMemberID; m != nil {
			f.set(fieldMember, show.Text(m.MemberID))
		}
	}
	if c := b.Creditor; c != nil {
		f.set(fieldName, show.Text(c.Name))
		if address := c.PostalAddress; address != nil {
			f.set(fieldStreet, show.Text(address.StreetName))
			f.set(fieldPostCode, show.Text(address.PostCode))
			f.set(fieldTown, show.Text(address.TownName))
			f.set(fieldNation, show.Text(address.Country))
		}
	}
}

// transaction fills in whom to pay again, or to pay back: the other side of a transaction. The amount of money that came in is proposed to go back. What was converted is paid in the
// currency that it was asked for in.
func (f *payForm) transaction(t finance.TransactionRecord) {
	f.set(fieldName, finance.Clean(t.Counterparty))
	if number := t.CounterpartyAccount; number != "" {
		scheme := openbanking.SchemeNameIBAN
		if _, err := iban.Parse(number); err != nil {
			scheme = openbanking.SchemeNameBBAN
		}
		f.account(scheme, number)
	}
	amount := t.Amount.Abs()
	if x := t.Record.ExchangeRate; x != nil && x.InstructedAmount != nil {
		if asked, err := money.Parse(x.InstructedAmount.Amount, x.InstructedAmount.Currency); err == nil && !asked.IsZero() {
			amount = asked.Abs()
		}
	}
	f.set(fieldAmount, amount.String())
	f.set(fieldCurrency, amount.Currency())
	if t.Amount.Sign() < 0 {
		f.set(fieldText+"0", t.Remittance)
	}
}

func (f *payForm) invoice(v paymentfile.Invoice) {
	f.hints = map[string]string{}
	f.account(openbanking.SchemeNameIBAN, v.IBAN.String())
	f.set(fieldName, v.Name)
	f.set(fieldBIC, v.BIC)
	f.set(fieldReference, v.Reference)
	f.set(fieldText+"0", v.Text)
	f.set(fieldCurrency, "EUR")
	if v.Amount.Sign() > 0 {
		f.set(fieldAmount, v.Amount.String())
	} else {
		f.hints[fieldAmount] = "The code names no amount: type the one on the invoice."
		f.ask = fieldAmount
	}
	if v.Information != "" {
		f.hints[fieldText+"0"] = "The code tells you, and not the payee: “" + finance.Clean(v.Information) + "”."
	}
	if v.Instant {
		f.set(fieldType, string(openbanking.PaymentTypeInstSEPA))
	}
}

// asText puts a reference into the text where the bank takes no reference: the payee finds it there.
func (f *payForm) asText(kind openbanking.ResponsePaymentType) {
	number := f.typed(fieldReference)
	if number == "" || yes(kind.ReferenceNumberSupported) || f.get(fieldText+"0") != "" {
		return
	}
	f.set(fieldText+"0", number)
	f.set(fieldReference, "")
	f.hints[fieldText+"0"] = "This is the reference of the code. Your bank takes it as a text."
}

// order fills in a payment as it was saved.
func (f *payForm) order(o finance.PaymentOrder) {
	f.set(fieldAccount, o.AccountID)
	f.set(fieldType, string(o.Type))
	f.set(fieldMethod, o.AuthMethod)
	r := o.Request
	if len(r.CreditTransferTransaction) == 0 {
		return
	}
	t := r.CreditTransferTransaction[0]
	f.beneficiary(t.Beneficiary)
	f.set(fieldAmount, t.InstructedAmount.Amount)
	f.set(fieldCurrency, t.InstructedAmount.Currency)
	f.set(fieldReference, show.Text(t.ReferenceNumber))
	for i, line := range t.RemittanceInformation {
		f.set(fieldText+strconv.Itoa(i), line)
	}
	if s, ok := finance.StandingOrderOf(t); ok {
		f.set(fieldWhen, whenRepeat)
		f.set(fieldFirst, string(s.First))
		f.set(fieldLast, string(s.Last))
		f.set(fieldFrequency, string(s.Frequency))
		f.set(fieldRule, string(s.Rule))
	} else if t.RequestedExecutionDate != nil {
		f.set(fieldWhen, whenDate)
		f.set(fieldDate, string(*t.RequestedExecutionDate))
	}
	if r.ChargeBearer != nil {
		f.set(fieldCharges, string(*r.ChargeBearer))
	}
	if i := r.PaymentTypeInformation; i != nil && i.InstructionPriority != nil {
		f.set(fieldPriority, string(*i.InstructionPriority))
	}
	if len(t.RegulatoryReporting) > 0 {
		f.set(fieldReport, show.Text(t.RegulatoryReporting[0].Details.Code))
	}
	if d := r.Debtor; d != nil && d.ContactDetails != nil {
		f.set(fieldEmail, show.Text(d.ContactDetails.EmailAddress))
		f.set(fieldPhone, show.Text(d.ContactDetails.PhoneNumber))
	}
}

// chooseKind is the payment type that the form names, or the first that fits the payee's account when it names none; nil for one that is not offered.
func (f *payForm) chooseKind(kinds []openbanking.ResponsePaymentType) *openbanking.ResponsePaymentType {
	name := f.get(fieldType)
	for i := range kinds {
		if string(kinds[i].PaymentType) == name {
			return &kinds[i]
		}
	}
	if name != "" || len(kinds) == 0 {
		return nil
	}
	scheme := openbanking.SchemeName(f.get(fieldScheme))
	for i := range kinds {
		fits := scheme == "" || slices.Contains(schemesOf(kinds[i]), scheme)
		paid := f.get(fieldCurrency) == "" || len(kinds[i].Currencies) == 0 || slices.Contains(kinds[i].Currencies, f.get(fieldCurrency))
		if fits && paid {
			return &kinds[i]
		}
	}
	return &kinds[0]
}

func schemesOf(kind openbanking.ResponsePaymentType) []openbanking.SchemeName {
	switch {
	case len(kind.CreditorAccountSchemas) > 0:
		return kind.CreditorAccountSchemas
	case kind.PaymentType == openbanking.PaymentTypeSEPA, kind.PaymentType == openbanking.PaymentTypeInstSEPA:
		return []openbanking.SchemeName{openbanking.SchemeNameIBAN}
	case kind.PaymentType == openbanking.PaymentTypeDomesticSEGiro:
		return []openbanking.SchemeName{openbanking.SchemeNameBGNR, openbanking.SchemeNamePGNR}
	}
	return []openbanking.SchemeName{openbanking.SchemeNameIBAN, openbanking.SchemeNameBBAN}
}

func (f *payForm) scheme(kind openbanking.ResponsePaymentType) openbanking.SchemeName {
	schemes := schemesOf(kind)
	if chosen := openbanking.SchemeName(f.get(fieldScheme)); slices.Contains(schemes, chosen) {
		return chosen
	}
	return schemes[0]
}

// currencies are those that the payment may be in, that of the account first.
func currenciesOf(kind openbanking.ResponsePaymentType, account finance.Account) []string {
	all := slices.Clone(kind.Currencies)
	if len(all) == 0 {
		all = []string{account.Currency}
		if kind.PaymentType == openbanking.PaymentTypeSEPA || kind.PaymentType == openbanking.PaymentTypeInstSEPA {
			all = []string{"EUR"}
		}
	}
	if i := slices.Index(all, account.Currency); i > 0 {
		all[0], all[i] = all[i], all[0]
	}
	return all
}

func (f *payForm) currency(kind openbanking.ResponsePaymentType, account finance.Account) string {
	all := currenciesOf(kind, account)
	if chosen := f.get(fieldCurrency); slices.Contains(all, chosen) {
		return chosen
	}
	return all[0]
}

// textLines is how many lines of text the bank takes.
func textLines(kind openbanking.ResponsePaymentType) int {
	return max(1, len(kind.RemittanceInformationLines))
}

// when is the choice of when to pay, as far as the bank offers it.
func (f *payForm) when(kind openbanking.ResponsePaymentType) string {
	if chosen := f.get(fieldWhen); dated(kind) && (chosen == whenDate || chosen == whenRepeat) {
		return chosen
	}
	return whenNow
}

// dated reports whether the bank takes a date, and with it standing orders.
func dated(kind openbanking.ResponsePaymentType) bool {
	return kind.PaymentType != openbanking.PaymentTypeInstSEPA && yes(kind.RequestedExecutionDateSupported)
}

func yes(b *bool) bool { return b != nil && *b }

// debtor is the account that pays as it is sent; false when the bank takes no such number, and the person chooses the account there.
func debtor(kind openbanking.ResponsePaymentType, account finance.Account) bool {
	number := finance.AccountNumber(account)
	if number.Number == "" {
		return false
	}
	return len(kind.DebtorAccountSchemas) == 0 || slices.Contains(kind.DebtorAccountSchemas, number.Scheme)
}

// check turns the form into an order, or notes what is wrong with each field. The rules are those of the bank (paymentrules), explained in our own words
// where they can be told better.
func (f *payForm) check(p Payer, kind openbanking.ResponsePaymentType, now time.Time) (finance.PaymentOrder, bool) {
	o := finance.PaymentOrder{
		ProviderID: p.Connection.ProviderID, ASPSP: p.Connection.ASPSP, PSUType: p.Connection.PSUType, Type: kind.PaymentType, Successful: kind.FinalSuccessfulStatuses,
		AuthMethod: f.get(fieldMethod),
	}
	if len(kind.AllowedAuthMethods) == 1 {
		o.AuthMethod = kind.AllowedAuthMethods[0]
	}
	if debtor(kind, p.Account) {
		o.AccountID = p.Account.ID
		wire := finance.AccountNumber(p.Account).Wire()
		o.Request.DebtorAccount = &wire
	}
	t := openbanking.CreditTransferTransaction{Beneficiary: f.checkPayee(kind)}
	currency := f.currency(kind, p.Account)
	t.InstructedAmount = openbanking.AmountType{Currency: currency, Amount: f.checkAmount(currency)}
	f.checkTexts(kind, &t)
	f.checkDates(kind, &t)
	f.checkMore(kind, p.Account, &o.Request, &t)
	o.Request.CreditTransferTransaction = []openbanking.CreditTransferTransaction{t}
	if number := show.Text(t.ReferenceNumber); number != "" {
		if rule := paymentrules.CheckReference(kind.ReferenceNumberSchemas, number); rule != nil {
			f.problem(fieldReference, faultWords("The reference", rule))
		}
	}
	for _, fault := range paymentrules.Check(kind, o.Request, finance.PaymentDay(now), "") {
		at := formPlaces[fault.Field.Name]
		switch {
		case at.field == fieldText && fault.Field.Name == paymentrules.FieldRemittanceLine:
			at.field += strconv.Itoa(fault.Field.Index[1])
		case at.field == fieldText:
			at.field += "0"
		case at.field == fieldDate && f.when(kind) == whenRepeat:
			at = formPlace{fieldFirst, "The first date"}
		case at.subject == "":
			at.subject = "The payment"
		}
		f.problem(at.field, faultWords(at.subject, fault.Rule))
	}
	return o, len(f.problems) == 0
}

func (f *payForm) checkPayee(kind openbanking.ResponsePaymentType) openbanking.Beneficiary {
	var b openbanking.Beneficiary
	var creditor openbanking.PartyIdentification
	creditor.Name = optional(f.typed(fieldName))
	scheme, number := f.scheme(kind), f.get(fieldNumber)
	b.CreditorAccount = openbanking.GenericIdentification{SchemeName: scheme, Identification: compact(number)}
	switch {
	case scheme == openbanking.SchemeNameIBAN:
		parsed, err := iban.Parse(number)
		if err != nil {
			f.problem(fieldNumber, err.Error())
		} else {
			b.CreditorAccount.Identification = parsed.String()
		}
	case number == "":
		f.problem(fieldNumber, "Enter the number of the payee’s account.")
	}
	if bic := f.get(fieldBIC); bic != "" {
		if parsed, err := iban.ParseBIC(bic); err != nil {
			f.problem(fieldBIC, err.Error())
		} else if yes(kind.CreditorAgentBICFIRequired) || !single(kind) {
			agent := agentOf(&b)
			agent.BICFI = ptrTo(parsed.String())
		}
	}
	if yes(kind.CreditorAgentClearingSystemMemberIDRequired) && f.get(fieldMember) != "" {
		agentOf(&b).ClearingSystemMemberID = &openbanking.ClearingSystemMemberIdentification{MemberID: ptrTo(f.typed(fieldMember))}
	}
	var address openbanking.PostalAddress
	if yes(kind.CreditorPostalAddressRequired) {
		address.StreetName, address.PostCode, address.TownName = optional(f.typed(fieldStreet)), optional(f.typed(fieldPostCode)), optional(f.typed(fieldTown))
	}
	if yes(kind.CreditorPostalAddressRequired) || yes(kind.CreditorCountryRequired) {
		address.Country = optional(f.get(fieldNation))
	}
	if address.StreetName != nil || address.PostCode != nil || address.TownName != nil || address.Country != nil {
		creditor.PostalAddress = &address
	}
	if creditor.Name != nil || creditor.PostalAddress != nil {
		b.Creditor = &creditor
	}
	return b
}

// single reports whether a payment type needs no BIC by its rules: those in euro within SEPA.
func single(kind openbanking.ResponsePaymentType) bool {
	return kind.PaymentType == openbanking.PaymentTypeSEPA || kind.PaymentType == openbanking.PaymentTypeInstSEPA || kind.PaymentType == openbanking.PaymentTypeInternal
}

func agentOf(b *openbanking.Beneficiary) *openbanking.FinancialInstitutionIdentification {
	if b.CreditorAgent == nil {
		b.CreditorAgent = &openbanking.FinancialInstitutionIdentification{}
	}
	return b.CreditorAgent
}

func (f *payForm) checkAmount(currency string) string {
	typed := f.get(fieldAmount)
	if typed == "" {
		f.problem(fieldAmount, "Enter the amount, such as 12.30.")
		return ""
	}
	amount, err := finance.ParseAmount(typed, currency)
	if err != nil {
		f.problem(fieldAmount, show.UpperFirst(err.Error())+show.Dot(err.Error()))
		return ""
	}
	return amount.String()
}

func (f *payForm) checkTexts(kind openbanking.ResponsePaymentType, t *openbanking.CreditTransferTransaction) {
	given := false
	var lines []string
	for i := range textLines(kind) {
		line := f.typed(fieldText + strconv.Itoa(i))
		given = given || line != ""
		lines = append(lines, line)
		if i < len(kind.RemittanceInformationLines) {
			f.checkLetters(fieldText+strconv.Itoa(i), line, kind.RemittanceInformationLines[i].Pattern)
		}
	}
	if given {
		t.RemittanceInformation = lines
	}
	if yes(kind.ReferenceNumberSupported) {
		t.ReferenceNumber = optional(f.typed(fieldReference))
	}
}

// checkLetters says which letter of a text the bank does not take, where its pattern is about letters alone.
func (f *payForm) checkLetters(field, line string, pattern *string) {
	if pattern == nil || line == "" {
		return
	}
	takes, err := regexp.Compile(*pattern)
	if err != nil || takes.MatchString(line) {
		return
	}
	var plain strings.Builder
	var bad []string
	for _, r := range line {
		if takes.MatchString(string(r)) || r == ' ' {
			plain.WriteRune(r)
		} else if c := strings.TrimSuffix(iban.Describe(r), "."); !slices.Contains(bad, c) {
			bad = append(bad, c)
		}
	}
	if len(bad) > 0 && takes.MatchString(strings.TrimSpace(plain.String())) {
		f.problem(field, "This bank does not take "+strings.Join(bad[:min(len(bad), 4)], " and ")+" in a text. Write it in another way, or leave it out.")
	}
}

// day reads a date of the form, and says what is wrong with one.
func (f *payForm) day(field, missing string) openbanking.Date {
	if f.get(field) == "" {
		if missing != "" {
			f.problem(field, missing)
		}
		return ""
	}
	day, err := finance.ParseDay(f.get(field))
	if err != nil {
		f.problem(field, show.Sentence(err.Error())+" Choose another day.")
	}
	return day
}

func (f *payForm) checkDates(kind openbanking.ResponsePaymentType, t *openbanking.CreditTransferTransaction) {
	switch f.when(kind) {
	case whenDate:
		day := f.day(fieldDate, "Choose the day.")
		t.RequestedExecutionDate = &day
	case whenRepeat:
		first, frequency := f.day(fieldFirst, "Choose the first day."), openbanking.FrequencyCode(f.get(fieldFrequency))
		if !openbanking.Known(frequency) {
			f.problem(fieldFrequency, "Choose how often.")
		}
		t.RequestedExecutionDate, t.Frequency = &first, &frequency
		if last := f.day(fieldLast, ""); last != "" {
			t.EndDate = &last
		}
		if rule := openbanking.ExecutionRule(f.get(fieldRule)); openbanking.Known(rule) {
			t.ExecutionRule = &rule
		}
	}
}

func (f *payForm) checkMore(kind openbanking.ResponsePaymentType, account finance.Account, r *openbanking.PaymentRequestResource, t *openbanking.CreditTransferTransaction) {
	if yes(kind.DebtorCurrencyRequired) {
		r.DebtorCurrency = &account.Currency
	}
	if bearer := openbanking.ChargeBearerCode(only(kind.ChargeBearerValues, f.get(fieldCharges))); len(kind.ChargeBearerValues) > 0 && bearer != "" {
		r.ChargeBearer = &bearer
	}
	if priority := openbanking.PriorityCode(only(kind.PriorityCodes, f.get(fieldPriority))); len(kind.PriorityCodes) > 0 && priority != "" {
		r.PaymentTypeInformation = &openbanking.PaymentTypeInformation{InstructionPriority: &priority}
	}
	if code := f.report(kind); code != "" && (len(kind.RegulatoryReportingCodes) > 0 || yes(kind.RegulatoryReportingCodeRequired)) {
		information := code
		for _, known := range kind.RegulatoryReportingCodes {
			if known.Value == code {
				information = known.Description
			}
		}
		t.RegulatoryReporting = []openbanking.RegulatoryReporting{{Details: openbanking.RegulatoryReportingDetails{Code: &code, Information: information}}}
	}
	email, phone := yes(kind.DebtorContactEmailRequired), yes(kind.DebtorContactPhoneRequired)
	if email || phone {
		var contact openbanking.ContactDetails
		if email {
			contact.EmailAddress = optional(f.typed(fieldEmail))
		}
		if phone {
			contact.PhoneNumber = optional(paymentrules.Phone(f.typed(fieldPhone)))
		}
		if contact.EmailAddress != nil || contact.PhoneNumber != nil {
			r.Debtor = &openbanking.PartyIdentification{Name: optional(account.Holder), ContactDetails: &contact}
		}
	}
}

// only is the value of a field: the only possible one where there is one alone, and nothing to choose.
func only[S ~string](possible []S, chosen string) string {
	if len(possible) == 1 {
		return string(possible[0])
	}
	return chosen
}

// report is the code for the authorities. One that is not required can be left out, even where there is one alone.
func (f *payForm) report(kind openbanking.ResponsePaymentType) string {
	if len(kind.RegulatoryReportingCodes) == 1 && yes(kind.RegulatoryReportingCodeRequired) {
		return kind.RegulatoryReportingCodes[0].Value
	}
	return f.get(fieldReport)
}

// compact takes the spaces out of an account number.
func compact(number string) string { return strings.ToUpper(strings.Join(strings.Fields(number), "")) }

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func ptrTo[T any](v T) *T { return &v }

// dates are the next dates of the standing order in the form.
func (f *payForm) dates(now time.Time) pages.PayDates {
	first, _ := finance.ParseDay(f.get(fieldFirst)) // what is wrong with them is said when the form is sent
	last, _ := finance.ParseDay(f.get(fieldLast))
	o := finance.StandingOrder{First: first, Last: last,
		Frequency: openbanking.FrequencyCode(f.get(fieldFrequency)), Rule: openbanking.ExecutionRule(f.get(fieldRule))}
	if _, err := o.First.Time(); err != nil || !openbanking.Known(o.Frequency) {
		return pages.PayDates{}
	}
	return datesOf(o, now)
}

func datesOf(o finance.StandingOrder, now time.Time) pages.PayDates {
	if o.Last != "" && o.Last < o.First {
		return pages.PayDates{Sentence: "The last day is before the first one.", Note: "Choose a later last day, or leave it out."}
	}
	d := pages.PayDates{Sentence: o.Sentence(), Note: finance.HolidaysNote}
	for _, e := range o.Next(finance.PaymentDay(now), 3) {
		d.Dates = append(d.Dates, executionWords(e))
	}
	return d
}

func executionWords(e finance.Execution) string {
	day, err := e.Date.Time()
	if err != nil {
		return string(e.Date)
	}
	words := day.Format("Monday, 2 January 2006")
	if asked, err := e.Asked.Time(); err == nil && e.Asked != e.Date {
		words += ", instead of " + asked.Format("Monday, 2 January")
	}
	return words
}

// view shows the form for a payment type with what is filled in.
func (f *payForm) view(p Payer, kinds []openbanking.ResponsePaymentType, kind openbanking.ResponsePaymentType, bank linking.Bank, user finance.User, now time.Time) pages.PayView {
	v := pages.PayView{Draft: f.get(fieldDraft) != "", AtBank: !debtor(kind, p.Account)}
	for _, name := range []string{fieldForm, fieldDraft, fieldRetry} {
		if f.get(name) != "" {
			v.Hidden = append(v.Hidden, pages.Hidden{Name: name, Value: f.get(name)})
		}
	}
	v.Hidden = append(v.Hidden, pages.Hidden{Name: fieldType, Value: string(kind.PaymentType)})
	for _, k := range kinds {
		w := kindWordsOf(k.PaymentType)
		v.Types = append(v.Types, pages.PayType{Value: string(k.PaymentType), Title: w.title, Note: w.note, Current: k.PaymentType == kind.PaymentType, Focus: f.chose && k.PaymentType == kind.PaymentType})
	}
	f.viewPayee(&v, kind)
	f.viewAmount(&v, kind, p.Account)
	f.viewTexts(&v, kind)
	f.viewWhen(&v, kind, now)
	f.viewMore(&v, kind, bank, p.Connection.PSUType, user)
	for _, name := range f.carried(&v) {
		v.Hidden = append(v.Hidden, pages.Hidden{Name: name, Value: f.get(name)})
	}
	v.Focus(f.ask)
	for _, name := range slices.Sorted(maps.Keys(f.problems)) {
		if name != "" && !v.Shows(name) {
			v.Faults = append(v.Faults, pages.PayFault{Text: f.problems[name]})
		}
	}
	return v
}

// carried are the fields that are filled in and that this kind of payment does not ask for. They are kept for another kind: nothing that was typed is lost.
func (f *payForm) carried(v *pages.PayView) []string {
	all := []string{fieldScheme, fieldBIC, fieldMember, fieldStreet, fieldPostCode, fieldTown, fieldNation, fieldCurrency, fieldReference, fieldCharges, fieldPriority, fieldReport, fieldEmail, fieldPhone, fieldMethod}
	if len(v.When) == 0 {
		all = append(all, fieldWhen, fieldDate, fieldFirst, fieldLast, fieldFrequency, fieldRule)
	}
	for i := range 10 {
		all = append(all, fieldText+strconv.Itoa(i))
	}
	return slices.DeleteFunc(all, func(name string) bool {
		return f.get(name) == "" || name == fieldWhen && f.get(name) == whenNow || v.Shows(name) || slices.ContainsFunc(v.Hidden, func(h pages.Hidden) bool { return h.Name == name })
	})
}

// input is one field as it is filled in.
func (f *payForm) input(name, label, hint string) pages.PayField {
	hint = strings.TrimSpace(f.hints[name] + " " + hint)
	return pages.PayField{Input: ui.Input{Name: name, Label: label, Type: "text", Value: f.values.Get(name), Hint: hint, Problem: f.problems[name], Autocomplete: "off"}}
}

func unlessRequired(label string, required *bool) string {
	if yes(required) {
		return label
	}
	return label + " (may be left out)"
}

func (f *payForm) viewPayee(v *pages.PayView, kind openbanking.ResponsePaymentType) {
	v.To = append(v.To, f.input(fieldName, unlessRequired("Name", kind.CreditorNameRequired), "Exactly as on the invoice: the bank may compare it with the account."))
	schemes, chosen := schemesOf(kind), f.scheme(kind)
	if len(schemes) > 1 {
		choice := f.input(fieldScheme, "Kind of account number", "")
		for _, s := range schemes {
			choice.Options = append(choice.Options, ui.Option{Value: string(s), Text: schemeWords(s), Selected: s == chosen})
		}
		v.To = append(v.To, choice)
	} else {
		v.Hidden = append(v.Hidden, pages.Hidden{Name: fieldScheme, Value: string(chosen)})
	}
	number := f.input(fieldNumber, schemeWords(chosen), "")
	if len(schemes) > 1 {
		number.Label = "Account number"
	}
	if chosen == openbanking.SchemeNameIBAN {
		number.Hint = "Spaces and small letters do no harm."
	}
	v.To = append(v.To, number)
	if yes(kind.CreditorAgentBICFIRequired) {
		v.To = append(v.To, f.input(fieldBIC, "BIC of the payee’s bank", "8 or 11 letters and digits, beside the account number on the invoice."))
	}
	if yes(kind.CreditorAgentClearingSystemMemberIDRequired) {
		v.To = append(v.To, f.input(fieldMember, "Number of the payee’s bank", "Such as a sort code, a routing number or a BSB."))
	}
	if yes(kind.CreditorPostalAddressRequired) {
		v.To = append(v.To, f.input(fieldStreet, "Street and number", ""), f.input(fieldPostCode, "Post code", ""), f.input(fieldTown, "Town", ""))
	}
	if yes(kind.CreditorCountryRequired) || yes(kind.CreditorPostalAddressRequired) {
		country := f.input(fieldNation, unlessRequired("Country of the payee", kind.CreditorCountryRequired), "")
		country.Options = []ui.Option{{Text: "Choose"}}
		for _, code := range countries.World() {
			country.Options = append(country.Options, ui.Option{Value: code, Text: countries.Name(code), Selected: code == f.get(fieldNation)})
		}
		slices.SortStableFunc(country.Options[1:], func(a, b ui.Option) int { return strings.Compare(a.Text, b.Text) })
		v.To = append(v.To, country)
	}
}

func schemeWords(s openbanking.SchemeName) string {
	switch s {
	case openbanking.SchemeNameIBAN:
		return "IBAN"
	case openbanking.SchemeNameBBAN:
		return "National account number"
	case openbanking.SchemeNameBGNR:
		return "Bankgiro number"
	case openbanking.SchemeNamePGNR:
		return "Plusgiro number"
	case openbanking.SchemeNameBANK:
		return "Number at the bank"
	case openbanking.SchemeNameCPAN:
		return "Card number"
	}
	return "Account number (" + string(s) + ")"
}

func (f *payForm) viewAmount(v *pages.PayView, kind openbanking.ResponsePaymentType, account finance.Account) {
	chosen := f.currency(kind, account)
	v.Amount = f.input(fieldAmount, "Amount", "")
	v.Amount.Mode = "decimal"
	v.Currency = f.input(fieldCurrency, "Currency", "")
	v.Currency.Value = chosen
	for _, c := range currenciesOf(kind, account) {
		v.Currency.Options = append(v.Currency.Options, ui.Option{Value: c, Text: c, Selected: c == chosen})
	}
	if exponent, known := money.Exponent(chosen); known && exponent == 0 {
		v.Amount.Hint = strings.TrimSpace(v.Amount.Hint + " " + chosen + " has no decimals.")
	}
	if meant := f.get(fieldCurrency); meant != "" && meant != chosen {
		v.Amount.Hint = strings.TrimSpace(v.Amount.Hint + " It was in " + finance.Clean(meant) + "; this kind of payment goes out in " + chosen + ". Type the amount in " + chosen + ".")
	}
}

func (f *payForm) viewTexts(v *pages.PayView, kind openbanking.ResponsePaymentType) {
	either := yes(kind.ReferenceNumberSupported) && !yes(kind.RemittanceReferenceSupported)
	lines := kind.RemittanceInformationLines
	for i := range textLines(kind) {
		field := f.input(fieldText+strconv.Itoa(i), unlessRequired("Text for the payee", kind.RemittanceInformationRequired), "")
		if len(lines) > 1 {
			field.Label = "Text for the payee, line " + strconv.Itoa(i+1)
		}
		var hints []string
		if i < len(lines) && lines[i].MaxLength != nil {
			hints = append(hints, "At most "+show.Plural(*lines[i].MaxLength, "character")+".")
		}
		if either && i == 0 {
			hints = append(hints, "This bank takes a text or a reference, not both.")
		}
		field.Hint = strings.TrimSpace(field.Hint + " " + strings.Join(hints, " "))
		v.Text = append(v.Text, field)
	}
	if yes(kind.ReferenceNumberSupported) {
		var names []string
		for _, s := range kind.ReferenceNumberSchemas {
			names = append(names, reference.Name(s))
		}
		hint := "The reference on the invoice that the payee’s machine reads."
		if len(names) > 0 {
			hint = show.UpperFirst(strings.Join(names, " or ")) + ", when the invoice has one."
		}
		v.Text = append(v.Text, f.input(fieldReference, "Reference (may be left out)", hint))
	}
}

func (f *payForm) viewWhen(v *pages.PayView, kind openbanking.ResponsePaymentType, now time.Time) {
	if !dated(kind) {
		return
	}
	chosen := f.when(kind)
	v.When = []pages.PayWhen{{Value: whenNow, Title: "As soon as possible", Note: "The bank begins when you have approved."},
		{Value: whenDate, Title: "On a day", Note: "The bank keeps the order until then."}, {Value: whenRepeat, Title: "Again and again", Note: "A standing order."}}
	for i := range v.When {
		v.When[i].Checked = v.When[i].Value == chosen
	}
	limits := func(field *pages.PayField) {
		field.Type, field.Min = "date", string(finance.PaymentDay(now))
		if most := kind.RequestedExecutionDateMaxPeriod; most != nil {
			field.Max = string(finance.PaymentDay(now.AddDate(0, 0, *most)))
		}
		asTyped(field)
	}
	v.Date = f.input(fieldDate, "Day", "The bank may move it to its next working day.")
	limits(&v.Date)
	if v.Date.Max != "" {
		v.Date.Hint = "Until " + dayWords(openbanking.Date(v.Date.Max)) + " at this bank. It may move the day to its next working day."
	}
	if day, err := finance.ParseDay(f.get(fieldDate)); err == nil && weekend(day) {
		v.Date.Hint = movedNote(day)
	}
	v.First = f.input(fieldFirst, "First day", "")
	limits(&v.First)
	v.Last = f.input(fieldLast, "Last day (may be left out)", "Left out: until you stop it at your bank.")
	v.Last.Type, v.Last.Min = "date", v.First.Min
	asTyped(&v.Last)
	v.Frequency = f.input(fieldFrequency, "How often", "")
	for _, q := range []struct{ code, words string }{{"", "Choose"}, {"WEEK", "Every week"}, {"TOWK", "Every two weeks"}, {"MNTH", "Every month"}, {"TOMN", "Every two months"},
		{"QUTR", "Every three months"}, {"SEMI", "Every six months"}, {"YEAR", "Every year"}, {"DAIL", "Every day"}} {
		v.Frequency.Options = append(v.Frequency.Options, ui.Option{Value: q.code, Text: q.words, Selected: q.code == f.get(fieldFrequency)})
	}
	v.Rule = f.input(fieldRule, "When the bank is closed that day", "Changing or stopping a standing order happens at your bank.")
	for _, q := range []struct{ code, words string }{{"FWNG", "On the next working day"}, {"PREC", "On the working day before"}, {"bank", "Leave it to the bank"}} {
		v.Rule.Options = append(v.Rule.Options, ui.Option{Value: q.code, Text: q.words, Selected: q.code == f.get(fieldRule)})
	}
	v.Dates = f.dates(now)
}

// asTyped makes a field of a day one of text when it holds what a field of a day cannot show.
func asTyped(field *pages.PayField) {
	if _, err := openbanking.Date(field.Value).Time(); err != nil && field.Value != "" {
		field.Type = "text"
	}
}

func weekend(d openbanking.Date) bool {
	t, err := d.Time()
	return err == nil && (t.Weekday() == time.Saturday || t.Weekday() == time.Sunday)
}

func dayWords(d openbanking.Date) string {
	t, err := d.Time()
	if err != nil {
		return string(d)
	}
	return t.Format("2 January 2006")
}

func (f *payForm) viewMore(v *pages.PayView, kind openbanking.ResponsePaymentType, bank linking.Bank, psu openbanking.PSUType, user finance.User) {
	options := func(field pages.PayField, list []ui.Option) {
		for i := range list {
			list[i].Selected = list[i].Value == f.get(field.Name)
		}
		field.Options = list
		v.More = append(v.More, field)
	}
	fixed := func(field pages.PayField, words string) {
		field.Fixed, field.Value = words, ""
		v.More = append(v.More, field)
	}
	if len(kind.ChargeBearerValues) == 1 {
		fixed(f.input(fieldCharges, "Charges", "This bank offers nothing else for this kind of payment."), chargeWords(kind.ChargeBearerValues[0]))
	} else if len(kind.ChargeBearerValues) > 0 {
		var list []ui.Option
		for _, c := range kind.ChargeBearerValues {
			list = append(list, ui.Option{Value: string(c), Text: chargeWords(c)})
		}
		options(f.input(fieldCharges, "Charges", "What the banks take for the payment."), list)
	}
	if len(kind.PriorityCodes) == 1 {
		fixed(f.input(fieldPriority, "Priority", "This bank offers nothing else for this kind of payment."), priorityWords(kind.PriorityCodes[0]))
	} else if len(kind.PriorityCodes) > 0 {
		var list []ui.Option
		for _, c := range kind.PriorityCodes {
			list = append(list, ui.Option{Value: string(c), Text: priorityWords(c)})
		}
		options(f.input(fieldPriority, "Priority", "A faster way may cost more."), list)
	}
	if code := f.report(kind); len(kind.RegulatoryReportingCodes) == 1 && yes(kind.RegulatoryReportingCodeRequired) {
		fixed(f.input(fieldReport, "What it is for", "Authorities want to know this of payments abroad. This bank takes this one alone."), kind.RegulatoryReportingCodes[0].Description+" ("+code+")")
	} else if len(kind.RegulatoryReportingCodes) > 0 {
		list := []ui.Option{{Text: "Choose"}}
		for _, c := range kind.RegulatoryReportingCodes {
			list = append(list, ui.Option{Value: c.Value, Text: c.Description + " (" + c.Value + ")"})
		}
		options(f.input(fieldReport, unlessRequired("What it is for", kind.RegulatoryReportingCodeRequired), "Authorities want to know this of payments abroad."), list)
	}
	if yes(kind.DebtorContactEmailRequired) {
		field := f.input(fieldEmail, "Your e-mail address", "The bank asks for it.")
		field.Type = "email"
		if f.problems == nil && field.Value == "" {
			field.Value = user.Email
		}
		v.More = append(v.More, field)
	}
	if yes(kind.DebtorContactPhoneRequired) {
		v.More = append(v.More, f.input(fieldPhone, "Your phone number", "With the code of the country, such as +358 40 123 4567. The bank asks for it."))
	}
	var methods []ui.Option
	for _, m := range bank.AuthMethods {
		name := show.Text(m.Name)
		if m.PSUType != psu || m.HiddenMethod || name == "" || len(kind.AllowedAuthMethods) > 0 && !slices.Contains(kind.AllowedAuthMethods, name) {
			continue
		}
		methods = append(methods, ui.Option{Value: name, Text: finance.Clean(cmp.Or(show.Text(m.Title), name))})
	}
	if len(methods) > 1 {
		options(f.input(fieldMethod, "How you approve", ""), append([]ui.Option{{Text: "Choose at the bank"}}, methods...))
	}
}

func chargeWords(c openbanking.ChargeBearerCode) string {
	switch c {
	case openbanking.ChargeBearerCodeSHAR:
		return "Shared: each side pays its own bank"
	case openbanking.ChargeBearerCodeDEBT:
		return "You bear all of them"
	case openbanking.ChargeBearerCodeCRED:
		return "The payee bears all of them"
	case openbanking.ChargeBearerCodeSLEV:
		return "By the rules of the payment scheme: each side pays its own bank"
	}
	return string(c)
}

func priorityWords(c openbanking.PriorityCode) string {
	switch c {
	case openbanking.PriorityCodeNORM:
		return "Normal"
	case openbanking.PriorityCodeHIGH:
		return "High"
	case openbanking.PriorityCodeEXPR:
		return "Express"
	}
	return string(c)
}

// payeeHint explains the account number: what it is, whose, and what was paid there before. What is wrong with it is said too.
func (a *Area) payeeHint(v *shell.Visit, p Payer, f payForm, kind openbanking.ResponsePaymentType) (pages.PayHint, error) {
	number, scheme := f.get(fieldNumber), f.scheme(kind)
	if number == "" || f.problems[fieldNumber] != "" {
		return pages.PayHint{}, nil
	}
	account := finance.PayeeAccount{Scheme: scheme, Number: compact(number)}
	var lines []string
	if scheme == openbanking.SchemeNameIBAN {
		parsed, err := iban.Parse(number)
		if err != nil {
			return pages.PayHint{Tone: ui.Warning, Lines: []string{err.Error()}}, nil //nolint:nilerr // it is what the hint says
		}
		account.Number = parsed.String()
		if (kind.PaymentType == openbanking.PaymentTypeSEPA || kind.PaymentType == openbanking.PaymentTypeInstSEPA) && !parsed.SEPA() {
			return pages.PayHint{Tone: ui.Warning, Lines: []string{"An account in " + countries.Within(parsed.Country()) + ", which is not part of SEPA: this kind of payment cannot go there."}}, nil
		}
		lines = append(lines, parsed.Groups(), "An account in "+countries.Within(parsed.Country())+". Length and check digits are right.")
	}
	known, tone, err := a.knownAccount(v, p, account, f.typed(fieldName))
	if err != nil {
		return pages.PayHint{}, err
	}
	return pages.PayHint{Tone: tone, Lines: append(lines, known...)}, nil
}

// knownAccount says what the user has to do with an account: it is the user's own, was paid before, or is new, and first of all when it is another than that of the
// name until now, or has another name. The rule is that of the warnings in the review.
func (a *Area) knownAccount(v *shell.Visit, p Payer, account finance.PayeeAccount, name string) (lines []string, tone ui.Tone, err error) {
	accounts, err := a.Store.Accounts(v.Ctx(), v.User.ID)
	if err != nil {
		return nil, ui.Plain, err
	}
	for _, mine := range accounts {
		if finance.AccountNumber(mine) == account {
			if mine.ID == p.Account.ID {
				return []string{"This is the account that you pay from."}, ui.Good, nil
			}
			return []string{"Your own account " + mine.Title() + ": a transfer between your accounts."}, ui.Good, nil
		}
	}
	past, payees, err := a.Store.KnownBefore(v.Ctx(), v.User.ID, account, name)
	if err != nil {
		return nil, ui.Plain, err
	}
	history, err := a.Store.History(v.Ctx(), v.User.ID, account)
	if err != nil {
		return nil, ui.Plain, err
	}
	tone = ui.Good
	if w := finance.PayeeWarning(name, account, past, payees); w != nil {
		switch w.Code {
		case finance.WarnChanged:
			lines, tone = append(lines, name+" has had another account until now. "+changedAccount(*w)), ui.Bad
		case finance.WarnOtherName:
			title, text := otherName(*w)
			lines, tone = append(lines, title+". "+text), ui.Warning
		case finance.WarnNewPayee:
			tone = ui.Info
		}
	}
	saved := slices.ContainsFunc(payees, func(e finance.Payee) bool { return e.Account == account })
	switch {
	case history.Times > 0:
		text := "Paid " + times(history.Times)
		if len(history.Names) > 0 {
			text += " as " + history.Names[0]
		}
		if history.Times > 1 {
			text += ", last"
		}
		lines = append(lines, text+" "+a.At(v.Ctx(), time.Now()).When(history.LastPaid)+".")
	case saved:
		lines = append(lines, "Saved, and not paid before.")
	default:
		lines = append(lines, "New payee: first payment from Florin.")
	}
	return lines, tone, nil
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return show.Count(int64(n)) + " times"
}
