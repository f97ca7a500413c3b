package payments

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"florin/internal/auth"
	"florin/internal/countries"
	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/iban"
	"florin/internal/openbanking"
	"florin/internal/paymentfile"
	"florin/internal/paymentform"
	"florin/internal/payments"
	"florin/internal/store"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

func (a *Area) review(v *shell.Visitor) error {
	r, err := a.Payments.Review(v.Ctx(), v.User.ID, v.Request.PathValue("payment"))
	if errors.Is(err, payments.ErrSent) {
		v.SeeOther(paths.Payment(r.Payment.ID))
		return nil
	}
	if err != nil {
		return err
	}
	if v.Request.URL.Path != paths.PaymentReview(r.Payment.ID) {
		v.SeeOther(paths.PaymentReview(r.Payment.ID))
		return nil
	}
	return a.reviewPage(v, http.StatusOK, r, nil, nil, nil)
}

// confirmWithin is how long a confirmation may wait for the service and the bank behind it: longer than the call, and what is written down after it.
const confirmWithin = payments.AnswerWithin + 20*time.Second

// reviewedOther is the notice that a payment has changed since the person reviewed it.
func reviewedOther(v *shell.Visitor) ui.Notice {
	return ui.Notice{Tone: ui.Bad, Title: v.Say("The payment was changed after you looked at it"), Text: v.Say("This is how it is now. Nothing was sent.")}
}

// confirm sends a payment off: after a proof of who the person is, for exactly what was reviewed, and once.
func (a *Area) confirm(v *shell.Visitor) error {
	id, agreed := v.Request.PathValue("payment"), v.Request.PostForm["agree"]
	r, err := a.Payments.Review(v.Ctx(), v.User.ID, id)
	if errors.Is(err, payments.ErrSent) {
		v.SeeOther(paths.Payment(id))
		return nil
	}
	if err != nil {
		return err
	}
	if !r.Payment.Order.OwnApp() && !a.Offers.CanPay(v.Ctx(), r.Payment.Order.ProviderID) {
		return noPayments(v)
	}
	if r.Unpayable != nil { // a proof makes no difference
		return a.reviewPage(v, http.StatusConflict, r, nil, nil, agreed)
	}
	if v.Field("hash") != r.Hash { // whoever corrects a password must not confirm what another window made of the payment
		other := reviewedOther(v)
		return a.reviewPage(v, http.StatusUnprocessableEntity, r, &other, nil, nil)
	}
	wrong, err := a.StepUp(v, auth.ForPayment(id, r.Hash))
	if err != nil {
		return err
	}
	if wrong != nil {
		return a.reviewPage(v, http.StatusUnprocessableEntity, r, nil, wrong, agreed)
	}
	browser, err := a.StartFlow(v)
	if err != nil {
		return err
	}
	// the server's is for pages that wait for nobody
	if err := http.NewResponseController(v.Writer).SetWriteDeadline(time.Now().Add(confirmWithin)); err != nil {
		return err
	}
	payment, err := a.Payments.Confirm(v.Ctx(), v.User.ID,
		payments.Confirmation{ID: id, ReviewHash: v.Field("hash"), Agreed: agreedTo(r.Warnings, agreed), Browser: browser, Language: words.In(v.Ctx()).Code()})
	var unagreed *payments.Unagreed
	var unpayable *payments.Unpayable
	switch {
	case errors.Is(err, payments.ErrSent):
		v.SeeOther(paths.Payment(id))
		return nil
	case errors.Is(err, payments.ErrChanged), errors.As(err, &unagreed), errors.As(err, &unpayable):
		if r, err = a.Payments.Review(v.Ctx(), v.User.ID, id); err != nil {
			return err
		}
		if r.Unpayable != nil {
			return a.reviewPage(v, http.StatusConflict, r, nil, nil, agreed)
		}
		notice := reviewedOther(v)
		if unagreed != nil {
			notice = ui.Notice{Tone: ui.Bad, Title: v.Say("Please read the warnings below"), Text: v.Say("Tick the box of each warning to go on. Nothing was sent.")}
		}
		return a.reviewPage(v, http.StatusUnprocessableEntity, r, &notice, nil, agreed)
	case err != nil:
		return err
	}
	a.Log.InfoContext(v.Ctx(), "payment confirmed", "user", v.User.ID, "payment", payment.ID, "phase", payment.Phase)
	if payment.Waiting() && payment.Approval.URL != "" {
		v.SeeOther(paths.PaymentLeave(payment.ID))
		return nil
	}
	v.SeeOther(paths.Payment(payment.ID))
	return nil
}

// paymentLeave shows the page with the link to the bank. It uses a link because the policy on forms blocks redirects to another origin (security F2). The
// page changes nothing. When the return from the bank would not reach this browser, or only for a short time, its button calls paymentGo first.
func (a *Area) paymentLeave(v *shell.Visitor) error {
	payment, err := a.Store.Payment(v.Ctx(), v.User.ID, v.Request.PathValue("payment"))
	if err != nil {
		return err
	}
	href, host, ok := a.wayToBank(v, payment)
	if !ok {
		return nil
	}
	ready, err := a.Payments.LeadsBack(v.Ctx(), v.User.ID, payment.ID, a.Flow(v))
	if err != nil {
		return err
	}
	view := pages.PaymentLeaveView{Frame: a.Frame(v), ID: payment.ID, Bank: payBank(payment), Simulated: payment.Simulated,
		Amount: pages.Figure(payment.Total), When: orderWhen(a.At(v.Ctx(), time.Now()), payment.Order), Payee: a.At(v.Ctx(), time.Now()).PaidTo(payment),
		Href: href, Host: host}
	if !ready {
		view.Href = ""
	}
	view.Frame.Simulated = payment.Simulated
	return v.Page(http.StatusOK, pages.PaymentLeave(view))
}

// paymentGo lets this browser receive the return from the bank, and shows the page with the link to the bank.
func (a *Area) paymentGo(v *shell.Visitor) error {
	payment, err := a.Store.Payment(v.Ctx(), v.User.ID, v.Request.PathValue("payment"))
	if err != nil {
		return err
	}
	if _, _, ok := a.wayToBank(v, payment); !ok {
		return nil
	}
	browser, err := a.StartFlow(v)
	if err != nil {
		return err
	}
	if err := a.Payments.Leave(v.Ctx(), v.User.ID, payment.ID, browser); err != nil {
		return err
	}
	v.SeeOther(paths.PaymentLeave(payment.ID))
	return nil
}

