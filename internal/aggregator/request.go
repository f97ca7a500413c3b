package aggregator

import (
	"time"

	"florin/internal/openbanking"
)

// Request is one call of an application as its log keeps it: never a body, a query string or a token.
type Request struct {
	ID            string // request id
	ApplicationID string
	At            time.Time
	Endpoint      string // method and pattern, such as "GET /accounts/{account_id}/balances"
	Resource      string // the UUID in the path: of a session, an account or a payment; may be empty
	RequestSubject
	BankCalls []BankCall // what the bank was asked, in the order of the answers
	Status    int        // of HTTP
	Error     openbanking.ErrorCode
	ASPSP     openbanking.ASPSP // empty where no bank is involved
	Latency   time.Duration
}

// RequestSubject is what a call is about, as it stands after the call: a session, or a payment. Its zero value is neither.
type RequestSubject struct {
	AuthorizationID string // of a payment, its id
	SessionID       string
	SessionStatus   openbanking.SessionStatus
	PSUType         openbanking.PSUType
	AuthApproach    openbanking.AuthenticationApproach // empty until the PSU has chosen a method
	AuthMethod      string                             // likewise; empty too where the bank's method has no name
}

// BankCall is one call to a bank.
type BankCall struct {
	Name    string                `json:"name"` // of the method of Connector
	Latency time.Duration         `json:"latency"`
	Error   openbanking.ErrorCode `json:"error,omitempty"`
}

// Failed reports whether the bank failed; what it refuses is no failure.
func (c BankCall) Failed() bool {
	return c.Error == openbanking.ASPSPError || c.Error == openbanking.ASPSPTimeout
}

// BankCalls is how many calls to a bank were made for PSUs of a type, and how many of them failed.
type BankCalls struct {
	ASPSP        openbanking.ASPSP
	PSUType      openbanking.PSUType
	Made, Failed int
}

// RequestFilter selects requests; an empty field selects all. Applications are always named.
type RequestFilter struct {
	ApplicationIDs []string
	ID             string
	Endpoint       string
	Resource       string // the UUID in the path, or the id of the authorization or of the session
	AccountID      string // of the path
	PaymentID      string // likewise, or of the payment that was made
	RequestSubject
	StatusFrom int // inclusive
	StatusTo   int // inclusive; zero: no end
	Error      string
	Country    string
	Bank       string
	From       time.Time // inclusive
	Before     RequestCursor
	Limit      int
}

// RequestCursor is a place in a log, newest first: what comes after it is older. The zero cursor is the begin.
type RequestCursor struct {
	At time.Time
	ID string
}
