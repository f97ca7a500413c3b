package api_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"florin/internal/aggregator/banktest"
	"florin/internal/openbanking"
)

// banks of these tests have one visible method, one that takes credentials, and no business customers.
func methods(b *banktest.Bank) {
	web, card, digits, title := "web", "card", `^\d{4}$`, "Sign in"
	b.Data.PSUTypes = []openbanking.PSUType{openbanking.PSUTypePersonal}
	b.Data.AuthMethods = []openbanking.AuthMethod{
		{Name: &web, Title: &title, PSUType: openbanking.PSUTypePersonal, Approach: openbanking.AuthenticationApproachRedirect},
		{Name: &card, PSUType: openbanking.PSUTypePersonal, Approach: openbanking.AuthenticationApproachEmbedded,
			Credentials: []openbanking.Credential{{Name: "pin", Title: "PIN", Required: true, Template: &digits}}},
	}
}

// TestStartAuthorizationRules: every rule of the fields of POST /auth (spec: Sessions; api-notes 4).
func TestStartAuthorizationRules(t *testing.T) {
	t.Parallel()
	s := start(t, methods)
	const wrong = openbanking.WrongRequestParameters
	type m = map[string]any
	tests := []struct {
		name   string
		pairs  []any
		status int
		code   openbanking.ErrorCode
		detail string
	}{
		{"least", nil, 200, "", ""},
		{"unknown fields", []any{"extra", m{"a": 1}, "access.extra", 2}, 200, "", ""},
		{"optional fields null", []any{"psu_type", (*int)(nil), "auth_method", (*int)(nil), "credentials", (*int)(nil), "language", (*int)(nil), "psu_id",
			(*int)(nil), "access.accounts", (*int)(nil)}, 200, "", ""},
		{"optional fields empty", []any{"psu_type", "", "auth_method", "", "credentials", "", "credentials_autosubmit", "", "language", "", "psu_id", "",
			"access.accounts", "", "access.balances", "", "access.transactions", ""}, 200, "", ""},
		{"optional fields empty, as PHP writes them", []any{"credentials", []int{}, "access.accounts", []int{}}, 200, "", ""},
		{"empty credentials of a method", []any{"auth_method", "card", "credentials", m{"pin": ""}}, 200, "", ""},
		{"a credential of an array", []any{"auth_method", "card", "credentials", []string{"1234"}}, 422, wrong, "credentials must be an object"},
		{"required fields empty", []any{"aspsp", m{"name": "", "country": ""}}, 422, openbanking.WrongASPSPProvided, ""},
		{"access empty", []any{"access", ""}, 422, wrong, "access must be an object"},
		{"redirect empty", []any{"redirect_url", ""}, 400, openbanking.RedirectURINotAllowed, ""},
		{"account of empty members", []any{"access.accounts", []m{{"iban": "", "other": m{"identification": "", "scheme_name": ""}}}}, 422,
			openbanking.InvalidAccountID, "access.accounts[0]"},
		{"second account empty", []any{"access.accounts", []m{{"iban": "FI2112345600000785"}, {"iban": ""}}}, 422, openbanking.InvalidAccountID,
			"access.accounts[1]"},
		{"account that is an empty text", []any{"access.accounts", []any{""}}, 422, wrong, "access.accounts[0] must be an object"},
		{"everything", []any{"psu_type", "personal", "auth_method", "card", "credentials", m{"pin": "1234"}, "credentials_autosubmit", false, "language", "fi",
			"psu_id", "42", "access.balances", true, "access.transactions", false, "access.accounts", []m{{"iban": "FI2112345600000785"}}}, 200, "", ""},
		{"unknown bank", []any{"aspsp", m{"name": "Nobody", "country": "FI"}}, 422, openbanking.WrongASPSPProvided, ""},
		{"wrong country", []any{"aspsp", m{"name": "Northlight", "country": "SE"}}, 422, openbanking.WrongASPSPProvided, ""},
		{"bank in another case", []any{"aspsp", m{"name": "northlight", "country": "FI"}}, 422, openbanking.WrongASPSPProvided, ""},
		{"no bank", []any{"aspsp", nil}, 422, wrong, "aspsp is missing"},
		{"bank without country", []any{"aspsp", m{"name": "Northlight"}}, 422, wrong, "aspsp.country is missing"},
		{"redirect to another path", []any{"redirect_url", callback + "/"}, 400, openbanking.RedirectURINotAllowed, ""},
		{"redirect with a query", []any{"redirect_url", callback + "?next=1"}, 400, openbanking.RedirectURINotAllowed, ""},
		{"redirect in another case", []any{"redirect_url", strings.ToUpper(callback)}, 400, openbanking.RedirectURINotAllowed, ""},
		{"redirect elsewhere", []any{"redirect_url", "https://evil.example/callback"}, 400, openbanking.RedirectURINotAllowed, ""},
		{"redirect prefix", []any{"redirect_url", "https://app.example/"}, 400, openbanking.RedirectURINotAllowed, ""},
		{"no redirect", []any{"redirect_url", nil}, 422, wrong, "redirect_url is missing"},
		{"no state", []any{"state", nil}, 422, wrong, "state is missing"},
		{"state is a number", []any{"state", 7}, 422, wrong, "state must be a string"},
		{"state too long", []any{"state", strings.Repeat("x", 4097)}, 422, wrong, "state is longer"},
		{"state empty", []any{"state", ""}, 200, "", ""},
		{"unknown psu_type", []any{"psu_type", "corporate"}, 422, wrong, "psu_type must be one of business, personal"},
		{"psu_type not supported", []any{"psu_type", "business"}, 422, wrong, "psu_type is not supported"},
		{"unknown auth_method", []any{"auth_method", "fax"}, 422, wrong, "auth_method is not one"},
		{"credentials alone", []any{"credentials", m{"pin": "1234"}}, 422, wrong, "credentials may be given only together with auth_method"},
		{"empty credentials alone", []any{"credentials", m{}}, 200, "", ""},
		{"credentials the method does not take", []any{"auth_method", "web", "credentials", m{"pin": "1234"}}, 422, openbanking.WrongCredentialsProvided, "pin"},
		{"credentials of another form", []any{"auth_method", "card", "credentials", m{"pin": "12345"}}, 422, openbanking.WrongCredentialsProvided, "pin"},
		{"credential is a number", []any{"auth_method", "card", "credentials", m{"pin": 1234}}, 422, wrong, "credentials.pin must be a string"},
		{"language in capitals", []any{"language", "FI"}, 422, wrong, "language must be"},
		{"language of three letters", []any{"language", "fin"}, 422, wrong, "language must be"},
		{"language with a newline", []any{"language", "fi\n"}, 422, wrong, "language must be"},
		{"no access", []any{"access", nil}, 422, wrong, "access is missing"},
		{"access is an array", []any{"access", []int{}}, 422, wrong, "access must be an object"},
		{"balances is a text", []any{"access.balances", "true"}, 422, wrong, "access.balances must be true or false"},
		{"account without identification", []any{"access.accounts", []m{{}}}, 422, openbanking.InvalidAccountID, "access.accounts[0]"},
		{"account with an empty iban", []any{"access.accounts", []m{{"iban": ""}}}, 422, openbanking.InvalidAccountID, "access.accounts[0]"},
		{"account with wrong check digits", []any{"access.accounts", []m{{"iban": "FI2012345600000785"}}}, 422, wrong,
			"access.accounts[0].iban is not a valid IBAN. The check digits do not fit"},
		{"account with an IBAN that is too short", []any{"access.accounts", []m{{"iban": "FI2112345600000785"}, {"iban": "FI21 1234"}}}, 422, wrong,
			"access.accounts[1].iban is not a valid IBAN. A Finnish IBAN has 18 characters"},
		{"account with a Cyrillic letter", []any{"access.accounts", []m{{"iban": "F\u041621 1234 5600 0007 85"}}}, 422, wrong, "the Cyrillic letter"},
		{"account by other with an IBAN that is none",
			[]any{"access.accounts", []m{{"other": m{"identification": "FI2012345600000785", "scheme_name": "IBAN"}}}}, 422, wrong,
			"access.accounts[0].other.identification is not a valid IBAN"},
		{"account by other", []any{"access.accounts", []m{{"other": m{"identification": "1", "scheme_name": "BBAN"}}}}, 200, "", ""},
		{"account of an unknown scheme", []any{"access.accounts", []m{{"other": m{"identification": "1", "scheme_name": "XYZ"}}}}, 422, wrong,
			"access.accounts[0].other.scheme_name must be one of"},
		{"accounts is an object", []any{"access.accounts", m{}}, 422, wrong, "access.accounts must be an array"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := s.call("POST", "/auth", authRequest(tt.pairs...))
			if tt.status != 200 {
				wantError(t, got, tt.status, tt.code, tt.detail)
				return
			}
			want := "https://auth.service.example/ais/start?sessionid=" + got.text("authorization_id")
			if got.status != 200 || got.text("url") != want || !hex64.MatchString(got.text("psu_id_hash")) {
				t.Errorf("%d %s, want url %s", got.status, got.raw, want)
			}
		})
	}
}

