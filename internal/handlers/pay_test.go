package handlers_test

import (
	"bytes"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/pdf/pdftest"
	"florin/internal/qrcode"
	"florin/internal/testkit"
)

var (
	sepa = openbanking.ResponsePaymentType{PaymentType: openbanking.PaymentTypeSEPA, PSUType: openbanking.PSUTypePersonal, Currencies: []string{"EUR"},
		CreditorNameRequired:    new(true),
		FinalSuccessfulStatuses: []openbanking.PaymentStatus{"ACSC"}, RequestedExecutionDateSupported: new(true), RequestedExecutionDateMaxPeriod: new(365),
		ReferenceNumberSupported: new(true), ReferenceNumberSchemas: []openbanking.ReferenceNumberScheme{openbanking.ReferenceNumberSchemeINTL}}
	instant = openbanking.ResponsePaymentType{PaymentType: openbanking.PaymentTypeInstSEPA, PSUType: openbanking.PSUTypePersonal,
		Currencies: []string{"EUR"}, CreditorNameRequired: new(true)}
	abroad = openbanking.ResponsePaymentType{PaymentType: openbanking.PaymentTypeCrossborder, PSUType: openbanking.PSUTypePersonal,
		Currencies: []string{"EUR", "USD"}, CreditorNameRequired: new(true),
		CreditorAccountSchemas: []openbanking.SchemeName{"IBAN", "BBAN"}, CreditorCountryRequired: new(true), CreditorPostalAddressRequired: new(true),
		CreditorAgentBICFIRequired: new(true),
		ChargeBearerValues:         []openbanking.ChargeBearerCode{openbanking.ChargeBearerCodeSHAR, openbanking.ChargeBearerCodeDEBT},
		PriorityCodes:              []openbanking.PriorityCode{openbanking.PriorityCodeNORM, openbanking.PriorityCodeHIGH},
		RegulatoryReportingCodes:   []openbanking.RegulatoryReportingCode{{Value: "GDS", Description: "Goods"}},
		RemittanceInformationLines: []openbanking.RemittanceInformationLineInfo{{MaxLength: new(35)}, {MaxLength: new(35)}},
		DebtorContactEmailRequired: new(true), DebtorContactPhoneRequired: new(true)}
	bulkSEPA = openbanking.ResponsePaymentType{PaymentType: openbanking.PaymentTypeBulkSEPA, PSUType: openbanking.PSUTypePersonal}
)

// paySite is a site on which mira has linked a bank that takes payments; account is hers in EUR.
func paySite(t *testing.T) (s *site, b *browser, mira finance.User, account string) {
	t.Helper()
	return paySiteOf(t, sepa, instant, abroad, bulkSEPA)
}

func paySiteOf(t *testing.T, kinds ...openbanking.ResponsePaymentType) (s *site, b *browser, mira finance.User, account string) {
	t.Helper()
	s = newSite(t)
	b, mira, account = s.payer(kinds...)
	return s, b, mira, account
}

// payer is mira in her browser, who has linked a bank that takes payments.
func (s *site) payer(kinds ...openbanking.ResponsePaymentType) (b *browser, mira finance.User, account string) {
	t := s.t
	t.Helper()
	s.service.banks[2].Payments = kinds
	mira = s.user("mira@example.org")
	b = s.signedIn("mira@example.org")
	b.link()
	accounts, err := s.store.Accounts(t.Context(), mira.ID)
	must(t, err)
	for _, a := range accounts {
		if a.Currency == "EUR" {
			account = a.ID
		}
	}
	return b, mira, account
}

// transfer is a form that is filled in well, changed by pairs of name and value.
func transfer(account string, changes ...string) url.Values {
	form := url.Values{"form": {finance.NewID()}, "account": {account}, "type": {"SEPA"}, "scheme": {"IBAN"}, "name": {"ACME GmbH"},
		"number": {"fr14 2004 1010 0505 0001 3M02 606"}, "amount": {"12,30"},
		"text0": {"Invoice 4711"}, "when": {"now"}}
	for i := 0; i < len(changes); i += 2 {
		form.Set(changes[i], changes[i+1])
	}
	return form
}

// draft sends a form that is good, and returns the path of the payment.
func (b *browser) draft(form url.Values) string {
	b.site.t.Helper()
	to := b.post("/pay", form).status(http.StatusSeeOther).Header.Get("Location")
	path, ok := strings.CutSuffix(to, "/review")
	if !ok {
		b.site.t.Fatalf("the form leads to %q", to)
	}
	return path
}

var (
	hashField  = regexp.MustCompile(`name="hash" value="([^"]+)"`)
	agreeField = regexp.MustCompile(`name="agree" value="([^"]+)"`)
)

// confirmation is the form of a review, agreeing to everything.
func (a *answer) confirmation() url.Values {
	a.t.Helper()
	m := hashField.FindStringSubmatch(a.body)
	if m == nil {
		a.t.Fatalf("the page has no hash\n%s", a.words())
	}
	form := url.Values{"hash": {m[1]}, "password": {password}}
	for _, box := range agreeField.FindAllStringSubmatch(a.body, -1) {
		form.Add("agree", box[1])
	}
	return form
}

// pay goes from a form to a payment that waits for its approval, and returns its path.
func (b *browser) pay(form url.Values) string {
	b.site.t.Helper()
	path := b.draft(form)
	review := b.get(path + "/review").status(http.StatusOK)
	b.post(path+"/confirm", review.confirmation()).to(path + "/leave")
	return path
}

