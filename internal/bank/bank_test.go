package bank

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"florin/internal/openbanking"
)

type fixed string

func (f fixed) Token(time.Time) (string, error) { return string(f), nil }

// serve starts a service below a prefix, so that a path from the root fails.
func serve(t *testing.T, handler http.HandlerFunc) *Client {
	t.Helper()
	s := httptest.NewServer(http.StripPrefix("/prefix", handler))
	t.Cleanup(s.Close)
	c, err := New(s.URL+"/prefix/", fixed("tok"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEndpoints(t *testing.T) {
	ctx := context.Background()
	psu := http.Header{"Psu-Ip-Address": {"192.0.2.1"}, "psu-user-agent": {"x"}}
	for name, c := range map[string]struct {
		call func(c *Client) error
		want string // method, path and query
		body string
		psu  bool
	}{
		"Application": {func(c *Client) error { _, err := c.Application(ctx); return err }, "GET /application", "", false},
		"ASPSPs":      {func(c *Client) error { _, err := c.ASPSPs(ctx); return err }, "GET /aspsps", "", false},
		"StartAuthorization": {func(c *Client) error {
			_, err := c.StartAuthorization(ctx, openbanking.StartAuthorizationRequest{State: "s"})
			return err
		}, "POST /auth", `"state":"s"`, false},
		"AuthorizeSession": {func(c *Client) error { _, err := c.AuthorizeSession(ctx, "abc"); return err }, "POST /sessions", `{"code":"abc"}`, false},
		"Session":          {func(c *Client) error { _, err := c.Session(ctx, "s1"); return err }, "GET /sessions/s1", "", false},
		"DeleteSession":    {func(c *Client) error { return c.DeleteSession(ctx, "s1") }, "DELETE /sessions/s1", "", false},
		"AccountDetails":   {func(c *Client) error { _, err := c.AccountDetails(ctx, "u", psu); return err }, "GET /accounts/u/details", "", true},
		"Balances":         {func(c *Client) error { _, err := c.Balances(ctx, "u", psu); return err }, "GET /accounts/u/balances", "", true},
		"TransactionsPage": {func(c *Client) error {
			_, err := c.TransactionsPage(ctx, "u", openbanking.TransactionsQuery{DateFrom: "2026-01-01", ContinuationKey: "a+/=", Strategy: "longest"}, psu)
			return err
		}, "GET /accounts/u/transactions?continuation_key=a%2B%2F%3D&date_from=2026-01-01&strategy=longest", "", true},
		"CreatePayment": {func(c *Client) error {
			_, err := c.CreatePayment(ctx, openbanking.CreatePaymentRequest{State: "s", PaymentType: "SEPA"})
			return err
		}, "POST /payments", `"payment_type":"SEPA"`, false},
		"Payment":            {func(c *Client) error { _, err := c.Payment(ctx, "p1"); return err }, "GET /payments/p1", "", false},
		"PaymentTransaction": {func(c *Client) error { _, err := c.PaymentTransaction(ctx, "p1", "t1"); return err }, "GET /payments/p1/transactions/t1", "", false},
		"DeletePayment":      {func(c *Client) error { return c.DeletePayment(ctx, "p1") }, "DELETE /payments/p1", "", false},
		"Transaction": {func(c *Client) error { _, err := c.Transaction(ctx, "u", "t/../1", psu); return err },
			"GET /accounts/u/transactions/t%2F..%2F1", "", true},
		"id with a slash": {func(c *Client) error { _, err := c.Session(ctx, "../application"); return err }, "GET /sessions/..%2Fapplication", "", false},
	} {
		var got, body, authorization, ip, agent string
		c1 := serve(t, func(w http.ResponseWriter, r *http.Request) {
			got = r.Method + " " + r.URL.EscapedPath()
			if r.URL.RawQuery != "" {
				got += "?" + r.URL.RawQuery
			}
			b, _ := io.ReadAll(r.Body)
			body, authorization, ip, agent = string(b), r.Header.Get("Authorization"), r.Header.Get("Psu-Ip-Address"), r.Header.Get("User-Agent")
			_, _ = w.Write([]byte(`{"url":"u","psu_id_hash":"p","identification_hash":"h","cash_account_type":"CACC","currency":"EUR","session_id":"s","status":"AUTHORIZED","aspsps":[],"balances":[],"transactions":[]}`))
		})
		if err := c.call(c1); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got != c.want || !strings.Contains(body, c.body) || authorization != "Bearer tok" || (ip != "") != c.psu || !strings.HasPrefix(agent, "Florin/") {
			t.Errorf("%s: %q %q %q %q %q", name, got, body, authorization, ip, agent)
		}
	}
	if _, err := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("called") }).Session(ctx, ""); err == nil {
		t.Error("an empty id became another endpoint")
	}
}

// api-notes 1: errors come in many shapes.
func TestErrors(t *testing.T) {
	for name, c := range map[string]struct {
		status  int
		body    string
		code    openbanking.ErrorCode
		message string
	}{
		"as specified": {401, `{"code":401,"message":"Session is expired","error":"EXPIRED_SESSION","detail":null}`, openbanking.ExpiredSession,
			"Session is expired"},
		"no error":         {403, `{"code":403,"message":"Application is not active"}`, "", "Application is not active"},
		"a bank's own":     {400, `{"title":"Bad","code":"x.y","detail":[1]}`, "", "Bad"},
		"no JSON":          {502, `<html>`, "", "Bad Gateway"},
		"empty":            {500, ``, "", "Internal Server Error"},
		"larger than kept": {400, `{"message":"` + strings.Repeat("x", boundError.bytes) + `"}`, "", "Bad Request"},
		"a redirect":       {302, `{}`, "", "Found"},
	} {
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Request-Id", "id-1")
			w.Header().Set("Retry-After", "120")
			w.Header().Set("Location", "http://example.com/")
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		})
		err := client.DeleteSession(context.Background(), "secret-session")
		var e *openbanking.Error
		if !errors.As(err, &e) || e.Code != c.code || e.Status != c.status || e.Message != c.message || e.RequestID != "id-1" {
			t.Errorf("%s: %+v", name, e)
			continue
		}
		if c.code != "" && !errors.Is(err, c.code) {
			t.Errorf("%s: is not %s", name, c.code)
		}
		if wait := time.Until(e.RetryAfter); wait < 100*time.Second || wait > 121*time.Second {
			t.Errorf("%s: wait %v", name, wait)
		}
		if strings.Contains(err.Error(), "secret-session") {
			t.Errorf("%s: %v holds an id", name, err)
		}
	}
}

