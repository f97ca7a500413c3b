package engine_test

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/banktest"
	"florin/internal/aggregator/engine"
	"florin/internal/aggregator/storage"
	"florin/internal/openbanking"
)

// two offers two methods that can be chosen and one that is hidden; all take the credential pin.
func two(bank *banktest.Bank) *banktest.Bank {
	for _, name := range []string{"web", "app", "secret"} {
		bank.Data.AuthMethods = append(bank.Data.AuthMethods, openbanking.AuthMethod{
			Name: &name, PSUType: openbanking.PSUTypePersonal, Approach: openbanking.AuthenticationApproachEmbedded, HiddenMethod: name == "secret",
			Credentials: []openbanking.Credential{{Name: "pin", Title: "PIN", Required: true}},
		})
	}
	return bank
}

// begun starts an authorisation, by a method with a PIN if one is named, and returns its id.
func begun(t *testing.T, e *engine.Engine, method string) string {
	t.Helper()
	r := request(time.Now().Add(time.Hour))
	if method != "" {
		r.AuthMethod, r.Credentials = &method, map[string]string{"pin": "1234"}
	}
	started, err := e.StartAuthorization(t.Context(), application, r)
	if err != nil {
		t.Fatal(err)
	}
	return started.AuthorizationID
}

// at wants a visit at a step.
func at(t *testing.T, e *engine.Engine, id string, kind aggregator.StepKind) engine.Visit {
	t.Helper()
	visit, err := e.Visit(t.Context(), id)
	if err != nil || visit.Step.Kind != kind {
		t.Fatalf("visit at %q, %v; want %q", visit.Step.Kind, err, kind)
	}
	return visit
}

