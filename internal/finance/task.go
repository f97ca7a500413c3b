package finance

import (
	"time"

	"florin/internal/openbanking"
)

// Scope is one kind of data that is fetched for an account. Each fails, waits and recovers on its own.
type Scope string

// Values of Scope.
const (
	ScopeDetails      Scope = "details"
	ScopeBalances     Scope = "balances"
	ScopeTransactions Scope = "transactions"
)

// Scopes are all scopes, in the order in which they are shown.
func Scopes() []Scope { return []Scope{ScopeDetails, ScopeBalances, ScopeTransactions} }

// TaskState is the state of a sync task.
type TaskState string

// Values of TaskState.
const (
	TaskWaiting TaskState = "waiting" // until NextAttempt
	TaskRunning TaskState = "running" // somebody holds the lease
	TaskStopped TaskState = "stopped" // the connection has ended, or the account cannot be fetched
)

// SyncTask fetches one scope of one account, over and over. A run of transactions takes many pages, each one transaction in the database; a run that
// was interrupted continues where it stopped.
type SyncTask struct {
	ID           string
	UserID       string
	ConnectionID string
	AccountID    string
	Scope        Scope
	State        TaskState

	Run         int64 // number of the present run, or of the last one
	InRun       bool  // pages have been fetched and the run is not over
	Strategy    openbanking.TransactionsFetchStrategy
	DateFrom    openbanking.Date // "" is as far as the bank goes
	OldestSeen  openbanking.Date // in the run
	Pages       int64            // of the run
	RowsSeen    int64            // of the run
	RowsNew     int64            // of the run
	RowsRefused int64            // of the run: rows that could not be read, an amount that is none for example

	NextAttempt  time.Time
	Attempts     int       // failures in a row
	LastError    Failure   // of the last attempt; its zero value after a success
	LastStarted  time.Time // zero before the first run
	LastSuccess  time.Time // zero before the first success
	FirstSuccess time.Time // zero before the first success

	Reads Reads // without the person
}

// First reports whether the task has never succeeded: the first sync of its account and scope.
func (t SyncTask) First() bool { return t.FirstSuccess.IsZero() }

// Busy reports whether the task is at work or about to be at time now.
func (t SyncTask) Busy(now time.Time) bool {
	return t.State == TaskRunning || t.State == TaskWaiting && !t.NextAttempt.After(now)
}

// Limited reports whether the bank refuses more reads without the person at time now.
func (t SyncTask) Limited(now time.Time) bool {
	return t.LastError.Code == FailureCode(openbanking.ASPSPRateLimitExceeded) && t.NextAttempt.After(now)
}

// Refreshable reports whether the task may run at time now because the person asks for it. attended says that the bank will see that the person is present;
// its limits on unattended reads then do not apply.
func (t SyncTask) Refreshable(now time.Time, attended bool) bool {
	return t.State == TaskWaiting && (attended || !t.Limited(now) && t.Reads.Left(now) > 0)
}

// spareAfter is how old figures have to be before the opening of a page uses up one of the limited unattended reads.
const spareAfter = 4 * time.Hour

// Stale reports whether the data of the task is older than after and is to be read again because the person opens a page that shows it. It is false when
// after is zero. Failures at the bank are left to the schedule.
func (t SyncTask) Stale(now time.Time, attended bool, after time.Duration) bool {
	if after == 0 || t.Scope == ScopeDetails || t.Busy(now) || !t.Refreshable(now, attended) {
		return false
	}
	switch t.LastError.Code {
	case "":
	case FailureCode(openbanking.ASPSPRateLimitExceeded), FailureCode(openbanking.ASPSPPSUActionRequired):
		if !attended {
			return false
		}
	default:
		return false
	}
	if !attended {
		if t.Reads.Left(now) <= KeptReads {
			return false
		}
		after = max(after, spareAfter)
	}
	return now.Sub(t.tried()) >= after
}

// tried returns when the task last started, succeeded or failed. A long run may have started well before its last success or failure.
func (t SyncTask) tried() (last time.Time) {
	for _, at := range []time.Time{t.LastStarted, t.LastSuccess, t.LastError.At} {
		if at.After(last) {
			last = at
		}
	}
	return last
}
