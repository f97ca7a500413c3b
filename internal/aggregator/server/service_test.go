package server_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"florin/internal/aggregator/server"
	"florin/internal/aggregator/server/servertest"
	"florin/internal/apptoken"
	"florin/internal/contract"
	"florin/internal/contract/walk"
	"florin/internal/openbanking"
	"florin/internal/testkit"
)

const (
	issuer   = servertest.Issuer
	audience = servertest.Audience
	callback = "https://app.example/callback?from=bank"
)

// service is a running service with one application.
type service struct {
	t      *testing.T
	server *server.Server
	folder string // of its data
	url    string
	clock  *testkit.Clock
	log    *testkit.Log
	token  string
	client *http.Client // of the API, by its description
}

// key is the application's; making one takes long.
var key = sync.OnceValue(func() (k struct {
	signer func(kid string) *apptoken.Signer
	pem    string
},
) {
	private, err := apptoken.NewKey()
	if err != nil {
		panic(err)
	}
	certificate, err := apptoken.SelfSigned(private, "test", time.Now(), time.Hour)
	if err != nil {
		panic(err)
	}
	k.pem = string(certificate)
	k.signer = func(kid string) *apptoken.Signer { return apptoken.NewSigner(private, kid, issuer, audience) }
	return k
})

// run starts a service on a port of its own, with an application that has the given name and description, and more
// redirect URLs than callback.
func run(t *testing.T, name, description string, redirectURLs ...string) *service {
	t.Helper()
	up := servertest.Start(t)
	s := &service{t: t, server: up.Server, folder: up.Folder, url: up.URL, clock: up.Clock, log: up.Log}
	var err error
	if s.client, err = contract.Describe(http.DefaultClient, s.url, s.url); err != nil {
		t.Fatal(err)
	}
	app, err := s.server.Register(t.Context(), openbanking.RegisterApplicationRequest{
		Certificate:  key().pem,
		Environment:  openbanking.EnvironmentSandbox,
		Name:         name,
		Description:  &description,
		RedirectURLs: append([]string{callback, "http://[::1]:9999/callback"}, redirectURLs...),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.token, err = key().signer(app.ID).Token(time.Now()); err != nil {
		t.Fatal(err)
	}
	return s
}

// call makes a call of the API, holds it against the description of the API, and decodes its answer.
func (s *service) call(method, path string, body, answer any) int {
	s.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, bytes.NewReader(data))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := json.Unmarshal(text, answer); err != nil {
		s.t.Fatalf("%s %s answers %d %s: %v", method, path, response.StatusCode, text, err)
	}
	return response.StatusCode
}

// bank returns the first bank that has a sample user with a one-time code, or the Mock ASPSP, and that user.
func (s *service) bank(mock bool) (openbanking.ASPSPData, walk.Person) {
	s.t.Helper()
	var list openbanking.ASPSPsResponse
	if status := s.call("GET", "/aspsps?psu_type=personal", nil, &list); status != 200 {
		s.t.Fatalf("GET /aspsps: status %d", status)
	}
	for _, bank := range list.ASPSPs {
		if bank.Name == "Mock ASPSP" {
			if mock {
				return bank, walk.Person{}
			}
			continue
		}
		if mock || bank.Sandbox == nil {
			continue
		}
		for _, user := range bank.Sandbox.Users {
			if user.OTP != nil {
				return bank, walk.Person{Username: *user.Username, Password: *user.Password, Code: *user.OTP}
			}
		}
	}
	s.t.Fatal("no such bank in the catalogue")
	return openbanking.ASPSPData{}, walk.Person{}
}

// begin calls POST /auth and returns the address for the person's browser.
func (s *service) begin(bank openbanking.ASPSPData, state, redirectURL string) string {
	s.t.Helper()
	var answer openbanking.StartAuthorizationResponse
	status := s.call("POST", "/auth", openbanking.StartAuthorizationRequest{
		Access:      openbanking.Access{ValidUntil: openbanking.DateTime{Time: s.clock.Now().Add(90 * 24 * time.Hour)}},
		ASPSP:       openbanking.ASPSP{Name: bank.Name, Country: bank.Country},
		State:       state,
		RedirectURL: redirectURL,
	}, &answer)
	if status != 200 {
		s.t.Fatalf("POST /auth: status %d", status)
	}
	return answer.URL
}

// redeem exchanges a code.
func (s *service) redeem(code string) (int, openbanking.AuthorizeSessionResponse) {
	s.t.Helper()
	var answer openbanking.AuthorizeSessionResponse
	status := s.call("POST", "/sessions", openbanking.AuthorizeSessionRequest{Code: code}, &answer)
	return status, answer
}

// open opens a page and fails the test when that is impossible.
func open(t *testing.T, b *walk.Browser, address string) *walk.Page {
	t.Helper()
	page, err := b.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// submit sends the form of a page whose address ends in suffix.
func submit(t *testing.T, b *walk.Browser, page *walk.Page, suffix string, changes url.Values) *walk.Page {
	t.Helper()
	form, ok := page.Form(suffix)
	if !ok {
		t.Fatalf("the page %q (%d) has no form %s", page.Title, page.Status, suffix)
	}
	next, err := b.Submit(t.Context(), form, changes)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// must is for calls that a test cannot go on without.
func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
