package paymentform_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/paymentfile"
	"florin/internal/paymentform"
	"florin/internal/paymentrules"
)

// evening is late enough that it is another day east of Greenwich.
var evening = time.Date(2026, 11, 20, 22, 30, 0, 0, time.UTC)

const (
	finn   = "FI2112345600000785" // pays
	german = "DE89370400440532013000"
	turk   = "TR330006100519786457841326"
)

type (
	kind    = openbanking.ResponsePaymentType
	entries = paymentform.Entries
)

func sepa() kind {
	return kind{PaymentType: openbanking.PaymentTypeSEPA, PSUType: "personal", CreditorNameRequired: new(true), RequestedExecutionDateSupported: new(true),
		RequestedExecutionDateMaxPeriod: new(30), ReferenceNumberSupported: new(true), ReferenceNumberSchemas: []openbanking.ReferenceNumberScheme{"FIRF"}}
}

func instant() kind {
	return kind{PaymentType: openbanking.PaymentTypeInstSEPA, PSUType: "personal"}
}

func abroad() kind {
	return kind{PaymentType: openbanking.PaymentTypeCrossborder, PSUType: "personal", Currencies: []string{"USD", "EUR"},
		CreditorAccountSchemas:     []openbanking.SchemeName{"BBAN", "IBAN"},
		CreditorAgentBICFIRequired: new(true), CreditorPostalAddressRequired: new(true), CreditorCountryRequired: new(true),
		DebtorContactPhoneRequired: new(true),
		ChargeBearerValues:         []openbanking.ChargeBearerCode{"SHAR", "DEBT"}, PriorityCodes: []openbanking.PriorityCode{"NORM"}}
}

func giro() kind {
	return kind{PaymentType: openbanking.PaymentTypeDomesticSEGiro, PSUType: "personal", Currencies: []string{"SEK"},
		DebtorAccountSchemas: []openbanking.SchemeName{"BBAN"}}
}

func facts(kinds ...kind) paymentform.Facts {
	p := paymentform.Payer{Account: finance.Account{ID: "mine", ConnectionID: "north", IBAN: finn, Currency: "EUR"},
		Connection: finance.Connection{ID: "north", ProviderID: "service", ASPSP: openbanking.ASPSP{Name: "Nordbank", Country: "FI"}, PSUType: "personal"},
		Balances:   []finance.Balance{{Type: openbanking.BalanceStatusITAV, Amount: money.FromMinor(10_000, "EUR")}}}
	return paymentform.Facts{Payer: p, Payers: []paymentform.Payer{p}, Kinds: kinds, Now: evening}
}

// filled is a form that is filled in well, changed by pairs of field and entry.
func filled(changes ...string) entries {
	e := entries{paymentform.Name: "ACME", paymentform.Number: german, paymentform.Amount: "12,30", paymentform.Text(0): "Rent"}
	for i := 0; i < len(changes); i += 2 {
		e.Set(paymentform.Field(changes[i]), changes[i+1])
	}
	return e
}

func form(t *testing.T, e entries, kinds ...kind) paymentform.Form {
	t.Helper()
	f, offered := paymentform.New(facts(kinds...), e)
	if !offered {
		t.Fatalf("%v is not offered", e)
	}
	return f
}

