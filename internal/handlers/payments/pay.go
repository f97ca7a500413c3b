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
	"florin/internal/openbanking"
	"florin/internal/paymentfile"
	"florin/internal/paymentform"
	"florin/internal/payments"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

func noPayments(v *shell.Visitor) error {
	return &shell.Problem{Status: http.StatusNotFound, Title: v.Say("You cannot pay from Florin yet"), What: v.Say(offers.NotAllowed),
		Todo: v.Say("You still see your accounts and transactions."), Action: ui.Link{Text: v.Say("Go to your accounts"), Href: paths.Accounts}}
}

// Obstacle says why nothing can be paid from an account of a connection; "" when something can, by the banking service or by the person in the bank's app.
func (a *Area) Obstacle(ctx context.Context, account finance.Account, connection finance.Connection) string {
	if obstacle := account.SendObstacle(); obstacle != "" {
		return words.Say(ctx, obstacleWords(obstacle))
	}
	return ""
}

// byService says why Florin cannot make payments from an account itself; "" when it can.
func (a *Area) byService(ctx context.Context, account finance.Account, connection finance.Connection) string {
	if !account.Linked() {
		return words.Say(ctx, "You keep this account yourself.")
	}
	if obstacle := connection.PayObstacle(account, time.Now()); obstacle != "" {
		return words.Say(ctx, obstacleWords(obstacle))
	}
	if !a.Offers.CanPay(ctx, connection.ProviderID) {
		return words.Say(ctx, "The banking service does not let Florin make payments there.")
	}
	return ""
}

func (a *Area) obstacle(v *shell.Visitor, p paymentform.Payer) string {
	return a.Obstacle(v.Ctx(), p.Account, p.Connection)
}

// obstacleWords says why nothing can be paid from an account.
func obstacleWords(o finance.PayObstacle) words.Text {
	switch o {
	case finance.PayServiceRemoved:
		return "The banking service of this account was removed."
	case finance.PayDisconnected:
		return "The bank of this account is disconnected."
	case finance.PayConsentEnded:
		return "Your consent for Florin at this bank has ended."
	case finance.PayFromCard:
		return "You cannot pay from a card account."
	case finance.PayFromLoan:
		return "You cannot pay from a loan."
	}
	return "The bank no longer shares this account with Florin."
}

func (a *Area) payAccount(c show.Clock, p paymentform.Payer, href string) pages.PayAccount {
	view := pages.PayAccount{Name: c.AccountName(p.Account), Detail: c.Apart(p.Account), Bank: show.BankOf(p.Connection), Href: href}
	chosen := finance.ChooseBalances(p.Account, p.Balances)
	if b := cmp.Or(chosen.Available, chosen.Booked, chosen.Main); b != nil {
		figure := pages.Figure(b.Amount)
		if b != chosen.Available && b != chosen.Booked {
			name, _ := pages.BalanceWords(b.Type)
			view.BalanceIs = c.Message(name)
		}
		view.Balance, view.Available, view.AsOf, view.Stale = &figure, b == chosen.Available, show.AsOf(c, *b), c.Stale(b.Fetched)
		if booked := chosen.Booked; view.Available && booked != nil && booked.Amount != b.Amount && booked.Amount.Currency() == b.Amount.Currency() {
			view.Booked = c.Say("Booked: %s", booked.Amount)
			if more, err := b.Amount.Cmp(booked.Amount); err == nil && more > 0 {
				view.Booked = c.Say("Booked: %s; the rest may be a credit limit", booked.Amount)
			}
		}
	}
	return view
}

// payerRow is an account to choose, with its row.
type payerRow struct {
	account finance.Account
	row     pages.PayAccount
}

// inWallets are rows of accounts: pockets of one are one row with a row for each.
func inWallets(c show.Clock, list []payerRow) (rows []pages.PayAccount) {
	for _, pockets := range finance.Wallets(list, func(p payerRow) finance.Account { return p.account }) {
		first := pockets[0]
		if len(pockets) == 1 {
			rows = append(rows, first.row)
			continue
		}
		var of []finance.Account
		for _, p := range pockets {
			of = append(of, p.account)
		}
		wallet := pages.PayAccount{Bank: first.row.Bank, Detail: c.Detail(first.account)}
		wallet.Name, _ = c.Wallet(of)
		for _, p := range pockets {
			p.row.Name, p.row.Detail = c.Pocket(p.account, wallet.Name), ""
			wallet.Pockets = append(wallet.Pockets, p.row)
		}
		rows = append(rows, wallet)
	}
	return rows
}

