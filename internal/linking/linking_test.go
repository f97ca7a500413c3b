package linking

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"florin/internal/bank"
	"florin/internal/bank/apitest"
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite/sqlitetest"
	"florin/internal/store"
	"florin/migrations"
)

// service is a service with one bank in two countries and another in Germany. Its fields are read and changed with it locked.
type service struct {
	*apitest.Service
	auth    openbanking.StartAuthorizationRequest                                                        // the last
	change  func(call string, session *openbanking.AuthorizeSessionResponse, state *openbanking.Session) // of the answers
	deleted []string
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{Service: apitest.New(t), change: func(string, *openbanking.AuthorizeSessionResponse, *openbanking.Session) {}}
	s.Answer("GET /aspsps", func(*http.Request) any {
		list := func(name, country string, types ...openbanking.PSUType) openbanking.ASPSPData {
			return openbanking.ASPSPData{Name: name, Country: country, PSUTypes: types, MaximumConsentValidity: 7776000}
		}
		return openbanking.ASPSPsResponse{ASPSPs: []openbanking.ASPSPData{list("Zeta", "DE", "business"), list("Test Bank", "SE", "personal"),
			list("Test Bank", "FI", "personal", "business"), list("alpha", "DE", "personal")}}
	})
	s.Answer("POST /auth", func(r *http.Request) any {
		_ = json.NewDecoder(r.Body).Decode(&s.auth)
		return openbanking.StartAuthorizationResponse{URL: s.URL + "/ais/start?sessionid=1", AuthorizationID: "1", PSUIDHash: "psu-hash"}
	})
	s.Answer("POST /sessions", func(r *http.Request) any {
		session, _ := s.session(r.Pattern)
		return session
	})
	s.Answer("GET /sessions/{id}", func(r *http.Request) any {
		_, state := s.session(r.Pattern)
		return state
	})
	s.Answer("DELETE /sessions/{id}", func(r *http.Request) any {
		s.deleted = append(s.deleted, r.PathValue("id"))
		return openbanking.SuccessResponse{Message: "OK"}
	})
	return s
}

// session is the session of a call, when it is made and afterwards.
func (s *service) session(call string) (openbanking.AuthorizeSessionResponse, openbanking.Session) {
	aspsp := openbanking.ASPSP{Name: "Test Bank", Country: "FI"}
	session := openbanking.AuthorizeSessionResponse{SessionID: "session-1", ASPSP: aspsp, PSUType: "personal",
		Access: openbanking.Access{Balances: new(true), Transactions: new(true)},
		Accounts: []openbanking.AccountResource{{IdentificationHash: "h", IdentificationHashes: []string{"h"}, Currency: "EUR", CashAccountType: "CACC",
			UID: new("u1")}}}
	state := openbanking.Session{Status: "AUTHORIZED", ASPSP: aspsp, PSUType: "personal", PSUIDHash: "psu-hash",
		Access: openbanking.Access{ValidUntil: s.auth.Access.ValidUntil}}
	s.change(call, &session, &state)
	return session, state
}

type rig struct {
	*Linking
	store   *store.Store
	service *service
	user    finance.User
	woken   atomic.Int32
}

