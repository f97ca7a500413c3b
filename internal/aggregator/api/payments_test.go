package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/api"
	"florin/internal/aggregator/banktest"
	"florin/internal/aggregator/engine"
	"florin/internal/apptoken"
	"florin/internal/openbanking"
	"florin/internal/testkit"
)

const (
	payee   = "DE89370400440532013000"
	webhook = "https://app.example/webhooks/payments"
)

// paying is a bank that takes payments of several types of persons, each with rules of its own.
func paying(b *banktest.Bank) {
	methods(b)
	kind := func(t openbanking.PaymentType, rules openbanking.ResponsePaymentType) openbanking.ResponsePaymentType {
		rules.PaymentType, rules.PSUType = t, openbanking.PSUTypePersonal
		return rules
	}
	b.Data.Payments = []openbanking.ResponsePaymentType{
		kind(openbanking.PaymentTypeSEPA, openbanking.ResponsePaymentType{
			MaxTransactions: new(1), Currencies: []string{"EUR"}, CreditorNameRequired: new(true), ChargeBearerValues: []openbanking.ChargeBearerCode{"SLEV"},
			RequestedExecutionDateSupported: new(true), RequestedExecutionDateMaxPeriod: new(90),
			ReferenceNumberSupported: new(true), ReferenceNumberSchemas: []openbanking.ReferenceNumberScheme{"INTL", "FIRF"},
		}),
		kind(openbanking.PaymentTypeInstSEPA, openbanking.ResponsePaymentType{AllowedAuthMethods: []string{"web"}}),
		kind(openbanking.PaymentTypeBulkSEPA, openbanking.ResponsePaymentType{MaxTransactions: new(3), DebtorAccountRequired: new(true)}),
		kind(openbanking.PaymentTypeDomesticSEGiro, openbanking.ResponsePaymentType{Currencies: []string{"SEK"}}),
		kind(openbanking.PaymentTypeCrossborder, openbanking.ResponsePaymentType{
			CreditorCountryRequired: new(true), CreditorAgentBICFIRequired: new(true),
			RemittanceInformationLines: []openbanking.RemittanceInformationLineInfo{{MinLength: new(2), MaxLength: new(35)}, {Pattern: new(`^\d+$`)}},
		}),
	}
}

// startPaying runs a service whose bank takes payments up to 5000, with an application that has a webhook.
func startPaying(t testing.TB) *service {
	t.Helper()
	s := tuned(t, func(o *engine.Options, _ *api.Options) { o.PaymentLimit = "5000" }, paying)
	s.app, s.token = s.registerPaying(openbanking.EnvironmentSandbox)
	return s
}

