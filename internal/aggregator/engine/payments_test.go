package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/banktest"
	"florin/internal/aggregator/engine"
	"florin/internal/aggregator/storage"
	"florin/internal/openbanking"
	"florin/internal/sqlite/sqlitetest"
	"florin/migrations"
)

// till is a service that takes payments for one application at some banks, with a clock that the test moves.
type till struct {
	*engine.Engine
	store   *storage.Store
	app     aggregator.Application
	elapsed atomic.Int64
}

var opening = time.Date(2026, 1, 30, 12, 0, 0, 0, time.UTC)

func (s *till) now() time.Time { return opening.Add(time.Duration(s.elapsed.Load())) }

// pass lets time go by.
func (s *till) pass(d time.Duration) { s.elapsed.Add(int64(d)) }

const shop = "https://shop.example"

// openTill starts a service with banks; the first one is where payments go.
func openTill(t testing.TB, banks ...*banktest.Bank) *till {
	t.Helper()
	path := filepath.Join(t.TempDir(), "aggregator.db")
	sqlitetest.Make(t, path, migrations.Aggregator)
	store, err := storage.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s := &till{store: store, app: application}
	s.app.Services = []openbanking.Service{openbanking.ServiceAIS, openbanking.ServicePIS}
	s.app.WebhookOrigins = []string{shop, "http://localhost:8080"}
	if err := store.CreateApplication(t.Context(), s.app, aggregator.ApplicationKey{ID: "key", PEM: "none", Created: time.Unix(0, 0)}, 0); err != nil {
		t.Fatal(err)
	}
	s.Engine = engine.New(engine.Options{
		Store: store,
		Connectors: func(ref openbanking.ASPSP) (aggregator.Connector, bool) {
			i := slices.IndexFunc(banks, func(b *banktest.Bank) bool { return b.Data.Reference() == ref })
			if i < 0 {
				return nil, false
			}
			return banks[i], true
		},
		List:         func() []aggregator.Connector { return []aggregator.Connector{banks[0]} },
		AuthURL:      "https://auth.example",
		Secrets:      engine.NewSecrets(),
		BankTimeout:  time.Minute,
		PaymentLimit: "1000",
		Now:          s.now,
	})
	return s
}

func sellingBank() *banktest.Bank { return banktest.New("Northlight", "FI").Sells() }

// order is a request for a payment that breaks no rule.
func order() openbanking.CreatePaymentRequest {
	hook, name := shop+"/hook", "Shop"
	return openbanking.CreatePaymentRequest{
		PaymentType: openbanking.PaymentTypeSEPA,
		PaymentRequest: openbanking.PaymentRequestResource{CreditTransferTransaction: openbanking.List[openbanking.CreditTransferTransaction]{{
			InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: "12.30"},
			Beneficiary: openbanking.Beneficiary{
				Creditor:        &openbanking.PartyIdentification{Name: &name},
				CreditorAccount: openbanking.GenericIdentification{Identification: "DE89370400440532013000", SchemeName: openbanking.SchemeNameIBAN},
			},
		}}},
		ASPSP:       openbanking.ASPSP{Name: "Northlight", Country: "FI"},
		State:       "s",
		RedirectURL: callback,
		PSUType:     openbanking.PSUTypePersonal,
		WebhookURL:  &hook,
	}
}

// create makes a payment that breaks no rule and returns its id.
func (s *till) create(t testing.TB) string {
	t.Helper()
	answer, err := s.CreatePayment(t.Context(), s.app, order())
	if err != nil {
		t.Fatal(err)
	}
	return answer.PaymentID
}