// wayToBank returns the address at which a payment is approved. When there is none it answers with the page of the payment, and ok is false.
func (a *Area) wayToBank(v *shell.Visitor, p finance.Payment) (href, host string, ok bool) {
	href, host, safe := shell.LeadsTo(p.Approval.URL, p.Simulated)
	if p.Waiting() && safe {
		return href, host, true
	}
	if p.Waiting() && p.Approval.URL != "" {
		a.Log.ErrorContext(v.Ctx(), "the service sent no web address to go to", "payment", p.ID)
		a.Flash(v, ui.Bad, v.Say("The banking service gave no safe address of the bank, so Florin does not send you there. Nothing was approved."))
	}
	v.SeeOther(paths.Payment(p.ID))
	return "", "", false
}

func payBank(p finance.Payment) pages.Bank {
	return show.Bank(p.Order.ProviderID, p.Order.ASPSP, p.Simulated)
}

// discard deletes a draft, or hides a payment that was sent from the lists.
func (a *Area) discard(v *shell.Visitor) error {
	id := v.Request.PathValue("payment")
	before, err := a.Store.Payment(v.Ctx(), v.User.ID, id)
	if err != nil {
		return err
	}
	if err := a.Payments.Discard(v.Ctx(), v.User.ID, id); err != nil {
		return err
	}
	if before.Phase == finance.PhaseDraft {
		a.Flash(v, ui.Good, v.Say("The draft is discarded. Nothing was sent."))
	} else {
		a.Flash(v, ui.Good, v.Say("The payment is discarded. It is hidden in Florin and comes back by itself if it goes on."))
	}
	v.SeeOther(paths.Payments)
	return nil
}

func (a *Area) showPayment(v *shell.Visitor) error {
	id := v.Request.PathValue("payment")
	if err := a.Payments.Show(v.Ctx(), v.User.ID, id); err != nil {
		return err
	}
	v.SeeOther(paths.Payment(id))
	return nil
}

// checkPayment asks the service now.
func (a *Area) checkPayment(v *shell.Visitor) error {
	payment, err := a.Payments.Check(v.Ctx(), v.User.ID, v.Request.PathValue("payment"))
	if err != nil {
		return err
	}
	if payment.Phase == finance.PhaseUnknown {
		a.Flash(v, ui.Info, v.Say("Florin cannot ask the banking service about this payment and waits for its report. Look at your account at the bank."))
	}
	v.SeeOther(paths.Payment(payment.ID))
	return nil
}

// keepPayee saves the payee of a payment that the bank executed. Others are not saved: Florin does not warn about a saved payee, and an order that
// nobody approved proves nothing about its account.
func (a *Area) keepPayee(v *shell.Visitor) error {
	payment, err := a.Store.Payment(v.Ctx(), v.User.ID, v.Request.PathValue("payment"))
	if err != nil {
		return err
	}
	all := payment.Order.Request.CreditTransferTransaction
	if len(all) != 1 || payment.Title == "" {
		return finance.ErrNotFound
	}
	if !payment.CarriedOut() {
		a.Flash(v, ui.Info, v.Say("You can save the payee when the bank carries the payment out."))
		v.SeeOther(paths.Payment(payment.ID))
		return nil
	}
	_, err = a.Store.SavePayee(v.Ctx(), finance.Payee{UserID: v.User.ID, Name: payment.Title, Beneficiary: all[0].Beneficiary})
	switch {
	case errors.Is(err, store.ErrPayeeExists):
		a.Flash(v, ui.Info, v.Say("This account is already saved."))
	case err != nil:
		return err
	default:
		a.Flash(v, ui.Good, v.Say("The payee is saved."))
	}
	v.SeeOther(paths.Payment(payment.ID))
	return nil
}

// reviewPage shows a draft as it would be sent.
func (a *Area) reviewPage(v *shell.Visitor, status int, r payments.Review, problem *ui.Notice, wrong *auth.ProofError, agreed []string) error {
	c := a.At(v.Ctx(), time.Now())
	p := r.Payment
	view := pages.ReviewView{
		Frame: a.Frame(v), ID: p.ID, Simulated: p.Simulated, Bank: payBank(p), Problem: problem, Amount: pages.Figure(p.Total), Payee: c.PaidTo(p),
		Hash:   r.Hash,
		Change: paths.PayDraft(p.ID), Title: c.Say("Review the payment"), When: orderWhen(c, p.Order),
	}
	if p.Order.Standing() {
		view.Title = c.Say("Review the standing order")
	}
	view.Frame.Simulated = p.Simulated
	if p.Total.IsZero() {
		view.Amount = ui.Money{}
		totals, err := p.Order.Totals()
		if err != nil {
			return err
		}
		for _, t := range totals {
			view.BulkTotals = append(view.BulkTotals, pages.Figure(t))
		}
	}
	var err error
	if len(r.Transfers) == 1 {
		view.Account = r.Transfers[0].Account.Format()
	} else {
		view.Transfers = transferRows(c, p, r.Transfers)
	}
	if view.Rows, err = a.reviewRows(v, c, r); err != nil {
		return err
	}
	view.Warnings = reviewWarnings(c, r, agreed)
	view.Confirm = confirmWords(c, p, len(r.Transfers))
	if r.Unpayable != nil {
		view.Problem, view.Confirm, view.Warnings = unpayableNotice(c, p, *r.Unpayable), "", nil
		return v.Page(status, pages.Review(view))
	}
	view.Proof, err = a.Proof(v, auth.ForPayment(p.ID, r.Hash),
		v.Say("This stops anybody who finds this page open from paying. Never enter the password of your bank here."), wrong)
	if err != nil {
		return err
	}
	if wrong != nil {
		view.Proof.Problem += " " + v.Say("Nothing was sent.")
		view.Problem = &ui.Notice{Tone: ui.Bad, Title: v.Say("Not confirmed"), Text: view.Proof.Problem,
			Action: ui.Link{Text: v.Say("Try again"), Href: "#" + view.Proof.Field}}
	}
	bank := bankWords(c, p)
	if p.Order.OwnApp() {
		shown := words.Text("Florin shows a code and a file for the app or the website of %s. You send the payment there.")
		if p.Total.Currency() == paymentfile.Francs {
			shown = "Florin shows a Swiss QR-bill for the app of %s. You send the payment there."
		}
		view.Next = []string{c.Say("You confirm here that it is you. Florin sends nothing to your bank."),
			c.Say(shown, bank),
			c.Say("Florin looks for the booking each time it reads your account, and tells you here when it has come.")}
		return v.Page(status, pages.Review(view))
	}
	view.Next = []string{c.Say("You confirm here that it is you. Florin sends the payment to %s, once. Nothing is paid yet.", bank),
		c.Say("You go to %s and approve the payment there. Enter your bank login only there.", bank),
		c.Say("%s checks the payment. You see how it goes on the page of the payment, which updates automatically.", bank)}
	if !p.Order.Standing() && len(r.Transfers) == 1 && p.Order.Request.CreditTransferTransaction[0].InstructedAmount.Currency == "EUR" {
		view.Next = slices.Insert(view.Next, 2, c.Say("Your bank checks whether the name matches the account, where it can. Florin cannot check that."))
	}
	return v.Page(status, pages.Review(view))
}