// registerPaying is register with a webhook origin.
func (s *service) registerPaying(environment openbanking.Environment) (aggregator.Application, string) {
	s.t.Helper()
	text, email := "https://app.example/about", "privacy@app.example"
	app, err := s.registry.Register(s.t.Context(), openbanking.RegisterApplicationRequest{
		Certificate: certificate(), Environment: environment, Name: "Ledger", RedirectURLs: []string{callback},
		Description: &text, GDPREmail: &email, PrivacyURL: &text, TermsURL: &text,
	}, []string{"https://app.example"})
	if err != nil {
		s.t.Fatal(err)
	}
	token, err := apptoken.NewSigner(key(), app.ID, issuer, audience).Token(time.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	return app, token
}

type object = map[string]any

// paymentRequest is a body of POST /payments that is right; pairs replace members by their paths, as the errors name them, in
// an array of one element by "[0]". A nil value leaves the member out.
func paymentRequest(pairs ...any) string {
	body := object{
		"payment_type": "SEPA",
		"payment_request": object{
			"credit_transfer_transaction": []any{object{
				"instructed_amount": object{"currency": "EUR", "amount": "12.30"},
				"beneficiary": object{
					"creditor":         object{"name": "Jane Doe"},
					"creditor_account": object{"scheme_name": "IBAN", "identification": payee},
				},
			}},
		},
		"aspsp":        object{"name": "Northlight", "country": "FI"},
		"state":        "state of the application",
		"redirect_url": callback,
		"psu_type":     "personal",
	}
	for i := 0; i < len(pairs); i += 2 {
		set(body, strings.Split(pairs[i].(string), "."), pairs[i+1])
	}
	data, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func set(o object, path []string, value any) {
	name, element := strings.CutSuffix(path[0], "[0]")
	switch {
	case len(path) == 1 && value == nil:
		delete(o, name)
	case len(path) == 1:
		o[name] = value
	case element:
		set(o[name].([]any)[0].(object), path[1:], value)
	default:
		if o[name] == nil {
			o[name] = object{}
		}
		set(o[name].(object), path[1:], value)
	}
}

const (
	first    = "payment_request.credit_transfer_transaction[0]"
	amountOf = first + ".instructed_amount.amount"
	ibanOf   = first + ".beneficiary.creditor_account.identification"
	dateOf   = first + ".requested_execution_date"
)

// transfers are n transactions.
func transfers(n int) []any {
	var list []any
	for i := range n {
		list = append(list, object{
			"instructed_amount": object{"currency": "EUR", "amount": fmt.Sprintf("%d.00", i+1)},
			"beneficiary":       object{"creditor_account": object{"scheme_name": "IBAN", "identification": payee}},
		})
	}
	return list
}

// pay creates a payment and returns the answer.
func (s *service) pay(pairs ...any) answer {
	s.t.Helper()
	created := s.call("POST", "/payments", paymentRequest(pairs...))
	if created.status != 200 {
		s.t.Fatalf("POST /payments: %d %s", created.status, created.raw)
	}
	return created
}

// TestPaymentRules: every rule of the fields of POST /payments (spec: Payments; issue: Bad input).
func TestPaymentRules(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	const wrong = openbanking.WrongRequestParameters
	day := func(n int) string { return time.Now().UTC().AddDate(0, 0, n).Format(time.DateOnly) }
	tests := []struct {
		name   string
		pairs  []any
		status int
		code   openbanking.ErrorCode
		detail string
	}{
		{"least", nil, 200, "", ""},
		{"everything", []any{
			"auth_method", "card", "credentials", object{"pin": "1234"}, "language", "fi", "webhook_url", webhook, "psu_id", "42", "extra", 1,
			"payment_request.payment_information_id", "block 7", "payment_request.purpose", "COMC", "payment_request.charge_bearer", "SLEV",
			"payment_request.debtor_currency", "EUR",
			"payment_request.payment_type_information", object{"service_level": "SEPA", "category_purpose": "SUPP"},
			"payment_request.debtor_account", object{"scheme_name": "IBAN", "identification": "FI2112345600000785"},
			"payment_request.debtor", object{"name": "Anna Virtanen", "contact_details": object{"email_address": "anna@app.example"}},
			first + ".payment_id", object{"end_to_end_id": "order-1"}, first + ".reference_number", "RF18539007547034", dateOf, day(90),
		}, 200, "", ""},
		{"optional fields null", []any{"auth_method", (*int)(nil), "credentials", (*int)(nil), "language", (*int)(nil), "webhook_url", (*int)(nil), "psu_id",
			(*int)(nil), "payment_request.debtor", (*int)(nil), first + ".remittance_information", (*int)(nil)}, 200, "", ""},
		{"optional fields empty", []any{
			"auth_method", "", "credentials", object{}, "language", "", "webhook_url", "", "psu_id", "",
			"payment_request.payment_information_id", "", "payment_request.purpose", "", "payment_request.charge_bearer", "", "payment_request.debtor_currency", "",
			"payment_request.payment_type_information", object{"instruction_priority": "", "service_level": "", "category_purpose": "", "local_instrument": ""},
			"payment_request.debtor", object{"name": "", "postal_address": object{"street_name": "", "country": "", "address_line": []string{"", ""}},
				"organisation_id": object{"identification": "", "scheme_name": "", "issuer": nil}, "contact_details": object{"email_address": "", "phone_number": ""}},
			"payment_request.debtor_account", object{"identification": "", "scheme_name": ""}, "payment_request.debtor_agent",
			object{"bic_fi": "", "clearing_system_member_id": object{"clearing_system_id": "", "member_id": ""}},
			first + ".payment_id", object{"instruction_id": "", "end_to_end_id": ""}, dateOf, "", first + ".reference_number", "", first + ".end_date", "",
			first + ".execution_rule", "", first + ".frequency", "",
			first + ".ultimate_debtor", "", first + ".ultimate_creditor", []int{}, first + ".regulatory_reporting", "", first + ".remittance_information", []string{""},
			first + ".beneficiary.creditor_agent", object{"bic_fi": ""}, first + ".beneficiary.creditor_currency", "",
			first + ".beneficiary.creditor_account.issuer", "",
		}, 200, "", ""},
		{"required fields empty", []any{first + ".beneficiary.creditor.name", "", amountOf, "", ibanOf, ""}, 422, wrong, "instructed_amount.amount is empty"},
		{"standing order", []any{first + ".frequency", "MNTH", first + ".end_date", day(365), first + ".execution_rule", "FWNG", dateOf, day(1)}, 200, "", ""},
		{"the limit itself", []any{amountOf, "5000.00"}, 200, "", ""},

		{"no payment_type", []any{"payment_type", nil}, 422, wrong, "payment_type is missing"},
		{"unknown payment_type", []any{"payment_type", "CHEQUE"}, 422, wrong, "payment_type must be one of"},
		{"payment_type not offered", []any{"payment_type", "INTERNAL"}, 422, wrong, "payment_type is not offered by the ASPSP"},
		{"no payment_request", []any{"payment_request", nil}, 422, wrong, "payment_request is missing"},
		{"payment_request is an array", []any{"payment_request", []int{}}, 422, wrong, "payment_request must be an object"},
		{"no transactions", []any{"payment_request.credit_transfer_transaction", nil}, 422, wrong, "payment_request.credit_transfer_transaction is missing"},
		{"an empty list", []any{"payment_request.credit_transfer_transaction", []int{}}, 422, wrong, "at least one transaction"},
		{"transaction is null", []any{"payment_request.credit_transfer_transaction", []any{nil}}, 422, wrong,
			"payment_request.credit_transfer_transaction[0] is missing"},
		{"no amount", []any{first + ".instructed_amount", nil}, 422, wrong, "instructed_amount is missing"},
		{"no beneficiary", []any{first + ".beneficiary", nil}, 422, wrong, "beneficiary is missing"},
		{"no creditor account", []any{first + ".beneficiary.creditor_account", nil}, 422, wrong, "creditor_account is missing"},
		{"unknown bank", []any{"aspsp.name", "Nobody"}, 422, openbanking.WrongASPSPProvided, ""},
		{"wrong country", []any{"aspsp.country", "SE"}, 422, openbanking.WrongASPSPProvided, ""},
		{"no state", []any{"state", nil}, 422, wrong, "state is missing"},
		{"state too long", []any{"state", strings.Repeat("x", 4097)}, 422, wrong, "state is longer"},
		{"no psu_type", []any{"psu_type", nil}, 422, wrong, "psu_type is missing"},
		{"psu_type not supported", []any{"psu_type", "business"}, 422, wrong, "psu_type is not supported"},
		{"language in capitals", []any{"language", "FI"}, 422, wrong, "language must be"},
		{"no redirect", []any{"redirect_url", nil}, 422, wrong, "redirect_url is missing"},
		{"redirect elsewhere", []any{"redirect_url", "https://evil.example/callback"}, 400, openbanking.RedirectURINotAllowed, ""},
		{"redirect with a query", []any{"redirect_url", callback + "?next=1"}, 400, openbanking.RedirectURINotAllowed, ""},

		{"credentials alone", []any{"credentials", object{"pin": "1234"}}, 422, wrong, "credentials may be given only together with auth_method"},
		{"unknown auth_method", []any{"auth_method", "fax"}, 422, wrong, "auth_method is not one"},
		{"auth_method not for this type", []any{"payment_type", "INST_SEPA", "auth_method", "card"}, 422, wrong, "auth_method is not allowed for this payment_type"},
		{"credentials the method does not take", []any{"auth_method", "web", "credentials", object{"pin": "1234"}}, 422, openbanking.WrongCredentialsProvided, "pin"},
		{"credentials of another form", []any{"auth_method", "card", "credentials", object{"pin": "12345"}}, 422, openbanking.WrongCredentialsProvided, "pin"},

		{"amount 0", []any{amountOf, "0"}, 422, wrong, amountOf + " is zero"},
		{"amount -1", []any{amountOf, "-1"}, 422, wrong, amountOf + " is negative"},
		{"amount 1e3", []any{amountOf, "1e3"}, 422, wrong, amountOf + " has an exponent"},
		{"amount 1,00", []any{amountOf, "1,00"}, 422, wrong, amountOf + " has a comma"},
		{"amount NaN", []any{amountOf, "NaN"}, 422, wrong, amountOf + " is not a number"},
		{"amount of 19 digits", []any{amountOf, "1234567890123456789"}, 422, wrong, "has 19 digits; at most 18"},
		{"amount with too many decimals", []any{amountOf, "1.001"}, 422, wrong, "has 3 decimals; EUR has 2"},
		{"amount is a number", []any{amountOf, 12.3}, 422, wrong, amountOf + " must be a string"},
		{"currency not supported", []any{first + ".instructed_amount.currency", "SEK"}, 422, wrong, "must be EUR"},
		{"unknown currency", []any{first + ".instructed_amount.currency", "ABC"}, 422, wrong, "is not the code of a currency"},
		{"IBAN too short", []any{ibanOf, payee[:21]}, 422, wrong, "A German IBAN has 22 characters; this one has 21."},
		{"IBAN with wrong check digits", []any{ibanOf, "DE88370400440532013000"}, 422, wrong, "The check digits do not fit"},
		{"IBAN with a Cyrillic letter", []any{ibanOf, "D\u041589370400440532013000"}, 422, wrong, "the Cyrillic letter"},
		{"IBAN with a full-width digit", []any{ibanOf, "DE\uff189370400440532013000"}, 422, wrong, "the full-width character"},
		{"IBAN with an invisible character", []any{ibanOf, "DE89\u200b370400440532013000"}, 422, wrong, "zero-width space"},
		{"unknown scheme", []any{first + ".beneficiary.creditor_account.scheme_name", "XYZ"}, 422, wrong, "scheme_name must be one of"},
		{"scheme not supported", []any{"payment_type", "DOMESTIC_SE_GIRO", first + ".instructed_amount.currency", "SEK"}, 422, wrong, "it supports BGNR, PGNR"},
		{"Bankgiro with a wrong digit", []any{"payment_type", "DOMESTIC_SE_GIRO", first + ".instructed_amount.currency", "SEK",
			first + ".beneficiary.creditor_account", object{"scheme_name": "BGNR", "identification": "5050-1056"}}, 422, wrong, "is not a valid Bankgiro number"},
		{"no creditor name", []any{first + ".beneficiary.creditor", nil}, 422, wrong, "beneficiary.creditor.name is missing"},
		{"control character in a name", []any{first + ".beneficiary.creditor.name", "Jane\x00Doe"}, 422, wrong, "character 5 is"},
		{"charge bearer not supported", []any{"payment_request.charge_bearer", "SHAR"}, 422, wrong, "payment_request.charge_bearer is not supported"},
		{"date in the past", []any{dateOf, day(-1)}, 422, wrong, dateOf + " is in the past"},
		{"date beyond the window", []any{dateOf, day(91)}, 422, wrong, "is 91 days ahead; the ASPSP takes at most 90 days"},
		{"date that there is not", []any{dateOf, "2026-02-30"}, 422, wrong, dateOf + " is not a date"},
		{"date of an instant payment", []any{"payment_type", "INST_SEPA", dateOf, day(1)}, 422, wrong, "executed at once"},
		{"end before the beginning", []any{first + ".frequency", "WEEK", dateOf, day(7), first + ".end_date", day(6)}, 422, wrong,
			"end_date is before the first execution"},
		{"wrong check digits of a reference", []any{first + ".reference_number", "RF19539007547034"}, 422, wrong, "should be 18; here they are 19"},
		{"no debtor account", []any{"payment_type", "BULK_SEPA"}, 422, wrong, "payment_request.debtor_account is missing"},
		{"no BIC, no country, no line that fits", []any{"payment_type", "CROSSBORDER", first + ".remittance_information", []string{"x", "y"}}, 422, wrong,
			"beneficiary.creditor_agent.bic_fi is missing"},

		{"too many transactions", []any{"payment_request.credit_transfer_transaction", transfers(2)}, 422, openbanking.PaymentLimitExceeded,
			"has 2 transactions; the ASPSP takes at most 1"},
		{"more than the limit", []any{amountOf, "5000.01"}, 422, openbanking.PaymentLimitExceeded, "is more than the limit of a payment, which is 5000.00 EUR"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := s.call("POST", "/payments", paymentRequest(tt.pairs...))
			if tt.status != 200 {
				wantError(t, got, tt.status, tt.code, tt.detail)
				return
			}
			if id := got.text("payment_id"); got.status != 200 || keys(got.body) != "payment_id psu_id_hash status url" || got.text("status") != "PDNG" ||
				len(got.text("psu_id_hash")) != 64 ||
				got.text("url") != "https://auth.service.example/pis/start?payment_id="+id {
				t.Errorf("%d %s", got.status, got.raw)
			}
		})
	}
}

// TestNumbersOfAPaymentAreNormalized: spaces, small letters and 00 for + are no fault; the payment is read back with what the bank gets.
func TestNumbersOfAPaymentAreNormalized(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	created := s.pay(ibanOf, "de89 3704 0044 0532 0130 00", first+".beneficiary.creditor_agent", object{"bic_fi": "cobadeff"},
		"payment_request.debtor_account", object{"scheme_name": "IBAN", "identification": "FI21 1234 5600 0007 85"},
		"payment_request.debtor", object{"name": "Anna Virtanen", "contact_details": object{"phone_number": "00358 40 123 4567"}})
	details := s.call("GET", "/payments/"+created.text("payment_id"), "").at("payment_details").(object)
	beneficiary := details["credit_transfer_transaction"].([]any)[0].(object)["beneficiary"].(object)
	got := fmt.Sprint(beneficiary["creditor_account"].(object)["identification"], " ", beneficiary["creditor_agent"].(object)["bic_fi"], " ",
		details["debtor_account"].(object)["identification"], " ", details["debtor"].(object)["contact_details"].(object)["phone_number"])
	if want := "DE89370400440532013000 COBADEFF FI2112345600000785 +358401234567"; got != want {
		t.Errorf("read back as %s, want %s", got, want)
	}
	wantError(t, s.call("POST", "/payments", paymentRequest("payment_request.debtor", object{"contact_details": object{"phone_number": "040 123 4567"}})),
		422, openbanking.WrongRequestParameters, "phone_number is not a phone number with the code of its country")
}

// TestAllFaultsOfAPayment: an answer names every rule that is broken, in the order of the fields (api-notes 8).
func TestAllFaultsOfAPayment(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	got := s.call("POST", "/payments", paymentRequest("payment_type", "CROSSBORDER", first+".remittance_information", []string{"x", "y"}))
	wantError(t, got, 422, openbanking.WrongRequestParameters, "")
	for _, field := range []string{".beneficiary.creditor_agent.bic_fi is missing", ".beneficiary.creditor.postal_address.country is missing",
		".remittance_information[0] has 1 character; the ASPSP needs at least 2", ".remittance_information[1] does not have the form"} {
		if !strings.Contains(got.raw, first+field) {
			t.Errorf("%s is missing: %s", field, got.raw)
		}
	}
}

// ordinary are n transactions as clients send them, of about 1200 bytes each.
func ordinary(n int) []any {
	party := func(name string) object {
		return object{
			"name": name,
			"postal_address": object{"address_type": "Business", "street_name": "Unter den Linden", "building_number": "77", "post_code": "10117",
				"town_name": "Berlin", "country": "DE", "address_line": []string{"Unter den Linden 77", "10117 Berlin"}},
			"contact_details": object{"email_address": "accounts@payee.example", "phone_number": "+49301234567"},
		}
	}
	var list []any
	for i := range n {
		list = append(list, object{
			"instructed_amount": object{"currency": "EUR", "amount": fmt.Sprintf("%d.%02d", i%4+1, i%100)},
			"beneficiary": object{"creditor": party(fmt.Sprintf("Bürobedarf Müller & Söhne GmbH %d", i)),
				"creditor_account": object{"scheme_name": "IBAN", "identification": payee},
				"creditor_agent":   object{"bic_fi": "COBADEFFXXX", "name": "Commerzbank Berlin"}},
			"payment_id":             object{"instruction_id": fmt.Sprintf("instruction-%d", i), "end_to_end_id": fmt.Sprintf("invoice-2026-11-%d", i)},
			"ultimate_creditor":      party("Müller Holding Aktiengesellschaft, Abteilung Forderungen"),
			"remittance_information": []string{fmt.Sprintf("Invoice 2026-11-%d, delivery of 12 November, customer 4711, thank you for the good work over all these years", i)},
		})
	}
	return list
}

// TestBodiesOfPaymentsHaveRoomForMaxTransactions: the largest body follows from the largest max_transactions of the banks; that of
// other endpoints does not (TestBadInput).
func TestBodiesOfPaymentsHaveRoomForMaxTransactions(t *testing.T) {
	t.Parallel()
	testkit.Unwatched(t)
	const most = 1000
	s := tuned(t, func(*engine.Options, *api.Options) {}, paying, func(b *banktest.Bank) {
		b.Data.Payments[2].MaxTransactions = new(most)
	})
	send := func(list []any) string {
		return paymentRequest("payment_type", "BULK_SEPA", "payment_request.debtor_account",
			object{"scheme_name": "IBAN", "identification": "FI2112345600000785"}, "payment_request.credit_transfer_transaction", list)
	}
	full := send(ordinary(most))
	if len(full) < most*1200 {
		t.Fatalf("a transaction has %d bytes", len(full)/most)
	}
	created := s.call("POST", "/payments", full)
	if created.status != 200 {
		t.Fatalf("%d bytes: %d %.1000s", len(full), created.status, created.raw)
	}
	got := s.call("GET", "/payments/"+created.text("payment_id"), "")
	if list, _ := got.at("payment_details.credit_transfer_transaction").([]any); got.status != 200 || len(list) != most {
		t.Errorf("%d with %d transactions", got.status, len(list))
	}
	wantError(t, s.call("POST", "/payments", send(ordinary(most+1))), 422, openbanking.PaymentLimitExceeded, "has 1001 transactions; the ASPSP takes at most 1000")
	wantError(t, s.call("POST", "/payments", `{"state":"`+strings.Repeat("x", 1<<20+4096*most)+`"}`), 422, openbanking.WrongRequestParameters,
		"body is larger than 5144576 bytes")
}

// What a body holds is counted before it is decoded: a body within its size, of the smallest values, is refused.
func TestBodiesThatHoldTooMuch(t *testing.T) {
	t.Parallel()
	s := start(t, paying)
	for name, one := range map[string]string{"objects": `{}`, "texts": `""`, "lists": `[]`} {
		for path, size := range map[string]int{"/payments": 900 << 10, "/auth": 500 << 10, "/sessions": 40 << 10} {
			body := `{"payment_request":{"credit_transfer_transaction":[` + one + strings.Repeat(","+one, size/3) + `]}}`
			wantError(t, s.call("POST", path, body), 422, openbanking.WrongRequestParameters, "body holds more values")
		}
		if got := s.call("GET", "/application", ""); got.status != 200 {
			t.Errorf("after %s: %d", name, got.status)
		}
	}
}

// unread is a body that nobody may read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, io.EOF
}

