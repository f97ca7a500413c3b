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
}

// First reports whether the task has never succeeded: the first sync of its account and scope.
func (t SyncTask) First() bool { return t.FirstSuccess.IsZero() }

// Busy reports whether the task is at work or about to be at time now.
func (t SyncTask) Busy(now time.Time) bool {
	return t.State == TaskRunning || t.State == TaskWaiting && t.LastError.Code == "" && !t.NextAttempt.After(now)
}
