package main

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"florin/internal/aggregator/server"
	"florin/internal/apptoken"
	"florin/internal/bank"
	"florin/internal/contract/walk"
	"florin/internal/openbanking"
	"florin/web/templates/paths"
)

const (
	foreignIssuer   = "issuer.example"
	foreignAudience = "api.example"
)

// foreign is a service that another person runs: a real one, on its own listener, with its own issuer and audience.
type foreign struct {
	t       testing.TB
	url     string
	service *server.Server
	web     *httptest.Server
	fault   atomic.Pointer[func(next http.Handler) http.Handler] // a handler in front of the service; nil for none
}

func newForeign(t testing.TB) *foreign {
	t.Helper()
	x := &foreign{t: t, web: httptest.NewUnstartedServer(nil)}
	x.url = "http://" + x.web.Listener.Addr().String()
	x.service = must(server.New(context.Background(), server.Options{
		DataDir: t.TempDir() + "/data", BaseURL: x.url, AuthURL: x.url, RegistrationURL: x.url, SandboxPace: 20 * time.Millisecond,
		Issuers: []string{foreignIssuer}, Audiences: []string{foreignAudience}, Log: slog.New(slog.DiscardHandler),
	}))
	x.web.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fault := x.fault.Load(); fault != nil {
			(*fault)(x.service.Handler()).ServeHTTP(w, r)
			return
		}
		x.service.Handler().ServeHTTP(w, r)
	})
	x.web.Start()
	x.service.Start(context.Background())
	t.Cleanup(func() {
		x.web.Close()
		if err := x.service.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return x
}

// breaks puts a handler in front of the service; nil removes it.
func (x *foreign) breaks(fault func(next http.Handler) http.Handler) {
	if fault == nil {
		x.fault.Store(nil)
		return
	}
	x.fault.Store(&fault)
}

// register registers an application as its owner does in the control panel, and returns its id.
func (x *foreign) register(certificate, redirectURL string) string {
	x.t.Helper()
	answer, err := bank.RegisterApplication(context.Background(), bank.NewHTTPClient(), x.url, must(x.service.OperatorToken()),
		openbanking.RegisterApplicationRequest{
			Certificate: certificate, Environment: openbanking.EnvironmentSandbox, Name: "My Florin", RedirectURLs: []string{redirectURL},
		})
	if err != nil {
		x.t.Fatal(err)
	}
	return answer.AppID
}

// changed makes the service describe an application differently.
func changed(change func(a map[string]any)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/application" {
				next.ServeHTTP(w, r)
				return
			}
			recorded := httptest.NewRecorder()
			r.Header.Del("Accept-Encoding")
			next.ServeHTTP(recorded, r)
			var application map[string]any
			if json.Unmarshal(recorded.Body.Bytes(), &application) == nil && recorded.Code == http.StatusOK {
				change(application)
				_ = json.NewEncoder(w).Encode(application)
				return
			}
			w.WriteHeader(recorded.Code)
			_, _ = w.Write(recorded.Body.Bytes())
		})
	}
}

// answering replaces the service by another handler.
func answering(answer http.HandlerFunc) func(http.Handler) http.Handler {
	return func(http.Handler) http.Handler { return answer }
}

// ownKey returns a key that a person has already, and its certificate.
func ownKey() (private, certificate string) {
	key := must(apptoken.NewKey())
	return string(must(apptoken.MarshalKey(key))), certificateOf(key)
}

func certificateOf(key *rsa.PrivateKey) string {
	return string(must(apptoken.SelfSigned(key, "Somebody", time.Now(), time.Hour)))
}

// begins starts to set up the foreign service and returns the path of its page.
func (p *person) begins(f *florin, x *foreign) string {
	p.t.Helper()
	p.visit(f.web + paths.NewService)
	p.send(paths.Services, url.Values{"base_url": {x.url + "/"}, "name": {"Foreign service"}, "issuer": {foreignIssuer}, "audience": {foreignAudience}})
	p.sees(http.StatusOK, "Being set up", "Foreign service", "Download the certificate")
	return p.page.URL.Path
}

// certificate downloads the certificate of the setup.
func (p *person) certificate(f *florin, service string) string {
	p.t.Helper()
	page := *p.page
	p.visit(f.web + service + "/certificate")
	p.sees(http.StatusOK, "BEGIN CERTIFICATE")
	text := p.page.Body
	if got := p.page.Header.Get("Content-Disposition"); !strings.HasPrefix(got, "attachment;") {
		p.fatalf("the certificate is not a file: %q", got)
	}
	p.page = &page
	return text
}

// connects sets up the foreign service, from the first page to the last.
func (p *person) connects(f *florin, x *foreign) string {
	p.t.Helper()
	service := p.begins(f, x)
	id := x.register(p.certificate(f, service), f.web+"/callback/"+path.Base(service))
	p.send(service, url.Values{"application_id": {id}})
	p.sees(http.StatusOK, "The banking service is connected.", "Everything is fine", ">Ready<")
	return service
}

var oneTimeLink = regexp.MustCompile(`https?://[^\s"<]+[?&]oobCode=[A-Z2-7]+`)

// developer returns a person who is signed in to the control panel of the service.
func (x *foreign) developer() *person {
	x.t.Helper()
	p := newPerson(x.t)
	p.visit(x.url + "/panel/")
	p.send("/panel/sign-in", url.Values{"email": {"ada@dev.example"}})
	outbox := newPerson(x.t)
	outbox.visit(must(x.service.OperatorLink(x.t.Context())))
	outbox.send("/operator/open", nil)
	p.visit(html.UnescapeString(oneTimeLink.FindString(outbox.page.Body)))
	p.send("/confirm", nil)
	p.sees(http.StatusOK, "Applications")
	return p
}

// posts sends fields to a path of the control panel.
func (p *person) posts(address string, fields url.Values) {
	p.t.Helper()
	p.at(p.browser.Submit(context.Background(), walk.Form{Method: http.MethodPost, Action: must(url.Parse(address)), Fields: fields}, nil))
	if p.page.Status != http.StatusOK {
		p.fatalf("refused")
	}
}
