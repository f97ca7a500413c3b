package aggregator

import (
	"context"
	"errors"
	"time"

	"florin/internal/openbanking"
)

// ASPSP is what the service knows of a bank: its public metadata and what stays inside.
type ASPSP struct {
	openbanking.ASPSPData                // Logo is filled in by the service, from its public URL
	MinimumConsentValidity time.Duration // the consent at the bank is raised to it (spec: Access)
	Secrets                []string      // names of the credentials of its methods that are typed unseen, such as a password
}

// Reference returns the identity of the bank.
func (a ASPSP) Reference() openbanking.ASPSP {
	return openbanking.ASPSP{Name: a.Name, Country: a.Country}
}

// What a Connector says of a consent that is over, from any method that takes one.
var (
	ErrConsentEnded   = errors.New("the consent at the bank is over")           // the session is EXPIRED
	ErrConsentRevoked = errors.New("the PSU has ended the consent at the bank") // the session is REVOKED
)

// A Connector talks to one bank. Every method that a bank can refuse returns an *openbanking.Error with one of the
// ASPSP_ codes, or of the codes that its comment names, or ErrConsentEnded or ErrConsentRevoked; any other error counts as
// ASPSP_ERROR towards the client and is logged.
type Connector interface {
	ASPSP() ASPSP

	// StartConsent opens an authorisation of access to accounts by request.Method and returns the bank's handle of it.
	StartConsent(ctx context.Context, request ConsentRequest) (reference string, err error)

	// StartPayment opens an authorisation of a payment by order.Method and returns the bank's handle of it. The bank takes an
	// order once, by its ID, however often an authorisation of it is started: what is approved once is approved.
	StartPayment(ctx context.Context, order PaymentOrder) (reference string, err error)

	// Step says what comes next in an authorisation that was started. One that the bank does not know: ASPSP_ERROR.
	Step(ctx context.Context, reference string) (Step, error)

	// Answer gives the bank what the present step asks of the PSU. ErrWrongAnswer: the bank did not accept it, and
	// counts the attempt. An answer to another step than the present one changes nothing.
	Answer(ctx context.Context, reference string, answer Answer) error

	// Cancel ends an authorisation that the PSU has not approved, and a consent that was not exchanged; cancelling one that is
	// over is no error, and takes nothing from a payment that was approved. It is no word of the PSU: the step is StepExpired then.
	Cancel(ctx context.Context, reference string) error

	// Payment returns what the bank knows of an order, by its ID. An order that the PSU has not approved, in none of the
	// authorisations that were started for it, is PDNG without a debtor. ASPSP_PAYMENT_NOT_ACCESSIBLE: the bank does not say.
	Payment(ctx context.Context, orderID string) (BankPayment, error)

	// FinishConsent exchanges the code that the bank returned, once. A wrong, used or late code: ASPSP_ERROR.
	FinishConsent(ctx context.Context, state, code string) (Consent, error)

	// EndConsent closes the consent at the bank; ending an ended one is no error.
	EndConsent(ctx context.Context, consent Consent) error

	// Accounts lists the accounts that the consent covers, blocked ones included.
	Accounts(ctx context.Context, consent Consent, psu PSU) ([]BankAccount, error)

	// Account returns one account by the bank's own reference. ASPSP_ACCOUNT_NOT_ACCESSIBLE when the consent does not cover it.
	Account(ctx context.Context, consent Consent, reference string, psu PSU) (BankAccount, error)

	// Balances returns the balances of an account, in the order of the bank; maybe none.
	Balances(ctx context.Context, consent Consent, reference string, psu PSU) ([]openbanking.BalanceResource, error)

	// Transactions returns one page. WRONG_TRANSACTIONS_PERIOD when the bank does not serve the period.
	Transactions(ctx context.Context, consent Consent, reference string, query TransactionQuery, psu PSU) (TransactionPage, error)

	// Transaction returns the details of one transaction. TRANSACTION_DOES_NOT_EXIST when there is none.
	Transaction(ctx context.Context, consent Consent, reference, transactionID string, psu PSU) (openbanking.Transaction, error)
}

// BankRequest is what the service tells a bank with every authorisation.
type BankRequest struct {
	State           string // opaque, random, of this authorisation; comes back with the browser
	ReturnURL       string // absolute, of the service's hosted pages
	ApplicationName string // shown by the bank
	PSUType         openbanking.PSUType
	Method          string // name of one of the bank's methods for PSUType; empty: the bank's first
	Language        string
}

// ConsentRequest is what the service asks of a bank for access to accounts.
type ConsentRequest struct {
	BankRequest
	Accounts     []openbanking.AccountIdentification // empty: the PSU chooses
	Balances     bool
	Transactions bool
	ValidUntil   time.Time
}

