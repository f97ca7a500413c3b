package payments

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/connections"
	"florin/internal/handlers/offers"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/iban"
	"florin/internal/linking"
	"florin/internal/openbanking"
	"florin/internal/paymentfile"
	"florin/internal/payments"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

func noPayments() error {
	return &shell.Problem{Status: http.StatusNotFound, Title: "Payments are not possible here", What: offers.NotAllowed,
		Todo: "Accounts and transactions are there as before.", Action: ui.Link{Text: "Go to your accounts", Href: paths.Accounts}}
}

// Payer is an account that a payment may go from, with its bank.
type Payer struct {
	Account    finance.Account
	Connection finance.Connection
	balances   []finance.Balance
}

// Why says why nothing can be paid from the account; "" when something can.
func (a *Area) Why(ctx context.Context, p Payer) string {
	if obstacle := p.Connection.PayObstacle(p.Account, time.Now()); obstacle != "" {
		return obstacleWords(obstacle)
	}
	if !a.Offers.CanPay(ctx, p.Connection.ProviderID) {
		return "The service does not let Florin start payments there."
	}
	return ""
}

// obstacleWords says why nothing can be paid from an account.
func obstacleWords(o finance.PayObstacle) string {
	switch o {
	case finance.PayServiceRemoved:
		return "The service through which it was linked was removed."
	case finance.PayDisconnected:
		return "Its bank is disconnected."
	case finance.PayConsentEnded:
		return "Florin’s access to its bank has ended."
	case finance.PayFromCard:
		return "No payment goes from a card account."
	case finance.PayFromLoan:
		return "No payment goes from a loan."
	}
	return "Its bank does not share this account with Florin any more."
}

func (a *Area) payAccount(c show.Clock, p Payer, href string) pages.PayAccount {
	view := pages.PayAccount{Name: p.Account.Title(), Detail: show.Detail(p.Account), Bank: show.BankOf(p.Connection), Href: href}
	chosen := finance.ChooseBalances(p.Account, p.balances)
	if b := cmp.Or(chosen.Available, chosen.Main); b != nil {
		figure := pages.Figure(b.Amount)
		view.Balance, view.Available, view.AsOf, view.Stale = &figure, b == chosen.Available, show.AsOf(c, *b), c.Stale(b.Fetched)
		if booked := chosen.Booked; view.Available && booked != nil && booked.Amount != b.Amount && booked.Amount.Currency() == b.Amount.Currency() {
			view.Booked = "Booked " + booked.Amount.Format() + " " + booked.Amount.Currency()
			if more, err := b.Amount.Cmp(booked.Amount); err == nil && more > 0 {
				view.Booked += "; the rest may be a credit limit"
			}
		}
	}
	return view
}

// payers are all accounts of the user, in the order of the accounts page.
func (a *Area) payers(v *shell.Visit) ([]Payer, error) {
	h, err := a.Connections.Holdings(v.Ctx(), v.User.ID)
	if err != nil {
		return nil, err
	}
	balances, err := a.Store.Balances(v.Ctx(), v.User.ID)
	if err != nil {
		return nil, err
	}
	var all []Payer
	for _, connection := range h.Connections {
		for _, account := range show.OfConnection(h.Accounts, connection.ID) {
			all = append(all, Payer{account, connection, balances[account.ID]})
		}
	}
	return all, nil
}

func (a *Area) payer(v *shell.Visit, accountID string) (Payer, error) {
	account, err := a.Store.Account(v.Ctx(), v.User.ID, accountID)
	if err != nil {
		return Payer{}, err
	}
	p := Payer{Account: account}
	if p.Connection, err = a.Store.Connection(v.Ctx(), v.User.ID, account.ConnectionID); err != nil {
		return Payer{}, err
	}
	p.balances, err = a.Store.AccountBalances(v.Ctx(), v.User.ID, account.ID)
	return p, err
}