// lead brings a payment to its bank and returns the visit.
func (s *till) lead(t testing.TB, id string) (visitID string) {
	t.Helper()
	visitID, err := s.AcceptPayment(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return visitID
}

// row returns a payment as it is stored.
func (s *till) row(t testing.TB, id string) aggregator.Payment {
	t.Helper()
	row, err := s.store.PaymentByID(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return row
}

// told returns the statuses that the application hears of, in turn.
func (s *till) told(t testing.TB, id string) (statuses []openbanking.PaymentStatus) {
	t.Helper()
	records, err := s.store.Webhooks(context.Background(), aggregator.WebhookFilter{ApplicationID: s.app.ID, PaymentID: id, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(records, func(a, b aggregator.WebhookRecord) int { return a.Sequence - b.Sequence })
	for i, r := range records {
		if r.Sequence != i+1 {
			t.Errorf("event %d has number %d", i+1, r.Sequence)
		}
		statuses = append(statuses, r.Status)
	}
	return statuses
}

// returned is what a redirect tells the application.
func returned(t testing.TB, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil || !strings.HasPrefix(address, callback+"?") {
		t.Fatalf("the browser goes to %q", address)
	}
	q := u.Query()
	if q.Get("state") != "s" || q.Has("code") {
		t.Errorf("the browser goes to %q", address)
	}
	return strings.TrimSpace(q.Get("error") + " " + q.Get("error_description"))
}

// spec: POST /payments. A new payment is PDNG and has a page.
func TestCreatePayment(t *testing.T) {
	bank := sellingBank()
	s := openTill(t, bank)
	answer, err := s.CreatePayment(t.Context(), s.app, order())
	if err != nil || answer.Status != openbanking.PaymentStatusPDNG || len(answer.PSUIDHash) != 64 ||
		answer.URL != "https://auth.example/pis/start?payment_id="+answer.PaymentID {
		t.Errorf("%+v, %v", answer, err)
	}
	got, err := s.Payment(t.Context(), s.app, answer.PaymentID)
	if err != nil || got.Status != openbanking.PaymentStatusPDNG || got.FinalStatus || got.PSUIDHash != answer.PSUIDHash ||
		got.PaymentType != openbanking.PaymentTypeSEPA ||
		got.ASPSP.Name != "Northlight" || got.StatusReasonInformation != nil || got.PaymentDetails.DebtorAccount != nil {
		t.Errorf("%+v, %v", got, err)
	}
	transfer := got.PaymentDetails.CreditTransferTransaction[0]
	if transfer.InstructedAmount.Amount != "12.30" || *transfer.TransactionStatus != openbanking.PaymentStatusPDNG || transfer.TransactionID == nil {
		t.Errorf("%+v", transfer)
	}
	if events := s.told(t, answer.PaymentID); events != nil {
		t.Errorf("the first status is told: %v", events)
	}
}

// spec: POST /payments; api-notes 1 and 8: which rule gives which code.
func TestRulesOfCreatePayment(t *testing.T) {
	bank := two(sellingBank())
	bank.Data.Payments[0].AllowedAuthMethods = []string{"web"}
	str := func(s string) *string { return &s }
	transfer := func(r *openbanking.CreatePaymentRequest) *openbanking.CreditTransferTransaction {
		return &r.PaymentRequest.CreditTransferTransaction[0]
	}
	tests := []struct {
		name   string
		change func(*aggregator.Application, *openbanking.CreatePaymentRequest)
		code   openbanking.ErrorCode
		says   string
	}{
		{"nothing wrong", func(*aggregator.Application, *openbanking.CreatePaymentRequest) {}, "", ""},
		{"service", func(a *aggregator.Application, _ *openbanking.CreatePaymentRequest) {
			a.Services = []openbanking.Service{openbanking.ServiceAIS}
		}, openbanking.AccessDenied, ""},
		{"bank", func(_ *aggregator.Application, r *openbanking.CreatePaymentRequest) { r.ASPSP.Country = "SE" }, openbanking.WrongASPSPProvided, ""},
		{"redirect", func(_ *aggregator.Application, r *openbanking.CreatePaymentRequest) { r.RedirectURL += "/" }, openbanking.RedirectURINotAllowed, ""},
		{"webhook", func(_ *aggregator.Application, r *openbanking.CreatePaymentRequest) {
			r.WebhookURL = str("https://other.example/")
		}, openbanking.WebhookURINotAllowed, "webhook_url must begin with one of the webhook origins"},
		{"no webhook", func(_ *aggregator.Application, r *openbanking.CreatePaymentRequest) { r.WebhookURL = nil }, "", ""},
		{"long state", func(_ *aggregator.Application, r *openbanking.CreatePaymentRequest) {
			r.State = strings.Repeat("x", 4097)
		}, openbanking.WrongRequestParameters, "state is longer than 4096 bytes"},
		{"psu_type", func(_ *aggregator.Application, r *openbanking.CreatePaymentRequest) { r.PSUType = "robot" }, openbanking.WrongRequestParameters,
			"psu_type is not supported"},
		{"payment type", func(_ *aggregator.Application, r *openbanking.CreatePaymentRequest) {
			r.PaymentType = openbanking.PaymentTypeDomestic
		}, openbanking.WrongRequestParameters, "payment_type is not offered by the ASPSP for psu_type personal; it offers SEPA"},
		{"payment type of the other PSUs", func(_ *aggregator.Application, r *openbanking.CreatePaymentRequest) {
			r.PSUType = openbanking.PSUTypeBusiness
		}, openbanking.WrongRequestParameters, "payment_type is not offered by the ASPSP for psu_type business; it offers no payments for it"},
		{"language", func(_ *aggregator.Application, r *openbanking.CreatePaymentRequest) { r.Language = str("FI") }, openbanking.WrongRequestParameters, "language"},
		{"method", func(_ *aggregator.Application, r *openbanking.CreatePaymentRequest) { r.AuthMethod = str("fax") }, openbanking.WrongRequestParameters,
			"auth_method is not one of"},
		{"method for payments", func(_ *aggregator.Application, r *openbanking.CreatePaymentRequest) { r.AuthMethod = str("web") }, "", ""},
		{"method for accounts alone", func(_ *aggregator.Application, r *openbanking.CreatePaymentRequest) { r.AuthMethod = str("app") },
			openbanking.WrongRequestParameters, "auth_method is not allowed for this payment_type; the ASPSP allows web"},
		{"credentials without a method", func(_ *aggregator.Application, r *openbanking.CreatePaymentRequest) {
			r.Credentials = map[string]string{"pin": "1234"}
		}, openbanking.WrongRequestParameters, "credentials may be given only together with auth_method"},
		{"wrong credentials", func(_ *aggregator.Application, r *openbanking.CreatePaymentRequest) {
			r.AuthMethod, r.Credentials = str("web"), map[string]string{"puk": "1234"}
		}, openbanking.WrongCredentialsProvided, "The method needs this credential too: pin"},
		{"amount", func(_ *aggregator.Application, r *openbanking.CreatePaymentRequest) {
			transfer(r).InstructedAmount.Amount = "0"
		}, openbanking.WrongRequestParameters, "payment_request.credit_transfer_transaction[0].instructed_amount.amount"},
		{"limit", func(_ *aggregator.Application, r *openbanking.CreatePaymentRequest) {
			transfer(r).InstructedAmount.Amount = "1000.01"
		}, openbanking.PaymentLimitExceeded, "payment_request.credit_transfer_transaction"},
		{"at the limit", func(_ *aggregator.Application, r *openbanking.CreatePaymentRequest) {
			transfer(r).InstructedAmount.Amount = "1000.00"
		}, "", ""},
	}
	s := openTill(t, bank)
	for _, tt := range tests {
		app, r := s.app, order()
		tt.change(&app, &r)
		_, err := s.CreatePayment(t.Context(), app, r)
		if tt.code == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		var refused *openbanking.Error
		if !errors.Is(err, tt.code) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.code)
		} else if tt.says != "" && (!errors.As(err, &refused) || !strings.Contains(refused.Message+string(refused.Detail), tt.says)) {
			t.Errorf("%s: %+v does not say %q", tt.name, refused, tt.says)
		}
	}
}

// spec: WEBHOOK_URI_NOT_ALLOWED. The origin of webhook_url is one of the application's.
func TestWebhookURLs(t *testing.T) {
	s := openTill(t, sellingBank())
	for address, allowed := range map[string]bool{
		"https://shop.example":                              true,
		"https://shop.example/hook?id=1":                    true,
		"https://SHOP.example:443/hook":                     true,
		"http://localhost:8080/hook":                        true,
		"http://shop.example/hook":                          false,
		"https://shop.example:8443/hook":                    false,
		"https://shop.example.evil.example/hook":            false,
		"https://shop.example@evil.example/hook":            false,
		"https://user:secret@shop.example/hook":             false,
		"https://@shop.example/hook":                        false,
		"https://shop.example/hook#part":                    false,
		"https://shop.example/hook#":                        false,
		"https://shop.example\\@evil.example/":              false,
		"https://shop.example/a b":                          false,
		"//shop.example/hook":                               false,
		"/hook":                                             false,
		"":                                                  false,
		"ftp://shop.example/hook":                           false,
		"https:shop.example":                                false,
		"https://localhost:8080/hook":                       false,
		"https://127.0.0.1/hook":                            false,
		"https://[::1]/hook":                                false,
		"https://2130706433/hook":                           false,
		"https://shop.example." + "/hook":                   false,
		"https://shop.example/" + strings.Repeat("x", 2083): false,
	} {
		r := order()
		r.WebhookURL = &address
		_, err := s.CreatePayment(t.Context(), s.app, r)
		if (err == nil) != allowed || err != nil && !errors.Is(err, openbanking.WebhookURINotAllowed) {
			t.Errorf("%q: %v, want allowed %v", address, err, allowed)
		}
	}
}

// The first broken rule gives the code, all of them are in the detail.
func TestEveryBrokenRuleIsTold(t *testing.T) {
	s := openTill(t, sellingBank())
	r := order()
	r.PaymentRequest.CreditTransferTransaction[0].InstructedAmount.Amount = "-1"
	r.PaymentRequest.CreditTransferTransaction[0].Beneficiary.CreditorAccount.Identification = "DE00370400440532013000"
	_, err := s.CreatePayment(t.Context(), s.app, r)
	var refused *openbanking.Error
	if !errors.As(err, &refused) || refused.Code != openbanking.WrongRequestParameters {
		t.Fatal(err)
	}
	var detail struct {
		Message   string `json:"message"`
		ErrorName string `json:"error_name"`
		ErrorData struct {
			Faults []struct {
				Field   string                `json:"field"`
				Error   openbanking.ErrorCode `json:"error"`
				Message string                `json:"message"`
			} `json:"faults"`
		} `json:"error_data"`
	}
	if err := json.Unmarshal(refused.Detail, &detail); err != nil {
		t.Fatal(err)
	}
	faults := detail.ErrorData.Faults
	if len(faults) < 2 || detail.ErrorName != "ParameterValidationException" || detail.Message != faults[0].Message ||
		refused.Message != "Wrong request parameters: "+detail.Message {
		t.Errorf("%s, %s", refused.Message, refused.Detail)
	}
	for _, f := range faults {
		if f.Error != openbanking.WrongRequestParameters || !strings.HasPrefix(f.Message, f.Field+" ") ||
			!strings.Contains(f.Field, "credit_transfer_transaction[0]") {
			t.Errorf("%+v", f)
		}
	}
}

// spec: UNTRUSTED_PAYMENT_PARTY, NO_ACCOUNTS_ADDED. An application for own accounts pays from and to those alone.
func TestPaymentsBetweenOwnAccounts(t *testing.T) {
	bank := sellingBank()
	bank.Data.Payments[0].DebtorAccountSchemas = nil
	bank.Data.Payments[0].CreditorAccountSchemas = nil
	s := openTill(t, bank)
	s.app.Restricted = true
	if _, err := s.CreatePayment(t.Context(), s.app, order()); !errors.Is(err, openbanking.NoAccountsAdded) {
		t.Errorf("without accounts: %v", err)
	}
	iban := func(text string) openbanking.GenericIdentification {
		return openbanking.GenericIdentification{Identification: text, SchemeName: openbanking.SchemeNameIBAN}
	}
	const first, second, foreign = "FI2112345600000785", "FI4250001510000023", "DE89370400440532013000"
	hash := func(ref openbanking.ASPSP, id openbanking.GenericIdentification) aggregator.OwnAccount {
		other := banktest.New(ref.Name, ref.Country)
		other.Holdings[0].Identifiers = []openbanking.GenericIdentification{id}
		started, err := s.StartAuthorization(t.Context(), aggregator.Application{
			ID: s.app.ID, Services: s.app.Services, RedirectURLs: s.app.RedirectURLs,
		}, request(s.now().Add(time.Hour)))
		if err != nil {
			t.Fatal(err)
		}
		bank.Holdings = other.Holdings
		state := accept(t, s.Engine, started.AuthorizationID)
		back, err := s.ReturnFromBank(t.Context(), state, bank.Approve(state), "", "")
		if err != nil {
			t.Fatal(err)
		}
		u, _ := url.Parse(back)
		session, err := s.Redeem(t.Context(), aggregator.Application{ID: s.app.ID}, u.Query().Get("code"))
		if err != nil {
			t.Fatal(err)
		}
		return aggregator.OwnAccount{Hash: session.Accounts[0].IdentificationHash, ASPSP: ref, Label: id.Identification, Linked: s.now()}
	}
	northlight := openbanking.ASPSP{Name: "Northlight", Country: "FI"}
	own := []aggregator.OwnAccount{hash(northlight, iban(first)), hash(northlight, iban(second))}
	if err := s.store.LinkAccounts(t.Context(), s.app.ID, own); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		debtor  *openbanking.GenericIdentification
		to      []string
		trusted bool
	}{
		{"from and to own", new(iban(first)), []string{second}, true},
		{"debtor not named", nil, []string{second}, false},
		{"from a foreign one", new(iban(foreign)), []string{second}, false},
		{"to a foreign one", new(iban(first)), []string{foreign}, false},
		{"one of two is foreign", new(iban(first)), []string{second, foreign}, false},
	} {
		r := order()
		r.PaymentRequest.DebtorAccount = tt.debtor
		template := r.PaymentRequest.CreditTransferTransaction[0]
		r.PaymentRequest.CreditTransferTransaction = nil
		for _, number := range tt.to {
			template.Beneficiary.CreditorAccount = iban(number)
			r.PaymentRequest.CreditTransferTransaction = append(r.PaymentRequest.CreditTransferTransaction, template)
		}
		_, err := s.CreatePayment(t.Context(), s.app, r)
		if (err == nil) != tt.trusted || err != nil && !errors.Is(err, openbanking.UntrustedPaymentParty) {
			t.Errorf("%s: %v, want trusted %v", tt.name, err, tt.trusted)
		}
	}
}

// spec: Payment initiation flow. The PSU approves, the browser comes back with the state alone, and the payment takes its
// course; the read-back is filled in with what the bank knows.
func TestPaymentTakesItsCourse(t *testing.T) {
	bank := sellingBank()
	s := openTill(t, bank)
	id := s.create(t)
	if err := s.MarkOpened(t.Context(), id); err != nil || s.row(t, id).AuthStatus != openbanking.PaymentAuthStatusPending {
		t.Fatalf("%v, %s", err, s.row(t, id).AuthStatus)
	}
	visit := at(t, s.Engine, s.lead(t, id), aggregator.StepRedirect)
	if visit.Payment == nil || visit.Authorization.AuthorizationID != id || visit.Session.AuthorizationID != "" {
		t.Errorf("%+v", visit)
	}
	given := bank.Order(id)
	if given.ID != id || given.Type != openbanking.PaymentTypeSEPA || given.Payment.CreditTransferTransaction[0].InstructedAmount.Amount != "12.30" ||
		given.ApplicationName != "Ledger" || given.ReturnURL != "https://auth.example/pis/return" || given.State == "" {
		t.Errorf("the bank was given %+v", given)
	}
	if of, err := s.AuthorizationOfState(t.Context(), given.State); err != nil || of != id {
		t.Errorf("%q, %v", of, err)
	}
	if target, err := s.ReturnFromBank(t.Context(), given.State, "", "", ""); !errors.Is(err, engine.ErrNotApproved) {
		t.Errorf("a return without an approval: %q, %v", target, err)
	}
	bank.ApprovePayment(id)
	for range 2 { // the browser may come back once more
		if back, err := s.ReturnFromBank(t.Context(), given.State, "", "", ""); err != nil || returned(t, back) != "" {
			t.Errorf("%q, %v", back, err)
		}
	}
	for _, status := range []openbanking.PaymentStatus{openbanking.PaymentStatusACTC, openbanking.PaymentStatusACSP, openbanking.PaymentStatusACSC} {
		bank.Move(id, status)
		got, err := s.Payment(t.Context(), s.app, id)
		if err != nil || got.Status != status || got.FinalStatus != (status == openbanking.PaymentStatusACSC) ||
			*got.PaymentDetails.CreditTransferTransaction[0].TransactionStatus != status {
			t.Errorf("%s: %+v, %v", status, got, err)
		}
		if d := got.PaymentDetails; *d.Debtor.Name != "Aino Virtanen" || d.DebtorAccount.Identification != "FI2112345600000785" || *d.DebtorCurrency != "EUR" {
			t.Errorf("debtor %+v", d.PaymentInformation)
		}
	}
	asked := bank.Asked(id)
	bank.Move(id, openbanking.PaymentStatusRJCT)
	if got, err := s.Payment(t.Context(), s.app, id); err != nil || got.Status != openbanking.PaymentStatusACSC || bank.Asked(id) != asked {
		t.Errorf("after the end: %+v, %v, asked %d times more", got.Status, err, bank.Asked(id)-asked)
	}
	if events := s.told(t, id); !slices.Equal(events, []openbanking.PaymentStatus{"RCVD", "ACTC", "ACSP", "ACSC"}) {
		t.Errorf("told %v", events)
	}
	if row := s.row(t, id); row.AuthStatus != openbanking.PaymentAuthStatusFinalised || row.Approved.IsZero() || bank.Executions(id) != 1 {
		t.Errorf("%+v, executed %d times", row, bank.Executions(id))
	}
}

// spec: PaymentRequestResourceDetails. What the application has said of the debtor is read back as it was sent, before the approval and after it; what
// the bank knows besides is added.
func TestDebtorIsReadBackAsSent(t *testing.T) {
	name, currency, mail := "A. Virtanen", "SEK", "aino@example.com"
	account := openbanking.GenericIdentification{Identification: "FI2112345600000785", SchemeName: openbanking.SchemeNameIBAN, Issuer: &name}
	for what, sent := range map[string]openbanking.PaymentInformation{
		"everything": {Debtor: &openbanking.PartyIdentification{Name: &name}, DebtorAccount: &account, DebtorCurrency: &currency},
		"a contact":  {Debtor: &openbanking.PartyIdentification{ContactDetails: &openbanking.ContactDetails{EmailAddress: &mail}}},
		"nothing":    {},
	} {
		t.Run(what, func(t *testing.T) {
			bank := sellingBank()
			s := openTill(t, bank)
			request := order()
			request.PaymentRequest.PaymentInformation = sent
			answer, err := s.CreatePayment(t.Context(), s.app, request)
			if err != nil {
				t.Fatal(err)
			}
			read := func() openbanking.PaymentInformation {
				got, err := s.Payment(t.Context(), s.app, answer.PaymentID)
				if err != nil {
					t.Fatal(err)
				}
				return got.PaymentDetails.PaymentInformation
			}
			if got := read(); !reflect.DeepEqual(got, sent) {
				t.Errorf("before the approval: %+v", got)
			}
			s.lead(t, answer.PaymentID)
			bank.ApprovePayment(answer.PaymentID)
			known := bank.Known(answer.PaymentID)
			street := openbanking.PostalAddress{Country: new("FI")}
			bank.Become(answer.PaymentID, func(b *aggregator.BankPayment) { b.Debtor.PostalAddress = &street })
			want := openbanking.PaymentInformation{DebtorAccount: known.DebtorAccount, DebtorCurrency: &known.DebtorCurrency}
			if sent.DebtorAccount != nil {
				want.DebtorAccount, want.DebtorCurrency = sent.DebtorAccount, sent.DebtorCurrency
			}
			want.Debtor = &openbanking.PartyIdentification{Name: known.Debtor.Name, PostalAddress: &street}
			if sent.Debtor != nil && sent.Debtor.Name != nil {
				want.Debtor.Name = sent.Debtor.Name
			}
			if sent.Debtor != nil {
				want.Debtor.ContactDetails = sent.Debtor.ContactDetails
			}
			for range 2 {
				if got := read(); !reflect.DeepEqual(got, want) {
					t.Errorf("after the approval: %+v, want %+v", got, want)
				}
			}
		})
	}
}

// api-notes 8: what a PSU, or the bank, ends before an approval.
func TestPaymentThatIsNotApproved(t *testing.T) {
	type way func(t *testing.T, s *till, bank *banktest.Bank, id string) (string, error)
	conclude := func(kind aggregator.StepKind) way {
		return func(t *testing.T, s *till, bank *banktest.Bank, id string) (string, error) {
			visit := s.lead(t, id)
			bank.Bring(id, kind)
			return s.Conclude(t.Context(), visit)
		}
	}
	comeBack := func(code, description string) way {
		return func(t *testing.T, s *till, bank *banktest.Bank, id string) (string, error) {
			s.lead(t, id)
			return s.ReturnFromBank(t.Context(), bank.Order(id).State, "", code, description)
		}
	}
	tests := []struct {
		name   string
		end    way
		status openbanking.PaymentStatus
		auth   openbanking.PaymentAuthStatus
		reason string
		says   string
	}{
		{"denied on the page", func(t *testing.T, s *till, _ *banktest.Bank, id string) (string, error) {
			return s.DenyPayment(t.Context(), id)
		}, openbanking.PaymentStatusCNCL, openbanking.PaymentAuthStatusCancelled, "DS02", "access_denied Cancelled by user"},
		{"denied on the page in another window", func(t *testing.T, s *till, _ *banktest.Bank, id string) (string, error) {
			s.lead(t, id)
			return s.DenyPayment(t.Context(), id)
		}, openbanking.PaymentStatusCNCL, openbanking.PaymentAuthStatusCancelled, "DS02", "access_denied Cancelled by user"},
		{"cancelled on the way", func(t *testing.T, s *till, _ *banktest.Bank, id string) (string, error) {
			return s.Cancel(t.Context(), s.lead(t, id))
		}, openbanking.PaymentStatusCNCL, openbanking.PaymentAuthStatusCancelled, "DS02", "access_denied Cancelled by user"},
		{"cancelled at the bank", comeBack("access_denied", "No"), openbanking.PaymentStatusCNCL, openbanking.PaymentAuthStatusCancelled, "DS02",
			"access_denied Cancelled by user"},
		{"declined on the phone", conclude(aggregator.StepDeclined), openbanking.PaymentStatusCNCL, openbanking.PaymentAuthStatusCancelled, "DS02",
			"access_denied Cancelled by user"},
		{"wrong codes", conclude(aggregator.StepBlocked), openbanking.PaymentStatusRJCT, openbanking.PaymentAuthStatusFailed, "NARR",
			"access_denied Too many wrong attempts at the bank"},
		{"wrong codes at the bank", func(t *testing.T, s *till, bank *banktest.Bank, id string) (string, error) {
			s.lead(t, id)
			bank.Bring(id, aggregator.StepBlocked)
			return s.ReturnFromBank(t.Context(), bank.Order(id).State, "", "access_denied", "Too many wrong attempts at the bank")
		}, openbanking.PaymentStatusRJCT, openbanking.PaymentAuthStatusFailed, "NARR", "access_denied Too many wrong attempts at the bank"},
		{"failed at the bank", comeBack("server_error", "Kein\nDienst"), openbanking.PaymentStatusRJCT, openbanking.PaymentAuthStatusFailed, "NARR",
			"server_error KeinDienst"},
		{"failed without words", comeBack("invalid_request", ""), openbanking.PaymentStatusRJCT, openbanking.PaymentAuthStatusFailed, "NARR", "server_error"},
		{"not in time for the bank", conclude(aggregator.StepExpired), openbanking.PaymentStatusCNCL, openbanking.PaymentAuthStatusPending, "DS24",
			"server_error The authorisation was not completed in time"},
		{"not in time for the page", func(t *testing.T, s *till, _ *banktest.Bank, id string) (string, error) {
			visit := s.lead(t, id)
			s.pass(engine.DefaultPageLifetime)
			return s.Conclude(t.Context(), visit)
		}, openbanking.PaymentStatusCNCL, openbanking.PaymentAuthStatusPending, "DS24", "server_error The authorisation was not completed in time"},
		{"came back late", func(t *testing.T, s *till, bank *banktest.Bank, id string) (string, error) {
			s.lead(t, id)
			s.pass(engine.DefaultPageLifetime)
			return s.ReturnFromBank(t.Context(), bank.Order(id).State, "", "", "")
		}, openbanking.PaymentStatusCNCL, openbanking.PaymentAuthStatusPending, "DS24", "server_error The authorisation was not completed in time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bank := sellingBank()
			s := openTill(t, bank)
			id := s.create(t)
			back, err := tt.end(t, s, bank, id)
			if err != nil {
				t.Fatal(err)
			}
			if got := returned(t, back); got != tt.says {
				t.Errorf("the application is told %q", got)
			}
			got, err := s.Payment(t.Context(), s.app, id)
			if err != nil || got.Status != tt.status || !got.FinalStatus || got.StatusReasonInformation.StatusReasonCode != tt.reason ||
				*got.PaymentDetails.CreditTransferTransaction[0].TransactionStatus != tt.status {
				t.Errorf("%+v, %v", got, err)
			}
			if row := s.row(t, id); row.AuthStatus != tt.auth {
				t.Errorf("payment_auth_status %q", row.AuthStatus)
			}
			if events := s.told(t, id); !slices.Equal(events, []openbanking.PaymentStatus{tt.status}) {
				t.Errorf("told %v", events)
			}
			if bank.ApprovePayment(id) {
				t.Error("the PSU can still approve at the bank")
			}
			if _, _, _, err := s.PaymentAuthorization(t.Context(), id); !errors.Is(err, engine.ErrCompletedAuthorization) &&
				!errors.Is(err, engine.ErrExpiredAuthorization) {
				t.Errorf("the page: %v", err)
			}
			if _, err := s.AcceptPayment(t.Context(), id); err == nil {
				t.Error("it can still be accepted")
			}
		})
	}
}

