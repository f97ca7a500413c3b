package store

import (
	"errors"
	"slices"
	"testing"
	"time"

	"florin/internal/finance"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/internal/search"
	"florin/internal/sqlite"
)

// booked gives an account of the bank a booked balance.
func (b *bed) booked(t testing.TB, amount string) {
	t.Helper()
	c := b.claim(t, finance.ScopeBalances)
	check(t, b.FinishBalances(t.Context(), c, []finance.Balance{{AccountID: c.Account.ID, Type: openbanking.BalanceStatusCLBD,
		Amount: must(money.Parse(amount, "EUR"))(t), Text: amount, Fetched: time.Now()}}, time.Now().Add(time.Hour)))
}

// Stopping keeps the history: the user keeps the account with all its rows and the last balance of the bank, can add rows, and gets the same account when the
// bank is linked again (the pain: unlinking loses the history).
func TestStoppedConnectionLeavesAccountsToTheUser(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	done, _ := b.link(t, u, "session", resource("h", "EUR", "uid"))
	account := done.Accounts[0].Account.ID
	b.booked(t, "250.00")
	b.run(t, []finance.Entry{entry(t, "r1", "1.00", "2026-01-02", "x"), entry(t, "r2", "2.00", "2026-01-05", "y")})
	rows := b.rows(t, u.ID, account, 10)
	check(t, b.EndConnection(ctx, u.ID, done.ConnectionID, finance.ConnectionDisconnected))

	a := must(b.Account(ctx, u.ID, account))(t)
	if a.Linked() || a.ConnectionID != done.ConnectionID || a.Nickname == "" || a.Institution == "" || !a.Simulated {
		t.Errorf("after stopping: %+v", a)
	}
	equal(t, b.rows(t, u.ID, account, 10), rows...)
	if got := b.balance(t, u.ID, account); got != "250.00" {
		t.Errorf("the balance after stopping: %s", got)
	}
	must(b.AddRow(ctx, u.ID, account, written(t, "2026-02-01", "-10.00", "Market", "")))(t)
	if got := b.balance(t, u.ID, account); got != "240.00" {
		t.Errorf("the balance after a row of the user: %s", got)
	}
	b.reopen(t) // a restart does not stop it again
	if got := b.balance(t, u.ID, account); got != "240.00" {
		t.Errorf("the balance after a restart: %s", got)
	}

	again, _ := b.link(t, u, "session-2", resource("h", "EUR", "uid-2"))
	if len(again.Accounts) != 1 || again.Accounts[0].Account.ID != account || again.Accounts[0].Outcome != finance.OutcomeRecognised {
		t.Fatalf("linked again: %+v", again.Accounts)
	}
	a = must(b.Account(ctx, u.ID, account))(t)
	if !a.Linked() || a.UID != "uid-2" || a.Institution != "" || a.ConnectionID != again.ConnectionID {
		t.Errorf("linked again: %+v", a)
	}
	if values := must(b.Values(ctx, u.ID, account))(t); len(values) != 0 {
		t.Errorf("the opening balance stays: %+v", values)
	}
}

