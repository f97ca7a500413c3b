package payees

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"florin/internal/auth"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/iban"
	"florin/internal/openbanking"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

const maxPayeeName = 70 // characters that banks take of a name (SEPA)

func (a *Area) payees(v *shell.Visitor) error {
	view := pages.PayeesView{Query: strings.TrimSpace(v.Request.URL.Query().Get("q")), CanPay: true}
	found, err := a.Store.Payees(v.Ctx(), v.User.ID, view.Query)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	for _, p := range found {
		view.Rows = append(view.Rows, pages.PayeeRow{ID: p.ID, Name: p.Name, Account: p.Account.Format(), Note: historyWords(c, p.History),
			Favourite: p.Favourite})
	}
	view.Any = len(found) > 0 || view.Query != ""
	view.Frame = a.Frame(v)
	return v.Page(http.StatusOK, pages.Payees(view))
}

// historyWords says how often somebody was paid: "Paid 4 times, last on 3 October".
func historyWords(c show.Clock, h finance.PayeeHistory) string {
	switch h.Times {
	case 0:
		return c.Say("Not paid yet")
	case 1:
		return c.Say("Paid once, %s", c.When(h.LastPaid))
	}
	return c.Say("Paid %d times, last %s", h.Times, c.When(h.LastPaid))
}

// payeeForm is what the form of a payee holds.
type payeeForm struct {
	id, name, account, bic string
	scheme                 openbanking.SchemeName // of account
	favourite              bool

	nameProblem, accountProblem, bicProblem string
	warning                                 string // what to be careful about: then the payee has to be asked, and the person proves who they are
	sure                                    bool   // the person says that the payee was asked
	purpose                                 auth.Purpose
	unproven                                *auth.ProofError
}

func payeeFormOf(p finance.Payee) payeeForm {
	f := payeeForm{id: p.ID, name: p.Name, account: p.Account.Format(), scheme: p.Account.Scheme, favourite: p.Favourite}
	if agent := p.Beneficiary.CreditorAgent; agent != nil {
		f.bic = show.Text(agent.BICFI)
	}
	return f
}

func (a *Area) newPayee(v *shell.Visitor) error {
	query := v.Request.URL.Query()
	return a.payeePage(v, http.StatusOK, payeeForm{name: finance.Clean(query.Get("name")), account: show.Groups(query.Get("iban")),
		scheme: openbanking.SchemeNameIBAN})
}

func (a *Area) payee(v *shell.Visitor) error {
	p, err := a.Store.Payee(v.Ctx(), v.User.ID, v.Request.PathValue("payee"))
	if err != nil {
		return err
	}
	return a.payeePage(v, http.StatusOK, payeeFormOf(p))
}

func (a *Area) payeePage(v *shell.Visitor, status int, f payeeForm) error {
	account := ui.Input{Name: "iban", Label: v.Say("IBAN"), Type: "text", Value: f.account, Problem: f.accountProblem, Required: true, Autocomplete: "off",
		MaxLength: 60, Hint: v.Say("You can paste it from the invoice; spaces do not matter.")}
	if f.scheme != openbanking.SchemeNameIBAN {
		account.Label, account.Hint = v.Say("Account number"), v.Say("This is a number of the type %s.", string(f.scheme))
	}
	view := pages.PayeeView{
		ID: f.id, Title: v.Say("New payee"), Favourite: f.favourite, Doubt: f.warning != "", Sure: f.sure,
		CanPay: true,
		Name: ui.Input{Name: "name", Label: v.Say("Name"), Type: "text", Value: f.name, Problem: f.nameProblem, Required: true, Autocomplete: "off",
			MaxLength: 140, Autofocus: f.id == "" && status == http.StatusOK,
			Hint: v.Say("Enter it as it is on the invoice. Your bank may compare it with the name of the account holder.")},
		Account: account,
		BIC: ui.Input{Name: "bic", Label: v.Say("BIC (only if your bank asks for it)"), Type: "text", Value: f.bic, Problem: f.bicProblem,
			Autocomplete: "off", MaxLength: 20},
	}
	if f.warning != "" {
		view.Problem = &ui.Notice{Tone: ui.Warning, Title: v.Say("Be careful"), Text: f.warning}
		var err error
		if view.Proof, err = a.Proof(v, f.purpose, v.Say("This stops anybody who finds this page open from changing where your money goes."), f.unproven); err != nil {
			return err
		}
	}
	if f.id != "" {
		saved, err := a.Store.Payee(v.Ctx(), v.User.ID, f.id)
		if err != nil {
			return err
		}
		view.Title = saved.Name
		history, err := a.Store.History(v.Ctx(), v.User.ID, saved.Account)
		if err != nil {
			return err
		}
		view.History = historyWords(a.At(v.Ctx(), time.Now()), history)
		for _, name := range history.Names {
			if finance.NameKey(name) != finance.NameKey(saved.Name) {
				view.Names = append(view.Names, name)
			}
		}
	}
	view.Frame = a.Frame(v)
	return v.Page(status, pages.Payee(view))
}

