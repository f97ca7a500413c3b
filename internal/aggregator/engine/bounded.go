package engine

import (
	"context"
	"time"

	"florin/internal/aggregator"
	"florin/internal/openbanking"
)

// bounded is a Connector with a time limit for the bank's answers. The error of a late answer is context.DeadlineExceeded.
type bounded struct {
	aggregator.Connector
	within time.Duration
}

// bound calls a method of a Connector with a time-out, and tells the trace of it.
func bound[T any](ctx context.Context, b bounded, name string, call func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, b.within)
	defer cancel()
	began := time.Now()
	answer, err := call(ctx)
	traceBank(ctx, name, began, err)
	return answer, err
}

// boundError is bound for a method that returns an error alone.
func boundError(ctx context.Context, b bounded, name string, call func(context.Context) error) error {
	_, err := bound(ctx, b, name, func(ctx context.Context) (struct{}, error) { return struct{}{}, call(ctx) })
	return err
}

func (b bounded) StartConsent(ctx context.Context, request aggregator.ConsentRequest) (string, error) {
	return bound(ctx, b, "StartConsent", func(ctx context.Context) (string, error) { return b.Connector.StartConsent(ctx, request) })
}

func (b bounded) Step(ctx context.Context, reference string) (aggregator.Step, error) {
	return bound(ctx, b, "Step", func(ctx context.Context) (aggregator.Step, error) {
		return b.Connector.Step(ctx, reference)
	})
}

func (b bounded) Answer(ctx context.Context, reference string, answer aggregator.Answer) error {
	return boundError(ctx, b, "Answer", func(ctx context.Context) error { return b.Connector.Answer(ctx, reference, answer) })
}

func (b bounded) Cancel(ctx context.Context, reference string) error {
	return boundError(ctx, b, "Cancel", func(ctx context.Context) error { return b.Connector.Cancel(ctx, reference) })
}

func (b bounded) FinishConsent(ctx context.Context, state, code string) (aggregator.Consent, error) {
	return bound(ctx, b, "FinishConsent", func(ctx context.Context) (aggregator.Consent, error) {
		return b.Connector.FinishConsent(ctx, state, code)
	})
}

func (b bounded) EndConsent(ctx context.Context, consent aggregator.Consent) error {
	return boundError(ctx, b, "EndConsent", func(ctx context.Context) error { return b.Connector.EndConsent(ctx, consent) })
}

func (b bounded) Accounts(ctx context.Context, consent aggregator.Consent, psu aggregator.PSU) ([]aggregator.BankAccount, error) {
	return bound(ctx, b, "Accounts", func(ctx context.Context) ([]aggregator.BankAccount, error) {
		return b.Connector.Accounts(ctx, consent, psu)
	})
}

func (b bounded) Account(ctx context.Context, consent aggregator.Consent, reference string, psu aggregator.PSU) (aggregator.BankAccount, error) {
	return bound(ctx, b, "Account", func(ctx context.Context) (aggregator.BankAccount, error) {
		return b.Connector.Account(ctx, consent, reference, psu)
	})
}

func (b bounded) Balances(ctx context.Context, consent aggregator.Consent, reference string, psu aggregator.PSU) ([]openbanking.BalanceResource, error) {
	return bound(ctx, b, "Balances", func(ctx context.Context) ([]openbanking.BalanceResource, error) {
		return b.Connector.Balances(ctx, consent, reference, psu)
	})
}

func (b bounded) Transactions(ctx context.Context, consent aggregator.Consent, reference string, query aggregator.TransactionQuery,
	psu aggregator.PSU) (aggregator.TransactionPage, error) {
	return bound(ctx, b, "Transactions", func(ctx context.Context) (aggregator.TransactionPage, error) {
		return b.Connector.Transactions(ctx, consent, reference, query, psu)
	})
}

func (b bounded) Transaction(ctx context.Context, consent aggregator.Consent, reference, transactionID string,
	psu aggregator.PSU) (openbanking.Transaction, error) {
	return bound(ctx, b, "Transaction", func(ctx context.Context) (openbanking.Transaction, error) {
		return b.Connector.Transaction(ctx, consent, reference, transactionID, psu)
	})
}

func (b bounded) StartPayment(ctx context.Context, order aggregator.PaymentOrder) (string, error) {
	return bound(ctx, b, "StartPayment", func(ctx context.Context) (string, error) { return b.Connector.StartPayment(ctx, order) })
}

func (b bounded) Payment(ctx context.Context, orderID string) (aggregator.BankPayment, error) {
	return bound(ctx, b, "Payment", func(ctx context.Context) (aggregator.BankPayment, error) {
		return b.Connector.Payment(ctx, orderID)
	})
}
