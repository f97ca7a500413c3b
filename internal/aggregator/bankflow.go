package aggregator

import (
	"time"

	"florin/internal/openbanking"
)

// BankFlowStep is how far a visit to a simulated bank's own site has come.
type BankFlowStep string

// The steps of a visit, in their order. Each is reached only from the one before it, or from any open step for the two ends. Of an
// order the approval comes before the one-time code.
const (
	BankFlowIdentify BankFlowStep = "identify" // the bank waits for the service to say who the user is; DECOUPLED only
	BankFlowSignIn   BankFlowStep = "sign_in"  // the bank waits for user and password
	BankFlowOTP      BankFlowStep = "otp"      // the bank waits for the one-time code
	BankFlowApproval BankFlowStep = "approval" // the user chooses accounts, approves or declines; of an order: looks at it, and chooses the account that it goes from
	BankFlowApproved BankFlowStep = "approved" // the code is issued, not yet exchanged; of an order: the bank has it
	BankFlowFinished BankFlowStep = "finished" // the code is exchanged
	BankFlowDeclined BankFlowStep = "declined"
	BankFlowBlocked  BankFlowStep = "blocked" // too many wrong attempts
	BankFlowEnded    BankFlowStep = "ended"   // the consent that came of the visit is over
)

// BankFlow is one authorisation at a simulated bank, at its own site or through the service: the bank's state, not the
// service's. It is a row, so that attempts are counted once whatever the browser sends.
type BankFlow struct {
	ID       string // random, unguessable; part of the URL to which the PSU is sent
	ASPSP    openbanking.ASPSP
	Request  ConsentRequest // of a payment its BankRequest alone
	Order    *PaymentOrder  // the payment that the PSU is to approve; nil where access to accounts is
	Secret   string         // random; of an order, what its one-time code is made with
	Step     BankFlowStep
	Username string   // who is signed in; before the sign-in who is expected, or empty
	Failures int      // wrong passwords and wrong codes
	Accounts []string // references of the accounts that were approved; of an order, of the one that it goes from
	CodeHash string   // SHA-256 of the code, hexadecimal
	Created  time.Time
	Expires  time.Time    // of the step; once finished, of the consent; once ended, when that was
	EndedBy  ConsentEnder // empty until the consent, or the authorisation by the service, is ended before its time
}

// ConsentEnder is who has ended a consent, or an authorisation, at a simulated bank.
type ConsentEnder string

// Values of ConsentEnder.
const (
	EndedByService ConsentEnder = "service" // the application closed the session; of an authorisation: the service cancelled it
	EndedByBank    ConsentEnder = "bank"    // a newer consent took its place
	EndedByUser    ConsentEnder = "user"    // the user revoked it
)

// FetchKind is a kind of data that a bank is asked for.
type FetchKind string

// The kinds of data.
const (
	FetchDetails      FetchKind = "details"
	FetchBalances     FetchKind = "balances"
	FetchTransactions FetchKind = "transactions"
	FetchTransaction  FetchKind = "transaction" // details of one
)

// FetchBucket names what a simulated bank counts calls by: an account and a kind of data (api-notes 6).
type FetchBucket struct {
	ASPSP     openbanking.ASPSP
	Reference string // of the account
	Kind      FetchKind
}
