package panel_test

import (
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"florin/internal/aggregator/server"
	"florin/internal/contract/walk"
	"florin/internal/testkit"
)

// routes are the addresses of one application; the first %s is its id, the second that of a key.
func routes(id, key string) map[string]string {
	path := "/panel/applications/" + id
	return map[string]string{
		path: "GET", path + "/pause": "POST", path + "/resume": "POST", path + "/settings": "GET", path + "/settings ": "POST", path + "/delete": "GET",
		path + "/delete ": "POST", path + "/keys": "GET", path + "/keys ": "POST", path + "/keys/" + key + "/end": "POST", path + "/key": "GET",
		path + "/key.pem": "GET", path + "/key/saved": "POST", path + "/accounts": "GET", path + "/accounts/link": "POST", path + "/accounts/unlink": "POST",
		path + "/requests": "GET", path + "/webhooks": "GET", path + "/webhooks/verify": "GET", path + "/webhooks/x": "GET", path + "/webhooks/x/again": "POST",
	}
}

// security T14: what belongs to another developer is not there.
func TestApplicationsOfOthersAreNotThere(t *testing.T) {
	testkit.Unwatched(t)
	s := run(t)
	ada, eve := s.developer("ada@dev.example"), s.developer("eve@dev.example")
	ticket, id := s.ticket(ada)
	s.post(ada, "/panel/applications", url.Values{"ticket": {ticket}, "environment": {"SANDBOX"}, "name": {"Secret ledger"}, "redirect_urls": {callback},
		"way": {"server"}}, 200)
	s.post(ada, "/panel/applications/"+id+"/keys", url.Values{"way": {"upload"}, "certificate": {firstKey().certificate}}, 200)
	key := regexp.MustCompile(`/keys/([0-9a-f-]{36})/end`).FindStringSubmatch(s.page(ada, "/panel/applications/"+id+"/keys", 200).Body)
	if key == nil {
		t.Fatal("no key to end")
	}
	fields := url.Values{
		"typed": {id}, "way": {"upload"}, "certificate": {secondKey().certificate}, "name": {"x"}, "redirect_urls": {callback},
		"bank": {"FI|Mock ASPSP"}, "psu_type": {"personal"}, "hash": {"x"},
	}
	for path, method := range routes(id, key[1]) {
		path = strings.TrimSpace(path)
		for name, b := range map[string]*walk.Browser{"another developer": eve, "nobody": walk.New(nil)} {
			var page *walk.Page
			if method == "GET" {
				page = must[*walk.Page](t)(b.Open(t.Context(), s.url+path))
			} else {
				page = must[*walk.Page](t)(b.Submit(t.Context(), walk.Form{Method: method, Action: must[*url.URL](t)(url.Parse(s.url + path)), Fields: fields},
					nil))
			}
			if name == "nobody" {
				if page.Title != "Sign in" {
					t.Errorf("%s, %s %s: %q", name, method, path, page.Title)
				}
			} else if page.Status != 404 {
				t.Errorf("%s, %s %s: %d", name, method, path, page.Status)
			}
			if strings.Contains(page.Body, "Secret ledger") {
				t.Errorf("%s, %s %s shows the application", name, method, path)
			}
		}
	}
	if got := s.call(firstKey().token(t, id), "GET", "/application", nil); got.status != 200 || got.body["name"] != "Secret ledger" {
		t.Errorf("afterwards: %d %s", got.status, got.raw)
	}
	if strings.Contains(s.page(eve, "/panel/", 200).Body, id) {
		t.Error("another developer's list shows the application")
	}
	// Requests by the application's own id, but through another's address.
	other := s.upload(eve, nil)
	if s.page(ada, "/panel/applications/"+id, 200).Status != 200 || s.page(eve, "/panel/applications/"+other, 200).Status != 200 {
		t.Error("the own applications are gone")
	}
	s.post(eve, "/panel/applications/"+other+"/keys/"+key[1]+"/end", nil, 404)
}