// payPage starts a payment: it asks from which account, unless the address says so, or it says to whom and there is but one account; then it shows the form. Where a draft, or the
// payment to repeat, went from an account that cannot pay any more, it asks for another.
func (a *Area) payPage(v *shell.Visit) error {
	if !a.Offers.CanPay(v.Ctx(), "") {
		return noPayments()
	}
	query := v.Request.URL.Query()
	if to, err := a.bulkInstead(v, query); to != "" || err != nil {
		if err == nil {
			v.SeeOther(to)
		}
		return err
	}
	f := payForm{values: url.Values{fieldForm: {finance.NewID()}}}
	if id := query.Get("draft"); id != "" {
		if to, err := a.fillDraft(v, &f, id); to != "" || err != nil {
			if err == nil {
				v.SeeOther(to)
			}
			return err
		}
		if account := query.Get("account"); account != "" {
			f.set(fieldAccount, account)
		}
	} else if err := a.fillStart(v, &f, query); err != nil {
		return err
	}
	if f.get(fieldAccount) != "" && query.Get("account") == "" {
		p, err := a.payer(v, f.get(fieldAccount))
		if err != nil {
			return err
		}
		if a.Why(v.Ctx(), p) != "" {
			f.set(fieldAccount, "")
		}
	}
	if f.get(fieldAccount) == "" {
		return a.choosePayer(v, http.StatusOK, f, pages.PayStartView{}, query)
	}
	facts, err := a.payFacts(v, f.get(fieldAccount))
	if err != nil {
		return err
	}
	return a.formPage(v, http.StatusOK, f, facts)
}

// fillDraft fills the form with a draft. to leads to a payment that is no draft any more.
func (a *Area) fillDraft(v *shell.Visit, f *payForm, id string) (to string, err error) {
	draft, err := a.Store.Payment(v.Ctx(), v.User.ID, id)
	if err != nil {
		return "", err
	}
	if draft.Phase != finance.PhaseDraft {
		return paths.Payment(id), nil
	}
	f.order(draft.Order)
	f.set(fieldForm, draft.FormKey)
	f.set(fieldDraft, draft.ID)
	f.set(fieldRetry, draft.RetryOf)
	if f.get(fieldAccount) == "" {
		return "", a.findPayer(v, f, draft.Order)
	}
	return "", nil
}

// findPayer finds an account of the user at the bank of an order that names none.
func (a *Area) findPayer(v *shell.Visit, f *payForm, o finance.PaymentOrder) error {
	all, err := a.payers(v)
	if err != nil {
		return err
	}
	for _, p := range all {
		if p.Connection.ProviderID == o.ProviderID && p.Connection.ASPSP == o.ASPSP && a.Why(v.Ctx(), p) == "" {
			f.set(fieldAccount, p.Account.ID)
			return nil
		}
	}
	return nil
}

// fillStart fills the form with what the address names: an account, and a payee, a transaction, an IBAN or a payment to repeat.
func (a *Area) fillStart(v *shell.Visit, f *payForm, query url.Values) error {
	f.set(fieldAccount, query.Get("account"))
	switch {
	case query.Get("retry") != "":
		old, err := a.Store.Payment(v.Ctx(), v.User.ID, query.Get("retry"))
		if err != nil {
			return err
		}
		account := f.get(fieldAccount)
		f.order(old.Order.Again())
		f.set(fieldRetry, old.ID)
		if account != "" {
			f.set(fieldAccount, account)
		}
		return a.findPayerOf(v, f, old.Order)
	case query.Get("payee") != "":
		payee, err := a.Store.Payee(v.Ctx(), v.User.ID, query.Get("payee"))
		if err != nil {
			return err
		}
		f.payee(payee)
	case query.Get("transaction") != "":
		id, err := strconv.ParseInt(query.Get("transaction"), 10, 64)
		if err != nil {
			return finance.ErrNotFound
		}
		t, err := a.Store.Transaction(v.Ctx(), v.User.ID, f.get(fieldAccount), id)
		if err != nil {
			return err
		}
		f.transaction(t)
	case query.Get("iban") != "":
		f.account(openbanking.SchemeNameIBAN, query.Get("iban"))
	}
	if f.get(fieldAccount) == "" && f.get(fieldNumber) != "" {
		return a.onlyPayer(v, f)
	}
	return nil
}

