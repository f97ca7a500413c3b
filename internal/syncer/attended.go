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

// attendedFor is how long after a person's request its reads may begin and still count as attended. Later the person may have left.
const attendedFor = 2 * time.Minute

// mostHeaders is the largest number of required headers that are stored; the specification knows eight.
const mostHeaders = 20

// attendance holds the headers of the person's own request that the bank requires, for a read that is part of that request. It is kept only in memory, for
// one read.
type attendance struct {
	psu   http.Header
	until time.Time
}

// arrival records that a person has opened a page with figures of a connection. Without a connection, the person is following a payment.
type arrival struct {
	userID, connectionID string
	present              http.Header
}

// Attend returns the PSU headers that tell the bank of a connection that the person is present: all that it requires, taken from present, those that the
// person's request can give. It returns nil when one of them is missing or the bank requires none (spec: ASPSP data).
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

// Refresh reads the data of the user's connection now because the person asks for it, and returns how many tasks are due. present are the PSU headers that
// the person's request can give. When the bank requires some and all are present, no limit holds tasks back. Otherwise tasks that a limit of the bank or
// Florin's own (finance.MostReads) holds back are not made due. When no task is due, none would notice that the session has ended, so Refresh asks for the
// session itself and ends the connection if necessary. It returns finance.ErrNotFound when the connection is not the user's.
func (s *Syncer) Refresh(ctx context.Context, userID, connectionID string, present http.Header) (due int, err error) {
	connection, err := s.store.Connection(ctx, userID, connectionID)
	if err != nil {
		return 0, err
	}
	if len(connection.PSUHeaders) == 0 { // it was linked by an older Florin that did not ask, or the service did not answer
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

// Arrive records that the person has opened a page with figures of a connection. Outdated figures are read again soon. The page does not wait.
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

// Admit makes the tasks for outdated figures due, for connections whose pages were opened. It returns when to call it again: only after a new arrival. It is
// the work of a jobs.Loop.
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

// make makes the wanted tasks of a connection due. With psu each of them is part of the person's request.
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

// attend records that the next reads of tasks are part of the person's request.
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

// attended returns the headers of the person's request that a task is part of, nil for none. They are returned only once.
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

// learn asks which PSU headers the bank of a connection requires, and stores them.
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
		names = names[:mostHeaders] // more than exist, so no request has all of them
	}
	if err != nil || slices.Equal(names, c.PSUHeaders) {
		return err
	}
	c.PSUHeaders = names
	return s.store.SavePSUHeaders(ctx, c.UserID, c.ID, names)
}

// relearn calls learn for the connection of a claim.
func (s *Syncer) relearn(ctx context.Context, c store.Claim) {
	connection, err := s.store.Connection(ctx, c.Task.UserID, c.Task.ConnectionID)
	if err == nil {
		err = s.learn(ctx, &connection)
	}
	if err != nil && ctx.Err() == nil {
		s.log.Warn("PSU headers of a bank not known", "connection", c.Task.ConnectionID, "error", err)
	}
}

// headersRefused reports whether the service or the bank refused the PSU headers. The read succeeds without them, but then counts as unattended.
func headersRefused(err error) bool {
	return errors.Is(err, openbanking.PSUHeaderInvalid) || errors.Is(err, openbanking.PSUHeaderNotProvided)
}