func (unread) Close() error { return nil }

// TestBodiesAreReadAfterTheToken: who has no right to call gets no memory.
func TestBodiesAreReadAfterTheToken(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	for _, path := range []string{"/payments", "/auth", "/sessions"} {
		for _, token := range []string{"", "Bearer x", "Bearer " + s.token[:len(s.token)-4]} {
			r := httptest.NewRequest("POST", path, unread{t})
			r.ContentLength = 1 << 20
			r.Header.Set("Authorization", token)
			w := httptest.NewRecorder()
			s.Config.Handler.ServeHTTP(w, r)
			if w.Code != 401 {
				t.Errorf("POST %s with %q: %d", path, token, w.Code)
			}
		}
	}
}

// TestWebhookURLs: webhook_url begins with an origin of the application, without credentials (issue: Bad input).
func TestWebhookURLs(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	for _, address := range []string{
		"app.example/webhooks", "/webhooks", "https://", "https://app.example@evil.example/", "https://user:secret@app.example/webhooks", "https://user@app.example/",
		"http://app.example/webhooks", "https://app.example:8443/", "https://evil.example/", "https://app.example.evil.example/", "https://sub.app.example/",
		"https://app.example./",
		"https://app.example/#part", "javascript:alert(1)", "file:///etc/passwd", "https://app.example\\@evil.example/", "https://app.example\t/",
		" https://app.example/", "https://xn--app-example/",
		"https://127.0.0.1/", "https://[::1]/", "https://0/", "https://2130706433/", "https://0x7f.1/", "https://[::ffff:127.0.0.1]/", "https://localhost/",
		"https://10.0.0.1/", "https://169.254.169.254/",
		"https://app.example/" + strings.Repeat("x", 2083),
	} {
		got := s.call("POST", "/payments", paymentRequest("webhook_url", address))
		if got.status != 400 || got.text("error") != string(openbanking.WebhookURINotAllowed) || !strings.HasPrefix(got.text("detail"), "webhook_url ") {
			t.Errorf("%.60q: %d %s", address, got.status, got.raw)
		}
		if strings.Contains(got.raw, "secret") {
			t.Errorf("the answer repeats the credentials: %s", got.raw)
		}
	}
	for _, address := range []string{"", "https://app.example", "https://app.example/", "https://app.example:443/a?b=c", "HTTPS://APP.example/a", webhook} {
		if got := s.call("POST", "/payments", paymentRequest("webhook_url", address)); got.status != 200 {
			t.Errorf("%q: %d %s", address, got.status, got.raw)
		}
	}
}

