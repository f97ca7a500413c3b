package openapi

import "florin/internal/openbanking"

// words are what the specification does not say of an operation in a table.
type words struct {
	id          string
	description string
	example     string
	codes       []openbanking.ErrorCode         // beyond commonCodes
	also        map[openbanking.ErrorCode][]int // further statuses of a code
	redirects   bool
}

// commonCodes can come from every operation with an application token.
var commonCodes = []openbanking.ErrorCode{
	openbanking.AuthorizationNotProvided, openbanking.UnauthorizedAccess, openbanking.UnauthorizedIP, openbanking.WrongRequestParameters,
	openbanking.InvalidHost,
}

// dataCodes can come from every operation on an account.
var dataCodes = []openbanking.ErrorCode{
	openbanking.AccessDenied, openbanking.AccountDoesNotExist, openbanking.ASPSPAccountNotAccessible, openbanking.ASPSPError,
	openbanking.ASPSPPSUActionRequired, openbanking.ASPSPRateLimitExceeded, openbanking.ASPSPTimeout, openbanking.ClosedSession,
	openbanking.ExpiredSession, openbanking.RevokedSession, openbanking.WrongSessionStatus, openbanking.PSUHeaderInvalid, openbanking.PSUHeaderNotProvided,
}

func codes(more ...openbanking.ErrorCode) []openbanking.ErrorCode {
	return append(dataCodes[:len(dataCodes):len(dataCodes)], more...)
}

