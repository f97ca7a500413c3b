package aggregator

import (
	"time"

	"florin/internal/openbanking"
)

// Authorization is what a PSU is asked to authorise at a bank: access to accounts, which makes a Session, or a Payment.
// It holds what the two have in common; the hosted pages lead through both in the same way.
type Authorization struct {
	AuthorizationID string // UUID; of a payment, the payment id; of a session, never the session id
	ApplicationID   string
	ASPSP           openbanking.ASPSP
	PSUType         openbanking.PSUType
	AuthMethod      string // name of a method of the ASPSP, or empty: the PSU chooses
	PSUIDHash       string // 64 hexadecimal characters
	State           string // returned in the redirect
	RedirectURL     string
	Language        string // two-letter code, or empty
	Created         time.Time
	PageExpires     time.Time // what is not authorised by then is over
}
