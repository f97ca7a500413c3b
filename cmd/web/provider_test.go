package main

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"florin/internal/contract/walk"
	"florin/internal/finance"
	"florin/web/templates/paths"
)

// alone starts a Florin without a service of its own, and creates the owner, who is signed in.
func alone(t *testing.T) (*florin, *person) {
	t.Helper()
	return ownedBy(begin(t, withoutService))
}

// ownedBy creates the owner of a new Florin.
func ownedBy(f *florin) (*florin, *person) {
	f.t.Helper()
	t := f.t
	p := newPerson(t)
	p.visit(f.setup)
	p.send("/setup", url.Values{"email": {ownerEmail}, "password": {ownerPassword}})
	return f, p
}

// A new owner without simulated banks is led to the services, connects one with a key that Florin made, links a bank through it, and sees its accounts.
func TestConnectAService(t *testing.T) {
	t.Parallel()
	x := newForeign(t)
	f, p := ownedBy(spawn(t, withoutService))
	if p.page.URL.Path != paths.Services {
		p.fatalf("the new owner came to %s", p.page.URL)
	}
	p.sees(http.StatusOK, "Connect one, and everybody on this server can link their banks.", "Connect Enable Banking")
	p.visit(f.web + paths.Link)
	p.sees(http.StatusOK, "No banking service is connected yet", "Connect a banking service")

	service := p.connects(f, x)
	p.sees(http.StatusOK, "Environment: sandbox", "The redirect URL is registered", "Accounts can be read (AIS)", "Payments can be made (PIS)",
		"It does not accept webhooks from this service")
	f.service = x.url
	p.link(f, exampleBank, exampleCountryCode, exampleCustomer)
	f.synced()
	p.visit(f.web + "/")
	p.sees(http.StatusOK, "Up to date")
	p.visit(f.web + service)
	p.sees(http.StatusOK, "1 connection", "You can remove it once all its banks are disconnected")
}

// The same with a key that the control panel made: the file name contains the application ID, and nothing has to be typed.
func TestConnectWithAKeyFile(t *testing.T) {
	t.Parallel()
	x := newForeign(t)
	f, p := alone(t)
	service := p.begins(f, x)
	private, certificate := ownKey()
	id := x.register(certificate, f.web+"/callback/"+path.Base(service))
	p.upload(service, id+" (1).pem", private)
	p.sees(http.StatusOK, "The banking service is connected.", id, "Everything is fine")
	secretStays(t, f, private, p)
	if db, err := os.ReadFile(filepath.Join(f.folder, "app.db")); err != nil || bytes.Contains(db, []byte(strings.Split(private, "\n")[3])) {
		t.Errorf("the database holds the key in the clear (%v)", err)
	}
}

// upload sends the form of a setup with a file.
func (p *person) upload(service, name, content string) {
	p.t.Helper()
	form, ok := p.page.Form(service)
	if !ok {
		p.fatalf("there is no form %q", service)
	}
	p.at(p.browser.Upload(context.Background(), form, nil, "key_file", name, []byte(content)))
}

// secretStays fails when a line of a private key is in the log or on a page of the services.
func secretStays(t *testing.T, f *florin, private string, p *person) {
	t.Helper()
	var seen strings.Builder
	for _, page := range []string{paths.Services, p.page.URL.Path, paths.Settings} {
		seen.WriteString(p.visit(f.web + page).Body)
	}
	seen.WriteString(f.err.String() + f.out.String())
	for _, line := range strings.Split(private, "\n") {
		if len(line) > 40 && !strings.HasPrefix(line, "-----") && strings.Contains(seen.String(), line) {
			t.Errorf("the private key is shown: %s…", line[:8])
		}
	}
}