// findPayerOf keeps the account of the old order where the new one goes from the same account, else finds one at its bank.
func (a *Area) findPayerOf(v *shell.Visit, f *payForm, o finance.PaymentOrder) error {
	if f.get(fieldAccount) != "" {
		return nil
	}
	return a.findPayer(v, f, o)
}

// onlyPayer takes the account from which something can be paid, when there is one alone.
func (a *Area) onlyPayer(v *shell.Visit, f *payForm) error {
	all, err := a.payers(v)
	if err != nil {
		return err
	}
	var can []Payer
	for _, p := range all {
		if a.Why(v.Ctx(), p) == "" {
			can = append(can, p)
		}
	}
	if len(can) == 1 {
		f.set(fieldAccount, can[0].Account.ID)
	}
	return nil
}

// choosePayer asks from which account to pay. carry is what the address says of the payment; what was pasted stands in the view, and goes on in a form: it does not belong into an address.
func (a *Area) choosePayer(v *shell.Visit, status int, f payForm, view pages.PayStartView, carry url.Values) error {
	all, err := a.payers(v)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	view.Frame, view.To = a.Frame(v), finance.Clean(cmp.Or(f.get(fieldName), f.get(fieldNumber)))
	if f.get(fieldAmount) != "" {
		view.Amount = finance.Clean(f.get(fieldAmount) + " " + f.get(fieldCurrency))
	}
	money := false // that is not simulated
	for _, p := range all {
		if why := a.Why(v.Ctx(), p); why != "" {
			other := a.payAccount(c, p, "")
			other.Why = why
			view.Others = append(view.Others, other)
			continue
		}
		q := url.Values{"account": {p.Account.ID}}
		for _, name := range []string{"payee", "iban", "retry", "draft"} {
			if carry.Get(name) != "" {
				q.Set(name, carry.Get(name))
			}
		}
		row := a.payAccount(c, p, paths.Pay+"?"+q.Encode())
		if view.Pasted != "" {
			row.Href, row.ID = "", p.Account.ID
		}
		view.Accounts = append(view.Accounts, row)
		money = money || !p.Connection.Simulated
	}
	view.Simulated = len(view.Accounts) > 0 && !money
	view.Frame.Simulated = view.Simulated
	if len(view.Accounts) == 0 {
		view.Notice = &ui.Notice{Tone: ui.Info, Title: "There is no account to pay from", Text: "Link a bank where you have a current or a savings account.",
			Action: ui.Link{Text: "Link a bank", Href: paths.Link}}
	}
	return v.Page(status, pages.PayStart(view))
}

// pay takes the form: it is shown again, with what was typed, until nothing is wrong; then it is a draft to review.
func (a *Area) pay(v *shell.Visit) error {
	if !a.Offers.CanPay(v.Ctx(), "") {
		return noPayments()
	}
	if v.Request.PostForm.Has("paste") {
		return a.paste(v)
	}
	f := payForm{values: v.Request.PostForm, problems: map[string]string{}}
	if !formKey.MatchString(f.get(fieldForm)) {
		return &shell.Problem{Status: http.StatusBadRequest, What: "The form lacks what tells it from others.", Todo: "Open the form anew.", Action: ui.Link{Text: "Pay", Href: paths.Pay}}
	}
	facts, err := a.payFacts(v, f.get(fieldAccount))
	if err != nil {
		return err
	}
	kind := f.chooseKind(facts.kinds)
	switch show := f.get("show"); show {
	case "":
	case "fill":
		if err := a.fillSaved(v, &f); err != nil {
			return err
		}
		f.ask = fieldAmount // the next to be filled in: the page does not begin at its top again
		return a.formPage(v, http.StatusOK, f, facts)
	case "check", "account":
		return a.formPage(v, http.StatusOK, f, facts)
	default:
		f.set(fieldType, show)
		f.chose = true
		return a.formPage(v, http.StatusOK, f, facts)
	}
	if kind == nil {
		return a.formPage(v, http.StatusUnprocessableEntity, f, facts)
	}
	order, ok := f.check(facts.Payer, *kind, time.Now())
	if !ok {
		return a.formPage(v, http.StatusUnprocessableEntity, f, facts)
	}
	draft, err := a.Payments.Save(v.Ctx(), v.User.ID, f.get(fieldForm), order, f.get(fieldRetry))
	switch {
	case errors.Is(err, payments.ErrSent):
		a.Tell(v, ui.Warning, "This payment was confirmed already. What you changed afterwards was not taken; make a new payment for it.")
		v.SeeOther(paths.Payment(draft.ID))
		return nil
	case errors.Is(err, payments.ErrAccount):
		f.problems[""] = show.Sentence(err.Error())
		return a.formPage(v, http.StatusUnprocessableEntity, f, facts)
	case err != nil:
		return err
	}
	if draft.Phase != finance.PhaseDraft {
		v.SeeOther(paths.Payment(draft.ID))
		return nil
	}
	v.SeeOther(paths.PaymentReview(draft.ID))
	return nil
}

