package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"florin/internal/aggregator"
	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/testkit"
)

const pace = 2 * time.Second

// elsewhere is an account that no simulated bank has.
const elsewhere = "DE02120300000000202051"

// order is one of a payment of amounts to an account.
func order(id string, kind openbanking.PaymentType, psu openbanking.PSUType, currency, to string, amounts ...string) aggregator.PaymentOrder {
	o := aggregator.PaymentOrder{
		BankRequest: aggregator.BankRequest{State: "the-state", ReturnURL: "https://service.example/ais/return?x=1", ApplicationName: "Budget", PSUType: psu,
			Language: "en"},
		ID: id, Type: kind,
	}
	for _, amount := range amounts {
		o.Payment.CreditTransferTransaction = append(o.Payment.CreditTransferTransaction, openbanking.CreditTransferTransaction{
			InstructedAmount: openbanking.AmountType{Currency: currency, Amount: amount},
			Beneficiary: openbanking.Beneficiary{
				Creditor:        &openbanking.PartyIdentification{Name: ptr("ACME")},
				CreditorAccount: openbanking.GenericIdentification{Identification: to, SchemeName: openbanking.SchemeNameIBAN},
			},
			RemittanceInformation: []string{"Order " + id},
		})
	}
	return o
}

func sepa(id, to string, amounts ...string) aggregator.PaymentOrder {
	return order(id, openbanking.PaymentTypeSEPA, openbanking.PSUTypePersonal, "EUR", to, amounts...)
}

// fatal is what *testing.T and *rapid.T have in common.
type fatal interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// signedIn starts an authorisation of an order by redirect and signs a user in, up to the step at which the order is shown.
func signedIn(t fatal, b *Bank, username string, o aggregator.PaymentOrder) (flow string) {
	t.Helper()
	flow, err := b.StartPayment(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if !b.NoCredentials() {
		if err := b.sandbox.SignIn(context.Background(), flow, username, b.user(username).Password); err != nil {
			t.Fatal(err)
		}
	}
	return flow
}

// pay approves an order on the bank's own site, from an account by its id in the catalogue; empty: the one that is pre-selected.
func pay(t fatal, b *Bank, username, from string, o aggregator.PaymentOrder) (back string) {
	t.Helper()
	ctx := context.Background()
	flow := signedIn(t, b, username, o)
	choices, err := b.sandbox.Choices(ctx, flow)
	if err != nil {
		t.Fatal(err)
	}
	account := ""
	for _, c := range choices {
		if a := b.sandbox.account(aggregator.BankAccountKey{ASPSP: b.reference(), Reference: c.Reference}); from == a.data.ID || from == "" && c.PreSelected {
			account = c.Reference
		}
	}
	if back, err = b.sandbox.ConfirmOrder(ctx, flow, account); err != nil {
		t.Fatal(err)
	}
	if b.NoCredentials() {
		return back
	}
	v, err := b.sandbox.Visit(ctx, flow)
	if err != nil {
		t.Fatal(err)
	}
	code, _, _ := strings.Cut(v.Message, " ")
	if back, err = b.sandbox.CheckOTP(ctx, flow, code); err != nil {
		t.Fatal(err)
	}
	return back
}

func accountOf(t fatal, b *Bank, id string) *account {
	t.Helper()
	for _, a := range b.accounts {
		if a.data.ID == id {
			return a
		}
	}
	t.Fatalf("no account %s", id)
	return nil
}

// moved returns an account with what payments have moved on it by now.
func (s *Sandbox) movedNow(t fatal, a *account) *account {
	t.Helper()
	moved, err := s.moves(a, momentOf(s.now()), s.ordersOf(context.Background()))
	if err != nil {
		t.Fatal(err)
	}
	return a.with(moved)
}

// The steps at a bank's own site: sign-in, order, code, and back with the state alone (api-notes 8).
func TestAnOrderIsApprovedOnTheSiteOfTheBank(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "DE", "Seebrücke Bank")
	ctx := t.Context()
	o := sepa("one", elsewhere, "50.00")
	flow, err := b.StartPayment(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if step, err := b.Step(ctx, flow); err != nil || step.Kind != aggregator.StepRedirect || step.URL != b.AuthorizeURL(flow) ||
		!step.Expires.Equal(testNow.Add(5*time.Minute)) {
		t.Fatalf("%+v, %v", step, err)
	}
	if p, err := b.Payment(ctx, "one"); err != nil || p.Status != openbanking.PaymentStatusPDNG || p.Authorised || p.Debtor != nil {
		t.Errorf("before the approval: %+v, %v", p, err)
	}
	if err := s.SignIn(ctx, flow, "lena", "moewe-27"); err != nil {
		t.Fatal(err)
	}
	v, err := s.Visit(ctx, flow)
	if err != nil || v.Step != aggregator.BankFlowApproval || v.Order == nil || v.Order.ID != "one" || v.Holder != "Lena Albrecht" || v.Message != "" ||
		len(v.Payees) != 1 || v.Payees[0].Outcome != aggregator.PayeeMatch {
		t.Fatalf("%+v, %v", v, err)
	}
	choices, err := s.Choices(ctx, flow)
	if err != nil || len(choices) != 3 { // current, savings, joint; neither card nor loan
		t.Fatalf("%+v, %v", choices, err)
	}
	for i, c := range choices {
		if c.Available == nil || c.PreSelected != (i == 0) || c.Type != openbanking.CashAccountTypeCACC && c.Type != openbanking.CashAccountTypeSVGS {
			t.Errorf("%+v", c)
		}
	}
	if _, err := s.Approve(ctx, flow, []string{choices[0].Reference}); !isStep(err, aggregator.BankFlowApproval) {
		t.Errorf("approved as a consent: %v", err)
	}
	if _, err := s.ConfirmOrder(ctx, flow, ""); !errors.Is(err, ErrNothingChosen) {
		t.Errorf("no account: %v", err)
	}
	if _, err := s.ConfirmOrder(ctx, flow, accountOf(t, b, "auto").reference); !errors.Is(err, ErrNotAChoice) {
		t.Errorf("a loan: %v", err)
	}
	if _, err := s.CheckOTP(ctx, flow, "271828"); !isStep(err, aggregator.BankFlowApproval) {
		t.Errorf("a code too early: %v", err)
	}
	if back, err := s.ConfirmOrder(ctx, flow, choices[0].Reference); err != nil || back != "" {
		t.Fatalf("%s, %v", back, err)
	}
	v, err = s.Visit(ctx, flow)
	if err != nil || v.Step != aggregator.BankFlowOTP || len(v.Message) < 40 || v.Message[6:] != " approves 50.00 EUR to ACME, DE02 ... 2051" {
		t.Fatalf("%+v, %v", v, err)
	}
	if _, err := s.CheckOTP(ctx, flow, "271828"); !errors.Is(err, ErrWrongOTP) { // the code of consents
		t.Errorf("%v", err)
	}
	back, err := s.CheckOTP(ctx, flow, v.Message[:6])
	if q := parameters(t, back); err != nil || len(q) != 1 || q.Get("state") != "the-state" {
		t.Errorf("%s, %v", back, err)
	}
	p, err := b.Payment(ctx, "one")
	if err != nil || !p.Authorised || p.Status != openbanking.PaymentStatusPDNG || *p.Debtor.Name != "Lena Albrecht" || p.DebtorCurrency != "EUR" ||
		p.DebtorAccount.Identification != choices[0].Number || p.DebtorAccount.SchemeName != openbanking.SchemeNameIBAN || len(p.Transfers) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	if err := b.Cancel(ctx, flow); err != nil {
		t.Error(err)
	}
	if after, err := b.Payment(ctx, "one"); err != nil || !after.Authorised {
		t.Errorf("a cancellation took the approval away: %+v, %v", after, err)
	}
	if _, err := b.FinishConsent(ctx, "the-state", flow); err == nil {
		t.Error("an order was exchanged for a consent")
	}
}

func isStep(err error, step aggregator.BankFlowStep) bool {
	var at *StepError
	return errors.As(err, &at) && at.Step == step
}

// A phone approves without a code; nothing goes back from it (DECOUPLED).
func TestAnOrderIsApprovedOnAPhone(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "NL", "Molenwiek Sparen")
	ctx := t.Context()
	flow, err := b.StartPayment(ctx, sepa("one", elsewhere, "5.00"))
	if err != nil {
		t.Fatal(err)
	}
	kind := func(want aggregator.StepKind) {
		t.Helper()
		if step, err := b.Step(ctx, flow); err != nil || step.Kind != want || step.Code != "" {
			t.Fatalf("%+v, %v", step, err)
		}
	}
	kind(aggregator.StepCredentials)
	method, _ := b.method("app", openbanking.PSUTypePersonal)
	if err := b.Answer(ctx, flow, aggregator.Answer{Credentials: map[string]string{method.Credentials[0].Name: "noor"}}); err != nil {
		t.Fatal(err)
	}
	kind(aggregator.StepDevice)
	if err := s.SignIn(ctx, flow, "noor", "wiek-4"); err != nil {
		t.Fatal(err)
	}
	if v, err := s.Visit(ctx, flow); err != nil || !v.Device || v.Order == nil || v.Check == "" {
		t.Fatalf("%+v, %v", v, err)
	}
	choices, err := s.Choices(ctx, flow)
	if err != nil || len(choices) == 0 {
		t.Fatal(choices, err)
	}
	if back, err := s.ConfirmOrder(ctx, flow, choices[0].Reference); err != nil || back != "" {
		t.Errorf("%s, %v", back, err)
	}
	kind(aggregator.StepDone)
	if p, err := b.Payment(ctx, "one"); err != nil || !p.Authorised {
		t.Errorf("%+v, %v", p, err)
	}
}

