package aggregator

import (
	"errors"
	"testing"
	"time"

	"florin/internal/openbanking"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// TestTransitionTable: the only moves of a session (api-notes 5).
func TestTransitionTable(t *testing.T) {
	const (
		pending    = openbanking.SessionStatusPendingAuthorization
		returned   = openbanking.SessionStatusReturnedFromBank
		authorized = openbanking.SessionStatusAuthorized
	)
	want := map[Event][2]openbanking.SessionStatus{
		EventCompleted: {pending, returned},
		EventCancelled: {pending, openbanking.SessionStatusCancelled},
		EventFailed:    {pending, openbanking.SessionStatusInvalid},
		EventRedeemed:  {returned, authorized},
		EventCodeLate:  {returned, openbanking.SessionStatusInvalid},
		EventClosed:    {authorized, openbanking.SessionStatusClosed},
		EventExpired:   {authorized, openbanking.SessionStatusExpired},
		EventRevoked:   {authorized, openbanking.SessionStatusRevoked},
	}
	if len(transitions) != len(want) {
		t.Errorf("the table has %d events, want %d", len(transitions), len(want))
	}
	for event, states := range want {
		if from, to := Transition(event); from != states[0] || to != states[1] {
			t.Errorf("%s: from %s to %s, want %v", event, from, to, states)
		}
	}
}

// TestUsableError: the error of a data call in each state (api-notes 5).
func TestUsableError(t *testing.T) {
	want := map[openbanking.SessionStatus]error{
		openbanking.SessionStatusAuthorized:           nil,
		openbanking.SessionStatusClosed:               openbanking.ClosedSession,
		openbanking.SessionStatusExpired:              openbanking.ExpiredSession,
		openbanking.SessionStatusRevoked:              openbanking.RevokedSession,
		openbanking.SessionStatusPendingAuthorization: openbanking.WrongSessionStatus,
		openbanking.SessionStatusReturnedFromBank:     openbanking.WrongSessionStatus,
		openbanking.SessionStatusCancelled:            openbanking.WrongSessionStatus,
		openbanking.SessionStatusInvalid:              openbanking.WrongSessionStatus,
	}
	for _, status := range openbanking.SessionStatus("").Values() {
		err, listed := want[status]
		if got := UsableError(status); !listed || !errors.Is(got, err) {
			t.Errorf("%s: %v, want %v", status, got, err)
		}
	}
}

// TestStatusFollowsFromDates: time alone ends three states, to the instant, whether or not a job has run (api-notes 5).
func TestStatusFollowsFromDates(t *testing.T) {
	row := Session{
		Authorization: Authorization{PageExpires: noon}, CodeExpires: noon,
		Access:  openbanking.Access{ValidUntil: openbanking.DateTime{Time: noon}},
		Consent: Consent{ValidUntil: noon.Add(time.Hour)},
	}
	tests := []struct {
		status, after openbanking.SessionStatus
		closed        time.Time
	}{
		{openbanking.SessionStatusPendingAuthorization, openbanking.SessionStatusInvalid, time.Time{}},
		{openbanking.SessionStatusReturnedFromBank, openbanking.SessionStatusInvalid, time.Time{}},
		{openbanking.SessionStatusAuthorized, openbanking.SessionStatusExpired, noon},
		{openbanking.SessionStatusCancelled, openbanking.SessionStatusCancelled, time.Time{}},
		{openbanking.SessionStatusInvalid, openbanking.SessionStatusInvalid, time.Time{}},
		{openbanking.SessionStatusClosed, openbanking.SessionStatusClosed, time.Time{}},
		{openbanking.SessionStatusExpired, openbanking.SessionStatusExpired, time.Time{}},
		{openbanking.SessionStatusRevoked, openbanking.SessionStatusRevoked, time.Time{}},
	}
	for _, tt := range tests {
		row.Status = tt.status
		if got := row.At(noon.Add(-1)); got.Status != tt.status || !got.Closed.IsZero() {
			t.Errorf("%s an instant before: %s, closed %v", tt.status, got.Status, got.Closed)
		}
		for _, at := range []time.Time{noon, noon.AddDate(1, 0, 0)} {
			if got := row.At(at); got.Status != tt.after || !got.Closed.Equal(tt.closed) {
				t.Errorf("%s at %v: %s, closed %v, want %s, %v", tt.status, at, got.Status, got.Closed, tt.after, tt.closed)
			}
		}
	}
}

// TestSessionEndsAtTheEarlierOfTwo: at valid_until, or with a consent that ends earlier (spec: Access; api-notes 5).
func TestSessionEndsAtTheEarlierOfTwo(t *testing.T) {
	for _, tt := range []struct{ consent, want time.Time }{
		{noon.Add(time.Hour), noon},
		{noon, noon},
		{noon.Add(-time.Hour), noon.Add(-time.Hour)},
		{time.Time{}, noon}, // no consent yet
	} {
		row := Session{Access: openbanking.Access{ValidUntil: openbanking.DateTime{Time: noon}}, Consent: Consent{ValidUntil: tt.consent}}
		if got := row.Expires(); !got.Equal(tt.want) {
			t.Errorf("consent until %v: session until %v, want %v", tt.consent, got, tt.want)
		}
	}
}
