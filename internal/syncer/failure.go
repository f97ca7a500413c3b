package syncer

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/store"
)

// fail records why a task failed and when it is tried again. When the refusal may be due to the end of the session, it ends the connection after GET
// /sessions has confirmed that.
func (s *Syncer) fail(ctx context.Context, c store.Claim, cause error) error {
	if doubtsSession(cause) {
		ended, err := s.look(ctx, c.Task.UserID, c.Task.ConnectionID)
		if err != nil {
			s.log.Warn("status of a session not known", "connection", c.Task.ConnectionID, "error", err)
		}
		if ended {
			return nil
		}
	}
	now := time.Now()
	failure := finance.FailureOf(cause)
	failure.At = now
	next := nextAttempt(cause, c.Task.Attempts+1, now)
	if errors.Is(cause, openbanking.ASPSPPSUActionRequired) { // only the person can solve it, a retry cannot
		next = nextRun(c.Task, now)
	}
	if c.Counted && nothingRead(cause, c.Task) {
		c.Task.Reads = c.Task.Reads.Without()
	}
	level := s.log.Info
	if failure.Code == finance.FailureInternal {
		level = s.log.Error
	}
	level("sync task failed", "task", c.Task.ID, "scope", c.Task.Scope, "code", failure.Code, "request_id", failure.RequestID, "attempts", c.Task.Attempts+1,
		"next", next, "error", cause)
	restart := errors.Is(cause, finance.FailureEndless) || errors.Is(cause, openbanking.WrongContinuationKey) || errors.Is(cause, store.ErrSealed)
	if err := s.store.FailTask(ctx, c, failure, next, restart); err != nil {
		return err
	}
	return s.pause(ctx, c, cause)
}

// nothingRead reports whether a failed read returned no data, so that it does not count.
func nothingRead(err error, t finance.SyncTask) bool {
	var useless *unreadable
	return t.Pages == 0 && !errors.As(err, &useless)
}

// pauses are for how long all tasks of a bank wait after it has not answered two or more calls in a row, so that not every task has to time out.
var pauses = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}

// pause delays all tasks of a bank that has not answered twice in a row.
func (s *Syncer) pause(ctx context.Context, c store.Claim, cause error) error {
	var answer *openbanking.Error
	switch {
	case errors.As(cause, &answer):
		s.heard(c)
		return nil
	case ours(cause):
		return nil
	}
	s.mu.Lock()
	s.silent[bankOf(c)]++
	n := s.silent[bankOf(c)]
	s.mu.Unlock()
	if n < 2 {
		return nil
	}
	wait := step(pauses, n-1)
	s.log.Info("bank does not answer: its tasks pause", "provider", c.ProviderID, "bank", c.ASPSP.Name, "country", c.ASPSP.Country, "calls", n, "pause", wait)
	return s.store.PauseBank(ctx, c, time.Now().Add(wait))
}

// heard records that a bank has answered.
func (s *Syncer) heard(c store.Claim) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.silent, bankOf(c))
}

func bankOf(c store.Claim) string { return c.ProviderID + "\n" + c.ASPSP.Country + "\n" + c.ASPSP.Name }

// doubtsSession reports whether an error may mean that the session has ended: one of its codes, or a refusal to read the account, with which some services
// answer for an account of an old session (api-notes 5). The error alone does not end the connection (api-notes 10).
func doubtsSession(err error) bool {
	var e *openbanking.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.HTTPStatus() {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return true
	}
	_, over := overBy(err)
	return over || errors.Is(err, openbanking.ASPSPAccountNotAccessible)
}

// overBy returns the status of a connection whose session has ended with this error.
func overBy(err error) (status finance.ConnectionStatus, over bool) {
	switch {
	case errors.Is(err, openbanking.ExpiredSession):
		return finance.ConnectionExpired, true
	case errors.Is(err, openbanking.RevokedSession):
		return finance.ConnectionRevoked, true
	case errors.Is(err, openbanking.ClosedSession):
		return finance.ConnectionClosed, true
	}
	return "", false
}

// look asks the service for the state of the session, which does not count as a read at the bank, and ends the connection when the session has ended.
func (s *Syncer) look(ctx context.Context, userID, connectionID string) (ended bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookIn)
	defer cancel()
	connection, err := s.store.Connection(ctx, userID, connectionID)
	if err != nil {
		return false, err
	}
	id, err := s.store.SessionID(ctx, userID, connectionID)
	if err != nil {
		return false, err
	}
	if id == "" || connection.Status != finance.ConnectionActive { // the connection has ended or was renewed meanwhile
		return true, nil
	}
	provider, err := s.store.Provider(ctx, connection.ProviderID)
	if err != nil {
		return false, err
	}
	api, err := s.connect(ctx, provider)
	if err != nil {
		return false, err
	}
	var status finance.ConnectionStatus
	var closed time.Time
	session, err := api.Session(ctx, id.Reveal())
	if err == nil {
		status, _ = finance.StatusOfSession(session.Status)
		if session.Closed != nil {
			closed = session.Closed.Time
		}
	} else if over, ok := overBy(err); ok { // a service may answer even this question with the error
		status = over
	} else {
		return false, err
	}
	if status == "" || status == finance.ConnectionActive {
		return false, s.store.SaveLook(ctx, userID, connectionID)
	}
	err = s.store.EndSession(ctx, userID, connectionID, id, status, connection.EndOfSession(status, closed, time.Now()))
	if errors.Is(err, finance.ErrNotFound) { // it has ended or was renewed meanwhile
		return true, nil
	}
	if err != nil {
		return false, err
	}
	s.log.Info("connection ended", "connection", connectionID, "status", status)
	return true, nil
}