// unpayableNotice says why the account of a draft can no longer pay, and what to do. Once the account is linked again, the draft can be confirmed
// unchanged.
func unpayableNotice(c show.Clock, p finance.Payment, u payments.Unpayable) *ui.Notice {
	bank := show.BankName(p.Order.ASPSP.Name)
	n := &ui.Notice{Tone: ui.Warning, Title: c.Say("You can no longer pay from this account")}
	switch u.Obstacle {
	case finance.PayDisconnected, finance.PayConsentEnded, finance.PayNotAccessible:
		n.Text = c.Say("%s Nothing was sent, and the draft is kept. Link %s again and come back here, or pay from another account.", obstacleWords(u.Obstacle), bank)
		n.Action = ui.Link{Text: c.Say("Link %s again", bank), Href: show.BankPath(p.Order.ProviderID, p.Order.ASPSP, p.Order.PSUType, u.ConnectionID)}
	default:
		n.Text = c.Say("%s Nothing was sent, and the draft is kept. Pay from another account.", obstacleWords(u.Obstacle))
		n.Action = ui.Link{Text: c.Say("Choose another account"), Href: paths.PayDraft(p.ID)}
	}
	return n
}

func (a *Area) reviewRows(v *shell.Visitor, c show.Clock, r payments.Review) ([]pages.ReviewRow, error) {
	p := r.Payment
	change := func(field string) string {
		if len(r.Transfers) != 1 {
			return ""
		}
		return paths.PayDraft(p.ID) + "#" + field
	}
	from, err := a.fromWords(v, p)
	if err != nil {
		return nil, err
	}
	exchange, err := a.exchangeNotes(v, p)
	if err != nil {
		return nil, err
	}
	rows := []pages.ReviewRow{}
	if len(r.Transfers) == 1 {
		rows = append(rows, pages.ReviewRow{Name: c.Say("Amount"), Value: c.Money(p.Total), Notes: exchange, Change: change(string(paymentform.Amount))})
	}
	fromRow := pages.ReviewRow{Name: c.Say("From#account"), Value: from, Change: change("from-title")}
	if p.Order.ASPSP.Name != "" {
		fromRow.Notes = []string{show.BankName(p.Order.ASPSP.Name)}
	}
	rows = append(rows, fromRow)
	if len(r.Transfers) == 1 {
		t := p.Order.Request.CreditTransferTransaction[0]
		payers, err := a.payers(v)
		if err != nil {
			return nil, err
		}
		note, err := a.payeeNote(v, r.Transfers[0].Payee, r.Transfers[0].Account, paymentform.OwnAccounts(payers, p.Order.ProviderID))
		if err != nil {
			return nil, err
		}
		to := pages.ReviewRow{Name: c.Say("To#payee"), Value: p.Title, Change: change(string(paymentform.Name))}
		to.Notes = append(to.Notes, accountNotes(c, t.Beneficiary)...)
		if note.Own != nil || note.History.Times > 0 { // a warning says the rest
			to.Notes = append(to.Notes, noteWords(c, note))
		}
		rows = append(rows, to)
	}
	if p.Order.OwnApp() && len(r.Transfers) == 1 {
		if note := passedOn(c, p.Order.Request.CreditTransferTransaction[0]); note != "" {
			rows[len(rows)-1].Notes = append(rows[len(rows)-1].Notes, note)
		}
	}
	if p.RequestID != "" {
		asked, err := a.Store.PaymentRequest(v.Ctx(), v.User.ID, p.RequestID)
		if err != nil {
			return nil, err
		}
		row := pages.ReviewRow{Name: c.Say("Asked by"), Value: asked.Asker.Email}
		if asked.Note != "" {
			row.Notes = []string{c.Say("“%s”", asked.Note)}
		}
		rows = append(rows, row)
	}
	how := pages.ReviewRow{Name: c.Say("How"), Value: c.Say(typeWords(p.Order.Type)), Change: change("pay")}
	if note := orderNote(p.Order); note != "" {
		how.Notes = []string{c.Say(note)}
	}
	if p.Order.AuthMethod != "" {
		how.Notes = append(how.Notes, c.Say("You approve with: %s", p.Order.AuthMethod))
	}
	rows = append(rows, how, whenRow(c, p, change("when-now")))
	if len(r.Transfers) == 1 {
		rows = append(rows, textRows(c, p.Order.Request.CreditTransferTransaction[0], change)...)
	}
	rows = append(rows, moreRows(c, p.Order.Request, change)...)
	return append(rows, pages.ReviewRow{Name: c.Say("Fees"), Value: c.Say("Florin charges nothing"),
		Notes: []string{c.Say("%s shows its own fees before you approve.", bankWords(c, p))}}), nil
}

// exchangeNotes says that a payment has to be converted, where its account is in another currency.
func (a *Area) exchangeNotes(v *shell.Visitor, p finance.Payment) ([]string, error) {
	account, err := a.Store.Account(v.Ctx(), v.User.ID, p.Order.AccountID)
	if errors.Is(err, finance.ErrNotFound) {
		return nil, nil
	}
	if exchange, needed := exchangeWords(p.Total.Currency(), account); err == nil && needed {
		return []string{words.In(v.Ctx()).Message(exchange)}, nil
	}
	return nil, err
}

