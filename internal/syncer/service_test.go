package syncer

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"path/filepath"
	"testing"
	"time"

	"florin/internal/bank"
	"florin/internal/bank/apitest"
	"florin/internal/finance"
	"florin/internal/live"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/sqlite"
	"florin/internal/sqlite/sqlitetest"
	"florin/internal/store"
	"florin/migrations"
)

// service is a service with one account, whose answers of a kind come from a script where there is one. A kind is the last part of a path.
type service struct {
	*apitest.Service
	respond  map[string]func(n int, r *http.Request) any // by kind; n counts from 1, and nil is the usual answer
	counts   map[string]int                              // by kind, since there is a script for it
	pageSize int
	rows     []openbanking.Transaction // newest first
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{Service: apitest.New(t), respond: map[string]func(int, *http.Request) any{}, counts: map[string]int{}, pageSize: 3}
	for _, route := range []string{"GET /sessions/{id}", "GET /accounts/{uid}/details", "GET /accounts/{uid}/balances", "GET /accounts/{uid}/transactions"} {
		s.Answer(route, func(r *http.Request) any {
			kind := path.Base(r.URL.Path)
			s.counts[kind]++
			if f := s.respond[kind]; f != nil {
				if body := f(s.counts[kind], r); body != nil {
					return body
				}
			}
			return s.standard(kind, r)
		})
	}
	return s
}

func (s *service) standard(kind string, r *http.Request) any {
	switch kind {
	case "details":
		return openbanking.AccountResource{IdentificationHash: "h", Currency: "EUR", CashAccountType: "CACC", Name: new("Anna Example"), Product: new("Gold")}
	case "balances":
		return openbanking.HalBalances{Balances: []openbanking.BalanceResource{{Name: "b", BalanceType: "CLBD",
			BalanceAmount: openbanking.AmountType{Currency: "EUR", Amount: "10.50"}}}}
	case "transactions":
		from := 0
		if key := r.URL.Query().Get("continuation_key"); key != "" {
			_, _ = fmt.Sscanf(key, "from+/=%d", &from)
		}
		var page openbanking.HalTransactions
		page.Transactions = s.rows[min(from, len(s.rows)):min(from+s.pageSize, len(s.rows))]
		if from+s.pageSize < len(s.rows) {
			page.ContinuationKey = new(fmt.Sprintf("from+/=%d", from+s.pageSize))
		}
		return page
	}
	return openbanking.Session{Status: openbanking.SessionStatusAuthorized}
}

func (s *service) script(kind string, f func(n int, r *http.Request) any) {
	s.Lock()
	defer s.Unlock()
	s.respond[kind], s.counts[kind] = f, 0
}

func (s *service) called(kind string) int {
	s.Lock()
	defer s.Unlock()
	return s.counts[kind]
}

// rig is a syncer on a real file with a linked account.
type rig struct {
	*Syncer
	store   *store.Store
	hub     *live.Hub
	service *service
	path    string
	key     store.Key
	user    finance.User
	link    finance.LinkAttempt
}

func newRig(t *testing.T, rows int) *rig {
	t.Helper()
	r := &rig{service: newService(t), hub: live.NewHub(), path: filepath.Join(t.TempDir(), "app.db")}
	for i := range rows {
		r.service.rows = append(r.service.rows, row(i))
	}
	var err error
	r.key, err = store.LoadKey(filepath.Join(t.TempDir(), "secrets"))
	check(t, err)
	sqlitetest.Make(t, r.path, migrations.App)
	r.open(t)
	t.Cleanup(func() { _ = r.store.Close() })
	ctx := t.Context()
	r.user, err = r.store.CreateUser(ctx, "a@example.org", finance.RoleMember, "h")
	check(t, err)
	check(t, r.store.SaveProvider(ctx, finance.Provider{ID: "embedded", Name: "S", BaseURL: r.service.URL, Environment: openbanking.EnvironmentSandbox,
		PrivateKey: "k"}))
	r.relink(t, "u1")
	return r
}

func (r *rig) open(t *testing.T) {
	t.Helper()
	var err error
	r.store, err = store.Open(context.Background(), r.path, r.key)
	check(t, err)
	r.Syncer = New(r.store, func(_ context.Context, p finance.Provider) (API, error) { return bank.New(p.BaseURL, apitest.Signer{}) }, r.hub,
		slog.New(slog.DiscardHandler))
}

// relink links the bank again; a uid that is "" is of an account that gives no data.
func (r *rig) relink(t *testing.T, uids ...string) { t.Helper(); r.renew(t, "session", uids...) }

