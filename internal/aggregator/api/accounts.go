package api

import (
	"florin/internal/aggregator/engine"
	"florin/internal/openbanking"
)

// account opens the account that the path names.
func (a *api) account(r *request) (*engine.Account, error) {
	uid, err := pathUUID(r, "account_id")
	if err != nil {
		return nil, err
	}
	psu, err := psu(r)
	if err != nil {
		return nil, err
	}
	account, err := a.engine.Account(r.Context(), r.App, uid, psu)
	if err == nil {
		noteBank(r, account.Bank)
	}
	return account, err
}

// details is GET /accounts/{account_id}/details.
func (a *api) details(r *request) (any, error) {
	account, err := a.account(r)
	if err != nil {
		return nil, err
	}
	return account.Details(r.Context())
}

// balances is GET /accounts/{account_id}/balances.
func (a *api) balances(r *request) (any, error) {
	account, err := a.account(r)
	if err != nil {
		return nil, err
	}
	answer, err := account.Balances(r.Context())
	return balancesBody{list(answer.Balances)}, err
}

// transactions is GET /accounts/{account_id}/transactions.
func (a *api) transactions(r *request) (any, error) {
	wanted, err := transactionsQuery(r)
	if err != nil {
		return nil, err
	}
	account, err := a.account(r)
	if err != nil {
		return nil, err
	}
	answer, err := account.Transactions(r.Context(), wanted)
	return transactionsBody{list(answer.Transactions), answer.ContinuationKey}, err
}

// balancesBody and transactionsBody have the JSON form of openbanking.HalBalances and HalTransactions. The lists of those have a MarshalJSON of their own,
// and encoding/json reads its result once more, which takes longer than writing it.
type (
	balancesBody struct {
		Balances []openbanking.BalanceResource `json:"balances"`
	}
	transactionsBody struct {
		Transactions    []openbanking.Transaction `json:"transactions"`
		ContinuationKey *string                   `json:"continuation_key"`
	}
)

// list is a list that is written as an array in every case.
func list[T any](l openbanking.List[T]) []T {
	if l == nil {
		return []T{}
	}
	return l
}

func transactionsQuery(r *request) (wanted openbanking.TransactionsQuery, err error) {
	parameters, err := query(r)
	if err != nil {
		return wanted, err
	}
	from, err := parameters.take("date_from")
	if err != nil {
		return wanted, err
	}
	to, err := parameters.take("date_to")
	if err != nil {
		return wanted, err
	}
	if wanted.TransactionStatus, err = takeEnum[openbanking.TransactionStatus](parameters, "transaction_status"); err != nil {
		return wanted, err
	}
	if wanted.Strategy, err = takeEnum[openbanking.TransactionsFetchStrategy](parameters, "strategy"); err != nil {
		return wanted, err
	}
	wanted.ContinuationKey, err = parameters.take("continuation_key")
	wanted.DateFrom, wanted.DateTo = openbanking.Date(from), openbanking.Date(to)
	return wanted, err
}

// transaction is GET /accounts/{account_id}/transactions/{transaction_id}.
func (a *api) transaction(r *request) (any, error) {
	account, err := a.account(r)
	if err != nil {
		return nil, err
	}
	return account.Transaction(r.Context(), r.PathValue("transaction_id"))
}
