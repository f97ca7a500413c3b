package api

import (
	"encoding/json"
	"reflect"
	"testing"

	"florin/internal/openbanking"
)

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