// TestGetPayment: the read-back of a payment (spec: GetPaymentResponse).
func TestGetPayment(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	created := s.pay("payment_type", "BULK_SEPA", "payment_request.credit_transfer_transaction", transfers(3), "payment_request.debtor_account",
		object{"scheme_name": "IBAN", "identification": "FI2112345600000785"})
	id := created.text("payment_id")
	got := s.call("GET", "/payments/"+id, "")
	if got.status != 200 || keys(got.body) != "aspsp final_status payment_details payment_id payment_type psu_id_hash status status_reason_information" {
		t.Fatalf("%d %s", got.status, got.raw)
	}
	if got.text("payment_id") != id || got.text("status") != "PDNG" || got.at("final_status") != false || got.text("payment_type") != "BULK_SEPA" ||
		got.text("aspsp.name") != "Northlight" ||
		got.text("psu_id_hash") != created.text("psu_id_hash") || got.at("status_reason_information") != nil ||
		got.text("payment_details.debtor_account.identification") != "FI2112345600000785" {
		t.Errorf("%s", got.raw)
	}
	seen := map[string]bool{}
	for i, item := range got.at("payment_details.credit_transfer_transaction").([]any) {
		details := item.(object)
		transaction, _ := details["transaction_id"].(string)
		if seen[transaction] || len(transaction) != 36 || details["transaction_status"] != "PDNG" ||
			details["instructed_amount"].(object)["amount"] != fmt.Sprintf("%d.00", i+1) {
			t.Errorf("transaction %d: %v", i, details)
		}
		seen[transaction] = true
		one := s.call("GET", "/payments/"+strings.ToUpper(id)+"/transactions/"+strings.ToUpper(transaction), "")
		if one.status != 200 || keys(one.body) != "payment_id transaction_details" || one.text("payment_id") != id ||
			fmt.Sprint(one.at("transaction_details")) != fmt.Sprint(item) {
			t.Errorf("%d %s", one.status, one.raw)
		}
	}
	if len(seen) != 3 {
		t.Errorf("%d transactions", len(seen))
	}
	for _, other := range []string{"00000000-0000-4000-8000-000000000000", "1", id, "%00"} {
		wantError(t, s.call("GET", "/payments/"+id+"/transactions/"+other, ""), 422, openbanking.TransactionDoesNotExist, "")
	}
}