// fromWords names the account that pays.
func (a *Area) fromWords(v *shell.Visitor, p finance.Payment) (string, error) {
	if p.Order.AccountID == "" {
		if d := cmp.Or(p.Progress.ReadBack.DebtorAccount, p.Order.Request.DebtorAccount); d != nil {
			return finance.PayeeAccountOf(*d).Format(), nil
		}
		return v.Say("You choose the account at your bank."), nil
	}
	account, err := a.Store.Account(v.Ctx(), v.User.ID, p.Order.AccountID)
	if errors.Is(err, finance.ErrNotFound) {
		return v.Say("An account that is no longer here"), nil
	}
	if err != nil {
		return "", err
	}
	name := a.At(v.Ctx(), time.Now()).AccountName(account)
	if number := finance.AccountNumber(account).Format(); number != "" {
		name += ", " + number
	}
	return name, nil
}

func accountNotes(c show.Clock, b openbanking.Beneficiary) []string {
	account := finance.PayeeAccountOf(b.CreditorAccount)
	notes := []string{c.Say(schemeWords(account.Scheme)) + " " + account.Format()}
	if parsed, err := iban.Parse(account.Number); err == nil && account.Scheme == openbanking.SchemeNameIBAN {
		notes = append(notes, c.Say("Country: %s", words.Text(countries.Name(parsed.Country()))))
	}
	if agent := b.CreditorAgent; agent != nil {
		if bic := show.Text(agent.BICFI); bic != "" {
			notes = append(notes, "BIC "+bic)
		}
		if m := agent.ClearingSystemMemberID; m != nil && show.Text(m.MemberID) != "" {
			notes = append(notes, c.Say("Bank code %s", show.Text(m.MemberID)))
		}
	}
	if b.Creditor != nil {
		if line := (show.Clock{Language: words.English}).Address(b.Creditor.PostalAddress); line != "" {
			notes = append(notes, line)
		}
	}
	return notes
}

// orderWhen is when a payment is made, behind its amount: "every month, from 1 December 2026", "on Tuesday 1 December 2026"; "" as soon as possible.
func orderWhen(c show.Clock, o finance.PaymentOrder) string {
	if len(o.Request.CreditTransferTransaction) == 0 {
		return ""
	}
	if s, ok := finance.StandingOrderOf(o.Request.CreditTransferTransaction[0]); ok {
		return c.RhythmAndSpan(s)
	}
	return onDays(c, o)
}

// onDays is on which day, or on how many, the transfers of an order are made: "on Tuesday 1 December 2026", "on 3 different days, the last on Tuesday 1
// December 2026"; "" as soon as possible.
func onDays(c show.Clock, o finance.PaymentOrder) string {
	switch last, days := c.DayInFull(o.ExecutionDate()), len(o.ExecutionDates()); {
	case o.ExecutionDate() == "":
		return ""
	case days > 1:
		return c.Say("on %d different days, the last on %s", days, last)
	default:
		return c.Say("on %s", last)
	}
}

// orderNote says how the payment is made and how fast it arrives, counted from its execution date.
func orderNote(o finance.PaymentOrder) words.Text {
	if o.Type == openbanking.PaymentTypeSEPA && (o.Standing() || o.ExecutionDate() != "") {
		return "In euros, there by the working day after."
	}
	return kindWordsOf(o.Type).note
}

// confirmWords name on the button all that is confirmed: how much, how often or when, and to whom.
func confirmWords(c show.Clock, p finance.Payment, transfers int) string {
	var sums []string
	totals, _ := p.Order.Totals() // a draft was saved with totals
	for _, t := range totals {
		sums = append(sums, c.Money(t))
	}
	sum, when := c.List(sums), onDays(c, p.Order)
	switch {
	case transfers > 1 && when != "":
		return c.Say("Confirm %s, %s, %s", c.PaidTo(p), sum, when)
	case transfers > 1:
		return c.Say("Confirm %s, %s", c.PaidTo(p), sum)
	case p.Order.Standing():
		s, _ := finance.StandingOrderOf(p.Order.Request.CreditTransferTransaction[0])
		return c.Say("Confirm %s to %s, %s", sum, p.Title, c.Rhythm(s))
	case when != "":
		return c.Say("Confirm %s to %s, %s", sum, p.Title, when)
	}
	return c.Say("Confirm %s to %s", sum, p.Title)
}

// whenRow says when a payment is made.
func whenRow(c show.Clock, p finance.Payment, change string) pages.ReviewRow {
	row := pages.ReviewRow{Name: c.Say("When"), Value: c.Say("As soon as you have approved"), Change: change}
	if p.Order.OwnApp() {
		row.Value = c.Say("When you send it in your bank’s app")
	}
	if p.Order.Instant() {
		row.Value = c.Say("Immediately after you approve")
	}
	if len(p.Order.Request.CreditTransferTransaction) == 0 {
		return row
	}
	if s, ok := finance.StandingOrderOf(p.Order.Request.CreditTransferTransaction[0]); ok {
		d := datesOf(c, s)
		row.Value = d.Sentence
		if len(d.Dates) > 0 {
			row.Notes = append(row.Notes, c.Say("Next: %s.", strings.Join(d.Dates, "; ")))
		}
		row.Notes = append(row.Notes, d.Note, c.Say("You change or stop it at your bank."))
	} else if p.Order.ExecutionDate() != "" {
		row.Value, row.Notes = c.Say("On %s", c.DayInFull(p.Order.ExecutionDate())), []string{movedNote(c, p.Order.ExecutionDate())}
		if days := len(p.Order.ExecutionDates()); days > 1 {
			row.Value, row.Notes = c.Say("On %d different days, the last on %s", days, c.DayInFull(p.Order.ExecutionDate())),
				[]string{c.Say("See the list. Your bank may move each payment to its next working day.")}
		}
	}
	return row
}

// movedNote says how a day may be moved. On a weekend it will be: to Monday, by most banks.
func movedNote(c show.Clock, day openbanking.Date) string {
	if !weekend(day) {
		return c.Say("Your bank may move it to its next working day.")
	}
	t, _ := day.Time()
	monday := openbanking.DateOf(t.AddDate(0, 0, (8-int(t.Weekday()))%7))
	return c.Say("That is a %s. Your bank will probably make the payment on %s.", c.Weekday(day), c.DayInFull(monday))
}

