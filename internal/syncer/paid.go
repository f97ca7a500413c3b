package syncer

import (
	"context"
	"errors"
	"net/http"
	"time"

	"florin/internal/finance"
)

// paidGrace is how long reads after news of a payment wait for a request of the person. As part of such a request they do not count as unattended.
const paidGrace = 5 * time.Second

// Paid wakes the loop that reads accounts on which the booking of a payment is missing. Call it when there is news of a payment.
func (s *Syncer) Paid() {
	if s.paid != nil {
		s.paid.Wake()
	}
}

// FollowPayments makes the tasks due that read accounts without the booking of a payment. It returns when to look again: right after news of the payment,
// then after 1, 5 and 30 minutes, until the booking is there. It depends only on stored payments and tasks, so it continues after a restart. It is the work
// of a jobs.Loop.
func (s *Syncer) FollowPayments(ctx context.Context) (next time.Time, err error) {
	users, err := s.store.UsersUnbooked(ctx)
	if err != nil {
		return time.Time{}, err
	}
	for _, userID := range users {
		then, err := s.follow(ctx, userID, nil)
		if err != nil {
			return time.Time{}, err
		}
		if next.IsZero() || !then.IsZero() && then.Before(next) {
			next = then
		}
	}
	return next, nil
}

// Await reads the user's accounts without the booking of a payment, because the person follows the payment on an open page. The reads are part of that
// request, whose headers are present. The page does not wait.
func (s *Syncer) Await(userID string, present http.Header) {
	s.enter(arrival{userID: userID, present: present})
}

// follow makes the tasks due that read a user's accounts without the booking of a payment. present are the headers of the person's own request, nil for none.
func (s *Syncer) follow(ctx context.Context, userID string, present http.Header) (next time.Time, err error) {
	unbooked, err := s.store.Unbooked(ctx, userID)
	if err != nil || len(unbooked) == 0 {
		return time.Time{}, err
	}
	connections, err := s.store.Connections(ctx, userID)
	if err != nil {
		return time.Time{}, err
	}
	for _, c := range connections {
		_, err := s.make(ctx, c, Attend(c, present), func(t finance.SyncTask, now time.Time, attended bool) (wanted bool) {
			for _, u := range unbooked {
				if u.AccountID != t.AccountID {
					continue
				}
				due, then := t.Awaits(u, now, attended, s.grace)
				wanted = wanted || due
				if next.IsZero() || !then.IsZero() && then.Before(next) {
					next = then
				}
			}
			return wanted
		})
		if err != nil && !errors.Is(err, finance.ErrNotFound) {
			return time.Time{}, err
		}
	}
	return next, nil
}
