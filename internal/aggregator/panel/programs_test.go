package panel_test

import (
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/aggregator/server"
	"florin/internal/apptoken"
	"florin/internal/contract/walk"
)

// bearerForm sends a form with a bearer token.
func (s *service) bearerForm(token, path string, fields url.Values) answer {
	s.t.Helper()
	request := must[*http.Request](s.t)(http.NewRequestWithContext(s.t.Context(), "POST", s.url+path, strings.NewReader(fields.Encode())))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return s.do(request)
}

// program signs a program in as a developer and returns its id token.
func (s *service) program(email string) string {
	s.t.Helper()
	got := s.idToken(email)
	token, _ := got.body["idToken"].(string)
	if token == "" {
		s.t.Fatal(got.raw)
	}
	return token
}

// message is the text of an error of the panel's API, empty where the body has another form.
func (a answer) message() string {
	text, _ := a.body["error"].(map[string]any)
	if len(a.body) != 1 || len(text) != 1 {
		return ""
	}
	message, _ := text["message"].(string)
	return message
}

var applicationKeys = []string{
	"active", "certificate", "consent_origins", "created", "creator", "description", "environment", "gdpr_email", "kid", "name", "pendingActionType",
	"privacy_url", "redirect_urls", "services", "terms_url", "webhook_origins", "whitelisted_accounts",
}