// payers are all accounts of the user, in the order of the accounts page.
func (a *Area) payers(v *shell.Visitor) ([]paymentform.Payer, error) {
	h, err := a.Connections.Holdings(v.Ctx(), v.User.ID)
	if err != nil {
		return nil, err
	}
	var all []paymentform.Payer
	for _, connection := range h.Connections {
		for _, account := range show.OfConnection(h.Accounts, connection.ID) {
			if account.Linked() {
				all = append(all, paymentform.Payer{Account: account, Connection: connection, Balances: h.Balances[account.ID]})
			}
		}
	}
	for _, account := range h.Accounts {
		if account.Open() && account.Source == finance.SourceManual {
			all = append(all, paymentform.KeptPayer(account, h.Balances[account.ID]))
		}
	}
	return all, nil
}

// payerOf is one of the accounts of a user.
func payerOf(payers []paymentform.Payer, accountID string) (paymentform.Payer, error) {
	i := slices.IndexFunc(payers, func(p paymentform.Payer) bool { return p.Account.ID == accountID })
	if i < 0 {
		return paymentform.Payer{}, finance.ErrNotFound
	}
	return payers[i], nil
}

// payPage starts a payment. It first asks for the paying account, unless the address names one, or names a payee and the user has only one account. Then it
// shows the form. It asks for another account when that of the draft, or of the payment to repeat, can no longer pay.
func (a *Area) payPage(v *shell.Visitor) error {
	query := v.Request.URL.Query()
	if to, err := a.bulkInstead(v, query); to != "" || err != nil {
		if err == nil {
			v.SeeOther(to)
		}
		return err
	}
	payers, err := a.payers(v)
	if err != nil {
		return err
	}
	e := newEntry()
	if id := query.Get("draft"); id != "" {
		if to, err := a.fillDraft(v, &e, payers, id); to != "" || err != nil {
			if err == nil {
				v.SeeOther(to)
			}
			return err
		}
	} else if to, err := a.settled(v, query.Get("settlement")); to != "" || err != nil {
		if err == nil {
			v.SeeOther(to)
		}
		return err
	} else if to, err := a.requested(v, query.Get("request")); to != "" || err != nil {
		if err == nil {
			v.SeeOther(to)
		}
		return err
	} else if err := a.fillStart(v, &e, payers, query); err != nil {
		return err
	}
	e.stored = e.Get(paymentform.Amount) != ""
	if account := query.Get("account"); account != "" {
		e.account = account
	} else if e.account != "" {
		p, err := payerOf(payers, e.account)
		if err != nil {
			return err
		}
		kind := e.Get(paymentform.Type)
		gone := kind != "" && kind != string(finance.ByOwnApp) && a.byService(v.Ctx(), p.Account, p.Connection) != ""
		if a.obstacle(v, p) != "" || gone { // the person decides whether to send it in the bank's app instead
			e.account = ""
		}
	}
	if e.account == "" {
		return a.choosePayer(v, http.StatusOK, payers, e, pages.PayStartView{}, query)
	}
	facts, err := a.payFacts(v, payers, e.account)
	if err != nil {
		return err
	}
	form, _ := paymentform.New(facts, e.Entries)
	return a.formPage(v, http.StatusOK, e, form, nil)
}

// fillDraft fills the form with a draft. to leads to a payment that is no draft any more.
func (a *Area) fillDraft(v *shell.Visitor, e *payEntry, payers []paymentform.Payer, id string) (to string, err error) {
	draft, err := a.Store.Payment(v.Ctx(), v.User.ID, id)
	if err != nil {
		return "", err
	}
	if draft.Phase != finance.PhaseDraft {
		return paths.Payment(id), nil
	}
	e.SetOrder(draft.Order)
	e.key, e.draft, e.retry, e.request, e.account = draft.FormKey, draft.ID, draft.RetryOf, draft.RequestID, a.accountOf(v, payers, draft.Order)
	return "", nil
}

// accountOf is the account that pays an order, or one of the user at the bank of an order that names none; "" without.
func (a *Area) accountOf(v *shell.Visitor, payers []paymentform.Payer, o finance.PaymentOrder) string {
	if o.AccountID != "" {
		return o.AccountID
	}
	for _, p := range payers {
		if p.Connection.ProviderID == o.ProviderID && p.Connection.ASPSP == o.ASPSP && a.obstacle(v, p) == "" {
			return p.Account.ID
		}
	}
	return ""
}

