package api_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/banktest"
	"florin/internal/aggregator/engine"
	"florin/internal/openbanking"
)

func keys(object map[string]any) string {
	var names []string
	for name := range object {
		names = append(names, name)
	}
	sort.Strings(names)
	return strings.Join(names, " ")
}

// TestSessionShapes: the table of fields in POST and GET /sessions (api-notes 5), with nulls written.
func TestSessionShapes(t *testing.T) {
	t.Parallel()
	s := start(t)
	session := s.link()
	if got := keys(session.body); got != "access accounts aspsp psu_type session_id" {
		t.Errorf("POST /sessions has %s", got)
	}
	account := accounts(session)[0]
	if got := keys(account); got != "account_id account_servicer all_account_ids cash_account_type credit_limit currency details identification_hash identification_hashes legal_age name postal_address product psu_status uid usage" {
		t.Errorf("an account has %s", got)
	}
	if got := keys(session.body["access"].(map[string]any)); got != "accounts balances transactions valid_until" || session.at("access.balances") != true ||
		session.at("access.transactions") != true {
		t.Errorf("access is %v", session.body["access"])
	}
	got := s.call("GET", "/sessions/"+session.text("session_id"), "")
	if keys(got.body) != "access accounts accounts_data aspsp authorized closed created psu_id_hash psu_type status" {
		t.Errorf("GET /sessions has %s", keys(got.body))
	}
	if got.text("status") != "AUTHORIZED" || got.text("psu_type") != "personal" || got.text("aspsp.name") != "Northlight" || got.text("aspsp.country") != "FI" {
		t.Errorf("session is %s", got.raw)
	}
	if !strings.Contains(got.raw, `"closed":null`) || !strings.Contains(got.raw, `"access":{"accounts":null,`) {
		t.Errorf("nulls are missing: %s", got.raw)
	}
	for _, name := range []string{"created", "authorized"} {
		if at, err := time.Parse(time.RFC3339Nano, got.text(name)); err != nil || !strings.HasSuffix(got.text(name), "Z") || time.Since(at) > time.Minute {
			t.Errorf("%s is %q", name, got.text(name))
		}
	}
	if ids := got.body["accounts"].([]any); len(ids) != 1 || ids[0] != account["uid"] {
		t.Errorf("accounts %v", ids)
	}
	data := got.body["accounts_data"].([]any)[0].(map[string]any)
	if keys(data) != "identification_hash identification_hashes uid" || data["uid"] != account["uid"] ||
		data["identification_hash"] != account["identification_hash"] {
		t.Errorf("accounts_data %v, account %v", data, account)
	}
}

// place is where a session is: what names it, and what it gave out on the way there.
type place struct {
	session       string // its id; while it has none, the id of its authorisation
	authorization string
	code          string // of the redirect; one that was never given out where there was none
	uid           string // of its account, if any
	visit         string // the state of the visit to the bank
}

// states lists every state and how to reach it.
var states = []struct {
	status openbanking.SessionStatus
	reach  func(s *service) place
}{
	{openbanking.SessionStatusPendingAuthorization, func(s *service) place { return s.pending() }},
	{openbanking.SessionStatusReturnedFromBank, func(s *service) place { return s.returned() }},
	{openbanking.SessionStatusCancelled, func(s *service) place {
		p := s.pending()
		if _, err := s.engine.Deny(context.Background(), p.authorization); err != nil {
			s.t.Fatal(err)
		}
		return p
	}},
	{openbanking.SessionStatusInvalid, func(s *service) place {
		p := s.pending()
		s.clock.Advance(time.Hour)
		return p
	}},
	{openbanking.SessionStatusAuthorized, func(s *service) place { return s.authorized() }},
	{openbanking.SessionStatusClosed, func(s *service) place {
		p := s.authorized()
		s.call("DELETE", "/sessions/"+p.session, "")
		return p
	}},
	{openbanking.SessionStatusExpired, func(s *service) place {
		p := s.authorized()
		s.clock.Advance(25 * time.Hour)
		return p
	}},
	{openbanking.SessionStatusRevoked, func(s *service) place {
		p := s.authorized()
		row, err := s.store.SessionByAuthorization(context.Background(), p.authorization)
		if err == nil {
			err = s.engine.ConsentEnded(context.Background(), row.ASPSP, row.Consent.Reference, true)
		}
		if err != nil {
			s.t.Fatal(err)
		}
		return p
	}},
}

