package finance

import (
	"slices"
	"testing"
	"time"
)

// RTS 2018/389, article 36(5)(b): whatever happens, a schedule that reads in each of its slots leaves one read of four to the person.
func TestScheduleKeepsARead(t *testing.T) {
	t.Parallel()
	for _, scope := range Scopes() {
		var reads Reads
		now := time.Date(2026, 3, 9, 3, 30, 0, 0, time.UTC) // linked a moment before a slot
		for range 40 {
			reads = reads.With(now)
			if len(reads) > MostReads-KeptReads {
				t.Fatalf("%s: %v", scope, reads)
			}
			next := reads.NextSlot(now, scope, 0.5)
			if wait := next.Sub(now); wait < 2*time.Hour || wait > 36*time.Hour || next.Minute() != 30 || !slices.Contains([]int{4, 12, 20}, next.Hour()) ||
				scope == ScopeDetails && next.Hour() != 4 {
				t.Fatalf("%s: after %v comes %v", scope, now, next)
			}
			now = next
		}
		if scope != ScopeDetails && len(reads) != MostReads-KeptReads {
			t.Errorf("%s: %d reads a day", scope, len(reads))
		}
	}
	// What the person used up is made up for by the schedule.
	now := time.Date(2026, 3, 9, 19, 0, 0, 0, time.UTC)
	used := Reads{now.Add(-3 * time.Hour), now.Add(-2 * time.Hour), now.Add(-time.Hour), now}
	if next, want := used.NextSlot(now, ScopeBalances, 0), time.Date(2026, 3, 10, 20, 0, 0, 0, time.UTC); !next.Equal(want) {
		t.Errorf("%v, want %v", next, want)
	}
}

func TestReadsThatAreLeft(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 9, 8, 0, 0, 0, time.UTC)
	hours := func(ago ...int) (r Reads) {
		for _, h := range ago {
			r = append(r, now.Add(-time.Duration(h)*time.Hour))
		}
		return r
	}
	for _, c := range []struct {
		reads Reads
		left  int
		back  time.Time
	}{
		{nil, 4, time.Time{}},
		{hours(1), 3, now.Add(23 * time.Hour)},
		{hours(23, 5, 1), 1, now.Add(time.Hour)},
		{hours(23, 20, 5, 1), 0, now.Add(time.Hour)},
		{hours(25, 23, 20, 5, 1), 0, now.Add(time.Hour)},
		{hours(24, 5), 3, now.Add(19 * time.Hour)},
		{hours(-3, -2, -1), 4, time.Time{}}, // by a clock that was ahead
	} {
		if left, back := c.reads.Left(now), c.reads.Back(now); left != c.left || !back.Equal(c.back) {
			t.Errorf("%v: %d, %v", c.reads, left, back)
		}
	}
	text, err := hours(5, 1).MarshalText()
	var again Reads
	if err := again.UnmarshalText(text); err != nil || !slices.EqualFunc(again, hours(5, 1), time.Time.Equal) {
		t.Errorf("%s is read as %v, %v", text, again, err)
	}
	if err != nil || again.UnmarshalText(nil) != nil || again != nil || len(hours(1).Without().Without()) != 0 {
		t.Error(err, again)
	}
}

func TestStaleTasks(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 9, 8, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	task := func(last time.Duration, change ...func(*SyncTask)) SyncTask {
		t := SyncTask{Scope: ScopeBalances, State: TaskWaiting, NextAttempt: now.Add(time.Hour), LastStarted: ago(last), LastSuccess: ago(last),
			FirstSuccess: ago(last)}
		for _, c := range change {
			c(&t)
		}
		return t
	}
	failed := func(code FailureCode) func(*SyncTask) {
		return func(t *SyncTask) { t.LastError = Failure{Code: code, At: t.LastStarted} }
	}
	for name, c := range map[string]struct {
		task                 SyncTask
		attended, unattended bool
	}{
		"fresh":              {task(14 * time.Minute), false, false},
		"old":                {task(16 * time.Minute), true, false},
		"very old":           {task(5 * time.Hour), true, true},
		"one read is left":   {task(5*time.Hour, func(t *SyncTask) { t.Reads = Reads{ago(7 * time.Hour), ago(6 * time.Hour), ago(5 * time.Hour)} }), true, false},
		"details":            {task(5*time.Hour, func(t *SyncTask) { t.Scope = ScopeDetails }), false, false},
		"running":            {task(5*time.Hour, func(t *SyncTask) { t.State = TaskRunning }), false, false},
		"due":                {task(5*time.Hour, func(t *SyncTask) { t.NextAttempt = now }), false, false},
		"stopped":            {task(5*time.Hour, func(t *SyncTask) { t.State = TaskStopped }), false, false},
		"limited":            {task(5*time.Hour, failed("ASPSP_RATE_LIMIT_EXCEEDED")), true, false},
		"waits for somebody": {task(5*time.Hour, failed("ASPSP_PSU_ACTION_REQUIRED")), true, false},
		"bank is down":       {task(5*time.Hour, failed("ASPSP_ERROR")), false, false},
		"tried a moment ago": {task(5*time.Hour, func(t *SyncTask) { t.LastStarted = ago(time.Minute) }), false, false},
	} {
		if a, u := c.task.Stale(now, true, 15*time.Minute), c.task.Stale(now, false, 15*time.Minute); a != c.attended || u != c.unattended {
			t.Errorf("%s: attended %t, unattended %t", name, a, u)
		}
		if c.task.Stale(now, true, 0) {
			t.Errorf("%s: it is turned off", name)
		}
	}
}
