package aggregator

import (
	"fmt"
	"time"

	"florin/internal/openbanking"
)

// Session is an authorisation of access to accounts and, once redeemed, the session that came of it: one row through its
// whole life.
type Session struct {
	Authorization
	SessionID   string // UUID; empty until AUTHORIZED
	Status      openbanking.SessionStatus
	Access      openbanking.Access // as confirmed: Balances and Transactions are never nil
	CodeExpires time.Time          // zero until RETURNED_FROM_BANK
	Authorized  time.Time          // zero until AUTHORIZED
	Closed      time.Time          // when it became CLOSED, EXPIRED or REVOKED, else zero
	Consent     Consent            // the consent at the bank; zero until RETURNED_FROM_BANK
}

// An Event moves a session from one state to another.
type Event string

// The events of a session (api-notes 5).
const (
	EventCompleted Event = "completed at the bank"
	EventCancelled Event = "cancelled by the PSU"
	EventFailed    Event = "failed or abandoned"
	EventRedeemed  Event = "code redeemed"
	EventCodeLate  Event = "code expired"
	EventClosed    Event = "closed by the application"
	EventExpired   Event = "validity ended"
	EventRevoked   Event = "revoked by the PSU"
)

// transitions is the state machine of a session: the only moves there are (api-notes 5). Everything else is refused.
var transitions = map[Event]struct{ from, to openbanking.SessionStatus }{
	EventCompleted: {openbanking.SessionStatusPendingAuthorization, openbanking.SessionStatusReturnedFromBank},
	EventCancelled: {openbanking.SessionStatusPendingAuthorization, openbanking.SessionStatusCancelled},
	EventFailed:    {openbanking.SessionStatusPendingAuthorization, openbanking.SessionStatusInvalid},
	EventRedeemed:  {openbanking.SessionStatusReturnedFromBank, openbanking.SessionStatusAuthorized},
	EventCodeLate:  {openbanking.SessionStatusReturnedFromBank, openbanking.SessionStatusInvalid},
	EventClosed:    {openbanking.SessionStatusAuthorized, openbanking.SessionStatusClosed},
	EventExpired:   {openbanking.SessionStatusAuthorized, openbanking.SessionStatusExpired},
	EventRevoked:   {openbanking.SessionStatusAuthorized, openbanking.SessionStatusRevoked},
}

// Transition returns the only state in which event may happen and the state that it leads to.
// Storage applies it with a guarded update (WHERE status = from). It panics for an unknown event.
func Transition(event Event) (from, to openbanking.SessionStatus) {
	t, ok := transitions[event]
	if !ok {
		panic(fmt.Sprintf("aggregator: unknown session event %q", event))
	}
	return t.from, t.to
}

// UsableError returns nil when the session is AUTHORIZED, else the error of a data call in that state (api-notes 5).
func UsableError(status openbanking.SessionStatus) error {
	switch status {
	case openbanking.SessionStatusAuthorized:
		return nil
	case openbanking.SessionStatusClosed:
		return openbanking.ClosedSession
	case openbanking.SessionStatusExpired:
		return openbanking.ExpiredSession
	case openbanking.SessionStatusRevoked:
		return openbanking.RevokedSession
	default:
		return openbanking.WrongSessionStatus
	}
}

// Expires is when the session ends at the latest: at its valid_until, or earlier when the consent at the bank ends earlier.
func (s Session) Expires() time.Time {
	if end := s.Consent.ValidUntil; !end.IsZero() && end.Before(s.Access.ValidUntil.Time) {
		return end
	}
	return s.Access.ValidUntil.Time
}

// Due returns the event that time alone brings about in the state of the session, and when. It returns ok false
// for a state that time does not end.
func (s Session) Due() (event Event, at time.Time, ok bool) {
	switch s.Status {
	case openbanking.SessionStatusPendingAuthorization:
		return EventFailed, s.PageExpires, true
	case openbanking.SessionStatusReturnedFromBank:
		return EventCodeLate, s.CodeExpires, true
	case openbanking.SessionStatusAuthorized:
		return EventExpired, s.Expires(), true
	}
	return "", time.Time{}, false
}

// At returns the session as it is at now: with the status that follows from its dates, whether or not anything has
// recorded it yet.
func (s Session) At(now time.Time) Session {
	event, at, ok := s.Due()
	if !ok || now.Before(at) {
		return s
	}
	_, s.Status = Transition(event)
	if event == EventExpired {
		s.Closed = at
	}
	return s
}

// SessionAccount is an account of a session: its uid is new in each session.
type SessionAccount struct {
	UID       string // UUID; empty when balances and transactions cannot be fetched (a blocked account)
	Reference string // the bank's own account id, for the Connector
	Hash      string // main identification hash
	Hashes    []string
}