var hex64 = regexp.MustCompile(`^[0-9a-f]{64}$`)

// TestValidUntilRules: the bounds and forms of access.valid_until, and how it is echoed (spec: Access; api-notes 4).
func TestValidUntilRules(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.bank.Data.MaximumConsentValidity = 3600
	const tooFar = "ASPSP does not support consent validity more than 3600 seconds in the future"
	now := time.Now().UTC().Truncate(time.Second)
	half := now.Add(30 * time.Minute)
	echo := half.Format("2006-01-02T15:04:05Z")
	tests := []struct {
		name, value, echo, message string
	}{
		{"Z", half.Format(time.RFC3339), echo, ""},
		{"milliseconds", half.Format("2006-01-02T15:04:05.000Z"), echo, ""},
		{"microseconds and an offset", half.Format("2006-01-02T15:04:05.000000") + "+00:00", echo, ""},
		{"a fraction is cut off", half.Add(999 * time.Millisecond).Format("2006-01-02T15:04:05.000Z"), echo, ""},
		{"space for T", half.Format("2006-01-02 15:04:05Z07:00"), echo, ""},
		{"an offset without a colon, as PHP and Python write it", half.Format("2006-01-02T15:04:05") + "+0000", echo, ""},
		{"another zone without a colon", half.In(time.FixedZone("", 5400)).Format("2006-01-02T15:04:05.000-0700"), echo, ""},
		{"no seconds, as Java writes it where they are zero", half.Truncate(time.Minute).Format("2006-01-02T15:04Z07:00"),
			half.Truncate(time.Minute).Format("2006-01-02T15:04:05Z"), ""},
		{"small letters", half.Format("2006-01-02t15:04:05z"), echo, ""},
		{"another zone", half.In(time.FixedZone("", -5*3600)).Format(time.RFC3339), echo, ""},
		{"the maximum", now.Add(time.Hour).Format(time.RFC3339), now.Add(time.Hour).Format("2006-01-02T15:04:05Z"), ""},
		{"beyond", now.Add(time.Hour + 2*time.Minute).Format(time.RFC3339), "", tooFar},
		{"far beyond", "9999-12-31T23:59:59Z", "", tooFar},
		{"past", now.Add(-time.Second).Format(time.RFC3339), "", "access.valid_until must be in the future"},
		{"long past", "0001-01-01T00:00:00Z", "", "access.valid_until must be in the future"},
		{"no offset", half.Format("2006-01-02T15:04:05"), "", "access.valid_until is not an RFC 3339 date-time"},
		{"a date", half.Format(time.DateOnly), "", "access.valid_until is not an RFC 3339 date-time"},
		{"words", "tomorrow", "", "access.valid_until is not an RFC 3339 date-time"},
		{"empty", "", "", "access.valid_until is not an RFC 3339 date-time"},
		{"the 30th of February", "2099-02-30T00:00:00Z", "", "access.valid_until is not an RFC 3339 date-time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.message != "" {
				got := s.call("POST", "/auth", authRequest("access.valid_until", tt.value))
				wantError(t, got, 422, openbanking.WrongRequestParameters, tt.message)
				if isTooFar := tt.message == tooFar; isTooFar != (got.text("message") == tooFar) || isTooFar != (got.body["detail"] == nil) {
					t.Errorf("%s", got.raw)
				}
				return
			}
			session := s.link("access.valid_until", tt.value)
			stored := s.call("GET", "/sessions/"+session.text("session_id"), "")
			if session.text("access.valid_until") != tt.echo || stored.text("access.valid_until") != tt.echo {
				t.Errorf("echoed %s and %s, want %s", session.text("access.valid_until"), stored.text("access.valid_until"), tt.echo)
			}
		})
	}
	missing := s.call("POST", "/auth", authRequest("access.valid_until", nil))
	wantError(t, missing, 422, openbanking.WrongRequestParameters, "access.valid_until is missing")
}

