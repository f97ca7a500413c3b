package server_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"florin/internal/contract/walk"
	"florin/internal/openbanking"
	"florin/internal/specification"
	"florin/internal/testkit"
)

var update = flag.Bool("update", false, "write docs/errors.md anew")

const unknownID = "00000000-0000-4000-8000-000000000000"

// occasion is how an error code comes about in the sandbox.
type occasion struct {
	code    openbanking.ErrorCode
	when    string // it occurs
	how     string // to meet it with the simulated banks
	provoke func(*occasions) answered
}

// atPayments are other occasions for a code, at the endpoints of payments.
var atPayments = map[openbanking.ErrorCode]func(*occasions) answered{
	openbanking.AccessDenied: func(o *occasions) answered {
		d := o.developer()
		id := d.register(production)
		d.link(id)
		defer o.as(id)()
		return o.pay(nil)
	},
	openbanking.ASPSPError: func(o *occasions) answered {
		return o.get("/payments/"+o.approveUntold("payment-unavailable"), nil)
	},
	openbanking.ASPSPTimeout: func(o *occasions) answered {
		return o.get("/payments/"+o.approveUntold("payment-timeout"), nil)
	},
	openbanking.InvalidHost: func(o *occasions) answered {
		return o.ask("GET", "/payments/"+unknownID, "", "Host", "elsewhere.example")
	},
	openbanking.NoAccountsAdded: func(o *occasions) answered {
		_, id := o.limited()
		defer o.as(id)()
		return o.pay(nil)
	},
	openbanking.RedirectURINotAllowed: func(o *occasions) answered {
		return o.pay(func(r *openbanking.CreatePaymentRequest) { r.RedirectURL += "/" })
	},
	openbanking.TransactionDoesNotExist: func(o *occasions) answered {
		id, _ := o.order(mockBank, nil)
		return o.ask("GET", "/payments/"+id+"/transactions/none", "")
	},
	openbanking.WrongASPSPProvided: func(o *occasions) answered {
		return o.pay(func(r *openbanking.CreatePaymentRequest) { r.ASPSP.Name = "No such bank" })
	},
	openbanking.WrongCredentialsProvided: func(o *occasions) answered {
		return o.pay(func(r *openbanking.CreatePaymentRequest) {
			r.ASPSP, r.AuthMethod, r.Credentials = embeddedBank, new("direct"), map[string]string{"userId": "auguste"}
			r.PaymentRequest.DebtorAccount = &openbanking.GenericIdentification{Identification: payee, SchemeName: openbanking.SchemeNameIBAN}
		})
	},
	openbanking.WrongRequestParameters: func(o *occasions) answered {
		return o.pay(func(r *openbanking.CreatePaymentRequest) {
			r.PaymentRequest.CreditTransferTransaction[0].InstructedAmount.Amount = "0"
		})
	},
}

