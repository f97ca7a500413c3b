package panel_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"florin/internal/aggregator"
	"florin/internal/aggregator/server"
	"florin/internal/aggregator/storage"
	"florin/internal/contract/walk"
	"florin/internal/openbanking"
	"florin/internal/testkit"
)

// runWebhooks starts a service that sends webhooks, also to these origins on this machine. folder is empty, or that of a
// service that has stopped.
func runWebhooks(t *testing.T, folder string, allow ...string) *service {
	t.Helper()
	listener := must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	s := run(t, func(o *server.Options) {
		if folder != "" {
			o.DataDir = folder
		}
		o.TLSURL, o.WebhookAllow = "https://"+listener.Addr().String(), allow
	})
	if folder != "" {
		s.folder = folder
	}
	certificates := &http.Server{Handler: s.server.Certificates(), TLSConfig: s.server.TLSConfig(), ReadHeaderTimeout: time.Minute}
	go func() { _ = certificates.ServeTLS(listener, "", "") }() // it always ends with an error
	t.Cleanup(func() { _ = certificates.Close() })
	return s
}

// life is what becomes of a payment whose events go to an address.
type life struct {
	url      string
	statuses []openbanking.PaymentStatus
}

// happen stops the service, puts payments of an application into its database, and starts another one on that. It returns
// the ids of the payments.
func (s *service) happen(application string, lives []life, allow ...string) (again *service, payments []string) {
	t := s.t
	t.Helper()
	s.stop()
	store := must[*storage.Store](t)(storage.Open(t.Context(), filepath.Join(s.folder, "aggregator.db")))
	at := s.clock.Now().UTC().Truncate(time.Millisecond)
	for _, l := range lives {
		id := uuid.NewString()
		payments = append(payments, id)
		p := aggregator.Payment{
			Authorization: aggregator.Authorization{
				AuthorizationID: id, ApplicationID: application, ASPSP: openbanking.ASPSP{Name: "Mock ASPSP", Country: "FI"}, PSUType: openbanking.PSUTypePersonal,
				PSUIDHash: strings.Repeat("a", 64), State: "state", RedirectURL: callback, Created: at, PageExpires: at.Add(30 * time.Minute),
			},
			Type: openbanking.PaymentTypeSEPA, WebhookURL: l.url,
			Transfers: []aggregator.Transfer{{ID: uuid.NewString(), Status: openbanking.PaymentStatusPDNG}},
		}
		if err := store.CreatePayment(t.Context(), p, strings.Repeat("0", 28)+strings.ReplaceAll(id, "-", "")+"0000", aggregator.SuppliedCredentials{}); err != nil {
			t.Fatal(err)
		}
		for i, status := range l.statuses {
			at = at.Add(time.Millisecond)
			_, err := store.UpdatePayment(t.Context(), id, at, func(p *aggregator.Payment) error {
				p.Status, p.Final = status, aggregator.FinalStatus(status, nil)
				if i > 0 {
					return nil
				}
				if p.AuthStatus = openbanking.PaymentAuthStatusFailed; status != openbanking.PaymentStatusRJCT {
					p.AuthStatus, p.Approved = openbanking.PaymentAuthStatusFinalised, at
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return runWebhooks(t, s.folder, allow...), payments
}

// receiver is where webhooks arrive. It answers each with the status that reply gives.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	received []delivery
	arrived  chan struct{}
}

type delivery struct {
	body   string
	header http.Header
}

func receive(t *testing.T, reply func(openbanking.PaymentStatusWebhook) int) *receiver {
	t.Helper()
	r := &receiver{arrived: make(chan struct{}, 100)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		var event openbanking.PaymentStatusWebhook
		if err != nil || json.Unmarshal(body, &event) != nil {
			t.Errorf("received %q: %v", body, err)
		}
		r.mu.Lock()
		r.received = append(r.received, delivery{string(body), request.Header})
		r.mu.Unlock()
		w.WriteHeader(reply(event))
		r.arrived <- struct{}{}
	}))
	t.Cleanup(r.Close)
	return r
}

// await waits for so many deliveries in all and returns them.
func (r *receiver) await(t *testing.T, n int) []delivery {
	t.Helper()
	for {
		r.mu.Lock()
		list := append([]delivery(nil), r.received...)
		r.mu.Unlock()
		if len(list) >= n {
			return list
		}
		select {
		case <-r.arrived:
		case <-time.After(30 * time.Second):
			t.Fatalf("%d deliveries, want %d", len(list), n)
		}
	}
}

// awaitPage opens a page until it says something.
func (s *service) awaitPage(b *walk.Browser, path, text string) *walk.Page {
	s.t.Helper()
	deadline, cancel := context.WithTimeout(s.t.Context(), 30*time.Second)
	defer cancel()
	for {
		page := s.page(b, path, 200)
		if strings.Contains(page.Body, text) {
			return page
		}
		select {
		case <-deadline.Done():
			s.t.Fatalf("%s never says %q", path, text)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

var (
	ended    = []openbanking.PaymentStatus{openbanking.PaymentStatusACSP, openbanking.PaymentStatusACSC}
	rejected = []openbanking.PaymentStatus{openbanking.PaymentStatusRJCT}
)

const anInstant = `\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}`

// The delivery log holds every event with what became of it, the newest first.
func TestDeliveryLog(t *testing.T) {
	good := receive(t, func(openbanking.PaymentStatusWebhook) int { return 204 })
	bad := receive(t, func(openbanking.PaymentStatusWebhook) int { return 500 })
	s := runWebhooks(t, "")
	b := s.developer("ada@dev.example")
	id := s.upload(b, url.Values{"webhook_origins": {good.URL + "\n" + bad.URL + "\nhttp://localhost:9"}})
	path := "/panel/applications/" + id + "/webhooks"
	if page := s.page(b, path, 200); !strings.Contains(page.Body, "There is no event yet.") || !strings.Contains(page.Body, good.URL) {
		t.Error("the empty log does not say how to fill it")
	}
	s, payments := s.happen(id, []life{{good.URL + "/hook?a=b", ended}, {bad.URL, rejected}, {"http://localhost:9/x", rejected}}, good.URL, bad.URL)
	s.clock.Stop() // each event is tried once
	b = s.developer("ada@dev.example")
	deliveries := good.await(t, 2)
	bad.await(t, 1)
	s.awaitPage(b, path+"?payment="+payments[2], "refused")
	s.awaitPage(b, path+"?payment="+payments[1], "this status does not acknowledge")
	s.awaitPage(b, path+"?status=delivered", `>ACSC<`)
	rows, page := s.logRows(b, path)
	want := []string{
		`RJCT \| RJCT \| Open \| 1 \| refused: the address has to begin with https \| \d\d:\d\d:\d\d \| ` + payments[2],
		`RJCT \| RJCT \| Open \| 1 \| this status does not acknowledge \| \d\d:\d\d:\d\d \| ` + payments[1],
		`ACSC \| ACSC \| Delivered \| 1 \| acknowledged \| \| ` + payments[0],
		`ACSP \| ACSP \| Delivered \| 1 \| acknowledged \| \| ` + payments[0],
	}
	if len(rows) != len(want) {
		t.Fatalf("%d rows:\n%s", len(rows), strings.Join(rows, "\n"))
	}
	for i, row := range rows {
		if !regexp.MustCompile(`^` + anInstant + `: ` + want[i] + `… \|$`).MatchString(row) {
			t.Errorf("row %d: %s, want %s", i, row, want[i])
		}
	}
	for _, tt := range []struct {
		query string
		rows  int
	}{
		{"?status=open", 2}, {"?status=delivered", 2}, {"?status=given+up", 0}, {"?status=nonsense", 0}, {"?payment=" + strings.ToUpper(payments[0]), 2},
		{"?payment=" + payments[0] + "&status=open", 0}, {"?payment=%27+OR+1%3D1", 0}, {"?before=nonsense", 4}, {"?status=", 4},
	} {
		if rows, page := s.logRows(b, path+tt.query); len(rows) != tt.rows || tt.rows == 0 && !strings.Contains(page.Body, "No event matches.") {
			t.Errorf("%s: %d rows, want %d", tt.query, len(rows), tt.rows)
		}
	}

	// One event: its attempts and the request to the last byte.
	links := regexp.MustCompile(`href="(`+regexp.QuoteMeta(path)+`/[0-9a-f-]{36})"`).FindAllStringSubmatch(page.Body, -1)
	if len(links) != 4 {
		t.Fatalf("%d links to events", len(links))
	}
	for i, tt := range []struct {
		attempt string
		body    string
		facts   []string
	}{
		{`none \| refused: the address has to begin with https`, "", []string{payments[2], "http://localhost:9/x", "number 1 of the payment", "Next try"}},
		{`500 Internal Server Error \| this status does not acknowledge`, "", []string{payments[1], bad.URL, "number 1 of the payment", "Next try"}},
		{`204 No Content \| acknowledged`, deliveries[1].body, []string{payments[0], good.URL + "/hook?a=b", "number 2 of the payment", "Delivered"}},
		{`204 No Content \| acknowledged`, deliveries[0].body, []string{payments[0], good.URL + "/hook?a=b", "number 1 of the payment", "Delivered"}},
	} {
		attempts, page := s.logRows(b, links[i][1])
		if len(attempts) != 1 || !regexp.MustCompile(`^1 \| `+anInstant+` \| `+tt.attempt+` \| [\d.]+ ms \|$`).MatchString(attempts[0]) {
			t.Errorf("attempts of event %d: %q, want %s", i, attempts, tt.attempt)
		}
		for _, fact := range append(tt.facts, links[i][1][len(path)+1:]) {
			if !strings.Contains(html.UnescapeString(page.Body), fact) {
				t.Errorf("event %d does not show %q", i, fact)
			}
		}
		texts := shown(page)
		if tt.body != "" && texts["body"] != tt.body {
			t.Errorf("event %d: body %q, was sent as %q", i, texts["body"], tt.body)
		}
		var claims struct {
			Sub         string `json:"sub"`
			Environment string `json:"environment"`
			Msgi        string `json:"msgi"`
		}
		if err := json.Unmarshal([]byte(texts["claims"]), &claims); err != nil || claims.Sub != id || claims.Environment != "SANDBOX" ||
			!strings.HasPrefix(claims.Msgi, "sha256-") {
			t.Errorf("event %d: payload %q", i, texts["claims"])
		}
		if !regexp.MustCompile(`"alg": "RS256",\s+"typ": "JWT",\s+"x5u": "https://127\.0\.0\.1:\d+/webhook-keys/[0-9a-f-]{36}\.pem"`).MatchString(texts["tokenheader"]) {
			t.Errorf("event %d: header %q", i, texts["tokenheader"])
		}
		if strings.Contains(page.Body, "eyJ") {
			t.Errorf("event %d: the page shows a token", i)
		}
	}
	if page := s.page(b, links[2][1], 200); !strings.Contains(shown(page)["headers"],
		"POST /hook?a=b HTTP/1.1\nHost: "+strings.TrimPrefix(good.URL, "http://")+"\n") {
		t.Errorf("headers %q", shown(page)["headers"])
	}
	if _, calls := s.logRows(b, "/panel/applications/"+id+"/requests?resource="+payments[0]); calls == nil || !strings.Contains(calls.Body, "No request matches.") {
		t.Error("calls about a payment that nobody made are found")
	}
}

// The log is read in pages, by where the last one ended.
func TestPagesOfTheDeliveryLog(t *testing.T) {
	s := runWebhooks(t, "")
	b := s.developer("ada@dev.example")
	id := s.upload(b, url.Values{"webhook_origins": {"http://localhost:9"}})
	var lives []life
	for range 60 {
		lives = append(lives, life{"http://localhost:9/", ended})
	}
	s, _ = s.happen(id, lives)
	b = s.developer("ada@dev.example")
	older := regexp.MustCompile(`href="([^"]+)">Older<`)
	seen := map[string]bool{}
	path := "/panel/applications/" + id + "/webhooks?status=open"
	for n, want := range []int{50, 50, 20} {
		rows, page := s.logRows(b, path)
		if len(rows) != want {
			t.Fatalf("page %d has %d events, want %d", n, len(rows), want)
		}
		for _, link := range regexp.MustCompile(`/webhooks/[0-9a-f-]{36}"`).FindAllString(page.Body, -1) {
			if seen[link] {
				t.Errorf("%s is on two pages", link)
			}
			seen[link] = true
		}
		if strings.Contains(page.Body, ">Newest<") != (n > 0) || strings.Contains(page.Body, ">Older<") != (n < 2) {
			t.Errorf("page %d leads to the wrong pages", n)
		}
		if m := older.FindStringSubmatch(page.Body); m != nil {
			path = html.UnescapeString(m[1])
		}
	}
	if len(seen) != 120 {
		t.Errorf("%d events, want 120", len(seen))
	}
}

// An event is sent again with the same body and the same webhook_id, whatever became of it before.
func TestSendAgain(t *testing.T) {
	var mu sync.Mutex
	status := 500
	target := receive(t, func(openbanking.PaymentStatusWebhook) int {
		mu.Lock()
		defer mu.Unlock()
		return status
	})
	s := runWebhooks(t, "")
	b := s.developer("ada@dev.example")
	id := s.upload(b, url.Values{"webhook_origins": {target.URL}})
	s, _ = s.happen(id, []life{{target.URL, rejected}}, target.URL)
	b = s.developer("ada@dev.example")
	target.await(t, 1)
	list := "/panel/applications/" + id + "/webhooks"
	page := s.awaitPage(b, list, "this status does not acknowledge")
	event := regexp.MustCompile(regexp.QuoteMeta(list) + `/[0-9a-f-]{36}`).FindString(page.Body)
	for n, answer := range []int{500, 200, 200, 503} { // open, open, delivered, delivered
		mu.Lock()
		status = answer
		mu.Unlock()
		form, ok := s.page(b, event, 200).Form("/again")
		if !ok {
			t.Fatal("the page cannot send the event again")
		}
		page := must[*walk.Page](t)(b.Submit(t.Context(), form, nil))
		if page.Status != 200 || page.URL.Path != event || !strings.Contains(page.Body, "The event is on its way again.") {
			t.Errorf("sent again: %d, %q at %s", page.Status, page.Title, page.URL)
		}
		deliveries := target.await(t, n+2)
		first, last := deliveries[0], deliveries[n+1]
		if last.body != first.body || last.header.Get("X-Request-Id") == first.header.Get("X-Request-Id") ||
			!strings.HasPrefix(last.header.Get("Authorization"), "Bearer ey") {
			t.Errorf("try %d: %+v", n+2, last)
		}
		s.awaitPage(b, event, fmt.Sprintf(`<td class="fixed">%d</td>`, n+2))
		if page := s.page(b, event, 200); strings.Contains(page.Body, ">Delivered</span>") != (n >= 1) {
			t.Errorf("after try %d with %d the event is delivered: %v", n+2, answer, n < 1)
		}
	}
	s.post(b, list+"/"+uuid.NewString()+"/again", nil, 404)
	s.page(b, list+"/"+uuid.NewString(), 404)
	s.page(b, list+"/x", 404)
}

// security T14: the events of another developer's application are not there, whichever application the address names.
func TestWebhooksOfOthersAreNotThere(t *testing.T) {
	testkit.Unwatched(t)
	s := runWebhooks(t, "")
	id := s.upload(s.developer("ada@dev.example"), url.Values{"webhook_origins": {"http://localhost:9"}})
	s, _ = s.happen(id, []life{{"http://localhost:9/", rejected}})
	ada, eve := s.developer("ada@dev.example"), s.developer("eve@dev.example")
	other := s.upload(eve, nil)
	path := "/panel/applications/" + id + "/webhooks"
	event := strings.TrimPrefix(regexp.MustCompile(regexp.QuoteMeta(path)+`/[0-9a-f-]{36}`).FindString(s.page(ada, path, 200).Body), path)
	if len(event) != 37 {
		t.Fatalf("no event: %q", event)
	}
	for _, base := range []string{path, "/panel/applications/" + other + "/webhooks"} {
		s.page(eve, base+event, 404)
		s.page(eve, base+"/verify?webhook="+event[1:], 404)
		s.post(eve, base+event+"/again", nil, 404)
	}
	s.page(ada, path+event, 200)
	s.page(ada, path+"/verify?webhook="+event[1:], 200)
	s.page(ada, "/panel/operator/applications/"+id+"/webhooks", 403)
	s.page(s.operator(), "/panel/operator/applications/"+id+"/webhooks", 404) // nor are they the operator's
}

// The operator sees the events of the operator's own applications.
func TestWebhooksOfTheOperator(t *testing.T) {
	target := receive(t, func(openbanking.PaymentStatusWebhook) int { return 200 })
	s := runWebhooks(t, "")
	app := must[aggregator.Application](t)(s.server.Register(t.Context(), openbanking.RegisterApplicationRequest{
		Certificate: firstKey().certificate, Environment: openbanking.EnvironmentSandbox, Name: "Household", RedirectURLs: []string{callback},
	}, []string{target.URL}))
	s, _ = s.happen(app.ID, []life{{target.URL, rejected}}) // allowed to the operator without being named
	target.await(t, 1)
	b := s.operator()
	path := "/panel/operator/applications/" + app.ID + "/webhooks"
	if page := s.page(b, "/panel/operator", 200); !strings.Contains(page.Body, `href="`+path+`"`) || !strings.Contains(page.Body, "Household") {
		t.Error("the operator's page does not lead to the events")
	}
	page := s.awaitPage(b, path, ">Delivered</span>")
	event := regexp.MustCompile(regexp.QuoteMeta(path) + `/[0-9a-f-]{36}`).FindString(page.Body)
	form, ok := s.page(b, event, 200).Form("/again")
	if !ok {
		t.Fatal("the operator cannot send the event again")
	}
	if page := must[*walk.Page](t)(b.Submit(t.Context(), form, nil)); page.Status != 200 || !strings.Contains(page.Body, "The event is on its way again.") {
		t.Errorf("sent again: %d %q", page.Status, page.Title)
	}
	target.await(t, 2)
	for _, path := range []string{path, path + "/verify", event, event + "/again"} {
		method := "GET"
		if strings.HasSuffix(path, "/again") {
			method = "POST"
		}
		request := must[*http.Request](t)(http.NewRequestWithContext(t.Context(), method, s.url+path, nil))
		if got := s.do(request); got.status != 403 {
			t.Errorf("%s for everybody: %d", path, got.status)
		}
	}
	s.page(s.developer("ada@dev.example"), "/panel/applications/"+app.ID+"/webhooks", 404)
}

// sample runs the receiver of the documents and returns its address and what it says, line by line.
func sample(t *testing.T, application, root string) (address string, lines <-chan string) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "receiver")
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./sample").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	command := exec.CommandContext(t.Context(), program, "-listen", "127.0.0.1:0", "-application", application, "-domain", "127.0.0.1", "-root", root)
	output := must[io.ReadCloser](t)(command.StderrPipe())
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 100)
	go func() {
		defer close(said)
		for scanner := bufio.NewScanner(output); scanner.Scan(); {
			said <- scanner.Text()
		}
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait() // it was killed
	})
	_, address, _ = strings.Cut(<-said, "listening at ")
	if address == "" {
		t.Fatal("the receiver does not start")
	}
	return "http://" + address, said
}

// shell runs a script in a folder of its own and returns what it prints.
func shell(t *testing.T, script string) (output string, ok bool) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "sh", "-c", script)
	command.Dir = t.TempDir()
	text, err := command.CombinedOutput()
	return string(text), err == nil
}

