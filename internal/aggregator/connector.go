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

	// StartConsent opens an authorisation at the bank and returns the URL to which the PSU's browser is sent.
	// The bank sends the browser back to request.ReturnURL with the parameters state (request.State) and either
	// code, or error and error_description.
	StartConsent(ctx context.Context, request ConsentRequest) (url string, err error)

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

// ConsentRequest is what the service asks of a bank.
type ConsentRequest struct {
	State           string // opaque, random, of this authorisation; comes back with the browser
	ReturnURL       string // absolute, of the service's hosted pages
	ApplicationName string // shown by the bank
	PSUType         openbanking.PSUType
	Accounts        []openbanking.AccountIdentification // empty: the PSU chooses
	Balances        bool
	Transactions    bool
	ValidUntil      time.Time
	Language        string
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