// errorOccasions has every code in the order of the specification. docs/errors.md is written from it.
var errorOccasions = []occasion{
	{
		openbanking.AccessDenied, "The session has no access to this kind of data, or the application may not use the service.",
		"Start an authorisation with `access.balances` false and read balances in its session; or call `POST /payments` as an application of the production environment to which the operator has not granted payments.",
		func(o *occasions) answered {
			no := false
			session := o.link(func(r *openbanking.StartAuthorizationRequest) { r.Access.Balances = &no })
			return o.ask("GET", "/accounts/"+*session.Accounts[0].UID+"/balances", "")
		},
	},
	{
		openbanking.AccountDoesNotExist, "The id belongs to no account of a session of this application. Ids of an older session are no longer good.",
		"`GET /accounts/" + unknownID + "/details`.",
		func(o *occasions) answered { return o.ask("GET", "/accounts/"+unknownID+"/details", "") },
	},
	{
		openbanking.AlreadyAuthorized, "The code was exchanged before.", "Send the same code to `POST /sessions` twice.",
		func(o *occasions) answered {
			code := o.code(nil)
			o.ask("POST", "/sessions", body("code", code))
			return o.ask("POST", "/sessions", body("code", code))
		},
	},
	{
		openbanking.ASPSPAccountNotAccessible, "The bank lists the account but lets nobody read it, or not this person any more.",
		"Scenario `account-not-accessible`: read anything of its account.",
		func(o *occasions) answered { return o.read("account-not-accessible", "balances") },
	},
	{
		openbanking.ASPSPError, "The bank answered with an error of its own, or with something that makes no sense.",
		"Scenario `down`; `balances-fail` for balances alone; `payment-unavailable` for payments.",
		func(o *occasions) answered { return o.read("down", "balances") },
	},
	{
		code: openbanking.ASPSPPaymentNotAccessible, when: "The bank does not say what became of the payment.",
		how:     "Approve a payment as the user `payment-not-accessible` of " + paymentBank.Name + ", then read it.",
		provoke: func(o *occasions) answered { return o.get("/payments/"+o.approveUntold("payment-not-accessible"), nil) },
	},
	{
		openbanking.ASPSPPSUActionRequired, "The bank wants the person to do something, in its app or by being there.",
		"Scenario `action-required`: read without PSU headers.",
		func(o *occasions) answered { return o.read("action-required", "balances") },
	},
	{
		openbanking.ASPSPRateLimitExceeded, "The bank allows no more calls without the person for now.",
		"Scenario `one-an-hour`: read the same twice. `four-a-day` counts to four.",
		func(o *occasions) answered {
			o.read("one-an-hour", "balances")
			return o.read("one-an-hour", "balances")
		},
	},
	{
		openbanking.ASPSPTimeout, "The bank did not answer within 20 seconds, or its own answer says that it took too long.",
		"Scenario `timeout`; `payment-timeout` for payments.",
		func(o *occasions) answered { return o.read("timeout", "balances") },
	},
	{
		openbanking.AuthorizationNotProvided, "There is no Authorization header.", "Leave the header out.",
		func(o *occasions) answered { return o.ask("GET", "/application", "", "Authorization", "") },
	},
	{
		openbanking.ClosedSession, "The application closed the session. A second DELETE answers 400 instead of 401.",
		"`DELETE /sessions/{session_id}`, then read one of its accounts.",
		func(o *occasions) answered {
			session := o.link(nil)
			o.ask("DELETE", "/sessions/"+session.SessionID, "")
			return o.ask("GET", "/accounts/"+*session.Accounts[0].UID+"/balances", "")
		},
	},
	{
		openbanking.DateFromInFuture, "`date_from` lies after today, in UTC.", "`GET …/transactions?date_from=` with the day after tomorrow.",
		func(o *occasions) answered { return o.transactions("date_from=" + o.day(2)) },
	},
	{
		openbanking.DateToWithoutDateFrom, "There is a `date_to` and no `date_from`.", "`GET …/transactions?date_to=` with today.",
		func(o *occasions) answered { return o.transactions("date_to=" + o.day(0)) },
	},
	{
		openbanking.ExpiredAuthorizationCode, "The code was not exchanged in time (10 minutes, `--service-code-lifetime`).",
		"Wait for more than the lifetime before `POST /sessions`.",
		func(o *occasions) answered {
			code := o.code(nil)
			o.clock.Advance(11 * time.Minute)
			return o.ask("POST", "/sessions", body("code", code))
		},
	},
	{
		openbanking.ExpiredSession, "`valid_until` has passed, or the consent at the bank ended before.",
		"Start an authorisation with a `valid_until` a few minutes ahead, and wait.",
		func(o *occasions) answered {
			session := o.link(nil)
			o.clock.Advance(25 * time.Hour)
			return o.ask("GET", "/accounts/"+*session.Accounts[0].UID+"/balances", "")
		},
	},
	{
		openbanking.InvalidAccountID, "An account that is asked for has neither `iban` nor `other`.", "`POST /auth` with `access.accounts` `[{}]`.",
		func(o *occasions) answered {
			return o.auth(func(r *openbanking.StartAuthorizationRequest) {
				r.Access.Accounts = []openbanking.AccountIdentification{{}}
			})
		},
	},
	{
		openbanking.InvalidHost, "The request was sent to a name that is not one of the service's.", "Send it to the service with another `Host` header.",
		func(o *occasions) answered { return o.ask("GET", "/application", "", "Host", "elsewhere.example") },
	},
	{
		code: openbanking.InvalidPayment, when: "The payment is over because nobody approved it in time, or there is none.",
		how: "`GET /pis/start?payment_id=" + unknownID +
			"` with `Accept: application/json`, or the `url` of a payment that nobody approved within 30 minutes, which is CNCL then. A browser gets a page with the code. " +
			"The API itself never answers it: whatever a payment is, `GET /payments/{payment_id}` tells it.",
		provoke: func(o *occasions) answered {
			return o.ask("GET", "/pis/start?payment_id="+unknownID, "", "Accept", "application/json")
		},
	},
	{
		openbanking.NoAccountsAdded, "The application is limited to own accounts and none is linked to it.",
		"Limit the application to own accounts in the control panel, link none, and call `POST /auth`.",
		func(o *occasions) answered {
			_, id := o.limited()
			defer o.as(id)()
			return o.auth(nil)
		},
	},
	{
		code: openbanking.PaymentLimitExceeded,
		when: "The payment has more transactions than `max_transactions`, or amounts to more than the limit of the service (`--service-payment-limit`).",
		how:  "`POST /payments` of the type SEPA with two transactions.",
		provoke: func(o *occasions) answered {
			return o.pay(func(r *openbanking.CreatePaymentRequest) {
				list := &r.PaymentRequest.CreditTransferTransaction
				*list = append(*list, (*list)[0])
			})
		},
	},
	{
		code: openbanking.PaymentNotFinalized, when: "A payment whose status is not final cannot be deleted.",
		how: "`DELETE /payments/{payment_id}` of a new payment.",
		provoke: func(o *occasions) answered {
			return o.ask("DELETE", "/payments/"+into[openbanking.CreatePaymentResponse](o.t, o.pay(nil)).PaymentID, "")
		},
	},
	{
		code: openbanking.PaymentNotFound, when: "The id belongs to no payment of this application, or it was deleted.", how: "`GET /payments/" + unknownID + "`.",
		provoke: func(o *occasions) answered { return o.ask("GET", "/payments/"+unknownID, "") },
	},
	{
		openbanking.PSUHeaderInvalid, "A PSU header has a value that cannot be right.", "Read with `Psu-Ip-Address: here`.",
		func(o *occasions) answered {
			return o.ask("GET", "/accounts/"+o.account()+"/balances", "", "Psu-Ip-Address", "here")
		},
	},
	{
		openbanking.PSUHeaderNotProvided, "Some but not all of the bank's `required_psu_headers` are there.",
		"Read from a bank that lists several of them with the first one alone.",
		func(o *occasions) answered {
			for _, bank := range o.banks() {
				if len(bank.RequiredPSUHeaders) > 1 && len(bank.Sandbox.Users) > 0 && bank.Name != "Mammoth" {
					u := bank.Sandbox.Users[0]
					session := o.linkAs(openbanking.ASPSP{Name: bank.Name, Country: bank.Country},
						walk.Person{Username: *u.Username, Password: *u.Password, Code: text(u.OTP)})
					return o.ask("GET", "/accounts/"+*session.Accounts[0].UID+"/balances", "", bank.RequiredPSUHeaders[0], "192.0.2.7")
				}
			}
			o.t.Fatal("no bank lists several required PSU headers")
			return answered{}
		},
	},
	{
		openbanking.RedirectURINotAllowed, "`redirect_url` is not one of the application's, letter by letter.", "`POST /auth` with another one.",
		func(o *occasions) answered {
			return o.auth(func(r *openbanking.StartAuthorizationRequest) { r.RedirectURL += "/" })
		},
	},
	{
		openbanking.RevokedSession, "The person ended the consent.", "End the consent at `/consents`, then read one of the session's accounts.",
		func(o *occasions) answered {
			bank, person := o.bank(false)
			session := o.linkAs(openbanking.ASPSP{Name: bank.Name, Country: bank.Country}, person)
			b := walk.New(nil)
			must[*walk.Page](o.t)(b.Submit(o.t.Context(), endForm(o.t, o.lookAfter(b, bank, person)), nil))
			return o.ask("GET", "/accounts/"+*session.Accounts[0].UID+"/balances", "")
		},
	},
	{
		openbanking.SessionDoesNotExist, "The id belongs to no session of this application. An `authorization_id` is no session id.",
		"`GET /sessions/" + unknownID + "`.",
		func(o *occasions) answered { return o.ask("GET", "/sessions/"+unknownID, "") },
	},
	{
		openbanking.TransactionDoesNotExist, "The id belongs to no transaction of the account. An `entry_reference` is no `transaction_id`.",
		"`GET …/transactions/none`.",
		func(o *occasions) answered {
			return o.ask("GET", "/accounts/"+o.account()+"/transactions/none", "")
		},
	},
	{
		openbanking.UnauthorizedAccess, "The token is not good: another algorithm or key, another issuer or audience, expired, or good for more than 86400 seconds.",
		"`Authorization: Bearer nonsense`.",
		func(o *occasions) answered {
			return o.ask("GET", "/application", "", "Authorization", "Bearer nonsense")
		},
	},
	{
		openbanking.UnauthorizedIP, "The application lists the addresses that may use its tokens, and the caller's is none of them.",
		"List another address in the control panel.",
		func(o *occasions) answered {
			d := o.developer()
			id := d.register(nil)
			d.set(id, url.Values{"allowed_ips": {"192.0.2.0/24"}})
			defer o.as(id)()
			return o.ask("GET", "/aspsps", "")
		},
	},
	{
		code: openbanking.UntrustedPaymentParty, when: "The application is limited to own accounts, and the payment goes from or to another one.",
		how: "Limit the application to own accounts in the control panel, link one, and pay to another one.",
		provoke: func(o *occasions) answered {
			d, id := o.limited()
			d.link(id)
			defer o.as(id)()
			return o.pay(nil)
		},
	},
	{
		code: openbanking.WebhookURINotAllowed, when: "The origin of `webhook_url` is not one of the application's.",
		how: "`POST /payments` with a `webhook_url` elsewhere.",
		provoke: func(o *occasions) answered {
			return o.pay(func(r *openbanking.CreatePaymentRequest) { r.WebhookURL = new("https://elsewhere.example/") })
		},
	},
	{
		openbanking.WrongASPSPProvided, "There is no bank with this name in this country.", "`POST /auth` for a bank that `GET /aspsps` does not list.",
		func(o *occasions) answered {
			return o.auth(func(r *openbanking.StartAuthorizationRequest) { r.ASPSP.Name = "No such bank" })
		},
	},
	{
		openbanking.WrongAuthorizationCode, "The code is unknown, or was given to another application.", "`POST /sessions` with any text as code.",
		func(o *occasions) answered { return o.ask("POST", "/sessions", body("code", "none")) },
	},
	{
		openbanking.WrongContinuationKey, "The key was not made for this listing.", "`GET …/transactions?continuation_key=none`.",
		func(o *occasions) answered { return o.transactions("continuation_key=none") },
	},
	{
		openbanking.WrongCredentialsProvided, "A credential of `POST /auth` is missing, unknown, or does not fit its template.",
		"`POST /auth` at " + embeddedBank.Name + " with `auth_method` `direct` and half of its credentials.",
		func(o *occasions) answered {
			method := "direct"
			return o.auth(func(r *openbanking.StartAuthorizationRequest) {
				r.ASPSP, r.AuthMethod, r.Credentials = embeddedBank, &method, map[string]string{"userId": "auguste"}
			})
		},
	},
	{
		openbanking.WrongDateInterval, "`date_from` lies after `date_to`.", "`GET …/transactions` with the two exchanged.",
		func(o *occasions) answered { return o.transactions("date_from=" + o.day(-1) + "&date_to=" + o.day(-2)) },
	},
	{
		openbanking.WrongRequestParameters, "A field or parameter is missing, has a wrong type or an unknown value, or breaks a rule. `detail.message` names it.",
		"`GET /aspsps?country=fi`.",
		func(o *occasions) answered { return o.ask("GET", "/aspsps?country=fi", "") },
	},
	{
		openbanking.WrongSessionStatus, "The authorisation is not completed: there is no session yet to end.",
		"`DELETE /sessions/{authorization_id}` before the person is back.",
		func(o *occasions) answered {
			started := into[openbanking.StartAuthorizationResponse](o.t, o.auth(nil))
			return o.ask("DELETE", "/sessions/"+started.AuthorizationID, "")
		},
	},
	{
		openbanking.WrongTransactionsPeriod, "The bank does not go back so far, or not in one call. `detail` may name the earliest day as `date_from`.",
		"Scenario `period-90-days`: a `date_from` 120 days ago.",
		func(o *occasions) answered { return o.read("period-90-days", "transactions?date_from="+o.day(-120)) },
	},
}