// short names a problem: its type, and what matters of it.
func short(p paymentform.Problem) string {
	switch p := p.(type) {
	case paymentform.WrongNumber:
		return string(p.Err.Kind)
	case paymentform.RefusedCharacters:
		return "refused " + string(p.Characters)
	case paymentform.Broken:
		return strings.TrimPrefix(fmt.Sprintf("%T", p.Rule), "paymentrules.")
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", p), "paymentform.")
}

// Each field that is filled in wrongly has one fault, in the order of the page.
func TestCheckFindsWhatIsWrong(t *testing.T) {
	letters := sepa()
	letters.RemittanceInformationLines = []openbanking.RemittanceInformationLineInfo{{MaxLength: new(20), Pattern: new(`^[A-Za-z0-9 ]*$`)}}
	for _, tt := range []struct {
		name    string
		kind    kind
		changes []string
		want    string
	}{
		{"nothing", sepa(), nil, ""},
		{"everything", sepa(), []string{"name", "", "number", "", "amount", "", "when", "repeat"},
			"name Missing, number empty, amount Nothing, frequency Nothing, first Nothing"},
		{"no day", sepa(), []string{"when", "date"}, "date Nothing"},
		{"an IBAN too short", sepa(), []string{"number", "DE8937"}, "number wrong length"},
		{"an IBAN outside SEPA", sepa(), []string{"number", turk}, "number OutsideSEPA"},
		{"an amount in words", sepa(), []string{"amount", "ten"}, "amount WrongAmount"},
		{"a reference beside the text", sepa(), []string{"reference", "1232"}, "text0 NotWithReference"},
		{"a reference mistyped", sepa(), []string{"reference", "1235", "text0", ""}, "reference WrongReference"},
		{"yesterday", sepa(), []string{"when", "date", "date", "2026-11-19"}, "date PastDate"},
		{"today, in the evening", sepa(), []string{"when", "date", "date", "2026-11-20"}, ""},
		{"too far", sepa(), []string{"when", "date", "date", "2026-12-21"}, "date FarDate"},
		{"no day of the calendar", sepa(), []string{"when", "date", "date", "2026-11-31"}, "date WrongDay"},
		{"a standing order that begins too late", sepa(), []string{"when", "repeat", "first", "2026-12-21", "frequency", "MNTH"}, "first FarDate"},
		{"a standing order that ends before", sepa(), []string{"when", "repeat", "first", "2026-12-01", "frequency", "MNTH", "last", "2026-11-30"},
			"last EndBeforeFirst"},
		{"letters that the bank refuses", letters, []string{"text0", "Öl für Öfen"}, "text0 refused Öü"},
		{"a text too long for the bank", letters, []string{"text0", strings.Repeat("x", 21)}, "text0 TooLongForBank"},
		{"a BIC that nobody asks for", sepa(), []string{"bic", "nonsense"}, ""},
		{"abroad without all that it takes", abroad(), []string{"scheme", "BBAN", "number", "1234"},
			"bic Missing, street Missing, payee_country Missing, payer_phone Missing"},
		{"a BIC mistyped", abroad(), []string{"bic", "DEUTDEF", "street", "A 1", "payee_country", "DE", "payer_phone", "+4930123456"}, "bic wrong length"},
		{"a choice that is none", abroad(), []string{"bic", "DEUTDEFF", "street", "A 1", "payee_country", "DE", "payer_phone", "+4930123456", "charges",
			"SLEV"}, "charges NotSupported"},
		{"a giro number", giro(), []string{"number", "5050-1056", "amount", "1"}, "number NumberCheckDigit"},
		{"no giro number", giro(), []string{"number", "", "amount", "1"}, "number Nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, faults := form(t, filled(tt.changes...), tt.kind).Check()
			var got []string
			for _, f := range faults {
				got = append(got, string(f.Field)+" "+short(f.Problem))
			}
			if all := strings.Join(got, ", "); all != tt.want {
				t.Errorf("%s, want %s", all, tt.want)
			}
		})
	}
}

