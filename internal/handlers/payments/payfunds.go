package payments

import (
	"florin/internal/finance"
	"florin/internal/handlers/show"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/web/templates/pages"
	"florin/web/templates/ui"
)

// fundsWords says what an account had, and when, and what that may leave out: whether a credit limit is part of what is available, banks do not tell.
func fundsWords(c show.Clock, f finance.PaymentFunds) string {
	what, limit := "was booked on it", "A credit limit is not part of it."
	if f.Available {
		what, limit = "was available", "That may include a credit limit."
	}
	if f.Limit != "" {
		limit = "The credit limit of " + f.Limit + " is not part of it."
		if f.Available {
			limit = "That may include the credit limit of " + f.Limit + "."
		}
	}
	return "As of " + show.AsOf(c, f.Balance).Text + ", " + f.Balance.Amount.Format() + " " + f.Balance.Amount.Currency() + " " + what + ". " + limit
}

// exchangeWords says who makes money of one currency into that of another; "" when nobody has to.
func exchangeWords(paid string, account finance.Account) string {
	if paid == account.Currency || account.Currency == "" {
		return ""
	}
	return "The account is in " + account.Currency + ": your bank converts, at a rate that is not known here."
}

// amountHint says what is to be known about the amount: that it is more than the account has, and that it has to be converted. What is wrong with it is said when the form is sent.
func (f *payForm) amountHint(c show.Clock, p Payer, kind openbanking.ResponsePaymentType) pages.PayHint {
	currency := f.currency(kind, p.Account)
	hint := pages.PayHint{Tone: ui.Info}
	if words := exchangeWords(currency, p.Account); words != "" {
		hint.Lines = append(hint.Lines, words)
	}
	amount, err := finance.ParseAmount(f.get(fieldAmount), currency)
	if err == nil && debtor(kind, p.Account) && lacks(p, amount) {
		funds, _ := finance.FundsOf(p.Account, p.balances)
		return pages.PayHint{Tone: ui.Warning, Lines: []string{"This is more than the account has.", fundsWords(c, funds)}}
	}
	return hint
}

// lacks reports whether an amount is more than an account has, as far as known.
func lacks(p Payer, amount money.Amount) bool {
	wire := openbanking.AmountType{Amount: amount.String(), Currency: amount.Currency()}
	o := finance.PaymentOrder{Request: openbanking.PaymentRequestResource{CreditTransferTransaction: []openbanking.CreditTransferTransaction{{InstructedAmount: wire}}}}
	return finance.LacksFunds(o, p.Account, p.balances) != nil
}