// paste reads an IBAN or the text of a payment code, asks from which account it is to be paid when several can, and goes on with the form.
func (a *Area) paste(v *shell.Visit) error {
	text := v.Field("paste")
	f := payForm{values: url.Values{fieldForm: {finance.NewID()}}}
	wrong := func(why string) error {
		return a.choosePayer(v, http.StatusUnprocessableEntity, payForm{}, pages.PayStartView{Paste: text, PasteProblem: why}, nil)
	}
	if paymentfile.LooksLikeInvoice(text) {
		invoice, err := paymentfile.ParseInvoice(v.Request.PostFormValue("paste"))
		if err != nil {
			return wrong(fileError(err))
		}
		f.invoice(invoice)
	} else {
		number, err := iban.Parse(text)
		var fault *iban.Problem
		if errors.As(err, &fault) && fault.Kind == iban.UnknownCountry {
			return wrong("This is neither an IBAN, which begins with the letters of a country such as DE, nor the text of a payment code, which begins with BCD.")
		}
		if err != nil {
			return wrong(err.Error())
		}
		f.account(openbanking.SchemeNameIBAN, number.String())
	}
	f.set(fieldAccount, v.Field(fieldAccount))
	if f.get(fieldAccount) == "" {
		if err := a.onlyPayer(v, &f); err != nil {
			return err
		}
	}
	if f.get(fieldAccount) == "" {
		return a.choosePayer(v, http.StatusOK, f, pages.PayStartView{Pasted: v.Request.PostFormValue("paste")}, nil)
	}
	facts, err := a.payFacts(v, f.get(fieldAccount))
	if err != nil {
		return err
	}
	if f.hints != nil {
		if kind := f.chooseKind(facts.kinds); kind != nil {
			f.asText(*kind)
		} else {
			f.asText(facts.kinds[0])
		}
	}
	return a.formPage(v, http.StatusOK, f, facts)
}

// fillSaved fills in the payee or the own account that was chosen.
func (a *Area) fillSaved(v *shell.Visit, f *payForm) error {
	kind, id, _ := strings.Cut(f.get(fieldSaved), ":")
	switch kind {
	case "payee":
		payee, err := a.Store.Payee(v.Ctx(), v.User.ID, id)
		if err != nil {
			return err
		}
		f.payee(payee)
	case "account":
		account, err := a.Store.Account(v.Ctx(), v.User.ID, id)
		if err != nil {
			return err
		}
		number := finance.AccountNumber(account)
		f.set(fieldName, cmp.Or(account.Holder, account.Title()))
		f.account(number.Scheme, number.Number)
	}
	return nil
}

// payFacts are what is known before a single payment is filled in: the account that it goes from, its bank, and the kinds of payment that the bank takes, of which
// there is one at least. They are loaded once for each request.
type payFacts struct {
	Payer
	bank  linking.Bank
	kinds []openbanking.ResponsePaymentType
}

