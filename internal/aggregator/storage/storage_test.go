package storage

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
	"florin/internal/sqlite/sqlitetest"
	"florin/migrations"
)

var epoch = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func open(t *testing.T) *Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), "aggregator.db")
	sqlitetest.Make(t, path, migrations.Aggregator)
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func application(t *testing.T, s *Store) aggregator.Application {
	t.Helper()
	app := aggregator.Application{
		ID: "app", Name: "Ledger", Description: "d", Environment: openbanking.EnvironmentSandbox,
		RedirectURLs: []string{"https://a.example/1", "https://a.example/2"}, WebhookOrigins: []string{"https://a.example"},
		Services: []openbanking.Service{openbanking.ServiceAIS}, GDPREmail: "e", PrivacyURL: "p", TermsURL: "t",
		Status: aggregator.ApplicationActive, AllowedIPs: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, CreatedAt: epoch,
	}
	if err := s.CreateApplication(t.Context(), app, aggregator.ApplicationKey{ID: "first", PEM: "key", Created: epoch}, 0); err != nil {
		t.Fatal(err)
	}
	return app
}

// pending stores an authorisation and returns it.
func pending(t *testing.T, s *Store, id string) aggregator.Session {
	t.Helper()
	yes, no, iban := true, false, "FI2112345600000785"
	row := aggregator.Session{
		Authorization: aggregator.Authorization{
			AuthorizationID: id, ApplicationID: "app",
			ASPSP: openbanking.ASPSP{Name: "Northlight", Country: "FI"}, PSUType: openbanking.PSUTypePersonal, AuthMethod: "web",
			PSUIDHash: strings.Repeat("a", 64), State: "s\x00\u20ac", RedirectURL: "https://a.example/1", Language: "fi",
			Created: epoch, PageExpires: epoch.Add(30 * time.Minute),
		},
		Status: openbanking.SessionStatusPendingAuthorization,
		Access: openbanking.Access{
			Accounts: []openbanking.AccountIdentification{{IBAN: &iban}}, Balances: &yes, Transactions: &no,
			ValidUntil: openbanking.DateTime{Time: epoch.Add(24 * time.Hour)},
		},
	}
	if err := s.CreateSession(t.Context(), row, hash("state of "+id), aggregator.SuppliedCredentials{}); err != nil {
		t.Fatal(err)
	}
	return row
}

func hash(text string) string { return fmt.Sprintf("%064x", text)[:64] }

// steps bring a session forward; each is refused in every state but its own.
var steps = map[aggregator.Event]func(s *Store, row aggregator.Session) error{
	aggregator.EventCompleted: func(s *Store, row aggregator.Session) error {
		consent := aggregator.Consent{Reference: "c", ValidUntil: epoch.Add(12 * time.Hour)}
		return s.Complete(context.Background(), row.AuthorizationID, consent, hash("code of "+row.AuthorizationID), epoch.Add(10*time.Minute))
	},
	aggregator.EventRedeemed: func(s *Store, row aggregator.Session) error {
		row.SessionID, row.Authorized = "session of "+row.AuthorizationID, epoch.Add(time.Minute)
		row.Consent = aggregator.Consent{Reference: "c", ValidUntil: epoch.Add(12 * time.Hour)}
		return s.Redeem(context.Background(), row, nil)
	},
	aggregator.EventCancelled: end(aggregator.EventCancelled),
	aggregator.EventFailed:    end(aggregator.EventFailed),
	aggregator.EventCodeLate:  end(aggregator.EventCodeLate),
	aggregator.EventClosed:    end(aggregator.EventClosed),
	aggregator.EventExpired:   end(aggregator.EventExpired),
	aggregator.EventRevoked:   end(aggregator.EventRevoked),
}

func end(event aggregator.Event) func(*Store, aggregator.Session) error {
	return func(s *Store, row aggregator.Session) error {
		return s.End(context.Background(), row.AuthorizationID, event, epoch.Add(time.Hour))
	}
}

