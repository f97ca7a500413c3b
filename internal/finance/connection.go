package finance

import (
	"slices"
	"time"

	"florin/internal/openbanking"
)

// ConnectionStatus says whether a connection still brings data. Only an active one does.
type ConnectionStatus string

// Values of ConnectionStatus.
const (
	ConnectionActive       ConnectionStatus = "active"
	ConnectionExpired      ConnectionStatus = "expired"      // the consent ran out, at its date or before
	ConnectionRevoked      ConnectionStatus = "revoked"      // the user withdrew the consent at the bank or at the service
	ConnectionClosed       ConnectionStatus = "closed"       // the session was ended at the service
	ConnectionDisconnected ConnectionStatus = "disconnected" // the user ended it here; the history stays
)

// Valid reports whether s is one of the statuses.
func (s ConnectionStatus) Valid() bool {
	switch s {
	case ConnectionActive, ConnectionExpired, ConnectionRevoked, ConnectionClosed, ConnectionDisconnected:
		return true
	}
	return false
}

// Connection is the consent of one user at one bank. Renewing it keeps the row and its accounts.
type Connection struct {
	ID           string
	UserID       string
	ProviderID   string
	ProviderName string
	Simulated    bool // the bank is a simulation
	ASPSP        openbanking.ASPSP
	PSUType      openbanking.PSUType
	Status       ConnectionStatus // as last learnt; State takes the date into account
	ValidUntil   time.Time        // as granted
	Created      time.Time
	Authorized   time.Time // of the present consent
	Ended        time.Time // zero while active; see End
	EndKnown     bool      // access ended at Ended; else that is when Florin noticed
	Stopped      time.Time // when the person stopped the syncing; zero while it goes on, and where that is not known
	Nickname     string    // given by the user; "" for none
	Holder       string    // of most of its accounts, as the bank writes it; "" when the bank names none
	Endings      []string  // the last characters of its account numbers, each once
	Several      bool      // the user has other connections at this bank
	Services     bool      // and one of them through another service
	EndDue       time.Time // when the service is asked again to end a session that was ended here; zero when there is none
	PSUHeaders   []string  // that tell the bank that the person is there (required_psu_headers of GET /aspsps); none when nothing tells it
}

// State returns the status at a time: an active connection past its end has expired, even if nobody has asked the service since.
func (c Connection) State(now time.Time) ConnectionStatus {
	if c.Status == ConnectionActive && !now.Before(c.ValidUntil) {
		return ConnectionExpired
	}
	return c.Status
}

// End returns when access ended, zero while it goes on. Where known is false, it is when Florin noticed: access had ended by then.
func (c Connection) End(now time.Time) (at time.Time, known bool) {
	switch {
	case c.State(now) == ConnectionActive:
		return time.Time{}, true
	case c.Status == ConnectionActive:
		return c.ValidUntil, true
	}
	return c.Ended, c.EndKnown
}

// EndedBefore reports whether access had ended before the person stopped the syncing.
func (c Connection) EndedBefore() bool { return !c.Stopped.IsZero() && !c.Stopped.Equal(c.Ended) }

// RenewWithin is how many days before the end of a consent Florin offers to renew it.
const RenewWithin = 14

// RenewalDue reports whether the consent still holds and ends soon.
func (c Connection) RenewalDue(now time.Time) bool {
	return c.State(now) == ConnectionActive && c.DaysLeft(now) <= RenewWithin
}

// EndOfSession returns when a session ended that the service reports as over: its closing time, or for an expired session the end of its consent. It is
// zero when neither is known.
func (c Connection) EndOfSession(status ConnectionStatus, closed, now time.Time) time.Time {
	switch {
	case !closed.IsZero() && !closed.After(now) && !closed.Before(c.Authorized):
		return closed
	case status == ConnectionExpired && !c.ValidUntil.After(now):
		return c.ValidUntil
	}
	return time.Time{}
}

// Of returns the connection with the facts that distinguish it from others at the same bank: the most frequent holder of its accounts, and the last four
// characters of their numbers.
func (c Connection) Of(accounts []Account) Connection {
	count := map[string]int{}
	for _, a := range accounts {
		if count[a.Holder]++; a.Holder != "" && count[a.Holder] > count[c.Holder] {
			c.Holder = a.Holder
		}
		if last := a.Last4(); last != "" && !slices.Contains(c.Endings, last) {
			c.Endings = append(c.Endings, last)
		}
	}
	return c
}

// DaysLeft is the number of whole days until the consent ends; 0 when it ends within a day or has ended.
func (c Connection) DaysLeft(now time.Time) int {
	if c.State(now) != ConnectionActive {
		return 0
	}
	return int(c.ValidUntil.Sub(now) / (24 * time.Hour))
}

// SessionEnd is a session that was ended here and is to be ended at its service.
type SessionEnd struct {
	ID         string
	ProviderID string
	SessionID  Secret
	Over       bool // the consent has run out meanwhile: nobody has to be asked
	Attempts   int  // to end it, this one included
}

