package contract_test

import (
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

// TestEmbeddedService runs the suite against the service that Florin brings along, with a bank that asks for nothing and
// with one that asks for user, password and code.
func TestEmbeddedService(t *testing.T) {
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
	target := contract.Target{
		BaseURL: address, Token: application(), OtherToken: application(), RedirectURL: callback, Client: web.Client(),
		RegistrationURL: address, OperatorToken: service.OperatorToken, Certificate: string(certificate),
		Cancel: func(ctx context.Context, start string) (*url.URL, error) { return walk.New(nil).Cancel(ctx, start) },
	}
	for _, bank := range banks(t, target) {
		t.Run(bank.Name, func(t *testing.T) {
			person := walk.Person{}
			if bank.Sandbox != nil && len(bank.Sandbox.Users) > 0 {
				user := bank.Sandbox.Users[0]
				person = walk.Person{Username: text(user.Username), Password: text(user.Password), Code: text(user.OTP)}
			}
			target.Bank = openbanking.ASPSP{Name: bank.Name, Country: bank.Country}
			target.Approve = func(ctx context.Context, start string) (*url.URL, error) {
				return walk.New(nil).Approve(ctx, start, person)
			}
			contract.Run(t, target)
		})
	}
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

// banks picks from the list one bank that asks for nothing and one with sample users, in different countries.
func banks(t *testing.T, target contract.Target) []openbanking.ASPSPData {
	t.Helper()
	token, err := target.Token()
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target.BaseURL+"/aspsps?psu_type=personal", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := target.Client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var all openbanking.ASPSPsResponse
	if err := json.NewDecoder(answer.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	var mock, withUsers *openbanking.ASPSPData
	for i, bank := range all.ASPSPs {
		users := bank.Sandbox != nil && len(bank.Sandbox.Users) > 0
		switch {
		case bank.Name == "Mock ASPSP" && mock == nil:
			mock = &all.ASPSPs[i]
		case users && len(bank.RequiredPSUHeaders) > 1 && bank.Name != "Mammoth" && withUsers == nil:
			withUsers = &all.ASPSPs[i]
		}
	}
	if mock == nil || withUsers == nil {
		t.Fatal("the service has no Mock ASPSP, or no bank with sample users and several required PSU headers")
	}
	return []openbanking.ASPSPData{*mock, *withUsers}
}
