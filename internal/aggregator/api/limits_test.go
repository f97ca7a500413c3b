package api_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"florin/internal/aggregator/api"
	"florin/internal/aggregator/engine"
	"florin/internal/openbanking"
)

// TestRateLimitOfTheService: so many requests a minute for each application, 429 above; 0 is no limit. Only requests with a good
// token count.
func TestRateLimitOfTheService(t *testing.T) {
	s := limited(t, 3)
	_, other := s.register(openbanking.EnvironmentSandbox)
	for range 5 {
		wantError(t, s.call("GET", "/application", "", "Authorization", "Bearer x"), 401, openbanking.UnauthorizedAccess, "")
	}
	for i := range 3 {
		if got := s.call("GET", "/application", ""); got.status != 200 {
			t.Fatalf("request %d: %d %s", i+1, got.status, got.raw)
		}
	}
	for _, path := range []string{"/application", "/aspsps", "/sessions/00000000-0000-4000-8000-000000000000"} {
		got := s.call("GET", path, "")
		if got.status != http.StatusTooManyRequests || got.text("message") != "Too many requests" || got.body["code"] != float64(429) ||
			!strings.Contains(got.raw, "3 requests a minute") {
			t.Errorf("%s: %d %s", path, got.status, got.raw)
		}
		if _, has := got.body["error"]; has {
			t.Errorf("%s: the code is of the banks: %s", path, got.raw)
		}
		if after, err := strconv.Atoi(got.header.Get("Retry-After")); err != nil || after < 1 || after > 20 {
			t.Errorf("%s: Retry-After %q", path, got.header.Get("Retry-After"))
		}
	}
	if got := s.call("GET", "/application", "", "Authorization", "Bearer "+other); got.status != 200 {
		t.Errorf("another application: %d %s", got.status, got.raw)
	}
	free := start(t)
	for i := range 100 {
		if got := free.call("GET", "/application", ""); got.status != 200 {
			t.Fatalf("without a limit, request %d: %d", i+1, got.status)
		}
	}
}

// TestBankTimeout: a bank that does not answer in time is ASPSP_TIMEOUT, with status 408, wherever it is asked.
func TestBankTimeout(t *testing.T) {
	s := tuned(t, func(o *engine.Options, _ *api.Options) { o.BankTimeout = 50 * time.Millisecond })
	at := s.authorized()
	for method, path := range map[string]string{"Account": "details", "Balances": "balances", "Transactions": "transactions", "Transaction": "transactions/id-1"} {
		s.bank.Hang(method, true)
		wantError(t, s.call("GET", "/accounts/"+at.uid+"/"+path, ""), 408, openbanking.ASPSPTimeout, "")
		s.bank.Hang(method, false)
		if got := s.call("GET", "/accounts/"+at.uid+"/"+path, ""); got.status != 200 {
			t.Errorf("%s afterwards: %d %s", path, got.status, got.raw)
		}
	}
	waiting := s.returned()
	s.bank.Hang("Accounts", true)
	wantError(t, s.call("POST", "/sessions", `{"code":"`+waiting.code+`"}`), 408, openbanking.ASPSPTimeout, "")
	s.bank.Hang("Accounts", false)
	if got := s.call("POST", "/sessions", `{"code":"`+waiting.code+`"}`); got.status != 200 {
		t.Errorf("the code is lost: %s", got.raw)
	}
	s.bank.Hang("EndConsent", true)
	if got := s.call("DELETE", "/sessions/"+at.session, ""); got.status != 200 {
		t.Errorf("a bank that hangs keeps a session open: %s", got.raw)
	}
}

// TestAnswerOfABankPassesAsItIs: a bank's own body in place of an ErrorResponse (api-notes 1).
func TestAnswerOfABankPassesAsItIs(t *testing.T) {
	s := start(t)
	at := s.authorized()
	const body = `{"title":"Broken","code":"ERR-1","detail":[1,{"a":null}]}`
	s.bank.Fail("Balances", &openbanking.Error{Status: 400, Body: []byte(body)})
	if got := s.call("GET", "/accounts/"+at.uid+"/balances", ""); got.status != 400 || strings.TrimSpace(got.raw) != body ||
		got.header.Get("Content-Type") != "application/json" || got.header.Get("X-Request-Id") == "" {
		t.Errorf("%d %s", got.status, got.raw)
	}
}

// TestSamePageHasTheSameKey: a client can tell that a listing goes in circles (api-notes 10).
func TestSamePageHasTheSameKey(t *testing.T) {
	s := start(t)
	first, second := s.authorized(), s.authorized()
	key := func(uid, query string) string {
		return s.call("GET", "/accounts/"+uid+"/transactions"+query, "").text("continuation_key")
	}
	same := key(first.uid, "")
	if same == "" || key(first.uid, "") != same {
		t.Errorf("the key of one page is %q, then %q", same, key(first.uid, ""))
	}
	for _, other := range []string{key(first.uid, "?strategy=longest"), key(second.uid, ""), key(first.uid, "?continuation_key="+url.QueryEscape(same))} {
		if other == "" || other == same || other[:16] == same[:16] {
			t.Errorf("another page has the key %q", other)
		}
	}
}
