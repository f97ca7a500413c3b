package sandbox

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// begun starts an authorisation by a method and returns its handle and a function that wants it at a step.
func begun(t *testing.T, b *Bank, method string) (reference string, at func(aggregator.StepKind) aggregator.Step) {
	t.Helper()
	request := personal()
	request.Method = method
	reference, err := b.StartConsent(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	return reference, func(want aggregator.StepKind) aggregator.Step {
		t.Helper()
		step, err := b.Step(t.Context(), reference)
		if err != nil || step.Kind != want {
			t.Fatalf("step %+v, %v; want %s", step, err, want)
		}
		return step
	}
}

func answer(t *testing.T, b *Bank, reference string, a aggregator.Answer) {
	t.Helper()
	if err := b.Answer(t.Context(), reference, a); err != nil {
		t.Fatal(err)
	}
}

func credentials(pairs ...string) aggregator.Answer {
	a := aggregator.Answer{Credentials: map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		a.Credentials[pairs[i]] = pairs[i+1]
	}
	return a
}

// finished wants a consent for all accounts of the authorisation.
func finished(t *testing.T, b *Bank, code string, accounts int) {
	t.Helper()
	if _, err := b.FinishConsent(t.Context(), "another state", code); !isCode(err, openbanking.ASPSPError) {
		t.Errorf("under another state: %v", err)
	}
	consent, err := b.FinishConsent(t.Context(), personal().State, code)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.FinishConsent(t.Context(), personal().State, code); !isCode(err, openbanking.ASPSPError) {
		t.Errorf("twice: %v", err)
	}
	if list, err := b.Accounts(t.Context(), consent, nil); err != nil || len(list) != accounts {
		t.Errorf("%d accounts, %v; want %d", len(list), err, accounts)
	}
}

// spec: AuthenticationApproach EMBEDDED.
func TestEmbedded(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "FI", "Kivijalka Säästöpankki")
	reference, at := begun(t, b, "codes")
	if step := at(aggregator.StepCredentials); step.AttemptsLeft != 5 || step.URL != "" {
		t.Errorf("%+v", step)
	}
	if err := b.Answer(t.Context(), reference, credentials("userId", "helmi", "password", "wrong")); !errors.Is(err, aggregator.ErrWrongAnswer) {
		t.Errorf("wrong password: %v", err)
	}
	answer(t, b, reference, aggregator.Answer{Accounts: []string{"x"}}) // not yet
	if step := at(aggregator.StepCredentials); step.AttemptsLeft != 4 {
		t.Errorf("%+v", step)
	}
	answer(t, b, reference, credentials("userId", "helmi", "password", "kivi-77"))
	if step := at(aggregator.StepCode); step.Holder == "" || step.AttemptsLeft != 4 {
		t.Errorf("%+v", step)
	}
	if err := b.Answer(t.Context(), reference, aggregator.Answer{Code: "000000"}); !errors.Is(err, aggregator.ErrWrongAnswer) {
		t.Errorf("wrong code: %v", err)
	}
	answer(t, b, reference, aggregator.Answer{Code: "777777"})
	step := at(aggregator.StepAccounts)
	if len(step.Accounts) != 1 || !step.ValidUntil.Equal(personal().ValidUntil) {
		t.Errorf("%+v", step)
	}
	for _, choice := range [][]string{{}, {"no such account"}} {
		if err := b.Answer(t.Context(), reference, aggregator.Answer{Accounts: choice}); !errors.Is(err, aggregator.ErrWrongAnswer) {
			t.Errorf("choice %v: %v", choice, err)
		}
	}
	answer(t, b, reference, aggregator.Answer{Accounts: all(step.Accounts)})
	finished(t, b, at(aggregator.StepDone).Code, 1)
}

// At a bank that gives every account there is nothing to choose, and the empty choice is the right one.
func TestEmbeddedAtABankThatGivesEveryAccount(t *testing.T) {
	s, _ := newTest(t, `{"banks": [{"name": "Hafenbank", "country": "DE", "bank_code": "99077001", "access": "list",
		"auth_methods": [{"name": "direct", "approach": "EMBEDDED", "credentials": [{"name": "u", "title": "U", "required": true, "is": "username"}, {"name": "p", "title": "P", "required": true, "is": "password"}]}],
		"users": [{"username": "ada", "password": "x", "name": "Ada", "accounts": ["giro", "savings"]}],
		"accounts": [{"id": "giro", "type": "CACC"}, {"id": "savings", "type": "SVGS"}]}]}`)
	b := bankNamed(t, s, "DE", "Hafenbank")
	reference, at := begun(t, b, "direct")
	answer(t, b, reference, credentials("u", "ada", "p", "x"))
	if step := at(aggregator.StepAccounts); !step.Fixed || !step.ListOnly || len(step.Accounts) != 2 {
		t.Errorf("%+v", step)
	}
	answer(t, b, reference, aggregator.Answer{Accounts: []string{}})
	finished(t, b, at(aggregator.StepDone).Code, 2)
}

