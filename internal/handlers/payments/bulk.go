package payments

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"florin/internal/finance"
	"florin/internal/handlers/connections"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/linking"
	"florin/internal/openbanking"
	"florin/internal/paymentfile"
	"florin/internal/paymentform"
	"florin/internal/paymentrules"
	"florin/internal/payments"
	"florin/internal/textfile"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

// maxUpload bounds the form for many payments at once: the file, what was pasted, and the rest of the form.
const maxUpload = 2*paymentfile.MaxBytes + 64<<10

// bulkKind is how a bank takes many payments at once from an account, nil when it does not. Of several kinds the one in the account's currency counts.
func bulkKind(bank linking.Bank, p paymentform.Payer) *openbanking.ResponsePaymentType {
	var found *openbanking.ResponsePaymentType
	for i, kind := range bank.Payments {
		if kind.PSUType != p.Connection.PSUType || !isBulk(kind.PaymentType) {
			continue
		}
		if found == nil || slices.Contains(kind.Currencies, p.Account.Currency) && !slices.Contains(found.Currencies, p.Account.Currency) {
			found = &bank.Payments[i]
		}
	}
	return found
}

func isBulk(t openbanking.PaymentType) bool {
	switch t {
	case openbanking.PaymentTypeBulkSEPA, openbanking.PaymentTypeBulkDomestic, openbanking.PaymentTypeBulkDomesticSEGiro:
		return true
	}
	return false
}

// bulkObstacle says why many payments at once cannot go from an account; "" and the kind when they can.
func (a *Area) bulkObstacle(v *shell.Visitor, p paymentform.Payer) (string, *openbanking.ResponsePaymentType, error) {
	if obstacle := a.byService(v.Ctx(), p.Account, p.Connection); obstacle != "" {
		return obstacle, nil, nil
	}
	bank, err := a.Linking.Bank(v.Ctx(), v.User.ID, p.Connection.ProviderID, p.Connection.ASPSP)
	if err != nil {
		return "", nil, connections.BankProblem(v, err)
	}
	kind := bulkKind(bank, p)
	if kind == nil {
		if p.Connection.PSUType == openbanking.PSUTypeBusiness {
			return v.Say("Your bank does not take bulk payments from business accounts."), nil, nil
		}
		return v.Say("Your bank does not take bulk payments from personal accounts."), nil, nil
	}
	return "", kind, nil
}

// bulkInstead returns the address of the form for many payments when the draft or the payment to repeat in the query is a bulk; "" otherwise.
func (a *Area) bulkInstead(v *shell.Visitor, query url.Values) (to string, err error) {
	draft, retry := query.Get("draft"), query.Get("retry")
	id := cmp.Or(draft, retry)
	if id == "" {
		return "", nil
	}
	p, err := a.Store.Payment(v.Ctx(), v.User.ID, id)
	switch {
	case err != nil || !isBulk(p.Order.Type):
		return "", err
	case draft != "":
		return paths.PayBulkDraft(id), nil
	}
	return paths.PayBulkRetry(id), nil
}

// bulkForm is what the form for many payments at once holds.
type bulkForm struct {
	key, account, retry string
	text                string
	alphabet            string // the text came from a file whose alphabet was guessed
	charges, priority   string // of a draft that was made of a pain.001
	agreed              []string
	problem             string // with the file that was chosen
}

