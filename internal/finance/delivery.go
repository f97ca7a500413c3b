package finance

import (
	"time"

	"florin/internal/openbanking"
)

// Delivery is one webhook that arrived, accepted or refused, as the owner's inbox shows it.
type Delivery struct {
	ID         string
	ProviderID string
	Received   time.Time
	Body       string          // as received, cut to a bound
	BodyHash   string          // of all of it, as far as it was read
	Size       int             // of all of it, as far as it was read
	Checks     []DeliveryCheck // in the order in which they were made; the last one failed unless the delivery is verified
	Verified   bool            // all checks of the sender and the content passed
	Answer     int             // HTTP status that was answered

	// The certificate or bare key with which the signature was made; empty before that is proved.
	KeyFingerprint string    // its SHA-256
	KeyEnds        time.Time // zero for a bare key
	Pin            bool      // no authority vouches for it: it is pinned with the delivery. Not stored

	// What a body that was read says; empty before.
	WebhookID string
	PaymentID string // of the service
	Status    openbanking.PaymentStatus
	Expected  bool // payment_updates_expected
	Auth      openbanking.PaymentAuthStatus
	Triggered time.Time

	LocalID string    // the payment of ours, "" when it is not known
	Repeats int       // how often the same event came again
	Counted bool      // stands for all that its check refused and that are not kept one by one; it shows the last of them
	Applied time.Time // when its effect was settled, the last time; zero while it waits for that
	Result  string    // what it changed the first time, in words; "" before
}

// DeliveryResult is the result of applying or replaying a webhook.
type DeliveryResult struct {
	At   time.Time
	Text string // what it changed, in words
}

// DeliveryCheck is one step in the verification of a webhook.
type DeliveryCheck struct {
	Name   string `json:"name"`
	Passed bool   `json:"passed"`
	Detail string `json:"detail,omitempty"` // in words; never a token, a key or what a payment is about
}

// Failed is the check that refused a delivery, its zero value when none did.
func (d Delivery) Failed() DeliveryCheck {
	for _, c := range d.Checks {
		if !c.Passed {
			return c
		}
	}
	return DeliveryCheck{}
}

// DeliveryOutcome says what happened to a verified webhook when it was stored.
type DeliveryOutcome int

// Values of DeliveryOutcome.
const (
	DeliveryNew       DeliveryOutcome = iota // stored, its payment is due
	DeliveryRepeated                         // the event is known already: nothing was changed
	DeliveryConflict                         // the webhook_id is known with another body
	DeliveryForeign                          // no payment of ours has this payment_id, and none is looking for its own
	DeliveryUntrusted                        // its key is not the one that is known
)
