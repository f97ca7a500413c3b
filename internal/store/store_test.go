package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/sqlite"
	"florin/internal/sqlite/sqlitetest"
	"florin/internal/testkit"
	"florin/migrations"
)

// bed is a store on a real file, which can be closed as after a crash, and opened again.
type bed struct {
	*Store
	path, secrets string
}

func newBed(t testing.TB) *bed {
	t.Helper()
	b := &bed{path: filepath.Join(t.TempDir(), "app.db"), secrets: filepath.Join(t.TempDir(), "secrets")}
	sqlitetest.Make(t, b.path, migrations.App)
	b.open(t)
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func (b *bed) open(t testing.TB) {
	t.Helper()
	key, err := LoadKey(b.secrets)
	if err != nil {
		t.Fatal(err)
	}
	if b.Store, err = Open(t.Context(), b.path, key); err != nil {
		t.Fatal(err)
	}
}

func (b *bed) reopen(t testing.TB) {
	t.Helper()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	b.open(t)
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const lease = time.Minute

var bank = openbanking.ASPSP{Name: "Test Bank", Country: "FI"}

func (b *bed) user(t testing.TB, email string) finance.User {
	t.Helper()
	return must(b.CreateUser(t.Context(), email, finance.RoleMember, "hash of "+email))(t)
}

func (b *bed) provider(t testing.TB) finance.Provider {
	t.Helper()
	check(t, b.SaveProvider(t.Context(), finance.Provider{ID: "embedded", Name: "Simulated banks", BaseURL: "http://localhost:1",
		RegistrationURL: "http://localhost:1",
		Issuer:          "i", Audience: "a", ApplicationID: "app", RedirectURL: "http://localhost/callback/embedded", Environment: openbanking.EnvironmentSandbox,
		PrivateKey: canaryKey}))
	return must(b.Provider(t.Context(), "embedded"))(t)
}

const (
	canaryKey     = "canary-private-key-91b2"
	canarySession = "canary-session-id-5c1e"
	canaryPage    = "canary-continuation-key-77aa"
)

func resource(hash, currency, uid string, hashes ...string) openbanking.AccountResource {
	r := openbanking.AccountResource{IdentificationHash: hash, IdentificationHashes: append([]string{hash}, hashes...), Currency: currency,
		CashAccountType: openbanking.CashAccountTypeCACC}
	if uid != "" {
		r.UID = &uid
	}
	return r
}

// link stores a completed link, without special wishes, and returns it.
func (b *bed) link(t testing.TB, user finance.User, session finance.Secret, accounts ...openbanking.AccountResource) (finance.LinkAttempt, finance.Secret) {
	t.Helper()
	return b.linkAs(t, user, finance.LinkAttempt{}, session, accounts...)
}

// linkAs is link with the wishes of the user: Renews or Another.
func (b *bed) linkAs(t testing.TB, user finance.User, asked finance.LinkAttempt, session finance.Secret,
	accounts ...openbanking.AccountResource) (finance.LinkAttempt, finance.Secret) {
	t.Helper()
	ctx := context.Background()
	if _, err := b.Provider(ctx, "embedded"); errors.Is(err, finance.ErrNotFound) {
		b.provider(t)
	}
	state := finance.Secret(finance.NewID())
	a := must(b.CreateAttempt(ctx, finance.LinkAttempt{UserID: user.ID, ProviderID: "embedded", ASPSP: bank, PSUType: "personal",
		ValidUntil: time.Now().Add(time.Hour),
		Renews:     asked.Renews, Another: asked.Another},
		state, "browser", time.Minute))(t)
	check(t, b.OpenAttempt(ctx, user.ID, a.ID, "https://bank.example", "psu"))
	a = must(b.UseAttempt(ctx, "embedded", state, "browser"))(t)
	done, replaced, err := b.SaveLink(ctx, Link{Attempt: a, SessionID: session, ValidUntil: time.Now().Add(24 * time.Hour), Accounts: accounts})
	check(t, err)
	return done, replaced
}

// claim claims the task of a scope. The other tasks of the account are postponed.
func (b *bed) claim(t testing.TB, scope finance.Scope) Claim {
	t.Helper()
	for range 20 {
		c, ok, _, err := b.ClaimTask(context.Background(), lease)
		check(t, err)
		if !ok {
			break
		}
		if c.Task.Scope == scope {
			return c
		}
		check(t, b.FailTask(context.Background(), c, finance.Failure{}, time.Now().Add(time.Hour), false))
	}
	t.Fatalf("no task %s is due", scope)
	return Claim{}
}

// entry reads a booked row.
func entry(t testing.TB, reference, amount, date, text string) finance.Entry {
	t.Helper()
	w := openbanking.Transaction{TransactionAmount: openbanking.AmountType{Currency: "EUR", Amount: amount}, CreditDebitIndicator: "DBIT", Status: "BOOK",
		RemittanceInformation: []string{text}}
	if reference != "" {
		w.EntryReference = &reference
	}
	if date != "" {
		d := openbanking.Date(date)
		w.BookingDate = &d
	}
	return read(t, w)
}

func read(t testing.TB, w openbanking.Transaction) finance.Entry {
	t.Helper()
	original := must(json.Marshal(w))(t)
	return must(finance.Reader{Currency: "EUR", Today: "2026-12-31"}.Read(w, original))(t)
}

// Security T30: the database holds no secret in the clear, and a secret opens only where it was sealed.
func TestSecretsAreSealedAtRest(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	done, _ := b.link(t, u, canarySession, resource("h", "EUR", "uid"))
	other := b.user(t, "b@example.org")
	ended, _ := b.link(t, other, "other-session", resource("h2", "EUR", "uid"))
	c := b.claim(t, finance.ScopeTransactions)
	check(t, b.BeginRun(ctx, &c, "longest", "", lease))
	check(t, b.ApplyPage(ctx, &c, Page{Next: canaryPage}, lease, time.Now()))
	const token = finance.Secret("canary-setup-token-2b7d")
	check(t, b.CreateSetupToken(ctx, token, time.Hour))
	check(t, b.Sessions().CommitCtx(ctx, "canary-cookie-3d1f", []byte("data"), time.Now().Add(time.Hour)))
	check(t, b.EndConnection(ctx, other.ID, ended.ConnectionID, finance.ConnectionDisconnected)) // its session must still be ended at the service

	files := must(filepath.Glob(b.path + "*"))(t)
	if len(files) < 2 {
		t.Fatalf("expected the database and its log, found %v", files)
	}
	found := false
	for _, f := range files {
		content := must(os.ReadFile(f))(t)
		for _, secret := range []string{canaryKey, canarySession, canaryPage, token.Reveal(), "canary-cookie-3d1f", "other-session"} {
			if bytes.Contains(content, []byte(secret)) {
				t.Errorf("%s holds %s", filepath.Base(f), secret)
			}
		}
		found = found || bytes.Contains(content, []byte("Test Bank"))
	}
	if !found {
		t.Error("the search does not find what is stored in the clear: it proves nothing")
	}
	if got := must(b.SessionID(ctx, u.ID, done.ConnectionID))(t); got.Reveal() != canarySession {
		t.Errorf("session id read back as %q", got.Reveal())
	}
	if p := must(b.Provider(ctx, "embedded"))(t); p.PrivateKey.Reveal() != canaryKey {
		t.Errorf("private key read back as %q", p.PrivateKey.Reveal())
	}

	sealed := b.key.seal("x", "connection", "session_id", "1")
	for name, open := range map[string]func() (string, error){
		"row":    func() (string, error) { return b.key.open(sealed, "connection", "session_id", "2") },
		"column": func() (string, error) { return b.key.open(sealed, "connection", "other", "1") },
		"table":  func() (string, error) { return b.key.open(sealed, "provider", "session_id", "1") },
		"key": func() (string, error) {
			return must(NewKey(bytes.Repeat([]byte{7}, 32)))(t).open(sealed, "connection", "session_id", "1")
		},
		"text": func() (string, error) {
			return b.key.open(sealed[:len(sealed)-2]+map[bool]string{true: "BB", false: "AA"}[strings.HasSuffix(sealed, "AA")], "connection", "session_id", "1")
		},
	} {
		if got, err := open(); !errors.Is(err, ErrSealed) || got != "" {
			t.Errorf("moved to another %s: %q %v", name, got, err)
		}
	}
	if _, err := collect(ctx, b.db.Read(), func(row scanner) (int, error) { return 0, nil }, `SELECT 1`); err != nil {
		t.Error(err)
	}
}

func TestKeyFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "secrets")
	first := must(LoadKey(dir))(t)
	if again := must(LoadKey(dir))(t); again.id != first.id {
		t.Error("the key is another one at the second start")
	}
	path := filepath.Join(dir, keyFile)
	if mode := must(os.Stat(path))(t).Mode().Perm(); mode != 0o600 {
		t.Errorf("mode %o", mode)
	}
	check(t, os.Chmod(path, 0o640))
	if _, err := LoadKey(dir); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a group-readable key: %v", err)
	}
	check(t, os.Chmod(path, 0o600))
	check(t, os.WriteFile(path, []byte("abc"), 0o600))
	if _, err := LoadKey(dir); err == nil || !strings.Contains(err.Error(), "from a backup") {
		t.Errorf("a damaged key: %v", err)
	}
	if left := must(filepath.Glob(filepath.Join(dir, "*")))(t); len(left) != 1 {
		t.Errorf("files left: %v", left)
	}
}