// security T21: a form of another site is refused, and so is any change by a plain link.
func TestFormsOfOtherSites(t *testing.T) {
	s := run(t)
	b := s.developer("ada@dev.example")
	id := s.upload(b, nil)
	paths := []string{"/panel/sign-in", "/panel/confirm", "/panel/sign-out", "/panel/account/end", "/panel/applications",
		"/panel/operator/applications/" + id + "/approve",
		"/panel/operator/applications/" + id + "/payments/grant", "/panel/operator/applications/" + id + "/payments/withdraw",
		"/panel/operator/applications/" + id + "/webhooks/x/again", "/panel/operator/open", "/panel/operator/close"}
	for path, method := range routes(id, "x") {
		if method == "POST" {
			paths = append(paths, strings.TrimSpace(path))
		}
	}
	for name, header := range map[string][2]string{
		"cross-site": {"Sec-Fetch-Site", "cross-site"}, "same-site": {"Sec-Fetch-Site", "same-site"}, "null": {"Origin", "null"},
		"other": {"Origin", "https://evil.example"},
	} {
		for _, path := range paths {
			request := must[*http.Request](t)(http.NewRequestWithContext(t.Context(), "POST", s.url+path, nil))
			request.Header.Set(header[0], header[1])
			if got := s.do(request); got.status != 403 || !strings.Contains(got.raw, "This form came from another site") {
				t.Errorf("%s, %s: %d", name, path, got.status)
			}
		}
	}
	for _, path := range []string{"/pause", "/resume", "/key/saved", "/accounts/link", "/accounts/unlink", "/keys/x/end", "/webhooks/x/again"} {
		if page := must[*walk.Page](t)(b.Open(t.Context(), s.url+"/panel/applications/"+id+path)); page.Status != 404 && page.Status != 405 {
			t.Errorf("GET %s: %d", path, page.Status)
		}
	}
	if got := s.call(firstKey().token(t, id), "GET", "/aspsps?country=FI", nil); got.status != 200 {
		t.Errorf("the application is %d after all that", got.status)
	}
}