func (s *service) pending() place {
	id := s.call("POST", "/auth", authRequest()).text("authorization_id")
	return place{session: id, authorization: id, code: "no code", visit: s.visit(answer{body: map[string]any{"authorization_id": id}})}
}

func (s *service) returned() place {
	p := s.pending()
	back, err := s.engine.ReturnFromBank(context.Background(), p.visit, s.bank.Approve(p.visit), "", "")
	if err != nil {
		s.t.Fatal(err)
	}
	u, err := url.Parse(back)
	if err != nil {
		s.t.Fatal(err)
	}
	p.code = u.Query().Get("code")
	return p
}

func (s *service) authorized() place {
	p := s.returned()
	session := s.call("POST", "/sessions", `{"code":"`+p.code+`"}`)
	p.session, p.uid = session.text("session_id"), uid(session)
	return p
}

// TestStateMachine: what every call answers in every state (api-notes 5), before and after the job has recorded what time
// alone ended. What is refused changes nothing.
func TestStateMachine(t *testing.T) {
	t.Parallel()
	type refusal struct {
		status int
		code   openbanking.ErrorCode
	}
	unknown, fine := refusal{404, openbanking.SessionDoesNotExist}, refusal{}
	notYet := refusal{422, openbanking.WrongSessionStatus}
	noCode, used := refusal{422, openbanking.WrongAuthorizationCode}, refusal{422, openbanking.AlreadyAuthorized}
	tests := map[openbanking.SessionStatus]struct {
		get, remove, data, redeem refusal
		page                      error // of the hosted pages
	}{
		openbanking.SessionStatusPendingAuthorization: {unknown, notYet, fine, noCode, nil},
		openbanking.SessionStatusReturnedFromBank:     {unknown, notYet, fine, fine, engine.ErrCompletedAuthorization},
		openbanking.SessionStatusCancelled:            {unknown, notYet, fine, noCode, engine.ErrCompletedAuthorization},
		openbanking.SessionStatusInvalid:              {unknown, notYet, fine, noCode, engine.ErrExpiredAuthorization},
		openbanking.SessionStatusAuthorized:           {fine, fine, fine, used, engine.ErrCompletedAuthorization},
		openbanking.SessionStatusClosed: {fine, refusal{400, openbanking.ClosedSession}, refusal{401, openbanking.ClosedSession}, used,
			engine.ErrCompletedAuthorization},
		openbanking.SessionStatusExpired: {fine, refusal{401, openbanking.ExpiredSession}, refusal{401, openbanking.ExpiredSession}, used,
			engine.ErrCompletedAuthorization},
		openbanking.SessionStatusRevoked: {fine, refusal{401, openbanking.RevokedSession}, refusal{401, openbanking.RevokedSession}, used,
			engine.ErrCompletedAuthorization},
	}
	if len(states) != len(openbanking.SessionStatus("").Values()) || len(tests) != len(states) {
		t.Fatal("a state is missing")
	}
	for _, state := range states {
		for _, recorded := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, job run %v", state.status, recorded), func(t *testing.T) {
				want := tests[state.status]
				s := start(t)
				at := state.reach(s)
				record := func() openbanking.SessionStatus {
					row, err := s.store.SessionByAuthorization(t.Context(), at.authorization)
					if err != nil {
						t.Fatal(err)
					}
					return row.At(s.clock.Now()).Status
				}
				if recorded {
					if _, err := s.engine.ExpireDue(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				check := func(call string, got answer, want refusal) {
					t.Helper()
					if want == fine {
						if got.status != 200 {
							t.Errorf("%s: %d %s", call, got.status, got.raw)
						}
						return
					}
					wantError(t, got, want.status, want.code, "")
					if now := record(); now != state.status {
						t.Errorf("%s moved the session to %s", call, now)
					}
				}
				got := s.call("GET", "/sessions/"+at.session, "")
				check("GET", got, want.get)
				if want.get == fine && got.text("status") != string(state.status) {
					t.Errorf("status is %s", got.text("status"))
				}
				closed := want.remove != fine
				if want.get == fine && closed != (got.text("closed") != "") {
					t.Errorf("closed is %v", got.body["closed"])
				}
				if at.uid != "" {
					check("GET by the id of the authorisation", s.call("GET", "/sessions/"+at.authorization, ""), unknown)
					check("DELETE by the id of the authorisation", s.call("DELETE", "/sessions/"+at.authorization, ""), unknown)
					for _, path := range []string{"details", "balances", "transactions", "transactions/id-1"} {
						check(path, s.call("GET", "/accounts/"+at.uid+"/"+path, ""), want.data)
					}
				}
				if _, _, _, err := s.engine.Authorization(t.Context(), at.authorization); !errors.Is(err, want.page) {
					t.Errorf("the hosted page meets %v, want %v", err, want.page)
				}
				if want.page != nil {
					if _, err := s.engine.Deny(t.Context(), at.authorization); !errors.Is(err, want.page) {
						t.Errorf("cancelling meets %v, want %v", err, want.page)
					}
					if _, err := s.engine.ReturnFromBank(t.Context(), at.visit, s.bank.Approve(at.visit), "", ""); err == nil &&
						state.status != openbanking.SessionStatusInvalid {
						t.Error("a return from the bank counts")
					}
				}
				if want.remove != fine { // it moves the session
					check("DELETE", s.call("DELETE", "/sessions/"+at.session, ""), want.remove)
				}
				check("POST /sessions", s.call("POST", "/sessions", `{"code":"`+at.code+`"}`), want.redeem)
				if want.remove == fine {
					check("DELETE", s.call("DELETE", "/sessions/"+at.session, ""), want.remove)
					if len(s.bank.Ended()) != 1 {
						t.Error("the consent at the bank is not ended")
					}
				}
			})
		}
	}
}