// TestStateMachine: in every state exactly the events of the table may happen, and everything else changes nothing
// (api-notes 5).
func TestStateMachine(t *testing.T) {
	routes := map[openbanking.SessionStatus][]aggregator.Event{
		openbanking.SessionStatusPendingAuthorization: {},
		openbanking.SessionStatusReturnedFromBank:     {aggregator.EventCompleted},
		openbanking.SessionStatusCancelled:            {aggregator.EventCancelled},
		openbanking.SessionStatusInvalid:              {aggregator.EventCompleted, aggregator.EventCodeLate},
		openbanking.SessionStatusAuthorized:           {aggregator.EventCompleted, aggregator.EventRedeemed},
		openbanking.SessionStatusClosed:               {aggregator.EventCompleted, aggregator.EventRedeemed, aggregator.EventClosed},
		openbanking.SessionStatusExpired:              {aggregator.EventCompleted, aggregator.EventRedeemed, aggregator.EventExpired},
		openbanking.SessionStatusRevoked:              {aggregator.EventCompleted, aggregator.EventRedeemed, aggregator.EventRevoked},
	}
	if len(routes) != len(openbanking.SessionStatus("").Values()) {
		t.Fatal("a state is not covered")
	}
	s := open(t)
	application(t, s)
	n := 0
	for status, route := range routes {
		for event, step := range steps {
			n++
			row := pending(t, s, fmt.Sprint("row ", n))
			if err := s.TakeReturn(t.Context(), row.AuthorizationID, epoch); err != nil {
				t.Fatal(err)
			}
			for _, e := range route {
				if err := steps[e](s, row); err != nil {
					t.Fatalf("on the way to %s, %s: %v", status, e, err)
				}
			}
			before, err := s.SessionByAuthorization(t.Context(), row.AuthorizationID)
			if err != nil || before.Status != status {
				t.Fatalf("%+v, %v, want %s", before, err, status)
			}
			err = step(s, row)
			after, readErr := s.SessionByAuthorization(t.Context(), row.AuthorizationID)
			if readErr != nil {
				t.Fatal(readErr)
			}
			from, to := aggregator.Transition(event)
			if from != status {
				if !errors.Is(err, aggregator.ErrNotFound) || !reflect.DeepEqual(before, after) {
					t.Errorf("%s in %s: %v, and the row became %+v", event, status, err, after)
				}
				continue
			}
			if err != nil || after.Status != to {
				t.Errorf("%s in %s: %v, now %s", event, status, err, after.Status)
			}
			if closed := from == openbanking.SessionStatusAuthorized; closed != after.Closed.Equal(epoch.Add(time.Hour)) {
				t.Errorf("%s in %s: closed at %v", event, status, after.Closed)
			}
		}
	}
}