// withoutCode are the answers that are no success and have no code.
var withoutCode = [][2]string{
	{"403 Application is not active", "The application is pending or paused. `GET /application` still works."},
	{"404 Not Found", "There is no such path."},
	{"405 Method Not Allowed", "The path exists, with the methods in `Allow`."},
	{"429 Too many requests", "The application made more requests a minute than the service allows (`--service-rate-limit`), or sent too many large bodies at once; `detail` says which, `Retry-After` when to come back."},
	{"500 Internal Server Error", "A fault of the service. Its log has the cause, under the `x-request-id` of the answer."},
}

// occasions is a service at which the codes are met.
type occasions struct {
	*service
	read func(scenario, path string) answered // of the first account of the user with the scenario
}

// TestErrorCodes: every error code can be met at a simulated bank or by a setting, over HTTP, and comes with its status in an
// ErrorResponse (spec: Errors).
func TestErrorCodes(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Each)
	o := &occasions{service: run(t, "Ledger", "")}
	o.at(friday)
	met := map[string]openbanking.AuthorizeSessionResponse{}
	o.read = func(scenario, path string) answered {
		session, ok := met[scenario]
		if !ok {
			session = o.meet(scenario)
			met[scenario] = session
		}
		return o.ask("GET", "/accounts/"+*session.Accounts[0].UID+"/"+path, "")
	}
	statuses := map[int]bool{}
	for _, occasion := range errorOccasions {
		statuses[occasion.code.Status()] = true
		t.Run(string(occasion.code), func(t *testing.T) {
			defer o.during(t)()
			refusal(t, occasion.provoke(o), occasion.code.Status(), occasion.code, "")
			if again, ok := atPayments[occasion.code]; ok {
				refusal(t, again(o), occasion.code.Status(), occasion.code, "")
			}
		})
	}
	for _, status := range []int{400, 401, 403, 404, 408, 422, 429} { // 500 has no code
		if !statuses[status] {
			t.Errorf("no code has the status %d", status)
		}
	}
}

