package paymentform

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"florin/internal/finance"
	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/paymentfile"
	"florin/internal/paymentrules"
	"florin/internal/reference"
)

// Fault is what is wrong with one field.
type Fault struct {
	Field   Field // "": the payment as a whole
	Problem Problem
}

// Problem is a fact about an entry: one of the types below.
type Problem interface{ problem() }

type fact struct{}

func (fact) problem() {}

// Problems.
type (
	Nothing struct{ fact } // is typed or chosen where something has to be

	WrongNumber struct { // an IBAN or BIC
		fact

		Err *iban.Problem
	}
	WrongAmount struct {
		fact

		Err error // of finance.ParseAmount
	}
	WrongDay struct {
		fact

		Err error // of finance.ParseDay
	}
	OtherCurrency struct { // the amount was asked for in another currency than it is paid in
		fact

		Was, Is string
	}
	RefusedCharacters struct { // the bank takes the text without them
		fact

		Characters []rune
	}
	NotSwiss          struct{ fact } // francs go to accounts in Switzerland and Liechtenstein
	OnlyFrancs        struct{ fact } // a QR-IBAN, paid in euros
	WrongQRNumber     struct{ fact } // a QR-IBAN without a Swiss QR reference, or such a reference without a QR-IBAN
	MistypedReference struct{ fact } // for a code: by its form it has check digits, and they do not fit
	TooMuch           struct {       // for a code
		fact

		Most money.Amount
	}
	LongInCode struct { // in the letters of a code, where some of the alphabet become two or three
		fact

		Length, Most int
	}
	TooLongTogether struct { // the text with the reference, which a code holds as one
		fact

		Most int
	}
	Broken struct { // a rule of all payments, or of the bank
		fact

		Name paymentrules.FieldName
		Rule paymentrules.Rule
	}
)

// check collects the faults of a form.
type check struct {
	Form
	faults []Fault
}

// fault records what is wrong with a field, unless a fault of it is known: the first one explains it best.
func (c *check) fault(field Field, problem Problem) {
	if !slices.ContainsFunc(c.faults, func(f Fault) bool { return f.Field == field }) {
		c.faults = append(c.faults, Fault{field, problem})
	}
}

// Check returns the order of the form, and its faults in the order of the fields. The order must not be used when there is a fault.
func (f Form) Check() (finance.PaymentOrder, []Fault) {
	c := &check{Form: f}
	k := f.Kind
	o := finance.PaymentOrder{
		ProviderID: f.Connection.ProviderID, ASPSP: f.Connection.ASPSP, PSUType: f.Connection.PSUType, Type: k.PaymentType,
		Successful: k.FinalSuccessfulStatuses,
		AuthMethod: f.Entries.Get(Method),
	}
	if len(k.AllowedAuthMethods) == 1 {
		o.AuthMethod = k.AllowedAuthMethods[0]
	}
	if !f.AtBank() {
		o.AccountID = f.Account.ID
		if number := finance.AccountNumber(f.Account); number.Number != "" {
			o.Request.DebtorAccount = new(number.Wire())
		}
	}
	t := openbanking.CreditTransferTransaction{Beneficiary: c.beneficiary()}
	t.InstructedAmount = openbanking.AmountType{Currency: f.Currency(), Amount: c.amount()}
	c.texts(&t)
	c.dates(&t)
	c.charges(&o.Request, &t)
	o.Request.CreditTransferTransaction = []openbanking.CreditTransferTransaction{t}
	if number := value(t.ReferenceNumber); number != "" {
		if scheme, named := reference.Named(number); named && k.PaymentType == finance.ByOwnApp {
			if reference.Check(scheme, number) != nil { // it would be a text in the code, which nobody would notice
				c.fault(Reference, MistypedReference{})
			}
		} else if rule := paymentrules.CheckReference(k.ReferenceNumberSchemas, number); rule != nil {
			c.fault(Reference, Broken{Name: paymentrules.FieldReference, Rule: rule})
		}
	}
	if k.PaymentType == finance.ByOwnApp {
		k.PaymentType = openbanking.PaymentTypeSEPA
		if f.Bill() {
			k.PaymentType, k.CreditorPostalAddressRequired = openbanking.PaymentTypeDomestic, nil // a bill needs no street
			c.address(t.Beneficiary.Creditor)
		}
	}
	for _, broken := range paymentrules.Check(k, o.Request, f.FirstDay(), "") {
		c.fault(c.fieldOf(broken.Field), Broken{Name: broken.Field.Name, Rule: broken.Rule})
	}
	if f.Kind.PaymentType == finance.ByOwnApp {
		c.code(t)
	}
	order := append(f.Fields(), "")
	slices.SortStableFunc(c.faults, func(a, b Fault) int { return slices.Index(order, a.Field) - slices.Index(order, b.Field) })
	return o, c.faults
}