// An approval that was faster wins over whatever would end the payment.
func TestAnApprovalThatWasFasterCounts(t *testing.T) {
	for name, end := range map[string]func(s *till, bank *banktest.Bank, id, visit string) (string, error){
		"cancelled": func(s *till, _ *banktest.Bank, _, visit string) (string, error) {
			return s.Cancel(context.Background(), visit)
		},
		"denied": func(s *till, _ *banktest.Bank, id, _ string) (string, error) {
			return s.DenyPayment(context.Background(), id)
		},
		"concluded": func(s *till, _ *banktest.Bank, _, visit string) (string, error) {
			return s.Conclude(context.Background(), visit)
		},
		"late": func(s *till, _ *banktest.Bank, _, visit string) (string, error) {
			s.pass(time.Hour)
			return s.Conclude(context.Background(), visit)
		},
		"a browser that lies": func(s *till, bank *banktest.Bank, id, _ string) (string, error) {
			return s.ReturnFromBank(context.Background(), bank.Order(id).State, "", "access_denied", "")
		},
		"found by the job": func(s *till, _ *banktest.Bank, _, visit string) (string, error) {
			s.pass(2 * time.Second)
			if _, err := s.AdvancePayments(context.Background()); err != nil {
				return "", err
			}
			if v, err := s.Visit(context.Background(), visit); err != nil || v.Step.Kind != aggregator.StepDone {
				return "", errors.Join(err, errors.New("the visit is at "+string(v.Step.Kind)))
			}
			return s.Conclude(context.Background(), visit)
		},
		"found by the job after the time": func(s *till, bank *banktest.Bank, id, _ string) (string, error) {
			s.pass(time.Hour)
			if _, err := s.AdvancePayments(context.Background()); err != nil {
				return "", err
			}
			return s.ReturnFromBank(context.Background(), bank.Order(id).State, "", "", "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			bank := sellingBank()
			s := openTill(t, bank)
			id := s.create(t)
			visit := s.lead(t, id)
			bank.ApprovePayment(id)
			back, err := end(s, bank, id, visit)
			if err != nil {
				t.Fatal(err)
			}
			if row := s.row(t, id); returned(t, back) != "" || row.AuthStatus != openbanking.PaymentAuthStatusFinalised ||
				row.Status != openbanking.PaymentStatusRCVD {
				t.Errorf("%q, %+v", back, row)
			}
			for name, do := range map[string]func() error{
				"choose": func() error { return s.ChooseMethod(t.Context(), visit, "") },
				"again":  func() error { return s.StartAgain(t.Context(), visit) },
				"answer": func() error { return s.Answer(t.Context(), visit, aggregator.Answer{Order: true}) },
			} {
				if err := do(); err != nil || len(bank.Answers()) > 0 {
					t.Errorf("%s after the approval: %v, %v", name, err, bank.Answers())
				}
			}
		})
	}
}

