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
	a.large <- struct{}{} // one is under way
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	send := func(body string) error {
		_, err := a.createPayment(&request{Request: httptest.NewRequestWithContext(gone, "POST", "/payments", strings.NewReader(body))})
		return err
	}
	if err := send("{" + strings.Repeat(" ", maxBody) + "}"); !errors.Is(err, context.Canceled) {
		t.Errorf("a large body while another is under way: %v", err)
	}
	if err := send("{}"); !errors.Is(err, openbanking.WrongRequestParameters) {
		t.Errorf("a small body: %v", err)
	}
	<-a.large
	for range 2 { // the place is given back
		if _, err := a.createPayment(&request{Request: httptest.NewRequestWithContext(t.Context(), "POST", "/payments", strings.NewReader("{"+strings.Repeat(" ", maxBody)+"}"))}); !errors.Is(err, openbanking.WrongRequestParameters) {
			t.Errorf("a large body alone: %v", err)
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