// Everything that is filled in reaches the order, as machines write it; what this kind of payment does not ask for does not.
func TestCheckMakesTheOrder(t *testing.T) {
	e := filled("number", "de89 3704 0044 0532 0130 00", "when", "repeat", "first", "1.12.2026", "frequency", "MNTH", "rule", "PREC", "bic", "DEUTDEFF",
		"street", "A 1", "charges", "DEBT", "payer_phone", "+49 30 123456")
	o, faults := form(t, e, sepa()).Check()
	if len(faults) > 0 {
		t.Fatalf("%+v", faults)
	}
	tr := o.Request.CreditTransferTransaction[0]
	if tr.Beneficiary.CreditorAccount.Identification != german || tr.InstructedAmount.Amount != "12.30" || *tr.RequestedExecutionDate != "2026-12-01" ||
		*tr.ExecutionRule != "PREC" || tr.EndDate != nil {
		t.Errorf("%+v", tr)
	}
	if tr.Beneficiary.CreditorAgent != nil || tr.Beneficiary.Creditor.PostalAddress != nil || o.Request.ChargeBearer != nil || o.Request.Debtor != nil {
		t.Errorf("what was not asked for is sent: %+v", o.Request)
	}
	if o.AccountID != "mine" || o.Request.DebtorAccount.Identification != finn || o.ProviderID != "service" {
		t.Errorf("%+v", o)
	}

	e = filled("bic", "deut deff", "scheme", "IBAN", "currency", "EUR", "street", "A 1", "post_code", "1", "town", "B", "payee_country", "DE", "payer_phone",
		"0049 30 123456", "charges", "DEBT")
	o, faults = form(t, e, abroad()).Check()
	if len(faults) > 0 {
		t.Fatalf("%+v", faults)
	}
	tr = o.Request.CreditTransferTransaction[0]
	if *tr.Beneficiary.CreditorAgent.BICFI != "DEUTDEFF" || *tr.Beneficiary.Creditor.PostalAddress.TownName != "B" || *o.Request.ChargeBearer != "DEBT" ||
		*o.Request.Debtor.ContactDetails.PhoneNumber != "+4930123456" {
		t.Errorf("%+v", tr)
	}
	if p := o.Request.PaymentTypeInformation; p == nil || *p.InstructionPriority != "NORM" {
		t.Error("the only priority is not sent")
	}
	o, _ = form(t, filled("number", "5050-1055", "amount", "1"), giro()).Check()
	if o.AccountID != "" || o.Request.DebtorAccount != nil {
		t.Error("an account whose number the bank does not take is sent")
	}
}

// An order that is filled in again is the same order.
func TestOrdersComeBack(t *testing.T) {
	for _, e := range []entries{
		filled("reference", "1232", "text0", ""),
		filled("when", "date", "date", "2026-12-01"),
		filled("when", "repeat", "first", "2026-12-01", "last", "2027-12-01", "frequency", "QUTR", "rule", "FWNG"),
		filled("type", "CROSSBORDER", "bic", "DEUTDEFF", "scheme", "IBAN", "currency", "USD", "street", "A 1", "post_code", "1", "town", "B", "payee_country",
			"DE", "payer_phone", "+4930123456", "charges", "DEBT"),
	} {
		first, faults := form(t, e, sepa(), abroad()).Check()
		again := entries{}
		again.SetOrder(first)
		second, more := form(t, again, sepa(), abroad()).Check()
		if len(faults)+len(more) > 0 || first.ReviewHash() != second.ReviewHash() {
			t.Errorf("%v: %+v %+v, %+v became %+v", e, faults, more, first.Request, second.Request)
		}
	}
}