func textRows(c show.Clock, t openbanking.CreditTransferTransaction, change func(string) string) []pages.ReviewRow {
	var rows []pages.ReviewRow
	var lines []string
	for _, line := range t.RemittanceInformation {
		if line != "" {
			lines = append(lines, line)
		}
	}
	row := pages.ReviewRow{Name: c.Say("Text"), Value: c.Say("None#text"), Change: change(string(paymentform.Text(0)))}
	if len(lines) > 0 {
		row.Value, row.Notes = lines[0], lines[1:]
	}
	if number := show.Text(t.ReferenceNumber); number != "" {
		rows = append(rows, pages.ReviewRow{Name: c.Say("Reference"), Value: number, Change: change(string(paymentform.Reference))})
	}
	if len(lines) > 0 || len(rows) == 0 {
		rows = append(rows, row)
	}
	return rows
}

func moreRows(c show.Clock, r openbanking.PaymentRequestResource, change func(string) string) []pages.ReviewRow {
	var rows []pages.ReviewRow
	if r.ChargeBearer != nil {
		rows = append(rows, pages.ReviewRow{Name: c.Say("Charges"), Value: c.Say(chargeWords(*r.ChargeBearer)), Change: change(fieldCharges)})
	}
	if i := r.PaymentTypeInformation; i != nil && i.InstructionPriority != nil {
		rows = append(rows, pages.ReviewRow{Name: c.Say("Priority"), Value: c.Say(priorityWords(*i.InstructionPriority)), Change: change(fieldPriority)})
	}
	if len(r.CreditTransferTransaction) == 1 && len(r.CreditTransferTransaction[0].RegulatoryReporting) > 0 {
		details := r.CreditTransferTransaction[0].RegulatoryReporting[0].Details
		rows = append(rows, pages.ReviewRow{Name: c.Say("What it is for"), Value: details.Information, Notes: []string{show.Text(details.Code)},
			Change: change(string(paymentform.Report))})
	}
	if r.Debtor != nil && r.Debtor.ContactDetails != nil {
		d := r.Debtor.ContactDetails
		rows = append(rows, pages.ReviewRow{Name: c.Say("Your contact details"),
			Value: strings.TrimPrefix(show.Text(d.EmailAddress)+", "+show.Text(d.PhoneNumber), ", "), Change: change(string(paymentform.Email))})
	}
	return rows
}

// payment shows the state of a payment. The return from the bank ends here too, and the page says what the service says, whatever the address claims.
func (a *Area) payment(v *shell.Visitor) error {
	payment, err := a.Store.Payment(v.Ctx(), v.User.ID, v.Request.PathValue("payment"))
	if err != nil {
		return err
	}
	if v.Request.Method == http.MethodGet {
		if err := a.seePayment(v, payment.ID); err != nil {
			return err
		}
		a.await(payment, v.Present())
		if payment, err = a.handed(v, payment); err != nil {
			return err
		}
	}
	if handedOver(payment) {
		v.ShowAmounts()
	}
	c := a.At(v.Ctx(), time.Now())
	view := pages.PaymentView{Frame: a.Frame(v), ID: payment.ID, Simulated: payment.Simulated, Bank: payBank(payment), Payee: c.PaidTo(payment)}
	view.Frame.Simulated = payment.Simulated
	view.Amount, view.Of, view.Mixed = paidAmount(c, payment, payment.Story(c.Now))
	b, err := a.booked(v.Ctx(), payment)
	if err != nil {
		return err
	}
	if view.Status, err = a.statusView(v.Ctx(), c, b); err != nil {
		return err
	}
	if story := payment.Story(c.Now); payment.Phase != finance.PhaseDraft && payment.Phase != finance.PhaseDiscarded && (!story.Over || !story.NoMoney) {
		view.Frame.Live = paymentLive(payment.ID)
		switch {
		case !story.Over:
			view.Frame.Refresh = refreshAfter(payment, c.Now)
		case finance.BookingExpected(b.SentPayment, b.matches(), c.Now):
			view.Frame.Refresh = slowRefresh
		}
		if story.Over {
			view.Frame.Live += "&over=true"
		}
	}
	if view.Facts, err = a.paymentFacts(v, c, payment, b.Transfers); err != nil {
		return err
	}
	if view.Handoff, err = a.handoff(v, c, payment); err != nil {
		return err
	}
	if err := a.fillRelated(v, c, &view, payment, b.Transfers); err != nil {
		return err
	}
	view.Receipt = b.receipted()
	if view.Events, err = a.paymentHistory(v.Ctx(), c, payment); err != nil {
		return err
	}
	return v.Page(http.StatusOK, pages.Payment(view))
}

// slowRefresh is after how many seconds a page without JavaScript reloads itself when no change is expected soon.
const slowRefresh = 60

// refreshAfter returns after how many seconds a page without JavaScript loads itself again: soon while something is about to happen.
func refreshAfter(p finance.Payment, now time.Time) int {
	last := p.Sent
	for _, t := range []time.Time{p.Progress.Changed, p.Approval.Returned} {
		if t.After(last) {
			last = t
		}
	}
	if now.Sub(last) < 10*time.Minute {
		return 3
	}
	return slowRefresh
}