func newRig(t *testing.T) *rig {
	t.Helper()
	key, err := store.LoadKey(filepath.Join(t.TempDir(), "secrets"))
	check(t, err)
	path := filepath.Join(t.TempDir(), "app.db")
	sqlitetest.Make(t, path, migrations.App)
	s, err := store.Open(t.Context(), path, key)
	check(t, err)
	t.Cleanup(func() { _ = s.Close() })
	r := &rig{store: s, service: newService(t)}
	connect := func(_ context.Context, p finance.Provider) (API, error) { return bank.New(p.BaseURL, apitest.Signer{}) }
	r.Linking = New(s, connect, func() { r.woken.Add(1) }, slog.New(slog.DiscardHandler))
	r.user, err = s.CreateUser(t.Context(), "a@example.org", finance.RoleMember, "h")
	check(t, err)
	for _, id := range []string{"embedded", "remote"} {
		base := r.service.URL
		if id == "remote" {
			base += "/"
		}
		check(t, s.SaveProvider(t.Context(), finance.Provider{ID: id, Name: id, BaseURL: base, Environment: openbanking.EnvironmentSandbox,
			RedirectURL: "http://localhost:8080/callback/" + id, PrivateKey: "k"}))
	}
	return r
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const browser = finance.Secret("flow-cookie")

func (r *rig) start(t *testing.T) (finance.LinkAttempt, finance.Secret) {
	t.Helper()
	a, err := r.Start(t.Context(), r.user.ID, Request{ProviderID: "embedded", ASPSP: openbanking.ASPSP{Name: "Test Bank", Country: "FI"},
		PSUType: "personal", Language: "en", Browser: browser})
	check(t, err)
	return a, finance.Secret(r.service.auth.State)
}

func TestLinkABank(t *testing.T) {
	r := newRig(t)
	ctx := t.Context()
	before := time.Now()
	a, state := r.start(t)
	if a.Status != finance.AttemptOpen || a.URL != r.service.URL+"/ais/start?sessionid=1" {
		t.Errorf("%+v", a)
	}
	sent := r.service.auth
	if sent.RedirectURL != "http://localhost:8080/callback/embedded" || *sent.PSUType != "personal" || !*sent.Access.Balances ||
		!*sent.Access.Transactions || *sent.Language != "en" {
		t.Errorf("%+v", sent)
	}
	// The maximum less five minutes (api-notes 4).
	want := before.Add(7776000*time.Second - 5*time.Minute)
	if d := sent.Access.ValidUntil.Sub(want); d < -time.Second || d > 30*time.Second {
		t.Errorf("asked until %v, want %v", sent.Access.ValidUntil, want)
	}
	done, err := r.Complete(ctx, "embedded", browser, Callback{State: state, Code: "code"})
	check(t, err)
	if done.Status != finance.AttemptDone || done.UserID != r.user.ID || len(done.Accounts) != 1 || done.Accounts[0].Outcome != finance.OutcomeNew ||
		r.woken.Load() != 1 {
		t.Errorf("%+v, woken %d", done, r.woken.Load())
	}
	stored, err := r.Attempt(ctx, r.user.ID, a.ID)
	if err != nil || stored.Status != finance.AttemptDone || len(stored.Accounts) != 1 || stored.ConnectionID != done.ConnectionID {
		t.Errorf("%+v %v", stored, err)
	}
	tasks, err := r.store.Tasks(ctx, r.user.ID, done.ConnectionID)
	if err != nil || len(tasks) != 3 {
		t.Errorf("%d tasks %v", len(tasks), err)
	}
	c, err := r.store.Connection(ctx, r.user.ID, done.ConnectionID)
	if err != nil || !c.ValidUntil.Equal(sent.Access.ValidUntil.Time) {
		t.Errorf("valid until %v, granted %v, %v", c.ValidUntil, sent.Access.ValidUntil, err)
	}

	// Renewal happens in place, and the old session is ended.
	r.service.change = func(call string, s *openbanking.AuthorizeSessionResponse, _ *openbanking.Session) {
		s.Accounts[0].UID = new("u2")
	}
	_, state = r.start(t)
	again, err := r.Complete(ctx, "embedded", browser, Callback{State: state, Code: "code"})
	if err != nil || !again.Renewed || again.ConnectionID != done.ConnectionID || again.Accounts[0].Outcome != finance.OutcomeRecognised {
		t.Errorf("%+v %v", again, err)
	}
}

// Security T10: a state works once, in its browser, at its provider.
func TestStateWorksOnce(t *testing.T) {
	r := newRig(t)
	ctx := t.Context()
	_, state := r.start(t)
	for name, c := range map[string]struct {
		provider       string
		browser, state finance.Secret
	}{
		"no state":         {"embedded", browser, ""},
		"guessed state":    {"embedded", browser, "ABCDEF"},
		"another browser":  {"embedded", "another", state},
		"no browser":       {"embedded", "", state},
		"another provider": {"remote", browser, state}, // security T12
	} {
		if _, err := r.Complete(ctx, c.provider, c.browser, Callback{State: c.state, Code: "code"}); !errors.Is(err, ErrAttempt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := r.service.Count("POST /sessions"); n != 0 {
		t.Fatalf("%d codes were exchanged", n)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	succeeded := 0
	for range 50 {
		wg.Go(func() {
			a, err := r.Complete(ctx, "embedded", browser, Callback{State: state, Code: "code"})
			mu.Lock()
			defer mu.Unlock()
			if err == nil && a.Status == finance.AttemptDone {
				succeeded++
			} else if !errors.Is(err, ErrAttempt) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := r.service.Count("POST /sessions"); succeeded != 1 || n != 1 {
		t.Errorf("%d succeeded, %d codes exchanged", succeeded, n)
	}
}

// Security T11, F16: what comes must be what was asked for; else the session is ended.
func TestForeignAuthorisationIsRefused(t *testing.T) {
	type answer = openbanking.AuthorizeSessionResponse
	for name, change := range map[string]func(string, *answer, *openbanking.Session){
		"psu_id_hash":       func(_ string, _ *answer, s *openbanking.Session) { s.PSUIDHash = "another" },
		"no psu_id_hash":    func(_ string, _ *answer, s *openbanking.Session) { s.PSUIDHash = "" },
		"bank":              func(_ string, _ *answer, s *openbanking.Session) { s.ASPSP.Country = "SE" },
		"bank in answer":    func(_ string, a *answer, _ *openbanking.Session) { a.ASPSP.Name = "Zeta" },
		"psu_type":          func(_ string, _ *answer, s *openbanking.Session) { s.PSUType = "business" },
		"psu_type, answer":  func(_ string, a *answer, _ *openbanking.Session) { a.PSUType = "business" },
		"access":            func(_ string, a *answer, _ *openbanking.Session) { a.Access.Transactions = new(false) },
		"status of session": func(_ string, _ *answer, s *openbanking.Session) { s.Status = openbanking.SessionStatusRevoked },
	} {
		r := newRig(t)
		_, state := r.start(t)
		r.service.change = change
		a, err := r.Complete(t.Context(), "embedded", browser, Callback{State: state, Code: "code"})
		if err != nil || a.Status != finance.AttemptFailed || a.Failure.Code != finance.FailureMismatch {
			t.Errorf("%s: %+v %v", name, a, err)
		}
		if !slices.Equal(r.service.deleted, []string{"session-1"}) {
			t.Errorf("%s: ended %v", name, r.service.deleted)
		}
		if list, err := r.store.Connections(t.Context(), r.user.ID); len(list) != 0 || err != nil {
			t.Errorf("%s: %v %v", name, list, err)
		}
	}
}

func TestFailuresAreKept(t *testing.T) {
	for name, c := range map[string]struct {
		callback Callback
		refuse   string
		code     openbanking.ErrorCode
		want     finance.Failure
	}{
		"cancelled": {Callback{Error: "access_denied", ErrorDescription: " Cancelled\nby user"}, "", "",
			finance.Failure{Code: "access_denied", Said: "Cancelled by user"}},
		"no description": {Callback{Error: "server_error"}, "", "", finance.Failure{Code: "server_error"}},
		"nothing":        {Callback{}, "", "", finance.Failure{Code: finance.FailureNoCode}},
		"expired code": {Callback{Code: "c"}, "POST /sessions", openbanking.ExpiredAuthorizationCode,
			finance.Failure{Code: "EXPIRED_AUTHORIZATION_CODE", Said: "Authorisation code expired", RequestID: apitest.RequestID}},
		"session unknown": {Callback{Code: "c"}, "GET /sessions/{id}", openbanking.SessionDoesNotExist,
			finance.Failure{Code: "SESSION_DOES_NOT_EXIST", Said: "No session found matching provided id", RequestID: apitest.RequestID}},
	} {
		r := newRig(t)
		begun, state := r.start(t)
		if c.refuse != "" {
			r.service.Refuse(c.refuse, openbanking.Error{Code: c.code})
		}
		c.callback.State = state
		a, err := r.Complete(t.Context(), "embedded", browser, c.callback)
		if err != nil || a.Status != finance.AttemptFailed || a.Failure != c.want {
			t.Errorf("%s: %+v %v", name, a.Failure, err)
		}
		stored, err := r.Attempt(t.Context(), r.user.ID, begun.ID)
		if err != nil || stored.Failure != c.want || stored.Status != finance.AttemptFailed {
			t.Errorf("%s: stored %+v %v", name, stored, err)
		}
		if _, err := r.Complete(t.Context(), "embedded", browser, Callback{State: state, Code: "c"}); !errors.Is(err, ErrAttempt) {
			t.Errorf("%s: used again: %v", name, err)
		}
	}
}

// A bank that does not answer keeps nobody waiting: the start says so, and the way back goes on by itself.
func TestABankThatDoesNotAnswer(t *testing.T) {
	r := newRig(t)
	_, state := r.start(t)
	hang := make(chan struct{})
	r.service.Hold("POST /auth", make(chan struct{}))
	r.service.Hold("DELETE /sessions/{id}", make(chan struct{}))
	r.service.Hold("POST /sessions", hang)
	r.answer = 100 * time.Millisecond
	_, err := r.Start(t.Context(), r.user.ID, Request{ProviderID: "embedded", ASPSP: openbanking.ASPSP{Name: "Test Bank", Country: "FI"},
		PSUType: "personal", Browser: browser})
	if !errors.Is(err, finance.FailureSilent) {
		t.Errorf("%v", err)
	}

	a, err := r.Complete(t.Context(), "embedded", browser, Callback{State: state, Code: "code"})
	if err != nil || a.Status != finance.AttemptUsed {
		t.Fatalf("%s %v", a.Status, err)
	}
	close(hang) // it answers after all
	for a.Status == finance.AttemptUsed {
		if a, err = r.Attempt(t.Context(), r.user.ID, a.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	if a.Status != finance.AttemptDone || r.service.Count("POST /sessions") != 1 {
		t.Errorf("%+v", a)
	}

	d, err := r.Disconnect(t.Context(), r.user.ID, a.ConnectionID)
	if err != nil || d.AtBank || !errors.Is(d.Problem, finance.FailureSilent) {
		t.Errorf("%+v %v", d, err)
	}
	if c, err := r.store.Connection(t.Context(), r.user.ID, a.ConnectionID); err != nil || c.Status != finance.ConnectionDisconnected {
		t.Errorf("%+v %v", c, err)
	}
}

// An answer that has no list of accounts leaves the accounts of before alone: no list is no empty list.
func TestNoListOfAccountsIsNoEmptyList(t *testing.T) {
	r := newRig(t)
	_, state := r.start(t)
	done, err := r.Complete(t.Context(), "embedded", browser, Callback{State: state, Code: "code"})
	check(t, err)
	held := done.Accounts[0].Account
	_, state = r.start(t)
	r.service.Instead("POST /sessions", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"session_id":"session-1","aspsp":{"name":"Test Bank","country":"FI"},"psu_type":"personal","access":{}}`)
	})
	a, err := r.Complete(t.Context(), "embedded", browser, Callback{State: state, Code: "code"})
	if err != nil || a.Status != finance.AttemptFailed || a.Failure.Code != finance.FailureMismatch {
		t.Errorf("%+v %v", a, err)
	}
	if now, err := r.store.Account(t.Context(), r.user.ID, held.ID); err != nil || now.UID != held.UID {
		t.Errorf("%+v %v", now, err)
	}
}

func TestStartRefuses(t *testing.T) {
	r := newRig(t)
	fi := openbanking.ASPSP{Name: "Test Bank", Country: "FI"}
	for name, c := range map[string]struct {
		request Request
		want    error
	}{
		"unknown provider":    {Request{ProviderID: "x", ASPSP: fi, PSUType: "personal", Browser: browser}, ErrUnknownBank},
		"unknown bank":        {Request{ProviderID: "embedded", ASPSP: openbanking.ASPSP{Name: "Nobody", Country: "FI"}, Browser: browser}, ErrUnknownBank},
		"wrong country":       {Request{ProviderID: "embedded", ASPSP: openbanking.ASPSP{Name: "Zeta", Country: "FI"}, Browser: browser}, ErrUnknownBank},
		"kind must be chosen": {Request{ProviderID: "embedded", ASPSP: fi, Browser: browser}, ErrPSUType},
		"kind not offered": {Request{ProviderID: "embedded", ASPSP: openbanking.ASPSP{Name: "Zeta", Country: "DE"}, PSUType: "personal",
			Browser: browser}, ErrPSUType},
		"nothing to renew":       {Request{ProviderID: "embedded", ASPSP: fi, PSUType: "personal", Browser: browser, Renews: "unknown"}, finance.ErrNotFound},
		"the only kind is taken": {Request{ProviderID: "embedded", ASPSP: openbanking.ASPSP{Name: "Zeta", Country: "DE"}, Browser: browser}, nil},
	} {
		if _, err := r.Start(t.Context(), r.user.ID, c.request); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.service.Refuse("POST /auth", openbanking.Error{Code: openbanking.RedirectURINotAllowed})
	if _, err := r.Start(t.Context(), r.user.ID, Request{ProviderID: "embedded", ASPSP: fi, PSUType: "personal", Browser: browser}); !errors.Is(err,
		openbanking.RedirectURINotAllowed) {
		t.Error(err)
	}
	r.service.Close()
	if _, err := r.Start(t.Context(), r.user.ID, Request{ProviderID: "embedded", ASPSP: fi, PSUType: "personal", Browser: browser}); !errors.Is(err,
		finance.FailureUnreachable) {
		t.Error(err)
	}
}

// Banks are sorted by name, and those that are connected are marked.
func TestBanksAreSortedAndMarked(t *testing.T) {
	r := newRig(t)
	_, state := r.start(t)
	_, err := r.Complete(t.Context(), "embedded", browser, Callback{State: state, Code: "code"})
	check(t, err)
	banks, unlisted, err := r.Banks(t.Context(), r.user.ID)
	check(t, err)
	if len(unlisted) > 0 {
		t.Errorf("not listed: %+v", unlisted)
	}
	var got []string
	for _, b := range banks {
		mark := ""
		if b.Connected {
			mark = "*"
		}
		got = append(got, b.Name+" "+b.Country+" "+b.ProviderID+mark)
	}
	want := []string{"alpha DE embedded", "alpha DE remote", "Test Bank FI embedded*", "Test Bank FI remote", "Test Bank SE embedded", "Test Bank SE remote",
		"Zeta DE embedded", "Zeta DE remote"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if n := r.service.Count("GET /aspsps"); n != 2 {
		t.Errorf("the list was fetched %d times", n)
	}
	others, _, err := r.Banks(t.Context(), "somebody else")
	if err != nil || slices.ContainsFunc(others, func(b Bank) bool { return b.Connected || len(b.Connections) > 0 }) {
		t.Error("another user's connections show", err)
	}
}

// The consent is ended, the history stays; also when the service is away.
func TestDisconnect(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(r *rig)
		atBank  bool
	}{
		"as usual": {func(*rig) {}, true},
		"ended before": {func(r *rig) {
			r.service.Refuse("DELETE /sessions/{id}", openbanking.Error{Code: openbanking.ClosedSession})
		}, true},
		"bank is away": {func(r *rig) {
			r.service.Refuse("DELETE /sessions/{id}", openbanking.Error{Code: openbanking.ASPSPError})
		}, false},
		"service is away": {func(r *rig) { r.service.Close() }, false},
	} {
		r := newRig(t)
		_, state := r.start(t)
		done, err := r.Complete(t.Context(), "embedded", browser, Callback{State: state, Code: "code"})
		check(t, err)
		if _, err := r.Disconnect(t.Context(), "somebody else", done.ConnectionID); !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%s: foreign: %v", name, err)
		}
		c.prepare(r)
		got, err := r.Disconnect(t.Context(), r.user.ID, done.ConnectionID)
		if err != nil || got.AtBank != c.atBank || (got.Problem == nil) != c.atBank {
			t.Errorf("%s: %+v %v", name, got, err)
		}
		conn, err := r.store.Connection(t.Context(), r.user.ID, done.ConnectionID)
		if err != nil || conn.Status != finance.ConnectionDisconnected {
			t.Errorf("%s: %+v %v", name, conn, err)
		}
		accounts, err := r.store.Accounts(t.Context(), r.user.ID)
		if err != nil || len(accounts) != 1 {
			t.Errorf("%s: %d accounts left, %v", name, len(accounts), err)
		}
	}
}

// The background may be asking the service for the end while the person waits for it. The person is told how that went, not that nothing is confirmed yet.
func TestDisconnectWhileTheBackgroundAsks(t *testing.T) {
	for name, c := range map[string]struct {
		refuse openbanking.ErrorCode
		atBank bool
	}{"confirmed": {"", true}, "refused": {openbanking.ASPSPError, false}} {
		r := newRig(t)
		_, state := r.start(t)
		done, err := r.Complete(t.Context(), "embedded", browser, Callback{State: state, Code: "code"})
		check(t, err)
		asked, answer := make(chan struct{}), make(chan struct{})
		r.service.Hold("DELETE /sessions/{id}", answer)
		if c.refuse != "" {
			r.service.Refuse("DELETE /sessions/{id}", openbanking.Error{Code: c.refuse})
		}
		check(t, r.store.EndConnection(t.Context(), r.user.ID, done.ConnectionID, finance.ConnectionDisconnected))
		connect := r.connect
		r.connect = func(ctx context.Context, p finance.Provider) (API, error) { close(asked); return connect(ctx, p) }
		ended := make(chan error, 1)
		go func() {
			_, err := r.EndSessions(context.WithoutCancel(t.Context()))
			ended <- err
		}()
		<-asked
		type outcome struct {
			Disconnected
			err error
		}
		told := make(chan outcome, 1)
		go func() {
			got, err := r.Disconnect(context.WithoutCancel(t.Context()), r.user.ID, done.ConnectionID)
			told <- outcome{got, err}
		}()
		select {
		case got := <-told:
			close(answer)
			t.Fatalf("%s: told %+v before the service answered", name, got)
		case <-time.After(50 * time.Millisecond):
		}
		close(answer)
		check(t, <-ended)
		if got := <-told; got.err != nil || got.AtBank != c.atBank {
			t.Errorf("%s: %+v", name, got)
		}
		if n := r.service.Count("DELETE /sessions/{id}"); n != 1 {
			t.Errorf("%s: the service was asked %d times", name, n)
		}
	}
}
