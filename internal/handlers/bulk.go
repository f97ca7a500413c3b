package handlers

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/linking"
	"florin/internal/openbanking"
	"florin/internal/paymentrules"
	"florin/internal/payments"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
)

// maxUpload bounds the form for many payments at once: the file, what was pasted, and the rest of the form.
const maxUpload = 2*finance.MaxBulkBytes + 64<<10

// bulkKind is how a bank takes many payments at once from an account, nil when it does not. Of several kinds the one in the account's currency counts.
func bulkKind(bank linking.Bank, p payer) *openbanking.ResponsePaymentType {
	var found *openbanking.ResponsePaymentType
	for i, kind := range bank.Payments {
		if kind.PSUType != p.connection.PSUType || !isBulk(kind.PaymentType) {
			continue
		}
		if found == nil || slices.Contains(kind.Currencies, p.account.Currency) && !slices.Contains(found.Currencies, p.account.Currency) {
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
func (a *App) whyNoBulk(v *visit, p payer) (string, *openbanking.ResponsePaymentType, error) {
	if why := a.why(v.ctx(), p); why != "" {
		return why, nil, nil
	}
	bank, err := a.Linking.Bank(v.ctx(), v.user.ID, p.connection.ProviderID, p.connection.ASPSP)
	if err != nil {
		return "", nil, bankProblem(err)
	}
	kind := bulkKind(bank, p)
	if kind == nil {
		return "The bank takes no bulk from " + strings.ToLower(psuTypeWords(p.connection.PSUType)) + " accounts.", nil, nil
	}
	return "", kind, nil
}

// bulkInstead leads to the form for many payments at once where the address names a payment that is one; "" for none.
func (a *App) bulkInstead(v *visit, query url.Values) (to string, err error) {
	draft, retry := query.Get("draft"), query.Get("retry")
	id := cmp.Or(draft, retry)
	if id == "" {
		return "", nil
	}
	p, err := a.Store.Payment(v.ctx(), v.user.ID, id)
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
}

// bulkPage starts many payments at once: it asks from which account, unless there is but one, and shows the form.
func (a *App) bulkPage(v *visit) error {
	if !a.canPay(v.ctx(), "") {
		return noPayments()
	}
	query := v.r.URL.Query()
	f := bulkForm{key: finance.NewID(), account: query.Get("account")}
	switch {
	case query.Get("draft") != "":
		draft, err := a.Store.Payment(v.ctx(), v.user.ID, query.Get("draft"))
		if err != nil {
			return err
		}
		if draft.Phase != finance.PhaseDraft {
			v.seeOther(paths.Payment(draft.ID))
			return nil
		}
		f = bulkForm{key: draft.FormKey, account: draft.Order.AccountID, retry: draft.RetryOf, text: bulkText(draft.Order.Request.CreditTransferTransaction)}
	case query.Get("retry") != "":
		old, transfers, err := a.failedOf(v, query.Get("retry"))
		if err != nil {
			return err
		}
		f.account, f.retry, f.text = old.Order.AccountID, old.ID, bulkText(transfers)
	}
	if f.account != "" {
		return a.bulkFormPage(v, http.StatusOK, f, nil)
	}
	all, err := a.payers(v)
	if err != nil {
		return err
	}
	c := a.at(time.Now())
	view := pages.BulkStartView{Frame: a.frame(v), Simulated: true}
	for _, p := range all {
		why, _, err := a.whyNoBulk(v, p)
		if err != nil {
			return err
		}
		row := a.payAccount(c, p, paths.PayBulkFrom(p.account.ID))
		if why != "" {
			row.Href, row.Why = "", why
			view.Others = append(view.Others, row)
			continue
		}
		view.Accounts = append(view.Accounts, row)
		view.Simulated = view.Simulated && p.connection.Simulated
	}
	view.Simulated = view.Simulated && len(view.Accounts) > 0
	if len(view.Accounts) == 1 {
		v.seeOther(view.Accounts[0].Href)
		return nil
	}
	return v.page(http.StatusOK, pages.BulkStart(view))
}

// failedOf are the transfers of a payment that came to nothing: all of them when the payment did.
func (a *App) failedOf(v *visit, id string) (finance.Payment, []openbanking.CreditTransferTransaction, error) {
	old, err := a.Store.Payment(v.ctx(), v.user.ID, id)
	if err != nil {
		return old, nil, err
	}
	single, err := a.Store.PaymentTransfers(v.ctx(), v.user.ID, id)
	if err != nil {
		return old, nil, err
	}
	order := old.Order.Again().Request.CreditTransferTransaction
	if len(order) != len(single) {
		return old, order, nil
	}
	var again []openbanking.CreditTransferTransaction
	for i, t := range single {
		if failed(t) {
			again = append(again, order[i])
		}
	}
	if len(again) == 0 {
		again = order
	}
	return old, again, nil
}

// failed reports whether one of many payments came to nothing.
func failed(t finance.PaymentTransfer) bool {
	return t.Status == openbanking.PaymentStatusRJCT || t.Status == openbanking.PaymentStatusCNCL
}

func countOf[T any](all []T, is func(T) bool) (n int) {
	for _, one := range all {
		if is(one) {
			n++
		}
	}
	return n
}

// bulkText writes transfers as the form takes them.
func bulkText(transfers []openbanking.CreditTransferTransaction) string {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write([]string{"name", "iban", "amount", "currency", "text", "reference", "date", "bic"})
	for _, t := range transfers {
		name, bic := "", ""
		if c := t.Beneficiary.Creditor; c != nil {
			name = text(c.Name)
		}
		if agent := t.Beneficiary.CreditorAgent; agent != nil {
			bic = text(agent.BICFI)
		}
		date := ""
		if t.RequestedExecutionDate != nil {
			date = string(*t.RequestedExecutionDate)
		}
		_ = w.Write([]string{name, t.Beneficiary.CreditorAccount.Identification, t.InstructedAmount.Amount, t.InstructedAmount.Currency,
			strings.Join(t.RemittanceInformation, " "), text(t.ReferenceNumber), date, bic})
	}
	w.Flush() // a bytes.Buffer takes everything
	return b.String()
}

// bulkPayer is an account from which many payments at once can go, with the kind of payment; a problem says why they cannot.
func (a *App) bulkPayer(v *visit, account string) (payer, *openbanking.ResponsePaymentType, error) {
	p, err := a.payer(v, account)
	if err != nil {
		return p, nil, err
	}
	why, kind, err := a.whyNoBulk(v, p)
	if err == nil && why != "" {
		err = &problem{status: http.StatusNotFound, title: "No bulk from this account", what: why, todo: "Choose another account.", action: ui.Link{Text: "Choose an account", Href: paths.PayBulk}}
	}
	return p, kind, err
}

// bulk takes the form: when nothing is wrong with the file it is a draft to review, else it is shown with what has to be mended.
func (a *App) bulk(v *visit) error {
	if !a.canPay(v.ctx(), "") {
		return noPayments()
	}
	f := bulkForm{key: v.field(fieldForm), account: v.field(fieldAccount), retry: v.field(fieldRetry), text: v.r.PostFormValue("text")}
	if !formKey.MatchString(f.key) {
		return &problem{status: http.StatusBadRequest, what: "The form lacks what tells it from others.", todo: "Open the form anew.", action: ui.Link{Text: "Pay many at once", Href: paths.PayBulk}}
	}
	file, err := upload(v.r, "file")
	if err != nil {
		return err
	}
	if len(file) > 0 {
		f.text = string(file)
	}
	p, kind, err := a.bulkPayer(v, f.account)
	if err != nil {
		return err
	}
	bulk, err := finance.ParseBulk([]byte(f.text), p.account.Currency)
	if err != nil {
		return a.bulkFormPage(v, http.StatusUnprocessableEntity, f, &bulkCheck{wrong: upperFirst(err.Error()) + dot(err.Error())})
	}
	check := checkBulk(bulk, p, *kind, finance.Today(time.Now()))
	if !check.good() {
		return a.bulkFormPage(v, http.StatusUnprocessableEntity, f, &check)
	}
	draft, err := a.Payments.Save(v.ctx(), v.user.ID, f.key, check.order, f.retry)
	switch {
	case errors.Is(err, payments.ErrSent):
		a.tell(v, ui.Warning, "This payment was confirmed already. What you changed afterwards was not taken; make a new payment for it.")
		v.seeOther(paths.Payment(draft.ID))
		return nil
	case errors.Is(err, payments.ErrAccount):
		check.problems = append(check.problems, sentence(err.Error()))
		return a.bulkFormPage(v, http.StatusUnprocessableEntity, f, &check)
	case err != nil:
		return err
	}
	v.seeOther(paths.PaymentReview(draft.ID))
	return nil
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
	rows     []finance.BulkRow
	faults   map[int][]string // of rows, by position
	bulk     finance.Bulk
	order    finance.PaymentOrder
}

func (b bulkCheck) good() bool { return b.wrong == "" && len(b.problems) == 0 && len(b.faults) == 0 }

// checkBulk holds a file against the rules of all payments and of the bank.
func checkBulk(bulk finance.Bulk, p payer, kind openbanking.ResponsePaymentType, today openbanking.Date) bulkCheck {
	b := bulkCheck{bulk: bulk, rows: bulk.Rows, problems: slices.Clone(bulk.Problems), faults: map[int][]string{}}
	for i, row := range bulk.Rows {
		for _, fault := range row.Faults {
			b.faults[i] = append(b.faults[i], fault.Problem)
		}
	}
	number := finance.AccountNumber(p.account)
	if bulk.Debtor.Number != "" && bulk.Debtor != number {
		b.problems = append(b.problems, "The file pays from "+bulk.Debtor.Format()+", and you chose another account. Choose that one, or make a file for this one.")
	}
	b.order = finance.PaymentOrder{
		ProviderID: p.connection.ProviderID, ASPSP: p.connection.ASPSP, PSUType: p.connection.PSUType, Type: kind.PaymentType, AccountID: p.account.ID,
		Request: openbanking.PaymentRequestResource{CreditTransferTransaction: bulk.Transfers()}, Successful: kind.FinalSuccessfulStatuses,
	}
	wire := number.Wire()
	b.order.Request.DebtorAccount = &wire
	if kind.DebtorCurrencyRequired != nil && *kind.DebtorCurrencyRequired {
		b.order.Request.DebtorCurrency = &p.account.Currency
	}
	for _, fault := range paymentrules.Check(kind, b.order.Request, today, "") {
		row, words := bulkFault(fault)
		switch {
		case row < 0 || row >= len(bulk.Rows):
			b.problems = append(b.problems, words)
		case len(bulk.Rows[row].Faults) == 0: // else it is told already, in other words
			b.faults[row] = append(b.faults[row], words)
		}
	}
	return b
}

var bulkField = regexp.MustCompile(`^payment_request\.credit_transfer_transaction\[([0-9]+)\]\.?(.*)$`)

// bulkFault is a fault in words, with the row that it is in, −1 for one of the file as a whole.
func bulkFault(f paymentrules.Fault) (row int, words string) {
	row = -1
	field := strings.TrimPrefix(f.Field, "payment_request.")
	if m := bulkField.FindStringSubmatch(f.Field); m != nil {
		row, _ = strconv.Atoi(m[1])
		field = m[2]
	}
	name := "This"
	for _, n := range [][2]string{
		{"credit_transfer_transaction", "The file"}, {"debtor_account", "The account that pays"}, {"instructed_amount.currency", "The currency"}, {"instructed_amount", "The amount"}, {"beneficiary.creditor_account", "The account"}, {"beneficiary.creditor_agent", "The BIC"},
		{"beneficiary.creditor.postal_address", "The address of the payee"}, {"beneficiary.creditor", "The name of the payee"}, {"requested_execution_date", "The date"}, {"reference_number", "The reference"}, {"remittance_information", "The text"}, {"payment_id", "The end-to-end id"},
	} {
		if strings.HasPrefix(field, n[0]) {
			name = n[1]
			break
		}
	}
	problem := strings.NewReplacer("the ASPSP", "the bank", "transactions", "payments", "transaction", "payment").Replace(f.Problem)
	return row, name + " " + strings.TrimSuffix(problem, ".") + "."
}

// bulkFormPage shows the form, with what was found in the file when it was looked at.
func (a *App) bulkFormPage(v *visit, status int, f bulkForm, check *bulkCheck) error {
	p, kind, err := a.bulkPayer(v, f.account)
	if err != nil {
		return err
	}
	c := a.at(time.Now())
	view := pages.BulkView{
		Frame: a.frame(v), Simulated: p.connection.Simulated, Account: a.payAccount(c, p, ""), Text: f.text,
		Hidden:  []pages.Hidden{{Name: fieldForm, Value: f.key}, {Name: fieldAccount, Value: f.account}, {Name: fieldRetry, Value: f.retry}},
		Largest: count(finance.MaxBulkBytes>>10) + " KiB", Most: "at most " + plural(finance.MaxBulkRows, "payment") + " at once",
	}
	view.Frame.Simulated = p.connection.Simulated
	if kind.MaxTransactions != nil {
		view.Most = "at most " + plural(min(*kind.MaxTransactions, finance.MaxBulkRows), "payment") + " at once"
	}
	if f.retry != "" {
		old, err := a.Store.Payment(v.ctx(), v.user.ID, f.retry)
		if err != nil {
			return err
		}
		view.Again = "Those of “" + old.Title + "” of " + c.date(old.Created) + " that came to nothing, as a new payment."
	}
	if check == nil && f.text != "" {
		if bulk, err := finance.ParseBulk([]byte(f.text), p.account.Currency); err == nil {
			found := checkBulk(bulk, p, *kind, finance.Today(time.Now()))
			check = &found
		}
	}
	if check != nil {
		a.showCheck(&view, *check)
	}
	return v.page(status, pages.Bulk(view))
}

// showCheck puts what was found in a file into the view: what has to be mended first.
func (a *App) showCheck(view *pages.BulkView, check bulkCheck) {
	view.FileWrong = check.wrong
	if check.wrong != "" {
		view.Notice = &ui.Notice{Tone: ui.Bad, Title: "The file cannot be read", Text: "Nothing of what you pasted is lost, and nothing was sent."}
		return
	}
	for i, row := range check.rows {
		line := pages.BulkLine{Line: "Payment " + strconv.Itoa(i+1), Account: groups(row.Transfer.Beneficiary.CreditorAccount.Identification), Text: strings.Join(row.Transfer.RemittanceInformation, " "), Problems: check.faults[i]}
		if row.Line != i+1 {
			line.Line = "Line " + strconv.Itoa(row.Line)
		}
		if name := row.Transfer.Beneficiary.Creditor; name != nil {
			line.Payee = text(name.Name)
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
	}
	view.Count = plural(len(check.rows), "payment")
	if totals, err := check.bulk.Totals(); err == nil {
		for _, total := range totals {
			view.Totals = append(view.Totals, pages.Figure(total))
		}
	}
	if check.good() {
		return
	}
	view.Notice = &ui.Notice{Tone: ui.Bad, Title: "Not yet ready to be paid", Text: strings.Join(check.problems, " ")}
	if len(view.Wrong) > 0 {
		view.Notice.Text = strings.TrimSpace(view.Notice.Text + fmt.Sprintf(" %s %s to be mended. Correct the text below, or choose the mended file. Nothing was sent.", ofMany(len(view.Wrong), len(check.rows)), have(len(view.Wrong))))
	}
}

func ofMany(n, all int) string { return count(int64(n)) + " of " + plural(all, "payment") }

func have(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}