// security T19, T20: every answer has every header, and no page a script or a style of its own.
func TestHeadersOfEveryPage(t *testing.T) {
	testkit.Unwatched(t)
	s := run(t)
	b := s.developer("ada@dev.example")
	id := s.upload(b, nil)
	paths := []string{"/panel/", "/panel/sign-in", "/panel/sent", "/panel/account", "/panel/applications/new", "/panel/operator",
		"/panel/operator/open?code=x", "/panel/nothing", "/panel/linked", "/panel/sign-in?oobCode=x"}
	for path, method := range routes(id, "x") {
		if method == "GET" {
			paths = append(paths, path)
		}
	}
	for _, path := range paths {
		page := must[*walk.Page](t)(b.Open(t.Context(), s.url+path))
		for name, want := range map[string]string{
			"Content-Security-Policy":      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'",
			"Cache-Control":                "no-store",
			"Content-Type":                 "text/html; charset=utf-8",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "same-origin",
		} {
			if got := page.Header.Get(name); got != want {
				t.Errorf("%s: %s %q, want %q", path, name, got, want)
			}
		}
		if regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=|http-equiv|<script(?:>| [^s])`).MatchString(page.Body) {
			t.Errorf("%s has a script or a style of its own", path)
		}
		if page.Title == "" || strings.Count(page.Body, "<h1") != 1 || !strings.Contains(page.Body, `lang="en"`) {
			t.Errorf("%s: heading %q", path, page.Title)
		}
	}
}

// Where the hosted pages have an address of their own, the form that links accounts may end there.
func TestFormsMayEndAtTheHostedPages(t *testing.T) {
	s := run(t, func(o *server.Options) { o.AuthURL = "https://auth.example" })
	page := s.page(walk.New(nil), "/panel/sign-in", 200)
	if got := page.Header.Get("Content-Security-Policy"); !strings.Contains(got, "form-action 'self' https://auth.example;") {
		t.Errorf("policy %q", got)
	}
}

// linkMock goes through the hosted pages of the bank that asks for nothing, and back to the panel.
func (s *service) linkMock(b *walk.Browser, id string) *walk.Page {
	s.t.Helper()
	consent := s.post(b, "/panel/applications/"+id+"/accounts/link", url.Values{"bank": {"FI|Mock ASPSP"}, "psu_type": {"personal"}}, 200)
	page := consent
	for _, suffix := range []string{"/accept", "/sign-in", "/approve"} {
		form, ok := page.Form(suffix)
		if !ok {
			if suffix == "/sign-in" {
				continue
			}
			s.t.Fatalf("the page %q has no form %s", page.Title, suffix)
		}
		page = must[*walk.Page](s.t)(b.Submit(s.t.Context(), form, nil))
	}
	return page
}

func validFor(d time.Duration) map[string]any {
	return map[string]any{"valid_until": time.Now().Add(d).UTC().Format(time.RFC3339)}
}

// session authorises the application at the bank that asks for nothing and returns the answer of POST /sessions.
func (s *service) session(token string) answer {
	s.t.Helper()
	start := s.call(token, "POST", "/auth", map[string]any{
		"access": validFor(24 * time.Hour), "aspsp": map[string]any{"name": "Mock ASPSP", "country": "FI"}, "state": "s", "redirect_url": callback,
	})
	if start.status != 200 {
		s.t.Fatal(start.raw)
	}
	back := must[*url.URL](s.t)(walk.New(nil).Approve(s.t.Context(), start.body["url"].(string), walk.Person{}))
	return s.call(token, "POST", "/sessions", map[string]any{"code": back.Query().Get("code")})
}

// spec: Environments and activation; api-notes 5: a production application is pending until an own account is linked, and
// reads own accounts alone from then on.
func TestOwnAccounts(t *testing.T) {
	s := run(t)
	ada, eve := s.developer("ada@dev.example"), s.developer("eve@dev.example")
	id := s.upload(ada, production)
	token := firstKey().token(t, id)
	if got := s.call(token, "GET", "/aspsps", nil); got.status != 403 || got.body["message"] != "Application is not active" {
		t.Errorf("pending: %d %s", got.status, got.raw)
	}
	if page := s.page(ada, "/panel/applications/"+id+"/accounts", 200); !strings.Contains(page.Body, "No account is linked") ||
		!strings.Contains(page.Body, "Pending") {
		t.Error("the page does not say that the application waits")
	}
	page := s.linkMock(ada, id)
	if page.Status != 200 || !strings.Contains(page.Body, "The accounts are linked.") || !strings.Contains(page.Body, "For linked accounts alone.") {
		t.Fatalf("linked: %d %q", page.Status, page.Title)
	}
	var linked []string
	for _, form := range page.Forms {
		if hash := form.Fields.Get("hash"); hash != "" {
			linked = append(linked, hash)
		}
	}
	if len(linked) == 0 {
		t.Fatal("no account is shown")
	}
	got := s.session(token)
	accounts, _ := got.body["accounts"].([]any)
	if got.status != 200 || len(accounts) != len(linked) {
		t.Fatalf("a session has %d accounts, want %d: %d", len(accounts), len(linked), got.status)
	}
	uid := accounts[0].(map[string]any)["uid"].(string)
	hash := accounts[0].(map[string]any)["identification_hash"].(string)
	if got := s.call(token, "GET", "/accounts/"+uid+"/balances", nil); got.status != 200 {
		t.Errorf("balances of a linked account: %d %s", got.status, got.raw)
	}

	s.post(eve, "/panel/applications/"+id+"/accounts/unlink", url.Values{"hash": {hash}}, 404)
	s.post(ada, "/panel/applications/"+id+"/accounts/unlink", url.Values{"hash": {hash}}, 200)
	if got := s.call(token, "GET", "/accounts/"+uid+"/balances", nil); got.status != 404 || got.body["error"] != "ACCOUNT_DOES_NOT_EXIST" {
		t.Errorf("balances of an unlinked account: %d %s", got.status, got.raw)
	}
	if len(linked) > 1 {
		if rest, _ := s.session(token).body["accounts"].([]any); len(rest) != len(linked)-1 {
			t.Errorf("a session after that has %d accounts, want %d", len(rest), len(linked)-1)
		}
	}
	for _, other := range linked {
		if other != hash {
			s.post(ada, "/panel/applications/"+id+"/accounts/unlink", url.Values{"hash": {other}}, 200)
		}
	}
	body := map[string]any{"access": validFor(time.Hour), "aspsp": map[string]any{"name": "Mock ASPSP", "country": "FI"}, "state": "s", "redirect_url": callback}
	if got := s.call(token, "POST", "/auth", body); got.status != 403 || got.body["error"] != "NO_ACCOUNTS_ADDED" {
		t.Errorf("with no account: %d %s", got.status, got.raw)
	}
	settings := url.Values{"name": {"Ledger"}, "redirect_urls": {callback}}
	for name, values := range production {
		settings[name] = values
	}
	if page := s.post(ada, "/panel/applications/"+id+"/settings", settings, 422); !strings.Contains(page.Body, "can be lifted by the operator alone") {
		t.Error("the owner lifts the limit")
	}
	s.linkMock(ada, id) // and again
}

// A sandbox application can be limited to own accounts to see how that is.
func TestOwnAccountsInTheSandbox(t *testing.T) {
	s := run(t)
	b := s.developer("ada@dev.example")
	id := s.upload(b, nil)
	token := firstKey().token(t, id)
	settings := url.Values{"name": {"Ledger"}, "redirect_urls": {callback}, "restricted": {"yes"}}
	s.post(b, "/panel/applications/"+id+"/settings", settings, 200)
	body := map[string]any{"access": validFor(time.Hour), "aspsp": map[string]any{"name": "Mock ASPSP", "country": "FI"}, "state": "s", "redirect_url": callback}
	if got := s.call(token, "POST", "/auth", body); got.body["error"] != "NO_ACCOUNTS_ADDED" {
		t.Errorf("restricted: %s", got.raw)
	}
	settings.Del("restricted")
	s.post(b, "/panel/applications/"+id+"/settings", settings, 200)
	if got := s.call(token, "POST", "/auth", body); got.status != 200 {
		t.Errorf("lifted: %s", got.raw)
	}
}

// The return from the hosted pages counts once, for the developer who began, and says so.
func TestLinkingIsOfOneDeveloperAndOnce(t *testing.T) {
	s := run(t)
	ada, eve := s.developer("ada@dev.example"), s.developer("eve@dev.example")
	id := s.upload(ada, nil)
	consent := s.post(ada, "/panel/applications/"+id+"/accounts/link", url.Values{"bank": {"FI|Mock ASPSP"}, "psu_type": {"personal"}}, 200)
	accept, ok := consent.Form("/accept")
	if !ok {
		t.Fatalf("at %q", consent.Title)
	}
	atBank := must[*walk.Page](t)(ada.Submit(t.Context(), accept, nil))
	approve, ok := atBank.Form("/approve")
	if !ok {
		t.Fatalf("at the bank: %q", atBank.Title)
	}
	toService := must[string](t)(ada.Location(t.Context(), approve))
	request := must[*url.URL](t)(url.Parse(toService))
	back := must[string](t)(ada.Location(t.Context(), walk.Form{Method: "GET", Action: request}))
	if !strings.HasPrefix(back, s.url+"/panel/linked?code=") {
		t.Fatalf("the way back is %s", back)
	}
	path := strings.TrimPrefix(back, s.url)
	s.page(eve, path, 409)
	s.page(ada, "/panel/linked?state=x&code=y", 409)
	s.page(ada, strings.Replace(path, "code=", "code=A", 1), 409)
	s.page(ada, path, 200)
	s.page(ada, path, 409)

	cancel := s.post(ada, "/panel/applications/"+id+"/accounts/link", url.Values{"bank": {"FI|Mock ASPSP"}, "psu_type": {"personal"}}, 200)
	form, _ := cancel.Form("/cancel")
	if page := must[*walk.Page](t)(ada.Submit(t.Context(), form, nil)); page.Status != 409 || page.Title != "No account was linked" {
		t.Errorf("cancelled: %d %q", page.Status, page.Title)
	}
	for name, fields := range map[string]url.Values{
		"no bank": {"psu_type": {"personal"}}, "unknown bank": {"bank": {"FI|None"}, "psu_type": {"personal"}},
	} {
		if page := s.post(ada, "/panel/applications/"+id+"/accounts/link", fields, 422); !strings.Contains(page.Body, "Choose a bank from the list.") {
			t.Errorf("%s: %q", name, page.Title)
		}
	}
	s.post(ada, "/panel/applications/"+id+"/accounts/link", url.Values{"bank": {"FI|Mock ASPSP"}, "psu_type": {"x"}}, 400)
}

// spec: Environments and activation: the operator approves a production application for all accounts.
func TestApproval(t *testing.T) {
	s := run(t)
	b := s.developer("ada@dev.example")
	pending, linked := s.upload(b, production), s.upload(b, production)
	s.linkMock(b, linked)
	for _, id := range []string{pending, linked} {
		operator := s.page(s.operator(), "/panel/operator", 200)
		form, ok := operator.Form("/" + id + "/approve")
		if !ok || !strings.Contains(operator.Body, "ada@dev.example") {
			t.Fatal("the operator does not see the application")
		}
		page := must[*walk.Page](t)(s.operator().Submit(t.Context(), form, nil))
		if _, waits := page.Form("/" + id + "/approve"); page.Status != 200 || waits {
			t.Errorf("approved: %d %q", page.Status, page.Title)
		}
		s.post(s.operator(), "/panel/operator/applications/"+id+"/approve", nil, 404)
		if page := s.page(b, "/panel/applications/"+id, 200); strings.Contains(page.Body, "For linked accounts alone") || !strings.Contains(page.Body, "Active") {
			t.Error("the owner does not see the approval")
		}
		if got := s.session(firstKey().token(t, id)); got.status != 200 || len(got.body["accounts"].([]any)) == 0 {
			t.Errorf("a session: %d %s", got.status, got.raw)
		}
	}
}

// spec: Environments and activation: payments are on in the sandbox, and granted by the operator in production.
func TestOperatorGrantsPayments(t *testing.T) {
	s := run(t)
	b := s.developer("ada@dev.example")
	sandbox, id := s.upload(b, nil), s.upload(b, production)
	operator := func() *walk.Page { return s.page(s.operator(), "/panel/operator", 200) }
	if _, ok := operator().Form("/" + sandbox + "/payments/"); ok {
		t.Error("the operator decides on a sandbox application")
	}
	for _, step := range []struct {
		form, done string
		services   []any
		shown      bool
	}{
		{"", "", []any{"AIS"}, false},
		{"grant", "The application may initiate payments.", []any{"AIS", "PIS"}, true},
		{"withdraw", "The application may not initiate payments any more.", []any{"AIS"}, false},
	} {
		if step.form != "" {
			form, ok := operator().Form("/" + id + "/payments/" + step.form)
			if !ok {
				t.Fatalf("the operator cannot %s", step.form)
			}
			if page := must[*walk.Page](t)(s.operator().Submit(t.Context(), form, nil)); page.Status != 200 || !strings.Contains(page.Body, step.done) {
				t.Errorf("%s: %d %q", step.form, page.Status, page.Title)
			}
		}
		if got := s.call(firstKey().token(t, id), "GET", "/application", nil); !reflect.DeepEqual(got.body["services"], step.services) {
			t.Errorf("after %q: services %v, want %v", step.form, got.body["services"], step.services)
		}
		if page := s.page(b, "/panel/applications/"+id, 200); strings.Contains(page.Body, "Payment initiation (PIS)") != step.shown {
			t.Errorf("after %q the owner sees payments: %v, want %v", step.form, !step.shown, step.shown)
		}
	}
	for _, form := range []string{"grant", "withdraw"} {
		for name, id := range map[string]string{"a sandbox application": sandbox, "none": "x"} {
			if page := s.post(s.operator(), "/panel/operator/applications/"+id+"/payments/"+form, nil, 404); page.Title == "" {
				t.Errorf("%s, %s: no page", form, name)
			}
		}
	}
	if page := s.page(b, "/panel/applications/"+sandbox, 200); !strings.Contains(page.Body, "Payment initiation (PIS)") {
		t.Error("the owner of a sandbox application does not see payments")
	}
}
