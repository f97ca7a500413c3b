package transactions

import (
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/iban"
	"florin/internal/money"
	"florin/internal/openbanking"
	"florin/web/templates/pages"
	"florin/web/templates/paths"
	"florin/web/templates/ui"
	"florin/web/templates/words"
)

func (a *Area) transaction(v *shell.Visitor) error {
	account, t, err := a.asked(v)
	if errors.Is(err, finance.ErrNotFound) {
		if err := a.sharedTransaction(v); !errors.Is(err, finance.ErrNotFound) {
			return err
		}
		return a.mergedInto(v)
	}
	if err != nil {
		return err
	}
	own, err := a.annotation(v, t)
	if err != nil {
		return err
	}
	return a.page(v, http.StatusOK, account, t, own)
}

// debitCard says what is known of a direct debit; it is empty for a transaction that is none.
func (a *Area) debitCard(v *shell.Visitor, c show.Clock, id int64) (pages.DebitCard, error) {
	h, err := a.Store.Household(v.User.ID).DebitOf(v.Ctx(), id)
	if errors.Is(err, finance.ErrNotFound) {
		return pages.DebitCard{}, nil
	}
	return c.DebitCard(h), err
}

// recurringCard names the series of a transaction that the visitor sees; it is empty where there is none, and for viewers, who do not get the page of one.
func (a *Area) recurringCard(v *shell.Visitor, c show.Clock, id int64) (pages.RecurringCard, error) {
	if v.User.Role == finance.RoleViewer {
		return pages.RecurringCard{}, nil
	}
	series, err := a.Store.Household(v.User.ID).RecurringOf(v.Ctx(), id)
	if errors.Is(err, finance.ErrNotFound) {
		return pages.RecurringCard{}, nil
	}
	return pages.RecurringCard{Series: ui.Link{Text: c.TransactionName(series.Title), Href: paths.RecurringSeries(series.ID)}, Note: c.SeriesNote(series)}, err
}

// asked reads the transaction that the address names, with its account.
func (a *Area) asked(v *shell.Visitor) (account finance.Account, t finance.TransactionRecord, err error) {
	id, err := strconv.ParseInt(v.Request.PathValue("transaction"), 10, 64)
	if err != nil {
		return account, t, finance.ErrNotFound
	}
	if account, err = a.Store.Account(v.Ctx(), v.User.ID, v.Request.PathValue("account")); err != nil {
		return account, t, err
	}
	t, err = a.Store.Transaction(v.Ctx(), v.User.ID, account.ID, id)
	return account, t, err
}

// page shows a transaction. changes are made to its view at the end, to show what is wrong with a form.
func (a *Area) page(v *shell.Visitor, status int, account finance.Account, t finance.TransactionRecord, own pages.AnnotationView,
	changes ...func(*pages.TransactionView)) error {
	var connection finance.Connection
	var err error
	if account.Linked() {
		if connection, err = a.Store.Connection(v.Ctx(), v.User.ID, account.ConnectionID); err != nil {
			return err
		}
	}
	c := a.At(v.Ctx(), time.Now())
	view := pages.TransactionView{
		Frame: a.Frame(v), AccountID: account.ID, AccountName: c.AccountName(account), Bank: show.BankOf(connection), Title: c.TransactionName(t.Title()),
		Amount: pages.Flow(t.Amount), Status: ui.Badge{Tone: ui.Good, Text: v.Say(pages.StatusWords(openbanking.TransactionStatusBOOK))},
		StatusCode: string(openbanking.TransactionStatusBOOK), Own: own,
		Dates: dates(c, t.Transaction), Counterparty: counterparty(c, t), Amounts: amounts(c, account, t.Record), References: references(c, t.Record),
		Original: show.Readable(t.Original), Fetched: v.Say("Florin first fetched this on %s.", c.Full(t.FirstSeen)),
	}
	if !account.Linked() {
		view.Original, view.Fetched = "", ""
		if account.Open() {
			view.Edit = paths.TransactionEdit(account.ID, strconv.FormatInt(t.ID, 10))
		}
	}
	book, err := a.Store.Categories(v.Ctx(), v.User.ID)
	if err != nil {
		return err
	}
	view.Category = categoryCard(c, book, t)
	if view.Split, err = a.splitCard(v, c, book, t); err != nil {
		return err
	}
	if err := a.expenseLink(v, c, t, &view); err != nil {
		return err
	}
	if view.Transfer, err = a.transferCard(v, c, t); err != nil {
		return err
	}
	if view.Recurring, err = a.recurringCard(v, c, t.ID); err != nil {
		return err
	}
	if view.Debit, err = a.debitCard(v, c, t.ID); err != nil {
		return err
	}
	if view.History, err = a.historyCard(v, c, t); err != nil {
		return err
	}
	if view.Merge, err = a.mergeCard(v, c, t); err != nil {
		return err
	}
	if err := a.ruleCards(v, c, t, &view); err != nil {
		return err
	}
	if view.Attachments, err = a.attachments(v, c, t); err != nil {
		return err
	}
	view.Frame.Simulated = connection.Simulated || account.Simulated
	other, err := a.ownAccount(v, t)
	if err != nil && !errors.Is(err, finance.ErrNotFound) {
		return err
	}
	fillDirection(c, &view, t, other)
	if a.Payments.Obstacle(v.Ctx(), account, connection) == "" && payable(t, other) {
		view.Pay = &ui.Link{Text: v.Say(payWords(t, other)), Href: paths.PayTransaction(account.ID, strconv.FormatInt(t.ID, 10))}
	}
	if err := a.paymentBehind(v, c, t.ID, &view); err != nil {
		return err
	}
	if t.Missing {
		view.Notice = &ui.Notice{Tone: ui.Warning, Title: v.Say("The bank no longer lists this transaction"),
			Text: v.Say("It was booked when Florin fetched it. It stays here: Florin never deletes a booked transaction by itself.")}
	}
	view.Remittance = remittance(t)
	for _, change := range changes {
		change(&view)
	}
	return v.Page(status, pages.Transaction(view))
}

