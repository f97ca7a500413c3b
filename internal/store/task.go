package store

import (
	"context"
	"errors"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// ErrLeaseLost says that the task is no longer the caller's: its lease ran out and another took over, or its connection ended.
// Nothing of the call was stored.
var ErrLeaseLost = errors.New("the sync task is no longer held")

const taskColumns = `k.id, k.user_id, k.connection_id, k.account_id, k.scope, k.state, k.run, k.in_run, k.strategy, k.date_from, k.oldest_seen,
	k.pages, k.rows_seen, k.rows_new, k.rows_refused, k.next_attempt_at, k.attempts,
	k.last_error_code, k.last_error_message, k.last_error_request, k.last_error_at, k.last_started_at, k.last_success_at, k.first_success_at, k.reads`

func scanTask(row scanner, more ...any) (finance.SyncTask, error) {
	var t finance.SyncTask
	var next sqlite.Time
	var failed, started, success, first sqlite.NullTime
	var reads string
	err := row.Scan(append([]any{&t.ID, &t.UserID, &t.ConnectionID, &t.AccountID, &t.Scope, &t.State, &t.Run, &t.InRun, &t.Strategy, &t.DateFrom, &t.OldestSeen,
		&t.Pages, &t.RowsSeen, &t.RowsNew, &t.RowsRefused, &next, &t.Attempts,
		&t.LastError.Code, &t.LastError.Said, &t.LastError.RequestID, &failed, &started, &success, &first, &reads}, more...)...)
	if err != nil {
		return t, err
	}
	t.NextAttempt, t.LastError.At, t.LastStarted, t.LastSuccess, t.FirstSuccess = next.Time, failed.Time, started.Time, success.Time, first.Time
	return t, t.Reads.UnmarshalText([]byte(reads))
}

// Tasks lists the sync tasks of a connection of the user, by account and scope; all the user's when connectionID is "".
func (r Reader) Tasks(ctx context.Context, userID, connectionID string) (_ []finance.SyncTask, err error) {
	defer doing("read tasks", &err)
	return collect(ctx, r.from, func(row scanner) (finance.SyncTask, error) { return scanTask(row) },
		`SELECT `+taskColumns+` FROM sync_task k WHERE k.user_id = $1 AND ($2 = '' OR k.connection_id = $2) ORDER BY k.account_id, k.scope DESC`, userID,
		connectionID)
}

// scheduleTasks makes the tasks of an account due now and restarts their runs: continuation keys belong to the session that ended.
func scheduleTasks(ctx context.Context, tx *sqlite.Tx, a finance.Account) error {
	state := finance.TaskWaiting
	if a.UID == "" {
		state = finance.TaskStopped
	}
	for _, scope := range finance.Scopes() {
		_, err := tx.ExecContext(ctx, `INSERT INTO sync_task (id, user_id, connection_id, account_id, scope, state, next_attempt_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (account_id, scope) DO UPDATE SET connection_id = excluded.connection_id, state = excluded.state, next_attempt_at = excluded.next_attempt_at,
				lease = '', lease_until = NULL, in_run = 0, continuation_key = '', date_from = '', attempts = 0, reads = '',
				last_error_code = '', last_error_message = '', last_error_request = '', last_error_at = NULL`,
			finance.NewID(), a.UserID, a.ConnectionID, a.ID, scope, state, sqlite.At(tx.Now))
		if err != nil {
			return err
		}
	}
	return nil
}

// SyncNow makes waiting tasks of a connection of the user due, those with the ids. It returns how many are due. finance.ErrNotFound when the connection
// is not the user's.
func (s *Store) SyncNow(ctx context.Context, userID, connectionID string, ids []string) (due int, err error) {
	defer doing("make tasks due", &err)
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		due = 0
		var one int
		if err := tx.QueryRowContext(ctx, `SELECT 1 FROM connection WHERE id = $1 AND user_id = $2`, connectionID, userID).Scan(&one); err != nil {
			return notFound(err)
		}
		for _, id := range ids {
			err := changed(tx.ExecContext(ctx, `UPDATE sync_task SET next_attempt_at = $1 WHERE id = $2 AND connection_id = $3 AND user_id = $4 AND state = 'waiting'`,
				sqlite.At(tx.Now), id, connectionID, userID))
			switch {
			case err == nil:
				due++
			case !errors.Is(err, finance.ErrNotFound):
				return err
			}
		}
		return nil
	})
	return due, err
}