func (r *rig) renew(t *testing.T, session finance.Secret, uids ...string) {
	t.Helper()
	ctx := t.Context()
	state := finance.Secret(finance.NewID())
	a, err := r.store.CreateAttempt(ctx, finance.LinkAttempt{UserID: r.user.ID, ProviderID: "embedded", ASPSP: openbanking.ASPSP{Name: "B", Country: "FI"},
		PSUType:    "personal",
		ValidUntil: time.Now().Add(time.Hour)}, state, "b", time.Minute)
	check(t, err)
	check(t, r.store.OpenAttempt(ctx, r.user.ID, a.ID, "u", "p"))
	a, err = r.store.UseAttempt(ctx, "embedded", state, "b")
	check(t, err)
	var accounts []openbanking.AccountResource
	for i, uid := range uids {
		account := openbanking.AccountResource{IdentificationHash: fmt.Sprintf("h%d", i), Currency: "EUR", CashAccountType: "CACC", Name: new("Anna Example")}
		if uid != "" {
			account.UID = &uid
		}
		accounts = append(accounts, account)
	}
	r.link, _, err = r.store.SaveLink(ctx, store.Link{Attempt: a, SessionID: session, ValidUntil: time.Now().Add(24 * time.Hour), Accounts: accounts})
	check(t, err)
}

func row(i int) openbanking.Transaction {
	date := openbanking.DateOf(time.Now().AddDate(0, 0, -i/2))
	return openbanking.Transaction{EntryReference: new(fmt.Sprintf("ref-%d", i)),
		TransactionAmount:    openbanking.AmountType{Currency: "EUR", Amount: fmt.Sprintf("%d.00", i+1)},
		CreditDebitIndicator: "DBIT", Status: "BOOK", BookingDate: &date, Creditor: &openbanking.PartyIdentification{Name: new("Shop")},
		Debtor: &openbanking.PartyIdentification{Name: new("Anna Example")}}
}

// drain runs all tasks that are due.
func (r *rig) drain(t *testing.T) {
	t.Helper()
	for range 100 {
		next, err := r.Run(context.Background())
		check(t, err)
		if next.IsZero() || next.After(time.Now()) {
			return
		}
	}
	t.Fatal("there is no end to it")
}

func (r *rig) task(t *testing.T, scope finance.Scope) finance.SyncTask {
	t.Helper()
	tasks, err := r.store.Tasks(t.Context(), r.user.ID, r.link.ConnectionID)
	check(t, err)
	for _, k := range tasks {
		if k.Scope == scope && k.AccountID == r.link.Accounts[0].Account.ID {
			return k
		}
	}
	t.Fatalf("no task %s", scope)
	return finance.SyncTask{}
}

// due makes all tasks due again, as the time of some days would.
func (r *rig) due(t *testing.T) {
	t.Helper()
	r.exec(t, `UPDATE sync_task SET reads = ''`)
	r.now(t)
}

// now makes all tasks that wait due.
func (r *rig) now(t *testing.T) {
	t.Helper()
	r.exec(t, `UPDATE sync_task SET next_attempt_at = $1 WHERE state = 'waiting'`, sqlite.At(time.Now()))
}

// ago makes what was done so much older, with the reads.
func (r *rig) ago(t *testing.T, by time.Duration) {
	t.Helper()
	tasks, err := r.store.Tasks(t.Context(), r.user.ID, r.link.ConnectionID)
	check(t, err)
	for _, k := range tasks {
		for i := range k.Reads {
			k.Reads[i] = k.Reads[i].Add(-by)
		}
		reads, err := k.Reads.MarshalText()
		check(t, err)
		earlier := func(at time.Time) sqlite.NullTime {
			if !at.IsZero() {
				at = at.Add(-by)
			}
			return sqlite.AtOrNull(at)
		}
		r.exec(t, `UPDATE sync_task SET reads = $1, last_started_at = $2, last_success_at = $3, last_error_at = $4 WHERE id = $5`, string(reads), earlier(k.LastStarted),
			earlier(k.LastSuccess), earlier(k.LastError.At), k.ID)
	}
}

// exec changes the database as nothing of Florin would, and waits until Florin notices a commit that is not its own.
func (r *rig) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+r.path+"?_pragma=busy_timeout(10000)")
	check(t, err)
	defer db.Close()
	_, err = db.ExecContext(t.Context(), query, args...)
	check(t, err)
	time.Sleep(10 * time.Millisecond) // within 5 ms (sqlite.DB.Stamp); until then it goes by what it remembers
}

func (r *rig) amounts(t *testing.T) []string {
	t.Helper()
	page, more, err := r.store.Find(t.Context(), r.user.ID, search.InAccount(r.link.Accounts[0].Account.ID), store.Newest, 1000)
	check(t, err)
	if more {
		t.Fatal("more than 1000 rows")
	}
	var all []string
	for _, p := range page {
		all = append(all, p.Amount.String())
	}
	return all
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
