package sandbox

import (
	"context"
	"errors"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/iban"
	"florin/internal/openbanking"
)

func isCode(err error, code openbanking.ErrorCode) bool { return errors.Is(err, code) }

func personal() aggregator.ConsentRequest {
	return aggregator.ConsentRequest{
		BankRequest: aggregator.BankRequest{
			State: "the-state", ReturnURL: "https://service.example/ais/return?x=1", ApplicationName: "Budget", PSUType: openbanking.PSUTypePersonal, Language: "de",
		},
		Balances: true, Transactions: true, ValidUntil: testNow.Add(90 * 24 * time.Hour),
	}
}

// visit starts a visit and returns its id, taken from the address to which the PSU is sent.
func visit(t *testing.T, b *Bank, request aggregator.ConsentRequest) string {
	t.Helper()
	reference, err := b.StartConsent(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	step, err := b.Step(t.Context(), reference)
	if err != nil || step.Kind != aggregator.StepRedirect {
		t.Fatalf("step %+v: %v", step, err)
	}
	u, err := url.Parse(step.URL)
	if err != nil || u.Path != "/banks/"+strings.ToLower(b.Country())+"/"+b.Slug()+"/authorize" || !strings.HasPrefix(step.URL, testBase) {
		t.Fatalf("address %s: %v", step.URL, err)
	}
	return u.Query().Get("flow")
}

// parameters are those of the way back to the service, without those that its URL had before.
func parameters(t *testing.T, address string) url.Values {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil || u.Host != "service.example" || u.Path != "/ais/return" || u.Query().Get("x") != "1" {
		t.Fatalf("way back %s: %v", address, err)
	}
	q := u.Query()
	q.Del("x")
	return q
}

// approved walks through a visit of lena and returns the consent.
func approved(t *testing.T, b *Bank, request aggregator.ConsentRequest, choose func([]aggregator.AccountChoice) []string) aggregator.Consent {
	t.Helper()
	s, ctx := b.sandbox, t.Context()
	id := visit(t, b, request)
	if !b.NoCredentials() {
		u := b.SampleUsers(request.PSUType)[0]
		if err := s.SignIn(ctx, id, u.Username, u.Password); err != nil {
			t.Fatal(err)
		}
		if u.OTP != "" {
			if _, err := s.CheckOTP(ctx, id, u.OTP); err != nil {
				t.Fatal(err)
			}
		}
	}
	choices, err := s.Choices(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	back, err := s.Approve(ctx, id, choose(choices))
	if err != nil {
		t.Fatal(err)
	}
	q := parameters(t, back)
	consent, err := b.FinishConsent(ctx, q.Get("state"), q.Get("code"))
	if err != nil {
		t.Fatal(err)
	}
	return consent
}

func all(choices []aggregator.AccountChoice) []string {
	var references []string
	for _, c := range choices {
		references = append(references, c.Reference)
	}
	return references
}

func TestAVisitLeadsToAConsent(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "DE", "Seebrücke Bank")
	ctx := t.Context()
	id := visit(t, b, personal())

	step := func(want aggregator.BankFlowStep, holder string) {
		t.Helper()
		v, err := s.Visit(ctx, id)
		if err != nil || v.Step != want || v.Holder != holder || v.Bank != b || v.ApplicationName != "Budget" || v.Language != "de" ||
			!v.ValidUntil.Equal(personal().ValidUntil) {
			t.Fatalf("%+v, %v; want step %s", v, err, want)
		}
	}
	step(aggregator.BankFlowSignIn, "")
	if err := s.SignIn(ctx, id, "lena", "moewe-27"); err != nil {
		t.Fatal(err)
	}
	step(aggregator.BankFlowOTP, "Lena Albrecht")
	if _, err := s.CheckOTP(ctx, id, "271828"); err != nil {
		t.Fatal(err)
	}
	step(aggregator.BankFlowApproval, "Lena Albrecht")
	choices, err := s.Choices(ctx, id)
	if err != nil || len(choices) != 5 || choices[0].Product != "Seebrücke Giro" || choices[0].PreSelected {
		t.Fatalf("%+v, %v", choices, err)
	}
	if _, err := s.Approve(ctx, id, nil); !errors.Is(err, ErrNothingChosen) {
		t.Errorf("an empty choice: %v", err)
	}
	if _, err := s.Approve(ctx, id, []string{choices[0].Reference, b.user("tom").accounts[0].reference}); !errors.Is(err, ErrNotAChoice) {
		t.Errorf("somebody else's account: %v", err)
	}
	back, err := s.Approve(ctx, id, []string{choices[2].Reference, choices[0].Reference})
	if err != nil {
		t.Fatal(err)
	}
	step(aggregator.BankFlowApproved, "Lena Albrecht")
	q := parameters(t, back)
	if q.Get("state") != "the-state" || len(q.Get("code")) != 64 || len(q) != 2 {
		t.Fatalf("%v", q)
	}
	for name, wrong := range map[string][2]string{"state": {"other", q.Get("code")}, "code": {"the-state", strings.Repeat("0", 64)}, "empty": {"", ""}} {
		if _, err := b.FinishConsent(ctx, wrong[0], wrong[1]); !isCode(err, openbanking.ASPSPError) {
			t.Errorf("wrong %s: %v", name, err)
		}
	}
	if _, err := bankNamed(t, s, "NL", "Grachtenbank").FinishConsent(ctx, "the-state", q.Get("code")); !isCode(err, openbanking.ASPSPError) {
		t.Errorf("at another bank: %v", err)
	}
	consent, err := b.FinishConsent(ctx, "the-state", q.Get("code"))
	if err != nil || !consent.ValidUntil.Equal(personal().ValidUntil) {
		t.Fatalf("%+v, %v", consent, err)
	}
	if _, err := b.FinishConsent(ctx, "the-state", q.Get("code")); !isCode(err, openbanking.ASPSPError) {
		t.Errorf("the code a second time: %v", err)
	}
	accounts, err := b.Accounts(ctx, consent, nil)
	if err != nil || len(accounts) != 2 || accounts[0].Reference != choices[0].Reference || accounts[1].Reference != choices[2].Reference {
		t.Errorf("%+v, %v", accounts, err)
	}
}

func TestStepsAreTakenInOrder(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "DE", "Seebrücke Bank")
	ctx := t.Context()
	calls := map[string]func(id string) error{
		"sign in": func(id string) error { return s.SignIn(ctx, id, "lena", "moewe-27") },
		"otp":     func(id string) error { _, err := s.CheckOTP(ctx, id, "271828"); return err },
		"choices": func(id string) error { _, err := s.Choices(ctx, id); return err },
		"approve": func(id string) error {
			_, err := s.Approve(ctx, id, []string{b.user("lena").accounts[0].reference})
			return err
		},
		"decline": func(id string) error { _, err := s.Decline(ctx, id); return err },
	}
	for _, test := range []struct {
		name    string
		before  []string
		step    aggregator.BankFlowStep
		allowed []string
	}{
		{"new", nil, aggregator.BankFlowSignIn, []string{"sign in", "decline"}},
		{"signed in", []string{"sign in"}, aggregator.BankFlowOTP, []string{"otp", "decline"}},
		{"approval", []string{"sign in", "otp"}, aggregator.BankFlowApproval, []string{"choices", "approve", "decline"}},
		{"approved", []string{"sign in", "otp", "approve"}, aggregator.BankFlowApproved, nil},
		{"declined", []string{"decline"}, aggregator.BankFlowDeclined, []string{"decline"}},
	} {
		for name, call := range calls {
			id := visit(t, b, personal())
			for _, earlier := range test.before {
				if err := calls[earlier](id); err != nil {
					t.Fatal(err)
				}
			}
			err := call(id)
			var step *StepError
			switch {
			case slices.Contains(test.allowed, name):
				if err != nil {
					t.Errorf("%s, %s: %v", test.name, name, err)
				}
			case !errors.As(err, &step) || step.Step != test.step:
				t.Errorf("%s, %s: %v, want a StepError with %s", test.name, name, err, test.step)
			}
		}
	}
	for name, call := range calls {
		if err := call("unknown"); !errors.Is(err, ErrNoVisit) {
			t.Errorf("%s of an unknown visit: %v", name, err)
		}
	}
	if _, err := s.Visit(ctx, "unknown"); !errors.Is(err, ErrNoVisit) {
		t.Errorf("an unknown visit: %v", err)
	}
}

