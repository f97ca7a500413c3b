package show

import (
	"florin/internal/finance"
	"florin/web/templates/words"
)

// Reason is the reason why a bank did not execute a payment.
type Reason struct {
	Code string // of ISO 20022; "" when the bank gives none
	Text string // the meaning; the bank's own words for an unknown code
	Do   string // what to do next
	Said bool   // the text is from the bank: untrusted, in any language
}

// reasons are the usual ISO 20022 codes, with what to do about each.
var reasons = map[string][2]words.Text{
	"AC01": {"The account number of the payee is wrong.", "Compare it with the invoice and make a new payment."},
	"AC03": {"The account number of the payee is not valid.", "Compare it with the invoice and make a new payment."},
	"AC04": {"The account is closed.", "Ask the payee for another account."},
	"AC06": {"The account is blocked.", "Ask your bank, or the payee if it is the payee’s account."},
	"AG01": {"This kind of payment is not allowed on this account.", "Pay from another account, or ask your bank."},
	"AG02": {"Your bank does not accept this kind of payment.", "Choose another kind of payment."},
	"AM01": {"The amount is zero.", "Make a new payment with an amount."},
	"AM02": {"The amount is above the limit.", "Pay less, or raise the limit at your bank."},
	"AM03": {"The bank does not pay in this currency.", "Choose another currency or another account."},
	"AM04": {"There is not enough money on the account.", "Add money or pay from another account, then make a new payment."},
	"AM05": {"Your bank thinks this payment was already made.", "Look at your account: it may have been paid already."},
	"AM09": {"The amount differs from the agreed one.", "Check the amount and make a new payment."},
	"BE01": {"The name does not match the account.", "Ask the payee for the exact name of the account holder."},
	"BE04": {"The payee’s address is missing or wrong.", "Ask the payee for the address and make a new payment."},
	"BE05": {"The bank cannot tell who ordered the payment.", "Make a new payment. If it happens again, ask your bank."},
	"CUST": {"You or the payee asked the bank not to carry it out.", "If this was a mistake, make a new payment."},
	"DS02": {"The payment was not approved.", "Make a new payment and approve it at your bank."},
	"DS04": {"The bank refused the order.", "Ask your bank why before you pay again."},
	"DT01": {"The date is not possible.", "Choose another date."},
	"FF01": {"The bank could not read the order.", "Make a new payment with plain letters only. If it happens again, ask your bank."},
	"MS02": {"Your bank or the payee’s bank refused it without giving a reason.", "Ask your bank before you pay again."},
	"MS03": {"The bank gave no reason.", "Ask your bank before you pay again."},
	"NARR": {"The bank explains it in its own words.", "Ask your bank if it is not clear why."},
	"RC01": {"The BIC of the payee’s bank is wrong.", "Compare it with the invoice, or leave it out where the IBAN is enough."},
	"RR04": {"A law or regulation does not allow it.", "Ask your bank."},
	"TM01": {"It reached the bank too late in the day.", "Make a new payment tomorrow, or choose a later date."},
}

// Reason words why a payment has its status.
func (c Clock) Reason(reason finance.StatusReason) Reason {
	key, text := reason.Key(), finance.Excerpt(reason.Text)
	if known, ok := reasons[key]; ok {
		return Reason{Code: key, Text: c.Say(known[0]), Do: c.Say(known[1])}
	}
	r := Reason{Code: key, Text: text, Do: c.Say("Ask your bank if it is not clear why."), Said: true}
	if text == "" {
		r.Text, r.Said = c.Say("Your bank gave no reason in words."), false
	}
	return r
}
