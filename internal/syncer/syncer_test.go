package syncer

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"florin/internal/bank"
	"florin/internal/bank/apitest"
	"florin/internal/finance"
	"florin/internal/jobs"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/sqlite"
	"florin/internal/store"
	"log/slog"
)

func amounts(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("-%d.00", i+1))
	}
	return all
}

func TestFirstSyncFetchesEverything(t *testing.T) {
	t.Parallel()
	r := newRig(t, 10)
	events := r.hub.Subscribe(r.user.ID)
	defer events.Close()
	r.drain(t)
	if got := r.amounts(t); !slices.Equal(got, amounts(10)) {
		t.Errorf("%v", got)
	}
	k := r.task(t, finance.ScopeTransactions)
	if k.Pages != 4 || k.RowsNew != 10 || k.RowsSeen != 10 || k.InRun || k.First() || k.State != finance.TaskWaiting || k.LastError.Code != "" {
		t.Errorf("%+v", k)
	}
	if wait := time.Until(k.NextAttempt); wait < 2*time.Hour || wait > 11*time.Hour || len(k.Reads) != 1 {
		t.Errorf("next run in %v after %d reads", wait, len(k.Reads))
	}
	a, err := r.store.Account(t.Context(), r.user.ID, k.AccountID)
	check(t, err)
	if a.Product != "Gold" || a.Transactions != 10 || a.UID != "u1" {
		t.Errorf("%+v", a)
	}
	balances, err := r.store.AccountBalances(t.Context(), r.user.ID, a.ID)
	check(t, err)
	if len(balances) != 1 || balances[0].Amount.String() != "10.50" {
		t.Errorf("%+v", balances)
	}
	page, _, err := r.store.Find(t.Context(), r.user.ID, search.InAccount(a.ID), store.Newest, 1)
	check(t, err)
	record, err := r.store.Transaction(t.Context(), r.user.ID, a.ID, page[0].ID)
	check(t, err)
	if *record.Record.EntryReference != "ref-0" || record.Counterparty != "Shop" {
		t.Errorf("%+v", record)
	}
	var first string
	for _, c := range r.service.Calls() {
		if first == "" && strings.Contains(c, "/transactions") {
			first = c
		}
	}
	if first != "GET /accounts/u1/transactions?strategy=longest" {
		t.Errorf("the first call is %s", first)
	}
	select {
	case e := <-events.C():
		if e.Topic != Topic || e.ID != r.link.ConnectionID {
			t.Errorf("%+v", e)
		}
	default:
		t.Error("nothing was published")
	}
}

// While a page is stored the next one is on its way: it is asked for though nobody can write to the database.
func TestNextPageComesWhileOneIsStored(t *testing.T) {
	t.Parallel()
	r := newRig(t, 8)
	other, err := sql.Open("sqlite", "file:"+r.path+"?_txlock=immediate&_pragma=busy_timeout(10000)")
	check(t, err)
	defer other.Close()
	asked := make(chan struct{})
	locked := make(chan *sql.Tx, 1)
	r.service.script("transactions", func(n int, _ *http.Request) any {
		switch n {
		case 1:
			tx, err := other.Begin()
			if err != nil {
				t.Error(err)
			}
			locked <- tx
		case 2:
			close(asked)
		}
		return nil
	})
	go func() {
		tx := <-locked
		<-asked
		_ = tx.Rollback()
	}()
	r.drain(t)
	if got := r.amounts(t); len(got) != 8 || r.service.called("transactions") != 3 {
		t.Errorf("%d rows with %d calls", len(got), r.service.called("transactions"))
	}
}

func TestLaterSyncFetchesTheLastDays(t *testing.T) {
	t.Parallel()
	r := newRig(t, 60)
	r.service.pageSize = 25
	r.drain(t)
	r.service.Forget()
	r.service.rows = append([]openbanking.Transaction{row(100)}, r.service.rows...)
	r.service.rows[0].BookingDate = new(openbanking.DateOf(time.Now()))
	r.due(t)
	r.drain(t)
	from := openbanking.DateOf(time.Now().AddDate(0, 0, -overlap))
	want := "GET /accounts/u1/transactions?date_from=" + string(from) + "&strategy=default"
	if !slices.Contains(r.service.Calls(), want) {
		t.Errorf("%v, want %s", r.service.Calls(), want)
	}
	if got := r.amounts(t); len(got) != 61 || got[0] != "-101.00" {
		t.Errorf("%d rows, the first %s", len(got), got[0])
	}
}