// The service asks everything itself (EMBEDDED): credentials, order, code.
func TestAnOrderIsApprovedThroughTheService(t *testing.T) {
	s, set := newTest(t, "")
	b := bankNamed(t, s, "ES", "Banca Almendro")
	ctx := t.Context()
	flow, err := b.StartPayment(ctx, sepa("one", elsewhere, "5.00"))
	if err != nil {
		t.Fatal(err)
	}
	step := func(want aggregator.StepKind) aggregator.Step {
		t.Helper()
		step, err := b.Step(ctx, flow)
		if err != nil || step.Kind != want {
			t.Fatalf("%+v, %v", step, err)
		}
		return step
	}
	answer := func(a aggregator.Answer) {
		t.Helper()
		if err := b.Answer(ctx, flow, a); err != nil {
			t.Fatal(err)
		}
	}
	step(aggregator.StepCredentials)
	u := b.user("alvaro")
	method, _ := b.method("direct", openbanking.PSUTypePersonal)
	credentials := map[string]string{}
	for _, c := range method.Credentials {
		credentials[c.Name] = map[string]string{credentialUsername: u.Username, credentialPassword: u.Password}[c.Is]
	}
	answer(aggregator.Answer{Credentials: credentials})
	shown := step(aggregator.StepOrder)
	if len(shown.Accounts) == 0 || shown.Fixed || len(shown.Payees) != 1 || shown.Holder != u.Name {
		t.Errorf("%+v", shown)
	}
	set(testNow.Add(4 * time.Minute))
	answer(aggregator.Answer{Order: true, Accounts: []string{shown.Accounts[0].Reference}})
	set(testNow.Add(8 * time.Minute)) // five minutes idle end it, not five minutes in all
	code := step(aggregator.StepCode)
	if code.Message == "" || code.AttemptsLeft != 5 || !code.Expires.Equal(testNow.Add(9*time.Minute)) {
		t.Errorf("%+v", code)
	}
	if err := b.Answer(ctx, flow, aggregator.Answer{Code: "000000x"}); !errors.Is(err, aggregator.ErrWrongAnswer) {
		t.Errorf("%v", err)
	}
	answer(aggregator.Answer{Code: code.Message[:6]})
	step(aggregator.StepDone)
}

// One number can stand for accounts in several currencies. An order that names it goes from the one that the PSU chooses, which is at first the one in
// the currency of the order.
func TestAnOrderNamesTheNumberOfSeveralAccounts(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "DE", "Lindwurm Direkt")
	o := sepa("one", elsewhere, "5.00")
	number := accountOf(t, b, "konto").iban
	o.Payment.DebtorAccount = &openbanking.GenericIdentification{Identification: number, SchemeName: openbanking.SchemeNameIBAN}
	flow := signedIn(t, b, "felix", o)
	choices, err := s.Choices(t.Context(), flow)
	if err != nil || len(choices) != 3 {
		t.Fatalf("%+v, %v", choices, err)
	}
	for _, c := range choices {
		if c.Number != choices[0].Number || c.PreSelected != (c.Currency == "EUR") {
			t.Errorf("%+v", c)
		}
	}
	if step, err := b.Step(t.Context(), flow); err != nil || step.Fixed {
		t.Errorf("%+v, %v: there is a choice", step, err)
	}
	if _, err := s.ConfirmOrder(t.Context(), flow, ""); !errors.Is(err, ErrNothingChosen) {
		t.Errorf("without a choice: %v", err)
	}
	if _, err := s.ConfirmOrder(t.Context(), flow, accountOf(t, b, "reise-gbp").reference); err != nil {
		t.Error(err)
	}
}

// The Mock ASPSP asks for nothing (api-notes 9).
func TestAnOrderAtTheMockASPSPNeedsOneClick(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "FI", MockName)
	back := pay(t, b, "", "", sepa("one", elsewhere, "5.00"))
	if q := parameters(t, back); len(q) != 1 || q.Get("state") != "the-state" {
		t.Errorf("%v", q)
	}
	if p, err := b.Payment(t.Context(), "one"); err != nil || !p.Authorised {
		t.Errorf("%+v, %v", p, err)
	}
}

