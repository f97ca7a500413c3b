package panel_test

import (
	"html"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"florin/internal/apptoken"
	"florin/internal/contract/walk"
)

func TestUploadedKey(t *testing.T) {
	s := run(t)
	b := s.developer("ada@dev.example")
	id := s.upload(b, nil)
	page := s.page(b, "/panel/applications/"+id, 200)
	for _, want := range []string{"Ledger", id, callback, "SANDBOX", "Active", "Account information (AIS)", issuer, audience} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	got := s.call(firstKey().token(t, id), "GET", "/application", nil)
	if got.status != 200 || got.body["active"] != true || got.body["kid"] != id {
		t.Errorf("GET /application: %d %s", got.status, got.raw)
	}
	if list := s.page(b, "/panel/", 200); !strings.Contains(list.Body, id) {
		t.Error("the list does not show the application")
	}
}

var pre = regexp.MustCompile(`(?s)<pre id="(\w+)"[^>]*>(.*?)</pre>`)

// shown returns the texts of a page by their ids.
func shown(page *walk.Page) map[string]string {
	texts := map[string]string{}
	for _, m := range pre.FindAllStringSubmatch(page.Body, -1) {
		texts[m[1]] = html.UnescapeString(m[2])
	}
	return texts
}

// A key that the server made is shown with a token that works, can be saved, and is gone when it is saved or after ten minutes.
func TestServerMadeKey(t *testing.T) {
	s := run(t)
	b := s.developer("ada@dev.example")
	ticket, id := s.ticket(b)
	fields := url.Values{"ticket": {ticket}, "environment": {"SANDBOX"}, "name": {"Ledger"}, "redirect_urls": {callback + "\r\n\r\n http://localhost:9/cb "},
		"way": {"server"}}
	page := s.post(b, "/panel/applications", fields, 200)
	texts := shown(page)
	if page.URL.Path != "/panel/applications/"+id+"/key" || texts["token"] == "" {
		t.Fatalf("at %s with %v", page.URL, texts)
	}
	got := s.call(texts["token"], "GET", "/application", nil)
	if got.status != 200 || got.body["kid"] != id || strings.Contains(got.raw, `"http://localhost:9/cb"`) == false {
		t.Errorf("GET /application with the token of the page: %d %s", got.status, got.raw)
	}
	private, err := apptoken.ParseKey([]byte(texts["pem"]))
	if err != nil || private.N.BitLen() != 3072 {
		t.Errorf("the key of the page: %v", err)
	}
	file := s.page(b, "/panel/applications/"+id+"/key.pem", 200)
	if file.Body != texts["pem"] || file.Header.Get("Content-Disposition") != `attachment; filename="`+id+`.pem"` ||
		file.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the file: %v", file.Header)
	}
	if overview := s.page(b, "/panel/applications/"+id, 200); !strings.Contains(overview.Body, "/key\"") {
		t.Error("the overview does not lead to the key")
	}
	if again := s.post(b, "/panel/applications", fields, 200); again.URL.Path != "/panel/applications/"+id {
		t.Errorf("the form sent twice leads to %s", again.URL)
	}
	if n := strings.Count(s.page(b, "/panel/", 200).Body, `class="card-name"`); n != 1 {
		t.Errorf("%d applications after the form was sent twice", n)
	}
	s.post(b, "/panel/applications/"+id+"/key/saved", nil, 200)
	s.page(b, "/panel/applications/"+id+"/key", 410)
	s.page(b, "/panel/applications/"+id+"/key.pem", 410)

	ticket, id = s.ticket(b)
	fields.Set("ticket", ticket)
	s.post(b, "/panel/applications", fields, 200)
	s.clock.Advance(10 * time.Minute)
	s.page(b, "/panel/applications/"+id+"/key", 410)
	if strings.Contains(s.log.String(), "PRIVATE KEY") {
		t.Error("a private key is in the log")
	}
}

