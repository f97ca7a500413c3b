package api_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/api"
	"florin/internal/aggregator/banktest"
	"florin/internal/aggregator/engine"
	"florin/internal/aggregator/registry"
	"florin/internal/aggregator/storage"
	"florin/internal/apptoken"
	"florin/internal/middleware"
	"florin/internal/openbanking"
	"florin/internal/sqlite/sqlitetest"
	"florin/internal/testkit"
	"florin/migrations"
)

const (
	issuer   = "service.example"
	audience = "api.service.example"
	callback = "https://app.example/callback"
)

// key is the key of every application here: making one is slow.
var key = sync.OnceValue(func() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return k
})

// service is the API of a service over HTTP, with one bank and one application.
type service struct {
	*httptest.Server
	t        testing.TB
	engine   *engine.Engine
	registry *registry.Registry
	path     string // of the database
	store    *storage.Store
	bank     *banktest.Bank
	app      aggregator.Application
	token    string
	clock    testkit.Clock // of the engine
	log      *testkit.Log
}

// start runs a service; the options change its bank before the first call.
func start(t testing.TB, change ...func(*banktest.Bank)) *service {
	t.Helper()
	return tuned(t, func(*engine.Options, *api.Options) {}, change...)
}

// limited is start with a limit of requests a minute.
func limited(t testing.TB, perMinute int) *service {
	t.Helper()
	return tuned(t, func(_ *engine.Options, o *api.Options) { o.RateLimit = perMinute })
}

// tuned is start with other settings.
func tuned(t testing.TB, tune func(*engine.Options, *api.Options), change ...func(*banktest.Bank)) *service {
	t.Helper()
	path := filepath.Join(t.TempDir(), "aggregator.db")
	sqlitetest.Make(t, path, migrations.Aggregator)
	store, err := storage.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s := &service{t: t, path: path, store: store, bank: banktest.New("Northlight", "FI"), log: new(testkit.Log)}
	for _, c := range change {
		c(s.bank)
	}
	log := slog.New(slog.NewJSONHandler(s.log, nil))
	core, rest := engine.Options{
		Store: store,
		Connectors: func(ref openbanking.ASPSP) (aggregator.Connector, bool) {
			return s.bank, ref == s.bank.ASPSP().Reference()
		},
		List:    func() []aggregator.Connector { return []aggregator.Connector{s.bank} },
		AuthURL: "https://auth.service.example",
		Secrets: engine.NewSecrets(),
		Now:     s.clock.Now,
		Log:     log,
	}, api.Options{Log: log}
	tune(&core, &rest)
	s.engine = engine.New(core)
	s.registry = registry.New(registry.Options{
		Store: store, Authorizations: s.engine, List: core.List, RegistrationURL: "https://service.example", Secrets: registry.NewSecrets(), Now: core.Now, Log: log,
	})
	rest.Engine, rest.Registry, rest.Verifier = s.engine, s.registry, apptoken.NewVerifier([]string{issuer}, []string{audience}, s.registry.PublicKeys)
	s.Server = httptest.NewServer(middleware.Chain(
		api.Handler(rest),
		middleware.RequestID, middleware.AccessLog(log)))
	t.Cleanup(s.Close)
	s.app, s.token = s.register(openbanking.EnvironmentSandbox)
	return s
}