// Five wrong attempts block an order, and five minutes without an answer end it.
func TestAnOrderIsBlockedAndRunsOut(t *testing.T) {
	s, set := newTest(t, "")
	b := bankNamed(t, s, "DE", "Seebrücke Bank")
	ctx := t.Context()
	flow := signedIn(t, b, "lena", sepa("one", elsewhere, "5.00"))
	if _, err := s.ConfirmOrder(ctx, flow, accountOf(t, b, "giro-lena").reference); err != nil {
		t.Fatal(err)
	}
	v, err := s.Visit(ctx, flow)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if _, err := s.CheckOTP(ctx, flow, "wrong"); !errors.Is(err, ErrWrongOTP) {
			t.Fatalf("%d: %v", i, err)
		}
	}
	var ended *EndedError
	if _, err := s.CheckOTP(ctx, flow, "wrong"); !errors.As(err, &ended) || !ended.Blocked || parameters(t, ended.ReturnURL).Get("error") != "access_denied" {
		t.Fatalf("the fifth: %v", err)
	}
	if _, err := s.CheckOTP(ctx, flow, v.Message[:6]); !errors.As(err, &ended) {
		t.Errorf("the right one after them: %v", err)
	}
	flow, err = b.StartPayment(ctx, sepa("one", elsewhere, "5.00"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SignIn(ctx, flow, "lena", "moewe-27"); !errors.As(err, &ended) || !ended.Blocked {
		t.Errorf("begun anew: %v", err)
	}
	flow = signedIn(t, b, "lena", sepa("two", elsewhere, "5.00"))
	set(testNow.Add(orderIdle))
	if _, err := s.ConfirmOrder(ctx, flow, accountOf(t, b, "giro-lena").reference); !errors.As(err, &ended) || ended.Blocked {
		t.Errorf("after five minutes: %v", err)
	}
	for _, id := range []string{"one", "two"} {
		if p, err := b.Payment(ctx, id); err != nil || p.Authorised {
			t.Errorf("%s: %+v, %v", id, p, err)
		}
	}
}

// The code of an order is of its amount and payee, and of one authorisation, alone (Delegated Regulation (EU) 2018/389, article 5).
func TestTheCodeIsBoundToAmountAndPayee(t *testing.T) {
	flow := func(change func(f *aggregator.BankFlow)) string {
		o := sepa("one", elsewhere, "50.00")
		f := aggregator.BankFlow{Order: &o, Secret: "secret"}
		change(&f)
		return orderCode(f)
	}
	first := func(f *aggregator.BankFlow) *openbanking.CreditTransferTransaction {
		return &f.Order.Payment.CreditTransferTransaction[0]
	}
	code := flow(func(*aggregator.BankFlow) {})
	if len(code) != 6 || code != flow(func(f *aggregator.BankFlow) { first(f).RemittanceInformation = nil }) {
		t.Error(code)
	}
	for name, change := range map[string]func(f *aggregator.BankFlow){
		"another amount":   func(f *aggregator.BankFlow) { first(f).InstructedAmount.Amount = "500.00" },
		"another currency": func(f *aggregator.BankFlow) { first(f).InstructedAmount.Currency = "SEK" },
		"another payee": func(f *aggregator.BankFlow) {
			first(f).Beneficiary.CreditorAccount.Identification = "DE91100000000123456789"
		},
		"another kind of payee": func(f *aggregator.BankFlow) {
			first(f).Beneficiary.CreditorAccount.SchemeName = openbanking.SchemeNameBBAN
		},
		"one more": func(f *aggregator.BankFlow) {
			f.Order.Payment.CreditTransferTransaction = append(f.Order.Payment.CreditTransferTransaction, *first(f))
		},
		"another authorisation": func(f *aggregator.BankFlow) { f.Secret = "other" },
	} {
		if flow(change) == code {
			t.Errorf("%s: the same code", name)
		}
	}
}

// What the bank says after each step of a path, by the clock (api-notes 8): pairs of a time since the approval and a status.
func TestAMessageShortensTheNumberOfAnAccount(t *testing.T) {
	for number, want := range map[string]string{
		elsewhere: "DE02 ... 2051", "123456789012": "123456789012", "1234567890123": "1234 ... 0123", "ÄÖÜäöüßÄÖÜäöüß": "ÄÖÜä ... äöüß", "": "",
	} {
		if got := shortened(number); got != want {
			t.Errorf("%s: %s, want %s", number, got, want)
		}
	}
}

func TestPathsOfPayments(t *testing.T) {
	testkit.Unwatched(t)
	monday := time.Date(2026, 11, 23, 6, 0, 0, 0, time.UTC).Sub(testNow)
	dated := func(o aggregator.PaymentOrder, date openbanking.Date) aggregator.PaymentOrder {
		for i := range o.Payment.CreditTransferTransaction {
			o.Payment.CreditTransferTransaction[i].RequestedExecutionDate = &date
		}
		return o
	}
	datedEach := func(o aggregator.PaymentOrder, dates ...openbanking.Date) aggregator.PaymentOrder {
		o.Payment.CreditTransferTransaction = slices.Clone(o.Payment.CreditTransferTransaction)
		for i, date := range dates {
			if date != "" {
				o.Payment.CreditTransferTransaction[i].RequestedExecutionDate = &date
			}
		}
		return o
	}
	instant := order("x", openbanking.PaymentTypeInstSEPA, openbanking.PSUTypePersonal, "EUR", elsewhere, "5.00")
	bulk := order("x", openbanking.PaymentTypeBulkSEPA, openbanking.PSUTypeBusiness, "EUR", elsewhere, "5.00", "6.00", "7.00")
	dkk := order("x", openbanking.PaymentTypeDomestic, openbanking.PSUTypePersonal, "DKK", "DK5000400440116243", "5.00")
	type at struct {
		after  time.Duration
		status openbanking.PaymentStatus
	}
	for _, test := range []struct {
		name          string
		country, bank string
		user          string
		order         aggregator.PaymentOrder
		want          []at
		shifted       openbanking.Date
	}{
		{"standard", "DE", "Seebrücke Bank", "lena", sepa("x", elsewhere, "5.00"),
			[]at{{pace, rcvd}, {2 * pace, actc}, {3 * pace, accp}, {4 * pace, acsp}, {5 * pace, acsc}}, ""},
		{"instant", "DE", "Seebrücke Bank", "lena", instant, []at{{pace / 4, actc}, {pace / 2, acsp}, {pace * 3 / 4, accc}}, ""},
		{"terse", "EE", "Emajõe Pank", "liis", sepa("x", elsewhere, "5.00"), []at{{pace, actc}, {2 * pace, acsp}}, ""},
		{"next day", "LV", "Dzintara Banka", "elza", sepa("x", elsewhere, "5.00"),
			[]at{{pace, rcvd}, {2 * pace, actc}, {3 * pace, accp}, {monday, acsp}, {monday + pace, acsc}}, ""},
		{"change by the bank", "PT", "Caixa da Serra", "tiago", sepa("x", elsewhere, "5.00"),
			[]at{{pace, actc}, {2 * pace, acwc}, {monday, acsp}, {monday + pace, acsc}}, "2026-11-23"},
		{"future date", "DE", "Seebrücke Bank", "lena", dated(sepa("x", elsewhere, "5.00"), "2026-11-23"),
			[]at{{pace, rcvd}, {2 * pace, actc}, {3 * pace, accp}, {monday, acsp}, {monday + pace, acsc}}, ""},
		{"on a Saturday", "DE", "Seebrücke Bank", "lena", dated(sepa("x", elsewhere, "5.00"), "2026-11-21"),
			[]at{{pace, rcvd}, {2 * pace, actc}, {3 * pace, acwc}, {monday, acsp}, {monday + pace, acsc}}, "2026-11-23"},
		{"today", "DE", "Seebrücke Bank", "lena", dated(sepa("x", elsewhere, "5.00"), "2026-11-20"),
			[]at{{pace, rcvd}, {2 * pace, actc}, {3 * pace, accp}, {4 * pace, acsp}, {5 * pace, acsc}}, ""},
		{"bulk", "IE", "Scenario Payments", "bulk", bulk, []at{{pace, actc}, {2 * pace, accp}, {3 * pace, acsp}, {4 * pace, acsc}}, ""},
		{"bulk with a day for each", "IE", "Scenario Payments", "bulk", datedEach(bulk, "", "2026-11-23", "2026-11-24"),
			[]at{{pace, actc}, {2 * pace, accp}, {4 * pace, part}, {monday + 24*time.Hour + pace, acsc}}, ""},
		{"bulk, partly accepted", "IE", "Scenario Payments", "bulk-partly-rejected", bulk, []at{{pace, actc}, {2 * pace, part}, {4 * pace, acsc}}, ""},
		{"bulk, partly cancelled", "IE", "Scenario Payments", "bulk-partly-cancelled", bulk,
			[]at{{pace, actc}, {2 * pace, accp}, {3 * pace, acsp}, {4 * pace, pdcr}, {5 * pace, pacr}, {6 * pace, part}, {7 * pace, acsc}}, ""},
		{"rejected", "IE", "Scenario Payments", "payment-invalid", sepa("x", elsewhere, "5.00"), []at{{pace, rcvd}, {2 * pace, actc}, {3 * pace, rjct}}, ""},
		{"returned", "IE", "Scenario Payments", "payment-returned", sepa("x", elsewhere, "5.00"),
			[]at{{pace, rcvd}, {2 * pace, actc}, {3 * pace, accp}, {4 * pace, acsp}, {5 * pace, rjct}}, ""},
		{"pending", "IE", "Scenario Payments", "payment-pending", sepa("x", elsewhere, "5.00"), []at{{1000 * time.Hour, openbanking.PaymentStatusPDNG}}, ""},
		{"cancelled", "IE", "Scenario Payments", "payment-cancelled", sepa("x", elsewhere, "5.00"),
			[]at{{pace, rcvd}, {2 * pace, actc}, {3 * pace, accp}, {4 * pace, acsp}, {5 * pace, pdcr}, {6 * pace, accr}, {7 * pace, cncl}}, ""},
		{"cancellation refused", "IE", "Scenario Payments", "payment-cancellation-refused", sepa("x", elsewhere, "5.00"),
			[]at{{4 * pace, acsp}, {5 * pace, pdcr}, {6 * pace, rjcr}, {7 * pace, null}, {8 * pace, acsp}, {9 * pace, acsc}}, ""},
		{"request accepted", "IE", "Scenario Payments", "payment-accepted", sepa("x", elsewhere, "5.00"),
			[]at{{pace, rcvd}, {2 * pace, acpt}, {3 * pace, acsp}, {4 * pace, acsc}}, ""},
		{"shifted", "IE", "Scenario Payments", "payment-shifted", sepa("x", elsewhere, "5.00"), []at{{2 * pace, acwc}, {monday, acsp}}, "2026-11-23"},
		{"not posted", "IE", "Scenario Payments", "payment-unposted", sepa("x", elsewhere, "5.00"),
			[]at{{pace, actc}, {2 * pace, acsp}, {3 * pace, acwp}, {4 * pace, accc}}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, set := newTest(t, "")
			b := bankNamed(t, s, test.country, test.bank)
			pay(t, b, test.user, "", test.order)
			if first := test.want[0]; first.after == pace || first.after == pace/4 { // before it the bank says nothing
				test.want = append([]at{{first.after - time.Millisecond, openbanking.PaymentStatusPDNG}}, test.want...)
			}
			for _, want := range test.want {
				set(testNow.Add(want.after))
				p, err := b.Payment(t.Context(), "x")
				if err != nil || p.Status != want.status || !p.Authorised || (p.Status == rjct) != (p.Reason != nil) {
					t.Errorf("after %v: %+v, %v; want %s", want.after, p, err, want.status)
				}
				if p.Transfers[0].ExecutionDate != test.shifted {
					t.Errorf("date %q, want %q", p.Transfers[0].ExecutionDate, test.shifted)
				}
			}
		})
	}
	t.Run("accepted", func(t *testing.T) { // a bank's habit, at a bank with a phone
		s, set := newTest(t, "")
		b := bankNamed(t, s, "DK", "Limfjord Kasse")
		u := b.user("mikkel")
		plan := b.plan(&dkk, u, u.accounts[0], 1000, s.now())
		set(testNow)
		if at := plan.At(testNow.Add(2 * pace)); at.Status != acpt {
			t.Errorf("%+v", plan)
		}
	})
}

