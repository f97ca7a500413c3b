package engine_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"florin/internal/aggregator"
	"florin/internal/aggregator/banktest"
	"florin/internal/aggregator/engine"
	"florin/internal/aggregator/storage"
	"florin/internal/openbanking"
	"florin/internal/sqlite/sqlitetest"
	"florin/migrations"
)

const callback = "https://app.example/callback"

// application may be stored without a real key: nothing here looks at it.
var application = aggregator.Application{
	ID: "6f1a4a0e-1111-4111-8111-000000000001", Name: "Ledger", Environment: openbanking.EnvironmentSandbox, RedirectURLs: []string{callback},
	Services: []openbanking.Service{openbanking.ServiceAIS}, Status: aggregator.ApplicationActive, CreatedAt: time.Unix(0, 0),
}

func start(t *testing.T, bank *banktest.Bank, secrets engine.Secrets, now func() time.Time) *engine.Engine {
	t.Helper()
	path := filepath.Join(t.TempDir(), "aggregator.db")
	sqlitetest.Make(t, path, migrations.Aggregator)
	store, err := storage.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	if err := store.CreateApplication(t.Context(), application, aggregator.ApplicationKey{ID: "key", PEM: "none", Created: time.Unix(0, 0)}, 0); err != nil {
		t.Fatal(err)
	}
	return engine.New(engine.Options{
		Store:      store,
		Connectors: func(ref openbanking.ASPSP) (aggregator.Connector, bool) { return bank, ref == bank.ASPSP().Reference() },
		List:       func() []aggregator.Connector { return []aggregator.Connector{bank} },
		AuthURL:    "https://auth.example/",
		Secrets:    secrets,
		Now:        now,
	})
}

func request(until time.Time) openbanking.StartAuthorizationRequest {
	return openbanking.StartAuthorizationRequest{
		Access:      openbanking.Access{ValidUntil: openbanking.DateTime{Time: until}},
		ASPSP:       openbanking.ASPSP{Name: "Northlight", Country: "FI"},
		State:       "s",
		RedirectURL: callback,
	}
}

// TestValidUntilBounds: a minute beyond now + maximum_consent_validity is the allowance for clocks, a moment more is refused; now is
// past, one second later is not (spec: Access; api-notes 4).
func TestValidUntilBounds(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 123e6, time.UTC)
	bank := banktest.New("Northlight", "FI")
	e := start(t, bank, engine.NewSecrets(), func() time.Time { return now })
	maximum := 7776000 * time.Second
	tests := []struct {
		until time.Time
		legal bool
	}{
		{now.Add(maximum), true},
		{now.Add(maximum).Truncate(time.Second), true},
		{now.Add(maximum + time.Millisecond), true},
		{now.Add(maximum + time.Minute), true},
		{now.Add(maximum + time.Minute + time.Millisecond), false},
		{now.Add(maximum + time.Hour), false},
		{now, false},
		{now.Add(-time.Second), false},
		{now.Add(500 * time.Millisecond), false}, // in whole seconds it is past
		{now.Add(time.Second), true},
	}
	for _, tt := range tests {
		_, err := e.StartAuthorization(t.Context(), application, request(tt.until))
		if (err == nil) != tt.legal || err != nil && !errors.Is(err, openbanking.WrongRequestParameters) {
			t.Errorf("%v: %v, want legal %v", tt.until, err, tt.legal)
		}
	}
}