// Five wrong attempts in one visit block it, whatever they were and however they come (Delegated Regulation (EU) 2018/389, article 4).
func TestFiveWrongAttemptsBlockTheVisit(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "DE", "Seebrücke Bank")
	ctx := t.Context()
	id := visit(t, b, personal())
	for _, wrong := range [][2]string{{"nobody", "moewe-27"}, {"lena", "wrong"}, {"", ""}} {
		if err := s.SignIn(ctx, id, wrong[0], wrong[1]); !errors.Is(err, ErrWrongPassword) {
			t.Fatalf("%v: %v", wrong, err)
		}
	}
	if err := s.SignIn(ctx, id, "lena", "moewe-27"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CheckOTP(ctx, id, "000000"); !errors.Is(err, ErrWrongOTP) {
		t.Fatal(err)
	}
	if v, err := s.Visit(ctx, id); err != nil || v.AttemptsLeft != 1 {
		t.Errorf("%d left, %v", v.AttemptsLeft, err)
	}
	var ended *EndedError
	if _, err := s.CheckOTP(ctx, id, "111111"); !errors.As(err, &ended) || !ended.Blocked {
		t.Fatalf("the fifth: %v", err)
	}
	if q := parameters(t, ended.ReturnURL); q.Get("error") != "access_denied" || q.Get("state") != "the-state" || q.Has("code") ||
		q.Get("error_description") == "" {
		t.Errorf("%v", q)
	}
	for name, err := range map[string]error{
		"right code": second(s.CheckOTP(ctx, id, "271828")),
		"sign in":    s.SignIn(ctx, id, "lena", "moewe-27"),
		"visit":      second(s.Visit(ctx, id)),
		"decline":    second(s.Decline(ctx, id)),
	} {
		if !errors.As(err, &ended) || !ended.Blocked {
			t.Errorf("%s after the block: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestParallelAttemptsAreAllCounted(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "DE", "Seebrücke Bank")
	id := visit(t, b, personal())
	var mu sync.Mutex
	var wrong, blocked int
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			err := s.SignIn(context.Background(), id, "lena", "guess")
			mu.Lock()
			defer mu.Unlock()
			var ended *EndedError
			switch {
			case errors.Is(err, ErrWrongPassword):
				wrong++
			case errors.As(err, &ended):
				blocked++
			default:
				t.Error(err)
			}
		})
	}
	group.Wait()
	if wrong != maxFailures-1 || blocked != 20-wrong {
		t.Errorf("%d were told that they are wrong, %d that the visit is blocked", wrong, blocked)
	}
}

