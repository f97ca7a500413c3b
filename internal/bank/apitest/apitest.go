// Package apitest is an aggregation service for tests of the web app: it speaks the API over real HTTP, answers each call as a test says, and remembers
// the calls. What it answers where nothing goes wrong is up to the test.
package apitest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"florin/internal/openbanking"
)

// RequestID is in the header X-Request-Id of every answer.
const RequestID = "request-of-the-service"

// Signer signs nothing: the service looks at no token.
type Signer struct{}

// Token returns the same word for all.
func (Signer) Token(time.Time) (string, error) { return "token", nil }

// Fault is what goes wrong with a call.
type Fault string

// The first four happen before the service does what it was asked, the others after.
const (
	Works Fault = "" // nothing

	Refuses     Fault = "refuses"
	BankRefuses Fault = "tells of an error of the bank before it creates anything"
	Fails       Fault = "fails with 503 before it creates anything"
	HangsUp     Fault = "hangs up before it creates anything"

	BankFails   Fault = "creates, and tells of an error of the bank"
	Forgets     Fault = "creates and answers 500"
	HangsUpLate Fault = "creates and hangs up"
	Half        Fault = "creates and sends half an answer"
	Empty       Fault = "creates and answers without a payment_id"
)

// Service is a service. A route is a pattern of [http.ServeMux], such as "GET /sessions/{id}".
//
// Answers are made one at a time, with the service locked; a test locks it to change what they read. The methods of Service lock it themselves.
type Service struct {
	*httptest.Server
	sync.Mutex
	Fault func(route string) Fault // of each call; nil for none

	routes  *http.ServeMux
	calls   []call
	refused map[string]openbanking.Error // by route
	held    map[string]<-chan struct{}   // by route
	instead map[string]http.HandlerFunc  // by method and path
}

type call struct{ route, uri string }

// New starts a service without routes, which ends with the test.
func New(t testing.TB) *Service {
	t.Helper()
	s := &Service{routes: http.NewServeMux(), refused: map[string]openbanking.Error{}, held: map[string]<-chan struct{}{},
		instead: map[string]http.HandlerFunc{}}
	s.Server = httptest.NewServer(s.routes)
	t.Cleanup(s.Close)
	return s
}

// Answer gives calls of a route what answer returns: an *openbanking.Error with its status, anything else as JSON.
func (s *Service) Answer(route string, answer func(r *http.Request) any) {
	s.routes.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, answer) })
}

func (s *Service) serve(w http.ResponseWriter, r *http.Request, answer func(r *http.Request) any) {
	body, err := io.ReadAll(r.Body) // to its end, so that it is noticed when the client goes
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.Lock()
	held, instead := s.held[r.Pattern], s.instead[r.Method+" "+r.URL.Path]
	s.Unlock()
	if instead != nil {
		instead(w, r)
		return
	}
	if held != nil {
		select {
		case <-held:
		case <-r.Context().Done():
			return
		}
	}
	s.Lock()
	defer s.Unlock()
	s.calls = append(s.calls, call{r.Pattern, r.Method + " " + r.URL.RequestURI()})
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Request-Id", RequestID)
	if e, refused := s.refused[r.Pattern]; refused {
		write(w, &e)
		return
	}
	fault := Works
	if s.Fault != nil {
		fault = s.Fault(r.Pattern)
	}
	switch fault {
	case Refuses:
		write(w, Refusal(openbanking.WrongRequestParameters))
		return
	case BankRefuses:
		write(w, Refusal(openbanking.ASPSPError))
		return
	case Fails:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case HangsUp:
		panic(http.ErrAbortHandler)
	}
	done := answer(r)
	switch fault {
	case BankFails:
		write(w, Refusal(openbanking.ASPSPError))
	case Forgets:
		w.WriteHeader(http.StatusInternalServerError)
	case HangsUpLate:
		panic(http.ErrAbortHandler)
	case Half:
		text, _ := json.Marshal(done)
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		_, _ = w.Write(text[:len(text)/2])
	case Empty:
		write(w, struct{}{})
	default:
		write(w, done)
	}
}

func write(w http.ResponseWriter, answer any) {
	if e, refused := answer.(*openbanking.Error); refused {
		w.WriteHeader(e.HTTPStatus())
		answer = e.Response()
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// Refusal is the answer that refuses a call with a code.
func Refusal(code openbanking.ErrorCode) *openbanking.Error { return &openbanking.Error{Code: code} }

// Refuse has all calls of a route refused, until Allow.
func (s *Service) Refuse(route string, e openbanking.Error) {
	s.Lock()
	defer s.Unlock()
	s.refused[route] = e
}

// Allow takes back what Refuse said.
func (s *Service) Allow(route string) {
	s.Lock()
	defer s.Unlock()
	delete(s.refused, route)
}

// Hold lets calls of a route wait until a channel is closed, or their client goes.
func (s *Service) Hold(route string, until <-chan struct{}) {
	s.Lock()
	defer s.Unlock()
	s.held[route] = until
}

// Instead has a call, such as "GET /sessions/session-1", answered by a handler alone, and not remembered; nil takes that back.
func (s *Service) Instead(call string, answer http.HandlerFunc) {
	s.Lock()
	defer s.Unlock()
	s.instead[call] = answer
}

// Count returns how many calls of a route came.
func (s *Service) Count(route string) int {
	s.Lock()
	defer s.Unlock()
	n := 0
	for _, c := range s.calls {
		if c.route == route {
			n++
		}
	}
	return n
}

// Calls returns all calls in order, such as "GET /accounts/1/transactions?strategy=longest".
func (s *Service) Calls() []string {
	s.Lock()
	defer s.Unlock()
	var all []string
	for _, c := range s.calls {
		all = append(all, c.uri)
	}
	return all
}

// Forget forgets the calls that came.
func (s *Service) Forget() {
	s.Lock()
	defer s.Unlock()
	s.calls = nil
}