// TestIdentificationHash: the hash is unpadded base64url of HMAC-SHA256 over the canonical identifier (api-notes 5).
func TestIdentificationHash(t *testing.T) {
	id := func(scheme openbanking.SchemeName, text string) openbanking.GenericIdentification {
		return openbanking.GenericIdentification{Identification: text, SchemeName: scheme}
	}
	tests := []struct {
		id        openbanking.GenericIdentification
		canonical string
	}{
		{id(openbanking.SchemeNameIBAN, "FI2112345600000785"), "iban|FI2112345600000785"},
		{id(openbanking.SchemeNameIBAN, "fi21 1234 5600 0007 85"), "iban|FI2112345600000785"},
		{id(openbanking.SchemeNameBBAN, "12345600000785"), "other|FI|Northlight|BBAN|12345600000785"},
		{id(openbanking.SchemeNameCPAN, "**** 1234"), "other|FI|Northlight|CPAN|**** 1234"},
	}
	secrets := engine.NewSecrets()
	for _, tt := range tests {
		bank := banktest.New("Northlight", "FI")
		bank.Holdings[0].Identifiers = []openbanking.GenericIdentification{tt.id, tt.id}
		e := start(t, bank, secrets, nil)
		mac := hmac.New(sha256.New, secrets.Hash[:])
		mac.Write([]byte(tt.canonical))
		want := base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
		account := link(t, e, bank, time.Now().Add(time.Hour)).Accounts[0]
		if account.IdentificationHash != want || !slices.Equal(account.IdentificationHashes, []string{want}) {
			t.Errorf("%v: %q %q, want %q", tt.id, account.IdentificationHash, account.IdentificationHashes, want)
		}
	}
	bank := banktest.New("Northlight", "FI")
	main := func(secrets engine.Secrets) string {
		return link(t, start(t, bank, secrets, nil), bank, time.Now().Add(time.Hour)).Accounts[0].IdentificationHash
	}
	first, again, other := main(secrets), main(secrets), main(engine.NewSecrets())
	if first != again || first == other {
		t.Error("the hash does not follow the secret of the service")
	}
}

// accept agrees and returns the state with which the browser is at the bank.
func accept(t *testing.T, e *engine.Engine, authorizationID string) (state string) {
	t.Helper()
	id, err := e.Accept(t.Context(), authorizationID)
	if err != nil {
		t.Fatal(err)
	}
	visit, err := e.Visit(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	_, state, _ = strings.Cut(visit.Step.URL, "state=")
	return state
}

// link walks from the start of an authorisation to the session.
func link(t *testing.T, e *engine.Engine, bank *banktest.Bank, until time.Time) openbanking.AuthorizeSessionResponse {
	t.Helper()
	started, err := e.StartAuthorization(t.Context(), application, request(until))
	if err != nil {
		t.Fatal(err)
	}
	state := accept(t, e, started.AuthorizationID)
	back, err := e.ReturnFromBank(t.Context(), state, bank.Approve(state), "", "")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(back, "code=")
	code, _, _ = strings.Cut(code, "&")
	session, err := e.Redeem(t.Context(), application, code)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// TestSessionEndsOnTime: a session ends at its valid_until to the second, by its dates and by the job, and the job comes
// at least once a minute.
func TestSessionEndsOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bank := banktest.New("Northlight", "FI")
		e := start(t, bank, engine.NewSecrets(), nil)
		until := time.Now().Add(10 * time.Minute).Truncate(time.Second)
		session := link(t, e, bank, until)
		status := func() openbanking.SessionStatus {
			got, err := e.Session(context.Background(), application, session.SessionID)
			if err != nil {
				t.Fatal(err)
			}
			return got.Status
		}
		for time.Now().Before(until) {
			if status() != openbanking.SessionStatusAuthorized {
				t.Fatalf("%s at %v, valid until %v", status(), time.Now(), until)
			}
			next, err := e.ExpireDue(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			wait := time.Until(next)
			if wait <= 0 || wait > time.Minute {
				t.Fatalf("the job wants to wait %v", wait)
			}
			time.Sleep(wait)
		}
		if !time.Now().Equal(until) || status() != openbanking.SessionStatusExpired {
			t.Errorf("%s at %v, valid until %v", status(), time.Now(), until)
		}
	})
}

// TestCodeEndsWithTheSession: a code is not good beyond the valid_until of its session.
func TestCodeEndsWithTheSession(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	bank := banktest.New("Northlight", "FI")
	e := start(t, bank, engine.NewSecrets(), func() time.Time { return now })
	started, err := e.StartAuthorization(t.Context(), application, request(now.Add(time.Minute)))
	if err != nil {
		t.Fatal(err)
	}
	state := accept(t, e, started.AuthorizationID)
	back, err := e.ReturnFromBank(t.Context(), state, bank.Approve(state), "", "")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(back, "code=")
	code, _, _ = strings.Cut(code, "&")
	now = now.Add(time.Minute)
	if _, err := e.Redeem(t.Context(), application, code); !errors.Is(err, openbanking.ExpiredAuthorizationCode) {
		t.Errorf("a code past the end of its session: %v", err)
	}
}
