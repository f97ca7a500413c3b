package contract

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"florin/internal/openbanking"
)

// authRequest is a right body of POST /auth with changes: a nil value leaves a member out, "access.x" is a member of access.
func (s *suite) authRequest(change map[string]any) string {
	access := map[string]any{"valid_until": time.Now().Add(12 * time.Hour).UTC().Format(time.RFC3339)}
	request := map[string]any{
		"access": access, "aspsp": s.target.Bank, "state": "contract suite", "redirect_url": s.target.RedirectURL,
	}
	for name, value := range change {
		object := request
		if inner, ok := strings.CutPrefix(name, "access."); ok {
			object, name = access, inner
		}
		if object[name] = value; value == nil {
			delete(object, name)
		}
	}
	return body(request)
}

// start sends a right POST /auth with changes.
func (s *suite) start(change map[string]any) openbanking.StartAuthorizationResponse {
	s.Helper()
	return get[openbanking.StartAuthorizationResponse](s, "POST", "/auth", s.authRequest(change))
}

// startOfAuthorization: the rules of POST /auth (spec: Sessions, Access).
func (s *suite) startOfAuthorization() {
	started := s.start(nil)
	if address, err := url.Parse(started.URL); err != nil || !address.IsAbs() {
		s.Errorf("url %q is no address", started.URL)
	}
	if !uuid.MatchString(started.AuthorizationID) || !hex64.MatchString(started.PSUIDHash) {
		s.Errorf("authorization_id or psu_id_hash: %+v", started)
	}
	s.refused(s.call("GET", "/sessions/"+started.AuthorizationID, ""), 404, openbanking.SessionDoesNotExist) // it is not the session id

	bank := s.bank()
	maximum := time.Duration(bank.MaximumConsentValidity) * time.Second
	at := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339) }
	const wrong = openbanking.WrongRequestParameters
	type m = map[string]any
	for _, tt := range []struct {
		name   string
		change m
		status int // 200: it is legal
		code   openbanking.ErrorCode
	}{
		{"unknown bank", m{"aspsp": m{"name": "No such bank", "country": bank.Country}}, 422, openbanking.WrongASPSPProvided},
		{"wrong country", m{"aspsp": m{"name": bank.Name, "country": "ZZ"}}, 422, openbanking.WrongASPSPProvided},
		{"redirect URL that is not registered", m{"redirect_url": "https://not-registered.example/"}, 400, openbanking.RedirectURINotAllowed},
		{"redirect URL with more", m{"redirect_url": s.target.RedirectURL + "x"}, 400, openbanking.RedirectURINotAllowed},
		{"longest validity, less a margin for clocks", m{"access.valid_until": at(maximum - time.Minute)}, 200, ""},
		{"too long a validity", m{"access.valid_until": at(maximum + 10*time.Minute)}, 422, wrong},
		{"validity in the past", m{"access.valid_until": at(-time.Hour)}, 422, wrong},
		{"validity that is no time", m{"access.valid_until": "tomorrow"}, 422, wrong},
		{"validity with milliseconds", m{"access.valid_until": time.Now().Add(time.Hour).UTC().Format("2006-01-02T15:04:05.000Z")}, 200, ""},
		{"validity with an offset", m{"access.valid_until": time.Now().Add(time.Hour).In(time.FixedZone("", 7200)).Format(time.RFC3339)}, 200, ""},
		{"no validity", m{"access.valid_until": nil}, 422, wrong},
		{"no access", m{"access": nil}, 422, wrong},
		{"no bank", m{"aspsp": nil}, 422, wrong},
		{"no state", m{"state": nil}, 422, wrong},
		{"no redirect URL", m{"redirect_url": nil}, 422, wrong},
		{"unknown PSU type", m{"psu_type": "corporate"}, 422, wrong},
		{"unknown method", m{"auth_method": "no such method"}, 422, wrong},
		{"credentials without a method", m{"credentials": m{"a": "b"}}, 422, wrong},
		{"language in capitals", m{"language": "FI"}, 422, wrong},
		{"language", m{"language": "fi"}, 200, ""},
		{"account without identification", m{"access.accounts": []m{{}}}, 422, openbanking.InvalidAccountID},
		{"unknown fields", m{"no_such_field": 1}, 200, ""},
	} {
		s.Run(tt.name, func(t *testing.T) {
			in := s.with(t)
			got := in.call("POST", "/auth", in.authRequest(tt.change))
			if tt.status == 200 {
				read[openbanking.StartAuthorizationResponse](in, got)
				return
			}
			in.refused(got, tt.status, tt.code)
		})
	}
	a, b, c := s.start(m{"psu_id": "anna"}), s.start(m{"psu_id": "anna"}), s.start(m{"psu_id": "bert"})
	somebody, another := s.start(nil), s.start(nil)
	if a.PSUIDHash != b.PSUIDHash || a.PSUIDHash == c.PSUIDHash || somebody.PSUIDHash == another.PSUIDHash {
		s.Error("psu_id_hash does not follow psu_id (spec: Session)")
	}
}

// cancel: a PSU who cancels comes back with access_denied and the state (spec: Account information flow).
func (s *suite) cancel() {
	const state = "a b&c=d#e\u20ac"
	back, err := s.target.Cancel(s.Context(), s.start(map[string]any{"state": state}).URL)
	if err != nil {
		s.Fatal(err)
	}
	query := s.isRedirect(back)
	if query.Get("error") != "access_denied" || query.Get("state") != state || query.Has("code") {
		s.Errorf("back with %v", query)
	}
}

// isRedirect checks that an address is the redirect URL with parameters, and returns those that were added.
func (s *suite) isRedirect(back *url.URL) url.Values {
	s.Helper()
	registered, err := url.Parse(s.target.RedirectURL)
	if err != nil {
		s.Fatal(err)
	}
	query := back.Query()
	for name, values := range registered.Query() {
		if !slices.Equal(query[name], values) {
			s.Errorf("the redirect lost the parameter %s of the redirect URL", name)
		}
		query.Del(name)
	}
	got, want := *back, *registered
	got.RawQuery, want.RawQuery = "", ""
	if got.String() != want.String() {
		s.Errorf("redirected to %s, want %s", got.String(), want.String())
	}
	return query
}

// approve walks to the code of a new authorisation.
func (s *suite) approve(change map[string]any) (code string, started openbanking.StartAuthorizationResponse) {
	s.Helper()
	started = s.start(change)
	back, err := s.target.Approve(s.Context(), started.URL)
	if err != nil {
		s.Fatal(err)
	}
	query := s.isRedirect(back)
	if query.Get("code") == "" || query.Get("state") == "" || query.Has("error") {
		s.Fatalf("back with %v", query)
	}
	return query.Get("code"), started
}

// link walks to a session, which is closed at the end of the test.
func (s *suite) link(change map[string]any) openbanking.AuthorizeSessionResponse {
	s.Helper()
	code, _ := s.approve(change)
	return s.redeem(code)
}

func (s *suite) redeem(code string) openbanking.AuthorizeSessionResponse {
	s.Helper()
	session := get[openbanking.AuthorizeSessionResponse](s, "POST", "/sessions", body(map[string]string{"code": code}))
	s.Cleanup(func() { // the context of the test is over by then
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.Context()), time.Minute)
		defer cancel()
		if _, err := s.send(ctx, "DELETE", "/sessions/"+session.SessionID, ""); err != nil {
			s.Logf("the session %s stays open: %v", session.SessionID, err)
		}
	})
	return session
}