// savePayee saves a new payee, or the changes of one. An account that is new for a known name is the way in which invoices are forged most often: it is
// saved only when the person says that the payee was asked, and with a proof of who they are, so that nobody does it who only found the page open.
func (a *Area) savePayee(v *shell.Visitor) error {
	f := payeeForm{id: v.Request.PathValue("payee"), name: finance.Clean(v.Field("name")), account: v.Field("iban"), bic: v.Field("bic"),
		favourite: v.Field("favourite") == "yes", scheme: openbanking.SchemeNameIBAN}
	saved := finance.Payee{UserID: v.User.ID}
	if f.id != "" {
		var err error
		if saved, err = a.Store.Payee(v.Ctx(), v.User.ID, f.id); err != nil {
			return err
		}
		f.scheme = saved.Account.Scheme
	}
	next := f.read(words.In(v.Ctx()), saved)
	if f.wrong() {
		return a.payeePage(v, http.StatusUnprocessableEntity, f)
	}
	var err error
	if f.warning, err = a.doubt(v, saved, next); err != nil {
		return err
	}
	if f.warning != "" {
		f.sure, f.purpose = v.Field("sure") == "yes", auth.ForPayee(next.Name, string(next.Account.Scheme), next.Account.Number)
		if !f.sure {
			return a.payeePage(v, http.StatusUnprocessableEntity, f)
		}
		if f.unproven, err = a.StepUp(v, f.purpose); err != nil {
			return err
		}
		if f.unproven != nil {
			return a.payeePage(v, http.StatusUnprocessableEntity, f)
		}
	}
	_, err = a.Store.SavePayee(v.Ctx(), next)
	if errors.Is(err, store.ErrPayeeExists) {
		_, held, err := a.Store.KnownBefore(v.Ctx(), v.User.ID, next.Account, "")
		if err != nil {
			return err
		}
		f.accountProblem = v.Say("You have already saved this account. Search for it in your payees.")
		if len(held) > 0 {
			f.accountProblem = v.Say("You have already saved this account, under the name %s.", held[0].Name)
		}
		return a.payeePage(v, http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("%s is saved.", next.Name))
	v.SeeOther(paths.Payees)
	return nil
}

// read makes the payee of the form, and notes what is wrong with its fields.
func (f *payeeForm) read(l *words.Language, saved finance.Payee) finance.Payee {
	p := saved
	p.Name, p.Favourite = f.name, f.favourite
	switch n := len([]rune(f.name)); {
	case n == 0:
		f.nameProblem = l.Say("Enter the payee’s name.")
	case n > maxPayeeName:
		f.nameProblem = l.Say("The name has %d characters; banks take at most %d.", n, maxPayeeName)
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
			f.accountProblem = l.Message(show.NumberProblem(err))
		}
		account.Identification = number.String()
	} else if f.account == "" {
		f.accountProblem = l.Say("Enter the account number.")
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
			f.bicProblem = l.Message(show.NumberProblem(err))
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

// doubt is the warning where an account takes the place of another one, or where a name is saved that is known with another account; "" without.
// Whether the name was saved or paid there makes no difference, as in the review of a payment, nor does it that a service lists the account as the
// user's own.
func (a *Area) doubt(v *shell.Visitor, saved, next finance.Payee) (string, error) {
	if saved.ID != "" && saved.Account != next.Account {
		return v.Say("You are changing the account of %s. A new account number on an invoice is the most common fraud: call the payee first, using a phone number you already knew.", saved.Name), nil
	}
	if saved.ID != "" && finance.NameKey(saved.Name) == finance.NameKey(next.Name) {
		return "", nil
	}
	past, payees, err := a.Store.KnownBefore(v.Ctx(), v.User.ID, next.Account, next.Name)
	if err != nil {
		return "", err
	}
	if w := finance.PayeeWarning(next.Name, next.Account, past, payees); w != nil && w.Code == finance.WarnChanged {
		return v.Say("You have paid or saved %s with another account: %s. A new account number on an invoice is the most common fraud: call the payee first, using a phone number you already knew.", next.Name, words.In(v.Ctx()).List(w.Known)), nil
	}
	return "", nil
}

func (a *Area) favourPayee(v *shell.Visitor) error {
	p, err := a.Store.Payee(v.Ctx(), v.User.ID, v.Request.PathValue("payee"))
	if err != nil {
		return err
	}
	p.Favourite = v.Field("favourite") == "yes"
	if _, err := a.Store.SavePayee(v.Ctx(), p); err != nil {
		return err
	}
	v.SeeOther(paths.Payees)
	return nil
}

func (a *Area) deletePayee(v *shell.Visitor) error {
	if err := a.Store.DeletePayee(v.Ctx(), v.User.ID, v.Request.PathValue("payee")); err != nil {
		return err
	}
	a.Flash(v, ui.Good, v.Say("The payee is deleted. Payments you made stay."))
	v.SeeOther(paths.Payees)
	return nil
}