// The balance of an account that the user keeps after stopping includes bookings after the day of the bank's balance, and no row that the bank no longer lists.
// The available amount of a card does not count as a balance.
func TestBalanceAfterStopping(t *testing.T) {
	start := func(t *testing.T, kind openbanking.CashAccountType) (b *bed, user, account string, stop func()) {
		b = newBed(t)
		u := b.user(t, "a@example.org")
		r := resource("h", "EUR", "uid")
		r.CashAccountType = kind
		done, _ := b.link(t, u, "session", r)
		return b, u.ID, done.Accounts[0].Account.ID, func() {
			t.Helper()
			check(t, b.EndConnection(t.Context(), u.ID, done.ConnectionID, finance.ConnectionDisconnected))
		}
	}
	t.Run("rows after the day of the balance", func(t *testing.T) {
		b, user, account, stop := start(t, openbanking.CashAccountTypeCACC)
		b.run(t, []finance.Entry{entry(t, "b", "5.00", string(ago(0)), "y"), entry(t, "a", "1.00", string(ago(3)), "x")})
		b.readBalance(t, account, ago(1), 100_00)
		in := search.Period{From: ago(4), To: ago(0)}
		before := must(b.DayBalances(t.Context(), user, account, in))(t)
		stop()
		if got := b.balance(t, user, account); got != "95.00" {
			t.Errorf("the balance is %s", got)
		}
		if after := must(b.DayBalances(t.Context(), user, account, in))(t); !slices.Equal(before, after) {
			t.Errorf("the days had %v and have %v", before, after)
		}
	})
	t.Run("a row that the bank no longer lists", func(t *testing.T) {
		b, user, account, stop := start(t, openbanking.CashAccountTypeCACC)
		rows := []finance.Entry{entry(t, "c", "7.00", string(ago(2)), "gone"), entry(t, "b", "1.00", string(ago(3)), "y"), entry(t, "a", "1.00", string(ago(4)), "x")}
		b.run(t, rows)
		b.only(t, account)
		b.run(t, rows[1:])
		b.readBalance(t, account, ago(0), 100_00)
		stop()
		gone := b.all(t, user, search.InAccount(account), 10)[0]
		if days := must(b.DayBalances(t.Context(), user, account, search.Period{From: ago(0), To: ago(0)}))(t); !gone.Missing || len(days) != 1 ||
			days[0].Balance.Minor() != 100_00 {
			t.Errorf("%+v, with %+v", days, gone)
		}
		check(t, b.DeleteRow(t.Context(), user, account, gone.ID))
		if got := b.balance(t, user, account); got != "100.00" {
			t.Errorf("the balance without the row is %s", got)
		}
	})
	t.Run("whichever balance counts", func(t *testing.T) {
		b, user, account, stop := start(t, openbanking.CashAccountTypeCACC)
		b.run(t, []finance.Entry{entry(t, "a", "1.00", string(ago(3)), "x")})
		b.readBalances(t, finance.Balance{AccountID: account, Type: openbanking.BalanceStatusITAV, Amount: money.FromMinor(2000_00, "EUR"), Fetched: time.Now()},
			finance.Balance{AccountID: account, Type: openbanking.BalanceStatusCLBD, Amount: money.FromMinor(100_00, "EUR"), Fetched: time.Now()})
		check(t, b.SetCounts(t.Context(), user, account, openbanking.BalanceStatusITAV))
		today := search.Period{From: ago(0), To: ago(0)}
		if days := must(b.DayBalances(t.Context(), user, account, today))(t); len(days) != 1 || days[0].Balance.Minor() != 2000_00 {
			t.Errorf("what counts is %+v", days)
		}
		if complete := must(b.Completeness(t.Context(), user, account))(t); !complete.Provable {
			t.Error("the choice is part of the proof")
		}
		stop()
		if got := b.balance(t, user, account); got != "100.00" {
			t.Errorf("the balance is %s", got)
		}
		if err := b.SetCounts(t.Context(), "somebody else", account, ""); !errors.Is(err, finance.ErrNotFound) {
			t.Errorf("somebody else: %v", err)
		}
	})
	t.Run("what a card can spend", func(t *testing.T) {
		b, user, account, stop := start(t, openbanking.CashAccountTypeCARD)
		b.run(t, []finance.Entry{entry(t, "a", "1.00", string(ago(3)), "x")})
		b.readBalances(t, finance.Balance{AccountID: account, Type: openbanking.BalanceStatusITAV, Amount: money.FromMinor(2000_00, "EUR"), Fetched: time.Now()})
		stop()
		if got := b.balance(t, user, account); got != "" {
			t.Errorf("the balance is %s", got)
		}
	})
}

// An account that the user keeps stays kept when its bank is linked again without access to it.
func TestKeptAccountWithoutAccessStaysKept(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	done, _ := b.link(t, u, "session", resource("h", "EUR", "uid"))
	b.booked(t, "250.00")
	check(t, b.EndConnection(ctx, u.ID, done.ConnectionID, finance.ConnectionDisconnected))
	again, _ := b.link(t, u, "session-2", resource("h", "EUR", ""))
	account := done.Accounts[0].Account.ID
	if a := must(b.Account(ctx, u.ID, account))(t); a.Linked() || b.balance(t, u.ID, account) != "250.00" || again.Accounts[0].Outcome != finance.OutcomeNotAccessible {
		t.Errorf("%+v, %+v", a, again.Accounts)
	}
	must(b.AddRow(ctx, u.ID, account, written(t, "2026-02-01", "-10.00", "Market", "")))(t)
}