// INVALID_PAYMENT: the page of a payment that nobody approved in time shows it, and that of a payment that there is not
// (api-notes 8). Who asks for JSON rather than for a page gets an ErrorResponse.
func TestInvalidPayment(t *testing.T) {
	s := run(t, "Ledger", "")
	id, start := s.order(mockBank, nil)
	s.clock.Advance(31 * time.Minute)
	for address, status := range map[string]int{start: http.StatusGone, strings.ReplaceAll(start, id, unknownID): http.StatusNotFound} {
		if page := open(t, walk.New(nil), address); page.Status != status ||
			!strings.Contains(page.Body, "<code class=\"any\">"+string(openbanking.InvalidPayment)+"</code>") {
			t.Errorf("status %d, want %d: %s", page.Status, status, page.Body)
		}
	}
	s.client = http.DefaultClient // pages follow no description
	for _, path := range []string{strings.TrimPrefix(start, s.url), "/pis/start?payment_id=" + unknownID} {
		for accept, program := range map[string]bool{
			"application/json": true, "application/json, text/plain, */*": true, "application/json;q=0.9, text/html;q=0.1": true,
			"text/html,application/xhtml+xml,*/*;q=0.8": false, "*/*": false, "text/html, application/json": false, "image/png": false,
		} {
			got := s.get(path, http.Header{"Accept": {accept}})
			if program {
				refusal(t, got, 422, openbanking.InvalidPayment, "null")
			} else if !strings.HasPrefix(got.text, "<!doctype html>") {
				t.Errorf("Accept %q: %d %s", accept, got.status, got.text)
			}
		}
	}
	session := s.begin(openbanking.ASPSPData{Name: mockBank.Name, Country: mockBank.Country}, "s", callback)
	s.clock.Advance(31 * time.Minute)
	if page := open(t, walk.New(nil), session); page.Status != http.StatusGone || strings.Contains(page.Body, string(openbanking.InvalidPayment)) {
		t.Errorf("the page of an access to accounts: %d %s", page.Status, page.Body)
	}
}

