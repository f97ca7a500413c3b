package finance

import (
	"slices"
	"testing"
)

// A joint account counts once in the household, whoever linked it; two currencies of one number are two accounts.
func TestCountOnce(t *testing.T) {
	t.Parallel()
	account := func(id, hash, currency string) Account { return Account{ID: id, Hash: hash, Currency: currency} }
	own := []Account{account("a", "h1", "EUR"), account("cash", "", "EUR")}
	var shared []SharedAccount
	for _, a := range []Account{account("b", "h1", "EUR"), account("c", "h1", "USD"), account("d", "h2", "EUR"), account("e", "h2", "EUR"), account("f", "", "EUR"), account("g", "", "EUR")} {
		shared = append(shared, SharedAccount{Account: a})
	}
	var got []string
	for _, s := range CountOnce(own, shared) {
		got = append(got, s.ID)
	}
	if want := []string{"c", "d", "f", "g"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