var operationWords = map[string]words{
	"POST /auth": {
		id: "startAuthorization",
		description: "Begins an authorisation and answers the address to which the application sends the person's browser. There the person agrees, " +
			"authenticates at the bank, and comes back to redirect_url.",
		example: `{
			"access": {"balances": true, "transactions": true, "valid_until": "2030-05-18T12:00:00Z"},
			"aspsp": {"name": "Mock ASPSP", "country": "FI"},
			"state": "3a57e2d3-2e0c-4336-af9b-7fa94f0606a3",
			"redirect_url": "https://my.example/callback",
			"psu_type": "personal",
			"language": "en"
		}`,
		codes: []openbanking.ErrorCode{
			openbanking.AccessDenied, openbanking.InvalidAccountID, openbanking.NoAccountsAdded, openbanking.RedirectURINotAllowed,
			openbanking.WrongASPSPProvided, openbanking.WrongCredentialsProvided, openbanking.ASPSPError, openbanking.ASPSPTimeout,
		},
		redirects: true,
	},
	"POST /sessions": {
		id:          "authorizeSession",
		description: "The code works once and for a limited time. The answer is the only one that holds all details of the accounts.",
		example:     `{"code": "5b1b6b2e-8a3a-4f0e-9a53-0f4d1d1f5d2b"}`,
		codes: []openbanking.ErrorCode{
			openbanking.AccessDenied, openbanking.AlreadyAuthorized, openbanking.ExpiredAuthorizationCode, openbanking.WrongAuthorizationCode,
			openbanking.WrongSessionStatus, openbanking.ASPSPError, openbanking.ASPSPTimeout, openbanking.NoAccountsAdded,
		},
	},
	"GET /sessions/{session_id}": {
		id:          "getSession",
		description: "Works in every state of the session.",
		codes:       []openbanking.ErrorCode{openbanking.AccessDenied, openbanking.SessionDoesNotExist},
	},
	"DELETE /sessions/{session_id}": {
		id:          "deleteSession",
		description: "Ends the session and, where the bank allows it, the consent of the person there.",
		codes: []openbanking.ErrorCode{
			openbanking.AccessDenied, openbanking.SessionDoesNotExist, openbanking.ClosedSession, openbanking.ExpiredSession, openbanking.RevokedSession,
			openbanking.WrongSessionStatus, openbanking.PSUHeaderInvalid, openbanking.PSUHeaderNotProvided, openbanking.ASPSPError, openbanking.ASPSPTimeout,
		},
		also: map[openbanking.ErrorCode][]int{openbanking.ClosedSession: {400}},
	},
	"GET /accounts/{account_id}/details": {
		id:    "getAccountDetails",
		codes: codes(),
	},
	"GET /accounts/{account_id}/balances": {
		id:          "getAccountBalances",
		description: "Needs balances in the access of the session.",
		codes:       codes(),
	},
	"GET /accounts/{account_id}/transactions": {
		id: "getAccountTransactions",
		description: "Needs transactions in the access of the session. Repeat the call with continuation_key and otherwise the same parameters until the answer has none. " +
			"A page may be empty and still have a key.",
		codes: codes(openbanking.DateFromInFuture, openbanking.DateToWithoutDateFrom, openbanking.WrongContinuationKey, openbanking.WrongDateInterval,
			openbanking.WrongTransactionsPeriod),
	},
	"GET /accounts/{account_id}/transactions/{transaction_id}": {
		id:          "getTransaction",
		description: "Needs transactions in the access of the session. An entry_reference is no transaction_id.",
		codes:       codes(openbanking.TransactionDoesNotExist),
	},
	"POST /payments": {
		id: "createPayment",
		description: "Creates a payment and answers the address to which the application sends the person's browser. Nothing moves before the person approves there. " +
			"What a bank asks for, and what it takes, say payments in its ASPSPData: a payment that breaks one of these rules is WRONG_REQUEST_PARAMETERS, and the message names the field. " +
			"More transactions than max_transactions, or a larger sum than the limit of the service, is PAYMENT_LIMIT_EXCEEDED. Needs the service PIS.",
		example: `{
			"payment_type": "SEPA",
			"payment_request": {
				"credit_transfer_transaction": [{
					"instructed_amount": {"currency": "EUR", "amount": "12.50"},
					"beneficiary": {
						"creditor": {"name": "Jane Doe"},
						"creditor_account": {"scheme_name": "IBAN", "identification": "FI2112345600000785"}
					},
					"remittance_information": ["Lunch"]
				}]
			},
			"aspsp": {"name": "Mock ASPSP", "country": "FI"},
			"state": "3a57e2d3-2e0c-4336-af9b-7fa94f0606a3",
			"redirect_url": "https://my.example/callback",
			"psu_type": "personal",
			"webhook_url": "https://my.example/webhooks/payments"
		}`,
		codes: []openbanking.ErrorCode{
			openbanking.AccessDenied, openbanking.RedirectURINotAllowed, openbanking.WebhookURINotAllowed, openbanking.WrongASPSPProvided,
			openbanking.WrongCredentialsProvided, openbanking.PaymentLimitExceeded, openbanking.UntrustedPaymentParty, openbanking.InvalidAccountID,
			openbanking.ASPSPError, openbanking.ASPSPTimeout, openbanking.ASPSPRateLimitExceeded,
		},
		redirects: true,
	},
	"GET /payments/{payment_id}": {
		id: "getPayment",
		description: "Asks the bank for the status, unless it is final: final_status tells that it does not change any more. After the approval the payment has the debtor that the person chose, " +
			"and every transaction its transaction_id and transaction_status.",
		codes: []openbanking.ErrorCode{
			openbanking.AccessDenied, openbanking.PaymentNotFound, openbanking.InvalidPayment, openbanking.ASPSPPaymentNotAccessible,
			openbanking.ASPSPPSUActionRequired, openbanking.ASPSPError, openbanking.ASPSPTimeout, openbanking.ASPSPRateLimitExceeded,
		},
	},
	"DELETE /payments/{payment_id}": {
		id:          "deletePayment",
		description: "Only a payment with a final status can be deleted. Afterwards it is unknown: PAYMENT_NOT_FOUND.",
		codes:       []openbanking.ErrorCode{openbanking.AccessDenied, openbanking.PaymentNotFound, openbanking.PaymentNotFinalized},
	},
	"GET /payments/{payment_id}/transactions/{transaction_id}": {
		id:          "getPaymentTransaction",
		description: "The transaction_id is that of the transaction in GET /payments/{payment_id}.",
		codes: []openbanking.ErrorCode{
			openbanking.AccessDenied, openbanking.PaymentNotFound, openbanking.InvalidPayment, openbanking.TransactionDoesNotExist, openbanking.ASPSPError,
			openbanking.ASPSPTimeout,
		},
	},
	"GET /aspsps": {
		id:          "getAspsps",
		description: "Every filter is optional. Sample users are listed in the sandbox only.",
		codes:       []openbanking.ErrorCode{openbanking.AccessDenied},
	},
	"GET /application": {
		id:          "getApplication",
		description: "Works for an application that is not active too.",
	},
	"POST /api/applications": {
		id:          "registerApplication",
		description: "At the registration address, with the token of a developer who is signed in to the control panel, not of an application.",
		example: `{
			"certificate": "-----BEGIN CERTIFICATE-----\nMIIC…\n-----END CERTIFICATE-----\n",
			"environment": "SANDBOX",
			"name": "My app",
			"redirect_urls": ["https://my.example/callback"]
		}`,
	},
}

// registrationErrors are the structures of errors of the registration address, which the specification does not show
// (api-notes 3).
var registrationErrors = []Schema{
	{
		Name: "RegistrationError", Text: "Body of an answer of the registration address that is no success.",
		Properties: []Property{{Name: "error", Type: Type{Ref: "RegistrationMessage"}, Required: true}},
	},
	{
		Name: "RegistrationMessage", Text: "What was wrong, in words.",
		Properties: []Property{{Name: "message", Type: Type{Kind: "string"}, Required: true}},
	},
}