// Killed in the middle of a sync, the next process goes on and ends with the same rows.
func TestKilledSyncGoesOn(t *testing.T) {
	t.Parallel()
	for _, page := range []int{1, 2, 4} {
		t.Run(fmt.Sprintf("before page %d", page), func(t *testing.T) {
			r := newRig(t, 10)
			r.lease = time.Millisecond // of the process that dies: nobody lengthens it
			ctx, kill := context.WithCancel(t.Context())
			died := make(chan struct{})
			r.service.script("transactions", func(n int, _ *http.Request) any {
				if n == page {
					kill()
					<-died
				}
				return nil
			})
			dead := r.Syncer
			claim, ok, _, err := r.store.ClaimTask(ctx, r.lease)
			for ok && claim.Task.Scope != finance.ScopeTransactions {
				check(t, r.store.FailTask(ctx, claim, finance.Failure{}, time.Now().Add(time.Hour), false))
				claim, ok, _, err = r.store.ClaimTask(ctx, r.lease)
			}
			check(t, err)
			// The process is gone between two commits: nothing is settled, the file is closed under it.
			go func() {
				<-ctx.Done()
				_ = r.store.Close()
				close(died)
			}()
			api, err := dead.connect(ctx, finance.Provider{BaseURL: r.service.URL})
			check(t, err)
			if err := dead.transactions(ctx, api, &claim, nil); err == nil {
				t.Fatal("the sync survived")
			}
			<-died

			r.service.script("transactions", nil)
			r.open(t)
			// A page is asked for while the one before is stored, which is there whole or not at all.
			if got := len(r.amounts(t)); got != (page-1)*3 && got != (page-2)*3 {
				t.Errorf("%d rows were on disk", got)
			}
			if !r.task(t, finance.ScopeTransactions).InRun {
				t.Error("the run is not known to be under way")
			}
			forceLease(t, r)
			r.drain(t)
			if got := r.amounts(t); !slices.Equal(got, amounts(10)) {
				t.Errorf("%v", got)
			}
			if k := r.task(t, finance.ScopeTransactions); k.Run != 1 || k.Pages != 4 || k.RowsNew != 10 {
				t.Errorf("it began anew: %+v", k)
			}
		})
	}
}