// ours reports whether an error occurred in Florin and not on the way to the service.
func ours(err error) bool {
	var net interface{ Timeout() bool } // implemented by net.Error, url errors and deadlines
	return !errors.As(err, &net)
}

// The waits after failures in a row (api-notes 6: after ASPSP_ERROR 1 minute, then 1, 2 and 4 hours). A service that does not answer is usually back soon.
var (
	bankWaits    = []time.Duration{time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour}
	serviceWaits = []time.Duration{15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour}
	limitWaits   = []time.Duration{time.Hour, 6 * time.Hour}
)

// nextAttempt returns when a task is tried again after its n-th failure in a row: at the time in the answer, else depending on the kind of failure.
func nextAttempt(err error, n int, now time.Time) time.Time {
	var e *openbanking.Error
	if !errors.As(err, &e) {
		return now.Add(step(serviceWaits, n))
	}
	if e.RetryAfter.After(now) {
		return e.RetryAfter
	}
	if errors.Is(err, openbanking.ASPSPRateLimitExceeded) || e.HTTPStatus() == http.StatusTooManyRequests {
		return now.Add(step(limitWaits, n))
	}
	return now.Add(step(bankWaits, n))
}

// step returns the n-th wait, counted from 1; the last one repeats.
func step(waits []time.Duration, n int) time.Duration { return waits[min(max(n, 1), len(waits))-1] }

// plan decides what a new run fetches: the first run as far back as the bank allows, later ones from some days before the newest stored row. A recent row
// that the last run missed is fetched once more, because one answer may have lacked it and later runs will not include its day. No date is after now, even if
// the clock was wrong when the rows came.
func plan(t finance.SyncTask, lastBooked, missed openbanking.Date, now time.Time) (openbanking.TransactionsFetchStrategy, openbanking.Date) {
	today := openbanking.DateOf(now)
	newest, err := lastBooked.Time()
	if t.First() || err != nil {
		if t.DateFrom > today {
			return openbanking.TransactionsFetchStrategyLongest, ""
		}
		return openbanking.TransactionsFetchStrategyLongest, t.DateFrom // after a failed first run the period that the bank accepts is known
	}
	for _, latest := range []time.Time{t.LastSuccess, now} { // a row may have a date in the future
		if latest.Before(newest) {
			newest = latest
		}
	}
	from := openbanking.DateOf(newest.AddDate(0, 0, -overlap))
	if missed != "" && missed < from && t.Attempts == 0 { // a bank that refuses is not asked for more than usual
		from = max(missed, min(from, openbanking.DateOf(now.AddDate(0, 0, -shortest))))
	}
	return openbanking.TransactionsFetchStrategyDefault, from
}

// ladder are the periods in days that are tried one after another when a bank refuses a longer one.
var ladder = []int{365, 180, 90, 89, 30}

// narrower returns the start of a shorter period after WRONG_TRANSACTIONS_PERIOD: the date that the bank names when it is later than from, else the next step
// of the ladder. It returns false at the end of the ladder.
func narrower(err error, from openbanking.Date, now time.Time) (openbanking.Date, bool) {
	var e *openbanking.Error
	if errors.As(err, &e) {
		var detail struct {
			DateFrom openbanking.Date `json:"date_from"`
		}
		if json.Unmarshal(e.Detail, &detail) == nil {
			if _, err := detail.DateFrom.Time(); err == nil && detail.DateFrom > from && detail.DateFrom <= openbanking.DateOf(now) {
				return detail.DateFrom, true
			}
		}
	}
	i := slices.IndexFunc(ladder, func(days int) bool { return openbanking.DateOf(now.AddDate(0, 0, -days)) > from })
	if i < 0 {
		return "", false
	}
	return openbanking.DateOf(now.AddDate(0, 0, -ladder[i])), true
}

// shortest is the period in days that is tried when a bank fails with a long one without naming the reason (api-notes 10).
const shortest = 89

// brokenByPeriod reports whether the length of the period may be the cause of a failure: the bank was asked for its whole history, and has failed before.
// After a single failure the bank is more likely down, and a shorter history would lose rows for nothing.
func brokenByPeriod(err error, t finance.SyncTask) bool {
	return errors.Is(err, openbanking.ASPSPError) && t.First() && t.Attempts > 0 && t.DateFrom == "" && t.Pages == 0
}