// docs/errors.md is written from the table above.
// After a change: go test ./internal/aggregator/server -run ErrorDocumentation -update
func TestErrorDocumentation(t *testing.T) {
	codes := openbanking.ErrorCode("").Values()
	for i, occasion := range errorOccasions {
		if i >= len(codes) || occasion.code != codes[i] {
			t.Fatalf("row %d is %s; the table has every code in the order of the specification", i, occasion.code)
		}
	}
	if len(errorOccasions) != len(codes) {
		t.Fatalf("%d rows for %d codes", len(errorOccasions), len(codes))
	}
	want := errorDocumentation()
	const file = "../../../docs/errors.md"
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/errors.md is not up to date: run make generate")
	}
}

func errorDocumentation() []byte {
	var b bytes.Buffer
	b.WriteString("# Error codes\n\n" +
		"Every answer that is no success has the body `{\"code\", \"message\", \"error\", \"detail\"}`. Compare `error`, never `message`; `detail` may be anything, also what a bank\n" +
		"said. This page is written from the table that `TestErrorCodes` in `internal/aggregator/server` goes through: each code is met there over HTTP, as it is\n" +
		"described here. The scenarios are users of the simulated banks, see [sandbox.md](sandbox.md).\n\n" +
		"| Code | Status | Message | Test |\n|---|---|---|---|\n")
	for _, o := range errorOccasions {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %d | %s | %s |\n", o.code, strings.ToLower(string(o.code)), o.code.Status(), o.code.Message(), testOf(o))
	}
	meanings := specification.Read().ErrorCodes
	for _, o := range errorOccasions {
		fmt.Fprintf(&b, "\n## %s\n\nStatus %d, “%s”. The specification: %s.\n\n- **When:** %s\n- **To meet it:** %s\n- **Test:** %s\n",
			o.code, o.code.Status(), o.code.Message(), meanings[string(o.code)], o.when, o.how, testOf(o))
	}
	b.WriteString("\n## Without a code\n\n| Answer | When |\n|---|---|\n")
	for _, row := range withoutCode {
		fmt.Fprintf(&b, "| %s | %s |\n", row[0], row[1])
	}
	return b.Bytes()
}