// forceLease waits until the lease of the dead process has run out.
func forceLease(t *testing.T, r *rig) {
	t.Helper()
	for range 300 {
		_, err := r.Run(t.Context())
		check(t, err)
		if r.task(t, finance.ScopeTransactions).State == finance.TaskWaiting {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("the lease never ran out")
}

// One failed call fails nothing else, and heals by itself.
func TestOneFailingScopeStopsNoOther(t *testing.T) {
	t.Parallel()
	r := newRig(t, 4)
	r.service.script("balances", func(int, *http.Request) any { return apitest.Refusal(openbanking.ASPSPError) })
	r.drain(t)
	k := r.task(t, finance.ScopeBalances)
	if k.LastError.Code != "ASPSP_ERROR" || k.LastError.RequestID != apitest.RequestID || k.Attempts != 1 || k.State != finance.TaskWaiting {
		t.Errorf("%+v", k)
	}
	if len(r.amounts(t)) != 4 || r.task(t, finance.ScopeDetails).First() {
		t.Error("the other scopes were stopped")
	}
	r.service.script("balances", nil)
	r.due(t)
	r.drain(t)
	if k := r.task(t, finance.ScopeBalances); k.LastError.Code != "" || k.First() || k.Attempts != 0 {
		t.Errorf("%+v", k)
	}
	// An empty list later on is no zero: the last good value stays.
	r.service.script("balances", func(int, *http.Request) any {
		return openbanking.HalBalances{Balances: []openbanking.BalanceResource{}}
	})
	r.due(t)
	r.drain(t)
	b, err := r.store.AccountBalances(t.Context(), r.user.ID, r.link.Accounts[0].Account.ID)
	if err != nil || len(b) != 1 {
		t.Errorf("%v %v", b, err)
	}
}

// api-notes 5 and 10: a code of the session, or an account that cannot be read, leads to a look at the session, and that decides.
func TestSessionThatIsOverEndsTheConnection(t *testing.T) {
	t.Parallel()
	for _, code := range []openbanking.ErrorCode{openbanking.ExpiredSession, openbanking.RevokedSession, openbanking.ClosedSession,
		openbanking.AccountDoesNotExist,
		openbanking.ASPSPAccountNotAccessible, openbanking.AccessDenied} {
		for session, want := range map[openbanking.SessionStatus]finance.ConnectionStatus{
			openbanking.SessionStatusExpired:    finance.ConnectionExpired,
			openbanking.SessionStatusRevoked:    finance.ConnectionRevoked,
			openbanking.SessionStatusClosed:     finance.ConnectionClosed,
			openbanking.SessionStatusAuthorized: finance.ConnectionActive,
			openbanking.SessionStatusInvalid:    finance.ConnectionActive, // it says nothing
		} {
			t.Run(fmt.Sprintf("%s, session %s", code, session), func(t *testing.T) {
				r := newRig(t, 4)
				r.refuse(code)
				r.service.script("session", func(int, *http.Request) any { return openbanking.Session{Status: session} })
				r.drain(t)
				r.stands(t, want)
				if k := r.task(t, finance.ScopeBalances); want == finance.ConnectionActive &&
					(k.LastError.Code != finance.FailureCode(code) || !k.NextAttempt.After(time.Now())) {
					t.Errorf("%+v", k)
				}
			})
		}
	}
}

// A service may refuse to tell of a session that is over, with its code.
func TestSessionThatRefusesTheQuestion(t *testing.T) {
	t.Parallel()
	for code, want := range map[openbanking.ErrorCode]finance.ConnectionStatus{
		openbanking.ExpiredSession:      finance.ConnectionExpired,
		openbanking.RevokedSession:      finance.ConnectionRevoked,
		openbanking.ClosedSession:       finance.ConnectionClosed,
		openbanking.SessionDoesNotExist: finance.ConnectionActive, // it may be another application that asks
		openbanking.ASPSPError:          finance.ConnectionActive,
	} {
		t.Run(string(code), func(t *testing.T) {
			r := newRig(t, 4)
			r.refuse(openbanking.AccountDoesNotExist)
			r.service.script("session", func(int, *http.Request) any { return apitest.Refusal(code) })
			r.drain(t)
			r.stands(t, want)
		})
	}
}

// The consent is withdrawn while its first sync is running: what was fetched stays, and nothing is left at work.
func TestConsentWithdrawnDuringTheSync(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]openbanking.ErrorCode{"by its code": openbanking.RevokedSession, "by the account": openbanking.AccountDoesNotExist} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 10)
			r.service.script("transactions", func(n int, _ *http.Request) any {
				if n < 3 {
					return nil
				}
				return apitest.Refusal(code)
			})
			r.service.script("session", func(int, *http.Request) any {
				return openbanking.Session{Status: openbanking.SessionStatusRevoked}
			})
			r.drain(t)
			r.stands(t, finance.ConnectionRevoked)
			if got := r.amounts(t); !slices.Equal(got, amounts(6)) {
				t.Errorf("%v", got)
			}
			if n, err := r.Refresh(t.Context(), r.user.ID, r.link.ConnectionID, nil); n != 0 || err != nil {
				t.Errorf("%d tasks are due, %v", n, err)
			}
		})
	}
}

// One account that the service does not know any more says nothing about the others.
func TestOneAccountOfSeveralIsGone(t *testing.T) {
	t.Parallel()
	r := newRig(t, 4)
	r.relink(t, "n1", "n2")
	for _, kind := range []string{"balances", "details", "transactions"} {
		r.service.script(kind, func(_ int, req *http.Request) any {
			if strings.Contains(req.URL.Path, "/n2/") {
				return apitest.Refusal(openbanking.AccountDoesNotExist)
			}
			return nil
		})
	}
	r.drain(t)
	r.stands(t, finance.ConnectionActive)
	tasks, err := r.store.Tasks(t.Context(), r.user.ID, r.link.ConnectionID)
	check(t, err)
	for _, k := range tasks {
		gone := k.AccountID == r.link.Accounts[1].Account.ID
		if gone != (k.LastError.Code == finance.FailureCode(openbanking.AccountDoesNotExist)) || gone != k.First() {
			t.Errorf("gone: %t, %+v", gone, k)
		}
	}
}