// TestValidUntilBeyondTheMaximum: the clock of a client may be ahead by up to a minute, and have milliseconds. The session shows what
// was granted: never more than the bank allows.
func TestValidUntilBeyondTheMaximum(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.bank.Data.MaximumConsentValidity = 3600
	for _, ahead := range []time.Duration{0, time.Millisecond, time.Second, 1234 * time.Millisecond, 55 * time.Second} {
		before := time.Now()
		asked := before.Add(time.Hour + ahead)
		session := s.link("access.valid_until", asked.UTC().Format("2006-01-02T15:04:05.000Z"))
		latest := time.Now().Add(time.Hour)
		stored := s.call("GET", "/sessions/"+session.text("session_id"), "")
		granted, err := time.Parse("2006-01-02T15:04:05Z", session.text("access.valid_until"))
		if err != nil || granted.After(latest) || granted.After(asked) || granted.Before(before.Add(time.Hour-time.Second)) {
			t.Errorf("%v ahead: asked until %v, granted %q, %v", ahead, asked, session.text("access.valid_until"), err)
		}
		if stored.text("access.valid_until") != session.text("access.valid_until") {
			t.Errorf("%v ahead: granted %q, later %q", ahead, session.text("access.valid_until"), stored.text("access.valid_until"))
		}
	}
}