// Mistakes and faults, each with the text that the person reads. A setup becomes a provider only once the service knows the key, and the typed values are kept.
func TestExaminationSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	x := newForeign(t)
	f, p := alone(t)
	const shortHand = "4d1e1b0c-6a3a-4cf4-9b7e-2b9d3f5f0a11"
	_, another := ownKey()
	service := p.begins(f, x)
	callback := f.web + "/callback/" + path.Base(service)
	right := x.register(p.certificate(f, service), callback)
	withoutRedirect := x.register(p.certificate(f, service), callback+"/")
	hostile := "<script>alert(1)</script>\u202e" + strings.Repeat("x", 5000)
	for _, test := range []struct {
		name  string
		id    string
		fault func(http.Handler) http.Handler
		want  []string // texts on the page
		not   []string
		live  bool // the setup became a provider
	}{
		{"another key", x.register(another, callback), nil,
			[]string{"Not connected yet", "refused Florin’s proof of identity (status 401)", "registered with a certificate other than the one on this page",
				"issuer and audience", "UNAUTHORIZED_ACCESS"}, nil, false},
		{"an id that nobody has", shortHand, nil, []string{"refused Florin’s proof of identity (status 401)", "compare " + shortHand}, nil, false},
		{"a clock that is off", right, answering(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", time.Now().Add(-7*time.Minute).UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"code":401,"message":"Unauthorized access","error":"UNAUTHORIZED_ACCESS"}`))
		}), []string{"The clock of this server is 7 minutes ahead", "NTP"}, []string{"issuer and audience"}, false},
		{"another address", right, answering(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/stolen", http.StatusFound)
		}),
			[]string{"redirects Florin to another address (status 302)", "does not follow"}, []string{"stolen"}, false},
		{"a website", right, answering(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<!DOCTYPE html><p>hello")) }),
			[]string{"not like this API"}, nil, false},
		{"a page that is not there", right, answering(http.NotFound), []string{"not like this API"}, nil, false},
		{"a huge answer", right, answering(func(w http.ResponseWriter, _ *http.Request) {
			block := []byte(`{"name":"` + strings.Repeat("y", 1<<16))
			for range 64 {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}), []string{"a far larger answer than this API would"}, []string{"yyyy"}, false},
		{"huge headers", right, answering(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Much", strings.Repeat("z", 1<<20))
		}), []string{"Florin could not reach the banking service"}, []string{"zzzz"}, false},
		{"an address that is not allowed", right, answering(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"code":403,"message":"no","error":"UNAUTHORIZED_IP"}`))
		}), []string{"only be used from certain network addresses", "UNAUTHORIZED_IP"}, nil, false},
		{"trouble of its own", right, answering(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }),
			[]string{"has a problem of its own (status 500)"}, nil, false},
		{"another application", right, changed(func(a map[string]any) { a["kid"] = shortHand }), []string{"answered for another application, " + shortHand},
			nil, false},
		{"no environment", right, changed(func(a map[string]any) { a["environment"] = "STAGING" }), []string{"does not say PRODUCTION or SANDBOX"}, nil, false},
		{"hostile words of a refusal", right, answering(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"code":403,"message":"` + strings.ReplaceAll(hostile, `"`, ``) + `","error":"` + hostile + `"}`))
		}), []string{"&lt;script&gt;alert(1)&lt;/script&gt;xxx"}, []string{"<script>alert", "\u202e", strings.Repeat("x", 600)}, false},

		// In the following cases the service knows the key: the setup is a provider, and the remaining steps are shown.
		{"no redirect URL", withoutRedirect, nil, []string{"Something to do", callback, "differs only by a slash at the end", "exactly as it is here"}, nil, true},
		{"not active", right, func(next http.Handler) http.Handler {
			next = changed(func(a map[string]any) { a["active"], a["environment"] = false, "PRODUCTION" })(next)
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/application" {
					next.ServeHTTP(w, r)
					return
				}
				w.WriteHeader(http.StatusForbidden)
				_, _ = w.Write([]byte(`{"code":403,"message":"Application is not active"}`))
			})
		}, []string{"Something to do", "Link your own accounts to it in the control panel", "once the application is active", "Environment: production",
			"NO_ACCOUNTS_ADDED"}, nil, true},
		{"no payments", right, changed(func(a map[string]any) { a["services"] = []string{"AIS"} }),
			[]string{">Ready<", "No payments (PIS)", "your bank’s own app sends it", `href="/payments"`}, nil, true},
		{"no accounts", right, changed(func(a map[string]any) { a["services"] = []string{"PIS", "TELEPATHY"} }),
			[]string{"Something to do", "may not read accounts"}, []string{"TELEPATHY"}, true},
		{"real money", right, changed(func(a map[string]any) { a["environment"] = "PRODUCTION" }),
			[]string{">Ready<", `href="/payments"`, "Real money moves.", "Only your own accounts, without a contract"}, []string{"Simulated: no real money"}, true},
		{"no banks", right, func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/aspsps" {
					_, _ = w.Write([]byte(`{"aspsps":[]}`))
					return
				}
				next.ServeHTTP(w, r)
			})
		}, []string{"Something to do", "It is empty."}, nil, true},
		{"hostile words of an application", right, nil, []string{">Ready<", "&lt;script&gt;", "Finland"},
			[]string{"<script>alert", "\u202e", strings.Repeat("x", 600), `href="javascript`}, true},
	} {
		x.breaks(nil)
		if p.page.URL.Path != service || !strings.Contains(p.page.Body, "2. Enter the application ID") {
			service = p.begins(f, x) // the last setup has become a provider, so a new one is needed
		}
		if test.live { // each provider has its own redirect URL
			old := p.certificate(f, service)
			now := f.web + "/callback/" + path.Base(service)
			callbackNow := now
			if test.name == "no redirect URL" {
				callbackNow += "/"
			}
			test.id = x.register(old, callbackNow)
			for i, want := range test.want {
				test.want[i] = strings.ReplaceAll(want, callback, now)
			}
			if test.name == "hostile words of an application" {
				test.fault = changed(func(a map[string]any) {
					a["name"], a["description"], a["redirect_urls"] = hostile, hostile, []string{now, "javascript:alert(1)", hostile}
					a["countries"] = []string{"FI", hostile, "<>"}
				})
			}
		}
		x.breaks(test.fault)
		p.send(service, url.Values{"application_id": {test.id}})
		if p.page.Status != http.StatusOK {
			p.fatalf("%s: status %d", test.name, p.page.Status)
		}
		for _, want := range test.want {
			if !strings.Contains(p.page.Body, want) {
				t.Errorf("%s: the page lacks %q", test.name, want)
			}
		}
		for _, not := range test.not {
			if strings.Contains(p.page.Body, not) {
				t.Errorf("%s: the page has %q", test.name, not[:min(len(not), 40)])
			}
		}
		if connected := strings.Contains(p.page.Body, "Key in use since"); connected != test.live {
			t.Errorf("%s: connected is %v", test.name, connected)
		}
		if !test.live {
			if form, ok := p.page.Form(service); !ok || form.Fields.Get("application_id") != test.id || form.Fields.Get("issuer") != foreignIssuer {
				t.Errorf("%s: what was typed is lost: %v", test.name, form.Fields)
			}
		}
		if t.Failed() {
			p.fatalf("%s", test.name)
		}
		if test.live {
			x.breaks(nil)
			p.send("/remove", nil)
			p.sees(http.StatusOK, "The banking service is removed")
		}
	}
}

