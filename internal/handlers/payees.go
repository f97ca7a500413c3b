package handlers

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/iban"
	"florin/internal/openbanking"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

const maxPayeeName = 70 // characters that banks take of a name (SEPA)

func (a *App) payees(v *visit) error {
	view := pages.PayeesView{Query: strings.TrimSpace(v.r.URL.Query().Get("q")), CanPay: a.offers.canPay(v.ctx(), "")}
	found, err := a.Store.Payees(v.ctx(), v.user.ID, view.Query)
	if err != nil {
		return err
	}
	c := a.at(time.Now())
	for _, p := range found {
		view.Rows = append(view.Rows, pages.PayeeRow{ID: p.ID, Name: p.Name, Account: p.Account.Format(), Note: c.history(p.History), Favourite: p.Favourite})
	}
	view.Any = len(found) > 0 || view.Query != ""
	view.Frame = a.frame(v)
	return v.page(http.StatusOK, pages.Payees(view))
}

// history says how often somebody was paid: "Paid 4 times, last on 3 October".
func (c clock) history(h finance.PayeeHistory) string {
	switch h.Times {
	case 0:
		return "Not paid yet"
	case 1:
		return "Paid once, " + c.when(h.LastPaid)
	}
	return "Paid " + count(int64(h.Times)) + " times, last " + c.when(h.LastPaid)
}

// payeeForm is what the form of a payee holds.
type payeeForm struct {
	id, name, account, bic string
	scheme                 openbanking.SchemeName // of account
	favourite              bool

	nameProblem, accountProblem, bicProblem string
	warning                                 string // what to be careful about: then the payee has to be asked, and the password is
	sure                                    bool   // the person says that the payee was asked
	passwordProblem                         string
}

func payeeFormOf(p finance.Payee) payeeForm {
	f := payeeForm{id: p.ID, name: p.Name, account: p.Account.Format(), scheme: p.Account.Scheme, favourite: p.Favourite}
	if agent := p.Beneficiary.CreditorAgent; agent != nil {
		f.bic = text(agent.BICFI)
	}
	return f
}

func (a *App) newPayee(v *visit) error {
	query := v.r.URL.Query()
	return a.payeePage(v, http.StatusOK, payeeForm{name: finance.Clean(query.Get("name")), account: groups(query.Get("iban")), scheme: openbanking.SchemeNameIBAN})
}

func (a *App) payee(v *visit) error {
	p, err := a.Store.Payee(v.ctx(), v.user.ID, v.r.PathValue("payee"))
	if err != nil {
		return err
	}
	return a.payeePage(v, http.StatusOK, payeeFormOf(p))
}

func (a *App) payeePage(v *visit, status int, f payeeForm) error {
	account := ui.Input{Name: "iban", Label: "IBAN", Type: "text", Value: f.account, Problem: f.accountProblem, Required: true, Autocomplete: "off", MaxLength: 60, Hint: "Paste it as it stands on the invoice: spaces do not matter."}
	if f.scheme != openbanking.SchemeNameIBAN {
		account.Label, account.Hint = "Account number", "A number of the kind "+string(f.scheme)+"."
	}
	view := pages.PayeeView{
		ID: f.id, Title: "New payee", Favourite: f.favourite, Doubt: f.warning != "", Sure: f.sure, Password: f.passwordProblem, CanPay: a.offers.canPay(v.ctx(), ""),
		Name:    ui.Input{Name: "name", Label: "Name", Type: "text", Value: f.name, Problem: f.nameProblem, Required: true, Autocomplete: "off", MaxLength: 140, Autofocus: f.id == "" && status == http.StatusOK, Hint: "As the bank knows it: your bank may compare it with the account."},
		Account: account,
		BIC:     ui.Input{Name: "bic", Label: "BIC (only where your bank asks for it)", Type: "text", Value: f.bic, Problem: f.bicProblem, Autocomplete: "off", MaxLength: 20},
	}
	if f.warning != "" {
		view.Problem = &ui.Notice{Tone: ui.Warning, Title: "Be careful", Text: f.warning}
	}
	if f.id != "" {
		saved, err := a.Store.Payee(v.ctx(), v.user.ID, f.id)
		if err != nil {
			return err
		}
		view.Title = saved.Name
		history, err := a.Store.History(v.ctx(), v.user.ID, saved.Account)
		if err != nil {
			return err
		}
		view.History = a.at(time.Now()).history(history)
		for _, name := range history.Names {
			if finance.NameKey(name) != finance.NameKey(saved.Name) {
				view.Names = append(view.Names, name)
			}
		}
	}
	view.Frame = a.frame(v)
	return v.page(status, pages.Payee(view))
}

