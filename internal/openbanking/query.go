package openbanking

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// UnmarshalJSON reads a HalTransactions and keeps the originals. It reads the text once: a first sync has a hundred megabytes of it. The originals are parts of
// data, which has to stay as it is. Every text that is not one JSON object is an error.
func (p *TransactionsPage) UnmarshalJSON(data []byte) error {
	*p = TransactionsPage{}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := expect(d, json.Delim('{')); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		switch name {
		case "transactions":
			err = p.readTransactions(d, data)
		case "continuation_key":
			p.ContinuationKey = nil
			err = d.Decode(&p.ContinuationKey)
		default:
			err = d.Decode(&skipped{})
		}
		if err != nil {
			return err
		}
	}
	if err := expect(d, json.Delim('}')); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something after the object")
	}
	return nil
}

// readTransactions reads an array of transactions, or null.
func (p *TransactionsPage) readTransactions(d *json.Decoder, data []byte) error {
	p.Transactions, p.Originals = nil, nil
	start, err := d.Token()
	if err != nil || start == nil {
		return err
	}
	if start != json.Delim('[') {
		return errors.New("transactions is no array")
	}
	p.Transactions, p.Originals = []Transaction{}, []json.RawMessage{}
	for d.More() {
		from := d.InputOffset()
		var t Transaction
		if err := d.Decode(&t); err != nil {
			return err
		}
		original := bytes.TrimLeft(data[from:d.InputOffset()], ", \t\r\n")
		p.Transactions, p.Originals = append(p.Transactions, t), append(p.Originals, original)
	}
	return expect(d, json.Delim(']'))
}

// expect reads a token that has to be there.
func expect(d *json.Decoder, want json.Delim) error {
	got, err := d.Token()
	if err == nil && got != want {
		err = fmt.Errorf("%v instead of %v", got, want)
	}
	return err
}

// skipped is a value that nobody asks for.
type skipped struct{}

// UnmarshalJSON takes whatever there is.
func (*skipped) UnmarshalJSON([]byte) error { return nil }
