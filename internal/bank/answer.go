package bank

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"florin/internal/openbanking"
	"florin/internal/strictjson"
)

// bound limits the size of an answer in bytes, and how many values it may hold. Within these bounds no answer takes more than 64 MB of memory, and that of
// a bank far less.
type bound struct {
	bytes int // no answer is compressed: see NewHTTPClient
	holds strictjson.Bound
}

// maxDepth is how deep values may lie in each other; those of the API lie in eight.
const maxDepth = 32

var (
	boundList = bound{12 << 20, strictjson.Bound{Values: 1_000_000, Objects: 50_000, Depth: maxDepth, Elements: 10_000, PerElement: 500}} // of all banks
	boundPage = bound{6 << 20, strictjson.Bound{Values: 400_000, Objects: 150_000, Depth: maxDepth, Elements: 10_000, PerElement: 1_000}} // of transactions
	// a payment, with many transfers perhaps
	boundOrder = bound{4 << 20, strictjson.Bound{Values: 400_000, Objects: 50_000, Depth: maxDepth, Elements: 10_000}}
	boundSmall = bound{1 << 20, strictjson.Bound{Values: 50_000, Objects: 10_000, Depth: maxDepth}} // everything else
	boundError = bound{64 << 10, strictjson.Bound{Values: 10_000, Objects: 10_000, Depth: maxDepth}}
)

// Large answers are decoded one at a time, for all services together: decoding takes several times the memory of the text.
const largeAnswer = 256 << 10

var decoding = make(chan struct{}, 1)

// boundOf is the bound of an answer that is decoded into a value.
func boundOf(answer any) bound {
	switch answer.(type) {
	case *openbanking.ASPSPsResponse:
		return boundList
	case *openbanking.TransactionsPage:
		return boundPage
	case *openbanking.CreatePaymentResponse, *openbanking.Payment, *openbanking.PaymentTransaction:
		return boundOrder
	}
	return boundSmall
}

// read reads the body of an answer. large says that it has more bytes than the bound. The buffer never grows beyond it.
func (b bound) read(response *http.Response) (data []byte, large bool, err error) {
	if response.ContentLength > int64(b.bytes) {
		return nil, true, nil
	}
	limit := b.bytes + 1
	data = make([]byte, 0, min(limit, max(int(response.ContentLength)+1, 16<<10)))
	for len(data) < limit {
		if len(data) == cap(data) {
			data = append(make([]byte, 0, min(limit, 2*cap(data))), data...)
		}
		n, err := response.Body.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			return data, false, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
	return nil, true, nil
}

// missing names a field of an answer that the specification requires and that is not there; "" when nothing is missing that Florin relies on.
// What is there otherwise would be taken for the truth: no transactions, no name, no banks.
func missing(answer any) string {
	switch a := answer.(type) {
	case *openbanking.ASPSPsResponse:
		return when(a.ASPSPs == nil, "aspsps")
	case *openbanking.StartAuthorizationResponse:
		return cmp.Or(when(a.URL == "", "url"), when(a.PSUIDHash == "", "psu_id_hash"))
	case *openbanking.AuthorizeSessionResponse:
		return when(a.SessionID == "", "session_id")
	case *openbanking.Session:
		return when(a.Status == "", "status")
	case *openbanking.AccountResource:
		return cmp.Or(when(a.IdentificationHash == "", "identification_hash"), when(a.CashAccountType == "", "cash_account_type"), when(a.Currency == "", "currency"))
	case *openbanking.HalBalances:
		for _, b := range a.Balances {
			if field := cmp.Or(when(b.BalanceType == "", "balance_type"), when(b.BalanceAmount.Amount == "", "balance_amount")); field != "" {
				return field
			}
		}
		return when(a.Balances == nil, "balances")
	case *openbanking.TransactionsPage:
		return when(a.Originals == nil, "transactions")
	}
	return ""
}

func when(lacks bool, field string) string {
	if lacks {
		return field
	}
	return ""
}

// Unusable is the error of a call whose answer cannot be used: it is too large, cannot be decoded, or lacks a required field. It wraps an
// *openbanking.Error with status 502, as a proxy would send.
type Unusable struct {
	Call   string // method and endpoint, without ids
	Reason string
	large  bool
	answer openbanking.Error
}

func unusable(r *http.Request, response *http.Response, large bool, format string, args ...any) *Unusable {
	return &Unusable{
		Call: r.Method + " " + endpoint(r.URL.Path), Reason: fmt.Sprintf(format, args...), large: large,
		answer: openbanking.Error{Status: http.StatusBadGateway, Message: "The banking service sent an answer that cannot be used",
			RequestID: response.Header.Get("X-Request-Id")},
	}
}

func (e *Unusable) Error() string { return "bank: " + e.Call + ": the answer " + e.Reason }

// TooLarge reports whether the answer exceeds the largest size that is read.
func (e *Unusable) TooLarge() bool { return e.large }

// Unreadable returns true: the service answered, but the answer cannot be used.
func (e *Unusable) Unreadable() bool { return true }

// Unwrap returns the *openbanking.Error with status 502.
func (e *Unusable) Unwrap() error { return &e.answer }

// accept decodes the body of a successful answer, unless it is too large, holds too much, cannot be read, or lacks what it must have.
func accept(r *http.Request, response *http.Response, answer any) error {
	b := boundOf(answer)
	data, large, err := b.read(response)
	switch {
	case err != nil:
		return &Unanswered{Call: r.Method + " " + endpoint(r.URL.Path), Cause: err, sent: true}
	case large:
		return unusable(r, response, true, "has more than %d bytes", b.bytes)
	case !b.holds.Holds(data):
		return unusable(r, response, true, "holds more than any answer does")
	}
	if len(data) > largeAnswer {
		decoding <- struct{}{}
		defer func() { <-decoding }()
	}
	if err := decode(data, answer); err != nil {
		return unusable(r, response, false, "cannot be read")
	}
	if field := missing(answer); field != "" {
		return unusable(r, response, false, "lacks %s", field)
	}
	return nil
}

// decode reads an answer. A page of transactions reads itself: json.Unmarshal would read its text three times.
func decode(data []byte, answer any) error {
	if page, ok := answer.(*openbanking.TransactionsPage); ok {
		return page.UnmarshalJSON(data)
	}
	return json.Unmarshal(data, answer)
}
