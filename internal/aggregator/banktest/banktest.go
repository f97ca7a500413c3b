// Package banktest is a bank for tests of the aggregation service: a Connector in memory whose accounts, entries, payments
// and failures a test sets, and which remembers what it was asked.
package banktest

import (
	"context"
	"crypto/rand"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// Bank is a bank. Its exported fields are set before the first call, and Failures and Seen only through their methods.
type Bank struct {
	Data     aggregator.ASPSP
	Holdings []aggregator.BankAccount                 // what a consent covers
	Balance  map[string][]openbanking.BalanceResource // by account reference
	Entries  map[string][]openbanking.Transaction     // by account reference, newest first
	PageSize int
	Validity time.Duration // of its consents from now; zero: what is asked for
	Pause    func()        // called on the way to and from the bank where a payment is opened, asked for or cancelled; may be nil

	mu        sync.Mutex
	failures  map[string]error
	hanging   map[string]bool
	requests  map[string]aggregator.ConsentRequest // by state
	states    map[string]string                    // by the handle of StartConsent
	codes     map[string]string                    // state by code, until exchanged
	answers   []aggregator.Answer
	cancelled []string // states
	ended     []string
	query     aggregator.TransactionQuery
	psu       aggregator.PSU
	orders    map[string]*order // by order id
	visits    map[string]*visit // of payments, by the handle of StartPayment
}

// New returns a bank with one IBAN account of 25 entries, for persons and businesses, whose consents last 90 days.
func New(name, country string) *Bank {
	iban := "FI2112345600000785"
	return &Bank{
		Data: aggregator.ASPSP{
			ASPSPData: openbanking.ASPSPData{
				Name:                   name,
				Country:                country,
				PSUTypes:               []openbanking.PSUType{openbanking.PSUTypePersonal, openbanking.PSUTypeBusiness},
				MaximumConsentValidity: 7776000,
			},
		},
		Holdings: []aggregator.BankAccount{{
			Reference: "current",
			Account: openbanking.AccountResource{
				AccountID:       &openbanking.AccountIdentification{IBAN: &iban},
				CashAccountType: openbanking.CashAccountTypeCACC,
				Currency:        "EUR",
			},
			Identifiers: []openbanking.GenericIdentification{{Identification: iban, SchemeName: openbanking.SchemeNameIBAN}},
		}},
		Balance: map[string][]openbanking.BalanceResource{"current": {{
			Name:          "Booked balance",
			BalanceAmount: openbanking.AmountType{Currency: "EUR", Amount: "12.30"},
			BalanceType:   openbanking.BalanceStatusCLBD,
		}}},
		Entries:  map[string][]openbanking.Transaction{"current": entries(25)},
		PageSize: 10,
	}
}

// entries returns n booked entries, one a day, the newest of today.
func entries(n int) []openbanking.Transaction {
	rows := make([]openbanking.Transaction, n)
	for i := range rows {
		reference, id := "entry-"+strconv.Itoa(n-i), "id-"+strconv.Itoa(n-i)
		day := openbanking.DateOf(time.Now().AddDate(0, 0, -i))
		rows[i] = openbanking.Transaction{
			EntryReference:       &reference,
			TransactionID:        &id,
			TransactionAmount:    openbanking.AmountType{Currency: "EUR", Amount: strconv.Itoa(i) + ".50"},
			CreditDebitIndicator: openbanking.CreditDebitIndicatorDBIT,
			Status:               openbanking.TransactionStatusBOOK,
			BookingDate:          &day,
		}
	}
	return rows
}

// Fail makes a method, named as in Connector, return err from now on; nil mends it.
func (b *Bank) Fail(method string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures == nil {
		b.failures = map[string]error{}
	}
	b.failures[method] = err
}

// Hang makes a method, named as in Connector, answer nothing until its caller gives up; on false it works again.
func (b *Bank) Hang(method string, on bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.hanging == nil {
		b.hanging = map[string]bool{}
	}
	b.hanging[method] = on
}

// hang waits for the caller to give up where Hang says so.
func (b *Bank) hang(ctx context.Context, method string) error {
	b.mu.Lock()
	on := b.hanging[method]
	b.mu.Unlock()
	if !on {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

// Approve is the PSU approving at the bank: it returns the code that the bank sends back with the browser.
func (b *Bank) Approve(state string) (code string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.codes == nil {
		b.codes = map[string]string{}
	}
	code = rand.Text()
	b.codes[code] = state
	return code
}

// Request returns what the service asked for with the state.
func (b *Bank) Request(state string) aggregator.ConsentRequest {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.requests[state]
}

// Ended returns the references of the consents that were ended.
func (b *Bank) Ended() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.ended)
}

// Answers returns what the service answered for PSUs, in turn.
func (b *Bank) Answers() []aggregator.Answer {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.answers)
}

// Cancelled returns the states of the authorisations that were cancelled, in turn.
func (b *Bank) Cancelled() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.cancelled)
}

// Query returns the last query for transactions, PSU the headers of the last call for data.
func (b *Bank) Query() aggregator.TransactionQuery {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.query
}

// PSU returns the PSU headers of the last call for data.
func (b *Bank) PSU() aggregator.PSU {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.psu
}

// ASPSP implements aggregator.Connector, as the methods below do.
func (b *Bank) ASPSP() aggregator.ASPSP { return b.Data }

// StartConsent remembers the request, see Request.
func (b *Bank) StartConsent(_ context.Context, request aggregator.ConsentRequest) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.requests == nil {
		b.requests, b.states = map[string]aggregator.ConsentRequest{}, map[string]string{}
	}
	reference := rand.Text()
	b.requests[request.State], b.states[reference] = request, request.State
	return reference, b.failures["StartConsent"]
}