// sharperTypes say more of a field or parameter than the specification's column of types, by what its notes or the
// observed answers say. Parameters are named after where they are: "query.country".
var sharperTypes = map[string]Type{
	"RegisterApplicationRequest.environment":   {Ref: "Environment"},
	"PaymentStatusWebhook.payment_auth_status": {Ref: "PaymentAuthStatus"},
	"PaymentStatusWebhook.webhook_triggered":   {Kind: "string", Format: "date-time"},
	"query.country":                            country,
	"ASPSP.country":                            country,
	"ASPSPData.country":                        country,
	"PostalAddress.country":                    country,
	"RegulatoryAuthority.country":              country,
	"AmountType.amount":                        {Kind: "string", Pattern: `^-?[0-9]+(\.[0-9]+)?$`},
	"AmountType.currency":                      currency,
	"AccountResource.currency":                 currency,
	"StartAuthorizationRequest.language":       language,
	"CreatePaymentRequest.language":            language,
	"StartAuthorizationResponse.psu_id_hash":   hash,
	"GetSessionResponse.psu_id_hash":           hash,
	"CreatePaymentResponse.psu_id_hash":        hash,
	"GetPaymentResponse.psu_id_hash":           hash,
	"header.Psu-Geo-Location":                  {Kind: "string", Pattern: `^-?[0-9]{1,2}\.[0-9]{1,6},-?[0-9]{1,3}\.[0-9]{1,6}$`},
}

var (
	country  = Type{Kind: "string", Pattern: "^[A-Z]{2}$"}
	currency = Type{Kind: "string", Pattern: "^[A-Z]{3}$"}
	language = Type{Kind: "string", Pattern: "^[a-z]{2}$"}
	hash     = Type{Kind: "string", Pattern: "^[0-9a-f]{64}$"}
)

// structureWords say what a structure or enumeration is, where its name does not.
var structureWords = map[string]string{
	"ASPSP":                         "A bank or similar payment account provider; name and country together are its identity.",
	"ASPSPData":                     "A bank with all that the service knows of it.",
	"Access":                        "What an application may read, and until when.",
	"AccountIdentification":         "An account by its IBAN or, without one, otherwise.",
	"AccountResource":               "An account.",
	"AmountType":                    "An exact amount of money.",
	"AuthMethod":                    "A way to authenticate at a bank.",
	"AuthenticationApproach":        "How a bank authenticates the person.",
	"BalanceResource":               "One balance of an account.",
	"BalanceStatus":                 "Kind of a balance (ISO 20022).",
	"CashAccountType":               "Kind of an account (ISO 20022).",
	"Credential":                    "A value that can be supplied when an authorisation starts.",
	"CreditDebitIndicator":          "Direction of a transaction, seen from the account.",
	"Environment":                   "An application belongs to one environment for good.",
	"ErrorCode":                     "Text code of an error. Compare this, not the message.",
	"ErrorResponse":                 "Body of every answer that is no success. error is left out where no code fits; detail may be anything.",
	"HalTransactions":               "One page of transactions.",
	"PSUType":                       "Whether the person acts for themselves or for a business.",
	"PaymentRequestResourceDetails": "The read-back of a PaymentRequestResource.",
	"PaymentStatus":                 "Status of a payment (ISO 20022).",
	"ResponsePaymentType":           "A type of payment that a bank supports, and what it asks for.",
	"Service":                       "What an application may use.",
	"SessionStatus":                 "State of a session.",
	"Transaction":                   "One entry of an account.",
	"TransactionStatus":             "Status of a transaction (ISO 20022).",
	"TransactionsFetchStrategy":     "How the period of a list of transactions is chosen.",
	"Usage":                         "Whether an account is private or professional.",
}

// Overview introduces the API.
const Overview = "One interface to many banks. An application lists the banks, starts an authorisation, sends the person to the address it gets, exchanges the code that " +
	"comes back for a session, and reads accounts, balances and transactions while the session is authorised. Payments are created, approved by the person and followed in the same way. " +
	"Fields that are not known are ignored in requests and may be added to answers."

const (
	redirectText = "After an authorisation the query has code and state, after the approval of a payment state alone, otherwise error, state and often error_description, a text in any language that is not to be trusted."
	webhookText  = "Sent to the webhook_url of a payment whenever its status changes, and when it is not expected to change any more. The events of a payment come in their order, each of them at least once; webhook_id tells one that comes again. " +
		"Authorization is a JSON Web Token of the service: RS256, typ JWT, x5u = the address of the certificate; claims sub = the application id, environment, and msgi = sha256- and the Base64 of the SHA-256 of the body. " +
		"Verify before anything else that x5u uses HTTPS and that its host is the service's, then the signature with the certificate, and msgi against the bytes of the body. Answer within 10 seconds with status 102, 200, 201, 202 or 204; anything else is sent again for 24 hours."
	webhookExample = `{
		"payment_id": "0f6f9ab2-52f7-4a5d-9d3b-6f1c7c8ad0a4",
		"payment_status": "ACSC",
		"payment_updates_expected": false,
		"webhook_id": "8c3a1f0e-5d0c-4a0b-9a4e-2b7d35cf7b55",
		"webhook_triggered": "2026-01-31T12:00:00.000Z",
		"payment_auth_status": "FINALISED"
	}`
	developerText = "The token of a developer who is signed in to the control panel."
)
