package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"florin/internal/aggregator/api"
	"florin/internal/aggregator/banktest"
	"florin/internal/aggregator/engine"
	"florin/internal/openbanking"
)

// TestBadInput: every wrong request is an ErrorResponse with the right code, never an empty body (issue: Bad input).
func TestBadInput(t *testing.T) {
	t.Parallel()
	s := start(t)
	const wrong = openbanking.WrongRequestParameters
	deep := strings.Repeat(`{"a":`, 1001) + "1" + strings.Repeat("}", 1001)
	tests := []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		code                     openbanking.ErrorCode
		detail                   string
	}{
		{"unknown path", "GET", "/unknown", "", nil, 404, "", ""},
		{"root", "GET", "/", "", nil, 404, "", ""},
		{"two slashes", "POST", "/auth//", "{}", nil, 404, "", ""},
		{"two slashes within", "GET", "/accounts//details", "", nil, 404, "", ""},
		{"a slash before, of an address that ends in one", "POST", "//sessions", `{"code":"a"}`, nil, 422, openbanking.WrongAuthorizationCode, ""},
		{"slashes before, and an escaped one", "GET", "///payments/a%2Fb", "", nil, 404, openbanking.PaymentNotFound, ""},
		{"an escaped slash before", "GET", "/%2Faspsps", "", nil, 404, "", ""},
		{"slashes before, and dots", "GET", "//x/../aspsps", "", nil, 404, "", ""},
		{"dots", "GET", "/accounts/../application", "", nil, 404, "", ""},
		{"slash at the end", "GET", "/aspsps/", "", nil, 404, "", ""},
		{"account without details", "GET", "/accounts/00000000-0000-4000-8000-000000000000", "", nil, 404, "", ""},
		{"GET /sessions", "GET", "/sessions", "", nil, 405, "", ""},
		{"GET /auth", "GET", "/auth", "", nil, 405, "", ""},
		{"PUT of a session", "PUT", "/sessions/00000000-0000-4000-8000-000000000000", "", nil, 405, "", ""},
		{"POST /aspsps", "POST", "/aspsps", "{}", nil, 405, "", ""},
		{"made-up method", "BREW", "/application", "", nil, 405, "", ""},
		{"OPTIONS", "OPTIONS", "/auth", "", nil, 405, "", ""},
		{"no body", "POST", "/auth", "", nil, 422, wrong, "body is empty"},
		{"white space", "POST", "/auth", " \n", nil, 422, wrong, "body is empty"},
		{"broken JSON", "POST", "/auth", `{"state":`, nil, 422, wrong, "body is not valid JSON"},
		{"two values", "POST", "/sessions", `{"code":"a"} {}`, nil, 422, wrong, "body is not valid JSON"},
		{"rubbish at the end", "POST", "/sessions", `{"code":"a"}}`, nil, 422, wrong, "body is not valid JSON"},
		{"an array", "POST", "/sessions", `[]`, nil, 422, wrong, "body must be an object"},
		{"null", "POST", "/sessions", `null`, nil, 422, wrong, "body is missing"},
		{"a text", "POST", "/sessions", `"code"`, nil, 422, wrong, "body must be an object"},
		{"duplicate key", "POST", "/sessions", `{"code":"a","code":"b"}`, nil, 422, wrong, "code is given twice"},
		{"duplicate key below", "POST", "/auth", `{"aspsp":{"name":"a","name":"b"}}`, nil, 422, wrong, "aspsp.name is given twice"},
		{"duplicate key in an unknown field", "POST", "/sessions", `{"code":"a","x":[{"y":1,"y":2}]}`, nil, 422, wrong, "x[0].y is given twice"},
		{"name in another case", "POST", "/sessions", `{"CODE":"a"}`, nil, 422, wrong, "code is missing"},
		{"not UTF-8", "POST", "/sessions", "{\"code\":\"\xff\"}", nil, 422, wrong, "body is not valid UTF-8"},
		{"deep nesting", "POST", "/auth", deep, nil, 422, wrong, "body is nested too deeply"},
		{"10 MB", "POST", "/auth", `{"state":"` + strings.Repeat("x", 10<<20) + `"}`, nil, 422, wrong, "body is larger than 1048576 bytes"},
		{"10 MB of white space", "POST", "/sessions", strings.Repeat(" ", 10<<20), nil, 422, wrong, "body is larger than 1048576 bytes"},
		{"a form", "POST", "/sessions", "code=a", []string{"Content-Type", "application/x-www-form-urlencoded"}, 422, wrong, "Content-Type application/json"},
		{"a form with a type of its own", "POST", "/sessions", "--x\r\n", []string{"Content-Type", "multipart/form-data; boundary=x"}, 422, wrong,
			"Content-Type application/json"},
		{"JSON that fetch calls text", "POST", "/sessions", `{"code":"a"}`, []string{"Content-Type", "text/plain;charset=UTF-8"}, 422,
			openbanking.WrongAuthorizationCode, ""},
		{"JSON that curl calls a form", "POST", "/sessions", `{"code":"a"}`, []string{"Content-Type", "application/x-www-form-urlencoded"}, 422,
			openbanking.WrongAuthorizationCode, ""},
		{"broken Content-Type", "POST", "/sessions", `{"code":"a"}`, []string{"Content-Type", ";"}, 422, openbanking.WrongAuthorizationCode, ""},
		{"byte order mark", "POST", "/sessions", "\ufeff" + `{"code":"a"}`, nil, 422, openbanking.WrongAuthorizationCode, ""},
		{"two byte order marks", "POST", "/sessions", "\ufeff\ufeff" + `{"code":"a"}`, nil, 422, wrong, "body is not valid JSON"},
		{"byte order mark alone", "POST", "/sessions", "\ufeff", nil, 422, wrong, "body is empty"},
		{"charset", "POST", "/sessions", `{"code":"a"}`, []string{"Content-Type", "application/json; charset=utf-8"}, 422, openbanking.WrongAuthorizationCode, ""},
		{"no Content-Type", "POST", "/sessions", `{"code":"a"}`, []string{"Content-Type", ""}, 422, openbanking.WrongAuthorizationCode, ""},
		{"compressed", "POST", "/sessions", `{"code":"a"}`, []string{"Content-Encoding", "gzip"}, 422, wrong, "body must not be compressed"},
		{"session id is no UUID", "GET", "/sessions/1", "", nil, 422, wrong, "session_id is not a UUID"},
		{"session id in another form", "GET", "/sessions/%7B00000000-0000-4000-8000-000000000000%7D", "", nil, 422, wrong, "session_id is not a UUID"},
		{"account id is no UUID", "GET", "/accounts/x/balances", "", nil, 422, wrong, "account_id is not a UUID"},
		{"account id is SQL", "GET", "/accounts/'%20OR%201=1/balances", "", nil, 422, wrong, "account_id is not a UUID"},
		{"payment without body", "POST", "/payments", "", nil, 422, wrong, "body is empty"},
		{"payment of nothing", "POST", "/payments", "{}", nil, 422, wrong, "payment_type is missing"},
		{"payment id is no UUID", "GET", "/payments/1", "", nil, 404, openbanking.PaymentNotFound, ""},
		{"payment id in another form", "DELETE", "/payments/%7B00000000-0000-4000-8000-000000000000%7D", "", nil, 404, openbanking.PaymentNotFound, ""},
		{"payment id is SQL", "GET", "/payments/'%20OR%201=1/transactions/1", "", nil, 404, openbanking.PaymentNotFound, ""},
		{"payment id has a zero byte", "GET", "/payments/%00", "", nil, 404, openbanking.PaymentNotFound, ""},
		{"list of payments", "GET", "/payments", "", nil, 405, "", ""},
		{"PUT of a payment", "PUT", "/payments/00000000-0000-4000-8000-000000000000", "{}", nil, 405, "", ""},
		{"unknown session", "GET", "/sessions/00000000-0000-4000-8000-000000000000", "", nil, 404, openbanking.SessionDoesNotExist, ""},
		{"unknown account", "GET", "/accounts/00000000-0000-4000-8000-000000000000/balances", "", nil, 404, openbanking.AccountDoesNotExist, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := s.call(tt.method, tt.path, tt.body, tt.headers...)
			wantError(t, got, tt.status, tt.code, tt.detail)
			if (tt.status == 405) != (got.header.Get("Allow") != "") {
				t.Errorf("Allow is %q", got.header.Get("Allow"))
			}
		})
	}
}