// savePayee saves a new payee, or the changes of one. An account that is new for a known name is the way in which invoices are forged most often: it is saved only
// when the person says that the payee was asked (experience 3.3), and with the password, so that nobody does it who only found the page open.
func (a *App) savePayee(v *visit) error {
	f := payeeForm{id: v.r.PathValue("payee"), name: finance.Clean(v.field("name")), account: v.field("iban"), bic: v.field("bic"), favourite: v.field("favourite") == "yes", scheme: openbanking.SchemeNameIBAN}
	saved := finance.Payee{UserID: v.user.ID}
	if f.id != "" {
		var err error
		if saved, err = a.Store.Payee(v.ctx(), v.user.ID, f.id); err != nil {
			return err
		}
		f.scheme = saved.Account.Scheme
	}
	next := f.read(saved)
	if f.wrong() {
		return a.payeePage(v, http.StatusUnprocessableEntity, f)
	}
	var err error
	if f.warning, err = a.doubt(v, saved, next); err != nil {
		return err
	}
	if f.warning != "" {
		f.sure = v.field("sure") == "yes"
		if !f.sure {
			return a.payeePage(v, http.StatusUnprocessableEntity, f)
		}
		if f.passwordProblem, err = a.stepUp(v); err != nil {
			return err
		}
		if f.passwordProblem != "" {
			return a.payeePage(v, http.StatusUnprocessableEntity, f)
		}
	}
	_, err = a.Store.SavePayee(v.ctx(), next)
	if errors.Is(err, store.ErrPayeeExists) {
		_, held, err := a.Store.KnownBefore(v.ctx(), v.user.ID, next.Account, "")
		if err != nil {
			return err
		}
		f.accountProblem = "You have saved this account already. Search for it among your payees."
		if len(held) > 0 {
			f.accountProblem = "You have saved this account already, as " + held[0].Name + "."
		}
		return a.payeePage(v, http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	a.tell(v, ui.Good, next.Name+" is saved.")
	v.seeOther(paths.Payees)
	return nil
}

// read makes the payee of the form, and notes what is wrong with its fields.
func (f *payeeForm) read(saved finance.Payee) finance.Payee {
	p := saved
	p.Name, p.Favourite = f.name, f.favourite
	switch n := len([]rune(f.name)); {
	case n == 0:
		f.nameProblem = "Enter the name of the payee."
	case n > maxPayeeName:
		f.nameProblem = "The name has " + count(int64(n)) + " characters; banks take 70."
	}
	party := openbanking.PartyIdentification{}
	if c := saved.Beneficiary.Creditor; c != nil {
		party = *c
	}
	party.Name = &f.name
	p.Beneficiary.Creditor = &party

	account := openbanking.GenericIdentification{Identification: f.account, SchemeName: f.scheme}
	if f.scheme == openbanking.SchemeNameIBAN {
		number, err := iban.Parse(f.account)
		if err != nil {
			f.accountProblem = err.Error()
		}
		account.Identification = number.String()
	} else if f.account == "" {
		f.accountProblem = "Enter the account number."
	}
	p.Account = finance.PayeeAccountOf(account)
	p.Beneficiary.CreditorAccount = p.Account.Wire()

	agent := openbanking.FinancialInstitutionIdentification{}
	if c := saved.Beneficiary.CreditorAgent; c != nil {
		agent = *c
	}
	agent.BICFI = nil
	if f.bic != "" {
		bic, err := iban.ParseBIC(f.bic)
		if err != nil {
			f.bicProblem = err.Error()
		}
		code := bic.String()
		agent.BICFI = &code
	}
	p.Beneficiary.CreditorAgent = nil
	if agent != (openbanking.FinancialInstitutionIdentification{}) {
		p.Beneficiary.CreditorAgent = &agent
	}
	return p
}

func (f *payeeForm) wrong() bool {
	return f.nameProblem != "" || f.accountProblem != "" || f.bicProblem != ""
}

// doubt is the warning where an account takes the place of another one, or where a name is saved that is known with another account; "" without. Whether the name was saved
// or paid there makes no difference, as in the review of a payment.
func (a *App) doubt(v *visit, saved, next finance.Payee) (string, error) {
	const fraud = " An invoice with a new account number is the most common fraud: ask the payee by telephone, under a number that you knew before."
	if saved.ID != "" && saved.Account != next.Account {
		return "You give " + saved.Name + " another account." + fraud, nil
	}
	if saved.ID != "" && finance.NameKey(saved.Name) == finance.NameKey(next.Name) {
		return "", nil
	}
	own, err := a.Store.Accounts(v.ctx(), v.user.ID)
	if err != nil || slices.ContainsFunc(own, func(mine finance.Account) bool { return finance.AccountNumber(mine) == next.Account }) {
		return "", err
	}
	past, payees, err := a.Store.KnownBefore(v.ctx(), v.user.ID, next.Account, next.Name)
	if err != nil {
		return "", err
	}
	if w := finance.PayeeWarning(next.Name, next.Account, past, payees); w != nil && w.Code == finance.WarnChanged {
		return "You know " + next.Name + " with another account: " + strings.Join(w.Known, " and ") + "." + fraud, nil
	}
	return "", nil
}

func (a *App) favourPayee(v *visit) error {
	p, err := a.Store.Payee(v.ctx(), v.user.ID, v.r.PathValue("payee"))
	if err != nil {
		return err
	}
	p.Favourite = v.field("favourite") == "yes"
	if _, err := a.Store.SavePayee(v.ctx(), p); err != nil {
		return err
	}
	v.seeOther(paths.Payees)
	return nil
}

func (a *App) deletePayee(v *visit) error {
	if err := a.Store.DeletePayee(v.ctx(), v.user.ID, v.r.PathValue("payee")); err != nil {
		return err
	}
	a.tell(v, ui.Good, "The payee is deleted. Payments that were made stay.")
	v.seeOther(paths.Payees)
	return nil
}
