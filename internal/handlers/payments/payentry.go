package payments

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"florin/internal/finance"
	"florin/internal/handlers/shell"
	"florin/internal/handlers/show"
	"florin/internal/paymentfile"
	"florin/internal/paymentform"
	"florin/web/templates/words"
)

// Fields that the forms for payments have beside those of paymentform.
const (
	fieldForm     = "form" // the one-time key
	fieldDraft    = "draft"
	fieldRetry    = "retry"
	fieldRequest  = "request"
	fieldAccount  = "account"
	fieldSaved    = "saved"
	fieldIn       = "amount_in" // the currency in which the form asked for the amount
	fieldCharges  = string(paymentform.Charges)
	fieldPriority = string(paymentform.Priority)
)

// showAsk is the value of the button that leads to asking somebody else.
const showAsk = "ask"

// formKey is a key as finance.NewID makes it.
var formKey = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// payEntry is the form for a payment as a request brings it, or as it begins.
type payEntry struct {
	paymentform.Entries

	key     string // of the form, one-time
	draft   string // that it changes; "" for a new payment
	retry   string // the payment that it repeats; ""
	request string // what somebody asked the person to pay; ""
	account string // that pays; "" before it is chosen
	saved   string // the payee or own account that was chosen to be filled in
	in      string // the currency in which the form asked for the amount; "" before it did

	hints   map[paymentform.Field]string // what to know about a field before the usual hint
	ask     paymentform.Field            // the field to begin with
	chose   bool                         // the kind of payment was just chosen: the page begins there
	stored  bool                         // the amount is not one that was just typed
	refused string                       // why the payment was not taken though no field is wrong
}

func newEntry() payEntry { return payEntry{Entries: paymentform.Entries{}, key: finance.NewID()} }

func readEntry(v *shell.Visitor) payEntry {
	e := payEntry{Entries: paymentform.Entries{}, key: v.Field(fieldForm), draft: v.Field(fieldDraft), retry: v.Field(fieldRetry),
		request: v.Field(fieldRequest), account: v.Field(fieldAccount), saved: v.Field(fieldSaved), in: v.Field(fieldIn)}
	for _, f := range paymentform.Fields() {
		e.Set(f, v.Request.PostForm.Get(string(f)))
	}
	return e
}

// converts reports whether the amount would become one of another currency unseen: the form was sent with another account, and has not asked for it in the
// currency of that. What the amount was in is kept, so that the form says so.
func (e *payEntry) converts(form paymentform.Form) bool {
	if e.in == "" || e.in == form.Currency() || slices.Contains(form.Currencies(), e.Get(paymentform.Currency)) {
		return false
	}
	e.Set(paymentform.Currency, e.in)
	return true
}

func (e *payEntry) hint(f paymentform.Field, text string) {
	if e.hints == nil {
		e.hints = map[paymentform.Field]string{}
	}
	e.hints[f] = text
}

func (e *payEntry) setPayee(p finance.Payee) {
	e.SetPayee(p)
	e.saved = "payee:" + p.ID
}

// setInvoice fills in the form from a payment code. It adds a hint when the code contains no amount, and shows information of the code that is meant for
// the payer only.
func (e *payEntry) setInvoice(v *shell.Visitor, invoice paymentfile.Invoice) {
	e.SetInvoice(invoice)
	if invoice.Amount.Sign() <= 0 {
		e.hint(paymentform.Amount, v.Say("The payment code contains no amount. Enter the one on the invoice."))
		e.ask = paymentform.Amount
	}
	if invoice.Information != "" {
		e.hint(paymentform.Text(0), v.Say("For you only, from the payment code: “%s”.", finance.Clean(invoice.Information)))
	}
}

// fillSaved fills in the payee or the own account that was chosen.
func (e *payEntry) fillSaved(f paymentform.Facts) error {
	switch kind, id, _ := strings.Cut(e.saved, ":"); kind {
	case "payee":
		i := slices.IndexFunc(f.Payees, func(p finance.Payee) bool { return p.ID == id })
		if i < 0 {
			return finance.ErrNotFound
		}
		e.setPayee(f.Payees[i])
	case "account":
		p, err := payerOf(f.Payers, id)
		if err != nil {
			return err
		}
		e.Set(paymentform.Name, cmp.Or(p.Account.Holder, show.Clock{Language: words.English}.AccountName(p.Account)))
		e.SetAccount(finance.AccountNumber(p.Account))
	}
	return nil
}
