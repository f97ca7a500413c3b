package panel_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/storage"
	"florin/internal/contract/walk"
)

var tableRow = regexp.MustCompile(`(?s)<tr><td.*?</tr>`)

// logRows returns the rows of the request log at an address, as text.
func (s *service) logRows(b *walk.Browser, path string) (rows []string, page *walk.Page) {
	s.t.Helper()
	page = s.page(b, path, 200)
	for _, row := range tableRow.FindAllString(page.Body, -1) {
		row = regexp.MustCompile(`(?s)<details>.*?</details>`).ReplaceAllString(row, "")
		text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(strings.ReplaceAll(row, "</td>", " | "), "")
		rows = append(rows, strings.Join(strings.Fields(text), " "))
	}
	return rows, page
}

// The log of an application holds what was called, by pattern, and never what was said.
func TestRequestLog(t *testing.T) {
	s := run(t)
	ada, eve := s.developer("ada@dev.example"), s.developer("eve@dev.example")
	id := s.upload(ada, nil)
	token := firstKey().token(t, id)
	path := "/panel/applications/" + id + "/requests"
	if rows, page := s.logRows(ada, path); len(rows) != 0 || !strings.Contains(page.Body, "There is no request yet.") {
		t.Errorf("before the first call: %q", rows)
	}
	s.call(token, "GET", "/aspsps?country=FI&secret=canary1", nil)
	s.call(token, "GET", "/aspsps?country=canary2", nil)
	session := s.session(token)
	uid := session.body["accounts"].([]any)[0].(map[string]any)["uid"].(string)
	balances := s.call(token, "GET", "/accounts/"+uid+"/balances", nil)
	s.call(token, "GET", "/accounts/canary3/balances", nil)
	s.call(token, "POST", "/sessions", map[string]any{"code": "canary4"})
	s.call("", "GET", "/aspsps", nil)

	rows, page := s.logRows(ada, path)
	want := []string{
		`POST /sessions | 422 | WRONG_AUTHORIZATION_CODE | |`,
		`GET /accounts/{account_id}/balances | 422 | WRONG_REQUEST_PARAMETERS | |`,
		`GET /accounts/{account_id}/balances | 200 | | Mock ASPSP, FI |`,
		`POST /sessions | 200 | | Mock ASPSP, FI |`,
		`POST /auth | 200 | | Mock ASPSP, FI |`,
		`GET /aspsps | 422 | WRONG_REQUEST_PARAMETERS | |`,
		`GET /aspsps | 200 | | |`,
	}
	if len(rows) != len(want) {
		t.Fatalf("%d rows:\n%s", len(rows), strings.Join(rows, "\n"))
	}
	for i, row := range rows {
		if !regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \| ` + regexp.QuoteMeta(want[i]) + ` [\d.]+ ms \| [0-9a-f]{32} \|$`).MatchString(row) {
			t.Errorf("row %d: %s, want %s", i, row, want[i])
		}
	}
	if calls := regexp.MustCompile(`<summary>Calls to the bank: 1</summary><ul><li>(\w+), [\d.]+ ms</li></ul>`).FindAllStringSubmatch(page.Body,
		-1); len(calls) != 2 ||
		calls[0][1] != "Balances" || calls[1][1] != "Accounts" {
		t.Errorf("calls to the bank: %q", calls)
	}
	for _, secret := range []string{"canary", uid, token} {
		if strings.Contains(page.Body, secret) {
			t.Errorf("the log shows %.10s", secret)
		}
	}
	requestID := balances.header.Get("X-Request-Id")
	for _, tt := range []struct {
		query string
		rows  int
	}{
		{"?status=ok", 4}, {"?status=4xx", 3}, {"?status=5xx", 0}, {"?status=nonsense", 7}, {"?endpoint=" + url.QueryEscape("GET /aspsps"), 2},
		{"?endpoint=nonsense", 0}, {"?error=wrong_authorization_code", 1}, {"?bank=Mock+ASPSP", 3}, {"?bank=Mock+ASPSP&status=4xx", 0},
		{"?request=" + requestID, 1}, {"?before=nonsense", 7}, {"?before=%00", 7}, {"?error=%27+OR+1%3D1", 0},
	} {
		if rows, page := s.logRows(ada, path+tt.query); len(rows) != tt.rows || tt.rows == 0 && !strings.Contains(page.Body, "No request matches.") {
			t.Errorf("%s: %d rows, want %d", tt.query, len(rows), tt.rows)
		}
	}
	s.page(eve, path, 404)
}

// The log is read in pages, by where the last one ended: what comes meanwhile moves nothing.
func TestPagesOfTheRequestLog(t *testing.T) {
	s := run(t)
	b := s.developer("ada@dev.example")
	id := s.upload(b, nil)
	token := firstKey().token(t, id)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 30 {
				s.call(token, "GET", "/application", nil)
			}
		})
	}
	wait.Wait()
	seen := map[string]bool{}
	path := "/panel/applications/" + id + "/requests?status=ok"
	older := regexp.MustCompile(`href="([^"]+)">Older<`)
	for n, want := range []int{50, 50, 20} {
		rows, page := s.logRows(b, path)
		if len(rows) != want {
			t.Fatalf("page %d has %d rows, want %d", n, len(rows), want)
		}
		for _, row := range rows {
			seen[row[strings.LastIndex(strings.TrimSuffix(row, " |"), "|"):]] = true
		}
		if newest := strings.Contains(page.Body, ">Newest<"); newest != (n > 0) {
			t.Errorf("page %d leads to the newest: %v", n, newest)
		}
		next := older.FindStringSubmatch(page.Body)
		if (next != nil) != (n < 2) {
			t.Fatalf("page %d leads on: %v", n, next)
		}
		if next != nil {
			path = strings.ReplaceAll(next[1], "&amp;", "&")
		}
		s.call(token, "GET", "/application", nil)
	}
	if len(seen) != 120 {
		t.Errorf("%d different requests, want 120", len(seen))
	}
}