func testOf(o occasion) string {
	return "`TestErrorCodes/" + string(o.code) + "`"
}

// ask sends a request as it is. headers are pairs of name and value; an empty value leaves a header out.
func (o *occasions) ask(method, path, body string, headers ...string) answered {
	o.t.Helper()
	request, err := http.NewRequestWithContext(o.t.Context(), method, o.url+path, strings.NewReader(body))
	if err != nil {
		o.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+o.token)
	for i := 0; i < len(headers); i += 2 {
		switch {
		case headers[i] == "Host":
			request.Host = headers[i+1]
		case headers[i+1] == "":
			request.Header.Del(headers[i])
		default:
			request.Header.Set(headers[i], headers[i+1])
		}
	}
	response, err := o.client.Do(request)
	if err != nil {
		o.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		o.t.Fatal(err)
	}
	return answered{response.StatusCode, string(text)}
}

// auth sends a POST /auth for the Mock ASPSP, changed by change.
func (o *occasions) auth(change func(*openbanking.StartAuthorizationRequest)) answered {
	o.t.Helper()
	request := openbanking.StartAuthorizationRequest{
		Access:      openbanking.Access{ValidUntil: openbanking.DateTime{Time: o.clock.Now().Add(24 * time.Hour)}},
		ASPSP:       openbanking.ASPSP{Name: "Mock ASPSP", Country: "FI"},
		State:       "the state",
		RedirectURL: callback,
	}
	if change != nil {
		change(&request)
	}
	data, err := json.Marshal(request)
	if err != nil {
		o.t.Fatal(err)
	}
	return o.ask("POST", "/auth", string(data))
}