// fillRelated adds the payment that this one repeats, the payments that repeat it, and what the person can do next.
func (a *Area) fillRelated(v *shell.Visitor, c show.Clock, view *pages.PaymentView, p finance.Payment, transfers []finance.PaymentTransfer) error {
	if p.RetryOf != "" {
		old, err := a.Store.Payment(v.Ctx(), v.User.ID, p.RetryOf)
		if err != nil {
			return err
		}
		view.RetryOf = &ui.Link{Text: c.Say("the payment of %s", c.Date(old.Created)), Href: paths.Payment(old.ID)}
	}
	retries, _, err := a.Store.Payments(v.Ctx(), v.User.ID, store.PaymentFilter{RetryOf: p.ID, Hidden: true}, 10)
	if err != nil {
		return err
	}
	for _, r := range retries {
		view.Retries = append(view.Retries, ui.Link{Text: c.Say("payment of %s (%s)", c.Moment(r.Created).Text, c.Payment(r, r.Story(c.Now)).Headline),
			Href: paths.Payment(r.ID)})
	}
	canPay := p.Order.OwnApp() || a.Offers.CanPay(v.Ctx(), p.Order.ProviderID)
	sent := p.Phase != finance.PhaseDraft && p.Phase != finance.PhaseDiscarded
	story := p.Story(c.Now)
	gone := story.Over || story.Step >= finance.StepSent // before that, a second one beside it may be one too many
	if sent && gone && view.Status.Retry == "" && len(transfers) == 1 && canPay {
		view.Again = paths.PayRetry(p.ID)
	}
	if story.Over && !story.NoMoney && isBulk(p.Order.Type) && slices.ContainsFunc(transfers, finance.PaymentTransfer.Failed) && canPay {
		view.Again, view.AgainFailed = paths.PayBulkRetry(p.ID), true
	}
	if p.CarriedOut() && len(transfers) == 1 && transfers[0].Payee != "" {
		payees, err := a.Store.Payees(v.Ctx(), v.User.ID, transfers[0].Account.Number)
		if err != nil {
			return err
		}
		view.Save = !slices.ContainsFunc(payees, func(e finance.Payee) bool { return e.Account == transfers[0].Account })
	}
	return nil
}

// transferRows lists the transfers of a bulk, each with its own status.
func transferRows(c show.Clock, p finance.Payment, transfers []finance.PaymentTransfer) []pages.TransferRow {
	rows := make([]pages.TransferRow, 0, len(transfers))
	order, days := p.Order.Request.CreditTransferTransaction, p.Order.ExecutionDates()
	for i, t := range transfers {
		row := pages.TransferRow{Payee: cmp.Or(t.Payee, t.Account.Format()), Account: t.Account.Format(), Amount: pages.Figure(t.Amount)}
		if i < len(order) {
			row.Text = finance.ReferenceText(order[i])
			if len(days) > 1 {
				row.Day = c.Say("As soon as possible")
				if day := order[i].RequestedExecutionDate; day != nil {
					row.Day = c.Say("On %s", longDay(c, *day))
				}
			}
		}
		if t.Status != "" {
			story := p.Alone(t, c.Now) // its own status, told like that of a payment
			row.Status, row.Code = ui.Badge{Tone: toneOf(story), Text: c.Payment(p, story).Headline}, string(t.Status)
		}
		rows = append(rows, row)
	}
	return rows
}

func toneOf(s finance.Story) ui.Tone {
	switch s.Tone {
	case finance.ToneActive:
		return ui.Busy
	case finance.ToneAmber:
		return ui.Warning
	case finance.ToneGood:
		return ui.Good
	case finance.ToneRed:
		return ui.Bad
	}
	return ui.Plain
}

// paidAmount returns the total of a payment. For a bulk that was executed in part it returns the executed amount, and the total in of ("of 120.00
// EUR"). For a bulk in several currencies it returns only mixed, one sum for each of them.
func paidAmount(c show.Clock, p finance.Payment, story finance.Story) (amount ui.Money, of string, mixed []ui.Money) {
	switch {
	case p.Total.IsZero():
		totals, _ := p.Order.Totals() // a draft was saved with totals
		for _, t := range totals {
			mixed = append(mixed, pages.Figure(t))
		}
	case story.Part.Total.IsZero():
		amount = pages.Figure(p.Total)
	default:
		amount, of = pages.Figure(story.Part.Sum), c.Say("of %s", story.Part.Total)
	}
	return amount, of, mixed
}

// statusView returns the part of the page that is sent again whenever the payment changes.
func (a *Area) statusView(ctx context.Context, c show.Clock, b bookedPayment) (pages.PaymentStatus, error) {
	p, transfers := b.Payment, b.Transfers
	story := p.Story(c.Now)
	told := c.Payment(p, story)
	s := pages.PaymentStatus{
		ID: p.ID, Bank: show.BankName(p.Order.ASPSP.Name), Tone: toneOf(story), Grey: story.Tone == finance.ToneGrey, Headline: told.Headline,
		Small: told.Small, Next: told.Next, Note: told.Note,
		Over: story.Over, Hidden: p.Hidden, Draft: p.Phase == finance.PhaseDraft, Approve: p.Waiting() && p.Approval.URL != "",
		Code: string(p.Progress.Reported()),
	}
	for _, change := range p.Changes() {
		if len(transfers) != 1 || change.Asked == "" && p.Progress.Status != openbanking.PaymentStatusACWC {
			continue // of a bulk see the list; a day for what is done as soon as possible is no change
		}
		s.Changes = append(s.Changes, changeView(c, change))
	}
	if len(transfers) > 1 {
		s.Transfers = transferRows(c, p, transfers)
	}
	if story.Reason != (finance.StatusReason{}) {
		r := c.Reason(story.Reason)
		s.Reason = &pages.PaymentReason{Code: r.Code, Text: r.Text, Said: r.Said, Do: r.Do}
		if story.Kind == finance.StoryApprovalCancelled {
			s.Reason.Do = "" // the person wanted it so
		}
	}
	if f := p.Failure; f.Code != "" && !p.Lapsed() {
		s.Reason = failureReason(c, f, s.Bank)
	}
	if story.Retry {
		s.Retry = paths.PayRetry(p.ID)
	}
	switch {
	case p.Phase == finance.PhaseDraft:
		s.Discard = c.Say("Delete this draft")
	case p.Phase == finance.PhaseCreated && !p.Progress.Final && p.Waiting(), p.Phase == finance.PhaseUnknown, p.Phase == finance.PhaseFailed,
		story.Over && story.NoMoney && p.Phase != finance.PhaseDiscarded:
		s.Discard = c.Say("Remove from the list")
	}
	s.Check = p.Phase == finance.PhaseUnknown || p.Phase == finance.PhaseCreated && !p.Progress.Final && !p.Order.OwnApp()
	if p.Order.OwnApp() {
		s.Code, s.Bank = "", bankWords(c, p)
		if p.Phase == finance.PhaseCreated {
			s.Stops, s.Source = ownAppStops(c, p, story), ownAppSource(c, p)
			s.SayDone = !p.Progress.Final && p.Progress.Status != openbanking.PaymentStatusACSP
			s.SayNot = !p.Progress.Final
		}
		if !p.Progress.Final {
			s.Discard = ""
		}
		if p.Phase == finance.PhaseDraft {
			s.Discard = c.Say("Delete this draft")
		}
	} else if p.Phase == finance.PhaseCreated {
		s.Stops = stepViews(c, p, story)
		s.Source = sourceWords(c, p)
		if !p.Check.Answered.IsZero() && !p.Progress.Final {
			s.Checked = ui.Time{ISO: p.Check.Answered.UTC().Format(time.RFC3339), Text: c.Ago(p.Check.Answered)}
		}
		if e := p.Check.Error; e.Code != "" && !p.Progress.Final {
			s.Checking = c.Say("The last check did not work (%s). Florin tries again by itself.", string(e.Code))
			if p.Check.Next.After(c.Now) {
				s.Checking = c.Say("The last check did not work (%s). The next one is %s.", string(e.Code), c.When(p.Check.Next))
			}
		}
	}
	return s, a.fillBookings(ctx, c, b, story, &s)
}