// The kind that is named is taken; without a name the first that fits the account and the currency; one that is not offered is said to be so.
func TestKindFitsWhatIsFilledIn(t *testing.T) {
	for _, tt := range []struct {
		changes []string
		want    openbanking.PaymentType
		offered bool
	}{
		{nil, "SEPA", true},
		{[]string{"type", "INST_SEPA"}, "INST_SEPA", true},
		{[]string{"scheme", "BBAN"}, "CROSSBORDER", true},
		{[]string{"currency", "USD"}, "CROSSBORDER", true},
		{[]string{"currency", "SEK"}, "SEPA", true}, // of which the bank says nothing
		{[]string{"type", "BULK_SEPA"}, "SEPA", false},
	} {
		f, offered := paymentform.New(facts(sepa(), instant(), abroad()), filled(tt.changes...))
		if f.Kind.PaymentType != tt.want || offered != tt.offered {
			t.Errorf("%v: %s, offered %v", tt.changes, f.Kind.PaymentType, offered)
		}
	}
	for currency, want := range map[string]openbanking.PaymentType{"EUR": "INST_SEPA", "USD": "CROSSBORDER"} { // a code that asks for an instant payment
		e := entries{}
		e.SetInvoice(paymentfile.Invoice{Instant: true, Currency: currency})
		if f, offered := paymentform.New(facts(sepa(), instant(), abroad()), e); f.Kind.PaymentType != want || !offered {
			t.Errorf("an instant payment in %s: %s, offered %v", currency, f.Kind.PaymentType, offered)
		}
	}
	kinds := paymentform.SingleKinds([]kind{abroad(), {PaymentType: "BULK_SEPA", PSUType: "personal"}, instant(), {PaymentType: "SEPA", PSUType: "business"},
		sepa()}, "personal")
	if len(kinds) != 3 || kinds[0].PaymentType != "SEPA" || kinds[2].PaymentType != "CROSSBORDER" {
		t.Errorf("%+v", kinds)
	}
}

// The form asks for what the bank needs, and for a choice only where there is one; what it does not ask for is kept.
func TestFieldsFollowTheKind(t *testing.T) {
	e := filled("bic", "DEUTDEFF", "charges", "DEBT", "text1", "more", "when", "now")
	for _, tt := range []struct {
		kind    kind
		fields  string
		carried string
	}{
		{sepa(), "name number amount text0 reference when date frequency first last rule", "bic charges text1"},
		{instant(), "name number amount text0", "bic charges text1"},
		{abroad(), "name scheme number bic street post_code town payee_country amount currency text0 charges payer_phone", "text1"},
	} {
		f := form(t, e, tt.kind)
		join := func(fields []paymentform.Field) string {
			var names []string
			for _, f := range fields {
				names = append(names, string(f))
			}
			return strings.Join(names, " ")
		}
		if got := join(f.Fields()); got != tt.fields {
			t.Errorf("%s asks for %s", tt.kind.PaymentType, got)
		}
		if got := join(f.Carried()); got != tt.carried {
			t.Errorf("%s carries %s", tt.kind.PaymentType, got)
		}
	}
}

// An account without a connection has the bank that the user named, and no service: what services list is not its user's own, other kept accounts are.
func TestKeptPayer(t *testing.T) {
	f := facts(sepa())
	balances := []finance.Balance{{Type: openbanking.BalanceStatusITAV, Amount: money.FromMinor(500, "EUR")}}
	p := paymentform.KeptPayer(finance.Account{ID: "kept", Institution: "Village Bank", IBAN: german, Currency: "EUR", Simulated: true}, balances)
	if p.Account.ID != "kept" || p.Connection.ASPSP.Name != "Village Bank" || p.Connection.PSUType != openbanking.PSUTypePersonal || !p.Connection.Simulated ||
		len(p.Balances) != 1 {
		t.Errorf("%+v", p)
	}
	f.Payer, f.Payers = p, append(f.Payers, p, paymentform.KeptPayer(finance.Account{ID: "purse"}, nil))
	var own []string
	for _, account := range f.Own() {
		own = append(own, account.ID)
	}
	if !slices.Equal(own, []string{"kept", "purse"}) {
		t.Errorf("its user's own are %v", own)
	}
}