// TestConsentThatIsOver: when a bank says with a call for data that the consent is over, the session ends, for all calls; a bank
// that says so by itself ends it at once (api-notes 5: EXPIRED, REVOKED).
func TestConsentThatIsOver(t *testing.T) {
	calls := map[string]string{"Account": "details", "Balances": "balances", "Transactions": "transactions", "Transaction": "transactions/id-1"}
	for _, tt := range []struct {
		err    error
		status openbanking.SessionStatus
		code   openbanking.ErrorCode
	}{
		{aggregator.ErrConsentEnded, openbanking.SessionStatusExpired, openbanking.ExpiredSession},
		{fmt.Errorf("the bank: %w", aggregator.ErrConsentRevoked), openbanking.SessionStatusRevoked, openbanking.RevokedSession},
	} {
		for method, path := range calls {
			t.Run(string(tt.status)+" "+method, func(t *testing.T) {
				s := start(t)
				at := s.authorized()
				s.bank.Fail(method, tt.err)
				wantError(t, s.call("GET", "/accounts/"+at.uid+"/"+path, ""), 401, tt.code, "")
				s.bank.Fail(method, nil)
				wantError(t, s.call("GET", "/accounts/"+at.uid+"/balances", ""), 401, tt.code, "")
				if got := s.call("GET", "/sessions/"+at.session, ""); got.text("status") != string(tt.status) || got.text("closed") == "" {
					t.Errorf("the session is %s", got.raw)
				}
			})
		}
		t.Run(string(tt.status)+" before the code is redeemed", func(t *testing.T) {
			s := start(t)
			at := s.returned()
			s.bank.Fail("Accounts", tt.err)
			wantError(t, s.call("POST", "/sessions", `{"code":"`+at.code+`"}`), 401, tt.code, "")
		})
		t.Run(string(tt.status)+" by the bank itself", func(t *testing.T) {
			s := start(t)
			at, other := s.authorized(), s.authorized()
			row, err := s.store.SessionByAuthorization(t.Context(), at.authorization)
			if err != nil {
				t.Fatal(err)
			}
			foreign := row.ASPSP
			foreign.Country = "SE"
			revoked := errors.Is(tt.err, aggregator.ErrConsentRevoked)
			for _, tell := range []struct {
				bank      openbanking.ASPSP
				reference string
			}{{foreign, row.Consent.Reference}, {row.ASPSP, "unknown"}, {row.ASPSP, row.Consent.Reference}, {row.ASPSP, row.Consent.Reference}} {
				if err := s.engine.ConsentEnded(t.Context(), tell.bank, tell.reference, revoked); err != nil {
					t.Error(err)
				}
			}
			if got := s.call("GET", "/sessions/"+at.session, ""); got.text("status") != string(tt.status) {
				t.Errorf("the session is %s", got.raw)
			}
			if got := s.call("GET", "/sessions/"+other.session, ""); got.text("status") != "AUTHORIZED" {
				t.Errorf("another session is %s", got.raw)
			}
		})
	}
}