func (s *service) sent() []openbanking.CreatePaymentRequest {
	s.Lock()
	defer s.Unlock()
	return s.paid
}

// becomes sets the status of the n-th payment at the service, counted from 1.
func (s *service) becomes(n int, status openbanking.PaymentStatus, final bool, reason string) {
	s.Lock()
	defer s.Unlock()
	id := fmt.Sprintf("pay-%d", n)
	p := s.payments[id]
	p.Status, p.FinalStatus = status, final
	if reason != "" {
		p.StatusReasonInformation = &openbanking.StatusReasonInformation{StatusReasonCode: reason, StatusReasonDescription: "said by the bank"}
	}
	s.payments[id] = p
}

// Each problem is reported at its field, and nothing that was typed is lost.
func TestPayFormExplainsWhatIsWrong(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	past := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	far := time.Now().UTC().AddDate(0, 0, 400).Format(time.DateOnly)
	soon := time.Now().UTC().AddDate(0, 0, 40).Format(time.DateOnly)
	for _, c := range []struct {
		name    string
		changes []string
		field   string
		says    string
	}{
		{"IBAN too short", []string{"number", "DE8937040044053201300"}, "number", "An IBAN that begins with DE (Germany) has 22 characters; this one has 21."},
		{"IBAN mistyped", []string{"number", "DE89370400440532013001"}, "number", "The check digits of the IBAN are wrong."},
		{"IBAN missing", []string{"number", ""}, "number", "Enter the IBAN of the account"},
		{"IBAN outside SEPA", []string{"number", "TR330006100519786457841326"}, "number", "outside SEPA"},
		{"IBAN with letters of another script", []string{"number", "DЕ89370400440532013000"}, "number", "Cyrillic"},
		{"no amount", []string{"amount", ""}, "amount", "Enter the amount, such as 12.30."},
		{"zero", []string{"amount", "0,00"}, "amount", "must be more than zero"},
		{"ambiguous", []string{"amount", "1.234"}, "amount", "not clear whether the separator marks thousands or decimals"},
		{"too precise", []string{"amount", "1.2345"}, "amount", "too many decimals"},
		{"negative", []string{"amount", "-5"}, "amount", "more than zero"},
		{"words", []string{"amount", "ten"}, "amount", "Enter the amount with digits and decimals"},
		{"no name", []string{"name", ""}, "name", "The name is missing. Your bank needs it for this kind of payment."},
		{"name too long", []string{"name", strings.Repeat("x", 71)}, "name", "The name has 71 characters. At most 70 are possible."},
		{"text too long", []string{"text0", strings.Repeat("y", 141)}, "text0", "The text has 141 characters. At most 140 are possible."},
		{"picture in the text", []string{"text0", "thanks 💶"}, "text0", "cannot be printed on a statement"},
		{"reference wrong", []string{"reference", "RF00 1234", "text0", ""}, "reference", "The reference is not correct, perhaps because of a typing error."},
		{"reference and text", []string{"reference", "RF18539007547034"}, "text0", "is not possible together with a reference at this bank"},
		{"no day", []string{"when", "date"}, "date", "Choose the day."},
		{"day in the past", []string{"when", "date", "date", past}, "date", "The day is in the past"},
		{"day too far", []string{"when", "date", "date", far}, "date", "Your bank accepts days until "},
		{"day that is none", []string{"when", "date", "date", "tomorrow"}, "date", "Enter the date like 2026-12-31"},
		{"no rhythm", []string{"when", "repeat", "first", soon}, "frequency", "Choose how often."},
		{"end before beginning", []string{"when", "repeat", "first", soon, "frequency", "MNTH", "last", past}, "last", "The last day is before the first one, "},
	} {
		t.Run(c.name, func(t *testing.T) {
			form := transfer(account, c.changes...)
			a := b.post("/pay", form)
			a.t = t
			a.status(http.StatusUnprocessableEntity).has("Please correct what is marked below", "What you typed is still there. Nothing was sent.")
			problem := regexp.MustCompile(`(?s)id="` + c.field + `-problem".*?<span>(.*?)</span>`).FindStringSubmatch(a.body)
			if problem == nil || !strings.Contains(problem[1], c.says) {
				t.Errorf("at %s: %q, want %q", c.field, problem, c.says)
			}
			for _, name := range []string{"name", "number", "amount", "text0", "reference"} {
				if value := form.Get(name); value != "" {
					a.has(`name="` + name + `" type="text" value="` + value + `"`)
				}
			}
		})
	}
	drafts, _, err := s.store.Payments(t.Context(), mira.ID, storeDrafts, 10)
	must(t, err)
	if len(drafts) != 0 || len(s.service.sent()) != 0 {
		t.Errorf("%d drafts and %d payments came of it", len(drafts), len(s.service.sent()))
	}
}