// Claim is a sync task that the caller holds until its lease runs out, with all it takes to run it.
type Claim struct {
	Task            finance.SyncTask
	Account         finance.Account
	ProviderID      string
	ASPSP           openbanking.ASPSP
	ContinuationKey finance.Secret   // "" at the start of a run
	LastBooked      openbanking.Date // newest booking date held, "" when there is none
	Counted         bool             // the last of Task.Reads is that of this claim
	lease           string
}

// perProvider is how many tasks of a provider are at work at the same time: one that does not answer holds up no other, and its answers need no more
// memory than those of two tasks.
const perProvider = 2

// full are the providers of which no further task can be claimed at the time $1.
const full = `(SELECT f.provider_id FROM sync_task h JOIN connection f ON f.id = h.connection_id WHERE h.state = 'running' AND h.lease_until > $1
	GROUP BY f.provider_id HAVING COUNT(*) >= $2)`

// ClaimTask takes one task that is due, or whose holder vanished, for the length of a lease, but of each provider only two at a time. Without one, ok
// is false and next is when the next one will be due, zero when there is none. A task whose continuation key does not open is claimed as well,
// without the key and with ErrSealed: it cannot go on, so fail it with a restart.
func (s *Store) ClaimTask(ctx context.Context, lease time.Duration) (c Claim, ok bool, next time.Time, err error) {
	defer doing("claim task", &err)
	// Looking first costs no write lock when nothing is due.
	next, err = s.nextTask(ctx)
	if err != nil || next.IsZero() || next.After(time.Now()) {
		return Claim{}, false, next, err
	}
	var broken error
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		c, ok, broken = Claim{lease: finance.NewID()}, false, nil
		var id string
		err := tx.QueryRowContext(ctx, `UPDATE sync_task SET state = 'running', lease = $3, lease_until = $4,
				last_started_at = CASE WHEN in_run = 1 THEN last_started_at ELSE $1 END
			WHERE id = (SELECT k.id FROM sync_task k JOIN connection c ON c.id = k.connection_id
				WHERE (k.state = 'waiting' AND k.next_attempt_at <= $1 OR k.state = 'running' AND k.lease_until <= $1) AND c.provider_id NOT IN `+full+`
				ORDER BY k.next_attempt_at, k.scope LIMIT 1)
			RETURNING id`, sqlite.At(tx.Now), perProvider, c.lease, sqlite.At(tx.Now.Add(lease))).Scan(&id)
		if errors.Is(notFound(err), finance.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		ok = true
		sealed, err := loadClaim(ctx, tx, id, &c)
		if err != nil {
			return err
		}
		key, err := s.key.open(sealed, "sync_task", "continuation_key", id)
		c.ContinuationKey, broken = finance.Secret(key), err
		return nil // the claim stays, so that the task fails under its own id and holds up no other
	})
	if err != nil {
		return Claim{}, false, time.Time{}, err
	}
	if ok {
		return c, true, time.Time{}, broken
	}
	return Claim{}, false, time.Now().Add(time.Second), nil // somebody was quicker
}