// TestSessionRoundTrip: every field comes back as it was stored.
func TestSessionRoundTrip(t *testing.T) {
	s := open(t)
	app := application(t, s)
	if got, err := s.Application(t.Context(), app.ID); err != nil || !reflect.DeepEqual(got, app) {
		t.Errorf("application %+v, %v, want %+v", got, err, app)
	}
	want := pending(t, s, "row")
	check := func(got aggregator.Session, err error) {
		t.Helper()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
	check(s.SessionByAuthorization(t.Context(), "row"))
	check(s.SessionByBankState(t.Context(), hash("state of row")))

	if err := s.TakeReturn(t.Context(), "row", epoch); err != nil {
		t.Fatal(err)
	}
	want.Status, want.Consent, want.CodeExpires = openbanking.SessionStatusReturnedFromBank,
		aggregator.Consent{Reference: "c", ValidUntil: epoch.Add(12 * time.Hour)}, epoch.Add(10*time.Minute)
	if err := steps[aggregator.EventCompleted](s, want); err != nil {
		t.Fatal(err)
	}
	check(s.SessionByCode(t.Context(), "app", hash("code of row")))

	want.Status, want.SessionID, want.Authorized = openbanking.SessionStatusAuthorized, "session", epoch.Add(time.Minute)
	accounts := []aggregator.SessionAccount{{UID: "u1", Reference: "r1", Hash: "h1", Hashes: []string{"h1", "h"}},
		{Reference: "blocked", Hash: "h2", Hashes: []string{"h2"}}, {Reference: "blocked too", Hash: "h3", Hashes: []string{"h3"}}}
	if err := s.Redeem(t.Context(), want, accounts); err != nil {
		t.Fatal(err)
	}
	check(s.Session(t.Context(), "app", "session"))
	if got, err := s.SessionAccounts(t.Context(), "row"); err != nil || !reflect.DeepEqual(got, accounts) {
		t.Errorf("accounts %+v, %v", got, err)
	}
	account, session, err := s.SessionAccount(t.Context(), "app", "u1")
	if !reflect.DeepEqual(account, accounts[0]) {
		t.Errorf("account %+v", account)
	}
	check(session, err)

	for name, err := range map[string]error{
		"application":              second(s.Application(t.Context(), "none")),
		"authorisation":            second(s.SessionByAuthorization(t.Context(), "none")),
		"state":                    second(s.SessionByBankState(t.Context(), "none")),
		"session":                  second(s.Session(t.Context(), "app", "none")),
		"session of another":       second(s.Session(t.Context(), "other", "session")),
		"code of another":          second(s.SessionByCode(t.Context(), "other", hash("code of row"))),
		"account":                  third(s.SessionAccount(t.Context(), "app", "none")),
		"account of another":       third(s.SessionAccount(t.Context(), "other", "u1")),
		"account with an empty id": third(s.SessionAccount(t.Context(), "app", "")),
	} {
		if !errors.Is(err, aggregator.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error        { return err }
func third[T, U any](_ T, _ U, err error) error { return err }

// TestChecksGuardTheStates: what the code would never do the schema refuses too.
func TestChecksGuardTheStates(t *testing.T) {
	s := open(t)
	application(t, s)
	pending(t, s, "row")
	for _, statement := range []string{
		"UPDATE session SET status = 'OPEN'",
		"UPDATE session SET status = 'RETURNED_FROM_BANK'",
		"UPDATE session SET status = 'AUTHORIZED'",
		"UPDATE session SET status = 'CANCELLED'",
		"UPDATE session SET due = NULL",
		"UPDATE session SET session_id = 'x'",
		"UPDATE session SET closed = created",
		"UPDATE session SET psu_id_hash = 'short'",
		"UPDATE session SET application_id = 'none'",
		"UPDATE session SET balances = 2",
		"UPDATE application SET environment = 'TEST'",
		"UPDATE application SET status = 'OPEN'",
	} {
		err := s.db.Write(t.Context(), func(tx *sqlite.Tx) error {
			_, err := tx.ExecContext(t.Context(), statement)
			return err
		})
		if err == nil {
			t.Errorf("%s passes", statement)
		}
	}
}

// TestReturnIsTakenOnce: the return from a bank counts once, and not after the page has ended.
func TestReturnIsTakenOnce(t *testing.T) {
	s := open(t)
	application(t, s)
	late := pending(t, s, "late")
	if err := s.TakeReturn(t.Context(), "late", late.PageExpires); !errors.Is(err, aggregator.ErrNotFound) {
		t.Errorf("a return at the end of the page: %v", err)
	}
	pending(t, s, "row")
	results := make([]error, 16)
	var wait sync.WaitGroup
	for i := range results {
		wait.Go(func() { results[i] = s.TakeReturn(context.Background(), "row", epoch) })
	}
	wait.Wait()
	taken := 0
	for _, err := range results {
		if err == nil {
			taken++
		} else if !errors.Is(err, aggregator.ErrNotFound) {
			t.Error(err)
		}
	}
	if taken != 1 {
		t.Errorf("taken %d times", taken)
	}
}

// TestDueSessions: what time has ended is found by the rows, the longest due first, and the next one is known.
func TestDueSessions(t *testing.T) {
	s := open(t)
	application(t, s)
	if next, err := s.NextDue(t.Context()); err != nil || !next.IsZero() {
		t.Errorf("with no sessions the next is due at %v, %v", next, err)
	}
	ids := func(at time.Time, limit int) string {
		rows, err := s.DueSessions(t.Context(), at, limit)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, row := range rows {
			names = append(names, row.AuthorizationID)
		}
		return strings.Join(names, " ")
	}
	page := pending(t, s, "page")
	returned := pending(t, s, "returned")
	if err := s.TakeReturn(t.Context(), "returned", epoch); err != nil {
		t.Fatal(err)
	}
	if err := steps[aggregator.EventCompleted](s, returned); err != nil {
		t.Fatal(err)
	}
	pending(t, s, "cancelled")
	if err := steps[aggregator.EventCancelled](s, aggregator.Session{Authorization: aggregator.Authorization{AuthorizationID: "cancelled"}}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		at    time.Time
		limit int
		want  string
	}{
		{epoch.Add(10*time.Minute - time.Millisecond), 9, ""},
		{epoch.Add(10 * time.Minute), 9, "returned"},
		{page.PageExpires, 9, "returned page"},
		{page.PageExpires, 1, "returned"},
	} {
		if got := ids(tt.at, tt.limit); got != tt.want {
			t.Errorf("at %v, %d: %q, want %q", tt.at, tt.limit, got, tt.want)
		}
	}
	if next, err := s.NextDue(t.Context()); err != nil || !next.Equal(epoch.Add(10*time.Minute)) {
		t.Errorf("the next is due at %v, %v", next, err)
	}
}