// The form has the fields that the bank and the kind of payment ask for, and no others. Changing the kind loses nothing.
func TestPayFormFollowsTheBank(t *testing.T) {
	t.Parallel()
	_, b, _, account := paySite(t)
	form := transfer(account)
	fields := func(a *answer) (names []string) {
		for _, m := range regexp.MustCompile(`<(?:input|select)[^>]* name="([a-z_0-9]+)"`).FindAllStringSubmatch(a.body, -1) {
			names = append(names, m[1])
		}
		return names
	}
	for _, c := range []struct {
		kind      string
		has, lack []string
	}{
		{"SEPA", []string{"name", "number", "amount", "text0", "reference", "when", "date", "first", "last", "frequency", "rule"},
			[]string{"bic", "street", "charges", "currency", "text1", "payer_email"}},
		{"INST_SEPA", []string{"name", "number", "amount", "text0"}, []string{"reference", "when", "date", "frequency", "bic"}},
		{"CROSSBORDER", []string{"name", "scheme", "number", "bic", "street", "post_code", "town", "payee_country", "amount", "currency", "text0", "text1",
			"charges", "priority", "report", "payer_email", "payer_phone"}, []string{"reference", "when"}},
	} {
		form.Set("show", c.kind)
		a := b.post("/pay", form).status(http.StatusOK).lacks("Please correct")
		a.has(`value="ACME GmbH"`, `value="12,30"`, `value="Invoice 4711"`, "Simulated: no money moves", `name="type" value="`+c.kind+`"`)
		got := " " + strings.Join(fields(a), " ") + " "
		for _, name := range c.has {
			if !strings.Contains(got, " "+name+" ") {
				t.Errorf("%s lacks %s", c.kind, name)
			}
		}
		for _, name := range c.lack {
			if strings.Contains(got, " "+name+" ") {
				t.Errorf("%s has %s", c.kind, name)
			}
		}
	}
	b.get("/pay?account=" + account).lacks("Many at once, in euro")
}

// All fields of a payment abroad reach the service.
func TestPayAbroadSendsWhatWasTyped(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	path := b.draft(transfer(account, "type", "CROSSBORDER", "scheme", "BBAN", "number", "12345678", "currency", "USD", "bic", "chasus33", "street",
		"5th Avenue 1", "post_code", "10001", "town", "New York",
		"payee_country", "US", "charges", "DEBT", "priority", "HIGH", "report", "GDS", "payer_email", "mira@example.org", "payer_phone", "+49 30 1234567",
		"text1", "Second line"))
	review := b.get(path+"/review").has("12.30 USD", "12345678", "BIC CHASUS33", "5th Avenue 1, 10001 New York, United States", "You pay all charges",
		"High", "Goods", "Second line", "mira@example.org, +49 30 1234567")
	b.post(path+"/confirm", review.confirmation()).to(path + "/leave")
	sent := s.service.sent()
	if len(sent) != 1 {
		t.Fatalf("%d payments were sent", len(sent))
	}
	r := sent[0].PaymentRequest
	tr := r.CreditTransferTransaction[0]
	got := fmt.Sprintln(sent[0].PaymentType, sent[0].ASPSP, *r.DebtorAccount, *r.ChargeBearer, *r.PaymentTypeInformation.InstructionPriority,
		*r.Debtor.ContactDetails.EmailAddress, *r.Debtor.ContactDetails.PhoneNumber,
		tr.InstructedAmount, tr.Beneficiary.CreditorAccount, *tr.Beneficiary.CreditorAgent.BICFI, *tr.Beneficiary.Creditor.Name,
		*tr.Beneficiary.Creditor.PostalAddress.TownName, tr.RemittanceInformation, *tr.RegulatoryReporting[0].Details.Code)
	want := "CROSSBORDER {Elbe Sparbank DE} {DE89370400440532013000 IBAN <nil>} DEBT HIGH mira@example.org +49 30 1234567 {USD 12.30} {12345678 BBAN <nil>} CHASUS33 ACME GmbH New York [Invoice 4711 Second line] GDS\n"
	if got != want {
		t.Errorf("sent %s\nwant %s", got, want)
	}
}

// The review describes a standing order in a sentence with its next dates, and the service gets the same order.
func TestPayStandingOrder(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	first := time.Now().UTC().AddDate(0, 0, 30)
	path := b.draft(transfer(account, "when", "repeat", "first", first.Format(time.DateOnly), "frequency", "MNTH", "rule", "FWNG"))
	review := b.get(path+"/review").has("Every month, from ", "If the bank is closed on that day, it pays on the next working day.", "Next: ",
		"Florin counts only weekends here.", "You change or stop it at your bank.")
	b.post(path+"/confirm", review.confirmation()).to(path + "/leave")
	tr := s.service.sent()[0].PaymentRequest.CreditTransferTransaction[0]
	if got := fmt.Sprintln(*tr.RequestedExecutionDate, *tr.Frequency, *tr.ExecutionRule,
		tr.EndDate == nil); got != first.Format(time.DateOnly)+" MNTH FWNG true\n" {
		t.Errorf("sent %s", got)
	}
	b.get("/payments").has("standing order")
	// The form explains the dates while they are typed.
	for first.Weekday() != time.Saturday || first.Day() < 29 {
		first = first.AddDate(0, 0, 1)
	}
	form := transfer(account, "when", "repeat", "first", first.Format(time.DateOnly), "frequency", "MNTH", "rule", "FWNG", "part", "pay-dates")
	explained := b.post("/pay/explain", form).status(http.StatusOK).has(`id="pay-dates"`)
	for month := range 3 { // on the same day, or the last one of a shorter month, or the Monday after
		last := time.Date(first.Year(), first.Month()+time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC)
		day := last.AddDate(0, 0, min(first.Day()-last.Day(), 0))
		paid, says := day, ""
		for paid.Weekday() == time.Saturday || paid.Weekday() == time.Sunday {
			paid, says = paid.AddDate(0, 0, 1), day.Format(", instead of Monday 2 January")
		}
		explained.has(paid.Format("Monday, 2 January 2006") + says)
	}
}

