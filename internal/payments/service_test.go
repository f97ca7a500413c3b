package payments

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"florin/internal/bank"
	"florin/internal/bank/apitest"
	"florin/internal/finance"
	"florin/internal/live"
	"florin/internal/openbanking"
	"florin/internal/sqlite/sqlitetest"
	"florin/internal/store"
	"florin/migrations"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// service is a service for payments, whose status is what the test says. Its fields are read and changed with it locked.
type service struct {
	*apitest.Service
	fault    apitest.Fault                      // of POST /payments
	made     []openbanking.CreatePaymentRequest // in order, as their ids are
	order    []string
	payments map[string]*openbanking.Payment
	services []openbanking.Service
	pause    func() // between reading the status and answering
}

// Calls that are counted.
const (
	creates = "POST /payments"
	asks    = "GET /payments/{id}"
)

func newService(t testing.TB) *service {
	t.Helper()
	s := &service{Service: apitest.New(t), payments: map[string]*openbanking.Payment{},
		services: []openbanking.Service{openbanking.ServiceAIS, openbanking.ServicePIS}}
	s.Fault = func(route string) apitest.Fault {
		if route == creates {
			return s.fault
		}
		return apitest.Works
	}
	s.Answer(creates, s.create)
	s.Answer(asks, func(r *http.Request) any {
		p := s.payments[r.PathValue("id")]
		if p == nil {
			return apitest.Refusal(openbanking.PaymentNotFound)
		}
		answer := *p
		if pause := s.pause; pause != nil {
			s.Unlock()
			pause()
			s.Lock()
		}
		return answer
	})
	s.Answer("GET /application", func(*http.Request) any { return openbanking.Application{Services: s.services, Active: true} })
	return s
}

func (s *service) create(r *http.Request) any {
	var request openbanking.CreatePaymentRequest
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		return apitest.Refusal(openbanking.WrongRequestParameters)
	}
	id := uuid.NewString()
	p := &openbanking.Payment{PaymentID: id, Status: openbanking.PaymentStatusPDNG, PaymentType: request.PaymentType, ASPSP: request.ASPSP}
	p.PaymentDetails.PaymentInformation = request.PaymentRequest.PaymentInformation
	for _, t := range request.PaymentRequest.CreditTransferTransaction {
		p.PaymentDetails.CreditTransferTransaction = append(p.PaymentDetails.CreditTransferTransaction,
			openbanking.CreditTransferTransactionDetails{CreditTransferTransaction: t, TransactionID: new("t1")})
	}
	s.payments[id] = p
	s.made, s.order = append(s.made, request), append(s.order, id)
	return openbanking.CreatePaymentResponse{PaymentID: id, Status: p.Status, URL: s.URL + "/pis/start?payment_id=" + id, PSUIDHash: "h"}
}

// set is what becomes of a payment at the bank.
func (s *service) set(id string, status openbanking.PaymentStatus, final bool, reason string) {
	s.Lock()
	defer s.Unlock()
	p := s.payments[id]
	p.Status, p.FinalStatus = status, final
	if reason != "" {
		p.StatusReasonInformation = &openbanking.StatusReasonInformation{StatusReasonCode: reason, StatusReasonDescription: "bank says"}
	}
}

// rig are payments on a real file and a real service.
type rig struct {
	*Payments
	service   *service
	path      string
	key       store.Key
	user      finance.User
	accountID string
}

const redirectURL = "http://localhost:8080/callback/embedded"

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{service: newService(t), path: filepath.Join(t.TempDir(), "app.db")}
	var err error
	r.key, err = store.LoadKey(filepath.Join(t.TempDir(), "secrets"))
	check(t, err)
	sqlitetest.Make(t, r.path, migrations.App)
	r.open(t)
	t.Cleanup(func() { _ = r.Store.Close() })
	ctx := context.Background()
	r.user, err = r.Store.CreateUser(ctx, "a@example.org", finance.RoleMember, "h")
	check(t, err)
	check(t, r.Store.SaveProvider(ctx, finance.Provider{ID: "embedded", Name: "S", BaseURL: r.service.URL, ApplicationID: "app", RedirectURL: redirectURL,
		Environment: openbanking.EnvironmentSandbox, PrivateKey: "k"}))
	r.accountID = r.link(t, r.user)
	return r
}

func (r *rig) open(t testing.TB) {
	t.Helper()
	s, err := store.Open(context.Background(), r.path, r.key)
	check(t, err)
	r.Payments = New(Options{Store: s, Connect: func(_ context.Context, p finance.Provider) (API, error) { return bank.New(p.BaseURL, apitest.Signer{}) },
		Hub: live.NewHub(), Log: slog.New(slog.DiscardHandler),
		WebhookURL: func(p finance.Provider) string { return "https://florin.example/webhooks/" + p.ID }})
	r.every, r.grace = 0, 0
}

// restart leaves the process as a crash would, and starts another.
func (r *rig) restart(t testing.TB) {
	t.Helper()
	check(t, r.Store.Close())
	r.open(t)
}

