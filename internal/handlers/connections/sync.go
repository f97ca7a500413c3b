package connections

import (
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/show"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// Sync is how a connection's syncs stand, in the words of the reader. It is calculated in one place, for pages and for live fragments.
type Sync struct {
	Clock      show.Clock
	Connection finance.Connection
	State      finance.ConnectionStatus
	tasks      []finance.SyncTask // of the connection
	Busy       bool               // a task is at work, or about to be
	First      bool               // of the busy ones, one has never succeeded
	updated    time.Time          // last success of any task; zero before the first
	attended   bool               // the bank will know that the visitor is there
	unbooked   []finance.Unbooked // what its accounts lack
	staleAfter time.Duration      // what is older is about to be read, because its page was opened; zero: nothing is
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

// Await returns the state with stale tasks counted as busy, because somebody has opened the page and they are about to be read.
func (s Sync) Await(attended bool, staleAfter time.Duration) Sync {
	s.attended, s.staleAfter = attended, staleAfter
	s.Busy = s.Busy || s.Active() && slices.ContainsFunc(s.tasks, s.busy)
	return s
}

// Lack returns the state with the transfers whose bookings are missing on accounts of the connection.
func (s Sync) Lack(all []finance.Unbooked) Sync {
	s.unbooked = nil
	for _, u := range all {
		if slices.ContainsFunc(s.tasks, func(t finance.SyncTask) bool { return t.AccountID == u.AccountID }) {
			s.unbooked = append(s.unbooked, u)
		}
	}
	return s
}

// Unbooked says which payments are missing from the balance of an account, or from those of all accounts of the connection when accountID is "". Both
// results are empty when none is missing.
func (s Sync) Unbooked(accountID string) (text string, payments []string) {
	var amount money.Amount
	for _, u := range s.unbooked {
		if accountID == "" || u.AccountID == accountID {
			payments, amount = append(payments, u.PaymentID), u.Amount.Abs()
		}
	}
	switch {
	case len(payments) == 0:
		return "", nil
	case len(payments) == 1 && accountID != "":
		return s.Clock.Say("A payment of %s is not in this balance yet.", amount), payments
	case len(payments) == 1:
		return s.Clock.Say("A payment of %s is not in the balance yet.", amount), payments
	}
	return s.Clock.Say("%d payments are not in the balance yet.", len(payments)), payments
}

// busy reports whether a task is at work or about to be.
func (s Sync) busy(t finance.SyncTask) bool {
	return t.Busy(s.Clock.Now) || t.Stale(s.Clock.Now, s.attended, s.staleAfter)
}

// rests reports whether some balances or transactions are neither being read nor about to be. One running task does not keep the others from being read.
func (s Sync) rests() bool {
	return slices.ContainsFunc(s.tasks, func(t finance.SyncTask) bool {
		return t.Scope != finance.ScopeDetails && t.State == finance.TaskWaiting && !s.busy(t)
	})
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

// Badge returns the state of the syncs. A failure of the bank, or one of its limits, is shown neither as a success nor as a failure of Florin.
func (s Sync) Badge() ui.Badge {
	failed := s.Failed()
	switch {
	case !s.Active():
		return ui.Badge{Text: s.Clock.Say("No longer updated")}
	case s.Busy && s.First:
		return ui.Badge{Tone: ui.Busy, Text: s.Clock.Say("First sync")}
	case s.Busy:
		return ui.Badge{Tone: ui.Busy, Text: s.Clock.Say("Syncing")}
	case len(s.tasks) == 0:
		return ui.Badge{Text: s.Clock.Say("Nothing to fetch")}
	case s.working() == 0:
		return ui.Badge{Tone: ui.Warning, Text: s.Clock.Say("No access")}
	case len(failed) == 0 && len(s.unbooked) > 0:
		return ui.Badge{Tone: ui.Busy, Text: s.Clock.Say("A payment is on its way")}
	case len(failed) == 0:
		return ui.Badge{Tone: ui.Good, Text: s.Clock.Say("Up to date")}
	case all(failed, awaited):
		return ui.Badge{Tone: ui.Warning, Text: s.Clock.Say("The bank is waiting for you")}
	case all(failed, limited):
		return ui.Badge{Tone: ui.Warning, Text: s.Clock.Say("Limit of the bank reached")}
	case all(failed, bankFault):
		return ui.Badge{Tone: ui.Warning, Text: s.Clock.Say("Problem at the bank")}
	case len(failed) < s.working():
		return ui.Badge{Tone: ui.Warning, Text: s.Clock.Say("Partly updated")}
	}
	return ui.Badge{Tone: ui.Bad, Text: s.Clock.Say("Sync failed")}
}

// Note says when the last sync was and when the next one will be.
func (s Sync) Note() string {
	if s.Busy {
		var started time.Time
		for _, t := range s.tasks {
			if t.State == finance.TaskRunning && t.LastStarted.After(started) {
				started = t.LastStarted
			}
		}
		if started.IsZero() {
			return s.Clock.Say("It starts in a moment.")
		}
		return s.Clock.Say("Started %s.", s.Clock.When(started))
	}
	if len(s.tasks) == 0 {
		return s.Clock.Say("Your other connection keeps its accounts up to date.")
	}
	next := s.next()
	switch {
	case s.updated.IsZero() && (!s.Active() || next.IsZero()):
		return s.Clock.Say("Never updated.")
	case s.updated.IsZero():
		return s.Clock.Say("Not updated yet. Next update %s.", s.Clock.When(next))
	case !s.Active():
		return s.Clock.Say("Last updated %s.", s.Clock.When(s.updated))
	case next.IsZero():
		return s.Clock.Say("Updated %s.", s.Clock.When(s.updated))
	}
	return s.Clock.Say("Updated %s. Next update %s.", s.Clock.When(s.updated), s.Clock.When(next))
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
	case s.Busy && !s.rests():
		return s.Clock.Say("A sync is running already.")
	case s.working() == 0:
		return "" // it finds out whether the consent is still good, and no schedule does
	case s.attended:
		return "" // no limit holds it back
	}
	if back := s.back(); !back.IsZero() {
		return s.Clock.Say("Florin may ask this bank only a few times a day, even while you are here. It asks again by itself %s.", s.Clock.When(back))
	}
	failed := s.Failed()
	if len(failed) < s.working() {
		return ""
	}
	at := s.next()
	later := at.After(s.Clock.Now)
	switch {
	case all(failed, limited) && later:
		return s.Clock.Say("The bank allows no more requests for now. Florin asks again by itself %s.", s.Clock.When(at))
	case all(failed, limited):
		return s.Clock.Say("The bank allows no more requests for now. Florin asks again by itself.")
	case all(failed, bankFault) && later:
		return s.Clock.Say("The bank has a problem. Asking now would only use up the requests that it allows. Florin asks again by itself %s.", s.Clock.When(at))
	case all(failed, bankFault):
		return s.Clock.Say("The bank has a problem. Asking now would only use up the requests that it allows. Florin asks again by itself.")
	}
	return ""
}

// Refresh is the button that reads accounts of the connection now, on the page of an account or elsewhere; nil when the connection has ended.
func (s Sync) Refresh(accountID string) *pages.Refresh {
	if !s.Active() {
		return nil
	}
	return &pages.Refresh{To: paths.ConnectionRefresh(s.Connection.ID), Account: accountID, Blocked: s.blocked()}
}

// RefreshAll is the button that reads now what all connections bring; nil when none brings anything. It cannot help when none can be read, for the reason of
// the first.
func RefreshAll(all []Sync) *pages.Refresh {
	r := &pages.Refresh{To: paths.Refresh}
	active := 0
	for _, s := range all {
		if !s.Active() || s.working() == 0 {
			continue
		}
		active++
		switch blocked := s.blocked(); {
		case blocked == "":
			return &pages.Refresh{To: paths.Refresh}
		case r.Blocked == "":
			r.Blocked = blocked
		}
	}
	if active == 0 {
		return nil
	}
	return r
}

// back returns when an unattended read is next allowed for one of the tasks; zero when one is allowed now.
func (s Sync) back() (back time.Time) {
	for _, t := range s.tasks {
		if t.State == finance.TaskStopped {
			continue
		}
		if t.Reads.Left(s.Clock.Now) > 0 {
			return time.Time{}
		}
		if at := t.Reads.Back(s.Clock.Now); back.IsZero() || at.Before(back) {
			back = at
		}
	}
	return back
}

// reads says how many unattended reads of an account are left, counting the scope that was read most; "" when nothing of it is read. Details do not count,
// since they hardly change.
func (s Sync) reads(accountID string) string {
	left, back := finance.MostReads+1, time.Time{}
	for _, t := range s.tasks {
		if n := t.Reads.Left(s.Clock.Now); t.AccountID == accountID && t.State != finance.TaskStopped && t.Scope != finance.ScopeDetails && n < left {
			left, back = n, t.Reads.Back(s.Clock.Now)
		}
	}
	switch {
	case left > finance.MostReads || !s.Active():
		return ""
	case back.IsZero():
		return s.Clock.Say("Automatic updates left: %d of %d.", left, finance.MostReads)
	}
	return s.Clock.Say("Automatic updates left: %d of %d. One more from %s.", left, finance.MostReads, s.Clock.When(back))
}

// nothing says why there is nothing to fetch; "" when there is something.
func (s Sync) nothing() string {
	switch {
	case len(s.tasks) == 0:
		return s.Clock.Say("There is nothing to fetch through this connection.")
	case s.working() == 0:
		return s.Clock.Say("The bank gives no data for these accounts.")
	}
	return ""
}

func limited(t finance.SyncTask) bool {
	return t.LastError.Code == finance.FailureCode(openbanking.ASPSPRateLimitExceeded)
}

// awaited reports whether the bank gives data only while the person is present, or needs the person to do something.
func awaited(t finance.SyncTask) bool {
	return t.LastError.Code == finance.FailureCode(openbanking.ASPSPPSUActionRequired)
}

func bankFault(t finance.SyncTask) bool {
	return t.LastError.Code == finance.FailureCode(openbanking.ASPSPError) || t.LastError.Code == finance.FailureCode(openbanking.ASPSPTimeout)
}

// Progress is the running sync, with one line for each account; nil when none runs. accounts are those of the connection.
func (s Sync) Progress(id string, accounts []finance.Account) *ui.Progress {
	if !s.Busy {
		return nil
	}
	p := &ui.Progress{ID: id}
	done, rows := 0, int64(0)
	for _, account := range accounts {
		step := ui.Step{Tone: ui.Good, Text: s.Clock.AccountName(account), Note: s.Clock.Say("done")}
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
			case !s.busy(t):
				p.Done++
				if t.LastError.Code != "" && step.Tone == ui.Good {
					step.Tone, step.Note = ui.Warning, s.Clock.Say("in part: see the connection")
				}
			case t.State == finance.TaskRunning:
				step.Tone, step.Note = ui.Busy, s.runningNote(t)
			case step.Tone != ui.Busy:
				step.Tone, step.Note = ui.Plain, s.Clock.Say("waiting")
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
	title := words.Text("Sync: %d of %d accounts")
	if s.First {
		title = "First sync: %d of %d accounts"
	}
	p.Title = s.Clock.Say(title, done, len(p.Steps))
	p.Note = s.Clock.Say("You can leave this page. The sync goes on by itself.")
	if rows > 0 {
		p.Note = s.Clock.Say("%d transactions so far. You can leave this page. The sync goes on by itself.", int(rows))
	}
	return p
}

func (s Sync) runningNote(t finance.SyncTask) string {
	if t.Scope == finance.ScopeTransactions && t.RowsSeen > 0 {
		return s.Clock.Say("%d transactions so far", int(t.RowsSeen))
	}
	return s.Clock.Say(scopeNames[t.Scope])
}

// scopeNames are the names of the kinds of data.
var scopeNames = map[finance.Scope]words.Text{finance.ScopeDetails: "Details", finance.ScopeBalances: "Balances", finance.ScopeTransactions: "Transactions"}

// Consent says how long access lasts; always visible.
func (s Sync) Consent() ui.Badge {
	switch s.State {
	case finance.ConnectionExpired:
		return ui.Badge{Tone: ui.Warning, Text: s.Clock.Say("Consent ended")}
	case finance.ConnectionRevoked:
		return ui.Badge{Tone: ui.Warning, Text: s.Clock.Say("Consent withdrawn")}
	case finance.ConnectionClosed:
		return ui.Badge{Tone: ui.Warning, Text: s.Clock.Say("Ended by the banking service")}
	case finance.ConnectionDisconnected:
		return ui.Badge{Text: s.Clock.Say("Disconnected")}
	}
	days := -s.Clock.DaysAgo(s.Connection.ValidUntil) // by the calendar, like the date beside it
	b := ui.Badge{Text: s.Clock.Say("%d days left", days)}
	switch {
	case s.Connection.DaysLeft(s.Clock.Now) == 0:
		b.Text = s.Clock.Say("Ends %s", s.Clock.When(s.Connection.ValidUntil))
		b.Tone = ui.Warning
	case s.Connection.RenewalDue(s.Clock.Now):
		b.Tone = ui.Warning
	}
	return b
}

// Ended says when access ended, and how; "" while it goes on.
func (s Sync) Ended() string {
	at, known := s.Connection.End(s.Clock.Now)
	text := map[finance.ConnectionStatus]struct{ ended, noticed words.Text }{
		finance.ConnectionExpired:      {"Your consent ended %s.", "Florin noticed %s that your consent has ended."},
		finance.ConnectionRevoked:      {"You withdrew your consent %s, at the bank or with the banking service.", "Florin noticed %s that you have withdrawn your consent, at the bank or with the banking service."},
		finance.ConnectionClosed:       {"The banking service ended access %s.", "Florin noticed %s that the banking service has ended access."},
		finance.ConnectionDisconnected: {"You disconnected the bank %s.", "Access had ended before you disconnected the bank. Florin noticed that %s."},
	}[s.State]
	switch {
	case at.IsZero():
		return ""
	case s.Connection.EndedBefore() && known:
		return s.Clock.Say("Access ended %s. You stopped the syncing %s.", s.Clock.When(at), s.Clock.When(s.Connection.Stopped))
	case s.Connection.EndedBefore():
		return s.Clock.Say("Florin noticed %s that access had ended. You stopped the syncing %s.", s.Clock.When(at), s.Clock.When(s.Connection.Stopped))
	case known:
		return s.Clock.Say(text.ended, s.Clock.When(at))
	}
	return s.Clock.Say(text.noticed, s.Clock.When(at))
}

// ConsentNotice is what the person can do about the consent: reconnect the bank when access has ended, renew it when it ends soon; nil else. An end is no
// fault.
func (s Sync) ConsentNotice() *ui.Notice {
	name := show.ConnectionName(s.Connection)
	switch {
	case !s.Active():
		return &ui.Notice{Tone: ui.Warning, Title: s.Clock.Say("%s is no longer updated", name),
			Text:   s.Ended() + " " + s.Clock.Say("Your history stays. When you reconnect the bank, Florin recognises the accounts and continues their history."),
			Action: ui.Link{Text: s.Clock.Say("Reconnect"), Href: show.AgainPath(s.Connection)}}
	case s.Connection.RenewalDue(s.Clock.Now):
		return &ui.Notice{Tone: ui.Warning, Title: s.Clock.Say("Your consent at %s ends %s", name, s.Clock.When(s.Connection.ValidUntil)),
			Text:   s.Clock.Say("Renew it now. The old consent works until you have given the new one."),
			Action: ui.Link{Text: s.Clock.Say("Renew"), Href: show.AgainPath(s.Connection)}}
	}
	return nil
}

// Outcome says how the sync after a link ended; nil while it runs. accounts are those of the connection.
func (s Sync) Outcome(accounts []finance.Account) *ui.Notice {
	failed, nothing := s.Failed(), s.nothing()
	switch {
	case s.Busy:
		return nil
	case !s.Active():
		return s.ConsentNotice()
	case nothing != "":
		return &ui.Notice{Tone: ui.Info, Title: nothing}
	case len(failed) == 0:
		n := &ui.Notice{Tone: ui.Good, Title: s.Clock.Say("The sync is done")}
		var rows int64
		for _, account := range accounts {
			rows += account.Transactions
		}
		if oldest := oldestHistory(accounts); oldest != "" && rows > 0 {
			n.Text = s.Clock.Say("Florin holds %d transactions, back to %s.", int(rows), s.Clock.FullDay(oldest))
		}
		return n
	}
	f := pages.ExplainSync(s.Clock.Language, failed[0].LastError, show.BankName(s.Connection.ASPSP.Name))
	n := &ui.Notice{Tone: ui.Warning, Title: f.Title, Text: s.Clock.Say("Nothing could be fetched yet."), Code: f.Code,
		Action: ui.Link{Text: s.Clock.Say("Open the connection"), Href: show.ConnectionPath(s.Connection)}}
	if len(failed) < s.working() {
		n.Text = s.Clock.Say("Some of it could not be fetched yet.")
	}
	n.Text += " " + f.What + " " + f.Next
	return n
}

// Todo returns the notice about what the person has to do for the connection; nil when there is nothing.
func (s Sync) Todo() *ui.Notice {
	name := show.ConnectionName(s.Connection)
	if s.State == finance.ConnectionDisconnected {
		if s.Connection.EndDue.IsZero() {
			return nil
		}
		return &ui.Notice{Tone: ui.Info, Title: s.Clock.Say("The consent at %s is being ended", name),
			Text:   s.Clock.Say("The banking service has not confirmed yet that the consent has ended. Florin asks again %s.", s.Clock.When(s.Connection.EndDue)),
			Action: ui.Link{Text: s.Clock.Say("Open the connection"), Href: show.ConnectionPath(s.Connection)}}
	}
	if n := s.ConsentNotice(); n != nil {
		return n
	}
	for _, t := range s.Failed() {
		if f := pages.ExplainSync(s.Clock.Language, t.LastError, name); f.Who == pages.You && !s.Busy {
			return &ui.Notice{Tone: ui.Warning, Title: f.Title, Text: f.What + " " + f.Next, Code: f.Code,
				Action: ui.Link{Text: s.Clock.Say("Open the connection"), Href: show.ConnectionPath(s.Connection) + "#refresh"}}
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
	step := ui.Step{Text: s.Clock.Say(scopeNames[t.Scope]), Note: s.Clock.Say("not yet")}
	brief := s.Clock.Brief(t.LastSuccess)
	if !t.LastSuccess.IsZero() {
		step.Tone, step.Note = ui.Good, brief
	}
	switch {
	case t.State == finance.TaskStopped || !s.Active():
		step.Tone = ui.Plain
		switch {
		case !t.LastSuccess.IsZero():
			step.Note = s.Clock.Say("last time: %s", brief)
		case s.Active():
			step.Note = s.Clock.Say("no access")
		}
		return step
	case t.LastError.Code != "":
		f := pages.ExplainSync(s.Clock.Language, t.LastError, show.BankName(s.Connection.ASPSP.Name))
		step.Tone, step.Code = ui.Warning, string(t.LastError.Code)
		if f.Who == pages.Operator {
			step.Tone = ui.Bad
		}
		step.Lines = []string{f.Title, f.Next}
		step.Note = s.Clock.Say("never worked so far")
		if !t.LastSuccess.IsZero() {
			step.Note = s.Clock.Say("last worked: %s", brief)
		}
		if t.LastError.RequestID != "" {
			step.Lines = append(step.Lines, s.Clock.Say("Request ID: %s", t.LastError.RequestID))
		}
		return step
	case s.busy(t):
		step.Tone, step.Note = ui.Busy, s.Clock.Say("now")
		if t.Scope == finance.ScopeTransactions && t.RowsSeen > 0 {
			step.Note = s.runningNote(t)
		}
		return step
	}
	if t.Scope == finance.ScopeTransactions && t.RowsNew > 0 {
		step.Note = s.Clock.Say("%d new, %s", int(t.RowsNew), brief)
	}
	if t.RowsRefused > 0 {
		step.Tone = ui.Warning
		step.Lines = []string{s.Clock.Say("%d transactions could not be read.", int(t.RowsRefused))}
	}
	return step
}

func all[T any](list []T, is func(T) bool) bool {
	return !slices.ContainsFunc(list, func(v T) bool { return !is(v) })
}