// fillStart fills the form with what the address names: an account, and a payee, a transaction, an IBAN or a payment to repeat.
func (a *Area) fillStart(v *shell.Visitor, e *payEntry, payers []paymentform.Payer, query url.Values) error {
	e.account = query.Get("account")
	switch {
	case query.Get("retry") != "":
		old, err := a.Store.Payment(v.Ctx(), v.User.ID, query.Get("retry"))
		if err != nil {
			return err
		}
		e.SetOrder(old.Order.Again())
		e.retry = old.ID
		e.account = cmp.Or(e.account, a.accountOf(v, payers, old.Order))
		return nil
	case query.Get("settlement") != "":
		s, to, err := a.Store.SettlementToPay(v.Ctx(), v.User.ID, query.Get("settlement"))
		if err != nil {
			return err
		}
		e.setSettlement(v, s, to)
	case query.Get("request") != "":
		r, err := a.Store.PaymentRequest(v.Ctx(), v.User.ID, query.Get("request"))
		if err != nil {
			return err
		}
		e.setRequest(r, time.Now())
	case query.Get("payee") != "":
		payee, err := a.Store.Payee(v.Ctx(), v.User.ID, query.Get("payee"))
		if err != nil {
			return err
		}
		e.setPayee(payee)
	case query.Get("transaction") != "":
		id, err := strconv.ParseInt(query.Get("transaction"), 10, 64)
		if err != nil {
			return finance.ErrNotFound
		}
		t, err := a.Store.Transaction(v.Ctx(), v.User.ID, e.account, id)
		if err != nil {
			return err
		}
		e.SetTransaction(t)
	case query.Get("iban") != "":
		e.SetAccount(finance.PayeeAccount{Scheme: openbanking.SchemeNameIBAN, Number: query.Get("iban")})
	}
	if e.account == "" && e.Get(paymentform.Number) != "" {
		e.account = a.onlyPayer(v, payers)
	}
	return nil
}

// onlyPayer is the account from which something can be paid, when there is one alone, else "".
func (a *Area) onlyPayer(v *shell.Visitor, payers []paymentform.Payer) string {
	only := ""
	for _, p := range payers {
		switch {
		case a.obstacle(v, p) != "":
		case only != "":
			return ""
		default:
			only = p.Account.ID
		}
	}
	return only
}