// The script on the page of an application works as it stands, with openssl and curl.
func TestScriptOfThePage(t *testing.T) {
	s := run(t)
	b := s.developer("ada@dev.example")
	ticket, id := s.ticket(b)
	s.post(b, "/panel/applications", url.Values{"ticket": {ticket}, "environment": {"SANDBOX"}, "name": {"L"}, "redirect_urls": {callback},
		"way": {"server"}}, 200)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, id+".pem"), []byte(s.page(b, "/panel/applications/"+id+"/key.pem", 200).Body), 0o600); err != nil {
		t.Fatal(err)
	}
	script := shown(s.page(b, "/panel/applications/"+id, 200))["script"]
	command := exec.CommandContext(t.Context(), "sh", "-euc", script)
	command.Dir = folder
	output, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(output), `"kid":"`+id+`"`) {
		t.Errorf("%v: %s\n%s", err, output, script)
	}
}

// Fields that break a rule are named beside the field, all at once, and nothing that was typed is lost.
func TestBadInputIsShownAtTheField(t *testing.T) {
	s := run(t)
	b := s.developer("ada@dev.example")
	ticket, _ := s.ticket(b)
	good := url.Values{
		"ticket": {ticket}, "environment": {"SANDBOX"}, "name": {"Ledger"}, "redirect_urls": {callback}, "way": {"upload"}, "certificate": {firstKey().certificate},
	}
	tests := []struct {
		name   string
		change url.Values
		field  string
		text   string
	}{
		{"no name", url.Values{"name": {" "}}, "name", "It is empty."},
		{"long name", url.Values{"name": {strings.Repeat("é", 201)}}, "name", "It is longer than 200 characters."},
		{"name that turns round", url.Values{"name": {"Led\u202eger"}}, "name", "It holds a character that cannot be seen."},
		{"name with a line break", url.Values{"name": {"Led\nger"}}, "name", "It holds a character that cannot be seen."},
		{"no redirect URL", url.Values{"redirect_urls": {" \r\n"}}, "redirect_urls", "It must hold 1 to 50 addresses."},
		{"http", url.Values{"redirect_urls": {callback + "\nhttp://app.example/cb"}}, "redirect_urls",
			"Line 2 must use https; http is accepted only for a loopback address such as http://localhost in the SANDBOX environment."},
		{"fragment and script", url.Values{"redirect_urls": {callback + "#a\njavascript:alert(1)"}}, "redirect_urls",
			"Line 1 must have no fragment (#). Line 2 must be an absolute URL that begins with https://."},
		{"user in a redirect URL", url.Values{"redirect_urls": {"https://u:p@app.example/"}}, "redirect_urls", "Line 1 must hold no user name or password."},
		{"webhook path", url.Values{"webhook_origins": {"https://app.example/hook"}}, "webhook_origins",
			"Line 1 must be an origin such as https://example.org, without a path."},
		{"http in production", url.Values{"environment": {"PRODUCTION"}, "redirect_urls": {"http://localhost/cb"}}, "redirect_urls", "Line 1 must use https"},
		{"no description in production", url.Values{"environment": {"PRODUCTION"}}, "description", "It is needed in production."},
		{"no e-mail in production", url.Values{"environment": {"PRODUCTION"}}, "gdpr_email", "It is needed in production."},
		{"no policy in production", url.Values{"environment": {"PRODUCTION"}}, "privacy_url", "It is needed in production."},
		{"no terms in production", url.Values{"environment": {"PRODUCTION"}}, "terms_url", "It is needed in production."},
		{"e-mail that is none", url.Values{"gdpr_email": {"nobody"}}, "gdpr_email", "It is not an e-mail address."},
		{"policy that is none", url.Values{"privacy_url": {"javascript:alert(1)"}}, "privacy_url", "It must be an absolute URL"},
		{"no certificate", url.Values{"certificate": {""}}, "certificate", "It is missing."},
		{"browser without a key", url.Values{"way": {"browser"}, "certificate": {""}}, "certificate", "It is missing."},
		{"certificate that is none", url.Values{"certificate": {"hello"}}, "certificate", "It is not usable: the text is not PEM"},
		{"private key", url.Values{"certificate": {"-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----"}}, "certificate",
			"It is not usable: this is a private key; keep it secret"},
		{"huge certificate", url.Values{"certificate": {strings.Repeat("x", 33<<10)}}, "certificate", "It is too long"},
		{"server-made key, no name", url.Values{"way": {"server"}, "name": {""}}, "name", "It is empty."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sent := url.Values{}
			for _, values := range []url.Values{good, tt.change} {
				for name, value := range values {
					sent[name] = value
				}
			}
			page := s.post(b, "/panel/applications", sent, 422)
			problem := regexp.MustCompile(`id="` + tt.field + `-problem">([^<]*)<`).FindStringSubmatch(page.Body)
			if problem == nil || !strings.HasPrefix(html.UnescapeString(problem[1]), tt.text) {
				t.Errorf("at %s: %q, want %q", tt.field, problem, tt.text)
			}
			if !strings.Contains(page.Body, `aria-invalid="true"`) || !strings.Contains(page.Body, "<title>Please check") {
				t.Error("the page does not say that something is to be mended")
			}
			if form, _ := page.Form("/panel/applications"); form.Fields.Get("ticket") != ticket {
				t.Error("the form has lost its ticket")
			}
			for _, name := range []string{"redirect_urls", "certificate"} {
				if value := strings.TrimSpace(sent.Get(name)); !strings.Contains(html.UnescapeString(page.Body), value) {
					t.Errorf("the page has lost the %s", name)
				}
			}
		})
	}
	if list := s.page(b, "/panel/", 200); !strings.Contains(list.Body, "You have no application yet") {
		t.Error("an application came of it")
	}
	for name, test := range map[string]struct {
		fields url.Values
		status int
	}{
		"no ticket": {url.Values{"name": {"x"}}, 400},
		"no way":    {url.Values{"ticket": {ticket}, "environment": {"SANDBOX"}, "name": {"x"}, "redirect_urls": {callback}}, 400},
		"forged ticket": {url.Values{"ticket": {strings.Replace(ticket, ".", ".00", 1)}, "environment": {"SANDBOX"}, "name": {"x"},
			"redirect_urls": {callback}, "way": {"upload"}, "certificate": {firstKey().certificate}}, 403},
		"too large": {url.Values{"ticket": {ticket}, "name": {strings.Repeat("x", 70<<10)}}, 413},
		"no environment": {url.Values{"ticket": {ticket}, "name": {"x"}, "redirect_urls": {callback}, "way": {"upload"},
			"certificate": {firstKey().certificate}}, 422},
		"form of a stranger": {url.Values{"ticket": {must2(s.ticket(s.developer("eve@dev.example")))}, "environment": {"SANDBOX"}, "name": {"x"},
			"redirect_urls": {callback}, "way": {"upload"}, "certificate": {firstKey().certificate}}, 403},
	} {
		if page := s.post(b, "/panel/applications", test.fields, test.status); page.Title == "" {
			t.Errorf("%s: no title", name)
		}
	}
}