// The bank's own site has nothing to do with an embedded authorisation.
func TestEmbeddedHasNoVisit(t *testing.T) {
	s, _ := newTest(t, "")
	reference, _ := begun(t, bankNamed(t, s, "DE", "Raabe & Söhne Privatbank"), "direct")
	if _, err := s.Visit(t.Context(), reference); !errors.Is(err, ErrNoVisit) {
		t.Errorf("visit: %v", err)
	}
}

// spec: AuthenticationApproach DECOUPLED.
func TestDecoupled(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "FR", "Mutuelle Océane")
	ctx := t.Context()
	reference, at := begun(t, b, "mobile")
	at(aggregator.StepCredentials)
	if _, err := s.Visit(ctx, reference); !errors.Is(err, ErrNoVisit) {
		t.Errorf("a visit before the user is named: %v", err)
	}
	if err := b.Answer(ctx, reference, credentials("userId", "nobody")); !errors.Is(err, aggregator.ErrWrongAnswer) {
		t.Errorf("unknown user: %v", err)
	}
	answer(t, b, reference, credentials("userId", "yann"))
	step := at(aggregator.StepDevice)
	if step.URL != b.AuthorizeURL(reference) || len(step.Check) != 4 || step.Holder != "Yann Le Goff" || !step.Expires.Equal(testNow.Add(5*time.Minute)) {
		t.Errorf("%+v", step)
	}
	v, err := s.Visit(ctx, reference)
	if err != nil || !v.Device || v.Check != step.Check || v.Username != "yann" || v.Holder != "" {
		t.Fatalf("%+v, %v", v, err)
	}
	if err := s.SignIn(ctx, reference, "yann", "ecume"); err != nil { // the device is the second factor: no one-time code
		t.Fatal(err)
	}
	at(aggregator.StepDevice)
	choices, err := s.Choices(ctx, reference)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := s.Approve(ctx, reference, all(choices)); err != nil || back != "" {
		t.Errorf("the device is sent to %q, %v", back, err)
	}
	finished(t, b, at(aggregator.StepDone).Code, 2)
}

func TestDecoupledIsForTheUserWhoWasNamed(t *testing.T) {
	s, _ := newTest(t, `{"banks": [{"name": "Hafenbank", "country": "DE", "bank_code": "99077001",
		"auth_methods": [{"name": "app", "approach": "DECOUPLED", "credentials": [{"name": "u", "title": "U", "required": true, "is": "username"}]}],
		"users": [{"username": "ada", "password": "x", "name": "Ada", "accounts": ["giro"]}, {"username": "kai", "password": "y", "name": "Kai", "accounts": ["giro"]}],
		"accounts": [{"id": "giro", "type": "CACC"}]}]}`)
	b := bankNamed(t, s, "DE", "Hafenbank")
	reference, at := begun(t, b, "app")
	answer(t, b, reference, credentials("u", "ada"))
	if err := s.SignIn(t.Context(), reference, "kai", "y"); !errors.Is(err, ErrWrongPassword) {
		t.Errorf("another user: %v", err)
	}
	at(aggregator.StepDevice)
}

// An authorisation that the service has ended is over by every approach, and no word of the user's.
func TestCancelledByTheService(t *testing.T) {
	s, _ := newTest(t, "")
	for _, test := range []struct {
		country, bank, method string
		first                 aggregator.StepKind
	}{
		{"DE", "Seebrücke Bank", "", aggregator.StepRedirect},
		{"FR", "Mutuelle Océane", "mobile", aggregator.StepCredentials},
		{"DE", "Lindwurm Direkt", "direct", aggregator.StepCredentials},
	} {
		b := bankNamed(t, s, test.country, test.bank)
		reference, at := begun(t, b, test.method)
		at(test.first)
		if err := b.Cancel(t.Context(), reference); err != nil {
			t.Fatal(err)
		}
		at(aggregator.StepExpired)
	}
}