// bulkPage starts many payments at once: it asks from which account, unless there is but one, and shows the form. Where a draft, or the
// payment to repeat, went from an account that cannot pay any more, it asks for another.
func (a *Area) bulkPage(v *shell.Visitor) error {
	if !a.Offers.CanPay(v.Ctx(), "") {
		return noPayments(v)
	}
	query := v.Request.URL.Query()
	f := bulkForm{key: finance.NewID(), account: query.Get("account")}
	switch {
	case query.Get("draft") != "":
		draft, err := a.Store.Payment(v.Ctx(), v.User.ID, query.Get("draft"))
		if err != nil {
			return err
		}
		if draft.Phase != finance.PhaseDraft {
			v.SeeOther(paths.Payment(draft.ID))
			return nil
		}
		f = bulkForm{key: draft.FormKey, account: cmp.Or(f.account, draft.Order.AccountID), retry: draft.RetryOf,
			text: paymentfile.CSV(draft.Order.Request.CreditTransferTransaction)}
		f.charges, f.priority = orderCharges(draft.Order)
	case query.Get("retry") != "":
		old, transfers, err := a.failedOf(v, query.Get("retry"))
		if err != nil {
			return err
		}
		f.account, f.retry, f.text = cmp.Or(f.account, old.Order.AccountID), old.ID, paymentfile.CSV(transfers)
		f.charges, f.priority = orderCharges(old.Order)
	}
	all, err := a.payers(v)
	if err != nil {
		return err
	}
	gone := func(p paymentform.Payer) bool {
		return p.Account.ID == f.account && a.byService(v.Ctx(), p.Account, p.Connection) != ""
	}
	if f.account != "" && (query.Get("account") != "" || !slices.ContainsFunc(all, gone)) { // else another account is asked for
		return a.bulkFormPage(v, http.StatusOK, f, nil)
	}
	c := a.At(v.Ctx(), time.Now())
	view := pages.BulkStartView{Frame: a.Frame(v), Simulated: true}
	var able, unable []payerRow
	for _, p := range all {
		obstacle, _, err := a.bulkObstacle(v, p)
		if err != nil {
			return err
		}
		q := url.Values{"account": {p.Account.ID}}
		for _, name := range []string{"retry", "draft"} {
			if query.Get(name) != "" {
				q.Set(name, query.Get(name))
			}
		}
		row := a.payAccount(c, p, paths.PayBulk+"?"+q.Encode())
		if obstacle != "" {
			row.Href, row.Obstacle = "", obstacle
			unable = append(unable, payerRow{p.Account, row})
			continue
		}
		able = append(able, payerRow{p.Account, row})
		view.Simulated = view.Simulated && p.Connection.Simulated
	}
	view.Simulated = view.Simulated && len(able) > 0
	if len(able) == 1 {
		v.SeeOther(able[0].row.Href)
		return nil
	}
	view.Accounts, view.Others = inWallets(c, able), inWallets(c, unable)
	return v.Page(http.StatusOK, pages.BulkStart(view))
}

// failedOf returns a payment with the transfers to make again: all of them when the whole payment failed, else the rejected and cancelled ones. Transfers
// that are under way or executed are never among them.
func (a *Area) failedOf(v *shell.Visitor, id string) (finance.Payment, []openbanking.CreditTransferTransaction, error) {
	old, err := a.Store.Payment(v.Ctx(), v.User.ID, id)
	if err != nil {
		return old, nil, err
	}
	story := old.Story(time.Now())
	if story.Retry {
		return old, old.Order.Again().Request.CreditTransferTransaction, nil
	}
	transfers, err := a.Store.PaymentTransfers(v.Ctx(), v.User.ID, id)
	if err != nil {
		return old, nil, err
	}
	again := old.Order.FailedOnly(transfers).Request.CreditTransferTransaction
	if !story.Over || len(again) == 0 {
		return old, nil, &shell.Problem{Status: http.StatusNotFound, Title: v.Say("There is nothing to pay again"),
			What: v.Say("According to %s, none of these payments failed.", show.BankName(old.Order.ASPSP.Name)),
			Todo: v.Say("Look at the payment."), Action: ui.Link{Text: v.Say("See the payment"), Href: paths.Payment(old.ID)}}
	}
	return old, again, nil
}

// orderCharges are what an order says for all of its transfers, "" where it says nothing.
func orderCharges(o finance.PaymentOrder) (charges, priority string) {
	if o.Request.ChargeBearer != nil {
		charges = string(*o.Request.ChargeBearer)
	}
	if t := o.Request.PaymentTypeInformation; t != nil && t.InstructionPriority != nil {
		priority = string(*t.InstructionPriority)
	}
	return charges, priority
}

// bulkPayer is an account from which many payments at once can go, with the kind of payment; a problem says why they cannot.
func (a *Area) bulkPayer(v *shell.Visitor, account string) (paymentform.Payer, *openbanking.ResponsePaymentType, error) {
	payers, err := a.payers(v)
	if err != nil {
		return paymentform.Payer{}, nil, err
	}
	p, err := payerOf(payers, account)
	if err != nil {
		return p, nil, err
	}
	obstacle, kind, err := a.bulkObstacle(v, p)
	if err == nil && obstacle != "" {
		err = &shell.Problem{Status: http.StatusNotFound, Title: v.Say("No bulk payments from this account"), What: obstacle, Todo: v.Say("Choose another account."),
			Action: ui.Link{Text: v.Say("Choose an account"), Href: paths.PayBulk}}
	}
	return p, kind, err
}