// loadClaim fills in a claim but for its continuation key, which it returns sealed.
func loadClaim(ctx context.Context, tx *sqlite.Tx, id string, c *Claim) (sealed string, err error) {
	c.Task, err = scanTask(tx.QueryRowContext(ctx, `SELECT `+taskColumns+`, k.continuation_key FROM sync_task k WHERE k.id = $1`, id), &sealed)
	if err != nil {
		return "", err
	}
	c.Account, err = scanAccount(tx.QueryRowContext(ctx, `SELECT `+accountColumns+`, c.provider_id, c.aspsp_name, c.country FROM account a JOIN connection c ON c.id = a.connection_id
		WHERE a.id = $1 AND a.user_id = $2`, c.Task.AccountID, c.Task.UserID), &c.ProviderID, &c.ASPSP.Name, &c.ASPSP.Country)
	if err != nil {
		return "", err
	}
	return sealed, tx.QueryRowContext(ctx,
		`SELECT COALESCE((SELECT t.display_date FROM booked_transaction t WHERE t.account_id = $1 ORDER BY t.sort_key DESC LIMIT 1), '')`,
		c.Task.AccountID).Scan(&c.LastBooked)
}

// nextTask is when the next task can be claimed; in the past when one can, zero when there is none.
func (s *Store) nextTask(ctx context.Context) (time.Time, error) {
	var at sqlite.NullTime
	err := s.db.Read().QueryRowContext(ctx, `SELECT MIN(due) FROM (
		SELECT MIN(k.next_attempt_at) AS due FROM sync_task k JOIN connection c ON c.id = k.connection_id WHERE k.state = 'waiting' AND c.provider_id NOT IN `+full+`
		UNION ALL SELECT MIN(lease_until) FROM sync_task WHERE state = 'running')`, sqlite.At(time.Now()), perProvider).Scan(&at)
	return at.Time, err
}

// hold checks, in the transaction of every write of a run, that the task is still the caller's, and lengthens the lease.
func hold(ctx context.Context, tx *sqlite.Tx, c Claim, lease time.Duration) error {
	err := changed(tx.ExecContext(ctx, `UPDATE sync_task SET lease_until = $1 WHERE id = $2 AND state = 'running' AND lease = $3`,
		sqlite.At(tx.Now.Add(lease)), c.Task.ID, c.lease))
	if errors.Is(err, finance.ErrNotFound) {
		return ErrLeaseLost
	}
	return err
}

// CountRead records that a claimed task now reads without the person. ok is false when no further unattended read is allowed: the task is then given back
// until one is.
func (s *Store) CountRead(ctx context.Context, c *Claim, lease time.Duration) (ok bool, err error) {
	defer doing("count a read", &err)
	reads := c.Task.Reads
	err = s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := hold(ctx, tx, *c, lease); err != nil {
			return err
		}
		if ok = c.Task.Reads.Left(tx.Now) > 0; !ok {
			_, err := tx.ExecContext(ctx, `UPDATE sync_task SET state = 'waiting', lease = '', lease_until = NULL, next_attempt_at = $1 WHERE id = $2`,
				sqlite.At(c.Task.Reads.Back(tx.Now)), c.Task.ID)
			return err
		}
		reads = c.Task.Reads.With(tx.Now)
		return saveReads(ctx, tx, c.Task.ID, reads)
	})
	if ok && err == nil {
		c.Task.Reads, c.Counted = reads, true
	}
	return ok, err
}

func saveReads(ctx context.Context, tx *sqlite.Tx, taskID string, reads finance.Reads) error {
	text, err := reads.MarshalText()
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE sync_task SET reads = $1 WHERE id = $2`, string(text), taskID)
	return err
}

// KeepTask lengthens the lease of a claim.
func (s *Store) KeepTask(ctx context.Context, c Claim, lease time.Duration) (err error) {
	defer doing("keep task", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error { return hold(ctx, tx, c, lease) })
}

// ReleaseTask gives a task back untouched, due at once: the run goes on where it is.
func (s *Store) ReleaseTask(ctx context.Context, c Claim) (err error) {
	defer doing("release task", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := hold(ctx, tx, c, 0); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE sync_task SET state = 'waiting', lease = '', lease_until = NULL, next_attempt_at = $1 WHERE id = $2`,
			sqlite.At(tx.Now), c.Task.ID)
		return err
	})
}