// What is known of an account: whose it is, and the warning of the review. An account that another service lists as the user's own is nobody's own here.
func TestNotes(t *testing.T) {
	f := facts(sepa())
	forged := paymentform.Payer{Account: finance.Account{ID: "forged", ConnectionID: "evil", IBAN: german},
		Connection: finance.Connection{ID: "evil", ProviderID: "hostile"}}
	savings := paymentform.Payer{Account: finance.Account{ID: "savings", ConnectionID: "north", IBAN: "GB29NWBK60161331926819"}, Connection: f.Connection}
	f.Payers = append(f.Payers, forged, savings)
	account := func(number string) finance.PayeeAccount { return finance.PayeeAccount{Scheme: "IBAN", Number: number} }
	known := paymentform.Known{Payees: []finance.Payee{{Name: "ACME", Account: account("FR1420041010050500013M02606")}}}
	note := paymentform.NotePayee("ACME", account(german), f.Own(), known)
	if note.Own != nil || note.Warning == nil || note.Warning.Code != finance.WarnChanged {
		t.Errorf("the account of a hostile service: %+v", note)
	}
	if note := paymentform.NotePayee("Me", account("GB29NWBK60161331926819"), f.Own(), paymentform.Known{}); note.Own == nil || note.Own.ID != "savings" ||
		note.Warning != nil {
		t.Errorf("the user's own: %+v", note)
	}
	if note := paymentform.NotePayee("ACME", account("FR1420041010050500013M02606"), f.Own(), known); !note.Saved || note.Warning == nil ||
		note.Warning.Code != finance.WarnNewPayee {
		t.Errorf("saved, and never paid: %+v", note)
	}

	number := func(text string) paymentform.Problem {
		return form(t, filled("number", text), sepa()).NumberNote()
	}
	if p, ok := number(turk).(paymentform.Broken); !ok || p.Rule != (paymentrules.OutsideSEPA{Country: "TR", Type: "SEPA"}) {
		t.Errorf("%+v", p)
	}
	if p, ok := number("DE").(paymentform.WrongNumber); !ok || p.Err.Kind != iban.WrongLength || number("") != nil || number(german) != nil {
		t.Errorf("%+v", p)
	}
}

// More than the account has is noted, where both are of one currency and the account is chosen here.
func TestLacksFunds(t *testing.T) {
	for amount, lacks := range map[string]bool{"100.00": false, "100.01": true, "much": false, "": false} {
		if funds, got := form(t, filled("amount", amount), sepa()).LacksFunds(); got != lacks || lacks && funds.Balance.Amount != money.FromMinor(10_000, "EUR") {
			t.Errorf("%s: %v %+v", amount, got, funds)
		}
	}
	if _, lacks := form(t, filled("amount", "100.01", "currency", "USD", "scheme", "IBAN"), abroad()).LacksFunds(); lacks {
		t.Error("dollars are compared with euros")
	}
	if _, lacks := form(t, filled("amount", "100.01", "number", "5050-1055"), giro()).LacksFunds(); lacks {
		t.Error("the account is chosen at the bank")
	}
}

// A reference moves into the text where the bank takes none, and nowhere else.
func TestReferenceAsText(t *testing.T) {
	f := form(t, filled("text0", "", "reference", "RF18"), instant())
	if !f.ReferenceAsText() || f.Entries.Get(paymentform.Text(0)) != "RF18" || f.Entries.Get(paymentform.Reference) != "" {
		t.Errorf("%v", f.Entries)
	}
	if form(t, filled("reference", "RF18"), instant()).ReferenceAsText() || form(t, filled("text0", "", "reference", "RF18"), sepa()).ReferenceAsText() {
		t.Error("it moved")
	}
}

// The dates of a standing order can be told once its first day and its rhythm are filled in.
func TestStandingOrder(t *testing.T) {
	if _, ok := form(t, filled("first", "2026-12-01"), sepa()).StandingOrder(); ok {
		t.Error("without a rhythm")
	}
	o, ok := form(t, filled("first", "1.12.2026", "frequency", "MNTH"), sepa()).StandingOrder()
	if !ok || o.First != "2026-12-01" {
		t.Errorf("%+v", o)
	}
	if f := form(t, filled(), sepa()); f.FirstDay() != "2026-11-20" || f.LastDay() != "2026-12-20" {
		t.Errorf("from %s to %s", f.FirstDay(), f.LastDay())
	}
}