func TestRetries(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		status int
		body   string
		call   func(c *Client) error
		tries  int32
	}{
		"reading, a proxy is tired":    {503, "", func(c *Client) error { _, err := c.Application(ctx); return err }, 3},
		"reading, the bank answered":   {400, `{"error":"ASPSP_ERROR"}`, func(c *Client) error { _, err := c.Application(ctx); return err }, 1},
		"reading, a limit":             {429, `{"error":"ASPSP_RATE_LIMIT_EXCEEDED"}`, func(c *Client) error { _, err := c.Balances(ctx, "u", nil); return err }, 1},
		"reading, an internal fault":   {500, `{"message":"x"}`, func(c *Client) error { _, err := c.Application(ctx); return err }, 1},
		"a code is never sent twice":   {503, "", func(c *Client) error { _, err := c.AuthorizeSession(ctx, "c"); return err }, 1},
		"a DELETE is never sent twice": {503, "", func(c *Client) error { return c.DeleteSession(ctx, "s") }, 1},
	} {
		var n atomic.Int32
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			n.Add(1)
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		})
		if err := c.call(client); err == nil || n.Load() != c.tries {
			t.Errorf("%s: %d tries, %v", name, n.Load(), err)
		}
	}
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"nothing":   {nil, false},
		"no answer": {&Unanswered{Cause: io.EOF}, true},
		"cancelled": {&Unanswered{Cause: context.Canceled}, false},
		"too late":  {fmt.Errorf("x: %w", context.DeadlineExceeded), false},
	} {
		if got, why := retryable(c.err); got != c.want || why == "" {
			t.Errorf("%s: %v %q", name, got, why)
		}
	}
}