// address notes what a Swiss QR-bill asks of the payee's name and address.
func (c *check) address(creditor *openbanking.PartyIdentification) {
	var party openbanking.PartyIdentification
	var a openbanking.PostalAddress
	if creditor != nil {
		party = *creditor
	}
	if party.PostalAddress != nil {
		a = *party.PostalAddress
	}
	for _, part := range []struct {
		field  Field
		name   paymentrules.FieldName
		text   *string
		most   int
		needed bool
	}{
		{Name, paymentrules.FieldCreditorName, party.Name, paymentfile.MaxName, false}, // the rules of all payments say that it is missing
		{Street, paymentrules.FieldCreditorStreet, a.StreetName, paymentfile.MaxStreet, false},
		{PostCode, paymentrules.FieldCreditorPostCode, a.PostCode, paymentfile.MaxPostCode, true},
		{Town, paymentrules.FieldCreditorTown, a.TownName, paymentfile.MaxTown, true},
		{Country, paymentrules.FieldCreditorCountry, a.Country, 2, true},
	} {
		switch n := utf8.RuneCountInString(value(part.text)); {
		case n == 0 && part.needed:
			c.fault(part.field, Broken{Name: part.name, Rule: paymentrules.Missing{}})
		case n > part.most && part.field != Country:
			c.fault(part.field, Broken{Name: part.name, Rule: paymentrules.TooLong{Length: n, Most: part.most}})
		}
	}
}

// code notes what keeps a transfer from being a payment code.
func (c *check) code(t openbanking.CreditTransferTransaction) {
	v, err := paymentfile.InvoiceOf(t)
	switch {
	case len(c.faults) > 0: // said already
	case errors.Is(err, paymentfile.ErrNotSwiss):
		c.fault(Number, NotSwiss{})
	case errors.Is(err, paymentfile.ErrQRIBAN):
		c.fault(Number, OnlyFrancs{})
	case errors.Is(err, paymentfile.ErrQRReference):
		c.fault(Reference, WrongQRNumber{})
	case errors.Is(err, paymentfile.ErrAmount):
		c.fault(Amount, TooMuch{Most: paymentfile.MostOfACode(c.Currency())})
	case errors.Is(err, paymentfile.ErrNoName):
		c.fault(Name, Broken{Name: paymentrules.FieldCreditorName, Rule: paymentrules.Missing{}})
	case errors.Is(err, paymentfile.ErrTooLong) && c.Entries.Get(Reference) != "" && utf8.RuneCountInString(v.Text) > paymentrules.MaxText:
		c.fault(Text(0), TooLongTogether{Most: paymentrules.MaxText})
	case errors.Is(err, paymentfile.ErrTooLong):
		for _, part := range []struct {
			field Field
			text  string
			most  int
		}{{Name, v.Name, paymentfile.MaxName}, {Text(0), v.Text, paymentrules.MaxText}, {Street, v.Address.Street, paymentfile.MaxStreet},
			{PostCode, v.Address.PostCode, paymentfile.MaxPostCode}, {Town, v.Address.Town, paymentfile.MaxTown}} {
			if n := utf8.RuneCountInString(part.text); n > part.most {
				c.fault(part.field, LongInCode{Length: n, Most: part.most})
			}
		}
	}
}