// The form explains the payee's account while it is typed.
func TestPayExplainsThePayeesAccount(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	_, err := s.store.SavePayee(t.Context(), finance.Payee{UserID: mira.ID, Name: "Chaussures Martin", Beneficiary: openbanking.Beneficiary{
		CreditorAccount: openbanking.GenericIdentification{Identification: numberOther, SchemeName: "IBAN"}}})
	must(t, err)
	b.pay(transfer(account, "number", "NL91ABNA0417164300", "name", "De Winkel"))
	s.service.becomes(1, "ACSC", true, "")
	run(t, s)
	for _, c := range []struct{ number, name, says string }{
		{"DE8937040044053201300", "", "An IBAN that begins with DE (Germany) has 22 characters; this one has 21."},
		{"nl91abna0417164300", "De Winkel", "Paid once, as De Winkel, "},
		{numberOther, "Somebody Else", "You saved this account under another name."},
		{"nl91abna0417164300", "Somebody Else", "You paid it as De Winkel."},
		{"IE29AIBK93115212345678", "De Winkel", "Careful, this may be fraud: De Winkel had another account until now."},
		{"IE29AIBK93115212345678", "De Winkel", `class="hint-box hint-bad"`},
		{numberOther, "Chaussures Martin", "Saved, but not yet paid from Florin."},
		{numberOther, "Chaussures Martin", `class="hint-box hint-info"`},
		{"nl91abna0417164300", "De Winkel", `class="hint-box hint-good"`},
		{"nl91abna0417164300", "Somebody Else", `class="hint-box hint-warning"`},
		{"IE29AIBK93115212345678", "", "New payee: your first payment from Florin."},
		{"IE29AIBK93115212345678", "", "Country: Ireland. The check digits are correct."},
		{"TR330006100519786457841326", "", "The account is in a country outside SEPA: Türkiye."},
		{numberACME, "", "This is the account you pay from."},
		{"DE02120300000000202051", "", "This is your own account Reisekasse."},
	} {
		b.post("/pay/explain", transfer(account, "number", c.number, "name", c.name, "part", "payee-hint")).status(http.StatusOK).has(`id="payee-hint"`, c.says)
	}
	b.post("/pay/explain", transfer(account, "part", "nothing")).status(http.StatusNotFound)
}

// A payment starts from an account, a payee, a transaction, an IBAN, an invoice and an old payment.
func TestPayStarts(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	payee, err := s.store.SavePayee(t.Context(), finance.Payee{UserID: mira.ID, Name: "Chaussures Martin", Favourite: true, Beneficiary: openbanking.Beneficiary{
		CreditorAccount: openbanking.GenericIdentification{Identification: numberOther, SchemeName: "IBAN"}}})
	must(t, err)
	formatted := `value="FR14 2004 1010 0505 0001 3M02 606"`
	b.get("/pay").status(http.StatusOK).has("From which account?", "Girokonto", "Reisekasse", "2,234.56", "Simulated: no money moves")
	b.get("/pay?payee="+payee.ID).status(http.StatusOK).has("Chaussures Martin", "From which account?", "payee="+payee.ID)
	b.get("/pay?account="+account+"&payee="+payee.ID).status(http.StatusOK).has(`value="Chaussures Martin"`, formatted, "★ Chaussures Martin")
	b.get("/pay?account=" + account + "&iban=" + numberOther).status(http.StatusOK).has(formatted)
	b.post("/pay", url.Values{"paste": {"fr14 2004 1010 0505 0001 3m02 606"}, "account": {account}}).status(http.StatusOK).has(formatted, "Girokonto")
	invoice := "BCD\n002\n1\nSCT\n\nRotes Kreuz\n" + numberOther + "\nEUR12.50\n\n\nDonation 7"
	b.post("/pay", url.Values{"paste": {invoice}, "account": {account}}).status(http.StatusOK).has(`value="Rotes Kreuz"`, `value="12.50"`, `value="Donation 7"`)
	b.post("/pay", url.Values{"paste": {strings.Replace(invoice, "SCT", "DDX",
		1)}}).status(http.StatusUnprocessableEntity).has("The code is not for a credit transfer: line 4 would then be SCT.", "Rotes Kreuz")
	b.post("/pay", url.Values{"paste": {"DE8937"}}).status(http.StatusUnprocessableEntity).has("An IBAN that begins with DE (Germany) has 22 characters; this one has 6.", "DE8937")
	for _, words := range []string{"hello world", "12345678"} {
		b.post("/pay", url.Values{"paste": {words}}).status(http.StatusUnprocessableEntity).has("This is neither an IBAN nor the text of a payment code",
			words).lacks("No country with the code")
	}
	form := transfer(account, "show", "fill", "saved", "payee:"+payee.ID)
	b.post("/pay", form).status(http.StatusOK).has(`value="Chaussures Martin"`, formatted, `value="12,30"`)
	b.post("/pay", transfer(account, "show", "fill", "saved", "payee:none")).status(http.StatusNotFound)

	path := b.pay(transfer(account))
	s.service.becomes(1, "ACSC", true, "")
	b.check(path)
	b.get(path).has(`href="/pay?retry=` + strings.TrimPrefix(path, "/payments/"))
	b.get("/pay?retry="+strings.TrimPrefix(path, "/payments/")).status(http.StatusOK).has(`value="ACME GmbH"`, `value="12.30"`, `value="Invoice 4711"`,
		"A new payment like the one to ACME GmbH of ")
	for _, query := range []string{"?account=none", "?account=" + account + "&payee=none", "?account=" + account + "&transaction=999999",
		"?account=" + account + "&transaction=x", "?retry=none", "?draft=none"} {
		b.get("/pay" + query).status(http.StatusNotFound)
	}
}