// TestExpiryWithoutRequest: the job records by the rows what time has ended, at the time it ended, and says when to come
// again.
func TestExpiryWithoutRequest(t *testing.T) {
	t.Parallel()
	s := start(t)
	until := time.Now().Add(2 * time.Hour).UTC().Truncate(time.Second)
	session := s.link("access.valid_until", until.Format(time.RFC3339))
	_, returned := s.authorize()
	pending := s.call("POST", "/auth", authRequest())
	var gone time.Duration
	run := func(ahead time.Duration) time.Time {
		s.clock.Advance(ahead - gone)
		gone = ahead
		next, err := s.engine.ExpireDue(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	status := func(authorization string) openbanking.SessionStatus {
		row, err := s.store.SessionByAuthorization(t.Context(), authorization)
		if err != nil {
			t.Fatal(err)
		}
		return row.Status
	}
	if next := run(0); time.Until(next) > time.Minute || time.Until(next) < 50*time.Second {
		t.Errorf("the next run is at %v", next)
	}
	if next := run(engine.DefaultCodeLifetime - 30*time.Second); status(returned.text("authorization_id")) != openbanking.SessionStatusReturnedFromBank ||
		time.Until(next) > engine.DefaultCodeLifetime {
		t.Errorf("a code ended early, or the next run at %v misses it", next)
	}
	run(engine.DefaultCodeLifetime)
	if got := status(returned.text("authorization_id")); got != openbanking.SessionStatusInvalid {
		t.Errorf("a code that nobody redeemed leaves %s", got)
	}
	if got := status(pending.text("authorization_id")); got != openbanking.SessionStatusPendingAuthorization {
		t.Errorf("a page ended early: %s", got)
	}
	run(engine.DefaultPageLifetime)
	if got := status(pending.text("authorization_id")); got != openbanking.SessionStatusInvalid {
		t.Errorf("a page that nobody completed leaves %s", got)
	}
	run(3 * time.Hour)
	row, err := s.store.Session(t.Context(), s.app.ID, session.text("session_id"))
	if err != nil || row.Status != openbanking.SessionStatusExpired || !row.Closed.Equal(until) {
		t.Errorf("a session past its valid_until is %+v, %v", row, err)
	}
	if next := run(3 * time.Hour); next.Before(time.Now().Add(3 * time.Hour)) {
		t.Errorf("with nothing due the next run is at %v", next)
	}
}

// TestConsentThatEndsEarly: when the bank grants less, the session is EXPIRED at the end of the consent (api-notes 5).
func TestConsentThatEndsEarly(t *testing.T) {
	t.Parallel()
	s := start(t, func(b *banktest.Bank) { b.Validity = time.Hour })
	session := s.link()
	s.clock.Advance(time.Hour + time.Second)
	if got := s.call("GET", "/sessions/"+session.text("session_id"), ""); got.text("status") != "EXPIRED" {
		t.Errorf("session is %s", got.raw)
	}
}

// TestRedeemRules: a code is single use, short-lived, and of one application (api-notes 5).
func TestRedeemRules(t *testing.T) {
	t.Parallel()
	s := start(t)
	redeem := func(code string) answer { return s.call("POST", "/sessions", `{"code":"`+code+`"}`) }
	for _, body := range []string{`{}`, `{"code":null}`} {
		wantError(t, s.call("POST", "/sessions", body), 422, openbanking.WrongRequestParameters, "code is missing")
	}
	wantError(t, s.call("POST", "/sessions", `{"code":1}`), 422, openbanking.WrongRequestParameters, "code must be a string")
	wantError(t, redeem(""), 422, openbanking.WrongAuthorizationCode, "")
	wantError(t, redeem("unknown"), 422, openbanking.WrongAuthorizationCode, "")

	code, started := s.authorize()
	wantError(t, redeem(started.text("authorization_id")), 422, openbanking.WrongAuthorizationCode, "")
	mine := s.token
	_, s.token = s.register(openbanking.EnvironmentSandbox)
	wantError(t, redeem(code), 422, openbanking.WrongAuthorizationCode, "")
	s.token = mine

	s.bank.Fail("Accounts", errors.New("down"))
	wantError(t, redeem(code), 400, openbanking.ASPSPError, "Unknown error")
	s.bank.Fail("Accounts", nil)
	session := redeem(code)
	if session.status != 200 || session.text("session_id") == started.text("authorization_id") {
		t.Fatalf("a code is lost when the bank failed once, or the session has the id of its authorisation: %s", session.raw)
	}
	wantError(t, redeem(code), 422, openbanking.AlreadyAuthorized, "")
	s.call("DELETE", "/sessions/"+session.text("session_id"), "")
	wantError(t, redeem(code), 422, openbanking.AlreadyAuthorized, "")

	late, _ := s.authorize()
	s.clock.Advance(engine.DefaultCodeLifetime)
	wantError(t, redeem(late), 422, openbanking.ExpiredAuthorizationCode, "")
	if _, err := s.engine.ExpireDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantError(t, redeem(late), 422, openbanking.ExpiredAuthorizationCode, "")
}

// TestRedeemOnceInParallel: of fifty requests with one code one gets the session, the others ALREADY_AUTHORIZED.
func TestRedeemOnceInParallel(t *testing.T) {
	t.Parallel()
	s := start(t)
	code, _ := s.authorize()
	answers := make([]answer, 50)
	var wait sync.WaitGroup
	for i := range answers {
		wait.Go(func() { answers[i] = s.call("POST", "/sessions", `{"code":"`+code+`"}`) })
	}
	wait.Wait()
	authorized := 0
	for _, got := range answers {
		if got.status == 200 {
			authorized++
			continue
		}
		wantError(t, got, 422, openbanking.AlreadyAuthorized, "")
	}
	if authorized != 1 {
		t.Errorf("the code gave %d sessions", authorized)
	}
}

// TestReturnOnceInParallel: the browser's return counts once, however often it comes.
func TestReturnOnceInParallel(t *testing.T) {
	t.Parallel()
	s := start(t)
	visit := s.visit(s.call("POST", "/auth", authRequest()))
	code := s.bank.Approve(visit)
	results := make([]error, 20)
	var wait sync.WaitGroup
	for i := range results {
		wait.Go(func() { _, results[i] = s.engine.ReturnFromBank(context.Background(), visit, code, "", "") })
	}
	wait.Wait()
	completed := 0
	for _, err := range results {
		if err == nil {
			completed++
		} else if !errors.Is(err, engine.ErrCompletedAuthorization) {
			t.Error(err)
		}
	}
	if completed != 1 {
		t.Errorf("%d returns counted", completed)
	}
}

// TestHostedPageErrors: what the pages meet out of order (api-notes 5), with no change of state.
func TestHostedPageErrors(t *testing.T) {
	t.Parallel()
	s := start(t)
	all := func(id string, want error) {
		t.Helper()
		_, _, _, err := s.engine.Authorization(t.Context(), id)
		_, accept := s.engine.Accept(t.Context(), id)
		_, deny := s.engine.Deny(t.Context(), id)
		for _, got := range []error{err, accept, deny} {
			if !errors.Is(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		}
	}
	all("", engine.ErrUnknownAuthorization)
	all("00000000-0000-4000-8000-000000000000", engine.ErrUnknownAuthorization)
	if _, err := s.engine.ReturnFromBank(t.Context(), "forged", "code", "", ""); !errors.Is(err, engine.ErrUnknownAuthorization) {
		t.Error(err)
	}
	code, started := s.authorize()
	all(started.text("authorization_id"), engine.ErrCompletedAuthorization)
	cancelled := s.call("POST", "/auth", authRequest()).text("authorization_id")
	if row, app, bank, err := s.engine.Authorization(t.Context(), cancelled); err != nil || row.AuthorizationID != cancelled || app.ID != s.app.ID ||
		bank.Name != "Northlight" || bank.Logo == "" {
		t.Errorf("%+v %+v %+v %v", row, app, bank, err)
	}
	visit := s.visit(answer{body: map[string]any{"authorization_id": cancelled}})
	if owner, err := s.engine.AuthorizationOfState(t.Context(), visit); err != nil || owner != cancelled {
		t.Errorf("the state belongs to %s, %v", owner, err)
	}
	if _, err := s.engine.Deny(t.Context(), cancelled); err != nil {
		t.Fatal(err)
	}
	all(cancelled, engine.ErrCompletedAuthorization)
	if _, err := s.engine.ReturnFromBank(t.Context(), visit, s.bank.Approve(visit), "", ""); !errors.Is(err, engine.ErrCompletedAuthorization) {
		t.Errorf("a cancelled authorisation came back: %v", err)
	}
	s.bank.Fail("StartConsent", &openbanking.Error{Code: openbanking.ASPSPTimeout})
	waiting := s.call("POST", "/auth", authRequest()).text("authorization_id")
	if _, err := s.engine.Accept(t.Context(), waiting); !errors.Is(err, openbanking.ASPSPTimeout) {
		t.Error(err)
	}
	s.bank.Fail("StartConsent", nil)
	if _, err := s.engine.Accept(t.Context(), waiting); err != nil {
		t.Errorf("a bank that failed once cannot be tried again: %v", err)
	}
	if got := s.call("POST", "/sessions", `{"code":"`+code+`"}`); got.status != 200 {
		t.Errorf("pages out of order changed a session: %s", got.raw)
	}
	s.clock.Advance(engine.DefaultPageLifetime)
	all(waiting, engine.ErrExpiredAuthorization)
}

// TestBankNoLongerOffered: its sessions can be seen and closed, not read.
func TestBankNoLongerOffered(t *testing.T) {
	t.Parallel()
	s := start(t)
	session := s.link()
	s.bank.Data.Name = "Southlight"
	wantError(t, s.call("GET", "/accounts/"+uid(session)+"/balances", ""), 400, openbanking.ASPSPError, "no longer offered")
	for _, method := range []string{"GET", "DELETE"} {
		if got := s.call(method, "/sessions/"+session.text("session_id"), ""); got.status != 200 {
			t.Errorf("%s: %d %s", method, got.status, got.raw)
		}
	}
}

// TestForeignSessions: a session or account of another application is one that does not exist.
func TestForeignSessions(t *testing.T) {
	t.Parallel()
	s := start(t)
	session := s.link()
	_, other := s.register(openbanking.EnvironmentSandbox)
	for _, method := range []string{"GET", "DELETE"} {
		wantError(t, s.call(method, "/sessions/"+session.text("session_id"), "", "Authorization", "Bearer "+other), 404, openbanking.SessionDoesNotExist, "")
	}
	for _, path := range []string{"details", "balances", "transactions", "transactions/id-1"} {
		wantError(t, s.call("GET", "/accounts/"+uid(session)+"/"+path, "", "Authorization", "Bearer "+other), 404, openbanking.AccountDoesNotExist, "")
	}
	if got := s.call("GET", "/sessions/"+session.text("session_id"), ""); got.text("status") != "AUTHORIZED" {
		t.Error(got.raw)
	}
}

// TestAccountIdentity: uids are new in each session, hashes stay, across sessions and applications; pockets under one IBAN
// share its hash but not the main one (api-notes 5).
func TestAccountIdentity(t *testing.T) {
	t.Parallel()
	iban := openbanking.GenericIdentification{Identification: "fi21 1234 5600 0007 85", SchemeName: openbanking.SchemeNameIBAN}
	own := func(id string) openbanking.GenericIdentification {
		return openbanking.GenericIdentification{Identification: id, SchemeName: openbanking.SchemeNameBANK}
	}
	s := start(t, func(b *banktest.Bank) {
		plain := b.Holdings[0]
		eur, usd, blocked := plain, plain, plain
		eur.Reference, eur.Identifiers = "eur", []openbanking.GenericIdentification{own("P-1"), iban}
		usd.Reference, usd.Identifiers = "usd", []openbanking.GenericIdentification{own("P-2"), iban}
		blocked.Reference, blocked.Blocked, blocked.Identifiers = "blocked", true, []openbanking.GenericIdentification{own("P-3")}
		b.Holdings = append(b.Holdings, eur, usd, blocked)
	})
	first := s.link("psu_id", "anna")
	_, s.token = s.register(openbanking.EnvironmentSandbox)
	second := s.link("psu_id", "bert")
	hashes := func(session answer) (main []string, all [][]any, uids []any) {
		for _, a := range accounts(session) {
			main = append(main, a["identification_hash"].(string))
			all = append(all, a["identification_hashes"].([]any))
			uids = append(uids, a["uid"])
		}
		return main, all, uids
	}
	main, all, uids := hashes(first)
	mainAgain, allAgain, uidsAgain := hashes(second)
	if !slices.Equal(main, mainAgain) || fmt.Sprint(all) != fmt.Sprint(allAgain) {
		t.Errorf("hashes changed:\n%v\n%v", all, allAgain)
	}
	for i := range uids[:3] {
		if uids[i] == nil || uids[i] == uidsAgain[i] {
			t.Errorf("uid %v, then %v", uids[i], uidsAgain[i])
		}
	}
	if all[0][0] != all[1][1] || all[1][1] != all[2][1] {
		t.Errorf("the IBAN has several hashes: %v", all)
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(main))); len(distinct) != 4 {
		t.Errorf("main hashes are not distinct: %v", main)
	}
	for i := range main {
		if all[i][0] != main[i] || len(main[i]) != 43 || url.QueryEscape(main[i]) != main[i] {
			t.Errorf("main hash %s of %v", main[i], all[i])
		}
	}
	if uids[3] != nil {
		t.Errorf("a blocked account has the uid %v", uids[3])
	}
	got := s.call("GET", "/sessions/"+second.text("session_id"), "")
	if len(got.body["accounts"].([]any)) != 3 || len(got.body["accounts_data"].([]any)) != 3 {
		t.Errorf("the session shows accounts without uid: %s", got.raw)
	}
	// the uid of an older session is not known to the newer one, and ends with its own
	details := s.call("GET", "/accounts/"+uidsAgain[1].(string)+"/details", "")
	if details.text("uid") != uidsAgain[1] || details.text("identification_hash") != main[1] {
		t.Errorf("details differ from the session: %s", details.raw)
	}
}

// TestNoAccounts: required arrays are never null.
func TestNoAccounts(t *testing.T) {
	t.Parallel()
	s := start(t, func(b *banktest.Bank) { b.Holdings = nil })
	session := s.link()
	got := s.call("GET", "/sessions/"+session.text("session_id"), "")
	if !strings.Contains(session.raw, `"accounts":[]`) || !strings.Contains(got.raw, `"accounts":[],"accounts_data":[]`) {
		t.Errorf("%s\n%s", session.raw, got.raw)
	}
}

// TestSecretsAtRest: neither a code nor the state of a visit to a bank can be read from the database files or the log.
func TestSecretsAtRest(t *testing.T) {
	t.Parallel()
	s := start(t)
	started := s.call("POST", "/auth", authRequest())
	visit := s.visit(started)
	code, _ := s.authorize()
	var files []byte
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(s.path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, data...)
	}
	if !bytes.Contains(files, []byte(started.text("authorization_id"))) {
		t.Fatal("the files do not hold the session; the search means nothing")
	}
	for name, secret := range map[string]string{"code": code, "state": visit} {
		if secret == "" || bytes.Contains(files, []byte(secret)) || strings.Contains(s.log.String(), secret) {
			t.Errorf("the %s is stored or logged", name)
		}
	}
}