// TestAccountNumbersOfAnAccess: however the numbers are spelt, they are asked for and shown as machines write them.
func TestAccountNumbersOfAnAccess(t *testing.T) {
	t.Parallel()
	s := start(t)
	type m = map[string]any
	for _, sent := range []string{"FI2112345600000785", "fi2112345600000785", "FI21 1234 5600 0007 85", " fi21-1234-5600-0007-85 "} {
		session := s.link("access.accounts", []m{{"iban": sent}, {"other": m{"identification": sent, "scheme_name": "IBAN"}},
			{"other": m{"identification": "1234 5600-000785", "scheme_name": "BBAN"}}})
		const want = `"accounts":[{"iban":"FI2112345600000785","other":null},{"iban":null,"other":{"identification":"FI2112345600000785","scheme_name":"IBAN","issuer":null}},{"iban":null,"other":{"identification":"12345600000785","scheme_name":"BBAN","issuer":null}}]`
		if !strings.Contains(session.raw, want) {
			t.Errorf("%q: %s", sent, session.raw)
		}
	}
}

// TestPSUIDHash: 64 hexadecimal characters over application and psu_id, equal in POST /auth and GET /sessions, random
// without a psu_id (spec: Session).
func TestPSUIDHash(t *testing.T) {
	t.Parallel()
	s := start(t)
	hash := func(pairs ...any) string { return s.call("POST", "/auth", authRequest(pairs...)).text("psu_id_hash") }
	anna := hash("psu_id", "anna")
	if !hex64.MatchString(anna) || anna != hash("psu_id", "anna") {
		t.Errorf("the hash of one psu_id is %q, then another", anna)
	}
	if somebody, another := hash(), hash(); anna == hash("psu_id", "bert") || somebody == another {
		t.Error("different PSUs have one hash")
	}
	code, started := s.authorize("psu_id", "anna")
	session := s.call("POST", "/sessions", `{"code":"`+code+`"}`)
	if got := s.call("GET", "/sessions/"+session.text("session_id"), "").text("psu_id_hash"); got != anna || got != started.text("psu_id_hash") {
		t.Errorf("GET /sessions shows %s, POST /auth %s", got, started.text("psu_id_hash"))
	}
	_, s.token = s.register(openbanking.EnvironmentSandbox)
	if hash("psu_id", "anna") == anna {
		t.Error("two applications share the hash of a psu_id")
	}
}

