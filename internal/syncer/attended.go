package syncer

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"florin/internal/finance"
	"florin/internal/live"
	"florin/internal/openbanking"
	"florin/internal/store"
)

// attendedFor is how long after the request of a person its reads may begin and still count as attended. After that the person may have left.
const attendedFor = 2 * time.Minute

// mostHeaders bounds what is kept of a list of required headers; the specification knows eight.
const mostHeaders = 20

// attendance is the person's own request, of which a read is a part: the headers that the bank requires. It is kept in memory alone, for the one read.
type attendance struct {
	psu   http.Header
	until time.Time
}

// arrival says that a person has opened a page with figures of a connection. Without a connection it says that the person follows a payment.
type arrival struct {
	userID, connectionID string
	present              http.Header
}

// Attend returns the PSU headers by which the bank of a connection knows that the person is there: all that it requires, taken from those that the person's
// own request can give, or nil when one of them is missing or the bank requires none (spec: ASPSP data).
func Attend(c finance.Connection, present http.Header) http.Header {
	psu := make(http.Header, len(c.PSUHeaders))
	for _, name := range c.PSUHeaders {
		value := present.Get(name)
		if value == "" {
			return nil
		}
		psu.Set(name, value)
	}
	if len(psu) == 0 {
		return nil
	}
	return psu
}

// Refresh reads now what the user's connection brings, because the person asks for it, and returns how many tasks are due. present are the PSU headers that the
// person's request can give. Where the bank requires some of them and all are there, no limit holds the tasks back; else those stay as they are that the bank's
// limit or Florin's own (finance.MostReads) holds back. When none is due, no task would notice that the session has ended, so Refresh asks for the session
// itself and ends the connection if necessary. It returns finance.ErrNotFound when the connection is not the user's.
func (s *Syncer) Refresh(ctx context.Context, userID, connectionID string, present http.Header) (due int, err error) {
	connection, err := s.store.Connection(ctx, userID, connectionID)
	if err != nil {
		return 0, err
	}
	if len(connection.PSUHeaders) == 0 { // it was linked by a Florin that did not ask, or the service did not answer
		if err := s.learn(ctx, &connection); err != nil {
			s.log.Warn("PSU headers of a bank not known", "connection", connectionID, "error", err)
		}
	}
	due, err = s.make(ctx, connection, Attend(connection, present), finance.SyncTask.Refreshable)
	if err != nil {
		return 0, err
	}
	if due == 0 {
		if _, err := s.look(ctx, userID, connectionID); err != nil {
			s.log.Warn("status of a session not known", "connection", connectionID, "error", err)
		}
		s.hub.Publish(userID, live.Event{Topic: Topic, ID: connectionID})
	}
	return due, nil
}

// Arrive notes that the person has opened a page with figures of a connection: those that are stale are read again, soon. It costs the page nothing.
func (s *Syncer) Arrive(userID, connectionID string, present http.Header) {
	s.enter(arrival{userID, connectionID, present})
}

// enter queues an arrival, unless one for the same connection is waiting.
func (s *Syncer) enter(a arrival) {
	s.mu.Lock()
	if !slices.ContainsFunc(s.arrivals, func(b arrival) bool { return b.userID == a.userID && b.connectionID == a.connectionID }) {
		s.arrivals = append(s.arrivals, a)
	}
	s.mu.Unlock()
	if s.admitting != nil {
		s.admitting.Wake()
	}
}

// Admit makes due what is stale of the connections whose pages were opened, and returns when to call again: when somebody has arrived. It is the work of a
// jobs.Loop.
func (s *Syncer) Admit(ctx context.Context) (next time.Time, err error) {
	s.mu.Lock()
	arrivals := s.arrivals
	s.arrivals = nil
	s.mu.Unlock()
	for _, a := range arrivals {
		if a.connectionID == "" {
			if _, err := s.follow(ctx, a.userID, a.present); err != nil {
				return time.Time{}, err
			}
			continue
		}
		connection, err := s.store.Connection(ctx, a.userID, a.connectionID)
		if err == nil {
			_, err = s.make(ctx, connection, Attend(connection, a.present), func(t finance.SyncTask, now time.Time, attended bool) bool {
				return t.Stale(now, attended, s.StaleAfter)
			})
		}
		if err != nil && !errors.Is(err, finance.ErrNotFound) {
			return time.Time{}, err
		}
	}
	return time.Time{}, nil
}

// make makes tasks of a connection due, those that are to be done. With psu each of them is a part of the person's request.
func (s *Syncer) make(ctx context.Context, c finance.Connection, psu http.Header, wanted func(t finance.SyncTask, now time.Time, attended bool) bool) (due int,
	err error) {
	now := time.Now()
	if c.State(now) != finance.ConnectionActive {
		return 0, nil
	}
	tasks, err := s.store.Tasks(ctx, c.UserID, c.ID)
	if err != nil {
		return 0, err
	}
	var ids []string
	for _, t := range tasks {
		if wanted(t, now, psu != nil) {
			ids = append(ids, t.ID)
		}
	}
	if len(ids) == 0 {
		return 0, nil
	}
	s.attend(ids, psu, now)
	if due, err = s.store.SyncNow(ctx, c.UserID, c.ID, ids); err != nil {
		return 0, err
	}
	s.hub.Publish(c.UserID, live.Event{Topic: Topic, ID: c.ID})
	s.Wake()
	return due, nil
}

// attend notes that the next reads of tasks are a part of the person's request.
func (s *Syncer) attend(ids []string, psu http.Header, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, a := range s.present {
		if now.After(a.until) {
			delete(s.present, id)
		}
	}
	for _, id := range ids {
		if psu != nil {
			s.present[id] = attendance{psu, now.Add(attendedFor)}
		}
	}
}

// attended returns the headers of the person's request that a task is a part of, nil for none. They are for one read.
func (s *Syncer) attended(id string) http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.present[id]
	delete(s.present, id)
	if time.Now().After(a.until) {
		return nil
	}
	return a.psu
}

// learn asks which PSU headers the bank of a connection requires.
func (s *Syncer) learn(ctx context.Context, c *finance.Connection) error {
	if s.PSUHeaders == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookIn)
	defer cancel()
	provider, err := s.store.Provider(ctx, c.ProviderID)
	if err != nil {
		return err
	}
	names, err := s.PSUHeaders(ctx, provider, c.ASPSP)
	if len(names) > mostHeaders {
		names = names[:mostHeaders] // more than there are: no request has them all
	}
	if err != nil || slices.Equal(names, c.PSUHeaders) {
		return err
	}
	c.PSUHeaders = names
	return s.store.SavePSUHeaders(ctx, c.UserID, c.ID, names)
}

// relearn is learn for the connection of a claim.
func (s *Syncer) relearn(ctx context.Context, c store.Claim) {
	connection, err := s.store.Connection(ctx, c.Task.UserID, c.Task.ConnectionID)
	if err == nil {
		err = s.learn(ctx, &connection)
	}
	if err != nil && ctx.Err() == nil {
		s.log.Warn("PSU headers of a bank not known", "connection", c.Task.ConnectionID, "error", err)
	}
}

// headersRefused reports whether the service or the bank did not like the PSU headers: without them the read is as good, and counts.
func headersRefused(err error) bool {
	return errors.Is(err, openbanking.PSUHeaderInvalid) || errors.Is(err, openbanking.PSUHeaderNotProvided)
}
