package syncer

import (
	"context"
	"time"

	"florin/internal/finance"
	"florin/internal/live"
)

// LookAtIdle asks the service for the sessions of connections that are not being read, because no read would show that their session was ended elsewhere.
// This does not count as a read at the bank. A service that does not answer is asked again the next time. It returns when to call it again, and is the work
// of a jobs.Loop.
func (s *Syncer) LookAtIdle(ctx context.Context) (next time.Time, err error) {
	now := time.Now()
	idle, err := s.store.IdleConnections(ctx, now.Add(-silentFor))
	if err != nil {
		return time.Time{}, err
	}
	away := map[string]bool{}
	for _, c := range idle {
		if away[c.ProviderID] {
			continue
		}
		ended, err := s.look(ctx, c.UserID, c.ID)
		switch {
		case ctx.Err() != nil:
			return time.Time{}, ctx.Err()
		case err != nil:
			s.log.Warn("status of a session not known", "connection", c.ID, "error", err)
			away[c.ProviderID] = finance.FailureOf(err).Code == finance.FailureUnreachable
		case ended:
			s.hub.Publish(c.UserID, live.Event{Topic: Topic, ID: c.ID})
		}
	}
	return now.Add(lookEvery), nil
}
