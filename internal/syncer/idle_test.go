package syncer

import (
	"net/http"
	"testing"
	"time"

	"florin/internal/bank/apitest"
	"florin/internal/finance"
	"florin/internal/openbanking"
	"florin/internal/sqlite"
)

// The end of a session is noticed within a day also where no read would tell: nothing can be read, or the bank fails. While reads work, and for a day after a
// look, nobody asks.
func TestIdleSessionsAreLookedAt(t *testing.T) {
	t.Parallel()
	r := newRig(t, 4)
	look := func() int {
		t.Helper()
		before := r.service.called("session")
		next, err := r.LookAtIdle(t.Context())
		check(t, err)
		if wait := time.Until(next); wait <= 0 || wait+silentFor > 24*time.Hour {
			t.Errorf("the next look is in %v", wait)
		}
		return r.service.called("session") - before
	}
	since := func(by time.Duration) {
		t.Helper()
		r.exec(t, `UPDATE sync_task SET last_success_at = $1`, sqlite.At(time.Now().Add(-by)))
		r.exec(t, `UPDATE connection SET authorized = $1, looked = CASE WHEN looked IS NULL THEN NULL ELSE $1 END`, sqlite.At(time.Now().Add(-by)))
	}
	r.drain(t)
	if n := look(); n != 0 {
		t.Errorf("just linked: %d looks", n)
	}
	since(21 * time.Hour)
	if n := look(); n != 0 {
		t.Errorf("read less than a day ago: %d looks", n)
	}
	since(23 * time.Hour)
	if n := look(); n != 1 {
		t.Errorf("nothing was heard for almost a day: %d looks", n)
	}
	if n := look(); n != 0 {
		t.Errorf("looked just now: %d looks", n)
	}
	r.stands(t, finance.ConnectionActive)

	r.exec(t, `UPDATE connection SET looked = $1`, sqlite.At(time.Now().AddDate(1, 0, 0)))
	r.exec(t, `UPDATE sync_task SET last_success_at = $1`, sqlite.At(time.Now().AddDate(1, 0, 0)))
	if n := look(); n != 1 {
		t.Errorf("the clock was ahead: %d looks", n)
	}

	since(30 * time.Hour)
	r.service.script("session", func(int, *http.Request) any { return apitest.Refusal(openbanking.ASPSPError) })
	if n := look(); n != 1 {
		t.Errorf("a service that has a problem: %d looks", n)
	}
	r.stands(t, finance.ConnectionActive)
	closed := time.Now().Add(-3 * time.Hour).UTC().Truncate(time.Second)
	r.service.script("session", func(int, *http.Request) any {
		return openbanking.Session{Status: openbanking.SessionStatusRevoked, Closed: &openbanking.DateTime{Time: closed}}
	})
	events := r.hub.Subscribe(r.user.ID)
	defer events.Close()
	if n := look(); n != 1 {
		t.Errorf("it is asked again soon after a failure: %d looks", n)
	}
	r.stands(t, finance.ConnectionRevoked)
	c, err := r.store.Connection(t.Context(), r.user.ID, r.link.ConnectionID)
	check(t, err)
	if at, known := c.End(time.Now()); !known || !at.Equal(closed) {
		t.Errorf("access ended %v, known: %t; want %v", at, known, closed)
	}
	select {
	case e := <-events.C():
		if e.Topic != Topic || e.ID != r.link.ConnectionID {
			t.Errorf("%+v", e)
		}
	default:
		t.Error("open pages are not told")
	}
	if n := look(); n != 0 {
		t.Errorf("a connection that has ended: %d looks", n)
	}
}

// A service that does not answer is asked for one of its sessions, and not for each of them in turn.
func TestIdleSessionsOfAServiceThatIsAway(t *testing.T) {
	t.Parallel()
	r := newRig(t, 0)
	r.exec(t, `INSERT INTO connection (id, user_id, provider_id, aspsp_name, country, psu_type, status, session_id, valid_until, created, authorized)
		SELECT 'second', user_id, provider_id, 'C', country, psu_type, status, session_id, valid_until, created, authorized FROM connection`)
	r.exec(t, `UPDATE connection SET authorized = $1`, sqlite.At(time.Now().AddDate(0, 0, -3)))
	idle, err := r.store.IdleConnections(t.Context(), time.Now().Add(-silentFor))
	if err != nil || len(idle) != 2 {
		t.Fatal(len(idle), err)
	}
	r.service.Close()
	next, err := r.LookAtIdle(t.Context())
	if err != nil || time.Until(next) < lookEvery-time.Minute {
		t.Errorf("%v %v", next, err)
	}
	r.stands(t, finance.ConnectionActive)
}