// A service that stops answering after it was connected.
func TestServiceIsDown(t *testing.T) {
	t.Parallel()
	x := newForeign(t)
	f, p := alone(t)
	service := p.connects(f, x)
	x.web.CloseClientConnections()
	x.web.Listener.Close()
	p.visit(f.web + service)
	p.send("/examine", nil)
	p.sees(http.StatusOK, "Nothing answers at "+strings.TrimPrefix(x.url, "http://"), "Does not work", "Florin checks everything else once the banking service answers")
	p.visit(f.web + paths.Services)
	p.sees(http.StatusOK, "Does not work")
}

// Two services with the same banks: pages distinguish them, each works independently, and one that is unreachable does not hide the other's banks.
func TestTwoServices(t *testing.T) {
	t.Parallel()
	x := newForeign(t)
	f := begin(t)
	embedded := f.service
	p := newPerson(t)
	p.setUp(f)
	service := p.connects(f, x)
	list := f.web + "/link?" + url.Values{"q": {exampleBank}, "country": {exampleCountryCode}}.Encode()
	p.visit(list)
	p.sees(http.StatusOK, "through <bdi>Foreign service</bdi>", "through <bdi>Simulated banks</bdi>", "2 banks")
	for provider, service := range map[string]string{finance.EmbeddedProvider: embedded, path.Base(service): x.url} {
		p.visit(list)
		p.visit(p.leaving(f.web + "/link/bank?" + url.Values{"bank": {exampleBank}, "country": {exampleCountryCode}, "provider": {provider}}.Encode()))
		f.service = service
		choices := url.Values{}
		if strings.Contains(p.page.Body, `name="again"`) {
			t.Errorf("%s: a connection of the other service can be renewed here", provider)
		}
		p.approve(f, choices, exampleCustomer)
		if !strings.Contains(p.page.Body, exampleBank+"</bdi> is linked") {
			p.fatalf("%s: not linked", provider)
		}
	}
	p.visit(f.web + service)
	p.sees(http.StatusOK, "1 connection")
	connected := applicationIDOf(t, p.page.Body)
	second := p.begins(f, x)
	p.send(second, url.Values{"application_id": {connected}})
	p.sees(http.StatusUnprocessableEntity, "This application is already connected, as Foreign service.")
	p.visit(f.web + paths.Service(finance.EmbeddedProvider))
	p.sees(http.StatusOK, "This banking service is part of Florin.")
	p.send("/examine", nil)
	p.sees(http.StatusOK, "Everything is fine", ">Ready<")

	// The service is unavailable. A restart of Florin makes it request the list of banks again, as it does when the list is old.
	if err := f.end(); err != nil {
		t.Fatal(err)
	}
	x.web.CloseClientConnections()
	x.web.Listener.Close()
	again := beginIn(t, f.folder, "--public-url="+f.web, "--listen="+strings.TrimPrefix(f.web, "http://"),
		"--service-listen="+strings.TrimPrefix(embedded, "http://"), "--service-url="+embedded)
	p.visit(again.web + "/link")
	p.sees(http.StatusOK, "The banks of Foreign service are missing here", exampleBank, "through <bdi>Simulated banks</bdi>")
}