// link links an account of the user and returns its id.
func (r *rig) link(t testing.TB, user finance.User) string {
	t.Helper()
	ctx := context.Background()
	state := finance.Secret(finance.NewID())
	a, err := r.Store.CreateAttempt(ctx, finance.LinkAttempt{UserID: user.ID, ProviderID: "embedded", ASPSP: aspsp, PSUType: "personal",
		ValidUntil: time.Now().Add(time.Hour)}, state, "b", time.Minute)
	check(t, err)
	check(t, r.Store.OpenAttempt(ctx, user.ID, a.ID, "u", "p"))
	a, err = r.Store.UseAttempt(ctx, "embedded", state, "b")
	check(t, err)
	done, _, err := r.Store.SaveLink(ctx, store.Link{Attempt: a, SessionID: "session", ValidUntil: time.Now().Add(24 * time.Hour),
		Accounts: []openbanking.AccountResource{
			{IdentificationHash: "h", Currency: "EUR", CashAccountType: "CACC", UID: new("u1"),
				AccountID: &openbanking.AccountIdentification{IBAN: new("FI2112345600000785")}}}})
	check(t, err)
	return done.Accounts[0].Account.ID
}

var aspsp = openbanking.ASPSP{Name: "Test Bank", Country: "FI"}

// order pays an amount to a payee from no account in particular.
func order(amount, payee, iban string) finance.PaymentOrder {
	return finance.PaymentOrder{ProviderID: "embedded", ASPSP: aspsp, PSUType: "personal", Type: openbanking.PaymentTypeSEPA,
		Successful: []openbanking.PaymentStatus{"ACSC", "ACCC"},
		Request: openbanking.PaymentRequestResource{CreditTransferTransaction: []openbanking.CreditTransferTransaction{{
			InstructedAmount: openbanking.AmountType{Currency: "EUR", Amount: amount},
			Beneficiary: openbanking.Beneficiary{Creditor: &openbanking.PartyIdentification{Name: &payee},
				CreditorAccount: openbanking.GenericIdentification{Identification: iban, SchemeName: "IBAN"}}}}}}
}

const (
	ibanACME  = "DE89370400440532013000"
	ibanOther = "GB29NWBK60161331926819"
)

// draft saves an order of 12.30 EUR.
func (r *rig) draft(t testing.TB) finance.Payment {
	t.Helper()
	p, err := r.Save(context.Background(), r.user.ID, finance.NewID(), order("12.30", "ACME GmbH", ibanACME), "")
	check(t, err)
	return p
}

// confirmation agrees to everything about a draft.
func (r *rig) confirmation(t testing.TB, id string) Confirmation {
	t.Helper()
	review, err := r.Review(context.Background(), r.user.ID, id)
	check(t, err)
	c := Confirmation{ID: id, ReviewHash: review.Hash, Browser: "browser", Language: "en"}
	for _, w := range review.Warnings {
		c.Agreed = append(c.Agreed, w.Key())
	}
	return c
}

// pay makes a payment that the service has.
func (r *rig) pay(t testing.TB) finance.Payment {
	t.Helper()
	p, err := r.Confirm(context.Background(), r.user.ID, r.confirmation(t, r.draft(t).ID))
	check(t, err)
	return p
}

func (r *rig) payment(t testing.TB, id string) finance.Payment {
	t.Helper()
	p, err := r.Store.Payment(context.Background(), r.user.ID, id)
	check(t, err)
	return p
}

// hook stores a verified webhook.
func (r *rig) hook(t testing.TB, d finance.Delivery) finance.DeliveryOutcome {
	t.Helper()
	d.ProviderID, d.BodyHash, d.Answer = "embedded", d.WebhookID, 200
	if d.Triggered.IsZero() {
		d.Triggered = time.Now()
	}
	outcome, err := r.Inbox().KeepDelivery(context.Background(), d)
	check(t, err)
	return outcome
}

// settle runs all loops until nothing is due.
func (r *rig) settle(t testing.TB) {
	t.Helper()
	for range 200 {
		busy := false
		for _, work := range []func(context.Context) (time.Time, error){r.Run, r.Find, r.Sweep} {
			next, err := work(context.Background())
			check(t, err)
			busy = busy || !next.IsZero() && !next.After(time.Now())
		}
		if !busy {
			return
		}
	}
	t.Fatal("there is no end to it")
}

// book brings a booked row, as the sync does.
func (r *rig) book(t testing.TB, wire openbanking.Transaction) {
	t.Helper()
	ctx := context.Background()
	record, err := json.Marshal(wire)
	check(t, err)
	entry, err := finance.Reader{Currency: "EUR", Today: finance.Today(time.Now())}.Read(wire, record)
	check(t, err)
	for {
		c, ok, _, err := r.Store.ClaimTask(ctx, time.Minute)
		check(t, err)
		if !ok {
			t.Fatal("no sync task is due")
		}
		if c.Task.Scope != finance.ScopeTransactions {
			check(t, r.Store.FailTask(ctx, c, finance.Failure{}, time.Now().Add(time.Hour), false))
			continue
		}
		check(t, r.Store.BeginRun(ctx, &c, openbanking.TransactionsFetchStrategyLongest, "", time.Minute))
		check(t, r.Store.ApplyPage(ctx, &c, store.Page{Entries: []finance.Entry{entry}}, time.Minute, time.Now().Add(time.Hour)))
		return
	}
}

var errCrash = errors.New("crash")