// What the page that explains webhooks shows works as it stands: the receiver in Go with real deliveries, the script and the
// call with the example.
func TestHowToVerifyAWebhook(t *testing.T) {
	testkit.Unwatched(t)
	testkit.Long(t, testkit.Tools)
	s := runWebhooks(t, "")
	b := s.developer("ada@dev.example")
	id := s.upload(b, nil)
	verify := "/panel/applications/" + id + "/webhooks/verify"
	root := filepath.Join(t.TempDir(), "florin-ca.pem")
	authority := regexp.MustCompile(`href="([^"]+)" download="florin-ca.pem">download its root certificate<`).FindStringSubmatch(s.page(b, verify, 200).Body)
	if authority == nil {
		t.Fatal("the page does not lead to the root certificate")
	}
	if output, ok := shell(t, "curl -fsS -o "+root+" "+authority[1]); !ok {
		t.Fatalf("the root certificate: %s", output)
	}
	address, said := sample(t, id, root)

	// Before the first delivery the example is an invented one, which verifies, too.
	page := s.page(b, verify, 200)
	if output, ok := shell(t, shown(page)["script"]); !ok || output != "verified\n" || !strings.Contains(page.Body, ">Invented<") {
		t.Errorf("an invented example: %s", output)
	}

	s.post(b, "/panel/applications/"+id+"/settings", url.Values{"name": {"Ledger"}, "redirect_urls": {callback}, "webhook_origins": {address}}, 200)
	s, payments := s.happen(id, []life{{address + "/hooks", ended}}, address)
	b = s.developer("ada@dev.example")
	for _, status := range ended {
		if line := <-said; !strings.Contains(line, "payment "+payments[0]+" is "+string(status)+", webhook ") {
			t.Errorf("the receiver says %q, want %s", line, status)
		}
	}
	s.awaitPage(b, "/panel/applications/"+id+"/webhooks?status=delivered", ">ACSC<")
	page = s.page(b, verify, 200)
	texts := shown(page)
	if strings.Contains(page.Body, ">Invented<") || !strings.Contains(texts["body"], payments[0]) || !strings.Contains(texts["body"], `"ACSC"`) {
		t.Errorf("the example is not the newest delivery: %s", texts["body"])
	}
	if output, ok := shell(t, texts["script"]); !ok || output != "verified\n" {
		t.Errorf("the script: %s", output)
	}
	if output, ok := shell(t, texts["call"]); !ok || !strings.Contains(output, " 204 ") {
		t.Errorf("the call: %s", output)
	}
	if want := "go run main.go -application " + id + " -environment SANDBOX -domain 127.0.0.1 -root florin-ca.pem"; texts["run"] != want {
		t.Errorf("run %q, want %q", texts["run"], want)
	}

	// What is not right is refused by both.
	forged := strings.Replace(texts["body"], "ACSC", "ACCC", 1)
	alg := strings.Replace(texts["token"], "eyJ", "eyI", 1)
	for name, change := range map[string][2]string{
		"another body":                    {texts["body"], forged},
		"another application":             {"'" + id + "'", "'" + uuid.NewString() + "'"},
		"another environment":             {"'SANDBOX'", "'PRODUCTION'"},
		"another domain":                  {"'127.0.0.1'", "'7.0.0.1'"},
		"another domain, as a part of it": {"'127.0.0.1'", "'27.0.0.1'"},
		"a changed header":                {texts["token"], alg},
	} {
		if output, ok := shell(t, strings.ReplaceAll(texts["script"], change[0], change[1])); ok || strings.Contains(output, "verified") {
			t.Errorf("the script takes %s: %s", name, output)
		}
	}
	for _, x5u := range []string{
		"http://127.0.0.1/k.pem", "https://evil.example/k.pem", "https://127.0.0.1@evil.example/k.pem", "https://evil.example/127.0.0.1",
		"https://evil.example#127.0.0.1",
		"https://evil.example?127.0.0.1", "https://127.0.0.1.evil.example/", "https://evil127.0.0.1/", "https://a@127.0.0.1/",
		`https://evil.example\\@127.0.0.1/`, "",
	} {
		header := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","typ":"JWT","x5u":"` + x5u + `"}`))
		_, rest, _ := strings.Cut(texts["token"], ".")
		if output, ok := shell(t, strings.ReplaceAll(texts["script"], texts["token"], header+"."+rest)); ok || !strings.HasPrefix(output, "refused: x5u ") {
			t.Errorf("the script with x5u %q: %s", x5u, output)
		}
	}
	for name, change := range map[string][2]string{"another body": {texts["body"], forged}, "a changed header": {texts["token"], alg},
		"no token": {"Bearer ", ""}} {
		if output, ok := shell(t, strings.ReplaceAll(texts["call"], change[0], change[1])); !ok || !strings.Contains(output, " 401 ") {
			t.Errorf("the receiver takes %s: %s", name, output)
		}
		if line := <-said; !strings.Contains(line, "refused: ") {
			t.Errorf("%s: the receiver says %q", name, line)
		}
	}
	// The example of an event that is named.
	events, log := s.logRows(b, "/panel/applications/"+id+"/webhooks")
	links := regexp.MustCompile(`/webhooks/([0-9a-f-]{36})"`).FindAllStringSubmatch(log.Body, -1)
	if len(events) != 2 || len(links) != 2 {
		t.Fatalf("events %q", events)
	}
	if named := shown(s.page(b, verify+"?webhook="+links[1][1], 200)); !strings.Contains(named["body"], `"ACSP"`) {
		t.Errorf("the named event: %s", named["body"])
	}
}