func must2(first, _ string) string { return first }

// api-notes 3, spec: Authentication: two keys of an application are good at the same time, until one is ended.
func TestRotation(t *testing.T) {
	s := run(t)
	b := s.developer("ada@dev.example")
	id := s.upload(b, nil)
	path := "/panel/applications/" + id + "/keys"
	old, renewed := firstKey().token(t, id), secondKey().token(t, id)
	check := func(at string, oldStatus, newStatus int) {
		t.Helper()
		if a, c := s.call(old, "GET", "/application", nil).status, s.call(renewed, "GET", "/application", nil).status; a != oldStatus || c != newStatus {
			t.Errorf("%s: the old key %d, the new one %d, want %d and %d", at, a, c, oldStatus, newStatus)
		}
	}
	check("at first", 200, 401)
	endForms := func() (forms []walk.Form) {
		for _, form := range s.page(b, path, 200).Forms {
			if strings.HasSuffix(form.Action.Path, "/end") {
				forms = append(forms, form)
			}
		}
		return forms
	}
	if n := len(endForms()); n != 0 {
		t.Errorf("the only key can be ended (%d forms)", n)
	}
	if page := s.post(b, path, url.Values{"way": {"upload"}, "certificate": {firstKey().certificate}}, 422); !strings.Contains(page.Body,
		"holds a key that this application has, or had") {
		t.Error("the same key twice is not refused")
	}
	s.post(b, path, url.Values{"way": {"upload"}, "certificate": {secondKey().certificate}}, 200)
	check("with both", 200, 200)
	if page := s.page(b, path, 200); !strings.Contains(page.Body, "two keys at most") {
		t.Error("a third key can be added")
	}
	s.post(b, path, url.Values{"way": {"upload"}, "certificate": {secondKey().certificate}}, 422)
	s.post(b, path, url.Values{"way": {"server"}}, 409)
	forms := endForms()
	if len(forms) != 2 {
		t.Fatalf("%d keys can be ended", len(forms))
	}
	s.post(b, forms[0].Action.Path, nil, 200)
	check("after the end of the old one", 401, 200)
	s.post(b, forms[0].Action.Path, nil, 404)
	s.post(b, forms[1].Action.Path, nil, 409)
	check("after an attempt on the last one", 401, 200)

	texts := shown(s.post(b, path, url.Values{"way": {"server"}}, 200))
	if got := s.call(texts["token"], "GET", "/application", nil); got.status != 200 {
		t.Errorf("the key that the server made: %d %s", got.status, got.raw)
	}
	check("with the server's key", 401, 200)
}