func TestDecoupledEnds(t *testing.T) {
	tests := []struct {
		name string
		end  func(s *Sandbox, b *Bank, reference string, set func(time.Time)) error
		want aggregator.StepKind
	}{
		{"declined on the device", func(s *Sandbox, _ *Bank, reference string, _ func(time.Time)) error {
			back, err := s.Decline(context.Background(), reference)
			if back != "" {
				return errors.New("the device is sent to " + back)
			}
			return err
		}, aggregator.StepDeclined},
		{"cancelled by the service", func(_ *Sandbox, b *Bank, reference string, _ func(time.Time)) error {
			return b.Cancel(context.Background(), reference)
		}, aggregator.StepExpired},
		{"time", func(_ *Sandbox, _ *Bank, _ string, set func(time.Time)) error {
			set(testNow.Add(5 * time.Minute))
			return nil
		}, aggregator.StepExpired},
		{"wrong passwords", func(s *Sandbox, _ *Bank, reference string, _ func(time.Time)) error {
			var last error
			for range 5 {
				last = s.SignIn(context.Background(), reference, "yann", "wrong")
			}
			var ended *EndedError
			if !errors.As(last, &ended) || !ended.Blocked || ended.ReturnURL != "" {
				return last
			}
			return nil
		}, aggregator.StepBlocked},
		{"approved and not fetched in time", func(s *Sandbox, _ *Bank, reference string, set func(time.Time)) error {
			if err := s.SignIn(context.Background(), reference, "yann", "ecume"); err != nil {
				return err
			}
			choices, err := s.Choices(context.Background(), reference)
			if err != nil {
				return err
			}
			_, err = s.Approve(context.Background(), reference, all(choices))
			set(testNow.Add(5 * time.Minute))
			return err
		}, aggregator.StepExpired},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, set := newTest(t, "")
			b := bankNamed(t, s, "FR", "Mutuelle Océane")
			reference, at := begun(t, b, "mobile")
			answer(t, b, reference, credentials("userId", "yann"))
			if err := test.end(s, b, reference, set); err != nil {
				t.Fatal(err)
			}
			at(test.want)
			answer(t, b, reference, credentials("userId", "yann")) // too late: nothing changes
			at(test.want)
			if _, err := b.FinishConsent(t.Context(), personal().State, reference); !isCode(err, openbanking.ASPSPError) {
				t.Errorf("a consent comes of it: %v", err)
			}
		})
	}
}

// However many answers come at once, five wrong ones block, and the right one after them is too late.
func TestEmbeddedCountsParallelAttempts(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "DE", "Raabe & Söhne Privatbank")
	reference, at := begun(t, b, "direct")
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			_ = b.Answer(t.Context(), reference, credentials("userId", "auguste", "password", "wrong"))
		})
	}
	wait.Wait()
	answer(t, b, reference, credentials("userId", "auguste", "password", "siegel-1"))
	at(aggregator.StepBlocked)
}

func TestOptionalUserIsExpectedOnTheSite(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "IT", "Cassa Appennina")
	reference, at := begun(t, b, "site")
	for _, name := range []string{"nobody", "marco"} {
		answer(t, b, reference, credentials("userId", name))
	}
	v, err := s.Visit(t.Context(), reference)
	if err != nil || v.Username != "marco" || v.Holder != "" || v.Device {
		t.Errorf("%+v, %v", v, err)
	}
	if step := at(aggregator.StepRedirect); step.URL != b.AuthorizeURL(reference) {
		t.Errorf("%+v", step)
	}
}

func TestCancelConsentTakesNothingFromAConsent(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "DE", "Seebrücke Bank")
	consent := approved(t, b, personal(), all)
	for _, reference := range []string{consent.Reference, "unknown"} {
		if err := b.Cancel(t.Context(), reference); err != nil {
			t.Error(err)
		}
	}
	if _, err := b.Accounts(t.Context(), consent, nil); err != nil {
		t.Errorf("the consent is gone: %v", err)
	}
}

func TestAuthorizationsBelongToTheirBank(t *testing.T) {
	s, _ := newTest(t, "")
	reference, at := begun(t, bankNamed(t, s, "DE", "Raabe & Söhne Privatbank"), "direct")
	other := bankNamed(t, s, "FI", "Kivijalka Säästöpankki")
	if _, err := other.Step(t.Context(), reference); !isCode(err, openbanking.ASPSPError) {
		t.Errorf("step: %v", err)
	}
	if err := other.Answer(t.Context(), reference, credentials()); !isCode(err, openbanking.ASPSPError) {
		t.Errorf("answer: %v", err)
	}
	if err := other.Cancel(t.Context(), reference); err != nil {
		t.Errorf("cancel: %v", err)
	}
	at(aggregator.StepCredentials)
	request := personal()
	request.Method = "no such method"
	if _, err := other.StartConsent(t.Context(), request); !isCode(err, openbanking.ASPSPError) {
		t.Errorf("unknown method: %v", err)
	}
	request.Method, request.PSUType = "direct", openbanking.PSUTypeBusiness
	if _, err := bankNamed(t, s, "DE", "Raabe & Söhne Privatbank").StartConsent(t.Context(), request); !isCode(err, openbanking.ASPSPError) {
		t.Errorf("no such customers: %v", err)
	}
}

// Nothing that a PSU typed is in the row of an authorisation but the name of the user.
func TestPasswordsAreNotStored(t *testing.T) {
	s, _ := newTest(t, "")
	b := bankNamed(t, s, "DE", "Raabe & Söhne Privatbank")
	reference, _ := begun(t, b, "direct")
	answer(t, b, reference, credentials("userId", "auguste", "password", "siegel-1"))
	flow, err := s.flows.BankFlow(t.Context(), reference)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append(flow.Accounts, flow.ID, flow.Username, flow.CodeHash, flow.Request.State, flow.Request.Method) {
		if strings.Contains(text, "siegel") {
			t.Errorf("the password is in %q", text)
		}
	}
}