// changeView puts the old and the new of what a bank changed side by side (ACWC).
func changeView(c show.Clock, change finance.Change) pages.PaymentChange {
	name := map[string]words.Text{"date": "Day", "reference": "Reference", "text": "Text"}[change.Field]
	view := pages.PaymentChange{Name: c.Say(name), Asked: change.Asked, Now: change.Now}
	if change.Field == "date" {
		view.Asked, view.Now = longDay(c, openbanking.Date(change.Asked)), longDay(c, openbanking.Date(change.Now))
		if change.Asked == "" {
			view.Asked = c.Say("As soon as possible")
		}
	}
	return view
}

// failureReason says why a payment was not created, in the words for errors of the service.
func failureReason(c show.Clock, f finance.Failure, bank string) *pages.PaymentReason {
	e := pages.Explain(c.Language, f, bank)
	if f.Code == finance.FailureUnreachable || f.Code == finance.FailureInterrupted {
		return &pages.PaymentReason{Text: e.What}
	}
	return &pages.PaymentReason{Code: e.Code, Text: e.What, Answer: e.Said}
}

// stepViews are the five steps, with the times at which they were reached. A payment that came to nothing ends where it stands.
func stepViews(c show.Clock, p finance.Payment, story finance.Story) []pages.PaymentStop {
	names := map[finance.Step]words.Text{finance.StepCreated: "Created", finance.StepApproved: "Approved by you",
		finance.StepAccepted: "Accepted by your bank", finance.StepSent: "Sent", finance.StepArrived: "Arrived"}
	var list []pages.PaymentStop
	for _, step := range finance.Steps() {
		view := pages.PaymentStop{Name: c.Say(names[step]), Reached: story.Step >= step, Last: story.Step == step}
		if at := p.Progress.Reached[step]; view.Reached && !at.IsZero() {
			view.At = c.Exact(at)
		}
		view.Unreported = story.Over && !story.NoMoney && !view.Reached
		list = append(list, view)
	}
	if story.NoMoney {
		next := min(int(story.Step), len(list)-1)
		list[next].Stopped = true
	}
	return list
}

// sourceWords says where the last news came from: a webhook, a check of Florin's own, or the return from the bank.
func sourceWords(c show.Clock, p finance.Payment) string {
	at := c.Exact(p.Progress.Changed).Text
	switch p.Progress.Source {
	case finance.NewsWebhook:
		return c.Say("Last news at %s: the banking service reported it (webhook).", at)
	case finance.NewsCheck:
		return c.Say("Last news at %s: Florin checked with the banking service.", at)
	case finance.NewsReturn:
		return c.Say("Last news at %s: you came back from the bank.", at)
	}
	return c.Say("Created at %s.", at)
}

func (a *Area) paymentFacts(v *shell.Visitor, c show.Clock, p finance.Payment, transfers []finance.PaymentTransfer) ([]ui.Fact, error) {
	from, err := a.fromWords(v, p)
	if err != nil {
		return nil, err
	}
	f := show.Facts{}
	f.Add(c.Say("From"), from, "")
	if p.Order.ASPSP.Name != "" {
		f = append(f, ui.Fact{Name: c.Say("Bank"), Value: show.BankName(p.Order.ASPSP.Name)})
	}
	if len(transfers) == 1 {
		f.Add(c.Say("To account"), transfers[0].Account.Format(), "")
	}
	f.Add(c.Say("How"), c.Say(typeWords(p.Order.Type)), string(p.Order.Type))
	when := whenRow(c, p, "")
	if when.Value == c.Say("As soon as you have approved") && p.Approved() {
		when.Value = c.Say("As soon as you approved it")
	}
	if day, asked := p.Day(), p.Order.ExecutionDate(); day != asked && !p.Order.Standing() && len(p.Order.ExecutionDates()) == 1 {
		when.Value, when.Notes = c.Say("On %s", c.DayInFull(day)), []string{c.Say("You asked for %s, and your bank moved it.", c.DayInFull(asked))}
	}
	f = append(f, ui.Fact{Name: c.Say("When"), Value: when.Value, Note: strings.Join(when.Notes, " ")})
	if len(transfers) == 1 {
		t := p.Order.Request.CreditTransferTransaction[0]
		f.Add(c.Say("Reference"), show.Text(t.ReferenceNumber), "")
		f.Add(c.Say("Text"), strings.Join(t.RemittanceInformation, " "), "")
		f.Add(c.Say("End-to-end ID"), transfers[0].EndToEndID, "")
	}
	f.Add(c.Say("Payment ID"), p.PaymentID, "")
	if p.Order.OwnApp() {
		f = slices.DeleteFunc(f, func(fact ui.Fact) bool { return fact.Name == c.Say("End-to-end ID") && fact.Value == p.PaymentID })
	}
	f.Add(c.Say("Request ID"), p.Failure.RequestID, "")
	return f, nil
}

// paymentHistory tells what was learnt about a payment, line by line.
func (a *Area) paymentHistory(ctx context.Context, c show.Clock, p finance.Payment) ([]pages.PaymentEvent, error) {
	events, err := a.Store.PaymentEvents(ctx, p.UserID, p.ID)
	views := make([]pages.PaymentEvent, 0, len(events))
	for _, e := range events {
		views = append(views, eventView(c, p, e))
	}
	return views, err
}