// pay sends a POST /payments for a Mock ASPSP, changed by change.
func (o *occasions) pay(change func(*openbanking.CreatePaymentRequest)) answered {
	o.t.Helper()
	request := openbanking.CreatePaymentRequest{
		PaymentType: openbanking.PaymentTypeSEPA,
		PaymentRequest: openbanking.PaymentRequestResource{CreditTransferTransaction: []openbanking.CreditTransferTransaction{transfer("12.50",
			"Verein Lindenhof", payee)}},
		ASPSP:       mockBank,
		State:       "the state",
		RedirectURL: callback,
		PSUType:     openbanking.PSUTypePersonal,
	}
	if change != nil {
		change(&request)
	}
	data, err := json.Marshal(request)
	if err != nil {
		o.t.Fatal(err)
	}
	return o.ask("POST", "/payments", string(data))
}

// code walks to a code.
func (o *occasions) code(change func(*openbanking.StartAuthorizationRequest)) string {
	o.t.Helper()
	started := into[openbanking.StartAuthorizationResponse](o.t, o.auth(change))
	back := must[*url.URL](o.t)(walk.New(nil).Approve(o.t.Context(), started.URL, walk.Person{}))
	return back.Query().Get("code")
}

// link walks to a session.
func (o *occasions) link(change func(*openbanking.StartAuthorizationRequest)) openbanking.AuthorizeSessionResponse {
	o.t.Helper()
	return into[openbanking.AuthorizeSessionResponse](o.t, o.ask("POST", "/sessions", body("code", o.code(change))))
}

// account is an account of a new session.
func (o *occasions) account() string { return *o.link(nil).Accounts[0].UID }

// transactions lists those of an account at the Mock ASPSP.
func (o *occasions) transactions(query string) answered {
	return o.ask("GET", "/accounts/"+o.account()+"/transactions?"+query, "")
}

// day is so many days after today.
func (o *occasions) day(n int) string {
	return string(openbanking.DateOf(o.clock.Now().AddDate(0, 0, n)))
}

func (o *occasions) banks() []openbanking.ASPSPData {
	return into[openbanking.ASPSPsResponse](o.t, o.ask("GET", "/aspsps?psu_type=personal", "")).ASPSPs
}

// limited registers an application of the sandbox that is limited to own accounts, of which it has none yet.
func (o *occasions) limited() (d developer, id string) {
	o.t.Helper()
	d = o.developer()
	id = d.register(nil)
	d.set(id, url.Values{"restricted": {"yes"}})
	return d, id
}

// body is a JSON object of texts.
func body(pairs ...string) string {
	object := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		object[pairs[i]] = pairs[i+1]
	}
	data, err := json.Marshal(object)
	if err != nil {
		panic(err) // texts
	}
	return string(data)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
