package banksites

import (
	"errors"
	"net/http"
	"net/url"

	"florin/internal/aggregator"
	"florin/internal/aggregator/sandbox"
	"florin/internal/aggregator/site"
	"florin/internal/openbanking"
	"florin/web/templates/hosted"
	"florin/web/templates/words"
)

// appRoom is the page that stands for the app of a bank: a customer pays there with the text of a code, with a link or with a file.
var appRoom = room{
	path:   func(bank *sandbox.Bank) string { return bankPath(bank) + "app" },
	title:  "The bank’s app",
	reason: "Sign in to pay with the text of a payment code, with a payment link or with a file.",
}

// app shows the form for a code, a link or a file, or what became of an order that was approved there.
func (s *Sites) app(w http.ResponseWriter, r *http.Request) error {
	bank, err := s.bank(r)
	if err != nil {
		return err
	}
	customer, ok := s.customer(r, bank)
	if !ok {
		return s.customerSignIn(w, r, bank, appRoom, http.StatusOK, "", "")
	}
	id := r.URL.Query().Get("order")
	if id == "" {
		return s.appForm(w, r, customer, http.StatusOK, "", nil)
	}
	order, err := s.banks.OrderInApp(r.Context(), customer, id)
	if errors.Is(err, aggregator.ErrNotFound) {
		return site.ErrNoPage
	}
	if err != nil {
		return err
	}
	l := words.In(r.Context())
	shown := bankOf(l, bank)
	page := hosted.MessagePage{Bank: &shown, LinkURL: appRoom.path(bank), LinkText: l.Say("Pay something else"), Tone: hosted.ToneDone,
		Title: l.Say("The bank has your order")}
	for i, t := range order.Plan.Transfers {
		if last := t.Steps[len(t.Steps)-1]; last.Status == openbanking.PaymentStatusRJCT {
			name := *order.Order.Payment.CreditTransferTransaction[i].Beneficiary.Creditor.Name
			page.Each = append(page.Each, l.Say("The payment to %s was refused: %s", words.Plain(name), l.Say(refusalOf(last.Reason))))
		}
	}
	if taken := len(order.Plan.Transfers) - len(page.Each); taken > 0 {
		page.Text = append(page.Text, l.Say("The bank carries out %d payments. What is due today shows in the account within seconds.", taken))
	} else {
		page.Title, page.Tone = l.Say("The bank refused your order"), hosted.ToneStop
	}
	page.Text = append(page.Text, l.Say("This bank is simulated: no money moves."))
	s.site.Render(w, r, http.StatusOK, hosted.Message(page))
	return nil
}

// appForm shows the form, after a text that the bank could not read with the reason.
func (s *Sites) appForm(w http.ResponseWriter, r *http.Request, customer sandbox.Customer, status int, text string, failed error) error {
	l := words.In(r.Context())
	page := hosted.BankAppPage{
		Bank:       bankOf(l, customer.Bank),
		Holder:     customer.Name,
		Action:     appRoom.path(customer.Bank) + "/check",
		SignOutURL: appRoom.path(customer.Bank) + "/sign-out",
		Text:       text,
	}
	if failed != nil {
		page.Problem = unreadable(l, failed)
	}
	s.site.Render(w, r, status, hosted.BankApp(page))
	return nil
}

// maxUpload is how large the forms of the app may be: they hold a text and a file, and the ends of lines can take twice what they took in the file.
const maxUpload = 2*sandbox.MaxInstruction + site.MaxForm

// signedInToApp reports whether a request comes from a customer, who may send a file with many payments.
func (s *Sites) signedInToApp(r *http.Request) bool {
	bank, err := s.bank(r)
	if err != nil {
		return false
	}
	_, ok := s.customer(r, bank)
	return ok
}

// checkInApp shows what the bank would send.
func (s *Sites) checkInApp(w http.ResponseWriter, r *http.Request) error {
	bank, err := s.bank(r)
	if err != nil {
		return err
	}
	customer, ok := s.customer(r, bank)
	if !ok {
		return site.Redirect(w, r, appRoom.path(bank))
	}
	fields, file, err := site.FormWithFile(r, "file")
	if errors.Is(err, site.ErrLargeForm) {
		return s.appForm(w, r, customer, http.StatusRequestEntityTooLarge, "", sandbox.ErrLongInstruction)
	}
	if err != nil {
		return err
	}
	text := fields.Get("text")
	if len(file) > 0 {
		text = string(file)
	}
	order, err := s.banks.ReadInApp(r.Context(), customer, text)
	if isUnreadable(err) {
		return s.appForm(w, r, customer, http.StatusUnprocessableEntity, fields.Get("text"), err)
	}
	if err != nil {
		return err
	}
	return s.appOrder(w, r, customer, http.StatusOK, text, order, site.Attempt{})
}

