package contract_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"florin/internal/aggregator/server"
	"florin/internal/apptoken"
	"florin/internal/contract"
	"florin/internal/contract/walk"
	"florin/internal/openbanking"
)

const callback = "https://app.example/callback?from=service"

// embedded starts the service that Florin brings along and returns it as a target without a bank.
func embedded(t *testing.T) contract.Target {
	t.Helper()
	web := httptest.NewUnstartedServer(nil)
	address := "http://" + web.Listener.Addr().String()
	service, err := server.New(t.Context(), server.Options{
		DataDir: t.TempDir() + "/data", BaseURL: address, AuthURL: address, RegistrationURL: address,
		Issuer: "issuer.example", Audiences: []string{"api.example"}, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	web.Config.Handler = service.Handler()
	web.Start()
	service.Start(t.Context())
	t.Cleanup(func() {
		web.Close()
		if err := service.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})

	key, err := apptoken.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := apptoken.SelfSigned(key, "Contract suite", time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	application := func() func() (string, error) {
		app, err := service.Register(t.Context(), openbanking.RegisterApplicationRequest{
			Certificate: string(certificate), Environment: openbanking.EnvironmentSandbox, Name: "Contract suite", RedirectURLs: []string{callback},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		signer := apptoken.NewSigner(key, app.ID, "issuer.example", "api.example")
		return func() (string, error) { return signer.Token(time.Now()) }
	}
	return contract.Target{
		BaseURL: address, Token: application(), OtherToken: application(), RedirectURL: callback, Client: web.Client(),
		RegistrationURL: address, OperatorToken: service.OperatorToken, Certificate: string(certificate),
		Cancel: func(ctx context.Context, start string) (*url.URL, error) { return walk.New(nil).Cancel(ctx, start) },
	}
}

// TestEmbeddedService runs the suite against the embedded service, with a bank that asks for nothing, with one that asks
// for user, password, code and PSU headers, and with one that offers every approach.
func TestEmbeddedService(t *testing.T) {
	target := embedded(t)
	var mock, withUsers, everyApproach *openbanking.ASPSPData
	for _, bank := range banks(t, target) {
		switch {
		case bank.Name == "Mock ASPSP" && mock == nil:
			mock = &bank
		case len(people(bank)) > 0 && len(bank.RequiredPSUHeaders) > 1 && bank.Name != "Mammoth" && withUsers == nil:
			withUsers = &bank
		case len(approaches(bank)) == 3 && everyApproach == nil:
			everyApproach = &bank
		}
	}
	if mock == nil || withUsers == nil || everyApproach == nil {
		t.Fatal("the service has no Mock ASPSP, no bank with sample users and several required PSU headers, or none with every approach")
	}
	for _, bank := range []*openbanking.ASPSPData{mock, withUsers, everyApproach} {
		t.Run(bank.Name, func(t *testing.T) {
			target := target
			target.Bank = openbanking.ASPSP{Name: bank.Name, Country: bank.Country}
			target.Approve = approve(append(people(*bank), walk.Person{})[0])
			contract.Run(t, target)
		})
	}
}

// TestJointHoldersShareHashes: an account that two people hold has the same identification hash for both (spec: Account,
// "also across PSUs"), and somewhere among the simulated banks there is one.
func TestJointHoldersShareHashes(t *testing.T) {
	target := embedded(t)
	for _, bank := range banks(t, target) {
		holders := map[string]string{} // user by hash
		for _, person := range people(bank) {
			if bank.Name == "Mammoth" {
				continue
			}
			for _, account := range link(t, target, openbanking.ASPSP{Name: bank.Name, Country: bank.Country}, person).Accounts {
				if other, ok := holders[account.IdentificationHash]; ok && other != person.Username {
					t.Logf("%s and %s of %s, %s hold an account together", other, person.Username, bank.Name, bank.Country)
					return
				}
				holders[account.IdentificationHash] = person.Username
			}
		}
	}
	t.Error("no two sample users of any bank have an identification hash in common")
}

// link walks to a session with a person.
func link(t *testing.T, target contract.Target, bank openbanking.ASPSP, person walk.Person) openbanking.AuthorizeSessionResponse {
	t.Helper()
	started := call[openbanking.StartAuthorizationResponse](t, target, http.MethodPost, "/auth", openbanking.StartAuthorizationRequest{
		Access: openbanking.Access{ValidUntil: openbanking.DateTime{Time: time.Now().Add(time.Hour)}}, ASPSP: bank, State: "s", RedirectURL: callback,
	})
	back, err := approve(person)(t.Context(), started.URL)
	if err != nil {
		t.Fatalf("%s at %s: %v", person.Username, bank.Name, err)
	}
	return call[openbanking.AuthorizeSessionResponse](t, target, http.MethodPost, "/sessions", openbanking.AuthorizeSessionRequest{Code: back.Query().Get("code")})
}

func approve(person walk.Person) func(context.Context, string) (*url.URL, error) {
	return func(ctx context.Context, start string) (*url.URL, error) {
		return walk.New(nil).Approve(ctx, start, person)
	}
}

// approaches are those of a bank's methods for persons.
func approaches(bank openbanking.ASPSPData) map[openbanking.AuthenticationApproach]bool {
	found := map[openbanking.AuthenticationApproach]bool{}
	for _, method := range bank.AuthMethods {
		if method.PSUType == openbanking.PSUTypePersonal {
			found[method.Approach] = true
		}
	}
	return found
}

// people are the sample users of a bank.
func people(bank openbanking.ASPSPData) []walk.Person {
	if bank.Sandbox == nil {
		return nil
	}
	var all []walk.Person
	for _, user := range bank.Sandbox.Users {
		all = append(all, walk.Person{Username: text(user.Username), Password: text(user.Password), Code: text(user.OTP)})
	}
	return all
}

// banks are those for persons.
func banks(t *testing.T, target contract.Target) []openbanking.ASPSPData {
	t.Helper()
	return call[openbanking.ASPSPsResponse](t, target, http.MethodGet, "/aspsps?psu_type=personal", nil).ASPSPs
}

// call sends a request that has to succeed.
func call[T any](t *testing.T, target contract.Target, method, path string, body any) T {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, target.BaseURL+path, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	token, err := target.Token()
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := target.Client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var value T
	if err := json.NewDecoder(answer.Body).Decode(&value); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: status %d, %v", method, path, answer.StatusCode, err)
	}
	return value
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// TestRemoteService runs the suite against the address in FLORIN_CONTRACT_BASE_URL, see FromEnvironment.
func TestRemoteService(t *testing.T) {
	target, ok, err := contract.FromEnvironment()
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		t.Skip("FLORIN_CONTRACT_BASE_URL is not set; the embedded service is tested by TestEmbeddedService")
	}
	contract.Run(t, target)
}