// eventView is a line of the history in words: those of the story at the time.
func eventView(c show.Clock, p finance.Payment, e finance.PaymentEvent) pages.PaymentEvent {
	view := pages.PaymentEvent{At: c.Exact(e.At), Code: string(e.Status)}
	by := func(what string) string {
		switch e.Source {
		case finance.NewsWebhook:
			return c.Say("%s (reported by the banking service)", what)
		case finance.NewsCheck:
			return c.Say("%s (when Florin checked)", what)
		case finance.NewsReturn:
			return c.Say("%s (when you came back from the bank)", what)
		}
		return what
	}
	switch e.Kind {
	case finance.EventDrafted:
		view.Text = c.Say("Draft created")
	case finance.EventConfirmed:
		view.Text = c.Say("Confirmed by you")
	case finance.EventCreated:
		view.Text = c.Say("Created at the banking service")
		if p.Order.OwnApp() {
			view.Text = c.Say("Handed to you")
		}
	case finance.EventFailed:
		view.Text, view.Code = c.Say("Refused by the banking service"), e.Detail
		if finance.FailureCode(e.Detail) == finance.FailureLapsed {
			view.Text, view.Code = c.Say("Not carried out: the time to approve it is over"), ""
		}
	case finance.EventUnknown:
		view.Text, view.Code = c.Say("No clear answer came"), e.Detail
	case finance.EventFound:
		view.Text = by(c.Say("Found at the banking service"))
	case finance.EventReturned:
		view.Text, view.Code = c.Say("You came back from the bank"), ""
	case finance.EventStatus:
		view.Text = by(c.AsOf(p, e))
		if p.Order.OwnApp() {
			view.Text, view.Code = ownAppEvent(c, e), ""
		}
	case finance.EventIgnored:
		view.Text = by(c.Say("Reported after the end, without effect: %s", c.AsOf(p, e)))
	case finance.EventDiscarded:
		view.Text = c.Say("Draft deleted")
	case finance.EventHidden:
		view.Text = c.Say("Removed from the list")
	case finance.EventBooked:
		view.Text = c.Say("Booking found on the account")
		if day := executed(c, e); day != "" {
			view.Text = c.Say("Booking found on the account, for %s", day)
		}
	case finance.EventUnbooked:
		view.Text = c.Say("The booking is gone or belongs to another payment")
		if day := executed(c, e); day != "" {
			view.Text = c.Say("The booking for %s is gone or belongs to another payment", day)
		}
	case finance.EventStopped:
		view.Text = c.Say("You noted that you stopped it at your bank")
	default:
		view.Text = string(e.Kind)
	}
	if e.ReasonCode != "" {
		view.Code += " " + e.ReasonCode
	}
	return view
}

// longDay is a day with its year: "1 December 2026". What is no date is shown as it came.
func longDay(c show.Clock, d openbanking.Date) string {
	day, err := d.Time()
	if err != nil {
		return string(d)
	}
	return c.Language.Day(day, true)
}

// receipt is a page to print: what a payer needs afterwards, and what a bank asks for in an investigation.
func (a *Area) receipt(v *shell.Visitor) error {
	p, err := a.Store.Payment(v.Ctx(), v.User.ID, v.Request.PathValue("payment"))
	if err != nil {
		return err
	}
	b, err := a.booked(v.Ctx(), p)
	if err != nil {
		return err
	}
	if !b.receipted() {
		return &shell.Problem{Status: http.StatusNotFound, Title: v.Say("There is no receipt yet"),
			What: v.Say("You get a receipt for a payment that you have approved."), Todo: v.Say("Look at the payment."),
			Action: ui.Link{Text: v.Say("See the payment"), Href: paths.Payment(p.ID)}}
	}
	transfers := b.Transfers
	c := a.At(v.Ctx(), time.Now())
	story := p.Story(c.Now)
	told := c.Payment(p, story)
	if p.Order.OwnApp() {
		p.Progress.Reached[finance.StepAccepted] = time.Time{} // what the person said is no fact of a receipt
	}
	view := pages.ReceiptView{Frame: a.Frame(v), ID: p.ID, Simulated: p.Simulated, Bank: payBank(p), Payee: c.PaidTo(p), Status: told.Headline,
		Note: told.Note, Code: string(p.Progress.Status),
		Printed: ui.Time{ISO: c.Now.UTC().Format(time.RFC3339), Text: c.Full(c.Now) + c.Zone(c.Now)},
		Proof:   c.Say("This receipt shows what was ordered and its status at the time shown. It is no proof that the money arrived.")}
	view.Frame.Simulated = p.Simulated
	view.Amount, view.Of, view.Mixed = paidAmount(c, p, story)
	if p.Simulated {
		view.Proof = c.Say("%s The bank is simulated: no money moves.", view.Proof)
	}
	if view.Facts, err = a.paymentFacts(v, c, p, transfers); err != nil {
		return err
	}
	if len(transfers) == 1 {
		view.Facts = append([]ui.Fact{{Name: c.Say("Payee"), Value: p.Title}}, view.Facts...)
	}
	names := map[finance.Step]words.Text{finance.StepCreated: "Created", finance.StepApproved: "Approved by the payer",
		finance.StepAccepted: "Accepted by the bank", finance.StepSent: "Sent", finance.StepArrived: "Arrived"}
	if p.Order.OwnApp() {
		names = map[finance.Step]words.Text{finance.StepCreated: "Prepared", finance.StepApproved: "Handed to you", finance.StepSent: "Seen in the booking"}
		view.Code = ""
	}
	for _, step := range finance.Steps() {
		at := p.Progress.Reached[step]
		if at.IsZero() {
			continue
		}
		fact := ui.Fact{Name: c.Say(names[step]), Value: c.Full(at) + c.Zone(at)}
		if step > story.Step { // the bank said so, and went back on it
			fact.Note = c.Say("The bank took this back.")
		}
		view.Times = append(view.Times, fact)
	}
	for _, row := range b.bookings {
		if row.Execution == "" && len(transfers) == 1 || row.Total {
			view.Times = append(view.Times, ui.Fact{Name: c.Say("Booked"), Value: c.Day(row.Transaction.Date).Text})
		}
	}
	if len(transfers) > 1 {
		view.Transfers = transferRows(c, p, transfers)
		b.fillTransfers(c, view.Transfers)
	}
	return v.Page(http.StatusOK, pages.Receipt(view))
}
