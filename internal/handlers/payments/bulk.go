package payments

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
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
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
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

// whyNoBulk says why many payments at once cannot go from an account; "" and the kind when they can.
func (a *Area) whyNoBulk(v *shell.Visit, p paymentform.Payer) (string, *openbanking.ResponsePaymentType, error) {
	if why := a.why(v, p); why != "" {
		return why, nil, nil
	}
	bank, err := a.Linking.Bank(v.Ctx(), v.User.ID, p.Connection.ProviderID, p.Connection.ASPSP)
	if err != nil {
		return "", nil, connections.BankProblem(err)
	}
	kind := bulkKind(bank, p)
	if kind == nil {
		return "The bank takes no bulk from " + strings.ToLower(show.PsuTypeWords(p.Connection.PSUType)) + " accounts.", nil, nil
	}
	return "", kind, nil
}

// bulkInstead leads to the form for many payments at once where the address names a payment that is one; "" for none.
func (a *Area) bulkInstead(v *shell.Visit, query url.Values) (to string, err error) {
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
func (a *Area) bulkPage(v *shell.Visit) error {
	if !a.Offers.CanPay(v.Ctx(), "") {
		return noPayments()
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
		f = bulkForm{key: draft.FormKey, account: cmp.Or(f.account, draft.Order.AccountID), retry: draft.RetryOf, text: paymentfile.CSV(draft.Order.Request.CreditTransferTransaction)}
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
	gone := func(p paymentform.Payer) bool { return p.Account.ID == f.account && a.why(v, p) != "" }
	if f.account != "" && (query.Get("account") != "" || !slices.ContainsFunc(all, gone)) { // else another account is asked for
		return a.bulkFormPage(v, http.StatusOK, f, nil)
	}
	c := a.At(v.Ctx(), time.Now())
	view := pages.BulkStartView{Frame: a.Frame(v), Simulated: true}
	for _, p := range all {
		why, _, err := a.whyNoBulk(v, p)
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
		if why != "" {
			row.Href, row.Why = "", why
			view.Others = append(view.Others, row)
			continue
		}
		view.Accounts = append(view.Accounts, row)
		view.Simulated = view.Simulated && p.Connection.Simulated
	}
	view.Simulated = view.Simulated && len(view.Accounts) > 0
	if len(view.Accounts) == 1 {
		v.SeeOther(view.Accounts[0].Href)
		return nil
	}
	return v.Page(http.StatusOK, pages.BulkStart(view))
}

// failedOf are the transfers of a payment that came to nothing: all of them when the payment did. What is still under way, or went out, is none of them.
func (a *Area) failedOf(v *shell.Visit, id string) (finance.Payment, []openbanking.CreditTransferTransaction, error) {
	old, err := a.Store.Payment(v.Ctx(), v.User.ID, id)
	if err != nil {
		return old, nil, err
	}
	story := old.Tell(time.Now())
	if story.Retry {
		return old, old.Order.Again().Request.CreditTransferTransaction, nil
	}
	transfers, err := a.Store.PaymentTransfers(v.Ctx(), v.User.ID, id)
	if err != nil {
		return old, nil, err
	}
	again := old.Order.FailedOnly(transfers).Request.CreditTransferTransaction
	if !story.Over || len(again) == 0 {
		return old, nil, &shell.Problem{Status: http.StatusNotFound, Title: "There is nothing to try again", What: "None of these payments failed, as far as " + show.BankName(old.Order.ASPSP.Name) + " reports.",
			Todo: "Look at the payment.", Action: ui.Link{Text: "See the payment", Href: paths.Payment(old.ID)}}
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
func (a *Area) bulkPayer(v *shell.Visit, account string) (paymentform.Payer, *openbanking.ResponsePaymentType, error) {
	payers, err := a.payers(v)
	if err != nil {
		return paymentform.Payer{}, nil, err
	}
	p, err := payerOf(payers, account)
	if err != nil {
		return p, nil, err
	}
	why, kind, err := a.whyNoBulk(v, p)
	if err == nil && why != "" {
		err = &shell.Problem{Status: http.StatusNotFound, Title: "No bulk from this account", What: why, Todo: "Choose another account.", Action: ui.Link{Text: "Choose an account", Href: paths.PayBulk}}
	}
	return p, kind, err
}

// bulk takes the form: when nothing is wrong with the file it is a draft to review, else it is shown with what has to be mended.
func (a *Area) bulk(v *shell.Visit) error {
	if !a.Offers.CanPay(v.Ctx(), "") {
		return noPayments()
	}
	f := bulkForm{key: v.Field(fieldForm), account: v.Field(fieldAccount), retry: v.Field(fieldRetry), text: v.Request.PostFormValue("text"), alphabet: v.Field("alphabet"),
		charges: v.Field(fieldCharges), priority: v.Field(fieldPriority), agreed: v.Request.PostForm["agree"]}
	if !formKey.MatchString(f.key) {
		return &shell.Problem{Status: http.StatusBadRequest, What: "The form lacks what tells it from others.", Todo: "Open the form anew.", Action: ui.Link{Text: "Pay many at once", Href: paths.PayBulk}}
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
	check := f.check(p, *kind, time.Now())
	if !check.good() || len(check.open(f.agreed)) > 0 {
		return a.bulkFormPage(v, http.StatusUnprocessableEntity, f, &check)
	}
	draft, err := a.Payments.Save(v.Ctx(), v.User.ID, f.key, check.order, f.retry)
	switch {
	case errors.Is(err, payments.ErrSent):
		a.Tell(v, ui.Warning, "This payment was confirmed already. What you changed afterwards was not taken; make a new payment for it.")
		v.SeeOther(paths.Payment(draft.ID))
		return nil
	case errors.Is(err, payments.ErrAccount):
		check.problems = append(check.problems, show.Sentence(err.Error()))
		return a.bulkFormPage(v, http.StatusUnprocessableEntity, f, &check)
	case err != nil:
		return err
	}
	if len(check.notes) > 0 {
		a.Tell(v, ui.Info, strings.Join(check.notes, " "))
	}
	v.SeeOther(paths.PaymentReview(draft.ID))
	return nil
}

// upload takes the file of the form, which counts more than the text that the page showed. A text that was typed since is not thrown away for it.
func (f *bulkForm) upload(v *shell.Visit) error {
	file, err := upload(v.Request, "file")
	if err != nil || len(file) == 0 {
		return err
	}
	if strings.TrimSpace(f.text) != "" && digestOf(f.text) != v.Field("shown") {
		f.problem = "You chose a file and changed the text below. Choose the file again and empty the text, or go on with the text alone."
		return nil
	}
	text, guessed, err := paymentfile.Decode(file)
	if err != nil {
		f.problem = fileError(err)
		return nil
	}
	f.text, f.alphabet, f.charges, f.priority = text, "", "", ""
	if guessed {
		f.alphabet = paymentfile.AssumedEncoding
	}
	return nil
}

// digestOf tells whether a text is the one that a page showed. A browser changes the ends of its lines.
func digestOf(text string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(strings.ReplaceAll(text, "\r", ""))))
	return hex.EncodeToString(sum[:8])
}

// upload reads a file of a form, empty when none was sent.
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

// open are the doubts that were not agreed to.
func (b *bulkCheck) open(agreed []string) []bulkDoubt {
	return slices.DeleteFunc(slices.Clone(b.doubts), func(d bulkDoubt) bool { return slices.Contains(agreed, d.key) })
}

// check reads the text and holds it against the rules.
func (f *bulkForm) check(p paymentform.Payer, kind openbanking.ResponsePaymentType, now time.Time) bulkCheck {
	bulk, err := paymentfile.Parse(f.text, p.Account.Currency)
	if err != nil {
		return bulkCheck{wrong: fileError(err)}
	}
	bulk.Charges, bulk.Priority = cmp.Or(bulk.Charges, openbanking.ChargeBearerCode(f.charges)), cmp.Or(bulk.Priority, openbanking.PriorityCode(f.priority))
	b := checkBulk(bulk, p, kind, finance.PaymentDay(now))
	if f.alphabet != "" {
		if d, found := guessDoubt(bulk); found {
			b.doubts = append(b.doubts, d)
		}
	}
	b.doubts = append(b.doubts, equalDoubts(bulk)...)
	return b
}

// guessDoubt asks to look at the letters that depend on the alphabet that was guessed.
func guessDoubt(bulk paymentfile.File) (bulkDoubt, bool) {
	d := bulkDoubt{key: "alphabet", title: "Do the letters look right?", box: "Yes, every letter is right",
		text: "The file does not say in which alphabet it is written. It was read as Western European (windows-1252). If letters are wrong, save the file once more as “CSV UTF-8” and choose it again."}
	for i, row := range bulk.Rows {
		name := ""
		if c := row.Transfer.Beneficiary.Creditor; c != nil {
			name = show.Text(c.Name)
		}
		if strings.ContainsFunc(name+finance.ReferenceText(row.Transfer), func(r rune) bool { return r >= utf8.RuneSelf }) {
			d.rows = append(d.rows, i)
		}
	}
	return d, len(d.rows) > 0
}

// maxEqual is how many groups of equal rows are asked about one by one; more are hardly a mistake of single rows.
const maxEqual = 10

// equalDoubts ask about rows that are in the file twice.
func equalDoubts(bulk paymentfile.File) []bulkDoubt {
	groups := bulk.Equal()
	if len(groups) > maxEqual {
		all := bulkDoubt{title: show.Plural(len(groups), "payment") + " stand more than once in the file", box: "Yes, pay each of them as often as it stands there",
			text: "The same amount goes to the same account. Perhaps rows were copied twice."}
		for _, e := range groups {
			all.key += e.Key()
			all.rows = append(all.rows, e.Rows...)
		}
		all.key = "equal-" + digestOf(all.key)
		return []bulkDoubt{all}
	}
	var doubts []bulkDoubt
	for _, e := range groups {
		lines := lineWords(bulk, e.Rows)
		d := bulkDoubt{key: e.Key(), rows: e.Rows, title: lines + " are equal: " + e.Amount.Format() + " " + e.Amount.Currency() + " to " + cmp.Or(e.Payee, e.To.Format()) + ", " + strconv.Itoa(len(e.Rows)) + " times",
			text: "Name, account, amount and text are the same.", box: "Yes, pay " + strconv.Itoa(len(e.Rows)) + " times"}
		if !e.Whole {
			d.title = lines + " pay the same: " + e.Amount.Format() + " " + e.Amount.Currency() + " to " + e.To.Format() + ", " + strconv.Itoa(len(e.Rows)) + " times"
			d.text = "Account and amount are the same, and name or text differ."
		}
		doubts = append(doubts, d)
	}
	return doubts
}

// lineWords are "Lines 3, 4 and 7".
func lineWords(bulk paymentfile.File, rows []int) string {
	thing := "Payment"
	if bulk.Rows[0].Line != 1 {
		thing = "Line"
	}
	var numbers []string
	for _, i := range rows {
		numbers = append(numbers, strconv.Itoa(bulk.Rows[i].Line))
	}
	const most = 8
	switch n := len(numbers); {
	case n == 1:
		return thing + " " + numbers[0]
	case n > most:
		return thing + "s " + strings.Join(numbers[:most], ", ") + " and " + show.Count(int64(n-most)) + " more"
	default:
		return thing + "s " + strings.Join(numbers[:n-1], ", ") + " and " + numbers[n-1]
	}
}

// checkBulk holds a file against the rules of all payments and of the bank.
func checkBulk(bulk paymentfile.File, p paymentform.Payer, kind openbanking.ResponsePaymentType, today openbanking.Date) bulkCheck {
	b := bulkCheck{bulk: bulk, rows: bulk.Rows, problems: findingsWords(bulk.Problems), notes: findingsWords(bulk.Notes), faults: map[int][]string{}}
	for i, row := range bulk.Rows {
		if len(row.Faults) > 0 {
			b.faults[i] = findingsWords(row.Faults)
		}
	}
	number := finance.AccountNumber(p.Account)
	if bulk.Debtor.Number != "" && bulk.Debtor != number {
		b.problems = append(b.problems, "The file pays from "+bulk.Debtor.Format()+", and you chose another account. Choose that one, or make a file for this one.")
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
		b.notes = append(b.notes, "The file asks for priority ("+string(bulk.Priority)+"), which your bank does not offer here: the payments go out as normal ones.")
	}
	for i := range b.order.Request.CreditTransferTransaction { // a bank that says how many lines it takes wants as many
		t := &b.order.Request.CreditTransferTransaction[i]
		if missing := len(kind.RemittanceInformationLines) - len(t.RemittanceInformation); missing > 0 && len(t.RemittanceInformation) > 0 {
			t.RemittanceInformation = slices.Concat(t.RemittanceInformation, make([]string, missing))
		}
	}
	faults := paymentrules.Check(kind, b.order.Request, today, "")
	for _, fault := range faults {
		row, words := bulkFault(fault)
		switch {
		case row < 0 || row >= len(bulk.Rows):
			b.problems = append(b.problems, words)
		case len(bulk.Rows[row].Faults) == 0: // else it is told already, in other words
			b.faults[row] = append(b.faults[row], words)
		}
	}
	if len(faults) >= paymentrules.MaxFaults {
		b.problems = append(b.problems, "Only the first "+strconv.Itoa(paymentrules.MaxFaults)+" problems are shown; there may be more.")
	}
	return b
}

// bulkFault is a fault in words, with the row that it is in, −1 for one of the file as a whole.
func bulkFault(f paymentrules.Fault) (row int, words string) {
	row = -1
	if position, ok := f.Field.Transaction(); ok {
		row = position
	}
	at := bulkPlaces[f.Field.Name]
	return row, faultWords(cmp.Or(at.subject, "This"), f.Rule) + at.todo
}

// bulkFormPage shows the form, with what was found in the file when it was looked at.
func (a *Area) bulkFormPage(v *shell.Visit, status int, f bulkForm, check *bulkCheck) error {
	p, kind, err := a.bulkPayer(v, f.account)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	view := pages.BulkView{
		Frame: a.Frame(v), Simulated: p.Connection.Simulated, Account: a.payAccount(c, p, ""), Text: f.text,
		Hidden: []pages.Hidden{{Name: fieldForm, Value: f.key}, {Name: fieldAccount, Value: f.account}, {Name: fieldRetry, Value: f.retry}, {Name: "shown", Value: digestOf(f.text)}, {Name: "alphabet", Value: f.alphabet},
			{Name: fieldCharges, Value: f.charges}, {Name: fieldPriority, Value: f.priority}},
		FileProblem: f.problem,
		Largest:     show.Count(paymentfile.MaxBytes>>10) + " KiB", Most: "at most " + show.Plural(paymentfile.MaxRows, "payment") + " at once",
	}
	view.Frame.Simulated = p.Connection.Simulated
	if kind.MaxTransactions != nil {
		view.Most = "at most " + show.Plural(min(*kind.MaxTransactions, paymentfile.MaxRows), "payment") + " at once"
	}
	if f.retry != "" {
		old, err := a.Store.Payment(v.Ctx(), v.User.ID, f.retry)
		if err != nil {
			return err
		}
		view.Again = "Those of “" + old.Title + "” of " + c.Date(old.Created) + " that were not carried out, as a new payment."
	}
	if check == nil && f.text != "" {
		if found := f.check(p, *kind, time.Now()); found.wrong == "" {
			check = &found
		}
	}
	switch {
	case f.problem != "":
		view.Notice = &ui.Notice{Tone: ui.Bad, Title: "The file was not taken", Text: "Nothing of what you typed is lost, and nothing was sent."}
	case check != nil:
		a.showCheck(&view, *check, f.agreed)
	}
	return v.Page(status, pages.Bulk(view))
}

// showCheck puts what was found in a file into the view: what has to be mended first, then what has to be looked at.
func (a *Area) showCheck(view *pages.BulkView, check bulkCheck, agreed []string) {
	view.FileWrong = check.wrong
	if check.wrong != "" {
		view.Notice = &ui.Notice{Tone: ui.Bad, Title: "This is no list of payments yet", Text: "Nothing of what you pasted is lost, and nothing was sent."}
		if strings.TrimSpace(view.Text) == "" {
			view.Notice = &ui.Notice{Tone: ui.Bad, Title: "There is nothing to pay yet", Text: "Choose a file, or paste its text."}
		}
		return
	}
	view.Notes = check.notes
	lines := make([]pages.BulkLine, 0, len(check.rows))
	for i, row := range check.rows {
		line := pages.BulkLine{Line: "Payment " + strconv.Itoa(i+1), Account: show.Groups(row.Transfer.Beneficiary.CreditorAccount.Identification), Text: strings.Join(row.Transfer.RemittanceInformation, " "), Problems: check.faults[i]}
		if row.Line != i+1 {
			line.Line = "Line " + strconv.Itoa(row.Line)
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
			doubt.More = "and " + show.Plural(more, "payment") + " more, below"
		}
		view.Doubts = append(view.Doubts, doubt)
	}
	view.Count = show.Plural(len(check.rows), "payment")
	if totals, err := check.bulk.Totals(); err == nil {
		for _, total := range totals {
			view.Totals = append(view.Totals, pages.Figure(total))
		}
	}
	if check.good() {
		if len(check.open(agreed)) > 0 {
			view.Notice = &ui.Notice{Tone: ui.Warning, Title: "Look twice before you go on", Text: "Tick what is meant, or correct the text below. Nothing was sent.", Action: ui.Link{Text: "Show it", Href: "#doubts"}}
		}
		return
	}
	view.Notice = &ui.Notice{Tone: ui.Bad, Title: "Not yet ready to be paid", Text: strings.Join(check.problems, " ")}
	if len(view.Wrong) > 0 {
		view.Notice.Text = strings.TrimSpace(view.Notice.Text + fmt.Sprintf(" %s %s to be corrected. Change the text below, or choose the corrected file. Nothing was sent.", ofMany(len(view.Wrong), len(check.rows)), have(len(view.Wrong))))
	}
}

// maxDoubtful is how many rows are shown beside a question.
const maxDoubtful = 20

func ofMany(n, all int) string { return show.Count(int64(n)) + " of " + show.Plural(all, "payment") }

func have(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}
