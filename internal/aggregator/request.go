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
	Status        int    // of HTTP
	Error         openbanking.ErrorCode
	ASPSP         openbanking.ASPSP // empty where no bank is involved
	Latency       time.Duration
}

// RequestFilter selects requests; an empty field selects all. Applications are always named.
type RequestFilter struct {
	ApplicationIDs []string
	ID             string
	Endpoint       string
	Resource       string
	StatusFrom     int // inclusive
	StatusTo       int // inclusive; zero: no end
	Error          string
	Country        string
	Bank           string
	From           time.Time // inclusive
	Before         RequestCursor
	Limit          int
}

// RequestCursor is a place in a log, newest first: what comes after it is older. The zero cursor is the begin.
type RequestCursor struct {
	At time.Time
	ID string
}