// fields are those of the form for fields of the API.
var fields = map[paymentrules.FieldName]Field{
	paymentrules.FieldAmount:            Amount,
	paymentrules.FieldCurrency:          Currency,
	paymentrules.FieldCreditorScheme:    Scheme,
	paymentrules.FieldCreditorNumber:    Number,
	paymentrules.FieldCreditorName:      Name,
	paymentrules.FieldCreditorStreet:    Street,
	paymentrules.FieldCreditorPostCode:  PostCode,
	paymentrules.FieldCreditorTown:      Town,
	paymentrules.FieldCreditorCountry:   Country,
	paymentrules.FieldCreditorAddress:   Street,
	paymentrules.FieldCreditorBIC:       BIC,
	paymentrules.FieldCreditorMember:    Member,
	paymentrules.FieldCreditorMemberID:  Member,
	paymentrules.FieldExecutionDate:     Date,
	paymentrules.FieldEndDate:           Last,
	paymentrules.FieldExecutionRule:     Rule,
	paymentrules.FieldFrequency:         Frequency,
	paymentrules.FieldReference:         Reference,
	paymentrules.FieldRemittance:        Text(0),
	paymentrules.FieldReports:           Report,
	paymentrules.FieldReportCode:        Report,
	paymentrules.FieldReportInformation: Report,
	paymentrules.FieldDebtorEmail:       Email,
	paymentrules.FieldDebtorPhone:       Phone,
	paymentrules.FieldChargeBearer:      Charges,
	paymentrules.FieldPriority:          Priority,
}

// fieldOf is the field of the form for a field of the API, where the form has it; "" else.
func (c *check) fieldOf(name paymentrules.Field) Field {
	field := fields[name.Name]
	switch {
	case name.Name == paymentrules.FieldRemittanceLine:
		field = Text(name.Index[1])
	case field == Date && c.When() == Repeat:
		field = First
	}
	if !slices.Contains(c.Fields(), field) {
		return ""
	}
	return field
}

func (c *check) beneficiary() openbanking.Beneficiary {
	k, e := c.Kind, c.Entries
	b := openbanking.Beneficiary{CreditorAccount: c.Payee().Wire()}
	if problem := c.numberProblem(); problem != nil {
		c.fault(Number, problem)
	}
	var agent openbanking.FinancialInstitutionIdentification
	if typed := e.Get(BIC); typed != "" {
		var problem *iban.Problem
		needless := euro(k) || k.PaymentType == openbanking.PaymentTypeInternal // by their rules
		switch bic, err := iban.ParseBIC(typed); {
		case errors.As(err, &problem) && value(k.CreditorAgentBICFIRequired):
			c.fault(BIC, WrongNumber{Err: problem})
		case err == nil && (value(k.CreditorAgentBICFIRequired) || !needless):
			agent.BICFI = new(bic.String())
		}
	}
	if member := e.text(Member); member != nil && value(k.CreditorAgentClearingSystemMemberIDRequired) {
		agent.ClearingSystemMemberID = &openbanking.ClearingSystemMemberIdentification{MemberID: member}
	}
	if agent.BICFI != nil || agent.ClearingSystemMemberID != nil {
		b.CreditorAgent = &agent
	}
	creditor := openbanking.PartyIdentification{Name: e.text(Name)}
	var address openbanking.PostalAddress
	if value(k.CreditorPostalAddressRequired) {
		address.StreetName, address.PostCode, address.TownName = e.text(Street), e.text(PostCode), e.text(Town)
	}
	if value(k.CreditorPostalAddressRequired) || value(k.CreditorCountryRequired) {
		address.Country = e.text(Country)
	}
	if address.StreetName != nil || address.PostCode != nil || address.TownName != nil || address.Country != nil {
		creditor.PostalAddress = &address
	}
	if creditor.Name != nil || creditor.PostalAddress != nil {
		b.Creditor = &creditor
	}
	return b
}

func (c *check) amount() string {
	typed := c.Entries.Get(Amount)
	if typed == "" {
		c.fault(Amount, Nothing{})
		return ""
	}
	amount, err := finance.ParseAmount(typed, c.Currency())
	if err != nil {
		c.fault(Amount, WrongAmount{Err: err})
		return ""
	}
	return amount.String()
}