func TestPauseAndResume(t *testing.T) {
	s := run(t)
	b := s.developer("ada@dev.example")
	id := s.upload(b, nil)
	token := firstKey().token(t, id)
	path := "/panel/applications/" + id
	s.post(b, path+"/resume", nil, 409)
	if page := s.post(b, path+"/pause", nil, 200); !strings.Contains(page.Body, "Paused") {
		t.Error("the page does not show the pause")
	}
	got := s.call(token, "GET", "/aspsps", nil)
	if _, hasError := got.body["error"]; got.status != 403 || got.body["message"] != "Application is not active" || hasError {
		t.Errorf("paused: %d %s", got.status, got.raw)
	}
	if got := s.call(token, "GET", "/application", nil); got.status != 200 || got.body["active"] != false {
		t.Errorf("paused: %d %s", got.status, got.raw)
	}
	s.post(b, path+"/pause", nil, 409)
	s.post(b, path+"/resume", nil, 200)
	if got := s.call(token, "GET", "/aspsps?country=FI", nil); got.status != 200 {
		t.Errorf("resumed: %d %s", got.status, got.raw)
	}
}

func TestDelete(t *testing.T) {
	s := run(t)
	b := s.developer("ada@dev.example")
	id := s.upload(b, nil)
	token := firstKey().token(t, id)
	start := s.call(token, "POST", "/auth", map[string]any{
		"access": map[string]any{"valid_until": time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)},
		"aspsp":  map[string]any{"name": "Mock ASPSP", "country": "FI"},
		"state":  "s", "redirect_url": callback,
	})
	if start.status != 200 {
		t.Fatal(start.raw)
	}
	path := "/panel/applications/" + id + "/delete"
	for _, typed := range []string{"", "Ledger", id[:7], id[:8] + "x"} {
		if page := s.post(b, path, url.Values{"typed": {typed}}, 422); !strings.Contains(page.Body, "This is not "+id[:8]) {
			t.Errorf("%q deletes", typed)
		}
	}
	if got := s.call(token, "GET", "/application", nil); got.status != 200 {
		t.Fatalf("before: %d", got.status)
	}
	if page := s.post(b, path, url.Values{"typed": {" " + strings.ToUpper(id[:8]) + " "}}, 200); page.Title != "Applications" || strings.Contains(page.Body, id) {
		t.Errorf("deleted: %q", page.Title)
	}
	if got := s.call(token, "GET", "/application", nil); got.status != 401 {
		t.Errorf("its token: %d %s", got.status, got.raw)
	}
	s.page(b, "/panel/applications/"+id, 404)
	s.page(walk.New(nil), strings.TrimPrefix(start.body["url"].(string), s.url), 410)
	s.upload(b, nil)
}