// bulk takes the form: when nothing is wrong with the file it is a draft to review, else it is shown with what has to be mended.
func (a *Area) bulk(v *shell.Visitor) error {
	if !a.Offers.CanPay(v.Ctx(), "") {
		return noPayments(v)
	}
	f := bulkForm{key: v.Field(fieldForm), account: v.Field(fieldAccount), retry: v.Field(fieldRetry), text: v.Request.PostFormValue("text"),
		alphabet: v.Field("alphabet"),
		charges:  v.Field(fieldCharges), priority: v.Field(fieldPriority), agreed: v.Request.PostForm["agree"]}
	if !formKey.MatchString(f.key) {
		return &shell.Problem{Status: http.StatusBadRequest, What: v.Say("The form is not complete, so nothing was saved."),
			Todo: v.Say("Open the form again."), Action: ui.Link{Text: v.Say("Pay many at once"), Href: paths.PayBulk}}
	}
	if err := f.upload(v); err != nil {
		return err
	}
	p, kind, err := a.bulkPayer(v, f.account)
	if err != nil {
		return err
	}
	if f.problem != "" {
		return a.bulkFormPage(v, http.StatusUnprocessableEntity, f, &bulkCheck{})
	}
	check := f.check(a.At(v.Ctx(), time.Now()), p, *kind)
	if !check.good() || len(check.open(f.agreed)) > 0 {
		return a.bulkFormPage(v, http.StatusUnprocessableEntity, f, &check)
	}
	draft, err := a.Payments.Save(v.Ctx(), v.User.ID, f.key, check.order, f.retry)
	switch {
	case errors.Is(err, payments.ErrSent):
		a.Flash(v, ui.Warning, v.Say("You have already confirmed this payment. Your later changes were not saved; make a new payment for them."))
		v.SeeOther(paths.Payment(draft.ID))
		return nil
	case errors.Is(err, payments.ErrAccount):
		check.problems = append(check.problems, v.Say("This account cannot pay. Choose an account that is linked."))
		return a.bulkFormPage(v, http.StatusUnprocessableEntity, f, &check)
	case err != nil:
		return err
	}
	if len(check.notes) > 0 {
		a.Flash(v, ui.Info, strings.Join(check.notes, " "))
	}
	v.SeeOther(paths.PaymentReview(draft.ID))
	return nil
}

// upload takes the file of the form, which counts more than the text that the page showed. A text that was typed since is not thrown away for it.
func (f *bulkForm) upload(v *shell.Visitor) error {
	file, err := upload(v.Request, "file")
	if err != nil || len(file) == 0 {
		return err
	}
	if strings.TrimSpace(f.text) != "" && digestOf(f.text) != v.Field("shown") {
		f.problem = v.Say("You chose a file and also changed the text below. Choose the file again and empty the text, or continue with the text only.")
		return nil
	}
	text, guessed, err := textfile.Decode(file, paymentfile.MaxBytes)
	if err != nil {
		f.problem = fileError(words.In(v.Ctx()), err)
		return nil
	}
	f.text, f.alphabet, f.charges, f.priority = text, "", "", ""
	if guessed {
		f.alphabet = textfile.AssumedEncoding
	}
	return nil
}

// digestOf returns a short hash of a text, by which Florin recognises the text that a page showed. Line endings are ignored, because browsers change them.
func digestOf(text string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(strings.ReplaceAll(text, "\r", ""))))
	return hex.EncodeToString(sum[:8])
}