// choosePayer asks from which account to pay. carry is what the address says of the payment; what was pasted stands in the view, and goes on in a form: it
// does not belong into an address.
func (a *Area) choosePayer(v *shell.Visitor, status int, payers []paymentform.Payer, e payEntry, view pages.PayStartView, carry url.Values) error {
	c := a.At(v.Ctx(), time.Now())
	view.Frame, view.To = a.Frame(v), finance.Clean(cmp.Or(e.Get(paymentform.Name), e.Get(paymentform.Number)))
	if amount := e.Get(paymentform.Amount); amount != "" && !c.Hides() {
		view.Amount = finance.Clean(amount + " " + e.Get(paymentform.Currency))
		if typed, err := finance.ParseAmount(amount, e.Get(paymentform.Currency)); err == nil {
			view.Amount = c.Money(typed)
		}
	}
	var able, unable []payerRow
	money := false // that is not simulated
	for _, p := range payers {
		if obstacle := a.obstacle(v, p); obstacle != "" {
			other := a.payAccount(c, p, "")
			other.Obstacle = obstacle
			unable = append(unable, payerRow{p.Account, other})
			continue
		}
		q := url.Values{"account": {p.Account.ID}}
		for _, name := range []string{"payee", "iban", "retry", "draft", "settlement", "request"} {
			if carry.Get(name) != "" {
				q.Set(name, carry.Get(name))
			}
		}
		row := a.payAccount(c, p, paths.Pay+"?"+q.Encode())
		if view.Pasted != "" {
			row.Href, row.ID = "", p.Account.ID
		}
		able = append(able, payerRow{p.Account, row})
		money = money || !p.Connection.Simulated
	}
	view.Accounts, view.Others = inWallets(c, able), inWallets(c, unable)
	view.Simulated = len(view.Accounts) > 0 && !money
	people, err := a.Store.Askable(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	view.CanAsk = len(people) > 0 && carry.Get("request") == ""
	view.Frame.Simulated = view.Simulated
	if len(view.Accounts) == 0 {
		view.Notice = &ui.Notice{Tone: ui.Info, Title: c.Say("You have no account to pay from"),
			Text:   c.Say("Link a bank where you have a current account or a savings account."),
			Action: ui.Link{Text: c.Say("Link a bank"), Href: paths.Link}}
	}
	return v.Page(status, pages.PayStart(view))
}

// pay handles the form. As long as something is wrong it shows the form again with what was typed. A correct form becomes a draft to review.
func (a *Area) pay(v *shell.Visitor) error {
	if v.Request.PostForm.Has("paste") {
		return a.paste(v)
	}
	e := readEntry(v)
	if !formKey.MatchString(e.key) {
		return &shell.Problem{Status: http.StatusBadRequest, What: v.Say("The form is not complete, so nothing was saved."),
			Todo: v.Say("Open the form again."), Action: ui.Link{Text: v.Say("Pay"), Href: paths.Pay}}
	}
	payers, err := a.payers(v)
	if err != nil {
		return err
	}
	facts, err := a.payFacts(v, payers, e.account)
	if err != nil {
		return err
	}
	switch show := v.Field("show"); show {
	case "":
	case "fill":
		if err := e.fillSaved(facts); err != nil {
			return err
		}
		e.ask = paymentform.Amount // the next to be filled in: the page does not begin at its top again
	case "check", "account", showAsk:
	default:
		e.Set(paymentform.Type, show)
		e.chose = true
	}
	form, offered := paymentform.New(facts, e.Entries)
	if v.Field("show") == showAsk {
		return a.askInstead(v, e, form)
	}
	if v.Field("show") != "" {
		return a.formPage(v, http.StatusOK, e, form, nil)
	}
	if !offered {
		return a.formPage(v, http.StatusUnprocessableEntity, e, form, nil)
	}
	order, faults := form.Check()
	if e.converts(form) {
		faults = append(faults, paymentform.Fault{Field: paymentform.Amount, Problem: paymentform.OtherCurrency{Was: e.in, Is: form.Currency()}})
	}
	if len(faults) > 0 {
		return a.formPage(v, http.StatusUnprocessableEntity, e, form, faults)
	}
	draft, err := a.save(v, e, order)
	switch {
	case errors.Is(err, finance.ErrRequestOver):
		a.Flash(v, ui.Warning, v.Say("This request is over, or a payment for it is prepared already. Nothing was saved."))
		v.SeeOther(paths.Request(e.request))
		return nil
	case errors.Is(err, payments.ErrSent):
		a.Flash(v, ui.Warning, v.Say("You have already confirmed this payment. Your later changes were not saved; make a new payment for them."))
		v.SeeOther(paths.Payment(draft.ID))
		return nil
	case errors.Is(err, payments.ErrAccount):
		e.refused = v.Say("Florin can no longer pay from this account. Choose another account.")
		return a.formPage(v, http.StatusUnprocessableEntity, e, form, nil)
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

// save makes the draft, or changes it.
func (a *Area) save(v *shell.Visitor, e payEntry, order finance.PaymentOrder) (finance.Payment, error) {
	if e.request != "" && e.retry == "" {
		return a.Payments.SaveAsked(v.Ctx(), v.User.ID, e.key, order, e.request)
	}
	return a.Payments.Save(v.Ctx(), v.User.ID, e.key, order, e.retry)
}

// paste reads an IBAN or the text of a payment code, and goes on with it.
func (a *Area) paste(v *shell.Visitor) error {
	return a.payPasted(v, v.Request.PostFormValue("paste"), func(payers []paymentform.Payer, why string) error {
		return a.choosePayer(v, http.StatusUnprocessableEntity, payers, payEntry{}, pages.PayStartView{Paste: v.Field("paste"), PasteProblem: why}, nil)
	})
}

// payPasted goes on with an IBAN or the text of a payment code: it asks from which account it is to be paid when several can, and shows the form. refuse shows
// why the text is neither.
func (a *Area) payPasted(v *shell.Visitor, text string, refuse func(payers []paymentform.Payer, why string) error) error {
	payers, err := a.payers(v)
	if err != nil {
		return err
	}
	e := newEntry()
	var invoice paymentfile.Invoice
	code := paymentfile.LooksLikeInvoice(text)
	if code {
		if invoice, err = paymentfile.ParseInvoice(text); err != nil {
			return refuse(payers, fileError(words.In(v.Ctx()), err))
		}
		e.setInvoice(v, invoice)
	} else {
		number, err := iban.Parse(strings.TrimSpace(text))
		var fault *iban.Problem
		if errors.As(err, &fault) && fault.Kind == iban.UnknownCountry {
			return refuse(payers, v.Say("This is neither an IBAN nor the text of a payment code. An IBAN starts with two letters for the country, such as DE. A payment code starts with letters such as BCD, SPC or SPD."))
		}
		if err != nil {
			return refuse(payers, words.In(v.Ctx()).Message(show.NumberProblem(err)))
		}
		e.SetAccount(finance.PayeeAccount{Scheme: openbanking.SchemeNameIBAN, Number: number.String()})
	}
	if e.account = cmp.Or(v.Field(fieldAccount), a.onlyPayer(v, payers)); e.account == "" {
		return a.choosePayer(v, http.StatusOK, payers, e, pages.PayStartView{Pasted: text}, nil)
	}
	facts, err := a.payFacts(v, payers, e.account)
	if err != nil {
		return err
	}
	form, offered := paymentform.New(facts, e.Entries)
	if code && !offered { // an instant payment, which Florin cannot make there: the first kind that fits the code. In euros the bank's app always does
		e.Set(paymentform.Type, "")
		form, _ = paymentform.New(facts, e.Entries)
	}
	if code && form.Currency() != invoice.Currency { // never the same number in another currency
		return refuse(payers, v.Say("This bill is in %s. From %s you can pay in %s only. Choose another account, or scan the bill with the app of your bank.",
			invoice.Currency, a.At(v.Ctx(), time.Now()).AccountName(facts.Account), form.Currency()))
	}
	if code && invoice.IBAN.QR() && !form.Bill() {
		return refuse(payers, v.Say("This Swiss QR-bill can only be paid within Switzerland (QR-IBAN). Scan it with the app of your Swiss bank."))
	}
	if first, last := form.FirstDay(), form.LastDay(); form.Dated() && invoice.Due > first && (last == "" || invoice.Due <= last) {
		e.Set(paymentform.When, paymentform.OnDate)
		e.Set(paymentform.Date, string(invoice.Due))
		e.hint(paymentform.Date, v.Say("This is the day that the payment code asks for."))
	}
	if text := form.TextOrReference(); code && text != "" {
		e.hint(paymentform.Text(0), v.Say("For you only, from the payment code: “%s”.", text))
	}
	if code && form.ReferenceAsText() {
		e.hint(paymentform.Text(0), v.Say("This is the reference of the payment code. Your bank accepts it as text."))
	}
	return a.formPage(v, http.StatusOK, e, form, nil)
}

// payFacts loads what is known before a payment from an account is filled in. A problem says why nothing can be paid from there.
func (a *Area) payFacts(v *shell.Visitor, payers []paymentform.Payer, accountID string) (f paymentform.Facts, err error) {
	p, err := payerOf(payers, accountID)
	if err != nil {
		return f, err
	}
	if obstacle := a.obstacle(v, p); obstacle != "" {
		return f, &shell.Problem{Status: http.StatusNotFound, Title: v.Say("You cannot pay from this account"), What: obstacle,
			Todo: v.Say("Choose another account."), Action: ui.Link{Text: v.Say("Choose an account"), Href: paths.Pay}}
	}
	f = paymentform.Facts{Payer: p, Payers: payers, Now: time.Now()}
	if a.byService(v.Ctx(), p.Account, p.Connection) == "" {
		bank, err := a.Linking.Bank(v.Ctx(), v.User.ID, p.Connection.ProviderID, p.Connection.ASPSP)
		if err != nil {
			return f, connections.BankProblem(v, err)
		}
		f.Kinds, f.Methods = paymentform.SingleKinds(bank.Payments, p.Connection.PSUType), bank.AuthMethods
	}
	f.Kinds = append(f.Kinds, paymentform.OwnAppKind(p.Connection.PSUType, p.Account))
	f.Payees, err = a.Store.Payees(v.Ctx(), v.User.ID, "")
	return f, err
}

// kindWordsOf is what a payment type is called; without a title for those that are none of one payment at a time.
func kindWordsOf(t openbanking.PaymentType) (w struct{ title, note words.Text }) {
	switch t {
	case finance.ByOwnApp:
		w.title, w.note = "In your bank’s app", "In euros. Florin prepares it, and you send it in the app of your bank."
	case openbanking.PaymentTypeSEPA:
		w.title, w.note = "Standard", "In euros, there by the next working day."
	case openbanking.PaymentTypeInstSEPA:
		w.title, w.note = "Instant", "In euros, there within seconds."
	case openbanking.PaymentTypeDomestic:
		w.title, w.note = "Domestic", "In the country’s own currency."
	case openbanking.PaymentTypeDomesticSEGiro:
		w.title, w.note = "Giro", "To a Bankgiro or Plusgiro number."
	case openbanking.PaymentTypeInternal:
		w.title, w.note = "Within the bank", "To an account at the same bank."
	case openbanking.PaymentTypeCrossborder:
		w.title, w.note = "Abroad", "To other countries and in other currencies."
	}
	return w
}

// typeWords is a payment type in a sentence of its own, bulk ones among them.
func typeWords(t openbanking.PaymentType) words.Text {
	if w := kindWordsOf(t); w.title != "" {
		return w.title
	}
	switch t {
	case openbanking.PaymentTypeBulkSEPA:
		return "Several payments at once, in euros"
	case openbanking.PaymentTypeBulkDomestic:
		return "Several payments at once, domestic"
	case openbanking.PaymentTypeBulkDomesticSEGiro:
		return "Several payments at once, by giro"
	}
	return words.Text(t)
}

// payExplain explains what is typed: HTML of one part of the form, as it would be after sending it.
func (a *Area) payExplain(v *shell.Visitor) error {
	e := readEntry(v)
	payers, err := a.payers(v)
	if err != nil {
		return err
	}
	facts, err := a.payFacts(v, payers, e.account)
	if err != nil {
		return err
	}
	form, offered := paymentform.New(facts, e.Entries)
	if !offered {
		return finance.ErrNotFound
	}
	switch v.Field("part") {
	case "payee-hint":
		hint, err := a.payeeHint(v, form)
		if err != nil {
			return err
		}
		return v.Page(http.StatusOK, pages.PayeeHint(hint))
	case "amount-hint":
		return v.Page(http.StatusOK, pages.AmountHint(amountHint(a.At(v.Ctx(), facts.Now), form)))
	case "pay-dates":
		return v.Page(http.StatusOK, pages.PayNextDates(datesHint(a.At(v.Ctx(), facts.Now), form)))
	}
	return finance.ErrNotFound
}

// formPage shows the form as it is filled in, with what is wrong.
func (a *Area) formPage(v *shell.Visitor, status int, e payEntry, form paymentform.Form, faults []paymentform.Fault) error {
	c := a.At(v.Ctx(), form.Now)
	view := formView(c, e, form, faults, v.User)
	view.Frame, view.Simulated = a.Frame(v), form.Connection.Simulated
	view.Frame.Simulated = view.Simulated
	view.Account = a.payAccount(c, form.Payer, "")
	var able []finance.Account
	var banks []finance.Connection
	for _, p := range form.Payers {
		if a.obstacle(v, p) == "" {
			able, banks = append(able, p.Account), append(banks, p.Connection)
		}
	}
	view.From = c.AccountOptions(able, banks, form.Account.ID)
	if chosen := slices.IndexFunc(view.From, func(o ui.Option) bool { return o.Selected }); chosen >= 0 {
		view.From[chosen].Text = payerWords(c, form.Payer) // with its bank: a closed list does not show the heading
	}
	view.AmountHint = amountHint(c, form)
	if !slices.ContainsFunc(faults, func(f paymentform.Fault) bool { return f.Field == paymentform.Number }) {
		var err error
		if view.Hint, err = a.payeeHint(v, form); err != nil {
			return err
		}
	}
	people, err := a.Store.Askable(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	view.CanAsk, view.Stored = len(people) > 0, e.stored
	if e.request != "" {
		if view.Asked, err = a.askedNotice(v, e.request); err != nil {
			return err
		}
	}
	if e.retry != "" {
		old, err := a.Store.Payment(v.Ctx(), v.User.ID, e.retry)
		if err != nil {
			return err
		}
		view.Again = c.Say("A new payment like the one to %s of %s.", old.Title, c.Date(old.Created))
	}
	return v.Page(status, pages.Pay(view))
}