// Each transaction of a bulk payment has its status.
func TestTransactionsOfABulkPaymentHaveTheirStatus(t *testing.T) {
	for user, want := range map[string]map[time.Duration][3]openbanking.PaymentStatus{
		"bulk-partly-rejected":  {2 * pace: {accp, rjct, accp}, 3 * pace: {acsp, rjct, acsp}, 4 * pace: {acsc, rjct, acsc}},
		"bulk-partly-cancelled": {5 * pace: {accr, rjcr, rjcr}, 6 * pace: {cncl, acsp, acsp}, 7 * pace: {cncl, acsc, acsc}},
	} {
		s, set := newTest(t, "")
		b := bankNamed(t, s, "IE", "Scenario Payments")
		pay(t, b, user, "", order("x", openbanking.PaymentTypeBulkSEPA, openbanking.PSUTypeBusiness, "EUR", elsewhere, "5.00", "6.00", "7.00"))
		for after, statuses := range want {
			set(testNow.Add(after))
			p, err := b.Payment(t.Context(), "x")
			if err != nil {
				t.Fatal(err)
			}
			for i, status := range statuses {
				if p.Transfers[i].Status != status {
					t.Errorf("%s after %v: %d is %s, want %s", user, after, i, p.Transfers[i].Status, status)
				}
			}
		}
		set(testNow.Add(8 * pace))
		settled := int64(-1800)
		if user == "bulk-partly-rejected" {
			settled += 600
		} else {
			settled += 500
		}
		a := accountOf(t, b, user)
		if got := s.movedNow(t, a).rows(momentOf(s.now().Add(pace))).sums().booked; got != a.opening+settled {
			t.Errorf("%s: booked %d", user, got-a.opening)
		}
	}
}

// Why a payment is rejected: the code tells it, and no ledger ever shows it.
func TestRejections(t *testing.T) {
	s, set := newTest(t, "")
	b := bankNamed(t, s, "IE", "Scenario Payments")
	named := func(o aggregator.PaymentOrder, id openbanking.GenericIdentification) aggregator.PaymentOrder {
		o.Payment.DebtorAccount = &id
		return o
	}
	closed := b.closedIBANs()[0]
	mammoth := bankNamed(t, s, "NL", "Mammoth").accounts[0].iban
	nobody := computeIBAN(t, "IE", b.data.BankCode+"12345678")
	internal := order("", openbanking.PaymentTypeInternal, openbanking.PSUTypePersonal, "EUR", elsewhere, "1.00")
	for _, test := range []struct {
		name  string
		user  string
		from  string
		order aggregator.PaymentOrder
		want  string
	}{
		{"more than there is", "payment-causes", "small", sepa("", elsewhere, "100.01"), "AM04"},
		{"no such account", "payment-causes", "spare", sepa("", nobody, "1.00"), "AC01"},
		{"closed", "payment-causes", "spare", sepa("", closed, "1.00"), "AC04"},
		{"blocked", "payment-causes", "spare", sepa("", accountOf(t, b, "blocked").iban, "1.00"), "AC06"},
		{"an account without room for it", "payment-causes", "spare", sepa("", mammoth, "1.00"), "AC06"},
		{"from a card", "payment-causes", "card", named(sepa("", elsewhere, "1.00"), accountOf(t, b, "card").identified()), "AG01"},
		{"from a loan", "payment-causes", "loan", named(sepa("", elsewhere, "1.00"), accountOf(t, b, "loan").identified()), "AG01"},
		{"from a blocked account", "payment-causes", "blocked", named(sepa("", elsewhere, "1.00"), accountOf(t, b, "blocked").identified()), "AC06"},
		{"far too much", "payment-causes", "spare", sepa("", elsewhere, "99999999999999.99"), "AM02"},
		{"FF01", "payment-invalid", "", sepa("", elsewhere, "1.00"), "FF01"},
		{"TM01", "payment-too-late", "", sepa("", elsewhere, "1.00"), "TM01"},
		{"MS03", "payment-refused", "", sepa("", elsewhere, "1.00"), "MS03"},
	} {
		set(testNow)
		test.order.ID = test.name
		pay(t, b, test.user, test.from, test.order)
		set(testNow.Add(3 * pace))
		p, err := b.Payment(t.Context(), test.name)
		if err != nil || p.Status != rjct || p.Reason == nil || p.Reason.StatusReasonCode != test.want || p.Reason.StatusReasonDescription == "" ||
			p.Transfers[0].Status != rjct {
			t.Errorf("%s: %+v, %v", test.name, p, err)
		}
	}
	for _, id := range []string{"small", "spare", "card", "loan", "blocked", "payment-invalid"} {
		if a := s.movedNow(t, accountOf(t, b, id)); len(a.moved) > 0 {
			t.Errorf("%s: %d rows", id, len(a.moved))
		}
	}
	// Within a bank there are the accounts of the bank.
	mock := bankNamed(t, s, "DE", MockName)
	set(testNow)
	internal.ID = "internal"
	pay(t, mock, "", "", internal)
	set(testNow.Add(pace))
	if p, err := mock.Payment(t.Context(), "internal"); err != nil || p.Reason == nil || p.Reason.StatusReasonCode != "AC01" {
		t.Errorf("%+v, %v", p, err)
	}
}

