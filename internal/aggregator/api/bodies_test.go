package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"florin/internal/openbanking"
)

// Large bodies are worked on one at a time: the next one waits, unless its client goes away; small ones do not.
func TestLargeBodiesWait(t *testing.T) {
	a := &api{large: make(chan struct{}, 1)}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, do := range map[string]func(*request) error{
		"a payment": func(r *request) error { _, err := a.createPayment(r); return err },
		"another":   func(r *request) error { return a.decode(r, new(openbanking.StartAuthorizationRequest)) },
	} {
		send := func(ctx context.Context, body string) error {
			return do(&request{Request: httptest.NewRequestWithContext(ctx, "POST", "/", strings.NewReader(body))})
		}
		large := "{" + strings.Repeat(" ", ordinaryBody) + "}"
		a.large <- struct{}{} // one is under way
		if err := send(gone, large); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: a large body while another is under way: %v", name, err)
		}
		if err := send(gone, "{}"); !errors.Is(err, openbanking.WrongRequestParameters) {
			t.Errorf("%s: a small body: %v", name, err)
		}
		<-a.large
		for range 2 { // the place is given back
			if err := send(t.Context(), large); !errors.Is(err, openbanking.WrongRequestParameters) {
				t.Errorf("%s: a large body alone: %v", name, err)
			}
		}
	}
}

// The bodies that are written without the lists of openbanking are written like those with them.
func TestBodiesAreThoseOfTheSpecification(t *testing.T) {
	name, key := "n & <m>", "next"
	date := openbanking.Date("2026-11-20")
	balance := openbanking.BalanceResource{Name: name, BalanceAmount: openbanking.AmountType{Currency: "EUR", Amount: "1.00"}, BalanceType: openbanking.BalanceStatusCLBD, ReferenceDate: &date}
	row := openbanking.Transaction{EntryReference: &name, RemittanceInformation: []string{name}, BookingDate: &date}
	for _, pair := range []struct{ got, want any }{
		{balancesBody{list[openbanking.BalanceResource](nil)}, openbanking.HalBalances{}},
		{balancesBody{list(openbanking.List[openbanking.BalanceResource]{balance, balance})}, openbanking.HalBalances{Balances: openbanking.List[openbanking.BalanceResource]{balance, balance}}},
		{transactionsBody{list[openbanking.Transaction](nil), nil}, openbanking.HalTransactions{}},
		{transactionsBody{list(openbanking.List[openbanking.Transaction]{row}), &key}, openbanking.HalTransactions{Transactions: openbanking.List[openbanking.Transaction]{row}, ContinuationKey: &key}},
	} {
		got, err := json.Marshal(pair.got)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(pair.want)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("got %s, want %s", got, want)
		}
		if a, b := reflect.TypeOf(pair.got).NumField(), reflect.TypeOf(pair.want).NumField(); a != b {
			t.Errorf("%T has %d fields, %T has %d", pair.got, a, pair.want, b)
		}
	}
}
