package payments

import (
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/openbanking"
	"florin/internal/paymentform"
	"florin/internal/settling"
	"florin/internal/store"
	"florin/web/templates/paths"
)

// setSettlement fills in the form with the payment of a debt. The form key ties the payment to the settlement (ADR 0059).
func (e *payEntry) setSettlement(v *shell.Visitor, s settling.Settlement, to store.ReceivingAccount) {
	e.key = s.FormKey
	e.Set(paymentform.Name, to.Name)
	e.SetAccount(finance.PayeeAccount{Scheme: openbanking.SchemeNameIBAN, Number: to.IBAN})
	e.Set(paymentform.Amount, s.Amount.String())
	e.Set(paymentform.Currency, s.Amount.Currency())
	e.Set(paymentform.Text(0), v.Say("Shared expenses"))
}

// settled leads to the payment of a settlement that has one, "" while there is none.
func (a *Area) settled(v *shell.Visitor, settlementID string) (to string, err error) {
	if settlementID == "" {
		return "", nil
	}
	s, _, err := a.Store.SettlementToPay(v.Ctx(), v.User.ID, settlementID)
	switch {
	case err != nil || s.PaymentID == "":
		return "", err
	case s.State == settling.Prepared:
		return paths.PaymentReview(s.PaymentID), nil
	}
	return paths.Payment(s.PaymentID), nil
}

// Settle prepares the draft of the payment that settles a debt of the visitor, and returns the address of its review. Where the visitor has to choose or to
// fill something in, nothing is saved and the address is that of the form.
func (a *Area) Settle(v *shell.Visitor, s settling.Settlement, to store.ReceivingAccount) (path string, err error) {
	path = paths.PaySettlement(s.ID)
	payers, err := a.payers(v)
	if err != nil {
		return "", err
	}
	e := newEntry()
	e.setSettlement(v, s, to)
	if e.account = a.onlyPayer(v, payers); e.account == "" {
		return path, nil
	}
	facts, err := a.payFacts(v, payers, e.account)
	if err != nil {
		return "", err
	}
	form, offered := paymentform.New(facts, e.Entries)
	if !offered {
		return path, nil
	}
	order, faults := form.Check()
	if len(faults) > 0 {
		return path, nil
	}
	draft, err := a.Payments.Save(v.Ctx(), v.User.ID, e.key, order, "")
	if err != nil {
		return "", err
	}
	return paths.PaymentReview(draft.ID), nil
}
