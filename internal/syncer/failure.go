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

// fail records why a task failed and when it is tried again. A refusal that may come of the end of the session ends the connection, once
// GET /sessions agrees.
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
	if errors.Is(cause, openbanking.ASPSPPSUActionRequired) { // it works when the person is there, which asking again does not change
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

// nothingRead reports whether a read that failed brought nothing, so that it does not count.
func nothingRead(err error, t finance.SyncTask) bool {
	var useless *unreadable
	return t.Pages == 0 && !errors.As(err, &useless)
}

// pauses are the pauses of all tasks at a bank that has not answered for two or more calls in a row, so that not every task has to find that out by itself.
var pauses = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}

// pause puts off all tasks at a bank that did not answer twice in a row.
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

// heard notes that a bank has answered.
func (s *Syncer) heard(c store.Claim) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.silent, bankOf(c))
}

func bankOf(c store.Claim) string { return c.ProviderID + "\n" + c.ASPSP.Country + "\n" + c.ASPSP.Name }

// doubtsSession reports whether an error may mean that the session is over: one of its codes, or that the service or the bank does not let the
// account be read, which is how some services speak of an account of an old session (api-notes 5). By itself it ends nothing (api-notes 10).
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

// overBy is how a connection ends by the code of a session that is over.
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

// look asks the service for the state of the session, which costs no read at the bank, and ends the connection when it is over.
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
	if id == "" || connection.Status != finance.ConnectionActive { // somebody was quicker
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
	} else if over, ok := overBy(err); ok { // a service may refuse the question itself
		status = over
	} else {
		return false, err
	}
	if status == "" || status == finance.ConnectionActive {
		return false, s.store.SaveLook(ctx, userID, connectionID)
	}
	err = s.store.EndSession(ctx, userID, connectionID, id, status, connection.EndOfSession(status, closed, time.Now()))
	if errors.Is(err, finance.ErrNotFound) { // somebody was quicker, or the connection has been renewed
		return true, nil
	}
	if err != nil {
		return false, err
	}
	s.log.Info("connection ended", "connection", connectionID, "status", status)
	return true, nil
}

// ours reports whether an error arose here and not on the way to the service.
func ours(err error) bool {
	var net interface{ Timeout() bool } // net.Error, url errors and deadlines have it
	return !errors.As(err, &net)
}

// waits after failures in a row (api-notes 6: after ASPSP_ERROR 1 minute, then 1, 2 and 4 hours). A service that does not answer is soon back.
var (
	bankWaits    = []time.Duration{time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour}
	serviceWaits = []time.Duration{15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour}
	limitWaits   = []time.Duration{time.Hour, 6 * time.Hour}
)

// nextAttempt is when a task that failed the n-th time in a row is tried again: when the answer says so, else by the kind of failure.
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

// step is the n-th wait, counted from 1; the last one stays.
func step(waits []time.Duration, n int) time.Duration { return waits[min(max(n, 1), len(waits))-1] }

// plan decides how a new run fetches: the first one as far back as the bank goes, later ones from some days before the newest row held. A row that
// the last run missed is looked for once more, where it is not too old for that: one answer may have lacked it, and later runs will not ask for its
// day. No date lies ahead of now, though the clock may have been wrong when the rows came.
func plan(t finance.SyncTask, lastBooked, missed openbanking.Date, now time.Time) (openbanking.TransactionsFetchStrategy, openbanking.Date) {
	today := openbanking.DateOf(now)
	newest, err := lastBooked.Time()
	if t.First() || err != nil {
		if t.DateFrom > today {
			return openbanking.TransactionsFetchStrategyLongest, ""
		}
		return openbanking.TransactionsFetchStrategyLongest, t.DateFrom // a first run that failed keeps what it learnt about the period
	}
	for _, latest := range []time.Time{t.LastSuccess, now} { // a row dated ahead
		if latest.Before(newest) {
			newest = latest
		}
	}
	from := openbanking.DateOf(newest.AddDate(0, 0, -overlap))
	if missed != "" && missed < from && t.Attempts == 0 { // a bank that refuses is asked for no more than usual
		from = max(missed, min(from, openbanking.DateOf(now.AddDate(0, 0, -shortest))))
	}
	return openbanking.TransactionsFetchStrategyDefault, from
}

// ladder are the periods, in days, that are tried one after another when a bank refuses a longer one.
var ladder = []int{365, 180, 90, 89, 30}

// narrower is the start of the next shorter period after WRONG_TRANSACTIONS_PERIOD: the bank's own date when it names one that is later than what was
// asked for, else the next step of the ladder. It is false at the end of the ladder.
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

// shortest is the period, in days, that is tried when a bank fails over a long one without saying so (api-notes 10).
const shortest = 89

// brokenByPeriod reports whether the length of the period may be the cause of a failure: the bank was asked for its whole history, and not for the first
// time. After a single failure the bank is more often down, and shortening its history would lose rows for nothing.
func brokenByPeriod(err error, t finance.SyncTask) bool {
	return errors.Is(err, openbanking.ASPSPError) && t.First() && t.Attempts > 0 && t.DateFrom == "" && t.Pages == 0
}