// Where nothing is fetched no task learns that the session is over: asking for a sync does.
func TestRefreshLooksAtTheSession(t *testing.T) {
	t.Parallel()
	for session, want := range map[openbanking.SessionStatus]finance.ConnectionStatus{
		openbanking.SessionStatusExpired:    finance.ConnectionExpired,
		openbanking.SessionStatusRevoked:    finance.ConnectionRevoked,
		openbanking.SessionStatusClosed:     finance.ConnectionClosed,
		openbanking.SessionStatusAuthorized: finance.ConnectionActive,
	} {
		t.Run(string(session), func(t *testing.T) {
			r := newRig(t, 0)
			r.relink(t, "")
			r.drain(t)
			r.service.script("session", func(int, *http.Request) any { return openbanking.Session{Status: session} })
			n, err := r.Refresh(t.Context(), r.user.ID, r.link.ConnectionID, nil)
			if n != 0 || err != nil {
				t.Errorf("%d tasks are due, %v", n, err)
			}
			c, err := r.store.Connection(t.Context(), r.user.ID, r.link.ConnectionID)
			if err != nil || c.Status != want {
				t.Errorf("%s %v, want %s", c.Status, err, want)
			}
			if n := r.service.called("session"); n != 1 {
				t.Errorf("%d looks", n)
			}
		})
	}
	r := newRig(t, 0)
	r.relink(t, "")
	r.service.Close()
	if n, err := r.Refresh(t.Context(), r.user.ID, r.link.ConnectionID, nil); n != 0 || err != nil {
		t.Errorf("a service that does not answer: %d tasks are due, %v", n, err)
	}
}

// A connection that is renewed while the end of its old session is being looked up goes on.
func TestRenewedDuringTheLook(t *testing.T) {
	t.Parallel()
	r := newRig(t, 4)
	r.refuse(openbanking.RevokedSession)
	r.service.script("session", func(int, *http.Request) any {
		return openbanking.Session{Status: openbanking.SessionStatusRevoked}
	})
	connect, calls := r.connect, 0
	r.connect = func(ctx context.Context, p finance.Provider) (API, error) {
		if calls++; calls == 2 { // the first is for the data, the second for the session
			r.renew(t, "session-2", "n1")
		}
		return connect(ctx, p)
	}
	_, err := r.Run(t.Context())
	check(t, err)
	if n := r.service.called("session"); n != 1 || calls != 2 {
		t.Errorf("%d looks, %d calls", n, calls)
	}
	for _, kind := range []string{"balances", "details", "transactions", "session"} {
		r.service.script(kind, nil)
	}
	r.drain(t)
	r.stands(t, finance.ConnectionActive)
	if got := r.amounts(t); !slices.Equal(got, amounts(4)) {
		t.Errorf("%v", got)
	}
}

// refuse makes the service refuse all data with a code.
func (r *rig) refuse(code openbanking.ErrorCode) {
	for _, kind := range []string{"balances", "details", "transactions"} {
		r.service.script(kind, func(int, *http.Request) any { return apitest.Refusal(code) })
	}
}

// stands checks the status of the connection, and that its tasks run exactly while it is active.
func (r *rig) stands(t *testing.T, want finance.ConnectionStatus) {
	t.Helper()
	c, err := r.store.Connection(t.Context(), r.user.ID, r.link.ConnectionID)
	if err != nil || c.Status != want {
		t.Errorf("the connection is %s, %v; want %s", c.Status, err, want)
	}
	state := finance.TaskWaiting
	if want != finance.ConnectionActive {
		state = finance.TaskStopped
	}
	tasks, err := r.store.Tasks(t.Context(), r.user.ID, r.link.ConnectionID)
	check(t, err)
	if len(tasks) == 0 {
		t.Error("there are no tasks")
	}
	for _, k := range tasks {
		if k.State != state {
			t.Errorf("%s is %s, want %s", k.Scope, k.State, state)
		}
	}
}

// api-notes 10: a window that is too wide is a plain ASPSP_ERROR at some banks. A bank that fails twice is tried with a short one; when that fails
// too it is down, and its history is not cut.
func TestBankThatBreaksOverALongPeriod(t *testing.T) {
	r := newRig(t, 4)
	recent := openbanking.DateOf(time.Now().AddDate(0, 0, -89))
	down := true
	r.service.script("transactions", func(_ int, req *http.Request) any {
		if from := openbanking.Date(req.URL.Query().Get("date_from")); down || from < recent {
			return apitest.Refusal(openbanking.ASPSPError)
		}
		return nil
	})
	r.drain(t)
	if n := r.service.called("transactions"); n != 1 {
		t.Errorf("%d calls at the first failure", n)
	}
	r.due(t)
	r.drain(t)
	if k := r.task(t, finance.ScopeTransactions); r.service.called("transactions") != 3 || k.DateFrom != "" || k.LastError.Code != "ASPSP_ERROR" ||
		k.Attempts != 2 {
		t.Errorf("a bank that is down: %d calls, %+v", r.service.called("transactions"), k)
	}
	down = false
	r.due(t)
	r.drain(t)
	if k := r.task(t, finance.ScopeTransactions); len(r.amounts(t)) != 4 || k.DateFrom != recent || k.LastError.Code != "" || k.First() {
		t.Errorf("%v %+v", r.amounts(t), k)
	}
}