// A payment that cannot be ended at the bank goes on waiting: the PSU could still approve it there.
func TestPaymentIsNotEndedWithoutTheBank(t *testing.T) {
	for _, method := range []string{"Cancel", "Payment"} {
		t.Run(method, func(t *testing.T) {
			bank := sellingBank()
			s := openTill(t, bank)
			id := s.create(t)
			visit := s.lead(t, id)
			bank.Fail(method, openbanking.ASPSPTimeout)
			if target, err := s.Cancel(t.Context(), visit); !errors.Is(err, openbanking.ASPSPTimeout) {
				t.Errorf("%q, %v", target, err)
			}
			if _, err := s.DenyPayment(t.Context(), id); !errors.Is(err, openbanking.ASPSPTimeout) {
				t.Error(err)
			}
			if method == "Cancel" {
				if _, err := s.AcceptPayment(t.Context(), id); !errors.Is(err, openbanking.ASPSPTimeout) {
					t.Errorf("a second authorisation beside one that is open: %v", err)
				}
			}
			s.pass(time.Hour)
			if _, err := s.AdvancePayments(t.Context()); err != nil {
				t.Fatal(err)
			}
			if row := s.row(t, id); row.Final || row.Status != openbanking.PaymentStatusPDNG || !row.Due.After(s.now()) {
				t.Errorf("%+v", row)
			}
			bank.Fail(method, nil)
			s.pass(time.Hour)
			if _, err := s.AdvancePayments(t.Context()); err != nil {
				t.Fatal(err)
			}
			if row := s.row(t, id); row.Status != openbanking.PaymentStatusCNCL || !row.Final {
				t.Errorf("%+v", row)
			}
		})
	}
}

