package payments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"florin/internal/bank"
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

func ptr[T any](v T) *T { return &v }

// fault is what a service does wrong with POST /payments.
type fault string

const (
	works       fault = ""
	refuses     fault = "refuses"
	fails       fault = "fails with 503 before it creates anything"
	bankFails   fault = "creates, and tells of an error of the bank"
	forgets     fault = "creates and answers 500"
	hangsUp     fault = "hangs up before it creates anything"
	hangsUpLate fault = "creates and hangs up"
	half        fault = "creates and sends half an answer"
	empty       fault = "creates and answers without a payment_id"
)

// service stands for the remote service: real HTTP. A payment's status is what the test says.
type service struct {
	*httptest.Server
	mu       sync.Mutex
	fault    fault
	posts    []openbanking.CreatePaymentRequest
	payments map[string]*openbanking.Payment
	order    []string
	asked    int
	down     bool
	services []openbanking.Service
	pause    func() // between reading the status and answering
}

func newService(t testing.TB) *service {
	t.Helper()
	s := &service{payments: map[string]*openbanking.Payment{}, services: []openbanking.Service{openbanking.ServiceAIS, openbanking.ServicePIS}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *service) serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/payments":
		s.create(w, r)
	case r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/payments/"):
		s.mu.Lock()
		s.asked++
		p := s.payments[strings.TrimPrefix(r.URL.Path, "/payments/")]
		var answer openbanking.Payment
		if p != nil {
			answer = *p
		}
		down, pause := s.down, s.pause
		s.mu.Unlock()
		switch {
		case down:
			refuse(w, openbanking.ASPSPError)
		case p == nil:
			refuse(w, openbanking.PaymentNotFound)
		default:
			if pause != nil {
				pause()
			}
			_ = json.NewEncoder(w).Encode(answer)
		}
	case r.URL.Path == "/application":
		_ = json.NewEncoder(w).Encode(openbanking.Application{Services: s.services, Active: true})
	default:
		http.NotFound(w, r)
	}
}

func refuse(w http.ResponseWriter, code openbanking.ErrorCode) {
	e := openbanking.Error{Code: code}
	w.Header().Set("X-Request-Id", "request-7")
	w.WriteHeader(e.HTTPStatus())
	_ = json.NewEncoder(w).Encode(e.Response())
}

func (s *service) create(w http.ResponseWriter, r *http.Request) {
	var request openbanking.CreatePaymentRequest
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		refuse(w, openbanking.WrongRequestParameters)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.posts = append(s.posts, request)
	switch s.fault {
	case refuses:
		refuse(w, openbanking.WrongRequestParameters)
		return
	case fails:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case hangsUp:
		panic(http.ErrAbortHandler)
	}
	id := uuid.NewString()
	p := &openbanking.Payment{PaymentID: id, Status: openbanking.PaymentStatusPDNG, PaymentType: request.PaymentType, ASPSP: request.ASPSP}
	p.PaymentDetails.PaymentInformation = request.PaymentRequest.PaymentInformation
	for _, t := range request.PaymentRequest.CreditTransferTransaction {
		p.PaymentDetails.CreditTransferTransaction = append(p.PaymentDetails.CreditTransferTransaction,
			openbanking.CreditTransferTransactionDetails{CreditTransferTransaction: t, TransactionID: ptr("t1")})
	}
	s.payments[id] = p
	s.order = append(s.order, id)
	answer, _ := json.Marshal(openbanking.CreatePaymentResponse{PaymentID: id, Status: p.Status, URL: s.URL + "/pis/start?payment_id=" + id, PSUIDHash: "h"})
	switch s.fault {
	case bankFails:
		refuse(w, openbanking.ASPSPError)
	case forgets:
		w.WriteHeader(http.StatusInternalServerError)
	case hangsUpLate:
		panic(http.ErrAbortHandler)
	case half:
		w.Header().Set("Content-Length", fmt.Sprint(len(answer)))
		_, _ = w.Write(answer[:len(answer)/2])
	case empty:
		_, _ = w.Write([]byte(`{}`))
	default:
		_, _ = w.Write(answer)
	}
}

// set is what becomes of a payment at the bank.
func (s *service) set(id string, status openbanking.PaymentStatus, final bool, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.payments[id]
	p.Status, p.FinalStatus = status, final
	if reason != "" {
		p.StatusReasonInformation = &openbanking.StatusReasonInformation{StatusReasonCode: reason, StatusReasonDescription: "bank says"}
	}
}

func (s *service) posted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.posts)
}

type noToken struct{}

func (noToken) Token(time.Time) (string, error) { return "token", nil }

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
	r.Payments = New(Options{Store: s, Connect: func(_ context.Context, p finance.Provider) (API, error) { return bank.New(p.BaseURL, noToken{}) },
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
			{IdentificationHash: "h", Currency: "EUR", CashAccountType: "CACC", UID: ptr("u1"),
				AccountID: &openbanking.AccountIdentification{IBAN: ptr("FI2112345600000785")}}}})
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