// The bank's own date, else 365, 180, 90, 89 and 30 days.
func TestWrongPeriodGoesDownTheLadder(t *testing.T) {
	t.Parallel()
	r := newRig(t, 4)
	wall := openbanking.DateOf(time.Now().AddDate(0, 0, -89))
	r.service.script("transactions", func(_ int, req *http.Request) any {
		if from := openbanking.Date(req.URL.Query().Get("date_from")); from < wall {
			return apitest.Refusal(openbanking.WrongTransactionsPeriod)
		}
		return nil
	})
	r.drain(t)
	if n := r.service.called("transactions"); n != 6 { // none, 365, 180, 90, 89, and one more page
		t.Errorf("%d calls: %v", n, r.service.Calls())
	}
	if k := r.task(t, finance.ScopeTransactions); len(r.amounts(t)) != 4 || k.DateFrom != wall || k.Strategy != "longest" {
		t.Errorf("%+v", k)
	}

	r = newRig(t, 4)
	r.service.script("transactions", func(n int, req *http.Request) any {
		if req.URL.Query().Get("date_from") == "" {
			return &openbanking.Error{Code: openbanking.WrongTransactionsPeriod, Detail: json.RawMessage(`{"message":"x","date_from":"` + string(wall) + `"}`)}
		}
		return nil
	})
	r.drain(t)
	if n := r.service.called("transactions"); n != 3 || r.task(t, finance.ScopeTransactions).DateFrom != wall {
		t.Errorf("%d calls: %v", n, r.service.Calls())
	}

	r = newRig(t, 4)
	r.service.script("transactions", func(int, *http.Request) any { return apitest.Refusal(openbanking.WrongTransactionsPeriod) })
	r.drain(t)
	if k := r.task(t, finance.ScopeTransactions); k.LastError.Code != "WRONG_TRANSACTIONS_PERIOD" || r.service.called("transactions") != 6 {
		t.Errorf("%+v after %d calls", k, r.service.called("transactions"))
	}
}

func TestRefusedContinuationKeyBeginsAnew(t *testing.T) {
	t.Parallel()
	r := newRig(t, 10)
	r.service.script("transactions", func(n int, _ *http.Request) any {
		if n == 3 {
			return apitest.Refusal(openbanking.WrongContinuationKey)
		}
		return nil
	})
	r.drain(t)
	if got := r.amounts(t); !slices.Equal(got, amounts(10)) || r.task(t, finance.ScopeTransactions).Run != 2 {
		t.Errorf("%v", got)
	}
}

func TestBrokenPageGoesOnLater(t *testing.T) {
	t.Parallel()
	r := newRig(t, 10)
	r.service.script("transactions", func(n int, _ *http.Request) any {
		if n == 3 {
			return apitest.Refusal(openbanking.ASPSPError)
		}
		return nil
	})
	r.drain(t)
	if k := r.task(t, finance.ScopeTransactions); !k.InRun || k.Pages != 2 || len(r.amounts(t)) != 6 {
		t.Errorf("%+v", k)
	}
	r.due(t)
	r.drain(t)
	if got := r.amounts(t); !slices.Equal(got, amounts(10)) || r.task(t, finance.ScopeTransactions).Run != 1 {
		t.Errorf("%v", got)
	}
}

// A continuation key that was altered on disk costs one start over: the task waits with its reason, and then fetches everything.
func TestAlteredContinuationKeyStartsOver(t *testing.T) {
	t.Parallel()
	r := newRig(t, 10)
	r.service.script("transactions", func(n int, _ *http.Request) any {
		if n == 3 {
			return apitest.Refusal(openbanking.ASPSPError)
		}
		return nil
	})
	r.drain(t)
	db, err := sqlite.Open(t.Context(), r.path)
	check(t, err)
	check(t, db.Write(t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(t.Context(), `UPDATE sync_task SET continuation_key = 'altered' WHERE in_run = 1`)
		return err
	}))
	check(t, db.Close())
	r.due(t)
	r.drain(t)
	if k := r.task(t, finance.ScopeTransactions); k.LastError.Code != finance.FailureInternal || k.Attempts != 2 || k.InRun ||
		!k.NextAttempt.After(time.Now()) {
		t.Errorf("%+v", k)
	}
	if k := r.task(t, finance.ScopeBalances); k.LastError.Code != "" || k.LastSuccess.IsZero() {
		t.Errorf("it held up another task: %+v", k)
	}
	r.due(t)
	r.drain(t)
	if k := r.task(t, finance.ScopeTransactions); k.LastError.Code != "" || k.Run != 2 || !slices.Equal(r.amounts(t), amounts(10)) {
		t.Errorf("%+v", k)
	}
}