// Step returns an address whose parameter state is the state.
func (b *Bank) Step(_ context.Context, reference string) (aggregator.Step, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if v := b.visits[reference]; v != nil {
		return b.step(v), b.failures["Step"]
	}
	return aggregator.Step{Kind: aggregator.StepRedirect, URL: address(b.states[reference])}, b.failures["Step"]
}

// address is where a browser visits the bank.
func address(state string) string {
	return "https://bank.example/visit?" + url.Values{"state": {state}}.Encode()
}

// Answer remembers the answer, see Answers.
func (b *Bank) Answer(_ context.Context, _ string, answer aggregator.Answer) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answers = append(b.answers, answer)
	return b.failures["Answer"]
}

// Cancel remembers the state, see Cancelled. One that fails leaves a payment as it is.
func (b *Bank) Cancel(_ context.Context, reference string) error {
	defer b.travel()()
	b.mu.Lock()
	defer b.mu.Unlock()
	if v := b.visits[reference]; v != nil {
		if err := b.failures["Cancel"]; err != nil {
			return err
		}
		b.cancelled = append(b.cancelled, v.order.request.State)
		if v.open() {
			v.at = aggregator.StepExpired
		}
		return nil
	}
	b.cancelled = append(b.cancelled, b.states[reference])
	return b.failures["Cancel"]
}

// FinishConsent takes a code of Approve, once.
func (b *Bank) FinishConsent(_ context.Context, state, code string) (aggregator.Consent, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.failures["FinishConsent"]; err != nil {
		return aggregator.Consent{}, err
	}
	if b.codes[code] != state || state == "" {
		return aggregator.Consent{}, &openbanking.Error{Code: openbanking.ASPSPError}
	}
	delete(b.codes, code)
	end := b.requests[state].ValidUntil
	if b.Validity != 0 {
		end = time.Now().Add(b.Validity)
	}
	return aggregator.Consent{Reference: "consent " + rand.Text(), ValidUntil: end}, nil
}

// EndConsent remembers the consent, see Ended.
func (b *Bank) EndConsent(ctx context.Context, consent aggregator.Consent) error {
	if err := b.hang(ctx, "EndConsent"); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = append(b.ended, consent.Reference)
	return b.failures["EndConsent"]
}

// Accounts returns Holdings.
func (b *Bank) Accounts(ctx context.Context, _ aggregator.Consent, _ aggregator.PSU) ([]aggregator.BankAccount, error) {
	if err := b.hang(ctx, "Accounts"); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Holdings, b.failures["Accounts"]
}

// Account returns one of Holdings.
func (b *Bank) Account(ctx context.Context, _ aggregator.Consent, reference string, psu aggregator.PSU) (aggregator.BankAccount, error) {
	if err := b.hang(ctx, "Account"); err != nil {
		return aggregator.BankAccount{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.psu = psu
	i := slices.IndexFunc(b.Holdings, func(a aggregator.BankAccount) bool { return a.Reference == reference })
	if i < 0 {
		return aggregator.BankAccount{}, &openbanking.Error{Code: openbanking.ASPSPAccountNotAccessible}
	}
	return b.Holdings[i], b.failures["Account"]
}

// Balances returns Balance of the account.
func (b *Bank) Balances(ctx context.Context, _ aggregator.Consent, reference string, psu aggregator.PSU) ([]openbanking.BalanceResource, error) {
	if err := b.hang(ctx, "Balances"); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.psu = psu
	return b.Balance[reference], b.failures["Balances"]
}

// Transactions returns a page of Entries that pass the query.
func (b *Bank) Transactions(ctx context.Context, _ aggregator.Consent, reference string, query aggregator.TransactionQuery,
	psu aggregator.PSU) (aggregator.TransactionPage, error) {
	if err := b.hang(ctx, "Transactions"); err != nil {
		return aggregator.TransactionPage{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.psu, b.query = psu, query
	if err := b.failures["Transactions"]; err != nil {
		return aggregator.TransactionPage{}, err
	}
	rows := slices.DeleteFunc(slices.Clone(b.Entries[reference]), func(t openbanking.Transaction) bool {
		return query.Status != "" && t.Status != query.Status || *t.BookingDate < query.DateFrom || query.DateTo != "" && *t.BookingDate > query.DateTo
	})
	start := 0
	if query.Cursor != "" {
		var err error
		if start, err = strconv.Atoi(query.Cursor); err != nil || start > len(rows) {
			return aggregator.TransactionPage{}, &openbanking.Error{Code: openbanking.ASPSPError}
		}
	}
	page := aggregator.TransactionPage{Transactions: rows[start:]}
	if len(rows)-start > b.PageSize {
		page = aggregator.TransactionPage{Transactions: rows[start : start+b.PageSize], Next: strconv.Itoa(start + b.PageSize)}
	}
	return page, nil
}

// Transaction returns one of Entries by its transaction_id.
func (b *Bank) Transaction(ctx context.Context, _ aggregator.Consent, reference, transactionID string, psu aggregator.PSU) (openbanking.Transaction, error) {
	if err := b.hang(ctx, "Transaction"); err != nil {
		return openbanking.Transaction{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.psu = psu
	i := slices.IndexFunc(b.Entries[reference], func(t openbanking.Transaction) bool {
		return t.TransactionID != nil && *t.TransactionID == transactionID
	})
	if i < 0 {
		return openbanking.Transaction{}, &openbanking.Error{Code: openbanking.TransactionDoesNotExist}
	}
	return b.Entries[reference][i], b.failures["Transaction"]
}