// TestRedirectToApplication: what the browser brings back (spec: Account information flow; api-notes 4).
func TestRedirectToApplication(t *testing.T) {
	t.Parallel()
	state := "a b&code=forged#" + string('\u20ac')
	tests := []struct {
		name string
		act  func(s *service, started answer) (string, error)
		want url.Values // without the code, which is random
		code bool
	}{
		{"approved", func(s *service, started answer) (string, error) {
			visit := s.visit(started)
			return s.engine.ReturnFromBank(t.Context(), visit, s.bank.Approve(visit), "", "")
		}, url.Values{"state": {state}}, true},
		{"denied on the consent page", func(s *service, started answer) (string, error) {
			return s.engine.Deny(t.Context(), started.text("authorization_id"))
		}, url.Values{"state": {state}, "error": {"access_denied"}, "error_description": {"Denied data sharing consent"}}, false},
		{"declined at the bank", func(s *service, started answer) (string, error) {
			return s.engine.ReturnFromBank(t.Context(), s.visit(started), "", "access_denied", "whatever the bank says")
		}, url.Values{"state": {state}, "error": {"access_denied"}, "error_description": {"Cancelled by user"}}, false},
		{"the bank fails", func(s *service, started answer) (string, error) {
			return s.engine.ReturnFromBank(t.Context(), s.visit(started), "", "server_error", "Fuera de\r\n servicio")
		}, url.Values{"state": {state}, "error": {"server_error"}, "error_description": {"Fuera de servicio"}}, false},
		{"the bank fails in silence", func(s *service, started answer) (string, error) {
			return s.engine.ReturnFromBank(t.Context(), s.visit(started), "", "invalid_request", "")
		}, url.Values{"state": {state}, "error": {"server_error"}}, false},
		{"a code that the bank did not give", func(s *service, started answer) (string, error) {
			return s.engine.ReturnFromBank(t.Context(), s.visit(started), "forged", "", "")
		}, url.Values{"state": {state}, "error": {"server_error"}}, false},
		{"back too late", func(s *service, started answer) (string, error) {
			visit := s.visit(started)
			s.clock.Advance(time.Hour)
			return s.engine.ReturnFromBank(t.Context(), visit, s.bank.Approve(visit), "", "")
		}, url.Values{"state": {state}, "error": {"server_error"}, "error_description": {"The authorisation was not completed in time"}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t)
			started := s.call("POST", "/auth", authRequest("state", state))
			back, err := tt.act(s, started)
			if err != nil {
				t.Fatal(err)
			}
			target, query, _ := strings.Cut(back, "?")
			got, err := url.ParseQuery(query)
			if err != nil || target != callback {
				t.Fatalf("back to %s: %v", back, err)
			}
			if got.Has("code") != tt.code {
				t.Errorf("code is %q", got.Get("code"))
			}
			got.Del("code")
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("back with %v, want %v", got, tt.want)
			}
		})
	}
}