// An answer without what it must have fails its scope and changes nothing.
func TestAnswersThatAreNoneChangeNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, 4)
	good := map[finance.Scope]func(int, *http.Request) any{}
	good[finance.ScopeBalances] = func(int, *http.Request) any {
		amount := openbanking.AmountType{Currency: "EUR", Amount: "1.00"}
		return openbanking.HalBalances{Balances: []openbanking.BalanceResource{{BalanceType: "CLBD", BalanceAmount: amount},
			{BalanceType: "CLAV", BalanceAmount: amount}}}
	}
	good[finance.ScopeDetails] = func(int, *http.Request) any {
		return map[string]any{"identification_hash": "h0", "currency": "EUR", "cash_account_type": "SVGS", "name": "Anna Example", "product": "Gold"}
	}
	for scope, answer := range good {
		r.service.script(string(scope), answer)
	}
	r.drain(t)
	account := func() finance.Account {
		a, err := r.store.Account(t.Context(), r.user.ID, r.link.Accounts[0].Account.ID)
		check(t, err)
		return a
	}
	balances := func() []finance.Balance {
		b, err := r.store.AccountBalances(t.Context(), r.user.ID, r.link.Accounts[0].Account.ID)
		check(t, err)
		return b
	}
	held, figures := account(), balances()
	if held.Holder != "Anna Example" || held.Type != "SVGS" || len(figures) != 2 {
		t.Fatalf("%+v %+v", held, figures)
	}
	for name, c := range map[string]struct {
		scope  finance.Scope
		answer string
	}{
		"details {}":           {finance.ScopeDetails, `{}`},
		"details null":         {finance.ScopeDetails, `null`},
		"details without type": {finance.ScopeDetails, `{"identification_hash":"h0","currency":"EUR","name":"x"}`},
		"balances {}":          {finance.ScopeBalances, `{}`},
		"balances null":        {finance.ScopeBalances, `{"balances":null}`},
		"one of two unreadable": {finance.ScopeBalances,
			`{"balances":[{"balance_type":"CLBD","balance_amount":{"currency":"EUR","amount":"7.00"}},{"balance_type":"CLAV","balance_amount":{"currency":"EUR","amount":"unknown"}}]}`},
		"one without type": {finance.ScopeBalances,
			`{"balances":[{"balance_type":"CLBD","balance_amount":{"currency":"EUR","amount":"7.00"}},{"balance_amount":{"currency":"EUR","amount":"1"}}]}`},
		"transactions {}":   {finance.ScopeTransactions, `{}`},
		"transactions null": {finance.ScopeTransactions, `{"transactions":null}`},
	} {
		r.service.script(string(c.scope), func(int, *http.Request) any { return json.RawMessage(c.answer) })
		before := r.task(t, c.scope)
		r.due(t)
		r.drain(t)
		k := r.task(t, c.scope)
		if k.LastError.Code != finance.FailureUnreadable || !k.LastSuccess.Equal(before.LastSuccess) {
			t.Errorf("%s: %+v", name, k)
		}
		if now := account(); now.Holder != held.Holder || now.Type != held.Type || now.Product != held.Product {
			t.Errorf("%s: %+v", name, now)
		}
		if b := balances(); len(b) != 2 || b[0].Amount != figures[0].Amount || len(r.amounts(t)) != 4 {
			t.Errorf("%s: %+v", name, b)
		}
		r.service.script(string(c.scope), good[c.scope])
	}
}

func TestRowsThatCannotBeReadAreLeftOut(t *testing.T) {
	t.Parallel()
	r := newRig(t, 4)
	r.service.rows[1].TransactionAmount.Amount = "NaN"
	r.drain(t)
	if k := r.task(t, finance.ScopeTransactions); len(r.amounts(t)) != 3 || k.RowsRefused != 1 {
		t.Errorf("%+v", k)
	}
}

