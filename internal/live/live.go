// Package live tells the open pages of a user that something changed: a hub in memory to publish and subscribe,
// and the stream of server-sent events a browser listens to. An event is a hint, not the truth: a page that missed one
// is right again at its next request.
package live

import "sync"

const (
	backlog = 32 // events that wait for a subscriber before it is dropped as too slow
	perUser = 20 // subscriptions of one user: open pages, in all browsers
)

// Event says that something of the user's changed. It carries no data; who shows it looks it up.
type Event struct {
	Topic string // what kind of thing, e.g. "connection"
	ID    string // which one
}

// Hub passes events from those who change something to the open pages of the same user. Each user is a topic of their own:
// there is no way to subscribe to another's or to all.
type Hub struct {
	mu     sync.Mutex
	users  map[string]map[*Subscription]struct{}
	closed bool
}

// NewHub returns an open hub without subscribers.
func NewHub() *Hub { return &Hub{users: map[string]map[*Subscription]struct{}{}} }

// Subscription receives the events of one user. Its owner closes it.
type Subscription struct {
	hub    *Hub
	userID string
	events chan Event
}

// Subscribe returns a subscription to the user's events, with these as its first ones. It has ended already on a closed
// hub, and while the user has as many as one may have: the page tries again from time to time, until one of the others ends.
func (h *Hub) Subscribe(userID string, first ...Event) *Subscription {
	s := &Subscription{hub: h, userID: userID, events: make(chan Event, backlog)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || len(h.users[userID]) >= perUser {
		close(s.events)
		return s
	}
	for _, e := range first {
		s.events <- e
	}
	if h.users[userID] == nil {
		h.users[userID] = map[*Subscription]struct{}{}
	}
	h.users[userID][s] = struct{}{}
	return s
}

// Publish passes e to the user's subscriptions. It never blocks: a subscription whose backlog is full is ended,
// and its page connects again.
func (h *Hub) Publish(userID string, e Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.users[userID] {
		select {
		case s.events <- e:
		default:
			h.end(s)
		}
	}
}

// Disconnect ends the user's subscriptions. Pages whose sign-in is still good connect again, the others stay out.
func (h *Hub) Disconnect(userID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.users[userID] {
		h.end(s)
	}
}

// Close ends all subscriptions, now and later. Register it with http.Server.RegisterOnShutdown, since Shutdown waits
// for open streams. It may be called more than once.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, subscriptions := range h.users {
		for s := range subscriptions {
			h.end(s)
		}
	}
}

// C is the channel of events. It is closed when the subscription ends: by Close, by the hub, or because it was too slow.
func (s *Subscription) C() <-chan Event { return s.events }

// Close ends the subscription. It may be called more than once.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.hub.end(s)
}

// end removes s and closes its channel, once. The caller holds the lock.
func (h *Hub) end(s *Subscription) {
	subscriptions := h.users[s.userID]
	if _, ok := subscriptions[s]; !ok {
		return
	}
	delete(subscriptions, s)
	if len(subscriptions) == 0 {
		delete(h.users, s.userID)
	}
	close(s.events)
}
