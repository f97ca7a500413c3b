package finance

import (
	"testing"

	"florin/internal/money"
	"florin/internal/openbanking"
)

// Money that is not there, as far as known, is warned about: against what is available, else against what is booked, and never where it cannot be told.
func TestLacksFunds(t *testing.T) {
	account := Account{Currency: "EUR", CreditLimit: "500.00 EUR"}
	balance := func(kind openbanking.BalanceStatus, minor int64, currency string) Balance {
		return Balance{Type: kind, Amount: money.FromMinor(minor, currency), Fetched: noon}
	}
	booked, available := balance("CLBD", 100_00, "EUR"), balance("ITAV", 600_00, "EUR")
	sum := func(parts ...string) PaymentOrder {
		o := PaymentOrder{}
		for _, amount := range parts {
			o.Request.CreditTransferTransaction = append(o.Request.CreditTransferTransaction,
				orderTo("ACME GmbH", german, amount, "").Request.CreditTransferTransaction...)
		}
		return o
	}
	dollars := sum("5000")
	dollars.Request.CreditTransferTransaction[0].InstructedAmount.Currency = "USD"
	for _, c := range []struct {
		name     string
		order    PaymentOrder
		balances []Balance
		warns    bool
		of       Balance
	}{
		{"more than is available", sum("600.01"), []Balance{booked, available}, true, available},
		{"all that is available", sum("600"), []Balance{booked, available}, false, Balance{}},
		{"more than is booked, and available", sum("300"), []Balance{booked, available}, false, Balance{}},
		{"more than is booked, and nothing else known", sum("100.01"), []Balance{booked}, true, booked},
		{"all that is booked", sum("100"), []Balance{booked}, false, Balance{}},
		{"many that are too much together", sum("300", "300", "0.01"), []Balance{booked, available}, true, available},
		{"many that are not", sum("300", "300"), []Balance{booked, available}, false, Balance{}},
		{"an account that owes", sum("0.01"), []Balance{balance("ITAV", -5, "EUR")}, true, balance("ITAV", -5, "EUR")},
		{"no balance", sum("5000"), nil, false, Balance{}},
		{"a balance in another currency alone", sum("5000"), []Balance{balance("ITAV", 1, "GBP")}, false, Balance{}},
		{"an amount in another currency", dollars, []Balance{booked, available}, false, Balance{}},
		{"what is expected alone", sum("5000"), []Balance{balance("XPCD", 1, "EUR")}, false, Balance{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := LacksFunds(c.order, account, c.balances)
			if (w != nil) != c.warns {
				t.Fatalf("%+v, want a warning: %t", w, c.warns)
			}
			if w == nil {
				return
			}
			if want := (PaymentFunds{Balance: c.of, Available: c.of.Type == "ITAV", Limit: "500.00 EUR"}); w.Funds != want || w.Code != WarnFunds || w.Key() == "" {
				t.Errorf("%+v, want %+v", w.Funds, want)
			}
		})
	}
}