// What was approved and is not booked yet cannot be spent twice.
func TestApprovedPaymentsAreHeldBack(t *testing.T) {
	s, set := newTest(t, "")
	b := bankNamed(t, s, "IE", "Scenario Payments")
	later := sepa("later", elsewhere, "60.00")
	later.Payment.CreditTransferTransaction[0].RequestedExecutionDate = ptr(openbanking.Date("2027-01-15"))
	pay(t, b, "payment-causes", "small", later)
	pay(t, b, "payment-causes", "small", sepa("now", elsewhere, "40.00"))
	pay(t, b, "payment-causes", "small", sepa("more", elsewhere, "0.01"))
	set(testNow.Add(time.Minute))
	for id, want := range map[string]openbanking.PaymentStatus{"later": accp, "now": acsc, "more": rjct} {
		if p, err := b.Payment(t.Context(), id); err != nil || p.Status != want {
			t.Errorf("%s: %+v, %v", id, p, err)
		}
	}
	// The order that was approved again is the one that the bank has.
	pay(t, b, "payment-causes", "spare", sepa("now", elsewhere, "40.00"))
	if p, err := b.Payment(t.Context(), "now"); err != nil || p.DebtorAccount.Identification != accountOf(t, b, "small").iban {
		t.Errorf("%+v, %v", p, err)
	}
	if a := s.movedNow(t, accountOf(t, b, "spare")); len(a.moved) != 0 {
		t.Error("paid twice")
	}
}

// A payment is pending first and then booked, at the debtor and at the creditor, and moves their balances; the row stays the same.
func TestPaymentsAppearInLedgers(t *testing.T) {
	s, set := newTest(t, "")
	from := bankNamed(t, s, "IE", "Scenario Payments")
	to := bankNamed(t, s, "PL", "Bank Bursztynowy")
	debtor, creditor := accountOf(t, from, "spare"), to.user("maja").accounts[0]
	o := sepa("x", creditor.iban, "120.00")
	o.Payment.CreditTransferTransaction[0].ReferenceNumber = ptr("RF18539007547034")
	pay(t, from, "payment-causes", "spare", o)
	before := [2]sums{debtor.rows(momentOf(testNow)).sums(), creditor.rows(momentOf(testNow)).sums()}
	look := func(after time.Duration, a *account) (openbanking.Transaction, sums, bool) {
		t.Helper()
		set(testNow.Add(after))
		moved := s.movedNow(t, a)
		page, err := moved.page(aggregator.TransactionQuery{}, momentOf(s.now()))
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range page.Transactions {
			if row.ReferenceNumber != nil && *row.ReferenceNumber == "RF18539007547034" {
				return row, moved.rows(momentOf(s.now())).sums(), true
			}
		}
		return openbanking.Transaction{}, moved.rows(momentOf(s.now())).sums(), false
	}
	amount := convert(12000, "EUR", creditor.data.Currency, testToday)
	for i, side := range []struct {
		account *account
		amount  int64
	}{{debtor, -12000}, {creditor, amount}} {
		if _, sum, there := look(4*pace-1*time.Millisecond, side.account); there || sum != before[i] {
			t.Errorf("%d: too early: %+v", i, sum)
		}
		pending, sum, there := look(4*pace, side.account)
		if !there || pending.Status != openbanking.TransactionStatusPDNG || pending.BookingDate != nil || sum.booked != before[i].booked ||
			sum.pending != before[i].pending+side.amount {
			t.Errorf("%d: pending %+v, %+v", i, pending, sum)
		}
		if want := before[i].reserved + min(0, side.amount); sum.reserved != want {
			t.Errorf("%d: reserved %d, want %d", i, sum.reserved, want)
		}
		booked, sum, there := look(5*pace, side.account)
		if !there || booked.Status != openbanking.TransactionStatusBOOK || *booked.BookingDate != "2026-11-20" || sum.booked != before[i].booked+side.amount ||
			sum.pending != before[i].pending {
			t.Errorf("%d: booked %+v, %+v", i, booked, sum)
		}
		if booked.RemittanceInformation[0] != "Order x" || *booked.ReferenceNumberSchema != openbanking.ReferenceNumberSchemeINTL {
			t.Errorf("%d: %+v", i, booked)
		}
		if pending.EntryReference != nil && *pending.EntryReference != *booked.EntryReference ||
			pending.TransactionID != nil && *pending.TransactionID != *booked.TransactionID {
			t.Errorf("%d: the references change", i)
		}
		if side.account.bank.data.Habits.BalanceAfter &&
			booked.BalanceAfterTransaction.Amount != money.FromMinor(sum.booked, side.account.data.Currency).String() {
			t.Errorf("%d: balance after %+v", i, booked.BalanceAfterTransaction)
		}
		if booked.TransactionID != nil {
			if found, ok := s.movedNow(t, side.account).rows(momentOf(s.now())).find(*booked.TransactionID); !ok ||
				found.Status != openbanking.TransactionStatusBOOK {
				t.Errorf("%d: details %+v, %v", i, found, ok)
			}
		}
		if i == 0 && (*booked.Creditor.Name != "ACME" || *booked.CreditorAccount.IBAN != creditor.iban || *booked.CreditorAgent.BICFI != to.data.BIC ||
			*booked.BankTransactionCode.SubCode != "ESCT") {
			t.Errorf("%+v", booked)
		}
		if i == 1 && (*booked.Debtor.Name != "Maura Costello" || *booked.DebtorAccount.IBAN != debtor.iban || booked.ExchangeRate == nil ||
			booked.ExchangeRate.InstructedAmount.Amount != "120.00") {
			t.Errorf("%+v", booked)
		}
	}
	// A row that was pending and is rejected was never there.
	set(testNow)
	returned := accountOf(t, from, "payment-returned")
	pay(t, from, "payment-returned", "", sepa("back", creditor.iban, "10.00"))
	for after, want := range map[time.Duration]int{4 * pace: 1, 5 * pace: 0, time.Hour: 0} {
		set(testNow.Add(after))
		if n := len(s.movedNow(t, returned).rows(momentOf(s.now())).pending(0, testToday)); n != want {
			t.Errorf("after %v: %d pending", after, n)
		}
		if got := s.movedNow(t, returned).rows(momentOf(s.now())).sums().booked; got != returned.opening {
			t.Errorf("after %v: booked %d", after, got)
		}
	}
}

// A listing that has begun shows the ledger of its beginning on all its pages, whatever is paid meanwhile.
func TestAPaymentDoesNotShiftAListing(t *testing.T) {
	s, set := newTest(t, "")
	b := bankNamed(t, s, "DE", MockName) // ten rows a page
	a := b.users[0].accounts[0]
	pay(t, b, "", "current", sepa("one", elsewhere, "1.00"))
	set(testNow.Add(time.Minute))
	first, err := s.movedNow(t, a).page(aggregator.TransactionQuery{}, momentOf(s.now()))
	if err != nil {
		t.Fatal(err)
	}
	want, err := s.movedNow(t, a).page(aggregator.TransactionQuery{Cursor: first.Next}, momentOf(s.now()))
	if err != nil {
		t.Fatal(err)
	}
	pay(t, b, "", "current", sepa("two", elsewhere, "2.00"))
	set(testNow.Add(2 * time.Minute))
	got, err := s.movedNow(t, a).page(aggregator.TransactionQuery{Cursor: first.Next}, momentOf(s.now()))
	if err != nil || fmt.Sprint(rowsOf(got)) != fmt.Sprint(rowsOf(want)) {
		t.Errorf("%v, then %v, %v", rowsOf(want), rowsOf(got), err)
	}
	again, err := s.movedNow(t, a).page(aggregator.TransactionQuery{}, momentOf(s.now()))
	if err != nil || fmt.Sprint(rowsOf(again)) == fmt.Sprint(rowsOf(first)) {
		t.Errorf("the second payment is not there, %v", err)
	}
}

func rowsOf(page aggregator.TransactionPage) []string {
	var list []string
	for _, row := range page.Transactions {
		list = append(list, *row.EntryReference+" "+row.TransactionAmount.Amount+" "+string(row.Status))
	}
	return list
}