// FailTask gives a task back after a failure, to be tried again at next, with the reads of the claim. The run goes on where it is, unless restart.
func (s *Store) FailTask(ctx context.Context, c Claim, failure finance.Failure, next time.Time, restart bool) (err error) {
	defer doing("record failed task", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := hold(ctx, tx, c, 0); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE sync_task SET state = 'waiting', lease = '', lease_until = NULL, next_attempt_at = $1, attempts = attempts + 1,
				last_error_code = $2, last_error_message = $3, last_error_request = $4, last_error_at = $5,
				in_run = CASE WHEN $6 = 1 THEN 0 ELSE in_run END, continuation_key = CASE WHEN $6 = 1 THEN '' ELSE continuation_key END
			WHERE id = $7`,
			sqlite.At(next), failure.Code, failure.Said, failure.RequestID, sqlite.At(tx.Now), flag(restart), c.Task.ID)
		if err != nil {
			return err
		}
		return saveReads(ctx, tx, c.Task.ID, c.Task.Reads)
	})
}

// PauseBank makes the waiting tasks at the bank of a claim due no earlier than until, those of all users: the bank does not answer.
func (s *Store) PauseBank(ctx context.Context, c Claim, until time.Time) (err error) {
	defer doing("pause bank", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE sync_task SET next_attempt_at = $1 WHERE state = 'waiting' AND next_attempt_at < $1
			AND connection_id IN (SELECT c.id FROM connection c WHERE c.provider_id = $2 AND c.aspsp_name = $3 AND c.country = $4)`,
			sqlite.At(until), c.ProviderID, c.ASPSP.Name, c.ASPSP.Country)
		return err
	})
}

// succeed gives a task back after a success.
func succeed(ctx context.Context, tx *sqlite.Tx, c Claim, next time.Time) error {
	_, err := tx.ExecContext(ctx, `UPDATE sync_task SET state = 'waiting', lease = '', lease_until = NULL, next_attempt_at = $1, attempts = 0,
			in_run = 0, continuation_key = '', last_error_code = '', last_error_message = '', last_error_request = '', last_error_at = NULL,
			last_success_at = $2, first_success_at = COALESCE(first_success_at, $2)
		WHERE id = $3`, sqlite.At(next), sqlite.At(tx.Now), c.Task.ID)
	return err
}

// FinishBalances stores the balances of a claimed task and gives it back. An empty list is a success that changes nothing: the last
// good values stay.
func (s *Store) FinishBalances(ctx context.Context, c Claim, balances []finance.Balance, next time.Time) (err error) {
	defer doing("finish balances", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := hold(ctx, tx, c, 0); err != nil {
			return err
		}
		if len(balances) > 0 {
			if err := replaceBalances(ctx, tx, c.Task.AccountID, balances); err != nil {
				return err
			}
			if err := takeReading(ctx, tx, c.Task.UserID, c.Task.AccountID); err != nil {
				return err
			}
		}
		return succeed(ctx, tx, c, next)
	})
}

// FinishDetails stores what the bank says about the account now and gives the task back. Identity and uid stay as the session gave them.
func (s *Store) FinishDetails(ctx context.Context, c Claim, now finance.Account, original []byte, next time.Time) (err error) {
	defer doing("finish details", &err)
	return s.db.Write(ctx, func(tx *sqlite.Tx) error {
		if err := hold(ctx, tx, c, 0); err != nil {
			return err
		}
		// Transfers between accounts are known by the names of their holders, too.
		_, err := tx.ExecContext(ctx, `INSERT INTO transfer_waiting (transaction_id) SELECT t.id FROM account a JOIN booked_transaction t ON t.account_id = a.id
			WHERE a.id = $1 AND a.user_id = $2 AND a.holder <> $3 AND t.counterparty_account = '' ON CONFLICT DO NOTHING`, c.Task.AccountID, c.Task.UserID, now.Holder)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE account SET holder = $1, details = $2, product = $3, type = $4, usage = $5, credit_limit = $6, original = $7
			WHERE id = $8 AND user_id = $9`,
			now.Holder, now.Details, now.Product, now.Type, now.Usage, now.CreditLimit, string(original), c.Task.AccountID, c.Task.UserID)
		if err != nil {
			return err
		}
		return succeed(ctx, tx, c, next)
	})
}
