package finance

import "cmp"

// WarnFunds is the code of a warning about money that is not there, as far as known.
const WarnFunds WarningCode = "funds"

// PaymentFunds is what an account had to pay with when its bank said so last.
type PaymentFunds struct {
	Balance   Balance
	Available bool   // Balance is what could be spent, perhaps with a credit limit in it; else what was booked, without any
	Limit     string // the credit limit that the bank names, as it wrote it; "" without
}

// FundsOf is what an account has to pay with: what is available, else what is booked. False when its bank gave neither in the currency of the account.
func FundsOf(account Account, balances []Balance) (PaymentFunds, bool) {
	chosen := ChooseBalances(account, balances)
	b := cmp.Or(chosen.Available, chosen.Booked)
	if b == nil || b.Amount.Currency() != account.Currency {
		return PaymentFunds{}, false
	}
	return PaymentFunds{Balance: *b, Available: b == chosen.Available, Limit: account.CreditLimit}, true
}

// LacksFunds warns about an order that asks for more than its account had, nil when it does not or when that cannot be told: of money in another currency nobody
// here knows the rate. It is a warning and no more, for the balance is of earlier, a credit limit may be in it or not, and it is the bank that decides. Its key does not
// depend on the balance: who agreed to pay all the same does so as well when a cent has moved.
func LacksFunds(o PaymentOrder, account Account, balances []Balance) *Warning {
	funds, known := FundsOf(account, balances)
	totals, err := o.Totals()
	if !known || err != nil {
		return nil
	}
	for _, total := range totals {
		if less, err := funds.Balance.Amount.Cmp(total); err == nil && less < 0 {
			return &Warning{Code: WarnFunds, Funds: funds}
		}
	}
	return nil
}