// spec: AuthMethod.hidden_method. The bank is asked when the method is known, and told when it changes.
func TestMethodIsChosenAndChanged(t *testing.T) {
	bank := two(banktest.New("Northlight", "FI"))
	e := start(t, bank, engine.NewSecrets(), nil)
	id, err := e.Accept(t.Context(), begun(t, e, ""))
	if err != nil {
		t.Fatal(err)
	}
	if names := at(t, e, id, "").Methods; len(names) != 2 || *names[0].Name != "web" || *names[1].Name != "app" {
		t.Errorf("methods %+v", names)
	}
	for _, method := range []string{"", "secret", "fax"} {
		if err := e.ChooseMethod(t.Context(), id, method); !errors.Is(err, openbanking.WrongRequestParameters) {
			t.Errorf("method %q: %v", method, err)
		}
	}
	if err := e.Answer(t.Context(), id, aggregator.Answer{Code: "1"}); err != nil || len(bank.Answers()) > 0 {
		t.Errorf("an answer before the choice: %v, %v", err, bank.Answers())
	}
	bank.Fail("StartConsent", openbanking.ASPSPTimeout)
	if err := e.ChooseMethod(t.Context(), id, "app"); !errors.Is(err, openbanking.ASPSPTimeout) {
		t.Errorf("a bank that fails: %v", err)
	}
	bank.Fail("StartConsent", nil)
	at(t, e, id, "")
	for i, method := range []string{"app", "web"} {
		if err := e.ChooseMethod(t.Context(), id, method); err != nil {
			t.Fatal(err)
		}
		if visit := at(t, e, id, aggregator.StepRedirect); *visit.Method.Name != method || len(bank.Cancelled()) != i {
			t.Errorf("method %s, cancelled %v", *visit.Method.Name, bank.Cancelled())
		}
	}
	if err := e.StartAgain(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	at(t, e, id, "")
	if len(bank.Cancelled()) != 2 {
		t.Errorf("cancelled %v", bank.Cancelled())
	}
}

// Credentials that are to be submitted reach the bank once, with the first visit, whatever comes of it.
func TestSuppliedCredentialsAreHandedOverOnce(t *testing.T) {
	for name, failure := range map[string]error{"taken": nil, "refused": aggregator.ErrWrongAnswer, "bank that fails": openbanking.ASPSPError} {
		t.Run(name, func(t *testing.T) {
			bank := two(banktest.New("Northlight", "FI"))
			e := start(t, bank, engine.NewSecrets(), nil)
			authorization := begun(t, e, "secret")
			bank.Fail("Answer", failure)
			id, err := e.Accept(t.Context(), authorization)
			if !errors.Is(err, failure) || id == "" {
				t.Errorf("Accept: %q, %v", id, err)
			}
			bank.Fail("Answer", nil)
			if _, err := e.Accept(t.Context(), authorization); err != nil {
				t.Fatal(err)
			}
			if answers := bank.Answers(); len(answers) != 1 || !maps.Equal(answers[0].Credentials, map[string]string{"pin": "1234"}) {
				t.Errorf("answers %v", answers)
			}
			if len(bank.Cancelled()) != 1 {
				t.Errorf("cancelled %v, want the first one", bank.Cancelled())
			}
		})
	}
}

func TestParallelAcceptsHandOverOnce(t *testing.T) {
	bank := two(banktest.New("Northlight", "FI"))
	e := start(t, bank, engine.NewSecrets(), nil)
	authorization := begun(t, e, "secret")
	var wait sync.WaitGroup
	ids := make([]string, 8)
	for i := range ids {
		wait.Go(func() {
			var err error
			if ids[i], err = e.Accept(context.Background(), authorization); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if answers := bank.Answers(); len(answers) != 1 {
		t.Errorf("%d answers, want 1", len(answers))
	}
	left := slices.DeleteFunc(ids, func(id string) bool {
		_, err := e.Visit(t.Context(), id)
		return errors.Is(err, engine.ErrUnknownAuthorization)
	})
	if len(left) != 1 || len(bank.Cancelled()) != len(ids)-1 {
		t.Errorf("%d visits are left and %d were cancelled", len(left), len(bank.Cancelled()))
	}
}

// With a new key the sealed credentials cannot be read; the PSU is asked for them.
func TestCredentialsUnderANewKey(t *testing.T) {
	for _, autosubmit := range []bool{true, false} {
		bank := two(banktest.New("Northlight", "FI"))
		path := filepath.Join(t.TempDir(), "aggregator.db")
		secrets := engine.NewSecrets()
		var authorization string
		for i := range 2 {
			store, err := storage.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			options := engine.Options{
				Store: store, Connectors: func(openbanking.ASPSP) (aggregator.Connector, bool) { return bank, true },
				List:    func() []aggregator.Connector { return []aggregator.Connector{bank} },
				AuthURL: "https://auth.example", Secrets: secrets,
			}
			e := engine.New(options)
			if i == 0 {
				if err := store.CreateApplication(t.Context(), application, aggregator.ApplicationKey{ID: "key", PEM: "none", Created: time.Unix(0, 0)}, 0); err != nil {
					t.Fatal(err)
				}
				r := request(time.Now().Add(time.Hour))
				method := "app"
				r.AuthMethod, r.Credentials, r.CredentialsAutosubmit = &method, map[string]string{"pin": "1234"}, &autosubmit
				started, err := e.StartAuthorization(t.Context(), application, r)
				if err != nil {
					t.Fatal(err)
				}
				authorization = started.AuthorizationID
				secrets.Credentials = engine.NewSecrets().Credentials
			} else {
				id, err := e.Accept(t.Context(), authorization)
				if err != nil {
					t.Fatal(err)
				}
				if visit := at(t, e, id, aggregator.StepRedirect); visit.Supplied != nil || len(bank.Answers()) > 0 {
					t.Errorf("supplied %v, answers %v", visit.Supplied, bank.Answers())
				}
			}
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A bank that fails at the end takes the PSU back to the application all the same (api-notes 4).
func TestConcludeNeedsTheBank(t *testing.T) {
	bank := banktest.New("Northlight", "FI")
	e := start(t, bank, engine.NewSecrets(), nil)
	id, err := e.Accept(t.Context(), begun(t, e, ""))
	if err != nil {
		t.Fatal(err)
	}
	if target, err := e.Conclude(t.Context(), id); err != nil || target != "" {
		t.Errorf("while the bank waits: %q, %v", target, err)
	}
	bank.Fail("Step", errors.New("no network"))
	if _, err := e.Conclude(t.Context(), id); !errors.Is(err, openbanking.ASPSPError) {
		t.Errorf("without the bank: %v", err)
	}
	bank.Fail("Cancel", errors.New("no network"))
	target, err := e.Cancel(t.Context(), id)
	if err != nil || !strings.Contains(target, "error=access_denied&error_description=Cancelled+by+user&state=s") {
		t.Errorf("cancelled without the bank: %q, %v", target, err)
	}
	if _, err := e.Visit(t.Context(), id); !errors.Is(err, engine.ErrCompletedAuthorization) {
		t.Errorf("after the end: %v", err)
	}
	for name, do := range map[string]func() error{
		"choose": func() error { return e.ChooseMethod(t.Context(), id, "web") },
		"again":  func() error { return e.StartAgain(t.Context(), id) },
		"answer": func() error { return e.Answer(t.Context(), id, aggregator.Answer{Code: "1"}) },
		"cancel": func() error { _, err := e.Cancel(t.Context(), id); return err },
	} {
		if err := do(); !errors.Is(err, engine.ErrCompletedAuthorization) {
			t.Errorf("%s after the end: %v", name, err)
		}
	}
	if _, err := e.Visit(t.Context(), "unknown"); !errors.Is(err, engine.ErrUnknownAuthorization) {
		t.Errorf("unknown: %v", err)
	}
}