// A payment in francs in the app of the bank asks for what a Swiss QR-bill holds; from the same account one in euros does not, and from one in euros there are
// no francs. A saved payee brings the address, and takes that of another away.
func TestFrancs(t *testing.T) {
	inFrancs := facts()
	inFrancs.Account.Currency = "CHF"
	inFrancs.Kinds = []kind{paymentform.OwnAppKind("personal", inFrancs.Account)}
	swiss := func(changes ...string) entries {
		return filled(append([]string{"number", "CH9300762011623852957", "street", "Rue du Lac 12", "post_code", "2501", "town", "Biel", "payee_country", "CH"}, changes...)...)
	}
	for _, tt := range []struct {
		name    string
		changes []string
		want    string
	}{
		{"all", nil, ""},
		{"no street", []string{"street", ""}, ""},
		{"a reference and a text", []string{"reference", "RF18539007547034"}, ""},
		{"a QR reference", []string{"number", "CH4431999123000889012", "reference", "210000000003139471430009017"}, ""},
		{"no address", []string{"street", "", "post_code", "", "town", "", "payee_country", ""}, "post_code Missing, town Missing, payee_country Missing"},
		{"what is too long", []string{"name", strings.Repeat("n", 71), "street", strings.Repeat("s", 71), "post_code", strings.Repeat("1", 17), "town", strings.Repeat("t", 36)},
			"name TooLong, street TooLong, post_code TooLong, town TooLong"},
		{"a German account", []string{"number", german}, "number NotSwiss"},
		{"a QR-IBAN alone", []string{"number", "CH4431999123000889012"}, "reference WrongQRNumber"},
		{"a QR reference alone", []string{"reference", "210000000003139471430009017"}, "reference WrongQRNumber"},
		{"a mistyped reference", []string{"reference", "RF19539007547034", "text0", ""}, "reference MistypedReference"},
		{"a reference of the payee's own", []string{"reference", "KD-77"}, ""},
		{"too much", []string{"amount", "1000000000"}, "amount TooMuch"},
		{"Cyrillic letters that become three", []string{"name", strings.Repeat("щ", 30)}, "name LongInCode"},
		{"a text that is too long", []string{"text0", strings.Repeat("t", 141)}, "text0 TooLong"},
		{"euros without an address", []string{"currency", "EUR", "post_code", "", "number", german}, ""},
		{"euros to a QR-IBAN", []string{"currency", "EUR", "number", "CH4431999123000889012"}, "number OnlyFrancs"},
	} {
		f, _ := paymentform.New(inFrancs, swiss(tt.changes...))
		order, faults := f.Check()
		var got []string
		for _, fault := range faults {
			got = append(got, string(fault.Field)+" "+short(fault.Problem))
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, got, tt.want)
		}
		if tt.want == "" {
			again := entries{}
			again.SetOrder(order)
			second, _ := paymentform.New(inFrancs, again)
			if o, faults := second.Check(); len(faults) > 0 || o.ReviewHash() != order.ReviewHash() {
				t.Errorf("%s: %+v comes back as %+v, %+v", tt.name, order.Request, o.Request, faults)
			}
		}
	}
	inEuros := facts(paymentform.OwnAppKind("personal", facts().Account))
	if f, _ := paymentform.New(inEuros, swiss("currency", "CHF")); f.Bill() || f.Currency() != "EUR" {
		t.Error("francs are paid from an account in euros")
	}
	street, town := "Rue du Lac", "Biel"
	e := entries{}
	e.SetPayee(finance.Payee{Name: "A", Beneficiary: openbanking.Beneficiary{Creditor: &openbanking.PartyIdentification{
		PostalAddress: &openbanking.PostalAddress{StreetName: &street, BuildingNumber: new("12"), TownName: &town}}}})
	if e.Get(paymentform.Street) != "Rue du Lac 12" || e.Get(paymentform.Town) != "Biel" {
		t.Errorf("the payee fills in %v", e)
	}
	e.SetPayee(finance.Payee{Name: "B"})
	if e.Get(paymentform.Street)+e.Get(paymentform.Town) != "" {
		t.Errorf("another payee has the address of the first: %v", e)
	}
}