// A draft is reviewed, changed and reviewed again. A confirmation is valid only for the order that was seen, with the password and with agreement to the
// warnings.
func TestPaymentReviewAndConfirm(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	form := transfer(account)
	path := b.draft(form)
	review := b.get(path+"/review").status(http.StatusOK).has("12.30 EUR", "ACME GmbH", "FR14 2004 1010 0505 0001 3M02 606", "Country: France",
		"Girokonto, DE89 3704 0044 0532 0130 00", "Invoice 4711", "As soon as you have approved",
		"New payee: your first payment to ACME GmbH", "Your bank checks whether the name matches the account",
		"You go to Elbe Sparbank and approve the payment there.", "Florin charges nothing", "Simulated: no money moves")
	for _, field := range []string{"amount", "name", "text0", "when-now", "from-title"} {
		review.has(`href="/pay?draft=` + strings.TrimPrefix(path, "/payments/") + "#" + field)
	}
	good := review.confirmation()
	with := func(name string, values ...string) url.Values {
		changed := url.Values{}
		for k, v := range good {
			changed[k] = v
		}
		changed[name] = values
		return changed
	}
	b.post(path+"/confirm", with("password", "wrong")).status(http.StatusUnprocessableEntity).has("This is not your password. Nothing was sent.", "checked")
	b.post(path+"/confirm", with("password", "")).status(http.StatusUnprocessableEntity).has("Enter your Florin password.")
	b.post(path+"/confirm", with("agree")).status(http.StatusUnprocessableEntity).has("Please read the warnings below")
	b.post(path+"/confirm", with("hash", "")).status(http.StatusUnprocessableEntity).has("The payment was changed after you looked at it")

	b.get("/pay?draft="+strings.TrimPrefix(path, "/payments/")).status(http.StatusOK).has("Change the payment", `value="ACME GmbH"`, `value="12.30"`,
		`value="Invoice 4711"`, form.Get("form"))
	form.Set("amount", "13")
	if again := b.draft(form); again != path {
		t.Errorf("the change made another draft: %s", again)
	}
	b.post(path+"/confirm", good).status(http.StatusUnprocessableEntity).has("The payment was changed after you looked at it", "13.00 EUR")
	if n := len(s.service.sent()); n != 0 {
		t.Fatalf("%d payments were sent", n)
	}
	good = b.get(path + "/review").confirmation()
	b.post(path+"/confirm", good).to(path + "/leave")
	b.get(path+"/leave").status(http.StatusOK).has("Continue to <bdi>Elbe Sparbank</bdi>", `href="http://bank.test/pis/start?payment_id=pay-1"`, "bank.test",
		"13.00 ", "no money moves")
	b.post(path+"/confirm", good).to(path)
	b.get(path + "/review").to(path)
	b.get("/pay?draft=" + strings.TrimPrefix(path, "/payments/")).to(path)
	b.post("/pay", form).to(path) // the same form once more is the same payment
	form.Set("amount", "14")
	b.post("/pay", form).to(path) // a changed order is no longer accepted
	b.get(path).has("13<span class=\"cents\">.00", "already confirmed this payment")
	if n := len(s.service.sent()); n != 1 {
		t.Fatalf("%d payments were sent", n)
	}
	if sent := s.service.sent()[0]; sent.RedirectURL != s.url+"/callback/embedded" || sent.State == "" || *sent.Language != "en" {
		t.Errorf("sent %+v", sent)
	}
}

// Two clicks and many parallel posts of one confirmation send one payment.
func TestPaymentIsSentOnce(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	path := b.draft(transfer(account))
	form := b.get(path + "/review").confirmation()
	var wait sync.WaitGroup
	for range 4 { // fewer than the tries with the password before a wait
		wait.Go(func() { b.post(path+"/confirm", form).status(http.StatusSeeOther) })
	}
	wait.Wait()
	if n := len(s.service.sent()); n != 1 {
		t.Errorf("%d payments were sent", n)
	}
}

// A payment that was changed in another window is not confirmed by correcting the password (security T25).
func TestWrongPasswordForAChangedPayment(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	form := transfer(account)
	path := b.draft(form)
	good := b.get(path + "/review").confirmation()
	form.Set("amount", "9999") // in another window
	form.Set("number", "NL91ABNA0417164300")
	if b.draft(form) != path {
		t.Fatal("the form made another draft")
	}
	wrong := maps.Clone(good)
	wrong.Set("password", "wrong")
	for range 2 {
		b.post(path+"/confirm", wrong).status(http.StatusUnprocessableEntity).has("The payment was changed after you looked at it",
			"9,999.00").lacks("This is not your password", "checked")
	}
	b.post(path+"/confirm", good).status(http.StatusUnprocessableEntity).has("The payment was changed after you looked at it")
	if n := len(s.service.sent()); n != 0 {
		t.Errorf("%d payments were sent", n)
	}
}