// Origins at which every delivery fails say so, where one enters them and where they are listed.
func TestOriginsSayWhetherWebhooksArrive(t *testing.T) {
	s := run(t)
	b := s.developer("ada@dev.example")
	for origin, problem := range map[string]string{
		"https://app.example": "", "https://192.0.2.7:8443": "", "https://192.168.1.5": "a private address", "https://[fd00::1]": "a private address",
		"https://169.254.169.254": "a private address", "https://localhost:8443": "an address of the service's own machine",
		"http://127.0.0.1:9": "an address of the service's own machine", "https://[::1]": "an address of the service's own machine",
	} {
		id := s.upload(b, url.Values{"webhook_origins": {origin}})
		text := html.UnescapeString(s.page(b, "/panel/applications/"+id, 200).Body)
		want := origin
		if problem != "" {
			want += " (" + problem + ": every delivery fails, unless the operator of the service has allowed the origin with --service-webhook-allow)"
		}
		if !strings.Contains(text, want) || problem == "" && strings.Contains(text, "every delivery fails") {
			t.Errorf("%s: the page does not say %q", origin, want)
		}
	}
	for _, path := range []string{"/panel/applications/new", "/panel/applications/" + s.upload(b, nil) + "/settings"} {
		if page := s.page(b, path, 200); !strings.Contains(page.Body, "--service-webhook-allow") || !strings.Contains(page.Body, "over https") {
			t.Errorf("%s does not say which origins are good", path)
		}
	}
}

// docs/webhooks.md holds the samples as they are tested.
func TestDocumentationHoldsTheSamples(t *testing.T) {
	text := string(must[[]byte](t)(os.ReadFile("../../../docs/webhooks.md")))
	for name, language := range map[string]string{"sample/main.go": "go", "sample/verify.sh": "sh"} {
		sample := string(must[[]byte](t)(os.ReadFile(name)))
		if !strings.Contains(text, "\n```"+language+"\n"+sample+"```\n") {
			t.Errorf("docs/webhooks.md does not hold %s as it is", name)
		}
	}
}
