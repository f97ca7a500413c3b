package openbanking

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// ErrorCode is the text code of an error (spec: Errors). It is an error itself, so that
// errors.Is(err, openbanking.ExpiredSession) works through any chain in both halves.
type ErrorCode string

// Values of ErrorCode.
const (
	AccessDenied              ErrorCode = "ACCESS_DENIED"                // access denied; check the services available to the application
	AccountDoesNotExist       ErrorCode = "ACCOUNT_DOES_NOT_EXIST"       // no account with the given id
	AlreadyAuthorized         ErrorCode = "ALREADY_AUTHORIZED"           // session already authorized
	ASPSPAccountNotAccessible ErrorCode = "ASPSP_ACCOUNT_NOT_ACCESSIBLE" // the PSU has no access to the account or it does not exist
	ASPSPError                ErrorCode = "ASPSP_ERROR"                  // error interacting with the ASPSP
	ASPSPPaymentNotAccessible ErrorCode = "ASPSP_PAYMENT_NOT_ACCESSIBLE" // payment cannot be requested from the ASPSP
	ASPSPPSUActionRequired    ErrorCode = "ASPSP_PSU_ACTION_REQUIRED"    // PSU action required to proceed
	ASPSPRateLimitExceeded    ErrorCode = "ASPSP_RATE_LIMIT_EXCEEDED"    // ASPSP rate limit exceeded
	ASPSPTimeout              ErrorCode = "ASPSP_TIMEOUT"                // timeout interacting with the ASPSP
	AuthorizationNotProvided  ErrorCode = "AUTHORIZATION_NOT_PROVIDED"   // Authorization header missing
	ClosedSession             ErrorCode = "CLOSED_SESSION"               // session closed
	DateFromInFuture          ErrorCode = "DATE_FROM_IN_FUTURE"          // date_from in the future
	DateToWithoutDateFrom     ErrorCode = "DATE_TO_WITHOUT_DATE_FROM"    // date_to given without date_from
	ExpiredAuthorizationCode  ErrorCode = "EXPIRED_AUTHORIZATION_CODE"   // authorisation code expired
	ExpiredSession            ErrorCode = "EXPIRED_SESSION"              // session expired
	InvalidAccountID          ErrorCode = "INVALID_ACCOUNT_ID"           // either iban or other account identification is required
	InvalidHost               ErrorCode = "INVALID_HOST"                 // invalid host
	InvalidPayment            ErrorCode = "INVALID_PAYMENT"              // invalid or expired payment
	NoAccountsAdded           ErrorCode = "NO_ACCOUNTS_ADDED"            // no allowed accounts added to the application
	PaymentLimitExceeded      ErrorCode = "PAYMENT_LIMIT_EXCEEDED"       // amount or number of transactions exceeds the limit
	PaymentNotFinalized       ErrorCode = "PAYMENT_NOT_FINALIZED"        // a payment that is not finalized or cancelled cannot be deleted
	PaymentNotFound           ErrorCode = "PAYMENT_NOT_FOUND"            // payment not found
	PSUHeaderInvalid          ErrorCode = "PSU_HEADER_INVALID"           // a PSU header holds an invalid value
	PSUHeaderNotProvided      ErrorCode = "PSU_HEADER_NOT_PROVIDED"      // a required PSU header is missing
	RedirectURINotAllowed     ErrorCode = "REDIRECT_URI_NOT_ALLOWED"     // redirect URI not allowed
	RevokedSession            ErrorCode = "REVOKED_SESSION"              // session revoked
	SessionDoesNotExist       ErrorCode = "SESSION_DOES_NOT_EXIST"       // no session with the given id
	TransactionDoesNotExist   ErrorCode = "TRANSACTION_DOES_NOT_EXIST"   // no transaction with the given id
	UnauthorizedAccess        ErrorCode = "UNAUTHORIZED_ACCESS"          // unauthorized access
	UnauthorizedIP            ErrorCode = "UNAUTHORIZED_IP"              // the IP address is not authorized
	UntrustedPaymentParty     ErrorCode = "UNTRUSTED_PAYMENT_PARTY"      // creditor or debtor account is not trusted
	WebhookURINotAllowed      ErrorCode = "WEBHOOK_URI_NOT_ALLOWED"      // webhook URI not allowed
	WrongASPSPProvided        ErrorCode = "WRONG_ASPSP_PROVIDED"         // wrong ASPSP name
	WrongAuthorizationCode    ErrorCode = "WRONG_AUTHORIZATION_CODE"     // wrong authorisation code
	WrongContinuationKey      ErrorCode = "WRONG_CONTINUATION_KEY"       // wrong continuation key
	WrongCredentialsProvided  ErrorCode = "WRONG_CREDENTIALS_PROVIDED"   // wrong credentials
	WrongDateInterval         ErrorCode = "WRONG_DATE_INTERVAL"          // date_from must be less than or equal to date_to
	WrongRequestParameters    ErrorCode = "WRONG_REQUEST_PARAMETERS"     // wrong request parameters
	WrongSessionStatus        ErrorCode = "WRONG_SESSION_STATUS"         // wrong session status
	WrongTransactionsPeriod   ErrorCode = "WRONG_TRANSACTIONS_PERIOD"    // wrong transactions period requested
)