// A standing order is executed day by day for a year: on business days, moved as its rule says, and not where the balance is too small.
func TestStandingOrders(t *testing.T) {
	testkit.Unwatched(t)
	for _, test := range []struct {
		name      string
		frequency openbanking.FrequencyCode
		rule      openbanking.ExecutionRule
		first     openbanking.Date
		end       openbanking.Date
		want      []string // the first of them
		count     int      // in a year
	}{
		{"daily", openbanking.FrequencyCodeDAIL, "", "2026-11-20", "2026-12-01", []string{"2026-11-20", "2026-11-23", "2026-11-24"}, 8},
		{"weekly on Saturdays, following", openbanking.FrequencyCodeWEEK, openbanking.ExecutionRuleFWNG, "2026-11-21", "", []string{"2026-11-23", "2026-11-30"}, 52},
		{"weekly on Saturdays, preceding", openbanking.FrequencyCodeWEEK, openbanking.ExecutionRulePREC, "2026-11-28", "", []string{"2026-11-27", "2026-12-04"}, 52},
		{"every two weeks", openbanking.FrequencyCodeTOWK, "", "2026-11-27", "", []string{"2026-11-27", "2026-12-11", "2026-12-28"}, 26},
		{"at the end of the month", openbanking.FrequencyCodeMNTH, openbanking.ExecutionRulePREC, "2027-01-31", "",
			[]string{"2027-01-29", "2027-02-26", "2027-03-31"}, 10},
		{"every two months", openbanking.FrequencyCodeTOMN, "", "2026-12-01", "", []string{"2026-12-01", "2027-02-01"}, 6},
		{"quarterly", openbanking.FrequencyCodeQUTR, "", "2026-12-25", "", []string{"2026-12-28", "2027-03-25", "2027-06-25"}, 4},
		{"twice a year", openbanking.FrequencyCodeSEMI, "", "2026-11-30", "", []string{"2026-11-30", "2027-05-31"}, 2},
		{"once a year", openbanking.FrequencyCodeYEAR, "", "2026-11-23", "", []string{"2026-11-23"}, 1},
		{"until its end", openbanking.FrequencyCodeMNTH, "", "2026-12-01", "2027-03-01", []string{"2026-12-01", "2027-01-04", "2027-02-01", "2027-03-01"}, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, set := newTest(t, "")
			b := bankNamed(t, s, "IE", "Scenario Payments")
			debtor, creditor := accountOf(t, b, "spare"), accountOf(t, b, "small")
			o := sepa("x", creditor.iban, "1.00")
			tx := &o.Payment.CreditTransferTransaction[0]
			tx.Frequency, tx.RequestedExecutionDate = &test.frequency, &test.first
			if test.rule != "" {
				tx.ExecutionRule = &test.rule
			}
			if test.end != "" {
				tx.EndDate = &test.end
			}
			pay(t, b, "payment-causes", "spare", o)
			set(testNow.AddDate(1, 0, 0))
			rows := s.movedNow(t, debtor).rows(momentOf(s.now())).(ledgerView)
			var dates []string
			for _, i := range rows.order {
				if e := rows.entry(int(i)); e.kind == "standing" {
					dates = append(dates, string(e.booked.date()))
				}
			}
			if len(dates) != test.count || fmt.Sprint(dates[:len(test.want)]) != fmt.Sprint(test.want) {
				t.Errorf("%d: %v", len(dates), dates)
			}
			if got := s.movedNow(t, creditor).rows(momentOf(s.now())).sums().booked; got != creditor.opening+int64(100*test.count) {
				t.Errorf("creditor has %d", got)
			}
		})
	}
}

// Two accounts pay each other by standing orders; what one of them has decides what the other gets.
func TestStandingOrdersFollowTheBalance(t *testing.T) {
	s, set := newTest(t, "")
	b := bankNamed(t, s, "IE", "Scenario Payments")
	small, other := accountOf(t, b, "small"), accountOf(t, b, "payment-accepted")
	daily := func(id, to, amount string, first openbanking.Date) aggregator.PaymentOrder {
		o := sepa(id, to, amount)
		tx := &o.Payment.CreditTransferTransaction[0]
		tx.Frequency, tx.RequestedExecutionDate = ptr(openbanking.FrequencyCodeDAIL), &first
		return o
	}
	pay(t, b, "payment-causes", "small", daily("out", other.iban, "40.00", "2026-11-23")) // 100.00 there: two executions, until something comes
	pay(t, b, "payment-accepted", "", daily("in", small.iban, "10.00", "2026-11-25"))
	day := func(date int) (int64, int64) {
		set(time.Date(2026, 11, date, 12, 0, 0, 0, time.UTC))
		at := momentOf(s.now())
		return s.movedNow(t, small).rows(at).sums().booked, s.movedNow(t, other).rows(at).sums().booked
	}
	for _, want := range []struct {
		date int
		sum  int64
	}{{23, 6000}, {24, 2000}, {25, 3000}, {26, 4000}, {27, 1000}, {30, 2000}} {
		if got, rest := day(want.date); got != want.sum || got+rest != small.opening+other.opening {
			t.Errorf("%d November: %d, %d", want.date, got, rest)
		}
	}
	if got, _ := day(25); got != 3000 { // the past does not change
		t.Errorf("25 November: %d", got)
	}
}