// TestDeletePayment: only a payment with a final status can be deleted, and later reads are 404 (spec: Payments; api-notes 8).
func TestDeletePayment(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	id := s.pay().text("payment_id")
	wantError(t, s.call("DELETE", "/payments/"+id, ""), 422, openbanking.PaymentNotFinalized, "")
	back, err := s.engine.DenyPayment(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if u, err := url.Parse(back); err != nil || u.Query().Get("error") != "access_denied" || u.Query().Get("state") != "state of the application" {
		t.Errorf("back to %s, %v", back, err)
	}
	if got := s.call("GET", "/payments/"+id, ""); got.text("status") != "CNCL" || got.at("final_status") != true {
		t.Errorf("%s", got.raw)
	}
	got := s.call("DELETE", "/payments/"+strings.ToUpper(id), "")
	if got.status != 200 || got.raw != `{"message":"OK"}`+"\n" {
		t.Errorf("%d %s", got.status, got.raw)
	}
	for _, call := range [][2]string{{"GET", ""}, {"DELETE", ""}, {"GET", "/transactions/1"}} {
		wantError(t, s.call(call[0], "/payments/"+id+call[1], ""), 404, openbanking.PaymentNotFound, "")
	}
}

// TestPaymentsOfOthers: a payment is known to its own application alone.
func TestPaymentsOfOthers(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	id := s.pay().text("payment_id")
	transaction := s.call("GET", "/payments/"+id, "").at("payment_details.credit_transfer_transaction").([]any)[0].(object)["transaction_id"].(string)
	own := s.token
	_, s.token = s.register(openbanking.EnvironmentSandbox)
	for _, call := range [][2]string{{"GET", ""}, {"DELETE", ""}, {"GET", "/transactions/" + transaction}} {
		wantError(t, s.call(call[0], "/payments/"+id+call[1], ""), 404, openbanking.PaymentNotFound, "")
	}
	s.token = own
	if got := s.call("GET", "/payments/"+id, ""); got.status != 200 {
		t.Errorf("%d %s", got.status, got.raw)
	}
}

// TestAccessDeniedWithoutPIS: without the service PIS every endpoint of payments is ACCESS_DENIED, until the operator grants
// it (spec: Environments and activation).
func TestAccessDeniedWithoutPIS(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	sandbox := s.pay().text("payment_id")
	s.app, s.token = s.registerPaying(openbanking.EnvironmentProduction)
	if err := s.registry.Approve(t.Context(), s.app.ID); err != nil {
		t.Fatal(err)
	}
	calls := [][3]string{{"POST", "/payments", paymentRequest()}, {"GET", "/payments/" + sandbox, ""}, {"DELETE", "/payments/1", ""},
		{"GET", "/payments/1/transactions/2", ""}}
	for _, call := range calls {
		wantError(t, s.call(call[0], call[1], call[2]), 403, openbanking.AccessDenied, "")
	}
	if err := s.registry.GrantPayments(t.Context(), s.app.ID); err != nil {
		t.Fatal(err)
	}
	id := s.pay().text("payment_id")
	if err := s.registry.WithdrawPayments(t.Context(), s.app.ID); err != nil {
		t.Fatal(err)
	}
	for _, call := range append(calls, [3]string{"GET", "/payments/" + id, ""}) {
		wantError(t, s.call(call[0], call[1], call[2]), 403, openbanking.AccessDenied, "")
	}
}

// TestUntrustedPaymentParty: an application that is restricted to own accounts pays from and to these alone (spec: UNTRUSTED_PAYMENT_PARTY).
func TestUntrustedPaymentParty(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	own := "FI2112345600000785" // of banktest
	hash := accounts(s.link("auth_method", "web"))[0]["identification_hash"].(string)
	s.app, s.token = s.registerPaying(openbanking.EnvironmentProduction)
	linked := []aggregator.OwnAccount{{Hash: hash, ASPSP: openbanking.ASPSP{Name: "Northlight", Country: "FI"}, Label: "Own", Linked: time.Now()}}
	if err := s.store.LinkAccounts(t.Context(), s.app.ID, linked); err != nil {
		t.Fatal(err)
	}
	if err := s.registry.GrantPayments(t.Context(), s.app.ID); err != nil {
		t.Fatal(err)
	}
	from := func(iban string) []any {
		return []any{"payment_request.debtor_account", object{"scheme_name": "IBAN", "identification": iban}}
	}
	for _, tt := range []struct {
		pairs  []any
		detail string
	}{
		{[]any{ibanOf, own}, "payment_request.debtor_account is needed"},
		{append(from(payee), ibanOf, own), "payment_request.debtor_account is none of the own accounts"},
		{from(own), first + ".beneficiary.creditor_account is none of the own accounts"},
	} {
		wantError(t, s.call("POST", "/payments", paymentRequest(tt.pairs...)), 422, openbanking.UntrustedPaymentParty, tt.detail)
	}
	s.pay(append(from(own), ibanOf, own)...)
}

// TestPaymentsInLogs: the logs know the bank and the application of a payment, never who is paid and how much (security: logs).
func TestPaymentsInLogs(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	id := s.pay(amountOf, "4321.09", first+".remittance_information", []string{"Geheimnis"}, "webhook_url", webhook).text("payment_id")
	s.call("GET", "/payments/"+id, "")
	s.call("POST", "/payments", paymentRequest(amountOf, "4321.091"))
	s.call("POST", "/payments", paymentRequest(ibanOf, payee+"7"))
	lines := 0
	for line := range strings.Lines(s.log.String()) {
		var entry object
		if json.Unmarshal([]byte(line), &entry) != nil || entry["route"] != "POST /payments" && entry["route"] != "GET /payments/{payment_id}" {
			continue
		}
		lines++
		if entry["status"] == float64(200) && (entry["bank"] != "Northlight" || entry["country"] != "FI") || entry["application"] != s.app.ID {
			t.Errorf("%s", line)
		}
	}
	if lines != 4 {
		t.Errorf("%d lines of payments, want 4:\n%s", lines, s.log.String())
	}
	for _, secret := range []string{"Jane Doe", payee, "4321", "Geheimnis", "webhooks/payments", "state of the application"} {
		if strings.Contains(s.log.String(), secret) {
			t.Errorf("%q is in the log", secret)
		}
	}
}

// TestPaymentBodiesAreStrict: each member of a payment in a wrong type is refused by its name, whatever its place.
func TestPaymentBodiesAreStrict(t *testing.T) {
	t.Parallel()
	s := startPaying(t)
	var whole object
	if err := json.Unmarshal([]byte(paymentRequest("webhook_url", webhook, "auth_method", "card", "credentials", object{"pin": "1234"},
		"payment_request.charge_bearer", "SLEV", first+".remittance_information", []string{"Rent"})), &whole); err != nil {
		t.Fatal(err)
	}
	tried := 0
	var walk func(o object, path string)
	walk = func(o object, path string) {
		for name, value := range maps.Clone(o) {
			at := strings.TrimPrefix(path+"."+name, ".")
			o[name] = true // no member of a payment is a truth
			body, err := json.Marshal(whole)
			if err != nil {
				t.Fatal(err)
			}
			wantError(t, s.call("POST", "/payments", string(body)), 422, openbanking.WrongRequestParameters, at+" must be ")
			tried++
			o[name] = value
			switch value := value.(type) {
			case object:
				walk(value, at)
			case []any:
				if inner, ok := value[0].(object); ok {
					walk(inner, at+"[0]")
				}
			}
		}
	}
	walk(whole, "")
	if tried < 20 {
		t.Errorf("%d members were tried", tried)
	}
}