// Asking again makes a limit worse.
func TestRateLimitHoldsBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, 4)
	r.service.script("balances", func(int, *http.Request) any { return apitest.Refusal(openbanking.ASPSPRateLimitExceeded) })
	r.drain(t)
	k := r.task(t, finance.ScopeBalances)
	if wait := time.Until(k.NextAttempt); wait < 59*time.Minute {
		t.Errorf("tried again in %v", wait)
	}
	n, err := r.Refresh(t.Context(), r.user.ID, r.link.ConnectionID, nil)
	if n != 2 || err != nil {
		t.Errorf("%d tasks refreshed, %v", n, err)
	}
	r.drain(t)
	if got := r.service.called("balances"); got != 1 {
		t.Errorf("%d calls in spite of the limit", got)
	}
	if _, err := r.Refresh(t.Context(), "somebody else", r.link.ConnectionID, nil); !errors.Is(err, finance.ErrNotFound) {
		t.Error(err)
	}
}

func TestUnreachableService(t *testing.T) {
	t.Parallel()
	r := newRig(t, 4)
	r.service.Close()
	r.drain(t)
	if k := r.task(t, finance.ScopeBalances); k.LastError.Code != finance.FailureUnreachable {
		t.Errorf("%+v", k)
	}
}

// A run that was begun by a clock that was ahead cannot go on: no bank answers for days to come. After the correction it begins anew, and what it
// brought stays.
func TestRunOfAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	r := newRig(t, 10)
	r.drain(t)
	r.service.script("transactions", func(_ int, q *http.Request) any {
		if from := q.URL.Query().Get("date_from"); from > string(openbanking.DateOf(time.Now())) {
			return apitest.Refusal(openbanking.DateFromInFuture)
		}
		return nil
	})
	db, err := sqlite.Open(t.Context(), r.path)
	check(t, err)
	check(t, db.Write(t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(t.Context(), `UPDATE sync_task SET in_run = 1, date_from = '2031-01-01', last_success_at = '2031-01-11T00:00:00.000Z', first_success_at = '2031-01-11T00:00:00.000Z',
			next_attempt_at = '2031-01-12T00:00:00.000Z'`)
		return err
	}))
	check(t, db.Close())
	if n, err := r.store.ClampDue(t.Context()); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	r.drain(t)
	if k := r.task(t, finance.ScopeTransactions); k.LastError.Code != "" || k.InRun || k.LastSuccess.After(time.Now()) || len(r.amounts(t)) != 10 {
		t.Errorf("%+v", k)
	}
}

// A bank that does not answer two calls in a row has a pause, so that its tasks do not each find out; one answer ends that.
func TestABankThatDoesNotAnswerHasAPause(t *testing.T) {
	t.Parallel()
	r := newRig(t, 4)
	r.relink(t, "n1", "n2", "n3")
	r.CallIn = 500 * time.Millisecond // long enough that each call reaches the bank, also on a busy machine
	hang := make(chan struct{})
	var asked atomic.Int32
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		asked.Add(1)
		select {
		case <-hang:
		case <-q.Context().Done():
		}
	}))
	t.Cleanup(silent.Close)
	t.Cleanup(func() { close(hang) })
	sound := r.connect
	r.connect = func(context.Context, finance.Provider) (API, error) { return bank.New(silent.URL, apitest.Signer{}) }
	r.drain(t)
	if n := asked.Load(); n != 2 {
		t.Errorf("a bank that does not answer was asked %d times", n)
	}
	tasks, err := r.store.Tasks(t.Context(), r.user.ID, r.link.ConnectionID)
	check(t, err)
	for _, k := range tasks {
		if k.NextAttempt.Before(time.Now().Add(pauses[0] - 10*time.Second)) {
			t.Errorf("%s of %d tasks has no pause: %s", k.Scope, len(tasks), k.NextAttempt)
		}
	}
	r.connect = sound
	r.CallIn = time.Minute
	r.due(t)
	r.drain(t)
	tasks, err = r.store.Tasks(t.Context(), r.user.ID, r.link.ConnectionID)
	check(t, err)
	for _, k := range tasks {
		if k.First() || k.LastError.Code != "" {
			t.Errorf("%+v", k)
		}
	}
	if len(r.silent) != 0 {
		t.Errorf("%v", r.silent)
	}
}

