package panel_test

import (
	"bytes"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"florin/internal/aggregator/server"
	"florin/internal/aggregator/server/servertest"
	"florin/internal/apptoken"
	"florin/internal/contract/walk"
	"florin/internal/testkit"
)

const (
	issuer   = servertest.Issuer
	audience = servertest.Audience
	callback = "https://app.example/callback"
)

// service is a running service with its control panel.
type service struct {
	t      *testing.T
	server *server.Server
	folder string
	url    string
	clock  *testkit.Clock
	log    *testkit.Log
	stop   func()

	operatorBrowser *walk.Browser // see operator
}

// run starts a service on a port of its own; change may alter its options.
func run(t *testing.T, change ...func(*server.Options)) *service {
	t.Helper()
	up := servertest.Start(t, append([]func(*server.Options){
		func(o *server.Options) { o.ContinueURLs = []string{"http://localhost:7777/cli?a=b"} },
	}, change...)...)
	return &service{t: t, server: up.Server, folder: up.Folder, url: up.URL, clock: up.Clock, log: up.Log, stop: up.Stop}
}

// must is for calls that a test cannot go on without.
func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// page opens a page of the service and expects the status.
func (s *service) page(b *walk.Browser, path string, status int) *walk.Page {
	s.t.Helper()
	page := must[*walk.Page](s.t)(b.Open(s.t.Context(), s.url+path))
	if page.Status != status {
		s.t.Fatalf("%s: status %d, page %q, want %d", path, page.Status, page.Title, status)
	}
	return page
}

// post sends a form to a path, as the browser of somebody who filled it in, and expects the status of the page that follows.
func (s *service) post(b *walk.Browser, path string, fields url.Values, status int) *walk.Page {
	s.t.Helper()
	action := must[*url.URL](s.t)(url.Parse(s.url + path))
	page := must[*walk.Page](s.t)(b.Submit(s.t.Context(), walk.Form{Method: http.MethodPost, Action: action, Fields: fields}, nil))
	if page.Status != status {
		s.t.Fatalf("POST %s: status %d, page %q, want %d", path, page.Status, page.Title, status)
	}
	return page
}

var signInLink = regexp.MustCompile(`https?://[^\s"<]+[?&]oobCode=[A-Z2-7]+`)

// links returns the links in the outbox for an address, the newest first.
func (s *service) links(email string) (links []string) {
	s.t.Helper()
	page := s.page(s.operator(), "/panel/operator", 200)
	for _, letter := range strings.Split(page.Body, `class="card letter"`)[1:] {
		if strings.Contains(letter, ">"+email+"<") {
			links = append(links, signInLink.FindString(html.UnescapeString(letter)))
		}
	}
	return links
}

// ask asks for a sign-in link and returns the page that follows.
func (s *service) ask(b *walk.Browser, email string) *walk.Page {
	s.t.Helper()
	return s.post(b, "/panel/sign-in", url.Values{"email": {email}}, 200)
}

// developer returns a browser in which the address is signed in.
func (s *service) developer(email string) *walk.Browser {
	s.t.Helper()
	b := walk.New(nil)
	s.ask(b, email)
	links := s.links(strings.ToLower(email))
	if len(links) == 0 {
		s.t.Fatalf("no mail for %s", email)
	}
	confirm := s.page(b, strings.TrimPrefix(links[0], s.url), 200)
	form, ok := confirm.Form("/confirm")
	if !ok {
		s.t.Fatalf("the page %q has no form", confirm.Title)
	}
	page := must[*walk.Page](s.t)(b.Submit(s.t.Context(), form, nil))
	if page.Title != "Applications" {
		s.t.Fatalf("signed in, and at %q", page.Title)
	}
	return b
}

// ticket returns the ticket of a new form, and the id that the application will have.
func (s *service) ticket(b *walk.Browser) (ticket, id string) {
	s.t.Helper()
	form, ok := s.page(b, "/panel/applications/new", 200).Form("/panel/applications")
	if !ok {
		s.t.Fatal("no form")
	}
	ticket = form.Fields.Get("ticket")
	id, _, _ = strings.Cut(ticket, ".")
	return ticket, id
}

// key is a key of a developer; making one takes long.
type key struct {
	certificate string
	signer      func(kid string) *apptoken.Signer
}

func newKey() key {
	private, err := apptoken.NewKey()
	if err != nil {
		panic(err)
	}
	certificate, err := apptoken.SelfSigned(private, "test", time.Now(), time.Hour)
	if err != nil {
		panic(err)
	}
	return key{string(certificate), func(kid string) *apptoken.Signer { return apptoken.NewSigner(private, kid, issuer, audience) }}
}

var (
	firstKey  = sync.OnceValue(newKey)
	secondKey = sync.OnceValue(newKey)
)

func (k key) token(t *testing.T, kid string) string {
	t.Helper()
	return must[string](t)(k.signer(kid).Token(time.Now()))
}

// upload registers an application with firstKey; fields alter the form.
func (s *service) upload(b *walk.Browser, fields url.Values) (id string) {
	s.t.Helper()
	ticket, id := s.ticket(b)
	sent := url.Values{
		"ticket": {ticket}, "environment": {"SANDBOX"}, "name": {"Ledger"}, "redirect_urls": {callback}, "way": {"upload"}, "certificate": {firstKey().certificate},
	}
	for name, values := range fields {
		sent[name] = values
	}
	s.post(b, "/panel/applications", sent, 200)
	return id
}

var production = url.Values{
	"environment": {"PRODUCTION"}, "description": {"A book of accounts"}, "gdpr_email": {"dpo@app.example"},
	"privacy_url": {"https://app.example/privacy"}, "terms_url": {"https://app.example/terms"},
}

// answer is the answer to a call of the API.
type answer struct {
	status int
	raw    string
	body   map[string]any
	header http.Header
}

// call makes a call of the API; body may be nil.
func (s *service) call(token, method, path string, body any) answer {
	s.t.Helper()
	var text []byte
	if body != nil {
		text = must[[]byte](s.t)(json.Marshal(body))
	}
	request := must[*http.Request](s.t)(http.NewRequestWithContext(s.t.Context(), method, s.url+path, bytes.NewReader(text)))
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return s.do(request)
}

func (s *service) do(request *http.Request) answer {
	s.t.Helper()
	s.clock.Advance(time.Millisecond) // calls one after another are in the log one after another
	response := must[*http.Response](s.t)(http.DefaultTransport.RoundTrip(request))
	defer response.Body.Close()
	a := answer{status: response.StatusCode, raw: string(must[[]byte](s.t)(io.ReadAll(response.Body))), header: response.Header}
	_ = json.Unmarshal([]byte(a.raw), &a.body) // a page, or an array
	return a
}