// A bank may take longer to answer than the server allows for a page. The person still gets to the payment.
func TestConfirmWaitsForTheBank(t *testing.T) {
	t.Parallel()
	s := unopened(t)
	s.config = func(server *http.Server) { server.WriteTimeout = 8 * time.Second }
	s.open()
	b, _, account := s.payer(sepa)
	path := b.draft(transfer(account))
	form := b.get(path + "/review").confirmation()
	answer := make(chan struct{})
	s.service.Hold("POST /payments", answer)
	time.AfterFunc(9*time.Second, func() { close(answer) })
	b.post(path+"/confirm", form).to(path + "/leave")
}

// Florin asks about a payment to the same payee with the same amount within a day, and links to the first one. Another account of a known payee gets a loud
// warning.
func TestPaymentWarnings(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	first := b.pay(transfer(account))
	b.get(b.draft(transfer(account, "text0", "Another"))+"/review").has("You started a payment of 12.30 EUR to ACME GmbH ",
		"and have not approved it. Start another one?", `href="`+first+`"`).lacks("You sent")
	b.get(b.draft(transfer(account, "amount", "99")) + "/review").has("You started a payment to ACME GmbH with the same reference").lacks("You paid")
	s.service.becomes(1, "ACSP", false, "")
	b.check(first)
	path := b.draft(transfer(account, "text0", "Another"))
	review := b.get(path+"/review").has("You sent 12.30 EUR to ACME GmbH ", "Send it again?", `href="`+first+`"`, "Yes, send it again")
	form := review.confirmation()
	form.Del("agree")
	b.post(path+"/confirm", form).status(http.StatusUnprocessableEntity).has("Please read the warnings below")

	b.get(b.draft(transfer(account, "text0", "Invoice 4711", "amount", "99"))+"/review").has("You paid ACME GmbH with the same reference",
		"You may have paid this invoice already.")
	b.get(b.draft(transfer(account, "number", "NL91ABNA0417164300", "text0", "x"))+"/review").has("ACME GmbH had another account until now",
		"You know this payee with another account: FR14 2004 1010 0505 0001 3M02 606", "is a common fraud", "warn-loud")
	b.get(b.draft(transfer(account, "name", "Other Name", "text0", "y", "amount", "7"))+"/review").has("You paid this account under another name",
		"You paid it as ACME GmbH.")
	b.get(b.draft(transfer(account, "name", "Mira Kowalczyk", "number", "DE02120300000000202051")) +
		"/review").has("This is your own account Reisekasse.").lacks(`name="agree"`)
	if n := len(s.service.sent()); n != 1 {
		t.Errorf("%d payments were sent", n)
	}
}

// Where the service lacks payment initiation people pay in the app of the bank, and the settings say why. Many at once need the service.
func TestPaymentsWithoutTheService(t *testing.T) {
	t.Parallel()
	s, b, _, account := paySite(t)
	b.get("/").has(`href="/pay"`, `href="/payments"`)
	other := newSite(t)
	other.service.services = []openbanking.Service{openbanking.ServiceAIS}
	other.service.banks[2].Payments = []openbanking.ResponsePaymentType{sepa}
	mira := other.user("mira@example.org")
	ob := other.signedIn("mira@example.org")
	ob.link()
	accounts, err := other.store.Accounts(t.Context(), mira.ID)
	must(t, err)
	ob.get("/").status(http.StatusOK).has(`href="/pay`, `href="/payments"`)
	ob.get("/accounts/" + accounts[0].ID).status(http.StatusOK).has(`href="/pay?account=` + accounts[0].ID)
	ob.get("/settings").has("In your bank’s app", "read accounts, but not send payments")
	ob.get("/pay").status(http.StatusOK).has("From which account?")
	ob.get("/pay/bulk").status(http.StatusNotFound).has("You cannot pay from Florin yet", "read accounts, but not send payments")
	ob.get("/pay?account="+accounts[0].ID).has("In your bank’s app", "you send it in the app of your bank").lacks("Standard", "Standing order")
	ob.post("/pay", transfer(accounts[0].ID)).status(http.StatusUnprocessableEntity).has("In your bank’s app")
	ob.get("/payments").status(http.StatusOK).has(`href="/pay"`).lacks(`href="/pay/bulk"`)
	b.get("/settings").has("Possible: Simulated banks (simulated: no money moves)")
	b.get("/accounts/" + account).has(`href="/pay?account=` + account)
	_ = s
}

// When several accounts can pay, the page asks from which one, and keeps what was pasted. When only one can, that account is used.
func TestPastedAsksFromWhichAccount(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	accounts, err := s.store.Accounts(t.Context(), mira.ID)
	must(t, err)
	for _, c := range []struct{ paste, to string }{
		{"BCD\r\n002\r\n1\r\nSCT\r\n\r\nRotes Kreuz\r\n" + numberOther + "\r\nEUR12.50\r\n\r\n\r\nDonation <7>", "12.50 EUR to"},
		{"fr14 2004 1010 0505 0001 3m02 606", "FR14 2004 1010 0505 0001 3M02 606"},
	} {
		asked := b.post("/pay", url.Values{"paste": {c.paste}}).status(http.StatusOK).has(c.to, "From which account?", "Girokonto", "Reisekasse")
		kept := regexp.MustCompile(`(?s)<textarea name="paste" hidden>\n?(.*?)</textarea>`).FindStringSubmatch(asked.body)
		if kept == nil {
			t.Fatalf("what was pasted is gone: %s", asked.words())
		}
		chosen := regexp.MustCompile(`<button [^>]*name="account" value="([^"]+)"`).FindAllStringSubmatch(asked.body, -1)
		if len(chosen) != len(accounts) {
			t.Fatalf("%d accounts to choose from, of %d", len(chosen), len(accounts))
		}
		for _, choice := range chosen {
			form := url.Values{"paste": {html.UnescapeString(kept[1])}, "account": {choice[1]}}
			b.post("/pay", form).status(http.StatusOK).has(`value="FR14 2004 1010 0505 0001 3M02 606"`, `<option value="`+choice[1]+`" selected`)
		}
	}
	b.post("/pay", url.Values{"paste": {numberOther}, "account": {"none"}}).status(http.StatusNotFound)
	for _, a := range accounts {
		if a.ID != account {
			s.exec(`UPDATE account SET type = 'CARD' WHERE id = $1`, a.ID)
		}
	}
	b.post("/pay", url.Values{"paste": {numberOther}}).status(http.StatusOK).has(`value="FR14 2004 1010 0505 0001 3M02 606"`).lacks("From which account?")
}