// register adds an application with the common key and returns a token for it.
func (s *service) register(environment openbanking.Environment) (aggregator.Application, string) {
	s.t.Helper()
	text := "https://app.example/about"
	email := "privacy@app.example"
	app, err := s.registry.Register(context.Background(), openbanking.RegisterApplicationRequest{
		Certificate: certificate(), Environment: environment, Name: "Ledger", RedirectURLs: []string{callback},
		Description: &text, GDPREmail: &email, PrivacyURL: &text, TermsURL: &text,
	}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	token, err := apptoken.NewSigner(key(), app.ID, issuer, audience).Token(time.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	return app, token
}

var certificate = sync.OnceValue(func() string {
	pem, err := apptoken.SelfSigned(key(), "Ledger", time.Now(), 24*time.Hour)
	if err != nil {
		panic(err)
	}
	return string(pem)
})

// answer is what a call came back with.
type answer struct {
	status int
	header http.Header
	raw    string
	body   map[string]any // nil when raw is no JSON object
}

// text returns a field of the answer that is a string, by its path such as "access.valid_until".
func (a answer) text(path string) string {
	text, _ := a.at(path).(string)
	return text
}

func (a answer) at(path string) any {
	var value any = a.body
	for name := range strings.SplitSeq(path, ".") {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

// call sends a request with the token of the application. headers are pairs of name and value and replace the ones that
// call sets; an empty value leaves the header out.
func (s *service) call(method, path, body string, headers ...string) answer {
	s.t.Helper()
	request, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Del(headers[i])
		if headers[i+1] != "" {
			request.Header.Set(headers[i], headers[i+1])
		}
	}
	return s.send(request)
}

func (s *service) send(request *http.Request) answer {
	s.t.Helper()
	client := &http.Client{Transport: s.Client().Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	a := answer{status: response.StatusCode, header: response.Header, raw: string(raw)}
	_ = json.Unmarshal(raw, &a.body) // a body that is none is nil
	return a
}

// authRequest is a body of POST /auth that is right; pairs replace members, at the top or in access ("access.x").
// A nil value leaves the member out.
func authRequest(pairs ...any) string {
	access := map[string]any{"valid_until": time.Now().Add(24 * time.Hour).Format(time.RFC3339)}
	body := map[string]any{
		"access":       access,
		"aspsp":        map[string]any{"name": "Northlight", "country": "FI"},
		"state":        "state of the application",
		"redirect_url": callback,
	}
	for i := 0; i < len(pairs); i += 2 {
		object, name := body, pairs[i].(string)
		if inner, ok := strings.CutPrefix(name, "access."); ok {
			object, name = access, inner
		}
		object[name] = pairs[i+1]
		if pairs[i+1] == nil {
			delete(object, name)
		}
	}
	data, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// authorize walks from POST /auth to the redirect and returns the code, and the answer of POST /auth.
func (s *service) authorize(pairs ...any) (code string, started answer) {
	s.t.Helper()
	started = s.call("POST", "/auth", authRequest(pairs...))
	if started.status != 200 {
		s.t.Fatalf("POST /auth: %d %s", started.status, started.raw)
	}
	back, err := s.engine.ReturnFromBank(context.Background(), s.visit(started), s.bank.Approve(s.visit(started)), "", "")
	if err != nil {
		s.t.Fatal(err)
	}
	u, err := url.Parse(back)
	if err != nil {
		s.t.Fatal(err)
	}
	return u.Query().Get("code"), started
}

// visit accepts the consent page and returns the state with which the browser is at the bank.
func (s *service) visit(started answer) (state string) {
	s.t.Helper()
	id, err := s.engine.Accept(context.Background(), started.text("authorization_id"))
	if err != nil {
		s.t.Fatal(err)
	}
	visit, err := s.engine.Visit(context.Background(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	u, err := url.Parse(visit.Step.URL)
	if err != nil {
		s.t.Fatal(err)
	}
	return u.Query().Get("state")
}

// link walks to an authorised session and returns the answer of POST /sessions.
func (s *service) link(pairs ...any) answer {
	s.t.Helper()
	code, _ := s.authorize(pairs...)
	session := s.call("POST", "/sessions", `{"code":"`+code+`"}`)
	if session.status != 200 {
		s.t.Fatalf("POST /sessions: %d %s", session.status, session.raw)
	}
	return session
}

// accounts returns the accounts of an answer of POST /sessions.
func accounts(session answer) []map[string]any {
	list, _ := session.body["accounts"].([]any)
	var out []map[string]any
	for _, a := range list {
		out = append(out, a.(map[string]any))
	}
	return out
}

// uid returns the uid of the first account of an answer of POST /sessions.
func uid(session answer) string { return accounts(session)[0]["uid"].(string) }

// wantError checks an answer against the table of api-notes 1. A code that is empty stands for an answer without one.
func wantError(t testing.TB, got answer, status int, code openbanking.ErrorCode, detailHolds string) {
	t.Helper()
	name, hasError := got.body["error"]
	detail, hasDetail := got.body["detail"]
	switch {
	case got.status != status:
		t.Errorf("status %d, want %d: %s", got.status, status, got.raw)
	case got.at("code") != float64(status):
		t.Errorf("code %v, want the status %d", got.at("code"), status)
	case code != "" && name != string(code):
		t.Errorf("error %v, want %s: %s", name, code, got.raw)
	case code == "" && hasError:
		t.Errorf("error %v, want no such key", name)
	case got.text("message") == "":
		t.Errorf("no message: %s", got.raw)
	case !hasDetail:
		t.Errorf("no detail, not even null: %s", got.raw)
	case detailHolds == "" && code != openbanking.WrongRequestParameters && detail != nil:
		t.Errorf("detail %v, want null", detail)
	case !strings.Contains(got.raw, detailHolds):
		t.Errorf("detail %v, want one with %q", detail, detailHolds)
	case got.header.Get("X-Request-Id") == "":
		t.Error("no x-request-id")
	case got.header.Get("Content-Type") != "application/json":
		t.Errorf("Content-Type %q", got.header.Get("Content-Type"))
	}
}
