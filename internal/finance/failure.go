package finance

import (
	"errors"
	"fmt"
	"time"

	"florin/internal/openbanking"
)

// Failure is why something that Florin asked of a service failed: a link, a sync, a payment, a check of it. It is kept as a code without words of
// Florin's; pages say what the code means. Its zero value is no failure.
type Failure struct {
	Code      FailureCode
	Said      string // the bank's or the service's own words: untrusted, any language, often empty
	RequestID string // of the API's answer; "" when there was none
	At        time.Time
}

// FailureCode is an error code of the API (spec: Errors), "HTTP_nnn" for an answer without one, an error of the redirect back from the bank
// ("access_denied", RFC 6749, section 4.1.2.1), or one of the constants. It is an error itself: FailureOf finds it in any chain.
type FailureCode string

// Codes that neither the API nor the redirect has.
const (
	FailureUnreachable FailureCode = "unreachable" // the service did not answer
	FailureSilent      FailureCode = "silent"      // the bank, asked through the service, did not answer in time
	FailureUnreadable  FailureCode = "unreadable"  // the service answered, but not with what was asked for
	FailureEndless     FailureCode = "endless"     // the service never came to the last page of a list
	FailureInternal    FailureCode = "internal"    // a fault of Florin's; the log knows more
	FailureStopped     FailureCode = "stopped"     // Florin ended while a link was being completed
	FailureInterrupted FailureCode = "interrupted" // Florin ended while a payment was being sent
	FailureTooOld      FailureCode = "too_old"     // nobody came back from the bank in time
	FailureNoCode      FailureCode = "no_code"     // the callback had neither code nor error
	FailureMismatch    FailureCode = "mismatch"    // the authorisation belongs to somebody or something else (security T11)
	FailureLapsed      FailureCode = "lapsed"      // the outcome of a payment stayed unknown until nobody could approve it any more
)

// FailureDenied is the error of the redirect when the person said no, or could not sign in at the bank (RFC 6749, section 4.1.2.1).
const FailureDenied FailureCode = "access_denied"

// Error returns the code.
func (c FailureCode) Error() string { return string(c) }

// FailureOf returns why an error happened: what the service answered, FailureUnreadable for an answer that is none (an error with a method Unreadable), a
// FailureCode in the chain of the error, FailureUnreachable for a call without an answer (net.Error, deadlines), and FailureInternal for all else. At is left
// to the caller.
func FailureOf(err error) Failure {
	var answer *openbanking.Error
	var code FailureCode
	var call interface{ Timeout() bool }
	var useless interface{ Unreadable() bool }
	switch {
	case errors.As(err, &useless) && useless.Unreadable():
		f := Failure{Code: FailureUnreadable}
		if errors.As(err, &answer) {
			f.RequestID = answer.RequestID
		}
		return f
	case errors.As(err, &answer) && answer.Code == "":
		return Failure{Code: FailureCode(fmt.Sprintf("HTTP_%d", answer.HTTPStatus())), Said: Excerpt(answer.Message), RequestID: answer.RequestID}
	case errors.As(err, &answer):
		return Failure{Code: FailureCode(answer.Code), Said: Excerpt(answer.Message), RequestID: answer.RequestID}
	case errors.As(err, &code):
		return Failure{Code: code}
	case errors.As(err, &call):
		return Failure{Code: FailureUnreachable}
	}
	return Failure{Code: FailureInternal}
}
