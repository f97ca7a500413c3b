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

	LocalID string         // the payment of ours, "" when it is not known
	Repeats int            // how often the same event came again
	Counted bool           // stands for all that its check refused and that are not kept one by one; it shows the last of them
	Applied time.Time      // when its effect was settled, the last time; zero while it waits for that
	Result  DeliveryEffect // what it changed the first time; zero before
}

// DeliveryResult is the result of applying or replaying a webhook.
type DeliveryResult struct {
	At     time.Time
	Effect DeliveryEffect
}

// DeliveryEffect is what a webhook changed, or why it changed nothing.
type DeliveryEffect struct {
	Kind     EffectKind                    `json:"kind"`
	Before   ReportedStatus                `json:"before,omitzero"` // of the payment, for EffectStatus
	After    ReportedStatus                `json:"after,omitzero"`  // of the payment
	Approval openbanking.PaymentAuthStatus `json:"approval,omitempty"`
	Final    bool                          `json:"final,omitempty"` // the payment is final now
	Said     string                        `json:"said,omitempty"`  // of EffectOther
}

// ReportedStatus is the status of a payment with that of its cancellation, "" where none is under way.
type ReportedStatus struct {
	Status       openbanking.PaymentStatus `json:"status"`
	Cancellation openbanking.PaymentStatus `json:"cancellation,omitempty"`
}

// EffectKind says what kind of effect a webhook had.
type EffectKind string

// Values of EffectKind.
const (
	EffectStatus        EffectKind = "status"         // the status became another one
	EffectApproval      EffectKind = "approval"       // the authorisation became another one
	EffectDetails       EffectKind = "details"        // only details changed, a reason for example
	EffectNone          EffectKind = "none"           // the service said nothing new
	EffectFinal         EffectKind = "final"          // none: the payment was final already
	EffectFinalApproval EffectKind = "final_approval" // the payment was final already, and it is known now how the authorisation ended
	EffectNotAnswered   EffectKind = "not_answered"   // none: the service did not say which payment this is
	EffectNotOurs       EffectKind = "not_ours"       // none: another client made the payment
	EffectStillSending  EffectKind = "still_sending"  // none: the payment was still being sent
	EffectSameReference EffectKind = "same_reference" // none: another payment has the same reference
	EffectOther         EffectKind = "other"          // kept in words, from before there were these codes
)

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
