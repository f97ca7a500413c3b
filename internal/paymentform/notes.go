package paymentform

import (
	"errors"
	"slices"
	"strings"

	"florin/internal/finance"
	"florin/internal/iban"
	"florin/internal/openbanking"
	"florin/internal/paymentrules"
)

// Payee is the account that is filled in, as it is sent where it can be read.
func (f Form) Payee() finance.PayeeAccount {
	typed := f.Entries.Get(Number)
	account := finance.PayeeAccount{Scheme: f.Scheme(), Number: strings.ToUpper(strings.Join(strings.Fields(typed), ""))}
	if account.Scheme == openbanking.SchemeNameIBAN {
		if parsed, err := iban.Parse(typed); err == nil {
			account.Number = parsed.String()
		}
	}
	return account
}

// PayeeName is the name that is filled in.
func (f Form) PayeeName() string { return finance.Typed(f.Entries[Name]) }

// numberProblem says why the number cannot be read; nil: it can.
func (f Form) numberProblem() Problem {
	typed := f.Entries.Get(Number)
	var problem *iban.Problem
	if f.Scheme() == openbanking.SchemeNameIBAN {
		if _, err := iban.Parse(typed); errors.As(err, &problem) {
			return WrongNumber{Err: problem}
		}
	} else if typed == "" {
		return Nothing{}
	}
	return nil
}

// NumberNote says what is wrong with the number while it is typed; nil: nothing, or nothing is typed yet.
func (f Form) NumberNote() Problem {
	if f.Entries.Get(Number) == "" {
		return nil
	}
	if problem := f.numberProblem(); problem != nil {
		return problem
	}
	account := f.Payee()
	parsed, err := iban.Parse(account.Number)
	switch {
	case err != nil || account.Scheme != openbanking.SchemeNameIBAN:
	case f.Bill() && parsed.Country() != "CH" && parsed.Country() != "LI":
		return NotSwiss{}
	case f.Kind.PaymentType == finance.ByOwnApp && !f.Bill() && parsed.QR():
		return OnlyFrancs{}
	case euro(f.Kind) && !parsed.SEPA():
		return Broken{Name: paymentrules.FieldCreditorNumber, Rule: paymentrules.OutsideSEPA{Country: parsed.Country(), Type: f.Kind.PaymentType}}
	}
	return nil
}

// Known is what a user paid and saved before under an account or a name.
type Known struct {
	Past    []finance.PastTransfer
	Payees  []finance.Payee
	History finance.PayeeHistory // of the account
}

// PayeeNote says what the user knows about an account to be paid.
type PayeeNote struct {
	Own     *finance.Account // it is the user's own; nothing else is to be known then
	Warning *finance.Warning // the one of the review; nil without
	History finance.PayeeHistory
	Saved   bool
}

// NotePayee returns what the user knows about an account to be paid under a name. own are the accounts that count as the user's own (Facts.Own).
func NotePayee(name string, account finance.PayeeAccount, own []finance.Account, known Known) PayeeNote {
	if i := slices.IndexFunc(own, func(a finance.Account) bool { return finance.AccountNumber(a) == account }); i >= 0 {
		return PayeeNote{Own: &own[i]}
	}
	return PayeeNote{
		Warning: finance.PayeeWarning(name, account, known.Past, known.Payees), History: known.History,
		Saved: slices.ContainsFunc(known.Payees, func(p finance.Payee) bool { return p.Account == account }),
	}
}

// LacksFunds returns what the account had, where the amount that is typed is more; ok is false where it is not, or where nobody can know.
func (f Form) LacksFunds() (funds finance.PaymentFunds, ok bool) {
	amount, err := finance.ParseAmount(f.Entries.Get(Amount), f.Currency())
	if err != nil || f.AtBank() {
		return finance.PaymentFunds{}, false
	}
	funds, known := finance.FundsOf(f.Account, f.Balances)
	return funds, known && funds.Less(amount)
}

// Converts reports whether money of one currency has to become that of another: from that of an account to that of a payment.
func Converts(account finance.Account, currency string) bool {
	return account.Currency != "" && account.Currency != currency
}
