package finance

import "testing"

// Only what the service of a payment lists is the user's own for it: another one could list the account of a fraud, which switched off the warning.
func TestOwnAccountsAreThoseOfOneProvider(t *testing.T) {
	accounts := []Account{{ID: "mine", ConnectionID: "bank", IBAN: finn}, {ID: "forged", ConnectionID: "hostile", IBAN: briton},
		{ID: "orphan", ConnectionID: "gone", IBAN: german}}
	connections := []Connection{{ID: "bank", ProviderID: "service"}, {ID: "hostile", ProviderID: "other"}}
	own := OwnAccounts(accounts, connections, "service")
	if len(own) != 1 || own[0].ID != "mine" {
		t.Fatalf("%+v", own)
	}
	payees := []Payee{{Name: "ACME GmbH", Account: ibanAccount(german)}}
	if w := Warnings(orderTo("ACME GmbH", briton, "5", ""), nil, payees, own, noon); len(w) != 1 || w[0].Code != WarnChanged {
		t.Errorf("an account that another service lists: %+v", w)
	}
	if w := Warnings(orderTo("Me", finn, "5", ""), nil, payees, own, noon); len(w) != 0 {
		t.Errorf("the user's own account: %+v", w)
	}
}