// appOrder shows an order before it is approved, after an attempt that failed with its fields.
func (s *Sites) appOrder(w http.ResponseWriter, r *http.Request, customer sandbox.Customer, status int, text string, order sandbox.AppOrder,
	failed site.Attempt) error {
	l := words.In(r.Context())
	page := hosted.BankAppOrderPage{
		OrderPage: hosted.OrderPage{
			Bank:     bankOf(l, customer.Bank),
			Action:   appRoom.path(customer.Bank) + "/approve",
			Problem:  failed.Words(l, 0),
			Holder:   customer.Name,
			Accounts: site.DebtorAccounts(l, order.Choices, failed),
			Fixed:    order.Order.Payment.DebtorAccount != nil && len(order.Choices) == 1,
		},
		BackURL: appRoom.path(customer.Bank),
		Text:    text,
		Key:     order.Key,
	}
	if len(order.Order.Payment.CreditTransferTransaction) > 0 {
		page.Visit.Order = site.OrderOf(l, order.Order.Type, order.Order.Payment, order.Payees, false)
		if order.InTotal() {
			page.Visit.Order.Details = append(page.Visit.Order.Details,
				hosted.Detail{Label: l.Say("In your account"), Lines: []string{l.Say("One total for each group of payments in the file")}})
		}
	}
	for _, t := range order.Refused {
		refused := hosted.RefusedTransfer{
			Reason:  l.Say("Payment %d: %s", t.Number, l.Say(faults[t.Fault])),
			Account: site.Readable(t.Beneficiary.CreditorAccount.Identification),
		}
		if name := t.Beneficiary.Creditor.Name; name != nil {
			refused.Payee = *name
		}
		page.Refused = append(page.Refused, refused)
	}
	s.site.Render(w, r, status, hosted.BankAppOrder(page))
	return nil
}

// approveInApp makes the order. The same form sent twice makes it once.
func (s *Sites) approveInApp(w http.ResponseWriter, r *http.Request) error {
	bank, err := s.bank(r)
	if err != nil {
		return err
	}
	customer, ok := s.customer(r, bank)
	if !ok {
		return site.Redirect(w, r, appRoom.path(bank))
	}
	fields, _, err := site.FormWithFile(r, "file")
	if err != nil {
		return err
	}
	text, failed := fields.Get("text"), site.OrderAttempt(fields)
	id, err := s.banks.ApproveInApp(r.Context(), customer, text, fields.Get("key"), fields.Get("account"))
	switch {
	case errors.Is(err, sandbox.ErrNothingChosen):
		failed.Problem = site.NoDebtor
	case errors.Is(err, sandbox.ErrNotAChoice):
		failed.Problem = site.NotADebtor
	case isUnreadable(err):
		return s.appForm(w, r, customer, http.StatusUnprocessableEntity, text, err)
	case err != nil:
		return err
	default:
		return site.Redirect(w, r, appRoom.path(bank)+"?"+url.Values{"order": {id}}.Encode())
	}
	order, err := s.banks.ReadInApp(r.Context(), customer, text)
	if isUnreadable(err) {
		return s.appForm(w, r, customer, http.StatusUnprocessableEntity, text, err)
	}
	if err != nil {
		return err
	}
	order.Key = fields.Get("key")
	return s.appOrder(w, r, customer, http.StatusUnprocessableEntity, text, order, failed)
}

// unreadable says why the app takes nothing of a text.
func unreadable(l *words.Language, err error) string {
	if errors.Is(err, sandbox.ErrManyTransfers) {
		return l.Say("The file contains more than %d payments. The bank takes no more in one file: make several.", sandbox.MaxTransfers)
	}
	for known, text := range unread {
		if errors.Is(err, known) {
			return l.Say(text)
		}
	}
	return ""
}

// isUnreadable reports whether an error is one of those.
func isUnreadable(err error) bool { return unreadable(words.English, err) != "" }

var unread = map[error]words.Text{
	sandbox.ErrNoInstruction:      "Paste the text of a code or a link, or choose a file.",
	sandbox.ErrLongInstruction:    "The text or file is larger than 1 MB. Send fewer payments at a time.",
	sandbox.ErrUnknownInstruction: "This is not a payment. A code begins with BCD, a link with payto:, and a file is a pain.001 in UTF-8.",
	sandbox.ErrBrokenCode:         "The payment code is damaged. Copy all its lines, and nothing else.",
	sandbox.ErrBrokenLink:         "The payment link is damaged. It looks like payto://iban/DE89…?amount=EUR:12.30. Copy all of it.",
	sandbox.ErrBrokenFile:         "The file cannot be read. The bank takes pain.001.001.03 and later versions, with a message ID and the account that pays.",
	sandbox.ErrWrongTotals:        "The file contains other payments than it says: the number or the sum is wrong. Create it again.",
	sandbox.ErrSeveralDebtors:     "The file pays from several accounts. Make one file for each.",
	sandbox.ErrKnownFile:          "The bank has had this file before, and does not take it twice.",
}

// faults say why the bank does not take a transfer.
var faults = map[sandbox.TransferFault]words.Text{
	sandbox.FaultAccount:  "The IBAN is wrong.",
	sandbox.FaultAmount:   "The amount is missing or wrong.",
	sandbox.FaultCurrency: "The amount is not in euros.",
	sandbox.FaultPayee:    "The payee’s name is missing.",
}

// refusalOf says why the bank refuses a transfer that it has read.
func refusalOf(reason *openbanking.StatusReasonInformation) words.Text {
	if reason != nil {
		if text, ok := refusals[reason.StatusReasonCode]; ok {
			return text
		}
	}
	return "The bank gives no reason."
}

// refusals are the reasons of ISO 20022 in words.
var refusals = map[string]words.Text{
	"AC01": "There is no such account.",
	"AC04": "This account is closed.",
	"AC06": "This account is blocked.",
	"AG01": "Nothing can be paid from this account.",
	"AM02": "The bank takes no amount this large.",
	"AM04": "There is too little money in the account.",
}