// What is in the buffer when the service stops is written.
func TestRequestLogIsWrittenWhenTheServiceStops(t *testing.T) {
	s := run(t)
	b := s.developer("ada@dev.example")
	id := s.upload(b, nil)
	for range 10 {
		s.call(firstKey().token(t, id), "GET", "/application", nil)
	}
	s.stop()
	store := must[*storage.Store](t)(storage.Open(t.Context(), filepath.Join(s.folder, "aggregator.db")))
	defer store.Close()
	rows, err := store.Requests(t.Context(), aggregator.RequestFilter{ApplicationIDs: []string{id}, Limit: 100})
	if err != nil || len(rows) != 10 {
		t.Errorf("%d requests, %v", len(rows), err)
	}
}

// idToken signs a program in as a developer (api-notes 3), and returns what it gets.
func (s *service) idToken(email string) answer {
	s.t.Helper()
	asked := s.call("", "POST", "/api/relyingparty/getOobConfirmationCode", map[string]any{
		"requestType": "EMAIL_SIGNIN", "email": email, "continueUrl": "http://localhost:7777/cli?a=b", "canHandleCodeInApp": true,
	})
	if asked.status != 200 || asked.body["email"] != email {
		s.t.Fatalf("getOobConfirmationCode: %d %s", asked.status, asked.raw)
	}
	link := must[*url.URL](s.t)(url.Parse(s.links(email)[0]))
	if link.Host != "localhost:7777" || link.Path != "/cli" {
		s.t.Fatalf("the link leads to %s", link)
	}
	return s.call("", "POST", "/api/relyingparty/emailLinkSignin", map[string]any{"oobCode": link.Query().Get("oobCode"), "email": email})
}

func (s *service) form(path string, fields url.Values) answer {
	s.t.Helper()
	request := must[*http.Request](s.t)(http.NewRequestWithContext(s.t.Context(), "POST", s.url+path, strings.NewReader(fields.Encode())))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return s.do(request)
}

