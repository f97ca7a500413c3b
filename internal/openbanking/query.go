package openbanking

import (
	"encoding/json"
	"net/url"
)

// TransactionsQuery holds the query parameters of GET /accounts/{account_id}/transactions; empty ones are left out.
// With a ContinuationKey all others stay as they were for the first page (api-notes 7).
type TransactionsQuery struct {
	DateFrom          Date // inclusive, UTC
	DateTo            Date // inclusive, UTC
	ContinuationKey   string
	TransactionStatus TransactionStatus
	Strategy          TransactionsFetchStrategy
}

// Values returns the parameters as the wire carries them.
func (q TransactionsQuery) Values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{
		"date_from": string(q.DateFrom), "date_to": string(q.DateTo), "continuation_key": q.ContinuationKey,
		"transaction_status": string(q.TransactionStatus), "strategy": string(q.Strategy),
	} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v
}

// TransactionsPage is a page with each transaction also as it was received.
type TransactionsPage struct {
	HalTransactions
	Originals []json.RawMessage // one for each transaction
}

// UnmarshalJSON reads a HalTransactions and keeps the originals.
func (p *TransactionsPage) UnmarshalJSON(data []byte) error {
	var raw struct {
		Transactions    []json.RawMessage `json:"transactions"`
		ContinuationKey *string           `json:"continuation_key"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	p.Originals, p.ContinuationKey = raw.Transactions, raw.ContinuationKey
	p.Transactions = make([]Transaction, len(raw.Transactions))
	for i, r := range raw.Transactions {
		if err := json.Unmarshal(r, &p.Transactions[i]); err != nil {
			return err
		}
	}
	return nil
}
