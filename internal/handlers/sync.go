package handlers

import (
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// syncState is how a connection's syncs stand, in words. It is calculated in one place, for pages and for live fragments.
type syncState struct {
	clock      clock
	connection finance.Connection
	state      finance.ConnectionStatus
	tasks      []finance.SyncTask // of the connection
	busy       bool               // a task is at work, or about to be
	first      bool               // of the busy ones, one has never succeeded
	updated    time.Time          // last success of any task; zero before the first
}

func newSyncState(c clock, connection finance.Connection, tasks []finance.SyncTask) syncState {
	s := syncState{clock: c, connection: connection, state: connection.State(c.now)}
	for _, t := range tasks {
		if t.ConnectionID != connection.ID {
			continue
		}
		s.tasks = append(s.tasks, t)
		if t.LastSuccess.After(s.updated) {
			s.updated = t.LastSuccess
		}
		if s.active() && t.Busy(c.now) {
			s.busy = true
			s.first = s.first || t.First()
		}
	}
	return s
}

func (s syncState) active() bool { return s.state == finance.ConnectionActive }

// failed lists the tasks whose last attempt failed.
func (s syncState) failed() []finance.SyncTask {
	var failed []finance.SyncTask
	for _, t := range s.tasks {
		if t.LastError.Code != "" && t.State != finance.TaskStopped {
			failed = append(failed, t)
		}
	}
	return failed
}

// working counts the tasks that are not stopped.
func (s syncState) working() int {
	n := 0
	for _, t := range s.tasks {
		if t.State != finance.TaskStopped {
			n++
		}
	}
	return n
}

// badge is the state of the syncs. What is the bank's fault, or a limit of the bank, is neither a success nor a failure of Florin's (pains 6 and 26).
func (s syncState) badge() ui.Badge {
	failed := s.failed()
	switch {
	case !s.active():
		return ui.Badge{Text: "Not updated"}
	case s.busy && s.first:
		return ui.Badge{Tone: ui.Busy, Text: "First sync"}
	case s.busy:
		return ui.Badge{Tone: ui.Busy, Text: "Syncing"}
	case len(s.tasks) == 0:
		return ui.Badge{Text: "Nothing to fetch"}
	case s.working() == 0:
		return ui.Badge{Tone: ui.Warning, Text: "Not accessible"}
	case len(failed) == 0:
		return ui.Badge{Tone: ui.Good, Text: "Up to date"}
	case all(failed, limited):
		return ui.Badge{Tone: ui.Warning, Text: "Limit of the bank reached"}
	case all(failed, bankFault):
		return ui.Badge{Tone: ui.Warning, Text: "Problem at the bank"}
	case len(failed) < s.working():
		return ui.Badge{Tone: ui.Warning, Text: "Partly updated"}
	}
	return ui.Badge{Tone: ui.Bad, Text: "Sync failed"}
}

// note says when the last sync was and when the next one will be.
func (s syncState) note() string {
	if s.busy {
		var started time.Time
		for _, t := range s.tasks {
			if t.Busy(s.clock.now) && t.LastStarted.After(started) {
				started = t.LastStarted
			}
		}
		if started.IsZero() {
			return "About to start."
		}
		return "Started " + s.clock.when(started) + "."
	}
	if len(s.tasks) == 0 {
		return "It keeps no account of its own."
	}
	note := "Never updated."
	if !s.updated.IsZero() {
		note = "Updated " + s.clock.when(s.updated) + "."
	}
	if !s.active() {
		if !s.updated.IsZero() {
			note = "Last updated " + s.clock.when(s.updated) + "."
		}
		return note
	}
	if next := s.next(); !next.IsZero() {
		note += " Next " + s.clock.when(next) + "."
	}
	return note
}

// next is when the first task will run again; zero when none will.
func (s syncState) next() time.Time {
	var next time.Time
	for _, t := range s.tasks {
		if t.State == finance.TaskWaiting && (next.IsZero() || t.NextAttempt.Before(next)) {
			next = t.NextAttempt
		}
	}
	return next
}

// blocked says why asking for a sync now cannot help; "" when it can.
func (s syncState) blocked() string {
	switch {
	case s.busy:
		return "A sync is running already."
	case s.working() == 0:
		return "" // it finds out whether the consent is still good, and no schedule does
	}
	failed := s.failed()
	next := "Florin asks again by itself"
	if at := s.next(); at.After(s.clock.now) {
		next += " " + s.clock.when(at)
	}
	switch {
	case len(failed) == s.working() && all(failed, limited):
		return "The bank allows no more reads for now. " + next + "."
	case len(failed) == s.working() && all(failed, bankFault):
		return "The bank has a problem, and asking again now would only use up the reads it allows. " + next + "."
	}
	return ""
}

// nothing says why there is nothing to fetch; "" when there is something.
func (s syncState) nothing() string {
	switch {
	case len(s.tasks) == 0:
		return "There is nothing to fetch through this connection."
	case s.working() == 0:
		return "The bank gives no data of these accounts."
	}
	return ""
}

func limited(t finance.SyncTask) bool {
	return t.LastError.Code == string(openbanking.ASPSPRateLimitExceeded)
}

func bankFault(t finance.SyncTask) bool {
	return t.LastError.Code == string(openbanking.ASPSPError) || t.LastError.Code == string(openbanking.ASPSPTimeout)
}

// progress is the running sync, with one line for each account; nil when none runs. accounts are those of the connection.
func (s syncState) progress(id string, accounts []finance.Account) *ui.Progress {
	if !s.busy {
		return nil
	}
	p := &ui.Progress{ID: id, Note: "You can leave this page; it goes on by itself."}
	done, rows := 0, int64(0)
	for _, account := range accounts {
		step := ui.Step{Tone: ui.Good, Text: account.Title(), Note: "done"}
		working := 0
		for _, t := range s.tasks {
			if t.AccountID != account.ID || t.State == finance.TaskStopped {
				continue
			}
			working++
			p.Total++
			if t.Scope == finance.ScopeTransactions {
				rows += t.RowsSeen
			}
			switch {
			case !t.Busy(s.clock.now):
				p.Done++
				if t.LastError.Code != "" && step.Tone == ui.Good {
					step.Tone, step.Note = ui.Warning, "partly: see the connection"
				}
			case t.State == finance.TaskRunning:
				step.Tone, step.Note = ui.Busy, runningNote(t)
			case step.Tone != ui.Busy:
				step.Tone, step.Note = ui.Plain, "waiting"
			}
		}
		if working == 0 {
			continue // nothing can be fetched
		}
		if step.Tone == ui.Good || step.Tone == ui.Warning {
			done++
		}
		p.Steps = append(p.Steps, step)
	}
	what := "Sync"
	if s.first {
		what = "First sync"
	}
	p.Title = what + ": " + count(int64(done)) + " of " + plural(len(p.Steps), "account")
	if rows > 0 {
		p.Note = plural(rows, "transaction") + " so far. " + p.Note
	}
	return p
}

func runningNote(t finance.SyncTask) string {
	if t.Scope == finance.ScopeTransactions && t.RowsSeen > 0 {
		return plural(t.RowsSeen, "transaction") + " so far"
	}
	return string(t.Scope)
}

// consent says how long access lasts; always visible (pain 4).
func (s syncState) consent() ui.Badge {
	switch s.state {
	case finance.ConnectionExpired:
		return ui.Badge{Tone: ui.Bad, Text: "Consent ended"}
	case finance.ConnectionRevoked:
		return ui.Badge{Tone: ui.Bad, Text: "Consent withdrawn"}
	case finance.ConnectionClosed:
		return ui.Badge{Tone: ui.Bad, Text: "Consent closed"}
	case finance.ConnectionDisconnected:
		return ui.Badge{Text: "Disconnected"}
	}
	days := -s.clock.daysAgo(s.connection.ValidUntil) // by the calendar, like the date beside it
	b := ui.Badge{Text: plural(days, "day") + " left"}
	switch {
	case s.connection.DaysLeft(s.clock.now) == 0:
		b.Text = "Ends " + s.clock.when(s.connection.ValidUntil)
		b.Tone = ui.Warning
	case s.connection.DaysLeft(s.clock.now) <= renewWithin:
		b.Tone = ui.Warning
	}
	return b
}

// renewWithin is how many days before its end a consent asks to be renewed.
const renewWithin = 14

// failure is what is wrong with the connection as a whole; nil when nothing is.
func (s syncState) failure() *pages.Failure {
	code := map[finance.ConnectionStatus]openbanking.ErrorCode{
		finance.ConnectionExpired: openbanking.ExpiredSession,
		finance.ConnectionRevoked: openbanking.RevokedSession,
		finance.ConnectionClosed:  openbanking.ClosedSession,
	}[s.state]
	if code != "" {
		f := pages.Explain(string(code), bankName(s.connection.ASPSP.Name))
		return &f
	}
	return nil
}

// todo is what the connection needs of the person; nil when it needs nothing.
func (s syncState) todo() *ui.Notice {
	name := bankName(s.connection.ASPSP.Name)
	switch {
	case s.state == finance.ConnectionDisconnected:
		return nil
	case !s.active():
		return &ui.Notice{Tone: ui.Warning, Title: name + " is not updated any more", Text: "Its consent has ended. Link it again: the accounts are recognised and their history goes on.",
			Action: ui.Link{Text: "Reconnect", Href: againPath(s.connection)}}
	case s.connection.DaysLeft(s.clock.now) <= renewWithin:
		return &ui.Notice{Tone: ui.Warning, Title: "The consent of " + name + " ends " + s.clock.when(s.connection.ValidUntil),
			Text:   "Renew it now: it keeps working until the new one is confirmed.",
			Action: ui.Link{Text: "Renew", Href: againPath(s.connection)}}
	}
	for _, t := range s.failed() {
		if f := pages.Explain(t.LastError.Code, name); f.Who == pages.You && !s.busy {
			return &ui.Notice{Tone: ui.Warning, Title: f.Title, Text: f.What + " " + f.Next, Code: f.Code,
				Action: ui.Link{Text: "Open the connection", Href: connectionPath(s.connection)}}
		}
	}
	return nil
}

// scopes is the last result of an account, kind by kind (pain 9).
func (s syncState) scopes(accountID string) []ui.Step {
	var steps []ui.Step
	for _, scope := range finance.Scopes() {
		i := slices.IndexFunc(s.tasks, func(t finance.SyncTask) bool { return t.AccountID == accountID && t.Scope == scope })
		if i < 0 {
			continue
		}
		steps = append(steps, s.step(s.tasks[i]))
	}
	return steps
}

func (s syncState) step(t finance.SyncTask) ui.Step {
	name := map[finance.Scope]string{finance.ScopeDetails: "Details", finance.ScopeBalances: "Balances", finance.ScopeTransactions: "Transactions"}[t.Scope]
	step := ui.Step{Text: name, Note: "never yet"}
	if !t.LastSuccess.IsZero() {
		step.Tone, step.Note = ui.Good, s.clock.brief(t.LastSuccess)
	}
	switch {
	case t.State == finance.TaskStopped || !s.active():
		step.Tone = ui.Plain
		switch {
		case !t.LastSuccess.IsZero():
			step.Note = "last " + step.Note
		case s.active():
			step.Note = "not accessible"
		}
		return step
	case t.LastError.Code != "":
		f := pages.Explain(t.LastError.Code, bankName(s.connection.ASPSP.Name))
		step.Tone, step.Code = ui.Warning, t.LastError.Code
		if f.Who == pages.Operator {
			step.Tone = ui.Bad
		}
		step.Text = name + ": " + f.Title + ". " + f.Next
		step.Note = "last good: " + step.Note
		if t.LastError.RequestID != "" {
			step.Note += ", request id " + t.LastError.RequestID
		}
		return step
	case t.Busy(s.clock.now):
		step.Tone, step.Note = ui.Busy, "now"
		if t.Scope == finance.ScopeTransactions && t.RowsSeen > 0 {
			step.Note = plural(t.RowsSeen, "row") + " so far"
		}
		return step
	}
	if t.Scope == finance.ScopeTransactions && t.RowsNew > 0 {
		step.Note = count(t.RowsNew) + " new, " + step.Note
	}
	if t.RowsRefused > 0 {
		step.Tone = ui.Warning
		step.Note += ", " + plural(t.RowsRefused, "row") + " could not be read"
	}
	return step
}

func all[T any](list []T, is func(T) bool) bool {
	return !slices.ContainsFunc(list, func(v T) bool { return !is(v) })
}