// Several standing orders that are executed on the same day spend the same money once.
func TestStandingOrdersOfOneDayDoNotOverdraw(t *testing.T) {
	s, set := newTest(t, "")
	b := bankNamed(t, s, "DE", "Seebrücke Bank")
	daily := openbanking.FrequencyCodeDAIL
	var a *account
	for i := range 7 {
		o := sepa(fmt.Sprintf("standing %d", i), elsewhere, "37.11")
		o.Payment.CreditTransferTransaction[0].Frequency = &daily
		pay(t, b, "lena", "", o)
		if a == nil {
			stored, err := s.flows.BankOrder(t.Context(), b.reference(), o.ID)
			if err != nil {
				t.Fatal(err)
			}
			a = s.account(aggregator.BankAccountKey{ASPSP: b.reference(), Reference: stored.Account})
		}
	}
	set(testNow.AddDate(0, 4, 0))
	moved, err := s.moves(a, momentOf(s.now()), s.ordersOf(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	days := map[day]int{}
	for i := range moved {
		if m := &moved[i]; m.amount < 0 {
			days[m.held.day()]++
			if left := s.availableOf(a, m.held, moved); left < 0 {
				t.Fatalf("%v: overdrawn by %d", m.held.day().date(), -left)
			}
		}
	}
	some, all := false, false
	for d, n := range days {
		some, all = some || d > dayOf(testNow) && n < 7, all || n == 7
	}
	if !some || !all {
		t.Errorf("the money never runs out, or never reaches: %v", days)
	}
}

// No order executes twice, however many authorisations of it are approved at once.
func TestAnOrderIsTakenOnce(t *testing.T) {
	s, set := newTest(t, "")
	b := bankNamed(t, s, "DE", MockName)
	var flows []string
	for range 8 {
		flows = append(flows, signedIn(t, b, "", sepa("x", elsewhere, "3.00")))
	}
	var group sync.WaitGroup
	for _, flow := range flows {
		group.Go(func() {
			if _, err := s.ConfirmOrder(context.Background(), flow, b.users[0].accounts[0].reference); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	set(testNow.Add(time.Minute))
	if a := s.movedNow(t, b.users[0].accounts[0]); len(a.moved) != 1 {
		t.Errorf("%d rows", len(a.moved))
	}
	for _, flow := range flows {
		if v, err := s.Visit(t.Context(), flow); err != nil || v.Step != aggregator.BankFlowApproved {
			t.Errorf("%+v, %v", v, err)
		}
	}
}

// At every moment, whatever was paid: the booked balance is the sum of all booked rows, each balance_after is the sum so far, no
// account was overdrawn by a payment, and money that stays among the accounts of a bank stays the same in all.
func TestLedgersWithPaymentsAddUp(t *testing.T) {
	testkit.Unwatched(t)
	store, set := newTest(t, "")
	b := bankNamed(t, store, "IE", "Scenario Payments")
	accounts := []*account{accountOf(t, b, "small"), accountOf(t, b, "spare")}
	now, n := testNow, 0
	total := accounts[0].opening + accounts[1].opening
	rapid.Check(t, func(t *rapid.T) {
		for range rapid.IntRange(1, 5).Draw(t, "steps") {
			from := rapid.IntRange(0, 1).Draw(t, "from")
			n++
			o := sepa(fmt.Sprintf("order %d", n), accounts[1-from].iban, money.FromMinor(int64(rapid.IntRange(1, 4000).Draw(t, "amount")), "EUR").String())
			tx := &o.Payment.CreditTransferTransaction[0]
			if days := rapid.IntRange(0, 3).Draw(t, "days"); days > 0 {
				tx.RequestedExecutionDate = ptr((dayOf(now) + day(days)).date())
			}
			if rapid.IntRange(0, 9).Draw(t, "standing") == 0 && n < 300 {
				tx.Frequency, tx.EndDate = ptr(openbanking.FrequencyCodeDAIL), ptr((dayOf(now) + 9).date())
			}
			pay(t, b, "payment-causes", accounts[from].data.ID, o)
			now = now.Add(time.Duration(rapid.IntRange(0, 40_000).Draw(t, "seconds")) * time.Second)
			set(now)
			at := momentOf(now)
			var sum int64
			for _, a := range accounts {
				v := store.movedNow(t, a).rows(at).(ledgerView)
				var running int64
				for i, row := range v.order {
					running += v.entry(int(row)).amount
					if v.balances[i] != running {
						t.Fatalf("%s: row %d says %d, the sum is %d", a.data.ID, i, v.balances[i], running)
					}
				}
				s := v.sums()
				if s.booked != running || s.booked+s.reserved < 0 {
					t.Fatalf("%s: %+v, the rows say %d", a.data.ID, s, running)
				}
				sum += s.booked
			}
			if sum != total {
				t.Fatalf("%d in all, want %d", sum, total)
			}
		}
	})
}

// Verification of payee: the four outcomes (Regulation (EU) 2024/886).
func TestVerificationOfPayee(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "DE", "Seebrücke Bank")
	mine, joint := accountOf(t, b, "giro-lena").iban, accountOf(t, b, "gemeinschaft").iban
	company := bankNamed(t, s, "NL", MockName).users[1]
	firm := company.accounts[0].iban
	for _, test := range []struct {
		to, name string
		want     aggregator.PayeeOutcome
		holder   string
	}{
		{mine, "Lena Albrecht", aggregator.PayeeMatch, ""},
		{mine, "ALBRECHT, Léna", aggregator.PayeeMatch, ""},
		{mine, "L. Albrecht", aggregator.PayeeCloseMatch, "Lena Albrecht"},
		{mine, "Lena Albrect", aggregator.PayeeCloseMatch, "Lena Albrecht"},
		{mine, "Lena Maria Albrecht", aggregator.PayeeCloseMatch, "Lena Albrecht"},
		{mine, "Tom Albrecht", aggregator.PayeeNoMatch, ""},
		{mine, "ACME", aggregator.PayeeNoMatch, ""},
		{mine, "", aggregator.PayeeNotPossible, ""},
		{mine, "...", aggregator.PayeeNotPossible, ""},
		{joint, "Tom Albrecht", aggregator.PayeeMatch, ""},
		{joint, "Lena und Tom Albrecht", aggregator.PayeeCloseMatch, "Lena Albrecht & Tom Albrecht"},
		{firm, strings.ToUpper(company.Name), aggregator.PayeeMatch, ""},
		{firm, "Kuipers Meubelmakerij", aggregator.PayeeMatch, ""},
		{computeIBAN(t, "DE", b.data.BankCode+"1234567890"), "Lena Albrecht", aggregator.PayeeNotPossible, ""},
		{elsewhere, "ACME", aggregator.PayeeMatch, ""},
		{elsewhere, "ACME Close", aggregator.PayeeCloseMatch, "ACME"},
		{elsewhere, "ACME Wrong", aggregator.PayeeNoMatch, ""},
		{elsewhere, "Unreachable ACME", aggregator.PayeeNotPossible, ""},
		{elsewhere, "", aggregator.PayeeNotPossible, ""},
	} {
		o := sepa("x", test.to, "1.00")
		o.Payment.CreditTransferTransaction[0].Beneficiary.Creditor = &openbanking.PartyIdentification{Name: &test.name}
		got := b.checks(&o)
		if len(got) != 1 || got[0].Outcome != test.want || got[0].Name != test.holder {
			t.Errorf("%q at %s: %+v", test.name, test.to, got)
		}
	}
	abroad := order("x", openbanking.PaymentTypeCrossborder, openbanking.PSUTypePersonal, "USD", elsewhere, "1.00")
	if got := b.checks(&abroad); got != nil {
		t.Errorf("abroad: %+v", got)
	}
}

// Parallel approvals of different orders spend no more than there is.
func TestApprovalsAtOnceDoNotOverdraw(t *testing.T) {
	s, set := newTest(t, "")
	b := bankNamed(t, s, "IE", "Scenario Payments")
	a := accountOf(t, b, "small") // 100.00
	var group sync.WaitGroup
	for i := range 10 {
		group.Go(func() {
			pay(t, b, "payment-causes", "small", sepa(fmt.Sprint(i), elsewhere, "30.00"))
		})
	}
	group.Wait()
	set(testNow.Add(time.Minute))
	accepted := 0
	for i := range 10 {
		switch p, err := b.Payment(t.Context(), fmt.Sprint(i)); {
		case err != nil:
			t.Fatal(err)
		case p.Status == acsc:
			accepted++
		case p.Status != rjct || p.Reason.StatusReasonCode != insufficientFunds:
			t.Errorf("%+v", p)
		}
	}
	if booked := s.movedNow(t, a).rows(momentOf(s.now())).sums().booked; accepted != 3 || booked != 1000 {
		t.Errorf("%d accepted, %d left", accepted, booked)
	}
}

// A bulk payment goes as far as the money reaches; what is left without it is rejected.
func TestABulkPaymentGoesAsFarAsTheMoneyReaches(t *testing.T) {
	s, set := newTest(t, "")
	b := bankNamed(t, s, "IE", "Scenario Payments")
	o := order("x", openbanking.PaymentTypeBulkSEPA, openbanking.PSUTypeBusiness, "EUR", elsewhere, "6000.00", "5000.00", "4000.00")
	pay(t, b, "bulk", "", o)
	set(testNow.Add(time.Minute))
	p, err := b.Payment(t.Context(), "x")
	if err != nil || p.Status != acsc || p.Transfers[0].Status != acsc || p.Transfers[1].Status != rjct || p.Transfers[2].Status != acsc {
		t.Errorf("%+v, %v", p, err)
	}
	if left := s.movedNow(t, accountOf(t, b, "bulk")).rows(momentOf(s.now())).sums().booked; left != 0 {
		t.Errorf("%d left", left)
	}
	o.ID = "none"
	pay(t, b, "bulk", "", o)
	set(testNow.Add(2 * time.Minute))
	if p, err := b.Payment(t.Context(), "none"); err != nil || p.Status != rjct || p.Reason == nil || p.Reason.StatusReasonCode != insufficientFunds {
		t.Errorf("%+v, %v", p, err)
	}
}

// Whoever asks now and then follows every path: each status can come after each that was before it.
func TestEveryPathCanBeFollowedWithGaps(t *testing.T) {
	check := func(name string, list []openbanking.PaymentStatus) {
		list = append(statuses(openbanking.PaymentStatusPDNG), list...)
		for i, from := range list {
			for _, to := range list[i+1:] {
				if from != to && !aggregator.PaymentMove(from, to) {
					t.Errorf("%s: %s cannot follow %s", name, to, from)
				}
			}
		}
	}
	for _, p := range paths {
		check(p.name, p.all())
	}
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "IE", "Scenario Payments")
	for _, u := range b.users {
		o := order("x", openbanking.PaymentTypeSEPA, u.PSUType, "EUR", elsewhere, "1.00")
		if u.PSUType == openbanking.PSUTypeBusiness {
			o = order("x", openbanking.PaymentTypeBulkSEPA, u.PSUType, "EUR", elsewhere, "1.00", "2.00", "3.00")
		}
		var list []openbanking.PaymentStatus
		for _, step := range b.plan(&o, u, u.accounts[0], 1000, testNow).Steps {
			list = append(list, step.Status)
		}
		check(u.Username, list)
	}
}

// Every bank takes every payment that it offers, and follows its path to a status that is final there.
func TestEveryPaymentThatIsOfferedGoesWell(t *testing.T) {
	s, _ := newTest(t, "")
	for _, b := range s.Banks() {
		if b.Name() == "Scenario Payments" {
			continue
		}
		for _, kind := range b.data.Payments {
			u := b.users[slices.IndexFunc(b.users, func(u *user) bool { return u.PSUType == kind.PSUType })]
			var from *account
			for _, a := range u.accounts {
				if a.pays() && !a.data.Blocked {
					from = a
				}
			}
			if from == nil {
				t.Errorf("%s %s: no account to pay from", b.Name(), u.Username)
				continue
			}
			o := order("x", kind.PaymentType, kind.PSUType, kind.Currencies[0], elsewhere, "1.00")
			if kind.PaymentType == openbanking.PaymentTypeInternal {
				o.Payment.CreditTransferTransaction[0].Beneficiary.CreditorAccount = from.identified()
			}
			plan := b.plan(&o, u, from, maxInstructed, testNow)
			if last := plan.Steps[len(plan.Steps)-1]; last.Status == rjct || !aggregator.FinalStatus(last.Status, kind.FinalSuccessfulStatuses) {
				t.Errorf("%s %s: %+v", b.Name(), kind.PaymentType, plan)
			}
			if t0 := plan.Transfers[0]; t0.Shown.IsZero() || t0.Booked.Before(t0.Shown) || t0.Credited.Before(t0.Booked) {
				t.Errorf("%s %s: %+v", b.Name(), kind.PaymentType, t0)
			}
		}
	}
}

// What the bank says of a payment fails for some users.
func TestTheOutcomeOfAPaymentCannotBeAsked(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "IE", "Scenario Payments")
	for user, want := range map[string]openbanking.ErrorCode{"payment-not-accessible": openbanking.ASPSPPaymentNotAccessible,
		"payment-timeout": openbanking.ASPSPTimeout} {
		pay(t, b, user, "", sepa(user, elsewhere, "1.00"))
		if _, err := b.Payment(t.Context(), user); !isCode(err, want) {
			t.Errorf("%s: %v", user, err)
		}
	}
	pay(t, b, "payment-slow", "", sepa("slow", elsewhere, "1.00"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Payment(ctx, "slow"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if p, err := b.Payment(t.Context(), "slow"); err != nil || !p.Authorised {
		t.Errorf("%+v, %v", p, err)
	}
}

// An order that a bank cannot take is refused at once.
func TestOrdersThatABankDoesNotTake(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "DE", "Lindwurm Direkt")
	good := order("x", openbanking.PaymentTypeInstSEPA, openbanking.PSUTypePersonal, "EUR", elsewhere, "1.00")
	for name, change := range map[string]func(o *aggregator.PaymentOrder){
		"no id":          func(o *aggregator.PaymentOrder) { o.ID = "" },
		"no transaction": func(o *aggregator.PaymentOrder) { o.Payment.CreditTransferTransaction = nil },
		"no amount": func(o *aggregator.PaymentOrder) {
			o.Payment.CreditTransferTransaction[0].InstructedAmount.Amount = "0.00"
		},
		"another kind":     func(o *aggregator.PaymentOrder) { o.Type = openbanking.PaymentTypeBulkSEPA },
		"another customer": func(o *aggregator.PaymentOrder) { o.PSUType = openbanking.PSUTypeBusiness },
		"another method":   func(o *aggregator.PaymentOrder) { o.Method = "web" },
		"no way back":      func(o *aggregator.PaymentOrder) { o.ReturnURL = "/back" },
	} {
		o := good
		o.Payment.CreditTransferTransaction = append([]openbanking.CreditTransferTransaction(nil), good.Payment.CreditTransferTransaction...)
		change(&o)
		if _, err := b.StartPayment(t.Context(), o); !isCode(err, openbanking.ASPSPError) {
			t.Errorf("%s: %v", name, err)
		}
	}
	flow, err := b.StartPayment(t.Context(), good)
	if err != nil {
		t.Fatal(err)
	}
	if step, err := b.Step(t.Context(), flow); err != nil || step.Kind != aggregator.StepCredentials { // the one method that is allowed
		t.Errorf("%+v, %v", step, err)
	}
}

func computeIBAN(t *testing.T, country, bban string) string {
	t.Helper()
	number, err := iban.Compute(country, bban)
	if err != nil {
		t.Fatal(err)
	}
	return number.String()
}

// What a payment costs those who read an account: nothing where there is none.
func BenchmarkBalancesWithPayments(b *testing.B) {
	for _, test := range []struct {
		name     string
		payments int
		standing bool
	}{{"none", 0, false}, {"one", 1, false}, {"a thousand", 1000, false}, {"a daily standing order for two years", 1, true}} {
		b.Run(test.name, func(b *testing.B) {
			s, set := newTest(b, "")
			bank := bankNamed(b, s, "DE", MockName)
			a := bank.users[0].accounts[0]
			for i := range test.payments {
				o := sepa(fmt.Sprint(i), elsewhere, "0.01")
				if test.standing {
					o.Payment.CreditTransferTransaction[0].Frequency = ptr(openbanking.FrequencyCodeDAIL)
				}
				pay(b, bank, "", "current", o)
			}
			set(testNow.AddDate(2, 0, 0))
			a.balances(momentOf(s.now())) // the days are written
			b.ReportAllocs()
			for b.Loop() {
				s.movedNow(b, a).balances(momentOf(s.now()))
			}
		})
	}
}

// A reference that its sender assigned is booked as it is, and with a scheme only where it is one of that scheme.
func TestSchemeOfAReference(t *testing.T) {
	for _, tt := range []struct {
		country, number string
		want            openbanking.ReferenceNumberScheme
	}{
		{"DE", "123", ""}, {"DE", "RF18539007547034", openbanking.ReferenceNumberSchemeINTL}, {"FI", "RF18539007547034", openbanking.ReferenceNumberSchemeINTL},
		{"FI", "1232", openbanking.ReferenceNumberSchemeFIRF}, {"FI", "1235", ""}, {"FI", "Order 7", ""}, {"DE", "1232", ""},
		{"BE", "+++090/9337/55493+++", openbanking.ReferenceNumberSchemeBERF}, {"BE", "090933755493", openbanking.ReferenceNumberSchemeBERF}, {"BE", "123", ""},
	} {
		if got := schemeOf(openbanking.PaymentTypeSEPA, tt.country, tt.number); got != tt.want {
			t.Errorf("%s in %s: %q", tt.number, tt.country, got)
		}
	}
	s, set := newTest(t, "")
	b := bankNamed(t, s, "IE", "Scenario Payments")
	o := sepa("x", elsewhere, "12.00")
	o.Payment.CreditTransferTransaction[0].ReferenceNumber = ptr("123")
	pay(t, b, "payment-causes", "spare", o)
	set(testNow.Add(time.Minute))
	page, err := s.movedNow(t, accountOf(t, b, "spare")).page(aggregator.TransactionQuery{}, momentOf(s.now()))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(page.Transactions, func(r openbanking.Transaction) bool { return r.ReferenceNumber != nil && *r.ReferenceNumber == "123" })
	if i < 0 || page.Transactions[i].ReferenceNumberSchema != nil {
		t.Errorf("row %d of %d", i, len(page.Transactions))
	}
}