func TestUsersOfTheOtherKindCannotSignIn(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "DE", "Bergwerk Kreditanstalt")
	request := personal()
	request.PSUType = openbanking.PSUTypeBusiness
	id := visit(t, b, request)
	if err := s.SignIn(t.Context(), id, "user1", "1234"); !errors.Is(err, ErrWrongPassword) {
		t.Errorf("a person for a business: %v", err)
	}
	if err := s.SignIn(t.Context(), id, "zeche-gmbh", "glueckauf"); err != nil {
		t.Error(err)
	}
	if _, err := bankNamed(t, s, "DE", "Seebrücke Bank").StartConsent(t.Context(), request); !isCode(err, openbanking.ASPSPError) {
		t.Errorf("a bank without businesses: %v", err)
	}
}

func TestVisitsAndCodesExpire(t *testing.T) {
	s, set := newTest(t, "")
	b := bankNamed(t, s, "DE", "Seebrücke Bank")
	ctx := t.Context()
	id := visit(t, b, personal())
	set(testNow.Add(visitLifetime))
	var ended *EndedError
	if err := s.SignIn(ctx, id, "lena", "moewe-27"); !errors.As(err, &ended) || ended.Blocked {
		t.Fatalf("after 15 minutes: %v", err)
	}
	if q := parameters(t, ended.ReturnURL); q.Get("error") != "server_error" || q.Get("state") != "the-state" {
		t.Errorf("%v", q)
	}
	set(testNow)
	mock := bankNamed(t, s, "DE", MockName)
	id = visit(t, mock, personal())
	choices, _ := s.Choices(ctx, id)
	back, err := s.Approve(ctx, id, all(choices))
	if err != nil {
		t.Fatal(err)
	}
	set(testNow.Add(codeLifetime))
	if _, err := mock.FinishConsent(ctx, "the-state", parameters(t, back).Get("code")); !isCode(err, openbanking.ASPSPError) {
		t.Errorf("a late code: %v", err)
	}
}

