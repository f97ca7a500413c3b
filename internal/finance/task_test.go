package finance

import (
	"testing"
	"time"

	"florin/internal/openbanking"
)

// A task that is due is about to run, also one that failed before: the page that a person comes to after a refresh waits for what it brings.
func TestBusy(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	failed := Failure{Code: FailureCode(openbanking.ASPSPPSUActionRequired), At: now.Add(-time.Hour)}
	for name, c := range map[string]struct {
		task SyncTask
		want bool
	}{
		"due":             {SyncTask{State: TaskWaiting, NextAttempt: now}, true},
		"due, had failed": {SyncTask{State: TaskWaiting, NextAttempt: now, LastError: failed}, true},
		"failed":          {SyncTask{State: TaskWaiting, NextAttempt: now.Add(time.Minute), LastError: failed}, false},
		"later":           {SyncTask{State: TaskWaiting, NextAttempt: now.Add(time.Minute)}, false},
		"at work":         {SyncTask{State: TaskRunning, NextAttempt: now.Add(time.Minute), LastError: failed}, true},
		"stopped":         {SyncTask{State: TaskStopped, NextAttempt: now}, false},
	} {
		if got := c.task.Busy(now); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