// Two processes on one database do not do it twice (architecture 5, rule 8), and a renewed link is synced without new rows.
func TestTwoSyncersShareTheWork(t *testing.T) {
	t.Parallel()
	r := newRig(t, 10)
	r.relink(t, "n1", "n2", "n3")
	other, err := store.Open(t.Context(), r.path, r.key)
	check(t, err)
	defer other.Close()
	log := slog.New(slog.DiscardHandler)
	runner := jobs.NewRunner(log)
	r.Register(runner)
	second := New(other, r.connect, r.hub, log)
	second.Register(runner)
	runner.Start(t.Context())
	for range 600 {
		tasks, err := r.store.Tasks(t.Context(), r.user.ID, "")
		check(t, err)
		if !slices.ContainsFunc(tasks, func(k finance.SyncTask) bool { return k.First() }) {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	check(t, runner.Stop(context.Background()))
	if got := r.amounts(t); !slices.Equal(got, amounts(10)) {
		t.Errorf("%v", got)
	}
	seen := map[string]int{}
	for _, c := range r.service.Calls() {
		seen[c]++
	}
	if len(seen) != 3*(2+4) {
		t.Errorf("%d calls: %v", len(seen), seen)
	}
	for c, n := range seen {
		if n != 1 {
			t.Errorf("%s: %d times", c, n)
		}
	}
}

func TestNextAttempt(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 8, 0, 0, 0, time.UTC)
	bank := &openbanking.Error{Code: openbanking.ASPSPError}
	for name, c := range map[string]struct {
		err  error
		n    int
		want time.Duration
	}{
		"bank, first":      {bank, 1, time.Minute},
		"bank, second":     {bank, 2, time.Hour},
		"bank, third":      {bank, 3, 2 * time.Hour},
		"bank, later":      {bank, 9, 4 * time.Hour},
		"limit":            {&openbanking.Error{Code: openbanking.ASPSPRateLimitExceeded}, 1, time.Hour},
		"limit again":      {&openbanking.Error{Code: openbanking.ASPSPRateLimitExceeded}, 2, 6 * time.Hour},
		"limit by status":  {&openbanking.Error{Status: 429}, 1, time.Hour},
		"when it says":     {&openbanking.Error{Status: 429, RetryAfter: now.Add(7 * time.Minute)}, 1, 7 * time.Minute},
		"service is down":  {errors.New("refused"), 1, 15 * time.Second},
		"service is away":  {errors.New("refused"), 99, time.Hour},
		"wrapped as usual": {fmt.Errorf("x: %w", bank), 1, time.Minute},
	} {
		if got := nextAttempt(c.err, c.n, now).Sub(now); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	success, ahead := time.Date(2026, 3, 10, 8, 0, 0, 0, time.UTC), time.Date(2031, 3, 10, 8, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		task         finance.SyncTask
		last, missed openbanking.Date
		strategy     openbanking.TransactionsFetchStrategy
		from         openbanking.Date
	}{
		"first":                         {finance.SyncTask{}, "", "", "longest", ""},
		"first, cut short before":       {finance.SyncTask{DateFrom: "2025-12-10"}, "2026-01-01", "", "longest", "2025-12-10"},
		"first, by a clock ahead":       {finance.SyncTask{DateFrom: "2031-12-10"}, "2026-01-01", "", "longest", ""},
		"later":                         {finance.SyncTask{FirstSuccess: success, LastSuccess: success}, "2026-03-09", "", "default", "2026-02-27"},
		"nothing there so far":          {finance.SyncTask{FirstSuccess: success, LastSuccess: success}, "", "", "longest", ""},
		"newest row dated far ahead":    {finance.SyncTask{FirstSuccess: success, LastSuccess: success}, "2027-01-01", "", "default", "2026-02-28"},
		"by a clock ahead":              {finance.SyncTask{FirstSuccess: ahead, LastSuccess: ahead}, "2031-01-01", "", "default", "2026-03-01"},
		"a row was missed":              {finance.SyncTask{FirstSuccess: success, LastSuccess: success}, "2026-03-09", "2026-02-20", "default", "2026-02-20"},
		"one that is looked for anyway": {finance.SyncTask{FirstSuccess: success, LastSuccess: success}, "2026-03-09", "2026-03-01", "default", "2026-02-27"},
		"one too old to be looked for":  {finance.SyncTask{FirstSuccess: success, LastSuccess: success}, "2026-03-09", "2020-01-01", "default", "2025-12-12"},
		"missed, and the bank refused": {finance.SyncTask{FirstSuccess: success, LastSuccess: success, Attempts: 1}, "2026-03-09", "2026-02-20", "default",
			"2026-02-27"},
		"missed, and no row for a while": {finance.SyncTask{FirstSuccess: success, LastSuccess: success}, "2025-06-09", "2025-05-20", "default", "2025-05-30"},
	} {
		strategy, from := plan(c.task, c.last, c.missed, time.Date(2026, 3, 11, 8, 0, 0, 0, time.UTC))
		if strategy != c.strategy || from != c.from {
			t.Errorf("%s: %s %q, want %s %q", name, strategy, from, c.strategy, c.from)
		}
	}
}
