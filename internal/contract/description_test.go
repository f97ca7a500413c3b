package contract

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The suite is worth no more than its eye for a wrong answer: a service that answers as the table says is caught, and the
// failure names the path and the field.
func TestDescriptionNoticesWhatIsWrong(t *testing.T) {
	const session = `{"status":"AUTHORIZED","accounts":["u"],"accounts_data":[{"uid":"3a57e2d3-2e0c-4336-af9b-7fa94f0606a3","identification_hash":"h","identification_hashes":["h"]}],
		"aspsp":{"name":"N","country":"FI"},"psu_type":"personal","psu_id_hash":"` + hash64 + `","access":{"accounts":null,"balances":true,"transactions":null,"valid_until":"2026-01-31T12:00:00Z"},
		"created":"2026-01-31T12:00:00.000001Z","authorized":null,"closed":null,"more":1}`
	const account = `{"account_id":{"iban":null,"other":{"identification":"1","scheme_name":"BBAN","issuer":null}},"cash_account_type":"CACC","currency":"EUR","identification_hash":"h","identification_hashes":["h"]}`
	const started = `{"url":"https://service.example/x","authorization_id":"` + nobody + `","psu_id_hash":"` + hash64 + `"}`
	const auth = `{"access":{"valid_until":"2026-01-31T12:00:00Z"},"aspsp":{"name":"N","country":"FI"},"state":"s","redirect_url":"https://app.example/","extra":[1]}`
	const refused = `{"code":422,"message":"No","error":"WRONG_REQUEST_PARAMETERS","detail":null}`
	const get, post = "GET /sessions/" + nobody, "POST /auth"
	details, rows := "GET /accounts/"+nobody+"/details", "GET /accounts/"+nobody+"/transactions"
	tests := []struct {
		name, call, sent string
		status           int
		answer, old, new string // the answer, with a change
		problem          string // parts of the failure, between semicolons; empty when nothing is wrong
	}{
		{"a right answer", get, "", 200, session, "", "", ""},
		{"an unknown value", get, "", 200, session, `"AUTHORIZED"`, `"OPEN"`, "/sessions/; answer; /status; allowed values"},
		{"a wrong type", get, "", 200, session, `"AUTHORIZED"`, `1`, "/status; allowed values"},
		{"null for a required field", get, "", 200, session, `"AUTHORIZED"`, `null`, "/status; allowed values"},
		{"a missing field", get, "", 200, session, `"accounts":["u"],`, ``, `"accounts" is missing`},
		{"an object for an array", get, "", 200, session, `["u"]`, `{}`, "/accounts; array"},
		{"an element of a wrong type", get, "", 200, session, `["u"]`, `["u",1]`, "/accounts/1; string"},
		{"a field of an element", get, "", 200, session, `["h"]`, `null`, "/accounts_data/0/identification_hashes; null"},
		{"a uid that is none", get, "", 200, session, `"3a57`, `"xyz`, "/accounts_data/0/uid; uuid"},
		{"a field of a part", get, "", 200, session, `"country":"FI"`, `"x":1`, `/aspsp/country; missing`},
		{"a text for a truth value", get, "", 200, session, `true`, `"true"`, "/access/balances; boolean"},
		{"a date for a date-time", get, "", 200, session, `"2026-01-31T12:00:00Z"`, `"2026-01-31"`, "/access/valid_until; date-time"},
		{"a number for a date-time", get, "", 200, session, `"authorized":null`, `"authorized":7`, "/authorized; string"},
		{"two mistakes", get, "", 200, session, `"personal","psu_id_hash":"0`, `"x","psu_id_hash":"z`, "/psu_type; /psu_id_hash"},
		{"an array", get, "", 200, `[]`, "", "", "object"},
		{"no JSON", get, "", 200, `<html>`, "", "", "no JSON"},
		{"a part that may be null", details, "", 200, account, `{"iban":null,"other":{"identification":"1","scheme_name":"BBAN","issuer":null}}`, `null`, ""},
		{"a mistake in a part that may be null", details, "", 200, account, `"BBAN"`, `"NONE"`, "/account_id; /scheme_name"},
		{"an amount that is none", "GET /accounts/" + nobody + "/balances", "", 200,
			`{"balances":[{"name":"n","balance_type":"CLBD","balance_amount":{"amount":"1,5","currency":"EUR"}}]}`, "", "", "/balances/0/balance_amount/amount"},
		{"an error", get, "", 404, refused, "", "", ""},
		{"an error without a code", get, "", 403, `{"code":403,"message":"No","detail":[1]}`, "", "", ""},
		{"an error without a message", get, "", 404, refused, `"message":"No",`, ``, `"message" is missing`},
		{"an error with an unknown code", get, "", 404, refused, "WRONG_REQUEST_PARAMETERS", "ODD", "/error; allowed values"},
		{"a status of none of its own", get, "", 409, refused, "", "", "status 409"},
		{"an error of the registration", "POST /api/applications", "{}", 422, `{"error":{"message":"No"}}`, "", "", ""},
		{"another error of the registration", "POST /api/applications", "{}", 422, refused, "", "", "/error"},
		{"an operation that does not exist", "GET /nothing", "", 404, `{"code":404,"message":"No","detail":null}`, "", "", ""},
		{"a method that does not exist", "PUT /auth", "", 405, `{"message":7}`, "", "", "/message"},
		{"success of nothing", "GET /nothing", "", 200, `{}`, "", "", "no such operation"},
		{"a right request", post, auth, 200, started, "", "", ""},
		{"a wrong request that is refused", post, `{"access":1}`, 422, refused, "", "", ""},
		{"a wrong request that is accepted", post, strings.Replace(auth, `"state":"s"`, `"state":1`, 1), 200, started, "", "", "accepted; request; /state"},
		{"a broken request that is accepted", post, `{`, 200, started, "", "", "accepted; request is no JSON"},
		{"a wrong parameter that is accepted", rows + "?date_from=yesterday", "", 200, `{"transactions":[]}`, "", "", "accepted; date_from"},
		{"an unknown value of a parameter", rows + "?strategy=short", "", 200, `{"transactions":[]}`, "", "", "accepted; strategy"},
		{"a parameter twice", rows + "?strategy=longest&strategy=longest", "", 200, `{"transactions":[]}`, "", "", "strategy is given twice"},
		{"an unknown parameter", rows + "?x=1&strategy=longest", "", 200, `{"transactions":[],"continuation_key":null}`, "", "", ""},
		{"a path that is no UUID", "GET /accounts/1/details", "", 200, account, "", "", "accepted; account_id"},
		{"a transaction_id with a slash", "GET /accounts/" + nobody + "/transactions/a%2Fb", "", 422, refused, "", "", ""},
	}
	var status int
	var text string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	}))
	defer web.Close()
	client, err := Describe(web.Client(), web.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(test.answer, test.old) {
				t.Fatalf("%s is not in the answer", test.old)
			}
			status, text = test.status, strings.Replace(test.answer, test.old, test.new, 1)
			method, path, _ := strings.Cut(test.call, " ")
			request, err := http.NewRequestWithContext(t.Context(), method, web.URL+path, strings.NewReader(test.sent))
			if err != nil {
				t.Fatal(err)
			}
			answer, err := client.Do(request)
			if err == nil {
				answer.Body.Close()
			}
			if (err == nil) != (test.problem == "") {
				t.Fatalf("error %v, want %q", err, test.problem)
			}
			if err == nil {
				return
			}
			for part := range strings.SplitSeq(test.problem, "; ") {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		})
	}
}

const hash64 = "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"

// Calls of other addresses pass unseen.
func TestDescriptionIsOfTheAPIAlone(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }))
	defer web.Close()
	client, err := Describe(web.Client(), "https://api.example", "https://register.example")
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+"/auth", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
}
