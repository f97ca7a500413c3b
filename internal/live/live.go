// Package live notifies the open pages of a user of changes. It has a hub in memory to publish and subscribe, and the stream of server-sent events that a
// browser receives. Events carry no data: a page that missed one is up to date after its next request.
package live

import "sync"

const (
	backlog = 32 // events waiting for a subscriber; with more it is dropped as too slow
	perUser = 20 // subscriptions of one user: open pages, in all browsers
)

// Event says that some data of the user has changed. It does not contain the data; the receiver reads it.
type Event struct {
	Topic string // the kind of data, e.g. "connection"
	ID    string // of the changed item
}

// Hub passes events to the open pages of the same user. It is not possible to subscribe to events of another user or of all users.
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

// Subscribe returns a subscription to the user's events, beginning with those in first. The subscription is already closed when the hub is closed, or when
// the user has too many: the page then retries from time to time, until one of the others ends.
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

// Publish passes e to the user's subscriptions. It never blocks: a subscription with a full backlog is closed, and its page reconnects.
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

// Disconnect closes the user's subscriptions. Pages with a valid sign-in reconnect, others cannot.
func (h *Hub) Disconnect(userID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.users[userID] {
		h.end(s)
	}
}

// Close closes all subscriptions, also later ones. Register it with http.Server.RegisterOnShutdown, because Shutdown waits for open streams. It may be called
// more than once.
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

// C returns the channel of events. It is closed when the subscription ends: by Close, by the hub, or because it was too slow.
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
