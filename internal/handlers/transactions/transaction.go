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
)

func (a *Area) transaction(v *shell.Visit) error {
	id, err := strconv.ParseInt(v.Request.PathValue("transaction"), 10, 64)
	if err != nil {
		return finance.ErrNotFound
	}
	account, err := a.Store.Account(v.Ctx(), v.User.ID, v.Request.PathValue("account"))
	if err != nil {
		return err
	}
	t, err := a.Store.Transaction(v.Ctx(), v.User.ID, account.ID, id)
	if err != nil {
		return err
	}
	connection, err := a.Store.Connection(v.Ctx(), v.User.ID, account.ConnectionID)
	if err != nil {
		return err
	}
	c := a.At(v.Ctx(), time.Now())
	view := pages.TransactionView{
		Frame: a.Frame(v), AccountID: account.ID, AccountName: account.Title(), Bank: show.BankOf(connection), Title: t.Title(),
		Amount: pages.Flow(t.Amount), Status: ui.Badge{Tone: ui.Good, Text: pages.StatusWords(openbanking.TransactionStatusBOOK)},
		StatusCode: string(openbanking.TransactionStatusBOOK),
		Dates:      dates(c, t.Transaction), Counterparty: counterparty(t), Amounts: amounts(account, t.Record), References: references(t.Record),
		Original: show.Readable(t.Original), Fetched: "First fetched on " + c.Full(t.FirstSeen) + ".",
	}
	view.Frame.Simulated = connection.Simulated
	own, err := a.ownAccount(v, t)
	if err != nil {
		return err
	}
	fillDirection(&view, t, own)
	if a.Payments.Why(v.Ctx(), account, connection) == "" && payable(t, own) {
		view.Pay = &ui.Link{Text: payWords(t, own), Href: paths.PayTransaction(account.ID, strconv.FormatInt(t.ID, 10))}
	}
	if err := a.paymentBehind(v, c, t.ID, &view); err != nil {
		return err
	}
	if t.Missing {
		view.Notice = &ui.Notice{Tone: ui.Warning, Title: "The bank no longer lists this transaction",
			Text: "It was booked when it was fetched. It stays here, since nothing is deleted by a sync."}
	}
	for _, line := range t.Record.RemittanceInformation {
		for part := range strings.Lines(line) {
			if part = finance.Clean(part); part != "" {
				view.Remittance = append(view.Remittance, part)
			}
		}
	}
	return v.Page(http.StatusOK, pages.Transaction(view))
}

// ownAccount is the account of the user that is the other side of a transaction, nil when it is none. Of several with one number, it is the one in the currency of the transaction.
func (a *Area) ownAccount(v *shell.Visit, t finance.TransactionRecord) (*finance.Account, error) {
	if t.CounterpartyAccount == "" {
		return nil, nil
	}
	all, err := a.Store.Accounts(v.Ctx(), v.User.ID)
	if err != nil {
		return nil, err
	}
	var found *finance.Account
	for i := range all {
		if all[i].ID != t.AccountID && finance.AccountNumber(all[i]).Number == t.CounterpartyAccount && (found == nil || all[i].Currency == t.Amount.Currency()) {
			found = &all[i]
		}
	}
	return found, nil
}

// fillDirection says between whom the money went: "Paid to", or "To your" own account.
func fillDirection(view *pages.TransactionView, t finance.TransactionRecord, own *finance.Account) {
	in := t.Amount.Sign() > 0
	switch {
	case own != nil:
		view.Direction, view.Title, view.OwnAccount = "To your", own.Title(), paths.Account(own.ID)
		if in {
			view.Direction = "From your"
		}
	case t.Counterparty != "" && in:
		view.Direction = "Received from"
	case t.Counterparty != "":
		view.Direction = "Paid to"
	}
}

// payable reports whether a transaction can be paid again, or back: what was a transfer, to or from an account that can be paid to. A person who pays a direct debit by hand pays twice, and
// nobody sends a salary back.
func payable(t finance.TransactionRecord, own *finance.Account) bool {
	if own != nil && (own.Type == openbanking.CashAccountTypeCARD || own.Type == openbanking.CashAccountTypeLOAN) || !accountNumber(t.CounterpartyAccount) {
		return false
	}
	means := finance.MeansOf(t.Record)
	return means == finance.MeansTransfer || means == finance.MeansIncome && t.Amount.Sign() < 0
}

func payWords(t finance.TransactionRecord, own *finance.Account) string {
	switch in := t.Amount.Sign() > 0; {
	case own != nil && in:
		return "Transfer back"
	case own != nil:
		return "Transfer again"
	case in:
		return "Pay back"
	}
	return "Pay again"
}

