package connections

import (
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/show"
	"florin/internal/openbanking"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// Sync is how a connection's syncs stand, in words. It is calculated in one place, for pages and for live fragments.
type Sync struct {
	Clock      show.Clock
	Connection finance.Connection
	State      finance.ConnectionStatus
	tasks      []finance.SyncTask // of the connection
	Busy       bool               // a task is at work, or about to be
	First      bool               // of the busy ones, one has never succeeded
	updated    time.Time          // last success of any task; zero before the first
}

func NewSync(c show.Clock, connection finance.Connection, tasks []finance.SyncTask) Sync {
	s := Sync{Clock: c, Connection: connection, State: connection.State(c.Now)}
	for _, t := range tasks {
		if t.ConnectionID != connection.ID {
			continue
		}
		s.tasks = append(s.tasks, t)
		if t.LastSuccess.After(s.updated) {
			s.updated = t.LastSuccess
		}
		if s.Active() && t.Busy(c.Now) {
			s.Busy = true
			s.First = s.First || t.First()
		}
	}
	return s
}

func (s Sync) Active() bool { return s.State == finance.ConnectionActive }

// Failed lists the tasks whose last attempt failed.
func (s Sync) Failed() []finance.SyncTask {
	var failed []finance.SyncTask
	for _, t := range s.tasks {
		if t.LastError.Code != "" && t.State != finance.TaskStopped {
			failed = append(failed, t)
		}
	}
	return failed
}

// working counts the tasks that are not stopped.
func (s Sync) working() int {
	n := 0
	for _, t := range s.tasks {
		if t.State != finance.TaskStopped {
			n++
		}
	}
	return n
}

// Badge is the state of the syncs. What is the bank's fault, or a limit of the bank, is neither a success nor a failure of Florin's (pains 6 and 26).
func (s Sync) Badge() ui.Badge {
	failed := s.Failed()
	switch {
	case !s.Active():
		return ui.Badge{Text: "Not updated"}
	case s.Busy && s.First:
		return ui.Badge{Tone: ui.Busy, Text: "First sync"}
	case s.Busy:
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

// Note says when the last sync was and when the next one will be.
func (s Sync) Note() string {
	if s.Busy {
		var started time.Time
		for _, t := range s.tasks {
			if t.Busy(s.Clock.Now) && t.LastStarted.After(started) {
				started = t.LastStarted
			}
		}
		if started.IsZero() {
			return "About to start."
		}
		return "Started " + s.Clock.When(started) + "."
	}
	if len(s.tasks) == 0 {
		return "It keeps no account of its own."
	}
	note := "Never updated."
	if !s.updated.IsZero() {
		note = "Updated " + s.Clock.When(s.updated) + "."
	}
	if !s.Active() {
		if !s.updated.IsZero() {
			note = "Last updated " + s.Clock.When(s.updated) + "."
		}
		return note
	}
	if next := s.next(); !next.IsZero() {
		note += " Next " + s.Clock.When(next) + "."
	}
	return note
}

// next is when the first task will run again; zero when none will.
func (s Sync) next() time.Time {
	var next time.Time
	for _, t := range s.tasks {
		if t.State == finance.TaskWaiting && (next.IsZero() || t.NextAttempt.Before(next)) {
			next = t.NextAttempt
		}
	}
	return next
}

// blocked says why asking for a sync now cannot help; "" when it can.
func (s Sync) blocked() string {
	switch {
	case s.Busy:
		return "A sync is running already."
	case s.working() == 0:
		return "" // it finds out whether the consent is still good, and no schedule does
	}
	failed := s.Failed()
	next := "Florin asks again by itself"
	if at := s.next(); at.After(s.Clock.Now) {
		next += " " + s.Clock.When(at)
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
func (s Sync) nothing() string {
	switch {
	case len(s.tasks) == 0:
		return "There is nothing to fetch through this connection."
	case s.working() == 0:
		return "The bank gives no data of these accounts."
	}
	return ""
}

func limited(t finance.SyncTask) bool {
	return t.LastError.Code == finance.FailureCode(openbanking.ASPSPRateLimitExceeded)
}

func bankFault(t finance.SyncTask) bool {
	return t.LastError.Code == finance.FailureCode(openbanking.ASPSPError) || t.LastError.Code == finance.FailureCode(openbanking.ASPSPTimeout)
}

// Progress is the running sync, with one line for each account; nil when none runs. accounts are those of the connection.
func (s Sync) Progress(id string, accounts []finance.Account) *ui.Progress {
	if !s.Busy {
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
			case !t.Busy(s.Clock.Now):
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
	if s.First {
		what = "First sync"
	}
	p.Title = what + ": " + show.Count(int64(done)) + " of " + show.Plural(len(p.Steps), "account")
	if rows > 0 {
		p.Note = show.Plural(rows, "transaction") + " so far. " + p.Note
	}
	return p
}

func runningNote(t finance.SyncTask) string {
	if t.Scope == finance.ScopeTransactions && t.RowsSeen > 0 {
		return show.Plural(t.RowsSeen, "transaction") + " so far"
	}
	return string(t.Scope)
}

// Consent says how long access lasts; always visible.
func (s Sync) Consent() ui.Badge {
	switch s.State {
	case finance.ConnectionExpired:
		return ui.Badge{Tone: ui.Bad, Text: "Consent ended"}
	case finance.ConnectionRevoked:
		return ui.Badge{Tone: ui.Bad, Text: "Consent withdrawn"}
	case finance.ConnectionClosed:
		return ui.Badge{Tone: ui.Bad, Text: "Consent closed"}
	case finance.ConnectionDisconnected:
		return ui.Badge{Text: "Disconnected"}
	}
	days := -s.Clock.DaysAgo(s.Connection.ValidUntil) // by the calendar, like the date beside it
	b := ui.Badge{Text: show.Plural(days, "day") + " left"}
	switch {
	case s.Connection.DaysLeft(s.Clock.Now) == 0:
		b.Text = "Ends " + s.Clock.When(s.Connection.ValidUntil)
		b.Tone = ui.Warning
	case s.Connection.DaysLeft(s.Clock.Now) <= renewWithin:
		b.Tone = ui.Warning
	}
	return b
}

// renewWithin is how many days before its end a consent asks to be renewed.
const renewWithin = 14

// failure is what is wrong with the connection as a whole; nil when nothing is.
func (s Sync) failure() *pages.Failure {
	code := map[finance.ConnectionStatus]openbanking.ErrorCode{
		finance.ConnectionExpired: openbanking.ExpiredSession,
		finance.ConnectionRevoked: openbanking.RevokedSession,
		finance.ConnectionClosed:  openbanking.ClosedSession,
	}[s.State]
	if code != "" {
		f := pages.Explain(finance.Failure{Code: finance.FailureCode(code)}, show.BankName(s.Connection.ASPSP.Name))
		return &f
	}
	return nil
}

// Todo is what the connection needs of the person; nil when it needs nothing.
func (s Sync) Todo() *ui.Notice {
	name := show.BankName(s.Connection.ASPSP.Name)
	switch {
	case s.State == finance.ConnectionDisconnected:
		return nil
	case !s.Active():
		return &ui.Notice{Tone: ui.Warning, Title: name + " is not updated any more", Text: "Its consent has ended. Link it again: the accounts are recognised and their history goes on.",
			Action: ui.Link{Text: "Reconnect", Href: show.AgainPath(s.Connection)}}
	case s.Connection.DaysLeft(s.Clock.Now) <= renewWithin:
		return &ui.Notice{Tone: ui.Warning, Title: "The consent of " + name + " ends " + s.Clock.When(s.Connection.ValidUntil),
			Text:   "Renew it now: it keeps working until the new one is confirmed.",
			Action: ui.Link{Text: "Renew", Href: show.AgainPath(s.Connection)}}
	}
	for _, t := range s.Failed() {
		if f := pages.ExplainSync(t.LastError, name); f.Who == pages.You && !s.Busy {
			return &ui.Notice{Tone: ui.Warning, Title: f.Title, Text: f.What + " " + f.Next, Code: f.Code,
				Action: ui.Link{Text: "Open the connection", Href: show.ConnectionPath(s.Connection)}}
		}
	}
	return nil
}

// scopes is the last result of an account, kind by kind.
func (s Sync) scopes(accountID string) []ui.Step {
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

func (s Sync) step(t finance.SyncTask) ui.Step {
	name := map[finance.Scope]string{finance.ScopeDetails: "Details", finance.ScopeBalances: "Balances", finance.ScopeTransactions: "Transactions"}[t.Scope]
	step := ui.Step{Text: name, Note: "never yet"}
	if !t.LastSuccess.IsZero() {
		step.Tone, step.Note = ui.Good, s.Clock.Brief(t.LastSuccess)
	}
	switch {
	case t.State == finance.TaskStopped || !s.Active():
		step.Tone = ui.Plain
		switch {
		case !t.LastSuccess.IsZero():
			step.Note = "last " + step.Note
		case s.Active():
			step.Note = "not accessible"
		}
		return step
	case t.LastError.Code != "":
		f := pages.ExplainSync(t.LastError, show.BankName(s.Connection.ASPSP.Name))
		step.Tone, step.Code = ui.Warning, string(t.LastError.Code)
		if f.Who == pages.Operator {
			step.Tone = ui.Bad
		}
		step.Text = name + ": " + f.Title + ". " + f.Next
		step.Note = "last good: " + step.Note
		if t.LastError.RequestID != "" {
			step.Note += ", request id " + t.LastError.RequestID
		}
		return step
	case t.Busy(s.Clock.Now):
		step.Tone, step.Note = ui.Busy, "now"
		if t.Scope == finance.ScopeTransactions && t.RowsSeen > 0 {
			step.Note = show.Plural(t.RowsSeen, "row") + " so far"
		}
		return step
	}
	if t.Scope == finance.ScopeTransactions && t.RowsNew > 0 {
		step.Note = show.Count(t.RowsNew) + " new, " + step.Note
	}
	if t.RowsRefused > 0 {
		step.Tone = ui.Warning
		step.Note += ", " + show.Plural(t.RowsRefused, "row") + " could not be read"
	}
	return step
}

func all[T any](list []T, is func(T) bool) bool {
	return !slices.ContainsFunc(list, func(v T) bool { return !is(v) })
}