// When the database is opened, the user gets the accounts of connections that an older version ended without keeping them.
func TestOldDisconnectedAccountsAreKept(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	done, _ := b.link(t, u, "session", resource("h", "EUR", "uid"))
	b.booked(t, "9.00")
	check(t, b.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE connection SET status = 'disconnected', ended = created, session_id = ''`)
		return err
	}))
	b.reopen(t)
	account := done.Accounts[0].Account.ID
	if a := must(b.Account(ctx, u.ID, account))(t); a.Linked() || b.balance(t, u.ID, account) != "9.00" {
		t.Errorf("%+v", a)
	}
}

// The service is asked to end a session until it confirms that. One process asks at a time; when it is killed, another one asks again.
func TestSessionsAreEndedOnce(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	done, _ := b.link(t, u, "session", resource("h", "EUR", "uid"))
	if _, ok, next, err := b.ClaimSessionEnd(ctx, "", time.Minute); ok || !next.IsZero() || err != nil {
		t.Fatalf("before the end: %v %v %v", ok, next, err)
	}
	check(t, b.EndConnection(ctx, u.ID, done.ConnectionID, finance.ConnectionDisconnected))
	if c := must(b.Connection(ctx, u.ID, done.ConnectionID))(t); c.EndDue.IsZero() {
		t.Error("the connection does not say that its session is to be ended")
	}
	e, ok, _, err := b.ClaimSessionEnd(ctx, done.ConnectionID, 20*time.Millisecond)
	if !ok || err != nil || e.SessionID != "session" || e.Over || e.Attempts != 1 {
		t.Fatalf("%+v %v %v", e, ok, err)
	}
	if _, ok, next, err := b.ClaimSessionEnd(ctx, "", time.Minute); ok || next.IsZero() || err != nil {
		t.Errorf("while somebody asks: %v %v %v", ok, next, err)
	}
	for { // until the lease of the first try has ended
		again, ok, next, err := b.ClaimSessionEnd(ctx, "", time.Minute)
		check(t, err)
		if ok {
			if again.ID != e.ID || again.Attempts != 2 {
				t.Errorf("%+v", again)
			}
			break
		}
		time.Sleep(time.Until(next))
	}
	check(t, b.SessionEnded(ctx, e.ID))
	check(t, b.SessionEnded(ctx, e.ID))
	if c := must(b.Connection(ctx, u.ID, done.ConnectionID))(t); !c.EndDue.IsZero() {
		t.Error("it is asked again after its answer")
	}
}

// Deleting an account changes no other account of its connection, and the next sync does not bring it back. After the last one the connection ends, and it is
// deleted once the service has ended the session.
func TestDeleteAccountsOfAConnection(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u, other := b.user(t, "a@example.org"), b.user(t, "b@example.org")
	done, _ := b.link(t, u, "session", resource("h1", "EUR", "uid-1"), resource("h2", "EUR", "uid-2"))
	first, second := done.Accounts[0].Account.ID, done.Accounts[1].Account.ID
	if _, err := b.DeleteAccount(ctx, other.ID, first); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("of somebody else: %v", err)
	}
	running := b.claim(t, finance.ScopeTransactions)
	gone, stays := running.Account.ID, second
	if gone == second {
		stays = first
	}
	check(t, b.BeginRun(ctx, &running, "longest", "", lease))
	if ended := must(b.DeleteAccount(ctx, u.ID, gone))(t); ended != "" {
		t.Error("the connection ends with the first of two accounts")
	}
	if err := b.ApplyPage(ctx, &running, Page{Entries: []finance.Entry{entry(t, "r", "1.00", "2026-01-01", "x")}}, lease, time.Now()); !errors.Is(err, ErrLeaseLost) {
		t.Errorf("a sync that was running: %v", err)
	}
	tasks := must(b.Tasks(ctx, u.ID, done.ConnectionID))(t)
	if len(tasks) != 3 || slices.ContainsFunc(tasks, func(k finance.SyncTask) bool { return k.AccountID != stays }) {
		t.Errorf("what is synced: %+v", tasks)
	}
	if accounts := must(b.Accounts(ctx, u.ID))(t); len(accounts) != 1 || accounts[0].ID != stays || !accounts[0].Linked() {
		t.Errorf("what is left: %+v", accounts)
	}
	if ended := must(b.DeleteAccount(ctx, u.ID, stays))(t); ended != done.ConnectionID {
		t.Error("the connection is active without accounts")
	}
	e, ok, _, err := b.ClaimSessionEnd(ctx, done.ConnectionID, time.Minute)
	if !ok || err != nil || e.SessionID != "session" {
		t.Fatalf("%+v %v %v", e, ok, err)
	}
	check(t, b.SessionEnded(ctx, e.ID))
	if left := must(b.Connections(ctx, u.ID))(t); len(left) != 0 {
		t.Errorf("connections left: %+v", left)
	}
}

// Deleting the accounts of a connection keeps accounts that another connection shares, and the other sides of transfers.
func TestDeleteConnection(t *testing.T) {
	b := newBed(t)
	ctx := t.Context()
	u := b.user(t, "a@example.org")
	first, _ := b.link(t, u, "s1", resource("h1", "EUR", "u1"), resource("joint", "EUR", "u2"))
	second, _ := b.linkAs(t, u, finance.LinkAttempt{Another: true}, "s2", resource("h3", "EUR", "u3"), resource("joint", "EUR", "u4"))
	if first.ConnectionID == second.ConnectionID {
		t.Fatal("both logins are one connection")
	}
	for _, c := range must(b.Connections(ctx, u.ID))(t) {
		if !c.Several {
			t.Errorf("%s does not know of the other", c.ID)
		}
	}
	check(t, b.DeleteConnection(ctx, u.ID, first.ConnectionID))
	accounts := must(b.Accounts(ctx, u.ID))(t)
	if len(accounts) != 2 || slices.ContainsFunc(accounts, func(a finance.Account) bool { return a.ConnectionID != second.ConnectionID || !a.Linked() }) {
		t.Errorf("left: %+v", accounts)
	}
	e, ok, _, err := b.ClaimSessionEnd(ctx, first.ConnectionID, time.Minute)
	if !ok || err != nil || e.SessionID != "s1" {
		t.Fatalf("%+v %v %v", e, ok, err)
	}
	check(t, b.SessionEnded(ctx, e.ID))
	if err := b.DeleteConnection(ctx, u.ID, first.ConnectionID); !errors.Is(err, finance.ErrNotFound) {
		t.Errorf("deleted twice: %v", err)
	}
}
