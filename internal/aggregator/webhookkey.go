package aggregator

import "time"

// WebhookKey is a key that proves webhooks, with its certificate.
type WebhookKey struct {
	ID          string // UUID; the name of the certificate in x5u
	Purpose     WebhookKeyPurpose
	Sealed      string // the private key, encrypted; empty once it was replaced
	Certificate string // PEM
	Created     time.Time
	Expires     time.Time // of the certificate
}

// WebhookKeyPurpose is what a key is for.
type WebhookKeyPurpose string

// The purposes.
const (
	WebhookAuthority WebhookKeyPurpose = "authority" // issues the certificates
	WebhookSigning   WebhookKeyPurpose = "signing"   // signs the tokens of webhooks
)