// api-notes 4: Cancelled by user, access_denied.
func TestDecliningGoesBackWithAccessDenied(t *testing.T) {
	s, _ := newTest(t, "")
	id := visit(t, bankNamed(t, s, "DE", "Seebrücke Bank"), personal())
	first, err := s.Decline(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.Decline(t.Context(), id); err != nil || again != first {
		t.Errorf("again: %s, %v", again, err)
	}
	want := url.Values{"state": {"the-state"}, "error": {"access_denied"}, "error_description": {"Cancelled by user"}}
	if q := parameters(t, first); !reflect.DeepEqual(q, want) {
		t.Errorf("%v", q)
	}
}

// api-notes 9: the Mock ASPSP needs no credentials.
func TestMockASPSPIsApprovedWithOneClick(t *testing.T) {
	s, _ := newTest(t, "")
	for _, b := range s.Banks() {
		if b.Name() != MockName {
			continue
		}
		for _, psu := range b.ASPSP().PSUTypes {
			request := personal()
			request.PSUType = psu
			consent := approved(t, b, request, func(choices []aggregator.AccountChoice) []string {
				for _, c := range choices {
					if !c.PreSelected {
						t.Errorf("%s is not chosen beforehand", c.Product)
					}
				}
				return all(choices)
			})
			accounts, err := b.Accounts(t.Context(), consent, nil)
			if err != nil || len(accounts) == 0 {
				t.Fatalf("%s: %d accounts, %v", b.Country(), len(accounts), err)
			}
			page, err := b.Transactions(t.Context(), consent, accounts[0].Reference, aggregator.TransactionQuery{}, nil)
			if err != nil || len(page.Transactions) != 10 || page.Next == "" {
				t.Errorf("%s: a page of %d, next %q, %v (api-notes 7)", b.Country(), len(page.Transactions), page.Next, err)
			}
		}
	}
}

func TestRequestedAccountsRestrictTheChoice(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "DE", "Seebrücke Bank")
	lena := b.user("lena")
	number, err := iban.Parse(lena.accounts[0].iban)
	if err != nil {
		t.Fatal(err)
	}
	request := personal()
	request.Accounts = []openbanking.AccountIdentification{
		{IBAN: ptr(number.Groups())},
		{Other: &openbanking.GenericIdentification{Identification: lena.accounts[3].pan, SchemeName: openbanking.SchemeNameCPAN}},
		{IBAN: ptr(b.user("tom").accounts[0].iban)}, {}, // neither is lena's
	}
	var chosen []string
	consent := approved(t, b, request, func(choices []aggregator.AccountChoice) []string {
		for _, c := range choices {
			if !c.PreSelected {
				t.Errorf("%s is not chosen beforehand", c.Product)
			}
		}
		chosen = all(choices)
		return chosen
	})
	if want := []string{lena.accounts[0].reference, lena.accounts[3].reference}; !slices.Equal(chosen, want) {
		t.Errorf("offered %v, want %v", chosen, want)
	}
	if accounts, err := b.Accounts(t.Context(), consent, nil); err != nil || len(accounts) != 2 {
		t.Errorf("%d accounts, %v", len(accounts), err)
	}
}