// api-notes 3: sign-in of a program, the id token as bearer of the registration, and its refresh.
func TestRegistrationAPI(t *testing.T) {
	s := run(t)
	got := s.idToken("ada@dev.example")
	for name, want := range map[string]any{"expiresIn": "3600", "email": "ada@dev.example", "isNewUser": true, "kind": "identitytoolkit#EmailLinkSigninResponse"} {
		if got.body[name] != want {
			t.Errorf("emailLinkSignin: %s is %v, want %v", name, got.body[name], want)
		}
	}
	token, refresh := got.body["idToken"].(string), got.body["refreshToken"].(string)
	registration := map[string]any{"certificate": firstKey().certificate, "environment": "SANDBOX", "name": "By program", "redirect_urls": []string{callback}}
	registered := s.call(token, "POST", "/api/applications", registration)
	id, _ := registered.body["app_id"].(string)
	if registered.status != 200 || len(registered.body) != 1 {
		t.Fatalf("POST /api/applications: %d %s", registered.status, registered.raw)
	}
	if got := s.call(firstKey().token(t, id), "GET", "/application", nil); got.status != 200 {
		t.Errorf("GET /application: %s", got.raw)
	}
	if b := s.developer("ada@dev.example"); !strings.Contains(s.page(b, "/panel/", 200).Body, "By program") {
		t.Error("the panel does not show the application")
	}
	if again := s.idToken("ada@dev.example"); again.body["isNewUser"] != false || again.body["localId"] != got.body["localId"] {
		t.Errorf("signed in again: %s", again.raw)
	}

	renewed := s.form("/api/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}})
	if renewed.status != 200 || renewed.body["expires_in"] != "3600" || renewed.body["token_type"] != "Bearer" || renewed.body["user_id"] != got.body["localId"] ||
		renewed.body["refresh_token"] == refresh || renewed.body["access_token"] != renewed.body["id_token"] || renewed.body["project_id"] == nil {
		t.Fatalf("POST /api/token: %d %s", renewed.status, renewed.raw)
	}
	if got := s.call(renewed.body["id_token"].(string), "GET", "/api/requests", nil); got.status != 200 {
		t.Errorf("the new id token: %s", got.raw)
	}
	for name, fields := range map[string]url.Values{
		"used again": {"grant_type": {"refresh_token"}, "refresh_token": {refresh}},
		"its family": {"grant_type": {"refresh_token"}, "refresh_token": {renewed.body["refresh_token"].(string)}}, // after the one above
		"none":       {"grant_type": {"refresh_token"}},
		"another":    {"grant_type": {"refresh_token"}, "refresh_token": {"x"}},
		"grant":      {"grant_type": {"password"}, "refresh_token": {refresh}},
	} {
		if name == "its family" {
			s.form("/api/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}})
		}
		got := s.form("/api/token", fields)
		if text, _ := got.body["error"].(map[string]any); got.status < 400 || got.status >= 500 || text["message"] == "" {
			t.Errorf("%s: %d %s", name, got.status, got.raw)
		}
	}

	s.clock.Advance(time.Hour + time.Second)
	for path, method := range map[string]string{"/api/applications": "POST", "/api/requests": "GET", "/api/requestLogs?requestId=x": "GET",
		"/api/get_today_stats": "GET"} {
		for name, bearer := range map[string]string{"an old id token": token, "an application token": firstKey().token(t, id), "none": ""} {
			got := s.call(bearer, method, path, nil)
			if text, _ := got.body["error"].(map[string]any); got.status != 401 || text["message"] != "Unauthorized" || len(got.body) != 1 {
				t.Errorf("%s with %s: %d %s", path, name, got.status, got.raw)
			}
		}
	}
	operator := must[string](t)(s.server.OperatorToken())
	if got := s.call(operator, "GET", "/api/requests", nil); got.status != 401 {
		t.Errorf("the operator's token reads requests: %d", got.status)
	}
	if got := s.call(operator, "GET", "/application", nil); got.status != 401 {
		t.Errorf("the operator's token is an application token: %d", got.status)
	}
}

func TestBadInputOfTheRegistrationAPI(t *testing.T) {
	s := run(t)
	ask := func(change map[string]any) answer {
		body := map[string]any{"requestType": "EMAIL_SIGNIN", "email": "ada@dev.example", "continueUrl": "http://localhost:7777/cli?a=b", "canHandleCodeInApp": true}
		for name, value := range change {
			if body[name] = value; value == nil {
				delete(body, name)
			}
		}
		return s.call("", "POST", "/api/relyingparty/getOobConfirmationCode", body)
	}
	for name, tt := range map[string]struct {
		change map[string]any
		text   string
	}{
		"other request":     {map[string]any{"requestType": "PASSWORD_RESET"}, "requestType must be EMAIL_SIGNIN"},
		"no request":        {map[string]any{"requestType": nil}, "requestType is missing"},
		"no address":        {map[string]any{"email": nil}, "email is missing"},
		"address of a list": {map[string]any{"email": "a@b.example, c@d.example"}, "email is not an e-mail address"},
		"address and line":  {map[string]any{"email": "a@b.example\r\nBcc: c@d.example"}, "email is not an e-mail address"},
		"a number":          {map[string]any{"email": 1}, "email must be a string"},
		"not in the app":    {map[string]any{"canHandleCodeInApp": false}, "canHandleCodeInApp must be true"},
		"no way back":       {map[string]any{"continueUrl": nil}, "continueUrl is missing"},
		"a stranger's site": {map[string]any{"continueUrl": "https://evil.example/"}, "continueUrl is not registered"},
		"looks like ours":   {map[string]any{"continueUrl": s.url + ".evil.example/"}, "continueUrl is not registered"},
		"user":              {map[string]any{"continueUrl": "http://localhost@evil.example/"}, "continueUrl is not registered"},
		"script":            {map[string]any{"continueUrl": "javascript:alert(1)"}, "continueUrl is not registered"},
		"fragment":          {map[string]any{"continueUrl": "http://localhost/#a"}, "continueUrl is not registered"},
	} {
		got := ask(tt.change)
		text, _ := got.body["error"].(map[string]any)
		if message, _ := text["message"].(string); got.status != 422 || !strings.Contains(message, tt.text) {
			t.Errorf("%s: %d %s, want %s", name, got.status, got.raw, tt.text)
		}
	}
	ask(nil)
	code := signInLink.FindString(s.links("ada@dev.example")[0])
	code = code[strings.LastIndex(code, "=")+1:]
	for name, body := range map[string]map[string]any{
		"another address": {"oobCode": code, "email": "eve@dev.example"}, "no address": {"oobCode": code, "email": " "},
		"another code": {"oobCode": "x", "email": "ada@dev.example"},
	} {
		if got := s.call("", "POST", "/api/relyingparty/emailLinkSignin", body); got.status != 400 {
			t.Errorf("%s: %d %s", name, got.status, got.raw)
		}
	}
	right := map[string]any{"oobCode": code, "email": " ADA@dev.example"}
	if got := s.call("", "POST", "/api/relyingparty/emailLinkSignin", right); got.status != 200 {
		t.Errorf("the right one after the wrong ones: %s", got.raw)
	}
	if got := s.call("", "POST", "/api/relyingparty/emailLinkSignin", right); got.status != 400 {
		t.Errorf("used again: %d", got.status)
	}
	for range 20 {
		ask(map[string]any{"email": "other@dev.example"})
	}
	if got := ask(map[string]any{"email": "one-more@dev.example"}); got.status != 429 {
		t.Errorf("the 21st: %d", got.status)
	}
}

// api-notes 3: the requests and sessions of a developer's applications, and of nobody else's.
func TestRequestsOfTheAPI(t *testing.T) {
	s := run(t)
	ada := s.developer("ada@dev.example")
	id := s.upload(ada, nil)
	token := firstKey().token(t, id)
	session := s.session(token)
	sessionID := session.body["session_id"].(string)
	uid := session.body["accounts"].([]any)[0].(map[string]any)["uid"].(string)
	s.call(token, "GET", "/accounts/"+uid+"/balances", nil)
	s.call(token, "GET", "/sessions/"+sessionID, nil)
	s.call(token, "GET", "/aspsps?country=x", nil)
	first := s.call(s.program("ada@dev.example"), "GET", "/api/requests?sessionStatus=PENDING_AUTHORIZATION", nil).body["requests"].([]any)[0].(map[string]any)
	authorization, _ := first["authorization_id"].(string)
	method, _ := first["auth_method"].(string)
	if authorization == "" || method == "" || first["endpoint"] != "POST /auth" || first["session_id"] != nil || len(first["aspsp_requests"].([]any)) != 0 {
		t.Fatalf("POST /auth in the log: %v", first)
	}
	mine, other := s.idToken("ada@dev.example").body["idToken"].(string), s.idToken("eve@dev.example").body["idToken"].(string)
	for _, tt := range []struct {
		query  string
		n      int
		status int
	}{
		{"", 5, 200}, {"?appId=" + id, 5, 200}, {"?country=FI", 4, 200}, {"?country=FI&brand=Mock+ASPSP", 4, 200}, {"?responseCode=422", 1, 200},
		{"?responseCode=", 5, 200},
		{"?accountId=" + uid, 1, 200}, {"?sessionId=" + sessionID, 3, 200},
		{"?sessionId=" + sessionID + "&endpoint=" + url.QueryEscape("POST /sessions"), 1, 200}, {"?sessionId=" + strings.ToUpper(sessionID), 3, 200},
		{"?autorizationId=" + authorization, 4, 200}, {"?authorizationId=" + authorization, 4, 200}, {"?autorizationId=" + sessionID, 0, 200},
		{"?psuType=personal", 4, 200}, {"?psuType=business", 0, 200}, {"?authApproach=REDIRECT", 4, 200}, {"?authApproach=EMBEDDED", 0, 200},
		{"?authMethod=" + url.QueryEscape(method), 4, 200}, {"?authMethod=x", 0, 200}, {"?sessionStatus=PENDING_AUTHORIZATION", 1, 200},
		{"?sessionStatus=AUTHORIZED", 3, 200}, {"?sessionStatus=AUTHORIZED&accountId=" + uid, 1, 200}, {"?sessionStatus=CLOSED", 0, 200},
		{"?authApproach=x", 0, 422}, {"?sessionStatus=x", 0, 422}, {"?psuType=x", 0, 422}, {"?paymentId=" + uid + "&sessionId=" + sessionID, 0, 200},
		{"?endpoint=" + url.QueryEscape("POST /auth"), 1, 200}, {"?responseCode=x", 0, 422}, {"?appId=x", 0, 404}, {"?appId=a&appId=b", 0, 422},
	} {
		got := s.call(mine, "GET", "/api/requests"+tt.query, nil)
		list, _ := got.body["requests"].([]any)
		if got.status != tt.status || len(list) != tt.n {
			t.Errorf("%q: %d, %d requests, want %d, %d: %s", tt.query, got.status, len(list), tt.status, tt.n, got.raw)
		}
	}
	if got := s.call(other, "GET", "/api/requests", nil); got.raw != `{"requests":[]}`+"\n" {
		t.Errorf("another developer sees %s", got.raw)
	}
	if got := s.call(other, "GET", "/api/requests?appId="+id, nil); got.status != 404 {
		t.Errorf("another developer's filter: %d", got.status)
	}
	line := s.call(mine, "GET", "/api/requests?responseCode=422", nil).body["requests"].([]any)[0].(map[string]any)
	value := line["timestamp"].(map[string]any)["value"].(string)
	if line["app_id"] != id || line["endpoint"] != "GET /aspsps" || line["error"] != "WRONG_REQUEST_PARAMETERS" || line["response_code"] != 422.0 {
		t.Errorf("a request: %v", line)
	}
	made := s.call(mine, "GET", "/api/requests?sessionId="+sessionID+"&endpoint="+url.QueryEscape("POST /sessions"),
		nil).body["requests"].([]any)[0].(map[string]any)
	calls, _ := made["aspsp_requests"].([]any)
	if len(calls) != 1 || made["session_id"] != sessionID || made["authorization_id"] != authorization || made["session_status"] != "AUTHORIZED" ||
		made["psu_type"] != "personal" || made["auth_approach"] != "REDIRECT" || made["auth_method"] != method {
		t.Fatalf("POST /sessions in the log: %v", made)
	}
	if call := calls[0].(map[string]any); len(call) != 3 || call["name"] != "Accounts" || call["error"] != nil || call["latency_ms"] == nil {
		t.Errorf("the call to the bank: %v", call)
	}
	logs := "/api/requestLogs?requestId=" + line["logs_id"].(string)
	for query, n := range map[string]int{"": 1, "&timestamp=" + value: 1, "&timestamp=" + value[:10]: 1, "&timestamp=2020-01-01": 0,
		"&timestamp=2020-01-01T00:00:00Z": 0} {
		if got := s.call(mine, "GET", logs+query, nil); got.status != 200 || len(got.body["logs"].([]any)) != n {
			t.Errorf("%s: %d %s", query, got.status, got.raw)
		}
	}
	for _, path := range []string{"/api/requestLogs", logs + "&timestamp=yesterday"} {
		if got := s.call(mine, "GET", path, nil); got.status != 422 {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	if got := s.call(other, "GET", logs, nil); len(got.body["logs"].([]any)) != 0 {
		t.Error("another developer sees the request")
	}
}

// The log shows how a bank has failed, and the state of the day follows from that: one row for each bank and type of its PSUs.
func TestStatesOfBanks(t *testing.T) {
	s := run(t)
	id := s.upload(s.developer("ada@dev.example"), nil)
	token, mine := firstKey().token(t, id), s.program("ada@dev.example")
	states := func() map[string]string {
		t.Helper()
		var rows []map[string]any
		if err := json.Unmarshal([]byte(s.call(mine, "GET", "/api/get_today_stats", nil).raw), &rows); err != nil {
			t.Fatal(err)
		}
		states := map[string]string{}
		for _, row := range rows {
			key := fmt.Sprint(row["country"], " ", row["brand"], " ", row["psu_type"])
			if states[key] != "" || len(row) != 4 {
				t.Errorf("row %v", row)
			}
			states[key], _ = row["status"].(string)
		}
		return states
	}
	offered := 0
	var password, otp string
	for _, bank := range s.call(token, "GET", "/aspsps", nil).body["aspsps"].([]any) {
		bank := bank.(map[string]any)
		offered += len(bank["psu_types"].([]any))
		users, _ := bank["sandbox"].(map[string]any)["users"].([]any)
		for _, user := range users {
			if user := user.(map[string]any); bank["name"] == "Scenario Limits" && user["username"] == "down" {
				password, _ = user["password"].(string)
				otp, _ = user["otp"].(string)
			}
		}
	}
	before := states()
	if len(before) != offered {
		t.Errorf("%d rows, want the %d pairs of bank and PSU type", len(before), offered)
	}
	for key, state := range before {
		if state != "UNKNOWN" {
			t.Errorf("%s: %s before the first call", key, state)
		}
	}
	s.session(token)
	start := s.call(token, "POST", "/auth", map[string]any{
		"access": validFor(24 * time.Hour), "aspsp": map[string]any{"name": "Scenario Limits", "country": "IE"}, "state": "s", "redirect_url": callback,
	})
	if start.status != 200 {
		t.Fatal(start.raw)
	}
	back := must[*url.URL](t)(walk.New(nil).Approve(t.Context(), start.body["url"].(string), walk.Person{Username: "down", Password: password, Code: otp}))
	session := s.call(token, "POST", "/sessions", map[string]any{"code": back.Query().Get("code")})
	uid := session.body["accounts"].([]any)[0].(map[string]any)["uid"].(string)
	if got := s.call(token, "GET", "/accounts/"+uid+"/balances", nil); got.body["error"] != "ASPSP_ERROR" {
		t.Fatalf("balances of a bank that is down: %s", got.raw)
	}
	after := states()
	if got := [3]string{after["FI Mock ASPSP personal"], after["IE Scenario Limits personal"], after["DE Mock ASPSP personal"]}; got != [3]string{"UP",
		"DEGRADED", "UNKNOWN"} {
		t.Errorf("states %v", got)
	}
	failed := s.call(mine, "GET", "/api/requests?accountId="+uid, nil).body["requests"].([]any)[0].(map[string]any)["aspsp_requests"].([]any)
	if len(failed) != 1 || failed[0].(map[string]any)["error"] != "ASPSP_ERROR" || failed[0].(map[string]any)["name"] != "Balances" {
		t.Errorf("the calls to the bank that is down: %v", failed)
	}
}

// Every call about a payment is found by its id, the one that made it included, in the panel and over the API.
func TestRequestsOfAPayment(t *testing.T) {
	s := run(t)
	ada, eve := s.developer("ada@dev.example"), s.developer("eve@dev.example")
	id := s.upload(ada, url.Values{"webhook_origins": {"https://app.example"}})
	token := firstKey().token(t, id)
	order := map[string]any{
		"payment_type": "SEPA", "aspsp": map[string]string{"name": "Mock ASPSP", "country": "FI"}, "state": "s", "redirect_url": callback, "psu_type": "personal",
		"webhook_url": "https://app.example/hook",
		"payment_request": map[string]any{"credit_transfer_transaction": []any{map[string]any{
			"instructed_amount": map[string]string{"currency": "EUR", "amount": "12.30"},
			"beneficiary": map[string]any{"creditor": map[string]string{"name": "Ada"},
				"creditor_account": map[string]string{"scheme_name": "IBAN", "identification": "FI2112345600000785"}},
		}}},
	}
	made := s.call(token, "POST", "/payments", order)
	payment, _ := made.body["payment_id"].(string)
	if made.status != 200 || payment == "" {
		t.Fatalf("POST /payments: %d %s", made.status, made.raw)
	}
	s.call(token, "POST", "/payments", order) // another one
	s.call(token, "GET", "/payments/"+strings.ToUpper(payment), nil)
	s.call(token, "DELETE", "/payments/"+payment, nil)
	rows, _ := s.logRows(ada, "/panel/applications/"+id+"/requests?resource="+strings.ToUpper(payment))
	want := []string{"DELETE /payments/{payment_id} | 422 | PAYMENT_NOT_FINALIZED", "GET /payments/{payment_id} | 200", "POST /payments | 200"}
	if len(rows) != len(want) {
		t.Fatalf("%d rows:\n%s", len(rows), strings.Join(rows, "\n"))
	}
	for i, row := range rows {
		if !strings.Contains(row, " | "+want[i]+" | ") {
			t.Errorf("row %d: %s, want %s", i, row, want[i])
		}
	}
	for email, n := range map[string]int{"ada@dev.example": 3, "eve@dev.example": 0} {
		token := s.idToken(email).body["idToken"].(string)
		got := s.call(token, "GET", "/api/requests?paymentId="+payment, nil)
		if list, _ := got.body["requests"].([]any); got.status != 200 || len(list) != n {
			t.Errorf("GET /api/requests of %s: %d, %d requests, want %d: %s", email, got.status, len(list), n, got.raw)
		}
	}
	s.page(eve, "/panel/applications/"+id+"/requests?resource="+payment, 404)
}