func (a *Area) payFacts(v *shell.Visit, accountID string) (payFacts, error) {
	p, err := a.payer(v, accountID)
	if err != nil {
		return payFacts{}, err
	}
	if why := a.Why(v.Ctx(), p); why != "" {
		return payFacts{}, &shell.Problem{Status: http.StatusNotFound, Title: "No payment from this account", What: why, Todo: "Choose another account.", Action: ui.Link{Text: "Choose an account", Href: paths.Pay}}
	}
	bank, err := a.Linking.Bank(v.Ctx(), v.User.ID, p.Connection.ProviderID, p.Connection.ASPSP)
	if err != nil {
		return payFacts{}, connections.BankProblem(err)
	}
	kinds := singleKinds(bank, p.Connection.PSUType)
	if len(kinds) == 0 {
		return payFacts{}, &shell.Problem{Status: http.StatusNotFound, Title: show.BankName(bank.Name) + " takes no payments", What: "The bank does not take payments through this service.",
			Todo: "Pay from an account at another bank, or at the bank itself.", Action: ui.Link{Text: "Choose an account", Href: paths.Pay}}
	}
	return payFacts{p, bank, kinds}, nil
}

// singleKinds are the payment types of a bank for one payment at a time, the usual one first.
func singleKinds(bank linking.Bank, psu openbanking.PSUType) []openbanking.ResponsePaymentType {
	var kinds []openbanking.ResponsePaymentType
	for _, kind := range bank.Payments {
		if kind.PSUType == psu && kindWordsOf(kind.PaymentType).title != "" {
			kinds = append(kinds, kind)
		}
	}
	usual := []openbanking.PaymentType{openbanking.PaymentTypeSEPA, openbanking.PaymentTypeDomestic, openbanking.PaymentTypeInstSEPA, openbanking.PaymentTypeInternal, openbanking.PaymentTypeDomesticSEGiro, openbanking.PaymentTypeCrossborder}
	slices.SortStableFunc(kinds, func(a, b openbanking.ResponsePaymentType) int {
		return slices.Index(usual, a.PaymentType) - slices.Index(usual, b.PaymentType)
	})
	return kinds
}

// kindWordsOf is what a payment type is called; without a title for those that are none of one payment at a time.
func kindWordsOf(t openbanking.PaymentType) (w struct{ title, note string }) {
	switch t {
	case openbanking.PaymentTypeSEPA:
		w.title, w.note = "Standard", "In euro, there by the next working day."
	case openbanking.PaymentTypeInstSEPA:
		w.title, w.note = "Instant", "In euro, there within seconds."
	case openbanking.PaymentTypeDomestic:
		w.title, w.note = "Within the country", "In the country’s own currency."
	case openbanking.PaymentTypeDomesticSEGiro:
		w.title, w.note = "Giro", "To a Bankgiro or Plusgiro number."
	case openbanking.PaymentTypeInternal:
		w.title, w.note = "Within the bank", "To an account at the same bank, your own among them."
	case openbanking.PaymentTypeCrossborder:
		w.title, w.note = "Abroad", "To other countries and in other currencies."
	}
	return w
}

// typeWords is a payment type in a sentence of its own, bulk ones among them.
func typeWords(t openbanking.PaymentType) string {
	if w := kindWordsOf(t); w.title != "" {
		return w.title
	}
	switch t {
	case openbanking.PaymentTypeBulkSEPA:
		return "Many at once, in euro"
	case openbanking.PaymentTypeBulkDomestic:
		return "Many at once, within the country"
	case openbanking.PaymentTypeBulkDomesticSEGiro:
		return "Many at once, by giro"
	}
	return string(t)
}

// payExplain explains what is typed: HTML of one part of the form, as it would be after sending it.
func (a *Area) payExplain(v *shell.Visit) error {
	f := payForm{values: v.Request.PostForm, problems: map[string]string{}}
	facts, err := a.payFacts(v, f.get(fieldAccount))
	if err != nil {
		return err
	}
	kind := f.chooseKind(facts.kinds)
	if kind == nil {
		return finance.ErrNotFound
	}
	switch f.get("part") {
	case "payee-hint":
		hint, err := a.payeeHint(v, facts.Payer, f, *kind)
		if err != nil {
			return err
		}
		return v.Page(http.StatusOK, pages.PayeeHint(hint))
	case "amount-hint":
		return v.Page(http.StatusOK, pages.AmountHint(f.amountHint(a.At(v.Ctx(), time.Now()), facts.Payer, *kind)))
	case "pay-dates":
		return v.Page(http.StatusOK, pages.PayNextDates(f.dates(time.Now())))
	}
	return finance.ErrNotFound
}