func TestUnansweredHoldsNoIDs(t *testing.T) {
	c, err := New("http://127.0.0.1:1", fixed("tok"))
	if err != nil {
		t.Fatal(err)
	}
	err = c.DeleteSession(context.Background(), "secret-session")
	var u *Unanswered
	if !errors.As(err, &u) || strings.Contains(err.Error(), "secret") || u.Timeout() {
		t.Error(err)
	}
}

func TestDialTo(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"name":%q}`, r.Host)
	}))
	defer s.Close()
	c, err := New("http://bank.florin.invalid:8081", fixed("tok"), DialTo(s.Listener.Addr().String()))
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Application(context.Background())
	if err != nil || a.Name != "bank.florin.invalid:8081" {
		t.Errorf("%+v %v", a, err)
	}
}

func TestPagesKeepTheOriginal(t *testing.T) {
	const row = `{"entry_reference":"1","unknown":{"a":1.50},"transaction_amount":{"currency":"EUR","amount":"1"}}`
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"transactions":[` + row + `],"continuation_key":"k"}`))
	})
	p, err := c.TransactionsPage(context.Background(), "u", openbanking.TransactionsQuery{}, nil)
	if err != nil || len(p.Transactions) != 1 || *p.Transactions[0].EntryReference != "1" || string(p.Originals[0]) != row || *p.ContinuationKey != "k" {
		t.Errorf("%+v %v", p, err)
	}
}

func TestRegisterApplication(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q openbanking.RegisterApplicationRequest
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.URL.Path != "/api/applications" || r.Header.Get("Authorization") != "Bearer b" ||
			q.Name != "n" {
			t.Errorf("%s %+v %v", r.URL, q, err)
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"app_id":"a"}`))
	}))
	defer s.Close()
	a, err := RegisterApplication(context.Background(), NewHTTPClient(), s.URL+"/", "b", openbanking.RegisterApplicationRequest{Name: "n"})
	if err != nil || a.AppID != "a" {
		t.Errorf("%+v %v", a, err)
	}
}

func TestBaseAddress(t *testing.T) {
	for _, base := range []string{"", "localhost:8081", "ftp://x", "http://", "://"} {
		if _, err := New(base, fixed("t")); err == nil {
			t.Errorf("%q was accepted", base)
		}
	}
}

// A payment is created by one call at most, whatever goes wrong, and an error says whether the service can have got it.
func TestCreatePaymentIsNeverRepeated(t *testing.T) {
	var calls atomic.Int64
	cases := map[string]struct {
		answer  http.HandlerFunc
		nothing bool // nothing was sent
		status  int  // of an answer
	}{
		"bad gateway": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, false, 502},
		"unavailable": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }, false, 503},
		"hangs up":    {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, false, 0},
		"half an answer": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("{"))
		}, false, 0},
		"no JSON": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, false, 502},
		"a redirect away": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/payments", http.StatusTemporaryRedirect)
		}, false, 307},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			calls.Store(0)
			client := serve(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				calls.Add(1)
				c.answer(w, r)
			})
			_, err := client.CreatePayment(t.Context(), openbanking.CreatePaymentRequest{State: "s"})
			var answered *openbanking.Error
			var unanswered *Unanswered
			switch {
			case c.status != 0:
				if !errors.As(err, &answered) || answered.HTTPStatus() != c.status {
					t.Errorf("%v", err)
				}
			case !errors.As(err, &unanswered) || unanswered.NothingSent() != c.nothing:
				t.Errorf("%v", err)
			}
			if n := calls.Load(); n != 1 {
				t.Errorf("%d calls", n)
			}
		})
	}
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	client, err := New(s.URL, fixed("tok"))
	if err != nil {
		t.Fatal(err)
	}
	var unanswered *Unanswered
	if _, err := client.CreatePayment(t.Context(), openbanking.CreatePaymentRequest{}); !errors.As(err, &unanswered) || !unanswered.NothingSent() {
		t.Errorf("%v", err)
	}
}