// spec: UNAUTHORIZED_IP: an address list is in force at once.
func TestAllowedAddresses(t *testing.T) {
	s := run(t)
	b := s.developer("ada@dev.example")
	id := s.upload(b, nil)
	token := firstKey().token(t, id)
	path := "/panel/applications/" + id + "/settings"
	save := func(addresses string, status int) *walk.Page {
		t.Helper()
		return s.post(b, path, url.Values{"name": {"Ledger"}, "redirect_urls": {callback}, "allowed_ips": {addresses}}, status)
	}
	for _, tt := range []struct {
		addresses string
		status    int
	}{
		{"", 200},
		{"192.0.2.7\n2001:db8::/32", 403},
		{"192.0.2.7\r\n127.0.0.0/8", 200},
		{"127.0.0.1", 200},
		{"::ffff:127.0.0.1", 200},
		{"10.0.0.0/8", 403},
	} {
		save(tt.addresses, 200)
		got := s.call(token, "GET", "/application", nil)
		if got.status != tt.status || tt.status == 403 && got.body["error"] != "UNAUTHORIZED_IP" {
			t.Errorf("%q: %d %s", tt.addresses, got.status, got.raw)
		}
	}
	if page := s.page(b, path, 200); !strings.Contains(page.Body, "10.0.0.0/8") {
		t.Error("the settings do not show the list")
	}
	for _, wrong := range []string{"localhost", "127.0.0.1\n127.0.0.0/33", "fe80::1%eth0"} {
		if page := save(wrong, 422); !strings.Contains(page.Body, "is not an address or a network") {
			t.Errorf("%q passes", wrong)
		}
	}
}

// Redirect URLs are in force at once, by exact match; in production they need https.
func TestSettings(t *testing.T) {
	s := run(t)
	b := s.developer("ada@dev.example")
	id := s.upload(b, nil)
	path := "/panel/applications/" + id + "/settings"
	s.post(b, path, url.Values{"name": {"Renamed"}, "redirect_urls": {"https://b.example/cb"}, "webhook_origins": {"https://b.example"},
		"description": {"D"}, "privacy_url": {"https://b.example/p"}}, 200)
	got := s.call(firstKey().token(t, id), "GET", "/application", nil)
	if got.body["name"] != "Renamed" || got.body["description"] != "D" || !strings.Contains(got.raw, `"redirect_urls":["https://b.example/cb"]`) {
		t.Error(got.raw)
	}
	body := map[string]any{
		"access": map[string]any{"valid_until": time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)},
		"aspsp":  map[string]any{"name": "Mock ASPSP", "country": "FI"},
		"state":  "s", "redirect_url": callback,
	}
	if got := s.call(firstKey().token(t, id), "POST", "/auth", body); got.body["error"] != "REDIRECT_URI_NOT_ALLOWED" {
		t.Errorf("the old redirect URL: %s", got.raw)
	}
	if page := s.page(b, path, 200); !strings.Contains(page.Body, "https://b.example</textarea>") {
		t.Error("the settings do not show the webhook origin")
	}
	id = s.upload(b, production)
	if page := s.post(b, "/panel/applications/"+id+"/settings", url.Values{"name": {"x"}, "redirect_urls": {"http://localhost/cb"}},
		422); strings.Count(page.Body, "field-problem") < 5 {
		t.Error("the rules of production are not those of a change")
	}
}

// security T18: what developers type is text, wherever it is shown.
func TestNamesAreText(t *testing.T) {
	s := run(t)
	b := s.developer("ada@dev.example")
	name := `</title><script>alert(1)</script>"'><img src=x onerror=alert(2)>`
	id := s.upload(b, url.Values{"name": {name}, "description": {name}})
	for _, path := range []string{"/panel/", "/panel/applications/" + id, "/panel/applications/" + id + "/keys", "/panel/applications/" + id + "/settings",
		"/panel/applications/" + id + "/accounts", "/panel/applications/" + id + "/requests", "/panel/applications/" + id + "/delete"} {
		page := s.page(b, path, 200)
		if strings.Contains(page.Body, "<script>alert") || strings.Contains(page.Body, "<img src=x") {
			t.Errorf("%s holds the name as markup", path)
		}
		if path != "/panel/" && page.Title != name {
			t.Errorf("%s: the heading is %q", path, page.Title)
		}
	}
}