// formPage shows the form as it is filled in.
func (a *Area) formPage(v *shell.Visit, status int, f payForm, facts payFacts) (err error) {
	p, kinds := facts.Payer, facts.kinds
	kind := f.chooseKind(kinds)
	if kind == nil { // a bulk, or a type that the bank does not offer any more
		f.set(fieldType, string(kinds[0].PaymentType))
		kind = &kinds[0]
	}
	c := a.At(v.Ctx(), time.Now())
	view := f.view(p, kinds, *kind, facts.bank, v.User, time.Now())
	view.Frame = a.Frame(v)
	view.Frame.Simulated = p.Connection.Simulated
	view.Simulated = p.Connection.Simulated
	view.Account = a.payAccount(c, p, "")
	if view.From, err = a.payerOptions(v, f); err != nil {
		return err
	}
	if view.Saved, err = a.savedOptions(v, p, f); err != nil {
		return err
	}
	if view.Hint, err = a.payeeHint(v, p, f, *kind); err != nil {
		return err
	}
	view.AmountHint = f.amountHint(c, p, *kind)
	if id := f.get(fieldRetry); id != "" {
		old, err := a.Store.Payment(v.Ctx(), v.User.ID, id)
		if err != nil {
			return err
		}
		view.Again = "Like the payment to " + old.Title + " of " + c.Date(old.Created) + ", as a new one."
	}
	if text := f.problems[""]; text != "" {
		view.Faults = nil
		view.Problem = &ui.Notice{Tone: ui.Bad, Title: "This cannot be paid as it is", Text: text}
	} else if len(f.problems) > 0 {
		view.Problem = &ui.Notice{Tone: ui.Bad, Title: "Please correct what is marked below", Text: "Nothing of what you typed is lost, and nothing was sent."}
	}
	return v.Page(status, pages.Pay(view))
}

// payerOptions are the accounts that a payment may go from instead.
func (a *Area) payerOptions(v *shell.Visit, f payForm) ([]ui.Option, error) {
	all, err := a.payers(v)
	if err != nil {
		return nil, err
	}
	var options []ui.Option
	for _, p := range all {
		if a.Why(v.Ctx(), p) == "" {
			text := p.Account.Title() + ", " + show.BankName(p.Connection.ASPSP.Name)
			if last := p.Account.Last4(); last != "" {
				text += ", ending in " + last
			}
			options = append(options, ui.Option{Value: p.Account.ID, Text: text, Selected: p.Account.ID == f.get(fieldAccount)})
		}
	}
	return options, nil
}

func (a *Area) savedOptions(v *shell.Visit, p Payer, f payForm) ([]ui.Option, error) {
	payees, err := a.Store.Payees(v.Ctx(), v.User.ID, "")
	if err != nil {
		return nil, err
	}
	own, err := a.Store.Accounts(v.Ctx(), v.User.ID)
	if err != nil {
		return nil, err
	}
	options := []ui.Option{{Text: "Choose, or type below"}}
	for _, payee := range payees {
		text := payee.Name + ", " + payee.Account.Format()
		if payee.Favourite {
			text = "★ " + text
		}
		options = append(options, ui.Option{Value: "payee:" + payee.ID, Text: text})
	}
	for _, account := range own {
		if account.ID != p.Account.ID && finance.AccountNumber(account).Number != "" && account.Type != openbanking.CashAccountTypeCARD && account.Type != openbanking.CashAccountTypeLOAN {
			options = append(options, ui.Option{Value: "account:" + account.ID, Text: "My " + account.Title() + ", " + finance.AccountNumber(account).Format()})
		}
	}
	for i := range options {
		options[i].Selected = options[i].Value != "" && options[i].Value == f.get(fieldSaved)
	}
	return options, nil
}