func (c *check) texts(t *openbanking.CreditTransferTransaction) {
	given := false
	var lines []string
	for i := range c.Lines() {
		line := value(c.Entries.text(Text(i)))
		given = given || line != ""
		lines = append(lines, line)
		if i < len(c.Kind.RemittanceInformationLines) {
			c.letters(Text(i), line, c.Kind.RemittanceInformationLines[i].Pattern)
		}
	}
	if given {
		t.RemittanceInformation = lines
	}
	if c.TakesReference() {
		t.ReferenceNumber = c.Entries.text(Reference)
	}
}

// letters notes which characters of a text the bank does not take, where its pattern is about characters alone.
func (c *check) letters(field Field, line string, pattern *string) {
	if pattern == nil || line == "" {
		return
	}
	takes, err := regexp.Compile(*pattern)
	if err != nil || takes.MatchString(line) {
		return
	}
	var plain strings.Builder
	var refused []rune
	for _, r := range line {
		if takes.MatchString(string(r)) || r == ' ' {
			plain.WriteRune(r)
		} else if !slices.Contains(refused, r) {
			refused = append(refused, r)
		}
	}
	if len(refused) > 0 && takes.MatchString(strings.TrimSpace(plain.String())) {
		c.fault(field, RefusedCharacters{Characters: refused})
	}
}

func (c *check) dates(t *openbanking.CreditTransferTransaction) {
	switch c.When() {
	case OnDate:
		t.RequestedExecutionDate = c.day(Date, true)
	case Repeat:
		t.RequestedExecutionDate, t.EndDate = c.day(First, true), c.day(Last, false)
		frequency := openbanking.FrequencyCode(c.Entries.Get(Frequency))
		if !openbanking.Known(frequency) {
			c.fault(Frequency, Nothing{})
		}
		t.Frequency = &frequency
		if rule := openbanking.ExecutionRule(c.Entries.Get(Rule)); openbanking.Known(rule) {
			t.ExecutionRule = &rule
		}
	}
}

// day reads a day, and notes what is wrong with it; nil: it cannot be read.
func (c *check) day(field Field, needed bool) *openbanking.Date {
	typed := c.Entries.Get(field)
	if typed == "" {
		if needed {
			c.fault(field, Nothing{})
		}
		return nil
	}
	day, err := finance.ParseDay(typed)
	if err != nil {
		c.fault(field, WrongDay{Err: err})
		return nil
	}
	return &day
}

// charges fills in charges, priority and reporting code. When the bank accepts a single value, that is used.
func (c *check) charges(r *openbanking.PaymentRequestResource, t *openbanking.CreditTransferTransaction) {
	k, e := c.Kind, c.Entries
	if value(k.DebtorCurrencyRequired) {
		r.DebtorCurrency = &c.Account.Currency
	}
	r.ChargeBearer = chosen(k.ChargeBearerValues, e.Get(Charges))
	if priority := chosen(k.PriorityCodes, e.Get(Priority)); priority != nil {
		r.PaymentTypeInformation = &openbanking.PaymentTypeInformation{InstructionPriority: priority}
	}
	code := c.onlyReport()
	if code == "" && (len(k.RegulatoryReportingCodes) > 0 || value(k.RegulatoryReportingCodeRequired)) {
		code = e.Get(Report)
	}
	if code != "" {
		information := code
		for _, known := range k.RegulatoryReportingCodes {
			if known.Value == code {
				information = known.Description
			}
		}
		t.RegulatoryReporting = []openbanking.RegulatoryReporting{{Details: openbanking.RegulatoryReportingDetails{Code: &code, Information: information}}}
	}
	var contact openbanking.ContactDetails
	if value(k.DebtorContactEmailRequired) {
		contact.EmailAddress = e.text(Email)
	}
	if phone := e.text(Phone); phone != nil && value(k.DebtorContactPhoneRequired) {
		contact.PhoneNumber = new(paymentrules.Phone(*phone))
	}
	if contact.EmailAddress != nil || contact.PhoneNumber != nil {
		r.Debtor = &openbanking.PartyIdentification{ContactDetails: &contact}
		if c.Account.Holder != "" {
			r.Debtor.Name = &c.Account.Holder
		}
	}
}

// chosen is the value that was chosen, or the only one there is; nil for none.
func chosen[S ~string](possible []S, entry string) *S {
	switch {
	case len(possible) == 1:
		return &possible[0]
	case len(possible) == 0 || entry == "":
		return nil
	}
	return new(S(entry))
}