// TestRedirectKeepsQuery: a registered redirect URL may have a query of its own, of which nothing remains that an application could
// take for an answer of the service (spec: Account information flow).
func TestRedirectKeepsQuery(t *testing.T) {
	t.Parallel()
	s := start(t)
	queries := map[string]string{ // registered, and what stays of it
		"?provider=1":                        "?provider=1&",
		"?provider=a%20b&x=%2B+&x=2&empty":   "?provider=a%20b&x=%2B+&x=2&empty&",
		"?":                                  "?",
		"?code=old":                          "?",
		"?code=old&provider=1&state=old":     "?provider=1&",
		"?error=none&error_description=none": "?",
		"?c%6Fde=old&Code=kept&code&code=":   "?Code=kept&",
		"?code[]=kept":                       "?code[]=kept&",
	}
	urls := []string{}
	for query := range queries {
		urls = append(urls, callback+query)
	}
	body, err := json.Marshal(map[string]any{"certificate": certificate(), "environment": "SANDBOX", "name": "N", "redirect_urls": urls})
	if err != nil {
		t.Fatal(err)
	}
	operator, err := s.registry.OperatorToken(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	id := s.call("POST", "/api/applications", string(body), "Authorization", "Bearer "+operator).text("app_id")
	s.token = forge(t, rs256, key(), id, nil, nil)
	for query, kept := range queries {
		denied, err := s.engine.Deny(t.Context(), s.call("POST", "/auth", authRequest("redirect_url", callback+query)).text("authorization_id"))
		if want := callback + kept + "error=access_denied&error_description=Denied+data+sharing+consent&state=state+of+the+application"; denied != want ||
			err != nil {
			t.Errorf("%s: back to %s, %v; want %s", query, denied, err, want)
		}
		started := s.call("POST", "/auth", authRequest("redirect_url", callback+query))
		approved, err := s.engine.ReturnFromBank(t.Context(), s.visit(started), s.bank.Approve(s.visit(started)), "", "")
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(approved)
		if err != nil || !strings.HasPrefix(approved, callback+kept+"code=") {
			t.Errorf("%s: back to %s, %v", query, approved, err)
			continue
		}
		values := u.Query()
		if len(values["code"]) != 1 || len(values["state"]) != 1 || values.Get("code") == "old" || values.Has("error") || values.Has("error_description") {
			t.Errorf("%s: back with %v", query, values)
		}
	}
}

// TestConsentRequest: what the bank is asked for; the consent is raised to the bank's minimum, the session is not (spec: Access).
func TestConsentRequest(t *testing.T) {
	t.Parallel()
	s := start(t, func(b *banktest.Bank) { b.Data.MinimumConsentValidity = 24 * time.Hour })
	soon := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	started := s.call("POST", "/auth", authRequest("access.valid_until", soon.Format(time.RFC3339), "access.balances", false, "psu_type", "business",
		"language", "fi"))
	before := time.Now()
	got := s.bank.Request(s.visit(started))
	if got.ValidUntil.Before(before.Add(24*time.Hour-time.Second)) || got.ValidUntil.After(time.Now().Add(24*time.Hour)) {
		t.Errorf("the bank is asked until %v, want its minimum of a day", got.ValidUntil)
	}
	if got.Balances || !got.Transactions || got.PSUType != openbanking.PSUTypeBusiness || got.Language != "fi" || got.ApplicationName != "Ledger" ||
		got.ReturnURL != "https://auth.service.example/ais/return" {
		t.Errorf("the bank is asked for %+v", got)
	}
	session := s.link("access.valid_until", soon.Format(time.RFC3339))
	if got := session.text("access.valid_until"); got != soon.Format(time.RFC3339) {
		t.Errorf("the session is valid until %s, want %v", got, soon)
	}
	s.clock.Advance(time.Hour)
	wantError(t, s.call("GET", "/accounts/"+uid(session)+"/balances", ""), 401, openbanking.ExpiredSession, "")
}