var uuids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// applicationIDOf is the application ID that a page shows.
func applicationIDOf(t *testing.T, page string) string {
	t.Helper()
	_, after, ok := strings.Cut(page, "<dt>Application ID</dt>")
	if !ok {
		t.Fatal("the page shows no application ID")
	}
	return uuids.FindString(after)
}

// Another key replaces the present one only once the service knows it. Connections stay.
func TestAnotherKey(t *testing.T) {
	t.Parallel()
	x := newForeign(t)
	f, p := alone(t)
	service := p.connects(f, x)
	f.service = x.url
	p.link(f, exampleBank, exampleCountryCode, exampleCustomer)
	p.visit(f.web + service)
	before := p.page.Body
	p.send("/key", nil)
	p.sees(http.StatusOK, "Another key or application", ">Ready<", "Download the certificate")
	certificate := p.certificate(f, service)
	_, foreign := ownKey()
	p.send(service, url.Values{"application_id": {x.register(foreign, f.web+"/callback/"+path.Base(service))}})
	p.sees(http.StatusOK, "It does not work yet.", "Connection check with the new key", ">Ready<")
	id := x.register(certificate, f.web+"/callback/"+path.Base(service))
	p.send(service, url.Values{"application_id": {id}})
	p.sees(http.StatusOK, "The banking service is connected.", id, "1 connection")
	if strings.Contains(p.page.Body, "Another key or application</h2>") || strings.Contains(before, id) {
		p.fatalf("the setup is not over")
	}
	p.visit(f.web + "/")
	p.sees(http.StatusOK, exampleBank)

	// A key change that is begun and discarded: the present key stays.
	p.visit(f.web + service)
	p.send("/key", nil)
	p.send("/discard", nil)
	p.sees(http.StatusOK, "The current key stays in use.", id)

	// A provider in use is not removed, even by a direct request.
	p.request(http.MethodPost, f.web+service+"/remove")
	p.sees(http.StatusOK, "The banking service is in use and was not removed.", id)
}