// TestEveryPathRefusesOtherMethods: each path of the route table answers every method that it does not have with 405.
func TestEveryPathRefusesOtherMethods(t *testing.T) {
	t.Parallel()
	s := start(t)
	allowed := map[string]map[string]bool{}
	for _, route := range api.Routes() {
		if allowed[route.Path] == nil {
			allowed[route.Path] = map[string]bool{}
		}
		allowed[route.Path][route.Method] = true
	}
	for path, methods := range allowed {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			if methods[method] {
				continue
			}
			got := s.call(method, strings.TrimSuffix(path, "{$}"), "", "Authorization", "")
			if got.status != 405 || got.header.Get("X-Request-Id") == "" || got.body == nil {
				t.Errorf("%s %s: %d %s", method, path, got.status, got.raw)
			}
		}
	}
}

// TestErrorKeyOrder: the keys of an ErrorResponse come in the observed order (api-notes 1).
func TestErrorKeyOrder(t *testing.T) {
	t.Parallel()
	s := start(t)
	got := s.call("POST", "/sessions", `{"code":"a"}`)
	const want = `{"code":422,"message":"Wrong authorization code provided","error":"WRONG_AUTHORIZATION_CODE","detail":null}` + "\n"
	if got.raw != want {
		t.Errorf("%s", got.raw)
	}
}