// remittance are the lines of the text, as the bank sent them.
func remittance(t finance.TransactionRecord) (lines []string) {
	for _, line := range t.Record.RemittanceInformation {
		for part := range strings.Lines(line) {
			if part = finance.Clean(part); part != "" {
				lines = append(lines, part)
			}
		}
	}
	return lines
}

// ownAccount is the account of the user that is the other side of a transaction, else finance.ErrNotFound. Of several with one number, it is the one in
// the currency of the transaction.
func (a *Area) ownAccount(v *shell.Visitor, t finance.TransactionRecord) (finance.Account, error) {
	if t.CounterpartyAccount == "" {
		return finance.Account{}, finance.ErrNotFound
	}
	all, err := a.Store.Accounts(v.Ctx(), v.User.ID)
	if err != nil {
		return finance.Account{}, err
	}
	found, err := finance.Account{}, finance.ErrNotFound
	for _, other := range all {
		if other.ID != t.AccountID && finance.AccountNumber(other).Number == t.CounterpartyAccount && (err != nil || other.Currency == t.Amount.Currency()) {
			found, err = other, nil
		}
	}
	return found, err
}

// fillDirection says between whom the money went. own is the person's own account on the other side, zero for none.
func fillDirection(c show.Clock, view *pages.TransactionView, t finance.TransactionRecord, own finance.Account) {
	in := t.Amount.Sign() > 0
	switch {
	case own.ID != "":
		view.Direction, view.Title, view.OwnAccount = "To your account", c.AccountName(own), paths.Account(own.ID)
		if in {
			view.Direction = "From your account"
		}
	case t.Counterparty != "" && in:
		view.Direction = "Received from"
	case t.Counterparty != "":
		view.Direction = "Paid to"
	}
}

// payable reports whether a transaction can be paid again, or back: what was a transfer, to or from an account that can be paid to. A person who pays a
// direct debit by hand pays twice, and nobody sends a salary back.
func payable(t finance.TransactionRecord, own finance.Account) bool {
	if (own.Type == openbanking.CashAccountTypeCARD || own.Type == openbanking.CashAccountTypeLOAN) || !accountNumber(t.CounterpartyAccount) {
		return false
	}
	means := finance.MeansOf(t.Record)
	return means == finance.MeansTransfer || means == finance.MeansIncome && t.Amount.Sign() < 0
}

func payWords(t finance.TransactionRecord, own finance.Account) words.Text {
	switch in := t.Amount.Sign() > 0; {
	case own.ID != "" && in:
		return "Transfer back"
	case own.ID != "":
		return "Transfer again"
	case in:
		return "Pay back"
	}
	return "Pay again"
}

// paymentBehind shows the payment that a transaction is the booking of, and what of it.
func (a *Area) paymentBehind(v *shell.Visitor, c show.Clock, booked int64, view *pages.TransactionView) error {
	list, place, err := a.Store.PaymentsOfBooking(v.Ctx(), v.User.ID, booked)
	if err != nil || len(list) == 0 {
		return err
	}
	if place.File != "" {
		for _, p := range list {
			view.InTotal = append(view.InTotal, ui.Link{Text: c.PaidTo(p), Href: paths.Payment(p.ID)})
		}
		return nil
	}
	p := list[0]
	view.Payment = &ui.Link{Text: c.PaidTo(p), Href: paths.Payment(p.ID)}
	view.PaymentNote = c.Say("You confirmed it %s.", c.When(p.Sent))
	switch {
	case place.Execution != "":
		view.PaymentIs, view.PaymentDay = "This is the payment of %s from your standing order to %s.", c.Day(place.Execution).Text
	case place.Total:
		view.PaymentIs = "Your bank booked one total for %s."
	case len(p.Order.Request.CreditTransferTransaction) > 1:
		view.PaymentIs = "This is one of the payments in %s."
	default:
		view.PaymentIs = "This is your payment to %s."
	}
	if p.Phase == finance.PhaseCreated {
		view.Receipt = paths.PaymentReceipt(p.ID)
	}
	return nil
}

