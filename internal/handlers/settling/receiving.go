package settling

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/iban"
	"florin/internal/middleware"
	"florin/internal/openbanking"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// longestName is the largest number of characters in the name of an account holder at banks.
const longestName = 70

// typedAccount is the submitted form for the account.
type typedAccount struct {
	own, name, iban          string
	nameProblem, ibanProblem string
	purpose                  auth.Purpose
	unproven                 *auth.ProofError
}

// receiving shows the form for the account on which the visitor wants to be paid.
func (a *Area) receiving(v *shell.Visitor) error {
	to, err := a.Store.ReceivingAccount(v.Ctx(), v.User.ID)
	if err != nil && !errors.Is(err, finance.ErrNotFound) {
		return err
	}
	return a.receivingPage(v, http.StatusOK, typedAccount{name: to.Name, iban: show.Groups(to.IBAN)})
}

// own returns the accounts of the visitor to which others can pay.
func (a *Area) own(v *shell.Visitor) ([]finance.Account, error) {
	all, err := a.Store.Accounts(v.Ctx(), v.User.ID)
	var own []finance.Account
	for _, account := range all {
		number := finance.AccountNumber(account)
		paid := account.Type != openbanking.CashAccountTypeCARD && account.Type != openbanking.CashAccountTypeLOAN
		if number.Scheme == openbanking.SchemeNameIBAN && number.Number != "" && paid {
			own = append(own, account)
		}
	}
	return own, err
}

func (a *Area) receivingPage(v *shell.Visitor, status int, f typedAccount) error {
	c := a.At(v.Ctx(), time.Now())
	own, err := a.own(v)
	if err != nil {
		return err
	}
	to, err := a.Store.ReceivingAccount(v.Ctx(), v.User.ID)
	if err != nil && !errors.Is(err, finance.ErrNotFound) {
		return err
	}
	view := pages.ReceivingView{Frame: a.Frame(v), Is: to.IBAN != "",
		Name: ui.Input{Name: "name", Label: v.Say("Name of the account holder"), Type: "text", Value: f.name, Problem: f.nameProblem, Autocomplete: "off", MaxLength: longestName,
			Hint: v.Say("As your bank knows it: the payer’s bank compares it.")},
		IBAN: ui.Input{Name: "iban", Label: v.Say("IBAN"), Type: "text", Value: f.iban, Problem: f.ibanProblem, Autocomplete: "off", MaxLength: 60}}
	if len(own) > 0 {
		view.Own = []ui.Option{{Text: v.Say("Another account, typed below")}}
	}
	for _, account := range own {
		number := finance.AccountNumber(account).Number
		chosen := f.own == account.ID || f.own == "" && number == to.IBAN && status == http.StatusOK
		view.Own = append(view.Own, ui.Option{Value: account.ID, Text: c.AccountName(account) + ", " + show.Groups(number), Selected: chosen})
	}
	if f.unproven != nil {
		view.Notice = &ui.Notice{Tone: ui.Info, Title: v.Say("Confirm that it is you"), Text: v.Say("Nothing is saved yet.")}
		if view.Proof, err = a.Proof(v, f.purpose, v.Say("This stops anybody who finds this page open from changing where your money goes."), f.unproven); err != nil {
			return err
		}
	}
	return v.Page(status, pages.Receiving(view))
}

// receive saves the account on which the visitor wants to be paid, or removes it. A typed account needs a proof of identity, because others pay to it.
func (a *Area) receive(v *shell.Visitor) error {
	if v.Field("do") == "remove" {
		if err := a.Store.SetReceivingAccount(v.Ctx(), v.User.ID, store.ReceivingAccount{}); err != nil {
			return err
		}
		a.Flash(v, ui.Good, v.Say("You no longer offer an account."))
		v.SeeOther(paths.Settling)
		return nil
	}
	f := typedAccount{own: v.Field("own"), name: finance.Clean(v.Field("name")), iban: v.Field("iban")}
	var to store.ReceivingAccount
	if f.own != "" {
		account, err := a.Store.Account(v.Ctx(), v.User.ID, f.own)
		if err != nil {
			return err
		}
		to = store.ReceivingAccount{Name: cmp.Or(finance.Clean(account.Holder), f.name), IBAN: finance.AccountNumber(account).Number}
		f.iban = to.IBAN
	} else {
		to.Name = f.name
	}
	number, err := iban.Parse(f.iban)
	if err != nil {
		f.ibanProblem = a.At(v.Ctx(), time.Now()).Message(show.NumberProblem(err))
	}
	to.IBAN = number.String()
	switch {
	case to.Name == "" && f.own != "":
		f.nameProblem = v.Say("The bank does not say whose account it is. Enter the name of the account holder.")
	case to.Name == "":
		f.nameProblem = v.Say("Enter the name of the account holder.")
	case len([]rune(to.Name)) > longestName:
		f.nameProblem = v.Say("A name may have %d characters at most.", longestName)
	}
	if f.nameProblem != "" || f.ibanProblem != "" {
		return a.receivingPage(v, http.StatusUnprocessableEntity, f)
	}
	f.purpose = auth.ForPayee(to.Name, string(openbanking.SchemeNameIBAN), to.IBAN)
	if f.unproven, err = a.StepUp(v, f.purpose); err != nil {
		return err
	}
	if f.unproven != nil {
		return a.receivingPage(v, http.StatusUnprocessableEntity, f)
	}
	if err := a.Store.SetReceivingAccount(v.Ctx(), v.User.ID, to); err != nil {
		return err
	}
	a.Log.InfoContext(v.Ctx(), "receiving account changed", "user", v.User.ID, "request_id", middleware.RequestIDFrom(v.Ctx()))
	a.Flash(v, ui.Good, v.Say("Saved. This is where others pay you."))
	v.SeeOther(paths.Settling)
	return nil
}