// ErrWrongAnswer is the error of Connector.Answer for what the bank did not accept.
var ErrWrongAnswer = errors.New("the bank did not accept the answer")

// StepKind says what an authorisation at a bank waits for, or how it ended.
type StepKind string

// The kinds of steps. REDIRECT has one step, at which the bank asks everything itself; a DECOUPLED authorisation waits
// for a device of the PSU, an EMBEDDED one for answers that the service asks of the PSU: for access to accounts credentials,
// code, accounts; for a payment credentials, order, code.
const (
	// the PSU's browser goes to URL, and comes back to BankRequest.ReturnURL with the parameters state and either code, or error and error_description
	StepRedirect    StepKind = "redirect"
	StepCredentials StepKind = "credentials" // the credentials of the method
	StepDevice      StepKind = "device"      // the PSU opens URL on another device and approves there
	StepCode        StepKind = "code"        // a one-time code
	StepAccounts    StepKind = "accounts"    // the choice of accounts
	StepOrder       StepKind = "order"       // the PSU looks at the payment once more, and chooses the account that it goes from
	StepDone        StepKind = "done"        // approved: Code is for FinishConsent; of a payment, the bank has the order
	StepDeclined    StepKind = "declined"    // the PSU declined
	StepBlocked     StepKind = "blocked"     // too many wrong answers
	StepExpired     StepKind = "expired"     // the bank waits no longer: its time is over, or it was told to end with Cancel
)

// Step is a step of an authorisation at a bank. Fields that a kind does not name are zero.
type Step struct {
	Kind         StepKind
	URL          string          // redirect, device
	Check        string          // device: a few digits that both devices show, so that the PSU can compare
	Holder       string          // code, accounts, order: who signed in; device: who is expected to
	Accounts     []AccountChoice // accounts; order: from which the payment can go, maybe none
	Fixed        bool            // accounts: the bank gives all of them or none; order: the account was named. There is nothing to choose
	ListOnly     bool            // accounts: the bank gives the list of accounts alone, whatever was asked for
	ValidUntil   time.Time       // accounts: end of the consent at the bank
	Payees       []PayeeCheck    // order: one for each transaction, in their order; none where the bank does not check
	Message      string          // code of a payment: what the bank has sent to the PSU's device, with amount, payee and the code that is bound to them
	AttemptsLeft int             // credentials, code
	Code         string          // done
	Expires      time.Time       // when the bank stops waiting
}

// Answer is what the PSU said at a step: the field of its kind.
type Answer struct {
	Credentials map[string]string // by name; at a redirect step the optional ones that were supplied in advance
	Code        string
	Accounts    []string // references of AccountChoice; of an order one, or none where Step.Fixed
	Order       bool     // at the step order: the PSU goes on with it
}

// AccountChoice is an account that a PSU can approve.
type AccountChoice struct {
	Reference   string // the bank's own account id
	Type        openbanking.CashAccountType
	Product     string // the bank's name of it
	Details     string // what the user calls it; maybe empty
	Number      string // IBAN or the bank's own number, for people to recognise
	Currency    string
	Blocked     bool // nothing but its details can be fetched, and no payment goes from it
	PreSelected bool
	Available   *openbanking.AmountType // what can be spent; given for payments alone
}

// Consent is a consent at a bank.
type Consent struct {
	Reference  string    // the bank's handle of the consent, opaque to the service
	ValidUntil time.Time // at the bank; the session may end earlier
}

// BankAccount is an account as the bank describes it. Its Account has no uid and no hashes: those belong to the session.
type BankAccount struct {
	Reference   string                              // the bank's own account id
	Account     openbanking.AccountResource         // account_id, name, currency and all other details
	Identifiers []openbanking.GenericIdentification // the main one first: the one that names this account alone (api-notes 5)
	Blocked     bool                                // balances and transactions cannot be fetched
}

// TransactionQuery selects transactions. All pages of one listing carry the same query but for Cursor.
type TransactionQuery struct {
	DateFrom openbanking.Date              // inclusive, UTC; empty: the bank's default
	DateTo   openbanking.Date              // inclusive, UTC; empty: today
	Status   openbanking.TransactionStatus // empty: all
	Strategy openbanking.TransactionsFetchStrategy
	Cursor   string // of the bank, from TransactionPage.Next; empty for the first page
}

// TransactionPage is one page of transactions, newest first.
type TransactionPage struct {
	Transactions []openbanking.Transaction
	Next         string // cursor of the next page; empty on the last one
}