// A payment that may have been approved leads back to the application as an approved one does where the bank does not say what became of it,
// by whatever approach and whatever the bank's site said; it ends as the bank says later.
func TestABankThatDoesNotSayWhetherItWasApproved(t *testing.T) {
	comeBack := func(code string) func(s *till, bank *banktest.Bank, id, visit string) (string, error) {
		return func(s *till, bank *banktest.Bank, id, _ string) (string, error) {
			return s.ReturnFromBank(context.Background(), bank.Order(id).State, "", code, "")
		}
	}
	conclude := func(s *till, _ *banktest.Bank, _, visit string) (string, error) {
		return s.Conclude(context.Background(), visit)
	}
	for name, test := range map[string]struct {
		fails []string // methods of the bank
		do    func(s *till, bank *banktest.Bank, id, visit string) (string, error)
	}{
		"by redirect":                   {[]string{"Payment"}, comeBack("")},
		"the bank's site says declined": {[]string{"Payment"}, comeBack("access_denied")},
		"the bank's site says failed":   {[]string{"Payment"}, comeBack("server_error")},
		"on the pages or on a phone":    {[]string{"Payment"}, conclude},
		"the phone is not told":         {[]string{"Step"}, conclude},
		"late": {[]string{"Payment"}, func(s *till, bank *banktest.Bank, id, visit string) (string, error) {
			s.pass(time.Hour)
			return conclude(s, bank, id, visit)
		}},
		"the last code": {[]string{"Answer"}, func(s *till, _ *banktest.Bank, _, visit string) (string, error) {
			return "", s.Answer(context.Background(), visit, aggregator.Answer{Code: "123456"})
		}},
		"the page of the visit": {[]string{"Step"}, func(s *till, _ *banktest.Bank, _, visit string) (string, error) {
			_, err := s.Visit(context.Background(), visit)
			return "", err
		}},
		"begun anew": {[]string{"Payment"}, func(s *till, _ *banktest.Bank, id, _ string) (string, error) {
			return s.AcceptPayment(context.Background(), id)
		}},
		"begun anew on the way": {[]string{"Payment"}, func(s *till, _ *banktest.Bank, _, visit string) (string, error) {
			return "", s.StartAgain(context.Background(), visit)
		}},
		"cancelled": {[]string{"Payment"}, func(s *till, _ *banktest.Bank, _, visit string) (string, error) {
			return s.Cancel(context.Background(), visit)
		}},
		"not to be cancelled": {[]string{"Cancel"}, func(s *till, _ *banktest.Bank, id, _ string) (string, error) {
			return s.DenyPayment(context.Background(), id)
		}},
		"opened late": {[]string{"Payment"}, func(s *till, _ *banktest.Bank, id, _ string) (string, error) {
			s.pass(time.Hour)
			_, _, _, err := s.PaymentAuthorization(context.Background(), id)
			return "", err
		}},
	} {
		for _, failure := range []error{openbanking.ASPSPTimeout, openbanking.ASPSPPaymentNotAccessible, errors.New("no network")} {
			bank := sellingBank()
			s := openTill(t, bank)
			id := s.create(t)
			visit := s.lead(t, id)
			bank.ApprovePayment(id)
			for _, method := range test.fails {
				bank.Fail(method, failure)
			}
			back, err := test.do(s, bank, id, visit)
			var undecided *engine.UndecidedError
			if !errors.As(err, &undecided) || back != "" || returned(t, undecided.ReturnURL) != "" {
				t.Errorf("%s, %v: %q, %v", name, failure, back, err)
			}
			if row := s.row(t, id); row.Final || !row.Awaited() || s.told(t, id) != nil {
				t.Errorf("%s, %v: %+v", name, failure, row)
			}
			for _, method := range test.fails {
				bank.Fail(method, nil)
			}
			s.pass(2 * time.Hour)
			if _, err := s.AdvancePayments(t.Context()); err != nil {
				t.Fatal(err)
			}
			if row := s.row(t, id); row.Status != openbanking.PaymentStatusRCVD || bank.Executions(id) != 1 {
				t.Errorf("%s, %v: in the end %+v", name, failure, row)
			}
			if _, err := s.AcceptPayment(t.Context(), id); !errors.Is(err, engine.ErrCompletedAuthorization) {
				t.Errorf("%s: begun anew after the approval: %v", name, err)
			}
		}
	}
}

