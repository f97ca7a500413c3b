// Package aggregator is the domain of the aggregation service: applications, authorisations and sessions with
// their state machine, and the Connector through which the service talks to a bank. It is pure: no I/O.
package aggregator

import (
	"errors"
	"time"

	"florin/internal/openbanking"
)

// ErrNotFound is returned by lookups in the service's own storage when there is no such row. The engine turns it
// into the error code of the resource.
var ErrNotFound = errors.New("not found")

// Application is a registered API client (spec: Application).
type Application struct {
	ID             string // UUID; the kid of its tokens
	Name           string
	Description    string
	Environment    openbanking.Environment
	RedirectURLs   []string // compared by exact string match
	WebhookOrigins []string
	Services       []openbanking.Service
	GDPREmail      string
	PrivacyURL     string
	TermsURL       string
	Active         bool
	PublicKeyPEM   string // certificate or public key, as registered
	CreatedAt      time.Time
}

// PSU holds the headers that say that the PSU is online (spec: PSU headers), by canonical header name
// such as Psu-Ip-Address. An empty map means an unattended call.
type PSU map[string]string

// Attended reports whether the PSU is online.
func (p PSU) Attended() bool { return len(p) > 0 }