// upload returns the file in a field of the form; nil when none was sent.
func upload(r *http.Request, name string) ([]byte, error) {
	if r.MultipartForm == nil || len(r.MultipartForm.File[name]) == 0 {
		return nil, nil
	}
	file, err := r.MultipartForm.File[name][0].Open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// bulkCheck is what was found in a file.
type bulkCheck struct {
	wrong    string   // it cannot be read at all
	problems []string // of the file as a whole
	notes    []string // what becomes of what the file asks for besides
	rows     []paymentfile.Row
	faults   map[int][]string // of rows, by position
	doubts   []bulkDoubt
	bulk     paymentfile.File
	order    finance.PaymentOrder
}

// bulkDoubt is something that the person has to look at and to agree to before the file is taken.
type bulkDoubt struct {
	key, title, text, box string
	rows                  []int
}

func (b *bulkCheck) good() bool { return b.wrong == "" && len(b.problems) == 0 && len(b.faults) == 0 }

// open returns the doubts that the person has not confirmed.
func (b *bulkCheck) open(agreed []string) []bulkDoubt {
	return slices.DeleteFunc(slices.Clone(b.doubts), func(d bulkDoubt) bool { return slices.Contains(agreed, d.key) })
}

// check reads the text and holds it against the rules.
func (f *bulkForm) check(c show.Clock, p paymentform.Payer, kind openbanking.ResponsePaymentType) bulkCheck {
	bulk, err := paymentfile.Parse(f.text, p.Account.Currency)
	if err != nil {
		return bulkCheck{wrong: fileError(c.Language, err)}
	}
	bulk.Charges, bulk.Priority = cmp.Or(bulk.Charges, openbanking.ChargeBearerCode(f.charges)), cmp.Or(bulk.Priority, openbanking.PriorityCode(f.priority))
	b := checkBulk(c, bulk, p, kind)
	if f.alphabet != "" {
		if d, found := guessDoubt(c, bulk); found {
			b.doubts = append(b.doubts, d)
		}
	}
	b.doubts = append(b.doubts, equalDoubts(c, bulk)...)
	return b
}

// guessDoubt asks to look at the letters that depend on the alphabet that was guessed.
func guessDoubt(c show.Clock, bulk paymentfile.File) (bulkDoubt, bool) {
	d := bulkDoubt{key: "alphabet", title: c.Say("Do the letters look right?"), box: c.Say("Yes, every letter is right"),
		text: c.Say("The file does not say how its letters are encoded. Florin read it as Western European (windows-1252). If letters are wrong, save the file again as “CSV UTF-8” and choose that file.")}
	for i, row := range bulk.Rows {
		name := ""
		if creditor := row.Transfer.Beneficiary.Creditor; creditor != nil {
			name = show.Text(creditor.Name)
		}
		if strings.ContainsFunc(name+finance.ReferenceText(row.Transfer), func(r rune) bool { return r >= utf8.RuneSelf }) {
			d.rows = append(d.rows, i)
		}
	}
	return d, len(d.rows) > 0
}

// maxEqual is up to how many groups of equal rows get a question each. More groups than that are hardly separate mistakes, so one question covers all of
// them.
const maxEqual = 10

// equalDoubts ask about rows that are in the file twice.
func equalDoubts(c show.Clock, bulk paymentfile.File) []bulkDoubt {
	groups := bulk.Equal()
	if len(groups) > maxEqual {
		all := bulkDoubt{title: c.Say("The file contains %d payments more than once", len(groups)),
			box:  c.Say("Yes, make each payment as often as the file contains it"),
			text: c.Say("The same amount goes to the same account. Rows may have been copied twice.")}
		for _, e := range groups {
			all.key += e.Key()
			all.rows = append(all.rows, e.Rows...)
		}
		all.key = "equal-" + digestOf(all.key)
		return []bulkDoubt{all}
	}
	var doubts []bulkDoubt
	for _, e := range groups {
		payee := cmp.Or(e.Payee, e.To.Format())
		d := bulkDoubt{key: e.Key(), rows: e.Rows, title: c.Say("%s to %s, %d times", e.Amount, payee, len(e.Rows)),
			text: c.Say("%s are the same: name, account, amount and text.", lineWords(c, bulk, e.Rows)), box: c.Say("Yes, pay %d times", len(e.Rows))}
		if !e.Whole {
			d.title = c.Say("%s to %s, %d times", e.Amount, e.To.Format(), len(e.Rows))
			d.text = c.Say("%s have the same account and amount; name or text differ.", lineWords(c, bulk, e.Rows))
		}
		doubts = append(doubts, d)
	}
	return doubts
}

// lineWords names several rows of a file: "Lines 3, 4 and 7".
func lineWords(c show.Clock, bulk paymentfile.File, rows []int) string {
	const most = 8
	var numbers []string
	for _, i := range rows[:min(len(rows), most)] {
		numbers = append(numbers, strconv.Itoa(bulk.Rows[i].Line))
	}
	list, more, ofCSV := c.List(numbers), len(rows)-len(numbers), bulk.Rows[0].Line != 1
	if more > 0 {
		list = strings.Join(numbers, ", ")
	}
	switch {
	case ofCSV && more > 0:
		return c.Say("Lines %s and %d more", list, more)
	case ofCSV:
		return c.Say("Lines %s", list)
	case more > 0:
		return c.Say("Payments %s and %d more", list, more)
	}
	return c.Say("Payments %s", list)
}

// checkBulk holds a file against the rules of all payments and of the bank.
func checkBulk(c show.Clock, bulk paymentfile.File, p paymentform.Payer, kind openbanking.ResponsePaymentType) bulkCheck {
	b := bulkCheck{bulk: bulk, rows: bulk.Rows, problems: findingsWords(c.Language, bulk.Problems), notes: findingsWords(c.Language, bulk.Notes),
		faults: map[int][]string{}}
	for i, row := range bulk.Rows {
		if len(row.Faults) > 0 {
			b.faults[i] = findingsWords(c.Language, row.Faults)
		}
	}
	number := finance.AccountNumber(p.Account)
	if bulk.Debtor.Number != "" && bulk.Debtor != number {
		b.problems = append(b.problems, c.Say("The file pays from %s, but you chose another account. Choose that account, or make a file for this one.",
			bulk.Debtor.Format()))
	}
	b.order = finance.PaymentOrder{
		ProviderID: p.Connection.ProviderID, ASPSP: p.Connection.ASPSP, PSUType: p.Connection.PSUType, Type: kind.PaymentType, AccountID: p.Account.ID,
		Request: openbanking.PaymentRequestResource{CreditTransferTransaction: bulk.Transfers()}, Successful: kind.FinalSuccessfulStatuses,
	}
	wire := number.Wire()
	b.order.Request.DebtorAccount = &wire
	if kind.DebtorCurrencyRequired != nil && *kind.DebtorCurrencyRequired {
		b.order.Request.DebtorCurrency = &p.Account.Currency
	}
	if bulk.Charges != "" {
		b.order.Request.ChargeBearer = &bulk.Charges
	}
	switch {
	case bulk.Priority == "":
	case slices.Contains(kind.PriorityCodes, bulk.Priority):
		b.order.Request.PaymentTypeInformation = &openbanking.PaymentTypeInformation{InstructionPriority: &bulk.Priority}
	case bulk.Priority != openbanking.PriorityCodeNORM:
		b.notes = append(b.notes, c.Say("The file asks for the priority %s, which your bank does not offer here. The payments are sent with normal priority.",
			string(bulk.Priority)))
	}
	for i := range b.order.Request.CreditTransferTransaction { // a bank that says how many lines it takes wants as many
		t := &b.order.Request.CreditTransferTransaction[i]
		if missing := len(kind.RemittanceInformationLines) - len(t.RemittanceInformation); missing > 0 && len(t.RemittanceInformation) > 0 {
			t.RemittanceInformation = slices.Concat(t.RemittanceInformation, make([]string, missing))
		}
	}
	faults := paymentrules.Check(kind, b.order.Request, finance.PaymentDay(c.Now), "")
	for _, fault := range faults {
		row, text := bulkFault(c, fault)
		switch {
		case row < 0 || row >= len(bulk.Rows):
			b.problems = append(b.problems, text)
		case len(bulk.Rows[row].Faults) == 0: // else it is told already, in other words
			b.faults[row] = append(b.faults[row], text)
		}
	}
	if len(faults) >= paymentrules.MaxFaults {
		b.problems = append(b.problems, c.Say("Only the first %d problems are shown; there may be more.", paymentrules.MaxFaults))
	}
	return b
}

// bulkFault is a fault in words, with the row that it is in, −1 for one of the file as a whole.
func bulkFault(c show.Clock, f paymentrules.Fault) (row int, text string) {
	row = -1
	if position, ok := f.Field.Transaction(); ok {
		row = position
	}
	at := bulkPlaces[f.Field.Name]
	text = c.Message(faultWords(c, cmp.Or(at.subject, "The payment"), f.Rule))
	if at.todo != "" {
		text += " " + c.Say(at.todo)
	}
	return row, text
}

// bulkFormPage shows the form, with what was found in the file when it was looked at.
func (a *Area) bulkFormPage(v *shell.Visitor, status int, f bulkForm, check *bulkCheck) error {
	p, kind, err := a.bulkPayer(v, f.account)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	view := pages.BulkView{
		Frame: a.Frame(v), Simulated: p.Connection.Simulated, Account: a.payAccount(c, p, ""), Text: f.text,
		Hidden: []pages.Hidden{{Name: fieldForm, Value: f.key}, {Name: fieldAccount, Value: f.account}, {Name: fieldRetry, Value: f.retry},
			{Name: "shown", Value: digestOf(f.text)}, {Name: "alphabet", Value: f.alphabet},
			{Name: fieldCharges, Value: f.charges}, {Name: fieldPriority, Value: f.priority}},
		FileProblem: f.problem,
		Limits:      c.Say("At most %d KiB and %d payments.", paymentfile.MaxBytes>>10, paymentfile.MaxRows),
	}
	view.Frame.Simulated = p.Connection.Simulated
	if kind.MaxTransactions != nil && *kind.MaxTransactions < paymentfile.MaxRows {
		view.Limits = c.Say("At most %d KiB. Your bank takes at most %d payments at once.", paymentfile.MaxBytes>>10, *kind.MaxTransactions)
	}
	if f.retry != "" {
		old, err := a.Store.Payment(v.Ctx(), v.User.ID, f.retry)
		if err != nil {
			return err
		}
		view.Again = c.Say("A new payment with those of “%s” from %s that were not made.", c.PaidTo(old), c.Date(old.Created))
	}
	if check == nil && f.text != "" {
		if found := f.check(c, p, *kind); found.wrong == "" {
			check = &found
		}
	}
	switch {
	case f.problem != "":
		view.Notice = &ui.Notice{Tone: ui.Bad, Title: c.Say("The file could not be used"), Text: c.Say("Nothing was sent, and what you typed is still there.")}
	case check != nil:
		showCheck(c, &view, *check, f.agreed)
	}
	return v.Page(status, pages.Bulk(view))
}

// showCheck puts what was found in a file into the view: what has to be mended first, then what has to be looked at.
func showCheck(c show.Clock, view *pages.BulkView, check bulkCheck, agreed []string) {
	view.FileWrong = check.wrong
	if check.wrong != "" {
		view.Notice = &ui.Notice{Tone: ui.Bad, Title: c.Say("Florin cannot read this as a list of payments"),
			Text: c.Say("Nothing was sent, and what you typed is still there.")}
		if strings.TrimSpace(view.Text) == "" {
			view.Notice = &ui.Notice{Tone: ui.Bad, Title: c.Say("There are no payments yet"), Text: c.Say("Choose a file, or paste its text.")}
		}
		return
	}
	view.Notes = check.notes
	lines := make([]pages.BulkLine, 0, len(check.rows))
	for i, row := range check.rows {
		line := pages.BulkLine{Line: c.Say("Payment %d", i+1), Account: show.Groups(row.Transfer.Beneficiary.CreditorAccount.Identification),
			Text: strings.Join(row.Transfer.RemittanceInformation, " "), Problems: check.faults[i]}
		if row.Line != i+1 {
			line.Line = c.Say("Line %d", row.Line)
		}
		if name := row.Transfer.Beneficiary.Creditor; name != nil {
			line.Payee = finance.Clean(show.Text(name.Name))
		}
		if !row.Amount.IsZero() {
			figure := pages.Figure(row.Amount)
			line.Amount = &figure
		}
		if len(line.Problems) > 0 {
			view.Wrong = append(view.Wrong, line)
		} else {
			view.Good = append(view.Good, line)
		}
		lines = append(lines, line)
	}
	for _, d := range check.doubts {
		doubt := pages.BulkDoubt{Key: d.key, Title: d.title, Text: d.text, Box: d.box, Ticked: slices.Contains(agreed, d.key)}
		for _, i := range d.rows[:min(len(d.rows), maxDoubtful)] {
			doubt.Lines = append(doubt.Lines, lines[i])
		}
		if more := len(d.rows) - maxDoubtful; more > 0 {
			doubt.More = c.Say("And %d more payments; see the list below.", more)
		}
		view.Doubts = append(view.Doubts, doubt)
	}
	view.Count = c.Say("%d payments", len(check.rows))
	if totals, err := check.bulk.Totals(); err == nil {
		for _, total := range totals {
			view.Totals = append(view.Totals, pages.Figure(total))
		}
	}
	if check.good() {
		if len(check.open(agreed)) > 0 {
			view.Notice = &ui.Notice{Tone: ui.Warning, Title: c.Say("Check this before you continue"),
				Text: c.Say("Tick what is right, or correct the text below. Nothing was sent."), Action: ui.Link{Text: c.Say("Show"), Href: "#doubts"}}
		}
		return
	}
	view.Notice = &ui.Notice{Tone: ui.Bad, Title: c.Say("These payments cannot be made yet"), Text: strings.Join(check.problems, " ")}
	if len(view.Wrong) > 0 {
		view.Notice.Text = strings.TrimSpace(view.Notice.Text + " " +
			c.Say("%d of %d payments need to be corrected. Change the text below, or choose a corrected file. Nothing was sent.", len(view.Wrong), len(check.rows)))
	}
}

// maxDoubtful is how many rows are shown beside a question.
const maxDoubtful = 20