func TestOpenWithAnotherKey(t *testing.T) {
	b := newBed(t)
	check(t, b.Close())
	other := must(NewKey(bytes.Repeat([]byte{9}, 32)))(t)
	if s, err := Open(t.Context(), b.path, other); !errors.Is(err, ErrWrongKey) {
		t.Errorf("%v %v", s, err)
	}
	b.open(t)
}

func TestSetupTokenWorksOnce(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	const old, token = finance.Secret("old"), finance.Secret("new")
	check(t, b.CreateSetupToken(ctx, old, time.Hour))
	check(t, b.CreateSetupToken(ctx, token, time.Hour))
	for name, wrong := range map[string]finance.Secret{"none": "", "guessed": "AAAA", "replaced": old} {
		if _, err := b.CreateOwner(ctx, wrong, "a@example.org", "h"); !errors.Is(err, ErrSetupToken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !must(b.SetupTokenValid(ctx, token))(t) || must(b.SetupTokenValid(ctx, old))(t) {
		t.Error("SetupTokenValid reports the opposite")
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	owners := 0
	for i := range 10 {
		wg.Go(func() {
			_, err := b.CreateOwner(ctx, token, fmt.Sprintf("o%d@example.org", i), "h")
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				owners++
			} else if !errors.Is(err, ErrOwnerExists) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if owners != 1 {
		t.Errorf("%d owners", owners)
	}
	if err := b.CreateSetupToken(ctx, "another", time.Hour); !errors.Is(err, ErrOwnerExists) {
		t.Error(err)
	}
	b2 := newBed(t)
	const late = finance.Secret("late")
	check(t, b2.CreateSetupToken(ctx, late, 0))
	if _, err := b2.CreateOwner(ctx, late, "a@example.org", "h"); !errors.Is(err, ErrSetupToken) {
		t.Errorf("too old: %v", err)
	}
}

func TestEmailIsTakenOnce(t *testing.T) {
	b := newBed(t)
	b.user(t, "a@example.org")
	if _, err := b.CreateUser(t.Context(), "a@example.org", finance.RoleMember, "h"); !errors.Is(err, ErrEmailTaken) {
		t.Error(err)
	}
}

// A renewed consent keeps connection, accounts and history.
func TestRenewalHappensInPlace(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	first, replaced := b.link(t, u, "s1", resource("h1", "EUR", "u1", "iban"), resource("h2", "USD", "u2", "iban"), resource("h3", "EUR", ""))
	if first.Renewed || replaced != "" || len(first.Accounts) != 3 {
		t.Fatalf("%+v", first)
	}
	want := []finance.LinkOutcome{finance.OutcomeNew, finance.OutcomeNew, finance.OutcomeNotAccessible}
	for i, l := range first.Accounts {
		if l.Outcome != want[i] {
			t.Errorf("first link, account %d: %s", i, l.Outcome)
		}
	}
	check(t, b.SetNickname(ctx, u.ID, first.Accounts[0].Account.ID, "Mine"))
	check(t, b.EndConnection(ctx, u.ID, first.ConnectionID, finance.ConnectionExpired))

	second, replaced := b.linkAs(t, u, finance.LinkAttempt{Renews: first.ConnectionID}, "s2", resource("h1", "EUR", "n1", "iban"), resource("h4", "EUR", "n4"))
	if !second.Renewed || second.ConnectionID != first.ConnectionID || replaced != "" {
		t.Errorf("%+v, replaced %q", second, replaced.Reveal())
	}
	outcomes := map[string]finance.LinkOutcome{}
	for _, l := range must(b.Attempt(ctx, u.ID, second.ID))(t).Accounts {
		outcomes[l.Account.ID] = l.Outcome
		if l.Account.Hash == "h1" && (l.Account.ID != first.Accounts[0].Account.ID || l.Account.UID != "n1" || l.Account.Nickname != "Mine") {
			t.Errorf("%+v", l.Account)
		}
	}
	if outcomes[first.Accounts[0].Account.ID] != finance.OutcomeRecognised || outcomes[first.Accounts[1].Account.ID] != finance.OutcomeLeftOut ||
		len(outcomes) != 4 {
		t.Errorf("%v", outcomes)
	}
	c := must(b.Connection(ctx, u.ID, first.ConnectionID))(t)
	if c.Status != finance.ConnectionActive || !c.Ended.IsZero() || !c.Simulated {
		t.Errorf("%+v", c)
	}
	states := map[string]finance.TaskState{}
	for _, k := range must(b.Tasks(ctx, u.ID, c.ID))(t) {
		if old, ok := states[k.AccountID]; ok && old != k.State {
			t.Errorf("scopes of one account differ: %s %s", old, k.State)
		}
		states[k.AccountID] = k.State
	}
	if states[first.Accounts[0].Account.ID] != finance.TaskWaiting || states[first.Accounts[1].Account.ID] != finance.TaskStopped || len(states) != 4 {
		t.Errorf("%v", states)
	}

	third, replaced := b.link(t, u, "s3", resource("h1", "EUR", "m1", "iban"))
	if replaced.Reveal() != "s2" || third.ConnectionID != first.ConnectionID {
		t.Errorf("renewing an active one replaces its session: %q", replaced.Reveal())
	}
	other, _ := b.link(t, u, "s4", resource("x1", "EUR", "x1"))
	if other.Renewed || other.ConnectionID == first.ConnectionID {
		t.Error("another person's login at the same bank is a connection of its own")
	}
	foreign, _ := b.link(t, b.user(t, "b@example.org"), "s5", resource("h1", "EUR", "z1", "iban"))
	if foreign.Renewed || foreign.Accounts[0].Outcome != finance.OutcomeNew {
		t.Error("another user's account was recognised")
	}
}

// Architecture 5, rule 10; security T14: a foreign id is not found, whatever is asked.
func TestForeignIDsAreNotFound(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	owner, stranger := b.user(t, "a@example.org"), b.user(t, "b@example.org")
	done, _ := b.link(t, owner, "s", resource("h", "EUR", "uid"))
	account := done.Accounts[0].Account.ID
	c := b.claim(t, finance.ScopeTransactions)
	check(t, b.BeginRun(ctx, &c, "longest", "", lease))
	w := entry(t, "p", "1.00", "2026-01-01", "pending")
	w.State = finance.RowPending
	check(t, b.ApplyPage(ctx, &c, Page{Entries: []finance.Entry{entry(t, "r", "1.00", "2026-01-01", "x"), w}}, lease, time.Now().Add(time.Hour)))
	page, _, err := b.Find(ctx, owner.ID, search.InAccount(account), Newest, 10)
	check(t, err)
	if len(page) != 1 || len(must(b.Pending(ctx, owner.ID, account))(t)) != 1 {
		t.Fatalf("the owner sees %d rows", len(page))
	}
	signIn, ended := must(b.CreateSignIn(ctx, NewSignIn{UserID: owner.ID, PasswordHash: "hash of " + owner.Email, Device: "x"}))(t),
		must(b.CreateSignIn(ctx, NewSignIn{UserID: owner.ID, PasswordHash: "hash of " + owner.Email, Device: "x"}))(t)

	for name, call := range map[string]func(user string) error{
		"Account":     func(u string) error { _, err := b.Account(ctx, u, account); return err },
		"Overview":    func(u string) error { _, err := b.Overview(ctx, u, account); return err },
		"SetNickname": func(u string) error { return b.SetNickname(ctx, u, account, "x") },
		"Connection":  func(u string) error { _, err := b.Connection(ctx, u, done.ConnectionID); return err },
		"SessionID":   func(u string) error { _, err := b.SessionID(ctx, u, done.ConnectionID); return err },
		"Attempt":     func(u string) error { _, err := b.Attempt(ctx, u, done.ID); return err },
		"Transaction": func(u string) error { _, err := b.Transaction(ctx, u, account, page[0].ID); return err },
		"SyncNow":     func(u string) error { _, err := b.SyncNow(ctx, u, done.ConnectionID, nil); return err },
		"SignedIn":    func(u string) error { _, _, err := b.SignedIn(ctx, u, signIn.ID); return err },
		"EndSignIn":   func(u string) error { return b.EndSignIn(ctx, u, ended.ID) },
		"EndConnection": func(u string) error {
			return b.EndConnection(ctx, u, done.ConnectionID, finance.ConnectionDisconnected)
		},
	} {
		if err := call(stranger.ID); !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("%s with a foreign id: %v", name, err)
		}
		if err := call(owner.ID); err != nil {
			t.Errorf("%s with the own id: %v", name, err)
		}
	}
	rows, more, err := b.Find(ctx, stranger.ID, search.InAccount(account), Newest, 10)
	if len(rows) != 0 || more || err != nil {
		t.Errorf("foreign transactions: %v %v", rows, err)
	}
	if rows := must(b.Pending(ctx, stranger.ID, account))(t); len(rows) != 0 {
		t.Errorf("foreign pending rows: %v", rows)
	}
	if rows := must(b.AccountBalances(ctx, stranger.ID, account))(t); len(rows) != 0 {
		t.Errorf("foreign balances: %v", rows)
	}
	for name, n := range map[string]int{
		"Accounts": len(must(b.Accounts(ctx, stranger.ID))(t)), "Connections": len(must(b.Connections(ctx, stranger.ID))(t)),
		"Balances": len(must(b.Balances(ctx, stranger.ID))(t)), "Tasks": len(must(b.Tasks(ctx, stranger.ID, ""))(t)),
		"SharedAccess":                  len(must(b.SharedAccess(ctx, stranger.ID))(t)),
		"Tasks of a foreign connection": len(must(b.Tasks(ctx, stranger.ID, done.ConnectionID))(t)),
		"SignIns":                       len(must(b.SignIns(ctx, stranger.ID, time.Time{}.AddDate(1, 0, 0)))(t)),
	} {
		if n != 0 {
			t.Errorf("%s shows %d of another user's", name, n)
		}
	}
}

// Everything that a snapshot reads is from one moment, whatever is written meanwhile.
func TestSnapshotIsOneMoment(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	done, _ := b.link(t, u, "s", resource("h", "EUR", "uid"))
	read := func(r Reader) (c finance.Connection, states map[finance.TaskState]int) {
		t.Helper()
		states = map[finance.TaskState]int{}
		for _, k := range must(r.Tasks(ctx, u.ID, done.ConnectionID))(t) {
			states[k.State]++
		}
		return must(r.Connection(ctx, u.ID, done.ConnectionID))(t), states
	}
	check(t, b.Snapshot(ctx, func(r Reader) error {
		for range 2 {
			if c, states := read(r); c.Status != finance.ConnectionActive || states[finance.TaskWaiting] != 3 || len(states) != 1 {
				t.Errorf("within: %s %v", c.Status, states)
			}
			if err := b.EndConnection(ctx, u.ID, done.ConnectionID, finance.ConnectionRevoked); err != nil && !errors.Is(err, finance.ErrNotFound) {
				t.Error(err)
			}
		}
		return nil
	}))
	if c, states := read(b.Reader); c.Status != finance.ConnectionRevoked || states[finance.TaskStopped] != 3 || len(states) != 1 {
		t.Errorf("afterwards: %s %v", c.Status, states)
	}
	if err := b.Snapshot(ctx, func(Reader) error { return finance.ErrNotFound }); !errors.Is(err, finance.ErrNotFound) {
		t.Error(err)
	}
}

// The end of an old session does not end a connection that has a new one.
func TestEndOfAnOldSession(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	first, _ := b.link(t, u, "s1", resource("h", "EUR", "u1"))
	second, _ := b.linkAs(t, u, finance.LinkAttempt{Renews: first.ConnectionID}, "s2", resource("h", "EUR", "u2"))
	if second.ConnectionID != first.ConnectionID {
		t.Fatal("the connection was not renewed")
	}
	for _, c := range []struct {
		user    string
		session finance.Secret
		err     error
		status  finance.ConnectionStatus
	}{
		{u.ID, "s1", finance.ErrNotFound, finance.ConnectionActive},
		{"somebody else", "s2", finance.ErrNotFound, finance.ConnectionActive},
		{u.ID, "s2", nil, finance.ConnectionExpired},
		{u.ID, "s2", finance.ErrNotFound, finance.ConnectionExpired},
	} {
		if err := b.EndSession(ctx, c.user, first.ConnectionID, c.session, finance.ConnectionExpired, time.Time{}); !errors.Is(err, c.err) {
			t.Errorf("%+v: %v", c, err)
		}
		if got := must(b.Connection(ctx, u.ID, first.ConnectionID))(t); got.Status != c.status {
			t.Errorf("%+v: %s", c, got.Status)
		}
	}
	if err := b.EndSession(ctx, u.ID, first.ConnectionID, "s2", finance.ConnectionActive, time.Time{}); err == nil {
		t.Error("a session ended as active")
	}
}

// Overview returns the same as Account, Connection and Tasks.
func TestOverviewOfAnAccount(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	done, _ := b.link(t, u, "s", resource("h", "EUR", "uid"))
	id := done.Accounts[0].Account.ID
	look := func(when string) {
		t.Helper()
		o := must(b.Overview(ctx, u.ID, id))(t)
		want := Overview{Account: must(b.Account(ctx, u.ID, id))(t), Connection: must(b.Connection(ctx, u.ID, done.ConnectionID))(t),
			Tasks: must(b.Tasks(ctx, u.ID, done.ConnectionID))(t)}
		if !reflect.DeepEqual(o, want) {
			t.Errorf("%s: %+v", when, o)
		}
	}
	later := time.Now().Add(time.Hour)
	look("due")
	var claims []Claim
	for range perProvider {
		c, ok, _, err := b.ClaimTask(ctx, lease)
		check(t, err)
		if !ok {
			t.Fatal("no task is due")
		}
		claims = append(claims, c)
	}
	look("at work")
	for _, c := range claims {
		check(t, b.FailTask(ctx, c, finance.Failure{Code: "X"}, later, false))
	}
	third, _, _, err := b.ClaimTask(ctx, lease)
	check(t, err)
	check(t, b.FailTask(ctx, third, finance.Failure{Code: "X"}, later, false))
	look("failed")
	check(t, b.EndConnection(ctx, u.ID, done.ConnectionID, finance.ConnectionExpired))
	write := func(query string) {
		t.Helper()
		check(t, b.db.Write(ctx, func(tx *sqlite.Tx) error { _, err := tx.ExecContext(ctx, query); return err }))
	}
	write(`UPDATE sync_task SET last_error_code = ''`)
	look("ended")
	write(`UPDATE sync_task SET state = 'waiting'`)
	look("waiting for its time")
	write(`UPDATE sync_task SET next_attempt_at = '2020-01-01T00:00:00.000Z'`)
	look("due again")
}

func TestDisconnectedConnectionKeepsItsHistory(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	done, _ := b.link(t, u, "s", resource("h", "EUR", "uid"))
	c := b.claim(t, finance.ScopeTransactions)
	check(t, b.BeginRun(ctx, &c, "longest", "", lease))
	check(t, b.ApplyPage(ctx, &c, Page{Entries: []finance.Entry{entry(t, "r", "1.00", "2026-01-01", "x")}, Next: "k"}, lease, time.Now()))
	check(t, b.EndConnection(ctx, u.ID, done.ConnectionID, finance.ConnectionDisconnected))
	if err := b.ApplyPage(ctx, &c, Page{}, lease, time.Now()); !errors.Is(err, ErrLeaseLost) {
		t.Errorf("a page after the end: %v", err)
	}
	if _, ok, next, err := b.ClaimTask(ctx, lease); ok || !next.IsZero() || err != nil {
		t.Errorf("a task after the end: %v %v %v", ok, next, err)
	}
	rows, _, err := b.Find(ctx, u.ID, search.InAccount(done.Accounts[0].Account.ID), Newest, 10)
	if len(rows) != 1 || err != nil {
		t.Errorf("%v %v", rows, err)
	}
	if id := must(b.SessionID(ctx, u.ID, done.ConnectionID))(t); id != "" {
		t.Error("the session is still known")
	}
	if err := b.EndConnection(ctx, u.ID, done.ConnectionID, finance.ConnectionExpired); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("ended twice: %v", err)
	}
}

// A task whose continuation key was altered fails alone: ClaimTask returns it together with the error, it starts over, and it delays no other task.
func TestTaskWithABrokenKeyFailsAlone(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	done, _ := b.link(t, u, "s", resource("h", "EUR", "uid"))
	c := b.claim(t, finance.ScopeTransactions)
	check(t, b.BeginRun(ctx, &c, "longest", "", lease))
	check(t, b.ApplyPage(ctx, &c, Page{Next: canaryPage}, lease, time.Now()))
	check(t, b.ReleaseTask(ctx, c))
	b.exec(t, `UPDATE sync_task SET continuation_key = 'altered', next_attempt_at = '2000-01-01T00:00:00.000Z' WHERE id = $1`, c.Task.ID) // due before others
	other, _ := b.link(t, b.user(t, "b@example.org"), "s2", resource("h2", "EUR", "uid2"))

	broken, ok, _, err := b.ClaimTask(ctx, lease)
	if !ok || !errors.Is(err, ErrSealed) || broken.Task.ID != c.Task.ID || broken.Account.ID != done.Accounts[0].Account.ID ||
		broken.ProviderID != "embedded" || broken.ContinuationKey != "" {
		t.Fatalf("%v %v %+v", ok, err, broken)
	}
	check(t, b.FailTask(ctx, broken, finance.Failure{Code: finance.FailureInternal}, time.Now().Add(time.Hour), true))
	for _, k := range must(b.Tasks(ctx, u.ID, done.ConnectionID))(t) {
		if k.ID == c.Task.ID && (k.LastError.Code != finance.FailureInternal || k.Attempts != 1 || k.InRun || k.State != finance.TaskWaiting) {
			t.Errorf("%+v", k)
		}
	}
	for range finance.Scopes() {
		next, ok, _, err := b.ClaimTask(ctx, lease)
		check(t, err)
		if !ok || next.Task.ConnectionID != other.ConnectionID {
			t.Fatalf("the others do not go on: %v %+v", ok, next.Task)
		}
		check(t, b.FailTask(ctx, next, finance.Failure{}, time.Now().Add(time.Hour), false))
	}
	check(t, b.db.Write(ctx, func(tx *sqlite.Tx) error {
		return changed(tx.ExecContext(ctx, `UPDATE sync_task SET next_attempt_at = $1 WHERE id = $2`, sqlite.At(tx.Now), c.Task.ID))
	}))
	again, ok, _, err := b.ClaimTask(ctx, lease)
	if !ok || err != nil || again.Task.ID != c.Task.ID || again.Task.InRun || again.ContinuationKey != "" {
		t.Errorf("it does not start over: %v %v %+v", ok, err, again.Task)
	}
}

// state returns which connection keeps which account, with its uid, and which other connections can read it. It checks the state of the tasks.
func (b *bed) state(t testing.TB, u finance.User, names map[string]string) map[string]string {
	t.Helper()
	all := map[string]string{}
	hashes := map[string]string{}
	for _, a := range must(b.Accounts(t.Context(), u.ID))(t) {
		if _, twice := all[a.Hash]; twice {
			t.Errorf("%s is listed twice", a.Hash)
		}
		all[a.Hash] = names[a.ConnectionID] + " " + a.UID
		hashes[a.ID] = a.Hash
	}
	tasks := map[string]int{}
	for _, k := range must(b.Tasks(t.Context(), u.ID, ""))(t) {
		if a := must(b.Account(t.Context(), u.ID, k.AccountID))(t); a.ConnectionID != k.ConnectionID || (a.UID == "") != (k.State == finance.TaskStopped) {
			t.Errorf("task %s of %s is %s at %s", k.Scope, a.Hash, k.State, names[k.ConnectionID])
		}
		tasks[k.AccountID]++
	}
	for id, n := range tasks {
		if n != len(finance.Scopes()) {
			t.Errorf("%s has %d tasks", hashes[id], n)
		}
	}
	for _, r := range must(b.SharedAccess(t.Context(), u.ID))(t) {
		all[hashes[r.AccountID]] += ", " + names[r.ConnectionID]
	}
	return all
}

// Two people's logins at one bank share a joint account. Nothing is lost or doubled, whichever connection begins and ends.
func TestJointAccountIsThereOnce(t *testing.T) {
	testkit.Unwatched(t)
	lena := func(session string) []openbanking.AccountResource {
		return []openbanking.AccountResource{resource("giro", "EUR", session+"-giro"), resource("joint", "EUR", session+"-joint")}
	}
	tom := func(session string) []openbanking.AccountResource {
		return []openbanking.AccountResource{resource("joint", "EUR", session+"-joint"), resource("depot", "EUR", session+"-depot")}
	}
	both := map[string]string{"giro": "lena l1-giro", "joint": "lena l1-joint, tom", "depot": "tom t1-depot"}
	type step func(t *testing.T, b *bed, u finance.User, lena, tom string)
	end := func(who string, status finance.ConnectionStatus) step {
		return func(t *testing.T, b *bed, u finance.User, lena, tom string) {
			check(t, b.EndConnection(t.Context(), u.ID, map[string]string{"lena": lena, "tom": tom}[who], status))
		}
	}
	renew := func(who string, replaced finance.Secret, session string, accounts ...openbanking.AccountResource) step {
		return func(t *testing.T, b *bed, u finance.User, lena, tom string) {
			id := map[string]string{"lena": lena, "tom": tom}[who]
			done, old := b.linkAs(t, u, finance.LinkAttempt{Renews: id}, finance.Secret(session), accounts...)
			if done.ConnectionID != id || !done.Renewed || old != replaced {
				t.Errorf("%s is not renewed: %+v, replaced %q", who, done, old.Reveal())
			}
		}
	}
	outdate := func(t *testing.T, b *bed, u finance.User, lena, _ string) { // its date has passed, but no sync has noticed
		check(t, b.db.Write(t.Context(), func(tx *sqlite.Tx) error {
			return changed(tx.ExecContext(t.Context(), `UPDATE connection SET valid_until = $1 WHERE id = $2 AND user_id = $3`, sqlite.At(tx.Now), lena, u.ID))
		}))
	}
	for name, c := range map[string]struct {
		steps []step
		want  map[string]string
	}{
		"both are linked": {nil, both},
		"the first is disconnected": {[]step{end("lena", finance.ConnectionDisconnected)},
			map[string]string{"giro": "lena ", "joint": "tom t1-joint", "depot": "tom t1-depot"}},
		"the first expires": {[]step{end("lena", finance.ConnectionExpired)},
			map[string]string{"giro": "lena ", "joint": "tom t1-joint", "depot": "tom t1-depot"}},
		"the second is disconnected": {[]step{end("tom", finance.ConnectionDisconnected)},
			map[string]string{"giro": "lena l1-giro", "joint": "lena l1-joint", "depot": "tom "}},
		"both end": {[]step{end("lena", finance.ConnectionRevoked), end("tom", finance.ConnectionClosed)},
			map[string]string{"giro": "lena ", "joint": "tom ", "depot": "tom "}},
		"the first is renewed": {[]step{renew("lena", "l1", "l2", lena("l2")...)},
			map[string]string{"giro": "lena l2-giro", "joint": "lena l2-joint, tom", "depot": "tom t1-depot"}},
		"the second is renewed": {[]step{renew("tom", "t1", "t2", tom("t2")...)},
			map[string]string{"giro": "lena l1-giro", "joint": "lena l1-joint, tom", "depot": "tom t2-depot"}},
		"the first without the joint": {[]step{renew("lena", "l1", "l2", lena("l2")[0])},
			map[string]string{"giro": "lena l2-giro", "joint": "tom t1-joint", "depot": "tom t1-depot"}},
		"the second without the joint": {[]step{renew("tom", "t1", "t2", tom("t2")[1])},
			map[string]string{"giro": "lena l1-giro", "joint": "lena l1-joint", "depot": "tom t2-depot"}},
		"the joint is not accessible": {[]step{renew("tom", "t1", "t2", resource("joint", "EUR", ""), tom("t2")[1])},
			map[string]string{"giro": "lena l1-giro", "joint": "lena l1-joint", "depot": "tom t2-depot"}},
		"away and back": {[]step{end("lena", finance.ConnectionExpired), renew("lena", "", "l2", lena("l2")...)},
			map[string]string{"giro": "lena l2-giro", "joint": "tom t1-joint, lena", "depot": "tom t1-depot"}},
		"away and back, then the second": {[]step{end("lena", finance.ConnectionExpired), renew("lena", "", "l2", lena("l2")...),
			end("tom", finance.ConnectionDisconnected)}, map[string]string{"giro": "lena l2-giro", "joint": "lena l2-joint", "depot": "tom "}},
		"out of date, then the second": {[]step{outdate, renew("tom", "t1", "t2", tom("t2")...)},
			map[string]string{"giro": "lena l1-giro", "joint": "tom t2-joint", "depot": "tom t2-depot"}},
		"the second never takes over": {[]step{outdate, end("tom", finance.ConnectionExpired)},
			map[string]string{"giro": "lena l1-giro", "joint": "lena l1-joint", "depot": "tom "}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t)
			u := b.user(t, "a@example.org")
			first, _ := b.link(t, u, "l1", lena("l1")...)
			second, replaced := b.linkAs(t, u, finance.LinkAttempt{Another: true}, "t1", tom("t1")...)
			if second.Renewed || second.ConnectionID == first.ConnectionID || replaced != "" {
				t.Fatalf("the second person took the first one's place: %+v", second)
			}
			if second.Accounts[0].Outcome != finance.OutcomeShared || second.Accounts[0].Account.ID != first.Accounts[1].Account.ID ||
				second.Accounts[1].Outcome != finance.OutcomeNew {
				t.Errorf("%+v", second.Accounts)
			}
			if stored := must(b.Attempt(t.Context(), u.ID, second.ID))(t); !stored.Another || len(stored.Accounts) != 2 ||
				stored.Accounts[0].Outcome != finance.OutcomeShared {
				t.Errorf("stored %+v", stored)
			}
			names := map[string]string{first.ConnectionID: "lena", second.ConnectionID: "tom"}
			if got := b.state(t, u, names); !maps.Equal(got, both) {
				t.Errorf("linked: %q, want %q", got, both)
			}
			for _, s := range c.steps {
				s(t, b, u, first.ConnectionID, second.ConnectionID)
			}
			if got := b.state(t, u, names); !maps.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// Without a wish of the user, a second login that shares one account becomes a connection of its own.
func TestOneSharedAccountRenewsNothing(t *testing.T) {
	b := newBed(t)
	u := b.user(t, "a@example.org")
	first, _ := b.link(t, u, "s1", resource("giro", "EUR", "u1"), resource("joint", "EUR", "u2"))
	second, replaced := b.link(t, u, "s2", resource("joint", "EUR", "v1"), resource("depot", "EUR", "v2"))
	if second.Renewed || replaced != "" {
		t.Errorf("%+v", second)
	}
	want := map[string]string{"giro": "first u1", "joint": "first u2, second", "depot": "second v2"}
	if got := b.state(t, u, map[string]string{first.ConnectionID: "first", second.ConnectionID: "second"}); !maps.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// An account that moves to another connection keeps its rows, and the sync continues from them.
func TestAccountThatMovesKeepsItsHistory(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	first, _ := b.link(t, u, "s1", resource("joint", "EUR", "u1"))
	c := b.claim(t, finance.ScopeTransactions)
	check(t, b.BeginRun(ctx, &c, "longest", "", lease))
	check(t, b.ApplyPage(ctx, &c, Page{Entries: []finance.Entry{entry(t, "r", "1.00", "2026-01-01", "x")}}, lease, time.Now().Add(time.Hour)))
	second, _ := b.linkAs(t, u, finance.LinkAttempt{Another: true}, "s2", resource("joint", "EUR", "v1"))
	joint := first.Accounts[0].Account.ID
	check(t, b.EndConnection(ctx, u.ID, first.ConnectionID, finance.ConnectionDisconnected))

	c = b.claim(t, finance.ScopeTransactions)
	if c.Account.ID != joint || c.Account.UID != "v1" || c.Task.ConnectionID != second.ConnectionID || c.Task.First() || c.LastBooked != "2026-01-01" {
		t.Errorf("%+v", c)
	}
	check(t, b.BeginRun(ctx, &c, "default", "2026-01-01", lease))
	check(t, b.ApplyPage(ctx, &c, Page{Entries: []finance.Entry{entry(t, "r", "1.00", "2026-01-01", "x"), entry(t, "q", "2.00", "2026-01-02", "y")}}, lease,
		time.Now().Add(time.Hour)))
	if rows, _, err := b.Find(ctx, u.ID, search.InAccount(joint), Newest, 10); len(rows) != 2 || err != nil {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}