// picture posts a picture from which to pay.
func (b *browser) picture(content []byte) *answer {
	b.site.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if content != nil {
		part, err := form.CreateFormFile("picture", "invoice.png")
		must(b.site.t, err)
		_, err = part.Write(content)
		must(b.site.t, err)
	}
	must(b.site.t, form.Close())
	r := b.request(http.MethodPost, "/pay/code", &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(r)
}

// A Czech or Slovak code in euros fills in the form, with its day where that is still to come; one in koruna is refused from an account in euros. The same
// goes for pictures.
func TestPayACzechOrSlovakCode(t *testing.T) {
	t.Parallel()
	_, b, _, account := paySite(t)
	const code = "SPD*1.0*ACC:SK3112000000198742637541*AM:12.30*CC:EUR*RN:ACME%20s.r.o.*X-VS:2026001*MSG:Objedn%C3%A1vka"
	soon := time.Now().UTC().AddDate(0, 0, 9)
	for soon.Weekday() == time.Saturday || soon.Weekday() == time.Sunday {
		soon = soon.AddDate(0, 0, 1)
	}
	paste := func(text string) *answer { return b.post("/pay", url.Values{"paste": {text}, "account": {account}}) }
	paste(code).status(http.StatusOK).has(`value="ACME s.r.o."`, `value="SK31 1200 0000 1987 4263 7541"`, `value="12.30"`, `value="/VS2026001 Objednávka"`).
		lacks("the payment code asks for")
	paste(code+"*DT:"+soon.Format("20060102")).status(http.StatusOK).has(`value="`+soon.Format(time.DateOnly)+`"`, "This is the day that the payment code asks for.")
	paste(code + "*DT:20200102").status(http.StatusOK).lacks("2020-01-02")
	koruna := strings.Replace(code, "CC:EUR", "CC:CZK", 1)
	paste(koruna).status(http.StatusUnprocessableEntity).has("This bill is in CZK.", "you can pay in EUR only")
	paste(code + "*AM:1").status(http.StatusUnprocessableEntity).has("The field AM of this payment code is wrong or missing.")
	b.picture(photograph(t, code)).status(http.StatusOK).has("12.30 EUR")
	b.picture(photograph(t, koruna)).has("CZK")

	const slovak = "0804Q000A62NUB9BT3IASLQSC9Q1F41A15VIR79R91MO5CJDVMV1V5ENJPBK8HG4PPF6OLPT043BSIE9TS02EKEBFHN4NEPQ3VQOCUGB7VQ92GT940NVVVOLFG000"
	paste(slovak).status(http.StatusOK).has(`value="ACME s.r.o."`, `value="SK96 1100 0000 0029 1859 9669"`, `value="123.45"`, `value="/VS987654"`)
	paste(slovak[:90]).status(http.StatusUnprocessableEntity).has("This Slovak payment code is damaged or incomplete.")
	b.picture(photograph(t, slovak)).status(http.StatusOK).has("123.45 EUR")
}

// photograph is a picture of QR codes side by side.
func photograph(t *testing.T, texts ...string) []byte {
	t.Helper()
	const module, side = 5, 85 * 5
	drawn := image.NewGray(image.Rect(0, 0, side*len(texts), side))
	for i := range drawn.Pix {
		drawn.Pix[i] = 255
	}
	for i, text := range texts {
		code, err := qrcode.Encode(text, qrcode.M)
		must(t, err)
		for y := range code.Size * module {
			for x := range code.Size * module {
				if code.Dark(x/module, y/module) {
					drawn.SetGray(side*i+x+qrcode.Quiet*module, y+qrcode.Quiet*module, color.Gray{})
				}
			}
		}
	}
	var file bytes.Buffer
	must(t, png.Encode(&file, drawn))
	return file.Bytes()
}

const swissBill = "SPC\r\n0200\r\n1\r\nCH9300762011623852957\r\nS\r\nBiel AG\r\nRue du Lac\r\n1\r\n2501\r\nBiel\r\nCH\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n" +
	"49.75\r\nEUR\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\nNON\r\n\r\nOrder 7\r\nEPD"

// The code on an invoice is read from a picture of it and is handled like a pasted one. Florin never guesses which code is meant. A bill in francs is never
// paid in euros.
func TestPayFromAPicture(t *testing.T) {
	t.Parallel()
	s, b, mira, account := paySite(t)
	accounts, err := s.store.Accounts(t.Context(), mira.ID)
	must(t, err)
	b.get("/pay").has(`action="/pay/code"`, `enctype="multipart/form-data"`, "Picture or PDF with a payment code", "application/pdf")
	invoice := "BCD\n002\n1\nSCT\n\nRotes Kreuz\n" + numberOther + "\nEUR12.50\n\n\nDonation 7"
	b.picture(photograph(t, invoice)).status(http.StatusOK).has("12.50 EUR to", "From which account?", "Donation 7")
	for _, a := range accounts {
		if a.ID != account {
			s.exec(`UPDATE account SET type = 'CARD' WHERE id = $1`, a.ID)
		}
	}
	b.picture(photograph(t, invoice)).status(http.StatusOK).has(`value="Rotes Kreuz"`, `value="12.50"`, `value="Donation 7"`)
	for _, beside := range []string{"https://shop.example/invoice/7", "bank://singlepaymentsepa?name=x", "WIFI:S:guests;;"} {
		b.picture(photograph(t, invoice, beside)).status(http.StatusOK).has(`value="Rotes Kreuz"`, `value="12.50"`)
	}
	b.picture(photograph(t, numberOther)).status(http.StatusOK).has(`value="FR14 2004 1010 0505 0001 3M02 606"`)
	b.picture(photograph(t, swissBill)).status(http.StatusOK).has(`value="Biel AG"`, `value="49.75"`, `value="Order 7"`, `value="CH93 0076 2011 6238 5295 7"`)
	b.picture(photograph(t, strings.Replace(swissBill, "EUR", "CHF", 1))).status(http.StatusUnprocessableEntity).
		has("This bill is in CHF. From Girokonto you can pay in EUR only.").lacks(`value="49.75"`)
	for name, c := range map[string]struct {
		content []byte
		says    string
	}{
		"nothing":      {nil, "Choose a file first."},
		"a text":       {[]byte(invoice), "This file is not a picture that Florin can read"},
		"an address":   {photograph(t, "https://shop.example/invoice?token=secret-9"), "This is the address of a web page."},
		"a greeting":   {photograph(t, "hello world"), "The QR code in this file is no payment code."},
		"a wrong code": {photograph(t, strings.Replace(invoice, "SCT", "DDX", 1)), "The code is not for a credit transfer"},
		"two payments": {photograph(t, invoice, strings.Replace(invoice, "12.50", "99.00", 1)), "There are several QR codes in this picture."},
		"two pages":    {photograph(t, "https://shop.example/a", "https://shop.example/b"), "There are several QR codes in this picture."},
		"16 MB":        {make([]byte, 16<<20-64), "This file is too large."},
	} {
		if page := b.picture(c.content).status(http.StatusUnprocessableEntity).has(c.says, "picture-problem"); strings.Contains(page.body, "secret-9") {
			t.Errorf("%s: the page repeats the address in the code", name)
		}
	}
}

// The code on an invoice is read from the first page of a PDF, and problems with a PDF are described in both languages. The log has nothing of it.
func TestPayFromAPDF(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Drawing)
	s, b, mira, account := paySite(t)
	accounts, err := s.store.Accounts(t.Context(), mira.ID)
	must(t, err)
	for _, a := range accounts {
		if a.ID != account {
			s.exec(`UPDATE account SET type = 'CARD' WHERE id = $1`, a.ID)
		}
	}
	squares := func(text string, x float64) string {
		code, err := qrcode.Encode(text, qrcode.M)
		must(t, err)
		return pdftest.Squares(code.Size, code.Dark, x, 80, 70)
	}
	invoice := "BCD\n002\n1\nSCT\n\nRotes Kreuz\n" + numberOther + "\nEUR12.50\n\n\nDonation 7"
	file := pdftest.Page(595, 842, "", squares(invoice, 400))
	b.picture(file).status(http.StatusOK).has(`value="Rotes Kreuz"`, `value="12.50"`, `value="Donation 7"`)
	german := s.signedIn("mira@example.org")
	german.languages = "de"
	for name, c := range map[string]struct {
		content         []byte
		english, german string
	}{
		"half of it": {file[:len(file)/2], "Florin cannot show the first page of this PDF: it is damaged, empty, or needs too much memory.",
			"Florin kann die erste Seite dieses PDFs nicht darstellen: Es ist beschädigt oder leer, oder es braucht zu viel Speicher."},
		"locked": {pdftest.File("/Encrypt<</Filter/Standard/V 1/R 2/P -4/O("+strings.Repeat("o", 32)+")/U("+strings.Repeat("u", 32)+")>>/ID[(a)(a)]", "<</Type/Catalog>>"),
			"This PDF is locked with a password. Open it", "Dieses PDF ist mit einem Passwort gesperrt. Öffnen Sie es"},
		"without a code": {pdftest.Page(595, 842, "", ""), "Florin finds no QR code on the first page of this PDF.", "Florin findet auf der ersten Seite dieses PDFs keinen QR-Code."},
		"two payments": {pdftest.Page(595, 842, "", squares(invoice, 400)+squares(strings.Replace(invoice, "12.50", "99.00", 1), 100)),
			"There are several QR codes on the first page of this PDF.", "Auf der ersten Seite dieses PDFs sind mehrere QR-Codes."},
	} {
		t.Log(name)
		b.picture(c.content).status(http.StatusUnprocessableEntity).has(c.english, "picture-problem").lacks("Rotes Kreuz")
		german.picture(c.content).status(http.StatusUnprocessableEntity).has(c.german, "picture-problem")
	}
	for _, secret := range []string{"Rotes Kreuz", numberOther, "Donation 7", "%PDF"} {
		if strings.Contains(s.log.String(), secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}
