package contract_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"florin/internal/aggregator/server"
	"florin/internal/apptoken"
	"florin/internal/contract"
	"florin/internal/contract/walk"
	"florin/internal/openbanking"
	"florin/internal/testkit"
)

const callback = "https://app.example/callback?from=service"

// embedded starts the service that Florin brings along, with a listener for the certificates of webhooks and a clock that the
// suite can put forward, and returns it as a target without a bank.
func embedded(t *testing.T) contract.Target {
	t.Helper()
	var clock testkit.Clock
	web, certificates := httptest.NewUnstartedServer(nil), listen(t)
	address := "http://" + web.Listener.Addr().String()
	service, err := server.New(t.Context(), server.Options{
		DataDir: t.TempDir() + "/data", BaseURL: address, AuthURL: address, RegistrationURL: address,
		TLSURL: "https://" + certificates.Addr().String(), SandboxPace: time.Second,
		Issuers: []string{"issuer.example"}, Audiences: []string{"api.example"}, Log: slog.New(slog.DiscardHandler),
		Now: clock.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	web.Config.Handler = service.Handler()
	web.Start()
	service.Start(t.Context())
	secure := &http.Server{Handler: service.Certificates()}
	go func() { _ = secure.Serve(tls.NewListener(certificates, service.TLSConfig())) }() // it ends with the test
	t.Cleanup(func() {
		web.Close()
		if err := errors.Join(secure.Close(), service.Stop(context.Background())); err != nil {
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
	webhooks := listen(t)
	application := func() func() (string, error) {
		app, err := service.Register(t.Context(), openbanking.RegisterApplicationRequest{
			Certificate: string(certificate), Environment: openbanking.EnvironmentSandbox, Name: "Contract suite", RedirectURLs: []string{callback},
		}, []string{"http://" + webhooks.Addr().String()})
		if err != nil {
			t.Fatal(err)
		}
		signer := apptoken.NewSigner(key, app.ID, "issuer.example", "api.example")
		return func() (string, error) { return signer.Token(time.Now()) }
	}
	var mu sync.Mutex
	var receiver http.Handler
	receiving := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		handler := receiver
		mu.Unlock()
		if handler != nil && r.URL.Path == "/webhooks" {
			handler.ServeHTTP(w, r)
		}
	})}
	go func() { _ = receiving.Serve(webhooks) }() // it ends with the test
	t.Cleanup(func() { receiving.Close() })
	receive := func(handler http.Handler) {
		mu.Lock()
		defer mu.Unlock()
		receiver = handler
	}
	token, other := application(), application()
	// What waits for a time does not see that the clock was put forward. The event of another application makes it look.
	look := func() {
		target := contract.Target{BaseURL: address, Token: other, Client: web.Client()}
		created := call[openbanking.CreatePaymentResponse](t, target, http.MethodPost, "/payments", map[string]any{
			"payment_type": "SEPA", "payment_request": contract.FillIn(openbanking.ResponsePaymentType{CreditorNameRequired: new(true)}, nil),
			"aspsp": openbanking.ASPSP{Name: "Mock ASPSP", Country: "FI"}, "psu_type": "personal",
			"state": "s", "redirect_url": callback, "webhook_url": "http://" + webhooks.Addr().String() + "/others",
		})
		if _, err := walk.New(nil).Cancel(t.Context(), created.URL); err != nil {
			t.Error(err)
		}
	}
	return contract.Target{
		BaseURL: address, Token: token, OtherToken: other, RedirectURL: callback, Client: web.Client(),
		RegistrationURL: address, OperatorToken: service.OperatorToken, Certificate: string(certificate),
		Cancel: func(ctx context.Context, start string) (*url.URL, error) { return walk.New(nil).Cancel(ctx, start) },
		Receive: func(handler http.Handler) (string, func(), error) {
			receive(handler)
			return "http://" + webhooks.Addr().String() + "/webhooks", func() { receive(nil) }, nil
		},
		Certificates: trusting(t, address+"/webhook-keys/ca.pem"),
		Pass: func(d time.Duration) {
			clock.Advance(d)
			look()
		},
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener
}

// trusting is a client that trusts the authority whose certificate is at an address, and no other.
func trusting(t *testing.T, address string) *http.Client {
	t.Helper()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		t.Fatalf("no certificate at %s: %.100q", address, text)
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true}}
}

// TestEmbeddedService runs the suite against the embedded service, with a bank that asks for nothing, with one that asks
// for user, password, code and PSU headers, and with one that offers every approach.
func TestEmbeddedService(t *testing.T) {
	testkit.Unwatched(t)
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
			person := append(people(*bank), walk.Person{})[0]
			target.Approve = approve(person)
			target.Pay = func(ctx context.Context, start string) (*url.URL, error) {
				return walk.New(nil).Pay(ctx, start, person)
			}
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