// A key change with the control panel of the service itself: the application gets a second key there, Florin takes the new one, the old one is ended, and
// syncing continues. When the application is paused there, the examination reports that.
func TestKeyIsExchangedInTheControlPanel(t *testing.T) {
	t.Parallel()
	x := newForeign(t)
	f, p := ownedBy(spawn(t, withoutService))
	developer := x.developer()
	service := p.begins(f, x)
	developer.visit(x.url + "/panel/applications/new")
	form, _ := developer.page.Form("/panel/applications")
	id, _, _ := strings.Cut(form.Fields.Get("ticket"), ".")
	developer.posts(x.url+"/panel/applications",
		url.Values{"ticket": {form.Fields.Get("ticket")}, "environment": {"SANDBOX"}, "name": {"My Florin"},
			"redirect_urls": {f.web + "/callback/" + path.Base(service)},
			"way":           {"upload"}, "certificate": {p.certificate(f, service)}})
	p.send(service, url.Values{"application_id": {id}})
	p.sees(http.StatusOK, "The banking service is connected.", "Everything is fine", "My Florin")
	f.service = x.url
	p.link(f, exampleBank, exampleCountryCode, exampleCustomer)
	f.synced()

	p.visit(f.web + service)
	p.send("/key", nil)
	application := x.url + "/panel/applications/" + id
	developer.visit(application + "/keys")
	first := regexp.MustCompile(`/keys/([0-9a-f-]{36})/end`)
	if first.MatchString(developer.page.Body) {
		developer.fatalf("the only key can be ended")
	}
	developer.posts(application+"/keys", url.Values{"way": {"upload"}, "certificate": {p.certificate(f, service)}})
	p.send(service, url.Values{"application_id": {id}})
	p.sees(http.StatusOK, "The banking service is connected.", "Everything is fine", "1 connection")
	developer.visit(application + "/keys")
	ends := first.FindAllStringSubmatch(developer.page.Body, -1)
	if len(ends) != 2 {
		developer.fatalf("%d keys can be ended, want 2", len(ends))
	}
	developer.posts(application+"/keys/"+ends[0][1]+"/end", url.Values{"typed": {id}})
	p.visit(f.web + service)
	p.send("/examine", nil)
	if strings.Contains(p.page.Body, "does not accept Florin") { // the ended key was the new one: who ends the wrong key sees this text
		t.Fatal("the first of the list is the new key")
	}
	p.sees(http.StatusOK, "Everything is fine", "1 connection")
	p.visit(f.web + "/")
	p.visit(p.leaving(f.web + "/connections/"))
	p.send("/refresh", nil)
	for end := time.Now().Add(patience); !strings.Contains(p.visit(f.web+"/").Body, "Up to date"); {
		if time.Now().After(end) {
			p.fatalf("nothing is fetched with the new key")
		}
		time.Sleep(50 * time.Millisecond)
	}

	developer.posts(application+"/pause", nil)
	p.visit(f.web + service)
	p.send("/examine", nil)
	p.sees(http.StatusOK, "Something to do", "Activate it in the control panel.", "once the application is active")
	developer.posts(application+"/resume", nil)
	p.visit(f.web + service)
	p.send("/examine", nil)
	p.sees(http.StatusOK, "Everything is fine")
}

// begin begins to connect the public service, as far as that is possible without access to it.
func (p *person) begin(f *florin) {
	p.t.Helper()
	p.visit(f.web + paths.Services)
	form := walk.Form{}
	for _, candidate := range p.page.Forms {
		if candidate.Fields.Get("service") == "preset" {
			form = candidate
		}
	}
	p.at(p.browser.Submit(context.Background(), form, nil))
	p.sees(http.StatusOK, "https://enablebanking.com/cp/applications")
}

// The button for the public service leads to the remaining steps, once.
func TestSetUpThePublicService(t *testing.T) {
	t.Parallel()
	f, p := alone(t)
	for range 2 {
		p.begin(f)
		p.sees(http.StatusOK, "https://enablebanking.com/cp/applications", f.web+"/callback/enablebanking", "Download the certificate",
			"Real banks need an address with https")
		if p.page.URL.Path != paths.Service("enablebanking") {
			p.fatalf("came to %s", p.page.URL)
		}
	}
	for _, field := range []string{"base_url", "issuer", "audience"} {
		if form, ok := p.page.Form(paths.Service("enablebanking")); !ok || form.Fields.Has(field) {
			p.fatalf("the address of the public service can be changed: %s", field)
		}
	}
	p.send(paths.Service("enablebanking"), url.Values{"application_id": {"not an id"}})
	p.sees(http.StatusUnprocessableEntity, "This is not an application ID", "not an id")
	p.upload(paths.Service("enablebanking"), "key.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----")
	p.sees(http.StatusUnprocessableEntity, "This is not an application ID", "not an id", "Florin cannot use this key")
	p.send(paths.Service("enablebanking"), url.Values{"application_id": {""}})
	p.sees(http.StatusUnprocessableEntity, "Enter the application ID that the control panel shows")
	p.request(http.MethodPost, f.web+paths.Service("enablebanking")+"/examine")
	p.sees(http.StatusOK, "Enter the application ID first")
	p.send("/discard", nil)
	p.sees(http.StatusOK, "is cancelled, and its key is deleted")
}