func dates(c show.Clock, t finance.Transaction) []ui.Fact {
	var facts []ui.Fact
	for _, d := range []struct {
		name, note words.Text
		date       openbanking.Date
	}{
		{"Paid on", "Transaction date", t.TransactionDate}, {"Booked on", "Booking date", t.BookingDate},
		{"Value date", "The amount counts for interest from this day.", t.ValueDate},
	} {
		if d.date != "" {
			facts = append(facts, ui.Fact{Name: c.Say(d.name), Value: c.Day(d.date).Text, Note: c.Say(d.note)})
		}
	}
	if facts == nil {
		facts = []ui.Fact{{Name: c.Say("Date"), Value: c.Say("The bank gave no date")}}
	}
	return facts
}

func counterparty(c show.Clock, t finance.TransactionRecord) []ui.Fact {
	party, agent := t.Record.Creditor, t.Record.CreditorAgent
	if t.Amount.Sign() > 0 {
		party, agent = t.Record.Debtor, t.Record.DebtorAgent
	}
	var f show.Facts
	f.Add(c.Say("Name"), t.Counterparty, "")
	f.Add(c.Say("Account"), show.Groups(t.CounterpartyAccount), "")
	if agent != nil {
		name, bic := show.Text(agent.Name), show.Text(agent.BICFI)
		if name == "" {
			name, bic = bic, ""
		}
		f.Add(c.Say("Bank"), name, bic)
	}
	if party != nil && t.Counterparty != "" {
		f.Add(c.Say("Address"), c.Address(party.PostalAddress), "")
	}
	return f
}

func amounts(c show.Clock, account finance.Account, r openbanking.Transaction) []ui.Fact {
	var f show.Facts
	if x := r.ExchangeRate; x != nil {
		if x.InstructedAmount != nil {
			f.Add(c.Say("Original amount"), figure(c, *x.InstructedAmount, account.Currency), "")
		}
		if rate := show.Text(x.ExchangeRate); rate != "" {
			if unit := show.Text(x.UnitCurrency); unit != "" {
				if number.MatchString(rate) {
					rate = c.Decimal(rate)
				}
				rate = "1 " + unit + " = " + rate
				if x.InstructedAmount != nil && x.InstructedAmount.Currency != unit {
					rate += " " + x.InstructedAmount.Currency
				} else if account.Currency != unit {
					rate += " " + account.Currency
				}
			}
			code := ""
			if x.RateType != nil {
				code = string(*x.RateType)
			}
			f.Add(c.Say("Exchange rate"), rate, code)
		}
	}
	if r.BalanceAfterTransaction != nil {
		f.Add(c.Say("Balance afterwards"), figure(c, *r.BalanceAfterTransaction, account.Currency), "")
	}
	return f
}

// figure writes an amount of the record: as money when it can be read, else as it came.
func figure(c show.Clock, w openbanking.AmountType, currency string) string {
	if w.Currency == "" || w.Currency == finance.NoCurrency {
		w.Currency = currency
	}
	amount, err := money.Parse(w.Amount, w.Currency)
	if err != nil {
		return w.Amount + " " + w.Currency
	}
	return c.Money(amount)
}

func references(c show.Clock, r openbanking.Transaction) []ui.Fact {
	var f show.Facts
	if number := show.Text(r.ReferenceNumber); number != "" {
		name, code := words.Text("Reference number"), ""
		if r.ReferenceNumberSchema != nil {
			name, code = pages.ReferenceWords(*r.ReferenceNumberSchema), string(*r.ReferenceNumberSchema)
		}
		f.Add(c.Say(name), number, code)
	}
	f.Add(c.Say("Bank’s reference"), show.Text(r.EntryReference), "")
	if k := r.BankTransactionCode; k != nil {
		code := strings.TrimSpace(show.Text(k.Code) + " " + show.Text(k.SubCode))
		name := show.Text(k.Description)
		if name == "" {
			name, code = code, ""
		}
		f.Add(c.Say("Kind of transaction"), name, code)
	}
	f.Add(c.Say("Merchant category"), show.Text(r.MerchantCategoryCode), "")
	f.Add(c.Say("Note"), show.Text(r.Note), "")
	return f
}

// number is a plain decimal number.
var number = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// masked are the places of a number that a bank does not tell.
var masked = regexp.MustCompile(`[*\x{2022}#]|[Xx]{3}`)

// accountNumber reports whether something can be paid to a number: banks also name cards, with most of the digits left out.
func accountNumber(number string) bool {
	if _, err := iban.Parse(number); err == nil {
		return true
	}
	return number != "" && !masked.MatchString(number)
}
