package aggregator

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"florin/internal/openbanking"
)

// Webhook is one event of a payment on its way to the application: a row that is written together with the change it tells
// of. Its body never changes; events of one payment are delivered in their order.
type Webhook struct {
	ID            string // webhook_id: UUID
	PaymentID     string
	ApplicationID string
	Environment   openbanking.Environment
	Sequence      int // of the events of the payment, from 1
	URL           string
	Origin        string // OriginOf URL
	Body          string // JSON of openbanking.PaymentStatusWebhook
	Status        openbanking.PaymentStatus
	Created       time.Time
	Due           time.Time // of the next try
	Attempts      int
	Delivered     time.Time // when it was acknowledged; zero before
	GivenUp       time.Time // when its 24 hours were over; zero before
	Again         time.Time // since when one more try of a closed event is asked for; zero: none is
}

// OriginOf returns scheme, host and port of a URL as a browser spells them: in small letters, without the port of the scheme.
// What is no URL is returned as it is.
func OriginOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	host := strings.ToLower(u.Host)
	host = strings.TrimSuffix(host, map[string]string{"https": ":443", "http": ":80"}[u.Scheme])
	return u.Scheme + "://" + host
}

// ListsOrigin reports whether an origin, spelled as OriginOf does, is one of a list in whatever spelling.
func ListsOrigin(list []string, origin string) bool {
	return slices.ContainsFunc(list, func(o string) bool { return OriginOf(o) == origin })
}

// Open reports whether the event is still to be delivered.
func (w Webhook) Open() bool { return w.Delivered.IsZero() && w.GivenUp.IsZero() }

// WebhookAttempt is one try to deliver an event.
type WebhookAttempt struct {
	WebhookID string
	Number    int // from 1
	At        time.Time
	Latency   time.Duration
	Status    int    // of HTTP; zero: no answer
	Outcome   string // in words: acknowledged, or what was wrong; never a part of the answer's body
}

// WebhookResult is one try with what follows from it. The number of the attempt is given by the store.
type WebhookResult struct {
	WebhookAttempt
	Acknowledged bool
	Next         time.Time // of an open event that was not acknowledged: the next try; zero: it is given up
}

// AcknowledgesWebhook reports whether an answer with this status acknowledges an event (spec: Events); 102 is an interim one.
func AcknowledgesWebhook(status int) bool {
	return slices.Contains([]int{102, 200, 201, 202, 204}, status)
}

// WebhookState is where an event stands.
type WebhookState string

// The states of an event.
const (
	WebhookOpen      WebhookState = "open" // still to be delivered
	WebhookDelivered WebhookState = "delivered"
	WebhookGivenUp   WebhookState = "given up"
)

// State returns where the event stands.
func (w Webhook) State() WebhookState {
	switch {
	case !w.Delivered.IsZero():
		return WebhookDelivered
	case !w.GivenUp.IsZero():
		return WebhookGivenUp
	}
	return WebhookOpen
}

// WebhookRecord is an event with its last attempt, as a log lists it; before the first one Last is zero.
type WebhookRecord struct {
	Webhook
	Last WebhookAttempt
}

// WebhookFilter selects events of an application; an empty field selects all. The application is always named.
type WebhookFilter struct {
	ApplicationID string
	PaymentID     string
	State         WebhookState
	Before        RequestCursor // by Created and ID
	Limit         int
}