// TestInternalFailure: a failure of the service is 500 with generic text, no error key, and a request id that the log knows.
func TestInternalFailure(t *testing.T) {
	t.Parallel()
	s := start(t)
	session := s.link()
	if err := s.store.Close(); err != nil {
		t.Fatal(err)
	}
	got := s.call("GET", "/sessions/"+session.text("session_id"), "")
	wantError(t, got, http.StatusInternalServerError, "", "")
	if got.text("message") != "Internal Server Error" || !strings.Contains(s.log.String(), got.header.Get("X-Request-Id")) {
		t.Errorf("%s\n%s", got.raw, s.log)
	}
}

// TestOneRecordForEachRequest: the log names route, status, error code, bank and application; never ids, bodies, tokens or
// query strings (security T32).
func TestOneRecordForEachRequest(t *testing.T) {
	t.Parallel()
	s := start(t)
	session := s.link("state", "canary-state", "psu_id", "canary-psu")
	s.call("GET", "/accounts/"+uid(session)+"/transactions?date_from=2020-01-01&continuation_key=canary-key", "", "Psu-Ip-Address", "192.0.2.77")
	s.call("POST", "/sessions", `{"code":"canary-code"}`)
	lines := strings.Split(strings.TrimSpace(s.log.String()), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d records for 4 requests:\n%s", len(lines), s.log)
	}
	var got []map[string]any
	for _, line := range lines {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		got = append(got, record)
	}
	third, fourth := got[2], got[3]
	if third["route"] != "GET /accounts/{account_id}/transactions" || third["status"] != 422.0 || third["error"] != "WRONG_CONTINUATION_KEY" ||
		third["bank"] != "Northlight" || third["application"] != s.app.ID || third["request_id"] == "" {
		t.Errorf("record %v", third)
	}
	if fourth["route"] != "POST /sessions" || fourth["error"] != "WRONG_AUTHORIZATION_CODE" {
		t.Errorf("record %v", fourth)
	}
	for _, secret := range []string{"canary", "192.0.2.77", "2020-01-01", uid(session), session.text("session_id"), "FI21"} {
		if strings.Contains(s.log.String(), secret) {
			t.Errorf("the log holds %s:\n%s", secret, s.log)
		}
	}
}

// A body within its limit costs no more than a multiple of its size, whatever its names are.
func TestCostOfABody(t *testing.T) { // not parallel: it measures the memory of the process
	s := tuned(t, func(*engine.Options, *api.Options) {}, paying, func(b *banktest.Bank) { b.Data.Payments[0].MaxTransactions = new(1000) })
	for path, size := range map[string]int{"/sessions": 1 << 20, "/payments": 5 << 20} {
		size -= 1 << 10
		name := strings.Repeat("n", size/4)
		var many strings.Builder
		for i := range size / 16 {
			fmt.Fprintf(&many, `"%d":0,`, i)
		}
		for _, test := range []struct{ name, body string }{
			{"long name over a long array", `{"` + name + `":[` + strings.Repeat("0,", size/4) + `0]}`},
			{"long name over many names", `{"` + name + `":{` + many.String() + `"":0}}`},
			{"long name given twice", `{"` + name + `":0,"` + name + `":0}`},
		} {
			t.Run(path+" "+test.name, func(t *testing.T) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				got := s.call("POST", path, test.body)
				runtime.ReadMemStats(&after)
				wantError(t, got, 422, openbanking.WrongRequestParameters, "")
				cost := after.TotalAlloc - before.TotalAlloc
				t.Logf("a body of %d bytes took %d", len(test.body), cost)
				if cost > 200*uint64(size) {
					t.Errorf("a body of %d bytes took %d bytes of memory", len(test.body), cost)
				}
				if len(got.raw) > 4096 {
					t.Errorf("the answer has %d bytes", len(got.raw))
				}
			})
		}
	}
}

// TestClientThatGoesAway: it is no failure of the bank nor of the service, and nothing in the log looks like one.
func TestClientThatGoesAway(t *testing.T) {
	t.Parallel()
	s := start(t)
	account := uid(s.link())
	s.bank.Fail("Balances", fmt.Errorf("call the bank: %w", context.Canceled))
	if got := s.call("GET", "/accounts/"+account+"/balances", ""); got.status != http.StatusRequestTimeout {
		t.Errorf("%d %s", got.status, got.raw)
	}
	if log := s.log.String(); strings.Contains(log, `"level":"ERROR"`) || strings.Contains(log, "bank failed") {
		t.Errorf("the log calls it an error:\n%s", log)
	}
}