// Error returns the code as the wire spells it.
func (c ErrorCode) Error() string { return string(c) }

// Status returns the HTTP status of the code; 500 for a code that the specification does not name.
func (c ErrorCode) Status() int {
	for _, e := range errorTable {
		if e.code == c {
			return e.status
		}
	}
	return http.StatusInternalServerError
}

// Message returns the message that the service sends with the code.
func (c ErrorCode) Message() string {
	for _, e := range errorTable {
		if e.code == c {
			return e.message
		}
	}
	return http.StatusText(http.StatusInternalServerError)
}

// OfASPSP reports whether the code tells of the interaction between the service and the ASPSP (spec: Errors, those whose names begin with ASPSP_): the
// service took the call and went to the ASPSP with it, so what happened there is not known from the code.
func (c ErrorCode) OfASPSP() bool { return strings.HasPrefix(string(c), "ASPSP_") }

// Values returns every code, in the order of the specification.
func (ErrorCode) Values() []ErrorCode {
	codes := make([]ErrorCode, len(errorTable))
	for i, e := range errorTable {
		codes[i] = e.code
	}
	return codes
}

// errorTable is the one place that knows the HTTP status and the message of a code
// (api-notes 1; where nothing was observed, the message is the meaning in the specification).
var errorTable = []struct {
	code    ErrorCode
	status  int
	message string
}{
	{AccessDenied, 403, "Access denied; check the services available to the application"},
	{AccountDoesNotExist, 404, "No account found matching provided id"},
	{AlreadyAuthorized, 422, "Session is already authorized"},
	{ASPSPAccountNotAccessible, 400, "Account not found"},
	{ASPSPError, 400, "Error interacting with ASPSP"},
	{ASPSPPaymentNotAccessible, 400, "Payment cannot be requested from the ASPSP"},
	{ASPSPPSUActionRequired, 400, "PSU action required to proceed"},
	{ASPSPRateLimitExceeded, 429, "Too many requests"},
	{ASPSPTimeout, 408, "Timeout interacting with the ASPSP"},
	{AuthorizationNotProvided, 401, "Authorization header is not provided"},
	{ClosedSession, 401, "Session is closed"},
	{DateFromInFuture, 422, "date_from in the future"},
	{DateToWithoutDateFrom, 422, "date_to given without date_from"},
	{ExpiredAuthorizationCode, 422, "Authorisation code expired"},
	{ExpiredSession, 401, "Session is expired"},
	{InvalidAccountID, 422, "Either iban or other account identification is required"},
	{InvalidHost, 400, "Invalid host"},
	{InvalidPayment, 422, "Invalid or expired payment"},
	{NoAccountsAdded, 403, "No allowed accounts added to the application"},
	{PaymentLimitExceeded, 422, "Amount or number of transactions exceeds the limit"},
	{PaymentNotFinalized, 422, "A payment that is not finalized or cancelled cannot be deleted"},
	{PaymentNotFound, 404, "Payment not found"},
	{PSUHeaderInvalid, 422, "A PSU header holds an invalid value"},
	{PSUHeaderNotProvided, 422, "Required PSU header is not provided"},
	{RedirectURINotAllowed, 400, "Redirect URI not allowed"},
	{RevokedSession, 401, "Session revoked"},
	{SessionDoesNotExist, 404, "No session found matching provided id"},
	{TransactionDoesNotExist, 422, "No transaction with the given id"},
	{UnauthorizedAccess, 401, "Unauthorized access"},
	{UnauthorizedIP, 403, "The IP address is not authorized"},
	{UntrustedPaymentParty, 422, "Creditor or debtor account is not trusted"},
	{WebhookURINotAllowed, 400, "Webhook URI not allowed"},
	{WrongASPSPProvided, 422, "Wrong ASPSP name provided"},
	{WrongAuthorizationCode, 422, "Wrong authorization code provided"},
	{WrongContinuationKey, 422, "Wrong continuation key"},
	{WrongCredentialsProvided, 422, "Wrong credentials"},
	{WrongDateInterval, 422, "date_from must be less than or equal to date_to"},
	{WrongRequestParameters, 422, "Wrong request parameters"},
	{WrongSessionStatus, 422, "Wrong session status"},
	{WrongTransactionsPeriod, 422, "Wrong transactions period requested"},
}