// StatusOfSession translates what GET /sessions says. The second value is false for a status that ends nothing
// and for one that is not known: only these three, and AUTHORIZED, say anything about a connection (api-notes 10).
func StatusOfSession(s openbanking.SessionStatus) (ConnectionStatus, bool) {
	switch s {
	case openbanking.SessionStatusAuthorized:
		return ConnectionActive, true
	case openbanking.SessionStatusExpired:
		return ConnectionExpired, true
	case openbanking.SessionStatusRevoked:
		return ConnectionRevoked, true
	case openbanking.SessionStatusClosed:
		return ConnectionClosed, true
	}
	return "", false
}

// AttemptStatus is the state of a link attempt: starting, open, then used or failed. It never goes back.
type AttemptStatus string

// Values of AttemptStatus.
const (
	AttemptStarting AttemptStatus = "starting" // stored, POST /auth not answered yet
	AttemptOpen     AttemptStatus = "open"     // the user is, or may be, at the bank
	AttemptUsed     AttemptStatus = "used"     // the callback came and is being worked on, or was cut off
	AttemptDone     AttemptStatus = "done"     // linked
	AttemptFailed   AttemptStatus = "failed"   // cancelled, refused or broken; Failure says why
)

// LinkAttempt is one try to link a bank, from the choice of the bank to the callback. It works once, for 15 minutes,
// and in the browser that began it.
type LinkAttempt struct {
	ID           string
	UserID       string
	ProviderID   string
	ASPSP        openbanking.ASPSP
	PSUType      openbanking.PSUType
	Status       AttemptStatus
	URL          string    // where to go next, at the service; opaque
	ValidUntil   time.Time // the end of the consent that was asked for
	TypedUntil   string    // that end as the person typed it; "" for as long as the bank allows
	Created      time.Time
	Expires      time.Time
	Renews       string          // the connection that the user asked to renew; "" for none
	Another      bool            // the user said that it is another person's login: nothing is renewed
	ConnectionID string          // once done
	Renewed      bool            // once done: the connection existed before
	Failure      Failure         // once failed
	Accounts     []LinkedAccount // once done
	PSUIDHash    string
}

// LinkOutcome says what a link did with an account.
type LinkOutcome string

// Values of LinkOutcome.
const (
	OutcomeNew           LinkOutcome = "new"
	OutcomeRecognised    LinkOutcome = "recognised"     // known before, with its history
	OutcomeShared        LinkOutcome = "shared"         // known before, and kept up to date by another connection
	OutcomeNotAccessible LinkOutcome = "not_accessible" // listed by the bank, yet its data cannot be fetched
	OutcomeLeftOut       LinkOutcome = "left_out"       // of this connection before, no longer shared
)

// LinkedAccount is an account in the result of a link.
type LinkedAccount struct {
	Account   Account
	Outcome   LinkOutcome
	ReadUntil time.Time        // when its transactions were last read before; zero when they never were
	Read      bool             // its transactions were read since
	ReadFrom  openbanking.Date // from this day on; "" is as far back as the bank goes
}

// Gap returns the days between which the bank gave no transactions of an account that was known: the last one that was read before, and the first one since. It
// is false when there is none, and while the account has not been read yet.
func (l LinkedAccount) Gap() (after, until openbanking.Date, found bool) {
	if !l.Read || l.ReadUntil.IsZero() {
		return "", "", false
	}
	after = openbanking.DateOf(l.ReadUntil)
	return after, l.ReadFrom, l.ReadFrom > after
}

// SharedAccess says that a connection can read an account which another connection keeps up to date: a joint account is shown once, whichever connection
// brings it.
type SharedAccess struct {
	AccountID    string
	ConnectionID string
}

// RenewedConnection returns the connection that a link renews, "" when the link becomes a connection of its own. known and match are as for MatchAccounts, and
// shared says which of the known accounts other connections can read as well.
//
// A connection that the user asked to renew is renewed when the bank gives any of its accounts again, unless the login turns out to be that of
// another connection. When the user asked for none, the connection is renewed whose accounts contain those of the link, or are contained in them: one
// joint account does not make two people one. Another person's login renews nothing.
func RenewedConnection(a LinkAttempt, known []Account, shared []SharedAccess, match []int) string {
	if a.Another {
		return ""
	}
	held, again := map[string]int{}, map[string]int{} // accounts of a connection, and those of them that came again
	best := ""
	for k, account := range known {
		for _, id := range connectionsOf(account, shared) {
			held[id]++
			if slices.Contains(match, k) {
				again[id]++
			}
		}
	}
	fits := func(id string) bool { return again[id] > 0 && (again[id] == held[id] || again[id] == len(match)) }
	for _, account := range known { // not the map: the order decides between equals
		for _, id := range connectionsOf(account, shared) {
			if fits(id) && (best == "" || again[id] > again[best]) {
				best = id
			}
		}
	}
	if a.Renews != "" && again[a.Renews] >= again[best] && (again[a.Renews] > 0 || held[a.Renews] == 0) {
		return a.Renews
	}
	return best
}

// connectionsOf are the connections that have an account: the one that keeps it first.
func connectionsOf(a Account, shared []SharedAccess) []string {
	ids := []string{a.ConnectionID}
	for _, s := range shared {
		if s.AccountID == a.ID && s.ConnectionID != a.ConnectionID {
			ids = append(ids, s.ConnectionID)
		}
	}
	return ids
}