// paymentBehind shows the payment that a transaction is the booking of, and what of it.
func (a *Area) paymentBehind(v *shell.Visit, c show.Clock, booked int64, view *pages.TransactionView) error {
	p, place, err := a.Store.PaymentOfBooking(v.Ctx(), v.User.ID, booked)
	if errors.Is(err, finance.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	view.Payment = &ui.Link{Text: c.PaidTo(p), Href: paths.Payment(p.ID)}
	view.PaymentNote = "Confirmed by you " + c.When(p.Sent) + "."
	switch {
	case place.Execution != "":
		view.PaymentIs = "This is the execution of " + c.Day(place.Execution).Text + " of your standing order to"
	case place.Total:
		view.PaymentIs = "This is the one total that your bank booked for"
	case len(p.Order.Request.CreditTransferTransaction) > 1:
		view.PaymentIs = "This is what your bank booked for one of"
	default:
		view.PaymentIs = "This is what your bank booked for your payment to"
	}
	if p.Phase == finance.PhaseCreated {
		view.Receipt = paths.PaymentReceipt(p.ID)
	}
	return nil
}

func dates(c show.Clock, t finance.Transaction) []ui.Fact {
	var facts []ui.Fact
	for _, d := range []struct {
		name, note string
		date       openbanking.Date
	}{
		{"Paid on", "Transaction date", t.TransactionDate}, {"Booked on", "Booking date", t.BookingDate},
		{"Value date", "From this day it counts for interest.", t.ValueDate},
	} {
		if d.date != "" {
			facts = append(facts, ui.Fact{Name: d.name, Value: c.Day(d.date).Text, Note: d.note})
		}
	}
	if facts == nil {
		facts = []ui.Fact{{Name: "Date", Value: "The bank gave no date"}}
	}
	return facts
}

func counterparty(t finance.TransactionRecord) []ui.Fact {
	party, agent := t.Record.Creditor, t.Record.CreditorAgent
	if t.Amount.Sign() > 0 {
		party, agent = t.Record.Debtor, t.Record.DebtorAgent
	}
	var f show.Facts
	f.Add("Name", t.Counterparty, "")
	f.Add("Account", show.Groups(t.CounterpartyAccount), "")
	if agent != nil {
		name, bic := show.Text(agent.Name), show.Text(agent.BICFI)
		if name == "" {
			name, bic = bic, ""
		}
		f.Add("Bank", name, bic)
	}
	if party != nil && t.Counterparty != "" {
		f.Add("Address", show.Address(party.PostalAddress), "")
	}
	return f
}

func amounts(account finance.Account, r openbanking.Transaction) []ui.Fact {
	var f show.Facts
	if x := r.ExchangeRate; x != nil {
		if x.InstructedAmount != nil {
			f.Add("Original amount", figure(*x.InstructedAmount, account.Currency), "")
		}
		if rate := show.Text(x.ExchangeRate); rate != "" {
			if unit := show.Text(x.UnitCurrency); unit != "" {
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
			f.Add("Exchange rate", rate, code)
		}
	}
	if r.BalanceAfterTransaction != nil {
		f.Add("Balance afterwards", figure(*r.BalanceAfterTransaction, account.Currency), "")
	}
	return f
}

// figure writes an amount of the record: as money when it can be read, else as it came.
func figure(w openbanking.AmountType, currency string) string {
	if w.Currency == "" || w.Currency == finance.NoCurrency {
		w.Currency = currency
	}
	amount, err := money.Parse(w.Amount, w.Currency)
	if err != nil {
		return w.Amount + " " + w.Currency
	}
	return amount.Format() + " " + w.Currency
}

func references(r openbanking.Transaction) []ui.Fact {
	var f show.Facts
	if number := show.Text(r.ReferenceNumber); number != "" {
		name, code := "Reference number", ""
		if r.ReferenceNumberSchema != nil {
			name, code = pages.ReferenceWords(*r.ReferenceNumberSchema), string(*r.ReferenceNumberSchema)
		}
		f.Add(name, number, code)
	}
	f.Add("Entry reference", show.Text(r.EntryReference), "")
	if k := r.BankTransactionCode; k != nil {
		code := strings.TrimSpace(show.Text(k.Code) + " " + show.Text(k.SubCode))
		name := show.Text(k.Description)
		if name == "" {
			name, code = code, ""
		}
		f.Add("Bank’s code", name, code)
	}
	f.Add("Merchant category", show.Text(r.MerchantCategoryCode), "")
	f.Add("Note", show.Text(r.Note), "")
	return f
}

// masked are the places of a number that a bank does not tell.
var masked = regexp.MustCompile(`[*\x{2022}#]|[Xx]{3}`)

// accountNumber reports whether something can be paid to a number: banks also name cards, with most of the digits left out.
func accountNumber(number string) bool {
	if _, err := iban.Parse(number); err == nil {
		return true
	}
	return number != "" && !masked.MatchString(number)
}