func keysOf(object map[string]any) []string {
	var names []string
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// api-notes 3: a program sees, links and deletes the applications of its developer.
func TestApplicationsOverTheAPI(t *testing.T) {
	s := run(t)
	ada := s.developer("ada@dev.example")
	fields := url.Values{"webhook_origins": {"https://app.example"}}
	for name, values := range production {
		fields[name] = values
	}
	id := s.upload(ada, fields)
	mine := s.program("ada@dev.example")

	var list []map[string]any
	listed := s.call(mine, "GET", "/api/applications", nil)
	if err := json.Unmarshal([]byte(listed.raw), &list); err != nil || listed.status != 200 || len(list) != 1 {
		t.Fatalf("GET /api/applications: %d %s", listed.status, listed.raw)
	}
	one := s.call(mine, "GET", "/api/application/"+id, nil)
	if one.status != 200 || !slices.Equal(keysOf(one.body), applicationKeys) {
		t.Fatalf("GET /api/application/{id}: %d %s", one.status, one.raw)
	}
	if a, b := must[[]byte](t)(json.Marshal(list[0])), must[[]byte](t)(json.Marshal(one.body)); string(a) != string(b) {
		t.Errorf("the list has %s, the application is %s", a, b)
	}
	for name, want := range map[string]any{
		"name": "Ledger", "description": "A book of accounts", "privacy_url": "https://app.example/privacy", "terms_url": "https://app.example/terms",
		"gdpr_email": "dpo@app.example", "kid": id, "environment": "PRODUCTION", "active": false, "pendingActionType": "ACTIVATION",
	} {
		if one.body[name] != want {
			t.Errorf("%s is %v, want %v", name, one.body[name], want)
		}
	}
	for name, want := range map[string]string{
		"redirect_urls": `["` + callback + `"]`, "services": `["AIS"]`, "webhook_origins": `["https://app.example"]`, "consent_origins": `[]`,
		"whitelisted_accounts": `[]`, "creator": `{"email":"ada@dev.example"}`,
	} {
		if got := must[[]byte](t)(json.Marshal(one.body[name])); string(got) != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if created, _ := one.body["created"].(string); !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`).MatchString(created) {
		t.Errorf("created is %q", created)
	}
	certificate := one.body["certificate"].(map[string]any)
	jwk := certificate["jwk"].(map[string]any)
	number := func(name string) *big.Int {
		return new(big.Int).SetBytes(must[[]byte](t)(base64.RawURLEncoding.DecodeString(jwk[name].(string))))
	}
	registered := must[*rsa.PublicKey](t)(apptoken.ParsePublic([]byte(firstKey().certificate)))
	if shown := (&rsa.PublicKey{N: number("n"),
		E: int(number("e").Int64())}); strings.TrimSpace(certificate["source"].(string)) != strings.TrimSpace(firstKey().certificate) || !shown.Equal(registered) ||
		jwk["kty"] != "RSA" || jwk["alg"] != "RS256" || jwk["use"] != "sig" || jwk["kid"] != id {
		t.Errorf("certificate %v", certificate)
	}

	// Linking own accounts, which activates the application.
	link := url.Values{"country": {"FI"}, "aspsp": {"Mock ASPSP"}, "appId": {id}, "psuType": {"personal"}, "redirectUrl": {callback}}
	started := s.bearerForm(mine, "/api/link_accounts", link)
	authorization, _ := started.body["authorization_id"].(string)
	if hash, _ := started.body["psu_id_hash"].(string); started.status != 200 || len(started.body) != 3 || authorization == "" || len(hash) != 64 {
		t.Fatalf("POST /api/link_accounts: %d %s", started.status, started.raw)
	}
	start := must[*walk.Page](t)(walk.New(nil).Open(t.Context(), started.body["url"].(string)))
	if !strings.Contains(start.Body, "ada@dev.example") {
		t.Error("the consent page does not say whose accounts they will be")
	}
	back := must[*url.URL](t)(walk.New(nil).Approve(t.Context(), started.body["url"].(string), walk.Person{}))
	if !strings.HasPrefix(back.String(), callback+"?") || back.Query().Get("authorization_id") != authorization || back.Query().Has("code") {
		t.Fatalf("back at %s", back)
	}
	one = s.call(mine, "GET", "/api/application/"+id, nil)
	accounts, _ := one.body["whitelisted_accounts"].([]any)
	if one.body["active"] != true || one.body["pendingActionType"] != nil || len(accounts) == 0 {
		t.Fatalf("after linking: %s", one.raw)
	}
	account := accounts[0].(map[string]any)
	hash, _ := account["identification_hash"].(string)
	if got := must[[]byte](t)(json.Marshal(account["linker"])); !slices.Equal(keysOf(account),
		[]string{"aspsp", "created", "identification_hash", "linker", "title"}) ||
		string(got) != `{"email":"ada@dev.example"}` || account["title"] == "" || hash == "" || account["aspsp"].(map[string]any)["name"] != "Mock ASPSP" {
		t.Errorf("a linked account: %v", account)
	}
	session := s.session(firstKey().token(t, id))
	if got, _ := session.body["accounts"].([]any); len(got) != len(accounts) {
		t.Errorf("a session has %d accounts, want the %d that are linked", len(got), len(accounts))
	}

	unlink := url.Values{"appId": {id}, "identificationHash": {hash}}
	if got := s.bearerForm(mine, "/api/unlink_accounts", unlink); got.status != 200 {
		t.Errorf("POST /api/unlink_accounts: %d %s", got.status, got.raw)
	}
	if got := s.bearerForm(mine, "/api/unlink_accounts", unlink); got.status != 404 || got.message() == "" {
		t.Errorf("once more: %d %s", got.status, got.raw)
	}
	if rest, _ := s.call(mine, "GET", "/api/application/"+id, nil).body["whitelisted_accounts"].([]any); len(rest) != len(accounts)-1 {
		t.Errorf("%d accounts are left of %d", len(rest), len(accounts))
	}

	if got := s.call(mine, "DELETE", "/api/applications/", map[string]any{"appId": id}); got.status != 200 {
		t.Errorf("DELETE /api/applications/: %d %s", got.status, got.raw)
	}
	if got := s.call(mine, "GET", "/api/application/"+id, nil); got.status != 404 || got.message() == "" {
		t.Errorf("the deleted application: %d %s", got.status, got.raw)
	}
	if got := s.call(mine, "GET", "/api/applications", nil); got.raw != "[]\n" {
		t.Errorf("the list after that: %s", got.raw)
	}
	if got := s.call(firstKey().token(t, id), "GET", "/application", nil); got.status != 401 {
		t.Errorf("a token of the deleted application: %d", got.status)
	}
}

// A key that was replaced is not the one that is shown.
func TestTheNewestKeyIsShown(t *testing.T) {
	s := run(t)
	ada := s.developer("ada@dev.example")
	id, mine := s.upload(ada, nil), s.program("ada@dev.example")
	shown := func() string {
		return strings.TrimSpace(s.call(mine, "GET", "/api/application/"+id, nil).body["certificate"].(map[string]any)["source"].(string))
	}
	s.clock.Advance(time.Second)
	s.post(ada, "/panel/applications/"+id+"/keys", url.Values{"way": {"upload"}, "certificate": {secondKey().certificate}}, 200)
	if shown() != strings.TrimSpace(secondKey().certificate) {
		t.Error("with two keys the older one is shown")
	}
	keys := regexp.MustCompile(`/keys/([0-9a-f-]{36})/end`).FindAllStringSubmatch(s.page(ada, "/panel/applications/"+id+"/keys", 200).Body, -1)
	if len(keys) != 2 {
		t.Fatalf("%d keys can be ended", len(keys))
	}
	s.post(ada, "/panel/applications/"+id+"/keys/"+keys[1][1]+"/end", nil, 200) // the newer one stands second
	if shown() != strings.TrimSpace(firstKey().certificate) {
		t.Error("the key that was ended is shown")
	}
}

// security T14: what belongs to another developer, or to the operator, is not there for a program either.
func TestApplicationsOfOthersOverTheAPI(t *testing.T) {
	s := run(t)
	ada := s.developer("ada@dev.example")
	id := s.upload(ada, nil)
	token := firstKey().token(t, id)
	mine, eve := s.program("ada@dev.example"), s.program("eve@dev.example")
	operator := must[string](t)(s.server.OperatorToken())
	registered := s.call(operator, "POST", "/api/applications", map[string]any{
		"certificate": secondKey().certificate, "environment": "SANDBOX", "name": "The operator's", "redirect_urls": []string{callback},
	})
	operators, _ := registered.body["app_id"].(string)
	if registered.status != 200 {
		t.Fatal(registered.raw)
	}
	s.linkMock(ada, id)
	hash := s.call(mine, "GET", "/api/application/"+id, nil).body["whitelisted_accounts"].([]any)[0].(map[string]any)["identification_hash"].(string)
	calls := map[string]func(bearer, id string) answer{
		"GET /api/application/{id}": func(bearer, id string) answer { return s.call(bearer, "GET", "/api/application/"+id, nil) },
		"DELETE /api/applications/": func(bearer, id string) answer {
			return s.call(bearer, "DELETE", "/api/applications/", map[string]any{"appId": id})
		},
		"POST /api/link_accounts": func(bearer, id string) answer {
			return s.bearerForm(bearer, "/api/link_accounts", url.Values{"country": {"FI"}, "aspsp": {"Mock ASPSP"}, "appId": {id}, "psuType": {"personal"}})
		},
		"POST /api/unlink_accounts": func(bearer, id string) answer {
			return s.bearerForm(bearer, "/api/unlink_accounts", url.Values{"appId": {id}, "identificationHash": {hash}})
		},
		"GET /api/requests":        func(bearer, id string) answer { return s.call(bearer, "GET", "/api/requests?appId="+id, nil) },
		"GET /api/applications":    func(bearer, _ string) answer { return s.call(bearer, "GET", "/api/applications", nil) },
		"GET /api/requestLogs":     func(bearer, _ string) answer { return s.call(bearer, "GET", "/api/requestLogs?requestId=x", nil) },
		"GET /api/get_today_stats": func(bearer, _ string) answer { return s.call(bearer, "GET", "/api/get_today_stats", nil) },
	}
	for name, call := range calls {
		for whose, bearer := range map[string]string{"no token": "", "an application": token, "the operator": operator, "nonsense": "x.y.z"} {
			if got := call(bearer, id); got.status != 401 || got.message() != "Unauthorized" {
				t.Errorf("%s with %s: %d %s", name, whose, got.status, got.raw)
			}
		}
		if name == "GET /api/applications" || name == "GET /api/requestLogs" || name == "GET /api/get_today_stats" {
			if got := call(eve, ""); got.status != 200 || strings.Contains(got.raw, id) || strings.Contains(got.raw, operators) {
				t.Errorf("%s of another developer: %d %s", name, got.status, got.raw)
			}
			continue
		}
		for whose, id := range map[string]string{"another's": id, "the operator's": operators, "nobody's": "00000000-0000-4000-8000-000000000000", "no": "x"} {
			got := call(eve, id)
			if got.status != 404 || !strings.HasPrefix(got.message(), "You have no application with this ") {
				t.Errorf("%s for %s application: %d %s", name, whose, got.status, got.raw)
			}
		}
		if name != "GET /api/requests" && name != "GET /api/application/{id}" {
			if got := call(mine, operators); got.status != 404 {
				t.Errorf("%s for the operator's application: %d %s", name, got.status, got.raw)
			}
		}
	}
	got := s.call(mine, "GET", "/api/application/"+id, nil)
	if accounts, _ := got.body["whitelisted_accounts"].([]any); got.status != 200 || len(accounts) == 0 {
		t.Errorf("after all that: %d %s", got.status, got.raw)
	}
	if got := s.call(token, "GET", "/application", nil); got.status != 200 {
		t.Errorf("after all that a token of the application: %d", got.status)
	}

	// The id token is for the header alone: a cookie signs nobody in here, so no other site can make a browser call.
	request := must[*http.Request](t)(http.NewRequestWithContext(t.Context(), "GET", s.url+"/api/applications", nil))
	request.AddCookie(&http.Cookie{Name: "florin-panel", Value: mine})
	if got := s.do(request); got.status != 401 {
		t.Errorf("with a cookie: %d", got.status)
	}
	if page := must[*walk.Page](t)(ada.Open(t.Context(), s.url+"/api/applications")); page.Status != 401 {
		t.Errorf("in the browser of the developer: %d", page.Status)
	}
}

// What is wrong with a call about an application is said in the panel's form, and so is that there is no such call.
func TestErrorsOfThePanelAPI(t *testing.T) {
	s := run(t)
	ada := s.developer("ada@dev.example")
	id, mine := s.upload(ada, nil), s.program("ada@dev.example")
	link := func(change url.Values) answer {
		fields := url.Values{"country": {"FI"}, "aspsp": {"Mock ASPSP"}, "appId": {id}, "psuType": {"personal"}, "redirectUrl": {callback}}
		for name, values := range change {
			fields[name] = values
		}
		return s.bearerForm(mine, "/api/link_accounts", fields)
	}
	for name, tt := range map[string]struct {
		got    answer
		status int
		text   string
	}{
		"a path that there is not": {s.call(mine, "GET", "/api/nothing", nil), 404, "Not Found"},
		"the API's own path":       {s.call("", "GET", "/api", nil), 404, "Not Found"},
		"a path with two slashes":  {s.call("", "GET", "/api//applications", nil), 404, "Not Found"},
		"another method":           {s.call(mine, "PATCH", "/api/applications", nil), 405, "Method Not Allowed"},
		"another method of a link": {s.call("", "GET", "/api/link_accounts", nil), 405, "Method Not Allowed"},
		"DELETE without a body":    {s.call(mine, "DELETE", "/api/applications/", nil), 422, "body is empty"},
		"DELETE without an id":     {s.call(mine, "DELETE", "/api/applications/", map[string]any{}), 422, "appId is missing"},
		"a stranger's body of 9 kB": {s.call("", "POST", "/api/relyingparty/getOobConfirmationCode", map[string]any{"x": strings.Repeat("x", 9<<10)}), 422,
			"body is larger than 8192 bytes"},
		"DELETE below":                  {s.call(mine, "DELETE", "/api/applications/"+id, nil), 404, "Not Found"},
		"link without form":             {s.call(mine, "POST", "/api/link_accounts", map[string]any{"appId": id}), 422, "x-www-form-urlencoded"},
		"link without application":      {link(url.Values{"appId": nil}), 422, "appId is missing"},
		"link without bank":             {link(url.Values{"aspsp": nil}), 422, "aspsp is missing"},
		"link at a bank there is not":   {link(url.Values{"aspsp": {"No bank"}}), 422, "Wrong ASPSP name provided"},
		"link as nobody":                {link(url.Values{"psuType": {"robot"}}), 422, "psuType must be one of"},
		"link and back to a stranger":   {link(url.Values{"redirectUrl": {"https://evil.example/"}}), 400, "Redirect URI not allowed"},
		"link and back to another page": {link(url.Values{"redirectUrl": {callback + "/x"}}), 400, "Redirect URI not allowed"},
		"unlink without account":        {s.bearerForm(mine, "/api/unlink_accounts", url.Values{"appId": {id}}), 422, "identificationHash is missing"},
		"unlink of what is not linked": {s.bearerForm(mine, "/api/unlink_accounts", url.Values{"appId": {id}, "identificationHash": {"x"}}), 404,
			"No account with this identificationHash"},
	} {
		if tt.got.status != tt.status || !strings.Contains(tt.got.message(), tt.text) {
			t.Errorf("%s: %d %s, want %d %s", name, tt.got.status, tt.got.raw, tt.status, tt.text)
		}
	}
	if got := s.call(mine, "PATCH", "/api/applications", nil); got.header.Get("Allow") != "GET, POST" {
		t.Errorf("Allow is %q", got.header.Get("Allow"))
	}
	if got := s.call("", "GET", "/nothing", nil); got.message() != "" {
		t.Errorf("elsewhere: %s", got.raw)
	}
	// Refused on the hosted pages: back with an error, and nothing is linked.
	started := link(nil)
	back := must[*url.URL](t)(walk.New(nil).Cancel(t.Context(), started.body["url"].(string)))
	if back.Query().Get("error") != "access_denied" || !strings.HasPrefix(back.String(), callback) {
		t.Errorf("declined, and back at %s", back)
	}
	if accounts, _ := s.call(mine, "GET", "/api/application/"+id, nil).body["whitelisted_accounts"].([]any); len(accounts) != 0 {
		t.Error("declined, and linked all the same")
	}
}

// A sign-in link signs in whoever gets it, so it leads only to addresses that are registered for it.
func TestSignInLinksLeadToRegisteredAddresses(t *testing.T) {
	s := run(t, func(o *server.Options) { o.ContinueURLs = []string{"http://localhost:7777/cli?a=b"} })
	for target, status := range map[string]int{
		"http://localhost:7777/cli?a=b": 200, s.url + "/panel/sign-in": 200,
		"http://localhost:7777/cli": 422, "http://localhost:7777/cli?a=b&c=d": 422, "http://localhost:7778/cli?a=b": 422, "http://127.0.0.1:7777/cli?a=b": 422,
		"http://localhost:7777/cli?a=b#c": 422, s.url + "/": 422, s.url + "/panel/sign-in?next=x": 422, "https://evil.example/": 422, "http://localhost:1/": 422,
	} {
		got := s.call("", "POST", "/api/relyingparty/getOobConfirmationCode", map[string]any{
			"requestType": "EMAIL_SIGNIN", "email": "ada" + strings.Repeat("a", len(target)) + "@dev.example", "continueUrl": target, "canHandleCodeInApp": true,
		})
		if got.status != status || status == 422 && !strings.Contains(got.message(), "continueUrl is not registered") {
			t.Errorf("%s: %d %s, want %d", target, got.status, got.raw, status)
		}
	}
}