func TestDataCallsCheckTheConsent(t *testing.T) {
	s, set := newTest(t, "")
	b := bankNamed(t, s, "DE", "Bergwerk Kreditanstalt")
	ctx := t.Context()
	accounts := b.user("user1").accounts
	giro, savings, blocked := accounts[0].reference, accounts[1].reference, accounts[2].reference
	calls := func(consent aggregator.Consent, reference string) map[string]error {
		return map[string]error{
			"account":      second(b.Account(ctx, consent, reference, nil)),
			"balances":     second(b.Balances(ctx, consent, reference, nil)),
			"transactions": second(b.Transactions(ctx, consent, reference, aggregator.TransactionQuery{}, nil)),
		}
	}
	expect := func(what string, got, want map[string]error) {
		t.Helper()
		for call, err := range got {
			if !errors.Is(err, want[call]) {
				t.Errorf("%s, %s: %v, want %v", what, call, err, want[call])
			}
		}
	}
	same := func(err error) map[string]error {
		return map[string]error{"account": err, "balances": err, "transactions": err}
	}
	consent := approved(t, b, personal(), func([]aggregator.AccountChoice) []string { return []string{giro, blocked} })
	expect("covered", calls(consent, giro), nil)
	expect("not covered", calls(consent, savings), same(openbanking.ASPSPAccountNotAccessible))
	expect("unknown", calls(consent, "x"), same(openbanking.ASPSPAccountNotAccessible))
	expect("blocked", calls(consent, blocked), map[string]error{"balances": openbanking.ASPSPAccountNotAccessible,
		"transactions": openbanking.ASPSPAccountNotAccessible})
	list, err := b.Accounts(ctx, consent, nil)
	if err != nil || len(list) != 2 || list[0].Blocked || !list[1].Blocked {
		t.Errorf("%+v, %v", list, err)
	}
	page, err := b.Transactions(ctx, consent, giro, aggregator.TransactionQuery{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if row, err := b.Transaction(ctx, consent, giro, *page.Transactions[0].TransactionID, nil); err != nil ||
		!reflect.DeepEqual(row.EntryReference, page.Transactions[0].EntryReference) {
		t.Errorf("%+v, %v", row, err)
	}
	for _, id := range []string{"", "x", *page.Transactions[0].EntryReference, accounts[1].transactionID(0), *page.Transactions[0].TransactionID + "0000"} {
		if _, err := b.Transaction(ctx, consent, giro, id, nil); !isCode(err, openbanking.TransactionDoesNotExist) {
			t.Errorf("transaction %q: %v", id, err)
		}
	}

	scoped := personal()
	scoped.Balances, scoped.Transactions = false, false
	narrow := approved(t, b, scoped, func([]aggregator.AccountChoice) []string { return []string{giro} })
	expect("no scope", calls(narrow, giro), map[string]error{"balances": openbanking.ASPSPAccountNotAccessible,
		"transactions": openbanking.ASPSPAccountNotAccessible})

	for range 2 {
		if err := b.EndConsent(ctx, narrow); err != nil {
			t.Fatal(err)
		}
	}
	expect("ended", calls(narrow, giro), same(aggregator.ErrConsentEnded))
	if err := b.EndConsent(ctx, aggregator.Consent{Reference: "unknown"}); err != nil {
		t.Errorf("ending what there is not: %v", err)
	}
	expect("unknown consent", calls(aggregator.Consent{Reference: "unknown"}, giro), same(openbanking.ASPSPError))
	set(consent.ValidUntil)
	expect("past its end", calls(consent, giro), same(aggregator.ErrConsentEnded))

	other := bankNamed(t, s, "NL", "Grachtenbank")
	if _, err := other.Accounts(ctx, consent, nil); !isCode(err, openbanking.ASPSPError) {
		t.Errorf("at another bank: %v", err)
	}
}

// spec: Access: the consent at the bank may be raised to the bank's minimum.
func TestConsentIsRaisedToTheMinimum(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "DE", "Bergwerk Kreditanstalt")
	request := personal()
	request.ValidUntil = testNow.Add(time.Minute)
	if consent := approved(t, b, request, all); !consent.ValidUntil.Equal(testNow.Add(24 * time.Hour)) {
		t.Errorf("valid until %s", consent.ValidUntil)
	}
}

// api-notes 5: joint holders see the same account under the same identifiers; pockets share the IBAN but not the main identifier.
func TestJointAccountsAndPockets(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "DE", "Seebrücke Bank")
	joint := b.accounts[2]
	lena, tom := joint.describe(b.user("lena")), joint.describe(b.user("tom"))
	if !reflect.DeepEqual(lena, tom) || *lena.Account.Name != "Lena Albrecht & Tom Albrecht" || lena.Account.LegalAge != nil {
		t.Errorf("%+v\n%+v", lena, tom)
	}
	pockets := bankNamed(t, s, "LT", "Gintaro Bankas").accounts
	main := map[string]bool{}
	for _, a := range pockets {
		ids := a.describe(a.holders[0]).Identifiers
		if a.iban != pockets[0].iban || ids[0].SchemeName != openbanking.SchemeNameBANK || ids[1].Identification != a.iban {
			t.Errorf("%+v", ids)
		}
		main[ids[0].Identification] = true
	}
	if len(main) != len(pockets) {
		t.Errorf("%d main identifiers of %d pockets", len(main), len(pockets))
	}
}
