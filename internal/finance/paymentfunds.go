package finance

import (
	"cmp"
	"slices"

	"florin/internal/money"
)

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

// Less reports whether the account had less than an amount. Of another currency nobody can know.
func (f PaymentFunds) Less(amount money.Amount) bool {
	order, err := f.Balance.Amount.Cmp(amount)
	return err == nil && order < 0
}

// LacksFunds returns a warning when an order asks for more than its account had, and nil when it does not or when nobody can know: Florin has no
// exchange rates, so it compares amounts of one currency only. It is only a warning: the balance is some hours old, may or may not contain a credit
// limit, and the bank decides. The key does not contain the balance, so a person who agreed need not agree again when the balance moves by a cent.
func LacksFunds(o PaymentOrder, account Account, balances []Balance) *Warning {
	funds, known := FundsOf(account, balances)
	totals, err := o.Totals()
	if !known || err != nil {
		return nil
	}
	if slices.ContainsFunc(totals, funds.Less) {
		return &Warning{Code: WarnFunds, Funds: funds}
	}
	return nil
}
