package finance

import (
	"strconv"
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
	Name    string          `json:"name"`
	Passed  bool            `json:"passed"`
	Finding DeliveryFinding `json:"finding,omitzero"`
	Said    string          `json:"detail,omitempty"` // kept in words, from before there were codes of findings
}

// DeliveryFinding is what a check found: why it refused a webhook, or a value that it saw. It never holds a token or what a payment is about.
type DeliveryFinding struct {
	Code   FindingCode      `json:"code"`
	Of     string           `json:"of,omitempty"`     // the name of a field; for the values seen: an address, an environment, a SHA-256
	Number int              `json:"number,omitempty"` // of bytes or bits, or the HTTP status of an answer
	Until  openbanking.Date `json:"until,omitempty"`  // last day of a certificate, in UTC
}

// String returns the finding for the log.
func (f DeliveryFinding) String() string {
	text := string(f.Code)
	for _, part := range []string{f.Of, string(f.Until)} {
		if part != "" {
			text += " " + part
		}
	}
	if f.Number != 0 {
		text += " " + strconv.Itoa(f.Number)
	}
	return text
}

// FindingCode says what a check found.
type FindingCode string

// Values of FindingCode of a check that refused a webhook.
const (
	FindingMethod          FindingCode = "method"           // not POST
	FindingContentType     FindingCode = "content_type"     // not application/json
	FindingContentEncoding FindingCode = "content_encoding" // the body is not plain
	FindingAuthorization   FindingCode = "authorization"    // not exactly one header
	FindingNoBearer        FindingCode = "no_bearer"
	FindingTokenLong       FindingCode = "token_long"
	FindingTokenSpace      FindingCode = "token_space"
	FindingTokenParts      FindingCode = "token_parts"    // not three
	FindingTokenEncoding   FindingCode = "token_encoding" // not base64url

	// Of the JSON of the header, the claims or the body.
	FindingNotObject    FindingCode = "not_object"
	FindingDuplicate    FindingCode = "duplicate_name"
	FindingSpelling     FindingCode = "name_case"
	FindingMissing      FindingCode = "missing"       // Of
	FindingNotTime      FindingCode = "not_time"      // Of
	FindingNotUUID      FindingCode = "not_uuid"      // Of
	FindingNotBoolean   FindingCode = "not_boolean"   // Of
	FindingUnknownValue FindingCode = "unknown_value" // Of
	FindingBadID        FindingCode = "bad_id"        // Of; missing, too long, or not of printed ASCII

	FindingHeaderField FindingCode = "header_field" // Of; it must not be there
	FindingNotJWT      FindingCode = "not_jwt"
	FindingNotRS256    FindingCode = "not_rs256"

	FindingAddressMalformed FindingCode = "address_malformed"
	FindingAddressScheme    FindingCode = "address_scheme" // not https
	FindingAddressParts     FindingCode = "address_parts"  // a user or a fragment, or no path
	FindingAddressHost      FindingCode = "address_host"   // not the service's

	FindingFetchLimit     FindingCode = "fetch_limit"  // too many in a short time
	FindingFetchTime      FindingCode = "fetch_time"   // none was left
	FindingFetchClient    FindingCode = "fetch_client" // there is none
	FindingFetchFailed    FindingCode = "fetch_failed"
	FindingFetchStatus    FindingCode = "fetch_status" // Number
	FindingFetchBrokeOff  FindingCode = "fetch_broke_off"
	FindingFetchLarge     FindingCode = "fetch_large"
	FindingFetchChanges   FindingCode = "fetch_changes"  // too often
	FindingNoCertificate  FindingCode = "no_certificate" // and no key
	FindingKeyNotRSA      FindingCode = "key_not_rsa"
	FindingKeySize        FindingCode = "key_size" // Number: bits
	FindingKeyBare        FindingCode = "key_bare" // where an authority is asked
	FindingCertEarly      FindingCode = "certificate_early"
	FindingCertExpired    FindingCode = "certificate_expired"
	FindingCertUsage      FindingCode = "certificate_usage"     // not for signatures
	FindingCertExtension  FindingCode = "certificate_extension" // critical and unknown
	FindingCertAuthority  FindingCode = "certificate_authority" // another one than the service's
	FindingSignature      FindingCode = "signature"
	FindingTokenExpired   FindingCode = "token_expired"
	FindingTokenEarly     FindingCode = "token_early"
	FindingTokenFuture    FindingCode = "token_future"
	FindingApplication    FindingCode = "application"    // another one
	FindingEnvironment    FindingCode = "environment"    // another one
	FindingBodyLarge      FindingCode = "body_large"     // Number: the bytes it may have
	FindingBodyBrokeOff   FindingCode = "body_broke_off" // Number: the bytes that came
	FindingBodyEmpty      FindingCode = "body_empty"
	FindingDigest         FindingCode = "digest" // of another body
	FindingKeyUnknown     FindingCode = "key_unknown"
	FindingEventOld       FindingCode = "event_old"
	FindingEventFuture    FindingCode = "event_future"
	FindingPaymentUnknown FindingCode = "payment_unknown"
	FindingOtherBody      FindingCode = "other_body" // the event is known with it
)

// Values of FindingCode of a check that passed: what it saw.
const (
	FindingValue       FindingCode = "value" // Of: an address or an environment
	FindingFetched     FindingCode = "fetched"
	FindingRemembered  FindingCode = "remembered"  // it was fetched before
	FindingCertificate FindingCode = "certificate" // Of: its SHA-256; Until
	FindingBareKey     FindingCode = "bare_key"    // Of: its SHA-256
	FindingBytes       FindingCode = "bytes"       // Number
	FindingAuthority   FindingCode = "authority"   // it vouches for the key
)

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