// api-notes 8: a payment that nobody opens ends with its page; the bank never hears of it.
func TestAbandonedPayment(t *testing.T) {
	bank := sellingBank()
	s := openTill(t, bank)
	byJob, byGet := s.create(t), s.create(t)
	s.pass(engine.DefaultPageLifetime - time.Millisecond)
	if _, err := s.AdvancePayments(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := s.PaymentAuthorization(t.Context(), byJob); err != nil {
		t.Errorf("just in time: %v", err)
	}
	s.pass(time.Millisecond)
	if _, _, _, err := s.PaymentAuthorization(t.Context(), byJob); !errors.Is(err, engine.ErrExpiredAuthorization) ||
		!errors.Is(err, openbanking.InvalidPayment) {
		t.Errorf("late: %v", err)
	}
	if _, err := s.AcceptPayment(t.Context(), byJob); !errors.Is(err, engine.ErrExpiredAuthorization) {
		t.Errorf("accepted late: %v", err)
	}
	if got, err := s.Payment(t.Context(), s.app, byGet); err != nil || got.Status != openbanking.PaymentStatusCNCL || !got.FinalStatus {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := s.AdvancePayments(t.Context()); err != nil {
		t.Fatal(err)
	}
	row := s.row(t, byJob)
	if row.Status != openbanking.PaymentStatusCNCL || row.AuthStatus != "" || !slices.Equal(s.told(t, byJob), []openbanking.PaymentStatus{"CNCL"}) {
		t.Errorf("%+v", row)
	}
	if _, _, _, err := s.PaymentAuthorization(t.Context(), byJob); !errors.Is(err, engine.ErrExpiredAuthorization) {
		t.Errorf("after the end: %v", err)
	}
	if bank.Order(byJob).ID != "" || bank.Order(byGet).ID != "" {
		t.Error("the bank has heard of it")
	}
}

// spec: Environments and activation. An application that may initiate payments no longer leads nobody through one.
func TestPaymentPageNeedsTheService(t *testing.T) {
	s := openTill(t, sellingBank())
	s.app.ID, s.app.Environment = "6f1a4a0e-1111-4111-8111-000000000003", openbanking.EnvironmentProduction
	if err := s.store.CreateApplication(t.Context(), s.app, aggregator.ApplicationKey{ID: "production", PEM: "none", Created: time.Unix(0, 0)}, 0); err != nil {
		t.Fatal(err)
	}
	id := s.create(t)
	if err := s.store.SetServices(t.Context(), s.app.ID, []openbanking.Service{openbanking.ServiceAIS}); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := s.PaymentAuthorization(t.Context(), id); !errors.Is(err, engine.ErrUnknownAuthorization) || !errors.Is(err, openbanking.InvalidPayment) {
		t.Errorf("without PIS: %v", err)
	}
	if _, err := s.AcceptPayment(t.Context(), id); !errors.Is(err, engine.ErrUnknownAuthorization) {
		t.Errorf("accepted without PIS: %v", err)
	}
	if err := s.store.SetServices(t.Context(), s.app.ID, []openbanking.Service{openbanking.ServiceAIS, openbanking.ServicePIS}); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := s.PaymentAuthorization(t.Context(), id); err != nil {
		t.Errorf("with PIS: %v", err)
	}
}

// api-notes 8: payment_auth_status is absent until the page is opened, and opening it again changes nothing.
func TestMarkOpened(t *testing.T) {
	bank := sellingBank()
	s := openTill(t, bank)
	id := s.create(t)
	if _, _, _, err := s.PaymentAuthorization(t.Context(), id); err != nil || s.row(t, id).AuthStatus != "" {
		t.Errorf("looking at it: %v, %q", err, s.row(t, id).AuthStatus)
	}
	for range 2 {
		if err := s.MarkOpened(t.Context(), id); err != nil || s.row(t, id).AuthStatus != openbanking.PaymentAuthStatusPending || s.told(t, id) != nil {
			t.Errorf("%v, %q, told %v", err, s.row(t, id).AuthStatus, s.told(t, id))
		}
	}
	s.lead(t, id)
	bank.ApprovePayment(id)
	if _, err := s.Payment(t.Context(), s.app, id); err != nil {
		t.Fatal(err)
	}
	if err := s.MarkOpened(t.Context(), id); err != nil || s.row(t, id).AuthStatus != openbanking.PaymentAuthStatusFinalised {
		t.Errorf("after the approval: %v, %q", err, s.row(t, id).AuthStatus)
	}
	if err := s.MarkOpened(t.Context(), "unknown"); err != nil {
		t.Errorf("unknown: %v", err)
	}
}

// spec: GET /payments. What the bank answers instead of a status reaches the client, and changes nothing.
func TestPaymentNeedsTheBank(t *testing.T) {
	bank := sellingBank()
	s := openTill(t, bank)
	id := s.create(t)
	bank.Fail("Payment", errors.New("no network"))
	if _, err := s.Payment(t.Context(), s.app, id); err != nil {
		t.Errorf("before the bank has heard of it: %v", err)
	}
	s.lead(t, id)
	for failure, want := range map[error]openbanking.ErrorCode{
		errors.New("no network"):                  openbanking.ASPSPError,
		openbanking.ASPSPPaymentNotAccessible:     openbanking.ASPSPPaymentNotAccessible,
		openbanking.ASPSPTimeout:                  openbanking.ASPSPTimeout,
		context.DeadlineExceeded:                  openbanking.ASPSPTimeout,
		error(openbanking.ASPSPRateLimitExceeded): openbanking.ASPSPRateLimitExceeded,
	} {
		bank.Fail("Payment", failure)
		if _, err := s.Payment(t.Context(), s.app, id); !errors.Is(err, want) {
			t.Errorf("%v: %v", failure, err)
		}
		if _, err := s.PaymentTransaction(t.Context(), s.app, id, s.row(t, id).Transfers[0].ID); !errors.Is(err, want) {
			t.Errorf("%v: %v", failure, err)
		}
	}
	if row := s.row(t, id); row.Status != openbanking.PaymentStatusPDNG || row.Final {
		t.Errorf("%+v", row)
	}
}

// spec: PAYMENT_NOT_FOUND, PAYMENT_NOT_FINALIZED, TRANSACTION_DOES_NOT_EXIST, ACCESS_DENIED.
func TestPaymentsOfAnApplication(t *testing.T) {
	bank := sellingBank()
	s := openTill(t, bank)
	id := s.create(t)
	foreign, without := s.app, s.app
	foreign.ID = "6f1a4a0e-1111-4111-8111-000000000002"
	without.Services = []openbanking.Service{openbanking.ServiceAIS}
	transaction := s.row(t, id).Transfers[0].ID
	calls := map[string]func(app aggregator.Application, id string) error{
		"read": func(app aggregator.Application, id string) error {
			_, err := s.Payment(t.Context(), app, id)
			return err
		},
		"read a transaction": func(app aggregator.Application, id string) error {
			_, err := s.PaymentTransaction(t.Context(), app, id, transaction)
			return err
		},
		"delete": func(app aggregator.Application, id string) error {
			_, err := s.DeletePayment(t.Context(), app, id)
			return err
		},
	}
	for name, call := range calls {
		if err := call(s.app, "6f1a4a0e-1111-4111-8111-000000000009"); !errors.Is(err, openbanking.PaymentNotFound) {
			t.Errorf("%s an unknown one: %v", name, err)
		}
		if err := call(foreign, id); !errors.Is(err, openbanking.PaymentNotFound) {
			t.Errorf("%s a foreign one: %v", name, err)
		}
		if err := call(without, id); !errors.Is(err, openbanking.AccessDenied) {
			t.Errorf("%s without PIS: %v", name, err)
		}
	}
	if _, err := s.PaymentTransaction(t.Context(), s.app, id, id); !errors.Is(err, openbanking.TransactionDoesNotExist) {
		t.Errorf("an unknown transaction: %v", err)
	}
	got, err := s.PaymentTransaction(t.Context(), s.app, id, transaction)
	if err != nil || got.PaymentID != id || *got.TransactionDetails.TransactionID != transaction || got.TransactionDetails.InstructedAmount.Amount != "12.30" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := s.DeletePayment(t.Context(), s.app, id); !errors.Is(err, openbanking.PaymentNotFinalized) {
		t.Errorf("deleted while it waits: %v", err)
	}
	if _, err := s.DenyPayment(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if of, err := s.DeletePayment(t.Context(), s.app, id); err != nil || of.Name != "Northlight" {
		t.Errorf("%+v, %v", of, err)
	}
	for name, call := range calls {
		if err := call(s.app, id); !errors.Is(err, openbanking.PaymentNotFound) {
			t.Errorf("%s a deleted one: %v", name, err)
		}
	}
}

// A bulk has a status for each transaction, and a bank that changes a date says so (api-notes 8).
func TestTransactionsOfAPayment(t *testing.T) {
	bank := sellingBank()
	s := openTill(t, bank)
	r := order()
	r.PaymentRequest.CreditTransferTransaction = append(r.PaymentRequest.CreditTransferTransaction, r.PaymentRequest.CreditTransferTransaction[0])
	email := "aino@example.org"
	r.PaymentRequest.Debtor = &openbanking.PartyIdentification{ContactDetails: &openbanking.ContactDetails{EmailAddress: &email}}
	answer, err := s.CreatePayment(t.Context(), s.app, r)
	if err != nil {
		t.Fatal(err)
	}
	id := answer.PaymentID
	s.lead(t, id)
	bank.ApprovePayment(id)
	bank.Become(id, func(known *aggregator.BankPayment) {
		known.Status = openbanking.PaymentStatusPART
		known.Transfers = []aggregator.Transfer{{Status: openbanking.PaymentStatusACSC}, {Status: openbanking.PaymentStatusRJCT, ExecutionDate: "2026-02-02"}}
		known.Reason = &openbanking.StatusReasonInformation{StatusReasonCode: "AC04", StatusReasonDescription: "Closed account"}
	})
	got, err := s.Payment(t.Context(), s.app, id)
	if err != nil || got.Status != openbanking.PaymentStatusPART || got.FinalStatus || got.StatusReasonInformation.StatusReasonCode != "AC04" {
		t.Fatalf("%+v, %v", got, err)
	}
	list := got.PaymentDetails.CreditTransferTransaction
	if *list[0].TransactionStatus != openbanking.PaymentStatusACSC || *list[1].TransactionStatus != openbanking.PaymentStatusRJCT ||
		*list[0].TransactionID == *list[1].TransactionID ||
		list[0].RequestedExecutionDate != nil || *list[1].RequestedExecutionDate != "2026-02-02" {
		t.Errorf("%+v", list)
	}
	if d := got.PaymentDetails.Debtor; *d.Name != "Aino Virtanen" || *d.ContactDetails.EmailAddress != email {
		t.Errorf("debtor %+v", d)
	}
	bank.Move(id, openbanking.PaymentStatusACTC) // a bank that goes back is not followed
	s.pass(time.Hour)
	if got, err := s.Payment(t.Context(), s.app, id); err != nil || got.Status != openbanking.PaymentStatusPART {
		t.Errorf("%+v, %v", got.Status, err)
	}
	if row := s.row(t, id); !row.Due.After(s.now()) {
		t.Errorf("it is due again after %v", row.Due.Sub(s.now()))
	}
}

// spec: allowed_auth_methods, credentials. A payment goes by the methods of its type, and the credentials that came with it
// reach the bank once.
func TestMethodsAndCredentialsOfPayments(t *testing.T) {
	bank := two(sellingBank())
	bank.Data.Payments[0].AllowedAuthMethods = []string{"app", "secret"}
	s := openTill(t, bank)
	r := order()
	method := "secret"
	r.AuthMethod, r.Credentials = &method, map[string]string{"pin": "1234"}
	answer, err := s.CreatePayment(t.Context(), s.app, r)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if visit := at(t, s.Engine, s.lead(t, answer.PaymentID), aggregator.StepRedirect); *visit.Method.Name != "secret" || len(visit.Methods) != 1 {
			t.Errorf("%+v", visit.Methods)
		}
	}
	if answers := bank.Answers(); len(answers) != 1 || answers[0].Credentials["pin"] != "1234" || bank.Order(answer.PaymentID).Method != "secret" {
		t.Errorf("answers %v", answers)
	}
	if visit := at(t, s.Engine, s.lead(t, s.create(t)), aggregator.StepRedirect); *visit.Method.Name != "app" {
		t.Errorf("the one that can be chosen is %+v", visit.Method)
	}
}

// However often the PSU begins, one authorisation at most is open at the bank.
func TestOneAuthorisationOfAPaymentAtATime(t *testing.T) {
	bank := two(sellingBank())
	s := openTill(t, bank)
	id := s.create(t)
	visit := s.lead(t, id)
	at(t, s.Engine, visit, "")
	for _, step := range []func() error{
		func() error { return s.ChooseMethod(t.Context(), visit, "web") },
		func() error { return s.ChooseMethod(t.Context(), visit, "app") },
		func() error { return s.StartAgain(t.Context(), visit) },
		func() error { return s.ChooseMethod(t.Context(), visit, "web") },
		func() error { visit = s.lead(t, id); return s.ChooseMethod(t.Context(), visit, "app") },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	if len(bank.Cancelled()) != 3 {
		t.Errorf("%d were ended", len(bank.Cancelled()))
	}
	bank.Fail("StartPayment", errors.New("no network"))
	if err := s.StartAgain(t.Context(), visit); err != nil {
		t.Fatal(err)
	}
	if err := s.ChooseMethod(t.Context(), visit, "web"); !errors.Is(err, openbanking.ASPSPError) {
		t.Error(err)
	}
	at(t, s.Engine, visit, "")
	if bank.ApprovePayment(id) {
		t.Error("an authorisation was left open")
	}
}