// Error is an answer of the API that is not a success. It unwraps to its Code.
// It is what the service's inner layers return and what the client makes of an ErrorResponse.
type Error struct {
	Code       ErrorCode       // may be empty: some answers have none (api-notes 1)
	Status     int             // HTTP status; zero stands for Code.Status()
	Message    string          // prose, not stable; empty stands for Code.Message(), or the name of the status
	Detail     json.RawMessage // any JSON, often from a bank: untrusted; nil when there is none
	Body       json.RawMessage // an answer that a bank gave and that passes as it is, in place of Response (api-notes 1); set by the service only
	RequestID  string          // the x-request-id of the answer; set by the client only
	RetryAfter time.Time       // the Retry-After of the answer, zero without one; set by the client only
}

// Error names the code and the status; it never holds the detail, which may be personal.
func (e *Error) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("API error, status %d", e.HTTPStatus())
	}
	return fmt.Sprintf("API error %s, status %d", e.Code, e.HTTPStatus())
}

// Unwrap returns the code, so that errors.Is compares codes.
func (e *Error) Unwrap() error {
	if e.Code == "" {
		return nil
	}
	return e.Code
}

// HTTPStatus returns the status to send, or that was received.
func (e *Error) HTTPStatus() int {
	if e.Status != 0 {
		return e.Status
	}
	return e.Code.Status()
}

// Response returns the body of the error as the wire carries it.
func (e *Error) Response() ErrorResponse {
	r := ErrorResponse{Code: e.HTTPStatus(), Message: e.Message, Detail: e.Detail}
	if e.Code != "" {
		r.Error = &e.Code
	}
	if r.Message == "" {
		r.Message = e.Code.Message()
		if e.Code == "" {
			r.Message = http.StatusText(r.Code)
		}
	}
	return r
}

// ErrorResponse is the body of every answer that is not a success (spec: Errors). Keys are in the order
// in which the public service sends them. Error is left out when there is no code, an empty Detail is null.
type ErrorResponse struct {
	Code    int             `json:"code"` // identical to the HTTP status
	Message string          `json:"message"`
	Error   *ErrorCode      `json:"error,omitempty"`
	Detail  json.RawMessage `json:"detail"` // any JSON
}

// UnmarshalJSON accepts what banks and services really send (api-notes 1): a code that is no number counts as zero,
// a missing message is taken from title, a code or message of another type is ignored. It fails only when data is no JSON object.
func (r *ErrorResponse) UnmarshalJSON(data []byte) error {
	var raw struct {
		Code    json.RawMessage `json:"code"`
		Message json.RawMessage `json:"message"`
		Title   json.RawMessage `json:"title"`
		Error   json.RawMessage `json:"error"`
		Detail  json.RawMessage `json:"detail"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	*r = ErrorResponse{}
	_ = json.Unmarshal(raw.Code, &r.Code) // a wrong type leaves the zero value
	_ = json.Unmarshal(raw.Message, &r.Message)
	if r.Message == "" {
		_ = json.Unmarshal(raw.Title, &r.Message)
	}
	var code ErrorCode
	if json.Unmarshal(raw.Error, &code) == nil && code != "" {
		r.Error = &code
	}
	if len(raw.Detail) > 0 && string(raw.Detail) != "null" {
		r.Detail = slices.Clone(raw.Detail)
	}
	return nil
}
